"""Flexible jumper of Lowe and Langley 2006, top tension in surge and heave (digitised in MoorDyn's public tests)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

PERIOD = 27.0  # s
# kN every 3 s from 0
SERIES = {
    "surge": [49.73, 43.96, 41.48, 43.38, 46.60, 46.70, 46.60, 49.50, 52.21],
    "heave": [55.72, 48.57, 44.19, 41.23, 37.04, 43.29, 52.30, 55.65, 57.49],
}
DIRECTION = {"surge": [1, 0, 0], "heave": [0, 0, 1]}


def jumper(mode: str) -> Model:
    """170 m of flexible pipe between (-100, -55) and (0, -5), without bending stiffness."""
    term = {"direction": DIRECTION[mode], "amplitude": 10.0, "omega": 2.0 * np.pi / PERIOD, "phase": 0.5 * np.pi}
    pipe = {"added_mass": 0, "diameter": 0.396, "mass": 165.0, "axial_stiffness": 5e8, "drag": {"normal": 1.0}}
    motion = {"kind": "harmonic", "ramp": PERIOD, "terms": [term]}
    return build(
        System.model_validate(
            {
                "environment": {"gravity": 9.807, "water_density": 1000},
                "sections": {"pipe": {**pipe, "added_mass": {"normal": 1.0}}},
                "points": {
                    "low": {"position": [-100, 0, -55]},
                    "top": {"position": [0, 0, -5], "joint": "moving", "motion": motion},
                },
                "lines": {"j": {"from": "low", "to": "top", "pieces": [{"section": "pipe", "length": 170}]}},
            }
        )
    )


@pytest.mark.parametrize("mode", ["surge", "heave"])
def test_top_tension(mode: str) -> None:
    """Every point within 1 kN; static exact without bending H 11.4723, V 45.7222 kN."""
    model = jumper(mode)
    solver = MixedFem()
    work = solver.start(model, initial_state(model))
    rest = solver.read(model, work).end_force[0, 1] / 1e3
    # the default mesh of 50 elements, second order
    assert_allclose(rest, [-11.4723, 0.0, -45.7222], rtol=2e-4, atol=1e-9)
    tension = []
    for k in range(1, 37):
        report = solver.advance(model, work, 3.0 * k)
        assert report.good, report.message
        tension.append(np.linalg.norm(solver.read(model, work).end_force[0, 1]) / 1e3)
    # k = 27 .. 35 is the period from 81 s on
    assert_allclose(tension[26:35], SERIES[mode], atol=1.0)
