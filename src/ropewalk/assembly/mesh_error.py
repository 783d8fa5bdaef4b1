"""What a change of the mesh does to the forces at the ends of lines."""

from __future__ import annotations

import numpy as np

from ropewalk.model.state import State

UNJUDGED = "mesh_unjudged"  # figure of a report: no other mesh was found to judge the present one by
SMALL = 1e-3  # of the largest end force of all lines: what smaller ones are compared with


def largest_change(one: State, other: State) -> float:
    """Of end forces as vectors between two states, each line's by its own larger one in `other`."""
    size = np.linalg.norm(other.end_force, axis=2)
    own = np.max(size, axis=1)
    scale = np.maximum(own, SMALL * np.max(own, initial=0.0))
    change = np.max(np.linalg.norm(other.end_force - one.end_force, axis=2), axis=1)
    return float(np.max(np.divide(change, scale, out=np.zeros_like(change), where=scale > 0.0), initial=0.0))
