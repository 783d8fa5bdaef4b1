"""Equilibria of lines in plain numpy and scipy: each is an initial value problem, what they meet in a root.

A line under a load q per unstretched length has F' = -q and r' = (1 + strain(|F|)) F / |F|, with F the force of what is
beyond s on what is before. Weight, buoyancy, current and bed are those of docs/theory/morison.md. The system is read as
the file has it. Integration is to 1e-9 and roots to 1e-10, so that what these references are off by is what their bed
leaves out where a line lies on it: it is rigid there, which is below 2e-4 of the end forces in these cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import ropewalk as rw

Array = NDArray[np.float64]
UP = np.array([0.0, 0.0, 1.0])
STEEL = 7850.0  # kg/m3
TINY = 1e-7  # m of line at an end without tension, whose direction is that of its load


@dataclass(frozen=True)
class Water:
    """Gravity, water, current and bed of a case."""

    system: rw.System

    @property
    def g(self) -> float:
        return float(self.system.environment.gravity)

    @property
    def rho(self) -> float:
        return float(self.system.environment.water_density)

    @property
    def bed(self) -> float:
        """Height of the bed, m."""
        return -float(self.system.environment.depth or np.inf)

    def current(self, z: float) -> Array:
        """(3,) m/s"""
        flow = self.system.environment.current
        if flow is None:
            return np.zeros(3)
        speed, turn, z = float(flow.speed), 0.0, min(z, 0.0)
        profile = flow.profile
        if profile.kind == "power":
            speed *= max(0.0, (z - self.bed) / -self.bed) ** profile.exponent
        elif profile.kind == "table":
            speed *= float(np.interp(z, profile.z, profile.factor))
            turn = float(np.interp(z, profile.z, profile.turn))
        angle = np.radians(float(flow.heading) + turn)
        return speed * np.array([np.cos(angle), np.sin(angle), 0.0])


@dataclass(frozen=True)
class Piece:
    """A stretch of one section."""

    length: float
    section: Any
    water: Water

    @property
    def weight(self) -> float:
        """In water, N/m."""
        return float(self.section.mass - self.water.rho * self.section.displaced_area) * self.water.g

    def strain(self, tension: float) -> float:
        law = self.section.axial_stiffness
        if isinstance(law, float | int):
            return 0.0 if np.isinf(law) else tension / float(law)
        if isinstance(law, str):
            return 0.0
        if law.kind == "table":
            return float(np.interp(tension, law.tension, law.strain))

        def excess(e: float) -> float:
            return float(law.stiffness * (e + sum(c * e ** (k + 2) for k, c in enumerate(law.coefficients))) - tension)

        return 0.0 if tension <= 0.0 else float(brentq(excess, 0.0, tension / law.stiffness + 1e-12, xtol=1e-15))

    def load(self, z: float, t: Array, bed: bool = False) -> Array:
        """(3,) N/m of unstretched length.  bed : the elastic bed bears on it, too"""
        drag, d = self.section.drag, self.section.drag_diameter or self.section.diameter
        normal, along, reference = (1.2, 0.008, np.pi) if drag is None else (
            drag.normal, drag.tangential, 1.0 if drag.tangential_reference == "diameter" else np.pi
        )  # fmt: skip
        u = self.water.current(z)
        ut = (u @ t) * t
        un = u - ut
        half = 0.5 * self.water.rho * d
        q = half * (normal * np.linalg.norm(un) * un + along * reference * np.linalg.norm(ut) * ut) - self.weight * UP
        if bed and z < self.water.bed:
            seabed = self.water.system.environment.seabed
            q = q + seabed.stiffness * np.sqrt(4.0 / np.pi * self.section.displaced_area) * (self.water.bed - z) * UP
        return q


def pieces_of(system: rw.System, line: str) -> list[Piece]:
    """From end A to end B."""
    return [Piece(float(p.length), system.sections[p.section], Water(system)) for p in system.lines[line].pieces]


def march(pieces: list[Piece], r: Array, F: Array, lumps: Any = (), span: tuple[float, float] = (0.0, np.inf),
          bed: str = "") -> tuple[Array, Array]:  # fmt: skip
    """Place (3,) m and force (3,) N at the end of `span` (m), from those at its beginning.

    lumps : (s, weight in water) of what is attached, m and N    bed : "soft" where it bears on what is below it,
    "rigid" where all of the span lies on it without friction
    """
    y, begin = np.concatenate([r, F]), 0.0
    for piece in pieces:
        end = begin + piece.length
        cuts = np.clip([begin, *sorted(s for s, _ in lumps if begin < s < end), end], *span)
        for a, b in pairwise(cuts):
            if b <= a:
                continue

            def rate(_: float, y: Array, piece: Piece = piece) -> Array:
                T = float(np.linalg.norm(y[3:]))
                t = y[3:] / T
                q = piece.load(y[2], t, bed == "soft")
                if bed == "rigid":
                    q[2] = 0.0
                return np.concatenate([(1.0 + piece.strain(T)) * t, -q])

            y = solve_ivp(rate, (a, b), y, method="DOP853", rtol=1e-9, atol=1e-9).y[:, -1]
            y[5] += sum(weight for s, weight in lumps if s == b)
        begin = end
    return y[:3], y[3:]


def laid(pieces: list[Piece], r: Array, F: Array, stretches: list[tuple[float, float]],
         bed: str = "") -> tuple[Array, Array, list[float]]:  # fmt: skip
    """As `march`, with stretches of s (m) on the rigid bed; and what is zero where they begin: height, m, and force.

    A stretch that begins at 0, where the line is held, has no such conditions.
    """
    s, misses, low = 0.0, [], pieces[0].water.bed
    for begin, end in stretches:
        r, F = march(pieces, r, F, span=(s, begin))
        if begin > 0.0:
            misses += [float(r[2]) - low, float(F[2]) / 1e2]
        r, F = march(pieces, np.array([*r[:2], low]), np.array([*F[:2], 0.0]), span=(begin, end), bed="rigid")
        s = end
    r, F = march(pieces, r, F, span=(s, np.inf), bed=bed)
    return r, F, misses


def hanging(pieces: list[Piece], low: float, high: float, lumps: Any = ()) -> tuple[Array, float]:
    """Force (3,) of a slack line on what holds it at the height `high`, and how long it hangs to `low`, m.

    pieces : from the upper end down    lumps : s from there
    The lower end has no tension; so much line hangs that it just reaches down.
    """

    def falls(length: float) -> tuple[float, Array]:
        up, left = [], length
        for piece in pieces:
            up.append(Piece(min(left, piece.length), piece.section, piece.water))
            left -= up[-1].length
            if left <= 0.0:
                break
        t = UP
        for _ in range(100):  # a line without tension at its end lies along its load
            q = up[-1].load(low, t)
            t = -q / np.linalg.norm(q)
        own = [(length - s, weight) for s, weight in lumps if s < length]
        end, F = march(up[::-1], np.array([0.0, 0.0, low]), -q * TINY, own)
        return float(end[2] - high), F

    whole = sum(piece.length for piece in pieces)
    length = float(brentq(lambda x: falls(x)[0], 0.5 * (high - low), min(whole, 3.0 * (high - low)), xtol=1e-9))
    return -falls(length)[1], length


def solved(miss: Callable[[Array], Array], guess: Array, scale: Array) -> Array:
    """The root of `miss` to 1e-7 by Newton's method with halved steps; `scale` is that of its unknowns."""
    x, now = guess, miss(guess)
    for _ in range(100):
        if np.abs(now).max() < 1e-7:
            return x
        slope = np.stack([(miss(x + step) - now) / 1e-5 for step in 1e-5 * np.diag(scale)], axis=1)
        step = scale * np.linalg.solve(slope, -now)
        part, there = 1.0, np.full_like(now, np.inf)
        while not np.linalg.norm(there) < np.linalg.norm(now):
            assert part > 1e-6, f"no root near {x}: {now} is left"
            there, part = miss(x + part * step), 0.5 * part
        x, now = x + 2.0 * part * step, there
    raise AssertionError(f"no root in 100 steps: {now} is left")


def footing(system: rw.System, point: Any) -> tuple[float, float]:
    """Area (m2) on which a free point stands on the bed, and its weight in water without lines, N."""
    water = Water(system)
    weight = (point.mass - water.rho * point.volume) * water.g - point.force[2]
    diameter = np.cbrt(6.0 / np.pi * max(point.volume, point.mass / STEEL))
    stiffness = system.environment.seabed.stiffness
    return max(0.25 * np.pi * diameter**2, weight / (0.1 * stiffness * diameter)), weight


def lumps_of(system: rw.System, line: str) -> list[tuple[float, float]]:
    """s from end A (m) and weight in water (N) of what is attached to a line."""
    water = Water(system)
    return [(a.s, (a.mass - water.rho * a.volume) * water.g) for a in system.lines[line].attachments]
