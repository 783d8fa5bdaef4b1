r"""Lines that run over points: where on the line a point is, is an unknown of its own.

A peg is a point, held, moving or free, or a place on a body, that the line runs through without friction. Position
and tension pass it unchanged and the direction turns,

.. math:: r(s_p) = r_\text{peg}, \qquad |n(s_p^+)| = |n(s_p^-)|, \qquad F_\text{peg} = n(s_p^+) - n(s_p^-).

The second is the balance of material momentum of a line that is the same on both sides of the peg
([OReilly2017], chap. 1): moving the line over the peg takes no work. The arcs on its two sides end and begin at s_p,
so their ends move with it, with F = (r', n'):

.. math:: \frac{\partial y_1}{\partial s_1} = F(y_1), \qquad \frac{\partial y_1}{\partial s_0} = -\Phi\, F(y_0).
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.string import DRY, FORCE_ONLY, STATE, WET, Around, string_slope
from ropewalk.numerics.compile import UNCOUNTED, kernel

START_FORCE = slice(12, 15)  # of the unknowns that an arc touches: the force at its start
PLACE0, PLACE1 = 15, 16  # of an arc's unknowns: s of its start and of its end, where these are at pegs
KEPT = 0.45  # of the way to its neighbour that a peg may go in one step, so that two cannot pass each other


@kernel(**UNCOUNTED)
def slide(arcs, x):
    """Cut the spans of arcs that begin or end at a peg where x has it; their lengths and offsets follow.

    Source: spans cut at s = s_p, the heading of this file; the tabled load f_0 + s f_1 moves along.
    """
    for a in range(arcs.line.size):
        p0, p1 = arcs.dof[a, PLACE0], arcs.dof[a, PLACE1]
        if p0 < 0 and p1 < 0:
            continue
        begin = x[p0] if p0 >= 0 else arcs.edge[a, 0]
        end = x[p1] if p1 >= 0 else arcs.edge[a, 1]
        low, high = begin, end
        if arcs.reverse[a]:
            low, high = arcs.total[a] - begin, arcs.total[a] - end
        for k in range(arcs.first[a], arcs.last[a]):
            source, span = arcs.source[k], arcs.spans[k]
            span.start = min(max(source.start, low), high)
            span.stop = min(max(source.stop, low), high)
            span.from_a = source.from_a + source.way * (span.start - source.start)
            for i in range(3):
                span.load[i] = source.load[i] + source.slope[i] * (span.start - source.start)
        arcs.length[a] = high - low
        arcs.offset[a] = begin


@kernel(**UNCOUNTED)
def slope_at(arcs, a, y, at_end, sea, box, slope):
    """F = (r', n') (no unit, N/m) at the start or end of arc a, in its own direction, into slope.  y : (STATE,) there

    Source: [Surmont2025], eqs. 9, 13 and 15, :func:`string_slope`.
    """
    first, last = arcs.first[a], arcs.last[a]
    k = last - 1 if at_end else first
    while at_end and k > first and arcs.spans[k].stop <= arcs.spans[k].start:
        k -= 1
    while not at_end and k < last - 1 and arcs.spans[k].stop <= arcs.spans[k].start:
        k += 1
    s = arcs.spans[k].stop - arcs.spans[k].start if at_end else 0.0
    phase = WET if sea.water_density > 0.0 and y[2] < 0.0 else DRY
    around = Around(arcs.law_data, sea, arcs.slack[a], box)
    string_slope(s, y, STATE, (arcs.spans[k], arcs.laws[k], phase), (0.0, 0.0), around, slope)


@kernel(**UNCOUNTED)
def add_tension(arcs, a, n0, x, y, residual):
    r"""Tension of arc a at the pegs where it begins or ends: beyond a peg minus before it, and the brake, N.

    .. math:: |n(s_p^+)| - |n(s_p^-)| + b\,(s_p - s_p^{old})

    Source: [OReilly2017], ch. 1; the heading of this file, b = the brake of sliding.py.
    """
    way = -1.0 if arcs.reverse[a] else 1.0
    p0, p1 = arcs.dof[a, PLACE0], arcs.dof[a, PLACE1]
    if p0 >= 0:
        residual[p0] += way * np.sqrt(n0[0] ** 2 + n0[1] ** 2 + n0[2] ** 2)
    if p1 >= 0:
        residual[p1] -= way * np.sqrt(y[3] ** 2 + y[4] ** 2 + y[5] ** 2)
        if not arcs.reverse[a]:  # one arc on each peg bears its brake
            residual[p1] += arcs.brake[a] * (x[p1] - arcs.home[a])


@kernel(**UNCOUNTED)
def peg_block(arcs, a, y, n0, before, after, map0, map1, block):
    r"""Columns and rows of an arc's block that belong to the pegs where it begins or ends.

    .. math:: \frac{\partial y_1}{\partial s_1} = F(y_1), \qquad \frac{\partial y_1}{\partial s_0} = -\Phi\, F(y_0)

    Source: the heading of this file.

    y : (ALL,) state and derivatives at the end    n0 : (3,) force at the start, N    before, after : (STATE,) F there
    map0, map1 : (3, 6) of the nodes    block : (LOCAL, LOCAL), of which the rest is filled

    Nine arguments: the arc (2), states and slopes at its ends (4), the places of these (2), and the block.
    """
    way = -1.0 if arcs.reverse[a] else 1.0
    if arcs.dof[a, PLACE0] >= 0:
        tension = np.sqrt(n0[0] ** 2 + n0[1] ** 2 + n0[2] ** 2 + arcs.slack[a] ** 2)
        for i in range(3):
            block[PLACE0, 12 + i] = way * n0[i] / tension
        for i in range(STATE):
            moved = 0.0
            for c in range(3):
                moved -= y[STATE + 6 * c + i] * before[3 + c] + y[FORCE_ONLY + 6 * c + i] * before[c]
            _end_moves(i, way * moved, map1, block, PLACE0)
    if arcs.dof[a, PLACE1] < 0:
        return
    if not arcs.reverse[a]:
        block[PLACE1, PLACE1] += arcs.brake[a]
    for i in range(STATE):
        _end_moves(i, way * after[i], map1, block, PLACE1)
    tension = np.sqrt(y[3] ** 2 + y[4] ** 2 + y[5] ** 2 + arcs.slack[a] ** 2)
    for i in range(3):
        t = -way * y[3 + i] / tension
        block[PLACE1, PLACE1] += t * way * after[3 + i]
        for c in range(3):
            block[PLACE1, 12 + c] += t * y[STATE + 6 * c + 3 + i]
            for j in range(6):
                block[PLACE1, j] += t * y[FORCE_ONLY + 6 * c + 3 + i] * map0[c, j]
            if arcs.dof[a, PLACE0] >= 0:
                block[PLACE1, PLACE0] -= t * way * y[STATE + 6 * c + 3 + i] * before[3 + c]
                block[PLACE1, PLACE0] -= t * way * y[FORCE_ONLY + 6 * c + 3 + i] * before[c]


@kernel(**UNCOUNTED)
def _end_moves(i, moved, map1, block, column):
    """Adds the derivative of entry i of an arc's end state to the closure error, or to the force on its node.

    Source: C = r(L) - r_node and -G^T n_L, docs/theory/shooting.md, Assemblies.    moved : m or N per unknown
    """
    if i < 3:
        block[12 + i, column] += moved
    else:
        for j in range(6):
            block[6 + j, column] -= map1[i - 3, j] * moved


@kernel(**UNCOUNTED)
def keep_order(x, slide_dof, slide_edge, x_new):
    """Keep each peg's place in x_new (m) within KEPT of the distance to its neighbours in x.

    Source: s - KEPT (s - s_low) <= s_new <= s + KEPT (s_high - s): pegs keep their order along the line.
    """
    for k in range(slide_dof.shape[0]):
        d = slide_dof[k, 0]
        low = x[slide_dof[k, 1]] if slide_dof[k, 1] >= 0 else slide_edge[k, 0]
        high = x[slide_dof[k, 2]] if slide_dof[k, 2] >= 0 else slide_edge[k, 1]
        x_new[d] = min(max(x_new[d], x[d] - KEPT * (x[d] - low)), x[d] + KEPT * (high - x[d]))
