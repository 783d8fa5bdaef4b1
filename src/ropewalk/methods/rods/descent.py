"""The gradient method of Herault on SE(3), kept to compare with: steps along the wrench, halted by Armijo's rule.

[Herault2020], algorithm 1, with its misprints put right: the wrench goes to the centre of mass with the transposed
adjoint of its pose, and the head is that pose times the inverse of the centre's place in the body. The step only
shrinks, so the contraction factor sets the number of iterations.
"""

from __future__ import annotations

import numpy as np

from ropewalk.errors import ConvergenceError
from ropewalk.methods.rods.afloat import FloatingPose
from ropewalk.model.rods import Array, RodModel
from ropewalk.numerics.rotations import adjoint_se3, exp_se3, inverse_se3, rigid, tangent_basis
from ropewalk.physics.rod_energy import net_wrench, upright_frame
from ropewalk.physics.rod_hydrostatics import hydrostatics
from ropewalk.physics.rod_integrals import Integrals

FIRST_STEP = 0.5  # of the motion: turn in rad, shift over length
SHORTEST_STEP = 1e-10  # at which the paper stops
CONTRACTION = 0.9  # the paper does not give its own
ARMIJO = 1e-4  # share of the predicted work that a step must win
MOST_STEPS = 2000


def descend(
    rod: RodModel,
    up: Array,
    heave: float | None = None,
    *,
    first_step: float = FIRST_STEP,
    contraction: float = CONTRACTION,
    most: int = MOST_STEPS,
    trace: list[tuple[float, float, float, float]] | None = None,
) -> FloatingPose:
    """Equilibrium by the paper's gradient method; `path` has energy (m4), moment over weight x length, step, calls.

    trace : gets energy (J), vertical force (N) and the moments about the horizontal axes through the centre of mass
    (N m) at each iteration. Raises ConvergenceError if the step has not shrunk away after `most` iterations.
    """
    start = np.array(up, dtype=float)
    start /= np.linalg.norm(start)
    z = -float(start @ rod.centre) if heave is None else float(heave)
    R, _, _ = upright_frame(start)
    to_centre = rigid(np.eye(3), np.asarray(rod.centre))
    back = inverse_se3(to_centre)
    g = rigid(R, np.array([0.0, 0.0, z])) @ to_centre
    scale = np.array([rod.length] * 3 + [1.0] * 3)  # a motion's parts count alike: shift over length, turn
    weight_density = rod.water_density * rod.gravity
    energy, wrench, acc = _energy_and_wrench(rod, g, back)
    step, used, path = first_step, 1, list[tuple[float, ...]]()
    for _ in range(most):
        body = adjoint_se3(g).T @ wrench
        if trace is not None:
            about = wrench[3:] - np.cross(g[:3, 3], wrench[:3])
            trace.append((energy, float(wrench[2]), float(about[0]), float(about[1])))
        direction = scale**2 * body
        size = float(np.linalg.norm(direction / scale))
        head = g @ back
        level = np.hypot(*(acc.moment - acc.volume * rod.centre) @ tangent_basis(head[2, :3]).T)
        path.append((energy / weight_density, level / (rod.float_volume * rod.length), step, used))
        if size == 0.0 or step < SHORTEST_STEP:
            at = np.ascontiguousarray(head[2, :3])
            return FloatingPose.at(rod, at, float(head[2, 3]), acc, np.array(path), (len(path) - 1, used))
        direction /= size
        while step >= SHORTEST_STEP:
            trial = g @ exp_se3(step * direction)
            new_energy, new_wrench, new_acc = _energy_and_wrench(rod, trial, back)
            used += 1
            if new_energy < energy - ARMIJO * step * float(direction @ body):
                g, energy, wrench, acc = trial, new_energy, new_wrench, new_acc
                break
            step *= contraction
    raise ConvergenceError(
        f"rod: the gradient method has made {most} steps and is still at {path[-1][1]:.2e} of weight x length; "
        "use the trust region",
        np.array(path),
    )


def _energy_and_wrench(rod: RodModel, g: Array, back: Array) -> tuple[float, Array, Integrals]:
    """Potential energy (J), wrench in world axes about the origin, and the integrals, of a pose of the mass centre."""
    head = g @ back
    R, p = head[:3, :3], head[:3, 3]
    acc = hydrostatics(rod.panels, float(p[2]), np.ascontiguousarray(R[2]))
    weight_density, up = rod.water_density * rod.gravity, np.array([0.0, 0.0, 1.0])
    net, moment = net_wrench(acc, rod.centre, rod.float_volume)
    centre = R @ np.array(moment) + net * p
    wrench = weight_density * np.concatenate([net * up, np.cross(centre, up)])
    return -weight_density * float(centre[2]), wrench, acc
