"""The audit finds what is not where, or as, the case file holds it: points and bodies, by both of its ways."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.analysis.audit import CONTINUOUS, audit
from ropewalk.analysis.audit_quick import NODES, quick_findings
from ropewalk.model.model import build
from ropewalk.spec.system import System

TENDON = {"diameter": 0.2, "mass": 100.0, "axial_stiffness": 2e9}
CHAIN = {"diameter": 0.1, "mass": 100.0, "axial_stiffness": 4e8}
TABLE = {"kind": "table", "time": [0, 1]}
TURN = {
    "joint": "fixed",
    "attachments": {"eye": [2.0, 0, 0]},
    "position": [0, 0, -5],
    "mass": 1e3,
    "inertia": [1e3, 1e3, 1e3],
}
METHODS = [("catenary", CONTINUOUS), ("shooting", CONTINUOUS), ("fem", NODES)]


def tendon_and_chain() -> System:
    """A stiff tendon of 10 m beside a chain of 4000 m."""
    return System.model_validate({
        "environment": {"depth": 1500},
        "sections": {"tendon": TENDON, "chain": CHAIN},
        "points": {"a": {"position": [0, 0, -20]}, "top": {"position": [0, 0, -10]},
                   "c": {"position": [0, 0, -1500]}, "d": {"position": [3600, 0, 0]}},
        "lines": {"tendon": {"from": "a", "to": "top", "pieces": [{"section": "tendon", "length": 9.99}]},
                  "chain": {"from": "c", "to": "d", "pieces": [{"section": "chain", "length": 4000}]}},
    })  # fmt: skip


def turned(**more) -> System:
    """A chain that hangs between an arm of a held body and a point.  more : of the body"""
    return System.model_validate({
        "environment": {"depth": 60},
        "sections": {"chain": CHAIN},
        "points": {"b": {"position": [40, 0, -5]}},
        "bodies": {"arm": TURN | more},
        "lines": {"m": {"from": "arm.eye", "to": "b", "pieces": [{"section": "chain", "length": 45}]}},
    })  # fmt: skip


def judged(rest, system, quadrature: str):
    """The audit of an equilibrium as if it were that of another case, and whether the short way decides."""
    model = build(system)
    quick = quick_findings(model, rest.state, 0.0, quadrature)
    return audit(model, rest.state, 0.0, rest.report.figures, quadrature), quick.is_whole


@pytest.mark.parametrize(("method", "quadrature"), METHODS)
def test_places_of_points_are_those_of_the_file(method, quadrature):
    """4 mm at the top of the tendon change its tension by 40 %, but are 1e-6 of the chain."""
    system = tendon_and_chain()
    rest = rw.statics(system, method)
    found, short = judged(rest, system, quadrature)
    assert found.passed and short
    for up in (3.9e-3, 1e-6):
        found, short = judged(rest, system.replace("points.top.position", [0, 0, -10 + up]), quadrature)
        assert not (found.passed or short)
        assert found.largest("position").part == "point 'top'"


@pytest.mark.parametrize(
    "more",
    [
        {"attitude": [0, 30, 90]},
        {"attitude": [0, 1e-5, 0]},
        {"position": [0, 0, -5.000001]},
        {"joint": "moving", "motion": {**TABLE, "displacement": [[0, 0, 1e-6]] * 2}},
        {"joint": "moving", "motion": {**TABLE, "displacement": [[0, 0, 0]] * 2, "rotation": [[0, 1e-4, 0]] * 2}},
    ],
)
@pytest.mark.parametrize(("method", "quadrature"), METHODS)
def test_attitudes_of_held_bodies_are_those_of_the_file(method, quadrature, more):
    """The answer for an upright body, audited with another attitude or place, given or by a motion, and its own one."""
    rest = rw.statics(turned(), method)
    found, short = judged(rest, turned(), quadrature)
    assert found.passed and short
    found, short = judged(rest, turned(**more), quadrature)
    assert not (found.passed or short)
    assert "body 'arm'" in {one.part for one in found.found if one.share > 1.0}
    own = rw.statics(turned(**more), method)
    assert own.audit.passed
    assert own.audit.largest("position").value < 1e-12


def test_motions_turn_a_body_after_its_attitude():
    """By 90 degrees about z of the world, after 90 degrees about y of the file: the arm points down."""
    quarter = [[0, 0, 90.0]] * 2
    given = turned(attitude=[0, 90, 0], joint="moving", motion={**TABLE, "displacement": [[0, 0, 0]] * 2,
                                                                 "rotation": quarter})  # fmt: skip
    rest = rw.statics(given, "catenary")
    assert rest.audit.passed
    # the arm of 2 m below the body, whichever way it is turned about the vertical
    assert rest.state.position[0] == pytest.approx(np.array([0, 0, -7.0]), abs=1e-12)


def test_elements_turn_moved_bodies_once():
    """A turn of 30 degrees at the start; elements began from the attitude of the equilibrium and turned it again."""
    turn = {**TABLE, "displacement": [[0, 0, 0]] * 2, "rotation": [[0, 30.0, 0]] * 2}
    system = turned(attitude=[10, 20, 30], joint="moving", motion=turn)
    rest = rw.statics(system, "catenary")
    assert rw.statics(system, "relax").audit.passed
    assert rw.statics(system, "fem", guess=rest).audit.passed
    run = rw.simulate(system.replace("run", {"duration": 0.1, "solver": "mixed_fem"}), progress=False)
    # of unit quaternions, to round-off
    assert np.abs(run["body_quaternion"].values[:, 0] - rest.state.body_quaternion[0]).max() < 1e-12
