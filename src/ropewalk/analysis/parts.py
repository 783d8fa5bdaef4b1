"""Independent parts of a system: lines, points and bodies that hang together, apart from what is fixed.

One iteration over the whole system damps its steps for the part that converges worst, and the others may never arrive;
each alone does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.model.model import Model
from ropewalk.model.state import State, initial_state
from ropewalk.spec.system import System

if TYPE_CHECKING:
    from ropewalk.analysis.statics import Equilibrium

PER_LINE = ("s", "position", "velocity", "tension")  # fields of a state with rows for the nodes of all lines


def independent_parts(system: System) -> tuple[System, ...]:
    """Systems that share nothing but sea and fixed parts; the system itself if it is one, or has nets or rods."""
    groups = [group for group in _groups(system, tied_by_fixed=False) if not all(map(_is_point, group))]
    if len(groups) < 2:
        return (system,)
    own = _ends(system)
    return tuple(
        _only(system, group | {_part_of(end) for name in group for end in own.get(name, ())}) for group in groups
    )


def separate_platforms(system: System) -> tuple[System, ...]:
    """Free bodies, each with all that is tied to it, fixed parts included, and the rest; or the system itself."""
    groups = _groups(system, tied_by_fixed=True)
    own = [group for group in groups if any(name.startswith("bodies.") and _is_loose(system, name) for name in group)]
    if len(own) < 2:
        return (system,)
    rest = {name for group in groups if group not in own for name in group}
    return tuple(_only(system, group) for group in (*own, rest) if group)


def joined_state(model: Model, answers: Sequence[Equilibrium]) -> State:
    """The state of a model whose parts are at rest as in `answers`; what is in none of them is as given."""
    whole, names = initial_state(model), model.names
    points, bodies, turns = whole.point_position.copy(), whole.body_position.copy(), whole.body_quaternion.copy()
    found = {}
    for answer in answers:
        state, own = answer.state, answer.model.names
        for k, name in enumerate(own.points):
            points[names.points.index(name)] = state.point_position[k]
        for k, name in enumerate(own.bodies):
            bodies[names.bodies.index(name)] = state.body_position[k]
            turns[names.bodies.index(name)] = state.body_quaternion[k]
        for k, name in enumerate(own.lines):
            found[name] = state, k, slice(int(state.start[k]), int(state.start[k + 1]))
    lines = [found[name] for name in names.lines]
    whole = whole._replace(point_position=points, body_position=bodies, body_quaternion=turns)
    if not lines:
        return whole
    rows = {name: np.concatenate([getattr(state, name)[nodes] for state, _, nodes in lines]) for name in PER_LINE}
    ends = np.array([state.end_force[k] for state, k, _ in lines])
    rows |= {"end_force": ends, "grounded": np.array([state.grounded[k] for state, k, _ in lines])}
    start = np.concatenate([[0], np.cumsum([nodes.stop - nodes.start for _, _, nodes in lines])]).astype(np.int64)
    return State(**{**whole._asdict(), "start": start, **rows})


def _groups(system: System, *, tied_by_fixed: bool) -> list[set[str]]:
    """Paths of points, bodies, lines and links that hang together; one group where there are nets or rods."""
    own = _ends(system)
    names = [*own, *(f"points.{name}" for name in system.points), *(f"bodies.{name}" for name in system.bodies)]
    if system.nets or system.collars or system.rods:
        return [set(names)]
    groups = {name: {name} for name in names}
    for name, ends in own.items():
        for held in map(_part_of, ends):
            if (tied_by_fixed or _is_loose(system, held)) and held not in groups[name]:
                both = groups[name] | groups[held]
                groups |= dict.fromkeys(both, both)
    found = {id(group): group for group in groups.values()}.values()
    return [group for group in found if tied_by_fixed or any(_is_loose(system, name) for name in group)]


def _ends(system: System) -> dict[str, tuple[str, ...]]:
    """What each line or link holds on to, by its path."""
    lines = {f"lines.{name}": (line.from_, *line.over, line.to) for name, line in system.lines.items()}
    return lines | {f"links.{name}": tuple(link.between) for name, link in system.links.items()}


def _is_point(path: str) -> bool:
    return path.startswith("points.")


def _part_of(end: str) -> str:
    """Path of the point or body that an end of a line is at."""
    body, dot, _ = end.partition(".")
    return f"bodies.{body}" if dot else f"points.{end}"


def _is_loose(system: System, path: str) -> bool:
    """Whether a part moves; lines and links do."""
    kind, name = path.split(".", 1)
    if kind in ("lines", "links"):
        return True
    return getattr(system, kind)[name].joint != "fixed"


def _only(system: System, paths: set[str]) -> System:
    """The system without other points, bodies, lines and links."""
    kinds = ("points", "bodies", "lines", "links")
    kept = {
        kind: {name: one for name, one in getattr(system, kind).items() if f"{kind}.{name}" in paths} for kind in kinds
    }
    return system.model_copy(update=kept)
