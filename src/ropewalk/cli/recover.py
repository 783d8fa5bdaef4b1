"""`ropewalk recover`: save the records of a killed run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.cli.tables import say


def recover_command(
    folder_or_file: Annotated[Path, typer.Argument(help="FILE.nc.part left by a stopped run, or FILE.nc.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Output file; default: FILE.nc.")] = None,
) -> None:
    """Recover the records of a killed run. Writes a result file with all records up to the last complete one."""
    from ropewalk.io.netcdf import recover
    from ropewalk.results.segments import part_folder

    saved = recover(folder_or_file, out)
    say(f"{saved.path}: {saved.rows} records, the last at t = {saved.time:g} s")
    if saved.trouble:
        say(f"{saved.trouble[0].upper()}{saved.trouble[1:]}.")
    folder = folder_or_file if folder_or_file.suffix == ".part" else part_folder(folder_or_file)
    say(f"{folder} is kept for 'ropewalk run --resume'; delete it when it is no longer needed.")
