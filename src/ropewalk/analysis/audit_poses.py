"""Audit of the poses of floating rods: balance, bending and stability, from sums of its own (audit_rods.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.analysis.audit_rods import STATIONS, Stations, between, cut, density, dry, place, stations, wet
from ropewalk.errors import ConvergenceError
from ropewalk.model.arrays import Array, Flags
from ropewalk.model.rods import RodModel, curvature_of

if TYPE_CHECKING:
    from collections.abc import Mapping

FORCE = 1e-6  # of the weight, and of weight times length: what may be out of balance
SHAPE = 1e-7  # of the length: how far the far end may be from where the search has it
BENDING = 1e-2  # of the largest moment: what bending and torsion may miss of the moment of the loads
COARSE = 1e-4  # of the length: error of the shape of an elastic rod beyond which it is doubted
ITSELF = 4.0  # times the difference between all stations and every other one: the error of the audit itself
FINER = 8192  # intervals where those of audit_rods.py leave more than the limits
TILT = 0.05  # of the thickest section over the length, rad: by which the energy is looked at beside a pose
CURVATURE = 1e-2  # of the largest second difference of the energy: what may contradict the kind of an equilibrium
SIDES = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))  # tilts that give the three second differences
SAME = 1e-12  # of the length: the end of a panel
LIMITS = {"force": FORCE, "moment": FORCE, "shape": SHAPE, "bending": BENDING, "stability": CURVATURE}


@dataclass(frozen=True)
class Holding:
    """What acts on a rod beside weight and water, in head axes about the head, and what of its pose is held."""

    place: Array = field(default_factory=lambda: np.zeros((0, 3)))  # (n, 3) m
    force: Array = field(default_factory=lambda: np.zeros((0, 3)))  # (n, 3) N
    moment: Array = field(default_factory=lambda: np.zeros(3))  # N m
    springs: tuple[tuple[float, float, float], ...] = ()  # arc length (m), height without force (m), stiffness (N/m)
    heave: bool = False
    turn: bool = False


FREE = Holding()


class Audited:
    """A rod in one shape, whose poses are audited."""

    def __init__(self, rod: RodModel, intervals: int = STATIONS) -> None:
        self.rod, self.along = rod, stations(rod, intervals)
        self.mass, self.first = dry(rod, self.along)
        self.tilt = TILT * float(max(self.along.a.max(), self.along.b.max())) / rod.length
        self.is_fine = intervals > STATIONS

    def figures(self, z: float, u: Array, kind: str = "", held: Holding = FREE) -> dict[str, float]:
        """How far a pose is from an equilibrium of its kind, by name; `LIMITS` has what each may be.

        z : m, height of the head    u : (3,) up in head axes    kind : minimum, saddle, maximum, or any other word
        """
        rod, g = self.rod, self.rod.gravity
        weight = self.mass * g
        sums = wet(rod, self.along, z, u)
        own = ITSELF * sums.error / max(self.mass / rod.water_density, np.finfo(float).tiny)
        force, moment = self._loads(z, u, held)
        force = force + (rod.water_density * g * sums.volume - weight) * u
        moment = moment + g * np.cross(rod.water_density * sums.moment - self.first, u)
        if not len(held.place):  # only lines push sideways and turn about the vertical
            force, moment = (force @ u) * u, moment - (moment @ u) * u
        far = self.along.position[-1] - rod.panels.ends[-1, 1]["position"]
        found = {
            "force": max(float(np.linalg.norm(force)) / weight - own, 0.0),
            "moment": max(float(np.linalg.norm(moment)) / (weight * rod.length) - own, 0.0),
            "shape": float(np.linalg.norm(far)) / rod.length,
        }
        if not held.turn and not len(held.place) and kind in ("minimum", "saddle", "maximum"):
            found["stability"] = _against(kind, self.tilted(z, u, held))
        if not self.is_fine and max(found["force"], found["moment"]) > FORCE:
            return Audited(rod, FINER).figures(z, u, kind, held)
        return found

    def _loads(self, z: float, u: Array, held: Holding) -> tuple[Array, Array]:
        """Force (N) and moment (N m) of what is given."""
        force, moment = held.force.sum(axis=0), held.moment + np.cross(held.place, held.force).sum(axis=0)
        for s, height, k in held.springs:
            at = place(self.along, s, np.zeros(2))
            pull = k * (height - z - float(u @ at)) * u
            force, moment = force + pull, moment + np.cross(at, pull)
        return force, moment

    def tilted(self, z: float, u: Array, held: Holding = FREE) -> Array:
        """(2,) eigenvalues of the energy over tilts, at the height at which the tilted rod floats, J per rad2."""
        across = np.linalg.svd(u[None])[2][1:]

        rise = self.tilt * self.tilt * self.rod.length
        (_, below), (_, above) = (self._energy(height, u, held) for height in (z - rise, z + rise))
        stiffness = 0.5 * (below - above) / rise

        def energy(tilt: Array) -> float:
            angle = float(np.linalg.norm(tilt))
            turned = np.cos(angle) * u + np.sin(angle) * (tilt @ across) / max(angle, np.finfo(float).tiny)
            value, lift = self._energy(z, turned, held)
            is_free = not held.heave and stiffness > 0.0
            return value - 0.5 * lift * lift / stiffness if is_free else value  # at the height where nothing lifts it

        here = energy(np.zeros(2))
        one, two, both = (
            (energy(self.tilt * np.array(side)) + energy(-self.tilt * np.array(side)) - 2.0 * here) / self.tilt**2
            for side in SIDES
        )
        mixed = 0.5 * (both - one - two)
        return np.linalg.eigvalsh(np.array([[one, mixed], [mixed, two]]))

    def _energy(self, z: float, u: Array, held: Holding) -> tuple[float, float]:
        """Energy (J) and the force upwards (N) that is its slope."""
        rod, sums = self.rod, wet(self.rod, self.along, z, u)
        own = self.mass * z + self.first @ u - rod.water_density * (sums.volume * z + sums.moment @ u)
        gaps = [(k, z + float(u @ place(self.along, s, np.zeros(2))) - at) for s, at, k in held.springs]
        lift = rod.gravity * (rod.water_density * sums.volume - self.mass) - sum(k * gap for k, gap in gaps)
        return rod.gravity * float(own) + sum(0.5 * k * gap * gap for k, gap in gaps), lift

    def bending(self, rest: RodModel, stiffness: Sequence[float], pose: tuple[float, Array], held: Holding) -> float:
        """How far bending and torsion are from the moment of the loads beyond each section, of the largest; rms.

        rest : the rod without load    stiffness : GJ, EI, EI, N m2    pose : z and u
        """
        rod, along, (z, u) = self.rod, self.along, pose
        if rod.panels.half.size != rest.panels.half.size:
            return 0.0
        change = _at_stations(rod, along, curvature_of(rod) - curvature_of(rest))
        inner = change * np.array(stiffness)
        outer = self._moments(z, u, held) + _crowding(rod, along, z, u)
        largest = float(np.abs(outer).max(initial=0.0))
        floor = FORCE * self.mass * rod.gravity * rod.length
        miss = np.sqrt(along.weight @ np.sum((inner - outer) ** 2, axis=1) / rod.length)
        return float(miss) / max(largest, floor)

    def _moments(self, z: float, u: Array, held: Holding) -> Array:
        """(n, 3) moment of all that acts beyond each section, in section axes, N m."""
        rod, along = self.rod, self.along
        m, m22, m33 = along.mass.T
        mass = density(rod, along, (m, np.zeros((m.size, 2)), np.stack([m22, 0.0 * m, m33], 1)))
        water = density(rod, along, cut(rod, along, z, u))
        up = rod.gravity * np.column_stack([rod.water_density * w - d for w, d in zip(water, mass, strict=True)])
        beyond = _beyond(along, up)
        for s, point, offset in zip(rod.point_s, rod.point_mass, rod.point_offset, strict=True):
            at = place(along, float(s), offset)
            beyond[_before(rod, along, float(s))] -= rod.gravity * point * np.append(1.0, at)
        for s, height, k in held.springs:
            at = place(along, s, np.zeros(2))
            beyond[_before(rod, along, s)] += k * (height - z - float(u @ at)) * np.append(1.0, at)
        arm = beyond[:, 1:] - beyond[:, :1] * along.position
        return np.einsum("nji,nj->ni", along.frame, np.cross(arm, u))


def _before(rod: RodModel, along: Stations, s: float) -> Flags:
    """(n,) stations that have what acts at s beyond them; panels end there, with a station on either side."""
    return np.asarray(along.panel < np.searchsorted(rod.edges, s - SAME * rod.length))


def _at_stations(rod: RodModel, along: Stations, values: Array) -> Array:
    """What is known at the Gauss points of panels, at stations."""
    out = np.empty((along.at.size, values.shape[2]))
    for k in range(values.shape[0]):
        own = along.panel == k
        middle = 0.5 * (rod.edges[k] + rod.edges[k + 1])
        out[own] = between(rod.panels.x, values[k], (along.at[own] - middle) / rod.panels.half[k])
    return out


def _beyond(along: Stations, rate: Array) -> Array:
    """(n, m) integrals of a rate from each station to the far end, by the trapezoid rule with its first correction."""
    gaps = np.diff(along.at)[:, None]
    steps = 0.5 * gaps * (rate[1:] + rate[:-1])
    return np.vstack([np.cumsum(steps[::-1], axis=0)[::-1], np.zeros(rate.shape[1])])


def _crowding(rod: RodModel, along: Stations, z: float, u: Array) -> Array:
    """(n, 3) moments by which bending lifts or lowers what lies beside the axis of its own section, N m."""
    area, first, second = cut(rod, along, z, u)
    e = z + along.position @ u
    r2, r3 = along.frame[:, :, 1] @ u, along.frame[:, :, 2] @ u
    by2 = first[:, 0] * e + second[:, 0] * r2 + second[:, 1] * r3
    by3 = first[:, 1] * e + second[:, 1] * r2 + second[:, 2] * r3
    g, rho = rod.gravity * rod.panels.curved, rod.water_density
    bend2 = g * (rho * by3 - along.mass[:, 2] * r3)
    bend3 = g * (along.mass[:, 1] * r2 - rho * by2)
    return np.column_stack([np.zeros_like(area), bend2, bend3])


def _against(kind: str, values: Array) -> float:
    """How far second differences contradict a kind of equilibrium, of the largest."""
    low, high = (float(value) / max(float(np.abs(values).max()), np.finfo(float).tiny) for value in values)
    return max({"minimum": -low, "maximum": high, "saddle": max(low, -high)}[kind], 0.0)


def limits(stated: float) -> dict[str, float]:
    """Of the figures of a pose whose shape is stated to be known to this share of the length.

    Forces follow the shape, bending its second derivative: it has no limit where the shape is coarse, which is a doubt.
    """
    found = {key: max(limit, stated) if key in ("force", "moment", "shape") else limit for key, limit in LIMITS.items()}
    return {**found, "bending": np.inf} if stated > COARSE else found


def refuse_unsound(name: str, figures: Mapping[str, float], stated: float = 0.0) -> None:
    """ConvergenceError for a pose that fails its audit.  name : of the rod and the pose    stated : see `limits`"""
    wrong = {key: value for key, value in figures.items() if not value <= limits(stated)[key]}
    if wrong:
        told = ", ".join(f"{key} {value:.2g} (limit {limits(stated)[key]:g})" for key, value in wrong.items())
        raise ConvergenceError(f"{name} fails its audit: {told}, relative to weight and length")
