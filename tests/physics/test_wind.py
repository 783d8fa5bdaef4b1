"""Wind profile."""

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.physics.wind import wind


def test_wind_at_the_reference_height_is_the_given_speed():
    assert_allclose(wind(10.0, 12.0, 0.5), [12.0 * np.cos(0.5), 12.0 * np.sin(0.5), 0.0], rtol=1e-15)


def test_wind_doubles_from_10_to_1280_metres():
    """(z/10)^(1/7): 2^7 times the height is twice the speed."""
    assert_allclose(wind(1280.0, 12.0, 0.0)[0], 24.0, rtol=1e-14)


def test_no_wind_in_the_water():
    assert wind(0.0, 12.0, 0.0) == (0.0, 0.0, 0.0)
    assert wind(-3.0, 12.0, 0.0) == (0.0, 0.0, 0.0)
