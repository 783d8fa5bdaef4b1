r"""Rods held by lines: the balance on SE(3), all six freedoms of every rod, with lines in closed form.

A rod is a body of `catenary_assembly` whose hull is the rod's wet volume. About the head, in world axes,
with the integrals V, X of the wet volume and A, B, C of the waterplane turned by the head's attitude,

.. math:: F = \rho g V z, \quad M = \rho g\, X \times z, \quad K = -\partial(F, M)/\partial(x, \theta),

to which weight, lines, springs and the other bodies are added. Newton steps are taken in the eigenvectors of the
symmetric part of K, with the sizes of its eigenvalues, so that they go downhill; a motion that nothing resists
and nothing drives is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.balance_newton import Newton, Path, Place, Scales
from ropewalk.assembly.catenary import Assembly, Balance, balance, gather
from ropewalk.assembly.catenary_balance import SOFTER, UNSTABLE, nudged
from ropewalk.assembly.catenary_build import build_assembly, free_dofs, scales
from ropewalk.errors import InputError
from ropewalk.methods.claims import CLOSED_FORM, demands
from ropewalk.methods.protocol import Claim
from ropewalk.model.arrays import Array, floats
from ropewalk.model.model import Model
from ropewalk.model.rods import RodModel
from ropewalk.model.state import rotation_matrix
from ropewalk.numerics.compile import kernel
from ropewalk.physics import hydrostatics as hull
from ropewalk.physics.catenary import MEANING
from ropewalk.physics.rod_hydrostatics import hydrostatics
from ropewalk.physics.rod_integrals import Integrals

MOST_STEPS = 200
NEUTRAL = 1e-12  # of the largest stiffness: below it nothing resists the motion
NO_DRIVE = 1e-12  # of the force scale: a smaller force along such a motion is round-off
LONGEST_TURN = 0.5  # rad in one step
CLAIMS = CLOSED_FORM | {Claim.RODS, Claim.WAVES}  # waves do not act on what is at rest


@kernel
def add_buoyancy(acc, R, specific_weight, wrench, stiffness):
    """Add a rod's buoyancy and its stiffness about the head, in world axes.

    Source: docs/theory/rods.md, Rods on lines; docs/theory/hydrostatics.md, Force and stiffness.

    acc : integrals of `physics.rod_hydrostatics.hydrostatics`    R : (3, 3) head to world
    specific_weight : of water, N/m3    wrench : (6,) N, N m    stiffness : (6, 6) K = -d(F, M)/d(x, theta)
    """
    cut = np.zeros(1, hull.CUT)
    cut[0].volume = acc.volume
    cut[0].area = acc.area
    for i in range(3):
        for j in range(3):
            cut[0].moment[i] += R[i, j] * acc.moment[j]
            cut[0].area_moment[i] += R[i, j] * acc.area_moment[j]
            for m in range(3):
                for n in range(3):
                    cut[0].area_second[i, j] += R[i, m] * acc.area_second[m, n] * R[j, n]
    hull.buoyancy(cut, specific_weight, wrench, stiffness)


class RodNewton(Newton):
    """Newton's method on an assembly whose last bodies are rods: the loop of assembly/balance_newton.py."""

    def __init__(
        self, assembly: Assembly, model: Model, rods: tuple[RodModel, ...], sizes: Scales, out: Balance
    ) -> None:
        super().__init__(assembly, *free_dofs(model), sizes, out)
        self._rods = rods
        self._n_points = assembly.reference.shape[0]
        self._first = assembly.body.size - len(rods)
        self._stiffness: Array = np.zeros((out.force.size, out.force.size))

    def evaluate(self, place: Place, fraction: float, there: Place) -> tuple[bool, float, float]:
        """As `Newton.evaluate`, with the water's part of the rods."""
        reached, _, _ = super().evaluate(place, fraction, there)
        out = self.out
        for k, rod in enumerate(self._rods, start=self._first):
            R = rotation_matrix(there.quaternions[k])
            acc = hydrostatics(rod.panels, float(there.bodies[k, 2]), np.ascontiguousarray(R[2]))
            own = 3 * self._n_points + 6 * k
            wrench, stiffness = out.force[own : own + 6], out.own[self._n_points + k]
            add_buoyancy(acc, R, self.assembly.density * self.assembly.gravity, wrench, stiffness)
        self._residual[:] = np.where(self._pressed[self.free], 0.0, out.force[self.free])
        slope = float(self._residual @ self._step[self.free])
        return reached, slope, float(np.max(np.abs(self._residual), initial=0.0))

    def whole_step(self, here: Place, there: Place) -> tuple[int, float, float, bool, float, float]:
        """As `Newton.whole_step`; what is counted first are the motions that fall away from the balance."""
        loose = self.free[~self._pressed[self.free]]
        root = self._root[loose]
        values, modes = np.linalg.eigh(self.stiffness()[np.ix_(loose, loose)] / np.outer(root, root))
        drive = modes.T @ (self.out.force[loose] / root)
        largest = float(np.max(np.abs(values), initial=0.0)) or 1.0
        idle = (np.abs(values) < NEUTRAL * largest) & (np.abs(drive) < NO_DRIVE * self.scales.force)
        along = np.where(idle, 0.0, drive / np.maximum(np.abs(values), NEUTRAL * largest))
        self._step[:] = 0.0
        self._step[loose] = (modes @ along) / root
        limit_step(self._step, here, self.scales.length)
        size = float(np.max(np.abs(self._step) * self._root, initial=0.0))
        slope = float(self._residual @ self._step[self.free])
        return (int(np.sum(values < -UNSTABLE * largest)), size, slope, *self.evaluate(here, 1.0, there))

    def stiffness(self) -> Array:
        """(n_dofs, n_dofs) symmetric part of the stiffness where `out` holds the balance."""
        gather(self.assembly, self.out, self._stiffness)
        return 0.5 * (self._stiffness + self._stiffness.T)

    def lowest_mode(self) -> tuple[float, Array]:
        """As `Newton.lowest_mode`, for assemblies of any size."""
        full: Array = np.zeros(self.out.force.size)
        root = self._root[self.free]
        values, modes = np.linalg.eigh(self.stiffness()[np.ix_(self.free, self.free)] / np.outer(root, root))
        full[self.free] = modes[:, 0] / root
        return float(values[0] / np.max(np.abs(values))), full


