"""Paths of solutions whose folds and branch points are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.numerics.arclength import BRANCH, FOLD, Event, Lost, Point, begin, follow


class Plain:
    """F(x, p) of a function, with the matrix by differences."""

    def __init__(self, function, size):
        self.function, self.size = function, size

    def residual(self, at, p):
        return np.atleast_1d(np.asarray(self.function(at, p), dtype=float))

    def matrix(self, at, p):
        h = 1e-6 * np.eye(self.size)
        return np.array([(self.residual(at + e, p) - self.residual(at - e, p)) / 2e-6 for e in h]).T

    def moved(self, at, step):
        return at + step


def path(function, start, p, way, most=500, watch=None):
    curve = Plain(function, len(start))
    found = list(follow(curve, begin(curve, np.array(start), p, way), most, watch))
    return [one for one in found if isinstance(one, Point)], [one for one in found if isinstance(one, Event)]


def test_a_cubic_folds_twice():
    """p = 0.5 + x^3 - 0.75 x has folds at x = -1/2 and 1/2, where p is 0.75 and 0.25; det F_x changes sign at both."""
    points, events = path(lambda x, p: 0.5 + x**3 - 0.75 * x - p, [-1.0], 0.25, 1.0)
    assert [event.kind for event in events] == [FOLD, FOLD]
    # the fold is where dp/ds is zero to 1e-9 of a step, and p is flat there
    assert_allclose([event.point.p for event in events], [0.75, 0.25], atol=1e-9)
    assert_allclose([event.point.at[0] for event in events], [-0.5, 0.5], atol=1e-6)
    assert all(event.confirmed for event in events)
    assert_allclose(points[-1].p, 1.0, atol=1e-9)


def test_a_pitchfork_is_a_branch_point_and_no_fold():
    """x (x^2 - p + 0.4) = 0 along x = 0: another path crosses at p = 0.4, where det F_x changes sign."""
    _, events = path(lambda x, p: x * (x**2 - p + 0.4), [0.0], 0.0, 1.0)
    assert [event.kind for event in events] == [BRANCH]
    assert_allclose(events[0].point.p, 0.4, atol=1e-6)
    assert events[0].confirmed


def test_the_arms_of_a_pitchfork_turn_back_at_a_branch_point():
    """x (x^2 - p + 0.4) = 0 along x^2 = p - 0.4: p turns at 0.4, and det F_x = 2 x^2 keeps its sign."""
    points, events = path(lambda x, p: x * (x**2 - p + 0.4), [np.sqrt(0.6)], 1.0, -1.0)
    assert [event.kind for event in events] == [BRANCH]
    assert_allclose(
        events[0].point.p, 0.4, atol=1e-4
    )  # F is flat there: x is known to 5e-4, and p to its square and the steps around
    assert points[-1].at[0] < 0.0


def test_a_path_in_the_plane_comes_back():
    """A circle in (x, p): the path leaves p = 0.2 and comes back to it round its fold at 0.9."""
    points, events = path(
        lambda x, p: [x[0] ** 2 + (p - 0.2) ** 2 - 0.49, x[1] - x[0] * p],
        [0.7, 0.14],
        0.2,
        1.0,
        watch=lambda point: point.p - 0.15,
    )
    assert [event.kind for event in events] == [FOLD]
    assert_allclose(events[0].point.p, 0.9, atol=1e-9)
    assert_allclose(points[-1].p, 0.15, atol=1e-8)
    assert points[-1].at[0] < 0.0


def test_a_path_that_ends_is_lost():
    """x = sqrt(0.5 - p) has no derivative at its end."""

    class Ending(Plain):
        def residual(self, at, p):
            return None if p > 0.5 else super().residual(at, p)

    curve = Ending(lambda x, p: x - np.sqrt(max(0.5 - p, 0.0)), 1)
    with pytest.raises(Lost, match="no step"):
        list(follow(curve, begin(curve, np.array([np.sqrt(0.5)]), 0.0, 1.0), 500))


def test_a_start_without_solution_is_lost():
    curve = Plain(lambda x, p: x**2 + 1.0, 1)
    with pytest.raises(Lost, match="no solution next to the start"):
        begin(curve, np.array([1.0]), 0.0, 1.0)
