"""Slack places: a tiny force that gives them a direction, made smaller step by step.

Where a line is slack the force along the bed, or across a leg that hangs upright, is a multiple of the smallest
force delta (see :mod:`ropewalk.assembly.string`) that its shape decides. So when delta is made smaller these
forces go with it, and a start that scales them is almost exact.
"""

from __future__ import annotations

import numpy as np

from ropewalk.methods.shooting.bed import HANGING
from ropewalk.methods.shooting.build import Problem
from ropewalk.methods.shooting.pegs import START_FORCE
from ropewalk.model.arrays import Array

SLACK_PULL = 30.0  # times delta: a force along the bed up to this is that of a slack line


def loosen(problem: Problem, normal: Array, before: float, share: float) -> None:
    """Scale the forces of slack arcs in the unknowns as delta goes from `before` to `share` of the force scale."""
    arcs, x = problem.arcs, problem.x
    for a in range(arcs.line.size):
        own = arcs.dof[a, START_FORCE]
        n0 = x[own]
        up = normal if arcs.on_bed[a] != HANGING else np.array([0.0, 0.0, 1.0])
        flat = n0 - (n0 @ up) * up
        if np.linalg.norm(flat) < SLACK_PULL * before * arcs.force[a]:
            x[own] = n0 + (share / before - 1.0) * flat
