r"""Explicit constrained steps (RATTLE) with drag taken implicitly in the nodes.

From :math:`r, v` at t to t + h, with :math:`W = (M + \tfrac h2 D)^{-1}`, D the lumped derivative of the drag:

.. math::
    v_{1/2} &= v + \tfrac h2 W_1 (f(r, v) - G^T \lambda), \qquad r' = r + h v_{1/2}, \qquad |d'_k| = l_k, \\
    v' &= v_{1/2} + \tfrac h2 W_2 \left(2 f(r', v_{1/2}) - f(r', v) + (D_1 + D_2)(v_{1/2} - v) - G'^T \mu\right),
    \qquad G' v' = 0.

Without drag this is RATTLE [Andersen1983]: second order, reversible, symplectic. The terms in D make each half
a Rosenbrock stage: second order whatever D is, and stable for any step against the drag.

That holds for motions which the drag damps by at least a fifth of D. Screens move with the mean of their corners:
where these move against one another there is no drag, and the terms in D, with the forces at the start of the step,
feed energy in at the rate :math:`h^2 \omega^2 D / 4 m`. Nets with screens therefore take

.. math:: v' = v_{1/2} + \tfrac h2 W_2 \left(f(r', v) - G'^T \mu\right),

the same for a drag -D v, second order where D is the derivative of the drag, and neutral where there is none.

Bars that yield (twines of nets) are no longer than l and do not push. Their multipliers solve
:math:`\lambda \ge 0, |d| \le l, \lambda (|d| - l) = 0` by an active set: those that would push are released, those that
would be too long are taken in, and the step is solved again. A bar that comes taut keeps no rate of lengthening: the
blow is without restitution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.methods.bars.contact import move_grips
from ropewalk.methods.bars.graph import Graph, assemble, pulls, rates, solve_tensions, spread
from ropewalk.methods.bars.ledger import book_loads, book_supports
from ropewalk.methods.bars.loads import directions, loads, mobility, supports, surroundings
from ropewalk.model.arrays import Array, Flags, Records, records
from ropewalk.numerics.compile import kernel

DONE, NOT_CONVERGED, NOT_FINITE, SINGULAR = 0, 1, 2, 3
CONSTANT, PLACED, DAMPED = 0, 1, 2  # loads that never change, that depend on position, on velocity too

MAX_ITERATIONS = 60  # of the chord iteration for the lengths; good steps take 2 to 6
SLOW = 0.3  # contraction per iteration above which the matrix is factorised again
OUT = 1e30  # 1/kg, added to the diagonal of a slack bar: it has no tension
PASSES = 16  # over the bars that yield, in a step; after ...
RELEASES = 8  # ... so many none is released any more, so that the rest come to an end
PUSHES = 1e-12  # of the largest tension: below it a push is arithmetic


TALLY = np.dtype(
    [
        ("steps", "i8"),
        ("iterations", "i8"),
        ("factorisations", "i8"),
        ("factor", "i8"),  # NO_FACTOR, OLD or FRESH
    ],
    align=True,
)
NO_FACTOR, OLD, FRESH = 0, 1, 2  # of no use, of a step before, of this step: a second try would give the same


class Steps(NamedTuple):
    """State and memory of the explicit steps; `field` and `graph` belong to it."""

    r: Array  # (n, 3) m
    v: Array  # (n, 3) m/s
    acceleration: Array  # (n, 3) of held nodes, m/s2
    tension: Array  # (m,) multipliers of the lengths, N
    rate_tension: Array  # (m,) multipliers of the rates, N
    mobility: Array  # (n, 3, 3) 1/kg
    first_damping: Array  # (n, 3, 3) N s/m
    old_v: Array  # (n, 3)
    old_r: Array  # (n, 3)
    old_force: Array  # (n, 3)
    old_direction: Array  # (m, 3)
    residual: Array  # (m,)
    change: Array  # (m,)
    give: Array  # (m,) 1/kg, compliance where some bars are redundant, else 0; see graph.py
    rest: Array  # (m,) N, tensions at which bars with a compliance have their length: those of a start at rest
    yields: Flags  # (m,) bars that go slack instead of pushing
    slack: Flags  # (m,) those that are
    soft: Array  # (m,) 1/kg, `give`, and OUT for bars that are slack
    tally: Records  # (1,) of TALLY


@kernel
def lengths(node, r, length, s, factor, out):
    r"""Constraints (|d|^2 - l^2) / 2 l (m) into `out`, 0 for slack bars; returns the largest |.| over l and its bar.

    .. math:: g = \frac{|d|^2 - l^2}{2l} - c\,(\lambda - \lambda_0)

    Source: [Andersen1983]; docs/theory/ropes_and_nets.md, Exact multipliers.

    s.give : (m,) 1/kg, where some bars are redundant; bars may then stretch by it times factor times the change
    of their tension
    """
    worst = 0.0
    which = -1
    for k in range(node.shape[0]):
        if s.slack[k]:
            out[k] = 0.0
            continue
        a, b = node[k, 0], node[k, 1]
        x = r[b, 0] - r[a, 0]
        y = r[b, 1] - r[a, 1]
        z = r[b, 2] - r[a, 2]
        g = 0.5 * (x * x + y * y + z * z - length[k] * length[k]) / length[k]
        g -= s.give[k] * factor * (s.tension[k] - s.rest[k])
        out[k] = g
        e = abs(g) / length[k]
        if not e <= worst:
            worst = e
            which = k
    return worst, which


@kernel
def meet_in_turn(bars, s):
    r"""Moves the ends of each bar in turn (m) to its length: slow, but it goes on where Newton's method does not.

    .. math:: r_a \to r_a + w_a\, \frac{|d| - l}{|d|\,(w_a + w_b)}\, d, \qquad r_b \to r_b - w_b\,(\cdots), \qquad
        w = \operatorname{tr} W

    Source: [Ryckaert1977], the bars one after the other.
    """
    r, w = s.r, s.mobility
    for k in range(bars.length.size):
        a, b = bars.node[k, 0], bars.node[k, 1]
        first = w[a, 0, 0] + w[a, 1, 1] + w[a, 2, 2]
        second = w[b, 0, 0] + w[b, 1, 1] + w[b, 2, 2]
        x, y, z = r[b, 0] - r[a, 0], r[b, 1] - r[a, 1], r[b, 2] - r[a, 2]
        size = np.sqrt(x * x + y * y + z * z)
        if first + second > 0.0 and size > 0.0 and not s.slack[k]:
            part = (size - bars.length[k]) / (size * (first + second))
            r[a, 0] += first * part * x
            r[a, 1] += first * part * y
            r[a, 2] += first * part * z
            r[b, 0] -= second * part * x
            r[b, 1] -= second * part * y
            r[b, 2] -= second * part * z


@kernel
def refactor(graph, s, direction, is_slow):
    """Factorise if there is no factor, or one that `is_slow` and not of this step; False if that fails. Bookkeeping."""
    tally = s.tally[0]
    if tally.factor == NO_FACTOR or (is_slow and tally.factor != FRESH):
        if not assemble(graph, direction, s.soft):
            return False
        tally.factorisations += 1
        tally.factor = FRESH
    return True


@kernel
def meet_lengths(bars, graph, s, direction, factor, tolerance):
    r"""Moves s.r along W G^T until all bars have their lengths, adding the multipliers to s.tension.

    .. math:: G W G^T \delta\lambda = g(r), \qquad r \to r - W G^T \delta\lambda

    Source: [Andersen1983] with all multipliers at once. The Newton loop is its own, not numerics/newton.py: compiled,
    in every step, with a factorisation that is kept while it converges (chord method) and bars that yield switching
    around it.

    factor : h^2/2, motion per tension    direction : (m, 3) of G; graph.pull must belong to it
    Returns DONE, NOT_CONVERGED, NOT_FINITE or SINGULAR.
    """
    before = np.inf
    for _ in range(MAX_ITERATIONS):
        worst, _ = lengths(bars.node, s.r, bars.length, s, factor, s.residual)
        if not np.isfinite(worst):
            return NOT_FINITE
        if worst <= tolerance:
            return DONE
        if not refactor(graph, s, direction, worst > SLOW * before):
            return SINGULAR
        solve_tensions(graph, s.residual, s.change)
        for k in range(s.change.size):
            s.tension[k] += s.change[k] / factor
        spread(graph, bars.node, s.change, 1.0, s.r)
        before = worst
        s.tally[0].iterations += 1
    return NOT_CONVERGED


@kernel
def meet_rates(bars, graph, s, direction, factor, tolerance):
    r"""Changes s.v along W G^T until no bar lengthens, adding the multipliers to s.rate_tension.

    .. math:: G W G^T \delta\mu = G v, \qquad v \to v - W G^T \delta\mu

    Source: [Andersen1983]; linear, repeated because the factorisation may be that of the last step.

    factor : h/2    tolerance : m/s

    Not numerics/newton.py: compiled into the step; the equations are linear.
    """
    # the correction is that of `meet_lengths`, written again: as a function it cost a tenth of a step
    before = np.inf
    for _ in range(MAX_ITERATIONS):
        rates(bars.node, direction, s.v, s.residual)
        worst = 0.0
        for k in range(s.residual.size):
            if s.slack[k]:
                s.residual[k] = 0.0
            else:
                s.residual[k] -= s.give[k] * factor * (s.rate_tension[k] - s.rest[k])
            e = abs(s.residual[k])
            if not e <= worst:
                worst = e
        if not np.isfinite(worst):
            return NOT_FINITE
        if worst <= tolerance:
            return DONE
        if not refactor(graph, s, direction, worst > SLOW * before):
            return SINGULAR
        solve_tensions(graph, s.residual, s.change)
        for k in range(s.change.size):
            s.rate_tension[k] += s.change[k] / factor
        spread(graph, bars.node, s.change, 1.0, s.v)
        before = worst
    return DONE if worst <= 1e3 * tolerance else NOT_CONVERGED


@kernel
def release(bars, graph, s, tension, factor, moved):
    """Makes bars slack that yield and are in compression, and takes their part out of `moved`; their number.

    Source: active set, lambda >= 0 of the heading of this file: bars with lambda < -PUSHES max |lambda| become slack.

    tension : (m,) N, set to 0 there    factor : motion per tension, as in `spread`    moved : (n, 3) positions or rates
    """
    limit = -PUSHES * np.abs(tension).max()
    count = 0
    for k in range(tension.size):
        if not s.yields[k] or s.slack[k] or tension[k] >= limit:
            continue
        a, b = bars.node[k, 0], bars.node[k, 1]
        for i in range(3):
            moved[a, i] -= factor * tension[k] * graph.pull[k, 0, i]
            moved[b, i] += factor * tension[k] * graph.pull[k, 1, i]
        tension[k] = 0.0
        s.slack[k], s.soft[k] = True, s.give[k] + OUT
        count += 1
    if count > 0:
        s.tally[0].factor = NO_FACTOR
    return count


@kernel
def take_in(bars, s, tolerance):
    """Makes slack bars taut that are longer than their length (m) by more than `tolerance` (relative); their number.

    Source: active set, |d| <= l of the heading of this file: bars with |d| > l (1 + tolerance) become taut.
    """
    count = 0
    for k in range(s.slack.size):
        if not s.slack[k]:
            continue
        a, b = bars.node[k, 0], bars.node[k, 1]
        square = (s.r[b, 0] - s.r[a, 0]) ** 2 + (s.r[b, 1] - s.r[a, 1]) ** 2 + (s.r[b, 2] - s.r[a, 2]) ** 2
        if square > (bars.length[k] * (1.0 + tolerance)) ** 2:
            s.slack[k], s.soft[k] = False, s.give[k]
            count += 1
    if count > 0:
        s.tally[0].factor = NO_FACTOR
    return count


@kernel
def meet_lengths_one_sided(bars, graph, s, direction, factor, tolerance):
    """`meet_lengths` with bars that yield: none is in compression (N), none is too long (m).

    Source: lambda >= 0, |d| <= l, lambda (|d| - l) = 0 by an active set, the heading of this file.
    """
    code = meet_lengths(bars, graph, s, direction, factor, tolerance)
    for turn in range(PASSES):
        if code != DONE:
            break
        changed = take_in(bars, s, tolerance)
        if turn < RELEASES:
            changed += release(bars, graph, s, s.tension, factor, s.r)
        if changed == 0:
            break
        code = meet_lengths(bars, graph, s, direction, factor, tolerance)
    return code


@kernel
def meet_rates_one_sided(bars, graph, s, direction, factor, tolerance):
    """`meet_rates` with bars that yield: none of them is in compression (multipliers in N).

    Source: active set on the rates, mu >= 0, docs/theory/ropes_and_nets.md, Twines that go slack: bars that lengthen
    are taken in by the next step.
    """
    code = meet_rates(bars, graph, s, direction, factor, tolerance)
    for _ in range(RELEASES):
        if code != DONE or release(bars, graph, s, s.rate_tension, factor, s.v) == 0:
            break
        code = meet_rates(bars, graph, s, direction, factor, tolerance)
    return code


@kernel
def kick(mobility, force, h, v):
    """Adds h W f to v (m/s): v_i -> v_i + h W_i f_i.  Source: half step of the heading of this file."""
    for i in range(v.shape[0]):
        w = mobility[i]
        x, y, z = force[i, 0], force[i, 1], force[i, 2]
        for j in range(3):
            v[i, j] += h * (w[j, 0] * x + w[j, 1] * y + w[j, 2] * z)


@kernel
def first_half(bars, medium, motions, field, graph, s, held, t, h, kind):
    r"""From t to t + h with the loads at t and the bars' last tensions: s.tension, and s.r before lengths are met.

    .. math:: v_{1/2} = v + \tfrac h2 W_1 (f(r, v) - G^T \lambda), \qquad r' = r + h v_{1/2}

    Source: [Andersen1983]; the heading of this file.

    `field` must hold directions and water at s.r; with CONSTANT loads force, mobility and pulls must belong to s.r too.
    s : Steps or Sweeps; the state at t is left in s.old_r and s.old_v    held : (n, 3) m/s2 of held nodes, filled
    kind : CONSTANT, PLACED or DAMPED

    Ten arguments: the case (3), the memory of the method (3) and of its caller, the step (2) and the kind of loads.
    """
    s.old_r[:] = s.r
    s.old_v[:] = s.v
    if kind != CONSTANT:
        loads(bars, medium, field, s.r, s.v)
        mobility(bars, field, 0.5 * h, s.mobility)
        pulls(graph, bars.node, field.direction, s.mobility)
    if kind == DAMPED:
        s.first_damping[:] = field.damping
    book_loads(bars, field, s.rate_tension, s.r, s.v)
    kick(s.mobility, field.force, 0.5 * h, s.v)
    for i in range(s.r.shape[0]):
        for j in range(3):
            s.r[i, j] += h * s.v[i, j]
    # held nodes follow their motion; the rest starts from the tensions at the end of the step before. Those of
    # the lengths would not do: they also hold the correction of past errors, and to begin with them is unstable
    supports(bars, motions, t + h, s.r, s.v, held)
    s.tension[:] = s.rate_tension
    spread(graph, bars.node, s.tension, 0.5 * h * h, s.r)


@kernel
def second_half(bars, medium, motions, field, graph, s, held, first_force, t, h, kind):
    r"""Velocities at t + h once s.r has its lengths, with the bars' last tensions: s.v before rates are met.

    .. math:: v' = v_{1/2} + \tfrac h2 W_2 \left(2 f(r', v_{1/2}) - f(r', v)
              + (D_1 + D_2)(v_{1/2} - v) - G'^T \mu\right)

    Source: the heading of this file; nets with screens take f(r', v) alone.

    first_force : (n, 3) N, room for the loads at t + h with the velocities at t    the rest : as in `first_half`

    Eleven arguments: those of :func:`first_half`, and room for a force.
    """
    for i in range(s.r.shape[0]):
        for j in range(3):
            s.v[i, j] = (s.r[i, j] - s.old_r[i, j]) / h
    directions(bars.node, s.r, field.direction)
    surroundings(medium, field, s.r, t + h)
    has_screens = bars.screen.shape[0] > 0
    if kind == DAMPED:
        loads(bars, medium, field, s.r, s.old_v)
        first_force[:] = field.force
    if kind == PLACED or (kind == DAMPED and not has_screens):
        loads(bars, medium, field, s.r, s.v)
    if kind == DAMPED and not has_screens:
        for i in range(s.v.shape[0]):
            for j in range(3):
                x = 2.0 * field.force[i, j] - first_force[i, j]
                for q in range(3):
                    x += (s.first_damping[i, j, q] + field.damping[i, j, q]) * (s.v[i, q] - s.old_v[i, q])
                field.force[i, j] = x
    if kind == DAMPED:
        mobility(bars, field, 0.5 * h, s.mobility)
    pulls(graph, bars.node, field.direction, s.mobility)
    kick(s.mobility, field.force, 0.5 * h, s.v)
    # the reaction in the second half is that of the first to first order
    supports(bars, motions, t + h, s.r, s.v, held)
    spread(graph, bars.node, s.rate_tension, 0.5 * h, s.v)


@kernel
def rattle_step(bars, medium, motions, field, graph, s, t, h, tolerance, kind):
    """One step from t to t + h. `field` must hold directions and water at s.r; on failure s is as before.

    Source: [Andersen1983] with implicit drag: |d'| = l, then G' v' = 0; the heading of this file.

    kind : of the loads, see `first_half`

    Ten arguments: the case (3), the memory of the method (3), the step (3) and the kind of loads.
    """
    s.old_direction[:] = field.direction
    if s.tally[0].factor == FRESH:
        s.tally[0].factor = OLD
    first_half(bars, medium, motions, field, graph, s, s.acceleration, t, h, kind)
    code = meet_lengths_one_sided(bars, graph, s, field.direction, 0.5 * h * h, tolerance)
    if code == DONE:
        for k in range(s.slack.size):
            if s.slack[k]:
                s.rate_tension[k] = 0.0
        second_half(bars, medium, motions, field, graph, s, s.acceleration, s.old_force, t, h, kind)
        code = meet_rates_one_sided(bars, graph, s, field.direction, 0.5 * h, tolerance * bars.length.min() / h)
    if code != DONE:
        s.r[:] = s.old_r
        s.v[:] = s.old_v
        field.direction[:] = s.old_direction
        return code
    book_supports(bars, field.book, s.old_direction, s.tension, s.r, s.old_r)
    book_supports(bars, field.book, field.direction, s.rate_tension, s.r, s.old_r)
    move_grips(bars, medium, field, s.r, s.v)
    s.tally[0].steps += 1
    return DONE


@kernel
def rattle(bars, medium, motions, field, graph, s, t, h, n_steps, tolerance, kind):
    """n_steps of length h (s) at t_k = t + k h; the code and the number done.  Source: :func:`rattle_step`.

    Eleven arguments: those of :func:`rattle_step`, and how often.
    """
    if kind == CONSTANT:
        loads(bars, medium, field, s.r, s.v)
        mobility(bars, field, 0.0, s.mobility)
        pulls(graph, bars.node, field.direction, s.mobility)
    for k in range(n_steps):
        code = rattle_step(bars, medium, motions, field, graph, s, t + k * h, h, tolerance, kind)
        if code != DONE:
            return code, k
    return DONE, n_steps


@kernel
def tensions(bars, medium, field, graph, s):
    """Tensions (N) at the present state, exactly: A T = G W f + kappa, G a of held nodes added; into s.tension.

    Source: second derivative of |d| = l, docs/theory/ropes_and_nets.md, Exact multipliers; refined REFINEMENTS times.

    Fills field.force, and s.old_force with the accelerations (m/s2).  Returns False if the matrix is singular.
    """
    loads(bars, medium, field, s.r, s.v)
    mobility(bars, field, 0.0, s.mobility)
    pulls(graph, bars.node, field.direction, s.mobility)
    a = s.old_force
    for i in range(a.shape[0]):
        for j in range(3):
            a[i, j] = s.acceleration[i, j] if bars.held[i] else 0.0
    kick(s.mobility, field.force, 1.0, a)
    if not assemble(graph, field.direction, s.soft):
        return False
    s.tension[:] = 0.0
    for _ in range(REFINEMENTS):
        accelerations_of_length(bars.node, field.direction, s.r, s.v, a, s.residual)
        for k in range(s.residual.size):
            s.residual[k] = 0.0 if s.slack[k] else s.residual[k] - s.give[k] * (s.tension[k] - s.rest[k])
        solve_tensions(graph, s.residual, s.change)
        spread(graph, bars.node, s.change, 1.0, a)
        s.tension[:] += s.change
    s.tally[0].factor = NO_FACTOR
    return True


REFINEMENTS = 3  # solves of the tension system: one, and two against the regularisation


@kernel
def accelerations_of_length(node, direction, r, v, a, out):
    """Second rate of the lengths, t.(a_b - a_a) + |v_b - v_a|^2 / |d| on bars that keep them, into `out` (m/s2).

    Source: second derivative of |d| = l with t . (v_b - v_a) = 0.
    """
    for k in range(node.shape[0]):
        i, j = node[k, 0], node[k, 1]
        s = 0.0
        square = 0.0
        length = 0.0
        for c in range(3):
            s += direction[k, c] * (a[j, c] - a[i, c])
            square += (v[j, c] - v[i, c]) ** 2
            length += (r[j, c] - r[i, c]) ** 2
        out[k] = s + square / np.sqrt(length)


def make_steps(graph: Graph, r: Array, v: Array) -> Steps:
    """Memory for steps from r, v."""
    n, m = r.shape[0], graph.diagonal.size
    return Steps(
        r=r.copy(), v=v.copy(), acceleration=np.zeros((n, 3)), tension=np.zeros(m), rate_tension=np.zeros(m),
        mobility=np.zeros((n, 3, 3)), first_damping=np.zeros((n, 3, 3)), old_v=np.zeros((n, 3)),
        old_r=np.zeros((n, 3)), old_force=np.zeros((n, 3)), old_direction=np.zeros((m, 3)),
        residual=np.zeros(m), change=np.zeros(m), give=np.zeros(m), rest=np.zeros(m),
        yields=np.zeros(m, dtype=bool), slack=np.zeros(m, dtype=bool), soft=np.zeros(m), tally=records(1, TALLY),
    )  # fmt: skip
