"""Scripts of the moordyn package, on input files of our own, beside that package itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ropewalk as rw
import ropewalk.moordyn as ours

POINTS = """\
--------------------- MoorDyn Input File ----------------------
chain to a fairlead
----------------------- LINE TYPES ----------------------------
Name  Diam  MassDen  EA     BA/-zeta  EI  Cd   Ca   CdAx CaAx
(-)   (m)   (kg/m)   (N)    (N-s/-)   (-) (-)  (-)  (-)  (-)
main  0.09  77.7066  3.84e8 -0.8      0   1.6  1.0  0.1  0.0
---------------------- POINTS --------------------------------
ID  Attachment X     Y    Z     Mass Volume CdA Ca
(#) (-)        (m)   (m)  (m)   (kg) (m^3)  (m^2) (-)
1   Fixed      150.0 0.0  -60.0 0    0      0   0
2   Coupled    0.0   0.0  -10.0 0    0      0   0
---------------------- LINES --------------------------------
ID  LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(#) (-)      (-)     (-)     (m)      (-)     (-)
1   main     1       2       165.0    20      -
---------------------- OPTIONS ------------------------------
60        WtrDpth
1025      WtrDnsty
9.81      g
1.0e6     kBot
1.0e4     cBot
0.002     dtM
0.0       FrictionCoefficient
2.0       dtIC
100       TmaxIC
4.0       CdScaleIC
0.001     threshIC
---------------------- need this line -------------------
"""

HOME, REST = [0.0, 0.0, -10.0], [0.0, 0.0, 0.0]


def write(tmp_path, text=POINTS):
    path = tmp_path / "lines.txt"
    path.write_text(text)
    return str(path)


def surge(module, path, dt=0.05, steps=200):
    """A script as users write it: fairlead driven in surge, tension at every step."""
    system = module.Create(path)
    module.SetVerbosity(system, module.LEVEL_NONE) if hasattr(module, "SetVerbosity") else None
    assert module.NCoupledDOF(system) == 3
    omega, way, x0 = 1.2, 0.5, np.array([0.0, 0.0, -10.0])
    module.Init(system, x0.tolist(), [0.0, 0.0, 0.0])
    line = module.GetLine(system, 1)
    tension = []
    for k in range(steps):
        t = k * dt
        ramp = min(t / 4.0, 1.0) ** 2 * (3 - 2 * min(t / 4.0, 1.0))
        x = x0 + np.array([ramp * way * np.sin(omega * t), 0, 0])
        v = [
            ramp * way * omega * np.cos(omega * t)
            + (1.5 * t / 4 * (1 - t / 4) if t < 4 else 0) * way * np.sin(omega * t),
            0,
            0,
        ]
        module.Step(system, x.tolist(), v, t, dt)
        tension.append(module.GetLineFairTen(line))
    module.Close(system)
    return np.array(tension)


@pytest.mark.slow
def test_fairlead_in_surge_pulls_as_in_moordyn(tmp_path):
    moordyn = pytest.importorskip("moordyn")
    fine = POINTS.replace("165.0    20 ", "165.0    60 ").replace("0.002     dtM", "0.0005    dtM")
    # MoorDyn moves the fairlead at constant speed through a step, and jumps by a dt^2 / 2 at its end: short ones
    wanted = surge(moordyn, write(tmp_path, fine), dt=0.002, steps=5000)[24::25]
    found = surge(ours, write(tmp_path))
    # the tension that MoorDyn gives is half a segment's weight short: 0.9 of 110 kN on 60 segments
    assert np.abs(found - wanted)[20:].max() < 0.02 * wanted.max()


def test_parts_are_found_by_number(tmp_path):
    system = ours.Create(write(tmp_path))
    counts = [
        count(system) for count in (ours.GetNumberPoints, ours.GetNumberLines, ours.GetNumberBodies, ours.GetNumberRods)
    ]
    assert counts == [2, 1, 0, 0]
    assert ours.GetPointType(ours.GetPoint(system, 1)) == ours.POINT_TYPE_FIXED
    assert ours.GetPointType(ours.GetPoint(system, 2)) == ours.POINT_TYPE_COUPLED
    assert ours.GetPointID(ours.GetPoint(system, 2)) == 2
    with pytest.raises(RuntimeError, match="no point 3"):
        ours.GetPoint(system, 3)
    with pytest.raises(RuntimeError, match="Init first"):
        ours.GetPointPos(ours.GetPoint(system, 1))


def test_states_forces_and_saving(tmp_path):
    system = ours.Create(write(tmp_path))
    ours.Init(system, [0, 0, -10], [0, 0, 0])
    line, fairlead = ours.GetLine(system, 1), ours.GetPoint(system, 2)
    assert ours.GetLineN(line) == 20
    assert ours.GetLineNumberNodes(line) == 21
    force = ours.Step(system, [0, 0, -10], [0, 0, 0], 0.0, 0.1)
    assert_allclose(np.linalg.norm(force), ours.GetLineFairTen(line), rtol=1e-9)
    assert_allclose(ours.GetPointForce(fairlead), force, rtol=1e-9)
    assert_allclose(ours.GetPointPos(fairlead), [0, 0, -10], atol=1e-12)
    assert_allclose(ours.GetLineNodePos(line, 20), [0, 0, -10], atol=1e-12)
    level, up, _, _ = ours.GetFASTtens(system, 1)
    assert_allclose([level[0], abs(up[0])], [abs(force[0]), abs(force[2])], rtol=1e-9)
    saved = ours.Serialize(system)
    first = ours.Step(system, [0, 0, -10], [0.5, 0, 0], 0.1, 0.1)
    ours.Deserialize(system, saved)
    assert_array_equal(ours.Step(system, [0, 0, -10], [0.5, 0, 0], 0.1, 0.1), first)
    ours.SetLineUnstretchedLength(line, 164.0)
    assert ours.GetLineUnstretchedLength(line) == 164.0
    assert ours.Close(system) == ours.Close(system) == 0  # twice is harmless
    with pytest.raises(RuntimeError, match="closed"):
        ours.Step(system, [0, 0, -10], [0, 0, 0], 0.2, 0.1)


def test_wrong_numbers_of_coordinates_are_refused(tmp_path):
    system = ours.Create(write(tmp_path))
    with pytest.raises(RuntimeError, match="3 coupled degrees of freedom"):
        ours.Init(system, [0, 0], [0, 0, 0])


def test_a_file_that_is_none_is_a_runtime_error(tmp_path):
    with pytest.raises(RuntimeError):
        ours.Create(str(tmp_path / "nowhere.txt"))


def airy(place, t, amplitude=1.0, omega=0.9, depth=60.0):
    """Velocity and acceleration (n, 3) of a wave along x that is a sine at the origin, brought on over 8 s."""
    k = omega**2 / 9.81
    for _ in range(60):
        k = omega**2 / 9.81 / np.tanh(k * depth)
    ramp, rate = (0.5 * (1 - np.cos(np.pi * t / 8)), np.pi / 16 * np.sin(np.pi * t / 8)) if t < 8 else (1.0, 0.0)
    x, z = np.array(place)[:, 0], np.array(place)[:, 2]
    across, up = (f(k * (z + depth)) / np.sinh(k * depth) for f in (np.cosh, np.sinh))
    s, c = np.sin(omega * t - k * x), np.cos(omega * t - k * x)
    zero = np.zeros_like(x)
    u = amplitude * omega * np.stack([across * s, zero, up * c], axis=1)
    a = amplitude * omega**2 * np.stack([across * c, zero, -up * s], axis=1)
    return ramp * u, ramp * a + rate * u


def in_given_water(module, path, dt, steps):
    """A script that gives the motion of the water at all nodes before each step; tension of the fairlead."""
    system = module.Create(path)
    module.Init(system, [0.0, 0.0, -10.0], [0.0] * 3)
    assert module.ExternalWaveKinInit(system) in (0, 23)  # 21 nodes of the line and 2 points
    line, tension = module.GetLine(system, 1), []
    for i in range(steps):
        u, a = airy(module.ExternalWaveKinGetCoordinates(system), i * dt)
        module.ExternalWaveKinSet(system, u.tolist(), a.tolist(), i * dt)
        force = module.Step(system, [0.0, 0.0, -10.0], [0.0] * 3, i * dt, dt)
        tension.append(np.linalg.norm(force))
    assert module.GetLineN(line) == 20
    module.Close(system)
    return np.array(tension)


WIDE = POINTS.replace("main  0.09  77.7066", "main  0.40  150.0").replace("60        WtrDpth", "60 WtrDpth\n1 WaveKin")


def test_water_given_at_nodes_pulls_as_the_same_current_by_a_function(tmp_path):
    """WaveKin 1: linear between nodes, and in time between calls."""
    found = in_given_water(ours, write(tmp_path, WIDE), 0.05, 240)
    case = ours.Create(write(tmp_path, WIDE)).system
    c = rw.Coupled(case, fields=rw.Fields(current=lambda r, t: airy([r], t)[0][0]))
    wanted = []
    for _ in range(240):
        wanted.append(np.linalg.norm(c.step(0.05, {"point2": ([0, 0, -10.0], [0, 0, 0])})["point2"][0]))
    # 20 nodes over a wave of 76 m: (k h)^2/8 = 6 % of the water's motion in the middle between nodes
    assert np.ptp(wanted) > 1500.0
    assert_allclose(found, wanted, atol=0.06 * np.ptp(wanted))


@pytest.mark.slow
def test_water_given_at_nodes_pulls_as_in_moordyn(tmp_path):
    moordyn = pytest.importorskip("moordyn")
    settled = WIDE.replace("0.001     threshIC", "1e-6 threshIC\n1 ICgenDynamic")
    wanted = in_given_water(moordyn, write(tmp_path, settled), 0.05, 400)
    found = in_given_water(ours, write(tmp_path, settled), 0.05, 400)
    # MoorDyn's 20 segments against elements of higher order; found 5e-4
    assert np.linalg.norm(found - wanted) < 2e-3 * np.linalg.norm(wanted)


def test_water_is_given_only_where_the_file_leaves_it_to_the_caller(tmp_path):
    system = ours.Create(write(tmp_path))
    ours.Init(system, [0.0, 0.0, -10.0], [0.0] * 3)
    assert ours.ExternalWaveKinInit(system) == 0
    assert ours.ExternalWaveKinGetCoordinates(system) == []
    with pytest.raises(RuntimeError, match="WaveKin 1"):
        ours.ExternalWaveKinSet(system, [[0, 0, 0]], [[0, 0, 0]], 0.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: ours.Step(s, HOME, REST, 0.0, -0.1), "must be positive"),
        (lambda s: ours.Step(s, HOME, REST, float("nan"), 0.1), "time nan is not finite"),
        (lambda s: ours.Step(s, [float("nan"), 0, 0], REST, 0.0, 0.1), "must be finite"),
        (lambda s: ours.Step(s, "abc", REST, 0.0, 0.1), "lists of numbers"),
        (lambda s: ours.Step(None, HOME, REST, 0.0, 0.1), "a system is needed here, not NoneType"),
        (lambda s: ours.GetLine(s, 0), "there is no line 0"),
        (lambda s: ours.GetBody(s, 1), "there is no body 1"),
        (lambda s: ours.GetLineNodePos(ours.GetLine(s, 1), 21), "has no node 21"),
        (lambda s: ours.GetLineNodePos(ours.GetLine(s, 1), 1.5), "has no node 1.5"),
        (lambda s: ours.GetPointPos(ours.GetLine(s, 1)), "a point is needed here, not a line"),
        (lambda s: ours.SetLineUnstretchedLength(ours.GetLine(s, 1), float("inf")), "length inf is not finite"),
        (lambda s: ours.SetLineUnstretchedLengthVel(ours.GetLine(s, 1), "fast"), "'fast' is not a number"),
        (lambda s: ours.Deserialize(s, b"{}"), "cannot be restored"),
        (lambda s: ours.Deserialize(s, ours.Serialize(s)[:-4]), "cannot be restored"),
        (lambda s: ours.Deserialize(s, 5), "is bytes, not int"),
        (lambda s: ours.Save(s, None), "not the path of a file"),
        (lambda s: ours.GetFASTtens(s, 2), "tensions of 2 lines"),
    ],
)
def test_wrong_calls_are_runtime_errors(call, words, opened):
    with pytest.raises(RuntimeError, match=words):
        call(opened)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A system at its equilibrium."""
    system = ours.Create(write(tmp_path_factory.mktemp("moordyn")))
    ours.Init(system, HOME, REST)
    return system


def test_state_of_another_system_is_refused(tmp_path, opened):
    other = ours.Create(write(tmp_path, POINTS.replace("1   main     1", "7   main     1")))
    ours.Init(other, HOME, REST)
    with pytest.raises(RuntimeError, match="another case"):
        ours.Deserialize(other, ours.Serialize(opened))


def test_pictures_hold_all_nodes(tmp_path, opened):
    """One line of 20 segments, with its tensions."""
    ours.SaveVTK(opened, str(tmp_path / "now.vtp"))
    text = (tmp_path / "now.vtp").read_text()
    assert 'NumberOfPoints="21"' in text
    assert 'Name="tension"' in text


def test_doubts_can_be_read_and_are_in_the_log(tmp_path):
    """Those of a rope that is stretched by more than a tenth, at rest: told once at the start, once at the end."""
    system = ours.Create(write(tmp_path, POINTS.replace("3.84e8", "1e5")))
    ours.SetLogFile(system, str(tmp_path / "log.txt"))
    ours.Init(system, HOME, REST)
    found = ours.GetDoubts(system)
    assert all(text.startswith("doubt ") for text in found)
    assert found
    ours.Close(system)
    assert (tmp_path / "log.txt").read_text().splitlines() == [*found, *found]
