r"""Block elimination along a chain of nodes, fused with assembly, and a small dense solve.

A chain has one block per node: its three displacements and one multiplier that belongs to the element
before it. Going along the chain, the block of a node is complete when the element after it has been
added; it is then eliminated. The multiplier stands after the later node of its element, so that every
pivot is safe although its own diagonal entry may be zero.

Three by three matrices are tuples of nine numbers, row by row, and vectors tuples of three: the compiler
keeps them in registers, which arrays of this size are not (three times slower, measured), if the small
functions are forced inline (another factor of two).
"""

from __future__ import annotations

from ropewalk.numerics.compile import COUNTED as COUNTED
from ropewalk.numerics.compile import FUSED, kernel
from ropewalk.numerics.compile import UNCOUNTED as UNCOUNTED

TINY_PIVOT = 1e-300  # below this a pivot is taken as zero
ZERO3 = (0.0, 0.0, 0.0)
ZERO9 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel(forceinline=True, fastmath=FUSED)
def add3(a, b):
    """Sum of two vectors: c_i = a_i + b_i.  Source: definition."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel(forceinline=True, fastmath=FUSED)
def sub3(a, b):
    """Difference of two vectors: c_i = a_i - b_i.  Source: definition."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel(forceinline=True, fastmath=FUSED)
def scale3(f, a):
    """Multiple of a vector: c_i = f a_i.  Source: definition."""
    return f * a[0], f * a[1], f * a[2]


@kernel(forceinline=True, fastmath=FUSED)
def dot(a, b):
    """Scalar product: a . b = sum_i a_i b_i.  Source: definition."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(forceinline=True, fastmath=FUSED)
def add9(a, b):
    """Sum of two matrices: C_ij = A_ij + B_ij.  Source: definition."""
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6], a[7] + b[7],
        a[8] + b[8],
    )  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED)
def sub9(a, b):
    """Difference of two matrices: C_ij = A_ij - B_ij.  Source: definition."""
    return (
        a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5], a[6] - b[6], a[7] - b[7],
        a[8] - b[8],
    )  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED)
def scale9(f, a):
    """Multiple of a matrix: C_ij = f A_ij.  Source: definition."""
    return f * a[0], f * a[1], f * a[2], f * a[3], f * a[4], f * a[5], f * a[6], f * a[7], f * a[8]


@kernel(forceinline=True, fastmath=FUSED)
def outer(a, b):
    """Matrix a b^T: C_ij = a_i b_j.  Source: definition."""
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2], a[1] * b[0], a[1] * b[1], a[1] * b[2], a[2] * b[0], a[2] * b[1],
        a[2] * b[2],
    )  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED)
def plus_unit(a, f):
    """Matrix A + f 1: C_ij = A_ij + f delta_ij.  Source: definition."""
    return a[0] + f, a[1], a[2], a[3], a[4] + f, a[5], a[6], a[7], a[8] + f


@kernel(forceinline=True, fastmath=FUSED)
def times(a, b):
    """Matrix product: C_ij = sum_k A_ik B_kj.  Source: definition."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@kernel(forceinline=True, fastmath=FUSED)
def onto(a, x):
    """Matrix times column: y_i = sum_j A_ij x_j.  Source: definition."""
    return (
        a[0] * x[0] + a[1] * x[1] + a[2] * x[2],
        a[3] * x[0] + a[4] * x[1] + a[5] * x[2],
        a[6] * x[0] + a[7] * x[1] + a[8] * x[2],
    )


@kernel(forceinline=True, fastmath=FUSED)
def row_onto(x, a):
    """Row times matrix: y_j = sum_i x_i A_ij.  Source: definition."""
    return (
        x[0] * a[0] + x[1] * a[3] + x[2] * a[6],
        x[0] * a[1] + x[1] * a[4] + x[2] * a[7],
        x[0] * a[2] + x[1] * a[5] + x[2] * a[8],
    )


@kernel(forceinline=True, fastmath=FUSED)
def adjugate(a):
    """Adjugate of a matrix, and its determinant.

    Source: cofactors, A adj(A) = det(A) 1.
    """
    c0 = a[4] * a[8] - a[5] * a[7]
    c1 = a[5] * a[6] - a[3] * a[8]
    c2 = a[3] * a[7] - a[4] * a[6]
    return (
        c0, a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4],
        c1, a[0] * a[8] - a[2] * a[6], a[2] * a[3] - a[0] * a[5],
        c2, a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3],
    ), a[0] * c0 + a[1] * c1 + a[2] * c2  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED)
def invert(a):
    """Inverse of a matrix by its adjugate, and its determinant (0 if there is no inverse): A^-1 = adj(A)/det(A).

    Source: Cramer's rule.
    """
    adjugated, determinant = adjugate(a)
    f = 1.0 / determinant if abs(determinant) > TINY_PIVOT else 0.0
    return scale9(f, adjugated), determinant if f != 0.0 else 0.0


@kernel(**UNCOUNTED)
def carry_far_end(i, corner, gain, offset, far, reach):
    """Beside the elimination of node i: keep the coupling of the chain to its free first node.

    Source: block elimination with a border, docs/theory/mixed_elements.md, Elimination.

    corner : (8, 4), rows 0 to 3 the inverse of the node's block, rows 4 to 7 those of the next block by the node's
    displacements far : (8, 8) with the first node in rows and columns 0 to 2, its right-hand side in column 7, and the
    current block in rows and columns 3 to 6; replaced by that of the next block gain, offset : (n, 4, 4), (n, 4) with
    x_i = offset + gain x_next - reach x_first    reach : (n, 4, 3), filled
    """
    for p in range(4):
        for q in range(3):
            reach[i, p, q] = (
                corner[p, 0] * far[3, q] + corner[p, 1] * far[4, q] + corner[p, 2] * far[5, q]
                + corner[p, 3] * far[6, q]
            )  # fmt: skip
    for p in range(3):
        h0, h1, h2, h3 = far[p, 3], far[p, 4], far[p, 5], far[p, 6]
        for q in range(3):
            far[p, q] -= h0 * reach[i, 0, q] + h1 * reach[i, 1, q] + h2 * reach[i, 2, q] + h3 * reach[i, 3, q]
        far[p, 7] -= h0 * offset[i, 0] + h1 * offset[i, 1] + h2 * offset[i, 2] + h3 * offset[i, 3]
        for q in range(4):
            far[p, 3 + q] = h0 * gain[i, 0, q] + h1 * gain[i, 1, q] + h2 * gain[i, 2, q] + h3 * gain[i, 3, q]
    for p in range(4):
        for q in range(3):
            far[3 + p, q] = -(
                corner[4 + p, 0] * reach[i, 0, q]
                + corner[4 + p, 1] * reach[i, 1, q]
                + corner[4 + p, 2] * reach[i, 2, q]
            )
