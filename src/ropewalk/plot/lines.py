"""Pictures of results, by matplotlib. Functions return a Figure; `save` writes it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.results.files import write_whole

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from ropewalk.spec.system import System

WATER, BED, INK = "#2b7bba", "#a58f6f", "#333333"
COLOURS = ("#1b4f72", "#b03a2e", "#1e8449", "#b9770e", "#6c3483", "#117a65", "#7b241c", "#515a5a")
SHOWN_LINES = 8  # named in the legend; more would hide the picture


def draw(dataset: xr.Dataset) -> Figure:
    """Shapes from the side and from above, and tension along the lines; histories if there are any."""
    from ropewalk.plot import nets

    figure = empty_figure(11.0, 8.0 if dataset.sizes["time"] == 1 else 11.0)
    rows = 2 if dataset.sizes["time"] == 1 else 3
    grid = figure.add_gridspec(rows, 2, height_ratios=[1.25, *([1.0] * (rows - 1))])
    side = figure.add_subplot(grid[0, :])
    above, along = figure.add_subplot(grid[1, 0]), figure.add_subplot(grid[1, 1])
    heading = _widest_heading(dataset)
    for k, (name, at) in enumerate(_nodes(dataset)):
        colour = COLOURS[k % len(COLOURS)]
        label = name if k < SHOWN_LINES else None
        r = dataset["position"].values[-1, at]
        side.plot(r[:, :2] @ heading, r[:, 2], color=colour, lw=1.4, label=label)
        above.plot(r[:, 0], r[:, 1], color=colour, lw=1.2)
        s, tension = dataset["s"].values[at], 1e-3 * dataset["tension"].values[:, at]
        along.plot(s, tension[-1], color=colour, lw=1.4)
        if rows == 3:
            along.fill_between(s, tension.min(axis=0), tension.max(axis=0), color=colour, alpha=0.15, lw=0.0)
    if nets.has_nets(dataset):
        nets.draw_nets(side, dataset, np.array([[*heading, 0.0], [0.0, 0.0, 1.0]]))
        nets.draw_nets(above, dataset, np.eye(2, 3))
    _sea(side, dataset, heading)
    _hulls(side, dataset, heading)
    for axes in (side, above):
        _parts(axes, dataset, None if axes is above else heading)
        axes.set_aspect("equal", adjustable="datalim")
    title = dataset.attrs.get("title") or ("equilibrium" if rows == 2 else "at the end of the run")
    moment = f", t = {float(dataset['time'][-1]):g} s" if rows == 3 else ""
    side.set(xlabel=_along_text(heading), ylabel="z (m)", title=f"{title}{moment}")
    above.set(xlabel="x (m)", ylabel="y (m)", title="from above")
    if "tension" in dataset or not nets.has_nets(dataset):
        along.set(
            xlabel="s from end A (m)",
            ylabel="tension (kN)",
            title="tension along the lines" if rows == 2 else "tension along the lines (shaded: over the run)",
        )
        along.set_ylim(bottom=0.0)
    else:
        nets.draw_tensions(along, dataset)
    if side.get_legend_handles_labels()[0]:
        legend_beside(side)
    if rows == 3 and nets.has_nets(dataset):
        nets.draw_forces(figure.add_subplot(grid[2, :]), dataset)
    elif rows == 3:
        _history(figure.add_subplot(grid[2, :]), dataset)
    return figure


def draw_sea(system: System, duration: float) -> Figure:
    """Elevation at the origin, wave amplitudes over frequency, and the current profile."""
    from ropewalk.analysis.sea import current_profile, surface
    from ropewalk.model.environment import build_sea
    from ropewalk.physics import waves

    sea = build_sea(system.environment)
    figure = empty_figure(11.0, 6.5)
    grid = figure.add_gridspec(2, 2)
    record, spectrum = figure.add_subplot(grid[0, :]), figure.add_subplot(grid[1, 0])
    profile = figure.add_subplot(grid[1, 1])
    times = np.linspace(0.0, duration, 2001)
    record.plot(times, surface(sea, times), color=WATER, lw=0.9)
    record.set(xlabel="t (s)", ylabel="elevation (m)", title=system.title or "sea", xlim=(0.0, duration))
    spectrum.vlines(sea.wave[waves.OMEGA], 0.0, sea.wave[waves.AMPLITUDE], color=WATER, lw=1.0)
    spectrum.set(xlabel="omega (rad/s)", ylabel="amplitude (m)", title=f"{sea.wave.shape[1]} wave components")
    depth = sea.depth if np.isfinite(sea.depth) else 100.0
    z = np.linspace(-depth, 0.0, 101)
    velocity = current_profile(sea, z)
    profile.plot(velocity[:, 0], z, color=COLOURS[0], label="x")
    profile.plot(velocity[:, 1], z, color=COLOURS[1], label="y")
    profile.set(xlabel="current (m/s)", ylabel="z (m)", title="current")
    profile.legend(frameon=False, fontsize=8)
    return figure


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure; the ending of the name says the format."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} is not a folder; make it first")
    picture = io.BytesIO()
    figure.savefig(picture, dpi=130, format=path.suffix.lstrip(".").lower())
    write_whole(path, picture.getvalue())


def legend_beside(axes: Any) -> None:
    """Names to the right of the picture, where they cover nothing."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8)


