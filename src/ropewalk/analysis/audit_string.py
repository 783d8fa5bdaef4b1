r"""Audit of lines that a method gives as continuous strings: the string's own equations from node to node.

From every node the initial value problem

.. math:: r' = (1 + \varepsilon(|n|))\, n / |n|, \qquad n' = -f(s, r, n)

is integrated to the next, with what is attached between them, and must meet the position and the force that the
method gives there. Where both nodes lie on the bed, the bed may push up and hold within its friction, nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.analysis.audit_loads import (
    TINY,
    Fabric,
    Wetness,
    dot,
    line_load,
    lump_load,
    norm,
    strain_of,
    unit,
)
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.model.model import Model
from ropewalk.model.state import State

SAME = 1e-12  # of a line's length: places this near are one
REFINEMENTS = (2, 8, 32, 128)  # steps from node to node, one after the other while a defect stays too large
FURTHER = (512, 2048)  # the same, while finer steps make the defect smaller: at kinks of loads
# a defect of FAR times its limit that other steps change by less than CLOSE of it is none of the steps
FAR, CLOSE = 10.0, 0.1
SHRINKS = 0.5  # of the defect on steps four times as long: above it, finer steps do not help
GAUSS = np.array([0.5 - np.sqrt(0.15), 0.5, 0.5 + np.sqrt(0.15)])  # three points on [0, 1]: exact to fifth order
GAUSS_WEIGHT = np.array([5.0, 8.0, 5.0]) / 18.0
LANDING_STEPS = 8  # from a node above the bed to where it lands, under loads that vary
NEARLY = 1e-9  # of a force: round-off of its direction
GENTLE = 0.1  # change of the force over a step, of the force: below it, three points see every turn


class Spans(NamedTuple):
    """Intervals between neighbouring nodes of all lines, cut into legs where sections change or things are attached."""

    first: Ints  # (n,) node at the start of each interval
    line: Ints  # (n,)
    depth: Ints  # (m,) which leg of its interval
    span: Ints  # (m,) which interval
    section: Ints  # (m,)
    low: Array  # (m,) m from end A
    high: Array  # (m,)
    jump: Array  # (m, 4) mass (kg), volume (m3), drag area (m2) attached at the end of the leg; how many things
    force: Array  # (m, 3) N, given there


class Misses(NamedTuple):
    """What is left over from node to node."""

    force: Array  # (n, 3) N, next node's force minus that which the loads leave
    place: Array  # (n, 3) m
    passed: Array  # (n, 3) N, force that the integration brings to the next node
    begin: Array  # (n, 3) N, force that it began with


def spans_of(model: Model, state: State) -> Spans:
    """Cut the intervals between the nodes of the state into legs of one section, along which tables are straight."""
    lines = model.lines
    first, line, depth, span, section, low, high = [], [], [], [], [], [], []
    jumps, forces = [], []
    count = 0
    for i in range(lines.length.size):
        a, b = int(state.start[i]), int(state.start[i + 1])
        s = state.s[a:b]
        same = SAME * float(lines.length[i])
        pieces = slice(int(lines.piece_start[i]), int(lines.piece_start[i + 1]))
        ends = np.cumsum(lines.piece_length[pieces])
        hung = np.arange(lines.attachment_start[i], lines.attachment_start[i + 1])
        knots = lines.load_table[lines.table_start[lines.load_start[i]] : lines.table_start[lines.load_start[i + 1]], 0]
        knots = np.concatenate([knots, model.profiles.edges(lines.piece_section[pieces])])
        inside = knots[(knots > 0.0) & (knots < lines.length[i])]
        cuts = np.concatenate([ends[:-1], lines.attachment_s[hung], inside])
        apart = np.min(np.abs(cuts[:, None] - s[None, :]), axis=1, initial=np.inf) > same if cuts.size else cuts > 0.0
        edges = np.unique(np.concatenate([s, cuts[apart]]))
        middle = 0.5 * (edges[1:] + edges[:-1])
        own = np.clip(np.searchsorted(s, middle) - 1, 0, s.size - 2)
        first.append(a + np.arange(s.size - 1))
        line.append(np.full(s.size - 1, i))
        span.append(count + own)
        depth.append(np.arange(own.size) - np.searchsorted(own, own))
        section.append(lines.piece_section[pieces][np.minimum(np.searchsorted(ends, middle), ends.size - 1)])
        low.append(edges[:-1])
        high.append(edges[1:])
        jump, force = np.zeros((own.size, 4)), np.zeros((own.size, 3))
        for j in hung:
            at = int(np.argmin(np.abs(edges[1:] - lines.attachment_s[j])))
            jump[at] += (lines.attachment_mass[j], lines.attachment_volume[j], lines.attachment_drag_area[j], 1.0)
            force[at] += lines.attachment_force[j]
        jumps.append(jump)
        forces.append(force)
        count += s.size - 1
    whole = [np.concatenate(part).astype(np.int64) for part in (first, line, depth, span, section)]
    parts = [np.concatenate(part) for part in (low, high, jumps, forces)]
    return Spans(whole[0], whole[1], whole[2], whole[3], whole[4], *parts)


def string_misses(
    model: Model, state: State, spans: Spans, limits: tuple[Array, Array], which: Flags, turned: Ints
) -> Misses:
    """Integrate from node to node; intervals that miss are done again in finer steps, until they meet or the last.

    limits : (n,) N and (n,) m; of each interval, what counts as a miss    which : intervals to do
    turned : of them those that end at pegs, where the force keeps its size and turns
    """
    n, (force_limit, place_limit) = spans.first.size, limits
    force, place = np.full((n, 3), np.nan), np.full((n, 3), np.nan)
    begin = np.asarray(state.node_force[spans.first])
    passed = np.zeros((n, 3))
    left: Flags = which
    plain = _is_plain(model)
    before = np.full(n, np.inf)
    for steps in (*(REFINEMENTS[1:] if plain else REFINEMENTS), *FURTHER):
        if not np.any(left):
            break
        smooth = steps == REFINEMENTS[0]
        count = 1 if plain and steps == REFINEMENTS[1] else steps
        r, f = _march(model, state, spans, left, count, smooth)
        rows = np.flatnonzero(left)
        passed[rows] = f
        force[rows] = state.node_force[spans.first[rows] + 1] - f
        place[rows] = state.position[spans.first[rows] + 1] - r
        own = norm(force)
        own[turned] = np.abs(norm(passed[turned]) - norm(state.node_force[spans.first[turned] + 1]))
        share = np.maximum(own / force_limit, norm(place) / place_limit)
        left = which & ~(share <= 1.0)  # NaN stays
        left &= ~((share > FAR) & (np.abs(share - before) <= CLOSE * share))
        if steps >= REFINEMENTS[-1]:
            left &= ~(share > SHRINKS * before)
        before = np.where(np.isnan(share), np.inf, share)
    return Misses(force, place, passed, begin)


def _is_plain(model: Model) -> bool:
    """True if loads on lines are constant along each piece."""
    varies = model.lines.load_kind.size > 0 or model.profiles.any or bool(model.fields.loads)
    return not varies and not _has_drag(model)


def _has_drag(model: Model) -> bool:
    sections, sea = model.sections, model.sea
    drags = np.any(sections.drag_normal > 0.0) or np.any(sections.drag_tangential > 0.0)
    return bool(sea.water_density > 0.0 and sea.current_speed > 0.0 and drags)


def along_bed(model: Model, state: State, spans: Spans, rows: Ints, place_limit: Array) -> Array:
    """(k,) m: miss of intervals that lie on a smooth bed, integrated in its plane in ever finer steps, as above it.

    rows : intervals    place_limit : (k,) m, what counts as a miss
    """
    which: Flags = np.zeros(spans.first.size, dtype=np.bool_)
    which[rows] = True
    order, normal = np.flatnonzero(which), model.sea.bed_normal
    goal = state.position[spans.first[order] + 1]
    miss = np.full(spans.first.size, np.inf)
    for steps in REFINEMENTS:
        r, _ = _march(model, state, spans, which, steps, True, normal)
        apart = goal - r
        miss[order] = norm(apart - np.outer(apart @ normal, normal))
        if np.all(miss[rows] <= place_limit):
            break
    return miss[rows]


def _march(
    model: Model, state: State, spans: Spans, which: Flags, steps: int, smooth: bool, bed: Array | None = None
) -> tuple[Array, Array]:
    """Position and force that the intervals `which` arrive with at their far nodes.

    bed : (3,) normal of the bed that carries all loads across it; None above the bed
    """
    r, n = state.position[spans.first].copy(), state.node_force[spans.first].copy()
    n = n if bed is None else _flat(n, bed)
    legs = which[spans.span]
    for level in range(int(spans.depth[legs].max(initial=-1)) + 1):
        rows = np.flatnonzero(legs & (spans.depth == level))
        own = spans.span[rows]
        of = Fabric(spans.line[own], spans.section[rows])
        h = (spans.high[rows] - spans.low[rows]) / steps
        place, force = r[own], n[own]
        for k in range(steps):
            at = spans.low[rows] + k * h
            if smooth:
                place, force = _runge_kutta(model, of, at, h, place, force, bed)
            else:
                place, force = _straight(model, of, at, h, place, force)
        hung = spans.jump[rows]
        if np.any(hung[:, 3] > 0.0):
            load = lump_load(model, place, hung[:, 0], hung[:, 1], hung[:, 2]) + spans.force[rows]
            load = load if bed is None else _flat(load, bed)
            force = force - np.where((hung[:, 3] > 0.0)[:, None], load, 0.0)
        r[own], n[own] = place, force
    return r[which], n[which]


def _flat(vector: Array, normal: Array) -> Array:
    """(k, 3) what is left of vectors across a normal."""
    flat: Array = vector - np.outer(vector @ normal, normal)
    return flat


def _slope(
    model: Model, of: Fabric, s: Array, r: Array, n: Array, wet: Wetness, bed: Array | None = None
) -> tuple[Array, Array]:
    """r' and n' of the string.  bed : as of `_march`"""
    tension = norm(n)
    tangent = n / np.maximum(tension, TINY)[:, None]
    made = of.properties(model, s)
    stretch = 1.0 + strain_of(model, of.section, tension, made.stiffness)
    load = line_load(model, of, s, r, tangent, stretch, wet)
    return stretch[:, None] * tangent, -(load if bed is None else _flat(load, bed))


def _runge_kutta(
    model: Model, of: Fabric, s: Array, h: Array, r: Array, n: Array, bed: Array | None
) -> tuple[Array, Array]:
    """One classical step of fourth order.  bed : as of `_march`"""
    wet, H = Wetness(), h[:, None]
    r1, n1 = _slope(model, of, s, r, n, wet, bed)
    r2, n2 = _slope(model, of, s + 0.5 * h, r + 0.5 * H * r1, n + 0.5 * H * n1, wet, bed)
    r3, n3 = _slope(model, of, s + 0.5 * h, r + 0.5 * H * r2, n + 0.5 * H * n2, wet, bed)
    r4, n4 = _slope(model, of, s + h, r + H * r3, n + H * n3, wet, bed)
    return r + H / 6.0 * (r1 + 2.0 * (r2 + r3) + r4), n + H / 6.0 * (n1 + 2.0 * (n2 + n3) + n4)


def _straight(model: Model, of: Fabric, s: Array, h: Array, r: Array, n: Array) -> tuple[Array, Array]:
    """One step with the mean load, exact for a constant one, however sharp the bend; second order otherwise."""
    H, middle = h[:, None], s + 0.5 * h
    _, rate = _slope(model, of, middle, r, n, Wetness())
    for _ in range(2):
        end = r + integral_of_tangent(model, of, s, n, n + H * rate, h)
        wet = Wetness(r[:, 2], end[:, 2])
        _, rate = _slope(model, of, middle, 0.5 * (r + end), n + 0.5 * H * rate, wet)
    return r + integral_of_tangent(model, of, s, n, n + H * rate, h), n + H * rate


def integral_of_tangent(model: Model, of: Fabric, s: Array, begin: Array, end: Array, h: Array) -> Array:
    r"""(k, 3) integral of r' over steps along which the force goes straight from `begin` to `end`, m.

    With the change d of the force per length, the part c of it along d and p across,

    .. math:: \int \frac{n}{|n|} ds
              = \frac{1}{d} \left[ p\,\hat p\, \operatorname{arsinh}(c/p) + \hat d \sqrt{p^2 + c^2} \right]

    between the ends; by three Gauss points where the force hardly turns.
    """
    change = end - begin
    size = norm(change)
    gentle = size <= GENTLE * np.minimum(norm(begin), norm(end))
    n = begin + GAUSS[:, None, None] * change
    tension = np.sqrt(np.einsum("pij,pij->pi", n, n))
    varies = model.profiles.any
    stiffness = np.array([of.properties(model, s + x * h).stiffness for x in GAUSS]) if varies else None
    stretch = strain_of(model, of.section, tension, stiffness) + gentle
    result = np.einsum("pi,pij->ij", GAUSS_WEIGHT[:, None] * h * stretch / np.maximum(tension, TINY), n)
    sharp = np.flatnonzero(~gentle)
    if sharp.size:
        d = unit(change[sharp])
        c0, c1 = dot(begin[sharp], d), dot(end[sharp], d)
        across = begin[sharp] - c0[:, None] * d
        p = norm(across)
        safe = np.maximum(p, 1e-14 * np.maximum(np.abs(c0), np.abs(c1)) + TINY)
        turn = (np.arcsinh(c1 / safe) - np.arcsinh(c0 / safe))[:, None] * across
        along = (np.hypot(p, c1) - np.hypot(p, c0))[:, None] * d
        result[sharp] += (h[sharp] / size[sharp])[:, None] * (turn + along)
    return result


class Landing(NamedTuple):
    """The way from a node above the bed to its neighbour on the bed."""

    place: Array  # (k,) m, miss of the node on the bed
    load: Array  # (k, 3) N, on the interval, the bed's apart


def hangs_free(model: Model, state: State, spans: Spans, rows: Ints, force_limit: Array, place_limit: Array) -> Flags:
    """Which of the intervals `rows` the string's equations meet at once, the bed apart."""
    which: Flags = np.zeros(spans.first.size, dtype=np.bool_)
    which[rows] = True
    plain = _is_plain(model)
    r, f = _march(model, state, spans, which, 1 if plain else REFINEMENTS[0], not plain)
    order = np.flatnonzero(which)
    force = norm(state.node_force[spans.first[order] + 1] - f)
    place = norm(state.position[spans.first[order] + 1] - r)
    good: Flags = np.zeros(spans.first.size, dtype=np.bool_)
    good[order] = (force <= force_limit[order]) & (place <= place_limit[order])
    return good[rows]


