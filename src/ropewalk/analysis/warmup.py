"""Small jobs that make every kernel compile, and the tasks whose kernels are compiled on all cores beforehand.

A task is ``static:METHOD`` or ``run:SOLVER``, with ``:bodies`` behind it where the case has bodies. ``make plan``
records the kernels of the tasks in ``PLANNED`` (numerics/parallel_compile.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ropewalk.analysis.statics import NOT_STATIC, candidates, static_methods, statics
from ropewalk.errors import InputError
from ropewalk.methods.claims import demands
from ropewalk.methods.protocol import Claim
from ropewalk.methods.registry import SOLVERS, solver_class
from ropewalk.model.model import build
from ropewalk.spec.system import System


def jobs() -> list[tuple[str, Callable[[], object]]]:
    """Name and job, one per method and question."""
    system, chain = moored_buoy(), hanging_chain()
    found: list[tuple[str, Callable[[], object]]] = [
        (f"statics by {name}", partial(statics, system, name)) for name in static_methods() if _claims(name, system)
    ]
    found += [
        (f"time domain by {name}", partial(_swing, chain, name))
        for name in SOLVERS
        if Claim.DYNAMICS in solver_class(name).claims and _claims(name, chain)
    ]
    return found


def _swing(chain: System, solver: str) -> None:
    """The chain in time; with its upper end as the only one held for a solver that takes no loops."""
    try:
        _simulate(chain, solver)
    except InputError:
        _simulate(chain.replace("points.low.joint", "free"), solver)


def _simulate(system: System, solver: str) -> None:
    from ropewalk.analysis.run import simulate  # which static analysis does not wait for

    simulate(system, 0.2, solver=solver)


def static_tasks(system: System, method: str | None = None) -> list[str]:
    """The task of static analysis of `system`; none if the method will refuse it."""
    model = build(system)
    name = next(candidates(model, method or system.statics.method))
    return [_task("static", name, system)] if _claims(name, system) else []


def run_tasks(system: System, solver: str | None = None) -> list[str]:
    """Tasks of a simulation of `system`: its equilibrium, unless it starts as given, and the steps."""
    from ropewalk.analysis.run import solver_for

    name = solver_for(system, build(system), solver).name
    begins = [] if system.run is not None and system.run.start == "as_given" else static_tasks(system)
    return [*begins, _task("run", name, system)]


def _task(what: str, method: str, system: System) -> str:
    """Name of a task. Lines of several pieces (assembly/catenary.py) and a current (audit) are compiled apart."""
    several = any(len(line.pieces) > 1 or line.attachments for line in system.lines.values())
    pieces = several and method in ("catenary", "shooting")  # by the closed form, or from it
    current = method == "shooting" and system.environment.current is not None
    return f"{what}:{method}" + ":bodies" * bool(system.bodies) + ":pieces" * pieces + ":current" * current


def planned_tasks() -> dict[str, Callable[[], object]]:
    """What is run to record the plan, by task; a task that needs the equilibrium comes after that."""
    lines, buoy = spread(), tethered_buoy()
    found: dict[str, Callable[[], object]] = {}
    for system in (lines, moored_buoy()):
        for one in (system, in_one_piece(system)):
            found[_task("static", "catenary", one)] = partial(_settled, one, "catenary")
            for each in (one, in_current(one)):
                found[_task("static", "shooting", each)] = partial(_settled, each, "shooting")
    found["static:fem"] = partial(_settled, lines, "fem")
    found["static:fem:bodies"] = partial(_settled, buoy, "fem")
    found["run:mixed_fem"] = partial(_simulate, lines, "mixed_fem")
    found["run:mixed_fem:bodies"] = partial(_simulate, buoy, "mixed_fem")
    return found


def in_one_piece(system: System) -> System:
    """The same lines, each of the section at its end A throughout."""
    for name, line in system.lines.items():
        piece = {"section": line.pieces[0].section, "length": sum(piece.length for piece in line.pieces)}
        system = system.replace(f"lines.{name}.pieces", [piece])
    return system


def in_current(system: System) -> System:
    """The same in a current, with hulls that it does not drag, which shooting has not."""
    for name in system.bodies:
        system = system.replace(f"bodies.{name}.hull.drag", 0.0)
    return system.replace("environment.current", {"speed": 0.5})


def _settled(system: System, method: str) -> None:
    """Equilibrium with all that the command prints of it."""
    found = statics(system, method)
    assert found.summary and found.doubts is not None


def record_plan() -> None:
    """Write the plan anew: every task in a process of its own, from an empty cache on."""
    from ropewalk.numerics.kernel_plan import merged, write_plan

    records = {}
    with tempfile.TemporaryDirectory() as folder:
        for task in planned_tasks():
            out = Path(folder) / "record.json"
            environment = {**os.environ, "ROPEWALK_CACHE": str(Path(folder) / "kernels")}
            command = [sys.executable, "-c", f"from {__name__} import record; record({task!r}, {str(out)!r})"]
            subprocess.run(command, env=environment, check=True)
            records[task] = json.loads(out.read_text())
    write_plan(*merged(records))


def record(task: str, out: str) -> None:
    """Run one task and write which kernels it called."""
    from ropewalk.numerics import kernel_cache
    from ropewalk.numerics.kernel_plan import Recorder

    job = planned_tasks()[task]
    kernel_cache.on_kernel = recorder = Recorder()
    job()
    Path(out).write_text(json.dumps(recorder.planned()))


def _claims(name: str, system: System) -> bool:
    return demands(build(system)) - NOT_STATIC <= solver_class(name).claims


def hanging_chain() -> System:
    """An inextensible chain in air with a moved end: what every method in time can do."""
    return System.model_validate(
        {
            "environment": {"water_density": 0.0},
            "sections": {"chain": {"diameter": 0.02, "mass": 5.0, "axial_stiffness": "inextensible"}},
            "points": {
                "low": {"position": [0, 0, 0]},
                "high": {"position": [3, 0, 2], "joint": "moving", "motion": {"kind": "harmonic", "ramp": 1.0}},
            },
            "lines": {
                "chain": {"from": "low", "to": "high", "elements": 6, "pieces": [{"section": "chain", "length": 5.0}]}
            },
            "record": {"every": 0.1},
        }
    )


def spread() -> System:
    """Three lines of chain and rope to a free point, in waves and without."""
    corners = {"a1": [400.0, 0.0, -100.0], "a2": [-200.0, 346.4, -100.0], "a3": [-200.0, -346.4, -100.0]}
    pieces = [{"section": "chain", "length": 300.0}, {"section": "rope", "length": 130.0}]
    return System.model_validate(
        {
            "environment": {"depth": 100.0},
            "sections": {
                "chain": {"catalogue": "studless_chain", "diameter": 0.08},
                "rope": {"catalogue": "polyester", "diameter": 0.12},
            },
            "points": {
                **{name: {"position": place} for name, place in corners.items()},
                "knot": {"position": [0, 0, -10], "joint": "free", "mass": 1000.0, "volume": 20.0},
            },
            "lines": {name: {"from": name, "to": "knot", "elements": 12, "pieces": pieces} for name in corners},
            "record": {"every": 0.1},
        }
    )


def tethered_buoy() -> System:
    """The buoy of `ropewalk demo`."""
    from importlib.resources import as_file, files

    with as_file(files("ropewalk.cli") / "templates" / "tethered_buoy.yaml") as path:
        return System.from_file(path)


def moored_buoy() -> System:
    """A buoy on two lines of two pieces through a free point: touches every part of the closed form."""
    return System.model_validate(
        {
            "environment": {"depth": 50.0},
            "sections": {
                "chain": {"catalogue": "studless_chain", "diameter": 0.05},
                "rope": {"catalogue": "polyester", "diameter": 0.05},
            },
            "points": {
                "west": {"position": [-60, 0, -50]},
                "east": {"position": [60, 0, -50]},
                "knot": {"position": [30, 0, -20], "joint": "free", "mass": 10.0, "volume": 0.1},
            },
            "bodies": {
                "buoy": {
                    "mass": 3000.0,
                    "centre_of_mass": [0, 0, -1.5],
                    "position": [0, 0, 0],
                    "hull": {"kind": "axisymmetric", "profile": [[-2.0, 1.0], [1.0, 1.0]]},
                    "attachments": {"keel": [0, 0, -2]},
                }
            },
            "lines": {
                "w": {
                    "from": "west",
                    "to": "buoy.keel",
                    "pieces": [{"section": "chain", "length": 40}, {"section": "rope", "length": 45}],
                },
                "e": {"from": "east", "to": "knot", "pieces": [{"section": "chain", "length": 50}]},
                "k": {"from": "knot", "to": "buoy.keel", "pieces": [{"section": "rope", "length": 40}]},
            },
        }
    )
