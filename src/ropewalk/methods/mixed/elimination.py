r"""One line in the Newton iteration: assemble its elements, eliminate its inner nodes, go back.

Kernels here do not count references to their arrays (``UNCOUNTED``), which took a third of the time.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.element import element_system, elements_of, three
from ropewalk.loads.bed import ground
from ropewalk.methods.mixed.nodes import add_node_terms, lumps_of
from ropewalk.numerics.blockelimination import (
    FUSED,
    TINY_PIVOT,
    UNCOUNTED,
    ZERO3,
    ZERO9,
    add3,
    add9,
    adjugate,
    carry_far_end,
    dot,
    onto,
    outer,
    row_onto,
    scale3,
    scale9,
    sub3,
    sub9,
    times,
)
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import any_of, where


@kernel(fastmath=FUSED, **UNCOUNTED)
def eliminate_line(line, now, mesh, fluid, step, memory):
    r"""Assemble a line and eliminate its inner nodes; returns False if a pivot vanished.

    Source: block LU of a bordered tridiagonal system, [Golub2013], ch. 4; docs/theory/mixed_elements.md, Elimination.

    A node's block K, bordered by the length equation before it (column b, row c, corner d), is inverted by

    .. math::
        \begin{pmatrix} K & b \\ c^T & d \end{pmatrix}^{-1} =
        \begin{pmatrix} f \hat K + q\, u w^T & -e u \\ -e w^T & e \det K \end{pmatrix}, \quad
        u = \hat K b, \quad w^T = c^T \hat K, \quad \sigma = d \det K - c^T u,

    with the adjugate :math:`\hat K`, :math:`q = 1/(\sigma \det K)`, :math:`f = q \sigma`, :math:`e = q \det K`:
    one division, and little that waits for it; the time of this loop is mostly waiting. No row exchange: K must be
    regular.

    now : `Instant`    fluid, step : of `element_system`    memory : `Elimination`
    """
    n0, e0 = mesh.node_start[line], mesh.element_start[line]
    two_sided, far = mesh.line[line].two_sided == 1, memory.far[line]
    elements, lumps = elements_of(mesh, memory.relief[0] > 0), lumps_of(mesh, memory.grip)
    K, b, c, d = ZERO9, ZERO3, ZERO3, 0.0  # block of the current node
    h, hT = ZERO3, 0.0  # its right-hand side
    regular = True
    for k in range(mesh.element_start[line + 1] - e0):
        i = n0 + k
        Ra, Rb, miss, A, B, Ca, Cb, t, weight, row, give = element_system(e0 + k, i, now, elements, fluid, step)
        extra = scale3(weight * miss, t)
        Fa = sub3(extra, Ra)
        Fb = scale3(-1.0, add3(Rb, extra))
        Fb, Cb = add_node_terms(Fb, Cb, i + 1, now, lumps, fluid, step)
        pull = scale3(1.0 - weight * give, t)
        if k == 0:
            K, b, c, d, h, hT = add9(B, Cb), pull, row, -give, Fb, -miss
            if two_sided:
                F, C = _first_node(i, now, lumps, fluid, step)
                _begin_far(far, add3(F, Fa), add9(add9(A, C), Ca), A, B, pull, row)
            continue
        block = (add9(add9(K, Ca), A), b, c, d, add3(h, Fa), hT)
        gain, y, (K, b, c, d, h, hT), inverse = pass_node(block, A, B, pull, row)
        regular = regular and inverse[3] != 0.0
        keep_gain(i, gain, y, memory.gain, memory.offset)
        K, d, h, hT = add9(K, Cb), d - give, add3(h, Fb), hT - miss
        if two_sided:
            _carry(i, inverse, B, row, far, memory)
    keep_gain(line, (K, b, c, d), (h, hT), memory.end_block, memory.end_right)
    return regular


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def pass_node(block, A, B, pull, row):
    r"""Eliminate a node whose block (N/m, N) is complete; see `eliminate_line`.

    .. math:: K' = B - B\, P A, \qquad h' = B\, P h, \qquad P = \text{inverse of the bordered block}

    Source: Schur complement of a node, :func:`eliminate_line`.

    block : K, b, c, d, and the right-hand side h, hT    A, B, pull, row : of the element after the node
    Returns the input of the back substitution: its motion by that of the next node and tension (four blocks), and for
    none of these (two); the parts that the node adds to the next block (six); and the inverse of its own block (four),
    of which the last is 0 if a pivot vanished.
    """
    K, b, c, d, h, hT = block
    adj, det = adjugate(K)
    u, w = onto(adj, b), row_onto(c, adj)
    schur = d * det - dot(c, u)
    pivot = det * schur
    q = 1.0 / where(abs(pivot) > TINY_PIVOT, pivot, np.inf)
    f, e = q * schur, q * det
    u = scale3(q, u)
    wA, wp, wh = row_onto(w, A), dot(w, pull), dot(w, h) - det * hT
    W, WT = add9(scale9(f, times(adj, A)), outer(u, wA)), add3(scale3(f, onto(adj, pull)), scale3(wp, u))
    y = add3(scale3(f, onto(adj, h)), scale3(wh, u))
    passed = (
        sub9(B, times(B, W)), sub3(pull, onto(B, WT)), sub3(row, row_onto(row, W)), -dot(row, WT), onto(B, y),
        dot(row, y),
    )  # fmt: skip
    inverse = (add9(scale9(f, adj), outer(u, w)), scale3(-det, u), scale3(-e, w), e * det)
    return (W, WT, scale3(-e, wA), -e * wp), (y, -e * wh), passed, inverse


@kernel(forceinline=False, fastmath=FUSED, **UNCOUNTED)
def _first_node(n, now, lumps, fluid, step):
    """Terms of a free first node (N, N/m). Bookkeeping: calls `add_node_terms`."""
    return add_node_terms(ZERO3, ZERO9, n, now, lumps, fluid, step)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def keep_gain(i, W, y, gain, offset):
    """Store W (four blocks) and y (two) of node i for the back substitution. Bookkeeping."""
    (Wrr, WrT, WTr, WTT), (yr, yT) = W, y
    for p in range(3):
        gain[i, p, 3] = WrT[p]
        gain[i, 3, p] = WTr[p]
        offset[i, p] = yr[p]
    gain[i, 0, 0], gain[i, 0, 1], gain[i, 0, 2] = Wrr[0], Wrr[1], Wrr[2]
    gain[i, 1, 0], gain[i, 1, 1], gain[i, 1, 2] = Wrr[3], Wrr[4], Wrr[5]
    gain[i, 2, 0], gain[i, 2, 1], gain[i, 2, 2] = Wrr[6], Wrr[7], Wrr[8]
    gain[i, 3, 3] = WTT
    offset[i, 3] = yT


@kernel(forceinline=False, **UNCOUNTED)
def _begin_far(far, F, K, A, B, pull, row):
    """The coupling of a chain to its free first node, after its first element (N, N/m); see `carry_far_end`.

    Bookkeeping: fills the array with the blocks of the first element, with the signs of the dense system.
    """
    for p in range(3):
        for c in range(3):
            far[p, c] = K[3 * p + c]
            far[p, 3 + c] = -A[3 * p + c]
            far[3 + p, c] = -B[3 * p + c]
        far[p, 6] = -pull[p]
        far[6, p] = -row[p]
        far[p, 7] = F[p]


@kernel(forceinline=False, **UNCOUNTED)
def _carry(i, inverse, B, row, far, memory):
    """Arrays for `carry_far_end`, which is called. Bookkeeping.  inverse : four blocks"""
    (P, Pb, Pc, Pd), corner = inverse, memory.corner
    for p in range(3):
        for c in range(3):
            corner[p, c] = P[3 * p + c]
            corner[4 + p, c] = -B[3 * p + c]
        corner[p, 3] = Pb[p]
        corner[3, p] = Pc[p]
        corner[7, p] = -row[p]
    corner[3, 3] = Pd
    carry_far_end(i, corner, memory.gain, memory.offset, far, memory.reach)


@kernel(fastmath=FUSED, **UNCOUNTED)
def substitute_line(line, now, mesh, step, share, memory, jumps):
    """Go back along a line with the jumps of its ends and its last tension.

    Source: back substitution x_i = y_i + W_i x_{i+1}, docs/theory/mixed_elements.md, Elimination.

    Returns the largest correction of positions (m) and tensions (N), and the largest length error (m) left where an
    element turned slack or taut, or a node met or left the bed: the equations were linearised beyond that kink.
    jumps : displacements of the first and last node (m), tuples of 3, and change of the last tension (N)
    """
    r, T, (first, last, kick) = now.r, now.T, jumps
    n0 = mesh.node_start[line]
    e0 = mesh.element_start[line]
    n_elements = mesh.element_start[line + 1] - e0
    two_sided = mesh.line[line].two_sided == 1
    gain, offset, reach = memory.gain, memory.offset, memory.reach
    element, has_bed, bed, node = mesh.element, mesh.has_bed, mesh.bed, mesh.node
    e = e0 + n_elements - 1
    miss = turned_miss(T[e], T[e] + share * kick, element[e].length, element[e].slack)
    T[e] += share * kick
    largest_move = 0.0
    largest_kick = abs(kick)
    x0, x1, x2, x3 = last[0], last[1], last[2], kick
    for k in range(n_elements - 1, 0, -1):
        i = n0 + k
        w0, w1, w2, w3 = step_back(i, (x0, x1, x2, x3), gain, offset)
        if two_sided:
            w0 -= reach[i, 0, 0] * first[0] + reach[i, 0, 1] * first[1] + reach[i, 0, 2] * first[2]
            w1 -= reach[i, 1, 0] * first[0] + reach[i, 1, 1] * first[1] + reach[i, 1, 2] * first[2]
            w2 -= reach[i, 2, 0] * first[0] + reach[i, 2, 1] * first[1] + reach[i, 2, 2] * first[2]
            w3 -= reach[i, 3, 0] * first[0] + reach[i, 3, 1] * first[1] + reach[i, 3, 2] * first[2]
        x0, x1, x2, x3 = w0, w1, w2, w3
        y = (share * x0, share * x1, share * x2)
        if has_bed and node[i].bed_area != 0.0:
            miss = max(miss, passed_bed(ground(bed, three(r, i)), node[i].radius, y))
        shift(i, y, now, step)
        e = e0 + k - 1
        miss = max(miss, turned_miss(T[e], T[e] + share * x3, element[e].length, element[e].slack))
        T[e] += share * x3
        largest_move = max(largest_move, abs(x0), abs(x1), abs(x2))
        largest_kick = max(largest_kick, abs(x3))
    if not np.isfinite(x0 + x1 + x2 + x3 + kick):
        return np.inf, np.inf, np.inf
    return largest_move, largest_kick, miss


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def step_back(i, x, gain, offset):
    """Unknowns of node i (3 displacements, m, and the tension before it, N) by those of the next node.

    Source: x_i = y_i + W_i x_{i+1}, back substitution, docs/theory/mixed_elements.md, Elimination.
    """
    x0, x1, x2, x3 = x
    return (
        offset[i, 0] + gain[i, 0, 0] * x0 + gain[i, 0, 1] * x1 + gain[i, 0, 2] * x2 + gain[i, 0, 3] * x3,
        offset[i, 1] + gain[i, 1, 0] * x0 + gain[i, 1, 1] * x1 + gain[i, 1, 2] * x2 + gain[i, 1, 3] * x3,
        offset[i, 2] + gain[i, 2, 0] * x0 + gain[i, 2, 1] * x1 + gain[i, 2, 2] * x2 + gain[i, 2, 3] * x3,
        offset[i, 3] + gain[i, 3, 0] * x0 + gain[i, 3, 1] * x1 + gain[i, 3, 2] * x2 + gain[i, 3, 3] * x3,
    )


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def shift(i, y, now, step):
    """Move node i by y (m): r = r + y, v = v + gamma' y, a = a + beta' y.  now : `Instant`    step : da/dr, dv/dr

    Source: docs/theory/mixed_elements.md, Steps.
    """
    (r, v, a, _, _), (bp, gp) = now, step
    for p in range(3):
        r[i, p] += y[p]
        v[i, p] += gp * y[p]
        a[i, p] += bp * y[p]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def passed_bed(surface, radius, y):
    """What a node that moves by y (m) has passed the surface of the bed by (m); 0 if it stays on its side of it.

    Source: h_1 = h_0 + n . y; a kink where h changes sign, docs/theory/mixed_elements.md, Seabed.
    """
    above = surface[1] - radius
    then = above + dot(surface[0], y)
    return where((above < 0.0) ^ (then < 0.0), abs(then), 0.0)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def turned_miss(before, after, length, slack):
    """Length error (m) of an element when its tension changed sign in a linear equation.

    Source: e = T/k_s of a slack element in place of the law, docs/theory/mixed_elements.md, Elements.
    """
    turned = (slack > 0.0) & ((before < 0.0) ^ (after < 0.0))
    if not any_of(turned):
        return 0.0
    return where(turned, length * abs(after) / slack, 0.0)
