"""What a moment of a run by mixed elements shows: nodes, tensions, forces at ends and points, lengths on the bed.

Moments are put on a `Tape` in compiled code, as results have them: nodes from end A to end B of each line. Only what is
read of the balance is computed: the water and the forces at the ends of lines and at points.
"""

from __future__ import annotations

from itertools import accumulate
from math import prod
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.anchor import SHORTEST, carried, held_end_friction
from ropewalk.assembly.element import axial, axis_of, element_system, elements_of, instant, three
from ropewalk.assembly.mesh import Mesh
from ropewalk.loads.bed import grip_pull, ground, penetration, press, pressure, slid
from ropewalk.loads.cut import vector
from ropewalk.loads.given import spring_pull
from ropewalk.loads.grip import friction_of
from ropewalk.loads.sea import water_at
from ropewalk.methods.mixed.ledger import motion_energy
from ropewalk.methods.mixed.ledger_forces import POWERS, columns
from ropewalk.methods.mixed.nodes import lumps_of, node_terms
from ropewalk.model.arrays import Array, Ints
from ropewalk.numerics.blockelimination import COUNTED, FUSED, UNCOUNTED, ZERO3, add3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.held import held
from ropewalk.numerics.lanes import WIDTH, lanes_at, put_lanes
from ropewalk.numerics.rotations import quaternion_rotate
from ropewalk.physics.rigidbody import cross3, turned
from ropewalk.physics.waves import COLUMNS


class Reading(NamedTuple):
    """What reading a mesh needs and does not change with time, unless a winch turns; and scratch memory."""

    s: Array  # (n_nodes,) m from end A, in the order of results
    order: Ints  # (n_nodes,) nodes of the mesh in the order of results
    element: Ints  # (n_nodes,) element from each node to the next, in the order of results; -1 at end B
    weight: Array  # (n_nodes, 2) of the element before and after a node: each counts by the length of the other
    share: Array  # (n_nodes,) m of line around each node
    laid: Ints  # (n_lines, 2) 1 for ends that are held on the bed
    footed: Array  # (n_lines, 2) share of the contact with the bed there that free points at the ends have
    moved: Ints  # (n_lines, 2) 1 for ends on a bed whose motion is given
    width: Array  # (n_lines, 2) of contact of the lines there, m
    rows: Ints  # (m,) of nodes and junctions at which the water has to be known
    place: Array  # (m, 3) m, of these rows; scratch
    water: Array  # (m, COLUMNS) at these rows; scratch


class Tape(NamedTuple):
    """Moments one after the other: fields of State with the moment as first axis, and terms of the energy ledger."""

    time: Array  # (n,)
    point_position: Array  # (n, n_points, 3)
    point_velocity: Array  # (n, n_points, 3)
    point_force: Array  # (n, n_points, 3)
    body_position: Array  # (n, n_bodies, 3)
    body_quaternion: Array  # (n, n_bodies, 4)
    body_velocity: Array  # (n, n_bodies, 3)
    body_rate: Array  # (n, n_bodies, 3)
    position: Array  # (n, n_nodes, 3)
    velocity: Array  # (n, n_nodes, 3)
    tension: Array  # (n, n_nodes)
    element_tension: Array  # (n, n_nodes)
    end_force: Array  # (n, n_lines, 2, 3)
    grounded: Array  # (n, n_lines)
    wrench: Array  # (n, n_bodies, 6) of the lines on each body about its origin, world, N and N m
    stored: Array  # (n, 3) J, kinetic, elastic and potential energy
    work: Array  # (n, POWERS) J since the start, by kind
    worst: Array  # (1,) largest length error of an element in the moments kept so far, as a share of it


NOT_OF_STATES = ("time", "wrench", "stored", "work", "worst")  # fields of a tape that are none of a State
OF_STATES = [(i, name) for i, name in enumerate(Tape._fields) if name not in NOT_OF_STATES]


