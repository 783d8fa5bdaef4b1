"""Block tridiagonal systems: factorise once, solve for many right-hand sides, O(n) each.

Blocks are small (b <= 8) and dense. Rows are exchanged inside a block only, so the caller orders the
unknowns such that every leading part of the system can be solved by itself.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import FUSED, UNCOUNTED, kernel


@kernel(fastmath=FUSED, **UNCOUNTED)
def invert(block, inverse):
    """Inverse of a small dense block by Gauss-Jordan elimination with row exchange.

    Source: [Golub2013], ch. 3: (A, 1) -> (1, A^-1) by row operations, X = A^-1.

    Returns the smallest pivot as a fraction of the largest entry of the block: 0 means singular, and
    then `inverse` is not to be used.

    block : (b, b), overwritten    inverse : (b, b), filled
    """
    b = block.shape[0]
    largest = 0.0
    for i in range(b):
        for j in range(b):
            inverse[i, j] = 1.0 if i == j else 0.0
            largest = max(largest, abs(block[i, j]))
    smallest = largest
    for c in range(b):
        p = c
        for i in range(c + 1, b):
            if abs(block[i, c]) > abs(block[p, c]):
                p = i
        pivot = block[p, c]
        if not abs(pivot) > 0.0:  # true for NaN as well
            return 0.0
        smallest = min(smallest, abs(pivot))
        if p != c:
            for j in range(b):
                block[c, j], block[p, j] = block[p, j], block[c, j]
                inverse[c, j], inverse[p, j] = inverse[p, j], inverse[c, j]
        for j in range(b):
            block[c, j] /= pivot
            inverse[c, j] /= pivot
        for i in range(b):
            factor = block[i, c]
            if i != c and factor != 0.0:
                for j in range(b):
                    block[i, j] -= factor * block[c, j]
                    inverse[i, j] -= factor * inverse[c, j]
    return smallest / largest


@kernel
def factorise(lower, diagonal, upper):
    r"""Block LU of a block tridiagonal matrix, in place; O(n b^3).

    .. math:: L_i = A_{i,i-1} D_{i-1}^{-1}, \qquad D_i = A_{ii} - L_i A_{i-1,i}, \qquad U_i = D_i^{-1} A_{i,i+1}

    Source: [Golub2013], sec. 4.5.1, with D inverted so that a solve is multiplications only.

    lower : (n, b, b) couples block i to i - 1; becomes L    diagonal : (n, b, b) becomes the inverse of D
    upper : (n, b, b) couples block i to i + 1; becomes U    (lower[0] and upper[n - 1] are not read)

    Returns (block with the smallest relative pivot, that pivot). A pivot of 0 means a singular block:
    the elimination stopped there.
    """
    n, b = diagonal.shape[0], diagonal.shape[1]
    work = np.empty((b, b))
    worst, smallest = 0, np.inf
    for i in range(n):
        for r in range(b):
            for c in range(b):
                work[r, c] = diagonal[i, r, c]
        if i > 0:
            for r in range(b):
                for c in range(b):
                    diagonal[i, r, c] = lower[i, r, c]  # scratch: the block is saved in `work`
            for r in range(b):
                for c in range(b):
                    total = 0.0
                    for k in range(b):
                        total += diagonal[i, r, k] * diagonal[i - 1, k, c]
                    lower[i, r, c] = total
            # upper[i - 1] already holds D^-1 A, so A_{i,i-1} times it is the term to subtract
            for r in range(b):
                for c in range(b):
                    total = 0.0
                    for k in range(b):
                        total += diagonal[i, r, k] * upper[i - 1, k, c]
                    work[r, c] -= total
        pivot = invert(work, diagonal[i])
        if pivot < smallest:
            worst, smallest = i, pivot
        if pivot == 0.0:
            return worst, 0.0
        if i < n - 1:
            for c in range(b):
                for r in range(b):
                    work[r, 0] = upper[i, r, c]
                for r in range(b):
                    total = 0.0
                    for k in range(b):
                        total += diagonal[i, r, k] * work[k, 0]
                    upper[i, r, c] = total
    return worst, smallest


@kernel
def solve(lower, inverse, upper, x):
    r"""Solve with the factors of :func:`factorise`, in place; 3 n b^2 multiplications.

    Source: block LU of a block tridiagonal system, [Golub2013], sec. 4.5.

    .. math:: y_i = f_i - L_i y_{i-1}, \qquad x_i = D_i^{-1} y_i - U_i x_{i+1}

    lower, inverse, upper : (n, b, b), as left by `factorise`    x : (n, b) right-hand side, becomes the solution
    """
    n, b = x.shape
    for i in range(1, n):
        for r in range(b):
            total = x[i, r]
            for c in range(b):
                total -= lower[i, r, c] * x[i - 1, c]
            x[i, r] = total
    y = np.empty(b)
    for i in range(n - 1, -1, -1):
        for r in range(b):
            y[r] = x[i, r]
        for r in range(b):
            total = 0.0
            for c in range(b):
                total += inverse[i, r, c] * y[c]
            if i < n - 1:
                for c in range(b):
                    total -= upper[i, r, c] * x[i + 1, c]
            x[i, r] = total
