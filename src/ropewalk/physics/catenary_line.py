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

__all__ = ["pieces_shape", "point_on_pieces", "solve_many_pieces", "solve_pieces"]

TOUCH = 1.0e-12  # of the line's length: depth under the bed that is still no contact
NEARLY_NEUTRAL = 1.0e-3  # net over gross weight under which the gross weight gives the starting values
SMALLEST_START = 1.0e-9  # of the gross weight: least starting value of H


@kernel(**UNCOUNTED)
def _force_at_a(H, V, dz, reach, L, flexibility, w, load):
    r"""Vertical force (N) at A for which the hanging line rises by dz, and :func:`hang` there.

    .. math:: z(H, V) = \Delta z \quad \text{at given } H

    Source: docs/theory/catenary.md, Several pieces: z rises with V. Newton with a bracket, :func:`force_step`.
    """
    lo = -math.inf
    hi = math.inf
    tolerance = TIGHT * whole_length(L)
    state = hang(H, V, L, flexibility, w, load)
    for k in range(MAX_ITERATIONS):
        f = state[1] - dz
        if abs(f) <= tolerance:
            break
        new, reach, lo, hi = force_step(V, f, state[4], reach, lo, hi, k)
        if new in (lo, hi):
            break
        V = new
        state = hang(H, V, L, flexibility, w, load)
    return V, state


@kernel(**UNCOUNTED)
def _hang_free(dx, dz, H, V, reach, L, flexibility, w, load):
    r"""H and V at A (N) of a line that hangs free between its ends, and :func:`hang` there; dx > 0.

    .. math:: x(H, V(H)) = \Delta x, \qquad \frac{dx}{dH} = \frac{x_H z_V - x_V^2}{z_V}

    Source: docs/theory/catenary.md, Several pieces: two nested monotone equations, each with a bracket.
    """
    lo = 0.0
    hi = math.inf
    tolerance = TIGHT * (whole_length(L) + dx)
    V, state = _force_at_a(H, V, dz, reach, L, flexibility, w, load)
    for k in range(MAX_ITERATIONS):
        f = state[0] - dx
        if abs(f) <= tolerance:
            break
        slope = compliance_determinant(H, V, state[2], state[3], state[4], L, flexibility, w, load) / state[4]
        new, step, lo, hi = tension_step(H, f, slope, lo, hi, k)
        if not lo < new < hi:
            break
        V -= state[3] / state[4] * (new - H)
        H = new
        V, state = _force_at_a(H, V, dz, reach, L, flexibility, w, load)
        if abs(step) < QUADRATIC:
            break
    return H, V, state


@kernel(**UNCOUNTED)
def _start(dx, dz, L, flexibility, w, load):
    """Starting values of H and of V at A (N): those of a uniform line of the same length, stiffness and weight.

    Source: :func:`ropewalk.physics.catenary_free.hanging` with EA = L / sum(L_i/EA_i) and w = W/L.
    """
    length = whole_length(L)
    gross = gross_weight(L, w, load)
    net = net_weight(L, w, load)
    if abs(net) < NEARLY_NEUTRAL * gross:
        net = gross
    give = compliance(L, flexibility)
    EA = length / give if give > 0.0 else math.inf
    up = math.copysign(1.0, net)
    _, H, V, _, _, _, _ = hanging(dx, up * dz, length, EA, abs(net) / length)
    return max(H, SMALLEST_START * gross), up * V


