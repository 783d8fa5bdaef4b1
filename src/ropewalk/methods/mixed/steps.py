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
from ropewalk.assembly.lift import move_lift, set_lift
from ropewalk.assembly.mesh import Mesh
from ropewalk.assembly.ropes import move_ropes, set_ropes
from ropewalk.loads.grip import friction_of
from ropewalk.loads.sea import is_still, water_at
from ropewalk.methods.mixed.bodies import rebase, turn_held_bodies
from ropewalk.methods.mixed.booked import HALVES
from ropewalk.methods.mixed.breakage import parting
from ropewalk.methods.mixed.control import (
    BLOW,
    CALM,
    REJECT_ABOVE,
    allowed_ratio,
    blow_goes_on,
    came_taut,
    is_wild,
    keep_memory,
    next_step,
    resolves_waves,
    shorter_step,
    worst_element,
)
from ropewalk.methods.mixed.landing import land
from ropewalk.methods.mixed.leap_water import Waters, allocate_waters
from ropewalk.methods.mixed.ledger import keep_step
from ropewalk.methods.mixed.ledger_forces import FORCES, Ledger, new_ledger
from ropewalk.methods.mixed.nodes import move_grip
from ropewalk.methods.mixed.payout import pay_out, push_back
from ropewalk.methods.mixed.scheme import BACKWARD_EULER, coefficients, copy_moving, predict, smooth, step_error
from ropewalk.methods.mixed.side_by_side import give_back, take_sides, take_water
from ropewalk.methods.mixed.sweep import Elimination, allocate_elimination, join_ends, newton_iteration
from ropewalk.model.arrays import Array, Records, records
from ropewalk.numerics.blockelimination import UNCOUNTED, ZERO3
from ropewalk.numerics.compile import kernel
from ropewalk.physics.in_time import value_at
from ropewalk.physics.motion import turns
from ropewalk.physics.waves import COLUMNS

CLOCK = np.dtype(
    [
        ("time", "f8"),  # s
        ("step", "f8"),  # the next one, s
        ("last_step", "f8"),  # s; 0 if the next one does not use it
        ("last_shift", "f8"),  # of the scheme's acceleration, s
        ("speed", "f8"),  # largest recent mean, m/s
        ("curvature", "f8"),  # of Newton's method: error after an iteration over the square of that before
        ("smallest", "f8"),  # step so far, s
        ("largest", "f8"),
        ("fail_time", "f8"),  # s
        ("impact", "f8"),  # BLOW: the step is one of impact; CALM: it is too short already, and its error too large
        ("stale", "f8"),  # 1: the last one was
        ("taut", "f8"),  # 1: an element came taut in it or before
        ("ordinary", "f8"),  # step that the motion allows without impacts, s
        ("blow", "f8"),  # error over tolerance of the last step of impact
        ("recoil_end", "f8"),  # s, until when a line that parted recoils
        ("recoil_step", "f8"),  # in which an axial wave passes an element of it, s
    ]
)
COUNT = np.dtype([(name, "i8") for name in ("steps", "rejected", "failed", "iterations", "fail_element")])
SETTINGS = np.dtype(
    [
        ("scheme", "f8"),  # GENERALISED_ALPHA or BACKWARD_EULER
        ("tolerance", "f8"),
        ("fixed_step", "f8"),  # s; 0 where the program chooses
        ("least_step", "f8"),  # s
        ("most_step", "f8"),  # s
        ("radius", "f8"),  # spectral, if it is given
        ("has_radius", "f8"),  # 1 if it is; 0 where slack decides
        ("speed_floor", "f8"),  # m/s
        ("tension_scale", "f8"),  # N
        ("slack_level", "f8"),  # N
        ("ledger", "f8"),  # 1 if energy is booked
    ]
)

# outcomes
REACHED, STEP_TOO_SMALL, PARTED, STALLED = 0, 1, 4, 5  # 2 and 3 are leapfrog's

