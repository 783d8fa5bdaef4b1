"""Rigid bodies about rest: wrench, stiffness, damping and inertia about the origin, world axes."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_NONE, HULL_SPHERE
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix
from ropewalk.numerics.rotations import quaternion_conjugate, quaternion_exp, quaternion_log, quaternion_product
from ropewalk.physics import hydrostatics
from ropewalk.physics.current import current

UP = np.array([0.0, 0.0, 1.0])
DIFFERENCE = 1e-5  # m, rad: of the hull's drag, which is smooth over this
STRIPS = 40  # per straight stretch of a profile: a cut cone's added mass is then good to 1e-4


class Strips(NamedTuple):
    """A hull as discs on its axis, for what depends on the water's motion along it."""

    arm: Array  # (n, 3) from the body's origin, world, m
    volume: Array  # (n,) under water, m3
    normal: Array  # (n, 3, 3) projector across the axis
    drag_normal: Array  # (n,) half density, coefficient and wet side area, kg/m
    added_normal: Array  # (n,) kg


class Hull(NamedTuple):
    """A hull in still water."""

    cut: Array  # (SIZE,) of physics/hydrostatics.py
    axis: Array  # (3,) unit, world
    strips: Strips
    added_axial: float  # kg
    drag_axial: float  # half density, coefficient and area, kg/m
    middle: Array  # (3,) arm where the axial forces act, m


class BodyTerms(NamedTuple):
    """One body at rest."""

    wrench: Array  # (6,) N, N m
    K: Array  # (6, 6) stiffness
    B: Array  # (6, 6) given damping, and damping by mass
    M: Array  # (6, 6) inertia, added mass of hull and of the file
    drag: Array  # (6, 6) damping of the hull about the current, not in B
    hull: Hull


def skew(a: Array) -> Array:
    """(3, 3) matrix of the cross product a x."""
    matrix: Array = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    return matrix


def reach(arm: Array) -> Array:
    """(3, 6) velocity of the place at `arm` by the body's velocity and angular velocity."""
    return np.hstack([np.eye(3), -skew(arm)])


def cut_hull(model: Model, k: int, position: Array, R: Array) -> Array:
    """Cut of the hull of body k by still water."""
    bodies = model.bodies
    cut: Array = np.zeros(hydrostatics.SIZE)
    if bodies.hull[k] == HULL_AXISYMMETRIC:
        profile = bodies.profile[bodies.profile_start[k] : bodies.profile_start[k + 1]]
        hydrostatics.axisymmetric(profile, np.ascontiguousarray(R[:, 2]), UP, float(position[2]), cut)
    elif bodies.hull[k] == HULL_SPHERE:
        hydrostatics.sphere(R @ bodies.sphere[k, :3], bodies.sphere[k, 3], UP, float(position[2]), cut)
    return cut


def _disc(height: Array, radius: Array, sine: float) -> tuple[Array, Array]:
    """Wet area (m2) and wet height (m) of discs, centre `height` above water, tilted by the angle of `sine`."""
    u = np.where(sine * radius > 0.0, -height / np.maximum(sine * radius, 1e-300), -np.sign(height) * np.inf)
    u = np.clip(u, -1.0, 1.0)
    phi = np.arccos(-u)
    area = radius**2 * (phi + u * np.sqrt(1.0 - u * u))
    return area, radius * (1.0 + u)


def _strips(model: Model, k: int, position: Array, R: Array, cut: Array) -> tuple[Strips, float]:
    """Strips of the hull and its largest wet section (m2)."""
    bodies, rho = model.bodies, model.sea.water_density
    axis = R[:, 2]
    across = np.eye(3) - np.outer(axis, axis)
    empty = Strips(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3, 3)), np.zeros(0), np.zeros(0))
    if bodies.hull[k] == HULL_NONE or cut[hydrostatics.VOLUME] <= 0.0:
        return empty, 0.0
    if bodies.hull[k] == HULL_SPHERE:
        whole = float(cut[hydrostatics.VOLUME])
        disc = np.pi * float(bodies.sphere[k, 3]) ** 2
        share = whole / (4.0 / 3.0 * disc * float(bodies.sphere[k, 3]))
        drag = 0.5 * rho * bodies.drag_normal[k] * disc * share
        added = rho * whole * bodies.added_normal[k]
        arm = cut[hydrostatics.MOMENT : hydrostatics.MOMENT + 3] / whole
        strips = Strips(arm[None], np.array([whole]), np.eye(3)[None], np.array([drag]), np.array([added]))
        return strips, 0.0
    profile = bodies.profile[bodies.profile_start[k] : bodies.profile_start[k + 1]]
    pieces = [(a, b) for a, b in pairwise(profile) if b[0] > a[0]]
    zeta = np.concatenate([np.linspace(a[0], b[0], 2 * STRIPS + 1)[1::2] for a, b in pieces])
    radius = np.concatenate([np.linspace(a[1], b[1], 2 * STRIPS + 1)[1::2] for a, b in pieces])
    thick = np.repeat([(b[0] - a[0]) / STRIPS for a, b in pieces], STRIPS)
    area, height = _disc(position[2] + zeta * axis[2], radius, float(np.sqrt(max(0.0, 1.0 - axis[2] ** 2))))
    volume = area * thick
    volume *= cut[hydrostatics.VOLUME] / max(float(volume.sum()), 1e-300)
    wet = volume > 0.0
    strips = Strips(
        arm=zeta[wet, None] * axis,
        volume=volume[wet],
        normal=np.repeat(across[None], int(wet.sum()), axis=0),
        drag_normal=0.5 * rho * bodies.drag_normal[k] * (height * thick)[wet],
        added_normal=rho * bodies.added_normal[k] * volume[wet],
    )
    return strips, float(np.max(area))


