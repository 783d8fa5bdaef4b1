"""Lines in time against MoorDyn: the OC3 line and a short stiff line, cost at the same error of the fairlead force.

Run: python -m benchmarks mixed_fem.  Error is the relative L2 difference of the force history to the finest mesh of
mixed elements; cost is processor time of the stepping alone. Of both programs several meshes and steps are run, and the
ratio at an error is that of the cheapest run of each that reaches it. MoorDyn runs with the scheme and the longest step
of those tried that stays stable, and is given the motion of its end at several intervals: it drives the end at constant
velocity between them, which costs accuracy if they are long (ten per cent on the short line at 0.05 s) and calls if
they are short (half its time on the OC3 line at 0.02 s). The label has the interval. ropewalk's cost contains what its
records cost.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import moordyn
import numba
import numpy as np

from benchmarks.timing import quiet
from ropewalk.methods.mixed import MixedFem
from ropewalk.methods.mixed.sweep import newton_iteration
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.numerics.held import held
from ropewalk.spec.system import System

DURATION, EVERY, SKIP = 40.0, 0.5, 40  # s, s, samples of the start that do not count
SCHEMES = ("Euler", "RK2")  # of MoorDyn; RK4 costs twice as much per step and gains 1.4 in its length
ATTEMPTS = 2  # of each run of MoorDyn; the cheaper one counts
LEAST_TIME = 0.05  # s, for which a run of ropewalk is repeated
SHARES = (1.8, 1.3, 0.9, 0.6)  # of its estimated limit, tried in turn until a run survives


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
    couplings: tuple[float, ...]  # s between the positions that MoorDyn is given; all are tried
    terms: tuple[tuple[tuple[float, float, float], float, float, float], ...]  # direction, amplitude, period, phase

    def model(
        self, elements: int, stiffness: float | str | None = None, waves: bool = False, grading: float = 1.0
    ) -> Model:
        """The case for ropewalk."""
        sea = {
            "kind": "jonswap",
            "ramp": 0,
            "significant_height": 4.0,
            "peak_period": 10.0,
            "components": 200,
            "seed": 1,
        }
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
                    "environment": {
                        "depth": self.depth,
                        "seabed": {"stiffness": 3e6, "damping": 3e5},
                        **({"waves": sea} if waves else {}),
                    },
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
                            "grading": grading,
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
           0.01, (0.25, 0.1, 0.05, 0.02), (((1, 0, 0), 2.0, 10.0, HALF), ((0, 0, 1), 0.8, 8.0, HALF)))  # fmt: skip
SNAP = replace(OC3, name="OC3 line, slack and snap", terms=(((1, 0, 0), 5.0, 10.0, HALF), ((0, 0, 1), 2.0, 8.0, HALF)))
SHORT = Line("short stiff line", 20.0, 22.0, 0.08, 27.6, 2.3e8, (0.0, 0.0, -20.0), (6.0, 0.0, -0.5), 0.8, 0.001,
             (0.01, 0.005, 0.002), (((1, 0, 0), 1.5, 5.0, 0.0), ((0, 1, 0), 1.5, 5.0, HALF)))  # fmt: skip


@dataclass(frozen=True)
class Result:
    """One run of either program."""

    label: str
    forces: np.ndarray  # (n, 3) N at the upper end
    cost: float  # s
    figures: Mapping[str, Any]


def ropewalk_run(model: Model, solver: MixedFem, every: float = EVERY) -> Result:
    """Force history at the upper end, and the least processor time (s) of several runs, in one call each."""
    times = np.arange(every, DURATION + 1e-9, every)
    solver.march(model, solver.start(model, initial_state(model)), times[:2].copy())  # compiles
    cost, spent = np.inf, 0.0
    while spent < LEAST_TIME:
        work = solver.start(model, initial_state(model))
        begin = time.thread_time()
        passage = solver.march(model, work, times)
        last = time.thread_time() - begin
        cost, spent = min(cost, last), spent + last
        if not passage.report.good:
            raise RuntimeError(passage.report.message)
    figures = passage.report.figures
    label = (
        f"ropewalk {solver.integrator:17s} N {work.mesh.element.shape[0]:4d}  grading {model.lines.grading[0]:g}  "
        f"tolerance {solver.tolerance:.1e}  {figures['steps']} steps"
    )
    return Result(label, passage.moments.fields["end_force"][:, 0, 1], cost, figures)


def moordyn_run(line: Line, segments: int, step: float, scheme: str, coupling: float) -> Result | None:
    """Force history and processor time (s) of MoorDyn; None if it does not survive.

    coupling : s between the positions that it is given
    """
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
{scheme} tScheme
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
        try:
            moordyn.Init(system, list(line.position(0.0)), [0.0, 0.0, 0.0])
            for i in range(round(DURATION / coupling)):
                t = i * coupling
                here, there = line.position(t), line.position(t + coupling)
                begin = time.thread_time()
                force = moordyn.Step(system, list(here), list((there - here) / coupling), t, coupling)
                cost += time.thread_time() - begin
                forces.append(force)
        except Exception:  # the peer raises bare exceptions
            return None
        finally:
            moordyn.Close(system)
    every = round(EVERY / coupling)
    label = f"MoorDyn  {scheme:17s} N {segments:4d}  step {step:.1e} s  motion every {coupling:g} s"
    return Result(label, np.array(forces)[every - 1 :: every], cost, {"steps": DURATION / step})


def longest_step(line: Line, segments: int) -> float:
    """An estimate of what MoorDyn's axial waves, their damping and its bed damping allow (s)."""
    omega = 2.0 * segments / line.length * np.sqrt(line.stiffness / line.mass)
    bed = 3e5 * line.diameter / line.mass
    return float(min(2.0 / omega, 2.0 / (line.damping * omega**2), 2.0 / bed))


