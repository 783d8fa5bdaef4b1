"""Seabed contact: law, friction, derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.physics import seabed

LAW = seabed.seabed_law(1e5, 1e4, 0.5)
FLAT = seabed.flat_bed(20.0)
SLOPE = seabed.sloping_bed([3.0, -2.0, -20.0], [0.3, -0.1, 2.0])
STILL = np.zeros(3)


def force(x, v, plane=FLAT, law=LAW, width=0.1, radius=0.0):
    f = np.empty(3)
    seabed.contact(np.asarray(x, float), np.asarray(v, float), plane, law, width, radius, f)
    return f


def derivatives(x, v, plane, law=LAW, width=0.1, radius=0.0):
    f, dx, dv = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    seabed.contact_derivatives(x, v, plane, law, width, radius, f, dx, dv)
    return f, dx, dv


def test_resting_force_is_stiffness_times_penetration_times_width():
    # 20.07 - 20 cancels: 2e-15 / 0.07
    assert_allclose(force([5.0, 6.0, -20.07], STILL), [0.0, 0.0, 1e5 * 0.07 * 0.1], rtol=1e-12)


def test_no_force_above_the_bed_at_any_speed():
    assert np.all(force([0, 0, -19.999], [1.0, 2.0, -30.0]) == 0.0)


def test_contact_radius_raises_the_bed():
    """The underside touches first."""
    assert_allclose(force([0, 0, -19.96], STILL, radius=0.05), force([0, 0, -20.01], STILL), rtol=1e-11)


def test_bed_never_pulls():
    """Leaving faster than k delta / c = 0.5 m/s: nothing; slower: less than at rest."""
    assert np.all(force([0, 0, -20.05], [0, 0, 0.6]) == 0.0)
    assert 0 < force([0, 0, -20.05], [0, 0, 0.4])[2] < force([0, 0, -20.05], STILL)[2]


def test_touchdown_does_not_jump():
    """At the moment of contact the force is zero however fast the line comes down."""
    previous = 0.0
    for delta in (1e-9, 1e-7, 1e-5):
        f = force([0, 0, -20.0 - delta], [0, 0, -5.0])[2]
        # k delta + c (delta/ramp)^2 3 v, times the width of 0.1
        assert_allclose(
            f, 0.1 * (1e5 * delta + 1e4 * 3 * (delta / seabed.DAMPING_RAMP) ** 2 * 5.0), rtol=1e-3, atol=1e-9
        )
        assert f > previous
        previous = f


def test_full_damping_beyond_the_ramp():
    delta = 2 * seabed.DAMPING_RAMP
    assert_allclose(force([0, 0, -20.0 - delta], [0, 0, -0.3])[2], 0.1 * (1e5 * delta + 1e4 * 0.3), rtol=1e-12)


def test_friction_opposes_sliding_and_tends_to_coulomb():
    """mu N / sqrt(1 + (v_s/v)^2): at 100 times the slip speed 5e-5 short of mu N."""
    resting = force([0, 0, -20.05], STILL)[2]
    sliding = force([0, 0, -20.05], [0.6, 0.8, 0.0])
    assert_allclose(sliding, [-0.6 * 0.5 * resting, -0.8 * 0.5 * resting, resting], rtol=1e-4)
    slow = force([0, 0, -20.05], [0.0, seabed.SLIP_SPEED, 0.0])
    assert_allclose(slow[1], -0.5 * resting / np.sqrt(2), rtol=1e-12)


def test_friction_takes_energy_out():
    rng = np.random.default_rng(0)
    for v in rng.normal(0, 1, (20, 3)) * [1, 1, 0]:
        assert force([0, 0, -20.05], v) @ v < 0.0


def test_sloping_bed_pushes_along_its_normal():
    n = SLOPE[:3]
    assert_allclose(np.linalg.norm(n), 1.0, rtol=1e-15)
    x = np.array([3.0, -2.0, -20.0]) + np.cross(n, [1.0, 5.0, 2.0]) - 0.04 * n
    assert_allclose(force(x, STILL, SLOPE), 0.1 * 1e5 * 0.04 * n, rtol=1e-11)


@pytest.mark.parametrize("delta", [-0.01, 0.004, 0.02, 0.05])
@pytest.mark.parametrize("v", [(0.0, 0.0, 0.0), (0.02, -0.01, -0.3), (1.0, 2.0, 0.05), (0.3, 0.0, 3.0)])
def test_derivatives_match_differences(delta, v):
    """Central differences of the force by position and velocity, on the sloping bed."""
    x = np.array([3.0, -2.0, -20.0]) - delta * SLOPE[:3]
    v = np.array(v)
    f, dx, dv = derivatives(x, v, SLOPE)
    assert_allclose(f, force(x, v, SLOPE), rtol=1e-14)
    h = 1e-6
    steps = h * np.eye(3)
    by_x = np.stack([(force(x + e, v, SLOPE) - force(x - e, v, SLOPE)) / (2 * h) for e in steps], axis=1)
    by_v = np.stack([(force(x, v + e, SLOPE) - force(x, v - e, SLOPE)) / (2 * h) for e in steps], axis=1)
    # scale k w = 1e4 N/m2, c w = 1e3 N s/m2; x of 20 m and f of 1e3 N carry 4e-15 and 2e-13, over h: 1e-5 and 1e-7
    assert_allclose(dx, by_x, atol=1e-8 * 1e4 + 1e-3)
    # friction bends over the slip speed: (h / v_s)^2 = 1e-8 of mu N / v_s = 2.5e4
    assert_allclose(dv, by_v, atol=2e-3)


def test_bad_laws_and_planes_are_refused():
    with pytest.raises(ValueError, match="damping ramp 0 m and slip speed"):
        seabed.seabed_law(1.0, 1.0, 1.0, ramp=0)
    with pytest.raises(ValueError, match="normal of the plane has no length"):
        seabed.sloping_bed([0, 0, 0], [0, 0, 0])
