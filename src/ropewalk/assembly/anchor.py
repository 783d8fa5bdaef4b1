r"""Ends of lines held on the seabed: anchors, clump weights, piles flush with the bed.

A line that reaches its anchor along the bed lies there as it lies beside it: its axis is at the height of rest, and
the bed, not the anchor, carries its weight. Two things would say otherwise. The anchor's point is given on the bed
or within the line's thickness of it, so the last element would climb or dip to it; and the node of the anchor has
half an element of the line, whose weight would pull at the anchor by an amount that depends on the mesh. So such
an end is laid at the height of rest, has no contact of its own, and what presses down on the bed is carried by it.
A line that rises from its anchor pulls with its full force, as if nothing had been done.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.environment import Sea

ON_BED = 1e-9  # of the depth: room for round-off in an end given on the bed


class Rest(NamedTuple):
    """How the line at an end lies on the bed, away from its anchor."""

    weight: float  # in water, N/m
    width: float  # of contact, m
    radius: float  # of contact, m


def laid(sea: Sea, end: Array, rest: Rest) -> float | None:
    """How far (m, along the bed's normal) the axis is moved at a held end; None if it is not on the bed.

    end : (3,) where the line is held, m
    """
    weight = rest.weight * sea.bed_normal[2]
    height = float(sea.bed_normal @ (end + np.array([0.0, 0.0, sea.depth])))
    if not sea.has_seabed or weight <= 0.0 or abs(height) > rest.radius + ON_BED * sea.depth:
        return None
    return rest.radius - weight / (sea.bed_stiffness * rest.width) - height


def carried(force: Array, normal: Array) -> Any:
    """What the bed takes of the force of a laid line on its anchor (N): the part that presses down."""
    return min(0.0, float(force @ normal)) * normal
