"""Tensions at nodes, forces at ends and lengths on the bed of all lines at once, from the unknowns of the elements."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.anchor import carried
from ropewalk.assembly.mesh import FIRST, FLIPPED, Mesh
from ropewalk.loads.bed import pressure
from ropewalk.methods.mixed.nodes import FRICTION_ROW, GRIP
from ropewalk.methods.mixed.steps import Moving
from ropewalk.model.arrays import Array, Ints

SHORTEST = 1e-300  # m; an element without length pulls nowhere


class Reading(NamedTuple):
    """What reading a mesh needs and does not change with time, unless a winch turns."""

    mesh: Mesh
    s: Array  # (n_nodes,) m from end A, in the order of results
    order: Ints  # (n_nodes,) nodes of the mesh in the order of results
    inner: Ints  # (n_inner,) nodes between two elements
    left: Ints  # (n_inner,) element before each
    weight: Array  # (2, n_inner) of the element before and after: each counts by the length of the other
    ends: Ints  # (n_lines, 2) first and last node
    beside: Ints  # (n_lines, 2) the nodes next to them
    flipped: Ints  # lines that are meshed from end B
    laid: list[tuple[int, int]]  # lines and sides that are held on the bed
    footed: list[tuple[int, int, float]]  # lines and sides at free points, and the points' share of the contact there
    share: Array  # (n_nodes,) m of line around each node
    element: Ints  # (n_nodes,) element from each node to the next, in the order of results; -1 at end B


def reading_of(mesh: Mesh, s: Array, footing: Array) -> Reading:
    """Prepare to read lines whose nodes are at s (n_nodes,), m, in the order of the mesh.

    footing : (n_lines, 2) of `point_footings`, m2
    """
    n_lines = mesh.line.shape[0]
    ends = np.stack([mesh.node_start[:-1], mesh.node_start[1:] - 1], axis=1)
    sizes = np.diff(mesh.node_start)
    line_of = np.repeat(np.arange(n_lines), sizes)
    inner = np.setdiff1d(np.arange(s.size), ends.ravel())
    length = np.abs(np.diff(s))  # the differences across lines are never used
    left_length, right_length = length[inner - 1], length[inner]
    flipped = np.flatnonzero(mesh.line[:, FLIPPED])
    order = np.arange(s.size)
    for line in flipped:
        n = slice(ends[line, 0], ends[line, 1] + 1)
        order[n] = order[n][::-1].copy()
    share = np.zeros(s.size)
    share[inner] = 0.5 * (left_length + right_length)
    share[ends[:, 0]] = 0.5 * length[ends[:, 0]]
    share[ends[:, 1]] = 0.5 * length[ends[:, 1] - 1]
    bare = mesh.node[ends].bed_area == 0.0 if mesh.has_bed else np.zeros((n_lines, 2), dtype=bool)
    return Reading(
        mesh=mesh,
        s=s[order],
        order=order,
        inner=inner,
        left=inner - 1 - line_of[inner],
        weight=np.stack([right_length, left_length]) / (left_length + right_length),
        ends=ends,
        beside=ends + np.array([1, -1]),
        flipped=flipped,
        laid=[(int(line), int(side)) for line, side in zip(*np.nonzero(bare), strict=True)],
        footed=_footed(mesh, ends, footing),
        share=share,
        element=_elements(mesh),
    )


def _footed(mesh: Mesh, ends: Ints, footing: Array) -> list[tuple[int, int, float]]:
    """Lines and sides (of the walk) whose points stand on the bed, and the points' share of the contact area there."""
    walked = np.where(mesh.line[:, FLIPPED, None] == 1, footing[:, ::-1], footing)
    area = mesh.node[ends].bed_area
    return [(int(i), int(k), float(walked[i, k] / area[i, k])) for i, k in zip(*np.nonzero(walked), strict=True)]


def _elements(mesh: Mesh) -> Ints:
    """(n_nodes,) element from each node to the next, in the order of results; -1 at end B."""
    element = np.full(mesh.s.size, -1)
    for line in range(mesh.line.shape[0]):
        own = np.arange(mesh.element_start[line], mesh.element_start[line + 1])
        element[mesh.node_start[line] : mesh.node_start[line + 1] - 1] = own[::-1] if mesh.line[line, FLIPPED] else own
    return element


def element_tensions(reading: Reading, T: Array) -> Array:
    """(n_nodes,) N, of the element from each node to the next, in the order of results; 0 at end B."""
    return np.where(reading.element >= 0, T[reading.element], 0.0) if T.size else np.zeros(reading.element.size)


