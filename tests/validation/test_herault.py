"""Herault, Applied Ocean Research 101 (2020) 102220: the twisted cylinder and the helix, missing data completed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from rod_bodies import GRAVITY, build, helix_fields, twisted_fields
from ropewalk.analysis.stability import all_equilibria
from ropewalk.methods.rods.afloat import equilibrium


@pytest.mark.parametrize(("n", "tilt"), [(12, -81), (13, -72), (14, -63), (15, -54), (16, -45), (17, -36)])
@pytest.mark.parametrize("density", [300.0, 700.0])
def test_tilt_of_the_first_section_of_the_twisted_cylinder(n, tilt, density):
    """Fig. 11: by symmetry the middle section stands level, so the tilt is -(180 - 9 (n - 1)) degrees, at any density.

    The body is symmetric under half a turn about its axis, hence modulo 180 degrees.
    """
    pose = equilibrium(build(twisted_fields(n, density)), np.array([0.1, 0.3, 1.0]))
    roll = np.degrees(pose.roll)
    assert_allclose((roll - tilt + 90) % 180 - 90, 0.0, rtol=0, atol=1e-8)
    assert_allclose(np.degrees(pose.pitch), 0.0, rtol=0, atol=1e-8)
    assert pose.curvature.min() > 0.0


def test_measured_tilt_lies_in_the_band_of_five_per_cent_of_twist():
    """Sec. 5.2 and fig. 12: -28.4 +- 2 degrees at 17 discs; 5 % of the twist moves the computed -36 by 7.2 degrees."""
    tilts = []
    for share in (0.95, 1.05):
        joints = [{"s": 0.008 * k, "axis": [1, 0, 0], "angle": -18.0 * share} for k in range(1, 17)]
        rod = {"length": 0.136, "density": 500, "section": {"kind": "ellipse", "a": 0.02, "b": 0.03}, "joints": joints}
        states = rw.float_rods(rw.System.model_validate({"rods": {"stack": rod}}))["stack"].states
        tilts.append(np.degrees(next(state for state in states if state.stable).pose.roll) % 180.0 - 180.0)
    assert_allclose(sorted(tilts), [-43.2, -28.8], atol=1e-6)
    assert max(tilts) < -28.4 + 2.0
    assert min(tilts) < -28.4 - 2.0 < max(tilts)


def test_helix_has_the_printed_length_mass_and_volume():
    """Sec. 5.1: 351.6 mm (printed 35.16), 64 g, 2.48e-4 m3; base radius 15 mm and cone angle 43 deg inferred."""
    rod = build(helix_fields())
    assert_allclose(rod.length, 0.3516, rtol=0, atol=5e-5)
    assert_allclose(rod.mass, 0.0640, rtol=0, atol=5e-5)
    assert_allclose(rod.volume, 2.48e-4, rtol=0, atol=1e-6)


def test_helix_has_two_stable_equilibria_two_saddles_and_two_maxima():
    found = all_equilibria(build(helix_fields()))
    kinds = [state.kind for state in found.states]
    assert (kinds.count("minimum"), kinds.count("saddle"), kinds.count("maximum")) == (2, 2, 2)
    assert found.complete
    weight = build(helix_fields()).mass * GRAVITY
    for state in found.states:
        assert np.abs(state.pose.wrench[2]).max() < 1e-12 * weight
        assert np.abs(state.pose.wrench[3:]).max() < 1e-12 * weight * 0.3516


def test_slices_shift_the_helix_by_about_a_degree():
    """The paper's slices err by 0.6 to 1.1 degrees in tilt and 5 to 6 per cent in the restoring stiffness."""
    exact, slices = (all_equilibria(build(helix_fields(), curved=curved)).states for curved in (True, False))
    for one, other in zip(exact[:2], slices[:2], strict=True):
        shift = np.degrees(np.arccos(one.pose.up @ other.pose.up))
        assert 0.5 < shift < 1.2
        assert_allclose(other.pose.curvature / one.pose.curvature, 0.943, atol=0.01)
