"""Lines that end at the water surface: what their thickness takes from their load, and which method answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.analysis.thickness import _change, cut_by_surface
from ropewalk.analysis.verify import verify


def hung(height: float, diameter: float = 0.3) -> dict:
    """A buoyant rope from the bed to an end held at `height` (m)."""
    return {
        "ropewalk": 1,
        "environment": {"depth": 20.0},
        "sections": {"rope": {"mass": 40.0, "diameter": diameter, "axial_stiffness": 1e7}},
        "points": {"low": {"position": [0, 0, -20]}, "high": {"position": [15, 0, height]}},
        "lines": {"rope": {"from": "low", "to": "high", "pieces": [{"section": "rope", "length": 25.2}]}},
    }


@pytest.mark.parametrize("angle", [20.0, 60.0, 90.0])
def test_a_line_that_ends_at_the_surface_loses_an_eighth_of_its_thickness(angle):
    r"""Closed form: the ramp of wetness from -D/2 to D/2 lacks :math:`f D/(8 \sin\theta)` below its middle."""
    slope = math.sin(math.radians(angle))
    z = np.linspace(-5.0 * slope, 0.0, 401)
    ds = np.full(400, 5.0 / 400)
    # chords of nodes are exact on a straight line: round-off
    assert _change(z, ds, np.full(400, 0.2), np.full(400, 50.0)) == pytest.approx(50.0 * 0.2 / 8 / slope, rel=1e-9)


def test_a_line_that_passes_through_the_surface_loses_nothing():
    """The ramp has as much above its middle as it lacks below: round-off of 250 N."""
    z = np.linspace(-4.0, 1.0, 401)
    assert _change(z, np.full(400, 5.0 / 400), np.full(400, 0.2), np.full(400, 50.0)) < 1e-10


@pytest.mark.parametrize("height", [-0.2, -0.149, -0.05, 0.0, 0.08, 0.149, 0.2])
def test_methods_agree_however_near_to_the_surface_a_thick_line_ends(height):
    """Between methods that answer: 1e-3 of the largest end force, or the error that elements state."""
    system = rw.System.model_validate(hung(height))
    found = verify(system)
    assert found["agree"], found
    # the load within half a thickness of the surface is what shooting leaves out; no thickness reaches farther
    assert (rw.statics(system).method == "fem") == (abs(height) < 0.149)


def test_the_sentence_names_line_thickness_and_method():
    system = rw.System.model_validate(hung(0.0))
    with pytest.raises(rw.ConvergenceError, match=r"line 'rope' ends or turns .* 0\.3 m, .* use method 'fem'"):
        rw.statics(system, method="shooting")


def test_a_thin_line_is_left_to_the_exact_methods():
    """A hundredth of the thickness has a ten-thousandth of the area, and a millionth of the load within it."""
    system = rw.System.model_validate(hung(0.0, 0.003))
    answer = rw.statics(system)
    assert answer.method in ("catenary", "shooting")
    assert cut_by_surface(answer.model, answer.state, answer.method) == ""


def over_a_roller(points: dict, **more) -> rw.System:
    """A rope from the surface over a roller 2 m above it."""
    places = {"low": {"position": [-20, 0, 0.0]}, "roller": {"position": [0, 0, 2.0]}, **points}
    return rw.System.model_validate(
        {
            "environment": {"depth": 20.0},
            "sections": {"rope": {"mass": 20.0, "diameter": 0.1, "axial_stiffness": 1e7}},
            "points": places,
            "lines": {"rope": {"from": "low", "to": "high", "over": ["roller"],
                               "pieces": [{"section": "rope", "length": 45.0}], **more}},
        }
    )  # fmt: skip


HIGH = {"high": {"position": [20, 0, -5.0]}}


def test_a_line_over_held_points_is_left_to_the_elements():
    answer = rw.statics(over_a_roller(HIGH))
    assert answer.method == "fem"
    assert "surface-thickness" not in {doubt.code for doubt in answer.doubts}
    assert "use method 'fem'" in dict(answer.audit.rejected)["shooting"]


def test_a_line_over_points_with_loads_is_answered_with_a_doubt_because_no_elements_take_it():
    load = {"kind": "pressure", "axis": [0, 1, 0], "value": 0.01}  # N/m, nothing beside the weight
    answer = rw.statics(over_a_roller(HIGH, loads=[load]))
    (doubt,) = (doubt for doubt in answer.doubts if doubt.code == "surface-thickness")
    assert answer.method == "shooting"
    assert doubt.part == "rope"
    assert doubt.value > doubt.limit
    assert "fem" not in doubt.sentence


def test_a_weight_that_sinks_to_the_bed_over_a_roller_comes_to_rest_on_it():
    """What hangs from the roller has the tension of a rope to the bed: T = 2 m dry + 20 m wet, by weight."""
    answer = rw.statics(over_a_roller({"high": {"position": [1, 0, -5.0], "joint": "free", "mass": 5e4}}))
    assert answer.method == "fem"
    area, gravity = 0.25 * np.pi * 0.1**2, 9.81
    tension = gravity * (20.0 * 2.0 + (20.0 - 1025.0 * area) * 20.0)
    # the bed is soft, and the lowest element stands on it
    assert_allclose(answer.line("rope")["over"][0]["tension"], tension, rtol=0.02)


def test_auto_keeps_the_answer_of_a_thin_line_where_elements_find_none(monkeypatch):
    """By name the method refuses it, as before."""
    from ropewalk.analysis import statics as question

    system = rw.System.model_validate(hung(0.0))
    monkeypatch.setattr(question, "candidates", lambda model, method: iter(["catenary", "shooting"]))
    answer = rw.statics(system)
    assert answer.method in ("catenary", "shooting")
    assert "surface-thickness" in {doubt.code for doubt in answer.doubts}
