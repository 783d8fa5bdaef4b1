"""Lines in time against MoorDyn: the OC3 line and a short stiff line, cost at the same error of the fairlead force.

Run: python -m benchmarks mixed_fem.  Error is the relative L2 difference of the force history to the finest mesh of
mixed elements; cost is processor time of the stepping alone. MoorDyn runs at half its largest stable step (RK2).
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import moordyn
import numpy as np

from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.solvers.mixed_fem import MixedFem
from ropewalk.spec.system import System

DURATION, EVERY, SKIP = 40.0, 0.5, 40  # s, s, samples of the start that do not count
COUPLING = 0.05  # s, MoorDyn's


@dataclass(frozen=True)
class Line:
    """One line with a moving upper end, in numbers that both programs take."""

    name: str
    depth: float
    length: float
    diameter: float
    mass: float
    stiffness: float
    anchor: tuple[float, float, float]
    top: tuple[float, float, float]
    drag: float
    damping: float  # s
    terms: tuple[tuple[tuple[float, float, float], float, float, float], ...]  # direction, amplitude, period, phase

    def model(self, elements: int, stiffness: float | str | None = None) -> Model:
        """The case for ropewalk."""
        terms = [
            {"direction": d, "amplitude": a, "omega": 2.0 * np.pi / period, "phase": p}
            for d, a, period, p in self.terms
        ]
        motion = {"kind": "harmonic", "ramp": 10.0, "terms": terms}
        rope = {
            "diameter": self.diameter, "mass": self.mass, "axial_stiffness": stiffness or self.stiffness,
            "damping": self.damping, "drag": {"normal": self.drag, "tangential": 0.1}, "added_mass": {"normal": 1.0},
        }  # fmt: skip
        return build(
            System.model_validate(
                {
                    "environment": {"depth": self.depth, "seabed": {"stiffness": 3e6, "damping": 3e5}},
                    "sections": {"rope": rope},
                    "points": {
                        "anchor": {"position": self.anchor},
                        "top": {"position": self.top, "joint": "moving", "motion": motion},
                    },
                    "lines": {
                        "l": {
                            "from": "anchor",
                            "to": "top",
                            "elements": elements,
                            "pieces": [{"section": "rope", "length": self.length}],
                        }
                    },
                }
            )
        )

    def position(self, t: float) -> np.ndarray:
        """Of the upper end, m."""
        x = min(t / 10.0, 1.0)
        ramp = x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
        moves = [a * np.cos(2.0 * np.pi * t / period - p) * np.array(d, dtype=float) for d, a, period, p in self.terms]
        return np.array(self.top) + ramp * sum(moves)


HALF = 0.5 * np.pi
OC3 = Line("OC3 line, smooth", 320.0, 902.2, 0.09, 77.7066, 384.243e6, (853.87, 0.0, -320.0), (5.2, 0.0, -70.0), 1.6,
           0.01, (((1, 0, 0), 2.0, 10.0, HALF), ((0, 0, 1), 0.8, 8.0, HALF)))  # fmt: skip
SHORT = Line("short stiff line", 20.0, 22.0, 0.08, 27.6, 2.3e8, (0.0, 0.0, -20.0), (6.0, 0.0, -0.5), 0.8, 0.001,
             (((1, 0, 0), 1.5, 5.0, 0.0), ((0, 1, 0), 1.5, 5.0, HALF)))  # fmt: skip


def ropewalk_run(model: Model, solver: MixedFem) -> tuple[np.ndarray, float, dict[str, Any]]:
    """Force history at the upper end, processor time (s) and figures."""
    forces, cost, figures = [], 0.0, {}
    for attempt in range(2):  # the first one compiles
        work = solver.start(model, initial_state(model))
        forces, cost = [], 0.0
        for t in np.arange(EVERY, (DURATION if attempt else 2.0 * EVERY) + 1e-9, EVERY):
            begin = time.thread_time()
            report = solver.advance(model, work, float(t))
            cost += time.thread_time() - begin
            if not report.good:
                raise RuntimeError(report.message)
            forces.append(solver.read(model, work).end_force[0, 1])
            figures = report.figures
    return np.array(forces), cost, figures


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """MoorDyn prints from C."""
    kept = os.dup(1)
    with Path(os.devnull).open("w") as sink:
        os.dup2(sink.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)


def moordyn_run(line: Line, segments: int, step: float) -> tuple[np.ndarray, float]:
    """Force history and processor time (s) of MoorDyn with RK2."""
    text = f"""--- MoorDyn
