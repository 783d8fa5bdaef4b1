r"""Factorised symmetric matrices of the frequency analyses: :math:`L D L^T` in the given order, many right sides.

Lines eliminated from end to end hardly fill in, so the order is known and the work is reading L. Four right sides
share one reading; in SuperLU each has its own, which costs three times as much.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, triu

from ropewalk.errors import ConvergenceError
from ropewalk.model.arrays import Array, Ints
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.ldl import NO_LIMIT, factorise, symbolic
from ropewalk.numerics.ldl import Factor as Layout
from ropewalk.numerics.sparse_lu import Factors

WIDTH = 4  # right sides at a time: what a kernel keeps in registers
SOLVE_TOLERANCE = 1e-8  # relative residual of a solve above which the factorisation is repeated with pivoting
SINGULAR = (
    "the matrix is singular: something free to move has neither mass nor stiffness; give the bodies "
    "inertia about all axes, or compute modes near another frequency"
)
SEED = 7  # of the probe: same input, same bits


@kernel(fastmath={"contract"})
def substitute(l_column, l_row, l_value, d, y):
    """y = A^-1 y in place with A = L D L^T, L by columns below a diagonal of ones.  y : (n, 4), any unit

    Source: L z = y, D w = z, L^T x = w, [Davis2006], ch. 3.
    """
    n = d.size
    for k in range(n):
        a, b, c, e = y[k, 0], y[k, 1], y[k, 2], y[k, 3]
        for p in range(l_column[k], l_column[k + 1]):
            i, v = l_row[p], l_value[p]
            y[i, 0] -= v * a
            y[i, 1] -= v * b
            y[i, 2] -= v * c
            y[i, 3] -= v * e
    for k in range(n - 1, -1, -1):
        f = 1.0 / d[k]
        a, b, c, e = f * y[k, 0], f * y[k, 1], f * y[k, 2], f * y[k, 3]
        for p in range(l_column[k], l_column[k + 1]):
            i, v = l_row[p], l_value[p]
            a -= v * y[i, 0]
            b -= v * y[i, 1]
            c -= v * y[i, 2]
            e -= v * y[i, 3]
        y[k, 0], y[k, 1], y[k, 2], y[k, 3] = a, b, c, e


@kernel
def substitute_some(l_column, l_row, l_value, d, some, b, y):
    """Entries `some` of A^-1 b for each row of b (k, m), whose other entries are zero.

    Source: as :func:`substitute`: x = E^T A^-1 E b.

    y : (n, 4) work    k : at most 4
    """
    y[:] = 0.0
    for i in range(some.size):
        for j in range(b.shape[0]):
            y[some[i], j] = b[j, i]
    substitute(l_column, l_row, l_value, d, y)
    for i in range(some.size):
        for j in range(b.shape[0]):
            b[j, i] = y[some[i], j]


def lay_out(upper: csc_matrix) -> Layout:
    """Room for the factor of the symmetric matrix with this upper triangle, in its own order."""
    n = upper.shape[0]
    column, row = upper.indptr.astype(np.int64), upper.indices.astype(np.int64)
    parent, count, flag = (np.zeros(n, dtype=np.int64) for _ in range(3))
    symbolic(column, row, parent, count, flag, NO_LIMIT)
    l_column = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    natural = np.arange(n, dtype=np.int64)
    return Layout(
        order=natural, place=natural, column=column, row=row, value=upper.data, parent=parent, l_column=l_column,
        l_row=np.zeros(int(l_column[-1]), dtype=np.int64), l_value=np.zeros(int(l_column[-1])), d=np.ones(n),
        filled=np.zeros(n, dtype=np.int64), flag=flag, pattern=np.zeros(n, dtype=np.int64), y=np.zeros(n),
    )  # fmt: skip


class SymmetricFactor:
    """A factorised symmetric matrix; with pivoting where the given order loses digits."""

    def __init__(self, A: csc_matrix, *, only_count: bool = False) -> None:
        """only_count : True if only the signs of the pivots are needed, so digits need no test"""
        self.n = A.shape[0]
        self._lu: Any = None
        upper = triu(A, format="csc")
        upper.sort_indices()
        self._layout = lay_out(upper)
        failed = factorise(self._layout) >= 0
        if not failed and (only_count or self._is_good(A)):
            return
        try:
            self._lu = Factors(A)
        except np.linalg.LinAlgError:
            raise ConvergenceError(SINGULAR) from None

    def _is_good(self, A: csc_matrix) -> bool:
        probe = A @ np.random.default_rng(SEED).standard_normal((self.n, 1))
        error = float(np.max(np.abs(A @ self.solve(probe) - probe)))
        return error <= SOLVE_TOLERANCE * float(np.max(np.abs(probe)))

    def solve(self, b: Array) -> Array:
        """x of A x = b, b of shape (n, k)."""
        if self._lu is not None:
            return np.asarray(self._lu.solve(b))
        at, x = self._layout, np.zeros((b.shape[0], b.shape[1]))
        for first in range(0, b.shape[1], WIDTH):
            part = slice(first, min(first + WIDTH, b.shape[1]))
            y = np.zeros((self.n, WIDTH))
            y[:, : part.stop - first] = b[:, part]
            substitute(at.l_column, at.l_row, at.l_value, at.d, y)
            x[:, part] = y[:, : part.stop - first]
        return x

    def solve_some(self, b: Array, some: Ints) -> Array:
        """Entries `some` of A^-1 b for each row of b (k, m), given on these entries and zero on all others."""
        if self._lu is not None:
            whole = np.zeros((self.n, b.shape[0]))
            whole[some] = b.T
            return np.ascontiguousarray(self._lu.solve(whole)[some].T)
        at, y, x = self._layout, np.empty((self.n, WIDTH)), b.copy()
        for first in range(0, b.shape[0], WIDTH):
            substitute_some(at.l_column, at.l_row, at.l_value, at.d, some, x[first : first + WIDTH], y)
        return x

    @property
    def negative(self) -> int | None:
        """Number of negative eigenvalues by Sylvester's law; None if pivoting hid it."""
        return None if self._lu is not None else int(np.sum(self._layout.d < 0.0))
