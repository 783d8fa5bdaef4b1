"""Cubics meet both ends of a step; turns come with the rate that their angular velocity gives."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.numerics.between import cubics_between, turn_and_rate
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product


def test_cubics_meet_positions_and_velocities():
    x0, v0, x1, v1 = np.random.default_rng(1).normal(size=(4, 5, 3))
    h, out = 0.3, np.empty((5, 4, 3))
    cubics_between(x0, v0, x1, v1, h, out)
    c3, c2, c1, c0 = out.transpose(1, 0, 2)
    # coefficients of up to |v| / h^2 = 30: round-off of some 1e-15
    assert_allclose(c0, x0, atol=1e-15)
    assert_allclose(c1, v0, atol=1e-15)
    assert_allclose(((c3 * h + c2) * h + c1) * h + c0, x1, atol=1e-14)
    assert_allclose((3.0 * c3 * h + 2.0 * c2) * h + c1, v1, atol=1e-14)


def test_turn_and_its_rate():
    """The turn of exp(theta) is theta; its rate is the central difference along the motion with that velocity."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        theta, rate, base = rng.normal(size=3), rng.normal(size=3), quaternion_exp(rng.normal(size=3))
        q = quaternion_product(quaternion_exp(theta), base)
        turn, speed = turn_and_rate(2.5 * q, base, rate)
        assert_allclose(turn, theta, atol=1e-13)
        h = 1e-5
        ahead, behind = (
            turn_and_rate(quaternion_product(quaternion_exp(k * h * rate), q), base, rate)[0] for k in (1.0, -1.0)
        )
        # differences of second order: h^2 times third derivatives of some 10, and round-off over h
        assert_allclose(speed, (ahead - behind) / (2.0 * h), atol=1e-8)
