r"""Derivative of the loads of bars by the places of their nodes, by differences.

The load of a node depends on its own place and on those of the nodes that share a bar, a screen, a hinge or a body with
it. Nodes without such a neighbour in common are moved together ([Curtis1974]), so that a net of any size takes some
thirty evaluations of its loads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.methods.bars.loads import directions, loads, surroundings
from ropewalk.methods.bars.work import BarsWork
from ropewalk.model.arrays import Array, Ints
from ropewalk.numerics.compile import kernel

WAY = 1e-7  # of the shortest bar, by which nodes are moved: round-off and curvature then cost seven digits each


class Pattern(NamedTuple):
    """Which loads depend on which places."""

    row: Ints  # (p,) nodes whose load ...
    column: Ints  # (p,) ... depends on the place of these
    node: Ints  # nodes that can move, those that are moved together side by side ...
    node_start: Ints  # (g + 1,) ... each group from here
    entry: Ints  # of row and column, in the order of the groups that give them ...
    entry_start: Ints  # (g + 1,) ... those of each group from here


def build_pattern(work: BarsWork) -> Pattern:
    """The pattern of all bars, screens, hinges and bodies."""
    near = _neighbours(work)
    n = len(near)
    colour = np.full(n, -1, dtype=np.int64)
    for j in range(n):
        if not work.bars.held[j]:
            taken = {int(colour[k]) for i in near[j] for k in near[i]}
            colour[j] = next(c for c in range(n + 1) if c not in taken)
    row = np.array([i for i in range(n) for _ in near[i]], dtype=np.int64)
    column = np.array([j for i in range(n) for j in sorted(near[i])], dtype=np.int64)
    node, node_start = _by_colour(colour)
    entry, entry_start = _by_colour(colour[column])
    return Pattern(row, column, node, node_start, entry, entry_start)


def _by_colour(colour: Ints) -> tuple[Ints, Ints]:
    """Rows in the order of their colours, without those of colour -1, and where each colour begins."""
    order = np.argsort(colour, kind="stable")
    order = order[colour[order] >= 0]
    start = np.searchsorted(colour[order], np.arange(int(colour.max(initial=-1)) + 2))
    return order.astype(np.int64), start.astype(np.int64)


def _neighbours(work: BarsWork) -> list[set[int]]:
    """Of each node those, itself among them, whose places its load depends on."""
    bars, places = work.bars, work.places
    together = [*bars.node.tolist(), *bars.hinge.tolist(), *bars.tie.tolist()]
    together += [[k for k in corner if k >= 0] for corner in bars.screen.corner.tolist()]
    for a, b in zip(places.body_start[:-1], places.body_start[1:], strict=True):
        together.append(places.body_node[a:b].tolist())
    near = [{i} for i in range(bars.mass.size)]
    for nodes in together:
        for i in nodes:
            near[i].update(nodes)
    return near


def loads_at_rest(work: BarsWork, r: Array) -> Array:
    """(n, 3) loads on nodes at rest at r (m) without the tension of bars, N; `work.field` is filled for r."""
    directions(work.bars.node, r, work.field.direction)
    surroundings(work.medium, work.field, r, work.time)
    loads(work.bars, work.medium, work.field, r, np.zeros_like(r))
    force: Array = work.field.force.copy()
    return force


def loads_off_bed(work: BarsWork, r: Array) -> Array:
    """As `loads_at_rest`, without the bed: what it carries of a rope that lies is no small load."""
    directions(work.bars.node, r, work.field.direction)
    surroundings(work.medium, work.field, r, work.time)
    loads(work.bars, work.medium._replace(has_bed=False), work.field, r, np.zeros_like(r))
    force: Array = work.field.force.copy()
    return force


def load_slopes(work: BarsWork, pattern: Pattern, r: Array, force: Array) -> Array:
    """(p, 3, 3) derivative of the load of `row` by the place of `column`, N/m.  force : that at r (m), N"""
    slopes: Array = np.zeros((pattern.row.size, 3, 3))
    way = WAY * float(work.bars.length.min())
    differences(work.bars, work.medium, work.field, pattern, r.copy(), (work.time, way), force, slopes)
    return slopes


@kernel
def differences(bars, medium, field, pattern, r, size, force, slopes):
    r"""Derivative of the loads by the places of the nodes (N/m), (p, 3, 3) into `slopes`; `field` is left filled.

    .. math:: \frac{\partial f_i}{\partial r_j} = \frac{f_i(r + \epsilon e_j) - f_i(r)}{\epsilon}

    Source: [Curtis1974]: all nodes j of a group at once, none of which a load depends on twice.

    pattern : Pattern    r : (n, 3) places, m, put back at the end    size : time, s, and epsilon, m    force : f(r), N
    """
    t, way = size
    v = np.zeros_like(r)
    for g in range(pattern.node_start.size - 1):
        nodes = pattern.node[pattern.node_start[g] : pattern.node_start[g + 1]]
        entries = pattern.entry[pattern.entry_start[g] : pattern.entry_start[g + 1]]
        for axis in range(3):
            kept = r[nodes, axis]
            for k in range(nodes.size):
                r[nodes[k], axis] = kept[k] + way
            directions(bars.node, r, field.direction)
            surroundings(medium, field, r, t)
            loads(bars, medium, field, r, v)
            for k in range(nodes.size):
                r[nodes[k], axis] = kept[k]
            for e in entries:
                i = pattern.row[e]
                for j in range(3):
                    slopes[e, j, axis] = (field.force[i, j] - force[i, j]) / way
