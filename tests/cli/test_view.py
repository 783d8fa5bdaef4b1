"""`ropewalk view` as a user meets it."""

from __future__ import annotations

import json
import re
import webbrowser
from pathlib import Path

import pytest
from commandline import ropewalk

from ropewalk.viewer.server import PageServer


@pytest.fixture
def stone(tmp_path: Path) -> Path:
    path = tmp_path / "stone.yaml"
    path.write_text("ropewalk: 1\nbodies: {stone: {mass: 1000, position: [0, 0, 0]}}\n")
    return path


def data_of(path: Path) -> dict:
    found = re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_case_becomes_one_page(mooring, tmp_path, capsys):
    target = tmp_path / "page.html"
    code, out, err = ropewalk("view", mooring, "--html", target, capsys=capsys)
    assert code == 0
    assert all(line.startswith("doubt ") for line in err.splitlines())
    assert "residual force" in out and "page.html: written" in out
    data = data_of(target)
    assert [line["name"] for line in data["lines"]] == ["line 1", "line 2", "line 3"]
    assert data["trouble"] == ""


def test_the_manual_s_lines_make_a_page(mooring, tmp_path, monkeypatch):
    """The Python block of docs/guide/viewer.md."""
    guide = Path(__file__).resolve().parents[2] / "docs" / "guide" / "viewer.md"
    (block,) = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    mooring.rename("case.yaml")
    exec(compile(block, str(guide), "exec"), {})
    assert data_of(tmp_path / "page.html")["title"] == "three-line chain mooring in 100 m"


def test_a_result_becomes_a_page(mooring, tmp_path, capsys):
    result, target = tmp_path / "rest.nc", tmp_path / "page.html"
    assert ropewalk("static", mooring, "-o", result, capsys=capsys)[0] == 0
    assert ropewalk("view", result, "--html", target, capsys=capsys)[0] == 0
    assert data_of(target)["variants"][0]["time"] == [0.0]


def test_numbers_that_fail_leave_the_case_as_given_and_exit_1(stone, tmp_path, capsys):
    target = tmp_path / "page.html"
    code, _, err = ropewalk("view", stone, "--html", target, capsys=capsys)
    assert code == 1
    assert "body 'stone'" in err
    assert data_of(target)["trouble"] in err


def test_the_page_is_served_until_ctrl_c(mooring, capsys, monkeypatch):
    """Ctrl-C is how it ends: exit 0, and the port is closed."""
    opened = []

    def interrupted(self: PageServer) -> None:
        opened.append(self.address)
        raise KeyboardInterrupt

    monkeypatch.setattr(PageServer, "serve_forever", interrupted)
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    code, out, err = ropewalk("view", mooring, capsys=capsys)
    assert code == 0
    assert all(line.startswith("doubt ") for line in err.splitlines())
    assert len(opened) == 2 and opened[0] == opened[1]
    assert re.search(r"http://127\.0\.0\.1:\d+/[\w-]{24}/ \(Ctrl-C ends it\)", out) and "stopped" in out


def test_no_browser_is_opened_unless_wanted(mooring, capsys, monkeypatch):
    def interrupted(self: PageServer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PageServer, "serve_forever", interrupted)
    monkeypatch.setattr(webbrowser, "open", lambda address: pytest.fail("opened"))
    assert ropewalk("view", mooring, "--no-open", capsys=capsys)[0] == 0


def test_a_machine_without_a_browser_says_so(mooring, capsys, monkeypatch):
    def interrupted(self: PageServer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PageServer, "serve_forever", interrupted)
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert "open the address above by hand" in ropewalk("view", mooring, capsys=capsys)[2]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.yaml"], "nowhere.yaml"),
        (["nowhere.nc"], "does not exist"),
        (["case.yaml", "--html", "no/such/folder.html"], "is not a folder"),
        (["case.yaml", "--html", "."], "is a folder"),
        (["case.yaml", "--html", "case.yaml"], "would overwrite the file it shows"),
        (["case.yaml", "--port", "70000", "--no-open"], "does not exist"),
        (["broken.nc", "--html", "x.html"], "not a NetCDF-4 file"),
        (["broken.nc", "--modes", "2", "--html", "x.html"], "--modes needs a case file"),
        (["case.yaml", "--modes", "0"], "--modes"),
        (["bare.yaml", "--html", "x.html"], "nothing to solve"),
    ],
)
def test_wrong_input_is_exit_2(arguments, sentence, mooring, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mooring.rename("case.yaml")
    Path("broken.nc").write_text("not a result")
    Path("bare.yaml").write_text("ropewalk: 1\npoints: {alone: {position: [0, 0, 0]}}\n")
    code, _, err = ropewalk("view", *arguments, capsys=capsys)
    assert code == 2
    assert sentence in err
    assert not Path("x.html").exists()
