r"""A rod that bends while it floats: shape and pose are found together.

The unknowns are the curvature, as Legendre polynomials between point masses, supports and joints on top of the rest
shape, and what is not held of the head's pose. There are as many polynomials as it takes until one half more changes
the answer no further. The energy, with springs k_i at heights h_i,

.. math:: \Pi = U(\kappa, z, u) + \tfrac12 \int (\kappa - \kappa_0)^T K (\kappa - \kappa_0)\, ds
          + \tfrac12 \sum_i k_i (z + u \cdot p(s_i) - h_i)^2

is minimised by Newton's method. The gradient is exact (`physics.rod_sensitivity`); its derivative is taken by
differences of the gradient, which costs no accuracy of the solution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from ropewalk.errors import ConvergenceError
from ropewalk.methods.rods.afloat import FloatingPose, equilibrium
from ropewalk.model.rods import Array, RodModel, curvature_of, mass_sensitivity, place, reshape, shift_sensitivity
from ropewalk.numerics.quadrature import gauss_legendre
from ropewalk.numerics.rotations import tangent_basis
from ropewalk.physics.rod_energy import net_wrench, upright_frame
from ropewalk.physics.rod_hydrostatics import hydrostatic_points
from ropewalk.physics.rod_integrals import total
from ropewalk.physics.rod_sensitivity import section_motions, wet_sensitivity

FIRST_FUNCTIONS, FIRST_ROUGH = 8, 4  # Legendre polynomials per component in each piece, to begin with
ROUGH = 1e-6  # accuracy above which few functions will do
BEND_SHARE = 1e3  # times the accuracy: change of the curvature, relative, at which there are functions enough
NO_BEND = 1e-8  # rad in all; a rod bent less counts as not bent
MOST_UNKNOWNS = 150  # of the curvature: beyond it more functions cost more than they are worth
MOST_PIECES = 8  # joints and sharp twists end a piece only up to as many: curvature jumps there
ACCURACY = 1e-7  # of the shape over the length, and of the attitude in rad, at which there are functions enough
DIFFERENCE = 1e-6  # of a turn in rad or of a shift over length, for the derivative of the gradient
TOLERANCE = 1e-11  # of the gradient over weight times length (or over the bending energy scale, if larger)
MOST_STEPS = 60
FLOOR = 1e-10  # smallest curvature of the energy taken at its word, over the largest
LONGEST = 0.5  # rad, or lengths, of one step
HALVINGS = 30


class Hold(NamedTuple):
    """What is kept of the head's pose, and vertical springs along the rod."""

    heave: bool = False
    turn: bool = False
    springs: tuple[tuple[float, float, float], ...] = ()  # arc length (m), height without force (m), stiffness (N/m)


FREE = Hold()
CLAMPED = Hold(heave=True, turn=True)


@dataclass(frozen=True)
class BentRod:
    """A rod in the shape it takes."""

    rod: RodModel
    pose: FloatingPose
    energy: float  # J, elastic part and springs included
    elastic_energy: float  # J
    residual: float  # gradient of the energy over its scale
    iterations: int
    head_force: float = 0.0  # N, upwards, of what holds the head on the rod
    head_moment: tuple[float, float] = (0.0, 0.0)  # N m about the horizontal world axes of zero yaw, likewise
    spring_force: tuple[float, ...] = ()  # N, upwards, of each spring on the rod
    lowest: float = np.inf  # smallest second derivative of the energy over its scale, seen at the last step
    change: Array = field(default_factory=lambda: np.zeros(0))  # unknowns of the curvature, of :class:`BendingProblem`
    functions: int = 0  # polynomials per component in each piece
    shape_error: float = np.nan  # estimate: shape over length, attitude in rad; NaN where the number was given


class Energy(NamedTuple):
    """The energy of one place, and its slopes; all over the scale of the problem."""

    value: float
    gradient: Array  # by (bend, z over length, turn), without what is held
    lift: float  # by z over length, held or not
    by_up: Array  # (3,) by u, held or not
    rod: RodModel


