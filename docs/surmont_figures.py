"""Figures of Surmont (2025) from public calls: writes surmont_NAME.png into docs/_static.

Figures 3, 6, 8 and 21 are a flow chart, block diagrams and a free body, without lines that could be computed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import ropewalk as rw

mpl.use("Agg")
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "_static"
SLIDER, VELARIA, THREE = (
    rw.System.from_file(ROOT / "examples" / f"shooting_{name}.yaml") for name in ("slider", "velaria", "three_lines")
)
WEIGHT = 2 * 526.018  # N, of the chain in water
DOWN = VELARIA.replace("lines.membrane.loads.0.value", 1.0)  # seen from the other side


def save(figure: Any, number: str) -> None:
    """Write one figure."""
    figure.savefig(OUT / f"surmont_{number}.png", dpi=90, metadata={"Software": None})
    plt.close(figure)


def newton(case: rw.System, ratio: float) -> list[Any]:
    """Shots of Newton's method for the slider that is pulled with weight / ratio, from the start of the paper."""
    force, shots = np.array([50.0, 0.0, -100.0]), []
    for _ in range(6):
        shot = rw.shoot(case, "chain", force, pair="fehlberg")
        shots.append(shot)
        wanted = np.array([shot.end_force[0] + WEIGHT / ratio, *shot.miss[1:]])
        force = force - np.linalg.solve(np.array([shot.end_force_by_force[0], *shot.miss_by_force[1:]]), wanted)
    return shots


def figure_1_4_9_14() -> None:
    """The principle: a shot that misses and one that hits, a line shot in three intervals, and two of the examples."""
    figure, panels = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
    rest = rw.statics(SLIDER, "shooting")
    ends, start = rest.line("chain"), np.array([0.0, 0.0, -100.0])
    right = np.array(ends["end_a"]["force"])
    for factor, style in ((0.8, "--"), (1.0, "-")):
        shot = rw.shoot(SLIDER, "chain", right * [1.0, 1.0, factor])
        panels[0, 0].plot(shot.position[:, 0], shot.position[:, 2], style)
    panels[0, 0].plot(*np.array(ends["end_b"]["position"])[[0, 2]], "o", label="target")
    panels[0, 0].set_title("figure 1: shooting at a target")
    part = SLIDER.replace("lines.chain.pieces.0.length", 50.0 / 3.0)
    place, force = start, right
    for k in range(3):
        off = np.array([0.0, 0.0, -0.6 * k])  # first guesses of the places do not fit yet
        shot = rw.shoot(part.replace("points.ball.position", (place + off).tolist()), "chain", force)
        panels[0, 1].plot(shot.position[:, 0], shot.position[:, 2], label=f"interval {k + 1}")
        place, force = shot.position[-1] - off, shot.force[-1]
    panels[0, 1].set_title("figure 4: multiple shooting, before continuity")
    r = rest.state.position
    panels[1, 0].plot(r[:, 0], r[:, 2])
    panels[1, 0].plot(*r[0, [0, 2]], "o", label="ball")
    panels[1, 0].plot(*r[-1, [0, 2]], "s", label="slider along x")
    panels[1, 0].annotate("", r[-1, [0, 2]] + [6.0, 0.0], r[-1, [0, 2]], arrowprops={"arrowstyle": "->"})
    panels[1, 0].set_title("figure 9: example 1")
    membrane = rw.shoot(VELARIA, "membrane", [0.0, 1.0, 0.0])
    x, y = membrane.position[:, 0], membrane.position[:, 1]
    panels[1, 1].plot(x, y)
    across = np.column_stack([-np.gradient(y), np.gradient(x)])
    across /= np.linalg.norm(across, axis=1)[:, None]
    panels[1, 1].quiver(x[::3], y[::3], -across[::3, 0], -across[::3, 1], width=0.004)
    panels[1, 1].set(title="figure 14: pressure on a membrane", aspect="equal")
    for panel in panels.flat[:3]:
        panel.legend(fontsize=7)
    save(figure, "principle")


