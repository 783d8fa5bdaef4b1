"""Nets in pictures: twines as lines, darker the more they pull."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

Numbers = np.ndarray[Any, Any]

PALE, DARK = 0.25, 1.0  # ends of the colour map that are used: its lightest colours do not show on white
COLOURS = "YlOrBr"


def has_nets(dataset: xr.Dataset) -> bool:
    """True if a result holds knots."""
    return "net_position" in dataset


def places(dataset: xr.Dataset) -> Numbers:
    """(n, 3) last position of every node and knot of a result, m."""
    found = [dataset[name].values[-1] for name in ("position", "net_position") if name in dataset]
    together: Numbers = np.concatenate(found) if found else np.zeros((0, 3))
    return together


def draw_nets(axes: Any, dataset: xr.Dataset, plane: Numbers) -> None:
    """Twines of all nets at the last moment.  plane : (2, 3) unit vectors to the right and up in the picture"""
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    r = dataset["net_position"].values[-1] @ plane.T
    tension = np.maximum(dataset["net_tension"].values[-1], 0.0)
    share = tension / (tension.max() or 1.0)
    order = np.argsort(tension, kind="stable")  # the loaded ones on top
    ends = np.stack([r[dataset["twine_a"].values], r[dataset["twine_b"].values]], axis=1)
    colours = colormaps[COLOURS](PALE + (DARK - PALE) * share)
    axes.add_collection(LineCollection(list(ends[order]), colors=list(colours[order]), linewidths=0.7, zorder=2))
    axes.update_datalim(r)
    axes.autoscale_view()


def draw_tensions(axes: Any, dataset: xr.Dataset) -> None:
    """Tension of the bars of all nets against the depth of their middle."""
    z = dataset["net_position"].sel(axis="z").values[-1]
    middle = 0.5 * (z[dataset["twine_a"].values] + z[dataset["twine_b"].values])
    axes.plot(1e-3 * dataset["net_tension"].values[-1], middle, ".", ms=3, color="#b9770e")
    axes.set(xlabel="tension (kN)", ylabel="z (m)", title="tension in the bars of nets")
    axes.set_xlim(left=0.0)


def draw_forces(axes: Any, dataset: xr.Dataset) -> None:
    """Force of the water on every net over time, and what is left of the volume of closed ones."""
    time = dataset["time"].values
    force = np.linalg.norm(dataset["net_force"].values, axis=2)
    given = dataset["net_given_volume"].values
    beside = axes.twinx() if np.any(given > 0.0) else None
    for k, name in enumerate(dataset["net"].values):
        axes.plot(time, 1e-3 * force[:, k], lw=1.0, label=f"{name}, force")
        if beside is not None and given[k] > 0.0:
            part = 100.0 * dataset["net_volume"].values[:, k] / given[k]
            beside.plot(time, part, "--", lw=1.0, label=f"{name}, volume")
    axes.set(xlabel="t (s)", ylabel="force of the water (kN)")
    if beside is not None:
        beside.set(ylabel="volume (% of nominal)", ylim=(0.0, 105.0))
        beside.legend(loc="upper left", bbox_to_anchor=(0.0, 1.12), frameon=False, fontsize=8)
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="upper right", bbox_to_anchor=(1.0, 1.12), frameon=False, fontsize=8, ncols=4)
