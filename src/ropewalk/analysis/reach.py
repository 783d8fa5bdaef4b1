r"""Whether inextensible lines can reach at all: systems that are too short are refused with the lines that are.

A line of length L between held ends a distance d apart carries a load q across it with the tension
:math:`T = q d / \sqrt{24 (L/d - 1)}` where it is nearly straight, which grows without bound as L approaches d. A line
exactly as long as the distance can carry no load across it, and its tension is statically indeterminate if there is
none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ropewalk.analysis.audit_lines import heights
from ropewalk.analysis.doubts import Doubt
from ropewalk.errors import InputError, told_apart
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.lines import BODY, ROD
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix
from ropewalk.physics.elasticity import INEXTENSIBLE
from ropewalk.physics.motion import motion

ROUND_OFF = 1e-9  # of the length: a system given by printed digits is let through
WAY_OUT = "lengthen it or give it axial_stiffness"
STRAIGHT = 1e-11  # of the distance: a smaller excess of length is lost in round-off, and the tension with it
DEPENDENT = 1e-6  # of the largest singular value: below it a combination of tensions has no resultant
NO_LOAD = 1e-9  # of weight and buoyancy: a smaller difference is none
LEVEL = 1e-6  # sine of the angle to the vertical below which no weight acts across a line


class Knots(NamedTuple):
    """Places where inextensible lines end: points, and attachments of bodies."""

    name: list[str]
    place: list[Array | None]  # m; None where it is free
    ties: list[tuple[int, int, float, str]]  # two knots, the most they can be apart (m), and the line, '' in a body


def refuse_impossible(model: Model, time: float = 0.0) -> None:
    """Raise InputError where a chain of inextensible lines is shorter than the way between its held ends."""
    knots = _knots(model, time)
    if knots is None:
        return
    for a, b, reach, lines in _between_held(knots):
        apart = float(np.linalg.norm(_place(knots, a) - _place(knots, b)))
        if apart > reach * (1.0 + ROUND_OFF) and len(lines) > 1:  # one line alone has its own sentence
            length, far = told_apart(reach, apart)
            raise InputError(
                f"lines {_together(lines)} are {length} m long together, shorter than the {far} m between "
                f"{knots.name[a]} and {knots.name[b]}; lengthen them or give one axial_stiffness"
            )


def refuse_straight(model: Model, time: float = 0.0) -> None:
    """Raise InputError where inextensible lines are exactly as long as the way between held ends and loaded across."""
    for lines, apart, is_loaded in _straight(model, time):
        if is_loaded:
            way_out = "lengthen them or give one axial_stiffness" if len(lines) > 1 else WAY_OUT
            raise InputError(
                f"{_exactly_as_long(lines, apart)}, so that no finite tension can carry the load across it; {way_out}"
            )


def indeterminate(model: Model, state: State) -> Iterator[Doubt]:
    """The doubt about straight inextensible lines whose tensions statics leaves open.

    Tensions of such lines that act on free points and bodies with no resultant can be added to any solution: they are
    the null space of the matrix of the forces and moments of unit tensions.
    """
    taut = _taut(model, state)
    if not taut.size:
        return
    unit = _of_unit_tensions(model, state, taut)
    _, sizes, rows = np.linalg.svd(unit, full_matrices=True)
    open_ = rows[int(np.sum(sizes > DEPENDENT * max(float(sizes.max(initial=0.0)), 1.0))) :]
    if not open_.size:
        return
    lines = [model.names.lines[i] for i in taut[np.abs(open_).max(axis=0) > DEPENDENT]]
    who, what = f"line '{lines[0]}' is", "its tension"
    if len(lines) > 1:
        who, what = f"lines {_together(lines)} are", "how they share the load"
    text = (
        f"{who} inextensible and straight, and statics does not determine {what}: the tensions given are one solution "
        "of many"
    )
    yield Doubt("indeterminate", lines[0], float(open_.shape[0]), 0.0, text)


def _taut(model: Model, state: State) -> Ints:
    """Indices of the lines that cannot stretch and are straight."""
    if INEXTENSIBLE not in model.sections.law:
        return np.empty(0, dtype=np.int64)
    lines = model.lines
    ends = state.position[state.start[:-1]], state.position[state.start[1:] - 1]
    apart = np.linalg.norm(ends[1] - ends[0], axis=1)
    taut = _rigid(model) & (apart >= lines.length * (1.0 - ROUND_OFF)) & ~np.any(lines.end_kind == ROD, axis=1)
    return np.flatnonzero(taut & (np.diff(lines.over_start) == 0)).astype(np.int64)


def _of_unit_tensions(model: Model, state: State, taut: Ints) -> Array:
    """(n, n_taut) forces (N) on the free components of points and bodies, and moments over the arm (N), per newton."""
    points, bodies, lines = model.points, model.bodies, model.lines
    on_points, on_bodies = np.zeros((points.mass.size, 3, taut.size)), np.zeros((bodies.mass.size, 6, taut.size))
    for c, i in enumerate(taut.tolist()):
        begin, end = state.position[state.start[i]], state.position[state.start[i + 1] - 1]
        along = (end - begin) / np.linalg.norm(end - begin)
        for j, (place, pull) in enumerate(((begin, along), (end, -along))):
            k = int(lines.end_index[i, j])
            if lines.end_kind[i, j] == BODY:
                arm = place - state.body_position[k]
                turning = np.cross(arm, pull) / max(bodies.hull_size(k), float(np.linalg.norm(arm)), 1e-9)
                on_bodies[k, :, c] += np.concatenate([pull, turning])
            else:
                on_points[k, :, c] += points.frame[k] @ pull
    moves = (points.joint != HELD) & (points.motion < 0)[:, None]
    loose = bodies.joint == LOOSE
    return np.concatenate([on_points[moves], on_bodies[loose].reshape(-1, taut.size)])


def _straight(model: Model, time: float) -> Iterator[tuple[list[str], float, bool]]:
    """Inextensible lines as long as the way between their held ends: names, distance (m), whether loaded across."""
    knots = _knots(model, time)
    if knots is None:
        return
    for a, b, reach, lines in _between_held(knots):
        ends = np.array([_place(knots, a), _place(knots, b)])
        apart = float(np.linalg.norm(ends[1] - ends[0]))
        if apart > 0.0 and apart >= reach * (1.0 - STRAIGHT):
            yield lines, apart, any(_loaded_across(model, model.names.lines.index(name), ends) for name in lines)


def _loaded_across(model: Model, i: int, ends: Array) -> bool:
    """Whether weight or current acts across line i, straight between `ends` (2, 3), m, and no bed carries it."""
    lines, sections, sea = model.lines, model.sections, model.sea
    k = lines.piece_section[lines.piece_start[i] : lines.piece_start[i + 1]]
    up, down = sea.water_density * sections.area[k], sections.mass[k]
    way = ends[1] - ends[0]
    apart = float(np.linalg.norm(way))
    lies = sea.has_seabed and bool(np.all(down >= up))
    lies &= bool(np.all(np.abs(heights(sea, ends)) <= sections.contact_radius[k].max() + ROUND_OFF * apart))
    slopes = float(np.hypot(way[0], way[1])) > LEVEL * apart
    weighs = slopes and not lies and bool(np.any(np.abs(down - up) > NO_LOAD * (down + up)))
    drags = sea.water_density * sea.current_speed * float(sections.drag_normal[k].max()) > 0.0
    return weighs or (drags and not (lies and sea.bed_friction > 0.0))


def _between_held(knots: Knots) -> Iterator[tuple[int, int, float, list[str]]]:
    """Pairs of held knots that lines connect: both, how far apart they can be at most (m), and the lines between."""
    reach, via = _shortest(len(knots.name), knots.ties)
    held = [k for k, place in enumerate(knots.place) if place is not None]
    for i, a in enumerate(held):
        for b in held[i + 1 :]:
            lines = [name for name in _path(via, knots, a, b) if name] if np.isfinite(reach[a, b]) else []
            if lines:  # not the arm between two places on one body
                yield a, b, float(reach[a, b]), lines


def _exactly_as_long(lines: list[str], apart: float) -> str:
    """Beginning of a sentence.  apart : m"""
    who = f"line '{lines[0]}' is" if len(lines) == 1 else f"lines {_together(lines)} form a row that is"
    return f"{who} inextensible and exactly as long as the distance between its held ends ({apart:.6g} m)"


def _together(lines: list[str]) -> str:
    """Names of lines in a row: 'a', 'b' and 'c'."""
    head = ", ".join(f"'{name}'" for name in lines[:-1])
    return f"{head} and '{lines[-1]}'" if head else f"'{lines[-1]}'"


def shortage(model: Model, time: float = 0.0) -> str:
    """A sentence if inextensible lines cannot all reach wherever free points go; empty if they can, or there are none.

    The largest of the ratios of distance to length, less one, is convex in the places of free points; its least value
    is found by minimising the sum of the squares of what is missing.
    """
    knots = _knots(model, time)
    if knots is None or np.any(model.bodies.joint == LOOSE):
        return ""
    free = [k for k, place in enumerate(knots.place) if place is None]
    if not free or len(free) == len(knots.place):  # nothing to move, or nothing that holds the lines apart
        return ""
    from scipy.optimize import minimize

    number = {k: i for i, k in enumerate(free)}
    start = np.mean([place for place in knots.place if place is not None], axis=0)
    scale = max(length for _, _, length, _ in knots.ties)

    def at(x: Array, k: int) -> Array:
        place = knots.place[k]
        return place if place is not None else scale * x[3 * number[k] : 3 * number[k] + 3]

    def missing(x: Array) -> tuple[float, Array]:
        total, slope = 0.0, np.zeros_like(x)
        for a, b, length, _ in knots.ties:
            way = at(x, a) - at(x, b)
            apart = float(np.linalg.norm(way))
            over = (apart - length) / scale
            if over > 0.0:
                total += over * over
                for k, sign in ((a, 1.0), (b, -1.0)):
                    if k in number:
                        slope[3 * number[k] : 3 * number[k] + 3] += sign * 2.0 * over * way / apart
        return total, slope

    found = minimize(missing, np.tile(start / scale, len(free)), jac=True, method="L-BFGS-B",
                     options={"ftol": 1e-30, "gtol": 1e-14, "maxiter": 500})  # fmt: skip
    short = [
        (float(np.linalg.norm(at(found.x, a) - at(found.x, b))) - length, name)
        for a, b, length, name in knots.ties
        if name
    ]
    worst = max(short)
    if worst[0] <= 1e-6 * scale:
        return ""
    names = ", ".join(f"'{name}'" for missing_, name in short if missing_ > 1e-6 * scale)
    return (
        f"inextensible lines cannot all reach their ends: at best, {names} are short by up to {worst[0]:.4g} m; "
        "lengthen them "
        "or give them axial_stiffness"
    )


def _place(knots: Knots, k: int) -> Array:
    place = knots.place[k]
    assert place is not None
    return place


def _knots(model: Model, time: float) -> Knots | None:
    """The graph of the inextensible lines; None if there is none."""
    lines = model.lines
    if INEXTENSIBLE not in model.sections.law:
        return None
    rigid = _rigid(model)
    if not np.any(rigid):
        return None
    index: dict[tuple[int, int, tuple[float, ...]], int] = {}
    knots = Knots([], [], [])
    for i in np.flatnonzero(rigid):
        if ROD in lines.end_kind[i] or lines.over_start[i + 1] > lines.over_start[i]:
            continue
        pair = []
        for j in range(2):
            kind, k = int(lines.end_kind[i, j]), int(lines.end_index[i, j])
            key = (kind, k, tuple(lines.end_offset[i, j].tolist()) if kind == BODY else ())
            if key not in index:
                index[key] = len(knots.name)
                knots.name.append(f"body '{model.names.bodies[k]}'" if kind == BODY else f"'{model.names.points[k]}'")
                knots.place.append(_held_place(model, kind, k, lines.end_offset[i, j], time))
            pair.append(index[key])
        knots.ties.append((pair[0], pair[1], float(lines.length[i]), model.names.lines[i]))
    keys = list(index)
    for a, first in enumerate(keys):
        for b in range(a + 1, len(keys)):
            other = keys[b]
            if first[0] == BODY and other[0] == BODY and first[1] == other[1]:
                knots.ties.append((a, b, float(np.linalg.norm(np.subtract(first[2], other[2]))), ""))
    return knots if knots.ties else None


def _rigid(model: Model) -> Flags:
    """(n_lines,) true where no piece stretches, and no winch changes the length."""
    lines = model.lines
    stretches = model.sections.law[lines.piece_section] != INEXTENSIBLE
    rigid: Flags = ~np.array([bool(np.any(stretches[lines.piece_start[i] : lines.piece_start[i + 1]]))
                              for i in range(lines.length.size)], dtype=np.bool_)  # fmt: skip
    rigid[lines.winches.line] = False
    return rigid


def _held_place(model: Model, kind: int, k: int, offset: Array, time: float) -> Array | None:
    moved = np.zeros((3, 3))
    if kind == BODY:
        if model.bodies.joint[k] == LOOSE or model.bodies.motion[k] >= 0:
            return None
        place: Array = model.bodies.position[k] + rotation_matrix(model.bodies.quaternion[k]) @ offset
        return place
    if np.any(model.points.joint[k] != HELD):
        return None
    motion(time, int(model.points.motion[k]), model.motions, moved)
    where: Array = model.points.position[k] + moved[0]
    return where


def _shortest(n: int, ties: list[tuple[int, int, float, str]]) -> tuple[Array, Ints]:
    """(n, n) least reach between knots, m, and the tie to take first from one towards another (Floyd, Warshall)."""
    reach = np.full((n, n), np.inf)
    np.fill_diagonal(reach, 0.0)
    via: Ints = np.full((n, n), -1)
    for t, (a, b, length, _) in enumerate(ties):
        if length < reach[a, b]:
            reach[a, b] = reach[b, a] = length
            via[a, b] = via[b, a] = t
    for k in range(n):
        through = reach[:, k, None] + reach[None, k, :]
        via = np.where(through < reach, via[:, k, None], via)
        reach = np.minimum(reach, through)
    return reach, via


def _path(via: Ints, knots: Knots, a: int, b: int) -> list[str]:
    """Names of the lines on the shortest way."""
    names = []
    while a != b:
        first, second, _, name = knots.ties[via[a, b]]
        names.append(name)
        a = second if first == a else first
    return names
