"""Response by simulation against the direct one: forces, moments, turns, and when the start-up is over."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.analysis.response import Drive, response
from ropewalk.analysis.response_time import SAMPLES, SETTLED, harmonic_fit, time_response
from ropewalk.errors import InputError
from ropewalk.spec.system import System
from validation.test_frequencies import n_pendulum, tension_leg_platform

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_harmonics_are_fitted_beside_a_drift() -> None:
    """Amplitudes with exp(-i omega t) of two harmonics on a parabola, exact."""
    omega, time = 0.7, 3.0 + np.arange(4 * SAMPLES) * 2.0 * math.pi / 0.7 / SAMPLES
    first, second = 2.0 - 1.0j, 0.3 + 0.2j
    values = 5.0 + 0.1 * time - 0.01 * time**2 + np.real(
        first * np.exp(-1j * omega * time) + second * np.exp(-2j * omega * time)
    )  # fmt: skip
    assert_allclose(harmonic_fit(time, omega)[:2] @ values, [first, second], atol=1e-11)


def test_force_on_a_point_agrees_with_the_direct_method() -> None:
    """Double pendulum, 0.01 N at its end: angles of 1e-3, so what is left is that of the time steps."""
    system = n_pendulum([0.5, 1.0], 2.0)
    both = response(system, [1.5, 3.0], Drive("force", "end", "x", 0.01), method="both", mass_damping=0.3)
    direct, time = both.point_position.sel(point="end", axis="x").values
    assert_allclose(time, direct, rtol=5e-3)  # settled to 2e-3; 0.03 and 0.17 % found
    assert list(both.point.values) == ["top", "end"]
    assert list(dict.fromkeys(both.node_line.values.tolist())) == ["line"]
    assert np.all(both.settled_change.values <= SETTLED)


def test_moment_on_a_body_agrees_with_the_closed_form() -> None:
    """theta = M / (I (omega_0^2 - omega^2 - i SD omega)) [Otto2022], sec. 6.3.5; legs of 1e-3 of the mass."""
    result = response(tension_leg_platform(0.01), [2.0], Drive("force", "platform", "yaw", 0.01), method="time",
                      mass_damping=0.75)  # fmt: skip
    exact = 0.01 / (2.5 * (8.0 - 4.0 - 1j * 0.75 * 2.0))
    assert_allclose(result.body_motion.sel(body="platform", dof="yaw").values, exact, rtol=5e-3)


@pytest.mark.parametrize("direction", ["pitch", "z"])
def test_turned_and_lifted_bodies_pull_their_lines_alike(direction: str) -> None:
    """A held body that turns by a hundredth of a degree, or heaves 1 mm: tension at both ends within 1 %."""
    system = held_body()
    drive = Drive("motion", "ship", direction, 1e-3 if direction == "z" else math.radians(0.01))
    both = response(system, [0.8], drive, method="both")
    direct, time = both.tension.values[:, 0]
    assert_allclose(time[[0, -1]], direct[[0, -1]], rtol=0.01)


@pytest.mark.parametrize("solver", ["constrained", "recursive"])
def test_ropes_of_bars_answer_as_the_elements_do(solver: str) -> None:
    """Double pendulum moved at its top by 1 mm, bars of the same lengths: the direct answer, within a per cent."""
    system = n_pendulum([0.5, 1.0], 2.0)
    drive = Drive("motion", "top", "x", 1e-3)
    direct = response(system, [2.0], drive, mass_damping=0.5)
    bars = response(system, [2.0], drive, method="time", mass_damping=0.5, solver=solver)
    exact = direct.point_position.sel(point="end", axis="x").values
    assert_allclose(bars.point_position.sel(point="end", axis="x").values, exact, rtol=0.01)


@pytest.mark.parametrize("solver", ["mixed_fem", "constrained", "recursive", "projection", "constrained_implicit"])
def test_force_drives_every_solver_as_the_direct_method_says(solver: str) -> None:
    """Double pendulum, 0.01 N at its end, bars of the same lengths: the direct answer, within a per cent."""
    system = n_pendulum([0.5, 1.0], 2.0)
    drive = Drive("force", "end", "x", 0.01)
    exact = response(system, [2.0], drive, mass_damping=0.5).point_position.sel(point="end", axis="x").values
    found = response(system, [2.0], drive, method="time", mass_damping=0.5, solver=solver)
    assert_allclose(found.point_position.sel(point="end", axis="x").values, exact, rtol=0.01)


def test_a_solver_is_for_the_time_method() -> None:
    """The direct method simulates nothing."""
    with pytest.raises(InputError, match="the direct method runs no simulation"):
        response(n_pendulum([2.0], 4.0), [3.0], Drive("motion", "top", "x", 0.01), solver="constrained")


def test_waves_turn_a_tilted_buoy_as_by_the_direct_method() -> None:
    """A buoy that hangs at 17 degrees in its mooring, waves of 2 cm: surge, heave and pitch within 0.5 %."""
    case = System.from_file(EXAMPLES / "buoy_rao.yaml").model_dump(mode="json", by_alias=True, exclude_unset=True)
    # drag in small waves takes hundreds of periods to end the start-up; a given damping ends it in twenty
    case["bodies"]["buoy"]["damping"] = np.diag([800.0, 800.0, 400.0, 300.0, 300.0, 300.0]).tolist()
    case["lines"]["mooring"]["elements"] = 15
    both = response(System.model_validate(case), [1.0], Drive("waves", amplitude=0.02), method="both")
    direct, time = both.body_motion.sel(body="buoy", dof=["surge", "heave", "pitch"]).values[:, 0]
    assert_allclose(time, direct, rtol=5e-3)  # settled to 2e-3; at most 0.06 % found


def test_slow_modes_are_waited_for() -> None:
    """A pendulum with little damping is simulated until it repeats; a fixed number of periods leaves its own swing."""
    system = n_pendulum([2.0], 4.0)  # own period 4.0 s, decays by e in 14 s
    drive = Drive("motion", "top", "x", 0.01)
    waited = time_response(system, [3.0], drive, 0.15)
    direct = response(system, [3.0], drive, mass_damping=0.15)
    early = time_response(system, [3.0], drive, 0.15, settle=2)
    exact = direct.point_position.sel(point="end", axis="x").values
    errors = [float(np.abs(r.point_position.sel(point="end", axis="x").values - exact)[0]) for r in (waited, early)]
    assert int(waited.settled_periods[0]) > 8
    assert errors[0] < 0.01 * abs(exact[0])
    assert errors[1] > 0.04 * abs(exact[0])  # 5.7 % found


def test_forces_that_cannot_be_simulated_are_refused() -> None:
    """A load off the origin cannot be told from the pull that is taken off."""
    body: dict[str, Any] = tension_leg_platform(0.01).model_dump(by_alias=True, exclude_unset=True)
    body["bodies"]["platform"]["loads"] = {**body["bodies"]["platform"]["loads"], "at": [0.0, 0.0, 0.1]}
    with pytest.raises(InputError, match=r"needs loads\.at at the body's origin"):
        response(System.model_validate(body), [2.0], Drive("force", "platform", "x", 0.01), method="time",
                 mass_damping=0.75)  # fmt: skip


def held_body() -> System:
    """A ship on rails with one line to the bed, from a fairlead off its origin."""
    section = {"diameter": 0.1, "mass": 20.0, "axial_stiffness": 1e7, "drag": {"normal": 1.0},
               "added_mass": {"normal": 1.0}}  # fmt: skip
    return System.model_validate(
        {
            "environment": {"depth": 50},
            "sections": {"rope": section},
            "points": {"anchor": {"position": [0, 0, -50]}},
            "bodies": {"ship": {"mass": 1e5, "inertia": [1e6, 1e6, 1e6], "position": [60, 0, 0], "joint": "fixed",
                                "attachments": {"fairlead": [-5, 0, -2]}}},
            "lines": {"line": {"from": "anchor", "to": "ship.fairlead", "elements": 20,
                               "pieces": [{"section": "rope", "length": 74}]}},
        }
    )  # fmt: skip
