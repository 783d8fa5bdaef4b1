"""Where rods come to rest on their lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice, product

import numpy as np

from ropewalk.analysis.audit_poses import Audited, Holding, refuse_unsound
from ropewalk.analysis.floating import Floating, float_rods
from ropewalk.analysis.stability import Equilibria, FloatingState, all_equilibria
from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.catenary_state import AFLOAT
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.rods import FloatingPose, MooredBalance, MooredRod, moored_balance, refuse_unmoorable
from ropewalk.model.arrays import Array
from ropewalk.model.given import still
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model, build
from ropewalk.model.rod_fields import build_rod
from ropewalk.model.rod_lines import rods_as_bodies, rods_on_lines
from ropewalk.model.rods import RodModel
from ropewalk.model.state import end_positions
from ropewalk.numerics.rotations import hat, quaternion_from_matrix
from ropewalk.physics.rod_energy import upright_frame
from ropewalk.spec.system import Source, System

MOST_STARTS = 64  # combinations of the stable poses of several rods
SAME_PLACE = 1e-5  # of the rod's length, or rad: nearer balances are one
NEUTRAL = 1e-6  # lowest stiffness over weight per length below which a rod does not mind some motion
NOT_FALLING = -1e-6  # curvature over weight times length of a pose that is kept as a start


@dataclass(frozen=True)
class MooredState(FloatingState):
    """A rod at rest on its lines; wrench and stiffness of `pose` hold the lines' part, its energy does not."""

    position: Array = field(default_factory=lambda: np.zeros(3))  # of the head, m
    yaw: float = 0.0  # rad
    tensions: dict[str, tuple[float, float]] = field(default_factory=dict)  # at both ends of every line, N
    dry: dict[str, float] = field(default_factory=dict)  # height (m) of the lines' ends that are out of the water


class MooredEquilibria(Equilibria):
    """What `float_moored` found for one rod."""

    @property
    def message(self) -> str:
        """What is said in place of the completeness check."""
        loose = any(state.kind == "neutral" for state in self.states)
        dry: dict[str, float] = {}
        for state in self.states:
            dry |= state.dry if isinstance(state, MooredState) else {}
        said = ["stable poses on lines only"]
        if loose:
            said.append("the lines leave some of its motions free")
        if dry:
            ends = ", ".join(f"'{name}' {height:.3g} m" for name, height in dry.items())
            said.append(f"ends of lines above the water, whose weight is taken as submerged: {ends}")
        return "; ".join(said)


def float_all(system: Source, name: str | None = None, *, slices: bool = False, time: float = 0.0) -> Floating:
    """Rods on lines by `float_moored`, the others by `float_rods`, in the order of the file; one if `name` is given."""
    system = System.of(system)
    held = rods_on_lines(system)
    if not held or (name is not None and name not in held):
        return float_rods(system, name, slices=slices, time=time)
    moored = float_moored(system, slices=slices, time=time)
    names = [name] if name is not None else list(system.rods)
    parts = {key: moored if key in moored else float_rods(system, key, slices=slices, time=time) for key in names}
    found = {key: part[key] for key, part in parts.items()}
    return Floating(system, found, {key: part.audit[key] for key, part in parts.items()})


