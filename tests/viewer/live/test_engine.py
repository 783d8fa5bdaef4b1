"""A case in the hand: held parts go where the hand is, free parts are pulled, failures are undone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.errors import ConvergenceError, InputError
from ropewalk.spec.system import System
from ropewalk.viewer.live.changes import Flow, Length, Sea
from ropewalk.viewer.live.engine import CHUNK, Engine

ROPE = {"diameter": 0.05, "mass": 4.0, "axial_stiffness": 1.0e6, "drag": {"normal": 1.2}, "added_mass": {"normal": 1.0}}


def case(**changes):
    """A buoy below the surface on a rope from the bed, and a rope from it to a held point."""
    return System.model_validate(
        {
            "ropewalk": 1,
            "title": "buoy",
            "environment": {"depth": 40},
            "sections": {"r": ROPE},
            "points": {
                "anchor": {"position": [0, 0, -40]},
                "buoy": {"position": [0, 0, -10], "joint": "free", "mass": 300, "volume": 0.6, "drag_area": 0.5},
                "pier": {"position": [30, 0, -5]},
            },
            "lines": {
                "leg": {"from": "anchor", "to": "buoy", "elements": 6, "pieces": [{"section": "r", "length": 30}]},
                "stern": {"from": "buoy", "to": "pier", "elements": 6, "pieces": [{"section": "r", "length": 33}]},
            },
            "record": {"every": 0.1},
            **changes,
        }
    )


@pytest.fixture(scope="module")
def made():
    return Engine(case())


@pytest.fixture
def engine(made):
    made.reset()
    made.notes.clear()
    made.failures = 0
    return made


def simulate(engine, seconds):
    for _ in range(round(seconds / CHUNK)):
        engine.advance(CHUNK)


def place(engine, name):
    return engine.state.point_position[engine.model.names.points.index(name)].copy()


def test_left_alone_it_rests(engine):
    """The engine begins at the equilibrium: nothing moves by more than the tolerance of the statics lets it."""
    before = place(engine, "buoy")
    simulate(engine, 1.0)
    # 1e-6 of the 40 m: equilibria balance to 1e-9 of the forces, and the hull's stiffness is of their size per metre
    assert_allclose(place(engine, "buoy"), before, atol=4e-5)


def test_a_held_part_goes_where_the_hand_is_and_stays_there(engine):
    goal = place(engine, "pier") + np.array([-2.0, 1.5, -1.0])
    assert engine.grab("point", 2, goal)
    simulate(engine, 3.0)
    # the lag is critically damped at 8 rad/s: exp(-8 * 2.5) (1 + 20) of 2.7 m is left after a start at full speed
    assert_allclose(place(engine, "pier"), goal, atol=1e-4)
    engine.release()
    simulate(engine, 0.5)
    assert_allclose(place(engine, "pier"), goal, atol=1e-4)


def test_the_hand_cannot_tear_a_line_between_held_parts():
    """Two held ends: the hand stops at the length of the line plus one percent."""
    data = case().model_dump(by_alias=True, exclude_unset=True)
    data["points"] = {"a": {"position": [0, 0, -10]}, "b": {"position": [20, 0, -10]}}
    data["lines"] = {"l": {"from": "a", "to": "b", "elements": 8, "pieces": [{"section": "r", "length": 25}]}}
    engine = Engine(System.model_validate(data))
    engine.grab("point", 1, np.array([500.0, 0.0, -10.0]))
    simulate(engine, 6.0)
    assert_allclose(place(engine, "b"), [25.25, 0.0, -10.0], atol=1e-3)
    # strain 1 % of EA, and the weight of 25 m of rope in water adds less than its weight
    assert_allclose(engine.state.tension.max(), 0.01 * 1.0e6, rtol=0.02)
    assert engine.failures == 0


def test_a_free_part_is_pulled_with_a_limited_force(engine):
    before = place(engine, "buoy")
    assert engine.grab("point", 1, before + np.array([0.0, 6.0, 0.0]))
    assert engine.held == "buoy"
    simulate(engine, 2.0)
    pulled = place(engine, "buoy")
    assert pulled[1] > before[1] + 3.0
    engine.release()
    simulate(engine, 4.0)
    assert place(engine, "buoy")[1] < pulled[1] - 1.0  # buoyancy brings it back


def test_what_is_not_there_cannot_be_held(engine):
    assert not engine.grab("point", 7, np.zeros(3))
    assert not engine.grab("body", 0, np.zeros(3))
    assert not engine.grab("line", 0, np.zeros(3))
    assert engine.held == ""


def test_grips_tell_what_moves_and_what_is_pulled(engine):
    assert engine.grips_of() == {"anchor": "move", "buoy": "pull", "pier": "move"}


def test_a_current_is_brought_on_gradually_and_pushes_the_buoy(engine):
    before = place(engine, "buoy")
    engine.current(Flow(speed=1.0, heading=90))
    simulate(engine, 1.0)
    assert 0.1 < engine.system.environment.current.speed < 0.5
    simulate(engine, 5.0)
    now = engine.system.environment.current
    assert (now.speed, now.heading) == pytest.approx((1.0, 90.0))
    assert place(engine, "buoy")[1] > before[1] + 0.5


def test_waves_fall_and_rise(engine):
    engine.waves(Sea(kind="regular", height=2.0, period=6.0))
    simulate(engine, 5.0)
    assert engine.system.environment.waves.height == pytest.approx(2.0)
    engine.waves(Sea(kind="none"))
    simulate(engine, 5.0)
    assert engine.system.environment.waves is None


def test_a_line_is_paid_out(engine):
    engine.length(Length(line="leg", length=31.0))
    simulate(engine, 3.0)
    assert engine.system.lines["leg"].length == pytest.approx(31.0)
    assert place(engine, "buoy")[2] > -9.6


@pytest.mark.parametrize(
    ("change", "told"),
    [({"line": "no", "length": 3.0}, "no line 'no'"), ({"line": "leg", "length": 3.0}, "from 6 to 60 m")],
)
def test_lengths_that_make_no_sense_are_refused(engine, change, told):
    with pytest.raises(InputError, match=told):
        engine.length(Length(**change))


def test_a_cut_line_carries_nothing_and_the_buoy_rises(engine):
    engine.cut("leg", 15.0)
    simulate(engine, 4.0)
    # end B carries its stub of 15 m at most: 4 kg/m in air, with room for its motion
    assert np.linalg.norm(engine.state.end_force[0, 1]) < 2 * 15 * 4 * 9.81
    assert place(engine, "buoy")[2] > -5.0
    with pytest.raises(InputError, match="cut already"):
        engine.cut("leg", 10.0)
    with pytest.raises(InputError, match="is cut; reset"):
        engine.length(Length(line="leg", length=31.0))


def test_cuts_outlast_a_change_that_builds_a_new_mesh(engine):
    engine.cut("leg", 15.0)
    simulate(engine, 1.0)
    engine.length(Length(line="stern", length=33.5))
    simulate(engine, 2.0)
    assert np.linalg.norm(engine.state.end_force[0, 1]) < 2 * 15 * 4 * 9.81


def test_reset_is_the_beginning_again(engine):
    before = place(engine, "buoy")
    engine.grab("point", 1, before + np.array([0.0, 5.0, 0.0]))
    engine.cut("leg", 15.0)
    engine.current(Flow(speed=1.0))
    simulate(engine, 2.0)
    engine.reset()
    assert engine.time == 0.0
    assert not engine.cuts
    assert engine.system.environment.current is None
    assert_allclose(place(engine, "buoy"), before, rtol=1e-12)
    simulate(engine, 0.5)
    assert_allclose(place(engine, "buoy"), before, atol=4e-5)


def test_a_failed_step_is_undone_damped_and_told(engine, monkeypatch):
    simulate(engine, 1.2)
    engine.grab("point", 1, place(engine, "buoy") + np.array([0.0, 3.0, 0.0]))
    step, calls = engine._coupled.step, []

    def fails_once(dt, states):
        calls.append(dt)
        if len(calls) == 3:
            raise ConvergenceError("the step fell below 1e-07 s")
        return step(dt, states)

    monkeypatch.setattr(engine._coupled, "step", fails_once)
    simulate(engine, 0.1)
    assert engine.failures == 1
    assert engine.is_calming
    assert engine.held == ""
    assert any("a step failed" in text and "back to t = 1.0" in text for _, text in engine.notes)
    simulate(engine, 4.0)
    assert not engine.is_calming
    assert engine.notes[-1][1] == "damping off"


def test_failure_after_failure_ends_at_the_beginning_never_in_an_error(engine, monkeypatch):
    simulate(engine, 2.2)

    def fails(dt, states):
        raise ConvergenceError("never")

    monkeypatch.setattr(engine._coupled, "step", fails)
    simulate(engine, 0.5)
    assert engine.time == 0.0
    assert np.isfinite(engine.state.position).all()
    assert any("back to the beginning" in text for _, text in engine.notes)


def test_numbers_that_are_none_count_as_failures(engine, monkeypatch):
    simulate(engine, 0.6)
    read = type(engine._coupled).state.fget

    def spoiled(coupled):
        state = read(coupled)
        return state._replace(tension=state.tension * np.nan) if engine.failures == 0 else state

    monkeypatch.setattr(type(engine._coupled), "state", property(spoiled))
    engine.advance(CHUNK)
    assert engine.failures == 1
    assert np.isfinite(engine.state.tension).all()


def test_a_moving_part_goes_on_with_its_motion_under_the_hand():
    tow = {"joint": "moving", "motion": {"kind": "tow", "velocity": [1.0, 0.0, 0.0]}}
    data = case().model_dump(by_alias=True, exclude_unset=True)
    data["points"]["pier"] = {"position": [30, 0, -5], **tow}
    data["lines"]["leg"]["pieces"] = [{"section": "r", "length": 60}]
    engine = Engine(System.model_validate(data))
    simulate(engine, 1.0)
    assert_allclose(place(engine, "pier"), [31.0, 0.0, -5.0], atol=0.02)
    engine.grab("point", 2, np.array([31.0, 2.0, -5.0]))
    simulate(engine, 2.0)
    engine.release()
    at = place(engine, "pier")
    simulate(engine, 1.0)
    assert_allclose(place(engine, "pier") - at, [1.0, 0.0, 0.0], atol=0.02)


def test_rods_are_refused_with_a_way_out():
    rods = {"spar": {"length": 12, "density": 7850, "section": {"kind": "pipe", "diameter": 0.6, "wall": 0.006}}}
    with pytest.raises(InputError, match="rods float in statics only"):
        Engine(System.model_validate({"ropewalk": 1, "rods": rods}))


def test_nets_are_held_by_their_points_too():
    """A panel between two held points, one of which is moved while the current changes: as long as its twines."""
    panel = System.model_validate(
        {
            "ropewalk": 1,
            "environment": {"depth": 40},
            "sections": {"twine": {"diameter": 0.01, "mass": 0.1, "axial_stiffness": "inextensible"}},
            "points": {"left": {"position": [0, -0.9, -5]}, "right": {"position": [0, 0.9, -5]}},
            "nets": {"panel": {"section": "twine", "bar_length": 0.5, "cells": [4, 4], "lower_sinker": 2.0,
                     "held": "none",
                     "panel": {"kind": "rectangle", "corners": [[0, -1, -5], [0, 1, -5], [0, 1, -7], [0, -1, -7]]},
                     "fastened": {"upper_left": "left", "upper_right": "right"}}},
        }
    )  # fmt: skip
    engine = Engine(panel)
    goal = place(engine, "left") + np.array([0.5, 0.3, 0.3])
    assert engine.grab("point", 0, goal)
    engine.current(Flow(speed=1.0, heading=0.0))
    simulate(engine, 1.5)
    assert_allclose(place(engine, "left"), goal, atol=1e-2)  # the hand lags by exp(-8 * 1.5) (1 + 12) of 0.6 m
    assert engine.failures == 0
    assert np.isfinite(engine.state.net_position).all()
