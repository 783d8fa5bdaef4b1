"""Runs, rods and nets that were once wrong without a word, each against its reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import ropewalk as rw
from ropewalk.analysis.case_doubts import case_doubts

HERE = Path(__file__).parent
GRAVITY = 9.81  # m/s2, of these cases


def case(name: str) -> rw.System:
    return rw.System.from_file(HERE / f"{name}.yaml")


def test_bars_start_at_rest_and_stay_there():
    """The catenary of 47 m over 20 m, and nothing moves."""
    run = rw.simulate(case("bars_at_rest"))
    place = run.position.values
    assert np.abs(place - place[0]).max() < 1e-6 * 47.0
    a = brentq(lambda a: 2.0 * a * np.sinh(10.0 / a) - 47.0, 1.0, 100.0)
    # 40 bars are 2e-6 off: what hangs at the ends is nearly all of the tension
    assert_allclose(run.end_tension.values, 5.0 * GRAVITY * a * np.cosh(10.0 / a), rtol=1e-5)


def pendulum(times):
    """(n, 2, 2) x and z (m) of two masses of 1 kg on rods of 1 m, damped by 1/s of their momentum, from 45 and 135 deg.

    Lagrange's equations in the angles from the downward vertical; the damping is a Rayleigh function of the velocities.
    """

    def rate(_, y):
        a, b, u, v = y
        c, s = np.cos(a - b), np.sin(a - b)
        mass = np.array([[2.0, c], [c, 1.0]])
        push = np.array([-s * v**2 - 2.0 * GRAVITY * np.sin(a), s * u**2 - GRAVITY * np.sin(b)])
        return [u, v, *np.linalg.solve(mass, push - mass @ [u, v])]

    begin = [0.25 * np.pi, 0.75 * np.pi, 0.0, 0.0]
    a, b = solve_ivp(rate, (0.0, times[-1]), begin, t_eval=times, rtol=1e-10, atol=1e-12).y[:2]
    first = np.stack([np.sin(a), -np.cos(a)], axis=1)
    return np.stack([first, first + np.stack([np.sin(b), -np.cos(b)], axis=1)], axis=1)


@pytest.mark.parametrize(("tolerance", "error"), [(None, 0.05), (3e-4, 5e-3)])
def test_masses_on_lines_without_mass_follow_the_double_pendulum(tolerance, error):
    """Errors fall with the tolerance; they were 0.46 m at any. Of 2 m, in 8 s of which the first is wild."""
    system = case("double_pendulum_massless")
    if tolerance is not None:
        system = system.replace({"run.tolerance": tolerance})
    run = rw.simulate(system)
    found = run.point_position.sel(point=["m1", "m2"], axis=["x", "z"]).values
    assert_allclose(found, pendulum(run.time.values), atol=error)


def test_spar_over_its_buckling_load_is_no_upright_minimum():
    """15 kg below and 0.5 kg on top of a rod of 1 N m2: it bends in any plane, to less energy than it has straight."""
    soft = case("buckled_spar")
    data = soft.model_dump(mode="json", exclude_unset=True)
    data["rods"]["spar"]["elasticity"] = {"torsion": 1e4, "bending": [1e4, 1e4]}
    bent, straight = (
        min(rw.float_rods(system)["spar"][0], key=lambda state: state.pose.energy)
        for system in (soft, rw.System.model_validate(data))
    )
    assert bent.kind == "neutral"
    (doubt,) = (doubt for doubt in rw.float_rods(soft).doubts if doubt.code == "discretisation")
    assert 1e-3 < doubt.value < 2e-2  # boundary layers of sqrt(EI / T), 2 % of the length, and 12 polynomials
    assert bent.pose.energy < straight.pose.energy - 5.0


@pytest.mark.parametrize(("name", "code"), [("net_far", "net-fastened-far"), ("net_twisted", "net-twisted")])
def test_nets_fastened_in_wrong_places_are_doubted(name, code):
    assert code in {doubt.code for doubt in case_doubts(case(name))}
