"""Methods side by side: shapes by arc length, the tolerance, what the audit rejects, and runs in time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from reference import between
from ropewalk.analysis.doubts import percent
from ropewalk.analysis.verify import difference, shape, verify
from ropewalk.analysis.verify_run import verify_run
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


@pytest.mark.parametrize("name", ["four_point", "chain", "high_order", "net_knots"])
def test_coarse_meshes_and_soft_beds_are_no_second_equilibrium(name):
    """Legs of 20 bars in a bed that gives way by 0.1 m, ten links, eight elements, a net without lines: one answer."""
    result = verify(Path(__file__).parents[2] / "examples" / f"{name}.yaml")
    assert result["agree"]
    assert sum(row["agrees"] is True for row in result["methods"]) >= 2
    assert "several-equilibria" not in {doubt["code"] for doubt in result["doubts"]}


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
    assert np.abs(shape(state, 0, at, np.zeros(0)) - exact).max() < 2e-3


def test_shapes_are_not_rounded_off_where_the_strain_jumps():
    """Two straight pieces, the second stretched tenfold, at the ends and inside by different nodes: one shape."""
    state = rw.statics(between(60.0, 25.0, 80.0, 1e6, 30.0), "fem").state
    places = np.array([0.0, 40.0, 41.0, 80.0])

    def of(s):
        position = np.zeros((len(s), 3))
        position[:, 0] = np.interp(s, [0.0, 40.0, 80.0], [0.0, 40.0, 440.0])
        return shape(state._replace(start=np.array([0, len(s)]), s=s, position=position), 0, places, np.array([40.0]))

    few, many = of(np.array([0.0, 20.0, 40.0, 60.0, 80.0])), of(np.linspace(0.0, 80.0, 81))
    # a cubic across the jump is off by a part of the element times the jump of strain, here metres
    assert np.abs(few - many).max() < 1e-9
    assert few[2, 0] == pytest.approx(50.0, abs=1e-9)


def test_differences_do_not_depend_on_the_heading_of_the_case(hanging):
    """End forces turned about z by 45 degrees: the largest component changes by 40 %, the largest force does not."""
    exact = rw.statics(hanging, "catenary")
    turn = np.array([[0.5**0.5, -(0.5**0.5), 0.0], [0.5**0.5, 0.5**0.5, 0.0], [0.0, 0.0, 1.0]])
    from ropewalk.analysis.verify import _largest

    assert _largest(exact.state.end_force @ turn.T) == pytest.approx(_largest(exact.state.end_force), rel=1e-14)
    assert verify(hanging)["largest_force"] == pytest.approx(np.linalg.norm(exact.state.end_force, axis=-1).max())


def test_a_tolerance_that_is_not_met_is_reported_unless_the_meshes_explain_it(hanging, monkeypatch):
    assert verify(hanging, 1e-12)["agree"]
    monkeypatch.setattr("ropewalk.analysis.verify._figure", lambda answer, name: 0.0)
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


def hung_net(**run) -> rw.System:
    """A panel of netting by its upper corners in a weak current, slightly off its equilibrium: it swings."""
    corners = [[0, -1, -2], [0, 1, -2], [0, 1, -4], [0, -1, -4]]
    twine = {"diameter": 0.003, "mass": 0.008, "axial_stiffness": "inextensible", "drag": {"normal": 1.2}}
    net = {"panel": {"kind": "rectangle", "corners": corners}, "section": "t", "bar_length": 0.03, "cells": [3, 3],
           "held": "upper", "lower_sinker": 2.0}  # fmt: skip
    return rw.System.model_validate(
        {
            "environment": {"seabed": {"kind": "none"}, "current": {"speed": 0.3}},
            "sections": {"t": twine},
            "nets": {"n": net},
            "run": {"duration": 2.0, "start": "as_given", **run},
            "record": {"every": 0.1},
        }
    )


def test_solvers_of_bars_agree_on_a_net():
    """Places of knots, forces and kinetic energy."""
    result = verify_run(hung_net())
    assert result["agree"] and result["compared"] >= 2
    apart = [row["position_difference"] for row in result["methods"] if row["status"] == "done"]
    assert 0.0 < max(apart) < 0.01  # m; they are compared, and solvers differ by their steps


def test_a_run_of_a_net_that_differs_is_reported(monkeypatch):
    """One solver gets a net with ten times the sinkers: its knots are elsewhere. Nets were never compared."""
    import ropewalk.analysis.run as runs

    honest = runs.simulate

    def other(system, solver, progress):
        if solver != "projection":
            return honest(system, solver=solver, progress=progress)
        heavier = system.nets["n"].replace(lower_sinker=20.0)
        return honest(system.replace(nets={"n": heavier}), solver=solver, progress=progress)

    monkeypatch.setattr(runs, "simulate", other)
    result = verify_run(hung_net())
    assert not result["agree"]
    assert [row["method"] for row in result["methods"] if row["agrees"] is False] == ["projection"]


def test_slack_lines_of_runs_are_compared_by_their_ends(hanging):
    """A rope twice as long as the way between its ends lies anyhow on a bed without friction."""
    case = hanging.model_dump(by_alias=True, exclude_unset=True)
    case["environment"] = {"depth": 10.0, "seabed": {"friction": 0.0}}
    case["sections"] = {"rope": {"diameter": 0.02, "mass": 2.0, "axial_stiffness": "inextensible"}}
    case["points"] = {"a": {"position": [0, 0, -10]}, "b": {"position": [20, 0, -4]}}
    line = {"from": "a", "to": "b", "elements": 20, "pieces": [{"section": "rope", "length": 45.0}]}
    case |= {"lines": {"l": line}, "run": {"duration": 0.5}, "record": {"every": 0.25}}
    result = verify_run(rw.System.model_validate(case))
    assert result["agree"] and result["compared"] >= 1
    assert "slack" in {doubt["code"] for doubt in result["doubts"]}


def test_slack_reference_does_not_divide_by_its_own_force(monkeypatch):
    """A rope on the bed with a loose end: no force by the closed form, a hundredth of a newton by elements."""
    from ropewalk.analysis import verify as module

    case = {
        "environment": {"depth": 50},
        "sections": {"r": {"catalogue": "nylon", "diameter": 0.02}},
        "points": {"a": {"position": (0, 0, -50)}, "b": {"position": (0, 0, 0), "joint": "free"}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "r", "length": 40}]}},
    }
    monkeypatch.setattr(module, "static_methods", lambda: ("catenary", "fem"))
    result = verify(rw.System.model_validate(case))
    assert result["largest_force"] == 0.0
    # a difference of two end forces is at most twice the larger
    assert all(0.0 <= doubt["value"] <= 2.0 for doubt in result["doubts"])


@pytest.mark.parametrize(("share", "text"), [(1.1, "110 %"), (0.4418, "44 %"), (0.0132, "1.3 %"), (12.3, "1200 %")])
def test_percentages_have_two_digits_and_no_powers_of_ten(share, text):
    assert percent(share) == text


def test_one_solver_alone_is_nothing_to_compare(tmp_path):
    """The command says so; a table of one row of zeros looked like agreement."""
    import json

    from typer.testing import CliRunner

    from ropewalk.cli.main import app

    case = hung_net().model_dump(by_alias=True, exclude_unset=True, mode="json")
    case["sections"]["t"]["axial_stiffness"] = 1e4  # which one solver of bars has
    (tmp_path / "net.yaml").write_text(json.dumps(case))
    done = CliRunner().invoke(app, ["verify", str(tmp_path / "net.yaml"), "--run"])
    assert done.exit_code == 0, done.output
    assert "nothing to compare" in done.output


HELD = {"axes": {"x": {"force": 50.0}, "y": "held", "z": "held"}, "frame": [[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]]}


@pytest.mark.parametrize("joint", ["fixed", HELD, {"axes": {"x": {"spring": 500.0}, "y": "held", "z": "held"}}, "free"])
def test_forces_on_supports_are_what_is_left_of_the_balance(joint):
    """Line, weight, buoyancy and given force at a point, without what its joint leaves free; by every method."""
    top = {"position": [20, 5, 0], "mass": 100, "volume": 0.05 if joint != "free" else 0.3, "force": [10, 20, 30]}
    case = rw.System.model_validate({
        "environment": {"depth": 30, "gravity": 9.81, "water_density": 1025},
        "sections": {"rope": {"diameter": 0.05, "mass": 5.0, "axial_stiffness": 1e7}},
        "points": {"a": {"position": [0, 0, -30]}, "top": {**top, "joint": joint}},
        "lines": {"l": {"from": "a", "to": "top", "pieces": [{"section": "rope", "length": 40}]}},
    })  # fmt: skip
    result = verify(case)
    assert result["agree"]
    assert len([row for row in result["methods"] if row["agrees"]]) >= 3
    for method in ("catenary", "shooting", "fem", "bars_statics"):
        equilibrium = rw.statics(case, method)
        state, points = equilibrium.state, equilibrium.model.points
        lift = 1025.0 * 9.81 * (0.5 * top["volume"] if state.point_position[1, 2] == 0.0 else 0.0)
        whole = state.end_force[0, 1] + [10.0, 20.0, 30.0 - 981.0 + lift]
        held = points.joint[1] != 1
        if state.point_position[1, 2] == 0.0:  # elsewhere the sphere at the surface has its own closed form
            assert_allclose(
                points.frame[1] @ state.point_force[1], np.where(held, points.frame[1] @ whole, 0.0), atol=1e-6
            )
        else:
            assert_allclose(state.point_force[1], 0.0, atol=1e-6)


def test_attitudes_that_differ_are_a_difference(monkeypatch):
    """A buoy that `fem` turns by a degree about what nothing holds is the same; a heel of a degree is not."""
    from dataclasses import replace

    import ropewalk.analysis.verify as module
    from ropewalk.numerics.rotations import quaternion_exp, quaternion_product

    case = rw.System.model_validate({
        "environment": {"depth": 30, "gravity": 9.81, "water_density": 1025},
        "sections": {"rope": {"diameter": 0.05, "mass": 5.0, "axial_stiffness": 1e7}},
        "points": {"a": {"position": [0, 0, -30]}},
        "bodies": {"buoy": {"mass": 400, "inertia": [90] * 3, "position": [20, 0, 0], "centre_of_mass": [0, 0, -0.3],
                            "hull": {"kind": "sphere", "radius": 0.7}, "attachments": {"eye": [0, 0, -0.7]}}},
        "lines": {"l": {"from": "a", "to": "buoy.eye", "pieces": [{"section": "rope", "length": 40}]}},
    })  # fmt: skip
    plain = module.statics

    def turned(axis):
        def solve(system, name):
            found = plain(system, name)
            if name != "fem":
                return found
            turn = quaternion_exp(np.radians(1.0) * np.array(axis))
            here = np.array([quaternion_product(found.state.body_quaternion[0], turn)])
            return replace(found, state=found.state._replace(body_quaternion=here))

        return solve

    for axis, agrees, angle in (([0.0, 0.0, 1.0], True, 0.0), ([1.0, 0.0, 0.0], False, 1.0)):
        monkeypatch.setattr(module, "statics", turned(axis))
        (row,) = (each for each in verify(case)["methods"] if each["method"] == "fem")
        assert row["agrees"] is agrees
        assert row["attitude_difference"] == pytest.approx(angle, abs=1e-3)


def laid(friction: float) -> rw.System:
    """A chain of which a third lies on the bed in the sense of its pull."""
    return rw.System.model_validate({
        "environment": {"depth": 50, "seabed": {"friction": friction}},
        "sections": {"chain": {"catalogue": "studless_chain", "diameter": 0.05}},
        "points": {"a": {"position": [0, 0, -50]}, "b": {"position": [160, 0, 0]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 180}]}},
    })  # fmt: skip


@pytest.mark.parametrize("share, agrees", [(1.0, None), (1.05, False)])
def test_methods_without_friction_are_held_to_the_reference_without_it(share, agrees, monkeypatch):
    """`fem` leaves friction out here, which changes the force at the anchor by a fifth; its own errors still count."""
    from dataclasses import replace

    import ropewalk.analysis.verify as module

    plain = module.statics

    def without(system, name):
        if name != "fem":
            return plain(system, name)
        seabed = system.environment.seabed.replace(pulled=False)
        found = plain(system.replace(environment=system.environment.replace(seabed=seabed)), name)
        state = found.state._replace(end_force=share * found.state.end_force)
        report = replace(found.report, message="bed friction is left out: no equilibrium was found with it")
        return replace(found, state=state, report=report)

    monkeypatch.setattr(module, "statics", without)
    result = verify(laid(0.5))
    (row,) = (row for row in result["methods"] if row["method"] == "fem")
    assert row["force_difference"] > 0.02 * result["largest_force"]
    assert row["agrees"] is agrees
    assert result["agree"] == (agrees is None)


def test_doubts_are_listed_with_the_methods_that_have_them():
    """The rigid bed of the closed form, the friction of all."""
    result = verify(laid(0.5))
    of = {doubt["code"]: doubt["methods"] for doubt in result["doubts"]}
    assert {"catenary", "fem", "bars_statics"} <= set(of["friction"])
    assert all(name in {row["method"] for row in result["methods"]} for names in of.values() for name in names)


def test_balls_may_be_turned_about_what_holds_them():
    """A sphere held by an eye at its side, its mass in its middle: `bars_statics` turned it 6 degrees further."""
    case = rw.System.model_validate({
        "environment": {"depth": 40, "current": {"speed": 0.5, "heading": 30}},
        "sections": {"rope": {"diameter": 0.03, "mass": 1.0, "axial_stiffness": 1e6}},
        "points": {"a": {"position": [0, 0, -40]}},
        "bodies": {"buoy": {"mass": 300, "inertia": [60] * 3, "position": [1, 0, -8],
                            "hull": {"kind": "sphere", "radius": 0.6}, "attachments": {"eye": [0.6, 0, 0]}}},
        "lines": {"l": {"from": "a", "to": "buoy.eye", "pieces": [{"section": "rope", "length": 30}]}},
    })  # fmt: skip
    result = verify(case)
    assert sum(row["agrees"] is True for row in result["methods"]) >= 2
    assert result["agree"]


def test_the_bed_under_a_free_point_is_no_support():
    """A clump of 2 t on the bed: `catenary` gave 12 kN on a support that it does not have."""
    case = rw.System.model_validate({
        "environment": {"depth": 30, "gravity": 9.81, "water_density": 1025, "seabed": {"stiffness": 1e6}},
        "sections": {"chain": {"diameter": 0.05, "mass": 40.0, "axial_stiffness": 1e8}},
        "points": {"a": {"position": [-50, 0, -30]}, "top": {"position": [40, 0, 0]},
                   "clump": {"position": [0, 0, -30], "joint": "free", "mass": 2000, "volume": 0.2}},
        "lines": {"l": {"from": "a", "to": "clump", "pieces": [{"section": "chain", "length": 50}]},
                  "m": {"from": "clump", "to": "top", "pieces": [{"section": "chain", "length": 55}]}},
    })  # fmt: skip
    assert_allclose(rw.statics(case, "catenary").state.point_force[2], 0.0, atol=1e-6)
    result = verify(case)
    assert result["agree"]
    assert sum(row["agrees"] is True for row in result["methods"]) >= 3


def test_error_of_a_slack_line_allows_none_of_a_taut_one(monkeypatch):
    """The mesh error of a line of 4 N beside one of kN is large by its own force and small by the largest."""
    from dataclasses import replace

    import ropewalk.analysis.verify as module

    plain = module.statics

    def wrong(system, name):
        found = plain(system, name)
        if name != "bars_statics":
            return found
        figures = {**found.report.figures, "discretisation_error": 1.3, "force_error": 1.3e-3}
        state = found.state._replace(end_force=1.05 * found.state.end_force)
        return replace(found, state=state, report=replace(found.report, figures=figures))

    monkeypatch.setattr(module, "statics", wrong)
    result = verify(laid(0.0))
    (row,) = (row for row in result["methods"] if row["method"] == "bars_statics")
    assert row["agrees"] is False
    assert not result["agree"]
