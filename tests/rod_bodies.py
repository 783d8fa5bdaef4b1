"""Rods that several tests float, and a triangulated body cut by the water plane to hold them against."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from ropewalk.model.rods import RodFields, RodModel, discretise, places, section_outline
from ropewalk.physics.rod_hydrostatics import hydrostatics
from ropewalk.physics.rod_integrals import Integrals
from ropewalk.physics.rod_shape import ELLIPSE, RECTANGLE, section_factors

GRAVITY = 9.81
FRESH = 1000.0  # kg/m3

HELIX_SECTION = 0.015  # m, radius of the section
HELIX_BASE, HELIX_PITCH, HELIX_HEIGHT = 0.015, 0.035, 0.050  # m
HELIX_CONE = np.radians(43.0)
HELIX_DENSITY = 257.5  # kg/m3


def uniform_fields(
    length: float,
    a: float,
    b: float,
    density: float,
    kappa: tuple[float, float, float] = (0, 0, 0),
    section: int = ELLIPSE,
) -> RodFields:
    """A rod of constant section, density and curvature."""
    full, square = section_factors(section)
    masses = density * full * a * b * np.array([1.0, square * a * a, square * b * b])
    return RodFields(
        length,
        lambda s: np.tile(np.array(kappa, dtype=float), (s.size, 1)),
        lambda s: (np.full_like(s, a), np.full_like(s, b), np.zeros_like(s), np.zeros_like(s)),
        lambda s: np.tile(masses, (s.size, 1)),
        section=section,
    )


def helix_fields(density: float = HELIX_DENSITY) -> RodFields:
    """Conical helix of Herault 2020, sec. 5.1, with the base radius and cone angle that give the printed length."""
    rise = HELIX_PITCH / (2 * np.pi)
    grow = rise * np.tan(HELIX_CONE)
    last = HELIX_HEIGHT / rise

    def derivatives(phi: np.ndarray) -> tuple[np.ndarray, ...]:
        r, c, s, zero = HELIX_BASE + grow * phi, np.cos(phi), np.sin(phi), np.zeros_like(phi)
        first = np.stack([grow * c - r * s, grow * s + r * c, zero + rise], -1)
        second = np.stack([-2 * grow * s - r * c, 2 * grow * c - r * s, zero], -1)
        third = np.stack([-3 * grow * c + r * s, -3 * grow * s - r * c, zero], -1)
        return first, second, third

    speed = chebyshev.Chebyshev.interpolate(
        lambda phi: np.linalg.norm(derivatives(phi)[0], axis=-1), 60, domain=[0, last]
    )
    arc = speed.integ(lbnd=0)

    def kappa(s: np.ndarray) -> np.ndarray:
        phi = s / arc(last) * last
        for _ in range(30):
            phi = phi - (arc(phi) - s) / speed(phi)
        first, second, third = derivatives(phi)
        normal = np.cross(first, second)
        square = np.sum(normal**2, axis=-1)
        bend = np.sqrt(square) / np.linalg.norm(first, axis=-1) ** 3
        return np.stack([np.sum(normal * third, axis=-1) / square, np.zeros_like(s), bend], -1)

    plain = uniform_fields(float(arc(last)), HELIX_SECTION, HELIX_SECTION, density)
    return RodFields(plain.length, kappa, plain.sections, plain.line_mass)


def twisted_fields(n: int, density: float = 500.0) -> RodFields:
    """Herault's stack of n elliptical discs, each turned by -18 degrees against the one before."""
    thick, a, b, angle = 0.008, 0.02, 0.03, -np.pi / 10
    plain = uniform_fields(n * thick, a, b, density)
    jumps = {k * thick: (angle, 0.0, 0.0) for k in range(1, n)}
    return RodFields(plain.length, plain.kappa, plain.sections, plain.line_mass, jumps=jumps)


def snake_fields(density: float = 400.0) -> RodFields:
    """An S-shaped rod out of its plane: bending that changes sign, with torsion, elliptical and tapered."""
    length, a, b = 1.0, 0.05, 0.04

    def kappa(s: np.ndarray) -> np.ndarray:
        return np.stack([0.8 + 0 * s, 3.0 * np.cos(np.pi * s), 8.0 * np.sin(2 * np.pi * s)], -1)

    def sections(s: np.ndarray) -> tuple[np.ndarray, ...]:
        return a * (1 - 0.3 * s), b * (1 + 0.2 * s), np.full_like(s, -0.3 * a), np.full_like(s, 0.2 * b)

    def line_mass(s: np.ndarray) -> np.ndarray:
        p, q, _, _ = sections(s)
        return density * np.pi * (p * q)[:, None] * np.stack([0 * s + 1, p**2 / 4, q**2 / 4], -1)

    return RodFields(length, kappa, sections, line_mass)


