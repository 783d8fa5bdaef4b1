"""A look into a file by a process of its own, with a limit: damaged bytes can hold HDF5 for ever, or end it.

Files without a seal (io/seal.py) are looked at before they are opened: structure, attributes and text are read, and the
indices of numbers walked through; numbers themselves cannot mislead the library.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

MOST_SECONDS = 2  # of processor time; a look at a healthy file takes milliseconds
PATIENCE = 6.0  # s of the wall clock, on a machine that does something else
FIRST_PAUSE, LONGEST_PAUSE = 2e-4, 2e-2  # s between two looks at whether it has ended
SOUND, FAULTY = 0, 1  # exit codes
ALONE = "from pathlib import Path; from ropewalk.io.probe import look_into; look_into(Path({!r}))"  # without fork


def survives(path: Path) -> bool:
    """Whether a look into the file ends, and by itself; what cannot be read all the same is found when it is opened."""
    if hasattr(os, "fork"):
        import h5py  # noqa: F401  in this process: it is loaded once

        with warnings.catch_warnings():  # about threads: the child holds HDF5 and nothing else
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            _look_and_leave(path)
        return _ended(child)
    with contextlib.suppress(subprocess.TimeoutExpired):
        return subprocess.run([sys.executable, "-c", ALONE.format(str(path))], timeout=PATIENCE, check=False,
                              capture_output=True).returncode in (SOUND, FAULTY)  # fmt: skip
    return False


def _look_and_leave(path: Path) -> None:
    """In the child: nothing of the parent's runs, whatever happens."""
    code = FAULTY
    try:
        import faulthandler
        import resource

        faulthandler.disable()  # an end by the library is expected here and prints nothing
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        look_into(path)
        code = SOUND
    except BaseException:  # what a damaged file leads to is not told from here
        code = FAULTY
    finally:
        os._exit(code)


def _ended(child: int) -> bool:
    """Wait for a child; whether it left by itself."""
    begun, pause = time.monotonic(), FIRST_PAUSE
    while time.monotonic() < begun + PATIENCE:
        try:
            found, status = os.waitpid(child, os.WNOHANG)
        except ChildProcessError:  # the program around this one collects children itself: how it ended is not known
            return time.monotonic() < begun + MOST_SECONDS
        if found == child:
            return os.WIFEXITED(status)
        time.sleep(pause)
        pause = min(2.0 * pause, LONGEST_PAUSE)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def look_into(path: Path) -> None:
    """Read all that leads HDF5 from one place of a file to another."""
    import h5py

    def look(_: str, item: Any) -> None:
        for name in item.attrs:
            item.attrs[name]
        if isinstance(item, h5py.Dataset):
            if item.chunks is not None:
                item.id.get_num_chunks()
            if item.dtype.kind == "O":
                item[...]

    with h5py.File(path, "r") as file:
        look("", file)
        file.visititems(look)
