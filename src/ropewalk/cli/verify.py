"""`ropewalk verify`: a case solved by every method that supports it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ropewalk.cli.compiling import tell_first_use
from ropewalk.cli.tables import JsonOption, print_json, print_table, say

HEADS = ("method", "status", "position (m)", "force (N)", "attitude (deg)", "time (s)")


def verify_command(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    run: Annotated[bool, typer.Option("--run", help="Compare time-domain solvers instead of statics.")] = False,
    tolerance: Annotated[
        float | None,
        typer.Option(help="Largest relative difference of end forces and positions; default: 1e-3, for runs 5e-2."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare all methods that support a case. Exit 1 if they differ by more than the tolerance."""
    from ropewalk.analysis.verify import TOLERANCE, verify
    from ropewalk.analysis.verify_run import RUN_TOLERANCE, verify_run
    from ropewalk.errors import InputError
    from ropewalk.spec.system import System

    if tolerance is not None and not tolerance > 0.0:
        raise InputError(f"--tolerance {tolerance:g}: it must be positive")
    tell_first_use()
    system = System.from_file(case)
    result = verify_run(system, tolerance or RUN_TOLERANCE) if run else verify(system, tolerance or TOLERANCE)
    for doubt in result["doubts"]:
        of = f" ({', '.join(doubt['solvers' if run else 'methods'])})"
        say(f"doubt {doubt['code']}{of}: {doubt['sentence']}", err=True)
    if as_json:
        print_json(result)
    elif run:
        _print_runs(result)
    else:
        _print_statics(result)
    if not result["agree"]:
        raise typer.Exit(1)


def _status(row: dict[str, Any]) -> str:
    if row["rejected"]:
        return "rejected"
    if row["status"] != "done":
        return "refused" if row.get("refused") else "failed"
    return {True: "done", False: "differs", None: "not compared"}[row["agrees"]]


def _print_statics(result: dict[str, Any]) -> None:
    rows = [
        (
            m["method"],
            _status(m),
            _number(m["position_difference"]),
            _number(m["force_difference"]),
            _number(m["attitude_difference"]),
            _number(m["time"]),
        )
        for m in result["methods"]
    ]
    title = f"differences from '{result['reference']}'"
    print_table(title, HEADS, rows, text=(1,))
    _print_sentences(result)
    apart = [m["force_difference"] for m in result["methods"] if m["force_difference"] is not None]
    if len(apart) == 1:
        say("only one method gave a result; there is nothing to compare it with")
    elif apart and result["largest_force"] > 0.0:
        share = 100.0 * max(apart) / result["largest_force"]
        say(f"forces agree to {max(apart):.2g} N, {share:.3g} % of the largest")


def _print_runs(result: dict[str, Any]) -> None:
    rows = [
        (
            m["method"],
            _status(m),
            _number(m["tension_difference"]),
            _number(m["position_difference"]),
            _number(m["attitude_difference"]),
            _number(m["energy_difference"]),
            _number(m["time"]),
        )
        for m in result["methods"]
    ]
    columns = ("solver", "status", "forces (rms, relative)", "position (m)", "attitude (deg)", "energy (relative)",
               "time (s)")  # fmt: skip
    print_table(f"differences from '{result['reference']}' over the run", columns, rows, text=(1,))
    _print_sentences(result)
    if not result["compared"]:
        say("fewer than two solvers gave a result; there is nothing to compare")


def _print_sentences(result: dict[str, Any]) -> None:
    for m in result["methods"]:
        text = m["message"] if m["status"] == "done" else m["status"]
        if text:
            say(f"{m['method']}: {text}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
