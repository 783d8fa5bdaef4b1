"""What records and the energy ledger cost: a state of 500 nodes to disk, and their shares of whole runs.

The lower bound of a record is `os.write` of as many bytes with their CRC-32, which a record needs in any case. The run
is the OC3 spar of examples/sweeps on three lines in a JONSWAP sea of 200 components, with records every 0.25 s; its
steps alone are the same steps without records. The ledger is switched off and on, in the spar's run and in those of the
smooth OC3 line of bench_mixed_fem.py, with a record every 0.5 s. Processor time, the least of several runs in turn.
"""

from __future__ import annotations

import os
import tempfile
import time
import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import ropewalk as rw
from benchmarks.bench_mixed_fem import DURATION, EVERY, OC3
from ropewalk.analysis.run import record_times
from ropewalk.analysis.start import first_state
from ropewalk.methods.mixed import MixedFem
from ropewalk.methods.mixed.events import compiled_for, march_to
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state
from ropewalk.results import Recorder
from ropewalk.results.segments import RunFolder

NODES, RECORDS, ROUNDS = 500, 200, 8
RUNS = 5
LEAST_TIME = 1.0  # s, for which runs without and with the ledger are repeated in turn
MESHES = ((14, 1.5, 3e-1), (34, 2.0, 4e-3), (50, 2.0, 3e-3))  # elements, grading, tolerance of the OC3 line


def _state(t: float, rng: np.random.Generator) -> State:
    return State(
        time=t,
        point_position=rng.normal(size=(2, 3)), point_velocity=np.zeros((2, 3)), point_force=np.zeros((2, 3)),
        body_position=np.zeros((0, 3)), body_quaternion=np.zeros((0, 4)), body_velocity=np.zeros((0, 3)),
        body_rate=np.zeros((0, 3)), start=np.array([0, NODES]), s=np.linspace(0.0, 100.0, NODES),
        position=rng.normal(size=(NODES, 3)), velocity=np.zeros((NODES, 3)), tension=np.ones(NODES),
        end_force=np.zeros((1, 2, 3)), grounded=np.zeros(1),
    )  # fmt: skip


def single() -> None:
    """Print the cost of a record in microseconds of processor time, and its ratio to the lower bound."""
    rng = np.random.default_rng(1)
    names = SimpleNamespace(points=("a", "b"), bodies=(), lines=("m",), sections=())
    states = [_state(0.1 * k, rng) for k in range(10)]
    own, bound = [], []
    with tempfile.TemporaryDirectory() as place:
        folder = RunFolder.create(Path(place) / "a.nc")
        recorder = Recorder(names, {}, folder)  # type: ignore[arg-type]
        data = rng.bytes(8 * 7 * NODES)
        descriptor = os.open(Path(place) / "plain", os.O_CREAT | os.O_WRONLY)
        for _ in range(ROUNDS):
            begin = time.process_time()
            for k in range(RECORDS):
                recorder.add(states[k % 10])
                if recorder.is_due:
                    recorder.save({"x": states[0].position}, {})
            own.append((time.process_time() - begin) / RECORDS)
            begin = time.process_time()
            for _ in range(RECORDS):
                zlib.crc32(data)
                os.write(descriptor, data)
            bound.append((time.process_time() - begin) / RECORDS)
        os.close(descriptor)
        folder.remove()
    print(f"record {1e6 * min(own):.0f} us, plain write {1e6 * min(bound):.0f} us, ratio {min(own) / min(bound):.1f}")


def _spar(duration: float) -> rw.System:
    path = Path(__file__).resolve().parents[1] / "examples" / "sweeps" / "oc3.yaml"
    return rw.System.of(str(path)).replace({"environment.waves.components": 200, "run.duration": duration})


def whole_run(duration: float) -> None:
    """Print how long a run takes, and the share of it that its steps take."""
    system = _spar(duration)
    model, solver = build(system), MixedFem()
    state = first_state(system, model, solver)[0]
    times = record_times(duration, system.record.every)
    rw.simulate(system, 2.0)
    whole, steps = np.inf, np.inf
    for _ in range(RUNS):
        begin = time.thread_time()
        rw.simulate(system)
        whole = min(whole, time.thread_time() - begin)
        work = solver.start(model, state)
        nothing = compiled_for(model, work).nothing
        begin = time.thread_time()
        march_to(model, work, times, nothing)
        steps = min(steps, time.thread_time() - begin)
    print(f"OC3 spar, {duration:g} s in {times.size} records: {duration / whole:.0f} x real time (bar 1000), "
          f"{100 * steps / whole:.0f} % of it in {int(work.steps.count[0].steps)} steps (bar 80)")  # fmt: skip


def ledger_share(name: str, model: Model, state: State, times: Array, tolerance: float) -> None:
    """Print the share of a run, records included, that the energy ledger takes."""
    solvers = {kept: MixedFem(ledger=kept, tolerance=tolerance) for kept in (False, True)}
    least, spent = dict.fromkeys(solvers, np.inf), 0.0
    for solver in solvers.values():
        solver.march(model, solver.start(model, state), times[:2].copy())  # compiles
    while spent < LEAST_TIME:
        for kept, solver in solvers.items():
            work = solver.start(model, state)
            begin = time.thread_time()
            solver.march(model, work, times)
            cost = time.thread_time() - begin
            least[kept], spent = min(least[kept], cost), spent + cost
    share, each = 1.0 - least[False] / least[True], (least[True] - least[False]) / int(work.steps.count[0].steps)
    print(f"energy ledger, {name}: {100 * share:.0f} % of a run (bar 25), {1e6 * each:.2f} us per step")


def ledger() -> None:
    """The share of the ledger in runs of one line and of the spar."""
    times = np.arange(EVERY, DURATION + 1e-9, EVERY)
    for elements, grading, tolerance in MESHES:
        model = OC3.model(elements, grading=grading)
        ledger_share(f"OC3 line, {elements} elements", model, initial_state(model), times, tolerance)
    system = _spar(60.0)
    model, solver = build(system), MixedFem()
    state = first_state(system, model, solver)[0]
    ledger_share("OC3 spar", model, state, record_times(60.0, system.record.every), solver.tolerance)


def main() -> None:
    """All of them."""
    single()
    ledger()
    whole_run(300.0)
    whole_run(3600.0)


if __name__ == "__main__":
    main()
