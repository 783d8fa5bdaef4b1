r"""Friction of the bed in an equilibrium: that of lines which were drawn taut from their lifted parts.

Coulomb friction balances much; what it does balance depends on how a line came to lie. As in the closed form
([Jonkman2007], eq. 2-38), a line is taken to have been laid slack and pulled from where it leaves the bed. Along the
bed the tension then falls from there by all that friction can take, not below zero; where it was pulled from both
sides, the larger of both is in force:

.. math:: T_i = \max(L_i, R_i), \quad L_i = \max(0,\, L_{i-1} - q_i - \mu N_i), \quad
          R_{i-1} = \max(0,\, R_i + q_i - \mu N_i),

T in the elements, q the other forces along the line on the node between elements i - 1 and i. Loads across the line
are held as far as friction allows, and what they take of it is missing along the line.

Elements and bars are both lines of nodes with a tension between each two of them, so that the rule is one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Flags, Ints

EDGE = 4  # nodes beyond a stretch that have the friction that would act if they came down
SHORTEST = 1e-300  # m; what has no length lies nowhere


class Chains(NamedTuple):
    """Lines of nodes, one after the other, and what they end in."""

    node_start: Ints  # (n_lines + 1,)
    element_start: Ints  # (n_lines + 1,)
    junction: Ints  # (n_lines, 2) at the first and the last node
    free: Flags  # (n_junctions,) those that can move


class Lain(NamedTuple):
    """How lines lie on the bed."""

    friction: float
    tension: Array  # (n_elements,) N, 0 in slack elements that cannot push
    pressed: Array  # (n_nodes,) N, normal force of the bed
    near: Flags  # (n_nodes,) of nodes no higher over the bed than their line is thick
    on_bed: Flags  # (n_lines, 2) ends that lie on the bed, or that it does not touch because they are held
    tangent: Array  # (n_nodes, 3) along the bed, in the order of the nodes
    across: Array  # (n_nodes, 3) N, loads along the bed and across the lines


class Stretch(NamedTuple):
    """Nodes of a line that lie on the bed one after the other."""

    line: int
    first: int
    last: int
    reaches: tuple[bool, bool]  # the line's ends, which lie on the bed
    pulled: tuple[bool, bool]  # from the side of the first and the last node


def wanted(chains: Chains, lain: Lain, current: Array | None) -> tuple[Array, Array]:
    """Friction required by the present tensions (n_nodes, 3), N, and as a share of the normal force.

    current : (n_nodes, 3) N, what there is of it; None for the part across the lines only
    """
    N, tangent, mu = lain.pressed, lain.tangent, lain.friction
    limit = mu * N
    size = np.sqrt(np.sum(lain.across * lain.across, axis=1))
    force = -np.minimum(1.0, limit / np.maximum(size, SHORTEST))[:, None] * lain.across
    left = np.sqrt(np.maximum(limit**2 - size**2, 0.0))
    shares = np.zeros((N.size, 3))
    if current is not None:
        there = np.sum(current * tangent, axis=1)
        for stretch in _stretches(chains, lain):
            i = slice(stretch.first, stretch.last + 1)
            own = _along(chains, lain.tension, stretch, left[i], there[i])
            force[i] += own[:, None] * tangent[i]
            n0, n1 = chains.node_start[stretch.line], chains.node_start[stretch.line + 1]
            if stretch.pulled[0]:
                shares[max(n0, stretch.first - EDGE) : stretch.first] = mu * tangent[stretch.first]
            if stretch.pulled[1]:
                shares[stretch.last + 1 : min(n1, stretch.last + 1 + EDGE)] = -mu * tangent[stretch.last]
    return force, np.divide(force, N[:, None], out=shares, where=N[:, None] > 0.0)


def along_bed(normal: Array, x: Array) -> Array:
    """Vectors x (n, 3) without what they have along the normals (n, 3) of the bed."""
    flat: Array = x - np.sum(x * normal, axis=1)[:, None] * normal
    return flat


def tangents(chains: Chains, normal: Array, r: Array) -> Array:
    """(n, 3) unit vectors along the lines and the bed at nodes r (n, 3), m, by the chords between their neighbours."""
    n = r.shape[0]
    before, after = np.arange(n) - 1, np.arange(n) + 1
    before[chains.node_start[:-1]] += 1
    after[chains.node_start[1:] - 1] -= 1
    chord = along_bed(normal, r[after] - r[before])
    unit: Array = chord / np.maximum(np.sqrt(np.sum(chord * chord, axis=1)), SHORTEST)[:, None]
    return unit


def _along(chains: Chains, T: Array, stretch: Stretch, limit: Array, current: Array) -> Array:
    """Friction along the nodes of a stretch (N), towards its last one.

    T : (n_elements,) N    limit, current : (n,) most friction, and what there is of it, N
    """
    n0, n1 = chains.node_start[stretch.line], chains.node_start[stretch.line + 1] - 1
    shift = chains.element_start[stretch.line] - n0
    held = np.zeros(limit.size)
    a, b = max(stretch.first, n0 + 1), min(stretch.last, n1 - 1)  # those between two elements
    if a <= b:
        i = slice(a - stretch.first, b + 1 - stretch.first)
        before, after = T[a + shift - 1 : b + shift], T[a + shift : b + shift + 1]
        q = before - after - current[i]
        first, last = before[0], after[-1]
        if all(stretch.pulled):  # alike: friction as a whole then carries nothing
            first, last = (0.5 * (first + last + sign * np.sum(q)) for sign in (1.0, -1.0))
        left = _fall(first, -q - limit[i]) if stretch.pulled[0] else np.zeros(q.size + 1)
        right = _fall(last, (q - limit[i])[::-1])[::-1] if stretch.pulled[1] else np.zeros(q.size + 1)
        profile = np.maximum(left, right)
        held[i] = np.clip(profile[:-1] - profile[1:] - q, -limit[i], limit[i])
    if stretch.first == n0 and limit[0] > 0.0:  # on a free junction: what arrives here is held as far as may be
        arrives = T[n0 + shift] if not stretch.pulled[0] else -max(T[n0 + shift] + current[0], 0.0)
        held[0] = -np.clip(arrives, -limit[0], limit[0])
    if stretch.last == n1 and limit[-1] > 0.0:
        arrives = T[n1 + shift - 1] if not stretch.pulled[1] else -max(T[n1 + shift - 1] - current[-1], 0.0)
        held[-1] = np.clip(arrives, -limit[-1], limit[-1])
    return held


def _fall(start: float, change: Array) -> Array:
    """x_0 = start, x_i = max(0, x_{i-1} + change_i)."""
    walk = np.concatenate([[max(start, 0.0)], change]).cumsum()
    fallen: Array = walk - np.minimum(np.minimum.accumulate(walk), 0.0)
    return fallen


def _stretches(chains: Chains, lain: Lain) -> list[Stretch]:
    """All stretches on the bed, and from where they were pulled.

    What hardly leaves the bed and comes down again, as beside a thicker piece, pulls nothing: it is part of it.
    A stretch was pulled from where it leaves the bed. One that ends in a free point on the bed was pulled from there
    if another line pulls at that point, or if nothing else pulls at it, like one that lies between two anchors.
    """
    found = []
    for line in range(chains.junction.shape[0]):
        n0, n1 = chains.node_start[line], chains.node_start[line + 1] - 1
        for a, b in _runs(lain.pressed[n0 : n1 + 1] > 0.0, lain.near[n0 : n1 + 1]) + n0:
            reaches = (bool(a <= n0 + 1 and lain.on_bed[line, 0]), bool(b >= n1 - 1 and lain.on_bed[line, 1]))
            found.append(Stretch(line, int(a), int(b), reaches, (not reaches[0], not reaches[1])))
    pulled: set[int] = set()
    while True:
        before = len(pulled)
        found = [_passed_on(chains, stretch, pulled) for stretch in found]
        if len(pulled) == before:
            break
    return [s if any(s.pulled) else s._replace(pulled=(True, True)) for s in found]


def _runs(bears: Flags, near: Flags) -> Ints:
    """(k, 2) first and last of the nodes of a line that bear one after the other, or are near between two that do."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], bears.astype(np.int64), [0]])))
    runs = np.stack([edges[::2], edges[1::2] - 1], axis=1)
    apart = np.array([not np.all(near[a + 1 : b]) for a, b in zip(runs[:-1, 1], runs[1:, 0], strict=True)], dtype=bool)
    begins, ends = np.concatenate([[True], apart]), np.concatenate([apart, [True]])
    return np.stack([runs[begins, 0], runs[ends, 1]], axis=1) if runs.size else runs


def _passed_on(chains: Chains, stretch: Stretch, pulled: set[int]) -> Stretch:
    """The stretch with what is known of the pull at its ends; free junctions that it pulls at are added to `pulled`."""
    sides = list(stretch.pulled)
    junctions = [int(chains.junction[stretch.line, side]) for side in (0, 1)]
    for side in (0, 1):
        if stretch.reaches[side] and not sides[1 - side] and junctions[side] in pulled:
            sides[side] = True
    for side in (0, 1):
        j = junctions[side]
        if stretch.reaches[side] and sides[1 - side] and not sides[side] and chains.free[j]:
            pulled.add(j)
    return stretch._replace(pulled=(sides[0], sides[1]))