def limit_step(step: Array, place: Place, length: float) -> None:
    """Cut `step` in place to half the assembly's length and to a modest turn of every body."""
    turns = step[3 * place.points.shape[0] :].reshape(-1, 2, 3)
    shift = max(np.max(np.abs(step[: 3 * place.points.shape[0]]), initial=0.0), np.max(np.abs(turns[:, 0])))
    step /= max(1.0, float(shift) / (0.5 * length), float(np.max(np.abs(turns[:, 1]))) / LONGEST_TURN)


class MooredRod(NamedTuple):
    """One rod of a balance."""

    position: Array  # (3,) of the head, m
    rotation: Array  # (3, 3) head to world
    integrals: Integrals  # of `physics.rod_hydrostatics.hydrostatics`
    wrench: Array  # (6,) residual, about the head, world axes, N, N m
    stiffness: Array  # (6, 6) about the head, world axes; free points follow, other bodies stay


@dataclass(frozen=True)
class MooredBalance:
    """Rods, points and bodies where lines and water hold them, or where the search ended."""

    rods: tuple[MooredRod, ...]
    place: Place
    end_force: Array  # (n_lines, 2, 3) of each line on what holds its ends, N
    lines: tuple[str, ...]  # what each line does, in words
    path: Path
    lowest: float  # smallest eigenvalue of the whole stiffness, rotations times the rod's length, N/m
    trouble: str  # empty if the balance was found

    @property
    def stable(self) -> bool:
        """True if no motion falls away from the balance."""
        return not self.trouble and self.path.lowest >= -UNSTABLE


def refuse_unmoorable(model: Model) -> None:
    """Raise InputError if the case requires more than still water, weight and linear or inextensible lines."""
    missing = sorted(claim.value for claim in demands(model) - CLAIMS)
    if missing:
        raise InputError(f"rods on lines are balanced in still water, without {', '.join(missing)}")


