"""How far lines are above the bed: what is below it is no answer."""

from __future__ import annotations

import numpy as np

from ropewalk.methods.shooting.build import Problem
from ropewalk.methods.shooting.read import SAMPLE_TOLERANCE, line_table, node_position
from ropewalk.methods.shooting.shape import bed_height
from ropewalk.model.arrays import Array, Flags
from ropewalk.model.model import Model

BELOW = 1.0e-6  # of the line's length: a dip below the bed that is no round-off
PLACES = 401  # along a line where its height is looked at


def gaps(model: Model, problem: Problem, i: int) -> tuple[Array, Array]:
    """Places along line i (m from A) and the room between its underside and the bed (m), infinite where it may be low.

    A line that leaves an end upwards may be held there within its contact radius of the bed, or below it.
    """
    sea, length = model.sea, float(model.lines.length[i])
    s: Array = np.linspace(0.0, length, PLACES)
    table = line_table(model, problem, i, s, SAMPLE_TOLERANCE)
    height = table[:, :3] @ sea.bed_normal + sea.depth * sea.bed_normal[2]
    radius = radii(model, i, s)
    own = np.flatnonzero(problem.arcs.line == i)
    for k, a, backward in ((0, int(own[0]), False), (-1, int(own[-1]), True)):  # where the ends are held
        node = problem.arcs.node[a, 0 if bool(problem.arcs.reverse[a]) == backward else 1]
        height[k] = bed_height(model, node_position(problem, int(node)))
    room: Array = height - radius
    room[_rising(height, radius) | _rising(height[::-1], radius[::-1])[::-1]] = np.inf
    room[[0, -1]] = np.inf
    return s, np.nan_to_num(room, nan=-np.inf)


def radii(model: Model, i: int, s: Array) -> Array:
    """Contact radius (m) of line i at s (m from A)."""
    pieces = slice(model.lines.piece_start[i], model.lines.piece_start[i + 1])
    ends = np.cumsum(model.lines.piece_length[pieces])
    piece = np.minimum(np.searchsorted(ends, s), ends.size - 1)
    radius: Array = model.sections.contact_radius[model.lines.piece_section[pieces][piece]]
    return radius


def room_below(model: Model, i: int) -> float:
    """How deep (m) line i may be below the bed: round-off, and the steps between pieces of different radius."""
    length = float(model.lines.length[i])
    radius = radii(model, i, np.linspace(0.0, length, PLACES))
    return BELOW * length + float(radius.max() - radius.min())


def _rising(height: Array, radius: Array) -> Flags:
    """Where a line that starts low goes up from its start until it is clear of the bed."""
    down = np.flatnonzero((np.diff(height) < 0.0) | (height[:-1] >= radius[:-1]))
    first = int(down[0]) if down.size else height.size - 1
    rising: Flags = np.arange(height.size) <= first
    if height[0] >= radius[0]:
        rising[:] = False
    return rising
