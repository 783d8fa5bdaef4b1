"""Water, bed, waves, current and wind around a scene."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.viewer.packing import Array, packed

if TYPE_CHECKING:
    from ropewalk.model.environment import Sea
    from ropewalk.spec.environment import Current, Environment, Wind

MARGIN = 0.12  # of the largest extent, around what is drawn
NEAR = 1.0  # extents: a bed or surface further off than this is left out of the picture
SMALLEST = 1e-3  # m; a scene is never drawn smaller than this
MOST_COMPONENTS = 256  # waves on the page; more would slow a small graphics card
MOST_CELLS, FEWEST_CELLS = 200, 64  # of the water surface along an edge
CELLS_PER_WAVE = 40  # of the wave that carries most, so that those a tenth as long are drawn too
SHORTEST = 4.0  # cells; shorter waves cannot be drawn on the surface and are left out
ARROWS = 7  # of the current over the depth


@dataclass(frozen=True)
class Waves:
    """Wave components that are drawn: elevation = sum a cos(kx x + ky y + phase - omega t), brought on over a ramp."""

    amplitude: Array  # (n,) m
    kx: Array  # (n,) rad/m
    ky: Array  # (n,) rad/m
    omega: Array  # (n,) rad/s
    phase: Array  # (n,) rad
    cells: int  # of the surface along each edge
    left_out: float  # m, standard deviation of the components left out
    faceting: float  # m, standard deviation of the error that flat facets make
    ramp: float = 0.0  # s

    @property
    def error(self) -> float:
        """Standard deviation of what the drawn surface misses, m."""
        return math.hypot(self.left_out, self.faceting)

    def to_json(self, origin: Array) -> dict[str, Any]:
        """Plain data for the page; phases are those at `origin` (m)."""
        return {
            "amplitude": self.amplitude.tolist(),
            "ramp": self.ramp,
            "kx": self.kx.tolist(),
            "ky": self.ky.tolist(),
            "omega": self.omega.tolist(),
            "phase": np.mod(self.phase + self.kx * origin[0] + self.ky * origin[1], 2.0 * np.pi).tolist(),
            "cells": self.cells,
        }


@dataclass(frozen=True)
class Surroundings:
    """The box that is drawn, and what fills it."""

    low: Array  # (3,) m
    high: Array  # (3,) m
    water: bool  # whether the still surface z = 0 is in the box
    bed: tuple[float, float, float] | None  # z = b0 + b1 x + b2 y of the bed, if it is in the box
    solid: bool  # whether lines lie on the bed; without, they pass through it
    waves: Waves | None
    current: Array  # (n, 3) z (m), velocity along x and y (m/s)
    wind: Array  # (2,) velocity along x and y (m/s)
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    def to_json(self, origin: Array) -> dict[str, Any]:
        """Plain data for the page, relative to `origin`; phases are those at the origin of the page."""
        bed = None
        if self.bed is not None:
            b0, b1, b2 = self.bed
            bed = [b0 + b1 * float(origin[0]) + b2 * float(origin[1]) - float(origin[2]), b1, b2]
        waves = None if self.waves is None else self.waves.to_json(origin)
        return {
            "water": self.water,
            "bed": bed,
            "solid": self.solid,
            "waves": waves,
            "current": packed(self.current),
            "wind": [float(v) for v in self.wind],
            "facts": [list(fact) for fact in self.facts],
        }


def surroundings(environment: Environment, low: Array, high: Array, *, waves: bool = True) -> Surroundings:
    """What lies around parts between `low` and `high` (m).  waves : whether the surface moves"""
    from ropewalk.model.environment import build_sea

    sea = build_sea(environment)
    notes: list[str] = []
    low, high = low.astype(float), high.astype(float)
    size = max(float(np.max(high - low)), SMALLEST)
    water = environment.water_density > 0.0 and bool(low[2] - NEAR * size <= 0.0 <= high[2] + NEAR * size)
    if water:
        low[2], high[2] = min(low[2], 0.0), max(high[2], 0.0)
    elif environment.water_density > 0.0:
        notes.append("the water surface is outside the view")
    low[:2] -= MARGIN * size
    high[:2] += MARGIN * size
    bed = _bed(environment, sea, low, high, size, notes)
    above = MARGIN * min(size, 2.0 * float(high[2] - low[2]) or size)
    low[2], high[2] = low[2] - (0.0 if bed else above), high[2] + above
    drawn = drawn_waves(sea, float(np.max((high - low)[:2]))) if waves and water and sea.wave.shape[1] else None
    if drawn is not None:
        reach = float(np.sum(drawn.amplitude))
        high[2] = max(high[2], min(reach, 2.0 * math.sqrt(2.0 * float(np.sum(drawn.amplitude**2)))))
        notes.append(_wave_note(drawn, sea.wave.shape[1]))
    return Surroundings(
        low, high, water, bed, environment.has_seabed, drawn,
        current=_current(sea, float(low[2])),
        wind=sea.wind_speed * np.array([math.cos(sea.wind_heading), math.sin(sea.wind_heading)]),
        facts=_facts(environment),
        notes=tuple(notes),
    )  # fmt: skip


def _bed(
    environment: Environment, sea: Sea, low: Array, high: Array, size: float, notes: list[str]
) -> tuple[float, float, float] | None:
    """The plane of the bed, and room for it in the box; None where it lies too deep."""
    if environment.depth is None:
        return None
    plane = _plane(environment.depth, sea, notes)
    corners = [plane[0] + plane[1] * x + plane[2] * y for x in (low[0], high[0]) for y in (low[1], high[1])]
    if max(corners) < low[2] - NEAR * size:
        notes.append(f"the bed, {environment.depth:g} m deep, lies below the view")
        return None
    low[2], high[2] = min(low[2], *corners), max(high[2], *corners)
    return plane


def _plane(depth: float, sea: Sea, notes: list[str]) -> tuple[float, float, float]:
    """Height of the bed at the origin (m) and its slopes along x and y; of a grid, those of its mean plane."""
    ground = sea.bed_terrain
    if not ground.x.size:
        nx, ny, nz = (float(c) for c in sea.bed_normal)
        return -depth, -nx / nz, -ny / nz
    x, y = np.meshgrid(ground.x, ground.y, indexing="ij")
    rows = np.column_stack([np.ones(x.size), x.ravel(), y.ravel()])
    z, zx, zy = np.linalg.lstsq(rows, ground.table[:, :, 0].ravel(), rcond=None)[0].tolist()
    notes.append("the bed is drawn as the mean plane of its grid")
    return z, zx, zy


def drawn_waves(sea: Sea, width: float) -> Waves:
    """The strongest components that a surface of `width` (m) can show."""
    from ropewalk.physics.waves import WaveRows

    row = WaveRows(*sea.wave)
    a, k = row.amplitude, row.wavenumber
    main = 2.0 * math.pi / float(k[np.argmax(a)])
    cells = int(min(MOST_CELLS, max(FEWEST_CELLS, math.ceil(CELLS_PER_WAVE * width / main))))
    cell = width / cells
    order = np.argsort(-a, kind="stable")
    fits = 2.0 * math.pi / k[order] >= SHORTEST * cell
    kept = order[fits][:MOST_COMPONENTS]
    if not kept.size:
        kept = order[:1]  # better a coarse sea than a flat one; the error is a measure of it
    left = np.setdiff1d(order, kept)
    # linear interpolation over a cell loses (k h)^2 / 8 at a crest; along both edges of a square cell at the worst
    faceting = a[kept] * (k[kept] * cell) ** 2 / 8.0
    return Waves(
        a[kept],
        row.kx[kept],
        row.ky[kept],
        row.omega[kept],
        row.phase[kept],
        cells,
        math.sqrt(0.5 * float(np.sum(a[left] ** 2))),
        math.sqrt(0.5 * float(np.sum(faceting**2))),
        float(row.ramp[0]),
    )


def _wave_note(waves: Waves, n: int) -> str:
    shown = f"{waves.amplitude.size} of {n} wave components" if waves.amplitude.size < n else "all wave components"
    return f"the surface is drawn from {shown}; the neglected part is {waves.error:.2g} m (standard deviation)"


def _current(sea: Sea, floor: float) -> Array:
    """(n, 3) height and velocity of the current from the surface down; empty without one."""
    if sea.current_speed == 0.0 or sea.water_density == 0.0:
        return np.zeros((0, 3))
    from ropewalk.analysis.sea import current_profile

    depth = min(sea.depth, -floor) if floor < 0.0 else 0.0
    z = -depth * np.arange(ARROWS) / ARROWS if depth > 0.0 else np.zeros(1)
    return np.column_stack([z, current_profile(sea, z)])


def _facts(environment: Environment) -> tuple[tuple[str, str], ...]:
    """What acts, in words."""
    from ropewalk.spec.environment import ComponentWaves, FileWaves, RegularWaves

    facts = []
    if environment.depth is not None:
        facts.append(("depth", f"{environment.depth:g} m"))
    waves = environment.waves
    if isinstance(waves, RegularWaves):
        facts.append(("waves", f"{waves.height:g} m, {waves.period:g} s, towards {waves.heading:g}°"))
    elif isinstance(waves, ComponentWaves):
        facts.append(("waves", f"{len(waves.components)} given components"))
    elif waves is not None and not isinstance(waves, FileWaves):
        told = f"Hs {waves.significant_height:g} m, Tp {waves.peak_period:g} s, towards {waves.heading:g}°"
        facts.append(("waves", told))
    if environment.current is not None:
        facts.append(("current", _flow(environment.current)))
    if environment.wind is not None:
        facts.append(("wind", _flow(environment.wind)))
    return tuple(facts)


def _flow(flow: Current | Wind) -> str:
    """Speed and heading in words."""
    from ropewalk.spec.in_time import InTime

    speed, heading = (None if isinstance(value, InTime) else value for value in (flow.speed, flow.heading))
    how_fast = "changing" if speed is None else f"{speed:g} m/s"
    return f"{how_fast}, " + ("turning" if heading is None else f"towards {heading:g}°")
