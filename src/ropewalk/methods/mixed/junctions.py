"""How the junctions of a case are solved: at once, or group by group where that is faster.

A group is a junction with the last tensions of the lines and the multipliers of the links that go to it from junctions
eliminated before it; see numerics/blocksparse.py.
"""

from __future__ import annotations

from typing import Any

from ropewalk.numerics.blocksparse import WORTH_FROM, BlockFactor, analyse, no_factor, order_by_degree


def junction_factor(mesh: Any, ends: Any) -> BlockFactor:
    """Pattern of the system of the junctions of a mesh; empty if it is small.

    ends : (n_lines, 2) junctions of the lines
    """
    start, links = mesh.dof_start, mesh.bodies.links.link
    n_dofs, n_lines = int(start[-1]), ends.shape[0]
    # unknowns beside the degrees of freedom, with the junctions they act on
    beside = [([n_dofs + line], [int(j) for j in ends[line]]) for line in range(n_lines)]
    first = n_dofs + n_lines
    beside += [
        ([first + int(link.first_row) + r for r in range(link.n_rows)], [int(j) for j in link.end]) for link in links
    ]
    if n_dofs + sum(len(unknowns) for unknowns, _ in beside) < WORTH_FROM:
        return no_factor()
    loose = [j for j in range(start.size - 1) if start[j + 1] > start[j]]
    number = {j: i for i, j in enumerate(loose)}
    pairs = [(number[a], number[b]) for _, (a, b) in beside if a in number and b in number and a != b]
    order = order_by_degree(len(loose), pairs)
    place = {loose[i]: k for k, i in enumerate(order)}
    groups = [list(range(start[loose[i]], start[loose[i] + 1])) for i in order]
    for unknowns, junctions in beside:
        later = max((place[j] for j in junctions if j in place), default=-1)
        if later >= 0:
            groups[later] += unknowns
        else:
            groups.append(list(unknowns))
    return analyse(groups, [(place[loose[i]], place[loose[j]]) for i, j in pairs])
