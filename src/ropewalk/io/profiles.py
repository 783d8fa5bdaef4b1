"""Current profiles given by components, as rows of speed and heading.

A profile of the case has a speed and a heading at each height, linear between rows. Measured components are linear
between rows by themselves: a current that reverses passes through zero and does not turn round. Rows are put in between
where the direction turns, so that both are the same; speeds change sign where the current reverses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

TURN = 5.0  # degrees between rows in which the direction turns
PARTS = 16  # of an interval in which the direction turns, beside those
REVERSED = 179.0  # degrees between rows from which the current passes through zero
NEXT_TO_ZERO = 0.01  # of an interval: where a current that begins from zero has its direction
NEAREST = 1e-6  # of an interval, between rows
MOST_ROWS = 10_000  # of a table that gets rows in between

Row = tuple[float, float, float]  # z (m), speed (m/s, negative: against the heading), heading (degrees)


def rows_of_components(z: Sequence[float], u: Sequence[float], v: Sequence[float]) -> list[Row]:
    """Rows of z, speed and heading between which the components are linear to about 0.3 % of the largest speed.

    z : m, rising or falling    u, v : speeds along x and y, m/s
    """
    flow = [complex(a, b) for a, b in zip(u, v, strict=True)]
    first = next((w for w in flow if w != 0.0), complex(1.0, 0.0))
    heading, sign = _degrees(first), 1.0
    rows: list[Row] = [(z[0], abs(flow[0]), heading)]
    for k in range(1, len(z)):
        before, now, way = flow[k - 1], flow[k], z[k] - z[k - 1]
        towards = sign * complex(math.cos(math.radians(heading)), math.sin(math.radians(heading)))
        turn = 0.0 if now == 0.0 else _degrees(now / towards)
        if abs(turn) >= REVERSED:
            sign, turn = -sign, turn - math.copysign(180.0, turn)
        elif len(z) <= MOST_ROWS and abs(turn) > TURN:
            rows += _between(z[k - 1], way, before, now, (heading, turn, sign))
        heading += turn
        rows.append((z[k], sign * abs(now), heading))
    return rows


def _between(z: float, way: float, before: complex, now: complex, course: tuple[float, float, float]) -> list[Row]:
    """Rows inside an interval in which the direction turns.  course : heading, turn (degrees) and sign of the speed"""
    heading, turn, sign = course
    if before == 0.0:
        return [(z + NEXT_TO_ZERO * way, sign * NEXT_TO_ZERO * abs(now), heading + turn)]
    shares = {k / PARTS for k in range(1, PARTS)}
    n = math.ceil(abs(turn) / TURN)
    for k in range(1, n):
        angle = math.radians(heading + turn * k / n)
        along = complex(math.cos(angle), -math.sin(angle))  # turns that direction onto x
        a, b = (before * along).imag, (now * along).imag
        shares.add(a / (a - b))
    found, last = [], 0.0
    for share in sorted(shares):
        if not last + NEAREST < share < 1.0 - NEAREST:
            continue
        last = share
        flow = before + share * (now - before)
        found.append((z + share * way, sign * abs(flow), heading + _degrees(flow / before)))
    return found


def _degrees(flow: complex) -> float:
    return math.degrees(math.atan2(flow.imag, flow.real))
