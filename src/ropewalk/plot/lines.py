"""Pictures of results, by matplotlib. Functions return a Figure; `save` writes it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.errors import InputError
from ropewalk.plot.style import BED, COLOURS, DPI, INK, WATER, doubted, empty_figure, legend_beside, look, picture, tidy
from ropewalk.results.files import write_whole

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from ropewalk.analysis.doubts import Doubt
    from ropewalk.spec.system import System

__all__ = ["BED", "COLOURS", "INK", "WATER", "draw", "draw_sea", "empty_figure", "legend_beside", "save"]


def draw(dataset: xr.Dataset) -> Figure:
    """Shapes from the side and from above, and tension along the lines; histories if there are any."""
    from ropewalk.plot import nets
    from ropewalk.plot.histories import tension_along, tension_history
    from ropewalk.plot.views import plan_view, side_view

    is_run = dataset.sizes["time"] > 1
    figure = empty_figure(10.5, 10.5 if is_run else 7.5)
    grid = figure.add_gridspec(3 if is_run else 2, 2, height_ratios=[1.0, 1.15, *([0.85] if is_run else [])])
    side = figure.add_subplot(grid[0, :])
    above, along = figure.add_subplot(grid[1, 0]), figure.add_subplot(grid[1, 1])
    side_view(dataset, side)
    plan_view(dataset, above)
    title = dataset.attrs.get("title") or ("at the end of the run" if is_run else "equilibrium")
    side.set_title(f"{title}, t = {float(dataset['time'][-1]):g} s" if is_run else title, fontsize=11)
    legend_beside(side)
    if nets.has_nets(dataset) and "tension" not in dataset:
        nets.draw_tensions(along, dataset)
        tidy(along)
    elif "tension" in dataset:
        tension_along(dataset, along)
    else:
        along.set_axis_off()
    if is_run and nets.has_nets(dataset):
        nets.draw_forces(figure.add_subplot(grid[2, :]), dataset)
    elif is_run and "end_tension" in dataset:
        tension_history(dataset, figure.add_subplot(grid[2, :]))
    return figure


def draw_sea(system: System, duration: float) -> Figure:
    """Elevation at the origin, wave amplitudes over frequency, and the current profile."""
    from ropewalk.analysis.sea import current_profile, surface
    from ropewalk.model.environment import build_sea
    from ropewalk.physics.waves import WaveRows

    sea = build_sea(system.environment)
    figure = empty_figure(11.0, 6.5)
    grid = figure.add_gridspec(2, 2)
    record, spectrum = figure.add_subplot(grid[0, :]), figure.add_subplot(grid[1, 0])
    profile = figure.add_subplot(grid[1, 1])
    times = np.linspace(0.0, duration, 2001)
    record.plot(times, surface(sea, times), color=WATER, lw=0.9)
    record.set(xlabel="t (s)", ylabel="elevation (m)", title=system.title or "sea", xlim=(0.0, duration))
    row = WaveRows(*sea.wave)
    spectrum.vlines(row.omega, 0.0, row.amplitude, color=WATER, lw=1.0)
    spectrum.set(xlabel="omega (rad/s)", ylabel="amplitude (m)", title=f"{sea.wave.shape[1]} wave components")
    depth = sea.depth if np.isfinite(sea.depth) else 100.0
    z = np.linspace(-depth, 0.0, 101)
    velocity = current_profile(sea, z)
    profile.plot(velocity[:, 0], z, label="x", **look(0))
    profile.plot(velocity[:, 1], z, label="y", **look(1))
    profile.set(xlabel="current (m/s)", ylabel="z (m)", title="current")
    profile.legend(frameon=False, fontsize=8)
    for axes in (record, spectrum, profile):
        tidy(axes)
    return figure


def save(figure: Figure, path: str | Path, doubts: Iterable[Doubt] = ()) -> None:
    """Write a figure; the format follows from the ending of the name.  doubts : about what it shows"""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} is not a folder; make it first")
    write_whole(path, picture(doubted(figure, doubts), path.suffix.lstrip(".").lower(), DPI))
