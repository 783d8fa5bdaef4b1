"""Runs that are repeated with finer time steps because the first ones lose or make too much energy, or overflow.

The tolerance of a run is about velocities, and the steps of bars follow their stability at the start; how much energy
goes with them is known at the end. Where the case leaves both to the program, a run that fails its audit by its
energies, or stops because its steps are too long, is repeated with finer ones (`finer` of its solver), as statics go on
to the next method. How often that happened follows from the
doubts of the run, which are kept with its records: a stopped run goes on with the steps that it had.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ropewalk.analysis.audit_run import WORST_CLOSURE, WORST_NUMERICS
from ropewalk.analysis.doubts import Doubt
from ropewalk.methods.protocol import Report, Solver, Status
from ropewalk.spec.system import System

REPEATED = "repeated"  # code of the doubt
MOST_REPEATS = 2
GIVEN = {"tolerance", "step", "step_share"}  # settings with which a case chooses its steps
CURED = {"energy-numerics": WORST_NUMERICS, "energy-closure": WORST_CLOSURE}  # doubts, and where they are failures
TOO_LONG = (Status.NOT_FINITE, Status.STEP_TOO_LONG)  # how runs stop whose steps are too long
ALL = 1.0  # of the energy exchanged: figure of a run that stopped so


@runtime_checkable
class Refinable(Protocol):
    """A solver that chooses its own steps and can be set to finer ones."""

    def finer(self, repeats: int) -> tuple[Solver, str, str]:
        """The solver of a run after so many repeats; what is finer, with its value; and the key that gives it."""
        ...


def may_repeat(system: System, solver: str | Solver | None, method: Solver) -> bool:
    """Whether the steps of a run are left to the program: neither a tolerance nor a step, or its share, is given.

    solver : as requested    method : with the settings of the case
    """
    given = set() if system.run is None else {*system.run.model_fields_set, *system.run.options}
    is_named = solver is None or isinstance(solver, str)
    return is_named and isinstance(method, Refinable) and not GIVEN & given


def refined(method: Solver, doubts: Sequence[Doubt]) -> Solver:
    """The method after the repeats that are among the doubts."""
    repeats = sum(doubt.code == REPEATED for doubt in doubts)
    return method.finer(repeats)[0] if repeats and isinstance(method, Refinable) else method


def repeated(method: Solver, doubts: Sequence[Doubt], wrong: Sequence[Doubt], report: Report) -> Doubt | None:
    """The doubt of a run that is to be repeated because of what is wrong with it; None if it is not to be.

    method : with its first steps    doubts : so far    wrong : failures of its audit    report : of its end
    """
    repeats = sum(doubt.code == REPEATED for doubt in doubts)
    causes = [
        (f"{doubt.sentence.partition(' (limit')[0]} (limit {CURED[doubt.code]:g})", doubt.value, CURED[doubt.code])
        for doubt in wrong
        if doubt.code in CURED
    ]
    if report.status in TOO_LONG:
        causes.append((report.message.partition("; ")[0], ALL, WORST_NUMERICS))
    if not causes or repeats >= MOST_REPEATS or not isinstance(method, Refinable):
        return None
    (_, before, key), (_, now, _) = method.finer(repeats), method.finer(repeats + 1)
    why, value, limit = causes[0]
    text = f"the run was repeated with {now}: with {before}, {why}; give {key} to save the run before"
    return Doubt(REPEATED, "", value, limit, text)
