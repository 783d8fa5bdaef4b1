r"""An added mass matrix as masses of points of the body that depend on the direction.

Points :math:`x_i` with the masses :math:`N_i` (3 x 3) have the matrix :math:`\sum J_i^T N_i J_i`,
:math:`J = (1, -\hat x)`. Those of a given matrix are found among masses that count in one direction only, by
non-negative least squares [Lawson1995]; they may take most of what the points have of the body itself, so a matrix
that is larger in its moments than in its masses has an answer too. A matrix with
:math:`A_{14} + A_{25} + A_{36} \ne 0`, of a body that turns as it moves, as a propeller does, has none.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from ropewalk.model.arrays import Array
from ropewalk.physics.rigidbody import arm_matrix

LEND = 0.9  # part of the body's own masses at its points that the matrix may use
MET = 1e-8  # of its entries: how near the masses must come to the matrix
SCALES = (1.0, 0.5, 2.0, 0.25, 4.0)  # of the distance at which points are tried
APART = 1e-6  # of the reach of the points: nearer ones are one
UPPER = np.triu_indices(6)
DIRECTIONS = np.array(
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]], dtype=float
)


def frame_places(added: Array, mass: float, centre: Array, inertia: Array, scale: float) -> Array:
    """(n, 3) points for the masses of a matrix, in the frame of the body, m.

    The origin, the centre of mass and six points about it on the axes; the centres of the matrix for each direction.
    added : (6, 6) about the origin    inertia : (3, 3) about the centre    scale : one of SCALES
    """
    way = mass * np.eye(3) + added[:3, :3]
    turn = added[3:, 3:] + inertia + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    reach = scale * float(np.sqrt(max(np.trace(turn), 0.0) / np.trace(way))) or 1.0
    found = [np.zeros(3), centre, *(centre + reach * sign * e for sign in (1.0, -1.0) for e in np.eye(3))]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        if added[i, i] > 0.0:
            own = np.zeros(3)
            own[j], own[k] = -added[i, 3 + k] / added[i, i], added[i, 3 + j] / added[i, i]
            found.append(own)
    return np.array([p for n, p in enumerate(found) if all(np.linalg.norm(p - q) > APART * reach for q in found[:n])])


def point_tensors(added: Array, masses: Array, places: Array) -> Array | None:
    """(n, 3, 3) masses N of the points that have the matrix `added` (6, 6), kg; None if there are none.

    masses : (n,) of the body at the points, kg    places : (n, 3) about the origin, m
    """
    size = float(np.abs(places).max()) or 1.0
    unit = np.array([1.0, 1.0, 1.0, size, size, size])
    arms = [arm_matrix(x) / unit for x in places]
    target = added / np.outer(unit, unit)
    target = target + LEND * sum(m * J.T @ J for m, J in zip(masses, arms, strict=True))
    # entries off the diagonal count twice, as they do in the matrix
    weight = np.where(UPPER[0] == UPPER[1], 1.0, np.sqrt(2.0))
    columns = [weight * np.outer(d @ J, d @ J)[UPPER] for J in arms for d in DIRECTIONS]
    right = weight * target[UPPER]
    found, miss = nnls(np.array(columns).T, right, maxiter=30 * len(columns))
    if miss > MET * np.linalg.norm(right):
        return None
    tensors = np.einsum("nd,di,dj->nij", found.reshape(len(places), -1), DIRECTIONS, DIRECTIONS)
    out: Array = tensors - LEND * masses[:, None, None] * np.eye(3)
    return out
