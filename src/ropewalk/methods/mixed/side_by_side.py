r"""Newton's iteration on lines side by side in vector registers; walks.py has which, and where.

All is forced inline: handing a mesh and the walks over takes as long as a row of a walk.

The kernels are those of single lines, compiled for lanes: of elements, water and bed (assembly, loads), of the
elimination (elimination.py). Halves of a line meet in their middle node: with the blocks
:math:`K_i x + b_i T_i = h_i`, :math:`c_i^T x + d_i T_i = g_i` that both leave there,

.. math::
    \Bigl(\sum_i K_i - \frac{b_i c_i^T}{d_i}\Bigr) x = \sum_i h_i - \frac{b_i g_i}{d_i}, \qquad
    T_i = \frac{g_i - c_i^T x}{d_i}.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.element import Instant, pulled_in_water, three, tie
from ropewalk.loads.cut import vector
from ropewalk.loads.grip import friction_of
from ropewalk.methods.mixed.elimination import keep_gain, pass_node, passed_bed, shift, step_back, turned_miss
from ropewalk.methods.mixed.nodes import add_inertia, rest_on_bed
from ropewalk.methods.mixed.walks import FIRST_HALF, SECOND_HALF, WHOLE
from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    ZERO3,
    ZERO9,
    add3,
    add9,
    dot,
    invert,
    onto,
    outer,
    scale3,
    scale9,
    sub3,
    sub9,
)
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import WIDTH, all_of, any_of, lane, lane_array, lane_records, where
from ropewalk.physics.waves import COLUMNS


@kernel(forceinline=True, **UNCOUNTED)
def take_sides(X, T, grip, walks):
    """Copy a state to the lanes of its walks."""
    has_grip = friction_of(grip) > 0.0
    node, element, to, hold, T_to = walks.node, walks.element, walks.X, walks.hold, walks.T
    for g in range(walks.start.size - 1):
        for k in range(walks.used[g]):
            for i in range(walks.start[g], walks.start[g + 1]):
                n = node[i, k]
                for p in range(3):
                    to[0, i, p, k], to[1, i, p, k], to[2, i, p, k] = X[0, n, p], X[1, n, p], X[2, n, p]
                T_to[i, k] = T[element[i, k]]
                if has_grip:
                    hold[i, 0, k], hold[i, 1, k], hold[i, 2, k] = vector(grip.hold[n].place)


@kernel(forceinline=True, **UNCOUNTED)
def take_water(flow, walks):
    """As `take_sides`, of the water; where it rests it need not be copied: lanes begin with water at rest."""
    for g in range(walks.start.size - 1):
        for k in range(walks.used[g]):
            for i in range(walks.start[g], walks.start[g + 1]):
                for c in range(COLUMNS):
                    walks.flow[i, c, k] = flow[walks.node[i, k], c]


@kernel(forceinline=True, **UNCOUNTED)
def give_back(X, T, walks):
    """Copy the lanes of all walks to the state that they were taken from; end nodes are the junctions' affair."""
    node, element, own, taken, T_own = walks.node, walks.element, walks.X, walks.taken, walks.T
    for g in range(walks.start.size - 1):
        for i in range(walks.start[g], walks.start[g + 1]):
            for k in range(walks.used[g]):
                n = node[i, k]
                if taken[i, k] > 0.0:
                    for p in range(3):
                        X[0, n, p], X[1, n, p], X[2, n, p] = own[0, i, p, k], own[1, i, p, k], own[2, i, p, k]
                if i < walks.start[g + 1] - 1 and i - walks.start[g] >= walks.begin[g, k]:
                    T[element[i, k]] = T_own[i, k]


@kernel(forceinline=True, **UNCOUNTED)
def take_ends(X, walks):
    """Copy the last nodes of whole lines to their lanes, after the junctions have moved them."""
    for g in range(walks.start.size - 1):
        i = walks.start[g + 1] - 1
        for k in range(walks.used[g]):
            if walks.part[g, k] == WHOLE:
                n = walks.node[i, k]
                for q in range(3):
                    for p in range(3):
                        walks.X[q, i, p, k] = X[q, n, p]