NEWTON_SHARE = 1e-2  # of the step tolerance, left to Newton: changes forces by some 1e-5 against a tenth of it
COARSE_SHARE = 5e-2  # that of coarse steps: a tenth of the error of a step, and balances need not close to 1e-6
NEWTON_FIXED = 1e-7  # Newton tolerance of fixed steps
MOST_ITERATIONS = 100  # a step that needs more is cut
MOST_STALLED = 5  # iterations without progress, after which a step is cut
FORGET = 0.3  # share of the curvature that is kept from step to step
CIRCLING, HALF = 0.9, 0.5  # a correction not smaller than this share of the last one is followed by half a step
DIVERGED = 4.0  # growth of a Newton correction, beyond the first one, that means failure
FURTHEST = 2.0  # times the last step, that accelerations are extrapolated
STRETCH = 0.2  # of a step, by which steps may be longer to end at t_end: cheaper than another short one
JUMP_STEP = 1e-3  # of the longest step: at a snap the velocity jumps, which no shorter step would resolve
JUMP_TOLERANCE = 3e-3  # to which that step belongs; with a smaller one it is shorter in proportion
PUSH_AFTER, RESTART_AFTER = 4, 6  # failures in a row
PUSH, RESTART = 1, 2  # elements may push for one step; and that step is one of backward Euler, without memory
MOST_HARD = 2000  # steps in a row that each take PUSH_AFTER failures: on the way to nowhere, at microseconds a step
WILD = 5.0  # times the speed before: an error of a step of recovery that means another root than that of the motion
CUT = 0.35  # step after a Newton failure
LAST_CUT = 0.1  # of a step, at most, on the way to where a line parts
# least steps: a step above that is made shorter, by LAST_CUT or less and to fit in, is still no shorter than the least
AT_LEAST = 2.0 * (1.0 + STRETCH) / LAST_CUT
SPEED_MEMORY = 20.0  # s over which the largest speed is forgotten
SMOOTH, SLACK = 0.5, 0.0  # spectral radii without and with slack


class Moving(NamedTuple):
    """Nodes, junctions and elements at one time."""

    X: Array  # (4, n_nodes + n_junctions, 3) position (m), velocity, acceleration, the scheme's own acceleration
    T: Array  # (n_elements,) N


class Work(NamedTuple):
    """All memory of a run; filled by `start`, changed by the steps only."""

    now: Moving  # at the time of the clock
    last: Moving  # one step earlier
    trial: Moving  # the step being tried
    flow: Array  # (n_nodes + n_junctions, 8) of the water
    nodes: Array  # (n_nodes + n_junctions, 3) N, inertia minus forces; filled by `unbalance`
    ledger: Ledger
    forces: Records  # (n_rows,) of FORCES of ledger_forces.py
    halves: Array  # (n_elements, HALVES) forces of elements on their nodes by the columns of booked.py, N
    memory: Elimination
    waters: Waters  # of leapfrog
    clock: Records  # (1,) of CLOCK
    count: Records  # type: ignore[assignment]  # (1,) of COUNT; hides tuple.count, which nothing uses
    settings: Records  # (1,) of SETTINGS


def allocate(mesh: Mesh, lanes: bool = True) -> Work:
    """Memory for a run.  lanes : False where no steps will be taken"""
    n_rows, n_elements = mesh.node.shape[0], mesh.element.shape[0]
    now, last, trial = (Moving(np.zeros((4, n_rows, 3)), np.zeros(n_elements)) for _ in range(3))
    return Work(
        now=now,
        last=last,
        trial=trial,
        flow=np.zeros((n_rows, COLUMNS)),
        nodes=np.zeros((n_rows, 3)),
        ledger=new_ledger(),
        forces=records(n_rows, FORCES),
        halves=np.zeros((n_elements, HALVES)),
        memory=allocate_elimination(mesh, lanes),
        waters=allocate_waters(n_elements),
        clock=records(1, CLOCK),
        count=records(1, COUNT),
        settings=records(1, SETTINGS),
    )


