"""Lines on the bed: taut, slack, sagging onto it, with loads and buoyant parts; what cannot be done is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import fsolve

import ropewalk as rw
from ropewalk.methods.catenary.solver import Catenary
from ropewalk.methods.protocol import Report, Status
from ropewalk.methods.shooting.solver import Shooting
from ropewalk.model.model import build
from ropewalk.model.state import State, initial_state
from ropewalk.spec.system import System

G = 9.80665
CHAIN = {"diameter": 0.1, "mass": 20.0, "axial_stiffness": 1.0e8}
WET = (20.0 - 1025.0 * math.pi / 4 * 0.01) * G  # N/m, of that chain in water


def case(environment: dict[str, Any], section: dict[str, Any], a: list[float], b: list[float], **line: Any) -> Any:
    pieces = line.pop("pieces", None) or [{"section": "c", "length": line.pop("length")}]
    return {
        "environment": {"gravity": G, **environment},
        "sections": {"c": section, **line.pop("sections", {})},
        "points": {"a": {"position": a}, "b": {"position": b}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": pieces, **line}},
    }


def solve(data: Any, solver: Any) -> tuple[Report, State | None]:
    model = build(System.model_validate(data))
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 0.0)
    return report, solver.read(model, work) if report.good else None


def top(data: Any, solver: Any) -> float:
    """Tension (N) at end B of the one line."""
    report, state = solve(data, solver)
    assert report.good, report.message
    assert state is not None
    return float(np.linalg.norm(state.end_force[0, 1]))


@pytest.mark.parametrize("solver", [Catenary(), Shooting()], ids=["catenary", "shooting"])
@pytest.mark.parametrize("contact", [0.0, 0.2, 1.0])
def test_tendon_keeps_its_stretch_whatever_its_contact_diameter(solver, contact):
    """T_top = EA (h - L)/L + w L/2 to first order in the strain: no part of a line that rises is on the bed."""
    tendon = {"diameter": 0.2, "mass": 60.0, "axial_stiffness": 1.5e9, "contact_diameter": contact}
    w = (60.0 - 1025.0 * math.pi / 4 * 0.04) * G
    data = case({"depth": 100}, tendon, [0, 0, -100], [0, 0, -10], length=89.9)
    # the strain is 1.1e-3, and second order of it 1.2e-6
    assert_allclose(top(data, solver), 1.5e9 * 0.1 / 89.9 + w * 89.9 / 2, rtol=2e-6)


@pytest.mark.parametrize("solver", [Catenary(), Shooting()], ids=["catenary", "shooting"])
def test_taut_line_from_the_bed_is_a_suspended_line(solver):
    """The equations of the suspended elastic line, solved here."""
    w, EA, L, x, z = 60.0, 1.0e8, 116.5, 60.0, 100.0
    wire = {
        "diameter": 0.05,
        "mass": w / G + 1025 * math.pi / 4 * 0.0025,
        "axial_stiffness": EA,
        "contact_diameter": 0.05,
    }

    def miss(u: Any) -> list[float]:
        H, V = u
        return [
            H / w * (math.asinh(V / H) - math.asinh((V - w * L) / H)) + H * L / EA - x,
            H / w * (math.hypot(1, V / H) - math.hypot(1, (V - w * L) / H))
            + (V**2 - (V - w * L) ** 2) / (2 * EA * w)
            - z,
        ]

    H, V = fsolve(miss, [5e4, 1e5], xtol=1e-13)
    data = case({"depth": 100}, wire, [0, 0, -100], [60, 0, 0], length=L)
    assert w * L < V  # it leaves its anchor upwards
    assert_allclose(top(data, solver), math.hypot(H, V), rtol=1e-8)


def test_leg_of_a_slack_line_carries_its_weight_alone():
    """Normal drag has no part along the line, so T grows by w per metre of height, whatever it is: T = w h."""
    flow = {"depth": 50, "current": {"speed": 0.2}}
    drawn = {**CHAIN, "drag": {"normal": 1.0}}
    sagging = case(flow, drawn, [0, 0, -30], [60, 0, -30], length=120)
    report, state = solve(sagging, Shooting())
    assert report.status is Status.SLACK
    # the leg stretches by 1.2e-5 of its length
    assert_allclose(np.linalg.norm(state.end_force[0], axis=1), WET * 20.0, rtol=3e-5)
    assert_allclose(state.grounded[0], 80.0, rtol=1e-3)
    assert state.position[:, 2].min() > -50.0 - 1e-9


def test_slack_mooring_with_its_fairlead_in_air():
    """T = w h with the weight in water up to the surface and in air above."""
    report, state = solve(case({"depth": 50}, CHAIN, [60, 0, -50], [0, 0, 3], length=115.0), Shooting())
    assert report.status is Status.SLACK
    # the leg stretches by 3e-5 of its length
    assert_allclose(np.linalg.norm(state.end_force[0, 1]), WET * 50 + 20.0 * G * 3, rtol=5e-5)
    assert_allclose(state.position[0], [60, 0, -50], atol=1e-8)
    assert_allclose(state.position[-1], [0, 0, 3], atol=1e-8)


BEDS = {
    "a clump at the touchdown": {"length": 120.0, "attachments": [{"s": 62.0, "mass": 300.0}]},
    "clumps on the bed and above": {
        "length": 120.0,
        "attachments": [{"s": 20.0, "mass": 90.0}, {"s": 100.0, "mass": 90.0}],
    },
    "a buoyant piece": {
        "sections": {"f": {"diameter": 0.15, "mass": 10.0, "axial_stiffness": 1.0e8}},
        "pieces": [{"section": k, "length": x} for k, x in (("c", 60.0), ("f", 15.0), ("c", 40.0))],
    },
}


@pytest.mark.parametrize("name", BEDS)
@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_line_with_loads_on_the_bed_agrees_with_the_closed_form(name, friction):
    data = case({"depth": 50, "seabed": {"friction": friction}}, CHAIN, [0, 0, -50], [90, 0, -5], **BEDS[name])
    (report, got), (closed, want) = solve(data, Shooting()), solve(data, Catenary())
    assert report.good, report.message
    assert closed.good, closed.message
    assert_allclose(got.end_force, want.end_force, atol=1e-8 * np.abs(want.end_force).max())
    assert_allclose(got.grounded, want.grounded, rtol=1e-8)


@pytest.mark.parametrize("length", [63.6, 64.0, 64.6, 66.0, 70.0])
def test_line_of_two_weights_that_sags_onto_the_bed_agrees_with_the_closed_form(length):
    """The contact is not where a uniform line would have it, and little more than a point at first."""
    light = {"diameter": 0.05, "mass": 4.0, "axial_stiffness": 1.0e8}
    pieces = [{"section": "c", "length": 24.0}, {"section": "f", "length": length - 24.0}]
    data = case({"depth": 50}, CHAIN, [0, 0, -45], [60, 0, -40], pieces=pieces, sections={"f": light})
    (report, got), (closed, want) = solve(data, Shooting()), solve(data, Catenary())
    assert report.good, report.message
    assert closed.good, closed.message
    assert_allclose(got.end_force, want.end_force, atol=1e-8 * np.abs(want.end_force).max())
    assert_allclose(got.grounded, want.grounded, atol=1e-7 * length)


def test_forces_at_nodes_are_those_beyond_the_loads():
    """Between nodes n grows by the weight, at a load by its own; on the bed it is the tension along it."""
    data = case({"depth": 50}, CHAIN, [0, 0, -50], [90, 0, -5], **BEDS["clumps on the bed and above"])
    for solver in (Shooting(), Catenary()):
        _, state = solve(data, solver)
        hangs = state.s >= 120.0 - state.s[-1] + state.grounded[0]
        s, n = state.s[hangs], state.node_force[hangs]
        load = 90.0 * G * (s >= 100.0 - 1e-9)
        assert_allclose(n[:, 2], WET * (s - s[0]) + load, rtol=1e-9, atol=1e-6)
        assert_allclose(state.node_force[~hangs][:, 2], 0.0, atol=1e-9)
        assert_allclose(n[-1], -state.end_force[0, 1], rtol=1e-12)


def test_what_lies_below_the_bed_is_refused():
    """A clump lowered on more rope than water is deep; a chain held below the bed; pieces of different thickness."""
    lowered = case({"depth": 50}, CHAIN, [0, 0, 0], [0, 0, -45], length=80)
    lowered["points"]["b"] |= {"joint": "free", "mass": 500}
    report, _ = solve(lowered, Shooting())
    assert report.status is Status.UNSUPPORTED
    assert "point 'b' would come to rest 30" in report.message

    buried = case({"depth": 50}, CHAIN, [0, 0, -52], [90, 0, 0], length=120)
    for solver in (Shooting(), Catenary()):
        report, _ = solve(buried, solver)
        assert report.status is Status.UNSUPPORTED
        assert "held 2 m below the seabed" in report.message

    thick = {"sections": {"t": {**CHAIN, "contact_diameter": 0.3}}}
    pieces = [{"section": "t", "length": 20.0}, {"section": "c", "length": 100.0}]
    uneven = case({"depth": 50}, CHAIN, [0, 0, -50], [90, 0, 0], pieces=pieces, **thick)
    for solver in (Shooting(), Catenary()):
        report, _ = solve(uneven, solver)
        assert report.status is Status.UNSUPPORTED
        assert "contact diameters 0 to 0.3 m" in report.message


def test_float_on_a_line_on_the_bed_is_not_held_down():
    """A float of 2 kN on a chain that drag draws along the bed: it rises with the line, or the case is refused."""
    drawn = {**CHAIN, "drag": {"normal": 1.2, "tangential": 0.05}}
    flow = {"depth": 50, "current": {"speed": 0.3, "heading": 50}}
    lifted = [{"s": 60.0, "mass": 20, "volume": 0.22}]
    data = case(flow, drawn, [0, 0, -50], [150, 0, -5], length=170.0, attachments=lifted)
    report, state = solve(data, Shooting())
    if report.good:
        k = int(np.argmin(np.abs(state.s - 60.0)))
        assert state.position[k, 2] > -50.0 + 1e-3
    else:
        assert report.status in (Status.UNSUPPORTED, Status.NOT_CONVERGED)


def test_hump_out_of_the_water_between_steps_is_seen():
    """A buoyant line that would come up between its ends is not taken as under water there."""
    light = {"diameter": 0.042, "mass": 1.0, "axial_stiffness": "inextensible"}
    data = case({"depth": 74.2}, light, [0, 0, -74.2], [161, 0, 0], length=182.3)
    report, state = solve(data, Shooting())
    assert not report.good or state.position[:, 2].max() <= 1e-6


def test_tensions_of_a_line_that_sags_onto_a_rough_bed_meet_between_its_ends():
    """Friction takes from both sides alike: from equal tensions where it lifts off to the middle of what lies."""
    rough = {"depth": 20, "seabed": {"friction": 0.3}}
    data = case(rough, CHAIN, [0, 0, -4], [70, 0, -12], length=80.0)
    report, state = solve(data, Shooting())
    assert report.good, report.message
    on_bed = np.flatnonzero(np.abs(state.position[:, 2] + 20.0) < 1e-6)
    s, tension = state.s[on_bed], state.tension[on_bed]
    middle, half = 0.5 * (s[0] + s[-1]), 0.5 * (s[-1] - s[0])
    assert half > 5.0
    # the nodes at both lift-offs are among them; integration leaves 1e-10 of the tension
    expected = tension[0] - 0.3 * WET * (half - np.abs(s - middle))
    assert_allclose(tension, np.maximum(expected, 0.0), rtol=1e-6, atol=1e-6 * tension[0])


def test_friction_of_a_weight_at_the_lift_off_is_taken_off_the_tension():
    """The bed carries part of the weight, and that part holds back with its coefficient of friction."""
    rough = {"depth": 20, "seabed": {"friction": 0.3}}
    data = case(rough, CHAIN, [0, 0, -20], [60, 0, -4], length=63.3, attachments=[{"s": 20.0, "mass": 600.0}])
    report, state = solve(data, Shooting())
    assert report.good, report.message
    k = int(np.argmin(np.abs(state.s - 20.0)))
    up = state.node_force[k, 2]  # just beyond the weight; what it does not lift rests on the bed
    assert 0.0 < up < 600.0 * G
    held = 0.3 * (600.0 * G - up) + 0.3 * WET * 20.0
    pull = np.linalg.norm(state.node_force[k, :2])
    assert_allclose(np.linalg.norm(state.end_force[0, 0]), max(pull - held, 0.0), rtol=1e-6, atol=1e-3)
    assert pull > held


@pytest.mark.parametrize("method", ["shooting", "fem", "bars_statics"])
def test_a_line_stretched_on_a_rough_bed_was_pulled_from_both_ends(method):
    r"""Closed form: :math:`T = EA\,\varepsilon + \mu w L/4` at both ends, and as much less in the middle.

    Shooting gave the whole fall to one end (353 and 448 kN). The current makes it the method of choice; without normal
    drag it does nothing.
    """
    system = {
        "environment": {"depth": 100, "gravity": 9.81, "water_density": 1025, "current": {"speed": 0.1},
                        "seabed": {"friction": 0.2}},
        "sections": {"wire": {"diameter": 0.06, "mass": 19, "axial_stiffness": 4e8, "drag": {"normal": 0},
                              "contact_diameter": 0.3}},
        "points": {"a": {"position": [0, 0, -100]}, "b": {"position": [3000, 0, -100]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "wire", "length": 2997}]}},
    }  # fmt: skip
    answer = rw.statics(rw.System.model_validate(system), method)
    line = answer.line("l")
    weight = (19 - 1025 * np.pi / 4 * 0.06**2) * 9.81
    expected = 4e8 * 3 / 2997 + 0.2 * weight * 2997 / 4
    # friction acts on the unstretched length of a line stretched by 1e-3: its square
    assert line["end_a"]["tension"] == pytest.approx(expected, rel=1e-6)
    assert line["end_b"]["tension"] == pytest.approx(expected, rel=1e-6)
    # at the height of its axis: elements sink by w/(k b) into the bed
    sink = 0.0 if method == "shooting" else weight / (1e5 * 0.3)
    assert_allclose(answer.state.position[:, 2], -99.85 - sink, atol=1e-6)
