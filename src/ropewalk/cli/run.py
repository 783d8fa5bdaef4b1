"""`ropewalk run`: statics, then time domain."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ropewalk.cli.compiling import compile_for_run
from ropewalk.cli.outputs import result_file
from ropewalk.cli.tables import Forces, JsonOption, plain, print_json, print_result_doubts, print_table, say
from ropewalk.errors import InputError

if TYPE_CHECKING:
    from ropewalk.results.record import Recorded

SHOWN = ("mean", "std", "min", "max")  # of the statistics
AT = "max at t (s)"
SMALL = 1e-6  # of the energy exchanged: impacts below it are not printed
NAMES = {"offset": "offset from start (m)", "cone_angle": "tilt (deg)", "freeboard": "freeboard (m)"}


def run_command(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Result file; default: CASE.nc.")] = None,
    duration: Annotated[float | None, typer.Option(help="Simulated time, s; default: that of the case.")] = None,
    solver: Annotated[str | None, typer.Option(help="Solver; default: that of the case.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a stopped run from its last checkpoint.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the equilibrium, then simulate. The result is written as it is computed."""
    from ropewalk.analysis.run import simulated
    from ropewalk.spec.system import System

    kept = None if out is None else result_file(out)
    system = System.from_file(case)
    target = kept or case.with_suffix(".nc")
    if target == case:
        raise InputError(f"{case}: the result would overwrite the case; name another file with -o")
    compile_for_run(system, solver)
    results = simulated(system, duration, solver, target, resume)
    print_result_doubts(results)
    if as_json:
        print_json(run_summary(results, target))
        return
    print_histories(results)
    print_events(results)
    say(f"{target}: {results.sizes['time']} records, the last at t = {last_time(results):g} s")
    print_balance(results)
    drift = length_drift(results)
    if drift is not None:
        say(f"constraint drift {drift:.1e} (relative)")
    for line in parted(results):
        say(line)
    if "start" in results.attrs:
        say(f"start: {results.attrs['start']}")


def last_time(results: Recorded) -> float:
    """Time of the last record, s."""
    return float(results.variables["time"].values[-1])


def print_histories(results: Recorded) -> None:
    """Statistics of the tension at the ends of lines, the force of the water on nets and the motions of bodies."""
    from ropewalk.post.overview import overview

    found = overview(results)
    after = f"from t = {found['start']:g} s" if found["start"] > 0.0 else "over the run"
    title = results.attrs.get("title") or "run"
    ends = {(name, end): numbers for name, line in found["lines"].items() for end, numbers in line.items()}
    if ends:
        force = Forces(numbers["max"] for numbers in ends.values())
        rows = [
            (name if end == "A" else "", end, *_statistics(numbers, force)) for (name, end), numbers in ends.items()
        ]
        print_table(f"{title}: end tensions ({force.unit}) {after}", ("line", "end", *SHOWN, AT), rows, keys=2)
    if found["nets"]:
        force = Forces(numbers["max"] for numbers in found["nets"].values())
        rows = [(name, *_statistics(numbers, force)) for name, numbers in found["nets"].items()]
        print_table(f"force of the water on nets ({force.unit}) {after}", ("net", *SHOWN, AT), rows)
    rows = [
        (
            name,
            NAMES[what],
            *_statistics(numbers, plain),
        )
        for name, motions in found["bodies"].items()
        for what, numbers in motions.items()
    ]
    if rows:
        print_table(f"bodies {after}", ("body", "quantity", *SHOWN, AT), rows, keys=2)


def _statistics(numbers: dict[str, float], form: Callable[[float], str]) -> tuple[str, ...]:
    return (*(form(numbers[word]) for word in SHOWN), f"{numbers['time_of_max']:.6g}")


def print_events(results: Recorded) -> None:
    """A table of what happened on the way; nothing if nothing did."""
    from ropewalk.post.events import events

    rows = [(f"{event.time:g}", event.kind, event.part, event.text) for event in events(results)]
    if rows:
        print_table("events", ("from t (s)", "kind", "part", "what happened"), rows, text=(1, 2, 3))


def print_balance(results: Recorded) -> None:
    """What the time stepping lost and how well the energy ledger closes; nothing without one."""
    balance = energy_balance(results)
    if balance is None:
        return
    missed, lost = balance.get("missed"), balance.get("numerics")
    share, lost_share = balance.get("share"), balance.get("numerics_share")
    if share is None and lost_share is None:
        say("energy: nothing moved" + ("" if missed is None else f"; ledger closes to {missed:.2g} J"))
        return
    parts = [f"{balance['turned_over']:.4g} J exchanged"]
    if lost is not None:
        kind = "dissipation" if lost >= 0.0 else "gain"
        parts.append(f"numerical {kind} {abs(lost):.2g} J ({lost_share:.1e})")
    blows = balance.get("impact") or 0.0
    if abs(blows) > SMALL * float(balance["turned_over"] or 0.0):
        parts.append(f"impacts {blows:.2g} J")
    if missed is not None:
        parts.append(f"ledger closes to {missed:.2g} J ({share:.1e})")
    say(f"energy: {', '.join(parts)}")


def length_drift(results: Recorded) -> float | None:
    """How far the lengths of elements or bars are from what their tension makes them, of themselves; None untold."""
    from ropewalk.post.drift import constraint_drift

    told = results.attrs.get("constraint_drift")
    return constraint_drift(results) if told is None else float(told)


def parted(results: Recorded) -> list[str]:
    """A sentence for every line that parted."""
    return [text for text in results.attrs.get("parted", "").split("; ") if text]


def run_summary(results: Recorded, target: Path) -> dict[str, Any]:
    """Plain data: what `ropewalk run --json` prints."""
    from ropewalk.post.events import events
    from ropewalk.post.overview import overview

    figures = overview(results)
    return {
        "file": str(target),
        "statistics_start": figures.pop("start"),
        **figures,
        "records": int(results.sizes["time"]),
        "time": last_time(results),
        "energy": energy_balance(results),
        "constraint_drift": length_drift(results),
        "parted": parted(results),
        "start": results.attrs.get("start", ""),
        "doubts": json.loads(results.attrs.get("doubts", "[]")),
        "events": [event._asdict() for event in events(results)],
    }


def energy_balance(results: Recorded) -> dict[str, float | None] | None:
    """Energy turned over (J), what the ledger misses of it (J), and their ratio `share`; None without a ledger.

    Turned over is what the audit counts as exchanged. Where nothing moved there is no ratio. With a ledger of
    losses, which of bars has no closure, also what the time stepping lost (`numerics`, J; below zero if it gained) and
    its size over the energy turned over (`numerics_share`), and what lines lost that came taut (`impact`, J). All but
    the last are those of the record where they are largest.
    """
    from ropewalk.analysis.audit_run import KINDS, exchanged, has_moved

    if "energy" not in results.variables:
        return None
    energy, names = results.variables["energy"].values.T, results.variables["term"].values.tolist()
    if KINDS.keys().isdisjoint(names):
        return None
    terms = dict(zip(names, energy, strict=True))
    turned, held, lost, missing = exchanged({name: float(values[0]) for name, values in terms.items()}, names, energy)
    moved = has_moved(turned, held)
    balance: dict[str, float | None] = {"turned_over": turned}
    if "closure" in terms:
        balance |= {"missed": missing, "share": missing / turned if moved else None}
    if "loss_numerics" in terms:
        balance |= {"numerics": lost, "numerics_share": abs(lost) / turned if moved else None}
    if "loss_impact" in terms:
        balance["impact"] = float(terms["loss_impact"][-1])
    return balance