def float_moored(system: Source, *, slices: bool = False, time: float = 0.0) -> Floating:
    """Where the rods that lines end on come to rest, by name; entry i of every rod belongs to the same balance.

    The search starts from every stable pose of the free rods, turned and moved so that the attachments lie near the
    other ends of their lines. Raises ConvergenceError if no start leads to a stable balance.
    """
    system = System.of(system)
    names = rods_on_lines(system)
    if not names:
        raise InputError("no line ends on a rod; fasten one, e.g. `to: rod.attachment`")
    for name in names:
        if system.rods[name].elasticity is not None:
            raise InputError(f"rod '{name}': an elastic rod cannot be held by lines; leave out its elasticity")
        if system.rods[name].held is not None:
            raise InputError(f"rod '{name}': lines end on it and it is held too; leave out `held`, or its lines")
    sea = system.environment
    rods = {name: build_rod(system.rods[name], sea, name, curved=not slices, time=time) for name in names}
    model = still(build(rods_as_bodies(system, rods)))
    refuse_unmoorable(model)
    parts = tuple(rods.values())
    found: list[MooredBalance] = []
    trouble, tried = "", 0
    for poses in islice(product(*(_starts(rod) for rod in parts)), MOST_STARTS):
        balance = moored_balance(model, parts, start_place(model, parts, poses))
        tried += 1
        if not balance.stable:
            trouble = balance.trouble or "the equilibrium found is not stable"
        elif not any(_same(parts, balance, other) for other in found):
            found.append(balance)
    if not found:
        raise ConvergenceError(f"rods on lines: no equilibrium found from {tried} starts; the last one: {trouble}")
    found.sort(key=lambda balance: sum(rod_energy(r, at) for r, at in zip(parts, balance.rods, strict=True)))
    moored = {
        name: MooredEquilibria(tuple(_state(model, rod, b, k) for b in found), len(found), None, tried)
        for k, (name, rod) in enumerate(rods.items())
    }
    audit = {name: [_audited(model, name, rod, b, k) for b in found] for k, (name, rod) in enumerate(rods.items())}
    return Floating(system, moored, audit)


def _audited(model: Model, name: str, rod: RodModel, balance: MooredBalance, k: int) -> dict[str, float]:
    """Figures of rod k under the forces of its lines; ConvergenceError if it is out of balance."""
    at, lines = balance.rods[k], model.lines
    own = (lines.end_kind == BODY) & (lines.end_index == len(model.names.bodies) - len(balance.rods) + k)
    held = Holding(lines.end_offset[own], balance.end_force[own] @ at.rotation)
    figures = Audited(rod).figures(float(at.position[2]), np.ascontiguousarray(at.rotation[2]), held=held)
    refuse_unsound(f"rod '{name}' on its lines", figures)
    return figures


def start_place(model: Model, rods: tuple[RodModel, ...], poses: tuple[FloatingPose, ...]) -> Place:
    """Rods in their floating poses, attachments as near as can be to the other ends of their lines, seen from above."""
    bodies, quaternions = model.bodies.position.copy(), model.bodies.quaternion.copy()
    ends = end_positions(model, model.points.position, bodies, quaternions)
    first = len(model.names.bodies) - len(rods)
    lines = model.lines
    for k, pose in enumerate(poses, start=first):
        mine = [(i, j) for i, j in np.argwhere((lines.end_kind == BODY) & (lines.end_index == k))]
        mine = [(i, j) for i, j in mine if lines.end_kind[i, 1 - j] != BODY or lines.end_index[i, 1 - j] < first]
        R, _, _ = upright_frame(pose.up)
        if mine:
            eyes = np.array([(R @ lines.end_offset[i, j])[:2] for i, j in mine])
            anchors = np.array([ends[i, 1 - j][:2] for i, j in mine])
            a, b = eyes - eyes.mean(axis=0), anchors - anchors.mean(axis=0)
            yaw = np.arctan2(np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]), np.sum(a * b))
            turn = _about_z(float(yaw))
            R = turn @ R
            bodies[k, :2] = anchors.mean(axis=0) - turn[:2, :2] @ eyes.mean(axis=0)
        bodies[k, 2] = pose.heave
        quaternions[k] = quaternion_from_matrix(R)
    return Place(model.points.position.copy(), bodies, quaternions)


def rod_energy(rod: RodModel, at: MooredRod) -> float:
    """Energy (J) of a rod in the water, without its lines: m g z_G - rho g (moment of the wet volume in height)."""
    height, up = at.position[2], at.rotation[2]
    wet = at.integrals.volume * height + at.integrals.moment @ up
    return float(rod.gravity * (rod.mass * (height + rod.centre @ up) - rod.water_density * wet))


