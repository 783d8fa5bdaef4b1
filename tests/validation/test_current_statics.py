"""Lines in current, non-linear laws and point loads: numbers of docs/validation.md and closed forms."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).parents[1] / "solvers"))
from shooting_cases import case, line, section, solve

from ropewalk.methods.protocol import Status

HALF_DIGIT = 6e-7  # six decimals are printed


def buoy_case(rope, length, buoyancy, drag_area, depth):
    buoy = {"position": [0.2 * length, 0, 0.9 * length - depth], "joint": "free", "force": [0, 0, buoyancy],
            "drag_area": drag_area}  # fmt: skip
    environment = {"water_density": 1025, "current": {"speed": 0.5}}
    return case(environment, rope, [0, 0, -depth], buoy, line(length))


def test_neutral_line_below_a_buoy():
    """Normal drag only, uniform current: the tension is constant."""
    rope = section(0.0, 0.02, "inextensible", drag={"normal": 1.2})
    got = solve(buoy_case(rope, 500.0, 5000.0, 0.6, 1000.0))
    assert got.report.status is Status.DONE
    assert_allclose(got.state.point_position[1], [82.453361, 0, 491.284202 - 1000], atol=HALF_DIGIT)
    assert_allclose(got.state.end_force[0, 0], [1536.307388, 0, 4758.746618], atol=HALF_DIGIT)
    assert_allclose(got.state.tension, 5000.590942, atol=HALF_DIGIT)
    angle = math.degrees(math.atan2(got.state.end_force[0, 0, 2], got.state.end_force[0, 0, 0]))
    assert_allclose(angle, 72.107915, atol=HALF_DIGIT)


def test_weighted_elastic_line_below_a_buoy():
    """Drag per stretched length on the unchanged diameter, tangential on the circumference."""
    rope = section(3.0, 0.0127, 1e7, drag={"normal": 1.2, "tangential": 0.01})
    got = solve(buoy_case(rope, 1000.0, 5000.0, 0.8, 2000.0))
    assert_allclose(got.state.point_position[1], [325.034842, 0, 918.215466 - 2000], atol=HALF_DIGIT)
    assert_allclose(got.state.end_force[0, 0], [1658.353038, 0, 1528.108576], atol=HALF_DIGIT)
    assert_allclose(np.linalg.norm(got.state.end_force[0, 1]), 5001.050515, atol=HALF_DIGIT)


@pytest.mark.parametrize("ends", [("a", "b"), ("b", "a")])
def test_towed_cable_hangs_at_the_critical_angle(ends):
    """w cos(phi) = q sin^2(phi) along the whole cable but its tail; w/q = 0.1 gives 17.96423592 degrees.

    Shot from the held end errors grow about 1e15 times; the solver must turn round.
    """
    q = 0.5 * 1025 * 1.2 * 0.02
    rope = section(0.1 * q, 0.02, "inextensible", drag={"normal": 1.2})
    environment = {"water_density": 1025, "current": {"speed": 1.0, "heading": 180}}
    tail = {"position": [-480, 0, -150], "joint": "free"}
    got = solve(case(environment, rope, [0, 0, -10], tail, line(500.0, *ends)))
    assert got.report.status is Status.DONE
    x, z = got.state.point_position[1, [0, 2]] - got.state.point_position[0, [0, 2]]
    # ten digits are printed
    assert_allclose(math.degrees(math.atan2(-z, -x)), 17.96423592, atol=6e-9)
    assert got.report.figures["growth"] < 100.0


@pytest.mark.parametrize(("k", "stretch"), [(0.0, 7.0), (20.0, 6.19405822964352)])
def test_vertical_hang_of_a_polynomial_law(k, stretch):
    """T = EA (e + k e^2), L 1000, w 300, EA 5e7, 2e5 N at the tip."""
    law = {"kind": "polynomial", "stiffness": 5e7, "coefficients": [k]} if k else 5e7
    tip = {"position": [0, 0, -1000], "joint": "free", "force": [0, 0, -2e5]}
    got = solve(case({"water_density": 0}, section(300.0, 0.1, law, 0.0), [0, 0, 0], tip, line(1000.0)))
    # positions of a kilometre carry 1e-13 and the integrator 1e-12 of the length
    assert_allclose(-got.state.point_position[1, 2] - 1000.0, stretch, atol=1e-9)


def test_point_load_in_the_middle():
    """w 50, EA 1e7, L 100, 2000 N down at s 50, ends level 80 m apart."""
    rope = section(50.0, 0.02, 1e7, 0.0)
    got = solve(
        case({"water_density": 0}, rope, [0, 0, 0], [80, 0, 0],
             line(100.0, attachments=[{"s": 50.0, "force": [0, 0, -2000]}]))
    )  # fmt: skip
    assert_allclose(got.state.end_force[0, 0, 0], 2992.11600645298, rtol=1e-10)


def test_sheared_turning_current_against_scipy():
    """The same equations, integrated by scipy from the computed initial values, end at the computed position."""
    rope = section(5.0, 0.05, 2e6, drag={"normal": 1.1, "tangential": 0.02})
    profile = {"kind": "table", "z": [-200, -100, 0], "factor": [0.2, 0.6, 1.0], "turn": [90, 30, 0]}
    environment = {"water_density": 1025, "current": {"speed": 1.5, "heading": 20, "profile": profile}}
    got = solve(case(environment, rope, [0, 0, -190], [60, 40, -10], line(220.0)))
    assert got.report.status is Status.DONE

    def slope(_, y):
        n = y[3:]
        T = np.linalg.norm(n)
        t, nu = n / T, 1 + T / 2e6
        speed = 1.5 * np.interp(y[2], [-200, -100, 0], [0.2, 0.6, 1.0])
        angle = math.radians(20 + np.interp(y[2], [-200, -100, 0], [90, 30, 0]))
        u = speed * np.array([math.cos(angle), math.sin(angle), 0.0])
        along = u @ t
        across = u - along * t
        drag = 0.5 * 1025 * 0.05 * (1.1 * np.linalg.norm(across) * across + 0.02 * math.pi * abs(along) * along * t)
        return np.concatenate([nu * t, -nu * drag + [0, 0, 5.0]])

    start = np.concatenate([[0, 0, -190], got.state.end_force[0, 0]])
    ivp = solve_ivp(slope, (0, 220), start, method="DOP853", rtol=1e-12, atol=1e-9)
    # scipy works to 1e-12 of the length per step; 1e-9 m are 1e-5 N at EA/L = 9 kN/m
    assert_allclose(ivp.y[:3, -1], [60, 40, -10], atol=2e-8)
    assert_allclose(ivp.y[3:, -1], -got.state.end_force[0, 1], atol=1e-4)


def test_lindahl_chain_at_rest():
    """Chain of the Lindahl experiment, all of it taken in water and without friction as the printed numbers are."""
    area = 0.0818 / 7800
    chain = {
        "drag": 0,
        "added_mass": 0,
        "diameter": 2 * math.sqrt(area / math.pi),
        "mass": 0.0818,
        "axial_stiffness": 1e4,
    }
    environment = {"water_density": 1000, "depth": 10.0, "seabed": {"friction": 0.0}}
    got = solve(case(environment, chain, [0, 0, -10.0], [32.554, 0, -6.7], line(33.0)))
    tension = np.linalg.norm(got.state.end_force[0], axis=1)
    assert_allclose(tension, [20.3830, 22.6866], atol=6e-5)
    assert_allclose(got.state.grounded, 18.762, atol=6e-4)


def test_lindahl_chain_with_its_end_in_air():
    """The last 0.3 m hang in air, where the chain is heavier: balance of the whole line's weight."""
    area = 0.0818 / 7800
    chain = {
        "drag": 0,
        "added_mass": 0,
        "diameter": 2 * math.sqrt(area / math.pi),
        "mass": 0.0818,
        "axial_stiffness": 1e4,
    }
    got = solve(
        case({"water_density": 1000, "depth": 3.0, "seabed": {"friction": 0.0}}, chain, [0, 0, -3.0],
             [32.554, 0, 0.3], line(33.0))
    )  # fmt: skip
    s, z = got.state.s, got.state.position[:, 2]
    dry = 33.0 - np.interp(0.0, z[s > 20.0], s[s > 20.0])
    wet = 33.0 - dry - got.state.grounded[0]
    weight = 0.0818 * 9.81 * (dry + wet) - 1000 * area * 9.81 * wet
    # the crossing is interpolated between nodes 0.33 m apart on a gently curved line
    assert_allclose(-got.state.end_force[0, 1, 2], weight, rtol=1e-4)


