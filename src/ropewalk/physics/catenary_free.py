"""A uniform line that hangs free between two ends: the closed form, solved to round-off.

Conventions and the reduction to one equation: see :mod:`ropewalk.physics.catenary`.
"""

from __future__ import annotations

import math

import numpy as np

from ropewalk.numerics.bracket import bracketed_positive
from ropewalk.numerics.compile import UNCOUNTED, kernel

# What became of a line. Positive: solved. Negative: refused.
SUSPENDED = 1  # no contact with the bed
GROUNDED = 2  # part of the line on the bed, under tension
SLACK_ON_BED = 3  # H = 0: the ends' legs hang straight down to a slack part on the bed
SLACK_HANGING = 4  # H = 0, no span and no bed: a loop of two vertical legs
SLACK_NEUTRAL = 5  # weightless, in part at least, and longer than needed: no tension there, arbitrary shape
TOO_SHORT = -1  # inextensible and not longer than the distance between its ends
BAD_INPUT = -2  # not a number, or a length, stiffness or span out of range
PENETRATES = -4  # has buoyant pieces and would touch the bed where the closed form is not valid
NOT_CONVERGED = -3  # the end is missed by more than MISS_LIMIT

MEANING = {
    SUSPENDED: "suspended",
    GROUNDED: "partly on the seabed",
    SLACK_ON_BED: "slack on the seabed",
    SLACK_HANGING: "slack, hanging in two vertical legs",
    SLACK_NEUTRAL: "slack and weightless, its shape is arbitrary",
    TOO_SHORT: "inextensible and not longer than the distance between its ends",
    BAD_INPUT: "length and stiffness must be positive, span and friction not negative, and none of them NaN",
    PENETRATES: "has buoyant parts, and would touch the seabed away from its lower end; use another method",
    NOT_CONVERGED: "the closure error of the closed form is too large",
}

# solution of a line; a record, so that fields have names with the compiler off too
SOLUTION = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("h_a", "f8"),  # N, components of n at A and at B
                ("v_a", "f8"),
                ("h_b", "f8"),
                ("v_b", "f8"),
                ("ground_start", "f8"),  # m, the stretch of s on the bed; equal when there is none
                ("ground_end", "f8"),
                ("miss", "f8"),  # m, closure error at B of the closed form with the forces found
                ("stiffness", "f8", (4, 3)),  # N/m, d(h_a, v_a, h_b, v_b)/d(dx, z_A, z_B)
            ],
            align=True,
        ),
    )
)

MAX_ITERATIONS = 200  # bisection alone needs about 70 to reach round-off from any bracket met here
GROWTH = 2.0  # factor on lambda while no upper bound is known
QUADRATIC = 1.0e-8  # relative Newton step after which the next would be below round-off
SERIES_BELOW = 0.5  # lambda under which differences of hyperbolic functions are summed as series
LOG_GUESS_ABOVE = 1.5  # lambda above which the starting value comes from the exponential branch
NO_SPAN = 1.0e-290  # dx/L taken as zero: sinh(lambda) would leave the range of doubles
STRETCH_LIMIT = 1.0e-20  # xi^2 under which the cubic starting value could overflow


@kernel(**UNCOUNTED)
def clear(solution):
    """Set a record of SOLUTION to 0. Bookkeeping."""
    solution.h_a = solution.v_a = solution.h_b = solution.v_b = 0.0
    solution.ground_start = solution.ground_end = solution.miss = 0.0
    for i in range(4):
        for j in range(3):
            solution.stiffness[i, j] = 0.0


@kernel(inline="always")
def hyperbolic(q):
    """sinh q, cosh q, sinh q - q and q cosh q - sinh q, each to round-off, for 0 < q < 700 (no unit).

    Source: Taylor series of sinh q - q = q^3/6 + ... and q cosh q - sinh q = q^3/3 + ... where they would cancel.
    """
    s = math.sinh(q)
    c = math.cosh(q)
    if q > SERIES_BELOW:
        return s, c, s - q, q * c - s
    y = q * q
    d = 1 + y / 20 * (1 + y / 42 * (1 + y / 72 * (1 + y / 110 * (1 + y / 156 * (1 + y / 210)))))
    e = 1 + y / 10 * (1 + y / 28 * (1 + y / 54 * (1 + y / 88 * (1 + y / 130 * (1 + y / 180)))))
    return s, c, q * y / 6 * d, q * y / 3 * e