@kernel(forceinline=True, **UNCOUNTED)
def _leave_upright(mesh, motions, X):
    """Set the turns (rad) of bodies that are held and do not turn to 0; whether others are held. Bookkeeping."""
    bodies, n = mesh.bodies.body, mesh.bodies.body.shape[0]
    others = False
    for k in range(n):
        if bodies[k].is_free == 1:
            continue
        if turns(mesh.motion[mesh.motion.size - n + k], motions):
            others = True
        else:
            row = mesh.s.size + mesh.motion.size + k
            for c in range(3):
                for p in range(3):
                    X[c, row, p] = 0.0
    return others


@kernel(**UNCOUNTED)
def move_junctions(t, mesh, motions, X):
    """Put the held and moved junctions of X where they are at time t (s), and the end nodes; loads are applied.

    Source: r = r_0 + x(t), docs/guide/inputs_in_time.md; end nodes r = x + R o.
    """
    if mesh.given.push.shape[0] + mesh.given.spread.shape[0] + mesh.load.shape[0] > 0:
        put_given(t, mesh)
    n_nodes, which, reference, dof_start = mesh.s.size, mesh.motion, mesh.reference, mesh.dof_start
    for j in range(which.size):
        if dof_start[j] < dof_start[j + 1]:
            continue
        for p in range(3):
            function = motions.function[which[j], p] if which[j] >= 0 else -1
            moved = value_at(t, function, motions.functions) if function >= 0 else ZERO3
            X[0, n_nodes + j, p] = reference[j, p] + moved[0]
            X[1, n_nodes + j, p] = moved[1]
            X[2, n_nodes + j, p] = moved[2]
    if mesh.bodies.body.shape[0] > 0 and _leave_upright(mesh, motions, X):
        turn_held_bodies(t, mesh, motions, X)
    join_ends(X, mesh)
    if mesh.winches.winch.shape[0] > 0:
        pay_out(t, mesh, X)


@kernel(**UNCOUNTED)
def _count_slack(X, T, walks):
    """Number of elements without tension, T < 0 (N), those of lines side by side among them. Bookkeeping."""
    n = 0
    if walks.in_use[0] == 1:
        give_back(X, T, walks)
    for e in range(T.size):
        if T[e] < 0.0:
            n += 1
    return n


@kernel(forceinline=True, **UNCOUNTED)
def _newton(h, mesh, fluid, step, work, is_calm):
    """As `_iterate`, with lines side by side where there are walks; not while elements may push (walks.py).

    is_calm : whether the water rests
    """
    walks, grip = work.memory.walks, work.memory.grip
    trial, side_by_side = work.trial, walks.allowed[0] == 1 and work.memory.relief[0] == 0
    if side_by_side:
        walks.in_use[0] = 1
        take_sides(trial.X, trial.T, grip, walks)
        if not is_calm:
            take_water(work.flow, walks)
    done = _iterate(h, mesh, fluid, step, work)
    if side_by_side:
        give_back(trial.X, trial.T, walks)
        walks.in_use[0] = 0
    walks.booked.stale[0] = 0 if side_by_side else 1
    return done


