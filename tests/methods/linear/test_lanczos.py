"""Block Lanczos and the factor and coordinates it works in, against dense eigenvalues."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.sparse import block_diag, csc_matrix, diags, identity

from ropewalk.methods.linear.lanczos import block_lanczos
from ropewalk.methods.linear.ldl import SymmetricFactor
from ropewalk.methods.linear.pencil import Pencil, real_modes, unit_mass


def chains(copies: int, massless: int) -> tuple[csc_matrix, csc_matrix]:
    """K and M of equal chains of 60 masses, and unknowns without mass."""
    chain = diags([-np.ones(59), 2.0 * np.ones(60), -np.ones(59)], [-1, 0, 1])
    K = block_diag([chain] * copies + [diags(np.full(massless, 3.0))]).tocsc()
    return K, diags(np.concatenate([np.ones(60 * copies), np.zeros(massless)])).tocsc()


def test_clusters_and_massless_unknowns() -> None:
    """Six equal chains and 50 unknowns without mass: every copy is found, vectors are orthonormal in M."""
    K, M = chains(6, 50)
    pencil = Pencil(K, M, identity(410, format="csc"))
    values, vectors = real_modes(pencil, 12, 0.0, pencil.factor(0.0))
    exact = 2.0 - 2.0 * np.cos(np.pi * np.repeat([1, 2], 6) / 61)
    assert_allclose(values, exact, rtol=1e-9)  # residual 1e-5 squared
    assert_allclose(vectors.T @ (M @ vectors), np.eye(12), atol=1e-5)
    assert_allclose(K @ vectors, M @ vectors * values, atol=1e-5)


def test_small_problems_are_exhausted() -> None:
    """When the basis holds all there is, the answer is exact."""
    A = np.array([1.0, 4.0, -2.0])
    found = block_lanczos(lambda V: V / A, 3, 3)
    assert found is not None
    assert_allclose(np.sort(found[0]), [-0.5, 0.25, 1.0], rtol=1e-12)


def test_basis_stays_orthogonal_over_hundreds_of_vectors() -> None:
    """200 of 2000 eigenvalues: without watching the loss, converged ones come again and again."""
    exact = 1.0 / np.arange(1, 2001) ** 2
    found = block_lanczos(lambda V: V * exact, 2000, 200)
    assert found is not None
    assert_allclose(found[0], exact[:200], rtol=1e-9)
    assert_allclose(found[1] @ found[1].T, np.eye(200), atol=1e-6)  # half the digits, times the length of the basis


def test_factor_solves_and_counts_negative_eigenvalues() -> None:
    """Sylvester: as many negative pivots as eigenvalues; six right sides, more than go at once."""
    rng = np.random.default_rng(2)
    dense = rng.standard_normal((40, 40)) * (rng.random((40, 40)) < 0.1)
    dense = dense + dense.T + np.diag(np.where(np.arange(40) % 3 == 0, -8.0, 8.0))
    factor = SymmetricFactor(csc_matrix(dense))
    assert factor.negative == int(np.sum(np.linalg.eigvalsh(dense) < 0.0))
    b = rng.standard_normal((40, 6))
    assert_allclose(factor.solve(b), np.linalg.solve(dense, b), atol=1e-12)
    some = np.array([3, 4, 17, 31])
    inside = np.zeros((40, 6))
    inside[some] = b[:4]
    assert_allclose(factor.solve_some(np.ascontiguousarray(b[:4].T), some), np.linalg.solve(dense, inside)[some].T,
                    atol=1e-12)  # fmt: skip


def test_factor_pivots_where_the_order_has_a_zero() -> None:
    """A zero on the diagonal stops elimination in order; the count is then not known."""
    A = csc_matrix(np.array([[0.0, 2.0], [2.0, 1.0]]))
    factor = SymmetricFactor(A)
    assert factor.negative is None
    assert_allclose(A @ factor.solve(np.eye(2)), np.eye(2), atol=1e-14)
    assert_allclose(factor.solve_some(np.ones((1, 1)), np.array([1])), [[0.0]], atol=1e-14)


def test_mass_becomes_ones_and_zeros() -> None:
    """Blocks of 3 and 6, one of rank 2, single unknowns and some without mass."""
    rng = np.random.default_rng(4)
    blocks = []
    for size, rank in ((3, 3), (6, 6), (3, 2), (1, 1), (1, 0)):
        root = rng.standard_normal((size, rank))
        blocks.append(1e4 * root @ root.T)
    M = block_diag(blocks).tocsc()
    W, massive = unit_mass(M)
    assert int(massive.sum()) == 12
    assert_allclose((W.T @ M @ W).toarray(), np.diag(massive.astype(float)), atol=1e-10)  # round-off over 1e-3
    assert np.linalg.matrix_rank(W.toarray()) == 14


def test_equal_modes_beyond_the_block_are_found_all_the_same() -> None:
    """Seven equal strings have every frequency fourteen times, more than a block of four sees."""
    from ropewalk.analysis.modes import modes
    from ropewalk.spec.system import System
    from validation.test_frequencies import cable

    one = cable(20, 10.0, 9.99, {"drag": 0, "added_mass": 0, "mass": 0.5, "axial_stiffness": 1e6}, 0.0)
    points = {f"{name}{i}": one.points[name].replace(position=(one.points[name].position[0], float(i), 0.0))
              for i in range(7) for name in "AB"}  # fmt: skip
    lines = {f"line{i}": one.lines["cable"].replace(from_=f"A{i}", to=f"B{i}") for i in range(7)}
    many = System.model_validate({**one.model_dump(by_alias=True, exclude_unset=True),
                                  "points": {k: p.model_dump(exclude_unset=True) for k, p in points.items()},
                                  "lines": {k: p.model_dump(by_alias=True, exclude_unset=True)
                                            for k, p in lines.items()}})  # fmt: skip
    single = modes(one, 4).omega.values
    assert_allclose(modes(many, 20).omega.values, [*[single[0]] * 14, *[single[2]] * 6], rtol=1e-8)
