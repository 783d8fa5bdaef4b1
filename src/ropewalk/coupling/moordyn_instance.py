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
from ropewalk.io.attitudes import from_case, from_moordyn, to_case
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
    home: Array  # (3, 3) body to world where the caller's angles are none: a rod then lies as in the file


class Habit(NamedTuple):
    r"""What the calls so far show of what a caller gives as velocities: sums over them.

    With :math:`a = x_1 - x_0 - h v_0`, what a velocity misses the next place by, and
    :math:`b = \tfrac12 h (v_1 - v_0)`.
    """

    missed: float = 0.0  # a . b of places, m2
    moved: float = 0.0  # b . b of places
    missed_angles: float = 0.0  # the same of angles, rad2
    turned: float = 0.0
    off_as_rates: float = 0.0  # rad2, squares of what velocities miss angles by if they are rates of angles
    off_as_spin: float = 0.0  # the same, if they are angular velocities


class Call(NamedTuple):
    """What a caller of `step` gave."""

    time: float  # s
    place: Array  # (dof,) m, rad
    velocity: Array  # (dof,) m/s, and rad/s of angular velocities or of angles
    change: Array  # (dof,) of the velocity since the call before, m/s2, rad/s2
    habit: Habit = Habit()


GRIP = "grip"  # body that holds a coupled one: what pulls at it is what pulls at that, its own weight included
_OWN_LOADS = (
    "mass",
    "volume",
    "hull",
    "loads",
    "drag_areas",
    "point_masses",
    "added_mass",
    "damping",
    "quadratic_damping",
)


def with_grips(system: System) -> System:
    """The case with coupled rods, and coupled bodies that have loads of their own, as free bodies.

    Each is linked rigidly to a coupled one without mass, so that the force on that one is the whole force.
    """
    plain = plain_case(system)
    held = [name for name, body in system.bodies.items() if body.joint == "coupled" and _has_loads(plain, name)]
    if not held:
        return system
    for name in held:
        body = plain["bodies"][name]
        body["joint"] = "free"
        body.setdefault("attachments", {})[GRIP] = [0.0, 0.0, 0.0]
        place = {key: body[key] for key in ("position", "attitude") if key in body}
        grip = {"mass": 0.0, "joint": "coupled", "attachments": {"a": [0.0, 0.0, 0.0]}, **place}
        plain["bodies"][f"{name}_{GRIP}"] = grip
        link = {"kind": "rigid", "between": [f"{name}.{GRIP}", f"{name}_{GRIP}.a"]}
        plain.setdefault("links", {})[f"{name}_{GRIP}"] = link
    return System.model_validate(plain)


def _has_loads(plain: dict[str, Any], name: str) -> bool:
    body = plain["bodies"][name]
    return name.startswith("rod") or any(body.get(key) for key in _OWN_LOADS)


def handles(system: System) -> list[Handle]:
    """Coupled parts in MoorDyn's order: bodies, rods, points, each kind in the order of the file."""
    found: list[tuple[int, int, Handle]] = []
    kinds = ("body", "rod", "point")
    for name, body in system.bodies.items():
        if body.joint == "coupled":
            home = from_case(tuple(body.attitude)) if name.startswith("rod") else np.eye(3)
            found.append((*_order(name, kinds), Handle(name, True, 6, home)))
    for place, (name, point) in enumerate(system.points.items()):
        if point.joint == "coupled":  # rods without length have angles, too, which do nothing
            kind, number = _order(name, kinds)
            dof = 6 if kind == kinds.index("rod") and not name.endswith("_pin") else 3
            found.append((kind, place if kind == kinds.index("point") else number, Handle(name, False, dof, np.eye(3))))
    return [handle for _, _, handle in sorted(found, key=lambda entry: entry[:2])]


def _order(name: str, kinds: Sequence[str]) -> tuple[int, int]:
    """Kind and number of a part, by its name."""
    found = _NAME.fullmatch(name)
    return (len(kinds), 0) if found is None else (kinds.index(found[1]), int(found[2]))


def stepped(system: System) -> System:
    """The case as MoorDyn steps it: with settings of a run, and with waves that begin at their full height."""
    plain = plain_case(system)
    plain.setdefault("run", STANDARD_RUN)
    if plain["environment"].get("waves"):
        plain["environment"]["waves"].setdefault("ramp", 0.0)
    return System.model_validate(plain)


class Instance:
    """What `Create` returns."""

    def __init__(self, path: str) -> None:
        self.path = Path(path or DEFAULT_FILE)
        conversion = read_moordyn(self.path, Wishes(driven=True))
        system = stepped(conversion.system)
        self.joints = {name: str(body.joint) for name, body in system.bodies.items()}  # of bodies and rods
        self.system = system = with_grips(system)
        self.notes = conversion.notes
        self.bodies = [name for name in self.joints if name.startswith("body")]
        self.rods = [name for name in self.joints if name.startswith("rod")]
        self.driven = handles(system)
        self.points = point_places(system)
        self.coupled: Coupled | None = None
        self.last: Call | None = None  # of `step`
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


def placed(instance: Instance, x: Array) -> System:
    """The case with its coupled parts at x (dof,), and what is linked to them moved along."""
    plain = plain_case(instance.system)
    for handle, own in instance.slices():
        at = x[own]
        if handle.is_body:
            _move(plain, handle.name, at[:3], from_moordyn(tuple(np.degrees(at[3:]))) @ handle.home, set())
            continue
        plain["points"][handle.name]["position"] = at[:3].tolist()
        for body, _ in _linked(plain, handle.name):
            _move(plain, body, at[:3], _attitude(plain, body), set())
    return System.model_validate(plain)


def _attitude(plain: dict[str, Any], name: str) -> Array:
    return from_case(tuple(plain["bodies"][name].get("attitude", (0.0, 0.0, 0.0))))


def _linked(plain: dict[str, Any], name: str) -> Iterator[tuple[str, str]]:
    """Bodies that are linked to a part, and the names of the links."""
    for link, part in plain.get("links", {}).items():
        ends = [end.partition(".")[0] for end in part["between"]]
        if name in ends:
            other = ends[1 - ends.index(name)]
            if other in plain["bodies"]:
                yield other, link


def _move(plain: dict[str, Any], name: str, place: Array, turn: Array, gone: set[str]) -> None:
    """Put a body with its origin at `place` (m) in the attitude `turn`, and bodies linked to it as they lie on it.

    gone : links that were followed
    """
    body = plain["bodies"][name]
    before, swing = np.array(body.get("position", (0.0, 0.0, 0.0))), turn @ _attitude(plain, name).T
    body.update(position=place.tolist(), attitude=to_case(turn))
    for other, link in list(_linked(plain, name)):
        if link not in gone:
            own = plain["bodies"][other]
            arm = swing @ (np.array(own.get("position", (0.0, 0.0, 0.0))) - before)
            _move(plain, other, place + arm, swing @ _attitude(plain, other), gone | {link})


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
