"""Positions of the points and bodies that lines run over."""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.joints import HELD
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix


def over_positions(model: Model, point_position: Array, body_position: Array, body_quaternion: Array) -> Array:
    """(p, 3) places of the pegs of all lines, in the order of `lines.over_index`, m."""
    lines = model.lines
    where: Array = np.zeros((lines.over_index.size, 3))
    for p, (kind, k) in enumerate(zip(lines.over_kind, lines.over_index, strict=True)):
        where[p] = (
            point_position[k]
            if kind != BODY
            else (body_position[k] + rotation_matrix(body_quaternion[k]) @ lines.over_offset[p])
        )
    return where


def over_names(model: Model, i: int) -> list[str]:
    """Points and bodies that line i runs over, from end A."""
    lines, names = model.lines, model.names
    pegs = range(lines.over_start[i], lines.over_start[i + 1])
    return [(names.bodies if lines.over_kind[p] == BODY else names.points)[lines.over_index[p]] for p in pegs]


def stays(model: Model, k: int) -> bool:
    """Whether point k is held, or moved."""
    return bool(np.all(model.points.joint[k] == HELD) or model.points.motion[k] >= 0)


def all_stay(model: Model) -> bool:
    """Whether all that lines run over are points that are held, or moved."""
    lines = model.lines
    return all(kind != BODY and stays(model, int(k)) for kind, k in zip(lines.over_kind, lines.over_index, strict=True))
