r"""Loads of sea and wind on a hull: buoyancy under the local surface, Morison forces by strips, wind.

The wave surface is replaced by its tangent plane at the body. Under it the pressure gradient is
:math:`-\rho (g e_z + \dot u)`: with the mean :math:`\dot u` of the displaced water it acts on the exactly cut volume,
buoyancy and Froude-Krylov force in one; how :math:`\dot u` varies along the axis is left to the wet strips. Water, wet
shares and the plane are those at the predicted position of a step; what depends on the body's motion within the step
has exact derivatives.

All derivatives are by position and world rotation of the body, see physics/rigidbody.py.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.blockelimination import FUSED, add3, add9, dot, outer, plus_unit, scale3, scale9, sub9, times
from ropewalk.numerics.compile import kernel
from ropewalk.physics import hydrostatics
from ropewalk.physics.rigidbody import add_block, add_column, arm_derivatives, cross3, hat9
from ropewalk.physics.waves import surface

UPRIGHT = 0.2  # cosine of the tilt, below which a cylinder is not taken as cut through its wall alone
STRIPS = 12  # of a hull, shared among its stretches by length: a cylinder's wave force is then within 0.5 %

# columns of strips
ZETA = 0  # height of the middle above the body's origin, m
THICK = 1  # length along the axis, m
RADIUS = 2  # of the middle, m
STRIP_VOLUME = 3  # m3
STRIP_COLUMNS = 4

# columns of the water at strips: 0 to 7 as in physics/waves.py
WET = 8  # share under water
WIND = 9  # 9, 10, 11: air velocity, m/s
WATER_COLUMNS = 12

# entries of the sums over strips: force, minus its derivative by velocity and (normal, axial) by acceleration, and its
# derivative by the axis, each weighted with powers of the strips' height
FORCE0, FORCE1 = 0, 3
BY_V0, BY_V1, BY_V2 = 6, 15, 24
BY_A0, BY_A1, BY_A2 = 33, 35, 37
BY_T0, BY_T1 = 39, 48
LOST = 57  # power of drag lost to the fluid, W
SUMS = 58

# entries of the sums over the wet strips of a hull: 0, 1, 2: displaced mass by powers of their height (kg, kg m, kg m2)
WATER0, WATER1 = 3, 6  # the same times the water's acceleration, powers 0 and 1 (N, N m)
ACROSS = 9  # displaced mass times a quarter of the radius squared, kg m2
REST = 10  # 10, 11, 12: what the mean acceleration leaves of the moment, over the axis; filled by `uneven_water`, N m
DISPLACED = 13
ONE_STRIP = 1e-9  # of ACROSS: second moments along the axis below it are round-off of a single wet strip


def cut_strips(profile: NDArray[np.float64]) -> NDArray[np.float64]:
    """Strips (n, STRIP_COLUMNS) of a hull of revolution; their volumes add up to the hull's.

    profile : (m, 2) z, radius from the keel up, m
    """
    total = float(profile[-1, 0] - profile[0, 0])
    rows = []
    for (z0, r0), (z1, r1) in pairwise(profile):
        if z1 <= z0 or max(r0, r1) == 0.0:
            continue
        n = max(1, round(STRIPS * (z1 - z0) / total))
        for k in range(n):
            a, b = k / n, (k + 1) / n
            low, high = r0 + a * (r1 - r0), r0 + b * (r1 - r0)
            thick = (z1 - z0) / n
            volume = np.pi / 3.0 * thick * (low * low + low * high + high * high)
            rows.append([z0 + 0.5 * (a + b) * (z1 - z0), thick, 0.5 * (low + high), volume])
    return np.array(rows).reshape(-1, STRIP_COLUMNS)


@kernel
def surface_plane(wave, x, y, t, plane):
    """Tangent plane of the wave surface over (x, y): unit normal (3) and a point of it (3, m), into plane (6,)."""
    plane[0], plane[1], plane[2] = 0.0, 0.0, 1.0
    plane[3], plane[4], plane[5] = x, y, 0.0
    if wave.shape[1] == 0:
        return
    eta, eta_x, eta_y, _ = surface(wave, x, y, t, 1.0)
    norm = 1.0 / np.sqrt(1.0 + eta_x * eta_x + eta_y * eta_y)
    plane[0], plane[1], plane[2] = -eta_x * norm, -eta_y * norm, norm
    plane[5] = eta


@kernel
def wet_share(height, thick, radius, up):
    """Share of a strip under the plane: linear over the height that the strip takes up, exact when upright.

    height : of the strip's middle above the plane, m    thick, radius : m    up : cosine of axis and normal
    """
    reach = abs(up) * thick + 2.0 * radius * np.sqrt(max(0.0, 1.0 - up * up))
    return min(1.0, max(0.0, 0.5 - height / reach))


@kernel
def sphere_share(height, radius):
    """Share of a sphere's volume under a plane.  height : of its centre above the plane, m"""
    h = min(2.0, max(0.0, (radius - height) / radius))
    return 0.25 * h * h * (3.0 - h)


