"""Audit of hulls, windage and drag areas, foils: lift, current, wind and the bed, summed again in plain numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ropewalk.analysis.audit_lines import heights
from ropewalk.analysis.audit_loads import at_arm, current_on, drag, lump_load
from ropewalk.loads.cut import cut_hull
from ropewalk.loads.strips import cut_strips, shape_records
from ropewalk.model.arrays import Array, records
from ropewalk.model.bodies import HULL_DRAG, HULL_FOIL, HULL_SPHERE, HULL_WINDAGE, LAST_AREA, Hulls
from ropewalk.model.environment import bed_normals, is_grid
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix
from ropewalk.physics import hydrostatics
from ropewalk.physics.wind import EXPONENT, REFERENCE_HEIGHT

FOOT_SHARE = 0.25  # of the largest section of a hull, under each foot
BARE_FOOT = 1.0  # m2, of bodies without hull and volume


def volume_wrench(model: Model, x: Array, k: int) -> Array:
    """(6,) lift of the volume of body k, a sphere about its origin x (m), N, N m."""
    volume = model.bodies.volume[k : k + 1]
    return np.concatenate([lump_load(model, x[None], np.zeros(1), volume, np.zeros(1))[0], np.zeros(3)])


def hull_wrenches(model: Model, R: Array, x: Array, h: int) -> list[Array]:
    """Forces (N) and moments about the body's origin (N m) on hull, area or foil h: lift, current and wind."""
    hulls, flow = model.bodies.hulls, flow_wrench(model, R, x, h)
    if hulls.kind[h] <= LAST_AREA:
        return [flow]
    e = R @ hulls.place[h]
    return [_about_origin(_buoyancy(model, R, x + e, h), e), flow]


def flow_wrench(model: Model, R: Array, x: Array, h: int) -> Array:
    """(6,) force (N) and moment about the body's origin (N m) of current and wind on hull, area or foil h."""
    kind, e = model.bodies.hulls.kind[h], R @ model.bodies.hulls.place[h]
    if kind == HULL_SPHERE:
        return _about_origin(_flow_on_sphere(model, x + e, h), e)
    on = {HULL_WINDAGE: _wind_on_area, HULL_DRAG: _flow_on_area, HULL_FOIL: _flow_on_foil}.get(kind, _flow)
    return _about_origin(on(model, R, x + e, h), e)


def flow_wrenches(model: Model, position: Array, quaternion: Array) -> Array:
    """(n_bodies, 6) force (N) and moment (N m) of current and wind on free bodies, about their origins."""
    bodies, found = model.bodies, np.zeros((len(position), 6))
    for k in np.flatnonzero(bodies.joint == LOOSE):
        R = rotation_matrix(quaternion[k])
        for h in range(int(bodies.hull_start[k]), int(bodies.hull_start[k + 1])):
            found[k] += flow_wrench(model, R, position[k], h)
    return found


def _about_origin(wrench: Array, e: Array) -> Array:
    """A wrench about the place of a hull, at the arm e (m) from the origin, as one about the origin."""
    result = at_arm(wrench[:3], e)
    result[3:] += wrench[3:]
    return result


def _buoyancy(model: Model, R: Array, x: Array, h: int) -> Array:
    """Lift of a hull at x (m), about it."""
    hulls, sea = model.bodies.hulls, model.sea
    wrench, stiffness, cut = np.zeros(6), np.zeros((6, 6)), records(1, hydrostatics.CUT)
    if sea.water_density == 0.0:
        return wrench
    cut_hull(shape_records(hulls)[h], tuple(R.ravel().tolist()), (0.0, 0.0, 1.0), float(x[2]), hulls.profile, cut)
    hydrostatics.buoyancy(cut, sea.water_density * sea.gravity, wrench, stiffness)
    return wrench


def _wind(model: Model, z: Array) -> Array:
    """(n, 3) velocity of the air at heights above the water, m/s."""
    sea = model.sea
    speed = sea.wind_speed * (np.maximum(z, 0.0) / REFERENCE_HEIGHT) ** EXPONENT
    return np.stack([speed * np.cos(sea.wind_heading), speed * np.sin(sea.wind_heading), np.zeros(z.size)], axis=1)


def _air(model: Model, h: int) -> float:
    """Half the density of air times the coefficient, kg/m3."""
    return 0.5 * model.sea.air_density * float(model.bodies.hulls.wind_drag[h])


def _wind_on_area(model: Model, R: Array, x: Array, h: int) -> Array:
    """Force of the wind on a windage area at x (m), about it."""
    u = R.T @ _wind(model, x[2:3])[0]
    force = _air(model, h) * float(np.linalg.norm(u)) * R @ (model.bodies.hulls.areas[h] * u)
    return np.concatenate([force, np.zeros(3)])


