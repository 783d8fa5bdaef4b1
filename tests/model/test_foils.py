"""Tables of foils: all the way round, smooth, and refused where they contradict themselves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.errors import InputError
from ropewalk.model.foils import foil_rows, whole_circle
from ropewalk.spec.foils import Foil, FoilTable

PART = {"angle": [-5, 0, 10, 20], "lift": [-0.3, 0.1, 0.8, 0.7], "drag": [0.05, 0.04, 0.1, 0.3]}


def value(rows, name: str, angle: float) -> float:
    """Coefficient at an angle (deg), by the cubics."""
    x = np.radians(angle)
    i = int(np.clip(np.searchsorted(rows["angle"], x, side="right") - 1, 0, rows.size - 2))
    return float(np.polyval(rows[name][i], x - rows["angle"][i]))


def test_beyond_its_table_a_foil_is_a_flat_plate():
    """C sin cos and C_0 + C sin^2, C = 1.2 and C_0 the least drag of the table, [Hoerner1965]."""
    rows = foil_rows(Foil(area=1.0, coefficients=PART))
    for angle in (-150.0, -90.0, -45.0, 45.0, 90.0, 135.0, 180.0):
        a = np.radians(angle)
        assert_allclose(value(rows, "lift", angle), 1.2 * np.sin(a) * np.cos(a), atol=1e-14)
        assert_allclose(value(rows, "drag", angle), 0.04 + 1.2 * np.sin(a) ** 2, atol=1e-14)
        assert_allclose(value(rows, "moment", angle), 0.0, atol=1e-14)


def test_between_its_rows_a_coefficient_stays_between_theirs():
    rows = foil_rows(Foil(area=1.0, coefficients=PART))
    for a, b, low, high in ((-5, 0, -0.3, 0.1), (0, 10, 0.1, 0.8), (10, 20, 0.7, 0.8)):
        found = [value(rows, "lift", angle) for angle in np.linspace(a, b, 50)[:-1]]
        assert low - 1e-14 <= min(found) and max(found) <= high + 1e-14


@pytest.mark.parametrize("angle", [-180.0, -90.0, -5.0, 0.0, 10.0, 20.0])
def test_slopes_are_continuous(angle):
    """Also where the circle closes."""
    rows = foil_rows(Foil(area=1.0, coefficients=PART))
    e = 1e-5  # deg: second derivatives of order 10 per rad^2 leave 1e-6 of a slope
    before = angle if angle > -180.0 else 180.0
    for name in ("lift", "drag"):
        left = (value(rows, name, before - e) - value(rows, name, before - 2 * e)) / e
        right = (value(rows, name, angle + 2 * e) - value(rows, name, angle + e)) / e
        assert_allclose(left, right, atol=1e-5)


def test_symmetric_tables_are_mirrored():
    table = FoilTable(angle=(0, 10, 90, 180), lift=(0, 0.9, 0, 0), drag=(0.02, 0.05, 1.3, 0.1), symmetric=True)
    rows = foil_rows(Foil(area=1.0, coefficients=table))
    for angle in np.linspace(1.0, 179.0, 60):
        assert_allclose(value(rows, "lift", -angle), -value(rows, "lift", angle), atol=1e-13)
        assert_allclose(value(rows, "drag", -angle), value(rows, "drag", angle), atol=1e-13)


@pytest.mark.parametrize("ends", [(-180, 180), (-180, 170), (-170, 180), (-172, 171), (-179, -20), (30, 40)])
def test_every_table_becomes_a_closed_circle(ends):
    table = FoilTable(angle=ends, lift=(0.3, 0.3), drag=(0.2, 0.2))
    circle = whole_circle(table)
    assert circle[0, 0] == -180.0
    assert circle[-1, 0] == 180.0
    assert np.all(np.diff(circle[:, 0]) > 0.0)
    assert np.array_equal(circle[0, 1:], circle[-1, 1:])
    for angle in ends:
        assert_allclose(circle[circle[:, 0] == angle, 1], 0.3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lift": [0.0, 1.0]}, "4 angles but 2 values of lift"),
        ({"angle": [-5, 0, 0, 20]}, "angle must increase"),
        ({"angle": [-5, 0, 10, 200]}, "keep it within -180 and 180"),
        ({"symmetric": True}, "begins at angle 0"),
        ({"angle": [0, 5, 10, 20], "symmetric": True}, "no lift at angle 0"),
        ({"angle": [-180, 0, 10, 180]}, "one direction"),
    ],
)
def test_tables_that_contradict_themselves_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        FoilTable(**(PART | change))


def test_chord_and_normal_must_be_at_right_angles():
    with pytest.raises(InputError, match="enclose 45 deg"):
        Foil(area=1.0, chord=(1, 0, 0), normal=(1, 0, 1), coefficients=PART)
    with pytest.raises(InputError, match="has no direction"):
        Foil(area=1.0, chord=(0, 0, 0), coefficients=PART)
