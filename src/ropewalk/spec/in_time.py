"""Values that may vary in time: a number, a sum of harmonic terms, a table, or a file with a table.

The same classes serve forces, moments, distributed loads, current, wind, winches and springs. Vectors are given by
components, each of which may change, or as a whole: terms with directions, or a table of vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from ropewalk.spec.base import Direction, Finite, NotNegative, Part, Vector
from ropewalk.spec.from_file import FromFile

Times = Annotated[tuple[Finite, ...], Field(min_length=1)]


class InTime(Part):
    """What all have in common."""

    ramp: NotNegative = 0.0
    """Seconds over which the whole is ramped up smoothly from t = 0."""


class ConstantValue(InTime):
    """A number, ramped up over `ramp` seconds."""

    kind: Literal["constant"]
    value: Finite


class ValueTerm(Part):
    """amplitude cos(omega t - phase)."""

    amplitude: Finite
    omega: NotNegative
    """rad/s"""
    phase: Finite = 0.0
    """rad"""


class HarmonicValue(InTime):
    """A mean and a sum of harmonic terms."""

    kind: Literal["harmonic"]
    mean: Finite = 0.0
    terms: Annotated[tuple[ValueTerm, ...], Field(min_length=1)]


class _Table(InTime):
    time: Times
    """s"""
    after: Literal["hold", "continue"] = "hold"
    """Beyond the last entry: hold it, or continue at the last rate. Before the first entry it holds."""
    source: str | None = None
    """The file that the table was read from; not read again."""


class TableValue(_Table):
    """Values at given times, linear between them."""

    kind: Literal["table"]
    value: Times

    @model_validator(mode="after")
    def _matching(self) -> TableValue:
        check_table(self.time, len(self.value), "values")
        return self


class FileTable(FromFile, InTime):
    """A table in a CSV file beside the case: time in the first column, units in the header."""

    kind: Literal["file"]
    file: str
    """Path relative to the case file."""
    after: Literal["hold", "continue"] = "hold"


class ConstantVector(InTime):
    """A vector, ramped up over `ramp` seconds."""

    kind: Literal["constant"]
    value: Vector


class HarmonicTerm(Part):
    """amplitude cos(omega t - phase) along a direction."""

    direction: Direction
    amplitude: Finite
    """m of a motion, N of a force, N m of a moment"""
    omega: NotNegative
    """rad/s"""
    phase: Finite = 0.0
    """rad"""


class HarmonicVector(InTime):
    """A mean vector and a sum of harmonic terms, each along its direction."""

    kind: Literal["harmonic"]
    mean: Vector = (0.0, 0.0, 0.0)
    terms: Annotated[tuple[HarmonicTerm, ...], Field(min_length=1)]


class TableVector(_Table):
    """Vectors at given times, linear between them."""

    kind: Literal["table"]
    value: Annotated[tuple[Vector, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _matching(self) -> TableVector:
        check_table(self.time, len(self.value), "vectors")
        return self


Changing = Annotated[ConstantValue | HarmonicValue | TableValue | FileTable, Field(discriminator="kind")]
ChangingVector = Annotated[ConstantVector | HarmonicVector | TableVector | FileTable, Field(discriminator="kind")]
Value: TypeAlias = Finite | Changing
VectorValue: TypeAlias = tuple[Value, Value, Value] | ChangingVector


def check_table(time: tuple[float, ...], entries: int, what: str) -> None:
    """As many entries as times, and times that rise."""
    if len(time) != entries:
        raise ValueError(f"{len(time)} times but {entries} {what}")
    if any(b <= a for a, b in pairwise(time)):
        raise ValueError("time must increase from entry to entry")


def is_steady(value: Value | VectorValue) -> bool:
    """Whether a value or vector is made of plain numbers."""
    return all(map(is_steady, value)) if isinstance(value, tuple) else not isinstance(value, InTime)


def changing(part: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths of the values of a part that change in time."""
    if isinstance(part, InTime):
        yield path
    elif isinstance(part, Part):
        for name in type(part).model_fields:
            yield from changing(getattr(part, name), (*path, name))
    elif isinstance(part, dict):
        for name, inner in part.items():
            yield from changing(inner, (*path, name))
    elif isinstance(part, tuple):
        for k, inner in enumerate(part):
            yield from changing(inner, (*path, k))
