"""What the bed presses on under points and attachments."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.loads.footing import attachment_footings, end_radii, footing_depths, footing_of, point_footings
from ropewalk.model.model import build


def system(stiffness=1e5, **clump) -> rw.System:
    return rw.System.model_validate(
        {
            "environment": {"depth": 20.0, "seabed": {"stiffness": stiffness, "friction": 0.5}},
            "sections": {"rope": {"diameter": 0.04, "mass": 3.0, "axial_stiffness": 1e7, "contact_diameter": 0.04}},
            "points": {
                "top": {"position": [0, 0, 0]},
                "clump": {"position": [0, 0, -19], "joint": "free", **clump},
                "far": {"position": [30, 0, -20]},
            },
            "lines": {
                "down": {"from": "top", "to": "clump", "pieces": [{"section": "rope", "length": 22}]},
                "along": {"from": "clump", "to": "far", "pieces": [{"section": "rope", "length": 29.5}],
                          "attachments": [{"s": 10, "mass": 78.5}]},
            },
        }
    )  # fmt: skip


def test_a_ball_sinks_a_tenth_of_its_diameter_at_most():
    """On a stiff bed the contact is the ball's disc, on a soft one what its weight needs."""
    sea = build(system(mass=1.0)).sea
    mass, volume, force = np.array([7850.0]), np.zeros(1), np.zeros((1, 3))
    diameter = np.cbrt(6.0 / np.pi)  # of 1 m3 of steel
    soft = footing_of(sea, mass, volume, force)
    assert_allclose(7850.0 * sea.gravity / (sea.bed_stiffness * soft.area), 0.1 * diameter)
    stiff = footing_of(sea._replace(bed_stiffness=1e9), mass, volume, force)
    assert_allclose(stiff.area, 0.25 * np.pi * diameter**2)
    given = footing_of(sea, mass, volume, np.array([[0.0, 0.0, -7850.0 * sea.gravity]]))
    assert_allclose(given.area, 2.0 * soft.area)


def test_floats_have_their_disc_and_bare_points_nothing():
    sea = build(system(mass=1.0)).sea
    found = footing_of(sea, np.array([1.0, 0.0]), np.array([np.pi / 6.0, 0.0]), np.zeros((2, 3)))
    assert_allclose(found.area, [0.25 * np.pi, 0.0])


def test_line_ends_share_the_footing_of_their_point():
    model = build(system(mass=500.0))
    area = point_footings(model)
    whole = footing_of(model.sea, model.points.mass, model.points.volume, model.points.force).area[1]
    assert_allclose(area, [[0.0, 0.5 * whole], [0.5 * whole, 0.0]])  # held points have none
    assert_allclose(end_radii(model), 0.02)
    assert_allclose(
        attachment_footings(model), footing_of(model.sea, np.array([78.5]), np.zeros(1), np.zeros((1, 3))).area
    )
    assert_allclose(footing_depths(model)[0], 0.1 * np.cbrt(6.0 / np.pi * 500.0 / 7850.0))


@pytest.mark.parametrize("method", ["fem", "bars_statics"])
def test_a_weight_stands_on_the_bed_by_its_own_law(method):
    """Depth of the node below its height of contact times stiffness and area is its weight with half of its ropes'."""
    answer = rw.statics(system(mass=500.0), method)
    model = answer.model
    depth = 0.02 - (answer.state.point_position[1, 2] + 20.0)
    push = depth * model.sea.bed_stiffness * point_footings(model).sum()
    pull = answer.state.end_force[0, 1, 2] + answer.state.end_force[1, 0, 2]
    assert_allclose(push + pull, 500.0 * 9.80665, rtol=1e-6)
    assert answer.audit.passed


