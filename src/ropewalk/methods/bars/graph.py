r"""The matrix of the bars' tensions, :math:`A = G W G^T + \varepsilon`, and what is done with it.

Row k of G holds :math:`-t_k` at node a and :math:`+t_k` at node b of bar k, W the mobility of the nodes (3 x 3
each). Bars couple where they share a node that can move. A chain gives a tridiagonal matrix, a net a sparse one.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ropewalk.methods.bars.arrays import Bars
from ropewalk.model.arrays import Array, Ints
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.ldl import Factor, analyse, factorise, solve

# Share of the diagonal added to it: lets redundant constraints be factorised. The answers are still those of the
# matrix without it, because they are refined against it; where it is singular they are the smallest ones.
REGULARISATION = 1e-11
REDUNDANT = 1e-8  # pivot over diagonal below which a bar is redundant
# Compliance of all bars where there is such a bar, over their diagonals. It bounds tensions that nothing else
# determines: the gaps that a step leaves are consistent to first order only, and without it what is not becomes tension
# over REGULARISATION. On the redundant bars alone it is not enough: which these are changes with the shape.
GIVE = 1e-6


class Graph(NamedTuple):
    """Pattern of A and room for its factor."""

    pair: Ints  # (p, 6) bars k, j, the sides of both at the shared node, the node, place among the values
    diagonal: Ints  # (m,) place of A_kk among the values
    factor: Factor
    pull: Array  # (m, 2, 3) W t at both ends, 1/kg


def build_graph(bars: Bars) -> Graph:
    """Pattern of the tension matrix of these bars."""
    beside: list[list[tuple[int, int]]] = [[] for _ in range(bars.mass.size)]
    for k, (a, b) in enumerate(bars.node.tolist()):
        beside[a].append((k, 0))
        beside[b].append((k, 1))
    rows = []
    for i, ends in enumerate(beside):
        if bars.held[i]:
            continue
        rows += [(k, j, p, q, i) for (k, p), (j, q) in combinations(ends, 2)]
    table: Ints = np.array(rows, dtype=np.int64).reshape(-1, 5)
    m = bars.length.size
    factor, where = analyse(m, table[:, 0], table[:, 1])
    return Graph(
        pair=np.ascontiguousarray(np.column_stack([table, where[m:]])),
        diagonal=np.ascontiguousarray(where[:m]),
        factor=factor,
        pull=np.zeros((m, 2, 3)),
    )


def redundant_give(graph: Graph, direction: Array) -> Array:
    """(m,) compliance (1/kg) of bars if some of them are redundant; 0 if none are.  Needs graph.pull"""
    out: Array = np.zeros(graph.diagonal.size)
    if assemble(graph, direction, out):
        own, pivot = graph.factor.value[graph.diagonal], graph.factor.d[graph.factor.place]
        if np.any(np.abs(pivot) < REDUNDANT * own):
            out[:] = GIVE * own
    return out


@kernel
def pulls(graph, node, direction, mobility):
    """Velocity that a unit impulse along each bar gives its ends (1/kg), into graph.pull.

    Source: W t of docs/theory/ropes_and_nets.md, Exact multipliers: A = G W G^T.
    """
    for k in range(node.shape[0]):
        x, y, z = direction[k, 0], direction[k, 1], direction[k, 2]
        for side in range(2):
            w = mobility[node[k, side]]
            for i in range(3):
                graph.pull[k, side, i] = w[i, 0] * x + w[i, 1] * y + w[i, 2] * z


@kernel
def assemble(graph, direction, compliance):
    """Values of A from graph.pull, `compliance` (m,) added to its diagonal; factorises. False if that fails.

    .. math:: A = G W G^T + C

    Source: docs/theory/ropes_and_nets.md, Exact multipliers; LDL^T of numerics/ldl.py.
    """
    value = graph.factor.value
    value[:] = 0.0
    pull = graph.pull
    for k in range(direction.shape[0]):
        s = 0.0
        for i in range(3):
            s += direction[k, i] * (pull[k, 0, i] + pull[k, 1, i])
        # a bar between held nodes has nothing to move: its tension stays as it is
        value[graph.diagonal[k]] = s * (1.0 + REGULARISATION) + compliance[k] if s > 0.0 else 1.0
    for e in range(graph.pair.shape[0]):
        k, j, p, q = graph.pair[e, 0], graph.pair[e, 1], graph.pair[e, 2], graph.pair[e, 3]
        y = pull[j, q]
        s = direction[k, 0] * y[0] + direction[k, 1] * y[1] + direction[k, 2] * y[2]
        value[graph.pair[e, 5]] += s if p == q else -s
    return factorise(graph.factor) < 0


@kernel
def spread(graph, node, amount, factor, out):
    """Adds to `out` (n, 3) the motion of the nodes under the impulses factor * amount along the bars, W (-G^T) x.

    Source: docs/theory/ropes_and_nets.md, Exact multipliers: delta r = -W G^T x.
    """
    pull = graph.pull
    for k in range(node.shape[0]):
        c = factor * amount[k]
        a, b = node[k, 0], node[k, 1]
        for i in range(3):
            out[a, i] += c * pull[k, 0, i]
            out[b, i] -= c * pull[k, 1, i]


@kernel
def rates(node, direction, v, out):
    """Rate of lengthening of the bars, G v, into `out` (m,).

    Source: docs/theory/ropes_and_nets.md, Exact multipliers: G v = t . (v_b - v_a).
    """
    for k in range(node.shape[0]):
        a, b = node[k, 0], node[k, 1]
        s = 0.0
        for i in range(3):
            s += direction[k, i] * (v[b, i] - v[a, i])
        out[k] = s


@kernel
def solve_tensions(graph, right, out):
    """out = A^-1 right with the factor at hand (N).  Source: docs/theory/ropes_and_nets.md, Exact multipliers."""
    solve(graph.factor, right, out)
