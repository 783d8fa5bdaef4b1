"""Runge-Kutta pairs: order conditions, error estimates, dense output."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate._ivp import dop853_coefficients as published

from ropewalk.numerics import rungekutta as rk


def test_rows_sum_to_their_nodes():
    """c_i = sum_j a_ij for every consistent method."""
    # the published coefficients carry 16 digits and entries up to 43
    assert_allclose(rk.D_A.sum(axis=1), rk.D_C, atol=2e-14)
    assert_allclose(rk.F_A.sum(axis=1), rk.F_C, atol=1e-15)


@pytest.mark.parametrize("k", range(8))
def test_quadrature_conditions_of_the_eighth_order_step(k):
    """sum b_i c_i^k = 1/(k+1) for k < 8."""
    assert_allclose(rk.D_A[12, :12] @ rk.D_C[:12] ** k, 1.0 / (k + 1), rtol=1e-13)


@pytest.mark.parametrize("k", range(5))
def test_quadrature_conditions_of_fehlberg(k):
    """sum b_i c_i^k = 1/(k+1) for k < 5; the fourth-order weights hold them for k < 4."""
    assert_allclose(rk.F_B @ rk.F_C**k, 1.0 / (k + 1), rtol=1e-14)
    if k < 4:
        assert_allclose((rk.F_B - rk.F_E) @ rk.F_C**k, 1.0 / (k + 1), rtol=1e-14)


def test_coefficients_are_those_published():
    """[Hairer1993], as carried by scipy."""
    for ours, theirs in (
        (rk.D_A, published.A),
        (rk.D_C, published.C),
        (rk.D_E3, published.E3),
        (rk.D_E5, published.E5),
    ):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(rk.D_D, published.D)


def slope(y):
    """A circle: exact solution (cos t, sin t)."""
    return np.array([-y[1], y[0]])


def step(y, h, pair):
    """One step of the circle; returns the new state and all stages."""
    K, stage, new = np.zeros((rk.STAGES, 2)), np.empty(2), np.empty(2)
    K[0] = slope(y)
    A, n = (rk.F_A, 6) if pair == rk.FEHLBERG else (rk.D_A, 12)
    for i in range(1, n):
        rk.stage_state(y, h, K, A[i], i, 2, stage)
        K[i] = slope(stage)
    rk.stage_state(y, h, K, rk.F_B if pair == rk.FEHLBERG else rk.D_A[12], n, 2, new)
    K[12] = slope(new)
    for i in range(13, 16):
        rk.stage_state(y, h, K, rk.D_A[i], i, 2, stage)
        K[i] = slope(stage)
    return new, K


@pytest.mark.parametrize(("pair", "order", "h"), [(rk.FEHLBERG, 5, 0.2), (rk.DORMAND_PRINCE, 8, 0.8)])
def test_observed_order(pair, order, h):
    """The local error falls as h^(order + 1)."""
    errors = [np.linalg.norm(step(np.array([1.0, 0.0]), x, pair)[0] - [np.cos(x), np.sin(x)]) for x in (h, h / 2)]
    # half a power of room: the next term of the error is still felt at these steps
    assert np.log2(errors[0] / errors[1]) > order + 0.5


@pytest.mark.parametrize("pair", [rk.FEHLBERG, rk.DORMAND_PRINCE])
def test_error_estimate_bounds_the_error_of_a_smooth_step(pair):
    """With local extrapolation the estimate exceeds the true error of the step taken."""
    h, scale = 0.5, np.full(2, 1e-6)
    new, K = step(np.array([1.0, 0.0]), h, pair)
    true = np.max(np.abs(new - [np.cos(h), np.sin(h)])) / 1e-6
    assert true < rk.error_norm(K, h, scale, pair) < 1e6 * max(true, 1.0)


def test_dense_output_is_of_seventh_order():
    """The interpolant inside a step of 0.5 and 0.25; the ends are met exactly."""
    worst = []
    for h in (0.5, 0.25):
        y = np.array([1.0, 0.0])
        new, K = step(y, h, rk.DORMAND_PRINCE)
        F, out = np.empty((rk.DENSE_ROWS, 2)), np.empty(2)
        rk.dense_rows(y, new, h, K, 2, F)
        rk.dense_value(y, F, 1.0, 2, out)
        assert_allclose(out, new, rtol=1e-15)
        errors = []
        for x in np.linspace(0.05, 0.95, 19):
            rk.dense_value(y, F, x, 2, out)
            errors.append(np.linalg.norm(out - [np.cos(x * h), np.sin(x * h)]))
        worst.append(max(errors))
    assert np.log2(worst[0] / worst[1]) > 7.5


def test_step_factor_keeps_its_limits():
    """Nothing but a finite factor within the limits comes out."""
    assert rk.step_factor(0.0, True, rk.DORMAND_PRINCE) == rk.GROW
    assert rk.step_factor(np.inf, False, rk.DORMAND_PRINCE) == rk.SHRINK_AT_REJECT
    assert rk.step_factor(np.nan, False, rk.FEHLBERG) == rk.SHRINK_AT_REJECT
    assert rk.step_factor(1.0, True, rk.FEHLBERG) == rk.SAFETY
    assert rk.step_factor(1.5, False, rk.FEHLBERG) < 1.0
