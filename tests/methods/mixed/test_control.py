"""Steps of the mixed elements where lines come taut and nodes land."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mixed_cases import march, short_line
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from ropewalk.methods.mixed.control import SAFETY, allowed_ratio, next_step, shorter_step
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

STIFFNESS = 2.3e8  # N


def caught_weight(stiffness: float | str, damping: float) -> Model:
    """A weight of 100 kg that falls 2 m, in air, before a rope of 10 m and one element catches it."""
    rope = {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 0.1, "axial_stiffness": stiffness, "damping": damping}
    return build(
        System.model_validate(
            {
                "environment": {"gravity": 9.81, "water_density": 0},
                "sections": {"rope": rope},
                "points": {
                    "a": {"position": [0, 0, 0]},
                    "b": {"position": [0, 0, -8], "joint": "free", "mass": 100.0},
                },
                "lines": {"l": {"from": "a", "to": "b", "elements": 1, "pieces": [{"section": "rope", "length": 10}]}},
            }
        )
    )


@pytest.mark.parametrize("stiffness", [1e10, "inextensible"])
def test_a_weight_caught_by_a_damped_rope_does_not_rebound(stiffness: Any) -> None:
    """Above critical damping the rope takes all velocity along itself: from then on the weight hangs."""
    times = np.arange(0.66, 1.2, 0.03)  # it is caught at sqrt(2 x 2/9.81) = 0.639 s
    states, report = march(caught_weight(stiffness, 0.001), MixedFem(start_at="as_given", ledger=False), times)
    heights = np.array([state.point_position[1, 2] for state in states])
    # A rebound at a tenth of the 6.3 m/s would lift it by 20 mm. (A Newton iteration that stops where the rope has just
    # come taut leaves it 137 mm too long, and throws the weight up by 20 m.) Where a step of 0.03 s ends while 2 m/s
    # are left, the damper of 1 ms is 2 mm short.
    assert_allclose(heights, -10.0, atol=4e-3)
    assert_allclose(heights[3:], -10.0, atol=1e-4)
    assert_allclose(states[-1].end_force[0, 0, 2], -101.0 * 9.81, rtol=1e-3)
    assert report.figures["steps"] < 60


def test_a_weight_caught_by_a_spring_comes_back() -> None:
    """Without damping the rope is a spring and the weight flies up to where it fell from, 2 m."""
    omega = np.sqrt(2e5 / 10.0 / 100.05)
    fall = np.sqrt(2.0 * 2.0 / 9.81)
    dip = np.arctan2(9.81 * fall * omega, 9.81)  # of the phase, as the spring also carries the weight
    back = fall + 2.0 * (np.pi - dip) / omega + fall  # highest point
    solver = MixedFem(start_at="as_given", ledger=False, tolerance=3e-4, spectral_radius=0.9)
    states, _ = march(caught_weight(2e5, 0.0), solver, [back])
    # measured 3 mm
    assert_allclose(states[0].point_position[1, 2], -8.0, atol=0.02)


def test_steps_leave_no_element_longer_than_its_law() -> None:
    """|d| - L + tau d|d|/dt = L e(T) after every step, also where an element has just come taut."""
    model = short_line(1e2 * STIFFNESS, 20)
    solver = MixedFem(ledger=False)
    work = solver.start(model, initial_state(model))
    worst = 0.0
    for t in np.arange(5.0, 15.0, 0.02):
        assert solver.advance(model, work, float(t)).good
        (r, v), T, element = work.steps.now.X[:2, :21], work.steps.now.T, work.mesh.element
        d, dv = np.diff(r, axis=0), np.diff(v, axis=0)
        span = np.linalg.norm(d, axis=1)
        strain = np.where(T < 0.0, T / element["slack"], T / (1e2 * STIFFNESS))
        length = element["length"]
        miss = span - length * (1.0 + strain) + element["damping"] * np.sum(d * dv, axis=1) / span
        worst = max(worst, float(np.max(np.abs(miss))))
    # Newton leaves a thousandth of the tolerance 3e-3, times 1.9 m/s and a step of 0.02 s: 0.1 um
    assert worst < 1e-6


def test_stiffness_costs_nothing_where_nodes_land_with_a_blow() -> None:
    """EA times 100, 1e4 and infinite: at most 1.5 times the work of EA itself, here 1.15 times."""
    work = []
    for stiffness in (STIFFNESS, 1e2 * STIFFNESS, 1e4 * STIFFNESS, "inextensible"):
        _, report = march(short_line(stiffness, 20), MixedFem(ledger=False), np.arange(0.5, 40.1, 0.5))
        work.append(report.figures["newton_iterations"])
    assert max(work) < 1.5 * work[0]


def test_steps_that_end_early_do_not_make_the_next_one_longer() -> None:
    """The step is chosen by the error of the one that was made, h sqrt(tolerance/error), not by the one wanted."""
    assert_allclose(next_step(0.1, SAFETY**2, 0.3, 1e-4), 0.1)
    assert_allclose(next_step(0.1, 1e-3, 0.1, 1e-4), 0.16)  # 1.6 times the step wanted, at most
    assert_allclose(next_step(0.1, 1e-3, 0.3, 1e-4), 0.48)
    assert_allclose(next_step(0.1, 1e9, 0.1, 1e-4), 0.03)


def test_an_impact_may_make_the_error_of_an_ordinary_step() -> None:
    """Its error over h does not fall with h, so what is allowed rises as h falls."""
    assert_allclose(allowed_ratio(0.01, 0.06, False), 2.0)
    assert_allclose(allowed_ratio(0.01, 0.06, True), 12.0)
    assert_allclose(allowed_ratio(0.1, 0.06, True), 2.0)
    # the step after a rejection meets what is allowed then
    h = shorter_step(0.02, 10.0, 0.06, True)
    assert allowed_ratio(h, 0.06, True) > 10.0


def double_pendulum() -> Model:
    """Two weights of 1 kg on massless rods of 1 m, let go at 45 degrees below and above the horizon."""
    rod = {
        "drag": 0,
        "added_mass": 0,
        "diameter": 0.002,
        "mass": 0,
        "axial_stiffness": "inextensible",
        "compression": True,
    }
    piece = [{"section": "rod", "length": 1}]
    far = np.sqrt(0.5)
    return build(
        System.model_validate(
            {
                "environment": {"gravity": 9.81, "water_density": 0},
                "sections": {"rod": rod},
                "points": {
                    "top": {"position": [0, 0, 0]},
                    "m1": {"position": [far, 0, -far], "joint": "free", "mass": 1},
                    "m2": {"position": [2 * far, 0, 0], "joint": "free", "mass": 1},
                },
                "lines": {
                    "l1": {"from": "top", "to": "m1", "elements": 1, "pieces": piece},
                    "l2": {"from": "m1", "to": "m2", "elements": 1, "pieces": piece},
                },
            }
        )
    )


def pendulum_by_angles(times: Any, damping: float) -> Any:
    """(n, 3) of the second weight, m: Lagrange's equations of the two angles from the vertical, damping per mass."""

    def rates(_: float, y: Any) -> Any:
        (a, b), w = y[:2], y[2:]
        mass = np.array([[2.0, np.cos(a - b)], [np.cos(a - b), 1.0]])
        spin = np.sin(a - b) * np.array([-(w[1] ** 2), w[0] ** 2])
        pull = -9.81 * np.array([2.0 * np.sin(a), np.sin(b)])
        return np.concatenate([w, np.linalg.solve(mass, spin + pull) - damping * w])

    start = [np.pi / 4, 3 * np.pi / 4, 0.0, 0.0]
    a, b, _, _ = solve_ivp(rates, (0.0, times[-1]), start, "DOP853", times, rtol=1e-11, atol=1e-12).y
    return np.stack([np.sin(a) + np.sin(b), 0.0 * a, -np.cos(a) - np.cos(b)], axis=1)


@pytest.mark.parametrize(("damping", "tolerance", "end"), [(1.0, 3e-3, 4.0), (1.0, 3e-4, 4.0), (0.0, 3e-4, 2.0)])
def test_weights_on_massless_lines_keep_to_the_tolerance(damping: float, tolerance: float, end: float) -> None:
    """The double pendulum by its angles; lines without mass say nothing of the error, the weights do."""
    times = np.linspace(0.0, end, 17)  # undamped, errors grow by e in half a second after that
    solver = MixedFem(tolerance=tolerance, damping=damping, start_at="as_given")
    states, _ = march(double_pendulum(), solver, list(times))
    found = np.array([state.point_position[2] for state in states])
    # the tolerance is of the speed in a step, here 4 m/s for 4 s, and errors may add up or not: 2.5 to 4 times it
    assert_allclose(found, pendulum_by_angles(times, damping), atol=8.0 * tolerance)