def _flow_on_area(model: Model, R: Array, x: Array, h: int) -> Array:
    """Force of the current on a drag area at x (m), about it; the wet share is that of a sphere, by its cap."""
    hulls, sea = model.bodies.hulls, model.sea
    if sea.current_speed == 0.0 or sea.water_density == 0.0:
        return np.zeros(6)
    deep = float(np.clip((hulls.radius[h] - x[2]) / (2.0 * hulls.radius[h]), 0.0, 1.0))
    u = R.T @ current_on(model, x[None])[0]
    pressure = 0.5 * sea.water_density * deep**2 * (3.0 - 2.0 * deep) * float(np.linalg.norm(u))
    return np.concatenate([pressure * R @ (hulls.areas[h] * u), np.zeros(3)])


def _flow_on_foil(model: Model, R: Array, x: Array, h: int) -> Array:
    """Lift, drag and pitching moment of the current on a foil at x (m), about it: along and across the flow."""
    hulls, sea = model.bodies.hulls, model.sea
    ahead, side = R @ hulls.axis[h], R @ hulls.normal[h]
    span, chord = np.cross(ahead, side), float(hulls.chord[h])
    reach = abs(ahead[2]) * chord + float(hulls.area[h]) / chord * np.sqrt(max(0.0, 1.0 - ahead[2] ** 2))
    wet = float(np.clip(0.5 - x[2] / reach, 0.0, 1.0)) * (sea.water_density > 0.0)
    if wet == 0.0 or sea.current_speed == 0.0:
        return np.zeros(6)
    u = current_on(model, x[None])[0]
    u = u - (u @ span) * span
    speed = float(np.linalg.norm(u))
    if speed == 0.0:
        return np.zeros(6)
    rows = hulls.foil[hulls.foil_start[h] : hulls.foil_start[h + 1]]
    angle = float(np.arctan2(u @ side, -(u @ ahead)))
    i = int(np.clip(np.searchsorted(rows["angle"], angle, side="right") - 1, 0, rows.size - 2))
    lift, drag_along, moment = (
        np.polyval(rows[name][i], angle - rows["angle"][i]) for name in ("lift", "drag", "moment")
    )
    pressure = 0.5 * sea.water_density * wet * speed**2 * float(hulls.area[h])
    along = u / speed
    force = pressure * (drag_along * along + lift * np.cross(along, span))
    return np.concatenate([force, pressure * chord * moment * span])


def _flow(model: Model, R: Array, x: Array, h: int) -> Array:
    """Drag of current and wind on a hull of revolution at x (m), by strips and end discs, about it."""
    hulls, sea, axis = model.bodies.hulls, model.sea, R @ model.bodies.hulls.axis[h]
    in_current = sea.water_density > 0.0 and sea.current_speed > 0.0
    in_wind = sea.wind_speed > 0.0 and hulls.wind_drag[h] > 0.0
    if not (in_current or in_wind):
        return np.zeros(6)
    profile = hulls.shape(h)
    # half the height of the hull, and of the longest ramp over which a strip of it may get wet
    slope, wide = abs(float(axis[2])), float(profile[:, 1].max())
    far = slope * (float(np.abs(profile[:, 0]).max()) + 0.5 * float(np.ptp(profile[:, 0]))) + wide
    flows = in_current and x[2] < far
    blows = in_wind and (sea.water_density == 0.0 or x[2] > -far)
    if not (flows or blows):
        return np.zeros(6)
    zeta, thick, radius, volume, discs, ramp = _slices(profile.tobytes(), hulls.end_drag[h].tobytes())
    place = x + zeta[:, None] * axis
    reach = slope * ramp + 2.0 * radius * math.sqrt(max(0.0, 1.0 - slope**2))
    wet = np.clip(0.5 - place[:, 2] / reach, 0.0, 1.0) * (sea.water_density > 0.0)
    width = 2.0 * radius * thick
    tangent = np.broadcast_to(axis, place.shape)
    force = np.zeros(place.shape)
    displaced = float(np.sum(wet * volume))
    if sea.current_speed > 0.0 and np.any(wet):
        disc = float(np.max(wet * np.pi * radius**2, where=volume > 0.0, initial=0.0))
        along = hulls.drag_axial[h] * disc * wet * volume / displaced if displaced > 0.0 else np.zeros(zeta.size)
        force += drag(current_on(model, place), tangent, hulls.drag_normal[h] * width * wet, along + discs * wet,
                      sea.water_density)  # fmt: skip
    if sea.wind_speed > 0.0:
        force += _air(model, h) * drag(
            _wind(model, place[:, 2]), tangent, width * (1.0 - wet), np.zeros(zeta.size), 2.0
        )
    wrench = at_arm(zeta @ force, axis)
    wrench[:3] = force.sum(axis=0)
    return wrench


