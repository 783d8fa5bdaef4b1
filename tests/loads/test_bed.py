"""Seabed contact: law, friction, derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.loads import bed as seabed
from ropewalk.model.arrays import records
from ropewalk.physics.terrain import no_terrain, terrain

FRICTION = 0.5


def bed(point, normal):
    """A bed through a point (m), with a stiffness of 1e5 N/m3, a damping of 1e4 N s/m3 and 2e4 N/m3 in shear."""
    row = records(1, seabed.BED)
    n = np.array(normal) / np.linalg.norm(normal)
    row.normal, row.level, row.stiffness, row.damping, row.friction = n, n @ point, 1e5, 1e4, FRICTION
    row.ramp, row.slip, row.shear = seabed.DAMPING_RAMP, seabed.SLIP_SPEED, 2e4
    return seabed.Bed(row, *no_terrain())


FLAT = bed([0.0, 0.0, -20.0], [0.0, 0.0, 1.0])
SLOPE = bed([3.0, -2.0, -20.0], [0.3, -0.1, 2.0])
STILL = (0.0, 0.0, 0.0)


def derivatives(x, v, plane=FLAT, width=0.1, radius=0.0):
    """Force per length, and its derivatives by position and velocity."""
    x, v = (tuple(float(c) for c in vector) for vector in (x, v))
    f, dx, dv = seabed.contact(plane, x, v, FRICTION, width, radius)
    return np.array(f), np.reshape(dx, (3, 3)), np.reshape(dv, (3, 3))


def force(x, v, plane=FLAT, width=0.1, radius=0.0):
    return derivatives(x, v, plane, width, radius)[0]


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
    n = SLOPE.law.normal[0]
    assert_allclose(np.linalg.norm(n), 1.0, rtol=1e-15)
    x = np.array([3.0, -2.0, -20.0]) + np.cross(n, [1.0, 5.0, 2.0]) - 0.04 * n
    assert_allclose(force(x, STILL, SLOPE), 0.1 * 1e5 * 0.04 * n, rtol=1e-11)


@pytest.mark.parametrize("delta", [-0.01, 0.004, 0.02, 0.05])
@pytest.mark.parametrize("v", [(0.0, 0.0, 0.0), (0.02, -0.01, -0.3), (1.0, 2.0, 0.05), (0.3, 0.0, 3.0)])
def test_derivatives_match_differences(delta, v):
    """Central differences of the force by position and velocity, on the sloping bed."""
    x = np.array([3.0, -2.0, -20.0]) - delta * SLOPE.law.normal[0]
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


def test_a_node_held_by_friction_is_pulled_back_until_it_slips():
    """f = -min(k, mu N/|d|) d; beyond the limit the grip follows so that the spring pulls with mu N."""
    N, area = 300.0, 0.2
    for way, held in ((0.01, True), (0.1, False)):
        d, length = seabed.slid((0.0, 0.0, 1.0), (way, 0.0, -20.03), (0.0, 0.0, -19.0))
        f, _ = seabed.grip_pull(2e4 * area, (0.0, 0.0, 1.0), d, length, (N, 0.0), FRICTION)
        assert_allclose(f, [-2e4 * area * way if held else -FRICTION * N, 0.0, 0.0], rtol=1e-13, atol=1e-12)
    x = (0.1, 0.0, -20.03)
    hold = seabed.moved_grip(FLAT, x, STILL, (0.0, 0.0, -20.0), FRICTION, 0.0)
    # k |d| = mu p over the area: 2e4 |d| = 0.5 1e5 0.03
    assert_allclose(np.subtract(x, hold)[0], FRICTION * 1e5 * 0.03 / 2e4, rtol=1e-12)
    assert seabed.moved_grip(FLAT, (0.1, 0.0, -19.0), STILL, (0.0, 0.0, -20.0), FRICTION, 0.0) == (0.1, 0.0, -19.0)


def test_derivative_of_friction_with_a_memory_matches_differences():
    """Where it holds and where it slips; N = k area depth."""
    area, h = 0.2, 1e-6
    for way in (0.01, 0.2):
        x = np.array([3.0, -2.0, -20.0]) - 0.02 * SLOPE.law.normal[0] + way * np.array([0.2, 0.4, 0.0])

        def pull(x):
            pushed = seabed.press(SLOPE, seabed.ground(SLOPE, tuple(x)), STILL, area, 0.0, 0.0)
            n = tuple(SLOPE.law.normal[0])
            d, length = seabed.slid(n, tuple(x), (3.0, -2.0, -20.0))
            return seabed.grip_pull(2e4 * area, n, d, length, pushed, FRICTION)

        slope = np.stack([(np.array(pull(x + e)[0]) - pull(x - e)[0]) / (2 * h) for e in h * np.eye(3)], axis=1)
        # forces of 1e2 N over 1e-6 m: 1e-8; curvature (h/way)^2 of 1e4 N/m
        assert_allclose(-np.reshape(pull(x)[1], (3, 3)), slope, atol=1e-3)


def relief(height, x=(-30.0, -12.0, 0.0, 9.0, 40.0), y=(-20.0, 1.0, 15.0)):
    """A bed on an uneven grid through the heights z = height(x, y), m; else as `bed`."""
    plane = bed([0.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    return seabed.Bed(plane.law, *terrain(x, y, [[-height(a, b) for a in x] for b in y]))


def test_a_plane_given_on_a_grid_is_the_plane():
    """Force and derivatives at random places on the grid and beyond it, in contact and out of it."""
    n = SLOPE.law.normal[0]
    grid = relief(lambda x, y: (SLOPE.law.level[0] - n[0] * x - n[1] * y) / n[2])
    rng = np.random.default_rng(4)
    for _ in range(50):
        x = rng.uniform(-60.0, 60.0, 3)
        x += (SLOPE.law.level[0] - x @ n + rng.normal(0.0, 0.05)) * n
        v = rng.normal(0.0, 0.3, 3)
        for one, other in zip(derivatives(x, v, grid), derivatives(x, v, SLOPE), strict=True):
            # heights of 30 m carry 7e-15, times k w of 1e4 and the slope of the damping of 1e5
            assert_allclose(one, other, rtol=1e-10, atol=1e-7)


def test_derivatives_on_a_relief_match_differences():
    """At rest; the tangent leaves out how the turning normal changes the height over the bed."""
    bumps = relief(lambda x, y: 0.5 * np.sin(0.2 * x) + 0.3 * np.cos(0.3 * y))
    h, share = 1e-6, 1e-4
    rng = np.random.default_rng(5)
    for place in rng.uniform([-28.0, -18.0], [38.0, 14.0], (10, 2)):
        x = np.array([*place, -seabed.ground(bumps, (*place, 0.0))[1]])
        n, height = seabed.ground(bumps, tuple(x))
        x = x - (height + share) * np.array(n)
        by_x = derivatives(x, STILL, bumps)[1]
        slope = [(force(x + e, STILL, bumps) - force(x - e, STILL, bumps)) / (2 * h) for e in h * np.eye(3)]
        # left out: depth times curvature (below 1 1/m) of k w = 1e4 N/m2
        assert_allclose(by_x, np.stack(slope, axis=1), atol=2 * share * 1e4 * 0.5)
        assert_allclose(np.reshape(seabed.bend(bumps, tuple(x)), (3, 3)) @ [0.0, 0.0, 1.0], 0.0)


def test_grips_slide_along_a_relief():
    """A node that slips drags its grip at mu p / k behind it, within the plane that touches the bed."""
    bumps = relief(lambda x, y: 0.02 * x**2)
    n, height = seabed.ground(bumps, (5.0, 2.0, 1.0))
    x = np.array([5.0, 2.0, 1.0]) - (height + 0.03) * np.array(n)
    n, height = seabed.ground(bumps, tuple(x))
    hold = seabed.moved_grip(bumps, tuple(x), STILL, (0.0, 2.0, 0.0), FRICTION, 0.0)
    d = x - hold
    assert_allclose([np.linalg.norm(d), d @ n], [FRICTION * 1e5 * -height / 2e4, 0.0], rtol=1e-11, atol=1e-12)
