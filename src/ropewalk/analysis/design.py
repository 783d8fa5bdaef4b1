"""Design questions: which length, pretension or shape meets a target."""

from __future__ import annotations

from ropewalk.analysis.rod_design import reach_shape, reach_stiffness, reach_trim, uncoil
from ropewalk.analysis.sensitivity import sensitivities
from ropewalk.analysis.solve_for import Design, solve_for

__all__ = ["Design", "reach_shape", "reach_stiffness", "reach_trim", "sensitivities", "solve_for", "uncoil"]
