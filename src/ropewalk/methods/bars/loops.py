"""Loops of articulated bars: closed by constraints, on top of the tree of tree.py.

Each bar that closes a loop has a tension; the tree's replies to unit tensions give a small dense system for them.
The same replies turn the bars so that the loops stay closed to round-off.

For comparison loops can be closed as published, by a control of their gaps ([Otto2022], eqs. (4.103)-(4.106)): stiff
springs with dampers in place of the bars, which leave gaps.
"""

from __future__ import annotations

import numpy as np

from ropewalk.methods.bars.control import controlled_pull
from ropewalk.methods.bars.ledger import book_step
from ropewalk.methods.bars.loads import loads, supports, surroundings
from ropewalk.methods.bars.tree import accelerate, across, angular, articulate, bar_directions, place, turned
from ropewalk.numerics.compile import kernel

CLOSING = 8  # Newton iterations that close the loops; two to four are needed
CLOSED = 1e-13  # relative gap, and rate in m/s, that count as closed


@kernel
def loop_replies(tree, bars, field, s):
    r"""Replies of the tree to unit tension in each bar that closes a loop, and the matrix between them.

    .. math:: B_{ij} = -t_i \cdot (a_b - a_a)_j

    Source: docs/theory/ropes_and_nets.md, Recursion: response of the tree to unit tension in loop bar j.
    """
    n = tree.loop.size
    force = np.zeros_like(s.r)
    spare = np.zeros(bars.length.size)
    for j in range(n):
        k = tree.loop[j]
        force[:] = 0.0
        for c in range(3):
            force[bars.node[k, 0], c] = field.direction[k, c]
            force[bars.node[k, 1], c] = -field.direction[k, c]
        accelerate(tree, bars.length, s, bars.held, force, 0.0, s.reply[j], spare)
        angular(tree, bars.length, s.direction, s.reply[j], s.turn[j])
    for j in range(n):
        for i in range(n):
            k = tree.loop[i]
            x = 0.0
            for c in range(3):
                x -= field.direction[k, c] * (s.reply[j, bars.node[k, 1], c] - s.reply[j, bars.node[k, 0], c])
            s.loop_matrix[i, j] = x
        s.loop_matrix[j, j] *= 1.0 + s.ridge[0]


@kernel
def loop_solve(matrix, right):
    """Tensions x of the loops (N), A x = b; NaN where A or b is not finite, so that the step is found bad.

    Source: docs/theory/ropes_and_nets.md, Recursion: one equation for each bar at which a loop is cut.
    """
    if not np.isfinite(matrix.sum() + right.sum()):
        return np.full(right.size, np.nan)
    return np.linalg.solve(matrix, right)


@kernel
def close_accelerations(tree, bars, field, s):
    r"""Tensions of the loop bars from the second rates of their lengths; changes s.a and s.tension.

    .. math:: B\,T = t \cdot (a_b - a_a) + \frac{|v_b - v_a|^2}{l}

    Source: second derivative of |d| = l, docs/theory/ropes_and_nets.md, Recursion.
    """
    n = tree.loop.size
    right = np.zeros(n)
    for j in range(n):
        k = tree.loop[j]
        a, b = bars.node[k, 0], bars.node[k, 1]
        square = 0.0
        x = 0.0
        for c in range(3):
            x += field.direction[k, c] * (s.a[b, c] - s.a[a, c])
            square += (s.v[b, c] - s.v[a, c]) ** 2
        right[j] = x + square / bars.length[k]
    answer = loop_solve(s.loop_matrix, right)
    for j in range(n):
        s.tension[tree.loop[j]] = answer[j]
        s.a[:] += answer[j] * s.reply[j]


@kernel
def control_loops(tree, bars, s):
    r"""Tensions of the loop bars by control of their gaps (N), [Otto2022], eqs. (4.103)-(4.106).

    .. math:: T = k_P e + k_I \int e\,dt + k_D \dot e, \qquad e = |d| - l
    """
    d = np.zeros(3)
    for j in range(tree.loop.size):
        k = tree.loop[j]
        a, b = bars.node[k, 0], bars.node[k, 1]
        for c in range(3):
            d[c] = s.r[b, c] - s.r[a, c]
        size = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
        rate = 0.0
        for c in range(3):
            rate += d[c] * (s.v[b, c] - s.v[a, c]) / size
        s.tension[k] = controlled_pull(s.gains, size - bars.length[k], s.integral[j], rate)


