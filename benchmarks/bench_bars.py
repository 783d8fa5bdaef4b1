"""Ropes and nets of bars: cost per bar and step, growth with size, real time, and the equilibrium of a large net.

Run as ``python -m benchmarks bars``.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from benchmarks.timing import show
from ropewalk.methods.bars import BarsStatics, Constrained, Projection, Recursive
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

STEPS = 1000  # of one measurement in air
REPEATS = 5  # the fastest counts


def chain_in_air(n: int) -> Any:
    """One metre, one kilogram, let go from the horizontal."""
    return build(System.model_validate({
        "environment": {"gravity": 9.81, "water_density": 0.0},
        "sections": {"c": {"diameter": 0.02, "mass": 1.0, "axial_stiffness": "inextensible"}},
        "points": {"a": {"position": (0, 0, 0)}, "b": {"position": (1, 0, 0), "joint": "free"}},
        "lines": {"l": {"from": "a", "to": "b", "elements": n, "pieces": [{"section": "c", "length": 1.0}]}},
    }))  # fmt: skip


def chain_in_current(n: int) -> Any:
    """200 m of chain between two floats 150 m apart, in 0.8 m/s."""
    section = {"diameter": 0.1, "mass": 20.0, "axial_stiffness": "inextensible",
               "drag": {"normal": 1.2, "tangential": 0.1}, "added_mass": {"normal": 1.0}}  # fmt: skip
    return build(System.model_validate({
        "environment": {"current": {"speed": 0.8, "heading": 90}},
        "sections": {"c": section},
        "points": {"a": {"position": (0, 0, 0)}, "b": {"position": (150, 0, 0)}},
        "lines": {"l": {"from": "a", "to": "b", "elements": n, "pieces": [{"section": "c", "length": 200.0}]}},
    }))  # fmt: skip


def net_in_current(n: int) -> Any:
    """A panel of 3 m x 3 m, n x n knots, held along its upper edge, 1 kg/m below, in 0.5 m/s."""
    section = {"diameter": 0.002, "mass": 0.0036, "axial_stiffness": "inextensible", "drag": {"normal": 1.2},
               "added_mass": {"normal": 1.0}}  # fmt: skip
    corners = [(0, 0, -1), (3, 0, -1), (3, 0, -4), (0, 0, -4)]
    system = System.model_validate({
        "environment": {"current": {"speed": 0.5, "heading": 90}},
        "sections": {"twine": section},
        "nets": {"n": {"panel": {"kind": "rectangle", "corners": corners}, "section": "twine", "bar_length": 0.025,
                       "cells": (n - 1, n - 1), "lower_sinker": 1.0}},
    })  # fmt: skip
    return build(system)


def per_step(model: Any, solver: Any, steps: int, repeats: int = REPEATS) -> tuple[float, int]:
    """Best time of a step (s), and the number of bars."""
    work = solver.start(model, initial_state(model))
    h = solver.step
    solver.advance(model, work, 5 * h)
    best, now = math.inf, 5
    for _ in range(repeats):
        begin = time.perf_counter()
        report = solver.advance(model, work, (now + steps) * h)
        best = min(best, (time.perf_counter() - begin) / steps)
        now += steps
        if not report.good:
            raise RuntimeError(report.message)
    return best, work.bars.length.size


def exponent(sizes: list[int], times: list[float]) -> float:
    """Slope of time against size in logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def real_time(model: Any, solver: Any, duration: float) -> tuple[float, float]:
    """Simulated seconds per second, and the largest strain."""
    work = solver.start(model, initial_state(model))
    solver.advance(model, work, 0.05)
    begin = time.perf_counter()
    report = solver.advance(model, work, 0.05 + duration)
    if not report.good:
        raise RuntimeError(report.message)
    return duration / (time.perf_counter() - begin), report.figures["largest_strain"]


def _costs() -> list[tuple[str, str, str]]:
    rows, cost = [], {}
    for solver in (Projection, Recursive, Constrained):
        model = chain_in_air(100)
        seconds, bars = per_step(model, solver(step=1e-4), STEPS, 3)
        cost[solver.name] = 1e6 * seconds / bars
    rows.append(("projection, 100 bars, us per bar and step", f"{cost['projection']:.3f}", "at most 0.4"))
    rows.append(("recursive over projection", f"{cost['recursive'] / cost['projection']:.2f}", "at most 4"))
    rows.append(("constrained, 100 bars, us per bar and step", f"{cost['constrained']:.3f}", ""))
    return rows


def _growth() -> list[tuple[str, str, str]]:
    sizes = [100, 300, 1000, 3000]
    rows = []
    for solver in (Projection, Recursive, Constrained):
        times = [per_step(chain_in_current(n), solver(step=1e-4), 30)[0] for n in sizes]
        rows.append(
            (f"{solver.name}, chains of 100 to 3,000 bars, exponent", f"{exponent(sizes, times):.3f}", "below 1.1")
        )
    found = [per_step(net_in_current(n), Constrained(step=2e-3), 20, 2) for n in (10, 30, 100)]
    seconds = [t for t, _ in found]
    rows.append(("constrained, nets of 10^2, 30^2, 100^2 knots, ms per step",
                 " / ".join(f"{1e3 * t:.2f}" for t in seconds), ""))  # fmt: skip
    rows.append(("exponent of these in bars", f"{exponent([b for _, b in found], seconds):.2f}", "below 1.5"))
    return rows


def _real_times() -> list[tuple[str, str, str]]:
    rows = []
    for what, model in (("chain of 1,000 bars", chain_in_current(1000)), ("net of 30 x 30 knots", net_in_current(30))):
        for solver in (Constrained(), Projection()):
            ratio, strain = real_time(model, solver, 2.0)
            figure = f"{ratio:.1f}, strain {strain:.0e}"
            rows.append((f"{solver.name}, {what} in current, times real time", figure, "above 1, below 1e-3"))
    return rows


def _large_net() -> list[tuple[str, str, str]]:
    model = net_in_current(100)
    solver = BarsStatics()
    begin = time.process_time()
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 0.0)
    seconds = time.process_time() - begin
    load = work.field.force.sum(axis=0)
    drag = float(np.hypot(load[0], load[1]))
    miss = float(np.abs(report.figures["reaction"] - load).max())
    return [
        ("equilibrium of 100 x 100 knots, s of CPU and iterations", f"{seconds:.1f}, {report.iterations}", ""),
        ("  largest force out of balance over drag", f"{report.residual_force / drag:.1e}", "below 1e-6"),
        ("  reactions less loads, over drag", f"{miss / drag:.1e}", "below 1e-8"),
    ]


def main() -> None:
    """Print the table."""
    show([*_costs(), *_growth(), *_real_times(), *_large_net()])
