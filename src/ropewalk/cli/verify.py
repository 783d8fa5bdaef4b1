"""`ropewalk verify`: the same case by every method that claims it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.cli.compiling import tell_first_use
from ropewalk.cli.tables import JsonOption, print_json, print_table, say


def verify_command(case: Annotated[Path, typer.Argument(help="A case file.")], as_json: JsonOption = False) -> None:
    """Compare all methods that claim a case. Solves its statics by each of them, and says how far they differ."""
    from ropewalk.analysis.verify import verify
    from ropewalk.spec.system import System

    tell_first_use()
    result = verify(System.from_file(case))
    if as_json:
        print_json(result)
        return
    rows = [
        (
            m["method"],
            "done" if m["status"] == "done" else "failed",
            _number(m["position_difference"]),
            _number(m["force_difference"]),
            _number(m["time"]),
        )
        for m in result["methods"]
    ]
    title = f"differences from '{result['reference']}'"
    print_table(title, ("method", "status", "position (m)", "end force (N)", "time (s)"), rows)
    for m in result["methods"]:
        said = m["message"] if m["status"] == "done" else m["status"]
        if said:
            say(f"{m['method']}: {said}")
    apart = [m["force_difference"] for m in result["methods"] if m["force_difference"] is not None]
    if len(apart) == 1:
        say("only one method has answered; there is nothing to compare it with")
    elif apart and result["largest_force"] > 0.0:
        share = 100.0 * max(apart) / result["largest_force"]
        say(f"end forces agree to {max(apart):.2g} N, {share:.3g} % of the largest")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
