"""The same run by every solver that claims it: how far the results differ, and which of them the audit rejects."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.attitudes import SHARE, apart
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.claims import demands
from ropewalk.methods.protocol import Claim
from ropewalk.methods.registry import SOLVERS, solver_class
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model, build
from ropewalk.spec import arguments
from ropewalk.spec.cases import Run
from ropewalk.spec.system import Source, System

if TYPE_CHECKING:
    import xarray as xr

RUN_TOLERANCE = 5e-2  # of the largest force, the longest line and the energy exchanged: solvers have their own meshes
SHAPE_NODES = 50  # places on a line where shapes are compared
AUTO = "auto"  # a run that names no solver
SETTINGS = ("tolerance", "step", "integrator")  # of a run, with a meaning and a size of their own for each solver
FAILED_AUDIT = "fails its audit"  # in the sentence of a solver whose run the audit rejects
MESH_ERROR = "discretisation_error"  # in the attributes of a run
FORCES = ("end_tension", "point_force", "net_force")  # with time as first dimension, alike for all solvers
LARGEST = (*FORCES, "net_tension")  # whose largest value is what differences are measured by
PLACES = ("point_position", "body_position", "net_position")
EXCHANGED = ("kinetic", "potential")  # terms of the energy balance that all solvers have
# of a row, None where there is nothing to compare
DIFFERENCES = ("tension_difference", "position_difference", "attitude_difference", "energy_difference", "agrees")
NO_FORCE = 1e-300  # N; keeps ratios finite


def verify_run(system: Source, tolerance: float = RUN_TOLERANCE) -> dict[str, Any]:
    """The run by every solver that claims it: end tensions, shapes and energies against the first.

    Differences of forces are root mean squares over the records, of the largest; those of places the largest of all
    records, at equal arc length of lines, and so those of the attitudes of bodies; those of energy root mean squares
    of the kinetic energy, of the energy exchanged, where both have a ledger. `agree` is true where none is above
    `tolerance` of the largest force, of the longest line, of 2 rad and of the energy exchanged, or above the larger
    of the mesh errors that the two state.
    """
    from ropewalk.analysis.run import simulate

    system, tolerance = System.of(system), arguments.number("tolerance", tolerance)
    if system.run is None:
        raise InputError("the case has no run; give it 'run: {duration: ...}'")
    model = build(system)
    asked = demands(model) | {Claim.DYNAMICS}
    claiming = [name for name in SOLVERS if asked <= solver_class(name).claims]
    if not claiming:
        simulate(system)  # raises: no solver claims the case
    runs: dict[str, xr.Dataset] = {}
    refusals: list[InputError] = []
    rows: list[dict[str, Any]] = []
    for name in claiming:
        begin, status = time.perf_counter(), "done"
        row: dict[str, Any] = {"method": name, "message": "", "rejected": False, "refused": False}
        try:
            runs[name] = simulate(_for_solver(system, system.run, name), solver=name, progress=False)
        except InputError as error:
            status, row["refused"] = str(error), True
            refusals.append(error)
        except ConvergenceError as error:
            status, row["rejected"] = str(error), FAILED_AUDIT in str(error)
        rows.append({**row, "status": status, "time": time.perf_counter() - begin})
    if len(refusals) == len(rows):  # the case is at fault, not the solvers
        raise refusals[0]
    reference = next(iter(runs), claiming[0])
    for row in rows:
        row |= dict.fromkeys(DIFFERENCES)
        if row["method"] in runs:
            row |= _compared(model, runs[row["method"]], runs[reference], tolerance)
    return {
        "reference": reference,
        "tolerance": tolerance,
        "agree": bool(runs) and all(row["agrees"] is not False for row in rows),
        "compared": max(0, len(runs) - 1),
        "methods": rows,
        "doubts": _doubts(runs),
    }


def _for_solver(system: System, run: Run, name: str) -> System:
    """The case for another solver: settings that it gives for the solver it names are left out for others."""
    from dataclasses import fields

    data = run.model_dump(exclude_unset=True)
    known = {field.name for field in fields(solver_class(name))}
    if data.get("solver", name) not in (name, AUTO):
        known = set()
    kept = {key: value for key, value in data.items() if key in known or key not in (*SETTINGS, "options")}
    if data.get("solver") == name and "options" in data:
        kept["options"] = data["options"]
    return system.replace(run=type(run).model_validate({**kept, "solver": name}))


def _doubts(runs: dict[str, xr.Dataset]) -> list[dict[str, Any]]:
    """Of all runs; what several solvers doubt once, with their names."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for name in runs:
        for doubt in _own_doubts(runs[name]):
            found.setdefault((doubt["code"], doubt["part"]), {**doubt, "solvers": []})["solvers"].append(name)
    return list(found.values())


