"""Seven assemblies by shooting, drawn from the side and from above: writes shooting.png."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import ropewalk as rw

HERE = Path(__file__).resolve().parent
CASES = {  # file: axes that show it best
    "shooting_slider": (0, 2),
    "shooting_three_lines": (0, 1),
    "shooting_velaria": (0, 1),
    "shooting_tow": (0, 2),
    "shooting_lazy_wave": (0, 2),
    "shooting_moored_buoy": (0, 1),
    "shooting_sheave": (0, 2),
}


def main() -> None:
    figure, panels = plt.subplots(2, 4, figsize=(14, 6), layout="constrained")
    panels[-1, -1].set_axis_off()
    for panel, (name, (i, j)) in zip(panels.flat, CASES.items(), strict=False):
        system = rw.System.from_file(HERE / f"{name}.yaml")
        rest = rw.statics(system)
        state = rest.state
        for k, line in enumerate(rest.model.names.lines):
            nodes = slice(state.start[k], state.start[k + 1])
            panel.plot(state.position[nodes, i], state.position[nodes, j], label=line)
        panel.plot(state.point_position[:, i], state.point_position[:, j], "k.", markersize=4)
        panel.set_title(system.title, fontsize=9)
        panel.set_xlabel(f"{'xyz'[i]} (m)")
        panel.set_ylabel(f"{'xyz'[j]} (m)")
        panel.set_aspect("equal", adjustable="datalim")
        print(f"{system.title}: {rest.report.iterations} iterations, miss {rest.report.residual_position:.1e} m")
    figure.savefig("shooting.png", dpi=110)


if __name__ == "__main__":
    main()
