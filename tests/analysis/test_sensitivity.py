"""Sensitivities against differences of solutions, and designs that meet their targets."""

from __future__ import annotations

import math

import pytest
from numpy.testing import assert_allclose

from ropewalk.analysis.sensitivity import number, read, sensitivities, with_number
from ropewalk.analysis.solve_for import solve_for
from ropewalk.analysis.statics import statics
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.spec.system import System

MOORING = {
    "environment": {"depth": 200.0, "current": {"speed": 1.0, "heading": 60}, "seabed": {"friction": 0.3}},
    "sections": {
        "c": {"added_mass": 0, "diameter": 0.08, "mass": 60.0, "axial_stiffness": 1e8, "drag": {"normal": 1.2}}
    },
    "points": {"anchor": {"position": [-10, 0, -200]}, "top": {"position": [390, 0, -20]}},
    "lines": {"m": {"from": "anchor", "to": "top", "pieces": [{"section": "c", "length": 480}]}},
}
BUOY = {
    "environment": {"depth": 300.0, "current": {"speed": 0.7, "heading": 20}, "seabed": {"kind": "none"}},
    "sections": {"c": {"added_mass": 0,
                       "diameter": 0.03, "mass": 1.5, "axial_stiffness": 5e6, "drag": {"normal": 1.2}}},
    "points": {"anchor": {"position": [0, 0, -300]},
               "buoy": {"position": [30, 10, -40], "joint": "free", "volume": 1.0, "mass": 200, "drag_area": 1.5}},
    "lines": {"m": {"from": "anchor", "to": "buoy", "pieces": [{"section": "c", "length": 250}]}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("data", "outputs", "parameters"),
    [
        (
            MOORING,
            ["lines.m.end_b.tension", "lines.m.grounded_length", "lines.m.end_a.force.1"],
            ["lines.m.pieces.0.length", "sections.c.axial_stiffness", "sections.c.mass", "points.anchor.position.0",
             "environment.current.speed", "environment.seabed.friction"],
        ),
        (
            BUOY,
            ["points.buoy.position.0", "points.buoy.position.2", "lines.m.end_a.declination"],
            ["points.buoy.volume", "environment.current.speed", "environment.current.heading",
             "lines.m.pieces.0.length"],
        ),
    ],
)  # fmt: skip
def test_sensitivities_equal_differences_of_solutions(data, outputs, parameters):
    system = System.model_validate(data)
    table = sensitivities(system, outputs, parameters)
    for parameter in parameters:
        value = number(system, parameter)
        h = 2e-4 * abs(value)
        sides = [statics(with_number(system, parameter, value + k * h), "shooting").summary for k in (1, -1, 2, -2)]
        for output in outputs:
            f = [read(side, output) for side in sides]
            difference = (8 * (f[0] - f[1]) - (f[2] - f[3])) / (12 * h)
            # solutions are known to 1e-12 of the largest number, divided by 2e-4 of the parameter
            size = abs(read(sides[0], output)) / abs(value)
            assert_allclose(table[output][parameter], difference, rtol=1e-6, atol=1e-7 * size)


def test_length_for_a_tension():
    design = solve_for(System.model_validate(MOORING), "lines.m.pieces.0.length", {"lines.m.end_b.tension": 2.0e5})
    assert_allclose(design.equilibrium.line("m")["end_b"]["tension"], 2.0e5, rtol=1e-8)
    assert_allclose(number(design.system, "lines.m.pieces.0.length"), design.values["lines.m.pieces.0.length"])


def test_buoyancy_and_length_for_a_depth_and_an_angle():
    """Two numbers for two targets."""
    wanted = {"points.buoy.position.2": -60.0, "lines.m.end_a.declination": 80.0}
    design = solve_for(System.model_validate(BUOY), ["points.buoy.volume", "lines.m.pieces.0.length"], wanted)
    assert_allclose(design.equilibrium.summary["points"]["buoy"]["position"][2], -60.0, rtol=1e-8)
    assert_allclose(design.equilibrium.line("m")["end_a"]["declination"], 80.0, rtol=1e-8)


def test_anchor_radius_for_an_uplift_free_anchor():
    design = solve_for(
        System.model_validate(MOORING), "points.anchor.position.0", {"lines.m.grounded_length": 100.0},
        bounds={"points.anchor.position.0": (-50.0, 50.0)},
    )  # fmt: skip
    assert_allclose(design.equilibrium.line("m")["grounded_length"], 100.0, rtol=1e-8)


def test_target_out_of_reach_is_said():
    with pytest.raises(ConvergenceError, match="the targets cannot be met from this start"):
        solve_for(
            System.model_validate(MOORING), "points.anchor.position.0", {"lines.m.grounded_length": 1000.0},
            bounds={"points.anchor.position.0": (-1.0, 1.0)},
        )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "text"),
    [("lines.m.tension", "nothing at 'tension'"), ("lines.m.end_a", "choose one of its parts: position, force")],
)
def test_wrong_output_is_said(path, text):
    with pytest.raises(InputError, match=text):
        sensitivities(System.model_validate(MOORING), [path], [])


def test_wrong_parameter_is_said():
    system = System.model_validate(MOORING)
    with pytest.raises(InputError, match=r"parameter 'lines\.m\.length': nothing at 'length'"):
        sensitivities(system, ["lines.m.end_a.tension"], ["lines.m.length"])
    with pytest.raises(InputError, match="2 numbers to vary for 1 targets"):
        solve_for(system, ["a", "b"], {"lines.m.end_a.tension": math.pi})
