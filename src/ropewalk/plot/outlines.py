"""Outlines of hulls in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.model.bodies import hull_rings

if TYPE_CHECKING:
    from ropewalk.spec.hulls import Displacing

Numbers = np.ndarray[Any, Any]
END_ON = 0.1  # sine of the angle between axis and line of sight, below which a hull is drawn as a circle
AROUND = 73  # places on a circle


def hull_outline(hull: Displacing, R: Numbers, plane: Numbers) -> Numbers:
    """(n, 3) closed outline of a hull from its body's origin, in the world, as seen across a plane, m.

    R : (3, 3) attitude of the body    plane : (2, 3) unit vectors of the picture
    """
    turn = np.linspace(0.0, 2.0 * np.pi, AROUND)[:, None]
    circle: Numbers = np.cos(turn) * plane[0] + np.sin(turn) * plane[1]
    if hull.kind == "sphere":
        ball: Numbers = R @ np.array(hull.centre) + hull.radius * circle
        return ball
    if hull.kind != "axisymmetric":
        return _silhouette(hull_rings(hull, AROUND).reshape(-1, 3) @ R.T, plane)
    z, r = np.array(hull.profile).T
    axis, place = R @ np.array(hull.axis) / np.linalg.norm(hull.axis), R @ np.array(hull.position)
    sideways = np.cross(axis, np.cross(plane[0], plane[1]))
    length = float(np.linalg.norm(sideways))
    if length < END_ON:
        ring: Numbers = place + float(r.max()) * circle
        return ring
    height, radius = np.concatenate([z, z[::-1], z[:1]]), np.concatenate([r, -r[::-1], r[:1]])
    outline: Numbers = place + height[:, None] * axis + radius[:, None] * sideways / length
    return outline


def _silhouette(places: Numbers, plane: Numbers) -> Numbers:
    """Closed convex outline (n, 3) of places (m, 3) as seen across a plane."""
    from scipy.spatial import ConvexHull

    corners = ConvexHull(places @ plane.T).vertices
    outline: Numbers = places[[*corners, corners[0]]]
    return outline
