r"""A rod that bends while it floats: shape and pose are found together.

The unknowns are the curvature, as Legendre polynomials between the point masses on top of the rest shape, and the
pose of the head unless it is clamped. Their energy

.. math:: \Pi = U(\kappa, z, u) + \tfrac12 \int (\kappa - \kappa_0)^T K (\kappa - \kappa_0)\, ds

is minimised by Newton's method. The gradient is exact (`physics.rod_sensitivity`); its derivative is taken by
differences of the gradient, which costs no accuracy of the solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial import legendre

from ropewalk.errors import ConvergenceError
from ropewalk.model.rods import Array, RodModel, mass_sensitivity, reshape
from ropewalk.numerics.quadrature import gauss_legendre
from ropewalk.physics.rod_hydrostatics import hydrostatic_points
from ropewalk.physics.rod_integrals import MOMENT, VOLUME
from ropewalk.physics.rod_sensitivity import section_motions, wet_sensitivity
from ropewalk.physics.rod_shape import BEND2, BEND3, TORSION
from ropewalk.solvers.rod_equilibrium import FloatingPose, describe, equilibrium, tangent_basis

FUNCTIONS = 12  # Legendre polynomials per component of the curvature, between point masses
DIFFERENCE = 1e-6  # of a turn in rad or of a shift over length, for the derivative of the gradient
TOLERANCE = 1e-11  # of the gradient over weight times length (or over the bending energy scale, if larger)
MOST_STEPS = 60
FLOOR = 1e-10  # smallest curvature of the energy taken at its word, over the largest
LONGEST = 0.5  # rad, or lengths, of one step
HALVINGS = 30


@dataclass(frozen=True)
class BentRod:
    """A rod in the shape it takes."""

    rod: RodModel
    pose: FloatingPose
    energy: float  # J, elastic part included
    elastic_energy: float  # J
    residual: float  # gradient of the energy over its scale
    iterations: int


class _Problem:
    """The energy of one rod as a function of its unknowns, with the pose kept beside them."""

    def __init__(self, rest: RodModel, stiffness: Array, functions: int, clamped: bool) -> None:
        self.rest, self.clamped = rest, clamped
        self.stiffness = stiffness
        self.basis = _pieces(rest, functions)
        self.rest_kappa = np.ascontiguousarray(rest.panels.rows[:, :, [TORSION, BEND2, BEND3]])
        self.scale = max(rest.mass * rest.gravity * rest.length, float(stiffness.max()) / rest.length * FLOOR)

    def shaped(self, bend: Array) -> RodModel:
        change = np.einsum("jkq,ji->kqi", self.basis, bend.reshape(-1, 3)) / self.rest.length
        return reshape(self.rest, self.rest_kappa + change)

    def value(self, bend: Array, z: float, u: Array, tangents: Array) -> tuple[float, Array, RodModel]:
        """Energy and its gradient by (bend, z over length, turn), over the scale."""
        rod = self.shaped(bend)
        panels = rod.panels
        entries, places = hydrostatic_points(panels, z, u)
        nodes, starts = section_motions(panels, self.basis, gauss_legendre(panels.x.size).running)
        wet = wet_sensitivity(panels, entries, places, nodes, self.basis, u)
        dry = mass_sensitivity(rod, self.basis, nodes, starts)
        total = entries.sum(axis=0)
        volume, moment = rod.water_density * total[VOLUME], rod.water_density * total[MOMENT : MOMENT + 3]
        held = rod.mass * rod.centre - moment
        energy = rod.gravity * ((rod.mass - volume) * z + u @ held) + self.elastic(bend)
        by_bend = rod.gravity * (u @ dry - rod.water_density * (z * wet[0] + u @ wet[1:])) / rod.length
        by_bend += np.tile(self.stiffness, len(self.basis)) / rod.length * bend
        if self.clamped:
            return energy / self.scale, by_bend / self.scale, rod
        by_pose = rod.gravity * np.array([(rod.mass - volume) * rod.length, *(tangents @ held)])
        return energy / self.scale, np.concatenate([by_bend, by_pose]) / self.scale, rod

    def elastic(self, bend: Array) -> float:
        """Bending and torsion energy, J; the polynomials have unit mean square."""
        return float(0.5 / self.rest.length * np.sum(self.stiffness * bend.reshape(-1, 3) ** 2))


def _pieces(rod: RodModel, functions: int) -> Array:
    """Legendre polynomials between the point masses, zero elsewhere, (b, m, n), of unit mean square over the rod."""
    ends = np.unique([0.0, *rod.point_s, rod.length])
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
    functions: int = FUNCTIONS,
    tolerance: float = TOLERANCE,
) -> BentRod:
    """Shape and pose of an elastic rod afloat.

    stiffness : torsion GJ and bending EI about section axes 2 and 3, N m2    pose : where to start, or, if `clamped`,
    where the head is held; a stable pose of the stiff rod if left out    functions : per component and piece
    """
    begin = equilibrium(rod) if pose is None else pose
    problem = _Problem(rod, np.array(stiffness, dtype=float), functions, clamped)
    unknown, z, u = np.zeros(3 * len(problem.basis)), float(begin.heave), np.array(begin.up)
    tangents = tangent_basis(u)
    energy, gradient, now = problem.value(unknown, z, u, tangents)
    for iteration in range(MOST_STEPS):
        error = float(np.abs(gradient).max())
        if error <= tolerance:
            acc = hydrostatic_points(now.panels, z, u)[0].sum(axis=0)
            found = describe(now, u, z, acc, iteration, iteration, np.array([[energy, error, 0.0, iteration]]))
            return BentRod(now, found, energy * problem.scale, problem.elastic(unknown), error, iteration)
        step = _newton_step(problem, unknown, z, u, tangents, gradient)
        for _ in range(HALVINGS):
            trial = _moved(problem, unknown, z, u, tangents, step)
            new_energy, new_gradient, new_rod = problem.value(*trial[:3], tangent_basis(trial[2]))
            closer = float(np.abs(new_gradient).max()) < error
            if new_energy < energy + 1e-4 * float(step @ gradient) or (closer and abs(new_energy - energy) < ROUND_OFF):
                break
            step = 0.5 * step
        else:
            break
        (unknown, z, u), tangents = trial[:3], tangent_basis(trial[2])
        energy, gradient, now = new_energy, new_gradient, new_rod
    raise ConvergenceError(
        f"rod: the bent shape was not found: gradient {error:.2e} of weight x length after {iteration} steps; "
        "start from a stiffer rod and soften it, or take more functions",
        now,
    )


ROUND_OFF = 1e-13  # energy differences, over the scale, that mean nothing


def _moved(
    problem: _Problem, unknown: Array, z: float, u: Array, tangents: Array, step: Array
) -> tuple[Array, float, Array, Array]:
    """The unknowns after a step, with the tangents carried along."""
    if problem.clamped:
        return unknown + step, z, u, tangents
    n = unknown.size
    aim = u + step[n + 1 :] @ tangents
    aim /= np.linalg.norm(aim)
    return unknown + step[:n], z + step[n] * problem.rest.length, aim, tangents - np.outer(tangents @ aim, aim)


def _newton_step(problem: _Problem, unknown: Array, z: float, u: Array, tangents: Array, gradient: Array) -> Array:
    """Newton's step with negative curvatures turned round, shortened to LONGEST."""
    hessian = np.empty((gradient.size, gradient.size))
    for i, e in enumerate(np.eye(gradient.size)):
        ahead = problem.value(*_moved(problem, unknown, z, u, tangents, DIFFERENCE * e))[1]
        behind = problem.value(*_moved(problem, unknown, z, u, tangents, -DIFFERENCE * e))[1]
        hessian[i] = (ahead - behind) / (2.0 * DIFFERENCE)
    values, vectors = np.linalg.eigh(0.5 * (hessian + hessian.T))
    values = np.maximum(np.abs(values), FLOOR * np.abs(values).max())
    step = -vectors @ ((vectors.T @ gradient) / values)
    return np.asarray(step * min(1.0, LONGEST / np.abs(step).max()))
