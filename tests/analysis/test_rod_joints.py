"""Rods with joints, masses beside their axis, in time; searches step by step."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import ConvergenceError, InputError

RHO, G = 1000.0, 9.81
FLAT = {"kind": "ellipse", "a": 0.03, "b": 0.02}
HELIX = Path(__file__).parents[2] / "examples" / "rod_helix.yaml"
ROUND = {"kind": "ellipse", "a": 0.05, "b": 0.05}


def system(**rod):
    given = {"length": 1.0, "density": 500.0, "section": FLAT, **rod}
    return rw.System.model_validate({"environment": {"gravity": G, "water_density": RHO}, "rods": {"r": given}})


def test_twist_joints_give_heraults_tilt():
    """17 sections twisted by -18 degrees: the first is tilted by -36 degrees (modulo 180), at any density."""
    joints = [{"s": 0.008 * k, "axis": [1, 0, 0], "angle": -18.0} for k in range(1, 17)]
    section = {"kind": "ellipse", "a": 0.02, "b": 0.03}
    states = rw.float_rods(system(length=0.136, section=section, joints=joints))["r"].states
    roll = np.degrees(next(state for state in states if state.stable).pose.roll)
    assert_allclose((roll + 36.0 + 90.0) % 180.0 - 90.0, 0.0, atol=1e-6)


def straight_pieces(s, angles, head, up, n=400, slices=200):
    """Wet volume and first moment about the head of straight round pieces joined at s by bends about axis 2, by sums.

    head : height, m    up : in head axes
    """
    r, total = 0.05, np.zeros(4)
    R, begin = np.eye(3), np.zeros(3)
    ends = [0.0, *s, 1.0]
    x = (np.arange(slices) + 0.5) / slices
    side = 2.0 * (np.arange(n) + 0.5) / n - 1.0
    q2, q3 = r * np.meshgrid(side, side)[0], r * np.meshgrid(side, side)[1]
    inside = q2**2 + q3**2 < r**2
    q2, q3, cell = q2[inside], q3[inside], np.pi * r**2 / np.count_nonzero(inside)
    for k, (low, high) in enumerate(pairwise(ends)):
        if k > 0:
            c, t = np.cos(np.radians(angles[k - 1])), np.sin(np.radians(angles[k - 1]))
            R = R @ np.array([[c, 0, t], [0, 1, 0], [-t, 0, c]])
        for at in low + (high - low) * x:
            p = begin + (at - low) * R[:, 0] + np.outer(q2, R[:, 1]) + np.outer(q3, R[:, 2])
            wet = p[head + p @ up < 0.0]
            weight = cell * (high - low) / slices
            total += weight * np.array([len(wet), *wet.sum(axis=0)])
        begin = begin + (high - low) * R[:, 0]
    return total


def test_a_bent_rod_is_balanced_by_sums_over_its_pieces():
    """Three straight round pieces, bends of 40 and -25 degrees about one axis; cells of 1/400 of the diameter."""
    joints = [{"s": 0.4, "axis": [0, 1, 0], "angle": 40.0}, {"s": 0.7, "axis": [0, 1, 0], "angle": -25.0}]
    case = system(section=ROUND, joints=joints)
    state = next(state for state in rw.float_rods(case)["r"].states if state.kind in ("minimum", "neutral"))
    volume, *moment = straight_pieces([0.4, 0.7], [40.0, -25.0], state.pose.heave, state.pose.up)
    rod = state.rod
    # cells of 1/400 of the diameter and slices of 1/200 of a piece err by some 1e-4 of the volume
    assert_allclose(RHO * volume, rod.mass, rtol=1e-3)
    across = RHO * np.array(moment) - rod.mass * rod.centre
    across -= state.pose.up * (across @ state.pose.up)
    assert np.linalg.norm(across) < 5e-4 * rod.mass * rod.length


def test_a_mass_below_the_axis_rights_a_round_log():
    """A round log has no stiffness in roll of its own: what is left is m g e, with the mass straight down."""
    m, e = 0.4, 0.03
    case = system(section=ROUND, masses=[{"s": 0.5, "mass": m, "offset": [e, 0.0]}])
    (state,) = [state for state in rw.float_rods(case)["r"].states if state.stable]
    assert_allclose(state.pose.up, [0.0, -1.0, 0.0], atol=1e-9)
    assert_allclose(state.pose.curvature[0], m * G * e, rtol=1e-9)


def test_a_mass_beside_the_axis_of_an_elastic_rod_pulls_where_it_is():
    """The balance by energies of the bent rod: its wrench vanishes about the centre of mass that it then has."""
    case = system(
        masses=[{"s": 0.3, "mass": 0.1, "offset": [0.02, -0.015]}],
        elasticity={"torsion": 2.0, "bending": [2.0, 2.0]},
    )
    state = rw.float_rods(case)["r"].states[0]
    rod = state.rod
    assert state.kind == "minimum"
    assert np.abs(state.pose.wrench).max() < 1e-8 * rod.mass * G
    assert state.functions > 4
    assert state.shape_error < 1e-7


def test_poses_follow_joints_in_time():
    """A twist in the middle that grows to 60 degrees turns the head by half of it."""
    turn = {"kind": "table", "time": [0.0, 10.0], "value": [0.0, 60.0]}
    found = rw.float_in_time(system(joints=[{"s": 0.5, "axis": [1, 0, 0], "angle": turn}]), [0.0, 2.5, 5.0, 10.0])
    assert_allclose(found.turn, [0.0, 7.5, 7.5, 15.0], atol=1e-7)
    assert_allclose(found.angle[:, 0], [0.0, 15.0, 30.0, 60.0], atol=1e-12)


@pytest.mark.parametrize(
    ("rod", "words"),
    [
        ({"joints": [{"s": 1.0}]}, "nothing beyond it"),
        ({"joints": [{"s": 0.5}, {"s": 0.5}]}, "two joints"),
        ({"joints": [{"s": 0.5, "axis": [0, 0, 0]}]}, "axis of a joint is zero"),
        ({"joints": [{"s": 0.5}], "curvature": {"kind": "twists", "twists": [{"s": 0.5, "angle": 9}]}}, "sharp twist"),
    ],
)
def test_joints_that_cannot_be_are_refused(rod, words):
    with pytest.raises((InputError, ValueError), match=words):
        system(**rod)


def test_angles_need_as_many_joints_as_wishes():
    case = system(joints=[{"s": 0.5}])
    with pytest.raises(InputError, match="2 conditions, but 1 joints"):
        rw.design.joint_angles(case, roll=0.0, pitch=1.0)
    two = system(joints=[{"s": 0.3, "axis": [1, 0, 0]}, {"s": 0.6, "axis": [1, 0, 0]}])
    with pytest.raises(ConvergenceError, match="free more joints"):
        rw.design.joint_angles(two, roll=0.0, pitch=20.0)


@pytest.mark.parametrize("method", ["newton", "gradient"])
def test_search_is_shown_step_by_step(method):
    """Herault's figure 9: both methods go downhill to one pose of the helix."""
    path = rw.float_path(HELIX, method=method)
    assert path.attrs["status"] == "done"
    energy = path.energy_total.values
    assert (np.diff(energy) <= 1e-12 * energy[0]).all()
    # the gradient method ends where Armijo's rule sees no gain, at the square root of round-off
    assert abs(path.moment_x[-1]) < 1e-6 * np.abs(path.moment_x).max()
    other = rw.float_path(HELIX)
    assert other.sizes["iteration"] < 15
    assert_allclose(path.attrs["heave"], other.attrs["heave"], atol=1e-6)


def test_designs_take_a_case():
    """`uncoil` of a case does what it does for arrays, and its curvature goes back into a case."""
    case = system(
        section={"kind": "ellipse", "a": 0.04, "b": 0.03}, curvature={"kind": "constant", "kappa": [1.0, 0.5, 2.0]}
    )
    walk = rw.design.uncoil(case, factor=1.5)
    assert walk.reached
    again = case.replace("rods.r.curvature", walk.curvature())
    states = rw.float_rods(again)["r"].states
    # the table is linear between 401 places
    assert min(np.linalg.norm(state.pose.up - walk.pose.up) for state in states) < 1e-4
    with pytest.raises(InputError, match="joint_angles"):
        rw.design.uncoil(system(joints=[{"s": 0.5}]))
