"""`ropewalk float`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from ropewalk.cli.float_ import float_command
from ropewalk.errors import InputError

EXAMPLES = Path(__file__).parents[2] / "examples"
KEYS = {"kind", "heave", "up", "roll", "pitch", "energy", "stiffness", "wrench"}


def run(*arguments: str):
    app = typer.Typer()
    app.command()(float_command)
    return CliRunner().invoke(app, list(arguments), catch_exceptions=True)


def test_json_of_the_helix_has_six_equilibria():
    result = run(str(EXAMPLES / "rod_helix.yaml"), "--json")
    data = json.loads(result.stdout)["equilibria"]
    kinds = [entry["kind"] for entry in data]
    assert (kinds.count("minimum"), kinds.count("saddle"), kinds.count("maximum")) == (2, 2, 2)
    for entry in data:
        assert set(entry) >= KEYS
        assert np.shape(entry["stiffness"]) == (3, 3)
        # up and the angles say the same: up is the last row of Ry(pitch) Rx(roll)
        roll, pitch = np.radians(entry["roll"]), np.radians(entry["pitch"])
        up = [-np.sin(pitch), np.cos(pitch) * np.sin(roll), np.cos(pitch) * np.cos(roll)]
        assert_allclose(entry["up"], up, rtol=0, atol=1e-12)
        assert_allclose(entry["wrench"], 0.0, rtol=0, atol=1e-12)


def test_table_of_the_twisted_cylinder_tells_the_tilt_and_the_check():
    result = run(str(EXAMPLES / "rod_twisted.yaml"))
    assert "144.0000" in result.stdout or "-36.0000" in result.stdout
    assert "minima - saddles + maxima = 2" in result.stdout


@pytest.mark.parametrize(("name", "stable"), [("spar", 1), ("boom", 2), ("driftwood", 2)])
def test_examples_float(name, stable):
    data = json.loads(run(str(EXAMPLES / f"rod_{name}.yaml"), "--json").stdout)
    assert all(data["complete"].values())
    assert sum(entry["copies"] for entry in data["equilibria"] if entry["kind"] == "minimum") == stable


def test_spar_floats_at_its_draught():
    """Weight of wall and ballast over the water's weight per metre of draught."""
    entry = json.loads(run(str(EXAMPLES / "rod_spar.yaml"), "--json").stdout)["equilibria"][0]
    mass = 7850 * np.pi * (0.3**2 - 0.294**2) * 12 + 1200
    assert_allclose(entry["heave"], -mass / (1025 * np.pi * 0.3**2), rtol=1e-12)
    assert_allclose(entry["pitch"], -90.0, rtol=0, atol=1e-6)


def test_slices_are_told_apart():
    exact, slices = (
        json.loads(run(str(EXAMPLES / "rod_helix.yaml"), "--json", *flag).stdout)["equilibria"][0]["pitch"]
        for flag in ((), ("--slices",))
    )
    assert 0.3 < abs(exact - slices) < 1.2


def test_a_case_without_rods_is_refused(tmp_path):
    case = tmp_path / "case.yaml"
    case.write_text("ropewalk: 1\n")
    result = run(str(case))
    assert isinstance(result.exception, InputError)
    assert "no rods in the case" in str(result.exception)


def test_an_unknown_rod_is_refused():
    result = run(str(EXAMPLES / "rod_helix.yaml"), "--rod", "helx")
    assert "no rod 'helx'. Available: helix" in str(result.exception)


def test_a_rod_that_runs_into_itself_is_told_on_stderr_and_computed(tmp_path):
    case = tmp_path / "ring.yaml"
    case.write_text(
        "ropewalk: 1\nrods:\n  ring: {length: 2, density: 500, section: {kind: ellipse, a: 0.05, b: 0.05}, "
        "curvature: {kind: constant, kappa: [0, 0, 3.2]}}\n"
    )
    result = run(str(case), "--json")
    assert "doubt rod-overlap: rod 'ring': it intersects itself" in result.stderr
    assert json.loads(result.stdout)["equilibria"]


def test_an_elastic_rod_bends_as_it_floats(tmp_path):
    text = (EXAMPLES / "rod_spar.yaml").read_text() + "    elasticity: {torsion: 2.0e6, bending: [2.0e6, 2.0e6]}\n"
    case = tmp_path / "spar.yaml"
    case.write_text(text)
    entries = json.loads(run(str(case), "--json").stdout)["equilibria"]
    assert [entry["kind"] for entry in entries] == ["minimum"]
    # upright, nothing bends it
    assert_allclose(entries[0]["pitch"], -90.0, rtol=0, atol=1e-4)


def test_moored_rod_is_told_with_its_place_and_tensions():
    entries = json.loads(run(str(EXAMPLES / "rod_moored.yaml"), "--json").stdout)["equilibria"]
    for entry in entries:
        assert set(entry) >= KEYS | {"position", "yaw", "tensions", "full_stiffness", "residual"}
        assert np.shape(entry["full_stiffness"]) == (6, 6)
        assert set(entry["tensions"]) == {"to west", "to east", "tether"}
        assert entry["heave"] == entry["position"][2]
    table = run(str(EXAMPLES / "rod_moored.yaml"), "--rod", "log").stdout
    assert "stable poses on lines only" in table
    assert "1794.65" in table


def test_picture_is_drawn_beside_the_table(tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "twisted.png"
    result = run(str(EXAMPLES / "rod_twisted.yaml"), "--picture", str(picture))
    assert "minimum" in result.stdout
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_a_held_rod_tells_the_forces_that_hold_it(tmp_path):
    """A board half as dense as water, pushed down level by 1 cm: rho g times its plan."""
    case = tmp_path / "board.yaml"
    case.write_text(
        "ropewalk: 1\n"
        "environment: {water_density: 1000, gravity: 9.81}\n"
        "rods:\n"
        "  board:\n"
        "    {length: 2, density: 500, section: {kind: rectangle, width: 0.5, height: 0.1},\n"
        "     held: {head: {heave: -0.01, roll: 0, pitch: 0}}}\n"
    )
    entry = json.loads(run(str(case), "--json").stdout)["equilibria"][0]
    assert_allclose(entry["head_force"], -98.1, rtol=1e-12)
    assert_allclose(entry["tip_height"], -0.01, rtol=1e-12)
    assert entry["support_forces"] == []
    told = run(str(case)).stdout
    assert "stable poses of the held rod only" in told
    assert "on the head -98.1 N upwards" in told


def test_timber_and_hose_float_as_their_files_say():
    """Closed form of the tilt; the hose's clamp carries what the water does not, to the 2e-5 of twelve polynomials."""
    timber = json.loads(run(str(EXAMPLES / "rod_timber.yaml"), "--json").stdout)["equilibria"]
    roll = np.radians(timber[0]["roll"]) % (np.pi / 2)
    tilt = np.arctan(np.sqrt(12 * 0.23 * 0.77 - 2))
    assert_allclose(min(roll, np.pi / 2 - roll), tilt, rtol=1e-9)
    hose = json.loads(run(str(EXAMPLES / "rod_hose.yaml"), "--json").stdout)["equilibria"][0]
    assert_allclose(hose["head_force"], 1920.1, rtol=1e-4)
    assert_allclose(hose["head_moment"][1], -2184.7, rtol=1e-4)
