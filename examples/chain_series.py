"""Two chains of ten rigid links whose right end is moved: positions coloured by time, and the end forces.

Filipich and Rosales (2007), examples 1 and 2. Run as ``python examples/chain_series.py [PICTURE]``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
import xarray as xr

import ropewalk as rw

HERE = Path(__file__).parent
CASES = {"example 1": HERE / "chain.yaml", "example 2": HERE / "chain_fast.yaml"}
SHAPES = 26  # chains drawn in each picture


def simulate() -> dict[str, xr.Dataset]:
    """Both runs."""
    return {name: rw.simulate(rw.System.from_file(path)) for name, path in CASES.items()}


def draw(runs: dict[str, xr.Dataset], picture: Path) -> None:
    """One row for each run: shapes from blue to orange as time goes on, and the force of the holder on the chain."""
    matplotlib.use("Agg")
    from matplotlib import colors
    from matplotlib import pyplot as plt

    ramp = colors.LinearSegmentedColormap.from_list("time", ["tab:blue", "tab:orange"])
    figure, rows = plt.subplots(len(runs), 2, figsize=(11, 4.2 * len(runs)), layout="constrained")
    for (name, run), (left, right) in zip(runs.items(), rows, strict=True):
        time = run.time.values
        for i in np.linspace(0, time.size - 1, SHAPES).round().astype(int):
            x, _, z = run.position.values[i].T
            left.plot(x, z, color=ramp(time[i] / time[-1]), linewidth=1)
            left.plot(x[-1], z[-1], "o", color="tab:blue", markersize=3)
        left.set(xlabel="x, m", ylabel="z, m", title=f"{name}: every {time[-1] / (SHAPES - 1):.2g} s", aspect="equal")
        scale = plt.cm.ScalarMappable(colors.Normalize(0, time[-1]), ramp)
        figure.colorbar(scale, ax=left, label="t, s")
        force = -run.end_force.values[:, 0, 1]  # on the chain: the sign of the paper
        right.plot(time, force[:, 0], label="H, horizontal")
        right.plot(time, force[:, 2], label="V, vertical")
        right.axhline(0.0, color="0.7", linewidth=0.8)
        right.set(xlabel="t, s", ylabel="force on the right end, N", title=name)
        right.legend()
    figure.savefig(picture, dpi=130)
    plt.close(figure)


def main(picture: Path = Path("chain_series.png")) -> dict[str, float]:
    """Simulate, draw, and tell the largest vertical force of each run (N)."""
    runs = simulate()
    draw(runs, picture)
    largest = {name: float(-run.end_force.values[:, 0, 1, 2].min()) for name, run in runs.items()}
    for name, force in largest.items():
        print(f"{name}: largest vertical force {force:.1f} N")
    return largest


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("chain_series.png"))
