"""Audit of lines: balance, lengths, ends and bed, from node to node."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ropewalk.analysis.audit_loads import Fabric, Wetness, line_load, lump_load, norm, strain_of, unit
from ropewalk.analysis.audit_string import (
    Misses,
    Spans,
    along_bed,
    hangs_free,
    integral_of_tangent,
    landing,
    spans_of,
    string_misses,
)
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.model.environment import Sea, bed_heights, bed_normals
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import ROD
from ropewalk.model.model import Model
from ropewalk.model.pegs import over_positions
from ropewalk.model.profiles import properties_at
from ropewalk.model.state import State, end_positions

FORCE = 1e-6  # of the largest force: what counts as in balance
LENGTH = 1e-6  # of the length of a line
PLACE = 1e-11  # of lengths and coordinates: round-off of places and attitudes that the case file gives
TAUT = 1e-5  # of a line's tension: what a miss of length may change it by
ROUND_OFF = 1e-10  # of a line's length: integration over it leaves as much
GRIP = 2.5e-3  # of Coulomb's limit: room for drag on a line on the bed, which its tension stretches unevenly
SINK = 1.5  # times the depth to which the bed's own pressure lets a line sink
ROUGH = 1e-2  # of the force or length: a polyline whose forces between nodes a method does not give
LEAST_WIDTH = 0.1  # m of contact, for lines without a diameter: the law of the bed needs one
LEVEL = 1e-3  # of an element: least height over which it passes the surface
RAMP = 1000.0  # length over height of the way up from an anchor on the bed to the height of rest
ON_BED, SAME = 1e-9, 1e-9  # of the depth, m: room for round-off in ends on the bed, and in ends where they are given
IDLE = 1e-4  # of the weight of the heaviest point: the least scale of forces, so that limits are above round-off
PUSH = 2e-3  # of a line's weight: with which a slack element may hold its shape
SLACK = 1e-3  # of a line's weight: tension below which an element need not have its length


class Finding(NamedTuple):
    """One figure of the audit."""

    kind: str  # force (N), length, bed or position (m)
    part: str  # in words: line 'a' at s = 3 m
    value: float
    limit: float

    @property
    def share(self) -> float:
        """Of the limit; above 1 the answer is wrong."""
        return self.value / self.limit if math.isfinite(self.value) else math.inf


class Scales(NamedTuple):
    """What errors are measured by."""

    force: float  # N, largest in the lines; on points and bodies where there are none
    length: Array  # (n_lines,) m
    miss: Array  # (n_lines,) m, that changes no tension by more than TAUT


def _on_parts(model: Model) -> float:
    """Largest given force on a point and weight of a free body, N."""
    weights = np.where(model.bodies.joint == LOOSE, model.bodies.mass, 0.0) * model.sea.gravity
    return float(max(np.max(np.abs(model.points.force), initial=0.0), np.max(weights, initial=0.0)))


def least_force(model: Model) -> float:
    """Force (N) that counts as the largest of lines that carry nothing: round-off of the weights that do not hang."""
    mass = max(float(np.max(of, initial=0.0)) for of in (model.points.mass, model.lines.attachment_mass))
    return max(1e-9, IDLE * mass * model.sea.gravity)


def scales_of(model: Model, state: State) -> Scales:
    """Largest force and lengths of the lines."""
    lines, sea = model.lines, model.sea
    weight = np.abs(model.sections.mass - sea.water_density * model.sections.area) * sea.gravity
    own = (
        np.add.reduceat(weight[lines.piece_section] * lines.piece_length, lines.piece_start[:-1])
        if lines.length.size
        else np.zeros(1)
    )
    force = max(
        float(np.max(np.abs(state.end_force), initial=0.0)),
        float(np.max(np.abs(state.tension), initial=0.0)),
        float(own.max(initial=0.0)),
        0.0 if lines.length.size or model.nets.names else _on_parts(model),
        least_force(model),
    )
    length = lengths_of(model, state)
    return Scales(force if np.isfinite(force) else 1.0, length, _allowed(model, state, length))


def _allowed(model: Model, state: State, length: Array) -> Array:
    """(n_lines,) miss of length that a line may have, m: little of its length, and little of its stretch if it is taut.

    Stretch and sag in a row give a line the stiffness of Ernst, :math:`1/k = L/EA + w^2 L^3/(12 T^3)`.
    """
    lines, sections, sea = model.lines, model.sections, model.sea
    allowed = LENGTH * length
    for i in range(length.size):
        own = slice(int(lines.piece_start[i]), int(lines.piece_start[i + 1]))
        k, pieces = lines.piece_section[own], lines.piece_length[own]
        tension = float(np.max(np.abs(state.tension[int(state.start[i]) : int(state.start[i + 1])]), initial=0.0))
        if tension <= 0.0 or not np.isfinite(tension):
            continue
        stretch = float(np.sum(pieces * strain_of(model, k, np.full(k.size, tension))))
        weight = float(np.sum(np.abs(sections.mass[k] - sea.water_density * sections.area[k]) * pieces)) * sea.gravity
        give = stretch + weight**2 * length[i] / (12.0 * tension**2)
        allowed[i] = min(allowed[i], max(TAUT * give, ROUND_OFF * length[i]))
    return allowed


def lengths_of(model: Model, state: State) -> Array:
    """(n_lines,) unstretched length as it is now: winches change it, m."""
    return np.array([state.s[b - 1] for b in state.start[1:]]) if model.lines.length.size else np.zeros(0)


def check_lines(
    model: Model, state: State, scales: Scales, quadrature: str, figures: Mapping[str, Any]
) -> list[Finding]:
    """Figures of all lines.

    quadrature : how a method of elements lumps loads, 'nodes' or 'bars'    figures : of the method's report
    """
    if not model.lines.length.size:
        return []
    found = _ends(model, state, scales)
    if state.node_force.shape == state.position.shape:
        return found + _strings(model, state, scales)
    if state.element_tension.shape == state.tension.shape:
        from ropewalk.analysis.audit_elements import check_elements

        return found + check_elements(model, state, scales, quadrature, figures)
    return found + _polylines(model, state, scales)


def heights(sea: Sea, r: Array) -> Array:
    """Over the bed, along its normal, m."""
    return bed_heights(sea, r)


def contact_width(model: Model, section: Ints) -> Array:
    """Of lines on the bed, m."""
    sections = model.sections
    width = np.maximum(np.sqrt(4.0 * sections.area[section] / np.pi), 2.0 * sections.contact_radius[section])
    return np.where(width > 0.0, width, LEAST_WIDTH)


def line_at(model: Model, state: State, node: int) -> str:
    """Name of a line and place on it, for sentences."""
    line = int(np.searchsorted(state.start, node, side="right") - 1)
    line = min(line, model.lines.length.size - 1)
    return f"line '{model.names.lines[line]}' at s = {state.s[node]:.4g} m"


def worst(kind: str, model: Model, state: State, node: Ints, value: Array, limit: Array) -> list[Finding]:
    """The figure nearest to its limit, or farthest beyond it.  node : (n,) where each of the values is"""
    if not value.size:
        return []
    share = np.where(np.isfinite(value), value / limit, np.inf)
    k = int(np.argmax(share))
    return [Finding(kind, line_at(model, state, int(node[k])), float(value[k]), float(limit[k]))]


def _ends(model: Model, state: State, scales: Scales) -> list[Finding]:
    """Ends of lines are where they are held; ends that lie on the bed may lie at their height of rest."""
    lines, sea = model.lines, model.sea
    held = end_positions(model, state.point_position, state.body_position, state.body_quaternion)
    rows: list[tuple[int, float, float]] = []
    ends = [(i, j) for i, j in np.ndindex(lines.length.size, 2) if lines.end_kind[i, j] != ROD]
    nodes = {(i, j): int(state.start[i]) if j == 0 else int(state.start[i + 1]) - 1 for i, j in ends}
    room: dict[tuple[int, int], float] = {}  # by what holds ends that lie: those of bars there are one node
    for (i, j), node in nodes.items():
        if sea.has_seabed and _lies(model, state, i, j, node):
            k = int(lines.piece_section[lines.piece_start[i] if j == 0 else lines.piece_start[i + 1] - 1])
            here = int(lines.end_kind[i, j]), int(lines.end_index[i, j])
            room[here] = max(room.get(here, 0.0), float(model.sections.contact_radius[k]) + _sunk(model, k, (i, j)))
    for (i, j), node in nodes.items():
        miss = state.position[node] - held[i, j]
        if sea.has_seabed and _lies(model, state, i, j, node):
            normal, most = bed_normals(sea, held[i, j]), room[int(lines.end_kind[i, j]), int(lines.end_index[i, j])]
            miss = miss - np.clip(float(miss @ normal), -most, most) * normal
        rows.append((node, float(np.linalg.norm(miss)), float(scales.miss[i])))
    if not rows:
        return []
    node_, value, limit = (np.array(part) for part in zip(*rows, strict=True))
    return worst("position", model, state, node_.astype(np.int64), value, limit)


def _sunk(model: Model, section: int, end: tuple[int, int]) -> float:
    """Depth to which a line's own weight presses it into the bed at an end of a line, m."""
    k, s = np.array([section]), np.array([0.0 if end[1] == 0 else float(model.lines.length[end[0]])])
    here = properties_at(model.sections, model.profiles, k, s)
    weight = float(here.mass[0] - model.sea.water_density * here.area[0]) * model.sea.gravity
    return max(0.0, weight) / (model.sea.bed_stiffness * float(contact_width(model, k)[0]))


