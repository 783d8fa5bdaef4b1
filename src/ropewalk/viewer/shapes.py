"""Surfaces as triangles: hulls of revolution, spheres, boxes, rods."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ropewalk.viewer.packing import packed

if TYPE_CHECKING:
    from ropewalk.model.rods import RodModel
    from ropewalk.spec.bodies import Body
    from ropewalk.spec.hulls import Displacing

Array = NDArray[Any]

AROUND = 48  # facets of a circle: 0.2 % of the radius between chord and arc
RINGS = 24  # of a sphere from pole to pole
ROD_ALONG, ROD_AROUND = 240, 40  # facets of a rod
SHARP = 1e-9  # m; a facet shorter than this has no direction
GLYPH = 0.5  # of the distance of the attachments: half size of a box that stands for a body without a hull


@dataclass(frozen=True)
class Shape:
    """Triangles with a normal at each corner."""

    vertices: Array  # (n, 3) m
    normals: Array  # (n, 3) unit, outwards
    triangles: Array  # (m, 3) corners, counter-clockwise from outside

    def moved(self, position: Array, rotation: Array) -> Shape:
        """The same, turned by a (3, 3) rotation, then shifted."""
        return Shape(self.vertices @ rotation.T + position, self.normals @ rotation.T, self.triangles)

    def shifted(self, by: Array) -> Shape:
        """The same at another place."""
        return Shape(self.vertices + by, self.normals, self.triangles)

    @property
    def volume(self) -> float:
        """Enclosed by the triangles, m3."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        return float(np.sum(np.einsum("ij,ij->i", a, np.cross(b, c))) / 6.0)

    def to_json(self) -> dict[str, Any]:
        """Plain data for the page."""
        return {
            "vertices": packed(self.vertices),
            "normals": packed(self.normals),
            "triangles": packed(self.triangles, "i4"),
        }


def joined(shapes: list[Shape]) -> Shape:
    """Several shapes as one."""
    first = np.concatenate([[0], np.cumsum([len(shape.vertices) for shape in shapes])])
    return Shape(
        np.concatenate([shape.vertices for shape in shapes]),
        np.concatenate([shape.normals for shape in shapes]),
        np.concatenate([shape.triangles + start for shape, start in zip(shapes, first, strict=False)]),
    )


def strip(rows: Array, normals: Array, *, closed: bool = True) -> Shape:
    """A surface of (k, n, 3) points, closed around the second axis by default; later rows lie further up the axis."""
    k, n = rows.shape[:2]
    i, j = np.meshgrid(np.arange(k - 1), np.arange(n if closed else n - 1), indexing="ij")
    a, b = i * n + j, i * n + (j + 1) % n
    c, d = a + n, b + n
    triangles = np.concatenate([np.stack([a, b, d], -1).reshape(-1, 3), np.stack([a, d, c], -1).reshape(-1, 3)])
    return Shape(rows.reshape(-1, 3), normals.reshape(-1, 3), triangles)


def revolution(profile: Array) -> Shape:
    """The surface of a hull: (k, 2) z and radius from the keel up, turned about z, ends closed by discs."""
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    circle = np.stack([np.cos(angle), np.sin(angle), np.zeros(AROUND)], -1)
    up = np.array([0.0, 0.0, 1.0])
    closed = [(profile[0, 0], 0.0), *map(tuple, profile), (profile[-1, 0], 0.0)]
    parts = []
    for (z0, r0), (z1, r1) in pairwise(closed):  # each its own corners: edges of a hull are sharp
        slant = np.hypot(z1 - z0, r1 - r0)
        if slant < SHARP:
            continue
        rows = np.stack([r0 * circle + z0 * up, r1 * circle + z1 * up])
        normal = ((z1 - z0) * circle - (r1 - r0) * up) / slant
        parts.append(strip(rows, np.stack([normal, normal])))
    return joined(parts)


def sphere(radius: float, centre: Array) -> Shape:
    """A ball."""
    turn, rise = 2.0 * np.pi * np.arange(AROUND) / AROUND, np.linspace(-0.5 * np.pi, 0.5 * np.pi, RINGS + 1)
    normals = np.stack(
        [
            np.cos(rise)[:, None] * np.cos(turn),
            np.cos(rise)[:, None] * np.sin(turn),
            np.sin(rise)[:, None] * np.ones(AROUND),
        ],
        -1,
    )
    return strip(centre + radius * normals, normals)


