"""Steps of the power-series chain: correct the state, expand it, choose how far the series may be used."""

from __future__ import annotations

import numpy as np

from ropewalk.methods.chain.bodies import (
    body_work,
    largest_turn,
    nine,
    orthonormalise,
    put,
    restart_bodies,
    turn_with_eye,
)
from ropewalk.methods.chain.drag import has_drag, sign_lost, vanishing_speed
from ropewalk.methods.chain.equations import assemble, expand, prescribe, set_directions, state_at
from ropewalk.numerics.blockelimination import add9, times
from ropewalk.numerics.blocktridiagonal import solve
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.series import next_break, radius_of_convergence, step_from_decay, work_integral
from ropewalk.physics.rigidbody import hat9

CLOCK = np.dtype(
    [
        ("begin", "f8"),  # s, about which the series is expanded
        ("end", "f8"),  # s, until which it is good
        ("scale", "f8"),  # s: the series is one of (t - begin) / scale
        ("steps", "f8"),  # how many there were
        ("smallest", "f8"),  # of them, s
        ("drift", "f8"),  # worst relative length error met
        ("tail", "f8"),  # sum of the last terms
    ]
)

# Why `integrate` stopped
DONE, TAUT, UNREACHABLE, DIVERGED, STEP_FLOOR, DRAG = 0, 1, 2, 3, 4, 5

LENGTH_ERROR = 2e-14  # relative length of a link beyond which its nodes are moved back; some 100 roundings
LENGTH_FAILED = 1e-9  # relative length error that Newton may leave: more means that the links do not reach
CORRECTIONS = 12  # Newton iterations on the lengths; from a drawn shape 6 are usual, between steps 0 or 1
PIVOT_TAUT = 1e-13  # relative pivot of the straight chain: the axial force is then lost in rounding
GROWTH = 10.0  # of the step from one to the next, where the last terms vanish altogether
SLIGHT = 1e-9  # of a step, by which a series may be read past its end: sums of equal steps miss round times by rounding
JZ_SAFETY = 0.7  # safety factor exp(-0.7 / (p - 1)) of [Jorba2005], sec. 3.2


@kernel(no_cpython_wrapper=True)
def correct(chain, series, t, scale):
    r"""Put the held ends where they belong at t and move the nodes until links have their length and rates fit.

    .. math:: M\,\delta r = G^T \lambda, \qquad t \cdot (\delta r_{i+1} - \delta r_i) = \frac{l}{2} (1 - |d|^2/l^2)

    Source: docs/theory/chain_series.md, Order, step, error. The Newton loop is its own, not numerics/newton.py:
    compiled into the step, with the block tridiagonal matrix of the series itself.

    Both corrections are the smallest in the mass norm: for velocities that is the impulse which a sudden
    start of an end causes. Leaves the factors of the matrix at the corrected state.

    Returns (code, link, worst relative length error before).
    """
    n = chain.length.shape[0]
    r, x = series.position, series.unknowns
    target = np.zeros((3, 2, n + 1))
    prescribe(chain, t, scale, target)
    first, last = 0.0, np.inf
    block, pivot = 0, 0.0
    for iteration in range(CORRECTIONS):
        gap = 0.0
        for side in range(2):
            i = 0 if side == 0 else n
            for axis in range(3):
                x[i, axis] = 0.0
                if chain.held[side]:
                    x[i, axis] = target[axis, 0, i] - r[axis, 0, i]
                    gap = max(gap, abs(x[i, axis]) / chain.length.max())
        drift = set_directions(chain, series)
        block, pivot = assemble(chain, series)
        if iteration == 0:
            first = drift
        if max(drift, gap) <= LENGTH_ERROR or (max(drift, gap) < LENGTH_FAILED and not drift < last):
            break
        if pivot < PIVOT_TAUT or not np.isfinite(drift):
            return TAUT, max(block - 1, 0), first
        last = drift
        for i in range(n + 1):
            if 0 < i < n:
                x[i, :3] = 0.0
            x[i, 3] = 0.0
        for k in range(n):
            square = series.link[0, 0, k] ** 2 + series.link[1, 0, k] ** 2 + series.link[2, 0, k] ** 2
            x[k + 1, 3] = 0.5 * chain.length[k] * (1.0 - square)
        solve(series.lower, series.diagonal, series.upper, x)
        for axis in range(3):
            for i in range(n + 1):
                r[axis, 0, i] += x[i, axis]
        for k in range(chain.bodies.shape[0]):
            node, R = chain.bodies[k].node, series.bodies.attitude[k, 0]
            turn = turn_with_eye(chain, series.bodies, k, (x[node, 0], x[node, 1], x[node, 2]))
            put(add9(nine(R), times(nine(R), hat9(turn))), R)
            orthonormalise(R)
    else:
        return UNREACHABLE, max(block - 1, 0), first
    if pivot < PIVOT_TAUT:
        return TAUT, max(block - 1, 0), first
    _correct_rates(chain, series, target, scale)
    return DONE, 0, first


