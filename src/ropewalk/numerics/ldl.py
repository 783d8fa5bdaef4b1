r"""Sparse :math:`L D L^T` of a symmetric matrix whose pattern stays the same, without pivoting.

For positive definite and quasi-definite matrices. The pattern is analysed once: a fill-reducing order
(minimum degree, or the given order if that fills little), the elimination tree and the room for L; after that
each factorisation is one pass over the rows. Source: [Davis2005], up-looking algorithm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.compile import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

NARROW = 4  # times the entries of a matrix: factors in the given order that have more are not counted to the end
NO_LIMIT = np.iinfo(np.int64).max


class Factor(NamedTuple):
    """Pattern, values and factor of an n x n matrix; row and column k are those of unknown order[k]."""

    order: Ints  # (n,)
    place: Ints  # (n,) where each unknown stands in the order
    column: Ints  # (n + 1,) of the upper triangle, by columns
    row: Ints  # (nnz,)
    value: Array  # (nnz,)
    parent: Ints  # (n,) elimination tree, -1 at roots
    l_column: Ints  # (n + 1,) of L below its diagonal of ones
    l_row: Ints
    l_value: Array
    d: Array  # (n,)
    filled: Ints  # (n,) entries of each column of L so far
    flag: Ints  # (n,)
    pattern: Ints  # (n,)
    y: Array  # (n,)


@kernel
def symbolic(column, row, parent, count, flag, most):
    """Elimination tree and entries per column of L from the upper triangle; False if there are more than `most`.

    Source: elimination tree of A = L D L^T, [Davis2005].
    """
    n = column.size - 1
    total = 0
    for k in range(n):
        parent[k] = -1
        flag[k] = k
        count[k] = 0
        for p in range(column[k], column[k + 1]):
            i = row[p]
            while i < k and flag[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                count[i] += 1
                total += 1
                flag[i] = k
                i = parent[i]
        if total > most:
            return False
    return True


@kernel
def factorise(f):
    """Fill L and D of `f` from its values; returns the index of the first zero of D, or -1.

    .. math:: A = L D L^T

    Source: up-looking factorisation of [Davis2005].
    """
    n = f.d.size
    for k in range(n):
        f.y[k] = 0.0
        f.flag[k] = k
        f.filled[k] = 0
        top = n
        for p in range(f.column[k], f.column[k + 1]):
            i = f.row[p]
            f.y[i] += f.value[p]
            length = 0
            while f.flag[i] != k:
                f.pattern[length] = i
                length += 1
                f.flag[i] = k
                i = f.parent[i]
            while length > 0:
                top -= 1
                length -= 1
                f.pattern[top] = f.pattern[length]
        d = f.y[k]
        f.y[k] = 0.0
        for q in range(top, n):
            i = f.pattern[q]
            yi = f.y[i]
            f.y[i] = 0.0
            start = f.l_column[i]
            end = start + f.filled[i]
            for p in range(start, end):
                f.y[f.l_row[p]] -= f.l_value[p] * yi
            lki = yi / f.d[i]
            d -= lki * yi
            f.l_row[end] = k
            f.l_value[end] = lki
            f.filled[i] += 1
        if d == 0.0 or not np.isfinite(d):
            return k
        f.d[k] = d
    return -1


@kernel
def solve(f, b, x):
    """x = A^-1 b with the factor in `f`; b, x : (n,), in the order of the unknowns; may be the same array.

    Source: L z = b, D y = z, L^T x = y, [Davis2005].
    """
    n = f.d.size
    y = f.y
    for k in range(n):
        y[k] = b[f.order[k]]
    for k in range(n):
        yk = y[k]
        if yk != 0.0:
            for p in range(f.l_column[k], f.l_column[k + 1]):
                y[f.l_row[p]] -= f.l_value[p] * yk
    for k in range(n - 1, -1, -1):
        s = y[k] / f.d[k]
        for p in range(f.l_column[k], f.l_column[k + 1]):
            s -= f.l_value[p] * y[f.l_row[p]]
        y[k] = s
    for k in range(n):
        x[f.order[k]] = y[k]
        y[k] = 0.0


def analyse(n: int, first: Ints, second: Ints) -> tuple[Factor, Ints]:
    """Factor for a matrix with a full diagonal and entries at the given pairs of unknowns (each once or more).

    Also gives where values go: entries 0 to n - 1 for the diagonal, then one for each pair.
    """
    natural: Ints = np.arange(n, dtype=np.int64)
    given = _lay_out(n, first, second, natural, NARROW * first.size)
    if given is not None and given[0].l_row.size <= first.size:
        return given
    other = _lay_out(n, first, second, _minimum_degree(n, first, second), NO_LIMIT)
    assert other is not None
    return other if given is None or other[0].l_row.size < given[0].l_row.size else given


def _minimum_degree(n: int, first: Ints, second: Ints) -> Ints:
    """Place of each unknown in SuperLU's minimum degree order of the pattern."""
    from scipy.sparse import coo_matrix, diags
    from scipy.sparse.linalg import splu

    off = coo_matrix((np.ones(first.size), (first, second)), shape=(n, n)).tocsr()
    off.data[:] = -1.0
    both = off + off.T
    dominant = both + diags(np.asarray(abs(both).sum(axis=1)).ravel() + 1.0)
    lu = splu(dominant.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return lu.perm_c.astype(np.int64)


def _lay_out(n: int, first: Ints, second: Ints, place: Ints, most: int) -> tuple[Factor, Ints] | None:
    """The factor in one order, and where values go; None if L has more than `most` entries."""
    a = np.concatenate([place, np.minimum(place[first], place[second])])
    b = np.concatenate([place, np.maximum(place[first], place[second])])
    key, where = np.unique(b * n + a, return_inverse=True)
    row = (key % n).astype(np.int64)
    column: Ints = np.searchsorted(key // n, np.arange(n + 1)).astype(np.int64)
    parent, count, flag = (np.zeros(n, dtype=np.int64) for _ in range(3))
    if not symbolic(column, row, parent, count, flag, most):
        return None
    l_column: Ints = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    order: Ints = np.empty(n, dtype=np.int64)
    order[place] = np.arange(n)
    factor = Factor(
        order=order,
        place=place,
        column=column,
        row=row,
        value=np.zeros(row.size),
        parent=parent,
        l_column=l_column,
        l_row=np.zeros(int(l_column[-1]), dtype=np.int64),
        l_value=np.zeros(int(l_column[-1])),
        d=np.ones(n),
        filled=np.zeros(n, dtype=np.int64),
        flag=flag,
        pattern=np.zeros(n, dtype=np.int64),
        y=np.zeros(n),
    )
    return factor, where.reshape(-1).astype(np.int64)
