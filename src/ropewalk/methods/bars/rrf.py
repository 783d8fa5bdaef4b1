r"""The predictor-corrector with projections of [Otto2022], sec. 4.6 ("RRF"), as published and corrected.

Kept to compare with; sweeps.py is better at the same cost. Positions stand at t, velocities are means
of the step before. From :math:`\bar v_{k-1}`:

.. math::
    r^P &= \mathrm{proj}(r_k + h \bar v_{k-1} + c\, h^2 a^P), \qquad
    a^P = M^{-1} (f + \epsilon (\tfrac32 R_{k-1} - \tfrac12 R_{k-2}) + f_{PID}), \\
    \bar v^P &= (r^P - r_k)/h, \quad v_k = \tfrac12 (\bar v_{k-1} + \bar v^P), \quad
    v^P_{k+1} = \tfrac32 \bar v^P - \tfrac12 \bar v_{k-1}, \\
    \bar a &= \mathrm{proj}_a\left(M^{-1} \tfrac12 [f(r_k, v_k) + f(r^P, v^P_{k+1})]\right), \quad
    r_{k+1} = \mathrm{proj}(r_k + h v_k + \tfrac{h^2}{2} \bar a), \quad
    \bar v_k = \mathrm{proj}_v((r_{k+1} - r_k)/h)

with c = 1. The print has c = 1/2, eq. (4.113), which with the mean of eq. (4.110) lets bodies fall with 3/4 g; that
is `published`. The projection of r_{k+1} is not in the print; without it strains are five to ten times larger.
"""

from __future__ import annotations

import numpy as np

from ropewalk.methods.bars.control import controlled_pull
from ropewalk.methods.bars.loads import directions, loads, mobility, supports, surroundings
from ropewalk.methods.bars.rattle import kick
from ropewalk.numerics.compile import kernel

WEIGHT = 0.5  # of each projection, [Otto2022], tables 6.1 and 6.2


@kernel
def _between(node, k, r):
    """Vector d = r_b - r_a of bar k and its length |d| (m).  Source: definition."""
    a, b = node[k, 0], node[k, 1]
    x = r[b, 0] - r[a, 0]
    y = r[b, 1] - r[a, 1]
    z = r[b, 2] - r[a, 2]
    return x, y, z, np.sqrt(x * x + y * y + z * z)


@kernel
def _shift(node, k, mobility, t, amount, out):
    r"""Moves both ends of bar k together by amount, shared by inverse masses along t.

    .. math:: \delta r_a = \frac{w_a}{w_a + w_b}\, c\, t, \qquad \delta r_b = -\frac{w_b}{w_a + w_b}\, c\, t

    Source: [Otto2022], sec. 4.6.3, with w = t . W t.
    """
    a, b = node[k, 0], node[k, 1]
    wa = 0.0
    wb = 0.0
    for i in range(3):
        for j in range(3):
            wa += t[i] * mobility[a, i, j] * t[j]
            wb += t[i] * mobility[b, i, j] * t[j]
    if wa + wb == 0.0:
        return
    for j in range(3):
        out[a, j] += wa / (wa + wb) * amount * t[j]
        out[b, j] -= wb / (wa + wb) * amount * t[j]


@kernel
def project_positions(node, length, mobility, r, sweeps):
    """Sweeps of [Otto2022], sec. 4.6.3: each bar to its length (m) along its present direction, weight one half.

    Source: c = (|d| - l)/2 for each bar in turn.
    """
    for _ in range(sweeps):
        for k in range(length.size):
            x, y, z, size = _between(node, k, r)
            t = (x / size, y / size, z / size)
            _shift(node, k, mobility, t, WEIGHT * (size - length[k]), r)


@kernel
def project_velocities(node, r, mobility, v, sweeps):
    """Sweeps that take out the rates of lengthening (m/s), weight one half.

    Source: [Otto2022], sec. 4.6.3: c = t . (v_b - v_a)/2 for each bar in turn.
    """
    for _ in range(sweeps):
        for k in range(node.shape[0]):
            x, y, z, size = _between(node, k, r)
            t = (x / size, y / size, z / size)
            p, q, s, _ = _between(node, k, v)
            _shift(node, k, mobility, t, WEIGHT * (t[0] * p + t[1] * q + t[2] * s), v)


@kernel
def project_accelerations(node, r, v, mobility, a, sweeps):
    """Sweeps that take out the second rates of the lengths (m/s2); the velocity term is minus |dv|^2/|d| as corrected.

    Source: [Otto2022], sec. 4.6.3, corrected: c = (t . (a_b - a_a) + |v_b - v_a|^2/|d|)/2 for each bar in turn.
    """
    for _ in range(sweeps):
        for k in range(node.shape[0]):
            x, y, z, size = _between(node, k, r)
            t = (x / size, y / size, z / size)
            _, _, _, speed = _between(node, k, v)
            p, q, s, _ = _between(node, k, a)
            rate = t[0] * p + t[1] * q + t[2] * s + speed * speed / size
            _shift(node, k, mobility, t, WEIGHT * rate, a)


