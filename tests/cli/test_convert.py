"""`ropewalk convert` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import ropewalk

from ropewalk.spec.system import System

FOREIGN = Path(__file__).parents[1] / "io" / "foreign"


def test_moordyn_to_case_lists_what_was_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "case.yaml"
    code, text, errors = ropewalk("convert", FOREIGN / "platform.txt", out, capsys=capsys)
    assert code == 0
    assert "written from MoorDyn v2 (6 points, 3 lines)" in text
    assert "left out: line 28: dtm = 0.001" in errors
    assert len(System.from_file(out).lines) == 3


def test_json_holds_the_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "case.yaml"
    code, text, errors = ropewalk(
        "convert", FOREIGN / "map.dat", out, "--depth", 190, "--gravity", 9.81, "--water-density", 1025, "--json",
        capsys=capsys,
    )  # fmt: skip
    data = json.loads(text)
    assert (code, errors) == (0, "")
    assert (data["source"], data["lines"]) == ("MAP++", 9)
    assert {"kind", "line", "sentence"} == set(data["notes"][0])


def test_existing_files_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "case.yaml"
    out.write_text("mine")
    code, _, errors = ropewalk("convert", FOREIGN / "platform.txt", out, capsys=capsys)
    assert code == 2
    assert "--overwrite" in errors
    assert out.read_text() == "mine"
    assert ropewalk("convert", FOREIGN / "platform.txt", out, "--overwrite", capsys=capsys)[0] == 0


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("none.txt", [], "no such file"),
        ("map.dat", [], "give --depth"),
        ("platform.txt", ["--turbine", "one"], "--turbine 'one' is not a turbine and position"),
        ("raft.yaml", ["--from", "map"], "not a MAP++ file"),
    ],
)
def test_bad_input_exits_with_2_and_a_sentence(
    name: str, arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, errors = ropewalk("convert", FOREIGN / name, tmp_path / "case.yaml", *arguments, capsys=capsys)
    assert code == 2
    assert words in errors
    assert not (tmp_path / "case.yaml").exists()


def test_unknown_endings_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, errors = ropewalk("convert", FOREIGN / "platform.txt", tmp_path / "case.json", capsys=capsys)
    assert code == 2
    assert "'.json'" in errors


def test_case_to_moordyn_and_back(tmp_path: Path, mooring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines, again = tmp_path / "lines.txt", tmp_path / "again.yaml"
    code, text, _ = ropewalk("convert", mooring, lines, capsys=capsys)
    assert code == 0, text
    assert ropewalk("convert", lines, again, capsys=capsys)[0] == 0
    assert System.from_file(again).lines


def test_result_to_every_format(tmp_path: Path, mooring: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = tmp_path / "eq.nc"
    assert ropewalk("static", mooring, "-o", result, capsys=capsys)[0] == 0
    for ending in ("pvd", "vtp", "csv", "xlsx", "out"):
        code, text, _ = ropewalk("convert", result, tmp_path / f"eq.{ending}", capsys=capsys)
        assert (code, (tmp_path / f"eq.{ending}").is_file()) == (0, True), text
    code, _, errors = ropewalk("convert", result, tmp_path / "eq.yaml", capsys=capsys)
    assert code == 2
    assert "results are converted to" in errors
