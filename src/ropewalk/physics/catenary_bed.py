"""A uniform heavy line of which a part rests on a flat bed with Coulomb friction.

Conventions, and which way the friction acts: see :mod:`ropewalk.physics.catenary`.
"""

from __future__ import annotations

import math

from ropewalk.numerics.bracket import bracketed_positive
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.catenary_free import (
    GROUNDED,
    MAX_ITERATIONS,
    QUADRATIC,
    SERIES_BELOW,
    SLACK_ON_BED,
    TOO_SHORT,
    hyperbolic,
)

ROUND_OFF = 4.0e-16  # of the terms of the span's equation, which is not computed closer than this
GROWTH = 10.0  # factor on H while no upper bound is known
NOISE = 1.0e-3  # relative Newton step above which the round-off of the span, not H, has made it
FLAT = 0.999  # of the fall L - dx over the height, where the starting value of H stops growing smaller


@kernel(**UNCOUNTED)
def leg(H, h, w, flexibility):
    r"""A leg of weight w > 0 that rises from the bed to the height h under the horizontal force H.

    .. math:: \tau \Bigl(1 + \frac{2H + \tau}{2EA}\Bigr) = wh, \qquad \tau = T - H, \qquad V = \sqrt{\tau(\tau + 2H)}

    Source: [Jonkman2007], mooring model, solved for the tension, which makes it a quadratic.

    Returns V (N), the span of the leg less its unstretched length V/w (m), and derivatives: V_H and V_h;
    of that excess by H at fixed h, and by V at fixed H. Written without cancellation for small slopes a,
    with :math:`\tanh(a/2) = \tau/V`.
    """
    if h <= 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    b = 1.0 + H * flexibility
    tau = 2.0 * w * h / (b + math.sqrt(b * b + 2.0 * w * h * flexibility))
    T = H + tau
    V = math.sqrt(tau * (tau + 2.0 * H))
    strain = 1.0 + T * flexibility
    V_H = tau / (V * strain)
    V_h = w * T / (V * strain)
    if H <= 0.0:
        return V, -V / w, V_H, V_h, 0.0, -1.0 / w
    a = math.log1p((tau + V) / H)
    if a > SERIES_BELOW:
        sag = V - H * a
        sag_H = a - 2.0 * tau / V
    else:
        sag = H * hyperbolic(a)[2]
        _, c, _, qc_s = hyperbolic(0.5 * a)
        sag_H = 2.0 * qc_s / c
    excess = (-sag + H * V * flexibility) / w
    excess_H = (sag_H + flexibility * (tau * V_H + V + H * V_H)) / w
    excess_V = (-tau / T + H * flexibility) / w
    return V, excess, V_H, V_h, excess_H, excess_V


@kernel(**UNCOUNTED)
def bed_stretch(H, g, friction, both, flexibility):
    r"""Elongation (m) of the length g on the bed, and its derivatives by H and by g.

    .. math:: \int_0^g \frac{\max(H - f s, 0)}{EA}\,ds

    Source: [Jonkman2007], mooring model. `both`: the tension falls from both touchdowns to the middle.

    friction : CB w, N/m
    """
    part = 0.5 * g if both else g
    sides = 2.0 if both else 1.0
    if friction * part <= H:
        end = H - friction * part
        return (
            sides * flexibility * part * 0.5 * (H + end),
            sides * flexibility * part,
            flexibility * end,
        )
    return sides * flexibility * 0.5 * H * (H / friction), sides * flexibility * (H / friction), 0.0


@kernel(**UNCOUNTED)
def _starting_tension(dx, L, EA, w, h):
    r"""A starting value of H (N) for a line that rises from the bed to the height h, 0 < dx.

    .. math:: H = \frac{wh}{\cosh a - 1}, \quad a = \frac{3 d}{(1 - d)^{0.4}}, \quad d = \frac{L - x}{h}; \qquad
              H^{3/2} \le \frac{h}{3} \sqrt{2wh}\, \frac{EA}{L}

    Source: own fit to the inextensible leg (docs/theory/catenary.md, On a flat bed); at the bound the sag of a flat leg
    equals the stretch.
    """
    short = L - dx
    flexibility = 1.0 / EA
    bound = math.inf
    if flexibility > 0.0:
        bound = (h / 3.0 * math.sqrt(2.0 * w * h) * EA / L) ** (2.0 / 3.0)
    if short <= 0.0:
        return bound - EA * short / L
    d = min(short / h, FLAT) if h > 0.0 else 0.0
    if d == 0.0:
        return bound
    a = 3.0 * d / (1.0 - d) ** 0.4
    return min(bound, w * h / (math.cosh(min(a, 30.0)) - 1.0))


