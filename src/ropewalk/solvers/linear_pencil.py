r"""Eigenvalues of the sparse pencils of a system about rest.

The symmetric one, :math:`K x = \lambda M x`, has tensions without mass, so M is only semidefinite; shift-invert
Lanczos [Lehoucq1998] works in the range of M and never sees them. The quadratic one,
:math:`(s^2 M + s B + K) x = 0`, goes through its companion form with one factorisation of
:math:`\sigma^2 M + \sigma B + K`, half the size of the companion [Tisseur2001].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import LinearOperator, eigs, eigsh, splu

from ropewalk.errors import ConvergenceError
from ropewalk.model.arrays import Array

Complex = NDArray[np.complex128]

SOLVE_TOLERANCE = 1e-8  # relative residual of a solve above which the factorisation is repeated with pivoting
SEED = 7  # of the first vector: same input, same bits
EXTRA = 20  # Lanczos vectors beyond twice the modes asked for
DENSE = 60  # unknowns up to which the dense solvers are used


class Factor(NamedTuple):
    """A factorised matrix."""

    lu: Any
    negative: int | None  # number of negative eigenvalues of a symmetric matrix, None if pivoting hid it


def factorise(A: csc_matrix, symmetric: bool = True) -> Factor:
    """LU in the given order without pivoting; with pivoting where that loses digits.

    The order of the unknowns keeps pivots from vanishing, and the signs of the pivots then count the negative
    eigenvalues (Sylvester).
    """
    rng = np.random.default_rng(SEED)
    probe = A @ rng.standard_normal(A.shape[0])
    try:
        lu = splu(A, permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        good = float(np.linalg.norm(A @ lu.solve(probe) - probe)) <= SOLVE_TOLERANCE * float(np.linalg.norm(probe))
        if good:
            straight = bool(np.array_equal(lu.perm_r, lu.perm_c))
            negative = int(np.sum(lu.U.diagonal() < 0.0)) if symmetric and straight else None
            return Factor(lu, negative)
    except RuntimeError:  # a pivot vanished
        pass
    try:
        return Factor(splu(A), None)
    except RuntimeError:
        raise ConvergenceError(
            "the stiffness matrix is singular at the shift; ask for modes near another frequency"
        ) from None


def real_modes(K: csc_matrix, M: csc_matrix, count: int, shift: float, factor: Factor) -> tuple[Array, Array]:
    """The `count` eigenvalues nearest to `shift` (1/s2), rising, and vectors with unit modal mass.

    factor : of K - shift M
    """
    n = K.shape[0]
    start = np.random.default_rng(SEED).standard_normal(n)
    start = factor.lu.solve(M @ start)
    operator = LinearOperator((n, n), matvec=factor.lu.solve, dtype=float)
    vectors = min(n, 2 * count + EXTRA)
    values, shapes = eigsh(K, k=count, M=M, sigma=shift, OPinv=operator, v0=start, ncv=vectors, which="LM")
    order = np.argsort(values)
    values, shapes = values[order], shapes[:, order]
    mass = np.einsum("ij,ij->j", shapes, M @ shapes)
    return values, shapes / np.sqrt(mass)


def complex_modes(K: csc_matrix, B: csc_matrix, M: csc_matrix, count: int, shift: complex) -> tuple[Complex, Complex]:
    """The `count` eigenvalues s (1/s) of the quadratic pencil nearest to `shift`, and their vectors.

    One of each conjugate pair is kept, that with a positive imaginary part.
    """
    n = K.shape[0]
    is_real = np.imag(shift) == 0.0
    sigma = float(np.real(shift)) if is_real else shift
    lu = factorise((K + sigma * B + sigma**2 * M).tocsc(), symmetric=False).lu
    slope = (B + sigma * M).tocsc()
    kind = float if is_real else complex

    def apply(z: Any) -> Any:
        a, b = z[:n], z[n:]
        y = -lu.solve(np.asarray(M @ b + slope @ a, dtype=kind))
        return np.concatenate([y, a + sigma * y])

    wanted = min(2 * count + 4 if is_real else count + 2, 2 * n - 2)
    start = apply(np.random.default_rng(SEED).standard_normal(2 * n).astype(kind))
    operator = LinearOperator((2 * n, 2 * n), matvec=apply, dtype=kind)
    inverse, shapes = eigs(operator, k=wanted, v0=start, ncv=min(2 * n - 1, 2 * wanted + EXTRA), which="LM")
    values = sigma + 1.0 / inverse
    keep = values.imag >= 0.0
    values, shapes = values[keep], shapes[:n, keep]
    order = np.argsort(np.abs(values - sigma))[:count]
    order = order[np.argsort(np.abs(values[order]))]
    return values[order], shapes[:, order]
