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

g is the load in the plane, with the drag of a line that does not stretch.

Source: [Jonkman2007], sec. 2.7, extended to slopes, several sections and any law. Without friction and with
loads along the bed the part is a string in the plane, integrated as such (phase GROUNDED).
"""

from __future__ import annotations

import numpy as np

from ropewalk.methods.shooting.string import DRY, STATE, WET, string_slope
from ropewalk.numerics.compile import kernel
from ropewalk.physics.current import current
from ropewalk.physics.elasticity import strain

TILT = 1.0e-5  # of a unit direction: central differences err by its square
HANGING, SLIDING, STRAIGHT = 0, 1, 2  # how an arc starts: off the bed, as a string on it, straight on it

# Gauss-Legendre on [0, 1], five points: exact for laws up to degree nine in the tension
_X, _W = np.polynomial.legendre.leggauss(5)
_X = 0.5 + 0.5 * _X
_W = 0.5 * _W


@kernel
def bed_load(span, s, wet, load):
    """Weight, buoyancy and tables (N/m) at s of a span, into load (3,)."""
    for i in range(3):
        load[i] = span.load[i] + s * span.slope[i]
    if wet:
        load[2] += span.buoyancy


@kernel
def _stretch(T, rate, low, law, law_data):
    r"""Integrals of strain, compliance and compliance times distance over a stretch where T falls back from its end.

    T : at the far end, N    rate : dT/ds, N/m    low : length of the stretch, m.  Stops where T reaches zero.
    """
    reach = low if rate <= 0.0 else min(low, T / rate)
    a, b, c = 0.0, 0.0, 0.0
    for k in range(_X.size):
        x = reach * _X[k]
        e, de = strain(max(T - rate * x, 0.0), law[0], law_data, law[1], law[2])
        a += reach * _W[k] * e
        b += reach * _W[k] * de
        c += reach * _W[k] * de * x
    return a, b, c


@kernel
def press(span, s, wet, normal, load):
    """Load on the bed (N/m) at s of a span; `load` (3,) becomes the load itself."""
    bed_load(span, s, wet, load)
    return -(load[0] * normal[0] + load[1] * normal[1] + load[2] * normal[2])


@kernel
def load_on_bed(span, sea, normal, force):
    """What the point load at a span's end presses on the bed (N), 0 if there is none; force : (3,) memory."""
    if span.bound == 0.0:
        return 0.0
    wet = 1.0 if sea.water_density > 0.0 else 0.0
    for i in range(3):
        force[i] = span.jump[i]
    force[2] += wet * sea.water_density * sea.gravity * span.float_volume
    return -(force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2])


@kernel
def _held_back(dx, dy, dz, load, u, friction, span):
    """What holds a line on the bed back per length (N/m): friction that is left over, less the load along it.

    dx, dy, dz : direction    load : (3,) in the plane, N/m    u : (3,) current in it, m/s    friction : most of it, N/m
    """
    size = np.sqrt(dx * dx + dy * dy + dz * dz)
    if size == 0.0:
        return friction
    dx, dy, dz = dx / size, dy / size, dz / size
    ut = u[0] * dx + u[1] * dy + u[2] * dz
    nx, ny, nz = u[0] - ut * dx, u[1] - ut * dy, u[2] - ut * dz
    b = span.drag_normal * np.sqrt(nx * nx + ny * ny + nz * nz)
    along = load[0] * dx + load[1] * dy + load[2] * dz
    qx, qy, qz = load[0] - along * dx + b * nx, load[1] - along * dy + b * ny, load[2] - along * dz + b * nz
    left = friction * friction - (qx * qx + qy * qy + qz * qz)
    return (np.sqrt(left) if left > 0.0 else 0.0) - along - span.drag_tangential * abs(ut) * ut


