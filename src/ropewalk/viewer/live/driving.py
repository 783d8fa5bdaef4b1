"""Held and moved parts of a live case: along their own motion, and where the hand takes them.

Every fixed, moving or coupled part that can be driven becomes ``joint: coupled``. It follows the motion of the case
plus an offset, which the hand changes: a second-order lag towards the pointer with limited speed and acceleration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.model import Model, build
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product
from ropewalk.physics.motion import motion, rotation
from ropewalk.spec.system import System

LAG = 8.0  # rad/s: natural frequency of the lag from the pointer to the part
FASTEST = 8.0  # m/s at most by the hand: faster than anything is towed or hauled
HARDEST = 30.0  # m/s2 at most
STRETCH = 0.01  # of a line's length by which the hand may pull it beyond straight
ROUNDS = 4  # of the projection onto the reach of several lines

States = dict[str, tuple[Any, ...]]


def drivable(system: System) -> System:
    """The case with every held or moved part that another program may move as `coupled`; at its place at t = 0."""
    model = build(system)
    linked = {end.partition(".")[0] for link in system.links.values() for end in link.between}
    netted = {end.partition(".")[0] for net in system.nets.values() for end in (*net.fastened.values(), *net.rim)}
    changes: dict[str, Any] = {}
    for k, (name, point) in enumerate(system.points.items()):
        if point.joint in ("fixed", "moving") and name not in linked:
            place = model.points.position[k] + _own(model, int(model.points.motion[k]), 0.0)[0]
            changes[f"points.{name}"] = {**_without_motion(point), "joint": "coupled", "position": place.tolist()}
    for k, (name, body) in enumerate(system.bodies.items()):
        if body.joint in ("fixed", "moving") and name not in linked | netted:
            place = model.bodies.position[k] + _own(model, int(model.bodies.motion[k]), 0.0)[0]
            changes[f"bodies.{name}"] = {**_without_motion(body), "joint": "coupled", "position": place.tolist()}
    return system.replace(changes) if changes else system


def _without_motion(part: Any) -> dict[str, Any]:
    given: dict[str, Any] = part.model_dump(by_alias=True, exclude_unset=True)
    return {key: value for key, value in given.items() if key != "motion"}


def _own(model: Model, which: int, t: float) -> Array:
    """(3, 3) displacement, velocity and acceleration of a motion of the case; parts driven by others rest."""
    out: Array = np.zeros((3, 3))
    if which >= 0 and not model.motions.is_driven[which]:
        motion(t, which, model.motions, out)
    return out


@dataclass
class Mover:
    """One driven part."""

    name: str
    is_body: bool
    which: int  # of the points or bodies
    home: Array  # (3,) place of the case without its motion, m
    quaternion: Array  # (4,) attitude of the case
    motion: int  # of the case, -1 for none
    offset: Array = field(default_factory=lambda: np.zeros(3))  # by the hand, m
    speed: Array = field(default_factory=lambda: np.zeros(3))  # of the offset, m/s
    target: Array | None = None  # place wanted by the hand, m


class Movers:
    """All driven parts of a live case."""

    def __init__(self, given: System, live: System) -> None:
        self._model = build(given)
        self.parts = list(self._find(live))
        self._reach = _reaches(live)

    def _find(self, live: System) -> Iterator[Mover]:
        points, bodies = self._model.points, self._model.bodies
        upright: Array = np.array([1.0, 0.0, 0.0, 0.0])
        for k, (name, point) in enumerate(live.points.items()):
            if point.joint == "coupled":
                yield Mover(name, False, k, points.position[k].copy(), upright, int(points.motion[k]))
        for k, (name, body) in enumerate(live.bodies.items()):
            if body.joint == "coupled":
                home, turn = bodies.position[k].copy(), bodies.quaternion[k].copy()
                yield Mover(name, True, k, home, turn, int(bodies.motion[k]))

    def find(self, name: str) -> Mover | None:
        """The driven part of that name, None if there is none."""
        return next((part for part in self.parts if part.name == name), None)

    def place(self, part: Mover, t: float) -> Array:
        """Where a part is at t, m."""
        place: Array = part.home + part.offset + _own(self._model, part.motion, t)[0]
        return place

    def states(self, t: float, dt: float, pace: float = 1.0) -> States:
        """States of all parts at time t after the hand has moved them for dt (s).  pace : share of the usual speed"""
        out: States = {}
        for part in self.parts:
            own = _own(self._model, part.motion, t)
            if part.target is not None:
                goal = self._within_reach(part, part.target, t) - part.home - own[0]
                _lag(part, goal, dt, pace)
            else:
                part.speed = np.zeros(3)
            place, velocity = part.home + part.offset + own[0], own[1] + part.speed
            if part.is_body:
                turn, rate = self._turn(part, t)
                out[part.name] = (place, turn, velocity, rate)
            else:
                out[part.name] = (place, velocity)
        return out

    def _turn(self, part: Mover, t: float) -> tuple[Array, Array]:
        if part.motion < 0 or self._model.motions.is_driven[part.motion]:
            return part.quaternion, np.zeros(3)
        out: Array = np.zeros((3, 3))
        rotation(t, part.motion, self._model.motions, out)
        return quaternion_product(quaternion_exp(out[0]), part.quaternion), out[1]

    def _within_reach(self, part: Mover, goal: Array, t: float) -> Array:
        """The goal, no further from other driven parts than lines between them are long."""
        held = [(other, most) for a, b, most in self._reach for other in _partner(part.name, a, b)]
        for _ in range(ROUNDS if held else 0):
            for name, most in held:
                other = self.find(name)
                if other is None:
                    continue
                away = goal - self.place(other, t)
                distance = float(np.linalg.norm(away))
                if distance > most:
                    goal = goal - away * (1.0 - most / distance)
        return goal

    def keep(self) -> list[tuple[Array, Array]]:
        """Where the hand has taken everything."""
        return [(part.offset.copy(), part.speed.copy()) for part in self.parts]

    def put_back(self, kept: list[tuple[Array, Array]]) -> None:
        """Undo what the hand did since `keep`; it lets go."""
        for part, (offset, speed) in zip(self.parts, kept, strict=True):
            part.offset, part.speed, part.target = offset.copy(), speed.copy(), None


def _partner(name: str, a: str, b: str) -> list[str]:
    return [b] if a == name else [a] if b == name else []


def _lag(part: Mover, goal: Array, dt: float, pace: float) -> None:
    """Move the offset towards the goal: critically damped, speed and acceleration limited."""
    push = LAG * LAG * (goal - part.offset) - 2.0 * LAG * part.speed
    part.speed = _limited(part.speed + _limited(push, HARDEST * pace) * dt, FASTEST * pace)
    part.offset = part.offset + part.speed * dt


def _limited(vector: Array, most: float) -> Array:
    size = float(np.linalg.norm(vector))
    return vector if size <= most else vector * (most / size)


def _reaches(system: System) -> list[tuple[str, str, float]]:
    """Pairs of points that lines join, and how far the hand may pull them apart, m. Lines on bodies get their arms."""
    found = []
    for line in system.lines.values():
        ends, arms = [], 0.0
        for end in (line.from_, line.to):
            name, _, attachment = end.partition(".")
            ends.append(name)
            if attachment and name in system.bodies:
                arms += float(np.linalg.norm(system.bodies[name].attachments[attachment]))
        found.append((ends[0], ends[1], line.length * (1.0 + STRETCH) + arms))
    return found
