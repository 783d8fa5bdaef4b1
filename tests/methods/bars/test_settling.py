"""Statics of bars by time integration: it ends where the direct static solver ends, and says when it does not."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from bars_cases import chain, panel, run
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.cli.main import main
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.bars.equilibrium import BarsStatics
from ropewalk.methods.bars.loads import supports
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.methods.bars.settling import Settling, Stillness
from ropewalk.methods.bars.settling_loads import Supports
from ropewalk.methods.bars.work import start_bars
from ropewalk.methods.registry import BAR_SOLVERS
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

# Forces balance to 1e-6 of the largest load on a node. In these cases positions move by less than their size for a
# change of the load by itself, so ten times that of the size leaves a margin.
CLOSE = 1e-5

AIR = {"gravity": 9.81, "water_density": 0.0}
ROPE = {"rope": {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 1.0, "axial_stiffness": "inextensible"}}


def one_line(ends, length):
    return {"from": ends[0], "to": ends[1], "elements": 4, "pieces": [{"section": "rope", "length": length}]}


def tree() -> System:
    """A rope with two more at its end, one of them pulled sideways."""
    return System.model_validate({
        "environment": AIR, "sections": ROPE,
        "points": {"top": {"position": [0, 0, 0]}, "fork": {"position": [0.5, 0, -0.8], "joint": "free"},
                   "left": {"position": [0, 0, -1.6], "joint": "free", "mass": 0.5, "force": [-3, 1, 0]},
                   "right": {"position": [1.2, 0, -1.5], "joint": "free", "mass": 1.0}},
        "lines": {"stem": one_line(("top", "fork"), 1.0), "one": one_line(("fork", "left"), 1.0),
                  "other": one_line(("fork", "right"), 1.0)},
    })  # fmt: skip


def loop() -> System:
    """Three ropes from three supports to one weight: two loops."""
    supports = {name: {"position": [math.cos(a), math.sin(a), 0]} for name, a in (("a", 0.0), ("b", 2.0), ("c", 4.4))}
    return System.model_validate({
        "environment": AIR, "sections": ROPE,
        "points": {**supports, "weight": {"position": [0, 0, -1], "joint": "free", "mass": 3.0, "force": [2, 0, 0]}},
        "lines": {name: one_line((name, "weight"), 1.45) for name in supports},
    })  # fmt: skip


CASES = {
    "chain": chain(8, end=(0.5, 0.0, -0.7), point={"force": (4.0, 2.0, 0.0)}),
    "hung": chain(8, end=(0.6, 0.0, 0.2), point={"joint": "fixed"}),
    "tree": build(tree()),
    "loop": build(loop()),
    "net": build(panel(3, 3)),
}


def at_rest(solver, model, t=0.0):
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, t)
    assert report.good, report.message
    return solver.read(model, work), report, work


def nodes(state):
    return np.concatenate([state.position, state.net_position])


@pytest.mark.parametrize("by", BAR_SOLVERS)
@pytest.mark.parametrize("case", CASES)
def test_settled_where_the_direct_solver_ends(case, by):
    """Positions, end forces and the report; the direct solver shares no time integration with these."""
    model = CASES[case]
    direct = run(BarsStatics(tolerance=1e-11), model, 0.0)[0]
    state, report, work = at_rest(Settling(by=by), model)
    assert_allclose(nodes(state), nodes(direct), atol=CLOSE * np.ptp(nodes(direct)))
    scale = max(np.abs(direct.end_force).max(initial=0.0), np.abs(direct.point_force).max(initial=0.0))
    assert_allclose(state.end_force, direct.end_force, atol=10 * CLOSE * scale)
    told = report.figures["settling"]
    assert told["by"] == by
    assert told["ramp"] < told["time"]
    assert told["rest_after"] + 1.0 <= told["time"]
    assert told["steps"] == report.iterations > 0
    assert report.residual_force <= 1e-6 * work.scale
    assert np.all(state.velocity == 0.0)


def bridled() -> System:
    """A small cone of netting behind a hoop, on three legs and one line, in still water; given lying on its side."""
    rim = {name: [0.5 * math.cos(a), 0.5 * math.sin(a)] for name, a in
           (("low", 3.2), ("port", 3.2 + 2 * math.pi / 3), ("starboard", 3.2 + 4 * math.pi / 3))}  # fmt: skip
    twine = {"drag": 0, "diameter": 0.002, "mass": 0.0036, "axial_stiffness": 1e4, "added_mass": {"normal": 1.0}}
    return System.model_validate({
        "environment": {"seabed": {"kind": "none"}, "water_density": 1025.0},
        "sections": {**ROPE, "twine": twine},
        "points": {"top": {"position": [2.0, 0, -2]}, "ring": {"position": [0.6, 0, -2], "joint": "free", "mass": 2.0},
                   **{k: {"position": [0, y, x - 2], "joint": "free"} for k, (x, y) in rim.items()}},
        "lines": {"tow": one_line(("top", "ring"), 1.45),
                  **{k: one_line(("ring", k), 0.8) | {"elements": 1} for k in rim}},
        "nets": {"cone": {"panel": {"kind": "cylinder", "centre": [0, 0, -2], "radius": 0.5, "lower_radius": 0.2,
                                    "height": 1.0, "axis": [-1, 0, 0]}, "section": "twine", "bar_length": 0.02,
                          "cells": [6, 2], "held": "none", "rim": list(rim), "hoop_mass": 2.0, "lower_sinker": 4.0,
                          "force_model": "kristiansen_faltinsen", "solidity": 0.3}},
    })  # fmt: skip


def test_what_hangs_on_one_line_may_turn_and_is_else_the_same():
    """Still water has no direction and a line of bars no torsion: equilibria differ by a turn about the vertical."""
    model = build(bridled())
    there, report, _ = run(BarsStatics(tolerance=1e-11), model, 0.0)
    assert report.message == "neutral mode, largest in net 'cone': the equilibrium is not unique"
    direct = nodes(there)
    state, _, _ = at_rest(Settling(by="constrained_implicit"), model)
    found, apart = nodes(state), np.zeros((2, 2))
    axis = direct[0, :2]
    for one, other in zip(direct[:, :2] - axis, found[:, :2] - axis, strict=True):
        apart += np.outer(other, one)
    turn = math.atan2(apart[1, 0] - apart[0, 1], apart[0, 0] + apart[1, 1])
    c, s = math.cos(turn), math.sin(turn)
    direct[:, :2] = axis + (direct[:, :2] - axis) @ np.array([[c, s], [-s, c]])
    assert_allclose(found, direct, atol=2 * CLOSE * np.ptp(direct))


def test_answer_does_not_depend_on_ramp_and_damping():
    """Both only choose the way."""
    model = CASES["chain"]
    found = [at_rest(Settling(**how), model)[0].position
             for how in ({}, {"ramp": 0.0}, {"ramp": 5.0}, {"damping": 2.0}, {"damping": 20.0})]  # fmt: skip
    for other in found[1:]:
        assert_allclose(other, found[0], atol=CLOSE)


def test_chosen_damping_is_that_of_the_lowest_frequency():
    """A pendulum of one bar comes to rest with c = 2 sqrt(g / l), give or take what is left of the ramp."""
    model = chain(1, length=2.0, end=(0.6, 0.0, -1.9), point={"mass": 50.0})
    told = at_rest(Settling(), model)[1].figures["settling"]
    # the quotient is exact for one mode; the amplitude at the last looks is small
    assert_allclose(told["damping"], 2.0 * math.sqrt(9.81 / 2.0), rtol=0.02)


def test_supports_are_led_to_where_they_are_at_the_time():
    """A top that swings: its equilibrium at t is that of a top held where the motion has it."""
    motion = {"kind": "harmonic", "terms": [{"direction": [1, 0, 0], "amplitude": 0.3, "omega": 2.0}]}
    point = {"joint": "moving", "motion": motion}
    model = chain(6, end=(0.4, 0.0, 0.1), point=point)
    x = 0.4 + 0.3 * math.cos(2.0 * 1.2)
    held = run(BarsStatics(tolerance=1e-11), chain(6, end=(x, 0.0, 0.1), point={"joint": "fixed"}), 0.0)[0]
    work = (solver := Settling()).start(model, initial_state(model))
    for t in (0.0, 1.2):  # a history, as of load steps
        assert solver.advance(model, work, t).good
    assert_allclose(solver.read(model, work).position, held.position, atol=CLOSE)
    assert_allclose(at_rest(Settling(ramp=0.0), model, 1.2)[0].position, held.position, atol=CLOSE)


def test_led_supports_start_and_stop_at_rest():
    """From where they are to where they shall be, along a cubic: half of the way in half of the time."""
    motion = {"kind": "tow", "velocity": [2.0, 0.0, 1.0], "ramp": 0.0}
    model = chain(3, point={"joint": "moving", "motion": motion})
    work = start_bars(model, initial_state(model), 0.0, "halves")
    end = int(work.places.point[1])
    led = Supports(work)
    assert led.lead(work, 3.0, 10.0, 14.0)
    r, v, a = (np.zeros_like(work.steps.r) for _ in range(3))
    for t, way, speed in (
        (9.0, 0.0, 0.0),
        (10.0, 0.0, 0.0),
        (12.0, 0.5, 1.5 / 4.0),
        (14.0, 1.0, 0.0),
        (20.0, 1.0, 0.0),
    ):
        supports(work.bars, work.motions, t, r, v, a)
        assert_allclose(r[end], np.array([1.0, 0.0, 0.0]) + way * np.array([6.0, 0.0, 3.0]), atol=1e-13)
        assert_allclose(v[end], speed * np.array([6.0, 0.0, 3.0]), atol=1e-13)
    assert not led.lead(work, 3.0, 20.0, 24.0)


def test_rest_must_last():
    """A node that is slow for less than the time to hold starts the clock anew."""
    rest = Stillness(1e-3, 1.0)
    assert not rest.look(0.0, 5e-4)
    assert not rest.look(0.9, 5e-4)
    assert not rest.look(1.0, 2e-3)
    assert not rest.look(1.1, 1e-4)
    assert not rest.look(1.2, math.nan)
    assert not rest.look(1.3, 1e-4)
    assert rest.look(2.4, 1e-4)
    assert rest.since == 1.3


def test_slow_is_not_settled():
    """Overdamped, the nodes creep below the limit of speed long before forces balance; the run goes on."""
    model = CASES["chain"]
    told = at_rest(Settling(damping=40.0, still=0.05), model)[1].figures["settling"]
    assert told["time"] > 3.0 * (told["rest_after"] + 1.0)


def test_unstable_steps_are_shortened_until_it_settles():
    """Steps of 0.2 s, where those above 0.05 s are unstable on this chain: the answer is that of short ones."""
    model = CASES["chain"]
    direct = run(BarsStatics(tolerance=1e-11), model, 0.0)[0]
    state, _, work = at_rest(Settling(by=Recursive(step=0.2)), model)
    assert work.retreats > 0
    assert_allclose(nodes(state), nodes(direct), atol=CLOSE * np.ptp(nodes(direct)))


def test_what_cannot_settle_ends_with_a_sentence_and_no_overflow():
    """A load across twines that are as long as their held ends are apart: no finite tension carries it."""
    model = build(panel(4, 4, net={"held": "corners"}))
    solver = Settling(duration=2.0)
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 0.0)
    assert not report.good
    assert re.search(r"not at rest after|is unstable after", report.message)
    assert np.all(np.isfinite(work.bars.steps.r))


# --- what a user asks, and is told ---


def with_statics(**statics) -> System:
    return System.model_validate({**tree().model_dump(), "statics": statics})


def test_case_file_and_python_choose_the_solver():
    """The file's method and settings, a name, or a solver with settings."""
    by_file = rw.statics(
        System.model_validate({**tree().model_dump(), "statics": {"method": "recursive", "ramp": 1.5}})
    )
    assert by_file.method == "recursive"
    assert by_file.summary["settling"]["ramp"] == 1.5
    assert by_file.summary["settling"]["by"] == "recursive"
    assert rw.statics(tree(), "settle").summary["settling"]["by"] == "constrained"
    mine = rw.statics(tree(), Settling(by="projection", tolerance=1e-8))
    assert mine.method == "settle"
    assert mine.report.residual_force < 1e-6
    assert "settling" not in rw.statics(tree(), "bars_statics").summary


