"""Arrays of the winches that pay lines out or haul them in."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints, floats, ints
from ropewalk.model.in_time import FunctionBook, Functions, Piece, held_before, rounded
from ropewalk.physics.in_time import value_at
from ropewalk.spec.in_time import ConstantValue, HarmonicValue, TableValue
from ropewalk.spec.lines import Line
from ropewalk.spec.payout import Payout


class Winches(NamedTuple):
    """One entry per line with a winch."""

    line: Ints  # (n,) which line
    end: Ints  # (n,) 0 for A, 1 for B
    function: Ints  # (n,) unstretched length paid out, m, against time
    ramp: Array  # (n,) shortest time in which a speed changes, s; 0 where it jumps or changes smoothly


def build_winches(lines: Mapping[str, Line], book: FunctionBook) -> Winches:
    """Arrays of all winches, in the order of their lines."""
    given = [(i, line.payout) for i, line in enumerate(lines.values()) if line.payout is not None]
    return Winches(
        line=ints([i for i, _ in given]),
        end=ints([0 if payout.end == "A" else 1 for _, payout in given]),
        function=ints([_length(payout, book) for _, payout in given]),
        ramp=floats([payout.ramp if payout.rate is None or _speed(payout) is not None else 0.0 for _, payout in given]),
    )


def lengths_at(winches: Winches, functions: Functions, length: Array, t: float) -> Array:
    """Unstretched lengths of all lines at time t (m), from those at the start."""
    result = np.array(length)
    for i, line in enumerate(winches.line):
        result[line] += value_at(t, winches.function[i], functions)[0]
    return result


def _speed(payout: Payout) -> float | None:
    """Speed of a winch with a constant rate, m/s."""
    rate = payout.rate.value if isinstance(payout.rate, ConstantValue) else payout.rate
    return float(rate) if isinstance(rate, int | float) else None


def _length(payout: Payout, book: FunctionBook) -> int:
    """The function of the length that a winch pays out."""
    speed = _speed(payout)
    if speed is not None:
        return book.add(pieces=rounded([(0.0, speed)], payout.ramp))
    if isinstance(payout.rate, TableValue):
        return book.add(pieces=_summed(payout.rate))
    if isinstance(payout.rate, HarmonicValue):
        return _swung(payout.rate, book)
    assert payout.time is not None and payout.length is not None
    speeds = np.diff(payout.length) / np.diff(payout.time)
    jumps = np.diff(speeds, prepend=0.0, append=0.0)
    return book.add(pieces=rounded([(t, float(j)) for t, j in zip(payout.time, jumps, strict=True)], payout.ramp))


def _summed(rate: TableValue) -> list[Piece]:
    """Integral of a table of rates from t = 0; before its first entry the rate is that of the first entry."""
    entries = list(zip(rate.time, rate.value, strict=True))
    entries = entries if rate.time[0] == 0.0 else [(0.0, rate.value[0]), *entries]
    length, pieces = 0.0, [held_before(0.0, 0.0)]
    for (t0, r0), (t1, r1) in pairwise(entries):
        pieces.append((t0, length, r0, 0.5 * (r1 - r0) / (t1 - t0), 0.0))
        length += 0.5 * (r0 + r1) * (t1 - t0)
    return [*pieces, (entries[-1][0], length, entries[-1][1], 0.0, 0.0)]


def _swung(rate: HarmonicValue, book: FunctionBook) -> int:
    """Integral of a mean and harmonic terms from t = 0."""
    moving = [term for term in rate.terms if term.omega > 0.0]
    steady = rate.mean + sum(term.amplitude * np.cos(term.phase) for term in rate.terms if term.omega == 0.0)
    offset = sum(term.amplitude / term.omega * np.sin(term.phase) for term in moving)
    terms = [(term.amplitude / term.omega, term.omega, term.phase + 0.5 * np.pi) for term in moving]
    return book.add(float(offset), 0.0, terms, [(0.0, 0.0, float(steady), 0.0, 0.0)])
