"""Modes of an assembly of 10,000 elements against one sparse factorisation of its matrix."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scipy.sparse.linalg import splu

from benchmarks.timing import show
from ropewalk.analysis.linearise import Linearised, linearise
from ropewalk.analysis.modes import SHIFT, frequency_scale, modes
from ropewalk.methods.linear.pencil import Pencil, real_modes
from ropewalk.spec.system import System

MODES = 20
BAR = 10.0
REPEATS = 7


def assembly(n_arms: int = 20, elements: int = 250) -> System:
    """Arms of two lines each from a buoy under water over floats to anchors, no two alike."""
    points: dict[str, Any] = {"hub": {"position": [0, 0, -30], "joint": "free", "mass": 2000.0, "volume": 10.0}}
    lines: dict[str, Any] = {}
    for i in range(n_arms):
        c, s = math.cos(2 * math.pi * i / n_arms), math.sin(2 * math.pi * i / n_arms)
        far = 300.0 + 7.0 * math.sin(5.0 * i) + 2.0 * i
        points[f"anchor{i}"] = {"position": [far * c, far * s, -150.0]}
        points[f"float{i}"] = {"position": [140 * c, 140 * s, -60], "joint": "free", "mass": 50.0, "volume": 0.3}
        for name, ends, length in (("outer", (f"anchor{i}", f"float{i}"), 0.63 * far), ("inner", (f"float{i}", "hub"),
                                                                                        150.0 + i)):  # fmt: skip
            pieces = [{"section": "rope", "length": length}]
            lines[f"{name}{i}"] = {"from": ends[0], "to": ends[1], "elements": elements, "pieces": pieces}
    section = {"diameter": 0.05, "mass": 8.0, "axial_stiffness": 5e6, "added_mass": {"normal": 1.0}}
    return System.model_validate({"sections": {"rope": section}, "points": points, "lines": lines})


def search(linear: Linearised, shift: float) -> None:
    """All that `modes` does but the Dataset: scaling, two factorisations, Lanczos, counting, shapes."""
    pencil = Pencil(linear.K, linear.M, linear.assembled.P)
    real_modes(pencil, MODES, shift, pencil.factor(shift))


def interleaved(jobs: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """Seconds of processor time of each job, all threads, the least of `repeats` rounds after a first one."""
    least = [math.inf] * len(jobs)
    for round_ in range(repeats + 1):
        for k, job in enumerate(jobs):
            begin = time.process_time()
            job()
            if round_:
                least[k] = min(least[k], time.process_time() - begin)
    return least


def main() -> None:
    """Print times and ratios."""
    linear = linearise(assembly())
    shift = -SHIFT * frequency_scale(linear) ** 2
    A = (linear.K - shift * linear.M).tocsc()
    plain = replace(linear)  # a new object each time: nothing is kept from the last round
    factor, found, whole = interleaved(
        [lambda: splu(A), lambda: search(linear, shift), lambda: modes(replace(plain), MODES)], REPEATS
    )
    result = modes(linear, MODES)
    show(
        [
            (f"{linear.unknowns.tension.size} elements, {linear.unknowns.size} unknowns: one splu",
             f"{1e3 * factor:.1f} ms", ""),
            (f"{MODES} modes", f"{1e3 * found:.0f} ms", f"{found / factor:.1f} factorisations; bar {BAR:.0f}"),
            (f"{MODES} modes with shapes as a Dataset", f"{1e3 * whole:.0f} ms", f"{whole / factor:.1f}"),
            ("lowest and highest found", f"{result.omega.values[0]:.4f}, {result.omega.values[-1]:.4f}", "rad/s"),
        ]
    )  # fmt: skip


if __name__ == "__main__":
    main()
