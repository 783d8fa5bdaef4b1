r"""A line of several pieces in gravity, with point loads at its junctions, by sums of closed forms.

Conventions, friction and the columns of a solution: see :mod:`ropewalk.physics.catenary`; the pieces:
see :mod:`ropewalk.physics.catenary_pieces`. The unknowns are found by nested monotone equations: for
given H the vertical forces at the ends from the heights, and H from the span. Each is bracketed, so
the search cannot run away; the exact derivatives make it fast.

What is solved: lines that hang free, of any weights and loads; lines without buoyant parts that touch
the bed at one end or in the middle; lines with buoyant parts (lazy waves) of which the heavy stretch
next to the lower end lies on the bed, that end included. Other lines with buoyant parts that would
reach below the bed are refused as PENETRATES.
"""

from __future__ import annotations

import math

from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.catenary import MISS_LIMIT, fill_hanging, solve_line, weightless
from ropewalk.physics.catenary_free import (
    BAD_INPUT,
    MAX_ITERATIONS,
    NOT_CONVERGED,
    PENETRATES,
    QUADRATIC,
    SLACK_HANGING,
    SLACK_NEUTRAL,
    SUSPENDED,
    TOO_SHORT,
    clear,
    hanging,
)
from ropewalk.physics.catenary_pieces import (
    TIGHT,
    Pieces,
    compliance,
    compliance_determinant,
    force_step,
    gross_weight,
    hang,
    lowest,
    net_weight,
    slack_gap,
    tension_step,
    whole_length,
)
from ropewalk.physics.catenary_pieces_bed import pieces_on_bed
from ropewalk.physics.catenary_pieces_shape import pieces_shape, point_on_pieces

__all__ = ["pieces_shape", "point_on_pieces", "solve_pieces"]

TOUCH = 1.0e-12  # of the line's length: depth under the bed that is still no contact
NEARLY_NEUTRAL = 1.0e-3  # net over gross weight under which the gross weight gives the starting values
SMALLEST_START = 1.0e-9  # of the gross weight: least starting value of H


@kernel(**UNCOUNTED)
def _force_at_a(H, V, dz, reach, pieces):
    r"""Vertical force (N) at A for which the hanging line rises by dz, and :func:`hang` there.

    .. math:: z(H, V) = \Delta z \quad \text{at given } H

    Source: docs/theory/catenary.md, Several pieces: z rises with V. Newton with a bracket, :func:`force_step`.

    H, V : force at A, the latter a first guess, N    reach : first step of V, N    pieces : `Pieces`
    """
    lo = -math.inf
    hi = math.inf
    tolerance = TIGHT * whole_length(pieces)
    state = hang(H, V, pieces)
    for k in range(MAX_ITERATIONS):
        f = state.z - dz
        if abs(f) <= tolerance:
            break
        new, reach, lo, hi = force_step(V, f, state.z_V, reach, lo, hi, k)
        if new in (lo, hi):
            break
        V = new
        state = hang(H, V, pieces)
    return V, state


@kernel(**UNCOUNTED)
def _hang_free(dx, dz, H, V, reach, pieces):
    r"""H and V at A (N) of a line that hangs free between its ends, and :func:`hang` there; dx > 0.

    .. math:: x(H, V(H)) = \Delta x, \qquad \frac{dx}{dH} = \frac{x_H z_V - x_V^2}{z_V}

    Source: docs/theory/catenary.md, Several pieces: two nested monotone equations, each with a bracket.

    dx, dz : distances of the ends, m    reach, pieces : as :func:`_force_at_a`
    """
    lo = 0.0
    hi = math.inf
    tolerance = TIGHT * (whole_length(pieces) + dx)
    V, state = _force_at_a(H, V, dz, reach, pieces)
    for k in range(MAX_ITERATIONS):
        f = state.x - dx
        if abs(f) <= tolerance:
            break
        slope = compliance_determinant(H, V, state, pieces) / state.z_V
        new, step, lo, hi = tension_step(H, f, slope, lo, hi, k)
        if not lo < new < hi:
            break
        V -= state.x_V / state.z_V * (new - H)
        H = new
        V, state = _force_at_a(H, V, dz, reach, pieces)
        if abs(step) < QUADRATIC:
            break
    return H, V, state


