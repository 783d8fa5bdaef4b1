"""Runs that are repeated with a smaller tolerance because their time steps lose or make too much energy.

The tolerance of a run is about velocities; how much energy goes with them is known at the end. Where the case leaves
the tolerance to the program, a run that fails its audit by its energies is repeated with a tenth of it, as statics go
on to the next method. How often that happened follows from the doubts of the run, which are kept with its records: a
stopped run goes on with the tolerance that it had.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ropewalk.analysis.audit_run import WORST_CLOSURE, WORST_NUMERICS
from ropewalk.analysis.doubts import Doubt
from ropewalk.methods.protocol import Solver
from ropewalk.spec.system import System

REPEATED = "repeated"  # code of the doubt
SHARE = 0.1  # of the tolerance, of the next run
MOST_REPEATS = 2
CURED = {"energy-numerics": WORST_NUMERICS, "energy-closure": WORST_CLOSURE}  # doubts, and where they are failures


def chooses_tolerance(system: System, solver: str | Solver | None, method: Solver) -> bool:
    """Whether the tolerance of a run is left to the program, and not replaced by a fixed step.

    solver : as asked for    method : with the settings of the case
    """
    if not is_dataclass(method) or not {"tolerance", "step"} <= {field.name for field in fields(method)}:
        return False
    given = set() if system.run is None else {*system.run.model_fields_set, *system.run.options}
    is_named = solver is None or isinstance(solver, str)
    return is_named and "tolerance" not in given and getattr(method, "step", None) is None


def tightened(method: Solver, doubts: Sequence[Doubt]) -> Solver:
    """The method with its tolerance after the repeats that are among the doubts."""
    repeats = sum(doubt.code == REPEATED for doubt in doubts)
    if not repeats:
        return method
    dataclass: Any = method
    tighter: Solver = replace(dataclass, tolerance=_tolerance(method, repeats))
    return tighter


def repeated(method: Solver, doubts: Sequence[Doubt], wrong: Sequence[Doubt]) -> Doubt | None:
    """The doubt of a run that is to be repeated because of what is wrong with it; None if it is not to be.

    method : with its first tolerance    doubts : so far
    """
    repeats = sum(doubt.code == REPEATED for doubt in doubts)
    causes = [doubt for doubt in wrong if doubt.code in CURED]
    if not causes or repeats >= MOST_REPEATS:
        return None
    before, now = _tolerance(method, repeats), _tolerance(method, repeats + 1)
    worst = causes[0]
    text = (
        f"the run was repeated with run.tolerance {now:g}: with {before:g}, {worst.sentence.partition(' (limit')[0]} "
        f"(limit {CURED[worst.code]:g}); give run.tolerance to save the run before"
    )
    return Doubt(REPEATED, "", worst.value, CURED[worst.code], text)


def _tolerance(method: Solver, repeats: int) -> float:
    """Of a run after so many repeats, as its decimals are read."""
    return float(f"{getattr(method, 'tolerance') * SHARE**repeats:.6g}")  # noqa: B009
