r"""What the bed has to hold sideways where a line is taken to lie straight on it.

With friction the part on the bed lies straight, whatever pushes across it (see bed.py). That holds as long as
the push per length (drag, tabled loads and the pull of a slope across the line) is within what friction can give,

.. math:: |f_\perp| \le \mu p, \qquad p = -f \cdot N.

Beyond it the line would be swept sideways into a bow. Friction along the line, which its tension uses up near the
touchdown, is not taken off the limit, so a line beyond it certainly slides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.loads.sea import current_at
from ropewalk.methods.shooting.assembly import Result
from ropewalk.methods.shooting.bed import STRAIGHT
from ropewalk.methods.shooting.build import Problem
from ropewalk.methods.shooting.read import node_position
from ropewalk.model.arrays import Array, Records
from ropewalk.model.model import Model
from ropewalk.physics.drag_law import any_drag

ROUND_OFF = 1.0e-9  # of the weight on a bed without friction: a smaller push is none


class Push(NamedTuple):
    """What the bed holds across a line at the place where it has the least to spare."""

    line: int
    push: float  # N/m
    limit: float  # friction times weight, N/m


def sideways(model: Model, problem: Problem, out: Result) -> list[Push]:
    """For each stretch that lies straight on the bed, the worst of its spans; without friction nothing may push it."""
    arcs, sea = problem.arcs, model.sea
    found: list[Push] = []
    if not sea.has_seabed:
        return found
    for a in np.flatnonzero((arcs.on_bed == STRAIGHT) & (out.log.rest > 0.0)):
        n0 = problem.x[arcs.dof[a, 12:15]]
        flat = n0 - (n0 @ sea.bed_normal) * sea.bed_normal
        pull = float(np.linalg.norm(flat))
        if pull == 0.0:
            continue
        z = float(node_position(problem, int(arcs.node[a, 0]))[2])
        pushes = [
            _push(model, row, flat / pull, z)
            for row in arcs.spans[arcs.first[a] : arcs.last[a]]
            if row.start - arcs.spans[arcs.first[a]].start < out.log.rest[a]
        ]
        push, limit = max(pushes, key=lambda pair: pair[0] - pair[1])
        found.append(Push(int(arcs.line[a]), push, limit))
    return found


def _push(model: Model, row: Records, along: Array, z: float) -> tuple[float, float]:
    """Load across a span on the bed and the most that friction holds, N/m.  along : (3,) its direction"""
    sea = model.sea
    wet = sea.water_density > 0.0 and z < 0.0
    load = row.load + 0.5 * (row.stop - row.start) * row.slope
    if wet:
        load = load + np.array([0.0, 0.0, row.buoyancy])
    p = -float(load @ sea.bed_normal)
    across = load + p * sea.bed_normal
    if wet and sea.current_speed != 0.0:
        scale = (row.drag_normal, row.drag_tangential, row.drag_normal)
        push = np.array(any_drag(current_at(z, sea), tuple(along), scale, row.drag_law)[0])
        across = across + push - (push @ sea.bed_normal) * sea.bed_normal
        if sea.bed_rest_friction == 0.0:  # nothing holds it along the line either
            return float(np.linalg.norm(across)), ROUND_OFF * max(p, 0.0)
    across = across - (across @ along) * along
    return float(np.linalg.norm(across)), (sea.bed_rest_friction or ROUND_OFF) * max(p, 0.0)