@kernel(forceinline=True, fastmath=FUSED)
def pressure_gradient(body, displaced, rho, g):
    r"""Minus the mean pressure gradient in the water that a hull displaces, :math:`\rho (g e_z + \bar u)`, N/m3.

    displaced : (n, DISPLACED) sums over the wet strips of all hulls    body : which    rho, g : kg/m3, m/s2
    """
    mass = displaced[body, 0]
    f = rho / mass if mass > 0.0 else 0.0
    return f * displaced[body, WATER0], f * displaced[body, WATER0 + 1], rho * g + f * displaced[body, WATER0 + 2]


@kernel
def uneven_water(body, displaced):
    r"""Fills REST: the moment that the mean acceleration of the displaced water leaves out, over the axis (N m).

    .. math::
        \int p \times \rho (\dot u - \bar u)\,dV = t \times \left(1 - \frac{\sum \rho V r^2/4}{\sum \rho V (\zeta -
        \bar\zeta)^2}\right) \sum \rho V (\zeta - \bar\zeta)\,\dot u

    for discs on the axis t. The second term is that of the variation across them: the gradient G of the acceleration of
    an irrotational flow is symmetric, so that :math:`\sum e \times G e` over the directions across the axis is
    :math:`-t \times G t`, and the strips along the axis know G t.

    displaced : (n, DISPLACED) sums over the wet strips of all hulls    body : which
    """
    mass, first, across = displaced[body, 0], displaced[body, 1], displaced[body, ACROSS]
    centre = first / mass if mass > 0.0 else 0.0
    along = displaced[body, 2] - centre * first
    share = 1.0 - across / along if along > ONE_STRIP * across else 0.0
    for p in range(3):
        displaced[body, REST + p] = share * (displaced[body, WATER1 + p] - centre * displaced[body, WATER0 + p])


@kernel(forceinline=True, fastmath=FUSED)
def _nine_at(sums, at):
    return (
        sums[at], sums[at + 1], sums[at + 2], sums[at + 3], sums[at + 4], sums[at + 5], sums[at + 6], sums[at + 7],
        sums[at + 8],
    )  # fmt: skip


@kernel
def cap_depth(height, radius):
    """Way from the centre of a sphere down to the centroid of its wet part, m; arguments as `sphere_share`."""
    h = min(1.0, max(-1.0, height / radius))
    return 0.75 * radius * (1.0 + h) ** 2 / (2.0 + h)


