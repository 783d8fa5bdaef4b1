"""Ends of lines held on the seabed: what the anchor feels, against the closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mixed_cases import settle
from numpy.testing import assert_allclose

from ropewalk.analysis.run import simulate
from ropewalk.analysis.statics import statics
from ropewalk.model.model import build
from ropewalk.spec.system import System


def mooring(span: float, anchor: str = "a", elements: int = 40, contact: float = 0.3) -> System:
    """A chain of 400 m in 100 m of water; it lies on the bed at 350 m and rises from its anchor at 386 m."""
    ends = {"from": "a", "to": "f"} if anchor == "a" else {"from": "f", "to": "a"}
    section = {
        "drag": 0,
        "added_mass": 0,
        "diameter": 0.16,
        "mass": 162.0,
        "axial_stiffness": 7e8,
        "contact_diameter": contact,
    }
    return System.model_validate(
        {
            "environment": {"depth": 100},
            "sections": {"chain": section},
            "points": {"a": {"position": [0, 0, -100]}, "f": {"position": [span, 0, 0]}},
            "lines": {"l": {**ends, "elements": elements, "pieces": [{"section": "chain", "length": 400}]}},
        }
    )


@pytest.mark.parametrize("anchor", ["a", "b"])
@pytest.mark.parametrize("contact", [0.0, 0.3])
def test_a_line_along_the_bed_does_not_lift_its_anchor(anchor: str, contact: float) -> None:
    """Rigid bed: the force at the anchor is horizontal. It must not depend on mesh, thickness or sinking."""
    report, state = settle(build(mooring(350.0, anchor, contact=contact)))
    assert report.good
    end = 0 if anchor == "a" else 1
    exact = statics(mooring(350.0, anchor, contact=contact), method="catenary").state
    # the bed pushes the last half element up with its weight of 7 kN, to round-off
    assert abs(state.end_force[0, end, 2]) < 1e-12 * np.linalg.norm(exact.end_force[0, end])
    # 0.6 %: 40 elements of 10 m and a bed that gives 4 cm, against a rigid one
    assert_allclose(state.end_force[0, end], exact.end_force[0, end], rtol=6e-3, atol=1e-6)
    assert_allclose(state.point_force[0], state.end_force[0, end], atol=1e-9)


def test_what_lifts_an_anchor_on_a_soft_bed_does_not_depend_on_the_mesh() -> None:
    """The bed carries the half element at the anchor, which would else pull it down by w h / 2, first order in h.

    The chain lies 2.2 m deep in a bed of 4 kPa/m and leaves it slowly: at its anchor it points up by one in fifty.
    """
    lifts = []
    for elements in (20, 80):
        case = mooring(382.0, elements=elements, contact=0.0).model_dump(by_alias=True, exclude_unset=True)
        case["environment"]["seabed"] = {"stiffness": 4e3}
        _, state = settle(build(System.model_validate(case)))
        lifts.append(state.end_force[0, 0, 2] / np.linalg.norm(state.end_force[0, 0]))
    assert lifts[1] > 5e-3
    half = 0.5 * 20.0 * (162.0 - 1025.0 * np.pi / 4.0 * 0.16**2) * 9.81 / np.linalg.norm(state.end_force[0, 0])
    assert abs(lifts[0] - lifts[1]) < 0.1 * half  # what remains is of second order, and the touchdown between two nodes


def test_a_line_that_rises_pulls_at_its_anchor_with_its_full_force() -> None:
    """Closed form of the hanging elastic line: 99.2 kN up, of which half an element's weight would be 7 kN."""
    clear = mooring(386.0).model_dump(by_alias=True, exclude_unset=True)
    clear["environment"] = {"depth": 101}
    exact = statics(System.model_validate(clear), method="catenary").state.end_force[0, 0]
    assert exact[2] > 9e4
    _, state = settle(build(mooring(386.0)))
    # 40 elements: second order, 1/24 of the square of the turn of an element
    assert_allclose(state.end_force[0, 0], exact, rtol=2e-3, atol=1e-6)


@pytest.mark.parametrize("contact", [0.0, 0.2])
def test_a_tendon_keeps_the_stretch_between_its_ends(contact: float) -> None:
    """T = EA (90 - 89.9)/89.9 and half its weight in water at the top: 1.681 MN."""
    section = {
        "drag": 0,
        "added_mass": 0,
        "diameter": 0.2,
        "mass": 60,
        "axial_stiffness": 1.5e9,
        "contact_diameter": contact,
    }
    data: dict[str, Any] = {
        "environment": {"depth": 100},
        "sections": {"tendon": section},
        "points": {"a": {"position": [0, 0, -100]}, "b": {"position": [0, 0, -10]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "tendon", "length": 89.9}]}},
    }
    weight = 89.9 * (60.0 - 1025.0 * np.pi * 0.01) * 9.80665
    middle = 1.5e9 * 0.1 / 89.9
    system = System.model_validate(data)
    for place in ("from", "to"):
        state = statics(system, "fem").state
        top = state.end_force[0, 1 if place == "from" else 0, 2]
        assert_allclose(-top, middle + 0.5 * weight, rtol=1e-5)  # 9.81 for 9.80665 m/s2 would be 5e-6
        data["lines"]["l"].update({"from": "b", "to": "a"})
        system = System.model_validate(data)
    # and in time it stays so
    run = simulate(system, 1.0)
    assert_allclose(-run.end_force.values.reshape(-1, 2, 3)[:, 0, 2], middle + 0.5 * weight, rtol=1e-5)


