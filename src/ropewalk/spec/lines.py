"""Points, and the lines between them."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Direction, Finite, NotNegative, Part, Positive, Vector
from ropewalk.spec.from_file import FromFile
from ropewalk.spec.in_time import Value, VectorValue, is_steady
from ropewalk.spec.joints import HarmonicMotion, Motion, PointJoint, TableMotion, check_motion
from ropewalk.spec.parting import Break
from ropewalk.spec.payout import Payout

Elements = Annotated[int, Field(ge=1, le=100_000)]
Grading = Annotated[float, Field(ge=1.0, le=10.0)]
LEAST_LEFT = 0.01  # of the free stretch at a winch: what must stay outside


class Point(Part):
    """A point at which lines end: held, free or moved."""

    position: Vector
    """m; for a free point the first guess"""
    joint: PointJoint = "fixed"
    motion: Motion | None = None
    mass: NotNegative = 0.0
    """kg"""
    volume: NotNegative = 0.0
    """Displaced volume, m3."""
    drag_area: NotNegative = 0.0
    """Drag coefficient times area, m2."""
    added_mass: NotNegative = 0.0
    """kg"""
    force: VectorValue = (0.0, 0.0, 0.0)
    """N; may vary in time"""

    @model_validator(mode="after")
    def _motion_and_joint(self) -> Point:
        check_motion(self.joint, self.motion)
        turns = isinstance(self.motion, HarmonicMotion) and self.motion.rotations
        if turns or (isinstance(self.motion, TableMotion) and self.motion.rotation is not None):
            raise ValueError("a point cannot rotate; rotations belong to bodies")
        return self


class Piece(Part):
    """A length of one section."""

    section: str
    length: Positive
    """Unstretched, m."""
    elements: Elements | None = None


class LineAttachment(Part):
    """A clump weight, float or instrument on a line."""

    name: str = ""
    """Shown in plots; optional."""
    s: NotNegative
    """Unstretched length from end A, m."""
    mass: NotNegative = 0.0
    volume: NotNegative = 0.0
    """m3"""
    drag_area: NotNegative = 0.0
    """m2"""
    added_mass: NotNegative = 0.0
    """kg"""
    force: VectorValue = (0.0, 0.0, 0.0)
    """N; may vary in time"""


class PressureLoad(Part):
    """A following load per unstretched length, value axis x tangent: across the line, in one plane."""

    kind: Literal["pressure"]
    axis: Direction
    value: Value
    """N/m; may vary in time"""


class TableLoad(Part):
    """Force per unstretched length against s, linear between the entries; none before the first and after the last."""

    kind: Literal["table"]
    s: Annotated[tuple[NotNegative, ...], Field(min_length=2)]
    force: Annotated[tuple[Vector, ...], Field(min_length=2)]
    """N/m"""
    factor: Value = 1.0
    """Factor on all forces; may vary in time."""
    source: str | None = None
    """The file that the table was read from; not read again."""

    @model_validator(mode="after")
    def _matching(self) -> TableLoad:
        if len(self.s) != len(self.force):
            raise ValueError(f"{len(self.s)} values of s but {len(self.force)} forces")
        if any(b <= a for a, b in pairwise(self.s)):
            raise ValueError("s must increase from entry to entry")
        return self


class RotatingLoad(Part):
    """Centrifugal load in a frame that rotates at a constant rate: mass per length times rate^2 times the radius."""

    kind: Literal["rotating"]
    axis: Direction
    rate: Finite
    """rad/s"""
    origin: Vector = (0.0, 0.0, 0.0)


class FileLoad(FromFile):
    """A table load in a CSV file beside the case: columns s, fx, fy, fz."""

    kind: Literal["file"]
    file: str
    """Path relative to the case file."""
    factor: Value = 1.0


LineLoad = Annotated[PressureLoad | TableLoad | RotatingLoad | FileLoad, Field(discriminator="kind")]


class Line(Part):
    """A rope of one or more pieces from end A to end B."""

    from_: Annotated[str, Field(alias="from")]
    """End A: the name of a point, or body.attachment."""
    to: str
    """End B."""
    pieces: Annotated[tuple[Piece, ...], Field(min_length=1)]
    elements: Elements | None = None
    """Number of elements, for solvers that divide the line; chosen automatically unless given."""
    grading: Grading = 1.0
    """How many times shorter elements are at the initial touchdown point than elsewhere; 1: all equal."""
    attachments: tuple[LineAttachment, ...] = ()
    loads: tuple[LineLoad, ...] = ()
    over: tuple[str, ...] = ()
    """Points or body.attachment that the line runs through without friction, in order from end A; statics only."""
    payout: Payout | None = None
    """A winch at one end."""
    break_: Annotated[Break | None, Field(alias="break")] = None
    """Where and when the line parts."""

    @model_validator(mode="after")
    def _over_in_order(self) -> Line:
        for a, b in pairwise((self.from_, *self.over, self.to) if self.over else ()):
            if a == b:
                raise ValueError(f"over: the line runs from '{a}' to '{b}'; list each point between them once")
        if self.over and self.attachments:
            raise ValueError(
                "a line that runs over points cannot have attachments, because they could not pass; end it at a free "
                "point with that mass and continue with another line"
            )
        return self

    @model_validator(mode="after")
    def _attachments_on_line(self) -> Line:
        for attachment in self.attachments:
            if attachment.s > self.length:
                raise ValueError(
                    f"attachment at s = {attachment.s} m is beyond the line's {self.length} m; s counts from end A"
                )
        if self.from_ == self.to:
            raise ValueError(f"from and to are both '{self.to}'; a line needs two ends")
        return self

    @model_validator(mode="after")
    def _winch_and_break(self) -> Line:
        if self.break_ is not None and self.break_.s is not None and self.break_.s > self.length:
            raise ValueError(f"break at s = {self.break_.s} m is beyond the line's {self.length} m")
        if self.payout is None:
            return self
        changing = [a.force for a in self.attachments] + [getattr(load, "value", 0.0) for load in self.loads]
        changing += [getattr(load, "factor", 1.0) for load in self.loads]
        if not all(map(is_steady, changing)):
            raise ValueError(
                "loads along a line with a winch cannot vary in time, because elements are added and removed at the "
                "winch; use a second line for the loaded part"
            )
        if self.grading > 1.0 and len(self.pieces) == 1:
            raise ValueError(
                f"grading {self.grading:g}: elements at a winch are of equal length, and this line has one piece only; "
                "leave grading out, or give the winch a piece of its own"
            )
        piece = self.pieces[0 if self.payout.end == "A" else -1].length
        places = [a.s if self.payout.end == "A" else self.length - a.s for a in self.attachments]
        stretch = min([piece, *places])
        if self.payout.hauled > (1.0 - LEAST_LEFT) * stretch:
            raise ValueError(
                f"payout hauls in {self.payout.hauled:g} m at end {self.payout.end}, but only {stretch:g} m of one "
                "section without attachments are there; haul in less"
            )
        return self

    @property
    def length(self) -> float:
        """Unstretched, m."""
        return sum(piece.length for piece in self.pieces)
