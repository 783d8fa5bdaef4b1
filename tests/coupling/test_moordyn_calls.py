"""How coupled parts and lengths get from one call of the moordyn functions to the next."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk.moordyn as ours
from ropewalk.coupling.moordyn import _ahead
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
        there, _ = _ahead(instance, call, dt)
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
        found = _ahead(instance, call, 0.1)
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
