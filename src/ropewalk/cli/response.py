"""`ropewalk response`: response to harmonic motions, forces and waves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ropewalk.cli.compiling import tell_first_use
from ropewalk.cli.outputs import picture, result_file
from ropewalk.cli.tables import JsonOption, print_json, print_result_doubts, print_table, say

if TYPE_CHECKING:
    import xarray as xr

ROUND_OFF = 1e-9  # m, deg, N: smaller amplitudes are shown as zero


def response_command(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    drive: Annotated[
        str | None,
        typer.Option(help="waves, motion:PART:DIRECTION or force:PART:DIRECTION; default: the sea of the case."),
    ] = None,
    lowest: Annotated[float, typer.Option("--from", min=0.0, help="Lowest frequency, rad/s.")] = 0.1,
    highest: Annotated[float, typer.Option("--to", min=0.0, help="Highest frequency, rad/s.")] = 3.0,
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=1_000_000, help="Number of frequencies.")] = 30,
    amplitude: Annotated[float, typer.Option(help="Amplitude of the excitation: m, rad, N or N m.")] = 1.0,
    heading: Annotated[float, typer.Option(help="Wave heading, degrees.")] = 0.0,
    method: Annotated[str, typer.Option(help="direct, time or both.")] = "direct",
    solver: Annotated[str | None, typer.Option(help="Solver of the time method; default: mixed_fem.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write all amplitudes to a NetCDF file.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Plot the amplitudes: PNG, PDF or SVG.")] = None,
    nodes: Annotated[bool, typer.Option("--nodes", help="Also print the amplitudes at all line nodes.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the response to motions, forces or waves.

    Prints amplitudes per frequency, or statistics in the sea of the case.
    """
    import numpy as np

    from ropewalk.analysis.response import Drive, response
    from ropewalk.errors import InputError
    from ropewalk.spec.system import System

    if method not in ("direct", "time", "both"):
        raise InputError(f"unknown method '{method}'; choose direct, time or both")
    target = None if plot is None else picture(plot)
    kept = None if out is None else result_file(out)
    tell_first_use()
    system = System.from_file(case)
    if drive is None:
        result = response(system, method=method, solver=solver)  # type: ignore[arg-type]
    else:
        omega = np.linspace(lowest, highest, count)
        chosen = Drive.parse(drive, amplitude, heading)
        result = response(system, omega, chosen, method=method, solver=solver)  # type: ignore[arg-type]
    if kept is not None:
        from ropewalk.io.netcdf import write

        write(result, kept)
    if target is not None:
        from ropewalk.analysis.doubts import of_attributes
        from ropewalk.plot.lines import save
        from ropewalk.plot.modes import draw_response

        save(draw_response(result), target, of_attributes(result.attrs))
    print_result_doubts(result)
    for sentence in unsettled(result):
        say(sentence, err=True)
    if drive is None:
        _show_statistics(result, as_json)
    else:
        _show_amplitudes(result, as_json, nodes)


def unsettled(result: xr.Dataset) -> list[str]:
    """A sentence for every frequency whose simulation ended before its answer repeated."""
    from ropewalk.analysis.response_time import SETTLED

    if "settled_change" not in result:
        return []
    rows = zip(result.frequency.values, result.settled_change.values, result.settled_periods.values, strict=True)
    return [
        f"omega {omega:.4g} rad/s: after {int(periods)} periods the time-domain response still changes by "
        f"{100 * change:.2g} %: slow modes have not decayed; add damping, or use the direct method"
        for omega, change, periods in rows
        if change > SETTLED
    ]


def _show_amplitudes(result: xr.Dataset, as_json: bool, nodes: bool) -> None:
    rows, along = amplitudes(result), node_amplitudes(result) if nodes else []
    if as_json:
        doubts = json.loads(result.attrs["doubts"])
        print_json({"response": rows, **({"nodes": along} if nodes else {}), "doubts": doubts})
        return
    for title, table in ((result.attrs["title"] or "response amplitudes", rows), ("amplitudes of nodes", along)):
        if table:
            columns = tuple(table[0])
            heads = ["omega (rad/s)" if c == "omega" else c for c in columns]
            cells = [tuple(_amplitude(row[c]) for c in columns) for row in table]
            print_table(title, heads, cells, keys=2 if "method" in columns else 1)


def _amplitude(value: Any) -> str:
    """Four digits, and zero for the round-off of motions that symmetry forbids."""
    return f"{value if abs(value) > ROUND_OFF else 0.0:.4g}" if isinstance(value, float) else str(value)


