"""One writer per output: a lock that the system gives back when its process dies, however it dies."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import sys
import time
from pathlib import Path
from typing import ClassVar

from ropewalk.results import files

LOCK = "lock"
GONE = ".gone"  # ends the name of a folder that is being deleted
TRIES = 5  # to delete it: who was about to open its lock when it was renamed may put a new one in


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


def enter(folder: Path) -> int:
    """Make `folder` if it is not there, and hold it as :func:`acquire` does."""
    while True:
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
        with contextlib.suppress(FileNotFoundError):  # its holder removed it after we had made sure of it
            return acquire(folder)


class HeldFolder:
    """A folder that this process holds until `close` or `remove`."""

    HEAD: ClassVar[str]  # the file that makes the folder what it is

    def __init__(self, path: Path, descriptor: int) -> None:
        """descriptor : of the lock, as :func:`acquire` gives it"""
        self.path = path
        self._lock = descriptor

    @property
    def is_held(self) -> bool:
        """False after `close` and `remove`."""
        return self._lock >= 0

    def _finish(self) -> None:
        """Write what is to be written, and close the files in the folder."""

    def close(self) -> None:
        """Let go, and leave what is in the folder."""
        if self.is_held:
            self._finish()
            os.close(self._lock)
            self._lock = -1

    def remove(self) -> None:
        """Delete the folder."""
        (self.path / self.HEAD).unlink(missing_ok=True)  # first, so that half a folder is not taken for a stopped one
        if os.name == "nt":
            self.close()  # Windows deletes no open file
        dissolve(self.path)
        self.close()


def dissolve(folder: Path) -> None:
    """Delete a folder that this process holds. It goes by another name first, so that nobody meets half of it."""
    if sys.platform == "win32":  # no folder with open files can be renamed there
        shutil.rmtree(folder)
        return
    folder.rename(folder.with_name(f"{folder.name}.{os.getpid()}.{time.monotonic_ns()}{GONE}"))
    for left in folder.parent.glob(f"{glob.escape(folder.name)}.*{GONE}"):  # and what killed processes left of theirs
        for _ in range(TRIES):
            shutil.rmtree(left, ignore_errors=True)
            if not left.exists():
                break
