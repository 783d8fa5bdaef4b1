"""Kernels of a task compiled by all cores at once, before the task begins.

A task (static analysis by one method, a simulation by one solver) makes numba compile a tree of kernels, each after
those it calls. ``kernel_plan.json`` lists, for the usual tasks, the kernels with the types of their arguments and what
each calls (``make plan`` writes it). Here processes, one per core and this one among them, take from that list what is
ready and leave the result in the kernel cache, where the others and the task find it.

The list is advice only. A kernel that it lacks is compiled when the task calls it, one that it has in vain costs some
seconds, and nothing is computed with it.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

from ropewalk.numerics.cores import cores
from ropewalk.numerics.kernel_plan import Planned, read_plan
from ropewalk.numerics.sources import all_sources_hash, cache_folder, usable_folder

WORTH = 4  # kernels to compile, below which processes take longer to start than to compile them


def prepare(tasks: Sequence[str], report: Callable[[int, int], None]) -> int:
    """Compile what these tasks need and is not kept yet; the number of kernels compiled.

    ``report(n, m)`` is called after each with the number done and the number of all.
    """
    mark = _mark(tasks)
    if mark is None or mark.exists():
        return 0
    kernels, needed = read_plan()
    wanted = sorted({number for task in tasks for number in needed.get(task, ())})
    missing = [number for number in wanted if not _kept(kernels[number])]
    if len(missing) >= WORTH:
        _compile_all(kernels, missing, report)
    mark.touch()
    return len(missing)


def _mark(tasks: Sequence[str]) -> Path | None:
    """An empty file that is there once these tasks were prepared; None if nothing can be kept."""
    from ropewalk.numerics.compile import OWN

    known = all_sources_hash()
    if not OWN or not known or not usable_folder(cache_folder()) or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return None
    names = hashlib.sha256("\n".join(sorted(tasks)).encode()).hexdigest()
    return cache_folder() / f"prepared-{known[:16]}-{names[:8]}"


def _found(planned: Planned) -> tuple[Any, tuple[Any, ...]] | None:
    """The kernel and the types of its arguments; None if there is no such kernel any more."""
    from ropewalk.numerics.type_names import decode, found

    try:
        function = found(planned.name)
        return (function, tuple(decode(kind) for kind in planned.types)) if hasattr(function, "_cache") else None
    except (ImportError, AttributeError, TypeError, ValueError):
        return None


def _kept(planned: Planned) -> bool:
    known = _found(planned)
    if known is None:
        return True  # nothing to compile
    function, types = known
    return bool(function._cache.kept(types, function.targetctx, planned.inner))


def _compile_all(kernels: list[Planned], missing: list[int], report: Callable[[int, int], None]) -> None:
    """Let processes compile these kernels, each after those it calls."""
    left = set(missing)
    height = _heights(kernels, missing)
    waiting = {number: {callee for callee in kernels[number].callees if callee in left} for number in missing}
    answers: SimpleQueue[tuple[int, int]] = SimpleQueue()  # worker, kernel done; -1 for a process that ended
    workers = [_start(answers, worker) for worker in range(1, min(cores(), len(missing)))]
    workers.insert(0, _start_here(kernels, answers))
    idle, busy = list(range(len(workers))), dict[int, int]()  # numbers of workers; kernel of each that compiles
    try:
        while left:
            ready = sorted((n for n, before in waiting.items() if not before), key=height.__getitem__)
            while idle and ready:
                worker, number = idle.pop(), ready.pop()
                del waiting[number]
                busy[worker] = number
                workers[worker].send(number)
            if not busy:
                break  # all processes ended, or the plan is wrong
            worker, number = answers.get()
            busy.pop(worker, None)
            if number < 0:  # this one ended
                idle = [other for other in idle if other != worker]
                continue
            idle.append(worker)
            left.discard(number)
            for before in waiting.values():
                before.discard(number)
            report(len(missing) - len(left), len(missing))
    finally:
        for one in workers:
            one.stop(bool(left))


def _heights(kernels: list[Planned], missing: list[int]) -> dict[int, int]:
    """Longest chain of callers above each kernel: what has most above it is compiled first."""
    height = dict.fromkeys(missing, 0)
    for number in sorted(missing, reverse=True):  # callees stand before callers in the plan
        for callee in kernels[number].callees:
            if callee in height:
                height[callee] = max(height[callee], height[number] + 1)
    return height


class Worker(NamedTuple):
    """Something that compiles kernels of the plan and answers with the number of each."""

    send: Callable[[int], None]  # the number of a kernel
    stop: Callable[[bool], None]  # at once, whatever is being compiled, or when that is done


def _start_here(kernels: list[Planned], answers: SimpleQueue[tuple[int, int]]) -> Worker:
    """A thread of this process, as worker 0: what it compiles need not be loaded again, and no process has to start."""
    numbers: SimpleQueue[int | None] = SimpleQueue()

    def listen() -> None:
        try:
            for number in iter(numbers.get, None):
                _compile(kernels[number])
                answers.put((0, number))
        finally:
            answers.put((0, -1))

    thread = Thread(target=listen, daemon=True)
    thread.start()

    def stop(at_once: bool) -> None:
        numbers.put(None)
        if not at_once:
            thread.join()

    return Worker(numbers.put, stop)


def _start(answers: SimpleQueue[tuple[int, int]], worker: int) -> Worker:
    """A process that compiles the kernels whose numbers it reads, and a thread that passes on its answers."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    process = subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import work; work()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
    )  # fmt: skip

    def listen() -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                answers.put((worker, int(line)))
        answers.put((worker, -1))

    listener = Thread(target=listen, daemon=True)
    listener.start()

    def send(number: int) -> None:
        assert process.stdin is not None
        with suppress(OSError):  # it has ended, which its listener reports
            process.stdin.write(f"{number}\n")
            process.stdin.flush()

    def stop(at_once: bool) -> None:
        assert process.stdin is not None
        if at_once:
            process.terminate()
        with suppress(OSError):  # it has ended
            process.stdin.close()
        process.wait()
        listener.join()

    return Worker(send, stop)


def work() -> None:
    """Compile the kernels of the plan whose numbers come in, until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed is no answer
    kernels, _ = read_plan()
    for line in sys.stdin:
        number = int(line)
        _compile(kernels[number])
        answers.write(f"{number}\n")
        answers.flush()


def _compile(planned: Planned) -> None:
    known = _found(planned)
    if known is not None:
        compile_one(*known, inner=planned.inner)


def compile_one(function: Any, types: tuple[Any, ...], *, inner: bool) -> None:
    """Compile one kernel, or load it; one that does not compile for these types any more is left alone."""
    before, function._inner = function._inner, inner
    try:
        function.compile(types)
    except Exception:  # of numba, or of whatever in it meets another number of arguments or fields
        return
    finally:
        function._inner = before
