"""Functions and tables that kernels reach by their addresses, so that kernels are compiled once for all of them.

A function enters as a C function ``void f(const double *given, double *found)``: a function of numba is compiled to
one, a plain Python function is called back through ctypes. A table enters as the address of its first number. What has
an address is kept for as long as the program runs.

Addresses differ from run to run. Each has a token, which depends on what stands there only: checkpoints keep tokens.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NONE = 0  # address of nothing
DOUBLE = 8  # bytes
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
RAISED, NOT_FINITE = 1.0, 2.0  # what went wrong in a function: it raised an exception, or a value was not finite

_tables: dict[bytes, Floats] = {}
_live: list[Floats] = []
_functions: dict[Any, Handle] = {}
_tokens: dict[int, int] = {}  # by address
_addresses: dict[int, int] = {NONE: NONE}  # by token


@dataclass(frozen=True, eq=False)
class Handle:
    """A function that kernels can call."""

    function: Callable[..., Any]  # as it was given
    address: int
    trouble: Floats  # (1 + n_given,) 0, RAISED or NOT_FINITE of the first bad call, and what it was given
    keeps: Any  # what must not be forgotten: the compiled function or the callback

    def reset(self) -> None:
        """Forget what went wrong so far."""
        self.trouble[:] = 0.0


def register(label: str, address: int) -> int:
    """Give what stands at an address a token that depends on `label` only; the address."""
    token = int.from_bytes(hashlib.sha256(label.encode()).digest()[:7], "little")
    _tokens[address] = token
    _addresses[token] = address
    return address


def tokens_of(addresses: Iterable[int]) -> NDArray[np.int64]:
    """Tokens of addresses; 0 of none."""
    return np.array([_tokens.get(int(address), NONE) for address in addresses], dtype=np.int64)


def addresses_of(tokens: Iterable[int]) -> NDArray[np.int64]:
    """Addresses of tokens; KeyError if nothing in this run of the program has one of them."""
    return np.array([_addresses[int(token)] for token in tokens], dtype=np.int64)


def table_address(numbers: Floats) -> int:
    """Address of a copy of a table, which is kept; equal tables have one."""
    kept = np.ascontiguousarray(numbers, dtype=np.float64).ravel()
    key = kept.tobytes()
    if key not in _tables:
        own = kept.copy()
        own.flags.writeable = False
        _tables[key] = own
        register("table " + hashlib.sha256(key).hexdigest(), own.ctypes.data)
    return int(_tables[key].ctypes.data)


def live_table(size: int) -> tuple[Floats, int]:
    """A table of zeros that its owner fills while kernels read it, and its address; kept."""
    own = np.zeros(size)
    _live.append(own)
    return own, register(f"live table {len(_live)}", int(own.ctypes.data))


def handle_of(function: Callable[..., Any], shape: tuple[int, ...], n_found: int) -> Handle:
    """A function as kernels call it; the same one for the same function.

    shape : of its arguments in turn, 0 for a number, k for an array (k,)    n_found : how many numbers it returns; 3 of
    one number are the value, its slope, and one that is not read
    """
    key = (function, shape, n_found)
    if key not in _functions:
        trouble = np.zeros(1 + sum(max(1, k) for k in shape))
        is_compiled = isinstance(function, numba.core.dispatcher.Dispatcher) and not numba.config.DISABLE_JIT
        made = _compiled(function, shape, n_found, trouble) if is_compiled else _called(
            function, shape, n_found, trouble)  # fmt: skip
        address = made.address if is_compiled else ctypes.cast(made, ctypes.c_void_p).value
        assert address is not None
        _functions[key] = Handle(function, address, trouble, made)
    return _functions[key]


def arguments(numbers: Sequence[float] | Floats, shape: tuple[int, ...]) -> list[Any]:
    """What a function is given, from the numbers in a row."""
    found: list[Any] = []
    at = 0
    for k in shape:
        found.append(float(numbers[at]) if k == 0 else np.array(numbers[at : at + k]))
        at += max(1, k)
    return found


def _called(function: Callable[..., Any], shape: tuple[int, ...], n_found: int, trouble: Floats) -> Any:
    """A Python function as a C function: it takes the lock of the interpreter for each call."""
    n_given = trouble.size - 1

    def call(given: Any, found: Any) -> None:
        numbers, fault = given[:n_given], 0.0
        try:
            value = function(*arguments(numbers, shape))
            values = [float(value)] if n_found == 1 else np.asarray(value, dtype=float).ravel().tolist()
            values += [0.0] if shape == (0,) and len(values) == 2 else []  # a number and its slope
        except Exception:
            fault = RAISED
        else:
            fault = 0.0 if len(values) == n_found and all(map(math.isfinite, values)) else NOT_FINITE
        for k in range(n_found):
            found[k] = math.nan if fault else values[k]
        if fault and trouble[0] == 0.0:
            trouble[0], trouble[1:] = fault, numbers

    return CALLBACK(call)


def _compiled(function: Any, shape: tuple[int, ...], n_found: int, trouble: Floats) -> Any:
    """A function of numba as a C function."""
    slopes = n_found > 3
    makers = {
        (0, 3, 3, 0): _slopes_along if slopes else _along,
        (3, 0): _slopes_in_space if slopes else _in_space,
        (0,): _of_number if n_found == 1 else _with_slope,
    }
    call = makers[shape](function)
    n_given, log = trouble.size - 1, trouble.ctypes.data

    @numba.cfunc(types.void(types.CPointer(types.float64), types.CPointer(types.float64)))
    def entry(given, found):  # type: ignore[no-untyped-def]
        numbers, out = numba.carray(given, (n_given,)), numba.carray(found, (n_found,))
        fault = 0.0
        try:
            call(numbers, out)
        except Exception:
            fault = RAISED
        if fault == 0.0:
            for k in range(n_found):
                if not np.isfinite(out[k]):
                    fault = NOT_FINITE
        if fault != 0.0:
            for k in range(n_found):
                out[k] = np.nan
            kept = numba.carray(pointer_to(log), (n_given + 1,))
            if kept[0] == 0.0:
                kept[0] = fault
                for k in range(n_given):
                    kept[k + 1] = numbers[k]

    return entry


def _along(function: Any) -> Any:
    @numba.njit
    def call(numbers, out):  # type: ignore[no-untyped-def]
        value = function(numbers[0], numbers[1:4], numbers[4:7], numbers[7])
        for k in range(3):
            out[k] = value[k]

    return call


def _in_space(function: Any) -> Any:
    @numba.njit
    def call(numbers, out):  # type: ignore[no-untyped-def]
        value = function(numbers[0:3], numbers[3])
        for k in range(3):
            out[k] = value[k]

    return call


def _slopes_along(function: Any) -> Any:
    @numba.njit
    def call(numbers, out):  # type: ignore[no-untyped-def]
        value = function(numbers[0], numbers[1:4], numbers[4:7], numbers[7])
        for i in range(3):
            for j in range(6):
                out[6 * i + j] = value[i][j]

    return call


def _slopes_in_space(function: Any) -> Any:
    @numba.njit
    def call(numbers, out):  # type: ignore[no-untyped-def]
        value = function(numbers[0:3], numbers[3])
        for i in range(3):
            for j in range(3):
                out[3 * i + j] = value[i][j]

    return call


def _of_number(function: Any) -> Any:
    @numba.njit
    def call(numbers, out):  # type: ignore[no-untyped-def]
        out[0] = function(numbers[0])

    return call


def _with_slope(function: Any) -> Any:
    @numba.njit
    def call(numbers, out):  # type: ignore[no-untyped-def]
        value = function(numbers[0])
        out[0], out[1], out[2] = value[0], value[1], 0.0

    return call


@intrinsic  # type: ignore[untyped-decorator]
def pointer_to(context: Any, address: Any) -> Any:
    """Address as a pointer to numbers."""

    def make(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], ir.DoubleType().as_pointer())

    return types.CPointer(types.float64)(types.int64), make


def _calling(context: Any, builder: Any, address: Any, given: list[Any], n_found: int) -> list[Any]:
    """Code that calls the function at an address with numbers; the numbers that it finds."""
    double = ir.DoubleType()
    here = cgutils.alloca_once(builder, double, size=context.get_constant(types.intp, len(given)))
    there = cgutils.alloca_once(builder, double, size=context.get_constant(types.intp, n_found))
    for k, value in enumerate(given):
        builder.store(value, builder.gep(here, [context.get_constant(types.intp, k)]))
    kind = ir.FunctionType(ir.VoidType(), [double.as_pointer(), double.as_pointer()])
    builder.call(builder.inttoptr(address, kind.as_pointer()), [here, there])
    return [builder.load(builder.gep(there, [context.get_constant(types.intp, k)])) for k in range(n_found)]


def _caller(count: int) -> Any:
    """Code that calls the function at an address and returns `count` numbers."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(context: Any, address: Any, given: Any) -> Any:
        def make(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            numbers = [builder.extract_value(values[1], k) for k in range(len(signature.args[1]))]
            found = _calling(context, builder, values[0], numbers, count)
            return context.make_tuple(builder, signature.return_type, found)

        return types.UniTuple(types.float64, count)(types.int64, given), make

    return call


@intrinsic  # type: ignore[untyped-decorator]
def _call_one(context: Any, address: Any, given: Any) -> Any:
    def make(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _calling(context, builder, values[0], [values[1]], 1)[0]

    return types.float64(types.int64, types.float64), make


@intrinsic  # type: ignore[untyped-decorator]
def _number_at(context: Any, address: Any, place: Any) -> Any:
    def make(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        start = builder.inttoptr(values[0], ir.DoubleType().as_pointer())
        return builder.load(builder.gep(start, [values[1]]))

    return types.float64(types.int64, types.int64), make


def _plain(count: int) -> Callable[..., tuple[float, ...]]:
    def call(address: int, given: tuple[float, ...]) -> tuple[float, ...]:
        found = (ctypes.c_double * count)()
        CALLBACK(int(address))((ctypes.c_double * len(given))(*given), found)
        return tuple(found)

    return call


def _plain_one(address: int, given: float) -> float:
    found = (ctypes.c_double * 1)()
    CALLBACK(int(address))((ctypes.c_double * 1)(given), found)
    return float(found[0])


def _plain_number_at(address: int, place: int) -> float:
    return float(ctypes.c_double.from_address(int(address) + DOUBLE * int(place)).value)


# The kernels' own: numbers from the function at an address, and a number of a table at one.
_make = _plain if numba.config.DISABLE_JIT else _caller
call_three: Any = _make(3)
call_nine: Any = _make(9)
call_eighteen: Any = _make(18)
call_one: Any = _plain_one if numba.config.DISABLE_JIT else _call_one
number_at: Any = _plain_number_at if numba.config.DISABLE_JIT else _number_at
