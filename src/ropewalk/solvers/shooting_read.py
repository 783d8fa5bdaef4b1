"""From a solved shooting problem to a State."""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.numerics.rungekutta import DORMAND_PRINCE
from ropewalk.solvers.balance_newton import Place
from ropewalk.solvers.shooting import LOG_SIZE, REST, shoot, start_state
from ropewalk.solvers.shooting_assembly import Result, place
from ropewalk.solvers.shooting_build import Problem
from ropewalk.solvers.shooting_string import ALL, STATE

NODES = 101  # per line in a State


def place_of(problem: Problem, before: Place) -> Place:
    """Points and bodies where the solution puts them."""
    points, bodies, quaternions = before.points.copy(), before.bodies.copy(), before.quaternions.copy()
    for k in range(points.shape[0]):
        points[k] = node_position(problem, k)
    for j, b in enumerate(problem.rigid.index):
        bodies[b] = problem.x[problem.rigid.dof[j, :3]]
        quaternions[b] = problem.quaternions[j]
    return Place(points, bodies, quaternions)


def node_position(problem: Problem, k: int) -> Array:
    """Where node k is, m."""
    position, arm, map_ = np.empty(3), np.empty(3), np.empty((3, 6))
    place(k, problem.nodes, problem.rigid, problem.x, problem.quaternions, position, map_, arm)
    return position


def sample(model: Model, problem: Problem, a: int, s: Array, tolerance: float) -> Array:
    """(n, 6) position and force n along arc a at s (m from its start, rising)."""
    arcs = problem.arcs
    y, table, log = np.empty(ALL), np.empty((s.size, STATE)), np.empty(LOG_SIZE)
    start_state(node_position(problem, int(arcs.node[a, 0])), problem.x[arcs.dof[a, 12:]], y)
    shoot(
        y, STATE, arcs.first[a], arcs.last[a], arcs.spans, arcs.laws, arcs.law_data, model.sea, arcs.on_bed[a],
        arcs.length[a], arcs.force[a], tolerance, DORMAND_PRINCE, s, table, log,
    )  # fmt: skip
    return table


def line_table(model: Model, problem: Problem, i: int, s: Array, tolerance: float) -> Array:
    """(n, 6) position and force n of line i at s (m from end A, rising), force in the line's own direction."""
    arcs = problem.arcs
    length = float(model.lines.length[i])
    table: Array = np.empty((s.size, STATE))
    for a in np.flatnonzero(arcs.line == i):
        here = length - s[::-1] if arcs.reverse[a] else s
        low, high = arcs.offset[a], arcs.offset[a] + arcs.length[a]
        inside = (here >= low) & ((here < high) | (here >= length) & (high >= length * (1.0 - 1e-12)))
        if not np.any(inside):
            continue
        rows = sample(model, problem, int(a), np.minimum(here[inside] - low, arcs.length[a]), tolerance)
        if arcs.reverse[a]:
            rows[:, 3:] *= -1.0
            table[inside[::-1]] = rows[::-1]
        else:
            table[inside] = rows
    return table


def end_forces(model: Model, problem: Problem, out: Result) -> Array:
    """(n_lines, 2, 3) force of each line on what holds its ends, N."""
    arcs = problem.arcs
    forces: Array = np.zeros((model.lines.length.size, 2, 3))
    for a in range(arcs.line.size):
        i, turned = arcs.line[a], bool(arcs.reverse[a])
        length = model.lines.length[i]
        if arcs.offset[a] <= 0.0:
            forces[i, 1 if turned else 0] = problem.x[arcs.dof[a, 12:]]
        if arcs.offset[a] + arcs.length[a] >= length * (1.0 - 1e-12):
            forces[i, 0 if turned else 1] = -out.end_state[a, 3:6]
    return forces


def read_state(model: Model, problem: Problem, out: Result, where: Place, time: float, tolerance: float) -> State:
    """The State of a solved problem, NODES places per line."""
    lines = model.lines
    n_lines, n_points, n_bodies = lines.length.size, len(model.names.points), len(model.names.bodies)
    s = np.linspace(0.0, 1.0, NODES)[None, :] * lines.length[:, None]
    tables = np.zeros((n_lines, NODES, STATE))
    for i in range(n_lines):
        tables[i] = line_table(model, problem, i, np.ascontiguousarray(s[i]), tolerance)
    ends = end_forces(model, problem, out)
    grounded = np.zeros(n_lines)
    np.add.at(grounded, problem.arcs.line, out.log[:, REST])
    force = np.zeros((n_points, 3))
    for k in range(n_points):
        on = (lines.end_kind == 0) & (lines.end_index == k)
        force[k] = ends[on].sum(axis=0) + problem.nodes.force[k]
    return State(
        time=time,
        point_position=where.points,
        point_velocity=np.zeros((n_points, 3)),
        point_force=force,
        body_position=where.bodies,
        body_quaternion=where.quaternions,
        body_velocity=np.zeros((n_bodies, 3)),
        body_rate=np.zeros((n_bodies, 3)),
        start=np.arange(n_lines + 1, dtype=np.int64) * NODES,
        s=s.ravel(),
        position=tables[:, :, :3].reshape(-1, 3),
        velocity=np.zeros((n_lines * NODES, 3)),
        tension=np.linalg.norm(tables[:, :, 3:], axis=2).ravel(),
        end_force=ends,
        grounded=grounded,
    )