def moordyn_runs(line: Line, meshes: list[int]) -> list[Result]:
    """For each mesh, scheme and coupling interval the run with the longest step that survives."""
    found = []
    for segments, scheme, coupling in itertools.product(meshes, SCHEMES, line.couplings):
        for share in SHARES:
            step = share * longest_step(line, segments)
            runs = [moordyn_run(line, segments, step, scheme, coupling) for _ in range(ATTEMPTS)]
            alive = [run for run in runs if run is not None and np.all(np.isfinite(run.forces))]
            if alive:
                found.append(min(alive, key=lambda run: run.cost))
                break
    return found


def error(forces: np.ndarray, finest: np.ndarray) -> float:
    """Relative L2 difference after the start."""
    return float(np.linalg.norm((forces - finest)[SKIP:]) / np.linalg.norm(finest[SKIP:]))


def compare(
    line: Line,
    ours: list[tuple[str, int, float, float]],
    peers: list[int],
    targets: list[float],
    finest: MixedFem,
    most: int,
) -> None:
    """Print error and cost of both programs, and the ratios of cost at the errors that are asked for (%).

    ours : integrator, elements, grading, tolerance    peers : segments, rising    finest, most : solver and elements of
    what errors are measured against
    """
    print(f"{line.name}")
    exact = ropewalk_run(line.model(most), finest).forces
    mine = [
        ropewalk_run(
            line.model(n, grading=grading),
            MixedFem(tolerance=tolerance, ledger=False, integrator=name),  # type: ignore[arg-type]
        )
        for name, n, grading, tolerance in ours
    ]
    theirs = moordyn_runs(line, peers)
    for run in (*mine, *theirs):
        print(f"  {run.label:74s} error {100 * error(run.forces, exact):7.3f} %  {1e3 * run.cost:8.1f} ms  "
              f"{DURATION / run.cost:8.0f} x real time")  # fmt: skip
    names = sorted({name for name, _, _, _ in ours})
    for target in targets:
        peer = _cheapest(theirs, exact, target)
        best = [run.label for run in theirs if run.cost == peer]
        costs = {name: _cheapest([r for r in mine if name in r.label], exact, target) for name in names}
        text = ", ".join(f"{name} {_ratio(peer, cost)}" for name, cost in costs.items())
        print(
            f"  at {target:g} %: MoorDyn at its cheapest ({best[0] if best else 'not reached'}) over ropewalk: {text}"
        )
        if peer is None and any(costs.values()):
            bound = least_cost(theirs, peers, exact, target)
            text = ", ".join(f"{name} {_ratio(bound, cost)}" for name, cost in costs.items())
            print(f"  at {target:g} %: the same extrapolated, not measured, as a lower bound: {text}")
        if len(names) > 1:
            gain = _ratio(costs["generalised_alpha"], costs["leapfrog"])
            print(f"  at {target:g} %: generalised_alpha over leapfrog {gain}")


