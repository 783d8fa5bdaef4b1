"""Friction of the bed in equilibria: one law for every method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from reference import between
from ropewalk.analysis.check import remarks
from ropewalk.analysis.verify import allowed_difference
from ropewalk.assembly import pulled
from ropewalk.spec.system import System

MOORING: dict[str, Any] = {"dx": 560.0, "dz": 200.0, "length": 650.0, "weight": 1000.0, "depth": 200.0}


@pytest.mark.parametrize("method", ["fem", "bars_statics"])
@pytest.mark.parametrize(("stiffness", "friction"), [(1e9, 0.1), (1e9, 1.0), ("inextensible", 0.5), (1e6, 0.5)])
def test_tension_on_the_bed_falls_as_in_the_closed_form(stiffness: float | str, friction: float, method: str) -> None:
    """T = max(H - mu w x, 0) at x from the touchdown, [Jonkman2007]; the ends as by the catenary."""
    system = between(**MOORING, stiffness=stiffness, friction=friction, elements=100)
    exact, answer = rw.statics(system, "catenary").state, rw.statics(system, method)
    found, H = answer.state, -exact.end_force[0, 1, 0]
    assert answer.audit.passed and not answer.report.message
    # mesh and elastic bed at the touchdown, as without friction (161439 N for 161248 N at 1e9 N)
    assert_allclose(found.end_force, exact.end_force, atol=3e-3 * H)
    s = found.s
    lifted = MOORING["length"] - exact.grounded[0]  # m of line above the bed
    on_bed = s < s[-1] - lifted - 20.0  # away from the touchdown, which the elastic bed makes round
    fallen = np.maximum(H - friction * 1000.0 * (s[-1] - lifted - s), 0.0)
    # the corner where it reaches zero is rounded by an element: mu w 6.5 m / 4
    assert_allclose(found.tension[on_bed], fallen[on_bed], atol=3e-3 * H + friction * 1000.0 * 6.5 / 4.0)


@pytest.mark.parametrize("method", ["catenary", "shooting", "fem", "bars_statics"])
def test_lines_that_were_not_pulled_lie_without_friction(method: str) -> None:
    """`pulled: false` in equilibria is no friction."""
    data = between(**MOORING, stiffness=1e9, elements=40).model_dump(by_alias=True, exclude_unset=True)
    bed = {"friction": 0.5, "pulled": False}
    laid_out = {**data, "environment": {**data["environment"], "seabed": bed}}
    free, found = (rw.statics(System.model_validate(case), method).state for case in (data, laid_out))
    assert_allclose(found.end_force, free.end_force, rtol=1e-12)


def test_pulled_without_friction_is_remarked() -> None:
    """By `ropewalk check`."""
    data = between(**MOORING, stiffness=1e9).model_dump(by_alias=True, exclude_unset=True)
    data["environment"]["seabed"] = {"pulled": False}
    assert remarks(System.model_validate(data)) == ["environment.seabed.pulled has no effect on a bed without friction"]


def knotted() -> tuple[dict[str, Any], System]:
    """A line that is pulled along the bed, and the same of two parts joined by a free point on the bed."""
    whole = between(**MOORING, stiffness=1e9, friction=0.2, elements=100).model_dump(by_alias=True, exclude_unset=True)
    points = {**whole["points"], "knot": {"position": [195.0, 0.0, -200.0], "joint": "free"}}
    pieces = [[{"section": "line", "length": length}] for length in (195.0, 455.0)]
    lines = {"a": {"from": "A", "to": "knot", "elements": 30, "pieces": pieces[0]},
             "b": {"from": "knot", "to": "B", "elements": 70, "pieces": pieces[1]}}  # fmt: skip
    return whole, System.model_validate({**whole, "points": points, "lines": lines})


@pytest.mark.parametrize("method", ["fem", "bars_statics"])
def test_pull_is_passed_on_at_a_free_point_on_the_bed(method: str) -> None:
    """Two lines joined on the bed are pulled like one."""
    whole, parts = knotted()
    one = rw.statics(System.model_validate(whole), method).state
    two = rw.statics(parts, method).state
    # iterations stop at 1e-9 of the forces or below; the slip of the knot's own two nodes adds nothing
    assert_allclose(two.end_force[0, 0], one.end_force[0, 0], rtol=1e-6)
    assert_allclose(two.end_force[1, 1], one.end_force[0, 1], rtol=1e-6)


@pytest.mark.parametrize("method", ["fem", "bars_statics"])
def test_friction_that_takes_a_free_point_far_is_left_out(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The knot goes back by the stretch that friction saves its line, some mm: far, if the limit is 0.05 mm."""
    _, parts = knotted()
    free = rw.statics(parts.replace(environment=parts.environment.replace(seabed={"friction": 0.0})), method).state
    found = rw.statics(parts, method)
    moved = float(np.abs(found.state.point_position - free.point_position).max())
    assert 1e-3 < moved < 0.1 and not found.report.message
    monkeypatch.setattr(pulled, "FARTHEST", 1e-7)
    given_up = rw.statics(parts, method)
    assert "bed friction is left out" in given_up.report.message
    assert_allclose(given_up.state.point_position, free.point_position, atol=1e-5)


