"""Water, bed and waves around a scene."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.model.environment import build_sea
from ropewalk.physics.waves import elevation
from ropewalk.spec.environment import Environment
from ropewalk.viewer.surroundings import MOST_COMPONENTS, surroundings
from unpacking import unpacked

JONSWAP = {
    "kind": "jonswap",
    "ramp": 0,
    "significant_height": 4.0,
    "peak_period": 9.0,
    "heading": 30.0,
    "components": 400,
}


def around(low, high, **environment):
    return surroundings(Environment.model_validate(environment), np.array(low, float), np.array(high, float))


def drawn(told, x, y, t):
    """Elevation as the page sums it, at places of the page."""
    w = {key: np.array(value) for key, value in told["waves"].items()}
    return np.sum(w["amplitude"] * np.cos(w["kx"] * x + w["ky"] * y + w["phase"] - w["omega"] * t))


def test_a_regular_wave_on_the_page_is_the_wave_of_the_case():
    """Phases are moved to the page's origin; the sum is then the elevation that the solvers use."""
    sea = {"kind": "regular", "ramp": 0, "height": 3.0, "period": 7.0, "heading": 40.0, "phase": 0.4}
    it = around([90, 40, -20], [130, 60, 0], waves=sea, depth=20.0)
    table = build_sea(Environment.model_validate({"waves": sea, "depth": 20.0})).wave
    told = it.to_json(np.array([110.0, 50.0, 0.0]))
    for x, y, t in [(0.0, 0.0, 0.0), (-12.0, 7.0, 3.3), (15.0, -9.0, 4000.1)]:
        # 4000 s of 0.9 rad/s in double precision: 1e-12 of a turn
        assert_allclose(drawn(told, x, y, t), elevation(table, 110.0 + x, 50.0 + y, t, 1.0), atol=1e-9)


def test_the_drawn_surface_misses_what_it_says():
    """Facets between grid points against all components: the standard deviation is the stated one."""
    it = around([0, 0, -50], [600, 300, 0], waves=JONSWAP, depth=50.0)
    assert it.waves is not None
    table = build_sea(Environment.model_validate({"waves": JONSWAP, "depth": 50.0})).wave
    width = float(np.max((it.high - it.low)[:2]))
    cell = width / it.waves.cells
    told = it.to_json(np.zeros(3))
    rng = np.random.default_rng(1)
    misses = []
    for _ in range(150):
        i, j = rng.integers(0, it.waves.cells, 2) * cell
        t = rng.uniform(0.0, 600.0)
        corners = [
            drawn(told, i + a * cell, j + b * cell, t) for a, b in ((0, 0), (1, 1))
        ]  # ends of a facet's diagonal
        misses.append(0.5 * sum(corners) - elevation(table, i + 0.5 * cell, j + 0.5 * cell, t, 1.0))
    # the diagonal's middle is the worst place for a wave along it; 150 samples scatter by 6 %
    assert 0.3 * it.waves.error < np.std(misses) < 2.2 * it.waves.error
    assert f"{it.waves.error:.2g} m" in " ".join(it.notes)


def test_the_strongest_components_are_kept():
    it = around([0, 0, -50], [100, 100, 0], waves=JONSWAP, depth=50.0)
    assert it.waves is not None
    assert it.waves.amplitude.size == MOST_COMPONENTS
    assert 0.0 < it.waves.left_out < 0.1  # m, of a sea whose standard deviation is 1 m


def test_a_sloping_bed_keeps_its_plane_wherever_the_page_has_its_origin():
    it = around([0, 0, -30], [100, 20, 0], depth=30.0, seabed={"normal": (0.1, 0.0, 1.0)})
    b0, b1, b2 = it.to_json(np.array([50.0, 0.0, 0.0]))["bed"]
    x = 37.0
    assert_allclose(b0 + b1 * (x - 50.0) + b2 * 0.0, -30.0 - 0.1 * x, rtol=1e-12)
    assert it.low[2] <= -30.0 - 0.1 * it.high[0] + 1e-9  # the deepest corner is in the box


@pytest.mark.parametrize(
    ("low", "high", "environment", "note"),
    [
        ([0, 0, -8], [8, 8, 0], {"depth": 400.0}, "the bed, 400 m deep, lies below the view"),
        ([0, 0, -500], [8, 8, -490], {}, "the water surface is outside the view"),
    ],
)
def test_what_is_far_off_is_left_out_and_said(low, high, environment, note):
    it = around(low, high, **environment)
    assert note in it.notes
    assert np.ptp([it.low[2], it.high[2]]) < 20.0


def test_in_air_there_is_no_water():
    it = around([0, 0, 0], [1, 1, 1], water_density=0.0)
    assert not it.water
    assert it.waves is None


def test_current_arrows_follow_the_profile():
    """A linear profile: half the speed at half the depth."""
    current = {"speed": 2.0, "heading": 90.0, "profile": {"kind": "power", "exponent": 1.0}}
    it = around([0, 0, -20], [10, 10, 0], depth=20.0, current=current)
    z, u, v = unpacked(it.to_json(np.zeros(3))["current"]).T
    assert_allclose(u, 0.0, atol=1e-7)  # single precision
    assert_allclose(v, 2.0 * (z + 20.0) / 20.0, rtol=1e-6)
