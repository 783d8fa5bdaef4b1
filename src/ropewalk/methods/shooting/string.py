r"""The string in space: slope of position and internal force along the line, and its derivative.

With s the unstretched arc length, n the force of the part beyond s on the part before it, and f the load
per unstretched length ([Surmont2025], eqs. 9, 13 and 15),

.. math:: r' = \nu(T)\, t, \qquad n' = -f, \qquad t = n / T, \quad T = \sqrt{n \cdot n + \delta^2}.

delta is a tiny fraction of the loads: it gives a slack place (n = 0) a direction without being felt
elsewhere. A line is cut into spans in which all properties are constant and the tabled load is linear.
The load is

.. math:: f = f_0 + s f_1 + P \times t + K r + \text{if wet:}\; \gamma A\, e_z + \nu\, d(u(z), t)

weight and tables, pressure, rotating frame, buoyancy, and drag per stretched length on the unchanged
diameter. On the bed (see :mod:`ropewalk.methods.shooting.bed`) the string moves in the bed's plane.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel
from ropewalk.physics.current import current, current_slope
from ropewalk.physics.drag import drag_derivatives
from ropewalk.physics.elasticity import strain

# columns of a span
S0, S1 = 0, 1  # m, in the arc's own direction, from the arc's start
F0, F1 = 2, 5  # N/m and N/m2, three each: weight in air and tables at S0, and their slope
PRESSURE = 8  # N/m, three: sum of value times axis
TURN = 11  # N/m2, nine: matrix K of the rotating frame
BUOYANCY = 20  # N/m when submerged
BN, BT = 21, 22  # kg/m2, of physics/drag.py
RADIUS = 23  # of contact, m
JUMP = 24  # N, three: force at the span's end, weight in air included
FLOAT_VOLUME, FLOAT_DRAG = 27, 28  # m3 and half density times drag area (kg/m), at the span's end
BOUND = 29  # 1 if something acts at the span's end
SPAN_COLUMNS = 30

DRY, WET, GROUNDED = 0, 1, 2  # phases
STATE = 6  # position and force
ALL = 42  # and the derivatives of both by force (three columns) and position (three) at the start
FORCE_ONLY = 24  # without those by position


@kernel
def string_slope(s, y, m, span, law, law_data, sea, phase, delta, low, high, box, dy):
    r"""Slope of the state and of its derivatives at s, into dy[:m].

    Source: [Surmont2025], eqs. (9), (13), (15); the derivatives obey :math:`\Phi' = A \Phi`,
    :math:`A = \partial(r', n')/\partial(r, n)`.

    s : m from the start of the span    y : (ALL,) position, force, columns of the transition matrix
    m : STATE, FORCE_ONLY or ALL entries    span : (SPAN_COLUMNS,)
    law : (3,) kind and the two offsets of physics/elasticity.py into law_data
    sea : the `Sea` arrays    phase : DRY, WET or GROUNDED    delta : N    box : (5, 3, 3) memory    dy : filled
    low, high : m, heights between which the slope of the current is taken: a stage may pass a corner of its profile
    """
    u, t, drag_force = box[0, 0], box[0, 1], box[0, 2]
    du, dt, frame, by_n = box[1], box[2], box[3], box[4]
    normal = sea.bed_normal
    lift = 0.0
    if phase == GROUNDED:
        lift = y[3] * normal[0] + y[4] * normal[1] + y[5] * normal[2]
    nx, ny, nz = y[3] - lift * normal[0], y[4] - lift * normal[1], y[5] - lift * normal[2]
    T = np.sqrt(nx * nx + ny * ny + nz * nz + delta * delta)
    t[0], t[1], t[2] = nx / T, ny / T, nz / T
    e, de = strain(T, law[0], law_data, law[1], law[2])
    nu = 1.0 + e
    wet = 1.0 if phase == WET or (phase == GROUNDED and y[2] < 0.0) else 0.0
    has_drag = wet * (span[BN] + span[BT]) * abs(sea.current_speed) > 0.0
    for i in range(3):
        dy[i] = nu * t[i]
        dy[3 + i] = -(span[F0 + i] + s * span[F1 + i])
        for j in range(3):
            dy[3 + i] -= span[TURN + 3 * i + j] * y[j]
    px, py, pz = span[PRESSURE], span[PRESSURE + 1], span[PRESSURE + 2]
    dy[3] -= py * t[2] - pz * t[1]
    dy[4] -= pz * t[0] - px * t[2]
    dy[5] -= px * t[1] - py * t[0]
    dy[5] -= wet * span[BUOYANCY]
    if has_drag:
        u[0], u[1], u[2] = current(
            y[2], sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth,
            sea.current_table,
        )  # fmt: skip
        drag_derivatives(u, t, span[BN], span[BT], drag_force, du, dt)
        for i in range(3):
            dy[3 + i] -= nu * drag_force[i]
    if m == STATE:
        return
    _by_force(t, T, nu, de, span, has_drag, drag_force, dt, frame, by_n)
    if phase == GROUNDED:
        _project(frame, by_n, normal)
    sheared = False
    if m == ALL and has_drag:
        sx, sy, sz = current_slope(
            min(max(y[2], low), high), sea.current_kind, sea.current_speed, sea.current_heading,
            sea.current_exponent, sea.depth, sea.current_table,
        )  # fmt: skip
        sheared = sx != 0.0 or sy != 0.0
        for i in range(3):  # derivative of the drag by z, kept in u
            u[i] = nu * (du[i, 0] * sx + du[i, 1] * sy + du[i, 2] * sz)
    k = STATE
    while k < m:
        a, b, c = y[k + 3], y[k + 4], y[k + 5]
        for i in range(3):
            dy[k + i] = frame[i, 0] * a + frame[i, 1] * b + frame[i, 2] * c
            value = by_n[i, 0] * a + by_n[i, 1] * b + by_n[i, 2] * c
            for j in range(3):
                value += span[TURN + 3 * i + j] * y[k + j]
            if sheared:
                value += u[i] * y[k + 2]
            dy[k + 3 + i] = -value
        k += STATE


@kernel
def _by_force(t, T, nu, de, span, has_drag, drag_force, dt, frame, by_n):
    r"""Derivatives by n: of :math:`\nu t` into frame and of the load into by_n, both (3, 3).

    .. math:: \frac{\partial t}{\partial n} = \frac{1 - t t^T}{T}, \qquad
              \frac{\partial (\nu t)}{\partial n} = \nu \frac{1 - t t^T}{T} + \varepsilon' t t^T

    dt : (3, 3) derivative of the drag by the tangent, made that of the whole load
    """
    px, py, pz = span[PRESSURE], span[PRESSURE + 1], span[PRESSURE + 2]
    for i in range(3):
        for j in range(3):
            frame[i, j] = ((1.0 if i == j else 0.0) - t[i] * t[j]) / T
            dt[i, j] = nu * dt[i, j] if has_drag else 0.0
    dt[0, 1] -= pz
    dt[0, 2] += py
    dt[1, 0] += pz
    dt[1, 2] -= px
    dt[2, 0] -= py
    dt[2, 1] += px
    for i in range(3):
        for j in range(3):
            value = dt[i, 0] * frame[0, j] + dt[i, 1] * frame[1, j] + dt[i, 2] * frame[2, j]
            by_n[i, j] = value + (de * drag_force[i] * t[j] if has_drag else 0.0)
    for i in range(3):
        for j in range(3):
            frame[i, j] = nu * frame[i, j] + de * t[i] * t[j]


@kernel
def _project(frame, by_n, normal):
    """On the bed only the part of n in its plane matters: both matrices times (1 - N N^T) from the right."""
    for i in range(3):
        a = frame[i, 0] * normal[0] + frame[i, 1] * normal[1] + frame[i, 2] * normal[2]
        b = by_n[i, 0] * normal[0] + by_n[i, 1] * normal[1] + by_n[i, 2] * normal[2]
        for j in range(3):
            frame[i, j] -= a * normal[j]
            by_n[i, j] -= b * normal[j]


@kernel
def float_force(position, volume, drag, sea, force):
    r"""Adds buoyancy and drag of a point-like float to `force` (N); returns their slopes in z (N/m).

    The volume is that of a sphere, so that a float on the surface sinks in as far as it must:
    :math:`V(z) = \tfrac{\pi}{3} t^2 (3R - t)` with draught t. Drag acts on the share that is submerged.

    position : (3,) m    volume : m3    drag : half density times drag area, kg/m    sea : `Sea` arrays
    """
    z = position[2]
    share, slope = 0.0, 0.0
    if volume > 0.0:
        radius = (0.75 * volume / np.pi) ** (1.0 / 3.0)
        draught = min(2.0 * radius, max(0.0, radius - z))
        share = np.pi / 3.0 * draught * draught * (3.0 * radius - draught) / volume
        if 0.0 < draught < 2.0 * radius:
            slope = -np.pi * draught * (2.0 * radius - draught) / volume
    elif z < 0.0:
        share = 1.0
    lift = sea.water_density * sea.gravity * volume
    force[2] += lift * share
    gx, gy, gz = 0.0, 0.0, lift * slope
    if drag > 0.0 and share > 0.0 and sea.current_speed != 0.0:
        args = (sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth)
        ux, uy, _ = current(z, args[0], args[1], args[2], args[3], args[4], sea.current_table)
        sx, sy, _ = current_slope(z, args[0], args[1], args[2], args[3], args[4], sea.current_table)
        speed = np.sqrt(ux * ux + uy * uy)
        force[0] += drag * share * speed * ux
        force[1] += drag * share * speed * uy
        rate = (ux * sx + uy * sy) / speed if speed > 0.0 else 0.0
        gx = drag * (share * (speed * sx + rate * ux) + slope * speed * ux)
        gy = drag * (share * (speed * sy + rate * uy) + slope * speed * uy)
    return gx, gy, gz