def landing(model: Model, state: State, spans: Spans, rows: Ints, falls: Flags, force_limit: Array) -> Landing:
    """Go from the node above the bed to the one on it; from where the line lands it lies in the plane of the bed.

    rows : intervals of which one node is on the bed    falls : whether that is the far one    force_limit : (k,) N,
    below which a line is slack
    """
    plain = _is_plain(model)
    return _land(model, state, spans, rows, falls, force_limit, 1 if plain else LANDING_STEPS)


def _land(
    model: Model, state: State, spans: Spans, rows: Ints, falls: Flags, force_limit: Array, steps: int
) -> Landing:
    """As `landing`.  steps : to where the line levels out by the first load, and as many along the bed"""
    normal = model.sea.bed_normal
    first = spans.first[rows]
    begin, end = np.where(falls, first, first + 1), np.where(falls, first + 1, first)
    r, n = state.position[begin].copy(), state.node_force[begin].copy()
    goal = state.position[end]
    down = np.where(falls, 1.0, -1.0)  # sign of n along the normal at which the line has levelled out
    section = np.zeros(spans.first.size, dtype=np.int64)
    section[spans.span] = spans.section
    of = Fabric(spans.line[rows], section[rows])
    whole = state.s[end] - state.s[begin]
    _, rate = _slope(model, of, state.s[begin], r, n, Wetness())
    level = -(n @ normal) / np.where(np.abs(rate @ normal) > TINY, rate @ normal, np.inf)  # where n has levelled out
    level = np.where(level * whole > 0.0, np.sign(whole) * np.minimum(np.abs(level), np.abs(whole)), whole)
    lengths = [level / steps] * steps + [(whole - level) / steps] * steps
    landed: Flags = np.zeros(rows.size, dtype=np.bool_)
    at = state.s[begin].copy()
    load, loose, kink = np.zeros_like(r), np.zeros(rows.size), np.zeros(rows.size)
    held = model.sea.bed_friction > 0.0  # friction holds what lies, so that its direction is its own
    for k, h in enumerate(lengths):
        place, force = _straight(model, of, at, h, r, n)
        at = at + h
        load += (n - force) * np.sign(whole)[:, None]
        if np.any(landed):  # what lies stays in the plane
            lies = landed[:, None]
            force = np.where(lies, force - np.outer(force @ normal, normal), force)
            place = np.where(lies, r + integral_of_tangent(model, of, at - h, n, force, h), place)
        low = (goal - place) @ normal
        nearly = -NEARLY * norm(force)  # round-off of the force at the very place where it levels out
        levels = landed | (low >= 0.0) | (down * (force @ normal) >= nearly) | (k >= 2 * steps - 1)
        bend = np.abs(h) * np.abs(force @ normal) / np.maximum(norm(force), TINY)
        kink = np.where(levels & ~landed, np.maximum(0.0, np.abs(low) - bend), kink)
        flat = force - np.outer(force @ normal, normal)
        slack = levels & (norm(flat) < force_limit)
        stays = slack | (landed & held)
        loose += np.where(slack, np.abs(h), np.where(stays, norm(place - r), 0.0))
        landed = levels
        r = np.where(stays[:, None], r, place)
        r = r + np.where(landed, (goal - r) @ normal, 0.0)[:, None] * normal
        n = np.where(landed[:, None], flat, force)
    apart = norm(goal - r)
    taut = norm(n) >= force_limit
    miss = np.where(taut & held, np.abs(apart - loose), np.maximum(0.0, apart - loose))
    return Landing(np.hypot(miss, kink), load)
