"""A result from the side and from above, at one scale both ways or with the exaggeration stated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.plot.outlines import hull_outline
from ropewalk.plot.style import BED, INK, PALE, WATER, axes_or_new, legend_beside, look, tidy, width

if TYPE_CHECKING:
    import xarray as xr

MOST_LABELS = 24  # names beside the lines; more would cover each other, and the legend has them all
FLAT = 9.0  # width over height of a side view above which heights are exaggerated
SHOWN_SLOPE = 4.0  # width over height that an exaggerated view gets
MOVED = 0.02  # of the extent of a case: parts that go farther leave a track
NAMED_GAP = 0.03  # of the extent: attachments closer than this to the last named one stay without a name


def side_view(dataset: xr.Dataset, axes: Any = None, *, time: int = -1) -> Any:
    """Lines, nets, hulls, points and attachments from the side, across their widest spread.

    time : number of the record, the last unless given. The figure is returned.
    """
    from ropewalk.plot import nets

    figure, axes = axes_or_new(axes, 9.0, 4.0)
    heading = widest_heading(dataset)
    lines = line_nodes(dataset)
    for k, (name, at) in enumerate(lines):
        r = dataset["position"].values[time, at]
        axes.plot(r[:, :2] @ heading, r[:, 2], lw=width(k, len(lines)), label=name, zorder=3, **look(k))
    if nets.has_nets(dataset):
        nets.draw_nets(axes, dataset, np.array([[*heading, 0.0], [0.0, 0.0, 1.0]]))
    _hulls(axes, dataset, heading, time)
    _parts(axes, dataset, np.array([[*heading, 0.0], [0.0, 0.0, 1.0]]), time)
    _attachments(axes, dataset, heading, time)
    _sea(axes, dataset)
    axes.set(xlabel=along_text(heading), ylabel="z (m)")
    _scale(axes)
    tidy(axes, grid=False)
    return figure


def plan_view(dataset: xr.Dataset, axes: Any = None, *, time: int = -1, tracks: bool = True) -> Any:
    """Lines, nets and bodies from above, names at the ends of lines, and the tracks of what moves.

    time : number of the record, the last unless given    tracks : paths over the run of parts that move
    """
    from ropewalk.plot import nets

    figure, axes = axes_or_new(axes, 6.0, 6.0)
    lines = line_nodes(dataset)
    for k, (_, at) in enumerate(lines):
        r = dataset["position"].values[time, at]
        axes.plot(r[:, 0], r[:, 1], lw=1.2, zorder=3, **look(k))
    if nets.has_nets(dataset):
        nets.draw_nets(axes, dataset, np.eye(2, 3))
    if tracks and dataset.sizes.get("time", 1) > 1:
        _tracks(axes, dataset)
    _parts(axes, dataset, np.eye(2, 3), time)
    axes.set(xlabel="x (m)", ylabel="y (m)", title="from above")
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.12)
    if 1 < len(lines) <= MOST_LABELS:
        _labels(axes, dataset, lines, time)
    tidy(axes, grid=False)
    return figure


def tracks_view(dataset: xr.Dataset, axes: Any = None) -> Any:
    """Paths over the run of points and bodies that move, from above, with the shape of the lines at some moments."""
    figure, axes = axes_or_new(axes, 7.0, 5.0)
    shown = np.unique(np.linspace(0, dataset.sizes["time"] - 1, 7).astype(int))
    for time in shown:
        for _, at in line_nodes(dataset):
            r = dataset["position"].values[time, at]
            axes.plot(r[:, 0], r[:, 1], color=PALE, lw=0.8, zorder=2)
        moment = dataset["position"].values[time, 0] if "position" in dataset else None
        if moment is not None:
            axes.annotate(f"{float(dataset['time'][time]):g} s", moment[:2], fontsize=7, color=PALE, xytext=(3, 3),
                          textcoords="offset points")  # fmt: skip
    _tracks(axes, dataset, named=True)
    axes.set(xlabel="x (m)", ylabel="y (m)", title="tracks from above")
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    tidy(axes)
    legend_beside(axes)
    return figure


def line_nodes(dataset: xr.Dataset) -> list[tuple[str, np.ndarray[Any, Any]]]:
    """Name and node numbers of each line, in the order of the file."""
    line = dataset["node_line"].values if "node_line" in dataset else np.array([])
    names = list(dict.fromkeys(line.tolist()))
    return [(name, np.flatnonzero(line == name)) for name in names]


def widest_heading(dataset: xr.Dataset) -> np.ndarray[Any, Any]:
    """Horizontal unit vector along which lines and nets spread most: the side view looks across it."""
    from ropewalk.plot.nets import places

    xy = places(dataset)[:, :2]
    if xy.shape[0] < 2:
        return np.array([1.0, 0.0])
    _, sizes, directions = np.linalg.svd(xy - xy.mean(axis=0), full_matrices=False)
    if sizes[1] > 0.9 * sizes[0]:  # as wide one way as the other: keep x
        return np.array([1.0, 0.0])
    return np.asarray(directions[0] * (1.0 if directions[0, 0] >= 0.0 else -1.0))


def along_text(heading: np.ndarray[Any, Any]) -> str:
    """The label of the horizontal axis of a side view."""
    angle = float(np.degrees(np.arctan2(heading[1], heading[0])))
    return "x (m)" if abs(angle) < 0.5 else f"along {angle:.0f} deg from x (m)"


def _scale(axes: Any) -> None:
    """One scale both ways; where the view would be a thin strip, heights are exaggerated and the picture states it."""
    (x0, x1), (z0, z1) = axes.get_xlim(), axes.get_ylim()
    ratio = (x1 - x0) / max(z1 - z0, 1e-9)
    if ratio <= FLAT:
        axes.set_aspect("equal", adjustable="datalim")
        return
    factor = float(np.round(ratio / SHOWN_SLOPE))
    axes.set_aspect(factor, adjustable="datalim")
    axes.text(0.995, 0.02, f"heights exaggerated {factor:g} times", transform=axes.transAxes, ha="right", fontsize=8,
              color=PALE)  # fmt: skip


def _labels(axes: Any, dataset: xr.Dataset, lines: list[tuple[str, Any]], time: int) -> None:
    """The name of each line at its outer end, in its colour."""
    r = dataset["position"].values[time]
    middle = r[:, :2].mean(axis=0)
    for k, (name, at) in enumerate(lines):
        ends = r[at[[0, -1]], :2]
        outer = ends[int(np.argmax(np.linalg.norm(ends - middle, axis=1)))]
        way = outer - middle
        size = float(np.hypot(*way)) or 1.0
        side = "left" if way[0] > 0.3 * size else "right" if way[0] < -0.3 * size else "center"
        up = "bottom" if way[1] > 0.3 * size else "top" if way[1] < -0.3 * size else "center"
        axes.annotate(name, outer, xytext=tuple(4.0 * way / size), textcoords="offset points", ha=side, va=up,
                      fontsize=7, color=look(k)["color"], zorder=6)  # fmt: skip


def _sea(axes: Any, dataset: xr.Dataset) -> None:
    """Still water and bed in a side view."""
    from ropewalk.io.netcdf import system_of

    environment = system_of(dataset).environment
    if environment.water_density > 0.0:
        axes.axhline(0.0, color=WATER, lw=1.0, zorder=1)
    if environment.has_seabed and environment.depth is not None and environment.seabed.kind != "grid":
        axes.axhline(-environment.depth, color=BED, lw=1.5, zorder=1)


def _hulls(axes: Any, dataset: xr.Dataset, heading: np.ndarray[Any, Any], time: int) -> None:
    """Outlines of hulls in the side view, as they stand."""
    from ropewalk.io.netcdf import system_of
    from ropewalk.model.state import rotation_matrix

    if "body_position" not in dataset:
        return
    across = np.array([heading[0], heading[1], 0.0])
    for k, body in enumerate(system_of(dataset).bodies.values()):
        origin, R = (
            dataset["body_position"].values[time, k],
            rotation_matrix(dataset["body_quaternion"].values[time, k]),
        )
        for hull in body.all_hulls:
            outline = origin + hull_outline(hull, R, np.array([across, [0.0, 0.0, 1.0]]))
            axes.fill(outline @ across, outline[:, 2], facecolor="#d5d8dc", edgecolor=INK, lw=0.8, zorder=2)


def _parts(axes: Any, dataset: xr.Dataset, plane: np.ndarray[Any, Any], time: int) -> None:
    """Points as dots, origins of bodies as crosses."""
    for variable, marker, size in (("point_position", "o", 3), ("body_position", "+", 6)):
        if variable in dataset and dataset[variable].size:
            axes.plot(*(dataset[variable].values[time] @ plane.T).T, marker, color=INK, ms=size, zorder=5)


def _attachments(axes: Any, dataset: xr.Dataset, heading: np.ndarray[Any, Any], time: int) -> None:
    """Floats as open circles, weights and instruments as filled squares, with their names."""
    from ropewalk.io.netcdf import system_of

    system = system_of(dataset)
    extent = float(np.ptp(dataset["position"].values[time], axis=0).max()) if "position" in dataset else 0.0
    density = system.environment.water_density
    for name, at in line_nodes(dataset):
        last = None
        for part in system.lines[name].attachments if name in system.lines else ():
            near = at[int(np.argmin(np.abs(dataset["s"].values[at] - part.s)))]
            r = dataset["position"].values[time, near]
            place = np.array([r[:2] @ heading, r[2]])
            floats = part.volume * density > part.mass
            marker, size, face = ("o", 4.5, "white") if floats else ("s", 3.5, INK)
            axes.plot(*place, marker, ms=size, mfc=face, mec=INK, mew=0.8, zorder=6)
            if part.name and (last is None or np.linalg.norm(place - last) > NAMED_GAP * extent):
                axes.annotate(part.name, place, xytext=(6, -2), textcoords="offset points", fontsize=7, color=INK)
                last = place


def _tracks(axes: Any, dataset: xr.Dataset, *, named: bool = False) -> None:
    """Paths of points and bodies from above, an open circle at the start."""
    places = [
        dataset[name].values[..., :2] for name in ("position", "point_position", "body_position") if name in dataset
    ]
    extent = max((float(np.ptp(p.reshape(-1, 2), axis=0).max()) for p in places if p.size), default=0.0)
    k = 0
    for variable, part in (("point_position", "point"), ("body_position", "body")):
        if variable not in dataset:
            continue
        for j, name in enumerate(dataset[part].values):
            path = dataset[variable].values[:, j, :2]
            if float(np.ptp(path, axis=0).max()) <= MOVED * extent:
                continue
            style = look(k) if named else {"color": PALE, "ls": "-"}
            axes.plot(*path.T, lw=1.3 if named else 0.8, label=str(name) if named else None, zorder=3, **style)
            axes.plot(*path[0], "o", ms=4, mfc="white", mec=style["color"], zorder=4)
            k += 1
