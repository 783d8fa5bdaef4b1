"""From a solved shooting problem to a State."""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.catenary_state import HALVINGS, MOST_TURN, with_corners
from ropewalk.assembly.string import ALL, STATE, float_force
from ropewalk.methods.shooting.assembly import Result, place, places
from ropewalk.methods.shooting.build import Problem
from ropewalk.methods.shooting.pegs import PLACE0, PLACE1, START_FORCE
from ropewalk.methods.shooting.shot import LOG, Arc, shoot, start_state
from ropewalk.model.arrays import Array, Flags, offsets, records
from ropewalk.model.lines import POINT
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rungekutta import DORMAND_PRINCE

FADING = 0.1  # of the larger force of two nodes: between them the tension goes to nothing
MOST_BOW = 1.0e-7  # of the line's length: by how much a stretch on the bed may be longer than its chord
SLACK = 1.0e-9  # of the force scale: below it a line has no direction
BEYOND = 1.0e-12  # of the length: how far beyond a load its force is taken
EDGE = 1.0e-12  # of the length: round-off in the place of a cut
SAMPLE_TOLERANCE = 1.0e-10  # of the integrator where a start is sampled


def place_of(problem: Problem, before: Place) -> Place:
    """Points and bodies where the solution puts them."""
    if not problem.nodes.any_free and not problem.rigid.which.size:
        return before
    points, bodies, quaternions = before.points.copy(), before.bodies.copy(), before.quaternions.copy()
    for k in range(points.shape[0]):
        points[k] = node_position(problem, k)
    for j, b in enumerate(problem.rigid.which):
        bodies[b] = problem.x[problem.rigid.dof[j, :3]]
        quaternions[b] = problem.quaternions[j]
    return Place(points, bodies, quaternions)


def node_position(problem: Problem, k: int) -> Array:
    """Where node k is, m."""
    position, arm, map_ = np.empty(3), np.empty(3), np.empty((3, 6))
    place(k, *places(problem.nodes, problem.rigid), problem.x, problem.quaternions, position, map_, arm)
    return position


def sample(model: Model, problem: Problem, a: int, s: Array, tolerance: float) -> Array:
    """(n, 6) position and force n along arc a at s (m from its start, rising)."""
    arcs = problem.arcs
    y, table, log = np.empty(ALL), np.full((s.size, STATE), np.nan), records(1, LOG)[0]
    begin = node_position(problem, int(arcs.node[a, 0])) + arcs.lift[a, 0] * model.sea.bed_normal
    start_state(begin, problem.x[arcs.dof[a, START_FORCE]], y)
    integrator, wanted = (tolerance, DORMAND_PRINCE), (np.ascontiguousarray(s), table)
    arc = Arc(arcs.first[a], arcs.last[a], arcs.spans, arcs.laws, arcs.law_data, arcs.length[a], arcs.force[a],
              arcs.slack[a])  # fmt: skip
    _trace(y, arc, model.sea, int(arcs.on_bed[a]), integrator, wanted, log)
    return table


@kernel
def _trace(y, arc, sea, on_bed, integrator, wanted, log):
    """As `shoot` without derivatives, from outside of kernels, for which alone it would be compiled again."""
    shoot(y, STATE, arc, sea, on_bed, integrator, wanted, log)


def line_table(model: Model, problem: Problem, i: int, s: Array, tolerance: float) -> Array:
    """(n, 6) position and force n of line i at s (m from end A, rising), force in the line's own direction."""
    arcs = problem.arcs
    table: Array = np.full((s.size, STATE), np.nan)
    for a in np.flatnonzero(arcs.line == i):
        sign = -1.0 if arcs.reverse[a] else 1.0
        here = sign * (s - arcs.offset[a])
        slack = EDGE * arcs.length[a]
        inside = np.flatnonzero((here >= -slack) & (here <= arcs.length[a] + slack))
        if not inside.size:
            continue
        order = inside[::-1] if arcs.reverse[a] else inside
        rows = sample(model, problem, int(a), np.clip(here[order], 0.0, arcs.length[a]), tolerance)
        rows[:, 3:] *= sign
        table[order] = rows
    return table


