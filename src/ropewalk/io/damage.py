"""What is wrong with a result file that cannot be used: the first thing found, as a sentence.

Looked for only after something failed, because it reads the whole file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.results.schema import KINDS, SERIES, VARIABLES

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.spec.system import System

LARGEST = 1e30  # no position, force or tension in SI units comes near
GAPS = frozenset({"energy"})  # may hold NaN: terms that a solver does not give
PARTS = {"body": "bodies", "point": "points", "net": "nets", "link": "links"}  # coordinates of names, and their keys
_SERIES = {variable.name: variable for variable in SERIES}
_KNOWN = {v.name for kind in KINDS.values() for v in kind} | set(VARIABLES)


def fault_of(dataset: xr.Dataset) -> str:
    """The first fault, or an empty string."""
    return _attributes(dataset) or _shapes(dataset) or _numbers(dataset) or _names(dataset)


def _attributes(dataset: xr.Dataset) -> str:
    try:
        system = _system(dataset)
    except KeyError:
        return "its case is missing (attribute 'system')"
    except (ValueError, TypeError):
        return "the case in it cannot be read (attribute 'system')"
    for name in ("settings", "events", "doubts"):
        try:
            json.loads(dataset.attrs.get(name, "{}"))
        except (ValueError, TypeError):
            return f"attribute '{name}' cannot be read"
    return "" if system.ropewalk == 1 else "its case is of another format"


def _shapes(dataset: xr.Dataset) -> str:
    if "time" not in dataset.dims:
        return ""
    for variable in ("time", "elevation"):
        if variable not in dataset:
            return f"variable '{variable}' is missing"
    for name in map(str, dataset.variables):
        if name not in _KNOWN:
            return f"variable '{name[:40]!a}' is not a variable of a result"
        if name in VARIABLES and dataset[name].dims != VARIABLES[name].dims:
            have, want = (", ".join(map(str, dims)) for dims in (dataset[name].dims, VARIABLES[name].dims))
            return f"variable '{name}' has the dimensions ({have}), not ({want})"
    return ""


def _numbers(dataset: xr.Dataset) -> str:
    for name in map(str, dataset.variables):
        try:
            values = dataset[name].values
        except Exception as error:  # h5py raises whatever the bytes lead it to
            return f"variable '{name}' cannot be read ({type(error).__name__})"
        if name not in _SERIES or "time" not in dataset.dims:
            continue
        if values.dtype.kind != "f":
            return f"variable '{name}' does not contain numbers"
        good = np.abs(np.nan_to_num(values) if name in GAPS else values) < LARGEST
        if not good.all():
            return f"variable '{name}' contains values that no run can give"
    if "time" in dataset.dims and (np.diff(dataset["time"].values) <= 0.0).any():
        return "its times do not increase"
    return ""


def _names(dataset: xr.Dataset) -> str:
    system = _system(dataset)
    for coordinate, key in PARTS.items():
        if coordinate in dataset.variables:
            names = [str(name) for name in dataset[coordinate].values]
            if names != list(getattr(system, key)):
                return f"the names of its {key} are not those of its case"
    return ""


def _system(dataset: xr.Dataset) -> System:
    from ropewalk.spec.system import System

    return System.model_validate_json(dataset.attrs["system"])
