"""Which part of a run counts: all statistics leave the start-up ramp out, and all of them by this function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array
    from ropewalk.results.record import Recorded, Table
    from ropewalk.spec.system import System


def ramp_end(system: System) -> float:
    """Time (s) at which the waves and the prescribed motions of a case have their full amplitude; 0 without ramps."""
    parts: list[Any] = [*system.points.values(), *system.bodies.values()]
    ramps = [float(getattr(part.motion, "ramp", None) or 0.0) for part in parts if getattr(part, "motion", None)]
    ramps.append(system.environment.wave_ramp)
    return max(ramps, default=0.0)


def statistics_start(results: Recorded, start: float | None = None) -> float:
    """Time (s) from which a result counts: `start` if given, else the end of the ramps of the case it carries."""
    if start is not None:
        return start
    from ropewalk.spec.system import System

    text = results.attrs.get("system")
    return 0.0 if text is None else ramp_end(System.model_validate_json(text))


def is_within_ramp(results: Recorded, start: float | None = None) -> bool:
    """Whether a run ends before its start-up ramp does, so that it has no statistics.  start : as of `after_ramp`"""
    time = results.variables["time"].values
    return bool(time.size > 1 and time[-1] < statistics_start(results, start))


def after_ramp(dataset: xr.Dataset, start: float | None = None) -> xr.Dataset:
    """The records from the end of the start-up ramp on; a result that is one moment stays as it is.

    start : s, in place of the ramp of the case. InputError if nothing is left.
    """
    if dataset.sizes.get("time", 0) <= 1:
        return dataset
    first = first_after(dataset["time"].values, statistics_start(dataset, start))
    return dataset.isel(time=slice(first, None)) if first else dataset


def records_after(table: Table, start: float) -> Table:
    """As :func:`after_ramp`, of plain records.  start : s, end of the ramp"""
    return table if table.time.size <= 1 else table.since(first_after(table.time, start))


def first_after(time: Array, begin: float) -> int:
    """Number of the first record from `begin` (s) on. InputError if there is none."""
    first = int(np.searchsorted(time, begin))
    if first == time.size:
        raise InputError(
            f"the run ends at t = {time[-1]:g} s, within its start-up ramp of {begin:g} s; run it longer, or give a "
            "shorter ramp"
        )
    return first


def first_settled(time: Array, begin: float) -> int:
    """Number of the first record from `begin` (s) on, or of the first of a run that ends before.  time : (n,) s"""
    return first_after(time, begin) if time.size > 1 and time[-1] >= begin else 0
