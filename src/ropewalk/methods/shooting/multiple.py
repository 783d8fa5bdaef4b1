"""From where to shoot, and where to cut: no transition matrix may magnify errors beyond a limit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.string import STATE
from ropewalk.methods.shooting.assembly import Arcs
from ropewalk.methods.shooting.build import ON_BED, Problem
from ropewalk.methods.shooting.plan import LinePlan, Plan
from ropewalk.methods.shooting.shape import GuessedShape, Shape, bed_height, end_place, peg_knots
from ropewalk.model.arrays import Array, Records
from ropewalk.model.joints import FREE
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.numerics.compile import UNCOUNTED, kernel

CLOSE = 0.02  # of the line: a cut is not made this near another
BED_SHARE = 1.0e-6  # of the line: a shorter stretch on the bed is none


def first_plan(model: Model, place: Place, shape: GuessedShape) -> Plan:
    """Each line shot from its free tail, or from where it rests on the bed, or from end A.

    Towards a free tail the force goes to zero and every error in its direction grows without bound; away
    from it errors die out. Towards the bed a line would have to arrive exactly flat.
    """
    return tuple(_line_plan(model, place, shape, i) for i in range(model.lines.length.size))


def _line_plan(model: Model, place: Place, shape: GuessedShape, i: int) -> LinePlan:
    tails = [_is_tail(model, i, j) for j in range(2)]
    if model.lines.over_start[i + 1] > model.lines.over_start[i]:
        return _plan_over(model, place, i, tails[1])
    if any(tails):
        return LinePlan(backward=(tails[1],))
    if not model.sea.has_seabed:
        return LinePlan()
    length = float(model.lines.length[i])
    rest = float(model.sections.contact_radius.max(initial=0.0)) + ON_BED * model.sea.depth
    low = [bed_height(model, end_place(model, place, i, j)) <= rest for j in range(2)]
    _, first, last = shape.states(i, np.zeros(1))
    plan = bed_plan(length, low, first, last, shape.spans(i).rows, model.sea.bed_rest_friction > 0.0)
    if low[0] != low[1] and last - first <= BED_SHARE * length:  # it leaves its anchor upwards
        return replace(plan, ends=(not low[0], not low[1]))
    return plan


def _plan_over(model: Model, place: Place, i: int, tail: bool) -> LinePlan:
    """Line i cut where it is guessed to run over its pegs, shot from end A; from end B too if that is a tail or low."""
    places, where = peg_knots(model, place, i)
    pegs = tuple(range(model.lines.over_start[i], model.lines.over_start[i + 1]))
    rest = float(model.sections.contact_radius.max(initial=0.0)) + ON_BED * model.sea.depth
    from_b = tail or bed_height(model, where[-1]) <= rest
    cuts = tuple(float(s) for s in places[1:-1])
    return LinePlan(cuts, (False,) * len(pegs) + (from_b,), (False,) * len(pegs), pegs)


def bed_plan(length: float, low: list[bool], first: float, last: float, rows: Records, rough: bool = False) -> LinePlan:
    """Plan of a line whose ends are `low` (on the bed) or not and that rests on the bed from `first` to `last` (m).

    rows : its spans. A line with both ends on the bed is shot from both towards its buoyant part; if it has none and
    the bed is `rough`, from where the tensions that fall from both ends meet (`met` moves the cut there).
    """
    if low[0] and low[1]:
        lift = np.where(rows.load[:, 2] + rows.buoyancy > 0.0, rows.stop - rows.start, 0.0)
        lift = lift + np.where(rows.bound > 0.0, length, 0.0)
        if not np.any(lift > 0.0):
            return LinePlan(cuts=(0.5 * length,), backward=(True, False), bed=(True,)) if rough else LinePlan()
        k = int(np.argmax(lift))
        return LinePlan(cuts=(float(0.5 * (rows[k].start + rows[k].stop)),), backward=(False, True), bed=(False,))
    if low[0] or low[1]:
        return LinePlan(backward=(low[1],))
    middle = 0.5 * (first + last)
    k = int(np.clip(np.searchsorted(rows.stop, middle), 0, rows.shape[0] - 1))
    heavy = rows[k].load[2] + rows[k].buoyancy < 0.0
    if last - first > BED_SHARE * length and heavy:
        return LinePlan(cuts=(middle,), backward=(True, False), bed=(True,))
    return LinePlan()


def hanging(plan: Plan) -> Plan:
    """The plan with all lines that were cut on the bed shot whole."""
    return tuple(LinePlan() if any(line.bed) and not line.pegs else line for line in plan)


def laid(plan: Plan) -> Plan:
    """The plan with what rests on the bed lying straight, friction or none."""
    return tuple(replace(line, laid=True) for line in plan)


def _is_tail(model: Model, i: int, j: int) -> bool:
    """True if end j of line i is a point that nothing holds and no other line joins."""
    lines, points = model.lines, model.points
    if lines.end_kind[i, j] == BODY:
        return False
    k = lines.end_index[i, j]
    shared = np.count_nonzero((lines.end_index == k) & (lines.end_kind != BODY)) > 1
    shared |= bool(np.any((lines.over_index == k) & (lines.over_kind != BODY)))
    return bool(np.all(points.joint[k] == FREE)) and not shared and points.motion[k] < 0


def growth(arcs: Arcs, end_state: Array) -> Array:
    """How much each arc magnifies an error at its start: the (Frobenius) norm of its scaled transition matrix.

    Positions are scaled by the arc's length, forces by the larger of the line's load and the force the arc carries.
    """
    numbers: Array = np.empty(arcs.length.size)
    _norms(arcs.length, arcs.force, end_state, numbers)
    return numbers


@kernel(**UNCOUNTED)
def _norms(length, scale, end_state, numbers):
    """See `growth`; numbers : (n,), filled.  length, scale : (n,) m and N    end_state : (n, ALL)

    Source: |Phi| = sqrt(sum Phi_ij^2), scaled by length and force; docs/theory/shooting.md, Where to shoot from.
    """
    for a in range(numbers.size):
        y = end_state[a]
        force = max(scale[a], np.sqrt(y[3] ** 2 + y[4] ** 2 + y[5] ** 2))
        total = 0.0
        for c in range(6):
            column = force if c < 3 else length[a]  # those by force come first
            for i in range(6):
                entry = y[STATE + 6 * c + i] * column / (length[a] if i < 3 else force)
                total += entry * entry
        numbers[a] = np.sqrt(total) if total < np.inf else np.inf


def refine(plan: Plan, arcs: Arcs, numbers: Array, limit: float, most: int) -> Plan:
    """The plan with arcs beyond the limit cut into equal parts, as many as the growth requires, at most `most`."""
    new = [list(zip((*p.cuts, np.inf), p.backward, (*p.bed, False), (*p.peg_of, -1), strict=True)) for p in plan]
    for a in np.flatnonzero(numbers > limit):
        parts = int(min(most, max(2.0, np.ceil(np.log(min(numbers[a], 1e300)) / np.log(limit)))))
        step = arcs.length[a] / parts
        sign = -1.0 if arcs.reverse[a] else 1.0
        line = new[arcs.line[a]]
        cuts = [float(arcs.offset[a] + sign * k * step) for k in range(1, parts)]
        line += [(c, bool(arcs.reverse[a]), False, -1) for c in cuts]
        line.sort(key=lambda row: row[0])
    return tuple(
        LinePlan(
            tuple(r[0] for r in rows[:-1]),
            tuple(r[1] for r in rows),
            tuple(r[2] for r in rows[:-1]),
            tuple(r[3] for r in rows[:-1]) if old.pegs else (),
            old.ends,
            old.laid,
        )
        for rows, old in zip(new, plan, strict=True)
    )


def settled(plan: Plan, problem: Problem) -> Plan:
    """The plan with the cuts at pegs where the solution has them."""
    new = list(plan)
    for i, c, d in problem.pegs:
        cuts = list(new[i].cuts)
        cuts[c] = float(problem.x[d])
        new[i] = replace(new[i], cuts=tuple(cuts))
    return tuple(new)


def denser(model: Model, plan: Plan, parts: int, shape: Shape) -> Plan:
    """The plan with every line cut at its point loads and into about `parts` arcs; new arcs keep the old direction.

    Lines over pegs stay as they are: cuts would bar the pegs' way. So does what rests on the bed in `shape`.
    """
    new = []
    for i, line in enumerate(plan):
        if line.pegs:
            new.append(line)
            continue
        length = float(model.lines.length[i])
        _, low, high = shape.states(i, np.zeros(1))
        if high - low > (1.0 - CLOSE) * length:
            new.append(line)
            continue
        clumps = model.lines.attachment_s[model.lines.attachment_start[i] : model.lines.attachment_start[i + 1]]
        wanted = {float(s) for s in clumps if 0.0 < s < length}
        wanted |= {length * k / parts for k in range(1, parts)}
        near = CLOSE * length
        if high - low > BED_SHARE * length:
            wanted = {s for s in wanted if not low - near <= s <= high + near}
        cuts = dict(zip(line.cuts, line.bed, strict=True))
        for s in sorted(wanted, key=lambda s: s not in clumps):  # point loads first
            if all(abs(s - c) > near for c in cuts) or s in clumps:
                cuts.setdefault(s, False)
        rows = sorted(cuts.items())
        ends = [*(s for s, _ in rows), length]
        old = np.array([*line.cuts, np.inf])
        backward = [line.backward[int(np.searchsorted(old, s))] for s in ends]
        bed = tuple(b for _, b in rows)
        new.append(LinePlan(tuple(s for s, _ in rows), tuple(backward), bed, (), line.ends, line.laid))
    return tuple(new)
