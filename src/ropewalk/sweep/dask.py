"""Cases on a Dask cluster, through the same journal and in the same isolated workers as on one machine.

Every thread of a Dask worker keeps one worker process of ours, so a case that hangs, crashes or runs out of memory
costs that case and not the Dask worker, and the bits are those of a sweep on one machine. A Dask worker that dies is
Dask's to replace: its cases are done again elsewhere.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ropewalk.errors import InputError
from ropewalk.sweep.frames import CRASHED, Outcome
from ropewalk.sweep.local import Job
from ropewalk.sweep.slot import WORKER, Slot

CONNECT_SECONDS = 30.0  # in which a scheduler must answer
AHEAD = 2  # cases in flight per thread: one at work and one waiting, so that no thread waits for the network
SCHEMES = ("tcp://", "tls://")

_here = threading.local()  # of a thread of a Dask worker: its slot


def run_dask(
    jobs: Iterable[Job], address: str, time_limit: float | None = None, *, command: Sequence[str] = WORKER
) -> Iterator[Outcome]:
    """Do jobs on the cluster of a scheduler and give outcomes as they come.

    address : tcp://HOST:PORT, or tls://HOST:PORT with the certificates of Dask's own configuration
    """
    if not address.startswith(SCHEMES):
        raise InputError(f"scheduler '{address}': give its address as tcp://HOST:PORT or tls://HOST:PORT")
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise InputError("a cluster needs the package distributed: pip install ropewalk[cluster]") from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"scheduler {address} cannot be reached: {error}") from None
    with client:
        threads = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        waiting = iter(jobs)
        given: dict[Any, Job] = {}
        running = as_completed(loop=client.loop)

        def give() -> None:
            job = next(waiting, None)
            if job is not None:
                future = client.submit(do_case, job, time_limit, tuple(command), pure=False)
                given[future] = job
                running.add(future)

        for _ in range(AHEAD * max(1, threads)):
            give()
        for future in running:
            job = given.pop(future)
            give()
            yield _outcome(future, job)


def _outcome(future: Any, job: Job) -> Outcome:
    """What came of a case; a case that took one Dask worker after another down with it has crashed."""
    error = future.exception()
    if error is not None:
        return Outcome(job["case"], CRASHED, f"{type(error).__name__}: {error}")
    found: dict[str, Any] = future.result()
    return Outcome(**found)


def do_case(job: Job, time_limit: float | None, command: tuple[str, ...]) -> dict[str, Any]:
    """On a Dask worker: do a case in the process that belongs to this thread."""
    slot: Slot | None = getattr(_here, "slot", None)
    if slot is None or slot.command != command:
        slot = _here.slot = Slot(command=command)
    slot.time_limit = time_limit
    return vars(slot.run(job))
