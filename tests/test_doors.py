"""What the public functions take: Systems and paths; and what they refuse, always as InputError in one sentence."""

from __future__ import annotations

import pytest
import xarray as xr

import ropewalk as rw
from ropewalk.analysis.verify import verify

CASE = """
ropewalk: 1
title: one chain
environment: {depth: 100}
sections: {chain: {catalogue: studless_chain, diameter: 0.084}}
points:
  anchor: {position: [-400, 0, -100]}
  top: {position: [0, 0, 0]}
lines: {west: {from: anchor, to: top, pieces: [{section: chain, length: 430}]}}
"""
QUESTIONS = {
    "statics": rw.statics,
    "simulate": rw.simulate,
    "modes": rw.modes,
    "response": lambda case: rw.response(case, [1.0], "motion:top:x"),
    "state_space": lambda case: rw.state_space(case, ["force:top:x"], ["tension:west:B"]),
    "float_rods": rw.float_rods,
    "continuation": lambda case: rw.continuation(case, "environment.depth", 100.0, 101.0),
    "equilibria": rw.equilibria,
    "shoot": lambda case: rw.shoot(case, "west", [1.0, 0.0, 0.0]),
    "verify": verify,
    "sweep": lambda case: rw.sweep(case, {"environment.depth": [100.0]}),
    "Coupled": rw.Coupled,
    "sensitivities": lambda case: rw.design.sensitivities(case, ["lines.west.end_b.tension"], []),
    "solve_for": lambda case: rw.design.solve_for(case, "x", {"y": 1.0}),
}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "mooring.yaml"
    file.write_text(CASE)
    return file


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS.keys())
@pytest.mark.parametrize("wrong", [3, None, b"case", [], {"lines": {}}, xr.Dataset()], ids=lambda x: type(x).__name__)
def test_what_is_no_system_is_refused_by_every_question(ask, wrong):
    with pytest.raises(
        rw.InputError, match=f"a System or the path of a case file is needed, not {type(wrong).__name__}"
    ):
        ask(wrong)


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_every_question_opens_files_and_reports_their_errors_as_the_command_line_does(ask, tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text(CASE.replace("length: 430", "length: -430"))
    with pytest.raises(rw.InputError, match=r"wrong\.yaml:9: lines\.west\.pieces\[0\]\.length: must be greater than 0"):
        ask(file)
    with pytest.raises(rw.InputError, match=r"none\.yaml: no such file"):
        ask(str(tmp_path / "none.yaml"))
    with pytest.raises(rw.InputError, match=r"is not a file|cannot be read"):
        ask(tmp_path)


def test_a_path_gives_what_its_system_gives(path):
    by_path, by_system = rw.statics(path), rw.statics(rw.System.from_file(path))
    assert by_path.summary == by_system.summary
    assert rw.statics(str(path)).summary == by_system.summary


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda s: rw.statics(s, time="now"), "time must be a finite number, not 'now'"),
        (lambda s: rw.statics(s, time=float("nan")), "time must be a finite number, not nan"),
        (lambda s: rw.statics(s, 5), "method must be a name, as in 'catenary', or a solver, not int"),
        (lambda s: rw.statics(s, "catenery"), "catenery"),
        (lambda s: rw.statics(s, sensitivities=3), "sensitivities must be a list of texts"),
        (lambda s: rw.statics(s, sensitivities="lines"), "sensitivities must be a list of texts"),
        (lambda s: rw.statics(s, sensitivities=[3]), "an entry of sensitivities must be text"),
        (lambda s: rw.simulate(s), "the case has no run"),
        (lambda s: rw.simulate(s, "long"), "duration must be a finite number, not 'long'"),
        (lambda s: rw.simulate(s, -1.0), "duration -1 s"),
        (lambda s: rw.simulate(s, 1.0, solver=3), "solver must be a name"),
        (lambda s: rw.modes(s, "all"), "count must be a whole number, 1 or more, not 'all'"),
        (lambda s: rw.modes(s, 0), "count must be a whole number, 1 or more, not 0"),
        (lambda s: rw.modes(s, near="low"), "near must be a finite number"),
        (lambda s: rw.response(s, ["a"], "motion:top:x"), "one or more positive frequencies"),
        (lambda s: rw.response(s, [1.0], 3), "drive must be a Drive or its text"),
        (lambda s: rw.response(s, [1.0], "motion:top:x", method="fast"), "unknown method 'fast'"),
        (lambda s: rw.state_space(s, ["force:top:x"], [3]), "an entry of outputs must be text"),
        (lambda s: rw.state_space(s, ["force:top:x"], ["tension:west:B"], modes=None), "modes must be a whole number"),
        (lambda s: rw.sweep(3), "a sweep file, or a System and what to vary, is needed, not int"),
        (lambda s: rw.solve_lines("a", 0, 1, 1, 1), "span must be a number or an array of numbers, not str"),
        (lambda s: rw.solve_lines([1, 2], 0, [1, 2, 3], 1, 1), r"the shapes of the arrays do not match: span \(2,\)"),
        (lambda s: rw.load(3), "load takes the path of a case or a result, not int"),
        (lambda s: rw.load("/no/such.nc"), "does not exist"),
        (lambda s: rw.load("/no/such"), "no such file"),
        (lambda s: rw.System(lines=3), "lines: must be a mapping, not 3"),
        (lambda s: rw.System(3), "accepts keyword arguments only"),
        (lambda s: rw.System.model_validate([]), "must be a mapping, not an empty list"),
        (lambda s: rw.System.model_validate_json("{"), "Invalid JSON"),
        (lambda s: rw.System.from_file(3), "a path is needed, not int"),
        (lambda s: s.to_file("/no/such/folder/a.yaml"), "cannot be written"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_in_a_sentence(path, ask, sentence):
    with pytest.raises(rw.InputError, match=sentence):
        ask(rw.System.from_file(path))


def test_a_system_written_reads_back_equal(path, tmp_path):
    system = rw.load(path).replace("lines.west.pieces.0.length", 431.5)
    system.to_file(tmp_path / "again.yaml")
    assert rw.load(tmp_path / "again.yaml") == system
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []
