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
    lead = _together(mesh)
    loose = [j for j in range(start.size - 1) if start[j + 1] > start[j]]
    number = {j: i for i, j in enumerate(j for j in loose if lead[j] == j)}
    of = {j: number[lead[j]] for j in loose}
    pairs = [(of[a], of[b]) for _, (a, b) in beside if a in of and b in of and of[a] != of[b]]
    order = order_by_degree(len(number), pairs)
    place = {i: k for k, i in enumerate(order)}
    groups: list[list[int]] = [[] for _ in order]
    for j in loose:
        groups[place[of[j]]] += range(start[j], start[j + 1])
    for unknowns, junctions in beside:
        later = max((place[of[j]] for j in junctions if j in of), default=-1)
        if later >= 0:
            groups[later] += unknowns
        else:
            groups.append(list(unknowns))
    return analyse(groups, [(place[i], place[j]) for i, j in pairs])


def _together(mesh: Any) -> list[int]:
    """The junction that stands for each in the elimination: a point that a link holds goes with the body.

    Alone, a point without mass or lines has nothing but the link to hold it, and no pivot.
    """
    start, lead = mesh.dof_start, list(range(mesh.dof_start.size - 1))

    def first(j: int) -> int:
        while lead[j] != j:
            j = lead[j]
        return j

    for link in mesh.bodies.links.link:
        a, b = (int(j) for j in link.end)
        if link.body.min() < 0 and min(start[a + 1] - start[a], start[b + 1] - start[b]) > 0:
            lead[first(b)] = first(a)
    return [first(j) for j in range(len(lead))]
