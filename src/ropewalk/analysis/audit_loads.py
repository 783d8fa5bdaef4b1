"""Loads on lines and points, written again in plain numpy for the audit: many places at once, still water.

Nothing here is shared with the methods. Loads are per unstretched length (N/m), as functions of arc length, position
and internal force; [Surmont2025], eqs. (9) and (13), for the string, [Morison1950] for drag.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.model.environment import Sea
from ropewalk.model.lines import FORCE_TABLE, PRESSURE, ROTATING, Sections
from ropewalk.model.model import Model
from ropewalk.physics.current import POWER, POWER_LAYER, TABLE, UNIFORM
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR
from ropewalk.physics.elasticity import TABLE as TABLE_LAW

TINY = 1e-300  # N: keeps the direction of a force that is zero finite
NEWTON_STEPS = 60  # of the inverse of a polynomial law; 8 are usual
UP = np.array([0.0, 0.0, 1.0])


class Wetness(NamedTuple):
    """Over which height a stretch of line passes the water surface."""

    low: Array | None = None  # m, height of one end of each stretch; None: the place itself decides
    high: Array | None = None  # m, of the other end
    thickness: Array | float = 0.0  # m, of the section


def dot(a: Array, b: Array) -> Array:
    """Scalar products of rows."""
    return np.einsum("ij,ij->i", a, b)


def norm(a: Array) -> Array:
    """Lengths of rows."""
    return np.sqrt(np.einsum("ij,ij->i", a, a))


def unit(a: Array) -> Array:
    """Rows over their lengths; zero where a row is zero."""
    result: Array = a / np.maximum(norm(a), TINY)[:, None]
    return result


def current_at(sea: Sea, z: Array) -> Array:
    """(n, 3) velocity of the current at heights z, m/s."""
    if sea.current_kind == TABLE:
        x = np.minimum(z, 0.0)
        table = sea.current_table
        speed = np.interp(x, table[:, 0], table[:, 1])
        heading = np.interp(x, table[:, 0], table[:, 2])
    else:
        speed, heading = np.full(z.shape, sea.current_speed), np.full(z.shape, sea.current_heading)
    if sea.current_kind == POWER and np.isfinite(sea.depth):
        height = np.clip((z + sea.depth) / sea.depth, 0.0, 1.0)
        layer = height * POWER_LAYER ** (sea.current_exponent - 1.0)
        speed = speed * np.where(height < POWER_LAYER, layer, np.maximum(height, POWER_LAYER) ** sea.current_exponent)
    assert sea.current_kind in (UNIFORM, POWER, TABLE)
    return np.stack([speed * np.cos(heading), speed * np.sin(heading), np.zeros(z.shape)], axis=1)


def submerged(z: Array, wet: Wetness) -> Array:
    """Share of each stretch under water: mean over its height of a section that passes the surface linearly."""
    a = z if wet.low is None else wet.low
    b = z if wet.high is None else wet.high
    if z.size and max(a.max(), b.max()) + np.max(wet.thickness) < 0.0:
        return np.ones(z.shape)
    thick = np.broadcast_to(np.asarray(wet.thickness, dtype=float), z.shape)
    half = 0.5 * np.maximum(thick, TINY)

    def depth(x: Array) -> Array:  # integral over height of the wet share of a section
        inside = -0.5 * (half - x) ** 2 / (2.0 * half)
        return np.where(x <= -half, x, np.where(x >= half, 0.0, inside))

    rise = b - a
    level = np.abs(rise) < 1e-6 * np.maximum(thick, 1e-9)
    middle = 0.5 * (a + b)
    flat = np.clip(0.5 - middle / np.maximum(thick, TINY), 0.0, 1.0)
    steep: Array = np.clip((depth(b) - depth(a)) / np.where(level, 1.0, rise), 0.0, 1.0)
    return np.where(level, flat, steep)


def strain_of(sections: Sections, k: Ints, tension: Array) -> Array:
    """Strain of the sections k at these tensions."""
    linear, first = sections.law == LINEAR, sections.law_start[:-1]
    stiffness = np.where(linear, sections.law_data[np.where(linear, first, 0)] if linear.any() else 1.0, np.inf)
    result: Array = tension / stiffness[k]
    if (linear | (sections.law == INEXTENSIBLE)).all():
        return result
    law = sections.law[k]
    for section in np.unique(k[(law != LINEAR) & (law != INEXTENSIBLE)]):
        own = k == section
        data = sections.law_data[sections.law_start[section] : sections.law_start[section + 1]]
        curve = _table_strain if sections.law[section] == TABLE_LAW else _polynomial_strain
        result[..., own] = curve(data, tension[..., own])
    return result


def _table_strain(data: Array, tension: Array) -> Array:
    """Straight between the rows and on beyond them."""
    n = data.size // 2
    strain, force = data[:n], data[n:]
    i = np.clip(np.searchsorted(force, tension, side="right") - 1, 0, n - 2)
    slope = (strain[i + 1] - strain[i]) / (force[i + 1] - force[i])
    result: Array = strain[i] + slope * (tension - force[i])
    return result


def _polynomial_strain(data: Array, tension: Array) -> Array:
    """Inverse of T = EA (e + k2 e^2 + ...), straight beyond the limit strain and below zero."""
    stiffness, limit = data[0], data[1]
    rising = np.concatenate([[0.0, 1.0], data[2:]]) * stiffness
    slope = np.polynomial.polynomial.polyder(rising)
    value = np.polynomial.polynomial.polyval

    def force(e: Array) -> tuple[Array, Array]:
        inside = np.clip(e, 0.0, limit)
        rate = np.where(e < 0.0, stiffness, value(inside, slope))
        return value(inside, rising) + rate * (e - inside), rate

    strain: Array = tension / stiffness
    for _ in range(NEWTON_STEPS):
        at, rate = force(strain)
        change = (at - tension) / rate
        strain = strain - change
        if np.all(np.abs(change) <= 1e-15 + 1e-14 * np.abs(strain)):
            break
    return strain


class Fabric(NamedTuple):
    """What a place on a line is made of: one row per place."""

    line: Ints
    section: Ints


def line_load(model: Model, of: Fabric, s: Array, r: Array, tangent: Array, stretch: Array,
              wet: Wetness) -> Array:  # fmt: skip
    """(n, 3) load of gravity, water and given loads on lines, N/m of unstretched length.

    s : m from end A    r : (n, 3) m    tangent : (n, 3) unit    stretch : (n,) 1 + strain
    """
    sections, sea, k = model.sections, model.sea, of.section
    load: Array = np.zeros_like(r)
    load[:, 2] = -sections.mass[k] * sea.gravity
    if sea.water_density > 0.0:
        share = submerged(r[:, 2], wet)
        load[:, 2] += share * sea.water_density * sea.gravity * sections.area[k]
        bn, bt = sections.drag_normal[k], sections.drag_tangential[k]
        if sea.current_speed > 0.0 and (np.any(bn > 0.0) or np.any(bt > 0.0)):
            u = current_at(sea, r[:, 2])
            load += (share * stretch)[:, None] * drag(u, tangent, bn, bt, sea.water_density)
    if model.lines.load_kind.size:
        load += given_load(model, of, s, r, tangent)
    return load


def drag(u: Array, tangent: Array, normal: Array, along: Array, density: float) -> Array:
    """(n, 3) drag on slender members, N/m.  u : water minus member, m/s    normal, along : coefficient x diameter, m"""
    speed = dot(u, tangent)
    across = u - speed[:, None] * tangent
    half = 0.5 * density
    return (half * normal * norm(across))[:, None] * across + (half * along * np.abs(speed) * speed)[:, None] * tangent


def given_load(model: Model, of: Fabric, s: Array, r: Array, tangent: Array) -> Array:
    """(n, 3) loads that the case gives along lines: tables, pressure, a turning frame, N/m."""
    lines = model.lines
    load: Array = np.zeros_like(r)
    for i in np.flatnonzero(np.diff(lines.load_start)):
        own: Flags = of.line == i
        if not np.any(own):
            continue
        for j in range(lines.load_start[i], lines.load_start[i + 1]):
            axis, value = lines.load_axis[j], float(lines.load_value[j])
            if lines.load_kind[j] == FORCE_TABLE:
                table = lines.load_table[lines.table_start[j] : lines.table_start[j + 1]]
                load[own] += np.stack([np.interp(s[own], table[:, 0], table[:, c]) for c in (1, 2, 3)], axis=1)
            elif lines.load_kind[j] == PRESSURE:
                load[own] += value * np.cross(axis, tangent[own])
            elif lines.load_kind[j] == ROTATING:
                arm = r[own] - lines.load_origin[j]
                arm = arm - np.outer(arm @ axis, axis)
                load[own] += (model.sections.mass[of.section[own]] * value**2)[:, None] * arm
    return load


def lump_load(sea: Sea, place: Array, mass: Array, volume: Array, drag_area: Array) -> Array:
    """(n, 3) weight, buoyancy and drag of lumps, N; a volume is a sphere at the surface."""
    load: Array = np.zeros_like(place)
    load[:, 2] = -mass * sea.gravity
    if sea.water_density > 0.0:
        radius = np.cbrt(0.75 * volume / np.pi)
        x = np.clip(-place[:, 2] / np.maximum(radius, TINY), -1.0, 1.0)
        share = np.where(volume > 0.0, 0.25 * (1.0 + x) ** 2 * (2.0 - x), np.where(place[:, 2] < 0.0, 1.0, 0.0))
        load[:, 2] += sea.water_density * sea.gravity * volume * share
        if sea.current_speed > 0.0 and np.any(drag_area > 0.0):
            u = current_at(sea, place[:, 2])
            load += (0.5 * sea.water_density * drag_area * share * norm(u))[:, None] * u
    return load


def at_arm(force: Array, arm: Array) -> Array:
    """(6,) force and moment about the origin."""
    return np.concatenate([force, np.cross(arm, force)])
