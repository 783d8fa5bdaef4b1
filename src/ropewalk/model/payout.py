"""Arrays of the winches that pay lines out or haul them in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints, floats, ints, offsets
from ropewalk.physics.payout import paid_out
from ropewalk.spec.lines import Line
from ropewalk.spec.payout import Payout


class Winches(NamedTuple):
    """One entry per line with a winch."""

    line: Ints  # (n,) which line
    end: Ints  # (n,) 0 for A, 1 for B
    ramp: Array  # (n,) s
    knot_start: Ints  # (n + 1,)
    knots: Array  # (m, 2) time (s), change of the speed (m/s)


def build_winches(lines: Mapping[str, Line]) -> Winches:
    """Arrays of all winches, in the order of their lines."""
    given = [(i, line.payout) for i, line in enumerate(lines.values()) if line.payout is not None]
    knots = [_knots(payout) for _, payout in given]
    return Winches(
        line=ints([i for i, _ in given]),
        end=ints([0 if payout.end == "A" else 1 for _, payout in given]),
        ramp=floats([payout.ramp for _, payout in given]),
        knot_start=offsets([len(rows) for rows in knots]),
        knots=floats([row for rows in knots for row in rows], (-1, 2)),
    )


def knots_of(winches: Winches, i: int) -> Array:
    """The corners of winch i."""
    return winches.knots[winches.knot_start[i] : winches.knot_start[i + 1]]


def lengths_at(winches: Winches, length: Array, t: float) -> Array:
    """Unstretched lengths of all lines at time t (m), from those at the start."""
    result = np.array(length)
    for i, line in enumerate(winches.line):
        result[line] += paid_out(t, winches.ramp[i], knots_of(winches, i))[0]
    return result


def _knots(payout: Payout) -> list[tuple[float, float]]:
    """Times of the entries and the jumps of speed there."""
    speed = np.diff(payout.length) / np.diff(payout.time)
    jumps = np.diff(speed, prepend=0.0, append=0.0)
    return list(zip(payout.time, (float(jump) for jump in jumps), strict=True))
