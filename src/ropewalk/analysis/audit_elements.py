"""Audit of lines of elements: balance of every node at the method's own mesh, lengths by the law, bed, pushing.

Two ways to lump loads at the nodes are known: halves of elements that feel the water at their own node ('nodes'), and
straight bars whose drag, of the stretched length, is integrated at two Gauss points ('bars').
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ropewalk.analysis.audit_lines import (
    FORCE,
    GRIP,
    LEVEL,
    ON_BED,
    PUSH,
    RAMP,
    SAME,
    SLACK,
    Finding,
    Scales,
    check_pegs,
    contact_width,
    heights,
    least_force,
    peg_nodes,
    worst,
)
from ropewalk.analysis.audit_loads import (
    TINY,
    Fabric,
    Wetness,
    current_on,
    line_load,
    lump_load,
    norm,
    section_drag,
    strain_of,
    submerged,
    unit,
)
from ropewalk.audit.elements import NO_FARTHER, WIDE, WIDE_SHARE
from ropewalk.loads.footing import attachment_footings
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.model.environment import bed_normals
from ropewalk.model.joints import FIXED, HELD
from ropewalk.model.lines import BODY, FORCE_TABLE, POINT
from ropewalk.model.model import Model
from ropewalk.model.profiles import Along, means_between
from ropewalk.model.state import State, end_positions

SAME_PLACE = 1e-9  # of the largest arm of a knot on a body: what is as near to it is fastened there, too
NEAR = 0.5 - 0.5 / np.sqrt(3.0)  # share of the farther node at a Gauss point of a bar


class Elements(NamedTuple):
    """Elements of all lines, from end A to end B."""

    first: Ints  # (m,) node at the start
    line: Ints
    section: Ints
    length: Array  # m, unstretched
    chord: Array  # (m, 3) m
    tangent: Array  # (m, 3)
    tension: Array  # N


def elements_of(model: Model, state: State) -> Elements:
    """Read the elements from the nodes of the state."""
    first = np.concatenate([np.arange(a, b - 1) for a, b in zip(state.start[:-1], state.start[1:], strict=True)])
    line = np.searchsorted(state.start, first, side="right") - 1
    middle = 0.5 * (state.s[first] + state.s[first + 1])
    section = np.zeros(first.size, dtype=np.int64)
    lines = model.lines
    for i in range(lines.length.size):
        own = line == i
        pieces = slice(int(lines.piece_start[i]), int(lines.piece_start[i + 1]))
        ends = np.cumsum(lines.piece_length[pieces])
        section[own] = lines.piece_section[pieces][np.minimum(np.searchsorted(ends, middle[own]), ends.size - 1)]
    chord = state.position[first + 1] - state.position[first]
    length = state.s[first + 1] - state.s[first]
    return Elements(first, line, section, length, chord, unit(chord), state.element_tension[first])


def check_elements(
    model: Model, state: State, scales: Scales, quadrature: str, figures: Mapping[str, Any]
) -> list[Finding]:
    """Figures of all lines made of elements.  figures : of the method's report, for forces on what lines run over"""
    of = elements_of(model, state)
    balance, bed = node_balance(model, state, of, quadrature)
    limit = np.full(balance.shape[0], FORCE * scales.force)
    loose = np.where(model.sections.compression[of.section], 0.0, np.maximum(-of.tension, 0.0))
    for node in (of.first, of.first + 1):  # slack elements hold their shape with a push that is no force of theirs
        np.add.at(limit, node, loose)
    residual = _within_friction(model, state, balance, bed)
    inner: Flags = np.ones(balance.shape[0], dtype=np.bool_)
    inner[state.start[:-1]] = False
    inner[state.start[1:] - 1] = False
    found = []
    if model.lines.over_index.size:
        inner[peg_nodes(model, state)] = False
        found += _over_pegs(model, state, of, scales, quadrature, figures) + check_pegs(model, state, scales)
    nodes = np.flatnonzero(inner)
    found += worst("force", model, state, nodes, residual[nodes], limit[nodes])
    found += _end_forces(model, state, balance, bed, scales, quadrature == "bars")
    return found + _lengths(model, state, of, scales)


