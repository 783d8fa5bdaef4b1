"""Gauss-Legendre rules and their matrices against exact integrals of polynomials."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.numerics.quadrature import gauss_legendre, interpolation_row

EPS = np.finfo(float).eps


@pytest.mark.parametrize("n", [4, 16, 24])
def test_rule_integrates_degree_2n_minus_1(n):
    rule = gauss_legendre(n)
    for k in range(2 * n):
        exact = 0.0 if k % 2 else 2.0 / (k + 1)
        # numpy's points and weights are good to a few round-offs
        assert_allclose(rule.weight @ rule.x**k, exact, rtol=0, atol=20 * EPS)


@pytest.mark.parametrize("n", [4, 16, 24])
def test_matrices_are_exact_on_polynomials_of_degree_n_minus_1(n):
    rule = gauss_legendre(n)
    for k in range(n):
        value = rule.x**k
        # sums of n terms with coefficients of order 1 (running, ends) and n^2 (derivative)
        assert_allclose(rule.running @ value, (rule.x ** (k + 1) - (-1) ** (k + 1)) / (k + 1), rtol=0, atol=100 * EPS)
        assert_allclose(rule.ends @ value, [(-1.0) ** k, 1.0], rtol=0, atol=200 * EPS)
        if k:
            assert_allclose(rule.derivative @ value, k * rule.x ** (k - 1), rtol=0, atol=20 * n * n * EPS)


def test_interpolation_row_reproduces_an_analytic_function_and_the_points():
    rule = gauss_legendre(24)
    row = np.empty(24)
    for at in (-1.0, -0.31, 0.0, 0.77, 1.0):
        interpolation_row(rule.x, rule.bary, at, row)
        # exp is resolved to round-off by 24 points; Lebesgue constant below 10
        assert_allclose(row @ np.exp(rule.x), np.exp(at), rtol=50 * EPS)
    interpolation_row(rule.x, rule.bary, rule.x[5], row)
    # the others keep 1e-200 of the weight
    assert_allclose(row, np.eye(24)[5], rtol=0, atol=1e-190)


def test_points_are_symmetric_to_the_last_bit():
    rule = gauss_legendre(16)
    assert np.array_equal(rule.x, -rule.x[::-1])
    assert np.array_equal(rule.weight, rule.weight[::-1])
