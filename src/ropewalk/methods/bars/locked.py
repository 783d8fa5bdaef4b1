"""Twines that lie straight between held nodes because they are just as long: their knots cannot move at all.

Nothing is left to such twines but to pull along their line. Loads across it would need an infinite tension, so that a
case with them has no equilibrium; loads along it leave the tensions undetermined, and the smallest are taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from ropewalk.methods.bars.work import BarsWork
from ropewalk.model.arrays import Array, Flags, Ints

STRAIGHT = 1e-9  # relative: how much longer than the distance twines may be that lie straight
MOST_HELD = 400  # held nodes that are looked at: the time goes with their square
ACROSS = 1e-7  # of the loads: what tensions along the line may leave


class Locked(NamedTuple):
    """Free nodes on straight chains of rigid bars between held ones."""

    node: Flags  # (n,)
    place: Array  # (n, 3) where these must be, m; the others where they are
    ends: tuple[int, int]  # held nodes of the longest such chain, or -1
    length: float  # of that chain, m
    short: float  # m, by which chains are too short, the largest; 0 if none is


def find_locked(work: BarsWork) -> Locked:
    """The nodes that cannot move: those between held ones, then those between these, and so on."""
    bars = work.bars
    rigid = bars.compliance == 0.0
    a, b = bars.node[rigid, 0], bars.node[rigid, 1]
    n = bars.mass.size
    graph = coo_array((bars.length[rigid], (a, b)), shape=(n, n)).tocsr()
    found = Locked(np.zeros(n, dtype=np.bool_), work.steps.r.copy(), (-1, -1), 0.0, 0.0)
    while True:
        more = _between(work, graph, found)
        if more.short > 0.0 or np.array_equal(more.node, found.node):
            return more
        found = more


def _between(work: BarsWork, graph: Any, known: Locked) -> Locked:
    """Nodes on straight chains between those that are held or locked already."""
    held, place = work.bars.held | known.node, known.place.copy()
    node, ends, longest, short = known.node.copy(), known.ends, known.length, 0.0
    firm = np.flatnonzero(held & _with_loose_neighbour(work, held))
    if not 1 < firm.size <= MOST_HELD:
        return known
    reach = dijkstra(graph, directed=False, indices=firm)
    for i, p in enumerate(firm):
        apart = np.linalg.norm(place[firm] - place[p], axis=1)
        gap = apart - reach[i, firm] * (1.0 + STRAIGHT)
        short = max(short, float(gap[i + 1 :].max(initial=0.0)))
        for j in i + 1 + np.flatnonzero(apart[i + 1 :] >= reach[i, firm[i + 1 :]] * (1.0 - STRAIGHT)):
            on = ~held & (reach[i] + reach[j] <= apart[j] * (1.0 + STRAIGHT))
            if np.any(on):
                node |= on
                place[on] = place[p] + (reach[i, on] / apart[j])[:, None] * (place[firm[j]] - place[p])
                if apart[j] > longest:
                    ends, longest = (int(p), int(firm[j])), float(apart[j])
    return Locked(node, place, ends, longest, short)


def _with_loose_neighbour(work: BarsWork, held: Flags) -> Flags:
    """(n,) nodes with a bar to one that is not held."""
    node = work.bars.node
    beside: Flags = np.zeros(held.size, dtype=np.bool_)
    beside[node[~held[node[:, 1]], 0]] = True
    beside[node[~held[node[:, 0]], 1]] = True
    return beside


def carry(work: BarsWork, locked: Locked, left: Array) -> tuple[Array, float]:
    """Smallest tensions (m,) of the bars between locked and held nodes that carry `left` (n, 3), N; what they leave."""
    bars = work.bars
    still = locked.node | bars.held
    idle: Ints = np.flatnonzero(
        still[bars.node].all(axis=1) & locked.node[bars.node].any(axis=1) & (bars.compliance == 0.0)
    )
    number = np.cumsum(locked.node) - 1
    way = work.steps.r[bars.node[idle, 1]] - work.steps.r[bars.node[idle, 0]]
    t = way / np.linalg.norm(way, axis=1)[:, None]
    pulls = np.zeros((3 * int(locked.node.sum()), idle.size))
    for side, sign in ((0, 1.0), (1, -1.0)):
        for column, k in enumerate(idle):
            i = bars.node[k, side]
            if locked.node[i]:
                pulls[3 * number[i] : 3 * number[i] + 3, column] += sign * t[column]
    found, rest = nnls(pulls, -left[locked.node].ravel())
    tension: Array = np.zeros(bars.length.size)
    tension[idle] = found
    return tension, float(rest)
