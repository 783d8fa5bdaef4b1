"""Floating collars: elastic rings of tube that carry nets, as segments joined by springs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, model_validator

from ropewalk.spec.base import NotNegative, Part, Positive, Vector
from ropewalk.spec.bodies import Body
from ropewalk.spec.hulls import AxisymmetricHull, HullAddedMass, HullDrag
from ropewalk.spec.links import BallLink, Link

POISSON = 0.4  # of polyethylene: torsional stiffness EI / (1 + nu) of a tube, unless given
OFF_RING = 0.75  # of a segment: how far from the middle of the nearest one a point of the collar may lie


class Collar(Part):
    """A floating ring of tube with bending and torsional stiffness, made of equal straight segments.

    Each segment is a body (`NAME 1`, `NAME 2`, ... counter-clockwise from +x) with a cylindrical hull, joined to the
    next by a ball with the stiffness EI/l and GJ/l of the tube between their middles; the ring at rest is a circle.
    """

    centre: Vector = (0.0, 0.0, 0.0)
    """Centre of the ring, m."""
    radius: Positive
    """Radius to the centreline of the tube, m."""
    diameter: Positive
    """Outer diameter of the tube, m; for several tubes side by side, that of one tube with the same displacement."""
    mass: Positive
    """Mass per metre including brackets and handrail, kg/m."""
    bending_stiffness: Positive
    """EI of the tube, or of all tubes, N m2."""
    torsional_stiffness: NotNegative | None = None
    """GJ, N m2; EI/1.4, that of polyethylene, unless given."""
    segments: Annotated[int, Field(ge=6, le=400)] = 16
    drag: NotNegative = 1.0
    """Drag coefficient across the tube, based on its diameter."""
    added_mass: NotNegative = 1.0
    """Added mass across the tube, as a multiple of the displaced mass."""
    points: tuple[str, ...] = ()
    """Points of the case on the collar, where mooring lines end; each is held by the segment nearest to it."""

    @model_validator(mode="after")
    def _stiff(self) -> Collar:
        if self.twist > 2.0 * self.bending_stiffness:
            raise ValueError(
                f"torsional_stiffness {self.twist:.6g} N m2 exceeds twice the bending_stiffness; a round tube has "
                "between 0.67 and 1 times it"
            )
        return self

    @property
    def twist(self) -> float:
        """GJ, N m2."""
        given = self.torsional_stiffness
        return self.bending_stiffness / (1.0 + POISSON) if given is None else given

    @property
    def arc(self) -> float:
        """Length of tube of a segment, m."""
        return 2.0 * math.pi * self.radius / self.segments

    @property
    def chord(self) -> float:
        """Length of a segment from joint to joint, m."""
        return 2.0 * self.radius * math.sin(math.pi / self.segments)

    def heading(self, i: int) -> float:
        """Of the middle of segment i, counted from 0, seen from the centre, rad."""
        return 2.0 * math.pi * (i + 0.5) / self.segments

    def middle(self, i: int) -> Vector:
        """Of segment i, m."""
        inner, angle = self.radius * math.cos(math.pi / self.segments), self.heading(i)
        x, y, z = self.centre
        return x + inner * math.cos(angle), y + inner * math.sin(angle), z

    def nearest(self, place: Vector) -> tuple[int, Vector]:
        """The segment nearest to a place (m) of the world, and the place in the frame of that segment."""
        turn = math.atan2(place[1] - self.centre[1], place[0] - self.centre[0])
        i = int((turn % (2.0 * math.pi)) / (2.0 * math.pi) * self.segments) % self.segments
        x, y, z = (p - m for p, m in zip(place, self.middle(i), strict=True))
        yaw = self.heading(i) + 0.5 * math.pi
        return i, (x * math.cos(yaw) + y * math.sin(yaw), y * math.cos(yaw) - x * math.sin(yaw), z)

    def strays(self, place: Vector) -> float:
        """How far a place in the frame of a segment lies beyond where a collar holds things, m; at most 0 on it."""
        return math.hypot(*place) - OFF_RING * self.arc


def segment_name(name: str, i: int) -> str:
    """Of segment i, counted from 0."""
    return f"{name} {i + 1}"


def collar_parts(name: str, collar: Collar, places: Mapping[str, Vector]) -> tuple[dict[str, Body], dict[str, Link]]:
    """Bodies and links of a collar.  places : of its points, m"""
    half, n, tilt = 0.5 * collar.chord, collar.segments, math.pi / collar.segments
    mass, r = collar.mass * collar.arc, 0.5 * collar.diameter
    across = mass * (collar.arc**2 / 12.0 + 0.5 * r * r)
    wet = r * math.sqrt(collar.arc / collar.chord)  # displaces as much as the tube
    hull = AxisymmetricHull(
        kind="axisymmetric", axis=(1.0, 0.0, 0.0), profile=((-half, wet), (half, wet)),
        drag=HullDrag(normal=collar.drag), added_mass=HullAddedMass(normal=collar.added_mass),
    )  # fmt: skip
    held = {point: collar.nearest(place) for point, place in places.items()}
    bodies = {
        segment_name(name, i): Body(
            mass=mass, inertia=(mass * r * r, across, across), position=collar.middle(i),
            attitude=(0.0, 0.0, math.degrees(collar.heading(i)) + 90.0), hull=hull,
            attachments={"start": (-half, 0.0, 0.0), "end": (half, 0.0, 0.0),
                         **{point: place for point, (own, place) in held.items() if own == i}},
        )
        for i in range(n)
    }  # fmt: skip
    frame = ((math.cos(tilt), math.sin(tilt), 0.0), (-math.sin(tilt), math.cos(tilt), 0.0), (0.0, 0.0, 1.0))
    stiffness = (collar.twist / collar.arc, *[collar.bending_stiffness / collar.arc] * 2)
    links: dict[str, Link] = {}
    for i in range(n):
        between = (f"{segment_name(name, i)}.end", f"{segment_name(name, (i + 1) % n)}.start")
        links[segment_name(name, i)] = BallLink(kind="ball", between=between, stiffness=stiffness, frame=frame)
    for point, (i, _) in held.items():
        links[f"{name} {point}"] = BallLink(kind="ball", between=(f"{segment_name(name, i)}.{point}", point))
    return bodies, links
