"""The damped Newton iteration: order, damping, stopping rule."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from ropewalk.numerics.newton import Look, Rule, newton

RULE = Rule(target=1e-14, floor=1e-12, most=30, halvings=20)


class Scalar:
    """One equation f(x) = 0, with a record of where it was looked at."""

    def __init__(self, f, slope):
        self.f, self.slope, self.seen = f, slope, []

    def look(self, x):
        self.seen.append(x)
        try:
            value = self.f(x)
        except ValueError:
            return None
        return Look(abs(value), abs(value), value)

    def step(self, x, here):
        slope = self.slope(x)
        return None if slope == 0.0 else np.array([-here.found / slope])

    def moved(self, x, change):
        return x + float(change[0])


def test_near_a_simple_root_the_error_is_squared():
    """x^2 = 2 from 1.5: the error e becomes e^2/2x; errors reach round-off in four steps, and no step is halved."""
    problem = Scalar(lambda x: x * x - 2.0, lambda x: 2.0 * x)
    path = newton(problem, 1.5, RULE._replace(target=1e-15))
    assert path.converged
    assert path.x == pytest.approx(math.sqrt(2.0), rel=3e-16)
    for before, after in pairwise(problem.seen[:3]):
        square = (before - math.sqrt(2.0)) ** 2
        assert after - math.sqrt(2.0) == pytest.approx(square / (2.0 * before), rel=1e-9)


def test_steps_that_go_too_far_are_halved():
    """arctan x = 0 from 3: Newton's own steps run away from |x| > 1.39."""
    plain = 3.0
    for _ in range(4):
        plain -= math.atan(plain) * (1.0 + plain * plain)
    assert abs(plain) > 100.0
    path = newton(Scalar(math.atan, lambda x: 1.0 / (1.0 + x * x)), 3.0, RULE)
    assert path.converged
    assert abs(path.x) < 1e-14


def test_steps_that_leave_the_domain_are_halved():
    """ln x = -1 from 5 steps to x < 0 at first."""
    problem = Scalar(lambda x: math.log(x) + 1.0, lambda x: 1.0 / x)
    path = newton(problem, 5.0, RULE)
    assert min(problem.seen) < 0.0
    assert path.x == pytest.approx(math.exp(-1.0), rel=1e-13)
    assert newton(problem, -1.0, RULE) is None


def test_longest_step_is_kept():
    problem = Scalar(lambda x: x - 10.0, lambda x: 1.0)
    path = newton(problem, 0.0, RULE._replace(longest=1.0))
    assert problem.seen == [float(k) for k in range(11)]
    assert path.iterations == 10


@pytest.mark.parametrize(("least", "accepted"), [(1e-13, True), (1e-3, False)])
def test_where_no_step_gains_the_floor_decides(least, accepted):
    """x^2 + c has no root: the search ends at its least value."""
    path = newton(Scalar(lambda x: x * x + least, lambda x: 2.0 * x), 1e-8, RULE)
    assert path.converged is accepted
    assert path.here.error == pytest.approx(least, rel=1e-2)


def test_singular_tangent_ends_the_iteration_where_it_is():
    path = newton(Scalar(lambda x: x * x - 1.0, lambda x: 0.0), 3.0, RULE)
    assert (path.x, path.iterations, path.converged) == (3.0, 0, False)
