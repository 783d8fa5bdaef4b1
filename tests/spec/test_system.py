"""The spec classes: checked, frozen, and what they refuse."""

from __future__ import annotations

import math

import pytest

from reference import OC3, platform
from ropewalk.errors import InputError
from ropewalk.spec.bodies import Body
from ropewalk.spec.environment import Environment
from ropewalk.spec.joints import Joint
from ropewalk.spec.lines import Line, Point
from ropewalk.spec.sections import Section
from ropewalk.spec.system import System


def section(**given):
    return Section.model_validate({"diameter": 0.1, "mass": 10.0, "axial_stiffness": 1e8, **given})


def test_parts_cannot_be_changed():
    with pytest.raises(InputError, match=r"Section\.mass cannot be set: .* replace\(mass=\.\.\.\)"):
        section().mass = 3.0


def test_replace_checks_again():
    assert section().replace(mass=3.0).mass == 3.0
    with pytest.raises(InputError, match="mass: must be at least 0, not -3"):
        section().replace(mass=-3.0)
    with pytest.raises(InputError, match="no section 'lime'; did you mean 'line'"):
        platform(OC3).replace(
            lines={"line1": {"from": "anchor1", "to": "anchor2", "pieces": [{"section": "lime", "length": 1}]}}
        )


def test_catalogue_follows_a_new_diameter():
    """`replace` looks the catalogue up again: mass goes with the square of the diameter."""
    chain = Section.model_validate({"catalogue": "studless_chain", "diameter": 0.1})
    assert chain.mass == pytest.approx(199.0)
    assert chain.replace(diameter=0.2).mass == pytest.approx(4 * 199.0)
    assert chain.replace(mass=7.0).mass == 7.0


@pytest.mark.parametrize(("grade", "load"), [("R3", 8029e3), ("R4", 9865e3), ("R5", 11521e3)])
def test_chain_breaking_load(grade, load):
    """IACS UR W22: c d^2 (44 - 0.08 d) kN at 100 mm, tabulated to the kN."""
    chain = Section.model_validate({"catalogue": "stud_chain", "diameter": 0.1, "grade": grade})
    assert chain.breaking_load == pytest.approx(load, abs=1.5e3)


@pytest.mark.parametrize("family", ["studless_chain", "stud_chain", "wire", "polyester", "nylon", "hmpe"])
def test_catalogue_sections_are_whole(family):
    made = Section.model_validate({"catalogue": family, "diameter": 0.1})
    assert made.mass > 0.0
    assert made.breaking_load < made.axial_stiffness  # ropes break before they double their length
    density = made.mass / made.displaced_area
    assert 900.0 < density < 8100.0  # fibre to steel, kg/m3


def test_infinite_stiffness_is_inextensible():
    assert section(axial_stiffness=math.inf).axial_stiffness == "inextensible"


def test_names_of_joints_are_shorthand():
    """The named joints are the component form."""
    slider = Joint.slider(force=5.0)
    assert slider == Joint.model_validate({"axes": {"x": {"force": 5.0}, "y": "held", "z": "held"}})
    assert Joint.ball().axes.z == "held"
    assert Joint.spring(3.0).axes.y.spring == 3.0


def test_system_survives_json():
    system = platform(OC3)
    assert System.model_validate_json(system.model_dump_json(by_alias=True, exclude_unset=True)) == system


def test_schema_names_every_noun():
    """The JSON Schema has every top-level key of a case."""
    properties = System.model_json_schema(by_alias=True)["properties"]
    keys = {"ropewalk", "title", "environment", "sections", "points", "bodies", "lines", "nets", "rods", "run"}
    assert keys <= set(properties)


def table(strain, tension):
    return {"kind": "table", "strain": strain, "tension": tension}


