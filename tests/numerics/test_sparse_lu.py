"""Factors of sparse matrices: solutions, and what is singular."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array, diags

from ropewalk.numerics.sparse_lu import Factors


@pytest.mark.parametrize("ordered", [False, True])
def test_solutions_of_a_matrix_and_of_its_transpose(ordered):
    """Complex and not symmetric; diagonally dominant, so that no order loses digits."""
    n = 30
    rng = np.random.default_rng(1)
    below, above = rng.normal(size=n - 1) + 1j, rng.normal(size=n - 1) - 2j
    A = csr_array(diags([below, np.full(n, 9.0 + 0j), above], [-1, 0, 1]))
    x = rng.normal(size=(n, 2)) + 0j
    factors = Factors(A, ordered=ordered)
    # condition number below 10: round-off 1e-15
    assert_allclose(factors.solve(A @ x), x, rtol=0, atol=1e-13)
    assert_allclose(factors.solve(A.T @ x, transposed=True), x, rtol=0, atol=1e-13)


@pytest.mark.parametrize("matrix", [[[1.0, 2.0], [2.0, 4.0]], [[1.0, np.nan], [0.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]]])
def test_a_matrix_without_an_inverse_is_refused(matrix):
    for given in (np.array(matrix), csr_array(np.array(matrix))):
        with pytest.raises(np.linalg.LinAlgError):
            Factors(given).solve(np.ones(2))
