"""Ropes that lie slack on the bed come to rest: their forces are measured by what the bed carries of them."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.methods.bars.equilibrium import BarsStatics
from ropewalk.model.model import build

HEAVY = {"diameter": 0.0845, "mass": 34.07, "axial_stiffness": "inextensible", "drag": 0, "added_mass": 0}
LIGHT = {"diameter": 0.05, "mass": 8.0, "axial_stiffness": "inextensible", "drag": 0, "added_mass": 0}
CASES = {
    "rope": {
        "environment": {"depth": 15.93, "seabed": {"stiffness": 5e5}},
        "sections": {"s": HEAVY},
        "points": {"a": {"position": [-10.9, -60.8, -15.93]}, "b": {"position": [0.2, 1.3, -4.5]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "s", "length": 97.3}], "elements": 6,
                        "attachments": [{"s": 40.1, "mass": 12.4}, {"s": 52.5, "mass": 1.5, "volume": 0.003}]}},
    },
    "two ropes and a weight on the bed": {
        "environment": {"depth": 45.8, "seabed": {"stiffness": 1.1e5}},
        "sections": {"s": LIGHT},
        "points": {"a": {"position": [65, 20, -45.8]}, "b": {"position": [-14, 46, -45.8]},
                   "node": {"position": [-1, 5, -24], "joint": "free", "mass": 700}},
        "lines": {"l": {"from": "a", "to": "node", "pieces": [{"section": "s", "length": 73}], "elements": 12},
                  "m": {"from": "b", "to": "node", "pieces": [{"section": "s", "length": 49}], "elements": 10}},
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_slack_rope_comes_to_rest_on_the_bed(name):
    system = rw.System.model_validate(CASES[name])
    model, solver = build(system), BarsStatics()
    work = solver.start(model, rw.statics(system).state)
    report = solver.advance(model, work, 0.0)
    assert report.good
    # forces balance to 1e-9 of the weight of a node, some 10 kN at most
    assert report.residual_force < 1e-5
    state = solver.read(model, work)
    # the bed carries 0.1 m of rope at the depth of its own weight over stiffness and width: below a centimetre
    assert np.min(state.position[:, 2]) > -system.environment.depth - 0.05
