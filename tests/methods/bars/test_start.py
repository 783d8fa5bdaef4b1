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