def new_tape(n: int, mesh: Mesh, worst: Array) -> Tape:
    """Room for n moments, to be filled by `keep_moment`.  worst : of the tape, goes on from what it holds"""
    n_nodes, n_lines, n_bodies = mesh.s.size, mesh.line.shape[0], mesh.bodies.body.shape[0]
    n_points = mesh.motion.size - n_bodies
    shapes = [
        (), (n_points, 3), (n_points, 3), (n_points, 3), (n_bodies, 3), (n_bodies, 4), (n_bodies, 3), (n_bodies, 3),
        (n_nodes, 3), (n_nodes, 3), (n_nodes,), (n_nodes,), (n_lines, 2, 3), (n_lines,), (n_bodies, 6), (3,),
        (POWERS,),
    ]  # fmt: skip
    sizes = [n * prod(shape) for shape in shapes]
    block, ends = (
        np.empty(sum(sizes)),
        [*accumulate(sizes)],
    )  # one piece of memory: the system hands out large ones faster
    pairs = zip(sizes, ends, shapes, strict=True)
    arrays = [block[end - size : end].reshape(n, *shape) for size, end, shape in pairs]
    return Tape(*arrays, worst)  # type: ignore[call-arg]  # of as many arrays as it has fields


def reading_of(mesh: Mesh, s: Array, footing: Array, width: Array) -> Reading:
    """Prepare to read lines whose nodes are at s (n_nodes,), m, in the order of the mesh.

    footing : (n_lines, 2) of `point_footings`, m2    width : (n_lines, 2) of `end_widths`, m
    """
    n_lines, flips, bed_area = mesh.line.shape[0], mesh.line["flipped"] == 1, mesh.node["bed_area"]
    ends = np.stack([mesh.node_start[:-1], mesh.node_start[1:] - 1], axis=1)
    beside = ends + np.array([1, -1])
    is_inner = np.ones(s.size, dtype=bool)
    is_inner[ends] = False
    inner = np.flatnonzero(is_inner)
    length = np.abs(np.diff(s))  # the differences across lines are never used
    left, right = length[inner - 1], length[inner]
    order, element = np.arange(s.size), np.full(s.size, -1)
    for line in range(n_lines):
        own = np.arange(mesh.element_start[line], mesh.element_start[line + 1])
        nodes, step = slice(ends[line, 0], ends[line, 1] + 1), -1 if flips[line] else 1
        order[nodes] = order[nodes][::step].copy()
        element[nodes.start : nodes.stop - 1] = own[::step]
    weight, share = np.zeros((s.size, 2)), np.zeros(s.size)
    weight[inner] = np.stack([right, left], axis=1) / (left + right)[:, None]
    share[inner] = 0.5 * (left + right)
    share[ends[:, 0]] = 0.5 * length[ends[:, 0]]
    share[ends[:, 1]] = 0.5 * length[ends[:, 1] - 1]
    bare = bed_area[ends] == 0.0 if mesh.has_bed else np.zeros((n_lines, 2), dtype=bool)
    flipped, junction = flips[:, None], mesh.line["junction"]
    moved = mesh.has_bed & (np.diff(mesh.dof_start)[junction] == 0) & (mesh.motion[junction] >= 0)
    walked = np.where(flipped, footing[:, ::-1], footing)
    points = np.arange(s.size, s.size + mesh.motion.size - mesh.bodies.body.shape[0])
    node = mesh.node.view(np.ndarray)[points]
    lumps = points[(node["volume"] != 0.0) | (node["drag_area"] != 0.0) | (node["added"] != 0.0)]  # not `is_bare`
    rows = np.unique(np.concatenate([ends.ravel(), beside.ravel(), lumps]))
    return Reading(
        s=s[order],
        order=order.astype(np.int64),
        element=element.astype(np.int64),
        weight=weight,
        share=share,
        laid=np.ascontiguousarray(bare, dtype=np.int64),
        footed=np.ascontiguousarray(walked / np.where(walked > 0.0, bed_area[ends], 1.0)),
        moved=np.ascontiguousarray(moved, dtype=np.int64),
        width=np.ascontiguousarray(np.where(flipped, width[:, ::-1], width)),
        rows=rows.astype(np.int64),
        place=np.zeros((rows.size, 3)),
        water=np.zeros((rows.size, COLUMNS)),
    )


