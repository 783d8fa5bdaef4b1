r"""The string in space: slope of position and internal force along the line, and its derivative.

With s the unstretched arc length, n the force of the part beyond s on the part before it, and f the load
per unstretched length ([Surmont2025], eqs. 9, 13 and 15),

.. math:: r' = \nu(T)\, t, \qquad n' = -f, \qquad t = n / T, \quad T = \sqrt{n \cdot n + \delta^2}.

delta is a tiny fraction of the loads: it gives a slack place (n = 0) a direction without being felt
elsewhere. A line is cut into spans in which properties are constant, or series in s (physics/profiles.py), and the
tabled load is linear. The load is

.. math:: f = f_0 + s f_1 + P \times t + K r + g(s, r, t) + \text{if wet:}\; \gamma A\, e_z + \nu\, d(u(r), t)

weight and tables, pressure, rotating frame, a function of the user's, buoyancy, and drag per stretched length on the
unchanged diameter. On the bed (see :mod:`ropewalk.methods.shooting.bed`) the string moves in the bed's plane.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.loads.given import field_load, field_slopes, given_load
from ropewalk.loads.point import water_on_point
from ropewalk.loads.sea import current_gradient, current_here
from ropewalk.numerics.blockelimination import ZERO3, add3, add9, onto, scale3, scale9, times
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.drag_law import any_drag, law_by_tangent, law_by_velocity
from ropewalk.physics.elasticity import strain
from ropewalk.physics.profiles import AREA, DRAG_NORMAL, DRAG_TANGENTIAL, MASS, STIFFNESS, property_at

SPAN = np.dtype(
    [
        ("start", "f8"),  # m, in the arc's own direction, from the arc's start
        ("stop", "f8"),
        ("load", "f8", (3,)),  # N/m: weight in air and tables at the start
        ("slope", "f8", (3,)),  # N/m2, of the load
        ("pressure", "f8", (3,)),  # N/m: sum of value times axis
        ("turn", "f8", (9,)),  # N/m2: matrix K of the rotating frame
        ("buoyancy", "f8"),  # N/m when submerged
        ("drag_normal", "f8"),  # kg/m2, of physics/drag.py
        ("drag_tangential", "f8"),
        ("radius", "f8"),  # of contact, m
        ("jump", "f8", (3,)),  # N: force at the span's end, weight in air included
        ("float_volume", "f8"),  # m3, at the span's end
        ("float_drag", "f8"),  # m2, drag area at the span's end
        ("bound", "f8"),  # 1 if something acts at the span's end
        ("from_a", "f8"),  # m, s of the span's start from end A of the line
        ("way", "f8"),  # 1 if s grows from end A to end B along the span, else -1
        ("profile", "i8"),  # offset in law_data of its properties along s, -1 if they are constant
        ("stretches", "i8"),  # 1 if its axial stiffness is one of them
        ("mass", "f8"),  # kg/m, mean
        ("inertial", "f8", (3,)),  # N/m, what in `load` is proportional to the mass
        ("function", "i8"),  # address of a load of loads/given.py, 0 for none
        ("slopes", "i8"),  # address of its derivatives, 0 for differences
        ("time", "f8"),  # s, at which that is taken
        ("drag_law", "i8"),  # address of a law of physics/drag_law.py, 0 for constant coefficients
    ],
    align=True,
)
POINT_LOAD = ("jump", "float_volume", "float_drag", "bound")  # fields of what acts at a span's end

DRY, WET, GROUNDED = 0, 1, 2  # phases
STATE = 6  # position and force
ALL = 42  # and the derivatives of both by force (three columns) and position (three) at the start
FORCE_ONLY = 24  # without those by position
NO_DRAG = (ZERO3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # what `any_drag` returns beside the force, in water at rest


class Around(NamedTuple):
    """What :func:`string_slope` reads of a line as a whole, and its memory."""

    law_data: Any  # of all laws of physics/elasticity.py
    sea: Any
    delta: float  # smallest force, N
    box: Any  # (3, 3, 3) memory


@kernel(**UNCOUNTED)
def made_of(s, span, law_data, sea):
    """Of a span at s (m from its start): mass over its mean, buoyancy (N/m), drag across and along (kg/m2).

    Source: gamma A = rho g A and b = rho c d/2 at s, docs/theory/shooting.md, The string.
    """
    if span.profile < 0:
        return 1.0, span.buoyancy, span.drag_normal, span.drag_tangential
    at, place = span.profile, span.from_a + span.way * s
    ratio = property_at(place, MASS, law_data, at) / span.mass if span.mass > 0.0 else 1.0
    half = 0.5 * sea.water_density
    return (
        ratio,
        sea.water_density * sea.gravity * property_at(place, AREA, law_data, at),
        half * property_at(place, DRAG_NORMAL, law_data, at),
        half * property_at(place, DRAG_TANGENTIAL, law_data, at),
    )


@kernel(**UNCOUNTED)
def strain_at(T, s, span, law, law_data):
    """Strain at a tension (N) and its derivative (1/N) at s of a span; law : (3,) kind and offsets into law_data.

    Source: eps = T/EA(s), or the law of physics/elasticity.py.
    """
    if span.stretches == 0:
        return strain(T, law[0], law_data, law[1], law[2])
    compliance = 1.0 / property_at(span.from_a + span.way * s, STIFFNESS, law_data, span.profile)
    return T * compliance, compliance


@kernel(**UNCOUNTED)
def span_load(s, r, t, nu, span, wet, law_data, sea):
    r"""Load per unstretched length at a place (N/m); and the current, the drag per stretched length and its parts.

    Source: docs/theory/shooting.md, The string; f of [Surmont2025], eq. 13.

    .. math:: f = f_0 + s f_1 + P \times t + K r + g(s, r, t) + \text{if wet:}\; \gamma A\, e_z + \nu\, d(u(r), t)

    s : m from the start of the span    r : place, 3 numbers, m    t : unit tangent, 3 numbers    nu : stretch
    span : record of SPAN    wet : under water    law_data : of the line    sea : the `Sea` arrays
    """
    ratio, buoyancy, across, along = made_of(s, span, law_data, sea)
    k, more = span.turn, ratio - 1.0
    turn = (k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8])
    given = (
        span.load[0] + s * span.slope[0] + more * span.inertial[0],
        span.load[1] + s * span.slope[1] + more * span.inertial[1],
        span.load[2] + s * span.slope[2] + more * span.inertial[2],
    )
    if span.profile >= 0:
        turn = scale9(ratio, turn)
    f = given_load(given, (span.pressure[0], span.pressure[1], span.pressure[2]), turn, t, r)
    if span.function != 0:
        f = add3(f, field_load(span.function, span.from_a + span.way * s, r, scale3(span.way, t), span.time))
    if not wet:
        return f, ZERO3, ZERO3, NO_DRAG
    f = (f[0], f[1], f[2] + buoyancy)
    if sea.current_speed == 0.0 or across + along == 0.0:
        return f, ZERO3, ZERO3, NO_DRAG
    u = current_here(r, sea)
    force, parts = any_drag(u, t, (across, along, across), span.drag_law)
    return add3(f, scale3(nu, force)), u, force, parts


@kernel(**UNCOUNTED)
def string_slope(s, y, m, here, limits, around, dy):
    r"""Slope of the state and of its derivatives at s, into dy[:m].

    Source: [Surmont2025], eqs. (9), (13), (15); the derivatives satisfy :math:`\Phi' = A \Phi`,
    :math:`A = \partial(r', n')/\partial(r, n)`.

    s : m from the start of the span    y : (ALL,) position, force, columns of the transition matrix
    m : STATE, FORCE_ONLY or ALL entries    here : span, a record of SPAN; law, (3,) kind and the two offsets of
    physics/elasticity.py into law_data; phase, DRY, WET or GROUNDED    around : `Around`    dy : filled
    limits : m, heights between which the slope of the current is taken: a stage may pass a corner of its profile
    """
    (span, law, phase), (low, high), (law_data, sea, delta, box) = here, limits, around
    dt, frame, by_n = box[0], box[1], box[2]
    normal = sea.bed_normal
    lift = 0.0
    if phase == GROUNDED:
        lift = y[3] * normal[0] + y[4] * normal[1] + y[5] * normal[2]
    nx, ny, nz = y[3] - lift * normal[0], y[4] - lift * normal[1], y[5] - lift * normal[2]
    T = np.sqrt(nx * nx + ny * ny + nz * nz + delta * delta)
    t = (nx / T, ny / T, nz / T)
    e, de = strain_at(T, s, span, law, law_data)
    nu = 1.0 + e
    wet = phase == WET or (phase == GROUNDED and y[2] < 0.0)
    load, u, drag_force, parts = span_load(s, (y[0], y[1], y[2]), t, nu, span, wet, law_data, sea)
    for i in range(3):
        dy[i] = nu * t[i]
        dy[3 + i] = -load[i]
    if m == STATE:
        return
    by_t, by_r = scale9(nu, law_by_tangent(u, t, parts)), _turned(s, span, law_data)
    if span.function != 0:
        place, towards = span.from_a + span.way * s, scale3(span.way, t)
        _, more, turning = field_slopes(span.function, span.slopes, place, (y[0], y[1], y[2]), towards, span.time)
        by_t, by_r = add9(by_t, scale9(span.way, turning)), add9(by_r, more)
    for i in range(3):
        for j in range(3):
            dt[i, j] = by_t[3 * i + j]
    _by_force(t, T, (nu, de), span, drag_force, dt, frame, by_n)
    if phase == GROUNDED:
        _project(frame, by_n, normal)
    if m == ALL and parts[2] + abs(parts[7]) > 0.0:
        gradient = current_gradient((y[0], y[1], min(max(y[2], low), high)), sea)
        by_r = add9(by_r, scale9(nu, times(law_by_velocity(t, parts), gradient)))
    k = STATE
    while k < m:
        a, b, c = y[k + 3], y[k + 4], y[k + 5]
        for i in range(3):
            dy[k + i] = frame[i, 0] * a + frame[i, 1] * b + frame[i, 2] * c
            value = by_n[i, 0] * a + by_n[i, 1] * b + by_n[i, 2] * c
            for j in range(3):
                value += by_r[3 * i + j] * y[k + j]
            dy[k + 3 + i] = -value
        k += STATE


@kernel(**UNCOUNTED)
def _turned(s, span, law_data):
    """Matrix of the rotating frame at s of a span (N/m2), 9 numbers.

    Source: f = m Omega^2 (r - r_axis), docs/theory/shooting.md, The string: K(s) = K m(s)/m.
    """
    k = span.turn
    turn = (k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8])
    if span.profile < 0 or span.mass == 0.0:
        return turn
    return scale9(property_at(span.from_a + span.way * s, MASS, law_data, span.profile) / span.mass, turn)


@kernel(**UNCOUNTED)
def _by_force(t, T, stretch, span, drag_force, dt, frame, by_n):
    r"""Derivatives by n: of :math:`\nu t` (1/N) into frame and of the load (1/m) into by_n, both (3, 3).

    Source: derivative of nu t with t = n/T; docs/theory/shooting.md, The string.

    .. math:: \frac{\partial t}{\partial n} = \frac{1 - t t^T}{T}, \qquad
              \frac{\partial (\nu t)}{\partial n} = \nu \frac{1 - t t^T}{T} + \varepsilon' t t^T

    stretch : nu and its derivative by T    dt : (3, 3) derivative of the drag by the tangent, made that of the load
    """
    nu, de = stretch
    px, py, pz = span.pressure[0], span.pressure[1], span.pressure[2]
    for i in range(3):
        for j in range(3):
            frame[i, j] = ((1.0 if i == j else 0.0) - t[i] * t[j]) / T
    dt[0, 1] -= pz
    dt[0, 2] += py
    dt[1, 0] += pz
    dt[1, 2] -= px
    dt[2, 0] -= py
    dt[2, 1] += px
    for i in range(3):
        for j in range(3):
            value = dt[i, 0] * frame[0, j] + dt[i, 1] * frame[1, j] + dt[i, 2] * frame[2, j]
            by_n[i, j] = value + de * drag_force[i] * t[j]
    for i in range(3):
        for j in range(3):
            frame[i, j] = nu * frame[i, j] + de * t[i] * t[j]


@kernel(**UNCOUNTED)
def _project(frame, by_n, normal):
    """On the bed only the part of n in its plane matters (matrices in 1/N and 1/m): M -> M (1 - N N^T), N its normal.

    Source: n_p = (1 - N N^T) n, docs/theory/shooting.md, On the bed.
    """
    for i in range(3):
        a = frame[i, 0] * normal[0] + frame[i, 1] * normal[1] + frame[i, 2] * normal[2]
        b = by_n[i, 0] * normal[0] + by_n[i, 1] * normal[1] + by_n[i, 2] * normal[2]
        for j in range(3):
            frame[i, j] -= a * normal[j]
            by_n[i, j] -= b * normal[j]


@kernel(**UNCOUNTED)
def float_force(position, volume, drag_area, sea, force):
    """Adds buoyancy and drag of a point-like float to `force` (N); returns their slopes in z (N/m).

    Source: F = w (rho g V e_z + rho c_d A |u| u / 2), docs/theory/morison.md, Point loads.

    The water of loads/point.py at rest, with the current's own change with height.

    position : (3,) m    volume : m3    drag_area : m2    sea : `Sea` arrays
    """
    u, shear = ZERO3, ZERO3
    if drag_area > 0.0 and sea.current_speed != 0.0:
        place = (position[0], position[1], position[2])
        g = current_gradient(place, sea)
        u, shear = current_here(place, sea), (g[2], g[5], g[8])
    F, _, by_u, _, by_height, _ = water_on_point(
        (volume, drag_area, 0.0), position[2], (u, ZERO3), (ZERO3, ZERO3), (sea.water_density, sea.gravity)
    )
    for i in range(3):
        force[i] += F[i]
    return add3(by_height, onto(by_u, shear))
