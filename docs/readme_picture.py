"""The picture at the head of README.md: the spar wind turbine of `ropewalk new mooring`, lines coloured by tension."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import ropewalk as rw
from ropewalk.cli.new import Kind, template
from ropewalk.io.native import read_text
from ropewalk.model.state import rotation_matrix

mpl.use("Agg")
from matplotlib import pyplot as plt
from mpl_toolkits.mplot3d.art3d import Line3DCollection

TARGET = Path(__file__).resolve().parent / "_static" / "mooring_3d.png"
SHEET = 980.0  # m, half the side of bed and water
STEPS = 15  # of their grid
DEEP, WATER, SAND, HULL = "#0f3b57", "#4aa3d8", "#c9b48f", "#f2b134"
TOWER = 90.0  # m above the water: where the thrust acts


def main() -> None:
    """Solve the case and write the picture."""
    system = read_text(template(Kind.mooring))
    data = rw.statics(system).to_dataset().isel(time=0)
    depth = float(system.environment.depth or 0.0)
    figure = plt.figure(figsize=(11.0, 5.0), facecolor="white")
    axes: Any = figure.add_axes((-0.25, -0.80, 1.5, 2.5), projection="3d", computed_zorder=False)
    _sheet(axes, -depth, SAND, 0.9, 1)
    _shadows(axes, data, -depth)
    bar = _lines(axes, data)
    _spar(axes, data, system)
    _sheet(axes, 0.0, WATER, 0.16, 9)
    for name, place in zip(data.point.values, data.point_position.values, strict=True):
        axes.text(*(1.04 * place[:2]), place[2] - 45.0, str(name), color=DEEP, fontsize=10, zorder=12, ha="center")
    axes.set(xlim=(-SHEET, SHEET), ylim=(-SHEET, SHEET), zlim=(-depth, 160.0))
    axes.set_box_aspect((2 * SHEET, 2 * SHEET, depth + 160.0), zoom=0.92)
    axes.view_init(elev=12.0, azim=-52.0)
    axes.set_axis_off()
    scale = figure.colorbar(bar, cax=figure.add_axes((0.06, 0.80, 0.22, 0.025)), orientation="horizontal")
    scale.set_label("tension (kN)", fontsize=9)
    scale.ax.tick_params(labelsize=8)
    scale.outline.set_visible(False)
    figure.text(0.06, 0.90, "Spar wind turbine in 320 m, rated thrust", fontsize=12, color=DEEP, weight="bold")
    figure.savefig(TARGET, dpi=130, metadata={"Software": None})


def _sheet(axes: Any, z: float, colour: str, alpha: float, order: int) -> None:
    side = np.linspace(-SHEET, SHEET, STEPS)
    x, y = np.meshgrid(side, side)
    axes.plot_surface(x, y, np.full_like(x, z), color=colour, alpha=alpha, edgecolor="white", lw=0.25, zorder=order,
                      shade=False)  # fmt: skip


def _shadows(axes: Any, data: Any, z: float) -> None:
    for name in data.line.values:
        r = data.position.values[data.node_line.values == name]
        axes.plot(r[:, 0], r[:, 1], np.full(len(r), z + 1.0), color="#8d7a55", lw=1.6, alpha=0.6, zorder=2)


def _lines(axes: Any, data: Any) -> Any:
    tension = 1e-3 * data.tension.values
    norm = mpl.colors.Normalize(float(tension.min()), float(tension.max()))
    for name in data.line.values:
        at = data.node_line.values == name
        r, own = data.position.values[at], tension[at]
        parts = np.stack([r[:-1], r[1:]], axis=1)
        colours = mpl.colormaps["plasma"](norm(0.5 * (own[1:] + own[:-1])))
        axes.add_collection3d(Line3DCollection(list(parts), colors=list(colours), lw=3.2, zorder=6))
        axes.scatter(*r[0], color=DEEP, s=26, zorder=7)
    return mpl.cm.ScalarMappable(norm, "plasma")


def _spar(axes: Any, data: Any, system: rw.System) -> None:
    """The hull as it stands, and the tower as a line up to where the thrust acts."""
    body = system.bodies["spar"]
    origin, R = data.body_position.values[0], rotation_matrix(data.body_quaternion.values[0])
    z, radius = np.array(body.hull.profile).T  # type: ignore[union-attr]
    turn = np.linspace(0.0, 2.0 * np.pi, 25)
    ring = np.stack([np.outer(radius, np.cos(turn)), np.outer(radius, np.sin(turn)), np.outer(z, np.ones(25))], -1)
    surface = origin + ring @ R.T
    axes.plot_surface(*np.moveaxis(surface, -1, 0), color=HULL, zorder=8, lw=0)
    top = origin + R @ np.array([0.0, 0.0, TOWER])
    foot = origin + R @ np.array([0.0, 0.0, z[-1]])
    axes.plot(*np.stack([foot, top], axis=1), color=DEEP, lw=3.0, zorder=10)
    for angle in np.radians([90.0, 210.0, 330.0]):
        tip = top + R @ np.array([0.0, 60.0 * np.cos(angle), 60.0 * np.sin(angle)])
        axes.plot(*np.stack([top, tip], axis=1), color=DEEP, lw=2.0, zorder=10)


if __name__ == "__main__":
    main()
