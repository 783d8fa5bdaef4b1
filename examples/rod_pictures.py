"""Float the rods of this folder and draw them with the water plane, and the righting arm of one of them.

python examples/rod_pictures.py PICTURE.png
"""

import sys
from pathlib import Path

import numpy as np

from ropewalk.analysis.floating import float_rods
from ropewalk.analysis.stability import restoring_curve
from ropewalk.plot.rod import draw_rod
from ropewalk.spec.system import System

NAMES = ("helix", "twisted", "spar", "boom", "timber", "hose", "driftwood")


def floating(name):
    (found,) = float_rods(System.from_file(Path(__file__).with_name(f"rod_{name}.yaml"))).values()
    return found


def main(picture="rods.png"):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(14, 6.5))
    for i, name in enumerate(NAMES):
        found = floating(name)
        rod, pose = found.states[0].rod, found.states[0].pose
        title = f"{name}: roll {np.degrees(pose.roll):.1f}, pitch {np.degrees(pose.pitch):.1f} deg"
        draw_rod(figure.add_subplot(2, 4, i + 1, projection="3d"), rod, pose, title)
        print(f"{name}: {found.message}")
    heel = np.radians(np.linspace(-180, 180, 361))
    curve = restoring_curve(rod, pose, np.array([1.0, 0.0, 0.0]), heel)
    axes = figure.add_subplot(2, 4, 8)
    axes.plot(np.degrees(heel), curve.arm)
    axes.axhline(0, color="grey", lw=0.6)
    axes.set(xlabel="heel (deg)", ylabel="righting arm (m)", xticks=range(-180, 181, 90))
    axes.set_title("driftwood heeled about its root axis", fontsize=9)
    figure.tight_layout()
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:2])
