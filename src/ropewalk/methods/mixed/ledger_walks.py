r"""The energy ledger of lines side by side in vector registers: as ledger_forces.py has it for single lines.

What is booked of an element and of its second node takes the lanes of a batch (walks.py). The ends of lines, which are
few, go one by one.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.element import SHORTEST, Instant, three
from ropewalk.loads.grip import friction_of
from ropewalk.methods.mixed.booked import NEXT_WATER, WATER
from ropewalk.methods.mixed.ledger_forces import (
    add_elements,
    book_at,
    book_element,
    book_hold,
    book_row,
    pull_of,
    spring_energy,
)
from ropewalk.methods.mixed.nodes import lumps_of, rest_on_bed
from ropewalk.methods.mixed.scheme import copy_moving
from ropewalk.methods.mixed.side_by_side import batch_of, plane, take_sides, take_water
from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED, ZERO3, add3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import WIDTH, any_of, lane, lane_records, lane_rows, where


@kernel(forceinline=True, **UNCOUNTED)
def _booked_of(m, used, walks):
    """As `batch_of`, of the state that was booked last; the water is that of now. Bookkeeping."""
    X, T = walks.booked.X, walks.booked.T
    return Instant(
        lane_rows(X[0], m, used, WIDTH), lane_rows(X[1], m, used, WIDTH), lane_rows(X[2], m, used, WIDTH),
        lane_rows(T, m, used, WIDTH), lane_rows(walks.flow, m, used, WIDTH),
    )  # fmt: skip


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _book_elements(m, used, moves, el, fluid, level, walks):
    """Book the tension of a batch of elements, and the water on them; whether one that cannot push comes taut.

    Source: docs/theory/mixed_elements.md, Energy: W = (F_0 + F_1)/2 . dr at both nodes.

    m : number of the first of them    moves : `Instant` before and now    el : record of lanes    level : N
    """
    before, now = moves
    booked, sums, L = walks.booked, lane_records(walks.booked.sums, WIDTH)[0], el.length
    d = sub3(three(now.r, 1), three(now.r, 0))
    span = max(np.sqrt(dot(d, d)), SHORTEST * L)
    ways = (sub3(three(now.r, 0), three(before.r, 0)), sub3(three(now.r, 1), three(before.r, 1)))
    kept = lane_rows(booked.halves, m, used, WIDTH)
    taken, water, drag, carried = book_element(0, 0, now, (scale3(1.0 / span, d), span), ways, el, fluid, kept)
    stored = spring_energy(span - L, L, lane_rows(booked.stiffness, m, used, WIDTH)[0], el.slack)
    is_element = lane_rows(booked.is_element, m, used, WIDTH)[0] > 0.0
    is_damped, is_bare = is_element & (el.damping > 0.0), is_element & (el.damping <= 0.0)
    sums.taken += where(is_damped, taken, 0.0)
    sums.bare += where(is_bare, taken, 0.0)
    sums.stored += where(is_damped, stored, 0.0)
    sums.bare_stored += where(is_bare, stored, 0.0)
    if fluid[0] > 0.0:
        sums.water += where(is_element, water, 0.0)
        sums.drag += where(is_element, drag, 0.0)
        sums.carried += where(is_element, carried, 0.0)
    return any_of(is_element & (before.T[0] <= 0.0) & (now.T[0] > level) & (el.slack > 0.0))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _book_nodes(m, used, moves, node, mesh, walks):
    """Book the loads and the damping by mass of the second nodes of a batch, and what the scheme takes of their motion.

    Source: docs/theory/mixed_elements.md, Energy: D = m ((a_0 + a_1) . dr - (v_0 + v_1) . dv)/2.

    Returns which of them are between the ends of lines, and their way (m).    Arguments of `_book_elements`.
    """
    before, now = moves
    sums, c = lane_records(walks.booked.sums, WIDTH)[0], mesh.mass_damping
    is_moved = lane_rows(walks.booked.is_moved, m, used, WIDTH)[1] > 0.0
    way, mean = sub3(three(now.r, 1), three(before.r, 1)), add3(three(now.v, 1), three(before.v, 1))
    change = sub3(three(now.v, 1), three(before.v, 1))
    lost = 0.5 * node.mass * (dot(add3(three(now.a, 1), three(before.a, 1)), way) - dot(mean, change))
    sums.lost += where(is_moved, lost, 0.0)
    sums.loads += where(is_moved, dot((node.force_0, node.force_1, node.force_2), way), 0.0)
    if c > 0.0:
        sums.damped += where(is_moved, 0.5 * c * node.mass * dot(mean, way), 0.0)
    return is_moved, way


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _book_bed(m, j, moves, moved, node, ground, walks):
    """Add the work of the bed on the second nodes of batch j (J); whether one of them strikes the bed.

    Source: dW = (F_0 + F_1)/2 . dr, docs/theory/mixed_elements.md, Energy; Impacts: a blow where -h n . v > ramp.

    moved : of `_book_nodes`    ground : bed, coefficient of friction, step (s), walks of a row
    """
    (before, now), (is_moved, way), (bed, mu, h, used) = moves, moved, ground
    booked, sums, radius = walks.booked, lane_records(walks.booked.sums, WIDTH)[0], node.radius
    surface = plane(bed, three(now.r, 1))
    is_on, kept = is_moved & (node.bed_area != 0.0) & (surface[1] < radius), lane_rows(booked.bed, m, used, WIDTH)
    if any_of(is_on):
        place = (three(now.r, 1), three(now.v, 1), three(lane_rows(walks.hold, m, used, WIDTH), 1))
        R, _, _, _ = rest_on_bed(bed, surface, place, (node.bed_area, radius), mu, 0.0)
        sums.bed += where(is_moved, book_at(kept, 1, 0, scale3(-1.0, R), way), 0.0)
        booked.on_bed[j] = 1
        above, rate = plane(bed, three(before.r, 1))[1], dot(surface[0], three(before.v, 1))
        return any_of(is_on & (above > radius) & (-h * rate > bed.law[0].ramp))
    if booked.on_bed[j] == 1:
        none = 0.0 * way[0]
        sums.bed += where(is_moved, book_at(kept, 1, 0, (none, none, none), way), 0.0)
        booked.on_bed[j] = 0
    return False


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _book_group(g, h, mesh, fluid, mu, level, walks):
    """Book all forces of group g between the ends of its lines; whether an element comes taut or a node strikes.

    Source: docs/theory/mixed_elements.md, Energy: W = sum (F_0 + F_1)/2 . dr.
    """
    elements, nodes = lane_records(walks.elements, WIDTH), lane_records(walks.nodes, WIDTH)
    used, m, blow = walks.used[g], walks.first[g], False
    ground = (mesh.bed, mu, h, used)
    for j in range(walks.batch[g], walks.batch[g + 1]):
        moves = (_booked_of(m, used, walks), batch_of(m, used, walks))
        blow = _book_elements(m, used, moves, elements[j], fluid, level, walks) or blow
        moved = _book_nodes(m, used, moves, nodes[j], mesh, walks)
        if mesh.has_bed:
            blow = _book_bed(m, j, moves, moved, nodes[j], ground, walks) or blow
        m += WIDTH
    return blow


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _book_ends(now, mesh, fluid, grip, ledger, F, walks):
    """Book all forces at the ends of lines that may move.  now : `Instant`    F : (n_rows,) of FORCES

    Source: docs/theory/mixed_elements.md, Energy: W = (F_0 + F_1)/2 . dr.
    """
    ends, kept, lumps = walks.booked.ends, walks.booked.halves.T, lumps_of(mesh, grip)
    for i in range(ends.shape[0]):
        n, m = ends[i].node, ends[i].number
        if ends[i].is_held == 1:
            force = pull_of(kept, m, -1.0, NEXT_WATER) if ends[i].is_last == 1 else pull_of(kept, m, 1.0, WATER)
            ledger.step[0].ends += book_hold(n, now, lumps, fluid, force, F)
        book_row(n, now, lumps, fluid, ZERO3, F, ledger)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _sum(x):
    """Sum of all lanes, in their unit: X = sum x_k.  Source: docs/theory/lanes.md."""
    return lane(x, 0) + lane(x, 1) + lane(x, 2) + lane(x, 3)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _add_sums(walks, ledger):
    """Put the sums over all groups into a ledger: W = W + sum W_k for each kind of force.

    Source: docs/theory/mixed_elements.md, Energy.
    """
    sums, step, now = lane_records(walks.booked.sums, WIDTH)[0], ledger.step[0], ledger.now[0]
    drag, carried = _sum(sums.drag), _sum(sums.carried)
    add_elements(ledger, _sum(sums.taken), _sum(sums.bare), _sum(sums.stored), _sum(sums.bare_stored))
    step.water += _sum(sums.water) - drag
    step.drag -= drag
    step.loads += _sum(sums.loads)
    step.seabed -= _sum(sums.bed)
    step.damping += _sum(sums.damped)
    step.numerics += _sum(sums.lost)
    now.water += carried
    now.drag += carried


@kernel(forceinline=True, **UNCOUNTED)
def measure_walks(h, now, mesh, fluid, work):
    """Book all forces on lines side by side, with what the scheme takes of the nodes between ends.

    Source: docs/theory/mixed_elements.md, Energy: W = sum (F_0 + F_1)/2 . dr.

    Returns whether an element comes taut or a node between ends strikes the bed in the step of h (s).
    now : `Instant` of the rows of the mesh    fluid : rho, g    work : `Work`
    """
    walks, memory = work.memory.walks, work.memory
    numbers, level, blow = walks.booked.numbers, work.settings[0].slack_level, False
    if walks.booked.stale[0] == 1:
        take_sides(work.now.X, work.now.T, memory.grip, walks)
        take_water(work.flow, walks)
    for i in range(numbers.size):
        numbers[i] = 0.0
    for g in range(walks.first.size):
        blow = _book_group(g, h, mesh, fluid, friction_of(memory.grip), level, walks) or blow
    _add_sums(walks, work.ledger)
    _book_ends(now, mesh, fluid, memory.grip, work.ledger, work.forces, walks)
    copy_moving(walks.X, walks.T, walks.booked.X, walks.booked.T)
    return blow
