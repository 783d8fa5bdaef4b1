"""Lines side by side: which of them share vector registers, and the memory they do it in.

A walk is a line from its held end to its other one, or a half of a line between two held ends, from either of these to
the middle node. Up to `WIDTH` walks make a group; their nodes have rows in common, counted so that all walks end in the
last row, and a walk that is shorter than the longest of its group begins in a later one.

Along a walk each node waits for the one before it, but what elements contribute waits for nothing. So rows lie end to
end: a vector that begins with a row has this row in its first lanes, and of fewer than `WIDTH` walks the beginning of
the next one behind it. Elements are computed in batches of `WIDTH`, wherever rows end, and eliminated row by row. The
second node of an element is that of the same walk in the next row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any, NamedTuple

import numba
import numpy as np

from ropewalk.assembly.mesh import Mesh
from ropewalk.loads.member import MEMBER_FIELDS
from ropewalk.methods.mixed.booked import Booked, moving_ends, plan_booked
from ropewalk.model.arrays import Array, Flags, Ints, Records, ints
from ropewalk.numerics.lanes import WIDTH, lane_dtype
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR
from ropewalk.physics.waves import COLUMNS

WHOLE, FIRST_HALF, SECOND_HALF = 0, 1, 2  # of a line
FEWEST_ELEMENTS = 4  # of a walk
SYSTEM = 50  # columns of the equations of elements and nodes
LONGEST_BLOCK = 3 * WIDTH  # numbers in which batches end where rows do: of three walks
LINE = 64  # bytes of a cache line
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
    """Groups of walks and their memory; no groups where lines go one by one.

    Numbers, rows and batches of all groups lie end to end. Numbers (n,) are those of nodes and of the elements after
    them, row by row and walk by walk, to the end of the last batch.
    """

    first: Ints  # (n_groups,) number in which the first row begins
    start: Ints  # (n_groups + 1,) rows
    batch: Ints  # (n_groups + 1,) batches
    used: Ints  # (n_groups,) walks
    line: Ints  # (n_groups, WIDTH)
    part: Ints  # (n_groups, WIDTH)
    idle: Array  # (n_groups, WIDTH) 1 for lanes behind the walks of a row
    taken: Array  # (n_rows, WIDTH) 1 where a node is between the ends of its walk, 0 elsewhere
    ragged: Ints  # (n_rows,) 1 where some walk begins or has not begun, or ends
    node: Ints  # (n,) rows of the mesh
    element: Ints  # (n,) of the mesh
    counts: Array  # (n,) 1 where the loads of a node count: a middle node is counted with the first half only
    moved: Ints  # (n_moved, 2) numbers of the nodes between ends, and their rows in the mesh
    pulled: Ints  # (n_pulled, 2) numbers of the elements, and their places in the mesh
    alone: Ints  # (n_lines,) 1 for lines that are in no group
    allowed: Ints  # (1,) 1 if steps may take lines side by side: nothing will change the mesh
    in_use: Ints  # (1,) 1 while they do
    X: Array  # (3, 3, n) position, velocity and acceleration by components
    T: Array  # (n,) N
    flow: Array  # (COLUMNS, n) of the water
    hold: Array  # (3, n) m, where nodes grip the bed
    elements: Records  # (n_batches,) of LANE_ELEMENT
    nodes: Records  # (n_batches,) of LANE_NODE, of the second nodes of these elements
    system: Array  # (SYSTEM, LONGEST_BLOCK + WIDTH) equations of a block, by the columns of side_by_side.py
    gain: Array  # (n_rows, 4, 4, WIDTH) motion of a node per unknown of the next
    offset: Array  # (n_rows, 4, WIDTH)
    jumps: Array  # (4, n) displacements of nodes (m), and changes of the tensions before them (N)
    end_block: Array  # (n_groups, 4, 4, WIDTH) of the last row
    end_right: Array  # (n_groups, 4, WIDTH)
    jump: Array  # (n_groups, 4, WIDTH) displacement of the last row (m), and change of the tension before it (N)
    booked: Booked  # of the energy ledger


class _Layout(NamedTuple):
    """What stands in the rows of one group, and behind them to the end of the last batch."""

    node: Ints  # (n,) rows of the mesh
    element: Ints  # (n,)
    taken: Flags  # (n,) node between the ends of its walk
    counts: Flags  # (n,) node whose loads count
    is_element: Flags  # (n,)
    rows: int
    batches: int


def _lay_out(group: list[Walk]) -> _Layout:
    """Rows of a group of walks; behind the last one it is repeated."""
    rows, used = max(walk.nodes.size for walk in group), len(group)
    batches = -(-(rows - 1) * used // WIDTH)
    n = WIDTH * -(-(batches * WIDTH + used) // WIDTH)
    shape = (-(-n // used), used)
    node, element = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    taken, counts, is_element = np.zeros(shape, bool), np.ones(shape, bool), np.zeros(shape, bool)
    for k, walk in enumerate(group):
        begin = rows - walk.nodes.size
        node[:, k], element[:, k] = walk.nodes[-1], walk.elements[-1]
        node[:begin, k], node[begin:rows, k] = walk.nodes[0], walk.nodes
        element[:begin, k], element[begin : rows - 1, k] = walk.elements[0], walk.elements
        taken[begin + 1 : rows, k] = True
        taken[rows - 1, k] = walk.part != WHOLE
        counts[rows - 1, k] = walk.part != SECOND_HALF
        is_element[begin : rows - 1, k] = True
    return _Layout(
        node.ravel()[:n], element.ravel()[:n], taken.ravel()[:n], counts.ravel()[:n], is_element.ravel()[:n], rows,
        batches,
    )  # fmt: skip


def _joined(tables: Iterable[Any], kind: type) -> Any:
    """Tables of all groups end to end."""
    return np.concatenate([np.zeros(0, kind), *tables])


def _ends(sizes: Iterable[int]) -> Ints:
    """Where parts of these sizes begin that lie end to end, and where the last one ends."""
    return ints(np.cumsum([0, *sizes]))


def _zeros(shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
    """As numpy's, from the beginning of a cache line on: vectors that lie in two lines take longer."""
    kind = np.dtype(dtype)
    size = kind.itemsize * prod(shape)
    memory = np.zeros(size + LINE, np.uint8)
    begin = -memory.ctypes.data % LINE
    return memory[begin : begin + size].view(kind).reshape(shape)