def _over_pegs(
    model: Model, state: State, of: Elements, scales: Scales, quadrature: str, figures: Mapping[str, Any]
) -> list[Finding]:
    """Where lines run over something without friction: equal tensions on both sides, and their sum on it."""
    lines, nodes = model.lines, peg_nodes(model, state)
    before, beyond = np.searchsorted(of.first, nodes - 1), np.searchsorted(of.first, nodes)
    pull = of.tension[:, None] * of.tangent
    halves = (bar_loads if quadrature == "bars" else _half_loads)(model, state, of)
    sides = halves[1][before] - pull[before], halves[0][beyond] + pull[beyond]
    given = np.full((nodes.size, 3), np.nan)
    for i, name in enumerate(model.names.lines):
        rows = figures.get("over", {}).get(name, ())
        for p, row in zip(range(lines.over_start[i], lines.over_start[i + 1]), rows, strict=False):
            given[p] = row["force"]
    limit = np.full(nodes.size, FORCE * scales.force)
    uneven = np.abs(norm(sides[0]) - norm(sides[1]))
    found = worst("force", model, state, nodes, uneven, limit)
    return found + worst("force", model, state, nodes, norm(sides[0] + sides[1] - given), limit)


def _within_friction(model: Model, state: State, balance: Array, bed: Array) -> Array:
    """(n,) what friction of the bed cannot hold of the force on each node, N."""
    normal = bed_normals(model.sea, state.position)
    up = np.sum(balance * normal, axis=1)
    along = norm(balance - up[:, None] * normal)
    held: Array = np.hypot(up, np.maximum(0.0, along - (1.0 + GRIP) * model.sea.bed_friction * bed))
    return held


def node_balance(model: Model, state: State, of: Elements, quadrature: str) -> tuple[Array, Array]:
    """Sum of the forces on each node, friction of the bed apart, and the bed's normal force there, N."""
    n = state.position.shape[0]
    total, bed = np.zeros((n, 3)), np.zeros(n)
    pull = of.tension[:, None] * of.tangent
    np.add.at(total, of.first, pull)
    np.add.at(total, of.first + 1, -pull)
    loads = bar_loads if quadrature == "bars" else _half_loads
    for node, load in zip((of.first, of.first + 1), loads(model, state, of), strict=True):
        np.add.at(total, node, load)
    _add_attachments(model, state, total)
    if model.sea.has_seabed:
        sea, height = model.sea, heights(model.sea, state.position)
        width = contact_width(model, of.section)
        radius = model.sections.contact_radius[of.section]
        area, lift = np.zeros(n), np.zeros(n)
        share = np.zeros(n)
        for node in (of.first, of.first + 1):
            np.add.at(area, node, 0.5 * width * of.length)
            np.add.at(lift, node, 0.5 * radius * of.length)
            np.add.at(share, node, 0.5 * of.length)
        under, foot = _attachment_nodes(model, state), attachment_footings(model)
        if quadrature == "bars":
            middle = lift / np.maximum(share, TINY)
            np.add.at(bed, under, sea.bed_stiffness * foot * np.maximum(0.0, middle - height)[under])
            for node in (of.first, of.first + 1):
                depth = np.maximum(0.0, radius - height[node])
                np.add.at(bed, node, 0.5 * of.length * width * sea.bed_stiffness * depth)
        else:
            np.add.at(area, under, foot)
            depth = np.maximum(0.0, lift / np.maximum(share, TINY) - _dips(model, state) - height)
            bed = sea.bed_stiffness * area * depth
        total += bed[:, None] * bed_normals(sea, state.position)
    return total, bed


def _held_ends(model: Model) -> Flags:
    """(n_lines, 2) whether ends are held for good, at points or bodies."""
    kind, index = model.lines.end_kind, model.lines.end_index
    held = np.zeros(kind.shape, dtype=np.bool_)
    points, bodies = model.points, model.bodies
    for of, still in (
        (POINT, np.all(points.joint == HELD, axis=1) & (points.motion < 0)),
        (BODY, (bodies.joint == FIXED) & (bodies.motion < 0)),
    ):
        held[kind == of] = still[index[kind == of]]
    return held


