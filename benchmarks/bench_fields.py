"""Functions of the user's own against the built-in laws that they copy: ratios of whole static calls.

Run as ``python -m benchmarks fields``. Bar: under 3 with njit; cases without functions cost what they cost before.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

import ropewalk as rw
from benchmarks.timing import show

STIFFNESS, SQUARE = 2e7, 30.0  # N, and coefficient of the square of the strain
POLYNOMIAL = {"kind": "polynomial", "stiffness": STIFFNESS, "coefficients": [SQUARE]}
BAR = 3.0
REPEATS = 30  # of each measurement


def case(axial_stiffness: Any = STIFFNESS, current: bool = False, **line: Any) -> rw.System:
    """A rope of 130 m between two points."""
    rope = {
        "diameter": 0.08,
        "mass": 20,
        "axial_stiffness": axial_stiffness,
        "drag": {"normal": 1.2, "tangential": 0.1},
    }
    environment: dict[str, Any] = {"depth": 100, "seabed": {"kind": "none"}}
    if current:
        environment["current"] = {"speed": 1.0, "heading": 0, "profile": {"kind": "power", "exponent": 0.2}}
    pieces = [{"section": "rope", "length": 130}]
    return rw.System.model_validate({
        "environment": environment, "sections": {"rope": rope},
        "points": {"a": {"position": [0, 0, -90]}, "b": {"position": [80, 10, -1]}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 60, "pieces": pieces, **line}},
    })  # fmt: skip


@numba.njit
def pressed(s, r, t, time):  # type: ignore[no-untyped-def]
    """Pressure about y, N/m."""
    return 30.0 * t[2], 0.0, -30.0 * t[0]


@numba.njit
def sheared(r, t):  # type: ignore[no-untyped-def]
    """Power profile of the current over 100 m, m/s."""
    return max(0.0, min(1.0, 1.0 + 0.01 * r[2])) ** 0.2, 0.0, 0.0


@numba.njit
def stiffening(e):  # type: ignore[no-untyped-def]
    """Tension, N."""
    return STIFFNESS * (e + SQUARE * e * e)


@numba.njit
def with_slope(e):  # type: ignore[no-untyped-def]
    """Tension and its slope, N."""
    return STIFFNESS * (e + SQUARE * e * e), STIFFNESS * (1.0 + 2.0 * SQUARE * e)


def side_by_side(*jobs: Callable[[], object]) -> list[float]:
    """Seconds of the processor of one call of each, the least of REPEATS taken in turn: others disturb all alike."""
    least = [float("inf")] * len(jobs)
    for _ in range(REPEATS):
        for k, job in enumerate(jobs):
            begin = time.thread_time()
            job()
            least[k] = min(least[k], time.thread_time() - begin)
    return least


def main() -> None:
    """Ratio and difference of end forces for each field and method."""
    pressure = {"loads": [{"kind": "pressure", "axis": [0, 1, 0], "value": 30.0}]}
    pairs = {
        "load": (case(**pressure), case(), {"loads": {"l": pressed}}),
        "current": (case(current=True), case(), {"current": sheared}),
        "law": (case(POLYNOMIAL), case(), {"laws": {"rope": stiffening}}),
        "law with its slope": (case(POLYNOMIAL), case(), {"laws": {"rope": with_slope}}),
    }
    rows = []
    for name, (own, plain, fields) in pairs.items():
        for method in ("shooting", "fem"):
            built_in, given = rw.statics(own, method), rw.statics(plain, method, fields=fields)
            miss = (
                np.abs(given.state.end_force - built_in.state.end_force).max() / np.abs(built_in.state.end_force).max()
            )
            t0, t1 = side_by_side(
                lambda own=own, method=method: rw.statics(own, method),
                lambda plain=plain, method=method, fields=fields: rw.statics(plain, method, fields=fields),
            )
            rows.append((f"{name}, {method}", f"{t1 / t0:.2f} times, differs {miss:.0e}", f"below {BAR:g}"))
    show(rows)


if __name__ == "__main__":
    main()