def plan_walks(mesh: Mesh, lanes: bool = True) -> Walks:
    """The walks of a mesh, with memory for them.  lanes : False where no steps will be taken, so that there are none"""
    groups = _groups(mesh) if lanes and _can_share(mesh) else []
    layouts, n_groups = [_lay_out(group) for group in groups], len(groups)
    start, batch = _ends(layout.rows for layout in layouts), _ends(layout.batches for layout in layouts)
    first = _ends(layout.node.size for layout in layouts)
    n, rows, batches = int(first[-1]), int(start[-1]), int(batch[-1])
    line, part = np.zeros((n_groups, WIDTH), np.int64), np.zeros((n_groups, WIDTH), np.int64)
    idle, taken, alone = np.ones((n_groups, WIDTH)), np.zeros((rows, WIDTH)), np.ones(mesh.line.shape[0], np.int64)
    for g, (group, layout) in enumerate(zip(groups, layouts, strict=True)):
        used = len(group)
        line[g, :used], part[g, :used], idle[g, :used] = [w.line for w in group], [w.part for w in group], 0.0
        taken[start[g] : start[g + 1], :used] = layout.taken[: layout.rows * used].reshape(-1, used)
        alone[line[g, :used]] = 0
    group_of = np.repeat(np.arange(n_groups), np.diff(start))
    node, element = (_joined((getattr(a, name) for a in layouts), np.int64) for name in ("node", "element"))
    is_taken, counts, is_element = (
        _joined((getattr(a, name) for a in layouts), bool) for name in ("taken", "counts", "is_element")
    )
    moved, pulled = np.flatnonzero(is_taken & counts), np.flatnonzero(is_element)
    ends = moving_ends(mesh, _ends_of(mesh, groups, layouts, first))
    return Walks(
        first[:-1].copy(), start, batch, ints([len(group) for group in groups]), line, part, idle, taken,
        ragged=ints(np.any((taken == 0.0) & (idle[group_of] == 0.0), axis=1)),
        node=node, element=element, counts=counts.astype(float), moved=np.stack([moved, node[moved]], axis=1),
        pulled=np.stack([pulled, element[pulled]], axis=1), alone=alone,
        allowed=np.zeros(1, np.int64), in_use=np.zeros(1, np.int64),
        X=_zeros((3, 3, n)), T=_zeros((n,)), flow=_zeros((COLUMNS, n)), hold=_zeros((3, n)),
        elements=_zeros((batches,), LANE_ELEMENT).view(np.recarray),
        nodes=_zeros((batches,), LANE_NODE).view(np.recarray), system=_zeros((SYSTEM, LONGEST_BLOCK + WIDTH)),
        gain=_zeros((rows, 4, 4, WIDTH)), offset=_zeros((rows, 4, WIDTH)), jumps=_zeros((4, n)),
        end_block=np.zeros((n_groups, 4, 4, WIDTH)), end_right=np.zeros((n_groups, 4, WIDTH)),
        jump=np.zeros((n_groups, 4, WIDTH)),
        booked=plan_booked(mesh, element, is_element, is_taken & counts, batches, ends),
    )  # fmt: skip


