"""Compiled kernels on disk: whole, never stale, safe between processes.

Numba's own cache looks at the file a kernel stands in, so a caller stays cached when a callee in
another file changes, and it numbers its data files through a shared index, which two processes that
compile at once can cross. Here every compiled kernel is one file, named by a hash of its signature
and of the source of its module and of all ropewalk modules that one imports, and by a hash of its
content. It is written under a temporary name and moved into place. The signature stands for all that changes
the code: types, the kernel's options (no kernel takes any from its callers, compile.py), processor, versions of
Python, numpy, numba and LLVM, and numba's settings.

A kernel that calls others which it did not swallow (dispatch.py) names their files, by content: what
two processes compiled at once may lie side by side and is never mixed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.environment import Environment
from numba.core.runtime import rtsys

from ropewalk.numerics.sources import PACKAGE, CacheWarning, cache_folder, source_hash, trusted_bytes, usable_folder

DIGEST = 32  # bytes of a sha256, at the head of every file
# settings of numba, by the environment or by what is installed, that change the code it makes
SETTINGS = (
    "OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT", "EXTEND_VARIABLE_LIFETIMES",
    "USING_SVML", "ENABLE_AVX", "LLVM_REFPRUNE_PASS",
)  # fmt: skip


SHIPPED = PACKAGE / "kernels"  # what a wheel carries (`make wheel`); absent in a working copy
SHIPPED_TARGET = ("x86-64-v3", "")  # processor and features that these are compiled for
SHIPPED_FEATURES = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")  # that x86-64-v3 needs

# called with every kernel that is compiled or loaded: function, types, whether by kernels only, its callees
on_kernel: Callable[[Any, tuple[Any, ...], bool, list[Any]], None] | None = None


class Kept(NamedTuple):
    """A file of the cache."""

    name: str  # below the cache folder
    digest: bytes  # of its content


_loaded: dict[bytes, Any] = {}  # compiled results of this process that are kept on disk, by digest


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


class KernelUnpickler(pickle.Unpickler):
    """Reads a file of the cache without the modules of numba that are there for compiling."""

    def find_class(self, module: str, name: str) -> Any:
        """Numba's own, but for the one that makes an environment."""
        if name == "_rebuild_env":
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: Any, name: str) -> Any:
    """As numba's, without the globals of its own modules: only object mode, which no kernel is, reads them."""
    if name in Environment._memo:
        return Environment._memo[name]
    is_numba = module.partition(".")[0] == "numba"
    made = Environment({"__name__": module} if is_numba else vars(import_module(module)))
    made.consts[:] = constants
    made.env_name = name
    Environment._memo[name] = made
    return made


class LoadedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Machine code from disk. Its code for inlining is parsed when a caller is compiled, which few processes do."""

    def __init__(self, codegen: Any, name: str, machine: bytes, shared: bytes) -> None:
        self._bitcode, self._parsed = shared, None
        super().__init__(codegen, name)
        self.enable_object_caching()
        self._set_compiled_object(machine)
        self._finalize_final_module()

    @property
    def _shared_module(self) -> Any:
        """What numba links into callers."""
        if self._parsed is None and self._finalized:
            self._parsed = llvm.parse_bitcode(self._bitcode)
            self._codegen._engine._load_defined_symbols(self._parsed)
        return self._parsed

    @_shared_module.setter
    def _shared_module(self, module: Any) -> None:
        self._parsed = module


class DiskCache:
    """Interface of the cache of a numba dispatcher: `load_overload` and `save_overload`."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function = function
        self._options = sorted((name, _written(value)) for name, value in options.items())  # those of this kernel
        self._source = Path(function.__code__.co_filename)
        self.inner = False  # requested output is called by kernels only

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
        if not source_hash(self._source) or not usable_folder(cache_folder()):
            return None
        rtsys.initialize(context)  # all that compiled code needs of numba; its registries are for compiling
        for path in self._kept(signature, context, self.inner):
            if (found := _read(path, context)) is not None:
                log_kernel(self._function, signature, self.inner, found.library)
                return found
        return None

    def kept(self, signature: Any, context: Any, inner: bool) -> bool:
        """True if there is a file with this kernel for these types."""
        return bool(self._kept(signature, context, inner))

    def _kept(self, signature: Any, context: Any, inner: bool) -> list[Path]:
        """Files with this kernel for these types, those of this processor before those that came with ropewalk."""
        codegen = context.codegen()
        found: list[Path] = []
        for root, target in _places(codegen.magic_tuple()):
            for kind in (True, False) if inner else (False,):
                stem = root / self._stem(signature, target, kind)
                found += sorted(_files(stem.parent, stem.name))
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled result, if all that it calls is kept."""
        library = result.library
        if not source_hash(self._source) or not usable_folder(cache_folder()):
            library.kernel_needs = None
            return
        library.kernel_needs = needs_of(library)
        if library.kernel_needs is None or result.lifted or library.has_dynamic_globals:
            return
        stem = cache_folder() / self._stem(signature, result.codegen.magic_tuple(), self.inner)
        reduced = result._replace(type_annotation="")._reduce()  # the source with the type of each name, for nobody
        content = (library.kernel_needs, library.kernel_separate, self.inner, reduced)
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
            _remember(result, path.relative_to(cache_folder()), digest)
            log_kernel(self._function, signature, self.inner, library)

    def _stem(self, signature: Any, target: tuple[str, ...], inner: bool) -> Path:
        """Beginning of the names of files with this kernel for these types and this processor, below the folder."""
        function = self._function
        captured = [c.cell_contents for c in function.__closure__] if function.__closure__ else []
        key = repr(
            (
                function.__module__,
                function.__qualname__,
                str(signature),
                inner,
                self._options,
                target,
                _surroundings(),
                hashlib.sha256(function.__code__.co_code).hexdigest(),
                [repr(value) for value in captured],
            )
        )
        name = hashlib.sha256(key.encode()).hexdigest()[:24]
        return Path(source_hash(self._source)[:16]) / f"{function.__name__}-{name}"


def _written(option: Any) -> Any:
    """A value that is written the same way in every process: sets are not."""
    return sorted(option) if isinstance(option, set | frozenset) else option


@functools.cache
def _surroundings() -> tuple[Any, ...]:
    """What makes other code of the same source."""
    settings = tuple((name, getattr(numba.config, name, None)) for name in SETTINGS)
    return numba.__version__, llvmlite.__version__, np.__version__, sys.version_info[:2], settings


def _files(folder: Path, stem: str) -> list[Path]:
    """Files of one kernel and signature."""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        return [Path(e.path) for e in entries if e.name.startswith(stem) and e.name.endswith(".kernel")]
    return []


def _places(host: tuple[str, ...]) -> list[tuple[Path, tuple[str, ...]]]:
    """Folders with compiled kernels and the processor they are looked up for there."""
    own = (cache_folder(), host)
    return [own, (SHIPPED, (host[0], *SHIPPED_TARGET))] if _shipped_fits(host) else [own]


@functools.cache
def _shipped_fits(host: tuple[str, ...]) -> bool:
    """True if kernels came with ropewalk and this processor can run them."""
    if not SHIPPED.is_dir() or not host[0].startswith("x86_64") or numba.config.CPU_NAME is not None:
        return False
    has = llvm.get_host_cpu_features()
    return all(has.get(feature, False) for feature in SHIPPED_FEATURES)


def log_kernel(function: Any, signature: Any, inner: bool, library: Any) -> None:
    """Hand what was compiled or loaded to ``on_kernel``, if somebody listens."""
    library.kernel_of = (function, tuple(signature))
    if on_kernel is not None:
        callees = [callee.kernel_of for callee in library._linking_libraries if hasattr(callee, "kernel_of")]
        on_kernel(function, tuple(signature), inner, callees)


def _remember(result: Any, name: Path, digest: bytes) -> None:
    result.library.kernel_kept = Kept(name.as_posix(), digest)
    _loaded[digest] = result


def _bytes_of(path: Path) -> bytes:
    """Content of a file of the cache; OSError if it cannot be trusted. What came with ropewalk is trusted as it is."""
    return path.read_bytes() if path.is_relative_to(SHIPPED) else trusted_bytes(path)


def _read(path: Path, context: Any, wanted: bytes | None = None) -> Any:
    """The compiled result in a file, and before it all that it calls; None if something is not as it was written."""
    try:
        data = _bytes_of(path)
    except OSError:
        return None
    digest, payload = data[:DIGEST], data[DIGEST:]
    if digest in _loaded:
        return _loaded[digest]
    if hashlib.sha256(payload).digest() != digest or wanted not in (None, digest):  # torn: compile again
        return None
    root = SHIPPED if path.is_relative_to(SHIPPED) else cache_folder()
    needs, separate, inner, reduced = KernelUnpickler(io.BytesIO(payload)).load()
    for name, needed in needs:
        if needed not in _loaded and all(
            _read(place / name, context, needed) is None for place in dict.fromkeys((root, cache_folder(), SHIPPED))
        ):
            return None
    result = _rebuilt(context, reduced, inner)
    result.library.kernel_needs, result.library.kernel_separate = needs, separate
    _remember(result, path.relative_to(root), digest)
    return result


def _rebuilt(context: Any, reduced: tuple[Any, ...], inner: bool) -> Any:
    """A compiled result from what numba's `CompileResult._reduce` made of it."""
    (name, _, code), description, environment, signature, is_object, lifted, annotation, init, environments = reduced
    for function in init or ():
        function()
    if not inner:  # numba looks for the name in the code for inlining, which is not parsed yet
        context.codegen()._engine._defined_symbols.add(description.llvm_cpython_wrapper_name)
    library = LoadedLibrary(context.codegen(), name, *code)
    for each in environments:
        context.codegen().set_env(each.env_name, each)
    return CompileResult(
        typing_context=context.typing_context, target_context=context, signature=signature, fndesc=description,
        entry_point=context.get_executable(library, description, environment), type_annotation=annotation,
        library=library, objectmode=is_object, lifted=lifted, typing_error=None, call_helper=None,
        environment=environment, metadata=None, reload_init=init, referenced_envs=environments,
    )  # fmt: skip
