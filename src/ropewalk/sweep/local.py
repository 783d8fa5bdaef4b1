"""Cases on this machine: as many workers as cores, each case in a process that only it can bring down."""

from __future__ import annotations

import queue
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from ropewalk.errors import InputError
from ropewalk.numerics.cores import cores
from ropewalk.spec import arguments
from ropewalk.sweep.frames import Outcome
from ropewalk.sweep.slot import WORKER, Inbox, Slot, wait

Job = dict[str, Any]  # case, do, system as JSON text, output, memory

MOST_WORKERS = 1024  # of one machine; each is a process
EARLY = 4  # workers that are started before the number of cases is known
SHORT_SECONDS = 0.1  # of a case; a worker that does such has the next one waiting, as the way there and back takes 1 ms


class Crew:
    """Workers of this machine. They can be started before it is known what they are to do: a start takes 0.5 s.

    size : workers at most; as many as cores unless given    command : that starts one
    """

    def __init__(self, size: int | None = None, command: Sequence[str] = WORKER) -> None:
        if size is not None and arguments.count("jobs", size) > MOST_WORKERS:
            raise InputError(f"jobs {size}: at most {MOST_WORKERS} cases run at a time, one on each core")
        self.command = tuple(command)
        self._inbox: Inbox = queue.SimpleQueue()
        self.slots = [Slot(inbox=self._inbox, command=command) for _ in range(size or cores())]

    def start(self) -> Self:
        """Start workers, a few at first, without waiting for them."""
        for slot in self.slots[:EARLY]:
            slot.start()
        return self

    def run(self, jobs: Iterable[Job], time_limit: float | None = None) -> Iterator[Outcome]:
        """Do jobs and give outcomes as they come; then, or when the iteration is left, the workers are ended.

        jobs : made when they are needed    time_limit : s per case
        """
        waiting = iter(jobs)
        try:
            for slot in self.slots:
                slot.time_limit = time_limit
                if not _give_next(slot, waiting):
                    slot.close()
            while busy := [slot for slot in self.slots if slot.job is not None]:
                outcome = wait(self._inbox, busy)
                if outcome is not None:
                    for slot in busy:
                        if slot.job is None or (slot.following is None and outcome.seconds < SHORT_SECONDS):
                            _give_next(slot, waiting)
                    yield outcome
        finally:
            self.close()

    def close(self) -> None:
        """End the workers, whatever they do."""
        for slot in self.slots:
            slot.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _give_next(slot: Slot, waiting: Iterator[Job]) -> bool:
    """Hand the next case over, if there is one."""
    job = next(waiting, None)
    if job is not None:
        slot.give(job)
    return job is not None
