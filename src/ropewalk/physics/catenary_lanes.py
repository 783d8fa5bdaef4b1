r"""Many uniform lines at once: the closed forms of catenary.py, side by side in vector registers.

Lines are sorted by regime: those that hang free, and those with one end on the bed and a grounded part next to it.
Each kind goes through the same equations as in catenary_free.py and catenary_bed.py, `ABREAST` lines at a time, and a
line whose equation is solved waits for the others of its group without change: its bits are its own. What is rare (no
weight, no span, slack, both ends on the bed or a sag that touches it, a search that does not end) goes to
:func:`ropewalk.physics.catenary.solve_line`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.compile import FUSED, UNCOUNTED, kernel
from ropewalk.numerics.lane_functions import cube_root, exp_of, log1p_of, log_of
from ropewalk.numerics.lanes import all_of, any_of, lane_dtype, lane_records, where
from ropewalk.physics.catenary_bed import FLAT, NOISE, ROUND_OFF
from ropewalk.physics.catenary_free import GROUNDED, LOG_GUESS_ABOVE, QUADRATIC, SERIES_BELOW, SUSPENDED

Ints = NDArray[np.int64]

ABREAST = 8  # lines; two registers of AVX2 or one of AVX-512: one search waits while the other computes
MOST_ITERATIONS = 25  # a search that needs more is left to `solve_line`
LEAST_SPAN = 1.0e-9  # of the length; below it starting values are not for lanes
MOST_LAMBDA = 300.0  # above it squares of hyperbolic functions leave the range of doubles
NO_BOUND = 1.0e300  # N, in place of infinity
CUBIC_STEPS = 3  # of Newton's method, for a starting value to a few per cent
LEAST_CUBE = 1.0e-250  # under cube roots
MISS_LIMIT = 1.0e-9  # of L + dx: what is called solved
ODD, HANGS, STANDS = 0, 1, 2  # lines as far as their ends show it: see `_regime`
STEEPEST = 30.0  # argument of cosh in a starting value

# series of sinh q - q over q^3/6 and of q cosh q - sinh q over q^3/3, in q^2
S1, S2, S3, S4, S5, S6 = 1 / 20, 1 / 840, 1 / 60480, 1 / 6652800, 1 / 1037836800, 1 / 217945728000
Q1, Q2, Q3, Q4, Q5, Q6 = 1 / 10, 1 / 280, 1 / 15120, 1 / 1330560, 1 / 172972800, 1 / 31135104000

# what a group of lines is given, and what it gives: `ABREAST` numbers each
GIVEN = lane_dtype(
    np.dtype(
        [
            ("span", "f8"),  # m
            ("rise", "f8"),  # of B over A, m
            ("length", "f8"),  # m
            ("flexibility", "f8"),  # 1/EA, 1/N
            ("weight", "f8"),  # N/m
            ("friction", "f8"),  # coefficient
            ("height", "f8"),  # of A above the bed, m; infinite where the line cannot sag onto it
        ]
    ),
    ABREAST,
)
FOUND = lane_dtype(
    np.dtype(
        [
            ("good", "f8"),  # 1 if it is solved; other lines go to `solve_line`
            ("miss", "f8"),  # m
            ("force_a", "f8", (2,)),  # H and V at A, N; at the touchdown of a line on the bed
            ("force_b", "f8", (2,)),
            ("anchored", "f8"),  # H at the end on the bed, N
            ("stiffness", "f8", (6,)),  # hanging: xx, xz, zz; on the bed: of H, of the anchored end, of V by dx and h
        ]
    ),
    ABREAST,
)


class Queue(NamedTuple):
    """Numbers of lines by regime, each with room for all."""

    odd: Ints  # for `solve_line`
    hang: Ints
    rest: Ints  # with a part on the bed beside the end there
    stand: Ints  # with one end on the bed, not yet known whether they rest


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _series(q):
    """sinh q - q and q cosh q - sinh q of 0 < q <= SERIES_BELOW (no unit), as in `hyperbolic`.

    Source: :func:`ropewalk.physics.catenary_free.hyperbolic`: sinh q - q = q^3/6 (1 + q^2/20 (1 + ...)).
    """
    y = q * q
    d = 1.0 + y * (S1 + y * (S2 + y * (S3 + y * (S4 + y * (S5 + y * S6)))))
    e = 1.0 + y * (Q1 + y * (Q2 + y * (Q3 + y * (Q4 + y * (Q5 + y * Q6)))))
    cube = q * y
    return cube * (1 / 6) * d, cube * (1 / 3) * e


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _hyperbolic(q):
    """As `hyperbolic`: sinh q, cosh q, sinh q - q and q cosh q - sinh q."""
    grown = exp_of(q)
    half, back = 0.5 * grown, 0.5 / grown
    s, c = half - back, half + back
    s_q, qc_s = s - q, q * c - s
    small = q <= SERIES_BELOW
    if any_of(small):
        less, more = _series(q)
        s_q, qc_s = where(small, less, s_q), where(small, more, qc_s)
        s = where(small, q + less, s)
    return s, c, s_q, qc_s


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _starting_lambda(xi, zeta, chord, epsilon):
    """As `_starting_lambda` of catenary_free.py; the cubic by Newton's method from above."""
    t = zeta / (1.0 + epsilon)
    b = log_of(2.0 * np.sqrt(where(t < 1.0, (1.0 - t) * (1.0 + t), 1.0)) / xi)
    is_slack = (t < 1.0) & (b > 0.0)
    b = where(is_slack, b, 1.0)
    q = b + log_of(b + epsilon + 1.0)
    q = b + log_of(q + epsilon)
    is_slack = is_slack & (q > LOG_GUESS_ABOVE)
    if not all_of(is_slack):
        k = xi * xi / chord
        p, r = 2.0 * (chord - 1.0) / k, 3.0 * epsilon / k
        y = np.sqrt(max(-3.0 * p, 0.0)) + cube_root(max(2.0 * r, LEAST_CUBE))
        y = where(p > 0.0, min(y, 2.0 * r / (3.0 * p)), y)
        for _ in range(CUBIC_STEPS):
            y = (2.0 / 3.0) * (y * y * y + r) / (y * y + p)
        q = where(is_slack, q, y)
    return q


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _solve_lambda(xi, zeta, chord, epsilon):
    """As `_solve_lambda` of catenary_free.py; and a mask of the lanes whose search did not end.

    Not numerics/newton.py: several lines side by side in a kernel, each with a bracket.
    """
    f0 = (chord - 1.0) * (chord + 1.0)
    q = _starting_lambda(xi, zeta, chord, epsilon)
    lo, hi = 0.0 * q, 0.0 * q + math.inf
    is_open = q == q
    for _ in range(MOST_ITERATIONS):
        s, c, s_q, qc_s = _hyperbolic(q)
        inverse = 1.0 / s
        p1, a1 = epsilon * c * inverse, (epsilon - s_q) * inverse
        fall, reach = 1.0 / (1.0 + p1), 1.0 / (q + epsilon)
        t, r = zeta * fall, xi * s * reach
        tt, rr = t * t, r * r
        f = where(q > LOG_GUESS_ABOVE, tt + rr - 1.0, f0 - tt * p1 * (p1 + 2.0) - rr * a1 * (a1 + 2.0))
        hi, lo = where(f > 0.0, q, hi), where(f > 0.0, lo, q)
        slope = 2.0 * inverse * (rr * (qc_s + epsilon * c) * reach + tt * epsilon * inverse * fall)
        step = -log1p_of(f) * (1.0 + f) / (q * slope)
        new = where(step > 0.0, q * (1.0 + step), q / (1.0 - step))
        is_last = (abs(step) < QUADRATIC) | (f == 0.0)
        is_inside = (lo < new) & (new < hi)
        between = where(hi < math.inf, np.sqrt(lo * hi), 2.0 * q)
        q = where(is_open, where(is_last | is_inside, new, between), q)
        is_open = is_open ^ (is_open & is_last)
        if not any_of(is_open):
            break
    return q, is_open


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _length_of(x, y):
    """Length |(x, y)| = sqrt(x^2 + y^2), in the unit of x (N or m).  Source: definition."""
    return np.sqrt(x * x + y * y)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _missed(dx, dz, L, H, u, w, flexibility):
    r"""Closure error (m): distance of the end of the line, x and z of `arc`, from the given one; H > 0, w > 0.

    .. math:: z = L \left(u + v\right) \left(\frac{1}{T_u + T_v} + \frac{1}{2EA}\right), \qquad
              x = \frac{H}{w} \left(\operatorname{asinh}\frac{v}{H} - \operatorname{asinh}\frac{u}{H}\right)
              + \frac{HL}{EA}

    Source: docs/theory/catenary.md, Terms, with differences that do not cancel.    u, v : vertical force at A and B, N
    """
    v = u + w * L
    tu, tv = _length_of(H, u), _length_of(H, v)
    z = L * (u + v) * (1.0 / (tu + tv) + 0.5 * flexibility)
    a, b = -u / H, v / H
    a, b = a + a * a / (1.0 + tu / H), b + b * b / (1.0 + tv / H)
    low = where(u > 0.0, u, -v)  # of a line that rises or falls all the way, the smaller of its forces
    t = where(u > 0.0, tu, tv)
    steep = 2.0 * (v - u) / (t + low + H * (H / (where(u > 0.0, tv + v, tu - u))))
    x = H * (L * log1p_of(where((u < 0.0) & (v > 0.0), a + b + a * b, steep)) / (v - u) + L * flexibility)
    return _length_of(x - dx, z - dz)