@kernel(**UNCOUNTED)
def _hang_pieces(dx, dz, L, flexibility, w, load, out):
    r"""Fill `out` for a line of pieces that hangs free; returns the status.

    .. math:: K = \frac{1}{\det} \begin{pmatrix} z_V & -x_V \\ -x_V & x_H \end{pmatrix}, \qquad \det = x_H z_V - x_V^2

    Source: inverse of the compliance, docs/theory/catenary.md, Suspended.
    """
    H, V = _start(dx, dz, L, flexibility, w, load)
    gross = gross_weight(L, w, load)
    if dx > 0.0:
        H, V, state = _hang_free(dx, dz, H, V, gross, L, flexibility, w, load)
    else:
        H = 0.0
        V, state = _force_at_a(H, V, dz, gross, L, flexibility, w, load)
    x, z, x_H, x_V, z_V = state
    kxx = kxz = kzz = 0.0
    status = SUSPENDED
    if math.isinf(x_H):  # two vertical legs: no stiffness against the first sideways move
        status = SLACK_HANGING
        kzz = 1.0 / z_V if z_V > 0.0 else 0.0
    else:
        det = compliance_determinant(H, V, x_H, x_V, z_V, L, flexibility, w, load)
        if det > 0.0:
            kxx = z_V / det
            kxz = -x_V / det
            kzz = x_H / det
    fill_hanging(H, V, V + net_weight(L, w, load), kxx, kxz, kzz, out)
    out.miss = math.hypot(x - dx, z - dz)
    return status


@kernel(**UNCOUNTED)
def _slack_between(dx, dz, L, flexibility, w, load, out):
    """True if a weightless piece carries nothing, so that the rest hangs straight down; fills the forces in `out`.

    Source: docs/theory/catenary.md, Terms: V = -W at A with H = 0, if the weightless piece can bridge the gap that is
    left.
    """
    clear(out)
    weight = 0.0
    for i in range(L.size):
        if w[i] == 0.0:
            x, z, length = slack_gap(dx, dz, -weight, L, flexibility, w, load)
            if length > 0.0 and math.hypot(x, z) <= length:
                out.v_a = -weight
                out.v_b = net_weight(L, w, load) - weight
                return True
        weight += w[i] * L[i]
        if i < load.size:
            weight += load[i]
    return False


@kernel(**UNCOUNTED)
def _free_pieces(L, w, load):
    """How many pieces, counted from B, come before the stretch at A that is heavy throughout. Bookkeeping."""
    n = L.size
    for i in range(n):
        if w[i] <= 0.0:
            return n - i
        if i < load.size and load[i] < 0.0:
            return n - 1 - i
    return 0


@kernel
def _touch_down(dx, CB, h_a, h_b, L, flexibility, w, load, out):
    """Fill `out` for a line whose free shape would reach below the bed; returns the status.

    Source: docs/theory/catenary.md, Several pieces: w > 0 throughout, or the heavy pieces next to the lower end; the
    search starts at H = max(H_A, SMALLEST_START W), W the gross weight (N).
    """
    H = max(out.h_a, SMALLEST_START * gross_weight(L, w, load))
    if _free_pieces(L, w, load) == 0:
        return pieces_on_bed(dx, H, h_a, h_b, 0, CB, L, flexibility, w, load, out)
    if h_a <= 0.0 < h_b:
        return _lazy_wave(dx, H, CB, h_b, L, flexibility, w, load, out)
    if h_b <= 0.0 < h_a:
        status = _lazy_wave(
            dx, H, CB, h_a, L[::-1].copy(), flexibility[::-1].copy(), w[::-1].copy(), load[::-1].copy(), out
        )
        _reverse(whole_length(L), out)
        return status
    return PENETRATES


@kernel(**UNCOUNTED)
def _lazy_wave(dx, H, CB, h, L, flexibility, w, load, out):
    """Fill `out` for a line with buoyant parts whose heavy stretch at A, on the bed, stays there in part.

    Source: docs/theory/catenary.md, Several pieces; refused if z < 0 (m) anywhere beyond the touchdown.
    """
    n_free = _free_pieces(L, w, load)
    status = pieces_on_bed(dx, H, 0.0, h, n_free, CB, L, flexibility, w, load, out)
    if status > 0:
        deep = lowest(out.ground_end, out.h_b, out.v_b - net_weight(L, w, load), 0.0, L, flexibility, w, load)
        if deep < -TOUCH * whole_length(L) or not out.miss <= MISS_LIMIT * (whole_length(L) + dx):
            return PENETRATES
    return status


