"""What a case itself makes doubtful: units, nets, laws, coefficients that nobody gave."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ropewalk.analysis.case_doubts import case_doubts
from ropewalk.analysis.check import remarks
from ropewalk.analysis.statics import statics
from ropewalk.errors import InputError
from ropewalk.io.native import read_text
from ropewalk.model.model import build
from ropewalk.spec.bodies import Body
from ropewalk.spec.hulls import AxisymmetricHull, axial_added_mass
from ropewalk.spec.system import System

ROPE = {"diameter": 0.1, "mass": 20.0, "axial_stiffness": 1e8}


def case(section=ROPE, **more) -> System:
    """A line between two held points."""
    return System.model_validate(
        {
            "environment": {"depth": 50, **more.pop("environment", {})},
            "sections": {"rope": section},
            "points": {"a": {"position": [0, 0, -50]}, "b": {"position": [60, 0, 0]}},
            "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 80}]}},
            **more,
        }
    )


def codes(system: System, question=None) -> list[str]:
    return [doubt.code for doubt in case_doubts(system, question)]


# --- coefficients ---


def test_a_section_without_coefficients_has_those_of_a_cylinder():
    """Cd 1.2 on d, 0.008 on pi d, added mass 1; mappings stand as they are; 0 is none; the catalogue has its own."""
    sections = {
        "none": ROPE,
        "part": {**ROPE, "drag": {"normal": 1.1}, "added_mass": {"tangential": 0.2}},
        "zero": {**ROPE, "drag": 0, "added_mass": 0},
        "chain": {"catalogue": "studless_chain", "diameter": 0.1},
    }
    made = build(System.model_validate({"sections": sections})).sections
    assert made.drag_normal == pytest.approx([0.12, 0.11, 0.0, 0.24])
    assert made.drag_tangential == pytest.approx([0.008 * math.pi * 0.1, 0.0, 0.0, 0.115])
    assert made.added_normal == pytest.approx([1.0, 0.0, 0.0, 1.0])
    assert made.added_tangential == pytest.approx([0.0, 0.2, 0.0, 0.5])


def test_none_on_purpose_survives_files():
    system = case({**ROPE, "drag": 0, "added_mass": 0.0})
    again = System.model_validate_json(system.model_dump_json(by_alias=True, exclude_unset=True))
    assert again == system
    assert again.sections["rope"].drag.normal == 0.0
    assert codes(again, "run") == []


def test_axial_added_mass_of_a_hull_is_half_a_disc():
    """A can of radius a and draught T: (4/3) rho a^3 over rho pi a^2 T; both sides of one under water."""
    can = AxisymmetricHull(kind="axisymmetric", profile=((-2.0, 1.5), (3.0, 1.5)))
    # closed forms, but for round-off
    assert axial_added_mass(can, 0.0) == pytest.approx(4.0 * 1.5 / (3.0 * math.pi * 2.0), rel=1e-12)
    cone = AxisymmetricHull(kind="axisymmetric", profile=((-2.0, 0.0), (2.0, 2.0)))  # a = 1 m at the water, 2/3 pi m3
    assert axial_added_mass(cone, 0.0) == pytest.approx(2.0 / math.pi, rel=1e-12)
    body = Body(mass=1.0, position=(0.0, 0.0, 0.0), hull=cone)
    assert build(System(bodies={"b": body})).bodies.hulls.added_axial[0] == pytest.approx(2.0 / math.pi, rel=1e-12)
    assert body.replace(mass=2.0).model_dump_json(exclude_unset=True).count("added_mass") == 0
    assert axial_added_mass(can, -10.0) == pytest.approx(8.0 * 1.5 / (3.0 * math.pi * 5.0), rel=1e-12)


@pytest.mark.parametrize(
    ("environment", "question", "told"),
    [
        ({}, "static", False),  # nothing flows, nothing moves
        ({"current": {"speed": 1.0}}, "static", True),
        ({}, "run", True),
        ({"water_density": 0}, "run", False),
    ],
)
def test_defaults_are_listed_where_they_act(environment, question, told):
    found = [d for d in case_doubts(case(environment=environment), question) if d.code == "defaulted-coefficients"]
    assert bool(found) == told
    if told:
        assert "sections.rope: drag normal 1.2, tangential 0.008" in found[0].sentence
        assert ("added_mass normal 1" in found[0].sentence) == (question == "run")


def test_doubts_of_the_case_are_in_the_answer():
    """An equilibrium in a current, by defaults: in Python, in JSON and in the file."""
    answer = statics(case(environment={"current": {"speed": 0.5}}))
    assert "defaulted-coefficients" in [doubt.code for doubt in answer.doubts]
    assert "defaulted-coefficients" in [doubt["code"] for doubt in answer.summary["doubts"]]
    assert "defaulted-coefficients" in answer.to_dataset().attrs["doubts"]


# --- units and laws ---


def test_a_diameter_in_millimetres_is_doubted():
    (doubt,) = case_doubts(case({**ROPE, "diameter": 100}))
    assert (doubt.code, doubt.part) == ("diameter", "rope")
    assert "is it 0.1 m (100 mm)?" in doubt.sentence


def test_a_law_that_falls_before_the_rope_breaks_is_doubted():
    """T = EA (e - 10 e^2): its slope is 1 % of EA at e = 0.99/20, where T = EA (e - 10 e^2) = 0.024998 EA."""
    law = {"kind": "polynomial", "stiffness": 1e6, "coefficients": [-10.0]}
    (doubt,) = case_doubts(case({**ROPE, "axial_stiffness": law, "breaking_load": 5e4}))
    assert (doubt.code, doubt.limit) == ("falling-law", 5e4)
    assert doubt.value == pytest.approx(1e6 * (0.0495 - 10.0 * 0.0495**2))
    assert codes(case({**ROPE, "axial_stiffness": law, "breaking_load": 2e4})) == []


def test_a_motion_that_ends_before_the_run_is_doubted():
    motion = {"kind": "table", "time": [0, 1, 2], "displacement": [[0, 0, 0], [0, 0, 1], [0, 0, 2]]}
    points = {"a": {"position": [0, 0, -50]}, "b": {"position": [60, 0, 0], "joint": "moving", "motion": motion}}
    dry = {"environment": {"water_density": 0}, "points": points}
    assert codes(case(**dry, run={"duration": 3})) == ["motion-ends"]
    assert codes(case(**dry, run={"duration": 2})) == []


# --- nets ---

NET = """
ropewalk: 1
environment: {{seabed: {{kind: none}}}}
sections: {{t: {{diameter: 0.003, mass: 0.008, axial_stiffness: 2.0e4}}}}
points: {{a: {{position: {a}}}, b: {{position: {b}}}}}
nets:
  p:
    panel: {{kind: rectangle, corners: [[0, -2, -1], [0, 2, -1], [0, 2, -4], [0, -2, -4]]}}
    section: t
    bar_length: 0.03
    cells: [8, 6]
    held: none
    fastened: {{upper_left: a, upper_right: b}}
    {more}
