"""`ropewalk plot`: a result as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ropewalk.cli.outputs import picture
from ropewalk.cli.tables import say
from ropewalk.errors import InputError

if TYPE_CHECKING:
    import xarray as xr


def plot_command(
    file: Annotated[Path, typer.Argument(help="A result file (.nc) or a case file, whose equilibrium is drawn.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="PNG, PDF or SVG; FILE.png unless given.")] = None,
    variable: Annotated[str | None, typer.Option(help="Output of a sweep; the end tension unless given.")] = None,
) -> None:
    """Draw a result, or a case at rest. Shapes, tensions and histories; modes, responses and sweeps."""
    if file.is_dir():
        raise InputError(f"{file} is a folder; give a result file or a case file")
    target = picture(out or file.with_suffix(".png"))
    if file.suffix == ".nc":
        from ropewalk.io.netcdf import reading

        with reading(file) as dataset:
            _draw(dataset, target, variable)
    else:
        from ropewalk.analysis.statics import statics
        from ropewalk.spec.system import System

        _draw(statics(System.from_file(file)).to_dataset(), target)
    say(f"{target}: written")


def _draw(dataset: xr.Dataset, target: Path, variable: str | None = None) -> None:
    from ropewalk.plot.lines import draw, save

    if "status" in dataset and "case" in dataset.dims:
        from ropewalk.plot.sweep import draw_sweep

        save(draw_sweep(dataset, variable), target)
    elif "mode" in dataset.dims or "frequency" in dataset.dims:
        from ropewalk.plot.modes import draw_modes, draw_response

        save(draw_modes(dataset) if "mode" in dataset.dims else draw_response(dataset), target)
    else:
        save(draw(dataset), target)
