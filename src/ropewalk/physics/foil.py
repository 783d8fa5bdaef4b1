r"""Lift, drag and pitching moment of a foil in the plane across its span, and their derivatives.

The flow past the foil has the components a, from the leading to the trailing edge, and b, towards the side of lift;

.. math:: \alpha = \operatorname{atan2}(b, a), \qquad s^2 = a^2 + b^2, \qquad
    \begin{pmatrix} F_a \\ F_b \end{pmatrix} = k s \begin{pmatrix} C_D a - C_L b \\ C_D b + C_L a \end{pmatrix}, \qquad
    M = k c\, s^2 C_M, \qquad k = \tfrac12 \rho A

Flow along the span has no effect: the independence principle of [Hoerner1965], ch. 15.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import FUSED, UNCOUNTED, kernel


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def cubic(c, x):
    """Value and slope at x of a cubic with coefficients c (4,), highest power first; x in rad.

    Source: Horner's rule: p = c_0 x^3 + c_1 x^2 + c_2 x + c_3, p' = 3 c_0 x^2 + 2 c_1 x + c_2.
    """
    return ((c[0] * x + c[1]) * x + c[2]) * x + c[3], (3.0 * c[0] * x + 2.0 * c[1]) * x + c[2]


@kernel(**UNCOUNTED)
def coefficients(alpha, table, first, stop):
    r"""Lift, drag and moment coefficient of a foil, each with its slope (1/rad).

    .. math:: C(\alpha) = c_0 x^3 + c_1 x^2 + c_2 x + c_3, \qquad x = \alpha - \alpha_i

    Source: piecewise cubics through the table of the case, model/foils.py.

    alpha : angle of attack, rad, from -pi to pi    table : of all foils, FOIL_ROW of model/foils.py
    first, stop : rows of this one, which go round the circle
    """
    low, high = first, stop - 1
    while high - low > 1:
        middle = (low + high) // 2
        if table[middle].angle <= alpha:
            low = middle
        else:
            high = middle
    row, x = table[low], alpha - table[low].angle
    return cubic(row.lift, x), cubic(row.drag, x), cubic(row.moment, x)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def foil_force(a, b, laws, k, chord):
    r"""Force along a and b (N) and moment (N m), and their derivatives by a and b: F_a, F_b and M, three numbers each.

    .. math:: F_a = k s\,(C_D a - C_L b), \qquad F_b = k s\,(C_D b + C_L a), \qquad M = k c\, s^2 C_M, \qquad
              s = \sqrt{a^2 + b^2}

    Source: the heading of this file; [Hoerner1965], ch. 15.

    a, b : flow, m/s    laws : of :func:`coefficients`, at its angle    k : half density times area, kg/m
    chord : c, m
    """
    (cl, cl_slope), (cd, cd_slope), (cm, cm_slope) = laws
    s = np.sqrt(a * a + b * b)
    if s == 0.0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    ca, cb = a / s, b / s
    fa, fb = cd * ca - cl * cb, cd * cb + cl * ca
    ga, gb = cd_slope * ca - cl_slope * cb, cd_slope * cb + cl_slope * ca
    along = (k * s * s * fa, k * s * (ca * fa + cd - ga * cb), k * s * (cb * fa - cl + ga * ca))
    across = (k * s * s * fb, k * s * (ca * fb + cl - gb * cb), k * s * (cb * fb + cd + gb * ca))
    m = k * chord * s
    return along, across, (m * s * cm, m * (2.0 * ca * cm - cm_slope * cb), m * (2.0 * cb * cm + cm_slope * ca))