@kernel
def centre_pressure(cut, centre):
    """Puts the volume and the waterplane of a sphere's cut at its centre, through which all pressure on it goes.

    cut : (SIZE,) of physics/hydrostatics.py    centre : from the body's origin, world, m
    """
    volume, area = cut[hydrostatics.VOLUME], cut[hydrostatics.AREA]
    for i in range(3):
        cut[hydrostatics.MOMENT + i] = volume * centre[i]
        cut[hydrostatics.AREA_MOMENT + i] = area * centre[i]
        for j in range(3):
            cut[hydrostatics.AREA_SECOND + 3 * i + j] = area * centre[i] * centre[j]


@kernel(forceinline=True, fastmath=FUSED)
def buoyancy_terms(cut, up, w, block):
    r"""Adds minus the lift of a hull cut by any plane in water of a constant pressure gradient, and its derivative.

    .. math::
        F = V w, \quad M = m \times w, \quad m = \int y\,dV, \qquad
        \delta V = -\int n \cdot (\delta x + \theta \times p)\,dA, \quad
        \delta m = \theta \times m - \int p\, n \cdot (\delta x + \theta \times p)\,dA

    Source: [Newman2018], sec. 6.16, for a plane of any normal n and any gradient.

    cut : (SIZE,) of physics/hydrostatics.py    up : n, tuple    w : minus the gradient, tuple, N/m3
    block : (6, 7) as in physics/rigidbody.py
    """
    volume, area = cut[hydrostatics.VOLUME], cut[hydrostatics.AREA]
    if volume == 0.0:
        return
    m = (cut[hydrostatics.MOMENT], cut[hydrostatics.MOMENT + 1], cut[hydrostatics.MOMENT + 2])
    add_column(block, 0, scale3(-volume, w))
    add_column(block, 3, cross3(w, m))
    n = (up[0], up[1], up[2])
    k, q = hydrostatics.AREA_MOMENT, hydrostatics.AREA_SECOND
    first = (cut[k], cut[k + 1], cut[k + 2])
    lift = cross3(first, w)
    add_block(block, 0, 0, scale9(area, outer(w, n)))
    add_block(block, 0, 3, outer(w, cross3(first, n)))  # dV = -area n.dx - (first x n).theta
    add_block(block, 3, 0, outer(lift, n))
    # w x dm = w x (theta x m) - w x Q (n x theta), Q the second moments of the waterplane
    turn = add9(outer(m, w), times(times(hat9(w), _nine_at(cut, q)), hat9(n)))
    add_block(block, 3, 3, plus_unit(scale9(-1.0, turn), dot(m, w)))


@kernel(forceinline=True)
def wall_cut(bottom, top, radius, axis, up, height, cut):
    r"""Cut of a cylinder whose wall alone meets the plane, in closed form; returns False if a lid does.

    .. math::
        V = \pi r^2 (\zeta_c - \zeta_0), \quad \int \zeta\,dV = \frac{\pi r^2}{2} (\zeta_c^2 - \zeta_0^2)
        + \frac{\pi r^4}{8} \tan^2\theta, \quad \int q\,dV = -\frac{\pi r^4}{4} \tan\theta

    with the plane's height zeta_c on the axis and q across it. Twenty times faster than the quadrature.

    bottom, top, radius : m    axis, up, height, cut : as in `hydrostatics.axisymmetric`
    """
    c = axis[0] * up[0] + axis[1] * up[1] + axis[2] * up[2]
    if c <= UPRIGHT:
        return False
    n = (up[0] - c * axis[0], up[1] - c * axis[1], up[2] - c * axis[2])  # sin(theta) times the direction of q
    tangent = np.sqrt(max(0.0, 1.0 - c * c)) / c
    at = -height / c
    if at - radius * tangent < bottom or at + radius * tangent > top:
        return False
    area = np.pi * radius * radius
    fourth = 0.25 * area * radius * radius
    along = 0.5 * area * (at * at - bottom * bottom) + 0.5 * fourth * tangent * tangent
    cut[hydrostatics.VOLUME] = area * (at - bottom)
    cut[hydrostatics.AREA] = area / c
    for i in range(3):
        cut[hydrostatics.MOMENT + i] = along * axis[i] - fourth / c * n[i]
        cut[hydrostatics.AREA_MOMENT + i] = area / c * at * axis[i]
        for j in range(3):
            # ellipse about its centre: r^2/4 (1 - axis axis^T) sheared into the plane, zeta = at - (n.p)/c
            same = 1.0 if i == j else 0.0
            own = same - axis[i] * axis[j] - (axis[i] * n[j] + n[i] * axis[j]) / c
            own += axis[i] * axis[j] * tangent * tangent
            cut[hydrostatics.AREA_SECOND + 3 * i + j] = area / c * at * at * axis[i] * axis[j] + fourth / c * own
    return True


