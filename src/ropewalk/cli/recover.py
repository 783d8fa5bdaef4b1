"""`ropewalk recover`: save what a killed run left."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.cli.tables import say


def recover_command(
    folder_or_file: Annotated[Path, typer.Argument(help="FILE.nc.part that a stopped run left, or FILE.nc.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Where to write; FILE.nc unless given.")] = None,
) -> None:
    """Keep what a killed run left. It becomes a result file, up to its last whole record."""
    from ropewalk.io.netcdf import recover
    from ropewalk.results.segments import part_folder

    saved = recover(folder_or_file, out)
    say(f"{saved.path}: {saved.rows} records, the last at t = {saved.time:g} s")
    if saved.trouble:
        say(f"{saved.trouble[0].upper()}{saved.trouble[1:]}.")
    folder = folder_or_file if folder_or_file.suffix == ".part" else part_folder(folder_or_file)
    say(f"{folder} stays, so that 'ropewalk run --resume' can go on; delete it when it is of no more use.")