@kernel(**UNCOUNTED)
def arc(s, H, u, w, flexibility):
    r"""Horizontal and vertical distance (m) along `s` metres of hanging line.

    .. math:: x = \frac{H}{w}\Bigl[\operatorname{asinh}\frac{V}{H}\Bigr]_u^{u+ws} + \frac{Hs}{EA}, \qquad
              z = s\,(u+v)\Bigl(\frac{1}{T_u+T_v} + \frac{1}{2EA}\Bigr), \quad v = u + ws

    Source: [Irvine1981], ch. 1, with the differences written so that nothing cancels.

    H, u : horizontal and vertical force at the start, N    w : N/m, any sign    flexibility : 1/EA, 1/N
    Holds for H = 0, w = 0, s = 0 and EA = infinity.
    """
    v = u + w * s
    tu = math.hypot(H, u)
    tv = math.hypot(H, v)
    total = tu + tv
    if total == 0.0:
        return 0.0, 0.0
    z = s * (u + v) * (1.0 / total + 0.5 * flexibility)
    if H == 0.0:
        return 0.0, z
    lo = min(u, v)
    hi = max(u, v)
    if hi - lo <= 0.0:
        return H * s * (1.0 / tu + flexibility), z
    if lo < 0.0 < hi:
        spread = math.asinh(hi / H) - math.asinh(lo / H)
    elif lo >= 0.0:
        t = min(tu, tv)
        spread = math.log1p(2.0 * (hi - lo) / (t + lo + H * (H / (max(tu, tv) + hi))))
    else:
        t = min(tu, tv)
        spread = math.log1p(2.0 * (hi - lo) / (t - hi + H * (H / (max(tu, tv) - lo))))
    return H * (s * spread / (hi - lo) + s * flexibility), z


@kernel(**UNCOUNTED)
def _starting_lambda(xi, zeta, chord, epsilon):
    r"""A starting value of lambda, to a few per cent: cubic when nearly taut, logarithmic when slack.

    .. math:: \frac{\xi^2}{6c} \lambda^3 + (c - 1)\,\lambda = \varepsilon, \qquad
              \lambda = \ln\frac{2\sqrt{1 - t^2}}{\xi} + \ln(\lambda + \varepsilon),
              \quad t = \frac{\zeta}{1 + \varepsilon}

    Source: limits of the equation of :func:`_solve_lambda` for small and large lambda; the cubic by Cardano's formula.

    xi, zeta, chord : dx/L, |dz|/L and chord/L    epsilon : wL/2EA
    """
    t = zeta / (1.0 + epsilon)
    if t < 1.0:
        b = math.log(2.0 * math.sqrt((1.0 - t) * (1.0 + t)) / xi)
        if b > 0.0:
            q = b + math.log(b + epsilon + 1.0)
            q = b + math.log(q + epsilon)
            if q > LOG_GUESS_ABOVE:
                return q
    k = xi * xi / chord
    if k < STRETCH_LIMIT:
        return min(epsilon / (zeta - 1.0), LOG_GUESS_ABOVE) if zeta > 1.0 else LOG_GUESS_ABOVE
    p = 2.0 * (chord - 1.0) / k
    q = 3.0 * epsilon / k
    disc = q * q + p * p * p
    if disc < 0.0:
        return 2.0 * math.sqrt(-p) * math.cos(math.acos(q / (-p * math.sqrt(-p))) / 3.0)
    root = (q + math.sqrt(disc)) ** (1.0 / 3.0)
    return 2.0 * q / (root * root + p + p * (p / (root * root)))


