r"""A floating rod and its wet part, integrated by other means than the search for its poses (audit_poses.py).

The frame is carried along the rod by rotations of fourth order (Magnus) and everything along s is integrated by
Simpson's rule on stations of its own; a section cut by the surface has closed forms. The search uses Gauss points with
rows interpolated between them, sections found by where they dry out, and stiffnesses in place of energies.

In head axes, with u the direction of up, z the height of the head, and sections in coordinates y, w along t2 and t3,

.. math:: x = p + y\, t_2 + w\, t_3, \qquad dV = (1 - \kappa_3 y + \kappa_2 w)\, dy\, dw\, ds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre

from ropewalk.model.arrays import Array, Ints
from ropewalk.model.rods import RodModel, curvature_of
from ropewalk.physics.rod_shape import RECTANGLE

STATIONS = 160  # intervals of a rod, at least; two half steps each
GAUSS = np.array([-np.sqrt(0.6), 0.0, np.sqrt(0.6)])
GAUSS_WEIGHT = np.array([5.0, 8.0, 5.0]) / 9.0
TINY = 1e-300


class Stations(NamedTuple):
    """A rod at places along s."""

    weight: Array  # (n,) m, of Simpson's rule
    cell: Ints  # (m, 3) stations of each interval of Simpson's rule; two in a row are of one length
    size: Array  # (m,) m, of the intervals
    kappa: Array  # (n, 3) 1/m
    position: Array  # (n, 3) m
    frame: Array  # (n, 3, 3) columns t1, t2, t3
    a: Array  # (n,) m
    b: Array  # (n,) m
    mass: Array  # (n, 3) per metre, with second moments: kg/m, kg m, kg m
    panel: Array  # (n,) number of the panel
    at: Array  # (n,) m, arc length


class Sums(NamedTuple):
    """Integrals over the wet part of a rod."""

    volume: float  # m3
    moment: Array  # (3,) m4, about the head, in head axes
    error: float  # m3, of the volume: how far it is from that with half as many stations where nothing is split


def stations(rod: RodModel, intervals: int = STATIONS) -> Stations:
    """The rod, carried along from its head."""
    panels, n_panels = rod.panels, rod.panels.half.size
    counts = np.maximum(4, 2 * np.ceil(intervals * panels.half / rod.length)).astype(int)
    kappa, sizes = curvature_of(rod), np.stack([panels.rows["a"], panels.rows["b"]], -1)
    known = np.concatenate([kappa, sizes, rod.line_mass], axis=2)
    R, p = np.eye(3), np.zeros(3)
    parts: list[tuple[Any, ...]] = []
    for k in range(n_panels):
        n, h = int(counts[k]), 2.0 * float(panels.half[k]) / int(counts[k])
        R = R @ _turn(rod.jump[k][None])[0]
        x = np.linspace(-1.0, 1.0, 2 * n + 1)
        values = between(panels.x, known[k], x)
        frames = _frames(R, values[:, :3], 0.5 * h, between(panels.x, known[k, :, :3], _inner(x)))
        t1 = frames[:, :, 0]
        steps = h / 24.0 * (5.0 * t1[:-2:2] + 8.0 * t1[1::2] - t1[2::2])  # to the middle of each interval
        whole = h / 6.0 * (t1[:-2:2] + 4.0 * t1[1::2] + t1[2::2])
        ends = p + np.vstack([np.zeros(3), np.cumsum(whole, axis=0)])
        places = np.empty((2 * n + 1, 3))
        places[::2], places[1::2] = ends, ends[:-1] + steps
        at = float(rod.edges[k]) + 0.5 * h * np.arange(2 * n + 1)
        first = sum(part[0].size for part in parts) + 2 * np.arange(n)
        cells = np.stack([first, first + 1, first + 2], 1)
        own = (values[:, :3], places, frames, values[:, 3], values[:, 4], values[:, 5:8], np.full(2 * n + 1, k), at)
        parts.append((_simpson(2 * n + 1, 0.5 * h), cells, np.full(n, h), *own))
        R, p = frames[-1], places[-1]
    return Stations(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def between(nodes: Array, values: Array, x: Array) -> Array:
    """The polynomial through values (n, m) at nodes, at places x."""
    coefficients = np.linalg.solve(legendre.legvander(nodes, nodes.size - 1), values)
    return np.asarray(legendre.legvander(x, nodes.size - 1) @ coefficients, dtype=np.float64)


def _inner(x: Array) -> Array:
    """Two Gauss points in each gap of x, one behind the other."""
    middle, half = 0.5 * (x[1:] + x[:-1]), 0.5 * (x[1] - x[0]) / np.sqrt(3.0)
    return np.stack([middle - half, middle + half], 1).ravel()


def _frames(R: Array, kappa: Array, h: float, inner: Array) -> Array:
    """Frames at stations h apart, by the Magnus series to fourth order.  inner : curvature at two Gauss points a gap"""
    one, two = inner[::2], inner[1::2]
    steps = _turn(0.5 * h * (one + two) + np.sqrt(3.0) / 12.0 * h**2 * np.cross(one, two))
    frames = np.empty((kappa.shape[0], 3, 3))
    frames[0] = R
    for k, step in enumerate(steps):
        frames[k + 1] = frames[k] @ step
    return frames


def _turn(vectors: Array) -> Array:
    """(n, 3, 3) rotations by rotation vectors (Rodrigues)."""
    angle = np.linalg.norm(vectors, axis=1)
    axis = vectors / np.maximum(angle, TINY)[:, None]
    K = np.zeros((vectors.shape[0], 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    K -= K.transpose(0, 2, 1)
    s, c = np.sin(angle)[:, None, None], 1.0 - np.cos(angle)[:, None, None]
    turned: Array = np.eye(3) + s * K + c * (K @ K)
    return turned


def _simpson(n: int, h: float) -> Array:
    """(n,) weights of n stations h apart."""
    weights = np.full(n, 2.0)
    weights[1::2], weights[[0, -1]] = 4.0, 1.0
    return weights * h / 3.0


def cut(rod: RodModel, along: Stations, z: float, u: Array) -> tuple[Array, Array, Array]:
    """Wet area (n,), its first (n, 2) and second moments (n, 3: yy, yw, ww) of every section, m2, m3, m4."""
    e = z + along.position @ u
    r2, r3 = along.a * (along.frame[:, :, 1] @ u), along.b * (along.frame[:, :, 2] @ u)
    one = _rectangle(e, r2, r3) if rod.panels.section == RECTANGLE else _disc(e, r2, r3)
    a, b = along.a, along.b
    area, y, w, yy, yw, ww = (a * b * each for each in one)
    return area, np.stack([a * y, b * w], 1), np.stack([a * a * yy, a * b * yw, b * b * ww], 1)


def _disc(e: Array, r2: Array, r3: Array) -> tuple[Array, ...]:
    """Of the part of the unit disc where e + r2 Y + r3 W < 0: area, Y, W, YY, YW, WW."""
    n = np.hypot(r2, r3)
    N2, N3 = r2 / np.maximum(n, TINY), r3 / np.maximum(n, TINY)
    d = np.where(n > 0.0, np.clip(-e / np.maximum(n, TINY), -1.0, 1.0), np.where(e < 0.0, 1.0, -1.0))
    c, angle = np.sqrt(1.0 - d * d), np.arcsin(d) + 0.5 * np.pi
    first = -2.0 / 3.0 * c**3
    across = 0.25 * (angle - d * c * (1.0 - 2.0 * d * d))
    beside = 2.0 / 3.0 * (0.375 * angle + d * c * (5.0 - 2.0 * d * d) / 8.0)
    return (angle + d * c, N2 * first, N3 * first, N2 * N2 * across + N3 * N3 * beside,
            N2 * N3 * (across - beside), N3 * N3 * across + N2 * N2 * beside)  # fmt: skip


def _rectangle(e: Array, r2: Array, r3: Array) -> tuple[Array, ...]:
    """As `_disc`, of the square from -1 to 1: strips along W between where the surface leaves its sides."""
    safe2, safe3 = (np.where(np.abs(r) > TINY, r, TINY) for r in (r2, r3))
    with np.errstate(over="ignore"):
        leaves = np.sort(np.clip(np.stack([(-e - r3) / safe2, (-e + r3) / safe2]), -1.0, 1.0), axis=0)
    ends = np.stack([-np.ones_like(e), *leaves, np.ones_like(e)])
    middle, half = 0.5 * (ends[1:] + ends[:-1]), 0.5 * (ends[1:] - ends[:-1])
    Y = middle[..., None] + half[..., None] * GAUSS
    weight = half[..., None] * GAUSS_WEIGHT
    with np.errstate(over="ignore"):
        level = np.clip((-e[None, :, None] - r2[None, :, None] * Y) / safe3[None, :, None], -1.0, 1.0)
    low, high = np.where(safe3[None, :, None] > 0.0, -1.0, level), np.where(safe3[None, :, None] > 0.0, level, 1.0)
    powers = [(high**k - low**k) / k for k in (1, 2, 3)]
    terms = (powers[0], Y * powers[0], powers[1], Y * Y * powers[0], Y * powers[1], powers[2])
    return tuple(np.sum(weight * term, axis=(0, 2)) for term in terms)


def density(rod: RodModel, along: Stations, sections: tuple[Array, ...]) -> tuple[Array, Array]:
    """Of sections with area, first and second moments: volume (n,) and first moment (n, 3), per metre."""
    area, first, second = sections
    c2, c3 = -rod.panels.curved * along.kappa[:, 2], rod.panels.curved * along.kappa[:, 1]
    volume = area + c2 * first[:, 0] + c3 * first[:, 1]
    y = first[:, 0] + c2 * second[:, 0] + c3 * second[:, 1]
    w = first[:, 1] + c2 * second[:, 1] + c3 * second[:, 2]
    moment = volume[:, None] * along.position + y[:, None] * along.frame[:, :, 1] + w[:, None] * along.frame[:, :, 2]
    return volume, moment


def wet(rod: RodModel, along: Stations, z: float, u: Array) -> Sums:
    """The wet part; intervals in which sections dry out or drown are split there."""
    volume, moment = density(rod, along, cut(rod, along, z, u))
    rates = np.column_stack([volume, moment])
    f = rates[along.cell]
    each = along.size[:, None] / 6.0 * (f[:, 0] + 4.0 * f[:, 1] + f[:, 2])
    breaks = _breaks(rod, along, z, u)
    is_split = breaks.min(axis=1) < 1.0
    twice = along.size[::2] / 3.0 * (f[::2, 0, 0] + 4.0 * f[::2, 2, 0] + f[1::2, 2, 0])
    pairs = ~(is_split[::2] | is_split[1::2])
    error = abs(float((each[::2, 0] + each[1::2, 0] - twice)[pairs].sum()))
    whole = each[~is_split].sum(axis=0)
    if is_split.any():
        inner = _inside(along, np.flatnonzero(is_split), breaks[is_split])
        volume, moment = density(rod, inner, cut(rod, inner, z, u))
        whole = whole + inner.weight @ np.column_stack([volume, moment])
    return Sums(float(whole[0]), whole[1:], error)


def _breaks(rod: RodModel, along: Stations, z: float, u: Array) -> Array:
    """(m, 4) where the highest and the lowest point of sections pass the surface, in shares of it; else 1."""
    e = z + along.position @ u
    r2, r3 = (np.abs(size * (along.frame[:, :, i] @ u)) for i, size in ((1, along.a), (2, along.b)))
    reach = r2 + r3 if rod.panels.section == RECTANGLE else np.hypot(r2, r3)
    found = []
    for level in (e + reach, e - reach):
        at = level[along.cell]
        for k in (0, 1):
            passes = (at[:, k] < 0.0) != (at[:, k + 1] < 0.0)
            gap = np.where(passes, at[:, k] - at[:, k + 1], 1.0)
            found.append(np.where(passes, 0.5 * k + 0.5 * at[:, k] / gap, 1.0))
    return np.sort(np.stack(found, 1), axis=1)


def _inside(along: Stations, cells: Ints, breaks: Array) -> Stations:
    """Gauss points between the breaks of some intervals; what is known there by parabolas through their stations."""
    ends = np.column_stack([np.zeros(cells.size), breaks, np.ones(cells.size)])
    half = 0.5 * (ends[:, 1:] - ends[:, :-1])
    x = (0.5 * (ends[:, 1:] + ends[:, :-1]))[..., None] + half[..., None] * GAUSS
    weight = (half * along.size[cells, None])[..., None] * GAUSS_WEIGHT
    shares = np.stack([(1.0 - x) * (1.0 - 2.0 * x), 4.0 * x * (1.0 - x), x * (2.0 * x - 1.0)], -1).reshape(
        len(cells), -1, 3
    )

    def at(values: Array) -> Array:
        found = np.einsum("cqk,ck...->cq...", shares, values[along.cell[cells]])
        return np.asarray(found.reshape(-1, *values.shape[1:]))

    return along._replace(
        weight=weight.ravel(), kappa=at(along.kappa), position=at(along.position), frame=at(along.frame),
        a=at(along.a), b=at(along.b), mass=at(along.mass), at=at(along.at),
    )  # fmt: skip


def dry(rod: RodModel, along: Stations) -> tuple[float, Array]:
    """Mass (kg) and its first moment about the head (kg m)."""
    m, m22, m33 = along.mass.T
    volume, moment = density(rod, along, (m, np.zeros((m.size, 2)), np.stack([m22, np.zeros_like(m), m33], 1)))
    mass, first = float(along.weight @ volume), along.weight @ moment
    for s, point, offset in zip(rod.point_s, rod.point_mass, rod.point_offset, strict=True):
        mass, first = mass + float(point), first + point * place(along, float(s), offset)
    return mass, first


def place(along: Stations, s: float, offset: Array) -> Array:
    """(3,) place beside the centreline, m.  s : of a point mass or support, which panels end at"""
    k = int(np.argmin(np.abs(along.at - s)))
    way = s - float(along.at[k])
    frame = along.frame[k]
    bent: Array = along.position[k] + way * frame[:, 0] + 0.5 * way**2 * (frame @ np.cross(along.kappa[k], [1.0, 0, 0]))
    return bent + frame[:, 1] * offset[0] + frame[:, 2] * offset[1]
