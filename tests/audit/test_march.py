"""Integrals of the string from node to node, against quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.audit.acting import CONSTANT, Has, Made
from ropewalk.audit.march import way
from ropewalk.physics.elasticity import LINEAR

PLAIN = Has(None, None, None, None)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)


def linear(flexibility: float) -> Made:
    return Made(0, 1.0, 0.0, (0.0, 0.0), 0, flexibility, (LINEAR, 0, 1), CONSTANT)


@pytest.mark.parametrize(
    ("n0", "n1"),
    [
        ((3.0, 1.0, -2.0), (3.0, 1.0, 4.0)),  # a bend
        ((30.0, 10.0, -2.0), (30.0, 10.0, -1.0)),  # hardly any turn: by three Gauss points
        ((0.0, 0.0, 1.0), (0.0, 0.0, 5.0)),  # straight up
        ((2.0, 0.0, 0.5), (-1.0, 0.3, 2.0)),
    ],
)
@pytest.mark.parametrize("flexibility", [0.0, 0.02])
def test_way_of_a_force_that_changes_evenly(n0, n1, flexibility):
    """r = integral of (1/|n| + 1/EA) n, by 60 Gauss points."""
    a, b, h = np.array(n0), np.array(n1), 7.0
    n = a + 0.5 * (NODES[:, None] + 1.0) * (b - a)
    tension = np.linalg.norm(n, axis=1)[:, None]
    expected = 0.5 * h * np.sum(WEIGHTS[:, None] * (1.0 / tension + flexibility) * n, axis=0)
    # three points leave h (change / force)^6 / 1e4: 1e-9 for a change of a tenth
    assert_allclose(way(PLAIN, np.zeros(1), linear(flexibility), 0.0, n0, n1, h), expected, atol=1e-9 * h)


def test_way_of_a_force_that_turns_back_on_itself():
    """A rope that hangs straight down and up again: nothing but the difference of its legs."""
    x, y, z = way(PLAIN, np.zeros(1), linear(0.0), 0.0, (0.0, 0.0, -3.0), (0.0, 0.0, 5.0), 8.0)
    # 3 m down and 5 m up, exact but for round-off of the logarithms of 1e14
    assert_allclose((x, y, z), (0.0, 0.0, 2.0), atol=1e-10)


def test_way_without_force_is_none():
    assert way(PLAIN, np.zeros(1), linear(1e-3), 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 5.0) == (0.0, 0.0, 0.0)
