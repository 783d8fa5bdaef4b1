"""Kernels compiled once: what numba would compile again in every caller stays a function of its own.

Numba hands the whole code of a callee to each caller, which optimises and emits it anew, and its callers
again: of a call tree six deep the leaves are compiled six times, although LLVM inlines none but small functions.
And it makes for every function the code that unpacks arguments from Python, which of nested tuples of arrays
is longer than many a kernel.

Here a kernel that is too long to be inlined is a separate object, known to its callers by name; and arguments are
unpacked only for kernels that Python calls. What that is worth, measured on static analysis by the closed form with
an empty cache: 60 s of processor time against 85 s under plain ``numba.njit``, when only kernels of more than 2500
instructions were separate; by shooting, where 70 of 100 instructions that LLVM optimised were copies then, 27 s
against 36 s since.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import llvmlite.binding as llvm
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import TypingError
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.types.containers import BaseTuple
from numba.core.types.misc import unliteral
from numba.core.types.npytypes import Array

# What LLVM would inline must stay with the caller: it inlines up to about 50 instructions more than the callee has
# words of arguments, not counting some (addresses, parts of tuples). Whether code stands in the same object or in
# another makes no difference to a call.
INLINED = 100  # LLVM instructions beyond the words of arguments, from which on a kernel is separate
GARBAGE = 50_000  # objects made between two looks for garbage while compiling; at Python's 700 they take a seventh

_internals: dict[Any, dict[Any, Any]] = {}
_compiling: list[KernelDispatcher] = []  # kernels being compiled, each called by the one before it


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Numba's dispatcher, with separate kernels and without wrappers that nobody calls."""

    separate: bool | None = None  # None: by size
    _inner = False  # the compilation is for a call from a kernel

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Called by the compiler where another kernel calls this one."""
        with global_compiler_lock:
            before, self._inner = self._inner, True
            try:
                # a constant has the type of a variable: one compilation serves all values
                plain = {name: unliteral(kind) for name, kind in kws.items()}
                found = super().get_call_template(tuple(unliteral(kind) for kind in args), plain)
                self._agree_on_counting(found[0].cases[0].return_type)
                return found
            finally:
                self._inner = before

    def _agree_on_counting(self, returned: Any) -> None:
        """Refuse a caller that counts references to a returned array where this kernel does not, or not where it does.

        Memory would be freed while in use, or never.
        """
        caller = _compiling[-1] if _compiling else self
        if caller.targetoptions["_nrt"] != self.targetoptions["_nrt"] and _holds_array(returned):
            names = f"{caller.__name__!r} and {self.__name__!r}, which returns an array,"
            raise TypingError(f"kernels {names} must both be COUNTED or both UNCOUNTED")

    def open_to_python(self, types: tuple[Any, ...]) -> bool:
        """True if what is compiled for these types can be called from Python."""
        return types in self.overloads and _has_wrapper(self.overloads[types])

    def compile(self, sig: Any) -> Any:
        """Compile for a signature, or load what was kept."""
        with global_compiler_lock, _undisturbed():
            types = tuple(normalize_signature(sig)[0])
            inner, self._inner = self._inner, False
            if not inner and types in self.overloads and not self.open_to_python(types):
                del self.overloads[types]  # so far called by kernels only
            self._compiler.targetoptions.update(no_cpython_wrapper=inner, no_cfunc_wrapper=True)
            self._cache.inner = inner
            context = self.targetctx
            shared, context.cached_internal_func = context.cached_internal_func, _internal(self.targetoptions)
            _compiling.append(self)
            try:
                return super().compile(sig)
            finally:
                _compiling.pop()
                self._inner = inner
                context.cached_internal_func = shared

    def add_overload(self, cres: Any) -> None:
        """Register a compiled result; for calls from Python only if it has the code for them."""
        if not hasattr(cres.library, "kernel_separate"):
            _divide(cres, self.separate)
        if _has_wrapper(cres):
            super().add_overload(cres)
        else:
            self.overloads[tuple(cres.signature.args)] = cres


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Compile with fewer looks for garbage and without numba's notes of every call of LLVM, which nobody reads."""
    rarely, lock = gc.get_threshold(), llvm.ffi.lib._lock
    listeners, lock._cblist = lock._cblist, []
    if rarely[0]:  # 0 if collection is off
        gc.set_threshold(max(rarely[0], GARBAGE), *rarely[1:])
    try:
        yield
    finally:
        gc.set_threshold(*rarely)
        lock._cblist = listeners


def _internal(options: dict[str, Any]) -> dict[Any, Any]:
    """Numba's own functions as compiled for callers with these options.

    Numba keeps one for all callers, compiled with the options of the first.
    """
    fastmath = options["fastmath"]
    key = (repr(sorted(fastmath)) if isinstance(fastmath, set) else fastmath, options["forceinline"], options["_nrt"])
    return _internals.setdefault(key, {})


def _holds_array(kind: Any) -> bool:
    """True if a value of this type is an array or a tuple with one in it."""
    return isinstance(kind, Array) or (isinstance(kind, BaseTuple) and any(map(_holds_array, kind)))


def _has_wrapper(cres: Any) -> bool:
    """True if the compiled result can be called from Python."""
    return bool(cres.codegen._engine.is_symbol_defined(cres.fndesc.llvm_cpython_wrapper_name))


def _divide(cres: Any, separate: bool | None) -> None:
    """Decide whether callers contain the code of a kernel or refer to it by name."""
    library = cres.library
    if cres.fndesc.inline:  # set by its decorator, or inherited from the caller it was compiled for
        separate = False
    elif separate is None:
        body = library.get_function(cres.fndesc.llvm_func_name)
        longest = INLINED + sum(1 for _ in body.arguments)
        instructions = (each for block in body.blocks for each in block.instructions)
        separate = next(islice(instructions, longest, None), None) is not None
    library.kernel_separate = separate
    library.kernel_kept = None  # filled when it is on disk
    if separate:
        empty = library._codegen._create_empty_module(library.name)
        library._shared_module = llvm.parse_assembly(str(empty))  # what numba links into callers
