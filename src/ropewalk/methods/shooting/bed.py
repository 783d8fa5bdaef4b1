r"""The part of a line that rests on a rigid, plane bed, from its anchor or a place on the bed to its lift-off.

The unknown force at the start of such an arc is read as in the closed-form catenary: the component normal to
the bed is minus the weight that lies on it, so the bed part ends where

.. math:: n_N + \int_0^{s_t} p\, ds = 0, \qquad p = -f \cdot N.

Straight: with friction (or without loads along the bed) the part lies straight, in the direction d of the
force's component in the plane, which is that at lift-off. Friction is Coulomb's: what it holds across the line,
of drag and of a slope, is not left to hold the line back. The tension falls towards the start, not below zero,

.. math:: T(s) = \max\Bigl(0,\; T_t - \int_s^{s_t} \kappa\, ds\Bigr), \qquad
          \kappa = \sqrt{(\mu p)^2 - |g_\perp|^2} - g \cdot d, \qquad
          r_t = r_0 + d \int_0^{s_t} (1 + \varepsilon(T))\, ds.

g is the load in the plane, with the drag of the line as long as its tension at the far end of each span stretches it.
Where the line lifts off at something attached to it, the bed carries part of that, with its own friction.

Source: [Jonkman2007], sec. 2.7, extended to slopes, several sections and any law. Without friction and with
loads along the bed the part is a string in the plane, integrated as such (phase GROUNDED).
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.string import DRY, STATE, WET, made_of, strain_at, string_slope
from ropewalk.loads.point import still_lift
from ropewalk.loads.sea import current_here
from ropewalk.numerics.bracket import bracketed
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.drag_law import any_drag

LIFT_ITERATIONS = 60  # bisection alone needs 50; Newton 4
LIFT_TOLERANCE = 1.0e-15  # of a span: round-off
PARTS = 16  # of a span on the bed whose properties vary: tension then errs by 1e-3 of its change, squared
UNDER_WATER = -np.inf  # m, height of what lies on the bed over the surface
TILT = 1.0e-5  # of a unit direction: central differences err by its square
HANGING, SLIDING, STRAIGHT = 0, 1, 2  # how an arc starts: off the bed, as a string on it, straight on it

# Gauss-Legendre on [0, 1], five points: exact for laws up to degree nine in the tension
_X, _W = np.polynomial.legendre.leggauss(5)
_X = 0.5 + 0.5 * _X
_W = 0.5 * _W


@kernel(**UNCOUNTED)
def bed_load(span, s, wet, sea, law_data, load):
    """Weight, buoyancy and tables (N/m) at s of a span, into load (3,).

    Source: f = f_0 + s f_1 + (m/m_0 - 1) f_m + gamma A e_z, docs/theory/shooting.md, The string.
    """
    ratio, buoyancy, _, _ = made_of(s, span, law_data, sea)
    for i in range(3):
        load[i] = span.load[i] + s * span.slope[i] + (ratio - 1.0) * span.inertial[i]
    if wet:
        load[2] += buoyancy


@kernel(**UNCOUNTED)
def _stretch(T, rate, low, at, span, law, law_data):
    r"""Integrals of strain, compliance and compliance times distance over a stretch where T falls back from its end.

    .. math:: \int \varepsilon(T)\,dx, \quad \int \varepsilon'(T)\,dx, \quad \int \varepsilon'(T)\,x\,dx, \qquad
              T = T_1 - \kappa x

    Source: Gauss points; the heading of this file.

    T : at the far end, N    rate : dT/ds, N/m    low : length of the stretch, m    at : s of its far end in the span, m
    Stops where T reaches zero.
    """
    reach = low if rate <= 0.0 else min(low, T / rate)
    a, b, c = 0.0, 0.0, 0.0
    for k in range(_X.size):
        x = reach * _X[k]
        e, de = strain_at(max(T - rate * x, 0.0), at - x, span, law, law_data)
        a += reach * _W[k] * e
        b += reach * _W[k] * de
        c += reach * _W[k] * de * x
    return a, b, c


@kernel(**UNCOUNTED)
def press(span, s, wet, sea, law_data, load):
    """Load on the bed (N/m) at s of a span; `load` (3,) becomes the load itself.

    Source: p = -f . N, the heading of this file.
    """
    bed_load(span, s, wet, sea, law_data, load)
    return -(load[0] * sea.bed_normal[0] + load[1] * sea.bed_normal[1] + load[2] * sea.bed_normal[2])


@kernel(**UNCOUNTED)
def mean_press(span, low, high, wet, sea, law_data, load):
    """Mean load on the bed (N/m) between two places of a span; `load` (3,) becomes the mean load itself.

    Source: (1/l) int p ds, p = -f . N, by Gauss points; exact at the middle for a linear load.
    """
    if span.profile < 0:
        return press(span, 0.5 * (low + high), wet, sea, law_data, load)
    x, y, z, p = 0.0, 0.0, 0.0, 0.0
    for k in range(_X.size):
        p += _W[k] * press(span, low + _X[k] * (high - low), wet, sea, law_data, load)
        x, y, z = x + _W[k] * load[0], y + _W[k] * load[1], z + _W[k] * load[2]
    load[0], load[1], load[2] = x, y, z
    return p


@kernel(**UNCOUNTED)
def _used_up(left, ds, span, wet, sea, law_data, load):
    """Place in a span of length ds (m) where the weight from its start is `left` (N): Newton within the span.

    Source: int_0^x p ds = W of the heading of this file.
    """
    x = min(ds, left / mean_press(span, 0.0, ds, wet, sea, law_data, load))
    if span.profile < 0 and span.slope[0] == 0.0 and span.slope[1] == 0.0 and span.slope[2] == 0.0:
        return x
    low, high = 0.0, ds
    for _ in range(LIFT_ITERATIONS):
        over = x * mean_press(span, 0.0, x, wet, sea, law_data, load) - left
        p = press(span, x, wet, sea, law_data, load)
        new, low, high = bracketed(x, over, -over / p if p > 0.0 else np.nan, low, high)
        change = abs(new - x)
        x = new
        if change <= LIFT_TOLERANCE * ds:
            break
    return x


@kernel(**UNCOUNTED)
def load_on_bed(span, sea, normal, force):
    """Force of the point load at a span's end on the bed (N), 0 if there is none; force : (3,) memory.

    Source: P = -(F + rho g V e_z) . N with N the normal of the bed; docs/theory/shooting.md, On the bed.
    """
    if span.bound == 0.0:
        return 0.0
    for i in range(3):
        force[i] = span.jump[i]
    force[2] += still_lift(span.float_volume, UNDER_WATER, (sea.water_density, sea.gravity))[0]
    return -(force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2])


@kernel(**UNCOUNTED)
def _held_back(dx, dy, dz, load, u, friction, drags):
    r"""What holds a line on the bed back per length (N/m): friction that is left over, less the load along it.

    .. math:: \kappa = \sqrt{(\mu p)^2 - |g_\perp|^2} - g \cdot d

    Source: the heading of this file.

    dx, dy, dz : direction    load : (3,) in the plane, N/m    u : (3,) current in it, m/s    friction : most of it, N/m
    drags : drag across and along (kg/m2) and address of its law
    """
    size = np.sqrt(dx * dx + dy * dy + dz * dz)
    if size == 0.0:
        return friction
    dx, dy, dz = dx / size, dy / size, dz / size
    across, along, law = drags
    f, _ = any_drag((u[0], u[1], u[2]), (dx, dy, dz), (across, along, across), law)
    fx, fy, fz = load[0] + f[0], load[1] + f[1], load[2] + f[2]
    pull = fx * dx + fy * dy + fz * dz
    qx, qy, qz = fx - pull * dx, fy - pull * dy, fz - pull * dz
    left = friction * friction - (qx * qx + qy * qy + qz * qz)
    return (np.sqrt(left) if left > 0.0 else 0.0) - pull


@kernel(**UNCOUNTED)
def hold(d, load, u, friction, drags, slope):
    """:func:`_held_back` (N/m) in direction d (3,), and minus its slope by d (3,) into `slope`, by central differences.

    Source: central differences, [Press2007], sec. 5.7, of kappa = kappa(d).
    """
    slope[0] = _held_back(d[0] - TILT, d[1], d[2], load, u, friction, drags)
    slope[0] -= _held_back(d[0] + TILT, d[1], d[2], load, u, friction, drags)
    slope[1] = _held_back(d[0], d[1] - TILT, d[2], load, u, friction, drags)
    slope[1] -= _held_back(d[0], d[1] + TILT, d[2], load, u, friction, drags)
    slope[2] = _held_back(d[0], d[1], d[2] - TILT, load, u, friction, drags)
    slope[2] -= _held_back(d[0], d[1], d[2] + TILT, load, u, friction, drags)
    for j in range(3):
        slope[j] /= 2.0 * TILT
    return _held_back(d[0], d[1], d[2], load, u, friction, drags)


@kernel
def load_held(span, carried, sea, d, load, tilt):
    r"""Friction on a line at the point load at a span's end (N), and minus its slope by d (3,), into `tilt`.

    .. math:: \sqrt{(\mu N)^2 - |g_\perp|^2} - g \cdot d

    Source: as along the line, the heading of this file: g is the part of the load in the plane of the bed.

    carried : N, what of the load presses on the bed    d : (3,) direction    load : (3,) memory
    """
    p = load_on_bed(span, sea, sea.bed_normal, load)
    if p == 0.0:
        tilt[:] = 0.0
        return sea.bed_rest_friction * carried
    calm = np.zeros(3)
    for j in range(3):
        load[j] += p * sea.bed_normal[j]
    return hold(d, load, calm, sea.bed_rest_friction * carried, (0.0, 0.0, span.drag_law), tilt)


@kernel(**UNCOUNTED)
def bed_current(y, wet, sea, u):
    """Current in the plane of the bed at the place of a state y, m/s, into u (3,).

    Source: definition, u -> u - (u . N) N with N the normal of the bed.
    """
    u[:] = 0.0
    if not wet or sea.current_speed == 0.0:
        return
    u[0], u[1], u[2] = current_here((y[0], y[1], y[2]), sea)
    up = u[0] * sea.bed_normal[0] + u[1] * sea.bed_normal[1] + u[2] * sea.bed_normal[2]
    for j in range(3):
        u[j] -= up * sea.bed_normal[j]


@kernel
def lift_off(n_normal, spans, first, last, wet, sea, law_data):
    r"""Where the weight on the bed is used up: span, place in it (m), weight left over (N), and whether it is.

    .. math:: n_N + \int_0^{s_t} p\, ds = 0

    Source: the heading of this file.

    Left over is what a point load at the span's end has to make up for. What is buoyant cannot lie on the bed: there,
    and at the end of the last span, the weight is not used up.
    """
    load = np.empty(3)
    left = -n_normal
    for i in range(first, last):
        ds = spans[i].stop - spans[i].start
        p = mean_press(spans[i], 0.0, ds, wet, sea, law_data, load)
        if p <= 0.0 and ds > 0.0:
            if i == first:
                return i, 0.0, left, False
            return i - 1, spans[i - 1].stop - spans[i - 1].start, left, False
        if p * ds >= left:
            return i, _used_up(left, ds, spans[i], wet, sea, law_data, load) if ds > 0.0 else 0.0, 0.0, True
        left -= p * ds
        point = load_on_bed(spans[i], sea, sea.bed_normal, load)
        if point < 0.0:
            return i, ds, left, False
        if point > left:
            return i, ds, left, True
        left -= point
    return last - 1, spans[last - 1].stop - spans[last - 1].start, left, False


@kernel(**UNCOUNTED)
def _kept_back(ends, wet, span, sea, law_data, load, memory):
    """What holds a stretch of a span back (N/m), and its slope by the direction, into the last of `memory`.

    Source: kappa = sqrt((mu p)^2 - |g_perp|^2) - g . d at the mean load, the heading of this file.

    ends : s of the stretch in the span, m, and its length over the unstretched one: drag acts on the former
    memory : direction (3,), current (3,) m/s, slope (3,)
    """
    (low, high, longer), (d, u, tilt) = ends, memory
    p = mean_press(span, low, high, wet, sea, law_data, load)
    for j in range(3):
        load[j] += p * sea.bed_normal[j]  # the part in the plane
    _, _, across, along = made_of(0.5 * (low + high), span, law_data, sea)
    return hold(d, load, u, sea.bed_rest_friction * p, (longer * across, longer * along, span.drag_law), tilt)


@kernel
def lay_straight(y, m, arc, around, slope):
    r"""Replace the state in y at the arc's start by that at lift-off; returns span, place in it, length on the bed.

    .. math:: T(s) = \max\Bigl(0,\; T_t - \int_s^{s_t} \kappa\, ds\Bigr), \qquad
              r_t = r_0 + d \int_0^{s_t} (1 + \varepsilon(T))\, ds

    Source: [Jonkman2007], sec. 2.7, extended as in the heading of this file.

    y : (ALL,) state and unit derivatives    m : entries in use    arc : `Arc`    around : `Around`    slope : memory
    The derivatives are those at fixed s beyond the lift-off, :math:`\delta y - F\, \delta s_t` with F the slope there.
    """
    first, spans, laws, (law_data, sea, delta, _) = arc.first, arc.spans, arc.laws, around
    normal = sea.bed_normal
    wet = sea.water_density > 0.0 and y[2] < 0.0
    lift = y[3] * normal[0] + y[4] * normal[1] + y[5] * normal[2]
    d, load, pull, turn = np.empty(3), np.empty(3), np.zeros(3), np.zeros(3)
    u, tilt = np.empty(3), np.empty(3)
    bed_current(y, wet, sea, u)
    for i in range(3):
        d[i] = y[3 + i] - lift * normal[i]
    T = np.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + delta * delta)
    for i in range(3):
        d[i] /= T
    end, place, left, lifted = lift_off(lift, spans, first, arc.last, wet, sea, law_data)
    at_load = lifted and left > 0.0
    p_end = press(spans[end], place, wet, sea, law_data, load)
    # back from the lift-off: length on the bed X, its derivatives by T, by the place and by the direction
    X, by_T, tension, total, grip = 0.0, 0.0, T, 0.0, 0.0
    if at_load:  # of which the bed carries a part, with its friction
        more = load_held(spans[end], (1.0 + TILT) * left, sea, d, load, tilt)
        grip = (more - load_held(spans[end], (1.0 - TILT) * left, sea, d, load, tilt)) / (2.0 * TILT * left)
        tension = max(T - load_held(spans[end], left, sea, d, load, pull), 0.0)
    kappa_end = 0.0
    for back in range(end - first + 1):
        i = end - back
        ds = place if i == end else spans[i].stop - spans[i].start
        if i < end:
            carried = load_on_bed(spans[i], sea, normal, load)
            tension = max(tension - load_held(spans[i], carried, sea, d, load, tilt), 0.0)
            for j in range(3):
                pull[j] += tilt[j]
        parts = PARTS if spans[i].profile >= 0 else 1
        for part in range(parts):
            high, step = ds - ds * part / parts, ds / parts
            longer = 1.0 + strain_at(tension, high, spans[i], laws[i], law_data)[0]
            kappa = _kept_back((high - step, high, longer), wet, spans[i], sea, law_data, load, (d, u, tilt))
            if i == end and part == 0:
                kappa_end = kappa
            a, b, c = _stretch(tension, kappa, step, high, spans[i], laws[i], law_data)
            X += step + a
            by_T += b
            for j in range(3):
                turn[j] += b * pull[j] + c * tilt[j]
                pull[j] += tilt[j] * step
            tension = max(tension - kappa * step, 0.0)
        total += ds
    for i in range(3):
        y[i] += X * d[i]
        y[3 + i] -= (lift + left if at_load else lift) * normal[i]
    string_slope(place, y, STATE, (spans[end], laws[end], WET if wet else DRY), (0.0, 0.0), around, slope)
    bed = (T, X, by_T, kappa_end, p_end if lifted and not at_load else 0.0)
    k = STATE
    while k < m:
        up = y[k + 3] * normal[0] + y[k + 4] * normal[1] + y[k + 5] * normal[2]
        _bed_column(y, k, d, bed, turn, slope, normal)
        for i in range(3):
            if at_load:  # the place is that of the load, which carries the more
                y[k + i] += d[i] * by_T * grip * up
                y[k + 3 + i] += up * normal[i]
            elif not lifted and p_end > 0.0:
                y[k + i] += up / p_end * normal[i]
        k += STATE
    if not lifted and p_end > 0.0:  # weight that is left where the line cannot lie
        for i in range(3):
            y[i] -= left / p_end * normal[i]
    return end, place, total


@kernel(**UNCOUNTED)
def sink(y, m, lift, load, sea, law_data, span):
    """Lead the end of a line that never leaves the bed below it by the length too much, so that it enters the residual.

    Source: docs/theory/shooting.md, On the bed: r -> r + (n_N/p) N (m), -n_N > 0 the weight that is left.
    """
    normal = sea.bed_normal
    bed_load(span, 0.0, sea.water_density > 0.0 and y[2] < 0.0, sea, law_data, load)
    p = -(load[0] * normal[0] + load[1] * normal[1] + load[2] * normal[2])
    if p <= 0.0:
        return
    for i in range(3):
        y[i] += lift / p * normal[i]
        y[3 + i] -= lift * normal[i]
    k = STATE
    while k < m:
        d = y[k + 3] * normal[0] + y[k + 4] * normal[1] + y[k + 5] * normal[2]
        for i in range(3):
            y[k + i] += d / p * normal[i]
            y[k + 3 + i] -= d * normal[i]
        k += STATE


@kernel(**UNCOUNTED)
def _bed_column(y, k, d, bed, turn, slope, normal):
    """Column k of the derivatives, from the start of the arc to its lift-off, units of the state (m, N).

    Source: derivative of :func:`lay_straight`: dy = delta y - F delta s_t.

    bed : tension (N), length (m) of the bed part and its derivative by T, and kappa and p (N/m) at the lift-off
    """
    T, X, by_T, kappa, p = bed
    lift = y[k + 3] * normal[0] + y[k + 4] * normal[1] + y[k + 5] * normal[2]
    shift = -lift / p if p > 0.0 else 0.0  # of the lift-off
    dT, dX = 0.0, 0.0
    for i in range(3):
        y[k + 3 + i] -= lift * normal[i]
        dT += d[i] * y[k + 3 + i]
    for i in range(3):
        dX += turn[i] * (y[k + 3 + i] - d[i] * dT) / T
    # the bed part grows by slope * shift, and the derivatives at fixed s take the same away again
    dX += by_T * dT - kappa * by_T * shift
    for i in range(3):
        y[k + i] += d[i] * dX + X * (y[k + 3 + i] - d[i] * dT) / T
        y[k + 3 + i] -= slope[3 + i] * shift


@kernel
def point_on_bed(s, y, end, place, arc, sea, out):
    """State (6,) at s (m from the arc's start) of the straight part, walking back from the lift-off in y.

    Source: r = r_t - d int (1 + eps) ds, T = T_t - int kappa ds, the heading of this file.

    end, place : span of the lift-off, and m from its start    arc : `Arc`; by its smallest force delta a slack part is
    drawn straight and even
    """
    first, spans, laws, law_data, delta = arc.first, arc.spans, arc.laws, arc.law_data, arc.delta
    normal = sea.bed_normal
    wet = sea.water_density > 0.0 and y[2] < 0.0
    load, u, d, tilt = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    bed_current(y, wet, sea, u)
    lift = y[3] * normal[0] + y[4] * normal[1] + y[5] * normal[2]  # not zero where a point load is lifted
    flat = (y[3] - lift * normal[0], y[4] - lift * normal[1], y[5] - lift * normal[2])
    T = np.sqrt(flat[0] ** 2 + flat[1] ** 2 + flat[2] ** 2 + delta * delta)
    for j in range(3):
        d[j] = flat[j] / T if T > 0.0 else 0.0
    tension, X = T, 0.0
    if lift < 0.0:
        tension = max(T - load_held(spans[end], -lift, sea, d, load, tilt), 0.0)
    for back in range(end - first + 1):
        i = end - back
        ds = place if i == end else spans[i].stop - spans[i].start
        low = spans[i].start - spans[first].start
        here = min(ds, low + ds - s)
        if i < end:
            carried = load_on_bed(spans[i], sea, normal, load)
            tension = max(tension - load_held(spans[i], carried, sea, d, load, tilt), 0.0)
        parts = PARTS if spans[i].profile >= 0 else 1
        for part in range(parts):
            high, step = ds - ds * part / parts, ds / parts
            way = min(step, max(0.0, here - ds * part / parts))
            longer = 1.0 + strain_at(tension, high, spans[i], laws[i], law_data)[0]
            kappa = _kept_back((high - way, high, longer), wet, spans[i], sea, law_data, load, (d, u, tilt))
            a, _, _ = _stretch(tension, kappa, way, high, spans[i], laws[i], law_data)
            X += way + a
            tension = max(tension - kappa * way, 0.0)
        if here < ds:
            break
    for j in range(3):
        out[j] = y[j] - X * d[j]
        out[3 + j] = tension * d[j]