@kernel(**UNCOUNTED)
def _solve_bed_tension(dx, L, EA, w, CB, h_a, h_b):
    r"""Horizontal force (N) at the touchdowns of a line that rests on the bed; its span grows with it.

    .. math:: \sum a_i + g + \delta(H, g) = x, \qquad g = L - \sum V_i/w

    Source: docs/theory/catenary.md, On a flat bed: the left side rises with H. Newton with a relative step inside a
    bracket, so that it cannot fail.

    Arguments as :func:`on_bed`.
    """
    flexibility = 1.0 / EA
    both = (h_a > 0.0) == (h_b > 0.0)
    lo = 0.0
    hi = math.inf
    H = _starting_tension(dx, L, EA, w, h_a + h_b)
    for _ in range(MAX_ITERATIONS):
        va, ea, va_H, _va_h, ea_H, _ea_V = leg(H, h_a, w, flexibility)
        vb, eb, vb_H, _vb_h, eb_H, _eb_V = leg(H, h_b, w, flexibility)
        stretch, stretch_H, stretch_g = bed_stretch(H, max(L - (va + vb) / w, 0.0), CB * w, both, flexibility)
        f = (L - dx) + ea + eb + stretch
        slope = ea_H + eb_H + stretch_H - stretch_g * (va_H + vb_H) / w
        step = -f / (H * slope)
        new, lo, hi = bracketed_positive(H, f, step, lo, hi, GROWTH)
        if abs(step) < QUADRATIC:
            return new
        if abs(f) <= ROUND_OFF * (abs(L - dx) + abs(ea) + abs(eb) + stretch):
            return new if abs(step) < NOISE else H
        if not lo < new < hi:
            return H
        H = new
    return H


@kernel(**UNCOUNTED)
def on_bed(dx, L, EA, w, CB, h_a, h_b, out):
    r"""Fill `out` for a line of weight w > 0 of which a part rests on the bed; returns the status.

    .. math:: x = \sum a_i + g + \delta(H, g), \qquad V_i = \sqrt{\tau_i (\tau_i + 2H)}, \qquad H_\mathrm{anchor} =
              \max(H - C_B w g,\, 0)

    Source: docs/theory/catenary.md, On a flat bed and Friction; [Jonkman2007], eq. 2-38.

    h_a, h_b : heights of the ends above the bed, m. An end at height zero stays on the bed: its
    vertical force and all derivatives by its height are zero.

    dx : horizontal distance of the ends, m    L : unstretched length, m    EA : N    CB : friction coefficient
    out : record of SOLUTION
    """
    flexibility = 1.0 / EA
    slack_a = leg(0.0, h_a, w, flexibility)[0] / w
    slack_b = leg(0.0, h_b, w, flexibility)[0] / w
    slack = dx <= L - slack_a - slack_b
    if not slack and h_a <= 0.0 and h_b <= 0.0 and flexibility == 0.0:
        return TOO_SHORT
    H = 0.0 if slack else _solve_bed_tension(dx, L, EA, w, CB, h_a, h_b)
    va, ea, va_H, va_h, ea_H, ea_V = leg(H, h_a, w, flexibility)
    vb, eb, vb_H, vb_h, eb_H, eb_V = leg(H, h_b, w, flexibility)
    g = max(L - (va + vb) / w, 0.0)
    both = (h_a > 0.0) == (h_b > 0.0)
    stretch, x_H, stretch_g = bed_stretch(H, g, CB * w, both, flexibility)
    ea_V -= stretch_g / w
    eb_V -= stretch_g / w
    x_H += ea_H + eb_H - stretch_g * (va_H + vb_H) / w
    anchored = 0.0 if both else max(H - CB * w * g, 0.0)
    out.h_a = anchored if (not both and h_a <= 0.0) else H
    out.h_b = anchored if (not both and h_b <= 0.0) else H
    out.v_a = -va
    out.v_b = vb
    out.ground_start = va / w
    out.ground_end = L - vb / w
    if g == 0.0:
        out.ground_end = out.ground_start
    out.miss = 0.0 if slack else abs((L - dx) + ea + eb + stretch)
    for j in range(3):
        dh_a = 1.0 if j == 1 else 0.0
        dh_b = 1.0 if j == 2 else 0.0
        H_q = 0.0
        if not slack:
            H_q = ((1.0 if j == 0 else 0.0) - ea_V * va_h * dh_a - eb_V * vb_h * dh_b) / x_H
        va_q = va_H * H_q + va_h * dh_a
        vb_q = vb_H * H_q + vb_h * dh_b
        end_q = H_q + CB * (va_q + vb_q) if anchored > 0.0 else 0.0
        out.stiffness[0, j] = end_q if (not both and h_a <= 0.0) else H_q
        out.stiffness[1, j] = -va_q
        out.stiffness[2, j] = end_q if (not both and h_b <= 0.0) else H_q
        out.stiffness[3, j] = vb_q
    return SLACK_ON_BED if slack else GROUNDED
