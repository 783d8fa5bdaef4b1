"""Currents on grids of places and times."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.interpolate import RegularGridInterpolator

from ropewalk.physics.current_grid import grid_field


def random_grid(shape, seed):
    """Axes x, y, z, t and velocities of a grid."""
    dice = np.random.default_rng(seed)
    axes = tuple(np.cumsum(dice.uniform(0.3, 2.0, n)) - 3.0 for n in shape)
    return axes, dice.normal(size=(shape[3], *shape[:3], 3))


def test_grid_is_linear_along_each_axis_as_scipy_interpolates():
    axes, velocity = random_grid((4, 3, 5, 6), 1)
    field = grid_field(axes, velocity)
    reference = RegularGridInterpolator(axes, np.moveaxis(velocity, 0, 3))
    dice = np.random.default_rng(2)
    for _ in range(200):
        place = [dice.uniform(axis[0], axis[-1]) for axis in axes]
        # both are sums of sixteen products of order 1
        assert_allclose(field(np.array(place[:3]), place[3]), reference(place)[0], atol=1e-13)


def test_grid_holds_its_outer_values_beyond_its_ends():
    axes, velocity = random_grid((3, 2, 4, 2), 3)
    field = grid_field(axes, velocity)
    assert_allclose(field(np.array([99.0, 99.0, 99.0]), 99.0), velocity[-1, -1, -1, -1], rtol=1e-15)
    assert_allclose(field(np.array([-99.0, -99.0, -99.0]), -99.0), velocity[0, 0, 0, 0], rtol=1e-15)
    for i, x in enumerate(axes[0]):  # rows themselves, and single entries along an axis
        assert_allclose(field(np.array([x, axes[1][1], axes[2][2]]), axes[3][0]), velocity[0, i, 1, 2], rtol=1e-12)


def test_one_entry_along_an_axis_is_the_same_everywhere():
    axes, velocity = random_grid((1, 1, 3, 1), 4)
    field = grid_field(axes, velocity)
    z = float(axes[2][1])
    assert_allclose(field(np.array([-50.0, 70.0, z]), 1e4), velocity[0, 0, 0, 1], rtol=1e-15)


def test_equal_grids_share_one_function():
    axes, velocity = random_grid((2, 2, 2, 2), 5)
    assert grid_field(axes, velocity) is grid_field(tuple(axis.copy() for axis in axes), velocity.copy())
