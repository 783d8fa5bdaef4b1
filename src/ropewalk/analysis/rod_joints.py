"""Angles of the joints of a rod that make its head rest as wished: the shape of a snake robot for a task."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ropewalk.analysis.audit_poses import Audited, refuse_unsound
from ropewalk.analysis.rod_time import rod_of
from ropewalk.analysis.stability import all_equilibria, kind_of
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.rods import FloatingPose
from ropewalk.model.arrays import Array
from ropewalk.model.rod_fields import angle_at, build_rod
from ropewalk.model.rods import RodModel, RodWarning
from ropewalk.numerics.newton import Look, Rule, newton
from ropewalk.numerics.rotations import tangent_basis
from ropewalk.physics.rod_energy import VOLUME_TOLERANCE, float_at, net_wrench
from ropewalk.physics.rod_hydrostatics import hydrostatics
from ropewalk.spec.system import Source, System

BALANCED = 1e-12  # of weight and of weight times length, at which the search ends
DIFFERENCE = 1e-5  # rad, of an angle
RULE = Rule(
    target=BALANCED,
    floor=1e3 * BALANCED,
    most=25,  # five are usual from a near guess
    halvings=12,
    longest=0.3,  # rad, in any angle
)
FIRST_SHARE, LEAST_SHARE = 0.25, 0.01  # of the way to the wished pose, taken at once
MOST_BEGINS = 4  # stable poses that the head is led from
RANK = 1e-9  # singular values below it, over the largest, are of joints that cannot help


@dataclass(frozen=True)
class JointAngles:
    """What `joint_angles` found."""

    angles: tuple[float, ...]  # deg, of all joints in the order of the file
    system: System  # the case with these angles
    pose: FloatingPose
    kind: str  # minimum, saddle, maximum or neutral: whether the rod stays there
    iterations: int

    @property
    def stable(self) -> bool:
        """True if every small disturbance is righted."""
        return self.kind == "minimum"


def joint_angles(
    system: Source,
    *,
    roll: float,
    pitch: float,
    heave: float | None = None,
    name: str | None = None,
    joints: Sequence[int] | None = None,
) -> JointAngles:
    """Joint angles at which the head of a rigid rod is in equilibrium at a given roll and pitch (deg).

    heave : height of the head, m, if that is required, too    name : of the rod, if there are several
    joints : numbers of those that may move, from 0; all by default. At least two, and three with a heave.
    The head is moved from each stable pose of the case, the nearest first, to the required one, with least change of
    the angles at each step; angles for which the pose is stable are preferred. Raises
    ConvergenceError if none are found.

    >>> import ropewalk as rw
    >>> snake = {"length": 1.2, "density": 400, "section": {"kind": "ellipse", "a": 0.04, "b": 0.03},
    ...          "joints": [{"s": 0.3, "axis": [0, 1, 0]}, {"s": 0.6}, {"s": 0.9, "axis": [0, 1, 0]}]}
    >>> found = rw.design.joint_angles(rw.System(rods={"snake": snake}), roll=0.0, pitch=-6.0)
    >>> found.stable
    True
    """
    system = System.of(system)
    key, rod = rod_of(system, name)
    if rod.elasticity is not None or rod.held is not None:
        raise InputError(f"rod '{key}' is elastic or held; angles are solved for rigid rods that float freely")
    turning = list(range(len(rod.joints))) if joints is None else list(joints)
    wrong = [k for k in turning if not 0 <= k < len(rod.joints)]
    if wrong:
        raise InputError(f"rod '{key}' has {len(rod.joints)} joints, numbered from 0; there is no joint {wrong[0]}")
    needed = 2 if heave is None else 3
    if len(set(turning)) < needed:
        wished = "roll and pitch" if heave is None else "heave, roll and pitch"
        raise InputError(f"{wished} are {needed} conditions, but {len(set(turning))} joints turn; give more joints")
    start = np.radians([angle_at(joint.angle, 0.0) for joint in rod.joints])
    roll_, pitch_ = np.radians([roll, pitch])
    up = np.array([-np.sin(pitch_), np.cos(pitch_) * np.sin(roll_), np.cos(pitch_) * np.cos(roll_)])

    def case(angles: Array) -> System:
        values = {f"rods.{key}.joints.{k}.angle": float(np.degrees(angles[k])) for k in turning}
        return system.replace(values)

    def built(angles: Array) -> RodModel:
        one = case(angles)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RodWarning)  # on the way; the answer is looked at when it is used
            return build_rod(one.rods[key], one.environment, key)

    found: list[JointAngles] = []
    trouble = ""
    for begin in _begins(built(start), up, heave):
        try:
            angles, steps = _led(built, start, np.array(turning), begin, (up, heave))
        except ConvergenceError as error:
            trouble = str(error)
            continue
        model = built(angles)
        z = _height(model, up, heave)
        pose = FloatingPose.at(model, up, z, hydrostatics(model.panels, z, up), counts=(steps, steps))
        one = JointAngles(tuple(np.degrees(angles).tolist()), case(angles), pose, kind_of(model, pose), steps)
        try:
            refuse_unsound(f"rod '{key}'", Audited(model).figures(z, up, one.kind))
        except ConvergenceError as error:
            trouble = str(error)
            continue
        if one.stable:
            return one
        found.append(one)
    if found:
        return found[0]
    raise ConvergenceError(f"rod '{key}': no joint angles give the head an equilibrium there: {trouble}")


Aim = tuple[Array, float | None]  # up in head axes, and the height of the head (m) if that is wished


def _begins(rod: RodModel, up: Array, heave: float | None) -> list[Aim]:
    """Stable poses of the rod as it is given, the nearest to a wished one first."""
    poses = [state.pose for state in all_equilibria(rod, merge_copies=False).states if state.kind != "maximum"]
    stable = [pose for pose in poses if kind_of(rod, pose) in ("minimum", "neutral")] or poses
    stable.sort(key=lambda pose: -float(pose.up @ up))
    return [(pose.up, None if heave is None else pose.heave) for pose in islice(stable, MOST_BEGINS)]


def _led(built: Callable[[Array], RodModel], angles: Array, turning: Array, begin: Aim, end: Aim) -> tuple[Array, int]:
    """Angles while the wished pose goes from one to another; a step that cannot be followed is halved."""
    done, size, steps = 0.0, FIRST_SHARE, 0
    while done < 1.0:
        share = min(1.0, done + size)
        up = (1.0 - share) * begin[0] + share * end[0]
        heave = None if begin[1] is None or end[1] is None else (1.0 - share) * begin[1] + share * end[1]
        try:
            angles, used = _newton(built, angles, turning, up / np.linalg.norm(up), heave)
        except ConvergenceError:
            size *= 0.5
            if size < LEAST_SHARE:
                raise
            continue
        done, steps = share, steps + used
    return angles, steps


def _height(rod: RodModel, up: Array, heave: float | None) -> float:
    """Height of the head: the one wished, or that which carries the weight."""
    if heave is not None:
        return heave
    return float(float_at(rod.panels, up, -float(up @ rod.centre), rod.float_volume, VOLUME_TOLERANCE)[0])


def _out_of_balance(rod: RodModel, up: Array, heave: float | None) -> Array:
    """Moments over weight times length, and the force over the weight if the heave is wished."""
    acc = hydrostatics(rod.panels, _height(rod, up, heave), up)
    force, moment = net_wrench(acc, rod.centre, rod.float_volume)
    parts = tangent_basis(up) @ (np.array(moment) - force * rod.centre) / (rod.float_volume * rod.length)
    return np.asarray(parts if heave is None else np.append(parts, force / rod.float_volume))


def _newton(
    built: Callable[[Array], RodModel], angles: Array, turning: Array, up: Array, heave: float | None
) -> tuple[Array, int]:
    """Angles that balance the rod as wished, and the number of steps."""
    path = newton(_Pose(built, turning, up, heave), angles, RULE)
    if path is not None and path.converged:
        return path.x, path.iterations
    error, used = (path.here.error, path.iterations) if path is not None else (np.inf, 0)
    raise ConvergenceError(
        f"residual moment still {error:.2e} of weight x length after {used + 1} steps; free more joints, start "
        "from other angles, or leave heave out"
    )


@dataclass(frozen=True)
class _Pose:
    """The balance of a rod by the angles of its joints; the smallest step where there are more than it takes."""

    built: Callable[[Array], RodModel]
    turning: Array
    up: Array
    heave: float | None

    def look(self, angles: Array) -> Look:
        now = _out_of_balance(self.built(angles), self.up, self.heave)
        error = float(np.abs(now).max())
        return Look(error, error, now)

    def step(self, angles: Array, here: Look) -> Array:
        slope = np.empty((here.found.size, self.turning.size))
        for column, k in enumerate(self.turning):
            turn = DIFFERENCE * np.eye(angles.size)[k]
            ahead, behind = (self.look(angles + sign * turn).found for sign in (1.0, -1.0))
            slope[:, column] = (ahead - behind) / (2.0 * DIFFERENCE)
        return np.asarray(-np.linalg.lstsq(slope, here.found, rcond=RANK)[0])

    def moved(self, angles: Array, change: Array) -> Array:
        trial = angles.copy()
        trial[self.turning] += change
        return trial
