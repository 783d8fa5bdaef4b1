"""The same question to every method that claims it: how far do the answers differ?"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ropewalk.analysis.statics import NOT_STATIC, Equilibrium, refuse_only_rods, static_methods, statics
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.claims import demands
from ropewalk.methods.registry import solver_class
from ropewalk.model.model import build
from ropewalk.results.shown import Shown
from ropewalk.spec.system import Source, System


class Verification(Shown, dict[str, Any]):
    """How far the answers of the methods differ: `reference`, `largest_force` (N) and `methods`, a row each."""

    @property
    def sentence(self) -> str:
        """How well they agree."""
        apart = [row["force_difference"] for row in self["methods"] if row["force_difference"] is not None]
        if len(apart) <= 1:
            return "fewer than two methods have answered; there is nothing to compare"
        share = 100.0 * max(apart) / self["largest_force"] if self["largest_force"] > 0.0 else 0.0
        return f"end forces agree to {max(apart):.2g} N, {share:.3g} % of the largest"

    def __repr__(self) -> str:
        return f"<Verification: {len(self['methods'])} methods against '{self['reference']}'; {self.sentence}>"

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what `ropewalk verify --json` prints."""
        return dict(self)


def verify(system: Source) -> Verification:
    """Statics by every method that claims the case, against the most exact of those whose assumptions hold."""
    system = System.of(system)
    refuse_only_rods(system)
    asked = demands(build(system)) - NOT_STATIC
    claiming = [name for name in static_methods() if asked <= solver_class(name).claims]
    if not claiming:
        statics(system)  # says what no method claims
    answers: dict[str, Equilibrium] = {}
    rows: list[dict[str, Any]] = []
    for name in claiming:
        begin, status, message = time.perf_counter(), "done", ""
        try:
            answers[name] = statics(system, name)
            message = answers[name].report.message
        except (ConvergenceError, InputError) as error:
            status = str(error)
        rows.append({"method": name, "status": status, "message": message, "time": time.perf_counter() - begin})
    # one that takes what is above the water as in it says so, and is not what others are measured against
    exact = [name for name, answer in answers.items() if not answer.report.figures.get("crosses_surface")]
    reference = (exact or [*answers, claiming[0]])[0]
    for row in rows:
        apart = difference(answers[row["method"]], answers[reference]) if row["method"] in answers else (None, None)
        row["position_difference"], row["force_difference"] = apart
    largest = _largest(answers[reference].state.end_force) if answers else 0.0
    return Verification(reference=reference, largest_force=largest, methods=rows)


def difference(one: Equilibrium, other: Equilibrium) -> tuple[float, float]:
    """Largest difference of line shape (m) at the nodes of `one`, and of end force (N)."""
    from ropewalk.model.state import resample

    position = 0.0
    for k in range(len(one.model.names.lines)):
        nodes = slice(one.state.start[k], one.state.start[k + 1])
        there, _, _ = resample(other.state, k, one.state.s[nodes])
        if other.state.start[k + 1] - other.state.start[k] != nodes.stop - nodes.start:
            there, here = there[[0, -1]], one.state.position[nodes][[0, -1]]  # other nodes: only the ends are exact
        else:
            here = one.state.position[nodes]
        position = max(position, float(np.max(np.abs(here - there), initial=0.0)))
    position = max(position, _largest(one.state.point_position - other.state.point_position))
    position = max(position, _largest(one.state.body_position - other.state.body_position))
    return position, _largest(one.state.end_force - other.state.end_force)


def _largest(values: Any) -> float:
    return float(np.max(np.abs(values), initial=0.0))
