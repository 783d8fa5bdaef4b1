"""`ropewalk plot`: a result as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.errors import InputError

SUFFIXES = (".png", ".pdf", ".svg")


def picture(path: Path) -> Path:
    """The path, if it names a picture."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: pictures are {', '.join(SUFFIXES)}; '{path.suffix}' is not one of them")
    return path


def plot_command(
    file: Annotated[Path, typer.Argument(help="A result file (.nc) or a case file, whose equilibrium is drawn.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="PNG, PDF or SVG; FILE.png unless given.")] = None,
) -> None:
    """Draw a result: shapes, tensions, and histories; modes and responses."""
    target = picture(out or file.with_suffix(".png"))
    from ropewalk.io.netcdf import open_results
    from ropewalk.plot import draw, save

    if file.suffix == ".nc":
        dataset = open_results(file)
    else:
        from ropewalk.analysis.statics import statics
        from ropewalk.spec.system import System

        dataset = statics(System.from_file(file)).to_dataset()
    if "mode" in dataset.dims or "frequency" in dataset.dims:
        from ropewalk.analysis.modes import join_complex
        from ropewalk.plot_modes import draw_modes, draw_response

        dataset = join_complex(dataset)
        save(draw_modes(dataset) if "mode" in dataset.dims else draw_response(dataset), target)
    else:
        save(draw(dataset), target)
    typer.echo(f"{target}: written")
