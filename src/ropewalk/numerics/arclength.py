r"""Paths of solutions of F(x, p) = 0 by pseudo-arclength continuation, round folds and past branch points.

A step goes along the tangent :math:`t = (\dot x, \dot p)` of the path and comes back to it across t ([Keller1977]):

.. math:: \begin{pmatrix} F_x & F_p \\ \dot x^T / n & \dot p \end{pmatrix}
          \begin{pmatrix} \Delta x \\ \Delta p \end{pmatrix} = -\begin{pmatrix} F \\ 0 \end{pmatrix}

The matrix stays regular at a fold, where :math:`\dot p` and :math:`\det F_x` change sign; where its own determinant
does, another path crosses: a branch point. A path that turns back right there (the arms of a pitchfork) has no fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.sparse_lu import Factors

Array = NDArray[np.float64]

FIRST, LONGEST, SHORTEST = 0.01, 0.5, 1e-7  # steps along the path: p runs from 0 to 1, x is scaled by its size
MOST_CHANGE = 0.05  # of p in a step
TOLERANCE = 1e-10  # largest entry of F at a point of the path
ROUGH = 1e-8  # that is good enough where round-off allows no better
ITERATIONS = 12  # of a corrector
SLOW = 0.3  # contraction of F in an iteration above which the matrix is computed again
EASY = 4  # iterations up to which the next step is longer
LONGER, SHORTER = 1.4, 0.4  # change of the step
BEND = 0.97  # cosine of the turn of the tangent in a step, at least
LOCATE = 30  # trials to locate an event
ASIDE = 1e-7  # of the step: how far from a branch point a point is taken
LEVEL = 1e-9  # of the step in which it is: to which it is located
APART = 3e-3  # steps down to which a fold and a branch point are distinguished; nearer, F is flat
DIFFERENCE = 1e-6  # of the range of p, for F_p
FOLD, BRANCH = "fold", "branch point"


class Curve(Protocol):
    """A problem with one parameter; p goes from 0 to 1. What does not exist is None."""

    size: int

    def residual(self, at: Any, p: float) -> Array | None:
        """F (n,), scaled."""
        ...

    def matrix(self, at: Any, p: float) -> Array | None:
        """dF/dx (n, n), scaled."""
        ...

    def moved(self, at: Any, step: Array) -> Any:
        """x after a scaled step."""
        ...


class Point(NamedTuple):
    """A point of a path."""

    at: Any
    p: float
    arc: float  # length of the path from its start
    tangent: Array  # (n + 1,) of unit length, that of x first
    sign: float  # of det F_x
    augmented: tuple[float, float]  # sign and logarithm of the determinant of the whole matrix


@dataclass(frozen=True)
class Event:
    """A fold or a branch point of a path."""

    kind: str
    point: Point
    before: float  # sign of det F_x before and after it
    after: float

    @property
    def confirmed(self) -> bool:
        """Whether the determinant of F_x changes its sign there."""
        return self.before * self.after < 0.0


class Lost(Exception):
    """The path cannot be followed: what tripped."""


def begin(curve: Curve, at: Any, p: float, way: float) -> Point:
    """The first point, at a solution near `at` for this p; way : 1 or -1, towards which p goes."""
    found = _corrected(curve, at, p, np.append(np.zeros(curve.size), 1.0))
    if found is None:
        raise Lost("there is no solution next to the start")
    return _point(curve, found[0], found[1], np.append(np.zeros(curve.size), way), 0.0)


def follow(
    curve: Curve, first: Point, most: int, watch: Callable[[Point], float] | None = None
) -> Iterator[Point | Event]:
    """Points and events along the path from `first` until p leaves [0, 1] or the sign of `watch` changes.

    The last point lies where the path leaves, or where `watch` is zero. Raises Lost after `most` points.
    """
    here, step = first, FIRST
    yield here
    for _ in range(most - 1):
        there, step = _next(curve, here, step)
        while _both(here, there) and there.arc - here.arc > APART:  # a fold beside a branch point, or one in the other
            there, step = _next(curve, here, SHORTER * (there.arc - here.arc))
        stop = _leaving(here, there, watch)
        if stop is not None:
            yield from _events(curve, here, there, last=(end := _located(curve, here, there, stop)))
            yield end
            return
        yield from _events(curve, here, there, last=there)
        yield there
        here = there
    raise Lost(f"the path continues after {most} points")


def _both(here: Point, there: Point) -> bool:
    """Whether both a fold and a branch point lie between two points."""
    return here.tangent[-1] * there.tangent[-1] < 0.0 and here.augmented[0] * there.augmented[0] < 0.0


def _leaving(here: Point, there: Point, watch: Callable[[Point], float] | None) -> Callable[[Point], float] | None:
    """What changes its sign where the path is to end between two points; None if it goes on."""
    if there.p > 1.0:
        return lambda point: point.p - 1.0
    if there.p < 0.0:
        return lambda point: point.p
    if watch is not None and watch(here) * watch(there) <= 0.0 and watch(there) != watch(here):
        return watch
    return None


def _next(curve: Curve, here: Point, step: float) -> tuple[Point, float]:
    """The next point and the step to try after it."""
    step = min(step, MOST_CHANGE / max(abs(float(here.tangent[-1])), MOST_CHANGE / LONGEST))
    while step > SHORTEST:
        found = _stepped(curve, here, step)
        if found is not None:
            point, iterations = found
            return point, min(LONGEST, step * LONGER) if iterations <= EASY else step
        step *= SHORTER
    raise Lost(f"no step of {SHORTEST:g} or more converges")


def _stepped(curve: Curve, here: Point, step: float) -> tuple[Point, int] | None:
    """The point one step further, and the iterations it took; None if the step is too long."""
    n = curve.size
    guess = curve.moved(here.at, step * here.tangent[:n])
    found = _corrected(curve, guess, here.p + step * float(here.tangent[n]), here.tangent)
    if found is None:
        return None
    try:
        point = _point(curve, found[0], found[1], here.tangent, here.arc + step)
    except Lost:
        return None
    if _inner(point.tangent, here.tangent) < BEND:
        return None
    return point, found[2]


def _inner(a: Array, b: Array) -> float:
    """Product of two directions: the mean over x, and p."""
    n = a.size - 1
    return float(a[:n] @ b[:n]) / max(n, 1) + float(a[n] * b[n])


def _bordered(curve: Curve, at: Any, p: float, tangent: Array) -> tuple[Factors, Array] | None:
    """Factors of the whole matrix, and F_x."""
    n = curve.size
    matrix, slope = curve.matrix(at, p), _slope(curve, at, p)
    if matrix is None or slope is None:
        return None
    whole: Array = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = matrix, slope
    whole[n, :n], whole[n, n] = tangent[:n] / max(n, 1), tangent[n]
    try:
        return Factors(whole), matrix
    except np.linalg.LinAlgError:
        return None


def _slope(curve: Curve, at: Any, p: float) -> Array | None:
    """F_p (n,) by a difference: it sets the direction of steps, not where they end."""
    here, ahead = curve.residual(at, p), curve.residual(at, p + DIFFERENCE)
    return None if ahead is None or here is None else (ahead - here) / DIFFERENCE


def _corrected(curve: Curve, at: Any, p: float, tangent: Array) -> tuple[Any, float, int] | None:
    """Back to the path across a direction; x, p and iterations.

    Not numerics/newton.py: a chord method that keeps its factors while it converges; where it does not, the caller
    takes a shorter step along the path instead of searching.
    """
    n, factors, before = curve.size, None, np.inf
    for iteration in range(ITERATIONS):
        residual = curve.residual(at, p)
        if residual is None:
            return None
        error = float(np.abs(residual).max(initial=0.0))
        if error <= TOLERANCE or (error <= ROUGH and error > SLOW * before):
            return at, p, iteration
        if not error < 1e3:
            return None
        if factors is None or error > SLOW * before:
            made = _bordered(curve, at, p, tangent)
            if made is None:
                return None
            factors = made[0]
        before = error
        try:
            change = factors.solve(-np.append(residual, 0.0))
        except np.linalg.LinAlgError:
            return None
        at, p = curve.moved(at, change[:n]), p + float(change[n])
    return None


def _point(curve: Curve, at: Any, p: float, tangent: Array, arc: float) -> Point:
    """A solution as a point of the path, its tangent on the side of the one before."""
    made = _bordered(curve, at, p, tangent)
    if made is None:
        raise Lost("the derivative cannot be computed")
    factors, matrix = made
    try:
        new = factors.solve(np.append(np.zeros(curve.size), 1.0))
    except np.linalg.LinAlgError:
        raise Lost("the derivative is singular") from None
    new /= np.sqrt(_inner(new, new))
    if _inner(new, tangent) < 0.0:
        new = -new
    try:
        sign = Factors(matrix).determinant()[0] if curve.size else 1.0
    except np.linalg.LinAlgError:
        sign = 0.0
    return Point(at, p, arc, new, sign, factors.determinant())


def _events(curve: Curve, here: Point, there: Point, last: Point) -> Iterator[Event]:
    """Folds and branch points between two points, up to `last`."""
    n = curve.size
    found = []
    if here.tangent[n] * there.tangent[n] < 0.0 and not _both(here, there):
        found.append((FOLD, _located(curve, here, there, lambda point: float(point.tangent[n]))))
    if here.augmented[0] * there.augmented[0] < 0.0:
        size = here.augmented[1]
        found.append((BRANCH, _located(curve, here, there, lambda point: _scaled(point, size))))
    for kind, point in sorted(found, key=lambda pair: pair[1].arc):
        if point.arc <= last.arc:
            yield Event(kind, point, here.sign, there.sign)


def _scaled(point: Point, size: float) -> float:
    """Determinant of the whole matrix over that of the size exp(size)."""
    return point.augmented[0] * float(np.exp(np.clip(point.augmented[1] - size, -50.0, 50.0)))


def _located(curve: Curve, here: Point, there: Point, level: Callable[[Point], float]) -> Point:
    """The point between two where `level` is zero, by the Illinois rule along the step."""
    low, high, g0, g1 = 0.0, there.arc - here.arc, level(here), level(there)
    best, side = (there, abs(g1)) if abs(g1) < abs(g0) else (here, abs(g0)), 0
    whole = high
    for _ in range(LOCATE):
        if high - low <= LEVEL * whole or g0 == g1:
            break
        step = min(max(high - g1 * (high - low) / (g1 - g0), low), high)
        found = _stepped(curve, here, step) if step > 0.0 else None
        if found is None:  # right at a branch point nothing has an inverse
            step = min(step + ASIDE * whole, high)
            found = _stepped(curve, here, step)
        if found is None:
            break
        g = level(found[0])
        if abs(g) < best[1]:
            best = (found[0], abs(g))
        if g == 0.0:
            break
        if (g > 0.0) == (g1 > 0.0):
            high, g1 = step, g
            g0 *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            low, g0 = step, g
            g1 *= 0.5 if side == -1 else 1.0
            side = -1
    return best[0]