def least_cost(runs: list[Result], meshes: list[int], exact: np.ndarray, target: float) -> float | None:
    """What MoorDyn would need at least for an error (%) that none of its runs reaches (s), from its finest mesh.

    Its error falls with the square of the segments at best (where lines meet the bed it does not), its step with that
    square by the damping of axial waves or with their length by the waves: the cost is taken to grow with N squared.
    """
    finest = [run for run in runs if f"N {meshes[-1]:4d}" in run.label]
    costs = [run.cost * (100.0 * error(run.forces, exact) / target) for run in finest]
    return min(costs) if costs else None


def _cheapest(runs: list[Result], exact: np.ndarray, target: float) -> float | None:
    """Least cost (s) of the runs that reach an error (%)."""
    costs = [run.cost for run in runs if 100.0 * error(run.forces, exact) <= target]
    return min(costs) if costs else None


def _ratio(above: float | None, below: float | None) -> str:
    if above is None or below is None:
        return "not reached by " + ("either" if above is None and below is None else "one of them")
    return f"{above / below:.1f}"


def peaks() -> None:
    """Largest fairlead force of the line that snaps, by mesh."""
    print("largest fairlead force against the mesh, leapfrog, OC3 line that snaps")
    found = {}
    for n in (20, 50, 100, 200):
        forces = ropewalk_run(SNAP.model(n), MixedFem(integrator="leapfrog", ledger=False), 0.1).forces
        found[n] = float(np.linalg.norm(forces, axis=1).max())
    for n, peak in found.items():
        print(f"  N {n:4d}  {peak / 1e3:8.1f} kN  {100 * (peak / found[200] - 1.0):+.2f} %")


def stiffness(line: Line) -> None:
    """Cost as EA grows: iterations, which do not depend on the machine, and the least of runs that take turns."""
    print(f"{line.name}, stiffness")
    values: dict[str, float | str] = {
        "EA": line.stiffness, "EA x 100": 100 * line.stiffness, "EA x 1e4": 1e4 * line.stiffness,
        "inextensible": "inextensible",
    }  # fmt: skip
    for elements in (16, 20, 30):
        runs: dict[str, list[Result]] = {label: [] for label in values}
        for _ in range(3):
            for label, value in values.items():
                runs[label].append(ropewalk_run(line.model(elements, value), MixedFem(ledger=False)))
        first = min(run.cost for run in runs["EA"])
        work = runs["EA"][0].figures["newton_iterations"]
        for label, found in runs.items():
            cost, figures = min(run.cost for run in found), found[0].figures
            iterations = figures["newton_iterations"]
            print(f"  N {elements:3d}  {label:13s} {1e3 * cost:8.1f} ms  {DURATION / cost:8.0f} x real time  "
                  f"ratio {cost / first:.2f}  {figures['steps']} steps  {figures['rejected']} rejected  "
                  f"{iterations} iterations, ratio {iterations / work:.2f}")  # fmt: skip


def waves(line: Line) -> None:
    """Cost of a JONSWAP sea of 200 components, without the energy ledger and with it (the default)."""
    for ledger in (False, True):
        still, sea = (ropewalk_run(line.model(50, waves=w), MixedFem(ledger=ledger)) for w in (False, True))
        each = [1e6 * run.cost / run.figures["steps"] for run in (still, sea)]
        print(f"{line.name}, JONSWAP of 200 components over still water, {'with' if ledger else 'without'} the ledger: "
              f"{sea.cost / still.cost:.2f} in all, {each[1]:.0f} and {each[0]:.0f} us per step")  # fmt: skip