def end_forces(model: Model, problem: Problem, out: Result) -> Array:
    """(n_lines, 2, 3) force of each line on what holds its ends, N."""
    arcs = problem.arcs
    forces: Array = np.zeros((model.lines.length.size, 2, 3))
    for a in range(arcs.line.size):
        i, sign = arcs.line[a], -1.0 if arcs.reverse[a] else 1.0
        length = model.lines.length[i]
        begin, end = arcs.offset[a], arcs.offset[a] + sign * arcs.length[a]
        held = (0.0, length)
        for j in range(2):
            if abs(begin - held[j]) <= EDGE * length:
                forces[i, j] = start_force(model, problem, a, out)
            if abs(end - held[j]) <= EDGE * length:
                forces[i, j] = -out.end_state[a, 3:6]
    return forces


def over_forces(model: Model, problem: Problem, out: Result) -> list[tuple[int, int, float, Array]]:
    """Line, peg (index into the model's `over` arrays), s (m) and force of the line on it (N), in order from end A."""
    arcs = problem.arcs
    found = []
    for k, (i, _, d) in enumerate(problem.pegs):
        before = int(np.count_nonzero(problem.pegs[:k, 0] == i))
        force = np.zeros(3)
        for a in np.flatnonzero(arcs.line == i):
            if arcs.dof[a, PLACE0] == d:
                force += problem.x[arcs.dof[a, START_FORCE]]
            if arcs.dof[a, PLACE1] == d:
                force -= out.end_state[a, 3:6]
        found.append((int(i), int(model.lines.over_start[i]) + before, float(problem.x[d]), force))
    return found


def start_force(model: Model, problem: Problem, a: int, out: Result) -> Array:
    """Force of arc a on what holds its start, N; on the bed what friction leaves of it."""
    arcs = problem.arcs
    if out.log.rest[a] > 0.0:
        return sample(model, problem, a, np.zeros(1), SAMPLE_TOLERANCE)[0, 3:]
    return problem.x[arcs.dof[a, START_FORCE]].copy()


class SolvedShape:
    """Lines as a solved problem has them, for a new start."""

    def __init__(self, model: Model, problem: Problem, out: Result) -> None:
        self.model, self.problem, self.out = model, problem, out

    def states(self, i: int, s: Array) -> tuple[Array, float, float]:
        """See Shape; the bed part is that of the arcs that start on it."""
        arcs, out = self.problem.arcs, self.out
        low, high = 0.0, 0.0
        for a in np.flatnonzero((arcs.line == i) & (out.log.rest > 0.0)):
            end = arcs.offset[a] + (-1.0 if arcs.reverse[a] else 1.0) * out.log.rest[a]
            if high == low:
                low, high = sorted((float(arcs.offset[a]), float(end)))
            low, high = min(low, float(end)), max(high, float(end))
        return line_table(self.model, self.problem, i, s, SAMPLE_TOLERANCE), low, high

    def lift_off(self, i: int, s: float, backward: bool) -> tuple[Array, float] | None:
        """See LaidShape; None where s is on no stretch between two lift-offs."""
        arcs, rest = self.problem.arcs, self.out.log.rest
        for a in np.flatnonzero((arcs.line == i) & arcs.reverse & (rest > 0.0)):
            b = int(a) + 1
            if b >= rest.size or arcs.line[b] != i or arcs.reverse[b] or not rest[b] > 0.0:
                continue
            low, high = float(arcs.offset[a] - rest[a]), float(arcs.offset[b] + rest[b])
            if low < s < high:
                at = low if backward else high
                return line_table(self.model, self.problem, i, np.array([at]), SAMPLE_TOLERANCE)[0, 3:], abs(s - at)
        return None


def corners(model: Model, problem: Problem, out: Result, i: int) -> list[float]:
    """Where pieces, loads, contact and pegs of line i begin or end, m from A."""
    lines, arcs = model.lines, problem.arcs
    own = slice(lines.piece_start[i], lines.piece_start[i + 1])
    found = [*np.cumsum(lines.piece_length[own])[:-1]]
    found += [*lines.attachment_s[lines.attachment_start[i] : lines.attachment_start[i + 1]]]
    for a in np.flatnonzero((arcs.line == i) & (out.log.rest > 0.0)):
        found.append(float(arcs.offset[a] + (-1.0 if arcs.reverse[a] else 1.0) * out.log.rest[a]))
    return [*(float(s) for s in found), *(float(problem.x[d]) for line, _, d in problem.pegs if line == i)]


