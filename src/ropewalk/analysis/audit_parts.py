"""Audit of points and bodies: every force on them summed again, joints by component, places that are prescribed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ropewalk.analysis.audit_lines import FORCE, GRIP, LENGTH, Finding, Scales, heights
from ropewalk.analysis.audit_loads import current_at, drag, lump_load
from ropewalk.loads.footing import end_radii, point_footings
from ropewalk.loads.hull import cut_strips
from ropewalk.model.arrays import Array
from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_NONE, HULL_SPHERE
from ropewalk.model.environment import bed_normals
from ropewalk.model.joints import HELD, LOOSE, SPRING
from ropewalk.model.lines import BODY, POINT
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix
from ropewalk.physics import hydrostatics
from ropewalk.physics.motion import motion
from ropewalk.physics.wind import EXPONENT, REFERENCE_HEIGHT

ON_BED = 1e-6  # of the depth: a point this near to the bed rests on it
FEET = 8  # round a hull, on which it stands on the bed
FOOT_SHARE = 0.25  # of the largest section of a hull, under each foot
BARE_FOOT = 1.0  # m2, of bodies without hull and volume
UP = np.array([0.0, 0.0, 1.0])


def check_points(model: Model, state: State, time: float, figures: Mapping[str, Any], scales: Scales) -> list[Finding]:
    """Balance of the free components of points, place of the held ones, and what they hold with."""
    points, sea = model.points, model.sea
    found: list[Finding] = []
    if not model.names.points:
        return found
    pulls = _pulls_on_points(model, state, figures)
    lumps = lump_load(sea, state.point_position, points.mass, points.volume, points.drag_area) + points.force
    pressed = _footings(model, state)
    home = _prescribed(model, time)
    longest = max(float(scales.length.max(initial=0.0)), 1e-3)
    with_net = {int(k) for k in model.nets.point if k >= 0}
    for k, name in enumerate(model.names.points):
        frame, joint = points.frame[k], points.joint[k]
        total = pulls[k] + lumps[k] + frame.T @ (points.axis_force[k] * (joint != HELD))
        scale = max(scales.force, float(np.abs(lumps[k]).max()), float(np.abs(points.axis_force[k]).max()))
        off = frame @ (state.point_position[k] - home[k])
        springs = points.axis_spring[k] * off * (joint == SPRING)
        scale = max(scale, float(np.abs(springs).max()))
        residual = frame @ total - springs
        limit = FORCE * scale
        if k in with_net:
            continue
        if np.any(joint != HELD):
            free = np.where(joint != HELD, residual, 0.0)
            value = _left_by_bed(model, state.point_position[k], frame.T @ free, limit, float(pressed[k]))
            found.append(Finding("force", f"point '{name}'", value, limit))
        if np.any(joint == HELD):
            miss = float(np.abs(np.where(joint == HELD, off, 0.0)).max())
            found.append(Finding("position", f"point '{name}'", miss, LENGTH * longest))
    return found


def _footings(model: Model, state: State) -> Array:
    """(n_points,) N, with which the bed presses on the points that stand on it: its law on the depth of each."""
    lines, sea = model.lines, model.sea
    push: Array = np.zeros(len(model.names.points))
    area = point_footings(model)
    if np.any(area):
        at = np.where(area > 0.0, lines.end_index, 0)
        depth = end_radii(model) - heights(sea, state.point_position)[at]
        np.add.at(push, at, sea.bed_stiffness * area * np.maximum(0.0, depth))
    return push


def _left_by_bed(model: Model, place: Array, force: Array, limit: float, pressed: float) -> float:
    """What is left of a force on a point after the bed has pushed up and held it, N.

    pressed : N, of its footing; a point that has none, or is laid on the bed by a method whose bed is rigid, is held up
    """
    sea = model.sea
    size = float(np.linalg.norm(force))
    touch = ON_BED * sea.depth + float(model.sections.contact_radius.max(initial=0.0))
    rigid = sea.has_seabed and abs(float(heights(sea, place))) <= touch
    if size <= limit or (pressed == 0.0 and not rigid):
        return size
    normal = bed_normals(sea, place)
    up = float(force @ normal)
    along = float(np.linalg.norm(force - up * normal))
    push = max(0.0, -up) if rigid else pressed
    return float(np.hypot(up + push, max(0.0, along - (1.0 + GRIP) * sea.bed_friction * push)))


def _pulls_on_points(model: Model, state: State, figures: Mapping[str, Any]) -> Array:
    """(n_points, 3) force of lines, pegs and links on points, N."""
    lines, links = model.lines, model.links
    pulls: Array = np.zeros((len(model.names.points), 3))
    for i, j in np.ndindex(lines.length.size, 2):
        if lines.end_kind[i, j] == POINT:
            pulls[lines.end_index[i, j]] += state.end_force[i, j]
    for i, name in enumerate(model.names.lines):
        for p, peg in zip(range(lines.over_start[i], lines.over_start[i + 1]),
                          figures.get("over", {}).get(name, ()), strict=False):  # fmt: skip
            if lines.over_kind[p] == POINT:
                pulls[lines.over_index[p]] += np.asarray(peg["force"], dtype=float)
    for i in range(len(links.names)):
        if links.end_kind[i, 1] == POINT and state.link_force.shape[0]:
            pulls[links.end_index[i, 1]] += state.link_force[i]
    return pulls


def _prescribed(model: Model, time: float) -> Array:
    """(n_points, 3) where points are held, m."""
    home = np.array(model.points.position)
    moved = np.zeros((3, 3))
    for k in np.flatnonzero(model.points.motion >= 0):
        motion(time, int(model.points.motion[k]), model.motions, moved)
        home[k] += moved[0]
    return home


def check_bodies(model: Model, state: State, time: float, figures: Mapping[str, Any], scales: Scales) -> list[Finding]:
    """Force and moment on every free body, place of the others."""
    bodies = model.bodies
    found: list[Finding] = []
    with_net = {int(k) for k in model.nets.body if k >= 0}
    longest = max(float(scales.length.max(initial=0.0)), 1.0)
    moved = np.zeros((3, 3))
    for k, name in enumerate(model.names.bodies):
        if bodies.joint[k] != LOOSE:
            motion(time, int(bodies.motion[k]), model.motions, moved)
            miss = float(np.linalg.norm(state.body_position[k] - bodies.position[k] - moved[0]))
            found.append(Finding("position", f"body '{name}'", miss, LENGTH * longest))
            continue
        if k in with_net:
            continue
        parts = _wrenches(model, state, figures, k)
        total = np.sum(parts, axis=0)
        force = max(scales.force, max(float(np.abs(part[:3]).max()) for part in parts))
        moment = max(max(float(np.abs(part[3:]).max()) for part in parts), force * _size(model, k))
        found.append(Finding("force", f"body '{name}'", float(np.linalg.norm(total[:3])), FORCE * force))
        turning = float(np.linalg.norm(total[3:])) * force / moment
        found.append(Finding("force", f"body '{name}', by its moment,", turning, FORCE * force))
    return found


def _size(model: Model, k: int) -> float:
    """A length of body k, m."""
    lines, bodies = model.lines, model.bodies
    own = (lines.end_kind == BODY) & (lines.end_index == k)
    arms = np.linalg.norm(lines.end_offset[own], axis=1)
    profile = bodies.profile[bodies.profile_start[k] : bodies.profile_start[k + 1]]
    return max(float(arms.max(initial=0.0)), float(np.abs(profile).max(initial=0.0)), float(bodies.sphere[k, 3]), 1e-3)


def at_arm(force: Array, arm: Array) -> Array:
    """(6,) force and moment about the origin."""
    return np.concatenate([force, np.cross(arm, force)])


def _wrenches(model: Model, state: State, figures: Mapping[str, Any], k: int) -> list[Array]:
    """Forces (N) and moments about the origin (N m) on body k, one row for each that acts."""
    bodies, sea, lines = model.bodies, model.sea, model.lines
    R = rotation_matrix(state.body_quaternion[k])
    x = state.body_position[k]
    parts = [at_arm(-bodies.mass[k] * sea.gravity * UP, R @ bodies.centre[k])]
    parts.append(at_arm(bodies.load_force[k], R @ bodies.load_at[k]))
    parts.append(np.concatenate([np.zeros(3), bodies.load_moment[k]]))
    for i, j in np.ndindex(lines.length.size, 2):
        if lines.end_kind[i, j] == BODY and lines.end_index[i, j] == k:
            parts.append(at_arm(state.end_force[i, j], R @ lines.end_offset[i, j]))
    for i, name in enumerate(model.names.lines):
        for p, peg in zip(range(lines.over_start[i], lines.over_start[i + 1]),
                          figures.get("over", {}).get(name, ()), strict=False):  # fmt: skip
            if lines.over_kind[p] == BODY and lines.over_index[p] == k:
                parts.append(at_arm(np.asarray(peg["force"], dtype=float), R @ lines.over_offset[p]))
    parts += _links(model, state, R, k)
    parts.append(_stiffness(model, state, k))
    parts.append(_buoyancy(model, R, x, k))
    parts.append(_flow(model, R, x, k))
    if sea.has_seabed:
        parts.append(_bed(model, R, x, k))
    return parts


def _links(model: Model, state: State, R: Array, k: int) -> list[Array]:
    links = model.links
    parts = []
    for i in range(len(links.names)):
        if not state.link_force.shape[0]:
            break
        force, moment = state.link_force[i], state.link_moment[i]
        ends = []
        for j in range(2):
            if links.end_kind[i, j] == BODY:
                b = int(links.end_index[i, j])
                turn = rotation_matrix(state.body_quaternion[b])
                ends.append(state.body_position[b] + turn @ links.offset[i, j])
            else:
                ends.append(state.point_position[links.end_index[i, j]])
        if links.end_kind[i, 1] == BODY and links.end_index[i, 1] == k:
            parts.append(at_arm(force, R @ links.offset[i, 1]) + np.concatenate([np.zeros(3), moment]))
        if links.end_kind[i, 0] == BODY and links.end_index[i, 0] == k:
            arm = ends[1] - state.body_position[k]
            parts.append(at_arm(-force, arm) - np.concatenate([np.zeros(3), moment]))
    return parts


def _stiffness(model: Model, state: State, k: int) -> Array:
    """The user's stiffness on the offset and the turn from home."""
    bodies = model.bodies
    K = bodies.stiffness[k]
    if not np.any(K):
        return np.zeros(6)
    w, x, y, z = _turn(state.body_quaternion[k], bodies.quaternion[k])
    sine = float(np.linalg.norm((x, y, z)))
    sign = 1.0 if w >= 0.0 else -1.0
    angle = 2.0 * np.arctan2(sine, abs(w))
    turn = sign * np.array([x, y, z]) * (angle / sine if sine > 0.0 else 2.0)
    return -K @ np.concatenate([state.body_position[k] - bodies.position[k], turn])