@kernel
def first_moment(mesh, sea, work, reading, tape):
    """As `keep_moment` on place 0 of a tape, from outside of kernels."""
    _first_moment(held(mesh), held(sea), held(work), held(reading), held(tape))


@kernel(separate=True)
def _first_moment(mesh, sea, work, reading, tape):
    """As `first_moment`, of held tuples, as which marches have all that is read."""
    keep_moment(0, mesh, sea, work, reading, tape)


@kernel(forceinline=True, **UNCOUNTED)
def keep_moment(i, mesh, sea, work, reading, tape):
    """Put the present state of `work` (SI) on place i of a tape. Bookkeeping: the order in which its parts are filled.

    work : of the steps; its `flow` and `nodes` are used as scratch
    """
    X, T, nodes, grip = work.now.X, work.now.T, work.nodes, work.memory.grip
    tape.time[i] = work.clock[0].time
    _water_at_ends(X[0], work.clock[0].time, sea, reading, work.flow)
    _balance_ends(X, T, work.flow, mesh, (sea.water_density, sea.gravity), grip, nodes)
    _hold_ends(X, mesh, reading, grip, nodes)
    _keep_nodes(i, X, T, mesh, reading, tape)
    _keep_ends(i, X[0], mesh, reading.share, nodes, tape)
    _keep_points(i, X, mesh, nodes, tape)
    if mesh.bodies.body.shape[0] > 0:
        _keep_bodies(i, X, mesh, tape)
        _keep_wrenches(i, X[0], mesh, nodes, tape)
    if work.count[0].steps > 0:  # before, velocities may have jumped by which damping is strained and tensions not yet
        _note_misses(instant(X, T, work.flow), mesh, tape.worst)


@kernel(**UNCOUNTED)
def _water_at_ends(r, t, sea, reading, flow):
    """Water at the rows of a reading at time t (s), into their rows of flow (n_rows, COLUMNS).

    Bookkeeping: copies for `water_at`.
    """
    rows, place, water = reading.rows, reading.place, reading.water
    for k in range(rows.size):
        for p in range(3):
            place[k, p] = r[rows[k], p]
    water_at(place, t, sea, water)
    for k in range(rows.size):
        for c in range(COLUMNS):
            flow[rows[k], c] = water[k, c]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _balance_ends(X, T, flow, mesh, fluid, grip, nodes):
    """As `unbalance`, at the ends of lines and at points only.  fluid : rho, g"""
    now, elements, lumps = instant(X, T, flow), elements_of(mesh, False), lumps_of(mesh, grip)
    n_nodes, n_points = mesh.s.size, mesh.motion.size - mesh.bodies.body.shape[0]
    for j in range(mesh.motion.size):
        R = ZERO3
        if j < n_points:
            n = n_nodes + j
            R = node_terms(n, now, lumps, fluid, (0.0, 0.0))[0]
            for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
                axis, way = axis_of(mesh.dof[d]), sub3(three(now.r, n), three(mesh.reference, j))
                R = sub3(R, scale3(spring_pull(mesh.dof[d], way)[0], axis))
        _set3(nodes, n_nodes + j, R)
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for side in range(2):
            k = 0 if side == 0 else mesh.element_start[line + 1] - e0 - 1
            n = n0 + k + side
            part = element_system(e0 + k, n0 + k, now, elements, fluid, (0.0, 0.0))
            R = node_terms(n, now, lumps, fluid, (0.0, 0.0))[0]
            R = add3(R, part[0] if side == 0 else part[1])
            _set3(nodes, n, R)
            row = n_nodes + mesh.line[line].junction[side]
            _set3(nodes, row, add3(three(nodes, row), R))