def _nodes(model: Model, problem: Problem, out: Result, i: int, tolerance: float) -> tuple[Array, Array]:
    """Places of the nodes of line i (m from A) and (n, 6) position and force there; at a load that beyond it."""
    lines = model.lines
    length = float(lines.length[i])
    s = with_corners(length, corners(model, problem, out, i))
    table = line_table(model, problem, i, s, tolerance)
    for _ in range(HALVINGS):
        slack = SLACK * float(problem.arcs.force[problem.arcs.line == i].max(initial=0.0))
        sharp = _sharp(s, table, slack, lying(problem, out, i, 0.5 * (s[:-1] + s[1:])))
        if not np.any(sharp):
            break
        s = np.union1d(s, 0.5 * (s[:-1] + s[1:])[sharp])
        table = line_table(model, problem, i, s, tolerance)
    loads = lines.attachment_s[lines.attachment_start[i] : lines.attachment_start[i + 1]]
    inner = loads[(loads > 0.0) & (loads < length)]
    if inner.size:
        at = np.unique(np.argmin(np.abs(s[:, None] - inner[None, :]), axis=0))
        beyond = np.minimum(s[at] + BEYOND * length, length)
        table[at, 3:] = line_table(model, problem, i, beyond, tolerance)[:, 3:]
    return s, table


def lying(problem: Problem, out: Result, i: int, s: Array) -> Flags:
    """Which places (m from A) of line i lie on the bed."""
    arcs, rest = problem.arcs, out.log.rest
    found: Flags = np.zeros(s.size, dtype=np.bool_)
    for a in np.flatnonzero((arcs.line == i) & (rest > 0.0)):
        low, high = sorted((arcs.offset[a], arcs.offset[a] + (-1.0 if arcs.reverse[a] else 1.0) * rest[a]))
        found |= (s > low) & (s < high)
    return found


def _sharp(s: Array, table: Array, slack: float, on_bed: Flags) -> Flags:
    """Where a line turns so much from one node to the next that more are needed; where it is slack it has no way.

    On the bed its path between nodes follows from their forces alone, so the chord must be near the line.
    """
    force = table[:, 3:]
    size = np.linalg.norm(force, axis=1)
    unit = force / np.maximum(size, 1e-300)[:, None]
    turn = np.linalg.norm(np.diff(unit, axis=0), axis=1)
    bowed = on_bed & (0.125 * np.diff(s) * turn**2 > MOST_BOW * s[-1])
    least, most = np.minimum(size[:-1], size[1:]), np.maximum(size[:-1], size[1:])
    fades = ~on_bed & (least < FADING * most)  # towards a slack place the direction is that of the load
    sharp: Flags = (((turn > MOST_TURN) | bowed) & (least > slack)) | (fades & (most > slack))
    return sharp


def read_state(model: Model, problem: Problem, out: Result, where: Place, time: float, tolerance: float) -> State:
    """The State of a solved problem; nodes even along each line, and where pieces, loads and contact begin or end.

    `node_force` is n(s) just beyond a node, so at a load that towards end B.
    """
    lines = model.lines
    n_lines, n_points, n_bodies = lines.length.size, len(model.names.points), len(model.names.bodies)
    pegs = over_forces(model, problem, out)
    nodes_of = [_nodes(model, problem, out, i, tolerance) for i in range(n_lines)]
    s = np.concatenate([places for places, _ in nodes_of]) if nodes_of else np.zeros(0)
    table = np.concatenate([rows for _, rows in nodes_of]) if nodes_of else np.zeros((0, STATE))
    ends = end_forces(model, problem, out)
    grounded = np.zeros(n_lines)
    np.add.at(grounded, problem.arcs.line, out.log.rest)
    force = np.zeros((n_points, 3))
    for k in range(n_points):
        on = (lines.end_kind == POINT) & (lines.end_index == k)
        nodes = problem.nodes
        force[k] = ends[on].sum(axis=0) + nodes.force[k] + nodes.frame[k].T @ nodes.axis[k]["pull"]
        for _, p, _, pull in pegs:
            if lines.over_kind[p] == POINT and lines.over_index[p] == k:
                force[k] += pull
        float_force(where.points[k], nodes.volume[k], nodes.drag[k], model.sea, force[k])
    return State(
        time=time,
        point_position=where.points,
        point_velocity=np.zeros((n_points, 3)),
        point_force=force,
        body_position=where.bodies,
        body_quaternion=where.quaternions,
        body_velocity=np.zeros((n_bodies, 3)),
        body_rate=np.zeros((n_bodies, 3)),
        start=offsets([places.size for places, _ in nodes_of]),
        s=s,
        position=table[:, :3].copy(),
        velocity=np.zeros((s.size, 3)),
        tension=np.linalg.norm(table[:, 3:], axis=1),
        end_force=ends,
        grounded=grounded,
        node_force=table[:, 3:].copy(),
    )
