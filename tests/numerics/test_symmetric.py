"""Eigenvalues of small symmetric matrices against LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.numerics.symmetric import symmetric_eigen


@pytest.mark.parametrize("n", [0, 1, 2, 3, 24, 72])
def test_vectors_are_orthonormal_and_rebuild_the_matrix(n: int) -> None:
    """Q^T diag(d) Q = A; round-off grows with the number of rows."""
    A = np.random.default_rng(n).standard_normal((n, n))
    A = A + A.T
    values, rows = symmetric_eigen(A)
    assert_allclose(rows @ rows.T, np.eye(n), atol=1e-13)
    assert_allclose(rows.T @ np.diag(values) @ rows, A, atol=1e-12)
    assert_allclose(np.sort(values), np.linalg.eigvalsh(A), atol=1e-12)


def test_equal_eigenvalues_and_uncoupled_blocks() -> None:
    """Six copies of one block, a zero matrix and a diagonal one."""
    block = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    values, rows = symmetric_eigen(np.kron(np.eye(6), block))
    assert_allclose(np.sort(values), np.sort(np.tile(np.linalg.eigvalsh(block), 6)), atol=1e-13)
    assert_allclose(rows @ rows.T, np.eye(18), atol=1e-13)
    assert_allclose(symmetric_eigen(np.zeros((5, 5)))[0], 0.0)
    assert_allclose(symmetric_eigen(np.diag([3.0, -1.0, 2.0]))[0], [3.0, -1.0, 2.0])


def test_not_a_number_stays_not_a_number() -> None:
    """No endless sweeps, and no wrong answer in silence."""
    assert np.all(np.isnan(symmetric_eigen(np.full((4, 4), np.nan))[0]))
