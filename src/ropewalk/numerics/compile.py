"""The one `kernel` decorator: numba, with a disk cache that cannot go stale.

The folder is ``$ROPEWALK_CACHE`` or ``ropewalk/kernels`` in the user's cache folder. If it cannot be
written, kernels are compiled in memory and a warning says so once. With ``NUMBA_DISABLE_JIT=1`` a
kernel is the plain Python function.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba

from ropewalk.numerics.dispatch import KernelDispatcher
from ropewalk.numerics.kernel_cache import CacheWarning, DiskCache, cache_folder

__all__ = ["CacheWarning", "cache_folder", "entry_point", "kernel", "kernels"]

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
    else:
        settings = {"nopython": True, "boundscheck": None, "nogil": True, "error_model": "numpy", **options}
        dispatcher = KernelDispatcher(function, targetoptions=settings)
        dispatcher.separate = separate
        dispatcher._cache = DiskCache(function)
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
    if not function.open_to_python(types):
        function.compile(types)
    compiled: Callable[..., Any] = function.overloads[types].entry_point
    return compiled