def _ends_of(
    mesh: Mesh, groups: list[list[Walk]], layouts: list[_Layout], first: Ints
) -> Iterator[tuple[int, int, int, int]]:
    """Ends of lines as in `moving_ends`."""
    for group, layout, begin in zip(groups, layouts, first[:-1].tolist(), strict=True):
        for k, walk in enumerate(group):
            number = begin + len(group) * (layout.rows - walk.nodes.size) + k
            side = 1 if walk.part == SECOND_HALF else 0
            junctions = mesh.line[walk.line].junction
            yield int(junctions[side]), int(walk.nodes[0]), number, 0
            if walk.part == WHOLE:
                yield int(junctions[1]), int(walk.nodes[-1]), begin + len(group) * (layout.rows - 2) + k, 1


def fill_walks(mesh: Mesh, X: Array, T: Array, walks: Walks) -> None:
    """Put what elements and nodes are made of into their lanes, again whenever the mesh is another; and a state.

    X : (3 or more, n_rows, 3) position, velocity, acceleration    T : (n_elements,) N
    """
    if walks.start.size == 1:
        return
    walks.allowed[0] = 1
    walks.X[...] = X[:3][:, walks.node].swapaxes(1, 2)
    walks.T[...] = T[walks.element]
    walks.hold[...] = walks.X[0]
    walks.booked.X[...], walks.booked.T[...] = walks.X, walks.T
    own, table, element = mesh.element.view(np.ndarray), walks.elements.view(np.ndarray), _elements_of(walks)
    _fill_elements(mesh, walks, element, (*(name for name, _ in MEMBER_FIELDS), "damping", "slack"))
    is_linear, slack = own["law"][element] == LINEAR, own["slack"][element]
    law = np.where(is_linear, own["law_start"][element], 0)
    stiffness = mesh.law_data[law] if mesh.law_data.size else np.ones(law.shape)
    table["compliance"] = np.divide(1.0, stiffness, out=np.zeros(law.shape), where=is_linear)
    table["slack_compliance"] = np.divide(1.0, slack, out=np.zeros(slack.shape), where=slack > 0.0)
    node, counts = _nodes_of(walks)
    _fill_nodes(mesh, walks, (node, counts), ("mass", "bed_area"))
    nodes, force = walks.nodes.view(np.ndarray), mesh.node["force"][node]
    nodes["radius"] = mesh.node["radius"][node]
    for p in range(3):
        nodes[f"force_{p}"] = counts * force[..., p]


def _elements_of(walks: Walks) -> Ints:
    """(n_batches, WIDTH) elements of the mesh in the batches."""
    elements: Ints = _by_batch(walks, walks.element, 0)
    return elements