def _dips(model: Model, state: State) -> Array:
    """(n_nodes,) m: how much lower the bed bears on lines that rise from where they are held.

    Up to RAMP times that from there, and no farther than NO_FARTHER of the line.
    """
    lines, found = model.lines, np.zeros(state.s.size)
    given = end_positions(model, state.point_position, state.body_position, state.body_quaternion)
    for i, j in np.argwhere(_held_ends(model)):
        own = slice(int(state.start[i]), int(state.start[i + 1]))
        k = lines.piece_section[lines.piece_start[i] if j == 0 else lines.piece_start[i + 1] - 1]
        radius = float(model.sections.contact_radius[k])
        height = float(heights(model.sea, given[i, j][None])[0])
        end = state.position[own][0 if j == 0 else -1]
        if abs(height) > radius + ON_BED * model.sea.depth or not np.allclose(end, given[i, j], rtol=0.0, atol=SAME):
            continue
        away = state.s[own] if j == 0 else state.s[own].max() - state.s[own]
        deep = max(0.0, radius - height)
        found[own] += deep * np.maximum(0.0, 1.0 - away / max(min(RAMP * deep, NO_FARTHER * float(away.max())), TINY))
    return found


def _made_of(model: Model, state: State, of: Elements) -> Along:
    """Means of the properties over each element."""
    return means_between(model.sections, model.profiles, of.section, state.s[of.first], state.s[of.first + 1])


def _thickness(model: Model, state: State, of: Elements) -> Array:
    """(m,) height over which a section of each element passes the water surface, m."""
    area, radius = _made_of(model, state, of).area, model.sections.contact_radius[of.section]
    width = np.maximum(np.sqrt(4.0 * area / np.pi), 2.0 * radius)
    return np.maximum(width, LEVEL * of.length)


def _half_loads(model: Model, state: State, of: Elements) -> tuple[Array, Array]:
    """Loads on the two halves of each element, with the water at their nodes and the tangent of the element."""
    thick = _thickness(model, state, of)
    stretch = norm(of.chord) / of.length
    fabric = Fabric(of.line, of.section, _made_of(model, state, of))
    z0, z1 = state.position[of.first, 2], state.position[of.first + 1, 2]
    middle, half = 0.5 * (z0 + z1), 0.5 * of.length
    halves = []
    for node, z in ((of.first, z0), (of.first + 1, z1)):
        wet = Wetness(z, middle, thick)
        quarter = state.s[node] + 0.25 * (of.length if node is of.first else -of.length)
        halves.append(half[:, None] * line_load(model, fabric, quarter, state.position[node], of.tangent, stretch, wet))
    if np.any(model.lines.load_kind == FORCE_TABLE):
        _tables_over_halves(model, state, of, halves)
    return halves[0], halves[1]


def _tables_over_halves(model: Model, state: State, of: Elements, halves: list[Array]) -> None:
    """Replace tabled loads at the middle of each half by their mean over it."""
    lines = model.lines
    for i in range(lines.length.size):
        own = np.flatnonzero(of.line == i)
        for j in range(lines.load_start[i], lines.load_start[i + 1]):
            if lines.load_kind[j] != FORCE_TABLE:
                continue
            table = lines.load_table[lines.table_start[j] : lines.table_start[j + 1]]
            for side in (0, 1):
                begin = state.s[of.first[own]] + 0.5 * side * of.length[own]
                end = begin + 0.5 * of.length[own]
                for c in (1, 2, 3):
                    there = np.interp(0.5 * (begin + end), table[:, 0], table[:, c])
                    mean = _area(table[:, 0], table[:, c], end) - _area(table[:, 0], table[:, c], begin)
                    halves[side][own, c - 1] += mean - (end - begin) * there


def _area(x: Array, y: Array, to: Array) -> Array:
    """Integral from x[0] of a table that is linear between its entries and constant beyond them."""
    whole = np.concatenate([[0.0], np.cumsum(0.5 * (y[1:] + y[:-1]) * np.diff(x))])
    i = np.clip(np.searchsorted(x, to, side="right") - 1, 0, x.size - 1)
    result: Array = whole[i] + 0.5 * (y[i] + np.interp(to, x, y)) * (to - x[i])
    before = to < x[0]
    result[before] = y[0] * (to[before] - x[0])
    return result