def empty_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches; InputError without matplotlib."""
    try:
        from matplotlib.figure import Figure as Made
    except ImportError:
        raise InputError("drawing needs matplotlib: pip install 'ropewalk[plot]'") from None
    return Made(figsize=(width, height), layout="constrained")


def _nodes(dataset: xr.Dataset) -> list[tuple[str, np.ndarray[Any, Any]]]:
    """Name and node numbers of each line, in the order of the file."""
    line = dataset["node_line"].values if "node_line" in dataset else np.array([])
    names = list(dict.fromkeys(line.tolist()))
    return [(name, np.flatnonzero(line == name)) for name in names]


def _widest_heading(dataset: xr.Dataset) -> np.ndarray[Any, Any]:
    """Horizontal unit vector along which lines and nets spread most: the side view looks across it."""
    from ropewalk.plot.nets import places

    xy = places(dataset)[:, :2]
    if xy.shape[0] < 2:
        return np.array([1.0, 0.0])
    _, sizes, directions = np.linalg.svd(xy - xy.mean(axis=0), full_matrices=False)
    if sizes[1] > 0.9 * sizes[0]:  # as wide one way as the other: keep x
        return np.array([1.0, 0.0])
    return np.asarray(directions[0] * (1.0 if directions[0, 0] >= 0.0 else -1.0))


def _along_text(heading: np.ndarray[Any, Any]) -> str:
    angle = float(np.degrees(np.arctan2(heading[1], heading[0])))
    return "x (m)" if abs(angle) < 0.5 else f"along {angle:.0f} deg from x (m)"


def _sea(axes: Any, dataset: xr.Dataset, heading: np.ndarray[Any, Any]) -> None:
    """Water line and bed in the side view."""
    from ropewalk.io.netcdf import system_of

    environment = system_of(dataset).environment
    if environment.water_density > 0.0:
        axes.axhline(0.0, color=WATER, lw=1.0, zorder=0)
    if environment.has_seabed and environment.depth is not None:
        axes.axhline(-environment.depth, color=BED, lw=1.5, zorder=0)


def _hulls(axes: Any, dataset: xr.Dataset, heading: np.ndarray[Any, Any]) -> None:
    """Outlines of hulls in the side view, as they stand."""
    from ropewalk.io.netcdf import system_of
    from ropewalk.model.state import rotation_matrix
    from ropewalk.spec.bodies import AxisymmetricHull, SphereHull

    if "body_position" not in dataset:
        return
    across = np.array([heading[0], heading[1], 0.0])
    for k, body in enumerate(system_of(dataset).bodies.values()):
        origin, R = dataset["body_position"].values[-1, k], rotation_matrix(dataset["body_quaternion"].values[-1, k])
        if isinstance(body.hull, AxisymmetricHull):
            z, r = np.array(body.hull.profile).T
            sideways = (
                across - (across @ R[:, 2]) * R[:, 2]
            )  # world direction across the axis, nearest the picture plane
            size = np.linalg.norm(sideways)
            sideways = sideways / size if size > 0.0 else R[:, 0]
            ring = np.concatenate([z, z[::-1], z[:1]]), np.concatenate([r, -r[::-1], r[:1]])
            outline = origin + ring[0][:, None] * R[:, 2] + ring[1][:, None] * sideways
        elif isinstance(body.hull, SphereHull):
            turn = np.linspace(0.0, 2.0 * np.pi, 73)[:, None]
            centre = origin + R @ np.array(body.hull.centre)
            outline = centre + body.hull.radius * (np.cos(turn) * across + np.sin(turn) * np.array([0.0, 0.0, 1.0]))
        else:
            continue
        axes.fill(outline @ across, outline[:, 2], facecolor="#d5d8dc", edgecolor=INK, lw=0.8, zorder=2)


def _parts(axes: Any, dataset: xr.Dataset, heading: np.ndarray[Any, Any] | None) -> None:
    """Points as dots, origins of bodies as crosses."""
    for variable, marker, size in (("point_position", "o", 3), ("body_position", "+", 6)):
        if variable not in dataset or not dataset[variable].size:
            continue
        r = dataset[variable].values[-1]
        x, y = (r[:, 0], r[:, 1]) if heading is None else (r[:, :2] @ heading, r[:, 2])
        axes.plot(x, y, marker, color=INK, ms=size, zorder=3)


def _history(axes: Any, dataset: xr.Dataset) -> None:
    """Tension at both ends of every line over time."""
    tension = dataset["end_tension"].values
    for k, name in enumerate(dataset["line"].values[:SHOWN_LINES].tolist()):
        for j, end in enumerate(dataset["end"].values.tolist()):
            style = "-" if end == "B" else ":"
            axes.plot(dataset["time"].values, 1e-3 * tension[:, k, j], style, color=COLOURS[k % len(COLOURS)], lw=0.9,
                      label=f"{name} {end}")  # fmt: skip
    axes.set(xlabel="t (s)", ylabel="end tension (kN)")
    legend_beside(axes)
