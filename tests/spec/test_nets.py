"""Nets as the user gives them."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.errors import InputError
from ropewalk.model.net_measures import measure
from ropewalk.model.nets import MORISON, Grip, build_nets
from ropewalk.physics.screens import LOLAND, screen_coefficients, wake_factor
from ropewalk.spec.environment import Environment
from ropewalk.spec.nets import Net
from ropewalk.spec.sections import Section
from ropewalk.spec.system import System

TWINE = Section.model_validate({"diameter": 0.002, "mass": 0.0036, "axial_stiffness": "inextensible"})
PANEL = {"kind": "rectangle", "corners": [(0, 0, 0), (3, 0, 0), (3, 0, -2), (0, 0, -2)]}
CYLINDER = {"kind": "cylinder", "centre": (0, 0, 0), "radius": 5, "height": 6}


def nets(environment=None, **net):
    data = {"panel": PANEL, "section": "twine", "bar_length": 0.025, **net}
    return build_nets(
        {"n": Net.model_validate(data)},
        {"twine": TWINE},
        environment or Environment(),
        {"p": Grip(0, -1, (0.0, 0.0, 0.0), np.zeros(3))},
    )


@pytest.mark.parametrize("cells", [(3, 2), (12, 8), (60, 40)])
def test_grouped_bars_keep_the_length_of_twine(cells):
    """A square mesh of bar a has 2/a metres of twine per square metre, however many twines share a bar."""
    made = nets(cells=cells)
    # sums of a few thousand terms
    assert_allclose(made.length @ made.twines, 2.0 * 6.0 / 0.025, rtol=1e-12)


def test_a_rhombic_panel_keeps_the_length_of_twine_and_its_hanging_ratio():
    """A rhombic mesh has 4 a of twine on 2 a E by 2 a sqrt(1 - E^2): 2 / (2 E sqrt(1 - E^2) a) per square metre."""
    ratio = 0.6
    made = nets(mesh="rhombic", hanging_ratio=ratio, cells=(30, 20))
    bar = 3.0 / 30 / (2.0 * ratio)
    ends = made.knot[made.bar]
    assert_allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), bar, rtol=1e-12)
    height = 20 * 2.0 * bar * math.sqrt(1.0 - ratio**2)
    per_area = 1.0 / (ratio * math.sqrt(1.0 - ratio**2) * 0.025)
    assert_allclose(made.length @ made.twines, per_area * 3.0 * height, rtol=1e-12)


@pytest.mark.parametrize("mesh", ["square", "rhombic"])
def test_screens_cover_a_panel(mesh):
    """The screens' areas add up to the panel, but for half meshes at the edges of rhombic netting."""
    made = nets(mesh=mesh, cells=(30, 20), hanging_ratio=0.6)
    corner = made.knot[made.screen]
    area = 0.5 * np.linalg.norm(np.cross(corner[:, 2] - corner[:, 0], corner[:, 3] - corner[:, 1]), axis=1).sum()
    low = made.knot[:, 2].min()
    assert_allclose(area, 3.0 * -low, rtol=1e-12 if mesh == "square" else 0.06)


def test_a_cylinder_closes_on_itself():
    """Every knot of a square cylinder between its rims has four bars; with a bottom those of the lower rim too."""
    made = nets(panel=CYLINDER, cells=(16, 6))
    degree = np.bincount(made.bar.ravel())
    assert np.all(degree[16:-16] == 4) and np.all(degree[:16] == 3)
    bottom = nets(panel={**CYLINDER, "bottom": True}, cells=(16, 6))
    corner = np.where(bottom.screen[:, 3] < 0, 2, 3)
    c = bottom.knot[bottom.screen[:, :3]]
    d = bottom.knot[bottom.screen[np.arange(corner.size), corner]]
    area = 0.5 * np.linalg.norm(np.cross(c[:, 2] - c[:, 0], d - c[:, 1]), axis=1).sum()
    polygon = 16 * 25.0 * math.sin(math.pi / 16) * math.cos(math.pi / 16)
    side = 16 * 2.0 * 5.0 * math.sin(math.pi / 16) * 6.0
    assert_allclose(area, polygon + side, rtol=1e-12)


def test_sinkers_and_floats_add_up_along_their_edges():
    """Mass per metre times the edge, of an open panel and of a ring."""
    open_panel = nets(lower_sinker=2.0, upper_float=30.0, cells=(10, 5))
    assert_allclose([open_panel.sinker_mass.sum(), open_panel.float_force.sum()], [6.0, 90.0], rtol=1e-12)
    ring = nets(panel=CYLINDER, lower_sinker=2.0, cells=(40, 5))
    assert_allclose(ring.sinker_mass.sum(), 2.0 * 40 * 10.0 * math.sin(math.pi / 40), rtol=1e-12)


def test_the_lee_half_of_a_cylinder_stands_in_the_wake():
    """Loland's factor 1 - 0.46 C_D on the lee half, none on the other."""
    current = Environment.model_validate({"current": {"speed": 0.5, "heading": 90}})
    made = nets(current, panel=CYLINDER, cells=(16, 4), force_model="loland", wake="auto", solidity=0.2)
    drag, _ = screen_coefficients(LOLAND, 0.0, 0.2, 0.0)
    lee = made.knot[made.screen].mean(axis=1)[:, 1] > 0.0
    assert_allclose(made.wake, np.where(lee, wake_factor(drag), 1.0))
    assert made.kind[0] == LOLAND and nets().kind[0] == MORISON


