"""Paths of a continuation as pictures: outputs over the number that is varied, with what is unstable and folds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.plot.style import axes_or_new, legend_beside, look, tidy

if TYPE_CHECKING:
    import xarray as xr

FAINT = 0.45  # opacity of what is unstable


def draw_path(dataset: xr.Dataset, variable: str | None = None, axes: Any = None) -> Any:
    """A figure of the outputs of a continuation over its number; unstable equilibria are dashed, events marked.

    variable : one of the outputs; all of them unless given
    """
    names = [str(name) for name in dataset["output"].values]
    if variable is not None and variable not in names:
        raise InputError(f"the path has no output '{variable}'. Available: {', '.join(names)}")
    shown = names if variable is None else [variable]
    figure, axes = axes_or_new(axes, 7.0, 4.5)
    x, stable = dataset["parameter"].values, dataset["unstable"].values == 0
    marks = {"fold": "o", "branch point": "s"}
    for k, name in enumerate(shown):
        y, style = dataset["value"].sel(output=name).values, look(k)
        axes.plot(x, y, color=style["color"], ls="--", alpha=FAINT, lw=1.2)
        axes.plot(x, np.where(stable, y, np.nan), lw=1.8, label=name, **style)
        for kind, mark in marks.items():
            at = dataset["event"].values == kind
            axes.plot(x[at], y[at], mark, color=style["color"], ms=6, mfc="none",
                      label=kind if k == 0 and np.any(at) else None)  # fmt: skip
    axes.set_xlabel(json.loads(dataset.attrs["settings"])["key"])
    axes.set_title(dataset.attrs.get("title", ""))
    tidy(axes)
    legend_beside(axes)
    return figure
