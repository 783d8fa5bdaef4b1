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
from ropewalk.numerics.newton import Look, Rule, newton
from ropewalk.numerics.sparse_lu import Factors

RULE = Rule(
    target=1.0e-11,  # largest scaled constraint
    floor=1.0e-9,
    most=60,
    halvings=10,
    longest=2.0,  # two line lengths, or twice the load
    decrease=1.0e-3,
)
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
    path = newton(_Deflated(equations, known), begin, RULE)
    if path is None or not path.converged:
        return None
    at: Unknowns = path.x
    return None if any(distance(equations, at, other) < SAME for other in known) else at


class _Deflated:
    """The equations with the factor of the known solutions, for :func:`ropewalk.numerics.newton.newton`."""

    def __init__(self, equations: Equations, known: Sequence[Unknowns]) -> None:
        self._equations, self._known = equations, known

    def look(self, at: Unknowns) -> Look | None:
        residual = self._equations.residual(at)
        if residual is None:
            return None
        factor = _deflation(self._equations, at, self._known, np.zeros(self._equations.size))[0]
        return Look(float(np.abs(residual).max(initial=0.0)), factor * float(np.linalg.norm(residual)))

    def step(self, at: Unknowns, here: Look) -> Array | None:
        now = self._equations.linear(at)
        if now is None:
            return None
        try:
            direction: Array = Factors(now.matrix).solve(-now.residual)
        except np.linalg.LinAlgError:
            return None
        slope = _deflation(self._equations, at, self._known, direction)[1]
        return direction / (1.0 - slope) if abs(1.0 - slope) > 1e-3 else direction

    def moved(self, at: Unknowns, change: Array) -> Unknowns:
        return self._equations.moved(at, change)


def _deflation(equations: Equations, at: Unknowns, known: Sequence[Unknowns], direction: Array) -> tuple[float, float]:
    """The factor of the residual, and the slope of its logarithm along a direction."""
    factor, slope = 1.0, 0.0
    for other in known:
        gap = _gap(equations, at, other)
        square = max(float(np.mean(gap**2)), 1e-30)
        factor *= 1.0 + 1.0 / square
        slope -= 2.0 * float(np.mean(gap * direction)) / (square * (1.0 + square))
    return factor, slope