def body_terms(model: Model, k: int, position: Array, quaternion: Array, mass_damping: float = 0.0) -> BodyTerms:
    """Everything of body k but its lines, at rest at a pose.

    Strips carry the added mass across the axis (coefficient times displaced mass); along the axis it acts at the
    centre of buoyancy, where on an axis of revolution it makes no moment.
    """
    bodies, sea = model.bodies, model.sea
    R = rotation_matrix(quaternion)
    wrench, K = np.zeros(6), np.zeros((6, 6))
    hydrostatics.weight(-bodies.mass[k] * sea.gravity * UP, R @ bodies.centre[k], wrench, K)
    cut = cut_hull(model, k, position, R)
    hydrostatics.buoyancy(cut, sea.water_density * sea.gravity, wrench, K)
    wrench[2] += sea.water_density * sea.gravity * bodies.volume[k]
    hydrostatics.weight(bodies.load_force[k].copy(), R @ bodies.load_at[k], wrench, K)
    wrench[3:] += bodies.load_moment[k]
    turn = quaternion_log(quaternion_product(quaternion, quaternion_conjugate(bodies.quaternion[k])))
    wrench -= bodies.stiffness[k] @ np.concatenate([position - bodies.position[k], turn])
    K += bodies.stiffness[k]
    hull = _hull(model, k, position, R, cut)
    drag = np.zeros((6, 6))
    if sea.current_speed > 0.0 and hull.strips.volume.size:
        force, drag = hull_drag(model, position, hull)
        wrench += force
        K += _drag_stiffness(model, k, position, quaternion)
    own = body_inertia(model, k, R)
    M = own + given_added_mass(model, k, R) + hull_added_mass(hull)
    return BodyTerms(wrench, K, bodies.damping[k] + mass_damping * own, M, drag, hull)


def _hull(model: Model, k: int, position: Array, R: Array, cut: Array) -> Hull:
    bodies, rho = model.bodies, model.sea.water_density
    strips, section = _strips(model, k, position, R, cut)
    volume = float(cut[hydrostatics.VOLUME])
    is_sphere = bodies.hull[k] == HULL_SPHERE
    return Hull(
        cut=cut,
        axis=R[:, 2].copy(),
        strips=strips,
        added_axial=0.0 if is_sphere else rho * volume * float(bodies.added_axial[k]),
        drag_axial=0.5 * rho * float(bodies.drag_axial[k]) * section,
        middle=cut[hydrostatics.MOMENT : hydrostatics.MOMENT + 3] / volume if volume > 0.0 else np.zeros(3),
    )


def hull_drag(model: Model, position: Array, hull: Hull) -> tuple[Array, Array]:
    """Wrench (6,) of the current on a hull at rest, and its slope (6, 6) by the body's velocity, N s/m."""
    sea, strips = model.sea, hull.strips
    profile = (sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth,
               sea.current_table)  # fmt: skip
    along = np.outer(hull.axis, hull.axis)
    parts = [*zip(strips.arm, strips.normal, strips.drag_normal, strict=True), (hull.middle, along, hull.drag_axial)]
    wrench, slope = np.zeros(6), np.zeros((6, 6))
    for arm, projector, b in parts:
        u = projector @ np.array(current(float(position[2] + arm[2]), *profile))
        speed = float(np.linalg.norm(u))
        if speed > 0.0 and b > 0.0:
            G = reach(arm)
            wrench += b * speed * G.T @ u
            slope += G.T @ (b * (speed * projector + np.outer(u, u) / speed)) @ G
    return wrench, slope


def _drag_stiffness(model: Model, k: int, position: Array, quaternion: Array) -> Array:
    """(6, 6) minus the derivative of the current's wrench by the pose: differences, strips and cut included."""
    K: Array = np.zeros((6, 6))
    for j in range(6):
        ends = []
        for sign in (1.0, -1.0):
            step = np.zeros(6)
            step[j] = sign * DIFFERENCE
            place = position + step[:3]
            R = rotation_matrix(quaternion_product(quaternion_exp(step[3:]), quaternion))
            ends.append(hull_drag(model, place, _hull(model, k, place, R, cut_hull(model, k, place, R)))[0])
        K[:, j] = -(ends[0] - ends[1]) / (2.0 * DIFFERENCE)
    return K


def body_inertia(model: Model, k: int, R: Array) -> Array:
    """(6, 6) inertia of the body itself about its origin in world axes."""
    bodies = model.bodies
    G = reach(R @ bodies.centre[k])
    M: Array = bodies.mass[k] * G.T @ G
    M[3:, 3:] += R @ bodies.inertia[k] @ R.T
    return M


def given_added_mass(model: Model, k: int, R: Array) -> Array:
    """(6, 6) added mass that the file gives, in world axes."""
    turn = np.kron(np.eye(2), R)
    matrix: Array = turn @ model.bodies.added_mass[k] @ turn.T
    return matrix


def hull_added_mass(hull: Hull) -> Array:
    """(6, 6) added mass of the strips and along the axis."""
    M: Array = np.zeros((6, 6))
    for arm, projector, added in zip(hull.strips.arm, hull.strips.normal, hull.strips.added_normal, strict=True):
        G = reach(arm)
        M += added * G.T @ projector @ G
    along = hull.axis @ reach(hull.middle)
    return M + hull.added_axial * np.outer(along, along)
