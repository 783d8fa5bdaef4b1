"""How coupled parts and lengths get from one call of the moordyn functions to the next."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk.moordyn as ours
from ropewalk.coupling.moordyn_calls import ahead
from ropewalk.coupling.moordyn_instance import Call

WINCH = """winch
---- LINE TYPES ----
Name Diam MassDenInAir EA BA/-zeta EI Cd Ca CdAx CaAx
(-) (m) (kg/m) (N) (N-s/-) (N-m2) (-) (-) (-) (-)
rope 0.08 30.0 1.0e8 -0.8 0 1.2 1.0 0.1 0.0
---- POINTS ----
ID Attachment X Y Z Mass Volume CdA Ca
(-) (-) (m) (m) (m) (kg) (m3) (m2) (-)
1 Fixed 0 0 -100 0 0 0 0
2 Coupled 160 0 -2 0 0 0 0
---- LINES ----
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(-) (-) (-) (-) (m) (-) (-)
1 rope 1 2 195 20 -
---- OPTIONS ----
0 writeLog
0.001 dtM
100 WtrDpth
3e6 kBot
3e5 cBot
1 ICgenDynamic
500 TmaxIC
1e-6 threshIC
---- END ----
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lines.txt").write_text(WINCH)
    return "lines.txt"


def heave(t):
    return -2.0 + 0.5 * math.sin(2.0 * math.pi * t / 10.0)


def speed(t):
    return 0.1 * math.pi * math.cos(2.0 * math.pi * t / 10.0)


def farthest(path, dt, velocity):
    """Largest distance between where a part is taken to be at the end of a step and where it then is, m."""
    instance, worst = ours.Create(path), 0.0
    for i in range(100):
        t = i * dt
        call = Call(t, np.array([160.0, 0.0, heave(t)]), np.array([0.0, 0.0, velocity(t, dt)]), np.zeros(3))
        there, _ = ahead(instance, call, dt)
        if i > 2:
            worst = max(worst, abs(float(there[2]) - heave(t + dt)))
    return worst


def test_a_mean_velocity_leads_to_the_end_of_the_step(path):
    """Scripts give (x(t + dt) - x(t))/dt: the end is exact but for round-off."""
    assert farthest(path, 0.1, lambda t, dt: (heave(t + dt) - heave(t)) / dt) < 1e-12


def test_a_velocity_at_the_start_leads_there_to_third_order(path):
    """Scripts give x'(t); the change of velocity since the last call makes up for the acceleration."""
    errors = [farthest(path, dt, lambda t, dt: speed(t)) for dt in (0.2, 0.1, 0.05)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > 2.7)


def test_a_kink_of_the_velocity_is_not_carried_on(path):
    """From rest to 1 m/s between two calls: the part does not move farther than that velocity takes it."""
    instance, found = ours.Create(path), None
    for i, v in enumerate((0.0, 0.0, 1.0)):
        call = Call(0.1 * i, np.array([160.0, 0.0, -2.0]), np.array([0.0, 0.0, v]), np.zeros(3))
        found = ahead(instance, call, 0.1)
    assert_allclose(found[0][2], -1.9, rtol=1e-12)
    assert_allclose(found[1][2], 1.0, rtol=1e-12)


def hauled(md, path, dt, every=0.1):
    """Tension (N) at a fairlead in heave while the line is hauled in at 0.2 m/s from 5 s to 15 s."""

    def place(t):
        return -2.0 + min(t / 4.0, 1.0) ** 2 * (heave(t) + 2.0)

    system = md.Create(path)
    md.Init(system, [160.0, 0.0, place(0.0)], [0.0] * 3)
    line, found = md.GetLine(system, 1), []
    for i in range(round(20.0 / dt)):
        t = i * dt
        if 5.0 <= t < 15.0:
            md.SetLineUnstretchedLength(line, md.GetLineUnstretchedLength(line) - 0.2 * dt)
        velocity = [0.0, 0.0, (place(t + dt) - place(t)) / dt]
        found.append(np.linalg.norm(md.Step(system, [160.0, 0.0, place(t)], velocity, t, dt)))
    md.Close(system)
    step = round(every / dt)
    return np.array(found)[step - 1 :: step]


def test_hauled_line_pulls_as_in_moordyn_called_often(path):
    """MoorDyn changes the length at once at each call: its error is of first order in the time between calls.

    Called every 0.005 s it is within 0.3 % of its limit; ropewalk called every 0.1 s is 1 % off that, MoorDyn 6 %.
    """
    md = pytest.importorskip("moordyn")
    reference, rare, own = hauled(md, path, 0.005), hauled(md, path, 0.1), hauled(ours, path, 0.1)
    error = [np.linalg.norm(one - reference) / np.linalg.norm(reference) for one in (rare, own)]
    assert error[1] < 0.012
    assert error[0] > 0.05


BODY = WINCH.replace(
    "---- POINTS ----",
    """---- BODIES ----
ID Attachment X0 Y0 Z0 r0 p0 y0 Mass CG I Volume CdA Ca
(-) (-) (m) (m) (m) (deg) (deg) (deg) (kg) (m) (kg-m2) (m3) (m2) (-)
1 Coupled 0 0 0 0 0 0 0 0 0 0 0 0
---- POINTS ----""",
).replace("2 Coupled 160 0 -2", "2 Body1 160 0 -2")


def pose(t):
    return np.array([0.8 * math.sin(0.7 * t), 0.3 * math.sin(0.5 * t), 0.2 * math.sin(0.9 * t), 0.1 * math.sin(0.8 * t),
                     0.3 * math.sin(0.6 * t), 0.4 * math.sin(0.4 * t)])  # fmt: skip


def spin(angles, rates):
    """Angular velocity of Rx Ry Rz: omega = e_x roll' + Rx e_y pitch' + Rx Ry e_z yaw', rad/s."""
    roll, pitch, _ = angles
    y, z = np.array([0.0, math.cos(roll), math.sin(roll)]), np.array(
        [math.sin(pitch), -math.sin(roll) * math.cos(pitch), math.cos(roll) * math.cos(pitch)]
    )  # fmt: skip
    return rates[0] * np.array([1.0, 0.0, 0.0]) + rates[1] * y + rates[2] * z


@pytest.mark.parametrize("is_rates", [False, True])
def test_rates_of_angles_are_known_from_angular_velocities(path, tmp_path, is_rates):
    """Scripts give (x(t + dt) - x(t))/dt for angles, too, where MoorDyn takes angular velocities.

    Taken for angular velocities they would lead to a roll that the next call takes back: 0.02 rad in 0.1 s.
    """
    (tmp_path / "lines.txt").write_text(BODY)
    instance, dt, off, turned = ours.Create(path), 0.1, [], []
    for i in range(100):
        a, b = pose(i * dt), pose((i + 1) * dt)
        v = (b - a) / dt
        omega = spin(0.5 * (a + b)[3:], v[3:])
        given = v if is_rates else np.concatenate([v[:3], omega])
        there, arriving = ahead(instance, Call(i * dt, a, given, np.zeros(6)), dt)
        if i > 3:
            off.append(float(np.abs(there - b).max()))
            after = spin(b[3:], (pose((i + 1) * dt + 1e-5) - pose((i + 1) * dt - 1e-5))[3:] / 2e-5)
            turned.append(float(np.abs(arriving[3:] - after).max()))
    # mean angular velocities turned by the axes at the start of the step are off by 1e-3 of a turn of 0.1 rad;
    # velocities go on as since the last call: a mean of two halves, second order of 0.1 s
    assert max(off) < (1e-12 if is_rates else 1.5e-3)
    assert max(turned) < 6e-3
