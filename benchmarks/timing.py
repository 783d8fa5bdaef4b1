"""Timing: the best of several runs, each long enough to be measured; and peers kept from printing."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

SHORTEST = 0.02  # s of one measurement


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """MoorDyn prints from C."""
    kept = {stream: os.dup(stream) for stream in (1, 2)}
    with Path(os.devnull).open("w") as sink:
        for stream in kept:
            os.dup2(sink.fileno(), stream)
        try:
            yield
        finally:
            for stream, copy in kept.items():
                os.dup2(copy, stream)
                os.close(copy)


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
