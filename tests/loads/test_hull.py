"""Loads on hulls: closed forms, and the derivatives that Newton's method needs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.loads.cut import (
    HULL_WATER,
    centre_pressure,
    pressure_gradient,
    shift_cut,
    surface_plane,
    wall_cut,
)
from ropewalk.loads.float import cap_depth, wet_sphere
from ropewalk.loads.hull import (
    SUMS,
    add_strips,
    disc_terms,
    drag_terms,
    inertia_of_water,
    point_terms,
    uneven_water,
    wet_strip,
)
from ropewalk.loads.strips import cut_strips, strips_of
from ropewalk.model.arrays import records
from ropewalk.model.model import build
from ropewalk.numerics.rotations import exp_so3
from ropewalk.physics import hydrostatics
from ropewalk.physics.rigidbody import arm_rates
from ropewalk.physics.waves import wave_table
from ropewalk.spec.system import System

UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
PROFILE = np.array([[-1.2, 0.3], [-0.4, 0.7], [0.9, 0.6]])


def differences(function, size: int = 6) -> np.ndarray:
    """Central differences of a vector function at zero."""
    e = 1e-5  # truncation e^2 and round-off 1e-16/e meet near 1e-10 of the derivative
    columns = [(function(e * row) - function(-e * row)) / (2.0 * e) for row in np.eye(size)]
    return np.stack(columns, axis=1)


def test_strips_have_the_volume_of_the_hull():
    """Frusta: pi/3 h (a^2 + ab + b^2)."""
    strips = cut_strips(PROFILE)
    frusta = [np.pi / 3 * (z1 - z0) * (a * a + a * b + b * b) for (z0, a), (z1, b) in pairwise(PROFILE)]
    assert_allclose(strips.volume.sum(), sum(frusta), rtol=1e-14)
    assert_allclose(strips.thick.sum(), 2.1, rtol=1e-14)


def assert_cuts_equal(found, exact) -> None:
    for name in hydrostatics.CUT.names:
        assert_allclose(found[name], exact[name], atol=1e-13, err_msg=name)


GRADIENT = (800.0, -1500.0, 1.1e4)  # N/m3, of an accelerated sea


def buoyancy(y: np.ndarray, up: np.ndarray, tilt: np.ndarray, ball: bool = False) -> np.ndarray:
    """Block of the hull displaced by y[:3] and turned by y[3:]."""
    R = exp_so3(y[3:]) @ exp_so3(tilt)
    cut, block = records(1, hydrostatics.CUT), np.zeros((6, 7))
    height = float(up @ (np.array([0.1, 0.2, 0.15]) + y[:3]))
    if ball:
        centre = R @ np.array([0.2, -0.1, -0.4])
        hydrostatics.sphere(centre, 0.8, up, height, cut)
        centre_pressure(cut, centre)
    else:
        hydrostatics.axisymmetric(PROFILE, np.ascontiguousarray(R[:, 2]), up, height, cut)
    hydrostatics.buoyancy_terms(cut, up, GRADIENT, block)
    return block


@pytest.mark.parametrize("ball", [False, True], ids=["cone", "ball"])
@pytest.mark.parametrize(
    "tilt", [[0.0, 0.0, 0.0], [0.3, -0.5, 0.2], [1.2, 0.4, 0.0]], ids=["upright", "heeled", "steep"]
)
def test_buoyancy_derivatives_under_a_sloping_surface_are_those_by_differences(tilt, ball):
    up = np.array([0.2, -0.1, 1.0])
    up /= np.linalg.norm(up)
    y = np.zeros(6)
    found = buoyancy(y, up, np.array(tilt), ball)[:, :6]
    expected = differences(lambda y: buoyancy(y, up, np.array(tilt), ball)[:, 6])
    # differences of a force near 1e4 N: 1e-16 1e4 / 1e-5 = 1e-7, and e^2 times third derivatives near 1e6
    assert_allclose(found, expected, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("tilt", [[0.0, 0.0, 0.0], [0.3, -0.5, 0.2], [0.0, 0.7, 0.0]])
def test_cylinder_cut_through_its_wall_is_that_of_the_quadrature(tilt):
    """Closed form against Gauss points that are exact to round-off."""
    profile = np.array([[-2.0, 0.6], [1.5, 0.6]])
    up = np.array([0.1, -0.05, 1.0]) / np.linalg.norm([0.1, -0.05, 1.0])
    axis = np.ascontiguousarray(exp_so3(np.array(tilt))[:, 2])
    exact, found = records(1, hydrostatics.CUT), records(1, hydrostatics.CUT)
    hydrostatics.axisymmetric(profile, axis, up, 0.3, exact)
    assert wall_cut(-2.0, 1.5, 0.6, axis, up, 0.3, found)
    assert_cuts_equal(found, exact)


def test_cylinder_cut_through_a_lid_is_left_to_the_quadrature():
    cut, up = records(1, hydrostatics.CUT), np.array([0.0, 0.0, 1.0])
    for height, tilt in ((2.5, 0.0), (-2.0, 0.0), (1.9, 0.5), (0.0, 1.5)):
        assert not wall_cut(-2.0, 1.5, 0.6, np.array([np.sin(tilt), 0.0, np.cos(tilt)]), up, height, cut)


def test_force_that_keeps_its_direction_has_the_derivative_of_its_moment():
    force, arm = np.array([3.0, -1.0, 2.0]), np.array([0.4, 0.8, -0.5])

    def block(y: np.ndarray) -> np.ndarray:
        out = np.zeros((6, 7))
        hydrostatics.force_terms(tuple(force), tuple(exp_so3(y[3:]) @ arm), out)
        return out

    assert_allclose(block(np.zeros(6))[:, :6], differences(lambda y: block(y)[:, 6]), atol=1e-8)


def strip_block(y: np.ndarray, bp: float, gp: float, kind: str) -> np.ndarray:
    """Strips or discs on an axis, or a sphere, of a moving, turning body after Newton's correction y, from Z = 1."""
    turn = exp_so3(y[3:])
    t, e = turn @ np.array([0.36, -0.48, 0.8]), turn @ (np.zeros(3) if kind == "strips" else np.array([0.5, -0.9, 0.3]))
    # with Z = 1: omega -> R omega + gp theta, alpha -> R alpha + bp theta
    omega = tuple(turn @ np.array([0.5, 0.9, -0.3]) + gp * y[3:])
    alpha = tuple(turn @ np.array([1.2, -0.4, 0.8]) + bp * y[3:])
    v, a = np.array([0.6, -0.1, 0.3]) + gp * y[:3], np.array([0.2, 1.4, -0.7]) + bp * y[:3]
    sums, block = records(1, SUMS)[0], np.zeros((6, 7))
    for zeta in (0.0,) if kind == "sphere" else (-0.7, 0.1, 0.6):
        dv, da = arm_rates(tuple(e + zeta * t), omega, alpha)
        u = tuple(np.array([1.5, 0.4, -0.2]) * (1.0 + zeta) - v - dv)
        aw = np.array([0.3, -0.6, 0.9])
        if kind == "sphere":
            point_terms(u, tuple(aw - a - da), 400.0, 150.0, 0.0, sums)
        elif kind == "discs":
            disc_terms(tuple(t), u, tuple(aw - a - da), 400.0, 150.0, zeta, sums)
        else:
            drag_terms(tuple(t), u, 400.0, 150.0, zeta, sums)
            powers = 300.0 * np.array([1.0, zeta, zeta**2])
            around = records(1, HULL_WATER)[0]
            around.mass, around.force, around.moment = powers, powers[0] * aw, powers[1] * aw
            around.rest = [40.0, -70.0, 20.0]
            place = a + arm_rates(tuple(e), omega, alpha)[1]
            inertia_of_water(tuple(t), tuple(place), arm_rates(tuple(t), omega, alpha)[1], around, (0.7, 0.3), sums)
    add_strips(sums, tuple(t), tuple(e), (omega, alpha), UNIT, (bp, gp), block)
    return block


