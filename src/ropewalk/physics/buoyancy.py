"""Sections cut by the water plane: wet area, first and second moments, in closed form.

An ellipse with semi-axes a, b along the section axes 2, 3 is taken to the unit disc by
q2 = a xi2, q3 = b xi3. There the plane is the chord y = d, with y along the unit vector
n = (a R32, b R33)/w, and the wet part is y < d. R32, R33 are the vertical components of the section
axes, p3 the height of the section centre, w = sqrt(a^2 R32^2 + b^2 R33^2) its half height.
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
def half_height(R32, R33, a, b):
    """Half the vertical extent of an elliptical section (m): w = sqrt(a^2 R32^2 + b^2 R33^2).

    Source: [Herault2020], eq. (27).

    R32, R33 : vertical components of the section axes    a, b : semi-axes, m
    """
    return math.sqrt(a * a * R32 * R32 + b * b * R33 * R33)


@kernel
def wet_ellipse(p3, R32, R33, a, b):
    r"""Wet area and its first and second moments about the centre of an elliptical section.

    Returns (A, A2, A3, A22, A33, A23): m2, m3, m3, m4, m4, m4, where A2 is the integral of q2 and so on.

    Source: [Herault2020], eqs. (26)-(30), the angle (25) with its arguments in the right order; second moments
    added for curved rods. A section parallel to the surface is wholly wet or wholly dry.

    p3 : height of the centre, m    R32, R33 : vertical components of the section axes    a, b : semi-axes, m
    """
    w = half_height(R32, R33, a, b)
    if p3 >= w:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if p3 <= -w:
        area = math.pi * a * b
        return area, 0.0, 0.0, 0.25 * area * a * a, 0.25 * area * b * b, 0.0
    return cut_ellipse(-p3 / w, a * R32 / w, b * R33 / w, a, b)


@kernel
def cut_ellipse(d, n2, n3, a, b):
    """Moments of the part y < d of an ellipse, as `wet_ellipse`, for a known chord.

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
