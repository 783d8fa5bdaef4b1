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
        ("platform.txt", ["--turbine", "one"], "--turbine 'one' is not a number and a place"),
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
