r"""Parts that another program moves: cubics from where they were to where they are at the end of a step.

A part with ``joint: coupled`` has a motion of one piece that is changed in place: a cubic in time for its
displacement and, for a body, one for its rotation vector, both about the position and attitude of the case. Between
the end of one step and that of the next, positions and velocities are met at both ends (numerics/between.py),
so the motion is once continuously differentiable and of third order in the step h of the caller.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array, Ints, Records
from ropewalk.model.model import Model
from ropewalk.numerics.between import cubics_between, turn_and_rate
from ropewalk.physics.in_time import KNOT
from ropewalk.spec.system import System

MOST_TURN = math.radians(170.0)  # the rotation vector is not unique at half a turn
UNIT = 1e-6  # how far the length of a quaternion may be from 1


class Part(NamedTuple):
    """A part that the caller moves."""

    name: str
    is_body: bool
    which: int  # of the points or bodies
    slots: Ints  # (2, 3) pieces of the components of its displacement and rotation vector
    row: int  # of its displacement in `Driven.position`; that of its rotation follows


class Driven:
    """The parts of a model that the caller moves, and where they are."""

    def __init__(self, system: System, model: Model) -> None:
        self.parts = _parts(system, model)
        self._model = model
        self._known = {part.name for part in self.parts}
        n = sum(2 if part.is_body else 1 for part in self.parts)
        self.position: Array = np.zeros((n, 3))  # displacements (m) and rotation vectors (rad) at the end of a step
        self.velocity: Array = np.zeros((n, 3))  # their rates
        self._rest = {part.row: _rest(model, part) for part in self.parts}  # m, positions of the case
        self._cubic: Array = np.zeros((n, 4, 3))  # of position, highest power first
        self._knot = _writable(model.functions.knot)
        slots = [part.slots[k] for part in self.parts for k in range(2 if part.is_body else 1)]
        self._slot = np.array(slots, dtype=np.int64).reshape(-1, 3)  # pieces of the components of each row

    def drive(self, time: float, dt: float, states: Mapping[str, Sequence[Any]]) -> None:
        """Lead all parts from where they are at `time` (s) to `states` at time + dt."""
        x1, v1 = self._read(states)
        cubics_between(self.position, self.velocity, x1, v1, dt, self._cubic)
        self._write(time)
        self.position, self.velocity = x1, v1

    def follow(self, other: Driven, time: float) -> None:
        """Go on from where the same parts are in `other` at `time` (s), at their velocities."""
        self.position, self.velocity = other.position, other.velocity
        self._cubic[:, :2] = 0.0
        self._cubic[:, 2], self._cubic[:, 3] = self.velocity, self.position
        self._write(time)

    def _write(self, time: float) -> None:
        """Put cubics that begin at `time` (s) into the arrays that kernels read."""
        self._knot["time"][self._slot] = time
        for power, name in enumerate(("c3", "c2", "c1", "c0")):
            self._knot[name][self._slot] = self._cubic[:, power]

    def _read(self, states: Mapping[str, Sequence[Any]]) -> tuple[Array, Array]:
        """Displacements and rotation vectors, and their rates, of what the caller gives."""
        if not isinstance(states, Mapping):
            raise InputError(f"states are given by name of the coupled part, not as {type(states).__name__}")
        if states.keys() != self._known:
            _refuse_names(self._known, set(states))
        try:
            return self._taken(states)
        except (TypeError, ValueError):
            raise InputError(f"states must be lists of numbers; given were {dict(states)}") from None

    def _taken(self, states: Mapping[str, Sequence[Any]]) -> tuple[Array, Array]:
        both = np.empty((2, *self.position.shape))
        x, v = both[0], both[1]
        for part in self.parts:
            given = states[part.name]
            if len(given) != (4 if part.is_body else 2):
                wanted = "(position, quaternion, velocity, rate)" if part.is_body else "(position, velocity)"
                raise InputError(f"state of '{part.name}' has {len(given)} entries; give {wanted}")
            if len(given[0]) != 3 or len(given[2 if part.is_body else 1]) != 3:
                raise InputError(f"'{part.name}': a position and a velocity have three numbers each")
            if part.is_body:
                x[part.row] = given[0] - self._rest[part.row]
                v[part.row] = given[2]
                x[part.row + 1], v[part.row + 1] = self._turned(part, given[1], given[3])
            else:
                x[part.row] = given[0] - self._rest[part.row]
                v[part.row] = given[1]
        if not np.isfinite(both).all():
            raise InputError(f"a state that was given is not finite: {dict(states)}")
        return x, v

    def _turned(self, part: Part, quaternion: Sequence[float], rate: Sequence[float]) -> tuple[Array, Array]:
        """Rotation vector from the attitude of the case, and its rate."""
        q, w = np.array(quaternion, dtype=np.float64), np.array(rate, dtype=np.float64)
        if q.shape != (4,) or w.shape != (3,):
            raise InputError(f"'{part.name}': a quaternion has 4 entries (scalar first) and a rate 3, rad/s")
        length = math.sqrt(q @ q)
        if not abs(length - 1.0) < UNIT:
            raise InputError(f"'{part.name}': quaternion {q.tolist()} has length {length:.9g}; it must be 1")
        turn, speed = turn_and_rate(q, self._base(part), w)
        if math.sqrt(turn @ turn) > MOST_TURN:
            degrees = math.degrees(math.sqrt(turn @ turn))
            raise InputError(
                f"'{part.name}' is rotated by {degrees:.4g} degrees from the attitude of the case; "
                f"the limit is {math.degrees(MOST_TURN):.0f}"
            )
        return turn, speed

    def _base(self, part: Part) -> Array:
        base: Array = self._model.bodies.quaternion[part.which]
        return base

    def snapshot(self) -> dict[str, Array]:
        """All that it holds."""
        pieces = {f"driven.{name}": self._knot[name][self._slot] for name in KNOT.names or ()}
        return {"driven.position": self.position, "driven.velocity": self.velocity, **pieces}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Undo `snapshot`."""
        for name in KNOT.names or ():
            self._knot[name][self._slot] = saved[f"driven.{name}"]
        self.position, self.velocity = saved["driven.position"].copy(), saved["driven.velocity"].copy()


