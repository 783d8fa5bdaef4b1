r"""Eigenvalues of the sparse pencils of a system about rest.

The symmetric one, :math:`K x = \lambda M x`, has tensions without mass, so M is only semidefinite; shift-invert
Lanczos works in the coordinates with mass and never sees them. In these coordinates :math:`W^T M W` has ones and zeros
on its diagonal and nothing else: masses are lumped, so M falls into small blocks, three unknowns of a node, up to six
of a body; the inner product of M is the plain one, and :math:`K - \sigma M` is K with its diagonal changed.

The quadratic one, :math:`(s^2 M + s B + K) x = 0`, goes through its companion form with one factorisation of
:math:`\sigma^2 M + \sigma B + K`, half the size of the companion [Tisseur2001], and Arnoldi's method [Lehoucq1998].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csc_matrix, diags
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigs

from ropewalk.errors import ConvergenceError
from ropewalk.methods.linear.lanczos import block_lanczos, products
from ropewalk.methods.linear.ldl import SINGULAR, SOLVE_TOLERANCE, SymmetricFactor
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.numerics.sparse_lu import Factors

Complex = NDArray[np.complex128]

BLOCKS = (4, 16, 64)  # vectors at a time; more where equal modes were missed
CLUSTER = 1e-6  # of the way from the shift: eigenvalues nearer to the last one are not counted
ORTHONORMAL = 1e-6  # products of modes above which two of them are one
DENSE = 300  # unknowns up to which all eigenvalues are found at once
ROUND_OFF = 1e-9  # of the largest: eigenvalues of a defective zero come out as large as this
NOTHING = 1e-14  # of the largest mass or flexibility: round-off
SEED = 7  # of the first vector: same input, same bits
EXTRA = 20  # Lanczos vectors beyond twice the number of modes
MASSLESS = 1e-13  # of the diagonal of M, left of it after elimination: round-off of a direction without mass


def unit_mass(M: csc_matrix) -> tuple[csc_matrix, Flags]:
    """W (n, n), and which coordinates have mass (n,).

    M : symmetric, semidefinite, of small blocks; a direction of a block without mass is kept with its old scale
    """
    n = M.shape[0]
    _, label = connected_components(M, directed=False)
    order = np.argsort(label, kind="stable")
    size = np.bincount(label)
    first = np.concatenate([[0], np.cumsum(size)[:-1]])
    inside = np.empty(n, dtype=np.int64)  # place of each unknown in its block
    inside[order] = np.arange(n) - np.repeat(first, size)
    entries = M.tocoo()  # of a csc matrix: every entry once
    parts: list[tuple[Ints, Ints, Array]] = []
    massive = np.zeros(n, dtype=bool)
    for width in np.unique(size):
        blocks = np.flatnonzero(size == width)
        number = np.full(size.size, -1)
        number[blocks] = np.arange(blocks.size)
        members = order[first[blocks][:, None] + np.arange(width)]
        own = number[label[entries.row]] >= 0
        dense = np.zeros((blocks.size, width, width))
        i, j, v = entries.row[own], entries.col[own], entries.data[own]
        dense[number[label[i]], inside[i], inside[j]] = v
        block, has_mass = _unit_blocks(dense)
        massive[members] = has_mass
        b, p, q = np.nonzero(block)
        parts.append((members[b, p], members[b, q], block[b, p, q]))
    row, column, value = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return coo_matrix((value, (row, column)), shape=(n, n)).tocsc(), massive


def _unit_blocks(M: Array) -> tuple[Array, Flags]:
    """W (m, b, b) of blocks M (m, b, b) by M = L D L^T and W = L^-T D^-1/2; and which of D are not zero (m, b)."""
    width = M.shape[1]
    rest, W = M.copy(), np.tile(np.eye(width), (M.shape[0], 1, 1))
    massive = np.zeros(M.shape[:2], dtype=bool)
    root = np.ones(M.shape[:2])
    for k in range(width):
        d = rest[:, k, k].copy()
        massive[:, k] = d > MASSLESS * M[:, k, k]
        pivot = np.where(massive[:, k], d, 1.0)
        root[:, k] = np.sqrt(pivot)
        column = np.where(massive[:, k, None], rest[:, :, k] / pivot[:, None], 0.0)
        for i in range(k + 1, width):
            rest[:, i, :] -= column[:, i, None] * rest[:, k, :]
            W[:, :, i] -= column[:, i, None] * W[:, :, k]
    return W / root[:, None, :], massive


class Factor:
    """A factorised matrix A, symmetric or not: solves A x = b through P^T A P = L U."""

    def __init__(self, A: csc_matrix, P: csc_matrix) -> None:
        """LU in the given order without pivoting; with pivoting where that loses digits.

        P : of assembly.py, which keeps pivots from vanishing
        """
        self.P = P
        inner = (P.T @ A @ P).tocsc()
        self._PT = P.T.tocsc()
        try:
            self.lu = Factors(inner, ordered=True)
            good = self._is_good(A)
        except np.linalg.LinAlgError:  # a pivot vanished
            good = False
        if good:
            return
        try:
            self.lu = Factors(inner)
        except np.linalg.LinAlgError:
            raise ConvergenceError(SINGULAR) from None

    def _is_good(self, A: csc_matrix) -> bool:
        probe = A @ np.random.default_rng(SEED).standard_normal(A.shape[0])
        error = float(np.linalg.norm(A @ self.solve(probe) - probe))
        return error <= SOLVE_TOLERANCE * float(np.linalg.norm(probe))

    def solve(self, b: Any) -> Any:
        """x of A x = b, b of shape (n,) or (n, k)."""
        return self.P @ self.lu.solve(self._PT @ b)


class Pencil:
    """K and M in coordinates y with x = W y in which M is ones and zeros."""

    def __init__(self, K: csc_matrix, M: csc_matrix, P: csc_matrix) -> None:
        """K : symmetric but for round-off    P : of assembly.py, which keeps pivots from vanishing"""
        scaled, self.massive = unit_mass(M)
        self.back = (P @ scaled).tocsc()
        K_scaled = (self.back.T @ K @ self.back).tocsc()
        self.K = 0.5 * (K_scaled + K_scaled.T.tocsc())
        self.mass = diags(self.massive.astype(float), format="csc")
        self.heavy: Ints = np.flatnonzero(self.massive)

    def factor(self, shift: float, *, only_count: bool = False) -> SymmetricFactor:
        """Of K - shift M."""
        return SymmetricFactor((self.K - shift * self.mass).tocsc(), only_count=only_count)


def real_modes(pencil: Pencil, count: int, shift: float, factor: SymmetricFactor) -> tuple[Array, Array]:
    """The `count` eigenvalues nearest to `shift` (1/s2), rising, and vectors (n, count) with unit modal mass.

    factor : of K - shift M
    """
    n, heavy = pencil.K.shape[0], pencil.heavy
    if n <= DENSE:
        return _dense_modes(pencil, count, shift, factor)
    for block in BLOCKS:
        found = block_lanczos(lambda V: factor.solve_some(V, heavy), heavy.size, count, block)
        if found is None:
            break
        order = np.argsort(shift + 1.0 / found[0])
        inverse, vectors = found[0][order], found[1][order]
        values = shift + 1.0 / inverse
        if not _has_copies(vectors) and not _is_missing(pencil, values, shift, factor):
            whole = np.zeros((n, order.size))
            whole[heavy] = (vectors / inverse[:, None]).T
            return values, pencil.back @ factor.solve(whole)
    raise ConvergenceError(f"{count} modes near {shift:.4g} 1/s2 were not found; request fewer or others")


def _has_copies(vectors: Array) -> bool:
    """Whether a mode was found twice."""
    gram = np.empty((vectors.shape[0], vectors.shape[0]))
    products(vectors, vectors, gram)
    return bool(np.max(np.abs(gram - np.eye(gram.shape[0]))) > ORTHONORMAL)


def _is_missing(pencil: Pencil, values: Array, shift: float, factor: SymmetricFactor) -> bool:
    """Whether there are more eigenvalues between the shift and the last one found than were found (Sylvester)."""
    last = float(values[-1])
    edge = last - CLUSTER * abs(last - shift)
    above = pencil.factor(edge, only_count=True).negative
    if above is None or factor.negative is None:
        return False
    return above - factor.negative > int(np.sum((values > shift) & (values < edge)))


def _dense_modes(pencil: Pencil, count: int, shift: float, factor: SymmetricFactor) -> tuple[Array, Array]:
    """As :func:`real_modes`, by all eigenvalues of A^-1 on the coordinates with mass; those of 0 are constraints."""
    whole = factor.solve(np.eye(pencil.K.shape[0])[:, pencil.heavy])
    inner = whole[pencil.heavy]
    inverse, shapes = np.linalg.eigh(0.5 * (inner + inner.T))
    order = np.argsort(-np.abs(inverse))[:count]
    order = order[np.abs(inverse[order]) > NOTHING * np.abs(inverse[order[0]])]
    order = order[np.argsort(shift + 1.0 / inverse[order])]
    return shift + 1.0 / inverse[order], pencil.back @ (whole @ (shapes[:, order] / inverse[order]))


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