@kernel(fastmath=FUSED, **UNCOUNTED)
def hang_abreast(given, found):
    """As `hanging` and what `solve_line` adds to it, of one group.  given, found : (1,) of GIVEN, FOUND"""
    line, into = lane_records(given, ABREAST)[0], lane_records(found, ABREAST)[0]
    L, flexibility = line.length, line.flexibility
    up = where(line.weight > 0.0, 1.0, -1.0)
    w, dz = up * line.weight, up * line.rise
    half = 0.5 * w * L
    epsilon, xi, zeta = half * flexibility, line.span / L, abs(dz) / L
    chord = _length_of(line.span, dz) / L
    q, is_open = _solve_lambda(xi, zeta, chord, epsilon)
    s, c, _, qc_s = _hyperbolic(q)
    r, t = xi * s / (q + epsilon), zeta / (1.0 + epsilon * c / s)
    t = where(dz < 0.0, -t, t)
    H, mean = half * r / s, half * t * c / s
    va, vb = mean - half, mean + half
    tc, sc, qc = t / c, s / c, qc_s / c
    den = 1.0 / (tc * tc + r * r)
    cxx = 2.0 * (q * tc * tc + r * r * qc) * den
    cxz = -2.0 * tc * r * sc * den
    czz = 2.0 * r * r * sc * den
    k = w / (4.0 * r * r * sc * qc * den + 2.0 * epsilon * (cxx + czz) + 4.0 * epsilon * epsilon)
    miss = _missed(line.span, dz, L, H, va, w, flexibility)
    depth = va * va / w * (1.0 / (_length_of(H, va) + H) + 0.5 * flexibility)
    is_sagging = (va < 0.0) & (vb > 0.0) & (depth > line.height)
    is_good = (q < MOST_LAMBDA) & (miss <= MISS_LIMIT * (L + line.span))
    into.good = where(is_open | is_sagging, 0.0, where(is_good, 1.0, 0.0))
    into.miss = miss
    into.force_a_0, into.force_a_1, into.force_b_0, into.force_b_1 = H, up * va, H, up * vb
    into.stiffness_0, into.stiffness_1 = k * (czz + 2.0 * epsilon), -up * k * cxz
    into.stiffness_2 = k * (cxx + 2.0 * epsilon)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _leg(H, h, w, flexibility):
    """As `leg` of catenary_bed.py, of H > 0 and h > 0."""
    b = 1.0 + H * flexibility
    tau = 2.0 * w * h / (b + np.sqrt(b * b + 2.0 * w * h * flexibility))
    T = H + tau
    V = np.sqrt(tau * (tau + 2.0 * H))
    ratio, stretched = tau / V, 1.0 / (1.0 + T * flexibility)
    V_H = ratio * stretched
    a = log1p_of((tau + V) / H)
    sag, sag_H = V - H * a, a - 2.0 * ratio
    small = a <= SERIES_BELOW
    if any_of(small):
        q = 0.5 * a
        less, more = _series(q)
        sag = where(small, H * _series(a)[0], sag)
        sag_H = where(small, 2.0 * more * q / (more + q + less), sag_H)
    inverse = 1.0 / w
    excess = (-sag + H * V * flexibility) * inverse
    excess_H = (sag_H + flexibility * (tau * V_H + V + H * V_H)) * inverse
    excess_V = (-tau / T + H * flexibility) * inverse
    return V, excess, V_H, w * T / V * stretched, excess_H, excess_V


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _stretch(H, g, friction, flexibility):
    """As `bed_stretch`, of a line pulled from one side."""
    end = H - friction * g
    holds = end >= 0.0
    rubbed = H / where(holds, 1.0, friction)  # length that the friction holds, m
    return (
        flexibility * where(holds, 0.5 * g * (H + end), 0.5 * H * rubbed),
        flexibility * where(holds, g, rubbed),
        flexibility * where(holds, end, 0.0),
    )


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _starting_tension(dx, h, L, flexibility, w):
    """As `_starting_tension` of catenary_bed.py."""
    short = L - dx
    is_elastic = flexibility > 0.0
    give = where(is_elastic, flexibility, 1.0) * L
    bound = exp_of((2.0 / 3.0) * log_of(h * (1.0 / 3.0) * np.sqrt(2.0 * w * h) / give))
    bound = where(is_elastic, bound, NO_BOUND)
    d = max(min(short / h, FLAT), 0.0)
    a = min(3.0 * d * exp_of(-0.4 * log_of(1.0 - d)), STEEPEST)
    grown = exp_of(a)
    curved = 0.5 * grown + 0.5 / grown - 1.0
    hung = min(bound, w * h / where(curved > 0.0, curved, 1.0))
    return where(short <= 0.0, bound - short / give, where(curved > 0.0, hung, bound))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _solve_bed_tension(dx, h, L, flexibility, w, CB):
    """As `_solve_bed_tension` of catenary_bed.py, with one leg; and a mask of the lanes whose search did not end.

    Not numerics/newton.py: several lines side by side in a kernel, each with a bracket.
    """
    H = _starting_tension(dx, h, L, flexibility, w)
    lo, hi = 0.0 * H, 0.0 * H + math.inf
    is_open = H == H
    for _ in range(MOST_ITERATIONS):
        V, excess, V_H, _, excess_H, _ = _leg(H, h, w, flexibility)
        stretch, stretch_H, stretch_g = _stretch(H, max(L - V / w, 0.0), CB * w, flexibility)
        f = (L - dx) + excess + stretch
        hi, lo = where(f > 0.0, H, hi), where(f > 0.0, lo, H)
        step = -f / (H * (excess_H + stretch_H - stretch_g * V_H / w))
        new = where(step > 0.0, H * (1.0 + step), H / (1.0 - step))
        is_noise = abs(f) <= ROUND_OFF * (abs(L - dx) + abs(excess) + stretch)
        is_last = (abs(step) < QUADRATIC) | is_noise
        new = where(is_noise & (abs(step) >= NOISE), H, new)
        is_inside = (lo < new) & (new < hi)
        between = where(hi < math.inf, np.sqrt(lo * hi), 10.0 * H)
        H = where(is_open, where(is_last | is_inside, new, between), H)
        is_open = is_open ^ (is_open & is_last)
        if not any_of(is_open):
            break
    return H, is_open