@kernel(no_cpython_wrapper=True)
def _correct_rates(chain, series, target, scale):
    r"""Make the velocities (power 1, m) fit the held ends and the link lengths, with the present factors.

    .. math:: M\,\delta v = G^T \lambda, \qquad t \cdot (v_{i+1} - v_i) = 0

    Source: docs/theory/chain_series.md, Order, step, error: least change in the mass norm, the impulse of the links.

    target : (3, 2, n + 1) m, power 1 of the held ends is read    scale : T, s
    """
    n = chain.length.shape[0]
    r, x = series.position, series.unknowns
    x[:] = 0.0
    for k in range(n):
        for axis in range(3):
            x[k + 1, 3] -= series.link[axis, 0, k] * (r[axis, 1, k + 1] - r[axis, 1, k])
    for side in range(2):
        i = 0 if side == 0 else n
        if chain.held[side]:
            for axis in range(3):
                x[i, axis] = target[axis, 1, i] - r[axis, 1, i]
    solve(series.lower, series.diagonal, series.upper, x)
    for axis in range(3):
        for i in range(n + 1):
            r[axis, 1, i] += x[i, axis]
    for k in range(chain.bodies.shape[0]):
        node, rate = chain.bodies[k].node, series.bodies.rate[k, 0]
        turn = turn_with_eye(chain, series.bodies, k, (x[node, 0], x[node, 1], x[node, 2]))
        for axis in range(3):
            rate[axis] += turn[axis] / scale


@kernel(no_cpython_wrapper=True)
def largest_link(coefficients):
    """Largest length of the vectors in row `coefficients` (3, n), in their unit, and its link: c = max_k |c_k|.

    Source: definition of the norm.
    """
    worst, where = 0.0, 0
    for k in range(coefficients.shape[1]):
        size = np.sqrt(coefficients[0, k] ** 2 + coefficients[1, k] ** 2 + coefficients[2, k] ** 2)
        if not size <= worst:  # true for NaN as well
            worst, where = size, k
    return worst, where


@kernel(no_cpython_wrapper=True)
def choose_step(chain, series, tolerance):
    """Scaled step for a tolerance, from the decay of the directions and of the axial forces.

    Source: [Jorba2005]: tau = (eps/|c_n|)^(1/n), the smaller of the last two terms, times a safety factor.

    Directions: the last two terms of the unit vectors, as velocities, fall to the tolerance. Axial forces:
    theirs fall to the tolerance times the largest axial force or load, so that the forces between
    steps are as good as the motion.

    Returns (scaled step, link that limits it).
    """
    order, n = series.tension.shape
    before, _ = largest_link(series.link[:, order])
    last, where = largest_link(series.link[:, order + 1])
    step = step_from_decay(before * order, last * (order + 1), order + 1, tolerance)
    if chain.bodies.shape[0] > 0:
        before, last = largest_turn(series.bodies, order), largest_turn(series.bodies, order + 1)
        step = min(step, step_from_decay(before * order, last * (order + 1), order + 1, tolerance))
    force, load = 0.0, 0.0
    for k in range(n):
        force = max(force, abs(series.tension[0, k]))
        for axis in range(3):
            load = max(load, abs(chain.link_load[k, 0, axis] + chain.link_load[k, 1, axis]))
    level = max(force, load)
    if level > 0.0 and order > 2:
        before = np.abs(series.tension[order - 2]).max()
        last = np.abs(series.tension[order - 1]).max()
        step = min(step, step_from_decay(before, last, order - 1, tolerance * level))
    return step * np.exp(-JZ_SAFETY / max(order - 1, 1)), where


