"""Compiled kernels on disk: whole, never stale, safe between processes.

Numba's own cache looks at the file a kernel stands in, so a caller stays cached when a callee in
another file changes, and it numbers its data files through a shared index, which two processes that
compile at once can cross. Here every compiled kernel is one file, named by a hash of its signature
and of the source of its module and of all ropewalk modules that one imports, and by a hash of its
content. It is written under a temporary name and moved into place.

A kernel that calls others which it did not swallow (dispatch.py) names their files, by content: what
two processes compiled at once may lie side by side and is never mixed.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import os
import pickle
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba.core.compiler import CompileResult

PACKAGE = Path(__file__).resolve().parents[1]
UNCOMPILED = (PACKAGE / "spec", Path(__file__).resolve())  # in no kernel: by an import contract, and by FORMAT
OTHERS_WRITE = 0o022  # mode bits that let the group or anybody write
FORMAT = "2"  # of the cache files; raise it when their content changes
FNDESC = 1  # place of the function's description in what numba makes of a compiled result
DIGEST = 32  # bytes of a sha256, at the head of every file

_started = time.time()  # s; what was edited later is not what this process has imported


class CacheWarning(UserWarning):
    """The kernel cache cannot be used; everything still works, but compiles anew in each process."""


class Kept(NamedTuple):
    """A file of the cache."""

    name: str  # below the cache folder
    digest: bytes  # of its content


_loaded: dict[bytes, Any] = {}  # compiled results of this process that are kept on disk, by digest


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
def _imports(path: Path) -> tuple[Path, ...]:
    """The ropewalk source files that the one at `path` imports."""
    found: list[Path] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            head, *rest = name.split(".")
            if head != PACKAGE.name or not rest:
                continue
            target = PACKAGE.joinpath(*rest)
            found += [f for f in (target.with_suffix(".py"), target / "__init__.py") if f.is_file()]
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
        if here in seen or any(here.is_relative_to(place) for place in UNCOMPILED):
            continue
        seen.add(here)
        if here.is_relative_to(PACKAGE):
            todo += _imports(here)
    if any(_started < file.stat().st_mtime <= time.time() for file in seen):  # later than now is a wrong clock
        return ""
    digest = hashlib.sha256(FORMAT.encode())
    for file in sorted(seen):
        digest.update(str(file.name).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


@functools.cache
def _usable_folder(folder: Path) -> bool:
    """True if `folder` can be written; warns once if not."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if why := _not_ours(folder.stat()):
            warnings.warn(
                f"compiled kernels in {folder} are not used, because {why} and reading them runs what they hold; they "
                "are compiled anew in each process. Make the folder yours alone (chmod 700), or set ROPEWALK_CACHE to "
                "one that is.",
                CacheWarning,
                stacklevel=2,
            )
            return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError as error:
        warnings.warn(
            f"compiled kernels cannot be kept in {folder} ({error.strerror}); they are compiled anew in "
            "each process. Set ROPEWALK_CACHE to a folder that can be written.",
            CacheWarning,
            stacklevel=2,
        )
        return False


def _not_ours(status: os.stat_result) -> str:
    """Why somebody else may have written a file or folder; empty if nobody can but this user and the administrator."""
    if sys.platform == "win32":  # folders of a user are closed to others by default
        return ""
    if status.st_uid not in (os.getuid(), 0):
        return f"it belongs to user {status.st_uid}"
    if status.st_mode & OTHERS_WRITE:
        return f"others may write there (mode {stat.S_IMODE(status.st_mode):o})"
    return ""


