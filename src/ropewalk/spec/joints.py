"""How a point or body is held: component by component in a frame, or along a prescribed motion."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Direction, Finite, NotNegative, Part, Positive, Vector
from ropewalk.spec.from_file import FromFile
from ropewalk.spec.in_time import HarmonicTerm, Value, check_table

ORTHOGONALITY = 1e-6  # largest |F F^T - 1| of a joint frame; six printed digits pass


def check_frame(frame: tuple[Vector, Vector, Vector] | None) -> None:
    """Three orthogonal rows of length 1, or None."""
    for i in range(3) if frame is not None else ():
        for j in range(i, 3):
            dot = sum(a * b for a, b in zip(frame[i], frame[j], strict=True))  # type: ignore[index]
            if abs(dot - (1.0 if i == j else 0.0)) > ORTHOGONALITY:
                raise ValueError("frame needs three orthogonal rows of length 1")


class AxisForce(Part):
    """The component is free and loaded."""

    force: Value
    """N; may vary in time"""


class AxisSpring(Part):
    """The component is held by a spring to the given position."""

    spring: Positive
    """N/m"""
    rest: Value = 0.0
    """Rest position of the spring along the axis, from the given position, m; may vary in time."""


Axis = Literal["held", "free"] | AxisForce | AxisSpring


class Axes(Part):
    """Condition along each axis of the frame."""

    x: Axis = "held"
    y: Axis = "held"
    z: Axis = "held"


class Joint(Part):
    """A joint by components. The common ones have names: see the class methods."""

    axes: Axes
    frame: tuple[Vector, Vector, Vector] | None = None
    """Rows are the directions x, y, z of the joint in the world; the world axes unless given."""

    @model_validator(mode="after")
    def _orthonormal(self) -> Joint:
        check_frame(self.frame)
        return self

    @classmethod
    def ball(cls) -> Joint:
        """Held in all components."""
        return cls(axes=Axes())

    @classmethod
    def imposed_force(cls, force: Vector) -> Joint:
        """Free and loaded in all components."""
        x, y, z = (AxisForce(force=component) for component in force)
        return cls(axes=Axes(x=x, y=y, z=z))

    @classmethod
    def slider(cls, frame: tuple[Vector, Vector, Vector] | None = None, force: float = 0.0) -> Joint:
        """Slides along the first axis, driven by `force`; held across it (prismatic)."""
        return cls(axes=Axes(x=AxisForce(force=force)), frame=frame)

    @classmethod
    def plane(cls, frame: tuple[Vector, Vector, Vector] | None = None) -> Joint:
        """Slides in the plane of the first two axes, held along the third."""
        return cls(axes=Axes(x="free", y="free"), frame=frame)

    @classmethod
    def spring(cls, stiffness: float) -> Joint:
        """Held by the same spring in all components."""
        spring = AxisSpring(spring=stiffness)
        return cls(axes=Axes(x=spring, y=spring, z=spring))

    @classmethod
    def spring_slider(cls, stiffness: float, frame: tuple[Vector, Vector, Vector] | None = None) -> Joint:
        """Slides along the first axis against a spring; held across it."""
        return cls(axes=Axes(x=AxisSpring(spring=stiffness)), frame=frame)


PointJoint = Literal["fixed", "free", "moving", "coupled"] | Joint
BodyJoint = Literal["fixed", "free", "moving", "coupled"]


class HarmonicRotation(Part):
    """A rotation by amplitude cos(omega t - phase) about an axis of the world; bodies only."""

    axis: Direction
    amplitude: Finite
    """degrees"""
    omega: NotNegative
    phase: Finite = 0.0
    """rad"""


class HarmonicMotion(Part):
    """A sum of harmonic terms, ramped up over `ramp` seconds."""

    kind: Literal["harmonic"]
    ramp: NotNegative = 0.0
    """s"""
    terms: tuple[HarmonicTerm, ...] = ()
    rotations: tuple[HarmonicRotation, ...] = ()


class TableMotion(Part):
    """Displacements at given times, a cubic spline between, limited where it would overshoot the entries; before the
    first entry it holds."""

    kind: Literal["table"]
    time: Annotated[tuple[Finite, ...], Field(min_length=2)]
    """s"""
    displacement: Annotated[tuple[Vector, ...], Field(min_length=2)]
    """m, at each time"""
    rotation: Annotated[tuple[Vector, ...], Field(min_length=2)] | None = None
    """Rotation vector about axes of the world at each time, degrees; bodies only."""
    after: Literal["hold", "continue"] = "hold"
    """Beyond the last entry: hold it, or continue at the velocity of the last entry."""
    source: str | None = None
    """The file that the table was read from; not read again."""

    @model_validator(mode="after")
    def _matching(self) -> TableMotion:
        check_table(self.time, len(self.displacement), "displacements")
        if self.rotation is not None:
            check_table(self.time, len(self.rotation), "rotations")
        return self


class FileMotion(FromFile):
    """A table of displacements in a CSV file beside the case: columns t, x, y, z and, of bodies, rx, ry, rz."""

    kind: Literal["file"]
    file: str
    """Path relative to the case file."""
    after: Literal["hold", "continue"] = "hold"


class TowMotion(Part):
    """A tow: the velocity grows linearly from zero over `ramp` seconds, then stays."""

    kind: Literal["tow"]
    velocity: Vector
    """m/s"""
    ramp: NotNegative = 0.0
    """s"""


Motion = Annotated[HarmonicMotion | TableMotion | TowMotion | FileMotion, Field(discriminator="kind")]


def check_motion(joint: Any, motion: Any) -> None:
    """A motion goes with `joint: moving`, and only with it."""
    if (joint == "moving") != (motion is not None):
        raise ValueError(
            "joint: moving needs a motion" if motion is None else f"motion needs joint: moving, not {joint!r}"
        )
