"""`ropewalk run`: statics, then time domain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.errors import InputError


def run_command(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Result file; CASE.nc unless given.")] = None,
    duration: Annotated[float | None, typer.Option(help="Simulated time, s; the file's unless given.")] = None,
    solver: Annotated[str | None, typer.Option(help="Solver; the file's unless given.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint of a stopped run.")] = False,
) -> None:
    """Find the equilibrium, then simulate; the result is written as it is computed."""
    from ropewalk.analysis.run import simulate
    from ropewalk.spec.system import System

    system = System.from_file(case)
    target = out or case.with_suffix(".nc")
    if target == case:
        raise InputError(f"{case}: the result would overwrite the case; name another file with -o")
    dataset = simulate(system, duration, solver=solver, output=target, resume=resume)
    typer.echo(f"{target}: {dataset.sizes['time']} records, the last at t = {float(dataset['time'][-1]):g} s")
