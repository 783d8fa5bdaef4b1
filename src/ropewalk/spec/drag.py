"""Drag coefficients of a section: numbers, or tables and laws of the angle of attack and the Reynolds number."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, model_serializer, model_validator

from ropewalk.spec.base import NotNegative, Part, Positive

ACROSS = 90.0  # deg, angle of attack of flow across a member; 0 is flow along it
ENTRIES = Field(min_length=1, max_length=200)


class DragTable(Part):
    """A coefficient against the angle of attack, the Reynolds number, or both; linear between the entries.

    Beyond the ends the outer entries hold; between Reynolds numbers it is linear in their logarithm.
    """

    angle: Annotated[tuple[NotNegative, ...], ENTRIES] | None = None
    """Between the relative velocity and the member, deg: 0 along it, 90 across it."""
    reynolds: Annotated[tuple[Positive, ...], ENTRIES] | None = None
    """Speed times drag diameter over viscosity; speed across the member for `normal`, along it for `tangential`."""
    value: tuple[NotNegative, ...] | tuple[tuple[NotNegative, ...], ...]
    """One for each entry; with both, one row of values by Reynolds number for each angle."""

    @model_validator(mode="after")
    def _fits(self) -> DragTable:
        if self.angle is None and self.reynolds is None:
            raise ValueError("give angle, reynolds or both beside value; a constant is a number by itself")
        for name, values in (("angle", self.angle or ()), ("reynolds", self.reynolds or ())):
            if any(b <= a for a, b in pairwise(values)):
                raise ValueError(f"{name} must increase from entry to entry")
        if self.angle and self.angle[-1] > ACROSS:
            raise ValueError(f"angle {self.angle[-1]:g} deg: it goes from 0 (along) to {ACROSS:g} deg (across)")
        n, m = len(self.angle or (0.0,)), len(self.reynolds or (0.0,))
        rows = self.rows
        if len(rows) != n or any(len(row) != m for row in rows):
            shape = f"{n} rows of {m} values" if self.angle and self.reynolds else f"{max(n, m)} values"
            raise ValueError(f"value must have {shape}, as many as there are angles and Reynolds numbers")
        return self

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]:
        """Values by angle, then by Reynolds number."""
        if self.angle and self.reynolds:
            return tuple(row if isinstance(row, tuple) else (row,) for row in self.value)
        flat = tuple(float(x) for row in self.value for x in (row if isinstance(row, tuple) else (row,)))
        return tuple((x,) for x in flat) if self.angle else (flat,)


class DragLaw(Part):
    """A coefficient by a named law."""

    law: Literal["sine", "cylinder"]
    """`sine` is value times the sine of the angle of attack, [Otto2022], eq. (5.3); `cylinder` that of a smooth
    circular cylinder by its Reynolds number, [Kristiansen2012], eq. (12)."""
    value: NotNegative | None = None
    """Coefficient of `sine`: 1.2 unless given."""

    @model_validator(mode="after")
    def _takes_value(self) -> DragLaw:
        if self.law == "cylinder" and self.value is not None:
            raise ValueError("value belongs to the law 'sine'; the law 'cylinder' has no constant to set")
        return self


Coefficient = NotNegative | DragTable | DragLaw


class Drag(Part):
    """Morison drag coefficients."""

    normal: Coefficient = 0.0
    """Coefficient of the flow across the member, based on the diameter, per metre."""
    tangential: Coefficient = 0.0
    """Coefficient of the flow along the member, based on the circumference, or on the diameter if
    `tangential_reference` is diameter; per metre."""
    tangential_reference: Literal["circumference", "diameter"] = "circumference"
    along_flow: Coefficient = 0.0
    """Coefficient of a drag along the relative velocity, based on the diameter, per metre; in addition to the
    others."""

    @model_serializer(mode="wrap")
    def _as_data(self, handler: Any) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name in ("normal", "tangential", "along_flow"):
            value = getattr(self, name)
            if name in data and isinstance(value, Part):
                data[name] = value.model_dump(exclude_unset=True)
        return data

    @property
    def has_law(self) -> bool:
        """True if a coefficient depends on the flow, or acts along it."""
        return self.along_flow != 0.0 or isinstance(self.normal, Part) or isinstance(self.tangential, Part)

    @property
    def numbers(self) -> tuple[float, float]:
        """Normal and tangential coefficient; of a table or law those of flow right across and right along."""
        across = _number(self.normal, -1) + _number(self.along_flow, -1)
        return across, _number(self.tangential, 0) + _number(self.along_flow, 0)


def _number(one: Coefficient, row: int) -> float:
    """A coefficient at the last (-1) or first (0) angle of its table, at the middle Reynolds number."""
    if isinstance(one, DragTable):
        values = one.rows[row]
        return float(values[len(values) // 2])
    if isinstance(one, DragLaw):
        return 1.2 if one.law == "cylinder" else float((1.2 if one.value is None else one.value) * (row != 0))
    return float(one)
