r"""Steps in time: generalised-alpha for constrained systems, with steps chosen by the program.

The scheme of [Arnold2007] satisfies the equations of motion and the length equations at the end of each
step; the accelerations :math:`\bar a` of its formulas are smoothed ones,

.. math::
    (1 - \alpha_m) \bar a_1 + \alpha_m \bar a_0 = (1 - \alpha_f) \ddot r_1 + \alpha_f \ddot r_0, \quad
    r_1 = r_0 + h v_0 + h^2 (p_0 \bar a_0 + p_1 \bar a_1), \quad v_1 = v_0 + h (q_0 \bar a_0 + q_1 \bar a_1),

so that :math:`\bar a_0 = \ddot r(t_0 + \delta h)` to first order, :math:`\delta = \alpha_m - \alpha_f`. When h
or the spectral radius changes, :math:`\bar a_0 - \ddot r_0` is scaled with :math:`\delta h`: without that the
scheme falls to first order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.body_loads import water_on_bodies
from ropewalk.assembly.given import put_given
from ropewalk.assembly.mesh import Mesh
from ropewalk.loads.sea import water_at
from ropewalk.methods.mixed import ledger_forces as mixed_ledger_forces
from ropewalk.methods.mixed.bodies import rebase, turn_held_bodies
from ropewalk.methods.mixed.breakage import parting_element, parting_share
from ropewalk.methods.mixed.control import (
    REJECT_ABOVE,
    allowed_ratio,
    blow_goes_on,
    came_taut,
    keep_memory,
    next_step,
    shorter_step,
)
from ropewalk.methods.mixed.landing import land
from ropewalk.methods.mixed.ledger import keep_step
from ropewalk.methods.mixed.nodes import FRICTION_ROW, move_grip
from ropewalk.methods.mixed.payout import pay_out
from ropewalk.methods.mixed.scheme import BACKWARD_EULER, coefficients, predict, step_error
from ropewalk.methods.mixed.sweep import Elimination, allocate_elimination, join_ends, newton_iteration
from ropewalk.model.arrays import Array, Ints
from ropewalk.numerics.blockelimination import COUNTED, UNCOUNTED
from ropewalk.numerics.compile import kernel
from ropewalk.physics.motion import motion
from ropewalk.physics.waves import COLUMNS

# entries of `clock`
TIME, STEP, LAST_STEP, LAST_SHIFT, SPEED, CURVATURE, SMALLEST, LARGEST, FAIL_TIME = 0, 1, 2, 3, 4, 5, 6, 7, 8
# 1: the step is one of impact; the last one was; an element came taut in it or before. The step that the motion allows
# without impacts, s. Error over tolerance of the last step of impact.
IMPACT, STALE, TAUT, ORDINARY, BLOW = 9, 10, 11, 12, 13
CLOCKS = 14

# entries of `count`
STEPS, REJECTED, FAILED, ITERATIONS, FAIL_LINE, FAIL_ELEMENT = 0, 1, 2, 3, 4, 5
COUNTS = 6

# entries of `settings`
SCHEME, TOLERANCE, FIXED_STEP, LEAST_STEP, MOST_STEP = 0, 1, 2, 3, 4
RADIUS, SPEED_FLOOR, TENSION_SCALE, SLACK_LEVEL, LEDGER = 5, 6, 7, 8, 9
SETTINGS = 10

# outcomes
REACHED, STEP_TOO_SMALL, PARTED = 0, 1, 4  # 2 and 3 are leapfrog's

NEWTON_SHARE = 1e-2  # of the step tolerance, left to Newton: changes forces by some 1e-5 against a tenth of it
NEWTON_FIXED = 1e-7  # Newton tolerance of fixed steps
MOST_ITERATIONS = 100  # a step that needs more is cut
MOST_STALLED = 5  # iterations without progress, after which a step is cut
FORGET = 0.3  # share of the curvature that is kept from step to step
CIRCLING, HALF = 0.9, 0.5  # a correction not smaller than this share of the last one is followed by half a step
DIVERGED = 4.0  # growth of a Newton correction, beyond the first one, that means failure
FURTHEST = 2.0  # times the last step, that accelerations are extrapolated
STRETCH = 0.2  # of a step, by which steps may be longer to end at t_end: cheaper than another short one
JUMP_STEP = 1e-3  # of the longest step: at a snap the velocity jumps, which no shorter step would resolve
PUSH_AFTER, RESTART_AFTER = 4, 6  # failures in a row
PUSH, RESTART = 1.0, 2.0  # elements may push for one step; and that step is one of backward Euler, without memory
WILD = 5.0  # times the speed before: an error of a step of recovery that means another root than that of the motion
CUT = 0.35  # step after a Newton failure
LAST_CUT = 0.1  # of a step, at most, on the way to where a line parts
SPEED_MEMORY = 20.0  # s over which the largest speed is forgotten
SMOOTH, SLACK = 0.5, 0.0  # spectral radii without and with slack


class Moving(NamedTuple):
    """Nodes, junctions and elements at one time."""

    X: Array  # (4, n_nodes + n_junctions, 3) position (m), velocity, acceleration, the scheme's own acceleration
    T: Array  # (n_elements,) N


class Work(NamedTuple):
    """All memory of a run; filled by `start`, changed by the steps only."""

    now: Moving  # at clock[TIME]
    last: Moving  # one step earlier
    trial: Moving  # the step being tried
    flow: Array  # (n_nodes + n_junctions, 8) of the water
    nodes: Array  # (n_nodes + n_junctions, 3) N, inertia minus forces; filled by `unbalance`
    ledger: Array  # (POWERS, COLUMNS) of mixed_ledger_forces.py
    forces: Array  # (n_rows, FORCE_COLUMNS) of mixed_ledger_forces.py
    memory: Elimination
    clock: Array  # (CLOCKS,)
    count: Ints  # type: ignore[assignment]  # (COUNTS,); hides tuple.count, which nobody asks for
    settings: Array  # (SETTINGS,)


def allocate(mesh: Mesh) -> Work:
    """Memory for a run."""
    n_rows, n_elements = mesh.node.shape[0], mesh.element.shape[0]
    now, last, trial = (Moving(np.zeros((4, n_rows, 3)), np.zeros(n_elements)) for _ in range(3))
    return Work(
        now=now,
        last=last,
        trial=trial,
        flow=np.zeros((n_rows, COLUMNS)),
        nodes=np.zeros((n_rows, 3)),
        ledger=np.zeros((mixed_ledger_forces.POWERS, mixed_ledger_forces.COLUMNS)),
        forces=np.zeros((n_rows, mixed_ledger_forces.FORCE_COLUMNS)),
        memory=allocate_elimination(mesh),
        clock=np.zeros(CLOCKS),
        count=np.zeros(COUNTS, dtype=np.int64),
        settings=np.zeros(SETTINGS),
    )


@kernel(**UNCOUNTED)
def copy_moving(X, T, to_X, to_T):
    """Copy a `Moving`. Loops, because the compiler takes long over array expressions."""
    for k in range(4):
        for n in range(X.shape[1]):
            for c in range(3):
                to_X[k, n, c] = X[k, n, c]
    for e in range(T.size):
        to_T[e] = T[e]


@kernel(**COUNTED)
def move_junctions(t, mesh, motions, X):
    """Put the held and moved junctions of X where they are at time t, and the end nodes with them; loads are put on."""
    put_given(t, mesh)
    out = np.zeros((3, 3))
    n_nodes, which, reference, dof_start = mesh.s.size, mesh.motion, mesh.reference, mesh.dof_start
    for j in range(which.size):
        if dof_start[j] < dof_start[j + 1]:
            continue
        motion(t, which[j], motions, out)
        for p in range(3):
            X[0, n_nodes + j, p] = reference[j, p] + out[0, p]
            X[1, n_nodes + j, p] = out[1, p]
            X[2, n_nodes + j, p] = out[2, p]
    if mesh.bodies.body.shape[0] > 0:
        turn_held_bodies(t, mesh, motions, X)
    join_ends(X, mesh)
    if mesh.winches.table.shape[0] > 0:
        pay_out(t, mesh, X)


@kernel(**UNCOUNTED)
def _count_slack(T):
    """Number of elements without tension."""
    n = 0
    for e in range(T.size):
        if T[e] < 0.0:
            n += 1
    return n


@kernel(**UNCOUNTED)
def _newton(h, mesh, fluid, step, work):
    """Iterate the trial state to its equations; returns True if it got there.

    Exit by the predicted next error: corrections of Newton's method go as C e^2, and C is remembered. That says nothing
    of an element that just turned slack or taut: by the soft law of slack next to no tension is a miss of millimetres.
    """
    trial, clock, count, settings = work.trial, work.clock, work.count, work.settings
    tolerance = NEWTON_FIXED if settings[FIXED_STEP] > 0.0 else NEWTON_SHARE * settings[TOLERANCE]
    length = max(clock[SPEED], settings[SPEED_FLOOR]) * h
    tension = settings[TENSION_SCALE]
    curvature = clock[CURVATURE]
    before, first = 0.0, 0.0
    share = 1.0
    stalled = 0
    slack = -1  # elements without tension after an iteration that did not go down; -1: not counted
    for k in range(MOST_ITERATIONS):
        move, kick, miss = newton_iteration(trial.X, trial.T, work.flow, mesh, fluid, step, share, work.memory)
        count[ITERATIONS] += 1
        error = max(move / length, kick / tension)
        if not np.isfinite(error):
            return False
        is_whole = share == 1.0  # half a step tells nothing about the next error
        if k == 0:
            first = error
        else:
            curvature = max(FORGET * curvature, error / (before * before))
            # Going slack or taut runs along a line by an element or so per iteration: slow, but it arrives. A node that
            # touches the bed in one iteration and not in the next makes the method turn in circles: half a step helps.
            share = 1.0
            fewer = slack
            slack = _count_slack(trial.T) if error > CIRCLING * before or slack >= 0 else -1
            if error > CIRCLING * before and not 0 <= slack < fewer:
                stalled += 1
                if stalled > MOST_STALLED or (k > 2 and error > DIVERGED * before and error > first):
                    return False
                share = HALF if k > 1 else 1.0
        before = error
        is_near = error <= tolerance or (is_whole and curvature > 0.0 and curvature * error * error <= tolerance)
        if is_near and miss <= tolerance * length:
            clock[CURVATURE] = curvature
            return True
    return False


@kernel(**UNCOUNTED)
def _radius(mesh, T, settings):
    """Spectral radius: as set, or by whether a line that cannot push is near slack."""
    if settings[RADIUS] >= 0.0:
        return settings[RADIUS]
    for e in range(T.size):
        if mesh.element[e].slack > 0.0 and T[e] < settings[SLACK_LEVEL]:
            return SLACK
    return SMOOTH


@kernel(**UNCOUNTED)
def _try_step(h, mesh, sea, motions, work):
    """One step of length h from `now` into `trial`; returns converged, error (m/s), speed (m/s), shift (s)."""
    now, last, trial = work.now, work.last, work.trial
    clock, settings = work.clock, work.settings
    X, Y = now.X, trial.X
    is_restart = work.memory.grip[FRICTION_ROW, 1] == RESTART or clock[IMPACT] > 0.0
    scheme = BACKWARD_EULER if is_restart else int(settings[SCHEME])
    made = coefficients(scheme, _radius(mesh, now.T, settings))
    am, af, shift = made.alpha_m, made.alpha_f, made.delta * h
    if clock[LAST_SHIFT] != 0.0 and shift != clock[LAST_SHIFT]:
        factor = shift / clock[LAST_SHIFT]
        for n in range(X.shape[1]):
            for c in range(3):
                X[3, n, c] = X[2, n, c] + factor * (X[3, n, c] - X[2, n, c])
        clock[LAST_SHIFT] = shift
    f = min(h / clock[LAST_STEP], FURTHEST) if clock[LAST_STEP] > 0.0 else 0.0
    row = 3 if clock[STALE] > 0.0 else 2
    predict(h, f, made, row, now, last, trial)
    t = clock[TIME] + h
    move_junctions(t, mesh, motions, Y)
    water_at(Y[0], t, sea, work.flow)
    if mesh.bodies.body.shape[0] > 0:
        water_on_bodies(Y, t, sea, mesh)
    bp = (1.0 - am) / (h * h * made.p1 * (1.0 - af))
    gp = made.q1 / (h * made.p1)
    if mesh.has_bed:
        land(bp, gp, mesh, X, Y)
    if not _newton(h, mesh, (sea.water_density, sea.gravity), (bp, gp), work):
        return False, 0.0, 0.0, shift
    for n in range(X.shape[1]):
        for c in range(3):
            Y[3, n, c] = ((1.0 - af) * Y[2, n, c] + af * X[row, n, c] - am * X[3, n, c]) / (1.0 - am)
    error, speed = step_error(mesh, X, Y, h, made.error)
    return True, error, speed, shift


@kernel(**UNCOUNTED)
def _accept(h, speed, shift, now, last, trial, clock, count):
    """Make the trial state the present one."""
    copy_moving(now.X, now.T, last.X, last.T)
    copy_moving(trial.X, trial.T, now.X, now.T)
    clock[TIME] += h
    clock[LAST_STEP] = h
    clock[LAST_SHIFT] = shift
    clock[SPEED] = max(speed, clock[SPEED] * np.exp(-h / SPEED_MEMORY))
    clock[SMALLEST] = min(clock[SMALLEST], h)
    clock[LARGEST] = max(clock[LARGEST], h)
    count[STEPS] += 1


@kernel(**UNCOUNTED)
def _look_ahead(h, ratio, is_impact, is_taut, floor, most, clock):
    """Choose the next step after one that was accepted; see mixed_control.py."""
    goes_on = is_impact and (is_taut or blow_goes_on(ratio, clock[BLOW]))
    is_over = is_impact and not goes_on and ratio <= REJECT_ABOVE
    clock[TAUT] = 1.0 if is_taut or goes_on else 0.0
    clock[IMPACT] = 1.0 if goes_on else 0.0
    clock[BLOW] = ratio if goes_on else 0.0
    if is_impact:
        clock[STALE] = 1.0 if goes_on or is_over else 0.0
        clock[LAST_STEP] = 0.0
        clock[LAST_SHIFT] = 0.0
        clock[STEP] = max(h, clock[ORDINARY]) if is_over else h
    else:
        clock[STALE] = 0.0
        wanted = clock[STEP]
        clock[STEP] = next_step(h, ratio, wanted, floor)
        clock[ORDINARY] = min(next_step(h, ratio, max(wanted, clock[ORDINARY]), floor), most)


@kernel(**UNCOUNTED)
def advance_to(t_end, mesh, sea, motions, work):
    """Step to t_end; returns REACHED, STEP_TOO_SMALL, or PARTED where an element reaches its limit of tension."""
    return _advance(t_end, mesh, sea, motions, work, False)


@kernel(**UNCOUNTED)
def advance_booked(t_end, mesh, sea, motions, work):
    """As `advance_to`, with the energy ledger."""
    return _advance(t_end, mesh, sea, motions, work, True)


@kernel(forceinline=True, **UNCOUNTED)
def _advance(t_end, mesh, sea, motions, work, has_ledger):
    """As `advance_to`.  has_ledger : a constant of the caller, so that steps without ledger carry none of its code"""
    clock, settings, count = work.clock, work.settings, work.count
    fixed = settings[FIXED_STEP] > 0.0
    slip = 1e-9 * max(1.0, abs(t_end))
    cut = 1.0
    cuts = 0  # failures in a row
    while clock[TIME] < t_end - slip:
        wanted = settings[FIXED_STEP] if fixed else min(clock[STEP], settings[MOST_STEP])
        rest = t_end - clock[TIME]
        h = rest / max(1.0, np.ceil(rest / wanted - (1e-6 if fixed else STRETCH))) * cut
        if h < settings[LEAST_STEP]:
            clock[FAIL_TIME] = clock[TIME]
            count[FAIL_ELEMENT] = _worst_element(work.trial.T, work.now.T)
            return STEP_TOO_SMALL
        done, error, speed, shift = _try_step(h, mesh, sea, motions, work)
        if fixed and cuts >= PUSH_AFTER and error > WILD * max(clock[SPEED], settings[SPEED_FLOOR]):
            done = False  # steps chosen by the program have their own control of errors
        if not done:
            count[FAILED] += 1
            clock[CURVATURE] = 0.0
            cut = cut * CUT if fixed else 1.0
            clock[STEP] = h * CUT
            clock[LAST_STEP] = 0.0 if count[FAILED] % 2 == 0 else clock[LAST_STEP]
            cuts += 1
            # going slack can defeat Newton at any step; one short step in which elements may push gets past it
            work.memory.grip[FRICTION_ROW, 1] = (
                PUSH if cuts == PUSH_AFTER else (RESTART if cuts == RESTART_AFTER else 0.0)
            )
            continue
        share = parting_share(work.now.T, work.trial.T, mesh.element)
        if share < 1.0 and h > settings[LEAST_STEP] / LAST_CUT:
            clock[STEP] = h * max(share, LAST_CUT)
            continue
        scale = max(speed, clock[SPEED], settings[SPEED_FLOOR])
        ratio = error / (scale * settings[TOLERANCE]) if not fixed else 0.0
        floor = JUMP_STEP * settings[MOST_STEP]
        is_impact = clock[IMPACT] > 0.0
        is_taut = not fixed and came_taut(mesh, work.now.T, work.trial.T)
        if ratio > allowed_ratio(h, clock[ORDINARY], is_impact) and h > floor:
            is_blow = (is_taut or clock[TAUT] > 0.0) and not is_impact
            count[REJECTED] += 1
            clock[STEP] = h if is_blow else shorter_step(h, ratio, clock[ORDINARY], is_impact)
            clock[IMPACT] = 1.0 if is_blow or (is_impact and clock[TAUT] > 0.0) else 0.0
            continue
        cuts = 0
        work.memory.grip[FRICTION_ROW, 1] = 0.0
        before = clock[LAST_STEP] if count[STEPS] > 0 else 0.0
        _accept(h, speed, shift, work.now, work.last, work.trial, clock, count)
        if has_ledger:
            keep_step(h, before, mesh, sea, work)
        if mesh.bodies.body.shape[0] > 0:
            rebase(work.now.X, work.trial.X, mesh)
        move_grip(work.now.X[0], work.now.X[1], mesh, work.memory.grip)
        cut = min(1.0, cut / CUT) if fixed else 1.0
        _look_ahead(h, ratio, is_impact, is_taut, floor, settings[MOST_STEP], clock)
        if clock[STALE] > 0.0:
            keep_memory(work.last.X, work.now.X)
        parted = parting_element(work.now.T, mesh.element)
        if parted >= 0:
            count[FAIL_ELEMENT] = parted
            return PARTED
    clock[TIME] = t_end
    return REACHED


@kernel(**UNCOUNTED)
def _worst_element(trial, now):
    """The element that Newton changed most, to name the place of a failure."""
    worst = 0
    largest = -1.0
    for e in range(now.size):
        d = abs(trial[e] - now[e])
        if not np.isfinite(d):
            return e
        if d > largest:
            largest = d
            worst = e
    return worst