@kernel(**UNCOUNTED)
def _solve_lambda(xi, zeta, chord, epsilon):
    r"""Root lambda (no unit) of the equation of a suspended line.

    .. math:: \zeta^2/(1+\varepsilon\coth\lambda)^2 + \xi^2\sinh^2\lambda/(\lambda+\varepsilon)^2 = 1

    Source: docs/theory/catenary.md, Suspended.

    Both terms grow with lambda. Newton on the logarithm of the left side, inside a bracket.
    """
    f0 = (chord - 1.0) * (chord + 1.0)
    lo = 0.0
    hi = math.inf
    q = _starting_lambda(xi, zeta, chord, epsilon)
    for _ in range(MAX_ITERATIONS):
        s, c, s_q, qc_s = hyperbolic(q)
        p1 = epsilon * c / s
        a1 = (epsilon - s_q) / s
        t = zeta / (1.0 + p1)
        r = xi * s / (q + epsilon)
        if q > LOG_GUESS_ABOVE:
            f = t * t + r * r - 1.0
        else:
            f = f0 - t * t * p1 * (p1 + 2.0) - r * r * a1 * (a1 + 2.0)
        slope = 2.0 * (r * r * (qc_s + epsilon * c) / (s * (q + epsilon)) + t * t * epsilon / (s * s * (1.0 + p1)))
        step = -math.log1p(f) * (1.0 + f) / (q * slope)
        new, lo, hi = bracketed_positive(q, f, step, lo, hi, GROWTH)
        if abs(step) < QUADRATIC or f == 0.0:
            return new
        if not lo < new < hi:
            return q
        q = new
    return q


@kernel(**UNCOUNTED)
def hanging(dx, dz, L, EA, w):
    r"""A line of weight w > 0 hanging free: forces (N) and stiffness (N/m) between its ends.

    Returns status, H, V_A, V_B and the symmetric matrix d(H, V)/d(dx, dz) as xx, xz, zz; V_A and V_B
    change alike. In the terms of the module's docstring, :math:`H = wL \operatorname{sech}\mu/2\sinh\lambda`
    and :math:`V_{B,A} = \tfrac12 wL(\tanh\mu\coth\lambda \pm 1)`. The stiffness is the inverse of the
    compliance, whose determinant is written as a sum of positive terms.

    Source: [Irvine1981], ch. 1 for the closed form. Exact for EA = infinity; dx = 0 allowed.
    """
    epsilon = 0.5 * w * L / EA
    xi = dx / L
    zeta = abs(dz) / L
    chord = math.hypot(dx, dz) / L
    if xi < NO_SPAN:
        if zeta <= 1.0 + epsilon:
            t = dz / L / (1.0 + epsilon)
            half = 0.5 * w * L
            return SLACK_HANGING, 0.0, half * (t - 1.0), half * (t + 1.0), 0.0, 0.0, 0.5 * w / (1.0 + epsilon)
        if math.isinf(EA):
            return TOO_SHORT, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        q = math.atanh(epsilon / (zeta - 1.0))
        xi = 0.0
    elif math.isinf(EA) and chord >= 1.0:
        return TOO_SHORT, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    else:
        q = _solve_lambda(xi, zeta, chord, epsilon)
    s, c, _, qc_s = hyperbolic(q)
    r = xi * s / (q + epsilon)
    t = math.copysign(zeta / (1.0 + epsilon * c / s), dz)
    H = 0.5 * w * L * r / s
    mean = 0.5 * w * L * t * c / s
    # Compliance times w, numerator and denominator divided by cosh^2 so that slack lines do not overflow.
    tc = t / c
    den = tc * tc + r * r
    cxx = 2.0 * (q * tc * tc + r * r * (qc_s / c)) / den
    cxz = -2.0 * tc * r * (s / c) / den
    czz = 2.0 * r * r * (s / c) / den
    det = 4.0 * r * r * (s / c) * (qc_s / c) / den + 2.0 * epsilon * (cxx + czz) + 4.0 * epsilon * epsilon
    k = w / det
    return (
        SUSPENDED,
        H,
        mean - 0.5 * w * L,
        mean + 0.5 * w * L,
        k * (czz + 2 * epsilon),
        -k * cxz,
        k * (cxx + 2 * epsilon),
    )
