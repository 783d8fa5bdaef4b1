"""Whole static calls of closed forms: what a call costs beside its solve, and the audit's share of it.

Run as ``python -m benchmarks statics``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import ropewalk as rw
from benchmarks.timing import show
from reference import spar
from ropewalk.analysis.audit import CONTINUOUS, audit
from ropewalk.methods.catenary import Catenary
from ropewalk.model.model import build
from ropewalk.model.state import initial_state

CALLS = 500  # the fastest counts: other programs slow down the rest
LINE = {
    "environment": {"depth": 100.0},
    "sections": {"chain": {"mass": 100.0, "diameter": 0.1, "axial_stiffness": 4e8}},
    "points": {"a": {"position": [0, 0, -100]}, "b": {"position": [400, 0, 0]}},
    "lines": {"m": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 430.0}]}},
}


def least(job: Callable[[], object]) -> float:
    """Seconds of the fastest of single calls."""
    job()
    found = float("inf")
    for _ in range(CALLS):
        begin = time.perf_counter()
        job()
        found = min(found, time.perf_counter() - begin)
    return found


def rows_of(name: str, system: rw.System, bar: str) -> list[tuple[str, str, str]]:
    """Times of the call, of its solve and of its audit, and the shares."""
    model, solver = build(system), Catenary()
    work = solver.start(model, initial_state(model))
    begin = work.place

    def solve() -> None:
        work.place = begin
        solver.advance(model, work, 0.0)

    call = least(lambda: rw.statics(system))
    alone = least(solve)
    state = solver.read(model, work)
    short = least(lambda: audit(model, state, 0.0, {}, CONTINUOUS))
    long = least(lambda: audit(model, state, 0.0, {}))
    return [
        (f"{name}, whole call", f"{1e3 * call:.3f} ms", bar),
        (f"{name}, solve alone", f"{1e3 * alone:.3f} ms", f"1/{call / alone:.1f} of the call; OC3: bar 0.15 ms"),
        (f"{name}, audit", f"{1e3 * short:.3f} ms", f"{100 * short / call:.0f} % of the call; bar 10 %"),
        (f"{name}, audit the long way", f"{1e3 * long:.3f} ms", f"{long / short:.0f} times as long"),
    ]


def main() -> None:
    """Print times and shares."""
    line = rw.System.model_validate(LINE)
    show([*rows_of("one line", line, "bar 0.3 ms"), *rows_of("OC3 platform", spar(position=[30, 0, 0]), "")])


if __name__ == "__main__":
    main()
