"""A place where cases are done one at a time: a warm worker process that is replaced when it hangs or dies."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import ropewalk
from ropewalk.errors import InputError
from ropewalk.results.checkpoint import DamagedError
from ropewalk.sweep.frames import CRASHED, LOST, TIME, Outcome, pack, unpack

WORKER = (sys.executable, "-m", "ropewalk.sweep.worker")
START_SECONDS = 120.0  # in which a worker must be there; the import of the program on a loaded machine
READ_BYTES = 1 << 16
LONGEST_WAIT = 3600.0  # s
TAIL = 2000  # bytes of what a dead worker wrote last that are read
MOST_STARTS = 3  # workers in a row that die before their first word: then the fault is not that of a case
# one thread each: cores are for cases, and sums do not depend on how many threads took part
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


# of a slot: which of its workers sent what. No bytes are its end; None that there is more in the slot's own buffer
Inbox = queue.SimpleQueue[tuple["Slot", int, bytes | None]]


class Slot:
    """One worker at a time; what it sends goes to an inbox that several slots may share.

    time_limit : s per case    command : that starts a worker    attempts : how often a case is tried that is lost
    """

    def __init__(
        self,
        time_limit: float | None = None,
        *,
        inbox: Inbox | None = None,
        command: Sequence[str] = WORKER,
        attempts: int = 2,
    ) -> None:
        self.inbox: Inbox = queue.SimpleQueue() if inbox is None else inbox
        self.time_limit = time_limit
        self.command = tuple(command)
        self.most_attempts = attempts
        self.job: dict[str, Any] | None = None
        self.following: dict[str, Any] | None = None  # a short case that the worker finds in its queue after this one
        self.attempt = 0
        self.deadline = float("inf")  # of the monotonic clock, s
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._buffer = bytearray()
        self._is_ready = False
        self._is_new = True  # has done no case yet
        self._false_starts = 0
        self._number = 0  # of the worker, counted from the first

    @property
    def pid(self) -> int:
        """Of the worker."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Have a worker, without waiting for it."""
        if self._process is not None:
            return
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the worker
        root = str(Path(ropewalk.__file__).resolve().parents[1])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        self._process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": path}, start_new_session=True,
        )  # fmt: skip
        self._is_ready, self._is_new, self._buffer = False, True, bytearray()
        self._number += 1
        threading.Thread(target=self._listen, args=(self._process.stdout, self._number), daemon=True).start()
        self.deadline = time.monotonic() + START_SECONDS

    def _listen(self, pipe: IO[bytes], number: int) -> None:
        """Pass on what a worker sends until it ends."""
        with pipe:
            while data := pipe.read(READ_BYTES):
                self.inbox.put((self, number, data))
        self.inbox.put((self, number, b""))

    def give(self, job: dict[str, Any]) -> None:
        """Hand a case over; its time counts from when the worker is there and has done the one before."""
        if self.job is not None:
            assert self.following is None
            self.following = job
            if self._is_ready:
                self._send(job)
            return
        self.job, self.attempt = job, self.attempt + 1
        self.start()
        if self._is_ready:
            self._send_all()

    def receive(self, number: int, data: bytes | None) -> Outcome | None:
        """Take what came from a worker; the outcome of the case if that is all of it."""
        if number != self._number or self._process is None:
            return None  # of a worker that was given up
        if data == b"":
            return self._lost(CRASHED, self._death())
        self._buffer += data or b""
        try:
            message = unpack(self._buffer)
        except (DamagedError, json.JSONDecodeError):
            return self._lost(CRASHED, "the worker sent an invalid message")
        if message is None:
            return None
        if self._buffer:
            self.inbox.put((self, number, None))
        answer, block = message
        if "ready" in answer:
            self._is_ready, self._false_starts = True, 0
            self.deadline = float("inf")
            self._send_all()
            return None
        status = answer["status"]
        if status in LOST:
            return self._lost(status, answer["reason"], answer["seconds"])
        outcome = Outcome(
            answer["case"], status, answer["reason"], answer["seconds"], self.attempt, block, self._is_new
        )
        self._is_new = False
        self._follow()
        return outcome

    def overdue(self) -> Outcome | None:
        """Give a case up whose time has passed; its outcome if it is not tried again."""
        if time.monotonic() < self.deadline:
            return None
        if not self._is_ready:
            tail = self._tail()
            self._kill()
            raise InputError(f"a worker did not start within {START_SECONDS:g} s: {tail or 'no output'}")
        return self._lost(TIME, f"not done after {self.time_limit:g} s; raise limits.time", self.time_limit or 0.0)

    def run(self, job: dict[str, Any]) -> Outcome:
        """Do a case and wait for it."""
        self.give(job)
        while True:
            outcome = wait(self.inbox, [self])
            if outcome is not None:
                return outcome

    def close(self) -> None:
        """End the worker, whatever it does."""
        self._kill()
        self.job = self.following = None

    def _send_all(self) -> None:
        """Send what a worker that has nothing yet is to do."""
        if self.job is None:
            return
        self._begin()
        self._send(self.job)
        if self.following is not None:
            self._send(self.following)

    def _begin(self) -> None:
        """Let the time of the case count from now on."""
        self.deadline = time.monotonic() + (float("inf") if self.time_limit is None else self.time_limit)

    def _send(self, job: dict[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it has died: its answers end
            view = memoryview(pack(job))
            while view:
                view = view[self._process.stdin.write(view) or 0 :]

    def _lost(self, status: str, reason: str, seconds: float = 0.0) -> Outcome | None:
        """After the loss of a worker: try the case again on a new one, or give its outcome."""
        if not self._is_ready:
            self._false_starts += 1
            self.attempt -= self.job is not None  # not the fault of the case
            if self._false_starts >= MOST_STARTS:
                self._kill()
                raise InputError(f"workers do not start: {reason}")
        self._kill()
        job = self.job
        if job is None:
            return None
        if self.attempt < self.most_attempts:
            self.attempt += 1
            self.start()
            return None
        outcome = Outcome(job["case"], status, reason, seconds, self.attempt)
        self._follow()
        if self.job is not None:
            self.start()
        return outcome

    def _follow(self) -> None:
        """Turn to the case that follows, if there is one."""
        self.job, self.following = self.following, None
        self.attempt = int(self.job is not None)
        self.deadline = float("inf")
        if self.job is not None and self._process is not None:
            self._begin()

    def _death(self) -> str:
        """How the worker died, in words."""
        assert self._process is not None
        try:
            code = self._process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            return "its process closed the connection"
        tail = self._tail()
        told = f": {tail}" if tail else ""
        if code < 0:
            name = signal.Signals(-code).name if -code in {int(s) for s in signal.Signals} else str(-code)
            hint = "; the machine may be short of memory" if -code == getattr(signal, "SIGKILL", 9) else ""
            return f"its process was ended by {name}{hint}{told}"
        return f"its process ended with exit code {code}{told}"

    def _tail(self) -> str:
        """The last line that the worker wrote on standard error."""
        if self._errors is None:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - TAIL))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1].strip() if lines else ""

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        process.wait()
        if self._errors is not None:
            self._errors.close()
            self._errors = None


def wait(inbox: Inbox, busy: Sequence[Slot]) -> Outcome | None:
    """Wait for the next news of slots at work: the outcome of a case, or None if it is none yet."""
    left = min((slot.deadline for slot in busy), default=float("inf")) - time.monotonic()
    try:
        slot, number, data = inbox.get(timeout=min(max(0.0, left), LONGEST_WAIT))
    except queue.Empty:
        for late in busy:
            outcome = late.overdue()
            if outcome is not None:
                return outcome
        return None
    return slot.receive(number, data)