@kernel
def hold(d, load, u, friction, span, slope):
    """:func:`_held_back` in direction d (3,), and minus its slope by d, (3,), into `slope`, by central differences."""
    slope[0] = _held_back(d[0] - TILT, d[1], d[2], load, u, friction, span)
    slope[0] -= _held_back(d[0] + TILT, d[1], d[2], load, u, friction, span)
    slope[1] = _held_back(d[0], d[1] - TILT, d[2], load, u, friction, span)
    slope[1] -= _held_back(d[0], d[1] + TILT, d[2], load, u, friction, span)
    slope[2] = _held_back(d[0], d[1], d[2] - TILT, load, u, friction, span)
    slope[2] -= _held_back(d[0], d[1], d[2] + TILT, load, u, friction, span)
    for j in range(3):
        slope[j] /= 2.0 * TILT
    return _held_back(d[0], d[1], d[2], load, u, friction, span)


@kernel
def bed_current(z, wet, sea, u):
    """Current in the plane of the bed at the height z (m), m/s, into u (3,)."""
    u[:] = 0.0
    if not wet or sea.current_speed == 0.0:
        return
    u[0], u[1], u[2] = current(
        z, sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth, sea.current_table
    )
    up = u[0] * sea.bed_normal[0] + u[1] * sea.bed_normal[1] + u[2] * sea.bed_normal[2]
    for j in range(3):
        u[j] -= up * sea.bed_normal[j]


@kernel
def lift_off(n_normal, spans, first, last, wet, sea):
    """Where the weight on the bed is used up: span, place in it (m), weight left over (N), and whether it is.

    Left over is what a point load at the span's end has to make up for. What is buoyant cannot lie on the bed: there,
    and at the end of the last span, the weight is not used up.
    """
    load = np.empty(3)
    left = -n_normal
    for i in range(first, last):
        ds = spans[i].stop - spans[i].start
        p = press(spans[i], 0.5 * ds, wet, sea.bed_normal, load)
        if p <= 0.0 and ds > 0.0:
            if i == first:
                return i, 0.0, left, False
            return i - 1, spans[i - 1].stop - spans[i - 1].start, left, False
        if p * ds >= left:
            return i, left / p if ds > 0.0 else 0.0, 0.0, True
        left -= p * ds
        point = load_on_bed(spans[i], sea, sea.bed_normal, load)
        if point < 0.0:
            return i, ds, left, False
        if point > left:
            return i, ds, left, True
        left -= point
    return last - 1, spans[last - 1].stop - spans[last - 1].start, left, False


