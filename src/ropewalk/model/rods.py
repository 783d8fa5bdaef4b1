"""Rods as arrays: panels, shape, mass, and the checks that need the shape."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array, Records, floats, frozen
from ropewalk.numerics.quadrature import gauss_legendre
from ropewalk.physics.rod_shape import (
    ELLIPSE,
    LARGEST_TURN,
    N_ROW,
    RECTANGLE,
    ROW,
    Panels,
    panel_bounds,
    rod_rows,
    rod_shape,
    section_factors,
    section_reach,
)

ORDER = 16  # Gauss points per panel
SPLIT_ORDER = 16  # Gauss points per interval of a panel that the surface splits
RESOLVED = 1e-13  # last Legendre coefficients over the largest: the fields are known to round-off in a panel
MOST_PANELS = 2000
HALVINGS = 24  # of a panel; 2^-24 of the length is below any radius that a rod can have
TOO_CURVED = 1.0  # semi-axis times curvature at which neighbouring sections touch
CROSSING_SAMPLES = 400  # centreline points compared pairwise for self-crossing


class RodWarning(UserWarning):
    """The rod can be computed, but its shape is suspect: it overlaps with itself."""

    def __init__(self, message: str, rod: str, overlap: float) -> None:
        super().__init__(message)
        self.rod = rod
        self.overlap = overlap  # m


class PointMass(NamedTuple):
    """A mass on a rod."""

    s: float  # m
    mass: float  # kg
    offset: tuple[float, float] = (0.0, 0.0)  # from the centreline along section axes 2 and 3, m


class RodModel(NamedTuple):
    """A floating rod as arrays, in head axes about the head; read by `physics.rod_hydrostatics`."""

    panels: Panels  # shape and rules
    edges: Array  # (m + 1,) s of the panel ends, m
    jump: Array  # (m, 3) rotation vector of the frame at each panel's start, rad
    line_mass: Array  # (m, n, 3) mass per metre and its second moments over the section: kg/m, kg m, kg m
    point_s: Array  # (k,) of point masses, m
    point_mass: Array  # (k,) kg
    point_offset: Array  # (k, 2) from the centreline along section axes 2 and 3, m
    mass: float  # kg, point masses included
    centre: Array  # (3,) centre of mass, m
    volume: float  # m3
    length: float  # m
    gravity: float  # m/s2
    water_density: float  # kg/m3

    @property
    def s(self) -> Array:
        """(m, n) arc length of the Gauss points, m."""
        return 0.5 * (self.edges[1:] + self.edges[:-1])[:, None] + self.panels.half[:, None] * self.panels.x

    @property
    def float_volume(self) -> float:
        """Wet volume that carries the mass, m3."""
        return self.mass / self.water_density


@dataclass(frozen=True)
class RodFields:
    """A rod as functions of s. Functions take and return arrays; breaks are where they are not smooth."""

    length: float  # m
    kappa: Callable[[Array], Array]  # (k,) to (k, 3) torsion and two bendings, 1/m
    sections: Callable[[Array], tuple[Array, Array, Array, Array]]  # to a, b (m) and their slopes
    line_mass: Callable[[Array], Array]  # to (k, 3): kg/m and second moments q2^2, q3^2 of the mass, kg m
    breaks: tuple[float, ...] = ()
    jumps: dict[float, tuple[float, float, float]] = field(default_factory=dict)  # s to rotation vector, rad
    point_masses: tuple[tuple[float, float] | PointMass, ...] = ()  # (s, kg), or with an offset
    name: str = "rod"
    section: int = ELLIPSE  # or RECTANGLE; a, b are then half sides


def discretise(
    fields: RodFields,
    *,
    gravity: float = 9.80665,
    water_density: float = 1025.0,
    curved: bool = True,
    order: int = ORDER,
    n_panels: int | None = None,
) -> RodModel:
    """Panels, shape and mass of a rod. `n_panels` gives equal ones between breaks instead of as many as needed."""
    rule, sub = gauss_legendre(order), gauss_legendre(SPLIT_ORDER)
    edges = _edges(fields, order, n_panels)
    half = 0.5 * np.diff(edges)
    s = 0.5 * (edges[1:] + edges[:-1])[:, None] + half[:, None] * rule.x
    kappa = fields.kappa(s.ravel()).reshape(*s.shape, 3)
    jump = np.array([fields.jumps.get(float(e), (0.0, 0.0, 0.0)) for e in edges[:-1]])
    a, b, da, db = (values.reshape(s.shape) for values in fields.sections(s.ravel()))
    line_mass = fields.line_mass(s.ravel()).reshape(*s.shape, 3)
    masses = [PointMass(*mass) for mass in fields.point_masses]
    rows, columns, at_ends, bounds, drowned = _rows(half, kappa, jump, (a, b, da, db), order, curved, fields.section)
    panels = Panels(
        rows=rows,
        columns=columns,
        ends=at_ends,
        bounds=bounds,
        drowned=drowned,
        half=floats(half),
        x=floats(rule.x),
        weight=floats(rule.weight),
        bary=floats(rule.bary),
        sub_x=floats(sub.x),
        sub_w=floats(sub.weight),
        curved=1.0 if curved else 0.0,
        section=fields.section,
    )
    rod = RodModel(
        panels,
        floats(edges),
        floats(jump),
        floats(line_mass),
        floats([point.s for point in masses]),
        floats([point.mass for point in masses]),
        floats([point.offset for point in masses], (-1, 2)),
        0.0,
        np.zeros(3),
        float(np.sum(rule.weight * half[:, None] * section_factors(fields.section)[0] * a * b)),
        fields.length,
        gravity,
        water_density,
    )
    return _with_mass(rod)


def reshape(rod: RodModel, kappa: Array) -> RodModel:
    """The same rod with other curvature (m, n, 3) at its Gauss points."""
    sections = tuple(np.ascontiguousarray(rod.panels.rows[name]) for name in ("a", "b", "slope_a", "slope_b"))
    rows, columns, ends, bounds, drowned = _rows(
        rod.panels.half, kappa, rod.jump, sections, rod.panels.x.size, rod.panels.curved > 0.0, rod.panels.section
    )
    panels = rod.panels._replace(rows=rows, columns=columns, ends=ends, bounds=bounds, drowned=drowned)
    return _with_mass(rod._replace(panels=panels))


def _rows(
    half: Array, kappa: Array, jump: Array, sections: tuple[Array, ...], order: int, curved: bool, section: int
) -> tuple[Records, Array, Records, Records, Records]:
    """Parts of `Panels` that depend on curvature: rows, columns, ends, bounds and drowned."""
    rule = gauss_legendre(order)
    Q, Qe, p, pe = rod_shape(half, np.ascontiguousarray(kappa), jump, rule.weight, rule.running)
    rows = rod_rows(Q, p, kappa, *sections)
    at_ends = [np.ascontiguousarray(np.einsum("ej,kj...->ke...", rule.ends, values)) for values in (kappa, *sections)]
    ends = rod_rows(Qe, pe, *at_ends)
    bounds, drowned = panel_bounds(rows, ends, half, rule.weight, 1.0 if curved else 0.0, section)
    return frozen(rows), floats(numbers(rows).transpose(0, 2, 1)), frozen(ends), frozen(bounds), frozen(drowned)


def _with_mass(rod: RodModel) -> RodModel:
    """Mass and centre of mass; the centre of a bent section's mass lies off the axis."""
    ds = rod.panels.weight * rod.panels.half[:, None]
    rows = rod.panels.rows
    c2, c3 = -rod.panels.curved * rows["bend3"], rod.panels.curved * rows["bend2"]
    per_metre, m22, m33 = (rod.line_mass[:, :, i] for i in range(3))
    moment = np.einsum("kj,kjc->c", ds * per_metre, rows["position"])
    moment += np.einsum("kj,kjc->c", ds * m22 * c2, rows["t2"]) + np.einsum("kj,kjc->c", ds * m33 * c3, rows["t3"])
    mass = float(np.sum(ds * per_metre))
    for at, point, offset in zip(rod.point_s, rod.point_mass, rod.point_offset, strict=True):
        mass += point
        moment += point * beside(rod, at, offset)
    return rod._replace(mass=mass, centre=floats(moment / mass) if mass > 0.0 else floats(np.zeros(3)))


