"""A worker of a sweep that adds up the CPU time inside the runs (`rw.simulate`, `record`), in a file of its own."""

from __future__ import annotations

import os
import time
from pathlib import Path

from ropewalk.analysis import run
from ropewalk.sweep import worker

FOLDER = Path(os.environ["ROPEWALK_BENCH"])
inside = 0.0


def timed(plain):
    """The same function, timed."""

    def call(*arguments, **options):
        global inside
        begun = time.process_time()
        try:
            return plain(*arguments, **options)
        finally:
            inside += time.process_time() - begun
            (FOLDER / f"{os.getpid()}.cpu").write_text(str(inside))

    return call


run.simulate, run.record = timed(run.simulate), timed(run.record)
worker.main()
