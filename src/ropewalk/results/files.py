"""Files that appear whole or not at all, and never through a link somebody else has laid.

Folders of results may be shared. A name that is about to be written is made anew, exclusively and without following
links, so that a link under that name cannot turn the output onto another file. A disk without room is an
`OutputError`; a place that cannot be written is an `InputError`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from ropewalk.errors import InputError, OutputError

NO_ROOM = {errno.ENOSPC: "the disk is full", errno.EFBIG: "the file would be larger than the system allows",
           errno.EDQUOT: "the quota is used up", errno.EIO: "the disk reports an error"}  # fmt: skip
PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)  # Windows has no links to fear, but line ends
MODE = 0o644  # before the umask


def create(path: Path) -> int:
    """Descriptor of a new file, for reading and writing; what stood under the name is removed, not followed."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | PLAIN, MODE)


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """All of `data`; the system may take it in several bites."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def refuse_links(folder: Path) -> None:
    """Raise InputError if `folder`, or anything in it, is not what a run writes: plain files in a real folder."""
    for path in (folder, *sorted(folder.iterdir())):
        kind = path.lstat()
        if not (stat.S_ISDIR(kind.st_mode) if path == folder else stat.S_ISREG(kind.st_mode) and kind.st_nlink == 1):
            raise InputError(f"{path} is a link or a special file, which no run writes; delete it and try again")


def not_written(path: Path, error: OSError, way_out: str = "") -> InputError | OutputError:
    """The sentence for a file that cannot be written."""
    if error.errno in NO_ROOM:
        return OutputError(f"{path} cannot be written: {NO_ROOM[error.errno]}; {way_out or 'make room and run again'}")
    return InputError(f"{path} cannot be written: {error.strerror or error}")


@contextlib.contextmanager
def whole(path: Path, folder: Path | None = None, way_out: str = "") -> Iterator[int]:
    """Descriptor of a temporary file in `folder` that takes the place of `path` if all went well, and goes if not."""
    temporary = (folder or path.parent) / f".{path.name}.{os.getpid()}.tmp"
    descriptor = -1
    try:
        descriptor = create(temporary)
        yield descriptor
        os.fsync(descriptor)
        os.close(descriptor)
        descriptor = -1
        temporary.replace(path)
    except OSError as error:
        raise not_written(path, error, way_out) from None
    finally:
        if descriptor >= 0:
            os.close(descriptor)
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes | str) -> None:
    """Write a file whole or not at all; text in UTF-8."""
    with whole(path) as descriptor:
        write_all(descriptor, data.encode("utf-8") if isinstance(data, str) else data)


def write_folder(path: Path, files: Iterable[tuple[str, bytes | str]]) -> None:
    """Write files by name into a folder, made if there is none; one made here goes again if they cannot be written."""
    try:
        path.mkdir()
        is_new = True
    except FileExistsError:
        is_new = False
    except OSError as error:
        raise not_written(path, error) from None
    if not is_new and (path.is_symlink() or not path.is_dir()):
        raise InputError(f"{path} is a link or no folder; give another name")
    try:
        for name, data in files:
            write_whole(path / name, data)
    except BaseException:
        if is_new:
            shutil.rmtree(path, ignore_errors=True)
        raise
