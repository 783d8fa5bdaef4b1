"""Pictures of the examples in time on docs/gallery.md; `make validate` draws them anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import ropewalk as rw

mpl.use("Agg")
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[1]
SIZE = (9.0, 3.2)  # inches
SHAPES = 9  # moments drawn
# case, the two axes of the shapes, the end whose tension is drawn
PICTURES = (
    ("mooring_waves", "xz", "B"),
    ("tow_turn", "xy", "A"),
    ("snap", "xz", "A"),
    ("lazy_wave", "xz", "B"),
)


def draw(name: str, axes: str, end: str) -> dict[str, float]:
    """One picture: shapes of the lines at some moments, and the tension at an end against time; its extremes (kN)."""
    run = rw.simulate(rw.System.from_file(ROOT / "examples" / f"{name}.yaml"), progress=False)
    figure, (left, right) = plt.subplots(1, 2, figsize=SIZE, layout="constrained")
    colours = plt.get_cmap("viridis")(np.linspace(0.0, 0.9, SHAPES))
    for k, colour in zip(np.linspace(0, run.sizes["time"] - 1, SHAPES).astype(int), colours, strict=True):
        shape: Any = run.position.isel(time=k)
        left.plot(shape.sel(axis=axes[0]), shape.sel(axis=axes[1]), color=colour, lw=1)
    left.set(xlabel=f"{axes[0]} (m)", ylabel=f"{axes[1]} (m)", title="dark to light: time")
    if name != "snap":
        left.set_aspect("equal", adjustable="datalim")
    force = run.end_tension.sel(end=end)[:, 0] / 1e3
    right.plot(run.time, force, lw=1)
    right.set(xlabel="time (s)", ylabel=f"tension at end {end} (kN)")
    right.grid(alpha=0.3)
    figure.savefig(ROOT / "docs" / "_static" / f"gallery_{name}.png", dpi=100, metadata={"Software": None})
    plt.close(figure)
    return {"least": float(force.min()), "most": float(force.max()), "first": float(force[0])}


def main() -> dict[str, dict[str, float]]:
    """All pictures, and what a text may say of them."""
    return {name: draw(name, axes, end) for name, axes, end in PICTURES}


if __name__ == "__main__":
    main()
