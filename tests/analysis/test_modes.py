"""Damped, unstable and drifting modes; what is refused; the command."""

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
from ropewalk.analysis.modes import modes, summary
from ropewalk.cli.modes import modes_command
from ropewalk.errors import InputError
from ropewalk.results.complex_parts import split_complex
from ropewalk.spec.system import System

GRAVITY = 9.81


def pendulum(joint: Any = "free", force: float = 0.0, **section: Any) -> System:
    """A mass of 2 kg on a massless line of 4 m; `force` pulls it up, so that above 2 g the line pushes or turns."""
    return System.model_validate(
        {
            "environment": {"gravity": GRAVITY, "water_density": 0.0},
            "sections": {"line": {"diameter": 0.01, "mass": 0.0, "axial_stiffness": "inextensible", **section}},
            "points": {
                "top": {"position": [0, 0, 0]},
                "bob": {"position": [0, 0, -4], "joint": joint, "mass": 2.0, "force": [0, 0, force]},
            },
            "lines": {"line": {"from": "top", "to": "bob", "elements": 1,
                               "pieces": [{"section": "line", "length": 4}]}},
        }
    )  # fmt: skip


def test_mass_damping_shifts_the_pendulum() -> None:
    """x'' + c x' + (g/l) x = 0: s = -c/2 +- i sqrt(g/l - c^2/4)."""
    linear = linearise(pendulum(), mass_damping=0.4)
    result = modes(linear, 2, damped=True)
    omega = math.sqrt(GRAVITY / 4.0)
    assert_allclose(result.omega, omega, rtol=1e-9)
    assert_allclose(result.damping, 0.2 / omega, rtol=1e-9)
    assert_allclose(result.growth, -0.2, rtol=1e-9)
    assert_allclose(result.period, 2 * math.pi / math.sqrt(omega**2 - 0.04), rtol=1e-9)
    undamped = modes(linear, 2)
    assert_allclose(undamped.omega, omega, rtol=1e-12)
    assert_allclose(undamped.damping, 0.2 / omega, rtol=1e-12)


def test_internal_damping_of_a_stretching_line() -> None:
    """A mass on a spring of EA/L with Kelvin-Voigt time tau: damping share tau omega/2."""
    system = pendulum(axial_stiffness=8000.0, damping=0.01)
    omega = math.sqrt(8000.0 / 4.0 / 2.0)
    result = modes(system, 1, damped=True, near=omega)
    assert_allclose(result.omega, omega, rtol=1e-9)
    assert_allclose(result.damping, 0.5 * 0.01 * omega, rtol=1e-9)
    assert_allclose(modes(system, 1, near=omega).damping, 0.5 * 0.01 * omega, rtol=1e-9)


def test_unstable_equilibrium_is_reported_with_its_modes() -> None:
    """A bob balanced on a strut: growth sqrt(g/l), no period, and a sentence."""
    system = pendulum(compression=True)
    up = system.replace(points={**system.points, "bob": system.points["bob"].replace(position=(0.0, 0.0, 4.0))})
    held = up.replace(points={**up.points, "bob": up.points["bob"].replace(joint="fixed")})
    from ropewalk.analysis.statics import statics
    from ropewalk.model.model import build

    at_rest = statics(held)  # free points fall off the strut, so it is balanced held and then let go
    result = modes(linearise(_let_go(at_rest, up, build(up))), 2)
    assert_allclose(result.growth, math.sqrt(GRAVITY / 4.0), rtol=1e-9)
    assert not np.any(result.stable)
    assert np.all(np.isnan(result.period))
    assert np.all(np.isfinite(result.omega))
    assert result.attrs["stability"] == "unstable: 2 growing modes"
    assert summary(result)["modes"][0]["period"] is None
    assert list(result.dominant.values) in (["bob x", "bob y"], ["bob y", "bob x"])


