"""Pictures of a report: the system, tensions over time, ranges along lines, spectra, sweeps."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.plot.histories import LEAST_RECORDS, range_graphs, spectrum, tension_history
from ropewalk.plot.lines import draw
from ropewalk.plot.style import axes_or_new, legend_beside, look, picture
from ropewalk.post.window import after_ramp

if TYPE_CHECKING:
    import xarray as xr

DPI = 110
MOST_LINES = 16  # drawn in one picture


def figures_of(dataset: xr.Dataset) -> dict[str, str]:
    """Pictures of a run or an equilibrium as data addresses, by heading."""
    found = {"The system": draw(dataset.isel(time=slice(0, 1)))}
    if dataset.sizes["time"] > 1 and "end_tension" in dataset:
        found["Tension at the ends over time"] = tension_history(dataset)
        found["Range of tension along the lines"] = range_graphs(dataset)
        if after_ramp(dataset).sizes["time"] >= LEAST_RECORDS:
            found["Spectra of tension at end B"] = spectrum(dataset)
    return {heading: _address(figure) for heading, figure in found.items()}


def scatter(sweep: xr.Dataset, output: str, factor: str) -> str:
    """An output of a sweep over one of its factors, one series a line or body."""
    figure, axes = axes_or_new(None, 9.0, 3.2)
    variable = sweep[output]
    other = [str(dim) for dim in variable.dims if dim != "case"]
    flat = variable.stack(series=other) if other else variable.expand_dims("series", axis=1)
    for k in range(min(flat.sizes["series"], MOST_LINES)):
        label = " ".join(map(str, np.atleast_1d(flat["series"].values[k]))) if other else output
        axes.plot(sweep[factor].values, flat.values[:, k], "o", ms=3, color=look(k)["color"], label=label)
    axes.set(xlabel=factor, ylabel=f"{output}, {variable.attrs.get('units', '')}")
    legend_beside(axes)
    return _address(figure)


def _address(figure: Any) -> str:
    drawn = picture(figure, "png", DPI, bbox_inches="tight")
    return "data:image/png;base64," + base64.b64encode(drawn).decode("ascii")
