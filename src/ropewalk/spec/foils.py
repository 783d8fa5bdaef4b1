"""Foils of bodies: surfaces with lift and drag by angle of attack, such as trawl doors, depressors and fins."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Finite, NotNegative, Part, Positive, Vector
from ropewalk.spec.from_file import FromFile

HALF_TURN = 180.0  # deg
TWO_OR_MORE = Field(min_length=2, max_length=400)
SQUARE = 1e-6  # cosine of chord and normal up to which they count as at right angles


class FoilTable(Part):
    """Coefficients of a foil against its angle of attack, smooth and monotone between the rows.

    Beyond its ends the table changes, within 15 deg, to a flat plate with the force `stalled` sin(angle) across its
    chord and the table's least drag along it.
    """

    angle: Annotated[tuple[Finite, ...], TWO_OR_MORE]
    """Angle of attack, deg, ascending, within -180 and 180; positive if the flow comes from the side opposite
    `normal`."""
    lift: Annotated[tuple[Finite, ...], TWO_OR_MORE]
    """Lift coefficient normal to the flow, positive towards `normal`, based on the area."""
    drag: Annotated[tuple[NotNegative, ...], TWO_OR_MORE]
    """Drag coefficient along the flow, based on the area."""
    moment: Annotated[tuple[Finite, ...], TWO_OR_MORE] | None = None
    """Moment coefficient about `position`, based on area and chord length; positive if it increases the angle."""
    symmetric: bool = False
    """True to mirror a table that begins at 0: lift and moment change sign with the angle, drag does not."""
    stalled: NotNegative = 1.2
    """Force coefficient across the chord at 90 deg, beyond the table; [Hoerner1965], ch. 3, gives 1.17 for a square
    plate."""
    source: str | None = None
    """The file that the table was read from; not read again."""

    @model_validator(mode="after")
    def _whole(self) -> FoilTable:
        for name in ("lift", "drag", "moment"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.angle):
                raise ValueError(f"{len(self.angle)} angles but {len(values)} values of {name}")
        for a, b in pairwise(self.angle):
            if b <= a:
                raise ValueError(f"angle must increase from row to row, but {b:g} deg follows {a:g} deg")
        if self.angle[0] < -HALF_TURN or self.angle[-1] > HALF_TURN:
            raise ValueError(
                f"angle goes from {self.angle[0]:g} to {self.angle[-1]:g} deg; keep it within -180 and 180"
            )
        if self.symmetric:
            self._begins_at_zero()
        elif self.angle[0] == -HALF_TURN and self.angle[-1] == HALF_TURN:
            for name in ("lift", "drag", "moment"):
                values = getattr(self, name)
                if values is not None and values[0] != values[-1]:
                    raise ValueError(
                        f"{name} is {values[0]:g} at -180 deg and {values[-1]:g} at 180 deg, which are one direction"
                    )
        return self

    def _begins_at_zero(self) -> None:
        if self.angle[0] != 0.0:
            raise ValueError(f"a symmetric table begins at angle 0, not at {self.angle[0]:g} deg")
        for name in ("lift", "moment"):
            values = getattr(self, name)
            if values is not None and values[0] != 0.0:
                raise ValueError(f"a symmetric foil has no {name} at angle 0, not {values[0]:g}")
            if values is not None and self.angle[-1] == HALF_TURN and values[-1] != 0.0:
                raise ValueError(f"a symmetric foil has no {name} at 180 deg, not {values[-1]:g}")


class FileFoilTable(FromFile):
    """Coefficients in a CSV file beside the case: columns angle, lift, drag and, optionally, moment."""

    kind: Literal["file"]
    file: str
    """Path relative to the case file."""


class Foil(Part):
    """A surface in water with lift and drag by angle of attack. Flow along its span has no effect."""

    area: Positive
    """m2"""
    span: Positive | None = None
    """m; the square root of `area` unless given. The chord length is area / span."""
    position: Vector = (0.0, 0.0, 0.0)
    """Where lift and drag act, in the body frame, m."""
    chord: Vector = (1.0, 0.0, 0.0)
    """Direction from the trailing to the leading edge, in the body frame; its length does not matter."""
    normal: Vector = (0.0, 0.0, 1.0)
    """Direction of lift at a positive angle of attack, at right angles to `chord`, in the body frame."""
    coefficients: FoilTable | FileFoilTable

    @model_validator(mode="after")
    def _has_sides(self) -> Foil:
        for name in ("chord", "normal"):
            if not any(getattr(self, name)):
                raise ValueError(f"{name} [0, 0, 0] has no direction")
        product = sum(a * b for a, b in zip(self.chord, self.normal, strict=True))
        cosine = product / (math.hypot(*self.chord) * math.hypot(*self.normal))
        if abs(cosine) > SQUARE:
            angle = math.degrees(math.acos(min(1.0, max(-1.0, cosine))))
            raise ValueError(f"chord and normal enclose {angle:.4g} deg; they must be at right angles")
        return self

    @property
    def table(self) -> FoilTable:
        """The coefficients, read from their file if they had one."""
        assert isinstance(self.coefficients, FoilTable)  # a file is put in its place before a case is checked
        return self.coefficients

    @property
    def breadth(self) -> float:
        """Span, m."""
        return math.sqrt(self.area) if self.span is None else self.span
