"""`ropewalk plot`: a result as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.errors import InputError

SUFFIXES = (".png", ".pdf", ".svg")


def plot_command(
    file: Annotated[Path, typer.Argument(help="A result file (.nc) or a case file, whose equilibrium is drawn.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="PNG, PDF or SVG; FILE.png unless given.")] = None,
) -> None:
    """Draw a result: shapes, tensions, and histories where there are some."""
    target = out or file.with_suffix(".png")
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(f"{target}: pictures are {', '.join(SUFFIXES)}; '{target.suffix}' is not one of them")
    from ropewalk.io.netcdf import open_results
    from ropewalk.plot import draw, save

    if file.suffix == ".nc":
        dataset = open_results(file)
    else:
        from ropewalk.analysis.statics import statics
        from ropewalk.spec.system import System

        dataset = statics(System.from_file(file)).to_dataset()
    save(draw(dataset), target)
    typer.echo(f"{target}: written")
