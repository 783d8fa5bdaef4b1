"""Current profiles given by components: what lies between their rows."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.io.profiles import rows_of_components
from ropewalk.physics.current import current_table

ATOL = 0.005

TWO_LAYERS = ([0.0, -40.0], [0.8, -0.4], [0.0, 0.0])
VEERING = ([0.0, -10.0, -30.0], [0.5, 0.0, -0.4], [0.1, 0.6, 0.0])
FROM_ZERO = ([0.0, -10.0, -20.0], [0.5, 0.0, 0.0], [0.0, 0.0, -0.5])
NEARLY_REVERSED = ([-40.0, -20.0, 0.0], [1.0, -1.0, 0.5], [0.0, 0.06, 0.0])


def components(rows, z):
    """Components at heights z, by the interpolation of the model: linear in speed and heading."""
    heights, speed, heading = (np.array(column) for column in zip(*rows, strict=True))
    table = current_table(heights, speed, np.radians(heading))
    size, angle = (np.interp(z, table[:, 0], table[:, k]) for k in (1, 2))
    return size * np.cos(angle), size * np.sin(angle)


@pytest.mark.parametrize("profile", [TWO_LAYERS, VEERING, FROM_ZERO, NEARLY_REVERSED])
def test_components_are_linear_between_rows(profile):
    z, u, v = (np.array(column) for column in profile)
    heights = np.linspace(z.min(), z.max(), 501)
    order = np.argsort(z)
    largest = np.hypot(u, v).max()
    found = components(rows_of_components(*profile), heights)
    for one, column in zip(found, (u, v), strict=True):
        # rows every 5 degrees: (5 deg)^2 / 8 = 0.1 %; what turns while the speed changes: a sixteenth of an interval
        assert_allclose(one, np.interp(heights, z[order], column[order]), atol=ATOL * largest)


def test_a_reversing_current_passes_through_zero():
    rows = rows_of_components(*TWO_LAYERS)
    assert rows == [(0.0, 0.8, 0.0), (-40.0, -0.4, 0.0)]


def test_rows_themselves_are_kept():
    rng = np.random.default_rng(1)
    z = np.cumsum(rng.uniform(0.5, 5.0, 40))
    u, v = rng.normal(size=(2, 40))
    at = {row[0]: row for row in rows_of_components(z.tolist(), u.tolist(), v.tolist())}
    for height, a, b in zip(z.tolist(), u.tolist(), v.tolist(), strict=True):
        _, speed, heading = at[height]
        assert_allclose([speed * math.cos(math.radians(heading)), speed * math.sin(math.radians(heading))], [a, b],
                        atol=1e-12)  # fmt: skip
    heights = [row[0] for row in rows_of_components(z.tolist(), u.tolist(), v.tolist())]
    assert all(b > a for a, b in itertools.pairwise(heights))
