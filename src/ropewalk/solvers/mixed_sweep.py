r"""One Newton iteration on all lines: assemble and eliminate along each line, solve the junctions, go back.

Lines between two held ends are independent; a line with one held end leaves its other end's block; a line
between two free junctions leaves a block for both. What remains, the degrees of freedom of the junctions and the
last tension of each line, is a small dense system. Trees and loops of lines are the same to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.numerics.blockelimination import (
    FUSED,
    ZERO3,
    ZERO9,
    add3,
    add9,
    carry_far_end,
    dot,
    invert_bordered,
    onto,
    row_onto,
    scale3,
    scale9,
    solve_dense,
    sub9,
    times,
)
from ropewalk.numerics.blocksparse import BlockFactor, solve_blocks
from ropewalk.numerics.compile import kernel
from ropewalk.solvers.mixed_bodies import add_bodies, add_body_end, add_end_turn, place_ends, steady_bodies, turn_bodies
from ropewalk.solvers.mixed_element import axial, water_on_half
from ropewalk.solvers.mixed_junctions import junction_factor
from ropewalk.solvers.mixed_link_arrays import link_rows
from ropewalk.solvers.mixed_links import add_links, pull_links
from ropewalk.solvers.mixed_loads import load_on_half
from ropewalk.solvers.mixed_mesh import FIRST, LAST, LENGTH, PULL, SPRING, TWO_SIDED, Mesh
from ropewalk.solvers.mixed_nodes import FRICTION_ROW, GRIP, node_terms


class Elimination(NamedTuple):
    """Memory of the elimination; filled by `eliminate_line`, read by `substitute_line`."""

    gain: Array  # (n_nodes, 4, 4) motion of a node per unknown of the next
    offset: Array  # (n_nodes, 4)
    reach: Array  # (n_nodes, 4, 3) motion of a node per motion of the line's first node
    end_block: Array  # (n_lines, 4, 4) of the last node and the last tension
    end_right: Array  # (n_lines, 4)
    far: Array  # (n_lines, 8, 8) of the first node, of lines with two free ends; see `carry_far_end`
    matrix: Array  # (m, m) of the junctions
    right: Array  # (m,)
    grip: Array  # (GRIP + n_rows, 3) of the bed: scratch, friction coefficient, where each node holds on to it (m)
    corner: Array  # (8, 4), of `carry_far_end`
    factor: BlockFactor  # of the junctions; empty where they are solved at once


def allocate_elimination(mesh: Mesh) -> Elimination:
    """Memory for one Newton iteration."""
    n_nodes, n_lines = mesh.s.size, mesh.line.shape[0]
    m = int(mesh.dof_start[-1]) + n_lines + link_rows(mesh.bodies.links)
    return Elimination(
        gain=np.zeros((n_nodes, 4, 4)),
        offset=np.zeros((n_nodes, 4)),
        reach=np.zeros((n_nodes, 4, 3)),
        end_block=np.zeros((n_lines, 4, 4)),
        end_right=np.zeros((n_lines, 4)),
        far=np.zeros((n_lines, 8, 8)),
        matrix=np.zeros((m, m)),
        right=np.zeros(m),
        grip=np.zeros((GRIP + mesh.node.shape[0], 3)),
        corner=np.zeros((8, 4)),
        factor=junction_factor(mesh, mesh.line[:, FIRST : LAST + 1]),
    )


@kernel(forceinline=True, fastmath=FUSED)
def element_system(e, i, j, r, v, a, T, flow, element, law, law_data, load, rho, g, bp, gp, may_push):
    """Residuals and tangent of element e between nodes i and j.

    Returns the residuals of the two nodes (N) and of the length (m); the four blocks by position, to
    which the length equation times the weight has been added; the tangent t, that weight (N/m), the length equation's
    row and its give (m/N).
    """
    t, span, pull, weight, S, row, give, miss = axial(e, i, j, r, v, T, element, law, law_data, gp, may_push)
    Ra, Rb = scale3(-pull, t), scale3(pull, t)
    Kaa, Kab, Kba, Kbb = S, scale9(-1.0, S), scale9(-1.0, S), S
    if rho > 0.0:
        Fa, Ca, Qa, own, other = water_on_half(e, i, j, t, span, r, v, a, flow, element, rho, g, bp, gp)
        Ra = add3(Ra, scale3(-1.0, Fa))
        Kaa, Kab = add9(add9(Kaa, Ca), Qa), sub9(Kab, Qa)
        Kaa, Kab = _minus_last(Kaa, own), _minus_last(Kab, other)
        Fb, Cb, Qb, own, other = water_on_half(e, j, i, t, span, r, v, a, flow, element, rho, g, bp, gp)
        Rb = add3(Rb, scale3(-1.0, Fb))
        Kba, Kbb = add9(Kba, Qb), sub9(add9(Kbb, Cb), Qb)
        Kba, Kbb = _minus_last(Kba, other), _minus_last(Kbb, own)
    if load.shape[0] > 0:
        Fa, Ca, Qa = load_on_half(e, 0, i, t, span, element[e, LENGTH], r, v, load, gp)
        Fb, Cb, Qb = load_on_half(e, 1, j, t, span, element[e, LENGTH], r, v, load, gp)
        Ra, Rb = add3(Ra, scale3(-1.0, Fa)), add3(Rb, scale3(-1.0, Fb))
        Kaa, Kab = add9(add9(Kaa, Ca), Qa), sub9(Kab, Qa)
        Kba, Kbb = add9(Kba, Qb), sub9(add9(Kbb, Cb), Qb)
    return Ra, Rb, miss, Kaa, Kab, Kba, Kbb, t, weight, row, give


@kernel(forceinline=True, fastmath=FUSED)
def _minus_last(A, f):
    return A[0], A[1], A[2], A[3], A[4], A[5], A[6], A[7], A[8] - f


@kernel(forceinline=True, fastmath=FUSED)
def _keep(i, Wrr, WrT, WTr, WTT, yr, yT, gain, offset):
    """Store what the way back needs of node i."""
    for p in range(3):
        gain[i, p, 3] = WrT[p]
        gain[i, 3, p] = WTr[p]
        offset[i, p] = yr[p]
    gain[i, 0, 0], gain[i, 0, 1], gain[i, 0, 2] = Wrr[0], Wrr[1], Wrr[2]
    gain[i, 1, 0], gain[i, 1, 1], gain[i, 1, 2] = Wrr[3], Wrr[4], Wrr[5]
    gain[i, 2, 0], gain[i, 2, 1], gain[i, 2, 2] = Wrr[6], Wrr[7], Wrr[8]
    gain[i, 3, 3] = WTT
    offset[i, 3] = yT


@kernel
def _begin_far(far, R, K, Kab, Kba, pull, row):
    """The coupling of a chain to its free first node, after its first element; see `carry_far_end`."""
    for p in range(3):
        for c in range(3):
            far[p, c] = K[3 * p + c]
            far[p, 3 + c] = Kab[3 * p + c]
            far[3 + p, c] = Kba[3 * p + c]
        far[p, 6] = -pull[p]
        far[6, p] = -row[p]
        far[p, 7] = -R[p]


@kernel
def _carry(i, P, Pb, Pc, Pd, Kba, row, gain, offset, far, reach, corner):
    """Arrays for `carry_far_end`."""
    for p in range(3):
        for c in range(3):
            corner[p, c] = P[3 * p + c]
            corner[4 + p, c] = Kba[3 * p + c]
        corner[p, 3] = Pb[p]
        corner[3, p] = Pc[p]
        corner[7, p] = -row[p]
    corner[3, 3] = Pd
    carry_far_end(i, corner, gain, offset, far, reach)


@kernel
def eliminate_line(line, r, v, a, T, flow, mesh, rho, g, bp, gp, memory):
    """Assemble a line and eliminate its inner nodes; returns False if a pivot vanished."""
    e0 = mesh.element_start[line]
    return _eliminate(
        line, mesh.node_start[line], e0, mesh.element_start[line + 1] - e0, mesh.line[line, TWO_SIDED] == 1,
        memory.grip[FRICTION_ROW, 1] > 0.0, r, v, a, T, flow, mesh.node, mesh.element, mesh.law, mesh.law_data,
        mesh.load, mesh.has_bed, mesh.bed, mesh.mass_damping, rho, g, bp, gp, memory.grip, memory.gain, memory.offset,
        memory.far[line], memory.reach, memory.corner, memory.end_block, memory.end_right,
    )  # fmt: skip


@kernel(fastmath=FUSED)
def _eliminate(line, n0, e0, n_elements, two_sided, may_push, r, v, a, T, flow, node, element, law, law_data, load,
               has_bed, bed, damping, rho, g, bp, gp, grip, gain, offset, far, reach, corner, end_block,
               end_right):  # fmt: skip
    """As `eliminate_line`, for arrays: of those taken from a tuple the compiler counts references in the loop."""
    K, b, c, d = ZERO9, ZERO3, ZERO3, 0.0  # block of the current node
    h, hT = ZERO3, 0.0  # its right-hand side
    regular = True
    for k in range(n_elements):
        i = n0 + k
        Ra, Rb, miss, Kaa, Kab, Kba, Kbb, t, weight, row, give = element_system(
            e0 + k, i, i + 1, r, v, a, T, flow, element, law, law_data, load, rho, g, bp, gp, may_push
        )
        Rn, Kn = node_terms(i + 1, r, v, a, flow, node, damping, has_bed, bed, rho, g, bp, gp, grip)
        Ra = add3(Ra, scale3(-weight * miss, t))
        Rb, Kbb = add3(add3(Rb, scale3(weight * miss, t)), Rn), add9(Kbb, Kn)
        pull = scale3(1.0 - weight * give, t)
        if k == 0:
            K, b, c, d, h, hT = Kbb, pull, row, -give, scale3(-1.0, Rb), -miss
            if two_sided:
                Rn, Kn = node_terms(i, r, v, a, flow, node, damping, has_bed, bed, rho, g, bp, gp, grip)
                _begin_far(far, add3(Ra, Rn), add9(Kaa, Kn), Kab, Kba, pull, row)
            continue
        P, Pb, Pc, Pd, pivot = invert_bordered(add9(K, Kaa), b, c, d)
        regular = regular and pivot != 0.0
        h = add3(h, scale3(-1.0, Ra))
        y, yT = add3(onto(P, h), scale3(hT, Pb)), dot(Pc, h) + Pd * hT
        W, WT = times(P, Kab), scale3(-1.0, onto(P, pull))
        _keep(i, W, WT, row_onto(Pc, Kab), -dot(Pc, pull), y, yT, gain, offset)
        K = sub9(Kbb, times(Kba, W))
        b = add3(pull, scale3(-1.0, onto(Kba, WT)))
        c = add3(row, row_onto(row, W))
        d = -give + dot(row, WT)
        h = scale3(-1.0, add3(Rb, onto(Kba, y)))
        hT = -miss + dot(row, y)
        if two_sided:
            _carry(i, P, Pb, Pc, Pd, Kba, row, gain, offset, far, reach, corner)
    _keep(line, K, b, c, d, h, hT, end_block, end_right)
    return regular


@kernel(inline="always")
def junction_terms(r, v, a, flow, mesh, rho, g, bp, gp, A, b, grip):
    """Lumped things, forces and springs of the free junctions, put into the emptied dense system."""
    for p in range(b.size):
        for q in range(b.size):
            A[p, q] = 0.0
    point_terms(r, v, a, flow, mesh, rho, g, bp, gp, A, b, grip)


@kernel(inline="always")
def point_terms(r, v, a, flow, mesh, rho, g, bp, gp, A, b, grip):
    """As `junction_terms`, into a matrix that is empty already. Bodies have terms of their own."""
    _point_terms(
        r, v, a, flow, mesh.s.size, mesh.motion.size - mesh.bodies.table.shape[0], mesh.node, mesh.reference, mesh.dof,
        mesh.dof_start, mesh.bed, mesh.mass_damping, rho, g, bp, gp, A, b, grip,
    )  # fmt: skip


@kernel
def _point_terms(r, v, a, flow, n_nodes, n_points, node, reference, dof, dof_start, bed, damping, rho, g, bp, gp, A, b,
                 grip):  # fmt: skip
    """As `point_terms`, for arrays."""
    for p in range(b.size):
        b[p] = 0.0
    for j in range(n_points):
        d0, d1 = dof_start[j], dof_start[j + 1]
        if d0 == d1:
            continue
        row = n_nodes + j
        R, K = node_terms(row, r, v, a, flow, node, damping, False, bed, rho, g, bp, gp, grip)
        for d in range(d0, d1):
            axis = (dof[d, 0], dof[d, 1], dof[d, 2])
            ahead = row_onto(axis, K)
            b[d] += dof[d, PULL] - dot(axis, R)
            for p in range(3):
                b[d] -= dof[d, SPRING] * axis[p] * (r[row, p] - reference[j, p])
            for c in range(d0, d1):
                A[d, c] += dot(ahead, (dof[c, 0], dof[c, 1], dof[c, 2]))
            A[d, d] += dof[d, SPRING]


@kernel(inline="always")
def add_line(line, mesh, n_dofs, memory):
    """Put the end blocks of a line into the dense system."""
    _add_line(
        line, n_dofs, mesh.line, mesh.dof_start, mesh.bodies.end_body, mesh.bodies.memory.lever, memory.end_block,
        memory.end_right, memory.far, memory.matrix, memory.right,
    )  # fmt: skip


@kernel
def _add_line(line, n_dofs, lines, dof_start, end_body, lever, D, g, far, A, b):
    """As `add_line`, for arrays."""
    k = n_dofs + line
    j = lines[line, LAST]
    dj, nj = dof_start[j], dof_start[j + 1] - dof_start[j]
    A[k, k] = D[line, 3, 3]
    b[k] = g[line, 3]
    on_body = end_body[line, 1] >= 0
    if on_body and nj > 0:
        K = (D[line, 0, 0], D[line, 0, 1], D[line, 0, 2], D[line, 1, 0], D[line, 1, 1], D[line, 1, 2],
             D[line, 2, 0], D[line, 2, 1], D[line, 2, 2])  # fmt: skip
        up, row = (D[line, 0, 3], D[line, 1, 3], D[line, 2, 3]), (D[line, 3, 0], D[line, 3, 1], D[line, 3, 2])
        add_body_end(line, lever, dj, k, K, up, row, (g[line, 0], g[line, 1], g[line, 2]), A, b)
    for d in range(0 if on_body else nj):
        for p in range(3):
            w = lever[line, 1, d, p]
            if w == 0.0:
                continue
            b[dj + d] += w * g[line, p]
            A[dj + d, k] += w * D[line, p, 3]
            A[k, dj + d] += w * D[line, 3, p]
            for c in range(nj):
                for q in range(3):
                    A[dj + d, dj + c] += w * D[line, p, q] * lever[line, 1, c, q]
    if lines[line, TWO_SIDED] == 0:
        return
    i = lines[line, FIRST]
    di, ni = dof_start[i], dof_start[i + 1] - dof_start[i]
    for d in range(ni):
        for p in range(3):
            w = lever[line, 0, d, p]
            b[di + d] += w * far[line, p, 7]
            A[di + d, k] += w * far[line, p, 6]
            A[k, di + d] += w * far[line, 6, p]
            for q in range(3):
                for c in range(ni):
                    A[di + d, di + c] += w * far[line, p, q] * lever[line, 0, c, q]
                for c in range(nj):
                    A[di + d, dj + c] += w * far[line, p, 3 + q] * lever[line, 1, c, q]
                    A[dj + c, di + d] += lever[line, 1, c, p] * far[line, 3 + p, q] * lever[line, 0, d, q]
    if end_body[line, 0] >= 0:
        add_end_turn(line, 0, lever, di, (far[line, 0, 7], far[line, 1, 7], far[line, 2, 7]), A)


@kernel
def _substitute_line(line, r, v, a, T, mesh, bp, gp, share, memory, first, last, kick):
    """Go back along a line with the jumps of its ends and its last tension; returns the largest move and kick.

    first, last : displacements of the first and last node (m), tuples of 3    kick : change of the last tension, N
    """
    n0 = mesh.node_start[line]
    e0 = mesh.element_start[line]
    n_elements = mesh.element_start[line + 1] - e0
    two_sided = mesh.line[line, TWO_SIDED] == 1
    gain, offset, reach = memory.gain, memory.offset, memory.reach
    T[e0 + n_elements - 1] += share * kick
    largest_move = 0.0
    largest_kick = abs(kick)
    x0, x1, x2, x3 = last[0], last[1], last[2], kick
    for k in range(n_elements - 1, 0, -1):
        i = n0 + k
        w0 = offset[i, 0] - (gain[i, 0, 0] * x0 + gain[i, 0, 1] * x1 + gain[i, 0, 2] * x2 + gain[i, 0, 3] * x3)
        w1 = offset[i, 1] - (gain[i, 1, 0] * x0 + gain[i, 1, 1] * x1 + gain[i, 1, 2] * x2 + gain[i, 1, 3] * x3)
        w2 = offset[i, 2] - (gain[i, 2, 0] * x0 + gain[i, 2, 1] * x1 + gain[i, 2, 2] * x2 + gain[i, 2, 3] * x3)
        w3 = offset[i, 3] - (gain[i, 3, 0] * x0 + gain[i, 3, 1] * x1 + gain[i, 3, 2] * x2 + gain[i, 3, 3] * x3)
        if two_sided:
            w0 -= reach[i, 0, 0] * first[0] + reach[i, 0, 1] * first[1] + reach[i, 0, 2] * first[2]
            w1 -= reach[i, 1, 0] * first[0] + reach[i, 1, 1] * first[1] + reach[i, 1, 2] * first[2]
            w2 -= reach[i, 2, 0] * first[0] + reach[i, 2, 1] * first[1] + reach[i, 2, 2] * first[2]
            w3 -= reach[i, 3, 0] * first[0] + reach[i, 3, 1] * first[1] + reach[i, 3, 2] * first[2]
        x0, x1, x2, x3 = w0, w1, w2, w3
        y0, y1, y2 = share * x0, share * x1, share * x2
        r[i, 0] += y0
        r[i, 1] += y1
        r[i, 2] += y2
        v[i, 0] += gp * y0
        v[i, 1] += gp * y1
        v[i, 2] += gp * y2
        a[i, 0] += bp * y0
        a[i, 1] += bp * y1
        a[i, 2] += bp * y2
        T[e0 + k - 1] += share * x3
        largest_move = max(largest_move, abs(x0), abs(x1), abs(x2))
        largest_kick = max(largest_kick, abs(x3))
    if not np.isfinite(x0 + x1 + x2 + x3 + kick):
        return np.inf, np.inf
    return largest_move, largest_kick


@kernel
def jump(j, mesh, right):
    """Displacement of junction j in the solution of the dense system."""
    x = ZERO3
    for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
        x = add3(x, scale3(right[d], (mesh.dof[d, 0], mesh.dof[d, 1], mesh.dof[d, 2])))
    return x


@kernel
def end_jump(line, side, mesh, right):
    """Displacement of an end of a line in the solution of the dense system."""
    j = mesh.line[line, FIRST + side]
    lever = mesh.bodies.memory.lever[line, side]
    x = ZERO3
    for d in range(mesh.dof_start[j + 1] - mesh.dof_start[j]):
        x = add3(x, scale3(right[mesh.dof_start[j] + d], (lever[d, 0], lever[d, 1], lever[d, 2])))
    return x


@kernel
def newton_iteration(X, T, flow, mesh, rho, g, bp, gp, share, memory):
    """One Newton iteration in place; returns the largest move (m) and change of tension (N), infinite on failure.

    X : (4, n_nodes + n_junctions, 3) positions, velocities, accelerations and the scheme's own
    T : (n_elements,) N    flow : (n_nodes + n_junctions, 8) of the water    bp, gp : beta', gamma' of the scheme
    share : of the correction that is made, 1 for plain Newton
    """
    r, v, a = X[0], X[1], X[2]
    n_lines = mesh.line.shape[0]
    n_dofs = mesh.dof.shape[0]
    n_nodes = mesh.s.size
    right = memory.right
    for line in range(n_lines):
        if not eliminate_line(line, r, v, a, T, flow, mesh, rho, g, bp, gp, memory):
            return np.inf, np.inf
    if n_dofs > 0:
        is_sparse = memory.factor.own.size > 0
        if is_sparse:  # the sparse solve leaves the matrix empty
            point_terms(r, v, a, flow, mesh, rho, g, bp, gp, memory.matrix, right, memory.grip)
        else:
            junction_terms(r, v, a, flow, mesh, rho, g, bp, gp, memory.matrix, right, memory.grip)
        if mesh.bodies.links.table.shape[0] > 0:
            add_links(X, mesh, gp, memory.matrix, right)
        add_bodies(X, flow, mesh, rho, g, bp, gp, memory.matrix, right)
        for line in range(n_lines):
            add_line(line, mesh, n_dofs, memory)
        if gp == 0.0:
            steady_bodies(mesh, memory.matrix, right)
        if is_sparse:
            if not solve_blocks(memory.matrix, right, memory.factor):
                return np.inf, np.inf
        elif not solve_dense(memory.matrix, right):
            return np.inf, np.inf
    else:
        for line in range(n_lines):
            right[line] = memory.end_right[line, 3] / memory.end_block[line, 3, 3]
    move = 0.0
    kick = 0.0
    for line in range(n_lines):
        first, last = end_jump(line, 0, mesh, right), end_jump(line, 1, mesh, right)
        m, k = _substitute_line(line, r, v, a, T, mesh, bp, gp, share, memory, first, last, right[n_dofs + line])
        move = max(move, m)
        kick = max(kick, k)
    for j in range(mesh.motion.size):
        x = scale3(share, jump(j, mesh, right))
        for p in range(3):
            r[n_nodes + j, p] += x[p]
            v[n_nodes + j, p] += gp * x[p]
            a[n_nodes + j, p] += bp * x[p]
            move = max(move, abs(x[p]))
    move = max(move, turn_bodies(X, mesh, right, share, bp, gp))
    if mesh.bodies.links.table.shape[0] > 0:  # a call with the mesh costs the counting of its arrays
        kick = max(kick, pull_links(X, mesh, right, share))
    join_ends(X, mesh)
    return move, kick


@kernel
def join_ends(X, mesh):
    """Put the end nodes of all lines where their junctions are."""
    lines, node_start, end_offset, n_nodes = mesh.line, mesh.node_start, mesh.end_offset, mesh.s.size
    for line in range(lines.shape[0]):
        for side in range(2):
            n = node_start[line] if side == 0 else node_start[line + 1] - 1
            j = n_nodes + lines[line, FIRST + side]
            for p in range(3):
                X[0, n, p] = X[0, j, p] + end_offset[line, side, p]
                X[1, n, p] = X[1, j, p]
                X[2, n, p] = X[2, j, p]
    if mesh.bodies.table.shape[0] > 0:
        place_ends(X, mesh)