@kernel(no_cpython_wrapper=True)
def end_work(series, tau, ledger):
    """Add the work of what holds end A and end B (J), from the start of the step to the scaled time tau.

    Source: W = int R . dr, term by term of the series.

    ledger : (3,) work of end A, of end B, of loads other than the constant ones
    """
    n = series.tension.shape[1]
    for side in range(2):
        node = 0 if side == 0 else n
        for axis in range(3):
            ledger[side] += work_integral(series.reaction[axis, :, side], series.position[axis, :, node], tau)


@kernel(no_cpython_wrapper=True)
def other_work(chain, series, tau, ledger):
    """Add the work of loads that vary in time or with the motion (J), as `end_work`; others have a potential."""
    n = series.tension.shape[1]
    links, nodes = has_drag(chain)
    busy = links or nodes or chain.load_terms.shape[0] > 0 or chain.damping != 0.0
    for k in range(n):
        busy = busy or chain.linear_drag[k] != 0.0
        for axis in range(3):
            busy = busy or chain.pressure[k, axis] != 0.0
    if not busy:
        return
    for axis in range(3):
        for i in range(n + 1):
            steady = chain.node_load[i, axis]
            if i < n:
                steady += chain.link_load[i, 0, axis]
            if i > 0:
                steady += chain.link_load[i - 1, 1, axis]
            series.force[axis, 0, i] -= steady
            ledger[2] += work_integral(series.force[axis, :, i], series.position[axis, :, i], tau)
            series.force[axis, 0, i] += steady


@kernel(no_cpython_wrapper=True)
def added_mass_work(chain, series, tau, ledger):
    """Add the work of the water's inertia on the links (J), as `end_work`: minus added mass times acceleration.

    Source: W = -int (M_a a) . dr, term by term of the series.
    """
    order, n = series.tension.shape
    one = np.empty(order)
    for k in range(n):
        whole = chain.added_normal[k] / 6.0
        less = (chain.added_normal[k] - chain.added_tangential[k]) / 6.0
        if whole == 0.0 and less == 0.0:
            continue
        for side in range(2):
            left, right = 2.0 - side, 1.0 + side
            for axis in range(3):
                a, t = series.acceleration[axis], series.link[axis]
                for j in range(order):
                    one[j] = -whole * (left * a[j, k] + right * a[j, k + 1])
                    if less != 0.0:
                        for r in range(j + 1):
                            one[j] += less * series.along[side, r, k] * t[j - r, k]
                ledger[2] += work_integral(one, series.position[axis, :, k + side], tau)


@kernel
def work_until(chain, series, tau, scale, ledger):
    """Add all work (J) from the beginning of the step to the scaled time tau to the ledger of `end_work`.  scale : T, s

    Bookkeeping: calls `end_work`, `other_work`, `added_mass_work` and `body_work`.
    """
    end_work(series, tau, ledger)
    other_work(chain, series, tau, ledger)
    added_mass_work(chain, series, tau, ledger)
    ledger[2] += body_work(chain, series, tau, scale)


