r"""Axial laws of ropes: tension from strain and strain from tension, by kind.

Strain is :math:`|r'| - 1` over the unstretched length, tension the effective tension. The laws of many
sections lie end to end in one flat array: law `i` is ``kind[i]`` and ``parameters[start[i]:start[i + 1]]``
(made by :func:`pack_laws`). Every kernel takes a kind, that array and the two offsets.

Kinds, with what their parameters hold:

- INEXTENSIBLE: nothing. Strain is 0 at every tension; there is no tension from strain.
- LINEAR: EA (N).
- TABLE: n strains, then n tensions (N), both ascending. Straight between rows and on beyond the ends.
- POLYNOMIAL: EA (N), limit strain, k2, k3, …: T = EA (e + k2 e^2 + k3 e^3 + …) from zero to the limit strain,
  straight on from there, and T = EA e below zero, outside the range of pull tests.
- FUNCTION: EA (N) near zero strain, address of a function of numerics/pointers.py, and 1 if that gives T(e) and dT/de,
  0 if it gives T(e) alone; the slope is then a difference.

All laws rise, so strain from tension is unique. The caller decides whether a rope carries compression.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ropewalk.numerics.bracket import bracketed
from ropewalk.numerics.compile import FUSED, UNCOUNTED, kernel
from ropewalk.numerics.pointers import call_one, call_three

SECANT = 1e-3  # strain whose secant stands for the stiffness of a law

INEXTENSIBLE = 0
LINEAR = 1
TABLE = 2
POLYNOMIAL = 3
FUNCTION = 9  # beyond the kinds of physics/ropes.py, which count on from here

LEAST_SLOPE = 0.01  # of EA: a polynomial that rises less than this is no fit any more, so it is left there
INVERSE_ITERATIONS = 100  # bisection alone needs 60 for all digits; Newton 4 to 8
INVERSE_TOLERANCE = 4e-16  # relative change of strain: two units of the last place

STRAIN_STEP = 1e-6  # of the central differences of a function: round-off and curvature then err by about 1e-11
CLOSE = 1e-7  # relative change of strain below which the secant of two points has lost its digits
ARRIVED = 1e-13  # relative change of strain in the last step of Newton's method: the next would be round-off
_X, _W = np.polynomial.legendre.leggauss(10)  # the energy of a function, exact for laws of degree 19
_X, _W = 0.5 + 0.5 * _X, 0.5 * _W

Law = tuple[int, NDArray[np.float64]]


def linear_law(axial_stiffness: float) -> Law:
    """T = EA e; an infinite EA (N) is the inextensible law."""
    if np.isinf(axial_stiffness):
        return INEXTENSIBLE, np.empty(0)
    if not axial_stiffness > 0.0:
        raise ValueError(f"axial stiffness {axial_stiffness} N must be positive")
    return LINEAR, np.array([axial_stiffness], float)


def table_law(strain: ArrayLike, tension: ArrayLike) -> Law:
    """Pairs of strain (-) and tension (N), two or more, both strictly ascending."""
    e, force = np.asarray(strain, float), np.asarray(tension, float)
    if e.shape != force.shape or e.ndim != 1 or e.size < 2:
        raise ValueError(f"a tension table needs two or more pairs, not {e.size} strains and {force.size} tensions")
    for name, column in (("strain", e), ("tension", force)):
        falls = np.flatnonzero(~(np.diff(column) > 0.0))
        if falls.size:
            raise ValueError(f"tension table: {name} {column[falls[0] + 1]} in row {falls[0] + 2} must exceed the last")
    return TABLE, np.concatenate([e, force])


def polynomial_law(axial_stiffness: float, coefficients: ArrayLike) -> Law:
    """T = EA (e + k2 e^2 + k3 e^3 + …), `coefficients` being k2, k3, …; the limit strain is found here.

    It is the first positive strain where dT/de falls to LEAST_SLOPE EA, or infinite.
    """
    k = np.atleast_1d(np.asarray(coefficients, float))
    if not 0.0 < axial_stiffness < np.inf:
        raise ValueError(f"axial stiffness {axial_stiffness} N of a polynomial law must be positive and finite")
    slope = np.r_[1.0 - LEAST_SLOPE, k * np.arange(2, k.size + 2)]
    roots = np.polynomial.polynomial.polyroots(np.trim_zeros(slope, "b"))
    # a double root may come out with a small imaginary part; touching the least slope is no harm
    real = roots[np.abs(roots.imag) == 0.0].real
    limit = np.min(real[real > 0.0], initial=np.inf)
    return POLYNOMIAL, np.concatenate([[axial_stiffness, limit], k])


def function_law(axial_stiffness: float, address: int, has_slope: bool = False) -> Law:
    """T(e) by a function at an address; its stiffness (N) near zero strain is where the inverse starts from.

    has_slope : the function gives three numbers, T, dT/de and one that is not read
    """
    return FUNCTION, np.array([axial_stiffness, float(address), float(has_slope)])


def pack_laws(laws: Sequence[Law]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """kind (n,), start (n + 1,) and parameters of many laws, end to end, read-only."""
    kind = np.array([law[0] for law in laws], np.int64)
    start = np.cumsum([0, *(law[1].size for law in laws)], dtype=np.int64)
    parameters = np.concatenate([np.empty(0), *(law[1] for law in laws)])
    for array in (kind, start, parameters):
        array.flags.writeable = False
    return kind, start, parameters


@kernel(fastmath=FUSED, **UNCOUNTED)
def _polynomial(e, p, start, stop):
    r"""Tension, its slope and its integral from 0 for a strain between 0 and the limit.

    .. math:: T = EA\, (e + k_2 e^2 + k_3 e^3 + \dots)

    Source: the heading of this file; all three by Horner's rule.

    e : strain    p, start, stop : parameters of all laws, and of this one from start to stop
    tension and slope in N, integral in J/m
    """
    t = 0.0
    slope = 0.0
    area = 0.0
    power = stop - start - 1  # of the last coefficient, k_power
    for i in range(stop - 1, start + 1, -1):
        t = t * e + p[i]
        slope = slope * e + power * p[i]
        area = area * e + p[i] / (power + 1.0)
        power -= 1
    ea = p[start]
    return ea * e * (1.0 + e * t), ea * (1.0 + e * slope), ea * e * e * (0.5 + e * area)


@kernel(fastmath=FUSED, **UNCOUNTED)
def _row(x, p, first, n):
    """Index i of the interval of the ascending p[first:first + n] that holds x, 0 to n - 2. Bookkeeping: bisection."""
    low = 0
    high = n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x < p[first + middle]:
            high = middle
        else:
            low = middle
    return low


@kernel(**UNCOUNTED)
def _value(e, p, start):
    """Tension (N) of the function of a law, and its slope (N) if the function gives it, else 0.

    Bookkeeping: calls the user's function.
    """
    address = np.int64(p[start + 1])
    if p[start + 2] != 0.0:
        value, slope, _ = call_three(address, (e,))
        return value, slope
    return call_one(address, e), 0.0


@kernel(**UNCOUNTED)
def _difference(e, p, start):
    r"""Slope (N) of the function of a law by a central difference.

    .. math:: \frac{dT}{de} \approx \frac{T(e + h) - T(e - h)}{2h}

    Source: central difference, [Press2007], sec. 5.7, with h = STRAIN_STEP.

    e : strain    p, start : parameters of all laws, and where those of this one begin
    """
    rise = _value(e + STRAIN_STEP, p, start)[0] - _value(e - STRAIN_STEP, p, start)[0]
    return rise / (2.0 * STRAIN_STEP)


@kernel(**UNCOUNTED)
def _function(e, p, start):
    """Tension T(e) (N) of the function of a law, and its slope dT/de (N): its own, or that of :func:`_difference`.

    Bookkeeping.
    """
    value, slope = _value(e, p, start)
    return value, slope if p[start + 2] != 0.0 else _difference(e, p, start)


@kernel(fastmath=FUSED, **UNCOUNTED)
def tension(e, kind, p, start, stop):
    r"""Tension (N) at a strain, and its derivative dT/de (N).

    .. math:: T = EA\,e, \qquad T = T_i + \frac{T_{i+1} - T_i}{e_{i+1} - e_i} (e - e_i), \qquad
              T = EA\,(e + k_2 e^2 + \dots)

    Source: the laws at the head of this file. INEXTENSIBLE has no such law and gives (nan, inf): use
    :func:`strain` instead.

    e : strain    kind : INEXTENSIBLE to FUNCTION    p : parameters of all laws    start, stop : of this one
    """
    if kind == LINEAR:
        return p[start] * e, p[start]
    if kind == TABLE:
        n = (stop - start) // 2
        i = start + _row(e, p, start, n)
        slope = (p[i + n + 1] - p[i + n]) / (p[i + 1] - p[i])
        return p[i + n] + slope * (e - p[i]), slope
    if kind == POLYNOMIAL:
        if e <= 0.0:
            return p[start] * e, p[start]
        limit = min(e, p[start + 1])
        value, slope, _ = _polynomial(limit, p, start, stop)
        return value + slope * (e - limit), slope
    if kind == FUNCTION:
        return _function(e, p, start)
    return np.nan, np.inf


def stiffness_in_a_row(
    lengths: ArrayLike, laws: NDArray[np.int64], p: NDArray[np.float64], strain: float = SECANT
) -> float:
    """Axial stiffness (N) of pieces of these lengths end to end, by the secants of their laws at a strain.

    lengths : (n,) m    laws : (n, 3) kind, start and stop into p of each; infinite if none of them stretches
    """
    lengths = np.asarray(lengths, float)
    flexibility = sum(
        length * strain / tension(strain, kind, p, start, stop)[0]
        for length, (kind, start, stop) in zip(lengths, laws, strict=True)
        if kind != INEXTENSIBLE
    )
    return float(lengths.sum() / flexibility) if flexibility > 0.0 else np.inf


@kernel(fastmath=FUSED, **UNCOUNTED)
def _inverse_polynomial(force, p, start, stop):
    """Strain at a positive tension: Newton kept inside a bracket.

    Source: T(e) = T by Newton's method with a bracket, [Press2007], sec. 9.4. numerics/bracket.py.

    force : tension, N    p, start, stop : as :func:`tension`
    """
    limit = p[start + 1]
    low = 0.0
    high = min(force / p[start], limit)
    while high < limit and _polynomial(high, p, start, stop)[0] < force:
        low = high
        high = min(2.0 * high, limit)
    if high == limit:
        value, slope, _ = _polynomial(limit, p, start, stop)
        if force >= value:
            return limit + (force - value) / slope
    e = high
    for _ in range(INVERSE_ITERATIONS):
        value, slope, _ = _polynomial(e, p, start, stop)
        new, low, high = bracketed(e, value - force, -(value - force) / slope, low, high)
        change = abs(new - e)
        e = new
        if change <= INVERSE_TOLERANCE * e:
            break
    return e


@kernel(**UNCOUNTED)
def _inverse_function(force, p, start):
    """Strain at a tension (N), and the slope of the law there (N): Newton kept inside what is known to enclose it.

    Source: T(e) = T by Newton's method, or the secant method, with a bracket, [Press2007], ch. 9.

    Without a slope of the function's own the first step takes a difference, later ones the secant of the last two
    points, and the slope at the end is a difference again: half the calls of a difference in each step.

    force : tension, N    p, start : as :func:`tension`
    """
    low, high, e, slope = -np.inf, np.inf, force / p[start], p[start]
    has_slope, before, value_before = p[start + 2] != 0.0, np.nan, np.nan
    for k in range(INVERSE_ITERATIONS):
        value, own = _value(e, p, start)
        if has_slope:
            slope = own
        elif k == 0 or not abs(e - before) > CLOSE * abs(e):
            slope = _difference(e, p, start)
        else:
            slope = (value - value_before) / (e - before)
        before, value_before = e, value
        new, low, high = bracketed(e, value - force, -(value - force) / slope, low, high)
        if not abs(new) < np.inf:
            new = e + 2.0 * (force - value) / p[start]
        change = abs(new - e)
        e = new
        if not change > ARRIVED * abs(e):
            break
    return e, slope if has_slope else _difference(e, p, start)


@kernel(fastmath=FUSED, **UNCOUNTED)
def strain(force, kind, p, start, stop):
    r"""Strain at a tension, and its derivative de/dT (1/N), the compliance.

    .. math:: e = T/EA, \qquad \frac{de}{dT} = \left(\frac{dT}{de}\right)^{-1}

    Source: the laws at the head of this file, inverted; the polynomial by Newton within a bracket, to two
    units of the last place.

    force : tension, N    kind, p, start, stop : as :func:`tension`
    """
    if kind == LINEAR:
        return force / p[start], 1.0 / p[start]
    if kind == TABLE:
        n = (stop - start) // 2
        i = start + _row(force, p, start + n, n)
        compliance = (p[i + 1] - p[i]) / (p[i + n + 1] - p[i + n])
        return p[i] + compliance * (force - p[i + n]), compliance
    if kind == POLYNOMIAL:
        if force <= 0.0:
            return force / p[start], 1.0 / p[start]
        e = _inverse_polynomial(force, p, start, stop)
        return e, 1.0 / tension(e, kind, p, start, stop)[1]
    if kind == FUNCTION:
        e, slope = _inverse_function(force, p, start)
        return e, 1.0 / slope
    return 0.0, 0.0


@kernel(fastmath=FUSED, **UNCOUNTED)
def _table_area(low, high, p, start, n):
    r"""Integral of a table's tension over the strains from low to high.

    .. math:: \int T\,de = \sum \tfrac12 (T_i + T_{i+1})(e_{i+1} - e_i)

    Source: trapezium rule, exact for straight pieces.

    low, high : strains    p, start : as :func:`tension`    n : rows of the table    returns J/m
    """
    x = low
    t = tension(low, TABLE, p, start, start + 2 * n)[0]
    area = 0.0
    for i in range(start, start + n):
        if low < p[i] < high:
            area += 0.5 * (t + p[i + n]) * (p[i] - x)
            x = p[i]
            t = p[i + n]
    return area + 0.5 * (t + tension(high, TABLE, p, start, start + 2 * n)[0]) * (high - x)


@kernel(fastmath=FUSED, **UNCOUNTED)
def strain_energy(force, kind, p, start, stop):
    r"""Energy stored per unstretched length (J/m) at a tension.

    Source: definition of stored energy; FUNCTION by Gauss points.

    .. math:: W = \int_{e(0)}^{e(T)} T\, de

    Zero without tension, and always for INEXTENSIBLE.

    force : tension, N    kind, p, start, stop : as :func:`tension`
    """
    if kind == LINEAR:
        return 0.5 * force * force / p[start]
    if kind == TABLE:
        n = (stop - start) // 2
        rest = strain(0.0, kind, p, start, stop)[0]
        e = strain(force, kind, p, start, stop)[0]
        if e >= rest:
            return _table_area(rest, e, p, start, n)
        return -_table_area(e, rest, p, start, n)
    if kind == POLYNOMIAL:
        if force <= 0.0:
            return 0.5 * force * force / p[start]
        e = _inverse_polynomial(force, p, start, stop)
        limit = min(e, p[start + 1])
        value, slope, area = _polynomial(limit, p, start, stop)
        beyond = e - limit
        return area + beyond * (value + 0.5 * slope * beyond)
    if kind == FUNCTION:
        e, area = _inverse_function(force, p, start)[0], 0.0
        for k in range(_X.size):
            area += _W[k] * e * _value(e * _X[k], p, start)[0]
        return area
    return 0.0
