"""Lines in compression that give way, against the growth rates of inverted pendulums; and those that hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw

G, LENGTH, MASS = 9.80665, 10.0, 5.0  # m/s2, m, kg/m
ROD = {"diameter": 0.05, "mass": MASS, "axial_stiffness": 1e9, "compression": True}


def upright(elements: int, joint: Any = "free", top: float = LENGTH, **environment: Any) -> rw.System:
    """A line that stands on its foot in air, with 10 kg on top."""
    return rw.System.model_validate({
        "environment": {"gravity": G, "water_density": 0, "seabed": {"kind": "none"}, **environment},
        "sections": {"rod": ROD},
        "points": {"foot": {"position": [0, 0, 0]},
                   "top": {"position": [0, 0, top], "joint": joint, "mass": 10.0 if joint == "free" else 0.0}},
        "lines": {"l": {"from": "foot", "to": "top", "elements": elements,
                        "pieces": [{"section": "rod", "length": LENGTH}]}},
    })  # fmt: skip


def unstable(answer: Any) -> list[str]:
    return [doubt.sentence for doubt in answer.doubts if doubt.code == "unstable"]


@pytest.mark.parametrize("method", ["fem", "bars_statics"])
@pytest.mark.parametrize("elements", [1, 10])
def test_a_line_that_stands_on_its_foot_is_unstable(elements, method):
    """One element is an inverted pendulum with half of its mass at each end: rate sqrt(g (m/2 + M) / ((m/2 + M) L))
    of lumped masses, a little less where the mass of elements is consistent; more elements buckle faster."""
    found = rw.statics(upright(elements), method)
    assert found.state.point_position[1, 2] == pytest.approx(LENGTH, rel=1e-6)
    assert len(unstable(found)) == 1 and "line 'l' is in compression" in unstable(found)[0]
    rate = np.sqrt(-found.stability.smallest)
    if elements == 1:
        assert_allclose(rate, np.sqrt(G / LENGTH), rtol=1e-6)
    else:
        assert rate > 5.0 * np.sqrt(G / LENGTH)


@pytest.mark.parametrize("joint, elements", [("fixed", 1), ("free", 10)])
def test_a_strut_between_held_ends_and_a_line_that_hangs_are_stable(joint, elements):
    """One element between two points cannot buckle; the same line by its upper end is in tension all along."""
    top = LENGTH * (1.0 - 1e-6) if joint == "fixed" else -LENGTH  # 1 kN of compression
    for method in ("fem", "bars_statics"):
        found = rw.statics(upright(elements, joint, top), method)
        assert unstable(found) == []
        assert (found.state.element_tension.min() < -900.0) == (joint == "fixed")


def test_a_line_between_held_ends_that_pushes_with_its_lower_half_buckles():
    """Ends as far apart as it is long: the lower half stands, the upper half hangs, each with a quarter of 490 N."""
    found = rw.statics(upright(10, "fixed"), "fem")
    assert found.state.element_tension.min() < -0.4 * MASS * G * LENGTH
    assert len(unstable(found)) == 1
    assert unstable(rw.statics(upright(10, "fixed"), "relax")) == []  # which leaves it for the loop that hangs


@pytest.mark.parametrize("side, pushes", [(1.0, False), (-1.0, True)])
def test_a_line_that_points_up_the_current_is_unstable(side, pushes):
    """Drag along a weightless line pulls it downstream and pushes it upstream; forces without a potential."""
    area = np.pi * 0.1**2 / 4.0
    case = rw.System.model_validate({
        "environment": {"water_density": 1000, "depth": 100, "seabed": {"kind": "none"}, "current": {"speed": 1.0}},
        "sections": {"rod": {"diameter": 0.1, "mass": 1000.0 * area, "axial_stiffness": 1e6, "compression": True,
                             "drag": {"normal": 1.2, "tangential": 0.05}}},
        "points": {"a": {"position": [0, 0, -20]},
                   "b": {"position": [side * 10, 0, -20], "joint": "free", "mass": 1.0, "volume": 0.001}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 10, "pieces": [{"section": "rod", "length": 10}]}},
    })  # fmt: skip
    found = rw.statics(case, "fem")
    assert_allclose(found.state.point_position[1], [10.0 * side, 0.0, -20.0], atol=1e-2)
    assert len(unstable(found)) == int(pushes)
    assert ("unstable" in rw.modes(found, 2).attrs["stability"]) == pushes


@pytest.mark.parametrize("friction", [0.5, 0.0])
def test_friction_holds_a_line_that_pushes_along_the_bed(friction):
    """A rope on the bed between held points 1 mm closer than it is long, straight: without friction it snakes."""
    case = rw.System.model_validate({
        "environment": {"depth": 20, "seabed": {"friction": friction, "stiffness": 1e5}},
        "sections": {"rod": {**ROD, "axial_stiffness": 1e6, "drag": 0, "added_mass": 0}},
        "points": {"a": {"position": [0, 0, -20]}, "b": {"position": [9.999, 0, -20]}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 10, "pieces": [{"section": "rod", "length": 10}]}},
    })  # fmt: skip
    found = rw.statics(case, "fem")
    assert_allclose(found.state.element_tension[:-1], -100.0, rtol=1e-6)  # 1e6 N times 1e-4
    assert len(unstable(found)) == (0 if friction else 1)


def test_lines_without_compression_cost_nothing(monkeypatch):
    """Neither a hanging line nor one whose section cannot push is linearised."""
    from ropewalk.analysis import compression

    monkeypatch.setattr(compression, "linearise", lambda answer: pytest.fail("linearised"))
    for name in ("fem", "shooting"):
        assert unstable(rw.statics(upright(10, "free", -LENGTH), name)) == []
