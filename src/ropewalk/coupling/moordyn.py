"""The names of the `moordyn` Python package over the solvers of ropewalk: its scripts run with one changed import.

Coupled degrees of freedom come in MoorDyn's order: coupled bodies, then rods (position and XYZ angles in rad; velocity
and angular velocity; of pinned ones position and velocity alone), then points (position; velocity). `Step` takes the
state at the start of a step. MoorDyn moves the parts at that velocity through the step; here the change of velocity
since the last steps is taken into account as well. The forces returned are those at the end of the step: of lines,
points and rods on a coupled body with their weight, water and inertia, about its origin; all of a coupled rod, about
its end A; on a coupled point the whole reaction. Mass, volume and drag of a coupled body itself are the caller's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk.coupling.coupled import Coupled
from ropewalk.coupling.moordyn_calls import ahead
from ropewalk.coupling.moordyn_instance import (
    ROD_NODES,
    SUCCESS,
    Call,
    Habit,
    Instance,
    Part,
    number,
    path_of,
    placed,
    point_place,
    rod_nodes,
    takes,
)
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.io.attitudes import from_moordyn, to_moordyn
from ropewalk.model.arrays import Array
from ropewalk.model.state import State, rotation_matrix
from ropewalk.numerics.rotations import quaternion_from_matrix
from ropewalk.results.files import MODE, PLAIN, write_whole

LEVEL_DBG, LEVEL_MSG, LEVEL_WRN, LEVEL_ERR, LEVEL_NONE = 0, 1, 2, 3, 4096
COUPLED, FREE, FIXED = -1, 0, 1

_TYPES = {"coupled": COUPLED, "free": FREE, "fixed": FIXED}


# --- the system ---


def create(filepath: str = "") -> Instance:
    """Read a MoorDyn input file."""
    try:
        return Instance(str(filepath or ""))
    except (InputError, ConvergenceError) as error:
        raise RuntimeError(str(error)) from None


@takes("system")
def init(instance: Instance, x: Sequence[float] = (), v: Sequence[float] = ()) -> int:
    """Find the equilibrium with the coupled parts at `x`; they move off at `v`."""
    if not instance.is_open:
        raise RuntimeError("the system is closed")
    place, _ = _checked(instance, x, v)
    instance.coupled = Coupled(placed(instance, place))
    instance.last, instance.water = None, None
    _log_doubts(instance)
    return SUCCESS


@takes("system")
def step(instance: Instance, x: Sequence[float], v: Sequence[float], t: float, dt: float) -> tuple[float, ...]:
    """Move from t to t + dt (s) and give the forces on the coupled parts there."""
    coupled = instance.running()
    t, dt = number(t, "time"), number(dt, "step")
    place, speed = _checked(instance, x, v)
    for name, rate in instance.winding.items():
        if rate:
            length = coupled.length(name) + rate * dt
            coupled.set(f"lines.{name}.pieces.0.length", length)
    there, arriving = ahead(instance, Call(t, place, speed, np.zeros_like(speed)), dt)
    forces = coupled.step(dt, _states(instance, there, arriving))
    found: list[float] = []
    for handle in instance.driven:
        values = [float(value) for vector in forces[handle.name] for value in vector]
        found += values + [0.0] * (handle.dof - len(values))
    return tuple(found)


@takes("system")
def close(instance: Instance) -> int:
    """Let the memory go; harmless the second time."""
    _log_doubts(instance)
    instance.coupled, instance.is_open = None, False
    return SUCCESS


@takes("system")
def coupled_dof(instance: Instance) -> int:
    """Number of coupled degrees of freedom."""
    return instance.dof


def _checked(instance: Instance, x: Sequence[float], v: Sequence[float]) -> tuple[Array, Array]:
    try:
        place, speed = np.array(x, dtype=np.float64).ravel(), np.array(v, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise InputError("positions and velocities must be lists of numbers") from None
    if not (np.isfinite(place).all() and np.isfinite(speed).all()):
        raise InputError(f"positions and velocities must be finite; given were {place.tolist()}, {speed.tolist()}")
    if place.size != instance.dof or speed.size != instance.dof:
        raise InputError(
            f"{place.size} positions and {speed.size} velocities were given; the system has {instance.dof} coupled "
            "degrees of freedom"
        )
    return place, speed


def _states(instance: Instance, x: Array, v: Array) -> dict[str, tuple[Array, ...]]:
    found: dict[str, tuple[Array, ...]] = {}
    for handle, own in instance.slices():
        at, rate = x[own], v[own]
        if handle.is_body:
            turn = quaternion_from_matrix(from_moordyn(tuple(np.degrees(at[3:]))) @ handle.home)
            found[handle.name] = at[:3], turn, rate[:3], rate[3:]
        else:
            found[handle.name] = at[:3], rate[:3]
    return found


# --- saving ---


@takes("system")
def serialize(instance: Instance) -> bytes:
    """All that the next step depends on."""
    last = None if instance.last is None else [np.asarray(value).tolist() for value in instance.last]
    head = json.dumps({"last": last, "winding": instance.winding})
    return head.encode() + b"\n" + instance.running().save()


@takes("system")
def deserialize(instance: Instance, saved: bytes) -> int:
    """Go on from what was serialised."""
    if not isinstance(saved, bytes | bytearray | memoryview):
        raise InputError(f"a saved state is bytes, not {type(saved).__name__}")
    head, _, rest = bytes(saved).partition(b"\n")
    try:
        given = json.loads(head)
        last, winding = given["last"], dict(given["winding"])
        if last is not None:
            place, velocity, change = (np.array(values, dtype=np.float64) for values in last[1:4])
            last = Call(float(last[0]), place, velocity, change, Habit(*last[4]))
    except (ValueError, LookupError, TypeError):
        raise InputError("the saved state cannot be restored: its header is damaged") from None
    instance.running().restore(rest)
    instance.last, instance.winding = last, winding
    return SUCCESS


@takes("system")
def save(instance: Instance, filepath: str) -> int:
    """`serialize` into a file."""
    write_whole(path_of(filepath), serialize(instance))
    return SUCCESS


@takes("system")
def load(instance: Instance, filepath: str) -> int:
    """Go on from a file of `save`."""
    try:
        saved = path_of(filepath).read_bytes()
    except OSError as error:
        raise InputError(f"{filepath}: {error.strerror}") from None
    return int(deserialize(instance, saved))


# --- parts ---


def _part(instance: Instance, kind: str, which: int, names: dict[int, str]) -> Part:
    if not isinstance(which, int | np.integer) or which not in names:
        raise RuntimeError(f"there is no {kind} {which!r}; the system has {len(names)}")
    return Part(instance, kind, int(which), names[int(which)])


@takes("system")
def get_point(instance: Instance, which: int) -> Part:
    """A point, by its number from 1."""
    return _part(instance, "point", which, instance.points)


@takes("system")
def get_line(instance: Instance, which: int) -> Part:
    """A line, by its number from 1."""
    return _part(instance, "line", which, _numbered(instance.system.lines, "line"))


@takes("system")
def get_body(instance: Instance, which: int) -> Part:
    """A body, by its number from 1."""
    return _part(instance, "body", which, _numbered(instance.bodies, "body"))


@takes("system")
def get_rod(instance: Instance, which: int) -> Part:
    """A rod, by its number from 1."""
    return _part(instance, "rod", which, _numbered(instance.rods, "rod"))


def _numbered(names: Any, head: str) -> dict[int, str]:
    return {int(name[len(head) :]): name for name in names if name[len(head) :].isdigit()}


@takes("part")
def part_id(part: Part) -> int:
    """Its number in the file."""
    return part.number


@takes("part")
def part_type(part: Part) -> int:
    """Coupled -1, free 0, fixed 1."""
    system = part.instance.system
    holder = part.name.partition(".")[0]
    if part.kind == "point" and "." in part.name:
        return FIXED  # to its body
    joint = system.points[holder].joint if part.kind == "point" else part.instance.joints[part.name]
    return _TYPES.get(str(joint), FREE)


@takes("point")
def point_position(part: Part) -> tuple[float, ...]:
    """Where a point is, m."""
    return _tuple(point_place(part.instance, part.name)[0])


@takes("point")
def point_velocity(part: Part) -> tuple[float, ...]:
    """How it moves, m/s."""
    return _tuple(point_place(part.instance, part.name)[1])


@takes("point")
def point_force(part: Part) -> tuple[float, ...]:
    """Sum of the forces of the lines at a point, N."""
    instance = part.instance
    state, lines = instance.state(), instance.running().system.lines
    total = np.zeros(3)
    for k, line in enumerate(lines.values()):
        for end, place in enumerate((line.from_, line.to)):
            if place == part.name:
                total += state.end_force[k, end]
    return _tuple(total)


@takes("body")
def body_state(part: Part) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Position and XYZ angles (m, rad), velocity and angular velocity (m/s, rad/s) of a body."""
    state = part.instance.state()
    k = part.instance.running().model.names.bodies.index(part.name)
    angles = np.radians(to_moordyn(rotation_matrix(state.body_quaternion[k])))
    return (
        _tuple(np.concatenate([state.body_position[k], angles])),
        _tuple(np.concatenate([state.body_velocity[k], state.body_rate[k]])),
    )


