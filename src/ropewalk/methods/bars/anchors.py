"""Ends of bars held on the seabed: laid at the height of rest where the line lies there, as elements are.

See assembly/anchor.py for the rule. A node is shared by all that ends at its point, so that it is laid only where all
of it lies; the bed then has no contact with the node, and what presses down on the bed is not the anchor's.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.anchor import is_pulled_apart, laid, lying_ends, rest_at
from ropewalk.model.arrays import Array, Flags
from ropewalk.model.environment import bed_normals
from ropewalk.model.joints import HELD
from ropewalk.model.lines import POINT
from ropewalk.model.model import Model
from ropewalk.model.state import State


def laid_points(model: Model, state: State) -> Array:
    """(n_points, 3) how far held points are moved, m, because the lines that end there lie on the bed in `state`."""
    shift: Array = np.zeros_like(model.points.position)
    if not model.sea.has_seabed or not shift.size:
        return shift
    return _shifts(model, lying_ends(model, state), shift)


def _shifts(model: Model, lies: Flags, shift: Array) -> Array:
    lines, points = model.lines, model.points
    still = np.all(points.joint == HELD, axis=1) & (points.motion < 0)
    still[model.nets.point[model.nets.point >= 0]] = False
    for k in np.flatnonzero(still):
        here = [(int(i), int(side)) for i, side in np.argwhere((lines.end_kind == POINT) & (lines.end_index == k))]
        if here and all(lies[end] for end in here):
            ways = [laid(model.sea, points.position[k], rest_at(model, *end)) for end in here]
            known = [way for way in ways if way is not None]
            if known:
                shift[k] = float(np.mean(known)) * bed_normals(model.sea, points.position[k])
    is_point = lines.end_kind == POINT
    index = np.where(is_point, lines.end_index, 0)
    between = np.all(is_point & still[index], axis=1)
    held = lines.end_index[between]
    places: Array = np.zeros((lines.length.size, 2, 3))
    moved: Array = np.zeros(places.shape)
    places[between], moved[between] = points.position[held], shift[held]
    shift[held[is_pulled_apart(model, places, moved)[between]].ravel()] = 0.0
    return shift
