"""Rigid bodies: mass, inertia, hull, attachments."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from ropewalk.spec.base import Finite, Matrix6, NotNegative, Part, Positive, Vector, zero_as_mapping
from ropewalk.spec.in_time import VectorValue
from ropewalk.spec.joints import BodyJoint, Motion, check_motion

Inertia = Annotated[tuple[Finite, ...], Field(min_length=3, max_length=6)]
TRIANGLE_SLACK = 1e-9  # relative room for round-off in Ixx + Iyy >= Izz


class HullDrag(Part):
    """Drag coefficients of a hull by strips."""

    normal: NotNegative = 0.0
    """Across the axis, on the diameter of each strip."""
    axial: NotNegative = 0.0
    """Along the axis, on the largest section."""


class HullAddedMass(Part):
    """Added mass coefficients of a hull, multiples of the displaced mass."""

    normal: NotNegative = 0.0
    axial: NotNegative = 0.0


DEFAULT_DRAG = HullDrag(normal=1.0, axial=0.9)
"""Across, of a rough cylinder beyond the drag crisis, for which [DNVC205] gives 0.65 (smooth) to 1.05 (rough);
along, of a blunt one as long as it is thick, [Hoerner1965], ch. 3: 0.8 to 0.9 for lengths of one to four diameters."""
DEFAULT_ADDED_MASS = HullAddedMass(normal=1.0)
"""Across, of a cylinder in potential flow: [Lamb1932], art. 68. Along the axis `axial_added_mass` takes its place."""


class AxisymmetricHull(Part):
    """A hull of revolution about the body's z axis."""

    kind: Literal["axisymmetric"]
    profile: Annotated[tuple[tuple[Finite, NotNegative], ...], Field(min_length=2)]
    """[z, radius] from the keel up, straight between the entries, m; both ends closed by discs."""
    drag: HullDrag = DEFAULT_DRAG
    """Without it normal 1.0 and axial 0.9 act; 0 for none. What a mapping leaves out is 0."""
    added_mass: HullAddedMass = DEFAULT_ADDED_MASS
    """Without it normal 1.0 acts, and axially that of the largest section as a disc with water on one side; 0 for none.
    What a mapping leaves out is 0."""
    wind_drag: NotNegative = 1.0
    """Of the dry part, on its diameter."""

    @field_validator("drag", "added_mass", mode="before")
    @classmethod
    def _zero_is_none(cls, value: Any) -> Any:
        return zero_as_mapping(value)

    @model_validator(mode="after")
    def _rises(self) -> AxisymmetricHull:
        for (z0, _), (z1, _) in pairwise(self.profile):
            if z1 < z0:
                raise ValueError(f"the profile folds back at z = {z1} m; z must not fall from entry to entry")
        if self.profile[0][0] == self.profile[-1][0] or all(r == 0.0 for _, r in self.profile):
            raise ValueError("the profile encloses no volume")
        return self


def axial_added_mass(hull: AxisymmetricHull, z: float) -> float:
    r"""Axial added mass of a hull that gives none, a multiple of the displaced mass.

    .. math:: C_a = \frac{4 a^3}{3 V}

    for the largest radius a under water and the volume V there, upright with the origin at z (m): half the added mass
    of a disc, for water on one side, and all of it for a hull that is under water whole. A hull in the air is taken as
    under water.  Source: added mass 8/3 rho a^3 of a disc, [Lamb1932], ch. 5.
    """
    low, high = hull.profile[0][0] + z, hull.profile[-1][0] + z
    top = 0.0 if low < 0.0 <= high else high
    volume, widest = 0.0, 0.0
    for (z0, r0), (z1, r1) in pairwise(hull.profile):
        if z0 + z >= top:
            continue
        wet = min(1.0, (top - z0 - z) / (z1 - z0)) if z1 > z0 else 1.0
        r = r0 + wet * (r1 - r0)
        volume += math.pi / 3.0 * wet * (z1 - z0) * (r0 * r0 + r0 * r + r * r)
        widest = max(widest, r0, r)
    sides = 1.0 if top == 0.0 else 2.0
    return sides * 4.0 * widest**3 / (3.0 * volume) if volume > 0.0 else 0.0


class SphereHull(Part):
    """A sphere."""

    kind: Literal["sphere"]
    radius: Positive
    centre: Vector = (0.0, 0.0, 0.0)
    drag: NotNegative = 0.5
    """On the disc pi r^2; 0.5 is that of a sphere below the drag crisis, [Hoerner1965], ch. 3."""
    added_mass: NotNegative = 0.5
    """Multiple of the displaced mass; potential flow says 0.5."""
    wind_drag: NotNegative = 0.5


class NoHull(Part):
    """No hydrostatics: a platform with given matrices, or a body in air."""

    kind: Literal["none"]


Hull = Annotated[AxisymmetricHull | SphereHull | NoHull, Field(discriminator="kind")]


class PointMass(Part):
    """A mass on a body, beside its `mass`."""

    mass: NotNegative
    position: Vector
    """In the body frame, m."""


class BodyLoads(Part):
    """Given loads in world directions."""

    force: VectorValue = (0.0, 0.0, 0.0)
    """N; may change in time"""
    moment: VectorValue = (0.0, 0.0, 0.0)
    """N m, about the body's origin; may change in time"""
    at: Vector = (0.0, 0.0, 0.0)
    """Where the force acts, in the body frame, m."""


class Body(Part):
    """A rigid body."""

    mass: NotNegative
    """kg"""
    inertia: Inertia | None = None
    """About the centre of mass: [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], kg m2."""
    centre_of_mass: Vector = (0.0, 0.0, 0.0)
    """In the body frame, m."""
    point_masses: tuple[PointMass, ...] = ()
    position: Vector
    """Of the body's origin, m; the first guess of a free body."""
    attitude: Vector = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw in degrees: about x, then y, then z of the world."""
    joint: BodyJoint = "free"
    motion: Motion | None = None
    hull: Hull = NoHull(kind="none")
    volume: NotNegative = 0.0
    """Displaced volume of a body without a hull, always submerged, acting at its origin, m3."""
    attachments: dict[str, Vector] = {}
    """Where lines are fastened, in the body frame, m."""
    loads: BodyLoads = BodyLoads()
    stiffness: Matrix6 | None = None
    """Linear stiffness about `position` in the world (x, y, z, roll, pitch, yaw); N/m, N, N m."""
    damping: Matrix6 | None = None
    """Linear damping in the world frame."""
    added_mass: Matrix6 | None = None
    """In the body frame, kg, kg m, kg m2, beside that of the hull."""

    @model_validator(mode="after")
    def _physical(self) -> Body:
        check_motion(self.joint, self.motion)
        if self.inertia is not None:
            check_inertia(self.inertia)
        if self.volume > 0.0 and self.hull.kind != "none":
            raise ValueError("volume is for a body without a hull; the hull displaces its own")
        if isinstance(self.hull, AxisymmetricHull) and "added_mass" not in self.hull.model_fields_set:
            added = HullAddedMass(normal=DEFAULT_ADDED_MASS.normal, axial=axial_added_mass(self.hull, self.position[2]))
            hull = self.hull.model_copy(update={"added_mass": added})
            # only what was said counts as set, so that files keep it so
            object.__setattr__(hull, "__pydantic_fields_set__", set(self.hull.model_fields_set))
            object.__setattr__(self, "hull", hull)
        return self


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
