"""Small jobs that make every kernel compile."""

from __future__ import annotations

from collections.abc import Callable

from ropewalk.analysis.statics import static_methods, statics
from ropewalk.spec.system import System


def jobs() -> list[tuple[str, Callable[[], object]]]:
    """Name and job, one per method."""
    system = moored_buoy()
    return [(f"statics by {name}", lambda name=name: statics(system, name)) for name in static_methods()]  # type: ignore[misc]


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
