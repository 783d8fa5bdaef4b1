"""Water at places and times: waves, current and the surface, as all methods meet them.

`sea` is anything with the fields `wave`, `depth`, `water_density`, `functions` and those of the current of
:class:`ropewalk.model.environment.Sea`. Water is kept in rows of `COLUMNS` numbers (physics/waves.py).
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.blockelimination import COUNTED, FUSED, scale9
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.numerics.pointers import call_nine, call_three
from ropewalk.physics.current import FUNCTION, current, current_slope
from ropewalk.physics.in_time import value_at
from ropewalk.physics.waves import (
    ACCELERATION,
    COLUMNS,
    ELEVATION,
    VELOCITY,
    kinematics,
    kinematics_at,
)

FIELD_STEP = 1e-6  # m, of differences of a field: it changes over more than millimetres
FIELD_TIME = 1e-4  # s, half the step of differences in time: waves of tenths of a second are seen to 1e-6


@kernel(**UNCOUNTED)
def current_at(z, sea):
    """Velocity of the current at height z (m), at its largest if it varies in time: 3 numbers, m/s.

    As :func:`ropewalk.physics.current.current`.
    """
    return current(
        z, sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth, sea.current_table
    )


@kernel(**UNCOUNTED)
def current_shear(z, sea):
    """Derivative of the current with respect to height at z (m): 3 numbers, 1/s.

    As :func:`ropewalk.physics.current.current_slope`.
    """
    return current_slope(
        z, sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth, sea.current_table
    )


@kernel(**UNCOUNTED)
def current_here(r, sea):
    """Velocity of the current at a position (3 numbers, m), m/s; of a field u(r, t), at the time of statics.

    Source: u = u(z) of :func:`current_at`, or u = u(r, t_0) of :func:`field_velocity`.    r : m
    """
    if sea.current_kind == FUNCTION:
        return field_velocity(r, sea.current_field[0].time, sea)
    return current_at(r[2], sea)


@kernel(**UNCOUNTED)
def field_velocity(r, t, sea):
    """Velocity of the water at a position (m) and time (s) by a field: u = f u(r, t), 3 numbers, m/s.

    Source: the field of the case, docs/guide/fields.md; f is the fraction applied in a load step.
    """
    field = sea.current_field[0]
    u = call_three(field.address, (r[0], r[1], r[2], t))
    return field.share * u[0], field.share * u[1], field.share * u[2]


@kernel(**UNCOUNTED)
def current_gradient(r, sea):
    r"""Derivative of the current by place, a matrix of 9 numbers, 1/s; of a field as given, or by forward differences.

    .. math:: \frac{\partial u_i}{\partial x_j} = \frac{u_i(x + h e_j) - u_i(x)}{h}, \qquad
              \frac{\partial u}{\partial x} = (0,\, 0,\, u'(z)) \text{ for a profile}

    Source: forward differences, [Press2007], sec. 5.7, with h = FIELD_STEP.    r : 3 numbers, m
    """
    if sea.current_kind != FUNCTION:
        x, y, z = current_shear(r[2], sea)
        return 0.0, 0.0, x, 0.0, 0.0, y, 0.0, 0.0, z
    field = sea.current_field[0]
    if field.slope != 0:
        return scale9(field.share, call_nine(field.slope, (r[0], r[1], r[2], field.time)))
    q = 1.0 / FIELD_STEP
    u = current_here(r, sea)
    a = current_here((r[0] + FIELD_STEP, r[1], r[2]), sea)
    b = current_here((r[0], r[1] + FIELD_STEP, r[2]), sea)
    c = current_here((r[0], r[1], r[2] + FIELD_STEP), sea)
    return (
        q * (a[0] - u[0]), q * (b[0] - u[0]), q * (c[0] - u[0]),
        q * (a[1] - u[1]), q * (b[1] - u[1]), q * (c[1] - u[1]),
        q * (a[2] - u[2]), q * (b[2] - u[2]), q * (c[2] - u[2]),
    )  # fmt: skip


@kernel(**UNCOUNTED)
def _add_field(r, t, sea, row):
    r"""Adds the velocity of a field, and its local rate of change unless it is steady, to a row of COLUMNS numbers.

    .. math:: \frac{\partial u}{\partial t} = \frac{u(t + \tau) - u(t - \tau)}{2 \tau}

    Source: central difference, [Press2007], sec. 5.7, with tau = FIELD_TIME.    r : 3 numbers, m    t : s
    """
    half, field = FIELD_TIME, sea.current_field[0]
    if field.still != 0:
        t, half = field.time, 0.0
    u = field_velocity(r, t, sea)
    before, after = field_velocity(r, t - half, sea), field_velocity(r, t + half, sea)
    for i in range(3):
        row[VELOCITY + i] += u[i]
        row[ACCELERATION + i] += (after[i] - before[i]) / (2.0 * FIELD_TIME)


@kernel
def current_share(t, sea):
    r"""Factors (p, q) by which the largest current is scaled and turned at time t (s), and their rates (1/s).

    .. math:: u(t) = f \begin{pmatrix} \cos\alpha & -\sin\alpha \\ \sin\alpha & \cos\alpha \end{pmatrix} u_0,
              \qquad p = f \cos\alpha, \quad q = f \sin\alpha

    Source: the functions f(t) and alpha(t) of the case, docs/guide/inputs_in_time.md.
    """
    if sea.current_factor < 0 and sea.current_turn < 0:
        return 1.0, 0.0, 0.0, 0.0
    f, df = 1.0, 0.0
    if sea.current_factor >= 0:
        f, df, _ = value_at(t, sea.current_factor, sea.functions)
    angle, turning, _ = value_at(t, sea.current_turn, sea.functions)
    c, s = np.cos(angle), np.sin(angle)
    return f * c, f * s, df * c - f * turning * s, df * s + f * turning * c


@kernel(**UNCOUNTED)
def _add_current(u, share, row):
    r"""Adds the current at its largest, scaled and turned, to velocity and acceleration in a row of COLUMNS numbers.

    .. math:: (u, v) = (p u_1 - q u_2,\; q u_1 + p u_2)

    Source: :func:`current_share`.    u : largest current, 3 numbers, m/s    share : p, q and their rates (1/s)
    """
    p, q, dp, dq = share
    row[VELOCITY] += p * u[0] - q * u[1]
    row[VELOCITY + 1] += q * u[0] + p * u[1]
    row[ACCELERATION] += dp * u[0] - dq * u[1]
    row[ACCELERATION + 1] += dq * u[0] + dp * u[1]


@kernel
def wind_now(t, sea):
    """Speed (m/s) at 10 m and heading (rad) of the wind at time t (s): U = f(t) U_0, beta = beta_0 + alpha(t).

    Source: the functions of the case, docs/guide/inputs_in_time.md.
    """
    speed, heading = sea.wind_speed, sea.wind_heading
    if sea.wind_factor >= 0:
        speed *= value_at(t, sea.wind_factor, sea.functions)[0]
    return speed, heading + value_at(t, sea.wind_turn, sea.functions)[0]


@kernel(forceinline=True, **UNCOUNTED)
def is_still(sea):
    """Whether all water rests, as `water_at` has it then: every row is 0."""
    return sea.wave.shape[1] == 0 and sea.current_kind != FUNCTION and not sea.current_speed > 0.0


@kernel(**UNCOUNTED)
def water_at(r, t, sea, flow):
    r"""Velocity, acceleration and surface of the water at all r (n, 3) m and time t (s), into flow (n, COLUMNS).

    .. math:: u = u_\mathrm{waves}(r, t) + u_\mathrm{current}(r, t)

    Source: docs/theory/waves.md; waves and current do not interact.
    """
    if sea.water_density <= 0.0:
        return
    if sea.wave.shape[1] > 0:
        kinematics(sea.wave, r, t, sea.depth, flow)
    else:
        for n in range(r.shape[0]):
            for c in range(COLUMNS):
                flow[n, c] = 0.0
    if sea.current_kind == FUNCTION:
        for n in range(r.shape[0]):
            _add_field((r[n, 0], r[n, 1], r[n, 2]), t, sea, flow[n])
    elif sea.current_speed > 0.0:
        share = current_share(t, sea)
        for n in range(r.shape[0]):
            _add_current(current_at(r[n, 2], sea), share, flow[n])


@kernel(**COUNTED)
def water_at_place(x, t, sea, out):
    """As :func:`water_at`, at one place x (3,) m, into out (at least COLUMNS,)."""
    for c in range(COLUMNS):
        out[c] = 0.0
    if sea.wave.shape[1] > 0:
        kinematics_at(sea.wave, x, t, sea.depth, out[:COLUMNS])
    if sea.current_kind == FUNCTION:
        _add_field((x[0], x[1], x[2]), t, sea, out)
    elif sea.current_speed > 0.0:
        _add_current(current_at(x[2], sea), current_share(t, sea), out)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def velocity(flow, n):
    """Velocity of the water in row n of `flow`: 3 numbers, m/s. Bookkeeping."""
    return flow[n, VELOCITY], flow[n, VELOCITY + 1], flow[n, VELOCITY + 2]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def acceleration(flow, n):
    """Acceleration of the water in row n of `flow`: 3 numbers, m/s2. Bookkeeping."""
    return flow[n, ACCELERATION], flow[n, ACCELERATION + 1], flow[n, ACCELERATION + 2]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def height_over_water(r, flow, n):
    """Height of row n of r (n, 3) above the surface over it, m: h = z - eta. Source: docs/theory/waves.md."""
    return r[n, 2] - flow[n, ELEVATION]