@kernel
def remember_gaps(tree, bars, s, h):
    """Adds the gaps of the loops over a step h (s) to their integrals (m s).

    Source: I -> I + h (|r_b - r_a| - l), the I term of the closure "pid", docs/theory/ropes_and_nets.md, Recursion.
    """
    for j in range(tree.loop.size):
        k = tree.loop[j]
        square = 0.0
        for c in range(3):
            square += (s.r[bars.node[k, 1], c] - s.r[bars.node[k, 0], c]) ** 2
        s.integral[j] += h * (np.sqrt(square) - bars.length[k])


@kernel
def move_roots(tree, held, reply, x, moved):
    """Moves the free roots in `moved` (n, 3) by their responses (c, n, 3) to the tensions x (c,) of the loops, N.

    Source: r_i -> r_i + sum_q x_q R_qi, superposition, docs/theory/ropes_and_nets.md, Recursion.
    """
    for j in range(tree.root.size):
        i = tree.root[j]
        if not held[i]:
            for q in range(x.size):
                for c in range(3):
                    moved[i, c] += x[q] * reply[q, i, c]


@kernel
def close_loops(tree, bars, field, s):
    r"""Turn the bars along the replies until the loops are closed, then take out the rates; the largest gap left (m).

    .. math:: B\,x = \frac{|d|^2 - l^2}{2 l}, \qquad B\,x = t \cdot (v_b - v_a)

    Source: docs/theory/ropes_and_nets.md, Recursion. The Newton loop is its own, not numerics/newton.py: compiled into
    the step, with the matrix of the step's own accelerations and rotations as unknowns.
    """
    n = tree.loop.size
    gap = np.zeros(n)
    psi = np.zeros(3)
    worst = 0.0
    for _ in range(CLOSING):
        worst = 0.0
        for j in range(n):
            k = tree.loop[j]
            square = 0.0
            for c in range(3):
                square += (s.r[bars.node[k, 1], c] - s.r[bars.node[k, 0], c]) ** 2
            gap[j] = 0.5 * (square - bars.length[k] ** 2) / bars.length[k]
            worst = max(worst, abs(gap[j]) / bars.length[k])
        if worst < CLOSED:
            break
        x = loop_solve(s.loop_matrix, gap)
        for k in range(tree.bar.size):
            psi[:] = 0.0
            for j in range(n):
                for c in range(3):
                    psi[c] += x[j] * s.turn[j, k, c]
            along = psi[0] * s.direction[k, 0] + psi[1] * s.direction[k, 1] + psi[2] * s.direction[k, 2]
            for c in range(3):
                psi[c] -= along * s.direction[k, c]
            turned(s.direction[k], psi, s.direction[k])
        move_roots(tree, bars.held, s.reply, x, s.r)
        place(tree, bars.length, s)
    bar_directions(tree, bars, field, s)
    for _ in range(CLOSING):
        rate = 0.0
        for j in range(n):
            k = tree.loop[j]
            gap[j] = 0.0
            for c in range(3):
                gap[j] += field.direction[k, c] * (s.v[bars.node[k, 1], c] - s.v[bars.node[k, 0], c])
            rate = max(rate, abs(gap[j]))
        if rate < CLOSED:
            break
        x = loop_solve(s.loop_matrix, gap)
        for k in range(tree.bar.size):
            for j in range(n):
                for c in range(3):
                    s.omega[k, c] += x[j] * s.turn[j, k, c]
        across(s)
        move_roots(tree, bars.held, s.reply, x, s.v)
        place(tree, bars.length, s)
    return worst


@kernel
def accelerations(tree, bars, medium, field, s):
    """Accelerations (m/s2), tensions (N) and angular accelerations (rad/s2) at the present state of `s`.

    Source: docs/theory/ropes_and_nets.md, Recursion: M a = F of the tree, then with the tensions of the loops.
    """
    loads(bars, medium, field, s.r, s.v)
    articulate(tree, field, s, bars.held)
    s.force[:] = field.force
    accelerate(tree, bars.length, s, bars.held, s.force, 1.0, s.a, s.tension)
    if tree.loop.size > 0:
        if s.is_controlled:
            control_loops(tree, bars, s)
        else:
            loop_replies(tree, bars, field, s)
            close_accelerations(tree, bars, field, s)
        # tensions of the tree's bars with those of the loops
        s.force[:] = field.force
        for j in range(tree.loop.size):
            k = tree.loop[j]
            for c in range(3):
                pull = s.tension[k] * field.direction[k, c]
                s.force[bars.node[k, 0], c] += pull
                s.force[bars.node[k, 1], c] -= pull
        accelerate(tree, bars.length, s, bars.held, s.force, 1.0, s.a, s.tension)
    angular(tree, bars.length, s.direction, s.a, s.alpha)


