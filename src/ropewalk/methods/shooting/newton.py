r"""Newton with backtracking on the scaled squared constraint norm, dense or sparse.

Rows are scaled by the lengths and forces of what they belong to, so that the merit
:math:`\tfrac12 |C|^2` weighs a miss of one line length like a force of one line weight. Plain Newton from a
poor start fails four times in five; with this line search it hardly ever does. If the matrix is singular,
or the Newton direction leads nowhere, a Levenberg-Marquardt step is taken instead.

The loop is its own, not numerics/newton.py: it tightens the integrator as it converges, has Levenberg-Marquardt steps
and restarts, keeps floats in the water and pegs in order, and counts the integrator's steps against a limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.methods.shooting.assembly import Arcs, Nodes, Result, Rigid, evaluate, gather, place
from ropewalk.methods.shooting.pegs import keep_order
from ropewalk.methods.shooting.shot import ARRIVED
from ropewalk.model.arrays import Array, Ints
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.numerics.dense import normal_equations, solve_dense
from ropewalk.numerics.rotations import quaternion_exp, quaternion_normalise, quaternion_product

CONVERGED, STUCK, TOO_MANY, BAD_START = 0, 1, 2, 3  # how the iteration ended

MAX_ITERATIONS = 80  # random starts need up to 30
MAX_HALVINGS = 30
ARMIJO = 1.0e-4  # share of the predicted decrease that a step must reach
SMALLEST_CUT, LARGEST_CUT = 0.1, 0.5  # limits of the step's reduction from one trial to the next
FLOOR = 1.0e-9  # scaled residual that is accepted when round-off and the integrator allow no further decrease
SLOW, PATIENCE = 0.9, 10  # a merit that keeps more than this for so many steps leads nowhere: start again
RESTARTS = (1.0, 0.2, 5.0)  # times each line's force scale: tension of the straight lines of a new start
ROUGH = 1.0e-8  # tolerance of the integrator far from the solution
WORTHWHILE = 0.01 * ROUGH  # tolerance below which rough shots save more than the additional one costs
SWITCH = 1.0e-5  # largest scaled constraint at which the full tolerance is used
DAMPINGS = 12  # Levenberg-Marquardt trials before giving up
DAMPED_HALVINGS = 4
FIRST_DAMPING = 1.0e-6  # of the largest diagonal entry of J^T J
DENSE_LIMIT = 150  # unknowns up to which the dense elimination is faster than the sparse one (measured)


class Scales(NamedTuple):
    """Units of rows and unknowns."""

    row: Array  # (n,) N, N m or m
    column: Array  # (n,) m, rad or N


@dataclass
class Effort:
    """Limit on steps of the integrator in all tries of one equilibrium: a case without one must not take minutes."""

    limit: float = np.inf
    steps: float = 0.0

    @property
    def spent(self) -> bool:
        """True when the limit is passed."""
        return self.steps > self.limit


@dataclass
class Path:
    """How the iteration went."""

    ending: int = BAD_START
    iterations: int = 0  # in all
    restarts: int = 0
    residuals: list[float] = field(default_factory=list)  # largest scaled constraint, of the last try
    steps: list[float] = field(default_factory=list)  # share of the Newton step taken
    dampings: list[float] = field(default_factory=list)  # 0 for Newton steps


@kernel(**UNCOUNTED)
def scaled_norms(residual, row):
    """Largest entry and half the sum of squares (no unit) of residual / row, both (n,); infinite if one is not finite.

    Source: max |C_i|/s_i and merit = sum (C_i/s_i)^2/2, docs/theory/shooting.md, Globalisation.
    """
    worst, total = 0.0, 0.0
    for i in range(residual.size):
        scaled = abs(residual[i] / row[i])
        if not scaled < np.inf:
            return np.inf, np.inf
        worst = max(worst, scaled)
        total += scaled * scaled
    return worst, 0.5 * total


@kernel
def move(x, quaternions, direction, step, nodes, rigid, x_new, q_new):
    """x + step direction (m, N, rad); floats stay in the water, pegs in order; rotations turn the quaternions, 0 in x.

    Source: x = x + step delta, R = exp(theta) R; docs/theory/shooting.md, Globalisation.

    A float in the air has no buoyancy, so Newton's method would not return from there.
    """
    for i in range(x.size):
        x_new[i] = x[i] + step * direction[i]
    for k in range(nodes.ceiling.size):
        if nodes.dof[k, 2] >= 0:
            x_new[nodes.dof[k, 2]] = min(x_new[nodes.dof[k, 2]], nodes.ceiling[k])
    keep_order(x, nodes.slide_dof, nodes.slide_edge, x_new)
    w = np.empty(3)
    for b in range(rigid.body.size):
        for i in range(3):
            w[i] = step * direction[rigid.dof[b, 3 + i]]
            x_new[rigid.dof[b, 3 + i]] = 0.0
        turned = quaternion_normalise(quaternion_product(quaternion_exp(w), quaternions[b]))
        for i in range(4):
            q_new[b, i] = turned[i]


@kernel
def straighten(arcs, nodes, rigid, x, quaternions, share):
    """Forces (N) of a new start: every arc straight between its nodes, its tension `share` of its force scale.

    Source: docs/theory/shooting.md, Globalisation: n_0 = share F (r_1 - r_0)/|r_1 - r_0|.
    """
    p0, p1, arm = np.empty(3), np.empty(3), np.empty(3)
    map_ = np.empty((3, 6))
    for a in range(arcs.line.size):
        place(arcs.node[a, 0], nodes, rigid, x, quaternions, p0, map_, arm)
        place(arcs.node[a, 1], nodes, rigid, x, quaternions, p1, map_, arm)
        chord = np.sqrt((p1[0] - p0[0]) ** 2 + (p1[1] - p0[1]) ** 2 + (p1[2] - p0[2]) ** 2)
        for i in range(3):
            direction = (p1[i] - p0[i]) / chord if chord > 0.0 else 1.0
            x[arcs.dof[a, 12 + i]] = share * arcs.force[a] * direction


class Pattern(NamedTuple):
    """Where the blocks go in a compressed sparse column matrix."""

    indices: NDArray[np.int32]
    start: NDArray[np.int32]
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


@kernel(**UNCOUNTED)
def _spread(blocks, places, data):
    """Add blocks to the data of a sparse matrix. Bookkeeping."""
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
    from scipy.sparse import csc_array  # when used: it takes a tenth of a second to load

    return csc_array((data, pattern.indices, pattern.start), shape=(n, n))


class Newton:
    """Newton's method on one assembly; `x` and `quaternions` move to the solution, `out` holds the last evaluation."""

    def __init__(self, parts: tuple[Arcs, Nodes, Rigid, Any], x: Array, quaternions: Array, scales: Scales,
                 integrator: tuple[float, int], out: Result, effort: Effort | None = None) -> None:  # fmt: skip
        self.effort = effort if effort is not None else Effort()
        self.parts, self.x, self.quaternions, self.scales, self.out = parts, x, quaternions, scales, out
        self.fine = integrator
        self.rough = (ROUGH, integrator[1]) if integrator[0] < WORTHWHILE else integrator
        self.integrator = self.rough
        self.dense = x.size <= DENSE_LIMIT
        self.matrix: Any = np.empty((x.size, x.size)) if self.dense else None
        self.pattern = None if self.dense else sparse_pattern(x.size, *parts[:3])

    def solve(self, target: float, restarts: int = len(RESTARTS)) -> Path:
        """Iterate until the largest scaled constraint is below `target`, with new starts if that fails."""
        path = Path()
        x0, q0 = self.x.copy(), self.quaternions.copy()
        for k in range(restarts + 1):
            if k > 0:
                self.x[:], self.quaternions[:] = x0, q0
                straighten(*self.parts[:3], self.x, self.quaternions, RESTARTS[k - 1])
            path.restarts = k
            self._iterate(target, path)
            if path.ending == CONVERGED or self.effort.spent:
                break
        return path

    def _evaluate(self, x: Array, quaternions: Array, derivatives: bool) -> tuple[float, float]:
        """Largest entry and half the sum of squares of the scaled residual; infinite if it cannot be had."""
        ending = evaluate(*self.parts, x, quaternions, *self.integrator, derivatives, self.out)
        self.effort.steps += float(self.out.log.steps.sum())
        if ending != ARRIVED:
            return np.inf, np.inf
        norms: tuple[float, float] = scaled_norms(self.out.residual, self.scales.row)
        return norms

    def _iterate(self, target: float, path: Path) -> None:
        """One try from where x is."""
        path.residuals, path.steps, path.dampings = [], [], []
        path.ending = BAD_START
        self.integrator = self.rough
        worst, merit = self._evaluate(self.x, self.quaternions, True)
        path.residuals.append(worst)
        if not worst < np.inf:
            return
        slow = 0
        path.ending = TOO_MANY
        for _ in range(MAX_ITERATIONS):
            if worst <= SWITCH and self.integrator != self.fine:
                self.integrator = self.fine
                worst, merit = self._evaluate(self.x, self.quaternions, True)
                path.residuals[-1] = worst
            if worst <= target:
                path.ending = CONVERGED
                return
            found = self._step(worst, merit, path) if slow <= PATIENCE else None
            if found is None:
                self._evaluate(self.x, self.quaternions, True)
                path.ending = CONVERGED if worst <= FLOOR else STUCK
                return
            slow = slow + 1 if found[1] > SLOW * merit else 0
            worst, merit = found
            path.iterations += 1
            path.residuals.append(worst)

    def _step(self, worst: float, merit: float, path: Path) -> tuple[float, float] | None:
        """One accepted step, Newton's or a damped one; None if there is none."""
        residual = self.out.residual / self.scales.row
        matrix = self._matrix()
        x_new, q_new = np.empty_like(self.x), self.quaternions.copy()
        for attempt in range(DAMPINGS):
            damping = 0.0 if attempt == 0 else FIRST_DAMPING * 10.0**attempt
            direction = _direction(matrix, residual, damping)
            if direction is None:
                continue
            direction *= self.scales.column
            step = 1.0
            for k in range(DAMPED_HALVINGS if attempt else MAX_HALVINGS):
                move(self.x, self.quaternions, direction, step, *self.parts[1:3], x_new, q_new)
                found = self._evaluate(x_new, q_new, k == 0)
                if found[1] < merit * (1.0 if attempt else 1.0 - 2.0 * ARMIJO * step):
                    if k > 0:
                        self._evaluate(x_new, q_new, True)
                    self.x[:], self.quaternions[:] = x_new, q_new
                    path.steps.append(step)
                    path.dampings.append(damping)
                    return found
                if worst <= FLOOR or self.effort.spent:
                    return None
                step = next_cut(step, merit, found[1])
        return None

    def _matrix(self) -> Any:
        """The scaled derivative."""
        if not self.dense:
            assert self.pattern is not None
            return sparse_matrix(self.pattern, self.out, self.scales)
        gather(*self.parts[:3], self.out, self.matrix)
        return self.matrix * (self.scales.column / self.scales.row[:, None])


