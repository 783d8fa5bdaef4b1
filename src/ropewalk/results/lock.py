"""One writer per output: a lock that the system gives back when its process dies, however it dies."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from ropewalk.results import files

LOCK = "lock"


class HeldError(Exception):
    """Somebody else holds the lock; `holder` is a process id, or empty if unknown."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


def _take(descriptor: int) -> None:
    """Lock or raise OSError at once."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def acquire(folder: Path) -> int:
    """Hold `folder` until the descriptor given back is closed; HeldError if it is held."""
    path = folder / LOCK
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | files.PLAIN, files.MODE)
        try:
            _take(descriptor)
        except OSError:
            holder = ""
            with contextlib.suppress(OSError):  # Windows refuses to read what is locked
                holder = os.read(descriptor, 32).decode(errors="replace").strip()
            os.close(descriptor)
            raise HeldError(holder) from None
        # the holder before us may have removed the file between our opening and our locking it
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(descriptor)):
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"{os.getpid()}\n".encode())
                return descriptor
        os.close(descriptor)