@kernel(forceinline=True)
def force_terms(force, arm, block):
    """Adds minus a constant world force (N) at an arm (m, world) that turns with the body, and its derivative."""
    add_column(block, 0, scale3(-1.0, force))
    add_column(block, 3, cross3(force, arm))
    add_block(block, 3, 3, plus_unit(scale9(-1.0, outer(arm, force)), dot(arm, force)))


@kernel(forceinline=True, fastmath=FUSED)
def _put9(sums, at, f, A):
    for i in range(9):
        sums[at + i] += f * A[i]


@kernel(forceinline=True, fastmath=FUSED)
def drag_terms(t, u, bn, bt, zeta, sums):
    r"""Adds the drag of one strip, and its derivatives, to the sums.

    .. math:: f = b_n |u_n| u_n + b_t |u_t| u_t

    Source: [Morison1950] with the cross-flow principle.

    t : axis    u : fluid minus strip velocity, m/s    bn, bt : drag factors, kg/m    zeta : height on the axis, m
    """
    s = dot(u, t)
    un = add3(u, scale3(-s, t))
    speed = np.sqrt(dot(un, un))
    inverse = 1.0 / speed if speed > 0.0 else 0.0
    a, b = bn * speed, bt * abs(s)
    f = add3(scale3(a, un), scale3(b * s, t))
    dyad = scale9(bn * inverse, outer(un, un))
    by_v = plus_unit(add9(dyad, scale9(2.0 * b - a, outer(t, t))), a)
    by_t = plus_unit(add9(scale9(-s, dyad), outer(t, scale3(2.0 * b - a, u))), (b - a) * s)
    sums[LOST] += a * speed * speed + b * s * s
    for p in range(3):
        sums[FORCE0 + p] += f[p]
        sums[FORCE1 + p] += zeta * f[p]
    _put9(sums, BY_V0, 1.0, by_v)
    _put9(sums, BY_V1, zeta, by_v)
    _put9(sums, BY_V2, zeta * zeta, by_v)
    _put9(sums, BY_T0, 1.0, by_t)
    _put9(sums, BY_T1, zeta, by_t)


@kernel(forceinline=True, fastmath=FUSED)
def inertia_of_water(t, a, bend, body, displaced, normal, axial, sums):
    r"""Adds added mass of all strips of a hull, its derivatives, and the moment of :func:`uneven_water` to the sums.

    .. math::
        f = C_n D_n + C_t D_t, \qquad D = \sum \rho V (\dot u - a - \zeta q), \qquad
        q = \alpha \times t + \omega \times (\omega \times t)

    Source: [Morison1950]. Strips need not be gone through for it: their sums do not change within a step.

    t : axis    a : of the body's origin, m/s2    bend : q, 1/s2    normal, axial : coefficients C
    displaced : (n, DISPLACED) sums over the wet strips of all hulls    body : which
    """
    excess = axial - normal
    for k in range(2):
        at = WATER0 + 3 * k
        h = (displaced[body, at], displaced[body, at + 1], displaced[body, at + 2])
        D = add3(h, add3(scale3(-displaced[body, k], a), scale3(-displaced[body, k + 1], bend)))
        along = excess * dot(D, t)
        f = add3(scale3(normal, D), scale3(along, t))
        for p in range(3):
            sums[FORCE0 + 3 * k + p] += f[p]
        _put9(sums, BY_T0 + 9 * k, 1.0, plus_unit(outer(scale3(excess, t), D), along))
    for p in range(3):
        sums[FORCE1 + p] += displaced[body, REST + p]
    for k in range(3):
        sums[BY_A0 + 2 * k] += normal * displaced[body, k]
        sums[BY_A0 + 2 * k + 1] += axial * displaced[body, k]


