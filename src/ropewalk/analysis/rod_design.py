"""Shapes that float as wished: walks along the manifold of curvatures that keep the head where it is.

There are three conditions (heave, roll, pitch) and as many unknowns as the curvature has, so nearly every change of
shape can be made without moving the head. A walk steps along the null space of the exact sensitivity and returns to
the manifold by Newton's method with the smallest correction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre

from ropewalk.analysis.rod_time import rod_of
from ropewalk.analysis.stability import all_equilibria
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.rods import FloatingPose, equilibrium
from ropewalk.model.rod_fields import build_rod, rod_fields
from ropewalk.model.rods import Array, RodModel, curvature_of, mass_sensitivity, places, reshape, section_bend
from ropewalk.numerics.quadrature import gauss_legendre
from ropewalk.numerics.rotations import tangent_basis
from ropewalk.physics.rod_energy import net_wrench
from ropewalk.physics.rod_hydrostatics import hydrostatic_points, hydrostatics
from ropewalk.physics.rod_integrals import total
from ropewalk.physics.rod_sensitivity import section_motions, wet_sensitivity
from ropewalk.spec import arguments
from ropewalk.spec.system import Source, System

TABLE = 401  # places of the table of a shape; linear between them errs by 1e-5 of the curvature of a helix
MOST_FUNCTIONS = 500  # of them: more are beyond what panels resolve
FUNCTIONS = 24  # Legendre polynomials per component of the curvature
BALANCED = 1e-13  # of weight and of weight times length, at which the correction ends
CORRECTIONS = 12  # Newton steps back to the manifold; four are usual
SMALLEST_STEP = 1e-4  # of the first step; a walk that needs smaller ones has come to an end
PROGRESS = 1e-4  # relative gain of a step below which the walk has run out
STATIONARY = 1e-6  # share of the wish that lies in the null space below which nothing is left to gain
TRIM_STEPS = 10  # first guess of the steps to a new trim
DIFFERENCE = 1e-5  # of curvature times length, for the slope of the stiffness; its error stays below 1e-4
SAME_STIFFNESS = 1e-6  # relative
STEP_GROWTH = 1.5  # after a step that the correction found easy
EASY = 4  # corrections


class Balance(NamedTuple):
    """The three conditions at a head pose, scaled by weight and length, and their derivative by the parameters."""

    residual: Array  # (3,)
    jacobian: Array  # (3, 3 functions), per unit of a parameter times length


@dataclass(frozen=True)
class WalkStep:
    """One accepted step."""

    norm: float  # root mean square curvature times length
    objective: float
    residual: float  # largest of the three scaled conditions
    stability: float  # softest restoring stiffness over weight times length; negative is unstable
    step: float  # length of the step, curvature times length
    corrections: int


@dataclass(frozen=True)
class Walk:
    """A finished walk. `message` is the reason why it ended."""

    rod: RodModel
    pose: FloatingPose
    steps: tuple[WalkStep, ...]
    reached: bool
    message: str
    start: RodModel = field(repr=False)

    def curvature(self, n: int = TABLE) -> dict[str, Any]:
        """The shape reached, as a rod's `curvature` takes it: a table of n places."""
        s = np.linspace(0.0, self.rod.length, n)
        rows = places(self.rod, s)
        kappa = np.stack([rows["torsion"], rows["bend2"], rows["bend3"]], -1)
        return {"kind": "table", "s": s.tolist(), "kappa": kappa.tolist()}


def curvature_norm(rod: RodModel, kappa: Array | None = None) -> float:
    """Root mean square curvature times length."""
    kappa = curvature_of(rod) if kappa is None else kappa
    ds = rod.panels.weight * rod.panels.half[:, None]
    return float(np.sqrt(rod.length * np.sum(ds[:, :, None] * kappa**2)))


def basis_functions(rod: RodModel, functions: int = FUNCTIONS) -> Array:
    """Legendre polynomials (functions, m, n) of unit mean square along the rod."""
    if arguments.count("functions", functions) > MOST_FUNCTIONS:
        raise InputError(f"functions {functions}: at most {MOST_FUNCTIONS} polynomials along a rod")
    at = 2.0 * rod.s / rod.length - 1.0
    values = np.moveaxis(legendre.legvander(at, functions - 1), -1, 0)
    return np.ascontiguousarray(values * np.sqrt(2.0 * np.arange(functions) + 1.0)[:, None, None])


