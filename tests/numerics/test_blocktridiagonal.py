"""Block tridiagonal factors against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.numerics.blocktridiagonal import factorise, invert, solve


def _blocks(n: int, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    lower, diagonal, upper = (rng.normal(size=(n, b, b)) for _ in range(3))
    diagonal += 6.0 * np.eye(b)  # leading parts stay well conditioned without exchange between blocks
    return lower, diagonal, upper


def _dense(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray) -> np.ndarray:
    n, b = diagonal.shape[:2]
    matrix = np.zeros((n * b, n * b))
    for i in range(n):
        matrix[i * b : (i + 1) * b, i * b : (i + 1) * b] = diagonal[i]
        if i > 0:
            matrix[i * b : (i + 1) * b, (i - 1) * b : i * b] = lower[i]
        if i < n - 1:
            matrix[i * b : (i + 1) * b, (i + 1) * b : (i + 2) * b] = upper[i]
    return matrix


@pytest.mark.parametrize(("n", "b"), [(1, 4), (2, 4), (30, 4), (9, 3)])
def test_solution_is_that_of_the_dense_matrix(n: int, b: int) -> None:
    """numpy.linalg.solve on the assembled matrix, with one factorisation for two right-hand sides."""
    blocks = _blocks(n, b)
    matrix = _dense(*blocks)
    _, pivot = factorise(*blocks)
    assert pivot > 0.0
    for seed in (1, 2):
        rhs = np.random.default_rng(seed).normal(size=(n, b))
        x = rhs.copy()
        solve(*blocks, x)
        # condition number below 30, 120 rows: 1e-12 leaves a margin of about 100
        assert_allclose(x.ravel(), np.linalg.solve(matrix, rhs.ravel()), rtol=0, atol=1e-12)


def test_inverse_exchanges_rows() -> None:
    """A zero on the diagonal is no obstacle inside a block."""
    block = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 4.0]])
    inverse = np.empty((3, 3))
    assert invert(block.copy(), inverse) == pytest.approx(0.25)  # pivots 1, 2, 4 against the largest entry 4
    assert_allclose(inverse @ block, np.eye(3), atol=1e-15)


def test_singular_block_is_named() -> None:
    """A zero pivot is reported with its block, and the elimination stops there."""
    lower, diagonal, upper = np.zeros((3, 2, 2)), np.stack([np.eye(2)] * 3), np.zeros((3, 2, 2))
    diagonal[1] = [[1.0, 2.0], [2.0, 4.0]]
    assert factorise(lower, diagonal, upper) == (1, 0.0)


def test_not_a_number_counts_as_singular() -> None:
    """A matrix with NaN must not pass for regular."""
    lower, diagonal, upper = np.zeros((2, 2, 2)), np.stack([np.eye(2)] * 2), np.zeros((2, 2, 2))
    diagonal[1, 0, 0] = np.nan
    diagonal[1, 1, 0] = np.nan
    assert factorise(lower, diagonal, upper)[1] == 0.0
