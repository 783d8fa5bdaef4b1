"""Range graphs: smallest, mean and largest values along a line over a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ropewalk.errors import InputError
from ropewalk.post.window import after_ramp

if TYPE_CHECKING:
    import xarray as xr


def range_graph(dataset: xr.Dataset, line: str, variable: str = "tension", *, start: float | None = None) -> xr.Dataset:
    """`min`, `mean`, `max` and `std` of a variable at the nodes of a line, over `s` (m from end A).

    variable : of nodes: tension, position, velocity    start : s, in place of the end of the start-up ramp
    """
    import xarray as xr

    if variable not in dataset or dataset[variable].dims[:2] != ("time", "node"):
        known = [str(name) for name, v in dataset.data_vars.items() if v.dims[:2] == ("time", "node")]
        raise InputError(f"no history '{variable}' at the nodes of lines. Available: {', '.join(known) or 'none'}")
    owner = dataset["node_line"].values
    at = np.flatnonzero(owner == line)
    if not at.size:
        raise InputError(f"no line '{line}'. Available: {', '.join(dict.fromkeys(map(str, owner)))}")
    kept = after_ramp(dataset, start)[variable].isel(node=at)
    dims = ("s", *kept.dims[2:])
    values = kept.values
    figures = {name: getattr(values, name)(axis=0) for name in ("min", "mean", "max", "std")}
    attrs = {key: str(dataset[variable].attrs.get(key, "")) for key in ("units", "long_name")}
    labels = {"s": ("s", dataset["s"].values[at], {"units": "m"})}
    return xr.Dataset({name: (dims, array, attrs) for name, array in figures.items()}, labels, {"line": line})
