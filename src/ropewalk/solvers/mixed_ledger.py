r"""The energy ledger: what the lines hold, what was put in, what was lost, and what does not add up.

Energies are taken from the state; work is the integral of power over the accepted steps, by the parabola through
the last three values, so that the quadrature is one order better than the steps. What is left,

.. math:: c = \Delta(K + E + V) - W_\text{ends} - W_\text{water} - W_\text{loads} - W_\text{winch}
          + \sum \text{losses},

is the error of the integration and its numerical damping. Seabed losses contain what the bed stores and gives back.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED, ZERO3, dot
from ropewalk.numerics.compile import kernel
from ropewalk.physics.elasticity import INEXTENSIBLE, strain_energy, tension
from ropewalk.solvers.mixed_body_ledger import body_energies, body_powers
from ropewalk.solvers.mixed_element import axial, drag_on, water_on_half, wet_share
from ropewalk.solvers.mixed_loads import loads_power
from ropewalk.solvers.mixed_mesh import (
    ADDED,
    DRAG_AREA,
    DRAG_NORMAL,
    DRAG_TANGENTIAL,
    FORCE,
    LENGTH,
    LENGTH_RATE,
    MASS,
    PULL,
    SLACK,
    SPRING,
    THICKNESS,
    VOLUME,
)
from ropewalk.solvers.mixed_nodes import lump, node_terms
from ropewalk.solvers.mixed_payout import winch_power

# rows of a ledger
ENDS, WATER, LOADS, DRAG, DAMPING, BED, WINCH, BREAK = 0, 1, 2, 3, 4, 5, 6, 7
POWERS = 8

# columns of a ledger
WORK, NOW, BEFORE = 0, 1, 2  # J, W, W; one more for the power before that
COLUMNS = 4

TERMS = ("kinetic", "elastic", "potential", "work_ends", "work_water", "work_loads", "work_winch", "loss_drag",
         "loss_damping", "loss_seabed", "loss_break", "closure")  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED)
def _element_power(e, i, j, r, v, a, T, flow, element, law, law_data, rho, g, nodes):
    """Power of the water on element e, losses by drag and by its damping; its forces are added to `nodes`."""
    part = axial(e, i, j, r, v, T, element, law, law_data, 0.0, False)
    t, span, pull = part[0], part[1], part[2]
    for p in range(3):
        nodes[i, p] -= pull * t[p]
        nodes[j, p] += pull * t[p]
    dv = (v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2])
    strained = dot(dv, t) - element[e, LENGTH_RATE] * span / element[e, LENGTH]
    damped = (pull - elastic_tension(e, span, element, law, law_data)) * strained
    water, lost = 0.0, 0.0
    if rho <= 0.0:
        return water, lost, damped
    for side in range(2):
        n, other = (i, j) if side == 0 else (j, i)
        force = water_on_half(e, n, other, t, span, r, v, a, flow, element, rho, g, 0.0, 0.0)[0]
        own = r[n, 2] - flow[n, 7]
        wet = wet_share(own, 0.5 * (own + r[other, 2] - flow[other, 7]), element[e, THICKNESS])[0]
        half = 0.5 * span * wet
        u = (flow[n, 0] - v[n, 0], flow[n, 1] - v[n, 1], flow[n, 2] - v[n, 2])
        drag = drag_on(u, t, half * element[e, DRAG_NORMAL], half * element[e, DRAG_TANGENTIAL])[0]
        loss = dot(drag, u)
        lost += loss
        water += dot(force, (v[n, 0], v[n, 1], v[n, 2])) + loss
        nodes[n, 0] -= force[0]
        nodes[n, 1] -= force[1]
        nodes[n, 2] -= force[2]
    return water, lost, damped


@kernel
def elastic_tension(e, span, element, law, law_data):
    """Tension that the law alone gives at the present length (N); 0 for inextensible elements."""
    L = element[e, LENGTH]
    stretch = span / L - 1.0
    slack = element[e, SLACK]
    if slack > 0.0 and stretch < 0.0:
        return slack * stretch
    if law[e, 0] == INEXTENSIBLE:
        return 0.0
    return tension(stretch, law[e, 0], law_data, law[e, 1], law[e, 2])[0]


@kernel(forceinline=True, fastmath=FUSED)
def _row_power(n, r, v, a, flow, node, mass_damping, has_bed, bed, rho, g, grip, ledger, nodes):
    """Power on what is lumped at row n; inertia minus its forces are put into `nodes`."""
    R = node_terms(n, r, v, a, flow, node, mass_damping, has_bed, bed, rho, g, 0.0, 0.0, grip)[0]
    water = ZERO3
    if node[n, VOLUME] > 0.0 or node[n, DRAG_AREA] > 0.0 or node[n, ADDED] > 0.0:
        water = lump(n, r, v, a, flow, node, rho, g, 0.0, 0.0)[0]
    speed = (v[n, 0], v[n, 1], v[n, 2])
    load = (node[n, FORCE], node[n, FORCE + 1], node[n, FORCE + 2])
    m = node[n, MASS]
    ledger[LOADS, NOW] += dot(load, speed)
    ledger[WATER, NOW] -= dot(water, speed)
    damped = mass_damping * m
    ledger[DAMPING, NOW] += damped * dot(speed, speed)
    if rho > 0.0 and node[n, DRAG_AREA] > 0.0 and r[n, 2] < flow[n, 7]:
        u = (flow[n, 0] - v[n, 0], flow[n, 1] - v[n, 1], flow[n, 2] - v[n, 2])
        lost = 0.5 * rho * node[n, DRAG_AREA] * dot(u, u) ** 1.5
        ledger[DRAG, NOW] += lost
        ledger[WATER, NOW] += lost
    for p in range(3):
        nodes[n, p] = R[p]
        other = m * a[n, p] + damped * v[n, p] - load[p] + water[p]
        other += m * g if p == 2 else 0.0
        ledger[BED, NOW] += (R[p] - other) * v[n, p]


@kernel(fastmath=FUSED)
def _nodes_power(n_nodes, r, v, a, flow, node, damping, has_bed, bed, rho, g, grip, ledger, nodes):
    """Power on what is lumped at the nodes of lines."""
    for n in range(n_nodes):
        _row_power(n, r, v, a, flow, node, damping, has_bed, bed, rho, g, grip, ledger, nodes)


@kernel(fastmath=FUSED)
def _line_power(n0, e0, n_elements, r, v, a, T, flow, element, law, law_data, rho, g, nodes, ledger):
    """Power on the elements of a line."""
    water, lost, damped = 0.0, 0.0, 0.0
    for k in range(n_elements):
        w, d, c = _element_power(e0 + k, n0 + k, n0 + k + 1, r, v, a, T, flow, element, law, law_data, rho, g, nodes)
        water, lost, damped = water + w, lost + d, damped + c
    ledger[WATER, NOW] += water
    ledger[DRAG, NOW] += lost
    ledger[DAMPING, NOW] += damped


@kernel(**UNCOUNTED)
def measure_power(X, T, flow, mesh, rho, g, grip, nodes, ledger):
    """Power at the present state (W) into ledger[:, NOW]; fills `nodes` (N), inertia minus forces, of the lines.

    X, T, flow : as in `newton_iteration`
    """
    r, v, a = X[0], X[1], X[2]
    for k in range(POWERS):
        ledger[k, NOW] = 0.0
    n_nodes = mesh.s.size
    node, damping, bed = mesh.node, mesh.mass_damping, mesh.bed
    _nodes_power(n_nodes, r, v, a, flow, node, damping, mesh.has_bed, bed, rho, g, grip, ledger, nodes)
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        _line_power(n0, e0, mesh.element_start[line + 1] - e0, r, v, a, T, flow, mesh.element, mesh.law, mesh.law_data,
                    rho, g, nodes, ledger)  # fmt: skip
        if mesh.load.shape[0] > 0:
            ledger[LOADS, NOW] += loads_power(mesh, line, r, v, nodes)
        for side in range(2):
            n = n0 if side == 0 else mesh.node_start[line + 1] - 1
            j = mesh.line[line, 2 + side]
            if mesh.dof_start[j] == mesh.dof_start[j + 1]:
                for p in range(3):
                    ledger[ENDS, NOW] += nodes[n, p] * v[n, p]
    for j in range(mesh.motion.size):
        if mesh.dof_start[j] == mesh.dof_start[j + 1]:
            continue
        _row_power(n_nodes + j, r, v, a, flow, node, damping, False, bed, rho, g, grip, ledger, nodes)
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            pull = mesh.dof[d, PULL]
            for p in range(3):
                pull -= mesh.dof[d, SPRING] * mesh.dof[d, p] * (r[n_nodes + j, p] - mesh.reference[j, p])
            for p in range(3):
                ledger[LOADS, NOW] += pull * mesh.dof[d, p] * v[n_nodes + j, p]
    if mesh.winches.table.shape[0] > 0:
        ledger[WINCH, NOW] += winch_power(X, T, mesh, g)
    if mesh.bodies.table.shape[0] == 0:
        return
    water, loads, drag, damping, ends, bed = body_powers(X, flow, mesh, rho, g)
    ledger[ENDS, NOW] += ends
    ledger[BED, NOW] += bed
    ledger[WATER, NOW] += water
    ledger[LOADS, NOW] += loads
    ledger[DRAG, NOW] += drag
    ledger[DAMPING, NOW] += damping


@kernel(**UNCOUNTED)
def add_work(h, h_before, ledger):
    r"""Add the work of the last step to ledger[:, WORK], by the parabola through three powers.

    .. math:: \int_0^h P = h \left(\frac{3 + w}{6} P_0 + \frac{3 + 2w}{6 (1 + w)} P_1 - \frac{w^2}{6 (1 + w)} P_{-1}
              \right), \qquad w = h / h_{-1}

    On entry column BEFORE holds P_0, and the column after it P_{-1}; they are moved on.  ledger : (POWERS, 4)
    """
    w = h / h_before if h_before > 0.0 else 0.0
    for k in range(POWERS):
        p0, p1, pm = ledger[k, BEFORE], ledger[k, NOW], ledger[k, BEFORE + 1]
        if h_before > 0.0:
            ledger[k, WORK] += h * (
                (3.0 + w) / 6.0 * p0 + (3.0 + 2.0 * w) / (6.0 * (1.0 + w)) * p1 - w * w / (6.0 * (1.0 + w)) * pm
            )
        else:
            ledger[k, WORK] += 0.5 * h * (p0 + p1)
        ledger[k, BEFORE + 1] = p0
        ledger[k, BEFORE] = p1


@kernel
def stored_energy(X, T, mesh, g):
    """Kinetic, elastic and potential energy (J) of the lines and the free junctions; V = 0 at still water."""
    kinetic, potential = body_energies(X, mesh, g)
    elastic = 0.0
    n_nodes = mesh.s.size
    for n in range(n_nodes + mesh.motion.size):
        if n >= n_nodes and mesh.dof_start[n - n_nodes] == mesh.dof_start[n - n_nodes + 1]:
            continue
        m = mesh.node[n, MASS]
        kinetic += 0.5 * m * (X[1, n, 0] ** 2 + X[1, n, 1] ** 2 + X[1, n, 2] ** 2)
        potential += m * g * X[0, n, 2]
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for k in range(mesh.element_start[line + 1] - e0):
            i, e = n0 + k, e0 + k
            dx, dy, dz = X[0, i + 1, 0] - X[0, i, 0], X[0, i + 1, 1] - X[0, i, 1], X[0, i + 1, 2] - X[0, i, 2]
            pull = elastic_tension(e, np.sqrt(dx * dx + dy * dy + dz * dz), mesh.element, mesh.law, mesh.law_data)
            L, slack = mesh.element[e, LENGTH], mesh.element[e, SLACK]
            if pull < 0.0 and slack > 0.0:
                elastic += 0.5 * pull * pull / slack * L
            elif mesh.law[e, 0] != INEXTENSIBLE:
                elastic += L * strain_energy(pull, mesh.law[e, 0], mesh.law_data, mesh.law[e, 1], mesh.law[e, 2])
    return kinetic, elastic, potential
