"""Equilibria of bars that are one of many."""

from __future__ import annotations

import numpy as np
import pytest
from bars_cases import chain, panel, run
from numpy.testing import assert_allclose

from ropewalk.methods.bars.equilibrium import BarsStatics
from ropewalk.methods.bars.settling_loads import natural_time
from ropewalk.methods.bars.soft import softest
from ropewalk.model.model import build
from ropewalk.spec.system import System

ROPE = {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 1.0, "axial_stiffness": "inextensible"}


def triangle(force: float) -> System:
    """Three sticks from the end of a rope to a triangle of sticks; `force` (N) sideways on a corner of that."""
    ends = {f"e{k}": [0.4 * np.cos(a), 0.4 * np.sin(a)] for k, a in enumerate((0.0, 2.0944, 4.1888))}
    points = {"top": {"position": [0, 0, 0]}, "ring": {"position": [0, 0, -1], "joint": "free", "mass": 5.0}}
    points |= {k: {"position": [x, y, -1.9], "joint": "free", "mass": 1.0} for k, (x, y) in ends.items()}
    points["e0"]["force"] = [force, 0.0, 0.0]
    pairs = [("top", "ring", 1.0), *(("ring", k, 1.0) for k in ends)]
    pairs += [("e0", "e1", 0.8), ("e1", "e2", 0.8), ("e2", "e0", 0.8)]
    section = {**ROPE, "mass": 0.1, "compression": True}
    lines = {f"l{i}": {"from": a, "to": b, "elements": 1, "pieces": [{"section": "rope", "length": length}]}
             for i, (a, b, length) in enumerate(pairs)}  # fmt: skip
    return System.model_validate({"environment": {"gravity": 9.81, "water_density": 0.0},
                                  "sections": {"rope": section}, "points": points, "lines": lines})  # fmt: skip


def test_softest_motion_of_a_pendulum():
    """One bar of 2 m with a weight: omega^2 = g / l."""
    model = chain(1, length=2.0, end=(0.6, 0.0, -1.9), point={"mass": 50.0})
    _, report, work = run(BarsStatics(tolerance=1e-11), model, 0.0)
    soft = softest(work, np.full(1, 1e3))
    # six iterations against a shift of 1e-6; differences of 1e-6 of the length
    assert_allclose(soft.square / natural_time(work) ** 2, 9.81 / 2.0, rtol=1e-5)
    assert not report.message


def test_what_may_turn_is_said():
    """A frame below one rope turns freely about it; a force across it holds it, if only weakly."""
    free = run(BarsStatics(), build(triangle(0.0)), 0.0)[1]
    assert "neutral mode, largest in line 'l" in free.message
    assert not run(BarsStatics(), build(triangle(1.0)), 0.0)[1].message


def test_what_falls_over_is_said():
    """A stick that stands on its end: omega^2 = -g / l."""
    model = chain(1, length=2.0, end=(0.0, 0.0, 2.0), point={"mass": 50.0}, section={"compression": True})
    _, report, work = run(BarsStatics(), model, 0.0)
    assert_allclose(softest(work, np.full(1, 1e3)).square / natural_time(work) ** 2, -9.81 / 2.0, rtol=1e-5)
    assert report.message == "unstable equilibrium: the growing mode is largest in line 'l'"


@pytest.mark.parametrize("cells", [3, 10])
def test_nets_that_are_held_have_one_equilibrium(cells):
    assert not run(BarsStatics(), build(panel(cells, cells)), 0.0)[1].message
