"""3 m of rope between points 2 m apart that turns about the line between them, with gravity."""

from __future__ import annotations

from typing import Any

from ropewalk.spec.system import System

G, RATE, LENGTH, SPAN = 9.81, 20.0, 3.0, 2.0  # m/s2, rad/s, m, m


def rope(rate: float = RATE, loads: list[Any] | None = None) -> System:
    """The case; `loads` in place of the rotating frame."""
    turning = [{"kind": "rotating", "axis": [1, 0, 0], "rate": rate}] if loads is None else loads
    return System.model_validate(
        {
            "title": "turning rope",
            "environment": {"gravity": G, "water_density": 0, "seabed": {"kind": "none"}},
            "sections": {"c": {"diameter": 0.05, "mass": 1.0, "axial_stiffness": "inextensible"}},
            "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [SPAN, 0, 0]}},
            "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "c", "length": LENGTH}], "loads": turning}},
        }
    )
