"""Lines that part: an element loses its tension and both stubs fall free.

The element stays in the mesh, so that results keep their nodes, with a stiffness that is nothing. Half of its mass
stays with each stub; so do its drag and added mass, as if lumped at the ends of the stubs.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.mesh import Mesh
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.elasticity import LINEAR

TOO_FAR = 1e-3  # of the limit: how far the tension may pass it in the step at whose end the line parts


@kernel(**UNCOUNTED)
def parting_element(T, element):
    """The element furthest beyond its limit of tension (N), max_e T_e/T_max,e >= 1; -1 if all are below.

    Source: docs/theory/mixed_elements.md, Breaks.
    """
    worst = -1
    largest = 1.0
    for e in range(T.size):
        if T[e] >= largest * element[e].limit:
            worst = e
            largest = T[e] / element[e].limit
    return worst


@kernel(**UNCOUNTED)
def parting(before, after, element):
    """Share of a step after which an element reaches its limit of tension, 2 if none passes it by much.

    Source: docs/theory/mixed_elements.md, Breaks: linear interpolation of T (N), with c = TOO_FAR,
    share = ((1 + c/2) T_max - T_0)/(T_1 - T_0) of elements with T_1 > (1 + c) T_max.

    And the element furthest beyond its limit at the end of the step, -1 if all are below.
    """
    share, worst = 2.0, parting_element(after, element)
    for e in range(after.size if worst >= 0 else 0):
        limit = element[e].limit
        if after[e] > (1.0 + TOO_FAR) * limit:
            share = min(share, max(0.0, ((1.0 + 0.5 * TOO_FAR) * limit - before[e]) / (after[e] - before[e])))
    return share, worst


def arm(model: Model, mesh: Mesh) -> None:
    """Give the elements of lines that may part their limits of tension."""
    given = model.lines.breaks
    for line, s, limit in zip(given.line, given.s, given.tension, strict=True):
        e = slice(mesh.element_start[line], mesh.element_start[line + 1])
        if np.isnan(s):
            mesh.element.limit[e] = limit
        else:
            mesh.element.limit[element_at(mesh, int(line), float(s))] = limit


def element_at(mesh: Mesh, line: int, s: float) -> int:
    """The element of a line at s (m from end A)."""
    places = mesh.s[mesh.node_start[line] : mesh.node_start[line + 1]]
    ends = places[::-1] if mesh.line[line].flipped else places
    k = int(np.clip(np.searchsorted(ends, s, side="left") - 1, 0, ends.size - 2))
    k = ends.size - 2 - k if mesh.line[line].flipped else k
    return int(mesh.element_start[line]) + k


def part(mesh: Mesh, T: Array, e: int, rho: float) -> None:
    """Part element e, and disarm its line."""
    line = int(np.searchsorted(mesh.element_start, e, side="right") - 1)
    element = mesh.element[e]
    first = int(mesh.node_start[line]) + e - int(mesh.element_start[line])
    area = element.drag_normal * element.length / rho if rho > 0.0 else 0.0  # half of 2 b L / rho at each stub
    for n in (first, first + 1):
        mesh.node.drag_area[n] += area
        mesh.node.added[n] += element.half_added_normal
    for name in ("drag_normal", "drag_tangential", "half_added_normal", "half_added_tangential", "damping", "slack"):
        element[name] = 0.0
    element.law, element.law_start, element.law_stop = LINEAR, mesh.law_data.size - 1, mesh.law_data.size
    element.rope, element.rest = -1, 0.0
    mesh.element.limit[mesh.element_start[line] : mesh.element_start[line + 1]] = np.inf
    T[e] = 0.0
