"""Arrays of the functions of time of a case, read by physics/in_time.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Records
from ropewalk.model.tabled import limited_cubics
from ropewalk.physics.in_time import FUNCTION, KNOT, TERM
from ropewalk.spec import in_time as spec

Piece = tuple[float, float, float, float, float]  # time (s), then a cubic of the time since, lowest power first
Term = tuple[float, float, float]  # amplitude, omega (rad/s), phase (rad)


class Functions(NamedTuple):
    """All functions of time; those of one kind lie end to end."""

    function: Records  # (n,) of FUNCTION
    term: Records  # (m,) of TERM
    knot: Records  # (k,) of KNOT


class FunctionBook:
    """Collects functions while a model is built."""

    def __init__(self) -> None:
        self._function: list[tuple[float, float, int, int, int, int]] = []
        self._term: list[Term] = []
        self._knot: list[Piece] = []

    def add(
        self, constant: float = 0.0, ramp: float = 0.0, terms: Sequence[Term] = (), pieces: Sequence[Piece] = ()
    ) -> int:
        """Index of a new function; -1 for one that is 0."""
        if constant == 0.0 and not terms and not pieces:
            return -1
        a, b = len(self._term), len(self._knot)
        self._term += terms
        self._knot += pieces
        self._function.append((ramp, constant, a, len(self._term), b, len(self._knot)))
        return len(self._function) - 1

    def add_value(self, value: spec.Value, scale: float = 1.0) -> int:
        """Index of a value of the case; a plain number becomes a constant function."""
        if isinstance(value, spec.HarmonicValue):
            terms = [(scale * term.amplitude, term.omega, term.phase) for term in value.terms]
            return self.add(scale * value.mean, value.ramp, terms)
        if isinstance(value, spec.TableValue):
            entries = [scale * entry for entry in value.value]
            return self.add(0.0, value.ramp, (), straight(value.time, entries, value.after))
        if isinstance(value, spec.ConstantValue):
            return self.add(scale * value.value, value.ramp)
        assert isinstance(value, float | int)
        return self.add(scale * value)

    def add_vector(self, vector: spec.VectorValue) -> list[tuple[Array, int]]:
        """Directions and indices whose products sum to the varying part of a vector; the rest is in `steady_vector`."""
        axes = np.eye(3)
        if isinstance(vector, tuple):
            changing = [(j, component) for j, component in enumerate(vector) if isinstance(component, spec.InTime)]
            found = [(axes[j], self.add_value(component)) for j, component in changing]
        elif isinstance(vector, spec.HarmonicVector):
            terms = [(unit(t.direction), t.amplitude, t.omega, t.phase) for t in vector.terms]
            found = [(axes[j], self.add(vector.mean[j], vector.ramp, along(terms, j))) for j in range(3)]
        elif isinstance(vector, spec.TableVector):
            columns = zip(*vector.value, strict=True)
            pieces = [straight(vector.time, column, vector.after) if any(column) else () for column in columns]
            found = [(axes[j], self.add(0.0, vector.ramp, (), pieces[j])) for j in range(3)]
        else:
            assert isinstance(vector, spec.ConstantVector)
            found = [(axes[j], self.add(vector.value[j], vector.ramp)) for j in range(3)]
        return [(direction, index) for direction, index in found if index >= 0]

    def build(self) -> Functions:
        """All functions as arrays."""
        return Functions(_table(self._function, FUNCTION), _table(self._term, TERM), _table(self._knot, KNOT))


def steady(value: spec.Value) -> float:
    """A plain number, 0 for a value that varies in time, which model/given.py adds."""
    return 0.0 if isinstance(value, spec.InTime) else float(value)


def steady_vector(vector: spec.VectorValue) -> list[float]:
    """The plain numbers of a vector, 0 for components that change in time."""
    return [steady(component) for component in vector] if isinstance(vector, tuple) else [0.0, 0.0, 0.0]


def pieces_of(function: Functions, i: int) -> Records:
    """The cubic pieces of function i."""
    own = function.function[i]
    return function.knot[own.knot : own.knot_stop]


class Product(NamedTuple):
    """A polynomial times a cosine, over a span of time; functions of time are sums of these."""

    span: tuple[float, float]  # s, from where to where
    polynomial: Array  # of the time since the span began (since 0 if it has no beginning), lowest power first
    omega: float  # rad/s, 0 for no cosine
    phase: float  # rad, of time since 0


def products_of(functions: Functions, i: int) -> list[Product]:
    """Function i as a sum of products."""
    if i < 0:
        return []
    own, one = functions.function[i], np.array([1.0])
    found = []
    for amplitude, omega, phase in [(own.constant, 0.0, 0.0), *functions.term[own.term : own.term_stop].tolist()]:
        if amplitude == 0.0:
            continue
        if own.ramp > 0.0:
            found.append(Product((0.0, own.ramp), amplitude * smooth_start(own.ramp), omega, phase))
        found.append(Product((own.ramp if own.ramp > 0.0 else -np.inf, np.inf), amplitude * one, omega, phase))
    pieces = pieces_of(functions, i)
    ends = [*pieces.time[1:], np.inf][: pieces.size]
    for k, (piece, end) in enumerate(zip(pieces, ends, strict=True)):
        cubic = np.array([piece.c0, piece.c1, piece.c2, piece.c3])
        begin = -np.inf if k == 0 and pieces.size > 1 and not np.any(cubic[1:]) else float(piece.time)
        found += _brought_on(own.ramp, begin, float(end), cubic)
    return found


def smooth_start(duration: float) -> Array:
    """Polynomial of the ramp of physics/in_time.py, lowest power first.  duration : s"""
    return np.array([0.0, 0.0, 0.0, 10.0 / duration**3, -15.0 / duration**4, 6.0 / duration**5])


def _brought_on(ramp: float, begin: float, end: float, cubic: Array) -> list[Product]:
    """A piece from `begin` to `end` (s), cut where its ramp begins and ends."""
    if ramp <= 0.0:
        return [Product((begin, end), cubic, 0.0, 0.0)]
    found = []
    first, last = max(begin, 0.0), min(end, ramp)
    if first < last:
        rise = _shifted(smooth_start(ramp), first)
        since = first - begin if begin > -np.inf else 0.0  # pieces without a beginning are level
        found.append(Product((first, last), np.convolve(rise, _shifted(cubic, since)), 0.0, 0.0))
    if max(begin, ramp) < end:
        start = max(begin, ramp)
        found.append(Product((start, end), _shifted(cubic, start - begin if begin > -np.inf else 0.0), 0.0, 0.0))
    return found


def _shifted(polynomial: Array, by: float) -> Array:
    """The polynomial of x + by as one of x, lowest power first."""
    if not np.any(polynomial[1:]):
        return polynomial
    moved = np.polynomial.Polynomial(polynomial)(np.polynomial.Polynomial([by, 1.0]))
    return np.array(moved.coef, dtype=np.float64)


PARTS = 8  # of a period: between two corners a function is nearly a cubic


def corners_of(functions: Functions, i: int, begin: float, end: float) -> list[float]:
    """Times from `begin` to `end` (s) between which function i has no corner and at most one extremum."""
    own = functions.function[i]
    times = {begin, end, *pieces_of(functions, i).time.tolist(), float(own.ramp)}
    for omega in functions.term.omega[own.term : own.term_stop]:
        if omega > 0.0:
            times.update(np.arange(begin, end, 2.0 * np.pi / (PARTS * omega)).tolist())
    return sorted(t for t in times if begin <= t <= end)


def unit(vector: Sequence[float]) -> list[float]:
    """The vector with length 1."""
    length = math.hypot(*vector)
    return [component / length for component in vector]


def along(terms: Sequence[tuple[list[float], float, float, float]], axis: int) -> list[Term]:
    """Harmonic terms along one axis, of terms with directions."""
    return [(d[axis] * amplitude, omega, phase) for d, amplitude, omega, phase in terms if d[axis] != 0.0]


def straight(time: Sequence[float], value: Sequence[float], after: str) -> list[Piece]:
    """Pieces of a table, linear between its entries, constant before the first and, unless continued, after the last.

    after : 'hold' or 'continue'
    """
    slope = np.diff(value) / np.diff(time)
    inner = [(t, v, float(s), 0.0, 0.0) for t, v, s in zip(time, value, slope, strict=False)]
    last = float(slope[-1]) if after == "continue" and slope.size else 0.0
    return [held_before(time[0], value[0]), *inner, (time[-1], value[-1], last, 0.0, 0.0)]


def spline(time: Sequence[float], value: Sequence[float], after: str) -> list[Piece]:
    """Pieces of a cubic spline through the entries of a table.

    The third derivative is continuous at the knots next to the ends, so that the rates at the ends follow from the
    table; where a cubic would overshoot its entries it is limited.  after : as for `straight`
    """
    cubics = limited_cubics(np.array(time, dtype=np.float64), np.array(value, dtype=np.float64)).T
    inner = [(float(t), *(float(c) for c in row[::-1])) for t, row in zip(time, cubics, strict=False)]
    c3, c2, c1, _ = cubics[-1]
    x = time[-1] - time[-2]
    rate = float((3.0 * c3 * x + 2.0 * c2) * x + c1) if after == "continue" else 0.0
    return [held_before(time[0], value[0]), *inner, (time[-1], float(value[-1]), rate, 0.0, 0.0)]  # type: ignore[list-item]


def held_before(time: float, value: float) -> Piece:
    """A piece for all times before the first entry of a table."""
    return (time - 1.0, float(value), 0.0, 0.0, 0.0)


def rounded(corners: Sequence[tuple[float, float]], width: float) -> list[Piece]:
    r"""Pieces of a path whose speed jumps at corners, each rounded over `width` (s) and delayed by half of it.

    .. math:: p(t) = \sum_k \Delta\dot p_k\, B(t - t_k), \qquad
              B(x) = \frac{1}{q^2} \int_0^q \int_0^q \max(x - u - v, 0)\, du\, dv, \qquad q = \tfrac12 \text{width}

    the corner averaged twice: the path is 0 up to its first corner, its second rate is continuous, and its speed never
    overshoots.  corners : time (s) and jump of the speed (1/s)
    """
    times = sorted({t + part * width for t, _ in corners for part in (0.0, 0.5, 1.0)})
    found: list[Piece] = [held_before(times[0], 0.0)]
    for t in times:
        c: Array = np.zeros(4)
        for corner, jump in corners:
            c += jump * _corner(t - corner, width, abs(t) + abs(corner))
        found.append((t, *(float(number) for number in c)))  # type: ignore[arg-type]
    return found


ROUND_OFF = 1e-14  # relative, of times that are the same in exact arithmetic


def _corner(x: float, width: float, scale: float) -> Array:
    """Coefficients (4,) of B of :func:`rounded` just after x, lowest power first."""
    q, slip = 0.5 * width, ROUND_OFF * (scale + width)
    if x < -slip:
        return np.zeros(4)
    if x >= width - slip:
        return np.array([max(x, 0.0) - q, 1.0, 0.0, 0.0])
    p, is_later = 1.0 / (q * q), x >= q - slip
    y = max(x - q, 0.0) if is_later else 0.0
    third = -p if is_later else p
    return np.array([p * (x**3 - 2 * y**3) / 6.0, 0.5 * p * (x * x - 2 * y * y), 0.5 * p * (x - 2 * y), third / 6.0])


def _table(rows: Sequence[Any], fields: np.dtype[Any]) -> Records:
    if not rows:
        return _no_rows(fields)
    found = np.array(list(rows), dtype=fields)
    found.flags.writeable = False
    return found.view(np.recarray)


@cache
def _no_rows(fields: np.dtype[Any]) -> Records:
    """The one empty table of these fields."""
    found = np.array([], dtype=fields)
    found.flags.writeable = False
    return found.view(np.recarray)
