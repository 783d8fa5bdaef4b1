"""Audit of a simulation whose steps another program, or a hand, asks for: the figures of a run, taken on its way.

States are looked at after every LOOK steps and whenever the doubts are read. What is changed from outside (lengths,
cuts) does work that no ledger books: the energy of such steps is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.audit_records import Watch
from ropewalk.analysis.audit_run import RunAudit, run_findings
from ropewalk.analysis.doubts import Doubt
from ropewalk.model.model import Model
from ropewalk.model.moments import Moments
from ropewalk.model.state import State

if TYPE_CHECKING:
    from ropewalk.methods.protocol import Report

LOOK = 128  # steps between two looks: one costs as much as two steps of a short line, and may take 2 % of all
ENERGY = "energy"  # in the figures of a report
CLOSURE = "closure"  # term of a ledger
PLAIN = ("steps", "left_out", "last", "is_changed", "is_new")  # of a StepAudit, kept as they are
FAILS = "; a run with this figure fails its audit"


class StepAudit:
    """What a simulation shows on its way; `doubts` of it so far."""

    def __init__(self, model: Model, start: Sequence[Doubt], given: State | None = None, begun: State | None = None):
        """start : doubts of where it begins    given, begun : the state given to the solver, and where that began"""
        self.start = list(start)
        self.past: list[Doubt] = []  # of what was before the memory of the solver was made anew
        self.steps = 0
        self.is_equilibrium = given is not None
        self._begin(model)
        if given is not None and begun is not None:
            self.seen.look_at_start(given, begun)

    def _begin(self, model: Model) -> None:
        self.seen = RunAudit()
        self.watch = Watch(model, self.seen, False, self.is_equilibrium)
        self.left_out: dict[str, float] = {}  # J, changes of the ledger in steps that are not judged
        self.last: dict[str, float] = {}  # J, terms of the ledger that were judged last
        self.is_changed = False  # from outside, since the last step
        self.is_new = True  # not looked at yet

    def anew(self, model: Model, report: Report) -> None:
        """The solver goes on with fresh memory: what was found stays, figures begin again."""
        self.past = self._with_past(self.watch.model, report)
        self.is_equilibrium = False
        self._begin(model)

    def changes(self, report: Report) -> None:
        """Something is about to be changed from outside: the energy of the next step is not judged."""
        self.last = self._judged(report) or self.last
        self.is_changed = True

    def step(self, model: Model, report: Report, read: Callable[[], State]) -> None:
        """Take a step into account."""
        if self.is_changed:
            energy: Mapping[str, float] = report.figures.get(ENERGY) or {}
            self.left_out = {name: value - self.last.get(name, 0.0) for name, value in energy.items()}
            self.is_changed = False
        self.steps += 1
        if self.steps % LOOK == 0 or self.is_new:  # energies count from the first look on
            self.look(model, read(), report)

    def look(self, model: Model, state: State, report: Report) -> None:
        """Take a state into account."""
        if model is not self.watch.model:
            self.watch.look()  # what was seen belongs to the lengths of that time
            self.watch.model = model
        if self.is_new:  # the energy exchanged before is not known, nor what the ledger missed of it
            self.left_out[CLOSURE] = self.left_out.get(CLOSURE, 0.0) + self._judged(report).get(CLOSURE, 0.0)
            self.is_new = False
        self.last = self._judged(report) or self.last
        self.watch.take(Moments.of([state]), [{name: np.array([value]) for name, value in self.last.items()}])

    def doubts(self, model: Model, report: Report) -> list[Doubt]:
        """Of where it began and of the steps that were looked at."""
        return [*self.start, *self._with_past(model, report)]

    def _judged(self, report: Report) -> dict[str, float]:
        """Terms of the ledger without what was done from outside, J."""
        if self.is_changed:  # until the next step is over
            return self.last
        energy: Mapping[str, float] = report.figures.get(ENERGY) or {}
        return {name: value - self.left_out.get(name, 0.0) for name, value in energy.items()}

    def _with_past(self, model: Model, report: Report) -> list[Doubt]:
        """Each kind of doubt about each part once, with its largest figure."""
        self.watch.look()
        figures = {**report.figures, ENERGY: self._judged(report) or self.last}
        now = [
            replace(doubt, sentence=doubt.sentence + FAILS) if failed else doubt
            for doubt, failed in run_findings(model, self.seen, figures)
        ]
        found: dict[tuple[str, str], Doubt] = {}
        for doubt in [*self.past, *now]:
            key = (doubt.code, doubt.part)
            if key not in found or found[key].value < doubt.value:
                found[key] = doubt
        return list(found.values())

    def saved(self) -> dict[str, Any]:
        """All of it as plain data, for a checkpoint."""
        self.watch.look()
        doubts = {name: [doubt.as_dict() for doubt in getattr(self, name)] for name in ("start", "past")}
        plain = {name: getattr(self, name) for name in PLAIN}
        return {**doubts, **plain, "seen": asdict(self.seen)}

    @classmethod
    def restored(cls, model: Model, saved: Mapping[str, Any]) -> StepAudit:
        """The audit of a checkpoint."""
        audit = cls(model, [Doubt(**doubt) for doubt in saved["start"]])
        audit.past = [Doubt(**doubt) for doubt in saved["past"]]
        for name in PLAIN:
            setattr(audit, name, saved[name])
        audit.seen = RunAudit(**saved["seen"])
        audit.watch = Watch(model, audit.seen, False)
        return audit


def is_finite(forces: Mapping[str, Sequence[Any]]) -> bool:
    """Whether all forces that a step gives are numbers."""
    return all(math.isfinite(float(vector.sum())) for vectors in forces.values() for vector in vectors)
