"""Water at places and times: waves, current and the surface, as all methods meet them.

`sea` is anything with the fields `wave`, `depth`, `water_density`, `functions` and those of the current of
:class:`ropewalk.model.environment.Sea`. Water is kept in rows of `COLUMNS` numbers (physics/waves.py).
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.blockelimination import COUNTED, FUSED, UNCOUNTED
from ropewalk.numerics.compile import kernel
from ropewalk.physics.current import current, current_slope
from ropewalk.physics.in_time import value_at
from ropewalk.physics.waves import (
    ACCELERATION,
    COLUMNS,
    ELEVATION,
    VELOCITY,
    kinematics,
    kinematics_at,
)


@kernel
def current_at(z, sea):
    """Velocity of the current at height z (m), at its largest if it changes in time: 3 numbers, m/s."""
    return current(
        z, sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth, sea.current_table
    )


@kernel
def current_shear(z, sea):
    """Derivative of the current by height at z (m): 3 numbers, 1/s."""
    return current_slope(
        z, sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth, sea.current_table
    )


@kernel
def current_share(t, sea):
    r"""How much of the current at its largest there is at time t (s): two numbers, and their rates (1/s).

    .. math:: u(t) = f \begin{pmatrix} \cos\alpha & -\sin\alpha \\ \sin\alpha & \cos\alpha \end{pmatrix} u_0,
              \qquad p = f \cos\alpha, \quad q = f \sin\alpha
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
    """Adds the current u at its largest (3 numbers, m/s) to velocity and acceleration in a row of COLUMNS numbers."""
    p, q, dp, dq = share
    row[VELOCITY] += p * u[0] - q * u[1]
    row[VELOCITY + 1] += q * u[0] + p * u[1]
    row[ACCELERATION] += dp * u[0] - dq * u[1]
    row[ACCELERATION + 1] += dq * u[0] + dp * u[1]


@kernel
def wind_now(t, sea):
    """Speed (m/s) at 10 m and heading (rad) of the wind at time t (s)."""
    speed, heading = sea.wind_speed, sea.wind_heading
    if sea.wind_factor >= 0:
        speed *= value_at(t, sea.wind_factor, sea.functions)[0]
    return speed, heading + value_at(t, sea.wind_turn, sea.functions)[0]


@kernel(**COUNTED)
def water_at(r, t, sea, flow):
    """Velocity, acceleration and surface of the water at all r (n, 3) m and time t (s), into flow (n, COLUMNS)."""
    if sea.water_density <= 0.0:
        return
    if sea.wave.shape[1] > 0:
        kinematics(sea.wave, r, t, sea.depth, flow)
    else:
        for n in range(r.shape[0]):
            for c in range(COLUMNS):
                flow[n, c] = 0.0
    if sea.current_speed > 0.0:
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
    if sea.current_speed > 0.0:
        _add_current(current_at(x[2], sea), current_share(t, sea), out)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def velocity(flow, n):
    """Velocity of the water in row n of `flow`: 3 numbers, m/s."""
    return flow[n, VELOCITY], flow[n, VELOCITY + 1], flow[n, VELOCITY + 2]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def acceleration(flow, n):
    """Acceleration of the water in row n of `flow`: 3 numbers, m/s2."""
    return flow[n, ACCELERATION], flow[n, ACCELERATION + 1], flow[n, ACCELERATION + 2]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def height_over_water(r, flow, n):
    """Height of row n of r (n, 3) above the surface over it, m."""
    return r[n, 2] - flow[n, ELEVATION]
