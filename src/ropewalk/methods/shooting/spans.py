"""From the lines of a Model to spans: stretches with constant properties, as the string equation reads them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.methods.shooting import string
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.lines import FORCE_TABLE, PRESSURE, ROTATING
from ropewalk.model.model import Model


class LineSpans(NamedTuple):
    """Spans of one line from end A to end B."""

    rows: Array  # (n, SPAN_COLUMNS)
    laws: Ints  # (n, 3)


def line_spans(model: Model, i: int, cuts: Array) -> LineSpans:
    """Spans of line i, cut where its properties change, at attachments, at table knots and at `cuts` (m from A)."""
    lines, sea = model.lines, model.sea
    own = slice(lines.piece_start[i], lines.piece_start[i + 1])
    clumps = slice(lines.attachment_start[i], lines.attachment_start[i + 1])
    loads = range(lines.load_start[i], lines.load_start[i + 1])
    length = float(lines.length[i])
    ends = np.cumsum(lines.piece_length[own])
    ends[-1] = length
    knots = [lines.load_table[lines.table_start[j] : lines.table_start[j + 1], 0] for j in loads]
    inside = np.concatenate([lines.attachment_s[clumps], cuts, *knots])
    places = np.unique(np.concatenate([[0.0], ends, inside[(inside > 0.0) & (inside < length)]]))
    first, last = places[:-1], places[1:]
    if np.any(lines.attachment_s[clumps] == 0.0):  # a span without length carries the load at the very end
        first, last = np.concatenate([[0.0], first]), np.concatenate([[0.0], last])
    sections = lines.piece_section[own][np.minimum(np.searchsorted(ends, first, side="right"), ends.size - 1)]
    rows = np.zeros((first.size, string.SPAN_COLUMNS))
    rows[:, string.S0], rows[:, string.S1] = first, last
    section = model.sections
    rows[:, string.F0 + 2] = -section.mass[sections] * sea.gravity
    rows[:, string.BUOYANCY] = sea.water_density * sea.gravity * section.area[sections]
    rows[:, string.BN] = 0.5 * sea.water_density * section.drag_normal[sections]
    rows[:, string.BT] = 0.5 * sea.water_density * section.drag_tangential[sections]
    rows[:, string.RADIUS] = section.contact_radius[sections]
    for j in loads:
        _add_load(model, j, section.mass[sections], rows)
    for j in range(clumps.start, clumps.stop):
        at = int(np.flatnonzero(last == lines.attachment_s[j])[0])
        rows[at, string.JUMP : string.JUMP + 3] += lines.attachment_force[j]
        rows[at, string.JUMP + 2] -= lines.attachment_mass[j] * sea.gravity
        rows[at, string.FLOAT_VOLUME] += lines.attachment_volume[j]
        rows[at, string.FLOAT_DRAG] += lines.attachment_drag_area[j]
        rows[at, string.BOUND] = 1.0
    laws = np.stack([section.law[sections], section.law_start[sections], section.law_start[sections + 1]], axis=1)
    return LineSpans(rows, np.ascontiguousarray(laws, dtype=np.int64))


def _add_load(model: Model, j: int, mass: Array, rows: Array) -> None:
    """Distributed load j on all spans of its line; tables over part of it have entries of no force beside them."""
    lines = model.lines
    if lines.load_kind[j] == PRESSURE:
        rows[:, string.PRESSURE : string.PRESSURE + 3] += lines.load_value[j] * lines.load_axis[j]
    elif lines.load_kind[j] == ROTATING:
        axis = lines.load_axis[j]
        turn = lines.load_value[j] ** 2 * (np.eye(3) - np.outer(axis, axis))
        rows[:, string.TURN : string.TURN + 9] += mass[:, None] * turn.ravel()
        rows[:, string.F0 : string.F0 + 3] -= mass[:, None] * (turn @ lines.load_origin[j])
    elif lines.load_kind[j] == FORCE_TABLE:
        table = lines.load_table[lines.table_start[j] : lines.table_start[j + 1]]
        s0, s1 = rows[:, string.S0], rows[:, string.S1]
        width = np.where(s1 > s0, s1 - s0, 1.0)
        for k in range(3):
            # just inside the span, so that a knot at its end belongs to it
            low, high = np.interp(s0, table[:, 0], table[:, 1 + k]), np.interp(s1, table[:, 0], table[:, 1 + k])
            rows[:, string.F0 + k] += low
            rows[:, string.F1 + k] += (high - low) / width


def reversed_spans(spans: LineSpans, length: float) -> LineSpans:
    """The same line seen from end B: s' = length - s, n' = -n; the tangent turns, so pressure changes sign."""
    rows = spans.rows[::-1].copy()
    rows[:, string.S0] = length - spans.rows[::-1, string.S1]
    rows[:, string.S1] = length - spans.rows[::-1, string.S0]
    width = rows[:, string.S1] - rows[:, string.S0]
    for k in range(3):
        rows[:, string.F0 + k] += rows[:, string.F1 + k] * width
        rows[:, string.F1 + k] *= -1.0
    rows[:, string.PRESSURE : string.PRESSURE + 3] *= -1.0
    jump = slice(string.JUMP, string.BOUND + 1)
    # a point load at the end of a span stands at the end of the one that now comes before it
    rows[:, jump] = 0.0
    rows[:-1, jump] = spans.rows[::-1][1:, jump]
    laws = spans.laws[::-1].copy()
    if spans.rows[-1, string.BOUND] > 0.0:  # a load at the very end B is now at the start
        start = rows[:1].copy()
        start[:, string.S1] = start[:, string.S0]
        start[:, jump] = spans.rows[-1:, jump]
        rows, laws = np.concatenate([start, rows]), np.concatenate([laws[:1], laws])
    return LineSpans(rows, laws)


def depends_on_position(model: Model, rows: Array) -> bool:
    """True if some load of the spans changes with where the line is, other than at the surface and the bed."""
    sheared = model.sea.current_speed != 0.0 and model.sea.current_kind != 0
    drag = bool(np.any(rows[:, string.BN : string.BT + 1] > 0.0))
    return bool(np.any(rows[:, string.TURN : string.TURN + 9] != 0.0)) or (sheared and drag)


def loads_along_bed(model: Model, rows: Array) -> bool:
    """True if something other than the line's own tension pulls it along the bed: a slope, a table, drag."""
    sea = model.sea
    drag = sea.current_speed != 0.0 and bool(np.any(rows[:, string.BN : string.BT + 1] > 0.0))
    across = bool(np.any(rows[:, string.F0 : string.F0 + 2] != 0.0))
    return drag or across or float(sea.bed_normal[2]) < 1.0 or depends_on_position(model, rows)
