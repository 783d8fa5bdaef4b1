"""Current profiles and their slopes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.physics.current import POWER, POWER_LAYER, TABLE, UNIFORM, current, current_slope, current_table

NO_TABLE = np.empty((0, 3))
TURNING = current_table([-100.0, -40.0, -10.0, 0.0], [0.1, 0.4, 0.5, 0.9], np.radians([10.0, 350.0, 280.0, 300.0]))


def test_uniform_is_the_same_everywhere():
    for z in (-1e4, -50.0, 0.0, 5.0):
        assert_allclose(current(z, UNIFORM, 0.8, 0.3, 0.0, 50.0, NO_TABLE), [0.8 * np.cos(0.3), 0.8 * np.sin(0.3), 0.0])
        assert current_slope(z, UNIFORM, 0.8, 0.3, 0.0, 50.0, NO_TABLE) == (0.0, 0.0, 0.0)


def test_power_law_values():
    """U = U0 ((z + h)/h)^(1/7); constant above still water, zero below the bed."""
    for z, want in ((0.0, 1.0), (7.0, 1.0), (-25.0, 0.5 ** (1 / 7)), (-50.0, 0.0), (-60.0, 0.0)):
        assert_allclose(current(z, POWER, 1.0, 0.0, 1 / 7, 50.0, NO_TABLE), [want, 0.0, 0.0], rtol=1e-15)


def test_power_law_in_deep_water_is_uniform():
    assert current(-1000.0, POWER, 1.5, 0.0, 1 / 7, np.inf, NO_TABLE) == (1.5, 0.0, 0.0)


def test_power_law_stays_continuous_with_bounded_slope_at_the_bed():
    """Linear in the lowest POWER_LAYER of the depth."""
    depth, layer = 50.0, POWER_LAYER * 50.0
    below = current(-depth + layer * (1 - 1e-12), POWER, 1.0, 0.0, 1 / 7, depth, NO_TABLE)[0]
    above = current(-depth + layer * (1 + 1e-12), POWER, 1.0, 0.0, 1 / 7, depth, NO_TABLE)[0]
    # z + h cancels: 50 m eps over a layer of 5 mm is 1e-12
    assert_allclose(below, above, rtol=1e-11)
    assert_allclose(above, POWER_LAYER ** (1 / 7), rtol=1e-11)
    largest = current_slope(-depth + 1e-9, POWER, 1.0, 0.0, 1 / 7, depth, NO_TABLE)[0]
    assert_allclose(largest, POWER_LAYER ** (1 / 7) / layer, rtol=1e-12)


def test_table_turns_the_shorter_way_and_holds_its_ends():
    """From 10 to 350 degrees by way of 0; speed is kept while turning."""
    speed_heading = [(-70.0, 0.25, 0.0), (-25.0, 0.45, 315.0), (-200.0, 0.1, 10.0), (3.0, 0.9, 300.0)]
    for z, speed, heading in speed_heading:
        want = speed * np.array([np.cos(np.radians(heading)), np.sin(np.radians(heading)), 0.0])
        assert_allclose(current(z, TABLE, 0.0, 0.0, 0.0, 100.0, TURNING), want, atol=1e-15)


def test_table_rows_in_any_order():
    assert np.array_equal(current_table([0.0, -5.0], [1.0, 2.0], [0.0, 1.0])[:, 0], [-5.0, 0.0])


def test_a_height_given_twice_is_refused():
    with pytest.raises(ValueError, match=r"z = -5\.0 m is given twice"):
        current_table([0.0, -5.0, -5.0], [1.0, 2.0, 3.0], 0.0)


@pytest.mark.parametrize("kind", [POWER, TABLE])
@pytest.mark.parametrize("z", [-99.998, -80.0, -39.0, -5.0, -0.01])
def test_slope_matches_differences(kind, z):
    """Central differences inside every piece of the profile."""
    h = 1e-5
    case = (kind, 1.2, 0.4, 0.143, 100.0, TURNING)
    difference = (np.array(current(z + h, *case)) - np.array(current(z - h, *case))) / (2 * h)
    # truncation h^2 U'''/6 < 1e-10, round-off 1e-16 / h = 1e-11, times the slope of up to 27 1/s at the bed
    assert_allclose(current_slope(z, *case), difference, rtol=1e-7, atol=1e-9)


def test_slope_at_a_corner_is_that_above():
    slope = current_slope(-10.0, TABLE, 0.0, 0.0, 0.0, 100.0, TURNING)
    just_above = current_slope(-10.0 + 1e-9, TABLE, 0.0, 0.0, 0.0, 100.0, TURNING)
    assert_allclose(slope, just_above, rtol=1e-8)
    assert current_slope(0.0, TABLE, 0.0, 0.0, 0.0, 100.0, TURNING) == (0.0, 0.0, 0.0)
