"""Block Lanczos against dense eigenvalues, clusters and semidefinite masses included."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.sparse import csc_matrix, diags
from scipy.sparse.linalg import splu

from ropewalk.solvers.linear_lanczos import block_lanczos


def test_clusters_and_massless_unknowns() -> None:
    """Six equal chains and 50 unknowns without mass: every copy is found, vectors are orthonormal in M."""
    chain = diags([-np.ones(59), 2.0 * np.ones(60), -np.ones(59)], [-1, 0, 1])
    from scipy.sparse import block_diag

    K = block_diag([chain] * 6 + [diags(np.full(50, 3.0))]).tocsc()
    M = diags(np.concatenate([np.ones(360), np.zeros(50)])).tocsc()
    found = block_lanczos(splu(K).solve, M, 12, block=6)
    assert found is not None
    exact = 2.0 - 2.0 * np.cos(np.pi * np.repeat([1, 2], 6) / 61)
    assert_allclose(np.sort(1.0 / found[0]), exact, rtol=1e-9)  # residual 1e-5 squared
    vectors = found[1]
    assert_allclose(vectors.T @ (M @ vectors), np.eye(12), atol=1e-5)


def test_small_problems_are_exhausted() -> None:
    """When the basis holds all there is, the answer is exact."""
    K = csc_matrix(np.diag([1.0, 4.0, -2.0, 8.0]))
    M = csc_matrix(np.diag([1.0, 1.0, 1.0, 0.0]))
    found = block_lanczos(splu(K).solve, M, 3)
    assert found is not None
    assert_allclose(np.sort(found[0]), [-0.5, 0.25, 1.0], rtol=1e-12)


def test_equal_modes_beyond_the_block_are_found_all_the_same() -> None:
    """Seven equal strings have every frequency fourteen times, more than a block of four sees."""
    from ropewalk.analysis.modes import modes
    from ropewalk.spec.system import System
    from validation.test_frequencies import cable

    one = cable(20, 10.0, 9.99, {"mass": 0.5, "axial_stiffness": 1e6}, 0.0)
    points = {f"{name}{i}": one.points[name].replace(position=(one.points[name].position[0], float(i), 0.0))
              for i in range(7) for name in "AB"}  # fmt: skip
    lines = {f"line{i}": one.lines["cable"].replace(from_=f"A{i}", to=f"B{i}") for i in range(7)}
    many = System.model_validate({**one.model_dump(by_alias=True, exclude_unset=True),
                                  "points": {k: p.model_dump(exclude_unset=True) for k, p in points.items()},
                                  "lines": {k: p.model_dump(by_alias=True, exclude_unset=True)
                                            for k, p in lines.items()}})  # fmt: skip
    single = modes(one, 4).omega.values
    assert_allclose(modes(many, 20).omega.values, [*[single[0]] * 14, *[single[2]] * 6], rtol=1e-8)
