"""Cases for the tests of shooting, as plain data, and a way to solve them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ropewalk.methods.protocol import Report
from ropewalk.methods.shooting.solver import Shooting, Work
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state
from ropewalk.spec.system import System


class Solved(NamedTuple):
    model: Model
    work: Work
    report: Report
    state: State


def solve(case: dict[str, Any], **settings: Any) -> Solved:
    """Solve a case given as the data of its file."""
    model = build(System.model_validate(case))
    solver = Shooting(**settings)
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 0.0)
    return Solved(model, work, report, solver.read(model, work))


def section(weight: float, diameter: float, stiffness: Any, density: float = 1025.0, **more: Any) -> dict[str, Any]:
    """A section by its weight in water, N/m, with g = 9.81."""
    mass = weight / 9.81 + density * math.pi / 4 * diameter**2
    return {"drag": 0, "added_mass": 0, "diameter": diameter, "mass": mass, "axial_stiffness": stiffness, **more}


def line(length: float, start: str = "a", end: str = "b", **more: Any) -> dict[str, Any]:
    return {"from": start, "to": end, "pieces": [{"section": "c", "length": length}], **more}


def case(environment: dict[str, Any], section: dict[str, Any], a: Any, b: Any, line: dict[str, Any]) -> dict[str, Any]:
    """One line of section c from point a to point b; points are positions or whole entries."""
    points = {name: p if isinstance(p, dict) else {"position": p} for name, p in (("a", a), ("b", b))}
    return {"environment": {"gravity": 9.81, **environment}, "sections": {"c": section}, "points": points,
            "lines": {"l": line}}  # fmt: skip
