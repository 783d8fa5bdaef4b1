"""Platforms of a farm: time of a run in which each takes its own steps on its own core, against one system for all.

The platform is the OC3 spar of examples/sweeps on three lines in a JONSWAP sea. Both ways are measured in turn, the
least wall time of each counts.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import ropewalk as rw
from ropewalk.analysis import run as run_module

RUNS = 4
APART = 1500.0  # m
DURATION = 1800.0  # s


def farm(n: int) -> rw.System:
    """The case with n platforms."""
    path = Path(__file__).resolve().parents[1] / "examples" / "sweeps" / "oc3.yaml"
    one = rw.System.of(str(path)).replace("run.duration", DURATION).model_dump(by_alias=True, exclude_unset=True)
    case: dict[str, Any] = {**one, "points": {}, "bodies": {}, "lines": {}}
    for k in range(n):
        for kind in ("points", "bodies"):
            for name, part in one[kind].items():
                x, y, z = part["position"]
                case[kind][f"{name}{k}"] = {**part, "position": [x + k * APART, y, z]}
        for name, line in one["lines"].items():
            ends = {end: _renamed(line[end], k) for end in ("from", "to")}
            case["lines"][f"{name}{k}"] = {**line, **ends}
    return rw.System.model_validate(case)


def _renamed(end: str, k: int) -> str:
    part, dot, attachment = end.partition(".")
    return f"{part}{k}{dot}{attachment}"


def main() -> None:
    """Print the ratios."""
    for n in (2, 4, 8):
        system, times = farm(n), {"one system": np.inf, "in parts": np.inf}
        for attempt in range(RUNS + 1):  # the first one compiles
            for name in times:
                with patch.object(run_module, "in_parts", _whole if name == "one system" else run_module.in_parts):
                    begin = time.perf_counter()
                    rw.simulate(system, 2.0 if attempt == 0 else None, events=False)
                if attempt:
                    times[name] = min(times[name], time.perf_counter() - begin)
        whole, parts = times.values()
        print(f"farm of {n} platforms, {DURATION:g} s: one system {whole:.2f} s, in parts {parts:.2f} s: "
              f"{whole / parts:.2f} times faster")  # fmt: skip


def _whole(system: Any, model: Any, solver: Any) -> Any:
    return solver


if __name__ == "__main__":
    main()
