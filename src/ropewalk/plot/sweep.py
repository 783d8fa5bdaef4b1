"""Sweeps as pictures: curves over one factor, a matrix over two, scatter over seeds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.plot.style import axes_or_new, legend_beside, look, tidy

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array

PREFERRED = ("end_tension_max", "end_tension", "period", "heave")  # drawn unless a variable is named
SEED = "seed"
MOST_CURVES = 32  # as many as have a look of their own


def draw_sweep(dataset: xr.Dataset, variable: str | None = None, axes: Any = None) -> Any:
    """A figure of one output over the factors of a sweep.

    variable : name of an output by case; the largest end tension unless given. Over one factor its parts are curves,
    over two the largest of them is a matrix. Seeds are scatter around the mean over them.
    """
    name = variable or next((word for word in PREFERRED if word in dataset), None)
    by_case = {str(key): value for key, value in dataset.data_vars.items() if value.dims[:1] == ("case",)}
    outputs = [key for key, value in by_case.items() if value.dtype == float]
    if name is None or name not in outputs:
        raise InputError(f"the sweep has no output '{name}'. Available: {', '.join(outputs) or 'none'}")
    factors = [f for f in json.loads(dataset.attrs.get("factors", "{}")).values() if _varies(dataset[f].values)]
    shown = [factor for factor in factors if factor != SEED] or factors
    figure, axes = axes_or_new(axes, 7.0, 4.5)
    levels = [np.unique(dataset[factor].values) for factor in shown]
    rows = len(dataset["case"]) // (len(np.unique(dataset[SEED].values)) if SEED in factors and shown != factors else 1)
    if len(shown) == 2 and levels[0].size * levels[1].size == rows:
        _matrix(figure, axes, dataset, name, shown)
    else:
        _curves(axes, dataset, name, shown[0] if shown else "case")
    axes.set_title(dataset.attrs.get("title", ""))
    return figure


def _varies(values: Array) -> bool:
    return bool(np.unique(values).size > 1)


def _label(variable: xr.DataArray, name: str) -> str:
    unit = variable.attrs.get("units", "")
    return f"{name.replace('_', ' ')} ({unit})" if unit not in ("", "1") else name.replace("_", " ")


def _curves(axes: Any, dataset: xr.Dataset, name: str, factor: str) -> None:
    """One curve for every part of the output; several cases at a level are dots, and the curve is their mean."""
    variable = dataset[name]
    x = dataset[factor].values
    is_number = np.issubdtype(x.dtype, np.number)
    ticks = np.unique(x)
    place = x.astype(float) if is_number else np.searchsorted(ticks, x).astype(float)
    parts = list(np.ndindex(variable.shape[1:]))
    for k, part in enumerate(parts[:MOST_CURVES]):
        y = variable.values[(slice(None), *part)]
        label = " ".join(str(variable[dim].values[i]) for dim, i in zip(variable.dims[1:], part, strict=True))
        at = np.unique(place)
        axes.plot(at, [_mean(y, place == value) for value in at], lw=1.2, label=label or None, **look(k))
        axes.plot(place, y, ".", color=look(k)["color"], markersize=4)
    if not is_number:
        axes.set_xticks(range(ticks.size), [str(tick) or "intact" for tick in ticks])
    axes.set_xlabel(factor.replace("_", " "))
    axes.set_ylabel(_label(variable, name))
    if variable.ndim > 1:
        legend_beside(axes)
    tidy(axes)


def _mean(values: Array, where: Any) -> float:
    kept = values[where & np.isfinite(values)]
    return float(kept.mean()) if kept.size else float("nan")


def _matrix(figure: Any, axes: Any, dataset: xr.Dataset, name: str, factors: list[str]) -> None:
    """The largest part of the output over two factors, the mean over seeds."""
    variable = dataset[name]
    flat = variable.values.reshape(variable.shape[0], -1)
    filled = np.where(np.isfinite(flat), flat, -np.inf).max(axis=1)
    worst = np.where(np.isfinite(filled), filled, np.nan)
    columns = [dataset[factor].values for factor in factors]
    levels = [np.unique(column) for column in columns]
    table = np.array([[_mean(worst, (columns[0] == a) & (columns[1] == b)) for b in levels[1]] for a in levels[0]])
    image = axes.imshow(table, origin="lower", aspect="auto", cmap="viridis")
    for axis, level, factor in ((axes.yaxis, levels[0], factors[0]), (axes.xaxis, levels[1], factors[1])):
        is_number = np.issubdtype(level.dtype, np.number)
        axis.set_ticks(range(level.size), [f"{value:g}" if is_number else str(value) for value in level])
        axis.set_label_text(factor.replace("_", " "))
    for i, j in np.ndindex(table.shape):
        if np.isfinite(table[i, j]):
            axes.text(j, i, f"{table[i, j]:.3g}", ha="center", va="center", fontsize="small", color="white")
    figure.colorbar(image, label=_label(variable, name))
