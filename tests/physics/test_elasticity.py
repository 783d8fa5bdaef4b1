"""Rope laws: values, inverses, energies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate

from ropewalk.physics import elasticity
from ropewalk.physics.elasticity import (
    INEXTENSIBLE,
    LINEAR,
    POLYNOMIAL,
    TABLE,
    linear_law,
    pack_laws,
    polynomial_law,
    strain,
    strain_energy,
    table_law,
    tension,
)

LAWS = {
    "linear": linear_law(2e6),
    "table": table_law([0.0, 0.01, 0.05, 0.06, 0.2], [0.0, 3e3, 5e3, 2e4, 9e4]),
    "table through compression": table_law([-0.1, 0.02, 0.3], [-4e3, 1e3, 8e4]),
    "stiffening": polynomial_law(1e6, [20.0, 300.0]),
    "soft, then stiff": polynomial_law(1e6, [-8.0, 30.0]),
    "softening to a limit": polynomial_law(1e6, [-5.0]),
}
KIND, START, PARAMETERS = pack_laws([linear_law(7.0), *LAWS.values(), linear_law(np.inf)])
NAMED = [pytest.param(i + 1, id=name) for i, name in enumerate(LAWS)]
TENSIONS = (-5e3, -10.0, 0.0, 1e-9, 55.0, 2.9e3, 3.1e3, 1.9e4, 4.4e4, 6e4, 3e6)


def law(i):
    return int(KIND[i]), PARAMETERS, int(START[i]), int(START[i + 1])


def test_laws_lie_end_to_end():
    assert list(KIND[[0, 1, 2, 4, -1]]) == [LINEAR, LINEAR, TABLE, POLYNOMIAL, INEXTENSIBLE]
    assert START[-1] == START[-2] == PARAMETERS.size
    assert tension(2.0, *law(0)) == (14.0, 7.0)


@pytest.mark.parametrize("i", NAMED)
@pytest.mark.parametrize("force", TENSIONS)
def test_tension_undoes_strain(i, force):
    """T(e(T)) = T, and the two derivatives are inverse."""
    e, compliance = strain(force, *law(i))
    back, stiffness = tension(e, *law(i))
    # a strain of 0.3 known to 1e-16 of itself; steep pieces next to offsets of 9e4 N
    assert_allclose(back, force, rtol=4e-15, atol=1e-10)
    assert_allclose(stiffness * compliance, 1.0, rtol=1e-12)


@pytest.mark.parametrize("i", NAMED)
@pytest.mark.parametrize("force", [-5e3, 55.0, 2.9e3, 1.9e4, 4.4e4, 3e6])
def test_compliance_and_energy_rate_match_differences(i, force):
    """de/dT, and dW/dT = T de/dT, by central differences."""
    h = 1e-4 * abs(force)
    _, compliance = strain(force, *law(i))
    difference = (strain(force + h, *law(i))[0] - strain(force - h, *law(i))[0]) / (2 * h)
    # h^2/6 e'''/e' with e''' T^2 / e' up to 10: 2e-8
    assert_allclose(compliance, difference, rtol=1e-6)
    rate = (strain_energy(force + h, *law(i)) - strain_energy(force - h, *law(i))) / (2 * h)
    assert_allclose(rate, force * compliance, rtol=1e-6)


@pytest.mark.parametrize("i", NAMED)
@pytest.mark.parametrize("force", [-5e3, 4.4e4, 2e5])
def test_energy_is_the_area_under_the_curve(i, force):
    """W = integral of T over strain, from rest, by adaptive quadrature."""
    rest, e = strain(0.0, *law(i))[0], strain(force, *law(i))[0]
    corners = [c for c in (-0.1, 0.0, 0.01, 0.02, 0.05, 0.06, 0.2, 0.3) if min(rest, e) < c < max(rest, e)]
    area = integrate.quad(lambda x: tension(x, *law(i))[0], rest, e, points=corners or None, epsrel=1e-11)[0]
    assert_allclose(strain_energy(force, *law(i)), area, rtol=1e-9)
    assert strain_energy(0.0, *law(i)) == 0.0


def test_table_is_straight_between_rows_and_beyond_its_ends():
    i = 2
    assert_allclose(tension(0.03, *law(i)), [4e3, 5e4], rtol=1e-14)
    assert_allclose(tension(0.27, *law(i)), [9e4 + 5e5 * 0.07, 5e5], rtol=1e-14)
    assert_allclose(tension(-0.01, *law(i)), [-3e3, 3e5], rtol=1e-14)


def test_polynomial_by_hand():
    """T = EA (e + 20 e^2 + 300 e^3)."""
    e = 0.04
    want = [1e6 * (e + 20 * e**2 + 300 * e**3), 1e6 * (1 + 40 * e + 900 * e**2)]
    assert_allclose(tension(e, *law(4)), want, rtol=1e-14)
    assert_allclose(tension(-e, *law(4)), [-1e6 * e, 1e6], rtol=1e-14)


def test_quadratic_inverse_in_closed_form():
    """e = (sqrt(1 + 4 k T/EA) - 1) / (2 k), from 1e-12 to 1e6 of EA."""
    kind, start, p = pack_laws([polynomial_law(5e7, [20.0])])
    for force in 5e7 * np.logspace(-12, 6, 37):
        # written without cancellation
        exact = 2 * force / 5e7 / (1 + np.sqrt(1 + 80 * force / 5e7))
        assert_allclose(strain(force, int(kind[0]), p, 0, int(start[1]))[0], exact, rtol=2e-15)


@pytest.mark.parametrize(("k", "stretch"), [(0.0, 7.0), (20.0, 6.19405822964352)])
def test_vertical_hang_stretches_by_the_reference(k, stretch):
    """T = EA (e + k e^2): L 1000, w 300, EA 5e7, tip load 2e5; stretch is the integral of strain."""
    kind, start, p = pack_laws([polynomial_law(5e7, [k])])
    node, weight = np.polynomial.legendre.leggauss(20)
    force = 2e5 + 300.0 * 500.0 * (node + 1.0)
    e = [strain(f, int(kind[0]), p, 0, int(start[1]))[0] for f in force]
    # printed to 15 digits; 20 Gauss points are exact for this smooth integrand to round-off
    assert_allclose(500.0 * weight @ e, stretch, rtol=1e-14)


def test_softening_law_goes_straight_on_from_its_limit():
    """T = EA (e - 5 e^2): dT/de = EA (1 - 10 e) falls to EA/100 at e = 0.099."""
    _, p, start, _ = law(6)
    assert_allclose(p[start + 1], 0.099, rtol=1e-13)
    at_limit = 1e6 * (0.099 - 5 * 0.099**2)
    assert_allclose(tension(0.3, *law(6)), [at_limit + 1e4 * (0.3 - 0.099), 1e4], rtol=1e-11)


def test_law_that_dips_but_keeps_rising_has_no_limit():
    """1 - 16 e + 90 e^2 has its least value 0.289 at e = 0.089."""
    assert polynomial_law(1e6, [-8.0, 30.0])[1][1] == np.inf


def test_inextensible_does_not_stretch_and_has_no_tension_law():
    assert strain(1e9, *law(7)) == (0.0, 0.0)
    assert strain_energy(1e9, *law(7)) == 0.0
    assert np.isnan(tension(0.0, *law(7))[0])


def test_bad_laws_are_refused():
    with pytest.raises(ValueError, match=r"axial stiffness -1\.0 N must be positive"):
        linear_law(-1.0)
    with pytest.raises(ValueError, match="two or more pairs, not 1 strains and 1 tensions"):
        table_law([0.0], [0.0])
    with pytest.raises(ValueError, match=r"tension 5\.0 in row 3 must exceed"):
        table_law([0.0, 0.1, 0.2], [0.0, 5.0, 5.0])
    with pytest.raises(ValueError, match="positive and finite"):
        polynomial_law(np.inf, [1.0])


def test_polynomial_inverse_stays_in_its_bracket_for_random_laws():
    """500 laws of up to four random terms: the inverse holds to round-off of the law's own evaluation."""
    rng = np.random.default_rng(4)
    for _ in range(500):
        n = rng.integers(1, 5)
        terms = rng.normal(0, 1, n) * 10.0 ** (1.5 * np.arange(1, n + 1))
        (kind,), _, p = pack_laws([polynomial_law(10 ** rng.uniform(3, 9), terms)])
        force = p[0] * 10 ** rng.uniform(-6, 2)
        e = strain(force, kind, p, 0, p.size)[0]
        value, slope = tension(e, kind, p, 0, p.size)
        # terms of alternating sign may exceed the sum a hundredfold: LEAST_SLOPE
        assert abs(value - force) <= 1e-12 * max(force, e * p[0], e * slope)
        assert slope >= elasticity.LEAST_SLOPE * p[0] * (1 - 1e-9)
