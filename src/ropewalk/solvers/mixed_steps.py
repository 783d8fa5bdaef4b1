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

from ropewalk.model.arrays import Array, Ints
from ropewalk.numerics.compile import kernel
from ropewalk.physics.current import current
from ropewalk.physics.motion import motion
from ropewalk.physics.waves import COLUMNS, STRETCHING_WHEELER, kinematics_at
from ropewalk.solvers.mixed_mesh import MASS, Mesh
from ropewalk.solvers.mixed_mesh import SLACK as PUSHLESS
from ropewalk.solvers.mixed_sweep import Elimination, allocate_elimination, join_ends, newton_iteration

# schemes
GENERALISED_ALPHA, BACKWARD_EULER = 0, 1

# entries of `clock`
TIME, STEP, LAST_STEP, LAST_SHIFT, SPEED, CURVATURE, SMALLEST, LARGEST, FAIL_TIME = 0, 1, 2, 3, 4, 5, 6, 7, 8
CLOCKS = 9

# entries of `count`
STEPS, REJECTED, FAILED, ITERATIONS, FAIL_LINE, FAIL_ELEMENT = 0, 1, 2, 3, 4, 5
COUNTS = 6

# entries of `settings`
SCHEME, TOLERANCE, FIXED_STEP, LEAST_STEP, MOST_STEP, RADIUS, SPEED_FLOOR, TENSION_SCALE, SLACK_LEVEL = range(9)
SETTINGS = 9

# outcomes
REACHED, STEP_TOO_SMALL = 0, 1

NEWTON_SHARE = 1e-3  # of the step tolerance, left to Newton; tension is corrupted by looser exits
NEWTON_FIXED = 1e-7  # Newton tolerance of fixed steps
MOST_ITERATIONS = 12  # a step that needs more is cut
DIVERGED = 4.0  # growth of a Newton correction that means failure
SAFETY = 0.85  # of the step that would just meet the tolerance
GROWTH, SHRINK = 1.6, 0.3  # limits of a change of step
REJECT_ABOVE = 2.0  # times the tolerance: slightly bad steps are cheaper kept than repeated
CUT = 0.35  # step after a Newton failure
SPEED_MEMORY = 20.0  # s over which the largest speed is forgotten
SMOOTH, SLACK = 0.5, 0.0  # spectral radii without and with slack


class Moving(NamedTuple):
    """Nodes, elements and junctions at one time."""

    r: Array  # (n_nodes, 3) m
    v: Array  # (n_nodes, 3) m/s
    a: Array  # (n_nodes, 3) m/s2
    smooth: Array  # (n_nodes, 3) m/s2, the scheme's own acceleration
    T: Array  # (n_elements,) N
    jr: Array  # (n_junctions, 3)
    jv: Array
    ja: Array
    jsmooth: Array


class Work(NamedTuple):
    """All memory of a run; filled by `start`, changed by `advance_to` only."""

    now: Moving  # at clock[TIME]
    last: Moving  # one step earlier
    trial: Moving  # the step being tried
    flow: Array  # (n_nodes, 8) of the water
    jflow: Array  # (n_junctions, 8)
    memory: Elimination
    clock: Array  # (CLOCKS,)
    count: Ints  # (COUNTS,)
    settings: Array  # (SETTINGS,)


def allocate(mesh: Mesh) -> Work:
    """Memory for a run."""
    n_nodes, n_elements, n_junctions = mesh.s.size, mesh.length.size, mesh.motion.size

    def moving() -> Moving:
        nodes = (np.zeros((n_nodes, 3)) for _ in range(4))
        junctions = (np.zeros((n_junctions, 3)) for _ in range(4))
        return Moving(*nodes, np.zeros(n_elements), *junctions)

    return Work(
        now=moving(),
        last=moving(),
        trial=moving(),
        flow=np.zeros((n_nodes, COLUMNS)),
        jflow=np.zeros((n_junctions, COLUMNS)),
        memory=allocate_elimination(mesh),
        clock=np.zeros(CLOCKS),
        count=np.zeros(COUNTS, dtype=np.int64),
        settings=np.zeros(SETTINGS),
    )


@kernel
def copy_moving(source, target):
    """Copy all arrays of a `Moving`."""
    target.r[:] = source.r
    target.v[:] = source.v
    target.a[:] = source.a
    target.smooth[:] = source.smooth
    target.T[:] = source.T
    target.jr[:] = source.jr
    target.jv[:] = source.jv
    target.ja[:] = source.ja
    target.jsmooth[:] = source.jsmooth


@kernel
def water_at(r, t, sea, flow):
    """Velocity, acceleration and surface of the water (columns of physics/waves.py) at all r (n, 3)."""
    waves = sea.wave.shape[1] > 0
    for n in range(r.shape[0]):
        if waves:
            kinematics_at(sea.wave, r[n], t, sea.depth, STRETCHING_WHEELER, 1.0, flow[n])
        else:
            flow[n] = 0.0
        if sea.current_speed > 0.0:
            ux, uy, uz = current(
                r[n, 2], sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth,
                sea.current_table,
            )  # fmt: skip
            flow[n, 0] += ux
            flow[n, 1] += uy
            flow[n, 2] += uz


