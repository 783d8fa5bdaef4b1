"""Arrays of rigid bodies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints, floats, ints, offsets
from ropewalk.model.in_time import steady_vector
from ropewalk.model.joints import FIXED, LOOSE, MOVING, MotionBook
from ropewalk.spec import bodies as spec

HULL_NONE, HULL_AXISYMMETRIC, HULL_SPHERE = 0, 1, 2

_JOINTS = {"fixed": FIXED, "free": LOOSE, "moving": MOVING, "coupled": MOVING}


class Bodies(NamedTuple):
    """Rigid bodies; vectors in the body frame unless said otherwise."""

    position: Array  # (n, 3) of the origin, world, m
    quaternion: Array  # (n, 4) scalar first, body to world
    joint: Ints  # (n,) FIXED, LOOSE or MOVING
    motion: Ints  # (n,) index into Motions, -1 for none
    mass: Array  # (n,) point masses included, kg
    centre: Array  # (n, 3) of mass, point masses included, m
    inertia: Array  # (n, 3, 3) about the centre of mass, kg m2
    volume: Array  # (n,) of bodies without a hull, m3
    hull: Ints  # (n,) HULL_NONE, HULL_AXISYMMETRIC or HULL_SPHERE
    profile_start: Ints  # (n + 1,)
    profile: Array  # (m, 2) z, radius of axisymmetric hulls, m
    sphere: Array  # (n, 4) centre, radius, m
    drag_normal: Array  # (n,)
    drag_axial: Array  # (n,) a sphere has its one coefficient in both
    added_normal: Array  # (n,)
    added_axial: Array  # (n,)
    wind_drag: Array  # (n,)
    load_force: Array  # (n, 3) world, N
    load_moment: Array  # (n, 3) world, about the origin, N m
    load_at: Array  # (n, 3) m
    stiffness: Array  # (n, 6, 6) world, about `position`
    damping: Array  # (n, 6, 6) world
    added_mass: Array  # (n, 6, 6)


def build_bodies(bodies: Mapping[str, spec.Body], motions: MotionBook) -> Bodies:
    """Arrays of all bodies, in the order of the file."""
    parts = list(bodies.values())
    masses = [_mass(body) for body in parts]
    profiles = [body.hull.profile if isinstance(body.hull, spec.AxisymmetricHull) else () for body in parts]
    hulls = [_hull(body.hull) for body in parts]
    zero6 = np.zeros((6, 6))
    return Bodies(
        position=floats([b.position for b in parts], (-1, 3)),
        quaternion=floats([quaternion_of(b.attitude) for b in parts], (-1, 4)),
        joint=ints([_JOINTS[b.joint] for b in parts]),
        motion=ints([motions.add(b.motion, b.joint) for b in parts]),
        mass=floats([m for m, _, _ in masses]),
        centre=floats([c for _, c, _ in masses], (-1, 3)),
        inertia=floats([i for _, _, i in masses], (-1, 3, 3)),
        volume=floats([b.volume for b in parts]),
        hull=ints([h[0] for h in hulls]),
        profile_start=offsets([len(p) for p in profiles]),
        profile=floats([row for p in profiles for row in p], (-1, 2)),
        sphere=floats([h[1] for h in hulls], (-1, 4)),
        drag_normal=floats([h[2] for h in hulls]),
        drag_axial=floats([h[3] for h in hulls]),
        added_normal=floats([h[4] for h in hulls]),
        added_axial=floats([h[5] for h in hulls]),
        wind_drag=floats([h[6] for h in hulls]),
        load_force=floats([steady_vector(b.loads.force) for b in parts], (-1, 3)),
        load_moment=floats([steady_vector(b.loads.moment) for b in parts], (-1, 3)),
        load_at=floats([b.loads.at for b in parts], (-1, 3)),
        stiffness=floats([zero6 if b.stiffness is None else b.stiffness for b in parts], (-1, 6, 6)),
        damping=floats([zero6 if b.damping is None else b.damping for b in parts], (-1, 6, 6)),
        added_mass=floats([zero6 if b.added_mass is None else b.added_mass for b in parts], (-1, 6, 6)),
    )


def quaternion_of(attitude: tuple[float, float, float]) -> Array:
    """Quaternion of roll, pitch, yaw in degrees: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = (0.5 * math.radians(angle) for angle in attitude)
    cr, sr, cp, sp, cy, sy = (
        math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch), math.cos(yaw), math.sin(yaw),
    )  # fmt: skip
    quaternion: Array = np.array(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    )
    return quaternion


def _hull(hull: spec.Hull) -> tuple[int, tuple[float, ...], float, float, float, float, float]:
    if isinstance(hull, spec.SphereHull):
        sphere = (*hull.centre, hull.radius)
        return HULL_SPHERE, sphere, hull.drag, hull.drag, hull.added_mass, hull.added_mass, hull.wind_drag
    none = (0.0, 0.0, 0.0, 0.0)
    if isinstance(hull, spec.AxisymmetricHull):
        drag, added = hull.drag, hull.added_mass
        return HULL_AXISYMMETRIC, none, drag.normal, drag.axial, added.normal, added.axial, hull.wind_drag
    return HULL_NONE, none, 0.0, 0.0, 0.0, 0.0, 0.0


def _mass(body: spec.Body) -> tuple[float, Array, Array]:
    """Mass, centre and inertia about it, of the body with its point masses."""
    xx, yy, zz, xy, xz, yz = (*(body.inertia or (0.0, 0.0, 0.0)), 0.0, 0.0, 0.0)[:6]
    parts = [(body.mass, np.array(body.centre_of_mass), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))]
    parts += [(p.mass, np.array(p.position), np.zeros((3, 3))) for p in body.point_masses]
    total = sum(m for m, _, _ in parts)
    if total == 0.0:
        return 0.0, np.array(body.centre_of_mass), parts[0][2]
    centre: Array = np.sum([m * c for m, c, _ in parts], axis=0) / total
    inertia: Array = np.zeros((3, 3))
    for m, c, own in parts:
        d = c - centre
        inertia += own + m * (np.dot(d, d) * np.eye(3) - np.outer(d, d))
    return total, centre, inertia
