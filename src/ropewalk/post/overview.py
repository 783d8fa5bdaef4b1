"""A run in a few numbers per part, as plain data: what `run` and `report` print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.post.bodies import buoy_histories
from ropewalk.post.statistics import SIMPLE, TIMES, figures_of
from ropewalk.post.window import is_within_ramp, statistics_start
from ropewalk.spec.system import System

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array

FIGURES = (*SIMPLE, *TIMES)
UNITS = {"offset": "m", "cone_angle": "degree", "freeboard": "m"}  # of what is told of bodies

Figures = dict[str, float]


def overview(dataset: xr.Dataset, start: float | None = None) -> dict[str, Any]:
    """Statistics of a run after its ramp: mean, std, min, max, time_of_max and time_of_min (s).

    Of tensions by line and end and of the force of the water on nets, N; of bodies that are not fixed `offset` and
    `freeboard`, m, and `cone_angle`, degrees. `start`, s, is where the statistics begin; a run that ends within its
    ramp is taken whole.
    """
    if "time" not in dataset.coords:
        return {"start": 0.0, "lines": {}, "nets": {}, "bodies": {}}
    time = dataset["time"].values
    begin = 0.0 if start is None and is_within_ramp(dataset) else statistics_start(dataset, start)
    kept = np.flatnonzero(time >= begin)

    def told(values: Any) -> Figures:
        figures = figures_of(np.asarray(values)[kept], time[kept], FIGURES)
        return {name: float(figures[name]) for name in FIGURES}

    lines: dict[str, dict[str, Figures]] = {}
    if "end_tension" in dataset:
        tension = dataset["end_tension"]
        lines = {
            str(name): {str(end): told(tension.sel(line=name, end=end).values) for end in tension["end"].values}
            for name in tension["line"].values
        }
    nets = {}
    if "net_force" in dataset:
        forces = np.linalg.norm(dataset["net_force"].values, axis=-1)
        nets = {str(name): told(forces[:, k]) for k, name in enumerate(dataset["net"].values)}
    motions = {body: {what: told(values) for what, values in ways.items()} for body, ways in _motions(dataset).items()}
    return {"start": float(time[kept[0]]) if kept.size else begin, "lines": lines, "nets": nets, "bodies": motions}


def _motions(dataset: xr.Dataset) -> dict[str, dict[str, Array]]:
    """What bodies do that are not fixed; no freeboard of those without a hull."""
    if "body_position" not in dataset:
        return {}
    found: dict[str, dict[str, Array]] = {}
    for name, body in System.model_validate_json(dataset.attrs["system"]).bodies.items():
        if body.joint == "fixed":
            continue
        history = buoy_histories(dataset, name)
        ways = {"offset": history["offset"], "cone_angle": history["cone"], "freeboard": history["freeboard"]}
        found[name] = {what: values for what, values in ways.items() if not np.isnan(values).any()}
    return found
