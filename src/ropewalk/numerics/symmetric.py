r"""Eigenvalues and vectors of small symmetric matrices, without threads.

LAPACK on a threaded BLAS wakes its threads for matrices of thirty rows; on a busy machine they wait for each other
fifty milliseconds for a tenth of one. Here: Householder reflections to tridiagonal form, then QL with a shift.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel

MOST_SWEEPS = 60  # per eigenvalue; two or three are usual
ROUND_OFF = float(np.finfo(float).eps)


@kernel
def tridiagonalise(A, d, e):
    r"""A = Q T Q^T with T tridiagonal; A is overwritten by Q^T.

    Source: [Golub2013], alg. 8.3.1.

    A : (n, n) symmetric    d : (n,) diagonal of T    e : (n,) below it, e[0] to e[n - 2]
    """
    n = d.size
    reflectors = np.zeros((n, n))
    v, p = np.zeros(n), np.zeros(n)
    for k in range(n - 2):
        norm = 0.0
        for i in range(k + 1, n):
            v[i] = A[i, k]
            norm += v[i] * v[i]
        norm = np.sqrt(norm)
        e[k] = 0.0
        if norm == 0.0:
            continue
        alpha = -norm if v[k + 1] > 0.0 else norm
        e[k] = alpha
        v[k + 1] -= alpha
        half = alpha * (alpha - A[k + 1, k])  # v^T v / 2
        vp = 0.0
        for i in range(k + 1, n):
            s = 0.0
            for j in range(k + 1, n):
                s += A[i, j] * v[j]
            p[i] = s / half
            vp += v[i] * p[i]
        vp /= 2.0 * half
        for i in range(k + 1, n):
            p[i] -= vp * v[i]
            reflectors[k, i] = v[i] / np.sqrt(half)
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                A[i, j] -= v[i] * p[j] + p[i] * v[j]
    for i in range(n):
        d[i] = A[i, i]
    if n > 1:
        e[n - 2] = A[n - 1, n - 2]
    A[:] = np.eye(n)
    for k in range(n - 3, -1, -1):  # rows of A: Q^T = H_last ... H_0
        w = reflectors[k]
        for i in range(k + 1, n):
            s = 0.0
            for j in range(k + 1, n):
                s += A[i, j] * w[j]
            for j in range(k + 1, n):
                A[i, j] -= s * w[j]


@kernel
def diagonalise(d, e, Q):
    r"""Eigenvalues of a tridiagonal matrix into d; the rows of Q are turned along and become the vectors.

    .. math:: T = Q^T \operatorname{diag}(\lambda)\, Q

    Source: [Golub2013], alg. 8.3.3, in its QL form.  Returns False if it does not converge.

    d : (n,) diagonal    e : (n,) below it; overwritten    Q : (n, n)
    """
    n = d.size
    for low in range(n):
        for sweep in range(MOST_SWEEPS + 1):
            high = low
            while high < n - 1 and abs(e[high]) > ROUND_OFF * (abs(d[high]) + abs(d[high + 1])):
                high += 1
            if high == low:
                break
            if sweep == MOST_SWEEPS:
                return False
            g = (d[low + 1] - d[low]) / (2.0 * e[low])
            r = np.hypot(g, 1.0)
            g = d[high] - d[low] + e[low] / (g + (r if g >= 0.0 else -r))
            s, c, p = 1.0, 1.0, 0.0
            whole = True
            for i in range(high - 1, low - 1, -1):
                f, b = s * e[i], c * e[i]
                r = np.hypot(f, g)
                e[i + 1] = r
                if r == 0.0:
                    d[i + 1] -= p
                    e[high] = 0.0
                    whole = False
                    break
                s, c = f / r, g / r
                g = d[i + 1] - p
                r = (d[i] - g) * s + 2.0 * c * b
                p = s * r
                d[i + 1] = g + p
                g = c * r - b
                for k in range(n):
                    f = Q[i + 1, k]
                    Q[i + 1, k] = s * Q[i, k] + c * f
                    Q[i, k] = c * Q[i, k] - s * f
            if whole:
                d[low] -= p
                e[low] = g
                e[high] = 0.0
    return True


@kernel
def symmetric_eigen(A):
    """Eigenvalues of a symmetric matrix (n,), not sorted, and vectors as rows (n, n); NaN if it has some.

    Source: A = Q^T diag(d) Q by Householder's reduction and QL steps, [Golub2013], ch. 8.
    """
    n = A.shape[0]
    Q, d, e = A.copy(), np.zeros(n), np.zeros(n)
    if n:
        tridiagonalise(Q, d, e)
        if not diagonalise(d, e, Q):
            d[:] = np.nan
    return d, Q