@takes("rod")
def rod_segments(part: Part) -> int:
    """Number of segments of a rod."""
    return rod_node_count(part) - 1


@takes("rod")
def rod_node_count(part: Part) -> int:
    """Number of nodes of a rod."""
    return len(rod_nodes(part.instance, part.name)[0])


@takes("rod")
def rod_node_position(part: Part, i: int) -> tuple[float, ...]:
    """Position of node i of a rod, from end A, m."""
    at = _index(part, i, ROD_NODES)
    return _tuple(rod_nodes(part.instance, part.name)[0][at])


@takes("rod")
def rod_node_velocity(part: Part, i: int) -> tuple[float, ...]:
    """Velocity of node i of a rod, from end A, m/s."""
    at = _index(part, i, ROD_NODES)
    return _tuple(rod_nodes(part.instance, part.name)[1][at])


def _index(part: Part, i: int, count: int) -> int:
    if not isinstance(i, int | np.integer) or not 0 <= i < count:
        raise InputError(f"{part.kind} {part.number} has no node {i!r}; it has {count}, from 0")
    return int(i)


# --- lines ---


def _nodes(part: Part) -> tuple[State, slice, int]:
    state = part.instance.state()
    k = part.instance.running().model.names.lines.index(part.name)
    return state, slice(int(state.start[k]), int(state.start[k + 1])), k