@kernel
def pid_forces(node, length, r, v, integral, gains, force):
    r"""Adds the PID springs, [Otto2022], eqs. (4.103)-(4.106), with the sign of the D term made a damping.

    .. math:: f = \left(k_P (|d| - l) + k_I \int (|d| - l)\,dt + k_D\, t \cdot (v_b - v_a)\right) t

    gains : `Gains`    integral : (m,) m s
    """
    for k in range(length.size):
        x, y, z, size = _between(node, k, r)
        t = (x / size, y / size, z / size)
        p, q, s, _ = _between(node, k, v)
        pull = controlled_pull(gains, size - length[k], integral[k], t[0] * p + t[1] * q + t[2] * s)
        for j in range(3):
            force[node[k, 0], j] += pull * t[j]
            force[node[k, 1], j] -= pull * t[j]


@kernel
def rrf_step(bars, medium, motions, field, s, t, h, scheme):
    """One RRF step from t to t + h; the largest strain.  s.v is the mean velocity of the step before.

    Source: [Otto2022], sec. 4.6; c = 1/2 as published, c = 1 corrected, in the heading of this file.

    scheme : Scheme of sweeps.py
    """
    gains, published = scheme.gains, scheme.is_published
    n_p, n_v = scheme.place_sweeps, scheme.rate_sweeps
    pid = gains.spring > 0.0
    s.old_r[:] = s.r
    s.old_v[:] = s.v
    n = s.r.shape[0]
    loads(bars, medium, field, s.r, s.v)
    mobility(bars, field, 0.0, s.mobility)
    if pid:
        pid_forces(bars.node, bars.length, s.r, s.v, s.integral, gains, field.force)
    for i in range(n):
        for j in range(3):
            field.force[i, j] += scheme.reaction * (1.5 * s.reaction[i, j] - 0.5 * s.old_reaction[i, j])
    s.acceleration[:] = 0.0
    kick(s.mobility, field.force, 1.0, s.acceleration)
    c = 0.5 if published else 1.0
    for i in range(n):
        for j in range(3):
            s.predicted[i, j] = s.r[i, j] + h * s.v[i, j] + c * h * h * s.acceleration[i, j]
    supports(bars, motions, t + h, s.predicted, s.v, s.support)
    project_positions(bars.node, bars.length, s.mobility, s.predicted, n_p)
    # s.v becomes v_k, s.acceleration the predicted velocity at the end
    for i in range(n):
        for j in range(3):
            mean = (s.predicted[i, j] - s.old_r[i, j]) / h
            s.v[i, j] = 0.5 * (s.old_v[i, j] + mean)
            s.acceleration[i, j] = 1.5 * mean - 0.5 * s.old_v[i, j]
    loads(bars, medium, field, s.r, s.v)
    if pid:
        pid_forces(bars.node, bars.length, s.r, s.v, s.integral, gains, field.force)
    s.first_force[:] = field.force
    directions(bars.node, s.predicted, field.direction)
    surroundings(medium, field, s.predicted, t + h)
    loads(bars, medium, field, s.predicted, s.acceleration)
    if pid:
        pid_forces(bars.node, bars.length, s.predicted, s.acceleration, s.integral, gains, field.force)
    for i in range(n):
        for j in range(3):
            s.first_force[i, j] = 0.5 * (s.first_force[i, j] + field.force[i, j])
    s.acceleration[:] = 0.0
    kick(s.mobility, s.first_force, 1.0, s.acceleration)
    project_accelerations(bars.node, s.r, s.v, s.mobility, s.acceleration, n_v)
    for i in range(n):
        for j in range(3):
            s.r[i, j] += h * s.v[i, j] + 0.5 * h * h * s.acceleration[i, j]
    supports(bars, motions, t + h, s.r, s.v, s.support)
    if not published:
        project_positions(bars.node, bars.length, s.mobility, s.r, n_p)
    for i in range(n):
        for j in range(3):
            s.v[i, j] = (s.r[i, j] - s.old_r[i, j]) / h
    project_velocities(bars.node, s.r, s.mobility, s.v, n_v)
    directions(bars.node, s.r, field.direction)
    surroundings(medium, field, s.r, t + h)
    return _finish(bars, s, h)


@kernel
def _finish(bars, s, h):
    """Reactions of the step and the integrals of the length errors; the largest strain, NaN on overflow.

    Source: R = m (v' - v)/h - f, reaction of the constraints in the heading of this file.
    """
    for i in range(s.r.shape[0]):
        for j in range(3):
            s.old_reaction[i, j] = s.reaction[i, j]
            rate = (s.v[i, j] - s.old_v[i, j]) / h
            s.reaction[i, j] = 0.0 if bars.held[i] else bars.mass[i] * rate - s.first_force[i, j]
    worst = 0.0
    for k in range(bars.length.size):
        _, _, _, size = _between(bars.node, k, s.r)
        error = size - bars.length[k]
        s.integral[k] += h * error
        worst = max(worst, abs(error) / bars.length[k])
    return worst if np.isfinite(s.v.sum()) else np.nan
