"""Lines of elements that run over held points: along the surface, against shooting, refusals, the audit."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_wide import random_wide

import ropewalk as rw
from ropewalk.analysis.audit import audit
from ropewalk.errors import InputError
from ropewalk.methods.mixed import MixedFemStatics
from ropewalk.model.model import build
from ropewalk.model.over import cut_over, even_places, joined_over
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

G, RHO, DIAMETER, MASS = 9.81, 1025.0, 0.1, 6.0
LIFT = G * (RHO * 0.25 * math.pi * DIAMETER**2 - MASS)  # N/m
DEPTH, PARAMETER = 10.0, 20.0  # m: of the supports, and c = H / LIFT
ARC = math.sqrt(DEPTH**2 + 2.0 * PARAMETER * DEPTH)  # m, from a support to the surface
REACH = PARAMETER * math.acosh(1.0 + DEPTH / PARAMETER)  # m, the same along the surface


def case(points, over, length, *, mass=MASS, stiffness="inextensible", **more):
    """One line from a to b over points."""
    return {
        "environment": {"gravity": G, "water_density": RHO, "seabed": {"kind": "none"}, **more},
        "sections": {"c": {"diameter": DIAMETER, "mass": mass, "axial_stiffness": stiffness}},
        "points": {name: p if isinstance(p, dict) else {"position": p} for name, p in points.items()},
        "lines": {"l": {"from": "a", "to": "b", "over": over, "pieces": [{"section": "c", "length": length}]}},
    }


def afloat(*spans):
    """A line between supports of equal depth, afloat between them with the force H = c LIFT; its part lengths."""
    x = np.concatenate([[0.0], np.cumsum(spans)])
    names = ["a", *(f"p{k}" for k in range(len(spans) - 1)), "b"]
    lengths = np.array(spans) - 2.0 * REACH + 2.0 * ARC
    points = {name: [float(at), 0.0, -DEPTH] for name, at in zip(names, x, strict=True)}
    return case(points, names[1:-1], float(lengths.sum())), lengths


@pytest.mark.parametrize("spans", [(120.0, 120.0), (90.0, 150.0), (80.0, 150.0, 100.0)])
def test_line_afloat_between_pegs_is_a_catenary_upside_down(spans):
    """T = LIFT (c + h) at supports h deep of a line that lies along the surface with H = c LIFT."""
    data, lengths = afloat(*spans)
    rest = rw.statics(System.model_validate(data))
    assert rest.method == "fem"
    assert rest.audit.passed
    over = rest.line("l")["over"]
    # the axis floats within its thickness of the surface, 1 % of the depth
    assert_allclose([peg["tension"] for peg in over], LIFT * (PARAMETER + DEPTH), rtol=1e-2)
    assert_allclose([peg["s"] for peg in over], np.cumsum(lengths)[:-1], rtol=1e-2)
    assert_allclose(over[0]["force"], [0.0, 0.0, 2.0 * LIFT * ARC], rtol=1e-2, atol=1e-2 * LIFT * ARC)


def test_order_of_the_ends_does_not_matter():
    data, _ = afloat(90.0, 150.0)
    other = copy.deepcopy(data)
    other["lines"]["l"] |= {"from": "b", "to": "a"}
    one, two = (rw.statics(System.model_validate(each), "fem") for each in (data, other))
    # tensions agree to 1e-6 on both sides of the peg, which is far from taut
    assert_allclose(two.state.end_force[0, ::-1], one.state.end_force[0], rtol=1e-4, atol=1e-4 * LIFT * ARC)


HILLS = {"a": [-10, 0, -60], "p": [3, 0, -55], "q": [20, 5, -52], "b": [30, 2, -60]}
AGREE = {
    "heavy": case(HILLS, ["p", "q"], 58.0, mass=20.0),
    "stretching, in a current": case(HILLS, ["p", "q"], 58.0, mass=20.0, stiffness=2e5, current={"speed": 1.0}),
    "tight": case(HILLS, ["p", "q"], 43.6, mass=20.0, stiffness=2e5),
    "buoyant": case(HILLS, ["p", "q"], 58.0),
    "weight at the end": case(
        HILLS | {"b": {"position": [30, 2, -70], "joint": "free", "mass": 500.0}}, ["p", "q"], 58.0, mass=20.0
    ),
}


@pytest.mark.parametrize("name", AGREE)
def test_agrees_with_shooting(name):
    """End forces, places and forces of pegs, within the error that the mesh states."""
    system = System.model_validate(AGREE[name])
    one, two = (rw.statics(system, method) for method in ("shooting", "fem"))
    error = 2.0 * two.report.figures["discretisation_error"]
    scale = np.abs(one.state.end_force).max()
    assert_allclose(two.state.end_force, one.state.end_force, atol=error * scale)
    assert_allclose(two.state.point_force, one.state.point_force, atol=4.0 * error * scale)
    for found, exact in zip(two.line("l")["over"], one.line("l")["over"], strict=True):
        assert_allclose(found["tension"], exact["tension"], rtol=2.0 * error)
        assert_allclose(found["s"], exact["s"], atol=error * 58.0)


def test_given_elements_are_kept():
    data = copy.deepcopy(AGREE["heavy"])
    data["lines"]["l"]["pieces"][0]["elements"] = 60
    rest = rw.statics(System.model_validate(data), "fem")
    # each of the three parts rounds its share
    assert abs(rest.state.s.size - 61) <= 3


def test_unequal_tensions_at_a_peg_are_rejected():
    """Parts at rest that the line would slide away from pass at every node but the peg."""
    data, _ = afloat(90.0, 150.0)
    model = build(System.model_validate(data))
    places = even_places(model) - 2.0
    cut, solver = cut_over(model, places), MixedFemStatics()
    work = solver.start(cut, initial_state(cut))
    assert solver.advance(cut, work, 0.0).good
    parts = solver.read(cut, work)
    force = {"force": (parts.end_force[0, 1] + parts.end_force[1, 0]).tolist()}
    checked = audit(model, joined_over(model, places, parts), 0.0, {"over": {"l": [force]}})
    assert not checked.passed
    assert f"s = {places[0]:.4g} m" in checked.sentences[0]


def test_line_that_slides_off_is_said():
    """A short free end cannot hold the span on the other side of the peg."""
    data = case({"a": [-10, 0, -50], "p": [0, 0, -45], "b": {"position": [0.1, 0, -52], "joint": "free"}}, ["p"], 18.5,
                mass=20.0)  # fmt: skip
    with pytest.raises(rw.ConvergenceError, match="line 'l' slides off 'p' past its end B; nothing holds it"):
        rw.statics(System.model_validate(data), "fem")


PULLEY = case({"a": [0, 0, -20], "p": {"position": [5, 0, -30], "joint": "free", "mass": 900.0}, "b": [10, 0, -20]},
              ["p"], 30.0)  # fmt: skip
LOADED = copy.deepcopy(AGREE["heavy"])
LOADED["lines"]["l"]["loads"] = [{"kind": "pressure", "axis": [0, 1, 0], "value": 3.0}]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (PULLEY, "line 'l' runs over 'p', which is free or on a body: method 'fem' supports"),
        (LOADED, "method 'fem' does not support distributed loads together with lines that run over points"),
    ],
)
def test_what_parts_cannot_have_is_refused(data, sentence):
    with pytest.raises(InputError, match=sentence):
        rw.statics(System.model_validate(data), "fem")


@pytest.mark.parametrize("seed", [115100735, 117000196, 117000813, 117001040, 117001370])
def test_random_lines_over_sheaves_come_to_rest_along_the_surface(seed):
    """Buoyant lines for which there was no method; 813 and 1040 are slack there."""
    rest = rw.statics(System.model_validate(random_wide(seed, "sheave")))
    assert rest.method == "fem"
    assert rest.audit.passed
    system = rest.system.lines["l0"]
    z, ds = rest.state.position[:, 2], np.diff(rest.state.s)
    width = rest.system.sections[system.pieces[0].section].diameter
    near = (np.abs(z[1:]) < width) & (np.abs(z[:-1]) < width)
    assert ds[near].sum() > 0.02 * rest.state.s[-1]