@kernel(forceinline=True, **UNCOUNTED)
def _iterate(h, mesh, fluid, step, work):
    """Iterate the trial state to its equations; returns True if it converged.

    Source: docs/theory/mixed_elements.md, Steps: stops where C e^2 <= tolerance, e = max(|dr|/length, |dT|/tension), of
    m and N. Not numerics/newton.py: the loop is compiled into the step, each iteration eliminates along the lines while
    it assembles, half steps serve only where contact or slack elements make it circle, and no merit is searched along.

    Exit by the predicted next error: corrections of Newton's method go as C e^2, and C is remembered. This fails for an
    element that just turned slack or taut: by the soft law of slack a small tension is a length error of millimetres.
    """
    trial, clock, count, settings = work.trial, work.clock[0], work.count[0], work.settings[0]
    left = min(max(settings.tolerance, NEWTON_SHARE), COARSE_SHARE)  # steps are coarse from NEWTON_SHARE on
    tolerance = NEWTON_FIXED if settings.fixed_step > 0.0 else left * settings.tolerance
    length = max(clock.speed, settings.speed_floor) * h
    tension = settings.tension_scale
    curvature = clock.curvature
    before, first = 0.0, 0.0
    share = 1.0
    stalled = 0
    slack = -1  # elements without tension after an iteration that did not go down; -1: not counted
    advanced = False  # fewer of them after the last iteration: the correction after it is that of other equations
    for k in range(MOST_ITERATIONS):
        move, kick, miss = newton_iteration(trial.X, trial.T, work.flow, mesh, fluid, step, share, work.memory)
        count.iterations += 1
        if mesh.winches.winch.shape[0] > 0:
            push_back(mesh, trial.X)
        error = max(move / length, kick / tension)
        if not np.isfinite(error):
            return False
        is_whole = share == 1.0  # half a step does not predict the next error
        if k == 0:
            first = error
        else:
            curvature = max(FORGET * curvature, error / (before * before))
            # Going slack or taut runs along a line by an element or so per iteration: slow, but it arrives. A node that
            # touches the bed in one iteration and not in the next makes the method turn in circles: half a step helps.
            # The iteration after the last element came taut finds the pull of the whole line, a jump that is right.
            share, fewer, jumps = 1.0, slack, advanced
            slack = _count_slack(trial.X, trial.T, work.memory.walks) if error > CIRCLING * before or slack >= 0 else -1
            advanced = 0 <= slack < fewer
            if error > CIRCLING * before and not advanced:
                stalled += 1
                is_lost = k > 2 and error > DIVERGED * before and error > first and not jumps
                if stalled > MOST_STALLED or is_lost:
                    return False
                share = HALF if k > 1 and not jumps else 1.0
        before = error
        is_near = error <= tolerance or (is_whole and curvature > 0.0 and curvature * error * error <= tolerance)
        if is_near and miss <= tolerance * length:
            clock.curvature = curvature
            return True
    return False


@kernel(forceinline=True, **UNCOUNTED)
def _radius(mesh, T, settings):
    """Spectral radius as set; else SLACK where a line that cannot push has T < slack_level (N), or SMOOTH.

    Source: docs/theory/mixed_elements.md, Steps.
    """
    if settings.has_radius == 1.0:
        return settings.radius
    for e in range(T.size):
        if mesh.element[e].slack > 0.0 and T[e] < settings.slack_level:
            return SLACK
    return SMOOTH


@kernel(forceinline=True, **UNCOUNTED)
def _try_step(h, mesh, sea, motions, work):
    """One step of length h from `now` into `trial`; returns converged, error (m/s), speed (m/s), shift (s).

    Source: [Arnold2007]; the heading of this file: beta' = (1 - alpha_m)/(h^2 p_1 (1 - alpha_f)), gamma' = q_1/(h p_1).
    """
    now, last, trial = work.now, work.last, work.trial
    clock, settings = work.clock[0], work.settings[0]
    X, Y = now.X, trial.X
    is_restart = work.memory.relief[0] == RESTART or clock.impact > 0.0
    scheme = BACKWARD_EULER if is_restart else int(settings.scheme)
    made = coefficients(scheme, _radius(mesh, now.T, settings))
    am, af, shift = made.alpha_m, made.alpha_f, made.delta * h
    if clock.last_shift != 0.0 and shift != clock.last_shift:
        factor = shift / clock.last_shift
        for n in range(X.shape[1]):
            for c in range(3):
                X[3, n, c] = X[2, n, c] + factor * (X[3, n, c] - X[2, n, c])
        clock.last_shift = shift
    f = min(h / clock.last_step, FURTHEST) if clock.last_step > 0.0 else 0.0
    row = 3 if clock.stale > 0.0 else 2
    predict(h, f, made, row, now, last, trial)
    t = clock.time + h
    move_junctions(t, mesh, motions, Y)
    water_at(Y[0], t, sea, work.flow)
    if mesh.bodies.hull.shape[0] > 0:
        water_on_bodies(Y, t, sea, mesh)
    bp = (1.0 - am) / (h * h * made.p1 * (1.0 - af))
    gp = made.q1 / (h * made.p1)
    if mesh.has_bed:
        land(bp, gp, mesh, X, Y)
    if mesh.rope.shape[0] > 0:
        set_ropes(h, now.T, mesh)
    if mesh.shed.shape[0] > 0:
        set_lift(h, Y, work.flow, mesh)
    if not _newton(h, mesh, (sea.water_density, sea.gravity), (bp, gp), work, is_still(sea)):
        return False, 0.0, 0.0, shift
    smooth(made, row, now, trial)
    error, speed = step_error(mesh, X, Y, h, made.error)
    return True, error, speed, shift


