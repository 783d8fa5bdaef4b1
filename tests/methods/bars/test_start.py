"""Runs of bars begin at the equilibrium of the bars, not at that of the smooth line."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.spec.system import System

CASE = {
    "ropewalk": 1,
    "environment": {"gravity": 9.81, "water_density": 0, "seabed": {"kind": "none"}},
    "sections": {"rope": {"diameter": 0.03, "mass": 5, "axial_stiffness": "inextensible"}},
    "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [20, 0, 0]}},
    "lines": {"rope": {"from": "a", "to": "b", "elements": 40, "pieces": [{"section": "rope", "length": 47}]}},
    "record": {"every": 0.5},
}


@pytest.mark.parametrize("solver", ["constrained", "recursive", "projection", "constrained_implicit"])
def test_a_rope_at_rest_stays_at_rest(solver):
    """Half the weight hangs at each end: V = m g L / 2 of the reaction, H of the catenary of bars."""
    system = System.model_validate({**CASE, "run": {"duration": 2, "solver": solver, "step": 0.001}})
    run = rw.simulate(system)
    moved = np.abs(run.position.values - run.position.values[0]).max()
    assert moved < 1e-6 * 47.0  # the bar on stable equilibria that nothing drives
    upward = -run.end_force.sel(line="rope", axis="z").values  # of the line on its supports, so down
    assert_allclose(upward, 0.5 * 5 * 9.81 * 47.0, rtol=1e-5)


TWINE = {"diameter": 0.002, "mass": 0.004, "axial_stiffness": "inextensible", "added_mass": 0, "drag": {"normal": 1.2}}


@pytest.mark.parametrize("solver", ["constrained", "projection"])
def test_a_net_of_redundant_bars_at_rest_stays_at_rest(solver):
    """Still water drives nothing: a rhombic panel with a sinker stays within 1e-9 of its extent.

    Its bars are redundant and have a compliance, with which they first stretched by 1e-7 (1e-5 of the extent in 1 s).
    """
    panel = {"kind": "rectangle", "corners": [[-0.6, 0, -2], [0.6, 0, -2], [0.6, 0, -8], [-0.6, 0, -8]]}
    net = {"panel": panel, "held": "upper", "mesh": "rhombic", "hanging_ratio": 0.53, "section": "t",
           "bar_length": 0.014, "cells": [11, 7], "lower_sinker": 0.64}  # fmt: skip
    system = System.model_validate(
        {"ropewalk": 1, "environment": {"seabed": {"kind": "none"}}, "sections": {"t": TWINE}, "nets": {"n": net},
         "run": {"duration": 1.0, "solver": solver}, "record": {"every": 0.25}}
    )  # fmt: skip
    place = rw.simulate(system).net_position.values
    extent = np.linalg.norm(np.ptp(place[0], axis=0))
    # equilibrium to 1e-9 of the loads; 6e-12 of the extent was measured
    assert np.abs(place - place[0]).max() < 1e-9 * extent


def test_a_hoop_by_projection_stays_at_rest():
    """Nothing drives a cone on a hoop in still water; with three sweeps it moved by 1e-5 of its extent in 3 s."""
    radius, rope = 1.86, {"diameter": 0.008, "mass": 0.06, "axial_stiffness": "inextensible"}
    points = {"ring": {"position": [-1.5 * radius, 0, -8], "joint": "free", "mass": 16.0},
              "ship": {"position": [-1.5 * radius - 5.0, 0, -2]}}  # fmt: skip
    lines = {"tow": {"from": "ship", "to": "ring", "elements": 8, "pieces": [{"section": "rope", "length": 8.5}]}}
    for k in range(3):
        angle = 2.0 * np.pi * k / 3.0
        place = [0.0, radius * float(np.sin(angle)), -8.0 + radius * float(np.cos(angle))]
        points[f"p{k}"] = {"position": place, "joint": "free"}
        lines[f"leg{k}"] = {"from": "ring", "to": f"p{k}", "elements": 1,
                            "pieces": [{"section": "rope", "length": 1.84 * radius}]}  # fmt: skip
    panel = {"kind": "cylinder", "centre": [0, 0, -8], "radius": radius, "lower_radius": 0.3 * radius,
             "height": 3.0 * radius, "axis": [1, 0, 0]}  # fmt: skip
    net = {"panel": panel, "held": "none", "rim": ["p0", "p1", "p2"], "hoop_mass": 1.9, "section": "t",
           "bar_length": 0.01, "cells": [18, 7], "lower_sinker": 6.2}  # fmt: skip
    system = System.model_validate(
        {"ropewalk": 1, "environment": {"seabed": {"kind": "none"}}, "sections": {"t": TWINE, "rope": rope},
         "points": points, "lines": lines, "nets": {"n": net}, "run": {"duration": 3.0, "solver": "projection"},
         "record": {"every": 0.5}}
    )  # fmt: skip
    place = rw.simulate(system).net_position.values
    # 2e-11 of the extent was measured
    assert np.abs(place - place[0]).max() < 1e-8 * np.linalg.norm(np.ptp(place[0], axis=0))