def _moments(result: xr.Dataset) -> Iterator[tuple[dict[str, Any], xr.Dataset]]:
    """Frequencies, and methods where there are several, as the first columns of a row, and what belongs to them."""
    cases = [str(c) for c in result.case.values] if "case" in result.dims else [""]
    for j, omega in enumerate(result.frequency.values):
        for c, case in enumerate(cases):
            one = result.isel(frequency=j, case=c) if case else result.isel(frequency=j)
            yield {"omega": float(omega), **({"method": case} if case else {})}, one


def node_amplitudes(result: xr.Dataset) -> list[dict[str, Any]]:
    """Per frequency and node of the lines: motion along the axes (m) and change of tension (N)."""
    rows = []
    for head, one in _moments(result):
        if "position" not in one:
            continue
        for k in range(one.sizes["node"]):
            motion = abs(one.position.values[k])
            place = {"line": str(one.node_line.values[k]), "s (m)": float(one.s.values[k])}
            way = {f"{axis} (m)": float(value) for axis, value in zip("xyz", motion, strict=True)}
            rows.append({**head, **place, **way, "tension (N)": float(abs(one.tension.values[k]))})
    return rows


def amplitudes(result: xr.Dataset) -> list[dict[str, Any]]:
    """Per frequency: tension at line ends (N), largest motion along lines (m), motions of bodies (m, degrees)."""
    import math

    rows = []
    for row, one in _moments(result):
        if "tension" in one:
            for line in dict.fromkeys(one.node_line.values.tolist()):
                own = one.node_line.values == line
                values = abs(one.tension.values[own])
                row[f"{line} A (N)"], row[f"{line} B (N)"] = float(values[0]), float(values[-1])
                if "position" in one:
                    row[f"{line} largest (m)"] = float(abs(one.position.values[own]).max())
        if "body_motion" in one:
            for body in one.body.values:
                for k, dof in enumerate(one.dof.values):
                    value = float(abs(one.body_motion.sel(body=body).values[k]))
                    unit = "m" if k < 3 else "deg"
                    row[f"{body} {dof} ({unit})"] = value if k < 3 else math.degrees(value)
        rows.append(row)
    return rows


def _show_statistics(result: xr.Dataset, as_json: bool) -> None:
    from ropewalk.analysis.response_statistics import statistics

    numbers = statistics(result)
    rows = []
    if "tension_std" in numbers:
        for line in dict.fromkeys(numbers.node_line.values.tolist()):
            inside = numbers.node_line.values == line
            for end, k in (("A", 0), ("B", -1)):
                std, tz, peak = (float(numbers[f"tension_{s}"].values[inside][k]) for s in ("std", "tz", "maximum"))
                rows.append({"what": f"tension of {line} at {end} (N)", "std": std, "tz": tz, "maximum": peak})
    if "body_motion_std" in numbers:
        for body in numbers.body.values:
            for dof in numbers.dof.values:
                at = numbers.sel(body=body, dof=dof)
                std, tz, peak = (float(at[f"body_motion_{s}"]) for s in ("std", "tz", "maximum"))
                rows.append({"what": f"{dof} of {body} (m or rad)", "std": std, "tz": tz, "maximum": peak})
    rows = [{k: (None if v != v else v) for k, v in row.items()} for row in rows]
    if as_json:
        doubts = json.loads(result.attrs["doubts"])
        print_json({"duration": float(numbers.attrs["duration"]), "statistics": rows, "doubts": doubts})
        return
    columns = ("response", "standard deviation", "Tz (s)", "3 h MPM")
    print_table(result.attrs["title"] or "response in the sea of the case", columns, [_statistics_row(r) for r in rows])


def _statistics_row(row: dict[str, Any]) -> tuple[str, ...]:
    """One response as text: tensions in kN, rotations in degrees; zero where symmetry leaves round-off."""
    import math

    what, scale = str(row["what"]), 1.0
    if what.endswith("(N)"):
        what, scale = what.replace("(N)", "(kN)"), 1e-3
    elif what.startswith(("roll", "pitch", "yaw")):
        what, scale = what.replace("(m or rad)", "(deg)"), math.degrees(1.0)
    is_zero = scale * (row["std"] or 0.0) < ROUND_OFF
    numbers = ["-" if row[key] is None or (is_zero and key == "tz") else
               f"{row[key] * (1.0 if key == 'tz' else 0.0 if is_zero else scale):.4g}"
               for key in ("std", "tz", "maximum")]  # fmt: skip
    return what.replace("(m or rad)", "(m)"), *numbers
