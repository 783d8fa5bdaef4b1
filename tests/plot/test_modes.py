"""Pictures of modes and responses: what they show, not how they look."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ropewalk.analysis.modes import modes
from ropewalk.analysis.response import Drive, response
from ropewalk.cli.main import app
from ropewalk.io.netcdf import write
from ropewalk.plot.modes import draw_modes, draw_response
from validation.test_frequencies import hanging_chain, tension_leg_platform

pytest.importorskip("matplotlib")


def test_every_mode_has_a_panel_that_names_what_moves() -> None:
    """Period and dominant motion in the title; rest, shape and its opposite as lines."""
    result = modes(tension_leg_platform(0.01), 4)
    panels = draw_modes(result).axes
    assert len(panels) == 4
    assert panels[1].get_title() == f"2: {float(result.period[1]):.4g} s, {result.dominant.values[1]}"
    assert "platform" in panels[1].get_title()
    assert "drifts" in panels[0].get_title()
    legs = 2
    assert len([line for line in panels[1].lines if line.get_linestyle() == ":"]) >= legs


def test_complex_modes_show_two_phases() -> None:
    """A quarter of a period later is dashed, and not the shape itself."""
    panels = draw_modes(modes(hanging_chain(12), 2, damped=True)).axes
    assert any(line.get_linestyle() == "--" for line in panels[0].lines)


def test_response_is_drawn_per_unit_of_its_drive() -> None:
    """Amplitudes of a force of 20 N, divided by 20."""
    system = tension_leg_platform(0.01)
    result = response(system, [1.0, 2.0], Drive("force", "platform", "x", 20.0), mass_damping=0.1)
    panel = draw_response(result).axes[0]
    assert panel.get_ylabel() == "m per N"
    shown = next(line for line in panel.lines if line.get_label() == "surge")
    expected = abs(result.body_motion.sel(dof="surge").values[:, 0]) / 20.0
    assert list(shown.get_ydata()) == pytest.approx(list(expected))


def test_commands_draw_files_of_modes_and_responses(tmp_path: Path) -> None:
    """`plot` of what `modes -o` and `response -o` wrote."""
    system = tension_leg_platform(0.01)
    write(modes(system, 2, damped=True), tmp_path / "modes.nc")
    write(response(system, [1.0, 2.0], "force:platform:x", mass_damping=0.1), tmp_path / "response.nc")
    for name in ("modes", "response"):
        done = CliRunner().invoke(app, ["plot", str(tmp_path / f"{name}.nc")])
        assert done.exit_code == 0, done.output
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000
