"""The solver in joint angles: the mechanics of `recursive` in other coordinates, and their pole."""

import numpy as np
import pytest
from bars_cases import chain, order, run, total
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from ropewalk.errors import InputError
from ropewalk.methods.bars.joint_angles import JointAngles
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.model.state import initial_state

TOW = {"kind": "harmonic", "terms": [{"direction": [0, 1, 0], "amplitude": 0.2, "omega": 5.0}]}


@pytest.mark.parametrize("form", ["recursive", "dense"])
def test_angles_and_directions_move_alike(form):
    """A chain in space in still water with its support moved: second order in either coordinates, one limit."""
    sea = {"water_density": 1025.0, "depth": 20.0}
    more = {"environment": sea, "section": {"drag": {"normal": 1.2}, "added_mass": {"normal": 1.0}},
            "points": {"a": {"position": (0.0, 0.0, -2.0), "joint": "moving", "motion": TOW}}}  # fmt: skip
    model = chain(4, mass=3.0, end=(0.3, 0.3, -2.8), **more)
    found = [run(JointAngles(step=h, form=form), model, 0.4)[0].position for h in (0.02, 0.01, 0.005)]
    exact = run(Recursive(step=1e-3), model, 0.4)[0]
    assert abs(order(found) - 2.0) < 0.3
    limit = found[-1] + (found[-1] - found[-2]) / 3.0
    # Richardson's value is off by h^3 terms, (0.005)^3 of motions at 10 rad/s; the other by h^2 = 1e-6
    assert_allclose(limit, exact.position, atol=2e-4)


def test_tensions_are_those_of_the_recursion():
    """At the start, where both have the same state."""
    model = chain(5, end=(0.4, 0.2, -0.7))
    state = initial_state(model)
    mine, other = JointAngles().start(model, state), Recursive().start(model, state)
    assert_allclose(mine.steps.tension, other.steps.tension, rtol=1e-10)
    assert_allclose(mine.steps.old_force, other.steps.old_force, atol=1e-10 * 9.81)


def test_double_pendulum_swings_as_its_equations_say():
    """Two masses on rods of 1 m, 45 and 20 degrees: scipy on the equations in absolute angles."""
    m, g = 0.5, 9.81
    # half the line's mass at the end, a whole bar's at the joint: masses m and m/2 for a line of 2 m at m per metre

    def slope(_, y):
        a, b, u, v = y
        d, m1, m2 = a - b, m, 0.5 * m
        M = np.array([[m1 + m2, m2 * np.cos(d)], [m2 * np.cos(d), m2]])
        f = [-m2 * v * v * np.sin(d) - (m1 + m2) * g * np.sin(a), m2 * u * u * np.sin(d) - m2 * g * np.sin(b)]
        return [u, v, *np.linalg.solve(M, f)]

    a, b = np.radians(45.0), np.radians(20.0)
    joint = np.array([0.0, np.sin(a), -np.cos(a)])
    end = joint + np.array([0.0, np.sin(b), -np.cos(b)])
    model = chain(2, length=2.0, mass=2.0 * m, end=tuple(end))
    state = initial_state(model)
    state = state._replace(start=np.array([0, 3]), s=np.array([0.0, 1.0, 2.0]),
                           position=np.array([np.zeros(3), joint, end]), velocity=np.zeros((3, 3)),
                           tension=np.zeros(3), point_position=np.array([np.zeros(3), end]))  # fmt: skip
    now, report, _ = run(JointAngles(step=1e-3), model, 1.0, state)
    y = solve_ivp(slope, (0.0, 1.0), [a, b, 0.0, 0.0], rtol=1e-11, atol=1e-12).y[:2, -1]
    exact = np.array([0.0, np.sin(y).sum(), -np.cos(y).sum()])
    assert_allclose(now.position[-1], exact, atol=2e-5)  # h^2 omega^3 t with omega near 5 rad/s
    assert_allclose(total(report), 0.5 * m * g * (3.0 * joint[2] + end[2] - joint[2]), rtol=1e-4)


def test_the_pole_is_named():
    """A bar along x of the one before: 90 degrees."""
    with pytest.raises(InputError, match="pole at 90 deg at the start; use the solver 'recursive'"):
        JointAngles().start(chain(3, end=(1.0, 0.0, 0.0)), initial_state(chain(3, end=(1.0, 0.0, 0.0))))


def test_lines_without_a_support_are_refused():
    model = chain(3, points={"a": {"position": (0.0, 0.0, 0.0), "joint": "free"}}, end=(0.1, 0.2, -0.9))
    with pytest.raises(InputError, match="is not attached to a support; use the solver 'recursive'"):
        JointAngles().start(model, initial_state(model))


def test_a_stopped_run_goes_on_to_the_same_bits():
    model = chain(3, end=(0.2, 0.4, -0.7))
    solver = JointAngles(step=0.01)
    whole = run(solver, model, 0.2)[0]
    half = run(solver, model, 0.1)[2]
    again = solver.restore(model, solver.snapshot(half))
    solver.advance(model, again, 0.2)
    assert np.array_equal(solver.read(model, again).position, whole.position)