@kernel(fastmath=FUSED, **UNCOUNTED)
def rest_abreast(given, found):
    """As `on_bed`, of one group of lines with one end on the bed, at height 0, the other at `rise` > 0 over it."""
    line, into = lane_records(given, ABREAST)[0], lane_records(found, ABREAST)[0]
    dx, h, L, w, CB, flexibility = line.span, line.rise, line.length, line.weight, line.friction, line.flexibility
    H, is_open = _solve_bed_tension(dx, h, L, flexibility, w, CB)
    V, excess, V_H, V_h, excess_H, excess_V = _leg(H, h, w, flexibility)
    g = max(L - V / w, 0.0)
    stretch, x_H, stretch_g = _stretch(H, g, CB * w, flexibility)
    excess_V = excess_V - stretch_g / w
    x_H = 1.0 / (x_H + excess_H - stretch_g * V_H / w)
    anchored = max(H - CB * w * g, 0.0)
    miss = abs((L - dx) + excess + stretch)
    H_h = -excess_V * V_h * x_H
    V_x, V_up = V_H * x_H, V_H * H_h + V_h
    slides = anchored > 0.0
    hung = 2.0 * w * h / (1.0 + np.sqrt(1.0 + 2.0 * w * h * flexibility))  # weight of a leg that hangs straight, N
    is_good = (dx > L - hung / w) & (miss <= MISS_LIMIT * (L + dx))
    into.good = where(is_open, 0.0, where(is_good, 1.0, 0.0))
    into.miss, into.anchored = miss, anchored
    into.force_b_0, into.force_b_1 = H, V
    into.stiffness_0, into.stiffness_1 = x_H, H_h
    into.stiffness_2, into.stiffness_3 = where(slides, x_H + CB * V_x, 0.0), where(slides, H_h + CB * V_up, 0.0)
    into.stiffness_4, into.stiffness_5 = V_x, V_up


