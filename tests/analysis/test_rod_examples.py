"""The scripts on rods in examples/ run."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_uncoiling_example_takes_nine_steps(capsys):
    """The number that the theory page prints."""
    walk = runpy.run_path(str(EXAMPLES / "rod_uncoil.py"))["main"]()
    assert walk.reached
    assert len(walk.steps) == 9
    assert "done: 9 steps" in capsys.readouterr().out


@pytest.mark.slow
def test_the_hose_that_rolls_over_is_lost_at_a_fold(capsys):
    """The fold lies where the pose ends to exist: on one side it is among all stable ones, on the other it is not."""
    example = runpy.run_path(str(EXAMPLES / "rod_rolls_over.py"))
    (fold,) = example["main"]()
    assert fold["kind"] == "fold"
    assert fold["confirmed"]
    before, after = (rw.float_rods(example["hose"](fold["value"] + step))["hose"].states for step in (-2e-3, 2e-3))
    assert len(before) == 2
    assert len(after) == 1


def test_snake_robot_rests_as_wished_and_as_its_joints_are_driven():
    """Angles solved for by balance; the pose they give by minimising the energy, which shares no step with it."""
    case = EXAMPLES / "rod_snake.yaml"
    found = rw.design.joint_angles(case, roll=0.0, pitch=-5.0)
    assert found.stable
    states = rw.float_rods(found.system)["snake"].states
    # residuals of 1e-12 of weight x length over the softest stiffness, 1e-3 of it
    assert min(abs(np.degrees(state.pose.pitch) + 5.0) for state in states if state.stable) < 1e-6
    times = np.linspace(0.0, 2.0 * np.pi / 1.2, 9)
    driven = rw.float_in_time(case, times)
    assert_allclose(driven.angle[:, 1], 35.0 * np.cos(1.2 * times), atol=1e-9)
    assert_allclose(driven.angle[:, 2], 35.0 * np.sin(1.2 * times), atol=1e-2)  # its phase is written as 1.5708
    assert_allclose(driven.heave[-1], driven.heave[0], atol=1e-9)  # one period later


@pytest.mark.slow
def test_pictures_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    runpy.run_path(str(EXAMPLES / "rod_pictures.py"))["main"](tmp_path / "rods.png")
    assert (tmp_path / "rods.png").stat().st_size > 10_000
