"""Newton's method for the balance of forces on points and bodies, made to arrive from anywhere.

For lines that only pull, under dead loads, the energy is a convex function of where the points are
(docs/theory/assemblies.md), so the balance has one answer and a step is good if the energy still
falls, or falls less steeply, at its end. That needs forces only, no energy. Bodies make the energy
non-convex through their rotations; there the shifted stiffness keeps the direction downhill.

The loop is its own, not numerics/newton.py: it judges steps by the slope of the energy, has the bed as a one-sided
constraint on points, shifts its matrix until it is positive definite, and tries each step in one compiled call.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.catenary import Assembly, Balance, evaluate, gather, present_parts
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.numerics.dense import solve_positive
from ropewalk.numerics.entry import Entry
from ropewalk.numerics.rotations import quaternion_exp, quaternion_normalise, quaternion_product

DENSE_LIMIT = 240  # free dofs up to which a dense factorisation is the faster one
SLOPE_LEFT = 0.9  # of the slope at the start of a step: an overshoot up to this is accepted
SLOPE_SMALL = 0.5  # of it: the root is near enough
BRACKET = 2.0  # factor within which the best fraction is sought
SHRINK = 0.1  # least cut of a step that went too far
SHORTEST_STEP = 1e-10  # of the Newton step; below it the search has failed
SHIFT_START, SHIFT_FACTOR = 1e-13, 30.0  # of the largest stiffness; how it grows until K is positive
STEP_DONE = 1e-13  # Newton step over length scale where round-off rules
FORCE_DONE = 4e-16  # residual over the sum of forces on a dof where round-off rules
FORCE_GOOD = 1e-9  # residual over the force scale that is still an answer
LOST = 1e3  # sizes of the assembly from the origin
FEWEST_TO_GET_LOST = 10  # steps of half the spread each: the spread grows by less than 1.5 ** 10 = 58
ROUND_OFFS = 10.0  # units in the last place of a coordinate that the balance cannot resolve
ROUND_OFF_SHARE = 1e-7  # of the largest end force: a larger residual is no round-off but an iteration that ended early
TURN_LIMIT = 0.5  # rad a body may turn in one step


class Place(NamedTuple):
    """Where points and bodies are."""

    points: Array  # (p, 3) m
    bodies: Array  # (b, 3) m
    quaternions: Array  # (b, 4)


@dataclass(frozen=True)
class Scales:
    """Sizes by which numbers are judged."""

    length: float  # m, of the assembly
    force: float  # N, largest weight or load
    dofs: Array  # (n_dofs,) 1 for translations, squared arm (m2) for rotations
    bed: float = -np.inf  # m, height below which points cannot go


@dataclass
class Path:
    """How the iteration went."""

    iterations: int = 0
    evaluations: int = 0
    steps: list[float] = field(default_factory=list)  # fraction of the Newton step taken
    residuals: list[float] = field(default_factory=list)  # N
    shifts: int = 0  # iterations in which the stiffness was not positive
    stable: bool = False  # the last stiffness was seen to be positive
    lowest: float = 0.0  # smallest over largest stiffness at the end where it was not, negative if unstable
    converged: bool = False
    blocked: bool = False  # a line too short at the start of the iteration


@kernel
def _dense_step(K, free, force, root, step):
    r"""Newton step of the free dofs, 0 of the others; the number of shifts until the matrix is positive definite.

    .. math:: \left(\tfrac12 (K + K^T) + \sigma D\right) \delta = F

    Source: docs/theory/assemblies.md, Consequences for the iteration; D scales translations and rotations alike.

    K : (n_dofs, n_dofs)    free : (n,) dofs    force : (n_dofs,) N, N m    root : (n_dofs,) square roots of D
    step : (n_dofs,) m, rad, filled
    """
    n = free.size
    S = np.empty((n, n))
    A, b, x = np.empty((n, n)), np.empty(n), np.zeros(n)
    largest = 0.0
    for i in range(n):
        b[i] = force[free[i]]
        largest = max(largest, abs(K[free[i], free[i]]) / (root[free[i]] * root[free[i]]))
        for j in range(n):
            S[i, j] = 0.5 * (K[free[i], free[j]] + K[free[j], free[i]])
    if largest == 0.0:
        largest = 1.0
    shift = 0.0
    shifts = 0
    while shifts < 40:
        for i in range(n):
            for j in range(n):
                A[i, j] = S[i, j]
            A[i, i] += shift * largest * (root[free[i]] * root[free[i]])
        if solve_positive(A, b, x):
            break
        shift = SHIFT_START if shift == 0.0 else shift * SHIFT_FACTOR
        shifts += 1
    for i in range(step.size):
        step[i] = 0.0
    for i in range(n):
        step[free[i]] = x[i]
    return shifts


class _SparseSteps:
    """Newton steps of large assemblies: fixed pattern, sparse LU of the symmetric part."""

    def __init__(self, assembly: Assembly, free: Ints, n_dofs: int) -> None:
        n_points = assembly.reference.shape[0]
        number = np.full(n_dofs + 1, -1)
        number[free] = np.arange(free.size)
        own = np.full((n_points + assembly.body.size, 6), -1)
        for k in range(own.shape[0]):
            size, first = (3, 3 * k) if k < n_points else (6, 3 * n_points + 6 * (k - n_points))
            own[k, :size] = first + np.arange(size)
        rows, columns = [], []
        for dofs in (assembly.dofs, own):
            local = number[dofs]  # -1 reads the spare last entry, which is -1 too
            rows.append(np.repeat(local, local.shape[1], axis=1).ravel())
            columns.append(np.tile(local, (1, local.shape[1])).ravel())
        self._rows, self._columns = np.concatenate(rows), np.concatenate(columns)
        self._kept = (self._rows >= 0) & (self._columns >= 0)
        self._free = free

    def step(self, out: Balance, scale: Array) -> tuple[Array, int]:
        """Step of the free dofs and the number of shifts it took."""
        from scipy.sparse import coo_matrix, diags

        from ropewalk.numerics.sparse_lu import Factors  # when used: scipy.sparse takes a tenth of a second to load

        n = self._free.size
        values = np.concatenate([out.blocks.ravel(), out.own.ravel()])[self._kept]
        K = coo_matrix((values, (self._rows[self._kept], self._columns[self._kept])), shape=(n, n)).tocsc()
        K = 0.5 * (K + K.T)
        force, weights = out.force[self._free], scale[self._free]
        largest = float(np.max(np.abs(K.diagonal()) / weights)) or 1.0
        shift, shifts = SHIFT_START, 0
        while shifts < 40:
            try:
                step = Factors(K + diags(shift * largest * weights)).solve(force)
                if np.dot(step, force) >= 0.0:
                    break
            except np.linalg.LinAlgError:
                step = np.full(n, np.nan)
            shift, shifts = shift * SHIFT_FACTOR, shifts + 1
        return step, shifts


class Trial(NamedTuple):
    """What a step is tried with."""

    step: Array  # (n_dofs,) m, rad
    free: Ints  # dofs
    floor: Ints  # dofs that are heights of points above the bed
    level: float  # of the bed, m
    pressed: Flags  # (n_dofs,) filled: where the bed carries a point
    residual: Array  # (n_free,) filled: force without what the bed carries, N


@kernel(separate=True)
def _move_bodies(bodied, here, fraction, step, there):
    """Bodies of `there` after `fraction` of a step of all dofs from `here`: x + dx, q = exp(dphi) q.

    Source: docs/theory/assemblies.md.  bodied : as in `Assembly`
    """
    if bodied is None:
        return
    for k in range(here.bodies.shape[0]):
        first = 3 * here.points.shape[0] + 6 * k
        turn = quaternion_exp(fraction * step[first + 3 : first + 6])
        turned = quaternion_normalise(quaternion_product(turn, here.quaternions[k]))
        for j in range(3):
            there.bodies[k, j] = here.bodies[k, j] + fraction * step[first + j]
        for j in range(4):
            there.quaternions[k, j] = turned[j]


@kernel(separate=True)
def _try(assembly, here, fraction, trial, out, there):
    """Balance after `fraction` of the step of a `Trial` from a place; points that sink are put back on the bed.

    Source: docs/theory/assemblies.md: the slope g = F . delta at the end of the step judges it; contact is z >= z_bed.

    here, there : `Place`, the old and the new one, which is filled    out : `Balance`, filled
    Returns whether every line reaches, the residual along the step (N m) and its largest entry (N).
    """
    points = here.points
    step, free, floor, level, pressed, residual = trial
    n_points = points.shape[0]
    for k in range(n_points):
        for j in range(3):
            x = points[k, j]
            for m in range(3):
                x += assembly.frame[k, m, j] * fraction * step[3 * k + m]
            there.points[k, j] = x
    _move_bodies(assembly.bodied, here, fraction, step, there)
    for dof in floor:
        there.points[dof // 3, 2] = max(there.points[dof // 3, 2], level)
    evaluate(assembly, there.points, there.bodies, there.quaternions, out)
    pressed[:] = False
    for dof in floor:
        pressed[dof] = there.points[dof // 3, 2] <= level and out.force[dof] < 0.0
    slope, largest = 0.0, 0.0
    for i in range(free.size):
        residual[i] = 0.0 if pressed[free[i]] else out.force[free[i]]
        slope += residual[i] * step[free[i]]
        largest = max(largest, abs(residual[i]))
    reached = True
    for i in range(out.status.size):
        reached = reached and out.status[i] > 0
    return reached, slope, largest


@kernel(**UNCOUNTED)
def _limit(step, points, bodies, length):
    """Reduce a step (m, rad) in place to about the size of the assembly, or its spread where that is more.

    Source: step -> step/max(1, |step_i|/limit_i), docs/theory/assemblies.md, Consequences for the iteration; limit =
    half the larger of length and spread, or TURN_LIMIT for rotations.
    """
    spread = length
    for j in range(3):
        low, high = np.inf, -np.inf
        for k in range(points.shape[0]):
            low, high = min(low, points[k, j]), max(high, points[k, j])
        for k in range(bodies.shape[0]):
            low, high = min(low, bodies[k, j]), max(high, bodies[k, j])
        spread = max(spread, high - low)
    over = 1.0
    for i in range(step.size):
        turns = i >= 3 * points.shape[0] and (i - 3 * points.shape[0]) % 6 >= 3
        over = max(over, abs(step[i]) / (TURN_LIMIT if turns else 0.5 * spread))
    for i in range(step.size):
        step[i] /= over


@kernel(**UNCOUNTED)
def _size_and_slope(step, root, free, residual):
    """Scaled size of a step, max |p_i| root_i (m), and the work f . p of the residual along it (N m).

    Source: f . p = -phi'(0), docs/theory/assemblies.md, Consequences for the iteration.
    """
    size, slope = 0.0, 0.0
    for i in range(step.size):
        size = max(size, abs(step[i]) * root[i])
    for i in range(free.size):
        slope += residual[i] * step[free[i]]
    return size, slope


@kernel(separate=True)
def _dense_trial(assembly, here, K, root, length, trial, out, there):
    """Set the step of a `Trial` to Newton's, zero where held or pressed on the bed, and try the whole of it.

    Source: docs/theory/assemblies.md, Consequences for the iteration: K p = f, then the slope f . p at its end.

    K : (n_dofs, n_dofs) work    root : (n_dofs,) arm of rotations (m), 1 for translations    length : m
    Returns the number of shifts, size and slope of the step, and what `_try` returns. One entry into compiled
    code: handing over the arrays costs as much as the work on a small assembly.
    """
    step, free, _, _, pressed, residual = trial
    gather(assembly, out, K)
    loose = np.empty_like(free)
    n = 0
    for dof in free:
        if not pressed[dof]:
            loose[n] = dof
            n += 1
    shifts = _dense_step(K, loose[:n], out.force, root, step)
    _limit(step, here.points, here.bodies, length)
    size, slope0 = _size_and_slope(step, root, free, residual)
    reached, slope, largest = _try(assembly, here, 1.0, trial, out, there)
    return shifts, size, slope0, reached, slope, largest


# by-passing the look at types: it takes as long as the work on a small assembly
try_entry, dense_entry = Entry(_try, present_parts), Entry(_dense_trial, present_parts)


def moved(place: Place, frame: Array, full_step: Array) -> Place:
    """`place` after a step of all dofs."""
    p, b = place.points.shape[0], place.bodies.shape[0]
    points = place.points + np.einsum("kmj,km->kj", frame, full_step[: 3 * p].reshape(p, 3))
    turn = full_step[3 * p :].reshape(b, 6)
    quaternions = place.quaternions.copy()
    for k in range(b):
        quaternions[k] = quaternion_normalise(quaternion_product(quaternion_exp(turn[k, 3:].copy()), quaternions[k]))
    return Place(points, place.bodies + turn[:, :3], quaternions)


def copied(place: Place) -> Place:
    """Memory of its own with the same content."""
    return Place(place.points.copy(), place.bodies.copy(), place.quaternions.copy())


class Newton:
    """The iteration, with its memory."""

    def __init__(self, assembly: Assembly, free: Ints, floor: Ints, scales: Scales, out: Balance) -> None:
        self.assembly, self.free, self.floor, self.scales, self.out = assembly, free, floor, scales, out
        n = out.force.size
        self._K: Array | None = np.zeros((n, n)) if free.size <= DENSE_LIMIT else None
        self._sparse = None if self._K is not None else _SparseSteps(assembly, free, n)
        self._level = scales.bed
        self._pressed: Flags = np.zeros(n, dtype=np.bool_)  # dofs that the bed holds up
        self._residual: Array = np.zeros(free.size)
        self._step: Array = np.zeros(n)
        self._root: Array = np.sqrt(scales.dofs)
        self._trial = Trial(self._step, free, floor, self._level, self._pressed, self._residual)

    def evaluate(self, place: Place, fraction: float, there: Place) -> tuple[bool, float, float]:
        """Balance at `fraction` of the current step from `place`: does every line reach, slope (N m), residual (N)."""
        result: tuple[bool, float, float] = try_entry(self.assembly, place, fraction, self._trial, self.out, there)
        return result

    def whole_step(self, here: Place, there: Place) -> tuple[int, float, float, bool, float, float]:
        """Newton step from `here`, tried whole: shifts, size (m), slope at its start; reach, slope, residual there."""
        if self._sparse is None:
            result: tuple[int, float, float, bool, float, float] = dense_entry(
                self.assembly, here, self._K, self._root, self.scales.length, self._trial, self.out, there
            )
            return result
        self._step[:] = 0.0
        step, shifts = self._sparse.step(self.out, self.scales.dofs)
        self._step[self.free] = np.where(self._pressed[self.free], 0.0, step)
        _limit(self._step, here.points, here.bodies, self.scales.length)
        size, slope0 = _size_and_slope(self._step, self._root, self.free, self._residual)
        return (shifts, size, slope0, *self.evaluate(here, 1.0, there))

    def lowest_mode(self) -> tuple[float, Array]:
        """Smallest eigenvalue of the scaled stiffness over its largest, and its step of all dofs.

        Negative where the balance is not stable; 0 for a part that can drift. Small assemblies only.
        """
        full: Array = np.zeros(self.out.force.size)
        if self._K is None or self.free.size == 0:
            return 0.0, full
        gather(self.assembly, self.out, self._K)
        root = np.sqrt(self.scales.dofs[self.free])
        K = self._K[np.ix_(self.free, self.free)] / np.outer(root, root)
        values, vectors = np.linalg.eigh(0.5 * (K + K.T))
        full[self.free] = vectors[:, 0] / root
        largest = max(abs(values[0]), abs(values[-1]))
        return float(values[0] / largest) if largest > 0.0 else 0.0, full

    def lost(self, place: Place) -> bool:
        """True where a part has gone so far that its forces mean nothing."""
        size = max(float(np.max(np.abs(place.points), initial=0.0)), float(np.max(np.abs(place.bodies), initial=0.0)))
        home = max(float(np.max(np.abs(self.assembly.reference), initial=0.0)), self.scales.length)
        return size > LOST * home

    def round_off(self, place: Place) -> float:
        """Force (N) that the last digits of the positions make through the stiffest line."""
        stiffest = float(np.max(np.abs(self.out.blocks[:, :3, :3]), initial=0.0))
        stiffest = max(stiffest, float(np.max(np.abs(self.out.blocks[:, 6:9, 6:9]), initial=0.0)))
        size = max(float(np.max(np.abs(place.points), initial=0.0)), float(np.max(np.abs(place.bodies), initial=0.0)))
        return ROUND_OFFS * sys.float_info.epsilon * stiffest * size

    def good(self, largest: float, place: Place) -> bool:
        """True if a residual (N) is an answer: small beside the loads, or what round-off leaves of large end forces."""
        if largest <= FORCE_GOOD * self.scales.force:
            return True
        ends = float(np.max(np.abs(self.out.end_force), initial=0.0))
        return largest <= min(self.round_off(place), ROUND_OFF_SHARE * ends)

    def run(self, place: Place, most: int) -> tuple[Place, Path]:
        """Iterate from `place`, at most `most` times.

        A nearly straight line that cannot stretch makes Newton's steps tiny far from the balance, so a small step
        alone ends nothing: from there the tension falls by the square root of three in each step.
        """
        path = Path()
        place, here, there = copied(place), copied(place), copied(place)
        reached, _, largest = self.evaluate(place, 0.0, here)
        path.evaluations = 1
        if not reached:
            path.blocked = True
            return here, path
        for _ in range(most):
            path.residuals.append(largest)
            if largest <= FORCE_DONE * self.scales.force:
                break
            shifts, size, slope0, reached, slope, largest = self.whole_step(here, there)
            path.evaluations += 1
            path.iterations += 1
            path.shifts += shifts > 0
            path.stable = shifts == 0  # the stiffness had a Cholesky factor
            if size <= STEP_DONE * self.scales.length and self.good(path.residuals[-1], here):
                _, _, largest = self.evaluate(here, 0.0, there)
                break
            taken, largest = self._search(here, there, slope0, (reached, slope, largest), path)
            path.steps.append(taken)
            if taken == 0.0:
                break
            here, there = there, here
        path.residuals.append(largest)  # `out` holds the balance at `here`: the search ends with it
        path.converged = self.good(largest, here) and not (path.iterations > FEWEST_TO_GET_LOST and self.lost(here))
        return here, path

    def _search(
        self, here: Place, there: Place, slope0: float, whole: tuple[bool, float, float], path: Path
    ) -> tuple[float, float]:
        """Shorten the step until the slope at its end is small, or has not turned up far.

        The slope (force along the step) falls along the step, steeply where lines come taut: its root is
        bracketed and narrowed until the fraction is known to a factor of BRACKET. `whole` is what the whole
        step gave. Returns the fraction taken, 0 if none is good, and the residual there (N); `there` holds
        the new place.
        """
        reached, slope, largest = whole
        low, high, fraction = 0.0, np.inf, 1.0
        while fraction > SHORTEST_STEP:
            if reached and slope >= -SLOPE_LEFT * abs(slope0):
                low = fraction
                if slope <= SLOPE_SMALL * slope0 or high <= BRACKET * low or fraction == 1.0:
                    return fraction, largest
            else:
                high = fraction
                if high <= BRACKET * low:
                    break
            if low > 0.0:
                fraction = float(np.sqrt(low * high))
            else:
                secant = slope0 / (slope0 - slope) if reached and np.isfinite(slope) else 0.0
                fraction *= min(0.5, max(SHRINK, secant))
            reached, slope, largest = self.evaluate(here, fraction, there)
            path.evaluations += 1
        _, _, largest = self.evaluate(here, low, there)
        return low, largest