def numbers(rows: Records) -> Array:
    """Rows as plain numbers (..., N_ROW), in the order of ROW."""
    return np.ascontiguousarray(rows).view(np.float64).reshape(*rows.shape, N_ROW)


def curvature_of(rod: RodModel) -> Array:
    """Curvature (m, n, 3) at the Gauss points, 1/m: torsion, bending, bending."""
    return np.stack([rod.panels.rows[name] for name in ("torsion", "bend2", "bend3")], -1)


def places(rod: RodModel, s: Array) -> Records:
    """(k,) rows of the rod at arc lengths s."""
    return np.array([place(rod, float(at)) for at in s], dtype=ROW)


def place(rod: RodModel, s: float) -> Records:
    """Row of the rod (position, frame, ...) at arc length s."""
    k = int(np.clip(np.searchsorted(rod.edges, s, side="right") - 1, 0, rod.panels.half.size - 1))
    at = (s - 0.5 * (rod.edges[k] + rod.edges[k + 1])) / rod.panels.half[k]
    if abs(at) >= 1.0:
        return rod.panels.ends[k, 0 if at < 0.0 else 1]
    gap = at - rod.panels.x
    if np.any(gap == 0.0):
        return rod.panels.rows[k, int(np.argmin(np.abs(gap)))]
    weights = rod.panels.bary / gap
    return (weights @ numbers(rod.panels.rows[k]) / weights.sum()).view(ROW)[0]


