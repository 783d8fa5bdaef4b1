"""Where to shoot from, and where to cut: no transition matrix may magnify errors beyond a limit."""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.joints import FREE, HELD
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.solvers.shooting_assembly import Arcs
from ropewalk.solvers.shooting_build import ON_BED, Plan
from ropewalk.solvers.shooting_string import ALL, STATE


def first_plan(model: Model) -> Plan:
    """Whole lines, each shot from its free tail or its grounded end if it has one.

    Towards a free tail the force goes to zero and every error in its direction grows without bound; away
    from it errors die out.
    """
    n = model.lines.length.size
    return Plan(tuple(_from_end_b(model, i) for i in range(n)), ((),) * n)


def _from_end_b(model: Model, i: int) -> bool:
    return _preference(model, i, 1) > _preference(model, i, 0)


def _preference(model: Model, i: int, j: int) -> int:
    """How much end j of line i asks to be shot from: 2 a free tail, 1 on the bed, 0 else."""
    lines, points, sea = model.lines, model.points, model.sea
    if lines.end_kind[i, j] == BODY:
        return 0
    k = lines.end_index[i, j]
    shared = np.count_nonzero((lines.end_index == k) & (lines.end_kind != BODY)) > 1
    if np.all(points.joint[k] == FREE) and not shared:
        return 2
    if sea.has_seabed and np.all(points.joint[k] == HELD):
        height = float(np.dot(sea.bed_normal, points.position[k] + np.array([0.0, 0.0, sea.depth])))
        return 1 if height <= ON_BED * sea.depth + float(model.sections.contact_radius.max(initial=0.0)) else 0
    return 0


def transition(end_state: Array, length: float, force: float) -> Array:
    """Scaled transition matrix (6, 6) of an arc: positions over its length, forces over its scale."""
    blocks = end_state[STATE:ALL].reshape(6, 6).T
    matrix = np.concatenate([blocks[:, 3:], blocks[:, :3]], axis=1)
    unit = np.array([length] * 3 + [force] * 3)
    scaled: Array = matrix * unit[None, :] / unit[:, None]
    return scaled


def condition_numbers(arcs: Arcs, end_state: Array) -> Array:
    """Condition number of every arc's scaled transition matrix."""
    numbers: Array = np.ones(arcs.line.size)
    for a in range(arcs.line.size):
        matrix = transition(end_state[a], arcs.length[a], arcs.force[a])
        numbers[a] = np.linalg.cond(matrix) if np.all(np.isfinite(matrix)) else np.inf
    return numbers


def refine(plan: Plan, arcs: Arcs, numbers: Array, limit: float, most: int) -> Plan:
    """The plan with arcs beyond the limit cut into equal parts, as many as the growth asks for, at most `most`."""
    cuts = [list(c) for c in plan.cuts]
    for a in np.flatnonzero(numbers > limit):
        ratio = np.log(min(numbers[a], 1e300)) / np.log(limit)
        parts = int(min(most, max(2.0, np.ceil(ratio))))
        step = arcs.length[a] / parts
        cuts[arcs.line[a]] += [float(arcs.offset[a] + k * step) for k in range(1, parts)]
    return Plan(plan.reverse, tuple(tuple(sorted(c)) for c in cuts))


def turned(plan: Plan, lines: list[int]) -> Plan:
    """The plan with some lines shot from their other end, uncut."""
    reverse = [r != (i in lines) for i, r in enumerate(plan.reverse)]
    cuts = [() if i in lines else c for i, c in enumerate(plan.cuts)]
    return Plan(tuple(reverse), tuple(cuts))
