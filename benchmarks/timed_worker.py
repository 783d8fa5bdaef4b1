"""A worker of a sweep that adds up the CPU time inside `rw.simulate`, in a file of its own."""

from __future__ import annotations

import os
import time
from pathlib import Path

from ropewalk.analysis import run
from ropewalk.sweep import worker

FOLDER = Path(os.environ["ROPEWALK_BENCH"])
inside = 0.0
plain = run.simulate


def simulate(*arguments, **options):
    """`rw.simulate`, timed."""
    global inside
    begun = time.process_time()
    try:
        return plain(*arguments, **options)
    finally:
        inside += time.process_time() - begun
        (FOLDER / f"{os.getpid()}.cpu").write_text(str(inside))


run.simulate = simulate
worker.main()
