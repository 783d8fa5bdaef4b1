"""Beds on a grid: what the surface passes through, how smooth it is, and its derivatives."""

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.physics.terrain import relief, reliefs, terrain

X = np.array([-30.0, -12.0, 0.0, 9.0, 40.0])
Y = np.array([-20.0, 1.0, 15.0])


def rough():
    """Random depths."""
    return terrain(X, Y, np.random.default_rng(1).uniform(10.0, 20.0, (Y.size, X.size)))


def test_the_surface_passes_through_the_depths():
    depth = np.random.default_rng(1).uniform(10.0, 20.0, (Y.size, X.size))
    bed = terrain(X, Y, depth)
    for j, i in np.ndindex(*depth.shape):
        assert_allclose(relief(X[i], Y[j], *bed)[0], -depth[j, i], rtol=1e-14)


def test_parabolas_along_the_axes_are_exact_and_go_on_straight():
    """z = 1 + 0.1 x - 0.02 x^2 + 0.3 y + 0.01 y^2 + 0.004 x y on the uneven grid; beyond it the tangent."""

    def height(x, y):
        return 1.0 + 0.1 * x - 0.02 * x**2 + 0.3 * y + 0.01 * y**2 + 0.004 * x * y

    bed = terrain(X, Y, -height(X[None, :], Y[:, None]))
    for x, y in np.random.default_rng(2).uniform([-30.0, -20.0], [40.0, 15.0], (50, 2)):
        exact = [height(x, y), 0.1 - 0.04 * x + 0.004 * y, 0.3 + 0.02 * y + 0.004 * x, -0.04, 0.004, 0.02]
        # heights of 40 m from cubic terms of a few hundred: 1e-14 of 1e3
        assert_allclose(relief(x, y, *bed), exact, atol=1e-11)
    far = height(40.0, 5.0) + 10.0 * (0.1 - 0.04 * 40.0 + 0.004 * 5.0)
    assert_allclose(relief(50.0, 5.0, *bed)[:2], [far, 0.1 - 0.04 * 40.0 + 0.004 * 5.0], rtol=1e-12)


def test_slopes_and_curvatures_match_differences():
    bed, h = rough(), 1e-5
    for x, y in np.random.default_rng(3).uniform([-35.0, -25.0], [45.0, 20.0], (40, 2)):
        _, zx, zy, zxx, zxy, zyy = relief(x, y, *bed)
        by_x = (np.array(relief(x + h, y, *bed)[:3]) - relief(x - h, y, *bed)[:3]) / (2 * h)
        by_y = (np.array(relief(x, y + h, *bed)[:3]) - relief(x, y - h, *bed)[:3]) / (2 * h)
        # heights of 20 m over h: 4e-10; third derivatives of 1 times h^2
        assert_allclose([*by_x, *by_y], [zx, zxx, zxy, zy, zxy, zyy], atol=1e-8)


def test_height_and_slope_do_not_jump_between_cells():
    bed, e = rough(), 1e-9
    for x in X:
        for y in np.linspace(-30.0, 30.0, 13):
            # slopes and curvatures of order 1 over 2e-9 m
            assert_allclose(relief(x - e, y, *bed)[:3], relief(x + e, y, *bed)[:3], atol=1e-7)


def test_many_places_at_once_are_those_one_by_one():
    bed = rough()
    places = np.random.default_rng(6).uniform(-50.0, 50.0, (100, 2))
    one_by_one = np.array([relief(x, y, *bed)[:3] for x, y in places])
    # far outside, values of 1e2 from products of 1e3
    assert_allclose(np.stack(reliefs(bed, *places.T), axis=1), one_by_one, atol=1e-10)