def test_a_taut_wire_from_the_bed_is_that_clear_of_it() -> None:
    """The closed form of the hanging line, 116.2 kN at the top, whatever the bed and the thickness."""
    data: dict[str, Any] = {
        "environment": {"depth": 100},
        "sections": {"wire": {"catalogue": "wire", "diameter": 0.05, "contact_diameter": 0.2}},
        "points": {"a": {"position": [0, 0, -100]}, "b": {"position": [60, 0, 0]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "wire", "length": 116.5}]}},
    }
    found = statics(System.model_validate(data), "fem").state.end_force
    exact = statics(System.model_validate({**data, "environment": {"depth": 105}}), "catenary").state.end_force
    assert_allclose(found, exact, rtol=1e-4, atol=1e-4)  # 50 elements of a line that is nearly straight


@pytest.mark.parametrize("anchor", ["a", "b"])
def test_element_tensions_stand_in_the_order_of_the_nodes(anchor: str) -> None:
    """T = EA (|d|/L - 1) of the element from each node to the next, from end A; 0 at end B."""
    state = statics(mooring(350.0, anchor), "fem").state
    L, span = np.diff(state.s), np.linalg.norm(np.diff(state.position, axis=0), axis=1)
    # round-off of positions of 400 m over elements of 10 m, times 7e8 N
    assert_allclose(state.element_tension[:-1], 7e8 * (span / L - 1.0), atol=0.1)
    assert state.element_tension[-1] == 0.0


@pytest.mark.parametrize("length", [40.5, 41.3, 41.5])
def test_the_bed_does_not_push_at_a_line_that_rises_from_its_anchor(length):
    """Elements beside an anchor on the bed, below the height of rest, come to the closed form with order 2.

    Shorter than the way in which the line rises by its contact radius, they were pushed up: 2 % of the largest force.
    """
    errors = []
    for elements in (50, 200, 400):
        case = {
            "ropewalk": 1,
            "environment": {"depth": 23.5, "seabed": {"stiffness": 5e5}},
            "sections": {"c": {"diameter": 0.036, "contact_diameter": 0.036, "mass": 3.7, "axial_stiffness": 2.8e5}},
            "points": {"a": {"position": [-33, 0, -23.5]}, "b": {"position": [0, 0, -0.6]}},
            "lines": {
                "l": {"from": "a", "to": "b", "elements": elements, "pieces": [{"section": "c", "length": length}]}
            },
        }
        system = System.model_validate(case)
        exact, found = (statics(system, method=method).state.end_force for method in ("catenary", "fem"))
        assert exact[0, 0, 2] > 0.0  # it rises
        errors.append(float(np.abs(found - exact).max() / np.abs(exact).max()))
    orders = np.log(np.array(errors[:-1]) / errors[1:]) / np.log([4.0, 2.0])
    assert np.all(orders > 1.9)
    assert errors[-1] < 5e-6


def test_what_sags_onto_the_bed_beyond_a_rising_part_rests_at_its_height():
    """A buoyant part rises from the anchor, a heavy one lies farther on; against shooting, on a hard bed.

    Where the bed bore too low, up to 150 m from the anchor, the end forces were 2.8e-4 off, beyond the stated error.
    """
    case = {
        "environment": {"depth": 60, "seabed": {"stiffness": 1e8}},
        "sections": {
            "up": {"diameter": 0.3, "contact_diameter": 0.3, "mass": 50, "axial_stiffness": 1e8},
            "down": {"diameter": 0.2, "contact_diameter": 0.2, "mass": 80, "axial_stiffness": 1e8},
        },
        "points": {"a": {"position": [0, 0, -60]}, "b": {"position": [330, 0, -5]}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 400, "pieces": [{"section": "up", "length": 60},
                                                                            {"section": "down", "length": 320}]}},
    }  # fmt: skip
    system = System.model_validate(case)
    exact, found = statics(system, "shooting").state.end_force, statics(system, "fem")
    off = float(np.abs(found.state.end_force - exact).max() / np.abs(exact).max())
    assert off < found.report.figures["discretisation_error"] < 1e-4
