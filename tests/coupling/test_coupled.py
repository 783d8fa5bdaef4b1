"""Coupled: the caller's motion gives the forces that the same motion in the file gives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import simpson

import ropewalk as rw
from ropewalk.coupling import Coupled
from ropewalk.errors import InputError
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product
from ropewalk.physics.motion import rotation
from ropewalk.spec.system import System

OMEGA, WAY = 0.9, 1.5  # rad/s, m
CHAIN = {
    "diameter": 0.09,
    "mass": 77.7,
    "axial_stiffness": 3.8e8,
    "drag": {"normal": 1.6},
    "added_mass": {"normal": 1.0},
}


def line_case(joint, **run):
    """A chain from the bed in 60 m to a point that is driven, or moved by the file."""
    return {
        "ropewalk": 1,
        "environment": {"depth": 60},
        "sections": {"c": CHAIN},
        "points": {"a": {"position": [150, 0, -60]}, "f": {"position": [0, 0, -10], **joint}},
        "lines": {"m": {"from": "a", "to": "f", "elements": 10, "pieces": [{"section": "c", "length": 165}]}},
        "run": {"duration": 4, **run},
        "record": {"every": 0.2},
    }


def moved(t):
    """A start from rest with no jump in acceleration: WAY (omega t - sin omega t) / 2."""
    return [0.5 * WAY * (OMEGA * t - np.sin(OMEGA * t)), 0, -10], [0.5 * WAY * OMEGA * (1 - np.cos(OMEGA * t)), 0, 0]


def drive(c, times):
    return np.array([c.step(t - c.time, {"f": moved(t)})["f"][0] for t in times])


def prescribed(rows=111, step=0.02):
    times = np.linspace(-0.5, 5, rows)
    displacement = [[moved(max(t, 0))[0][0], 0, 0] for t in times]
    motion = {"kind": "table", "time": times.tolist(), "displacement": displacement}
    return System.model_validate(line_case({"joint": "moving", "motion": motion}, step=step))


def test_driven_point_pulls_as_the_same_motion_in_the_file():
    times = np.arange(1, 21) * 0.2
    c = Coupled(System.model_validate(line_case({"joint": "coupled"}, step=0.02)))
    force = drive(c, times)
    run = rw.simulate(prescribed())
    wanted = run.point_force.sel(point="f").values[1:]
    # the same steps of 0.02 s; cubics over 0.2 s: accelerations to WAY omega^2 (omega h)^2 / 24 = 2e-3 m/s2
    assert_allclose(force, wanted, atol=1e-3 * np.abs(wanted).max())


def test_work_of_the_caller_is_that_of_the_energy_ledger():
    """The integral of force times velocity over the calls, by Simpson's rule, against `work_ends` of the same run."""
    times = np.linspace(0.0, 4.0, 401)
    c = Coupled(System.model_validate(line_case({"joint": "coupled"}, step=0.01)))
    force = np.vstack([c.forces()["f"][0], drive(c, times[1:])])
    power = -np.einsum("ij,ij->i", force, [moved(t)[1] for t in times])
    given = simpson(power, x=times)
    energy = rw.simulate(prescribed(rows=1101, step=0.01)).energy.sel(term="work_ends").values
    # the same steps of 0.01 s; found 1e-6, the bar of the balance is 1e-4
    assert_allclose(given, energy[-1] - energy[0], rtol=1e-5)


def test_forces_do_not_hang_on_the_step_of_the_caller():
    coarse, fine = (
        drive(Coupled(System.model_validate(line_case({"joint": "coupled"}, step=0.02))), np.arange(1, n + 1) * 4 / n)
        for n in (10, 40)
    )
    # cubics over 0.4 s: accelerations to WAY omega^2 (omega h)^2 / 24 = 7e-3 m/s2, of some 1 m/s2
    assert_allclose(coarse[-1], fine[-1], atol=1e-2 * np.abs(fine).max())


def test_restored_goes_on_to_the_same_bits():
    c = Coupled(System.model_validate(line_case({"joint": "coupled"})))
    drive(c, [0.4, 0.8])
    saved = c.save()
    first = drive(c, [1.1, 1.3, 2.0])
    c.restore(saved)
    assert c.time == 0.8
    assert_array_equal(drive(c, [1.1, 1.3, 2.0]), first)


@pytest.mark.parametrize("solver", ["constrained", "recursive", "projection", "constrained_implicit"])
def test_bars_whose_end_has_moved_are_restored_to_the_same_bits(solver):
    """Drag bounds the steps of the recursion; what it needs for that is part of what is saved."""
    case = line_case({"joint": "coupled"}, solver=solver)
    case["sections"] = {"c": {**CHAIN, "axial_stiffness": "inextensible"}}
    c = Coupled(System.model_validate(case))

    def swing(times):
        states = [([1 - np.cos(t), 0, -10], [np.sin(t), 0, 0]) for t in times]
        return np.array([c.step(t - c.time, {"f": state})["f"][0] for t, state in zip(times, states, strict=True)])

    swing(np.arange(1, 77) * 0.2)
    saved, now = c.save(), c.time
    later = now + np.array([0.2, 0.4])
    first = swing(later)
    c.restore(saved)
    assert c.time == now
    assert_array_equal(swing(later), first)


