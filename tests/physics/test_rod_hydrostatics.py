"""Wet volume and waterplane of rods against closed forms, a cut triangulated body and differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rod_bodies import against_mesh, build, directions, flat, helix_fields, snake_fields, uniform_fields
from ropewalk.physics.rod_hydrostatics import hydrostatics

EPS = np.finfo(float).eps


@pytest.mark.parametrize("tilt", [0.0, 1e-14, 1e-11, 1e-9, 1e-6, 1e-3, 0.1, 0.44, 0.46, 0.7, 1.2])
def test_tilted_cylinder_cut_between_its_ends(tilt):
    """A cylinder cut obliquely: V = pi r^2 l, x_B = l/2 + r^2 tan^2/(8 l), waterplane an ellipse."""
    r, length, wet = 0.1, 2.0, 0.85
    rod = build(uniform_fields(length, r, r, 500.0))
    up, t = np.array([np.cos(tilt), np.sin(tilt), 0.0]), np.tan(tilt)
    acc = hydrostatics(rod.panels, -wet * up[0], up)
    V, A = np.pi * r**2 * wet, np.pi * r**2 / up[0]
    # round-off of sums of 20 points
    assert_allclose(acc.volume, V, rtol=1e-13)
    assert_allclose(acc.moment[:2], [V * (wet / 2 + r**2 * t**2 / (8 * wet)), -V * r**2 * t / (4 * wet)],
                    rtol=1e-12, atol=1e-14 * V)  # fmt: skip
    assert_allclose(acc.area, A, rtol=1e-12)
    assert_allclose(acc.area_moment, [A * wet, 0.0, 0.0], rtol=1e-12, atol=1e-14 * A)
    # across the axis and along it: I_zz = A r^2/4, I_yy = A r^2/4, I_xx = A (wet^2 + r^2 tan^2/4)
    assert_allclose(np.diag(acc.area_second),
                    [A * (wet**2 + r**2 * t**2 / 4), A * r**2 / 4, A * r**2 / 4], rtol=1e-12)  # fmt: skip


@pytest.mark.parametrize("level", [-0.9, -0.3, 0.0, 0.6])
def test_level_cylinder_is_a_prism(level):
    """Circular segment times length; waterplane a rectangle."""
    r, length = 0.2, 3.0
    rod = build(uniform_fields(length, r, r, 500.0))
    acc = hydrostatics(rod.panels, level * r, np.array([0.0, 0.6, 0.8]))
    chord = 2 * r * np.sqrt(1 - level**2)
    segment = r**2 * (np.arccos(level) - level * np.sqrt(1 - level**2))
    assert_allclose(acc.volume, segment * length, rtol=1e-13)
    down = -2 / 3 * r**3 * (1 - level**2) ** 1.5 * length
    assert_allclose(acc.moment, [segment * length**2 / 2, 0.6 * down, 0.8 * down], rtol=1e-12)
    assert_allclose(acc.area, chord * length, rtol=1e-13)


def test_shape_of_a_helix_is_exact():
    """Constant curvature and torsion: p(s) in closed form, frame orthonormal."""
    torsion, bend, length = 3.0, 4.0, 2.5
    rod = build(uniform_fields(length, 0.01, 0.01, 500.0, (torsion, 0.0, bend)))
    w = np.hypot(torsion, bend)
    axis = np.array([torsion, 0.0, bend]) / w
    s = rod.s.ravel()
    e1, e2 = np.array([1.0, 0.0, 0.0]), np.cross(axis, [1.0, 0.0, 0.0])
    along = axis[0] * axis
    expected = np.outer(s, along) + np.outer(np.sin(w * s) / w, e1 - along) + np.outer((1 - np.cos(w * s)) / w, e2)
    rows = rod.panels.rows.ravel()
    # some tens of sums of 16 terms along the rod
    assert_allclose(rows["position"], expected, rtol=0, atol=1e-14 * length)
    assert_allclose(np.sum(rows["t1"] * rows["t2"], axis=1), 0.0, rtol=0, atol=10 * EPS)


ARC = uniform_fields(1.0, 0.06, 0.04, 500.0, (0.0, 1.0, 4.0))


@pytest.mark.parametrize(("fields", "seed"), [(ARC, 1), (snake_fields(), 2)], ids=["arc", "snake"])
def test_curved_rods_against_a_triangulated_body(fields, seed):
    """The difference falls with the square of the mesh: it is the mesh's, and what is left after it is below 1e-5."""
    rod = build(fields)
    for up in directions(2, seed):
        exact, coarse, extrapolated = against_mesh(rod, up, 60)
        assert np.abs(coarse - exact).max() < 4e-3 * exact[0]
        # Richardson leaves fourth-order terms, and the waterline crosses facets irregularly
        assert_allclose(extrapolated, exact, rtol=0, atol=3e-5 * exact[0])


def test_plane_slices_miss_a_curved_body_and_agree_on_a_straight_one():
    """The paper's slices are exact for straight axes only."""
    up = directions(1, 5)[0]
    for kappa, differs in (((1.0, 0.0, 0.0), False), ((0.0, 0.0, 6.0), True)):
        fields = uniform_fields(1.0, 0.06, 0.05, 500.0, kappa)
        exact, slices = build(fields), build(fields, curved=False)
        z = -float(up @ exact.centre)
        difference = abs(hydrostatics(exact.panels, z, up).volume - hydrostatics(slices.panels, z, up).volume)
        assert (difference > 1e-4 * exact.volume) == differs


@pytest.mark.parametrize("fields", [helix_fields(), snake_fields()], ids=["helix", "snake"])
def test_waterplane_is_the_derivative_of_the_wet_volume(fields):
    """dV = -A dz - B.du and dX = -B dz - C du, fourth-order differences, random poses."""
    rod = build(fields)
    h = 1e-3
    for up in directions(6, 3):
        z = -float(up @ rod.centre) + 0.1 * HALF
        acc = hydrostatics(rod.panels, z, up)
        B = acc.area_moment
        C = acc.area_second
        for dz, du in ((1.0, np.zeros(3)), (0.2, np.array([0.5, -0.4, 0.7]))):
            step = h * rod.length * (0.05 if fields.length < 0.5 else 0.02)

            def at(t, z=z, up=up, dz=dz, du=du):
                return flat(hydrostatics(rod.panels, z + t * dz, up + t * du))

            slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)
            # steps of 2e-5 m: round-off 1e-16 V/step and the 3/2-power kinks leave 1e-7 of the area
            scale = acc.area + np.linalg.norm(B) / rod.length
            assert_allclose(slope[0], -acc.area * dz - B @ du, rtol=0, atol=1e-6 * scale)
            assert_allclose(slope[1:4], -B * dz - C @ du, rtol=0, atol=1e-6 * scale * rod.length)


HALF = 0.01  # m, offset that keeps the poses general