@pytest.mark.parametrize("method", ["fem", "relax", "bars_statics"])
def test_slack_line_across_a_current_keeps_no_bow(method: str) -> None:
    """Chain nearly as long as straight down and along the bed, in 1.4 m/s: its end force is that of `shooting`.

    The bow of the frictionless start is 240 m; 60 m of it that were left made 4 % of the end force.
    """
    system = System.model_validate({
        "ropewalk": 1,
        "environment": {"depth": 466, "current": {"speed": 1.38, "heading": 307}, "seabed": {"friction": 0.5}},
        "sections": {"c": {"catalogue": "studless_chain", "diameter": 0.1}},
        "points": {"a": {"position": [1139, 0, -466]}, "f": {"position": [0, 0, -1]}},
        "lines": {"l": {"from": "a", "to": "f", "pieces": [{"section": "c", "length": 1585}]}},
    })  # fmt: skip
    exact, found = rw.statics(system, "shooting"), rw.statics(system, method)
    assert not found.report.message
    force = exact.state.end_force[0, 1]
    apart = float(np.linalg.norm(found.state.end_force[0, 1] - force) / np.linalg.norm(force))
    assert apart < allowed_difference(exact, found, 1e-3) < 0.02


def between_two_points(first: int) -> list[pulled.Stretch]:
    """Stretches of three lines on the bed: each outer one is pulled where it lifts off and ends in a free point.

    first : 0 or 1, which way round the line between the two free points is; 2 and 3 the same after the others
    """
    lines = [(0, 1), (1, 2), (3, 2)]  # junctions; 0 and 3 are off the bed, 1 and 2 are free on it
    middle = (1, 2) if first % 2 == 0 else (2, 1)
    lines = [lines[0], middle, lines[2]] if first < 2 else [middle, lines[2], lines[0]]
    chains = pulled.Chains(
        np.arange(0, 31, 10), np.arange(0, 28, 9), np.array(lines), np.array([False, True, True, False])
    )
    pressed = np.ones(30)
    for line, ends in enumerate(lines):
        if 0 in ends or 3 in ends:
            pressed[10 * line : 10 * line + 4] = 0.0  # its first nodes hang
    on_bed = np.array([[j in (1, 2) for j in ends] for ends in lines])
    lain = pulled.Lain(0.5, np.ones(27), pressed, np.zeros(30, dtype=bool), on_bed)
    return pulled._stretches(chains, lain)


@pytest.mark.parametrize("first", [0, 1, 2, 3])
def test_line_between_two_points_that_are_pulled_is_pulled_from_both(first: int) -> None:
    """Whatever its place in the file, and whichever end is A."""
    pulls = [stretch.pulled for stretch in between_two_points(first)]
    assert pulls.count((True, True)) == 1 and pulls.count((True, False)) == 2


@pytest.mark.parametrize("method", ["fem", "bars_statics"])
def test_doubt_of_friction_states_what_it_changes(method: str) -> None:
    """The difference to the answer with `pulled: false`, over the largest end force."""
    system = between(**MOORING, stiffness=1e9, friction=0.5, elements=40)
    bed = {"friction": 0.5, "pulled": False, "stiffness": system.environment.seabed.stiffness}
    found = rw.statics(system, method)
    free = rw.statics(system.replace(environment=system.environment.replace(seabed=bed)), method)
    change = np.linalg.norm(found.state.end_force - free.state.end_force, axis=2).max()
    share = change / np.linalg.norm(found.state.end_force, axis=2).max()
    assert share > 0.4  # the anchor has no force left
    assert_allclose(found.report.figures["friction_change"], share, rtol=1e-6)
    assert any("without friction the end forces differ by up to" in doubt.sentence for doubt in found.doubts)
