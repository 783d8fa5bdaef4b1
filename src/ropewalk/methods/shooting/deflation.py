r"""Newton's method that does not find again what is known.

The residual F is multiplied by :math:`\eta = \prod_k (1 + |x - x_k|^{-2})`, which is large near the known solutions
:math:`x_k` and 1 far away ([Farrell2015], eq. 2.7 with p = 2 and a shift of 1). The direction stays that of Newton,
:math:`\delta = -J^{-1} F`, and only its length changes:

.. math:: \delta_\eta = \frac{\delta}{1 - \nabla \ln\eta \cdot \delta}
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ropewalk.methods.shooting.fixed import Equations, Unknowns
from ropewalk.model.arrays import Array
from ropewalk.numerics.sparse_lu import Factors

MOST_ITERATIONS = 60
TARGET = 1.0e-11  # largest scaled constraint
FLOOR = 1.0e-9  # that is accepted when round-off allows no further decrease
LONGEST = 2.0  # scaled, of the largest component of a step: two line lengths, or twice the load
HALVINGS = 10
DECREASE = 1.0e-3  # share of the predicted decrease that a step must reach
SAME = 1.0e-6  # scaled distance below which two solutions are one


def distance(equations: Equations, a: Unknowns, b: Unknowns) -> float:
    """Scaled distance of two sets of values, root mean square over the unknowns; turns in rad."""
    return float(np.sqrt(np.mean(_gap(equations, a, b) ** 2))) if equations.size else 0.0


def _gap(equations: Equations, a: Unknowns, b: Unknowns) -> Array:
    """(n,) a - b, scaled; rotations by twice the vector part of the turn between them."""
    p = equations.problem
    gap: Array = (a.x - b.x) / p.scales.column
    for k, dof in enumerate(p.rigid.dof):
        (w, x, y, z), (w0, x0, y0, z0) = a.quaternions[k], b.quaternions[k]
        turn = np.array([-w * x0 + x * w0 - y * z0 + z * y0, -w * y0 + x * z0 + y * w0 - z * x0,
                         -w * z0 - x * y0 + y * x0 + z * w0])  # fmt: skip
        gap[dof[3:]] = 2.0 * turn * (1.0 if w * w0 + x * x0 + y * y0 + z * z0 >= 0.0 else -1.0)
    return gap


def deflated_newton(equations: Equations, begin: Unknowns, known: Sequence[Unknowns]) -> Unknowns | None:
    """A solution that is none of the known ones; None if the iteration leads nowhere."""
    at = begin
    now = equations.linear(at)
    for _ in range(MOST_ITERATIONS):
        if now is None:
            return None
        error = float(np.abs(now.residual).max(initial=0.0))
        if error <= TARGET:
            break
        try:
            direction = Factors(now.matrix).solve(-now.residual)
        except np.linalg.LinAlgError:
            return None
        factor, slope = _deflation(equations, at, known, direction)
        share = 1.0 / (1.0 - slope) if abs(1.0 - slope) > 1e-3 else 1.0
        step = share * direction
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        merit = factor * float(np.linalg.norm(now.residual))
        found = _search(equations, at, known, step, merit)
        if found is None:
            if error > FLOOR:
                return None
            break
        at = found
        now = equations.linear(at)
    else:
        return None
    return None if any(distance(equations, at, other) < SAME for other in known) else at


def _search(
    equations: Equations, at: Unknowns, known: Sequence[Unknowns], step: Array, merit: float
) -> Unknowns | None:
    """The longest of step, step/2, ... that lowers the deflated residual; None if none does."""
    size = 1.0
    for _ in range(HALVINGS):
        trial = equations.moved(at, size * step)
        residual = equations.residual(trial)
        if residual is not None:
            new = _deflation(equations, trial, known, step)[0] * float(np.linalg.norm(residual))
            if new < (1.0 - DECREASE * size) * merit:
                return trial
        size *= 0.5
    return None


def _deflation(equations: Equations, at: Unknowns, known: Sequence[Unknowns], direction: Array) -> tuple[float, float]:
    """The factor of the residual, and the slope of its logarithm along a direction."""
    factor, slope = 1.0, 0.0
    for other in known:
        gap = _gap(equations, at, other)
        square = max(float(np.mean(gap**2)), 1e-30)
        factor *= 1.0 + 1.0 / square
        slope -= 2.0 * float(np.mean(gap * direction)) / (square * (1.0 + square))
    return factor, slope