@pytest.mark.parametrize("damped", [False, True])
def test_growing_modes_are_found_though_others_are_slower(damped: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """A strut with a slow pendulum beside it: one mode is asked for, and it is the one that grows."""
    from ropewalk.analysis.statics import statics
    from ropewalk.cli.modes import print_modes
    from ropewalk.model.model import build

    base = pendulum(compression=True)
    sections, lines = base.sections, base.lines
    points = {
        "top": base.points["top"],
        "bob": base.points["bob"].replace(position=(0.0, 0.0, 4.0)),
        "low": base.points["bob"].replace(position=(9.0, 0.0, -40.0)),
        "nail": base.points["top"].replace(position=(9.0, 0.0, 0.0)),
    }
    ((name, strut),) = lines.items()
    long = strut.replace(from_="nail", to="low", pieces=[strut.pieces[0].replace(length=40.0)])
    up = base.replace(sections=sections, points=points, lines={name: strut, "long": long})
    held = up.replace(points={**up.points, "bob": up.points["bob"].replace(joint="fixed")})
    at_rest = statics(held)
    push = np.where(at_rest.state.position[:, 0] < 1.0, -2.0 * GRAVITY, at_rest.state.tension)
    from dataclasses import replace

    let_go = replace(at_rest, system=up, model=build(up), state=at_rest.state._replace(tension=push))
    result = modes(linearise(let_go), 1, damped=damped)
    assert_allclose(result.growth, math.sqrt(GRAVITY / 4.0), rtol=1e-6)
    assert result.attrs["stability"] == "unstable: 2 growing modes"
    print_modes(result)
    printed = capsys.readouterr().out
    assert "growth rate 1.566 1/s" in printed
    assert "equilibrium unstable: 2 growing modes" in printed


def _let_go(at_rest: Any, system: System, model: Any) -> Any:
    """The equilibrium of a held case as that of a free one, with the strut's push as its tension."""
    from dataclasses import replace

    push = np.full_like(at_rest.state.tension, -2.0 * GRAVITY)
    return replace(at_rest, system=system, model=model, state=at_rest.state._replace(tension=push))


def test_current_damps_and_turns_the_modes_complex() -> None:
    """A taut line across a current: b U on each, twice as much along the flow as across it."""
    system = System.model_validate(
        {
            "environment": {"gravity": 0.0, "water_density": 1000.0, "current": {"speed": 0.5, "heading": 90}},
            "sections": {"line": {"added_mass": 0,
                                  "diameter": 0.02, "mass": 2.0, "axial_stiffness": 1e6, "drag": {"normal": 1.0}}},
            "points": {"A": {"position": [0, 0, -50]}, "B": {"position": [10, 0, -50]}},
            "lines": {"line": {"from": "A", "to": "B", "elements": 40,
                               "pieces": [{"section": "line", "length": 9.9}]}},
        }
    )  # fmt: skip
    linear = linearise(system)
    assert linear.is_damped
    result = modes(linear, 4)
    assert np.all(result.stable)
    b = 0.5 * 1000.0 * 0.02 * 0.5 * 10.0 / 9.9  # per unstretched length, which is what the mass is given by
    along = 2.0 * b / (2.0 * 2.0)
    # the chord of the bowed line is 1.0 % longer than what the tangents carry across the flow
    assert_allclose(np.sort(-result.growth.values), [along / 2, along / 2, along, along], rtol=0.01)
    assert np.iscomplexobj(result.position)
    split = split_complex(result)
    assert not any(np.iscomplexobj(v) for v in split.data_vars.values())
    assert {"position_real", "position_imaginary"} <= set(split.data_vars)


def test_drifting_body_has_frequency_zero() -> None:
    """A free cylinder without lines: surge, sway and yaw drift, heave at sqrt(rho g A/m)."""
    body = {"mass": 1025.0 * math.pi * 0.25 * 1.0, "inertia": [300, 300, 100], "centre_of_mass": [0, 0, -0.9],
            "position": [0, 0, 0], "hull": {"drag": 0, "added_mass": 0,
                                            "kind": "axisymmetric", "profile": [[-1, 0.5], [1, 0.5]]}}  # fmt: skip
    system = System.model_validate({"bodies": {"can": body}})
    result = modes(system, 6)
    assert_allclose(result.omega[:3], 0.0, atol=1e-4)
    assert np.all(result.stable)
    assert_allclose(result.damping[:3], 0.0)
    heave = math.sqrt(9.80665 / 1.0)  # draught 1 m
    assert np.min(np.abs(result.omega.values - heave)) < 1e-9


def test_what_cannot_be_answered_is_refused() -> None:
    """Messages name what is wrong."""
    with pytest.raises(InputError, match="nothing is free to move"):
        modes(pendulum(joint="fixed"))
    with pytest.raises(InputError, match="count must be a whole number, 1 or more"):
        modes(pendulum(), 0)


def test_modes_are_orthonormal_and_shapes_lie_on_the_lines() -> None:
    """phi^T M phi = 1; a shape of a held end is zero there."""
    system = pendulum()
    linear = linearise(system)
    result = modes(linear, 2)
    assert_allclose(2.0 * np.sum(result.point_position.sel(point="bob").values ** 2, axis=1), 1.0, rtol=1e-12)
    assert_allclose(result.point_position.sel(point="top"), 0.0, atol=1e-15)
    assert_allclose(result.position.isel(node=-1), result.point_position.sel(point="bob"), atol=1e-15)
    assert result.position.dims == ("mode", "node", "axis")


def test_modes_command_prints_json(tmp_path: Path) -> None:
    """`ropewalk modes CASE --json`: omega, period, damping of each mode."""
    import typer

    app = typer.Typer()
    app.command()(modes_command)
    case = tmp_path / "case.json"
    case = tmp_path / "case.yaml"
    case.write_text(json.dumps(pendulum().model_dump(mode="json", by_alias=True, exclude_unset=True)))
    answer = CliRunner().invoke(app, [str(case), "--json", "-n", "2", "-o", str(tmp_path / "m.nc")])
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.output)["modes"]
    assert_allclose([m["omega"] for m in found], math.sqrt(GRAVITY / 4.0), rtol=1e-9)
    assert set(found[0]) >= {"omega", "period", "damping"}
    assert (tmp_path / "m.nc").stat().st_size > 0
    table = CliRunner().invoke(app, [str(case)])
    assert "equilibrium stable" in table.output


def test_hanging_chain_example() -> None:
    """200 elements: the first mode to 1e-5, second order."""
    import runpy

    example = runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples" / "hanging_chain.py"))
    assert_allclose(example["found"], example["exact"], rtol=1e-3)
    assert_allclose(example["found"][0], example["exact"][0], rtol=1e-5)
