"""Potential energy of an equilibrium, where its forces have a potential."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ropewalk.assembly.spans import line_spans
from ropewalk.assembly.string import made_of, strain_at
from ropewalk.loads.body import body_records, build_shells, still_block
from ropewalk.loads.float import radius_of, wet_way
from ropewalk.loads.given import spring_energy
from ropewalk.model.arrays import Array, Records
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import PRESSURE
from ropewalk.model.model import Model
from ropewalk.model.state import State, line_force, rotation_matrix
from ropewalk.numerics.quadrature import gauss_legendre
from ropewalk.physics.elasticity import LINEAR, strain, strain_energy

POINTS = 4  # of Gauss between two nodes of a line: the cubic between them is integrated exactly
HEIGHTS = 400  # intervals of the work that lowers a body into the water
CLEAR = 2.0  # m above the highest place of a hull from which it is lowered


def potential_energy(model: Model, state: State) -> float | None:
    """Weight, buoyancy, strain, springs, given forces and rotating frames, J; None where a force has no potential.

    Zero are heights at still water and the place x = y = z = 0 of given forces; only differences between equilibria of
    one case mean something. Current, wind, pressure across a line, moments and matrices on bodies have no potential
    here.
    """
    if not _has_potential(model):
        return None
    total = sum(_line(model, state, i) for i in range(model.lines.length.size))
    total += sum(_point(model, state, k) for k in range(model.points.mass.size))
    total += sum(_body(model, state, int(k)) for k in np.flatnonzero(model.bodies.joint == LOOSE))
    return float(total)


def _has_potential(model: Model) -> bool:
    sea, bodies = model.sea, model.bodies
    if model.fields.acts:
        return False
    flows = (sea.current_speed != 0.0 and sea.water_density > 0.0) or sea.wind_speed != 0.0
    turned = np.any(bodies.load_moment != 0.0) or np.any(bodies.load_at != 0.0) or np.any(bodies.stiffness != 0.0)
    return not (flows or turned or np.any(model.lines.load_kind == PRESSURE) or model.nets.names or model.links.names)


def _line(model: Model, state: State, i: int) -> float:
    """Energy of line i with its attachments, J."""
    nodes = slice(state.start[i], state.start[i + 1])
    s, r, n = state.s[nodes], state.position[nodes], line_force(state, i)
    spans = line_spans(model, i, np.zeros(0))
    total = 0.0
    x, w = gauss_legendre(POINTS).x, gauss_legendre(POINTS).weight
    for row, law in zip(spans.rows, spans.laws, strict=True):
        laws = (int(law[0]), model.sections.law_data, int(law[1]), int(law[2]))
        cuts = np.unique([row.start, *s[(s > row.start) & (s < row.stop)], row.stop])
        for a, b in pairwise(cuts):
            at = 0.5 * (a + b) + 0.5 * (b - a) * x
            for place, weight in zip(at, 0.5 * (b - a) * w, strict=True):
                here = _law_at(model, row, laws, place - row.start)
                where, force = _between(s, r, n, float(place), here)
                total += weight * _density(model, row, place - row.start, where, force, here)
        if row.bound > 0.0:
            end = np.array([np.interp(row.stop, s, column) for column in r.T])
            total -= float(row.jump @ end)
            total += _float(model, float(row.float_volume), float(end[2]))
    return total


def _between(s: Array, r: Array, n: Array, at: float, laws: tuple[int, Array, int, int]) -> tuple[Array, Array]:
    """Position by the cubic between two nodes, and the force, linear between them."""
    k = int(np.clip(np.searchsorted(s, at) - 1, 0, s.size - 2))
    h = s[k + 1] - s[k]
    u = (at - s[k]) / h
    slopes = [h * _slope(n[j], laws) for j in (k, k + 1)]
    where: Array = (
        (2 * u**3 - 3 * u**2 + 1) * r[k]
        + (u**3 - 2 * u**2 + u) * slopes[0]
        + (3 * u**2 - 2 * u**3) * r[k + 1]
        + (u**3 - u**2) * slopes[1]
    )
    force: Array = (1.0 - u) * n[k] + u * n[k + 1]
    return where, force


def _slope(force: Array, laws: tuple[int, Array, int, int]) -> Array:
    """dr/ds of a string that carries a force."""
    T = float(np.linalg.norm(force))
    if T == 0.0:
        return np.zeros(3)
    slope: Array = (1.0 + strain(T, *laws)[0]) * force / T
    return slope


Laws = tuple[int, Array, int, int]


def _law_at(model: Model, row: Records, laws: Laws, along: float) -> Laws:
    """The axial law at a place of a span: its own, or the stiffness there if that varies along s."""
    if not row.stretches:
        return laws
    stiffness = 1.0 / strain_at(1.0, along, row, np.zeros(3, dtype=np.int64), model.sections.law_data)[1]
    return LINEAR, np.array([stiffness]), 0, 1


def _density(model: Model, row: Records, along: float, r: Array, force: Array, laws: Laws) -> float:
    """Energy per unstretched length at a place, J/m."""
    ratio, buoyancy, _, _ = made_of(along, row, model.sections.law_data, model.sea)
    load = row.load + along * row.slope + (ratio - 1.0) * row.inertial
    turn = ratio * row.turn.reshape(3, 3)
    lift = buoyancy * min(r[2], 0.0)
    stored = strain_energy(float(np.linalg.norm(force)), *laws)
    return float(stored - load @ r - 0.5 * r @ turn @ r - lift)


def _float(model: Model, volume: float, z: float) -> float:
    """Energy of the buoyancy of a sphere, J; zero when it is out of the water."""
    return model.sea.water_density * model.sea.gravity * volume * wet_way(z, radius_of(volume))


def _point(model: Model, state: State, k: int) -> float:
    """Energy of point k: weight, float, given force, springs, J."""
    points, r = model.points, state.point_position[k]
    energy = points.mass[k] * model.sea.gravity * r[2] - points.force[k] @ r
    energy += sum(spring_energy(axis, tuple(r - points.position[k])) for axis in points.axis[k])
    return float(energy) + _float(model, float(points.volume[k]), float(r[2]))


def _body(model: Model, state: State, k: int) -> float:
    """Energy of free body k: that of its weight in the air, and the work that lowers it to its place, J."""
    bodies, sea = model.bodies, model.sea
    origin, q = state.body_position[k], state.body_quaternion[k]
    R = rotation_matrix(q)
    size = 2.0 * bodies.hull_size(k)
    size += radius_of(float(bodies.volume[k]))
    top = max(float(origin[2]), size) + CLEAR
    record, shells, block = body_records(bodies)[k], build_shells(bodies), np.empty((6, 7))
    x, w = gauss_legendre(POINTS).x, gauss_legendre(POINTS).weight
    edges = np.linspace(float(origin[2]), top, HEIGHTS + 1)
    work = 0.0
    for a, b in pairwise(edges):
        for z, weight in zip(0.5 * (a + b) + 0.5 * (b - a) * x, 0.5 * (b - a) * w, strict=True):
            place = (float(origin[0]), float(origin[1]), float(z))
            still_block(record, place, q, (sea.water_density, sea.gravity), shells, block)
            work += weight * -block[2, 6]
    high = bodies.mass[k] * sea.gravity * (top + float((R @ bodies.centre[k])[2]))
    return float(high - bodies.load_force[k] @ np.array([origin[0], origin[1], top]) + work)
