"""Hulls of bodies: revolution, sphere, or none; and areas on which the wind acts."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from ropewalk.spec.base import Finite, NotNegative, Part, Positive, Vector, zero_as_mapping


class HullDrag(Part):
    """Drag coefficients of a hull by strips."""

    normal: NotNegative = 0.0
    """Coefficient across the axis, based on the diameter of each strip."""
    axial: NotNegative = 0.0
    """Coefficient along the axis, based on the largest section."""


class HullAddedMass(Part):
    """Added mass coefficients of a hull, multiples of the displaced mass."""

    normal: NotNegative = 0.0
    axial: NotNegative = 0.0


DEFAULT_DRAG = HullDrag(normal=1.0, axial=0.9)
"""Across, of a rough cylinder beyond the drag crisis, for which [DNVC205] gives 0.65 (smooth) to 1.05 (rough);
along, of a blunt one as long as it is thick, [Hoerner1965], ch. 3: 0.8 to 0.9 for lengths of one to four diameters."""
DEFAULT_ADDED_MASS = HullAddedMass(normal=1.0)
"""Across, of a cylinder in potential flow: [Lamb1932], art. 68. Along the axis `axial_added_mass` takes its place."""


class EndDisc(Part):
    """Drag and added mass along the axis of the disc that closes an end of a hull."""

    drag: NotNegative = 0.0
    """Drag coefficient based on pi r^2."""
    added_mass: NotNegative = 0.0
    """Multiple of the water in the half-sphere 2/3 pi r^3; a disc with water on one side has 2/pi = 0.64."""


class HullEnds(Part):
    """The discs that close a hull of revolution."""

    bottom: EndDisc = EndDisc()
    """End disc at the first entry of the profile."""
    top: EndDisc = EndDisc()
    """End disc at the last entry of the profile."""


class AxisymmetricHull(Part):
    """A hull of revolution about the body's z axis, or about another axis of the body."""

    kind: Literal["axisymmetric"]
    profile: Annotated[tuple[tuple[Finite, NotNegative], ...], Field(min_length=2)]
    """[z, radius] from the keel up, straight between the entries, m; both ends closed by discs."""
    position: Vector = (0.0, 0.0, 0.0)
    """Origin of the profile, in the body frame, m."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Direction of the z axis of the profile, in the body frame; its length does not matter."""
    drag: HullDrag = DEFAULT_DRAG
    """By default normal 1.0 and axial 0.9; 0 for none. Coefficients that a mapping omits are 0."""
    added_mass: HullAddedMass = DEFAULT_ADDED_MASS
    """By default normal 1.0, and axially that of the largest section as a disc with water on one side; 0 for none.
    Coefficients that a mapping omits are 0."""
    ends: HullEnds | None = None
    """Drag and added mass of the end discs, each at its own position and depth. They replace the axial defaults
    of `drag` and `added_mass`; axial coefficients that are given act in addition."""
    wind_drag: NotNegative = 1.0
    """Drag coefficient of the dry part, based on its diameter."""

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
        if not any(self.axis):
            raise ValueError("axis [0, 0, 0] has no direction; [0, 0, 1] is upright")
        if self.ends is not None and "drag" not in self.model_fields_set:
            keep_unset(self, "drag", HullDrag(normal=DEFAULT_DRAG.normal))
        return self


def axial_added_mass(hull: AxisymmetricHull, z: float) -> float:
    r"""Axial added mass of a hull that gives none, a multiple of the displaced mass.

    .. math:: C_a = \frac{4 a^3}{3 V}

    for the largest radius a under water and the volume V there, upright with the body's origin at z (m): half the added
    mass of a disc, for water on one side, and all of it for a hull that is under water whole. A hull in the air, or on
    its side, is taken as under water.  Source: added mass 8/3 rho a^3 of a disc, [Lamb1932], ch. 5.
    """
    is_upright = hull.axis[0] == hull.axis[1] == 0.0 and hull.axis[2] > 0.0
    z = z + hull.position[2] if is_upright else -hull.profile[-1][0] - 1.0  # on its side: under water
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
    """Drag coefficient based on the disc pi r^2; 0.5 is that of a sphere below the drag crisis, [Hoerner1965], ch.
    3."""
    added_mass: NotNegative = 0.5
    """Multiple of the displaced mass; 0.5 in potential flow."""
    wind_drag: NotNegative = 0.5


