"""Small jobs that make every kernel compile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ropewalk.analysis.run import simulate
from ropewalk.analysis.statics import NOT_STATIC, static_methods, statics
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
        (f"time domain by {name}", partial(simulate, chain, 0.2, solver=name))
        for name in SOLVERS
        if Claim.DYNAMICS in solver_class(name).claims and _claims(name, chain)
    ]
    return found


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
