"""Properties of a section along s: one table with a column for each property that varies."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import NotNegative, Part, Positive
from ropewalk.spec.from_file import FromFile

AT_LEAST = Field(min_length=2, max_length=2000)
MOST_AT_ONE_PLACE = 2  # rows: the values before and after a jump
COLUMNS = ("diameter", "mass", "axial_stiffness", "modulus", "area", "drag_normal", "drag_tangential",
           "added_mass_normal", "added_mass_tangential")  # fmt: skip
# keys of a section that may hold {s: [...], value: [...]}, with the column that this stands for
SHORT_FORMS = {
    ("diameter",): "diameter",
    ("mass",): "mass",
    ("axial_stiffness",): "axial_stiffness",
    ("drag", "normal"): "drag_normal",
    ("drag", "tangential"): "drag_tangential",
    ("added_mass", "normal"): "added_mass_normal",
    ("added_mass", "tangential"): "added_mass_tangential",
}


class Along(Part):
    """Properties against s from the start of the piece (its end nearer to end A), linear between the rows.

    Two rows with the same s define a jump. Properties without a column are those of the section.
    """

    s: Annotated[tuple[NotNegative, ...], AT_LEAST]
    """m; from 0 to the length of the piece or beyond."""
    diameter: Annotated[tuple[Positive, ...], AT_LEAST] | None = None
    """m"""
    mass: Annotated[tuple[NotNegative, ...], AT_LEAST] | None = None
    """Mass in air, kg/m."""
    axial_stiffness: Annotated[tuple[Positive, ...], AT_LEAST] | None = None
    """EA, N."""
    modulus: Annotated[tuple[Positive, ...], AT_LEAST] | None = None
    """E, Pa; with `area`, in place of axial_stiffness: EA is the product of two linear functions."""
    area: Annotated[tuple[Positive, ...], AT_LEAST] | None = None
    """Area of the material, m2; with `modulus`."""
    drag_normal: Annotated[tuple[NotNegative, ...], AT_LEAST] | None = None
    drag_tangential: Annotated[tuple[NotNegative, ...], AT_LEAST] | None = None
    added_mass_normal: Annotated[tuple[NotNegative, ...], AT_LEAST] | None = None
    added_mass_tangential: Annotated[tuple[NotNegative, ...], AT_LEAST] | None = None
    source: str | None = None
    """The file that the table was read from; not read again."""

    @model_validator(mode="after")
    def _whole(self) -> Along:
        given = [name for name in COLUMNS if getattr(self, name) is not None]
        if not given:
            raise ValueError(f"no property; give one or more of {', '.join(COLUMNS)}")
        for name in given:
            if len(getattr(self, name)) != len(self.s):
                raise ValueError(f"{len(self.s)} values of s but {len(getattr(self, name))} of {name}")
        if self.s[0] != 0.0:
            raise ValueError(f"s must begin with 0, the start of the piece, not with {self.s[0]:g} m")
        for a, b in pairwise(self.s):
            if b < a:
                raise ValueError(f"s must increase from row to row, but {b:g} m follows {a:g} m")
        for place in set(self.s):
            if self.s.count(place) > MOST_AT_ONE_PLACE:
                raise ValueError(f"{self.s.count(place)} rows at s = {place:g} m; a jump has two")
        if self.s[0] == self.s[1] or self.s[-1] == self.s[-2]:
            raise ValueError("the table begins or ends with a jump; leave the outer row out")
        if (self.modulus is None) != (self.area is None):
            raise ValueError("modulus and area go together: EA is their product")
        if self.modulus is not None and self.axial_stiffness is not None:
            raise ValueError("axial_stiffness is modulus times area; give either it or these two")
        return self

    @property
    def stiffness(self) -> tuple[float, ...] | None:
        """EA at the rows, N."""
        if self.modulus is None or self.area is None:
            return self.axial_stiffness
        return tuple(e * a for e, a in zip(self.modulus, self.area, strict=True))

    def mean(self, name: str) -> float:
        """Mean of a column over s."""
        values: tuple[float, ...] = (self.stiffness if name == "axial_stiffness" else getattr(self, name)) or ()
        steps = [b - a for a, b in pairwise(self.s)]
        total = sum(0.5 * (p + q) * ds for (p, q), ds in zip(pairwise(values), steps, strict=True))
        return float(total / sum(steps))


class FileAlong(FromFile):
    """A table along s in a CSV file beside the case: column s, and one for each property that varies."""

    kind: Literal["file"]
    file: str
    """Path relative to the case file."""


def with_short_forms(data: dict[str, Any]) -> dict[str, Any]:
    """Data of a section with every `{s: [...], value: [...]}` moved to `along`, on the places of all of them."""
    found = {column: value for path, column in SHORT_FORMS.items() if (value := _table_at(data, path)) is not None}
    if not found:
        return data
    kept = _without(data)
    if kept.get("along") is not None:
        raise ValueError("properties along s are given either in 'along' or as {s, value} beside it, not in both")
    places = sorted({(s, side) for table in found.values() for s, side in _sided(table["s"])})
    merged: dict[str, Any] = {"s": [s for s, _ in places]}
    for column, table in found.items():
        if len(table["s"]) != len(table["value"]):
            raise ValueError(f"{column}: {len(table['s'])} entries in s but {len(table['value'])} in value")
        merged[column] = [_value(table, s, side) for s, side in places]
    return {**kept, "along": merged}


def _table_at(data: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any] | None:
    """The table {s, value} at a path of the data, if there is one."""
    value: Any = data
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    is_table = isinstance(value, dict) and set(value) == {"s", "value"}
    is_table = is_table and all(isinstance(value[key], list | tuple) and value[key] for key in value)
    is_table = is_table and all(isinstance(x, int | float) for key in value for x in value[key])
    return value if is_table else None


def _without(data: dict[str, Any]) -> dict[str, Any]:
    kept = {key: dict(value) if isinstance(value, dict) else value for key, value in data.items()}
    for path in SHORT_FORMS:
        if _table_at(data, path) is not None:
            holder = kept if len(path) == 1 else kept[path[0]]
            del holder[path[-1]]
    return kept


def _sided(s: list[float]) -> list[tuple[float, int]]:
    """Places, with 1 for the second row of a jump."""
    return [(float(x), int(k > 0 and s[k - 1] == x)) for k, x in enumerate(s)]


def _value(table: dict[str, Any], s: float, side: int) -> float:
    """Value of a table at a place, before (0) or after (1) a jump there; held beyond its ends."""
    rows = list(zip(map(float, table["s"]), map(float, table["value"]), strict=True))
    at = [value for x, value in rows if x == s]
    if at:
        return at[0] if side == 0 else at[-1]
    before, after = [row for row in rows if row[0] < s], [row for row in rows if row[0] > s]
    if not before or not after:
        return (before or after)[-1 if before else 0][1]
    (a, p), (b, q) = before[-1], after[0]
    return p + (q - p) * (s - a) / (b - a)
