"""Links: rigid connections of bodies to bodies and points."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Direction, NotNegative, Part, Positive, Vector
from ropewalk.spec.joints import check_frame
from ropewalk.spec.springs import LinkAxes

TRIANGLE = 1e-9  # relative room for round-off in kx + ky >= kz


class Between(Part):
    """What every link has: its two ends."""

    between: tuple[str, str]
    """A body's attachment, then another body's attachment or a point."""

    @model_validator(mode="after")
    def _two_ends(self) -> Between:
        first, second = (end.partition(".")[0] for end in self.between)
        if first == second:
            raise ValueError(f"both ends are on '{first}'; a link connects two parts")
        if "." not in self.between[0]:
            raise ValueError(f"the first end '{self.between[0]}' is a point; a link begins at a body's attachment")
        return self


class RigidLink(Between):
    """Both ends stay together and the parts keep their relative attitude in the file."""

    kind: Literal["rigid"]


class HingeLink(Between):
    """Both ends stay together and the parts rotate about one axis only."""

    kind: Literal["hinge"]
    axis: Direction = (0.0, 1.0, 0.0)
    """Direction of the axis in the frame of the first body."""
    stiffness: NotNegative = 0.0
    """Stiffness about the axis, measured from the attitudes in the file, N m/rad; for rotations below half a turn."""
    damping: NotNegative = 0.0
    """Damping about the axis, N m s/rad."""


class BallLink(Between):
    """Both ends stay together; the parts rotate freely, or against a spring."""

    kind: Literal["ball"]
    stiffness: NotNegative | Annotated[tuple[NotNegative, ...], Field(min_length=3, max_length=3)] = 0.0
    """Stiffness about x, y and z of `frame`, or one number for all axes, measured from the attitudes in the file, N
    m/rad; the moment for a rotation about one axis is the stiffness times the sine of the angle."""
    frame: tuple[Vector, Vector, Vector] | None = None
    """Rows are the directions x, y, z of the spring in the frame of the first body; its own axes unless given."""

    @model_validator(mode="after")
    def _sound(self) -> BallLink:
        check_frame(self.frame)
        small, middle, large = sorted(self.stiffnesses)
        if large > (1.0 + TRIANGLE) * (small + middle):
            raise ValueError(
                f"stiffness {large:.6g} N m/rad about one axis exceeds the sum {small + middle:.6g} of the others; "
                "for rotation about one axis use a hinge"
            )
        return self

    @property
    def stiffnesses(self) -> tuple[float, float, float]:
        """About x, y and z of the frame, N m/rad."""
        x, y, z = self.stiffness if isinstance(self.stiffness, tuple) else (self.stiffness,) * 3
        return x, y, z


class BarLink(Between):
    """Both ends keep their distance: a rigid bar without mass, hinged at both ends."""

    kind: Literal["bar"]
    length: Positive | None = None
    """m; the distance between the ends in the file unless given"""


class JointLink(Between):
    """A joint by components: along each axis of the first body the second end is held, free, or under a law.

    Sliders, planes and springs between a line and a body: the line ends at a free point, the second end of the link.
    """

    kind: Literal["joint"]
    axes: LinkAxes
    """Conditions along x, y, z of `frame`; axes that are left out are held."""
    frame: tuple[Vector, Vector, Vector] | None = None
    """Rows are the directions x, y, z of the joint in the frame of the first body; its own axes unless given."""
    friction_coefficient: NotNegative = 0.0
    """Dry friction along every axis with a law, as a multiple of the force across the slide; time domain only."""

    @model_validator(mode="after")
    def _slides(self) -> JointLink:
        axes = (self.axes.x, self.axes.y, self.axes.z)
        if all(axis == "held" for axis in axes):
            raise ValueError("all axes are held: make the link a ball")
        if self.friction_coefficient > 0.0 and not ("held" in axes and any(not isinstance(a, str) for a in axes)):
            raise ValueError("friction_coefficient needs an axis that is held and one with a law, as in x: {}")
        check_frame(self.frame)
        return self


Link = Annotated[RigidLink | HingeLink | BallLink | BarLink | JointLink, Field(discriminator="kind")]
