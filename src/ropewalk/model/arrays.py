"""Read-only arrays, of which a Model consists."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Records = Any  # np.recarray: rows with named fields, which type checkers do not support


def floats(values: Any, shape: tuple[int, ...] | None = None) -> Array:
    """A read-only contiguous copy; `shape` gives empty input its dimensions."""
    if isinstance(values, list) and not values:
        return _nothing(np.float64, shape)
    return _frozen(np.array(values, dtype=np.float64, order="C"), shape)


def ints(values: ArrayLike, shape: tuple[int, ...] | None = None) -> Ints:
    """A read-only contiguous copy of whole numbers."""
    if isinstance(values, list) and not values:
        return _nothing(np.int64, shape)
    return _frozen(np.array(values, dtype=np.int64, order="C"), shape)


def flags(values: ArrayLike) -> Flags:
    """A read-only contiguous copy of truth values."""
    return _frozen(np.array(values, dtype=np.bool_, order="C"), None)


def records(n: int | tuple[int, ...], fields: np.dtype[Any]) -> Records:
    """n empty rows with named fields, to be filled."""
    return np.zeros(n, dtype=fields).view(np.recarray)


def put(rows: Records, **values: Any) -> None:
    """Fill fields of rows by name; assigning attributes of the rows takes ten times as long."""
    plain = rows.view(np.ndarray)
    for name, value in values.items():
        plain[name] = value


def joined(parts: list[Records], fields: np.dtype[Any]) -> Records:
    """Tables of the same fields laid end to end; they can be changed."""
    made, first = np.zeros(sum([part.size for part in parts]), dtype=fields), 0
    for part in parts:  # numpy's own way compares all fields
        made[first : first + part.size] = part
        first += part.size
    return made.view(np.recarray)


def sealed(array: Any) -> Any:
    """The array itself, which can no longer be changed."""
    array.flags.writeable = False
    return array


def frozen(rows: Records) -> Records:
    """Rows with named fields that can no longer be changed."""
    return _frozen(np.ascontiguousarray(rows).view(np.dtype((np.record, rows.dtype))), None)


def offsets(counts: Iterable[int]) -> Ints:
    """Where each of several runs laid end to end begins, and the end of the last."""
    return ints([0, *accumulate(counts)])


@cache
def _nothing(kind: Any, shape: tuple[int, ...] | None) -> Any:
    """The one empty array of a kind and shape: most cases have none of most parts."""
    return _frozen(np.array([], dtype=kind), shape)


def _frozen(array: Any, shape: tuple[int, ...] | None) -> Any:
    if shape is not None:
        array = array.reshape(shape)
    array.flags.writeable = False
    return array
