"""Equilibrium by mixed elements against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mixed_cases import oc3, settle
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from ropewalk.analysis.statics import statics
from ropewalk.model.model import build
from ropewalk.spec.system import System

ROPE_500 = {"section": "rope", "length": 500}
ROPE_1000 = {"section": "rope", "length": 1000}
CROSS = {"normal": 1.2}


def hanging(elements: int, stiffness: float | str, start: str = "a", end: str = "b") -> System:
    """L 500 m, 200 N/m, ends 400 m apart and 200 m high: validation table of exact statics, third row."""
    return System.model_validate(
        {
            "environment": {"gravity": 10.0, "water_density": 0},
            "sections": {"rope": {"diameter": 0.05, "mass": 20.0, "axial_stiffness": stiffness}},
            "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [400, 0, 200]}},
            "lines": {"l": {"from": start, "to": end, "elements": elements, "pieces": [ROPE_500]}},
        }
    )


@pytest.mark.parametrize("stiffness", [7.51e12, "inextensible"])
def test_hanging_line_converges_to_the_catenary_at_second_order(stiffness: float | str) -> None:
    """H 43694.6046221 N, V_B 77634.4105458 N, V_A -22365.5894542 N of the elastic catenary."""
    exact = np.array([[43694.6046221, 0.0, -22365.5894542], [-43694.6046221, 0.0, -77634.4105458]])
    errors = []
    for n in (20, 40, 80):
        report, state = settle(build(hanging(n, stiffness)))
        assert report.good
        errors.append(np.abs(state.end_force[0] - exact).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert_allclose(orders, 2.0, atol=0.1)
    # 80 elements: second order from 1.3e-3 at 20
    assert errors[-1] < 1e-4 * 43694.6


def test_reactions_carry_the_whole_weight() -> None:
    """Sum of the end forces is the weight, to the tolerance of the balance: true reactions, no half element lost."""
    _, state = settle(build(hanging(7, 1e8)))
    assert_allclose(state.end_force[0].sum(axis=0), [0.0, 0.0, -20.0 * 500 * 10.0], atol=1e-4)


def test_swapping_the_ends_changes_nothing() -> None:
    """Symmetry of the walk along the line."""
    _, ab = settle(build(hanging(30, 1e8)))
    _, ba = settle(build(hanging(30, 1e8, "b", "a")))
    assert_allclose(ba.end_force[0], ab.end_force[0, ::-1], rtol=1e-9, atol=1e-4)
    assert_allclose(ba.position, ab.position[::-1], atol=1e-8)


def test_reference_mooring() -> None:
    """OC3-Hywind: H 736938.851 N, V 535727.850 N, grounded 134.785529 m (rigid bed)."""
    report, state = settle(oc3(200))
    assert report.good and report.iterations < 25
    # 200 elements: 2e-5 of second-order mesh error, 1e-6 m of bed under 700 N/m; touchdown within an element of 4.5 m
    assert_allclose(state.end_force[0, 1], [736938.851, 0.0, -535727.850], rtol=1e-4)
    assert abs(state.grounded[0] - 134.785529) < 4.6


def test_bar_and_polynomial_hang_as_integrated() -> None:
    """Vertical hang, T = EA(e + k e^2), L 1000, w 300, EA 5e7, tip load 2e5: stretch 7.0 (k 0), 6.194058 (k 20)."""
    for law, stretch in (
        (5e7, 7.0),
        ({"kind": "polynomial", "stiffness": 5e7, "coefficients": [20.0]}, 6.19405822964352),
    ):
        system = System.model_validate(
            {
                "environment": {"gravity": 10.0, "water_density": 0},
                "sections": {"rope": {"diameter": 0.05, "mass": 30.0, "axial_stiffness": law}},
                "points": {
                    "a": {"position": [0, 0, 0]},
                    "b": {"position": [0, 0, -1000], "joint": "free", "force": [0, 0, -2e5]},
                },
                "lines": {"l": {"from": "a", "to": "b", "elements": 40, "pieces": [ROPE_1000]}},
            }
        )
        report, state = settle(build(system))
        assert report.good, report.message
        # nodal tensions are exact, element means leave h^2: (300 N/m 25 m)^2/12 k/EA^2 of the strain
        assert_allclose(-state.point_position[1, 2] - 1000.0, stretch, rtol=2e-5)


def test_point_load_on_a_line() -> None:
    """w 50, EA 1e7, L 100, 2000 N down at s 50, ends level 80 m apart: H 2992.11600645298."""
    system = System.model_validate(
        {
            "environment": {"gravity": 10.0, "water_density": 0},
            "sections": {"rope": {"diameter": 0.05, "mass": 5.0, "axial_stiffness": 1e7}},
            "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [80, 0, 0]}},
            "lines": {
                "l": {
                    "from": "a",
                    "to": "b",
                    "elements": 100,
                    "pieces": [{"section": "rope", "length": 100}],
                    "attachments": [{"s": 50, "force": [0, 0, -2000]}],
                }
            },
        }
    )
    _, state = settle(build(system))
    # second order, 100 elements of a line with sag 25 m
    assert_allclose(state.end_force[0, 0, 0], 2992.11600645298, rtol=2e-5)


def test_neutral_line_in_a_current() -> None:
    """Neutral line below a buoy, normal drag: T 5000.590942, X 82.453361, Z 491.284202 (closed form)."""
    d = 0.02
    mass = 1025.0 * np.pi * d * d / 4.0
    system = System.model_validate(
        {
            "environment": {"gravity": 9.80665, "water_density": 1025, "current": {"speed": 0.5}},
            "sections": {
                "rope": {"added_mass": 0, "diameter": d, "mass": mass, "axial_stiffness": "inextensible", "drag": CROSS}
            },
            "points": {
                "a": {"position": [0, 0, -600]},
                "b": {"position": [50, 0, -100], "joint": "free", "force": [0, 0, 5000], "drag_area": 0.6},
            },
            "lines": {"l": {"from": "a", "to": "b", "elements": 100, "pieces": [ROPE_500]}},
        }
    )
    report, state = settle(build(system))
    assert report.good, report.message
    assert_allclose(state.point_position[1] - state.point_position[0], [82.453361, 0.0, 491.284202], atol=0.02)
    assert_allclose(state.tension[1:-1], 5000.590942, rtol=1e-4)


def test_free_point_of_three_lines_is_in_balance() -> None:
    """The lines pull the free point down by what lifts it."""
    angles = np.array([0.0, 2.0, -2.0]) * np.pi / 3.0
    anchors = {f"a{i}": {"position": [-25.0 * np.cos(p), -25.0 * np.sin(p), 0.0]} for i, p in enumerate(angles)}
    system = System.model_validate(
        {
            "environment": {"gravity": 9.81, "water_density": 0},
            "sections": {"rope": {"diameter": 0.02, "mass": 2.0, "axial_stiffness": 1e7}},
            "points": {**anchors, "b": {"position": [0, 0, 10], "joint": "free", "force": [0, 0, 4000]}},
            "lines": {
                f"l{i}": {
                    "from": f"a{i}",
                    "to": "b",
                    "elements": 20,
                    "pieces": [{"section": "rope", "length": 45.0 + 5.0 * i}],
                }
                for i in range(3)
            },
        }
    )
    report, state = settle(build(system))
    assert report.good, report.message
    assert_allclose(state.end_force[:, 1].sum(axis=0), [0.0, 0.0, -4000.0], atol=1e-5)


def test_failure_names_the_line_and_the_place() -> None:
    """An inextensible line that is too short has no equilibrium, and the message says where and how much."""
    system = hanging(10, "inextensible").model_dump(by_alias=True, exclude_unset=True)
    system["lines"]["l"]["pieces"][0]["length"] = 300.0
    report, _ = settle(build(System.model_validate(system)))
    assert not report.good
    assert "line 'l'" in report.message and "length error" in report.message


def whirling(force: Any) -> Any:
    """Where a rope of 3 m and 1 kg/m ends that leaves the origin with `force` (x, z), N; it turns at 20 rad/s."""

    def rates(_: float, y: Any) -> Any:
        z, n = y[1], y[2:]
        return [*(n / np.hypot(*n)), 0.0, -(20.0**2 * z - 9.81)]

    return solve_ivp(rates, (0.0, 3.0), [0.0, 0.0, *force], rtol=1e-10, atol=1e-12).y[:2, -1]


def test_a_whirling_rope_is_flung_out_and_as_long_as_it_is() -> None:
    """H 208 N of the outer branch, by integration along the rope from its end; others have 50 N and less."""
    exact = fsolve(lambda n: whirling(n) - [2.0, 0.0], [200.0, -400.0])
    assert exact[0] == pytest.approx(207.6, abs=0.1)
    load = {"kind": "rotating", "axis": [1, 0, 0], "rate": 20}
    system = System.model_validate(
        {
            "environment": {"gravity": 9.81, "water_density": 0, "seabed": {"kind": "none"}},
            "sections": {"c": {"diameter": 0.05, "mass": 1.0, "axial_stiffness": "inextensible"}},
            "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [2, 0, 0]}},
            "lines": {
                "l": {
                    "from": "a",
                    "to": "b",
                    "elements": 100,
                    "pieces": [{"section": "c", "length": 3.0}],
                    "loads": [load],
                }
            },
        }
    )
    report, state = settle(build(system))
    assert report.good
    assert_allclose(state.end_force[0, 0, [0, 2]], exact, rtol=5e-4)  # second order, 100 elements
    lengths = np.linalg.norm(np.diff(state.position, axis=0), axis=1)
    assert_allclose(lengths, 0.03, rtol=1e-9)


def test_a_light_line_floats_as_a_heavy_one_lies() -> None:
    """Upside down, the surface for the bed: ends 30 m below it, the closed form of the heavy line."""
    area, water = 0.25 * np.pi * 0.1**2, 1025.0

    def line(z: float, mass: float) -> System:
        return System.model_validate(
            {
                "environment": {"depth": 60.0},
                "sections": {"c": {"drag": 0, "added_mass": 0, "diameter": 0.1, "mass": mass, "axial_stiffness": 1e8}},
                "points": {"a": {"position": [0, 0, z]}, "b": {"position": [60, 0, z]}},
                "lines": {"l": {"from": "a", "to": "b", "elements": 200, "pieces": [{"section": "c", "length": 110}]}},
            }
        )

    weight = 3.0  # kg/m, either way
    exact = statics(line(-30.0, water * area + weight), "catenary").state.end_force[0, 0]
    state = statics(line(-30.0, water * area - weight), "fem").state
    # the line floats over its thickness of 0.1 m, 1 % of whose lift it needs
    assert_allclose(state.end_force[0, 0], exact * [1, 1, -1], atol=1e-2 * np.linalg.norm(exact))
    assert abs(state.position[100, 2]) < 0.1


def test_slack_threads_without_mass_hang_loose_in_air():
    """A slack line without weight carries nothing: the rest is as it is without it.

    Nothing but masses holds back the damped motion, and slack elements pushed where no weight made them soft.
    """
    case = {
        "environment": {"water_density": 0.0},
        "sections": {"thread": {"diameter": 0.001, "mass": 0.0, "axial_stiffness": 5.0e3},
                     "rope": {"diameter": 0.01, "mass": 0.5, "axial_stiffness": 5.0e5}},
        "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [4, 0, 0]},
                   "c": {"position": [2, 0, -1], "joint": "free", "mass": 3.0},
                   "d": {"position": [2, 1, -1], "joint": "free", "mass": 1.0}},
        "lines": {"l1": {"from": "a", "to": "c", "pieces": [{"section": "rope", "length": 2.5}]},
                  "l2": {"from": "c", "to": "b", "pieces": [{"section": "rope", "length": 2.5}]},
                  "l3": {"from": "c", "to": "d", "pieces": [{"section": "thread", "length": 2.5}]},
                  "l4": {"from": "d", "to": "b", "pieces": [{"section": "thread", "length": 4.5}]},
                  "l5": {"from": "a", "to": "d", "pieces": [{"section": "thread", "length": 14.5}]}},
    }  # fmt: skip
    found = statics(System.model_validate(case), "fem")
    # slack elements of threads push with 1e-9 of the weights at most
    assert found.line("l3")["end_b"]["tension"] == pytest.approx(9.80665, rel=1e-6)
    assert found.line("l4")["max_tension"] < 1e-6
    assert found.line("l5")["max_tension"] < 1e-6
    exact = statics(System.model_validate(case), "catenary")
    # the stated discretisation error is below 1e-6
    assert found.line("l1")["end_a"]["tension"] == pytest.approx(exact.line("l1")["end_a"]["tension"], rel=1e-6)
