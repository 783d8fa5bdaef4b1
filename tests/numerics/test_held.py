"""Named tuples by address: the same numbers as of the tuple itself, in kernels of their own."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from llvmlite import ir
from numba import types
from numba.core.datamodel import default_manager

from ropewalk.numerics import held as module
from ropewalk.numerics.blockelimination import UNCOUNTED
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.held import Held, held

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="of compiled code")


class Inner(NamedTuple):
    table: Any
    flags: Any


class Outer(NamedTuple):
    factor: float
    inner: Inner
    rows: Any
    is_on: bool
    pair: tuple[float, int]


def outer() -> Outer:
    """Fields of every kind that meshes have: numbers, truth values, arrays, records, tuples, named tuples."""
    rows = np.zeros(3, np.dtype([("mass", "f8"), ("force", "f8", (2,))])).view(np.recarray)
    rows.mass, rows.force = [1.0, 2.0, 4.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    return Outer(0.5, Inner(np.arange(6.0).reshape(2, 3), np.array([7, 9])), rows, True, (2.5, 3))


@kernel(separate=True, **UNCOUNTED)
def _read(x):
    """A number made of all fields; the loop stores into an array between the reads."""
    total = x.factor + x.pair[0] * x.pair[1] + x.inner.flags[1] + x.inner.flags.size
    for i in range(x.inner.table.shape[0]):
        for j in range(x.inner.table.shape[1]):
            total += x.inner.table[i, j]
            x.inner.table[i, j] = total
    for i in range(x.rows.shape[0]):
        x.rows[i].mass += x.rows[i].force[1]
        total += x.rows[i].mass
    return total if x.is_on else -total


@kernel(separate=True)
def _pass_on(x):
    """A field that is a named tuple goes on to another kernel as an address; arrays made here are counted."""
    return _sum(x.inner) + np.full(2, x.factor).sum()


@kernel(separate=True)
def _sum(inner):
    return inner.table.sum() + inner.flags.sum()


@kernel
def _read_held(x):
    return _read(held(x))


@kernel
def _pass_held(x, n):
    total = 0.0
    for k in range(n):  # one that stands in a loop holds the tuple of each turn
        total += _pass_on(held(Outer(x.factor + k, x.inner, x.rows, x.is_on, x.pair)))
    return total


def test_fields_are_those_of_the_tuple():
    """`_read` as plain Python on the tuple itself: the same operations in the same order."""
    plain, own = outer(), outer()
    expected = _read.py_func(plain) if hasattr(_read, "py_func") else _read(plain)
    assert _read_held(own) == expected
    assert np.array_equal(own.inner.table, plain.inner.table)
    assert np.array_equal(own.rows, plain.rows)


def test_inner_tuples_and_loops_hold():
    """15 + 16 of the inner arrays, and two factors of 0.5 + k in each of three turns."""
    assert _pass_held(outer(), 3) == 3 * 31.0 + 2 * (0.5 + 1.5 + 2.5)


@compiled
def test_arrays_are_not_freed_or_kept():
    """Reference counts of the arrays of a tuple are after a call what they were before."""
    own = outer()
    before = [sys.getrefcount(x) for x in (own.inner.table, own.inner.flags, own.rows)]
    for _ in range(5):
        _pass_held(own, 2)
    assert [sys.getrefcount(x) for x in (own.inner.table, own.inner.flags, own.rows)] == before


@compiled
def test_a_held_tuple_is_one_word():
    """Of the address of a tuple of many arrays numba's model of arguments has a single entry."""
    models = default_manager.lookup(Held(numba.typeof(outer())))
    assert isinstance(models.get_argument_type(), ir.PointerType)


@compiled
def test_only_named_tuples_are_held():
    @numba.njit
    def wrong(x):
        return held(x)

    with pytest.raises(numba.TypingError):
        wrong(np.zeros(3))
    assert module.held(3) == 3  # plain Python leaves all as it is
    assert Held(types.NamedUniTuple(types.float64, 2, Inner)).of.fields == ("table", "flags")
