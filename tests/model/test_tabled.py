"""Curves through tables: fourth order where the rows are smooth, never far beyond them where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import PPoly

from ropewalk.model.tabled import BEYOND, limited_cubics


def curve(time, value):
    return PPoly(limited_cubics(np.array(time, dtype=float), np.array(value, dtype=float)), time)


@pytest.mark.parametrize(
    ("time", "value"),
    [
        ([0, 10, 60], [0, -6, -6]),  # a parabola through these goes to -24
        ([0, 5, 10, 20, 60], [0, 0, -6, -6, -6]),
        ([0, 1, 2, 3, 4, 50, 100], [0, 0, 0, 10, 10, 10, 10]),
    ],
)
def test_move_and_hold_stays_within_its_rows(time, value):
    x = np.linspace(time[0], time[-1], 5001)
    y = curve(time, value)(x)
    room = BEYOND * np.abs(np.diff(value)).max()
    assert y.min() >= min(value) - room and y.max() <= max(value) + room
    assert_allclose(curve(time, value)(time), value, atol=1e-12)


def test_random_tables_keep_to_their_rows_with_a_continuous_velocity():
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(3, 12))
        time = np.cumsum(rng.lognormal(0.0, 1.5, n))
        value = rng.normal(size=(n, 3)) * rng.integers(0, 2, (n, 3))
        cubics = limited_cubics(time, value)
        found = PPoly(cubics, time)
        step = np.abs(np.diff(value, axis=0))
        for k in range(n - 1):
            y = found(np.linspace(time[k], time[k + 1], 101))
            room = BEYOND * step[max(0, k - 1) : k + 2].max(axis=0) + 1e-9
            assert np.all(y <= np.maximum(value[k], value[k + 1]) + room)
            assert np.all(y >= np.minimum(value[k], value[k + 1]) - room)
        speed = found.derivative()
        h = np.diff(time)[:-1, None]
        left = (3.0 * cubics[0, :-1] * h + 2.0 * cubics[1, :-1]) * h + cubics[2, :-1]
        assert_allclose(left, speed(time[1:-1]), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("phase", [0.0, 0.4, 1.1])
def test_smooth_tables_are_followed_to_fourth_order(phase):
    """Halving the time between rows divides the largest error by 16; nothing is limited from four rows a period on."""
    errors = []
    for n in (9, 17, 33, 65):
        time = np.linspace(0.0, 4.0 * np.pi, n)
        x = np.linspace(0.0, 4.0 * np.pi, 4001)
        errors.append(np.abs(curve(time, np.sin(time + phase))(x) - np.sin(x + phase)).max())
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert orders[-1] > 3.7


def test_tables_turn_with_the_axes_where_they_are_not_limited():
    """A circle with eight rows a turn: cubic splines are linear in the rows. Rough rows differ by a step at most."""
    a = 0.7
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    time = np.linspace(0.0, 4.0 * np.pi, 17)
    x = np.linspace(time[0], time[-1], 1001)
    smooth = np.stack([np.cos(time), np.sin(time)], axis=1)
    assert_allclose(curve(time, smooth @ turn.T)(x), curve(time, smooth)(x) @ turn.T, atol=1e-13)
    rough = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    time = np.array([0.0, 5.0, 10.0, 20.0, 60.0])
    x = np.linspace(0.0, 60.0, 1001)
    held = curve(time, rough)(x)
    assert np.all(held[:, 1] == 0.0)  # what holds still stays where it is
    assert np.abs(curve(time, rough @ turn.T)(x) - held @ turn.T).max() <= 1.0
