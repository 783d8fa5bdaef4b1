"""`ropewalk static`: equilibrium of a case."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ropewalk.cli.compiling import tell_first_use
from ropewalk.cli.outputs import result_file
from ropewalk.cli.tables import (
    JsonOption,
    counted,
    metres,
    newtons,
    plain,
    print_answer_doubts,
    print_json,
    print_table,
    say,
)

if TYPE_CHECKING:
    from ropewalk.analysis.equilibria import FoundEquilibrium
    from ropewalk.analysis.statics import Equilibrium

NET_COLUMNS = ("net", "drag (N)", "largest tension (N)", "mouth (m2)", "mouth width (m)", "across the flow (m2)",
               "volume (m3)", "of the given volume")  # fmt: skip


def static_command(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    method: Annotated[
        str | None,
        typer.Option(help="Solver; the file's, or chosen by the program. One of bars runs until nothing moves."),
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the result to a NetCDF file.")] = None,
    guess: Annotated[Path | None, typer.Option(help="Start from the last moment of this result file.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Search for all equilibria, stable or not, with stability and energy.")
    ] = False,
    lobes: Annotated[int, typer.Option(help="With --all: bends of a line tried, up to this number.")] = 4,
    starts: Annotated[int, typer.Option(help="With --all: random starts.")] = 12,
    as_json: JsonOption = False,
) -> None:
    """Find the equilibrium: ends, tensions, angles, residuals."""
    from ropewalk.analysis.statics import statics
    from ropewalk.spec.system import System

    if every:
        _all(case, lobes, starts, as_json, {"--method": method, "--out": out, "--guess": guess})
        return
    kept = None if out is None else result_file(out)
    tell_first_use()
    system = System.from_file(case)
    equilibrium = statics(system, method, guess=guess)
    if kept is not None:
        from ropewalk.io.netcdf import write

        write(equilibrium.to_dataset(), kept)
    print_answer_doubts(equilibrium.doubts)
    if as_json:
        print_json(equilibrium.summary)
    else:
        print_equilibrium(equilibrium)


def _all(case: Path, lobes: int, starts: int, as_json: bool, others: dict[str, Any]) -> None:
    """Every equilibrium that a search finds, one a row.  others : options that do not go with it, None if not given"""
    from ropewalk.analysis.equilibria import equilibria
    from ropewalk.errors import InputError
    from ropewalk.spec.system import System

    for name, value in others.items():
        if value is not None:
            raise InputError(f"{name} does not go with --all, which searches by shooting; leave one of them out")
    tell_first_use()
    found = equilibria(System.from_file(case), lobes=lobes, starts=starts)
    if as_json:
        print_json(found.as_dict())
        return
    rows = [(str(k + 1), one.label, _verdict(one), _joules(one.energy), _largest(one)) for k, one in enumerate(found)]
    columns = ("", "equilibrium", "stability", "energy (J)", "largest tension (N)")
    print_table(found.system.title or "equilibria", columns, rows)
    say(f"{_many(len(found))} from {counted(found.starts, 'starts')}; there may be more")


def _many(number: int) -> str:
    return f"{number} {'equilibrium' if number == 1 else 'equilibria'}"


def _verdict(one: FoundEquilibrium) -> str:
    return "unknown" if one.spectrum is None else one.spectrum.sentence


def _joules(energy: float | None) -> str:
    return "-" if energy is None else newtons(energy)


def _largest(one: FoundEquilibrium) -> str:
    lines = one.equilibrium.summary["lines"].values()
    return newtons(max((line["max_tension"] for line in lines), default=0.0))


def print_equilibrium(equilibrium: Equilibrium) -> None:
    """Tables of lines, free points and bodies, and how good the answer is."""
    summary = equilibrium.summary
    if summary["lines"]:
        rows = [row for name, line in summary["lines"].items() for row in _line_rows(name, line)]
        columns = ("line", "end", "position (m)", "tension (N)", "declination (deg)", "grounded (m)")
        print_table(equilibrium.system.title or "equilibrium", columns, rows)
    over = [(name, peg) for name, line in summary["lines"].items() for peg in line.get("over", ())]
    if over:
        rows = [(n, p["name"], f"{p['s']:.3f}", newtons(p["tension"]), metres(p["force"])) for n, p in over]
        print_table("lines over points", ("line", "over", "s (m)", "tension (N)", "force on it (N)"), rows)
    loose = {n: p for n, p in summary["points"].items() if equilibrium.system.points[n].joint != "fixed"}
    if loose:
        rows = [(n, metres(p["position"]), metres(p["force"])) for n, p in loose.items()]
        print_table("points", ("point", "position (m)", "force on what holds it (N)"), rows)
    if summary["bodies"]:
        rows = [(n, metres(b["position"]), metres(b["attitude"])) for n, b in summary["bodies"].items()]
        print_table("bodies", ("body", "position (m)", "roll, pitch, yaw (deg)"), rows)
        _print_floating(equilibrium)
    if summary.get("links"):
        rows = [(name, metres(link["force"])) for name, link in summary["links"].items()]
        print_table("links", ("link", "force on its second end (N)"), rows)
    if summary.get("nets"):
        print_table("nets", NET_COLUMNS, [_net_row(name, net) for name, net in summary["nets"].items()])
    report = equilibrium.report
    say(
        f"{report.status.value}: method {equilibrium.method}, {counted(report.iterations, 'iterations')}; "
        f"residual force {report.residual_force:.2g} N, closure error {report.residual_position:.2g} m"
    )
    if "settling" in summary:
        _print_settling(summary["settling"])
    if report.message:
        say(report.message)
    say(audit_line(equilibrium))


def audit_line(equilibrium: Equilibrium) -> str:
    """One line on what the audit found."""
    checked = equilibrium.audit
    parts = []
    for kind, what in (("force", "force"), ("length", "length"), ("position", "position"), ("bed", "bed")):
        worst = checked.largest(kind)
        if worst is not None:
            parts.append(f"{what} error {worst.value:.2g} {'N' if kind == 'force' else 'm'} (limit {worst.limit:.2g})")
    text = f"audit passed: {', '.join(parts)}" if parts else "audit passed"
    return text + "".join(f"; method '{method}' was rejected" for method, _ in checked.rejected)


def _print_settling(settling: dict[str, Any]) -> None:
    """How an equilibrium was found in time."""
    say(
        f"came to rest in time by {settling['by']}: still from {settling['rest_after']:.2f} s on, in balance at "
        f"{settling['time']:.2f} s after {settling['steps']} steps; loads ramped over {settling['ramp']:.2f} s, "
        f"damping {settling['damping']:.3g} 1/s"
    )


def _print_floating(equilibrium: Equilibrium) -> None:
    """Hydrostatic stiffness and metacentric heights of what floats, and whether it stays where it is."""
    rows = []
    for name, body in equilibrium.summary["bodies"].items():
        heights = body.get("metacentric_heights")
        if heights is not None:
            own = [body["hydrostatic_stiffness"][i][i] for i in (2, 3, 4)]
            rows.append((name, *(newtons(value) for value in own), *(f"{height:.3f}" for height in heights)))
    if rows:
        columns = ("body", "heave (N/m)", "roll (N m/rad)", "pitch (N m/rad)", "GM across (m)", "GM along (m)")
        print_table("hydrostatics of hulls, without lines", columns, rows)
    if equilibrium.stability is not None:
        say(equilibrium.stability.sentence)


def _line_rows(name: str, line: dict[str, Any]) -> list[tuple[str, ...]]:
    grounded = f"{line['grounded_length']:.3f}"
    return [
        (
            name if end == "A" else "",
            end,
            metres(line[key]["position"]),
            newtons(line[key]["tension"]),
            plain(line[key]["declination"]),
            grounded if end == "A" else "",
        )
        for end, key in (("A", "end_a"), ("B", "end_b"))
    ]


def _net_row(name: str, net: dict[str, Any]) -> tuple[str, ...]:
    closed = net["volume"] is not None
    return (
        name,
        newtons(net["drag"]),
        newtons(net["max_tension"]),
        f"{net['mouth_area']:.3f}",
        f"{net['mouth_width']:.3f}",
        f"{net['projected_area']:.3f}",
        f"{net['volume']:.2f}" if closed else "-",
        f"{100.0 * net['volume_fraction']:.1f} %" if closed else "-",
    )
