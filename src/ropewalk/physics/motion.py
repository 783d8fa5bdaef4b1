"""Prescribed motions: displacement, velocity and acceleration at any time."""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import angle_functions, cross

NONE, HARMONIC, TABLE, TOW, DRIVEN = 0, 1, 2, 3, 4


@kernel
def ramp(t, duration):
    r"""Smooth start: factor, its rate (1/s) and second rate (1/s2) at time t.

    .. math:: f = 10 x^3 - 15 x^4 + 6 x^5, \qquad x = t / t_\mathrm{ramp}

    twice continuously differentiable, 0 before t = 0 and 1 after the ramp.  duration : s, 0 for no ramp
    """
    if duration <= 0.0 or t >= duration:
        return 1.0, 0.0, 0.0
    if t <= 0.0:
        return 0.0, 0.0, 0.0
    x = t / duration
    f = x * x * x * (10.0 + x * (-15.0 + 6.0 * x))
    df = 30.0 * x * x * (1.0 + x * (-2.0 + x)) / duration
    ddf = 60.0 * x * (1.0 + x * (-3.0 + 2.0 * x)) / (duration * duration)
    return f, df, ddf


@kernel
def harmonic(t, start_up, terms, out):
    r"""Adds a ramped sum of harmonic terms to out.

    .. math:: u = f(t) \sum_i a_i\, d_i \cos(\omega_i t - \phi_i)

    terms : (n, 6) unit direction, amplitude, omega (rad/s), phase (rad)    start_up : ramp, s
    out : (3, 3) rows displacement, velocity, acceleration
    """
    f, df, ddf = ramp(t, start_up)
    for i in range(terms.shape[0]):
        a, omega = terms[i, 3], terms[i, 4]
        angle = omega * t - terms[i, 5]
        u = a * np.cos(angle)
        du = -a * omega * np.sin(angle)
        ddu = -omega * omega * u
        for j in range(3):
            out[0, j] += terms[i, j] * f * u
            out[1, j] += terms[i, j] * (f * du + df * u)
            out[2, j] += terms[i, j] * (f * ddu + 2.0 * df * du + ddf * u)


@kernel
def tow(t, start_up, velocity, out):
    """Adds a tow whose speed grows linearly over start_up (s), then stays.  out : as in `harmonic`."""
    if t <= 0.0:
        return
    if start_up > 0.0 and t < start_up:
        way, speed, rate = 0.5 * t * t / start_up, t / start_up, 1.0 / start_up
    else:
        way, speed, rate = t - 0.5 * start_up, 1.0, 0.0
    for j in range(3):
        out[0, j] += velocity[j] * way
        out[1, j] += velocity[j] * speed
        out[2, j] += velocity[j] * rate


@kernel
def table(t, times, coefficients, out):
    """Adds a piecewise cubic: coefficients (n-1, 4, 3), highest power first, of t - times[i].

    Beyond the table the displacement of its nearest end holds.  out : as in `harmonic`
    """
    n = times.size
    if t <= times[0] or t >= times[n - 1]:
        i = 0 if t <= times[0] else n - 2
        x = 0.0 if t <= times[0] else times[n - 1] - times[n - 2]
        c = coefficients[i]
        for j in range(3):
            out[0, j] += ((c[0, j] * x + c[1, j]) * x + c[2, j]) * x + c[3, j]
        return
    i = np.searchsorted(times, t, side="right") - 1
    x = t - times[i]
    c = coefficients[i]
    for j in range(3):
        out[0, j] += ((c[0, j] * x + c[1, j]) * x + c[2, j]) * x + c[3, j]
        out[1, j] += (3.0 * c[0, j] * x + 2.0 * c[1, j]) * x + c[2, j]
        out[2, j] += 6.0 * c[0, j] * x + 2.0 * c[1, j]


@kernel
def cubic(x, c, out):
    """Adds the cubic with coefficients c (4, 3), highest power first, at time x (s) since its start, to out (3, 3)."""
    for j in range(3):
        out[0, j] += ((c[0, j] * x + c[1, j]) * x + c[2, j]) * x + c[3, j]
        out[1, j] += (3.0 * c[0, j] * x + 2.0 * c[1, j]) * x + c[2, j]
        out[2, j] += 6.0 * c[0, j] * x + 2.0 * c[1, j]


@kernel
def motion(t, i, motions, out):
    """Displacement, velocity and acceleration of motion i at time t into out (3, 3); i = -1 is at rest.

    motions : the `Motions` arrays of the model (model/joints.py)
    """
    out[:, :] = 0.0
    if i < 0:
        return
    kind = motions.kind[i]
    if kind == HARMONIC:
        harmonic(t, motions.ramp[i], motions.terms[motions.term_start[i] : motions.term_start[i + 1]], out)
    elif kind == TOW:
        tow(t, motions.ramp[i], motions.velocity[i], out)
    elif kind == TABLE:
        a, b = motions.knot_start[i], motions.knot_start[i + 1]
        table(t, motions.knots[a:b], motions.cubics[a : b - 1], out)
    elif kind == DRIVEN:
        a = motions.knot_start[i]
        cubic(t - motions.knots[a], motions.cubics[a], out)


@kernel
def rotation(t, i, motions, out):
    r"""Rotation vector (rad), angular velocity (rad/s), acceleration (rad/s2) of motion i into out (3, 3); world axes.

    .. math:: \omega = J \dot\phi, \qquad \alpha = J \ddot\phi + \dot J \dot\phi, \qquad
              J = 1 + b\, \hat\phi + c\, \hat\phi^2

    with b and c of `angle_functions`.  Source: left Jacobian, [Sola2018], eq. (145).  The turns of a harmonic motion
    are added as one rotation vector.
    """
    out[:, :] = 0.0
    if i < 0:
        return
    if motions.kind[i] == HARMONIC:
        harmonic(t, motions.ramp[i], motions.turns[motions.turn_start[i] : motions.turn_start[i + 1]], out)
    elif motions.kind[i] == DRIVEN:
        a = motions.knot_start[i]
        cubic(t - motions.knots[a], motions.turn_cubics[a], out)
    else:
        return
    turn, rate, second = out[0], out[1], out[2]
    _, b, c, d, e = angle_functions(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    along = turn[0] * rate[0] + turn[1] * rate[1] + turn[2] * rate[2]
    db, dc = (2.0 * d - c) * along, (3.0 * e - d) * along  # rates of b and c
    once, twice = cross(turn, rate), cross(turn, second)
    omega = rate + b * once + c * cross(turn, once)
    out[2] = second + b * twice + c * (cross(turn, twice) + cross(rate, once)) + db * once + dc * cross(turn, once)
    out[1] = omega
