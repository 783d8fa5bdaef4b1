"""Whether an equilibrium of lines, points and bodies is stable: signs of the eigenvalues of its tangent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigvals

from ropewalk.analysis.verdict import NEUTRAL, body_mass, least_mass
from ropewalk.methods.shooting import Equations, Unknowns
from ropewalk.model.arrays import Array
from ropewalk.model.joints import LOOSE
from ropewalk.model.state import State
from ropewalk.numerics.sparse_lu import Factors

ASYMMETRY = 1e-6  # of the largest stiffness: forces with a larger one have no potential
ROUND_OFF = 4.0 * float(np.finfo(float).eps)  # of the largest eigenvalue


class Spectrum(NamedTuple):
    """How an equilibrium answers to small displacements.

    `unstable` counts the independent displacements that are not opposed. With a potential (weight, buoyancy, springs,
    rotating frames) it is the number of directions in which the energy falls; an equilibrium with none is a minimum,
    and stable. In a rotating frame the potential contains the centrifugal force, but Coriolis forces are left out: they
    may hold a rope on a maximum only as long as nothing takes energy from it. With current the tangent is not
    symmetric; real negative eigenvalues are counted (divergence), and oscillations that grow (flutter) are not sought.
    """

    unstable: int  # eigenvalues below zero
    neutral: int  # eigenvalues that are zero
    smallest: float  # real part of the smallest eigenvalue by mass, neutral ones left out, 1/s2
    potential: bool  # forces have one: the tangent is symmetric

    @property
    def stable(self) -> bool:
        """True if no displacement grows."""
        return self.unstable == 0

    @property
    def sentence(self) -> str:
        """In words."""
        if self.stable:
            return "stable" + (f"; {self.neutral} neutral" if self.neutral else "")
        rate = f"growth rate {np.sqrt(-self.smallest):.3g} 1/s" if self.smallest < 0.0 else "growth rate unknown"
        return f"unstable in {self.unstable} direction{'s' if self.unstable > 1 else ''}, {rate}"


def spectrum(equations: Equations, at: Unknowns, state: State) -> Spectrum | None:
    """Stability of the solution `at`, which is also `state`; None if arcs cannot be eliminated."""
    model = equations.model
    masses = [body_mass(model, state, int(k)) for k in np.flatnonzero(model.bodies.joint == LOOSE)]
    tangent = equations.tangent(at, masses)
    if tangent is None:
        return None
    K, M = tangent.K, tangent.M
    if K.size == 0:
        return Spectrum(tangent.folded, 0, np.inf, True)
    M = M + least_mass(model) * np.diag(np.diag(M) <= 0.0)
    values = _eigenvalues(K, M)
    if values is None:
        return None
    real = values.real
    zero = NEUTRAL * max(model.sea.gravity, 1.0)
    floor = max(zero, ROUND_OFF * float(np.abs(real).max()))
    below = int(np.sum(real < -floor))
    unsure = np.abs(real[np.abs(real) <= floor])
    if unsure.size == 1 and unsure[0] > zero and (-1) ** below != _sign(K):
        below += 1  # round-off hides its sign, which the determinant has
    resisted = real[np.abs(real) > floor]
    asymmetry = float(np.abs(K - K.T).max()) / float(np.abs(K).max())
    return Spectrum(
        unstable=below + tangent.folded,
        neutral=int(real.size - resisted.size),
        smallest=float(resisted.min(initial=np.inf)),
        potential=asymmetry <= ASYMMETRY,
    )


def _sign(K: Array) -> float:
    """Sign of the determinant; 0 for a singular matrix."""
    try:
        return Factors(K).determinant()[0]
    except np.linalg.LinAlgError:
        return 0.0


def _eigenvalues(K: Array, M: Array) -> Array | None:
    """Eigenvalues of K by M, 1/s2; None if they cannot be had."""
    try:
        values = eigvals(np.linalg.solve(M, K))
    except np.linalg.LinAlgError:
        return None
    return values if np.all(np.isfinite(values)) else None