def _own_doubts(run: xr.Dataset) -> list[dict[str, Any]]:
    doubts: list[dict[str, Any]] = json.loads(run.attrs.get("doubts", "[]"))
    return doubts


def _compared(model: Model, one: xr.Dataset, other: xr.Dataset, tolerance: float) -> dict[str, Any]:
    """How far the run `one` is from the reference `other`."""
    allowed = max(tolerance, *(_mesh_error(run) for run in (one, other)))
    if one.sizes["time"] != other.sizes["time"] or not np.allclose(one["time"], other["time"]):
        return {"message": "its records are at other times", "agrees": False, "allowed": allowed}
    force = max((_largest(other[name].values) for name in LARGEST if name in other), default=0.0)
    tension = max((_rms(one, other, name) for name in FORCES if name in one and name in other), default=0.0)
    tension = tension / max(force, NO_FORCE) if tension > 0.0 else 0.0
    position, size = _places(one, other)
    energy = _energy_difference(one, other, allowed**2 * force * size)
    turn = apart(model, *(run["body_quaternion"].values for run in (one, other))) if "body_quaternion" in other else 0.0
    same = tension <= allowed and position <= allowed * size and turn <= allowed * SHARE
    agrees = same and (energy is None or energy <= allowed)
    return {"tension_difference": tension, "position_difference": position, "energy_difference": energy,
            "attitude_difference": float(np.degrees(turn)), "allowed": allowed, "agrees": bool(agrees)}  # fmt: skip


def _mesh_error(run: xr.Dataset) -> float:
    """Relative, of end tensions at rest, as a run states or doubts it."""
    doubted = [float(doubt["value"]) for doubt in _own_doubts(run) if doubt["code"] == "discretisation"]
    return max(float(run.attrs.get(MESH_ERROR, 0.0)), *doubted, 0.0)


def _rms(one: xr.Dataset, other: xr.Dataset, name: str) -> float:
    """Root mean square difference over the records, the largest of all places, N."""
    a, b = one[name].values, other[name].values
    return float(np.sqrt(np.mean((a - b) ** 2, axis=0)).max(initial=0.0))


def _places(one: xr.Dataset, other: xr.Dataset) -> tuple[float, float]:
    """Largest difference of places (m), and the size of the case: its longest line, or how far its parts are apart.

    Lines that either run doubts to be slack have no shape of their own: of those only the ends are compared.
    """
    slack = {doubt["part"] for run in (one, other) for doubt in _own_doubts(run) if doubt["code"] == "slack"}
    far, longest = 0.0, 0.0
    for name in np.unique(one["node_line"].values) if "position" in one else ():
        (s, places), (t, others) = (_history(run, str(name)) for run in (one, other))
        longest = max(longest, float(s[-1]))
        at = np.linspace(0.0, 1.0, 2 if name in slack else SHAPE_NODES)
        far = max(far, _largest(_along(at * s[-1], s, places) - _along(at * t[-1], t, others)))
    apart = 0.0
    for name in (name for name in PLACES if name in one and name in other and one[name].size):
        far = max(far, _largest(one[name].values - other[name].values))
        apart = max(apart, float(np.linalg.norm(np.ptp(other[name].values[0], axis=0))))
    return far, longest or apart or 1.0


def _along(at: Array, s: Array, places: Array) -> Array:
    """(time, m, 3) places of a line at arc lengths `at`, between its nodes at s.  places : (time, n, 3) m"""
    return np.stack([[np.interp(at, s, row[:, j]) for j in range(3)] for row in places])


def _history(run: xr.Dataset, line: str) -> tuple[Array, Array]:
    """Arc lengths (n,) and places (time, n, 3) of a line's nodes."""
    own = np.flatnonzero(run["node_line"].values == line)
    s, first = np.unique(run["s"].values[own], return_index=True)
    places: Array = run["position"].values[:, own[first]]
    return s, places


def _energy_difference(one: xr.Dataset, other: xr.Dataset, least: float) -> float | None:
    """Of kinetic energy over the records, as a share of what was exchanged; None where one has no ledger.

    Potential energy follows from places. least : J, exchanges below it are those of places and forces that agree
    """
    if "energy" not in one or "energy" not in other:
        return None
    a, b = (run["energy"].sel(term="kinetic").values for run in (one, other))
    held = [run["energy"].sel(term=term).values for run in (one, other) for term in EXCHANGED]
    off, exchanged = float(np.sqrt(np.mean((a - b) ** 2))), max(least, *(float(np.ptp(each)) for each in held))
    return off / exchanged if off > 0.0 else 0.0


def _largest(values: Any) -> float:
    return float(np.max(np.abs(values), initial=0.0))
