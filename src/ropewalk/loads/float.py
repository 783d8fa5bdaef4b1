"""Sphere at the water surface: the part of it that is wet."""

from __future__ import annotations

import math

from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED
from ropewalk.numerics.compile import kernel

PER_VOLUME = 0.75 / math.pi  # cube of a sphere's radius per volume


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def radius_of(volume):
    """Radius (m) of the sphere of a volume (m3): R = (3 V / 4 pi)^(1/3). Source: volume of a sphere."""
    return (PER_VOLUME * volume) ** (1.0 / 3.0)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def wet_sphere(height, radius):
    r"""Share of a sphere's volume that is under water, and its derivative by the height of its centre (1/m).

    Source: volume of a spherical cap, docs/theory/hydrostatics.md, Small tilt.

    .. math:: w = \tfrac14 h^2 (3 - h), \qquad h = \frac{R - z}{R} \in [0, 2]

    A sphere without extent is wet up to the surface and dry above it.

    height : of the centre above the surface, m    radius : m
    """
    if height <= -radius:
        return 1.0, 0.0
    if height >= radius:
        return 0.0, 0.0
    h = (radius - height) / radius  # submerged height over radius, 0 to 2
    return 0.25 * h * h * (3.0 - h), -0.75 * h * (2.0 - h) / radius


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def steepest(volume):
    """Largest change of a sphere's wet volume with height, m2: pi R^2 = 3 V / 4 R. Source: :func:`wet_sphere`."""
    return 0.75 * volume / radius_of(volume)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def cap_depth(height, radius):
    r"""Distance (m) from the centre of a sphere down to the centroid of its wet part.

    Source: first moment over volume of a spherical cap, docs/theory/hydrostatics.md, Small tilt.

    .. math:: \frac34 R\, \frac{(1 + x)^2}{2 + x}, \qquad x = z/R \in [-1, 1]

    height : of the centre above the surface, m    radius : m
    """
    h = min(1.0, max(-1.0, height / radius))
    return 0.75 * radius * (1.0 + h) ** 2 / (2.0 + h)


def wet_way(height: float, radius: float) -> float:
    r"""Way (m) up to dry air, each part of it by the share of the sphere that is wet there: the energy over the lift.

    .. math:: \int_z^R w\,dz = \tfrac{R}{16} h^3 (4 - h), \qquad h = \frac{R - z}{R} \in [0, 2]

    Source: integral of :func:`wet_sphere`.
    """
    h = min(2.0, max(0.0, (radius - height) / radius)) if radius > 0.0 else 0.0
    return max(0.0, -radius - height) + radius * h**3 * (4.0 - h) / 16.0
