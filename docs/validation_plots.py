"""Measured against computed: the pictures and the table of docs/validation.md; `make validate` runs it.

The cases and the measured numbers are those of tests/validation, where they are cited.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

from ropewalk.methods.mixed import MixedFem
from ropewalk.model.model import Model
from ropewalk.model.state import initial_state

mpl.use("Agg")
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "docs" / "_static"
SIZE = (7.0, 3.2)  # inches
Array = NDArray[np.floating[Any]]
Row = tuple[str, str, str, str]


def case(name: str) -> dict[str, Any]:
    """What a file of tests/validation defines."""
    return runpy.run_path(str(ROOT / "tests" / "validation" / f"test_{name}.py"))


def forces(model: Model, times: Array, tolerance: float = 3e-3) -> tuple[Array, Array]:
    """Tension (N) at ends A and B at rest (2,) and at the given times (n, 2)."""
    solver = MixedFem(tolerance=tolerance)
    work = solver.start(model, initial_state(model))
    rest = np.linalg.norm(solver.read(model, work).end_force[0], axis=1)
    rows = []
    for t in times:
        report = solver.advance(model, work, float(t))
        assert report.good, report.message
        rows.append(np.linalg.norm(solver.read(model, work).end_force[0], axis=1))
    return rest, np.array(rows)


def draw(name: str, title: str, unit: str, plot: Callable[[Any], None]) -> None:
    """One picture."""
    figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
    plot(axes)
    axes.set(title=title, xlabel="time (s)", ylabel=f"tension ({unit})")
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    figure.savefig(STATIC / f"validation_{name}.png", dpi=100, metadata={"Software": None})
    plt.close(figure)


def lindahl() -> list[Row]:
    """Chain of Lindahl 1984, upper end on a circle, 3.5 s."""
    given = case("lindahl")
    every, period = 0.01, given["PERIOD"]
    times = np.arange(1, round(6 * period / every) + 1) * every
    _, tension = forces(given["chain"](), times)
    cycles = tension[-round(3 * period / every) :, 1].reshape(3, -1)
    cycle, measured = cycles.mean(axis=0), given["PHASE_AVERAGE"]
    stride = round(given["EVERY"] / every)
    misses = [np.sqrt(np.mean((np.roll(cycle, -k)[::stride] - measured) ** 2)) for k in range(cycle.size)]
    best = int(np.argmin(misses))
    shown = np.roll(cycle, -best)

    def plot(axes: Any) -> None:
        axes.plot(np.arange(measured.size) * given["EVERY"], measured, "o", ms=3, label="measured, phase average")
        axes.plot(np.arange(shown.size) * every, shown, label="computed")

    draw("lindahl", "Lindahl 1984: chain, 3.5 s", "N", plot)
    spread = given["HIGHEST"] - given["LOWEST"]
    rms = misses[best]
    shape = min(float(np.std(np.roll(cycle, -k)[::stride] - measured)) for k in range(cycle.size))
    return [
        ("Lindahl chain, maximum", f"{given['HIGHEST']:.2f} N", f"{cycles.max(axis=1).mean():.2f} N", "3 %"),
        ("Lindahl chain, mean", f"{given['MEAN']:.2f} N", f"{cycles.mean():.2f} N", "2 %"),
        ("Lindahl chain, rms difference from the phase average", "–", f"{rms:.2f} N: {100 * rms / spread:.1f} % of the "
         f"range, {200 * rms / spread:.1f} % of half of it", "4 % of the amplitude"),
        ("the same, means removed", "–", f"{shape:.2f} N: {200 * shape / spread:.1f} % of half the range",
         "4 % of the amplitude"),
    ]  # fmt: skip


def orcaflex() -> list[Row]:
    """Chain in 200 m, heave of its fairlead."""
    given = case("orcaflex")
    rows: list[Row] = []
    for amplitude, series in given["SERIES"].items():
        times = np.arange(1, 191) * 0.1
        _, tension = forces(given["chain"](amplitude), times)
        computed = tension[:, ::-1] / 1e3  # fairlead first

        def plot(axes: Any, computed: Array = computed, series: Any = series) -> None:
            for k, name in enumerate(("fairlead", "anchor")):
                axes.plot(np.arange(10.0), series[k], "os"[k], ms=4, label=f"OrcaFlex, {name}")
                axes.plot(np.arange(91) * 0.1, computed[99:, k], label=f"computed, {name}")

        draw(f"orcaflex_{amplitude:g}", f"Chain in 200 m, heave {amplitude:g} m, 10 s", "kN", plot)
        for k, (name, bar) in enumerate((("fairlead", "3 %"), ("anchor", "6 %"))):
            theirs = np.array(series[k])
            miss = np.abs(computed[99::10, k] - theirs).max() / np.ptp(theirs)
            rows.append((f"chain in 200 m, heave {amplitude:g} m, {name}: largest difference", "–",
                         f"{100 * miss:.1f} % of the range", bar))  # fmt: skip
    return rows


def lowe_langley() -> list[Row]:
    """Flexible jumper in surge and heave."""
    given = case("lowe_langley")
    rows: list[Row] = []
    for mode, series in given["SERIES"].items():
        times = np.arange(1, 216) * 0.5
        _, tension = forces(given["jumper"](mode), times, 1e-3)
        computed = tension[161:, 1] / 1e3

        def plot(axes: Any, computed: Array = computed, series: Any = series) -> None:
            axes.plot(np.arange(9) * 3.0, series, "o", ms=4, label="Lowe and Langley")
            axes.plot(np.arange(computed.size) * 0.5, computed, label="computed")

        draw(f"jumper_{mode}", f"Flexible jumper, {mode} 10 m, 27 s", "kN", plot)
        miss = np.abs(computed[:49:6] - np.array(series)).max()
        rows.append((f"flexible jumper, {mode}: largest difference", "–", f"{miss:.2f} kN", "1 kN"))
    return rows


def statics() -> list[Row]:
    """The same cases at rest."""
    chain, pipe, heavy = (
        case("lindahl")["chain"](),
        case("lowe_langley")["jumper"]("surge"),
        case("orcaflex")["chain"](2.0),
    )
    at = np.zeros(0)
    rows = [
        ("Lindahl chain at rest, upper end", "22.69 N (exact, fully submerged)", f"{forces(chain, at)[0][1]:.2f} N"),
        ("flexible jumper at rest, top", f"{np.hypot(11.4723, 45.7222):.3f} kN (exact)",
         f"{forces(pipe, at)[0][1] / 1e3:.3f} kN"),
        ("chain in 200 m at rest, fairlead", "2065.4 kN (OrcaFlex)", f"{forces(heavy, at)[0][1] / 1e3:.1f} kN"),
        ("chain in 200 m at rest, anchor", "1402.2 kN (OrcaFlex)", f"{forces(heavy, at)[0][0] / 1e3:.1f} kN"),
    ]  # fmt: skip
    return [(*row, "") for row in rows]


def orders() -> None:
    """Errors of the family P_mu-P_nu on a hanging line at rest, as in figures 2 to 4 of its paper; table of orders."""
    given = case("montano")
    pull, soft = given["PULL"], given["STRETCHED"]
    HangingLine, exact = given["HangingLine"], given["exact"]
    end = given["END"]
    panels: list[tuple[str, list[tuple[int, int]], float, bool]] = [
        ("inextensible", [(k, k - 1) for k in (1, 2, 3, 4)], np.inf, False),
        ("strain of 0.5", [(k, k - 1) for k in (1, 2, 3, 4)], soft, False),
        ("strain of 0.5, mean strain of elements", [(k, k - 1) for k in (2, 3)], soft, True),
        ("P4, tension of lower degree", [(4, nu) for nu in (0, 1, 2, 3)], np.inf, False),
    ]
    sizes = np.array([3, 6, 12, 24])
    names = ("position, L2", "position, H1", "tension, L2")
    figure, axes = plt.subplots(
        len(names), len(panels), figsize=(11.0, 8.0), layout="constrained", sharex=True, sharey="row"
    )
    lines = ["| line | elements | position, L2 | position, H1 | tension, L2 |", "|---|---|---|---|---|"]
    for column, (title, pairs, stiffness, mean_strain) in enumerate(panels):
        for mu, nu in pairs:
            errors = []
            for n in sizes:
                line = HangingLine(mu, nu, int(n), stiffness=stiffness, mean_strain=mean_strain)
                held = exact(np.array([1.0]), pull, np.array(line.load), stiffness)[0][0] if mean_strain else None
                r, T, _ = line.solve(*line.start(pull), end_force=None if mean_strain else end, end_position=held)
                errors.append(line.errors(r, T, pull))
            table = np.array(errors)
            seen = np.log2(table[1] / table[2])  # from 6 to 12: the finest of high degree stand at round-off
            lines.append(f"| {title} | P{mu}-P{nu} | {' | '.join(f'{order:.2f}' for order in seen)} |")
            for row in range(len(names)):
                axes[row, column].loglog(sizes, table[:, row], "o-", ms=3, label=f"P{mu}-P{nu}")
        axes[0, column].set_title(title)
        axes[-1, column].set_xlabel("elements")
        axes[-1, column].set_xticks(sizes, [str(n) for n in sizes], minor=False)
        axes[-1, column].minorticks_off()
        axes[-1, column].legend(frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.22))
    for row, name in enumerate(names):
        axes[row, 0].set_ylabel(f"error of the {name}")
    for one in axes.flat:
        one.grid(alpha=0.3)
    figure.savefig(STATIC / "validation_orders.png", dpi=100, metadata={"Software": None})
    plt.close(figure)
    (STATIC / "validation_orders.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """All pictures and tables."""
    orders()
    rows = [*statics(), *lindahl(), *orcaflex(), *lowe_langley()]
    lines = ["| quantity | measured | computed | target |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    (STATIC / "validation_table.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
