"""Lines in bends: how many lobes a shape has, and shapes with a given number of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.state import State

FACES = 0.1  # of the largest deviation from the chord: smaller bends are no lobes
STRAIGHT = 1e-6  # of a line's length: a smaller deviation from the chord is none
PLACES = 81  # of a shape
HALVINGS = 60
LEVEL = 0.35  # cosine to the vertical below which a lobe goes sideways


class Lobes(NamedTuple):
    """Bends of a line to either side of its chord."""

    number: int
    first: Array  # (3,) unit, across the chord, towards the first lobe from end A; zero for a straight line

    @property
    def words(self) -> str:
        """As in '2 lobes, the first down'."""
        if self.number == 0:
            return "straight"
        lobes = f"{self.number} lobe{'s' if self.number > 1 else ''}"
        return f"{lobes}, {'the first ' if self.number > 1 else ''}{_way(self.first)}"


def _way(direction: Array) -> str:
    """A direction in words."""
    x, y, z = direction
    if abs(z) > LEVEL:
        return "up" if z > 0.0 else "down"
    axis, value = ("x", x) if abs(x) > abs(y) else ("y", y)
    return f"to {'+' if value > 0.0 else '-'}{axis}"


def lobes_of(state: State, i: int) -> Lobes:
    """Lobes of line i in the plane in which it deviates most from its chord."""
    r = state.position[state.start[i] : state.start[i + 1]]
    chord = r[-1] - r[0]
    size = float(np.linalg.norm(chord))
    t = chord / size if size > 0.0 else np.zeros(3)
    away = r - r[0]
    away = away - np.outer(away @ t, t)
    length = float(state.s[state.start[i + 1] - 1])
    if float(np.abs(away).max(initial=0.0)) <= STRAIGHT * length:
        return Lobes(0, np.zeros(3))
    values, vectors = np.linalg.eigh(away.T @ away)
    side = away @ vectors[:, int(np.argmax(values))]
    seen = side[np.abs(side) > FACES * np.abs(side).max()]
    count = 1 + int(np.sum(np.sign(seen[1:]) != np.sign(seen[:-1])))
    first = vectors[:, int(np.argmax(values))] * np.sign(seen[0])
    return Lobes(count, first)


def waves(a: Array, b: Array, length: float, count: int, way: Array) -> Array | None:
    """(n, 3) places along a sine of `count` half waves from a to b that is `length` long; None without slack."""
    chord = float(np.linalg.norm(b - a))
    if chord >= (1.0 - STRAIGHT) * length:
        return None
    u = np.linspace(0.0, 1.0, PLACES)
    base, wave = a + np.outer(u, b - a), np.outer(np.sin(count * np.pi * u), way)

    def excess(height: float) -> float:
        return float(np.linalg.norm(np.diff(base + height * wave, axis=0), axis=1).sum()) - length

    low, high = 0.0, length
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) < 0.0 else (low, middle)
    places: Array = base + low * wave
    return places


def across(a: Array, b: Array) -> list[Array]:
    """Four unit vectors across the chord: down, up, and to either side."""
    chord = b - a
    size = float(np.linalg.norm(chord))
    t = chord / size if size > 0.0 else np.array([1.0, 0.0, 0.0])
    down = np.array([0.0, 0.0, -1.0]) - (-t[2]) * t
    if float(np.linalg.norm(down)) < 1e-6:  # a vertical chord
        down = np.array([1.0, 0.0, 0.0])
    down /= np.linalg.norm(down)
    side = np.cross(t, down)
    return [down, -down, side, -side]
