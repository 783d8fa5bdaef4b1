"""Elevations of many moments are those of each."""

from __future__ import annotations

import numpy as np

from ropewalk.physics.elevations import elevations
from ropewalk.physics.waves import elevation, wave_table


def test_elevations_are_those_of_each_place_and_time():
    rng = np.random.default_rng(1)
    wave = wave_table(
        rng.uniform(0.1, 1.0, 7), rng.uniform(0.4, 2.0, 7), rng.normal(size=7), rng.normal(size=7), 30.0, 9.81
    )
    x, y, t = rng.normal(scale=50.0, size=(3, 20))
    wanted = [elevation(wave, *place, 1.0) for place in zip(x, y, t, strict=True)]
    np.testing.assert_array_equal(elevations(wave, x, y, t), wanted)
    np.testing.assert_array_equal(elevations(wave[:, :0], x, y, t), np.zeros(20))
