"""Direct response against closed forms, against the time domain, and against the corrected [Otto2022]."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from ropewalk.analysis.linearise import linearise
from ropewalk.analysis.response import Drive, response
from ropewalk.analysis.response_statistics import statistics
from ropewalk.cli.response import response_command
from ropewalk.errors import InputError
from ropewalk.spec.system import System
from validation.test_frequencies import n_pendulum, tension_leg_platform

GRAVITY = 9.81


def mooring(elements: int = 30, **environment: Any) -> System:
    """A chain from the bed to a held point under the surface."""
    return System.model_validate(
        {
            "environment": {"depth": 100, **environment},
            "sections": {
                "chain": {
                    "diameter": 0.12, "mass": 150.0, "axial_stiffness": 6e8,
                    "drag": {"normal": 1.2, "tangential": 0.1}, "added_mass": {"normal": 1.0},
                }
            },
            "points": {"anchor": {"position": [0, 0, -100]}, "top": {"position": [350, 0, -10]}},
            "lines": {"line": {"from": "anchor", "to": "top", "elements": elements,
                               "pieces": [{"section": "chain", "length": 390}]}},
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("masses", "length", "omega", "force", "damping", "node", "millimetres"),
    [
        ([1.0, 1.0], 2.0, 2.0, 0.1, 1.0, -1, 32.50),  # 26.6 is printed and cannot be reproduced
        ([0.235619] * 10, 1.0, 1.84, 0.1, 0.75, 1, 0.62944),
        ([0.0023562] * 9 + [2.0023562], 1.0, 1.56, 1.0, 0.75, -1, 66.478),
    ],
)
def test_pendulums_of_otto(
    masses: list[float], length: float, omega: float, force: float, damping: float, node: int, millimetres: float
) -> None:
    """Double pendulum, heavy chain and rope pendulum: linear response to an end force, corrected [Otto2022]."""
    linear = linearise(n_pendulum(masses, length), mass_damping=damping)
    result = response(linear, [omega], Drive("force", "end", "x", force))
    found = 1e3 * abs(result.position.values[0, node, 0])
    assert_allclose(found, millimetres, rtol=2e-4)  # digits as printed


def test_yaw_response_of_the_tension_leg_platform() -> None:
    """theta = M / (I (omega_0^2 - omega^2 - i SD omega)), 0.01 N m [Otto2022], sec. 6.3.5."""
    linear = linearise(tension_leg_platform(1e-8), mass_damping=0.75)
    omega_0 = math.sqrt(8.0)
    omega = omega_0 * np.array([0.1, 0.5, 1.0, 2.0, 5.0])
    result = response(linear, omega, Drive("force", "platform", "yaw", 0.01))
    exact = 0.01 / (2.5 * (omega_0**2 - omega**2 - 1j * 0.75 * omega))
    assert_allclose(result.body_motion.sel(body="platform", dof="yaw").values, exact, rtol=1e-6)


def test_swing_of_a_moved_pendulum() -> None:
    """x/x_0 = omega_0^2/(omega_0^2 - omega^2) for a point mass on a moved top, undamped."""
    result = response(n_pendulum([2.0], 4.0), [0.5, 3.0], "motion:top:x")
    omega_0 = math.sqrt(GRAVITY / 4.0)
    exact = omega_0**2 / (omega_0**2 - np.array([0.5, 3.0]) ** 2)
    assert_allclose(result.point_position.sel(point="end", axis="x").values, exact, rtol=1e-9)


def test_small_motions_agree_with_the_time_domain() -> None:
    """2 cm at the top of a mooring: tension at both ends and motion half-way within 1 %."""
    both = response(mooring(), [0.6], Drive("motion", "top", "x", 0.02), method="both")
    direct, time = (both.sel(case=case).isel(frequency=0) for case in ("direct", "time"))
    for node in (0, 15, 30):
        assert_allclose(direct.tension[node], time.tension[node], rtol=0.01)
        assert_allclose(direct.position[node], time.position[node], atol=0.01 * 0.02)


def test_large_motions_agree_with_the_time_domain_by_energy() -> None:
    """3 m at the top of a line clear of the bed: within 3 % if drag takes the energy of its motion, else far off."""
    drive = Drive("motion", "top", "x", 3.0)
    system = mooring(seabed={"kind": "none"})
    both = response(system, [0.8], drive, method="both")
    direct, time = np.abs(both.tension.values[:, 0, -1])
    assert_allclose(direct, time, rtol=0.03)
    bare = np.abs(response(system, [0.8], drive, drag=False).tension.values[0, -1])
    assert abs(bare / time - 1.0) > 0.15  # 21 % found


def test_linear_wave_force_on_a_vertical_line() -> None:
    """A stiff taut line in a long wave: inertia force rho A (1 + Ca) a, drag by its own amplitude."""
    environment = {"depth": 100, "seabed": {"kind": "none"}}
    system = mooring(**environment)
    small = response(system, [0.7], Drive("waves", amplitude=1e-3))
    large = response(system, [0.7], Drive("waves", amplitude=1e-3), drag=False)
    # at 1 mm the drag is a thousandth of the inertia
    assert_allclose(small.tension.values[0, -1], large.tension.values[0, -1], rtol=0.01)
    turned = response(system, [0.7], Drive("waves", amplitude=1e-3, heading=180.0), drag=False)
    # horizontal motion turns round, vertical does not: the two are not each other's conjugates, but as large
    assert 0.2 < abs(turned.tension.values[0, -1] / large.tension.values[0, -1]) < 5.0


def heaving_can(**waves: Any) -> System:
    """A free cylinder of 1 m draught and 0.5 m radius with linear heave damping."""
    damping = np.diag([50.0, 50.0, 400.0, 20.0, 20.0, 5.0]).tolist()
    body = {
        "mass": 1025.0 * math.pi * 0.25, "inertia": [300, 300, 100], "centre_of_mass": [0, 0, -0.9],
        "position": [0, 0, 0], "damping": damping,
        "hull": {"drag": 0,
                 "kind": "axisymmetric", "profile": [[-1, 0.5], [1, 0.5]], "added_mass": {"normal": 1, "axial": 0.3}},
    }  # fmt: skip
    return System.model_validate({"environment": {"waves": waves} if waves else {}, "bodies": {"can": body}})


def test_heave_of_a_small_body_follows_long_waves() -> None:
    """RAO 1 in heave and surge in the limit of long waves; the closed form of a strip otherwise."""
    result = response(heaving_can(), [0.05, 1.5], "waves")
    heave = result.body_motion.sel(body="can", dof="heave").values
    assert_allclose(heave[0], 1.0, atol=3e-3)
    k = 1.5**2 / 9.80665
    m = 1025.0 * math.pi * 0.25
    stiffness = 1025.0 * 9.80665 * math.pi * 0.25
    mean = (1.0 - math.exp(-k)) / k  # of exp(k z) over the draught
    force = stiffness + m * -(1.5**2) * mean + 0.3 * m * -(1.5**2) * math.exp(-0.5 * k)
    exact = force / (stiffness - 1.5**2 * 1.3 * m - 1j * 1.5 * 400.0)
    assert_allclose(heave[1], exact, rtol=1e-3)  # 40 strips in the draught


def test_statistics_of_a_sea_are_those_of_its_spectrum() -> None:
    """The response of the body in long waves is the sea: std = Hs/4, Tz = 0.7774 Tp for gamma 3.3."""
    sea = {"kind": "jonswap", "ramp": 0.0, "significant_height": 2.0, "peak_period": 60.0, "components": 100}
    result = response(heaving_can(**sea))
    numbers = statistics(result)
    assert_allclose(numbers.wave_std, 0.5, rtol=1e-9)
    assert_allclose(numbers.body_motion_std.sel(body="can", dof="heave"), 0.5, rtol=0.01)
    assert_allclose(numbers.wave_tz, 0.7774 * 60.0, rtol=0.03)  # the tail is cut at five times the peak
    assert_allclose(
        numbers.wave_maximum / numbers.wave_std, math.sqrt(2 * math.log(10800 / numbers.wave_tz)), rtol=1e-9
    )


def test_what_cannot_be_answered_is_refused() -> None:
    """Messages name what is wrong and what would be right."""
    system = n_pendulum([2.0], 4.0)
    with pytest.raises(InputError, match="unknown drive 'wind'; choose waves"):
        response(system, [1.0], "wind")
    with pytest.raises(InputError, match="no point or body 'mast'"):
        response(system, [1.0], "motion:mast:x")
    with pytest.raises(InputError, match="'end' must be held in x"):
        response(system, [1.0], "motion:end:x")
    with pytest.raises(InputError, match="waves need water"):
        response(system, [1.0], "waves")
    with pytest.raises(InputError, match="positive frequencies"):
        response(system, [], "motion:top:x")
    with pytest.raises(InputError, match="no waves and no harmonic motions"):
        response(system)
    with pytest.raises(InputError, match="point 'top' cannot rotate"):
        response(system, [1.0], "motion:top:pitch", method="time")
    with pytest.raises(InputError, match="needs a drive and frequencies"):
        response(system, method="time")


def test_response_command_prints_json(tmp_path: Path) -> None:
    """`ropewalk response CASE --drive … --json`, and the statistics of a case's own sea."""
    import typer

    app = typer.Typer()
    app.command()(response_command)
    case = tmp_path / "case.yaml"
    case.write_text(json.dumps(n_pendulum([2.0], 4.0).model_dump(mode="json", by_alias=True, exclude_unset=True)))
    arguments = [str(case), "--drive", "motion:top:x", "--from", "0.5", "--to", "1", "-n", "2", "--json"]
    answer = CliRunner().invoke(app, [*arguments, "-o", str(tmp_path / "r.nc")])
    assert answer.exit_code == 0, answer.output
    assert [row["omega"] for row in json.loads(answer.stdout)["response"]] == [0.5, 1.0]
    assert (tmp_path / "r.nc").stat().st_size > 0
    sea = heaving_can(kind="regular", height=1.0, period=8.0)
    case.write_text(json.dumps(sea.model_dump(mode="json", by_alias=True, exclude_unset=True)))
    answer = CliRunner().invoke(app, [str(case), "--json"])
    assert answer.exit_code == 0, answer.output
    heave = next(row for row in json.loads(answer.stdout)["statistics"] if row["what"].startswith("heave"))
    assert 0.3 < heave["std"] < 0.4
    moored = Path(__file__).resolve().parents[2] / "examples" / "buoy_rao.yaml"
    answer = CliRunner().invoke(app, [str(moored), "--json"])
    assert answer.exit_code == 0, answer.output
    rows = {row["what"]: row for row in json.loads(answer.stdout)["statistics"]}
    assert rows["tension of mooring at B (N)"]["std"] > rows["tension of mooring at A (N)"]["std"] > 0.0


def test_buoy_example_follows_long_waves_and_resonates() -> None:
    """Heave goes with the water at 0.3 rad/s, peaks near sqrt(rho g A/(m + m_a)) and dies away."""
    import runpy

    example = runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples" / "buoy_rao.py"))
    heave, omega = example["heave"], example["omega"]
    assert_allclose(heave[0], 1.0, atol=0.03)
    assert 2.0 < omega[np.argmax(heave)] < 2.6
    assert heave[-1] < 0.5