LINE = {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 10.0}]}


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: section(mass=True), "mass: must be a number, not true"),
        (lambda: section(mass="12"), "mass: must be a number, not '12'"),
        (lambda: section(diameter=1e300), "must be at most"),
        (lambda: section(grade="R4"), "grade belongs to a catalogue section"),
        (lambda: Section.model_validate({"diameter": 0.1}), "mass and axial_stiffness missing"),
        (lambda: Section.model_validate({"catalogue": "chian", "diameter": 0.1}), "no catalogue section 'chian'"),
        (lambda: Section.model_validate({"catalogue": "wire", "diameter": 0.1, "grade": "R4"}), "has no grades"),
        (lambda: Section.model_validate({"catalogue": "stud_chain", "diameter": 84.0}), "diameter in metres"),
        (lambda: section(axial_stiffness=table([0, 0.1], [0, -1])), "tension must increase"),
        (lambda: section(axial_stiffness=table([0, 0.1], [1, 2])), "tension at zero strain"),
        (lambda: Point(position=(0, 0, 0), joint="moving"), "joint: moving needs a motion"),
        (lambda: Line.model_validate({**LINE, "to": "a"}), "a line needs two ends"),
        (lambda: Line.model_validate({**LINE, "attachments": [{"s": 11.0}]}), "beyond the line's 10.0 m"),
        (lambda: Line.model_validate({**LINE, "loads": [{"kind": "pressure", "axis": [0, 0, 0], "value": 1}]}),
         "all its components are 0"),
        (lambda: Joint.model_validate({"axes": {}, "frame": [[1, 0, 0], [0, 1, 0], [0, 1, 1]]}), "orthogonal rows"),
        (lambda: Environment.model_validate({"seabed": {"normal": [1, 0, 0]}}), "normal must point up"),
        (lambda: Environment.model_validate({"current": {"speed": 1, "profile": {"kind": "table", "z": [0, 0],
                                                         "factor": [1, 1]}}}), "z must increase or decrease"),
        (lambda: Body(mass=1.0, position=(0, 0, 0), inertia=(1, 1, 3)), "largest cannot exceed the sum"),
        (lambda: Body(mass=1.0, position=(0, 0, 0), inertia=(1, 1, 1, 2, 0, 0)), "negative principal moment"),
        (lambda: Body(mass=1.0, position=(0, 0, 0), hull={"kind": "axisymmetric", "profile": [[0, 1], [-1, 1]]}),
         "profile folds back"),
        (lambda: Body(mass=1.0, position=(0, 0, 0), hull={"kind": "axisymmetric", "profile": [[0, 0], [1, 0]]}),
         "encloses no volume"),
        (lambda: Body(mass=1.0, position=(0, 0, 0), volume=1.0, hull={"kind": "sphere", "radius": 1}),
         "volume is for a body without a hull"),
        (lambda: System.model_validate({"points": {"9": {"position": [0, 0, 0]}}}), "name '9'"),
        (lambda: System.model_validate({"points": {"a": {"position": [0, 0, 0]}},
                                        "bodies": {"a": {"mass": 1, "position": [0, 0, 0]}}}), "need different names"),
        (lambda: System.model_validate({"run": {"duration": 1, "step": 0.1, "tolerance": 0.01}}), "not both"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()


def test_a_system_is_shown_in_one_line_and_lists_its_own_names():
    """Names of the validation library, some deprecated, stay out of the way."""
    from ropewalk.spec.system import System

    system = System.model_validate({"ropewalk": 1, "title": "two", "points": {"a": {"position": [0, 0, 0]}}})
    assert repr(system) == str(system) == "<System 'two': 1 point>"
    assert repr(System()) == "<System '': empty>"
    assert {"lines", "replace", "to_file"} <= set(dir(system))
    assert not {"json", "construct", "model_dump"} & set(dir(system))


CAN = {"kind": "axisymmetric", "profile": [(-2.0, 1.0), (1.0, 1.0)]}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"hull": CAN, "hulls": [CAN]}, "hull is for one hull and hulls for several"),
        ({"hulls": [{"kind": "none"}]}, "a hull of kind none; leave it out"),
        ({"hulls": [CAN], "volume": 1.0}, "volume is for a body without a hull"),
        ({"hull": CAN | {"axis": (0, 0, 0)}}, "has no direction"),
        ({"windage": [{"area": 0.0, "position": (0, 0, 1)}]}, "greater than 0"),
    ],
)
def test_hulls_that_no_body_has_are_refused(body, words):
    with pytest.raises(InputError, match=words):
        System.model_validate({"bodies": {"b": {"mass": 1.0, "position": (0, 0, 0), **body}}})


def test_hulls_survive_a_round_trip_with_what_was_given_only():
    """Defaults that depend on the body (axial added mass) are not written into files."""
    body = {"mass": 1.0, "position": [0, 0, 0], "hulls": [CAN, CAN | {"ends": {"bottom": {"drag": 2.0}}}]}
    system = System.model_validate({"bodies": {"b": body}})
    text = system.model_dump_json(by_alias=True, exclude_unset=True)
    assert System.model_validate_json(text) == system
    assert '"added_mass"' not in text
    one, other = system.bodies["b"].hulls
    assert one.added_mass.axial > 0.0 and other.added_mass.axial == other.drag.axial == 0.0
