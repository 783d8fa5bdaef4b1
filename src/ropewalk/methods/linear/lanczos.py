r"""Block Lanczos for the largest eigenvalues of a symmetric map, in the plain inner product.

Assemblies of equal lines have their modes in clusters, which vectors taken one by one find slowly; a block finds
them at once, and its products and orthogonalisation run on whole blocks [Grimes1994].

Blocks are made orthogonal to their two predecessors only. What round-off brings in of older ones follows the
recurrence of the blocks themselves [Simon1984],

.. math:: \Omega_{j+1} = (T \Omega_j - \Omega_j A_j - \Omega_{j-1} B_j^T) B_{j+1}^{-1},
          \qquad \Omega_j = V^T V_j,

with small matrices; all older blocks are read only when it has grown to the root of round-off. Up to there the
eigenvalues keep all their digits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.symmetric import symmetric_eigen

BLOCK = 4  # vectors at a time: fewest solves are 1 at a time, fewest passes over memory 10; measured
RESIDUAL = 1e-5  # of an eigenvalue; its own error is the square of that, the vectors gain one more product
LARGEST_BASIS = 800  # vectors; a search that needs more is given up
FIRST_ROOM = 128  # vectors that memory is taken for at first
DEPENDENT = 1e-13  # of the largest squared length: directions that a block has in common with the basis
EXHAUSTED = 1e-13  # of the largest entry of T: a next block this short is round-off, the basis holds all there is
WELL_SPREAD = 1e5  # of the squared lengths: up to here the rows come out orthogonal to ten digits at once
ROUND_OFF = float(np.finfo(float).eps)
LOCAL = 10.0 * ROUND_OFF  # cosine left between a block and those it was just made orthogonal to; measured
HALF_DIGITS = float(np.sqrt(ROUND_OFF))  # loss of orthogonality up to which T is right to the last digit
FIRST_CHECK, CHECK_EVERY = 3, 2  # first look at the residuals, times the number of modes; then in blocks
CHUNK = 1024  # entries of a few vectors that stay in the fastest memory
SUMS = {"contract", "reassoc"}  # long sums in any order, for vector instructions
SEED = 7  # of the first block: same input, same bits


@kernel(fastmath=SUMS)
def products(A, B, out):
    """out = A B^T of two sets of rows; A : (p, n), B : (q, n), out : (p, q).  Four rows of B share a reading of A.

    Source: blocked matrix product, [Golub2013], ch. 1.
    """
    out[:] = 0.0
    n, q = A.shape[1], B.shape[0]
    for start in range(0, n, CHUNK):
        end = min(start + CHUNK, n)
        for i in range(A.shape[0]):
            for j in range(0, q - 3, 4):
                a, b, c, d = 0.0, 0.0, 0.0, 0.0
                for k in range(start, end):
                    x = A[i, k]
                    a += x * B[j, k]
                    b += x * B[j + 1, k]
                    c += x * B[j + 2, k]
                    d += x * B[j + 3, k]
                out[i, j] += a
                out[i, j + 1] += b
                out[i, j + 2] += c
                out[i, j + 3] += d
            for j in range(q - q % 4, q):
                a = 0.0
                for k in range(start, end):
                    a += A[i, k] * B[j, k]
                out[i, j] += a


@kernel(fastmath=SUMS)
def add_product(factor, C, A, out):
    """out += factor C^T A; C : (p, q), A : (p, n), out : (q, n).  Four rows of A share a writing of out.

    Source: Y = Y + f C^T A, blocked matrix product, [Golub2013], ch. 1.
    """
    n, p = A.shape[1], A.shape[0]
    for start in range(0, n, CHUNK):
        end = min(start + CHUNK, n)
        for j in range(out.shape[0]):
            for i in range(0, p - 3, 4):
                a, b, c, d = factor * C[i, j], factor * C[i + 1, j], factor * C[i + 2, j], factor * C[i + 3, j]
                for k in range(start, end):
                    out[j, k] += a * A[i, k] + b * A[i + 1, k] + c * A[i + 2, k] + d * A[i + 3, k]
            for i in range(p - p % 4, p):
                a = factor * C[i, j]
                for k in range(start, end):
                    out[j, k] += a * A[i, k]


def block_lanczos(
    apply: Callable[[Array], Array], n: int, count: int, block: int = BLOCK
) -> tuple[Array, Array] | None:
    """The `count` eigenvalues of a symmetric map largest by magnitude, and vectors (count, n); None if not found.

    Of an eigenvalue that comes more than `block` times some copies are missed; the caller has to count. The vectors
    are orthonormal to half the digits.

    apply : the map, for blocks whose rows are vectors (m, n)
    """
    V, _ = orthonormal(apply(np.random.default_rng(SEED).standard_normal((block, n))))
    most = min(LARGEST_BASIS, n)
    basis = np.empty((min(most, FIRST_ROOM) + block, n))
    T, R = np.zeros((0, 0)), np.zeros((V.shape[0], 0))
    loss, used, again, check = Loss(V.shape[0]), 0, False, FIRST_CHECK * count
    while used + V.shape[0] <= most:
        width, before = R.shape
        if used + width + block > basis.shape[0]:
            basis = np.concatenate([basis, np.empty((min(most, 2 * basis.shape[0]) + block - basis.shape[0], n))])
        basis[used : used + width] = V
        used += width
        W = apply(V)
        T = _grown(T, project(basis[used - width - before : used], W)[before:], R)
        V, below = orthonormal(W, EXHAUSTED * float(np.max(np.abs(T))))
        lost = loss.of_next(T, R, below)
        if lost > HALF_DIGITS or again:
            project(basis[:used], W)
            V, below = orthonormal(W, EXHAUSTED * float(np.max(np.abs(T))))
            loss.forget()
            again = lost > HALF_DIGITS and not again  # the recurrence reaches two blocks back: the next one too
        if V.shape[0] == 0 or used >= check or used + V.shape[0] > most:
            check += CHECK_EVERY * block
            values, shapes = symmetric_eigen(T)
            order = np.argsort(-np.abs(values), kind="stable")[:count]
            left = np.linalg.norm(below @ shapes[order, -width:].T, axis=0)
            if V.shape[0] == 0 or np.all(left <= RESIDUAL * np.abs(values[order])):
                vectors = np.zeros((order.size, n))
                add_product(1.0, np.ascontiguousarray(shapes[order].T), basis[:used], vectors)
                return values[order], vectors
        R = below
    return None


def project(basis: Array, W: Array) -> Array:
    """Take out of the rows of W (q, n), in place, what they have in common with `basis` (p, n); their products."""
    found = np.empty((basis.shape[0], W.shape[0]))
    products(basis, W, found)
    add_product(-1.0, found, basis, W)
    return found


class Loss:
    """How far the newest block is from orthogonal to all before it, by recurrence."""

    def __init__(self, width: int) -> None:
        self.older, self.newest = np.zeros((0, 0)), np.eye(width)

    def of_next(self, T: Array, R: Array, below: Array) -> float:
        """Largest cosine between the next block and a vector of the basis.

        R, below : the blocks of T that tie the newest block to its predecessor and to the next
        """
        width = R.shape[0]
        old, new = T.shape[0], below.shape[0]
        if new == 0:
            return 0.0
        spread = T @ self.newest - self.newest @ T[old - width :, old - width :]
        if R.shape[1]:
            spread[: self.older.shape[0]] -= self.older @ R.T
        scale, inverse = float(np.max(np.abs(T))), np.linalg.pinv(below)
        spread = (spread + ROUND_OFF * scale * np.sign(spread)) @ inverse
        spread[old - width - R.shape[1] :] = LOCAL * scale * float(np.max(np.abs(inverse)))  # orthogonal by now
        self.older, self.newest = self.newest, np.concatenate([spread, np.eye(new)])
        return float(np.max(np.abs(spread)))

    def forget(self) -> None:
        """The newest block has been made orthogonal to all."""
        own = self.newest.shape[1]
        self.newest[:-own] = LOCAL


def _grown(T: Array, diagonal: Array, R: Array) -> Array:
    """The block tridiagonal matrix with the products of its newest block put in."""
    old, (width, before) = T.shape[0], R.shape
    grown: Array = np.zeros((old + width, old + width))
    grown[:old, :old] = T
    grown[old:, old - before : old] = R
    grown[old - before : old, old:] = R.T
    grown[old:, old:] = 0.5 * (diagonal + diagonal.T)
    return grown


def orthonormal(W: Array, least: float = 0.0) -> tuple[Array, Array]:
    """V and R of W^T = V^T R with the rows of V orthonormal; directions that depend on others are left out.

    least : length up to which a direction is none
    """
    total = np.eye(W.shape[0])
    again = True
    while again:
        gram = np.empty((W.shape[0], W.shape[0]))
        products(W, W, gram)
        squares, rows = symmetric_eigen(gram)
        axes = rows.T
        kept = squares > max(DEPENDENT * float(np.max(squares, initial=0.0)), least * least, np.finfo(float).tiny)
        least = 0.0
        again = bool(np.max(squares, initial=0.0) > WELL_SPREAD * np.min(squares, initial=np.inf))
        root = np.sqrt(squares[kept])
        V = np.zeros((root.size, W.shape[1]))
        add_product(1.0, np.ascontiguousarray(axes[:, kept] / root), W, V)
        W, total = V, (axes[:, kept] * root).T @ total
    return W, total
