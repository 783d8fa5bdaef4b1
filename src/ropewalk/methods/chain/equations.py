"""A chain of rigid links as a differential-algebraic system, and its power series in time.

Unknowns are the accelerations of the nodes and one multiplier per link, the axial force N that keeps
its length. A uniform thin link has the consistent mass matrix m/6 [[2, 1], [1, 2]]: nodal equations
with it are the momentum and moment balances of [Filipich2007], eqs. (13), in three dimensions. The
matrix is the same for every power of time; see docs/theory/chain_series.md.

Kernels that only kernels call are compiled without a Python entry: that halves the time to compile.
"""

from __future__ import annotations

import numpy as np

from ropewalk.methods.chain.bodies import add_bodies, finish_bodies, place_bodies, prescribe_body_loads
from ropewalk.methods.chain.drag import add_drag
from ropewalk.numerics.blocktridiagonal import factorise, solve
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.series import add_product, add_term, evaluate, evaluate_rate


@kernel
def prescribe(chain, t, scale, position):
    """Taylor coefficients at t (s) of the held ends, into the series of positions (m).

    Source: x(t + tau T) = sum x_j tau^j, docs/theory/chain_series.md, The series.

    scale : T, s    position : (3, powers, n + 1), columns of held ends are overwritten
    """
    n = chain.length.shape[0]
    powers = position.shape[1]
    end = np.empty((3, powers))
    for side in range(2):
        if not chain.held[side]:
            continue
        node = 0 if side == 0 else n
        end[:] = 0.0
        for i in range(chain.motion_terms.shape[0]):
            if int(chain.motion_terms[i, 0]) == node:
                add_term(chain.motion_terms[i], t, scale, end)
        for axis in range(3):
            for j in range(powers):
                position[axis, j, node] = end[axis, j]


@kernel(no_cpython_wrapper=True)
def prescribe_loads(chain, t, scale, force):
    """Series of the loads that do not depend on the motion (N), over all powers.

    Source: docs/theory/chain_series.md, The equations: F_i = sum of node and half link loads, terms of time as series.

    scale : T, s    force : (3, order, n + 1), overwritten
    """
    n = chain.length.shape[0]
    force[:] = 0.0
    for axis in range(3):
        for i in range(n + 1):
            force[axis, 0, i] += chain.node_load[i, axis]
        for k in range(n):
            force[axis, 0, k] += chain.link_load[k, 0, axis]
            force[axis, 0, k + 1] += chain.link_load[k, 1, axis]
    one = np.empty((3, force.shape[1]))
    for m in range(chain.load_terms.shape[0]):
        one[:] = 0.0
        add_term(chain.load_terms[m], t, scale, one)
        target = int(chain.load_terms[m, 0])
        for axis in range(3):
            for j in range(force.shape[1]):
                if target <= n:
                    force[axis, j, target] += one[axis, j]
                else:
                    force[axis, j, target - n - 1] += 0.5 * one[axis, j]
                    force[axis, j, target - n] += 0.5 * one[axis, j]


@kernel(no_cpython_wrapper=True)
def assemble(chain, series):
    r"""Matrix of the accelerations and axial forces at the directions `series.link[:, 0]`, then its factors.

    Source: [Filipich2007], eqs. (13), in space; docs/theory/chain_series.md, The equations.

    .. math:: M a - N_i t_i + N_{i-1} t_{i-1} = F_i, \qquad t_i \cdot (a_{i+1} - a_i) = c_i

    with the masses and N over the reference mass; a body at an end adds its mass matrix (bodies.py). Block i holds the
    acceleration of node i and N of the link before it: then the elimination needs no exchange between blocks. A held
    node is an identity.

    Returns (block with the smallest pivot, that pivot); the pivot goes to zero as a chain held at both
    ends becomes straight.
    """
    n = chain.length.shape[0]
    lower, diagonal, upper = series.lower, series.diagonal, series.upper
    lower[:] = 0.0
    diagonal[:] = 0.0
    upper[:] = 0.0
    diagonal[0, 3, 3] = 1.0
    for i in range(n + 1):
        for axis in range(3):
            diagonal[i, axis, axis] = chain.node_mass[i] / chain.reference_mass
    for k in range(n):
        whole = (chain.mass[k] + chain.added_normal[k]) / (6.0 * chain.reference_mass)
        less = (chain.added_normal[k] - chain.added_tangential[k]) / (6.0 * chain.reference_mass)
        for a in range(3):
            ta = series.link[a, 0, k]
            for b in range(3):
                m = -less * ta * series.link[b, 0, k]
                if a == b:
                    m += whole
                diagonal[k, a, b] += 2.0 * m
                diagonal[k + 1, a, b] += 2.0 * m
                upper[k, a, b] = m
                lower[k + 1, a, b] = m
            upper[k, a, 3] = -ta
            diagonal[k + 1, a, 3] = ta
            lower[k + 1, 3, a] = -ta
            diagonal[k + 1, 3, a] = ta
    place_bodies(chain, series)
    for side in range(2):
        if chain.held[side]:
            i = 0 if side == 0 else n
            for a in range(3):
                for b in range(4):
                    lower[i, a, b] = 0.0
                    upper[i, a, b] = 0.0
                    diagonal[i, a, b] = 1.0 if a == b else 0.0
    return factorise(lower, diagonal, upper)


