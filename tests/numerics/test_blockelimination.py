"""Small matrices in tuples."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.numerics.blockelimination import adjugate, invert


def test_adjugate_times_the_matrix_is_the_determinant_times_one() -> None:
    """adj(A) A = det(A) 1, also where there is no inverse."""
    rng = np.random.default_rng(1)
    for A in (rng.normal(size=(3, 3)), np.outer([1.0, 2.0, -1.0], [0.5, 1.0, 3.0])):
        adjugated, determinant = adjugate(tuple(A.ravel()))
        # nine products of numbers of order one: round-off 1e-15
        assert_allclose(np.reshape(adjugated, (3, 3)) @ A, determinant * np.eye(3), atol=1e-14)
        assert_allclose(determinant, np.linalg.det(A), atol=1e-14)


def test_inverse_is_that_of_lapack_and_says_when_there_is_none() -> None:
    """Against numpy.linalg.inv; the zero matrix has determinant and inverse zero."""
    A = np.array([[2.0, -0.3, 0.1], [0.4, 1.5, 0.7], [-0.2, 0.6, 3.0]])
    inverse, determinant = invert(tuple(A.ravel()))
    # condition number below 4: round-off 1e-15
    assert_allclose(np.reshape(inverse, (3, 3)), np.linalg.inv(A), atol=1e-14)
    assert_allclose(determinant, np.linalg.det(A), rtol=1e-14)
    assert invert((0.0,) * 9) == ((0.0,) * 9, 0.0)
