r"""Orders of the family P_mu-P_nu and the rise to g_b: Montano, Restelli and Sacco 2005, figures 2 to 5.

Their eqs. (11) to (14): positions are continuous polynomials of degree mu on each element, tensions discontinuous ones
of degree nu < mu,

.. math::
    \int \frac{T}{1+e}\, r' \cdot v' = \int f \cdot v + n_L \cdot v(L), \qquad
    \int \Bigl(\frac{|r'|^2}{1+e} - (1+e)\Bigr) q = 0, \qquad e = T/EA,

with the strain e taken point by point, or as the mean of each element as the paper does, which costs order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from numpy.testing import assert_allclose

from ropewalk.methods.mixed.high_order import lagrange
from ropewalk.model.arrays import Array, Ints

PULL = np.array([0.6, 0.2, 0.9])  # N, n(0); the end force is n(0) minus the load
END = PULL - np.array([0.0, 0.0, -1.0])
STRETCHED = 2.6  # N, EA at which the line stretches by half

ITERATIONS = 40  # of Newton; 5 to 10 from the exact solution at the nodes
TOLERANCE = 1e-12  # of the corrections, relative to length and force


@dataclass(frozen=True)
class HangingLine:
    """A line of length 1 held at the origin, under a load per unstretched length, its end given or pulled."""

    mu: int  # degree of the positions, 1 to 4
    nu: int  # degree of the tension, 0 to mu - 1
    elements: int
    load: tuple[float, float, float] = (0.0, 0.0, -1.0)  # N/m
    stiffness: float = np.inf  # EA, N
    mean_strain: bool = False

    def _basis(self, x: Array) -> tuple[Array, Array, Array]:
        """Position basis, its slope, tension basis at x in 0 .. 1 of an element."""
        value, slope = lagrange(np.linspace(0.0, 1.0, self.mu + 1), x)
        inner = 0.5 + 0.5 * leggauss(self.nu + 1)[0]
        return value, slope, lagrange(inner, x)[0]

    def solve(
        self, r: Array, T: Array, end_force: Array | None = None, end_position: Array | None = None
    ) -> tuple[Array, Array, int]:
        """Newton from nodal positions r (mu n + 1, 3) and tensions T (n, nu + 1); the same and the iterations."""
        r, T = r.copy(), T.copy()
        n, size, dofs = self.elements, 3 * (self.mu * self.elements + 1), self.elements * (self.nu + 1)
        free: Ints = np.arange(3, size + dofs)
        if end_position is not None:
            r[-1] = end_position
            free = np.concatenate([np.arange(3, size - 3), np.arange(size, size + dofs)])
        for k in range(ITERATIONS):
            residual, jacobian = self._system(r, T)
            if end_force is not None:
                residual[size - 3 : size] -= end_force
            step = np.zeros(size + dofs)
            step[free] = np.linalg.solve(jacobian[np.ix_(free, free)], -residual[free])
            r += step[:size].reshape(-1, 3)
            T += step[size:].reshape(n, -1)
            if np.abs(step).max() <= TOLERANCE * max(1.0, np.abs(T).max()):
                return r, T, k + 1
        raise RuntimeError(f"P{self.mu}-P{self.nu} with {n} elements: no equilibrium in {ITERATIONS} iterations")

    def _system(self, r: Array, T: Array) -> tuple[Array, Array]:
        """Residual and Jacobian over all positions, then all tensions."""
        n, mu, nu = self.elements, self.mu, self.nu
        h = 1.0 / n
        x, w = leggauss(mu + 3)
        value, slope, tension = self._basis(0.5 + 0.5 * x)
        weight = 0.5 * h * w
        slope = slope / h
        size = 3 * (mu * n + 1)
        total = size + n * (nu + 1)
        R, J = np.zeros(total), np.zeros((total, total))
        share = 1.0 / self.stiffness
        mean = weight @ tension / h
        for e in range(n):
            nodes = np.arange(mu * e, mu * e + mu + 1)
            rows = 3 * nodes[:, None] + np.arange(3)
            cols = size + (nu + 1) * e + np.arange(nu + 1)
            d = slope @ r[nodes]
            t = tension @ T[e]
            strain = np.full(x.size, share * mean @ T[e]) if self.mean_strain else share * t
            by_tension = np.tile(share * mean, (x.size, 1)) if self.mean_strain else share * tension
            s = 1.0 + strain
            R[rows] += np.einsum("q,qi,qc->ic", weight * t / s, slope, d)
            R[rows] -= np.einsum("q,qi->i", weight, value)[:, None] * np.array(self.load)
            square = np.einsum("qc,qc->q", d, d)
            R[cols] += 0.5 * tension.T @ (weight * (square / s - s))
            stiff = np.einsum("q,qi,qj->ij", weight * t / s, slope, slope)
            for c in range(3):
                J[np.ix_(rows[:, c], rows[:, c])] += stiff
                pull = tension / s[:, None] - (t / s**2)[:, None] * by_tension
                J[np.ix_(rows[:, c], cols)] += np.einsum("q,qi,ql->il", weight * d[:, c], slope, pull)
                J[np.ix_(cols, rows[:, c])] += np.einsum("q,ql,qj->lj", weight * d[:, c] / s, tension, slope)
            J[np.ix_(cols, cols)] -= 0.5 * np.einsum("q,ql,qm->lm", weight * (square / s**2 + 1.0), tension, by_tension)
        return R, J

    def errors(self, r: Array, T: Array, force: Array) -> tuple[float, float, float]:
        """L2 and H1 errors of the position, L2 error of the tension, against the line that starts with n(0) = force."""
        x, w = leggauss(12)
        value, slope, tension = self._basis(0.5 + 0.5 * x)
        h = 1.0 / self.elements
        sums = np.zeros(3)
        for e in range(self.elements):
            s = (e + 0.5 + 0.5 * x) * h
            nodes = slice(self.mu * e, self.mu * e + self.mu + 1)
            position, tangent, pull = exact(s, force, np.array(self.load), self.stiffness)
            sums[0] += 0.5 * h * w @ np.sum((value @ r[nodes] - position) ** 2, axis=1)
            sums[1] += 0.5 * h * w @ np.sum((slope @ r[nodes] / h - tangent) ** 2, axis=1)
            sums[2] += 0.5 * h * w @ (tension @ T[e] - pull) ** 2
        l2, h1, t2 = np.sqrt(sums)
        return float(l2), float(h1), float(t2)

    def start(self, force: Array) -> tuple[Array, Array]:
        """The exact line at the nodes and at the places of the tensions."""
        s = np.linspace(0.0, 1.0, self.mu * self.elements + 1)
        inner = 0.5 + 0.5 * leggauss(self.nu + 1)[0]
        at = (np.arange(self.elements)[:, None] + inner) / self.elements
        load = np.array(self.load)
        position = exact(s, force, load, self.stiffness)[0]
        return position, exact(at.ravel(), force, load, self.stiffness)[2].reshape(at.shape)


def exact(s: Array, force: Array, load: Array, stiffness: float) -> tuple[Array, Array, Array]:
    """Position, tangent and tension of the elastic catenary that leaves the origin with the force n(0) = force."""
    x, w = leggauss(40)
    half = 0.5 * s[:, None]
    at = half + half * x

    def tangent(places: Array) -> tuple[Array, Array]:
        n = force - places[..., None] * load
        T = np.linalg.norm(n, axis=-1)
        return n * (1.0 / T + 1.0 / stiffness)[..., None], T

    position = np.einsum("s,q,sqc->sc", half[:, 0], w, tangent(at)[0])
    here, T = tangent(s)
    return position, here, T


def observed(mu: int, nu: int, stiffness: float, held: bool, mean_strain: bool = False) -> np.ndarray:
    """Orders of position in L2 and H1 and of tension in L2, from 6 to 12 elements."""
    errors = []
    for n in (6, 12):
        line = HangingLine(mu, nu, n, stiffness=stiffness, mean_strain=mean_strain)
        end = exact(np.array([1.0]), PULL, np.array(line.load), stiffness)[0][0]
        if held:
            r, T, _ = line.solve(*line.start(PULL), end_position=end)
        else:
            r, T, _ = line.solve(*line.start(PULL), end_force=END)
        errors.append(line.errors(r, T, PULL))
    return np.log2(np.array(errors[0]) / errors[1])


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("stiffness", [np.inf, STRETCHED])
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_optimal_pairs(k: int, stiffness: float, held: bool) -> None:
    """P_k-P_{k-1}: k + 1, k, k, inextensible and stretched by half, with pointwise strain (figures 2 and 3)."""
    # from 6 to 12 elements the next term is worth 0.2
    assert_allclose(observed(k, k - 1, stiffness, held), [k + 1, k, k], atol=0.25)


@pytest.mark.parametrize("nu", [0, 1, 2, 3])
def test_quartic_positions_with_less_tension(nu: int) -> None:
    """P_4-P_nu: nu + 2, nu + 1, nu + 1 (figure 4)."""
    assert_allclose(observed(4, nu, np.inf, held=False), [nu + 2, nu + 1, nu + 1], atol=0.3)


@pytest.mark.parametrize("k", [2, 3])
def test_mean_strain_costs_order(k: int) -> None:
    """Mean strain per element: position stuck at 2 and 1, the tension at 2 where the end is held (figure 3)."""
    assert_allclose(observed(k, k - 1, STRETCHED, held=True, mean_strain=True), [2, 1, 2], atol=0.3)


def rise(mu: int, nu: int, n: int) -> tuple[float, float]:
    """Largest |x| and least tension of a line of length 1 whose end rises from (0.01, 0, 0.8) to (0.01, 0, 0.99)."""
    line = HangingLine(mu, nu, n)
    s = np.linspace(0.0, 1.0, mu * n + 1)
    # two straight legs: down 0.1 and up 0.9
    r = np.stack([0.01 * s, 0.0 * s, np.where(s < 0.1, -s, s - 0.2)], axis=1)
    T = np.abs(np.linspace(0.0, 1.0, n * (nu + 1)) - 0.1).reshape(n, nu + 1) + 0.01
    for height in np.linspace(0.8, 0.99, 39):
        r, T, _ = line.solve(r, T, end_position=np.array([0.01, 0.0, height]))
    return float(np.abs(r[:, 0]).max()), float(T.min())


def test_few_stiff_bars_cannot_follow_a_sharp_bend() -> None:
    """At g_b five P2-P0 elements bend, max|x| 0.0100, min T 0.2297; ten bars have to push, 0.0413, -0.0236."""
    # four printed digits
    assert_allclose(rise(2, 0, 5), [0.0100, 0.2297], atol=6e-5)
    assert_allclose(rise(1, 0, 10), [0.0413, -0.0236], atol=6e-5)
