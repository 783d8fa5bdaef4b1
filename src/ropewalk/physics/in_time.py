r"""Functions of time: value, rate and second rate of every input that varies in time.

.. math:: f(t) = \rho(t) \left(f_0 + \sum_i a_i \cos(\omega_i t - \phi_i) + p_k(t - t_k)\right)

with a smooth start :math:`\rho`, harmonic terms and cubic pieces. Motions, winches, forces, current and wind are made
of these: tables are pieces, a tow is one, a winch whose corners are rounded is some.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import UNCOUNTED, kernel

FUNCTION = np.dtype(
    [
        ("ramp", "f8"),  # s, 0 for none
        ("constant", "f8"),  # f_0
        ("term", "i8"),  # its first harmonic term
        ("term_stop", "i8"),
        ("knot", "i8"),  # its first piece
        ("knot_stop", "i8"),
    ],
    align=True,
)
TERM = np.dtype([("amplitude", "f8"), ("omega", "f8"), ("phase", "f8")], align=True)  # rad/s, rad
# A cubic c0 + c1 x + c2 x^2 + c3 x^3 of x = t - time, up to the next piece. The first holds before its time, too.
KNOT = np.dtype([("time", "f8"), ("c0", "f8"), ("c1", "f8"), ("c2", "f8"), ("c3", "f8")], align=True)


@kernel(**UNCOUNTED)
def ramp(t, duration):
    r"""Smooth start: factor, its rate (1/s) and second rate (1/s2) at time t.

    Source: the polynomial of fifth degree with zero first and second derivatives at both ends.

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


@kernel(**UNCOUNTED)
def piece_at(t, first, stop, knot):
    """Index of the piece that holds at time t (s). Bookkeeping: bisection."""
    low, high = first, stop - 1
    while low < high:
        middle = (low + high + 1) // 2
        if knot[middle].time <= t:
            low = middle
        else:
            high = middle - 1
    return low


@kernel(**UNCOUNTED)
def value_at(t, i, functions):
    r"""Value, rate (1/s) and second rate (1/s2) of function i at time t (s); 0 for i = -1.

    .. math:: u = f(t) \left(u_0 + \sum_k a_k \cos(\omega_k t - \varphi_k) + c_3 x^3 + c_2 x^2 + c_1 x + c_0\right),
              \qquad x = t - t_j

    Source: docs/guide/inputs_in_time.md; f of :func:`ramp`, cubics between the rows of a table.

    functions : anything with the records `function`, `term` and `knot` (model/in_time.py)
    """
    if i < 0:
        return 0.0, 0.0, 0.0
    own = functions.function[i]
    u, du, ddu = own.constant, 0.0, 0.0
    for k in range(own.term, own.term_stop):
        term = functions.term[k]
        angle = term.omega * t - term.phase
        c = term.amplitude * np.cos(angle)
        u += c
        du -= term.amplitude * term.omega * np.sin(angle)
        ddu -= term.omega * term.omega * c
    if own.knot < own.knot_stop:
        k = functions.knot[piece_at(t, own.knot, own.knot_stop, functions.knot)]
        x = t - k.time
        u += ((k.c3 * x + k.c2) * x + k.c1) * x + k.c0
        du += (3.0 * k.c3 * x + 2.0 * k.c2) * x + k.c1
        ddu += 6.0 * k.c3 * x + 2.0 * k.c2
    if own.ramp <= 0.0:
        return u, du, ddu
    f, df, ddf = ramp(t, own.ramp)
    return f * u, f * du + df * u, f * ddu + 2.0 * df * du + ddf * u
