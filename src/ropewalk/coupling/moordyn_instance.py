"""A MoorDyn file as a case that a caller of the `moordyn` functions drives: its coupled parts, in MoorDyn's order."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ropewalk.coupling.coupled import Coupled
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.io.conversion import Wishes
from ropewalk.io.moordyn import read_moordyn
from ropewalk.io.moordyn_water import WATER_FROM_OUTSIDE
from ropewalk.model.arrays import Array
from ropewalk.model.state import State, rotation_matrix
from ropewalk.spec.system import System

DEFAULT_FILE = "Mooring/lines.txt"
SUCCESS = 0
ROD_NODES = 13  # at which rods are given: the strips of their hulls are as long as what is between two of them
STANDARD_RUN = {"duration": 1.0}  # of cases that are stepped by their caller
_Function = TypeVar("_Function", bound=Callable[..., Any])
_NAME = re.compile(r"(body|rod|point)(\d+)(?:_pin|_grip)?", re.ASCII)


class Handle(NamedTuple):
    """A coupled part, as callers count it."""

    name: str
    is_body: bool
    dof: int


GRIP = "grip"  # body that holds a coupled rod: what pulls at it is what pulls at the rod, its own weight included


def with_grips(system: System) -> System:
    """The case with coupled rods as free bodies, each linked rigidly to a coupled one without mass."""
    rods = [name for name, body in system.bodies.items() if name.startswith("rod") and body.joint == "coupled"]
    if not rods:
        return system
    plain = plain_case(system)
    for name in rods:
        rod = plain["bodies"][name]
        rod["joint"] = "free"
        place = {key: rod[key] for key in ("position", "attitude") if key in rod}
        plain["bodies"][f"{name}_{GRIP}"] = {
            "mass": 0.0,
            "joint": "coupled",
            "attachments": {"a": [0.0, 0.0, 0.0]},
            **place,
        }
        link = {"kind": "rigid", "between": [f"{name}.a", f"{name}_{GRIP}.a"]}
        plain.setdefault("links", {})[f"{name}_{GRIP}"] = link
    return System.model_validate(plain)


def handles(system: System) -> list[Handle]:
    """Coupled parts in MoorDyn's order: bodies, rods, points, each kind in the order of the file."""
    found: list[tuple[int, int, Handle]] = []
    kinds = ("body", "rod", "point")
    for name, body in system.bodies.items():
        if body.joint == "coupled":
            found.append((*_order(name, kinds), Handle(name, True, 6)))
    for place, (name, point) in enumerate(system.points.items()):
        if point.joint == "coupled":  # rods without length have angles, too, which do nothing
            kind, number = _order(name, kinds)
            dof = 6 if kind == kinds.index("rod") and not name.endswith("_pin") else 3
            found.append((kind, place if kind == kinds.index("point") else number, Handle(name, False, dof)))
    return [handle for _, _, handle in sorted(found, key=lambda entry: entry[:2])]


def _order(name: str, kinds: Sequence[str]) -> tuple[int, int]:
    """Kind and number of a part, by its name."""
    found = _NAME.fullmatch(name)
    return (len(kinds), 0) if found is None else (kinds.index(found[1]), int(found[2]))


class Instance:
    """What `Create` returns."""

    def __init__(self, path: str) -> None:
        self.path = Path(path or DEFAULT_FILE)
        conversion = read_moordyn(self.path, Wishes())
        system = conversion.system
        if system.run is None:
            system = System.model_validate({**plain_case(system), "run": STANDARD_RUN})
        self.rod_types = {name: str(body.joint) for name, body in system.bodies.items() if name.startswith("rod")}
        self.system = system = with_grips(system)
        self.notes = conversion.notes
        self.bodies = [name for name in system.bodies if name.startswith("body")]
        self.rods = list(self.rod_types)
        self.driven = handles(system)
        self.points = point_places(system)
        self.coupled: Coupled | None = None
        self.velocity: Array | None = None  # (dof,) given last
        self.time = 0.0  # s, at which it was given
        self.winding: dict[str, float] = {}  # m/s by line
        self.takes_water = any(note.sentence.startswith(WATER_FROM_OUTSIDE) for note in conversion.notes)
        self.water: Any = None  # CallersWater of moordyn_water.py
        self.log: Path | None = None
        self.is_open = True

    @property
    def dof(self) -> int:
        """Number of coupled degrees of freedom."""
        return sum(handle.dof for handle in self.driven)

    def slices(self) -> Iterator[tuple[Handle, slice]]:
        """Coupled parts, and where theirs are among all degrees of freedom."""
        first = 0
        for handle in self.driven:
            yield handle, slice(first, first + handle.dof)
            first += handle.dof

    def running(self) -> Coupled:
        """The simulation; RuntimeError before Init and after Close."""
        if self.coupled is None:
            raise RuntimeError("the system is closed" if not self.is_open else "call Init first")
        return self.coupled

    def state(self) -> State:
        """Where everything is."""
        return self.running().state


