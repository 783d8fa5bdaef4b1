"""How long a sweep will take and how much disk it needs, from a short look at its first case."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from ropewalk.analysis.doubts import Doubt, of_attributes
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.spec.system import System
from ropewalk.sweep import job
from ropewalk.sweep.expand import Plan
from ropewalk.sweep.frames import pack_summary

PROBE_RECORDS = 40  # of a run that is looked at
OVERHEAD = 0.01  # s per case, measured: making, sending and keeping it


@dataclass(frozen=True)
class Estimate:
    """Of a whole sweep; `failed` is the reason if there is none."""

    seconds: float = 0.0  # of one core
    bytes: float = 0.0
    failed: str = ""
    doubts: tuple[Doubt, ...] = ()  # about the case that was looked at


def estimate(plan: Plan) -> Estimate:
    """Time and disk of all cases, taken to be like the first."""
    system = plan.system(0)
    try:
        if plan.sweep.do == "run":
            seconds, size, doubts = _run(system, is_whole=plan.sweep.keep == "files")
        else:
            job.ask(plan.sweep.do, system, None)  # kernels are loaded or compiled
            begun = time.perf_counter()
            summary = job.ask(plan.sweep.do, system, None)
            seconds, size = time.perf_counter() - begun, len(pack_summary(0, summary))
            doubts = [Doubt(**doubt) for doubt in summary.doubts]
    except (ConvergenceError, InputError) as error:
        return Estimate(failed=f"fails: {error}")
    told = tuple(replace(doubt, sentence=f"case 0: {doubt.sentence}") for doubt in doubts)
    return Estimate(len(plan) * (seconds + OVERHEAD), float(len(plan) * size), doubts=told)


def _run(system: System, *, is_whole: bool) -> tuple[float, int, list[Doubt]]:
    """Seconds and bytes of one run, and its doubts so far, from a short piece of it."""
    from ropewalk.analysis.run import simulate

    assert system.run is not None
    every, full = system.record.every, system.run.duration
    short = min(full, system.record.start + PROBE_RECORDS * every)
    simulate(system, min(short, every), progress=False)  # kernels are loaded or compiled
    begun = time.perf_counter()
    simulate(system, min(short, system.record.start + every), progress=False)
    start = time.perf_counter() - begun
    begun = time.perf_counter()
    dataset = simulate(system, short, progress=False)
    seconds = start + (time.perf_counter() - begun) * full / short
    row = dataset.nbytes / max(1, dataset.sizes["time"])
    whole = int(row * max(0.0, full - system.record.start) / every)
    size = (whole if is_whole else 0) + len(pack_summary(0, job.run_summary(dataset.drop_attrs())))
    return seconds, size, of_attributes(dataset.attrs)
