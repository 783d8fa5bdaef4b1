"""Loads on lines and points, written again in plain numpy for the audit: many places at once, still water.

Nothing here is shared with the methods. Loads are per unstretched length (N/m), as functions of arc length, position
and internal force; [Surmont2025], eqs. (9) and (13), for the string, [Morison1950] for drag.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.model.environment import Sea
from ropewalk.model.lines import FORCE_TABLE, PRESSURE, ROTATING
from ropewalk.model.model import Model
from ropewalk.model.profiles import Along, properties_at
from ropewalk.physics.current import FUNCTION, POWER, POWER_LAYER, TABLE, UNIFORM
from ropewalk.physics.elasticity import FUNCTION as FUNCTION_LAW
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR
from ropewalk.physics.elasticity import TABLE as TABLE_LAW
from ropewalk.physics.screens import RE_HIGH, RE_LOW, VISCOSITY
from ropewalk.spec.drag import Drag, DragLaw, DragTable

TINY = 1e-300  # N: keeps the direction of a force that is zero finite
NEWTON_STEPS = 60  # of the inverse of a polynomial law; 8 are usual
BRACKETS = 60  # doublings until a bracket holds a tension
SECANTS = 12  # steps of the inverse of a law given as a function; 5 are usual
ROUND_OFF = 1e-14  # of a tension


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


def strain_of(model: Model, k: Ints, tension: Array, stiffness: Array | None = None) -> Array:
    """Strain of the sections k at these tensions.  stiffness : N, of those that vary along s, nan of the others"""
    found = _constant_strain(model, k, tension)
    if stiffness is None or not model.profiles.any:
        return found
    return np.where(np.isfinite(stiffness), tension / stiffness, found)


def _constant_strain(model: Model, k: Ints, tension: Array) -> Array:
    sections = model.sections
    linear, first = sections.law == LINEAR, sections.law_start[:-1]
    stiffness = np.where(linear, sections.law_data[np.where(linear, first, 0)] if linear.any() else 1.0, np.inf)
    result: Array = tension / stiffness[k]
    if (linear | (sections.law == INEXTENSIBLE)).all():
        return result
    law = sections.law[k]
    for section in np.unique(k[(law != LINEAR) & (law != INEXTENSIBLE)]):
        own = k == section
        data = sections.law_data[sections.law_start[section] : sections.law_start[section + 1]]
        if sections.law[section] == FUNCTION_LAW:
            law_of = model.fields.laws[int(section)].function
            gives_slope = np.shape(law_of(0.0)) == (2,)
            plain = (lambda e, both=law_of: both(e)[0]) if gives_slope else law_of
            result[..., own] = _function_strain(plain, data[0], tension[..., own])
            continue
        curve = _table_strain if sections.law[section] == TABLE_LAW else _polynomial_strain
        result[..., own] = curve(data, tension[..., own])
    return result


def _function_strain(function: Any, stiffness: float, tension: Array) -> Array:
    """Inverse of a user's law: by secants, and within a bracket where these do not arrive.

    Not numerics/newton.py: scalar secants; the audit has its own inverse of a law.
    """
    found = np.zeros(np.size(tension))
    for k, force in enumerate(np.ravel(tension).tolist()):
        last, e, before = 0.0, force / stiffness, -force
        for _ in range(SECANTS):
            miss = float(function(e)) - force
            if abs(miss) <= ROUND_OFF * abs(force) or miss == before:
                break
            last, e, before = e, e - miss * (e - last) / (miss - before), miss
        found[k] = e if abs(miss) <= ROUND_OFF * abs(force) else _within_bracket(function, force, force / stiffness)
    return found.reshape(np.shape(tension))


def _within_bracket(function: Any, force: float, far: float) -> float:
    """Strain at a tension between 0 and a strain that doubles until it is beyond it; nan if none is."""
    from scipy.optimize import brentq

    for _ in range(BRACKETS):
        if (float(function(far)) - force) * np.sign(force) >= 0.0:
            return float(brentq(lambda e: float(function(e)) - force, 0.0, far, xtol=1e-18, rtol=1e-14))
        far *= 2.0
    return float("nan")


def _table_strain(data: Array, tension: Array) -> Array:
    """Straight between the rows and on beyond them."""
    n = data.size // 2
    strain, force = data[:n], data[n:]
    i = np.clip(np.searchsorted(force, tension, side="right") - 1, 0, n - 2)
    slope = (strain[i + 1] - strain[i]) / (force[i + 1] - force[i])
    result: Array = strain[i] + slope * (tension - force[i])
    return result


def _polynomial_strain(data: Array, tension: Array) -> Array:
    """Inverse of T = EA (e + k2 e^2 + ...), straight beyond the limit strain and below zero.

    Newton on all tensions at once; not numerics/newton.py, since the audit shares no code with what it checks.
    """
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
    made: Along | None = None  # properties; those at s unless given

    def properties(self, model: Model, s: Array) -> Along:
        """Properties of the places at s (m from end A)."""
        return self.made or properties_at(model.sections, model.profiles, self.section, s)


def line_load(model: Model, of: Fabric, s: Array, r: Array, tangent: Array, stretch: Array,
              wet: Wetness) -> Array:  # fmt: skip
    """(n, 3) load of gravity, water and given loads on lines, N/m of unstretched length.

    s : m from end A    r : (n, 3) m    tangent : (n, 3) unit    stretch : (n,) 1 + strain
    """
    sea, made = model.sea, of.properties(model, s)
    load: Array = np.zeros_like(r)
    load[:, 2] = -made.mass * sea.gravity
    if sea.water_density > 0.0:
        share = submerged(r[:, 2], wet)
        load[:, 2] += share * sea.water_density * sea.gravity * made.area
        bn, bt = made.drag_normal, made.drag_tangential
        if sea.current_speed > 0.0 and (np.any(bn > 0.0) or np.any(bt > 0.0)):
            u = current_on(model, r)
            load += (share * stretch)[:, None] * section_drag(model, of.section, u, tangent, bn, bt)
    if model.lines.load_kind.size:
        load += given_load(model, of, s, r, tangent, made.mass)
    for line, handle in model.fields.loads:
        for row in np.flatnonzero(of.line == line):
            load[row] += handle.function(float(s[row]), r[row].copy(), tangent[row].copy(), model.fields.time)
    return load


def current_on(model: Model, r: Array) -> Array:
    """(n, 3) velocity of the current at places r (n, 3) m, by its profile or by the user's function, m/s."""
    if model.sea.current_kind != FUNCTION:
        return current_at(model.sea, r[:, 2])
    field = model.fields.current
    assert field is not None
    return np.array([field.function(place.copy(), model.fields.time) for place in r], dtype=float).reshape(-1, 3)