@kernel
def _reverse(length, out):
    """Turn a solution counted from B into one counted from A (N, m, N/m).

    Source: mirror image: H_A = H_B', V_A = -V_B', s = L - s'.
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
def solve_pieces(dx, dz, L, EA, w, load, CB, height, out):
    r"""Forces, stiffness and touchdown of a line of several pieces in gravity; returns the status.

    .. math:: \sum_i x_i(H, V_i) = \Delta x, \qquad \sum_i z_i(H, V_i) = \Delta z, \qquad V_{i+1} = V_i + w_i L_i + P_i

    Source: sums of the closed forms of [Irvine1981] and [Jonkman2007] over the pieces.

    dx, dz, CB, height, out : as in :func:`ropewalk.physics.catenary.solve_line`
    L, EA, w : (n,) unstretched length (m), axial stiffness (N, may be infinite) and net weight (N/m) of
    the pieces from A to B    load : (n - 1,) net weight (N, down) at the junctions
    """
    if L.size == 1:
        return solve_line(dx, dz, L[0], EA[0], w[0], CB, height, out)
    clear(out)
    if not _valid(dx, dz, L, EA, w, load, CB, height):
        return BAD_INPUT
    L, w, load = L.copy(), w.copy(), load.copy()  # one type below, whether they can be written to or not
    flexibility = 1.0 / EA
    length = whole_length(L)
    if gross_weight(L, w, load) == 0.0:
        give = compliance(L, flexibility)
        status = weightless(dx, dz, length, length / give if give > 0.0 else math.inf, out)
    else:
        status = _weighted(dx, dz, L, flexibility, w, load, CB, height, out)
    if status < 0:
        clear(out)
    elif not out.miss <= MISS_LIMIT * (length + dx):
        clear(out)
        return NOT_CONVERGED
    return status


@kernel
def solve_many_pieces(dx, dz, first, L, EA, w, load, CB, height, status, out):
    """As :func:`solve_pieces` for n lines whose pieces lie end to end, those of line i in first[i]:first[i + 1].

    first : (n + 1,) integers    L, EA, w, load : one value per piece; load of a line's last piece is not read
    Fills `status` (n,) and `out` (n,) of SOLUTION; the other arguments are (n,).
    """
    for i in range(dx.size):
        a = first[i]
        b = first[i + 1]
        status[i] = solve_pieces(dx[i], dz[i], L[a:b], EA[a:b], w[a:b], load[a : b - 1], CB[i], height[i], out[i])


@kernel(**UNCOUNTED)
def _valid(dx, dz, L, EA, w, load, CB, height):
    """True if every number of a line of pieces is in its range. Bookkeeping."""
    good = dx >= 0.0 and CB >= 0.0 and math.isfinite(dx + dz + CB) and not math.isnan(height)
    for i in range(L.size):
        good = good and L[i] > 0.0 and EA[i] > 0.0 and math.isfinite(L[i] + w[i])
    for i in range(load.size):
        good = good and math.isfinite(load[i])
    return good


@kernel
def _weighted(dx, dz, L, flexibility, w, load, CB, height, out):
    """As :func:`solve_pieces`, for lines that are not weightless throughout."""
    length = whole_length(L)
    bed = height < math.inf
    h_a = height
    h_b = height + dz
    if bed and min(h_a, h_b) <= 0.0:
        h_a = max(-dz, 0.0)
        h_b = max(dz, 0.0)
        if h_a == h_b and _free_pieces(L, w, load) == 0:
            return pieces_on_bed(dx, gross_weight(L, w, load), h_a, h_b, 0, CB, L, flexibility, w, load, out)
    chord = math.hypot(dx, dz)
    if compliance(L, flexibility) == 0.0 and (chord > length or (chord == length and dx > 0.0)):
        return TOO_SHORT
    rise = 0.0
    if _slack_between(dx, dz, L, flexibility, w, load, out):
        status = SLACK_NEUTRAL
        _, gap, slack = slack_gap(dx, dz, out.v_a, L, flexibility, w, load)
        rise = gap / slack
    else:
        status = _hang_pieces(dx, dz, L, flexibility, w, load, out)
    if bed and lowest(0.0, out.h_a, out.v_a, rise, L, flexibility, w, load) < -h_a - TOUCH * length:
        return _touch_down(dx, CB, h_a, h_b, L, flexibility, w, load, out)
    return status
