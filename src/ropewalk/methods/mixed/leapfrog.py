r"""Explicit steps on the mixed elements, for snap loads at moderate stiffness: leapfrog, its damping implicit.

.. math::
    r_1 = r_0 + h v_0 + \tfrac12 h^2 a_0, \qquad v_1 = v_0 + \tfrac12 h (a_0 + a_1), \qquad
    M(r_1)\, a_1 = F(r_1, v_1),

that is central differences ([Hairer2003], sec. 1.3), with the tension from the law at each element. Forces that
depend on velocity (drag, Kelvin-Voigt damping, the bed's damping) are taken at v_1 by one linearised solve about its
prediction v_0 + h a_0: 3 x 3 at each node, and along each line a tridiagonal system for the tensions. So they keep the
second order and set no limit to the step, which is

.. math:: h < 2/\omega, \qquad \omega^2 \le \max_i \frac{1}{m_i}
          \left\| 2 \sum_{e \ni i} k_e\, t_e t_e^T + k_b\, n n^T \right\| + \omega_0^2

because :math:`k (t \cdot (u_j - u_i))^2 \le 2 k (t \cdot u_i)^2 + 2 k (t \cdot u_j)^2` for each element: k_e is the
axial stiffness of the elements at node i and t_e their tangents, k_b the stiffness of the bed where the node touches
it, n its normal, and \omega_0 belongs to the surface and the springs of points.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.assembly.element import instant, three
from ropewalk.assembly.given import put_given
from ropewalk.errors import InputError
from ropewalk.loads.float import steepest
from ropewalk.loads.given import spring_pull
from ropewalk.loads.grip import friction_of
from ropewalk.loads.sea import is_still, water_at
from ropewalk.methods.mixed.breakage import parting_element
from ropewalk.methods.mixed.ledger_forces import add_step, begin, measure_lines
from ropewalk.methods.mixed.nodes import move_grip
from ropewalk.methods.mixed.steps import (
    PARTED,
    REACHED,
    move_junctions,
)
from ropewalk.methods.mixed.sweep import end_jump, join_ends, jump, junction_terms
from ropewalk.methods.mixed.tensions import (
    FREE_END,
    HUGE,
    LEAP,
    MOST_TURNS,
    Leap,
    add_line,
    correct,
    find_tensions,
    forces,
    held_tensions,
    sweep_tensions,
)
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED, ZERO3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.dense import solve_scaled
from ropewalk.physics.elasticity import INEXTENSIBLE
from ropewalk.physics.in_time import value_at
from ropewalk.physics.ropes import NO_MEMORY

BLEW_UP, UNSTABLE = 2, 3  # outcomes, beside those of steps.py
STABLE = 0.9  # of the largest stable step: stiffness may change within one
# A line that snaps gains energy where its law has a kink, as (omega h)^2. Damping takes it away, if there is some:
BARE = 0.5  # damping time times omega, below which there is not
SHORTER = 0.3  # share of the step that is left then
ACCURATE = 3e-3  # tolerance at which the step is the stable one; errors go with the square of the step


def refuse_leapfrog(model: Model) -> None:
    """Raise InputError for what explicit steps cannot do."""
    for k in np.unique(model.lines.piece_section):
        if model.sections.law[k] == INEXTENSIBLE:
            raise InputError(
                f"run.integrator leapfrog: section '{model.names.sections[k]}' is inextensible, and explicit steps "
                "need a tension that follows from length; give it axial_stiffness, or use generalised_alpha"
            )
        if model.sections.rope.kind[k] != NO_MEMORY:
            raise InputError(
                f"run.integrator leapfrog: section '{model.names.sections[k]}' is a rope with memory, which "
                "only the implicit steps support; use generalised_alpha"
            )
        if model.sections.lift.coefficient[k] > 0.0:
            raise InputError(
                f"run.integrator leapfrog: section '{model.names.sections[k]}' has vortex-induced lift, which "
                "only the implicit steps support; use generalised_alpha"
            )
    if model.links.names:
        raise InputError(
            f"run.integrator leapfrog: link '{model.links.names[0]}' holds bodies, and leapfrog moves lines and points "
            "only; use generalised_alpha"
        )
    if model.lines.winches.line.size:
        raise InputError("run.integrator leapfrog: only the implicit steps support winches; use generalised_alpha")
    for k, name in enumerate(model.names.bodies):
        if model.bodies.joint[k] == LOOSE:
            raise InputError(
                f"run.integrator leapfrog: body '{name}' is free, and leapfrog moves lines and points only; "
                "use generalised_alpha"
            )


def leapfrog_message(outcome: int, clock: Any, step: float | None) -> str:
    """Why leapfrog stopped, from the clock."""
    if outcome == UNSTABLE:
        return (
            f"step {step:g} s is longer than {clock.step:.3g} s, the longest at which leapfrog is "
            "stable here; leave it out for automatic steps"
        )
    return "the numbers of leapfrog overflowed; try generalised_alpha"


@kernel(forceinline=True, **UNCOUNTED)
def _move_held(t, mesh, motions, X):
    """Put the moved junctions where they are at time t (s); those that are held stay there.

    Source: definition, r = r_ref + u(t), with v and a from the functions of the case.
    """
    which, reference, n_nodes = mesh.motion, mesh.reference, mesh.s.size
    for j in range(which.size):
        if which[j] < 0 or mesh.dof_start[j] < mesh.dof_start[j + 1]:
            continue
        for p in range(3):
            function = motions.function[which[j], p]
            moved = value_at(t, function, motions.functions) if function >= 0 else ZERO3
            X[0, n_nodes + j, p] = reference[j, p] + moved[0]
            X[1, n_nodes + j, p] = moved[1]
            X[2, n_nodes + j, p] = moved[2]


@kernel(fastmath=FUSED, **UNCOUNTED)
def _predict(n, h, r, v, a):
    """Positions (m) at the end of a step, and velocities (m/s) as if accelerations stayed; n rows.

    Source: r_1 = r_0 + h v_0 + h^2 a_0/2, v_1 = v_0 + h a_0; [Hairer2003], sec. 1.3.
    """
    for i in range(n):
        for p in range(3):
            r[i, p] += h * (v[i, p] + 0.5 * h * a[i, p])
            v[i, p] += h * a[i, p]


@kernel(**UNCOUNTED)
def _solve_tensions(h, now, mesh, fluid, is_damped, memory, leap):
    """Tensions (N), and changes of acceleration of free junctions (over HUGE) into `right`; False if there are none.

    Source: docs/theory/mixed_elements.md, Leapfrog: M da = F + G T with T = T_0 + c t . (da_2 - da_1).
    """
    A, right, n_dofs, lines, node = memory.matrix, memory.right, mesh.dof.shape[0], mesh.line, leap.node
    for _ in range(MOST_TURNS):
        junction_terms(now, mesh, fluid, (HUGE, 0.5 * h * HUGE), memory)
        for k in range(lines.shape[0]):
            if is_damped:
                sweep_tensions(mesh.node_start[k], mesh.element_start[k + 1] - mesh.element_start[k], node)
            A[n_dofs + k, n_dofs + k] = 1.0
            add_line(k, mesh, leap, A, right)
        if not solve_scaled(A, right):
            return False
        turns = 0
        for k in range(lines.shape[0]):
            n0, n1 = mesh.node_start[k], mesh.node_start[k + 1] - 2
            first, last = end_jump(k, 0, mesh, right), end_jump(k, 1, mesh, right)
            t0, t1 = node[n0].tangent, node[n1].tangent
            along = HUGE * dot(first, (t0[0], t0[1], t0[2]))
            ahead = HUGE * dot(last, (t1[0], t1[1], t1[2]))
            turns += find_tensions(k, along, ahead, now.T, mesh, node)
        if turns == 0:
            break
    for j in range(mesh.motion.size):
        x = scale3(HUGE, jump(j, mesh, right))
        for p in range(3):
            now.a[mesh.s.size + j, p] += x[p]
            now.v[mesh.s.size + j, p] += 0.5 * h * x[p]
    return True


@kernel
def surface_stiffness(mesh, sea):
    r"""Largest square of a frequency (1/s2) that the surface adds to the lines'.

    .. math:: \omega_0^2 = \max \frac{\rho g A_w}{m + m_a} + \max \frac{2 \rho g V_h}{d\,m}

    Source: docs/theory/mixed_elements.md, Leapfrog.
    """
    largest = 0.0
    node, rho, g = mesh.node, sea.water_density, sea.gravity
    for n in range(mesh.node.shape[0]):
        m = node[n].mass
        if m <= 0.0:
            continue
        total = 0.0
        if node[n].volume > 0.0:
            total += rho * g * steepest(node[n].volume) / (m + node[n].added)
        largest = max(largest, total)
    surface = 0.0
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for k in range(mesh.element_start[line + 1] - e0):
            lift = rho * g * mesh.element[e0 + k].half_volume / mesh.element[e0 + k].thickness
            surface = max(surface, 2.0 * lift / min(node[n0 + k].mass, node[n0 + k + 1].mass))
    return largest + surface


@kernel(**UNCOUNTED)
def spring_stiffness(r, mesh):
    r"""Largest square of a frequency (1/s2) that the springs of points add to the lines'.

    .. math:: \omega^2 = \max k / m

    Source: docs/theory/mixed_elements.md, Leapfrog.

    r : (n_rows, 3) m
    """
    spring = 0.0
    for j in range(mesh.motion.size):
        m = mesh.node[mesh.s.size + j].mass
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            if m > 0.0:
                way = sub3(three(r, mesh.s.size + j), three(mesh.reference, j))
                spring = max(spring, spring_pull(mesh.dof[d], way)[1] / m)
    return spring


@kernel
def leap_to(t_end, mesh, sea, motions, work):
    """Step to t_end (s) by leapfrog; returns REACHED, PARTED (a limit of tension was passed), BLEW_UP or UNSTABLE.

    Bookkeeping: calls `_leap`; the one entry into compiled code of such a run.
    """
    scratch = Leap(np.empty(mesh.s.size, dtype=LEAP), np.empty((mesh.line.shape[0], 2), dtype=FREE_END))
    return _leap(t_end, mesh, sea, motions, work, scratch)


@kernel(forceinline=True, **UNCOUNTED)
def _move(t, h, mesh, sea, motions, work):
    """Positions (m) at the end t of a step h (s), velocities as predicted, and the water there.

    Source: r_1 = r_0 + h v_0 + h^2 a_0/2, [Hairer2003], sec. 1.3.
    """
    X, n_rows = work.now.X, mesh.s.size + mesh.motion.size
    _predict(n_rows, h, X[0], X[1], X[2])
    if mesh.bodies.body.shape[0] > 0:
        move_junctions(t, mesh, motions, X)
    else:
        put_given(t, mesh)
        _move_held(t, mesh, motions, X)
        join_ends(X, mesh)
    if sea.water_density > 0.0 and not is_still(sea):
        water_at(X[0], t, sea, work.flow)


@kernel(forceinline=True, **UNCOUNTED)
def _accelerate(h, now, mesh, fluid, work, leap):
    """Accelerations, velocities and tensions at the end of a step; whether all is finite, and as `forces`."""
    n_dofs = mesh.dof.shape[0]
    fastest, slowest = forces(h, now, mesh, fluid, work.memory.grip, leap, work.waters)
    if n_dofs > 0:
        finite = _solve_tensions(h, now, mesh, fluid, slowest > 0.0, work.memory, leap)
    else:
        finite = slowest == 0.0 or held_tensions(now.T, mesh, leap.node)
    finite = correct(h, now, mesh, leap.node) and finite
    if n_dofs > 0:
        join_ends(work.now.X, mesh)
    return finite, fastest, slowest


@kernel(**UNCOUNTED)
def _leap(t_end, mesh, sea, motions, work, leap):
    """As `leap_to` (s).  leap : `Leap`, scratch

    Source: [Hairer2003], sec. 1.3: h < 2/omega, with the bound of the heading of this file.
    """
    clock, settings, count = work.clock[0], work.settings[0], work.count[0]
    slip = 1e-9 * max(1.0, abs(t_end))
    if clock.time >= t_end - slip:
        return REACHED
    now, fluid = instant(work.now.X, work.now.T, work.flow), (sea.water_density, sea.gravity)
    element, grip, ledger, keeps = mesh.element, work.memory.grip, work.ledger, settings.ledger > 0.0
    has_friction, may_part = friction_of(grip) > 0.0 and mesh.has_bed, _may_part(element)
    rest = surface_stiffness(mesh, sea)
    share = STABLE * min(1.0, np.sqrt(settings.tolerance / ACCURATE))
    is_first = count.steps == 0  # to be moved by nothing: for the accelerations at the start
    fixed, most, time, wanted = settings.fixed_step, settings.most_step, clock.time, clock.step
    while time < t_end - slip:
        wanted = fixed if fixed > 0.0 else min(wanted, most)
        left = t_end - time
        h = 0.0 if is_first else left / np.ceil(left / wanted - 1e-6)
        _move(time + h, h, mesh, sea, motions, work)
        finite, fastest, slowest = _accelerate(h, now, mesh, fluid, work, leap)
        if not finite:
            clock.fail_time = time
            count.fail_element = _first_not_finite(now.T)
            return BLEW_UP
        longest = 2.0 / np.sqrt(fastest + rest + spring_stiffness(now.r, mesh))
        wanted = share * longest * _bare_share(slowest * np.sqrt(fastest), element)
        if is_first and fixed > longest:
            clock.step = longest
            return UNSTABLE
        if keeps:
            measure_lines(now, mesh, fluid, grip, ledger, work.forces, work.halves)
        if is_first:
            is_first = False
            if keeps:
                begin(ledger)
            continue
        time += h
        _count_step(h, time, wanted, clock, count)
        if keeps:
            add_step(h, 0.0, ledger)
        if has_friction:
            move_grip(now.r, now.v, mesh, grip)
        if may_part:
            parted = parting_element(now.T, element)
            if parted >= 0:
                count.fail_element = parted
                return PARTED
    clock.time = t_end
    return REACHED


@kernel(forceinline=True, **UNCOUNTED)
def _count_step(h, time, wanted, clock, count):
    """Enter a finished step of length h (s), and the next one, into the clock. Bookkeeping."""
    clock.time, clock.step, clock.last_step = time, wanted, h
    clock.smallest = min(clock.smallest, h)
    clock.largest = max(clock.largest, h)
    count.steps += 1
    count.iterations += 1


@kernel(**UNCOUNTED)
def _may_part(element):
    """Whether an element has a limit of tension. Bookkeeping."""
    least = np.inf
    for e in range(element.shape[0]):
        least = min(least, element[e].limit)
    return least < np.inf


@kernel(forceinline=True, **UNCOUNTED)
def _bare_share(damping, element):
    """Share of the stable step: SHORTER for lines that have hardly any damping (s) and can go slack, else 1.

    Source: docs/theory/mixed_elements.md, Leapfrog: damping <= BARE.
    """
    if damping > BARE:
        return 1.0
    for e in range(element.shape[0]):
        if element[e].slack > 0.0:
            return SHORTER
    return 1.0


@kernel(**UNCOUNTED)
def _first_not_finite(T):
    """The first element whose tension is not finite, for the message. Bookkeeping."""
    for e in range(T.size):
        if not np.isfinite(T[e]):
            return e
    return 0
