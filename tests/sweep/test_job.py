"""What is kept of a case: the numbers of the answer itself, under the names of the design."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.io.netcdf import open_results
from ropewalk.sweep import job
from ropewalk.sweep.expand import OUTPUTS
from ropewalk.sweep.frames import MEMORY, REFUSED, unpack_summary
from ropewalk.sweep.worker import _do

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SURGE = {"kind": "harmonic", "ramp": 2.0, "terms": [{"direction": [1, 0, 0], "amplitude": 0.5, "omega": 1.0}]}


def hawser(**run) -> rw.System:
    """A line of eight elements with a moving end."""
    return rw.System.model_validate(
        {
            "environment": {"depth": 50.0},
            "sections": {"rope": {"diameter": 0.05, "mass": 3.0, "axial_stiffness": 1e6, "breaking_load": 4e4}},
            "points": {"a": {"position": [0, 0, -30.0]},
                       "b": {"position": [40.0, 0, -2.0], "joint": "moving", "motion": SURGE}},
            "lines": {"l": {"from": "a", "to": "b", "elements": 8, "pieces": [{"section": "rope", "length": 52.0}]}},
            "record": {"every": 0.25},
            "run": {"duration": 6.0, **run},
        }
    )  # fmt: skip


def value(summary, name, **where):
    dims, values = summary.variables[name]
    return values[tuple(summary.labels[dim].index(where[dim]) for dim in dims)]


def test_run_keeps_statistics_after_the_ramp(tmp_path):
    """Against the run itself, cut at the end of the ramp of 2 s; the whole result on request."""
    run = rw.simulate(hawser())
    summary = job.ask("run", hawser(), tmp_path / "whole.nc")
    kept = run.end_tension.sel(line="l", end="B", time=slice(2.0, None))
    for figure in ("mean", "std", "min", "max"):
        expected = float(getattr(kept, figure)())
        assert_allclose(value(summary, f"end_tension_{figure}", line="l", end="B"), expected, rtol=1e-12)
    assert value(summary, "end_tension_time_of_max", line="l", end="B") == float(kept.time[int(kept.argmax("time"))])
    along = run.tension.sel(time=slice(2.0, None)).values
    assert value(summary, "tension_max", line="l") == along.max()
    assert value(summary, "breaking_load", line="l") == 4e4
    with open_results(tmp_path / "whole.nc") as whole:
        assert np.array_equal(whole.end_tension.values, run.end_tension.values)


def test_long_run_goes_through_a_file_to_the_same_row(monkeypatch):
    plain = job.ask("run", hawser(), None)
    monkeypatch.setattr(job, "MOST_RECORDS", 10)
    filed = job.ask("run", hawser(), None)
    assert all(
        np.array_equal(plain.variables[name][1], filed.variables[name][1], equal_nan=True) for name in plain.variables
    )


def test_modes_keep_frequencies():
    modes = rw.modes(hawser())
    summary = job.ask("modes", hawser(), None)
    assert np.array_equal(summary.variables["omega"][1], modes.omega.values)
    assert summary.labels["mode"] == list(range(1, modes.sizes["mode"] + 1))


def test_response_keeps_what_the_own_motion_does():
    """One frequency: the standard deviation is the amplitude over sqrt 2."""
    response = rw.response(hawser())
    summary = job.ask("response", hawser(), None)
    amplitude = abs(response.tension.values[0, -1])
    assert_allclose(value(summary, "end_tension_std", line="l", end="B"), amplitude / np.sqrt(2.0), rtol=1e-12)
    assert_allclose(value(summary, "end_tension_tz", line="l", end="B"), 2.0 * np.pi, rtol=1e-12)


def test_float_keeps_the_lowest_equilibrium():
    system = rw.System.from_file(EXAMPLES / "rod_spar.yaml")
    (name, found), *_ = rw.float_rods(system).items()
    summary = job.ask("float", system, None)
    assert value(summary, "equilibria", rod=name) == len(found.states)
    assert value(summary, "heave", rod=name) == found.states[0].pose.heave


def test_worker_answers_with_a_row_or_a_reason():
    message = {"case": 3, "do": "static", "system": hawser().model_dump_json(by_alias=True, exclude_unset=True)}
    answer, block = _do(message)
    assert answer["status"] == "done"
    assert unpack_summary(block)[0] == 3
    text = hawser().model_dump_json(by_alias=True, exclude_unset=True).replace('"length":52.0', '"length":-1.0')
    answer, block = _do({**message, "system": text})
    assert (answer["status"], block) == (REFUSED, b"")
    assert "greater than 0" in answer["reason"]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell the size of a process")
def test_memory_of_a_case_is_limited_and_let_go(monkeypatch):
    def hog(do, system, output):
        return [np.empty(10**8) for _ in range(100)]

    message = {"case": 0, "do": "static", "system": hawser().model_dump_json(by_alias=True, exclude_unset=True)}
    with monkeypatch.context() as patch:
        patch.setattr(job, "ask", hog)
        answer, _ = _do({**message, "memory": 2e8})
    assert answer["status"] == MEMORY
    assert "2e+08 bytes" in answer["reason"]
    assert np.empty(10**8).size == 10**8


def test_rows_from_plain_records_are_those_of_the_dataset():
    """Every variable, label and unit, of lines, bodies and waves; bit for bit."""
    from ropewalk.analysis.run import record
    from ropewalk.post.window import after_ramp, records_after

    buoy = {"mass": 400.0, "inertia": [60.0, 60.0, 30.0], "position": [0, 0, 0], "joint": "moving", "motion": SURGE,
            "attachments": {"eye": [0.5, 0, -0.5]}}  # fmt: skip
    system = hawser()
    lines = {"l": system.lines["l"], "m": system.lines["l"].replace(to="buoy.eye")}
    system = system.replace({"bodies": {"buoy": buoy}, "lines": lines})
    (table, facts), dataset = record(system), rw.simulate(system)
    assert facts["doubts"] == dataset.attrs["doubts"]
    plain, whole = job.run_summary(records_after(table, 2.0)), job.run_summary(after_ramp(dataset, 2.0))
    assert (plain.labels, plain.attrs) == (whole.labels, whole.attrs)
    assert {"body_attitude_max", "mooring_force_mean", "grounded_std", "tension_min"} < set(plain.variables)
    for name, (dims, values) in whole.variables.items():
        assert plain.variables[name][0] == dims
        np.testing.assert_array_equal(plain.variables[name][1], values)


@pytest.mark.parametrize(("do", "name"), [("static", "breaking_load"), ("run", "breaking_load"), ("modes", "damping")])
def test_factor_named_like_an_output_keeps_more_of_its_key(do, name):
    """`rope.damping` beside the `damping` of modes: of two variables of one name a Dataset is none."""
    result = rw.sweep(hawser(), {f"sections.rope.{name}": [0.001, 0.002]}, do=do, jobs=1)
    assert list(result["status"].values) == ["done", "done"]
    assert result[f"rope.{name}"].dims == ("case",)
    assert name in result.data_vars


@pytest.mark.parametrize("do", list(job.QUESTIONS))
def test_outputs_without_a_statistic_in_their_name_are_reserved(do):
    """All of an example's that a key of a case could be named like."""
    system = hawser() if do != "float" else rw.System.from_file(EXAMPLES / "rod_timber.yaml")
    if do == "response":
        waves = {"kind": "regular", "height": 1.0, "period": 8.0}
        system = system.replace({"environment": system.environment.replace(waves=waves)})
    figures = (*job.TENSION_STATISTICS, "maximum")
    plain = {name for name in job.ask(do, system, None).variables if not name.endswith(figures)}
    assert plain <= OUTPUTS[do]


@pytest.mark.parametrize("do", ["static", "run", "modes", "response"])
def test_row_has_the_doubts_of_its_case(do):
    """A rope that would part: whatever is asked, its tension at rest is above its breaking load."""
    rope = hawser().sections["rope"].replace(breaking_load=10.0)
    system = hawser().replace({"sections": {"rope": rope}})
    if do == "response":
        waves = {"kind": "regular", "height": 1.0, "period": 8.0}
        system = system.replace({"environment": system.environment.replace(waves=waves)})
    assert "breaking-load" in [doubt["code"] for doubt in job.ask(do, system, None).doubts]


def test_result_of_a_sweep_has_the_doubts_of_all_cases():
    """One of each kind and part, with the number of cases and the first of them; and all of every case in its row."""
    result = rw.sweep(hawser(), {"sections.rope.breaking_load": [1.0e9, 10.0, 1.0]}, do="static", jobs=1)
    own = [{doubt["code"] for doubt in json.loads(text)} for text in result["doubts"].values]
    assert ["breaking-load" in codes for codes in own] == [False, True, True]
    told = next(d for d in json.loads(result.attrs["doubts"]) if d["code"] == "breaking-load")
    assert told["sentence"].startswith("2 of 3 cases, the first is case 1: ")