@kernel(no_cpython_wrapper=True)
def _add_motion_loads(chain, series, j, scale):
    r"""Loads of power j that follow from the motion so far: pressure, linear and quadratic drag, damping (N).

    .. math:: f = \tfrac{l}{2}\, p \times t - c\, M v + D (u - v) + \text{quadratic drag}

    Source: docs/theory/chain_series.md, The equations, with the consistent matrix (2, 1; 1, 2)/6 for M and D.
    """
    n = chain.length.shape[0]
    r, t, force = series.position, series.link, series.force
    rate = (j + 1) / scale
    for axis in range(3):
        b, c = (axis + 1) % 3, (axis + 2) % 3
        flow = chain.current[axis] if j == 0 else 0.0
        for k in range(n):
            push = chain.pressure[k, b] * t[c, j, k] - chain.pressure[k, c] * t[b, j, k]
            push *= 0.5 * chain.length[k]
            v0, v1 = rate * r[axis, j + 1, k], rate * r[axis, j + 1, k + 1]
            slow = chain.damping * chain.mass[k] / 6.0
            drag = chain.linear_drag[k] / 6.0
            force[axis, j, k] += push - slow * (2.0 * v0 + v1) + drag * (3.0 * flow - 2.0 * v0 - v1)
            force[axis, j, k + 1] += push - slow * (v0 + 2.0 * v1) + drag * (3.0 * flow - v0 - 2.0 * v1)
        for i in range(n + 1):
            force[axis, j, i] -= chain.damping * chain.node_mass[i] * rate * r[axis, j + 1, i]
    add_drag(chain, series, j, scale)