@pytest.mark.parametrize("kind", ["strips", "strips beside the origin", "discs", "sphere"])
def test_morison_derivatives_are_those_by_differences(kind):
    bp, gp = 30.0, 7.0
    found = strip_block(np.zeros(6), bp, gp, kind)[:, :6]
    expected = differences(lambda y: strip_block(y, bp, gp, kind)[:, 6])
    # Z is 1 at the start only: its change with theta is of second order in the differences
    assert_allclose(found, expected, rtol=1e-6, atol=1e-3)


def test_cut_about_another_origin_has_shifted_moments():
    """A hull beside the origin: the cut of the same profile moved along the axis is known."""
    up, axis = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.6, 0.8])
    near, far = records(1, hydrostatics.CUT), records(1, hydrostatics.CUT)
    hydrostatics.axisymmetric(PROFILE, axis, up, 0.1 + 0.8 * 0.5, near)
    hydrostatics.axisymmetric(PROFILE + np.array([0.5, 0.0]), axis, up, 0.1, far)
    shift_cut(near, tuple(0.5 * axis))
    assert_cuts_equal(near, far)


def test_end_discs_have_the_drag_and_the_water_of_their_ends():
    """C pi r^2 and C 2/3 pi r^3 at the ends, none where nothing is given, and no axial default beside them."""
    hull = {"kind": "axisymmetric", "profile": [(-3.0, 2.0), (1.0, 0.5)],
            "ends": {"bottom": {"drag": 4.0, "added_mass": 0.64}}}  # fmt: skip
    case = {"environment": {"depth": 30}, "bodies": {"b": {"mass": 1.0, "position": (0, 0, 0), "hull": hull}}}
    hulls = build(System.model_validate(case)).bodies.hulls
    strips = strips_of(hulls, 0)
    assert_allclose(strips[-1].tolist()[1:], [-3.0, 0.0, 2.0, 0.0, 4.0 / 12.0, 0.0, 0.64 * 2.0 / 3.0 * np.pi * 8.0,
                                              4.0 * np.pi * 4.0])  # fmt: skip
    assert np.all(strips.thick[:-1] > 0.0)
    assert hulls.added_axial[0] == hulls.drag_axial[0] == 0.0
    assert hulls.added_normal[0] == hulls.drag_normal[0] == 1.0


