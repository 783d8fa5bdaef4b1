r"""Springs of balls between bodies of bars: a quadratic law of the places of eight nodes.

The corners of a body's tetrahedron give its directions, :math:`a = \sum_p \alpha_p r_p` with :math:`\sum \alpha_p = 0`
and weights that never change. So the energy of the spring between the directions of two parts
(`ball_moment` of loads/springs.py),

.. math:: U = \sum_i c_i (1 - a_i \cdot b_i) = \tfrac12 \sum_i c_i |a_i - b_i|^2
            = \tfrac12 \sum_{p < q} k_{pq} |r_p - r_q|^2, \qquad k_{pq} = -\sum_i c_i \gamma_{ip} \gamma_{iq},

with :math:`\gamma = (\alpha, -\beta)`, is that of straight springs without length between all pairs of the eight
corners; some of them push. Their forces have no resultant and are couples on either part, and their stiffness is the
same everywhere.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import BODY
from ropewalk.numerics.compile import kernel

if TYPE_CHECKING:
    from ropewalk.methods.bars.arrays import Bars
    from ropewalk.model.model import Model

CORNERS = 4  # of a part
PAIRS = tuple(combinations(range(2 * CORNERS), 2))  # of the corners of both parts


class Corners(NamedTuple):
    """Nodes of one part that move with it."""

    nodes: list[int]
    places: Array  # (4, 3) in its frame, m


def tie_rows(sides: tuple[Corners, Corners], triads: Array, c: Array) -> tuple[Ints, Array]:
    """Nodes (28, 2) and stiffness (28,), N/m, of the springs of a ball.

    sides : both parts    triads : (2, 3, 3) rows, directions in the frame of either    c : (3,) constants, N m
    """
    weights = [
        sign * _weights(side.places, triad) for side, triad, sign in zip(sides, triads, (1.0, -1.0), strict=True)
    ]
    gamma = np.concatenate(weights, axis=1)
    stiffness = -np.einsum("i,ip,iq->pq", c, gamma, gamma)
    nodes = np.array([*sides[0].nodes, *sides[1].nodes])
    first, second = np.array(PAIRS).T
    return np.stack([nodes[first], nodes[second]], axis=1), stiffness[first, second]


def _weights(places: Array, directions: Array) -> Array:
    """(3, 4) weights of the corners (4, 3) in the directions (rows, unit vectors) of a part, 1/m."""
    inverse = np.linalg.inv(np.column_stack([np.ones(CORNERS), places]))  # of o + R x = r at the corners
    weights: Array = directions @ inverse[1:]
    return weights


@kernel
def tie_loads(tie, stiffness, r, force):
    """Adds the forces f_p = k (r_q - r_p) of the springs of balls to `force` (n, 3), N.

    Source: head of this file, docs/theory/ropes_and_nets.md.  tie : (k, 2) nodes    stiffness : (k,) N/m
    """
    for k in range(tie.shape[0]):
        p, q = tie[k, 0], tie[k, 1]
        for j in range(3):
            pull = stiffness[k] * (r[q, j] - r[p, j])
            force[p, j] += pull
            force[q, j] -= pull


@kernel
def stiffen_ties(tie, stiffness, nodes):
    """Adds the stiffness of the springs of balls, -df_p / dr_p = k, to the blocks of their nodes (n, 3, 3), N/m.

    Source: head of this file, docs/theory/ropes_and_nets.md.
    """
    for k in range(tie.shape[0]):
        for j in range(3):
            nodes[tie[k, 0], j, j] += stiffness[k]
            nodes[tie[k, 1], j, j] += stiffness[k]


def tie_energy(bars: Bars, r: Array) -> float:
    """Energy of the springs of all balls with nodes at r (n, 3), J."""
    way = r[bars.tie[:, 1]] - r[bars.tie[:, 0]]
    return 0.5 * float(bars.tie_stiffness @ np.sum(way * way, axis=1))


def turning_square(model: Model) -> float:
    r"""Bound on the squared frequency (1/s2) that springs of balls give explicit steps.

    No frequency of bodies with the smallest moments of inertia J and springs of stiffness k between them exceeds that
    of :math:`\omega^2 = \sum_A k / J_A + \sum_B k / J_B` of some spring from A to B, with sums over all springs on the
    body. What holds the balls together and the water around the bodies only make them slower.
    """
    links, bodies = model.links, model.bodies
    stiffness = links.turning.sum(axis=1) - links.turning.min(axis=1, initial=np.inf)
    free = (links.end_kind == BODY) & (bodies.joint[np.minimum(links.end_index, bodies.joint.size - 1)] == LOOSE)
    load = np.zeros(bodies.mass.size)
    for side in range(2):
        np.add.at(load, links.end_index[free[:, side], side], stiffness[free[:, side]])
    square = np.zeros(stiffness.size)
    for link, side in np.argwhere(free & (stiffness > 0.0)[:, None]):
        k = int(links.end_index[link, side])
        square[link] += load[k] / float(np.linalg.eigvalsh(bodies.inertia[k])[0])
    return float(square.max(initial=0.0))
