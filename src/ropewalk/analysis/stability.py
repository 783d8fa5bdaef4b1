"""All ways a rod can float, which of them are stable, and how it rights itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from ropewalk.errors import ConvergenceError
from ropewalk.methods.rods import BentRod, FloatingPose, bend, equilibrium
from ropewalk.model.rods import Array, RodModel
from ropewalk.physics.rod_energy import VOLUME_TOLERANCE, float_at

STARTS = (60, 240, 960)  # directions of up tried; the next number only if the count of equilibria does not add up
GOALS: tuple[Literal["minimum", "maximum", "any"], ...] = ("minimum", "maximum", "any")  # of the searches
MOST_STEPS = 60  # plain Newton from a start that wanders longer than this is given up
SAME_DIRECTION = 1e-5  # rad; nearer equilibria are one. Newton leaves 1e-8 even in weakly stiff directions
SAME_BENT = 1e-4  # rad; the same of bent rods, which turn more softly
SAME_ENERGY = 1e-9  # of weight times length; symmetric copies agree to quadrature error
SAME_CURVATURE = 1e-5  # of the larger curvature
NEUTRAL_BENT = 1e-6  # the same with the shape free; differences leave 1e-7
NEUTRAL = 1e-6  # curvature over weight times length below which the rod does not mind turning


@dataclass(frozen=True)
class FloatingState:
    """One equilibrium, with the number of symmetric copies it stands for."""

    kind: str  # minimum, saddle, maximum or neutral
    pose: FloatingPose
    rod: RodModel = field(repr=False)  # in the shape it has, bent if it is elastic
    copies: int = 1
    functions: int = 0  # of an elastic rod: polynomials per component of the curvature in each piece
    shape_error: float = 0.0  # of an elastic rod, estimated: shape over length, attitude in rad

    @property
    def stable(self) -> bool:
        """True if every small disturbance is righted."""
        return self.kind == "minimum"


class Equilibria(NamedTuple):
    """What `all_equilibria` found. `complete` is False if the count proves that some are missing."""

    states: tuple[FloatingState, ...]  # lowest energy first
    euler: int  # minima - saddles + maxima, copies counted; 2 for a complete set
    complete: bool | None  # None where neutral equilibria make the count meaningless
    starts: int  # directions tried

    @property
    def message(self) -> str:
        """The completeness check in words."""
        if all(state.stable for state in self.states) and self.complete is None:
            return "stable poses only"
        if self.complete is None:
            return "the rod is neutral in rotation about an axis, so minima - saddles + maxima need not be 2"
        if self.complete:
            return "minima - saddles + maxima = 2, as it must be on the sphere of up-vectors"
        return f"minima - saddles + maxima = {self.euler}, not 2: some equilibria are missing"


def kind_of(rod: RodModel, pose: FloatingPose) -> str:
    """Minimum, saddle or maximum of the energy over all attitudes, or neutral."""
    low, high = pose.curvature / (rod.mass * rod.gravity * rod.length)
    if min(abs(low), abs(high)) < NEUTRAL:
        return "neutral"
    if low > 0.0:
        return "minimum"
    return "maximum" if high < 0.0 else "saddle"


def all_equilibria(rod: RodModel, *, merge_copies: bool = True) -> Equilibria:
    """Every equilibrium over the sphere of up-vectors, classified, with the Euler-characteristic check.

    Minima are sought downhill, maxima uphill and saddles by Newton's method from directions spread over the sphere.
    On the sphere minima - saddles + maxima = 2 (Morse); if the count differs the search goes on with more starts.
    """
    found: list[FloatingPose] = []
    tried = 0
    for n in STARTS:
        for up in spread_directions(n):
            _collect(rod, up, found)
        tried += n
        result = _summary(rod, found, tried, merge_copies)
        if result.complete is not False:
            break
    return result


def _collect(rod: RodModel, up: Array, found: list[FloatingPose]) -> None:
    """Add the equilibria of each kind that a start leads to, if they are new."""
    for goal in GOALS:
        try:
            pose = equilibrium(rod, up, goal=goal, most=MOST_STEPS)
        except ConvergenceError:
            continue  # another start will do
        if all(np.linalg.norm(pose.up - other.up) > SAME_DIRECTION for other in found):
            found.append(pose)


def _summary(rod: RodModel, found: list[FloatingPose], tried: int, merge: bool) -> Equilibria:
    states: list[FloatingState] = []
    for pose in sorted(found, key=lambda pose: pose.energy):
        kind = kind_of(rod, pose)
        twin = next((i for i, state in enumerate(states) if merge and _copies(rod, state, kind, pose)), None)
        if twin is None:
            states.append(FloatingState(kind, pose, rod))
        else:
            states[twin] = replace(states[twin], copies=states[twin].copies + 1)
    signs = {"minimum": 1, "saddle": -1, "maximum": 1, "neutral": 0}
    euler = sum(signs[state.kind] * state.copies for state in states)
    neutral = any(state.kind == "neutral" for state in states)
    return Equilibria(tuple(states), euler, None if neutral else euler == 2, tried)


def _copies(rod: RodModel, state: FloatingState, kind: str, pose: FloatingPose) -> bool:
    """True if two equilibria are the same but for a symmetry of the rod."""
    other = state.pose
    scale = rod.mass * rod.gravity * rod.length
    if kind != state.kind or abs(pose.energy - other.energy) > SAME_ENERGY * scale:
        return False
    return bool(
        np.all(np.abs(pose.curvature - other.curvature) <= SAME_CURVATURE * np.abs(other.curvature).max())
        or kind == "neutral"
    )


def bent_equilibria(rod: RodModel, stiffness: tuple[float, float, float]) -> Equilibria:
    """Stable ways an elastic rod floats: each stable pose of the stiff rod, let go.

    stiffness : torsion GJ and bending EI about section axes 2 and 3, N m2. A state is a minimum by the second variation
    of the whole energy, in which the rod bends as it turns, and its energy contains that of bending; its stiffness is
    that of the shape taken, held stiff. Unstable equilibria are not sought, so nothing is said of completeness.
    """
    stiff = all_equilibria(rod)
    poses: list[FloatingState] = []
    for state in stiff.states:
        if state.kind in ("minimum", "neutral"):
            bent = bend(rod, stiffness, state.pose)
            pose = replace(bent.pose, energy=bent.pose.energy + bent.elastic_energy)
            kind, error = _kind_of_bent(bent), bent.shape_error
            one = FloatingState(kind, pose, bent.rod, state.copies, bent.functions, error)
            if not any(_one_pose(rod, one, other) for other in poses):  # let go, two poses may become one
                poses.append(one)
    return Equilibria(tuple(poses), sum(state.copies for state in poses), None, stiff.starts)


def _one_pose(rod: RodModel, one: FloatingState, other: FloatingState) -> bool:
    """True if two states are the same."""
    apart = np.linalg.norm(one.pose.up - other.pose.up)
    scale = rod.mass * rod.gravity * rod.length
    return bool(apart < SAME_BENT and abs(one.pose.energy - other.pose.energy) < SAME_ENERGY * scale)


def _kind_of_bent(bent: BentRod) -> str:
    """Minimum, saddle or neutral, of the energy over all shapes and attitudes."""
    if bent.lowest < -NEUTRAL_BENT:
        return "saddle"
    return "minimum" if bent.lowest > NEUTRAL_BENT else "neutral"


def spread_directions(n: int) -> Array:
    """n unit vectors spread evenly over the sphere (Fibonacci spiral), (n, 3)."""
    k = np.arange(n) + 0.5
    height = 1.0 - 2.0 * k / n
    angle = np.pi * (1.0 + np.sqrt(5.0)) * k
    ring = np.sqrt(1.0 - height**2)
    return np.column_stack([ring * np.cos(angle), ring * np.sin(angle), height])


class RestoringCurve(NamedTuple):
    """Energy and righting moment over the angle of heel, heave free, trim held."""

    angle: Array  # (n,) rad, from the pose given
    energy: Array  # (n,) J
    moment: Array  # (n,) N m about the axis; negative rights a positive heel
    arm: Array  # (n,) m, righting arm: minus moment over weight


def restoring_curve(rod: RodModel, pose: FloatingPose, axis: Array, angles: Array) -> RestoringCurve:
    """Heel the rod about a horizontal axis fixed in it and let it float at each angle.

    axis : (3,) in head axes; its part along `pose.up` is taken off    angles : (n,) rad
    """
    up = pose.up
    lie = np.asarray(axis, dtype=float) - up * (np.asarray(axis) @ up)
    lie /= np.linalg.norm(lie)
    across = np.cross(up, lie)
    weight_density = rod.water_density * rod.gravity
    heave, energy, moment = pose.heave, np.empty(len(angles)), np.empty(len(angles))
    for i, angle in enumerate(angles):
        # turning the body by +angle about the axis turns up, seen from the body, by -angle
        u = np.cos(angle) * up + np.sin(angle) * across
        heave, acc, _ = float_at(rod.panels, u, heave, rod.float_volume, VOLUME_TOLERANCE)
        Y = acc.moment - acc.volume * rod.centre
        energy[i] = -weight_density * (u @ Y)
        moment[i] = weight_density * (np.cross(Y, u) @ lie)
    return RestoringCurve(np.asarray(angles, dtype=float), energy, moment, -moment / (rod.mass * rod.gravity))