def _turn(now: Array, home: Array) -> Array:
    """Quaternion of the turn from one attitude to another, in the world."""
    a, b = now, home * np.array([1.0, -1.0, -1.0, -1.0])
    w = a[0] * b[0] - a[1:] @ b[1:]
    v = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.array([w, *v])


def _buoyancy(model: Model, R: Array, x: Array, k: int) -> Array:
    """Lift of the hull, or of the volume as a sphere about the origin."""
    bodies, sea = model.bodies, model.sea
    wrench, stiffness = np.zeros(6), np.zeros((6, 6))
    if sea.water_density == 0.0:
        return wrench
    if bodies.hull[k] == HULL_NONE:
        volume = bodies.volume[k : k + 1]
        return np.concatenate([lump_load(sea, x[None], np.zeros(1), volume, np.zeros(1))[0], np.zeros(3)])
    cut = np.zeros(hydrostatics.SIZE)
    if bodies.hull[k] == HULL_AXISYMMETRIC:
        profile = bodies.profile[bodies.profile_start[k] : bodies.profile_start[k + 1]]
        hydrostatics.axisymmetric(profile, np.ascontiguousarray(R[:, 2]), UP, float(x[2]), cut)
    else:
        hydrostatics.sphere(R @ bodies.sphere[k, :3], bodies.sphere[k, 3], UP, float(x[2]), cut)
    hydrostatics.buoyancy(cut, sea.water_density * sea.gravity, wrench, stiffness)
    return wrench


