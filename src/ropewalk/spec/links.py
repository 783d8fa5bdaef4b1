"""Links: rigid connections of bodies to bodies and points."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Direction, NotNegative, Part, Positive


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
    """Both ends stay together and the parts keep the attitude to each other that the file gives."""

    kind: Literal["rigid"]


class HingeLink(Between):
    """Both ends stay together and the parts turn about one axis only."""

    kind: Literal["hinge"]
    axis: Direction = (0.0, 1.0, 0.0)
    """In the frame of the first body."""
    stiffness: NotNegative = 0.0
    """About the axis, from the attitudes of the file, N m/rad; for turns below half a revolution."""
    damping: NotNegative = 0.0
    """About the axis, N m s/rad."""


class BallLink(Between):
    """Both ends stay together; the parts turn freely."""

    kind: Literal["ball"]


class BarLink(Between):
    """Both ends keep their distance: a rigid bar without mass, hinged at both ends."""

    kind: Literal["bar"]
    length: Positive | None = None
    """m; the distance between the ends in the file unless given"""


Link = Annotated[RigidLink | HingeLink | BallLink | BarLink, Field(discriminator="kind")]