def _lies(model: Model, state: State, i: int, j: int, node: int) -> bool:
    """Whether the line lies on the bed beside its end."""
    beside = node + 1 if j == 0 else node - 1
    k = int(model.lines.piece_section[model.lines.piece_start[i] if j == 0 else model.lines.piece_start[i + 1] - 1])
    touch = float(model.sections.contact_radius[k]) + 1e-6 * float(model.lines.length[i])
    return bool(heights(model.sea, state.position[beside]) <= touch)


def _strings(model: Model, state: State, scales: Scales) -> list[Finding]:
    """Lines whose forces n(s) a method gives at the nodes."""
    lines = model.lines
    spans = spans_of(model, state)
    force_limit = np.full(spans.first.size, FORCE * scales.force)
    place_limit = scales.miss[spans.line]
    misses = _string_misses(model, state, spans, force_limit, place_limit)
    force, place, bed = misses
    found = worst("force", model, state, spans.first, force, force_limit)
    found += worst("length", model, state, spans.first, place, place_limit)
    found += worst("bed", model, state, spans.first, bed, place_limit)
    first, last = state.start[:-1], state.start[1:] - 1
    hung = np.zeros((lines.length.size, 2, 3))
    miss_a = norm(state.end_force[:, 0] - state.node_force[first] - hung[:, 0])
    miss_b = norm(state.end_force[:, 1] + state.node_force[last] - hung[:, 1])
    limit = np.full(lines.length.size, FORCE * scales.force)
    found += worst("force", model, state, first, miss_a, limit) + worst("force", model, state, last, miss_b, limit)
    return found + check_pegs(model, state, scales)


