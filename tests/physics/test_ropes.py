"""Law of a step of ropes with memory, against integration of their equations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from ropewalk.model.lines import build_sections
from ropewalk.physics.ropes import dynamic_stiffness, relaxation_weights, rope_energy, static_strain, step_law
from ropewalk.spec.sections import Section

VISCO = {"kind": "viscoelastic", "static": 1e6, "dynamic": 1.5e6, "dynamic_slope": 20.0, "viscosity": 2e6}
SYROPE = {
    "kind": "syrope", "strain": [0.0, 0.005, 0.012, 0.02, 0.04], "tension": [0.0, 5e3, 1.1e4, 2e4, 4.2e4],
    "working_curve": "exponential", "residual": 0.3, "bend": 1.2, "dynamic": 2.4e6, "dynamic_slope": 20.0,
    "viscosity": 2e6, "highest_mean": 1.5e4,
}  # fmt: skip


def rope_of(law):
    """Record and numbers of a law."""
    section = Section.model_validate({"diameter": 0.1, "mass": 1.0, "axial_stiffness": law})
    sections = build_sections({"rope": section}, 1025.0, {})
    return sections.rope[0], sections.law_data


def load(t):
    """A tension that swings about a mean which grows, N."""
    return 1.0e4 + 2.0e3 * t + 3.0e3 * np.sin(2.0 * t)


def walked(law, n, until=6.0):
    """Strain and mean tension at the end of n steps."""
    rope, p = rope_of(law)
    q, peak, h, e = load(0.0), max(float(rope.peak), load(0.0)), until / n, 0.0
    for k in range(n):
        rest, give, lag, share, _ = step_law(h, q, peak, load(k * h), rope, p)
        e = rest + give * load((k + 1) * h)
        q = lag + share * load((k + 1) * h)
        peak = max(peak, q)
    return e, q


def slow_slope(q, peak, law, rope, p, rises):
    """dz/dq by a difference of z = x - f on the side to which q moves, the fast strain f written out."""

    def z(x):
        fast = x / dynamic_stiffness(x, rope) if law is VISCO else np.log1p(20.0 * x / 2.4e6) / 20.0
        return static_strain(x, peak, rope, p)[0] - fast

    step = 1e-5 * q * (1.0 if rises else -1.0)
    return (z(q + step) - z(q)) / step


@pytest.mark.parametrize("law", [VISCO, SYROPE], ids=["viscoelastic", "syrope"])
def test_steps_converge_to_the_equations(law):
    """B dz/dt = T - q by scipy; of a Syrope rope q passes its highest value and so changes its curve."""
    rope, p = rope_of(law)
    peak = [max(float(rope.peak), load(0.0))]

    def rate(t, y):
        return [(load(t) - y[0]) / (2e6 * slow_slope(y[0], peak[0], law, rope, p, load(t) > y[0]))]

    # small steps, so that the highest value can move from one to the next
    q, t, n = load(0.0), 0.0, 600
    for _ in range(n):
        q = solve_ivp(rate, (t, t + 6.0 / n), [q], rtol=1e-8).y[0, -1]
        t += 6.0 / n
        peak[0] = max(peak[0], q)
    e = static_strain(q, peak[0], rope, p)[0] + (load(6.0) - q) / dynamic_stiffness(q, rope)
    coarse, fine = walked(law, 100), walked(law, 400)
    assert_allclose(fine, [e, q], rtol=2e-3)  # kinks of tables and curves: first order in the step, 15 ms
    assert abs(fine[1] - q) < 0.5 * abs(coarse[1] - q) + 1e-4 * q


def test_weights_are_those_of_a_straight_load():
    """q' = (T - q)/theta with T = T0 + (T1 - T0) t/h, on both sides of the series' limit."""
    for x in (1e-5, 9.99e-4, 1.001e-3, 0.3, 4.0, 50.0):
        left, first, last = relaxation_weights(x)
        assert_allclose(left + first + last, 1.0, rtol=1e-13)  # terms beyond x^3
        exact = 1.0 + np.expm1(-x) / x if x > 0.01 else x / 2 - x**2 / 6 + x**3 / 24
        assert_allclose(last, exact, rtol=1e-10)


def test_linear_law_of_a_long_step_is_the_static_one():
    """After many relaxation times the strain is T/E_s, and after none of them it moves by T/E_d."""
    rope, p = rope_of({**VISCO, "dynamic_slope": 0.0})
    rest, give, *_ = step_law(1e9, 1e4, 1e4, 2e4, rope, p)
    assert_allclose(rest + give * 2e4, 2e4 / 1e6, rtol=1e-8)
    rest, give, *_ = step_law(1e-12, 1e4, 1e4, 1e4, rope, p)
    assert_allclose([rest + give * 1e4, give], [1e4 / 1e6, 1.0 / 1.5e6], rtol=1e-8)


def test_energy_is_that_of_two_springs():
    """W = q^2/(2 E_1) + E_d (e - q/E_1)^2/2 where the dynamic stiffness is constant."""
    rope, p = rope_of({**VISCO, "dynamic_slope": 0.0})
    slow, q, e = 1.0 / (1.0 / 1e6 - 1.0 / 1.5e6), 1.2e4, 0.014
    exact = 0.5 * q * q / slow + 0.5 * 1.5e6 * (e - q / slow) ** 2
    assert_allclose(rope_energy(e, q, q, 1.0, rope, p), exact, rtol=1e-12)


@pytest.mark.parametrize(("form", "bend"), [("linear", 0.0), ("quadratic", 0.7), ("exponential", 1.2)])
def test_energy_on_a_working_curve_is_its_integral(form, bend):
    """dW/de = q along the curve on which q = T: by differences."""
    rope, p = rope_of({**SYROPE, "working_curve": form, "bend": bend})
    q = np.linspace(100.0, 1.4e4, 2000)
    e = np.array([static_strain(x, 1.5e4, rope, p)[0] for x in q])
    W = np.array([rope_energy(a, x, 1.5e4, 1.0, rope, p) for a, x in zip(e, q, strict=True)])
    trapezoids = np.cumsum(0.5 * (q[1:] + q[:-1]) * np.diff(e))
    assert_allclose(W[1:] - W[0], trapezoids, rtol=1e-5, atol=1e-6 * W[-1])
