r"""Coefficients of foils as cubics in the angle of attack, all the way round.

Outside the angles of its table a foil has the coefficients of a flat plate with separated flow, [Hoerner1965], ch. 3,

.. math:: C_L = C \sin\alpha \cos\alpha, \qquad C_D = C_0 + C \sin^2\alpha, \qquad C_M = 0,

on rows `STEP` apart. The cubics are those of [Fritsch1984], monotone between the rows, so that they do not
overshoot, and with continuous slopes.
"""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array, Records, records
from ropewalk.spec.foils import HALF_TURN, Foil, FoilTable

STEP = 15.0  # deg, between rows of a flat plate and from the ends of a table to the first of them

FOIL_ROW = np.dtype(
    [
        ("angle", "f8"),  # from which the cubics count, rad
        ("lift", "f8", (4,)),  # coefficients, highest power first
        ("drag", "f8", (4,)),
        ("moment", "f8", (4,)),
    ],
    align=True,
)


def given_angles(table: FoilTable) -> tuple[float, float]:
    """First and last angle of attack of a table, rad."""
    high = np.radians(table.angle[-1])
    return (-high if table.symmetric else np.radians(table.angle[0])), high


def whole_circle(table: FoilTable) -> Array:
    """(n, 4) angle (deg, from -180 to 180), lift, drag and moment: the table, and a flat plate outside it."""
    given = np.column_stack([table.angle, table.lift, table.drag, table.moment or np.zeros(len(table.angle))])
    if table.symmetric:
        mirrored = given[:0:-1] * np.array([-1.0, -1.0, 1.0, -1.0])
        given = np.concatenate([mirrored, given])
    low, high = float(given[0, 0]), float(given[-1, 0])
    angles = np.arange(-HALF_TURN, HALF_TURN + 1.0, STEP)
    # the circle is closed: a row of the plate must also keep away from the table's other end
    beyond = angles[(angles >= high + STEP) & (angles <= low + 360.0 - STEP)]
    before = angles[(angles <= low - STEP) & (angles >= high - 360.0 + STEP)]
    a = np.radians(np.concatenate([before, beyond]))
    least, force = float(given[:, 2].min()), table.stalled
    plate = np.column_stack(
        [np.degrees(a), force * np.sin(a) * np.cos(a), least + force * np.sin(a) ** 2, np.zeros(a.size)]
    )
    rows = np.concatenate([plate, given])
    rows = rows[np.argsort(rows[:, 0])]
    return _closed(rows)


def _closed(rows: Array) -> Array:
    """Rows closed by equal ones at -180 and 180 deg."""
    has_low, has_high = rows[0, 0] == -HALF_TURN, rows[-1, 0] == HALF_TURN
    turn = np.array([2.0 * HALF_TURN, 0.0, 0.0, 0.0])
    if has_low and has_high:
        rows[-1, 1:] = rows[0, 1:]  # those of a plate differ by round-off
        return rows
    if has_low:
        return np.concatenate([rows, rows[:1] + turn])
    if has_high:
        return np.concatenate([rows[-1:] - turn, rows])
    before, after = rows[-1] - turn, rows[0]  # a table that ends just short of 180 deg on both sides
    share = (-HALF_TURN - before[0]) / (after[0] - before[0])
    seam = (before + share * (after - before))[None]
    return np.concatenate([seam, rows, seam + turn])


def foil_rows(foil: Foil) -> Records:
    """(n,) of FOIL_ROW: cubics from each angle to the next; the last closes the circle at 180 deg."""
    from scipy.interpolate import PchipInterpolator  # takes long to import

    circle = whole_circle(foil.table)
    turn = np.array([2.0 * HALF_TURN, 0.0, 0.0, 0.0])
    wide = np.concatenate([circle[:-1] - turn, circle, circle[1:] + turn])  # cubics at the seam depend on both sides
    n = circle.shape[0]
    first = n - 1
    cubics = PchipInterpolator(np.radians(wide[:, 0]), wide[:, 1:]).c[:, first : first + n - 1]
    rows = records(n, FOIL_ROW)
    rows.angle = np.radians(circle[:, 0])
    for k, name in enumerate(("lift", "drag", "moment")):
        rows[name][:-1] = cubics[:, :, k].T
        rows[name][-1, 3] = circle[-1, 1 + k]
    return rows