def balance(rod: RodModel, up: Array, heave: float, basis: Array) -> Balance:
    """Conditions and exact sensitivity of a rod whose head is held at (up, heave).

    Parameters are coefficients of the basis times the length of the rod, three per function.
    """
    panels = rod.panels
    running = gauss_legendre(panels.x.size).running
    nodes, starts = section_motions(panels, basis, running)
    entries, places = hydrostatic_points(panels, heave, up)
    wet = rod.water_density * wet_sensitivity(panels, entries, places, nodes, basis, up)
    dry = mass_sensitivity(rod, basis, nodes, starts)
    force, moment = net_wrench(total(entries), rod.centre, rod.float_volume)
    tangents, lengths = tangent_basis(up), np.array([1.0, rod.length, rod.length])
    residual = np.concatenate([[force], tangents @ np.array(moment)]) / (rod.float_volume * lengths)
    jacobian = np.vstack([wet[0], tangents @ (wet[1:] - dry)]) / (rod.mass * lengths)[:, None] / rod.length
    return Balance(residual, jacobian)


def taken(
    rod: RodModel | Source, pose: FloatingPose | None = None, name: str | None = None
) -> tuple[RodModel, FloatingPose]:
    """A rod and the pose of its head: those given, or a rod of a case in its stable pose of least energy."""
    if isinstance(rod, RodModel):
        return rod, equilibrium(rod) if pose is None else pose
    system = System.of(rod)
    key, given = rod_of(system, name)
    if given.elasticity is not None or given.held is not None or given.joints:
        raise InputError(
            f"rod '{key}' is elastic, held or jointed; shapes are designed for rigid rods that float freely (joints: "
            "design.joint_angles)"
        )
    model = build_rod(given, system.environment, key)
    if pose is not None:
        return model, pose
    states = all_equilibria(model).states
    return model, next((state.pose for state in states if state.stable), states[0].pose)


def uncoil(
    rod: RodModel | Source,
    pose: FloatingPose | None = None,
    factor: float = 3.0,
    *,
    name: str | None = None,
    step: float = 1.0,
    most: int = 60,
) -> Walk:
    """Straighten the rod until its mean square curvature has fallen by `factor`, the head held at `pose`.

    rod : a case, with the `name` of one of its rods if there are several, or a rod of arrays
    pose : of the head; the stable one of least energy by default
    The paper's example: [Herault2020], sec. 6.3, which takes 6000 steps for a factor of 3.
    """
    rod, pose = taken(rod, pose, name)
    goal = curvature_norm(rod) / factor

    def wish(now: RodModel) -> tuple[float, Array]:
        return 0.5 * curvature_norm(now) ** 2, curvature_of(now)

    return walk(rod, pose, wish, lambda now: curvature_norm(now) <= goal, step=step, most=most)


def reach_shape(
    rod: RodModel | Source,
    pose: FloatingPose | None,
    target: Array | Source,
    *,
    name: str | None = None,
    step: float = 1.0,
    most: int = 200,
) -> Walk:
    """Bring the curvature as near to `target` as the fixed pose of the head allows; rod, pose, name : as for `uncoil`.

    target : (m, n, 3) at the Gauss points of the rod, or a case with a rod of the required shape
    """
    rod, pose = taken(rod, pose, name)
    if not isinstance(target, np.ndarray):
        target = _curvature_on(rod, System.of(target), name)

    def wish(now: RodModel) -> tuple[float, Array]:
        gap = curvature_of(now) - target
        return 0.5 * curvature_norm(now, gap) ** 2, gap

    return walk(rod, pose, wish, lambda now: False, step=step, most=most)