def beside(rod: RodModel, s: float, offset: Array) -> Array:
    """(3,) place beside the centreline at s, m.  offset : (2,) along section axes 2 and 3, m"""
    row = place(rod, s)
    return np.asarray(row.position + offset[0] * row.t2 + offset[1] * row.t3)


def _edges(fields: RodFields, order: int, panels: int | None) -> Array:
    masses = (point[0] for point in fields.point_masses)  # the curvature of an elastic rod has a kink there
    inner = {float(at) for at in (*fields.breaks, *fields.jumps, *masses) if 0.0 < at < fields.length}
    coarse = np.array([0.0, *sorted(inner), fields.length])
    if panels is not None:
        counts = np.maximum(1, np.round(panels * np.diff(coarse) / fields.length).astype(int))
        pieces = [np.linspace(lo, hi, n + 1)[:-1] for lo, hi, n in zip(coarse, coarse[1:], counts, strict=False)]
        return np.concatenate([*pieces, coarse[-1:]])
    edges, todo = [0.0], [(float(lo), float(hi), HALVINGS) for lo, hi in pairwise(coarse)][::-1]
    while todo:
        if len(edges) + len(todo) - 1 > MOST_PANELS:
            raise InputError(
                f"rod '{fields.name}': its shape needs more than {MOST_PANELS} panels of {order} points; reduce its "
                "length or curvature, smooth the table or give it as pieces"
            )
        lo, hi, left = todo.pop()
        if left == 0 or _is_resolved(fields, order, lo, hi):
            edges.append(hi)
        else:
            mid = 0.5 * (lo + hi)
            todo += [(mid, hi, left - 1), (lo, mid, left - 1)]
    return np.array(edges)


