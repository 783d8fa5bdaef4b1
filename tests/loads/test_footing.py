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