def test_body_in_accelerating_water_feels_froude_krylov_and_added_mass():
    """F = (1 + C) rho V du/dt across the axis, [Morison1950]; and no drag, no loss."""
    sums, block, cut = records(1, SUMS)[0], np.zeros((6, 7)), records(1, hydrostatics.CUT)
    aw, around = np.array([0.8, 0.0, 0.0]), records(1, HULL_WATER)[0]
    around.mass, around.force, around.moment = [500.0, 100.0, 20.0], 500.0 * aw, 100.0 * aw
    cut[0].volume = 500.0 / 1025.0
    hydrostatics.buoyancy_terms(cut, (0.0, 0.0, 1.0), pressure_gradient(around, (1025.0, 9.81)), block)
    inertia_of_water((0.0, 0.0, 1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), around, (1.3, 0.0), sums)
    force = sums.force[0] - block[:3, 6]
    assert_allclose(force, [2.3 * 500.0 * 0.8, 0.0, 500.0 * 9.81], rtol=1e-14)
    assert sums.lost == 0.0


def test_a_gradient_of_the_flow_turns_a_disc_and_a_rod_the_opposite_ways():
    """M = int p x G p dV = (rho V l^2/12 - rho V r^2/4) t x G t of a cylinder about its middle, G symmetric."""
    strips, mass = cut_strips(np.array([[-0.5, 0.8], [0.5, 0.8]])), 1000.0
    G, t = np.array([[0.3, 0.1, -0.4], [0.1, -0.5, 0.2], [-0.4, 0.2, 0.2]]), np.array([0.6, 0.0, 0.8])
    around = records(1, HULL_WATER)[0]
    for zeta, volume in zip(strips.zeta, strips.volume, strict=True):
        a, m = zeta * G @ t, mass * volume
        around.mass += m * np.array([1.0, zeta, zeta**2])
        around.force += m * a
        around.moment += m * zeta * a
        around.across += m * 0.25 * 0.8**2
    uneven_water(around)
    V = np.pi * 0.8**2
    n = strips.size
    along = (1.0 - 1.0 / n**2) / 12.0  # of n points in place of a rod
    expected = mass * V * (along - 0.8**2 / 4.0) * np.cross(t, G @ t)
    assert_allclose(np.cross(t, around.rest), expected, rtol=1e-12)


def test_one_wet_strip_tells_no_gradient():
    around, a = records(1, HULL_WATER)[0], np.array([0.2, 0.1, 0.5])
    around.mass, around.force, around.moment = [3.0, 2.1, 1.47], 3.0 * a, 2.1 * a
    around.across = 0.6
    uneven_water(around)
    assert_allclose(around.rest, 0.0, atol=0.0)


def test_centroid_of_a_wet_cap_is_that_of_the_cut():
    """Half a sphere: 3/8 of the radius."""
    cut, up = records(1, hydrostatics.CUT), np.array([0.0, 0.0, 1.0])
    for height in (-3.0, -1.1, 0.0, 0.4, 1.9):
        hydrostatics.sphere(np.zeros(3), 2.0, up, height, cut)
        depth = -cut[0].moment[2] / cut[0].volume
        assert_allclose(cap_depth(height, 2.0), depth, atol=1e-13)
    assert_allclose(cap_depth(0.0, 2.0), 0.75)


def test_wet_shares_run_from_none_to_all():
    """Upright strips linear in height; spheres by the cap's volume pi h^2 (3r - h)/3."""
    assert wet_strip(0.2, 0.4, 1.0, 1.0) == 0.0
    assert wet_strip(-0.2, 0.4, 1.0, 1.0) == 1.0
    assert_allclose(wet_strip(0.1, 0.4, 1.0, 1.0), 0.25)
    assert_allclose([wet_sphere(h, 2.0)[0] for h in (2.0, 0.0, -2.0)], [0.0, 0.5, 1.0], atol=1e-15)
    cap = np.pi * 1.25**2 * (3 * 2.0 - 1.25) / 3
    assert_allclose(wet_sphere(0.75, 2.0)[0], cap / (4 / 3 * np.pi * 8.0), rtol=1e-14)


def test_surface_plane_touches_the_wave():
    """eta = a cos(kx - wt): its height and slope."""
    table = wave_table([1.5], [1.0], [0.0], [0.3], np.inf, 9.81)
    k = 1.0 / 9.81
    around = records(1, HULL_WATER)[0]
    surface_plane(table, 4.0, 1.0, 2.0, around)
    phase = 4.0 * k - 2.0 + 0.3
    slope = -1.5 * k * np.sin(phase)
    assert_allclose(around.point[2], 1.5 * np.cos(phase), rtol=1e-13)
    assert_allclose(around.up, np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0), rtol=1e-13, atol=1e-15)