def moored_balance(model: Model, rods: tuple[RodModel, ...], place: Place, most: int = MOST_STEPS) -> MooredBalance:
    """Balance of a case whose last bodies are `rods`, from `place`; see `model.rod_lines.rods_as_bodies`.

    Balances that would not last are left along their lowest mode. Inextensible lines that do not reach at the
    start are stretched a little first.
    """
    assembly = build_assembly(model)
    sizes = _rod_scales(scales(model, assembly), rods)
    out = balance(len(model.names.points), len(model.names.bodies), len(model.names.lines))
    exact = assembly.piece_stiffness
    rigid = np.isinf(exact)
    newton, place, path = _solve(model, rods, _with_stiffness(assembly, exact), sizes, out, place, most)
    if not path.converged and np.any(rigid):
        steps = path.iterations
        for factor in SOFTER:
            soft = _with_stiffness(assembly, np.where(rigid, factor * sizes.force, exact))
            newton, place, path = _solve(model, rods, soft, sizes, out, place, most)
            steps += path.iterations
        better = _solve(model, rods, _with_stiffness(assembly, exact), sizes, out, place, most)
        if better[2].converged or not path.converged:
            newton, place, path = better
        else:  # stretched by 1e-8 of its length the line reaches, unstretched it does not
            newton, place, path = _solve(model, rods, soft, sizes, out, place, most)
        path.iterations += steps
    return _told(model, rods, newton, place, path)


def _solve(
    model: Model, rods: tuple[RodModel, ...], assembly: Assembly, sizes: Scales, out: Balance, place: Place, most: int
) -> tuple[RodNewton, Place, Path]:
    newton = RodNewton(assembly, model, rods, sizes, out)
    place, path = newton.run(place, most)
    if path.blocked:
        return newton, place, path
    return newton, *nudged(newton, place, path, most)


def _with_stiffness(assembly: Assembly, stiffness: Array) -> Assembly:
    first = assembly.piece_start[:-1]
    return assembly._replace(piece_stiffness=floats(stiffness), stiffness=floats(stiffness[first]))


def _rod_scales(sizes: Scales, rods: tuple[RodModel, ...]) -> Scales:
    """Turns of a rod are judged by its length, wherever its lines are fastened."""
    dofs = np.array(sizes.dofs)
    for k, rod in enumerate(reversed(rods)):
        last = dofs.size - 6 * k
        dofs[last - 3 : last] = rod.length**2
    return Scales(max(sizes.length, max(rod.length for rod in rods)), sizes.force, floats(dofs), sizes.bed)


def _told(model: Model, rods: tuple[RodModel, ...], newton: RodNewton, place: Place, path: Path) -> MooredBalance:
    out, n_points = newton.out, len(model.names.points)
    first = len(model.names.bodies) - len(rods)
    K = newton.stiffness()
    points = newton.free[newton.free < 3 * n_points]
    parts = []
    for k, rod in enumerate(rods, start=first):
        R = rotation_matrix(place.quaternions[k])
        own = 3 * n_points + 6 * k + np.arange(6)
        stiffness = K[np.ix_(own, own)]
        if points.size:
            follow = np.linalg.lstsq(K[np.ix_(points, points)], K[np.ix_(points, own)], rcond=None)[0]
            stiffness = stiffness - K[np.ix_(own, points)] @ follow
        acc = hydrostatics(rod.panels, float(place.bodies[k, 2]), np.ascontiguousarray(R[2]))
        parts.append(MooredRod(place.bodies[k].copy(), R, acc, out.force[own].copy(), stiffness))
    root = np.sqrt(newton.scales.dofs[newton.free])
    lowest = np.linalg.eigvalsh(K[np.ix_(newton.free, newton.free)] / np.outer(root, root))[0]
    words = tuple(MEANING[int(status)] for status in out.status)
    return MooredBalance(
        tuple(parts), place, out.end_force.copy(), words, path, float(lowest), _trouble(model, newton, words, path)
    )


def _trouble(model: Model, newton: RodNewton, words: tuple[str, ...], path: Path) -> str:
    failed = [i for i, status in enumerate(newton.out.status) if status <= 0]
    if failed:
        return f"line '{model.names.lines[failed[0]]}': {words[failed[0]]}"
    if path.converged:
        return ""
    return f"out of balance by {path.residuals[-1]:.3g} N after {path.iterations} steps"
