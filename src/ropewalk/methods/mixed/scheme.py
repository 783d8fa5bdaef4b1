"""Formulas of the implicit schemes: their coefficients, the prediction of a step, and its error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.methods.mixed.bodies import body_difference
from ropewalk.numerics.blockelimination import UNCOUNTED
from ropewalk.numerics.compile import kernel

GENERALISED_ALPHA, BACKWARD_EULER = 0, 1


class Scheme(NamedTuple):
    """Coefficients of a scheme, as in steps.py."""

    alpha_m: float
    alpha_f: float
    p0: float
    p1: float
    q0: float
    q1: float
    delta: float
    error: float  # constant of the error


@kernel(**UNCOUNTED)
def coefficients(scheme, radius):
    r"""`Scheme` of generalised-alpha with a spectral radius rho, or of backward Euler.

    .. math:: \alpha_m = \frac{2\rho - 1}{\rho + 1}, \quad \alpha_f = \frac{\rho}{\rho + 1}, \quad
              \gamma = \tfrac12 + \alpha_f - \alpha_m, \quad \beta = \tfrac14 (\gamma + \tfrac12)^2

    Source: [Arnold2007]; docs/theory/mixed_elements.md, Steps.
    """
    if scheme == BACKWARD_EULER:
        return Scheme(0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.5)
    am = (2.0 * radius - 1.0) / (radius + 1.0)
    af = radius / (radius + 1.0)
    gamma = 0.5 + af - am
    beta = 0.25 * (gamma + 0.5) ** 2
    delta = am - af
    return Scheme(am, af, 0.5 - beta, beta, 1.0 - gamma, gamma, delta, beta + 0.5 * delta - 1.0 / 6.0)


@kernel(**UNCOUNTED)
def predict(h, f, scheme, row, now, last, trial):
    r"""Extrapolate accelerations and tensions by the factor f of their last change, and integrate.

    .. math:: r_1 = r_0 + h v_0 + h^2 (p_0 \bar a_0 + p_1 \bar a_1), \qquad v_1 = v_0 + h (q_0 \bar a_0 + q_1 \bar a_1)

    Source: [Arnold2007]; docs/theory/mixed_elements.md, Steps.

    scheme : `Scheme`
    row : of X, where the accelerations at the start of the step are; 3 after a blow, see `keep_memory`
    """
    am, af, p0, p1, q0, q1, _, _ = scheme
    X, A, Y = now.X, last.X, trial.X
    for n in range(X.shape[1]):
        for c in range(3):
            a0, s0 = X[row, n, c], X[3, n, c]
            a1 = a0 + f * (a0 - A[2, n, c])
            s1 = ((1.0 - af) * a1 + af * a0 - am * s0) / (1.0 - am)
            Y[0, n, c] = X[0, n, c] + h * X[1, n, c] + h * h * (p0 * s0 + p1 * s1)
            Y[1, n, c] = X[1, n, c] + h * (q0 * s0 + q1 * s1)
            Y[2, n, c] = a1
            Y[3, n, c] = s1
    for e in range(now.T.size):
        trial.T[e] = now.T[e] + f * (now.T[e] - last.T[e])


@kernel(forceinline=True, **UNCOUNTED)
def _changes(X, Y, n):
    """Change of the scheme's acceleration (m/s2) of row n in a step, and its speed at the end (m/s)."""
    d0, d1, d2 = Y[3, n, 0] - X[3, n, 0], Y[3, n, 1] - X[3, n, 1], Y[3, n, 2] - X[3, n, 2]
    return np.sqrt(d0 * d0 + d1 * d1 + d2 * d2), np.sqrt(Y[1, n, 0] ** 2 + Y[1, n, 1] ** 2 + Y[1, n, 2] ** 2)


@kernel(forceinline=True, **UNCOUNTED)
def step_error(mesh, X, Y, h, constant):
    r"""Largest over the lines of the mean velocity error of the step (m/s), and of the mean speed (m/s).

    .. math:: \epsilon = c\, h\, \frac{\sum m\, |\bar a_1 - \bar a_0|}{\sum m}

    Source: local error of the scheme, docs/theory/mixed_elements.md, Steps.

    Mean by mass, that of free points at the ends included, which is all there is where lines have none. Mean, not mean
    square: a node that hits the bed shakes a lot and matters little.
    """
    worst = 0.0
    speed = 0.0
    for line in range(mesh.line.shape[0]):
        mass = 0.0
        error = 0.0
        motion = 0.0
        for n in range(mesh.node_start[line], mesh.node_start[line + 1]):
            m = mesh.node[n].mass
            change, fast = _changes(X, Y, n)
            mass += m
            error += m * change
            motion += m * fast
        for side in range(2):
            j = mesh.line[line].junction[side]
            m = mesh.node[mesh.s.size + j].mass
            if m > 0.0 and mesh.dof_start[j] < mesh.dof_start[j + 1]:
                change, fast = _changes(X, Y, mesh.s.size + j)
                mass += m
                error += m * change
                motion += m * fast
        if mass > 0.0:
            worst = max(worst, error / mass)
            speed = max(speed, motion / mass)
    if mesh.bodies.body.shape[0] > 0:
        error, motion = body_difference(mesh, X, Y)
        worst, speed = max(worst, error), max(speed, motion)
    return constant * h * worst, speed
