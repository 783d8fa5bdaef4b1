"""System to arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from reference import OC3, platform, surmont_line
from ropewalk.model.bodies import quaternion_of
from ropewalk.model.joints import FREE, HELD
from ropewalk.model.model import build
from ropewalk.model.state import end_positions, initial_state, resample, rotation_matrix
from ropewalk.physics import waves
from ropewalk.physics.motion import motion as moved
from ropewalk.spec.system import System


def test_arrays_cannot_be_written():
    model = build(platform(OC3))
    for part in (model.sea, model.sections, model.points, model.bodies, model.lines, model.motions):
        for name, value in part._asdict().items():
            if isinstance(value, np.ndarray):
                assert not value.flags.writeable, name
                assert value.flags.c_contiguous, name


def test_weight_in_water():
    """w = (m - rho A) g of the OC3 chain, 698.094 N/m with the rounded data."""
    model = build(platform(OC3))
    w = (model.sections.mass[0] - 1025.0 * model.sections.area[0]) * 9.80665
    assert_allclose(w, (77.7066 - 1025.0 * math.pi / 4 * 0.09**2) * 9.80665, rtol=1e-15)


def test_attitude_turns_about_x_then_y_then_z():
    """Roll 90 then yaw 90 takes body y to world z, and body z to world x."""
    R = rotation_matrix(quaternion_of((90.0, 0.0, 90.0)))
    assert_allclose(R @ [0, 1, 0], [0, 0, 1], atol=1e-15)
    assert_allclose(R @ [0, 0, 1], [1, 0, 0], atol=1e-15)


def test_ends_follow_the_body():
    system = platform(OC3, position=[10, 0, 0], attitude=[0, 0, 90])
    model = build(system)
    ends = end_positions(model, model.points.position, model.bodies.position, model.bodies.quaternion)
    assert_allclose(ends[0, 1], [10, 5.2, -70], atol=1e-12)


def test_point_masses_move_the_centre_and_add_inertia():
    """Two equal point masses 2 m apart: I = m d^2 / 2 across, 0 along."""
    system = System.model_validate(
        {
            "bodies": {
                "b": {
                    "mass": 0,
                    "position": [0, 0, 0],
                    "point_masses": [{"mass": 3, "position": [0, 0, 1]}, {"mass": 3, "position": [0, 0, -1]}],
                }
            }
        }
    )
    bodies = build(system).bodies
    assert_allclose(bodies.mass, [6])
    assert_allclose(bodies.centre, [[0, 0, 0]])
    assert_allclose(bodies.inertia[0], np.diag([6.0, 6.0, 0.0]))


def test_joint_components_and_frames():
    frame = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]
    points = build(surmont_line({"axes": {"x": {"force": 3.0}}, "frame": frame})).points
    assert points.joint[1].tolist() == [FREE, HELD, HELD]
    assert_allclose(points.axis[1]["pull"], [3.0, 0, 0])
    assert_allclose(points.frame[1], frame)


def test_seas_of_one_seed_are_the_same():
    """Random phases come from the seed in the file and from nothing else."""

    def sea(seed):
        waves_ = {"kind": "jonswap", "significant_height": 4, "peak_period": 10, "seed": seed, "spreading": 8}
        return build(System.model_validate({"environment": {"depth": 80, "waves": waves_}})).sea.wave

    assert np.array_equal(sea(3), sea(3))
    assert not np.array_equal(sea(3), sea(4))
    assert_allclose(4 * math.sqrt(0.5 * np.sum(waves.WaveRows(*sea(3)).amplitude ** 2)), 4.0, rtol=1e-12)


def test_elements_are_shared_by_length():
    system = platform(OC3)
    pieces = [{"section": "line", "length": 300}, {"section": "line", "length": 600}]
    line = system.lines["line1"].replace(pieces=pieces, elements=30)
    model = build(system.replace(lines={"line1": line}))
    assert model.lines.piece_elements.tolist() == [10, 20]


def test_resample_keeps_a_straight_line():
    state = initial_state(build(platform(OC3)))
    position, velocity, tension = resample(state, 1, np.array([0.0, 451.1, 902.2]))
    assert_allclose(position[1], 0.5 * (position[0] + position[2]))
    assert_allclose(velocity, 0.0)
    assert_allclose(tension, 0.0)


@pytest.mark.parametrize("heading", [0.0, 60.0, -135.0])
def test_current_heads_where_it_says(heading):
    current = {"speed": 2.0, "heading": heading}
    sea = build(System.model_validate({"environment": {"current": current}})).sea
    assert_allclose(sea.current_heading, math.radians(heading))
    assert sea.current_speed == 2.0


@pytest.mark.parametrize(
    ("given", "ramp"),
    [
        ({"kind": "regular", "height": 1, "period": 5}, 10.0),
        ({"kind": "jonswap", "significant_height": 1, "peak_period": 9}, 18.0),
        ({"kind": "components", "components": [{"amplitude": 1, "period": 8}, {"amplitude": 2, "period": 6}]}, 12.0),
        ({"kind": "regular", "height": 1, "period": 5, "ramp": 0}, 0.0),
        ({"kind": "regular", "height": 1, "period": 5, "ramp": 3.5}, 3.5),
    ],
)
def test_waves_are_brought_on_over_two_peak_periods_unless_given(given, ramp):
    system = System.model_validate({"environment": {"waves": given}})
    assert system.environment.wave_ramp == ramp
    assert np.all(waves.WaveRows(*build(system).sea.wave).ramp == ramp)


def test_a_table_of_a_sine_has_its_velocity_at_both_ends():
    """Displacement sin t over a quarter of a turn and more: the velocity is cos t, at the last entry too.

    A spline of step h misses the slope at its ends by order h^3: (0.1)^3.
    """
    time = np.linspace(0.0, 1.3, 14)
    motion = {"kind": "table", "time": time.tolist(), "displacement": [[float(np.sin(t)), 0.0, 0.0] for t in time]}
    model = build(
        System.model_validate({"points": {"p": {"position": [0, 0, 0], "joint": "moving", "motion": motion}}})
    )
    out = np.zeros((3, 3))
    for t in (1e-9, 0.65, 1.3 - 1e-9):
        moved(t, 0, model.motions, out)
        np.testing.assert_allclose(out[:2, 0], [np.sin(t), np.cos(t)], atol=1e-3)


def test_a_tabled_load_acts_between_its_first_and_last_entry_only():
    """10 N/m over 3 m of 10 m is 30 N, by every integral of the model's table."""
    load = {"kind": "table", "s": [4.0, 7.0], "force": [[10.0, 0, 0], [10.0, 0, 0]]}
    system = System.model_validate(
        {
            "sections": {"rope": {"diameter": 0.02, "mass": 1.0, "axial_stiffness": 1e6}},
            "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [9, 0, 0]}},
            "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 10}], "loads": [load]}},
        }
    )
    lines = build(system).lines
    s = np.unique(np.concatenate([np.linspace(0.0, 10.0, 1001), lines.load_table[:, 0]]))
    force = np.interp(s, lines.load_table[:, 0], lines.load_table[:, 1])
    assert force[0] == force[-1] == 0.0
    np.testing.assert_allclose(np.trapezoid(force, s), 30.0, rtol=1e-8)  # edges of 1e-9 of the length
