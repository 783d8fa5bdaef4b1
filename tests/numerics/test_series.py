"""Power-series arithmetic against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.numerics.series import (
    TERM_HEAD,
    add_product,
    add_term,
    evaluate,
    evaluate_rate,
    next_break,
    next_square_root,
    order_for,
    radius_of_convergence,
    step_from_decay,
    work_integral,
)

POWERS = 12


def _exponential(rate: float) -> np.ndarray:
    return np.array([rate**j / math.factorial(j) for j in range(POWERS)])


def _family(*series: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.stack(series, axis=1))


def test_product_of_exponentials_is_their_exponential() -> None:
    """e^(a x) e^(b x) = e^((a + b) x), coefficient by coefficient, for a family of two."""
    a, b = _family(_exponential(0.7), _exponential(-1.0)), _family(_exponential(0.5), _exponential(2.0))
    for j in range(POWERS):
        out = np.zeros(2)
        add_product(a, b, j, 0, j, out)
        # sums of at most 12 products of either sign, terms below 1: rounding of some 1e-16
        assert_allclose(out, [_exponential(1.2)[j], _exponential(1.0)[j]], rtol=0, atol=2e-15)


def test_slices_of_a_product_add_up_to_it() -> None:
    """Leaving out the first term and adding it later changes nothing."""
    a, b = _family(_exponential(0.7)), _family(_exponential(0.5))
    whole, parts = np.zeros(1), np.zeros(1)
    add_product(a, b, 9, 0, 9, whole)
    add_product(a, b, 9, 1, 9, parts)
    add_product(a, b, 9, 0, 0, parts)
    assert_allclose(parts, whole, rtol=1e-14)


def test_empty_slice_adds_nothing() -> None:
    """The sum over r < 0 at power 0."""
    a, out = _family(_exponential(1.0)), np.full(1, 3.0)
    add_product(a, a, 0, 0, -1, out)
    assert out[0] == 3.0


def test_root_of_an_exponential() -> None:
    """sqrt(e^(2x)) = e^x; and where the argument begins at zero all coefficients are zero."""
    square, root = _family(_exponential(2.0), np.zeros(POWERS)), np.empty((POWERS, 2))
    for j in range(POWERS):
        next_square_root(square, root, j)
    assert_allclose(root[:, 0], _exponential(1.0), rtol=1e-12)
    assert np.all(root[:, 1] == 0.0)


def test_horner_values_and_rates() -> None:
    """A cubic and its derivative by hand."""
    c = _family(np.array([1.0, -2.0, 0.5, 3.0]))
    out = np.empty(1)
    evaluate(c, 0.3, out)
    assert out[0] == pytest.approx(1.0 - 0.6 + 0.045 + 0.081, rel=1e-15)
    evaluate_rate(c, 0.3, out)
    assert out[0] == pytest.approx(-2.0 + 0.3 + 0.81, rel=1e-15)


def test_work_is_the_integral_of_force_times_rate() -> None:
    """numpy.polynomial integrates the product of the two polynomials."""
    force, position = np.array([1.0, 2.0, -0.5]), np.array([7.0, 1.0, -3.0, 0.25])
    polynomial = np.polynomial.Polynomial
    integral = (polynomial(force) * polynomial(position).deriv()).integ()
    assert work_integral(force, position, 0.8) == pytest.approx(integral(0.8), rel=1e-14)


def _term(begin: float, end: float, omega: float, phase: float, *polynomial: float) -> np.ndarray:
    return np.array([3.0, begin, end, omega, phase, 1.0, 0.0, -2.0, *polynomial])


@pytest.mark.parametrize(("begin", "t"), [(0.0, 0.4), (-np.inf, 0.4), (-1.0, 0.0)])
def test_term_is_a_polynomial_times_a_cosine(begin: float, t: float) -> None:
    """Its series, summed at another time, gives the function there."""
    term = _term(begin, 5.0, 1.7, 0.3, 0.5, -1.0, 0.25)
    assert term.size == TERM_HEAD + 3
    scale, tau = 0.6, 0.5
    out = np.zeros((3, 20))
    add_term(term, t, scale, out)
    later = t + tau * scale
    x = later - (begin if np.isfinite(begin) else 0.0)
    value = (0.5 - x + 0.25 * x**2) * np.cos(1.7 * later - 0.3)
    # (1.7 x 0.3)^20 / 20! is far below rounding
    assert_allclose(out @ tau ** np.arange(20), [value, 0.0, -2.0 * value], rtol=0, atol=1e-15)


def test_term_is_nothing_outside_its_interval() -> None:
    """The end belongs to the next term."""
    term = _term(1.0, 2.0, 1.0, 0.0, 1.0)
    for t, there in ((0.999, False), (1.0, True), (1.999, True), (2.0, False)):
        out = np.zeros((3, 4))
        add_term(term, t, 1.0, out)
        assert np.any(out != 0.0) == there


def test_next_break_is_the_nearest_later_end() -> None:
    """Begin and end both count; the present does not."""
    terms = np.stack([_term(0.0, 3.0, 1.0, 0.0, 1.0), _term(2.0, np.inf, 1.0, 0.0, 1.0)])
    assert next_break(terms, 0.0) == 2.0
    assert next_break(terms, 2.0) == 3.0
    assert next_break(terms, 3.0) == np.inf


def test_radius_of_a_geometric_series() -> None:
    """1 / (1 - x/R) has the radius R."""
    radius = 0.37
    assert radius_of_convergence(radius**-10, radius**-11, 11, 1.0) == pytest.approx(radius, rel=1e-14)


def test_step_brings_the_last_term_to_the_target() -> None:
    """The smaller of two steps, each solved for its own term; no limit where both vanish."""
    step = step_from_decay(0.0, 8.0, 6, 1e-10)
    assert 8.0 * step**6 == pytest.approx(1e-10, rel=1e-12)
    assert step_from_decay(1e6, 8.0, 6, 1e-10) < step
    assert step_from_decay(0.0, 0.0, 6, 1e-10) == np.inf


def test_order_grows_with_the_digits_asked_for() -> None:
    """Between the orders that are best for work growing as p^2 and as p, [Jorba2005]."""
    for tolerance in (1e-6, 1e-9, 1e-12, 1e-15):
        digits = -math.log(tolerance)
        assert 0.5 * digits < order_for(tolerance) < digits + 2.0
