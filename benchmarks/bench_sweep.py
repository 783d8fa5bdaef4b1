"""Sweeps: overhead and speed-up, memory of the parent, rainflow, and throughput against a loop over MoorDyn."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import ropewalk as rw
from benchmarks.timing import show
from ropewalk.numerics.rainflow import rainflow
from ropewalk.sweep.local import Crew
from ropewalk.sweep.run import make_plan, run_plan

TIMED = (sys.executable, str(Path(__file__).with_name("timed_worker.py")))


CASE = 2400.0  # s of a run that takes at least LEAST of processor time
LEAST = 0.05  # s of `rw.simulate` in a case, below which overhead and speed-up are not what they are in practice
LONG_STATE = 600.0  # s, the shortest sea state of certification
BODY = {"mass": 1.0, "position": (0, 0, 0), "joint": "fixed"}


def line_case(duration: float) -> rw.System:
    """A mooring line with a fairlead in surge."""
    motion = {"kind": "harmonic", "ramp": 2.0, "terms": [{"direction": [1, 0, 0], "amplitude": 1.0, "omega": 0.6}]}
    return rw.System.model_validate(
        {
            "environment": {"depth": 320.0, "seabed": {"friction": 0.0}},
            "sections": {"chain": {"diameter": 0.09, "mass": 77.7, "axial_stiffness": 3.84e8, "breaking_load": 4e6,
                                   "drag": {"normal": 1.6, "tangential": 0.1}, "added_mass": {"normal": 1.0}}},
            "points": {"anchor": {"position": [853.87, 0, -320]},
                       "fairlead": {"position": [5.2, 0, -70], "joint": "moving", "motion": motion}},
            "lines": {"line": {"from": "anchor", "to": "fairlead", "elements": 20,
                               "pieces": [{"section": "chain", "length": 902.2}]}},
            "record": {"every": 0.25},
            "run": {"duration": duration},
        }
    )  # fmt: skip


def swept(cases: int, jobs: int, duration: float) -> tuple[float, float, float, float]:
    """Wall time (s) of a sweep of runs, CPU time of all processes, that inside `rw.simulate`, and that by case."""
    amplitude = "points.fairlead.motion.terms.0.amplitude"
    plan = make_plan(line_case(duration), {amplitude: np.linspace(0.5, 1.5, cases)}, {})
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ROPEWALK_BENCH"] = folder
        before = _cpu()
        begun = time.perf_counter()
        result = run_plan(plan, crew=Crew(jobs, TIMED))
        wall = time.perf_counter() - begun
        cpu = _cpu() - before
        inside = sum(float(path.read_text()) for path in Path(folder).glob("*.cpu"))
    assert set(result.status.values) == {"done"}
    return wall, cpu, inside, inside / cases


def _cpu() -> float:
    """s of this process and of its children that have ended"""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def overhead(cases: int = 1000) -> list[tuple[str, str, str]]:
    """Share of the CPU outside `rw.simulate`."""
    wall, cpu, inside, each = swept(cases, 2, CASE)
    assert each >= LEAST, f"cases of {each:g} s: lengthen CASE"
    what = f"{cases} cases of {1e3 * each:.0f} ms on 2 workers: CPU outside rw.simulate"
    return [(what, f"{1.0 - inside / cpu:.1%}", "< 15 %"), ("  wall time", f"{wall:.1f} s", "")]


def speed_up(cases: int = 200) -> list[tuple[str, str, str]]:
    """Two workers against one, start-up of the workers included."""
    one, _, _, each = swept(cases, 1, CASE)
    two = swept(cases, 2, CASE)[0]
    return [(f"speed-up of {cases} cases of {1e3 * each:.0f} ms on 2 workers", f"{one / two:.2f}", ">= 1.8")]


def memory(cases: int = 10_000) -> list[tuple[str, str, str]]:
    """Growth of the parent from the first tenth of the cases to the end, with rows that are made up."""
    from ropewalk.sweep import run as sweeping

    worker = Path(__file__).resolve().parents[1] / "tests" / "sweep" / "faulty_worker.py"
    system = rw.System.model_validate({"environment": {"depth": 320.0}, "bodies": {"platform": BODY}})
    plan = make_plan(system, {"environment.depth": np.linspace(320.0, 321.0, cases)}, {"do": "static"})
    sizes: list[int] = []
    count = sweeping._count

    def counted(counts, outcome):
        count(counts, outcome)
        if counts.done % (cases // 10) == 0:
            sizes.append(_resident())

    sweeping._count = counted
    try:
        begun = time.perf_counter()
        run_plan(plan, crew=Crew(2, (sys.executable, str(worker))))
        wall = time.perf_counter() - begun
    finally:
        sweeping._count = count
    grown = (sizes[-1] - sizes[0]) / 1e6
    return [
        (f"memory of the parent over {cases} cases", f"{sizes[0] / 1e6:.0f} MB + {grown:.1f} MB", "flat"),
        ("  cost of a case that does nothing", f"{1e3 * wall / cases:.2f} ms", ""),
    ]


def _resident() -> int:
    """bytes"""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def rainflow_time() -> list[tuple[str, str, str]]:
    """Ten million points of white noise, the worst case: every second one is a reversal."""
    x = np.random.default_rng(1).normal(size=10_000_000)
    rainflow(x[:10])
    begun = time.perf_counter()
    rainflow(x)
    return [("rainflow of 10 million points", f"{time.perf_counter() - begun:.2f} s", "< 1 s")]


def sea_states(duration: float, states: int = 100) -> list[tuple[str, str, str]]:
    """Sea states of the OC3 mooring: a sweep on 2 workers against a plain loop over MoorDyn, both within 1 %.

    The sweep counts from its plan to its result, with the start of its workers; the loop counts as it is.
    """
    from benchmarks import sea_states as oc3

    cases = [(float(h), s) for h in oc3.HEIGHTS for s in range(1, oc3.SEEDS + 1)][-states:]
    height, seed = cases[-1]
    exact = oc3.fairlead_force(rw.simulate(oc3.case(height, seed, 80, 3e-4, duration)))
    ours = oc3.error(oc3.fairlead_force(rw.simulate(oc3.case(height, seed, duration=duration))), exact)
    terms = [[{"direction": d, "amplitude": a, "omega": w, "phase": p} for d, a, w, p in oc3.motion(*each)]
             for each in cases]  # fmt: skip
    system = oc3.case(*cases[0], duration=duration)
    begun, spent = time.perf_counter(), _cpu()
    result = rw.sweep(system, {"bodies.spar.motion.terms": terms}, jobs=2)
    mine, spent = time.perf_counter() - begun, _cpu() - spent
    assert set(result.status.values) == {"done"}
    begun, lone = time.perf_counter(), time.process_time()
    for each in cases:
        forces, _, _ = oc3.moordyn_run(*each, 10, 5e-3, duration)
    peer, lone = time.perf_counter() - begun, time.process_time() - lone
    theirs = oc3.error(forces, exact)
    what = f"{len(cases)} sea states of {duration:g} s"
    bar = "" if duration < LONG_STATE else ">= 20"
    return [
        (f"{what}: ropewalk, error {ours:.2%}", f"{mine:.1f} s", f"CPU {spent:.1f} s"),
        (f"  loop over MoorDyn, error {theirs:.2%}", f"{peer:.1f} s", f"CPU {lone:.1f} s"),
        ("  throughput over MoorDyn's", f"{peer / mine:.1f}", bar),
    ]


def seeds(cases: int = 64) -> list[tuple[str, str, str]]:
    """Seeds of one mooring: processor time of a case in a warm worker, with lanes and shared starts and without."""
    from benchmarks import sea_states as oc3
    from ropewalk.analysis.shared_start import shared_starts
    from ropewalk.sweep.job import ask

    def each(lanes: bool) -> tuple[float, np.ndarray]:
        options = {"solver": "mixed_fem", "options": {"lanes": lanes}}
        systems = [oc3.case(6.0, seed) for seed in range(1, cases + 1)]
        systems = [system.replace(run=system.run.replace(**options)) for system in systems]
        ask("run", systems[0], None)
        begun = time.process_time()
        found = [ask("run", system, None).variables["end_tension_max"][1] for system in systems]
        return (time.process_time() - begun) / cases, np.array(found)

    alone, one = each(False)
    with shared_starts():
        together, other = each(True)
    return [
        (f"{cases} seeds of one mooring, 120 s: a run by itself", f"{1e3 * alone:.1f} ms", ""),
        (f"  in a sweep, peaks within {np.abs(other / one - 1.0).max():.1e}", f"{1e3 * together:.1f} ms", ""),
        ("  throughput of a core over that of runs by themselves", f"{alone / together:.2f}", ">= 2.5"),
    ]


def main() -> None:
    """All of them."""
    show([*rainflow_time(), *overhead(), *speed_up(), *memory(), *seeds(), *sea_states(120.0), *sea_states(LONG_STATE)])


if __name__ == "__main__":
    main()
