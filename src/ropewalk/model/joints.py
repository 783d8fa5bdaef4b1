"""Arrays of points, their joints, and prescribed motions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Flags, Ints, Records, flags, floats, frozen, ints, records, sealed
from ropewalk.model.in_time import (
    FunctionBook,
    Functions,
    Piece,
    along,
    held_before,
    spline,
    steady,
    steady_vector,
    unit,
)
from ropewalk.physics.motion import COMPONENTS
from ropewalk.spec import joints as spec
from ropewalk.spec.lines import Point

HELD, FREE, SPRING = 0, 1, 2  # what holds a component of a joint
FIXED, LOOSE, MOVING = 0, 1, 2  # how a body is held
UPRIGHT = np.eye(3)  # frame of a joint along the axes of the world

# a component of a joint, with the law of its force (loads/given.py)
AXIS = np.dtype(
    [
        ("axis", "f8", (3,)),  # direction in the world
        ("pull", "f8"),  # force at the given position, N
        ("spring", "f8"),  # N/m
    ]
)


class Motions(NamedTuple):
    """Prescribed motions, read by physics/motion.py."""

    function: Ints  # (n, COMPONENTS) displacements (m) and rotation vector (rad) by component, -1 for none
    is_driven: Flags  # (n,) changed by another program as time goes on
    functions: Functions  # all functions of the case


class Points(NamedTuple):
    """Points where lines end. Components of a joint are in its frame."""

    position: Array  # (n, 3) m; reference of springs, first guess of free components
    joint: Ints  # (n, 3) HELD, FREE or SPRING
    frame: Array  # (n, 3, 3) rows are the joint's axes
    axis: Records  # (n, 3) of AXIS, in the order of the rows of `frame`
    mass: Array  # (n,) kg
    volume: Array  # (n,) m3
    drag_area: Array  # (n,) m2
    added_mass: Array  # (n,) kg
    force: Array  # (n, 3) N, in the world
    motion: Ints  # (n,) index into Motions, -1 for none


class MotionBook:
    """Collects motions while a model is built."""

    def __init__(self, book: FunctionBook) -> None:
        self._book = book
        self._rows: list[list[int]] = []
        self._is_driven: list[bool] = []

    def add(self, motion: spec.Motion | None, joint: object = None) -> int:
        """Index of `motion`, -1 for None unless the joint is coupled."""
        if motion is None and joint != "coupled":
            return -1
        self._rows.append(self._components(motion))
        self._is_driven.append(motion is None)
        return len(self._rows) - 1

    def _components(self, motion: spec.Motion | None) -> list[int]:
        """Functions of the displacements and of the rotation vector."""
        book, none = self._book, [-1] * 3
        if motion is None:  # a cubic for each component, to be changed in place
            return [book.add(pieces=[(0.0, 0.0, 0.0, 0.0, 0.0)]) for _ in range(COMPONENTS)]
        if isinstance(motion, spec.HarmonicMotion):
            terms = [(unit(t.direction), t.amplitude, t.omega, t.phase) for t in motion.terms]
            turns = [(unit(t.axis), math.radians(t.amplitude), t.omega, t.phase) for t in motion.rotations]
            return [book.add(0.0, motion.ramp, along(rows, j)) for rows in (terms, turns) for j in range(3)]
        if isinstance(motion, spec.TowMotion):
            return [book.add(pieces=_tow(speed, motion.ramp)) for speed in motion.velocity] + none
        assert isinstance(motion, spec.TableMotion)
        ways = [[row[j] for row in motion.displacement] for j in range(3)]
        if motion.rotation is not None:
            ways += [[math.radians(row[j]) for row in motion.rotation] for j in range(3)]
        found = [book.add(pieces=spline(motion.time, way, motion.after) if any(way) else ()) for way in ways]
        return found if motion.rotation is not None else found + none

    def build(self, functions: Functions) -> Motions:
        """All motions as arrays."""
        return Motions(ints(self._rows, (-1, COMPONENTS)), flags(self._is_driven), functions)


def _tow(speed: float, ramp: float) -> list[Piece]:
    """Pieces of a displacement whose speed grows linearly over `ramp` (s), then remains constant."""
    if speed == 0.0:
        return []
    start = [(0.0, 0.0, 0.0, 0.5 * speed / ramp, 0.0)] if ramp > 0.0 else []
    return [held_before(0.0, 0.0), *start, (ramp, 0.5 * speed * ramp, speed, 0.0, 0.0)]


def unloaded_axes(frame: Array) -> Records:
    """(n, 3) of AXIS, without any force, along the rows of `frame` (n, 3, 3)."""
    axis = records((frame.shape[0], 3), AXIS)
    axis["axis"] = frame
    return axis


def build_points(points: Mapping[str, Point], motions: MotionBook) -> Points:
    """Arrays of all points, in the order of the file."""
    joint = np.zeros((len(points), 3), dtype=np.int64)
    frame = np.empty((len(points), 3, 3))
    frame[:] = UPRIGHT
    parts = list(points.values())
    for i, point in enumerate(parts):
        if isinstance(point.joint, spec.Joint) and point.joint.frame is not None:
            frame[i] = np.array(point.joint.frame)
    laws = unloaded_axes(frame)
    for i, point in enumerate(parts):
        if point.joint == "free":
            joint[i] = FREE
        elif isinstance(point.joint, spec.Joint):
            for j, axis in enumerate((point.joint.axes.x, point.joint.axes.y, point.joint.axes.z)):
                joint[i, j] = _component(axis, laws[i, j])
    return Points(
        position=floats([p.position for p in parts], (-1, 3)),
        joint=sealed(joint),
        frame=sealed(frame),
        axis=frozen(laws),
        mass=floats([p.mass for p in parts]),
        volume=floats([p.volume for p in parts]),
        drag_area=floats([p.drag_area for p in parts]),
        added_mass=floats([p.added_mass for p in parts]),
        force=floats([steady_vector(p.force) for p in parts], (-1, 3)),
        motion=ints([motions.add(p.motion, p.joint) for p in parts]),
    )


def _component(axis: spec.Axis, law: Records) -> int:
    """What holds a component, HELD, FREE or SPRING; fills its row of AXIS."""
    if isinstance(axis, str):
        return FREE if axis == "free" else HELD
    if isinstance(axis, spec.AxisForce):
        law.pull = steady(axis.force)
        return FREE
    law.spring = axis.spring
    law.pull = axis.spring * steady(axis.rest)
    return SPRING