def _wind(model: Model, z: Array) -> Array:
    """(n, 3) velocity of the air at heights above the water, m/s."""
    sea = model.sea
    speed = sea.wind_speed * (np.maximum(z, 0.0) / REFERENCE_HEIGHT) ** EXPONENT
    return np.stack([speed * np.cos(sea.wind_heading), speed * np.sin(sea.wind_heading), np.zeros(z.size)], axis=1)


def _flow(model: Model, R: Array, x: Array, k: int) -> Array:
    """Drag of current and wind on the hull, by strips."""
    bodies, sea = model.bodies, model.sea
    wet_flow = sea.water_density > 0.0 and sea.current_speed > 0.0 and (bodies.drag_normal[k] or bodies.drag_axial[k])
    windy = sea.wind_speed > 0.0 and bodies.wind_drag[k] > 0.0
    if bodies.hull[k] == HULL_NONE or not (wet_flow or windy):
        return np.zeros(6)
    if bodies.hull[k] == HULL_SPHERE:
        return _flow_on_sphere(model, R, x, k)
    axis = R[:, 2]
    strips = cut_strips(bodies.profile[bodies.profile_start[k] : bodies.profile_start[k + 1]])
    zeta, thick, radius, volume = strips.zeta, strips.thick, strips.radius, strips.volume
    place = x + np.outer(zeta, axis)
    reach = abs(axis[2]) * thick + 2.0 * radius * np.sqrt(max(0.0, 1.0 - axis[2] ** 2))
    wet = np.clip(0.5 - place[:, 2] / reach, 0.0, 1.0) * (sea.water_density > 0.0)
    width = 2.0 * radius * thick
    tangent = np.tile(axis, (zeta.size, 1))
    force = np.zeros((zeta.size, 3))
    displaced = float(np.sum(wet * volume))
    if wet_flow and displaced > 0.0:
        disc = float(np.max(wet * np.pi * radius**2))
        along = bodies.drag_axial[k] * disc * wet * volume / displaced
        force += drag(current_at(sea, place[:, 2]), tangent, bodies.drag_normal[k] * width * wet, along,
                      sea.water_density)  # fmt: skip
    if windy:
        force += _air(model, bodies.wind_drag[k]) * drag(
            _wind(model, place[:, 2]), tangent, width * (1.0 - wet), np.zeros(zeta.size), 2.0
        )
    return np.concatenate([force.sum(axis=0), np.cross(np.outer(zeta, axis), force).sum(axis=0)])


