"""Newton's method in a bracket: every rising equation is solved, wherever Newton's own steps would lead."""

from __future__ import annotations

import math

import pytest
from numpy.testing import assert_allclose

from ropewalk.numerics.bracket import bracketed, bracketed_positive

# value and slope of functions that rise through zero, and where; Newton alone fails for the first two
RISING = {
    "arctangent": (lambda x: (math.atan(x - 1.0), 1.0 / (1.0 + (x - 1.0) ** 2)), 1.0),
    "cube root": (lambda x: (math.cbrt(x - 2.0), 1.0 / (3.0 * max(math.cbrt(x - 2.0) ** 2, 1e-300))), 2.0),
    "exponential": (lambda x: (math.expm1(min(x - 0.5, 700.0)), math.exp(min(x - 0.5, 700.0))), 0.5),
    "step": (lambda x: (math.copysign(1.0, x - 3.0), 0.0), 3.0),
}


@pytest.mark.parametrize("name", RISING)
@pytest.mark.parametrize("begin", [-90.0, 0.7, 40.0])
def test_every_rising_equation_is_solved(name, begin):
    """Bisection alone takes 60 steps from 2e2 to 2e-16 of it."""
    function, root = RISING[name]
    x, lo, hi = begin, -100.0, 100.0
    for _ in range(120):
        f, slope = function(x)
        new, lo, hi = bracketed(x, f, -f / slope if slope > 0.0 else math.nan, lo, hi)
        assert lo <= new <= hi
        if new in (lo, hi):
            break
        x = new
    assert_allclose(x, root, rtol=1e-14)  # a few units of the last place


@pytest.mark.parametrize("root", [1e-9, 1.0, 1e9])
def test_a_positive_unknown_stays_positive_over_all_magnitudes(root):
    """f = atan(ln x - ln root), flat far from its root: relative steps and geometric means."""
    x, lo, hi = 1.0, 0.0, math.inf
    for _ in range(200):
        f = math.atan(math.log(x / root))
        slope = 1.0 / (x * (1.0 + math.log(x / root) ** 2))
        new, lo, hi = bracketed_positive(x, f, -f / (x * slope), lo, hi, 10.0)
        assert new > 0.0
        if new in (lo, hi):
            break
        x = new
    assert_allclose(x, root, rtol=1e-14)


def test_without_a_step_an_open_bracket_gives_no_number_and_a_positive_one_grows():
    """So that the caller looks for an end of its own."""
    assert not math.isfinite(bracketed(1.0, -1.0, math.nan, -math.inf, math.inf)[0])
    assert bracketed_positive(1.0, -1.0, math.nan, 0.0, math.inf, 10.0) == (10.0, 1.0, math.inf)


def test_a_root_that_is_met_ends_the_search():
    """No residual, no step: the value is an end of the bracket."""
    assert bracketed(2.0, 0.0, -0.0, 0.0, 5.0) == (2.0, 2.0, 5.0)
