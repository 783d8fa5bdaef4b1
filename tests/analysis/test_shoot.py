"""Single shots: initial value problems of Surmont (2025)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
VELARIA, SLIDER = EXAMPLES / "shooting_velaria.yaml", EXAMPLES / "shooting_slider.yaml"


@pytest.mark.parametrize("ratio", [0.5, 0.8, 1.0, 1.3, 1.7])
def test_shots_of_the_velaria_are_circles(ratio):
    """Under pressure p a string of tension lambda p R is an arc of radius lambda R (Surmont, sec. 4.3)."""
    shot = rw.shoot(VELARIA, "membrane", [0.0, ratio, 0.0])
    angle = np.pi / ratio
    end = [1.0 - ratio + ratio * np.cos(angle), ratio * np.sin(angle), 0.0]
    # 1e-12 per step, some 20 steps, grown by at most pi / ratio
    assert_allclose(shot.miss, np.array(end) - [-1.0, 0.0, 0.0], atol=1e-9)
    assert_allclose(shot.tension, ratio, rtol=1e-9)


def test_newton_by_hand_needs_the_five_iterations_of_the_paper():
    """Surmont, example 1 with c = 2: from [50, 0, -100] N, closed form of the force F_x and half the weight."""
    pull, force = 526.018, np.array([50.0, 0.0, -100.0])
    misses = []
    for _ in range(6):
        shot = rw.shoot(SLIDER, "chain", force)
        wanted = np.array([shot.end_force[0] + pull, *shot.miss[1:]])
        misses.append(np.abs(wanted).max())
        rows = np.array([shot.end_force_by_force[0], *shot.miss_by_force[1:]])
        force = force - np.linalg.solve(rows, wanted)
    assert misses[5] < 1e-10 < misses[3]
    weight = (2.466941 - 1025.0 * np.pi / 4.0 * 0.02000318**2) * 9.81 * 50.0
    # the digits of the integrator, 1e-12 per step of the whole load
    assert_allclose(force, [pull, 0.0, -0.5 * weight], rtol=1e-9, atol=1e-9)


def test_shots_from_either_end_are_the_same_line():
    """Surmont, figure 13: integration from B gives the shape and the forces of that from A."""
    rest = rw.statics(SLIDER)
    ends = rest.line("chain")
    case = rest.system.replace("points.slider.position", ends["end_b"]["position"])
    ahead = rw.shoot(case, "chain", ends["end_a"]["force"])
    back = rw.shoot(case, "chain", ends["end_b"]["force"], end="B")
    # closure of the equilibrium, 1e-12 of 50 m, and the steps of both shots
    assert_allclose(back.position, ahead.position, atol=1e-8)
    assert_allclose(back.force, ahead.force, atol=1e-6)
    assert_allclose(ahead.miss, 0.0, atol=1e-8)
    assert_allclose(back.end_position, [0.0, 0.0, -100.0], atol=1e-8)


def test_derivatives_are_those_of_the_shot():
    """Central differences of 1e-3 N err by their square."""
    force, h = np.array([300.0, 20.0, -400.0]), 1e-3
    shot = rw.shoot(SLIDER, "chain", force)
    for j, step in enumerate(h * np.eye(3)):
        ahead, behind = (rw.shoot(SLIDER, "chain", force + sign * step) for sign in (1.0, -1.0))
        assert_allclose(shot.miss_by_force[:, j], (ahead.miss - behind.miss) / (2 * h), rtol=1e-5, atol=1e-8)
        slope = (ahead.end_force - behind.end_force) / (2 * h)
        assert_allclose(shot.end_force_by_force[:, j], slope, rtol=1e-5, atol=1e-8)


def test_a_pair_of_lower_order_needs_more_steps():
    """Surmont, figure 12: order 5 at 1e-12 needs some times the steps of order 8, and fewer at 1e-6."""
    counts = {
        (pair, tolerance): rw.shoot(VELARIA, "membrane", [0.0, 1.0, 0.0], pair=pair, tolerance=tolerance).steps
        for pair in ("fehlberg", "dormand_prince")
        for tolerance in (1e-12, 1e-6)
    }
    assert counts["fehlberg", 1e-12] > 2 * counts["dormand_prince", 1e-12]
    assert counts["fehlberg", 1e-6] < counts["fehlberg", 1e-12] / 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"line": "rope"}, "no line 'rope'. Available: chain"),
        ({"force": [1.0, 2.0]}, "force must be three finite numbers"),
        ({"end": "C"}, "end must be 'A' or 'B'"),
        ({"pair": "rk4"}, "unknown pair 'rk4'; choose dormand_prince or fehlberg"),
        ({"tolerance": 0.0}, "tolerance must be above 0"),
        ({"places": 1}, "places must be a whole number, 2 or more"),
    ],
)
def test_bad_arguments_are_refused(options, words):
    with pytest.raises(rw.InputError, match=r"must|unknown|no line") as refused:
        rw.shoot(SLIDER, **{"line": "chain", "force": [50.0, 0.0, -100.0], **options})
    assert words in str(refused.value)


def test_a_line_over_a_peg_cannot_be_shot():
    with pytest.raises(rw.InputError, match="shoot along a line without pegs"):
        rw.shoot(EXAMPLES / "shooting_sheave.yaml", "hawser", [1.0, 0.0, 0.0])
