"""M, B, K: what they hold, and in other coordinates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.analysis.linearise import Linearised, linearise
from ropewalk.analysis.modes import modes
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.model.arrays import Array
from ropewalk.spec.system import System
from validation.test_frequencies import n_pendulum, pendulum_matrices

ALONG_X = 0.9  # cosine above which a bar is too near to x to take its angle from there


def joint_coordinates(linear: Linearised, line: str) -> tuple[Array, Array, Array]:
    r"""M, B, K (2 n, 2 n) of an inextensible line held at end A in the angles of its n bars; kg m2, N m s, N m.

    .. math:: M_q = J^T M J, \qquad K_q = J^T K J, \qquad
              \delta r_i = \sum_{j \le i} l_j (e_{1j} \theta_{1j} + e_{2j} \theta_{2j})

    Source: [Otto2022], eqs. (6.54)-(6.79), in space and about any equilibrium: the angles keep every length to first
    order, and what they change to second order is in K through the tensions. Angles come bar by bar from end A, e1 the
    direction across the bar nearest to x, e2 across both.
    """
    unknowns, k = linear.unknowns, linear.model.names.lines.index(line)
    mesh, at = unknowns.mesh, linear.assembled
    e = np.arange(mesh.element_start[k], mesh.element_start[k + 1])
    t, length = at.local.tangent[e], mesh.element[e].length
    nearest = np.where(np.abs(t[:, :1]) < ALONG_X, np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]]))
    e1 = nearest - np.sum(nearest * t, axis=1)[:, None] * t
    e1 /= np.linalg.norm(e1, axis=1)[:, None]
    bars = length[:, None, None] * np.stack([e1, np.cross(t, e1)], axis=2)  # (n, 3, 2)
    n = e.size
    rows = np.zeros((n, 3, n, 2))
    for j in range(n):
        rows[j:, :, j] = bars[j]
    moving = np.setdiff1d(np.arange(unknowns.size), unknowns.tension)
    nodes = unknowns.first[e] + 1
    chosen = at.S[(3 * nodes[:, None] + np.arange(3)).ravel()][:, moving]
    J = np.linalg.solve(chosen.toarray(), rows.reshape(3 * n, 2 * n))
    M, B, K = (J.T @ matrix[moving][:, moving].toarray() @ J for matrix in (at.M.tocsr(), at.B.tocsr(), at.K.tocsr()))
    return M, B, K


def test_joint_coordinates_are_those_of_the_n_pendulum() -> None:
    """[Otto2022], eqs. (6.54), (6.78), (6.79), in both planes."""
    masses = [1.0, 2.0, 0.5, 3.0]
    M, B, K = joint_coordinates(linearise(n_pendulum(masses, 4.0), mass_damping=0.3), "line")
    exact_M, exact_K = pendulum_matrices(masses, 1.0)
    for plane in range(2):
        one = np.arange(plane, 8, 2)
        assert_allclose(M[np.ix_(one, one)], exact_M, rtol=1e-12)
        assert_allclose(K[np.ix_(one, one)], exact_K, atol=1e-9)
        assert_allclose(B[np.ix_(one, one)], 0.3 * exact_M, rtol=1e-12)
    assert_allclose(M[0::2, 1::2], 0.0, atol=1e-12)


def test_joint_coordinates_have_the_same_modes_about_a_pulled_chain() -> None:
    """A chain of ten bars pulled aside by 10 N: angles or positions and tensions, the same frequencies."""
    from scipy.linalg import eigh

    system = n_pendulum([0.235619] * 10, 1.0)
    end = system.points["end"].replace(force=(10.0, 0.0, 0.0))
    linear = linearise(system.replace(points={**system.points, "end": end}))
    # static end of the corrected paper, digits as printed
    assert_allclose(linear.place.r[-1, [0, 2]], [0.65090, -0.70102], atol=5e-6)
    M, _, K = joint_coordinates(linear, "line")
    exact = np.sqrt(eigh(K, M, eigvals_only=True))
    assert_allclose(modes(linear, 20).omega.values, exact, rtol=1e-8)


def test_matrices_carry_their_whole_mass() -> None:
    """A rigid shift of all that moves feels the moving mass."""
    linear = linearise(n_pendulum([1.0, 2.0], 2.0))
    shift = np.zeros(linear.unknowns.size)
    shift[linear.unknowns.inner[linear.unknowns.inner[:, 0] >= 0][:, 0]] = 1.0
    shift[linear.unknowns.point[1, 0]] = 1.0
    assert_allclose(shift @ (linear.M @ shift), 3.0, rtol=1e-12)
    assert linear.is_symmetric
    assert not linear.is_damped


def test_what_is_refused() -> None:
    """Lines over points, loads, and nothing at all."""
    with pytest.raises(InputError, match="do not support lines that run over points"):
        linearise(System.from_file(Path(__file__).parents[2] / "examples" / "shooting_sheave.yaml"))
    rod = {"length": 1.0, "density": 500.0, "section": {"kind": "ellipse", "a": 0.1, "b": 0.1},
           "curvature": {"kind": "pieces", "pieces": [{"length": 1.0, "kappa": [0, 0, 0]}]}}  # fmt: skip
    with pytest.raises(InputError, match="leave rods out"):
        linearise(System.model_validate({"rods": {"log": rod}}))
    loaded = n_pendulum([1.0, 1.0], 2.0).model_dump(by_alias=True, exclude_unset=True)
    loaded["lines"]["line"]["loads"] = [{"kind": "pressure", "axis": [0, 1, 0], "value": 1.0}]
    with pytest.raises((InputError, ConvergenceError), match="distributed loads"):
        linearise(System.model_validate(loaded))