def _string_misses(
    model: Model, state: State, spans: Spans, force_limit: Array, place_limit: Array
) -> tuple[Array, Array, Array]:
    """Force (N), place (m) and depth below what the bed allows (m) of each interval."""
    n = spans.first.size
    force, place, bed = np.zeros(n), np.zeros(n), np.zeros(n)
    free: Flags = np.ones(n, dtype=np.bool_)
    if model.sea.has_seabed:
        near = _near_bed(model, state, spans, place_limit)
        if np.any(near):
            rows = np.flatnonzero(near)
            force[rows], place[rows], bed[rows] = _on_bed(model, state, spans, rows, force_limit, place_limit)
            good = (force <= force_limit) & (place <= place_limit)
            free = ~(near & good)
    pegged = _pegged(model, state, spans)
    misses = string_misses(model, state, spans, (force_limit, place_limit), free, pegged)
    better: Flags = free & ~np.isnan(misses.force[:, 0])
    own, way = norm(misses.force), norm(misses.place)
    own[pegged] = np.abs(norm(misses.passed[pegged]) - norm(state.node_force[spans.first[pegged] + 1]))
    slack = _slack(state, spans, misses, force_limit)
    way[slack] = 0.0
    if model.sea.has_seabed:  # where either reading of a place beside the bed holds, it is in balance
        ratio_bed = np.maximum(force / force_limit, place / place_limit)
        ratio = np.maximum(own / force_limit, way / place_limit)
        better &= ~(near & (ratio_bed < ratio))
        above = ~near
        low = _lowest(model, state, spans)
        bed[above] = np.maximum(bed[above], low[above])
    force[better], place[better] = own[better], way[better]
    return force, place, bed