def test_a_weight_dropped_on_the_bed_stays_there():
    """It comes down from 1 m above, is stopped by the bed, and rests at its depth, held by friction."""
    data = system(mass=500.0).model_dump(mode="json", exclude_unset=True)
    data["run"] = {"duration": 20.0, "tolerance": 1e-3, "start": "as_given"}
    data["record"] = {"every": 0.5}
    run = rw.simulate(rw.System.model_validate(data))
    height = run.point_position.sel(point="clump", axis="z").values
    depth = 0.02 - (height + 20.0)
    assert depth.max() < 0.2  # of its diameter of 0.5 m; it came down with 4 m/s
    settled = build(system(mass=500.0))
    rest = 500.0 * 9.80665 / (settled.sea.bed_stiffness * point_footings(settled).sum())
    # its ropes carry less than a tenth of it
    assert_allclose(depth[-1], rest, rtol=0.1)


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("slope", [0.0, 10.0, 30.0, 60.0])
def test_a_weight_on_a_slope_presses_by_its_law_at_the_end_of_a_short_line(slope, friction):
    r"""N = k A (a - h) = -F . n and |F - (F . n) n| <= mu N, F the weight and the pull of the line; its level is the
    contact radius a there, also if the line floats up from an anchor on the bed no farther than 1000 a away.
    """
    down = np.array([np.cos(np.radians(slope)), 0.0, -np.sin(np.radians(slope))])
    normal = np.array([-down[2], 0.0, down[0]])
    case = {
        "environment": {"depth": 40.0, "gravity": 9.81,
                        "seabed": {"stiffness": 1e5, "friction": friction, "normal": normal.tolist()}},
        "sections": {"rope": {"diameter": 0.08, "mass": 4.0, "axial_stiffness": 1e6, "contact_diameter": 0.08}},
        "points": {
            "anchor": {"position": [0, 0, -40.0]},
            "weight": {"position": ([0, 0, -40.0] + 10.0 * down).tolist(), "joint": "free", "mass": 300.0},
        },
        "lines": {"l": {"from": "anchor", "to": "weight", "pieces": [{"section": "rope", "length": 10.2}]}},
    }  # fmt: skip
    answer = rw.statics(rw.System.model_validate(case), "fem")
    model, state = answer.model, answer.state
    force = state.end_force[0, 1] + [0.0, 0.0, -300.0 * 9.81]
    depth = 0.04 - (state.point_position[1] @ normal + 40.0 * normal[2])
    push = depth * model.sea.bed_stiffness * point_footings(model).sum()
    # Newton stops at 1e-6 of the weight or better
    assert_allclose(push, -force @ normal, rtol=1e-6)
    along = np.linalg.norm(force - (force @ normal) * normal)
    assert along <= friction * push + 1e-6 * 300.0 * 9.81


def test_shooting_passes_on_a_point_that_lies_lower_than_one_of_its_lines_rests():
    """The bed bears on a point from the height at which its lines rest; shooting has none of that, and says so.

    It had the end of a thick line below its contact radius without a force: 5 % of the largest away from `fem`.
    """
    case = {
        "environment": {"depth": 14.0, "seabed": {"stiffness": 2e5, "friction": 0.0, "normal": [-0.06, 0.06, 1.0]}},
        "sections": {
            "thick": {"diameter": 0.18, "mass": 52.0, "axial_stiffness": 4.8e7, "contact_diameter": 0.27},
            "thin": {"diameter": 0.19, "mass": 136.0, "axial_stiffness": 4.6e7},
        },
        "points": {
            "ring": {"position": [0, 0, -13], "joint": "free", "mass": 6.0, "volume": 0.0066},
            "high": {"position": [-30.6, 29.2, -6.4]},
            "low": {"position": [-34.0, -34.0, -14.0]},
        },
        "lines": {
            "a": {"from": "high", "to": "ring", "pieces": [{"section": "thick", "length": 42.4}]},
            "b": {"from": "low", "to": "ring", "pieces": [{"section": "thin", "length": 50.4}]},
        },
    }
    system = rw.System.model_validate(case)
    with pytest.raises(rw.ConvergenceError, match=r"rests at 0\.135 m, a contact that shooting does not model"):
        rw.statics(system, "shooting")
    answer = rw.statics(system)
    assert answer.method == "fem"
    assert answer.audit.passed