@kernel
def move(tree, bars, medium, motions, field, s, t, h, alpha, a):
    r"""From the old state to t (s) with mean angular accelerations `alpha` and accelerations `a` of free roots.

    .. math:: \psi = h\omega + \tfrac12 h^2 \alpha, \qquad \omega' = \omega + h\alpha

    Source: docs/theory/ropes_and_nets.md, Recursion: directions turn by exp(psi).

    Ten arguments: the case (3), the memory of the method (3), the step (2) and what moves it (2).
    """
    psi = np.zeros(3)
    for k in range(tree.bar.size):
        for c in range(3):
            psi[c] = h * s.old_omega[k, c] + 0.5 * h * h * alpha[k, c]
            s.omega[k, c] = s.old_omega[k, c] + h * alpha[k, c]
        turned(s.old_direction[k], psi, s.direction[k])
    across(s)
    for j in range(tree.root.size):
        i = tree.root[j]
        for c in range(3):
            s.r[i, c] = s.old_r[i, c] + h * s.old_v[i, c] + 0.5 * h * h * a[i, c]
            s.v[i, c] = s.old_v[i, c] + h * a[i, c]
    supports(bars, motions, t, s.r, s.v, s.support)
    place(tree, bars.length, s)
    bar_directions(tree, bars, field, s)
    surroundings(medium, field, s.r, t)


@kernel
def tree_step(tree, bars, medium, motions, field, s, t, h):
    r"""One step from t to t + h, predictor and corrector of [Otto2022], eqs. (4.4)-(4.5), on the directions.

    .. math:: q^P = q + h \dot q + \tfrac{h^2}{2} a_0, \quad \bar a = \tfrac12 (a_0 + a_1), \quad
              q' = q + h \dot q + \tfrac{h^2}{2} \bar a, \quad \dot q' = \dot q + h \bar a

    Second order; stable for omega h <= 2. s.alpha and s.a must belong to the state at t.  False on overflow.
    """
    constrained = tree.loop.size > 0 and not s.is_controlled
    s.old_direction[:] = s.direction
    s.old_omega[:] = s.omega
    s.old_r[:] = s.r
    s.old_v[:] = s.v
    s.first_alpha[:] = s.alpha
    s.first_a[:] = s.a
    move(tree, bars, medium, motions, field, s, t + h, h, s.alpha, s.a)
    if constrained:
        close_loops(tree, bars, field, s)
    accelerations(tree, bars, medium, field, s)
    for k in range(s.alpha.shape[0]):
        for c in range(3):
            s.alpha[k, c] = 0.5 * (s.alpha[k, c] + s.first_alpha[k, c])
    for j in range(tree.root.size):
        i = tree.root[j]
        for c in range(3):
            s.a[i, c] = 0.5 * (s.a[i, c] + s.first_a[i, c])
    move(tree, bars, medium, motions, field, s, t + h, h, s.alpha, s.a)
    if constrained:
        close_loops(tree, bars, field, s)
    if tree.loop.size > 0 and not constrained:
        remember_gaps(tree, bars, s, h)
    accelerations(tree, bars, medium, field, s)
    book_step(bars, field, s.tension, s.r, s.v)
    return np.isfinite(s.r[s.r.shape[0] - 1, 2]) and np.isfinite(s.alpha.sum())


@kernel
def tree_steps(tree, bars, medium, motions, field, s, t, h, n_steps):
    """n_steps of length h (s) at t_k = t + k h; the number done before an overflow.  Source: :func:`tree_step`.

    Nine arguments: those of :func:`tree_step`, and how often.
    """
    for k in range(n_steps):
        if not tree_step(tree, bars, medium, motions, field, s, t + k * h, h):
            return k
    return n_steps