@kernel
def point_terms(u, da, b, added, zeta, sums):
    """Adds drag, along the relative velocity, and added mass of a sphere to the sums.

    u, zeta : as in :func:`drag_terms`    da : water minus sphere acceleration, m/s2    b : drag factor, kg/m
    added : added mass, kg
    """
    speed = np.sqrt(dot(u, u))
    inverse = 1.0 / speed if speed > 0.0 else 0.0
    f = add3(scale3(b * speed, u), scale3(added, da))
    by_v = plus_unit(scale9(b * inverse, outer(u, u)), b * speed)
    sums[LOST] += b * speed * speed * speed
    for p in range(3):
        sums[FORCE0 + p] += f[p]
        sums[FORCE1 + p] += zeta * f[p]
    _put9(sums, BY_V0, 1.0, by_v)
    _put9(sums, BY_V1, zeta, by_v)
    _put9(sums, BY_V2, zeta * zeta, by_v)
    for k in range(3):
        power = 1.0 if k == 0 else (zeta if k == 1 else zeta * zeta)
        sums[BY_A0 + 2 * k] += power * added
        sums[BY_A0 + 2 * k + 1] += power * added


@kernel(forceinline=True, fastmath=FUSED)
def _by_acceleration(sums, power, t):
    normal, axial = sums[BY_A0 + 2 * power], sums[BY_A0 + 2 * power + 1]
    return plus_unit(scale9(axial - normal, outer(t, t)), normal)


@kernel
def add_strips(sums, t, e, omega, alpha, Z, bp, gp, block):
    """Adds minus the summed strip forces, and their derivative, to a body's block.

    t : axis of the strips    e : direction in which their heights count (the axis; for a sphere, that of its centre)
    omega, alpha : world, rad/s, rad/s2    Z, bp, gp : as in physics/rigidbody.py    block : (6, 7)
    """
    F0 = (sums[FORCE0], sums[FORCE0 + 1], sums[FORCE0 + 2])
    F1 = (sums[FORCE1], sums[FORCE1 + 1], sums[FORCE1 + 2])
    add_column(block, 0, scale3(-1.0, F0))
    add_column(block, 3, cross3(F1, e))
    if bp == 0.0 and gp == 0.0 and F0[0] == 0.0 and F0[1] == 0.0 and F0[2] == 0.0:
        return
    dv, da = arm_derivatives(e, omega, alpha, Z, bp, gp)
    dt = scale9(-1.0, hat9(t))
    S0, S1, S2 = _nine_at(sums, BY_V0), _nine_at(sums, BY_V1), _nine_at(sums, BY_V2)
    A0, A1, A2 = _by_acceleration(sums, 0, t), _by_acceleration(sums, 1, t), _by_acceleration(sums, 2, t)
    across = hat9(e)
    add_block(block, 0, 0, add9(scale9(gp, S0), scale9(bp, A0)))
    add_block(block, 3, 0, times(across, add9(scale9(gp, S1), scale9(bp, A1))))
    turn = sub9(add9(times(S1, dv), times(A1, da)), times(_nine_at(sums, BY_T0), dt))
    add_block(block, 0, 3, turn)
    turn = sub9(add9(times(S2, dv), times(A2, da)), times(_nine_at(sums, BY_T1), dt))
    add_block(block, 3, 3, plus_unit(sub9(times(across, turn), outer(e, F1)), dot(F1, e)))