@kernel(forceinline=True, **UNCOUNTED)
def _set3(a, n, x):
    """Writes a tuple into row n of an array. Bookkeeping."""
    a[n, 0], a[n, 1], a[n, 2] = x[0], x[1], x[2]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _hold_ends(X, mesh, reading, grip, nodes):
    """Take the force (N) that the bed carries off the ends held on it: of their nodes and of their junctions.

    Source: assembly/anchor.py, docs/theory/mixed_elements.md, Seabed: F = f + friction and bed pressure on half an
    element - min(0, F . n) n.

    The half of the last element on the bed is pushed up by it as deep as the end lies, and with friction held like that
    beside it. What the bed carries of a free point that stands on it is no force of the line, nor is what it pushes at
    an end that is moved into it, deeper than the node beside it.
    """
    n_nodes = mesh.s.size
    for line in range(mesh.line.shape[0]):
        for side in range(2):
            n = mesh.node_start[line] if side == 0 else mesh.node_start[line + 1] - 1
            if reading.footed[line, side] > 0.0:
                own = scale3(reading.footed[line, side], _pushed(n, X, mesh, grip))
                _set3(nodes, n, add3(three(nodes, n), own))
            row, beside = n_nodes + mesh.line[line].junction[side], n + 1 - 2 * side
            if reading.moved[line, side] == 1:
                deep = penetration(mesh.bed, three(X[0], n), mesh.node[n].radius)
                next_to = penetration(mesh.bed, three(X[0], beside), mesh.node[beside].radius)
                share = min(1.0, max(0.0, 1.0 - next_to / max(deep, SHORTEST)))
                own = scale3(share, _pushed(n, X, mesh, grip))
                _set3(nodes, n, add3(three(nodes, n), own))
                _set3(nodes, row, add3(three(nodes, row), own))
            if reading.laid[line, side] == 0:
                continue
            force = scale3(-1.0, three(nodes, n))
            normal, height = ground(mesh.bed, three(X[0], n))
            area = reading.width[line, side] * reading.share[n]
            taken = scale3(area * pressure(mesh.bed, mesh.node[n].radius - height, 0.0)[0], normal)
            if friction_of(grip) > 0.0:
                along, share = sub3(three(X[0], beside), three(X[0], n)), reading.share[n] / reading.share[beside]
                rubbed = bed_on_node(beside, X, mesh, grip)[1]
                taken = add3(taken, held_end_friction(rubbed, share, along, force, normal))
            taken = sub3(taken, carried(add3(force, taken), normal))
            _set3(nodes, n, scale3(-1.0, add3(force, taken)))
            _set3(nodes, row, sub3(three(nodes, row), taken))


@kernel(fastmath=FUSED, **UNCOUNTED)
def bed_on_node(n, X, mesh, grip):
    """Normal force of the bed on node n, and the friction of its grip (N).

    Source: F = N n + f, :func:`ropewalk.loads.bed.press` and :func:`ropewalk.loads.bed.grip_pull`.
    """
    bed, node = mesh.bed, mesh.node[n]
    r, area, surface = three(X[0], n), node.bed_area, ground(bed, three(X[0], n))
    normal, friction = surface[0], ZERO3
    N, _ = press(bed, surface, three(X[1], n), area, node.radius, 0.0)
    if friction_of(grip) > 0.0 and N > 0.0:
        d, length = slid(normal, r, vector(grip.hold[n].place))
        friction, _ = grip_pull(bed.law[0].shear * area, normal, d, length, (N, 0.0), friction_of(grip))
    return scale3(N, normal), friction


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _pushed(n, X, mesh, grip):
    """Force (N) of the bed on node n: F = N n + f. Source: :func:`bed_on_node`."""
    pressed, friction = bed_on_node(n, X, mesh, grip)
    return add3(pressed, friction)