def boxed(fields: RodFields) -> RodFields:
    """The same rod with rectangles around its ellipses, of the same density."""
    round_mass = fields.line_mass
    to_box = 4 / np.pi * np.array([1.0, 4 / 3, 4 / 3])
    return replace(fields, section=RECTANGLE, line_mass=lambda s: to_box * round_mass(s))


def build(fields: RodFields, **options: Any) -> RodModel:
    return discretise(fields, **{"gravity": GRAVITY, "water_density": FRESH, **options})


def directions(n: int, seed: int = 0) -> np.ndarray:
    """n random unit vectors."""
    v = np.random.default_rng(seed).normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1)[:, None]


def surface(rod: RodModel, along: int, around: int) -> np.ndarray:
    """Triangles (k, 3, 3) of the rod's surface with its end faces, in head axes, normals outward."""
    rows = places(rod, np.linspace(0, rod.length, along + 1))
    # scaled so that the polygon has the area of the ellipse
    swell = 1.0 if rod.panels.section == RECTANGLE else np.sqrt(2 * np.pi / around / np.sin(2 * np.pi / around))
    outline = swell * section_outline(rod, rows, around + 1)[:, :-1]
    ring = rows["position"][:, None] + outline[:, :, :1] * rows["t2"][:, None] + outline[:, :, 1:] * rows["t3"][:, None]
    triangles = []
    after = np.roll(np.arange(around), -1)
    for low, high in pairwise(ring):
        triangles += [np.stack([low, low[after], high[after]], 1), np.stack([low, high[after], high], 1)]
    for face, centre, turn in ((ring[0], rows[0].position, -1), (ring[-1], rows[-1].position, 1)):
        fan = np.stack([np.broadcast_to(centre, face.shape), face, face[after]], 1)
        triangles.append(fan[:, ::turn])
    outward = np.concatenate(triangles)
    return outward[:, ::-1] if closed_volume(outward) < 0 else outward


def flat(found: Integrals) -> np.ndarray:
    """All numbers of the integrals in a row: volume, moment, area, its moment, its second moment."""
    return np.concatenate([np.ravel(part) for part in found])


def against_mesh(rod: RodModel, up: np.ndarray, coarse: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wet volume and moment over length with the centre of mass in the surface: exact, by a mesh, and extrapolated."""
    z = -float(up @ rod.centre)
    acc = hydrostatics(rod.panels, z, up)
    exact = np.array([acc.volume, *acc.moment / rod.length])
    wet = (wet_part(surface(rod, n, n // 2), z, up) for n in (coarse, 2 * coarse))
    rough, fine = (np.array([volume, *moment / rod.length]) for volume, moment in wet)
    return exact, rough, (4 * fine - rough) / 3


def closed_volume(triangles: np.ndarray) -> float:
    return float(np.einsum("ki,ki->", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2]))) / 6


def wet_part(triangles: np.ndarray, z: float, up: np.ndarray) -> tuple[float, np.ndarray]:
    """Volume and first moment below the plane z + up.x = 0 of a closed triangulated body.

    By the divergence theorem with the depth as integrand, which vanishes on the waterplane, so that no lid is needed.
    """
    pieces = []
    height = z + triangles @ up
    for corners, h in zip(triangles, height, strict=True):
        polygon = []
        for i in range(3):
            j = (i + 1) % 3
            if h[i] <= 0:
                polygon.append(corners[i])
            if (h[i] < 0) != (h[j] < 0):
                polygon.append(corners[i] + h[i] / (h[i] - h[j]) * (corners[j] - corners[i]))
        pieces += [(polygon[0], polygon[k], polygon[k + 1]) for k in range(1, len(polygon) - 1)]
    t = np.array(pieces)
    normal = 0.5 * np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]) @ up  # vertical part of the area vector
    h = z + t @ up
    mean = h.mean(axis=1)
    volume = float(np.sum(normal * mean))
    # integral of x h over a triangle: area/12 (sum x_i sum h_i + sum x_i h_i); the vertical part counts half
    xh = (t.sum(axis=1) * h.sum(axis=1)[:, None] + np.einsum("kic,ki->kc", t, h)) / 12
    moment = np.sum(normal[:, None] * xh, axis=0)
    hh = (h.sum(axis=1) ** 2 + np.sum(h * h, axis=1)) / 12
    vertical = float(np.sum(normal * hh)) / 2 - z * volume
    return volume, moment - up * (moment @ up) + up * vertical
