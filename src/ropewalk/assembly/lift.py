"""Lift of vortices on the nodes of a mesh, and the phases of the lift as memory.

The lift of a step is that at its predicted end, and stays through the iterations; phases and mean squares move when
the step is accepted. It is one of the given forces of the nodes, so the ledger has its work among that of the loads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.loads.sea import height_over_water, velocity
from ropewalk.model.arrays import Array, Ints, Records, records
from ropewalk.model.given import ON_ATTACHMENT
from ropewalk.model.model import Model
from ropewalk.numerics.blockelimination import UNCOUNTED, ZERO3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.physics.lift import LIFT, STILL, cross_flow, forgotten, lift_force, motion_phase, phase_rate

SHED = np.dtype(
    [
        ("law", LIFT),
        ("strength", "f8"),  # half density, coefficient, diameter and length, kg/m; 0 for none
        ("pushed", "i8"),  # 1 where the given force changes in time, and is put there before the lift is
        ("steady", "f8", (3,)),  # the given force elsewhere, N
        ("phase", "f8"),
        ("rate", "f8"),  # of the phase, rad/s
        ("speed", "f8"),  # mean square of the velocity across the flow, m2/s2
        ("pull", "f8"),  # mean square of the acceleration there, m2/s4
        ("next", "f8", (4,)),  # the last four at the end of the step that is tried
    ],
    align=True,
)


def build_shed(model: Model, s: list[Array], sections: list[Ints], nodes: Records, node_start: Ints) -> Records:
    """(n_nodes,) of SHED, or no rows where no section has lift.

    s, sections : of the nodes and elements of each line, in the order of the walk    nodes : of the mesh
    """
    lift = model.sections.lift
    if not np.any(lift.coefficient[model.lines.piece_section] > 0.0):
        return records(0, SHED)
    rows = records(int(node_start[-1]), SHED)
    for i, (place, own) in enumerate(zip(s, sections, strict=True)):
        half = 0.5 * np.abs(np.diff(place))
        if not np.any(lift.coefficient[own] > 0.0):
            continue
        if i in model.lines.winches.line:
            raise InputError(
                f"line '{model.names.lines[i]}': vortex-induced lift cannot be combined with a winch; leave one out"
            )
        each = 0.5 * model.sea.water_density * lift.coefficient[own] * lift.diameter[own] * half
        pushed = _pushed_nodes(model, i, place)
        for k in range(1, place.size - 1):
            row, n = rows[node_start[i] + k], node_start[i] + k
            law = lift[own[k - 1] if each[k - 1] >= each[k] else own[k]]
            row.strength = each[k - 1] + each[k]
            row.law.coefficient, row.law.diameter = law.coefficient, law.diameter
            row.law.centre, row.law.width = law.centre, law.width
            row.phase = 2.0 * np.pi * k / (place.size - 1)  # all round: no mode is favoured at the start
            row.steady, row.pushed = nodes.force[n], int(k in pushed)
    return rows


def _pushed_nodes(model: Model, line: int, s: Array) -> set[int]:
    """Nodes of a line at which something is attached that has a force which changes in time.  s : of the nodes, m"""
    push: Any = model.given.push
    first, stop = model.lines.attachment_start[line : line + 2]
    parts = [own.part for own in push if own.kind == ON_ATTACHMENT and first <= own.part < stop]
    return {int(np.argmin(np.abs(s - model.lines.attachment_s[part]))) for part in parts}


@kernel(**UNCOUNTED)
def _chord(r, n):
    """Unit vector along the line at an inner node: t = (r_{n+1} - r_{n-1}) / |...|. Source: central difference."""
    d = (r[n + 1, 0] - r[n - 1, 0], r[n + 1, 1] - r[n - 1, 1], r[n + 1, 2] - r[n - 1, 2])
    return scale3(1.0 / max(np.sqrt(dot(d, d)), STILL), d)


@kernel(**UNCOUNTED)
def set_lift(h, X, flow, mesh):
    r"""Put the lift at the end of a step of length h (s) on the nodes.

    .. math:: \phi_1 = \phi_0 + \tfrac{h}{2} (\dot\phi_0 + \dot\phi_1), \qquad
              \overline{y^2} \to \lambda\,\overline{y^2} + (1 - \lambda)\,y^2

    Source: [Thorsen2014], eqs. (1) to (6), by Heun's method; lambda of :func:`ropewalk.physics.lift.forgotten`.

    X : (4, n_rows, 3) motion that is predicted there    flow : (n_rows, 8) water there
    """
    for n in range(mesh.shed.shape[0]):
        row, force = mesh.shed[n], ZERO3
        if row.strength <= 0.0:
            continue
        v, a = (X[1, n, 0], X[1, n, 1], X[1, n, 2]), (X[2, n, 0], X[2, n, 1], X[2, n, 2])
        speed, across = cross_flow(sub3(velocity(flow, n), v), _chord(X[0], n))
        phase, rate, v2, a2 = row.phase, 0.0, row.speed, row.pull
        if speed > STILL and height_over_water(X[0], flow, n) < 0.0:
            yd, ydd = dot(v, across) / speed, dot(a, across) / speed
            left = forgotten(h, speed, row.law)
            v2, a2 = left * v2 + (1.0 - left) * yd * yd, left * a2 + (1.0 - left) * ydd * ydd
            rate = phase_rate(speed, phase + h * row.rate, motion_phase(yd, ydd, (v2, a2)), row.law)
            phase += 0.5 * h * (row.rate + rate)
            force = lift_force(row.strength, speed, across, phase)
        row.next[0], row.next[1], row.next[2], row.next[3] = phase % (2.0 * np.pi), rate, v2, a2
        for p in range(3):
            base = mesh.node[n].force[p] if row.pushed == 1 else row.steady[p]
            mesh.node[n].force[p] = base + force[p]


@kernel(**UNCOUNTED)
def move_lift(mesh):
    """Move the memory of the lift over a step that was accepted. Bookkeeping."""
    for n in range(mesh.shed.shape[0]):
        row = mesh.shed[n]
        row.phase, row.rate, row.speed, row.pull = row.next[0], row.next[1], row.next[2], row.next[3]
