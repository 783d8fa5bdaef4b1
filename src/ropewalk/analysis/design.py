"""Design questions: which length, pretension or shape meets a target.

>>> import ropewalk as rw
>>> found = rw.design.solve_for("mooring.yaml", "lines.west.pieces.0.length", {"lines.west.end_b.tension": 4e5})
>>> round(found.values["lines.west.pieces.0.length"], 2)  # m
426.16
"""

from __future__ import annotations

from ropewalk.analysis.rod_design import reach_shape, reach_stiffness, reach_trim, uncoil
from ropewalk.analysis.rod_joints import JointAngles, joint_angles
from ropewalk.analysis.sensitivity import sensitivities
from ropewalk.analysis.solve_for import Design, solve_for

__all__ = [
    "Design",
    "JointAngles",
    "joint_angles",
    "reach_shape",
    "reach_stiffness",
    "reach_trim",
    "sensitivities",
    "solve_for",
    "uncoil",
]