def _is_resolved(fields: RodFields, order: int, lo: float, hi: float) -> bool:
    """Whether one panel resolves the fields on [lo, hi]."""
    rule = gauss_legendre(order)
    s = 0.5 * (lo + hi) + 0.5 * (hi - lo) * rule.x
    kappa = fields.kappa(s)
    values = np.column_stack([kappa, *fields.sections(s), fields.line_mass(s)])
    coefficients = legendre.legvander(rule.x, order - 1).T @ (rule.weight[:, None] * values)
    # curvature counts as the turn it makes, the other fields by their own size
    scale = np.concatenate([np.full(3, max(1.0 / (hi - lo), np.abs(kappa).max())), np.abs(values[:, 3:]).max(axis=0)])
    scale[[5, 6]] = np.maximum(scale[[5, 6]], scale[[3, 4]] / (hi - lo))
    tail = np.abs(coefficients[-2:]).max(axis=0)
    turn = (hi - lo) * float(np.linalg.norm(kappa, axis=1).max())
    return turn <= LARGEST_TURN and bool(np.all(tail <= RESOLVED * np.where(scale > 0.0, scale, 1.0)))


def check(rod: RodModel, name: str = "rod") -> None:
    """Refuse rods that cannot float or whose sections overlap; warn of a rod that intersects itself."""
    if not rod.mass > 0.0:
        raise InputError(f"rod '{name}': its mass is zero, so it has no draught; give it a density")
    if rod.water_density <= 0.0:
        raise InputError(f"rod '{name}': water_density is 0 (in air), so it has no buoyancy")
    if rod.gravity <= 0.0:
        raise InputError(f"rod '{name}': gravity is 0, so its draught is undetermined; set environment.gravity")
    if rod.mass >= rod.water_density * rod.volume:
        raise InputError(
            f"rod '{name}': mean density {rod.mass / rod.volume:.6g} kg/m3 is not below that of the water, "
            f"{rod.water_density:.6g} kg/m3, so it sinks; reduce its density"
        )
    bend = section_bend(rod)
    if rod.panels.curved and bend.max() >= TOO_CURVED:
        k, j = np.unravel_index(int(bend.argmax()), bend.shape)
        raise InputError(
            f"rod '{name}': at s = {rod.s[k, j]:.6g} m the section reaches {bend.max():.4g} times the radius "
            "of curvature, so neighbouring sections overlap; make the section thinner or the bend wider"
        )
    overlap = overlap_of(rod, name)
    if overlap is not None:
        warnings.warn(overlap, stacklevel=2)


def overlap_of(rod: RodModel, name: str) -> RodWarning | None:
    """How a rod intersects itself; None if it does not."""
    gap, first, second = self_distance(rod)
    if gap >= 0.0:
        return None
    text = (
        f"rod '{name}': it intersects itself: near s = {first:.6g} m and s = {second:.6g} m its surfaces overlap "
        f"by {-gap:.3g} m; the shared volume is counted twice"
    )
    return RodWarning(text, name, -gap)


def section_bend(rod: RodModel) -> Array:
    """(m, n) how far the section reaches towards the centre of curvature, over the radius of curvature."""
    rows = rod.panels.rows
    across, other = rows["a"] * rows["bend3"], rows["b"] * rows["bend2"]
    return np.abs(across) + np.abs(other) if rod.panels.section == RECTANGLE else np.hypot(across, other)


def section_outline(rod: RodModel, rows: Records, around: int) -> Array:
    """(..., around, 2) points of the outlines of sections along their axes 2 and 3, m, the last one on the first.

    rows : (...) of `place`    around : corners of a rectangle are met if around - 1 is a multiple of 4
    """
    turn = np.linspace(0.0, 2.0 * np.pi, around)
    shape = np.stack([np.cos(turn), np.sin(turn)], -1)
    if rod.panels.section == RECTANGLE:
        # points spread along the sides of the square, from the corner (1, -1)
        side, along = np.divmod(np.linspace(0.0, 4.0, around), 1.0)
        side, along = side.astype(int) % 4, 2.0 * along - 1.0
        one = np.ones_like(along)
        shape = np.stack([np.choose(side, [one, -along, -one, along]), np.choose(side, [along, one, -along, -one])], -1)
    return np.asarray(shape * np.stack([rows["a"], rows["b"]], -1)[..., None, :])