def section_drag(model: Model, k: Ints, u: Array, tangent: Array, normal: Array, along: Array) -> Array:
    """(n, 3) drag on members of the sections k, N/m; arguments as :func:`drag`."""
    rho = model.sea.water_density
    force = drag(u, tangent, normal, along, rho)
    for section, law in model.fields.drag.items():
        own = np.flatnonzero(k == section)
        if own.size:
            force[own] = law_drag(law, u[own], tangent[own], normal[own], along[own], rho)
    return force


def law_drag(law: Drag, u: Array, tangent: Array, normal: Array, along: Array, density: float) -> Array:
    """(n, 3) drag with coefficients that depend on the flow, N/m.  normal, along : diameter, circumference, m"""
    speed = dot(u, tangent)
    across = u - speed[:, None] * tangent
    p, size, whole = norm(across), np.abs(speed), norm(u)
    angle = np.degrees(np.arctan2(p, size))
    cn, ct, cd = (
        _coefficient(one, angle, v * normal / VISCOSITY)
        for one, v in ((law.normal, p), (law.tangential, size), (law.along_flow, whole))
    )
    half = 0.5 * density
    force = (half * normal * cn * p)[:, None] * across + (half * along * ct * size * speed)[:, None] * tangent
    result: Array = force + (half * normal * cd * whole)[:, None] * u
    return result


