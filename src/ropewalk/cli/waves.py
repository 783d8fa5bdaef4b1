"""`ropewalk waves`: the sea of a case."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ropewalk.cli.outputs import picture
from ropewalk.cli.tables import JsonOption, print_answer_doubts, print_json, print_table


def waves_command(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    duration: Annotated[float, typer.Option(help="Duration of the plotted record, s.")] = 300.0,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Plot the sea to PNG, PDF or SVG.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print and plot the sea of a case. Prints its statistics and its largest components."""
    from ropewalk.analysis.case_doubts import sea_doubts
    from ropewalk.analysis.sea import sea_summary
    from ropewalk.spec.system import System

    target = None if out is None else picture(out)
    system = System.from_file(case)
    summary = sea_summary(system)
    if target is not None:
        from ropewalk.plot.lines import draw_sea, save

        save(draw_sea(system, duration), target, sea_doubts(system))
    doubts = list(sea_doubts(system))
    print_answer_doubts(doubts)
    if as_json:
        print_json({**summary, "doubts": [doubt.as_dict() for doubt in doubts]})
        return
    names = {"zero_crossing_period": "zero-crossing period"}
    rows = [(names.get(key, key.replace("_", " ")), value) for key, value in summary["text"].items()]
    print_table("sea", ("quantity", "value"), rows, text=(1,))
    if summary["components"]:
        shown = sorted(summary["components"], key=lambda c: -c["amplitude"])[:10]
        columns = ("omega (rad/s)", "period (s)", "length (m)", "amplitude (m)", "heading (deg)", "phase (rad)")
        digits = {"omega": 4, "period": 2, "length": 1, "amplitude": 3, "heading": 1, "phase": 3}
        title = f"the {len(shown)} largest of {len(summary['components'])} components"
        print_table(title, columns, [tuple(f"{c[k]:.{n}f}" for k, n in digits.items()) for c in shown])
