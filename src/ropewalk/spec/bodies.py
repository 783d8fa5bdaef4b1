"""Rigid bodies: mass, inertia, hull, attachments."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field, model_validator

from ropewalk.spec.base import Finite, Matrix6, NotNegative, Part, Vector
from ropewalk.spec.foils import Foil
from ropewalk.spec.hulls import (
    Displacing,
    DragArea,
    Hull,
    NoHull,
    Windage,
    keep_unset,
    with_added_mass,
)
from ropewalk.spec.in_time import VectorValue
from ropewalk.spec.joints import BodyJoint, Motion, check_motion

Inertia = Annotated[tuple[Finite, ...], Field(min_length=3, max_length=6)]
TRIANGLE_SLACK = 1e-9  # relative room for round-off in Ixx + Iyy >= Izz


class PointMass(Part):
    """A mass on a body, in addition to its `mass`."""

    mass: NotNegative
    position: Vector
    """In the body frame, m."""


class BodyLoads(Part):
    """Applied loads, in world axes."""

    force: VectorValue = (0.0, 0.0, 0.0)
    """N; may vary in time"""
    moment: VectorValue = (0.0, 0.0, 0.0)
    """N m, about the body's origin; may vary in time"""
    at: Vector = (0.0, 0.0, 0.0)
    """Where the force acts, in the body frame, m."""


class Body(Part):
    """A rigid body."""

    mass: NotNegative
    """kg"""
    inertia: Inertia | None = None
    """Moments of inertia about the centre of mass: [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], kg m2."""
    centre_of_mass: Vector = (0.0, 0.0, 0.0)
    """In the body frame, m."""
    point_masses: tuple[PointMass, ...] = ()
    position: Vector
    """Position of the body's origin, m; the first guess for a free body."""
    attitude: Vector = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw in degrees: about x, then y, then z of the world."""
    joint: BodyJoint = "free"
    motion: Motion | None = None
    hull: Hull = NoHull(kind="none")
    hulls: tuple[Hull, ...] = ()
    """Several hulls in place of `hull`: columns, pontoons, floats. Water displaced by two of them is counted twice."""
    windage: tuple[Windage, ...] = ()
    """Areas on which the wind acts, in addition to the dry parts of hulls."""
    drag_areas: tuple[DragArea, ...] = ()
    """Drag in the water in addition to that of hulls, given by drag areas."""
    foils: tuple[Foil, ...] = ()
    """Surfaces with lift and drag by angle of attack: trawl doors, depressors, fins."""
    volume: NotNegative = 0.0
    """Displaced volume of a body without a hull, a sphere about its origin, m3."""
    attachments: dict[str, Vector] = {}
    """Where lines are fastened, in the body frame, m."""
    loads: BodyLoads = BodyLoads()
    stiffness: Matrix6 | None = None
    """Linear stiffness about `position` in the world (x, y, z, roll, pitch, yaw); N/m, N, N m."""
    damping: Matrix6 | None = None
    """Linear damping in the world frame."""
    quadratic_damping: Matrix6 | None = None
    """Quadratic damping in the world frame: force i is minus the sum of B_ij |v_j| v_j over translations and rotations
    j; N s2/m2, N m s2."""
    added_mass: Matrix6 | None = None
    """Added mass in the body frame, in addition to that of the hull; kg, kg m, kg m2."""

    @model_validator(mode="after")
    def _physical(self) -> Body:
        check_motion(self.joint, self.motion)
        if self.inertia is not None:
            check_inertia(self.inertia)
        if self.volume > 0.0 and self.all_hulls:
            raise ValueError("volume is for a body without a hull; the hull displaces its own")
        if self.hulls and self.hull.kind != "none":
            raise ValueError("hull is for one hull and hulls for several; give one of them")
        if any(hull.kind == "none" for hull in self.hulls):
            raise ValueError("hulls cannot contain a hull of kind none; leave it out")
        keep_unset(self, "hull", with_added_mass(self.hull, self.position[2]))
        keep_unset(self, "hulls", tuple(with_added_mass(hull, self.position[2]) for hull in self.hulls))
        return self

    @property
    def all_hulls(self) -> tuple[Displacing, ...]:
        """The hull or the hulls, without those of kind none."""
        return tuple(hull for hull in (self.hull, *self.hulls) if not isinstance(hull, NoHull))


def check_inertia(inertia: tuple[float, ...]) -> None:
    """The principal moments of a real body are not negative and obey the triangle rule."""
    if len(inertia) not in (3, 6):
        raise ValueError("inertia takes three principal moments or six entries Ixx, Iyy, Izz, Ixy, Ixz, Iyz")
    xx, yy, zz, xy, xz, yz = (*inertia, 0.0, 0.0, 0.0)[:6]
    moments = _symmetric_eigenvalues(xx, yy, zz, xy, xz, yz)
    small, middle, large = sorted(moments)
    room = TRIANGLE_SLACK * max(abs(large), abs(small))
    if small < -room:
        raise ValueError(f"inertia has the negative principal moment {small:.6g} kg m2")
    if small + middle < large - room:
        raise ValueError(
            f"no body has the principal moments {small:.6g}, {middle:.6g}, {large:.6g} kg m2: "
            "the largest cannot exceed the sum of the others"
        )


def _symmetric_eigenvalues(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> list[float]:
    """Eigenvalues of a symmetric 3 x 3 matrix in closed form (trigonometric)."""
    off = xy * xy + xz * xz + yz * yz
    if off == 0.0:
        return [xx, yy, zz]
    q = (xx + yy + zz) / 3.0
    p = math.sqrt(((xx - q) ** 2 + (yy - q) ** 2 + (zz - q) ** 2 + 2.0 * off) / 6.0)
    a, b, c, d, e, f = ((xx - q) / p, (yy - q) / p, (zz - q) / p, xy / p, xz / p, yz / p)
    half_det = 0.5 * (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e))
    angle = math.acos(min(1.0, max(-1.0, half_det))) / 3.0
    return [q + 2.0 * p * math.cos(angle + k * 2.0 * math.pi / 3.0) for k in range(3)]
