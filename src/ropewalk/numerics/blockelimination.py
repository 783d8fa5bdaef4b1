r"""Block elimination along a chain of nodes, fused with assembly, and a small dense solve.

A chain has one block per node: its three displacements and one multiplier that belongs to the element
before it. An element adds a 7 x 7 matrix over (displacements of its first node, of its second node, its
multiplier). Going along the chain, the block of a node is complete when the element after it has been
added; it is then eliminated. The multiplier stands after the later node of its element, so that every
pivot is safe although its own diagonal entry may be zero.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel

BLOCK = 4  # unknowns of a node: three displacements, one multiplier
TINY_PIVOT = 1e-300  # below this a pivot is taken as zero


@kernel
def invert_block(block, inverse):
    r"""Inverse of a node's block, bordered by its multiplier; returns False if it has none.

    .. math:: \begin{pmatrix} K & b \\ c^T & d \end{pmatrix}^{-1}, \quad s = d - c^T K^{-1} b

    No row exchange: K must be regular.  block, inverse : (4, 4)
    """
    a00, a01, a02 = block[0, 0], block[0, 1], block[0, 2]
    a10, a11, a12 = block[1, 0], block[1, 1], block[1, 2]
    a20, a21, a22 = block[2, 0], block[2, 1], block[2, 2]
    c00 = a11 * a22 - a12 * a21
    c01 = a12 * a20 - a10 * a22
    c02 = a10 * a21 - a11 * a20
    determinant = a00 * c00 + a01 * c01 + a02 * c02
    if not abs(determinant) > TINY_PIVOT:
        return False
    f = 1.0 / determinant
    k00, k10, k20 = c00 * f, c01 * f, c02 * f
    k01 = (a02 * a21 - a01 * a22) * f
    k11 = (a00 * a22 - a02 * a20) * f
    k21 = (a01 * a20 - a00 * a21) * f
    k02 = (a01 * a12 - a02 * a11) * f
    k12 = (a02 * a10 - a00 * a12) * f
    k22 = (a00 * a11 - a01 * a10) * f
    b0, b1, b2 = block[0, 3], block[1, 3], block[2, 3]
    u0 = k00 * b0 + k01 * b1 + k02 * b2
    u1 = k10 * b0 + k11 * b1 + k12 * b2
    u2 = k20 * b0 + k21 * b1 + k22 * b2
    c0, c1, c2 = block[3, 0], block[3, 1], block[3, 2]
    s = block[3, 3] - (c0 * u0 + c1 * u1 + c2 * u2)
    if not abs(s) > TINY_PIVOT:
        return False
    q = 1.0 / s
    w0 = (c0 * k00 + c1 * k10 + c2 * k20) * q
    w1 = (c0 * k01 + c1 * k11 + c2 * k21) * q
    w2 = (c0 * k02 + c1 * k12 + c2 * k22) * q
    inverse[0, 0] = k00 + u0 * w0
    inverse[0, 1] = k01 + u0 * w1
    inverse[0, 2] = k02 + u0 * w2
    inverse[1, 0] = k10 + u1 * w0
    inverse[1, 1] = k11 + u1 * w1
    inverse[1, 2] = k12 + u1 * w2
    inverse[2, 0] = k20 + u2 * w0
    inverse[2, 1] = k21 + u2 * w1
    inverse[2, 2] = k22 + u2 * w2
    inverse[0, 3] = -u0 * q
    inverse[1, 3] = -u1 * q
    inverse[2, 3] = -u2 * q
    inverse[3, 0] = -w0
    inverse[3, 1] = -w1
    inverse[3, 2] = -w2
    inverse[3, 3] = q
    return True


@kernel
def begin_chain(element, residual, block, right):
    """Start from a held first node: the block of the second node and its multiplier.

    element : (7, 7)    residual : (7,)    block : (4, 4), filled    right : (4,), filled
    """
    for p in range(4):
        right[p] = -residual[3 + p]
        for q in range(4):
            block[p, q] = element[3 + p, 3 + q]


@kernel
def eliminate_node(i, element, inverse, block, right, gain, offset):
    """Eliminate node i, whose inverse block is given, and pass on to the node after it.

    element : (7, 7), of the element after the node; its rows and columns 3 to 6 begin the new block
    inverse : (4, 4)    block : (4, 4), filled for the next node    right : (4,), of the node, replaced by what it
    leaves to the next (whose own part the caller adds)    gain, offset : (n, 4, 4), (n, 4), filled at i:
    x_i = offset - gain x_next
    """
    for p in range(4):
        i0, i1, i2 = inverse[p, 0], inverse[p, 1], inverse[p, 2]
        for q in range(4):
            gain[i, p, q] = i0 * element[0, 3 + q] + i1 * element[1, 3 + q] + i2 * element[2, 3 + q]
        offset[i, p] = i0 * right[0] + i1 * right[1] + i2 * right[2] + inverse[p, 3] * right[3]
    for p in range(4):
        l0, l1, l2 = element[3 + p, 0], element[3 + p, 1], element[3 + p, 2]
        for q in range(4):
            block[p, q] = element[3 + p, 3 + q] - (l0 * gain[i, 0, q] + l1 * gain[i, 1, q] + l2 * gain[i, 2, q])
        right[p] = -(l0 * offset[i, 0] + l1 * offset[i, 1] + l2 * offset[i, 2])


@kernel
def carry_far_end(i, element, inverse, gain, offset, far, reach):
    r"""Beside :func:`eliminate_node`: keep the coupling of the chain to its free first node.

    far : (8, 8) with the first node in rows and columns 0 to 2, its right-hand side in column 7, and the current
    block in rows and columns 3 to 6; replaced by that of the next block
    reach : (n, 4, 3), filled at i: what node i moves per displacement of the first node
    """
    for p in range(4):
        for q in range(3):
            reach[i, p, q] = (
                inverse[p, 0] * far[3, q] + inverse[p, 1] * far[4, q] + inverse[p, 2] * far[5, q]
                + inverse[p, 3] * far[6, q]
            )  # fmt: skip
    for p in range(3):
        h0, h1, h2, h3 = far[p, 3], far[p, 4], far[p, 5], far[p, 6]
        for q in range(3):
            far[p, q] -= h0 * reach[i, 0, q] + h1 * reach[i, 1, q] + h2 * reach[i, 2, q] + h3 * reach[i, 3, q]
        far[p, 7] -= h0 * offset[i, 0] + h1 * offset[i, 1] + h2 * offset[i, 2] + h3 * offset[i, 3]
        for q in range(4):
            far[p, 3 + q] = -(h0 * gain[i, 0, q] + h1 * gain[i, 1, q] + h2 * gain[i, 2, q] + h3 * gain[i, 3, q])
    for p in range(4):
        l0, l1, l2 = element[3 + p, 0], element[3 + p, 1], element[3 + p, 2]
        for q in range(3):
            far[3 + p, q] = -(l0 * reach[i, 0, q] + l1 * reach[i, 1, q] + l2 * reach[i, 2, q])


@kernel
def solve_dense(matrix, right):
    """Solve a small dense system in place by elimination with row exchange; False if it is singular.

    Rows are scaled by their largest entry first, because forces and strains stand side by side.
    matrix : (n, n), overwritten    right : (n,), replaced by the solution
    """
    n = matrix.shape[0]
    for i in range(n):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(matrix[i, j]))
        if not (largest > TINY_PIVOT and np.isfinite(largest)):
            return False
        f = 1.0 / largest
        right[i] *= f
        for j in range(n):
            matrix[i, j] *= f
    for c in range(n):
        p = c
        for i in range(c + 1, n):
            if abs(matrix[i, c]) > abs(matrix[p, c]):
                p = i
        if not abs(matrix[p, c]) > TINY_PIVOT:
            return False
        if p != c:
            right[c], right[p] = right[p], right[c]
            for j in range(c, n):
                matrix[c, j], matrix[p, j] = matrix[p, j], matrix[c, j]
        f = 1.0 / matrix[c, c]
        for i in range(c + 1, n):
            factor = matrix[i, c] * f
            if factor != 0.0:
                for j in range(c + 1, n):
                    matrix[i, j] -= factor * matrix[c, j]
                right[i] -= factor * right[c]
    for i in range(n - 1, -1, -1):
        total = right[i]
        for j in range(i + 1, n):
            total -= matrix[i, j] * right[j]
        right[i] = total / matrix[i, i]
    return True