---- LINE TYPES ----
Name Diam MassDenInAir EA BA/-zeta EI Cd Ca CdAx CaAx
(-) (m) (kg/m) (N) (N-s/-) (N-m2) (-) (-) (-) (-)
rope {line.diameter} {line.mass} {line.stiffness} {line.damping * line.stiffness} 0 {line.drag} 1.0 0.1 0
---- POINTS ----
ID Type X Y Z Mass Volume CdA Ca
(-) (-) (m) (m) (m) (kg) (m3) (m2) (-)
1 Fixed {line.anchor[0]} {line.anchor[1]} {line.anchor[2]} 0 0 0 0
2 Coupled {line.top[0]} {line.top[1]} {line.top[2]} 0 0 0 0
---- LINES ----
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(-) (-) (-) (-) (m) (-) (-)
1 rope 1 2 {line.length} {segments} -
---- OPTIONS ----
0 writeLog
RK2 tScheme
{step} dtM
9.80665 g
1025 WtrDens
{line.depth} WtrDpth
3e6 kBot
3e5 cBot
100.0 TmaxIC
0.0001 threshIC
---- OUTPUTS ----
--- END
"""
    forces, cost = [], 0.0
    with tempfile.TemporaryDirectory() as folder, quiet():
        file = Path(folder) / "line.txt"
        file.write_text(text)
        system = moordyn.Create(str(file))
        moordyn.Init(system, list(line.position(0.0)), [0.0, 0.0, 0.0])
        for i in range(round(DURATION / COUPLING)):
            t = i * COUPLING
            here, there = line.position(t), line.position(t + COUPLING)
            begin = time.thread_time()
            forces.append(moordyn.Step(system, list(here), list((there - here) / COUPLING), t, COUPLING))
            cost += time.thread_time() - begin
        moordyn.Close(system)
    every = round(EVERY / COUPLING)
    return np.array(forces)[every - 1 :: every], cost


def largest_step(line: Line, segments: int) -> float:
    """Half of what MoorDyn's axial waves, their damping and its bed damping allow (s)."""
    h = line.length / segments
    omega = 2.0 / h * np.sqrt(line.stiffness / line.mass)
    bed = 3e5 * line.diameter / line.mass
    return float(min(1.0 / omega, 0.5 / (line.damping * omega**2), 0.5 / bed))


def error(forces: np.ndarray, finest: np.ndarray) -> float:
    """Relative L2 difference after the start."""
    return float(np.linalg.norm((forces - finest)[SKIP:]) / np.linalg.norm(finest[SKIP:]))


def compare(line: Line, settings: list[tuple[int, float]], peers: list[int], finest: int) -> None:
    """Print error and cost of both programs."""
    print(f"{line.name}")
    exact, _, _ = ropewalk_run(line.model(finest), MixedFem(step=0.01, ledger=False))
    for n, tolerance in settings:
        forces, cost, figures = ropewalk_run(line.model(n), MixedFem(tolerance=tolerance, ledger=False))
        print(f"  ropewalk  N {n:4d}  tolerance {tolerance:7.0e}  error {100 * error(forces, exact):7.3f} %  "
              f"{1e3 * cost:8.1f} ms  {DURATION / cost:8.0f} x real time  {figures['steps']} steps")  # fmt: skip
    for n in peers:
        step = largest_step(line, n)
        try:
            forces, cost = moordyn_run(line, n, step)
        except Exception as failure:  # the peer raises bare exceptions
            print(f"  MoorDyn   N {n:4d}  step {step:.1e} s  failed: {failure}")
            continue
        print(f"  MoorDyn   N {n:4d}  step {step:9.1e} s  error {100 * error(forces, exact):7.3f} %  "
              f"{1e3 * cost:8.1f} ms  {DURATION / cost:8.0f} x real time")  # fmt: skip


def stiffness(line: Line) -> None:
    """Cost as EA grows."""
    print(f"{line.name}, stiffness")
    for label, value in (("EA", line.stiffness), ("EA x 100", 100 * line.stiffness), ("EA x 1e4", 1e4 * line.stiffness),
                         ("inextensible", "inextensible")):  # fmt: skip
        _, cost, figures = ropewalk_run(line.model(20, value), MixedFem(ledger=False))
        print(f"  {label:13s} {1e3 * cost:8.1f} ms  {DURATION / cost:8.0f} x real time  {figures['steps']} steps")


def best(function: Callable[[], float], runs: int = 3) -> float:
    """Least of several."""
    return min(function() for _ in range(runs))


def iteration_cost() -> None:
    """Time of one Newton iteration per element, at several sizes."""
    from ropewalk.solvers.mixed_sweep import newton_iteration

    for n in (50, 500, 5000):
        model = OC3.model(n)
        solver = MixedFem(ledger=False)
        work = solver.start(model, initial_state(model))
        kept = work.steps
        repeat = 20000 // n

        def once(kept: Any = kept, work: Any = work, repeat: int = repeat) -> float:
            begin = time.thread_time()
            for _ in range(repeat):
                newton_iteration(
                    kept.trial.X, kept.trial.T, kept.flow, work.mesh, 1025.0, 9.8, 300.0, 19.0, 1.0, kept.memory
                )
            return (time.thread_time() - begin) / repeat

        once()
        print(f"  Newton iteration, N {n:5d}: {1e6 * best(once) / n:.3f} us per element")


def main() -> None:
    """Print the tables."""
    compare(OC3, [(20, 1e-1), (20, 1e-2), (50, 1e-2), (50, 1e-3), (100, 1e-3)], [10, 20, 50], 300)
    compare(SHORT, [(10, 1e-1), (10, 1e-2), (20, 1e-2), (40, 1e-3)], [10, 20], 200)
    stiffness(SHORT)
    iteration_cost()


if __name__ == "__main__":
    main()
