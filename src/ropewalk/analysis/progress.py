"""The progress bar of a run: on a terminal, silent elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

REDRAWS = 10.0  # of the progress bar, per second
CLOCK = 1e-9  # s, resolution of the clock: no shorter time is divided by


@contextmanager
def time_bar(progress: bool | None, duration: float) -> Iterator[Callable[[float], None] | None]:
    """A function that shows the simulated time (s) and how many times faster than the sea it passes, or None.

    progress : show it; None: if standard error is a terminal    duration : s
    """
    if progress is None:
        progress = sys.stderr.isatty()
    if not progress:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("t = {task.completed:.1f} of {task.total:.1f} s"),
        BarColumn(),
        TextColumn("{task.fields[factor]:.3g} x real time"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=REDRAWS) as bar:
        task = bar.add_task("run", total=duration, factor=0.0)
        began: list[float] = []  # simulated and wall time of the first record, so that compiling is not counted
        shown = 0.0

        def show(t: float) -> None:
            nonlocal shown
            now = time.monotonic()
            if not began or t < began[0]:
                began[:] = t, now
            if now - shown >= 1.0 / REDRAWS or t >= duration:
                shown = now
                bar.update(task, completed=t, factor=(t - began[0]) / max(now - began[1], CLOCK))

        yield show
