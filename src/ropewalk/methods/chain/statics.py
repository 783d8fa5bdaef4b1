"""Equilibrium of a chain of rigid links under dead loads: a convex minimum in three unknowns."""

from __future__ import annotations

import numpy as np

from ropewalk.methods.chain.arrays import Array, Chain

ITERATIONS = 100  # of Newton; 6 to 12 are usual
RESIDUAL = 1e-14  # closure error of the far end as a fraction of the length at which Newton stops
ACCEPTED = 1e-10  # closure error that is still accepted, where rounding stops Newton earlier
SUFFICIENT = 1e-4  # part of the predicted decrease that a step must bring (Armijo)
LIGHT = 1e-12  # fraction of the total load below which the axial force of a link counts as none

_PUSHES = "there is no equilibrium with every link in tension: link {} would be in compression; start as given"


def nodal_loads(chain: Chain) -> Array:
    """Constant loads on the nodes, each link's shares and the bodies at the ends among them; (n + 1, 3), N."""
    load: Array = chain.node_load.copy()
    for body in chain.bodies:
        load[body.node] += body.weight + body.lift + body.force
    load[:-1] += chain.link_load[:, 0]
    load[1:] += chain.link_load[:, 1]
    return load


def equilibrium(chain: Chain, end_a: Array, end_b: Array) -> tuple[Array, Array, float]:
    r"""Nodes (n + 1, 3) in m, force of what holds end B on the chain (3,) in N, and the closure error of end B in m.

    Every link lies along the force it carries, f + c_k, with c_k the loads beyond it. For ends held at a
    distance X the force f at B is the minimum of a convex function:

    .. math:: \Phi(f) = \sum_k a_k |f + c_k| - f \cdot X, \qquad \nabla \Phi = \sum_k a_k t_k - X

    so damped Newton finds it from anywhere, and it is the pulling solution. A free end makes f known.
    Raises ValueError where there is none: both ends free, the distance too long, or a link that would push.
    """
    load = nodal_loads(chain)
    free_a, free_b = not chain.held[0], not chain.held[1]
    if free_a and free_b:
        raise ValueError("both ends of the chain are free: it has no equilibrium")
    # loads beyond link k, towards B: N_k t_k = f + sum of the nodal loads k + 1 ... n
    beyond = np.cumsum(load[:0:-1], axis=0)[::-1]
    a = chain.length
    if free_a or free_b:
        force = -load.sum(axis=0) if free_a else np.zeros(3)
        t = _directions(force + beyond, load)
        steps = np.vstack([np.zeros(3), np.cumsum(a[:, None] * t, axis=0)])
        nodes = steps + end_a if free_b else steps - steps[-1] + end_b
        return nodes, force, 0.0
    if a.size == 1:
        raise ValueError("one link between two held ends cannot move; give the line more elements")
    span = end_b - end_a
    distance = float(np.linalg.norm(span))
    if distance >= a.sum():
        raise ValueError(f"the {a.size} links are {a.sum():.6g} m long, the ends {distance:.6g} m apart")
    force = _minimise(a, beyond, span, load)
    t = _directions(force + beyond, load)
    miss = float(np.linalg.norm(a @ t - span))
    if miss > ACCEPTED * a.sum():
        # the minimum is at a kink of the function, where one link carries nothing
        k = int(np.argmin(np.linalg.norm(force + beyond, axis=1)))
        raise ValueError(_PUSHES.format(k + 1))
    nodes = end_a + np.vstack([np.zeros(3), np.cumsum(a[:, None] * t, axis=0)])
    nodes[-1] = end_b
    return nodes, force, miss


def _directions(axial: Array, load: Array) -> Array:
    size = np.linalg.norm(axial, axis=1)
    if np.any(size <= LIGHT * np.abs(load).sum()):
        k = int(np.argmin(size))
        raise ValueError(_PUSHES.format(k + 1))
    directions: Array = axial / size[:, None]
    return directions


def _minimise(a: Array, beyond: Array, span: Array, load: Array) -> Array:
    """The force at end B by damped Newton.

    Not numerics/newton.py: its merit is a convex energy of either sign, which leads to the minimum also where that is
    at a kink (a link without force) and the gradient does not vanish.
    """
    total = max(float(np.linalg.norm(load, axis=1).sum()), np.finfo(float).tiny)
    distance = float(np.linalg.norm(span))
    force = -0.5 * (beyond[0] + beyond[-1]) + (total * span / distance if distance > 0.0 else 0.0)

    def value(f: Array) -> float:
        return float(a @ np.linalg.norm(f + beyond, axis=1) - f @ span)

    for _ in range(ITERATIONS):
        axial = force + beyond
        size = np.maximum(np.linalg.norm(axial, axis=1), LIGHT * total)
        t = axial / size[:, None]
        gradient = a @ t - span
        if np.linalg.norm(gradient) <= RESIDUAL * a.sum():
            break
        weight = a / size
        hessian = weight.sum() * np.eye(3) - (weight[:, None] * t).T @ t
        hessian += np.finfo(float).eps * np.trace(hessian) * np.eye(3)
        move = -np.linalg.solve(hessian, gradient)
        slope = float(gradient @ move)
        part, here = 1.0, value(force)
        # near the minimum the decrease drowns in rounding: then the full step is right
        if abs(slope) > np.sqrt(np.finfo(float).eps) * abs(here):
            while value(force + part * move) > here + SUFFICIENT * part * slope and part > LIGHT:
                part *= 0.5
        force = force + part * move
    return force