def _curvature_on(rod: RodModel, system: System, name: str | None) -> Array:
    """Curvature (m, n, 3) at the points of a rod that the rod of a case has at the same arc lengths."""
    key, given = rod_of(system, name)
    fields = rod_fields(given, key)
    if abs(fields.length - rod.length) > 1e-6 * rod.length:
        raise InputError(f"the target is {fields.length:.6g} m long, the rod {rod.length:.6g} m; make them equal")
    return np.asarray(fields.kappa(rod.s.ravel()).reshape(*rod.s.shape, 3))


def reach_trim(
    rod: RodModel | Source,
    pose: FloatingPose | None,
    up: Array,
    heave: float,
    *,
    name: str | None = None,
    functions: int = FUNCTIONS,
) -> Walk:
    """Bend the rod, as little as possible at each step, until its head is in equilibrium at (up, heave).

    The required pose moves in steps from the old one to the new; a step that fails is halved.
    rod, pose, name : as for `uncoil`
    """
    rod, pose = taken(rod, pose, name)
    basis = basis_functions(rod, functions)
    target = np.asarray(up, dtype=float) / np.linalg.norm(up)
    now, done, size, steps = rod, 0.0, 1.0 / TRIM_STEPS, list[WalkStep]()
    here = pose
    while done < 1.0:
        share = min(1.0, done + size)
        aim = (1.0 - share) * pose.up + share * target
        aimed = replace(pose, up=aim / np.linalg.norm(aim), heave=(1.0 - share) * pose.heave + share * heave)
        trial, used = correct(now, aimed, basis)
        if trial is None:
            size *= 0.5
            if size < SMALLEST_STEP / TRIM_STEPS:
                message = f"only {100 * done:.0f} % of the way to the new trim can be reached by bending"
                return Walk(now, here, tuple(steps), False, message, rod)
            continue
        now, done, here = trial, share, aimed
        steps.append(_record(now, here, 1.0 - done, curvature_norm(now, curvature_of(now) - curvature_of(rod)), used))
    return Walk(now, _settled(now, here), tuple(steps), True, "done", rod)


def reach_stiffness(
    rod: RodModel | Source,
    pose: FloatingPose | None,
    target: float,
    *,
    name: str | None = None,
    step: float = 1.0,
    most: int = 60,
    functions: int = 8,
) -> Walk:
    """Change the softest restoring stiffness (N m/rad) to `target`, the head held at `pose`.

    The gradient of the stiffness is taken by differences over few functions; the balance stays exact.
    rod, pose, name : as for `uncoil`
    """
    rod, pose = taken(rod, pose, name)
    basis = basis_functions(rod, functions)

    def soft(now: RodModel) -> float:
        acc = hydrostatics(now.panels, pose.heave, pose.up)
        return float(FloatingPose.at(now, pose.up, pose.heave, acc).curvature[0])

    def wish(now: RodModel) -> tuple[float, Array]:
        value = soft(now)
        ahead = [soft(_changed(now, basis, DIFFERENCE * e)) for e in np.eye(3 * functions)]
        slope = _null_part(now, pose, (np.array(ahead) - value) / DIFFERENCE, basis)
        gap = value - target
        newton = gap / float(slope @ slope) * slope  # so that a whole step closes the gap to first order
        return 0.5 * gap**2, np.einsum("jkq,ji->kqi", basis, newton.reshape(-1, 3)) / now.length

    def done(now: RodModel) -> bool:
        return abs(soft(now) - target) <= SAME_STIFFNESS * abs(target)

    return walk(rod, pose, wish, done, step=step, most=most, functions=functions)