"""


@pytest.mark.parametrize(
    ("a", "b", "code"),
    [
        ([0, -2, -1], [0, 2, -1], None),
        ([0, -2, -1], [0, 2.3, -1], None),  # a tenth of the longer edge is let through
        ([0, -2, -1], [0, 20, -1], "net-fastened-far"),
        ([0, 2, -1], [0, -2, -1], "net-twisted"),
    ],
)
def test_corners_far_from_their_places_are_doubted(a, b, code):
    assert codes(read_text(NET.format(a=a, b=b, more=""))) == ([] if code is None else [code])


@pytest.mark.parametrize(("yaw", "code"), [(0, None), (180, "net-twisted"), (90, "net-fastened-far")])
def test_corners_at_a_body_are_looked_at_too(yaw, code):
    """A bar of 4 m above the panel: turned by 180 degrees it crosses the corners, by 90 it is 2.8 m from each."""
    text = NET.format(a=[0, -2, -1], b=[0, 2, -1], more="").replace("upper_left: a, upper_right: b",
                                                                   "upper_left: bar.l, upper_right: bar.r")  # fmt: skip
    bar = f"""
bodies:
  bar:
    mass: 100
    position: [0, 0, -1]
    attitude: [0, 0, {yaw}]
    joint: fixed
    attachments: {{l: [0, -2, 0], r: [0, 2, 0]}}
"""
    assert codes(read_text(text + bar)) == ([] if code is None else [code, code] if yaw == 90 else [code])


@pytest.mark.parametrize(("x", "code"), [(2.0, None), (30.0, "net-fastened-far")])
def test_knots_tied_far_from_their_places_are_doubted(x, code):
    text = f"""
ropewalk: 1
environment: {{seabed: {{kind: none}}}}
sections: {{t: {{diameter: 0.003, mass: 0.008, axial_stiffness: 2.0e4}}}}
points: {{a: {{position: [0, 0, 0]}}, b: {{position: [{x}, 0, 0]}}}}
nets:
  p:
    panel: {{kind: knots, knots: [[0, 0, 0], [1, 0, 0], [2, 0, 0]], twines: [[0, 1], [1, 2]],
            ties: [{{knot: 0, to: a}}, {{knot: 2, to: b}}]}}
    section: t
    bar_length: 1