@kernel(**UNCOUNTED)
def _start(dx, dz, pieces):
    """Starting values of H and of V at A (N): those of a uniform line of the same length, stiffness and weight.

    Source: :func:`ropewalk.physics.catenary_free.hanging` with EA = L / sum(L_i/EA_i) and w = W/L.

    dx, dz : distances of the ends, m    pieces : `Pieces`
    """
    length = whole_length(pieces)
    gross = gross_weight(pieces)
    net = net_weight(pieces)
    if abs(net) < NEARLY_NEUTRAL * gross:
        net = gross
    give = compliance(pieces)
    EA = length / give if give > 0.0 else math.inf
    up = math.copysign(1.0, net)
    _, H, V, _, _, _, _ = hanging(dx, up * dz, length, EA, abs(net) / length)
    return max(H, SMALLEST_START * gross), up * V


@kernel(**UNCOUNTED)
def _hang_pieces(dx, dz, pieces, out):
    r"""Fill `out` for a line of pieces that hangs free; returns the status.

    .. math:: K = \frac{1}{\det} \begin{pmatrix} z_V & -x_V \\ -x_V & x_H \end{pmatrix}, \qquad \det = x_H z_V - x_V^2

    Source: inverse of the compliance, docs/theory/catenary.md, Suspended.

    dx, dz : distances of the ends, m    pieces : `Pieces`    out : record of SOLUTION
    """
    H, V = _start(dx, dz, pieces)
    gross = gross_weight(pieces)
    if dx > 0.0:
        H, V, state = _hang_free(dx, dz, H, V, gross, pieces)
    else:
        H = 0.0
        V, state = _force_at_a(H, V, dz, gross, pieces)
    x, z, x_H, x_V, z_V = state
    kxx = kxz = kzz = 0.0
    status = SUSPENDED
    if math.isinf(x_H):  # two vertical legs: no stiffness against the first sideways move
        status = SLACK_HANGING
        kzz = 1.0 / z_V if z_V > 0.0 else 0.0
    else:
        det = compliance_determinant(H, V, state, pieces)
        if det > 0.0:
            kxx = z_V / det
            kxz = -x_V / det
            kzz = x_H / det
    fill_hanging(H, V, V + net_weight(pieces), kxx, kxz, kzz, out)
    out.miss = math.hypot(x - dx, z - dz)
    return status


@kernel(**UNCOUNTED)
def _slack_between(dx, dz, pieces, out):
    """True if a weightless piece carries nothing, so that the rest hangs straight down; fills the forces in `out`.

    Source: docs/theory/catenary.md, Terms: V = -W at A with H = 0, if the weightless piece can bridge the gap that is
    left.
    """
    L, w, load = pieces.L, pieces.w, pieces.load
    clear(out)
    weight = 0.0
    for i in range(L.size):
        if w[i] == 0.0:
            x, z, length = slack_gap(dx, dz, -weight, pieces)
            if length > 0.0 and math.hypot(x, z) <= length:
                out.v_a = -weight
                out.v_b = net_weight(pieces) - weight
                return True
        weight += w[i] * L[i]
        if i < load.size:
            weight += load[i]
    return False


@kernel(**UNCOUNTED)
def _free_pieces(pieces):
    """How many pieces, counted from B, come before the stretch at A that is heavy throughout. Bookkeeping."""
    w, load = pieces.w, pieces.load
    n = w.size
    for i in range(n):
        if w[i] <= 0.0:
            return n - i
        if i < load.size and load[i] < 0.0:
            return n - 1 - i
    return 0


@kernel
def _touch_down(dx, CB, h_a, h_b, pieces, out):
    """Fill `out` for a line whose free shape would reach below the bed; returns the status.

    Source: docs/theory/catenary.md, Several pieces: w > 0 throughout, or the heavy pieces next to the lower end; the
    search starts at H = max(H_A, SMALLEST_START W), W the gross weight (N).

    dx : distance of the ends, m    CB : friction coefficient    h_a, h_b : heights of the ends above the bed, m
    """
    H = max(out.h_a, SMALLEST_START * gross_weight(pieces))
    if _free_pieces(pieces) == 0:
        return pieces_on_bed(dx, H, h_a, h_b, 0, CB, pieces, out)
    if h_a <= 0.0 < h_b:
        return _lazy_wave(dx, H, CB, h_b, pieces, out)
    if h_b <= 0.0 < h_a:
        L, flexibility, w, load = pieces
        mirrored = Pieces(L[::-1].copy(), flexibility[::-1].copy(), w[::-1].copy(), load[::-1].copy())
        status = _lazy_wave(dx, H, CB, h_a, mirrored, out)
        _reverse(whole_length(pieces), out)
        return status
    return PENETRATES


