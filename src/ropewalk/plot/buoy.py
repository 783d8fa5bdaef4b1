"""What a tethered buoy does in waves, in one picture: trajectory, tensions, heave against the surface, tilt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ropewalk.plot.lines import empty_figure, legend_beside
from ropewalk.post.bodies import buoy_histories

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from ropewalk.model.arrays import Array

WATER, BUOY, SECOND = "#2b7bba", "#1b4f72", "#b03a2e"


def draw_buoy(dataset: xr.Dataset, body: str) -> Figure:
    """Trajectory from above, end tensions, heave against the surface and their difference, tilt."""
    history, time = buoy_histories(dataset, body), dataset["time"].values
    figure = empty_figure(11.0, 10.0)
    grid = figure.add_gridspec(3, 2)
    _above(figure.add_subplot(grid[0, 0]), history["centre"])
    _tensions(figure.add_subplot(grid[0, 1]), time, history["tension"])
    heave, gap = figure.add_subplot(grid[1, :]), figure.add_subplot(grid[2, 0])
    heave.plot(time, history["surface"], "--", color=WATER, lw=0.9, label="surface")
    heave.plot(time, history["centre"][:, 2], color=BUOY, lw=0.9, label="mass centre")
    heave.set(xlabel="t (s)", ylabel="z (m)", title="heave of the centre of mass and surface above it")
    legend_beside(heave)
    gap.plot(time, history["centre"][:, 2] - history["surface"], color=BUOY, lw=0.9)
    gap.set(xlabel="t (s)", ylabel="z (m)", title="centre of mass above the surface")
    cone = figure.add_subplot(grid[2, 1])
    cone.plot(time, history["cone"], color=SECOND, lw=0.9)
    cone.set(xlabel="t (s)", ylabel="angle (deg)", title="tilt of the body axis from the vertical")
    figure.suptitle(dataset.attrs.get("title") or body)
    return figure


def _above(axes: Any, centre: Array) -> None:
    axes.plot(centre[:, 0], centre[:, 1], color=BUOY, lw=0.7)
    axes.plot(centre[:1, 0], centre[:1, 1], "o", color=SECOND, ms=4)
    axes.set(xlabel="x (m)", ylabel="y (m)", title="centre of mass in plan, starting at the dot")
    axes.set_aspect("equal", adjustable="datalim")


def _tensions(axes: Any, time: Array, tension: Array) -> None:
    for k, (colour, style) in enumerate(((SECOND, "--"), (BUOY, "-"))[: tension.shape[1]]):
        axes.plot(time, 1e-3 * tension[:, k], style, color=colour, lw=0.9, label=f"end {'AB'[k]}")
    axes.set(xlabel="t (s)", ylabel="tension (kN)", title="tension at the ends of the line")
    if tension.shape[1]:
        legend_beside(axes)
