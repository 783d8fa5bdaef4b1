"""From the lines of a Model to spans: stretches with constant or smooth properties, as the string reads them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly import string
from ropewalk.model.arrays import Array, Ints, Records, joined, records
from ropewalk.model.lines import FORCE_TABLE, PRESSURE, ROTATING
from ropewalk.model.model import Model
from ropewalk.model.profiles import means_between


class LineSpans(NamedTuple):
    """Spans of one line from end A to end B."""

    rows: Records  # (n,) of SPAN
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
    knots.append(model.profiles.edges(lines.piece_section[own]))
    inside = np.concatenate([lines.attachment_s[clumps], cuts, *knots])
    places = np.unique(np.concatenate([[0.0], ends, inside[(inside > 0.0) & (inside < length)]]))
    first, last = places[:-1], places[1:]
    if np.any(lines.attachment_s[clumps] == 0.0):  # a span without length carries the load at the very end
        first, last = np.concatenate([[0.0], first]), np.concatenate([[0.0], last])
    sections = lines.piece_section[own][np.minimum(np.searchsorted(ends, first, side="right"), ends.size - 1)]
    rows = records(first.size, string.SPAN)
    rows.start, rows.stop = first, last
    section = model.sections
    of = means_between(section, model.profiles, sections, first, last)
    rows.from_a, rows.way, rows.mass, rows.drag_law = first, 1.0, of.mass, section.drag_law[sections]
    rows.profile = _series_of(model, sections, 0.5 * (first + last))
    rows.stretches = model.profiles.stretches[sections]
    rows.inertial[:, 2] = -of.mass * sea.gravity
    rows.load[:] = rows.inertial
    rows.buoyancy = sea.water_density * sea.gravity * of.area
    rows.drag_normal = 0.5 * sea.water_density * of.drag_normal
    rows.drag_tangential = 0.5 * sea.water_density * of.drag_tangential
    rows.radius = section.contact_radius[sections]
    rows.function, rows.slopes, rows.time = *model.fields.load_addresses(i), model.fields.time
    for j in loads:
        _add_load(model, j, of.mass, rows)
    for j in range(clumps.start, clumps.stop):
        at = int(np.flatnonzero(last == lines.attachment_s[j])[0])
        rows[at].jump += lines.attachment_force[j]
        rows[at].jump[2] -= lines.attachment_mass[j] * sea.gravity
        rows[at].float_volume += lines.attachment_volume[j]
        rows[at].float_drag += lines.attachment_drag_area[j]
        rows[at].bound = 1.0
    laws = np.stack([section.law[sections], section.law_start[sections], section.law_start[sections + 1]], axis=1)
    return LineSpans(rows, np.ascontiguousarray(laws, dtype=np.int64))


def _series_of(model: Model, sections: Ints, middle: Array) -> Ints:
    """Offsets in law_data of the series of spans of these sections, -1 where nothing varies.  middle : m from end A"""
    profiles = model.profiles
    found = np.full(sections.size, -1, dtype=np.int64)
    for k in np.flatnonzero(np.diff(profiles.start)[sections]):
        own = slice(int(profiles.start[sections[k]]), int(profiles.start[sections[k] + 1]))
        row = min(int(np.searchsorted(profiles.high[own], middle[k])), own.stop - own.start - 1)
        found[k] = profiles.at[own.start + row]
    return found


def _add_load(model: Model, j: int, mass: Array, rows: Records) -> None:
    """Distributed load j on all spans of its line; tables over part of it have entries of no force beside them."""
    lines = model.lines
    if lines.load_kind[j] == PRESSURE:
        rows.pressure += lines.load_value[j] * lines.load_axis[j]
    elif lines.load_kind[j] == ROTATING:
        axis = lines.load_axis[j]
        turn = lines.load_value[j] ** 2 * (np.eye(3) - np.outer(axis, axis))
        rows.turn += mass[:, None] * turn.ravel()
        rows.load -= mass[:, None] * (turn @ lines.load_origin[j])
        rows.inertial -= mass[:, None] * (turn @ lines.load_origin[j])
    elif lines.load_kind[j] == FORCE_TABLE:
        table = lines.load_table[lines.table_start[j] : lines.table_start[j + 1]]
        s0, s1 = rows.start, rows.stop
        width = np.where(s1 > s0, s1 - s0, 1.0)
        for k in range(3):
            # just inside the span, so that a knot at its end belongs to it
            low, high = np.interp(s0, table[:, 0], table[:, 1 + k]), np.interp(s1, table[:, 0], table[:, 1 + k])
            rows.load[:, k] += low
            rows.slope[:, k] += (high - low) / width


def reversed_spans(spans: LineSpans, length: float) -> LineSpans:
    """The same line seen from end B: s' = length - s, n' = -n; the tangent turns, so pressure changes sign."""
    rows = spans.rows[::-1].copy()
    rows.start = length - spans.rows.stop[::-1]
    rows.stop = length - spans.rows.start[::-1]
    width = rows.stop - rows.start
    for k in range(3):
        rows.load[:, k] += rows.slope[:, k] * width
        rows.slope[:, k] *= -1.0
    rows.pressure *= -1.0
    rows.from_a, rows.way = (
        spans.rows.from_a[::-1] + (spans.rows.way * (spans.rows.stop - spans.rows.start))[::-1],
        -1.0,
    )
    # a point load at the end of a span stands at the end of the one that now comes before it
    for name in string.POINT_LOAD:
        rows[name] = 0.0
        rows[name][:-1] = spans.rows[name][::-1][1:]
    laws = spans.laws[::-1].copy()
    if spans.rows[-1].bound > 0.0:  # a load at the very end B is now at the start
        start = rows[:1].copy()
        start.stop = start.start
        for name in string.POINT_LOAD:
            start[name] = spans.rows[name][-1:]
        rows, laws = joined([start, rows], string.SPAN), np.concatenate([laws[:1], laws])
    return LineSpans(rows, laws)


def depends_on_position(model: Model, rows: Records) -> bool:
    """True if some load of the spans changes with where the line is, other than at the surface and the bed."""
    sheared = model.sea.current_speed != 0.0 and model.sea.current_kind != 0
    drag = bool(np.any((rows.drag_normal > 0.0) | (rows.drag_tangential > 0.0)))
    return bool(np.any(rows.turn != 0.0)) or bool(np.any(rows.function != 0)) or (sheared and drag)


def loads_along_bed(model: Model, rows: Records) -> bool:
    """True if something other than the line's own tension pulls it along the bed: a slope, a table, drag."""
    sea = model.sea
    drag = sea.current_speed != 0.0 and bool(np.any((rows.drag_normal > 0.0) | (rows.drag_tangential > 0.0)))
    across = bool(np.any(rows.load[:, :2] != 0.0))
    return drag or across or float(sea.bed_normal[2]) < 1.0 or depends_on_position(model, rows)