@lru_cache(maxsize=64)
def _slices(profile: bytes, end_drag: bytes) -> tuple[Array, ...]:
    """Strips of a hull of revolution and its two end discs, which do not move with it.

    Each (n,): height along the axis, thickness and radius (m), volume (m3), drag areas of the discs (m2), and lengths
    along the axis over which they get wet (m).    profile : (m, 2) z, radius    end_drag : (2,) coefficients
    """
    rows = np.frombuffer(profile).reshape(-1, 2)
    strips, ends = cut_strips(rows), rows[[0, -1]]
    zeta, radius = (np.concatenate([strips[name], ends[:, i]]) for i, name in enumerate(("zeta", "radius")))
    thick, volume = (np.concatenate([strips[name], [0.0, 0.0]]) for name in ("thick", "volume"))
    discs = np.concatenate([np.zeros(strips.size), np.frombuffer(end_drag) * np.pi * ends[:, 1] ** 2])
    return zeta, thick, radius, volume, discs, np.concatenate([strips["thick"], strips["thick"][[0, -1]]])


def _flow_on_sphere(model: Model, x: Array, h: int) -> Array:
    """Drag of current and wind on a sphere with its centre at x (m), about it."""
    hulls, sea = model.bodies.hulls, model.sea
    radius, height = float(hulls.radius[h]), float(x[2])
    share = min(2.0, max(0.0, (radius - height) / radius))
    wet = 0.25 * share * share * (3.0 - share) if sea.water_density > 0.0 else 0.0
    disc, force = np.pi * radius**2, np.zeros(3)
    if wet > 0.0:
        flat = min(radius, max(-radius, height))  # centroid of the wet cap below the centre
        volume = np.pi / 3.0 * (radius - flat) ** 2 * (2.0 * radius + flat)
        down = 0.25 * np.pi * (radius**2 - flat**2) ** 2 / volume
        u = current_on(model, np.array([[x[0], x[1], height - down]]))[0]
        force += 0.5 * sea.water_density * hulls.drag_normal[h] * disc * wet * float(np.linalg.norm(u)) * u
    if wet < 1.0:
        u = _wind(model, np.array([height]))[0]
        force += _air(model, h) * disc * (1.0 - wet) * float(np.linalg.norm(u)) * u
    return np.concatenate([force, np.zeros(3)])


def bed_wrench(model: Model, R: Array, x: Array, k: int) -> Array:
    """Pressure of the bed on the feet of a body: those of its hulls, its spheres, or its origin."""
    bodies, hulls = model.bodies, model.bodies.hulls
    own = bodies.hulls_of(k)
    if not is_grid(model.sea) and own and float(heights(model.sea, x)) > _reach(hulls, own):
        return np.zeros(6)
    if not own:
        area = np.pi * (0.75 * float(bodies.volume[k]) / np.pi) ** (2.0 / 3.0) or BARE_FOOT
        return _bed(model, R, x, np.zeros((1, 3)), 0.0, area)
    total = np.zeros(6)
    for h in own:
        radius, feet = float(hulls.radius[h]), hulls.feet(h)
        if not feet.size:
            total += _bed(model, R, x, hulls.place[h : h + 1], radius, np.pi * radius**2)
            continue
        total += _bed(model, R, x, feet, 0.0, FOOT_SHARE * np.pi * float(hulls.shape(h)[:, 1].max()) ** 2)
    return total


def _reach(hulls: Hulls, own: Sequence[int]) -> float:
    """Distance from the origin of a body within which its hulls lie, m."""
    return max(math.dist((0.0, 0.0, 0.0), hulls.place[h]) + hulls.reach(h) for h in own)


def _bed(model: Model, R: Array, x: Array, feet: Array, radius: float, area: float) -> Array:
    """Wrench (6,) about the origin x (m) of a body on feet (n, 3) in its frame, each of an area (m2)."""
    sea = model.sea
    arm = feet @ R.T
    arm = arm - radius * bed_normals(sea, x + arm)
    depth = np.maximum(0.0, -heights(sea, x + arm))
    force = (sea.bed_stiffness * area * depth)[:, None] * bed_normals(sea, x + arm)
    return np.concatenate([force.sum(axis=0), np.cross(arm, force).sum(axis=0)])