def test_bars_are_restored_although_the_motion_has_no_place_for_them_at_the_start():
    """The cubic of the last step puts the platform 50 m away at t = 0, where lines could not be straightened."""
    case = line_case({"joint": "coupled"}, solver="constrained")
    case["points"]["f"]["position"] = [80, 0, 0]
    case["lines"]["m"]["pieces"][0]["length"] = 96.0
    case["sections"] = {"c": {**CHAIN, "axial_stiffness": "inextensible"}}
    c = Coupled(System.model_validate(case))

    def swing(steps):
        force = []
        for t in steps * 0.05:
            ramp, w = min(1.0, t / 5.0), 2.0 * np.pi / 6.0
            state = [80.0 + ramp * np.sin(w * t), 0, 0], [w * np.cos(w * t), 0, 0]
            force.append(c.step(t - c.time, {"f": state})["f"][0])
        return np.array(force)

    swing(np.arange(1, 301))
    saved, later = c.save(), np.arange(301, 305)
    first = swing(later)
    c.restore(saved)
    assert_array_equal(swing(later), first)


def test_damaged_bytes_are_refused():
    c = Coupled(System.model_validate(line_case({"joint": "coupled"})))
    saved = bytearray(c.save())
    saved[-3] ^= 1
    with pytest.raises(InputError, match="cannot be restored"):
        c.restore(bytes(saved))


@pytest.mark.parametrize("solver", ["constrained", "chain_series"])
def test_other_solvers_take_driven_points(solver):
    """A pendulum of one rigid bar whose support is shaken: theta'' = -(g sin theta + a cos theta) / l."""
    from scipy.integrate import solve_ivp

    case = {
        "ropewalk": 1,
        "environment": {"gravity": 9.81, "water_density": 0, "seabed": {"kind": "none"}},
        "sections": {"bar": {"diameter": 0.01, "mass": 1e-9, "axial_stiffness": "inextensible", "compression": True}},
        "points": {
            "f": {"position": [0, 0, 0], "joint": "coupled"},
            "m": {"position": [0, 0, -2], "joint": "free", "mass": 3},
        },
        "lines": {"l": {"from": "f", "to": "m", "elements": 1, "pieces": [{"section": "bar", "length": 2}]}},
        "run": {"duration": 2, "solver": solver, **({"step": 1e-3} if solver == "constrained" else {})},
    }
    c = Coupled(System.model_validate(case))
    w, a = 3.0, 0.2
    for t in np.arange(1, 21) * 0.1:
        x, v = a * (w * t - np.sin(w * t)), a * w * (1 - np.cos(w * t))
        c.step(t - c.time, {"f": ([x, 0, 0], [v, 0, 0])})
    pull = lambda t: a * w**2 * np.sin(w * t)  # noqa: E731
    theta = solve_ivp(
        lambda t, y: [y[1], -(9.81 * np.sin(y[0]) + pull(t) * np.cos(y[0])) / 2], (0, 2), [0, 0], rtol=1e-10, atol=1e-12
    ).y[0, -1]
    place = c.state.point_position[1]
    # cubics over 0.1 s miss the shaking by a (w h)^4 / 384 = 4e-6 m, the bars step at 1 ms: 1e-5
    assert_allclose(
        place[[0, 2]] - [a * (w * 2 - np.sin(w * 2)), 0], [2 * np.sin(theta), -2 * np.cos(theta)], atol=1e-4
    )


def spar(joint="coupled"):
    return {
        "ropewalk": 1,
        "environment": {"depth": 60},
        "sections": {"c": CHAIN},
        "points": {"a": {"position": [150, 0, -60]}, "b": {"position": [-150, 20, -60]}},
        "bodies": {
            "p": {
                "mass": 1e6,
                "position": [0, 0, -5],
                "joint": joint,
                "attachments": {"e": [5, 1, -5], "w": [-5, 0, -5]},
            }
        },
        "lines": {
            "m": {"from": "a", "to": "p.e", "elements": 10, "pieces": [{"section": "c", "length": 165}]},
            "n": {"from": "b", "to": "p.w", "elements": 10, "pieces": [{"section": "c", "length": 165}]},
        },
        "run": {"duration": 4},
    }


