r"""Mass, damping and stiffness that lines put on chosen points and bodies: what an implicit partner needs.

The unknowns r of the lines follow slow motions d of the chosen parts without inertia, :math:`r = X d` with
:math:`K_{rr} X = -K_{rd}`, and :math:`Y = -K_{rr}^{-T} K_{dr}^T` from the left. Then

.. math:: K = K_{dd} + K_{dr} X, \qquad
          A_c = A_{dd} + A_{dr} X + Y^T A_{rd} + Y^T A_{rr} X \quad (A = M, B),

so that the force on the parts changes by :math:`-(K\,\delta x + B\,\delta \dot x + M\,\delta \ddot x)`: exact for
static changes, first order in the ratio of the motion's frequency to that of the lines otherwise.

Source: [Guyan1965], for unsymmetric K with the left transformation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix

from ropewalk.errors import InputError
from ropewalk.methods.linear.assembly import assemble, placed
from ropewalk.methods.linear.equilibrium import place_of
from ropewalk.methods.linear.unknowns import Place, Unknowns, number
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.joints import FREE, LOOSE
from ropewalk.model.model import Model
from ropewalk.model.state import State, resample
from ropewalk.numerics.sparse_lu import Factors

NEUTRAL = 1e-6  # 1/s2, of the mass added to the stiffness: holds neutral modes (a yaw) far below any period of use
AXES = ("x", "y", "z")
DOFS = ("surge", "sway", "heave", "roll", "pitch", "yaw")


class Condensed(NamedTuple):
    """Matrices over the degrees of freedom of the chosen parts, in world axes."""

    dofs: tuple[tuple[str, str], ...]  # part and direction of each row: x, y, z of points; surge to yaw of bodies
    mass: Array  # (n, n) kg, kg m, kg m2
    damping: Array  # (n, n) N s/m, ...
    stiffness: Array  # (n, n) N/m, N, N m


def condensed(model: Model, state: State, points: Sequence[int], bodies: Sequence[int]) -> Condensed:
    """Lines about `state`, condensed to the chosen points and bodies; the bodies' own weight, hull and mass left out.

    Drag is linear about the velocities of `state`; waves and friction of the bed are left out.
    """
    model = _loosened(model, points, bodies)
    unknowns = number(model)
    place = _with_element_tensions(place_of(model, unknowns, state), unknowns, state)
    found = assemble(model, unknowns, place, velocity=_velocity(model, unknowns, state))
    K, B, M = found.K, found.B, found.M
    for k in bodies:
        rows, terms = unknowns.body[k], found.bodies[k]
        K, B, M = (
            matrix - placed(block, rows, unknowns.size)
            for matrix, block in ((K, terms.K), (B, terms.B + terms.drag), (M, terms.M))
        )
    chosen = np.concatenate([*(unknowns.point[j] for j in points), *(unknowns.body[k] for k in bodies)])
    stiffness, damping, mass = _condense(K.tocsr(), B.tocsr(), M.tocsr(), chosen)
    names = model.names
    dofs = [(names.points[j], axis) for j in points for axis in AXES]
    dofs += [(names.bodies[k], dof) for k in bodies for dof in DOFS]
    return Condensed(tuple(dofs), mass, damping, stiffness)


def _condense(K: csr_matrix, B: csr_matrix, M: csr_matrix, chosen: Ints) -> tuple[Array, Array, Array]:
    """(d, d) of each by the equations at the top."""
    rest = np.setdiff1d(np.arange(K.shape[0]), chosen)
    if not rest.size:
        return tuple(matrix[chosen][:, chosen].toarray() for matrix in (K, B, M))  # type: ignore[return-value]
    inner = csc_matrix(K[rest][:, rest] + NEUTRAL * M[rest][:, rest])
    try:
        factor = Factors(inner)
        X = -factor.solve(K[rest][:, chosen].toarray())
        Y = -factor.solve(K[chosen][:, rest].toarray().T, transposed=True)
    except np.linalg.LinAlgError:
        raise InputError("the lines have no stiffness here: part of a line is neither held nor loaded") from None
    right = np.zeros((K.shape[0], chosen.size))
    left = right.copy()
    right[chosen] = left[chosen] = np.eye(chosen.size)
    right[rest], left[rest] = X, Y
    return tuple(left.T @ (matrix @ right) for matrix in (K, B, M))  # type: ignore[return-value]


def _loosened(model: Model, points: Sequence[int], bodies: Sequence[int]) -> Model:
    """The chosen parts free, so that they are among the unknowns."""
    joint, loose = model.points.joint.copy(), model.bodies.joint.copy()
    joint[list(points)], loose[list(bodies)] = FREE, LOOSE
    return model._replace(points=model.points._replace(joint=joint), bodies=model.bodies._replace(joint=loose))


def _with_element_tensions(place: Place, unknowns: Unknowns, state: State) -> Place:
    """Tensions of the elements themselves where the state has them: their means at nodes are smoothed."""
    if not state.element_tension.size:
        return place
    mesh, T = unknowns.mesh, place.T.copy()
    for line in range(state.start.size - 1):
        nodes = slice(state.start[line], state.start[line + 1])
        s = mesh.s[mesh.node_start[line] : mesh.node_start[line + 1]]
        here = np.searchsorted(state.s[nodes], 0.5 * (s[1:] + s[:-1])) - 1
        T[mesh.element_start[line] : mesh.element_start[line + 1]] = state.element_tension[nodes][here]
    return place._replace(T=T)


def _velocity(model: Model, unknowns: Unknowns, state: State) -> Array:
    """(n_rows, 3) of the nodes and points, m/s."""
    mesh = unknowns.mesh
    nodes = [
        resample(state, line, mesh.s[mesh.node_start[line] : mesh.node_start[line + 1]])[1]
        for line in range(model.lines.length.size)
    ]
    return np.concatenate([*nodes, state.point_velocity])
