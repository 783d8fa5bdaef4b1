"""Laws along the axes of joints as records: every spring, stop and applied force as one piecewise linear function."""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Records, records
from ropewalk.model.joints import FREE, HELD, SPRING
from ropewalk.spec.springs import MOST_ENTRIES, AxisLaw, LinkAxis

CORNERS = MOST_ENTRIES + 6  # of a law: table, rest, two stops, and one place on either side of all

AXIS_LAW = np.dtype(
    [
        ("hold", "i8"),  # HELD, FREE or SPRING (with a law) of model/joints.py
        ("count", "i8"),  # corners in use, 0 without a spring
        ("way", "f8", (CORNERS,)),  # of the second end along the axis, rising, m
        ("force", "f8", (CORNERS,)),  # on the second end, N
        ("damping", "f8"),  # N s/m
        ("friction", "f8"),  # dry, N
    ],
    align=True,
)


def build_law(axis: LinkAxis) -> Records:
    """(1,) of AXIS_LAW."""
    row = records(1, AXIS_LAW)
    row.hold = HELD if axis == "held" else FREE if axis == "free" else SPRING
    if isinstance(axis, AxisLaw):
        row.damping, row.friction = axis.damping, axis.friction
        corners = _corners(axis)
        row.count = len(corners)
        row.way[0, : len(corners)] = corners
        row.force[0, : len(corners)] = [_force(axis, x) for x in corners]
    return row


def _corners(axis: AxisLaw) -> list[float]:
    """Displacements between which, and beyond which, the force is linear, m; none where it is zero."""
    if axis.force == axis.spring == 0.0 and axis.table is None and axis.stops is None:
        return []
    inner = sorted({axis.rest, *(x for x, _ in axis.table or ()), *(axis.stops or ())})
    return [inner[0] - 1.0, *inner, inner[-1] + 1.0]


def _force(axis: AxisLaw, x: float) -> float:
    """Force on the second end at the displacement x (m), N."""
    off = x - axis.rest
    side = {"both": True, "pull": off > 0.0, "push": off < 0.0}[axis.acts]
    total = axis.force - (axis.spring * off if side else 0.0)
    if axis.table is not None:
        total -= _table(np.array(axis.table), x)
    if axis.stops is not None and axis.stop_stiffness is not None:
        low, high = axis.stops
        total += axis.stop_stiffness * (max(0.0, low - x) - max(0.0, x - high))
    return total


def _table(table: np.ndarray[tuple[int, int], np.dtype[np.float64]], x: float) -> float:
    """Value at x, extrapolated linearly beyond the ends."""
    k = int(np.clip(np.searchsorted(table[:, 0], x) - 1, 0, len(table) - 2))
    (x0, f0), (x1, f1) = table[k], table[k + 1]
    return float(f0 + (f1 - f0) / (x1 - x0) * (x - x0))