def _rest(model: Model, part: Part) -> Array:
    position: Array = (model.bodies if part.is_body else model.points).position[part.which]
    return position


def _writable(knot: Records) -> Any:
    """The array behind a read-only view that belongs to one `Coupled` alone; of others a copy, which nobody reads."""
    return knot.base if knot.base is not None and knot.base.flags.writeable else np.array(knot)


def with_private_motions(model: Model) -> Model:
    """The model with a copy of its pieces in time that only `Driven` writes; all others have a read-only view of it."""
    view = np.array(model.functions.knot).view(np.recarray)
    view.setflags(write=False)
    functions = model.functions._replace(knot=view)
    return model._replace(functions=functions, motions=model.motions._replace(functions=functions))


def _parts(system: System, model: Model) -> list[Part]:
    """All parts with `joint: coupled`, points first."""
    found: list[Part] = []
    row = 0
    for is_body, names, specs, motion in (
        (False, model.names.points, system.points, model.points.motion),
        (True, model.names.bodies, system.bodies, model.bodies.motion),
    ):
        for index, name in enumerate(names):
            if specs[name].joint == "coupled":  # type: ignore[index]
                slots = model.functions.function.knot[model.motions.function[motion[index]]].reshape(2, 3)
                found.append(Part(name, is_body, index, slots, row))
                row += 2 if is_body else 1
    return found


def _refuse_names(known: set[str], given: set[str]) -> None:
    if missing := sorted(known - given):
        raise InputError(f"no state was given for {', '.join(map(repr, missing))}; every coupled part needs one")
    there = f"coupled are {', '.join(sorted(known))}" if known else "the case has no part with 'joint: coupled'"
    raise InputError(f"{', '.join(sorted(map(repr, given - known)))} is not a coupled part; {there}")
