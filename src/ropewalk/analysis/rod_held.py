"""Where a rod comes to rest when its head is held or springs support it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ropewalk.analysis.audit_poses import Holding
from ropewalk.analysis.stability import SAME_DIRECTION, Equilibria, FloatingState, all_equilibria, spread_directions
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.rods import BentRod, FloatingPose, Hold, bend, equilibrium
from ropewalk.model.rods import Array, RodModel, place
from ropewalk.physics.rod_energy import upright_frame
from ropewalk.spec import rods as spec

STARTS = 24  # directions of up tried beside the stable poses of the free rod
NEUTRAL = 1e-6  # second derivative of the energy over weight times length below which the rod does not mind a motion
ROUND_OFF = 1e-8  # of the springs' stiffness: the differences that give the second derivative err by less
SAME_ENERGY = 1e-9  # of weight times length; neutral poses that agree in energy are one


@dataclass(frozen=True)
class HeldState(FloatingState):
    """A rod at rest in what holds it; wrench and stiffness of `pose` are those of weight and water alone."""

    head_force: float = 0.0  # N, upwards, on the head
    head_moment: tuple[float, float] = (0.0, 0.0)  # N m, on the head, about the horizontal world axes of zero yaw
    spring_force: tuple[float, ...] = ()  # N, upwards, of each support on the rod
    tip: float = 0.0  # height of the centreline at its far end, m


class HeldEquilibria(Equilibria):
    """What `held_equilibria` found."""

    @property
    def message(self) -> str:
        """What is said in place of the completeness check."""
        if any(state.kind == "neutral" for state in self.states):
            return "stable poses of the held rod only; the supports leave some of its motions free"
        return "stable poses of the held rod only"


def held_equilibria(
    rod: RodModel, held: spec.Hold, stiffness: tuple[float, float, float] | None, name: str = "rod"
) -> HeldEquilibria:
    """Stable ways a rod lies in what holds it.

    stiffness : torsion GJ and bending EI about section axes 2 and 3, N m2; None for a stiff rod

    Unless the head is clamped the search starts from the stable poses of the free rod and from directions spread over
    the sphere, stiff first, and lets an elastic rod go from there.
    """
    for support in held.supports:
        if support.s > rod.length:
            raise InputError(f"rod '{name}': a support at s = {support.s} m lies beyond its length {rod.length:.6g} m")
    springs = tuple((support.s, support.height, support.stiffness) for support in held.supports)
    up = clamped_up(held)
    hold = Hold(heave=held.head is not None, turn=up is not None, springs=springs)
    poses = _starts(rod, held, up)
    kept = _settled(rod, None, poses, hold)
    if stiffness is not None:
        kept = _settled(rod, stiffness, [found.pose for found in kept], hold)
    if not kept:
        raise ConvergenceError(f"rod '{name}': no stable equilibrium within its supports, from {len(poses)} starts")
    kept.sort(key=lambda found: found.energy)
    return HeldEquilibria(tuple(_state(found) for found in kept), len(kept), None, len(poses))


def holding(state: HeldState, held: spec.Hold) -> Holding:
    """What holds a rod, as its audit takes it."""
    R, _, _ = upright_frame(state.pose.up)
    springs = tuple((support.s, support.height, support.stiffness) for support in held.supports)
    force, moment = state.head_force * state.pose.up[None], np.array([*state.head_moment, 0.0]) @ R
    return Holding(np.zeros((0, 3)), force, moment, springs, held.head is not None, clamped_up(held) is not None)


def clamped_up(held: spec.Hold) -> Array | None:
    """Direction of up in head axes of a clamped head; None if the head can turn."""
    if held.head is None or held.head.roll is None or held.head.pitch is None:
        return None
    roll, pitch = np.radians([held.head.roll, held.head.pitch])
    return np.array([-np.sin(pitch), np.cos(pitch) * np.sin(roll), np.cos(pitch) * np.cos(roll)])


def _starts(rod: RodModel, held: spec.Hold, up: Array | None) -> list[FloatingPose]:
    if up is not None:
        poses = [replace(equilibrium(rod), up=up)]
    else:
        states = all_equilibria(rod, merge_copies=False).states
        poses = [state.pose for state in states if state.stable] or [states[0].pose]
        for direction in spread_directions(STARTS):
            poses.append(replace(poses[0], up=direction, heave=-float(direction @ rod.centre)))
    head = held.head
    return poses if head is None else [replace(pose, heave=head.heave) for pose in poses]


def _settled(
    rod: RodModel, stiffness: tuple[float, float, float] | None, poses: list[FloatingPose], hold: Hold
) -> list[BentRod]:
    """The stable rests, each once, of the rod let go from several poses; stiff if no stiffness is given."""
    kept: list[BentRod] = []
    for pose in poses:
        try:
            if stiffness is None:
                found = bend(rod, (1.0, 1.0, 1.0), pose, hold=hold, functions=0)
            else:
                found = bend(rod, stiffness, pose, hold=hold)
        except ConvergenceError:
            continue  # another start will do
        if found.lowest >= -_noise(rod, hold) and all(_apart(rod, found, other) for other in kept):
            kept.append(found)
    return kept


def _noise(rod: RodModel, hold: Hold) -> float:
    """Second derivative of the energy, over its scale, below which it counts as zero."""
    springs = sum(k for _, _, k in hold.springs) * rod.length / (rod.mass * rod.gravity)
    return max(NEUTRAL, ROUND_OFF * springs)


def _apart(rod: RodModel, one: BentRod, other: BentRod) -> bool:
    """True if two rests differ; neutral ones of the same energy are one."""
    scale = rod.mass * rod.gravity * rod.length
    if one.lowest < NEUTRAL and abs(one.energy - other.energy) < SAME_ENERGY * scale:
        return False
    return bool(
        np.linalg.norm(one.pose.up - other.pose.up) > SAME_DIRECTION
        or abs(one.pose.heave - other.pose.heave) > SAME_DIRECTION * rod.length
    )


def _state(found: BentRod) -> HeldState:
    pose = found.pose
    return HeldState(
        kind="neutral" if found.lowest < NEUTRAL else "minimum",
        pose=replace(pose, energy=found.energy),
        rod=found.rod,
        head_force=found.head_force,
        head_moment=found.head_moment,
        spring_force=found.spring_force,
        functions=found.functions,
        shape_error=found.shape_error,
        tip=float(pose.heave + pose.up @ place(found.rod, found.rod.length).position),
    )