@kernel(forceinline=True, **UNCOUNTED)
def _lanes_of(walks):
    """`Instant` of lanes."""
    X = walks.X
    return Instant(
        lane_array(X[0], WIDTH), lane_array(X[1], WIDTH), lane_array(X[2], WIDTH), lane_array(walks.T, WIDTH),
        lane_array(walks.flow, WIDTH),
    )  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _element(i, now, el, fluid, step):
    """As `element_system` of the element after row i, with forces in place of residuals.  el : record of lanes"""
    force = now.T[i]
    is_slack = (force < 0.0) & (el.slack > 0.0)
    compliance = where(is_slack, el.slack_compliance, el.compliance)
    strained = (compliance * force, compliance)
    t, span, weight, S, row, give, miss = tie(i, now, (el.length, el.damping), force, strained, 0.0, step[1])
    Fa, Fb, A, B, Ca, Cb = pulled_in_water(el, i, (t, span), force, S, now, fluid, step)
    return Fa, Fb, miss, A, B, Ca, Cb, t, weight, row, give


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _plane(bed, x):
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
        surface = _plane(bed, three(now.r, i))
        if any_of((node.bed_area != 0.0) & (surface[1] < node.radius)):
            place = (three(now.r, i), three(now.v, i), three(hold, i))
            R, C, _, _ = rest_on_bed(bed, surface, place, (node.bed_area, node.radius), mu, step[1])
            F, K = sub3(F, R), add9(K, C)
    return F, K


@kernel(forceinline=True, **UNCOUNTED)
def _where3(mask, a, b):
    return where(mask, a[0], b[0]), where(mask, a[1], b[1]), where(mask, a[2], b[2])


@kernel(forceinline=True, **UNCOUNTED)
def _where9(mask, a, b):
    return (
        where(mask, a[0], b[0]), where(mask, a[1], b[1]), where(mask, a[2], b[2]), where(mask, a[3], b[3]),
        where(mask, a[4], b[4]), where(mask, a[5], b[5]), where(mask, a[6], b[6]), where(mask, a[7], b[7]),
        where(mask, a[8], b[8]),
    )  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def eliminate_walks(g, mesh, fluid, step, mu, walks):
    """As `eliminate_line`, of all walks of group g at once; returns False if a pivot vanished.

    mu : coefficient of friction with the bed
    """
    now, holds = _lanes_of(walks), lane_array(walks.hold, WIDTH)
    ground = (mesh.has_bed, mesh.bed, mu, holds, (mesh.mass_damping, fluid[1]))
    elements, nodes = lane_records(walks.elements, WIDTH), lane_records(walks.nodes, WIDTH)
    taken = lane_array(walks.taken, WIDTH)
    gains, offsets = lane_array(walks.gain, WIDTH), lane_array(walks.offset, WIDTH)
    i0, i1 = walks.start[g], walks.start[g + 1] - 1
    K, b, c, d = ZERO9, ZERO3, ZERO3, 0.0
    h, hT = ZERO3, 0.0
    regular = True
    for i in range(i0, i1):
        Fa, Fb, miss, A, B, Ca, Cb, t, weight, row, give = _element(i, now, elements[i], fluid, step)
        extra = scale3(weight * miss, t)
        Fa, Fb = add3(Fa, extra), sub3(Fb, extra)
        Fb, Cb = _add_node(Fb, Cb, i + 1, now, nodes[i + 1], ground, step)
        pull = scale3(1.0 - weight * give, t)
        if i == i0:
            K, b, c, d, h, hT = add9(B, Cb), pull, row, -give, Fb, -miss
            continue
        block = (add9(add9(K, Ca), A), b, c, d, add3(h, Fa), hT)
        gain, y, (K, b, c, d, h, hT), inverse = pass_node(block, A, B, pull, row)
        keep_gain(i, gain, y, gains, offsets)
        K, d, h, hT = add9(K, Cb), d - give, add3(h, Fb), hT - miss
        if walks.ragged[i] == 1:
            passed = taken[i] > 0.0
            regular = regular and all_of((inverse[3] != 0.0) | (taken[i] == 0.0))
            K, b, c = _where9(passed, K, add9(B, Cb)), _where3(passed, b, pull), _where3(passed, c, row)
            d, h, hT = where(passed, d, -give), _where3(passed, h, Fb), where(passed, hT, -miss)
        else:
            regular = regular and all_of(inverse[3] != 0.0)
    keep_gain(g, (K, b, c, d), (h, hT), lane_array(walks.end_block, WIDTH), lane_array(walks.end_right, WIDTH))
    return regular


