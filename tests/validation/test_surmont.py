"""Examples of [Surmont2025], with the inputs that the paper leaves out and its misprints corrected.

The bar is the paper's own nondimensional error, positions over L and forces over wL, of 1e-10 at the
default tolerances: the integrator works to 1e-12 per step and the lines bend by less than 200 steps.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

sys.path.insert(0, str(Path(__file__).parents[1] / "solvers"))
from shooting_cases import Solved, case, line, solve

from ropewalk.methods.protocol import Status
from ropewalk.numerics.rungekutta import FEHLBERG

L, AREA, E, RHO, RHO_F, G = 50.0, 3.1426e-4, 2.11e11, 7850.0, 1025.0, 9.81
W = G * AREA * (RHO - RHO_F)
EA = E * AREA
DEEP = -100.0  # well below the surface
BAR = 1e-10


def catenary_case(joint, reverse=False, x=25.0):
    chain = {
        "drag": 0,
        "added_mass": 0,
        "diameter": 2 * math.sqrt(AREA / math.pi),
        "mass": RHO * AREA,
        "axial_stiffness": EA,
    }
    ends = ("b", "a") if reverse else ("a", "b")
    return case({"water_density": RHO_F}, chain, [0, 0, DEEP], {"position": [x, 0, DEEP], "joint": joint},
                line(L, *ends))  # fmt: skip


def exact(s, H, V0):
    """(48)-(54) of the appendix, with the sign of the stretch in z corrected."""
    V = V0 + W * s
    x = H / W * (np.arcsinh(V / H) - np.arcsinh(V0 / H)) + H * s / EA
    z = H / W * (np.sqrt(1 + (V / H) ** 2) - np.sqrt(1 + (V0 / H) ** 2)) + s / EA * (V0 + 0.5 * W * s)
    return x, z, V


def check_shape(got: Solved, H, V0, reverse=False):
    s = got.state.s
    x, z, V = exact(L - s if reverse else s, H, V0)
    assert got.report.status is Status.DONE
    assert_allclose(got.state.position[:, 0], x, atol=BAR * L)
    assert_allclose(got.state.position[:, 2] - DEEP, z, atol=BAR * L)
    assert_allclose(got.state.tension, np.hypot(H, V), atol=BAR * W * L)


@pytest.mark.parametrize("c", [1.0, 2.0, 5.0, 10.0])
def test_example_1_ball_and_slider(c):
    """Sec. 4.1: an imposed horizontal force; V0 = -wL/2 by symmetry."""
    got = solve(catenary_case({"axes": {"x": {"force": W * L / c}}}))
    check_shape(got, W * L / c, -0.5 * W * L)


@pytest.mark.parametrize(
    ("c", "x", "tension"), [(1.0, 48.1219757909130, 1176.21247188817), (10.0, 23.1244627412228, 536.435422056799)]
)
def test_example_1_numbers(c, x, tension):
    """End position and largest tension computed independently to 15 digits."""
    got = solve(catenary_case({"axes": {"x": {"force": W * L / c}}}))
    assert_allclose(got.state.point_position[1, 0], x, atol=BAR * L)
    assert_allclose(got.state.tension.max(), tension, atol=BAR * W * L)


K = W * L / 10
JOINTS = {
    "a": "fixed",
    "b": {"axes": {"x": {"force": K}, "y": "free", "z": "free"}},
    "c": {"axes": {"x": {"force": K}}},
    "e": {"axes": {axis: {"spring": K} for axis in "xyz"}},
    "f": {"axes": {"x": {"spring": K}}},
}


def reference(name):
    """H and V0 of the five joints at the right end, by scalar root finding on the closed form."""
    level = -0.5 * W * L
    if name == "a":
        return brentq(lambda H: exact(L, H, level)[0] - 25.0, 1.0, 1e4, xtol=1e-12), level
    if name == "b":
        return K, -W * L
    if name == "c":
        return K, level
    if name == "f":
        return brentq(lambda H: H - K * (25.0 - exact(L, H, level)[0]), 1.0, 1e3, xtol=1e-12), level

    def sideways(H):
        V0 = brentq(lambda V: V + W * L + K * exact(L, H, V)[1], -2 * W * L, 0.0, xtol=1e-12)
        return H - K * (25.0 - exact(L, H, V0)[0]), V0

    H = brentq(lambda H: sideways(H)[0], 1.0, 1e3, xtol=1e-12)
    return H, sideways(H)[1]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", JOINTS)
def test_example_2_every_joint_in_both_directions(name, reverse):
    """Sec. 4.2, Table 1: ball, imposed force, slider, spring, spring on a slider."""
    H, V0 = reference(name)
    check_shape(solve(catenary_case(JOINTS[name], reverse)), H, V0, reverse)


def test_example_2_numbers():
    """n_x of (a) and (f) and end position of (c) and (f), computed independently."""
    assert_allclose(reference("a")[0], 120.794137814869, rtol=1e-12)
    got = solve(catenary_case(JOINTS["f"]))
    assert_allclose(got.state.end_force[0, 0, 0], 111.768318396007, atol=BAR * W * L)
    assert_allclose(got.state.point_position[1, 0], 23.9376002906043, atol=BAR * L)


def test_example_2_with_the_papers_integrator():
    """The Fehlberg pair reaches the same answer with more steps."""
    H, V0 = reference("a")
    fine = solve(catenary_case("fixed"))
    paper = solve(catenary_case("fixed"), pair=FEHLBERG)
    check_shape(paper, H, V0)
    assert paper.report.figures["integrator_steps"] > 3 * fine.report.figures["integrator_steps"]


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_example_3_velaria(side):
    """Sec. 4.3, eq. (47): a half circle under pressure, on either side."""
    rope = {"drag": 0, "added_mass": 0, "diameter": 0.01, "mass": 0.0, "axial_stiffness": "inextensible"}
    load = {"kind": "pressure", "axis": [0, 0, 1], "value": -side}
    got = solve(case({"gravity": 0, "water_density": 0}, rope, [1, 0, 0], [-1, 0, 0], line(math.pi, loads=[load])))
    s = got.state.s
    circle = np.stack([np.cos(s), side * np.sin(s), np.zeros_like(s)], axis=1)
    assert_allclose(got.state.position, circle, atol=BAR)
    assert_allclose(got.state.tension, 1.0, atol=BAR)


def example_4(guess=(0.0, 0.0, 10.0)):
    area, rho, e = 3.1416e-4, 7850.0, 2.11e11
    sections = {
        f"s{i}": {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": k * rho * area, "axial_stiffness": f * e * area}
        for i, (k, f) in enumerate([(2.0, 0.05), (0.5, 0.001), (1.0, 1.0)])
    }
    points = {
        f"a{i}": {"position": [-25 * math.cos(p), -25 * math.sin(p), 0]}
        for i, p in enumerate([0.0, 2 * math.pi / 3, -2 * math.pi / 3])
    }
    points["b"] = {"position": list(guess), "joint": "free", "force": [0, 0, 2500]}
    lines = {f"l{i}": {"from": f"a{i}", "to": "b", "pieces": [{"section": f"s{i}", "length": 50}]} for i in range(3)}
    return {"environment": {"gravity": 9.81, "water_density": 0}, "sections": sections, "points": points,
            "lines": lines}  # fmt: skip


@pytest.mark.parametrize("guess", [(0, 0, 10), (20, -15, -30), (-100, 50, 5)])
def test_example_4_buoy_on_three_lines(guess):
    """Sec. 4.4, Table 11; the buoy's position computed independently, to 1e-9 m from any start."""
    got = solve(example_4(guess))
    assert got.report.status is Status.DONE
    assert_allclose(got.state.point_position[3], [-6.18267496342912, 2.88401845650973, 8.83865067971082], atol=1e-9)
    assert_allclose(got.state.end_force[:, 1].sum(axis=0), [0, 0, -2500], atol=2500 * BAR)