def _trusted_bytes(path: Path) -> bytes:
    """Content of a file that only this user can have written; OSError if it may be another's."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or _not_ours(status) or _not_ours(path.parent.stat()):
            raise PermissionError(f"{path} may be another user's")
        return file.read()


def needs_of(library: Any) -> tuple[Kept, ...] | None:
    """Files with the kernels that the code of `library` calls but does not contain; None if one is not on disk."""
    found: dict[Kept, None] = {}
    for callee in library._linking_libraries:
        if getattr(callee, "kernel_separate", False):
            if callee.kernel_kept is None:
                return None
            found[callee.kernel_kept] = None
        elif hasattr(callee, "kernel_needs"):  # swallowed, with what it calls itself
            if callee.kernel_needs is None:
                return None
            found.update(dict.fromkeys(callee.kernel_needs))
    return tuple(found)


class DiskCache:
    """What a numba dispatcher asks of its cache: `load_overload` and `save_overload`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._source = Path(function.__code__.co_filename)
        self.inner = False  # what is asked for is called by kernels only

    @property
    def cache_path(self) -> str:
        """Part of numba's interface: the folder."""
        return str(cache_folder())

    def enable(self) -> None:
        """Part of numba's interface: always enabled."""

    def disable(self) -> None:
        """Part of numba's interface: always enabled."""

    def flush(self) -> None:
        """Part of numba's interface: nothing is held back."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled result for a signature, with all that it calls, or None."""
        if not source_hash(self._source) or not _usable_folder(cache_folder()):
            return None
        context.refresh()
        for inner in (True, False) if self.inner else (False,):
            stem = self._stem(signature, context, inner)
            for path in sorted(_files(stem.parent, stem.name)):
                if (found := _read(path, context)) is not None:
                    return found
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled result, if all that it calls is kept."""
        library = result.library
        if not source_hash(self._source) or not _usable_folder(cache_folder()):
            library.kernel_needs = None
            return
        library.kernel_needs = needs_of(library)
        if library.kernel_needs is None or result.lifted or library.has_dynamic_globals:
            return
        stem = self._stem(signature, result.codegen, self.inner)
        content = (library.kernel_needs, library.kernel_separate, self.inner, result._reduce())
        payload = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
        digest = hashlib.sha256(payload).digest()
        path = stem.with_name(f"{stem.name}-{digest.hex()[:8]}.kernel")
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(digest + payload)
            Path(temporary).replace(path)
        except OSError as error:  # a full disk must not stop a computation
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            warnings.warn(f"kernel cache: {path.parent}: {error.strerror}", CacheWarning, stacklevel=2)
        else:
            _remember(result, path, digest)

    def _stem(self, signature: Any, context: Any, inner: bool) -> Path:
        codegen = context.codegen() if hasattr(context, "codegen") else context
        function = self._function
        captured = [c.cell_contents for c in function.__closure__] if function.__closure__ else []
        key = repr(
            (
                function.__module__,
                function.__qualname__,
                str(signature),
                inner,
                codegen.magic_tuple(),
                numba.__version__,
                sys.version_info[:3],
                hashlib.sha256(function.__code__.co_code).hexdigest(),
                [repr(value) for value in captured],
            )
        )
        name = hashlib.sha256(key.encode()).hexdigest()[:24]
        return cache_folder() / source_hash(self._source)[:16] / f"{function.__name__}-{name}"


def _files(folder: Path, stem: str) -> list[Path]:
    """Files of one kernel and signature."""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        return [Path(e.path) for e in entries if e.name.startswith(stem) and e.name.endswith(".kernel")]
    return []


def _remember(result: Any, path: Path, digest: bytes) -> None:
    result.library.kernel_kept = Kept(path.relative_to(cache_folder()).as_posix(), digest)
    _loaded[digest] = result


def _read(path: Path, context: Any, wanted: bytes | None = None) -> Any:
    """The compiled result in a file, and before it all that it calls; None if something is not as it was written."""
    try:
        data = _trusted_bytes(path)
    except OSError:
        return None
    digest, payload = data[:DIGEST], data[DIGEST:]
    if digest in _loaded:
        return _loaded[digest]
    if hashlib.sha256(payload).digest() != digest or wanted not in (None, digest):  # torn: compile again
        return None
    needs, separate, inner, reduced = pickle.loads(payload)
    for name, needed in needs:
        if needed not in _loaded and _read(cache_folder() / name, context, needed) is None:
            return None
    if separate and not inner:  # numba looks for the name in code for inlining, which is not kept here
        context.codegen()._engine._defined_symbols.add(reduced[FNDESC].llvm_cpython_wrapper_name)
    result = CompileResult._rebuild(context, *reduced)
    result.library.kernel_needs, result.library.kernel_separate = needs, separate
    _remember(result, path, digest)
    return result
