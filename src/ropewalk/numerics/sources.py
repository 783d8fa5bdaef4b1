"""Where compiled kernels are kept, and the hash of the sources that they were compiled from.

The hash of a file covers its bytes and those of every ropewalk module that it imports, directly or not. Imports are
found by their lines, not by parsing, which took 0.3 s at every start; a line of a docstring that looks like an import
can only make the hash cover more.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import stat
import sys
import tempfile
import time
import warnings
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
# in no kernel: by an import contract, and by FORMAT
UNCOMPILED = (PACKAGE / "spec", HERE / "sources.py", HERE / "kernel_cache.py", HERE / "parallel_compile.py")
KERNEL_ROOMS = ("numerics", "physics", "model", "loads", "assembly", "methods", "audit")  # all that kernels are made of
OTHERS_WRITE = 0o022  # mode bits that let the group or anybody write
FORMAT = "3"  # of the cache files; raise it when their content changes
IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.MULTILINE
)
WORD = re.compile(rb"\w+")

_started = time.time()  # s; what was edited later is not what this process has imported


class CacheWarning(UserWarning):
    """The kernel cache cannot be used; everything still works, but compiles again in each process."""


def cache_folder() -> Path:
    """Where compiled kernels are kept."""
    if given := os.environ.get("ROPEWALK_CACHE"):
        return Path(given)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "ropewalk" / "kernels"


@functools.cache
def _content(path: Path) -> bytes:
    return path.read_bytes()


@functools.cache
def _all_files() -> dict[str, tuple[Path, ...]]:
    """Source files by the name of their ropewalk module: one walk through the folders, not a look for every name."""
    found: dict[str, tuple[Path, ...]] = {}
    for folder, _, names in os.walk(PACKAGE):
        here = ".".join((PACKAGE.name, *Path(folder).relative_to(PACKAGE).parts))
        for name in names:
            if name.endswith(".py"):
                module = here if name == "__init__.py" else f"{here}.{name[:-3]}"
                found[module] = (*found.get(module, ()), Path(folder, name))
    return found


def _files_of(name: str) -> tuple[Path, ...]:
    """Source files of the ropewalk module called `name`; none if it is another's, or the package itself."""
    return () if name == PACKAGE.name else _all_files().get(name, ())


@functools.cache
def _imports(path: Path) -> tuple[Path, ...]:
    """The ropewalk source files that the one at `path` imports."""
    found: list[Path] = []
    head = PACKAGE.name.encode()
    for module, taken, plain in IMPORT.findall(_content(path)):
        if module.split(b".")[0] == head:
            base = module.decode()
            found += _files_of(base)
            for word in WORD.findall(taken):
                found += _files_of(f"{base}.{word.decode()}")
        elif head in plain:
            for part in plain.split(b","):
                found += _files_of(part.split()[0].decode() if part.split() else "")
    return tuple(dict.fromkeys(found))


@functools.cache
def source_hash(path: Path) -> str:
    """Hash of the source at `path` and of every ropewalk module it imports, directly or not.

    Empty if one of them was edited since this process began: the code in memory may then not be that of the file.
    """
    seen: set[Path] = set()
    todo = [path]
    while todo:
        here = todo.pop()
        if here not in seen and not _lies_in(here, UNCOMPILED):
            seen.add(here)
            if _lies_in(here, (PACKAGE,)):
                todo += _imports(here)
    return _hash_of(seen)


@functools.cache
def _lies_in(path: Path, places: tuple[Path, ...]) -> bool:
    """Whether a file is one of the places, or in one of them. Paths compare slowly, so results are kept."""
    return any(path.is_relative_to(place) for place in places)


@functools.cache
def all_sources_hash() -> str:
    """Hash of all that kernels can be made of; empty if something was edited since this process began."""
    return _hash_of({file for room in KERNEL_ROOMS for file in (PACKAGE / room).rglob("*.py")})


def _hash_of(files: set[Path]) -> str:
    if any(_edited(file) for file in files):
        return ""
    digest = hashlib.sha256(FORMAT.encode())
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + _digest(file))
    return digest.hexdigest()


@functools.cache
def _digest(file: Path) -> bytes:
    return hashlib.sha256(_content(file)).digest()


@functools.cache
def _edited(file: Path) -> bool:
    return _started < file.stat().st_mtime <= time.time()  # later than now is a wrong clock


@functools.cache
def usable_folder(folder: Path) -> bool:
    """True if `folder` can be written; warns once if not."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if why := not_ours(folder.stat()):
            warnings.warn(
                f"compiled kernels in {folder} are not used, because {why} and loading them executes their code; they "
                "are compiled again in each process. Make the folder accessible to you alone (chmod 700), or set "
                "ROPEWALK_CACHE to such a folder.",
                CacheWarning,
                stacklevel=2,
            )
            return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError as error:
        warnings.warn(
            f"compiled kernels cannot be kept in {folder} ({error.strerror}); they are compiled again in "
            "each process. Set ROPEWALK_CACHE to a writable folder.",
            CacheWarning,
            stacklevel=2,
        )
        return False


def not_ours(status: os.stat_result) -> str:
    """Why somebody else may have written a file or folder; empty if nobody can but this user and the administrator."""
    if sys.platform == "win32":  # folders of a user are closed to others by default
        return ""
    if status.st_uid not in (os.getuid(), 0):
        return f"it belongs to user {status.st_uid}"
    if status.st_mode & OTHERS_WRITE:
        return f"others may write there (mode {stat.S_IMODE(status.st_mode):o})"
    return ""


def trusted_bytes(path: Path) -> bytes:
    """Content of a file that only this user can have written; OSError if it may be another's."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not_ours(status) or not_ours(path.parent.stat()):
            raise PermissionError(f"{path} may be another user's")
        return file.read()