@kernel(forceinline=True, **UNCOUNTED)
def _copy(source, i, target, j, n):
    """As `copy_moving`, of n numbers, at least WIDTH, from the i-th of a contiguous array on to the j-th of another."""
    for k in range(0, n, WIDTH):
        m = min(k, n - WIDTH)
        put_lanes(target, j + m, lanes_at(source, i + m))


@kernel(forceinline=True, **UNCOUNTED)
def _keep_nodes(i, X, T, mesh, reading, tape):
    """Positions (m), velocities (m/s) and tensions (N) at the nodes; `_keep_ends` fills tensions at the ends of lines.

    Source: interpolation between the middles of elements, T_n = w_0 T_(e-1) + w_1 T_e.
    """
    for line in range(mesh.line.shape[0]):
        first, last = mesh.node_start[line], mesh.node_start[line + 1] - 1
        shift = mesh.element_start[line] - first
        flipped = mesh.line[line].flipped == 1
        if not flipped:
            to, count = 3 * (i * mesh.s.size + first), 3 * (last + 1 - first)
            _copy(X, 3 * first, tape.position, to, count)
            _copy(X, 3 * (X.shape[1] + first), tape.velocity, to, count)
        for m in range(first, last + 1):
            n, e = reading.order[m], reading.element[m]
            if flipped:
                for p in range(3):
                    tape.position[i, m, p] = X[0, n, p]
                    tape.velocity[i, m, p] = X[1, n, p]
            tape.element_tension[i, m] = T[e] if e >= 0 else 0.0
            if first < n < last:
                before, after = reading.weight[n, 0], reading.weight[n, 1]
                tape.tension[i, m] = before * T[n + shift - 1] + after * T[n + shift]


@kernel(forceinline=True, **UNCOUNTED)
def _keep_ends(i, r, mesh, share, nodes, tape):
    """Forces and tensions (N) at the ends of lines, and the lengths on the bed (m).

    Source: T = F . t at an end, F minus the residual of its node; docs/theory/mixed_elements.md, Discretisation error.
    """
    for line in range(mesh.line.shape[0]):
        first, last = mesh.node_start[line], mesh.node_start[line + 1] - 1
        flipped = mesh.line[line].flipped == 1
        for side in range(2):
            n, beside = (first, first + 1) if side == 0 else (last, last - 1)
            force, along = scale3(-1.0, three(nodes, n)), sub3(three(r, beside), three(r, n))
            tension = dot(force, along) / max(np.sqrt(dot(along, along)), SHORTEST)
            end = 1 - side if flipped else side
            tape.tension[i, first if end == 0 else last] = tension
            for p in range(3):
                tape.end_force[i, line, end, p] = force[p]
        grounded = 0.0
        if mesh.has_bed:
            for n in range(first, last + 1):
                if penetration(mesh.bed, three(r, n), mesh.node[n].radius) > 0.0:
                    grounded += share[n]
        tape.grounded[i, line] = grounded
    for k in range(mesh.winches.winch.shape[0]):
        line, n = mesh.winches.winch[k].line, mesh.winches.winch[k].end
        if mesh.line[line].flipped == 1:
            n = mesh.node_start[line] + mesh.node_start[line + 1] - 1 - n
        tape.tension[i, n] += mesh.winches.winch[k].flux


@kernel(forceinline=True, **UNCOUNTED)
def _keep_points(i, X, mesh, nodes, tape):
    """Places (m), velocities (m/s) and forces (N) of points on what holds them: along held components, and of springs.

    Source: F -> F - (F . e) e + k x e for every free axis e, with a spring or with k = 0; Hooke's law.
    """
    n_nodes = mesh.s.size
    for j in range(mesh.motion.size - mesh.bodies.body.shape[0]):
        n = n_nodes + j
        force = scale3(-1.0, three(nodes, n))
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            axis, way = axis_of(mesh.dof[d]), sub3(three(X[0], n), three(mesh.reference, j))
            sprung = mesh.dof[d].pull - spring_pull(mesh.dof[d], way)[0]
            force = add3(force, scale3(sprung - dot(force, axis), axis))
        for p in range(3):
            tape.point_position[i, j, p] = X[0, n, p]
            tape.point_velocity[i, j, p] = X[1, n, p]
            tape.point_force[i, j, p] = force[p]


