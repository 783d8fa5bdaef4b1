"""Floating rods: shape, section and mass along s. Curvature is torsion, bending about axis 2, bending about axis 3."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Finite, NotNegative, Part, Positive, Vector
from ropewalk.spec.in_time import Value

SAME_LENGTH = 1e-6  # relative; pieces that miss the rod's length by more are a mistake, not rounding


class AlongTable(Part):
    """A quantity along the rod, linear between the entries, constant beyond them."""

    s: Annotated[tuple[NotNegative, ...], Field(min_length=2)]
    """Arc length from the head, m, ascending."""
    value: Annotated[tuple[Positive, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _matched(self) -> AlongTable:
        _rising(self.s, len(self.value), "value")
        return self


Along = Positive | AlongTable


class EllipseSection(Part):
    """Solid elliptical section."""

    kind: Literal["ellipse"]
    a: Along
    """Semi-axis along section axis 2, m."""
    b: Along
    """Semi-axis along section axis 3, m."""


class PipeSection(Part):
    """Pipe with closed ends, round or elliptical; `density` is that of the wall."""

    kind: Literal["pipe"]
    diameter: Positive | None = None
    """Outer diameter of a round pipe, m."""
    a: Along | None = None
    """Outer semi-axis along section axis 2 of an elliptical pipe, m."""
    b: Along | None = None
    """Outer semi-axis along section axis 3 of an elliptical pipe, m."""
    wall: Positive
    """Thickness, m, at the ends of the semi-axes; the hole is an ellipse too."""
    contents: NotNegative = 0.0
    """Density of what fills the hole, kg/m3."""

    @model_validator(mode="after")
    def _hollow(self) -> PipeSection:
        if self.diameter is not None:
            if self.a is not None or self.b is not None:
                raise ValueError(
                    "a pipe is round, with a diameter, or elliptical, with semi-axes a and b; give one of them"
                )
            if self.wall > 0.5 * self.diameter:
                raise ValueError(f"wall {self.wall} m is thicker than half the diameter {self.diameter} m")
            return self
        if self.a is None or self.b is None:
            raise ValueError("a pipe needs its diameter, or the semi-axes a and b")
        _room_for(self.wall, self.a, "the semi-axis a", 1.0)
        _room_for(self.wall, self.b, "the semi-axis b", 1.0)
        return self


class RectangleSection(Part):
    """Rectangular section, solid or a box with closed ends; `density` is that of the solid or of the wall."""

    kind: Literal["rectangle"]
    width: Along
    """Side along section axis 2, m."""
    height: Along
    """Side along section axis 3, m."""
    wall: Positive | None = None
    """Thickness of a box, m; solid if left out."""
    contents: NotNegative = 0.0
    """Density of what fills the box, kg/m3."""

    @model_validator(mode="after")
    def _hollow(self) -> RectangleSection:
        if self.wall is None:
            if self.contents > 0.0:
                raise ValueError(f"contents of {self.contents} kg/m3, but no wall around them; give the box its wall")
            return self
        _room_for(self.wall, self.width, "the width", 0.5)
        _room_for(self.wall, self.height, "the height", 0.5)
        return self


class ConstantCurvature(Part):
    """The same curvature everywhere: a straight rod, an arc or a helix."""

    kind: Literal["constant"] = "constant"
    kappa: Vector = (0.0, 0.0, 0.0)
    """Torsion, bending, bending, 1/m."""


class CurvaturePiece(Part):
    """A stretch of constant curvature."""

    length: Positive
    kappa: Vector


class PiecewiseCurvature(Part):
    """Pieces of constant curvature, one after the other."""

    kind: Literal["pieces"]
    pieces: Annotated[tuple[CurvaturePiece, ...], Field(min_length=1)]


class TableCurvature(Part):
    """Curvature at given arc lengths, linear between them."""

    kind: Literal["table"]
    s: Annotated[tuple[NotNegative, ...], Field(min_length=2)]
    kappa: Annotated[tuple[Vector, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _matched(self) -> TableCurvature:
        _rising(self.s, len(self.kappa), "kappa")
        return self


class Twist(Part):
    """A local twist of the rod about its axis."""

    s: Positive
    angle: Finite
    """Degrees."""


class TwistedCurvature(Part):
    """Twists at junctions, sharp or spread as Gaussians, on top of a constant curvature."""

    kind: Literal["twists"]
    twists: Annotated[tuple[Twist, ...], Field(min_length=1)]
    width: NotNegative = 0.0
    """Standard deviation of each twist along s, m; 0 for a sharp twist."""
    kappa: Vector = (0.0, 0.0, 0.0)


class ChebyshevCurvature(Part):
    """Chebyshev series over the length, one list of coefficients per component."""

    kind: Literal["chebyshev"]
    coefficients: tuple[tuple[Finite, ...], tuple[Finite, ...], tuple[Finite, ...]]
    """Coefficients of torsion, bending and bending, 1/m."""


class FourierCurvature(Part):
    """Fourier series: mean + sum cosine_k cos(2 pi k s/L) + sine_k sin(2 pi k s/L), k = 1, 2, ..."""

    kind: Literal["fourier"]
    mean: Vector = (0.0, 0.0, 0.0)
    cosine: tuple[Vector, ...] = ()
    sine: tuple[Vector, ...] = ()


class Centreline(Part):
    """Points of the centreline, joined by a smooth spline, with the frame of least rotation."""

    kind: Literal["centreline"]
    points: Annotated[tuple[Vector, ...], Field(min_length=4)]
    """m; a cubic spline through four or five points, a quintic one through more."""


Curvature = Annotated[
    ConstantCurvature
    | PiecewiseCurvature
    | TableCurvature
    | TwistedCurvature
    | ChebyshevCurvature
    | FourierCurvature
    | Centreline,
    Field(discriminator="kind"),
]


class RodMass(Part):
    """A point mass, on the centreline or beside it."""

    s: NotNegative
    mass: Positive
    offset: tuple[Finite, Finite] = (0.0, 0.0)
    """From the centreline along section axes 2 and 3, m."""


class RodJoint(Part):
    """A sharp bend or twist: the rod beyond it is rotated."""

    s: Positive
    """Arc length from the head, m."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Axis about which the rod is rotated, in section axes: along the rod, 2, 3."""
    angle: Value = 0.0
    """Degrees; a number, or a function of time."""

    @model_validator(mode="after")
    def _turns(self) -> RodJoint:
        if not any(self.axis):
            raise ValueError("the axis of a joint is zero; give the direction about which it turns, as in [0, 0, 1]")
        return self


