"""What `statics` gives back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from reference import between, surmont_buoy
from ropewalk.errors import ConvergenceError, InputError

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_result_says_in_one_line_what_it_is():
    text = repr(rw.statics(surmont_buoy()))
    assert text.startswith("<Equilibrium '': 3 lines, 4 points, 0 bodies; done by catenary, residual")
    assert "\n" not in text


def test_sensitivities_are_slopes_of_the_answer():
    """Exact derivative against central differences of whole solutions."""
    path, output = "lines.line1.pieces.0.length", "points.buoy.position.2"
    slope = rw.statics(surmont_buoy(), sensitivities=[path]).sensitivities[output][path]

    def height(length):
        system = surmont_buoy()
        piece = system.lines["line1"].pieces[0].replace(length=length)
        lines = {**system.lines, "line1": system.lines["line1"].replace(pieces=(piece,))}
        return rw.statics(system.replace(lines=lines)).summary["points"]["buoy"]["position"][2]

    # h = 1e-3 m: truncation h^2, round-off 1e-14 / 2e-3
    assert_allclose(slope, (height(50.001) - height(49.999)) / 2e-3, rtol=1e-6)


def test_design_finds_the_length_for_a_height():
    """The found length puts the buoy where it was asked to be."""
    design = rw.design.solve_for(surmont_buoy(), "lines.line1.pieces.0.length", {"points.buoy.position.2": 9.0})
    assert rw.statics(design.system).summary["points"]["buoy"]["position"][2] == pytest.approx(9.0, abs=1e-9)


def test_stretched_length_of_a_hanging_line():
    """L + w L^2 / 2 EA + P L / EA of a vertical line: 100 m, 50 N/m, 1e6 N, no tip load."""
    system = between(0.0, -100.25, 100.0, 1e6, 50.0)
    # hanging from A, its lower end held where it hangs free: stretch 50 * 100^2 / 2e6 = 0.25 m
    assert_allclose(rw.statics(system).line("line")["stretched_length"], 100.25, rtol=1e-9)


def test_unknown_names_are_refused():
    equilibrium = rw.statics(surmont_buoy())
    with pytest.raises(InputError, match="no line 'line9'"):
        equilibrium.line("line9")
    with pytest.raises(InputError, match="no body 'ship'"):
        equilibrium.body_stiffness("ship")


def test_line_out_of_the_water_is_left_to_a_method_that_knows_the_surface():
    """A chain with its upper 3 m in air: the closed form refuses what it takes as in water, `auto` goes on."""
    system = between(40.0, 33.0, 60.0, 1e7, 300.0, depth=30.0)
    wet = system.replace(environment=system.environment.replace(water_density=1025.0))
    with pytest.raises(ConvergenceError, match="rises 3 m above the water"):
        rw.statics(wet, "catenary")
    assert rw.statics(wet).method == "shooting"
    under = wet.replace(points={**wet.points, "B": wet.points["B"].replace(position=(40.0, 0.0, 0.0))})
    assert rw.statics(under).method == "catenary"


def test_light_line_that_comes_to_lie_on_the_water_is_left_to_the_elements():
    """It cannot rise out of the water, where nothing lifts it; the closed form takes all of it as in water."""
    rope = {"drag": 0, "added_mass": 0, "diameter": 0.5, "mass": 10.0, "axial_stiffness": 1e8}
    system = rw.System.model_validate(
        {
            "environment": {"depth": 100},
            "sections": {"rope": rope},
            "points": {"a": {"position": [0, 0, -100]}, "b": {"position": [400, 0, -6]}},
            "lines": {"l": {"from": "a", "to": "b", "elements": 20, "pieces": [{"section": "rope", "length": 450}]}},
        }
    )
    answer = rw.statics(system)
    assert answer.method == "fem"
    assert answer.state.position[:, 2].max() < 0.5  # m: a diameter
    with pytest.raises(ConvergenceError, match="above the water"):
        rw.statics(system, "catenary")


def test_net_is_balanced_by_bars():
    """A case with a net goes to the one method that claims nets; the others refuse it."""
    from ropewalk.cli.new import Kind, template
    from ropewalk.io.native import read_text

    system = read_text(template(Kind.net))
    assert rw.statics(system).method == "bars_statics"
    with pytest.raises(InputError, match="does not support nets"):
        rw.statics(system, "fem")
    # a run from there stays there: what moves is the rounding of the balance
    assert abs(rw.simulate(system, 0.2).net_velocity).max() < 1e-4


def test_current_on_a_hull_is_left_to_the_elements():
    """Shooting knows no drag on hulls, so it does not claim a moored buoy in a current."""
    from reference import spar

    hull = {"added_mass": 0, "kind": "axisymmetric", "profile": [[-120, 4.7], [10, 4.7]], "drag": {"normal": 0.8}}
    system = spar(hull=hull)
    sea = system.environment.replace(current={"speed": 1.0})
    with pytest.raises(InputError, match="current or wind on bodies"):
        rw.statics(system.replace(environment=sea), "shooting")


SUNK = {
    "environment": {"depth": 20, "gravity": 9.81, "water_density": 1000, "seabed": {"stiffness": 1e5}},
    "sections": {"rope": {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 1.0, "axial_stiffness": 1e6}},
    "points": {"a": {"position": [8, 0, -19]}},
    "bodies": {"weight": {"mass": 900, "inertia": [50, 50, 50], "position": [0, 0, -10],
                          "attachments": {"eye": [0, 0, 0.5]}, "hull": {"drag": 0, "kind": "sphere", "radius": 0.5}}},
    "lines": {"l": {"from": "a", "to": "weight.eye", "elements": 6, "pieces": [{"section": "rope", "length": 9}]}},
}  # fmt: skip


def test_body_that_would_hang_below_the_bed_is_said():
    """By the closed form, which has no bed for bodies: 4.7 m and some stretch from -15 m, and a sphere of 1 m."""
    line = {"from": "a", "to": "weight.eye", "pieces": [{"section": "rope", "length": 4.7}]}
    hung = {**SUNK, "points": {"a": {"position": [0, 0, -15]}}, "lines": {"l": line}}
    with pytest.raises(ConvergenceError, match=r"'weight' would reach 0\.71\d+ m below the bed.*use method 'fem'"):
        rw.statics(rw.System.model_validate(hung), "catenary")


def test_sunk_body_is_left_to_the_method_that_has_a_bed_for_it():
    """The closed form hangs it below the bed or lets it fall for ever: `auto` goes on to fem."""
    system = rw.System.model_validate(SUNK)
    found = rw.statics(system)
    assert found.method == "fem"
    weight = (900 - 1000 * 4 / 3 * np.pi * 0.5**3) * 9.81
    # it lies on the bed, pressed in by its weight; less than 90 N of rope hang on it
    sunk = 19.5 + found.summary["bodies"]["weight"]["position"][2]
    assert_allclose(sunk, -weight / (1e5 * np.pi * 0.25), atol=90 / (1e5 * np.pi * 0.25))


def test_stretched_length_of_a_tapered_rod_in_two_pieces():
    """A rod that hangs straight is as long as its ends are apart, rows of its table beyond a piece notwithstanding."""
    rod = {"section": "rod", "length": 30}
    system = rw.System.from_file(EXAMPLES / "tapered_rod.yaml").replace("lines.rod.pieces", [rod, rod])
    found = rw.statics(system)
    top, end = found.state.point_position
    # Simpson's rule between 50 nodes on a parabola in s: below 1e-9
    assert_allclose(found.line("rod")["stretched_length"], np.linalg.norm(end - top), rtol=1e-9)


def test_methods_that_come_closest_are_named_where_none_does_a_case():
    """Nets are supported, and laws by tables are, but not both at once."""
    law = {"kind": "table", "strain": [0, 0.1], "tension": [0, 100.0]}
    case = rw.System.model_validate({
        "environment": {"seabed": {"kind": "none"}},
        "sections": {"t": {"diameter": 0.002, "mass": 0.0036, "axial_stiffness": law}},
        "nets": {"n": {"panel": {"kind": "rectangle", "corners": [[0, 0, -1], [3, 0, -1], [3, 0, -4], [0, 0, -4]]},
                       "section": "t", "bar_length": 0.5}},
    })  # fmt: skip
    with pytest.raises(InputError) as refused:
        rw.statics(case)
    assert str(refused.value) == (
        "no method supports everything in this case: method 'shooting' does not support nets; "
        "method 'bars_statics' does not support table and polynomial laws"
    )
