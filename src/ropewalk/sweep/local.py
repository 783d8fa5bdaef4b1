"""Cases on this machine: as many workers as cores, each case in a process that only it can bring down."""

from __future__ import annotations

import os
import queue
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ropewalk.sweep.frames import Outcome
from ropewalk.sweep.slot import WORKER, Inbox, Slot, wait

Job = dict[str, Any]  # case, do, system as JSON text, output, memory


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_local(
    jobs: Iterable[Job], workers: int, time_limit: float | None = None, *, command: Sequence[str] = WORKER
) -> Iterator[Outcome]:
    """Do jobs, `workers` at a time, and give outcomes as they come. Jobs are made when they are needed.

    Ending the iteration early kills the workers.
    """
    waiting = iter(jobs)
    inbox: Inbox = queue.SimpleQueue()
    slots = [Slot(time_limit, inbox=inbox, command=command) for _ in range(workers)]
    try:
        for slot in slots:
            _give_next(slot, waiting)
        while busy := [slot for slot in slots if slot.job is not None]:
            outcome = wait(inbox, busy)
            if outcome is not None:
                for slot in busy:
                    if slot.job is None:
                        _give_next(slot, waiting)
                yield outcome
    finally:
        for slot in slots:
            slot.close()


def _give_next(slot: Slot, waiting: Iterator[Job]) -> None:
    job = next(waiting, None)
    if job is not None:
        slot.give(job)
