"""`ropewalk verify`: the same case by every method that claims it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.cli.tables import JsonOption, print_json, print_table


def verify_command(case: Annotated[Path, typer.Argument(help="A case file.")], as_json: JsonOption = False) -> None:
    """Solve the statics of a case by every method that claims it, and say how far they differ."""
    from ropewalk.analysis.verify import verify
    from ropewalk.spec.system import System

    result = verify(System.from_file(case))
    if as_json:
        print_json(result)
        return
    rows = [
        (
            m["method"],
            m["status"],
            _number(m["position_difference"]),
            _number(m["force_difference"]),
            _number(m["time"]),
        )
        for m in result["methods"]
    ]
    title = f"differences from '{result['reference']}'"
    print_table(title, ("method", "status", "position (m)", "end force (N)", "time (s)"), rows)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