@kernel
def move_junctions(t, mesh, motions, x, out):
    """Put the held and moved junctions of x where they are at time t; out : (3, 3) scratch."""
    for j in range(mesh.motion.size):
        if mesh.dof_start[j] < mesh.dof_start[j + 1]:
            continue
        motion(t, mesh.motion[j], motions, out)
        for p in range(3):
            x.jr[j, p] = mesh.reference[j, p] + out[0, p]
            x.jv[j, p] = out[1, p]
            x.ja[j, p] = out[2, p]


@kernel
def coefficients(scheme, radius):
    """alpha_m, alpha_f, p0, p1, q0, q1, delta and the error constant of a scheme."""
    if scheme == BACKWARD_EULER:
        return 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.5
    am = (2.0 * radius - 1.0) / (radius + 1.0)
    af = radius / (radius + 1.0)
    gamma = 0.5 + af - am
    beta = 0.25 * (gamma + 0.5) ** 2
    delta = am - af
    return am, af, 0.5 - beta, beta, 1.0 - gamma, gamma, delta, beta + 0.5 * delta - 1.0 / 6.0


@kernel
def _predict(h, f, scheme, r0, v0, a0, s0, a00, r, v, a, s):
    """Extrapolate accelerations by the factor f of their last change and integrate; fills r, v, a, s."""
    am, af, p0, p1, q0, q1 = scheme
    for n in range(r0.shape[0]):
        for c in range(3):
            a1 = a0[n, c] + f * (a0[n, c] - a00[n, c])
            s1 = ((1.0 - af) * a1 + af * a0[n, c] - am * s0[n, c]) / (1.0 - am)
            a[n, c] = a1
            s[n, c] = s1
            r[n, c] = r0[n, c] + h * v0[n, c] + h * h * (p0 * s0[n, c] + p1 * s1)
            v[n, c] = v0[n, c] + h * (q0 * s0[n, c] + q1 * s1)


@kernel
def _smooth(am, af, a0, s0, a, s):
    """The scheme's own acceleration at the end of a step."""
    for n in range(a.shape[0]):
        for c in range(3):
            s[n, c] = ((1.0 - af) * a[n, c] + af * a0[n, c] - am * s0[n, c]) / (1.0 - am)


@kernel
def _rescale(a, s, factor):
    for n in range(a.shape[0]):
        for c in range(3):
            s[n, c] = a[n, c] + factor * (s[n, c] - a[n, c])


@kernel
def _newton(h, bp, gp, mesh, sea, work, tolerance):
    """Iterate the trial state to its equations; returns True if it got there.

    Exit by the predicted next error: corrections of Newton's method go as C e^2, and C is remembered.
    """
    x = work.trial
    clock = work.clock
    length = max(clock[SPEED], work.settings[SPEED_FLOOR]) * h
    tension = work.settings[TENSION_SCALE]
    curvature = clock[CURVATURE]
    before = 0.0
    for k in range(MOST_ITERATIONS):
        move, kick = newton_iteration(
            x.r, x.v, x.a, x.T, x.jr, x.jv, x.ja, work.flow, work.jflow, mesh, sea.water_density, sea.gravity, bp, gp,
            work.memory,
        )  # fmt: skip
        work.count[ITERATIONS] += 1
        error = max(move / length, kick / tension)
        if not np.isfinite(error):
            return False
        if k > 0:
            if k > 2 and error > DIVERGED * before:
                return False
            curvature = max(0.3 * curvature, error / (before * before))
            clock[CURVATURE] = curvature
        before = error
        if error <= tolerance or (curvature > 0.0 and curvature * error * error <= tolerance):
            return True
    return False


@kernel
def _difference(mesh, now, x, h, constant):
    """Largest over the lines of the mass-weighted root mean square of the step's velocity error (m/s), and of v."""
    worst = 0.0
    speed = 0.0
    for line in range(mesh.flipped.size):
        mass = 0.0
        error = 0.0
        energy = 0.0
        for n in range(mesh.node_start[line], mesh.node_start[line + 1]):
            m = mesh.node[n, MASS]
            mass += m
            for c in range(3):
                d = x.a[n, c] - now.a[n, c]
                error += m * d * d
                energy += m * x.v[n, c] * x.v[n, c]
        worst = max(worst, error / mass)
        speed = max(speed, energy / mass)
    return constant * h * np.sqrt(worst), np.sqrt(speed)


@kernel
def _radius(mesh, T, settings):
    """Spectral radius: as set, or by whether a line that cannot push is near slack."""
    if settings[RADIUS] >= 0.0:
        return settings[RADIUS]
    for e in range(T.size):
        if mesh.element[e, PUSHLESS] > 0.0 and T[e] < settings[SLACK_LEVEL]:
            return SLACK
    return SMOOTH