def point_place(instance: Instance, place: str) -> tuple[Array, Array]:
    """Position (m) and velocity (m/s) of a point, or of one that a body carries: BODY.pointN."""
    state, model = instance.state(), instance.running().model
    if "." not in place:
        k = model.names.points.index(place)
        return state.point_position[k], state.point_velocity[k]
    body, _, attachment = place.partition(".")
    return _on_body(instance, body, np.array(instance.system.bodies[body].attachments[attachment]))


def _on_body(instance: Instance, body: str, arm: Array) -> tuple[Array, Array]:
    """Position and velocity of places of a body, of which `arm` (..., 3) holds the arms in its frame, m."""
    state, k = instance.state(), instance.running().model.names.bodies.index(body)
    out = arm @ rotation_matrix(state.body_quaternion[k]).T
    return state.body_position[k] + out, state.body_velocity[k] + np.cross(state.body_rate[k], out)


def body_place(instance: Instance, name: str) -> Array:
    """Position of the origin of a body, m."""
    place: Array = instance.state().body_position[instance.running().model.names.bodies.index(name)]
    return place


def rod_nodes(instance: Instance, name: str) -> tuple[Array, Array]:
    """Positions (m) and velocities (m/s), (ROD_NODES, 3) each, of nodes of a rod from end A to end B."""
    end = np.array(instance.system.bodies[name].attachments["b"])
    return _on_body(instance, name, np.linspace(0.0, 1.0, ROD_NODES)[:, None] * end)


class Part(NamedTuple):
    """A point, line, body or rod of an instance; `name` is that of the case, or that of a place on a body."""

    instance: Instance
    kind: str
    number: int
    name: str


def takes(kind: str) -> Callable[[_Function], _Function]:
    """Raise RuntimeError, as callers of MoorDyn expect, for what is wrong; the first argument must be a `kind`."""

    def wrap(function: _Function) -> _Function:
        @wraps(function)
        def call(first: Any, *arguments: Any, **named: Any) -> Any:
            own = "system" if isinstance(first, Instance) else first.kind if isinstance(first, Part) else None
            if own != kind and (own is None or kind != "part"):
                raise RuntimeError(f"a {kind} is needed here, not {'a ' + own if own else type(first).__name__}")
            try:
                return function(first, *arguments, **named)
            except (InputError, ConvergenceError) as error:
                raise RuntimeError(str(error)) from None

        return call  # type: ignore[return-value]

    return wrap


def number(value: Any, what: str) -> float:
    """A finite number, or InputError."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} {value!r} is not a number") from None
    if not math.isfinite(found):
        raise InputError(f"{what} {found} is not finite")
    return found


def path_of(filepath: Any) -> Path:
    """A path, or InputError."""
    if not isinstance(filepath, str | Path) or not str(filepath):
        raise InputError(f"{filepath!r} is not the path of a file")
    return Path(filepath)


def plain_case(system: System) -> dict[str, Any]:
    """The case as plain data."""
    plain: dict[str, Any] = system.model_dump(by_alias=True, exclude_unset=True, mode="json")
    return plain


def point_places(system: System) -> dict[int, str]:
    """Names of points by number: a point of the case, or BODY.pointN where a body carries it."""
    found: dict[int, str] = {}
    places = [*system.points, *(f"{name}.{at}" for name, body in system.bodies.items() for at in body.attachments)]
    for place in places:
        last = place.rpartition(".")[2]
        if last.startswith("point") and last[5:].isdigit():
            found[int(last[5:])] = place
    return found