def read_lines(reading: Reading, now: Moving, nodes: Array, grip: Array) -> tuple[Array, Array, Array]:
    """Tension at the nodes (N, in the order of the mesh), forces at ends A and B (n_lines, 2, 3), m of line on the bed.

    nodes : (n_nodes + n_junctions, 3) N, inertia minus forces; what the bed carries of ends held on it is put to
    their junctions
    grip : of `Elimination`; with friction, the half of the last element on the bed is held by it like that beside it
    """
    mesh, r = reading.mesh, now.X[0]
    n_nodes = mesh.s.size
    force = -nodes[reading.ends]
    if grip[FRICTION_ROW, 0] > 0.0:
        for line, side in reading.laid:
            rubbed = _rubbed(reading, now, grip, line, side, force[line, side])
            force[line, side] += rubbed
            nodes[n_nodes + mesh.line[line, FIRST + side]] -= rubbed
    bed = mesh.bed.view(np.ndarray)[0]  # fields of a recarray take ten times as long to find
    for line, side in reading.laid:
        pressed = carried(force[line, side], bed["normal"])
        force[line, side] -= pressed
        nodes[n_nodes + mesh.line[line, FIRST + side]] += pressed
    for line, side, share in reading.footed:
        force[line, side] -= share * _pushed(reading, now, grip, int(reading.ends[line, side]))
    tension = np.empty(n_nodes)
    tension[reading.inner] = reading.weight[0] * now.T[reading.left] + reading.weight[1] * now.T[reading.left + 1]
    along = r[reading.beside] - r[reading.ends]
    span = np.sqrt(np.sum(along * along, axis=2))
    tension[reading.ends] = np.sum(force * along, axis=2) / np.maximum(span, SHORTEST)
    grounded = np.zeros(mesh.line.shape[0])
    if mesh.has_bed and n_nodes:
        radius = mesh.node.view(np.ndarray)["radius"][:n_nodes]
        depth = bed["level"] + radius - r[:n_nodes] @ bed["normal"]
        grounded = np.add.reduceat(np.where(depth > 0.0, reading.share, 0.0), reading.ends[:, 0])
    if reading.flipped.size:
        force[reading.flipped] = force[reading.flipped, ::-1]
    return tension, force, grounded


def _pushed(reading: Reading, now: Moving, grip: Array, n: int) -> Array:
    """Force (3,) N of the bed on node n: its pressure, and the friction of its grip."""
    mesh, bed = reading.mesh, reading.mesh.bed[0]
    r, v, normal = now.X[0, n], now.X[1, n], bed.normal
    node = mesh.node[n]
    N = node.bed_area * pressure(bed, float(bed.level + node.radius - r @ normal), -float(v @ normal))[0]
    force: Array = N * normal
    if grip[FRICTION_ROW, 0] > 0.0 and N > 0.0:
        d = r - grip[GRIP + n]
        d = d - (d @ normal) * normal
        far = max(float(np.linalg.norm(d)), SHORTEST)
        force = force - min(bed.shear * node.bed_area, grip[FRICTION_ROW, 0] * N / far) * d
    return force


def _rubbed(reading: Reading, now: Moving, grip: Array, line: int, side: int, pull: Array) -> Array:
    """Friction (3,) N on the half element at an end held on the bed, of which the grip of the next node tells.

    Without it the force on an anchor would be that in the middle of the last element. It takes no more than there is.
    pull : (3,) N, of the line on its anchor
    """
    mesh, bed = reading.mesh, reading.mesh.bed[0]
    end, n = int(reading.ends[line, side]), int(reading.beside[line, side])
    r, v, normal = now.X[0, n], now.X[1, n], bed.normal
    area, depth = mesh.node[n].bed_area, float(bed.level + mesh.node[n].radius - r @ normal)
    p = pressure(bed, depth, -float(v @ normal))[0]
    d = r - grip[GRIP + n]
    d = d - (d @ normal) * normal
    hold = min(bed.shear * area, grip[FRICTION_ROW, 0] * p * area / max(float(np.linalg.norm(d)), SHORTEST))
    force: Array = -hold * reading.share[end] / reading.share[n] * d
    along = r - now.X[0, end]
    along = along / max(float(np.linalg.norm(along)), SHORTEST)
    excess = float(force @ along) + max(float(pull @ along), 0.0)
    return force - min(excess, 0.0) * along
