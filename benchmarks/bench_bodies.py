"""Bodies on lines: what a buoy adds to a Newton iteration, cost over elements, and a platform against MoorDyn."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import show
from ropewalk.analysis.statics import statics
from ropewalk.assembly.body_loads import water_on_bodies
from ropewalk.methods.mixed import MixedFem
from ropewalk.methods.mixed.sweep import newton_iteration
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state
from ropewalk.numerics.blocksparse import analyse, no_factor
from ropewalk.spec.system import System

CALLS, ROUNDS = 2000, 3  # timed calls of one case at a time, and how often each has its turn
DURATION, EVERY = 60.0, 0.5  # s, of the platform's free decay and between its samples
OFFSET = 4.0  # m in surge, from which the platform is let go
DEPTH, ANCHOR_RADIUS, LENGTH, EYE_RADIUS, EYE_DEPTH = 230.0, 300.0, 345.0, 10.0, -8.0  # m
HEIGHT = -40.0  # m, of the platform's origin: its volume, a sphere of radius 12 m, never meets the surface
MASS, VOLUME = 4.0e6, 7000.0  # kg, m3
INERTIA = (4.0e8, 4.0e8, 6.0e8)  # kg m2
CHAIN = {"diameter": 0.20, "mass": 200.0, "axial_stiffness": 7.0e8, "damping": 0.0}
DRAG, ADDED = 1.2, 1.0
TOLERANCES = (3e-2, 1e-2, 5e-3, 3e-3, 2.4e-3, 2.2e-3, 2e-3, 1.5e-3, 1e-3)
REPEATS = 3  # runs of each program, of which the least time counts
# s, of RK2, of which the largest that is within 1 % is taken; Euler's steps blow up above 3e-4 s, and cost three times
MOORDYN_STEPS = (4e-3, 2e-3, 1.9e-3, 1.8e-3, 1.7e-3, 1.4e-3, 1.2e-3, 1e-3, 5e-4, 2.5e-4)


def buoy(elements: int, end: str = "free") -> Model:
    """A cylinder on a line, free or fixed; or the same line without it, to a held point (end: point)."""
    hull = {"kind": "axisymmetric", "profile": [[0, 0.65], [2, 0.65]], "drag": {"normal": 0.8, "axial": 1.0}}
    position, joint = [6, 2, -0.8], "fixed" if end == "fixed" else "free"
    body = {"mass": 700, "inertia": [176, 176, 85], "centre_of_mass": [0, 0, 0.8], "position": position, "hull": hull,
            "attachments": {"eye": [0, 0, 0]}, "joint": joint}  # fmt: skip
    points = {"anchor": {"position": [0, 0, -20]}}
    is_point = end == "point"
    return build(System.model_validate({
        "environment": {"depth": 20, "current": {"speed": 0.7}, "seabed": {"kind": "none"}},
        "sections": {"rope": {"diameter": 0.08, "mass": 27.6, "axial_stiffness": 2.3e8, "drag": {"normal": 0.8}}},
        "points": {**points, "top": {"position": position}} if is_point else points,
        "bodies": {} if is_point else {"buoy": body},
        "lines": {"l": {"from": "anchor", "to": "top" if is_point else "buoy.eye", "elements": elements,
                        "pieces": [{"section": "rope", "length": 22}]}},
    }))  # fmt: skip


def least(job: Callable[[], object], calls: int = CALLS) -> float:
    """Seconds of the fastest of many single calls: differences of microseconds drown in means on a busy machine."""
    job()
    times = []
    for _ in range(calls):
        begin = time.perf_counter()
        job()
        times.append(time.perf_counter() - begin)
    return min(times)


def iteration(model: Model) -> Callable[[], object]:
    """One Newton iteration about the equilibrium."""
    work = MixedFem().start(model, initial_state(model))
    steps, sea = work.steps, model.sea
    X, T = steps.trial.X.copy(), steps.trial.T.copy()
    water_on_bodies(X, 0.0, sea, work.mesh)
    fluid = (sea.water_density, sea.gravity)
    return lambda: newton_iteration(X, T, steps.flow, work.mesh, fluid, (1e4, 150.0), 1.0, steps.memory)


def iterations(models: Sequence[Model]) -> list[float]:
    """Seconds of one Newton iteration of each; they take turns, so that all meet the same machine."""
    jobs = [iteration(model) for model in models]
    return [min(times) for times in zip(*([least(job) for job in jobs] for _ in range(ROUNDS)), strict=True)]


def chain(n: int) -> Model:
    """Bodies and lines in turn, hung between two held points: n bodies, n + 1 lines of ten elements."""
    span = 3.0
    bodies = {
        f"b{k}": {"mass": 50.0, "inertia": [5.0, 5.0, 5.0], "position": [span * (k + 1), 0, -0.5], "volume": 0.01,
                  "attachments": {"l": [-0.5, 0, 0], "r": [0.5, 0, 0]}}
        for k in range(n)
    }  # fmt: skip
    ends = ["left", *(end for k in range(n) for end in (f"b{k}.l", f"b{k}.r")), "right"]
    return build(System.model_validate({
        "environment": {"depth": 100, "seabed": {"kind": "none"}},
        "sections": {"rope": {"diameter": 0.03, "mass": 1.0, "axial_stiffness": 1e6, "drag": {"normal": 1.0}}},
        "points": {"left": {"position": [0, 0, 0]}, "right": {"position": [span * (n + 1), 0, 0]}},
        "bodies": bodies,
        "lines": {f"l{k}": {"from": ends[2 * k], "to": ends[2 * k + 1], "elements": 10,
                            "pieces": [{"section": "rope", "length": 2.3}]} for k in range(n + 1)},
    }))  # fmt: skip


def many(n: int, calls: int) -> tuple[float, float]:
    """Seconds of one Newton iteration of a chain of n bodies, with the sparse and with the dense solve of junctions."""
    model = chain(n)
    work = MixedFem(start_at="as_given").start(model, initial_state(model))
    steps, sea, mesh = work.steps, model.sea, work.mesh
    memory = steps.memory
    pairs = [(int(i), int(i) + 1) for i in range(n - 1)]
    groups = [list(range(6 * k, 6 * k + 6)) + ([6 * n] if k == 0 else []) + [6 * n + k + 1] for k in range(n)]
    both = (memory._replace(factor=analyse(groups, pairs)), memory._replace(factor=no_factor()))
    seconds = []
    for kept in both:
        kept.matrix[:] = 0.0
        X, T = steps.trial.X.copy(), steps.trial.T.copy()
        fluid = (sea.water_density, sea.gravity)
        job = partial(newton_iteration, X, T, steps.flow, mesh, fluid, (1e6, 1500.0), 1.0, kept)
        seconds.append(least(job, calls))
    return seconds[0], seconds[1]


def platform(joint: str, surge: float) -> System:
    """A submerged platform on twelve suspended chains of fifty elements."""
    angles = np.arange(12) * np.pi / 6 + 0.2
    eyes = {f"e{i}": [EYE_RADIUS * np.cos(a), EYE_RADIUS * np.sin(a), EYE_DEPTH] for i, a in enumerate(angles)}
    anchors = {f"a{i}": {"position": [ANCHOR_RADIUS * np.cos(a), ANCHOR_RADIUS * np.sin(a), -DEPTH]}
               for i, a in enumerate(angles)}  # fmt: skip
    body = {"mass": MASS, "inertia": list(INERTIA), "position": [surge, 0, HEIGHT], "volume": VOLUME, "joint": joint,
            "attachments": eyes}  # fmt: skip
    section = {**CHAIN, "drag": {"normal": DRAG}, "added_mass": {"normal": ADDED}}
    lines = {f"l{i}": {"from": f"a{i}", "to": f"platform.e{i}", "elements": 50,
                       "pieces": [{"section": "chain", "length": LENGTH}]} for i in range(12)}  # fmt: skip
    return System.model_validate({
        "environment": {"depth": DEPTH, "gravity": 9.81, "water_density": 1025, "seabed": {"kind": "none"}},
        "sections": {"chain": section}, "points": anchors, "bodies": {"platform": body}, "lines": lines,
    })  # fmt: skip


def moordyn_file(step: float) -> str:
    """The same platform as a MoorDyn v2 input; there the buoyancy of a body does not depend on the surface."""
    angles = np.arange(12) * np.pi / 6 + 0.2
    dash = "-" * 20
    chain = f"{CHAIN['diameter']} {CHAIN['mass']} {CHAIN['axial_stiffness']} -0.1 0 {DRAG} {ADDED} 0 0"
    inertia = "|".join(str(value) for value in INERTIA)
    rows = [
        "MoorDyn input", f"{dash} LINE TYPES {dash}", "Name Diam MassDen EA BA/-zeta EI Cd Ca CdAx CaAx",
        "(-) (m) (kg/m) (N) (N-s/-) (N-m^2) (-) (-) (-) (-)", f"chain {chain}",
        f"{dash} BODIES {dash}", "ID Attachment X0 Y0 Z0 r0 p0 y0 Mass CG* I* Volume CdA* Ca*",
        "(#) (word) (m) (m) (m) (deg) (deg) (deg) (kg) (m) (kg-m^2) (m^3) (m^2) (-)",
        f"1 Free {OFFSET} 0 {HEIGHT} 0 0 0 {MASS} 0|0|0 {inertia} {VOLUME} 0 0",
        f"{dash} POINTS {dash}", "ID Attachment X Y Z Mass Volume CdA Ca",
        "(#) (word) (m) (m) (m) (kg) (m^3) (m^2) (-)",
    ]  # fmt: skip
    for i, a in enumerate(angles):
        c, s = np.cos(a), np.sin(a)
        rows.append(f"{2 * i + 1} Fixed {ANCHOR_RADIUS * c:.9f} {ANCHOR_RADIUS * s:.9f} {-DEPTH} 0 0 0 0")
        rows.append(f"{2 * i + 2} Body1 {EYE_RADIUS * c:.9f} {EYE_RADIUS * s:.9f} {EYE_DEPTH} 0 0 0 0")
    rows += [f"{dash} LINES {dash}", "ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs",
             "(#) (-) (-) (-) (m) (-) (-)"]  # fmt: skip
    rows += [f"{i + 1} chain {2 * i + 1} {2 * i + 2} {LENGTH} 50 -" for i in range(12)]
    options = {
        "dtM": step,
        "g": 9.81,
        "WtrDnsty": 1025,
        "WtrDpth": 330,
        "kBot": 0,
        "cBot": 0,
        "TmaxIC": 0,
        "writeLog": 0,
    }
    rows += [
        f"{dash} OPTIONS {dash}",
        *(f"{value} {name}" for name, value in options.items()),
        f"{dash} END {dash}",
        "",
    ]
    return "\n".join(rows)


def run_moordyn(step: float) -> tuple[np.ndarray, float]:
    """Surge over time and seconds of the processor taken."""
    import moordyn

    folder = Path(tempfile.mkdtemp())
    (folder / "case.txt").write_text(moordyn_file(step))
    here = Path.cwd()
    os.chdir(folder)
    try:
        system = moordyn.Create("case.txt")
        moordyn.Init(system, [], [])
        body = moordyn.GetBody(system, 1)
        surge, begin, t = [], time.process_time(), 0.0
        for _ in range(int(DURATION / EVERY)):
            try:
                moordyn.Step(system, [], [], t, EVERY)
            except RuntimeError:  # NaN: the step is too long for the axial waves
                return np.full(int(DURATION / EVERY), np.nan), time.process_time() - begin
            t += EVERY
            surge.append(moordyn.GetBodyPos(body)[0])
        seconds = time.process_time() - begin
        moordyn.Close(system)
    finally:
        os.chdir(here)
    return np.array(surge), seconds


def run_ropewalk(model: Model, state: State, **settings: Any) -> tuple[np.ndarray, float]:
    """Surge over time and the least seconds of the processor taken."""
    solver, seconds = MixedFem(start_at="as_given", ledger=False, **settings), np.inf
    times = EVERY * np.arange(1, int(DURATION / EVERY) + 1)
    for _ in range(REPEATS):
        work = solver.start(model, state)
        begin = time.process_time()
        passage = solver.march(model, work, times)
        seconds = min(seconds, time.process_time() - begin)
    if not passage.report.good or passage.moments is None:
        raise RuntimeError(passage.report.message)
    return passage.moments.fields["body_position"][:, 0, 0], seconds


def compare() -> list[tuple[str, str, str]]:
    """Both at 1 % of the offset, against ropewalk with small steps."""
    held = statics(platform("fixed", OFFSET), "fem").state
    model = build(platform("free", OFFSET))
    reference, _ = run_ropewalk(model, held, step=0.01)
    ours = [(*run_ropewalk(model, held, tolerance=tolerance), tolerance) for tolerance in TOLERANCES]
    error = [float(np.abs(x - reference).max()) / OFFSET for x, _, _ in ours]
    good = min((seconds, tolerance, e) for (_, seconds, tolerance), e in zip(ours, error, strict=True) if e < 0.01)
    rows = [("platform, 12 lines: ropewalk", f"{good[0]:.3f} s", f"error {good[2]:.1e}, tolerance {good[1]:g}")]
    for step in MOORDYN_STEPS:
        surge, seconds = run_moordyn(step)
        miss = float(np.abs(surge - reference).max()) / OFFSET if np.all(np.isfinite(surge)) else np.inf
        rows.append((f"platform, 12 lines: MoorDyn, step {step:g} s", f"{seconds:.3f} s", f"differs by {miss:.1e}"))
        if miss < 0.01:
            seconds = min(seconds, *(run_moordyn(step)[1] for _ in range(REPEATS - 1)))
            rows.append(("platform: MoorDyn over ropewalk at 1 %", f"{seconds / good[0]:.0f}", "at least 20"))
            break
    return rows


def main() -> None:
    """Print what, figure, bar."""
    free, fixed, point = iterations([buoy(50, end) for end in ("free", "fixed", "point")])
    rows = [
        ("buoy on 50 elements, Newton iteration more than fixed", f"{1e6 * (free - fixed):.2f} us", "at most 2 us"),
        ("buoy on 50 elements, Newton iteration more than none", f"{1e6 * (free - point):.2f} us", "at most 2 us"),
    ]
    sizes = (50, 100, 200, 400, 800)
    for n, seconds in zip(sizes, iterations([buoy(n) for n in sizes]), strict=True):
        rows.append(
            (f"buoy on {n} elements, Newton iteration", f"{1e6 * seconds:.1f} us", f"{1e6 * seconds / n:.3f} us each")
        )
    for n, calls in ((5, 2000), (10, 1000), (50, 100), (200, 10)):
        sparse, dense = many(n, calls)
        rows.append(
            (f"chain of {n} bodies and lines: sparse", f"{1e6 * sparse:.0f} us", f"{1e6 * sparse / n:.1f} us each")
        )
        rows.append(
            (f"chain of {n} bodies and lines: dense", f"{1e6 * dense:.0f} us", f"{dense / sparse:.1f} of sparse")
        )
    show([*rows, *compare()])


if __name__ == "__main__":
    main()
