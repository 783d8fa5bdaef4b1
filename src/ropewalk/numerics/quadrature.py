"""Points and weights: Gauss-Legendre rules, interpolation and running integrals on their points."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from ropewalk.numerics.compile import kernel

Array = NDArray[np.float64]
ON_A_POINT = 1e-200  # in place of a gap of zero: its weight then drowns all others, and the value is that of the point


class GaussRule(NamedTuple):
    """Gauss-Legendre rule of n points on [-1, 1] and what interpolation on its points needs."""

    x: Array  # (n,) points, ascending
    weight: Array  # (n,) of the integral over [-1, 1]
    bary: Array  # (n,) barycentric weights of the interpolating polynomial
    running: Array  # (n, n) integral from -1 to x_i of the interpolant, row i
    derivative: Array  # (n, n) derivative of the interpolant at x_i, row i
    ends: Array  # (2, n) values of the interpolant at -1 and +1


@functools.cache
def gauss_legendre(n: int) -> GaussRule:
    """The rule of `n` points, exact for polynomials of degree 2n - 1, with its matrices.

    Barycentric weights from the Gauss weights: [Wang2014], eq. (1.8). Arrays are read-only and shared.
    """
    x, weight = legendre.leggauss(n)
    x = 0.5 * (x - x[::-1])  # exactly odd, so that symmetric bodies give symmetric sums
    weight = 0.5 * (weight + weight[::-1])
    bary = (-1.0) ** np.arange(n) * np.sqrt((1.0 - x * x) * weight)
    # nodal values to Legendre coefficients by the rule itself: discrete orthogonality holds to degree n - 1
    degree = np.arange(n)
    to_coefficients = (2.0 * degree[:, None] + 1.0) / 2.0 * legendre.legvander(x, n - 1).T * weight
    higher = legendre.legvander(x, n)
    integral = np.empty((n, n))  # of P_k from -1 to x_i
    integral[:, 0] = 1.0 + x
    for k in range(1, n):
        integral[:, k] = (higher[:, k + 1] - higher[:, k - 1]) / (2 * k + 1)
    gap = x[:, None] - x[None, :]
    np.fill_diagonal(gap, 1.0)
    derivative = bary[None, :] / bary[:, None] / gap
    np.fill_diagonal(derivative, 0.0)
    np.fill_diagonal(derivative, -derivative.sum(axis=1))
    ends = bary / (np.array([[-1.0], [1.0]]) - x)
    ends /= ends.sum(axis=1, keepdims=True)
    rule = GaussRule(x, weight, np.asarray(bary, dtype=np.float64), integral @ to_coefficients, derivative, ends)
    for array in rule:
        array.setflags(write=False)
    return rule


@kernel
def interpolation_row(x, bary, at, row):
    r"""Fill `row` with the weights that take nodal values to the interpolant at one place.

    .. math:: r_j = \frac{b_j}{t - x_j} \Big/ \sum_k \frac{b_k}{t - x_k}

    Source: second barycentric formula, [Berrut2004], eq. (4.2).

    x, bary : (n,) points and barycentric weights    at : place in [-1, 1]    row : (n,) is overwritten
    """
    n = x.shape[0]
    total = 0.0
    for j in range(n):
        gap = at - x[j]
        row[j] = bary[j] / (gap if gap != 0.0 else ON_A_POINT)
        total += row[j]
    total = 1.0 / total
    for j in range(n):
        row[j] *= total
