"""`ropewalk static`: equilibrium of a case."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ropewalk.cli.compiling import compile_for_statics, tell_first_use
from ropewalk.cli.outputs import result_file
from ropewalk.cli.tables import (
    Forces,
    JsonOption,
    counted,
    newtons,
    plain,
    print_answer_doubts,
    print_json,
    print_table,
    say,
    small,
)

if TYPE_CHECKING:
    from ropewalk.analysis.equilibria import FoundEquilibrium
    from ropewalk.analysis.statics import Equilibrium

ENDS = (("A", "end_a"), ("B", "end_b"))
LEAST_FORCE, LEAST_LENGTH = 1e-6, 1e-9  # N, m: smaller errors are round-off and printed as such


def static_command(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    method: Annotated[
        str | None,
        typer.Option(
            help="Method; default: that of the case, or automatic. A bar solver integrates in time until at rest."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the result to a NetCDF file.")] = None,
    guess: Annotated[Path | None, typer.Option(help="Start from the last record of this result file.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Search for all equilibria, stable or not, with stability and energy.")
    ] = False,
    lobes: Annotated[int, typer.Option(help="With --all: largest number of lobes tried per line.")] = 4,
    starts: Annotated[int, typer.Option(help="With --all: number of random starts.")] = 12,
    as_json: JsonOption = False,
) -> None:
    """Find the equilibrium: ends, tensions, angles, residuals."""
    from ropewalk.analysis.statics import statics
    from ropewalk.spec.system import System

    if every:
        _all(case, lobes, starts, as_json, {"--method": method, "--out": out, "--guess": guess})
        return
    kept = None if out is None else result_file(out)
    system = System.from_file(case)
    compile_for_statics(system, method)
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
            raise InputError(f"{name} cannot be combined with --all, which searches by shooting; leave one of them out")
    tell_first_use()
    found = equilibria(System.from_file(case), lobes=lobes, starts=starts)
    print_answer_doubts(found.doubts)
    if as_json:
        print_json(found.as_dict())
        return
    rows = [(str(k + 1), one.label, _verdict(one), _joules(one.energy), _largest(one)) for k, one in enumerate(found)]
    columns = ("", "equilibrium", "stability", "energy (J)", "largest tension (N)")
    print_table(found.system.title or "equilibria", columns, rows, text=(1, 2))
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
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    if summary["lines"]:
        _print_lines(equilibrium)
    loose = {n: p for n, p in summary["points"].items() if equilibrium.system.points[n].joint != "fixed"}
    if loose:
        force = Forces(f for p in loose.values() for f in p["force"])
        rows = [(n, *map(plain, p["position"]), *map(force, p["force"])) for n, p in loose.items()]
        unit = force.unit
        columns = ("point", "x (m)", "y (m)", "z (m)", f"Fx ({unit})", f"Fy ({unit})", f"Fz ({unit})")
        print_table("points, with the force on their supports", columns, rows)
    if summary["bodies"]:
        rows = [(n, *map(plain, (*b["position"], *b["attitude"]))) for n, b in summary["bodies"].items()]
        columns = ("body", "x (m)", "y (m)", "z (m)", "roll (deg)", "pitch (deg)", "yaw (deg)")
        print_table("bodies", columns, rows)
        _print_floating(equilibrium)
    if summary.get("links"):
        force = Forces(f for link in summary["links"].values() for f in link["force"])
        rows = [(name, *map(force, link["force"])) for name, link in summary["links"].items()]
        columns = ("link", f"Fx ({force.unit})", f"Fy ({force.unit})", f"Fz ({force.unit})")
        print_table("links, with the force on their second end", columns, rows)
    if summary.get("nets"):
        _print_nets(summary["nets"])
    report = equilibrium.report
    say(
        f"{report.status.value}: method {equilibrium.method}, {counted(report.iterations, 'iterations')}; "
        f""
        f"residual force {small(report.residual_force, 'N', LEAST_FORCE)}, "
        f"closure error {small(report.residual_position, 'm', LEAST_LENGTH)}"
    )
    if "settling" in summary:
        _print_settling(summary["settling"])
    if report.message:
        say(report.message)
    say(audit_line(equilibrium))


def _print_lines(equilibrium: Equilibrium) -> None:
    """Ends of lines, and what lines run over."""
    lines = equilibrium.summary["lines"]
    force = Forces(line[key]["tension"] for line in lines.values() for _, key in ENDS)
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]] = [
        (
            name if end == "A" else "",
            end,
            *map(plain, line[key]["position"]),
            force(line[key]["tension"]),
            f"{round(line[key]['declination'], 2) + 0.0:.2f}",
            f"{line['grounded_length']:.2f}" if end == "A" else "",
        )
        for name, line in lines.items()
        for end, key in ENDS
    ]
    columns = (
        "line", "end", "x (m)", "y (m)", "z (m)", f"tension ({force.unit})", "declination (deg)", "grounded (m)"
    )  # fmt: skip
    print_table(equilibrium.system.title or "equilibrium", columns, rows, keys=2)
    over = [(name, peg) for name, line in lines.items() for peg in line.get("over", ())]
    if over:
        rows = [(n, p["name"], f"{p['s']:.3f}", force(p["tension"]), *map(force, p["force"])) for n, p in over]
        unit = force.unit
        columns = ("line", "over", "s (m)", f"tension ({unit})", f"Fx ({unit})", f"Fy ({unit})", f"Fz ({unit})")
        print_table("lines over points, with the force on the point", columns, rows, keys=2)


def _print_nets(nets: dict[str, Any]) -> None:
    """Drag, tension, openings and volume of nets."""
    drag = Forces(net["drag"] for net in nets.values())
    tension = Forces(net["max_tension"] for net in nets.values())
    rows = [
        (
            name,
            drag(net["drag"]),
            tension(net["max_tension"]),
            f"{net['mouth_area']:.2f}",
            f"{net['mouth_width']:.2f}",
            f"{net['projected_area']:.2f}",
            *((f"{net['volume']:.1f}", f"{100.0 * net['volume_fraction']:.1f}") if net["volume"] else ("-", "-")),
        )
        for name, net in nets.items()
    ]
    columns = ("net", f"drag ({drag.unit})", f"largest tension ({tension.unit})", "mouth area (m2)", "mouth width (m)",
               "projected area (m2)", "volume (m3)", "volume left (%)")  # fmt: skip
    print_table("nets", columns, rows)


def audit_line(equilibrium: Equilibrium) -> str:
    """One line on what the audit found."""
    checked = equilibrium.audit
    parts = []
    for kind, what in (("force", "force"), ("length", "length"), ("position", "position"), ("bed", "bed")):
        worst = checked.largest(kind)
        if worst is not None:
            unit, least = ("N", LEAST_FORCE) if kind == "force" else ("m", LEAST_LENGTH)
            parts.append(f"{what} {small(worst.value, unit, least)}")
    text = f"audit passed; errors: {', '.join(parts)}" if parts else "audit passed"
    return text + "".join(f"; method '{method}' was rejected" for method, _ in checked.rejected)


def _print_settling(settling: dict[str, Any]) -> None:
    """How an equilibrium was found in time."""
    say(
        f"time integration by {settling['by']}: motion stopped at {settling['rest_after']:.2f} s, forces balanced at "
        f"{settling['time']:.2f} s after {settling['steps']} steps; loads ramped over {settling['ramp']:.2f} s, "
        f"damping {settling['damping']:.3g} 1/s"
    )


def _print_floating(equilibrium: Equilibrium) -> None:
    """Hydrostatic stiffness and metacentric heights of what floats, and whether it stays where it is."""
    floating = {n: b for n, b in equilibrium.summary["bodies"].items() if b.get("metacentric_heights") is not None}
    if floating:
        own = {n: [b["hydrostatic_stiffness"][i][i] for i in (2, 3, 4)] for n, b in floating.items()}
        heave, turn = Forces(k[0] for k in own.values()), Forces(value for k in own.values() for value in k[1:])
        rows = [
            (
                n,
                heave(k[0]),
                turn(k[1]),
                turn(k[2]),
                *(f"{height:.3f}" for height in floating[n]["metacentric_heights"]),
            )
            for n, k in own.items()
        ]
        columns = ("body", f"heave ({heave.unit}/m)", f"roll ({turn.unit} m/rad)", f"pitch ({turn.unit} m/rad)",
                   "GM_T (m)", "GM_L (m)")  # fmt: skip
        print_table("hydrostatic stiffness of hulls, excluding lines", columns, rows)
    if equilibrium.stability is not None:
        say(equilibrium.stability.sentence)
