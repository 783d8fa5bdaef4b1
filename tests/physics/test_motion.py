"""Prescribed motions: velocities and accelerations belong to the displacements."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.model.in_time import FunctionBook
from ropewalk.model.joints import MotionBook
from ropewalk.physics.in_time import ramp
from ropewalk.physics.motion import motion, rotation
from ropewalk.spec.joints import HarmonicMotion, TableMotion, TowMotion

HARMONIC = HarmonicMotion(
    kind="harmonic",
    ramp=3.0,
    terms=[
        {"direction": [1, 0, 0], "amplitude": 2.0, "omega": 0.7, "phase": 0.3},
        {"direction": [0, 3, 4], "amplitude": -1.0, "omega": 2.0},
    ],
    rotations=[{"axis": [0, 0, 2], "amplitude": 10.0, "omega": 1.0}],
)
TABLE = TableMotion(kind="table", time=(0, 1, 2.5, 4), displacement=((0, 0, 0), (1, 0, 0), (1, 2, 0), (0, 2, 1)))
TOW = TowMotion(kind="tow", velocity=(2, 0, -1), ramp=10.0)


def at(spec, t, function=motion):
    functions = FunctionBook()
    book = MotionBook(functions)
    index = book.add(spec)
    out = np.zeros((3, 3))
    function(t, index, book.build(functions.build()), out)
    return out


@pytest.mark.parametrize("spec", [HARMONIC, TABLE, TOW], ids=["harmonic", "table", "tow"])
@pytest.mark.parametrize("t", [0.4, 1.7, 3.3, 9.0, 12.0])
def test_rates_are_derivatives(spec, t):
    h = 1e-4
    before, here, after = at(spec, t - h), at(spec, t), at(spec, t + h)
    assert_allclose((after[0] - before[0]) / (2 * h), here[1], atol=1e-6)
    assert_allclose((after[1] - before[1]) / (2 * h), here[2], atol=1e-6)


def test_harmonic_is_amplitude_cosine_after_its_ramp():
    t = 20.0
    expected = np.array([2.0 * np.cos(0.7 * t - 0.3), 0, 0]) - np.cos(2.0 * t) * np.array([0, 0.6, 0.8])
    assert_allclose(at(HARMONIC, t)[0], expected, atol=1e-14)
    assert_allclose(at(HARMONIC, 0.0), 0.0)


def test_rotation_is_in_radians_about_a_unit_axis():
    assert_allclose(at(HARMONIC, 20.0, rotation)[0], [0, 0, np.radians(10.0) * np.cos(20.0)], atol=1e-15)


def test_tow_covers_half_the_way_in_its_ramp():
    assert_allclose(at(TOW, 10.0)[0], [10.0, 0, -5.0])
    assert_allclose(at(TOW, 15.0)[0], [20.0, 0, -10.0])


def test_table_passes_its_points_and_rests_outside():
    assert_allclose(at(TABLE, 2.5)[0], [1, 2, 0], atol=1e-14)
    assert_allclose(at(TABLE, -3.0), 0.0, atol=1e-14)
    assert_allclose(at(TABLE, 99.0), [[0, 2, 1], [0, 0, 0], [0, 0, 0]], atol=1e-14)


def test_table_goes_on_at_its_last_velocity_where_it_is_to():
    going = TABLE.replace(after="continue")
    end = at(going, 4.0 - 1e-12)
    assert np.linalg.norm(end[1]) > 1.0
    # 1e-12 s before the end, at some m/s2
    assert_allclose(at(going, 7.0)[0], end[0] + 3.0 * end[1], atol=1e-10)


def test_table_turns_a_body_by_its_rotation_vector():
    turned = TABLE.replace(rotation=((0, 0, 0), (0, 0, 90), (0, 0, 90), (0, 0, 0)))
    assert_allclose(at(turned, 1.0, rotation)[0], [0, 0, 0.5 * np.pi], atol=1e-14)
    h = 1e-5
    rate = (at(turned, 1.7 + h, rotation)[0] - at(turned, 1.7 - h, rotation)[0]) / (2 * h)
    assert_allclose(at(turned, 1.7, rotation)[1], rate, atol=1e-8)  # about one axis: h^2 of the difference


def test_ramp_is_smooth_at_both_ends():
    assert ramp(0.0, 2.0) == (0.0, 0.0, 0.0)
    assert ramp(2.0, 2.0) == (1.0, 0.0, 0.0)
    assert_allclose(ramp(1.0, 2.0)[0], 0.5)
    for t in (1e-6, 2.0 - 1e-6):
        assert_allclose(ramp(t, 2.0)[1:], 0.0, atol=1e-4)


def test_no_motion_is_rest():
    assert_allclose(at(None, 3.0), 0.0)