@kernel(no_cpython_wrapper=True)
def _right_hand_side(chain, series, j, scale, added):
    r"""Right-hand side of power j into `series.unknowns`; loads and all lower powers are known (m/s2).

    .. math:: \sum_r t_r \cdot t_{j+2-r} = 0, \qquad N_j t_0 = -\sum_{r<j} N_r t_{j-r} + \dots

    Source: [Filipich2007], eqs. (32) to (37), as corrected in docs/theory/chain_series.md, The series.
    """
    n = chain.length.shape[0]
    x, s, t = series.unknowns, series.scratch, series.link
    for i in range(n + 1):
        for axis in range(3):
            x[i, axis] = series.force[axis, j, i]
        x[i, 3] = 0.0
    s[3] = 0.0
    for axis in range(3):
        s[axis] = 0.0
        add_product(series.tension, t[axis], j, 0, j - 1, s[axis])
        for k in range(n):
            x[k, axis] += s[axis, k]
            x[k + 1, axis] -= s[axis, k]
        # t . t = 1 at power j + 2; its sum is symmetric, so half of it and the middle
        s[axis] = 0.0
        add_product(t[axis], t[axis], j + 2, 1, (j + 1) // 2, s[axis])
        for k in range(n):
            s[3, k] -= s[axis, k]
        if j % 2 == 0:
            for k in range(n):
                s[3, k] -= 0.5 * t[axis, j // 2 + 1, k] ** 2
    for k in range(n):
        x[k + 1, 3] = chain.length[k] * (j + 1) * (j + 2) / scale**2 * s[3, k]
    if added:
        for side in range(2):
            _known_along(series, j, side)
            for axis in range(3):
                s[axis] = 0.0
                add_product(series.along[side], t[axis], j, 0, j, s[axis])
                for k in range(n):
                    less = (chain.added_normal[k] - chain.added_tangential[k]) / 6.0
                    x[k + side, axis] += less * s[axis, k]
    for i in range(n + 1):
        for axis in range(3):
            x[i, axis] /= chain.reference_mass


@kernel(no_cpython_wrapper=True)
def _known_along(series, j, side):
    """Part of power j of t . (2 a_0 + a_1), or t . (a_0 + 2 a_1), that lower powers of acceleration give (m/s2).

    Source: Cauchy sum, w_j = sum_(r<j) (2 a_0r + a_1r) . t_(j-r), docs/theory/chain_series.md, The series.
    """
    a, t, w = series.acceleration, series.link, series.along
    n = t.shape[2]
    left, right = 2.0 - side, 1.0 + side
    w[side, j] = 0.0
    for axis in range(3):
        for r in range(j):
            for k in range(n):
                w[side, j, k] += (left * a[axis, r, k] + right * a[axis, r, k + 1]) * t[axis, j - r, k]


@kernel(no_cpython_wrapper=True)
def expand(chain, t, scale, series):
    r"""Series of positions, accelerations, axial forces and end reactions about the state at t.

    .. math:: r(\tau) = \sum_j r_j \tau^j, \qquad (j + 1)(j + 2)\, r_{j+2} / T^2 = a_j

    for the scaled time tau = t/T.

    The state stands in powers 0 and 1 of `series.position`, must satisfy the link lengths and their
    rates, and `assemble` has been called for it. Source: [Filipich2007], eqs. (32) to (37), as corrected in
    docs/theory/chain_series.md, for links in space and of different kinds.

    t : s    scale : T, s
    """
    order, n = series.tension.shape
    r, a, x = series.position, series.acceleration, series.unknowns
    prescribe(chain, t, scale, r)
    prescribe_loads(chain, t, scale, series.force)
    prescribe_body_loads(chain, t, scale, series.bodies)
    added = False
    for k in range(n):
        added = added or chain.added_normal[k] != chain.added_tangential[k]
    for axis in range(3):
        for j in range(2):
            for k in range(n):
                series.link[axis, j, k] = (r[axis, j, k + 1] - r[axis, j, k]) / chain.length[k]
    for j in range(order):
        second = (j + 1) * (j + 2) / scale**2
        _add_motion_loads(chain, series, j, scale)
        _right_hand_side(chain, series, j, scale, added)
        add_bodies(chain, series, j, scale)
        keep_a, keep_b = x[0, :3].copy(), x[n, :3].copy()
        for side in range(2):
            if chain.held[side]:
                i = 0 if side == 0 else n
                for axis in range(3):
                    x[i, axis] = second * r[axis, j + 2, i]
        solve(series.lower, series.diagonal, series.upper, x)
        for axis in range(3):
            for i in range(n + 1):
                a[axis, j, i] = x[i, axis]
                r[axis, j + 2, i] = x[i, axis] / second
            for k in range(n):
                series.link[axis, j + 2, k] = (r[axis, j + 2, k + 1] - r[axis, j + 2, k]) / chain.length[k]
        for k in range(n):
            series.tension[j, k] = x[k + 1, 3] * chain.reference_mass
        if added:
            for axis in range(3):
                for k in range(n):
                    ta = series.link[axis, 0, k]
                    series.along[0, j, k] += ta * (2.0 * a[axis, j, k] + a[axis, j, k + 1])
                    series.along[1, j, k] += ta * (a[axis, j, k] + 2.0 * a[axis, j, k + 1])
        _reactions(chain, series, j, keep_a, keep_b)
        finish_bodies(chain, series, j, scale)


@kernel(no_cpython_wrapper=True)
def _reactions(chain, series, j, known_a, known_b):
    """Power j of the forces of what holds the ends on the chain (N); zero at ends that are not held.

    Source: balance of the end node, R = M a - N t - F, docs/theory/chain_series.md, The equations.

    known_a, known_b : (3,) right-hand sides of the end nodes before the prescribed motion replaced them, m/s2
    """
    n = chain.length.shape[0]
    a = series.acceleration
    for side in range(2):
        i, k, other = (0, 0, 1) if side == 0 else (n, n - 1, n - 1)
        pull = 1.0 if side == 0 else -1.0
        whole = (chain.mass[k] + chain.added_normal[k]) / 6.0
        less = (chain.added_normal[k] - chain.added_tangential[k]) / 6.0
        along = 0.0
        for axis in range(3):
            along += series.link[axis, 0, k] * (2.0 * a[axis, j, i] + a[axis, j, other])
        for axis in range(3):
            known = known_a[axis] if side == 0 else known_b[axis]
            ta = series.link[axis, 0, k]
            total = whole * (2.0 * a[axis, j, i] + a[axis, j, other]) - less * ta * along
            total += chain.node_mass[i] * a[axis, j, i] - chain.reference_mass * known
            series.reaction[axis, j, side] = total - pull * series.tension[j, k] * ta if chain.held[side] else 0.0


@kernel(no_cpython_wrapper=True)
def set_directions(chain, series):
    """Unit vectors of the links at power 0 from the positions at power 0; returns the worst relative length error.

    Source: t_k = (r_(k+1) - r_k)/a_k and max ||t_k| - 1|, docs/theory/chain_series.md, The equations.
    """
    worst = 0.0
    for k in range(chain.length.shape[0]):
        square = 0.0
        for axis in range(3):
            d = (series.position[axis, 0, k + 1] - series.position[axis, 0, k]) / chain.length[k]
            series.link[axis, 0, k] = d
            square += d * d
        worst = max(worst, abs(np.sqrt(square) - 1.0))
    return worst


@kernel
def state_at(series, tau, scale, position, velocity):
    """Positions (m) and velocities (m/s) at the scaled time tau.

    Source: r = sum r_j tau^j, v = r'/T, docs/theory/chain_series.md, The series.

    scale : T, s    position, velocity : (n + 1, 3), filled
    """
    n = series.position.shape[2]
    value = np.empty(n)
    for axis in range(3):
        evaluate(series.position[axis], tau, value)
        for i in range(n):
            position[i, axis] = value[i]
        evaluate_rate(series.position[axis], tau, value)
        for i in range(n):
            velocity[i, axis] = value[i] / scale