class NoHull(Part):
    """No hydrostatics: a platform with given matrices, or a body in air."""

    kind: Literal["none"]


def keep_unset(part: Part, name: str, value: Any) -> None:
    """Put a default that depends on other entries into a frozen part; only what was given counts as set in files."""
    given = set(part.model_fields_set)
    object.__setattr__(part, name, value)
    object.__setattr__(part, "__pydantic_fields_set__", given)


Displacing = AxisymmetricHull | SphereHull
"""Hulls that displace water."""


def with_added_mass(hull: Hull, z: float) -> Hull:
    """The hull with its axial added mass, if it gives none, for a body with its origin at z (m)."""
    if not isinstance(hull, AxisymmetricHull) or "added_mass" in hull.model_fields_set:
        return hull
    axial = axial_added_mass(hull, z) if hull.ends is None else 0.0
    made = hull.model_copy()
    keep_unset(made, "added_mass", HullAddedMass(normal=DEFAULT_ADDED_MASS.normal, axial=axial))
    return made


Hull = Annotated[Displacing | NoHull, Field(discriminator="kind")]


class Windage(Part):
    """An area that the wind acts on: mast, tower, house; the same from all sides, or one area for each direction."""

    area: Positive | Annotated[tuple[NotNegative, ...], Field(min_length=3, max_length=3)]
    """m2; or [Ax, Ay, Az], the areas that face wind along x, y and z of the body. In between, each force component is
    proportional to the wind speed times the wind component along that axis."""
    coefficient: NotNegative = 1.0
    """Drag coefficient, based on `area`."""
    position: Vector
    """Where the wind acts, in the body frame, m: its height determines the wind speed, its lever arm the moment. There
    is no force under water."""

    @model_validator(mode="after")
    def _meets_wind(self) -> Windage:
        if not any(self.areas):
            raise ValueError("area [0, 0, 0] m2 meets no wind; leave the windage out")
        return self

    @property
    def areas(self) -> tuple[float, ...]:
        """Areas across x, y and z of the body, m2."""
        return self.area if isinstance(self.area, tuple) else (self.area,) * 3


class DragArea(Part):
    """Drag in the water of what has no hull, or of what a hull leaves out: frames, fenders, appendages."""

    area: NotNegative | Annotated[tuple[NotNegative, ...], Field(min_length=3, max_length=3)] = 0.0
    """Coefficient times area, m2; or [x, y, z], those of the flow along x, y and z of the body. In between, as for
    `windage`."""
    turning: NotNegative | Annotated[tuple[NotNegative, ...], Field(min_length=3, max_length=3)] = 0.0
    """The same for rotation about x, y and z of the body, m5: the moment is half the density times it times the angular
    velocity squared."""
    position: Vector = (0.0, 0.0, 0.0)
    """Where the drag acts, in the body frame, m. There is no force above the surface; at the surface it is reduced to
    the wet fraction of a sphere whose section is the largest of the areas."""

    @model_validator(mode="after")
    def _meets_water(self) -> DragArea:
        if not any((*self.areas, *self.turnings)):
            raise ValueError("area and turning are 0, so there is no drag; leave it out")
        return self

    @property
    def areas(self) -> tuple[float, ...]:
        """By direction of the body, m2."""
        return self.area if isinstance(self.area, tuple) else (self.area,) * 3

    @property
    def turnings(self) -> tuple[float, ...]:
        """By axis of the body, m5."""
        return self.turning if isinstance(self.turning, tuple) else (self.turning,) * 3

    @property
    def radius(self) -> float:
        """Of the sphere that stands for it at the surface, m."""
        return max(math.sqrt(max(self.areas) / math.pi), max(self.turnings) ** 0.2)
