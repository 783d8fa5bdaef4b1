"""The command line as a user meets it: exit codes, sentences, files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from commandline import ropewalk

from ropewalk.analysis.run import InterruptedRunError
from ropewalk.cli.compiling import tell_first_use
from ropewalk.cli.new import Kind, template
from ropewalk.cli.run import energy_balance
from ropewalk.cli.tables import counted, plain
from ropewalk.io.native import read_text


@pytest.mark.parametrize("kind", list(Kind))
def test_starting_cases_are_right(kind, tmp_path, capsys):
    """`new` writes a case that `check` finds nothing wrong with."""
    path = tmp_path / "case.yaml"
    assert ropewalk("new", kind.value, path, capsys=capsys)[0] == 0
    code, out, _ = ropewalk("check", path, capsys=capsys)
    assert (code, out.count("\n")) == (0, 1), out


def test_commands_without_the_script_on_the_path():
    """`python -m ropewalk` is the same command."""
    told = subprocess.run([sys.executable, "-m", "ropewalk", "--help"], capture_output=True, text=True, check=True)
    assert "step-limit" in told.stdout


def test_new_does_not_write_over_a_file(mooring, capsys):
    before = mooring.read_text()
    code, _, err = ropewalk("new", "tow", mooring, capsys=capsys)
    assert code == 2
    assert "exists" in err
    assert mooring.read_text() == before


@pytest.mark.parametrize("kind", list(Kind))
def test_starting_cases_are_right_and_raise_no_doubts(kind, tmp_path, capsys):
    """`check` has no remark; the answer has none but the yaw of a buoy on one line, which nothing resists."""
    path = tmp_path / "case.yaml"
    assert ropewalk("new", kind.value, path, capsys=capsys)[0] == 0
    code, _, err = ropewalk("check", path, capsys=capsys)
    assert (code, err) == (0, "")
    code, out, err = ropewalk("float" if kind is Kind.rod else "static", path, capsys=capsys)
    assert code == 0
    assert max(len(line) for line in out.splitlines() if not line.startswith(("done", "audit", "minima"))) <= 80
    assert [line for line in err.splitlines() if not line.startswith("doubt neutral")] == []


def test_static_prints_a_table_and_how_good_it_is(mooring, capsys):
    code, out, _ = ropewalk("static", mooring, capsys=capsys)
    assert code == 0
    assert "line 1" in out
    assert "residual force" in out


def test_static_json_has_the_agreed_keys(mooring, capsys):
    """design: status, method, iterations, residuals, points, bodies, lines with their ends."""
    code, out, _ = ropewalk("static", mooring, "--json", capsys=capsys)
    data = json.loads(out)
    assert code == 0
    assert {"status", "method", "iterations", "residual_force", "residual_position"} <= set(data)
    assert set(data["points"]["anchor 1"]) == {"position", "force"}
    assert {"position", "attitude", "stiffness", "hydrostatic_stiffness"} <= set(data["bodies"]["platform"])
    line = data["lines"]["line 1"]
    assert set(line["end_a"]) == {"position", "force", "tension", "declination"}
    assert {"end_b", "max_tension", "min_tension", "stretched_length", "grounded_length"} <= set(line)


def test_static_writes_netcdf_that_xarray_opens(mooring, tmp_path, capsys):
    path = tmp_path / "result.nc"
    assert ropewalk("static", mooring, "-o", path, capsys=capsys)[0] == 0
    with xr.open_dataset(path, engine="h5netcdf") as dataset:
        assert dataset["tension"].attrs["units"] == "N"
        assert set(dataset["node_line"].values) == {"line 1", "line 2", "line 3"}
        assert read_text(json_to_yaml(dataset.attrs["system"])).title == "three-line chain mooring in 100 m"


def json_to_yaml(text: str) -> str:
    """JSON is YAML."""
    return text


def test_plot_draws_a_case_and_a_result(mooring, tmp_path, capsys):
    result = tmp_path / "result.nc"
    ropewalk("static", mooring, "-o", result, capsys=capsys)
    for source, target in ((mooring, "a.png"), (result, "b.svg")):
        assert ropewalk("plot", source, "-o", tmp_path / target, capsys=capsys)[0] == 0
        assert (tmp_path / target).stat().st_size > 10_000


def test_demo_leaves_case_result_picture_and_page(tmp_path, capsys):
    code, out, _ = ropewalk("demo", "-o", tmp_path / "demo", capsys=capsys)
    assert code == 0, out
    assert {path.suffix for path in (tmp_path / "demo").iterdir()} >= {".yaml", ".nc", ".png", ".html"}


def test_waves_prints_the_sea(tmp_path, capsys):
    path = tmp_path / "sea.yaml"
    path.write_text(
        "ropewalk: 1\nenvironment: {depth: 20, gravity: 9.81, waves: {kind: regular, height: 3, period: 5}}\n"
    )
    code, out, _ = ropewalk("waves", path, "--json", "-o", tmp_path / "sea.png", capsys=capsys)
    data = json.loads(out)
    assert code == 0
    assert data["components"][0]["amplitude"] == 1.5
    assert data["components"][0]["length"] == pytest.approx(38.9107, abs=1e-3)  # Airy, 20 m deep, 5 s
    assert (tmp_path / "sea.png").exists()


def test_schema_is_json(capsys):
    code, out, _ = ropewalk("schema", capsys=capsys)
    assert code == 0
    assert json.loads(out)["title"] == "ropewalk case file"


def test_check_refuses_ropes_that_cannot_reach(capsys):
    path = Path(__file__).parents[1] / "defects" / "impossible_ropes.yaml"
    code, _, err = ropewalk("check", path, capsys=capsys)
    assert code == 2
    assert "lines 'l0' and 'l1' are 80 m long together, shorter than the 100 m between" in err


def test_check_refuses_a_straight_inextensible_line_under_load(tmp_path, capsys):
    path = tmp_path / "case.yaml"
    path.write_text(SHORT.replace("length: 9", "length: 10"))
    code, _, err = ropewalk("check", path, capsys=capsys)
    assert code == 2
    assert "exactly as long as the distance between its held ends (10 m), so that no finite tension" in err


def test_verify_compares_methods(mooring, capsys):
    code, out, _ = ropewalk("verify", mooring, "--json", capsys=capsys)
    data = json.loads(out)
    assert code == 0
    assert data["reference"] == "catenary"
    assert data["methods"][0]["force_difference"] == 0.0
    assert data["agree"]
    code, out, err = ropewalk("verify", mooring, "--tolerance", "1e-12", capsys=capsys)
    assert code == 1
    assert "doubt several-equilibria (shooting" in err and "): methods 'catenary' and" in err


def test_verify_says_why_a_method_has_no_answer(tmp_path, capsys):
    """A rope that rises to the surface: shooting does not follow it, the elements do, the closed form has it fly."""
    path = tmp_path / "light.yaml"
    path.write_text(
        "ropewalk: 1\nenvironment: {depth: 100}\nsections: {r: {diameter: 0.5, mass: 10, axial_stiffness: 1.0e8}}\n"
        "points: {a: {position: [0, 0, -100]}, b: {position: [400, 0, -6]}}\n"
        "lines: {l: {from: a, to: b, elements: 20, pieces: [{section: r, length: 450}]}}\n"
    )
    code, out, _ = ropewalk("verify", path, "--tolerance", "0.05", capsys=capsys)
    assert code == 0
    assert "shooting: line 'l' comes to lie along the water surface" in out
    assert out.startswith("differences from 'fem'")
    assert "catenary: line 'l' rises" in out
    assert "% of the largest" in out


SHORT = """
ropewalk: 1
sections: {rope: {diameter: 0.08, mass: 27.6, axial_stiffness: inextensible}}
points: {a: {position: [0, 0, 0]}, b: {position: [10, 0, 0]}}
lines: {l: {from: a, to: b, pieces: [{section: rope, length: 9}]}}
"""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file is empty"),
        ("ropewalk: 1\ntitel: x\n", "did you mean 'title'"),
        ("ropewalk: 1\nsections: {r: {diameter: 0.1, mass: -1, axial_stiffness: 1.0e8}}\n", "at least 0, not -1"),
        ("ropewalk: 1\n", "nothing to solve"),
        (SHORT, "length 9 m is shorter than the 10 m between its ends; lengthen it or give it axial_stiffness"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(text, sentence, tmp_path, capsys):
    """Nothing is written."""
    path = tmp_path / "case.yaml"
    path.write_text(text)
    code, out, err = ropewalk("static", path, "-o", tmp_path / "out.nc", capsys=capsys)
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert out == ""
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("static", "nowhere.yaml"), "nowhere.yaml"),
        (("plot", "case.txt", "-o", "case.doc"), "'.doc' is not one of them"),
        (("static", "case.yaml", "--method", "magic"), "no solver 'magic'"),
        (("static", "case.yaml", "-o", "case.yaml"), "results are NetCDF files; give a name that ends in .nc"),
        (("run", "case.yaml", "-o", "case.yaml"), "results are NetCDF files"),
        (("modes", "case.yaml", "-o", "case.yaml"), "results are NetCDF files"),
        (("response", "case.yaml", "-o", "case.yaml"), "results are NetCDF files"),
        (("plot", "."), ". is a folder; give a result file or a case file"),
        (("recover", "case.yaml"), "no stopped run has left anything to recover"),
        (("waves", "case.yaml", "-o", "sea.doc"), "'.doc' is not one of them"),
        (("float", "rod.yaml", "--picture", "rod.doc"), "'.doc' is not one of them"),
        (("static", "rod.yaml"), "'ropewalk float' finds their equilibria"),
        (("verify", "rod.yaml"), "'ropewalk float' finds their equilibria"),
        (("view", "case.yaml", "--html", "case.txt"), "the name of a page must end in .html or .htm"),
        (("demo", "--duration", "-1"), "duration -1 s: it must be positive and finite"),
        (("demo", "--out", "case.yaml"), "case.yaml is a file; give a folder"),
    ],
)
def test_wrong_arguments_are_exit_2(arguments, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("case.yaml").write_text(template(Kind.mooring))
    Path("rod.yaml").write_text(template(Kind.rod))
    code, _, err = ropewalk(*arguments, capsys=capsys)
    assert code == 2
    assert sentence in err
    assert Path("case.yaml").read_text() == template(Kind.mooring)


def test_a_result_where_a_case_is_read_is_told_apart(mooring, tmp_path, capsys):
    result = tmp_path / "result.nc"
    assert ropewalk("static", mooring, "-o", result, capsys=capsys)[0] == 0
    for command in ("static", "check", "run"):
        code, _, err = ropewalk(command, result, capsys=capsys)
        assert code == 2
        assert "the file is a result, not a case" in err


def test_ctrl_c_says_what_was_kept(tmp_path, monkeypatch, capsys):
    """Exit 130 and the sentence of the run."""
    path = tmp_path / "case.yaml"
    path.write_text(template(Kind.mooring))

    def interrupted(*_: object, **__: object) -> None:
        raise InterruptedRunError("interrupted at t = 5 s of 10 s; 51 records are in a.nc; --resume continues it")

    monkeypatch.setattr("ropewalk.analysis.run.simulated", interrupted)
    code, _, err = ropewalk("run", path, capsys=capsys)
    assert code == 130
    assert err == "interrupted at t = 5 s of 10 s; 51 records are in a.nc; --resume continues it\n"


def test_static_doubts_lines_that_a_free_body_cannot_reach(mooring, capsys):
    """The platform is drawn down by lines of 20 m to anchors 413 m away; each is stretched that far."""
    mooring.write_text(re.sub(r"length: *[0-9.]+", "length: 20", mooring.read_text()))
    code, _, err = ropewalk("static", mooring, capsys=capsys)
    assert code == 0
    assert "doubt stretched: line 'line 1' is stretched from 20 m to 413" in err


def test_check_names_the_file_and_static_what_would_break(tmp_path, capsys):
    """A chain of 84 mm breaks at 7.208 MN; stretched from 300 m over 410.9 m by EA 6e8 N it pulls with far more."""
    path = tmp_path / "case.yaml"
    path.write_text(
        "ropewalk: 1\nenvironment: {depth: 100}\n"
        "sections: {chain: {catalogue: studless_chain, diameter: 0.084}}\n"
        "points: {a: {position: [0, 0, -100]}, b: {position: [400, 0, -6]}}\n"
        "lines: {m: {from: a, to: b, pieces: [{section: chain, length: 300}]}}\n"
    )
    code, _, err = ropewalk("static", path, capsys=capsys)
    assert code == 0
    assert "doubt breaking-load: line 'm' has a tension of 2.22" in err
    assert "is stretched from 300 m to 410.897 m" in err
    path.write_text(f"{path.read_text()}statics: {{method: magic}}\n")
    code, _, err = ropewalk("check", path, capsys=capsys)
    assert code == 2
    assert err.startswith(f"{path}: no solver 'magic'")


def test_doubtful_numbers_are_told_on_stderr(tmp_path, capsys):
    path = tmp_path / "case.yaml"
    path.write_text(template(Kind.mooring).replace("water_density: 1025", "water_density: 1.025"))
    code, out, err = ropewalk("static", path, "--json", capsys=capsys)
    assert code in (0, 1)
    assert "water_density 1.025 kg/m3 is not plausible for water" in err
    if code == 0:
        assert "water-density" in [doubt["code"] for doubt in json.loads(out)["doubts"]]


@pytest.mark.parametrize(
    ("number", "things", "text"), [(1, "lines", "1 line"), (1, "bodies", "1 body"), (2, "bodies", "2 bodies")]
)
def test_one_thing_is_told_in_the_singular(number, things, text):
    assert counted(number, things) == text


@pytest.mark.parametrize(
    ("terminal", "kept", "told"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_the_first_wait_is_told_on_a_terminal(terminal, kept, told, tmp_path, monkeypatch, capsys):
    """Not where kernels are kept already, nor in a pipe."""
    monkeypatch.setenv("ROPEWALK_CACHE", str(tmp_path / "kernels"))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    if kept:
        (tmp_path / "kernels").mkdir()
        (tmp_path / "kernels" / "one").touch()
    tell_first_use()
    assert ("first use: compiling kernels" in capsys.readouterr().err) == told


def test_zeros_have_no_sign():
    assert [plain(value) for value in (-1e-9, 0.0, -1.0)] == ["0.000", "0.000", "-1.000"]


def test_energy_of_a_run_in_which_nothing_moved_has_no_share():
    """1 uJ of 1 MJ is what the equilibrium left."""
    terms = ["kinetic", "potential", "closure"]
    energy = np.array([[0.0, 1e6, 0.0], [1e-6, 1e6, 1e-6]])
    data = xr.Dataset({"energy": (("time", "term"), energy)}, coords={"term": terms})
    assert energy_balance(data) == {"turned_over": 0.5e-6, "missed": 1e-6, "share": None}
    energy[1] = [10.0, 1e6 - 10.0, 0.1]
    assert energy_balance(data) == pytest.approx({"turned_over": 10.0, "missed": 0.1, "share": 0.01})


def test_velocities_given_at_the_start_are_energy_exchanged():
    """A free spin of 100 J that loses 0.1 J: half of what came from rest, and of the loss, is what went to and fro."""
    energy = np.array([[100.0, 0.0, 0.0], [99.9, 0.0, 0.1]])
    data = xr.Dataset({"energy": (("time", "term"), energy)}, coords={"term": ["kinetic", "potential", "closure"]})
    assert energy_balance(data) == pytest.approx({"turned_over": 50.05, "missed": 0.1, "share": 0.1 / 50.05})


def test_numbers_that_fail_are_exit_1(tmp_path, capsys):
    """A stone that nothing holds."""
    path = tmp_path / "stone.yaml"
    path.write_text("ropewalk: 1\nbodies: {stone: {mass: 1000, position: [0, 0, 0]}}\n")
    code, _, err = ropewalk("static", path, capsys=capsys)
    assert code == 1
    assert "body 'stone'" in err


def test_help_needs_no_numerics():
    """`ropewalk --help` imports neither numba, scipy, xarray nor pydantic: that is what makes it start at once."""
    program = (
        "import sys; sys.argv = ['ropewalk', '--help']\n"
        "from ropewalk.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numba', 'scipy', 'xarray', 'pydantic', 'numpy', 'matplotlib'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_run_needs_no_xarray(mooring):
    """Results that fit into memory are summed up as plain arrays: xarray takes longer to load than a small run."""
    program = (
        f"import sys; sys.argv = ['ropewalk', 'run', {str(mooring)!r}, '--duration', '1']\n"
        "from ropewalk.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'xarray', 'pandas', 'dask', 'scipy.sparse', 'scipy.interpolate'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "records, the last at t = 1 s" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_run_json_has_where_statistics_begin_and_how_the_run_did(tmp_path, capsys):
    """Waves are ramped over 2 s of 3: statistics from there on; the run began from an equilibrium without a remark."""
    path = tmp_path / "case.yaml"
    path.write_text(
        "ropewalk: 1\nenvironment: {depth: 30, waves: {kind: regular, height: 1, period: 6, ramp: 2}}\n"
        "sections: {r: {diameter: 0.05, mass: 10, axial_stiffness: 1.0e7}}\n"
        "points: {a: {position: [0, 0, -20]}, b: {position: [30, 0, -10]}}\n"
        "lines: {l: {from: a, to: b, elements: 8, pieces: [{section: r, length: 35}]}}\n"
        "run: {duration: 3}\nrecord: {every: 0.25}\n"
    )
    code, out, err = ropewalk("run", path, "--json", capsys=capsys)
    assert code == 0, err
    told = json.loads(out)
    assert (told["statistics_start"], told["start"], told["time"], told["records"]) == (2.0, "", 3.0, 13)
    assert set(told["lines"]["l"]["A"]) == {"mean", "std", "min", "max", "time_of_max", "time_of_min"}


def test_import_is_lazy():
    """`import ropewalk` alone loads nothing heavy; the public names are all there."""
    program = (
        "import sys, ropewalk\n"
        "print(sorted({'numba', 'scipy', 'xarray', 'pydantic', 'numpy'} & set(sys.modules)))\n"
        "assert all(hasattr(ropewalk, name) for name in ropewalk.__all__)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "[]"


def test_an_answer_by_time_that_has_not_settled_is_told() -> None:
    """The sentence names the frequency, the periods and the change; settled ones and the direct method say nothing."""
    from ropewalk.cli.response import unsettled

    at = ("frequency", [0.5, 1.0])
    told = xr.Dataset({"settled_change": ("frequency", [1e-4, 0.025]), "settled_periods": ("frequency", [20, 156])})
    sentences = unsettled(told.assign_coords(frequency=at))
    assert len(sentences) == 1
    assert sentences[0].startswith("omega 1 rad/s: after 156 periods the time-domain response still changes by 2.5 %")
    assert unsettled(xr.Dataset(coords={"frequency": at})) == []


# --- terminals and disks ---


def test_control_characters_of_a_case_do_not_reach_the_terminal(tmp_path, mooring, capsys):
    """A title and a file's name that would clear the screen, or colour it by rich's own markup."""
    path = tmp_path / "a\x1b[2J.yaml"
    text = mooring.read_text()
    path.write_text(text.replace(text[text.index("title:") :].splitlines()[0], 'title: "[red]loud[/red]"'))
    code, out, err = ropewalk("static", path, capsys=capsys)
    assert code == 0, err
    assert "\x1b" not in out + err
    assert "[red]loud[/red]" in out
    code, out, err = ropewalk("check", path, capsys=capsys)
    assert "\x1b" not in out + err
    assert "a\\x1b[2J.yaml" in out


def test_a_page_that_finds_no_room_leaves_the_one_before(mooring, tmp_path, capsys, monkeypatch):
    page = tmp_path / "page.html"
    page.write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ropewalk.results.files.write_all", full)
    code, _, err = ropewalk("view", mooring, "--html", page, capsys=capsys)
    assert (code, page.read_text()) == (1, "before")
    assert "page.html cannot be written: the disk is full; make room and run again" in err
    assert {p.name for p in tmp_path.iterdir()} == {"page.html", mooring.name}
