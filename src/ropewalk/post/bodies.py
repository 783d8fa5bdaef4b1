"""What bodies did in a run: histories in the terms of an engineer, and events that must not pass unseen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_SPHERE
from ropewalk.model.environment import Sea, build_sea
from ropewalk.model.model import Model, build
from ropewalk.results.derived import rotated
from ropewalk.spec.system import System

if TYPE_CHECKING:
    from ropewalk.model.arrays import Array, Flags
    from ropewalk.model.bodies import Hulls
    from ropewalk.results.record import Recorded

CAPSIZED = 90.0  # degrees from the vertical
SAME = 1e-9  # of the length of a hull: feet this near to its end are of its last section
SUNK = 10.0  # s that a hull must stay under water to be called sunk, not washed over


class Event(NamedTuple):
    """Something that happened to a part."""

    time: float  # s, when it began
    part: str
    kind: str  # capsized, sunk, dry or overload; of events.py also touchdown, slack or snap
    text: str


def buoy_histories(results: Recorded, body: str) -> dict[str, Array]:
    """Histories of one body.

    `centre` (n, 3): its mass centre, m; `surface` (n,): elevation over it, m; `cone` (n,): angle between its z axis and
    the vertical, degrees; `freeboard` (n,): lowest point of the deck's rim above the surface, m (NaN without a hull);
    `offset` (n,): horizontal way from the first record, m; `tension` (n, 2): at both ends of the first line on it, N
    (n, 0 without one).
    """
    system = system_of(results)
    k, turn, origin = _poses(results, system, body)
    model = build(system)
    centre = origin + turn @ model.bodies.centre[k]
    surface = _elevation(model.sea, results.variables["time"].values, centre)
    lines = [name for name, line in system.lines.items() if body in (line.from_.split(".")[0], line.to.split(".")[0])]
    tension = np.zeros((origin.shape[0], 0))
    if lines:
        tension = results.variables["end_tension"].values[:, results.variables["line"].values.tolist().index(lines[0])]
    return {
        "centre": centre,
        "surface": surface,
        "cone": np.degrees(np.arccos(np.clip(turn[:, 2, 2], -1.0, 1.0))),
        "freeboard": vertical_extent(model, k, turn, highest=True, deck=True) + origin[:, 2] - surface,
        "offset": np.linalg.norm(origin[:, :2] - origin[0, :2], axis=1),
        "tension": tension,
    }


def air_gaps(results: Recorded, body: str) -> dict[str, Array]:
    """Height of each attachment of a body above the surface right over or under it, m: (n,) by name."""
    system = system_of(results)
    _, turn, origin = _poses(results, system, body)
    gaps, sea = {}, build_sea(system.environment)
    for name, place in system.bodies[body].attachments.items():
        x = origin + turn @ np.array(place)
        gaps[name] = x[:, 2] - _elevation(sea, results.variables["time"].values, x)
    return gaps


def _poses(results: Recorded, system: System, body: str) -> tuple[int, Array, Array]:
    """Number of a body, its attitudes (n, 3, 3) and the places of its origin (n, 3), m."""
    if body not in system.bodies:
        raise InputError(f"no body '{body}'. Available: {', '.join(system.bodies) or 'none'}")
    k = list(system.bodies).index(body)
    turn = rotations(results.variables["body_quaternion"].values[:, k])
    return k, turn, results.variables["body_position"].values[:, k]


class Kept:
    """What events follow from: arrays of a result from one of its records on."""

    def __init__(self, results: Recorded, first: int = 0) -> None:
        self._variables, self._first = results.variables, first
        self._turns: dict[int, Array] = {}
        self._tensions: dict[str, tuple[Array, Array]] = {}
        self._grounded = self._variables["line"].values.tolist() if "grounded" in self._variables else []
        self.time = self.values("time")

    def values(self, name: str) -> Array:
        """A variable over time."""
        values: Array = self._variables[name].values[self._first :]
        return values

    def turn(self, k: int) -> Array:
        """(n, 3, 3) attitudes of body k."""
        if k not in self._turns:
            self._turns[k] = rotations(self.values("body_quaternion")[:, k])
        return self._turns[k]

    def tensions(self, line: str) -> tuple[Array, Array]:
        """(n,) smallest and largest tension in a line, N."""
        if line not in self._tensions:
            own = np.flatnonzero(self._variables["node_line"].values == line)
            along = self.values("tension")[:, own[0] : own[-1] + 1]  # nodes of a line lie together
            by_node = np.ascontiguousarray(along.T)  # numpy is slow along short rows
            self._tensions[line] = np.minimum.reduce(by_node), np.maximum.reduce(by_node)
        return self._tensions[line]

    def grounded(self, line: str) -> Array | None:
        """(n,) length of a line on the bed, m; None if it is not kept."""
        return self.values("grounded")[:, self._grounded.index(line)] if line in self._grounded else None


def events_of_bodies(kept: Kept, system: System, model: Model) -> list[Event]:
    """Capsizing, sinking and dry-out of bodies, and lines over their breaking load; not in order."""
    time = kept.time
    found: list[Event] = []
    for k, (name, body) in enumerate(system.bodies.items()):
        if body.joint != "free" or not body.all_hulls:
            continue
        turn, origin = kept.turn(k), kept.values("body_position")[:, k]
        surface = _elevation(model.sea, time, origin)
        cone = np.degrees(np.arccos(np.clip(turn[:, 2, 2], -1.0, 1.0)))
        found += first_event(
            time, cone > CAPSIZED, name, "capsized", f"'{name}' is tilted by more than {CAPSIZED:g} degrees"
        )
        top = origin[:, 2] + vertical_extent(model, k, turn, highest=True) - surface
        bottom = origin[:, 2] + vertical_extent(model, k, turn, highest=False) - surface
        found += first_event(time, bottom > 0.0, name, "dry", f"'{name}' is out of the water")
        # what is under water from the beginning and stays at its depth was made to be there
        sinks = top[0] >= 0.0 or top[0] - top[-1] > float((top - bottom)[0])
        under = _lasting(time, (top < 0.0) & sinks, SUNK)
        found += first_event(time, under, name, "sunk", f"'{name}' stays under water for {SUNK:g} s or more")
    limit = breaking_loads(model)
    for i, name in enumerate(system.lines):
        if np.isfinite(limit[i]):
            largest = kept.tensions(name)[1]
            text = f"tension of '{name}' up to {largest.max():.4g} N, above its breaking load of {limit[i]:.4g} N"
            found += first_event(time, largest > limit[i], name, "overload", text)
    return found


def system_of(results: Recorded) -> System:
    """The case of a result."""
    return System.model_validate_json(results.attrs["system"])


def _elevation(sea: Sea, time: Array, position: Array) -> Array:
    from ropewalk.physics.elevations import elevations

    x, y = np.array(position[:, 0]), np.array(position[:, 1])
    surface: Array = elevations(sea.wave, x, y, np.array(time, dtype=np.float64))
    return surface


def rotations(quaternion: Array) -> Array:
    """(n, 3, 3) rotation matrices, body to world, of (n, 4) unit quaternions."""
    together = np.asfortranarray(quaternion)
    return np.stack([rotated(together, axis[None]) for axis in np.eye(3)], axis=2)


def vertical_extent(model: Model, k: int, turn: Array, *, highest: bool, deck: bool = False) -> Array:
    """Height over the origin of the hulls' highest or lowest point, or of the lowest point of the deck's rim, m.

    The deck is that of the hull that reaches highest in the frame of the body.
    """
    hulls, own = model.bodies.hulls, model.bodies.hulls_of(k)
    if not own:
        return np.full(turn.shape[0], np.nan)
    if deck:
        top = max(own, key=lambda h: _reach(hulls, h, np.eye(3)[None], True)[0])
        if hulls.kind[top] != HULL_SPHERE:
            return _reach(hulls, top, turn, False, rim=True)
        own = [top]
    rows = np.array([_reach(hulls, h, turn, highest) for h in own])
    extent: Array = rows.max(axis=0) if highest else rows.min(axis=0)
    return extent


def _reach(hulls: Hulls, h: int, turn: Array, highest: bool, *, rim: bool = False) -> Array:
    """(n,) height over the body's origin of the highest or lowest point of hull h, or of its last section, m."""
    sign = 1.0 if highest else -1.0
    place: Array = turn[:, 2] @ hulls.place[h]
    if hulls.kind[h] == HULL_SPHERE:
        return place + sign * hulls.radius[h]
    if hulls.kind[h] != HULL_AXISYMMETRIC:  # its profile has the areas of its sections, its feet their breadth
        feet, along = hulls.feet(h), (hulls.feet(h) - hulls.place[h]) @ hulls.axis[h]
        heights = turn[:, 2] @ (feet[along >= along.max() - SAME * np.ptp(along)] if rim else feet).T
        return np.asarray(heights.max(axis=1) if highest else heights.min(axis=1))
    rings = hulls.shape(h)[-1:] if rim else hulls.shape(h)
    c = turn[:, 2] @ hulls.axis[h]
    s = np.sqrt(np.maximum(0.0, 1.0 - c * c))
    edge = rings[:, :1] * c + sign * rings[:, 1:2] * s
    found: Array = place + (edge.max(axis=0) if highest else edge.min(axis=0))
    return found


def breaking_loads(model: Model) -> Array:
    """(n_lines,) N, of the weakest section of each line; infinite where none is known."""
    lines = model.lines
    loads = model.sections.breaking_load[lines.piece_section]
    return np.array([loads[a:b].min() for a, b in zip(lines.piece_start[:-1], lines.piece_start[1:], strict=True)])


def first_event(time: Array, happens: Flags, part: str, kind: str, text: str) -> list[Event]:
    """The first time at which something `happens`, as an event; none if it does not."""
    at = np.flatnonzero(happens)
    return [Event(float(time[at[0]]), part, kind, f"{text} from t = {time[at[0]]:g} s")] if at.size else []


def _lasting(time: Array, happens: Flags, least: float) -> Flags:
    """True where a stretch begins in which `happens` holds for at least so long (s)."""
    lasting: Flags = np.zeros(time.size, dtype=bool)
    begin = -1
    for i, now in enumerate(happens.tolist() if happens.any() else ()):
        if now and begin < 0:
            begin = i
        if begin >= 0 and (not now or i == time.size - 1):
            lasting[begin] = time[i] - time[begin] >= least
            begin = -1
    return lasting
