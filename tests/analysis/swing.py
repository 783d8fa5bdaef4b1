"""A small dynamic solver for the tests of the loop: a line that swings as a whole on a hardening spring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.results.checkpoint import Snapshot
from ropewalk.spec.system import System

CASE = {
    "title": "swing",
    "environment": {"depth": 50, "waves": {"kind": "regular", "ramp": 0.0, "height": 2.0, "period": 8.0, "heading": 0}},
    "sections": {"rope": {"drag": 0, "added_mass": 0, "diameter": 0.1, "mass": 8.0, "axial_stiffness": 1e7}},
    "points": {"anchor": {"position": [0, 0, -50]}, "top": {"position": [20, 0, 0]}},
    "lines": {
        "m1": {"from": "anchor", "to": "top", "pieces": [{"section": "rope", "length": 60}]},
        "m2": {"from": "top", "to": "anchor", "pieces": [{"section": "rope", "length": 70}]},
    },
    "record": {"every": 0.1},
    "run": {"duration": 10, "start": "as_given"},
}


def swing_system(**changes: Any) -> System:
    return System.model_validate({**CASE, **changes})


@dataclass(frozen=True)
class Swing:
    """x'' = -x - x^3 by leapfrog; the step changes with the motion and is remembered, as in real solvers."""

    name: ClassVar[str] = "swing"
    claims: ClassVar[frozenset[Claim]] = frozenset({Claim.DYNAMICS})
    fails_at: float = np.inf  # s
    breaks_at: float = np.inf  # s: from here on, not a number
    amplitude: float = 1.0  # m

    def start(self, model: Model, state: State) -> dict[str, Any]:
        return {"t": state.time, "y": np.array([self.amplitude, 0.0]), "h": 0.01, "steps": 0, "state": state}

    def advance(self, model: Model, work: dict[str, Any], t: float) -> Report:
        if t >= self.fails_at:
            return Report(Status.NOT_CONVERGED, "residual 3 N after 20 iterations", iterations=20)
        steps = 0
        while work["t"] < t:
            h = min(work["h"], t - work["t"])
            y = work["y"]
            y[1] -= 0.5 * h * (y[0] + y[0] ** 3)
            y[0] += h * y[1]
            y[1] -= 0.5 * h * (y[0] + y[0] ** 3)
            work["t"] += h
            work["h"] = 0.01 / (1.0 + y[1] ** 2) + 0.1 * work["h"]
            steps += 1
        work["steps"] += steps
        x, v = work["y"]
        energy = {"kinetic": 0.5 * v * v, "spring": 0.5 * x * x + 0.25 * x**4}
        return Report(iterations=steps, residual_force=1e-3 * t, figures={"energy": energy})

    def read(self, model: Model, work: dict[str, Any]) -> State:
        x, v = work["y"]
        state: State = work["state"]
        tension = np.full(state.s.size, np.nan if work["t"] >= self.breaks_at else 1e5 * (1.0 + x * x))
        return state._replace(
            time=work["t"],
            position=state.position + np.array([x, 0.0, 0.0]),
            velocity=state.velocity + np.array([v, 0.0, 0.0]),
            tension=tension,
        )


@dataclass(frozen=True)
class ResumableSwing(Swing):
    """The same, with checkpoints."""

    def snapshot(self, work: dict[str, Any]) -> Snapshot:
        fields = {f"state.{name}": value for name, value in work["state"]._asdict().items()}
        return {"t": work["t"], "y": work["y"].copy(), "h": work["h"], "steps": work["steps"], **fields}

    def restore(self, model: Model, snapshot: Snapshot) -> dict[str, Any]:
        state = State(**{name: snapshot[f"state.{name}"] for name in State._fields})
        return {**{name: snapshot[name] for name in ("t", "y", "h", "steps")}, "state": state}