@kernel(no_cpython_wrapper=True)
def restart(series, clock):
    """Move the state at the end of the step (m, m/s) into powers 0 and 1; nothing else of the series stays valid.

    Source: tau = (t_1 - t_0)/h at the end, docs/theory/chain_series.md, The series; values of :func:`state_at`.
    """
    n = series.position.shape[2]
    position, velocity = np.empty((n, 3)), np.empty((n, 3))
    scale = clock[0].scale
    tau = (clock[0].end - clock[0].begin) / scale
    state_at(series, tau, scale, position, velocity)
    restart_bodies(series.bodies, tau)
    for axis in range(3):
        for i in range(n):
            series.position[axis, 0, i] = position[i, axis]
            series.position[axis, 1, i] = velocity[i, axis]


@kernel(no_cpython_wrapper=True)
def begin_step(chain, series, clock, tolerance, fixed_step):
    """Expand about the state in powers 0 (m) and 1 (m/s) at clock[0].end, and set how long the series is good.

    Source: docs/theory/chain_series.md, Order, step, error; [Jorba2005]: r = sum r_j tau^j for tau up to the chosen
    step.

    tolerance : relative, per step    fixed_step : s, or 0 for the step that the tolerance allows

    Returns (code, link, number): the number is a relative length error, a radius of convergence (s), a
    step (s) or a time (s), depending on the code.
    """
    n = chain.length.shape[0]
    t = clock[0].end
    scale = fixed_step if fixed_step > 0.0 else clock[0].scale
    for axis in range(3):
        for i in range(n + 1):
            series.position[axis, 1, i] *= scale
    clock[0].begin = t
    clock[0].scale = scale
    for k in range(chain.bodies.shape[0]):
        orthonormalise(series.bodies.attitude[k, 0])
    code, link, drift = correct(chain, series, t, scale)
    if code != DONE:
        return code, link, drift
    if clock[0].steps > 0.0:
        clock[0].drift = max(clock[0].drift, drift)
    expand(chain, t, scale, series)
    order = series.tension.shape[0]
    before, _ = largest_link(series.link[:, order])
    last, where = largest_link(series.link[:, order + 1])
    if fixed_step > 0.0:
        radius = radius_of_convergence(before, last, order + 1, 1.0)
        if not radius > 1.0:
            return DIVERGED, where, radius * scale
        tau = 1.0
    else:
        tau, where = choose_step(chain, series, tolerance)
        tau = min(tau, GROWTH)
        if not tau * scale > chain.time_floor:
            return STEP_FLOOR, where, tau * scale
    until = min(next_break(chain.motion_terms, t), next_break(chain.load_terms, t), next_break(chain.body_terms, t))
    tau = sign_lost(chain, series, tau)
    end = t + tau * scale
    # a piece of the motion ends in this step: stop there
    if end > until - chain.time_floor:
        end = until
    tau = (end - t) / scale
    slow, at = vanishing_speed(chain, series, tau)
    if slow >= 0:
        return DRAG, slow, t + at * scale
    clock[0].end = end
    clock[0].steps += 1.0
    clock[0].smallest = min(clock[0].smallest, end - t)
    clock[0].tail += max(before * tau**order, last * tau ** (order + 1))
    return DONE, 0, 0.0


@kernel
def integrate(chain, series, clock, ledger, t, tolerance, fixed_step):
    """Step until the current series covers the time t (s); it then gives all values up to t and beyond.

    Arguments and result as `begin_step`. At the first call the clock has begin = end and no steps, and powers 0
    and 1 of the positions hold the state. The ledger of work holds all finished steps. After a code
    other than DONE, clock[0].begin is the time it happened and the series is not to be used.
    """
    while clock[0].end < t - SLIGHT * clock[0].scale or clock[0].steps == 0.0:
        tau = (clock[0].end - clock[0].begin) / clock[0].scale
        work_until(chain, series, tau, clock[0].scale, ledger)
        restart(series, clock)
        if fixed_step == 0.0 and tau > 0.0:
            clock[0].scale = max(clock[0].end - clock[0].begin, chain.time_floor)
        code, link, value = begin_step(chain, series, clock, tolerance, fixed_step)
        if code != DONE:
            return code, link, value
    return DONE, 0, 0.0