@kernel(fastmath=FUSED, **UNCOUNTED)
def lies_abreast(given, found):
    """As `_lies_on_bed`, of one group: `good` is 1 where more than a point of the line is on the bed."""
    line, into = lane_records(given, ABREAST)[0], lane_records(found, ABREAST)[0]
    L, w, flexibility = line.length, line.weight, line.flexibility
    V = w * L
    tau = w * line.rise - 0.5 * V * V * flexibility
    is_between = (tau > 0.0) & (tau < V)
    safe = where(is_between, tau, 0.5 * V)
    H = 0.5 * (V - safe) * (V + safe) / safe
    is_long = line.span < H / w * log1p_of((safe + V) / H) + H * L * flexibility
    into.good = where(is_between, where(is_long, 1.0, 0.0), where(tau <= 0.0, 1.0, 0.0))


# --- lines to groups and back ---


@kernel(forceinline=True, **UNCOUNTED)
def _regime(dx, dz, L, EA, w, CB, height):
    """ODD, HANGS or STANDS: goes to `solve_line`, cannot meet the bed at an end, or has one end on it.

    Source: regimes of docs/theory/catenary.md, Terms: STANDS where w > 0 and min(h, h + dz) <= 0 (m).
    """
    finite = math.isfinite(dx) and math.isfinite(dz) and math.isfinite(L) and math.isfinite(w) and math.isfinite(CB)
    if not (finite and dx >= LEAST_SPAN * L and L > 0.0 and EA > 0.0 and CB >= 0.0) or math.isnan(height) or w == 0.0:
        return ODD
    if math.inf == EA and dx * dx + dz * dz >= L * L:
        return ODD
    if w > 0.0 and min(height, height + dz) <= 0.0:
        return ODD if dz == 0.0 else STANDS
    return HANGS


