"""Coefficients of screens of netting."""

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.physics.screens import (
    LOLAND,
    cylinder_drag,
    screen_coefficients,
    wake_factor,
)


def test_loland_coefficients_as_printed():
    """Loland 1991 at solidity 0.25: CD(0) 0.4150, CD(45) 0.3052, CL(45) 0.1037."""
    # four printed digits
    assert_allclose(screen_coefficients(LOLAND, 0.0, 0.25, 0.0)[0], 0.4150, atol=5e-5)
    assert_allclose(screen_coefficients(LOLAND, np.pi / 4, 0.25, 0.0), [0.3052, 0.1037], atol=5e-5)


def test_cylinder_drag_at_decades():
    """A cylinder in cross flow: 1.4 at Re 100, 1.0 at 1000, 1.1 at 10^4 (Schlichting's curve, read to 5 %)."""
    assert_allclose([cylinder_drag(re) for re in (1e2, 1e3, 1e4)], [1.4, 1.0, 1.1], rtol=0.05)
    assert cylinder_drag(1.0) == cylinder_drag(10.0**1.5) and cylinder_drag(1e7) == cylinder_drag(1e4)


def test_a_wake_is_slower():
    """Loland 1991: r = 1 - 0.46 CD."""
    assert_allclose(wake_factor(0.415), 1.0 - 0.46 * 0.415)
