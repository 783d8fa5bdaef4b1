"""Rigid bodies about rest: wrench, stiffness, damping and inertia about the origin, world axes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_NONE, HULL_SPHERE
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix
from ropewalk.numerics.rotations import quaternion_conjugate, quaternion_exp, quaternion_log, quaternion_product
from ropewalk.physics import hydrostatics
from ropewalk.physics.current import current
from ropewalk.physics.hull_loads import RADIUS, STRIP_VOLUME, THICK, ZETA, cut_strips, sphere_share, wet_share
from ropewalk.physics.rigidbody import arm_matrix

UP = np.array([0.0, 0.0, 1.0])
DIFFERENCE = 1e-5  # m, rad: of the hull's drag, which is smooth over this


class Strips(NamedTuple):
    """A hull as discs on its axis, for what depends on the water's motion along it; a sphere is one ball.

    Strips and wet shares are those of the time domain, so that both have the same limit for small motions: a tilted
    hull feels waves by small differences of large moments, and finer strips on one side only would show in pitch.
    """

    arm: Array  # (n, 3) from the body's origin, world, m
    volume: Array  # (n,) under water, m3
    across: Array  # (n,) volume times a quarter of the radius squared, m5; of a ball none
    drag_normal: Array  # (n,) half density, coefficient and wet side area, kg/m
    drag_axial: Array  # (n,) the same of the largest wet section, shared by volume; of a ball none
    added: Array  # (n, 3, 3) kg


class Hull(NamedTuple):
    """A hull in still water."""

    cut: Array  # (SIZE,) of physics/hydrostatics.py
    axis: Array  # (3,) unit, world
    is_ball: bool
    strips: Strips


class BodyTerms(NamedTuple):
    """One body at rest."""

    wrench: Array  # (6,) N, N m
    K: Array  # (6, 6) stiffness
    B: Array  # (6, 6) given damping, and damping by mass
    M: Array  # (6, 6) inertia, added mass of hull and of the file
    drag: Array  # (6, 6) damping of the hull about the current, not in B
    hull: Hull


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


def _ball(model: Model, k: int, position: Array, R: Array) -> Strips:
    """The sphere of body k, all at its centre: pressure has no moment about it."""
    bodies, rho = model.bodies, model.sea.water_density
    arm, radius = R @ bodies.sphere[k, :3], float(bodies.sphere[k, 3])
    share = sphere_share(float(position[2] + arm[2]), radius)
    volume = 4.0 / 3.0 * np.pi * radius**3 * share
    drag = 0.5 * rho * bodies.drag_normal[k] * np.pi * radius**2 * share
    added = rho * volume * bodies.added_normal[k] * np.eye(3)
    return Strips(arm[None], np.array([volume]), np.zeros(1), np.array([drag]), np.zeros(1), added[None])


def _strips(model: Model, k: int, position: Array, R: Array) -> Strips:
    """Wet strips of the hull of revolution of body k."""
    bodies, rho = model.bodies, model.sea.water_density
    axis = R[:, 2]
    strip = cut_strips(bodies.profile[bodies.profile_start[k] : bodies.profile_start[k + 1]])
    height = position[2] + strip[:, ZETA] * axis[2]
    share = np.array(
        [wet_share(z, row[THICK], row[RADIUS], axis[2]) for z, row in zip(height, strip, strict=True)], dtype=float
    )
    strip, share = strip[share > 0.0], share[share > 0.0]
    volume = share * strip[:, STRIP_VOLUME]
    section = float(np.max(share * np.pi * strip[:, RADIUS] ** 2, initial=0.0))
    along = np.outer(axis, axis)
    coefficient = bodies.added_normal[k] * (np.eye(3) - along) + bodies.added_axial[k] * along
    return Strips(
        arm=strip[:, ZETA, None] * axis,
        volume=volume,
        across=0.25 * volume * strip[:, RADIUS] ** 2,
        drag_normal=rho * bodies.drag_normal[k] * share * strip[:, RADIUS] * strip[:, THICK],
        drag_axial=0.5 * rho * bodies.drag_axial[k] * section * volume / max(float(volume.sum()), 1e-300),
        added=rho * volume[:, None, None] * coefficient,
    )


def body_terms(model: Model, k: int, position: Array, quaternion: Array, mass_damping: float = 0.0) -> BodyTerms:
    """Everything of body k but its lines, at rest at a pose.

    Strips carry the added mass (coefficients times displaced mass), on the axis: what acts along it makes no moment
    about the origin, also where the hull is tilted and its centre of buoyancy lies beside the axis.
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
    kind = model.bodies.hull[k]
    if kind == HULL_NONE or cut[hydrostatics.VOLUME] <= 0.0:
        none = np.zeros(0)
        strips = Strips(np.zeros((0, 3)), none, none, none, none, np.zeros((0, 3, 3)))
    elif kind == HULL_SPHERE:
        strips = _ball(model, k, position, R)
    else:
        strips = _strips(model, k, position, R)
    return Hull(cut, R[:, 2].copy(), bool(kind == HULL_SPHERE), strips)


def hull_drag(model: Model, position: Array, hull: Hull) -> tuple[Array, Array]:
    """Wrench (6,) of the current on a hull at rest, and its slope (6, 6) by the body's velocity, N s/m."""
    sea, strips = model.sea, hull.strips
    profile = (sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth,
               sea.current_table)  # fmt: skip
    along = np.outer(hull.axis, hull.axis)
    across = np.eye(3) if hull.is_ball else np.eye(3) - along
    wrench, slope = np.zeros(6), np.zeros((6, 6))
    for arm, normal, axial in zip(strips.arm, strips.drag_normal, strips.drag_axial, strict=True):
        G, flow = arm_matrix(arm), np.array(current(float(position[2] + arm[2]), *profile))
        for projector, b in ((across, normal), (along, axial)):
            u = projector @ flow
            speed = float(np.linalg.norm(u))
            if speed > 0.0 and b > 0.0:
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
    G = arm_matrix(R @ bodies.centre[k])
    M: Array = bodies.mass[k] * G.T @ G
    M[3:, 3:] += R @ bodies.inertia[k] @ R.T
    return M


def given_added_mass(model: Model, k: int, R: Array) -> Array:
    """(6, 6) added mass that the file gives, in world axes."""
    turn = np.kron(np.eye(2), R)
    matrix: Array = turn @ model.bodies.added_mass[k] @ turn.T
    return matrix


def hull_added_mass(hull: Hull) -> Array:
    """(6, 6) added mass of the strips."""
    M: Array = np.zeros((6, 6))
    for arm, added in zip(hull.strips.arm, hull.strips.added, strict=True):
        G = arm_matrix(arm)
        M += G.T @ added @ G
    return M
