"""Formulas of the implicit schemes: their coefficients, the prediction of a step, and its error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.methods.mixed.bodies import body_difference
from ropewalk.numerics.blockelimination import UNCOUNTED
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import WIDTH, lanes_at, put_lanes

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
    r"""`Scheme` (no unit) of generalised-alpha with a spectral radius rho, or of backward Euler.

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


# Loops over the numbers of a state go by WIDTH of them. The last turn ends with the last number and may take some a
# second time, which changes nothing where nothing is read that is written.


@kernel(**UNCOUNTED)
def predict(h, f, scheme, row, now, last, trial):
    r"""Extrapolate accelerations and tensions by the factor f of their last change, and integrate.

    .. math:: r_1 = r_0 + h v_0 + h^2 (p_0 \bar a_0 + p_1 \bar a_1), \qquad v_1 = v_0 + h (q_0 \bar a_0 + q_1 \bar a_1)

    Source: [Arnold2007]; docs/theory/mixed_elements.md, Steps.

    scheme : `Scheme`
    row : of X, where the accelerations at the start of the step are; 3 after a blow, see `keep_memory`
    """
    am, af, p0, p1, q0, q1, _, _ = scheme
    r, v, a, s, before = now.X[0], now.X[1], now.X[row], now.X[3], last.X[2]
    r_to, v_to, a_to, s_to = trial.X[0], trial.X[1], trial.X[2], trial.X[3]
    share = 1.0 / (1.0 - am)
    new, old, kept = share * (1.0 - af), share * af, share * am
    for k in range(0, r.size, WIDTH):
        i = min(k, r.size - WIDTH)
        a0, s0, v0 = lanes_at(a, i), lanes_at(s, i), lanes_at(v, i)
        a1 = a0 + f * (a0 - lanes_at(before, i))
        s1 = new * a1 + old * a0 - kept * s0
        put_lanes(r_to, i, lanes_at(r, i) + h * v0 + h * h * (p0 * s0 + p1 * s1))
        put_lanes(v_to, i, v0 + h * (q0 * s0 + q1 * s1))
        put_lanes(a_to, i, a1)
        put_lanes(s_to, i, s1)
    for e in range(now.T.size):
        trial.T[e] = now.T[e] + f * (now.T[e] - last.T[e])


@kernel(**UNCOUNTED)
def smooth(scheme, row, now, trial):
    r"""Fill in the scheme's own accelerations at the end of a step.

    .. math:: \bar a_1 = \frac{(1 - \alpha_f) \ddot r_1 + \alpha_f \ddot r_0 - \alpha_m \bar a_0}{1 - \alpha_m}

    Source: [Arnold2007].  scheme, row : of `predict`
    """
    am, af = scheme.alpha_m, scheme.alpha_f
    a, s, a_to, s_to = now.X[row], now.X[3], trial.X[2], trial.X[3]
    share = 1.0 / (1.0 - am)
    new, old, kept = share * (1.0 - af), share * af, share * am
    for k in range(0, a.size, WIDTH):
        i = min(k, a.size - WIDTH)
        put_lanes(s_to, i, new * lanes_at(a_to, i) + old * lanes_at(a, i) - kept * lanes_at(s, i))


@kernel(**UNCOUNTED)
def copy_moving(X, T, to_X, to_T):
    """Copy a `Moving`. Bookkeeping."""
    for k in range(0, X.size, WIDTH):
        i = min(k, X.size - WIDTH)
        put_lanes(to_X, i, lanes_at(X, i))
    for e in range(T.size):
        to_T[e] = T[e]


@kernel(forceinline=True, **UNCOUNTED)
def _changes(X, Y, n):
    """Change of the scheme's acceleration (m/s2) of row n in a step, and its speed at the end (m/s).

    Source: da = |a_1 - a_0| of the smoothed accelerations and |v_1|, docs/theory/mixed_elements.md, Steps.
    """
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