def _node(part: Part, i: int) -> tuple[State, int]:
    state, nodes, _ = _nodes(part)
    return state, nodes.start + _index(part, i, nodes.stop - nodes.start)


@takes("line")
def line_nodes(part: Part) -> int:
    """Number of nodes."""
    _, nodes, _ = _nodes(part)
    return nodes.stop - nodes.start


@takes("line")
def line_segments(part: Part) -> int:
    """Number of segments."""
    return line_nodes(part) - 1


@takes("line")
def line_node_position(part: Part, i: int) -> tuple[float, ...]:
    """Position of node i, m."""
    state, at = _node(part, i)
    return _tuple(state.position[at])


@takes("line")
def line_node_velocity(part: Part, i: int) -> tuple[float, ...]:
    """Velocity of node i, m/s."""
    state, at = _node(part, i)
    return _tuple(state.velocity[at])


@takes("line")
def line_node_tension(part: Part, i: int) -> tuple[float, ...]:
    """Tension at node i as a vector along the line, towards end B, N."""
    state, at = _node(part, i)
    _, nodes, k = _nodes(part)
    if i == 0:
        return _tuple(state.end_force[k, 0])
    if at == nodes.stop - 1:
        return _tuple(-state.end_force[k, 1])
    way = state.position[at + 1] - state.position[at - 1]
    return _tuple(state.tension[at] * way / np.linalg.norm(way))


