"""Lines in time by mixed elements: orders, balances, agreement with closed forms, failures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mixed_cases import harmonic, march, oc3, swing
from numpy.testing import assert_allclose
from resumed import assert_goes_on_to_the_same_bits

from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

CHAIN = {"section": "chain", "length": 100}
AWAY = {"position": [8, 0, -9], "joint": "moving"}


def smooth(stiffness: float | str) -> Model:
    """A line of 20 m under water, one end on a smooth path."""
    motion = harmonic(([1, 0, 0], 0.5, 4.0), ([0, 0, 1], 0.3, 4.0), ([0, 1, 0], 0.4, 3.0), ramp=2.0)
    rope = {
        "added_mass": 0,
        "diameter": 0.1,
        "mass": 20.0,
        "axial_stiffness": stiffness,
        "drag": {"normal": 1.0},
        "compression": True,
    }
    return build(
        System.model_validate(
            {
                "environment": {"water_density": 1025},
                "sections": {"rope": {**rope, "added_mass": {"normal": 1.0}}},
                "points": {
                    "a": {"position": [0, 0, -30]},
                    "b": {"position": [12, 0, -20], "joint": "moving", "motion": motion},
                },
                "lines": {"l": {"from": "a", "to": "b", "elements": 8, "pieces": [{"section": "rope", "length": 20}]}},
            }
        )
    )


@pytest.mark.parametrize(("scheme", "order"), [("generalised_alpha", 2.0), ("backward_euler", 1.0)])
def test_order_of_the_steps_on_an_inextensible_line(scheme: Any, order: float) -> None:
    """Second order (first for backward Euler) in positions, velocities and tension at EA = infinity."""
    model = smooth("inextensible")
    finest = march(model, MixedFem(step=1.25e-3, integrator="generalised_alpha", spectral_radius=0.5), [3.0])[0][0]
    errors = []
    for h in (0.04, 0.02, 0.01):
        state = march(model, MixedFem(step=h, integrator=scheme, spectral_radius=0.5), [3.0])[0][0]
        errors.append(
            [
                np.abs(state.position - finest.position).max(),
                np.abs(state.velocity - finest.velocity).max(),
                np.abs(state.tension - finest.tension).max(),
            ]
        )
    orders = np.log2(np.array(errors[1]) / errors[2])
    # the next term of the error is h = 1/100 of a period away; 0.25 is its share measured
    assert_allclose(orders, order, atol=0.25)


def test_changing_steps_keep_the_order() -> None:
    """Errors fall with the tolerance; an adaptive run is as good as a fixed one of as many steps."""
    model = smooth(1e7)
    times = np.arange(0.25, 6.01, 0.25)
    finest = np.array([s.end_force[0, 1] for s in march(model, MixedFem(step=2e-3), times)[0]])
    errors = []
    for tolerance in (1e-2, 1e-4):
        states, report = march(model, MixedFem(tolerance=tolerance), times)
        error = np.array([s.end_force[0, 1] for s in states]) - finest
        errors.append(np.linalg.norm(error) / np.linalg.norm(finest))
        assert report.figures["newton_failures"] == 0
    # measured 2.2e-2 at the looser one; 100 times less if all went by h^2, 40 times measured
    assert errors[0] < 4e-2
    assert errors[1] < 0.05 * errors[0]


def test_stiffness_does_not_cost_steps() -> None:
    """EA times 1e4 and infinite: as many steps, to 20 %, and the same answer."""
    counts, forces = [], []
    for stiffness in (1e7, 1e11, "inextensible"):
        states, report = march(smooth(stiffness), MixedFem(tolerance=1e-3), [6.0])
        counts.append(report.figures["steps"])
        forces.append(states[0].end_force[0, 1])
    assert max(counts) < 1.2 * min(counts)
    assert_allclose(forces[1], forces[2], rtol=1e-4)


def test_pendulum_of_one_bar_keeps_its_period() -> None:
    """A rigid bar with its mass at the ends, released level: T/T0 = 1.1803405990 at 90 degrees."""
    model = swing("inextensible", elements=1, mass=3.0)
    solver = MixedFem(step=2e-3, spectral_radius=0.9, start_at="as_given")
    period = 1.1803405990 * 2.0 * np.pi * np.sqrt(10.0 / 9.81)
    states, _ = march(model, solver, [0.5 * period, period])
    _, report = march(model, solver, [0.2 * period])
    # second order: (omega h)^2 = 4e-6 of the amplitude, some tens of times over a period
    assert_allclose(states[0].point_position[1], [-10.0, 0.0, 0.0], atol=2e-3)
    assert_allclose(states[1].point_position[1], [10.0, 0.0, 0.0], atol=4e-3)
    assert report.figures["energy_closure"] < 1e-4


def test_tension_of_a_released_bar() -> None:
    """At the start the free end falls freely, so the held end carries its own half of the bar and no more."""
    model = swing("inextensible", elements=1, mass=3.0)
    solver = MixedFem(start_at="as_given")
    work = solver.start(model, initial_state(model))
    state = solver.read(model, work)
    # half of the bar's 10 kg is lumped at the held end
    assert_allclose(state.end_force[0, 0], [0.0, 0.0, -5.0 * 9.81], atol=1e-3)


def test_energy_closes() -> None:
    """Work of the ends and the water against stored energy and losses at the default tolerance.

    The steps lose below 1e-3 (measured 3e-4); Newton's method leaves below 1e-6.
    """
    _, report = march(oc3(50), MixedFem(), [30.0])
    assert report.figures["energy_numerics"] < 1e-3
    assert report.figures["energy_closure"] < 2e-6


def test_fairlead_peak_does_not_depend_on_the_mesh() -> None:
    """N = 20 within 0.5 % of N = 200 with the same physical damping (issue of per-segment damping ratios)."""
    times = np.arange(20.0, 40.0, 0.2)
    peaks = []
    for n in (20, 200):
        states, _ = march(oc3(n), MixedFem(tolerance=1e-3), times)
        peaks.append(max(np.linalg.norm(s.end_force[0, 1]) for s in states))
    assert abs(peaks[0] / peaks[1] - 1.0) < 5e-3


def test_a_run_goes_on_from_a_snapshot_to_the_same_bits() -> None:
    """A line that lands and lifts."""
    model = oc3(20)
    assert_goes_on_to_the_same_bits(MixedFem(), model, initial_state(model), 6.0, 12.0)


def test_friction_holds_and_slips() -> None:
    """A line on the bed, its end drawn 2 m outwards: the far end feels nothing until the friction is used up."""
    forces = []
    for friction in (0.0, 0.5):
        motion = {"kind": "table", "time": [0.0, 20.0, 40.0], "displacement": [[0, 0, 0], [0.05, 0, 0], [0.05, 0, 0]]}
        system = System.model_validate(
            {
                "environment": {"depth": 50, "seabed": {"stiffness": 1e5, "damping": 1e4, "friction": friction}},
                "sections": {
                    "chain": {"drag": 0, "added_mass": 0, "diameter": 0.1, "mass": 100.0, "axial_stiffness": 1e7}
                },
                "points": {
                    "a": {"position": [0, 0, -50]},
                    "b": {"position": [100, 0, -50], "joint": "moving", "motion": motion},
                },
                "lines": {"l": {"from": "a", "to": "b", "elements": 40, "pieces": [CHAIN]}},
            }
        )
        states, _ = march(build(system), MixedFem(), [0.0, 40.0])
        forces.append(states[1].end_force[0] - states[0].end_force[0])
    # without friction both ends feel the same; with it the pull fades to 1/cosh(100/32) = 0.09, sqrt(EA/k d) = 32 m,
    # and to somewhat more because near b friction slips and was used up in part by the pull at the start
    assert_allclose(forces[0][0, 0], -forces[0][1, 0], rtol=1e-3)
    assert 0.0 < forces[1][0, 0] < -0.15 * forces[1][1, 0]
    assert -forces[1][1, 0] > 2.0 * forces[0][0, 0]


def test_what_is_not_claimed_is_refused() -> None:
    """A solver asked for what it does not claim says so before any computing."""
    system = System.model_validate(
        {
            "sections": {"rope": {"drag": 0, "added_mass": 0, "diameter": 0.1, "mass": 20.0, "axial_stiffness": 1e6}},
            "points": {
                "a": {"position": [0, 0, 0]},
                "ring": {"position": [4, 0, 0]},
                "b": {"position": [8, 0, 0]},
            },
            "lines": {
                "l": {
                    "from": "a",
                    "to": "b",
                    "pieces": [{"section": "rope", "length": 10}],
                    "over": ["ring"],
                }
            },
        }
    )
    model = build(system)
    with pytest.raises(Exception, match="does not support lines that run over points"):
        MixedFem().start(model, initial_state(model))


def test_a_failed_run_says_when_where_and_why() -> None:
    """Too short an inextensible line, pulled: the report names time, line, arc length and cause."""
    motion = {"kind": "tow", "velocity": [1.0, 0, 0], "ramp": 1.0}
    system = System.model_validate(
        {
            "environment": {"water_density": 1025},
            "sections": {
                "rope": {"drag": 0, "added_mass": 0, "diameter": 0.1, "mass": 20.0, "axial_stiffness": "inextensible"}
            },
            "points": {
                "a": {"position": [0, 0, -9]},
                "b": {"position": [8, 0, -9], "joint": "moving", "motion": motion},
            },
            "lines": {"l": {"from": "a", "to": "b", "elements": 10, "pieces": [{"section": "rope", "length": 10}]}},
        }
    )
    model = build(system)
    solver = MixedFem()
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 5.0)
    assert not report.good
    assert "t = 2." in report.message and "line 'l' at s = " in report.message
