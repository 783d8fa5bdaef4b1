"""What the public functions take: Systems and paths; and what they refuse, always as InputError in one sentence."""

from __future__ import annotations

import itertools

import pytest
import xarray as xr
import yaml

import ropewalk as rw
from ropewalk.analysis.verify import verify
from ropewalk.analysis.verify_run import verify_run

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
        (lambda s: verify(s, float("nan")), "tolerance must be a finite number, not nan"),
        (lambda s: verify_run(s, "x"), "tolerance must be a finite number, not 'x'"),
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


ROD = {"length": 2.0, "density": 500, "section": {"kind": "ellipse", "a": 0.1, "b": 0.2}}
JUNK = [3, -1, "x", float("nan"), 10**30, [], [None], {"x": None}, object(), b"x"]


def doors(tmp_path):
    """Every public callable, with arguments that would do: junk takes the place of each of them in turn."""
    case = rw.System.model_validate(yaml.safe_load(CASE))
    driven = case.replace({"points.top.joint": "coupled"})
    logs = rw.System(rods={"log": ROD})
    rest = rw.statics(case)
    run = rw.simulate(case, 0.1)
    lengths, tension = "lines.west.pieces.0.length", "lines.west.end_b.tension"
    return {
        "ConvergenceError": None,
        "InputError": None,
        "Equilibrium": None,
        "Coupled": (rw.Coupled, [driven]),
        "Coupled.step": (rw.Coupled(driven).step, [0.01, {"top": ([0, 0, 0], [0, 0, 0])}]),
        "Coupled.restore": (rw.Coupled(driven).restore, [b""]),
        "Coupled.set": (rw.Coupled(driven).set, [lengths, 430.0]),
        "Coupled.length": (rw.Coupled(driven).length, ["west"]),
        "Fields": (rw.Fields, [{}, {}, None]),
        "Fields.of": (rw.Fields.of, [{}]),
        "System": (rw.System, []),
        "System.from_file": (rw.System.from_file, [tmp_path / "case.yaml"]),
        "System.replace": (case.replace, [lengths, 430.0]),
        "System.replace many": (case.replace, [{lengths: 430.0}]),
        "System.to_file": (case.to_file, [tmp_path / "again.yaml"]),
        "Equilibrium.line": (rest.line, ["west"]),
        "Equilibrium.body_stiffness": (rest.body_stiffness, ["none"]),
        "Equilibrium.to_file": (rest.to_file, [tmp_path / "rest.nc"]),
        "rw.to_file": (run.rw.to_file, [tmp_path / "run.nc"]),
        "rw.view": (lambda height: run.rw.view(height=height), [300]),
        "rw.report": (lambda height: run.rw.report(height=height), [300]),
        "continuation": (rw.continuation, [case, "environment.depth", 100.0, 101.0]),
        "equilibria": (lambda system, lobes, starts: rw.equilibria(system, lobes=lobes, starts=starts), [case, 1, 0]),
        "export_fmu": (rw.export_fmu, [driven, tmp_path / "unit.fmu"]),
        "float_in_time": (rw.float_in_time, [logs, [0.0], "log"]),
        "float_path": (
            lambda system, name, up, heave: rw.float_path(system, name, up=up, heave=heave),
            [logs, "log", [0.1, 0.3, 1.0], 0.0],
        ),
        "float_rods": (lambda system, name, time: rw.float_rods(system, name, time=time), [logs, "log", 0.0]),
        "load": (rw.load, [tmp_path / "case.yaml"]),
        "modes": (rw.modes, [case, 2]),
        "response": (rw.response, [case, [1.0], "motion:top:x"]),
        "shoot": (rw.shoot, [case, "west", [-1e5, 0.0, 1e5]]),
        "simulate": (
            lambda system, duration, solver, output: rw.simulate(system, duration, solver=solver, output=output),
            [case, 0.1, "mixed_fem", tmp_path / "out.nc"],
        ),
        "solve_lines": (rw.solve_lines, [10.0, 0.0, 12.0, 1e6, 10.0]),
        "state_space": (rw.state_space, [case, ["force:top:x"], ["tension:west:B"]]),
        "statics": (rw.statics, [case, "catenary"]),
        "sweep": (
            lambda system, vary: rw.sweep(system, vary, do="static", jobs=1),
            [case, {"environment.depth": [100.0]}],
        ),
        "verify": (verify, [case]),
        "verify_run": (verify_run, [case.replace(run={"duration": 0.1})]),
        "design.Design": None,
        "design.JointAngles": None,
        "design.sensitivities": (rw.design.sensitivities, [case, [tension], [lengths]]),
        "design.solve_for": (
            lambda system, vary, targets, bounds: rw.design.solve_for(system, vary, targets, bounds=bounds),
            [case, lengths, {tension: rest.line("west")["end_b"]["tension"]}, {}],
        ),
    }


DESIGN_OF_RODS = {"joint_angles", "reach_shape", "reach_stiffness", "reach_trim", "uncoil"}  # in analysis/test_rod_*.py


def test_every_public_callable_refuses_junk_as_InputError(tmp_path, monkeypatch):
    """Whatever one argument is, the error is InputError, or ConvergenceError; that a value is taken is no fault."""
    (tmp_path / "case.yaml").write_text(CASE)
    monkeypatch.chdir(tmp_path)
    tried = doors(tmp_path)
    known = {name.partition(".")[2] for name in tried if name.startswith("design.")} | DESIGN_OF_RODS
    assert set(rw.__all__) - {"design"} <= set(tried), "a public name without a row here"
    assert set(rw.design.__all__) <= known, "a public name of rw.design without a row here"
    wrong = []
    for name, door in tried.items():
        ask, given = door or (None, [])
        for place, junk in itertools.product(range(len(given)), JUNK):
            try:
                ask(*given[:place], junk, *given[place + 1 :])
            except (rw.InputError, rw.ConvergenceError):
                pass
            except Exception as error:
                wrong.append(f"{name}, argument {place} {junk!r}: {type(error).__name__}: {error}")
    assert wrong == []
