"""How far the attitudes of bodies in two results are apart."""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.bodies import HULL_SPHERE
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix

UPRIGHT = np.array([0.0, 0.0, 1.0])
SHARE = 2.0  # rad, times the tolerance: what attitudes may differ by; heel answers to loads with about their share


def directions(model: Model, body: int) -> Array:
    """(n, 3) of a body's own frame: to its attachments, its centre of mass and its spheres; its vertical axis.

    The rotation of a body about an axis through all of them is arbitrary: a buoy on one line may have any yaw. A body
    made of spheres alone has no vertical axis of its own.
    """
    bodies, lines, links, nets = model.bodies, model.lines, model.links, model.nets
    here, joined = ((parts.end_kind == BODY) & (parts.end_index == body) for parts in (lines, links))
    hulls = bodies.hulls_of(body, windage=True)
    found = [lines.end_offset[here], links.offset[joined], nets.place[nets.body == body], bodies.hulls.place[hulls]]
    places = np.vstack([each.reshape(-1, 3) for each in (*found, bodies.centre[body])])
    lengths = np.linalg.norm(places, axis=1)
    is_ball = np.all(bodies.hulls.kind[hulls] == HULL_SPHERE) and not any(
        np.any(matrix[body]) for matrix in (bodies.stiffness, bodies.damping, bodies.quadratic, bodies.added_mass)
    )
    own = np.zeros((0, 3)) if is_ball else UPRIGHT[None]
    return np.vstack([own, places[lengths > 0.0] / lengths[lengths > 0.0, None]])


def apart(model: Model, one: Array, other: Array) -> float:
    """Largest angle between the same directions of the same body, rad.  one, other : (..., n_bodies, 4)"""
    most = 0.0
    for k in range(len(model.names.bodies)):
        own = directions(model, k).T
        for p, q in zip(one[..., k, :].reshape(-1, 4), other[..., k, :].reshape(-1, 4), strict=True):
            chords = np.linalg.norm((rotation_matrix(p) - rotation_matrix(q)) @ own, axis=0)
            most = max(most, 2.0 * float(np.arcsin(min(0.5 * chords.max(initial=0.0), 1.0))))
    return most
