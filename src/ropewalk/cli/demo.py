"""`ropewalk demo`: a tethered buoy at rest and in waves."""

from __future__ import annotations

import math
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ropewalk.cli.compiling import compile_for_run
from ropewalk.cli.tables import JsonOption, print_answer_doubts, print_json, print_table, say
from ropewalk.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

CASE = "tethered_buoy"  # the short cable of Montano, Restelli and Sacco (2005), completed


def demo_command(
    out: Annotated[Path, typer.Option("-o", "--out", help="Output folder.")] = Path("ropewalk-demo"),
    duration: Annotated[float, typer.Option(help="Simulated time, s.")] = 120.0,
    as_json: JsonOption = False,
) -> None:
    """Solve and simulate the built-in tethered buoy. Writes its case, a plot, a NetCDF file and a 3D page."""
    from ropewalk.analysis.doubts import of_attributes
    from ropewalk.analysis.run import simulate
    from ropewalk.analysis.statics import statics
    from ropewalk.cli.run import print_balance, print_events, run_summary
    from ropewalk.cli.static import print_equilibrium
    from ropewalk.plot.buoy import draw_buoy
    from ropewalk.plot.lines import save
    from ropewalk.results.files import write_whole
    from ropewalk.spec.system import System
    from ropewalk.viewer.build import from_dataset
    from ropewalk.viewer.page import page

    if not 0.0 < duration < math.inf:
        raise InputError(f"duration {duration:g} s: it must be positive and finite")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; give a folder for the output of the demo")
    out.mkdir(parents=True, exist_ok=True)
    case, result, picture, html = (out / f"{CASE}{ending}" for ending in (".yaml", ".nc", ".png", ".html"))
    text = files("ropewalk.cli").joinpath("templates", f"{CASE}.yaml").read_text(encoding="utf-8")
    write_whole(case, text.encode("utf-8"))
    system = System.from_file(case)
    compile_for_run(system)
    rest = statics(system)
    if not as_json:
        print_equilibrium(rest)
    dataset = simulate(system, duration, output=result)
    doubts = of_attributes(dataset.attrs)
    print_answer_doubts(doubts)
    save(draw_buoy(dataset, "buoy"), picture, doubts)
    write_whole(html, page(from_dataset(dataset)).encode("utf-8"))
    if as_json:
        told = [doubt.as_dict() for doubt in doubts]
        print_json({"static": rest.summary, "run": run_summary(dataset, result), "doubts": told})
        return
    _print_motion(dataset)
    print_events(dataset)
    print_balance(dataset)
    say(f"written to {out}: {case.name}, {result.name}, {picture.name}, {html.name} (open it in a browser)")


def _print_motion(dataset: xr.Dataset) -> None:
    """Statistics of what the picture shows, and the figures of the paper."""
    import numpy as np

    from ropewalk.post.bodies import buoy_histories

    history = buoy_histories(dataset, "buoy")
    centre = history["centre"]
    rows = [
        ("x of the centre of mass (m)", centre[:, 0], "range 5"),
        ("y of the centre of mass (m)", centre[:, 1], "range 3"),
        ("z of the centre of mass (m)", centre[:, 2], ""),
        ("centre of mass above the surface (m)", centre[:, 2] - history["surface"], ""),
        ("tilt (deg)", history["cone"], ""),
        ("tension at the anchor (kN)", 1e-3 * history["tension"][:, 0], "max 10"),
        ("tension at the buoy (kN)", 1e-3 * history["tension"][:, 1], "max 12"),
    ]
    table = [
        (name, *(f"{f(values):.2f}" for f in (np.min, np.mean, np.max, np.ptp)), paper) for name, values, paper in rows
    ]
    columns = ("quantity", "min", "mean", "max", "range", "paper")
    print_table(f"in waves, {float(dataset['time'][-1]):g} s", columns, table)
