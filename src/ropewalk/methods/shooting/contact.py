"""Contact that the plan did not foresee: lines that pass through the bed are cut there, lifted cuts taken out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ropewalk.methods.shooting.assembly import Result
from ropewalk.methods.shooting.bed import HANGING, STRAIGHT
from ropewalk.methods.shooting.build import Problem
from ropewalk.methods.shooting.gaps import gaps, room_below
from ropewalk.methods.shooting.pegs import START_FORCE
from ropewalk.methods.shooting.plan import LinePlan, Plan
from ropewalk.methods.shooting.read import SAMPLE_TOLERANCE, sample
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.model import Model

NEAR_CUT = 1.0e-3  # of what rests beside a cut: over which the fall of tension towards it is measured
MOST_WAY = 0.9  # of what rests there: that a cut is moved at once
PULL = 1.0e-9  # of the force scale: what lifts a cut off the bed, beyond round-off


def contact_plan(model: Model, plan: Plan, problem: Problem, out: Result) -> Plan:
    """The plan with cuts on the bed where lines pass through it, and without those that have lifted."""
    if not model.sea.has_seabed:
        return plan
    new = []
    for i, line in enumerate(plan):
        own = np.flatnonzero(problem.arcs.line == i).astype(np.int64)
        ends = _ends(model, line, problem, own)
        lifted = _lifted(line, out, own)
        if ends != line.ends:
            line = replace(line, ends=ends)
        elif lifted >= 0:
            line = _without(line, lifted)
        elif pulled_cuts(model, line, problem, own):
            line = _moved(model, line, problem, out, own)
        else:
            s, room = gaps(model, problem, i)
            if float(room.min()) < -room_below(model, i):
                line = _with_contact(line, problem, own, s, room)
        new.append(line)
    return tuple(new)


def _ends(model: Model, line: LinePlan, problem: Problem, own: Ints) -> tuple[bool, bool]:
    """At which of the ends held on the bed the line lies: not where it leaves upwards."""
    arcs, normal = problem.arcs, model.sea.bed_normal
    ends = list(line.ends)
    for j, a in ((0, int(own[0])), (1, int(own[-1]))):
        if bool(arcs.reverse[a]) != (j == 1):
            continue
        lift = float(problem.x[arcs.dof[a, START_FORCE]] @ normal)
        if arcs.on_bed[a] != HANGING and lift >= 0.0 and abs(arcs.lift[a, 0]) > 0.0:
            ends[j] = False
        elif arcs.on_bed[a] == HANGING and not line.ends[j] and lift < 0.0:
            ends[j] = True
    return ends[0], ends[1]


def pulled_cuts(model: Model, line: LinePlan, problem: Problem, own: Ints) -> list[tuple[int, int]]:
    """Cuts on the bed that hold the line down, and which of their two arcs (0 towards A, 1 towards B) rises there."""
    found = []
    for c, resting in enumerate(line.bed):
        if not (resting and line.backward[c] and not line.backward[c + 1]):
            continue
        for side in range(2):
            a = int(own[c + side])
            node = int(problem.arcs.node[a, 0])
            up = float(problem.x[problem.arcs.dof[a, START_FORCE]] @ model.sea.bed_normal)
            if up > PULL * float(problem.arcs.force[a]) - float(problem.nodes.force[node] @ model.sea.bed_normal):
                found.append((c, side))
    return found


def _moved(model: Model, line: LinePlan, problem: Problem, out: Result, own: Ints) -> LinePlan:
    """The plan with a cut that holds the line down moved to the middle of what rests beside it."""
    cuts = list(line.cuts)
    for c, side in pulled_cuts(model, line, problem, own):
        rest = float(out.log.rest[own[c + 1 - side]])
        cuts[c] = line.cuts[c] + (0.5 if side == 0 else -0.5) * rest
    return replace(line, cuts=tuple(cuts)) if cuts == sorted(cuts) else line


def met(model: Model, plan: Plan, problem: Problem, out: Result) -> Plan:
    """The plan with cuts on a rough bed moved to where the tensions that fall towards them from both sides meet.

    At a cut the forces at the two lift-offs balance; what lies between them is held by friction, each side its own
    part. The tensions change linearly along it, so that one step arrives unless something is attached on the way.
    """
    if not (model.sea.has_seabed and model.sea.bed_rest_friction > 0.0):
        return plan
    new = list(plan)
    for i, line in enumerate(plan):
        own = np.flatnonzero(problem.arcs.line == i).astype(np.int64)
        cuts = list(line.cuts)
        for c, resting in enumerate(line.bed):
            if resting and line.backward[c] and not line.backward[c + 1]:
                cuts[c] += _way_to_meet(model, problem, out, (int(own[c]), int(own[c + 1])))
        if cuts == sorted(cuts):
            new[i] = replace(line, cuts=tuple(cuts))
    return tuple(new)


def _way_to_meet(model: Model, problem: Problem, out: Result, pair: tuple[int, int]) -> float:
    """How far towards B (m) the tensions of two arcs that rest beside a cut meet; 0 where they do at it.

    pair : the arcs towards A and towards B
    """
    rest = [float(out.log.rest[a]) for a in pair]
    if min(rest) <= 0.0 or any(problem.arcs.on_bed[a] != STRAIGHT for a in pair):
        return 0.0
    tension, fall = [], []
    for a, length in zip(pair, rest, strict=True):
        step = NEAR_CUT * length
        rows = sample(model, problem, a, np.array([0.0, step]), SAMPLE_TOLERANCE)
        size = np.linalg.norm(rows[:, 3:], axis=1)
        tension.append(float(size[0]))
        fall.append(float(size[1] - size[0]) / step)
    apart, rate = tension[0] - tension[1], fall[0] + fall[1]
    if abs(apart) <= PULL * float(problem.arcs.force[pair[0]]) or rate <= 0.0:
        return 0.0
    return min(max(apart / rate, -MOST_WAY * rest[0]), MOST_WAY * rest[1])


def _lifted(line: LinePlan, out: Result, own: Ints) -> int:
    """Index of a cut on the bed from which both arcs rise at once; -1 if there is none."""
    for c, resting in enumerate(line.bed):
        if resting and line.backward[c] and not line.backward[c + 1] and not np.any(out.log.rest[own[c : c + 2]] > 0.0):
            return c
    return -1


def _without(line: LinePlan, c: int) -> LinePlan:
    """The plan of a line without its cut c."""
    cuts, bed, pegs = list(line.cuts), list(line.bed), list(line.peg_of)
    del cuts[c], bed[c], pegs[c]
    # the merged arc is shot from the left unless what lies beyond it on that side is shot towards it
    backward = [*line.backward[:c], False, *line.backward[c + 2 :]]
    return LinePlan(tuple(cuts), tuple(backward), tuple(bed), tuple(pegs) if line.pegs else (), line.ends, line.laid)


def _sunk(line: LinePlan, s: Array, room: Array) -> LinePlan:
    """The plan without cuts that hang below the bed: they would hold the line there."""
    for c in reversed(range(len(line.cuts))):
        if not line.bed[c] and line.peg_of[c] < 0 and float(np.interp(line.cuts[c], s[1:-1], room[1:-1])) < 0.0:
            merged = _without(line, c)
            first, second = line.backward[c], line.backward[c + 1]
            line = replace(merged, backward=(*merged.backward[:c], first and second, *merged.backward[c + 1 :]))
    return line


def _with_contact(line: LinePlan, problem: Problem, own: Ints, s: Array, room: Array) -> LinePlan:
    """The plan of a line cut on the bed at its deepest place, and shot from there both ways."""
    starts = {}  # whether the arc that ends or begins at a place rests there
    for c, a in enumerate(own):
        begin = (*line.cuts, float(s[-1]))[c] if line.backward[c] else (0.0, *line.cuts)[c]
        starts[begin] = bool(problem.arcs.on_bed[a] != HANGING)
    line = _sunk(line, s, room)
    at = float(s[int(np.argmin(room))])
    places = [0.0, *line.cuts, float(s[-1])]
    c = int(np.searchsorted(places, at, side="right")) - 1
    if any(abs(at - p) <= 1e-9 * float(s[-1]) for p in places):
        return line
    left = not line.backward[c] and starts.get(places[c], False)
    right = line.backward[c] and starts.get(places[c + 1], False)
    cuts, backward, bed = [], [], []
    if left:  # both sides start on the bed: they meet at the highest place between them
        cuts, backward, bed = [_highest(s, room, places[c], at)], [False], [False]
    cuts.append(at)
    backward += [True, False]
    bed.append(True)
    if right:
        cuts.append(_highest(s, room, at, places[c + 1]))
        backward.append(True)
        bed.append(False)
    return LinePlan(
        (*line.cuts[:c], *cuts, *line.cuts[c:]),
        (*line.backward[:c], *backward, *line.backward[c + 1 :]),
        (*line.bed[:c], *bed, *line.bed[c:]),
        (*line.pegs[:c], *(-1 for _ in cuts), *line.pegs[c:]) if line.pegs else (),
        line.ends,
        line.laid,
    )


def _highest(s: Array, room: Array, low: float, high: float) -> float:
    """Place of the highest point between two places, m."""
    inside = np.flatnonzero((s > low) & (s < high) & np.isfinite(room))
    if not inside.size:
        return 0.5 * (low + high)
    return float(s[inside[int(np.argmax(room[inside]))]])
