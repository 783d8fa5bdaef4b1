"""Distributed loads of lines as the mixed elements read them: one row per element, all per unstretched length."""

from __future__ import annotations

import numpy as np

from ropewalk.loads.given import LINE_LOAD
from ropewalk.model.arrays import Array, Flags, Ints, Records, joined, records
from ropewalk.model.lines import FORCE_TABLE, PRESSURE, ROTATING
from ropewalk.model.model import Model
from ropewalk.model.profiles import means_between


def build_loads(model: Model, s: list[Array], sections: list[Ints], flipped: Flags) -> Records:
    """(n_elements,) of LINE_LOAD, or no rows if no line is loaded.

    s : of the nodes of each line from end A, m    sections : of the elements of each line from end A
    flipped : lines walked from end B
    """
    if model.lines.load_kind.size == 0 and not model.fields.loads:
        return records(0, LINE_LOAD)
    rows = [line_loads(model, loads_of(model, i), s[i], sections[i], bool(flipped[i])) for i in range(len(s))]
    for i, _ in model.fields.loads:
        rows[i].function, rows[i].slopes = model.fields.load_addresses(i)
        _put_places(rows[i], s[i], bool(flipped[i]))
        rows[i].time = model.fields.time
    return joined(rows, LINE_LOAD)


def _put_places(rows: Records, s: Array, is_flipped: bool) -> None:
    """Give the rows of a line the places where the load of a function is taken."""
    quarter = 0.25 * np.diff(s)
    halves = np.stack([s[:-1] + quarter, s[1:] - quarter], axis=1)
    rows.way = -1.0 if is_flipped else 1.0
    rows.place = halves[::-1, ::-1] if is_flipped else halves


def loads_of(model: Model, line: int) -> list[int]:
    """Distributed loads of a line."""
    return list(range(int(model.lines.load_start[line]), int(model.lines.load_start[line + 1])))


def line_loads(model: Model, loads: list[int], s: Array, section: Ints, is_flipped: bool) -> Records:
    """Rows of some loads of one line, in the order of the walk."""
    rows = _from_a(model, loads, s, section)
    return _walked_back(rows) if is_flipped else rows


def _from_a(model: Model, loads: list[int], s: Array, section: Ints) -> Records:
    """Rows of some loads of one line from end A to end B."""
    lines = model.lines
    rows = records(section.size, LINE_LOAD)
    for k in loads:
        axis, value = lines.load_axis[k], lines.load_value[k]
        if lines.load_kind[k] == FORCE_TABLE:
            table = lines.load_table[lines.table_start[k] : lines.table_start[k + 1]]
            for column in range(3):
                first, second = _halves(s, table[:, 0], table[:, 1 + column])
                rows.first[:, column] += first
                rows.second[:, column] += second
        elif lines.load_kind[k] == PRESSURE:
            rows.pressure += value * axis
        elif lines.load_kind[k] == ROTATING:
            mass = means_between(model.sections, model.profiles, section, s[:-1], s[1:]).mass
            matrix = value**2 * (np.eye(3) - np.outer(axis, axis))
            rows.turn += mass[:, None] * matrix.reshape(9)
            rows.turn_from -= mass[:, None] * (matrix @ lines.load_origin[k])
            rows.coriolis += 2.0 * mass[:, None] * value * axis
    return rows


def _halves(s: Array, places: Array, values: Array) -> tuple[Array, Array]:
    """Mean of a table, linear between its entries and constant beyond, over the halves of each element."""
    corners = np.unique(np.concatenate([places, s, 0.5 * (s[1:] + s[:-1])]))
    f = np.interp(corners, places, values)
    whole = np.concatenate([[0.0], np.cumsum(0.5 * (f[1:] + f[:-1]) * np.diff(corners))])
    at, middle = np.interp(s, corners, whole), np.interp(0.5 * (s[1:] + s[:-1]), corners, whole)
    half = 0.5 * np.diff(s)
    return (middle - at[:-1]) / half, (at[1:] - middle) / half


def _walked_back(rows: Records) -> Records:
    """The same from end B: order, halves and tangents are the other way round."""
    back = rows[::-1].copy()
    back.first, back.second = rows.second[::-1], rows.first[::-1]
    back.pressure *= -1.0
    return back
