"""A small mooring that closed forms balance in milliseconds, and sweeps of it."""

from __future__ import annotations

import sys
from pathlib import Path

import ropewalk as rw

FAULTY = (sys.executable, str(Path(__file__).with_name("faulty_worker.py")))


def mooring() -> rw.System:
    """A platform held between two chains in 100 m of water."""
    ends = {"east": 1.0, "west": -1.0}
    return rw.System.model_validate(
        {
            "environment": {"depth": 100.0},
            "sections": {
                "chain": {"drag": 0, "added_mass": 0, "diameter": 0.084, "mass": 140.0, "axial_stiffness": 6.0e8}
            },
            "points": {name: {"position": [420.0 * x, 0.0, -100.0]} for name, x in ends.items()},
            "bodies": {
                "platform": {
                    "mass": 1.6e6,
                    "position": [0.0, 0.0, 0.0],
                    "joint": "fixed",
                    "attachments": {name: [7.0 * x, 0.0, -6.0] for name, x in ends.items()},
                }
            },
            "lines": {
                name: {"from": name, "to": f"platform.{name}", "pieces": [{"section": "chain", "length": 450.0}]}
                for name in ends
            },
        }
    )


MOORING = """\
ropewalk: 1
environment: {depth: 100}
sections: {chain: {drag: 0, added_mass: 0, diameter: 0.084, mass: 140, axial_stiffness: 6.0e+8}}
points: {east: {position: [420, 0, -100]}, west: {position: [-420, 0, -100]}}
bodies:
  platform: {mass: 1.6e+6, position: [0, 0, 0], joint: fixed, attachments: {east: [7, 0, -6], west: [-7, 0, -6]}}
lines:
  east: {from: east, to: platform.east, pieces: [{section: chain, length: 450}]}
  west: {from: west, to: platform.west, pieces: [{section: chain, length: 450}]}
"""


def write_sweep(folder: Path, vary: str, more: str = "") -> Path:
    """A sweep file with its base case beside it."""
    (folder / "mooring.yaml").write_text(MOORING)
    path = folder / "sweep.yaml"
    path.write_text(f"ropewalk_sweep: 1\nbase: mooring.yaml\ndo: static\n{more}vary:\n{vary}")
    return path