def next_cut(step: float, merit: float, trial: float) -> float:
    """Shorter step from the parabola through the merit, its slope (-2 merit, exact for Newton) and the trial."""
    if not trial < np.inf:
        return SMALLEST_CUT * step
    best = step * step * merit / (trial - merit + 2.0 * step * merit)
    return min(LARGEST_CUT * step, max(SMALLEST_CUT * step, best))


def _direction(matrix: Any, residual: Array, damping: float) -> Array | None:
    """Newton (damping 0) or Levenberg-Marquardt direction of the scaled system; None if it cannot be had."""
    if isinstance(matrix, np.ndarray):
        if damping == 0.0:
            left, right = matrix.copy(), -residual
        else:
            left, right = np.empty_like(matrix), np.empty_like(residual)
            normal_equations(matrix, -residual, left, right)
            left[np.diag_indices_from(left)] += damping * float(np.max(np.diag(left), initial=0.0))
        if not solve_dense(left, right):
            return None
        return right if np.all(np.isfinite(right)) else None
    from ropewalk.numerics.sparse_lu import Factors  # when used: scipy.sparse takes a tenth of a second to load

    try:
        if damping == 0.0:
            return Factors(matrix).solve(-residual)
        normal = (matrix.T @ matrix).tocsc()
        normal.setdiag(normal.diagonal() + damping * normal.diagonal().max())
        return Factors(normal).solve(-(matrix.T @ residual))
    except np.linalg.LinAlgError:
        return None