@kernel(forceinline=True, **UNCOUNTED)
def _take(i, k, lines, height, given):
    """Put line i into lane k, with flexibility = 1/EA (1/N).  Source: definition."""
    dx, dz, L, EA, w, CB, _ = lines
    to = given[0]
    to.span[k], to.length[k], to.flexibility[k], to.weight[k] = dx[i], L[i], 1.0 / EA[i], w[i]
    to.friction[k], to.height[k] = CB[i], height
    to.rise[k] = dz[i]


@kernel(forceinline=True, **UNCOUNTED)
def _give_hanging(k, found, row):
    """As `fill_hanging`, from lane k.  row : record of SOLUTION"""
    at, by = found[0], row.stiffness
    row.h_a, row.v_a, row.h_b, row.v_b = at.force_a_0[k], at.force_a_1[k], at.force_b_0[k], at.force_b_1[k]
    row.ground_start, row.ground_end, row.miss = 0.0, 0.0, at.miss[k]
    kxx, kxz, kzz = at.stiffness_0[k], at.stiffness_1[k], at.stiffness_2[k]
    by[0, 0], by[0, 1], by[0, 2] = kxx, -kxz, kxz
    by[1, 0], by[1, 1], by[1, 2] = kxz, -kzz, kzz
    by[2, 0], by[2, 1], by[2, 2] = kxx, -kxz, kxz
    by[3, 0], by[3, 1], by[3, 2] = kxz, -kzz, kzz


