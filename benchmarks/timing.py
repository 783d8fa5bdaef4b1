"""Timing: the best of several runs, each long enough to be measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

SHORTEST = 0.02  # s of one measurement


def best(job: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of one call, the least of `repeats` measurements; the first call (compiling) is not counted."""
    job()
    begin = time.perf_counter()
    job()
    number = max(1, int(SHORTEST / max(time.perf_counter() - begin, 1e-9)))
    least = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        for _ in range(number):
            job()
        least = min(least, (time.perf_counter() - begin) / number)
    return least


def show(rows: Sequence[tuple[str, str, str]]) -> None:
    """Print what, figure, bar."""
    width = max(len(row[0]) for row in rows)
    for what, figure, bar in rows:
        print(f"{what:<{width}}  {figure:>24}  {bar}")