@takes("line")
def line_fairlead_tension(part: Part) -> float:
    """Tension at end B: the true reaction, N."""
    state, _, k = _nodes(part)
    return float(np.linalg.norm(state.end_force[k, 1]))


@takes("line")
def line_largest_tension(part: Part) -> float:
    """Largest tension along a line, N."""
    state, nodes, k = _nodes(part)
    return float(max(state.tension[nodes].max(), *np.linalg.norm(state.end_force[k], axis=1)))


@takes("line")
def line_length(part: Part) -> float:
    """Unstretched length, m."""
    coupled = part.instance.coupled
    return part.instance.system.lines[part.name].length if coupled is None else coupled.length(part.name)


@takes("line")
def set_line_length(part: Part, length: float) -> int:
    """Change the unstretched length (m) from now on."""
    part.instance.running().set(f"lines.{part.name}.pieces.0.length", number(length, "length"))
    return SUCCESS


@takes("line")
def set_line_length_rate(part: Part, rate: float) -> int:
    """Wind line out (m/s, positive) or in, from the next step on."""
    part.instance.winding[part.name] = number(rate, "rate")
    return SUCCESS


@takes("system")
def end_tensions(instance: Instance, n_lines: int) -> tuple[list[float], list[float], list[float], list[float]]:
    """Horizontal and vertical tension at the fairleads, then at the anchors, of the first `n_lines` lines, N."""
    force = instance.state().end_force
    if not isinstance(n_lines, int | np.integer) or not 0 <= n_lines <= len(force):
        raise InputError(f"tensions of {n_lines!r} lines were requested; the system has {len(force)} lines")
    force = force[:n_lines]
    level = np.hypot(force[..., 0], force[..., 1])
    # MoorDyn's signs: vertical tension is that on the line
    return level[:, 1].tolist(), (-force[:, 1, 2]).tolist(), level[:, 0].tolist(), force[:, 0, 2].tolist()


# --- messages ---


@takes("system")
def set_verbosity(instance: Instance, verbosity: int) -> int:
    """Accepted; ropewalk raises errors and prints nothing."""
    return SUCCESS


@takes("system")
def set_log_file(instance: Instance, filepath: str) -> int:
    """Where `log` writes."""
    instance.log = path_of(filepath)
    return SUCCESS


@takes("system")
def set_log_level(instance: Instance, level: int) -> int:
    """Accepted, as `set_verbosity`."""
    return SUCCESS


@takes("system")
def log(instance: Instance, level: int, msg: str) -> int:
    """Add a line to the log file, if there is one."""
    if instance.log is not None:
        try:
            descriptor = os.open(instance.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | PLAIN, MODE)
            with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
                stream.write(f"{msg}\n")
        except OSError as error:
            raise InputError(f"{instance.log}: {error.strerror}") from None
    return SUCCESS


@takes("system")
def doubts(instance: Instance) -> tuple[str, ...]:
    """What is doubtful about the equilibrium and the steps so far: `doubt CODE: SENTENCE` each."""
    return tuple(str(doubt) for doubt in instance.running().doubts)


def _log_doubts(instance: Instance) -> None:
    """The doubts so far into the log file, if there is one."""
    if instance.coupled is not None and instance.log is not None:
        for sentence in doubts(instance):
            log(instance, LEVEL_WRN, sentence)


def _tuple(vector: Any) -> tuple[float, ...]:
    return tuple(float(value) for value in vector)
