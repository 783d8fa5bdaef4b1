"""`ropewalk sweep`: many load cases, on this machine or on a cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ropewalk.cli.compiling import tell_first_use
from ropewalk.cli.outputs import result_file
from ropewalk.cli.tables import (
    Forces,
    JsonOption,
    counted,
    print_answer_doubts,
    print_json,
    print_result_doubts,
    print_table,
    say,
)
from ropewalk.errors import ConvergenceError, InputError

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.sweep.expand import Plan

MOST_LISTED = 200  # cases of a dry run
MOST_REASONS = 5  # failures printed on the terminal; the file has all


def sweep_command(
    sweep: Annotated[Path, typer.Argument(help="A sweep file.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Result file; default: SWEEP.nc.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Cases run in parallel; default: number of cores.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Dask cluster to run on: tcp://HOST:PORT or tls://...")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Compute only the cases a stopped sweep left undone.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the cases and estimate time and disk space.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run many load cases. Factors of the sweep file change keys of a base case; the result is one file over all cases.

    Every case is checked before the first one runs. A failed case is kept as a row that gives the reason.
    """
    from ropewalk.sweep import run

    target = result_file(out) if out is not None else sweep.with_suffix(".nc")
    if dry_run:
        _dry_run(_plan(sweep, target), as_json)
        return
    with run.early_crew(jobs, scheduler) as crew:
        plan = _plan(sweep, target)
        tell_first_use()
        say(f"{counted(len(plan), 'cases')} of {plan.sweep.do}", err=True)
        results = run.run_plan(plan, output=target, scheduler=scheduler, crew=crew, resume=resume, tell=_tell)
    failed = int((results["status"].values != "done").sum())
    print_result_doubts(results)
    if as_json:
        doubts = json.loads(results.attrs["doubts"])
        counts = {"cases": len(plan), "done": len(plan) - failed, "failed": failed}
        print_json({**counts, "file": str(target), "doubts": doubts})
    else:
        _print_results(results, plan, target, failed)
    if failed == len(plan):
        raise ConvergenceError(f"all {len(plan)} cases failed; the first: {results['reason'].values[0]}")


def _plan(sweep: Path, target: Path) -> Plan:
    """The cases of a sweep file, if its result has a file of its own."""
    from ropewalk.sweep.run import make_plan

    plan = make_plan(sweep, None, {})
    if target.absolute() in (sweep.absolute(), (sweep.parent / plan.sweep.base).absolute()):
        raise InputError(f"{target}: the result would overwrite its input; name another file with -o")
    return plan


def _tell(sentence: str) -> None:
    say(sentence, err=True)


def _dry_run(plan: Plan, as_json: bool) -> None:
    from ropewalk.numerics.cores import cores
    from ropewalk.sweep.estimate import estimate
    from ropewalk.sweep.progress import duration, size

    found = estimate(plan)
    print_answer_doubts(found.doubts)
    if as_json:
        cases = [{plan.names[key]: value for key, value in plan.changes(case).items()} for case in range(len(plan))]
        told = [doubt.as_dict() for doubt in found.doubts]
        print_json({"cases": len(plan), "seconds": found.seconds, "bytes": found.bytes, "list": cases, "doubts": told})
        return
    names = [plan.names[key] for key in plan.keys]
    rows = [(str(case), *map(_level, plan.changes(case).values())) for case in range(min(len(plan), MOST_LISTED))]
    print_table(f"{counted(len(plan), 'cases')} of {plan.sweep.do}", ("case", *names), rows)
    if len(plan) > MOST_LISTED:
        say(f"and {len(plan) - MOST_LISTED} more")
    if found.failed:
        say(f"no estimate of the time: case 0 {found.failed}")
    else:
        say(f"about {duration(found.seconds / cores())} on {counted(cores(), 'cores')}; {size(found.bytes)} on disk")


def _print_results(results: xr.Dataset, plan: Plan, target: Path, failed: int) -> None:
    """Largest tension of every line over all cases, and what failed."""
    name = "end_tension_max" if "end_tension_max" in results else "end_tension" if "end_tension" in results else ""
    if name and failed < len(plan):
        force = Forces([float(results[name].max())])
        rows = [_worst(results[name].sel(line=line).max("end"), plan, force) for line in results["line"].values]
        columns = ("line", f"largest tension ({force.unit})", "case", "where")
        print_table(results.attrs["title"] or "over all cases", columns, rows, text=(3,))
    for case in [int(k) for k in results["case"].values if results["status"].values[k] != "done"][:MOST_REASONS]:
        say(f"case {case} {results['status'].values[case]}: {results['reason'].values[case]}")
    if failed > MOST_REASONS:
        say(f"and {failed - MOST_REASONS} more failures; the reasons are in the file")
    say(f"{target}: {counted(len(plan), 'cases')}, {len(plan) - failed} done, {failed} failed")


def _level(value: object) -> str:
    """A level of a factor in a table; that of no broken line is empty."""
    return "none" if value == "" else str(value)


def _worst(by_case: xr.DataArray, plan: Plan, force: Forces) -> tuple[str, ...]:
    """The row of a line: its largest tension and the case in which it occurs."""
    line = str(by_case["line"].values)
    if bool(by_case.isnull().all()):
        return line, "-", "-", "-"
    case = int(by_case.argmax("case"))
    where = ", ".join(f"{plan.names[key]} {_level(value)}" for key, value in plan.changes(case).items())
    return line, force(float(by_case[case])), str(case), where
