"""The progress of a sweep: on a terminal, silent elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

REDRAWS = 5.0  # of the bar, per second
CLOCK = 1e-9  # s: no shorter time is divided by


@dataclass
class Progress:
    """Where a sweep stands."""

    total: int
    done: int  # cases that have ended, failed ones too
    failed: int
    begun: float  # monotonic clock, s

    def __post_init__(self) -> None:
        self.before = self.done  # ended in an earlier run of the sweep

    @property
    def rate(self) -> float:
        """Cases per second."""
        return (self.done - self.before) / max(time.monotonic() - self.begun, CLOCK)

    @property
    def remaining(self) -> float:
        """s; infinite before the first case has ended"""
        return (self.total - self.done) / self.rate if self.rate > 0.0 else float("inf")


def duration(seconds: float) -> str:
    """A time as one reads it: 42 s, 3 min, 2.5 h."""
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    if seconds < 6000.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds / 3600.0:.1f} h" if seconds < float("inf") else "?"


def size(number: float) -> str:
    """Bytes as one reads them."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= scale:
            return f"{number / scale:.3g} {unit}"
    return f"{number:.0f} bytes"


@contextmanager
def sweep_bar(progress: bool | None, counts: Progress) -> Iterator[Callable[[], None]]:
    """A function that shows the counts.  progress : show a bar; None: if standard error is a terminal"""
    if not (sys.stderr.isatty() if progress is None else progress):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.completed:.0f} of {task.total:.0f} cases"),
        BarColumn(),
        TextColumn("{task.fields[rate]:.3g}/s, {task.fields[left]} left, {task.fields[failed]} failed"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True, refresh_per_second=REDRAWS) as bar:
        task = bar.add_task(
            "sweep", total=counts.total, completed=counts.done, rate=0.0, left="?", failed=counts.failed
        )

        def show() -> None:
            bar.update(task, completed=counts.done, rate=counts.rate, left=duration(counts.remaining),
                       failed=counts.failed)  # fmt: skip

        show()
        yield show