def test_body_turned_about_all_axes_has_the_wrench_of_statics_there():
    """Slowly to a pose, then held: forces and moments are those of the equilibrium with the body fixed there."""
    turn, way = np.radians([8.0, -12.0, 20.0]), np.array([3.0, -2.0, 1.0])
    c = Coupled(System.model_validate(spar()))
    start = np.array([0, 0, -5.0])
    for k in range(1, 41):
        x = min(k / 20, 1.0)
        f, df = x * x * (3 - 2 * x), 6 * x * (1 - x) / 40.0 if x < 1 else 0.0
        c.step(2.0, {"p": (start + f * way, quaternion_exp(f * turn), df * way, df * turn)})
    force, moment = c.step(400.0, {"p": (start + way, quaternion_exp(turn), [0, 0, 0], [0, 0, 0])})["p"]
    roll, pitch, yaw = _euler(quaternion_exp(turn))
    fixed = spar("fixed")
    fixed["bodies"]["p"].update(position=(start + way).tolist(), attitude=np.degrees([roll, pitch, yaw]).tolist())
    at_rest = rw.statics(System.model_validate(fixed), "fem")
    ends = at_rest.state.end_force[:, 1]
    arms = [at_rest.state.position[at_rest.state.start[k + 1] - 1] - (start + way) for k in range(2)]
    assert_allclose(force, ends.sum(axis=0), atol=1e-3 * np.abs(ends).max())
    assert_allclose(
        moment, sum(np.cross(arm, f) for arm, f in zip(arms, ends, strict=True)), atol=5e-3 * np.abs(ends).max()
    )


def _euler(q):
    w, x, y, z = q
    return (
        np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
        np.arcsin(2 * (w * y - z * x)),
        np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
    )


def test_angular_velocity_of_a_turn_about_several_axes():
    """omega and alpha against differences of the quaternion, for turns of up to a radian."""
    c = Coupled(System.model_validate(spar()))
    quaternion = quaternion_exp(np.array([0.5, -0.7, 0.4]))
    c._driven.drive(0.0, 2.0, {"p": ([0, 0, -5], quaternion, [0, 0, 0], [0.1, 0.2, -0.3])})
    out = np.zeros((3, 3))

    def attitude(t):
        rotation(t, 0, c.model.motions, out)
        return quaternion_exp(out[0]), out[1].copy(), out[2].copy()

    h = 1e-4
    for t in (0.3, 1.1, 1.9):
        (before, w0, _), (_, omega, alpha), (after, w1, _) = attitude(t - h), attitude(t), attitude(t + h)
        conjugate = before * [1, -1, -1, -1]
        change = quaternion_product(after, conjugate)
        assert_allclose(change[1:] / h, omega, atol=1e-7)  # h^2 times third derivatives of order 1 to 10
        assert_allclose((w1 - w0) / (2 * h), alpha, atol=1e-7)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ({}, "no state was given for 'f'"),
        ({"f": ([0, 0, 0], [0, 0, 0]), "g": ()}, "'g' is not a coupled part"),
        ({"f": ([0, 0, 0],)}, "has 1 entries"),
        ({"f": ([np.nan, 0, 0], [0, 0, 0])}, "not finite"),
        (None, "given by name of the coupled part"),
        ({"f": ([0], [0, 0, 0])}, "three numbers each"),
        ({"f": ("abc", [0, 0, 0])}, "lists of numbers"),
    ],
)
def test_wrong_states_are_refused(states, message):
    c = Coupled(System.model_validate(line_case({"joint": "coupled"})))
    with pytest.raises(InputError, match=message):
        c.step(0.1, states)


def test_a_case_without_coupled_parts_is_stepped_but_not_driven():
    c = Coupled(System.model_validate(line_case({"joint": "fixed"})))
    assert c.step(0.1, {}) == {}
    with pytest.raises(InputError, match="no part with 'joint: coupled'"):
        c.step(0.1, {"f": ([0, 0, 0], [0, 0, 0])})


def test_a_line_that_is_shortened_on_the_way_pulls_harder_and_settles_at_its_statics():
    c = Coupled(System.model_validate(line_case({"joint": "coupled"})))
    there = {"f": ([0, 0, -10], [0, 0, 0])}
    before = c.step(1.0, there)["f"][0]
    c.set("lines.m.pieces.0.length", 163.0)
    force = c.step(600.0, there)["f"][0]
    assert force[0] > before[0]
    case = line_case({"joint": "coupled"})
    case["lines"]["m"]["pieces"][0]["length"] = 163.0
    rest = rw.statics(System.model_validate(case), "fem").state.point_force[1]
    assert_allclose(force, rest, atol=1e-3 * np.abs(rest).max())  # what is left of the swinging after 600 s


def test_coupled_parts_rest_where_the_file_puts_them_in_other_analyses():
    held, coupled = (rw.statics(System.model_validate(line_case({"joint": j}))) for j in ("fixed", "coupled"))
    assert_allclose(coupled.state.end_force, held.state.end_force, rtol=1e-12)
