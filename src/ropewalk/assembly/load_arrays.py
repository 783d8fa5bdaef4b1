"""Distributed loads of lines as the mixed elements read them: one row per element, all per unstretched length."""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array, Flags, Ints, floats
from ropewalk.model.lines import FORCE_TABLE, PRESSURE
from ropewalk.model.model import Model

# columns of loads; without any load there are no rows
FIRST_LOAD, SECOND_LOAD = 0, 3  # 3 each: given forces on the half at the first and the second node, N/m
PRESSURE_AXIS = 6  # 6, 7, 8: its cross product with the tangent is a force, N/m
TURN = 9  # 9 to 17: matrix of the centrifugal force by position, N/m2
TURN_FROM = 18  # 18, 19, 20: centrifugal force at the origin, N/m
CORIOLIS = 21  # 21, 22, 23: its cross product with the velocity is minus a force, N s/m2
LOAD_COLUMNS = 24


def build_loads(model: Model, s: list[Array], sections: list[Ints], flipped: Flags) -> Array:
    """(n_elements, LOAD_COLUMNS), or no rows if no line is loaded.

    s : of the nodes of each line from end A, m    sections : of the elements of each line from end A
    flipped : lines walked from end B
    """
    if model.lines.load_kind.size == 0:
        return floats(np.zeros((0, LOAD_COLUMNS)))
    rows = [_line_loads(model, i, s[i], sections[i]) for i in range(len(s))]
    return floats(np.concatenate([_walked_back(own) if flipped[i] else own for i, own in enumerate(rows)]))


def _line_loads(model: Model, line: int, s: Array, section: Ints) -> Array:
    """Rows of one line from end A to end B."""
    lines = model.lines
    rows: Array = np.zeros((section.size, LOAD_COLUMNS))
    for k in range(lines.load_start[line], lines.load_start[line + 1]):
        axis, value = lines.load_axis[k], lines.load_value[k]
        if lines.load_kind[k] == FORCE_TABLE:
            table = lines.load_table[lines.table_start[k] : lines.table_start[k + 1]]
            for column in range(3):
                first, second = _halves(s, table[:, 0], table[:, 1 + column])
                rows[:, FIRST_LOAD + column] += first
                rows[:, SECOND_LOAD + column] += second
        elif lines.load_kind[k] == PRESSURE:
            rows[:, PRESSURE_AXIS : PRESSURE_AXIS + 3] += value * axis
        else:
            mass = model.sections.mass[section]
            matrix = value**2 * (np.eye(3) - np.outer(axis, axis))
            rows[:, TURN : TURN + 9] += mass[:, None] * matrix.reshape(9)
            rows[:, TURN_FROM : TURN_FROM + 3] -= mass[:, None] * (matrix @ lines.load_origin[k])
            rows[:, CORIOLIS : CORIOLIS + 3] += 2.0 * mass[:, None] * value * axis
    return rows


def _halves(s: Array, places: Array, values: Array) -> tuple[Array, Array]:
    """Mean of a table, linear between its entries and constant beyond, over the halves of each element."""
    corners = np.unique(np.concatenate([places, s, 0.5 * (s[1:] + s[:-1])]))
    f = np.interp(corners, places, values)
    whole = np.concatenate([[0.0], np.cumsum(0.5 * (f[1:] + f[:-1]) * np.diff(corners))])
    at, middle = np.interp(s, corners, whole), np.interp(0.5 * (s[1:] + s[:-1]), corners, whole)
    half = 0.5 * np.diff(s)
    return (middle - at[:-1]) / half, (at[1:] - middle) / half


def _walked_back(rows: Array) -> Array:
    """The same from end B: order, halves and tangents are the other way round."""
    back: Array = rows[::-1].copy()
    back[:, FIRST_LOAD : FIRST_LOAD + 3] = rows[::-1, SECOND_LOAD : SECOND_LOAD + 3]
    back[:, SECOND_LOAD : SECOND_LOAD + 3] = rows[::-1, FIRST_LOAD : FIRST_LOAD + 3]
    back[:, PRESSURE_AXIS : PRESSURE_AXIS + 3] *= -1.0
    return back
