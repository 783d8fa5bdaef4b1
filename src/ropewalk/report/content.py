"""What a report holds, as plain data: the same numbers for the page, the terminal and `--json`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.doubts import of_attributes
from ropewalk.errors import InputError
from ropewalk.post.events import events
from ropewalk.post.statistics import ALL, SIMPLE, TIMES, statistics
from ropewalk.post.utilisation import DEFAULT_CODE, utilisation
from ropewalk.post.window import statistics_start
from ropewalk.report.strength import fatigue_data, sweep_extremes, sweep_utilisation
from ropewalk.spec.system import System

if TYPE_CHECKING:
    import xarray as xr

ENDS = ("A", "B")
SEA_KEYS = ("kind", "height", "period", "significant_height", "peak_period", "gamma", "heading", "seed")
RUN, STATIC, SWEEP = "run", "static", "sweep"
NOISE = 1e-9  # of the largest component: round-off of a symmetric system
Figures = dict[str, float | None]


def report_data(
    dataset: xr.Dataset, *, code: str = DEFAULT_CODE, start: float | None = None, curve: str | None = None
) -> dict[str, Any]:
    """A result as plain data, statistics over the time after the ramp.

    code : whose safety factors count, a key of `ropewalk.post.utilisation.codes`
    start : s, in place of the end of the ramp    curve : of fatigue, a key of `ropewalk.post.fatigue.curves`
    """
    if "mode" in dataset.dims or "frequency" in dataset.dims:
        raise InputError("reports are made of runs, equilibria and sweeps; use 'ropewalk plot' for modes and responses")
    if "case" in dataset.dims:
        return _sweep_data(dataset, code)
    if "time" not in dataset.dims:
        raise InputError("the file contains neither a run nor a sweep; give a result of 'run', 'static' or 'sweep'")
    kind = RUN if dataset.sizes["time"] > 1 else STATIC
    figures = statistics(dataset, figures=ALL if kind == RUN else SIMPLE, start=start)
    system = System.model_validate_json(dataset.attrs["system"])
    return {
        "kind": kind,
        "title": system.title,
        "case": _case(system),
        "environment": _environment(system),
        "time": _time(dataset, start, kind),
        "lines": _lines(figures),
        "bodies": _bodies(figures),
        "utilisation": _utilisation(dataset, code, start),
        **({"fatigue": fatigue_data(dataset, curve, start)} if curve is not None and kind == RUN else {}),
        "events": [
            {"time": float(event.time), "part": event.part, "kind": event.kind, "sentence": event.text}
            for event in (events(dataset) if kind == RUN else [])
        ],
        "doubts": [doubt.as_dict() for doubt in of_attributes(dataset.attrs)],
        "audited": "doubts" in dataset.attrs and ("live" not in dataset.attrs or "audit" in dataset.attrs),
        "computed": _computed(dataset),
    }


def _case(system: System) -> dict[str, Any]:
    counts = {
        "lines": len(system.lines),
        "points": len(system.points),
        "bodies": len(system.bodies),
        "nets": len(system.nets),
        "links": len(system.links),
    }
    lengths = {
        name: {
            "length": line.length,
            "sections": " + ".join(f"{piece.length:g} m {piece.section}" for piece in line.pieces),
            "from": line.from_,
            "to": line.to,
        }
        for name, line in system.lines.items()
    }
    return {"counts": {name: count for name, count in counts.items() if count}, "lines": lengths}


def _environment(system: System) -> dict[str, Any]:
    sea = system.environment
    found: dict[str, Any] = {
        "depth": sea.depth,
        "gravity": sea.gravity,
        "water_density": sea.water_density,
    }
    if sea.current is not None:
        found["current"] = {"speed": _plain(sea.current.speed), "heading": _plain(sea.current.heading)}
    if sea.wind is not None:
        found["wind"] = {"speed": _plain(sea.wind.speed), "heading": _plain(sea.wind.heading)}
    if sea.waves is not None:
        waves = sea.waves.model_dump(mode="json")
        found["waves"] = {key: waves[key] for key in SEA_KEYS if waves.get(key) is not None}
    return found


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float) else value.model_dump(mode="json")


def _time(dataset: xr.Dataset, start: float | None, kind: str) -> dict[str, Any]:
    time = dataset["time"].values
    found = {"first": float(time[0]), "last": float(time[-1]), "records": int(time.size)}
    return found | ({"statistics_start": float(statistics_start(dataset, start))} if kind == RUN else {})


def _lines(figures: xr.Dataset) -> dict[str, Any]:
    """Statistics of the tension at both ends, and of the grounded length, by line."""
    if "end_tension_mean" not in figures:
        return {}
    found = {}
    for name in figures["line"].values:
        own = figures.sel(line=name)
        found[str(name)] = {end: _figures(own.sel(end=end), "end_tension") for end in ENDS}
        if "grounded_mean" in own:
            found[str(name)]["grounded"] = _figures(own, "grounded")
    return found


def _bodies(figures: xr.Dataset) -> dict[str, Any]:
    """Statistics of the six motions and of the net mooring force and moment, by body."""
    if "body_position_mean" not in figures:
        return {}
    found: dict[str, Any] = {}
    for name in figures["body"].values:
        own = figures.sel(body=name)
        parts = {}
        for variable, dim in (("body_position", "axis"), ("body_attitude", "turn"), ("mooring_force", "dof")):
            if f"{variable}_mean" not in own:
                continue
            along = own[f"{variable}_mean"].dims[0] if dim not in own[f"{variable}_mean"].dims else dim
            rows = {str(label): _figures(own.sel({along: label}), variable) for label in own[along].values}
            parts[variable] = {label: _without_noise(row, rows.values()) for label, row in rows.items()}
        found[str(name)] = parts
    return found


def _without_noise(row: Figures, rows: Iterable[Figures]) -> Figures:
    """The statistics of one component, zero where they are round-off beside the largest of all components."""
    largest = max((abs(each[key] or 0.0) for each in rows for key in SIMPLE if key in each), default=0.0)
    return {
        key: 0.0 if key not in TIMES and value is not None and abs(value) <= NOISE * largest else value
        for key, value in row.items()
    }


def _figures(own: xr.Dataset, variable: str) -> Figures:
    """All statistics of a variable, None for those that there are too few cycles for."""
    return {figure: _number(own[f"{variable}_{figure}"]) for figure in ALL if f"{variable}_{figure}" in own}


def _number(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None


def _utilisation(dataset: xr.Dataset, code: str, start: float | None) -> dict[str, Any]:
    if "end_tension" not in dataset:
        return {}
    used = utilisation(dataset, code=code, start=start)
    lines = {
        str(name): {
            "utilisation": _number(used["utilisation"].sel(line=name)),
            "safety_factor": _number(used["safety_factor"].sel(line=name)),
        }
        for name in used["line"].values
    }
    known = {name: row for name, row in lines.items() if row["safety_factor"] is not None}
    return {"code": code, "lines": known, "note": str(used.attrs.get("note", ""))} if known else {}


def _computed(dataset: xr.Dataset) -> dict[str, Any]:
    settings = json.loads(dataset.attrs.get("settings", "{}"))
    found = {
        key: dataset.attrs[key]
        for key in ("status", "version", "created_by", "parted", "start")
        if key in dataset.attrs
    }
    return {**found, "settings": settings}


def _sweep_data(sweep: xr.Dataset, code: str) -> dict[str, Any]:
    """Factors and, of every summary variable, its smallest, mean and largest value over the cases that were done."""
    status = sweep["status"].values.astype(str)
    done = status == "done"
    factors = {
        str(name): [_cell(value) for value in coordinate.values]
        for name, coordinate in sweep.coords.items()
        if coordinate.dims == ("case",) and name != "case"
    }
    outputs: dict[str, Any] = {}
    for name, variable in sweep.data_vars.items():
        if variable.dims[:1] != ("case",) or variable.dtype.kind != "f" or not done.any():
            continue
        values = variable.values[done].reshape(int(done.sum()), -1)
        kept = values[:, np.isfinite(values).any(axis=0)]
        if kept.size:
            outputs[str(name)] = {
                "min": _number(np.nanmin(kept)),
                "mean": _number(np.nanmean(kept)),
                "max": _number(np.nanmax(kept)),
                "unit": str(variable.attrs.get("units", "")),
            }
    reasons = sweep["reason"].values.astype(str) if "reason" in sweep else np.full(status.size, "")
    return {
        "kind": SWEEP,
        "title": str(sweep.attrs.get("title", "")),
        "cases": int(status.size),
        "done": int(done.sum()),
        "failed": [
            {"case": int(k), "status": str(status[k]), "reason": str(reasons[k])} for k in np.flatnonzero(~done)
        ],
        "factors": factors,
        "outputs": outputs,
        "extremes": sweep_extremes(sweep),
        "utilisation": sweep_utilisation(sweep, code),
        "code": code,
        "doubts": [doubt.as_dict() for doubt in of_attributes(sweep.attrs)],
        "computed": {key: str(sweep.attrs[key]) for key in ("version", "created_by") if key in sweep.attrs},
    }


def _cell(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
