"""Cases and drivers shared by the tests of the mixed elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.methods.mixed.statics import MixedFemStatics
from ropewalk.methods.protocol import Report
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state
from ropewalk.spec.system import System

ROPE = {"section": "rope", "length": 10}


def harmonic(*terms: tuple[list[float], float, float], ramp: float) -> dict[str, Any]:
    """A motion by sines: direction, amplitude (m), period (s)."""
    rows = [
        {"direction": d, "amplitude": a, "omega": 2.0 * np.pi / period, "phase": 0.5 * np.pi} for d, a, period in terms
    ]
    return {"kind": "harmonic", "ramp": ramp, "terms": rows}


def oc3(elements: int = 50, damping: float = 0.01) -> Model:
    """One mooring line of OC3-Hywind, its fairlead in surge and heave."""
    motion = harmonic(([1, 0, 0], 2.0, 10.0), ([0, 0, 1], 0.8, 8.0), ramp=10.0)
    chain = {
        "diameter": 0.09,
        "mass": 77.7066,
        "axial_stiffness": 384.243e6,
        "damping": damping,
        "drag": {"normal": 1.6, "tangential": 0.1},
        "added_mass": {"normal": 1.0},
    }
    return build(
        System.model_validate(
            {
                "environment": {"depth": 320, "seabed": {"stiffness": 3e6, "damping": 3e5}},
                "sections": {"chain": chain},
                "points": {
                    "anchor": {"position": [853.87, 0, -320]},
                    "fairlead": {"position": [5.2, 0, -70], "joint": "moving", "motion": motion},
                },
                "lines": {
                    "m": {
                        "from": "anchor",
                        "to": "fairlead",
                        "elements": elements,
                        "pieces": [{"section": "chain", "length": 902.2}],
                    }
                },
            }
        )
    )


def swing(stiffness: float | str, elements: int = 10, mass: float = 0.0) -> Model:
    """A line in vacuum, 10 m, let go level and straight from one held end, or carrying a weight at its free end."""
    return build(
        System.model_validate(
            {
                "environment": {"gravity": 9.81, "water_density": 0},
                "sections": {
                    "rope": {"diameter": 0.02, "mass": 1.0, "axial_stiffness": stiffness, "compression": True}
                },
                "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [10, 0, 0], "joint": "free", "mass": mass}},
                "lines": {
                    "l": {"from": "a", "to": "b", "elements": elements, "pieces": [{"section": "rope", "length": 10}]}
                },
            }
        )
    )


def settle(model: Model) -> tuple[Report, State]:
    """Equilibrium by mixed elements."""
    solver = MixedFemStatics()
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 0.0)
    return report, solver.read(model, work)


def march(model: Model, solver: MixedFem, times: Any) -> tuple[list[State], Report]:
    """States at the given times; every advance must succeed."""
    work = solver.start(model, initial_state(model))
    states, report = [], Report()
    for t in times:
        report = solver.advance(model, work, float(t))
        assert report.good, report.message
        states.append(solver.read(model, work))
    return states, report


def short_line(stiffness: float | str, elements: int) -> Model:
    """A short stiff line whose top goes in a circle, and whose nodes land on the bed with a blow."""
    motion = {
        "kind": "harmonic",
        "ramp": 10.0,
        "terms": [
            {"direction": [1, 0, 0], "amplitude": 1.5, "omega": 0.4 * np.pi, "phase": 0.0},
            {"direction": [0, 1, 0], "amplitude": 1.5, "omega": 0.4 * np.pi, "phase": 0.5 * np.pi},
        ],
    }
    rope = {"diameter": 0.08, "mass": 27.6, "axial_stiffness": stiffness, "damping": 0.001,
            "drag": {"normal": 0.8, "tangential": 0.1}, "added_mass": {"normal": 1.0}}  # fmt: skip
    return build(
        System.model_validate(
            {
                "environment": {"depth": 20, "seabed": {"stiffness": 3e6, "damping": 3e5}},
                "sections": {"rope": rope},
                "points": {
                    "anchor": {"position": [0, 0, -20]},
                    "top": {"position": [6, 0, -0.5], "joint": "moving", "motion": motion},
                },
                "lines": {
                    "l": {
                        "from": "anchor",
                        "to": "top",
                        "elements": elements,
                        "pieces": [{"section": "rope", "length": 22}],
                    }
                },
            }
        )
    )
