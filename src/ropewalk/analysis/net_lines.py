"""Nets as points and lines: every knot a point, every bar a line of one element with the section of its twines.

The frequency analyses then need to know nothing of nets. Drag and inertia of the water are lumped at the knots, where
the bars of the time domain integrate drag along themselves: the difference falls with the square of the cells.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ropewalk.analysis.statics import Equilibrium
from ropewalk.errors import InputError
from ropewalk.methods.linear import Unknowns
from ropewalk.model.arrays import Array, Flags, Ints, ints
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.model import Model, build
from ropewalk.model.nets import MORISON, Nets
from ropewalk.model.state import State, initial_state
from ropewalk.physics.elasticity import INEXTENSIBLE
from ropewalk.spec.system import System

OF_NETS = "made of nets"  # begins the names of points, lines and sections that stand for nets
SPOKE = {"diameter": 1.0, "volume_diameter": 0.0, "mass": 0.0, "axial_stiffness": "inextensible", "compression": True,
         "drag": 0, "added_mass": 0}  # fmt: skip
TIED = 1e-3  # N: axial stiffness of twines between bodies; below 1e-6 of what the segments of a collar carry


class NetParts(NamedTuple):
    """What stands for the nets of a case among the points and lines of another."""

    model: Model  # with knots and bars after the points and lines of the case
    knot: Ints  # (k,) point of each knot, -1 where it is fastened to a body
    bar: Ints  # (m,) line of each bar, -1 of those that can neither move nor stretch
    n_points: int  # of the case itself
    n_lines: int


def net_parts(equilibrium: Equilibrium) -> tuple[NetParts, State]:
    """The case of an equilibrium with its nets as points and lines, and its state."""
    system, model, state = equilibrium.system, equilibrium.model, equilibrium.state
    nets = model.nets
    data = system.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for key in ("nets", "run", "statics", "collars"):
        data.pop(key, None)
    for key in ("bodies", "links") if system.collars else ():  # what collars are made of stands alone
        parts = getattr(system, key).items()
        data[key] = {name: part.model_dump(mode="json", by_alias=True, exclude_unset=True) for name, part in parts}
    knot, ends = _knots(model, data)
    bar = _twines(system, model, data, ends)
    whole = build(System.model_validate(data))
    parts = NetParts(whole, knot, bar, len(model.names.points), len(model.names.lines))
    return parts, _state(parts, nets, state)


def _knots(model: Model, data: dict[str, Any]) -> tuple[Ints, list[str]]:
    """Points of the knots, put into the data of the case; their numbers, and what a line that ends there names."""
    nets, weight = model.nets, model.sea.water_density * model.sea.gravity
    points, bodies = data.setdefault("points", {}), data.get("bodies", {})
    names = list(points)
    knot: Ints = np.full(nets.held.size, -1, dtype=np.int64)
    ends: list[str] = [""] * nets.held.size
    for k in range(nets.held.size):
        first = int(nets.sewn[k])
        if first != k:
            knot[k], ends[k] = knot[first], ends[first]
        elif nets.point[k] >= 0:
            knot[k], ends[k] = nets.point[k], names[int(nets.point[k])]
        elif nets.body[k] >= 0:
            ends[k] = _attachment(bodies[model.names.bodies[int(nets.body[k])]], nets.place[k])
            ends[k] = f"{model.names.bodies[int(nets.body[k])]}.{ends[k]}"
        else:
            ends[k] = f"{OF_NETS} knot {k}"
            knot[k] = len(points)
            joint = "fixed" if nets.held[k] else "free"
            points[ends[k]] = {"position": nets.knot[k].tolist(), "joint": joint}
        volume = float(nets.sinker_volume[k]) + (float(nets.float_force[k]) / weight if weight > 0.0 else 0.0)
        _load(model, points.get(ends[k]), k, float(nets.sinker_mass[k]), volume)
    return ints(knot), ends


def _load(model: Model, point: dict[str, Any] | None, k: int, mass: float, volume: float) -> None:
    """Put sinker and float of knot k on its point."""
    if mass == 0.0 and volume == 0.0:
        return
    if point is None:
        name = model.names.bodies[int(model.nets.body[k])]
        raise InputError(
            f"frequency analyses do not support floats, sinkers and hoops of a net where it is fastened to body "
            f"'{name}'; give the body their mass and volume"
        )
    point["mass"], point["volume"] = point.get("mass", 0.0) + mass, point.get("volume", 0.0) + volume


def _attachment(body: dict[str, Any], place: Array) -> str:
    """Name of the attachment of a body at a place in its frame, m; segments of collars get one where they have none."""
    attachments = body.setdefault("attachments", {})
    for name, there in attachments.items():
        if np.array_equal(np.array(there, dtype=float), place):
            return str(name)
    name = f"{OF_NETS} {len(attachments)}"
    attachments[name] = place.tolist()
    return name


def _held(model: Model) -> Flags:
    """(k,) knots that cannot move by themselves."""
    nets = model.nets
    by_point = (nets.point >= 0) & np.append(np.all(model.points.joint == HELD, axis=1), False)[nets.point]
    by_body = (nets.body >= 0) & np.append(model.bodies.joint != LOOSE, False)[nets.body]
    held: Flags = nets.held | by_point | by_body
    return held


def _twines(system: System, model: Model, data: dict[str, Any], ends: list[str]) -> Ints:
    """Lines of the bars, and sections of as many twines as each stands for, put into the data of the case.

    Returns the number of each bar among the lines.
    """
    nets, stiff, held = model.nets, model.sections.law == INEXTENSIBLE, _held(model)
    still = np.all(held[nets.bar], axis=1) & (stiff[nets.section] | (nets.twines == 0.0))
    bar = np.full(still.size, -1)
    bar[~still] = len(model.names.lines) + np.arange(int(np.count_nonzero(~still)))
    names, lines, sections = list(system.sections), data.setdefault("lines", {}), data.setdefault("sections", {})
    made: dict[tuple[str, float, bool, bool], str] = {}
    screens = np.repeat(nets.kind != MORISON, np.diff(nets.bar_start))  # take the drag of their twines
    for m in np.flatnonzero(~still):
        twines, name = float(nets.twines[m]), names[int(nets.section[m])]
        # twines along a collar are tied to its segments, which keep their length: as lines they carry nothing
        tied = bool(np.all(nets.body[nets.bar[m]] >= 0))
        bare = bool(screens[m])
        section = made.setdefault((name, twines, tied, bare), f"{OF_NETS} twines {len(made)}")
        if section not in sections:
            bundle = SPOKE if twines == 0.0 else _bundle(system, name, twines) | ({"drag": 0} if bare else {})
            sections[section] = {**bundle, "axial_stiffness": TIED} if tied and twines > 0.0 else bundle
        a, b = (ends[int(k)] for k in nets.bar[m])
        lines[f"{OF_NETS} twine {m}"] = {
            "from": a, "to": b, "elements": 1, "pieces": [{"section": section, "length": float(nets.length[m])}],
        }  # fmt: skip
    return ints(bar)


def _bundle(system: System, name: str, count: float) -> dict[str, Any]:
    """Data of the section of `count` twines side by side."""
    one = system.sections[name]
    data = one.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for key in ("catalogue", "grade", "breaking_load", "along"):
        data.pop(key, None)
    stiffness = one.axial_stiffness
    if isinstance(stiffness, int | float):
        data["axial_stiffness"] = count * stiffness
    elif stiffness != "inextensible":
        raise InputError(f"section '{name}': frequency analyses support twines that are linear or inextensible")
    across = one.diameter if one.volume_diameter is None else one.volume_diameter
    return {
        **data,
        "diameter": one.diameter,
        "mass": count * (one.mass or 0.0),
        "volume_diameter": math.sqrt(count) * across,
        "drag_diameter": count * (one.diameter if one.drag_diameter is None else one.drag_diameter),
        "drag": one.drag.model_dump(mode="json"),
        "added_mass": one.added_mass.model_dump(mode="json"),
    }


def knot_rows(parts: NetParts, nets: Nets, unknowns: Unknowns) -> Ints:
    """(n_knots,) row of each knot: of its point, or of an end of one of its bars where a body holds it."""
    rows = unknowns.mesh.s.size + parts.knot
    for m, k in enumerate(nets.bar):
        for side in range(2):
            if parts.knot[k[side]] < 0 and parts.bar[m] >= 0:
                rows[k[side]] = unknowns.ends[parts.bar[m], side]
    return ints(rows[nets.sewn])


def _state(parts: NetParts, nets: Nets, state: State) -> State:
    """A state of the case with its nets as points and lines; bars have two nodes."""
    whole = initial_state(parts.model)
    points = whole.point_position.copy()
    points[: parts.n_points] = state.point_position
    free = parts.knot >= parts.n_points
    points[parts.knot[free]] = state.net_position[free]
    own = np.flatnonzero(parts.bar >= 0)
    m = own.size
    return whole._replace(
        point_position=points,
        body_position=state.body_position,
        body_quaternion=state.body_quaternion,
        start=np.concatenate([state.start, state.start[-1] + 2 * np.arange(1, m + 1)]).astype(np.int64),
        s=np.concatenate([state.s, np.stack([np.zeros(m), nets.length[own]], axis=1).ravel()]),
        position=np.concatenate([state.position, state.net_position[nets.bar[own].ravel()]]),
        velocity=np.zeros((state.s.size + 2 * m, 3)),
        tension=np.concatenate([state.tension, np.repeat(state.net_tension[own], 2)]),
    )