@kernel(forceinline=True, **UNCOUNTED)
def _give_resting(k, is_up, L, w, found, row):
    """Forces (N) and stiffness (N/m) from lane k, of a line whose end B (`is_up`) or A is the raised one.

    Source: docs/theory/catenary.md, On a flat bed: grounded length = L - V/w.
    """
    at, by = found[0], row.stiffness
    H, V, anchored = at.force_b_0[k], at.force_b_1[k], at.anchored[k]
    H_x, H_h, end_x, end_h = at.stiffness_0[k], at.stiffness_1[k], at.stiffness_2[k], at.stiffness_3[k]
    V_x, V_h = at.stiffness_4[k], at.stiffness_5[k]
    row.miss = at.miss[k]
    if is_up:
        row.h_a, row.v_a, row.h_b, row.v_b = anchored, 0.0, H, V
        row.ground_start, row.ground_end = 0.0, max(L - V / w, 0.0)
        by[0, 0], by[0, 1], by[0, 2] = end_x, 0.0, end_h
        by[1, 0], by[1, 1], by[1, 2] = 0.0, 0.0, 0.0
        by[2, 0], by[2, 1], by[2, 2] = H_x, 0.0, H_h
        by[3, 0], by[3, 1], by[3, 2] = V_x, 0.0, V_h
    else:
        row.h_a, row.v_a, row.h_b, row.v_b = H, -V, anchored, 0.0
        row.ground_start, row.ground_end = min(V / w, L), L
        by[0, 0], by[0, 1], by[0, 2] = H_x, H_h, 0.0
        by[1, 0], by[1, 1], by[1, 2] = -V_x, -V_h, 0.0
        by[2, 0], by[2, 1], by[2, 2] = end_x, end_h, 0.0
        by[3, 0], by[3, 1], by[3, 2] = 0.0, 0.0, 0.0


@kernel(**UNCOUNTED)
def sort_lines(lines, queue, given, found):
    """Put the numbers of lines into a queue; returns how many are odd, hang and rest. Bookkeeping."""
    dx, dz, L, EA, w, CB, height = lines
    n_odd, n_hang, n_rest, n_stand = 0, 0, 0, 0
    odd, hang, rest, stand = queue
    for i in range(dx.size):
        regime = _regime(dx[i], dz[i], L[i], EA[i], w[i], CB[i], height[i])
        if regime == HANGS:
            hang[n_hang] = i
            n_hang += 1
        elif regime == STANDS:
            stand[n_stand] = i
            n_stand += 1
        else:
            odd[n_odd] = i
            n_odd += 1
    for first in range(0, n_stand, ABREAST):
        used = min(ABREAST, n_stand - first)
        for k in range(ABREAST):
            i = stand[first + min(k, used - 1)]
            _take(i, k, lines, math.inf, given)
            given[0].rise[k] = abs(dz[i])
        lies_abreast(given, found)
        for k in range(used):
            if found[0].good[k] > 0.0:
                rest[n_rest] = stand[first + k]
                n_rest += 1
            else:
                hang[n_hang] = stand[first + k]
                n_hang += 1
    return n_odd, n_hang, n_rest


@kernel(**UNCOUNTED)
def solve_abreast(lines, queue, given, found, status, rows):
    """Solve lines side by side; fills `status` and `rows` of those that are solved, and returns how many are odd.

    Bookkeeping: fills groups for `hang_abreast` and `rest_abreast`.

    lines : span, rise, length, axial stiffness, weight, friction and height of A, (n,) each    queue : `Queue`,
    whose odd ones are then left to `solve_line`    given, found : (1,) of GIVEN, FOUND
    """
    _dx, dz, L, _EA, w, _CB, height = lines
    odd, hang, rest, _ = queue
    n_odd, n_hang, n_rest = sort_lines(lines, queue, given, found)
    for first in range(0, n_hang, ABREAST):
        used = min(ABREAST, n_hang - first)
        for k in range(ABREAST):
            i = hang[first + min(k, used - 1)]
            may_sag = w[i] > 0.0 and min(height[i], height[i] + dz[i]) > 0.0
            _take(i, k, lines, height[i] if may_sag else math.inf, given)
        hang_abreast(given, found)
        for k in range(used):
            i = hang[first + k]
            if found[0].good[k] > 0.0:
                _give_hanging(k, found, rows[i])
                status[i] = SUSPENDED
            else:
                odd[n_odd] = i
                n_odd += 1
    for first in range(0, n_rest, ABREAST):
        used = min(ABREAST, n_rest - first)
        for k in range(ABREAST):
            i = rest[first + min(k, used - 1)]
            _take(i, k, lines, math.inf, given)
            given[0].rise[k] = abs(dz[i])
        rest_abreast(given, found)
        for k in range(used):
            i = rest[first + k]
            if found[0].good[k] > 0.0:
                _give_resting(k, dz[i] > 0.0, L[i], w[i], found, rows[i])
                status[i] = GROUNDED
            else:
                odd[n_odd] = i
                n_odd += 1
    return n_odd
