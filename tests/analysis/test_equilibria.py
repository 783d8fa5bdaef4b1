"""All equilibria that a search finds, with stability and energy."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import ropewalk as rw
from ropewalk.analysis.lobes import waves
from turning_rope import LENGTH, RATE, SPAN, G, rope

# number of lobes, directions in which the energy falls: how many such equilibria there are. Without gravity the k-lobed
# ropes are a circle of planes, unstable in 2 (k - 1) directions; gravity leaves two of it for odd k and four for even
# k, half of them unstable in one direction more.
EXPECTED = {(1, 0): 1, (1, 1): 1, (2, 2): 2, (2, 3): 2, (3, 4): 1, (3, 5): 1, (4, 6): 2, (4, 7): 2}


@pytest.fixture(scope="module")
def found():
    return rw.equilibria(rope(), starts=2)


def integrated(force):
    """Shape of the rope that leaves the origin with a force, by scipy; nothing of ropewalk is used."""

    def slope(_s, y):
        n = y[3:]
        return np.concatenate([n / np.linalg.norm(n), [0.0, -(RATE**2) * y[1], -(RATE**2) * y[2] + G]])

    return solve_ivp(slope, (0.0, LENGTH), [0, 0, 0, *force], rtol=1e-11, atol=1e-12, dense_output=True)


def test_every_equilibrium_of_the_rotating_rope_up_to_four_lobes_is_found(found):
    """Twelve of them, each met by an integration that shares no code, with as many lobes as reported."""
    assert Counter((one.lobes["l"].number, one.spectrum.unstable) for one in found) == EXPECTED
    for one in found:
        way = integrated(one.equilibrium.line("l")["end_a"]["force"])
        # errors of the start grow by |dr/dn| n, about 20 per lobe
        assert_allclose(way.y[:3, -1], [SPAN, 0.0, 0.0], atol=1e-6)
        shape = way.sol(np.linspace(0.0, LENGTH, 201))[:3]
        side = shape[1] if abs(one.lobes["l"].first[1]) > 0.5 else shape[2]
        side = side[np.abs(side) > 0.1 * np.abs(side).max()]
        assert 1 + np.sum(np.diff(np.sign(side)) != 0) == one.lobes["l"].number


def test_no_other_plane_rope_exists(found):
    """Plane ropes by a scan of their own: starts over all angles, solved by scipy, give no force that is not known."""

    def miss(v):
        return integrated([v[0], 0.0, v[1]]).y[[0, 2], -1] - [SPAN, 0.0]

    known = [one.equilibrium.line("l")["end_a"]["force"] for one in found]
    for size in (15.0, 28.0, 60.0, 110.0, 230.0, 430.0):
        for angle in (-61.0, 61.0):
            start = size * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
            root, _, status, _ = fsolve(miss, start, full_output=True)
            shape = integrated([root[0], 0.0, root[1]])
            if status != 1 or np.abs(miss(root)).max() > 1e-7 or root[0] <= 0.0:
                continue
            heights = shape.sol(np.linspace(0.0, LENGTH, 401))[2]
            large = heights[np.abs(heights) > 0.1 * np.abs(heights).max()]
            if 1 + np.sum(np.diff(np.sign(large)) != 0) <= 4:
                assert min(np.hypot(f[0] - root[0], f[2] - root[1]) for f in known) < 1e-4 * size


def test_only_one_is_stable_and_it_has_the_least_energy(found):
    """The energy contains that of the centrifugal force, so the stable loop is its lowest point."""
    assert [one.stable for one in found] == [True] + [False] * 11
    assert found[0].energy == min(one.energy for one in found)
    assert found[0].label == "l: 1 lobe, down"
    # two loops to either side are mirror images
    pair = [one.energy for one in found if (one.lobes["l"].number, one.spectrum.unstable) == (2, 2)]
    assert_allclose(pair[0], pair[1], rtol=1e-9)


def test_energy_is_that_of_the_integrated_shape(found):
    """V = int (g z - 1/2 omega^2 (y^2 + z^2)) ds, by Simpson on the independent shape."""
    for one in found:
        s = np.linspace(0.0, LENGTH, 2001)
        _, y, z, *_ = integrated(one.equilibrium.line("l")["end_a"]["force"]).sol(s)
        f = G * z - 0.5 * RATE**2 * (y**2 + z**2)
        value = (s[1] / 3.0) * (f[0] + 4.0 * f[1:-1:2].sum() + 2.0 * f[2:-1:2].sum() + f[-1])
        assert_allclose(one.energy, value, rtol=1e-5)  # cubics between 51 nodes


def test_a_growing_displacement_is_the_pendulum_of_the_upper_loop(found):
    """Falling out of its plane the upper loop is a rigid pendulum upside down: about M g z / I of its shape."""
    upper = next(one for one in found if (one.lobes["l"].number, one.spectrum.unstable) == (1, 1))
    z = integrated(upper.equilibrium.line("l")["end_a"]["force"]).sol(np.linspace(0.0, LENGTH, 2001))[2]
    # Rayleigh's quotient of that displacement is an upper bound, and near: the loop keeps its shape to some percent
    assert_allclose(upper.spectrum.smallest, -G * z.mean() / (z**2).mean(), rtol=0.05)


def test_a_buoy_turned_over_is_an_equilibrium_too():
    """A sphere with its mass below its centre, held by a vertical tether at its lowest or highest place.

    Turned over, mass and tether are above the centre: unstable in roll and pitch. Yaw is neutral in both.
    """
    case = rw.System.model_validate(
        {
            "environment": {"depth": 30, "seabed": {"kind": "none"}},
            "sections": {"rope": {"diameter": 0.02, "mass": 0.5, "axial_stiffness": 1e6}},
            "points": {"anchor": {"position": [0, 0, -30]}},
            "bodies": {
                "buoy": {
                    "mass": 300,
                    "centre_of_mass": [0, 0, -0.2],
                    "inertia": [40, 40, 40],
                    "position": [0, 0, -5],
                    "hull": {"kind": "sphere", "radius": 0.6},
                    "attachments": {"eye": [0, 0, -0.6]},
                }
            },
            "lines": {"tether": {"from": "anchor", "to": "buoy.eye", "pieces": [{"section": "rope", "length": 22}]}},
        }
    )
    found = rw.equilibria(case, starts=0)
    assert found[0].stable
    assert found[0].spectrum.neutral == 1
    heights = [one.equilibrium.summary["bodies"]["buoy"]["position"][2] for one in found if one.spectrum.unstable == 2]
    assert heights
    over = next(one for one in found if one.spectrum.unstable == 2)
    upright = found[0].equilibrium
    # the tether is as long: the centre is lower by twice the lever, less what the force stretches it
    assert_allclose(upright.state.body_position[0, 2] - over.equilibrium.state.body_position[0, 2], 1.2, atol=1e-3)
    assert over.energy > found[0].energy


def test_a_chain_between_two_points_has_one_equilibrium():
    case = rope(loads=[])
    found = rw.equilibria(case)
    assert len(found) == 1
    assert found[0].stable
    # a uniform chain: V = int g z ds, from the closed form of the catenary
    H = found[0].equilibrium.line("l")["end_a"]["force"][0]
    a = H / G
    s = np.linspace(-LENGTH / 2, LENGTH / 2, 4001)
    z = np.sqrt(a**2 + s**2) - np.sqrt(a**2 + LENGTH**2 / 4)
    assert_allclose(found[0].energy, np.trapezoid(G * z, s), rtol=1e-5)


def test_a_case_without_lines_is_refused():
    case = {"bodies": {"b": {"mass": 1, "inertia": [1, 1, 1], "volume": 0.01, "position": [0, 0, 0]}}}
    with pytest.raises(rw.InputError, match="the case has no lines"):
        rw.equilibria(rw.System.model_validate(case))


def test_waves_are_as_long_as_the_line():
    r = waves(np.zeros(3), np.array([2.0, 0.0, 0.0]), 3.0, 3, np.array([0.0, 0.0, 1.0]))
    assert_allclose(np.linalg.norm(np.diff(r, axis=0), axis=1).sum(), 3.0, rtol=1e-12)
    assert waves(np.zeros(3), np.array([2.0, 0.0, 0.0]), 2.0, 1, np.array([0.0, 0.0, 1.0])) is None