def bar_loads(model: Model, state: State, of: Elements) -> tuple[Array, Array]:
    """Loads on the nodes of each bar: weight and buoyancy by halves, drag of the stretched bar by two Gauss points."""
    sections, sea, k = model.sections, model.sea, of.section
    ends = []
    z = [state.position[of.first, 2], state.position[of.first + 1, 2]]
    thick, middle = _thickness(model, state, of), 0.5 * (z[0] + z[1])
    share = [submerged(height, Wetness(height, middle, thick)) for height in z]
    for side in (0, 1):
        load = np.zeros((of.first.size, 3))
        load[:, 2] = -0.5 * sections.mass[k] * of.length * sea.gravity
        if sea.water_density > 0.0:
            load[:, 2] += 0.5 * share[side] * sea.water_density * sea.gravity * sections.area[k] * of.length
        ends.append(load)
    bn, bt = sections.drag_normal[k], sections.drag_tangential[k]
    if sea.water_density > 0.0 and sea.current_speed > 0.0 and (np.any(bn > 0.0) or np.any(bt > 0.0)):
        water = [current_on(model, state.position[node]) for node in (of.first, of.first + 1)]
        for side in (0, 1):
            far = NEAR if side == 0 else 1.0 - NEAR
            u = (1.0 - far) * water[0] + far * water[1]
            scale = (0.5 * norm(of.chord) * share[side])[:, None]
            force = scale * section_drag(model, k, u, of.tangent, bn, bt)
            ends[0] += (1.0 - far) * force
            ends[1] += far * force
    return ends[0], ends[1]


def _attachment_nodes(model: Model, state: State) -> Ints:
    """(n_attachments,) nodes of what is attached to lines."""
    lines = model.lines
    nodes = np.zeros(lines.attachment_s.size, dtype=np.int64)
    for i in np.flatnonzero(np.diff(lines.attachment_start)):
        own = slice(int(lines.attachment_start[i]), int(lines.attachment_start[i + 1]))
        first, s = int(state.start[i]), state.s[int(state.start[i]) : int(state.start[i + 1])]
        nodes[own] = first + np.argmin(np.abs(s[None, :] - lines.attachment_s[own][:, None]), axis=1)
    return nodes


def _add_attachments(model: Model, state: State, total: Array) -> None:
    lines = model.lines
    if not lines.attachment_s.size:
        return
    at = _attachment_nodes(model, state)
    load = lump_load(model, state.position[at], lines.attachment_mass, lines.attachment_volume,
                     lines.attachment_drag_area)  # fmt: skip
    np.add.at(total, at, load + lines.attachment_force)


def _end_forces(
    model: Model, state: State, balance: Array, bed: Array, scales: Scales, together: bool
) -> list[Finding]:
    """Ends pull with what their nodes are short of; the bed may carry what presses down on it there.

    What it pushes with at ends that are moved into it is not all the line's.

    together : sum up what ends at one point or body: bars share the loads of a knot by length, not by line
    """
    lines = model.lines
    found: list[Finding] = []
    first, last = state.start[:-1], state.start[1:] - 1
    misses = np.stack([state.end_force[:, 0] - balance[first], state.end_force[:, 1] - balance[last]], axis=1)
    # half an element is held by friction as that beside it: a held end presses with its height, not its weight
    bears = np.stack([np.maximum(bed[first], 0.5 * bed[first + 1]), np.maximum(bed[last], 0.5 * bed[last - 1])], axis=1)
    pressed = np.stack([bed[first], bed[last]], axis=1)
    if together:
        keys = [f"{lines.end_kind[i, j]} {lines.end_index[i, j]} {lines.end_offset[i, j]}"
                for i, j in np.ndindex(lines.length.size, 2)]  # fmt: skip
        _, which = np.unique(keys, return_inverse=True)
        misses, bears, pressed = (_at_places(which.ravel(), x) for x in (misses, bears, pressed))
        for i, j in knots_at_ends(model):
            misses[i, j] = 0.0
    loose = _moved_ends(model)
    for end, nodes in ((0, first), (1, last)):
        miss = misses[:, end]
        value = norm(miss)
        if model.sea.has_seabed:
            widest = np.maximum(np.minimum(WIDE, WIDE_SHARE * scales.length), model.sections.contact_radius.max())
            near = heights(model.sea, state.position[nodes]) <= 2.0 * widest
            normal = bed_normals(model.sea, state.position[nodes])
            out = np.sum(miss * normal, axis=1)
            up = np.maximum(out, 0.0)
            rest = norm(miss - out[:, None] * normal)
            open_to = np.where(loose[:, end] | together, pressed[:, end], 0.0)
            down = np.maximum(-out - open_to, 0.0)
            held = np.maximum(0.0, rest - model.sea.bed_friction * np.maximum(bears[:, end], up))
            room = np.maximum(0.0, up - np.maximum(0.0, -np.sum(balance[nodes] * normal, axis=1)) - open_to)
            value = np.where(near, np.sqrt(held**2 + down**2 + room**2), value)
        found += worst("force", model, state, nodes, value, np.full(nodes.size, FORCE * scales.force))
    return found


