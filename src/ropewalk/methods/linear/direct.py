"""Direct frequency response: one complex solve per frequency, drag linearised until it fits the motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.errors import ConvergenceError
from ropewalk.methods.linear.assembly import Assembled, nodal, placed
from ropewalk.methods.linear.equilibrium import Rest
from ropewalk.methods.linear.unknowns import Unknowns
from ropewalk.methods.linear.wet import Wet, blocks, drag_matrices, wave_force, wet_parts
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.numerics.sparse_lu import Factors

Complex = NDArray[np.complex128]

MOST_ITERATIONS = 200
CHANGE = 1e-5  # of the largest drag matrix, at which the linearisation has settled
RELAX_AFTER, RELAXED = 12, 0.5  # iterations after which only this share of a change is taken
SOLVE_TOLERANCE = 1e-8  # relative residual of a solve above which pivoting is needed


class Excitation(NamedTuple):
    """Harmonic causes, k of them: sums of the same frequency belong in one column."""

    omega: Array  # (k,) rad/s
    inputs: Complex  # (n_inputs, k) motion of held and moved components, m, rad
    wave: Complex  # (k,) amplitude of a wave at the origin, m
    heading: Array  # (k,) of the wave, rad
    force: Complex  # (n, k) over the unknowns, N


@dataclass
class Answer:
    """Complex amplitudes with exp(-i omega t), and how the linearisation went."""

    x: Complex  # (n, k)
    inputs: Complex  # (n_inputs, k)
    iterations: int
    change: float  # last relative change of the drag


class Direct:
    """The matrices of one system, ready to be solved at any frequency."""

    def __init__(self, model: Model, unknowns: Unknowns, rest: Rest) -> None:
        self.model, self.unknowns, self.rest = model, unknowns, rest
        at = rest.assembled
        self.at: Assembled = at
        self.wet: Wet = wet_parts(model, unknowns, rest.place, at)
        drag = nodal(unknowns.first, at.local.B, at.local.node_drag)
        drag = drag if at.screens is None else drag + at.screens.B
        self.B, self.B_in = at.B - at.S.T @ drag @ at.S, at.B_in - at.S.T @ drag @ at.S_in
        for rows, terms in zip(unknowns.body, at.bodies, strict=True):
            if rows[0] >= 0 and np.any(terms.drag):
                self.B = self.B - placed(terms.drag, rows, unknowns.size)
        self._PT = at.P.T.tocsr()
        self._K, self._M = (self._PT @ at.K @ at.P).tocsc(), (self._PT @ at.M @ at.P).tocsc()

    def response(self, excitation: Excitation, *, together: bool, drag: bool = True) -> Answer:
        """Answer to `excitation`; `together`: all columns act at once, as a Gaussian sea, else each by itself.

        drag : False keeps it linear about the current
        """
        if together or not drag or self.wet.displaced.size == 0:
            return self._iterate(excitation, gaussian=together and excitation.omega.size > 1, fixed=not drag)
        parts = [self._iterate(_column(excitation, k), gaussian=False) for k in range(excitation.omega.size)]
        return Answer(
            np.concatenate([part.x for part in parts], axis=1),
            excitation.inputs,
            max(part.iterations for part in parts),
            max(part.change for part in parts),
        )

    def _iterate(self, excitation: Excitation, *, gaussian: bool, fixed: bool = False) -> Answer:
        C = drag_matrices(self.wet)
        change = 0.0
        for iteration in range(1, MOST_ITERATIONS + 1):
            x, relative = self._solve_all(excitation, C)
            if fixed or self.wet.displaced.size == 0:
                return Answer(x, excitation.inputs, iteration, 0.0)
            if gaussian:
                spread = 0.5 * np.einsum("hik,hjk->hij", relative, relative.conj()).real
                new = drag_matrices(self.wet, covariance=spread)
            else:
                new = drag_matrices(self.wet, amplitude=relative[:, :, 0])
            change = float(np.max(np.abs(new - C)) / max(float(np.max(np.abs(new))), 1e-300))
            if change <= CHANGE:
                return Answer(x, excitation.inputs, iteration, change)
            C = new if iteration <= RELAX_AFTER else C + RELAXED * (new - C)
        raise ConvergenceError(
            f"the relative change of the linearised drag is still {change:.2g} after {MOST_ITERATIONS} iterations at "
            f"omega = {excitation.omega[0]:.4g} rad/s; near a jump of the response there may be two solutions: use the "
            "time domain"
        )

    def _solve_all(self, excitation: Excitation, C: Array) -> tuple[Complex, Complex]:
        """Motions (n, k) and relative velocities at the members (h, 3, k) for given drag matrices."""
        at, wet = self.at, self.wet
        D = blocks(C)
        QD = wet.Q.T @ D if C.shape[0] else wet.Q.T
        B = self.B + QD @ wet.Q
        B_in = self.B_in + QD @ wet.Q_in
        turned = (self._PT @ B @ at.P).tocsc()
        k = excitation.omega.size
        x = np.zeros((self.unknowns.size, k), dtype=complex)
        relative = np.zeros((wet.displaced.size, 3, k), dtype=complex)
        for j in range(k):
            omega, given = float(excitation.omega[j]), excitation.inputs[:, j]
            right = excitation.force[:, j].astype(complex)
            if np.any(given):
                right = right - (at.K_in @ given - 1j * omega * (B_in @ given) - omega**2 * (at.M_in @ given))
            if excitation.wave[j] != 0.0 and self.model.sea.water_density > 0.0:
                force, velocity = wave_force(self.model, self.unknowns, self.rest.place, at, wet, C, omega,
                                             float(excitation.heading[j]))  # fmt: skip
                right = right + excitation.wave[j] * force
                relative[:, :, j] = excitation.wave[j] * velocity
            A = (self._K - 1j * omega * turned - omega**2 * self._M).tocsc()
            x[:, j] = at.P @ _solve(A, self._PT @ right)
            moved = wet.Q @ x[:, j] + wet.Q_in @ given
            relative[:, :, j] += 1j * omega * moved.reshape(-1, 3)
        return x, relative


def _column(excitation: Excitation, k: int) -> Excitation:
    one = slice(k, k + 1)
    return Excitation(excitation.omega[one], excitation.inputs[:, one], excitation.wave[one], excitation.heading[one],
                      excitation.force[:, one])  # fmt: skip


def _solve(A: Any, b: Complex) -> Complex:
    """x of A x = b in the given order, with pivoting only where that loses digits."""
    size = float(np.linalg.norm(b))
    if size == 0.0:
        return np.zeros_like(b)
    try:
        x = Factors(A, ordered=True).solve(b)
        if float(np.linalg.norm(A @ x - b)) <= SOLVE_TOLERANCE * size:
            return np.asarray(x)
    except np.linalg.LinAlgError:  # a pivot vanished
        pass
    try:
        return np.asarray(Factors(A).solve(b))
    except np.linalg.LinAlgError:
        raise ConvergenceError("the response is infinite: an undamped mode has exactly this frequency") from None
