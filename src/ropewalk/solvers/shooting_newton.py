r"""Newton with backtracking on the scaled squared constraint norm, dense or sparse.

Rows are scaled by the lengths and forces of what they belong to, so that the merit
:math:`\tfrac12 |C|^2` weighs a miss of one line length like a force of one line weight. Plain Newton from a
poor start fails four times in five; with this line search it hardly ever does. If the matrix is singular,
or the Newton direction leads nowhere, a Levenberg-Marquardt step is taken instead.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

from ropewalk.model.arrays import Array, Ints
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import quaternion_exp, quaternion_normalise, quaternion_product
from ropewalk.solvers.shooting import ARRIVED
from ropewalk.solvers.shooting_assembly import Arcs, Nodes, Result, Rigid, evaluate, gather

CONVERGED, STUCK, TOO_MANY, BAD_START = 0, 1, 2, 3  # how the iteration ended

MAX_ITERATIONS = 80  # random starts need up to 30
MAX_HALVINGS = 30
ARMIJO = 1.0e-4  # share of the predicted decrease that a step must reach
SMALLEST_CUT, LARGEST_CUT = 0.1, 0.5  # limits of the step's reduction from one trial to the next
FLOOR = 1.0e-9  # scaled residual that is accepted when round-off and the integrator allow no further decrease
DAMPINGS = 12  # Levenberg-Marquardt trials before giving up
FIRST_DAMPING = 1.0e-6  # of the largest diagonal entry of J^T J
SINGULAR = 1.0e-15  # pivot over the largest entry of its scaled row
DENSE_LIMIT = 90  # unknowns up to which the dense elimination is faster than the sparse one (measured)

PATH_RESIDUAL, PATH_STEP, PATH_DAMPING = 0, 1, 2  # rows of a path


class Scales(NamedTuple):
    """Units of rows and unknowns."""

    row: Array  # (n,) N, N m or m
    column: Array  # (n,) m, rad or N


@kernel
def move(x, quaternions, direction, step, rigid, x_new, q_new):
    """x + step direction; the rotations of bodies turn their quaternions and stay zero in x."""
    for i in range(x.size):
        x_new[i] = x[i] + step * direction[i]
    w = np.empty(3)
    for b in range(rigid.weight.size):
        for i in range(3):
            w[i] = step * direction[rigid.dof[b, 3 + i]]
            x_new[rigid.dof[b, 3 + i]] = 0.0
        q_new[b] = quaternion_normalise(quaternion_product(quaternion_exp(w), quaternions[b]))


@kernel
def scaled_norm(residual, row):
    """Largest entry and half the sum of squares of the scaled residual; infinite if not a number."""
    worst, merit = 0.0, 0.0
    for i in range(residual.size):
        c = residual[i] / row[i]
        if not abs(c) < np.inf:
            return np.inf, np.inf
        worst = max(worst, abs(c))
        merit += 0.5 * c * c
    return worst, merit


@kernel
def solve_dense(matrix, right):
    """Solve in place by elimination with row pivoting; right becomes the solution. Returns False if singular."""
    n = right.size
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > abs(matrix[p, k]):
                p = i
        if not abs(matrix[p, k]) > SINGULAR:
            return False
        if p != k:
            for j in range(k, n):
                matrix[k, j], matrix[p, j] = matrix[p, j], matrix[k, j]
            right[k], right[p] = right[p], right[k]
        inverse = 1.0 / matrix[k, k]
        for i in range(k + 1, n):
            f = matrix[i, k] * inverse
            if f != 0.0:
                for j in range(k + 1, n):
                    matrix[i, j] -= f * matrix[k, j]
                right[i] -= f * right[k]
    for k in range(n - 1, -1, -1):
        value = right[k]
        for j in range(k + 1, n):
            value -= matrix[k, j] * right[j]
        right[k] = value / matrix[k, k]
    return True


@kernel
def _scale_matrix(matrix, row, column):
    """Divide the rows by their scales and multiply the columns by theirs."""
    for i in range(row.size):
        for j in range(row.size):
            matrix[i, j] *= column[j] / row[i]


@kernel
def _damped_direction(matrix, residual, row, column, damping, direction):
    """Levenberg-Marquardt direction of the scaled system; returns False if even that is singular."""
    n = residual.size
    normal = matrix.T @ matrix
    right = np.zeros(n)
    largest = 0.0
    for i in range(n):
        largest = max(largest, normal[i, i])
        for j in range(n):
            right[i] -= matrix[j, i] * residual[j] / row[j]
    if not largest > 0.0:
        return False
    for i in range(n):
        normal[i, i] += damping * largest
    for i in range(n):
        for j in range(n):
            normal[i, j] /= largest
        right[i] /= largest
    if not solve_dense(normal, right):
        return False
    for i in range(n):
        direction[i] = right[i] * column[i]
    return True


@kernel
def next_cut(step, merit, trial):
    """Shorter step from the parabola through the merit, its slope (-2 merit, exact for Newton) and the trial."""
    if not trial < np.inf:
        return SMALLEST_CUT * step
    best = step * step * merit / (trial - merit + 2.0 * step * merit)
    return min(LARGEST_CUT * step, max(SMALLEST_CUT * step, best))


@kernel
def newton_dense(arcs, nodes, rigid, sea, x, quaternions, row, column, tolerance, pair, target, out, path):
    """Solve C(x) = 0 from the start in x, which becomes the solution; returns how it ended and the iterations.

    row, column : scales    tolerance : of the integrator    target : largest scaled residual asked for
    out : Result of the last evaluation    path : (3, MAX_ITERATIONS + 1), filled
    """
    n = x.size
    matrix, full = np.empty((n, n)), np.empty((n, n))
    direction, x_new, q_new = np.empty(n), np.empty(n), quaternions.copy()
    status = evaluate(arcs, nodes, rigid, sea, x, quaternions, tolerance, pair, True, out)
    if status != ARRIVED:
        return BAD_START, 0
    worst, merit = scaled_norm(out.residual, row)
    path[PATH_RESIDUAL, 0] = worst
    for iteration in range(MAX_ITERATIONS):
        if worst <= target:
            return CONVERGED, iteration
        gather(arcs, nodes, rigid, out, full)
        _scale_matrix(full, row, column)
        residual = out.residual.copy()
        damping = 0.0
        accepted = False
        step = 1.0
        for attempt in range(DAMPINGS):
            matrix[:, :] = full
            if attempt == 0:
                for i in range(n):
                    direction[i] = -residual[i] / row[i]
                good = solve_dense(matrix, direction)
                for i in range(n):
                    direction[i] *= column[i]
                    good = good and abs(direction[i]) < np.inf
            else:
                damping = FIRST_DAMPING * 10.0**attempt
                good = _damped_direction(matrix, residual, row, column, damping, direction)
            if not good:
                continue
            step = 1.0
            for k in range(MAX_HALVINGS if attempt == 0 else 4):
                move(x, quaternions, direction, step, rigid, x_new, q_new)
                status = evaluate(arcs, nodes, rigid, sea, x_new, q_new, tolerance, pair, k == 0, out)
                w_new, m_new = scaled_norm(out.residual, row) if status == ARRIVED else (np.inf, np.inf)
                enough = merit * (1.0 - 2.0 * ARMIJO * step) if attempt == 0 else merit
                if m_new < enough:
                    accepted = True
                    break
                if worst <= FLOOR:
                    break
                step = next_cut(step, merit, m_new)
            if accepted or worst <= FLOOR:
                break
        if not accepted:
            evaluate(arcs, nodes, rigid, sea, x, quaternions, tolerance, pair, True, out)
            return (CONVERGED if worst <= FLOOR else STUCK), iteration
        if step < 1.0:
            evaluate(arcs, nodes, rigid, sea, x_new, q_new, tolerance, pair, True, out)
        x[:] = x_new
        quaternions[:, :] = q_new
        worst, merit = w_new, m_new
        path[PATH_RESIDUAL, iteration + 1] = worst
        path[PATH_STEP, iteration] = step
        path[PATH_DAMPING, iteration] = damping
    return TOO_MANY, MAX_ITERATIONS


class Pattern(NamedTuple):
    """Where the blocks go in a compressed sparse column matrix."""

    indices: Ints
    start: Ints
    arc: Ints  # (n_arcs, LOCAL, LOCAL) place in the data, -1 for none
    node: Ints  # (n_nodes, 3, 3)
    body: Ints  # (n_bodies, 6, 6)
    row: Ints  # (n_entries,) of each entry
    column: Ints


def sparse_pattern(n: int, arcs: Arcs, nodes: Nodes, rigid: Rigid) -> Pattern:
    """Pattern of the matrix of all blocks."""
    point_dof = np.where((nodes.body < 0)[:, None], nodes.dof[:, :3], -1)
    keys = []
    for dof in (arcs.dof, point_dof, rigid.dof):
        i, j = dof[:, :, None], dof[:, None, :]
        keys.append(np.where((i >= 0) & (j >= 0), j * n + i, -1))
    every = np.unique(np.concatenate([k.ravel() for k in keys]))
    every = every[every >= 0]
    places = [np.where(k >= 0, np.searchsorted(every, k), -1).astype(np.int64) for k in keys]
    column, row = every // n, every % n
    start = np.searchsorted(column, np.arange(n + 1)).astype(np.int32)
    return Pattern(row.astype(np.int32), start, places[0], places[1], places[2], row, column)


@kernel
def _spread(blocks, places, data):
    """Add blocks to the data of a sparse matrix."""
    for a in range(places.shape[0]):
        for i in range(places.shape[1]):
            for j in range(places.shape[2]):
                if places[a, i, j] >= 0:
                    data[places[a, i, j]] += blocks[a, i, j]


def sparse_matrix(pattern: Pattern, out: Result, scales: Scales) -> Any:
    """The scaled derivative as a sparse matrix."""
    data = np.zeros(pattern.indices.size)
    _spread(out.arc_blocks, pattern.arc, data)
    _spread(out.node_blocks, pattern.node, data)
    _spread(out.body_blocks, pattern.body, data)
    data *= scales.column[pattern.column] / scales.row[pattern.row]
    n = scales.row.size
    return csc_array((data, pattern.indices, pattern.start), shape=(n, n))


def newton_sparse(
    arcs: Arcs, nodes: Nodes, rigid: Rigid, sea: Any, x: Array, quaternions: Array, scales: Scales, pattern: Pattern,
    tolerance: float, pair: int, target: float, out: Result, path: Array,
) -> tuple[int, int]:  # fmt: skip
    """As :func:`newton_dense`, with a sparse factorisation; damps by lengthening the diagonal if that is singular."""
    args = (tolerance, pair)
    if evaluate(arcs, nodes, rigid, sea, x, quaternions, *args, True, out) != ARRIVED:
        return BAD_START, 0
    worst, merit = scaled_norm(out.residual, scales.row)
    path[PATH_RESIDUAL, 0] = worst
    x_new, q_new = np.empty_like(x), quaternions.copy()
    for iteration in range(MAX_ITERATIONS):
        if worst <= target:
            return CONVERGED, iteration
        matrix = sparse_matrix(pattern, out, scales)
        scaled = out.residual / scales.row
        accepted, damping, step = False, 0.0, 1.0
        for attempt in range(DAMPINGS):
            damping = 0.0 if attempt == 0 else FIRST_DAMPING * 10.0**attempt
            direction = _sparse_direction(matrix, scaled, damping)
            if direction is None:
                continue
            direction *= scales.column
            step = 1.0
            for k in range(MAX_HALVINGS if attempt == 0 else 4):
                move(x, quaternions, direction, step, rigid, x_new, q_new)
                status = evaluate(arcs, nodes, rigid, sea, x_new, q_new, *args, k == 0, out)
                w_new, m_new = scaled_norm(out.residual, scales.row) if status == ARRIVED else (np.inf, np.inf)
                accepted = m_new < merit * (1.0 - 2.0 * ARMIJO * step if attempt == 0 else 1.0)
                if accepted or worst <= FLOOR:
                    break
                step = next_cut(step, merit, m_new)
            if accepted or worst <= FLOOR:
                break
        if not accepted:
            evaluate(arcs, nodes, rigid, sea, x, quaternions, *args, True, out)
            return (CONVERGED if worst <= FLOOR else STUCK), iteration
        if step < 1.0:
            evaluate(arcs, nodes, rigid, sea, x_new, q_new, *args, True, out)
        x[:] = x_new
        quaternions[:] = q_new
        worst, merit = w_new, m_new
        path[:, iteration] = path[PATH_RESIDUAL, iteration], step, damping
        path[PATH_RESIDUAL, iteration + 1] = worst
    return TOO_MANY, MAX_ITERATIONS


def _sparse_direction(matrix: Any, residual: Array, damping: float) -> Array | None:
    """Newton (damping 0) or Levenberg-Marquardt direction; None if the factorisation fails."""
    try:
        if damping == 0.0:
            direction = splu(matrix).solve(-residual)
        else:
            normal = (matrix.T @ matrix).tocsc()
            normal.setdiag(normal.diagonal() + damping * normal.diagonal().max())
            direction = splu(normal).solve(-(matrix.T @ residual))
    except RuntimeError:  # "Factor is exactly singular"
        return None
    return direction if np.all(np.isfinite(direction)) else None
