"""Hulls cut by a plane water surface: displaced volume, its moment, and the waterplane, exactly.

The plane is given by its unit normal `up` and the height of the hull's origin above it. All moments
are about the body's origin, in world directions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.numerics.blockelimination import FUSED, add9, dot, outer, plus_unit, scale3, scale9, times
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.rigidbody import add_block, add_column, cross3, hat9

# Gauss-Legendre on [-1, 1]. The integrands below are analytic in the angle they are integrated over;
# 24 points leave 1e-15 of the volume for any cut of a cone whose wall is not nearly parallel to the water.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
UP = (0.0, 0.0, 1.0)
STEEP = 0.1  # cos^2 of the tilt above which the cut is followed round the waterline, not along the axis

# A hull cut by a plane, in arrays of one row; a record, so that fields have names with the compiler off too.
CUT = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("volume", "f8"),  # displaced, m3
                ("moment", "f8", (3,)),  # of the volume, m4
                ("area", "f8"),  # of the waterplane, m2
                ("area_moment", "f8", (3,)),  # its first moment, m3
                ("area_second", "f8", (3, 3)),  # its second moments, m4
            ],
            align=True,
        ),
    )
)


class Axes(NamedTuple):
    """Directions of a hull of revolution in the world, each (3,)."""

    axis: Any
    across: Any  # towards the normal of the water
    chord: Any


class Cone(NamedTuple):
    """A straight stretch of the profile: radius r0 + k (zeta - z0), centre h0 + c (zeta - z0) above the water."""

    z0: float  # m
    r0: float  # m
    k: float
    h0: float  # m
    c: float  # cosine and sine of the tilt
    s: float


@kernel(**UNCOUNTED)
def clear_cut(cut):
    """Set a cut, (1,) of CUT, to 0. Bookkeeping."""
    own = cut[0]
    own.volume = own.area = 0.0
    for i in range(3):
        own.moment[i] = own.area_moment[i] = 0.0
        for j in range(3):
            own.area_second[i, j] = 0.0


@kernel(**UNCOUNTED)
def _add_strip(cut, axes, zeta, d, b, weight):
    """Add the waterplane strip at zeta (m): centre zeta axis + d across, half width b along chord; weight = dzeta/sin.

    Source: docs/theory/hydrostatics.md, A hull of revolution.
    """
    axis, across, chord = axes
    area = 2.0 * b * weight
    own = 2.0 / 3.0 * b * b * b * weight
    cut[0].area += area
    for i in range(3):
        pi = zeta * axis[i] + d * across[i]
        cut[0].area_moment[i] += area * pi
        for j in range(3):
            pj = zeta * axis[j] + d * across[j]
            cut[0].area_second[i, j] += area * pi * pj + own * chord[i] * chord[j]


@kernel(**UNCOUNTED)
def _add_slice(cut, axes, zeta, u, r, weight):
    r"""Add the volume (m3) of the disc segment q < u r at zeta, thickness weight (m).

    Source: docs/theory/hydrostatics.md, A hull of revolution.

    .. math:: A = r^2 (\varphi - \sin\varphi\cos\varphi), \quad
              \int q\,dA = -\tfrac23 r^3 \sin^3\varphi, \quad u = -\cos\varphi
    """
    axis, across, _ = axes
    u = min(1.0, max(-1.0, u))
    phi = np.arccos(-u)
    sine = np.sqrt((1.0 - u) * (1.0 + u))
    area = r * r * (phi + u * sine)
    first = -2.0 / 3.0 * r * r * r * sine * sine * sine
    cut[0].volume += weight * area
    for i in range(3):
        cut[0].moment[i] += weight * (area * zeta * axis[i] + first * across[i])


@kernel(**UNCOUNTED)
def _round_waterline(cut, axes, cone, u_low, u_high):
    r"""Cut part of a cone (m3), followed by the angle round its waterline (u = -cos phi); fit for small tilt.

    .. math:: \zeta = -\frac{h_0 + u s r_0}{c + u s k}, \qquad
              \frac{1}{s} \left|\frac{d\zeta}{d\varphi}\right| = \frac{|r_0 c - k h_0|}{(c + u s k)^2} \sin\varphi

    Source: docs/theory/hydrostatics.md, Small tilt.    axes : `Axes`    cone : `Cone`
    """
    z0, r0, k, h0, c, s = cone
    low, high = np.arccos(-u_low), np.arccos(-u_high)
    for m in range(_NODES.size):
        phi = 0.5 * (low + high) + 0.5 * (high - low) * _NODES[m]
        u = -np.cos(phi)
        stretch = c + u * s * k
        local = -(h0 + u * s * r0) / stretch
        r = r0 + k * local
        # d zeta / (s d phi), without dividing by the sine of the tilt
        rate = (r0 * c - k * h0) / (stretch * stretch) * np.sin(phi)
        weight = abs(rate) * 0.5 * abs(high - low) * _WEIGHTS[m]
        _add_slice(cut, axes, z0 + local, u, r, weight * s)
        _add_strip(cut, axes, z0 + local, u * r, r * np.sin(phi), weight)


@kernel(**UNCOUNTED)
def _along_axis(cut, axes, cone, low, high):
    r"""Cut part of a cone from local coordinate low to high (m), clustered at both ends; fit for large tilt.

    .. math:: \zeta = \zeta_0 + \tfrac12 (\zeta_1 - \zeta_0)(1 - \cos\psi), \qquad d = -h/s, \qquad b = \sqrt{r^2 - d^2}

    Source: docs/theory/hydrostatics.md, Small tilt: clustering removes the square roots at the ends.

    axes : `Axes`    cone : `Cone`
    """
    z0, r0, k, h0, c, s = cone
    for m in range(_NODES.size):
        psi = 0.5 * np.pi * (1.0 + _NODES[m])
        local = low + 0.5 * (high - low) * (1.0 - np.cos(psi))
        weight = 0.25 * np.pi * (high - low) * np.sin(psi) * _WEIGHTS[m]
        r = r0 + k * local
        d = -(h0 + c * local) / s
        _add_slice(cut, axes, z0 + local, d / r, r, weight)
        b = np.sqrt(max(0.0, (r - d) * (r + d)))
        _add_strip(cut, axes, z0 + local, d, b, weight / s)


@kernel(**UNCOUNTED)
def _add_frustum(cut, axis, cone, low, high):
    r"""Whole frustum (m3) between local coordinates low and high; three Gauss points are exact.

    .. math:: V = \int \pi r^2\, d\zeta

    Source: Gauss-Legendre rule, exact for r^2 zeta.
    """
    z0, r0, k, _, _, _ = cone
    for m in range(3):
        x = (m - 1) * np.sqrt(0.6)
        w = 8.0 / 9.0 if m == 1 else 5.0 / 9.0
        local = 0.5 * (low + high) + 0.5 * (high - low) * x
        area = np.pi * (r0 + k * local) ** 2 * 0.5 * (high - low) * w
        cut[0].volume += area
        for i in range(3):
            cut[0].moment[i] += area * (z0 + local) * axis[i]


@kernel
def _cone(cut, axes, stretch, height, c, s):
    """One straight stretch of the profile, from zeta and radius z0, r0 to z1, r1 (m).

    Source: docs/theory/hydrostatics.md: cut where the rim meets the water, h + s r = 0 and h - s r = 0.
    """
    z0, r0, z1, r1 = stretch
    length = z1 - z0
    k = (r1 - r0) / length
    h0 = height + c * z0
    cone = Cone(z0, r0, k, h0, c, s)
    cuts = np.empty(4)
    cuts[0], cuts[3] = 0.0, length
    for i in range(2):
        sign = 1.0 if i == 0 else -1.0  # where the deepest (+) and the highest (-) point of the rim meet the water
        slope = c + sign * s * k
        meets = -(h0 + sign * s * r0) / slope if slope != 0.0 else 0.0
        cuts[1 + i] = min(length, max(0.0, meets))
    if cuts[1] > cuts[2]:
        cuts[1], cuts[2] = cuts[2], cuts[1]
    follow = c * c > STEEP and abs(c) > 2.0 * abs(s * k)
    for i in range(3):
        low, high = cuts[i], cuts[i + 1]
        middle = 0.5 * (low + high)
        h, r = h0 + c * middle, r0 + k * middle
        if high > low and h <= -s * r:
            _add_frustum(cut, axes.axis, cone, low, high)
        elif high > low and h < s * r and not follow:
            _along_axis(cut, axes, cone, low, high)
    if follow:
        bottom, top = _immersion(h0, r0, s), _immersion(h0 + c * length, r1, s)
        if bottom != top:
            _round_waterline(cut, axes, cone, min(bottom, top), max(bottom, top))


@kernel(**UNCOUNTED)
def _immersion(h, r, s):
    """u = -h / (s r) in [-1, 1]: 1 if the disc of radius r, centre h above the water, is drowned, -1 if dry.

    Source: docs/theory/hydrostatics.md: d = r u.
    """
    if h <= -s * r:
        return 1.0
    if h >= s * r:
        return -1.0
    return -h / (s * r)


@kernel
def axisymmetric(profile, axis, up, height, cut):
    r"""Displacement and waterplane of a hull of revolution cut by a plane, exact for cones and cylinders.

    .. math:: V = \int A(\zeta)\,d\zeta, \qquad A_w = \int 2 b(\zeta)\,\frac{d\zeta}{\sin\theta}

    with A the wetted segment of the disc at zeta, b its half chord, theta the tilt; see docs/theory/hydrostatics.md.

    profile : (n, 2) zeta, radius from the keel up, m    axis : (3,) unit axis of the hull in the world
    up : (3,) unit normal of the water plane    height : of the body's origin above the plane, m
    cut : (1,) of CUT, filled
    """
    clear_cut(cut)
    c = axis[0] * up[0] + axis[1] * up[1] + axis[2] * up[2]
    across = np.empty(3)
    chord = np.empty(3)
    s = _perpendicular(axis, up, c, across, chord)
    for i in range(profile.shape[0] - 1):
        z0, r0, z1, r1 = profile[i, 0], profile[i, 1], profile[i + 1, 0], profile[i + 1, 1]
        if z1 > z0 and (r0 > 0.0 or r1 > 0.0):
            _cone(cut, Axes(axis, across, chord), (z0, r0, z1, r1), height, c, s)


@kernel(**UNCOUNTED)
def _perpendicular(axis, up, c, across, chord):
    r"""Unit vector across the axis towards `up`, and the chord direction; returns the sine of the tilt.

    .. math:: e = \frac{k - c\,a}{s}, \qquad t = a \times e, \qquad s = |k - c\,a|

    Source: docs/theory/hydrostatics.md, A hull of revolution.
    """
    s = 0.0
    for i in range(3):
        across[i] = up[i] - c * axis[i]
        s += across[i] * across[i]
    s = np.sqrt(s)
    if s == 0.0:  # upright: any direction across the axis serves
        i = 0 if abs(axis[0]) < 0.9 else 1
        for j in range(3):
            across[j] = (1.0 if j == i else 0.0) - axis[i] * axis[j]
        norm = np.sqrt(across[0] ** 2 + across[1] ** 2 + across[2] ** 2)
    else:
        norm = s
    for i in range(3):
        across[i] /= norm
    chord[0] = axis[1] * across[2] - axis[2] * across[1]
    chord[1] = axis[2] * across[0] - axis[0] * across[2]
    chord[2] = axis[0] * across[1] - axis[1] * across[0]
    return s


@kernel(**UNCOUNTED)
def sphere(centre, radius, up, height, cut):
    r"""Displacement and waterplane of a sphere cut by a plane.

    Source: docs/theory/hydrostatics.md, Small tilt.

    .. math:: V = \tfrac{\pi}{3} t^2 (3 R - t), \qquad \int q\,dV = -\tfrac{\pi}{4} (R^2 - h^2)^2

    with t the draught, h the height of the centre above the plane and q measured from the centre along `up`.

    centre : (3,) relative to the body's origin, world, m    up, height, cut : as in `axisymmetric`
    """
    clear_cut(cut)
    h = height + centre[0] * up[0] + centre[1] * up[1] + centre[2] * up[2]
    if h >= radius:
        return
    t = min(2.0 * radius, radius - h)
    volume = np.pi / 3.0 * t * t * (3.0 * radius - t)
    disc = max(0.0, (radius - h) * (radius + h))  # radius of the waterplane, squared
    shift = -0.25 * np.pi * disc * disc
    area = np.pi * disc
    cut[0].volume = volume
    cut[0].area = area
    for i in range(3):
        cut[0].moment[i] = volume * centre[i] + shift * up[i]
        pi = centre[i] - h * up[i]
        cut[0].area_moment[i] = area * pi
        for j in range(3):
            own = (1.0 if i == j else 0.0) - up[i] * up[j]
            cut[0].area_second[i, j] = area * (pi * (centre[j] - h * up[j]) + 0.25 * disc * own)


@kernel(forceinline=True, **UNCOUNTED)
def _vector(a):
    """Three numbers of an array as a tuple. Bookkeeping."""
    return a[0], a[1], a[2]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _second_moments(cut):
    """Second moments of the waterplane (m4) as a tuple of nine. Bookkeeping."""
    a = cut[0].area_second
    return a[0, 0], a[0, 1], a[0, 2], a[1, 0], a[1, 1], a[1, 2], a[2, 0], a[2, 1], a[2, 2]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def buoyancy_terms(cut, up, w, block):
    r"""Adds minus the lift of a hull cut by any plane in water of a constant pressure gradient, and its derivative.

    .. math::
        F = V w, \quad M = m \times w, \quad m = \int y\,dV, \qquad
        \delta V = -\int n \cdot (\delta x + \theta \times p)\,dA, \quad
        \delta m = \theta \times m - \int p\, n \cdot (\delta x + \theta \times p)\,dA

    Source: [Newman2018], sec. 6.16, for a plane of any normal n and any gradient.

    cut : (1,) of CUT    up : n, tuple    w : minus the gradient, tuple, N/m3
    block : (6, 7) as in physics/rigidbody.py
    """
    volume, area = cut[0].volume, cut[0].area
    if volume == 0.0:
        return
    m = _vector(cut[0].moment)
    add_column(block, 0, scale3(-volume, w))
    add_column(block, 3, cross3(w, m))
    n, first = (up[0], up[1], up[2]), _vector(cut[0].area_moment)
    lift = cross3(first, w)
    add_block(block, 0, 0, scale9(area, outer(w, n)))
    add_block(block, 0, 3, outer(w, cross3(first, n)))  # dV = -area n.dx - (first x n).theta
    add_block(block, 3, 0, outer(lift, n))
    # w x dm = w x (theta x m) - w x Q (n x theta), Q the second moments of the waterplane
    turn = add9(outer(m, w), times(times(hat9(w), _second_moments(cut)), hat9(n)))
    add_block(block, 3, 3, plus_unit(scale9(-1.0, turn), dot(m, w)))


@kernel
def buoyancy(cut, specific_weight, wrench, stiffness):
    r"""Adds still-water buoyancy and its stiffness, about the body's origin, world axes.

    .. math:: F_z = \gamma V,\quad M = \gamma \left(\int y\,dV, -\int x\,dV, 0\right),\quad
              K = -\partial(F, M)/\partial(x, \theta)

    for translations and world rotations about the origin; K is not symmetric away from
    equilibrium.  Source: [Newman2018], sec. 6.16, extended to any attitude, :func:`buoyancy_terms`.

    cut : (1,) of CUT, of a hull cut by z = 0    specific_weight : rho g, N/m3
    wrench : (6,) N, N m    stiffness : (6, 6)
    """
    block = np.zeros((6, 7))
    buoyancy_terms(cut, UP, (0.0, 0.0, specific_weight), block)
    for i in range(6):
        wrench[i] -= block[i, 6]
        for j in range(6):
            stiffness[i, j] += block[i, j]


@kernel(forceinline=True, **UNCOUNTED)
def arm_stiffness(force, arm):
    r"""Stiffness (N m) of the moment of a constant world force at an arm that rotates with its body.

    .. math:: -\frac{\partial (a \times F)}{\partial\theta} = (a \cdot F)\, 1 - a F^T

    Source: docs/theory/assemblies.md, The exact 6 x 6 stiffness.    force : F, N    arm : a, world, m; tuples
    """
    return plus_unit(scale9(-1.0, outer(arm, force)), dot(arm, force))


@kernel(forceinline=True, **UNCOUNTED)
def force_terms(force, arm, block):
    r"""Adds minus a constant world force at an arm that rotates with the body, and its derivative, to a body's block.

    .. math:: M = a \times F

    Source: docs/theory/assemblies.md, and :func:`arm_stiffness`.    force : F, N    arm : a, m    block : (6, 7)
    """
    add_column(block, 0, scale3(-1.0, force))
    add_column(block, 3, cross3(force, arm))
    add_block(block, 3, 3, arm_stiffness(force, arm))
