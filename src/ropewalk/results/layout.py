"""Where each variable stands in a record: one row of numbers per moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ropewalk.results.schema import DOFS, SERIES, VARIABLES

if TYPE_CHECKING:
    from ropewalk.model.model import Names
    from ropewalk.model.nets import Nets
    from ropewalk.model.state import State
    from ropewalk.results.derived import Fastenings

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
    winches: tuple[str, ...] = ()  # lines with winches
    moored: tuple[str, ...] = ()  # bodies that hold ends of lines
    links: tuple[str, ...] = ()
    nets: tuple[str, ...] = ()
    net_given_volume: tuple[float, ...] = ()  # (n_nets,) m3
    knot_start: tuple[int, ...] = (0,)  # (n_nets + 1,) first knot of each net
    knot_row: tuple[int, ...] = ()  # (n_knots,)
    knot_column: tuple[int, ...] = ()  # (n_knots,)
    twine_start: tuple[int, ...] = (0,)  # (n_nets + 1,) first bar of each net
    twine_a: tuple[int, ...] = ()  # (n_twines,) knot
    twine_b: tuple[int, ...] = ()  # (n_twines,) knot

    @classmethod
    def of(
        cls,
        names: Names,
        state: State,
        terms: Sequence[str] = (),
        nets: Nets | None = None,
        fastenings: Fastenings | None = None,
    ) -> Layout:
        """The layout of states like `state`.

        nets : of the model, to keep what the state holds of them
        fastenings : of its lines, to keep their forces on bodies
        """
        moored = [] if fastenings is None else sorted(set(fastenings.body.tolist()))
        return cls(
            **({} if nets is None else _of_nets(nets)),
            lines=tuple(names.lines),
            points=tuple(names.points),
            bodies=tuple(names.bodies),
            terms=tuple(terms),
            start=tuple(int(i) for i in state.start),
            s=tuple(float(s) for s in state.s),
            winches=tuple(names.winches) if state.line_length.size else (),
            moored=tuple(names.bodies[k] for k in moored),
            links=tuple(names.links) if state.link_force.size else (),
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
            "line": len(self.lines),
            "end": len(ENDS),
            "dof": len(DOFS),
            "link": len(self.links),
            "term": len(self.terms),
            "net": len(self.nets),
            "knot": len(self.knot_row),
            "twine": len(self.twine_a),
        }

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Every variable that is not empty, in the order of a record."""
        columns, first = [], 0
        for variable in SERIES:
            shape = tuple(self.sizes[dim] for dim in variable.dims[1:])
            if 0 not in shape and self._has(variable.name):
                columns.append(Column(variable.name, variable.dims, first, shape))
                first += prod(shape)
        return tuple(columns)

    def _has(self, name: str) -> bool:
        """Whether a variable means anything here, where that does not show in its dimensions."""
        return bool({"line_length": self.winches, "mooring_force": self.moored}.get(name, True))

    @cached_property
    def width(self) -> int:
        """Numbers in a record."""
        return sum(column.size for column in self.columns)

    def coordinate(self, name: str) -> Sequence[Any]:
        """Values of one coordinate."""
        known: dict[str, Sequence[Any]] = {
            "axis": AXES, "quaternion": QUATERNION, "line": self.lines, "end": ENDS, "link": self.links,
            "body": self.bodies, "dof": DOFS, "point": self.points, "term": self.terms, "net": self.nets,
        }  # fmt: skip
        return known[name] if name in known else self.coordinates[name][1]

    @cached_property
    def coordinates(self) -> dict[str, tuple[tuple[str, ...], list[str] | list[int] | list[float]]]:
        """Name, dimensions and values of every coordinate but time."""
        values: dict[str, list[str] | list[int] | list[float]] = {
            "axis": list(AXES),
            "quaternion": list(QUATERNION),
            "node_line": _owners(self.lines, self.start),
            "s": list(self.s),
            "line": list(self.lines),
            "end": list(ENDS),
            "link": list(self.links),
            "body": list(self.bodies),
            "dof": list(DOFS),
            "point": list(self.points),
            "term": list(self.terms),
            "net": list(self.nets),
            "net_given_volume": list(self.net_given_volume),
            "knot_net": _owners(self.nets, self.knot_start),
            "knot_row": list(self.knot_row),
            "knot_column": list(self.knot_column),
            "twine_net": _owners(self.nets, self.twine_start),
            "twine_a": list(self.twine_a),
            "twine_b": list(self.twine_b),
        }
        used = {dim for column in self.columns for dim in column.dims}
        return {
            name: (VARIABLES[name].dims, value) for name, value in values.items() if VARIABLES[name].dims[0] in used
        }


def _owners(names: tuple[str, ...], start: tuple[int, ...]) -> list[str]:
    """The name that each of several things laid end to end belongs to."""
    return [name for name, a, b in zip(names, start[:-1], start[1:], strict=True) for _ in range(b - a)]


def _of_nets(nets: Nets) -> dict[str, Any]:
    """The fields of a Layout that say how nets are made."""
    from ropewalk.model.net_measures import measure

    across = np.tile([1.0, 0.0, 0.0], (len(nets.names), 1))  # volumes do not depend on the flow
    arrays = {
        "net_given_volume": measure(nets, nets.knot, across).volume,
        "knot_start": nets.knot_start,
        "knot_row": nets.row,
        "knot_column": nets.column,
        "twine_start": nets.bar_start,
        "twine_a": nets.bar[:, 0],
        "twine_b": nets.bar[:, 1],
    }
    return {"nets": tuple(nets.names), **{name: tuple(values.tolist()) for name, values in arrays.items()}}