def figure_2_10_11_12() -> None:
    """Shots at one target; sliders for several forces; profiles of Newton's iterations; steps against tolerance."""
    figure, panels = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for angle in (200.0, 350.0, 526.0, 700.0):
        shot = rw.shoot(SLIDER, "chain", [526.018, 0.0, -angle])
        panels[0, 0].plot(shot.position[:, 0], shot.position[:, 2], label=f"n_z(0) = -{angle:.0f} N")
    panels[0, 0].set_title("figure 2: shots")
    for ratio in (1, 2, 5, 10):
        rest = rw.statics(SLIDER.replace("points.slider.joint.axes.x.force", WEIGHT / ratio), "shooting")
        panels[0, 1].plot(rest.state.position[:, 0], rest.state.position[:, 2], label=f"c = {ratio}")
    panels[0, 1].set_title("figure 10: solutions")
    shots = newton(SLIDER, 1.0)
    for k, shot in enumerate(shots[:5]):
        panels[1, 0].plot(shot.position[:, 0], shot.position[:, 2], label=f"iteration {k}")
    panels[1, 0].set_title("figure 11: iterations, c = 1")
    tolerances = 10.0 ** np.arange(-13, -3)
    for k, shot in enumerate(shots[:5]):
        counts = [rw.shoot(SLIDER, "chain", shot.force[0], pair="fehlberg", tolerance=t).steps for t in tolerances]
        panels[1, 1].loglog(tolerances, counts, "o-", ms=3, label=f"iteration {k}")
    panels[1, 1].set(title="figure 12: steps", xlabel="tolerance")
    for panel in panels.flat:
        panel.legend(fontsize=7)
    save(figure, "catenary")


def figure_15_16_17() -> None:
    """The velaria: both solutions, misses against the first force, and their phase diagram."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
    for case, way, style in ((VELARIA, 1.0, "-"), (DOWN, -1.0, "--")):
        solution = rw.shoot(case, "membrane", [0.0, way, 0.0])
        left.plot(solution.position[:, 0], solution.position[:, 1], style)
        ratios = np.linspace(0.5, 1.7, 121)
        miss = np.array([rw.shoot(case, "membrane", [0.0, way * ratio, 0.0]).miss for ratio in ratios])
        middle.plot(way * ratios, miss[:, 0], style, label="$C_x$")
        middle.plot(way * ratios, miss[:, 1], style, label="$C_y$")
        right.plot(miss[:, 0], miss[:, 1], style)
        for k in range(0, 121, 20):
            right.annotate(f"{way * ratios[k]:.1f}", miss[k, :2], fontsize=7)
    left.set(title="figure 15", aspect="equal")
    middle.set(title="figure 16", xlabel="lambda")
    middle.legend(fontsize=7)
    right.set(title="figure 17", xlabel="$C_x$", ylabel="$C_y$")
    save(figure, "velaria")


def figure_5_7_13_18_19_20() -> None:
    """Forces in both directions of integration; the three lines in space, and from above before and after."""
    figure = plt.figure(figsize=(14, 4), layout="constrained")
    left, right, before = figure.add_subplot(141), figure.add_subplot(144), figure.add_subplot(143)
    middle = figure.add_subplot(142, projection="3d")
    rest = rw.statics(SLIDER, "shooting")
    ends = rest.line("chain")
    case = SLIDER.replace("points.slider.position", ends["end_b"]["position"])
    for end, style in (("A", "-"), ("B", "--")):
        shot = rw.shoot(case, "chain", ends[f"end_{end.lower()}"]["force"], end=end)
        left.plot(shot.s, shot.force[:, 2], style, label=f"n_z, shot from {end}")
    left.set(title="figure 13: both directions", xlabel="s (m)")
    left.legend(fontsize=7)
    state, names = (found := rw.statics(THREE, "shooting")).state, found.model.names.lines
    for k, name in enumerate(names):
        r = state.position[state.start[k] : state.start[k + 1]]
        middle.plot(*r.T, label=name)
        right.plot(r[:, 0], r[:, 1], label=name)
        ends = np.array([THREE.points[end].position for end in (THREE.lines[name].from_, THREE.lines[name].to)])
        before.plot(ends[:, 0], ends[:, 1], "o--", label=name)
    middle.set_title("figures 5, 7, 18: three segments")
    before.set(title="figure 19: as given, from above", aspect="equal")
    right.set(title="figure 20: solution, from above", aspect="equal")
    right.legend(fontsize=7)
    save(figure, "assembly")


def main() -> None:
    """Draw them all."""
    figure_1_4_9_14()
    figure_2_10_11_12()
    figure_15_16_17()
    figure_5_7_13_18_19_20()


if __name__ == "__main__":
    main()
