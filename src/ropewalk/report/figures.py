"""Pictures of a report: the system, tensions over time, ranges along lines, spectra, sweeps."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.plot.lines import COLOURS, draw, empty_figure, legend_beside
from ropewalk.post.ranges import range_graph
from ropewalk.post.window import after_ramp

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array

DPI = 110
MOST_SAMPLES = 4000  # drawn of a history: more are hidden in the width of a line
MOST_LINES = 16  # drawn in one picture
KILO = 1e-3


def figures_of(dataset: xr.Dataset) -> dict[str, str]:
    """Pictures of a run or an equilibrium as data addresses, by heading."""
    found = {"The system": draw(dataset.isel(time=slice(0, 1)))}
    if dataset.sizes["time"] > 1 and "end_tension" in dataset:
        found["Tension at the ends over time"] = tensions(dataset)
        found["Range of tension along the lines"] = ranges(dataset)
        kept = after_ramp(dataset)
        if kept.sizes["time"] > 16:
            found["Spectra of tension at end B"] = spectra(kept)
    return {heading: _address(figure) for heading, figure in found.items()}


def tensions(dataset: xr.Dataset, axes: Any = None) -> Any:
    """Tension at the upper end of each line over time."""
    figure, axes = _axes(axes)
    step = max(1, dataset.sizes["time"] // MOST_SAMPLES)
    time = dataset["time"].values[::step]
    for k, name in enumerate(dataset["line"].values[:MOST_LINES]):
        both = dataset["end_tension"].sel(line=name)
        end = str(both["end"].values[int(np.argmax(both.mean("time").values))])
        colour, style = _look(k)
        axes.plot(time, KILO * both.sel(end=end).values[::step], style, color=colour, lw=0.8, label=f"{name} ({end})")
    begin = float(after_ramp(dataset)["time"].values[0])
    if begin > time[0]:
        axes.axvspan(time[0], begin, color="0.92", label="ramp, not counted")
    axes.set(xlabel="time, s", ylabel="end tension, kN", xlim=(time[0], time[-1]))
    legend_beside(axes)
    return figure


def ranges(dataset: xr.Dataset) -> Any:
    """Smallest, mean and largest tension along each line, one panel a line."""
    names = [str(name) for name in dataset["line"].values[:MOST_LINES]]
    columns = min(4, len(names))
    rows = -(-len(names) // columns)
    figure = empty_figure(9.0, 2.1 * rows + 0.4)
    for k, name in enumerate(names):
        axes = figure.add_subplot(rows, columns, k + 1)
        graph = range_graph(dataset, name)
        s = graph["s"].values
        axes.fill_between(
            s, KILO * graph["min"].values, KILO * graph["max"].values, color=_look(k)[0], alpha=0.25, lw=0
        )
        axes.plot(s, KILO * graph["mean"].values, color=_look(k)[0], lw=1.1)
        axes.set_title(name, fontsize=8)
        axes.tick_params(labelsize=7)
        if k % columns == 0:
            axes.set_ylabel("tension, kN", fontsize=8)
        if k >= len(names) - columns:
            axes.set_xlabel("s from end A, m", fontsize=8)
    return figure


def spectra(kept: xr.Dataset, axes: Any = None) -> Any:
    """Spectral density of the tension at end B of each line, by Welch's method."""
    from scipy.signal import welch

    figure, axes = _axes(axes)
    time = kept["time"].values
    step = float(np.median(np.diff(time)))
    even = np.arange(time[0], time[-1] + 0.5 * step, step)
    for k, name in enumerate(kept["line"].values[:MOST_LINES]):
        values: Array = np.interp(even, time, KILO * kept["end_tension"].sel(line=name, end="B").values)
        frequency, density = welch(values, 1.0 / step, nperseg=min(values.size, max(256, values.size // 4)))
        colour, style = _look(k)
        axes.plot(2.0 * np.pi * frequency[1:], density[1:] / (2.0 * np.pi), style, color=colour, lw=0.9, label=name)
    axes.set(xlabel="frequency, rad/s", ylabel="density, kN² s/rad", xlim=(0.0, min(3.0, np.pi / step)))
    legend_beside(axes)
    return figure


def scatter(sweep: xr.Dataset, output: str, factor: str) -> str:
    """An output of a sweep over one of its factors, one series a line or body."""
    figure, axes = _axes(None)
    variable = sweep[output]
    other = [str(dim) for dim in variable.dims if dim != "case"]
    flat = variable.stack(series=other) if other else variable.expand_dims("series", axis=1)
    for k in range(min(flat.sizes["series"], MOST_LINES)):
        label = " ".join(map(str, np.atleast_1d(flat["series"].values[k]))) if other else output
        axes.plot(sweep[factor].values, flat.values[:, k], "o", ms=3, color=_look(k)[0], label=label)
    axes.set(xlabel=factor, ylabel=f"{output}, {variable.attrs.get('units', '')}")
    legend_beside(axes)
    return _address(figure)


def _axes(axes: Any) -> tuple[Any, Any]:
    if axes is not None:
        return axes.figure, axes
    figure = empty_figure(9.0, 3.2)
    return figure, figure.add_subplot()


def _look(k: int) -> tuple[str, str]:
    """Colour and style: as many lines as there are stay apart."""
    return COLOURS[k % len(COLOURS)], ("-", "--", "-.", ":")[(k // len(COLOURS)) % 4]


def _address(figure: Any) -> str:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, bbox_inches="tight")
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode("ascii")
