"""Coupled bodies and rods through the moordyn functions, held and free, in still water and in waves.

Where MoorDyn differs, the closed form decides. A rod of radius r through the surface, tilted by phi, is turned back by

    rho g I sin(phi), I = pi d^4/64,

beside the moment of its buoyancy on the axis. MoorDyn 2.7 takes pi d^4/16 for I and the moment of the lower end face
with the opposite sign: three times as much in all.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
import ropewalk.moordyn as ours
from ropewalk.coupling.moordyn_instance import plain_case
from ropewalk.spec.system import System

RHO, G, H = 1025.0, 9.80665, 50.0
D, BOTTOM, TOP = 2.0, -4.0, 3.0  # m, of the spar
AREA = math.pi * D**2 / 4.0
SECOND = math.pi * D**4 / 64.0  # m4

FILE = """spar
---- LINE TYPES ----
Name Diam MassDenInAir EA BA/-zeta EI Cd Ca CdAx CaAx
(-) (m) (kg/m) (N) (N-s/-) (N-m2) (-) (-) (-) (-)
rope 0.06 8.0 4.0e6 -0.8 0 1.2 1.0 0.1 0.0
---- ROD TYPES ----
Name Diam Mass/m Cd Ca CdEnd CaEnd
(-) (m) (kg/m) (-) (-) (-) (-)
hull 2.0 {rod_mass} {cd} {ca} {cd_end} {ca_end}
---- BODIES ----
ID Attachment X0 Y0 Z0 r0 p0 y0 Mass CG I Volume CdA Ca
(-) (-) (m) (m) (m) (deg) (deg) (deg) (kg) (m) (kg-m2) (m3) (m2) (-)
1 {body}
---- RODS ----
ID RodType Attachment Xa Ya Za Xb Yb Zb NumSegs RodOutputs
(-) (-) (-) (m) (m) (m) (m) (m) (m) (-) (-)
1 hull {rod} {segments} -
---- POINTS ----
ID Attachment X Y Z Mass Volume CdA Ca
(-) (-) (m) (m) (m) (kg) (m3) (m2) (-)
1 Fixed 40 0 -50 0 0 0 0
2 Fixed 40 30 -50 0 0 0 0
---- LINES ----
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(-) (-) (-) (-) (m) (-) (-)
1 rope 1 2 33 4 -
---- OPTIONS ----
0 writeLog
0.001 dtM
50 WtrDpth
{initial} TmaxIC
{waves} WaveKin
---- END ----
"""
SPAR = {
    "body": "Coupled 0 0 0 0 0 0 0 0 0 0 0 0", "rod": f"Body1 0 0 {BOTTOM} 0 0 {TOP}", "segments": 140, "rod_mass": 0,
    "cd": 0, "ca": 0, "cd_end": 0, "ca_end": 0, "initial": 5, "waves": 0,
}  # fmt: skip


def write(folder: Path, **changes) -> str:
    (folder / "lines.txt").write_text(FILE.format(**{**SPAR, **changes}))
    return "lines.txt"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hold(md, path, x, n=2, dt=0.1):
    """(n, 6) forces and moments on a part that stays where it is."""
    system = md.Create(path)
    md.Init(system, list(x), [0.0] * 6)
    force = [md.Step(system, list(x), [0.0] * 6, i * dt, dt) for i in range(n)]
    md.Close(system)
    return np.array(force)


def peer():
    """The moordyn package."""
    return pytest.importorskip("moordyn")


# --- parts that the caller moves ---


def test_coupled_rod_lies_as_in_the_file_where_the_angles_are_none(folder):
    """MoorDyn turns rods from their direction in the file; Rx Ry Rz of angles."""
    a, b = np.array([-2.0, 0.0, -10.0]), np.array([1.5, 1.5, -9.0])
    rod = "Coupled " + " ".join(str(c) for c in (*a, *b))
    path = write(folder, body="Fixed 0 0 0 0 0 0 0 0 0 0 0 0", rod=rod, rod_mass=400, segments=10)
    for angles in ([0.0, 0.0, 0.0], [0.2, 0.5, 0.4]):
        x = [*a, *angles]
        system = ours.Create(path)
        ours.Init(system, x, [0.0] * 6)
        force = np.array(ours.Step(system, x, [0.0] * 6, 0.0, 0.1))
        turn = np.eye(3)
        for axis, angle in enumerate(angles):
            turn = turn @ rotate_about(axis, angle)
        arm = turn @ (b - a)
        end = ours.GetRodNodePos(ours.GetRod(system, 1), 12)
        # statics leaves 1e-8 of the loads
        assert_allclose(end, a + arm, atol=1e-8)
        lift = np.array([0.0, 0.0, (AREA * RHO - 400.0) * G * np.linalg.norm(arm)])
        assert_allclose(force, [*lift, *np.cross(0.5 * arm, lift)], atol=1e-6 * lift[2])


def rotate_about(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[i, i] = turn[j, j] = c
    turn[j, i], turn[i, j] = s, -s
    return turn


def accelerated(md, path, acceleration, dt=0.05):
    """(n, 6) forces on a body that is moved along x."""
    system = md.Create(path)
    md.Init(system, [0, 0, -12, 0, 0, 0], [0.0] * 6)
    found = []
    for i in range(8):
        t = i * dt
        x, v = [0.5 * acceleration * t * t, 0, -12, 0, 0, 0], [acceleration * t, 0, 0, 0, 0, 0]
        found.append(md.Step(system, x, v, t, dt))
    kind = md.GetBodyType(md.GetBody(system, 1))
    md.Close(system)
    return np.array(found), kind


def test_coupled_body_returns_weight_buoyancy_and_inertia_of_its_rod(folder):
    """The body's own 5 t and 2 m3 are the caller's, as in MoorDyn; the rod is submerged and accelerated along x."""
    body = "Coupled 0 0 -12 0 0 0 5000 0|0|-1 4000|4000|2000 2.0 0 0.5"
    path = write(folder, body=body, rod="Body1 0 0 -4 0 0 3", rod_mass=400, segments=14, ca=1.0)
    acceleration, volume = 0.4, AREA * 7.0
    force, kind = accelerated(ours, path, acceleration)
    assert kind == -1
    assert_allclose(force[0, 2], (RHO * volume - 7.0 * 400.0) * G, rtol=1e-6)
    # the motion between calls is a cubic, whose acceleration is that of the caller to 1 %
    assert_allclose(force[-1, 0], -(7.0 * 400.0 + RHO * volume) * acceleration, rtol=0.01)
    theirs = accelerated(peer(), path, acceleration)[0]
    assert_allclose(force[-1, [0, 2]], theirs[-1, [0, 2]], rtol=0.01)


# --- a spar through the surface ---


def upright_moment(phi):
    """Moment (N m, about y) of a cylinder cut by still water, about the point of its axis in the surface.

    Source: volume and moments of a cylinder cut at a slant: V = pi r^2 L, and the centre off the axis by I tan(phi)/V.
    """
    s, c, t = math.sin(phi), math.cos(phi), math.tan(phi)
    along = -0.5 * AREA * BOTTOM**2 + 0.5 * SECOND * t * t
    return -RHO * G * (along * s + SECOND * t * c)


@pytest.mark.parametrize("degrees", [0.5, 3.0, 8.0])
def test_tilted_spar_has_the_moment_of_its_cut(folder, degrees):
    phi = math.radians(degrees)
    force = hold(ours, write(folder), [0, 0, 0, 0, phi, 0])[-1]
    assert_allclose(force[2], -RHO * G * AREA * BOTTOM, rtol=1e-9)
    assert_allclose(force[4], upright_moment(phi), rtol=1e-9)


def test_moordyn_turns_a_tilted_spar_back_by_three_times_its_waterplane(folder):
    phi = math.radians(0.5)
    force = hold(peer(), write(folder), [0, 0, 0, 0, phi, 0])[-1]
    assert_allclose(force[2], -RHO * G * AREA * BOTTOM, rtol=1e-9)
    # 2 rho g I sin(phi) too much; the shares of its nodes at the surface leave 2e-4 of that
    assert_allclose(force[4] - upright_moment(phi), -2.0 * RHO * G * SECOND * math.sin(phi), rtol=1e-3)


def test_free_spar_pitches_in_its_own_period_and_with_that_moment_in_moordyns(folder):
    """Free decay from 1 degree without damping: 6 % between the periods, which the moment of the test above closes."""
    mass = -RHO * AREA * BOTTOM
    body = f"Free 0 0 0 0 1 0 {mass} 0|0|-2.8 40000|40000|2000 0 0 0"
    path, dt, n = write(folder, body=body, segments=40, ca=1.0, ca_end=0.6, initial=0), 0.05, 400
    md = peer()
    system = md.Create(path)
    md.Init(system, [], [])
    pitch = []
    for i in range(n):
        md.Step(system, [], [], i * dt, dt)
        pitch.append(md.GetBodyState(md.GetBody(system, 1))[0][4])
    md.Close(system)
    own, with_moment = (own_period(path, dt, n, 2.0 * RHO * G * SECOND * f) for f in (0.0, 1.0))
    # steps at the tolerance given lengthen a period by 1e-3
    assert with_moment == pytest.approx(period(np.array(pitch), dt), rel=3e-3)
    assert own / with_moment == pytest.approx(1.07, abs=0.01)


def own_period(path, dt, n, stiffness):
    """Period of pitch with a stiffness in roll and pitch, N m, added to the body."""
    plain = plain_case(ours.Create(path).system)
    bodies = plain["bodies"]
    bodies["body1"]["stiffness"] = np.diag([0.0, 0.0, 0.0, stiffness, stiffness, 0.0]).tolist()
    # stiffness counts from the attitude in the file: the spar floats upright and is pushed over in the first second
    for body in bodies.values():
        body["attitude"] = [0.0, 0.0, 0.0]
    bodies["rod1"]["position"] = [0.0, 0.0, BOTTOM]
    push = {"kind": "table", "time": [0.0, 0.5, 1.0], "value": [[0, 0, 0], [0, 4e3, 0], [0, 0, 0]]}
    bodies["body1"]["loads"] = {"moment": push}
    plain["run"] = {"duration": n * dt, "tolerance": 3e-4}
    plain["record"] = {"every": dt}
    result = rw.simulate(System.model_validate(plain))
    q = result.body_quaternion.sel(body="body1").values
    return period(2.0 * np.arctan2(q[60:, 2], q[60:, 0]), dt)


def period(x, dt):
    """Mean time between upward crossings of the mean, s."""
    x = x - x.mean()
    at = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    crossing = at - x[at] / (x[at + 1] - x[at])
    return (crossing[-1] - crossing[0]) / (crossing.size - 1) * dt
