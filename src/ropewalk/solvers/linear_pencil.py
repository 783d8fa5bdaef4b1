r"""Eigenvalues of the sparse pencils of a system about rest.

The symmetric one, :math:`K x = \lambda M x`, has tensions without mass, so M is only semidefinite; shift-invert
Lanczos works in the range of M and never sees them. The quadratic one, :math:`(s^2 M + s B + K) x = 0`, goes
through its companion form with one factorisation of :math:`\sigma^2 M + \sigma B + K`, half the size of the
companion [Tisseur2001], and Arnoldi's method [Lehoucq1998].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import LinearOperator, eigs, splu

from ropewalk.errors import ConvergenceError
from ropewalk.model.arrays import Array
from ropewalk.solvers.linear_lanczos import block_lanczos

Complex = NDArray[np.complex128]

SOLVE_TOLERANCE = 1e-8  # relative residual of a solve above which the factorisation is repeated with pivoting
BLOCKS = (4, 16, 64)  # vectors at a time; more where equal modes were missed
CLUSTER = 1e-6  # of the way from the shift: eigenvalues nearer to the last one are not counted
DENSE = 300  # unknowns up to which all eigenvalues are found at once
ROUND_OFF = 1e-9  # of the largest: eigenvalues of a defective zero come out as large as this
NOTHING = 1e-14  # of the largest mass or flexibility: round-off
SEED = 7  # of the first vector: same input, same bits
EXTRA = 20  # Lanczos vectors beyond twice the modes asked for


class Factor:
    """A factorised matrix A: solves A x = b through P^T A P = L U."""

    def __init__(self, A: csc_matrix, P: csc_matrix, *, only_count: bool = False) -> None:
        """LU in the given order without pivoting; with pivoting where that loses digits.

        P : of solvers/linear_assembly.py, which keeps pivots from vanishing
        only_count : True if only the signs of the pivots are asked for, so digits need no test
        """
        self.P = P
        inner = (P.T @ A @ P).tocsc()
        self._PT = P.T.tocsc()
        self.pivoted = False
        try:
            self.lu = splu(inner, permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
            good = only_count or self._is_good(A)
        except RuntimeError:  # a pivot vanished
            good = False
        if good:
            return
        self.pivoted = True
        try:
            self.lu = splu(inner)
        except RuntimeError:
            raise ConvergenceError(
                "the matrix is singular: something free to move has neither mass nor stiffness; give the bodies "
                "inertia about all axes, or ask for modes near another frequency"
            ) from None

    def _is_good(self, A: csc_matrix) -> bool:
        probe = A @ np.random.default_rng(SEED).standard_normal(A.shape[0])
        error = float(np.linalg.norm(A @ self.solve(probe) - probe))
        return error <= SOLVE_TOLERANCE * float(np.linalg.norm(probe))

    def solve(self, b: Any) -> Any:
        """x of A x = b, b of shape (n,) or (n, k)."""
        return self.P @ self.lu.solve(self._PT @ b)

    @property
    def negative(self) -> int | None:
        """Number of negative eigenvalues of a symmetric A by Sylvester's law; None if pivoting hid it."""
        if self.pivoted or not np.array_equal(self.lu.perm_r, self.lu.perm_c):
            return None
        return int(np.sum(self.lu.U.diagonal() < 0.0))


def real_modes(K: csc_matrix, M: csc_matrix, count: int, shift: float, factor: Factor) -> tuple[Array, Array]:
    """The `count` eigenvalues nearest to `shift` (1/s2), rising, and vectors with unit modal mass.

    factor : of K - shift M
    """
    n = K.shape[0]
    if n <= DENSE:
        return _dense_modes(M, count, shift, factor)
    for block in BLOCKS:
        found = block_lanczos(factor.solve, M, count, block)
        if found is None:
            break
        values = np.sort(shift + 1.0 / found[0])
        if not _is_missing(K, M, values, shift, factor):
            order = np.argsort(shift + 1.0 / found[0])
            return values, found[1][:, order]
    raise ConvergenceError(f"{count} modes near {shift:.4g} 1/s2 were not found; ask for fewer or at another frequency")


