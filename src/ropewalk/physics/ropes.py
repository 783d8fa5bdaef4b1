r"""Fibre ropes with memory: a slow strain that follows the mean tension, and a fast one that follows the tension.

A dashpot (viscosity :math:`B_s`, N s) beside the slow spring lets the mean tension q, that of the slow spring, follow
the tension T; the fast spring has the dynamic stiffness :math:`E_d(q) = \alpha + \beta q`, and a dashpot :math:`B_d`:

.. math:: e = x(q) + \frac{T - q}{E_d(q)} - \frac{B_d}{E_d} (\dot e - \dot z), \qquad
          B_s\, \dot z = T - q, \qquad z(q) = x(q) - f(q).

x(q) is the static curve, strain at a tension that has been held for long; z is the slow strain, f the fast one.

- VISCOELASTIC: springs in series, x = q/E_s and f = q/E_d(q), so that the slow spring is the constant
  :math:`E_s E_d / (E_d - E_s)` if :math:`\beta = 0`: [Hall2023].
- SYROPE: x is the original working curve while q is the highest mean tension there has been, and below it the working
  curve of that highest one; f is the integral of 1/E_d(q): [Falkenberg2017], as in MoorDyn.

Within a step of length h, in which T goes straight from T0 to T1, q has a closed form with the slopes at the middle of
its way; it is linear in T1, and so is the strain: :func:`step_law`. Nothing of the memory moves until the step is
accepted.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import FUSED, UNCOUNTED, kernel
from ropewalk.physics.elasticity import strain, strain_energy

NO_MEMORY, VISCOELASTIC, SYROPE = 0, 1, 2  # kinds
LINEAR_CURVE, QUADRATIC_CURVE, EXPONENTIAL_CURVE = 0, 1, 2  # forms of working curves
MEMORY = 4  # law of an element whose strain is that of the present step; beside those of physics/elasticity.py

ROPE = np.dtype(
    [
        ("kind", "i8"),
        ("law", "i8"),  # kind of physics/elasticity.py of the static curve, or of the original working curve
        ("law_start", "i8"),  # of its numbers
        ("law_stop", "i8"),
        ("dynamic", "f8"),  # alpha, N
        ("dynamic_slope", "f8"),  # beta
        ("viscosity", "f8"),  # B_s, N s
        ("dynamic_viscosity", "f8"),  # B_d, N s
        ("peak", "f8"),  # highest mean tension before the run, N
        ("form", "i8"),  # of working curves
        ("residual", "f8"),  # share of the strain at the highest mean tension that is left without tension
        ("slope", "f8"),  # of linear working curves, N; 0 where `residual` counts
        ("bend", "f8"),  # of quadratic and exponential working curves
    ],
    align=True,
)

LEAST_SLOW = 1e-6  # of dx/dq: least slope of the slow strain, where a working curve is steeper than the fast spring
SHORT = 1e-3  # step over relaxation time below which series are exact to 1e-13
PROBE = 1e-3  # of the way from q to T, at which it is seen on which curve q moves
FLAT = 1e-12  # bend below which a working curve is straight


@kernel(fastmath=FUSED, **UNCOUNTED)
def dynamic_stiffness(q, rope):
    """E_d (N) at a mean tension q (N).

    Source: E_d = alpha + beta q, [Falkenberg2017].

    rope : record of ROPE
    """
    return rope.dynamic + rope.dynamic_slope * max(q, 0.0)


@kernel(fastmath=FUSED, **UNCOUNTED)
def shape_of(share, rope):
    r"""Strain on a working curve, and its slope and area, all scaled: :math:`\xi`, d xi / d phi, integral of phi d xi.

    Source: working curves of [Falkenberg2017] as in [Wei2026] and [MoorDyn2025].

    .. math:: \phi = \xi, \qquad \phi = \xi (k \xi + 1 - k), \qquad
              \phi = \frac{e^{k \xi} - 1}{e^k - 1}

    for linear, quadratic and exponential ones, with k the bend; here inverted.    share : phi, tension over its highest
    """
    k = rope.bend
    if rope.form == LINEAR_CURVE or abs(k) < FLAT:
        return share, 1.0, 0.5 * share * share
    if rope.form == QUADRATIC_CURVE:
        root = np.sqrt((1.0 - k) * (1.0 - k) + 4.0 * k * share)
        xi = 2.0 * share / (1.0 - k + root)
        return xi, 1.0 / root, xi * xi * (k * xi / 3.0 + 0.5 * (1.0 - k))
    top = np.expm1(k)
    xi = np.log1p(top * share) / k
    return xi, top / (k * (1.0 + top * share)), (top * share / k - xi) / top


@kernel(fastmath=FUSED, **UNCOUNTED)
def _working_span(peak, rope, p):
    r"""Strains without tension and at the highest mean tension of the working curve of that tension (N).

    .. math:: x_0 = x_1 - q_m / E \quad\text{or}\quad x_0 = x(0) + r\,(x_1 - x(0)), \qquad x_1 = x(q_m)

    Source: [Falkenberg2017], as in MoorDyn [MoorDyn2025]; r is the residual strain as a fraction.

    peak : highest mean tension so far, N    rope : record of ROPE    p : numbers of the laws
    """
    top = strain(peak, rope.law, p, rope.law_start, rope.law_stop)[0]
    if rope.slope > 0.0:
        return top - peak / rope.slope, top
    foot = strain(0.0, rope.law, p, rope.law_start, rope.law_stop)[0]
    return foot + rope.residual * (top - foot), top


@kernel(fastmath=FUSED, **UNCOUNTED)
def static_strain(q, peak, rope, p):
    r"""x(q) and dx/dq (1/N): the strain at a mean tension q (N) that has been held for long.

    .. math:: x(q) \text{ on the original curve for } q \ge q_m, \qquad x = x_0 + (x_1 - x_0)\, \xi(q/q_m) \text{ below}

    Source: [Falkenberg2017]; [Hall2023] for VISCOELASTIC, which has one curve only.

    peak : highest mean tension so far, N    rope : record of ROPE    p : numbers of the laws
    """
    if rope.kind == VISCOELASTIC or q >= peak:
        return strain(q, rope.law, p, rope.law_start, rope.law_stop)
    foot, top = _working_span(peak, rope, p)
    xi, slope, _ = shape_of(q / peak, rope)
    return foot + (top - foot) * xi, (top - foot) * slope / peak


@kernel(fastmath=FUSED, **UNCOUNTED)
def static_energy(q, peak, rope, p):
    r"""Integral of q dx from no tension to q (N) along the present curve, J/m; of `static_strain`.

    .. math:: \int_0^q q'\, dx = (x_1 - x_0)\, q_m \int_0^{q/q_m} \phi\, d\xi

    Source: :func:`shape_of`.

    peak, rope, p : as :func:`static_strain`
    """
    if rope.kind == VISCOELASTIC or peak <= 0.0:
        return strain_energy(q, rope.law, p, rope.law_start, rope.law_stop)
    foot, top = _working_span(peak, rope, p)
    return (top - foot) * peak * shape_of(min(q / peak, 1.0), rope)[2]


@kernel(fastmath=FUSED, **UNCOUNTED)
def relaxation_time(q, peak, rope, p):
    r"""Time (s) in which q follows T, :math:`B_s\, dz/dq`.  Arguments of `static_strain`.

    Source: linearisation of B_s z' = T - q of the heading of this file: theta = B_s (dx/dq - df/dq).
    """
    slope, stiffness = static_strain(q, peak, rope, p)[1], dynamic_stiffness(q, rope)
    fast = rope.dynamic / (stiffness * stiffness) if rope.kind == VISCOELASTIC else 1.0 / stiffness
    return rope.viscosity * max(slope - fast, LEAST_SLOW * slope)


@kernel(fastmath=FUSED, **UNCOUNTED)
def relaxation_weights(x):
    r"""Weights (no unit) of q0, T0 and T1 in q1 after a step of x relaxation times, in which T is linear.

    Source: exact solution of theta q' = T - q for T linear in time (exponential integrator); series for small x.

    .. math:: e^{-x}, \qquad \varphi - e^{-x}, \qquad 1 - \varphi, \qquad \varphi = \frac{1 - e^{-x}}{x}
    """
    if x < SHORT:
        return np.exp(-x), x * (0.5 - x * (1.0 / 3.0 - 0.125 * x)), x * (0.5 - x * (1.0 / 6.0 - x / 24.0))
    left = np.exp(-x)
    phi = -np.expm1(-x) / x
    return left, phi - left, 1.0 - phi


@kernel(fastmath=FUSED, **UNCOUNTED)
def step_law(h, q, peak, before, rope, p):
    r"""The law of a step: strain and mean tension at its end, both linear in the tension there.

    .. math:: q_1 = e^{-x} q_0 + (\varphi - e^{-x})\, T_0 + (1 - \varphi)\, T_1, \qquad
              e_1 = x(q) + \frac{dx}{dq} (q_1 - q) + \left(\frac{1}{E_d} + \frac{\tau}{B_s}\right) (T_1 - q_1)

    Source: the heading of this file with :func:`relaxation_weights`, linearised about the predicted mean tension q.

    Returns the strain without tension and its slope by tension (1/N), the mean tension without tension (N) and its
    slope by tension, and the damping time of the fast spring (s).

    h : step, s    q, peak : mean tension and its highest so far, N    before : tension at the start of the step, N
    rope, p : as :func:`static_strain`
    """
    T0 = max(before, 0.0)
    end = q
    left, of_first, of_last = 1.0, 0.0, 0.0
    if h > 0.0:
        theta = relaxation_time(q + PROBE * (T0 - q), peak, rope, p)
        end = q - (T0 - q) * np.expm1(-h / theta)
        left, of_first, of_last = relaxation_weights(h / relaxation_time(0.5 * (q + end), peak, rope, p))
    x, slope = static_strain(end, peak, rope, p)
    stiffness = dynamic_stiffness(end, rope)
    tau = rope.dynamic_viscosity / stiffness
    lag = left * q + of_first * T0
    fast = 1.0 / stiffness + tau / rope.viscosity
    return x + slope * (lag - end) - fast * lag, slope * of_last + fast * (1.0 - of_last), lag, of_last, tau


@kernel(fastmath=FUSED, **UNCOUNTED)
def rope_energy(e, q, peak, slack, rope, p):
    r"""Energy stored per unstretched length (J/m) at a strain e.

    Source: the springs of the heading of this file.

    .. math:: W = \int_0^q q'\, dx + q g + \tfrac12 E_d g^2, \qquad g = e - x(q)

    It is that of both springs where the dynamic stiffness is constant. Shorter than without tension, the rope is slack.

    q, peak : mean tension and its highest so far, N    slack : axial stiffness in compression, N
    rope, p : as :func:`static_strain`
    """
    stiffness = dynamic_stiffness(q, rope)
    g = e - static_strain(q, peak, rope, p)[0]
    least = -q / stiffness
    loose = min(g - least, 0.0)
    g = max(g, least)
    return static_energy(q, peak, rope, p) + g * (q + 0.5 * stiffness * g) + 0.5 * slack * loose * loose