@kernel(**COUNTED)
def _keep_bodies(i, X, mesh, tape):
    """Places (m), attitudes, velocities (m/s) and angular velocities (rad/s, world) of bodies.

    Source: q = q_0 exp(psi), omega = R Omega, docs/theory/bodies.md, Motion.
    """
    n_bodies, first = mesh.bodies.body.shape[0], mesh.s.size + mesh.motion.size
    for k in range(n_bodies):
        q = turned(mesh.bodies.memory.attitude[k], X[0, first + k])
        w = quaternion_rotate(q, X[1, first + k])
        for p in range(3):
            tape.body_position[i, k, p] = X[0, first - n_bodies + k, p]
            tape.body_velocity[i, k, p] = X[1, first - n_bodies + k, p]
            tape.body_rate[i, k, p] = w[p]
        for p in range(4):
            tape.body_quaternion[i, k, p] = q[p]


@kernel(forceinline=True, **UNCOUNTED)
def _keep_wrenches(i, r, mesh, nodes, tape):
    r"""Sum of the lines' forces on each body (N), and of their moments about its origin (N m).

    Source: statics of a rigid body.

    .. math:: F = \sum_k f_k, \qquad M = \sum_k (r_k - x) \times f_k
    """
    first = mesh.s.size + mesh.motion.size - mesh.bodies.body.shape[0]
    for k in range(mesh.bodies.body.shape[0]):
        for p in range(6):
            tape.wrench[i, k, p] = 0.0
    for line in range(mesh.line.shape[0]):
        for side in range(2):
            k = mesh.bodies.end_body[line, side]
            if k < 0:
                continue
            n = mesh.node_start[line] if side == 0 else mesh.node_start[line + 1] - 1
            force = scale3(-1.0, three(nodes, n))
            moment = cross3(sub3(three(r, n), three(r, first + k)), force)
            for p in range(3):
                tape.wrench[i, k, p] += force[p]
                tape.wrench[i, k, 3 + p] += moment[p]


@kernel(forceinline=True, **UNCOUNTED)
def _note_misses(now, mesh, worst):
    """Keep the largest relative length error of an element: how well the elements keep to their law.

    Source: (|d| - L (1 + e(T)))/L, the length equation = 0 of [Montano2005], eq. (11).

    Elements that are slack and cannot push have no length to keep.
    """
    elements = elements_of(mesh, False)
    for line in range(mesh.line.shape[0]):
        shift = mesh.node_start[line] - mesh.element_start[line]
        for e in range(mesh.element_start[line], mesh.element_start[line + 1]):
            slack = mesh.element[e].slack  # N: a tension below it is none
            if slack == 0.0 or slack < now.T[e]:
                miss, length = abs(axial(e, e + shift, now, elements, 0.0)[7]), mesh.element[e].length
                if miss > worst[0] * length:
                    worst[0] = miss / length


@kernel(**COUNTED)
def keep_energy(i, mesh, g, work, tape):
    """Put the present terms of the energy ledger (J) on place i of a tape. Bookkeeping."""
    kinetic, potential = motion_energy(work.now.X, mesh, g)
    tape.stored[i, 0], tape.stored[i, 1], tape.stored[i, 2] = kinetic, work.ledger.elastic[0], potential
    done = columns(work.ledger.table)[0]
    for k in range(POWERS):
        tape.work[i, k] = done[k]


def fields_of(tape: Tape, n: int) -> dict[str, Array]:
    """The fields of State at the first n moments of a tape, by name."""
    if n == tape.time.size:
        return {name: tape[i] for i, name in OF_STATES}
    return {name: tape[i][:n] for i, name in OF_STATES}
