"""Utilisation of lines by limit state: tensions against breaking loads and the factors of codes."""

from __future__ import annotations

import json
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.post.fatigue import NOT_CERTIFIED
from ropewalk.post.statistics import statistics
from ropewalk.spec import arguments
from ropewalk.spec.system import System

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array

DEFAULT_CODE = "api_rp_2sk"
INTACT, BROKEN, TRANSIENT = "intact", "one_line_broken", "transient"
STATES = (INTACT, BROKEN, TRANSIENT)


@cache
def codes() -> dict[str, Any]:
    """Factors by code and limit state; each cites its edition and clause."""
    text = files("ropewalk.post").joinpath("data", "limit_states.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def utilisation(
    dataset: xr.Dataset, state: str | None = None, *, code: str = DEFAULT_CODE, start: float | None = None
) -> xr.Dataset:
    """Utilisation and safety factor of every line, of a run or of each case of a sweep; 1 is all that the code allows.

    state : intact, one_line_broken or transient. Unless given, cases of a sweep with a broken line are one_line_broken,
    or transient where the line parts on the way, and all else is intact.
    code : key of `codes()`    start : s, of a run, in place of the end of its start-up ramp

    Gives `utilisation` and `safety_factor` (breaking load over the largest tension) by line, NaN where no breaking load
    is known, and `limit_state` by case. Not a certified check.
    """
    import xarray as xr

    if arguments.text("code", code, DEFAULT_CODE) not in codes():
        near = get_close_matches(code, codes(), 1)
        guess = f"; did you mean '{near[0]}'?" if near else "."
        raise InputError(f"no code '{code}'{guess} Available: {', '.join(codes())}")
    if state is not None and arguments.text("state", state, next(iter(STATES))) not in STATES:
        raise InputError(f"no limit state '{state}'. Available: {', '.join(STATES)}")
    is_sweep = "case" in dataset.dims
    values = dataset if is_sweep else statistics(dataset, ["end_tension"], figures=("mean", "max"), start=start)
    largest, mean = _tensions(values)
    names = [str(name) for name in values["line"].values]
    if "breaking_load" in values:
        load = values["breaking_load"].values
    else:
        load = np.array([breaking_loads(System.model_validate_json(dataset.attrs["system"]), names)] * len(largest))
    states = _states(dataset, state) if is_sweep else np.array([state or INTACT])
    used = np.array([_use(codes()[code], str(s), largest[k], mean[k], load[k]) for k, s in enumerate(states)])
    factor = load / largest
    dims = ("case", "line") if is_sweep else ("line",)
    about = {"utilisation": (used, "1"), "safety_factor": (factor, "1"), "breaking_load": (load, "N")}
    variables: dict[str, Any] = {
        name: (dims, array if is_sweep else array[0], {"units": unit}) for name, (array, unit) in about.items()
    }
    coordinates: dict[str, Any] = {"line": names}
    if is_sweep:
        variables["limit_state"] = ("case", states.astype(str))
        coordinates |= {str(name): dataset[name] for name in dataset.coords if dataset[name].dims == ("case",)}
    attrs = {"code": code, "source": codes()[code]["source"], "note": NOT_CERTIFIED}
    if not is_sweep:
        attrs["limit_state"] = str(states[0])
    return xr.Dataset(variables, coordinates, attrs)


def breaking_loads(system: System, lines: list[str]) -> Array:
    """(n,) N, of the weakest section of each line; NaN where one is not known."""
    found = []
    for name in lines:
        loads = [system.sections[piece.section].breaking_load for piece in system.lines[name].pieces]
        found.append(min((np.nan if load is None else load for load in loads), key=lambda x: (x == x, x)))
    return np.array(found, dtype=float)


def _tensions(values: xr.Dataset) -> tuple[Array, Array]:
    """Largest and mean tension (cases, lines), N: the larger of both ends, and of the whole line where it is known."""
    name = "end_tension_max" if "end_tension_max" in values else "end_tension"
    if name not in values:
        raise InputError("utilisation needs the tensions of lines; the result has no end_tension")
    by_line = values[name].max("end").transpose(..., "line").values
    middle = values["end_tension_mean"] if "end_tension_mean" in values else values[name]
    means = middle.max("end").transpose(..., "line").values
    for whole in ("tension_max", "max_tension"):
        if whole in values and values[whole].dims[-1] == "line":
            by_line = np.fmax(by_line, values[whole].values)
    return np.atleast_2d(by_line), np.atleast_2d(means)


def _states(sweep: xr.Dataset, state: str | None) -> Array:
    n = sweep.sizes["case"]
    if state is not None:
        return np.full(n, state)
    if "broken" not in sweep.coords:
        return np.full(n, INTACT)
    parts = any(factor.get("time") is not None for factor in json.loads(sweep.attrs.get("sweep", "{}")).get("vary", ()))
    return np.where(sweep["broken"].values == "", INTACT, TRANSIENT if parts else BROKEN)


def _use(code: dict[str, Any], state: str, largest: Array, mean: Array, load: Array) -> Array:
    """(lines,) utilisation"""
    factors = code["states"][state]
    if code["kind"] == "safety_factor":
        return largest * factors / load
    return (mean * factors[0] + (largest - mean) * factors[1]) / (code["strength"] * load)
