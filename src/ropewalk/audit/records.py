"""Extremes of what a run records, line by line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.numerics.blockelimination import UNCOUNTED
from ropewalk.numerics.compile import kernel


class Extremes(NamedTuple):
    """Of each line, (n_lines,) all."""

    most: Array  # tension of elements, N
    least: Array
    long: Array  # length, m
    low: Array  # height over the bed, m
    a_least: Array  # tension at the ends, N
    a_most: Array
    b_least: Array
    b_most: Array


NOTHING = Extremes(0.0, 0.0, 0.0, np.inf, np.inf, -np.inf, np.inf, -np.inf)  # type: ignore[arg-type]  # of no records


HELD, LOSS, STEPS, CLOSURE = 0, 1, 2, 3  # kinds of the terms of a ledger


class Looked(NamedTuple):
    """What is looked at of each line."""

    start: Ints  # (n_lines + 1,) first nodes
    can_push: Flags  # (n_lines,) tensions of its elements are left alone
    is_rigid: Flags  # (n_lines,) its length is taken
    plane: Array  # (4,) n and d of the bed, n . r + d = 0; zeros if heights are left alone


@kernel(**UNCOUNTED)
def note_records(position, tension, bars, looked, extremes):
    r"""Take records into the extremes of lines.

    .. math:: T, \qquad \sum |r_{i+1} - r_i|, \qquad n \cdot r + d

    Source: docs/audit.md, Runs in time.

    position : (n, n_nodes, 3) m    tension : (n, n_nodes) N    bars : (n, n_nodes) of elements, N, or of no nodes
    looked : `Looked`    extremes : `Extremes`, changed
    """
    start, can_push, is_rigid, plane = looked
    has_bars = bars.shape[1] > 0
    nx, ny, nz, d = plane[0], plane[1], plane[2], plane[3]
    has_bed = nz != 0.0
    for i in range(can_push.size):
        first, last = start[i], start[i + 1] - 1
        most, least, low, long = extremes.most[i], extremes.least[i], extremes.low[i], extremes.long[i]
        a_least, a_most = extremes.a_least[i], extremes.a_most[i]
        b_least, b_most = extremes.b_least[i], extremes.b_most[i]
        for t in range(position.shape[0]):
            if has_bars and not can_push[i]:
                for n in range(first, last + 1):
                    most, least = max(most, bars[t, n]), min(least, bars[t, n])
            if has_bed:
                for n in range(first, last + 1):
                    low = min(low, nx * position[t, n, 0] + ny * position[t, n, 1] + nz * position[t, n, 2] + d)
            if is_rigid[i]:
                way = 0.0
                for n in range(first, last):
                    x = position[t, n + 1, 0] - position[t, n, 0]
                    y = position[t, n + 1, 1] - position[t, n, 1]
                    z = position[t, n + 1, 2] - position[t, n, 2]
                    way += np.sqrt(x * x + y * y + z * z)
                long = max(long, way)
            a, b = tension[t, first], tension[t, last]
            a_least, a_most, b_least, b_most = min(a_least, a), max(a_most, a), min(b_least, b), max(b_most, b)
        extremes.most[i], extremes.least[i], extremes.low[i], extremes.long[i] = most, least, low, long
        extremes.a_least[i], extremes.a_most[i] = a_least, a_most
        extremes.b_least[i], extremes.b_most[i] = b_least, b_most


@kernel(**UNCOUNTED)
def note_ways(position, home, ways):
    r"""Largest displacement from the initial position along an axis, of each record (m).

    .. math:: w = \max |r - r_0|

    Source: docs/audit.md, Runs in time: motion without excitation.

    position : (n, m, 3) m    home : (m, 3) m    ways : (n,) m, changed
    """
    for t in range(position.shape[0]):
        way = ways[t]
        for i in range(home.shape[0]):
            for p in range(3):
                way = max(way, abs(position[t, i, p] - home[i, p]))
        ways[t] = way


@kernel(**UNCOUNTED)
def turned_over(energy, first, kinds):
    r"""Changes of a ledger since its first record: energy exchanged, and what the steps and the ledger miss of it (J).

    What losses other than those of the steps give back they cannot have held: it is part of what the steps gain.

    .. math:: S = \Delta E_n + \sum_l \min(\Delta E_l, 0), \qquad
        X = \tfrac12 \Big(|S| + \sum_l \max(\Delta E_l, 0) + \sum_k |\Delta E_k|\Big)

    Source: docs/audit.md, Runs in time: energy exchanged.

    energy : (n_terms, n) J    first : (n_terms,) J    kinds : (n_terms,) HELD, LOSS, STEPS or CLOSURE
    Returns the largest X, the largest term, S where it is largest with its sign, and the largest closure.
    """
    most, held, stepped, missed = 0.0, 0.0, 0.0, 0.0
    for t in range(energy.shape[1]):
        change, by_steps = 0.0, 0.0
        for k in range(energy.shape[0]):
            now = energy[k, t]
            if kinds[k] == CLOSURE:
                missed = max(missed, abs(now))
                continue
            held = max(held, abs(now))
            if kinds[k] == STEPS or (kinds[k] == LOSS and now < first[k]):
                by_steps += now - first[k]
            else:
                change += abs(now - first[k])
        most = max(most, change + abs(by_steps))
        if abs(by_steps) > abs(stepped):
            stepped = by_steps
    return 0.5 * most, held, stepped, missed
