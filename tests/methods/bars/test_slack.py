"""Twines that go slack in the solvers of bars in time."""

from __future__ import annotations

import numpy as np
import pytest
from bars_cases import netted, panel, run
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.methods.bars.constrained import Constrained
from ropewalk.methods.bars.implicit import ConstrainedImplicit
from ropewalk.methods.bars.projection import Projection
from ropewalk.methods.bars.work import gaps
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

AIR = {"environment": {"water_density": 0.0, "gravity": 10.0, "current": None}}
SOLVERS = (Constrained(step=1e-3), Projection(step=1e-3), ConstrainedImplicit(step=1e-3))


def thrown(solver, t, speed=2.0):
    """A panel of one cell that hangs from its upper edge in air, its lower knots thrown upwards (m/s)."""
    model = netted(panel(1, 1, **AIR))
    state = initial_state(model)
    up = np.zeros_like(state.net_position)
    up[state.net_position[:, 2] < -2.0, 2] = speed
    state = state._replace(net_velocity=up)
    return run(solver, model, t, state), state


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_thrown_knots_fly_freely_and_come_taut_without_restitution(solver):
    """z = v t - g t^2 / 2 until t = 2 v / g = 0.4 s, without tension; then they hang by their weight."""
    (state, _, work), first = thrown(solver, 0.2)
    low = first.net_position[:, 2] < -2.0
    # parabolas are exact in steps of second order
    assert_allclose((state.net_position - first.net_position)[low, 2], 2.0 * 0.2 - 5.0 * 0.2**2, atol=1e-9)
    assert np.abs(state.net_tension).max() < 1e-9
    (state, _, work), _ = thrown(solver, 0.5)
    assert_allclose(state.net_position[low], first.net_position[low], atol=1e-5)
    assert np.abs(state.net_velocity[low]).max() < 2e-2  # of 2 m/s: the blow took the rest
    weight = work.bars.mass[work.places.knot][low].sum() * 10.0
    pull = work.steps.tension[: work.bars.length.size]
    assert_allclose(pull.max() * 2.0, weight, rtol=2e-2)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_pushing_bars_throw_the_knots_back(solver):
    """Without slack the upper edge holds the lower knots where they are, and the twines push."""
    (state, _, _), first = thrown(type(solver)(step=1e-3, slack=False), 0.2)
    assert_allclose(state.net_position, first.net_position, atol=1e-6)


def test_twines_neither_push_nor_stretch_in_a_rough_ride():
    """Knots with random velocities: at every record |d| <= l, T >= 0, and T only where taut."""
    model = netted(panel(5, 4))
    solver, state = Constrained(), initial_state(model)
    push = 2.0 * np.random.default_rng(5).standard_normal(state.net_position.shape)
    work = solver.start(model, state._replace(net_velocity=push))
    slack = 0
    for t in np.arange(0.05, 1.0, 0.05):
        report = solver.advance(model, work, float(t))
        assert report.good, report.message
        strain, tension = gaps(work) / work.bars.length - 1.0, work.steps.tension
        # lengths are met to 1e-10; rates that are met without taking in leave h times a rate for one step
        assert strain.max() < 1e-8
        assert tension.min() >= -1e-9 * tension.max()
        assert np.all(strain[tension > 1e-6 * tension.max()] > -1e-8)
        slack += int(np.sum(strain < -1e-6))
    assert slack > 0


def test_bars_of_lines_push_with_a_doubt():
    """A chain of two stiff bars that its lower end pushes up: the run is audited and carries `pushes`."""
    section = {"diameter": 0.02, "mass": 1.0, "axial_stiffness": "inextensible", "drag": 0, "added_mass": 0}
    motion = {"kind": "harmonic", "ramp": 0.0, "terms": [{"direction": [0, 0, 1], "amplitude": 0.3, "omega": 8.0}]}
    system = System.model_validate({
        "environment": {"water_density": 0.0, "seabed": {"kind": "none"}}, "sections": {"c": section},
        "points": {"a": {"position": [0, 0, 0], "joint": "moving", "motion": motion},
                   "b": {"position": [0, 0.1, -2], "joint": "free", "mass": 1.0}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 4, "pieces": [{"section": "c", "length": 2.01}]}},
        "run": {"duration": 2.0, "solver": "constrained"}, "record": {"every": 0.02},
    })  # fmt: skip
    assert '"pushes"' in rw.simulate(system, progress=False).attrs["doubts"]


def test_slack_twines_that_the_start_straightens_are_a_doubt():
    """The cone of seed 61117031: 26 of 132 twines are slack at rest, which bars that keep their length cannot be."""
    from random_bar_runs import random_bar_run

    case = random_bar_run(61117031)
    case = case[0] if isinstance(case, tuple) else case
    doubts = {}
    for solver in ("recursive", "constrained"):
        system = System.model_validate({**case, "run": {**case["run"], "duration": 0.2, "solver": solver}})
        doubts[solver] = rw.simulate(system, progress=False).attrs["doubts"]
    assert '"start-moved"' in doubts["recursive"]
    assert '"start-moved"' not in doubts["constrained"]
