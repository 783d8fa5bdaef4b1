"""Arcs whose load depends on s alone: the quadrature is the Runge-Kutta step it stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.assembly.string import DRY, GROUNDED, WET
from ropewalk.methods.shooting.assembly import Result, evaluate, result_memory
from ropewalk.methods.shooting.quadrature import is_quadrature
from ropewalk.methods.shooting.solver import Shooting
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.numerics.rungekutta import DORMAND_PRINCE
from ropewalk.spec.system import System

NOTHING = 1.0e-290  # N/m, a pressure that no load feels (it is lost in the last place) but that is not zero


def hanging(top: float, section: dict[str, Any]) -> dict[str, Any]:
    """A line of two pieces with a clump between them, its upper end at the height `top`."""
    return {
        "environment": {"gravity": 9.81, "water_density": 1025},
        "sections": {
            "c": section,
            "d": {"drag": 0, "added_mass": 0, "diameter": 0.03, "mass": 4.0, "axial_stiffness": 1.0e6},
        },
        "points": {"a": {"position": [0, 0, -60]}, "b": {"position": [45, 10, top]}},
        "lines": {
            "l": {
                "from": "a",
                "to": "b",
                "pieces": [{"section": "c", "length": 50}, {"section": "d", "length": 30}],
                "attachments": [{"s": 35.0, "mass": 20.0}],
            }
        },
    }


CASES = {
    "under water": hanging(
        -20.0, {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 2.5, "axial_stiffness": 5.0e5}
    ),
    "through the surface": hanging(
        8.0, {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 2.5, "axial_stiffness": 5.0e5}
    ),
    "inextensible": hanging(
        -20.0, {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 2.5, "axial_stiffness": "inextensible"}
    ),
}


def evaluated(case: dict[str, Any], pressure: float) -> Result:
    """The start of a case, evaluated with a pressure on all spans."""
    model = build(System.model_validate(case))
    problem = Shooting().start(model, initial_state(model)).problem
    arcs = problem.arcs
    spans = arcs.spans.copy()
    spans.pressure[:, 0] = pressure
    out = result_memory(problem.x.size, arcs.line.size, problem.nodes.body.size, problem.rigid.body.size)
    evaluate(arcs._replace(spans=spans), problem.nodes, problem.rigid, model.sea, problem.x, problem.quaternions, 1e-12,
             DORMAND_PRINCE, True, out)  # fmt: skip
    return out


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_quadrature_is_the_step_of_the_pair(case):
    """[Hairer1993], sec. II.1: for y' = f(s) a Runge-Kutta step is a quadrature; end, derivatives and steps agree."""
    quick, usual = evaluated(case, 0.0), evaluated(case, NOTHING)
    # round-off of some 50 steps of 12 stages whose weights reach 43, compared with the largest entry of its kind
    for part in (slice(0, 3), slice(3, 6), slice(6, 42)):
        scale = np.abs(usual.end_state[:, part]).max()
        assert_allclose(quick.end_state[:, part], usual.end_state[:, part], atol=1e-12 * scale, rtol=0)
    assert_allclose(quick.log.steps, usual.log.steps, atol=0, rtol=0)
    scale = np.abs(usual.arc_blocks).max()
    assert_allclose(quick.arc_blocks, usual.arc_blocks, atol=1e-12 * scale, rtol=0)


def test_only_loads_of_s_alone_are_a_quadrature():
    """Pressure, drag in a current and the bed make the load depend on the state."""
    case = hanging(
        8.0, {"added_mass": 0, "diameter": 0.02, "mass": 2.5, "axial_stiffness": 5.0e5, "drag": {"normal": 1.2}}
    )
    case["environment"]["current"] = {"speed": 1.0}
    model = build(System.model_validate(case))
    span = Shooting().start(model, initial_state(model)).problem.arcs.spans[0].copy()
    still = model.sea._replace(current_speed=0.0)
    assert is_quadrature(span, DRY, model.sea)
    assert is_quadrature(span, WET, still)
    assert not is_quadrature(span, WET, model.sea)
    assert not is_quadrature(span, GROUNDED, still)
    span.pressure[1] = NOTHING
    assert not is_quadrature(span, DRY, still)