def _coefficient(one: Any, angle: Array, reynolds: Array) -> Array:
    """A coefficient by angle (deg) and Reynolds number."""
    if isinstance(one, DragLaw) and one.law == "sine":
        return (1.2 if one.value is None else one.value) * np.sin(np.radians(angle))
    if isinstance(one, DragLaw):
        x = np.log10(np.clip(reynolds, RE_LOW, RE_HIGH))
        fit = (0.12479, -2.44894, 20.00769, -87.92234, 223.64577, -327.8864, 254.73873, -78.46675)
        return np.asarray(np.polyval(fit, x), dtype=np.float64)
    if not isinstance(one, DragTable):
        return np.full(angle.shape, float(one))
    rows, at = np.array(one.rows), np.log(np.maximum(reynolds, 1e-12))
    by_angle = [np.interp(at, np.log(one.reynolds), row) if one.reynolds else np.full(at.shape, row[0]) for row in rows]
    if not one.angle or len(one.angle) == 1:
        return by_angle[0]
    table = np.array(by_angle)
    i = np.clip(np.searchsorted(one.angle, angle, side="right") - 1, 0, len(one.angle) - 2)
    low, high = np.array(one.angle)[i], np.array(one.angle)[i + 1]
    share = np.clip((angle - low) / (high - low), 0.0, 1.0)
    column = np.arange(angle.size)
    result: Array = (1.0 - share) * table[i, column] + share * table[i + 1, column]
    return result


def drag(u: Array, tangent: Array, normal: Array, along: Array, density: float) -> Array:
    """(n, 3) drag on slender members, N/m.  u : water minus member, m/s    normal, along : coefficient x diameter, m"""
    speed = dot(u, tangent)
    across = u - speed[:, None] * tangent
    half = 0.5 * density
    return (half * normal * norm(across))[:, None] * across + (half * along * np.abs(speed) * speed)[:, None] * tangent


def given_load(model: Model, of: Fabric, s: Array, r: Array, tangent: Array, mass: Array) -> Array:
    """(n, 3) loads that the case gives along lines: tables, pressure, a turning frame, N/m.  mass : kg/m"""
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
                load[own] += (mass[own] * value**2)[:, None] * arm
    return load


def lump_load(model: Model, place: Array, mass: Array, volume: Array, drag_area: Array) -> Array:
    """(n, 3) weight, buoyancy and drag of lumps, N; a volume is a sphere at the surface."""
    sea = model.sea
    load: Array = np.zeros_like(place)
    load[:, 2] = -mass * sea.gravity
    if sea.water_density > 0.0:
        radius = np.cbrt(0.75 * volume / np.pi)
        x = np.clip(-place[:, 2] / np.maximum(radius, TINY), -1.0, 1.0)
        share = np.where(volume > 0.0, 0.25 * (1.0 + x) ** 2 * (2.0 - x), np.where(place[:, 2] < 0.0, 1.0, 0.0))
        load[:, 2] += sea.water_density * sea.gravity * volume * share
        if sea.current_speed > 0.0 and np.any(drag_area > 0.0):
            u = current_on(model, place)
            load += (0.5 * sea.water_density * drag_area * share * norm(u))[:, None] * u
    return load


def at_arm(force: Array, arm: Array) -> Array:
    """(6,) force and moment about the origin; written out, for numpy's cross product takes longer than all else."""
    (x, y, z), (a, b, c) = arm.tolist(), force.tolist()
    return np.array([a, b, c, y * c - z * b, z * a - x * c, x * b - y * a])
