"""`ropewalk modes`: natural frequencies of a case."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ropewalk.cli.compiling import tell_first_use
from ropewalk.cli.outputs import picture, result_file
from ropewalk.cli.tables import JsonOption, print_json, print_result_doubts, print_table, say

if TYPE_CHECKING:
    import xarray as xr

LEAST_OMEGA = 1e-5  # rad/s, a period of a week: smaller ones are round-off of modes that nothing resists
ROUND_OFF = 1e-12  # share of critical damping: smaller ones are of motions that nothing damps


def modes_command(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="Number of modes.")] = 10,
    damped: Annotated[
        bool | None, typer.Option("--damped/--undamped", help="Complex modes with all damping, or undamped modes.")
    ] = None,
    near: Annotated[float, typer.Option(min=0.0, help="Modes nearest to this frequency, rad/s.")] = 0.0,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the mode shapes to a NetCDF file.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Plot the lowest modes: PNG, PDF or SVG.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Find natural frequencies, damping ratios and mode shapes."""
    from ropewalk.analysis.modes import modes, summary
    from ropewalk.spec.system import System

    target = None if plot is None else picture(plot)
    kept = None if out is None else result_file(out)
    tell_first_use()
    result = modes(System.from_file(case), count, damped=damped, near=near)
    if kept is not None:
        from ropewalk.io.netcdf import write

        write(result, kept)
    if target is not None:
        from ropewalk.analysis.doubts import of_attributes
        from ropewalk.plot.lines import save
        from ropewalk.plot.modes import draw_modes

        save(draw_modes(result), target, of_attributes(result.attrs))
    print_result_doubts(result)
    if as_json:
        print_json(summary(result))
    else:
        print_modes(result)


def _nearly(damping: float) -> float:
    """Zero for what is round-off of zero."""
    return damping if abs(damping) > ROUND_OFF else 0.0


def _frequency(omega: float) -> str:
    """rad/s in words; round-off of a neutral mode as a bound."""
    return f"{omega:.5g}" if omega >= LEAST_OMEGA else f"< {LEAST_OMEGA:g}"


def print_modes(result: xr.Dataset) -> None:
    """One row per mode, and whether the equilibrium is stable."""
    rows = []
    for k in range(result.sizes["mode"]):
        period = float(result.period[k])
        rows.append(
            (
                str(k + 1),
                _frequency(float(result.omega[k])),
                f"{period:.5g}" if math.isfinite(period) else "-",
                f"{_nearly(float(result.damping[k])):.4g}",
                f"{result.dominant.values[k]} {100.0 * float(result.dominant_share[k]):.0f} %",
                "" if bool(result.stable[k]) else f"growth rate {float(result.growth[k]):.4g} 1/s",
            )
        )
    columns = ("mode", "omega (rad/s)", "period (s)", "damping ratio", "dominant motion", "")
    print_table(result.attrs["title"] or "modes", columns, rows, text=(4, 5))
    say(f"equilibrium {result.attrs['stability']}")