@kernel
def _try_step(h, mesh, sea, motions, work):
    """One step of length h from `now` into `trial`; returns converged, error (m/s), speed (m/s), shift (s)."""
    now, last, x = work.now, work.last, work.trial
    clock, settings = work.clock, work.settings
    scheme = int(settings[SCHEME])
    am, af, p0, p1, q0, q1, delta, constant = coefficients(scheme, _radius(mesh, now.T, settings))
    shift = delta * h
    if clock[LAST_SHIFT] != 0.0 and shift != clock[LAST_SHIFT]:
        factor = shift / clock[LAST_SHIFT]
        _rescale(now.a, now.smooth, factor)
        _rescale(now.ja, now.jsmooth, factor)
        clock[LAST_SHIFT] = shift
    f = h / clock[LAST_STEP] if clock[LAST_STEP] > 0.0 else 0.0
    f = min(f, 2.0)
    rule = (am, af, p0, p1, q0, q1)
    _predict(h, f, rule, now.r, now.v, now.a, now.smooth, last.a, x.r, x.v, x.a, x.smooth)
    _predict(h, f, rule, now.jr, now.jv, now.ja, now.jsmooth, last.ja, x.jr, x.jv, x.ja, x.jsmooth)
    for e in range(x.T.size):
        x.T[e] = now.T[e] + f * (now.T[e] - last.T[e])
    t = clock[TIME] + h
    move_junctions(t, mesh, motions, x, work.memory.dt)
    join_ends(x.r, x.v, x.a, x.jr, x.jv, x.ja, mesh)
    if sea.water_density > 0.0:
        water_at(x.r, t, sea, work.flow)
        water_at(x.jr, t, sea, work.jflow)
    bp = (1.0 - am) / (h * h * p1 * (1.0 - af))
    gp = q1 / (h * p1)
    tolerance = NEWTON_FIXED if settings[FIXED_STEP] > 0.0 else NEWTON_SHARE * settings[TOLERANCE]
    if not _newton(h, bp, gp, mesh, sea, work, tolerance):
        return False, 0.0, 0.0, shift
    _smooth(am, af, now.a, now.smooth, x.a, x.smooth)
    _smooth(am, af, now.ja, now.jsmooth, x.ja, x.jsmooth)
    error, speed = _difference(mesh, now, x, h, constant)
    return True, error, speed, shift


@kernel
def _accept(h, speed, shift, work):
    """Make the trial state the present one."""
    clock = work.clock
    work.last.a[:] = work.now.a
    work.last.ja[:] = work.now.ja
    work.last.T[:] = work.now.T
    copy_moving(work.trial, work.now)
    clock[TIME] += h
    clock[LAST_STEP] = h
    clock[LAST_SHIFT] = shift
    clock[SPEED] = max(speed, clock[SPEED] * np.exp(-h / SPEED_MEMORY))
    clock[SMALLEST] = min(clock[SMALLEST], h)
    clock[LARGEST] = max(clock[LARGEST], h)
    work.count[STEPS] += 1


@kernel
def advance_to(t_end, mesh, sea, motions, work):
    """Step to t_end; returns REACHED or STEP_TOO_SMALL. The one entry into compiled code of a run."""
    clock, settings, count = work.clock, work.settings, work.count
    fixed = settings[FIXED_STEP] > 0.0
    slip = 1e-9 * max(1.0, abs(t_end))
    cut = 1.0
    while clock[TIME] < t_end - slip:
        wanted = settings[FIXED_STEP] if fixed else min(clock[STEP], settings[MOST_STEP])
        rest = t_end - clock[TIME]
        h = rest / np.ceil(rest / wanted - 1e-6) * cut
        if h < settings[LEAST_STEP]:
            clock[FAIL_TIME] = clock[TIME]
            count[FAIL_ELEMENT] = _worst_element(mesh, work)
            return STEP_TOO_SMALL
        done, error, speed, shift = _try_step(h, mesh, sea, motions, work)
        if not done:
            count[FAILED] += 1
            clock[CURVATURE] = 0.0
            cut = cut * CUT if fixed else 1.0
            clock[STEP] = h * CUT
            clock[LAST_STEP] = 0.0 if count[FAILED] % 2 == 0 else clock[LAST_STEP]
            continue
        scale = max(speed, clock[SPEED], settings[SPEED_FLOOR])
        ratio = error / (scale * settings[TOLERANCE]) if not fixed else 0.0
        if ratio > REJECT_ABOVE and not fixed:
            count[REJECTED] += 1
            clock[STEP] = h * max(SHRINK, SAFETY / np.sqrt(ratio))
            continue
        _accept(h, speed, shift, work)
        cut = min(1.0, cut / CUT) if fixed else 1.0
        change = SAFETY / np.sqrt(max(ratio, 1e-6))
        clock[STEP] = max(clock[STEP], h) if change > 1.0 and h < 0.9 * clock[STEP] else h
        clock[STEP] *= min(GROWTH, max(SHRINK, change))
    return REACHED


@kernel
def _worst_element(mesh, work):
    """The element that Newton changed most, to name the place of a failure."""
    worst = 0
    largest = -1.0
    for e in range(work.now.T.size):
        d = abs(work.trial.T[e] - work.now.T[e])
        if not np.isfinite(d) or d > largest:
            largest = d if np.isfinite(d) else np.inf
            worst = e
    return worst
