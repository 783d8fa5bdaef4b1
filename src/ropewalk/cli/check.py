"""`ropewalk check`: errors and remarks of a case file or a sweep file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ropewalk.cli.tables import counted, say
from ropewalk.errors import InputError


def check_command(case: Annotated[Path, typer.Argument(help="A case file or a sweep file.")]) -> None:
    """Check a case or sweep file and report all errors.

    Each error is reported with a remedy. For a sweep, every case is checked.
    """
    from ropewalk.analysis.check import refuse_unreachable, refuse_unsolvable, remarks
    from ropewalk.analysis.reach import refuse_impossible, refuse_straight
    from ropewalk.model.model import build
    from ropewalk.spec.system import System

    if _is_sweep(case):
        from ropewalk.sweep.run import make_plan

        plan = make_plan(case, None, {})
        say(f"{case}: valid ({counted(len(plan), 'cases')} of {plan.sweep.do})")
        return
    system = System.from_file(case)
    try:
        model = build(system)
        refuse_unreachable(model)
        refuse_impossible(model)
        refuse_straight(model)
        refuse_unsolvable(system, model)
        found = remarks(system)
    except InputError as error:
        raise InputError([replace(problem, file=problem.file or str(case)) for problem in error.problems]) from None
    for remark in found:
        say(f"{case}: {remark}", err=True)
    counts = ", ".join(
        counted(len(parts), name)
        for name in ("points", "bodies", "links", "lines", "nets", "rods")
        if (parts := getattr(system, name))
    )
    say(f"{case}: valid ({counts or 'nothing in it yet'})")


def _is_sweep(path: Path) -> bool:
    """Whether a file is a sweep, by its key `ropewalk_sweep`; what cannot be read is left to the reader of cases."""
    from ropewalk.io.yaml import load_file

    try:
        return "ropewalk_sweep" in load_file(path).data
    except InputError:
        return False
