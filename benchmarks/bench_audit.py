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
from ropewalk.analysis import audit_run, run, statics
from ropewalk.errors import ConvergenceError, InputError

EXAMPLES = Path(__file__).parents[1] / "examples"
STATIC_BAR, RUN_BAR = 10.0, 2.0  # % of a call
SPENT = 1.0  # s on each example, or two calls
MOST = 60  # calls
LONGEST_RUN = 3.0  # s of CPU: longer runs are left out, their audit is far below the bar
SHOWN = 5  # examples with the largest shares


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


def main() -> None:
    """Print how many examples are above the bars, and the largest shares."""
    clock = Clock()
    clock.put_on(statics, "audit")
    for name in ("__init__", "take", "look"):
        clock.put_on(audit_run.Watch, name)
    clock.put_on(run, "is_driven")
    clock.put_on(run, "_audited", lambda _, __, report: dict(report.figures))  # figures are made when first read
    found: dict[str, dict[str, float]] = {"static call": {}, "run": {}}
    for path in sorted(EXAMPLES.glob("*.yaml")):
        system = rw.System.from_file(path)
        try:
            rw.statics(system)
            found["static call"][path.stem] = share(clock, lambda case=system: rw.statics(case))[0]
        except (InputError, ConvergenceError):  # rods alone have another question
            pass
        if system.run is not None and not system.rods:
            rw.simulate(system, progress=False)
            begin = time.process_time()
            rw.simulate(system, progress=False)
            if time.process_time() - begin < LONGEST_RUN:
                found["run"][path.stem] = share(clock, lambda case=system: rw.simulate(case, progress=False))[0]
    rows = []
    for what, bar in (("static call", STATIC_BAR), ("run", RUN_BAR)):
        shares = found[what]
        above = sum(value > bar for value in shares.values())
        rows.append((f"examples with an audit above the bar, {what}", f"{above} of {len(shares)}", f"bar {bar:g} %"))
        for name in sorted(shares, key=shares.__getitem__, reverse=True)[:SHOWN]:
            rows.append((f"  {name}", f"{shares[name]:.2f} %", ""))
    show(rows)


if __name__ == "__main__":
    main()
