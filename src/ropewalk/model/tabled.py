r"""Curves through the rows of tables in time.

A cubic spline with free slopes at its ends follows smooth tables to fourth order. Through few rows with a corner, as
in "move, then hold", it overshoots far. Such intervals are found by how far their cubic leaves the range of the rows at
its ends, and get the slopes of [Fritsch1984] there, with which a cubic is monotone between two rows. The velocity is
continuous everywhere, the acceleration where no slope was limited.

Each coordinate is limited by itself, so that one that holds still does so while others move. What is not limited turns
with the axes exactly; of limited tables the way between rows depends on the axes, at worst by a whole step.
"""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array, Flags

# Of the largest step between rows around an interval: how far its cubic may leave the range of the rows at its ends.
# A harmonic motion leaves it by an eighth of the next step at its crest, by a fifth with only four rows a period.
BEYOND = 0.25


def limited_cubics(time: Array, value: Array) -> Array:
    """(4, n - 1, k) coefficients, highest power first, of cubics between n rows that do not overshoot them.

    time : (n,) s, rising    value : (n, k), or (n,) for (4, n - 1)
    """
    from scipy.interpolate import CubicHermiteSpline, CubicSpline, PchipInterpolator  # takes long to import

    if value.ndim == 1:
        alone: Array = limited_cubics(time, value[:, None])[:, :, 0]
        return alone
    curve = CubicSpline(time, value, bc_type="not-a-knot")
    if time.size < 3 or not np.any(_swings(time, value, curve.c)):
        whole: Array = curve.c
        return whole
    slope, calm = curve(time, 1), PchipInterpolator(time, value).derivative()(time)
    for _ in range(time.size):  # a new slope may swing the interval next to it; every turn calms one more
        swings = _swings(time, value, CubicHermiteSpline(time, value, slope).c)
        if not np.any(swings):
            break
        touched: Flags = np.zeros(value.shape, dtype=np.bool_)
        touched[:-1] |= swings
        touched[1:] |= swings
        slope = np.where(touched, calm, slope)
    cubics: Array = CubicHermiteSpline(time, value, slope).c
    return cubics


def _swings(time: Array, value: Array, cubics: Array) -> Flags:
    """(n - 1, k) whether a cubic leaves the range of its rows by more than `BEYOND` of the steps around it."""
    step = np.abs(np.diff(value, axis=0))
    around = np.pad(step, ((1, 1), (0, 0)), mode="edge")
    around = np.maximum(np.maximum(around[:-2], around[1:-1]), around[2:])
    low, high = np.minimum(value[:-1], value[1:]), np.maximum(value[:-1], value[1:])
    a, b, c, d = cubics
    h = np.diff(time)[:, None]
    root = np.sqrt(np.maximum(0.0, b * b - 3.0 * a * c))
    swings: Flags = np.zeros(step.shape, dtype=np.bool_)
    for sign in (-1.0, 1.0):  # where the slope vanishes: 3 a x^2 + 2 b x + c = 0, written without cancellation
        q = -(b + np.where(b >= 0.0, 1.0, -1.0) * root)
        up, down = (q, 3.0 * a) if sign > 0.0 else (c, q)
        x = np.clip(np.divide(up, down, out=np.zeros_like(q), where=down != 0.0), 0.0, h)
        there = ((a * x + b) * x + c) * x + d
        beyond = np.maximum(there - high, low - there)
        swings |= beyond > BEYOND * around + 1e-12 * np.maximum(np.abs(high), np.abs(low))
    return swings
