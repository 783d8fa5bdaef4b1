r"""One Newton iteration on all lines: assemble and eliminate along each line, solve the junctions, go back.

Lines between two held ends are independent; a line with one held end leaves its other end's block; a line
between two free junctions leaves a block for both. What remains, the degrees of freedom of the junctions and the
last tension of each line, is a small dense system. Trees and loops of lines are the same to it.
Where there are many junctions they are eliminated group by group. A group is a junction with the last tensions of the
lines and the multipliers of the links that go to it from junctions eliminated before it; see numerics/blocksparse.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.assembly.element import axis_of, instant, three
from ropewalk.assembly.links import link_rows
from ropewalk.assembly.mesh import Mesh
from ropewalk.loads.given import spring_pull
from ropewalk.loads.grip import Grip, no_grip
from ropewalk.methods.mixed.bodies import add_bodies, add_body_end, add_end_turn, place_ends, steady_bodies, turn_bodies
from ropewalk.methods.mixed.elimination import eliminate_line, substitute_line
from ropewalk.methods.mixed.links import add_links, pull_links
from ropewalk.methods.mixed.nodes import lumps_of, node_terms
from ropewalk.methods.mixed.side_by_side import eliminate_groups, substitute_groups, take_ends
from ropewalk.methods.mixed.walks import WHOLE, Walks, plan_walks
from ropewalk.model.arrays import Array, Ints
from ropewalk.numerics.blockelimination import COUNTED, UNCOUNTED, ZERO3, add3, dot, row_onto, scale3, sub3
from ropewalk.numerics.blocksparse import WORTH_FROM, BlockFactor, analyse, no_factor, order_by_degree, solve_blocks
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.dense import solve_scaled


class Elimination(NamedTuple):
    """Memory of the elimination; filled by `eliminate_line`, read by `substitute_line`."""

    gain: Array  # (n_nodes, 4, 4) motion of a node per unknown of the next
    offset: Array  # (n_nodes, 4)
    reach: Array  # (n_nodes, 4, 3) motion of a node per motion of the line's first node
    end_block: Array  # (n_lines, 4, 4) of the last node and the last tension
    end_right: Array  # (n_lines, 4)
    far: Array  # (n_lines, 8, 8) of the first node, of lines with two free ends; see `carry_far_end`
    matrix: Array  # (m, m) of the junctions
    right: Array  # (m,)
    grip: Grip  # of the bed on the nodes
    relief: Ints  # (1,) 0, PUSH or RESTART of steps.py: whether elements may push for once, to get past going slack
    corner: Array  # (8, 4), of `carry_far_end`
    factor: BlockFactor  # of the junctions; empty where they are solved at once
    walks: Walks  # lines that go side by side


def allocate_elimination(mesh: Mesh, lanes: bool) -> Elimination:
    """Memory for one Newton iteration.  lanes : of `plan_walks`"""
    n_nodes, n_lines = mesh.s.size, mesh.line.shape[0]
    m = int(mesh.dof_start[-1]) + n_lines + link_rows(mesh.bodies.links)
    return Elimination(
        gain=np.zeros((n_nodes, 4, 4)),
        offset=np.zeros((n_nodes, 4)),
        reach=np.zeros((n_nodes, 4, 3)),
        end_block=np.zeros((n_lines, 4, 4)),
        end_right=np.zeros((n_lines, 4)),
        far=np.zeros((n_lines, 8, 8)),
        matrix=np.zeros((m, m)),
        right=np.zeros(m),
        grip=no_grip(mesh.node.shape[0]),
        relief=np.zeros(1, dtype=np.int64),
        corner=np.zeros((8, 4)),
        factor=junction_factor(mesh, mesh.line.junction),
        walks=plan_walks(mesh, lanes),
    )


@kernel(inline="always")
def junction_terms(now, mesh, fluid, step, memory):
    """Lumped things, forces (N) and springs of the free junctions, put into the emptied dense system.

    Bookkeeping: empties the matrix and calls `point_terms`.
    """
    for p in range(memory.right.size):
        for q in range(memory.right.size):
            memory.matrix[p, q] = 0.0
    point_terms(now, mesh, fluid, step, memory)


@kernel(**UNCOUNTED)
def point_terms(now, mesh, fluid, step, memory):
    """As `junction_terms`, into a matrix that is empty already. Bodies have terms of their own.

    Source: docs/theory/mixed_elements.md, Elimination: e^T K e - df/dx and e^T F + f(x) along free axes e,
    with x = e . (r - r_0).

    now : `Instant`    fluid, step : of `element_system`    memory : `Elimination`
    """
    dof, dof_start, A, b = mesh.dof, mesh.dof_start, memory.matrix, memory.right
    lumps = lumps_of(mesh, memory.grip)
    for p in range(b.size):
        b[p] = 0.0
    for j in range(mesh.motion.size - mesh.bodies.body.shape[0]):
        d0, d1 = dof_start[j], dof_start[j + 1]
        if d0 == d1:
            continue
        row = mesh.s.size + j
        R, K = node_terms(row, now, lumps, fluid, step)
        for d in range(d0, d1):
            axis = axis_of(dof[d])
            ahead, way = row_onto(axis, K), sub3(three(now.r, row), three(mesh.reference, j))
            pull, slope = spring_pull(dof[d], way)
            b[d] += pull - dot(axis, R)
            for c in range(d0, d1):
                A[d, c] += dot(ahead, axis_of(dof[c]))
            A[d, d] += slope


@kernel(**UNCOUNTED)
def add_line(line, mesh, memory):
    """Put the end blocks of a line into the dense system.

    Source: A = A + J^T D J, end blocks of a line by the levers J of its ends; docs/theory/mixed_elements.md,
    Elimination.
    """
    lines, dof_start, end_body, lever = mesh.line, mesh.dof_start, mesh.bodies.end_body, mesh.bodies.memory.lever
    D, g, far, A, b = memory.end_block, memory.end_right, memory.far, memory.matrix, memory.right
    k = mesh.dof.shape[0] + line
    j = lines[line].junction[1]
    dj, nj = dof_start[j], dof_start[j + 1] - dof_start[j]
    A[k, k] = D[line, 3, 3]
    b[k] = g[line, 3]
    on_body = end_body[line, 1] >= 0
    if on_body and nj > 0:
        K = (D[line, 0, 0], D[line, 0, 1], D[line, 0, 2], D[line, 1, 0], D[line, 1, 1], D[line, 1, 2],
             D[line, 2, 0], D[line, 2, 1], D[line, 2, 2])  # fmt: skip
        up, row = (D[line, 0, 3], D[line, 1, 3], D[line, 2, 3]), (D[line, 3, 0], D[line, 3, 1], D[line, 3, 2])
        add_body_end(line, lever, dj, k, (K, up, row, (g[line, 0], g[line, 1], g[line, 2])), A, b)
    for d in range(0 if on_body else nj):
        for p in range(3):
            w = lever[line, 1, d, p]
            if w == 0.0:
                continue
            b[dj + d] += w * g[line, p]
            A[dj + d, k] += w * D[line, p, 3]
            A[k, dj + d] += w * D[line, 3, p]
            for c in range(nj):
                for q in range(3):
                    A[dj + d, dj + c] += w * D[line, p, q] * lever[line, 1, c, q]
    if lines[line].two_sided == 0:
        return
    i = lines[line].junction[0]
    di, ni = dof_start[i], dof_start[i + 1] - dof_start[i]
    for d in range(ni):
        for p in range(3):
            w = lever[line, 0, d, p]
            b[di + d] += w * far[line, p, 7]
            A[di + d, k] += w * far[line, p, 6]
            A[k, di + d] += w * far[line, 6, p]
            for q in range(3):
                for c in range(ni):
                    A[di + d, di + c] += w * far[line, p, q] * lever[line, 0, c, q]
                for c in range(nj):
                    A[di + d, dj + c] += w * far[line, p, 3 + q] * lever[line, 1, c, q]
                    A[dj + c, di + d] += lever[line, 1, c, p] * far[line, 3 + p, q] * lever[line, 0, d, q]
    if end_body[line, 0] >= 0:
        add_end_turn(line, 0, lever, di, (far[line, 0, 7], far[line, 1, 7], far[line, 2, 7]), A)


@kernel(**UNCOUNTED)
def jump(j, mesh, right):
    """Displacement (m) of junction j in the solution of the dense system.

    Source: x = sum_d q_d e_d over its free axes e_d, docs/theory/mixed_elements.md, Elimination.
    """
    x = ZERO3
    for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
        x = add3(x, scale3(right[d], axis_of(mesh.dof[d])))
    return x


@kernel(**UNCOUNTED)
def end_jump(line, side, mesh, right):
    """Displacement (m) of an end of a line in the solution of the dense system.

    Source: x = G q with the levers G = dr/dq of the end, docs/theory/bodies.md, Coupling.
    """
    j = mesh.line[line].junction[side]
    lever = mesh.bodies.memory.lever[line, side]
    x = ZERO3
    for d in range(mesh.dof_start[j + 1] - mesh.dof_start[j]):
        x = add3(x, scale3(right[mesh.dof_start[j] + d], (lever[d, 0], lever[d, 1], lever[d, 2])))
    return x


# What may make arrays is called through kernels that count; without branches these count little.


@kernel(**COUNTED)
def _add_links(X, mesh, gp, A, b):
    """Adds the links to the dense system. Bookkeeping: calls `add_links`, compiled on its own."""
    add_links(X, mesh, gp, A, b)


@kernel(**COUNTED)
def _steady_bodies(mesh, A, b):
    """Steadies bodies in the dense system. Bookkeeping: calls `steady_bodies`, compiled on its own."""
    steady_bodies(mesh, A, b)


@kernel(**COUNTED)
def _pull_links(X, mesh, right, share):
    """Moves the forces of links (N). Bookkeeping: calls `pull_links`, compiled on its own."""
    return pull_links(X, mesh, right, share)


@kernel(separate=True, **UNCOUNTED)
def newton_iteration(X, T, flow, mesh, fluid, step, share, memory):
    r"""One Newton iteration in place; returns the largest move (m) and change of tension (N), infinite on failure.

    .. math:: \begin{pmatrix} \beta' M + \gamma' C + K & G^T \\ G & -C_T \end{pmatrix}
              \begin{pmatrix} \delta r \\ \delta T \end{pmatrix} = -\begin{pmatrix} R \\ g \end{pmatrix}

    Source: [Montano2005] with block elimination; docs/theory/mixed_elements.md, Elimination.

    And the largest length error (m) left at kinks that were passed; see `substitute_line`. Lines side by side move in
    their walks only: `give_back` of side_by_side.py copies them here.

    X : (4, n_nodes + n_junctions, 3) positions, velocities, accelerations and the scheme's own
    T : (n_elements,) N    flow : (n_nodes + n_junctions, 8) of the water    fluid : rho (kg/m3), g (m/s2)
    step : beta', gamma' of the scheme    share : of the correction that is made, 1 for plain Newton
    """
    now, (bp, gp) = instant(X, T, flow), step
    r, v, a = now.r, now.v, now.a
    n_lines = mesh.line.shape[0]
    n_dofs = mesh.dof.shape[0]
    n_nodes = mesh.s.size
    right = memory.right
    has_bodies, has_links = mesh.bodies.body.shape[0] > 0, mesh.bodies.links.link.shape[0] > 0
    walks = memory.walks
    has_walks = walks.in_use[0] == 1
    if has_walks and not eliminate_groups(mesh, fluid, step, memory):
        return np.inf, np.inf, np.inf
    for line in range(n_lines):
        if has_walks and walks.alone[line] == 0:
            continue
        if not eliminate_line(line, now, mesh, fluid, step, memory):
            return np.inf, np.inf, np.inf
    if n_dofs > 0:
        is_sparse = memory.factor.own.size > 0
        if is_sparse:  # the sparse solve leaves the matrix empty
            point_terms(now, mesh, fluid, step, memory)
        else:
            junction_terms(now, mesh, fluid, step, memory)
        if has_links:
            _add_links(X, mesh, gp, memory.matrix, right)
        if has_bodies:
            add_bodies(X, flow, mesh, fluid, step, memory.matrix, right)
        for line in range(n_lines):
            add_line(line, mesh, memory)
        if gp == 0.0 and has_bodies:
            _steady_bodies(mesh, memory.matrix, right)
        if is_sparse:
            if not solve_blocks(memory.matrix, right, memory.factor):
                return np.inf, np.inf, np.inf
        elif not solve_scaled(memory.matrix, right):
            return np.inf, np.inf, np.inf
    else:
        for line in range(n_lines):
            right[line] = memory.end_right[line, 3] / memory.end_block[line, 3, 3]
    move = 0.0
    kick = 0.0
    miss = 0.0
    if has_walks:
        _hand_jumps(mesh, right, walks)
        move, kick, miss = substitute_groups(mesh, step, share, memory)
    for line in range(n_lines):
        if has_walks and walks.alone[line] == 0:
            continue
        jumps = (end_jump(line, 0, mesh, right), end_jump(line, 1, mesh, right), right[n_dofs + line])
        m, k, left = substitute_line(line, now, mesh, step, share, memory, jumps)
        move, kick, miss = max(move, m), max(kick, k), max(miss, left)
    if n_dofs == 0:  # all ends stay where they are
        return move, kick, miss
    for j in range(mesh.motion.size):
        x = scale3(share, jump(j, mesh, right))
        for p in range(3):
            r[n_nodes + j, p] += x[p]
            v[n_nodes + j, p] += gp * x[p]
            a[n_nodes + j, p] += bp * x[p]
            move = max(move, abs(x[p]))
    if has_bodies:
        move = max(move, turn_bodies(X, mesh, right, share, step))
    if has_links:
        kick = max(kick, _pull_links(X, mesh, right, share))
    join_ends(X, mesh)
    if has_walks:
        take_ends(X, walks)
    return move, kick, miss


@kernel(**UNCOUNTED)
def _hand_jumps(mesh, right, walks):
    """Give the whole lines among the walks the displacements of their ends (m) and the changes of their last tensions.

    Bookkeeping.
    """
    n_dofs = mesh.dof.shape[0]
    for g in range(walks.first.size):
        for k in range(walks.used[g]):
            if walks.part[g, k] == WHOLE:
                line = walks.line[g, k]
                x = end_jump(line, 1, mesh, right)
                for p in range(3):
                    walks.jump[g, p, k] = x[p]
                walks.jump[g, 3, k] = right[n_dofs + line]


@kernel(forceinline=True, **UNCOUNTED)
def join_ends(X, mesh):
    """Put the end nodes of all lines where their junctions are (m).

    Source: r = x + o, on bodies r = x + R o; docs/theory/bodies.md, Coupling.
    """
    lines, node_start, end_offset, n_nodes = mesh.line, mesh.node_start, mesh.end_offset, mesh.s.size
    for line in range(lines.shape[0]):
        for side in range(2):
            n = node_start[line] if side == 0 else node_start[line + 1] - 1
            j = n_nodes + lines[line].junction[side]
            for p in range(3):
                X[0, n, p] = X[0, j, p] + end_offset[line, side, p]
                X[1, n, p] = X[1, j, p]
                X[2, n, p] = X[2, j, p]
    if mesh.bodies.body.shape[0] > 0:
        place_ends(X, mesh)


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
