"""Newton's method for the balance of forces on points and bodies, made to arrive from anywhere.

For lines that only pull, under dead loads, the energy is a convex function of where the points are
(docs/theory/assemblies.md), so the balance has one answer and a step is good if the energy still
falls, or falls less steeply, at its end. That needs forces only, no energy. Bodies make the energy
non-convex through their rotations; there the shifted stiffness keeps the direction downhill.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import quaternion_exp, quaternion_normalise, quaternion_product
from ropewalk.solvers.catenary_assembly import Assembly, Balance, evaluate, gather

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
ROUND_OFFS = 10.0  # units in the last place of a coordinate that the balance cannot resolve
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


@dataclass
class Path:
    """How the iteration went."""

    iterations: int = 0
    evaluations: int = 0
    steps: list[float] = field(default_factory=list)  # fraction of the Newton step taken
    residuals: list[float] = field(default_factory=list)  # N
    shifts: int = 0  # iterations in which the stiffness was not positive
    lowest: float = 0.0  # smallest over largest stiffness at the end, negative if unstable
    converged: bool = False
    blocked: bool = False  # a line too short at the start of the iteration


@kernel
def _factor_solve(A, b, x):
    """Solve A x = b by Cholesky in place of A; False if A is not positive definite."""
    n = b.size
    for j in range(n):
        d = A[j, j]
        for k in range(j):
            d -= A[j, k] * A[j, k]
        if not d > 0.0:
            return False
        d = np.sqrt(d)
        A[j, j] = d
        for i in range(j + 1, n):
            v = A[i, j]
            for k in range(j):
                v -= A[i, k] * A[j, k]
            A[i, j] = v / d
    for i in range(n):
        v = b[i]
        for k in range(i):
            v -= A[i, k] * x[k]
        x[i] = v / A[i, i]
    for i in range(n - 1, -1, -1):
        v = x[i]
        for k in range(i + 1, n):
            v -= A[k, i] * x[k]
        x[i] = v / A[i, i]
    return True


@kernel
def _dense_step(K, free, force, scale):
    """Newton step of the free dofs from the symmetric part of K, shifted until positive; step, number of shifts."""
    n = free.size
    S = np.empty((n, n))
    b = np.empty(n)
    largest = 0.0
    for i in range(n):
        b[i] = force[free[i]]
        largest = max(largest, abs(K[free[i], free[i]]) / scale[free[i]])
        for j in range(n):
            S[i, j] = 0.5 * (K[free[i], free[j]] + K[free[j], free[i]])
    step = np.zeros(n)
    if largest == 0.0:
        largest = 1.0
    shift = 0.0
    shifts = 0
    while shifts < 40:
        A = S.copy()
        for i in range(n):
            A[i, i] += shift * largest * scale[free[i]]
        if _factor_solve(A, b, step):
            break
        shift = SHIFT_START if shift == 0.0 else shift * SHIFT_FACTOR
        shifts += 1
    return step, shifts


class _SparseSteps:
    """Newton steps of large assemblies: fixed pattern, sparse LU of the symmetric part."""

    def __init__(self, assembly: Assembly, free: Ints, n_dofs: int) -> None:
        n_points = assembly.reference.shape[0]
        number = np.full(n_dofs + 1, -1)
        number[free] = np.arange(free.size)
        own = np.full((n_points + assembly.hull.size, 6), -1)
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
        from scipy.sparse.linalg import splu

        n = self._free.size
        values = np.concatenate([out.blocks.ravel(), out.own.ravel()])[self._kept]
        K = coo_matrix((values, (self._rows[self._kept], self._columns[self._kept])), shape=(n, n)).tocsc()
        K = 0.5 * (K + K.T)
        force, weights = out.force[self._free], scale[self._free]
        largest = float(np.max(np.abs(K.diagonal()) / weights)) or 1.0
        shift, shifts = SHIFT_START, 0
        while shifts < 40:
            try:
                step = splu((K + diags(shift * largest * weights)).tocsc()).solve(force)
            except RuntimeError:  # exactly singular
                step = np.full(n, np.nan)
            if np.all(np.isfinite(step)) and np.dot(step, force) >= 0.0:
                break
            shift, shifts = shift * SHIFT_FACTOR, shifts + 1
        return step, shifts


def moved(place: Place, frame: Array, full_step: Array) -> Place:
    """`place` after a step of all dofs."""
    p, b = place.points.shape[0], place.bodies.shape[0]
    points = place.points + np.einsum("kmj,km->kj", frame, full_step[: 3 * p].reshape(p, 3))
    turn = full_step[3 * p :].reshape(b, 6)
    quaternions = place.quaternions.copy()
    for k in range(b):
        quaternions[k] = quaternion_normalise(quaternion_product(quaternion_exp(turn[k, 3:].copy()), quaternions[k]))
    return Place(points, place.bodies + turn[:, :3], quaternions)


class Newton:
    """The iteration, with its memory."""

    def __init__(self, assembly: Assembly, free: Ints, floor: Ints, scales: Scales, out: Balance) -> None:
        self.assembly, self.free, self.floor, self.scales, self.out = assembly, free, floor, scales, out
        n = out.force.size
        self._K: Array | None = np.zeros((n, n)) if free.size <= DENSE_LIMIT else None
        self._sparse = None if self._K is not None else _SparseSteps(assembly, free, n)
        self._pressed: Flags = np.zeros(n, dtype=np.bool_)  # dofs that the bed holds up

    def evaluate(self, place: Place) -> bool:
        """Fill `out`; False where a line cannot reach."""
        evaluate(self.assembly, *place, self.out)
        return bool(np.all(self.out.status > 0))

    def residual(self, place: Place) -> Array:
        """Force on the free dofs, without what the bed carries, N."""
        force: Array = self.out.force[self.free].copy()
        if self.floor.size:
            self._pressed[:] = False
            height = place.points[self.floor // 3, 2] - self.bed(self.floor // 3)
            self._pressed[self.floor] = (height <= 0.0) & (self.out.force[self.floor] < 0.0)
            force[self._pressed[self.free]] = 0.0
        return force

    def bed(self, points: Ints) -> Array:
        """Height below which the given points cannot go, m."""
        level: Array = np.full(points.size, float(np.max(self.assembly.bed, initial=-np.inf)))
        return level

    def step(self) -> tuple[Array, int]:
        """Newton step of all dofs (zero where held) and the number of shifts."""
        full: Array = np.zeros(self.out.force.size)
        if self._sparse is not None:
            step, shifts = self._sparse.step(self.out, self.scales.dofs)
            step = np.where(self._pressed[self.free], 0.0, step)
            full[self.free] = step
            return full, shifts
        assert self._K is not None
        gather(self.assembly, self.out, self._K)
        loose = self.free[~self._pressed[self.free]]
        step, shifts = _dense_step(self._K, loose, self.out.force, self.scales.dofs)
        full[loose] = step
        return full, shifts

    def limited(self, step: Array, radius: float) -> Array:
        """`step` cut to the radius (m) and to a modest turn of bodies."""
        p = 3 * self.assembly.reference.shape[0]
        turns = step[p:].reshape(-1, 6)
        far = max(np.max(np.abs(step[:p]), initial=0.0), np.max(np.abs(turns[:, :3]), initial=0.0)) / radius
        turn = np.max(np.abs(turns[:, 3:]), initial=0.0) / TURN_LIMIT
        return step / max(1.0, far, turn)

    def landed(self, place: Place) -> Place:
        """`place` with points that sank into the bed put back on it."""
        if not self.floor.size:
            return place
        points = place.points.copy()
        k = self.floor // 3
        points[k, 2] = np.maximum(points[k, 2], self.bed(k))
        return place._replace(points=points)

    def radius(self, place: Place) -> float:
        """How far a step may go, m: about the assembly's length, or more while it is strewn wider than that."""
        every = np.concatenate([place.points, place.bodies])
        spread = np.max(every, axis=0) - np.min(every, axis=0)
        return 0.5 * max(self.scales.length, float(np.max(spread)))

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
        return float(values[0] / max(abs(values[0]), abs(values[-1]))), full

    def round_off(self, place: Place) -> float:
        """Force (N) that the last digits of the positions make through the stiffest line."""
        stiffest = float(np.max(np.abs(self.out.blocks[:, :3, :3]), initial=0.0))
        stiffest = max(stiffest, float(np.max(np.abs(self.out.blocks[:, 6:9, 6:9]), initial=0.0)))
        size = max(float(np.max(np.abs(place.points), initial=0.0)), float(np.max(np.abs(place.bodies), initial=0.0)))
        return ROUND_OFFS * np.finfo(float).eps * stiffest * size

    def run(self, place: Place, most: int) -> tuple[Place, Path]:
        """Iterate from `place`, at most `most` times."""
        path = Path()
        place = self.landed(place)
        if not self.evaluate(place):
            path.blocked = True
            return place, path
        force = self.residual(place)
        path.evaluations = 1
        for _ in range(most):
            path.residuals.append(float(np.max(np.abs(force), initial=0.0)))
            if path.residuals[-1] <= FORCE_DONE * self.scales.force:
                path.converged = True
                break
            step, shifts = self.step()
            path.iterations += 1
            path.shifts += shifts > 0
            step = self.limited(step, self.radius(place))
            if np.max(np.abs(step) * np.sqrt(self.scales.dofs), initial=0.0) <= STEP_DONE * self.scales.length:
                path.converged = True
                break
            place, force, taken = self._search(place, step, force, path)
            path.steps.append(taken)
            if taken == 0.0:
                break
        self.evaluate(place)
        force = self.residual(place)
        path.residuals.append(float(np.max(np.abs(force), initial=0.0)))
        path.converged = path.residuals[-1] <= max(FORCE_GOOD * self.scales.force, self.round_off(place))
        return place, path

    def _search(self, place: Place, step: Array, force: Array, path: Path) -> tuple[Place, Array, float]:
        """Shorten the step until the slope at its end is small, or has not turned up far.

        The slope (force along the step) falls along the step, steeply where lines come taut: its root is
        bracketed and narrowed until the fraction is known to a factor of BRACKET.
        """
        slope0 = float(np.dot(force, step[self.free]))
        low, high, fraction = 0.0, np.inf, 1.0
        good: tuple[Place, Array, float] | None = None
        while fraction > SHORTEST_STEP:
            trial = self.landed(moved(place, self.assembly.frame, fraction * step))
            reached = self.evaluate(trial)
            path.evaluations += 1
            new = self.residual(trial)
            slope = float(np.dot(new, step[self.free])) if reached else -np.inf
            if not np.isnan(slope) and slope >= -SLOPE_LEFT * abs(slope0):
                low, good = fraction, (trial, new, fraction)
                if slope <= SLOPE_SMALL * slope0 or high <= BRACKET * low or fraction == 1.0:
                    return good
            else:
                high = fraction
                if high <= BRACKET * low:
                    break
            if low > 0.0:
                fraction = float(np.sqrt(low * high))
            else:
                secant = slope0 / (slope0 - slope) if np.isfinite(slope) else 0.0
                fraction *= min(0.5, max(SHRINK, secant))
        if good is None:
            self.evaluate(place)
            return place, force, 0.0
        self.evaluate(good[0])
        return good
