r"""Projection steps: bars are brought to their lengths one after the other, in sweeps.

SHAKE, the default: positions move along the directions of the bars at the start of the step, sweeps alternate
in direction, and each half step begins with the tensions that the last velocity projection found. (Those of the
position projection also hold the correction of past errors; to begin with them would be an integral control of a
double integrator, and diverges.) Second order, and it does not lose energy. RRF, in rrf.py, projects along
the directions at the end of the step: first order and dissipative.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.methods.bars.control import Gains
from ropewalk.methods.bars.ledger import book_supports
from ropewalk.methods.bars.rattle import first_half, second_half
from ropewalk.model.arrays import Array, Flags
from ropewalk.numerics.compile import kernel


class Sweeps(NamedTuple):
    """State and memory of the projection steps."""

    r: Array  # (n, 3) m
    v: Array  # (n, 3) m/s; of RRF the mean velocity of the step before
    tension: Array  # (m,) N, of the last step
    rate_tension: Array  # (m,) N, in the second half of a step: those at its end
    old_r: Array
    old_v: Array
    old_direction: Array  # (m, 3)
    mobility: Array  # (n, 3, 3)
    first_damping: Array  # (n, 3, 3)
    first_force: Array  # (n, 3)
    acceleration: Array  # (n, 3)
    predicted: Array  # (n, 3)
    reaction: Array  # (n, 3) N, reconstructed, of the last step
    old_reaction: Array  # (n, 3) N
    integral: Array  # (m,) m s, of the length errors
    support: Array  # (n, 3)
    yields: Flags  # (m,) bars that go slack instead of pushing


class Scheme(NamedTuple):
    """How a run projects; the fields after `tolerance` are those of RRF."""

    is_shake: bool
    sweeps: int  # on the lengths, and on the rates
    most: int  # of those on the lengths, as long as a strain is above `limit`
    limit: float  # strain
    tolerance: float  # strain at which there are no more sweeps
    place_sweeps: int
    rate_sweeps: int  # on velocities and accelerations
    reaction: float  # weight of the reactions of the steps before
    gains: Gains  # of the length errors
    is_published: bool  # with the misprints


def make_sweeps(r: Array, v: Array, m: int) -> Sweeps:
    """Memory for steps from r, v."""
    n = r.shape[0]
    one, matrix = lambda: np.zeros((n, 3)), lambda: np.zeros((n, 3, 3))
    return Sweeps(
        r=r.copy(), v=v.copy(), tension=np.zeros(m), rate_tension=np.zeros(m), old_r=one(),
        old_v=one(), old_direction=np.zeros((m, 3)), mobility=matrix(), first_damping=matrix(), first_force=one(),
        acceleration=one(),
        predicted=one(), reaction=one(), old_reaction=one(), integral=np.zeros(m), support=one(),
        yields=np.zeros(m, dtype=bool),
    )  # fmt: skip


@kernel(inline="always")
def pull_together(moved, a, b, p, q, impulse):
    """Moves rows a and b of `moved` (n, 3) by an impulse along a bar; the impulse.  p, q : (3,) W t at its ends, 1/kg

    Source: x_a -> x_a + lambda W_a t, x_b -> x_b - lambda W_b t, docs/theory/ropes_and_nets.md, Projection.
    """
    for j in range(3):
        moved[a, j] += impulse * p[j]
        moved[b, j] -= impulse * q[j]
    return impulse


@kernel
def sweep_lengths(bars, pull, s, factor, backwards):
    r"""One sweep: each bar to its length along its pull, multipliers to s.tension; the largest strain found.

    .. math:: \delta = \frac{|d|^2 - l^2}{2\, d \cdot (W_a + W_b)\, t}, \qquad
              \lambda \to \max(\lambda + \delta,\, 0) \text{ if it yields}

    Bars that yield pull or do nothing, as in projected Gauss-Seidel iterations ([Cottle1992], sec. 5.2).
    pull : (m, 2, 3) W t    factor : h^2/2
    """
    node, length, r, tension = bars.node, bars.length, s.r, s.tension
    m = length.size
    worst = 0.0
    for step in range(m):
        k = m - 1 - step if backwards else step
        a, b = node[k, 0], node[k, 1]
        x = r[b, 0] - r[a, 0]
        y = r[b, 1] - r[a, 1]
        z = r[b, 2] - r[a, 2]
        size = length[k]
        g = 0.5 * (x * x + y * y + z * z - size * size)
        p, q = pull[k, 0], pull[k, 1]
        slope = x * (p[0] + q[0]) + y * (p[1] + q[1]) + z * (p[2] + q[2])
        if slope <= 0.0:  # a bar between held nodes, or turned by more than 90 degrees in one step
            continue
        impulse = g / slope
        if s.yields[k] and tension[k] * factor + impulse < 0.0:
            impulse = -tension[k] * factor
            g = impulse * slope  # what it did
        tension[k] += pull_together(r, a, b, p, q, impulse) / factor
        worst = max(worst, abs(g) / (size * size))
    return worst


@kernel
def sweep_rates(bars, direction, pull, s, factor, backwards):
    r"""One sweep that takes the rate of lengthening out of each bar; the largest rate found (m/s).  factor : h/2

    .. math:: \delta = \frac{t \cdot (v_b - v_a)}{t \cdot (W_a + W_b)\, t}

    Source: as :func:`sweep_lengths`, on the velocities.

    Bars that yield and were slack on the lengths stay so, the others of them do not push.
    """
    node, v, tension = bars.node, s.v, s.rate_tension
    m = node.shape[0]
    worst = 0.0
    for step in range(m):
        k = m - 1 - step if backwards else step
        a, b = node[k, 0], node[k, 1]
        t, p, q = direction[k], pull[k, 0], pull[k, 1]
        rate = t[0] * (v[b, 0] - v[a, 0]) + t[1] * (v[b, 1] - v[a, 1]) + t[2] * (v[b, 2] - v[a, 2])
        own = t[0] * (p[0] + q[0]) + t[1] * (p[1] + q[1]) + t[2] * (p[2] + q[2])
        if own <= 0.0:
            continue
        impulse = rate / own
        if s.yields[k] and (s.tension[k] <= 0.0 or tension[k] * factor + impulse < 0.0):
            impulse = -tension[k] * factor
            rate = impulse * own
        tension[k] += pull_together(v, a, b, p, q, impulse) / factor
        worst = max(worst, abs(rate))
    return worst


@kernel
def shake_step(bars, medium, motions, field, graph, s, t, h, kind, scheme):
    """One step of the second-order projection from t to t + h (s); the largest strain left, NaN on overflow.

    Source: as :func:`ropewalk.methods.bars.rattle.rattle_step`, |d'| = l by sweeps; docs/theory/ropes_and_nets.md,
    Projection.

    The same two halves as in rattle.py, with sweeps for the multipliers.  kind : as there    scheme : Scheme

    Ten arguments: the case (3), the memory of the method (3), the step (2), the kind of loads and the scheme.
    """
    s.old_direction[:] = field.direction
    first_half(bars, medium, motions, field, graph, s, s.support, t, h, kind)
    worst = 0.0
    for sweep in range(scheme.most):
        worst = sweep_lengths(bars, graph.pull, s, 0.5 * h * h, sweep % 2 == 1)
        if worst <= scheme.tolerance or (sweep + 1 >= scheme.sweeps and worst <= scheme.limit):
            break
    second_half(bars, medium, motions, field, graph, s, s.support, s.first_force, t, h, kind)
    for sweep in range(scheme.sweeps):
        rate = sweep_rates(bars, field.direction, graph.pull, s, 0.5 * h, sweep % 2 == 1)
        if rate * h <= scheme.tolerance * bars.length[0]:
            break
    book_supports(bars, field.book, s.old_direction, s.tension, s.r, s.old_r)
    book_supports(bars, field.book, field.direction, s.rate_tension, s.r, s.old_r)
    return worst if np.isfinite(s.v.sum()) else np.nan
