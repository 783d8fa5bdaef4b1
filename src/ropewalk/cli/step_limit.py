"""`ropewalk step-limit`: longest stable time step of a solver."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.cli.tables import JsonOption, print_answer_doubts, print_json, print_table


def step_limit_command(
    case: Annotated[Path, typer.Argument(help="A case file; it must come to rest, so it needs damping or drag.")],
    solver: Annotated[
        str | None, typer.Option(help="Bar solver; default: that of the case, or the first that supports it.")
    ] = None,
    step: Annotated[float | None, typer.Option(min=0.0, help="First step tried, s.")] = None,
    kick: Annotated[
        float | None, typer.Option(help="Lateral velocity at the start, m/s; default: 0.1 from equilibrium.")
    ] = None,
    longest: Annotated[
        float, typer.Option(min=0.0, help="Simulated time within which it must come to rest, s.")
    ] = 600.0,
    still: Annotated[float, typer.Option(min=0.0, help="Speed below which a node is at rest, m/s.")] = 1e-3,
    as_json: JsonOption = False,
) -> None:
    """Find the longest stable time step of a solver.

    It is the longest step with which the case still comes to rest, found by bisection.
    """
    from ropewalk.analysis.case_doubts import case_doubts
    from ropewalk.analysis.step_limit import case_step_limit
    from ropewalk.spec.system import System

    system = System.from_file(case)
    found, used = case_step_limit(system, solver, step=step, kick=kick, longest=longest, still=still)
    doubts = case_doubts(system, "run")
    print_answer_doubts(doubts)
    if as_json:
        print_json({"solver": used.name, "step_limit": found.step, "unstable": found.unstable,
                    "settling_time": found.settling_time, "runs": found.runs,
                    "doubts": [doubt.as_dict() for doubt in doubts]})  # fmt: skip
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
