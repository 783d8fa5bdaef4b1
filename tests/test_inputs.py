"""Examples of inputs in time, tables in files, initial states and settings: one number of each by another way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import ropewalk as rw

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
G = 9.81


def test_force_in_time_swings_a_pendulum_as_its_equation_says():
    """L theta'' = F(t)/m cos(theta) - g sin(theta)."""
    run = rw.simulate(EXAMPLES / "force_in_time.yaml")

    def rates(t, y):
        return [y[1], (20.0 * np.sin(1.5 * t) / 50.0 * np.cos(y[0]) - G * np.sin(y[0])) / 10.0]

    exact = solve_ivp(rates, [0, 6], [0, 0], rtol=1e-10, atol=1e-12, t_eval=run.time.values)
    x = run.point_position.sel(point="bob", axis="x").values
    # the rope has 2e-4 of the mass in parts that swing with it; steps of a relative 1e-5
    assert_allclose(x, 10.0 * np.sin(exact.y[0]), atol=1e-3)
    assert np.ptp(x) > 1.0


def test_float_leans_with_the_tide_of_every_moment():
    """tan(angle) = (drag + inertia of the water that gathers speed) / net buoyancy."""
    run = rw.simulate(EXAMPLES / "tide.yaml")
    t, x = run.time.values, run.point_position.sel(point="float", axis="x").values

    def place(way):  # the drag is that of the water past the float
        drag = 0.5 * 1025.0 * 0.5 * (0.2 + 0.6 * t / 600.0 - way) ** 2
        return 10.0 * np.sin(np.arctan((drag + 1025.0 * 0.2 * 0.6 / 600.0) / ((1025.0 * 0.2 - 100.0) * G)))

    speed = np.gradient(place(0.0), t)
    speed[0] = 0.0  # it begins at rest
    # differences over 100 s err by a tenth of a speed that counts 1 %; swings of 3 s from the start die slowly
    assert_allclose(x, place(speed), rtol=5e-3)
    assert x[-1] > 10.0 * x[0] > 0.0


def test_tables_in_files_are_what_the_files_say():
    system = rw.System.from_file(EXAMPLES / "tables" / "case.yaml")
    assert_allclose(system.environment.current.speed, 0.8)
    profile = system.environment.current.profile
    rows = [profile.z.index(z) for z in (0.0, -10.0, -40.0)]  # others follow the straight line of u and v
    assert_allclose([profile.factor[k] for k in rows], [1.0, 0.75, 0.25])
    assert_allclose([profile.turn[k] for k in rows], [0.0, 0.0, 90.0])
    assert system.sections["rope"].axial_stiffness.tension == (0.0, 10e3, 40e3)
    assert system.points["float"].force.value[1] == (3000.0, 0.0, 0.0)


def test_a_result_carries_its_tables(tmp_path):
    """The System in the attributes needs no files, and gives the same tension: spring law by hand at t = 3 s."""
    run = rw.simulate(EXAMPLES / "tables" / "case.yaml")
    again = rw.System.model_validate_json(run.attrs["system"])
    assert again == rw.System.from_file(EXAMPLES / "tables" / "case.yaml")
    at_three = rw.statics(again, time=3.0)
    there = at_three.summary["points"]["float"]["position"]
    calm = rw.statics(again, time=9.0).summary["points"]["float"]["position"]
    assert there[0] - calm[0] > 1.0  # 3 kN sideways against some 18 kN of lift on 33 m


def test_spinning_chain_holds_its_centrifugal_force():
    """T = m omega^2 L^2 / 2 at the pivot; 40 lumped elements err by 1 / (4 n^2)."""
    run = rw.simulate(EXAMPLES / "spinning_chain.yaml")
    assert_allclose(run.end_tension.sel(line="chain", end="A").values[1:], 360.0, rtol=5e-4)
    tip = run.point_position.sel(point="tip").values[-1]
    assert_allclose(tip, [4 * np.cos(6.0), 4 * np.sin(6.0), 0.0], atol=0.01)  # steps of a relative 1e-4


def test_plucked_string_stands_on_its_head_after_half_a_period():
    """The wave equation turns a shape over in half a period, L / c = 0.1 s; 100 elements disperse its corner."""
    run = rw.simulate(EXAMPLES / "plucked_string.yaml")
    z = run.position.sel(axis="z")
    first, half = z.sel(time=0.0).values, z.sel(time=0.1, method="nearest").values
    assert_allclose(first.max(), 0.05)
    assert np.abs(half + first).max() < 0.05 * 0.05  # 5 % of the pluck


def test_released_buoy_heaves_as_a_spring():
    """z = -(F / rho g A) cos(t sqrt(g / draught))."""
    run = rw.simulate(EXAMPLES / "released_buoy.yaml")
    z = run.body_position.sel(body="spar", axis="z").values
    exact = -2000.0 / (1000.0 * G * np.pi / 4) * np.cos(run.time.values * np.sqrt(G / 5.0))
    assert_allclose(z, exact, atol=1e-3)  # the thread pulls with some newtons


def test_elements_of_degree_3_and_2_hang_like_a_catenary():
    """T_B = w sqrt(c^2 + s_B^2) between ends 80 m apart and 20 m in height."""
    w, span, rise, length = 10.0 * G, 80.0, 20.0, 100.0
    a = brentq(lambda a: 2 * a * np.sinh(span / (2 * a)) - np.sqrt(length**2 - rise**2), 5.0, 500.0)
    middle = span / 2 - a * np.arctanh(rise / length)
    exact = w * a * np.cosh((span - middle) / a)
    found = rw.statics(EXAMPLES / "high_order.yaml").line("hawser")["end_b"]["tension"]
    assert_allclose(found, exact, rtol=3e-7)  # 1e-7 with 8 elements, order 6


@pytest.mark.parametrize(("order", "least"), [([1, 0], 1.9), ([2, 1], 3.8), ([3, 2], 5.6)])
def test_end_tension_converges_at_twice_the_degree(order, least):
    """Order 2 mu in the end tension of a hanging line, [Montano2005]'s family."""
    base = rw.System.from_file(EXAMPLES / "high_order.yaml")
    exact = rw.statics(base.replace("statics", {"method": "catenary"})).line("hawser")["end_b"]["tension"]
    errors = []
    for n in (6, 12):
        case = base.replace({"statics.options": {"order": order}, "lines.hawser.elements": n})
        errors.append(abs(rw.statics(case).line("hawser")["end_b"]["tension"] - exact))
    assert np.log2(errors[0] / errors[1]) > least


