"""Elimination in a fixed order."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.numerics.dense import normal_equations, solve_dense, solve_positive, solve_scaled


def test_solution_of_random_systems():
    """A x = b with a known x; the condition of a random matrix of 40 rows is about 1e3, so 1e-11 leaves a margin."""
    rng = np.random.default_rng(3)
    for n in (1, 2, 7, 40):
        A, x = rng.normal(size=(n, n)), rng.normal(size=n)
        b = A @ x
        assert solve_dense(A.copy(), b)
        assert_allclose(b, x, rtol=1e-11, atol=1e-11)


def test_zero_pivot_is_exchanged_and_a_singular_matrix_refused():
    b = np.array([2.0, 3.0])
    assert solve_dense(np.array([[0.0, 1.0], [1.0, 0.0]]), b)
    assert b.tolist() == [3.0, 2.0]
    assert not solve_dense(np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones(2))


def test_rows_of_other_sizes_are_scaled() -> None:
    """A zero on the diagonal, rows of sizes that differ by 1e9, and two equal rows."""
    A = np.array([[0.0, 2.0, 1.0], [1e9, 3e9, -1e9], [1.0, -1.0, 4.0]])
    x = np.array([1.0, -2.0, 0.5])
    right = A @ x
    assert solve_scaled(A.copy(), right)
    # condition number of the scaled matrix below 10: round-off 1e-15
    assert_allclose(right, x, atol=1e-13)
    assert not solve_scaled(np.array([[1.0, 2.0], [1.0, 2.0]]), np.ones(2))


def test_normal_equations():
    """A^T A and A^T b, as numpy has them up to the order of the sums."""
    rng = np.random.default_rng(4)
    A, b = rng.normal(size=(9, 9)), rng.normal(size=9)
    N, c = np.empty((9, 9)), np.empty(9)
    normal_equations(A, b, N, c)
    assert_allclose(N, A.T @ A, rtol=1e-13, atol=1e-14)
    assert_allclose(c, A.T @ b, rtol=1e-13, atol=1e-14)


def test_positive_definite_systems_and_only_these():
    rng = np.random.default_rng(4)
    G, b, x = rng.normal(size=(9, 9)), rng.normal(size=9), np.zeros(9)
    A = G @ G.T + np.eye(9)
    assert solve_positive(A.copy(), b, x)
    # condition number below 100: round-off 1e-14
    assert_allclose(A @ x, b, rtol=0, atol=1e-12)
    A[4, 4] = -1.0
    assert not solve_positive(A, b, x)
