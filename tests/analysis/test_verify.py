"""Methods side by side: shapes by arc length, the tolerance, what the audit rejects, and runs in time."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw
from reference import between
from ropewalk.analysis.verify import difference, shape, verify, verify_run
from ropewalk.errors import InputError


@pytest.fixture(scope="module")
def hanging() -> rw.System:
    return between(60.0, 25.0, 80.0, 1e6, 30.0)


def test_methods_agree_on_a_hanging_line(hanging):
    result = verify(hanging)
    assert result["agree"]
    assert result["reference"] == "catenary"
    assert all(row["agrees"] for row in result["methods"] if row["status"] == "done")
    # the shapes of a closed form and of 50 elements: second order in an element of 1.6 m, a few mm
    fem = next(row for row in result["methods"] if row["method"] == "fem")
    assert 1e-6 < fem["position_difference"] < 2e-2


def test_shapes_are_compared_between_the_ends(hanging):
    """A line a metre lower in its middle has the same ends."""
    exact, moved = rw.statics(hanging, "catenary"), rw.statics(hanging, "catenary")
    bent = np.array(moved.state.position)
    bent[:, 2] -= np.sin(np.pi * np.linspace(0.0, 1.0, bent.shape[0]))
    from dataclasses import replace

    other = replace(moved, state=moved.state._replace(position=bent))
    assert difference(other, exact)[0] == pytest.approx(1.0, rel=1e-3)


def test_shape_of_a_circle_between_nodes():
    """Cubics between 26 nodes on a quarter of a circle of radius 10 m: third order leaves a tenth of a millimetre."""
    state = rw.statics(between(60.0, 25.0, 80.0, 1e6, 30.0), "fem").state
    s = np.linspace(0.0, 5.0 * np.pi, 26)
    circle = 10.0 * np.stack([np.sin(0.1 * s), 0.0 * s, 1.0 - np.cos(0.1 * s)], axis=1)
    state = state._replace(start=np.array([0, 26]), s=s, position=circle)
    at = np.linspace(0.5, 15.0, 101)
    exact = 10.0 * np.stack([np.sin(0.1 * at), 0.0 * at, 1.0 - np.cos(0.1 * at)], axis=1)
    assert np.abs(shape(state, 0, at) - exact).max() < 2e-3


def test_a_tolerance_that_meshes_cannot_meet_is_reported(hanging):
    result = verify(hanging, 1e-12)
    assert not result["agree"]
    assert {doubt["code"] for doubt in result["doubts"]} == {"several-equilibria"}


def test_solvers_in_time_agree_on_a_pendulum():
    """Ten metres of rope swing from 20 degrees for a second; elements and rigid bars."""
    case = {
        "environment": {"water_density": 0, "seabed": {"kind": "none"}},
        "sections": {"rope": {"diameter": 0.02, "mass": 5.0, "axial_stiffness": "inextensible", "compression": True}},
        "points": {"top": {"position": [0, 0, 0]},
                   "bob": {"position": [3.42020143, 0, -9.39692621], "joint": "free", "mass": 100}},
        "lines": {"l": {"from": "top", "to": "bob", "elements": 4, "pieces": [{"section": "rope", "length": 10}]}},
        "run": {"duration": 1.0, "start": "as_given"},
        "record": {"every": 0.1},
    }  # fmt: skip
    result = verify_run(rw.System.model_validate(case))
    done = [row for row in result["methods"] if row["status"] == "done"]
    assert len(done) >= 3
    assert all(row["position_difference"] < 0.05 for row in done)


def test_runs_of_a_case_that_every_solver_refuses_are_refused(hanging):
    """A case without `run:` is bad input (exit 2), not solvers that differ (exit 1)."""
    with pytest.raises(InputError, match="the case has no run"):
        verify_run(hanging)
