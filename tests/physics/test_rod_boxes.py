"""Rods of rectangular section against closed forms, a cut triangulated body and differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rod_bodies import against_mesh, boxed, build, directions, flat, snake_fields, uniform_fields
from ropewalk.numerics.quadrature import gauss_legendre
from ropewalk.physics.rod_energy import rough_volume
from ropewalk.physics.rod_hydrostatics import hydrostatic_points, hydrostatics
from ropewalk.physics.rod_integrals import total
from ropewalk.physics.rod_shape import RECTANGLE

A, B = 0.06, 0.04
BENT = uniform_fields(1.0, A, B, 500.0, (0.0, 1.0, 4.0), RECTANGLE)
TWISTED = uniform_fields(1.0, A, B, 500.0, (6.0, 1.0, 4.0), RECTANGLE)
SNAKE = boxed(snake_fields())


@pytest.mark.parametrize("roll", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("tilt", [0.0, 1e-14, 1e-11, 1e-9, 1e-6, 1e-3, 0.1, 0.44, 0.46, 0.7, 1.2])
def test_tilted_prism_cut_between_its_ends(tilt, roll):
    """V = 4 a b l; the waterplane covers the section, at x = l - tan(tilt) (q2 cos roll + q3 sin roll)."""
    length, wet = 2.0, 0.85
    rod = build(uniform_fields(length, A, B, 500.0, section=RECTANGLE))
    across = np.array([np.cos(roll), np.sin(roll)])
    up, t = np.array([np.cos(tilt), *(np.sin(tilt) * across)]), np.tan(tilt) * across
    acc = hydrostatics(rod.panels, -wet * up[0], up)
    second = np.array([A**2, B**2]) / 3  # mean squares of the section coordinates
    V, plane = 4 * A * B * wet, 4 * A * B / up[0]
    # round-off of sums of 16 points in up to 5 pieces
    assert_allclose(acc.volume, V, rtol=1e-13)
    moment = 4 * A * B * np.array([0.5 * wet**2 + 0.5 * second @ t**2, *(-second * t)])
    assert_allclose(acc.moment, moment, rtol=1e-12, atol=1e-14 * V)
    assert_allclose(acc.area, plane, rtol=1e-12)
    assert_allclose(acc.area_moment, [plane * wet, 0, 0], rtol=1e-12, atol=1e-14 * plane)
    squares = plane * np.array([wet**2 + second @ t**2, *second])
    assert_allclose(np.diag(acc.area_second), squares, rtol=1e-12)


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_upright_prism_with_an_end_in_the_surface_is_dry_or_drowned(end):
    rod = build(uniform_fields(1.0, A, B, 500.0, section=RECTANGLE))
    acc = hydrostatics(rod.panels, -end, np.array([1.0, 0.0, 0.0]))
    assert_allclose(acc.volume, 4 * A * B * end, rtol=1e-14, atol=0)


@pytest.mark.parametrize(("fields", "seed"), [(BENT, 1), (TWISTED, 4), (SNAKE, 2)], ids=["bent", "twisted", "snake"])
def test_curved_boxes_against_a_triangulated_body(fields, seed):
    """The difference falls with the square of the mesh, because facets of a curved side are flat."""
    rod = build(fields)
    for up in directions(2, seed):
        exact, coarse, extrapolated = against_mesh(rod, up, 64)
        assert np.abs(coarse - exact).max() < 1e-2 * exact[0]
        # Richardson leaves fourth-order terms of a section that turns by 7 rad in 64 steps, (7/64)^4/16 = 1e-5
        assert_allclose(extrapolated, exact, rtol=0, atol=3e-5 * exact[0])


@pytest.mark.parametrize("fields", [BENT, TWISTED, SNAKE], ids=["bent", "twisted", "snake"])
def test_waterplane_is_the_derivative_of_the_wet_volume(fields):
    """dV = -A dz - B.du and dX = -B dz - C du, fourth-order differences, random poses."""
    rod, step = build(fields), 1e-5
    for up in directions(5, 3):
        z = -float(up @ rod.centre) + 0.01
        acc = hydrostatics(rod.panels, z, up)
        first = acc.area_moment
        second = acc.area_second
        for dz, du in ((1.0, np.zeros(3)), (0.2, np.array([0.5, -0.4, 0.7]))):

            def at(t, z=z, up=up, dz=dz, du=du):
                return flat(hydrostatics(rod.panels, z + t * dz, up + t * du))

            slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)
            # round-off 1e-16 V/step is 1e-12 of the area; the waterplane has kinks where corners cross an end face
            scale = acc.area + np.linalg.norm(first) / rod.length
            assert_allclose(slope[0], -acc.area * dz - first @ du, rtol=0, atol=1e-8 * scale)
            assert_allclose(slope[1:4], -first * dz - second @ du, rtol=0, atol=1e-8 * scale)


@pytest.mark.parametrize("depth", [0.0, 1e-9, 1e-6, 1e-3])
def test_a_level_side_that_twists_through_the_surface_is_integrated_exactly(depth):
    """The top of a level twisted plank is in the surface at one place: poles of the moments lie close by.

    Three times as many points change nothing.
    """
    rod = build(uniform_fields(1.0, A, B, 500.0, (3.0, 0.0, 0.0), RECTANGLE))
    turn = 1.5  # of the section at mid-length
    up = np.array([0.0, np.sin(turn), np.cos(turn)])
    acc = hydrostatics(rod.panels, depth - B, up)
    rule = gauss_legendre(48)
    finer = hydrostatics(rod.panels._replace(sub_x=rule.x, sub_w=rule.weight), depth - B, up)
    # round-off of some hundred points
    assert_allclose(flat(acc), flat(finer), rtol=0, atol=1e-13 * np.abs(finer.volume))
    assert_allclose(acc.area, finer.area, rtol=1e-13)


def test_points_add_up_to_the_whole():
    """Each point on its own, as the sensitivities want them, gives the same sums."""
    rod = build(TWISTED)
    for up in directions(3, 8):
        z = -float(up @ rod.centre)
        entries, _ = hydrostatic_points(rod.panels, z, up)
        whole = hydrostatics(rod.panels, z, up)
        assert_allclose(flat(total(entries)), flat(whole), rtol=1e-12, atol=1e-14 * whole.area)


def test_plane_slices_miss_a_curved_box_and_agree_on_a_straight_one():
    up = directions(1, 5)[0]
    for kappa, differs in (((1.0, 0.0, 0.0), False), ((0.0, 0.0, 6.0), True)):
        fields = uniform_fields(1.0, A, B, 500.0, kappa, RECTANGLE)
        exact, slices = build(fields), build(fields, curved=False)
        z = -float(up @ exact.centre)
        difference = abs(hydrostatics(exact.panels, z, up).volume - hydrostatics(slices.panels, z, up).volume)
        assert (difference > 1e-4 * exact.volume) == differs


def test_first_guess_of_the_volume_is_near():
    """Slices on the Gauss points alone: good to some per cent, which is all that is asked of it."""
    rod = build(BENT)
    for up in directions(4, 9):
        z = -float(up @ rod.centre)
        volume, area = rough_volume(rod.panels, z, up)
        acc = hydrostatics(rod.panels, z, up)
        assert abs(volume - acc.volume) < 0.1 * rod.volume
        assert 0.3 < area / acc.area < 3.0


@pytest.mark.parametrize("height", [1.0, -1.0])
def test_a_box_far_above_or_below_the_surface_is_dry_or_drowned(height):
    rod = build(SNAKE)
    acc = hydrostatics(rod.panels, 3.0 * height, np.array([0.0, 0.6, 0.8]))
    assert_allclose(acc.volume, 0.0 if height > 0 else rod.volume, rtol=1e-14)
    assert acc.area == 0.0