def self_distance(rod: RodModel) -> tuple[float, float, float]:
    """Smallest gap between parts of the rod that are not neighbours (m), and the two s (m).

    Sections count as discs that reach to their farthest point; neighbours are parts nearer along s than half a turn
    around their own thickness, pi times that reach.
    """
    s = np.linspace(0.0, rod.length, CROSSING_SAMPLES)
    rows = places(rod, s)
    radius = np.array([section_reach(rod.panels.section, a, b) for a, b in zip(rows["a"], rows["b"], strict=True)])
    apart = np.linalg.norm(rows["position"][:, None] - rows["position"][None], axis=2)
    reach = radius[:, None] + radius[None, :]
    gap = np.where(np.abs(s[:, None] - s[None, :]) > 0.5 * np.pi * reach, apart - reach, np.inf)
    i, j = np.unravel_index(int(gap.argmin()), gap.shape)
    return float(gap[i, j]), float(s[min(i, j)]), float(s[max(i, j)])


_AXIS = np.zeros(2)  # no offset


def mass_sensitivity(rod: RodModel, basis: Array, nodes: Array, starts: Array) -> Array:
    """Derivative of the first moment of the mass by the parameters of `section_motions`, (3, 3 functions), kg m.

    basis, nodes, starts : of `physics.rod_sensitivity.section_motions`
    """
    panels, ds = rod.panels, rod.panels.weight * rod.panels.half[:, None]
    rows = panels.rows
    c2, c3, t2, t3 = -panels.curved * rows["bend3"], panels.curved * rows["bend2"], rows["t2"], rows["t3"]
    mass, m22, m33 = (ds * rod.line_mass[:, :, i] for i in range(3))
    first = mass[:, :, None] * rows["position"] + (m22 * c2)[:, :, None] * t2 + (m33 * c3)[:, :, None] * t3
    turn, shift = nodes[:, :, :3], nodes[:, :, 3:]
    # Theta x first + mass D, summed over the points
    out = np.einsum("cab,kqap,kqb->cp", _CROSS, turn, first) + np.einsum("kq,kqcp->cp", mass, shift)
    out[:, 1::3] += panels.curved * np.einsum("jkq,kq,kqc->cj", basis, m33, t3)
    out[:, 2::3] -= panels.curved * np.einsum("jkq,kq,kqc->cj", basis, m22, t2)
    for at, point, offset in zip(rod.point_s, rod.point_mass, rod.point_offset, strict=True):
        out += point * shift_sensitivity(rod, at, nodes, starts, offset)
    return np.asarray(out)


def shift_sensitivity(rod: RodModel, s: float, nodes: Array, starts: Array, offset: Array = _AXIS) -> Array:
    """Derivative of a place at s by the parameters of `section_motions`, (3, 3 functions), m.

    nodes, starts : of `physics.rod_sensitivity.section_motions`    offset : (2,) from the centreline, m
    """
    motion = _motion_at(rod, s, nodes, starts)
    return np.asarray(np.einsum("cab,ap,b->cp", _CROSS, motion[:3], beside(rod, s, offset)) + motion[3:])


_CROSS = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _CROSS[_i, _j, _k], _CROSS[_i, _k, _j] = 1.0, -1.0


def _motion_at(rod: RodModel, s: float, nodes: Array, starts: Array) -> Array:
    k = int(np.clip(np.searchsorted(rod.edges, s, side="right") - 1, 0, rod.panels.half.size - 1))
    at = (s - 0.5 * (rod.edges[k] + rod.edges[k + 1])) / rod.panels.half[k]
    if abs(at) >= 1.0:
        return np.asarray(starts[k] if at < 0.0 else starts[k + 1])
    weights = rod.panels.bary / (at - rod.panels.x)
    return np.asarray(np.einsum("q,qcp->cp", weights / weights.sum(), nodes[k]))
