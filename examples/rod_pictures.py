"""Float the rods of this folder and draw them with the water plane, and how one of them rights itself.

python examples/rod_pictures.py PICTURE.png
"""

import sys
from pathlib import Path

import numpy as np

from ropewalk.analysis.stability import all_equilibria, restoring_curve
from ropewalk.model.rod_fields import build_rod
from ropewalk.model.rods import place
from ropewalk.physics.rod_energy import upright_frame
from ropewalk.physics.rod_shape import SEMI_A, SEMI_B, T2, T3
from ropewalk.spec.system import System

NAMES = ("helix", "twisted", "spar", "boom", "driftwood")
DRY, WET, WATER = (0.85, 0.60, 0.25), (0.10, 0.30, 0.50), (0.3, 0.6, 0.8, 0.3)


def rod_of(name):
    system = System.from_file(Path(__file__).with_name(f"rod_{name}.yaml"))
    ((key, part),) = system.rods.items()
    return build_rod(part, system.environment, key)


def tube(rod, pose, along=240, around=40):
    """Points of the rod's surface in world axes, (along, around, 3), its ends closed."""
    R, _, _ = upright_frame(pose.up)
    s = np.linspace(0, rod.length, along)
    rows = np.array([place(rod, at) for at in np.concatenate([[0], s, [rod.length]])])
    size = np.ones(along + 2)
    size[[0, -1]] = 0.0
    angle = np.linspace(0, 2 * np.pi, around)
    body = (
        rows[:, None, :3]
        + (size[:, None] * rows[:, SEMI_A, None] * np.cos(angle))[:, :, None] * rows[:, None, T2 : T2 + 3]
        + (size[:, None] * rows[:, SEMI_B, None] * np.sin(angle))[:, :, None] * rows[:, None, T3 : T3 + 3]
    )
    return body @ R.T + [0, 0, pose.heave]


def draw(axes, rod, pose, title):
    """The rod, what is under water in a darker tone, with the water plane between."""
    points = tube(rod, pose)
    middle = 0.25 * (points[:-1, :-1] + points[1:, 1:] + points[:-1, 1:] + points[1:, :-1])[:, :, 2]
    axes.computed_zorder = False
    low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
    for wet, colour, order in ((True, WET, 1), (False, DRY, 3)):
        shown = (middle < 0) == wet
        colours = np.concatenate([np.broadcast_to(colour, (*shown.shape, 3)), shown[:, :, None]], -1)
        axes.plot_surface(
            *np.moveaxis(points, -1, 0), facecolors=colours, rstride=1, cstride=1, shade=True, zorder=order, lw=0
        )
    margin = 0.1 * (high - low).max()
    x, y = np.meshgrid([low[0] - margin, high[0] + margin], [low[1] - margin, high[1] + margin])
    axes.plot_surface(x, y, np.zeros_like(x), color=WATER, zorder=2)
    axes.set_box_aspect(high - low + margin)
    axes.set_title(title, fontsize=9)
    axes.set_axis_off()


def main(picture="rods.png"):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(11, 6.5))
    for i, name in enumerate(NAMES):
        rod = rod_of(name)
        found = all_equilibria(rod)
        pose = found.states[0].pose
        title = f"{name}: roll {np.degrees(pose.roll):.1f}, pitch {np.degrees(pose.pitch):.1f} deg"
        draw(figure.add_subplot(2, 3, i + 1, projection="3d"), rod, pose, title)
        print(f"{name}: {found.message}")
    heel = np.radians(np.linspace(-180, 180, 361))
    curve = restoring_curve(rod, pose, np.array([1.0, 0.0, 0.0]), heel)
    axes = figure.add_subplot(2, 3, 6)
    axes.plot(np.degrees(heel), curve.arm)
    axes.axhline(0, color="grey", lw=0.6)
    axes.set(xlabel="heel (deg)", ylabel="righting arm (m)", xticks=range(-180, 181, 90))
    axes.set_title("driftwood heeled about its root axis", fontsize=9)
    figure.tight_layout()
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:2])