@pytest.mark.parametrize(
    ("net", "words"),
    [
        ({"panel": {**PANEL, "corners": [(0, 0, 0), (3, 0, 0), (3, 0, -2), (1, 0, -2)]}}, "parallelogram"),
        ({"panel": {**PANEL, "corners": [(0, 0, 0), (0, 0, 0), (0, 0, -2), (0, 0, -2)]}}, "no area"),
        ({"panel": CYLINDER, "fastened": {"upper_left": "p"}}, "of kind cylinder has none"),
        ({"wake": "auto"}, "for cylinders"),
    ],
)
def test_what_cannot_be_is_refused(net, words):
    with pytest.raises(InputError, match=words):
        nets(**net)


def test_an_unknown_point_is_named():
    with pytest.raises(InputError, match="net 'n': upper_left is fastened to 'q', but there is no such point"):
        nets(fastened={"upper_left": "q"})


def test_a_corner_is_fastened_to_a_point_that_there_is():
    """The name is checked with all others, and the nearest right one given."""
    case = {
        "sections": {"twine": {"diameter": 0.002, "mass": 0.0036, "axial_stiffness": "inextensible"}},
        "points": {"port wing": {"position": (0, 0, 0)}},
        "nets": {
            "n": {"panel": PANEL, "section": "twine", "bar_length": 0.025, "fastened": {"upper_left": "port win"}}
        },
    }
    with pytest.raises(InputError, match="no point or attachment 'port win'; did you mean 'port wing'") as error:
        System.model_validate(case)
    assert error.value.problems[0].path == "nets.n.fastened.upper_left"


CONE = {"kind": "cylinder", "centre": (0, 0, -8), "radius": 0.5, "lower_radius": 0.1, "height": 3, "axis": (-1, 0, 0)}


def test_a_cone_lies_along_its_axis_and_keeps_the_length_of_twine():
    """Rims across the axis with their radii; twine of 2/a metres per square metre of its facets."""
    made = nets(panel=CONE, cells=(24, 10))
    first, last = made.knot[made.row == 0], made.knot[made.row == 10]
    assert_allclose(first[:, 0], 0.0, atol=1e-15)
    assert_allclose(last[:, 0], -3.0, rtol=1e-14)
    assert_allclose(np.linalg.norm(first[:, 1:] - [0, -8], axis=1), 0.5, rtol=1e-13)
    assert_allclose(np.linalg.norm(last[:, 1:] - [0, -8], axis=1), 0.1, rtol=1e-13)
    corner = made.knot[made.screen]
    area = 0.5 * np.linalg.norm(np.cross(corner[:, 2] - corner[:, 0], corner[:, 3] - corner[:, 1]), axis=1).sum()
    # rows are weighted by the slant height, which the middle of a facet has not: cos(pi/24) and the cone's slope
    assert_allclose(made.length @ made.twines, 2.0 * area / 0.025, rtol=2e-3)
    across = np.tile([1.0, 0.0, 0.0], (1, 1))
    volume = 3.0 / 3.0 * (0.25 + 0.05 + 0.01) * 12 * math.sin(math.pi / 12)
    assert_allclose(measure(made, made.knot, across).volume, volume, rtol=1e-12)


def test_a_hoop_is_rigid_and_no_bar_of_it_is_one_too_many():
    """The rigidity matrix of its bars has full rank, three per knot less the six motions of a rigid body."""
    made = nets(panel=CONE, cells=(12, 2), hoop_mass=5.0)
    stiff = made.bar[made.twines == 0.0]
    knots = np.unique(stiff)
    matrix = np.zeros((len(stiff), 3 * len(made.knot)))
    for k, (a, b) in enumerate(stiff):
        way = made.knot[b] - made.knot[a]
        matrix[k, 3 * a : 3 * a + 3], matrix[k, 3 * b : 3 * b + 3] = -way, way
    assert len(stiff) == np.linalg.matrix_rank(matrix) == 3 * knots.size - 6
    assert_allclose(made.sinker_mass.sum(), 5.0, rtol=1e-14)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"panel": {**CYLINDER, "axis": (0, 0, 0)}}, "axis: it needs a direction"),
        ({"panel": {**CONE, "bottom": True}}, "bottom is for upright cylinders"),
        ({"panel": CONE, "mesh": "rhombic"}, "rhombic mesh is for upright cylinders"),
        ({"panel": CONE, "wake": "auto"}, "wake: auto is for upright cylinders"),
        ({"hoop_mass": 1.0}, "rim and hoop_mass are for cylinders"),
    ],
)
def test_cones_and_hoops_that_do_not_fit_are_refused(change, words):
    with pytest.raises(InputError, match=words):
        nets(**change)


def test_points_of_a_rim_lie_on_it():
    """A point far from every knot, and two at one."""
    made = {"n": Net.model_validate({"panel": CONE, "section": "twine", "bar_length": 0.025, "cells": (12, 2),
                                     "rim": ("p", "q")})}  # fmt: skip
    on = (0.0, 0.0, -8.5)
    for q, words in (
        ((0, 0, -9), "point 'q' of its rim lies 0.5 m from the nearest knot"),
        (on, "are at the same knot"),
    ):
        with pytest.raises(InputError, match=words):
            grips = {"p": Grip(0, -1, (0, 0, 0), np.array(on)), "q": Grip(1, -1, (0, 0, 0), np.array(q, float))}
            build_nets(made, {"twine": TWINE}, Environment(), grips)
    with pytest.raises(InputError, match="its rim refers to 'p', but there is no such point"):
        build_nets(made, {"twine": TWINE}, Environment(), {})