def _at_places(which: Ints, values: Array) -> Array:
    """Sums over all ends at the place of each.  which : (2 n_lines,) place of each end    values : (n_lines, 2, ...)"""
    sums = np.zeros((int(which.max()) + 1, *values.shape[2:]))
    np.add.at(sums, which, values.reshape(-1, *values.shape[2:]))
    found: Array = sums[which].reshape(values.shape)
    return found


def knots_at_ends(model: Model) -> dict[tuple[int, int], Ints]:
    """Knots of nets by the end of a line that is fastened to the same; audit_nets.py compares their forces."""
    lines, nets = model.lines, model.nets
    found = {}
    for i, j in np.ndindex(lines.length.size, 2):
        k, here = lines.end_index[i, j], nets.point == lines.end_index[i, j]
        if lines.end_kind[i, j] == BODY:
            room = SAME_PLACE * float(norm(nets.place).max(initial=0.0))
            here = (nets.body == k) & (norm(nets.place - lines.end_offset[i, j]) <= room)
        if np.any(here):
            found[i, j] = np.flatnonzero(here)
    return found


def _moved_ends(model: Model) -> Flags:
    """(n_lines, 2) whether the motion of ends is given."""
    kind, index = model.lines.end_kind, model.lines.end_index
    moved = np.zeros(kind.shape, dtype=np.bool_)
    for of, motion in ((POINT, model.points.motion), (BODY, model.bodies.motion)):
        moved[kind == of] = motion[index[kind == of]] >= 0
    return moved


def line_weights(model: Model, of: Elements) -> Array:
    """(m,) weight in water of the line that each element is of, N; in air where it is afloat."""
    sea, k = model.sea, of.section
    wet = np.abs(model.sections.mass[k] - sea.water_density * model.sections.area[k]) * of.length * sea.gravity
    dry = model.sections.mass[k] * of.length * max(sea.gravity, 1.0)
    total, air = np.zeros(model.lines.length.size), np.zeros(model.lines.length.size)
    np.add.at(total, of.line, wet)
    np.add.at(air, of.line, dry)
    return np.where(total > 0.0, total, air)[of.line]


def _lengths(model: Model, state: State, of: Elements, scales: Scales) -> list[Finding]:
    """Elements are as long as their law makes them; slack ones may be shorter, and none may push that cannot."""
    may_push = model.sections.compression[of.section]
    weight = line_weights(model, of)
    slack = ~may_push & (of.tension < SLACK * weight)
    stiffness = _made_of(model, state, of).stiffness
    taut = np.maximum(of.tension, 0.0)
    miss = norm(of.chord) - of.length * (1.0 + strain_of(model, of.section, of.tension, stiffness))
    loose = norm(of.chord) - of.length * (1.0 + strain_of(model, of.section, taut, stiffness))
    value = np.where(slack, np.maximum(loose, 0.0), np.abs(miss))
    found = worst("length", model, state, of.first, value, scales.miss[of.line])
    pushing = np.where(may_push, 0.0, np.maximum(0.0, -of.tension))
    floor = FORCE * max(float(np.max(np.abs(of.tension), initial=0.0)), least_force(model))
    return found + worst("push", model, state, of.first, pushing, np.maximum(PUSH * weight, floor))