def test_flexible_jumper_at_rest():
    """Lowe and Langley 2006 without bending stiffness: H 11.4723, V_top 45.7222 kN."""
    pipe = {"drag": 0, "added_mass": 0, "diameter": 0.396, "mass": 165.0, "axial_stiffness": 5e8}
    got = solve(case({"water_density": 1000, "gravity": 9.807}, pipe, [-100, 0, -55], [0, 0, -5], line(170.0)))
    assert_allclose(-got.state.end_force[0, 1, [0, 2]] / 1e3, [11.4723, 45.7222], atol=6e-5)


@pytest.mark.parametrize(("contact", "fairlead", "anchor"), [(0.0, 2070.11, 1406.15), (0.469, 2064.09, 1400.90)])
def test_chain_in_200_m_at_rest(contact, fairlead, anchor):
    """The OrcaFlex series' chain, on the bed and raised by half its contact diameter; kN."""
    chain = {
        "drag": 0,
        "added_mass": 0,
        "diameter": 0.252,
        "mass": 390.0,
        "axial_stiffness": 1.674e9,
        "contact_diameter": contact,
    }
    environment = {"water_density": 1025, "gravity": 9.80665, "depth": 200.0, "seabed": {"friction": 0.0}}
    got = solve(case(environment, chain, [700, 0, -200], [0, 0, 0], line(760.0)))
    assert_allclose(np.linalg.norm(got.state.end_force[0], axis=1) / 1e3, [anchor, fairlead], atol=6e-3)