class BendingProblem:
    """The energy of one rod as a function of its unknowns, with the pose kept beside them."""

    def __init__(self, rest: RodModel, stiffness: Array, functions: int, hold: Hold = FREE) -> None:
        self.rest, self.hold, self.functions = rest, hold, functions
        self.stiffness = stiffness
        self.basis = _pieces(rest, functions, tuple(spring[0] for spring in hold.springs))
        self.rest_kappa = curvature_of(rest)
        self.scale = max(rest.mass * rest.gravity * rest.length, float(stiffness.max()) / rest.length * FLOOR)

    def shaped(self, bend: Array) -> RodModel:
        """The rod with the shape that the unknowns give it."""
        if bend.size == 0:
            return self.rest
        change = np.einsum("jkq,ji->kqi", self.basis, bend.reshape(-1, 3)) / self.rest.length
        return reshape(self.rest, self.rest_kappa + change)

    def value(self, bend: Array, z: float, u: Array, tangents: Array) -> Energy:
        """Energy and its slopes."""
        rod = self.shaped(bend)
        panels = rod.panels
        entries, places = hydrostatic_points(panels, z, u)
        nodes, starts = section_motions(panels, self.basis, gauss_legendre(panels.x.size).running)
        wet = wet_sensitivity(panels, entries, places, nodes, self.basis, u)
        dry = mass_sensitivity(rod, self.basis, nodes, starts)
        net, moment = net_wrench(total(entries), rod.centre, rod.float_volume)
        weight_density = rod.water_density * rod.gravity
        by_up, lift = -weight_density * np.array(moment), -weight_density * net
        energy = float(lift * z + u @ by_up + self.elastic(bend))
        by_bend = rod.gravity * (u @ dry - rod.water_density * (z * wet[0] + u @ wet[1:])) / rod.length
        by_bend += np.tile(self.stiffness, len(self.basis)) / rod.length * bend
        for s, height, k in self.hold.springs:
            at = place(rod, s).position
            gap = z + u @ at - height
            energy += 0.5 * k * float(gap) ** 2
            by_bend += k * gap * (u @ shift_sensitivity(rod, s, nodes, starts)) / rod.length
            lift += k * gap
            by_up = by_up + k * gap * at
        parts = [by_bend]
        if not self.hold.heave:
            parts.append(np.array([lift * rod.length]))
        if not self.hold.turn:
            parts.append(tangents @ by_up)
        gradient = np.concatenate(parts) / self.scale
        return Energy(energy / self.scale, gradient, lift * rod.length / self.scale, by_up / self.scale, rod)

    def elastic(self, bend: Array) -> float:
        """Bending and torsion energy, J; the polynomials have unit mean square."""
        return float(0.5 / self.rest.length * np.sum(self.stiffness * bend.reshape(-1, 3) ** 2))

    def moved(self, bend: Array, z: float, u: Array, tangents: Array, step: Array) -> tuple[Array, float, Array, Array]:
        """The unknowns after a step, with the tangents carried along."""
        n = bend.size
        bend, rest = bend + step[:n], step[n:]
        if not self.hold.heave:
            z, rest = z + rest[0] * self.rest.length, rest[1:]
        if not self.hold.turn:
            u = u + rest @ tangents
            u = u / np.linalg.norm(u)
            tangents = tangents - np.outer(tangents @ u, u)
        return bend, z, u, tangents

    def curvature(self, bend: Array, z: float, u: Array, tangents: Array, size: int) -> Array:
        """(size, size) second derivative of the energy, by differences of the gradient."""
        hessian = np.empty((size, size))
        for i, e in enumerate(np.eye(size)):
            ahead = self.value(*self.moved(bend, z, u, tangents, DIFFERENCE * e)).gradient
            behind = self.value(*self.moved(bend, z, u, tangents, -DIFFERENCE * e)).gradient
            hessian[i] = (ahead - behind) / (2.0 * DIFFERENCE)
        return 0.5 * (hessian + hessian.T)

    def bent(self, bend: Array, z: float, u: Array, now: Energy, steps: int = 0, lowest: float = math.nan) -> BentRod:
        """The rod at a pose where the energy is `now`, with the forces that hold it.

        steps : that led there    lowest : second derivative of the energy
        """
        rod, hold, scale = now.rod, self.hold, self.scale
        error = float(np.abs(now.gradient).max(initial=0.0))
        acc = total(hydrostatic_points(rod.panels, z, u)[0])
        path = np.array([[now.value, error, 0.0, steps]])
        pose = FloatingPose.at(rod, u, z, acc, path, (steps, steps))
        frame, _, _ = upright_frame(u)
        slope = scale * (frame @ now.by_up)  # turning the head by theta changes the energy by theta . (slope x z)
        return BentRod(
            rod,
            pose,
            now.value * scale,
            self.elastic(bend),
            error,
            steps,
            head_force=scale * now.lift / rod.length if hold.heave else 0.0,
            head_moment=(float(slope[1]), float(-slope[0])) if hold.turn else (0.0, 0.0),
            spring_force=tuple(k * (height - z - float(u @ place(rod, s).position)) for s, height, k in hold.springs),
            lowest=lowest,
            change=bend.copy(),
            functions=self.functions,
        )