def skin(rings: Array) -> Shape:
    """A smooth surface over sections (k, n, 3) from the keel up, ends closed."""
    ends = np.broadcast_to(rings[[0, -1]].mean(axis=1, keepdims=True), (2, *rings.shape[1:]))
    rows = np.concatenate([ends[:1], rings, ends[1:]])
    normals = np.cross(np.roll(rings, -1, axis=1) - np.roll(rings, 1, axis=1), np.gradient(rings, axis=0))
    up = np.broadcast_to(ends[1] - ends[0], ends.shape) * np.array([-1.0, 1.0])[:, None, None]
    normals = np.concatenate([up[:1], normals, up[1:]])
    return strip(rows, normals / np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), SHARP))


def box(low: Array, high: Array) -> Shape:
    """A box along the axes."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    parts = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal, u, v = (np.zeros(3) for _ in range(3))
            normal[axis] = sign
            u[(axis + 1) % 3], v[(axis + 2) % 3] = sign, 1.0
            corners = np.array([normal - u - v, normal + u - v, normal + u + v, normal - u + v])
            parts.append(
                Shape(middle + half * corners, np.repeat(normal[None], 4, 0), np.array([[0, 1, 2], [0, 2, 3]]))
            )
    return joined(parts)


def _one_hull(hull: Displacing) -> Shape:
    from ropewalk.model.bodies import hull_frame, hull_rings

    if hull.kind == "sphere":
        return sphere(hull.radius, np.array(hull.centre))
    if hull.kind != "axisymmetric":
        return skin(hull_rings(hull, AROUND))
    shape, turn = revolution(np.array(hull.profile)), hull_frame(hull.axis)
    return Shape(shape.vertices @ turn.T + np.array(hull.position), shape.normals @ turn.T, shape.triangles)


def hull(body: Body, size: float) -> Shape:
    """Surface of a body's hulls in its own frame; a box where the file gives none.

    size : m, half an edge of that box where the attachments do not tell one
    """
    if body.all_hulls:
        return joined([_one_hull(own) for own in body.all_hulls])
    eyes = np.array([*body.attachments.values(), (0.0, 0.0, 0.0)])
    half = np.maximum(GLYPH * np.ptp(eyes, axis=0), 0.2 * max(float(np.max(np.ptp(eyes, axis=0))), 0.0))
    half = np.where(half > 0.0, half, size)
    middle = 0.5 * (eyes.min(axis=0) + eyes.max(axis=0))
    return box(middle - half, middle + half)


def rod_surface(rod: RodModel, along: int = ROD_ALONG, around: int = ROD_AROUND) -> Shape:
    """Surface of a rod in head axes: elliptical or rectangular sections across its centreline, ends closed."""
    from ropewalk.model.rods import places
    from ropewalk.physics.rod_shape import RECTANGLE

    rows = places(rod, np.linspace(0.0, rod.length, along + 1))
    middle, t2, t3 = (rows[name][:, None] for name in ("position", "t2", "t3"))
    a, b = rows["a"][:, None, None], rows["b"][:, None, None]
    if rod.panels.section == RECTANGLE:
        corner = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]])[None, :, :, None]
        rim = middle + a * corner[:, :, 0] * t2 + b * corner[:, :, 1] * t3
        faces = [(rim[:, [k, (k + 1) % 4]], n) for k, n in enumerate((t2, t3, -t2, -t3))]
        parts = [strip(face, np.broadcast_to(n, face.shape), closed=False) for face, n in faces]
    else:
        angle = 2.0 * np.pi * np.arange(around) / around
        cosine, sine = np.cos(angle)[None, :, None], np.sin(angle)[None, :, None]
        rim = middle + a * cosine * t2 + b * sine * t3
        normal = b * cosine * t2 + a * sine * t3
        parts = [strip(rim, normal / np.linalg.norm(normal, axis=2, keepdims=True))]
    for end, sign in ((0, -1.0), (-1, 1.0)):
        axis = sign * np.cross(t2[end, 0], t3[end, 0])
        centre = np.broadcast_to(middle[end], rim[end].shape)
        disc = np.stack([centre, rim[end]] if sign < 0.0 else [rim[end], centre])
        parts.append(strip(disc, np.broadcast_to(axis, disc.shape)))
    return joined(parts)