@kernel
def lay_straight(y, m, first, last, spans, laws, law_data, sea, delta, box, slope):
    r"""Replace the state in y at the arc's start by that at lift-off; returns span, place in it, length on the bed.

    y : (ALL,) state and unit derivatives    m : entries in use    delta : smallest force, N    box, slope : memory
    The derivatives are those at fixed s beyond the lift-off, :math:`\delta y - F\, \delta s_t` with F the slope there.
    """
    normal = sea.bed_normal
    wet = sea.water_density > 0.0 and y[2] < 0.0
    lift = y[3] * normal[0] + y[4] * normal[1] + y[5] * normal[2]
    d, load, pull, turn = np.empty(3), np.empty(3), np.zeros(3), np.zeros(3)
    u, tilt = np.empty(3), np.empty(3)
    bed_current(y[2], wet, sea, u)
    for i in range(3):
        d[i] = y[3 + i] - lift * normal[i]
    T = np.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + delta * delta)
    for i in range(3):
        d[i] /= T
    end, place, left, lifted = lift_off(lift, spans, first, last, wet, sea)
    at_load = lifted and left > 0.0
    p_end = press(spans[end], place, wet, normal, load)
    # back from the lift-off: length on the bed X, its derivatives by T, by the place and by the direction
    X, by_T, tension, total = 0.0, 0.0, T, 0.0
    kappa_end = 0.0
    for back in range(end - first + 1):
        i = end - back
        ds = place if i == end else spans[i].stop - spans[i].start
        if i < end:
            tension = max(tension - sea.bed_rest_friction * load_on_bed(spans[i], sea, normal, load), 0.0)
        p = press(spans[i], 0.5 * ds, wet, normal, load)
        for j in range(3):
            load[j] += p * normal[j]  # the part in the plane
        kappa = hold(d, load, u, sea.bed_rest_friction * p, spans[i], tilt)
        if i == end:
            kappa_end = kappa
        a, b, c = _stretch(tension, kappa, ds, laws[i], law_data)
        X += ds + a
        by_T += b
        for j in range(3):
            turn[j] += b * pull[j] + c * tilt[j]
            pull[j] += tilt[j] * ds
        tension = max(tension - kappa * ds, 0.0)
        total += ds
    for i in range(3):
        y[i] += X * d[i]
        y[3 + i] -= (lift + left if at_load else lift) * normal[i]
    phase = WET if wet else DRY
    string_slope(place, y, STATE, spans[end], laws[end], law_data, sea, phase, delta, 0.0, 0.0, box, slope)
    k = STATE
    while k < m:
        up = y[k + 3] * normal[0] + y[k + 4] * normal[1] + y[k + 5] * normal[2]
        _bed_column(y, k, d, T, X, by_T, kappa_end, p_end if lifted and not at_load else 0.0, turn, slope, normal)
        for i in range(3):
            if at_load:  # the place is that of the load, which carries the more
                y[k + 3 + i] += up * normal[i]
            elif not lifted and p_end > 0.0:
                y[k + i] += up / p_end * normal[i]
        k += STATE
    if not lifted and p_end > 0.0:  # weight that is left where the line cannot lie
        for i in range(3):
            y[i] -= left / p_end * normal[i]
    return end, place, total


@kernel
def sink(y, m, lift, load, sea, span):
    """Lead the end of a line that never leaves the bed below it by the length too much, so that Newton sees it."""
    normal = sea.bed_normal
    bed_load(span, 0.0, sea.water_density > 0.0 and y[2] < 0.0, load)
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


@kernel
def _bed_column(y, k, d, T, X, by_T, kappa, p, turn, slope, normal):
    """Column k of the derivatives, from the start of the arc to its lift-off."""
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
def point_on_bed(s, y, first, end, place, spans, laws, law_data, sea, delta, out):
    """State (6,) at s (m from the arc's start) of the straight part, walking back from the lift-off in y.

    delta : smallest force, N: a slack part is drawn straight and even
    """
    normal = sea.bed_normal
    wet = sea.water_density > 0.0 and y[2] < 0.0
    load, u = np.empty(3), np.empty(3)
    bed_current(y[2], wet, sea, u)
    lift = y[3] * normal[0] + y[4] * normal[1] + y[5] * normal[2]  # not zero where a point load is lifted
    flat = (y[3] - lift * normal[0], y[4] - lift * normal[1], y[5] - lift * normal[2])
    T = np.sqrt(flat[0] ** 2 + flat[1] ** 2 + flat[2] ** 2 + delta * delta)
    tension, X = T, 0.0
    for back in range(end - first + 1):
        i = end - back
        ds = place if i == end else spans[i].stop - spans[i].start
        low = spans[i].start - spans[first].start
        here = min(ds, low + ds - s)
        if i < end:
            tension = max(tension - sea.bed_rest_friction * load_on_bed(spans[i], sea, normal, load), 0.0)
        p = press(spans[i], 0.5 * ds, wet, normal, load)
        for j in range(3):
            load[j] += p * normal[j]
        friction = sea.bed_rest_friction * p
        kappa = _held_back(flat[0], flat[1], flat[2], load, u, friction, spans[i])
        a, _, _ = _stretch(tension, kappa, here, laws[i], law_data)
        X += here + a
        tension = max(tension - kappa * here, 0.0)
        if here < ds:
            break
    for j in range(3):
        d = flat[j] / T if T > 0.0 else 0.0
        out[j] = y[j] - X * d
        out[3 + j] = tension * d
