"""Variations of a case by path: new, checked, and refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from ropewalk.errors import InputError
from ropewalk.spec.lines import Piece
from ropewalk.spec.system import System

CASE = {
    "title": "two lines",
    "sections": {"chain": {"catalogue": "studless_chain", "diameter": 0.09}, "rope": {"diameter": 0.1, "mass": 8.0,
                 "axial_stiffness": 1e8}},
    "points": {"anchor": {"position": [-400, 0, -100]}, "top": {"position": [0, 0, 0], "joint": "fixed"}},
    "lines": {
        "west": {"from": "anchor", "to": "top",
                 "pieces": [{"section": "chain", "length": 400}, {"section": "rope", "length": 50}]},
        "west two": {"from": "anchor", "to": "top", "pieces": [{"section": "chain", "length": 440}]},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def system():
    return System.model_validate(CASE)


def test_a_value_by_its_path_gives_another_system_and_leaves_the_first(system):
    longer = system.replace("lines.west.pieces.0.length", 455)
    assert longer.lines["west"].pieces[0].length == 455.0
    assert system.lines["west"].pieces[0].length == 400.0
    assert longer.lines["west two"] == system.lines["west two"]
    assert longer.replace("lines.west.pieces.0.length", 400) == system


@pytest.mark.parametrize(
    ("path", "value", "read"),
    [
        ("lines.west.pieces[1].length", 60.0, lambda s: s.lines["west"].pieces[1].length),
        ("lines.west two.pieces.0.length", 1e3, lambda s: s.lines["west two"].pieces[0].length),
        ("points.anchor.position.2", -90.0, lambda s: s.points["anchor"].position[2]),
        ("environment.depth", 120.0, lambda s: s.environment.depth),  # nothing given of the environment yet
        ("environment.seabed.normal.0", 0.1, lambda s: s.environment.seabed.normal[0]),  # an entry of a default
        ("run.duration", 60.0, lambda s: s.run.duration),  # no run yet
        ("title", "other", lambda s: s.title),
        ("lines.west.from", "top", lambda s: s.replace("lines.west.to", "anchor").lines["west"].from_),
    ],
)
def test_every_kind_of_place_can_be_reached(system, path, value, read):
    both = {path: value, "lines.west.to": "anchor"} if path.endswith("from") else {path: value}
    assert read(system.replace(both)) == value


def test_a_catalogue_section_is_derived_anew(system):
    """Mass of chain goes with the square of its diameter."""
    thick = system.replace("sections.chain.diameter", 0.18)
    assert thick.sections["chain"].mass == pytest.approx(4.0 * system.sections["chain"].mass, rel=1e-12)


def test_several_values_change_at_once_and_are_checked_together(system):
    """Each alone would leave a line without its section."""
    renamed = system.replace({"lines.west.pieces.1.section": "wire", "sections.wire": {"catalogue": "wire",
                              "diameter": 0.1}})  # fmt: skip
    assert renamed.lines["west"].pieces[1].section == "wire"
    with pytest.raises(InputError, match="no section 'wire'"):
        system.replace("lines.west.pieces.1.section", "wire")


def test_numbers_and_arrays_of_numpy_are_taken(system):
    moved = system.replace("points.anchor.position", np.array([-410.0, 0.0, -100.0]))
    assert moved.points["anchor"].position == (-410.0, 0.0, -100.0)
    assert Piece(section="chain", length=np.float64(3.0)).length == 3.0
    assert system.replace("lines.west.elements", np.int64(30)).lines["west"].elements == 30


def test_parts_take_fields_and_paths(system):
    line = system.lines["west"]
    assert line.replace(elements=40).elements == 40
    assert line.replace("pieces.0.length", 7.0).pieces[0].length == 7.0
    assert line.replace({"pieces.0.length": 7.0}, elements=40).elements == 40


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("lines.wset.pieces.0.length", 1.0, "no 'wset' in lines; did you mean 'west'\\? Available: west, west two"),
        ("lines.west.pieces.7.length", 1.0, "lines.west.pieces has no entry '7'. Available: 0 to 1"),
        ("lines.west.pieces.one", 1.0, "lines.west.pieces has no entry 'one'"),
        ("lines.west.pieces.0.length.x", 1.0, "lines.west.pieces.0.length is 400.0 and has no parts"),
        ("lines.west.pieces.0.length", -1.0, r"lines.west.pieces\[0\].length: must be greater than 0, not -1"),
        ("lines.west.pieces.0.lenght", 1.0, r"lines.west.pieces\[0\].lenght: unknown key"),
        ("environment.wave.height", 1.0, "environment.wave: unknown key; did you mean 'waves'"),
        ("lines.west.pieces.0.length", "long", "must be a number, not 'long'"),
        ("", 1.0, "'' is not a path"),
        ("lines..west", 1.0, "'lines..west' is not a path"),
        (".lines", 1.0, "is not a path"),
        ("lines.west.pieces[-1].length", 1.0, "is not a path"),
    ],
)
def test_paths_that_lead_nowhere_are_refused_in_a_sentence(system, path, value, sentence):
    with pytest.raises(InputError, match=sentence):
        system.replace(path, value)


def test_calls_that_mean_nothing_are_refused(system):
    with pytest.raises(InputError, match="a path and a value, or a mapping"):
        system.replace("title")
    with pytest.raises(InputError, match="a path and a value, or a mapping"):
        system.replace({"title": "x"}, 3)
    with pytest.raises(InputError, match="3 is not a path"):
        system.replace({3: 1.0})
    with pytest.raises(InputError, match=r"titel: unknown key\. Allowed: .*title"):
        system.replace(titel="x")
