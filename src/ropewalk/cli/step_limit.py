"""`ropewalk step-limit`: how long a step a solver can take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.cli.tables import JsonOption, print_json, print_table


def step_limit_command(
    case: Annotated[Path, typer.Argument(help="A case file; it must come to rest, so it needs damping or drag.")],
    solver: Annotated[
        str | None, typer.Option(help="A solver of bars; the file's, or the first that claims the case.")
    ] = None,
    step: Annotated[float | None, typer.Option(min=0.0, help="First step tried, s.")] = None,
    kick: Annotated[
        float | None, typer.Option(help="Sideways velocity at the start, m/s; 0.1 from equilibrium.")
    ] = None,
    longest: Annotated[float, typer.Option(min=0.0, help="Simulated time in which it must come to rest, s.")] = 600.0,
    still: Annotated[float, typer.Option(min=0.0, help="Speed below which a node is at rest, m/s.")] = 1e-3,
    as_json: JsonOption = False,
) -> None:
    """Find the longest stable step of a case. It is the longest with which the case comes to rest, by bisection."""
    from ropewalk.analysis.step_limit import case_step_limit
    from ropewalk.spec.system import System

    system = System.from_file(case)
    found, used = case_step_limit(system, solver, step=step, kick=kick, longest=longest, still=still)
    if as_json:
        print_json({"solver": used.name, "step_limit": found.step, "unstable": found.unstable,
                    "settling_time": found.settling_time, "runs": found.runs})  # fmt: skip
        return
    columns = ("solver", "longest stable step (ms)", "unstable (ms)", "comes to rest after (s)", "runs")
    row = (
        used.name,
        f"{1e3 * found.step:.4g}",
        f"{1e3 * found.unstable:.4g}",
        f"{found.settling_time:.3f}",
        str(found.runs),
    )
    print_table(system.title or "step limit", columns, [row])
