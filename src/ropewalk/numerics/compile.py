"""The one `kernel` decorator: numba, with a disk cache that cannot go stale.

The folder is ``$ROPEWALK_CACHE`` or ``ropewalk/kernels`` in the user's cache folder. If it cannot be
written, kernels are compiled in memory and a warning is given once. With ``NUMBA_DISABLE_JIT=1`` a
kernel is the plain Python function.

Options that change the code are those of the kernel itself. Numba lets a callee without an option have that of
whichever caller is compiled first, so the same kernel could be compiled in two ways; here every kernel has a value
for each such option, ``OPTIONS`` unless it gives another.

The dispatcher of dispatch.py builds on the inside of numba, as does the cache. They serve the versions they are
tested with (``TESTED``). With any other numba a kernel is a plain ``numba.njit`` with numba's own cache, in a folder
named by a hash of all sources: the same numbers, a longer first start.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba

from ropewalk.numerics.sources import CacheWarning, all_sources_hash, cache_folder, usable_folder

__all__ = ["COUNTED", "FUSED", "UNCOUNTED", "CacheWarning", "cache_folder", "entry_point", "kernel", "kernels"]

TESTED = ("0.68",)  # series of numba whose inside dispatch.py and kernel_cache.py are tested with
OWN = numba.__version__.startswith(tuple(f"{series}." for series in TESTED))
FUSED = {"contract"}  # fastmath: products may be added without rounding between
# Kernels that neither make nor return arrays need not count references to those they are given, which takes longer
# than the work of short ones. Such a kernel may call one that counts, as long as that returns no array.
UNCOUNTED, COUNTED = {"_nrt": False}, {"_nrt": True}
OPTIONS: dict[str, Any] = {
    "boundscheck": None,  # by NUMBA_BOUNDSCHECK
    "nogil": True,
    "error_model": "numpy",  # IEEE division
    "fastmath": False,
}
INNER_OPTIONS: dict[str, Any] = {"nopython": True, "forceinline": False, **COUNTED}  # not of numba's public interface
PUBLIC = frozenset({*OPTIONS, "inline", "parallel"})

_kernels: list[Any] = []


def kernel(function: Callable[..., Any] | None = None, /, *, separate: bool | None = None, **options: Any) -> Any:
    """Compile `function` with numba (no GIL, IEEE division) and keep the result on disk.

    ``separate`` kernels are not compiled again in their callers (dispatch.py): for large ones outside of inner loops.
    Without it that goes by size. ``options`` go to :func:`numba.njit` (``inline="always"`` for tiny callees,
    ``parallel=True``).
    """
    if function is None:
        return functools.partial(kernel, separate=separate, **options)
    if numba.config.DISABLE_JIT:
        dispatcher: Any = function
    elif OWN:
        from ropewalk.numerics.dispatch import KernelDispatcher
        from ropewalk.numerics.kernel_cache import DiskCache

        settings = {**INNER_OPTIONS, **OPTIONS, **options}
        dispatcher = KernelDispatcher(function, targetoptions=settings)
        dispatcher.separate = separate
        dispatcher._cache = DiskCache(function, {**settings, "separate": separate})
    else:
        dispatcher = _plain(function, {**OPTIONS, **{k: v for k, v in options.items() if k in PUBLIC}})
    _kernels.append(dispatcher)
    return dispatcher


def _plain(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """`function` under numba's own dispatcher and cache.

    Numba's key of a cached function covers its own file only; the folder covers all others.
    """
    known = all_sources_hash()
    if not known or not usable_folder(cache_folder()):
        return numba.njit(**options)(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder() / f"plain-{known[:16]}")
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba finds no file that the function stands in
        return numba.njit(**options)(function)
    finally:
        numba.config.CACHE_DIR = before


def kernels() -> list[Any]:
    """All kernels of the modules imported so far."""
    return list(_kernels)


def entry_point(function: Any, *arguments: Any) -> Callable[..., Any]:
    """The compiled code of kernel `function` for the types of `arguments`, without the look at types at each call.

    Of nested tuples of arrays that look costs more than a short computation. What is returned must be called with
    arguments of the very same types: nothing checks them.
    """
    if numba.config.DISABLE_JIT or not OWN:
        plain: Callable[..., Any] = function
        return plain
    types = tuple(function.typeof_pyval(argument) for argument in arguments)
    if not function.open_to_python(types):
        function.compile(types)
    compiled: Callable[..., Any] = function.overloads[types].entry_point
    return compiled
