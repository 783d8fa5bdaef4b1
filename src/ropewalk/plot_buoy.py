"""What a tethered buoy does in waves, in one picture: trajectory, tensions, heave against the surface, cone angle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.io.netcdf import system_of
from ropewalk.model.state import rotation_matrix

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from ropewalk.model.arrays import Array

WATER, BUOY, SECOND = "#2b7bba", "#1b4f72", "#b03a2e"


def buoy_histories(dataset: xr.Dataset, body: str) -> dict[str, Array]:
    """Histories of one body: its mass centre (n, 3) and the surface over it, m; cone angle, degrees; end tensions, N.

    The cone angle is that between the body's z axis and the vertical. `tension` (n, 2) is at ends A and B of the first
    line that ends on the body.
    """
    from ropewalk.model.environment import build_sea
    from ropewalk.model.model import build
    from ropewalk.physics.waves import elevation

    system = system_of(dataset)
    if body not in system.bodies:
        raise InputError(f"no body '{body}'. There are: {', '.join(system.bodies) or 'none'}")
    k = list(system.bodies).index(body)
    arm = build(system).bodies.centre[k]
    turn = np.array([rotation_matrix(q) for q in dataset["body_quaternion"].values[:, k]])
    centre = dataset["body_position"].values[:, k] + turn @ arm
    sea, time = build_sea(system.environment), dataset["time"].values
    surface = np.array(
        [
            elevation(sea.wave, x, y, t, 1.0) if sea.wave.shape[1] else 0.0
            for t, (x, y, _) in zip(time, centre, strict=True)
        ]
    )
    lines = [name for name, line in system.lines.items() if body in (line.from_.split(".")[0], line.to.split(".")[0])]
    force = np.linalg.norm(dataset["end_force"].values, axis=2)
    mine = dataset["end_line"].values == lines[0] if lines else np.zeros(force.shape[1], dtype=bool)
    return {
        "centre": centre,
        "surface": surface,
        "cone": np.degrees(np.arccos(np.clip(turn[:, 2, 2], -1.0, 1.0))),
        "tension": force[:, mine],
    }


def draw_buoy(dataset: xr.Dataset, body: str) -> Figure:
    """Trajectory from above, end tensions, heave against the surface and their difference, cone angle."""
    try:
        from matplotlib.figure import Figure as Made
    except ImportError:
        raise InputError("drawing needs matplotlib: pip install 'ropewalk[plot]'") from None
    history, time = buoy_histories(dataset, body), dataset["time"].values
    figure = Made(figsize=(11.0, 10.0), layout="constrained")
    grid = figure.add_gridspec(3, 2)
    _above(figure.add_subplot(grid[0, 0]), history["centre"])
    _tensions(figure.add_subplot(grid[0, 1]), time, history["tension"])
    heave, gap = figure.add_subplot(grid[1, :]), figure.add_subplot(grid[2, 0])
    heave.plot(time, history["surface"], "--", color=WATER, lw=0.9, label="surface")
    heave.plot(time, history["centre"][:, 2], color=BUOY, lw=0.9, label="mass centre")
    heave.set(xlabel="t (s)", ylabel="z (m)", title="heave of the mass centre and surface over it")
    heave.legend(loc="upper right", frameon=False, fontsize=8)
    gap.plot(time, history["centre"][:, 2] - history["surface"], color=BUOY, lw=0.9)
    gap.set(xlabel="t (s)", ylabel="z (m)", title="mass centre above the surface")
    cone = figure.add_subplot(grid[2, 1])
    cone.plot(time, history["cone"], color=SECOND, lw=0.9)
    cone.set(xlabel="t (s)", ylabel="angle (deg)", title="cone angle: body axis from the vertical")
    figure.suptitle(dataset.attrs.get("title") or body)
    return figure


def _above(axes: Any, centre: Array) -> None:
    axes.plot(centre[:, 0], centre[:, 1], color=BUOY, lw=0.7)
    axes.plot(centre[:1, 0], centre[:1, 1], "o", color=SECOND, ms=4)
    axes.set(xlabel="x (m)", ylabel="y (m)", title="mass centre from above, from the dot on")
    axes.set_aspect("equal", adjustable="datalim")


def _tensions(axes: Any, time: Array, tension: Array) -> None:
    for k, (colour, style) in enumerate(((SECOND, "--"), (BUOY, "-"))[: tension.shape[1]]):
        axes.plot(time, 1e-3 * tension[:, k], style, color=colour, lw=0.9, label=f"end {'AB'[k]}")
    axes.set(xlabel="t (s)", ylabel="tension (kN)", title="tension at the ends of the line")
    if tension.shape[1]:
        axes.legend(loc="upper right", frameon=False, fontsize=8)
