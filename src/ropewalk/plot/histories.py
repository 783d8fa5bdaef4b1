"""Runs over time: tensions with events, motions, spectra, phase portraits, ranges along lines, offset curves.

Every function draws in the axes that it is given, or in a new figure, and returns the figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.plot.style import PALE, axes_or_new, empty_figure, legend_beside, look, tidy, width

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array

KILO = 1e-3
MOST_SAMPLES = 4000  # drawn of a history: more are hidden in the width of a line
MOST_EVENTS = 12  # marked in a history
EVENT_ROOM = 0.015  # of the time axis: room for the name of an event
COLUMNS = 4  # of range graphs beside each other
FEW = 3  # lines whose ranges may share one picture
LEAST_RECORDS = 16  # of a spectrum


def tension_history(dataset: xr.Dataset, axes: Any = None, *, end: str | None = None) -> Any:
    """Tension over time of every line, at `end` (A or B) or at the end with the larger mean; ramp and events marked."""
    from ropewalk.post.events import events
    from ropewalk.post.window import statistics_start

    figure, axes = axes_or_new(axes)
    step = max(1, dataset.sizes["time"] // MOST_SAMPLES)
    time = dataset["time"].values[::step]
    names = dataset["line"].values
    for k, name in enumerate(names):
        both = dataset["end_tension"].sel(line=name)
        shown = end or str(both["end"].values[int(np.argmax(both.mean("time").values))])
        axes.plot(time, KILO * both.sel(end=shown).values[::step], lw=width(k, len(names), 1.6),
                  label=f"{name}, {shown}", **look(k))  # fmt: skip
    begin = min(statistics_start(dataset), float(time[-1]))
    if begin > time[0]:
        axes.axvspan(time[0], begin, color="0.94", zorder=0)
        axes.annotate("ramp", (time[0], 0.99), xycoords=("data", "axes fraction"), xytext=(2, 0), va="top",
                      textcoords="offset points", fontsize=7, color=PALE)  # fmt: skip
    last, room = -np.inf, EVENT_ROOM * (time[-1] - time[0])
    for event in events(dataset)[:MOST_EVENTS]:
        axes.axvline(event.time, color=PALE, lw=0.8, ls=(0, (2, 2)), zorder=1)
        if event.time - last < room:
            continue
        last = event.time
        axes.annotate(event.kind, (event.time, 0.99), xycoords=("data", "axes fraction"), xytext=(2, 0), va="top",
                      textcoords="offset points", fontsize=7, color=PALE, rotation=90)  # fmt: skip
    axes.set(xlabel="time (s)", ylabel="end tension (kN)", xlim=(time[0], time[-1]))
    tidy(axes)
    legend_beside(axes)
    return figure


def motion_history(dataset: xr.Dataset, part: str, axes: Any = None) -> Any:
    """Displacement of a body or a point from its first record, x, y and z over time."""
    figure, axes = axes_or_new(axes)
    place = _path(dataset, part)
    for k, name in enumerate("xyz"):
        axes.plot(dataset["time"].values, place[:, k] - place[0, k], lw=0.9, label=name, **look(k))
    axes.set(xlabel="time (s)", ylabel="displacement (m)", title=part)
    tidy(axes)
    legend_beside(axes)
    return figure


def spectrum(dataset: xr.Dataset, axes: Any = None, *, end: str = "B") -> Any:
    """Spectral density of the tension at one end of each line after the ramp, by Welch's method."""
    from scipy.signal import welch

    from ropewalk.post.window import after_ramp

    kept = after_ramp(dataset)
    if kept.sizes["time"] < LEAST_RECORDS:
        raise InputError(f"{kept.sizes['time']} records after the ramp; a spectrum needs {LEAST_RECORDS}")
    figure, axes = axes_or_new(axes)
    time = kept["time"].values
    step = float(np.median(np.diff(time)))
    even = np.arange(time[0], time[-1] + 0.5 * step, step)
    for k, name in enumerate(kept["line"].values):
        values: Array = np.interp(even, time, KILO * kept["end_tension"].sel(line=name, end=end).values)
        frequency, density = welch(values, 1.0 / step, nperseg=min(values.size, max(256, values.size // 4)))
        axes.plot(2.0 * np.pi * frequency[1:], density[1:] / (2.0 * np.pi),
                  lw=width(k, kept.sizes["line"], 1.6), label=str(name), **look(k))  # fmt: skip
    axes.set(xlabel="frequency (rad/s)", ylabel=f"density of tension at {end} (kN² s/rad)",
             xlim=(0.0, min(3.0, np.pi / step)), ylim=(0.0, None))  # fmt: skip
    tidy(axes)
    legend_beside(axes)
    return figure


def phase_portrait(dataset: xr.Dataset, part: str, axes: Any = None, *, axis: str = "x") -> Any:
    """Velocity of a body or a point against its position along `axis` (x, y or z)."""
    if axis not in ("x", "y", "z"):
        raise InputError(f"axis '{axis}' is unknown; choose x, y or z")
    figure, axes = axes_or_new(axes, 5.0, 4.4)
    place = _path(dataset, part)[:, "xyz".index(axis)]
    if place.size < 3:
        raise InputError(f"{place.size} records; a phase portrait needs at least 3")
    speed = np.gradient(place, dataset["time"].values)
    axes.plot(place, speed, lw=0.8, **look(0))
    axes.plot(place[:1], speed[:1], "o", ms=4, mfc="white", mec=look(0)["color"])
    axes.set(xlabel=f"{axis} of {part} (m)", ylabel="velocity (m/s)")
    tidy(axes)
    return figure


def range_graph(dataset: xr.Dataset, line: str, axes: Any = None, *, k: int = 0) -> Any:
    """Least, mean and largest tension along one line over the run, after the ramp.  k : its look"""
    from ropewalk.post.ranges import range_graph as ranges_of

    figure, axes = axes_or_new(axes, 5.0, 3.2)
    graph = ranges_of(dataset, line)
    s, colour = graph["s"].values, look(k)["color"]
    axes.fill_between(s, KILO * graph["min"].values, KILO * graph["max"].values, color=colour, alpha=0.18, lw=0)
    axes.plot(s, KILO * graph["mean"].values, color=colour, lw=1.3)
    for name in ("min", "max"):
        axes.plot(s, KILO * graph[name].values, color=colour, lw=0.7)
    axes.set(xlabel="s from end A (m)", ylabel="tension (kN)", ylim=(0.0, None))
    axes.set_title(line)
    tidy(axes)
    return figure


def range_graphs(dataset: xr.Dataset, lines: Sequence[str] | None = None) -> Any:
    """Range graphs of several lines, a panel each, on common scales."""
    names = [str(name) for name in (dataset["line"].values if lines is None else lines)]
    columns = min(COLUMNS, len(names))
    rows = -(-len(names) // columns)
    figure = empty_figure(max(4.5, 2.4 * columns), 2.0 * rows + 0.5)
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False)
    top = 0.0
    for k, axes in enumerate(panels.flat):
        if k >= len(names):
            axes.set_axis_off()
            continue
        range_graph(dataset, names[k], axes, k=k)
        axes.set(xlabel="", ylabel="")
        top = max(top, axes.dataLim.y1)
        axes.title.set_size(9)
    panels[0, 0].set_ylim(0.0, 1.05 * top or 1.0)
    figure.supxlabel("s from end A (m)", fontsize=9)
    figure.supylabel("tension (kN): smallest, mean and largest", fontsize=9)
    return figure


def tension_along(dataset: xr.Dataset, axes: Any = None) -> Any:
    """Tension along the lines; of a run the mean, and its range where few enough lines share the picture."""
    from ropewalk.plot.views import line_nodes

    figure, axes = axes_or_new(axes, 6.0, 3.6)
    lines = line_nodes(dataset)
    is_run = dataset.sizes.get("time", 1) > 1
    for k, (name, at) in enumerate(lines):
        s, tension = dataset["s"].values[at], KILO * dataset["tension"].values[:, at]
        if is_run and len(lines) <= FEW:
            axes.fill_between(s, tension.min(axis=0), tension.max(axis=0), color=look(k)["color"], alpha=0.15, lw=0.0)
        axes.plot(s, tension.mean(axis=0), lw=width(k, len(lines)), label=name, **look(k))
    what = "tension along the lines"
    title = what if not is_run else f"mean {what}" + (" (shaded: range)" if len(lines) <= FEW else "")
    axes.set(xlabel="s from end A (m)", ylabel="tension (kN)", title=title, ylim=(0.0, None))
    tidy(axes)
    return figure


def offset_curve(offset: Sequence[float], force: Sequence[float], axes: Any = None, *, label: str = "") -> Any:
    """Restoring force of a mooring against the offset of its platform.  offset : m    force : N"""
    x, y = np.asarray(offset, dtype=float), np.asarray(force, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or x.size < 2:
        raise InputError(f"an offset curve takes as many offsets as forces, at least 2, not {x.size} and {y.size}")
    figure, axes = axes_or_new(axes, 5.0, 3.6)
    k = len(axes.lines)
    axes.plot(x, KILO * y, marker="o", ms=3, lw=1.2, label=label or None, **look(k))
    axes.set(xlabel="offset (m)", ylabel="restoring force (kN)")
    tidy(axes)
    if label:
        axes.legend(frameon=False, fontsize=8)
    return figure


def _path(dataset: xr.Dataset, part: str) -> Array:
    """(time, 3) position of a body or a point, m."""
    for variable, kind in (("body_position", "body"), ("point_position", "point")):
        if variable in dataset and part in dataset[kind].values:
            return np.asarray(dataset[variable].sel({kind: part}).values)
    known = [str(n) for kind in ("body", "point") if kind in dataset.coords for n in dataset[kind].values]
    raise InputError(f"no body or point '{part}' in the result. Available: {', '.join(known) or 'none'}")
