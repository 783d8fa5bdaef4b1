"""Sparse block elimination against dense solves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.numerics.blocksparse import analyse, order_by_degree, solve_blocks


@pytest.mark.parametrize(("groups", "loops"), [(1, 0), (9, 0), (14, 5)], ids=["one", "tree", "loops"])
def test_sparse_solution_is_the_dense_one(groups, loops):
    """Random trees and graphs of random groups, not symmetric; the matrix is left empty."""
    rng = np.random.default_rng(groups)
    pairs = [(i, int(rng.integers(0, i))) for i in range(1, groups)]
    pairs += [(int(a), int(b)) for a, b in rng.integers(0, groups, (loops, 2)) if a != b]
    order = order_by_degree(groups, pairs)
    place = {group: k for k, group in enumerate(order)}
    pairs = [(place[a], place[b]) for a, b in pairs]
    size = rng.integers(1, 8, groups)
    unknowns = np.split(rng.permutation(int(size.sum())), np.cumsum(size)[:-1])
    A = np.zeros((size.sum(), size.sum()))
    for i, j in [*pairs, *((j, i) for i, j in pairs), *((k, k) for k in range(groups))]:
        A[np.ix_(unknowns[i], unknowns[j])] = rng.standard_normal((size[i], size[j]))
    right = rng.standard_normal(len(A))
    matrix, found = A.copy(), right.copy()
    assert solve_blocks(matrix, found, analyse([u.tolist() for u in unknowns], pairs))
    # random blocks have condition numbers of up to 1e4
    assert_allclose(found, np.linalg.solve(A, right), rtol=1e-9, atol=1e-10)
    assert not np.any(matrix)


def test_trees_fill_nothing():
    """Leaves first: a star keeps as many blocks as it has edges."""
    pairs = [(0, k) for k in range(1, 20)]
    order = order_by_degree(20, pairs)
    assert 0 in order[-2:]  # the hub and the last leaf are alike
    place = {group: k for k, group in enumerate(order)}
    factor = analyse([[k] for k in range(20)], [(place[a], place[b]) for a, b in pairs])
    assert factor.later.size == 19


def test_singular_group_is_told():
    factor = analyse([[0], [1]], [(0, 1)])
    assert not solve_blocks(np.array([[0.0, 1.0], [1.0, 1.0]]), np.ones(2), factor)