def _slack(state: State, spans: Spans, misses: Misses, force_limit: Array) -> Flags:
    """Intervals without tension, which have no shape; they must not be longer than they are."""
    loose = (norm(misses.begin) < force_limit) & (norm(misses.passed) < force_limit)
    h = state.s[spans.first + 1] - state.s[spans.first]
    chord = norm(state.position[spans.first + 1] - state.position[spans.first])
    fits: Flags = loose & (chord <= h * (1.0 + LENGTH) + 1e-12)
    return fits


def _radius(model: Model, spans: Spans) -> Array:
    """Largest height of the axis of a line on the bed in each interval, m."""
    radius = np.zeros(spans.first.size)
    np.maximum.at(radius, spans.span, model.sections.contact_radius[spans.section])
    return radius


def _near_bed(model: Model, state: State, spans: Spans, place_limit: Array) -> Flags:
    """Intervals with a node that touches the bed."""
    height = heights(model.sea, state.position)
    low = np.minimum(height[spans.first], height[spans.first + 1])
    near: Flags = low <= _radius(model, spans) + place_limit
    return near


def _lowest(model: Model, state: State, spans: Spans) -> Array:
    """How far intervals away from the bed are below it, m."""
    height = heights(model.sea, state.position)
    return np.maximum(0.0, -np.minimum(height[spans.first], height[spans.first + 1]))


def _load_along(model: Model, state: State, spans: Spans, rows: Ints) -> tuple[Array, Array, Array]:
    """Of the intervals `rows` the load (N), that of what is attached to them, and the integral of r' in the bed (m)."""
    sea = model.sea
    place = np.full(spans.first.size, -1)
    place[rows] = np.arange(rows.size)
    legs = np.flatnonzero(place[spans.span] >= 0)
    own, to = spans.span[legs], place[spans.span[legs]]
    first = spans.first[own]
    s0, s1 = state.s[first], state.s[first + 1]
    low, high = spans.low[legs], spans.high[legs]
    of = Fabric(spans.line[own], spans.section[legs])
    x0, x1, middle = (low - s0) / (s1 - s0), (high - s0) / (s1 - s0), 0.5 * (low + high)
    begin, end = state.position[first], state.position[first + 1]
    n0, n1 = state.node_force[first], state.node_force[first + 1]
    normal = sea.bed_normal
    flat0, flat1 = n0 - np.outer(n0 @ normal, normal), n1 - np.outer(n1 @ normal, normal)
    h = high - low
    hung = spans.jump[legs]
    lumps = np.zeros_like(begin)
    if np.any(hung[:, 3] > 0.0):
        at = begin + x1[:, None] * (end - begin)
        lumps = lump_load(model, at, hung[:, 0], hung[:, 1], hung[:, 2]) + spans.force[legs]
        lumps = np.where((hung[:, 3] > 0.0)[:, None], lumps, 0.0)
        if (
            sea.bed_friction == 0.0
        ):  # what is attached at a node acts beyond the leg to it; a rough bed may hold it there
            flat1 = flat1 + lumps - np.outer(lumps @ normal, normal)
    way = integral_of_tangent(
        model, of, low, flat0 + x0[:, None] * (flat1 - flat0), flat0 + x1[:, None] * (flat1 - flat0), h
    )
    stretch = 1.0 + strain_of(model, of.section, norm(0.5 * (n0 + n1)))
    x = (middle - s0) / (s1 - s0)
    load = line_load(model, of, middle, begin + x[:, None] * (end - begin), unit(end - begin), stretch, Wetness())
    load = h[:, None] * load + lumps
    total, attached, reach = np.zeros((rows.size, 3)), np.zeros((rows.size, 3)), np.zeros((rows.size, 3))
    np.add.at(total, to, load)
    np.add.at(attached, to, lumps)
    np.add.at(reach, to, way)
    return total, attached, reach


