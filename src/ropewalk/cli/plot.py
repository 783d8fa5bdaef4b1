"""`ropewalk plot`: a result as a picture."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ropewalk.cli.outputs import picture
from ropewalk.cli.tables import print_answer_doubts, say
from ropewalk.errors import InputError

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


class PlotKind(StrEnum):
    """What a picture shows."""

    overview = "overview"
    side = "side"
    plan = "plan"
    tracks = "tracks"
    tension = "tension"
    history = "history"
    ranges = "ranges"
    spectrum = "spectrum"
    motion = "motion"
    phase = "phase"


OF_RUNS = (PlotKind.tracks, PlotKind.history, PlotKind.ranges, PlotKind.spectrum, PlotKind.motion, PlotKind.phase)
OF_LINES = (PlotKind.tension, PlotKind.history, PlotKind.ranges, PlotKind.spectrum)


def plot_command(
    file: Annotated[Path, typer.Argument(help="A result file (.nc) or a case file, whose equilibrium is plotted.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="PNG, PDF or SVG; default: FILE.png.")] = None,
    kind: Annotated[PlotKind, typer.Option(help="Kind of plot for an equilibrium or a run.")] = PlotKind.overview,
    part: Annotated[str | None, typer.Option(help="Body or point for 'motion' and 'phase'.")] = None,
    variable: Annotated[str | None, typer.Option(help="Output variable of a sweep; default: end tension.")] = None,
) -> None:
    """Plot a result, or the equilibrium of a case. Results may be runs, equilibria, modes, responses or sweeps."""
    if file.is_dir():
        raise InputError(f"{file} is a folder; give a result file or a case file")
    target = picture(out or file.with_suffix(".png"))
    if file.suffix == ".nc":
        from ropewalk.io.netcdf import reading

        with reading(file) as dataset:
            _draw(dataset, target, variable, kind, part)
    else:
        from ropewalk.analysis.statics import statics
        from ropewalk.spec.system import System

        _draw(statics(System.from_file(file)).to_dataset(), target, None, kind, part)
    say(f"{target}: written")


def _draw(dataset: xr.Dataset, target: Path, variable: str | None, kind: PlotKind, part: str | None) -> None:
    from ropewalk.analysis.doubts import of_attributes
    from ropewalk.plot.lines import save

    doubts = of_attributes(dataset.attrs)
    print_answer_doubts(doubts)
    save(_figure(dataset, variable, kind, part), target, doubts)


def _figure(dataset: xr.Dataset, variable: str | None, kind: PlotKind, part: str | None) -> Figure:
    if "status" in dataset and "case" in dataset.dims:
        from ropewalk.plot.sweep import draw_sweep

        swept: Figure = draw_sweep(dataset, variable)
        return swept
    if "step" in dataset.dims and "parameter" in dataset:
        from ropewalk.plot.path import draw_path

        return draw_path(dataset, variable)
    if "mode" in dataset.dims or "frequency" in dataset.dims:
        from ropewalk.plot.modes import draw_modes, draw_response

        return draw_modes(dataset) if "mode" in dataset.dims else draw_response(dataset)
    from ropewalk.plot.lines import draw

    return draw(dataset) if kind is PlotKind.overview else _one(dataset, kind, part)


def _one(dataset: xr.Dataset, kind: PlotKind, part: str | None) -> Figure:
    """One kind of picture of an equilibrium or a run."""
    from ropewalk.plot import histories, views

    if kind in OF_RUNS and dataset.sizes["time"] < 2:
        raise InputError(f"'{kind.value}' needs a run; this result has a single instant")
    if kind in OF_LINES and "end_tension" not in dataset:
        raise InputError(f"'{kind.value}' needs lines; the result has none")
    if kind in (PlotKind.motion, PlotKind.phase):
        if part is None:
            raise InputError(f"'{kind.value}' needs a body or a point; give it with --part")
        return (histories.motion_history if kind is PlotKind.motion else histories.phase_portrait)(dataset, part)
    drawn = {
        PlotKind.side: views.side_view, PlotKind.plan: views.plan_view, PlotKind.tracks: views.tracks_view,
        PlotKind.tension: histories.tension_along, PlotKind.history: histories.tension_history,
        PlotKind.ranges: histories.range_graphs, PlotKind.spectrum: histories.spectrum,
    }  # fmt: skip
    return drawn[kind](dataset)
