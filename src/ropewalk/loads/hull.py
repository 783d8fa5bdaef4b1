r"""Forces of sea and wind on a hull by strips: Morison forces, end discs; on foils, windage and drag areas.

Strips and end discs sit on the axis of a hull, at the heights zeta from its place; a sphere, a windage or drag
area, or a foil, is one strip at that place. How the water's acceleration varies along the axis is left to the wet
strips, its mean is part of the lift: loads/cut.py. Water and wet shares are those at the predicted position of a step;
what depends on the body's motion within the step has exact derivatives, by position and world rotation of the body, see
physics/rigidbody.py.
"""

from __future__ import annotations

import numpy as np

from ropewalk.loads.cut import buoyancy_in_waves, height_over_plane, surface_plane, vector
from ropewalk.loads.float import cap_depth, wet_sphere
from ropewalk.loads.oriented import area_load, foil_load, spin_drag, turning_terms
from ropewalk.loads.point import round_drag
from ropewalk.loads.sea import water_at_place, wind_now
from ropewalk.model.bodies import HULL_DRAG, HULL_FOIL, HULL_SPHERE, HULL_WINDAGE, LAST_AREA
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
from ropewalk.physics.drag import drag, drag_by_tangent, drag_by_velocity
from ropewalk.physics.rigidbody import add_block, add_column, arm_derivatives, arm_rates, cross3, hat9
from ropewalk.physics.waves import COLUMNS
from ropewalk.physics.wind import wind

ONE_STRIP = 1e-9  # of the second moment across: second moments along the axis below it are round-off of one wet strip