def _air(model: Model, coefficient: float) -> float:
    """Half the density of air times the coefficient, kg/m3."""
    return 0.5 * model.sea.air_density * float(coefficient)


def _flow_on_sphere(model: Model, R: Array, x: Array, k: int) -> Array:
    bodies, sea = model.bodies, model.sea
    arm, radius = R @ bodies.sphere[k, :3], float(bodies.sphere[k, 3])
    height = float(x[2] + arm[2])
    h = min(2.0, max(0.0, (radius - height) / radius))
    wet = 0.25 * h * h * (3.0 - h) if sea.water_density > 0.0 else 0.0
    disc, force = np.pi * radius**2, np.zeros(3)
    if wet > 0.0:
        flat = min(radius, max(-radius, height))  # centroid of the wet cap below the centre
        volume = np.pi / 3.0 * (radius - flat) ** 2 * (2.0 * radius + flat)
        down = 0.25 * np.pi * (radius**2 - flat**2) ** 2 / volume
        u = current_at(sea, np.array([height - down]))[0]
        force += 0.5 * sea.water_density * bodies.drag_normal[k] * disc * wet * float(np.linalg.norm(u)) * u
    if wet < 1.0 and bodies.wind_drag[k] > 0.0:
        u = _wind(model, np.array([height]))[0]
        force += _air(model, bodies.wind_drag[k]) * disc * (1.0 - wet) * float(np.linalg.norm(u)) * u
    return at_arm(force, arm)


def _bed(model: Model, R: Array, x: Array, k: int) -> Array:
    """Pressure of the bed on the feet of a body: rings of its profile, a sphere, or its origin."""
    bodies, sea = model.bodies, model.sea
    if bodies.hull[k] == HULL_SPHERE:
        feet, radius = bodies.sphere[k : k + 1, :3], float(bodies.sphere[k, 3])
        area = np.pi * radius**2
    elif bodies.hull[k] == HULL_AXISYMMETRIC:
        profile = bodies.profile[bodies.profile_start[k] : bodies.profile_start[k + 1]]
        angle = 2.0 * np.pi * np.arange(FEET) / FEET
        rings = [[r * np.cos(a), r * np.sin(a), z] for z, r in profile for a in (angle if r > 0.0 else angle[:1])]
        feet, radius = np.array(rings), 0.0
        area = FOOT_SHARE * np.pi * float(profile[:, 1].max()) ** 2
    else:
        feet, radius = np.zeros((1, 3)), 0.0
        area = np.pi * (0.75 * float(bodies.volume[k]) / np.pi) ** (2.0 / 3.0) or BARE_FOOT
    arm = feet @ R.T
    arm = arm - radius * bed_normals(sea, x + arm)
    depth = np.maximum(0.0, -heights(sea, x + arm))
    force = (sea.bed_stiffness * area * depth)[:, None] * bed_normals(sea, x + arm)
    return np.concatenate([force.sum(axis=0), np.cross(arm, force).sum(axis=0)])
