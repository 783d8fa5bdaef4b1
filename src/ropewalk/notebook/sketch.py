"""Small drawings in SVG, made without a drawing library: a card must not take a second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ropewalk.notebook.html import escape

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]

WIDTH, HEIGHT, MARGIN = 520.0, 220.0, 12.0  # pixels
MOST_POINTS = 200  # of one curve; more do not show at this size
COLOURS = ("#2a78b5", "#c8553d", "#3b8f4f", "#8a5aa8", "#b5852a", "#4aa3a2", "#a83f6b", "#6b7280")
MARKED = ("point_position", "body_position", "net_position", "rest_point_position", "rest_body_position")
WATER, BED = "#2a78b5", "#8a6d3b"


def side_view(dataset: xr.Dataset, position: str = "position", bed: float | None = None) -> str:
    """Lines, nets, points and bodies of a result from the side, at its last moment; empty where it has no places.

    position : the variable of the places of line nodes    bed : height of the seabed, m
    """
    curves = {}
    if position in dataset:
        r, line = _last(dataset[position]), dataset["node_line"].values
        curves = {str(name): r[line == name] for name in dict.fromkeys(line.tolist())}
    dots = [_last(dataset[name]) for name in MARKED if name in dataset and "mode" not in dataset[name].dims]
    places = np.concatenate([np.zeros((0, 3)), *curves.values(), *dots])
    places = places[np.isfinite(places).all(axis=1)]
    if places.shape[0] < 2:
        return ""
    heading = _heading(places[:, :2])
    flat = {name: np.column_stack([r[:, :2] @ heading, r[:, 2]]) for name, r in curves.items()}
    marks = np.concatenate([np.zeros((0, 2)), *(np.column_stack([r[:, :2] @ heading, r[:, 2]]) for r in dots)])
    levels = {"still water": 0.0} | ({} if bed is None else {"seabed": bed})
    return drawing(flat, marks, levels)


def drawing(curves: Mapping[str, Array], marks: Array, levels: Mapping[str, float]) -> str:
    """Curves and marks at one scale both ways, with horizontal levels.  curves : by name, (n, 2) m; marks : (m, 2) m"""
    cloud = np.concatenate([*curves.values(), marks, np.zeros((0, 2))])
    cloud = cloud[np.isfinite(cloud).all(axis=1)]
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    shown = [z for z in levels.values() if low[1] - 0.5 * np.ptp(cloud) <= z <= high[1] + 0.5 * np.ptp(cloud)]
    low[1], high[1] = min([low[1], *shown]), max([high[1], *shown])
    size = np.maximum(high - low, 1e-9 + 0.02 * float((high - low).max()))
    scale = min((WIDTH - 2 * MARGIN) / size[0], (HEIGHT - 2 * MARGIN) / size[1])
    height = scale * size[1] + 2 * MARGIN

    def place(points: Array) -> Array:
        at: Array = np.column_stack([
            MARGIN + scale * (points[:, 0] - low[0]), height - MARGIN - scale * (points[:, 1] - low[1])
        ])  # fmt: skip
        return at

    parts = [
        f'<line x1="0" x2="{WIDTH:g}" y1="{y:.1f}" y2="{y:.1f}" stroke="{WATER if z == 0.0 else BED}" '
        f'stroke-dasharray="4 3"><title>{escape(name)}</title></line>'
        for name, z in levels.items()
        if z in shown
        for y in [float(place(np.array([[low[0], z]]))[0, 1])]
    ]
    parts += [_path(place(_thinned(r)), COLOURS[k % len(COLOURS)], name) for k, (name, r) in enumerate(curves.items())]
    kept = marks[np.isfinite(marks).all(axis=1)]
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" fill="currentColor"/>' for x, y in place(_thinned(kept))]
    return _svg(height, parts)


def chart(x: Array, series: Mapping[str, Array], label: str) -> str:
    """Curves over x from 0, each against its own largest value.  label : of x, below"""
    if x.size < 2 or not series:
        return ""
    span = float(x[-1] - x[0]) or 1.0
    parts = []
    for k, (name, y) in enumerate(series.items()):
        top = float(np.nanmax(np.abs(y), initial=0.0)) or 1.0
        at = np.column_stack([MARGIN + (WIDTH - 2 * MARGIN) * (x - x[0]) / span,
                              HEIGHT - 2 * MARGIN - (HEIGHT - 3 * MARGIN) * y / top])  # fmt: skip
        parts.append(_path(_thinned(at[np.isfinite(at).all(axis=1)]), COLOURS[k % len(COLOURS)], name))
    parts.append(
        f'<text x="{MARGIN:g}" y="{HEIGHT - 4:g}" font-size="11" fill="currentColor">{escape(label)}, '
        f"{x[0]:.3g} to {x[-1]:.3g}</text>"
    )
    return _svg(HEIGHT, parts)


def _path(points: Array, colour: str, name: str) -> str:
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    style = f'fill="none" stroke="{colour}" stroke-width="1.6"'
    return f'<polyline points="{text}" {style}><title>{escape(name)}</title></polyline>'


def _svg(height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH:g} {height:.0f}" role="img">{"".join(parts)}</svg>'
    )


def _last(variable: Any) -> Array:
    values: Array = (variable.isel(time=-1) if "time" in variable.dims else variable).values
    return np.asarray(values, dtype=float)


def _thinned(points: Array) -> Array:
    if len(points) <= MOST_POINTS:
        return points
    return points[np.unique(np.linspace(0, len(points) - 1, MOST_POINTS).astype(int))]


def _heading(xy: Array) -> Array:
    """Horizontal unit vector along which the places spread most."""
    _, sizes, directions = np.linalg.svd(xy - xy.mean(axis=0), full_matrices=False)
    if sizes.size < 2 or sizes[1] > 0.9 * sizes[0]:  # as wide one way as the other: keep x
        return np.array([1.0, 0.0])
    return np.asarray(directions[0] * (1.0 if directions[0, 0] >= 0.0 else -1.0))
