"""Surfaces: closed, outward, and as large as what they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.io.native import read_text
from ropewalk.model.rod_fields import build_rod
from ropewalk.spec.bodies import Body
from ropewalk.viewer.shapes import AROUND, RINGS, ROD_AROUND, Shape, box, hull, revolution, rod_surface, sphere


def polygon(n: int) -> float:
    """Area of a regular n-gon over that of its circle."""
    return n / (2.0 * math.pi) * math.sin(2.0 * math.pi / n)


def check_closed(shape: Shape) -> None:
    """Normals are unit, facets look the way of their normals, and the vector areas of a closed surface cancel."""
    assert_allclose(np.linalg.norm(shape.normals, axis=1), 1.0, rtol=1e-12)
    a, b, c = (shape.vertices[shape.triangles[:, k]] for k in range(3))
    area = 0.5 * np.cross(b - a, c - a)
    size = np.linalg.norm(area, axis=1)
    assert_allclose(area.sum(axis=0), 0.0, atol=1e-12 * size.sum())
    outward = np.einsum("ij,ij->i", area, shape.normals[shape.triangles].mean(axis=1))
    assert (outward[size > 1e-12 * size.max()] > 0.0).all()


def test_a_hull_of_revolution_has_the_volume_of_its_frusta():
    """V = pi h (r0^2 + r0 r1 + r1^2) / 3 of each, on polygons in place of circles."""
    shape = revolution(np.array([[-1.0, 0.6], [0.5, 0.9], [1.0, 0.2]]))
    frusta = math.pi / 3.0 * (1.5 * (0.36 + 0.54 + 0.81) + 0.5 * (0.81 + 0.18 + 0.04))
    check_closed(shape)
    assert_allclose(shape.volume, polygon(AROUND) * frusta, rtol=1e-12)  # straight generators: exact to round-off


def test_a_step_in_a_profile_is_a_flat_ring():
    """Two radii at one height: the volume is that of two cylinders."""
    shape = revolution(np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.5], [2.0, 0.5]]))
    check_closed(shape)
    assert_allclose(shape.volume, polygon(AROUND) * math.pi * 1.25, rtol=1e-12)


def test_a_sphere_is_round_about_its_centre():
    shape = sphere(2.0, np.array([1.0, 2.0, 3.0]))
    check_closed(shape)
    assert_allclose(np.linalg.norm(shape.vertices - [1.0, 2.0, 3.0], axis=1), 2.0, rtol=1e-12)
    # chords below arcs: (pi / n)^2 / 3 of the area around, a quarter of that with 2 n rings from pole to pole
    assert_allclose(shape.volume, 32.0 / 3.0 * math.pi, rtol=(math.pi / RINGS) ** 2)


def test_a_box_has_its_volume():
    shape = box(np.array([-1.0, 0.0, 2.0]), np.array([1.0, 3.0, 2.5]))
    check_closed(shape)
    assert_allclose(shape.volume, 3.0, rtol=1e-12)


@pytest.mark.parametrize(
    ("attachments", "half"),
    [({}, [0.7, 0.7, 0.7]), ({"a": (10.0, 0.0, 0.0), "b": (-10.0, 4.0, 0.0)}, [10.0, 4.0, 4.0])],
)
def test_a_body_without_a_hull_is_a_box_around_its_attachments(attachments, half):
    """Half of what they span; at least a fifth of the longest side; of the given size where they span nothing."""
    body = Body(mass=1.0, position=(0.0, 0.0, 0.0), attachments=attachments)
    assert_allclose(np.ptp(hull(body, 0.7).vertices, axis=0) / 2.0, half)


def rod(section: str, curvature: str = "{kind: constant}"):
    text = f"""
ropewalk: 1
rods: {{log: {{length: 2, density: 500, section: {section}, curvature: {curvature}}}}}
"""
    system = read_text(text, "rod.yaml")
    return build_rod(system.rods["log"], system.environment, "log")


@pytest.mark.parametrize(
    ("section", "area"),
    [
        ("{kind: ellipse, a: 0.2, b: 0.1}", math.pi * 0.02 * polygon(ROD_AROUND)),
        ("{kind: rectangle, width: 0.3, height: 0.2}", 0.06),
    ],
)
def test_a_straight_rod_has_the_volume_of_a_prism(section, area):
    shape = rod_surface(rod(section))
    check_closed(shape)
    assert_allclose(shape.volume, 2.0 * area, rtol=1e-10)  # the frame is integrated to round-off


def test_a_bent_rod_keeps_its_volume():
    """Pappus: a section turned about an axis sweeps its area times the way of its centre."""
    shape = rod_surface(rod("{kind: ellipse, a: 0.2, b: 0.1}", "{kind: constant, kappa: [0, 0, 1.0]}"))
    # 240 chords over 2 rad lose (2 / 240)^2 / 6 of the arc
    assert_allclose(shape.volume, 2.0 * math.pi * 0.02 * polygon(ROD_AROUND), rtol=2e-5)
