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

from ropewalk.loads.float import cap_depth, wet_sphere
from ropewalk.loads.point import round_drag
from ropewalk.loads.sea import water_at_place, wind_now
from ropewalk.model.arrays import Records, records
from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_SPHERE
from ropewalk.numerics.blockelimination import (
    COUNTED,
    FUSED,
    UNCOUNTED,
    ZERO3,
    add3,
    add9,
    dot,
    onto,
    outer,
    plus_unit,
    scale3,
    scale9,
    sub3,
    sub9,
    times,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics import hydrostatics
from ropewalk.physics.drag import drag, drag_by_tangent, drag_by_velocity
from ropewalk.physics.rigidbody import add_block, add_column, arm_derivatives, arm_rates, cross3, hat9
from ropewalk.physics.waves import COLUMNS, surface
from ropewalk.physics.wind import wind

UPRIGHT = 0.2  # cosine of the tilt, below which a cylinder is not taken as cut through its wall alone
STRIPS = 12  # of a hull, shared among its stretches by length: a cylinder's wave force is then within 0.5 %
ONE_STRIP = 1e-9  # of the second moment across: second moments along the axis below it are round-off of one wet strip

STRIP = np.dtype(
    [
        ("zeta", "f8"),  # height of the middle above the body's origin, m
        ("thick", "f8"),  # length along the axis, m
        ("radius", "f8"),  # of the middle, m
        ("volume", "f8"),  # m3
    ],
    align=True,
)
# water at a strip, filled by `water_on_hull`
STRIP_WATER = np.dtype(
    [
        ("flow", "f8", (COLUMNS,)),  # of physics/waves.py
        ("wet", "f8"),  # share under water
        ("wind", "f8", (3,)),  # air velocity, m/s
    ],
    align=True,
)
# water about a hull, filled by `water_on_hull`
HULL_WATER = np.dtype(
    [
        ("up", "f8", (3,)),  # unit normal of the surface's tangent plane
        ("point", "f8", (3,)),  # of that plane, m
        ("mass", "f8", (3,)),  # displaced by the wet strips, by powers 0, 1, 2 of their height: kg, kg m, kg m2
        ("force", "f8", (3,)),  # that times the water's acceleration, N
        ("moment", "f8", (3,)),  # and times the height, N m
        ("across", "f8"),  # displaced mass times a quarter of the radius squared, kg m2
        ("rest", "f8", (3,)),  # what the mean acceleration leaves of the moment, over the axis, N m; by `uneven_water`
    ],
    align=True,
)
# Sums over strips, weighted with powers of their height: force, minus its derivative by velocity and (normal, axial) by
# acceleration, and its derivative by the axis. Matrices are rows of 9 numbers.
SUMS = np.dtype(
    [
        ("force", "f8", (2, 3)),
        ("by_v", "f8", (3, 9)),
        ("by_a", "f8", (3, 2)),
        ("by_t", "f8", (2, 9)),
        ("lost", "f8"),  # power of drag lost to the fluid, W
    ],
    align=True,
)


def cut_strips(profile: NDArray[np.float64]) -> Records:
    """(n,) of STRIP, of a hull of revolution; their volumes add up to the hull's.

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
            rows.append((z0 + 0.5 * (a + b) * (z1 - z0), thick, 0.5 * (low + high), volume))
    return np.array(rows, dtype=STRIP).view(np.recarray)


def one_strip(radius: float) -> Records:
    """(1,) of STRIP: a sphere, of which only the volume is read."""
    strip = records(1, STRIP)
    strip.volume = 4.0 / 3.0 * np.pi * radius**3
    return strip


@kernel(**COUNTED)
def surface_plane(wave, x, y, t, around):
    """Tangent plane of the wave surface over (x, y), m, at time t (s): fills `up` and `point` of HULL_WATER."""
    around.up[0], around.up[1], around.up[2] = 0.0, 0.0, 1.0
    around.point[0], around.point[1], around.point[2] = x, y, 0.0
    if wave.shape[1] == 0:
        return
    eta, eta_x, eta_y, _ = surface(wave, x, y, t, 1.0)
    norm = 1.0 / np.sqrt(1.0 + eta_x * eta_x + eta_y * eta_y)
    around.up[0], around.up[1], around.up[2] = -eta_x * norm, -eta_y * norm, norm
    around.point[2] = eta


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def height_over_plane(x, around):
    """Height of a place (m) over the tangent plane of the surface, along its normal, m."""
    up, point = around.up, around.point
    return up[0] * (x[0] - point[0]) + up[1] * (x[1] - point[1]) + up[2] * (x[2] - point[2])


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def wet_strip(height, thick, radius, up):
    """Share of a strip under the plane: linear over the height that the strip takes up, exact when upright.

    height : of the strip's middle above the plane, m    thick, radius : m    up : cosine of axis and normal
    """
    reach = abs(up) * thick + 2.0 * radius * np.sqrt(max(0.0, 1.0 - up * up))
    return min(1.0, max(0.0, 0.5 - height / reach))


@kernel(forceinline=True, **UNCOUNTED)
def _vector(a):
    return a[0], a[1], a[2]


@kernel(**COUNTED)
def water_on_hull(body, x, R, t, sea, strip, water, around):
    """Surface plane, water, wet shares and wind of a hull at its place and attitude and time t (s).

    body : record of BODY    x, R : place (m) and attitude    sea : as in loads/sea.py, and of its wind
    strip, water : of all hulls, STRIP and STRIP_WATER    around : record of HULL_WATER; both are filled
    """
    surface_plane(sea.wave, x[0], x[1], t, around)
    up, axis, at = _vector(around.up), (R[2], R[5], R[8]), np.zeros(3)
    centre, (speed, heading) = onto(R, _vector(body.sphere)), wind_now(t, sea)
    is_sphere = body.hull == HULL_SPHERE
    around.across = 0.0
    for p in range(3):
        around.mass[p] = around.force[p] = around.moment[p] = 0.0
    for i in range(body.strip, body.strip_stop):
        own, here = strip[i], water[i]
        place = add3(x, centre if is_sphere else scale3(own.zeta, axis))
        height = height_over_plane(place, around)
        if is_sphere:
            share = wet_sphere(height, body.radius)[0]
        else:
            share = wet_strip(height, own.thick, own.radius, dot(axis, up))
        here.wet = share if sea.water_density > 0.0 else 0.0
        if here.wet > 0.0:
            if is_sphere:
                place = add3(place, scale3(-cap_depth(height, body.radius), up))
            at[0], at[1], at[2] = place
            water_at_place(at, t, sea, here.flow)
            _displace(own, here, sea.water_density * here.wet * own.volume, around)
        if here.wet < 1.0:
            here.wind[0], here.wind[1], here.wind[2] = wind(height, speed, heading)
    uneven_water(around)


@kernel(**UNCOUNTED)
def _displace(strip, water, mass, around):
    """Adds the mass (kg) of water that a wet strip displaces to the sums of its hull."""
    zeta = strip.zeta
    around.mass[0] += mass
    around.mass[1] += mass * zeta
    around.mass[2] += mass * zeta * zeta
    around.across += 0.25 * mass * strip.radius**2
    a = strip_acceleration(water)
    for p in range(3):
        around.force[p] += mass * a[p]
        around.moment[p] += mass * zeta * a[p]


@kernel(forceinline=True, **UNCOUNTED)
def strip_velocity(water):
    """Velocity of the water at a strip, m/s."""
    return water.flow[0], water.flow[1], water.flow[2]


@kernel(forceinline=True, **UNCOUNTED)
def strip_acceleration(water):
    """Acceleration of the water at a strip, m/s2."""
    return water.flow[3], water.flow[4], water.flow[5]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def pressure_gradient(around, fluid):
    r"""Minus the mean pressure gradient in the water that a hull displaces, :math:`\rho (g e_z + \bar u)`, N/m3.

    around : record of HULL_WATER    fluid : rho, g; kg/m3, m/s2
    """
    rho, g = fluid
    mass = around.mass[0]
    f = rho / mass if mass > 0.0 else 0.0
    return f * around.force[0], f * around.force[1], rho * g + f * around.force[2]


@kernel(**UNCOUNTED)
def uneven_water(around):
    r"""Fills `rest`: the moment that the mean acceleration of the displaced water leaves out, over the axis (N m).

    .. math::
        \int p \times \rho (\dot u - \bar u)\,dV = t \times \left(1 - \frac{\sum \rho V r^2/4}{\sum \rho V (\zeta -
        \bar\zeta)^2}\right) \sum \rho V (\zeta - \bar\zeta)\,\dot u

    for discs on the axis t. The second term is that of the variation across them: the gradient G of the acceleration of
    an irrotational flow is symmetric, so that :math:`\sum e \times G e` over the directions across the axis is
    :math:`-t \times G t`, and the strips along the axis know G t.

    around : record of HULL_WATER
    """
    mass, first, across = around.mass[0], around.mass[1], around.across
    centre = first / mass if mass > 0.0 else 0.0
    along = around.mass[2] - centre * first
    share = 1.0 - across / along if along > ONE_STRIP * across else 0.0
    for p in range(3):
        around.rest[p] = share * (around.moment[p] - centre * around.force[p])


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _nine(a):
    return a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]


@kernel(forceinline=True, **UNCOUNTED)
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


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _second_moments(cut):
    k = hydrostatics.AREA_SECOND
    return (
        cut[k], cut[k + 1], cut[k + 2], cut[k + 3], cut[k + 4], cut[k + 5], cut[k + 6], cut[k + 7], cut[k + 8],
    )  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
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
    k = hydrostatics.AREA_MOMENT
    first = (cut[k], cut[k + 1], cut[k + 2])
    lift = cross3(first, w)
    add_block(block, 0, 0, scale9(area, outer(w, n)))
    add_block(block, 0, 3, outer(w, cross3(first, n)))  # dV = -area n.dx - (first x n).theta
    add_block(block, 3, 0, outer(lift, n))
    # w x dm = w x (theta x m) - w x Q (n x theta), Q the second moments of the waterplane
    turn = add9(outer(m, w), times(times(hat9(w), _second_moments(cut)), hat9(n)))
    add_block(block, 3, 3, plus_unit(scale9(-1.0, turn), dot(m, w)))


@kernel(forceinline=True, **UNCOUNTED)
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


@kernel(forceinline=True, **UNCOUNTED)
def force_terms(force, arm, block):
    """Adds minus a constant world force (N) at an arm (m, world) that turns with the body, and its derivative."""
    add_column(block, 0, scale3(-1.0, force))
    add_column(block, 3, cross3(force, arm))
    add_block(block, 3, 3, plus_unit(scale9(-1.0, outer(arm, force)), dot(arm, force)))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _put9(row, f, A):
    for i in range(9):
        row[i] += f * A[i]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _add_sums(sums, zeta, f, by_v):
    """Adds a force and its derivative at a height on the axis to the sums of moments about the origin."""
    powers = (1.0, zeta, zeta * zeta)
    for k in range(2):
        for p in range(3):
            sums.force[k, p] += powers[k] * f[p]
    for k in range(3):
        _put9(sums.by_v[k], powers[k], by_v)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def drag_terms(t, u, bn, bt, zeta, sums):
    r"""Adds the drag of one strip, and its derivatives, to the sums: the law of physics/drag.py.

    t : axis    u : fluid minus strip velocity, m/s    bn, bt : drag factors, kg/m    zeta : height on the axis, m
    sums : record of SUMS
    """
    f, parts = drag(u, t, bn, bt)
    by_t = drag_by_tangent(u, t, parts)
    sums.lost += dot(f, u)
    _add_sums(sums, zeta, f, drag_by_velocity(t, parts))
    _put9(sums.by_t[0], 1.0, by_t)
    _put9(sums.by_t[1], zeta, by_t)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def inertia_of_water(t, a, bend, around, added, sums):
    r"""Adds added mass of all strips of a hull, its derivatives, and the moment of :func:`uneven_water` to the sums.

    .. math::
        f = C_n D_n + C_t D_t, \qquad D = \sum \rho V (\dot u - a - \zeta q), \qquad
        q = \alpha \times t + \omega \times (\omega \times t)

    Source: [Morison1950]. Strips need not be gone through for it: their sums do not change within a step.

    t : axis    a : of the body's origin, m/s2    bend : q, 1/s2    around : record of HULL_WATER
    added : coefficients C, normal and axial    sums : record of SUMS
    """
    normal, axial = added
    excess = axial - normal
    for k in range(2):
        h = _vector(around.force if k == 0 else around.moment)
        D = add3(h, add3(scale3(-around.mass[k], a), scale3(-around.mass[k + 1], bend)))
        along = excess * dot(D, t)
        f = add3(scale3(normal, D), scale3(along, t))
        for p in range(3):
            sums.force[k, p] += f[p]
        _put9(sums.by_t[k], 1.0, plus_unit(outer(scale3(excess, t), D), along))
    for p in range(3):
        sums.force[1, p] += around.rest[p]
    for k in range(3):
        sums.by_a[k, 0] += normal * around.mass[k]
        sums.by_a[k, 1] += axial * around.mass[k]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def point_terms(u, da, b, added, zeta, sums):
    """Adds drag, along the relative velocity, and added mass of a sphere to the sums.

    u, zeta : as in :func:`drag_terms`    da : water minus sphere acceleration, m/s2    b : drag factor, kg/m
    added : added mass, kg
    """
    f, by_v = round_drag(u, b)
    sums.lost += dot(f, u)
    _add_sums(sums, zeta, add3(f, scale3(added, da)), by_v)
    for k in range(3):
        power = 1.0 if k == 0 else (zeta if k == 1 else zeta * zeta)
        sums.by_a[k, 0] += power * added
        sums.by_a[k, 1] += power * added


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _by_acceleration(sums, power, t):
    normal, axial = sums.by_a[power, 0], sums.by_a[power, 1]
    return plus_unit(scale9(axial - normal, outer(t, t)), normal)


@kernel(**UNCOUNTED)
def add_strips(sums, t, e, spin, Z, step, block):
    """Adds minus the summed strip forces, and their derivative, to a body's block.

    sums : record of SUMS    t : axis of the strips    e : direction in which their heights count (the axis; for a
    sphere, that of its centre)    spin : omega, alpha in the world, rad/s, rad/s2    Z : as in physics/rigidbody.py
    step : bp, gp    block : (6, 7)
    """
    (omega, alpha), (bp, gp) = spin, step
    F0, F1 = _vector(sums.force[0]), _vector(sums.force[1])
    add_column(block, 0, scale3(-1.0, F0))
    add_column(block, 3, cross3(F1, e))
    if bp == 0.0 and gp == 0.0 and F0[0] == 0.0 and F0[1] == 0.0 and F0[2] == 0.0:
        return
    dv, da = arm_derivatives(e, omega, alpha, Z, bp, gp)
    dt = scale9(-1.0, hat9(t))
    S0, S1, S2 = _nine(sums.by_v[0]), _nine(sums.by_v[1]), _nine(sums.by_v[2])
    A0, A1, A2 = _by_acceleration(sums, 0, t), _by_acceleration(sums, 1, t), _by_acceleration(sums, 2, t)
    across = hat9(e)
    add_block(block, 0, 0, add9(scale9(gp, S0), scale9(bp, A0)))
    add_block(block, 3, 0, times(across, add9(scale9(gp, S1), scale9(bp, A1))))
    turn = sub9(add9(times(S1, dv), times(A1, da)), times(_nine(sums.by_t[0]), dt))
    add_block(block, 0, 3, turn)
    turn = sub9(add9(times(S2, dv), times(A2, da)), times(_nine(sums.by_t[1]), dt))
    add_block(block, 3, 3, plus_unit(sub9(times(across, turn), outer(e, F1)), dot(F1, e)))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def drag_along(body, strip, water, around, rho):
    """Drag factor along the axis per volume of wet strips (kg/m4): of the largest wet section, shared by volume.

    body : record    strip, water : of all hulls    around : record of HULL_WATER    rho : kg/m3
    """
    mass = around.mass[0]
    if body.drag_along == 0.0 or mass == 0.0:
        return 0.0
    largest = 0.0
    for i in range(body.strip, body.strip_stop):
        largest = max(largest, water[i].wet * np.pi * strip[i].radius ** 2)
    return 0.5 * rho * body.drag_along * largest * rho / mass


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def strip_factors(body, strip, wet, along, rho):
    """Drag factors of a strip across and along the axis, kg/m.

    body, strip : records    wet : share of the strip    along : of :func:`drag_along`    rho : kg/m3
    """
    return rho * body.drag_across * strip.radius * strip.thick * wet, along * wet * strip.volume


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def sphere_factors(body, wet, rho):
    """Drag factor (kg/m) and added mass (kg) of a sphere.  body : record    wet : share    rho : kg/m3"""
    disc, volume = np.pi * body.radius**2, 4.0 / 3.0 * np.pi * body.radius**3
    return 0.5 * rho * body.drag_across * disc * wet, body.added_across * rho * volume * wet


@kernel(forceinline=True, **UNCOUNTED)
def strip_terms(body, rates, t, strip, water, around, rho, sums):
    """Morison and wind forces of the strips of a hull into the sums.

    body : record    rates : velocity and acceleration of the origin, angular velocity and acceleration; tuples
    t : axis    others as in :func:`drag_along`
    """
    v, a, omega, alpha = rates
    spin, bend = arm_rates(t, omega, alpha)
    if around.mass[0] > 0.0:
        inertia_of_water(t, a, bend, around, (body.added_across, body.added_along), sums)
    along = drag_along(body, strip, water, around, rho)
    if body.drag_across == 0.0 and along == 0.0 and body.wind_drag == 0.0:
        return
    for i in range(body.strip, body.strip_stop):
        own, wet = strip[i], water[i].wet
        vs = add3(v, scale3(own.zeta, spin))
        if wet > 0.0:
            bn, bt = strip_factors(body, own, wet, along, rho)
            drag_terms(t, sub3(strip_velocity(water[i]), vs), bn, bt, own.zeta, sums)
        if wet < 1.0 and body.wind_drag > 0.0:
            side = 2.0 * own.radius * own.thick
            drag_terms(t, sub3(_vector(water[i].wind), vs), body.wind_drag * side * (1.0 - wet), 0.0, own.zeta, sums)


@kernel(**UNCOUNTED)
def sphere_terms(body, rates, arm, water, rho, sums):
    """Forces on the sphere of a body into the sums.  arm : of its centre, world, m    water : its STRIP_WATER record"""
    v, a, omega, alpha = rates
    wet = water.wet
    dv, da = arm_rates(arm, omega, alpha)
    vs, acceleration = add3(v, dv), add3(a, da)
    zeta = np.sqrt(dot(arm, arm))
    if wet > 0.0:
        u, relative = sub3(strip_velocity(water), vs), sub3(strip_acceleration(water), acceleration)
        b, added = sphere_factors(body, wet, rho)
        point_terms(u, relative, b, added, zeta, sums)
    if wet < 1.0 and body.wind_drag > 0.0:
        b = body.wind_drag * np.pi * body.radius**2 * (1.0 - wet)
        point_terms(sub3(_vector(water.wind), vs), ZERO3, b, 0.0, zeta, sums)


@kernel(**COUNTED)
def _cut_profile(first, stop, profile, axis, up, height, cut):
    """Cut of the hull of revolution in rows first to stop of the profiles, by quadrature; tuples axis and up."""
    hydrostatics.axisymmetric(profile[first:stop], np.array(axis), np.array(up), height, cut)


@kernel(**COUNTED)
def _cut_sphere(arm, radius, up, height, cut):
    """Cut of a sphere; tuples arm and up."""
    hydrostatics.sphere(np.array(arm), radius, np.array(up), height, cut)


@kernel(**UNCOUNTED)
def cut_hull(body, R, up, height, profile, cut):
    """Cut of a hull by a plane, into cut (SIZE,) of physics/hydrostatics.py; zero for bodies without a hull.

    body : record    R : attitude    up : unit normal of the plane    height : of the origin above it, m
    profile : (m, 2) of all hulls
    """
    for i in range(cut.size):
        cut[i] = 0.0
    if body.hull == HULL_SPHERE:
        _cut_sphere(onto(R, _vector(body.sphere)), body.radius, up, height, cut)
    elif body.hull == HULL_AXISYMMETRIC:
        i, j, axis = body.profile, body.profile_stop, (R[2], R[5], R[8])
        radius = profile[i, 1]
        is_wall = j - i == 2 and radius == profile[i + 1, 1]
        if not (is_wall and wall_cut(profile[i, 0], profile[i + 1, 0], radius, axis, up, height, cut)):
            _cut_profile(i, j, profile, axis, up, height, cut)


@kernel(forceinline=True, **UNCOUNTED)
def hull_terms(body, pose, rates, around, arrays, fluid, step, block):
    """Adds buoyancy, Morison and wind forces of a hull to its block.

    body : record    pose : place x (m), attitude R and Z of physics/rigidbody.py    rates : as in :func:`strip_terms`
    around : record of HULL_WATER    arrays : profile, strip, water of all hulls; cut (SIZE,), sums (1,), scratch
    fluid : rho, g    step : bp, gp    block : (6, 7)
    """
    (x, R, _), (profile, _, _, cut, _) = pose, arrays
    if fluid[0] > 0.0:
        up = _vector(around.up)
        cut_hull(body, R, up, height_over_plane(x, around), profile, cut)
        if body.hull == HULL_SPHERE:
            centre_pressure(cut, onto(R, _vector(body.sphere)))
        buoyancy_terms(cut, up, pressure_gradient(around, fluid), block)
    morison_terms(body, pose, rates, around, arrays, fluid[0], step, block)


@kernel(forceinline=True, **UNCOUNTED)
def morison_terms(body, pose, rates, around, arrays, rho, step, block):
    """As :func:`hull_terms`, without buoyancy.  rho : kg/m3"""
    (_, R, Z), (_, strip, water, _, sums) = pose, arrays
    axis, total = (R[2], R[5], R[8]), sums[0]
    _clear(total)
    direction = axis
    if body.hull == HULL_SPHERE:
        arm = onto(R, _vector(body.sphere))
        sphere_terms(body, rates, arm, water[body.strip], rho, total)
        length = np.sqrt(dot(arm, arm))
        direction = scale3(1.0 / length, arm) if length > 0.0 else axis
    else:
        strip_terms(body, rates, axis, strip, water, around, rho, total)
    add_strips(total, axis, direction, (rates[2], rates[3]), Z, step, block)


@kernel(**UNCOUNTED)
def _clear(sums):
    """Empties a record of SUMS."""
    sums.lost = 0.0
    for k in range(3):
        sums.by_a[k, 0] = sums.by_a[k, 1] = 0.0
        for p in range(9):
            sums.by_v[k, p] = 0.0
    for k in range(2):
        for p in range(3):
            sums.force[k, p] = 0.0
        for p in range(9):
            sums.by_t[k, p] = 0.0
