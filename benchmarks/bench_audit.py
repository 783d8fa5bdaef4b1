"""What the audit takes of whole calls, over all examples: of statics, and of runs with that of their first equilibrium.

Run as ``python -m benchmarks audit``. Bars: under 10 % of a static call, under 2 % of a run. CPU time in one process,
kernels compiled, the case read beforehand; the least of several calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ropewalk as rw
from benchmarks.timing import show
from ropewalk.analysis import audit_records, run, statics
from ropewalk.errors import ConvergenceError, InputError

EXAMPLES = Path(__file__).parents[1] / "examples"
STATIC_BAR, RUN_BAR = 10.0, 2.0  # % of a call
SPENT = 0.2  # s on each example, or two calls
MOST = 60  # calls
# Runs that are left out: one takes 3 s of CPU or more, and its audit was below 0.2 % of it. In equilibrium none does.
LONG_RUNS = {
    "cage": "3.5 s",
    "cage_collar": "30 s",
    "plankton_net": "8 s",
}


class Clock:
    """CPU time inside functions that are put under it."""

    def __init__(self) -> None:
        self.spent = 0.0

    def put_on(self, owner: Any, name: str, before: Callable[..., object] | None = None) -> None:
        """Replace a function by one that is timed.  before : called with its arguments first, not timed"""
        function = getattr(owner, name)

        def timed(*given: Any, **named: Any) -> Any:
            if before is not None:
                before(*given)
            begin = time.process_time()
            try:
                return function(*given, **named)
            finally:
                self.spent += time.process_time() - begin

        setattr(owner, name, timed)


def share(clock: Clock, job: Callable[[], object]) -> tuple[float, float]:
    """Least share of a call under the clock, %, and its CPU time, s."""
    begin = time.process_time()
    job()
    count = max(2, min(MOST, int(SPENT / max(time.process_time() - begin, 1e-6))))
    whole = own = float("inf")
    for _ in range(count):
        clock.spent, begin = 0.0, time.process_time()
        job()
        whole, own = min(whole, time.process_time() - begin), min(own, clock.spent)
    return 100.0 * own / whole, whole


def of_statics(clock: Clock, system: rw.System) -> tuple[float, float] | None:
    """Share of the audit in a static call, %, and CPU time of the call, s; None if the case has no such equilibrium."""
    try:
        rw.statics(system)
    except (InputError, ConvergenceError):  # rods alone have another question
        return None
    return share(clock, lambda: rw.statics(system))


def of_run(clock: Clock, system: rw.System) -> tuple[float, float]:
    """Share of the audit in a run with that of its start, %, and CPU time of the run, s."""
    rw.simulate(system, progress=False)
    return share(clock, lambda: rw.simulate(system, progress=False))


def main() -> None:
    """Print the share of every example, then how many are above the bars, and the largest."""
    clock = Clock()
    clock.put_on(statics, "audit")
    for name in ("__init__", "take", "look"):
        clock.put_on(audit_records.Watch, name)
    clock.put_on(run, "is_driven")
    clock.put_on(run, "_audited", lambda _, __, report: dict(report.figures))  # figures are made when first read
    found: dict[str, dict[str, float]] = {"static call": {}, "run": {}}
    for path in sorted(EXAMPLES.glob("*.yaml")):
        system, name = rw.System.from_file(path), path.stem
        figures = {"static call": of_statics(clock, system)}
        if system.run is not None and not system.rods:
            if name in LONG_RUNS:
                print(f"{name:<26} run left out: it takes {LONG_RUNS[name]}", flush=True)
            else:
                figures["run"] = of_run(clock, system)
        for what, figure in figures.items():
            if figure is not None:
                found[what][name], whole = figure
                print(f"{name:<26} {what:<12} {1e3 * whole:9.2f} ms {found[what][name]:6.2f} %", flush=True)
    rows = []
    for what, bar in (("static call", STATIC_BAR), ("run", RUN_BAR)):
        shares = found[what]
        above, most = sum(value > bar for value in shares.values()), max(shares, key=shares.__getitem__)
        rows.append((f"examples with an audit above the bar, {what}", f"{above} of {len(shares)}", f"bar {bar:g} %"))
        rows.append((f"largest share, {what}", f"{shares[most]:.2f} % ({most})", f"bar {bar:g} %"))
    show(rows)


if __name__ == "__main__":
    main()