@pytest.mark.parametrize(
    ("x", "z", "L", "EA", "w", "friction", "H", "V", "H_a", "grounded"),
    [
        (400, 200, 500, 7.51e12, 800, 0.0, 96643.4535471, 237751.768034, 96643.4535471, 202.810289957),
        (400, 200, 500, 7.51e12, 800, 0.1, 96643.4541591, 237751.768446, 80418.6310, 202.810289442),
        (400, 200, 500, 7.51e12, 200, None, 43694.6046221, 77634.4105458, 43694.6046221, 0.0),
        (246.22420940032947, 263.55766330843164, 360.63566262396927, 7e8, 3.08735, None,
         58377.2414227, 63044.4129559, 58377.2414227, 0.0),
    ],
)  # fmt: skip
def test_exact_statics_table(x, z, L, EA, w, friction, H, V, H_a, grounded):
    """Elastic lines, suspended and grounded, from closed forms with 12 digits."""
    seabed = {"kind": "none"} if friction is None else {"friction": friction}
    environment = {"water_density": 1025, "depth": 300.0, "seabed": seabed}
    got = solve(case(environment, section(w, 0.05, EA), [0, 0, -300], [x, 0, z - 300], line(L)))
    top, bottom = got.state.end_force[0, 1], got.state.end_force[0, 0]
    assert_allclose([-top[0], -top[2]], [H, V], rtol=1e-10)
    assert_allclose(bottom[0], H_a, rtol=1e-9)
    assert_allclose(got.state.grounded, grounded, rtol=1e-10, atol=1e-9)
