r"""Arcs, nodes and free bodies put together: constraints and their exact derivative.

Unknowns: the free components of the nodes (points, and cuts of long arcs), position and a rotation vector
of each free body, and the force n at the start of each arc. Constraints, as many: the balance of forces
along each free component (virtual work of all forces on the node or body), and the miss of each arc's far
end ([Surmont2025], sec. 3.3, with the sign of errata in docs/theory/shooting.md). A cut inside a line is
a free node, so multiple shooting is a special case of multi-body shooting.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.assembly.string import ALL, FORCE_ONLY, STATE, float_force
from ropewalk.loads.body import Shells, still_block
from ropewalk.loads.given import spring_pull
from ropewalk.methods.shooting.pegs import PLACE0, PLACE1, add_tension, peg_block, slide, slope_at
from ropewalk.methods.shooting.shot import ARRIVED, LOG, Arc, shoot, start_state
from ropewalk.model.arrays import Array, Flags, Ints, Records, records
from ropewalk.numerics.blockelimination import scale3
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.numerics.rotations import quaternion_to_matrix

LOCAL = 17  # unknowns an arc touches: six of what holds its start, six of its end, its own three, places of two pegs


class Arcs(NamedTuple):
    """Stretches of line that are shot along."""

    line: Ints  # (n,) which line
    reverse: Flags  # (n,) shot towards end A
    offset: Array  # (n,) s of the arc's start, from end A of the line, m; moves with a peg
    first: Ints  # (n,) spans first:last
    last: Ints  # (n,)
    node: Ints  # (n, 2) at start and end
    dof: Ints  # (n, LOCAL), -1 where there is none
    length: Array  # (n,) m; moves with a peg
    force: Array  # (n,) scale, N
    slack: Array  # (n,) smallest force, that gives a slack place a direction, N
    on_bed: Ints  # (n,) HANGING, SLIDING or STRAIGHT at the start
    lift: Array  # (n, 2) how far the axis at the start and at the end rests above its node, m
    active: Ints  # (n,) FORCE_ONLY or ALL: derivatives to be integrated
    spans: Records  # (k,) of SPAN; those beside a peg are cut where it is
    laws: Ints  # (k, 3)
    law_data: Array
    slides: bool  # some arc begins or ends at a peg
    source: Records  # (k,) of SPAN the spans uncut; empty if none slides
    edge: Array  # (n, 2) s of the start and end from end A, where they do not slide, m
    total: Array  # (n,) length of the line, m
    brake: Array  # (n,) N/m, on the peg at the end, against its way from `home`; none in an answer
    home: Array  # (n,) m


class Nodes(NamedTuple):
    """Where arcs meet. A node is a point with a joint, or a place on a free body."""

    body: Ints  # (n,) index into Rigid, -1 for a point
    offset: Array  # (n, 3) in the body frame, m
    frame: Array  # (n, 3, 3) rows are the axes of the joint
    home: Array  # (n, 3) components along the axes: where it is held, or where a spring pulls to, m
    dof: Ints  # (n, 6) -1 where held
    axis: Records  # (n, 3) of AXIS of model/joints.py
    force: Array  # (n, 3) weight included, N
    volume: Array  # (n,) m3
    drag: Array  # (n,) drag area, m2
    ceiling: Array  # (n,) height above which Newton does not look for it: floats stay in the water, m
    tail: Flags  # (n,) nothing holds it and one arc starts there
    any_free: bool  # some point has a free component
    slide_dof: Ints  # (m, 3) unknown of each peg's place on its line, and of the pegs before and after it, -1 for none
    slide_edge: Array  # (m, 2) m, ends or cuts of the line in place of those


class NodePlaces(NamedTuple):
    """Of `Nodes` what `place` reads: handing an array to a kernel takes 0.1 us, a whole shot some ten."""

    body: Ints
    offset: Array
    frame: Array
    home: Array
    dof: Ints


class BodyPlaces(NamedTuple):
    """Of `Rigid` what `place` reads."""

    dof: Ints


class Rigid(NamedTuple):
    """Free bodies."""

    which: Ints  # (b,) index in the model
    dof: Ints  # (b, 6)
    body: Records  # (b,) of BODY of loads/body.py
    shells: Shells  # of the model
    scale: Array  # (b,) N
    lever: Array  # (b,) m


def places(nodes: Nodes, rigid: Rigid) -> tuple[NodePlaces, BodyPlaces]:
    """What `place` takes of them: with other types it would be compiled again."""
    return NodePlaces(nodes.body, nodes.offset, nodes.frame, nodes.home, nodes.dof), BodyPlaces(rigid.dof)


class Result(NamedTuple):
    """What `evaluate` fills."""

    residual: Array  # (n,) N, N m or m
    arc_blocks: Array  # (n_arcs, LOCAL, LOCAL)
    node_blocks: Array  # (n_nodes, 3, 3)
    body_blocks: Array  # (n_bodies, 6, 6)
    end_state: Array  # (n_arcs, ALL)
    log: Records  # (n_arcs,) of LOG


def result_memory(n: int, n_arcs: int, n_nodes: int, n_bodies: int) -> Result:
    """Memory for `evaluate` with n unknowns."""
    return Result(
        np.zeros(n),
        np.zeros((n_arcs, LOCAL, LOCAL)),
        np.zeros((n_nodes, 3, 3)),
        np.zeros((n_bodies, 6, 6)),
        np.zeros((n_arcs, ALL)),
        records(n_arcs, LOG),
    )


@kernel
def arc_of(arcs, a):
    """Arc a of `Arcs`, as :func:`shoot` takes it."""
    return Arc(
        arcs.first[a], arcs.last[a], arcs.spans, arcs.laws, arcs.law_data, arcs.length[a], arcs.force[a], arcs.slack[a]
    )


@kernel
def place(k, nodes, rigid, x, quaternions, position, map_, arm):
    r"""Position (3,) of node k (m), the map (3, 6) from its unknowns to its displacement, and its lever (3,).

    .. math:: r = x + R\,o, \qquad \delta r = \delta x + \theta \times R o

    Source: docs/theory/shooting.md, Assemblies.
    """
    map_[:, :] = 0.0
    b = nodes.body[k]
    if b >= 0:
        R = quaternion_to_matrix(quaternions[b])
        for i in range(3):
            arm[i] = R[i, 0] * nodes.offset[k, 0] + R[i, 1] * nodes.offset[k, 1] + R[i, 2] * nodes.offset[k, 2]
            position[i] = x[rigid.dof[b, i]] + arm[i]
            map_[i, i] = 1.0
        map_[0, 4], map_[0, 5] = arm[2], -arm[1]
        map_[1, 3], map_[1, 5] = -arm[2], arm[0]
        map_[2, 3], map_[2, 4] = arm[1], -arm[0]
        return
    for i in range(3):
        position[i] = 0.0
    for j in range(3):
        free = nodes.dof[k, j] >= 0
        c = x[nodes.dof[k, j]] if free else nodes.home[k, j]
        for i in range(3):
            position[i] += c * nodes.frame[k, j, i]
            if free:
                map_[i, j] = nodes.frame[k, j, i]


@kernel
def add_arcs(arcs, nodes, rigid, sea, x, quaternions, tolerance, pair, derivatives, out):
    r"""Shoot along all arcs; add forces (N) and closure errors (m) to the residual and, on request, fill their blocks.

    .. math:: C = r(s_1) - r_1, \qquad \sum F_\mathrm{node} \mathrel{+}= n(s_0),\ -n(s_1)

    Source: [Surmont2025], sec. 3.3; docs/theory/shooting.md, Assemblies.

    Returns ARRIVED, or how the first bad shot ended.  nodes : `NodePlaces`    rigid : `BodyPlaces`

    Ten arguments: the parts of the case (4), the unknowns (2), how to integrate (2), and what to fill (2).
    """
    p0, p1, arm0, arm1, n0 = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    map0, map1 = np.empty((3, 6)), np.empty((3, 6))
    none, nowhere = np.empty(0), np.empty((0, STATE))
    before, after, box = np.zeros(STATE), np.zeros(STATE), np.empty((3, 3, 3))
    residual = out.residual
    if arcs.slides:
        slide(arcs, x)
    for a in range(arcs.line.size):
        k0, k1 = arcs.node[a, 0], arcs.node[a, 1]
        place(k0, nodes, rigid, x, quaternions, p0, map0, arm0)
        place(k1, nodes, rigid, x, quaternions, p1, map1, arm1)
        dof = arcs.dof[a]
        for i in range(3):
            n0[i] = x[dof[12 + i]]
            p0[i] += arcs.lift[a, 0] * sea.bed_normal[i]
            p1[i] += arcs.lift[a, 1] * sea.bed_normal[i]
        y = out.end_state[a]
        start_state(p0, n0, y)
        at_peg = dof[PLACE0] >= 0 or dof[PLACE1] >= 0
        if at_peg:
            slope_at(arcs, a, y, False, sea, box, before)
        m = arcs.active[a] if derivatives else STATE
        status = shoot(y, m, arc_of(arcs, a), sea, arcs.on_bed[a], (tolerance, pair), (none, nowhere), out.log[a])
        if status != ARRIVED:
            return status
        for j in range(6):
            if dof[j] >= 0:
                residual[dof[j]] += map0[0, j] * n0[0] + map0[1, j] * n0[1] + map0[2, j] * n0[2]
            if dof[6 + j] >= 0:
                residual[dof[6 + j]] -= map1[0, j] * y[3] + map1[1, j] * y[4] + map1[2, j] * y[5]
        for i in range(3):
            residual[dof[12 + i]] = y[i] - p1[i]
        if derivatives:
            _arc_block(y, n0, map0, map1, arm0, arm1, nodes.body[k0] >= 0, nodes.body[k1] >= 0, out.arc_blocks[a])
        if at_peg:
            add_tension(arcs, a, n0, x, y, residual)
            if derivatives:
                slope_at(arcs, a, y, True, sea, box, after)
                peg_block(arcs, a, y, n0, before, after, map0, map1, out.arc_blocks[a])
    return ARRIVED


@kernel(**UNCOUNTED)
def _arc_block(y, n0, map0, map1, arm0, arm1, turns0, turns1, block):
    r"""Derivative of an arc's share of the residual by the unknowns it touches.

    .. math:: \frac{\partial C}{\partial n_0} = \Phi_{rn}, \quad \frac{\partial C}{\partial r_0} = \Phi_{rr}, \quad
              \frac{\partial C}{\partial r_1} = -1, \quad \frac{\partial F_1}{\partial n_0} = -\Phi_{nn}

    Source: [Surmont2025], sec. 3.3, with levers on bodies; docs/theory/shooting.md, Assemblies.

    Nine arguments: the state, the force at the start, the places of both ends (3 each), and the block.
    """
    block[:, :] = 0.0
    for i in range(3):
        for j in range(6):
            block[j, 12 + i] = map0[i, j]
            block[12 + i, 6 + j] = -map1[i, j]
        for c in range(3):
            block[12 + i, 12 + c] = y[STATE + 6 * c + i]
            for j in range(6):
                block[6 + j, 12 + c] -= map1[i, j] * y[STATE + 6 * c + 3 + i]
    for j in range(6):
        for i in range(3):
            position, force = 0.0, 0.0
            for c in range(3):
                position += y[FORCE_ONLY + 6 * c + i] * map0[c, j]
                force += y[FORCE_ONLY + 6 * c + 3 + i] * map0[c, j]
            block[12 + i, j] += position
            for q in range(6):
                block[6 + q, j] -= map1[i, q] * force
    if turns0:
        _turn(n0[0], n0[1], n0[2], arm0, block, 3)
    if turns1:
        _turn(-y[3], -y[4], -y[5], arm1, block, 9)


@kernel(**UNCOUNTED)
def _turn(fx, fy, fz, arm, block, at):
    """A force keeps its direction while its lever turns (N m): d(arm x F) = arm (theta.F) - theta (arm.F).

    Source: docs/theory/assemblies.md, The exact 6 x 6 stiffness.
    """
    dot = arm[0] * fx + arm[1] * fy + arm[2] * fz
    for i in range(3):
        block[at + i, at] += arm[i] * fx
        block[at + i, at + 1] += arm[i] * fy
        block[at + i, at + 2] += arm[i] * fz
        block[at + i, at + i] -= dot


@kernel
def add_nodes(nodes, rigid, sea, x, quaternions, out):
    """Weight, buoyancy, drag, force and springs of the points (N), with their derivatives (N/m).

    Source: docs/theory/shooting.md, Assemblies: F = F_0 + water (loads/point.py) + f(e . (r - r_0)).
    """
    position, arm, force = np.empty(3), np.empty(3), np.empty(3)
    map_ = np.empty((3, 6))
    held, turning = NodePlaces(nodes.body, nodes.offset, nodes.frame, nodes.home, nodes.dof), BodyPlaces(rigid.dof)
    for k in range(nodes.body.size):
        if nodes.body[k] >= 0:
            continue
        place(k, held, turning, x, quaternions, position, map_, arm)
        for i in range(3):
            force[i] = nodes.force[k, i]
        gx, gy, gz = float_force(position, nodes.volume[k], nodes.drag[k], sea, force)
        block = out.node_blocks[k]
        for j in range(3):
            axis = nodes.frame[k, j]
            for i in range(3):
                block[j, i] = (axis[0] * gx + axis[1] * gy + axis[2] * gz) * nodes.frame[k, i, 2]
            row = nodes.dof[k, j]
            if row < 0:
                continue
            way = scale3(x[row] - nodes.home[k, j], (axis[0], axis[1], axis[2]))
            pull, slope = spring_pull(nodes.axis[k, j], way)
            block[j, j] -= slope
            out.residual[row] += pull + axis[0] * force[0] + axis[1] * force[1] + axis[2] * force[2]


@kernel
def add_bodies(rigid, sea, x, quaternions, out):
    """Weight, buoyancy, loads and linear stiffness of the free bodies (N, N m), with their derivatives.

    Source: C_q = C_q + W(q), docs/theory/shooting.md, Assemblies; W is minus the block of :func:`still_block`.
    """
    block, fluid = np.empty((6, 7)), (sea.water_density, sea.gravity)
    for b in range(rigid.body.size):
        dof = rigid.dof[b]
        place = (x[dof[0]], x[dof[1]], x[dof[2]])
        still_block(rigid.body[b], place, quaternions[b], fluid, rigid.shells, block)
        for i in range(6):
            out.residual[dof[i]] -= block[i, 6]
            for j in range(6):
                out.body_blocks[b, i, j] = -block[i, j]


def evaluate(
    arcs: Arcs, nodes: Nodes, rigid: Rigid, sea: Any, x: Array, quaternions: Array, tolerance: float, pair: int,
    derivatives: bool, out: Result,
) -> int:  # fmt: skip
    """Residual at x, and on request its derivative in blocks; returns ARRIVED, or how the first bad shot ended.

    Ten arguments: those of :func:`add_arcs`.
    """
    out.residual[:] = 0.0
    status: int = add_arcs(arcs, *places(nodes, rigid), sea, x, quaternions, tolerance, pair, derivatives, out)
    if status == ARRIVED and nodes.any_free:
        add_nodes(nodes, rigid, sea, x, quaternions, out)
    if status == ARRIVED and rigid.body.size:
        add_bodies(rigid, sea, x, quaternions, out)
    return status


@kernel(**UNCOUNTED)
def gather(arcs, nodes, rigid, out, matrix):
    """Sum the blocks of `out` into a dense matrix.

    Source: J = sum of the blocks of arcs, nodes and bodies, docs/theory/shooting.md, Assemblies.
    """
    matrix[:, :] = 0.0
    for a in range(arcs.line.size):
        dof = arcs.dof[a]
        for i in range(LOCAL):
            if dof[i] >= 0:
                for j in range(LOCAL):
                    if dof[j] >= 0:
                        matrix[dof[i], dof[j]] += out.arc_blocks[a, i, j]
    for k in range(nodes.body.size):
        if nodes.body[k] < 0:
            for i in range(3):
                if nodes.dof[k, i] >= 0:
                    for j in range(3):
                        if nodes.dof[k, j] >= 0:
                            matrix[nodes.dof[k, i], nodes.dof[k, j]] += out.node_blocks[k, i, j]
    for b in range(rigid.body.size):
        for i in range(6):
            for j in range(6):
                matrix[rigid.dof[b, i], rigid.dof[b, j]] += out.body_blocks[b, i, j]