@kernel(forceinline=True, **UNCOUNTED)
def _accept(h, speed, shift, now, last, trial, clock, count):
    """Make the trial state the present one, h (s) later; recent speed (m/s) u -> max(u_1, u exp(-h/SPEED_MEMORY)).

    Source: docs/theory/mixed_elements.md, Steps.
    """
    copy_moving(now.X, now.T, last.X, last.T)
    copy_moving(trial.X, trial.T, now.X, now.T)
    clock.time += h
    clock.last_step = h
    clock.last_shift = shift
    clock.speed = max(speed, clock.speed * np.exp(-h / SPEED_MEMORY))
    clock.smallest = min(clock.smallest, h)
    clock.largest = max(clock.largest, h)
    count.steps += 1


@kernel(forceinline=True, **UNCOUNTED)
def _look_ahead(h, ratio, is_impact, is_taut, floor, most, clock):
    """Choose the next step (s) after one that was accepted; see control.py.

    Source: control.py: h = h c / sqrt(q); after a blow the step before it.
    """
    is_blow = clock.impact == BLOW
    goes_on = is_blow and (is_taut or blow_goes_on(ratio, clock.blow))
    is_over = is_blow and not goes_on and ratio <= REJECT_ABOVE
    clock.taut = 1.0 if is_taut or goes_on else 0.0
    clock.impact = BLOW if goes_on else 0.0
    clock.blow = ratio if goes_on else 0.0
    if is_impact:
        clock.stale = 1.0 if goes_on or is_over else 0.0
        clock.last_step = 0.0
        clock.last_shift = 0.0
        clock.step = max(h, clock.ordinary) if is_over else h
    else:
        clock.stale = 0.0
        wanted = clock.step
        clock.step = next_step(h, ratio, wanted, floor)
        clock.ordinary = min(next_step(h, ratio, max(wanted, clock.ordinary), floor), most)


@kernel(forceinline=True, **UNCOUNTED)
def advance_to(t_end, mesh, sea, motions, work):
    """Step to t_end (s); returns REACHED, STEP_TOO_SMALL, STALLED, or PARTED at a limit of tension. Bookkeeping."""
    return _advance(t_end, mesh, sea, motions, work, False)


@kernel(forceinline=True, **UNCOUNTED)
def advance_booked(t_end, mesh, sea, motions, work):
    """As `advance_to`, with the energy ledger."""
    return _advance(t_end, mesh, sea, motions, work, True)