def _on_bed(
    model: Model, state: State, spans: Spans, rows: Ints, force_limit: Array, place_limit: Array
) -> tuple[Array, Array, Array]:
    """Misses of intervals that touch the bed: it may push up and hold within its friction.  rows : intervals"""
    sea, normal = model.sea, model.sea.bed_normal
    first = spans.first[rows]
    height = heights(sea, state.position)
    load, attached, reach = _load_along(model, state, spans, rows)
    n0, n1 = state.node_force[first], state.node_force[first + 1]
    radius = _radius(model, spans)[rows]
    tolerance = LENGTH * lengths_of(model, state)[spans.line[rows]]
    on0, on1 = (height[first + k] <= radius + tolerance for k in (0, 1))
    chord = state.position[first + 1] - state.position[first]
    chord = chord - np.outer(chord @ normal, normal)  # pieces of other thickness lie at other heights
    h = state.s[first + 1] - state.s[first]
    slack = np.minimum(norm(n0), norm(n1)) < force_limit[rows]
    jump = _explained(model, spans, rows, norm(n0), norm(n1)) * h
    miss = np.maximum(0.0, norm(chord - reach) - jump)
    place = np.where(slack, np.maximum(0.0, norm(chord) - np.maximum(norm(reach), h)), miss)
    bends = np.flatnonzero(on0 & on1 & ~slack & (place > place_limit[rows])) if sea.bed_friction == 0.0 else rows[:0]
    if bends.size:
        place[bends] = along_bed(model, state, spans, rows[bends], place_limit[rows[bends]])
    lifts = np.flatnonzero(on0 != on1)
    if lifts.size:
        free = hangs_free(model, state, spans, rows[lifts], force_limit, place_limit)
        place[lifts[free]], load[lifts[free]] = 0.0, (n0 - n1)[lifts[free]]
        lifts = lifts[~free]
    if lifts.size:
        came = landing(model, state, spans, rows[lifts], on1[lifts], force_limit[rows[lifts]])
        place[lifts], load[lifts] = came.place, came.load + attached[lifts]
    push = -(n1 - n0) - load
    up = push @ normal
    along = norm(push - np.outer(up, normal))
    force = np.maximum(0.0, -up) + np.maximum(0.0, along - (1.0 + GRIP) * sea.bed_friction * np.maximum(up, 0.0))
    rise, bare = np.abs(height[first + 1] - height[first]), ~np.any(attached != 0.0, axis=1)
    force += np.where(on0 & on1 & bare, _lifted(n0, n1, rise, load @ normal, h, normal), 0.0)
    width = np.full(spans.first.size, np.inf)
    np.minimum.at(width, spans.span, contact_width(model, spans.section))
    room = SINK * np.maximum(up, 0.0) / (sea.bed_stiffness * width[rows] * h) + tolerance
    low = np.minimum(height[first], height[first + 1])
    return force, place, np.maximum(0.0, -low - room)


def _lifted(n0: Array, n1: Array, rise: Array, load: Array, h: Array, normal: Array) -> Array:
    """(k,) N: force across the bed at the nodes of lines on it, beyond that of a line that rises between them.

    Along a straight line it is T y/h, and w x with y = w x^2/(2 T) where it lifts off; twice that may be there.

    rise : (k,) y, m    load : (k,) w h, N    h : (k,) m
    """
    tension = np.maximum(norm(n0), norm(n1))
    may = 2.0 * np.maximum(tension * rise / h, np.sqrt(2.0 * np.abs(load) / h * tension * rise))
    return np.maximum(0.0, np.maximum(np.abs(n0 @ normal), np.abs(n1 @ normal)) - may)


def _explained(model: Model, spans: Spans, rows: Ints, before: Array, after: Array) -> Array:
    """(k,) strain that the bed's hold on what is attached within an interval leaves open; 0 where nothing is.

    The force jumps there by an unknown part of its change from node to node.  before, after : (k,) N, at the nodes
    """
    hung = np.zeros(spans.first.size)
    section = np.zeros(spans.first.size, dtype=np.int64)
    np.add.at(hung, spans.span, spans.jump[:, 3])
    section[spans.span] = spans.section
    change = strain_of(model, section[rows], after) - strain_of(model, section[rows], before)
    return np.where((hung[rows] > 0.0) & (model.sea.bed_friction > 0.0), np.abs(change), 0.0)


def _pegged(model: Model, state: State, spans: Spans) -> Ints:
    """Intervals whose far node lies on something that its line runs over."""
    if not model.lines.over_index.size:
        return np.zeros(0, dtype=np.int64)
    return np.searchsorted(spans.first, peg_nodes(model, state) - 1)


