"""Where each variable stands in a record: one row of numbers per moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ropewalk.results.schema import SERIES, VARIABLES

if TYPE_CHECKING:
    from ropewalk.model.model import Names
    from ropewalk.model.state import State

Array = NDArray[np.float64]

AXES = ("x", "y", "z")
QUATERNION = ("w", "x", "y", "z")
ENDS = ("A", "B")


@dataclass(frozen=True)
class Column:
    """A variable in a record: row[first:first + size] is its value, `shape` without time."""

    name: str
    dims: tuple[str, ...]  # time first
    first: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Numbers per record."""
        return prod(self.shape)

    def of(self, rows: Array) -> Array:
        """The variable in (n, width) rows, as (n, *shape)."""
        values: Array = rows[:, self.first : self.first + self.size].reshape(len(rows), *self.shape)
        return values


@dataclass(frozen=True)
class Layout:
    """Names and nodes of a result; they stay the same for a whole run."""

    lines: tuple[str, ...]
    points: tuple[str, ...]
    bodies: tuple[str, ...]
    terms: tuple[str, ...]
    start: tuple[int, ...]  # (n_lines + 1,) first node of each line
    s: tuple[float, ...]  # (n_nodes,) m

    @classmethod
    def of(cls, names: Names, state: State, terms: Sequence[str] = ()) -> Layout:
        """The layout of states like `state`."""
        return cls(
            lines=tuple(names.lines),
            points=tuple(names.points),
            bodies=tuple(names.bodies),
            terms=tuple(terms),
            start=tuple(int(i) for i in state.start),
            s=tuple(float(s) for s in state.s),
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Layout:
        """Undo `to_json`."""
        return cls(**{name: tuple(data[name]) for name in cls.__dataclass_fields__})

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {name: list(getattr(self, name)) for name in self.__dataclass_fields__}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Length of each dimension but time."""
        return {
            "node": len(self.s),
            "axis": len(AXES),
            "quaternion": len(QUATERNION),
            "body": len(self.bodies),
            "point": len(self.points),
            "end": 2 * len(self.lines),
            "rope": len(self.lines),
            "term": len(self.terms),
        }

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Every variable that is not empty, in the order of a record."""
        columns, first = [], 0
        for variable in SERIES:
            shape = tuple(self.sizes[dim] for dim in variable.dims[1:])
            if 0 not in shape:
                columns.append(Column(variable.name, variable.dims, first, shape))
                first += prod(shape)
        return tuple(columns)

    @cached_property
    def width(self) -> int:
        """Numbers in a record."""
        return sum(column.size for column in self.columns)

    @property
    def coordinates(self) -> dict[str, tuple[tuple[str, ...], list[str] | list[float]]]:
        """Name, dimensions and values of every coordinate but time."""
        counts = np.diff(np.array(self.start))
        values: dict[str, list[str] | list[float]] = {
            "axis": list(AXES),
            "quaternion": list(QUATERNION),
            "line": [name for name, n in zip(self.lines, counts, strict=True) for _ in range(n)],
            "s": list(self.s),
            "end_line": [name for name in self.lines for _ in ENDS],
            "end": list(ENDS) * len(self.lines),
            "rope": list(self.lines),
            "body": list(self.bodies),
            "point": list(self.points),
            "term": list(self.terms),
        }
        used = {dim for column in self.columns for dim in column.dims}
        return {
            name: (VARIABLES[name].dims, value) for name, value in values.items() if VARIABLES[name].dims[0] in used
        }