@kernel(forceinline=True, **UNCOUNTED)
def _advance(t_end, mesh, sea, motions, work, has_ledger):
    """As `advance_to` (s).  has_ledger : a constant of the caller: steps without ledger carry none of its code

    Source: step control of [Hairer1993], sec. II.4: h = h c / sqrt(error/tolerance); blows as in control.py.
    """
    clock, settings, count = work.clock[0], work.settings[0], work.count[0]
    fixed = settings.fixed_step > 0.0
    slip = 1e-9 * max(1.0, abs(t_end))
    cut, cuts, hard = 1.0, 0, 0  # of fixed steps; failures in a row, and steps in a row that took many
    while clock.time < t_end - slip:
        recoils = clock.time < clock.recoil_end
        wanted = settings.fixed_step if fixed else min(clock.step, clock.recoil_step if recoils else settings.most_step)
        rest = t_end - clock.time
        h = rest / max(1.0, np.ceil(rest / wanted - (1e-6 if fixed else STRETCH))) * cut
        if h < settings.least_step:
            clock.fail_time = clock.time
            count.fail_element = worst_element(work.trial.T, work.now.T)
            return STEP_TOO_SMALL
        done, error, speed, shift = _try_step(h, mesh, sea, motions, work)
        usual = max(clock.speed, settings.speed_floor)
        if fixed and cuts >= PUSH_AFTER and error > WILD * usual:
            done = False  # steps chosen by the program have their own control of errors
        if done and work.memory.relief[0] != 0 and is_wild(mesh, work.now.X, work.trial.X, usual):
            done = False
        if not done:
            count.failed += 1
            clock.curvature = 0.0
            cut = cut * CUT if fixed else 1.0
            clock.step = h * CUT
            clock.last_step = 0.0 if count.failed % 2 == 0 else clock.last_step
            cuts += 1
            # going slack can defeat Newton at any step; one short step in which elements may push gets past it
            work.memory.relief[0] = PUSH if cuts == PUSH_AFTER else (RESTART if cuts == RESTART_AFTER else 0)
            continue
        share, parted = parting(work.now.T, work.trial.T, mesh.element)
        if share < 1.0 and h > AT_LEAST * settings.least_step:
            # shorter still, or the same step would be stretched to t_end again
            clock.step = h * max(share, LAST_CUT) / (1.0 + STRETCH)
            cut = cut * max(share, LAST_CUT) if fixed else 1.0
            continue
        scale = max(speed, clock.speed, settings.speed_floor)
        ratio = error / (scale * settings.tolerance) if not fixed else 0.0
        floor = JUMP_STEP * min(1.0, settings.tolerance / JUMP_TOLERANCE) * settings.most_step
        floor = max(min(floor, clock.recoil_step) if recoils else floor, AT_LEAST * settings.least_step)
        is_impact = clock.impact > 0.0
        is_taut = not fixed and came_taut(mesh, work.now.T, work.trial.T)
        if ratio > allowed_ratio(h, clock.ordinary, is_impact) and h > floor:
            is_blow = (is_taut or clock.taut > 0.0) and not is_impact
            count.rejected += 1
            clock.step = h if is_blow else shorter_step(h, ratio, clock.ordinary, is_impact)
            clock.impact = BLOW if is_blow or (is_impact and clock.taut > 0.0) else 0.0
            continue
        is_bad = ratio > REJECT_ABOVE and not (is_impact or recoils)  # what no step resolves is damped, not thrown
        if is_bad and not resolves_waves(h, mesh, work.now.T, work.trial.T, settings.slack_level):
            count.rejected += 1
            clock.impact = BLOW if is_taut or clock.taut > 0.0 else CALM
            continue
        hard = hard + 1 if cuts >= PUSH_AFTER else 0
        if hard > MOST_HARD:
            clock.fail_time = clock.time
            count.fail_element = worst_element(work.trial.T, work.now.T)
            return STALLED
        cuts = 0
        work.memory.relief[0] = 0
        before = clock.last_step if count.steps > 0 else 0.0
        _accept(h, speed, shift, work.now, work.last, work.trial, clock, count)
        if mesh.rope.shape[0] > 0:
            move_ropes(h, work.last.T, work.now.T, mesh)
        if mesh.shed.shape[0] > 0:
            move_lift(mesh)
        if has_ledger:
            keep_step(h, before, mesh, sea, work)
        if mesh.bodies.body.shape[0] > 0 and mesh.dof.shape[0] > 0:
            rebase(work.now.X, work.trial.X, mesh)
        if friction_of(work.memory.grip) > 0.0:
            move_grip(work.now.X[0], work.now.X[1], mesh, work.memory.grip)
        cut = min(1.0, cut / CUT) if fixed else 1.0
        _look_ahead(h, ratio, is_impact, is_taut, floor, settings.most_step, clock)
        if clock.stale > 0.0:
            keep_memory(work.last.X, work.now.X)
        if parted >= 0:
            count.fail_element = parted
            return PARTED
    clock.time = t_end
    return REACHED
