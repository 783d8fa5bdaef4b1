"""A run in a few numbers per part, as plain data: what `run` and `report` print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.post.bodies import buoy_histories
from ropewalk.post.statistics import SIMPLE, TIMES, figures_of
from ropewalk.post.window import is_within_ramp, statistics_start
from ropewalk.spec.system import System

if TYPE_CHECKING:
    from ropewalk.model.arrays import Array
    from ropewalk.results.record import Recorded

FIGURES = (*SIMPLE, *TIMES)

Figures = dict[str, float]


def overview(results: Recorded, start: float | None = None) -> dict[str, Any]:
    """Statistics of a run after its ramp: mean, std, min, max, time_of_max and time_of_min (s).

    Of tensions by line and end and of the force of the water on nets, N; of bodies that are not fixed `offset` and
    `freeboard`, m, and `cone_angle`, degrees. `start`, s, is where the statistics begin; a run that ends within its
    ramp is taken whole.
    """
    found = results.variables
    if "time" not in found:
        return {"start": 0.0, "lines": {}, "nets": {}, "bodies": {}}
    time = found["time"].values
    begin = 0.0 if start is None and is_within_ramp(results) else statistics_start(results, start)
    kept = np.flatnonzero(time >= begin)

    def told(values: Any) -> Figures:
        figures = figures_of(np.asarray(values)[kept], time[kept], FIGURES)
        return {name: float(figures[name]) for name in FIGURES}

    lines: dict[str, dict[str, Figures]] = {}
    if "end_tension" in found:
        tension = found["end_tension"].values
        lines = {
            str(name): {str(end): told(tension[:, k, e]) for e, end in enumerate(found["end"].values)}
            for k, name in enumerate(found["line"].values)
        }
    nets = {}
    if "net_force" in found:
        forces = np.linalg.norm(found["net_force"].values, axis=-1)
        nets = {str(name): told(forces[:, k]) for k, name in enumerate(found["net"].values)}
    motions = {body: {what: told(values) for what, values in ways.items()} for body, ways in _motions(results).items()}
    return {"start": float(time[kept[0]]) if kept.size else begin, "lines": lines, "nets": nets, "bodies": motions}


def _motions(results: Recorded) -> dict[str, dict[str, Array]]:
    """What bodies do that are not fixed; no freeboard of those without a hull."""
    if "body_position" not in results.variables:
        return {}
    found: dict[str, dict[str, Array]] = {}
    for name, body in System.model_validate_json(results.attrs["system"]).bodies.items():
        if body.joint == "fixed":
            continue
        history = buoy_histories(results, name)
        ways = {"offset": history["offset"], "cone_angle": history["cone"], "freeboard": history["freeboard"]}
        found[name] = {what: values for what, values in ways.items() if not np.isnan(values).any()}
    return found