def iteration_cost() -> None:
    """Time of one Newton iteration per element, at several sizes, against MoorDyn's right-hand side per node.

    Iterations are repeated in compiled code, as a step repeats them: called from Python each one pays 10 us or so for
    taking the mesh apart. Both sides are measured in turn, the least time of each counts.
    """

    @numba.njit(nogil=True)
    def iterate(n, X, T, flow, mesh, fluid, step, memory):  # type: ignore[no-untyped-def]
        for _ in range(n):
            newton_iteration(X, T, flow, held(mesh), fluid, step, 1.0, held(memory))

    sizes = (5, 20, 50, 500, 5000)
    least = dict.fromkeys(sizes, np.inf)
    works = {}
    for n in sizes:
        model = OC3.model(n)
        solver = MixedFem(ledger=False)
        works[n] = solver.start(model, initial_state(model))
        for t in (1.0, 4.0, 7.3):  # in motion, half on the bed
            solver.advance(model, works[n], t)
    peer = np.inf
    for attempt in range(4):  # the first one compiles
        for n in sizes:
            kept, repeat = works[n].steps, 100000 // n if attempt else 1
            begin = time.thread_time()
            X, T, mesh = kept.trial.X, kept.trial.T, works[n].mesh
            iterate(repeat, X, T, kept.flow, mesh, (1025.0, 9.80665), (300.0, 19.0), kept.memory)
            if attempt:
                least[n] = min(least[n], (time.thread_time() - begin) / repeat / n)
        run = moordyn_run(OC3, 50, 5e-4, "RK2", 0.02)
        if run is not None:
            peer = min(peer, run.cost / (2.0 * run.figures["steps"] * 51))
    print(f"MoorDyn's right-hand side, N 50: {1e6 * peer:.3f} us per node")
    for n in sizes:
        print(f"  Newton iteration, N {n:5d}: {1e6 * least[n]:.3f} us per element, ratio {least[n] / peer:.2f}")


def main() -> None:
    """Print the tables."""
    implicit, explicit = "generalised_alpha", "leapfrog"
    # at 1 % the longest step is that of the records and the tolerance hardly matters: meshes are what is scanned
    compare(OC3, [(implicit, 12, 1.78, 1.0), (implicit, 13, 1.5, 1.0), (implicit, 14, 1.64, 1.0),
                  (implicit, 14, 2.0, 1e-1), (implicit, 15, 1.0, 1e-1), (implicit, 16, 2.0, 1e-1),
                  (implicit, 20, 1.0, 1e-1), (implicit, 20, 2.0, 1e-1), (implicit, 30, 2.0, 5e-3),
                  (implicit, 32, 2.2, 3.5e-3), (implicit, 34, 2.0, 4e-3), (implicit, 36, 1.8, 4e-3),
                  (implicit, 38, 2.0, 5e-3), (implicit, 38, 2.0, 4e-3),
                  (implicit, 42, 2.0, 4e-3), (implicit, 42, 2.0, 3e-3),
                  (implicit, 50, 2.0, 3e-3), (implicit, 50, 1.0, 1e-3), (implicit, 70, 1.0, 1e-3)],
            [10, 11, 12, 13, 14, 15, 16, 20, 35, 40, 45, 50, 60, 80, 100], [1.0, 0.25, 0.15, 0.12, 0.1],
            MixedFem(step=0.005, ledger=False), 800)  # fmt: skip
    compare(SNAP, [(explicit, 16, 1.0, 3e-3), (explicit, 17, 1.0, 3e-3), (explicit, 20, 1.0, 3e-3),
                   (explicit, 30, 1.0, 3e-3),
                   (explicit, 40, 1.0, 3e-3), (implicit, 20, 1.0, 1e-2), (implicit, 20, 1.0, 1e-3),
                   (implicit, 30, 1.0, 3e-3), (implicit, 50, 1.0, 3e-3), (implicit, 50, 1.0, 1e-3)],
            [10, 16, 17, 20, 30, 50], [2.0, 1.4, 1.0], MixedFem(integrator="leapfrog", ledger=False), 400)  # fmt: skip
    peaks()
    # nodes that are laid down shake this line; the finest mesh differs by 0.01 % from half the step with radius 0, by
    # 0.03 % from 400 elements with grading 4
    compare(SHORT, [(implicit, 10, 1.0, 1e-2), (implicit, 20, 1.0, 1e-3), (implicit, 30, 1.0, 1e-3),
                    (implicit, 20, 3.0, 3e-3), (implicit, 30, 3.0, 3e-3), (implicit, 30, 3.0, 1e-3),
                    (implicit, 80, 3.0, 5e-4), (implicit, 100, 3.0, 3e-4)],
            [10, 20, 22, 30], [2.5, 1.0, 0.2], MixedFem(step=0.002, ledger=False), 400)  # fmt: skip
    stiffness(SHORT)
    waves(OC3)
    iteration_cost()


if __name__ == "__main__":
    main()
