"""A worker that hangs, crashes, or takes too much memory where the title of its case says so."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from ropewalk.sweep import job, worker


def ask(do, system, output):
    """A row that depends on the case, without any of the solvers, which take seconds to load."""
    fault, _, where = system.title.partition(" ")
    if fault == "hang":
        time.sleep(600.0)
    if fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "abort":
        os.abort()
    if fault == "hog":
        hoard = [np.empty(10**7) for _ in range(1000)]
        return len(hoard)
    if fault == "noise":
        os.write(1, b"a print of a library")
    if fault == "once" and not Path(where).exists():
        Path(where).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "slow":
        time.sleep(float(where))
    x = system.bodies["platform"].position[0] + system.environment.depth
    summary = job.Summary(labels={"line": list(system.lines), "end": ["A", "B"]})
    values = [[np.sin(x + k), np.cos(x + k)] for k in range(len(system.lines))]
    summary.add("end_tension", ("line", "end"), values, "N", "tension at the ends")
    return summary


job.ask = ask
worker.main(preloaded=(), solvers=())
