"""The wait for the compiler at a first use: kernels are compiled on all cores, and counted."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ropewalk.cli.tables import say
from ropewalk.errors import InputError

if TYPE_CHECKING:
    from ropewalk.spec.system import System

PERIOD = 10.0  # s between lines where there is no terminal


def tell_first_use() -> None:
    """On a terminal, a word before kernels are compiled where none are kept yet, for commands without a plan."""
    if not sys.stderr.isatty() or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return
    from ropewalk.numerics.sources import cache_folder

    folder = cache_folder()
    if not folder.is_dir() or not any(folder.iterdir()):
        say(f"first use: compiling kernels takes one to three minutes; they are kept in {folder}", err=True)


def compile_for_statics(system: System, method: str | None = None) -> None:
    """Compile what static analysis of `system` is about to call and is not kept yet."""
    from ropewalk.analysis.warmup import static_tasks

    _prepare(lambda: static_tasks(system, method))


def compile_for_run(system: System, solver: str | None = None) -> None:
    """Compile what a simulation of `system`, from its equilibrium on, is about to call and is not kept yet."""
    from ropewalk.analysis.warmup import run_tasks

    _prepare(lambda: run_tasks(system, solver))


def compile_planned() -> None:
    """Compile all that the plan lists and is not kept yet."""
    from ropewalk.numerics.kernel_plan import read_plan

    _prepare(lambda: list(read_plan()[1]))


def _prepare(tasks: Callable[[], list[str]]) -> None:
    from ropewalk.numerics.parallel_compile import prepare

    counter = Counter()
    try:
        prepare(tasks(), counter)
    except InputError:  # the command itself refuses the case, in its own order of checks
        return
    finally:
        counter.close()


class Counter:
    """A progress bar with the number of kernels on a terminal, a line every ten seconds elsewhere."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` kernels are compiled."""
        if self._terminal:
            self._show(done, total)
        elif time.monotonic() - self._last >= PERIOD:
            self._last = time.monotonic()
            say(f"first use: {done} of {total} kernels compiled", err=True)

    def _show(self, done: int, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        if self._bar is None:
            columns = (
                TextColumn("first use: compiling kernels"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
            )
            self._bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=total)
        self._bar.update(self._task, completed=done, total=total)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
