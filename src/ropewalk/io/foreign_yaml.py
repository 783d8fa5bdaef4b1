"""YAML of other programs: values with their places, strict numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ropewalk.errors import Problem
from ropewalk.io.columns import Refused
from ropewalk.io.locations import Step
from ropewalk.io.messages import path_text, shown
from ropewalk.io.yaml import Document, load_file


@dataclass(frozen=True)
class Place:
    """A value of a document and the way to it."""

    document: Document
    path: tuple[Step, ...]
    value: Any

    @property
    def line(self) -> int:
        """Line in the file, from 1."""
        return self.document.positions.nearest(self.path)[0]

    def refuse(self, message: str) -> Refused:
        """The error that this value is."""
        line, column = self.document.positions.nearest(self.path)
        where = f"column {column}, {path_text(self.path)}"
        return Refused(Problem(message, self.document.name, line, column, where))

    def has(self, key: str) -> bool:
        """Whether a mapping has a key with something in it."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def at(self, key: str) -> Place:
        """The value below a key; refused where it is missing."""
        if not isinstance(self.value, dict):
            raise self.refuse(f"is {shown(self.value)}, not a mapping with {key}")
        if self.value.get(key) is None:
            raise self.refuse(f"{key} is missing")
        return Place(self.document, (*self.path, key), self.value[key])

    def items(self) -> Iterator[tuple[str, Place]]:
        """Keys and values of a mapping."""
        if not isinstance(self.value, dict):
            raise self.refuse(f"is {shown(self.value)}, not a mapping")
        for key, value in self.value.items():
            yield key, Place(self.document, (*self.path, key), value)

    def entries(self) -> list[Place]:
        """Entries of a list; none for nothing."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            raise self.refuse(f"is {shown(self.value)}, not a list")
        return [Place(self.document, (*self.path, i), value) for i, value in enumerate(self.value)]

    def number(self, *, least: float | None = None, above: float | None = None) -> float:
        """The value as a finite number within bounds."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.refuse(f"{shown(self.value)} is not a number")
        try:
            value = float(self.value)
        except OverflowError:
            raise self.refuse(f"{shown(self.value)} is too large") from None
        if value != value or value in (float("inf"), float("-inf")):
            raise self.refuse(f"{self.value} is not usable as a number; give a finite one")
        if least is not None and value < least:
            raise self.refuse(f"{value:g} is below {least:g}")
        if above is not None and value <= above:
            raise self.refuse(f"{value:g} must be above {above:g}")
        return value

    def optional(self, key: str, default: float, *, least: float | None = None) -> float:
        """The number below a key, or a default."""
        return self.at(key).number(least=least) if self.has(key) else default

    def vector(self) -> list[float]:
        """Three numbers."""
        entries = self.entries()
        if len(entries) != 3:
            raise self.refuse(f"{len(entries)} entries where x, y and z are expected")
        return [entry.number() for entry in entries]

    def text(self) -> str:
        """The value as text; numbers are taken as they are written."""
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        raise self.refuse(f"{shown(self.value)} is not a name")


def open_yaml(path: Path) -> Place:
    """The root of a YAML file; keys that are numbers count as text."""
    document = load_file(path, any_keys=True)
    return Place(document, (), document.data)
