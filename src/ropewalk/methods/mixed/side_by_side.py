r"""Newton's iteration on lines side by side in vector registers; walks.py has which, and where.

All is forced inline: handing a mesh and the walks over takes as long as a row of a walk.

The kernels are those of single lines, compiled for lanes: of elements, water and bed (assembly, loads), of the
elimination (elimination.py). Halves of a line meet in their middle node, with the blocks
:math:`K_i x + b_i T_i = h_i`, :math:`c_i^T x + d_i T_i = g_i` that both leave there. With P the inverse of
:math:`K = K_1 + K_2` bordered by b_1, c_1 and d_1, as of any node (elimination.py),

.. math::
    \begin{pmatrix} y \\ t \end{pmatrix} = P \begin{pmatrix} h_1 + h_2 \\ g_1 \end{pmatrix}, \qquad
    \begin{pmatrix} z \\ s \end{pmatrix} = P \begin{pmatrix} b_2 \\ 0 \end{pmatrix}, \qquad
    T_2 = \frac{g_2 - c_2^T y}{d_2 - c_2^T z}, \quad x = y - z T_2, \quad T_1 = t - s T_2.

Nothing is divided by d_1 or d_2 alone: a straight half that does not stretch gives by next to nothing.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.element import Instant, half_in_water, three, tie
from ropewalk.loads.cut import vector
from ropewalk.loads.grip import friction_of
from ropewalk.methods.mixed.elimination import keep_gain, pass_node, passed_bed, shift, step_back, turned_miss
from ropewalk.methods.mixed.nodes import add_inertia, rest_on_bed
from ropewalk.methods.mixed.walks import FIRST_HALF, LONGEST_BLOCK, SECOND_HALF, WHOLE
from ropewalk.numerics.blockelimination import (
    FUSED,
    TINY_PIVOT,
    UNCOUNTED,
    ZERO3,
    ZERO9,
    add3,
    add9,
    adjugate,
    dot,
    onto,
    row_onto,
    scale3,
    sub3,
)
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import (
    WIDTH,
    all_of,
    any_of,
    lane,
    lane_array,
    lane_records,
    lane_rows,
    lanes_at,
    put_lanes,
    where,
)
from ropewalk.physics.waves import COLUMNS

# columns of the equations of a block: of nodes of a row and of the next by their own motion, minus those by the motion
# of the other; forces on both; of the tension on a node, and of the length equation by the motion of the next node
OWN, NEXT, AHEAD, BEHIND, FORCE, NEXT_FORCE, PULL, ROW, GIVE, MISS = 0, 9, 18, 27, 36, 39, 42, 45, 48, 49
STRIDE = LONGEST_BLOCK + WIDTH  # from column to column


@kernel(forceinline=True, **UNCOUNTED)
def take_sides(X, T, grip, walks):
    """Copy a state to the lanes of its walks. Bookkeeping."""
    node, element, to, T_to = walks.node, walks.element, walks.X, walks.T
    for m in range(node.size):
        n = node[m]
        for p in range(3):
            to[0, p, m], to[1, p, m], to[2, p, m] = X[0, n, p], X[1, n, p], X[2, n, p]
        T_to[m] = T[element[m]]
    if friction_of(grip) > 0.0:
        for m in range(node.size):
            hold = walks.hold
            hold[0, m], hold[1, m], hold[2, m] = vector(grip.hold[node[m]].place)


@kernel(forceinline=True, **UNCOUNTED)
def take_water(flow, walks):
    """As `take_sides`, of the water; where it rests it need not be copied: lanes begin with water at rest."""
    for m in range(walks.node.size):
        for c in range(COLUMNS):
            walks.flow[c, m] = flow[walks.node[m], c]


@kernel(forceinline=True, **UNCOUNTED)
def give_back(X, T, walks):
    """Copy the lanes of all walks to the state that they were taken from; junctions move the end nodes. Bookkeeping."""
    moved, pulled, own, T_own = walks.moved, walks.pulled, walks.X, walks.T
    for i in range(moved.shape[0]):
        m, n = moved[i, 0], moved[i, 1]
        for p in range(3):
            X[0, n, p], X[1, n, p], X[2, n, p] = own[0, p, m], own[1, p, m], own[2, p, m]
    for i in range(pulled.shape[0]):
        T[pulled[i, 1]] = T_own[pulled[i, 0]]


@kernel(forceinline=True, **UNCOUNTED)
def take_ends(X, walks):
    """Copy the last nodes of whole lines to their lanes, after the junctions have moved them. Bookkeeping."""
    for g in range(walks.first.size):
        row = walks.first[g] + walks.used[g] * (walks.start[g + 1] - walks.start[g] - 1)
        for k in range(walks.used[g]):
            if walks.part[g, k] == WHOLE:
                n = walks.node[row + k]
                for q in range(3):
                    for p in range(3):
                        walks.X[q, p, row + k] = X[q, n, p]


@kernel(forceinline=True, **UNCOUNTED)
def batch_of(m, used, walks):
    """`Instant` of the batch that begins with number m: its elements have rows 0 and 1.  used : walks of a row

    Bookkeeping.
    """
    X = walks.X
    return Instant(
        lane_rows(X[0], m, used, WIDTH), lane_rows(X[1], m, used, WIDTH), lane_rows(X[2], m, used, WIDTH),
        lane_rows(walks.T, m, used, WIDTH), lane_rows(walks.flow, m, used, WIDTH),
    )  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _pulled(i, now, el, gp):
    """As `axial` of the element after row i: e = T/EA, or T/k_s where it is slack (N).  el : record of lanes

    Source: docs/theory/mixed_elements.md, Elements.
    """
    force = now.T[i]
    is_slack = (force < 0.0) & (el.slack > 0.0)
    compliance = where(is_slack, el.slack_compliance, el.compliance)
    strained = (compliance * force, compliance)
    t, span, weight, S, row, give, miss = tie(i, now, (el.length, el.damping), force, strained, 0.0, gp)
    return t, span, force, weight, S, row, give, miss


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def plane(bed, x):
    """As `ground`, of a bed that is a plane."""
    law = bed.law[0]
    normal = (law.normal[0], law.normal[1], law.normal[2])
    return normal, dot(normal, x) - law.level


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _add_node(F, K, i, now, node, ground, step):
    """As `add_node_terms` of row i.

    node : record of lanes    ground : has_bed, bed, friction, where nodes grip (m), damping by mass (1/s) and gravity
    """
    has_bed, bed, mu, hold, field = ground
    given = (node.force_0, node.force_1, node.force_2)
    F, K = add_inertia(F, K, i, now, (node.mass, given), field, step)
    if has_bed:
        surface = plane(bed, three(now.r, i))
        if any_of((node.bed_area != 0.0) & (surface[1] < node.radius)):
            place = (three(now.r, i), three(now.v, i), three(hold, i))
            R, C, _, _ = rest_on_bed(bed, surface, place, (node.bed_area, node.radius), mu, step[1])
            F, K = sub3(F, R), add9(K, C)
    return F, K


@kernel(forceinline=True, **UNCOUNTED)
def _where3(mask, a, b):
    """Choose vectors lane by lane. Bookkeeping."""
    return where(mask, a[0], b[0]), where(mask, a[1], b[1]), where(mask, a[2], b[2])


@kernel(forceinline=True, **UNCOUNTED)
def _where9(mask, a, b):
    """Choose matrices lane by lane. Bookkeeping."""
    return (
        where(mask, a[0], b[0]), where(mask, a[1], b[1]), where(mask, a[2], b[2]), where(mask, a[3], b[3]),
        where(mask, a[4], b[4]), where(mask, a[5], b[5]), where(mask, a[6], b[6]), where(mask, a[7], b[7]),
        where(mask, a[8], b[8]),
    )  # fmt: skip


@kernel(forceinline=True, **UNCOUNTED)
def _put3(system, column, at, x):
    """As `put_lanes`, of a vector: from a column on, at a place of the block. Bookkeeping."""
    i = STRIDE * column + at
    put_lanes(system, i, x[0])
    put_lanes(system, i + STRIDE, x[1])
    put_lanes(system, i + 2 * STRIDE, x[2])


@kernel(forceinline=True, **UNCOUNTED)
def _put9(system, column, at, x):
    """As `_put3`, of a matrix."""
    _put3(system, column, at, (x[0], x[1], x[2]))
    _put3(system, column + 3, at, (x[3], x[4], x[5]))
    _put3(system, column + 6, at, (x[6], x[7], x[8]))


@kernel(forceinline=True, **UNCOUNTED)
def _three(system, column, at):
    """As `lanes_at`, of what `_put3` kept; at any place, also between two of those. Bookkeeping."""
    i = STRIDE * column + at
    return lanes_at(system, i), lanes_at(system, i + STRIDE), lanes_at(system, i + 2 * STRIDE)


@kernel(forceinline=True, **UNCOUNTED)
def _nine(system, column, at):
    """As `_three`, of a matrix."""
    a, b, c = _three(system, column, at), _three(system, column + 3, at), _three(system, column + 6, at)
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _assemble(at, now, tables, fluid, ground, step, system):
    """As `element_system` and `_add_node`, of a batch of elements and their second nodes; to a place of the block.

    What is complete is put there before the rest is computed: registers are few.

    now : `Instant` of the batch    tables : records of lanes, of elements and nodes    ground : of `_add_node`
    """
    el = tables[0]
    t, span, pull, weight, S, row, give, miss = _pulled(0, now, el, step[1])
    extra = scale3(weight * miss, t)
    _put3(system, PULL, at, scale3(1.0 - weight * give, t))
    _put3(system, ROW, at, row)
    put_lanes(system, STRIDE * GIVE + at, give)
    put_lanes(system, STRIDE * MISS + at, miss)
    F, A, C = half_in_water(el, 0, 1, (t, span), pull, S, now, (fluid, step))
    _put9(system, OWN, at, add9(C, A))
    _put9(system, AHEAD, at, A)
    _put3(system, FORCE, at, add3(F, extra))
    F, B, C = half_in_water(el, 1, 0, (t, span), -pull, S, now, (fluid, step))
    _put9(system, BEHIND, at, B)
    F, C = _add_node(sub3(F, extra), C, 1, now, tables[1], ground, step)
    _put9(system, NEXT, at, C)
    _put3(system, NEXT_FORCE, at, F)


@kernel(forceinline=True, **UNCOUNTED)
def _after(system, at):
    """As `_nine`, `_three` and `lanes_at`, of BEHIND, PULL, ROW, NEXT, NEXT_FORCE, GIVE and MISS."""
    return (
        _nine(system, BEHIND, at), _three(system, PULL, at), _three(system, ROW, at), _nine(system, NEXT, at),
        _three(system, NEXT_FORCE, at), lanes_at(system, STRIDE * GIVE + at), lanes_at(system, STRIDE * MISS + at),
    )  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def eliminate_walks(g, mesh, fluid, step, mu, walks):
    """As `eliminate_line`, of all walks of group g at once; returns False if a pivot vanished.

    Block by block: as few elements as end where a row does are computed, then their rows eliminated.

    mu : coefficient of friction with the bed
    """
    elements, nodes = lane_records(walks.elements, WIDTH), lane_records(walks.nodes, WIDTH)
    taken, idle = lane_array(walks.taken, WIDTH), lane_array(walks.idle, WIDTH)[g]
    gains, offsets = lane_array(walks.gain, WIDTH), lane_array(walks.offset, WIDTH)
    used, i0, last = walks.used[g], walks.start[g], walks.start[g + 1] - 1
    size, system = LONGEST_BLOCK if used == 3 else WIDTH, walks.system
    K, b, c, d = ZERO9, ZERO3, ZERO3, 0.0
    h, hT = ZERO3, 0.0
    regular = True
    i, j, m, stop = i0, walks.batch[g], walks.first[g], walks.batch[g + 1]
    while i < last:
        for to in range(0, size, WIDTH):
            if j < stop:
                now, hold = batch_of(m, used, walks), lane_rows(walks.hold, m, used, WIDTH)
                ground = (mesh.has_bed, mesh.bed, mu, hold, (mesh.mass_damping, fluid[1]))
                _assemble(to, now, (elements[j], nodes[j]), fluid, ground, step, system)
                j, m = j + 1, m + WIDTH
        at, end = 0, min(i + size // used, last)
        if i == i0:
            B, pull, row, Cb, Fb, give, miss = _after(system, at)
            K, b, c, d, h, hT = add9(B, Cb), pull, row, -give, Fb, -miss
            at, i = used, i0 + 1
        while i < end:
            own, A, force = _nine(system, OWN, at), _nine(system, AHEAD, at), _three(system, FORCE, at)
            B, pull, row, Cb, Fb, give, miss = _after(system, at)
            full = (add9(K, own), b, c, d, add3(h, force), hT)
            gain, y, (K, b, c, d, h, hT), inverse = pass_node(full, A, B, pull, row)
            keep_gain(i, gain, y, gains, offsets)
            K, d, h, hT = add9(K, Cb), d - give, add3(h, Fb), hT - miss
            fine = (inverse[3] != 0.0) | (idle > 0.0)
            if walks.ragged[i] == 1:
                passed = taken[i] > 0.0
                fine = fine | (taken[i] == 0.0)
                K, b, c = _where9(passed, K, add9(B, Cb)), _where3(passed, b, pull), _where3(passed, c, row)
                d, h, hT = where(passed, d, -give), _where3(passed, h, Fb), where(passed, hT, -miss)
            regular = regular and all_of(fine)
            at, i = at + used, i + 1
    keep_gain(g, (K, b, c, d), (h, hT), lane_array(walks.end_block, WIDTH), lane_array(walks.end_right, WIDTH))
    return regular


@kernel(forceinline=True, **UNCOUNTED)
def give_ends(g, walks, end_block, end_right):
    """Hand the last blocks (N/m, N) of the whole lines of a group to the junctions; solve for the middles of halves.

    Source: docs/theory/lanes.md: middles by :func:`_join`, K x = h.

    end_block, end_right : (n_lines, 4, 4), (n_lines, 4), of `Elimination`    Returns False for singular middles.
    """
    own, right, jump = walks.end_block[g], walks.end_right[g], walks.jump[g]
    regular = True
    for k in range(walks.used[g]):
        line = walks.line[g, k]
        if walks.part[g, k] == WHOLE:
            for p in range(4):
                end_right[line, p] = right[p, k]
                for q in range(4):
                    end_block[line, p, q] = own[p, q, k]
        elif walks.part[g, k] == FIRST_HALF:
            for p in range(4):  # of what the junctions solve for nothing remains
                end_right[line, p] = 0.0
                for q in range(4):
                    end_block[line, p, q] = 1.0 if p == q else 0.0
            for o in range(walks.used[g]):
                if walks.part[g, o] == SECOND_HALF and walks.line[g, o] == line:
                    regular = _join(k, o, own, right, jump) and regular
    return regular


@kernel(**UNCOUNTED)
def _end(m, block, right):
    """K, b, c, d, h, g of the end of lane m, of docs/theory/lanes.md. Bookkeeping."""
    return (
        (
            block[0, 0, m], block[0, 1, m], block[0, 2, m], block[1, 0, m], block[1, 1, m], block[1, 2, m],
            block[2, 0, m], block[2, 1, m], block[2, 2, m],
        ),
        (block[0, 3, m], block[1, 3, m], block[2, 3, m]), (block[3, 0, m], block[3, 1, m], block[3, 2, m]),
        block[3, 3, m], (right[0, m], right[1, m], right[2, m]), right[3, m],
    )  # fmt: skip


@kernel(**UNCOUNTED)
def _join(k, o, block, right, jump):
    r"""Solve for the middle node of a line whose halves are lanes k and o; into jump (4, WIDTH), m and N.

    .. math:: T_2 = \frac{g_2 - c_2^T y}{d_2 - c_2^T z}, \quad x = y - z T_2, \quad T_1 = t - s T_2

    Source: the heading of this file.
    """
    K1, b1, c1, d1, h1, g1 = _end(k, block, right)
    K2, b2, c2, d2, h2, g2 = _end(o, block, right)
    adj, det = adjugate(add9(K1, K2))
    h, u, w = add3(h1, h2), onto(adj, b1), row_onto(c1, adj)
    schur = d1 * det - dot(c1, u)
    if not abs(det * schur) > TINY_PIVOT:
        return False
    f, e = 1.0 / det, 1.0 / schur
    t, s = e * (det * g1 - dot(w, h)), -e * dot(w, b2)
    y, z = scale3(f, sub3(onto(adj, h), scale3(t, u))), scale3(f, sub3(onto(adj, b2), scale3(s, u)))
    give = d2 - dot(c2, z)
    if give == 0.0:
        return False
    T = (g2 - dot(c2, y)) / give
    x = sub3(y, scale3(T, z))
    for m in (k, o):
        jump[0, m], jump[1, m], jump[2, m] = x
    jump[3, k], jump[3, o] = t - s * T, T
    return True


@kernel(forceinline=True, **UNCOUNTED)
def eliminate_groups(mesh, fluid, step, memory):
    """Eliminate all walks; returns False if a pivot vanished.  fluid, step, memory : as of `newton_iteration`

    Bookkeeping: calls `eliminate_walks` and `give_ends` for each group.
    """
    walks, mu = memory.walks, friction_of(memory.grip)
    regular = True
    for g in range(walks.first.size):
        regular = eliminate_walks(g, mesh, fluid, step, mu, walks) and regular
        regular = give_ends(g, walks, memory.end_block, memory.end_right) and regular
    return regular


@kernel(forceinline=True, **UNCOUNTED)
def substitute_groups(mesh, step, share, memory):
    """Go back along all walks, with the jumps of whole lines in `walks.jump`; returns as `substitute_line`."""
    walks = memory.walks
    move, kick, miss = 0.0, 0.0, 0.0
    for g in range(walks.first.size):
        m, k, left = substitute_walks(g, mesh, step, share, walks)
        move, kick, miss = max(move, m), max(kick, k), max(miss, left)
    return move, kick, miss


@kernel(forceinline=True, **UNCOUNTED)
def _put_row(array, c, m, x, used):
    """As `put_lanes`, of the first lanes of x only: from number m of component c on. Bookkeeping."""
    if used == WIDTH:
        put_lanes(array, c * array.shape[1] + m, x)
        return
    array[c, m] = lane(x, 0)
    if used > 1:
        array[c, m + 1] = lane(x, 1)
    if used > 2:
        array[c, m + 2] = lane(x, 2)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _go_back(g, walks):
    """Jumps (m, N) of all rows of group g from those of its last row in `walks.jump`, into `walks.jumps`.

    Source: x_i = y_i + W_i x_{i+1}, back substitution, docs/theory/mixed_elements.md, Elimination.
    """
    jump, used = lane_array(walks.jump, WIDTH), walks.used[g]
    taken, gain, offset = (
        lane_array(walks.taken, WIDTH), lane_array(walks.gain, WIDTH), lane_array(walks.offset, WIDTH),
    )  # fmt: skip
    i0, last = walks.start[g], walks.start[g + 1] - 1
    x = (jump[g, 0], jump[g, 1], jump[g, 2], jump[g, 3])
    for i in range(last, i0, -1):
        if i < last:
            x = step_back(i, x, gain, offset)
        moved, pulled = (x[0], x[1], x[2]), x[3]
        if walks.ragged[i] == 1:
            is_taken = taken[i] > 0.0
            moved = (where(is_taken, x[0], 0.0), where(is_taken, x[1], 0.0), where(is_taken, x[2], 0.0))
            pulled = where(is_taken, pulled, 0.0) if i < last else pulled
        m = walks.first[g] + used * (i - i0)
        _put_row(walks.jumps, 0, m, moved[0], used)
        _put_row(walks.jumps, 1, m, moved[1], used)
        _put_row(walks.jumps, 2, m, moved[2], used)
        _put_row(walks.jumps, 3, m, pulled, used)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def substitute_walks(g, mesh, step, share, walks):
    """As `substitute_line`, of all walks of group g at once, with the jumps of their last rows in `walks.jump`."""
    _go_back(g, walks)
    elements, nodes = lane_records(walks.elements, WIDTH), lane_records(walks.nodes, WIDTH)
    has_bed, bed, used, m = mesh.has_bed, mesh.bed, walks.used[g], walks.first[g]
    none = 0.0 * lanes_at(walks.T, m)
    move, kick, miss, total = none, none, none, none
    for j in range(walks.batch[g], walks.batch[g + 1]):
        now, jumps = batch_of(m, used, walks), lane_rows(walks.jumps, m, used, WIDTH)
        moved, pulled = three(jumps, 1), jumps[1, 3]
        y, node, el = scale3(share, moved), nodes[j], elements[j]
        if has_bed:
            passed = passed_bed(plane(bed, three(now.r, 1)), node.radius, y)
            miss = max(miss, where(node.bed_area != 0.0, passed, 0.0))
        shift(1, y, now, step)
        after = now.T[0] + share * pulled
        miss = max(miss, turned_miss(now.T[0], after, el.length, el.slack))
        now.T[0] = after
        total = total + (moved[0] + moved[1] + moved[2] + pulled)
        move = max(move, abs(moved[0]), abs(moved[1]), abs(moved[2]))
        kick = max(kick, abs(pulled))
        m += WIDTH
    largest = (0.0, 0.0, 0.0)
    for k in range(WIDTH):
        if not np.isfinite(lane(total, k)):
            return np.inf, np.inf, np.inf
        largest = (max(largest[0], lane(move, k)), max(largest[1], lane(kick, k)), max(largest[2], lane(miss, k)))
    return largest
