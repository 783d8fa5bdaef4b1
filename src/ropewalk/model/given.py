"""Inputs that vary in time: forces on points, bodies and attachments, loads along lines, current and wind.

The arrays of a Model hold the loads at its time, 0 when it is built; :func:`at_time` replaces them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints, Records, floats, ints, records
from ropewalk.model.environment import field_row, sea_at
from ropewalk.model.in_time import FunctionBook
from ropewalk.physics.in_time import value_at
from ropewalk.spec import joints, lines
from ropewalk.spec.in_time import InTime, VectorValue, is_steady
from ropewalk.spec.system import System

if TYPE_CHECKING:
    from ropewalk.model.model import Model

ON_POINT, ON_BODY, TURN_BODY, ON_ATTACHMENT = 0, 1, 2, 3  # what a push acts on
PUSH = np.dtype(
    [
        ("kind", "i8"),
        ("part", "i8"),  # which point, body or attachment
        ("function", "i8"),  # N or N m against time
        ("direction", "f8", (3,)),  # in the world
    ],
    align=True,
)


class Given(NamedTuple):
    """The varying and the constant part of the same loads."""

    push: Records  # (n,) of PUSH
    load_factor: Ints  # (n_loads,) function that distributed loads are multiplied with, -1 for none
    # without what changes
    point_force: Array  # (n_points, 3) N
    body_force: Array  # (n_bodies, 3) N
    body_moment: Array  # (n_bodies, 3) N m
    attachment_force: Array  # (n_attachments, 3) N
    load_value: Array  # (n_loads,) N/m; where there is a factor, for a factor of 1
    load_table: Array  # (k, 4) s (m), force (N/m); the same

    @property
    def changes(self) -> bool:
        """True if a load changes in time."""
        return self.push.size > 0 or (self.load_factor.size > 0 and bool(np.any(self.load_factor >= 0)))

    def of_line(self, line: int, load_start: Ints) -> list[int]:
        """Distributed loads of a line that change."""
        own = range(int(load_start[line]), int(load_start[line + 1]))
        return [k for k in own if self.load_factor[k] >= 0]


NO_FORCES = floats([], (0, 3))
NO_PUSHES = records(0, PUSH)
NO_PUSHES.flags.writeable = False
NOTHING = Given(records(0, PUSH), ints([]), NO_FORCES, NO_FORCES, NO_FORCES, NO_FORCES, floats([]), floats([], (0, 4)))


def build_pushes(system: System, book: FunctionBook) -> tuple[Records, Ints]:
    """Applied forces of all parts, and the factors of distributed loads, in the order of the file."""
    rows: list[tuple[int, int, int, Array]] = []

    def push(kind: int, part: int, vector: VectorValue) -> None:
        if not is_steady(vector):
            rows.extend((kind, part, function, direction) for direction, function in book.add_vector(vector))

    for k, point in enumerate(system.points.values()):
        push(ON_POINT, k, point.force)
        for direction, function in _along_axes(point, book):
            rows.append((ON_POINT, k, function, direction))
    for k, body in enumerate(system.bodies.values()):
        push(ON_BODY, k, body.loads.force)
        push(TURN_BODY, k, body.loads.moment)
    attachments = [a for line in system.lines.values() for a in sorted(line.attachments, key=lambda a: a.s)]
    for k, attachment in enumerate(attachments):
        push(ON_ATTACHMENT, k, attachment.force)
    loads = [load for line in system.lines.values() for load in line.loads]
    if not rows:
        return NO_PUSHES, ints([_factor(load, book) for load in loads])
    found = records(len(rows), PUSH)
    for row, (kind, part, function, direction) in zip(found, rows, strict=True):
        row.kind, row.part, row.function, row.direction = kind, part, function, direction
    found.flags.writeable = False
    return found, ints([_factor(load, book) for load in loads])


def _along_axes(point: lines.Point, book: FunctionBook) -> list[tuple[Array, int]]:
    """Forces along the axes of a joint, including those of springs whose rest position moves."""
    if not isinstance(point.joint, joints.Joint):
        return []
    frame: Array = np.eye(3) if point.joint.frame is None else np.array(point.joint.frame)
    axes = (point.joint.axes.x, point.joint.axes.y, point.joint.axes.z)
    found = []
    for direction, axis in zip(frame, axes, strict=True):
        if isinstance(axis, joints.AxisForce) and isinstance(axis.force, InTime):
            found.append((direction, book.add_value(axis.force)))
        elif isinstance(axis, joints.AxisSpring) and isinstance(axis.rest, InTime):
            found.append((direction, book.add_value(axis.rest, axis.spring)))
    return [(direction, function) for direction, function in found if function >= 0]


def _factor(load: lines.LineLoad, book: FunctionBook) -> int:
    """Function of a varying load; for a pressure the value itself, because its array holds 1."""
    if isinstance(load, lines.PressureLoad) and isinstance(load.value, InTime):
        return book.add_value(load.value)
    if isinstance(load, lines.TableLoad) and load.factor != 1.0:
        return book.add_value(load.factor)
    return -1


def build_given(model: Model, push: Records, load_factor: Ints) -> Given:
    """The varying inputs of a model whose arrays hold the constant ones."""
    points, bodies, own = model.points, model.bodies, model.lines
    return Given(
        push=push,
        load_factor=load_factor,
        point_force=points.force,
        body_force=bodies.load_force,
        body_moment=bodies.load_moment,
        attachment_force=own.attachment_force,
        load_value=own.load_value,
        load_table=own.load_table,
    )


def at_time(model: Model, t: float) -> Model:
    """The model with the loads that act at time t (s); they still vary."""
    given = model.given
    if not given.changes:
        return model
    force = {
        ON_POINT: np.array(given.point_force),
        ON_BODY: np.array(given.body_force),
        TURN_BODY: np.array(given.body_moment),
        ON_ATTACHMENT: np.array(given.attachment_force),
    }
    for row in given.push:
        force[int(row.kind)][row.part] += value_at(t, row.function, model.functions)[0] * row.direction
    value, table = np.array(given.load_value), np.array(given.load_table)
    for k in np.flatnonzero(given.load_factor >= 0):
        factor = value_at(t, given.load_factor[k], model.functions)[0]
        value[k] *= factor
        table[model.lines.table_start[k] : model.lines.table_start[k + 1], 1:] *= factor
    return model._replace(
        points=model.points._replace(force=floats(force[ON_POINT], (-1, 3))),
        bodies=model.bodies._replace(
            load_force=floats(force[ON_BODY], (-1, 3)), load_moment=floats(force[TURN_BODY], (-1, 3))
        ),
        lines=model.lines._replace(
            attachment_force=floats(force[ON_ATTACHMENT], (-1, 3)),
            load_value=floats(value),
            load_table=floats(table, (-1, 4)),
        ),
    )


def without_changes(model: Model) -> Model:
    """The model with arrays that hold constant loads only; varying ones remain in `given`."""
    given = model.given
    if not given.changes:
        return model
    own = model.lines._replace(
        attachment_force=given.attachment_force, load_value=given.load_value, load_table=given.load_table
    )
    return model._replace(
        points=model.points._replace(force=given.point_force),
        bodies=model.bodies._replace(load_force=given.body_force, load_moment=given.body_moment),
        lines=own,
    )


def changes(model: Model) -> bool:
    """True if a load, the current or the wind changes in time."""
    sea = model.sea
    flow = max(sea.current_factor, sea.current_turn, sea.wind_factor, sea.wind_turn) >= 0
    return model.given.changes or flow or model.fields.acts


def still(model: Model, t: float = 0.0) -> Model:
    """The model with the loads, the current and the wind of time t (s) held constant, for statics."""
    if not changes(model):
        return model
    model = at_time(model, t)
    given = model.given._replace(push=model.given.push[:0], load_factor=ints(np.full(model.given.load_factor.size, -1)))
    sea = sea_at(model.sea, t)
    if model.fields.current is not None:
        field = field_row(model.fields.current.address, t, slope=model.fields.slope_address, still=True)
        sea = sea._replace(current_field=field)
    return model._replace(sea=sea, given=given, fields=model.fields._replace(time=t))