@kernel(**UNCOUNTED)
def _lazy_wave(dx, H, CB, h, pieces, out):
    """Fill `out` for a line with buoyant parts whose heavy stretch at A, on the bed, stays there in part.

    Source: docs/theory/catenary.md, Several pieces; refused if z < 0 (m) anywhere beyond the touchdown.

    dx, h : horizontal distance of the ends and height of B, m    H : first guess, N    CB : friction coefficient
    """
    n_free = _free_pieces(pieces)
    status = pieces_on_bed(dx, H, 0.0, h, n_free, CB, pieces, out)
    if status > 0:
        deep = lowest(out.ground_end, out.h_b, out.v_b - net_weight(pieces), 0.0, pieces)
        if deep < -TOUCH * whole_length(pieces) or not out.miss <= MISS_LIMIT * (whole_length(pieces) + dx):
            return PENETRATES
    return status


@kernel
def _reverse(length, out):
    """Turn a solution counted from B into one counted from A (N, m, N/m).

    Source: mirror image: H_A = H_B', V_A = -V_B', s = L - s'.

    length : of the line, m    out : record of SOLUTION
    """
    out.h_a, out.h_b = out.h_b, out.h_a
    out.v_a, out.v_b = -out.v_b, -out.v_a
    out.ground_start, out.ground_end = length - out.ground_end, length - out.ground_start
    k = out.stiffness.copy()
    for j in range(3):
        q = (0, 2, 1)[j]
        out.stiffness[0, j] = k[2, q]
        out.stiffness[1, j] = -k[3, q]
        out.stiffness[2, j] = k[0, q]
        out.stiffness[3, j] = -k[1, q]


@kernel
def solve_pieces(dx, dz, line, CB, height, out):
    r"""Forces, stiffness and touchdown of a line of several pieces in gravity; returns the status.

    .. math:: \sum_i x_i(H, V_i) = \Delta x, \qquad \sum_i z_i(H, V_i) = \Delta z, \qquad V_{i+1} = V_i + w_i L_i + P_i

    Source: sums of the closed forms of [Irvine1981] and [Jonkman2007] over the pieces.

    dx, dz, CB, height, out : as in :func:`ropewalk.physics.catenary.solve_line`
    line : L, EA, w, load, of which the first three are (n,) unstretched length (m), axial stiffness (N, may be
    infinite) and net weight (N/m) of the pieces from A to B, the last (n - 1,) net weight (N, down) at the junctions
    """
    L, EA, w, load = line
    if L.size == 1:
        return solve_line(dx, dz, L[0], EA[0], w[0], CB, height, out)
    clear(out)
    if not _valid(dx, dz, line, CB, height):
        return BAD_INPUT
    pieces = Pieces(L.copy(), 1.0 / EA, w.copy(), load.copy())  # one type below, whether they can be written to or not
    length = whole_length(pieces)
    if gross_weight(pieces) == 0.0:
        give = compliance(pieces)
        status = weightless(dx, dz, length, length / give if give > 0.0 else math.inf, out)
    else:
        status = _weighted(dx, dz, pieces, CB, height, out)
    if status < 0:
        clear(out)
    elif not out.miss <= MISS_LIMIT * (length + dx):
        clear(out)
        return NOT_CONVERGED
    return status


@kernel(**UNCOUNTED)
def _valid(dx, dz, line, CB, height):
    """True if every number of a line of pieces is in its range. Bookkeeping."""
    L, EA, w, load = line
    good = dx >= 0.0 and CB >= 0.0 and math.isfinite(dx + dz + CB) and not math.isnan(height)
    for i in range(L.size):
        good = good and L[i] > 0.0 and EA[i] > 0.0 and math.isfinite(L[i] + w[i])
    for i in range(load.size):
        good = good and math.isfinite(load[i])
    return good


@kernel
def _weighted(dx, dz, pieces, CB, height, out):
    """As :func:`solve_pieces`, for lines that are not weightless throughout."""
    length = whole_length(pieces)
    bed = height < math.inf
    h_a = height
    h_b = height + dz
    if bed and min(h_a, h_b) <= 0.0:
        h_a = max(-dz, 0.0)
        h_b = max(dz, 0.0)
        if h_a == h_b and _free_pieces(pieces) == 0:
            return pieces_on_bed(dx, gross_weight(pieces), h_a, h_b, 0, CB, pieces, out)
    chord = math.hypot(dx, dz)
    if compliance(pieces) == 0.0 and (chord > length or (chord == length and dx > 0.0)):
        return TOO_SHORT
    rise = 0.0
    if _slack_between(dx, dz, pieces, out):
        status = SLACK_NEUTRAL
        _, gap, slack = slack_gap(dx, dz, out.v_a, pieces)
        rise = gap / slack
    else:
        status = _hang_pieces(dx, dz, pieces, out)
    if bed and lowest(0.0, out.h_a, out.v_a, rise, pieces) < -h_a - TOUCH * length:
        return _touch_down(dx, CB, h_a, h_b, pieces, out)
    return status
