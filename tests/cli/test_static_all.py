"""`ropewalk static --all` and `--guess`."""

from __future__ import annotations

import json
import sys

import pytest

from ropewalk.cli.main import main

CASE = """
ropewalk: 1
environment: {gravity: 9.81, water_density: 0, seabed: {kind: none}}
sections: {c: {diameter: 0.05, mass: 1.0, axial_stiffness: inextensible}}
points: {a: {position: [0, 0, 0]}, b: {position: [2, 0, 0]}}
lines:
  l: {from: a, to: b, pieces: [{section: c, length: 3.0}], loads: [{kind: rotating, axis: [1, 0, 0], rate: 20}]}
"""


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    """Run a command in a folder with the case; exit code, stdout, stderr."""
    (tmp_path / "rope.yaml").write_text(CASE)
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["ropewalk", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return stop.value.code or 0, out, err

    return run


def test_all_prints_a_row_for_each_equilibrium(ask):
    """One lobe hangs down and is stable, one stands up and is not."""
    code, out, _ = ask("static", "rope.yaml", "--all", "--lobes", "1", "--starts", "0", "--json")
    assert code == 0
    rows = json.loads(out)["equilibria"]
    assert [(row["lobes"]["l"], row["stable"], row["unstable_directions"]) for row in rows[:2]] == [
        (1, True, 0),
        (1, False, 1),
    ]
    assert rows[0]["energy"] < rows[1]["energy"]
    assert rows[0]["audit"]
    code, out, _ = ask("static", "rope.yaml", "--all", "--lobes", "1", "--starts", "0")
    assert code == 0
    assert "there may be more" in out


def test_guess_starts_from_a_result(ask):
    code, _, _ = ask("static", "rope.yaml", "-o", "rest.nc")
    assert code == 0
    code, out, _ = ask("static", "rope.yaml", "--guess", "rest.nc", "--json")
    assert code == 0
    assert json.loads(out)["lines"]["l"]["end_a"]["force"][2] < -300.0  # N: the stable loop again


def test_options_that_do_not_go_together_are_refused(ask):
    code, _, err = ask("static", "rope.yaml", "--all", "--method", "fem")
    assert code == 2
    assert "--method cannot be combined with --all" in err
