"""Contact that the first plan did not foresee: lines that pass through the bed are cut there, lifted cuts taken out."""

from __future__ import annotations

import numpy as np

from ropewalk.methods.shooting.assembly import Result
from ropewalk.methods.shooting.bed import HANGING
from ropewalk.methods.shooting.build import Problem
from ropewalk.methods.shooting.plan import LinePlan, Plan
from ropewalk.methods.shooting.read import SolvedShape
from ropewalk.methods.shooting.shot import DEEPEST, REST
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.model import Model

BELOW = 1.0e-6  # of the line's length: a dip below the bed that is no round-off
PLACES = 401  # along a line where its height is looked at


def contact_plan(model: Model, plan: Plan, problem: Problem, out: Result) -> Plan:
    """The plan with cuts on the bed where lines pass through it, and without those that have lifted."""
    if not model.sea.has_seabed:
        return plan
    new = []
    for i, line in enumerate(plan):
        own = np.flatnonzero(problem.arcs.line == i).astype(np.int64)
        length = float(model.lines.length[i])
        lifted = _lifted(line, problem, out, own)
        if lifted >= 0:
            line = _without(line, lifted)
        elif np.any(out.log[own, DEEPEST] < -BELOW * length):
            line = _with_contact(model, line, problem, out, i, own)
        new.append(line)
    return tuple(new)


def _lifted(line: LinePlan, problem: Problem, out: Result, own: Ints) -> int:
    """Index of a cut on the bed from which both arcs rise at once; -1 if there is none."""
    for c, resting in enumerate(line.bed):
        if (
            resting
            and line.backward[c]
            and not line.backward[c + 1]
            and not np.any(out.log[own[c : c + 2], REST] > 0.0)
        ):
            return c
    return -1


def _without(line: LinePlan, c: int) -> LinePlan:
    """The plan of a line without its cut c."""
    cuts, bed, pegs = list(line.cuts), list(line.bed), list(line.peg_of)
    del cuts[c], bed[c], pegs[c]
    # the merged arc is shot from the left unless what lies beyond it on that side is shot towards it
    backward = [*line.backward[:c], False, *line.backward[c + 2 :]]
    return LinePlan(tuple(cuts), tuple(backward), tuple(bed), tuple(pegs) if line.pegs else ())


def _with_contact(model: Model, line: LinePlan, problem: Problem, out: Result, i: int, own: Ints) -> LinePlan:
    """The plan of line i cut on the bed at its deepest place, and shot from there both ways."""
    sea, length = model.sea, float(model.lines.length[i])
    s = np.linspace(0.0, length, PLACES)
    table, _, _ = SolvedShape(model, problem, out).states(i, s)
    pieces = slice(model.lines.piece_start[i], model.lines.piece_start[i + 1])
    ends = np.cumsum(model.lines.piece_length[pieces])
    piece = np.minimum(np.searchsorted(ends, s), ends.size - 1)
    radius = model.sections.contact_radius[model.lines.piece_section[pieces][piece]]
    height = table[:, :3] @ sea.bed_normal + sea.depth * sea.bed_normal[2] - radius
    height[[0, -1]] = np.inf
    deepest = int(np.argmin(height))
    if height[deepest] >= 0.0:
        return line
    at = float(s[deepest])
    places = [0.0, *line.cuts, length]
    c = int(np.searchsorted(places, at, side="right")) - 1
    rests = problem.arcs.on_bed[own[c]] != HANGING
    left, right = rests and not line.backward[c], rests and line.backward[c]
    cuts, backward, bed = [], [], []
    if left:  # both sides start on the bed: they meet at the highest place between them
        cuts, backward, bed = [_highest(s, height, places[c], at)], [False], [False]
    cuts.append(at)
    backward += [True, False]
    bed.append(True)
    if right:
        cuts.append(_highest(s, height, at, places[c + 1]))
        backward.append(True)
        bed.append(False)
    return LinePlan(
        (*line.cuts[:c], *cuts, *line.cuts[c:]),
        (*line.backward[:c], *backward, *line.backward[c + 1 :]),
        (*line.bed[:c], *bed, *line.bed[c:]),
        (*line.pegs[:c], *(-1 for _ in cuts), *line.pegs[c:]) if line.pegs else (),
    )


def _highest(s: Array, height: Array, low: float, high: float) -> float:
    """Place of the highest point between two places, m."""
    inside = np.flatnonzero((s > low) & (s < high))
    if not inside.size:
        return 0.5 * (low + high)
    return float(s[inside[int(np.argmax(height[inside]))]])
