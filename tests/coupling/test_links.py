"""Links on coupled parts, coupled and pinned rods, and lines that are reeled without a new mesh."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk import moordyn as md
from ropewalk.spec.system import System

G, RHO = 9.80665, 1025.0
LEVEL = [1.0, 0.0, 0.0, 0.0]
HUNG = {
    "ropewalk": 1,
    "environment": {"depth": 100, "seabed": {"kind": "none"}},
    "sections": {"r": {"diameter": 0.02, "mass": 1, "axial_stiffness": 1e6}},
    "points": {"a": {"position": [50, 0, -40]}},
    "bodies": {
        "p": {"mass": 0, "position": [0, 0, 0], "joint": "coupled", "attachments": {"e": [1, 0, -2]}},
        "w": {"mass": 100, "inertia": [10, 10, 10], "position": [1, 0, -3], "volume": 0.02,
              "attachments": {"t": [0, 0, 1], "b": [0, 0, -1]}},
    },
    "links": {"l": {"kind": "rigid", "between": ["w.t", "p.e"]}},
    "lines": {"m": {"from": "a", "to": "w.b", "elements": 10, "pieces": [{"section": "r", "length": 66}]}},
    "run": {"duration": 1},
}  # fmt: skip


def expected(c):
    """Force and moment about the origin of the platform: weight less buoyancy of the linked body, and its line."""
    line = c.state.end_force[0, 1]
    weight = np.array([0.0, 0.0, -(100.0 - 0.02 * RHO) * G])
    at_line, at_weight = np.array([1.0, 0.0, -4.0]), np.array([1.0, 0.0, -3.0])
    return line + weight, np.cross(at_line, line) + np.cross(at_weight, weight)


@pytest.mark.parametrize("between", [["w.t", "p.e"], ["p.e", "w.t"]])
def test_rigid_link_hands_all_loads_of_a_body_to_the_coupled_one(between):
    case = copy.deepcopy(HUNG)
    case["links"]["l"]["between"] = between
    c = rw.Coupled(System.model_validate(case))
    force, moment = c.forces()["p"]
    # forces balance to the tolerance of statics, 1e-8 of the loads and more
    assert_allclose(force, expected(c)[0], rtol=1e-6, atol=1e-3)
    assert_allclose(moment, expected(c)[1], rtol=1e-6, atol=1e-3)
    stepped = c.step(0.1, {"p": ([0, 0, 0], LEVEL, [0, 0, 0], [0, 0, 0])})["p"]
    assert_allclose(stepped[0], force, rtol=1e-4, atol=0.1)


def test_ball_on_a_coupled_point_carries_what_hangs_in_it():
    case = copy.deepcopy(HUNG)
    case["points"]["h"] = {"position": [1, 0, -2], "joint": "coupled"}
    del case["bodies"]["p"]
    case["links"] = {"l": {"kind": "ball", "between": ["w.t", "h"]}}
    c = rw.Coupled(System.model_validate(case))
    (force,) = c.forces()["h"]
    line = c.state.end_force[0, 1]
    assert_allclose(force, line + np.array([0.0, 0.0, -(100.0 - 0.02 * RHO) * G]), rtol=1e-6, atol=1e-3)
    (stepped,) = c.step(0.1, {"h": ([1, 0, -2], [0, 0, 0])})["h"]
    assert_allclose(stepped, force, rtol=1e-4, atol=0.1)


ROD = """rods
--- LINE TYPES ---
TypeName Diam Mass/m EA BA/-zeta EI Cd Ca CdAx CaAx
(name) (m) (kg/m) (N) (N-s/-) (N-m^2) (-) (-) (-) (-)
rope 0.02 1 1e6 -1 0 1.2 1.0 0.1 0.0
--- ROD TYPES ---
TypeName Diam Mass/m Cd Ca CdEnd CaEnd
(name) (m) (kg/m) (-) (-) (-) (-)
bar 0.3 150 0 0 0 0
--- RODS ---
ID RodType Attachment Xa Ya Za Xb Yb Zb NumSegs RodOutputs
(#) (name) (-) (m) (m) (m) (m) (m) (m) (-) (-)
1 bar {kind} 0 0 -20 0 0 -16 4 -
--- POINTS ---
ID Attachment X Y Z Mass Volume CdA Ca
(#) (-) (m) (m) (m) (kg) (m^3) (m^2) (-)
1 Fixed 30 0 -60 0 0 0 0
2 Fixed -30 0 -60 0 0 0 0
3 Coupled 5 0 -5 0 0 0 0
--- LINES ---
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(#) (name) (#) (#) (m) (-) (-)
1 rope 1 R1A 51 10 p
2 rope 2 R1B 54 10 p
3 rope 2 3 66 10 p
--- OPTIONS ---
100 WtrDpth
{rho} rho
--- need this line ---
"""


def driven(folder: Path, kind: str, rho: float = RHO):
    """A system with a driven rod."""
    path = folder / "lines.txt"
    path.write_text(ROD.format(kind=kind, rho=rho))
    return md.Create(str(path))


def test_coupled_rod_comes_before_points_and_returns_its_weight_and_lines(tmp_path: Path) -> None:
    system = driven(tmp_path, "Coupled")
    assert md.NCoupledDOF(system) == 9
    x, v = [0, 0, -20, 0, 0, 0, 5, 0, -5], [0.0] * 9
    md.Init(system, x, v)
    force = np.array(md.Step(system, x, v, 0.0, 0.1))
    lines = system.coupled.state.end_force
    volume = np.pi * 0.15**2 * 4.0
    weight = np.array([0.0, 0.0, -(150.0 * 4.0 - RHO * volume) * G])
    # the implicit step starts at the equilibrium: forces stay within its tolerance
    assert_allclose(force[:3], lines[0, 1] + lines[1, 1] + weight, rtol=1e-3, atol=1.0)
    moment = np.cross([0, 0, 4.0], lines[1, 1]) + np.cross([0, 0, 2.0], weight)
    assert_allclose(force[3:6], moment, rtol=1e-3, atol=2.0)
    assert_allclose(force[6:], lines[2, 1], rtol=1e-3, atol=1.0)


def test_coupled_rod_returns_its_inertia(tmp_path: Path) -> None:
    """In air and moved at a constant acceleration along x: -m a beside its lines."""
    system = driven(tmp_path, "Coupled", 0.0)
    acceleration, dt = 0.5, 0.05
    md.Init(system, [0, 0, -20, 0, 0, 0, 5, 0, -5], [0.0] * 9)
    for i in range(8):
        t = i * dt
        x = [0.5 * acceleration * t * t, 0, -20, 0, 0, 0, 5, 0, -5]
        v = [acceleration * t, 0, 0, 0, 0, 0, 0, 0, 0]
        force = np.array(md.Step(system, x, v, t, dt))
    lines = system.coupled.state.end_force
    assert_allclose(force[0] - lines[0, 1, 0] - lines[1, 1, 0], -600.0 * acceleration, rtol=0.02)


def test_pinned_coupled_rod_has_three_degrees_of_freedom(tmp_path: Path) -> None:
    system = driven(tmp_path, "CoupledPinned")
    assert md.NCoupledDOF(system) == 6
    x, v = [0, 0, -20, 5, 0, -5], [0.0] * 6
    md.Init(system, x, v)
    force = np.array(md.Step(system, x, v, 0.0, 0.05))
    lines = system.coupled.state.end_force
    weight = -(150.0 * 4.0 - RHO * np.pi * 0.15**2 * 4.0) * G
    assert_allclose(force[:3], lines[0, 1] + lines[1, 1] + np.array([0.0, 0.0, weight]), rtol=1e-2, atol=5.0)
    assert md.NCoupledDOF(system) == len(force)


REELED = {
    "ropewalk": 1,
    "environment": {"depth": 60},
    "sections": {"chain": {"catalogue": "studless_chain", "diameter": 0.05}},
    "points": {"anchor": {"position": [0, 0, -60]}, "top": {"position": [120, 0, 0], "joint": "coupled"}},
    "lines": {"m": {"from": "anchor", "to": "top", "elements": 16, "pieces": [{"section": "chain", "length": 142}]}},
    "run": {"duration": 1},
}
HERE = {"top": ([120, 0, 0], [0, 0, 0])}


def test_reeled_line_ends_at_the_equilibrium_of_its_new_length() -> None:
    c = rw.Coupled(System.model_validate(REELED))
    work = c._work
    for k in range(100):
        if k < 40:
            c.set("lines.m.pieces.0.length", 142.0 - 0.05 * (k + 1))
        c.step(0.2, HERE)
    assert c._work is work  # without a new mesh
    assert c.length("m") == pytest.approx(140.0)
    assert c.system.lines["m"].length == pytest.approx(140.0)
    assert c.state.s[-1] == pytest.approx(140.0)
    for _ in range(300):
        (force,) = c.step(0.5, HERE)["top"]
    shorter = copy.deepcopy(REELED)
    shorter["lines"]["m"]["pieces"][0]["length"] = 140.0
    rest = rw.Coupled(System.model_validate(shorter)).forces()["top"][0]
    # what is left of the motion after 150 s
    assert_allclose(force, rest, rtol=1e-3)


def test_reeled_line_is_saved_and_restored_bit_for_bit() -> None:
    c = rw.Coupled(System.model_validate(REELED))
    c.set("lines.m.pieces.0.length", 141.5)
    c.step(0.2, HERE)
    saved = c.save()
    c.set("lines.m.pieces.0.length", 141.0)
    first = [c.step(0.2, HERE)["top"][0] for _ in range(5)]
    c.restore(saved)
    assert c.length("m") == 141.5
    c.set("lines.m.pieces.0.length", 141.0)
    again = [c.step(0.2, HERE)["top"][0] for _ in range(5)]
    assert np.array_equal(first, again)


def test_waves_press_on_the_end_faces_of_an_upright_rod(tmp_path: Path) -> None:
    r"""Vertical force on a held upright cylinder in Airy waves, from the pressure on its two end faces.

    .. math:: F = \frac{\pi d^2}{4} (p_A - p_B) + C_{a,end} \rho \frac{\pi d^3}{12} (a_A + a_B), \qquad
        p = \rho g \eta \frac{\cosh k (z' + h)}{\cosh k h}, \quad a = -\frac{1}{\rho} \frac{dp}{dz'}, \quad
        z' = h \frac{z - \eta}{h + \eta}

    MoorDyn 2.7 has the first part with WaveKin 2 and 3 but not with WaveKin 7, whose pressure it does not compute.
    """
    text = ROD.format(kind="Coupled", rho=RHO).replace("bar 0.3 150 0 0 0 0", "bar 2.0 4000 0 0 0 0.6")
    (tmp_path / "lines.txt").write_text(text.replace("100 WtrDpth", "100 WtrDpth\n7 WaveKin"))
    omega, amplitude, h, d = 0.8, 1.0, 100.0, 2.0
    (tmp_path / "wave_frequencies.txt").write_text(f"0 0 0 0\n{omega} 0 {amplitude} 0\n")
    system = md.Create(str(tmp_path / "lines.txt"))
    x, v, dt = [0, 0, -20, 0, 0, 0, 5, 0, -5], [0.0] * 9, 0.5
    md.Init(system, x, v)
    k = omega**2 / G
    for _ in range(50):
        k = omega**2 / G / np.tanh(k * h)
    found, wanted = [], []
    for i in range(80):
        force = np.array(md.Step(system, x, v, i * dt, dt))[2]
        lines = system.coupled.state.end_force
        found.append(force - lines[0, 1, 2] - lines[1, 1, 2])
        eta = amplitude * np.cos(omega * (i + 1) * dt)  # arg of the imaginary amplitude: sine to cosine
        squeezed = h * (np.array([-20.0, -16.0]) - eta) / (h + eta)
        p = RHO * G * eta * np.cosh(k * (squeezed + h)) / np.cosh(k * h)
        a = -G * k * eta * np.sinh(k * (squeezed + h)) / np.cosh(k * h)
        # pressure of stretched kinematics: a dz = (1 + eta/h) a dz'
        faces = np.pi * d**2 / 4 * (1.0 + eta / h) * (p[0] - p[1])
        wanted.append(faces + 0.6 * RHO * np.pi * d**3 / 12 * a.sum())
    weight = -(4000.0 * 4.0 - RHO * np.pi * d**2 / 4 * 4.0) * G
    late = slice(40, None)  # waves are brought on over 16 s
    # 12 strips: (k L / 12)^2 / 24 = 2e-5 of the force
    assert_allclose(np.array(found)[late] - weight, np.array(wanted)[late], atol=1e-4 * np.abs(wanted).max())
