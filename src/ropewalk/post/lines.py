"""What the lines of a result did, in the terms of an engineer: angles at their ends, uplift, touchdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ropewalk.spec.system import System

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array


def line_histories(dataset: xr.Dataset) -> xr.Dataset:
    """Angles, uplift and touchdown of the lines of a run or an equilibrium.

    By end: `end_tension` (N), `declination` (degrees from the horizontal, positive where the line rises from A to B),
    `azimuth` (degrees counter-clockwise from +x, the way the line leaves the end) and `uplift` (N, what lifts what
    holds the end; 0 where it is pressed down). By line: `touchdown` (m), where the line leaves the bed, of lines that
    lie on it with one end; NaN while none of the line does.
    """
    import xarray as xr

    force = dataset["end_force"].values
    side = np.where(dataset["end"].values == "A", 1.0, -1.0)
    x, y, z = np.moveaxis(force, 3, 0)
    by_end = ("time", "line", "end")
    variables = {
        "end_tension": (by_end, np.linalg.norm(force, axis=3), {"units": "N"}),
        "declination": (by_end, np.degrees(np.arctan2(side * z, np.hypot(x, y))), {"units": "degree"}),
        "azimuth": (by_end, np.degrees(np.arctan2(y, x)), {"units": "degree"}),
        "uplift": (by_end, np.maximum(z, 0.0), {"units": "N"}),
        "touchdown": (("time", "line", "axis"), _touchdowns(dataset), {"units": "m"}),
    }
    kept = {name: dataset[name] for name in ("time", "line", "end", "axis")}
    return xr.Dataset(variables, kept)


def _touchdowns(dataset: xr.Dataset) -> Array:
    """(time, line, 3) m"""
    normal = np.array(System.model_validate_json(dataset.attrs["system"]).environment.seabed.normal)
    grounded = dataset["grounded"].values
    places: Array = np.full((*grounded.shape, 3), np.nan)
    for k, name in enumerate(dataset["line"].values):
        at = np.flatnonzero(dataset["node_line"].values == name)
        s, r = dataset["s"].values[at], dataset["position"].values[:, at]
        for i in np.flatnonzero(grounded[:, k] > 0.0):
            lies = grounded[i, k] if (r[i, 0] - r[i, -1]) @ normal <= 0.0 else s[-1] - grounded[i, k]
            places[i, k] = [np.interp(lies, s, r[i, :, axis]) for axis in range(3)]
    return places