def test_settings_reach_the_solver():
    """A bob on one bar: RRF keeps the period of the pendulum; its settings are in the result."""
    run = rw.simulate(EXAMPLES / "settings.yaml")
    assert '"variant": "rrf"' in run.attrs["settings"] and '"position": "high"' in run.attrs["settings"]

    def rates(t, y):  # all mass at the bob: half of the bar's is at its pivot
        return [y[1], -G / 3.0 * np.sin(y[0])]

    exact = solve_ivp(rates, [0, 1], [np.pi / 2, 0], rtol=1e-10, atol=1e-12)
    end = run.point_position.sel(point="end").values[-1]
    assert_allclose(end, [3 * np.sin(exact.y[0, -1]), 0.0, -3 * np.cos(exact.y[0, -1])], atol=0.02)


def test_polyester_line_relaxes_to_its_static_tension():
    """Held aside for 30 relaxation times, it pulls as the equilibrium there: the closed form with the static EA."""
    case = rw.System.from_file(EXAMPLES / "polyester.yaml")
    run = rw.simulate(case)
    T = run.end_tension.sel(line="taut", end="B").values
    held = {"position": [151.5, 0, -15], "joint": "fixed"}
    rest = rw.statics(case.replace("points.fairlead", held), method="catenary").line("taut")["end_b"]["tension"]
    assert_allclose(T[-1], rest, rtol=2e-3)  # 20 elements; the axial vibration of 5 s of pushing is damped
    assert T.max() > 1.15 * rest  # stiffer than that while it is pushed
