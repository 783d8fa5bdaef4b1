r"""Explicit steps on the mixed elements, for snap loads at moderate stiffness: leapfrog, its damping implicit.

.. math::
    r_1 = r_0 + h v_0 + \tfrac12 h^2 a_0, \qquad v_1 = v_0 + \tfrac12 h (a_0 + a_1), \qquad
    M(r_1)\, a_1 = F(r_1, v_1),

that is central differences ([Hairer2003], sec. 1.3), with the tension from the law at each element. Forces that
depend on velocity (drag, Kelvin-Voigt damping, the bed's damping) are taken at v_1 by one linearised solve about its
prediction v_0 + h a_0: 3 x 3 at each node, and along each line a tridiagonal system for the tensions. So they keep the
second order and set no limit to the step, which is

.. math:: h < 2/\omega, \qquad \omega^2 \le \max_i \frac{2 \sum_{e \ni i} k_e}{m_i} + \omega_0^2

(Gershgorin), k_e being the axial stiffness of the elements at node i, and \omega_0 that of bed, surface and springs.
"""

from __future__ import annotations

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.numerics.blockelimination import (
    scale3,
    solve_dense,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics.elasticity import INEXTENSIBLE
from ropewalk.physics.seabed import STIFFNESS
from ropewalk.solvers.mixed_ledger import add_work, measure_power
from ropewalk.solvers.mixed_mesh import (
    ADDED,
    BED_AREA,
    HALF_VOLUME,
    MASS,
    SLACK,
    SPRING,
    THICKNESS,
    VOLUME,
)
from ropewalk.solvers.mixed_nodes import SPHERE, move_grip
from ropewalk.solvers.mixed_steps import (
    FAIL_ELEMENT,
    FAIL_TIME,
    FIXED_STEP,
    ITERATIONS,
    LARGEST,
    LAST_STEP,
    LEDGER,
    MOST_STEP,
    REACHED,
    SMALLEST,
    STEP,
    STEPS,
    TIME,
    TOLERANCE,
    move_junctions,
    water_at,
)
from ropewalk.solvers.mixed_sweep import join_ends, jump, junction_terms
from ropewalk.solvers.mixed_tensions import HUGE, add_line, correct_line, find_tensions, forces, sweep_tensions

BLEW_UP, UNSTABLE = 2, 3  # outcomes, beside those of mixed_steps.py
STABLE = 0.8  # of the largest stable step: stiffness may change within one
# A line that snaps gains energy where its law has a kink, as (omega h)^2. Damping takes it away, if there is some:
BARE = 0.5  # damping time times omega, below which there is not
SHORTER = 0.3  # share of the step that is left then
ACCURATE = 3e-3  # tolerance at which the step is the stable one; errors go with the square of the step
MOST_TURNS = 10  # of elements between slack and taut, while damping is solved for; 1 or 2 are usual


def refuse_leapfrog(model: Model) -> None:
    """Raise InputError for what explicit steps cannot do."""
    for k in np.unique(model.lines.piece_section):
        if model.sections.law[k] == INEXTENSIBLE:
            raise InputError(
                f"run.integrator leapfrog: section '{model.names.sections[k]}' is inextensible, and explicit steps "
                "need a tension that follows from length; give it axial_stiffness, or use generalised_alpha"
            )
    lines = model.lines
    if lines.winches.line.size or lines.breaks.line.size or lines.load_kind.size:
        raise InputError(
            "run.integrator leapfrog: winches, lines that part and distributed loads are only in the implicit steps; "
            "use generalised_alpha"
        )
    for k, name in enumerate(model.names.bodies):
        if model.bodies.joint[k] == LOOSE:
            raise InputError(
                f"run.integrator leapfrog: body '{name}' is free, and leapfrog moves lines and points only; "
                "use generalised_alpha"
            )


def leapfrog_message(outcome: int, clock: Array, step: float | None) -> str:
    """Why leapfrog stopped, as far as the clock tells."""
    if outcome == UNSTABLE:
        return (
            f"step {step:g} s is longer than {clock[STEP]:.3g} s, the longest at which leapfrog is "
            "stable here; leave it out and the program will choose"
        )
    return "the numbers of leapfrog overflowed; try generalised_alpha"


@kernel
def _solve_junctions(h, X, flow, mesh, rho, g, memory):
    """Changes of acceleration of the free junctions (over HUGE) into `right`; False if they have no mass."""
    n_dofs, n_lines = mesh.dof.shape[0], mesh.line.shape[0]
    A, b = memory.matrix, memory.right
    junction_terms(X[0], X[1], X[2], flow, mesh, rho, g, HUGE, 0.5 * h * HUGE, A, b, memory.grip)
    for line in range(n_lines):
        A[n_dofs + line, n_dofs + line] = 1.0
        add_line(line, mesh, memory)
    return solve_dense(A, b)


@kernel
def _solve_tensions(h, X, T, flow, mesh, rho, g, is_damped, memory):
    """Tensions, and changes of acceleration of the junctions; False if they cannot be found."""
    for _ in range(MOST_TURNS):
        turns = 0
        for line in range(mesh.line.shape[0]):
            n = mesh.element_start[line + 1] - mesh.element_start[line]
            if is_damped:
                sweep_tensions(mesh.node_start[line], n, memory.gain, memory.offset, memory.reach)
        if mesh.dof.shape[0] > 0 and not _solve_junctions(h, X, flow, mesh, rho, g, memory):
            return False
        for line in range(mesh.line.shape[0]):
            turns += find_tensions(line, h, T, mesh, memory)
        if turns == 0:
            break
    return True


@kernel
def leap(h, t, mesh, sea, motions, work):
    """One step of length h to time t in place.

    Returns whether it stayed finite, omega^2 of the lines (1/s2), and their longest damping time (s).
    """
    X, T, memory, flow = work.now.X, work.now.T, work.memory, work.flow
    rho, g = sea.water_density, sea.gravity
    for n in range(mesh.s.size + mesh.motion.size):
        for p in range(3):
            X[0, n, p] += h * (X[1, n, p] + 0.5 * h * X[2, n, p])
            X[1, n, p] += h * X[2, n, p]
    move_junctions(t, mesh, motions, X)
    water_at(X[0], t, sea, flow)
    fastest, slowest = 0.0, 0.0
    for line in range(mesh.line.shape[0]):
        f, tau = forces(line, h, X, T, flow, mesh, rho, g, memory)
        fastest, slowest = max(fastest, f), max(slowest, tau)
    finite = _solve_tensions(h, X, T, flow, mesh, rho, g, slowest > 0.0, memory)
    for line in range(mesh.line.shape[0]):
        finite = correct_line(line, h, X, T, mesh, memory) and finite
    if mesh.dof.shape[0] > 0:
        for j in range(mesh.motion.size):
            x = scale3(HUGE, jump(j, mesh, memory.right))
            for p in range(3):
                X[2, mesh.s.size + j, p] += x[p]
                X[1, mesh.s.size + j, p] += 0.5 * h * x[p]
        join_ends(X, mesh)
    return finite, fastest, slowest


@kernel
def other_stiffness(mesh, sea):
    """Largest square of a frequency (1/s2) that the bed, the surface and the springs of points add to the lines'."""
    largest = 0.0
    node, rho, g = mesh.node, sea.water_density, sea.gravity
    for n in range(mesh.node.shape[0]):
        m = node[n, MASS]
        if m <= 0.0:
            continue
        total = mesh.bed[4 + STIFFNESS] * node[n, BED_AREA] / m if mesh.has_bed else 0.0
        if node[n, VOLUME] > 0.0:
            radius = (SPHERE * node[n, VOLUME]) ** (1.0 / 3.0)
            total += 0.75 * rho * g * node[n, VOLUME] / (radius * (m + node[n, ADDED]))
        largest = max(largest, total)
    surface = 0.0
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for k in range(mesh.element_start[line + 1] - e0):
            lift = rho * g * mesh.element[e0 + k, HALF_VOLUME] / mesh.element[e0 + k, THICKNESS]
            surface = max(surface, 2.0 * lift / min(node[n0 + k, MASS], node[n0 + k + 1, MASS]))
    spring = 0.0
    for j in range(mesh.motion.size):
        m = node[mesh.s.size + j, MASS]
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            if mesh.dof[d, SPRING] > 0.0 and m > 0.0:
                spring = max(spring, mesh.dof[d, SPRING] / m)
    return largest + surface + spring


@kernel
def leap_to(t_end, mesh, sea, motions, work):
    """Step to t_end by leapfrog; returns REACHED or BLEW_UP. The one entry into compiled code of such a run."""
    clock, settings, count = work.clock, work.settings, work.count
    slip = 1e-9 * max(1.0, abs(t_end))
    if clock[TIME] >= t_end - slip:
        return REACHED
    rest = other_stiffness(mesh, sea)
    share = 2.0 * STABLE * min(1.0, np.sqrt(settings[TOLERANCE] / ACCURATE))
    is_first = count[STEPS] == 0  # to be moved by nothing: for the accelerations at the start
    while clock[TIME] < t_end - slip:
        wanted = settings[FIXED_STEP] if settings[FIXED_STEP] > 0.0 else min(clock[STEP], settings[MOST_STEP])
        left = t_end - clock[TIME]
        h = 0.0 if is_first else left / np.ceil(left / wanted - 1e-6)
        finite, fastest, slowest = leap(h, clock[TIME] + h, mesh, sea, motions, work)
        if not finite:
            clock[FAIL_TIME] = clock[TIME]
            count[FAIL_ELEMENT] = _first_not_finite(work.now.T)
            return BLEW_UP
        clock[STEP] = share * _bare_share(slowest * np.sqrt(fastest), mesh) / np.sqrt(fastest + rest)
        if is_first:
            is_first = False
            longest = 2.0 / np.sqrt(fastest + rest)
            if settings[FIXED_STEP] > longest:
                clock[STEP] = longest
                return UNSTABLE
            continue
        before = clock[LAST_STEP] if count[STEPS] > 0 else 0.0
        clock[TIME] += h
        clock[LAST_STEP] = h
        clock[SMALLEST] = min(clock[SMALLEST], h)
        clock[LARGEST] = max(clock[LARGEST], h)
        count[STEPS] += 1
        count[ITERATIONS] += 1
        move_grip(work.now.X[0], work.now.X[1], mesh, work.memory.grip)
        if settings[LEDGER] > 0.0:
            measure_power(work.now.X, work.now.T, work.flow, mesh, sea.water_density, sea.gravity, work.memory.grip,
                          work.nodes, work.ledger)  # fmt: skip
            add_work(h, before, work.ledger)
    clock[TIME] = t_end
    return REACHED


@kernel(forceinline=True)
def _bare_share(damping, mesh):
    """Share of the step that lines may take which have hardly any damping and can go slack."""
    if damping > BARE:
        return 1.0
    element = mesh.element
    for e in range(element.shape[0]):
        if element[e, SLACK] > 0.0:
            return SHORTER
    return 1.0


@kernel
def _first_not_finite(T):
    """The element to name when numbers are lost."""
    for e in range(T.size):
        if not np.isfinite(T[e]):
            return e
    return 0
