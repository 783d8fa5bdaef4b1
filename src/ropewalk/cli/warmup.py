"""`ropewalk warmup`: compile everything now."""

from __future__ import annotations

from ropewalk.cli.compiling import compile_planned
from ropewalk.cli.tables import say


def warmup_command() -> None:
    """Compile all kernels now. They are kept in the cache, so that later commands start at once."""
    import sys
    import time

    from rich.console import Console
    from rich.progress import track

    from ropewalk.analysis.warmup import jobs
    from ropewalk.numerics.compile import cache_folder

    begin = time.perf_counter()
    console = Console(file=sys.stderr)
    compile_planned()
    todo = jobs()
    for name, job in track(todo, description="compiling", console=console, disable=not console.is_terminal):
        console.log(name) if console.is_terminal else None
        job()
    say(f"{len(todo)} methods compiled in {time.perf_counter() - begin:.1f} s; kept in {cache_folder()}")