def _is_missing(K: csc_matrix, M: csc_matrix, values: Array, shift: float, factor: Factor) -> bool:
    """Whether there are more eigenvalues between the shift and the last one found than were found (Sylvester)."""
    last = float(values[-1])
    edge = last - CLUSTER * abs(last - shift)
    above = Factor((K - edge * M).tocsc(), factor.P, only_count=True).negative
    if above is None or factor.negative is None:
        return False
    return above - factor.negative > int(np.sum((values > shift) & (values < edge)))


def _dense_modes(M: csc_matrix, count: int, shift: float, factor: Factor) -> tuple[Array, Array]:
    """As :func:`real_modes`, by all eigenvalues of R^T A^-1 R with M = R R^T; those of 0 are constraints."""
    masses, axes = np.linalg.eigh(M.toarray())
    heavy = masses > NOTHING * masses[-1]
    R = axes[:, heavy] * np.sqrt(masses[heavy])
    AR = factor.solve(R)
    inner = R.T @ AR
    inverse, shapes = np.linalg.eigh(0.5 * (inner + inner.T))
    order = np.argsort(-np.abs(inverse))[:count]
    order = order[np.abs(inverse[order]) > NOTHING * np.abs(inverse[order[0]])]
    values = shift + 1.0 / inverse[order]
    order, values = order[np.argsort(values)], np.sort(values)
    return values, AR @ shapes[:, order] / inverse[order]


def complex_modes(
    K: csc_matrix, B: csc_matrix, M: csc_matrix, P: csc_matrix, count: int, shift: complex
) -> tuple[Complex, Complex]:
    """The `count` eigenvalues s (1/s) of the quadratic pencil nearest to `shift`, and their vectors.

    One of each conjugate pair is kept, that with a positive imaginary part.
    """
    n = K.shape[0]
    is_real = np.imag(shift) == 0.0
    sigma = float(np.real(shift)) if is_real else shift
    factor = Factor((K + sigma * B + sigma**2 * M).tocsc(), P)
    slope = (B + sigma * M).tocsc()
    kind = float if is_real else complex

    def apply(z: Any) -> Any:
        a, b = z[:n], z[n:]
        y = -factor.solve(np.asarray(M @ b + slope @ a, dtype=kind))
        return np.concatenate([y, a + sigma * y])

    inverse, shapes = _arnoldi(apply, 2 * n, 2 * count + 4 if is_real else count + 2, kind)
    values = sigma + 1.0 / inverse
    keep = values.imag >= -NOTHING * np.abs(values)
    values, shapes = values[keep], shapes[:n, keep]
    order = np.argsort(np.abs(values - sigma))[:count]
    order = order[np.argsort(np.abs(values[order]))]
    return values[order], shapes[:, order]


def _arnoldi(apply: Any, n: int, count: int, kind: type) -> tuple[Complex, Complex]:
    """The largest eigenvalues and their vectors of a linear map; all that are not round-off if it is small."""
    if n <= 2 * DENSE:
        unit: Any = np.eye(n, dtype=kind)
        matrix = np.stack([apply(column) for column in unit], axis=1)
        values, shapes = np.linalg.eig(matrix)
        order = np.argsort(-np.abs(values))[: max(count, 1)]
        order = order[np.abs(values[order]) > ROUND_OFF * np.abs(values[order[0]])]
        return values[order].astype(complex), shapes[:, order].astype(complex)
    start = apply(np.random.default_rng(SEED).standard_normal(n).astype(kind))
    operator = LinearOperator((n, n), matvec=apply, dtype=kind)
    values, shapes = eigs(operator, k=count, v0=start, ncv=min(n - 1, 2 * count + EXTRA), which="LM")
    return values, shapes
