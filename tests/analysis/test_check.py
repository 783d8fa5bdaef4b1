"""Remarks on cases that are right but look wrong, and solvers that a case names in vain."""

from __future__ import annotations

from typing import Any

import pytest

from ropewalk.analysis.check import doubts, refuse_unsolvable, remarks
from ropewalk.errors import InputError
from ropewalk.model.model import build
from ropewalk.spec.system import System

CASE: dict[str, Any] = {
    "environment": {"depth": 100},
    "sections": {"chain": {"drag": 0, "added_mass": 0, "diameter": 0.1, "mass": 140, "axial_stiffness": 6e8}},
    "points": {"a": {"position": [0, 0, -100]}, "b": {"position": [400, 0, -6]}},
    "lines": {"m": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 450}]}},
}


def case(**changes: Any) -> System:
    """The mooring line, with keys replaced."""
    return System.model_validate({**CASE, **changes})


RIGID = {"chain": {**CASE["sections"]["chain"], "axial_stiffness": "inextensible"}}


def start(**parts: Any) -> dict[str, Any]:
    """A run that begins so."""
    return {"duration": 5, "start": parts}


def test_a_plain_mooring_raises_no_doubt():
    assert doubts(case(run={"duration": 60})) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"environment": {"depth": 100, "water_density": 1.025}},
            "water_density 1.025 kg/m3 is not plausible for water",
        ),
        ({"points": {**CASE["points"], "a": {"position": [0, 0, -150]}}}, "50 m below the seabed"),
        ({"points": {**CASE["points"], "b": {"position": [600, 0, -6]}}}, "stretched from 450 m to 607.319 m"),
        ({"run": {"duration": 5}, "record": {"every": 50}}, "only the first record will be kept"),
        ({"run": {"duration": 5000}, "record": {"every": 1e-6}}, "5e+09 records"),
    ],
)
def test_doubts(changes, sentence):
    """One sentence with the number that is odd."""
    found = doubts(case(**changes))
    assert len(found) == 1
    assert sentence in found[0]


@pytest.mark.parametrize(
    ("depth", "period", "highest"),
    [(None, 4.0, 0.142 * 9.80665 * 4.0**2 / 6.283185307179586), (0.5, 50.0, 0.142 * 6.283185307179586 * 0.5)],
)
@pytest.mark.parametrize("kind", ["regular", "jonswap"])
def test_waves_that_would_have_broken(depth, period, highest, kind):
    """0.142 L tanh(k h): L = g T^2 / 2 pi in deep water, 0.142 x 2 pi h in shallow water (to (k h)^2 / 3 = 3e-4)."""

    def sea(height: float) -> System:
        size = {"height": height, "period": period} if kind == "regular" else {
            "significant_height": height, "peak_period": period, "components": 5}  # fmt: skip
        given = {"waves": {"kind": kind, **size}, "seabed": {"kind": "none"}}
        return case(environment=given if depth is None else {"depth": depth, **given})

    assert doubts(sea(0.995 * highest)) == []
    assert "above the breaking limit" in doubts(sea(1.005 * highest))[0]


def test_points_on_a_slope_are_measured_from_it():
    """A bed that falls by 1 in 10 along x is 40 m deeper at x = 400 m."""
    slope = {"depth": 100, "seabed": {"normal": [0.1, 0, 1]}}
    points = {"a": {"position": [400, 0, -140]}, "b": {"position": [0, 0, -6]}}
    assert doubts(case(environment=slope, points=points)) == []
    points["a"] = {"position": [400, 0, -141]}
    assert "1 m below the seabed" in doubts(case(environment=slope, points=points))[0]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"run": {"duration": 5, "solver": "mixedfem"}}, "no solver 'mixedfem'; did you mean 'mixed_fem'?"),
        ({"run": {"duration": 5, "solver": "recursive"}}, "'recursive' does not support linear elastic lines"),
        ({"statics": {"method": "mixed_fem"}}, "'mixed_fem' does not support statics"),
        ({"statics": {"method": "fem", "options": {"order": [2, 1]}}}, "not a seabed; use order [1, 0]"),
        (
            {"run": {"duration": 5, "solver": "mixed_fem", "integrator": "leapfrog"}, "sections": RIGID},
            "is inextensible",
        ),
        ({"run": start(under={"points.c.force": [0, 0, 1]})}, "run.start.under: 'points.c.force': no 'c' in points"),
        ({"run": start(under={"environment.depth": -1})}, "run.start.under: environment.depth: must be greater than 0"),
        ({"run": start(under={"lines.m.pieces.0.length": 460})}, "line 'm' is 460 m long and 450 m in the run"),
        ({"run": start(under={"points.c": {"position": [0, 0, 0]}})}, "points differ from those of the run"),
        ({"run": start(under={"points.b.position": [390, 0, -6]})}, "'b' is held at [400.0, 0.0, -6.0] m in the run"),
        ({"run": start(points={"a": {"velocity": [1, 0, 0]}})}, "run.start.points.a: the point is held"),
        ({"statics": {"method": "bars_statics"}, "environment": {}}, None),
        ({"run": {"duration": 5, "solver": "catenary"}}, None),  # a history of equilibria
    ],
)
def test_solvers_that_do_not_do_the_case_are_refused(changes, sentence):
    """Before anything is computed."""
    system = case(**changes)
    if sentence is None:
        refuse_unsolvable(system, build(system))
        return
    with pytest.raises(InputError) as refusal:
        refuse_unsolvable(system, build(system))
    assert sentence in str(refusal.value)


def cylinder(x: float, axis: tuple[float, float, float] = (0, 0, 1)) -> dict[str, Any]:
    """A hull of radius 1 m and 4 m length."""
    return {"kind": "axisymmetric", "profile": [[-2, 1], [2, 1]], "position": [x, 0, 0], "axis": axis}


@pytest.mark.parametrize(
    ("hulls", "share"),
    [
        ([cylinder(0.0), cylinder(1.9)], True),  # axes outside each other, walls inside
        ([cylinder(0.0), cylinder(2.0)], False),  # they touch
        ([cylinder(0.0), cylinder(2.9, (1, 0, 0))], True),  # a pontoon that pokes into a column
        ([cylinder(0.0), cylinder(3.0, (1, 0, 0))], False),
        ([cylinder(0.0), {"kind": "sphere", "radius": 1.0, "centre": [1.5, 0, 0]}], True),
        ([cylinder(0.0), {"kind": "sphere", "radius": 1.0, "centre": [0, 0, 2.9]}], True),
        ([cylinder(0.0), {"kind": "sphere", "radius": 1.0, "centre": [0, 0, 3.01]}], False),
    ],
)
def test_hulls_that_share_water_are_named(hulls, share):
    """Two upright cylinders, a lying one, spheres beside and on top."""
    body = {"mass": 5000, "position": [0, 0, -1], "hulls": hulls}
    found = [text for text in remarks(System.model_validate({"bodies": {"raft": body}})) if "overlap" in text]
    assert bool(found) == share
