r"""Audit of links between bodies: their ends where the link holds them, their forces by the law that it has.

A bar has its length and pulls or pushes along itself only; balls, hinges and rigid links keep their ends together,
hinges their axes parallel and rigid links all directions. About a hinge's axis acts its spring, :math:`-k \varphi` on
the second part. Along each axis of a joint the second end is held, free of force, or under its law, of straight pieces
between the corners of model/springs.py; dry friction may hold as much as it is given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.analysis.audit_lines import FORCE, LENGTH, Finding, Scales
from ropewalk.model.arrays import Array, Records
from ropewalk.model.joints import HELD, SPRING
from ropewalk.model.lines import BODY
from ropewalk.model.links import LINK_BALL, LINK_BAR, LINK_HINGE, LINK_JOINT, LINK_RIGID
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix


class Posed(NamedTuple):
    """A link as it is in a state."""

    place: Array  # (2, 3) of its ends, m
    triad: Array  # (2, 3, 3) rows: its directions as either part has them, in the world
    force: Array  # (3,) on the second end, N
    moment: Array  # (3,) on the second part, N m


class Limits(NamedTuple):
    """What counts as in place and in balance."""

    force: float  # N
    place: float  # m
    size: float  # m, of what is linked


def check_links(model: Model, state: State, scales: Scales) -> list[Finding]:
    """Figures of all links."""
    links = model.links
    if not links.names or state.link_force.shape[0] != len(links.names):
        return []
    force = max(scales.force, float(np.abs(state.link_force).max(initial=0.0)))
    found: list[Finding] = []
    least = _least_size(model)
    for i, name in enumerate(links.names):
        posed = _posed(model, state, i)
        size = max(float(np.abs(links.offset[i]).max()), float(links.length[i]), least)
        limits = Limits(FORCE * force, LENGTH * size, size)
        away, off = _misses(model, i, posed, limits)
        found.append(Finding("position", f"link '{name}'", away, limits.place))
        found.append(Finding("force", f"link '{name}'", off, limits.force))
    return found


def _least_size(model: Model) -> float:
    """What a link counts as in size at least, m: 1, or the longest line or hull of a small system."""
    sizes = [float(np.max(model.lines.length, initial=0.0))]
    sizes += [model.bodies.hull_size(k) for k in range(model.bodies.mass.size)]
    return min(1.0, max(sizes)) if max(sizes) > 0.0 else 1.0


def _posed(model: Model, state: State, i: int) -> Posed:
    links = model.links
    places, triads = [], []
    for side in (0, 1):
        k, turn = int(links.end_index[i, side]), np.eye(3)
        if links.end_kind[i, side] == BODY:
            turn = rotation_matrix(state.body_quaternion[k])
            places.append(state.body_position[k] + turn @ links.offset[i, side])
        else:
            places.append(state.point_position[k])
        triads.append(links.frame[i, side] @ turn.T)
    return Posed(np.array(places), np.array(triads), state.link_force[i], state.link_moment[i])


def _misses(model: Model, i: int, posed: Posed, limits: Limits) -> tuple[float, float]:
    """How far a link is from where it holds its ends (m), and its forces from its law (N)."""
    kind = int(model.links.kind[i])
    apart = posed.place[1] - posed.place[0]
    if kind == LINK_JOINT:
        return _joint(model, i, posed)
    if kind == LINK_BAR:
        length = float(np.linalg.norm(apart))
        across = np.cross(posed.force, apart / max(length, 1e-300))
        return abs(length - float(model.links.length[i])), float(np.linalg.norm(across))
    away, off = float(np.linalg.norm(apart)), 0.0
    first, second = posed.triad
    if kind in (LINK_HINGE, LINK_RIGID):
        away += limits.size * float(np.linalg.norm(np.cross(first[2], second[2])))
    if kind == LINK_RIGID:
        away += limits.size * float(np.linalg.norm(np.cross(first[0], second[0])))
    if kind == LINK_HINGE:
        turn = np.arctan2(float(first[1] @ second[0]), float(first[0] @ second[0]))
        off = abs(float(posed.moment @ first[2]) + float(model.links.stiffness[i]) * turn) / limits.size
    if kind == LINK_BALL:
        spring = model.links.turning[i] @ np.cross(second, first)
        off = float(np.linalg.norm(posed.moment - spring)) / limits.size
    return away, off


def _joint(model: Model, i: int, posed: Posed) -> tuple[float, float]:
    """Of a joint by components: the largest way along a held axis (m), and force off its law along the others (N)."""
    way = posed.triad[0] @ (posed.place[1] - posed.place[0])
    pull = posed.triad[0] @ posed.force
    laws = model.links.axis[3 * i : 3 * i + 3]
    held = laws.hold == HELD
    grip = float(model.links.friction[i]) * float(np.linalg.norm(pull[held]))
    away, off = float(np.abs(way[held]).max(initial=0.0)), 0.0
    for j in np.flatnonzero(~held):
        law = laws[j]
        room = float(law.friction) + grip if law.hold == SPRING else 0.0
        off = max(off, abs(float(pull[j]) - law_force(law, float(way[j]))) - room)
    return away, max(off, 0.0)


def law_force(law: Records, way: float) -> float:
    """Force on the second end (N) of a law at a way (m), straight between its corners and beyond them."""
    n = int(law.count)
    if n == 0 or law.hold != SPRING:
        return 0.0
    x, f = np.asarray(law.way)[:n], np.asarray(law.force)[:n]
    k = int(np.clip(np.searchsorted(x, way) - 1, 0, n - 2))
    return float(f[k] + (f[k + 1] - f[k]) / (x[k + 1] - x[k]) * (way - x[k]))
