"""Positions and forces along a line of several pieces, from its solved end forces.

Conventions: see :mod:`ropewalk.physics.catenary` and :mod:`ropewalk.physics.catenary_pieces`.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel
from ropewalk.physics.catenary_free import (
    GROUNDED,
    SLACK_NEUTRAL,
    SLACK_ON_BED,
    arc,
)
from ropewalk.physics.catenary_pieces import Pieces, net_weight, slack_gap, whole_length
from ropewalk.physics.catenary_pieces_bed import Pulled, bed_tension, stretch_of_pieces


@kernel
def _point_when_slack(s, dx, dz, pieces, V_start):
    """As :func:`point_on_pieces`, for lines with pieces that carry nothing, which are drawn straight."""
    L, flexibility, w, load = pieces
    gap_x, gap_z, slack = slack_gap(dx, dz, V_start, pieces)
    first = x = z = weight = 0.0
    V = V_start
    for i in range(L.size):
        length = min(L[i], s - first)
        V = V_start + weight
        if w[i] == 0.0 and V == 0.0:
            x += gap_x * length / slack
            z += gap_z * length / slack
        else:
            z += arc(length, 0.0, V, w[i], flexibility[i])[1]
        V += w[i] * length
        first += L[i]
        if first >= s:
            break
        weight += w[i] * L[i]
        if i < load.size:
            weight += load[i]
    return x, z, 0.0, V


@kernel
def point_on_pieces(s, dx, dz, line, CB, status, solution):
    r"""Position and force of a line of pieces at s: x, z from A (m), and H, V (N) of n(s).

    .. math:: x = \int_0^s \left(\frac{H}{T} + \frac{H}{EA}\right) ds', \qquad z = \int_0^s \left(\frac{V}{T}
              + \frac{V}{EA}\right) ds'

    Source: as ``solve_pieces``, whose `line`, `status` and filled row `solution` it reads. At a junction
    the force is that just before its load. Slack parts are drawn as by ``point_on_line``.
    """
    L, EA, w, load = line
    flexibility = 1.0 / EA
    pieces = Pieces(L, flexibility, w, load)
    length = whole_length(pieces)
    if status == SLACK_NEUTRAL:
        return _point_when_slack(s, dx, dz, pieces, solution.v_a)
    H = max(solution.h_a, solution.h_b)
    start = solution.ground_start
    end = solution.ground_end
    on_bed = status in (GROUNDED, SLACK_ON_BED)
    weight_b = net_weight(pieces) - solution.v_b
    pulled = Pulled(CB, -solution.v_a, weight_b, start > 0.0, end < length)
    weight = first = x = z = 0.0
    h = solution.h_a
    v = solution.v_a
    for i in range(L.size):
        lo = first
        hi = min(first + L[i], s)
        split = min(max(start, lo), hi) if on_bed else hi
        if split > lo or not on_bed:
            v = solution.v_a + weight + w[i] * (split - first)
            part = L[i] if not on_bed and first + L[i] <= s else split - lo
            a, b = arc(part, H, solution.v_a + weight, w[i], flexibility[i])
            x += a
            z += b
            h = H
        if on_bed and hi > split and split < end:
            v = 0.0
            h = max(bed_tension(weight + w[i] * (min(hi, end) - first), H, pulled), 0.0)
        if on_bed and hi > max(end, lo):
            lo = max(end, lo)
            u = weight + w[i] * (lo - first) - weight_b
            a, b = arc(hi - lo, H, u, w[i], flexibility[i])
            x += a
            z += b
            v = u + w[i] * (hi - lo)
            h = H
        first += L[i]
        weight += w[i] * L[i]
        if first >= s:
            break
        if i < load.size:
            weight += load[i]
    if on_bed and s > start:
        here = min(s, end)
        if status == SLACK_ON_BED:
            x += dx * (here - start) / (end - start) if end > start else 0.0
        else:
            x += (here - start) + stretch_of_pieces(start, here, H, pulled, pieces)[0]
    return x, z, h, v


@kernel
def pieces_shape(s, dx, dz, line, CB, status, solution):
    """As :func:`point_on_pieces` at every s (n,); returns (n, 4) with x, z (m) and H, V (N)."""
    rows = np.empty((s.size, 4))
    for i in range(s.size):
        x, z, H, V = point_on_pieces(s[i], dx, dz, line, CB, status, solution)
        rows[i, 0] = x
        rows[i, 1] = z
        rows[i, 2] = H
        rows[i, 3] = V
    return rows
