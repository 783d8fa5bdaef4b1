"""A worker: a process of its own that runs the cases it reads from its standard input, one after another.

``python -m ropewalk.sweep.worker`` is started by a sweep. When its input ends, because the sweep has ended or was
killed, it ends at once.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ropewalk.analysis.shared_start import shared_starts
from ropewalk.errors import ConvergenceError, InputError, OutputError
from ropewalk.methods.registry import solver_class
from ropewalk.sweep import job
from ropewalk.sweep.frames import DONE, ERROR, FAILED, MEMORY, NOT_WRITTEN, REFUSED, pack, pack_summary, unpack

READ_BYTES = 1 << 16
LONGEST_REASON = 2000  # characters kept of why a case failed
GONE = 3  # exit code of a worker whose sweep is gone
AFTER_MEMORY = 4  # exit code of a worker that has run out of memory: another starts clean
# what most cases need; modes, responses and kept files take xarray besides
PRELOADED = (
    "ropewalk.analysis.run", "ropewalk.analysis.statics", "ropewalk.post.statistics",
)  # fmt: skip
SOLVERS = ("catenary", "mixed_fem")


def main(preloaded: Sequence[str] = PRELOADED, solvers: Sequence[str] = SOLVERS) -> None:
    """Do cases until the input ends.

    preloaded, solvers : modules and methods imported first, so that no case's time limit pays for them
    """
    answers = os.dup(1)  # what anything prints must not stand between messages
    os.dup2(2, 1)
    jobs: queue.SimpleQueue[tuple[dict[str, Any], bytes]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(jobs,), daemon=True).start()
    for name in preloaded:
        import_module(name)
    for name in solvers:
        solver_class(name)
    _send(answers, pack({"ready": os.getpid()}))
    with shared_starts():
        while True:
            message, _ = jobs.get()
            answer, block = _do(message)
            _send(answers, pack(answer, block))
            if answer["status"] == MEMORY:
                os._exit(AFTER_MEMORY)


def _listen(jobs: queue.SimpleQueue[tuple[dict[str, Any], bytes]]) -> None:
    buffer = bytearray()
    while data := os.read(0, READ_BYTES):
        buffer += data
        while (message := unpack(buffer)) is not None:
            jobs.put(message)
    os._exit(GONE)


def _send(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except BrokenPipeError:
        os._exit(GONE)


def _do(message: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """The answer to one message: how the case ended and, if it is done, its row."""
    from ropewalk.spec.system import System

    case, begun = message["case"], time.perf_counter()
    status, reason, block = DONE, "", b""
    output = None if message.get("output") is None else Path(message["output"])
    limited = limit_memory(message.get("memory"))
    try:
        system = System.model_validate_json(message["system"])
        block = pack_summary(case, job.ask(message["do"], system, output))
    except ConvergenceError as error:
        status, reason = FAILED, str(error)
    except (InputError, ValueError) as error:
        status, reason = (REFUSED if isinstance(error, InputError) else ERROR), str(error)
    except OutputError as error:
        status, reason = NOT_WRITTEN, str(error)
    except MemoryError:
        limit = message.get("memory")
        told = f"needs more than {limit:g} bytes; raise limits.memory" if limit else "the machine has no memory left"
        status, reason = MEMORY, told
    except Exception as error:
        status, reason = ERROR, f"{type(error).__name__}: {error}"
    finally:
        limited()
    seconds = time.perf_counter() - begun
    return {"case": case, "status": status, "reason": reason[:LONGEST_REASON], "seconds": seconds}, block


def limit_memory(limit: float | None) -> Any:
    """Let the process take so many bytes more than it has; gives a function that lifts the limit again."""
    if limit is None or sys.platform == "win32":
        return lambda: None
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    most = _address_space() + int(limit)
    if before[1] != resource.RLIM_INFINITY:
        most = min(most, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    return lambda: resource.setrlimit(resource.RLIMIT_AS, before)


def _address_space() -> int:
    """Bytes of address space that the process has now; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
