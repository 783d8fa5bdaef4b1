"""Small cases for the tests of the bar solvers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state
from ropewalk.spec.system import System


def chain(n: int = 10, length: float = 1.0, mass: float = 1.0, end: Any = (1.0, 0.0, 0.0), **more: Any) -> Model:
    """A chain of n bars from the origin to a free or held end."""
    point = {"position": end, "joint": "free", **more.pop("point", {})}
    section = {
        "drag": 0,
        "added_mass": 0,
        "diameter": 0.02,
        "mass": mass / length,
        "axial_stiffness": "inextensible",
        **more.pop("section", {}),
    }
    environment = {"gravity": 9.81, "water_density": 0.0, **more.pop("environment", {})}
    line = {
        "from": "a",
        "to": "b",
        "elements": n,
        "pieces": [{"section": "c", "length": length}],
        **more.pop("line", {}),
    }
    return build(System.model_validate({
        "environment": environment,
        "sections": {"c": section},
        "points": {"a": {"position": (0.0, 0.0, 0.0)}, "b": point, **more.pop("points", {})},
        "lines": {"l": line, **more.pop("lines", {})},
    }))  # fmt: skip


def run(solver: Any, model: Model, t: float, state: State | None = None) -> tuple[State, Any, Any]:
    """State, report and work at time t from the state as given."""
    work = solver.start(model, state or initial_state(model))
    report = solver.advance(model, work, t)
    assert report.good, report.message
    return solver.read(model, work), report, work


def total(report: Any) -> float:
    """Energy of masses, springs and bars, J."""
    return float(sum(report.figures["energy"][name] for name in ("kinetic", "potential", "elastic")))


def order(values: list[Any]) -> float:
    """Observed order from three answers with steps halved."""
    a, b, c = values[-3:]
    return float(np.log2(np.linalg.norm(a - b) / np.linalg.norm(b - c)))


def netted(system: System) -> Any:
    """The model of a case with its nets."""
    return build(system)


def panel(nx: int, nz: int, width: float = 3.0, height: float = 3.0, **more: Any) -> System:
    """A panel of square mesh that hangs from its held upper edge in a current along +y."""
    environment = {"gravity": 9.81, "water_density": 1025.0, "current": {"speed": 0.5, "heading": 90},
                   **more.pop("environment", {})}  # fmt: skip
    section = {"diameter": 0.002, "mass": 0.0036, "axial_stiffness": "inextensible", "drag": {"normal": 1.2},
               "added_mass": {"normal": 1.0}, **more.pop("section", {})}  # fmt: skip
    corners = [(0, 0, -1), (width, 0, -1), (width, 0, -1 - height), (0, 0, -1 - height)]
    net = {"panel": {"kind": "rectangle", "corners": corners}, "section": "twine", "bar_length": 0.025,
           "cells": (nx, nz), "lower_sinker": 1.0, **more.pop("net", {})}  # fmt: skip
    return System.model_validate(
        {"environment": environment, "sections": {"twine": section}, "nets": {"n": net}, **more}
    )