@kernel(forceinline=True, **UNCOUNTED)
def give_ends(g, walks, end_block, end_right):
    """Hand the last blocks of the whole lines of a group over to the junctions; solve for the middles of halves.

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
def _join(k, o, block, right, jump):
    r"""Solve for the middle node of a line whose halves are lanes k and o; into jump (4, WIDTH).

    .. math:: \Bigl(\sum_i K_i - \frac{b_i c_i^T}{d_i}\Bigr) x = \sum_i h_i - \frac{b_i g_i}{d_i}

    Source: the heading of this file.
    """
    K, h = ZERO9, ZERO3
    for m in (k, o):
        b, c = (block[0, 3, m], block[1, 3, m], block[2, 3, m]), (block[3, 0, m], block[3, 1, m], block[3, 2, m])
        own = (
            block[0, 0, m], block[0, 1, m], block[0, 2, m], block[1, 0, m], block[1, 1, m], block[1, 2, m],
            block[2, 0, m], block[2, 1, m], block[2, 2, m],
        )  # fmt: skip
        q = 1.0 / block[3, 3, m]
        K = add9(K, sub9(own, scale9(q, outer(b, c))))
        h = add3(h, sub3((right[0, m], right[1, m], right[2, m]), scale3(q * right[3, m], b)))
    inverse, determinant = invert(K)
    x = onto(inverse, h)
    for m in (k, o):
        c = (block[3, 0, m], block[3, 1, m], block[3, 2, m])
        jump[0, m], jump[1, m], jump[2, m] = x
        jump[3, m] = (right[3, m] - dot(c, x)) / block[3, 3, m]
    return determinant != 0.0


@kernel(forceinline=True, **UNCOUNTED)
def eliminate_groups(mesh, fluid, step, memory):
    """Eliminate all walks; returns False if a pivot vanished.  fluid, step, memory : as of `newton_iteration`"""
    walks, mu = memory.walks, friction_of(memory.grip)
    regular = True
    for g in range(walks.start.size - 1):
        regular = eliminate_walks(g, mesh, fluid, step, mu, walks) and regular
        regular = give_ends(g, walks, memory.end_block, memory.end_right) and regular
    return regular


@kernel(forceinline=True, **UNCOUNTED)
def substitute_groups(mesh, step, share, memory):
    """Go back along all walks, with the jumps of whole lines in `walks.jump`; returns as `substitute_line`."""
    walks = memory.walks
    move, kick, miss = 0.0, 0.0, 0.0
    for g in range(walks.start.size - 1):
        m, k, left = substitute_walks(g, mesh, step, share, walks)
        move, kick, miss = max(move, m), max(kick, k), max(miss, left)
    return move, kick, miss


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def substitute_walks(g, mesh, step, share, walks):
    """As `substitute_line`, of all walks of group g at once, with the jumps of their last rows in `walks.jump`."""
    now, jump = _lanes_of(walks), lane_array(walks.jump, WIDTH)
    elements, nodes = lane_records(walks.elements, WIDTH), lane_records(walks.nodes, WIDTH)
    taken, gain, offset = (
        lane_array(walks.taken, WIDTH), lane_array(walks.gain, WIDTH), lane_array(walks.offset, WIDTH),
    )  # fmt: skip
    i0, last = walks.start[g], walks.start[g + 1] - 1
    T, has_bed, bed = now.T, mesh.has_bed, mesh.bed
    x = (jump[g, 0], jump[g, 1], jump[g, 2], jump[g, 3])
    zero = 0.0 * share
    move, kick, miss, total = zero * x[0], abs(x[3]), zero * x[0], x[0] + x[1] + x[2] + x[3]
    for i in range(last, i0, -1):
        if i < last:
            x = step_back(i, x, gain, offset)
        moved, pulled = (x[0], x[1], x[2]), x[3]
        if walks.ragged[i] == 1:
            is_taken = taken[i] > 0.0
            moved = (where(is_taken, x[0], 0.0), where(is_taken, x[1], 0.0), where(is_taken, x[2], 0.0))
            pulled = where(is_taken, pulled, 0.0) if i < last else pulled
        y, node = scale3(share, moved), nodes[i]
        if has_bed:
            passed = passed_bed(_plane(bed, three(now.r, i)), node.radius, y)
            miss = max(miss, where(node.bed_area != 0.0, passed, 0.0))
        shift(i, y, now, step)
        el = elements[i - 1]
        after = T[i - 1] + share * pulled
        miss = max(miss, turned_miss(T[i - 1], after, el.length, el.slack))
        T[i - 1] = after
        total = total + (moved[0] + moved[1] + moved[2] + pulled)
        move = max(move, abs(moved[0]), abs(moved[1]), abs(moved[2]))
        kick = max(kick, abs(pulled))
    largest = (0.0, 0.0, 0.0)
    for k in range(walks.used[g]):
        if not np.isfinite(lane(total, k)):
            return np.inf, np.inf, np.inf
        largest = (max(largest[0], lane(move, k)), max(largest[1], lane(kick, k)), max(largest[2], lane(miss, k)))
    return largest
