"""Modes of a system about rest, undamped and damped, with all that grow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.linear.ldl import SymmetricFactor
from ropewalk.methods.linear.pencil import complex_modes, real_modes
from ropewalk.methods.linear.system import LinearSystem
from ropewalk.model.arrays import Array

SHIFT = 1e-2  # of the pendulum frequency squared, below zero: drifting parts leave the matrix regular
MOST_SHIFTS, SHIFT_GROWTH = 30, 8.0  # on the way below all growing modes
ABOVE = 1.001  # of an undamped rate of growth: damping only lowers it
SAME = 1e-9  # relative: two rates of growth that are one

# of the pendulum frequency: slower than this is drift, neither stable nor unstable; round-off of 1e-10 in omega^2
STILL = 1e-4


class FoundModes(NamedTuple):
    """Modes of a system."""

    s: Any  # (k,) complex eigenvalues, 1/s
    shapes: Any  # (n, k) over the unknowns
    damping: Array  # (k,) fraction of critical
    unstable: int | None  # number of those that grow, if it is known

    def oscillates(self, scale: float) -> Any:
        """(k,) true for modes that are no drift.  scale : frequency of a pendulum of the size of the case, rad/s"""
        return np.abs(self.s.imag) > STILL * scale

    def growth(self, scale: float) -> Array:
        """(k,) rate of growth, 1/s; zero for drift."""
        return np.where(np.abs(self.s.real) > STILL * scale, self.s.real, 0.0)


def find_modes(linear: LinearSystem, count: int, near: float, scale: float, *, damped: bool) -> FoundModes:
    """The `count` modes nearest to the frequency `near` (rad/s), and where that is 0 all that grow, up to `count`.

    scale : frequency of a pendulum of the size of the case, rad/s    damped : complex modes with all damping
    """
    return (_complex if damped else _real)(linear, count, near, scale)


def undamped_basis(linear: LinearSystem, count: int, scale: float) -> tuple[Array, Array]:
    """Eigenvalues (k,), 1/s2, and vectors (n, k) of the slowest undamped modes, at most `count`."""
    shift = -SHIFT * scale**2
    most = max(1, min(count, linear.free_count))
    return real_modes(linear.pencil, most, shift, linear.pencil.factor(shift))


def _real(linear: LinearSystem, count: int, near: float, scale: float) -> FoundModes:
    """Undamped modes."""
    shift = near**2 - SHIFT * scale**2
    pencil = linear.pencil
    factor = pencil.factor(shift)
    available = linear.free_count
    if available == 0:
        raise InputError("nothing is free to move; there are no modes")
    values, shapes = real_modes(pencil, min(count, available), shift, factor)
    unstable = _unstable_count(linear, factor) if near == 0.0 else None
    if unstable is not None and unstable > np.sum(values < shift):  # they are not the nearest to zero
        growing = _growing(linear, min(unstable, count), scale)
        kept = values >= shift
        values = np.concatenate([growing[0], values[kept]])[:count]
        shapes = np.concatenate([growing[1], shapes[:, kept]], axis=1)[:, :count]
    s = np.where(values < 0.0, np.sqrt(np.abs(values)), 0.0) + 1j * np.sqrt(np.maximum(values, 0.0))
    power = np.einsum("ij,ij->j", shapes, linear.B @ shapes)
    magnitude = np.maximum(np.abs(s), STILL * scale)
    damping = np.where(values < 0.0, -1.0, power / (2.0 * magnitude))
    damping = np.where(np.abs(s) <= STILL * scale, 0.0, damping)  # of drift
    order = np.argsort(np.where(s.real > 0.0, -s.real, np.abs(s)))  # fastest growing first, then by frequency
    return FoundModes(s[order], shapes[:, order], damping[order], unstable)


def _unstable_count(linear: LinearSystem, factor: SymmetricFactor) -> int | None:
    """Number of growing modes by the signs of the pivots; every tension and multiplier has a negative one."""
    if factor.negative is None:
        return None
    return factor.negative - linear.unknowns.tension.size - linear.unknowns.link.size


def _growing(linear: LinearSystem, count: int, scale: float) -> tuple[Array, Array]:
    """The `count` fastest growing modes: those nearest to a shift below them all."""
    shift = -(scale**2)
    for _ in range(MOST_SHIFTS):
        factor = linear.pencil.factor(shift)
        if _unstable_count(linear, factor) == 0:
            return real_modes(linear.pencil, count, shift, factor)
        shift *= SHIFT_GROWTH
    raise ConvergenceError(f"{count} growing modes are faster than {np.sqrt(-shift):.3g} 1/s; is the case in SI units?")


def _complex(linear: LinearSystem, count: int, near: float, scale: float) -> FoundModes:
    shift = complex(SHIFT * scale, near) if near > 0.0 else SHIFT * scale
    s, shapes = complex_modes(linear.K, linear.B, linear.M, linear.assembled.P, count, shift)
    unstable = None
    if near == 0.0:
        # damping that only takes energy away leaves their number as it is (Kelvin and Tait); without a potential that
        # of the symmetric part is a bound, and so are its rates, for modes that grow without oscillating (Bendixson)
        most = _unstable_count(linear, linear.pencil.factor(-SHIFT * scale**2))
        unstable = most if linear.is_symmetric else None
        if most is not None and most > np.sum(s.real > STILL * scale):
            s, shapes = _with_growing(linear, s, shapes, min(most, count), scale)
            s, shapes = s[:count], shapes[:, :count]
    order = np.lexsort((np.abs(s), s.real <= STILL * scale))
    s, shapes = s[order], shapes[:, order]
    shapes = shapes / shapes[np.argmax(np.abs(linear.M @ shapes), axis=0), np.arange(shapes.shape[1])]
    drifts = np.abs(s) <= STILL * scale
    damping = np.where(drifts, 0.0, -s.real / np.maximum(np.abs(s), STILL * scale))
    return FoundModes(s, shapes, damping, unstable)


def _with_growing(linear: LinearSystem, s: Any, shapes: Any, unstable: int, scale: float) -> tuple[Any, Any]:
    """The `unstable` fastest growing modes, each searched for from above its undamped rate, before the others."""
    found: list[complex] = []
    vectors: list[Any] = []
    for value in _growing(linear, unstable, scale)[0]:
        shift = ABOVE * float(np.sqrt(-value))
        more = complex_modes(linear.K, linear.B, linear.M, linear.assembled.P, unstable, shift)
        for k in np.flatnonzero(more[0].real > STILL * scale):
            if len(found) < unstable and all(abs(more[0][k] - other) > SAME * abs(other) for other in found):
                found.append(more[0][k])
                vectors.append(more[1][:, k])
    if not found:
        return s, shapes
    kept = s.real <= STILL * scale
    return np.concatenate([found, s[kept]]), np.concatenate([np.stack(vectors, axis=1), shapes[:, kept]], axis=1)
