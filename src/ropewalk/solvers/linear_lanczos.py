r"""Block Lanczos for the largest eigenvalues of :math:`A^{-1} M`, M semidefinite.

Assemblies of equal lines have their modes in clusters, which vectors taken one by one find slowly; a block finds
them at once, and its products and orthogonalisation run on whole blocks [Grimes1994]. The basis is kept orthogonal
in the inner product of M to the last digit, so no mode comes twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix

from ropewalk.model.arrays import Array

BLOCK = 4  # vectors at a time: fewest solves are 1 at a time, fewest passes over memory 10; measured
RESIDUAL = 1e-5  # of an eigenvalue of A^-1 M; its own error is the square of that, the vectors gain one more solve
LARGEST_BASIS = 800  # vectors; a search that needs more is given up
DEPENDENT = 1e-13  # of the largest squared length: directions that a block has in common with the basis
SEED = 7  # of the first block: same input, same bits


def block_lanczos(
    solve: Callable[[Any], Any], M: csc_matrix, count: int, block: int = BLOCK
) -> tuple[Array, Array] | None:
    """The `count` eigenvalues of A^-1 M largest by magnitude, and vectors orthonormal in M; None if not found.

    Of an eigenvalue that comes more than `block` times some copies are missed; the caller has to count.
    All vectors of the search are of the unknowns with mass only, the others follow from them.

    solve : x of A x = b for blocks b (n, m), A symmetric
    """
    heavy = np.flatnonzero(np.diff(M.tocsr().indptr))
    inner = M.tocsr()[heavy][:, heavy].tocsr()
    b = np.zeros((M.shape[0], block))

    def apply(V: Array) -> Array:
        b[heavy, : V.shape[1]] = inner @ V
        return np.ascontiguousarray(solve(b[:, : V.shape[1]])[heavy])

    start = np.random.default_rng(SEED).standard_normal((heavy.size, block))
    V, _ = _orthonormal(apply(start), inner)
    basis = np.zeros((heavy.size, min(LARGEST_BASIS, heavy.size) + block), order="F")
    used, T = 0, np.zeros((0, 0))
    while used + V.shape[1] <= basis.shape[1] - block:
        width = V.shape[1]
        basis[:, used : used + width] = V
        used += width
        known = basis[:, :used]
        W = apply(V)
        near = basis[:, max(0, used - 3 * block) : used]
        first = near.T @ (inner @ W)  # the recurrence; then all, for what round-off brings back
        W -= near @ first
        column = known.T @ (inner @ W)
        W -= known @ column
        column[used - near.shape[1] :] += first
        T = _grown(T, column)
        V, R = _orthonormal(W, inner)
        values, shapes = np.linalg.eigh(T)
        order = np.argsort(-np.abs(values))[:count]
        left = np.linalg.norm(R @ shapes[-width:, order], axis=0)
        if V.shape[1] == 0 or (order.size == count and np.all(left <= RESIDUAL * np.abs(values[order]))):
            full = np.zeros((M.shape[0], order.size))
            full[heavy] = inner @ (known @ shapes[:, order])
            return values[order], solve(full) / values[order]
    return None


def _grown(T: Array, column: Array) -> Array:
    """The projected matrix with the products of its newest block put in."""
    old, width = T.shape[0], column.shape[1]
    grown: Array = np.zeros((old + width, old + width))
    grown[:old, :old] = T
    grown[:, old:] = column
    grown[old:, :] = column.T
    grown[old:, old:] = 0.5 * (column[old:] + column[old:].T)
    return grown


def _orthonormal(W: Array, M: csc_matrix) -> tuple[Array, Array]:
    """V and R of W = V R with V orthonormal in M; directions that depend on others are left out."""
    total = np.eye(W.shape[1])
    for _ in range(2):
        squares, axes = np.linalg.eigh(W.T @ (M @ W))
        kept = squares > DEPENDENT * max(float(np.max(squares, initial=0.0)), np.finfo(float).tiny)
        root = np.sqrt(squares[kept])
        W = W @ (axes[:, kept] / root)
        total = (axes[:, kept] * root).T @ total
    return np.ascontiguousarray(W), total