"""
    assert codes(read_text(text)) == ([] if code is None else [code])
    assert not any("has no line" in remark for remark in remarks(read_text(text)))


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("wake: 0.8", "unused-coefficients"),
        ("solidity: 0.2", "unused-coefficients"),
        ("{force_model: loland, wake: 0.8, solidity: 0.2}", None),
        ("{force_model: loland, solidity: 0.5}", "screen-range"),
        ("{force_model: aarsnes, solidity: 0.4}", "screen-range"),
        ("{force_model: kristiansen_faltinsen, solidity: 0.4}", None),
    ],
)
def test_numbers_that_a_net_does_not_read_or_was_not_fitted_to(more, code):
    text = NET.format(a=[0, -2, -1], b=[0, 2, -1], more=more.strip("{}").replace(", ", "\n    "))
    assert codes(read_text(text)) == ([] if code is None else [code])


def test_a_net_too_large_to_hold_is_refused_before_it_is_built():
    from ropewalk.errors import InputError

    text = NET.format(a=[0, -2, -1], b=[0, 2, -1], more="").replace("cells: [8, 6]", "cells: [2000, 2000]")
    with pytest.raises(InputError, match=r"cells 2000 x 2000 make 4e\+06 knots, about 3.6e\+03 MB; at most 50000"):
        read_text(text)


# --- bodies ---


def test_a_volume_on_a_long_line_floats_at_the_surface():
    """2 m3 displace 2050 kg of water and carry 1000 kg: on 180 m of wire in 100 m of water it lies in the surface."""
    system = System.model_validate(
        {
            "environment": {"depth": 100},
            "sections": {"wire": {"catalogue": "wire", "diameter": 0.02}},
            "points": {"a": {"position": [0, 0, -100]}},
            "bodies": {"b": {"mass": 1000, "volume": 2, "position": [0, 0, -50], "attachments": {"e": [0, 0, 0]}}},
            "lines": {"l": {"from": "a", "to": "b.e", "pieces": [{"section": "wire", "length": 180}]}},
        }
    )
    radius = (3.0 * 2.0 / (4.0 * math.pi)) ** (1.0 / 3.0)  # of the sphere that the volume is
    assert abs(statics(system).state.body_position[0, 2]) < radius


PANEL = {
    "panel": {"kind": "rectangle", "corners": [[0, -2, -1], [0, 2, -1], [0, 2, -4], [0, -2, -4]]},
    "section": "t", "cells": [8, 6], "lower_sinker": 5,
}  # fmt: skip


@pytest.mark.parametrize(
    ("diameter", "net", "words"),
    [
        (2.5, {"bar_length": 0.03}, "nets.p: twine 't' is 2.5 m thick and bar_length is 0.03 m"),
        (0.025, {"bar_length": 0.03, "mesh": "rhombic", "hanging_ratio": 0.3, "force_model": "kristiansen_faltinsen"},
         "leaves the screen no opening"),
    ],
)  # fmt: skip
def test_twine_that_closes_its_net_is_refused(diameter, net, words):
    section = {"diameter": diameter, "mass": 1.0, "axial_stiffness": 2e4}
    with pytest.raises(InputError, match=words):
        System.model_validate({"sections": {"t": section}, "nets": {"p": PANEL | net}})


@pytest.mark.parametrize(
    ("case", "value"),
    [
        ({"environment": {"gravity": 981}}, 981),
        ({"environment": {"current": {"speed": 50}}}, 50),
        ({"sections": {"s": {"diameter": 0.1, "mass": 0.02, "axial_stiffness": 1e6}}}, 0.02 / (np.pi * 0.05**2)),
        ({"sections": {"s": {"diameter": 0.1, "mass": 20, "axial_stiffness": 1e6, "drag": {"normal": 1200}}}}, 1200),
        ({"bodies": {"b": {"mass": 1e6, "inertia": [1, 1, 1], "position": [0, 0, 0], "hull": {
            "kind": "axisymmetric", "profile": [[-60e3, 5], [60e3, 5]]}}}}, 60e3),
    ],
)  # fmt: skip
def test_numbers_hardly_in_si_units(case, value):
    (found,) = [doubt for doubt in case_doubts(System.model_validate(case)) if doubt.code == "units"]
    assert found.value == pytest.approx(value)


def test_components_that_would_have_broken():
    """60 m at 6 s: Miche allows 0.142 of 56 m."""
    waves = {"kind": "components", "components": [{"amplitude": 60, "period": 6}]}
    found = case_doubts(System.model_validate({"environment": {"waves": waves}}))
    (broken,) = [doubt for doubt in found if doubt.code == "breaking-waves"]
    assert broken.limit == pytest.approx(0.142 * 9.80665 * 36 / (2 * np.pi), rel=0.01)


def test_a_volume_without_a_hull_has_no_drag():
    fish = {"mass": 90, "volume": 0.1, "inertia": [1, 1, 1], "position": [0, 0, -5]}
    system = System.model_validate({"environment": {"current": {"speed": 3}}, "bodies": {"fish": fish}})
    (found,) = [doubt for doubt in case_doubts(system) if doubt.code == "defaulted-coefficients"]
    assert "bodies.fish: drag 0, as its volume has no hull" in found.sentence
