"""A line of several pieces that rests on the bed in part.

Conventions, and which way the friction acts: see :mod:`ropewalk.physics.catenary`; the pieces: see
:mod:`ropewalk.physics.catenary_pieces`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.catenary_free import (
    GROUNDED,
    MAX_ITERATIONS,
    QUADRATIC,
    SLACK_ON_BED,
    TOO_SHORT,
)
from ropewalk.physics.catenary_pieces import (
    TIGHT,
    Leg,
    compliance,
    flexibility_at,
    force_step,
    gross_weight,
    leg_of_pieces,
    net_weight,
    tension_step,
    whole_length,
)

LOWEST = 1.0e-30  # of the gross weight: no H is sought below it, as the span no longer depends on it
HIGHEST = 1.0e30  # of the gross weight: nor above this


class Pulled(NamedTuple):
    """What the tension on the bed depends on, beside H."""

    CB: float  # friction coefficient
    weight_a: float  # N, of the line up to the touchdown on the side of A
    weight_b: float  # and on that of B
    by_a: bool  # end A is above the bed
    by_b: bool


class Ends(NamedTuple):
    """What is given of a line on the bed, beside its pieces."""

    h_a: float  # m, of end A above the bed
    h_b: float
    least_b: float  # N, vertical force at B at least: the weight of the free pieces
    n_free: int  # pieces at B that hang whatever the force is
    CB: float  # friction coefficient


class OnBed(NamedTuple):
    """A line on the bed under a given H, and its derivatives."""

    va: float  # N, vertical force at A
    vb: float
    a: Leg
    b: Leg
    span: float  # m
    slope: float  # m/N, of the span by H at given heights
    x_va: float  # m/N, by va at given H
    x_vb: float


@kernel(**UNCOUNTED)
def _clipped(p, q):
    r"""Mean over a stretch of max(n, 0), n linear from p to q, and the fraction of it where n > 0.

    .. math:: \int_0^1 \max(p + (q - p)\,x,\, 0)\,dx

    Source: area of a triangle or trapezium, docs/theory/catenary.md, Friction.
    """
    if p >= 0.0 and q >= 0.0:
        return 0.5 * (p + q), 1.0
    top = max(p, q)
    if top <= 0.0:
        return 0.0, 0.0
    fraction = top / abs(p - q)
    return 0.5 * top * fraction, fraction


@kernel(**UNCOUNTED)
def bed_tension(weight, H, pulled):
    r"""Tension (N) on the bed before it is cut off at zero, at a point with `weight` of line before it.

    .. math:: n = H - C_B\, \Delta W

    with the weight that lies between the point and the touchdown from which the line is pulled, the nearer of two.
    Source: docs/theory/catenary.md, Friction; [Jonkman2007], eq. 2-38.
    pulled : `Pulled`
    """
    CB, weight_a, weight_b, pulled_a, pulled_b = pulled
    if pulled_a == pulled_b:
        return H - CB * min(weight - weight_a, weight_b - weight)
    return H - CB * (weight_b - weight if pulled_b else weight - weight_a)


@kernel(**UNCOUNTED)
def stretch_of_pieces(start, end, H, pulled, pieces):
    r"""Elongation (m) of the stretch of s from `start` to `end` on the bed.

    .. math:: \int \frac{\max(H - C_B |W - W_t|, 0)}{EA}\, ds,

    W the weight of the line up to s, t the touchdown from which it was pulled: the friction of point
    loads on the bed is in it. Source: [Jonkman2007], mooring model, for several pieces.

    Returns it and its derivative by H, split between the parts pulled from A and from B.
    """
    L, flexibility, w, load = pieces
    total = by_a = by_b = 0.0
    middle = 0.5 * (pulled.weight_a + pulled.weight_b)
    first = 0.0
    weight = 0.0
    both = pulled.by_a == pulled.by_b
    for i in range(L.size):
        lo = max(first, start)
        hi = min(first + L[i], end)
        if hi > lo:
            w_lo = weight + w[i] * (lo - first)
            w_hi = weight + w[i] * (hi - first)
            cut = hi if pulled.by_a else lo
            if both:
                cut = lo if w_lo >= middle else hi if w_hi <= middle else lo + (middle - w_lo) / w[i]
            w_cut = weight + w[i] * (cut - first)
            # up to the cut pulled from A, beyond it from B
            for side in range(2):
                p = w_lo if side == 0 else w_cut
                q = w_cut if side == 0 else w_hi
                length = cut - lo if side == 0 else hi - cut
                if length <= 0.0:
                    continue
                mean, active = _clipped(bed_tension(p, H, pulled), bed_tension(q, H, pulled))
                total += flexibility[i] * length * mean
                if side == 0:
                    by_a += flexibility[i] * length * active
                else:
                    by_b += flexibility[i] * length * active
        first += L[i]
        weight += w[i] * L[i]
        if i < load.size:
            weight += load[i]
    return total, by_a, by_b


@kernel(**UNCOUNTED)
def _force_of_leg(H, V, h, least, reach, from_b, n_free, pieces):
    """Vertical force (N) at the end of a leg of height h, not below `least`, and :func:`leg_of_pieces` there.

    .. math:: Z(H, V) = h

    Source: docs/theory/catenary.md, On a flat bed: Z rises with V. Newton with a bracket, :func:`force_step`.
    """
    if h <= 0.0:
        return 0.0, leg_of_pieces(H, 0.0, from_b, 0, pieces)
    lo = least
    hi = math.inf
    tolerance = TIGHT * whole_length(pieces)
    V = max(V, least)
    state = leg_of_pieces(H, V, from_b, n_free, pieces)
    for k in range(MAX_ITERATIONS):
        f = state.Z - h
        if abs(f) <= tolerance:
            break
        new, reach, lo, hi = force_step(V, f, state.Z_V, reach, lo, hi, k)
        if new in (lo, hi):
            break
        V = new
        state = leg_of_pieces(H, V, from_b, n_free, pieces)
    return V, state


@kernel(**UNCOUNTED)
def _bed_state(H, va, vb, ends, pieces):
    r"""Legs, span and derivatives of a line on the bed for given H; va and vb are starting values.

    .. math:: x = X_A + X_B + g + \delta(H, g)

    Source: docs/theory/catenary.md, On a flat bed, summed over pieces.

    Returns `OnBed` (N, m, m/N).    ends : `Ends`
    """
    CB = ends.CB
    gross = gross_weight(pieces)
    va, a = _force_of_leg(H, va, ends.h_a, 0.0, gross, False, 0, pieces)
    vb, b = _force_of_leg(H, vb, ends.h_b, ends.least_b, gross, True, ends.n_free, pieces)
    length = whole_length(pieces)
    end = length - b.S
    pulled = Pulled(CB, va, net_weight(pieces) - vb, ends.h_a > 0.0, ends.h_b > 0.0)
    stretch, by_a, by_b = stretch_of_pieces(a.S, end, H, pulled, pieces)
    span = a.X + b.X + (end - a.S) + stretch
    x_va = a.X_V - a.S_V * (1.0 + H * flexibility_at(a.S, pieces)) + CB * by_a
    x_vb = b.X_V - b.S_V * (1.0 + H * flexibility_at(end, pieces)) + CB * by_b
    slope = a.X_H + b.X_H + by_a + by_b
    if a.Z_V > 0.0:
        slope -= x_va * a.Z_H / a.Z_V
    if b.Z_V > 0.0:
        slope -= x_vb * b.Z_H / b.Z_V
    return OnBed(va, vb, a, b, span, slope, x_va, x_vb)


@kernel(**UNCOUNTED)
def _bed_tension_of_pieces(dx, H, ends, pieces):
    r"""Horizontal force (N) at the touchdowns for which the span is dx, and :func:`_bed_state` there.

    .. math:: x(H) = \Delta x

    Source: docs/theory/catenary.md, On a flat bed: x rises with H. Newton with a bracket, :func:`tension_step`.
    """
    lo = 0.0
    hi = math.inf
    tolerance = TIGHT * (whole_length(pieces) + dx)
    gross = gross_weight(pieces)
    state = _bed_state(H, 0.0, 0.0, ends, pieces)
    for k in range(MAX_ITERATIONS):
        f = state.span - dx
        if abs(f) <= tolerance:
            break
        new, step, lo, hi = tension_step(H, f, state.slope, lo, hi, k)
        if not lo < new < hi or not LOWEST * gross < new < HIGHEST * gross:
            break
        a, b = state.a, state.b
        va = state.va - (a.Z_H / a.Z_V * (new - H) if a.Z_V > 0.0 else 0.0)
        vb = state.vb - (b.Z_H / b.Z_V * (new - H) if b.Z_V > 0.0 else 0.0)
        H = new
        state = _bed_state(H, va, vb, ends, pieces)
        if abs(step) < QUADRATIC:
            break
    return H, state


@kernel(**UNCOUNTED)
def pieces_on_bed(dx, H, h_a, h_b, n_free, CB, pieces, out):
    r"""Fill `out` for a line of pieces that rests on the bed; returns the status. End A is low if `n_free` > 0.

    .. math:: x(H) = \Delta x, \qquad \frac{\partial H}{\partial q} = \frac{1}{x_H}
              \left(\frac{\partial \Delta x}{\partial q} - x_{V_A} \frac{\partial V_A}{\partial q}
              - x_{V_B} \frac{\partial V_B}{\partial q}\right)

    Source: docs/theory/catenary.md, On a flat bed and Friction.

    dx : horizontal distance of the ends, m    H : first guess, N    h_a, h_b : heights of the ends above the bed, m
    CB : friction coefficient
    """
    L, w, load = pieces.L, pieces.w, pieces.load
    least = 0.0
    for j in range(n_free):
        i = L.size - 1 - j
        least += w[i] * L[i] + (load[i - 1] if i > 0 else 0.0)
    ends = Ends(h_a, h_b, least, n_free, CB)
    state = _bed_state(0.0, 0.0, 0.0, ends, pieces)
    slack = dx <= state.span
    if slack:
        H = 0.0
    elif compliance(pieces) == 0.0 and dx >= whole_length(pieces):
        return TOO_SHORT
    else:
        H, state = _bed_tension_of_pieces(dx, H, ends, pieces)
    va, vb, a, b, span, slope, x_va, x_vb = state
    length = whole_length(pieces)
    low_a = h_a <= 0.0 < h_b
    low_b = h_b <= 0.0 < h_a
    weight = net_weight(pieces) - vb - va
    anchored = max(H - CB * weight, 0.0)
    out.h_a = anchored if low_a else H
    out.h_b = anchored if low_b else H
    out.v_a = -va
    out.v_b = vb
    out.ground_start = a.S
    out.ground_end = max(length - b.S, a.S)
    miss_a = a.Z - h_a if h_a > 0.0 else 0.0
    miss_b = b.Z - h_b if h_b > 0.0 else 0.0
    out.miss = math.sqrt((0.0 if slack else span - dx) ** 2 + miss_a**2 + miss_b**2)
    for j in range(3):
        ha_q = 1.0 / a.Z_V if j == 1 and a.Z_V > 0.0 else 0.0
        hb_q = 1.0 / b.Z_V if j == 2 and b.Z_V > 0.0 else 0.0
        H_q = 0.0
        if not slack and slope > 0.0:
            H_q = ((1.0 if j == 0 else 0.0) - x_va * ha_q - x_vb * hb_q) / slope
        va_q = ha_q - (a.Z_H / a.Z_V * H_q if a.Z_V > 0.0 else 0.0)
        vb_q = hb_q - (b.Z_H / b.Z_V * H_q if b.Z_V > 0.0 else 0.0)
        end_q = H_q + CB * (va_q + vb_q) if anchored > 0.0 else 0.0
        out.stiffness[0, j] = end_q if low_a else H_q
        out.stiffness[1, j] = -va_q
        out.stiffness[2, j] = end_q if low_b else H_q
        out.stiffness[3, j] = vb_q
    return SLACK_ON_BED if slack else GROUNDED