# water at a strip, filled by `water_on_hull`
STRIP_WATER = np.dtype(
    [
        ("flow", "f8", (COLUMNS,)),  # of physics/waves.py
        ("wet", "f8"),  # share under water
        ("wind", "f8", (3,)),  # air velocity, m/s
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


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def wet_strip(height, thick, radius, up):
    """Share of a strip under the plane: linear over the height that the strip takes up, exact when upright.

    Source: own approximation, w = 1/2 - h/(l |cos| + 2 r sin) in [0, 1]; docs/theory/bodies.md, Loads.
    height : of the strip's middle above the plane, m    thick : its `ramp`, m    radius : m
    up : cosine of axis and normal
    """
    reach = abs(up) * thick + 2.0 * radius * np.sqrt(max(0.0, 1.0 - up * up))
    return min(1.0, max(0.0, 0.5 - height / reach))


@kernel(forceinline=True, **UNCOUNTED)
def wet_share(hull, strip, height, up):
    """Wet fraction of a strip under the plane; w = 0 for windage above it. Source: docs/theory/bodies.md, Loads.

    hull, strip : records    height : of the strip above the plane, m    up : cosine of the hull's axis and the normal
    """
    if hull.kind == HULL_SPHERE or hull.kind == HULL_DRAG:
        return wet_sphere(height, hull.radius)[0]
    if hull.kind == HULL_WINDAGE:
        return 0.0 if height > 0.0 else 1.0
    return wet_strip(height, strip.ramp, strip.radius, up)


@kernel(**COUNTED)
def water_on_hull(hull, x, R, t, sea, strip, water, around):
    """Surface plane, water, wet shares and wind of a hull at its body's place and attitude and time t (s).

    Source: docs/theory/bodies.md, Loads: strips at r = x + e + zeta t, water of loads/sea.py at each, wind where h > 0.
    hull : record of HULL    x, R : place (m) and attitude of the body    sea : as in loads/sea.py, and of its wind
    strip, water : of all hulls, STRIP and STRIP_WATER    around : record of HULL_WATER; both are filled
    """
    centre = add3(x, onto(R, vector(hull.place)))
    surface_plane(sea.wave, centre[0], centre[1], t, around)
    up, axis, at = vector(around.up), onto(R, vector(hull.axis)), np.zeros(3)
    speed, heading = wind_now(t, sea)
    around.across = 0.0
    for p in range(3):
        around.mass[p] = around.force[p] = around.moment[p] = 0.0
    for i in range(hull.strip, hull.strip_stop):
        own, here = strip[i], water[i]
        place = add3(centre, scale3(own.zeta, axis))
        height = height_over_plane(place, around)
        here.wet = wet_share(hull, own, height, dot(axis, up)) if sea.water_density > 0.0 else 0.0
        if here.wet > 0.0 and hull.kind != HULL_WINDAGE:
            if hull.kind == HULL_SPHERE:
                place = add3(place, scale3(-cap_depth(height, hull.radius), up))
            at[0], at[1], at[2] = place
            water_at_place(at, t, sea, here.flow)
            _displace(own, here, sea.water_density * here.wet * own.volume, around)
        if here.wet < 1.0:
            here.wind[0], here.wind[1], here.wind[2] = wind(height, speed, heading)
    uneven_water(around)


@kernel(**UNCOUNTED)
def _displace(strip, water, mass, around):
    """Adds the water of a wet strip to the sums of its hull: sum m (1, zeta, zeta^2), sum m r^2/4, sum m (1, zeta) u'.

    Source: docs/theory/bodies.md, Froude-Krylov force: mass m = rho w V (kg).    around : HULL_WATER
    """
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
    """Velocity of the water at a strip, m/s. Bookkeeping."""
    return water.flow[0], water.flow[1], water.flow[2]


@kernel(forceinline=True, **UNCOUNTED)
def strip_acceleration(water):
    """Acceleration of the water at a strip, m/s2. Bookkeeping."""
    return water.flow[3], water.flow[4], water.flow[5]


@kernel(**UNCOUNTED)
def uneven_water(around):
    r"""Fills `rest`: the moment that the mean acceleration of the displaced water leaves out, over the axis (N m).

    Source: docs/theory/bodies.md, Froude-Krylov force.
    .. math::
        \int p \times \rho (\dot u - \bar u)\,dV = t \times \left(1 - \frac{\sum \rho V r^2/4}{\sum \rho V (\zeta -
        \bar\zeta)^2}\right) \sum \rho V (\zeta - \bar\zeta)\,\dot u

    for discs on the axis t. The second term is that of the variation across them: the gradient G of the acceleration of
    an irrotational flow is symmetric, so that :math:`\sum e \times G e` over the directions across the axis is
    :math:`-t \times G t`, and the strips along the axis give G t.

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
    """Nine numbers of an array as a tuple. Bookkeeping."""
    return a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _put9(row, f, A):
    """Adds a multiple of nine numbers, in their unit, to a row: x_i = x_i + f A_i.  Source: definition."""
    for i in range(9):
        row[i] += f * A[i]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _add_sums(sums, zeta, f, by_v):
    """Adds force (N) and derivative at zeta (m): F_k = sum zeta^k f, S_k = sum zeta^k df/du. Source: `add_strips`."""
    powers = (1.0, zeta, zeta * zeta)
    for k in range(2):
        for p in range(3):
            sums.force[k, p] += powers[k] * f[p]
    for k in range(3):
        _put9(sums.by_v[k], powers[k], by_v)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def drag_terms(t, u, bn, bt, zeta, sums):
    """Adds the drag of one strip, f = b_n |u_n| u_n + b_t |u_t| u_t, and its derivatives, to the sums.

    Source: [Morison1950] by the cross-flow principle, :func:`ropewalk.physics.drag.drag`; docs/theory/bodies.md, Loads.
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
        h = vector(around.force if k == 0 else around.moment)
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
def disc_terms(t, u, da, b, added, zeta, sums):
    r"""Adds drag and added mass of an end disc, along the axis, to the sums.

    Source: docs/guide/buoys.md; as the end coefficients of rods in [MoorDyn2025].
    .. math:: f = \left(b\, |u \cdot t|\, u \cdot t + m_a\, \delta a \cdot t\right) t

    t, u, zeta : as in :func:`drag_terms`    da : water minus disc acceleration, m/s2    b : drag factor, kg/m
    added : added mass m_a, kg
    """
    drag_terms(t, u, 0.0, b, zeta, sums)
    along = added * dot(da, t)
    by_t = plus_unit(outer(scale3(added, t), da), along)
    powers = (1.0, zeta, zeta * zeta)
    for k in range(2):
        for p in range(3):
            sums.force[k, p] += powers[k] * along * t[p]
        _put9(sums.by_t[k], powers[k], by_t)
    for k in range(3):
        sums.by_a[k, 1] += powers[k] * added


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def point_terms(u, da, b, added, zeta, sums):
    """Adds drag and added mass of a sphere, f = b |u| u + m_a (u_w' - r''), to the sums.

    Source: [Morison1950]; docs/theory/bodies.md, Loads.
    u, zeta : as in :func:`drag_terms`    da : water minus sphere acceleration, m/s2    b : drag factor, kg/m
    added : added mass m_a, kg
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
    """A = a_n (1 - t t^T) + a_t t t^T, kg m^k, k the power. Source: docs/theory/morison.md, Inertia."""
    normal, axial = sums.by_a[power, 0], sums.by_a[power, 1]
    return plus_unit(scale9(axial - normal, outer(t, t)), normal)


@kernel(**UNCOUNTED)
def add_strips(sums, t, e, spin, Z, step, block):
    r"""Adds minus the summed strip forces, and their derivative, to a body's block.

    Source: docs/theory/bodies.md, Several hulls; v and a by :func:`ropewalk.physics.rigidbody.arm_derivatives`.
    .. math:: F = F_0, \quad M = e \times F_0 + t \times F_1, \qquad
        -\frac{\partial F_k}{\partial\theta} = S_k v_e + A_k a_e + S_{k+1} v_t + A_{k+1} a_t - T_k t_\theta

    for strips at the arms e + zeta t, with the derivatives v and a of velocity and acceleration of an arm by rotation.

    sums : record of SUMS    t : axis of the strips    e : arm of the hull's place, m; both in the world
    spin : omega, alpha in the world, rad/s, rad/s2    Z : as in physics/rigidbody.py    step : bp, gp    block : (6, 7)
    """
    (omega, alpha), (bp, gp) = spin, step
    F0, F1 = vector(sums.force[0]), vector(sums.force[1])
    add_column(block, 0, scale3(-1.0, F0))
    add_column(block, 3, cross3(F1, t))
    has_arm = e[0] != 0.0 or e[1] != 0.0 or e[2] != 0.0
    if has_arm:
        add_column(block, 3, cross3(F0, e))
    if bp == 0.0 and gp == 0.0 and F0[0] == 0.0 and F0[1] == 0.0 and F0[2] == 0.0:
        return
    dv, da = arm_derivatives(t, omega, alpha, Z, bp, gp)
    dt = scale9(-1.0, hat9(t))
    S0, S1, S2 = _nine(sums.by_v[0]), _nine(sums.by_v[1]), _nine(sums.by_v[2])
    A0, A1, A2 = _by_acceleration(sums, 0, t), _by_acceleration(sums, 1, t), _by_acceleration(sums, 2, t)
    across = hat9(t)
    way0, way1 = add9(scale9(gp, S0), scale9(bp, A0)), add9(scale9(gp, S1), scale9(bp, A1))
    turn0 = sub9(add9(times(S1, dv), times(A1, da)), times(_nine(sums.by_t[0]), dt))
    turn1 = sub9(add9(times(S2, dv), times(A2, da)), times(_nine(sums.by_t[1]), dt))
    if has_arm:
        dv, da = arm_derivatives(e, omega, alpha, Z, bp, gp)
        turn0 = add9(turn0, add9(times(S0, dv), times(A0, da)))
        turn1 = add9(turn1, add9(times(S1, dv), times(A1, da)))
        lever = hat9(e)
        add_block(block, 3, 0, times(lever, way0))
        add_block(block, 3, 3, plus_unit(sub9(times(lever, turn0), outer(e, F0)), dot(F0, e)))
    add_block(block, 0, 0, way0)
    add_block(block, 3, 0, times(across, way1))
    add_block(block, 0, 3, turn0)
    add_block(block, 3, 3, plus_unit(sub9(times(across, turn1), outer(t, F1)), dot(F1, t)))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def drag_along(hull, strip, water, around, rho):
    """Drag factor along the axis per volume of wet strips (kg/m4): of the largest wet section, shared by volume.

    Source: docs/theory/bodies.md, Drag and added mass: b_t/V = rho c_t A_max/(2 V_wet).
    hull : record    strip, water : of all hulls    around : record of HULL_WATER    rho : kg/m3
    """
    mass = around.mass[0]
    if hull.drag_along == 0.0 or mass == 0.0:
        return 0.0
    largest = 0.0
    for i in range(hull.strip, hull.strip_stop):
        if strip[i].volume > 0.0:
            largest = max(largest, water[i].wet * np.pi * strip[i].radius ** 2)
    return 0.5 * rho * hull.drag_along * largest * rho / mass


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def strip_factors(hull, strip, wet, along, rho):
    """Drag factors of a strip or an end disc across and along the axis, kg/m.

    Source: docs/theory/bodies.md, Drag and added mass: b_n = rho c_n r l w, b_t = (b_t/V) w V + rho c A w/2 of an end
    disc. hull, strip : records    wet : share of the strip    along : of :func:`drag_along`    rho : kg/m3
    """
    disc = 0.5 * rho * strip.disc_drag * wet
    return rho * hull.drag_across * strip.radius * strip.thick * wet, along * wet * strip.volume + disc


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def sphere_factors(hull, wet, rho):
    """Drag factor b = rho c pi R^2 w/2 (kg/m) and added mass C_a rho V w (kg) of a sphere.  hull : record    wet : w

    Source: [Morison1950]; C_a = 1/2 deep in the water, [Newman2018].    rho : kg/m3
    """
    disc, volume = np.pi * hull.radius**2, 4.0 / 3.0 * np.pi * hull.radius**3
    return 0.5 * rho * hull.drag_across * disc * wet, hull.added_across * rho * volume * wet


@kernel(forceinline=True, **UNCOUNTED)
def strip_terms(hull, rates, t, strip, water, around, rho, sums):
    """Morison and wind forces (N) of strips and end discs of a hull into the sums.

    Source: [Morison1950]; docs/theory/bodies.md, Drag and added mass. Wind acts on the dry part, b = rho_a c d l (1 -
    w)/2. hull : record    rates : velocity and acceleration of its place, angular velocity and acceleration; tuples t :
    axis    others as in :func:`drag_along`
    """
    v, a, omega, alpha = rates
    spin, bend = arm_rates(t, omega, alpha)
    if around.mass[0] > 0.0:
        inertia_of_water(t, a, bend, around, (hull.added_across, hull.added_along), sums)
    along = drag_along(hull, strip, water, around, rho)
    if hull.drag_across == 0.0 and along == 0.0 and hull.wind_drag == 0.0 and hull.has_discs == 0:
        return
    for i in range(hull.strip, hull.strip_stop):
        own, wet = strip[i], water[i].wet
        vs = add3(v, scale3(own.zeta, spin))
        if wet > 0.0:
            u = sub3(strip_velocity(water[i]), vs)
            bn, bt = strip_factors(hull, own, wet, along, rho)
            if own.thick > 0.0:
                drag_terms(t, u, bn, bt, own.zeta, sums)
            else:
                da = sub3(strip_acceleration(water[i]), add3(a, scale3(own.zeta, bend)))
                disc_terms(t, u, da, bt, rho * wet * own.added_along, own.zeta, sums)
        if wet < 1.0 and hull.wind_drag > 0.0:
            side = 2.0 * own.radius * own.thick
            drag_terms(t, sub3(vector(water[i].wind), vs), hull.wind_drag * side * (1.0 - wet), 0.0, own.zeta, sums)


@kernel(**UNCOUNTED)
def sphere_terms(hull, rates, water, rho, sums):
    """Drag, added mass and wind force of a sphere into the sums.

    Source: [Morison1950]; :func:`sphere_factors`, in the wind b = rho_a c pi R^2 (1 - w)/2.
    hull : record    rates : as in :func:`strip_terms`    water : its STRIP_WATER record    rho : kg/m3
    """
    v, a, _, _ = rates
    wet = water.wet
    if wet > 0.0:
        u, relative = sub3(strip_velocity(water), v), sub3(strip_acceleration(water), a)
        b, added = sphere_factors(hull, wet, rho)
        point_terms(u, relative, b, added, 0.0, sums)
    if wet < 1.0 and hull.wind_drag > 0.0:
        b = hull.wind_drag * np.pi * hull.radius**2 * (1.0 - wet)
        point_terms(sub3(vector(water.wind), v), ZERO3, b, 0.0, 0.0, sums)


@kernel(**UNCOUNTED)
def oriented_terms(hull, pose, rates, water, table, rho, step, block):
    """Adds the force on a foil or an area to the block of its body; returns the power it loses, W.

    Source: :func:`ropewalk.loads.oriented.turning_terms`, with the relative flow u = u_w - (v + omega x e).
    hull : record    pose, rates : of the body, as in :func:`hull_terms`    water : its STRIP_WATER record
    table : of all foils, FOIL_ROW    rho : kg/m3    step : bp, gp    block : (6, 7)
    """
    (_, R, Z), (v, _, omega, alpha) = pose, rates
    e, share = onto(R, vector(hull.place)), water.wet
    own = add3(v, cross3(omega, e))
    if hull.kind == HULL_FOIL:
        if share == 0.0:
            return 0.0
        flow = sub3(strip_velocity(water), own)
        return turning_terms(foil_load(hull, R, flow, table, rho * share), flow, e, (omega, alpha), Z, step, block)
    if hull.kind == HULL_DRAG:
        b = 0.5 * rho * share
        if b == 0.0:
            return 0.0
        flow = sub3(strip_velocity(water), own)
        lost = turning_terms(area_load(hull.areas, R, flow, b), flow, e, (omega, alpha), Z, step, block)
        return lost + spin_drag(hull.turning, R, omega, Z, b, step[1], block)
    if share == 1.0 or hull.wind_drag == 0.0:
        return 0.0
    flow = sub3(vector(water.wind), own)
    return turning_terms(area_load(hull.areas, R, flow, hull.wind_drag), flow, e, (omega, alpha), Z, step, block)


@kernel(forceinline=True, **UNCOUNTED)
def hull_terms(hull, pose, rates, around, arrays, fluid, step, block):
    """Adds buoyancy, Morison and wind forces of a hull to the block of its body; returns the power that drag loses, W.

    Source: docs/theory/bodies.md, Loads: F = V w of :func:`buoyancy_in_waves`, and :func:`morison_terms`.
    hull : record    pose : position x (m), attitude R and Z of physics/rigidbody.py, of the body    rates : of the body
    around : record of HULL_WATER    arrays : profile, strip, water of all hulls; cut and sums (1,), scratch; rows of
    all foils    fluid : rho, g    step : bp, gp    block : (6, 7)
    """
    x, R, _ = pose
    if fluid[0] > 0.0 and hull.kind > LAST_AREA:
        buoyancy_in_waves(hull, (x, R), around, arrays[0], fluid, arrays[3], block)
    return morison_terms(hull, pose, rates, around, arrays, fluid[0], step, block)


@kernel(forceinline=True, **UNCOUNTED)
def morison_terms(hull, pose, rates, around, arrays, rho, step, block):
    """As :func:`hull_terms`, without buoyancy.    rho : kg/m3"""
    (_, R, Z), (_, strip, water, _, sums, table), (v, a, omega, alpha) = pose, arrays, rates
    if hull.kind <= LAST_AREA:
        return oriented_terms(hull, pose, rates, water[hull.strip], table, rho, step, block)
    axis, e, total = onto(R, vector(hull.axis)), onto(R, vector(hull.place)), sums[0]
    _clear(total)
    dv, da = arm_rates(e, omega, alpha)
    own = (add3(v, dv), add3(a, da), omega, alpha)
    if hull.kind == HULL_SPHERE:
        sphere_terms(hull, own, water[hull.strip], rho, total)
    else:
        strip_terms(hull, own, axis, strip, water, around, rho, total)
    add_strips(total, axis, e, (omega, alpha), Z, step, block)
    return total.lost


@kernel(**UNCOUNTED)
def _clear(sums):
    """Set a record of SUMS to 0. Bookkeeping."""
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
