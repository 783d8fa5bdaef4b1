"""`ropewalk check`: is a case file right?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def check_command(case: Annotated[Path, typer.Argument(help="A case file.")]) -> None:
    """Say what is wrong in a case file, with the place and what would be right."""
    from ropewalk.analysis.check import refuse_unreachable, remarks
    from ropewalk.model.model import build
    from ropewalk.spec.system import System

    system = System.from_file(case)
    refuse_unreachable(build(system))
    found = remarks(system)
    for remark in found:
        typer.echo(f"{case}: {remark}")
    counts = ", ".join(
        f"{len(parts)} {name}"
        for name in ("points", "bodies", "lines", "nets", "rods")
        if (parts := getattr(system, name))
    )
    typer.echo(f"{case}: right ({counts or 'empty'})")