def _pieces(rod: RodModel, functions: int, supports: tuple[float, ...] = ()) -> Array:
    """Legendre polynomials between point masses and supports, zero elsewhere, (b, m, n), of unit mean square."""
    if functions == 0:
        return np.zeros((0, *rod.s.shape))
    joints = rod.edges[:-1][np.any(rod.jump != 0.0, axis=1)]
    ends = np.unique([0.0, *rod.point_s, *supports, rod.length])
    if ends.size + joints.size <= MOST_PIECES + 1:
        ends = np.unique([*ends, *joints])
    basis = []
    for low, high in pairwise(ends):
        at = 2.0 * (rod.s - low) / (high - low) - 1.0
        inside = np.abs(at) <= 1.0
        values = np.moveaxis(legendre.legvander(np.where(inside, at, 0.0), functions - 1), -1, 0)
        size = np.sqrt((2.0 * np.arange(functions) + 1.0) * rod.length / (high - low))
        basis.append(values * inside * size[:, None, None])
    return np.ascontiguousarray(np.concatenate(basis))


def bend(
    rod: RodModel,
    stiffness: tuple[float, float, float],
    pose: FloatingPose | None = None,
    *,
    clamped: bool = False,
    hold: Hold | None = None,
    functions: int | None = None,
    accuracy: float = ACCURACY,
    tolerance: float = TOLERANCE,
) -> BentRod:
    """Shape and pose of an elastic rod afloat, free or held.

    stiffness : torsion GJ and bending EI about section axes 2 and 3, N m2    pose : where to start, and where what is
    held of the head is kept; a stable pose of the stiff rod if left out    clamped : keep the whole pose of the head
    hold : what else is kept    functions : per component and piece, 0 for a stiff rod; if left out, as many as it takes
    for the estimate `shape_error` to fall below `accuracy`
    """
    begin = equilibrium(rod) if pose is None else pose
    kept, given = hold or (CLAMPED if clamped else FREE), np.array(stiffness, dtype=float)
    if functions is not None:
        return _settle(BendingProblem(rod, given, functions, kept), None, begin, tolerance)
    first = FIRST_FUNCTIONS if accuracy < ROUGH else FIRST_ROUGH
    try:
        found = _settle(BendingProblem(rod, given, first, kept), None, begin, tolerance)
    except ConvergenceError:  # too few functions may have no shape in which Newton's method ends
        found = _settle(BendingProblem(rod, given, first + first // 2, kept), None, begin, tolerance)
    while True:
        more = found.functions + found.functions // 2
        finer = BendingProblem(rod, given, more, kept)
        start = prolonged(found.change, found.functions, more)
        try:
            after = _settle(finer, start, found.pose, tolerance)
        except ConvergenceError:
            return found
        error = _shape_change(found, after)
        change, size = np.linalg.norm(after.change - start), np.linalg.norm(after.change)
        found = replace(after, shape_error=error)
        good = error <= accuracy and (change <= BEND_SHARE * accuracy * size or size < NO_BEND)
        if good or 1.5 * 3 * len(finer.basis) > MOST_UNKNOWNS:
            return found


def prolonged(change: Array, functions: int, more: int) -> Array:
    """Unknowns of a curvature with `more` functions in each piece, those beyond the first zero."""
    old = change.reshape(-1, functions, 3)
    new = np.zeros((old.shape[0], more, 3))
    new[:, :functions] = old
    return new.ravel()


def _shape_change(one: BentRod, other: BentRod) -> float:
    """How far two answers differ: centrelines and heave over the length, attitude in rad."""
    rows, others = one.rod.panels.rows["position"], other.rod.panels.rows["position"]
    length = one.rod.length
    apart = float(np.abs(rows - others).max()) / length
    turned = float(np.linalg.norm(one.pose.up - other.pose.up))
    return max(apart, turned, abs(one.pose.heave - other.pose.heave) / length)


def _settle(problem: BendingProblem, start: Array | None, begin: FloatingPose, tolerance: float) -> BentRod:
    """The shape with the functions of a problem, from a start of its unknowns and a pose.

    Not numerics/newton.py: it descends in an energy of either sign, turns negative curvatures round, and leaves
    equilibria that are not stable.
    """
    unknown, z, u = np.zeros(3 * len(problem.basis)), float(begin.heave), np.array(begin.up)
    unknown = unknown if start is None else start.copy()
    tangents = tangent_basis(u)
    now = problem.value(unknown, z, u, tangents)
    lowest, pushes = np.inf, 0
    for iteration in range(MOST_STEPS):
        error = float(np.abs(now.gradient).max(initial=0.0))
        if error <= tolerance:
            if now.gradient.size:
                lowest, way = _softest(problem, unknown, z, u, tangents, now.gradient.size)
            if lowest >= -UNSTABLE or pushes == MOST_PUSHES:
                return problem.bent(unknown, z, u, now, iteration, lowest)
            # a balance that the slightest disturbance ends, like a column over its buckling load: leave it downhill
            pushes += 1
            unknown, z, u, tangents = problem.moved(unknown, z, u, tangents, PUSH * way)
            tangents = tangent_basis(u)
            now = problem.value(unknown, z, u, tangents)
            error = float(np.abs(now.gradient).max())
        step, lowest = _newton_step(problem, unknown, z, u, tangents, now.gradient)
        for _ in range(HALVINGS):
            trial = problem.moved(unknown, z, u, tangents, step)
            new = problem.value(*trial[:3], tangent_basis(trial[2]))
            closer = float(np.abs(new.gradient).max()) < error
            change = new.value - now.value
            if change < ARMIJO * float(step @ now.gradient) or (closer and abs(change) < ROUND_OFF):
                break
            step = 0.5 * step
        else:
            break
        (unknown, z, u), tangents, now = trial[:3], tangent_basis(trial[2]), new
    if error <= ENOUGH and now.gradient.size:  # very soft rods are noisy: differences of their energy are no better
        lowest, _ = _softest(problem, unknown, z, u, tangents, now.gradient.size)
        return problem.bent(unknown, z, u, now, MOST_STEPS, lowest)
    raise ConvergenceError(
        f"rod: the bent shape was not found: gradient {error:.2e} of weight x length after {iteration} steps; "
        "start from a stiffer rod and soften it, or use more functions",
        now.rod,
    )


ENOUGH = 1e-7  # of the gradient, where steps gain no more: forces to a ten-millionth of the weight
UNSTABLE = 1e-6  # second derivative of the energy over its scale, below zero: differences leave 1e-7 for very soft rods
PUSH = 0.05  # of a turn in rad, along the direction of least curvature
MOST_PUSHES = 3
ARMIJO = 1e-4  # share of the predicted gain that a step must win
ROUND_OFF = 1e-13  # energy differences, over the scale, that mean nothing


def _newton_step(
    problem: BendingProblem, unknown: Array, z: float, u: Array, tangents: Array, gradient: Array
) -> tuple[Array, float]:
    """Newton's step with negative curvatures turned round, shortened to LONGEST; and the lowest curvature."""
    values, vectors = np.linalg.eigh(problem.curvature(unknown, z, u, tangents, gradient.size))
    sizes = np.maximum(np.abs(values), FLOOR * np.abs(values).max())
    step = -vectors @ ((vectors.T @ gradient) / sizes)
    return step * min(1.0, LONGEST / max(LONGEST, np.abs(step).max())), float(values[0])


def _softest(
    problem: BendingProblem, unknown: Array, z: float, u: Array, tangents: Array, size: int
) -> tuple[float, Array]:
    """Smallest second derivative of the energy, and its direction."""
    values, vectors = np.linalg.eigh(problem.curvature(unknown, z, u, tangents, size))
    return float(values[0]), vectors[:, 0]
