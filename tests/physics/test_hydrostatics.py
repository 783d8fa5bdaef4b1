"""Hulls cut by a plane: volume, moments, waterplane and stiffness."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.model.arrays import records
from ropewalk.numerics.rotations import exp_so3
from ropewalk.physics import hydrostatics as hs

UP = np.array([0.0, 0.0, 1.0])
PROFILE = np.array([[-1.0, 0.6], [0.2, 0.9], [0.2, 0.5], [1.0, 0.7]])  # a cone, a step, a cone
CENTRE, RADIUS = np.array([0.1, 0.2, 0.3]), 0.8


def cut_revolution(profile, position, R):
    out = records(1, hs.CUT)
    hs.axisymmetric(profile, np.ascontiguousarray(R[:, 2]), UP, position[2], out)
    return out


def cut_sphere(_, position, R):
    out = records(1, hs.CUT)
    hs.sphere(R @ CENTRE, RADIUS, UP, position[2], out)
    return out


def test_upright_cone_volume_and_waterplane():
    """V = pi h (r0^2 + r0 r + r^2)/3 up to the water, A = pi r^2, I = pi r^4 / 4."""
    out = cut_revolution(PROFILE, np.array([0, 0, 0.1]), np.eye(3))
    r = 0.6 + 0.3 * 0.9 / 1.2
    assert_allclose(out[0].volume, np.pi * 0.9 / 3.0 * (0.36 + 0.6 * r + r * r), rtol=1e-14)
    assert_allclose(out[0].area, np.pi * r * r, rtol=1e-14)
    assert_allclose(out[0].area_second[0, 0], np.pi * r**4 / 4.0, rtol=1e-14)


@pytest.mark.parametrize("tilt", [1e-9, 0.3, 1.0, 1.5, 1.5707963, 2.2, 3.1])
def test_cylinder_at_half_draught_displaces_half_its_volume(tilt):
    """A plane through the centre of a symmetric body halves it, at any tilt."""
    profile = np.array([[-2.0, 0.7], [2.0, 0.7]])
    out = cut_revolution(profile, np.zeros(3), exp_so3(np.array([tilt, 0.2 * tilt, 0.0])))
    assert_allclose(out[0].volume, 0.5 * np.pi * 0.49 * 4.0, rtol=1e-13)


def test_lying_cylinder_waterplane_is_a_rectangle():
    """Axis horizontal in the water: A = 2 r L, I about the axis = (2 r)^3 L / 12."""
    out = cut_revolution(np.array([[-2.0, 0.7], [2.0, 0.7]]), np.zeros(3), exp_so3(np.array([0.0, np.pi / 2, 0.0])))
    assert_allclose(out[0].area, 1.4 * 4.0, rtol=1e-13)
    assert_allclose(out[0].area_second[1, 1], 1.4**3 * 4.0 / 12.0, rtol=1e-13)
    assert_allclose(out[0].area_second[0, 0], 1.4 * 4.0**3 / 12.0, rtol=1e-13)


@pytest.mark.parametrize("height", [-2.0, -0.5, 0.0, 0.4, 2.0])
def test_sphere_equals_a_profile_of_many_cones(height):
    """A sphere as 400 frusta: the volume differs by the missing slivers, O(1/n^2)."""
    angle = np.linspace(0, np.pi, 401)
    profile = np.stack([-RADIUS * np.cos(angle), RADIUS * np.sin(angle)], axis=1)
    many, one = records(1, hs.CUT), records(1, hs.CUT)
    hs.axisymmetric(profile, UP, UP, height, many)
    hs.sphere(np.zeros(3), RADIUS, UP, height, one)
    assert_allclose(many.volume, one.volume, atol=1e-4)
    assert_allclose(many.moment, one.moment, atol=1e-4)


@pytest.mark.parametrize("cut", [cut_revolution, cut_sphere])
@pytest.mark.parametrize("size", [1e-9, 1e-4, 0.1, 1.0, 3.0])
def test_stiffness_is_the_derivative_of_the_wrench(cut, size):
    """K = -d(F, M)/d(x, theta) of buoyancy and of a load at an arm, by central differences."""
    rng = np.random.default_rng(int(1e6 * size) % 1000)

    def wrench(position, R):
        w, K, block = np.zeros(6), np.zeros((6, 6)), np.zeros((6, 7))
        hs.buoyancy(cut(PROFILE, position, R), 1.0, w, K)
        hs.force_terms((0.3, -0.2, -0.7), tuple((R @ np.array([0.1, 0.2, -0.3])).tolist()), block)
        return w - block[:, 6], K + block[:, :6]

    step = 1e-5
    for _ in range(6):
        R = exp_so3(size * rng.normal(size=3))
        position = np.array([0.0, 0.0, rng.uniform(-0.8, 0.8)])
        _, K = wrench(position, R)
        for j in range(6):
            d = step * np.eye(6)[j]
            there = wrench(position + d[:3], exp_so3(d[3:]) @ R)[0]
            back = wrench(position - d[:3], exp_so3(-d[3:]) @ R)[0]
            # truncation h^2 and round-off 1e-16/h leave 1e-8 of the unit-sized stiffness
            assert_allclose(K[:, j], -(there - back) / (2 * step), atol=1e-7)
