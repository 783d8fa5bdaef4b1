"""Orders of the family P_mu-P_nu and the rise to g_b: Montano, Restelli and Sacco 2005, figures 2 to 5."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.methods.mixed.orders import HangingLine, exact

PULL = np.array([0.6, 0.2, 0.9])  # N, n(0); the end force is n(0) minus the load
END = PULL - np.array([0.0, 0.0, -1.0])
STRETCHED = 2.6  # N, EA at which the line stretches by half


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