def _starts(rod: RodModel) -> list[FloatingPose]:
    """Stable poses of the free rod, symmetric copies apart because the lines may tell them apart."""
    kept: list[FloatingPose] = []
    scale = rod.mass * rod.gravity * rod.length
    for state in all_equilibria(rod, merge_copies=False).states:
        # where every turn about an axis is an equilibrium, one stands for all of the same energy
        level = state.kind == "neutral" and state.pose.curvature[0] >= NOT_FALLING * scale
        if state.stable or (level and all(abs(state.pose.energy - p.energy) > SAME_PLACE * scale for p in kept)):
            kept.append(state.pose)
    return kept


def _state(model: Model, rod: RodModel, balance: MooredBalance, k: int) -> MooredState:
    at = balance.rods[k]
    up = np.ascontiguousarray(at.rotation[2])
    level, roll, pitch = upright_frame(up)
    turn = at.rotation @ level.T  # about z only
    wrench, stiffness = about_centre(rod, at, turn)
    heave_roll_pitch = stiffness[2:5, 2:5]
    eased = heave_roll_pitch[1:, 1:] - np.outer(heave_roll_pitch[1:, 0], heave_roll_pitch[0, 1:]) / max(
        heave_roll_pitch[0, 0], np.finfo(float).tiny
    )
    weight, path = rod.mass * rod.gravity, np.full((len(balance.path.residuals), 4), np.nan)
    path[:, 1] = np.array(balance.path.residuals) / weight
    path[-1, 1] = max(np.max(np.abs(wrench[:3])), np.max(np.abs(wrench[3:])) / rod.length) / weight
    pose = FloatingPose(
        up=up,
        heave=float(at.position[2]),
        roll=roll,
        pitch=pitch,
        energy=rod_energy(rod, at),
        wrench=wrench,
        stiffness=stiffness,
        curvature=np.linalg.eigvalsh(eased),
        iterations=balance.path.iterations,
        evaluations=balance.path.evaluations,
        path=path,
    )
    tensions = np.linalg.norm(balance.end_force, axis=2)
    tops = end_positions(model, *balance.place)[:, :, 2].max(axis=1)
    return MooredState(
        kind="neutral" if balance.lowest < NEUTRAL * weight / rod.length else "minimum",
        pose=pose,
        rod=rod,
        position=at.position,
        yaw=float(np.arctan2(turn[1, 0], turn[0, 0])),
        tensions={name: (float(a), float(b)) for name, (a, b) in zip(model.names.lines, tensions, strict=True)},
        dry={name: float(top) for name, top in zip(model.names.lines, tops, strict=True) if top > AFLOAT},
    )


def about_centre(rod: RodModel, at: MooredRod, turn: Array) -> tuple[Array, Array]:
    """Wrench (6,) and stiffness (6, 6) about the centre of mass, in axes turned by `turn` about the vertical."""
    move: Array = np.eye(6)  # motion of the head from that of the centre: x_head = x - theta x r
    move[:3, 3:] = hat(at.rotation @ rod.centre)
    axes: Array = np.zeros((6, 6))
    axes[:3, :3] = axes[3:, 3:] = turn
    both = move @ axes
    return both.T @ at.wrench, both.T @ at.stiffness @ both


def _same(rods: tuple[RodModel, ...], one: MooredBalance, other: MooredBalance) -> bool:
    for rod, a, b in zip(rods, one.rods, other.rods, strict=True):
        apart = np.linalg.norm(a.position + a.rotation @ rod.centre - b.position - b.rotation @ rod.centre)
        if apart > SAME_PLACE * rod.length or np.linalg.norm(a.rotation[2] - b.rotation[2]) > SAME_PLACE:
            return False
    return True


def _about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    turn: Array = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return turn
