"""Line paid out or hauled in against time: a table of lengths whose corners are rounded."""

from __future__ import annotations

from ropewalk.numerics.compile import kernel


@kernel
def rounded_ramp(x, width):
    r"""The corner max(x, 0) rounded over `width`, delayed by half of it; value (s), slope and curvature (1/s).

    .. math:: B(x) = \frac{1}{q^2} \int_0^q \int_0^q \max(x - u - v, 0)\, du\, dv, \qquad q = \tfrac12 \text{width}

    the corner averaged twice: zero up to x = 0, a straight line from x = width on, its curvature continuous.

    x : s since the corner    width : s, 0 for a sharp corner
    """
    if x <= 0.0:
        return 0.0, 0.0, 0.0
    q = 0.5 * width
    if x >= width:
        return x - q, 1.0, 0.0
    y = max(x - q, 0.0)
    p = 1.0 / (q * q)
    return p * (x * x * x - 2.0 * y * y * y) / 6.0, 0.5 * p * (x * x - 2.0 * y * y), p * (x - 2.0 * y)


@kernel
def paid_out(t, ramp, knots):
    r"""Unstretched length paid out by time t (m), its rate (m/s) and second rate (m/s2).

    .. math:: p(t) = \sum_k \Delta\dot p_k\, B(t - t_k)

    The speed is constant between the entries of the table and changes within `ramp` after each; it never overshoots.

    t : s    ramp : s    knots : (n, 2) time of an entry (s), change of the speed there (m/s)
    """
    length, rate, second = 0.0, 0.0, 0.0
    for k in range(knots.shape[0]):
        b, db, ddb = rounded_ramp(t - knots[k, 0], ramp)
        length += knots[k, 1] * b
        rate += knots[k, 1] * db
        second += knots[k, 1] * ddb
    return length, rate, second
