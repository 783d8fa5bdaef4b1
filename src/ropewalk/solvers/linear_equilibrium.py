"""Equilibrium on the mesh of the frequency analyses: Newton with the exact tangent, from any solver's State.

The matrices must be taken where the elements themselves are at rest: half a percent of unbalanced force would
show as false stiffness of a body.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import splu

from ropewalk.errors import ConvergenceError
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State, end_positions, resample
from ropewalk.numerics.rotations import quaternion_exp, quaternion_normalise, quaternion_product
from ropewalk.solvers.linear_assembly import Assembled, assemble
from ropewalk.solvers.linear_unknowns import Place, Unknowns

MOST_ITERATIONS = 60
FORCE_TOLERANCE = 1e-9  # of the force scale
LENGTH_TOLERANCE = 1e-10  # of the longest line
STUCK_TOLERANCE = 1e-5  # of the scales: good enough where a kink of the bed stops the descent
FIRST_MASS = 1e-3  # 1/s2, of gravity over length: first Levenberg mass factor
MASS_UP, MASS_DOWN = 10.0, 0.1  # its change after a bad and a good iteration
PATIENCE = 2.0  # growth of the unbalance that a plain Newton step may show
LEAST_SCALE = 1e-6  # N, m: scales of a case without weight or lines


class Rest(NamedTuple):
    """A place at rest and what was assembled there."""

    place: Place
    assembled: Assembled
    force: float  # largest force out of balance, N
    miss: float  # largest length missed, m
    iterations: int


def place_of(model: Model, unknowns: Unknowns, state: State) -> Place:
    """A State on the mesh."""
    mesh = unknowns.mesh
    r, T = np.zeros((mesh.s.size, 3)), np.zeros(mesh.element.shape[0])
    for line in range(model.lines.length.size):
        n = slice(mesh.node_start[line], mesh.node_start[line + 1])
        e = slice(mesh.element_start[line], mesh.element_start[line + 1])
        s = mesh.s[n]
        r[n] = resample(state, line, s)[0]
        T[e] = resample(state, line, 0.5 * (s[1:] + s[:-1]))[2]
    place = Place(np.concatenate([r, state.point_position]), T, state.body_position.copy(),
                  state.body_quaternion.copy())  # fmt: skip
    return joined(model, unknowns, place)


def joined(model: Model, unknowns: Unknowns, place: Place) -> Place:
    """`place` with the lines' end nodes where points and bodies are."""
    r = place.r.copy()
    r[unknowns.ends] = end_positions(model, r[unknowns.mesh.s.size :], place.body_position, place.quaternion)
    return place._replace(r=r)


def moved(model: Model, unknowns: Unknowns, place: Place, S: Array, step: Array) -> Place:
    """`place` after a step of the unknowns."""
    r = place.r + (S @ step).reshape(-1, 3)
    position, quaternion = place.body_position.copy(), place.quaternion.copy()
    for k in np.flatnonzero(unknowns.body[:, 0] >= 0):
        position[k] += step[unknowns.body[k, :3]]
        turned = quaternion_product(quaternion_exp(step[unknowns.body[k, 3:]]), quaternion[k])
        quaternion[k] = quaternion_normalise(turned)
    return joined(model, unknowns, Place(r, place.T + step[unknowns.tension], position, quaternion))


def scales(model: Model, place: Place) -> tuple[float, float]:
    """A force (N) and a length (m) typical of the case."""
    lines, sections = model.lines, model.sections
    g = max(model.sea.gravity, 1.0)
    k = lines.piece_section
    weight = g * float(np.max(sections.mass[k] * lines.piece_length, initial=0.0))
    force = max(weight, float(np.max(np.abs(place.T), initial=0.0)), g * float(np.max(model.bodies.mass, initial=0.0)))
    return max(force, LEAST_SCALE), max(float(np.max(lines.length, initial=0.0)), LEAST_SCALE)


def find_rest(model: Model, unknowns: Unknowns, state: State, mass_damping: float = 0.0) -> Rest:
    """The equilibrium of the elements next to `state`; ConvergenceError if there is none."""
    place = place_of(model, unknowns, state)
    force_scale, length_scale = scales(model, place)
    lengths = np.zeros(unknowns.size, dtype=bool)
    lengths[unknowns.tension] = True

    def judge(candidate: Place) -> tuple[Assembled, float, float]:
        found = assemble(model, unknowns, candidate, mass_damping)
        size = np.abs(found.residual)
        return found, float(np.max(size[~lengths], initial=0.0)), float(np.max(size[lengths], initial=0.0))

    best, force, miss = judge(place)
    mass, first_mass = 0.0, FIRST_MASS * max(model.sea.gravity, 1.0) / length_scale
    iterations = 0
    for iterations in range(1, MOST_ITERATIONS + 1):
        if force <= FORCE_TOLERANCE * force_scale and miss <= LENGTH_TOLERANCE * length_scale:
            return Rest(place, best, force, miss, iterations - 1)
        try:
            step = splu((best.K + mass * best.M).tocsc()).solve(-best.residual)
        except RuntimeError:  # exactly singular
            mass = max(first_mass, mass * MASS_UP)
            continue
        trial = moved(model, unknowns, place, best.S, step)
        found, new_force, new_miss = judge(trial)
        old, new = force / force_scale + miss / length_scale, new_force / force_scale + new_miss / length_scale
        if np.isfinite(new) and (new < old or (mass == 0.0 and new < PATIENCE * old)):
            place, best, force, miss = trial, found, new_force, new_miss
            mass = mass * MASS_DOWN if mass > first_mass else 0.0
        else:
            mass = max(first_mass, mass * MASS_UP)
    if force <= STUCK_TOLERANCE * force_scale and miss <= STUCK_TOLERANCE * length_scale:
        return Rest(place, best, force, miss, iterations)
    raise ConvergenceError(
        f"the elements do not come to rest near the equilibrium found: {force:.3g} N out of balance and {miss:.3g} m "
        f"of length missed after {iterations} iterations; give the lines more elements"
    )