def test_settings_are_for_methods_that_take_them():
    with pytest.raises(InputError, match=r"statics.damping 2: method 'bars_statics' has no such setting; leave it out"):
        rw.statics(with_statics(method="bars_statics", damping=2.0))
    with pytest.raises(InputError, match=r"statics.ramp 3: .* set statics.method to a bar solver"):
        rw.statics(with_statics(ramp=3.0))
    with pytest.raises(InputError, match=r"settle: 'catenary' is not a bar solver. Available: recursive, constrained"):
        rw.statics(tree(), Settling(by="catenary"))


def test_a_case_that_does_not_settle_is_refused_with_its_numbers():
    with pytest.raises(
        ConvergenceError, match=r"not at rest after .* by 'constrained': nodes move at up to .* m/s"
    ) as e:
        rw.statics(with_statics(method="constrained", duration=0.5))
    assert "give statics a longer duration" in str(e.value)
    assert e.value.report.figures["settling"]["time"] >= 0.5


def test_command_tells_how_it_came_to_rest(tmp_path, capsys, monkeypatch):
    """`--method` of the command, its sentence and its JSON."""
    path = tmp_path / "case.yaml"
    path.write_text(json.dumps({"ropewalk": 1, **tree().model_dump(mode="json", exclude_unset=True, by_alias=True)}))
    told = []
    for more in ([], ["--json"]):
        monkeypatch.setattr("sys.argv", ["ropewalk", "static", str(path), "--method", "constrained", *more])
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
        told.append(capsys.readouterr().out)
    assert "time integration by constrained: motion stopped at" in told[0]
    data = json.loads(told[1])
    assert data["method"] == data["settling"]["by"] == "constrained"
    assert data["iterations"] == data["settling"]["steps"]
    assert f"after {data['iterations']} steps" in told[0]


