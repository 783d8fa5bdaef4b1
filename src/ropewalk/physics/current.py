"""Steady current over the depth, by kind of profile.

Above still water the current is that at z = 0: a profile is not stretched with the waves. The vertical
component is always zero; it is returned so that callers need no special case.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ropewalk.numerics.compile import UNCOUNTED, kernel

UNIFORM = 0  # the same everywhere
POWER = 1  # a power of the height above the bed
TABLE = 2  # rows of z, speed, heading
FUNCTION = 3  # a field of place and time, a row of FIELD; see loads/sea.py

# a current u(r, t) by a function
FIELD = np.dtype(
    [
        ("address", "i8"),  # of the function, numerics/pointers.py
        ("slope", "i8"),  # address of its derivative by place, 0 where differences are taken
        ("share", "f8"),  # of it that acts, less than 1 in load steps
        ("time", "f8"),  # of statics, s
        ("still", "i8"),  # 1 if it stays as it is at that time
    ],
    align=True,
)

# Power laws with an exponent below 1 have an infinite slope on the bed, which Newton cannot use:
# in this part of the depth above it the profile is a straight line to zero.
POWER_LAYER = 1e-4


def current_table(z: ArrayLike, speed: ArrayLike, heading: ArrayLike) -> NDArray[np.float64]:
    """A profile's table (n, 3), read-only: z ascending (m), speed (m/s), heading (rad) without jumps.

    Between rows the heading turns the shorter way. z may be given in any order, without repeats.
    """
    columns = np.broadcast_arrays(*(np.atleast_1d(np.asarray(v, float)) for v in (z, speed, heading)))
    table = np.stack(columns, axis=1)
    table = np.ascontiguousarray(table[np.argsort(table[:, 0])])
    if np.any(np.diff(table[:, 0]) <= 0.0):
        twice = table[1:, 0][np.diff(table[:, 0]) <= 0.0][0]
        raise ValueError(f"current profile: z = {twice} m is given twice; each height needs one row")
    table[:, 2] = np.unwrap(table[:, 2])
    table.flags.writeable = False
    return table


@kernel(**UNCOUNTED)
def _speed(z, kind, speed, heading, exponent, depth, table):
    r"""Speed (m/s), its slope in z (1/s), heading (rad) and its slope in z (rad/m).

    .. math:: U = U_0 \left(\frac{z + h}{h}\right)^\alpha

    Source: [DNVC205] for the power law, straight below POWER_LAYER of the depth where its slope has no bound; a table
    is linear between rows. Above still water U = U(0).    arguments as :func:`current`
    """
    if kind == POWER:
        if z >= 0.0 or np.isinf(depth):
            return speed, 0.0, heading, 0.0
        height = (z + depth) / depth
        if height <= 0.0:
            return 0.0, 0.0, heading, 0.0
        if height < POWER_LAYER:
            slope = speed * POWER_LAYER ** (exponent - 1.0)
            return slope * height, slope / depth, heading, 0.0
        value = speed * height**exponent
        return value, exponent * value / (height * depth), heading, 0.0
    if kind == TABLE:
        n = table.shape[0]
        z = min(z, 0.0)
        if z < table[0, 0]:
            return table[0, 1], 0.0, table[0, 2], 0.0
        if z >= table[n - 1, 0]:
            return table[n - 1, 1], 0.0, table[n - 1, 2], 0.0
        i, above = 0, n - 1  # the rows around z, by halves
        while above - i > 1:
            middle = (i + above) // 2
            if table[middle, 0] <= z:
                i = middle
            else:
                above = middle
        step = 1.0 / (table[i + 1, 0] - table[i, 0])
        ds = (table[i + 1, 1] - table[i, 1]) * step
        dh = (table[i + 1, 2] - table[i, 2]) * step
        height = z - table[i, 0]
        if z == 0.0:  # constant from here upwards
            return table[i, 1] + ds * height, 0.0, table[i, 2] + dh * height, 0.0
        return table[i, 1] + ds * height, ds, table[i, 2] + dh * height, dh
    return speed, 0.0, heading, 0.0


@kernel(**UNCOUNTED)
def current(z, kind, speed, heading, exponent, depth, table):
    r"""Current velocity (m/s) at height z, as three numbers (x, y, z).

    .. math:: U(z) = U_0 \left(\frac{z + h}{h}\right)^{\alpha}

    Source: [DNVC205], ch. 4 for the power law (exponent 1/7). UNIFORM is U_0 at all heights, the bed
    included. POWER is zero from the bed down, and uniform in deep water, which has no bed to measure
    from. TABLE interpolates speed and heading in z and holds the end values beyond its ends.

    z : m from still water    kind : UNIFORM, POWER or TABLE    speed : U_0 at z = 0, m/s
    heading : towards which, rad    exponent : alpha, positive    depth : h, m or infinite
    table : (n, 3) of :func:`current_table`; (0, 3) if the kind is another
    """
    value, _, angle, _ = _speed(z, kind, speed, heading, exponent, depth, table)
    return value * np.cos(angle), value * np.sin(angle), 0.0


@kernel(**UNCOUNTED)
def current_slope(z, kind, speed, heading, exponent, depth, table):
    r"""Slope of the current velocity in z (1/s), as three numbers; arguments as :func:`current`.

    Source: derivative of :func:`current`.

    .. math:: \frac{dU}{dz} = U'(z)\,e(z) + U(z)\,\beta'(z)\, e_\perp(z)

    Where the profile has a corner (z = 0, a table's rows) the slope above it is taken.
    """
    value, slope, angle, turn = _speed(z, kind, speed, heading, exponent, depth, table)
    c = np.cos(angle)
    s = np.sin(angle)
    return slope * c - value * turn * s, slope * s + value * turn * c, 0.0
