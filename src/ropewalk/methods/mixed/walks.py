"""Lines side by side: which of them share vector registers, and the memory they do it in.

A walk is a line from its held end to its other one, or a half of a line between two held ends, from either of these to
the middle node. `WIDTH` walks make a group; their nodes have rows in common, counted so that all walks end in the last
row, and a walk that is shorter than the longest of its group begins in a later one. Each lane of a row has the numbers
of its own node and of the element after it. Lanes without a walk hold the first one at the start of the run, and stay
as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numba
import numpy as np

from ropewalk.assembly.mesh import Mesh
from ropewalk.loads.member import MEMBER_FIELDS
from ropewalk.model.arrays import Array, Flags, Ints, Records, ints
from ropewalk.numerics.lanes import WIDTH, lane_dtype
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR
from ropewalk.physics.waves import COLUMNS

WHOLE, FIRST_HALF, SECOND_HALF = 0, 1, 2  # of a line
FEWEST_ELEMENTS = 4  # of a walk
LEAST_GAIN = 1.3  # of the elements of all walks of a group over those of the longest: a row costs 1.2 of a single node
BY_LENGTH = ("length", "half_volume", "half_added_normal", "half_added_tangential")  # of an element

LANE_ELEMENT = lane_dtype(
    np.dtype(
        [
            *MEMBER_FIELDS,
            ("damping", "f8"),  # s
            ("slack", "f8"),  # axial stiffness in compression, N; 0 for sections that carry compression
            ("compliance", "f8"),  # strain by tension, 1/N
            ("slack_compliance", "f8"),  # that in compression, 1/N
        ]
    ),
    WIDTH,
)
LANE_NODE = lane_dtype(np.dtype([("mass", "f8"), ("force", "f8", (3,)), ("bed_area", "f8"), ("radius", "f8")]), WIDTH)


class Walk(NamedTuple):
    """A line or half of one."""

    line: int
    part: int  # WHOLE, FIRST_HALF or SECOND_HALF
    nodes: Ints  # rows of the mesh from its beginning to its end
    elements: Ints


class Walks(NamedTuple):
    """Groups of walks and their memory; no groups where lines go one by one. Rows of all groups lie end to end."""

    start: Ints  # (n_groups + 1,) rows
    used: Ints  # (n_groups,) lanes with a walk, the first ones
    line: Ints  # (n_groups, WIDTH)
    part: Ints  # (n_groups, WIDTH)
    begin: Ints  # (n_groups, WIDTH) row of the group in which a walk begins
    node: Ints  # (n_rows, WIDTH) rows of the mesh
    element: Ints  # (n_rows, WIDTH)
    taken: Array  # (n_rows, WIDTH) 1 where a node is between the ends of its walk, 0 elsewhere
    ragged: Ints  # (n_rows,) 1 where the walk of some lane begins or has not begun
    alone: Ints  # (n_lines,) 1 for lines that are in no group
    allowed: Ints  # (1,) 1 if steps may take lines side by side: nothing will change the mesh
    in_use: Ints  # (1,) 1 while they do
    X: Array  # (3, n_rows, 3, WIDTH) position, velocity and acceleration
    T: Array  # (n_rows, WIDTH) N, of the element after a row
    flow: Array  # (n_rows, COLUMNS, WIDTH) of the water
    hold: Array  # (n_rows, 3, WIDTH) m, where nodes grip the bed
    elements: Records  # (n_rows,) of LANE_ELEMENT, of the element after a row
    nodes: Records  # (n_rows,) of LANE_NODE
    gain: Array  # (n_rows, 4, 4, WIDTH) motion of a node per unknown of the next
    offset: Array  # (n_rows, 4, WIDTH)
    end_block: Array  # (n_groups, 4, 4, WIDTH) of the last row
    end_right: Array  # (n_groups, 4, WIDTH)
    jump: Array  # (n_groups, 4, WIDTH) displacement of the last row (m), and change of the tension before it (N)


def plan_walks(mesh: Mesh) -> Walks:
    """The walks of a mesh, with memory for them."""
    groups = _groups(mesh) if _can_share(mesh) else []
    counts = [max(walk.nodes.size for walk in group) for group in groups]
    start, n = ints(np.concatenate([[0], np.cumsum(counts)])), len(groups)
    rows = int(start[-1])
    node, element = np.zeros((rows, WIDTH), np.int64), np.zeros((rows, WIDTH), np.int64)
    taken, begin = np.zeros((rows, WIDTH)), np.zeros((n, WIDTH), np.int64)
    line, part = np.zeros((n, WIDTH), np.int64), np.zeros((n, WIDTH), np.int64)
    alone = np.ones(mesh.line.shape[0], np.int64)
    for g, group in enumerate(groups):
        for k in range(WIDTH):
            walk = group[k] if k < len(group) else group[0]
            first = counts[g] - walk.nodes.size
            here = slice(start[g], start[g + 1])
            padded = np.concatenate([np.full(first, walk.nodes[0]), walk.nodes])
            node[here, k] = padded
            element[here, k] = np.concatenate([np.full(first, walk.elements[0]), walk.elements, walk.elements[-1:]])
            taken[start[g] + first + 1 : start[g + 1] - (walk.part == WHOLE), k] = k < len(group)
            line[g, k], part[g, k], begin[g, k] = walk.line, walk.part, first
            alone[walk.line] = 0
    inner = np.zeros(rows, dtype=bool)
    for g in range(n):
        inner[start[g] + 1 : start[g + 1]] = True
    ragged = ints(inner & np.any((taken == 0.0), axis=1))
    used = ints([len(group) for group in groups])
    return Walks(
        start, used, line, part, begin, node, element, taken, ragged, alone,
        allowed=np.zeros(1, np.int64), in_use=np.zeros(1, np.int64),
        X=np.zeros((3, rows, 3, WIDTH)), T=np.zeros((rows, WIDTH)), flow=np.zeros((rows, COLUMNS, WIDTH)),
        hold=np.zeros((rows, 3, WIDTH)), elements=np.zeros(rows, LANE_ELEMENT).view(np.recarray),
        nodes=np.zeros(rows, LANE_NODE).view(np.recarray), gain=np.zeros((rows, 4, 4, WIDTH)),
        offset=np.zeros((rows, 4, WIDTH)), end_block=np.zeros((n, 4, 4, WIDTH)), end_right=np.zeros((n, 4, WIDTH)),
        jump=np.zeros((n, 4, WIDTH)),
    )  # fmt: skip


def fill_walks(mesh: Mesh, X: Array, T: Array, walks: Walks) -> None:
    """Put what elements and nodes are made of into their lanes, again whenever the mesh is another; and a state.

    X : (3 or more, n_rows, 3) position, velocity, acceleration    T : (n_elements,) N
    """
    if walks.start.size == 1:
        return
    walks.allowed[0] = 1
    walks.X[...] = X[:3][:, walks.node].swapaxes(2, 3)
    walks.T[...] = T[walks.element]
    walks.hold[...] = walks.X[0]
    own, table = mesh.element[walks.element], walks.elements
    _fill_elements(mesh, walks, (*(name for name, _ in MEMBER_FIELDS), "damping", "slack"))
    is_linear = own["law"] == LINEAR
    stiffness = mesh.law_data[np.where(is_linear, own["law_start"], 0)] if mesh.law_data.size else np.ones(own.shape)
    table["compliance"] = np.divide(1.0, stiffness, out=np.zeros(own.shape), where=is_linear)
    slack = own["slack"]
    table["slack_compliance"] = np.divide(1.0, slack, out=np.zeros(slack.shape), where=slack > 0.0)
    _fill_nodes(mesh, walks, ("mass", "bed_area"))
    walks.nodes["radius"] = mesh.node["radius"][walks.node]
    force, counts = mesh.node["force"][walks.node], _counts(walks)
    for p in range(3):
        walks.nodes[f"force_{p}"] = np.where(counts, force[..., p], 0.0)


def refill_lengths(mesh: Mesh, walks: Walks) -> None:
    """Put what goes with the length of elements into their lanes again."""
    if walks.start.size > 1:
        _fill_elements(mesh, walks, BY_LENGTH)
        _fill_nodes(mesh, walks, ("mass", "bed_area"))


def _fill_elements(mesh: Mesh, walks: Walks, names: Iterable[str]) -> None:
    own, table = mesh.element.view(np.ndarray), walks.elements.view(np.ndarray)
    for name in names:
        table[name] = own[name][walks.element]


def _fill_nodes(mesh: Mesh, walks: Walks, names: Iterable[str]) -> None:
    own, table, counts = mesh.node.view(np.ndarray), walks.nodes.view(np.ndarray), _counts(walks)
    for name in names:
        table[name] = np.where(counts, own[name][walks.node], 0.0)


def _counts(walks: Walks) -> Flags:
    """(n_rows, WIDTH) whether the loads of a node count there: a middle node is counted with the first half only."""
    counts = np.ones(walks.node.shape, dtype=bool)
    counts[walks.start[1:] - 1] = walks.part != SECOND_HALF
    return counts


def _can_share(mesh: Mesh) -> bool:
    """Whether nothing about a mesh keeps lines from going side by side: it must not change, nor have a relief."""
    changes = mesh.given.push.size or mesh.given.spread.size or mesh.winches.winch.shape[0] or mesh.load.shape[0]
    remembers = mesh.rope.shape[0] or mesh.shed.shape[0]  # laws and forces of nodes that move from step to step
    by_law = bool(np.any(mesh.element.drag_law != 0))  # drag coefficients of an element's own table
    return not (numba.config.DISABLE_JIT or changes or remembers or by_law or mesh.bed.x.size)


def _groups(mesh: Mesh) -> list[list[Walk]]:
    """Walks that go side by side, each group of similar length."""
    lines = [line for line in range(mesh.line.shape[0]) if _is_plain(mesh, line)]
    walks = [_walk(mesh, line) for line in lines]
    if len(walks) <= WIDTH // 2 and all(_is_held(mesh, walk.line) for walk in walks):
        walks = [half for walk in walks for half in _halves(walk)]
    walks.sort(key=lambda walk: -walk.elements.size)
    width = WIDTH
    groups = [walks[k : k + width] for k in range(0, len(walks), width)]
    return [g for g in groups if sum(w.elements.size for w in g) >= LEAST_GAIN * g[0].elements.size]


def _walk(mesh: Mesh, line: int) -> Walk:
    nodes = np.arange(mesh.node_start[line], mesh.node_start[line + 1])
    return Walk(line, WHOLE, nodes, np.arange(mesh.element_start[line], mesh.element_start[line + 1]))


def _halves(walk: Walk) -> list[Walk]:
    """A line between held ends as two walks to its middle node."""
    middle = (walk.elements.size + 1) // 2
    first = Walk(walk.line, FIRST_HALF, walk.nodes[: middle + 1], walk.elements[:middle])
    return [first, Walk(walk.line, SECOND_HALF, walk.nodes[middle:][::-1], walk.elements[middle:][::-1])]


def _is_held(mesh: Mesh, line: int) -> bool:
    """Whether the end of a walk along a line cannot move by itself."""
    j = mesh.line[line].junction[1]
    return bool(mesh.dof_start[j] == mesh.dof_start[j + 1]) and mesh.bodies.links.link.shape[0] == 0


def _is_plain(mesh: Mesh, line: int) -> bool:
    """Whether a line begins at a held end, is elastic by a single number, and carries nothing."""
    e = slice(mesh.element_start[line], mesh.element_start[line + 1])
    n = slice(mesh.node_start[line], mesh.node_start[line + 1])
    law, node = mesh.element["law"][e], mesh.node[n]
    if mesh.line["two_sided"][line] or law.size < FEWEST_ELEMENTS or np.any(mesh.element["length_rate"][e] != 0.0):
        return False
    lumped = any(np.any(node[name] != 0.0) for name in ("volume", "drag_area", "added"))
    return not lumped and bool(np.all((law == LINEAR) | (law == INEXTENSIBLE)))
