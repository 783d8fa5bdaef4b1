"""Sections cut by the water plane: wet area, first and second moments, in closed form.

An ellipse with semi-axes a, b along the section axes 2, 3 is taken to the unit disc by
q2 = a xi2, q3 = b xi3. There the plane is the chord y = d, with y along the unit vector
n = (a R32, b R33)/w, and the wet part is y < d. R32, R33 are the vertical components of the section
axes, p3 the height of the section centre, w = sqrt(a^2 R32^2 + b^2 R33^2) its half height.

A rectangle with half sides a, b becomes the square |xi2|, |xi3| <= 1 in the same way; w then only scales d, which
reaches from -(|n2| + |n3|) to |n2| + |n3|.
"""

from __future__ import annotations

import math

from ropewalk.numerics.compile import kernel


@kernel
def disc_segment(d):
    r"""Moments of the part y < d of the unit disc: area, y, x^2 and y^2.

    .. math:: S = \arccos(-d) + d c,\; S_y = -\tfrac23 c^3,\;
              S_{xx} = \tfrac14 \arccos(-d) + \tfrac{1}{12} d c (5 - 2 d^2),\;
              S_{yy} = \tfrac14 \left[\arccos(-d) - d c (1 - 2 d^2)\right], \qquad c = \sqrt{1 - d^2}

    Source: [Herault2020], eqs. (28)-(29) with d = -h/r0, extended by the second moments. The moments of x
    and of xy are zero.

    d : position of the chord, cut to [-1, 1]
    """
    if d <= -1.0:
        return 0.0, 0.0, 0.0, 0.0
    if d >= 1.0:
        return math.pi, 0.0, 0.25 * math.pi, 0.25 * math.pi
    c = math.sqrt((1.0 - d) * (1.0 + d))
    angle = math.acos(-d)
    dc = d * c
    return (
        angle + dc,
        -2.0 / 3.0 * c * c * c,
        0.25 * angle + dc * (5.0 - 2.0 * d * d) / 12.0,
        0.25 * (angle - dc * (1.0 - 2.0 * d * d)),
    )


@kernel
def cut_ellipse(d, n2, n3, a, b):
    r"""Area and first and second moments about the centre of the part y < d of an ellipse, for a known chord.

    .. math:: A = ab\,S, \quad A_2 = ab\, a n_2 S_y, \quad A_{22} = ab\, a^2 (n_2^2 S_{yy} + n_3^2 S_{xx}), \quad
              A_{23} = ab\, ab\, n_2 n_3 (S_{yy} - S_{xx})

    with S, S_y, S_xx, S_yy of :func:`disc_segment`; A_3 and A_33 alike.

    Returns (A, A2, A3, A22, A33, A23): m2, m3, m3, m4, m4, m4, where A2 is the integral of q2 and so on.

    Source: [Herault2020], eqs. (26)-(30), the angle (25) with its arguments in the right order; second moments added
    for curved rods.

    d : position of the chord in the unit disc    n2, n3 : unit vector towards the dry side    a, b : semi-axes, m
    """
    S, Sy, Sxx, Syy = disc_segment(d)
    ab = a * b
    return (
        ab * S,
        ab * a * n2 * Sy,
        ab * b * n3 * Sy,
        ab * a * a * (Syy * n2 * n2 + Sxx * n3 * n3),
        ab * b * b * (Syy * n3 * n3 + Sxx * n2 * n2),
        ab * ab * n2 * n3 * (Syy - Sxx),
    )


@kernel
def cut_square(d, n2, n3):
    r"""Moments of the part n.xi < d of the square |xi2|, |xi3| <= 1, and the chord that cuts it.

    Source: docs/theory/rods.md, Rectangles.

    Returns (S, S2, S3, S22, S33, S23, m2, m3, l2, l3): area, first and second moments, middle of the chord, and half
    of it as a vector. By Green's theorem along the wet sides and the chord, with p, q the ends of each and
    :math:`x = p_2 q_3 - q_2 p_3`:

    .. math:: S = \tfrac12 \sum x,\; S_i = \tfrac16 \sum x (p_i + q_i),\;
              S_{ii} = \tfrac{1}{12} \sum x (p_i^2 + p_i q_i + q_i^2),\;
              S_{23} = \tfrac{1}{24} \sum x (2 p_2 p_3 + p_2 q_3 + q_2 p_3 + 2 q_2 q_3)

    d : position of the chord    n2, n3 : unit vector towards the dry side
    """
    S, S2, S3, S22, S33, S23 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    in2, in3, out2, out3 = 0.0, 0.0, 0.0, 0.0
    p2, p3 = 1.0, -1.0
    g = n2 * p2 + n3 * p3 - d
    for side in range(5):
        if side < 4:  # corners counter-clockwise: the next one is this one turned by a right angle
            q2, q3 = -p3, p2
            h = n2 * q2 + n3 * q3 - d
            a2, a3, b2, b3 = p2, p3, q2, q3
            if (g < 0.0) != (h < 0.0):
                share = g / (g - h)
                c2, c3 = p2 + share * (q2 - p2), p3 + share * (q3 - p3)
                if g < 0.0:
                    b2, b3 = c2, c3
                    out2, out3 = c2, c3
                else:
                    a2, a3 = c2, c3
                    in2, in3 = c2, c3
            wet = g < 0.0 or h < 0.0
            p2, p3, g = q2, q3, h
        else:
            a2, a3, b2, b3 = out2, out3, in2, in3
            wet = True
        if wet:
            x = a2 * b3 - b2 * a3
            S += 0.5 * x
            S2 += x * (a2 + b2) / 6.0
            S3 += x * (a3 + b3) / 6.0
            S22 += x * (a2 * a2 + a2 * b2 + b2 * b2) / 12.0
            S33 += x * (a3 * a3 + a3 * b3 + b3 * b3) / 12.0
            S23 += x * (2.0 * a2 * a3 + a2 * b3 + b2 * a3 + 2.0 * b2 * b3) / 24.0
    m2, m3, l2, l3 = 0.5 * (in2 + out2), 0.5 * (in3 + out3), 0.5 * (in2 - out2), 0.5 * (in3 - out3)
    return S, S2, S3, S22, S33, S23, m2, m3, l2, l3