def peg_nodes(model: Model, state: State) -> Ints:
    """(n_pegs,) nodes between the ends of lines that are nearest to what the lines run over."""
    lines, nodes = model.lines, np.zeros(model.lines.over_index.size, dtype=np.int64)
    where = over_positions(model, state.point_position, state.body_position, state.body_quaternion)
    for i in range(lines.length.size):
        first = int(state.start[i]) + 1
        for p in range(lines.over_start[i], lines.over_start[i + 1]):
            nodes[p] = first + int(np.argmin(norm(state.position[first : int(state.start[i + 1]) - 1] - where[p])))
    return nodes


def check_pegs(model: Model, state: State, scales: Scales) -> list[Finding]:
    """Lines pass where the things are that they run over."""
    lines = model.lines
    if not lines.over_index.size:
        return []
    where = over_positions(model, state.point_position, state.body_position, state.body_quaternion)
    nodes = peg_nodes(model, state)
    miss, limit = norm(state.position[nodes] - where), np.repeat(scales.miss, np.diff(lines.over_start))
    return [
        Finding("position", f"{line_at(model, state, k)}, which runs over a point,", float(away), float(most))
        for k, away, most in zip(nodes.tolist(), miss, limit, strict=True)
    ]


def _last_of(value: Array, state: State) -> Array:
    """(n_lines,) values of the last intervals of lines.  value : (n,) of all intervals between nodes"""
    last: Array = value[state.start[1:] - 2 - np.arange(state.start.size - 1)]
    return last


def _polylines(model: Model, state: State, scales: Scales) -> list[Finding]:
    """Lines of which only nodes and end forces are known: total balance, lengths and bed, roughly."""
    lines, sea = model.lines, model.sea
    spans = spans_of(model, state)
    chord = state.position[spans.first + 1] - state.position[spans.first]
    h = state.s[spans.first + 1] - state.s[spans.first]
    section = np.zeros(spans.first.size, dtype=np.int64)
    section[spans.span] = spans.section
    of = Fabric(spans.line, section)
    tangent = unit(chord)
    middle = 0.5 * (state.position[spans.first + 1] + state.position[spans.first])
    low, high = state.position[spans.first, 2], state.position[spans.first + 1, 2]
    thick = np.maximum(contact_width(model, section), LEVEL * h)  # light lines float at the surface
    load = line_load(model, of, 0.5 * (state.s[spans.first] + state.s[spans.first + 1]), middle, tangent,
                     norm(chord) / h, Wetness(low, high, thick))  # fmt: skip
    total = np.zeros((lines.length.size, 3))
    np.add.at(total, spans.line, h[:, None] * load)
    hung = spans.jump[:, 3] > 0.0
    if np.any(hung):
        own = spans.first[spans.span[hung]]
        lumps = lump_load(model, state.position[own + 1], *spans.jump[hung, :3].T) + spans.force[hung]
        np.add.at(total, spans.line[spans.span[hung]], lumps)
    miss = total - state.end_force.sum(axis=1)
    force = norm(miss)
    if sea.has_seabed:
        up = np.maximum(-(miss @ sea.bed_normal), 0.0)
        along = norm(miss + np.outer(up, sea.bed_normal))
        touches = np.array(
            [heights(sea, state.position[a:b]).min() for a, b in zip(state.start[:-1], state.start[1:], strict=True)]
        )
        # half an element at a held end is held by friction as that beside it, whatever presses on the end itself
        weight = (
            np.abs(model.sections.mass[section] - sea.water_density * model.sections.area[section]) * sea.gravity * h
        )
        half = 0.5 * (weight[state.start[:-1] - np.arange(lines.length.size)] + _last_of(weight, state))
        force = np.where(touches <= 1.0, np.maximum(0.0, along - sea.bed_friction * (up + half)), force)
    found = worst("force", model, state, state.start[:-1], force, np.full(force.size, ROUGH * scales.force))
    tension = 0.5 * (state.tension[spans.first] + state.tension[spans.first + 1])
    should = h * (1.0 + strain_of(model, section, tension))
    long = np.zeros(lines.length.size)
    np.add.at(long, spans.line, norm(chord) - should)
    return found + worst("length", model, state, state.start[:-1], np.maximum(long, 0.0), ROUGH * scales.length)
