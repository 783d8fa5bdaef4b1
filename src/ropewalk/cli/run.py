"""`ropewalk run`: statics, then time domain."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ropewalk.cli.tables import JsonOption, print_json, print_table
from ropewalk.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

ROUND_OFF = 1e-12  # of the largest energy held: changes below it are arithmetic


def run_command(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Result file; CASE.nc unless given.")] = None,
    duration: Annotated[float | None, typer.Option(help="Simulated time, s; the file's unless given.")] = None,
    solver: Annotated[str | None, typer.Option(help="Solver; the file's unless given.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint of a stopped run.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the equilibrium, then simulate; the result is written as it is computed."""
    from ropewalk.analysis.run import simulate
    from ropewalk.spec.system import System

    system = System.from_file(case)
    target = out or case.with_suffix(".nc")
    if target == case:
        raise InputError(f"{case}: the result would overwrite the case; name another file with -o")
    dataset = simulate(system, duration, solver=solver, output=target, resume=resume)
    if as_json:
        print_json(run_summary(dataset, target))
        return
    print_events(dataset)
    typer.echo(f"{target}: {dataset.sizes['time']} records, the last at t = {float(dataset['time'][-1]):g} s")
    balance = energy_balance(dataset)
    if balance is not None:
        typer.echo("energy: {:.4g} J turned over, balanced to {:.2g} J ({:.1e})".format(*balance))
    drift = length_drift(dataset)
    if drift is not None:
        typer.echo(f"lengths: kept to {drift:.1e} of an element's")
    for line in parted(dataset):
        typer.echo(line)


def print_events(dataset: xr.Dataset) -> None:
    """A table of what happened on the way; nothing if nothing did."""
    from ropewalk.post.events import events

    rows = [(f"{event.time:g}", event.kind, event.part, event.text) for event in events(dataset)]
    if rows:
        print_table("events", ("from t (s)", "kind", "part", "what happened"), rows)


def length_drift(dataset: xr.Dataset) -> float | None:
    """How far the lengths of elements or bars are from what their tension makes them, of themselves; None untold."""
    from ropewalk.post.drift import constraint_drift

    told = dataset.attrs.get("constraint_drift")
    return constraint_drift(dataset) if told is None else float(told)


def parted(dataset: xr.Dataset) -> list[str]:
    """A sentence for every line that parted."""
    return [text for text in dataset.attrs.get("parted", "").split("; ") if text]


def run_summary(dataset: xr.Dataset, target: Path) -> dict[str, Any]:
    """Plain data: what `ropewalk run --json` prints."""
    from ropewalk.post.events import events

    balance = energy_balance(dataset)
    return {
        "file": str(target),
        "records": int(dataset.sizes["time"]),
        "time": float(dataset["time"][-1]),
        "energy": None if balance is None else dict(zip(("turned_over", "missed", "share"), balance, strict=True)),
        "constraint_drift": length_drift(dataset),
        "parted": parted(dataset),
        "events": [event._asdict() for event in events(dataset)],
    }


def energy_balance(dataset: xr.Dataset) -> tuple[float, float, float] | None:
    """Energy turned over (J), what the ledger misses of it (J), and their ratio; None without a ledger.

    Turned over is half the sum of all changes of the terms: what one term loses another gains.
    """
    if "energy" not in dataset or "closure" not in dataset["term"].values:
        return None
    energy = dataset["energy"]
    terms = energy.sel(term=[name for name in dataset["term"].values if name != "closure"]).values
    turned = 0.5 * float(abs(terms[-1] - terms[0]).sum())
    missing = abs(float(energy.sel(term="closure").values[-1]))
    is_still = turned <= ROUND_OFF * float(abs(terms).max(initial=0.0))  # nothing moved: a share of it says nothing
    return turned, missing, 0.0 if is_still else missing / turned
