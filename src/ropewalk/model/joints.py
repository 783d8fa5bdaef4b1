"""Arrays of points, of how they are held, and of prescribed motions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints, floats, ints, offsets
from ropewalk.model.tabled import limited_cubics
from ropewalk.physics.motion import DRIVEN, HARMONIC, TABLE, TOW
from ropewalk.spec import joints as spec
from ropewalk.spec.lines import Point

HELD, FREE, SPRING = 0, 1, 2  # what holds a component of a joint
FIXED, LOOSE, MOVING = 0, 1, 2  # how a body is held


class Motions(NamedTuple):
    """Prescribed motions, read by physics/motion.py."""

    kind: Ints  # (n,)
    ramp: Array  # (n,) s
    velocity: Array  # (n, 3) m/s, of tows
    term_start: Ints  # (n + 1,)
    terms: Array  # (m, 6) unit direction, amplitude (m), omega (rad/s), phase (rad)
    turn_start: Ints  # (n + 1,)
    turns: Array  # (m, 6) unit axis, amplitude (rad), omega, phase
    knot_start: Ints  # (n + 1,)
    knots: Array  # (m,) s
    cubics: Array  # (m, 4, 3) coefficients from each knot to the next, highest power first, m
    turn_cubics: Array  # (m, 4, 3) the same of the rotation vector of driven bodies, world axes, rad


class Points(NamedTuple):
    """Points where lines end. Components of a joint are in its frame."""

    position: Array  # (n, 3) m; reference of springs, first guess of free components
    joint: Ints  # (n, 3) HELD, FREE or SPRING
    frame: Array  # (n, 3, 3) rows are the joint's axes
    axis_force: Array  # (n, 3) N, along the axes
    axis_spring: Array  # (n, 3) N/m
    mass: Array  # (n,) kg
    volume: Array  # (n,) m3
    drag_area: Array  # (n,) m2
    added_mass: Array  # (n,) kg
    force: Array  # (n, 3) N, in the world
    motion: Ints  # (n,) index into Motions, -1 for none


class MotionBook:
    """Collects motions while a model is built."""

    def __init__(self) -> None:
        self._motions: list[spec.Motion | None] = []  # None for parts that another program drives

    def add(self, motion: spec.Motion | None, joint: object = None) -> int:
        """Index of `motion`, -1 for None unless the joint is coupled."""
        if motion is None and joint != "coupled":
            return -1
        self._motions.append(motion)
        return len(self._motions) - 1

    def build(self) -> Motions:
        """All motions as arrays."""
        kind, ramp, velocity = [], [], []
        terms: list[list[list[float]]] = []
        turns: list[list[list[float]]] = []
        knots: list[Sequence[float]] = []
        cubics: list[Array] = []
        for motion in self._motions:
            own_terms: list[list[float]] = []
            own_turns: list[list[float]] = []
            own_knots: Sequence[float] = ()
            if motion is None:
                kind.append(DRIVEN)
                own_knots = (0.0,)
                cubics.append(np.zeros((1, 4, 3)))
            elif isinstance(motion, spec.HarmonicMotion):
                kind.append(HARMONIC)
                own_terms = [[*_unit(t.direction), t.amplitude, t.omega, t.phase] for t in motion.terms]
                own_turns = [[*_unit(t.axis), math.radians(t.amplitude), t.omega, t.phase] for t in motion.rotations]
            elif isinstance(motion, spec.TowMotion):
                kind.append(TOW)
            else:
                kind.append(TABLE)
                own_knots = motion.time
                cubics.append(_spline(motion))
            ramp.append(motion.ramp if isinstance(motion, spec.HarmonicMotion | spec.TowMotion) else 0.0)
            velocity.append(motion.velocity if isinstance(motion, spec.TowMotion) else (0.0, 0.0, 0.0))
            terms.append(own_terms)
            turns.append(own_turns)
            knots.append(own_knots)
        return Motions(
            kind=ints(kind),
            ramp=floats(ramp),
            velocity=floats(velocity, (-1, 3)),
            term_start=offsets([len(t) for t in terms]),
            terms=floats([row for t in terms for row in t], (-1, 6)),
            turn_start=offsets([len(t) for t in turns]),
            turns=floats([row for t in turns for row in t], (-1, 6)),
            knot_start=offsets([len(k) for k in knots]),
            knots=floats([value for k in knots for value in k]),
            cubics=floats(np.concatenate(cubics) if cubics else [], (-1, 4, 3)),
            turn_cubics=floats(np.zeros((sum(map(len, cubics)), 4, 3))),
        )


def build_points(points: Mapping[str, Point], motions: MotionBook) -> Points:
    """Arrays of all points, in the order of the file."""
    joint = np.zeros((len(points), 3), dtype=np.int64)
    frame = np.tile(np.eye(3), (len(points), 1, 1))
    force = np.zeros((len(points), 3))
    spring = np.zeros((len(points), 3))
    for i, point in enumerate(points.values()):
        if point.joint == "free":
            joint[i] = FREE
        elif isinstance(point.joint, spec.Joint):
            if point.joint.frame is not None:
                frame[i] = np.array(point.joint.frame)
            for j, axis in enumerate((point.joint.axes.x, point.joint.axes.y, point.joint.axes.z)):
                if isinstance(axis, spec.AxisForce):
                    joint[i, j], force[i, j] = FREE, axis.force
                elif isinstance(axis, spec.AxisSpring):
                    joint[i, j], spring[i, j] = SPRING, axis.spring
                elif axis == "free":
                    joint[i, j] = FREE
    parts = list(points.values())
    return Points(
        position=floats([p.position for p in parts], (-1, 3)),
        joint=ints(joint),
        frame=floats(frame),
        axis_force=floats(force),
        axis_spring=floats(spring),
        mass=floats([p.mass for p in parts]),
        volume=floats([p.volume for p in parts]),
        drag_area=floats([p.drag_area for p in parts]),
        added_mass=floats([p.added_mass for p in parts]),
        force=floats([p.force for p in parts], (-1, 3)),
        motion=ints([motions.add(p.motion, p.joint) for p in parts]),
    )


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector)
    return [component / length for component in vector]


def _spline(motion: spec.TableMotion) -> Array:
    """Cubic coefficients; one row per knot, the last unused.

    The third derivative is continuous at the knots next to the ends, so that the ends have the velocity that the
    table gives them; where the cubic would swing beyond its rows it is limited.
    """
    cubics: Array = np.zeros((len(motion.time), 4, 3))
    cubics[:-1] = np.moveaxis(limited_cubics(np.array(motion.time), np.array(motion.displacement)), 1, 0)
    return cubics
