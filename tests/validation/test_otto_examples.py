"""Chapter 8 of Otto 2022 from files: each case of `examples/otto` by the command that stands in its first line."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from scipy.optimize import brentq
from typer.testing import CliRunner

import ropewalk as rw
from reference import body_pendulum
from ropewalk.cli.main import app

CASES = Path(__file__).resolve().parents[2] / "examples" / "otto"


def command(name, *options):
    """The command in the first line of an example, carried out, with options added."""
    words = (CASES / f"{name}.yaml").read_text(encoding="utf-8").splitlines()[0].partition("ropewalk ")[2].split()
    assert words[-1] == f"examples/otto/{name}.yaml"
    done = CliRunner().invoke(app, [*words[:-1], str(CASES / f"{name}.yaml"), *map(str, options)])
    assert done.exit_code == 0, done.output
    return done.stdout


def amplitude(run, values, omega):
    """Of a history at a frequency, over the last two periods, as [Otto2022] reads it off."""
    t = run.time.values
    last = t > t[-1] - 4.0 * math.pi / omega
    basis = np.stack([np.sin(omega * t[last]), np.cos(omega * t[last]), np.ones(last.sum())], axis=1)
    fit = np.linalg.lstsq(basis, values[last], rcond=None)[0]
    return math.hypot(fit[0], fit[1])


def test_catenary_of_bars_has_the_tension_of_the_exact_one():
    """Sec. 8.1: within "the 10th of a percent" of the tension at the ends; a bar's own is that in its middle."""
    found = json.loads(command("catenary", "--json"))["lines"]["line"]
    span, rise, length, w = 80.0, 10.0, 100.0, 50.0
    a = brentq(lambda a: 2 * a * math.sinh(0.5 * span / a) - math.sqrt(length**2 - rise**2), 10.0, 1e3)
    middle = a * math.atanh(rise / length) - 0.5 * span
    for end, x in (("end_a", middle), ("end_b", middle + span)):
        assert_allclose(found[end]["tension"], w * a * math.cosh(x / a), rtol=1e-3)


@pytest.mark.parametrize(
    ("name", "omega", "node", "expected", "digits"),
    [("rope_pendulum", 1.56, 10, 66.381e-3, 1e-5), ("heavy_chain", 1.84, 1, 0.62941e-3, 1e-7)],
)
def test_driven_chains_swing_as_far_as_recomputed(name, omega, node, expected, digits, tmp_path):
    """Secs. 8.2 and 8.3: 66.381 mm at the end, 0.62941 mm at the first node, digits of the recomputation."""
    command(name, "-o", tmp_path / "run.nc")
    with rw.load(tmp_path / "run.nc") as run:
        x = run.position.sel(axis="x").values[:, node]
        assert_allclose(amplitude(run, x, omega), expected, atol=digits)


def test_tension_leg_platform_turns_at_its_frequency():
    """Sec. 8.4: sqrt(f_v / (2 m l)), legs of 5 mg aside."""
    found = json.loads(command("tension_leg", "--json"))
    assert_allclose([mode["omega"] for mode in found["modes"][:3]], math.sqrt(8.0), rtol=1e-5)


def test_body_pendulum_follows_its_equations(tmp_path):
    """Sec. 8.5: minimal coordinates integrated by scipy."""
    command("body_pendulum", "-o", tmp_path / "run.nc")
    stick = body_pendulum(2.0)[0]
    with rw.load(tmp_path / "run.nc") as run:
        hinge = run.body_position.sel(body="body").values[-1]
        assert_allclose(hinge, [math.sin(stick), 0.0, -math.cos(stick)], atol=1e-4)  # second order at 1 ms


def test_cylindrical_pendulum_is_the_same_by_every_solver_of_bars():
    """Sec. 8.6: "very good agreement"; second order at 5 ms is 4e-5 m, bars are 1 / n^2 = 1 % of 9 mm off elements."""
    result = json.loads(command("cylindrical_pendulum", "--json"))
    rows = {row["method"]: row for row in result["methods"]}
    for solver in ("constrained", "recursive", "projection"):
        assert rows[solver]["status"] == "done"
        assert rows[solver]["position_difference"] < 2e-4


def test_towed_buoy_hangs_between_its_weight_and_the_water(tmp_path):
    """Sec. 8.7: by RRF in the source; the same case by recursion as reference."""
    command("towed_buoy", "-o", tmp_path / "run.nc")
    other = rw.simulate(rw.load(CASES / "towed_buoy.yaml").replace("run.solver", "recursive"), progress=False)
    with rw.load(tmp_path / "run.nc") as run:
        ours, theirs = (d.body_position.sel(body="buoy", axis="z").values for d in (run, other))
        assert_allclose(ours, theirs, atol=3e-3)  # second order at 2 ms, kinks where the line cuts the surface
        assert np.ptp(ours) > 0.1


@pytest.mark.slow
def test_longest_step_is_two_over_the_highest_frequency():
    """Sec. 8.8 and figs. 8.10, 8.11: explicit second-order steps; lateral motions of five bars, m/n at every node."""
    found = json.loads(command("step_limit", "--json"))["step_limit"]
    n, rope, end, g = 5, 0.02356194490192345, 2.0, 9.81
    mass = np.full(n, rope / n)
    mass[-1] += end
    pull = g * np.cumsum(mass[::-1])[::-1] * n  # tension over length of each bar
    stiffness = np.diag(pull + np.append(pull[1:], 0.0)) - np.diag(pull[1:], 1) - np.diag(pull[1:], -1)
    highest = math.sqrt(eigh(stiffness, np.diag(mass), eigvals_only=True)[-1])
    assert_allclose(found, 2.0 / highest, rtol=5e-3)  # near the limit the outcome depends on when one looks