def walk(
    rod: RodModel,
    pose: FloatingPose,
    wish: Callable[[RodModel], tuple[float, Array]],
    done: Callable[[RodModel], bool],
    *,
    step: float = 1.0,
    most: int = 60,
    functions: int = FUNCTIONS,
) -> Walk:
    """Change the shape downhill in a wish while the head stays at `pose`.

    wish : gives the value to lower and its gradient by the curvature (m, n, 3)    done : True when far enough
    step : first and largest step, root mean square curvature times length
    """
    basis = basis_functions(rod, functions)
    now, steps, size, message = rod, list[WalkStep](), step, f"{most} steps were not enough"
    reached = False
    for _ in range(most):
        value, gradient = wish(now)
        direction = _downhill(now, pose, gradient, basis)
        length = float(np.linalg.norm(direction))
        full = curvature_norm(now, gradient)
        if length <= STATIONARY * max(full, 1e-300):
            reached, message = True, "no further improvement is possible within the conditions"
            break
        trial, used = None, 0
        while trial is None and size >= SMALLEST_STEP * step:
            stride = min(size, length)
            trial, used = correct(_changed(now, basis, stride / length * direction), pose, basis)
            if trial is not None and wish(trial)[0] >= value:
                trial = None
            if trial is None:
                size *= 0.5
        if trial is None:
            message = f"the walk ends at |kappa| L = {curvature_norm(now):.4g}: no smaller step keeps the head's pose"
            break
        now = trial
        steps.append(_record(now, pose, wish(now)[0], stride, used))
        if done(now):
            reached, message = True, "done"
            break
        if value - steps[-1].objective < PROGRESS * value:
            message = f"the walk ends at |kappa| L = {curvature_norm(now):.4g}: the branch ends there"
            break
        if used <= EASY:
            size = min(step, STEP_GROWTH * size)
    return Walk(now, _settled(now, pose), tuple(steps), reached, message, rod)


def _downhill(rod: RodModel, pose: FloatingPose, gradient: Array, basis: Array) -> Array:
    """Minus the gradient in the coefficients of the basis, projected on the null space of the conditions."""
    ds = rod.panels.weight * rod.panels.half[:, None]
    wanted = -np.einsum("jkq,kq,kqi->ji", basis, ds, gradient).ravel()  # times length over length
    return _null_part(rod, pose, wanted, basis)


def _null_part(rod: RodModel, pose: FloatingPose, wanted: Array, basis: Array) -> Array:
    """The part of a change of the parameters that leaves the balance alone, to first order."""
    jacobian = balance(rod, pose.up, pose.heave, basis).jacobian
    rows = np.linalg.svd(jacobian, full_matrices=False)[2]
    return np.asarray(wanted - rows.T @ (rows @ wanted))


def _changed(rod: RodModel, basis: Array, parameters: Array) -> RodModel:
    change = np.einsum("jkq,ji->kqi", basis, parameters.reshape(-1, 3)) / rod.length
    return reshape(rod, curvature_of(rod) + change)


def correct(rod: RodModel, pose: FloatingPose, basis: Array) -> tuple[RodModel | None, int]:
    """Newton's method with the smallest change of curvature back to balance at `pose`; None if it fails.

    Not numerics/newton.py: steps are taken whole, may raise the error for a while, and end where the rod bends into
    itself.
    """
    last = np.inf
    for used in range(CORRECTIONS):
        if section_bend(rod).max() >= 1.0:
            return None, used
        state = balance(rod, pose.up, pose.heave, basis)
        error = float(np.abs(state.residual).max())
        if error <= BALANCED:
            return rod, used
        if not np.isfinite(error) or error > 10.0 * last:
            return None, used
        last = error
        change = np.linalg.lstsq(state.jacobian, state.residual, rcond=None)[0]
        rod = _changed(rod, basis, -np.asarray(change, dtype=float))
    return None, CORRECTIONS


def _settled(rod: RodModel, pose: FloatingPose) -> FloatingPose:
    """The pose as the finished rod finds it by itself, from the wished one; the wished one if it is not stable."""
    try:
        return equilibrium(rod, pose.up, pose.heave)
    except ConvergenceError as failure:
        return failure.report if isinstance(failure.report, FloatingPose) else pose


def _record(rod: RodModel, pose: FloatingPose, value: float, stride: float, used: int) -> WalkStep:
    acc = hydrostatics(rod.panels, pose.heave, pose.up)
    here = FloatingPose.at(rod, pose.up, pose.heave, acc)
    weight = rod.mass * rod.gravity
    error = np.abs(here.wrench[2:5] / (weight * np.array([1.0, rod.length, rod.length]))).max()
    soft = float(here.curvature[0]) / (weight * rod.length)
    return WalkStep(curvature_norm(rod), value, float(error), soft, stride, used)
