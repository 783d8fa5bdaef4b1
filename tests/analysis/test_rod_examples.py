"""The scripts on rods in examples/ run."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_uncoiling_example_takes_nine_steps(capsys):
    """The number that the theory page prints."""
    walk = runpy.run_path(str(EXAMPLES / "rod_uncoil.py"))["main"]()
    assert walk.reached
    assert len(walk.steps) == 9
    assert "done: 9 steps" in capsys.readouterr().out


@pytest.mark.slow
def test_pictures_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    runpy.run_path(str(EXAMPLES / "rod_pictures.py"))["main"](tmp_path / "rods.png")
    assert (tmp_path / "rods.png").stat().st_size > 10_000
