"""Models in a tank: 0.3 m of wire 0.1 mm thick, forces below a millinewton, against the same at sea (Froude's law).

All tolerances must be relative to the system: each method that finds the one finds the other, with the same forces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from twins import scaled

import ropewalk as rw
from ropewalk.analysis.audit import audit
from ropewalk.analysis.statics import QUADRATURE
from ropewalk.analysis.verify import allowed_difference

AT_SEA = 1e3  # times the lengths of the tank
WIRE = {"diameter": 1e-4, "mass": 6e-5, "axial_stiffness": 50.0, "drag": {"normal": 1.2}, "added_mass": {"normal": 1.0}}
EYE = {"mass": 2e-5, "inertia": [2e-10] * 3, "position": [0.05, 0, 0], "attachments": {"eye": [0, 0, -0.003]},
       "hull": {"kind": "sphere", "radius": 0.003, "drag": 0.5, "added_mass": 0.5}}  # fmt: skip


def line(begin: str, end: str, length: float, **more: Any) -> dict[str, Any]:
    return {"from": begin, "to": end, "pieces": [{"section": "w", "length": length}], **more}


def tank(name: str) -> dict[str, Any]:
    """A case in a tank of 0.2 m of water."""
    case: dict[str, Any] = {
        "environment": {"depth": 0.2, "seabed": {"friction": 0.5 if name == "rubbed" else 0.0}},
        "sections": {"w": dict(WIRE)},
        "points": {"a": {"position": [0, 0, -0.2]}, "b": {"position": [0.2, 0, 0]}},
        "lines": {"l": line("a", "b", 0.3)},
    }
    if name == "towed":
        case["environment"]["current"] = {"speed": 0.05}
    if name == "clump":
        case["points"] |= {"m": {"position": [0.1, 0, -0.1], "joint": "free", "mass": 1e-4, "volume": 1e-8}}
        case["lines"] = {"l": line("a", "m", 0.15), "u": line("m", "b", 0.15)}
    if name in ("buoy", "slack buoy"):
        del case["points"]["b"]
        case["bodies"] = {"buoy": EYE}
        case["lines"] = {"l": line("a", "buoy.eye", 0.21)}
    if name == "buoy":
        case["environment"]["current"] = {"speed": 0.05}
    return case


@pytest.mark.parametrize("name", ["moored", "rubbed", "towed", "clump", "buoy", "slack buoy"])
@pytest.mark.parametrize("method", ["catenary", "shooting", "fem", "bars_statics", "relax"])
def test_equilibria_in_a_tank_are_those_at_sea(name, method):
    case, answers = tank(name), []
    for one in (case, scaled(case, AT_SEA)):
        try:
            answers.append(rw.statics(rw.System.model_validate(one), method))
        except (rw.InputError, rw.ConvergenceError):
            answers.append(None)
    small, large = answers
    assert (small is None) == (large is None)
    if small is None:
        assert method in ("catenary", "shooting")  # which do not claim, or have no shape for, some of them
        return
    force = large.state.end_force / AT_SEA**3
    allowed = allowed_difference(small, large, 1e-6)
    assert_allclose(small.state.end_force, force, rtol=0.0, atol=allowed * np.abs(force).max())
    assert {doubt.code for doubt in small.doubts} == {doubt.code for doubt in large.doubts}


def test_a_slack_line_of_many_bars_comes_to_rest_in_a_tank():
    """800 bars of 0.3 mm: steps of pseudo-time that are right at sea are too long for them."""
    case = tank("slack buoy")
    case["lines"]["l"]["elements"] = 800
    bars, elements = (rw.statics(rw.System.model_validate(case), method) for method in ("bars_statics", "fem"))
    force = elements.state.end_force
    allowed = allowed_difference(bars, elements, 1e-3)
    assert_allclose(bars.state.end_force, force, rtol=0.0, atol=allowed * np.abs(force).max())


def test_runs_in_a_tank_are_those_at_sea():
    """A fairlead that heaves by 1 cm: largest tensions to the tolerance of the steps."""
    case = tank("moored")
    heave = {"kind": "harmonic", "ramp": 0.5, "terms": [{"direction": [0, 0, 1], "amplitude": 0.01, "omega": 6.0}]}
    case["points"]["b"] |= {"joint": "moving", "motion": heave}
    case["lines"]["l"]["elements"] = 20
    case |= {"run": {"duration": 2.0}, "record": {"every": 0.05}}
    large = scaled(case, AT_SEA)
    pace = AT_SEA**0.5
    term = {"direction": [0, 0, 1], "amplitude": 0.01 * AT_SEA, "omega": 6.0 / pace}
    large["points"]["b"]["motion"] = {"kind": "harmonic", "ramp": 0.5 * pace, "terms": [term]}
    large |= {"run": {"duration": 2.0 * pace}, "record": {"every": 0.05 * pace}}
    runs = [rw.simulate(rw.System.model_validate(one), progress=False) for one in (case, large)]
    most = [run.end_tension.values.max(axis=0) for run in runs]
    assert_allclose(most[0], most[1] / AT_SEA**3, rtol=5e-3)


@pytest.mark.parametrize("method", ["fem", "bars_statics"])
def test_end_forces_in_a_tank_are_audited(method):
    """Half of the pull down at the fairlead, 0.2 m over the bed: within a metre of it a bed may carry the rest."""
    found = rw.statics(rw.System.model_validate(tank("moored")), method)
    wrong = found.state.end_force.copy()
    wrong[0, 1, 2] *= 0.5
    lumped = QUADRATURE.get(method, "nodes")
    assert audit(found.model, found.state, 0.0, found.report.figures, lumped).passed
    assert not audit(found.model, found.state._replace(end_force=wrong), 0.0, found.report.figures, lumped).passed