def test_friction_is_left_out_with_a_sentence():
    """The bed carries the part of a rope that hangs nowhere; the friction of that weight is what is left out."""
    rope = {"rope": {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 2.0, "axial_stiffness": "inextensible"}}
    sea = {**AIR, "depth": 5.0, "seabed": {"stiffness": 1e5, "damping": 1e3, "friction": 0.5}}
    case = {
        "environment": sea, "sections": rope,
        "points": {"anchor": {"position": [0, 0, -5]}, "top": {"position": [6, 0, -3]}},
        "lines": {"l": one_line(("anchor", "top"), 7.0) | {"elements": 14}},
    }  # fmt: skip
    eq = rw.statics(System.model_validate(case), "constrained")
    hung = -eq.state.end_force[0, 1, 2] / 9.81  # kg that the upper end carries; the rest of 14 kg lies on the bed
    found = re.search(
        r"it could carry up to (\S+) N \(0.5 of (\S+) N\) along the (\S+) m on the bed", eq.report.message
    )
    force, pressed, length = (float(value) for value in found.groups())
    # three digits are printed; the half bar at the anchor is held by it and not by the bed
    assert_allclose(pressed, (14.0 - hung) * 9.81, rtol=0.01, atol=0.25 * 2.0 * 9.81)
    assert_allclose(force, 0.5 * pressed, rtol=0.01)
    assert_allclose(length, eq.state.grounded[0], rtol=1e-3)
    for none in ({"friction": 0.0}, {"pulled": False}):  # no friction, or none wanted in equilibria
        quiet = {**case, "environment": {**sea, "seabed": {**sea["seabed"], **none}}}
        assert not rw.statics(System.model_validate(quiet), "constrained").report.message


def test_parts_that_are_held_nowhere_have_no_equilibrium():
    free = {"joint": "free", "mass": 1.0}
    loose = System.model_validate({
        "environment": AIR, "sections": ROPE,
        "points": {"a": {"position": [0, 0, 0], **free}, "b": {"position": [1, 0, 0], **free}},
        "lines": {"l": one_line(("a", "b"), 1.0)},
    })  # fmt: skip
    with pytest.raises(InputError, match="are not held anywhere, so there is no equilibrium"):
        rw.statics(loose, "constrained")
