"""Small dense linear systems, solved in a fixed order of operations.

LAPACK shares its sums out among threads, so its last digits depend on their number; and on systems of a few dozen
unknowns the threads cost more than the sums.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.blockelimination import TINY_PIVOT
from ropewalk.numerics.compile import UNCOUNTED, kernel


@kernel(**UNCOUNTED)
def solve_dense(A, b):
    """Solve A x = b by elimination with row pivoting, in place: A is spent, b becomes x; False if A is singular.

    Source: P A = L U, [Golub2013], sec. 3.4.

    A : (n, n)    b : (n,)
    """
    n = b.size
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[p, k]):
                p = i
        if not TINY_PIVOT < abs(A[p, k]) < np.inf:
            return False
        if p != k:
            b[k], b[p] = b[p], b[k]
            for j in range(k, n):
                A[k, j], A[p, j] = A[p, j], A[k, j]
        f = 1.0 / A[k, k]
        for i in range(k + 1, n):
            factor = A[i, k] * f
            if factor != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
                b[i] -= factor * b[k]
    for i in range(n - 1, -1, -1):
        v = b[i]
        for j in range(i + 1, n):
            v -= A[i, j] * b[j]
        b[i] = v / A[i, i]
    return True


@kernel(**UNCOUNTED)
def solve_scaled(A, b):
    """As `solve_dense`, rows divided by their largest entry first: for forces and strains side by side.

    A : (n, n)    b : (n,)
    """
    n = b.size
    for i in range(n):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(A[i, j]))
        if not TINY_PIVOT < largest < np.inf:
            return False
        f = 1.0 / largest
        b[i] *= f
        for j in range(n):
            A[i, j] *= f
    return solve_dense(A, b)


@kernel(**UNCOUNTED)
def normal_equations(A, b, N, c):
    """N = A^T A and c = A^T b, each sum in the order of the rows.  A : (n, n)    b : (n,)    N, c : filled

    Source: [Golub2013], sec. 5.3.
    """
    n = b.size
    N[:, :] = 0.0
    c[:] = 0.0
    for k in range(n):
        for i in range(n):
            f = A[k, i]
            if f != 0.0:
                c[i] += f * b[k]
                for j in range(n):
                    N[i, j] += f * A[k, j]


@kernel(**UNCOUNTED)
def solve_positive(A, b, x):
    r"""Solve A x = b by Cholesky's method in place of A; False if A is not positive definite.

    .. math:: A = L L^T, \qquad L y = b, \qquad L^T x = y

    Source: [Golub2013], sec. 4.2.    A : (n, n)    b, x : (n,)
    """
    n = b.size
    for j in range(n):
        d = A[j, j]
        for k in range(j):
            d -= A[j, k] * A[j, k]
        if not d > 0.0:
            return False
        d = np.sqrt(d)
        A[j, j] = d
        for i in range(j + 1, n):
            v = A[i, j]
            for k in range(j):
                v -= A[i, k] * A[j, k]
            A[i, j] = v / d
    for i in range(n):
        v = b[i]
        for k in range(i):
            v -= A[i, k] * x[k]
        x[i] = v / A[i, i]
    for i in range(n - 1, -1, -1):
        v = x[i]
        for k in range(i + 1, n):
            v -= A[k, i] * x[k]
        x[i] = v / A[i, i]
    return True
