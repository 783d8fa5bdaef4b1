"""Where a run begins: an equilibrium, perhaps under other loads, or shapes and velocities that are given."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import NotNegative, Part, Vector
from ropewalk.spec.from_file import FromFile

Places = Annotated[tuple[Vector, ...], Field(min_length=2)]


class FileShape(FromFile):
    """Points of a line in a CSV file beside the case: columns x, y, z and, if known, s."""

    kind: Literal["file"]
    file: str
    """Path relative to the case file."""


class LineStart(Part):
    """Shape and velocity of a line at the start."""

    shape: Literal["catenary", "straight"] | Places | FileShape | None = None
    """Points along the line from end A, joined by straight pieces, m; or a catenary or straight line between its
    ends. By default the shape in `state`."""
    s: Annotated[tuple[NotNegative, ...], Field(min_length=2)] | None = None
    """Unstretched length from end A at the points of the shape, m; in proportion to distance unless given."""
    velocity: Vector | Places = (0.0, 0.0, 0.0)
    """Velocity of the whole line, or at each point of the shape, m/s."""
    tension: Annotated[tuple[NotNegative, ...], Field(min_length=2)] | None = None
    """Tension at each point of the shape, N; a first guess only, because it follows from the shape and the axial
    law."""

    @model_validator(mode="after")
    def _as_many(self) -> LineStart:
        n = len(self.shape) if isinstance(self.shape, tuple) else 0
        moving = len(self.velocity) if isinstance(self.velocity[0], tuple) else n
        for name, entries in (("s", self.s), ("tension", self.tension), ("velocity", (0.0,) * moving)):
            if entries is not None and len(entries) != n:
                raise ValueError(f"{name} has {len(entries)} entries, but the shape has {n} points; give as many")
        if self.s is not None and any(b <= a for a, b in zip(self.s, self.s[1:], strict=False)):
            raise ValueError("s must increase from entry to entry")
        return self


class PointStart(Part):
    """A free point at the start."""

    position: Vector | None = None
    """m"""
    velocity: Vector = (0.0, 0.0, 0.0)
    """m/s"""


class BodyStart(Part):
    """A free body at the start."""

    position: Vector | None = None
    """Position of its origin, m."""
    attitude: Vector | None = None
    """Roll, pitch, yaw in degrees."""
    velocity: Vector = (0.0, 0.0, 0.0)
    """Velocity of its origin, m/s."""
    rate: Vector = (0.0, 0.0, 0.0)
    """Angular velocity in the world, rad/s."""


class Spin(Part):
    """A rigid rotation of all free parts."""

    rate: Vector
    """Angular velocity, rad/s."""
    about: Vector = (0.0, 0.0, 0.0)
    """A point on its axis, m."""


class Start(Part):
    """State at t = 0: an equilibrium or the positions in the file, then the entries for individual parts."""

    state: Literal["equilibrium", "as_given"] = "equilibrium"
    """The state that the other entries change."""
    under: dict[str, Any] = {}
    """Equilibrium of the case with other values, by path: `{points.top.force: [0, 0, 500]}`; they no longer apply once
    the run begins."""
    velocity: Vector = (0.0, 0.0, 0.0)
    """Added to the velocity of all free parts, m/s."""
    spin: Spin | None = None
    """Added to the velocity of all free parts."""
    lines: dict[str, LineStart] = {}
    points: dict[str, PointStart] = {}
    bodies: dict[str, BodyStart] = {}
    file: str | None = None
    """A result (NetCDF) beside the case from which the state at `time` is taken; it is then stored in the keys
    above."""
    time: NotNegative | None = None
    """s, of the record taken from the file; the last one unless given"""
    source: str | None = None
    """The file that the state was read from; not read again."""

    @model_validator(mode="after")
    def _consistent(self) -> Start:
        if self.file is not None:
            raise ValueError(
                "a state in a result file is read together with its case file, by System.from_file; in code give "
                "lines, points and bodies"
            )
        if self.under and self.state != "equilibrium":
            raise ValueError("`under` belongs to an equilibrium; leave out state: as_given")
        return self
