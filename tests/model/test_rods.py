"""Rods as arrays: every way to give a shape, mass, and the checks that need the shape."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rod_bodies import build, helix_fields, uniform_fields
from ropewalk.errors import InputError
from ropewalk.model.rod_fields import build_rod, rod_fields
from ropewalk.model.rods import (
    RodWarning,
    check,
    curvature_of,
    discretise,
    numbers,
    place,
    reshape,
    section_outline,
)
from ropewalk.spec.environment import Environment
from ropewalk.spec.rods import Rod

SEA = Environment(water_density=1000.0, gravity=9.81)


def frame(rod, s):
    """Position and section axes at s."""
    row = place(rod, s)
    return np.concatenate([row.position, row.t2, row.t3])


ROUND = {"kind": "ellipse", "a": 0.05, "b": 0.05}


def rod_of(curvature: dict, **more):
    return build_rod(Rod(**{"length": 2.0, "density": 500.0, "section": ROUND, "curvature": curvature, **more}), SEA)


@pytest.mark.parametrize(("kappa", "length"), [(2e4, 2.0), (1e6, 2.0), (1e9, 2.0), (0.5, 1e6)])
def test_rods_of_too_many_panels_are_refused_before_the_panels_are_made(kappa, length, monkeypatch):
    from ropewalk.model import rods

    asked, plain = [], rods._is_resolved
    monkeypatch.setattr(rods, "_is_resolved", lambda *arguments: asked.append(1) or plain(*arguments))
    with pytest.raises(InputError, match="needs more than 2000 panels of 16 points; reduce its length or curvature"):
        rod_of({"kind": "constant", "kappa": [0.0, 0.0, kappa]}, length=length)
    assert len(asked) < 2 * rods.MOST_PANELS + rods.HALVINGS  # a fraction of a second


@pytest.mark.parametrize(
    "curvature",
    [
        {"kind": "constant", "kappa": [0.2, 0.3, 1.0]},
        {"kind": "pieces", "pieces": [{"length": length, "kappa": [0.2, 0.3, 1.0]} for length in (1.3, 0.7)]},
        {"kind": "table", "s": [0, 1, 2], "kappa": [[0.2, 0.3, 1.0]] * 3},
        {"kind": "chebyshev", "coefficients": [[0.2], [0.3], [1.0, 0, 0]]},
        {"kind": "fourier", "mean": [0.2, 0.3, 1.0], "sine": [[0, 0, 0]]},
        {"kind": "twists", "twists": [{"s": 1.0, "angle": 0.0}], "kappa": [0.2, 0.3, 1.0]},
    ],
    ids=lambda curvature: curvature["kind"],
)  # fmt: skip
def test_every_way_to_say_constant_curvature_gives_one_shape(curvature):
    reference = build(uniform_fields(2.0, 0.05, 0.05, 500.0, (0.2, 0.3, 1.0)))
    rod = rod_of(curvature)
    for s in (0.0, 0.4, 1.3, 2.0):
        # both are exact to round-off of some tens of sums
        assert_allclose(frame(rod, s), frame(reference, s), rtol=0, atol=1e-13)
    assert_allclose(rod.centre, reference.centre, rtol=0, atol=1e-13)


def test_centreline_through_a_circle_gives_its_curvature():
    """Points on a circle of radius 2; the quintic spline errs with the sixth power of the spacing."""
    radius = 2.0
    angle = np.linspace(0.0, 2.0, 41)
    points = np.stack([radius * np.cos(angle), np.zeros_like(angle), radius * np.sin(angle)], -1)
    rod = rod_of({"kind": "centreline", "points": points.tolist()}, length=None)
    assert_allclose(rod.length, 4.0, rtol=1e-9)
    bend = np.hypot(rod.panels.rows["bend3"], rod.panels.rows["bend2"])
    # spacing 0.05 rad, curvature is a second derivative: 0.05^4 times a constant below 1 near the ends
    assert_allclose(bend, 1 / radius, rtol=1e-5)
    ends = np.linalg.norm(place(rod, rod.length).position - place(rod, 0.0).position)
    assert_allclose(ends, 2 * radius * np.sin(1.0), rtol=1e-8)


def test_narrow_gaussian_twists_tend_to_sharp_ones():
    twists = [{"s": 0.5 * k, "angle": 40.0} for k in (1, 2, 3)]
    sharp = rod_of({"kind": "twists", "twists": twists})
    for width in (0.02, 0.005):
        soft = rod_of({"kind": "twists", "twists": twists, "width": width})
        # outside the bells the frame is the same
        assert_allclose(frame(soft, 1.25), frame(sharp, 1.25), rtol=0, atol=1e-9)


def test_frame_stays_orthonormal_and_tangent_is_the_slope_of_the_position():
    rod = build(helix_fields())
    for s in np.linspace(0.01, rod.length - 0.01, 7):
        row = place(rod, s)
        frame = np.stack([row.t1, row.t2, row.t3])
        assert_allclose(frame @ frame.T, np.eye(3), rtol=0, atol=1e-12)
        h = 1e-4
        slope = (place(rod, s + h).position - place(rod, s - h).position) / (2 * h)
        # h^2/6 kappa^2 = 6e-6 with kappa up to 60
        assert_allclose(slope, row.t1, rtol=0, atol=1e-5)


def test_mass_of_a_pipe_and_of_a_taper():
    pipe = rod_of({"kind": "constant"}, section={"kind": "pipe", "diameter": 0.4, "wall": 0.01}, density=1500.0)
    assert_allclose(pipe.mass, 1500.0 * np.pi * 0.39 * 0.01 * 2.0, rtol=1e-13)
    assert_allclose(pipe.volume, np.pi * 0.2**2 * 2.0, rtol=1e-13)
    cone = rod_of(
        {"kind": "constant"},
        section={"kind": "ellipse", "a": {"s": [0, 2], "value": [0.1, 0.2]}, "b": {"s": [0, 2], "value": [0.1, 0.2]}},
    )
    assert_allclose(cone.volume, np.pi * 2.0 / 3 * (0.01 + 0.02 + 0.04), rtol=1e-13)


def test_elliptical_pipe_and_box_weigh_their_wall_and_their_contents():
    metal, filling = 2700.0, 300.0
    pipe = {"kind": "pipe", "a": 0.2, "b": 0.1, "wall": 0.01, "contents": filling}
    rod = rod_of({"kind": "constant"}, section=pipe, density=metal)
    outer, inner = np.pi * 0.2 * 0.1, np.pi * 0.19 * 0.09
    assert_allclose(rod.mass, 2.0 * (metal * (outer - inner) + filling * inner), rtol=1e-13)
    assert_allclose(rod.volume, 2.0 * outer, rtol=1e-13)
    box = {"kind": "rectangle", "width": {"s": [0, 2], "value": [0.4, 0.6]}, "height": 0.3, "wall": 0.005}
    rod = rod_of({"kind": "constant"}, section=box, density=metal)
    outer, inner = 0.5 * 0.3, 0.49 * 0.29  # at mid-length, and linear along s
    assert_allclose(rod.mass, 2.0 * metal * (outer - inner), rtol=1e-13)
    assert_allclose(rod.volume, 2.0 * outer, rtol=1e-13)


def test_a_pipe_with_a_wall_to_the_middle_is_solid():
    hollow = rod_of({"kind": "constant", "kappa": [0, 0, 1]}, section={"kind": "pipe", "diameter": 0.2, "wall": 0.1})
    solid = rod_of({"kind": "constant", "kappa": [0, 0, 1]}, section={"kind": "ellipse", "a": 0.1, "b": 0.1})
    assert_allclose(hollow.line_mass, solid.line_mass, rtol=1e-15)
    assert_allclose(hollow.centre, solid.centre, rtol=1e-14)


def test_centre_of_a_bent_box_lies_outside_its_axis():
    """Sector of a square torus: the mean radius of its mass is R (1 + a^2/(3 R^2)) times that of the arc."""
    radius, a, half = 0.5, 0.1, 0.7
    box = {"kind": "rectangle", "width": 2 * a, "height": 0.1}
    bent = {"kind": "constant", "kappa": [0, 0, 1 / radius]}
    rod = rod_of(bent, section=box, length=2 * half * radius)
    centre = np.array([0.0, radius, 0.0])
    expected = radius * (1 + a**2 / (3 * radius**2)) * np.sin(half) / half
    assert_allclose(np.linalg.norm(rod.centre - centre), expected, rtol=1e-12)


def test_corners_of_a_box_count_for_the_radius_of_curvature():
    box = {"kind": "rectangle", "width": 0.1, "height": 0.08}
    with pytest.raises(InputError, match=r"the section reaches 1.3 times the radius of curvature"):
        rod_of({"kind": "constant", "kappa": [0.0, 10.0, 18.0]}, section=box)


def test_outline_of_a_section_has_its_area_and_corners():
    box = rod_of({"kind": "constant"}, section={"kind": "rectangle", "width": 0.1, "height": 0.08})
    outline = section_outline(box, place(box, 0.3), 41)
    x, y = outline.T
    assert_allclose(0.5 * np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]), 0.1 * 0.08, rtol=1e-14)
    assert_allclose(outline[0], outline[-1], atol=1e-17)


def test_centre_of_a_bent_rod_lies_outside_its_axis():
    """Torus sector: distance of the mass centre from the axis of revolution, exact volume element.

    R (1 + r^2/(4 R^2)) sinc for the radial mean of a circular section.
    """
    radius, r, half = 0.5, 0.1, 0.7
    rod = discretise(uniform_fields(2 * half * radius, r, r, 500.0, (0.0, 0.0, 1 / radius)))
    centre = np.array([0.0, radius, 0.0])  # of the arc: bending about axis 3 turns towards +y
    expected = radius * (1 + r**2 / (4 * radius**2)) * np.sin(half) / half
    assert_allclose(np.linalg.norm(rod.centre - centre), expected, rtol=1e-12)


def test_reshape_gives_the_same_rod_as_building_it():
    rod = build(helix_fields())
    again = reshape(rod, curvature_of(rod))
    assert_allclose(numbers(again.panels.rows), numbers(rod.panels.rows), rtol=0, atol=1e-15)
    assert_allclose(again.centre, rod.centre, rtol=0, atol=1e-16)


def test_a_rod_denser_than_water_is_refused():
    with pytest.raises(InputError, match=r"mean density 1100 kg/m3 is not below that of the water, 1000 kg/m3"):
        build_rod(Rod(length=1.0, density=1100.0, section=ROUND), SEA, "log")


def test_water_without_density_is_refused():
    with pytest.raises(InputError, match="water_density is 0"):
        build_rod(Rod(length=1.0, density=500.0, section=ROUND), SEA.replace(water_density=0.0))


def test_a_rod_without_gravity_is_refused():
    with pytest.raises(InputError, match="gravity is 0"):
        build_rod(Rod(length=1.0, density=500.0, section=ROUND), SEA.replace(gravity=0.0))


def test_a_rod_without_mass_is_refused():
    with pytest.raises(InputError, match="its mass is zero"):
        check(build(uniform_fields(1.0, 0.1, 0.1, 0.0)))


def test_a_section_wider_than_the_radius_of_curvature_is_refused():
    with pytest.raises(InputError, match=r"the section reaches 1.2 times the radius of curvature"):
        rod_of({"kind": "constant", "kappa": [0.0, 0.0, 24.0]})
    straight = rod_of({"kind": "constant", "kappa": [24.0, 0.0, 0.0]})  # twist does not matter
    assert straight.volume > 0.0


def test_a_rod_that_runs_into_itself_is_told():
    with pytest.warns(RodWarning, match=r"it intersects itself: near s = .* its surfaces overlap"):
        rod_of({"kind": "constant", "kappa": [0.0, 0.0, 2 * np.pi]})


def test_a_tight_but_clear_rod_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(build(helix_fields()))


def test_points_that_coincide_are_refused():
    with pytest.raises(InputError, match="two consecutive points of its centreline coincide"):
        rod_fields(Rod(density=500.0, section=ROUND, curvature={"kind": "centreline", "points": [[0, 0, 0]] * 4}))


def test_length_that_contradicts_the_centreline_is_refused():
    with pytest.raises(InputError, match=r"length is 5.0 m, but the spline of its centreline is 2 m long"):
        rod_of({"kind": "centreline", "points": [[0.5 * k, 0, 0] for k in range(5)]}, length=5.0)
