"""The one `kernel` decorator: numba, with a disk cache that cannot go stale.

Numba's own cache looks at the file a kernel stands in, so a caller stays cached when a callee in
another file changes, and it numbers its data files through a shared index, which two processes that
compile at once can cross. Here every compiled kernel is one file, named by a hash of its signature
and of the source of its module and of all ropewalk modules that one imports, written under a
temporary name and moved into place.

The folder is ``$ROPEWALK_CACHE`` or ``ropewalk/kernels`` in the user's cache folder. If it cannot be
written, kernels are compiled in memory and a warning says so once. With ``NUMBA_DISABLE_JIT=1`` a
kernel is the plain Python function.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import os
import pickle
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl

PACKAGE = Path(__file__).resolve().parents[1]
FORMAT = "1"  # of the cache files; raise it when their content changes

_kernels: list[Any] = []
_started = time.time()  # s; what was edited later is not what this process has imported


class CacheWarning(UserWarning):
    """The kernel cache cannot be used; everything still works, but compiles anew in each process."""


def kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile `function` with numba (no GIL, IEEE division) and keep the result on disk.

    ``options`` go to :func:`numba.njit` (``inline="always"`` for tiny callees, ``parallel=True``).
    """
    if function is None:
        return functools.partial(kernel, **options)
    dispatcher = numba.njit(function, nogil=True, error_model="numpy", **options)
    if not numba.config.DISABLE_JIT:
        dispatcher._cache = _DiskCache(function)
    _kernels.append(dispatcher)
    return dispatcher


def kernels() -> list[Any]:
    """All kernels of the modules imported so far."""
    return list(_kernels)


def entry_point(function: Any, *arguments: Any) -> Callable[..., Any]:
    """The compiled code of kernel `function` for the types of `arguments`, without the look at types at each call.

    Of nested tuples of arrays that look costs more than a short computation. What is returned must be called with
    arguments of the very same types: nothing checks them.
    """
    if numba.config.DISABLE_JIT:
        plain: Callable[..., Any] = function
        return plain
    types = tuple(function.typeof_pyval(argument) for argument in arguments)
    if types not in function.overloads:
        function.compile(types)
    compiled: Callable[..., Any] = function.overloads[types].entry_point
    return compiled


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
        if here in seen:
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


class _DiskCache:
    """What a numba dispatcher asks of its cache: `load_overload` and `save_overload`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._source = Path(function.__code__.co_filename)
        self._impl: Any = None

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def enable(self) -> None:
        """Part of numba's interface: always enabled."""

    def disable(self) -> None:
        """Part of numba's interface: always enabled."""

    def flush(self) -> None:
        """Part of numba's interface: nothing is held back."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        if not source_hash(self._source) or not _usable_folder(cache_folder()):
            return None
        context.refresh()
        with contextlib.suppress(FileNotFoundError):
            return self._read(self._path(signature, context), context)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        if not source_hash(self._source) or not _usable_folder(cache_folder()):
            return
        if not self._implementation().check_cachable(result):
            return
        path = self._path(signature, result.codegen)
        payload = pickle.dumps(self._implementation().reduce(result), protocol=pickle.HIGHEST_PROTOCOL)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(payload).digest() + payload)
            Path(temporary).replace(path)
        except OSError as error:  # a full disk must not stop a computation
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            warnings.warn(f"kernel cache: {path.parent}: {error.strerror}", CacheWarning, stacklevel=2)

    def _implementation(self) -> Any:
        if self._impl is None:
            self._impl = _PickledResult(self._function)
        return self._impl

    def _read(self, path: Path, context: Any) -> Any:
        data = path.read_bytes()
        payload = data[32:]
        if hashlib.sha256(payload).digest() != data[:32]:  # torn or tampered: compile again
            return None
        return self._implementation().rebuild(context, pickle.loads(payload))

    def _path(self, signature: Any, context: Any) -> Path:
        codegen = context.codegen() if hasattr(context, "codegen") else context
        function = self._function
        captured = [c.cell_contents for c in function.__closure__] if function.__closure__ else []
        key = repr(
            (
                function.__module__,
                function.__qualname__,
                str(signature),
                codegen.magic_tuple(),
                numba.__version__,
                sys.version_info[:3],
                hashlib.sha256(function.__code__.co_code).hexdigest(),
                [repr(value) for value in captured],
            )
        )
        name = hashlib.sha256(key.encode()).hexdigest()[:24]
        source = source_hash(self._source)[:16]
        return cache_folder() / source / f"{function.__name__}-{name}.kernel"


class _PickledResult(CompileResultCacheImpl):
    """Numba's way to flatten and rebuild a compiled result, without its file locator."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._filename_base = function.__qualname__
