"""Nets as the user gives them."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydantic import ValidationError

from ropewalk.errors import InputError
from ropewalk.model.nets import MORISON, build_nets
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
    return build_nets({"n": Net.model_validate(data)}, {"twine": TWINE}, ["p"], environment or Environment())


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
        ({"panel": CYLINDER, "fastened": {"upper_left": "p"}}, "a cylinder has none"),
        ({"wake": "auto"}, "for cylinders"),
    ],
)
def test_what_cannot_be_is_refused(net, words):
    with pytest.raises(ValidationError, match=words):
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
    with pytest.raises(ValidationError, match="no point 'port win'; did you mean 'port wing'") as error:
        System.model_validate(case)
    assert error.value.errors()[0]["loc"] == ("nets", "n", "fastened", "upper_left")
