r"""The energy ledger of explicit steps: forces averaged over a step, times the way that is gone in it.

.. math:: \Delta\left(\tfrac12 m v^2 - \tfrac18 h^2 m a^2\right) = \frac{F_0 + F_1}{2} \cdot (r_1 - r_0)

holds for every step of leapfrog to the last digit, F being all forces on a node; so each kind of force is given its
share by that product, and the elastic energy agrees with it but where the law has a kink. Powers at the ends of steps
are not enough: where an element comes taut its damper stops the nodes within one step, and what that takes is seen at
neither end of it.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED, ZERO3, add3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.solvers import mixed_ledger
from ropewalk.solvers.mixed_element import SHORTEST, drag_on, water_on_half, wet_share
from ropewalk.solvers.mixed_ledger import ENDS, WORK, elastic_tension
from ropewalk.solvers.mixed_loads import load_on_half
from ropewalk.solvers.mixed_mesh import (
    ADDED,
    DRAG_AREA,
    DRAG_NORMAL,
    DRAG_TANGENTIAL,
    FIRST,
    FORCE,
    LENGTH,
    MASS,
    PULL,
    SPRING,
    THICKNESS,
    VOLUME,
)
from ropewalk.solvers.mixed_nodes import lump, node_terms

# columns of the forces on a row, three each, N; and what goes with them
DRAG, WATER, LOADS, BED, DAMPING = 0, 3, 6, 9, 12  # WATER without drag
HOLD = 15  # inertia minus all of them: what holds an end
PLACE = 18  # m
CARRIED = 21  # drag times the velocity of the water, W
FORCE_COLUMNS = 22


@kernel(forceinline=True, **UNCOUNTED)
def _add(F, n, c, x):
    """Add a vector to three columns of a row."""
    F[n, c] += x[0]
    F[n, c + 1] += x[1]
    F[n, c + 2] += x[2]


@kernel(fastmath=FUSED, **UNCOUNTED)
def _row_forces(n, r, v, a, flow, node, damping, has_bed, bed, rho, g, grip, F):
    """Forces on what is lumped at row n."""
    for c in range(FORCE_COLUMNS):
        F[n, c] = 0.0
    m, speed = node[n, MASS], (v[n, 0], v[n, 1], v[n, 2])
    R = node_terms(n, r, v, a, flow, node, damping, has_bed, bed, rho, g, 0.0, 0.0, grip)[0]
    load = (node[n, FORCE], node[n, FORCE + 1], node[n, FORCE + 2])
    water, drag = ZERO3, ZERO3
    if rho > 0.0 and (node[n, VOLUME] > 0.0 or node[n, DRAG_AREA] > 0.0 or node[n, ADDED] > 0.0):
        water = scale3(-1.0, lump(n, r, v, a, flow, node, rho, g, 0.0, 0.0)[0])
        if r[n, 2] < flow[n, 7]:
            u = (flow[n, 0] - v[n, 0], flow[n, 1] - v[n, 1], flow[n, 2] - v[n, 2])
            drag = scale3(0.5 * rho * node[n, DRAG_AREA] * np.sqrt(dot(u, u)), u)
            F[n, CARRIED] = drag[0] * flow[n, 0] + drag[1] * flow[n, 1] + drag[2] * flow[n, 2]
    _add(F, n, DRAG, drag)
    _add(F, n, WATER, sub3(water, drag))
    _add(F, n, LOADS, load)
    _add(F, n, DAMPING, scale3(-damping * m, speed))
    _add(F, n, HOLD, R)
    _add(F, n, PLACE, (r[n, 0], r[n, 1], r[n, 2]))
    inertia = (m * (a[n, 0] + damping * v[n, 0]), m * (a[n, 1] + damping * v[n, 1]),
               m * (a[n, 2] + damping * v[n, 2] + g))  # fmt: skip
    _add(F, n, BED, sub3(sub3(inertia, add3(load, water)), R))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _half_forces(e, n, other, t, span, r, v, a, flow, element, rho, g, F):
    """Forces of the water on the half of element e at node n."""
    force = water_on_half(e, n, other, t, span, r, v, a, flow, element, rho, g, 0.0, 0.0)[0]
    own = r[n, 2] - flow[n, 7]
    half = 0.5 * span * wet_share(own, 0.5 * (own + r[other, 2] - flow[other, 7]), element[e, THICKNESS])[0]
    u = (flow[n, 0] - v[n, 0], flow[n, 1] - v[n, 1], flow[n, 2] - v[n, 2])
    drag = drag_on(u, t, half * element[e, DRAG_NORMAL], half * element[e, DRAG_TANGENTIAL])[0]
    F[n, CARRIED] += drag[0] * flow[n, 0] + drag[1] * flow[n, 1] + drag[2] * flow[n, 2]
    _add(F, n, DRAG, drag)
    _add(F, n, WATER, sub3(force, drag))
    _add(F, n, HOLD, scale3(-1.0, force))


@kernel(fastmath=FUSED, **UNCOUNTED)
def measure_forces(n_nodes, node_start, element_start, dof_start, dof, reference, r, v, a, T, flow, node, element, law,
                   law_data, load, damping, has_bed, bed, rho, g, grip, F):  # fmt: skip
    """Forces by kind (N) on nodes and free junctions at the present state, into F (n_rows, FORCE_COLUMNS)."""
    for n in range(n_nodes):
        _row_forces(n, r, v, a, flow, node, damping, has_bed, bed, rho, g, grip, F)
    for k in range(node_start.size - 1):
        e0, n0 = element_start[k], node_start[k]
        for e in range(e0, element_start[k + 1]):
            i, j = n0 + e - e0, n0 + e - e0 + 1
            d = (r[j, 0] - r[i, 0], r[j, 1] - r[i, 1], r[j, 2] - r[i, 2])
            span = max(np.sqrt(dot(d, d)), SHORTEST * element[e, LENGTH])
            t = scale3(1.0 / span, d)
            damped = scale3(T[e] - elastic_tension(e, span, element, law, law_data), t)
            _add(F, i, DAMPING, damped)
            _add(F, j, DAMPING, scale3(-1.0, damped))
            _add(F, i, HOLD, scale3(-T[e], t))
            _add(F, j, HOLD, scale3(T[e], t))
            if rho > 0.0:
                _half_forces(e, i, j, t, span, r, v, a, flow, element, rho, g, F)
                _half_forces(e, j, i, t, span, r, v, a, flow, element, rho, g, F)
            if load.shape[0] > 0:
                for side in range(2):
                    force = load_on_half(e, side, i + side, t, span, element[e, LENGTH], r, v, load, 0.0)[0]
                    _add(F, i + side, LOADS, force)
                    _add(F, i + side, HOLD, scale3(-1.0, force))
    for j in range(dof_start.size - 1):
        if dof_start[j] < dof_start[j + 1]:
            n = n_nodes + j
            _row_forces(n, r, v, a, flow, node, damping, False, bed, rho, g, grip, F)
            for c in range(dof_start[j], dof_start[j + 1]):
                axis = (dof[c, 0], dof[c, 1], dof[c, 2])
                way = (r[n, 0] - reference[j, 0], r[n, 1] - reference[j, 1], r[n, 2] - reference[j, 2])
                _add(F, n, LOADS, scale3(dof[c, PULL] - dof[c, SPRING] * dot(axis, way), axis))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _work(n, c, F, G):
    """Work (J) of one kind of force on a row in a step."""
    work = 0.0
    for p in range(3):
        work += (F[n, c + p] + G[n, c + p]) * (G[n, PLACE + p] - F[n, PLACE + p])
    return 0.5 * work


@kernel(fastmath=FUSED, **UNCOUNTED)
def add_step(h, n_nodes, node_start, line, dof_start, F, G, ledger):
    """Add the work of a step (J) to ledger[:, WORK].  F, G : forces before and after it; F becomes G"""
    water, loads, drag, damping, bed, ends = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(line.shape[0]):
        for side in range(2):
            j = line[k, FIRST + side]
            if dof_start[j] == dof_start[j + 1]:
                ends += _work(node_start[k] if side == 0 else node_start[k + 1] - 1, HOLD, F, G)
    for n in range(n_nodes + dof_start.size - 1):
        if n >= n_nodes and dof_start[n - n_nodes] == dof_start[n - n_nodes + 1]:
            continue
        carried = 0.5 * h * (F[n, CARRIED] + G[n, CARRIED])
        drag += carried - _work(n, DRAG, F, G)
        water += carried + _work(n, WATER, F, G)
        loads += _work(n, LOADS, F, G)
        bed -= _work(n, BED, F, G)
        damping -= _work(n, DAMPING, F, G)
        for c in range(FORCE_COLUMNS):
            F[n, c] = G[n, c]
    ledger[ENDS, WORK] += ends
    ledger[mixed_ledger.WATER, WORK] += water
    ledger[mixed_ledger.LOADS, WORK] += loads
    ledger[mixed_ledger.DRAG, WORK] += drag
    ledger[mixed_ledger.DAMPING, WORK] += damping
    ledger[mixed_ledger.BED, WORK] += bed