def _nodes_of(walks: Walks) -> tuple[Ints, Array]:
    """(n_batches, WIDTH) rows of the mesh of the second nodes of these elements, and whether their loads count."""
    return _by_batch(walks, walks.node, 1), _by_batch(walks, walks.counts, 1)


def _by_batch(walks: Walks, numbers: Any, ahead: int) -> Any:
    """(n_batches, WIDTH) numbers of all batches, or so many rows ahead of them."""
    sizes = WIDTH * np.diff(walks.batch)
    begins = walks.first + ahead * walks.used
    return np.concatenate([numbers[i : i + n] for i, n in zip(begins, sizes, strict=True)]).reshape(-1, WIDTH)


def refill_lengths(mesh: Mesh, walks: Walks) -> None:
    """Put what goes with the length of elements into their lanes again."""
    if walks.start.size > 1:
        _fill_elements(mesh, walks, _elements_of(walks), BY_LENGTH)
        _fill_nodes(mesh, walks, _nodes_of(walks), ("mass", "bed_area"))


def _fill_elements(mesh: Mesh, walks: Walks, element: Ints, names: Iterable[str]) -> None:
    """Fields of elements into their lanes.  element : of `_elements_of`"""
    own, table = mesh.element.view(np.ndarray), walks.elements.view(np.ndarray)
    for name in names:
        table[name] = own[name][element]


def _fill_nodes(mesh: Mesh, walks: Walks, nodes: tuple[Ints, Array], names: Iterable[str]) -> None:
    """Fields of nodes into their lanes.  nodes : of `_nodes_of`"""
    own, table = mesh.node.view(np.ndarray), walks.nodes.view(np.ndarray)
    node, counts = nodes
    for name in names:
        table[name] = counts * own[name][node]


def _can_share(mesh: Mesh) -> bool:
    """Whether nothing about a mesh keeps lines from going side by side: it must not change, nor have a relief."""
    changes = mesh.given.push.size or mesh.given.spread.size or mesh.winches.winch.shape[0] or mesh.load.shape[0]
    remembers = mesh.rope.shape[0] or mesh.shed.shape[0]  # laws and forces of nodes that move from step to step
    by_law = bool(np.any(mesh.element.drag_law != 0))  # drag coefficients of an element's own table
    return not (numba.config.DISABLE_JIT or changes or remembers or by_law or mesh.bed.x.size)


def _groups(mesh: Mesh) -> list[list[Walk]]:
    """Walks that go side by side, each group of similar length; the last lines as halves if nothing waits for them."""
    walks = [_walk(mesh, line) for line in np.flatnonzero(_are_plain(mesh)).tolist()]
    walks.sort(key=lambda walk: -walk.elements.size)
    full = len(walks) // WIDTH * WIDTH
    rest = walks[full:]
    if all(_is_held(mesh, walk.line) for walk in rest):
        rest = [half for walk in rest for half in _halves(walk)]
    walks = walks[:full] + rest
    return [walks[k : k + WIDTH] for k in range(0, len(walks), WIDTH)]


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


def _are_plain(mesh: Mesh) -> Flags:
    """(n_lines,) whether lines begin at a held end, are elastic by a single number, and carry nothing."""
    element, node, line = (table.view(np.ndarray) for table in (mesh.element, mesh.node, mesh.line))
    law = element["law"]
    bends = ((law != LINEAR) & (law != INEXTENSIBLE)) | (element["length_rate"] != 0.0)
    lumped = (node["volume"] != 0.0) | (node["drag_area"] != 0.0) | (node["added"] != 0.0)
    others = _any_in(bends, mesh.element_start) | _any_in(lumped, mesh.node_start)
    plain: Flags = ~others & (line["two_sided"] == 0) & (np.diff(mesh.element_start) >= FEWEST_ELEMENTS)
    return plain


def _any_in(found: Flags, start: Ints) -> Flags:
    """(n,) whether something is found in each of n stretches, which begin and end at `start` (n + 1,)."""
    before = np.concatenate([[0], np.cumsum(found)])
    return np.asarray(before[start[1:]] > before[start[:-1]])