class RodAttachment(Part):
    """A point of the rod to which lines are fastened."""

    s: NotNegative
    """Arc length from the head, m."""
    offset: tuple[Finite, Finite] = (0.0, 0.0)
    """From the centreline along section axes 2 and 3, m."""


class Elasticity(Part):
    """Stiffness of a rod that bends; the given curvature is that of the unloaded rod."""

    torsion: Positive
    """GJ, N m2."""
    bending: tuple[Positive, Positive]
    """EI about section axes 2 and 3, N m2."""


class HeldHead(Part):
    """The head held at a height, and at an attitude if roll and pitch are given; without them it rotates freely."""

    heave: Finite
    """Height of the head above still water, m."""
    roll: Finite | None = None
    """Degrees; the head's axes come from the world's by roll, then pitch."""
    pitch: Finite | None = None
    """Degrees."""

    @model_validator(mode="after")
    def _both(self) -> HeldHead:
        if (self.roll is None) != (self.pitch is None):
            raise ValueError("give both roll and pitch to clamp the head, or neither to let it turn")
        return self


class Support(Part):
    """A vertical spring between the centreline and something fixed."""

    s: NotNegative
    """Arc length from the head, m."""
    height: Finite
    """Height of the spring at zero force, m above still water."""
    stiffness: Positive
    """N/m."""


class Hold(Part):
    """Restraints of a rod: its head, or springs along it."""

    head: HeldHead | None = None
    supports: tuple[Support, ...] = ()

    @model_validator(mode="after")
    def _something(self) -> Hold:
        if self.head is None and not self.supports:
            raise ValueError("it has no effect; give it a head or supports")
        return self


class Rod(Part):
    """A floating rod."""

    length: Positive | None = None
    """m; may be left out if the curvature determines it (pieces, centreline)."""
    density: Along
    """kg/m3, of the solid section or of the wall of a pipe or box."""
    section: Annotated[EllipseSection | PipeSection | RectangleSection, Field(discriminator="kind")]
    curvature: Curvature = ConstantCurvature()
    masses: tuple[RodMass, ...] = ()
    joints: tuple[RodJoint, ...] = ()
    """Sharp angles, given or programmed in time."""
    attachments: dict[str, RodAttachment] = {}
    """Where lines are fastened; a line refers to one as `rod.attachment`."""
    elasticity: Elasticity | None = None
    """Bending and torsion stiffness; a rod without it is rigid."""
    held: Hold | None = None
    """Supports of the rod; only for rods without lines."""

    @model_validator(mode="after")
    def _fits(self) -> Rod:
        length = self.length
        if isinstance(self.curvature, PiecewiseCurvature):
            total = sum(piece.length for piece in self.curvature.pieces)
            if length is not None and abs(total - length) > SAME_LENGTH * length:
                raise ValueError(f"length is {length} m, but the pieces of its curvature add up to {total:.9g} m")
        elif length is None and not isinstance(self.curvature, Centreline):
            raise ValueError("length is missing")
        if length is not None:
            twists = self.curvature.twists if isinstance(self.curvature, TwistedCurvature) else ()
            places = [*(("a mass", m.s) for m in self.masses), *(("a twist", t.s) for t in twists)]
            places += [("a support", support.s) for support in (self.held.supports if self.held else ())]
            places += [(f"attachment '{name}'", attachment.s) for name, attachment in self.attachments.items()]
            for what, at in places:
                if at > length:
                    raise ValueError(f"{what} at s = {at} m lies beyond the rod's length {length} m")
            ends = [joint.s for joint in self.joints if joint.s >= length]
            if ends:
                raise ValueError(f"a joint at s = {ends[0]} m has nothing beyond it; the rod is {length} m long")
        turned = [joint.s for joint in self.joints]
        if isinstance(self.curvature, TwistedCurvature) and self.curvature.width == 0.0:
            turned += [twist.s for twist in self.curvature.twists]
        for joint in self.joints:
            if turned.count(joint.s) > 1:
                raise ValueError(f"two joints, or a joint and a sharp twist, at s = {joint.s} m; give one turn there")
        return self


def _room_for(wall: float, size: Along, name: str, share: float) -> None:
    """Refuse a wall thicker than `share` of the least size."""
    least = min(size.value) if isinstance(size, AlongTable) else size
    if wall > share * least:
        raise ValueError(f"wall {wall} m is thicker than {name} allows: at most {share * least:.6g} m")


def _rising(s: tuple[float, ...], n: int, name: str) -> None:
    if len(s) != n:
        raise ValueError(f"{len(s)} values of s but {n} of {name}")
    if any(after <= before for before, after in pairwise(s)):
        raise ValueError("s must increase from entry to entry")
