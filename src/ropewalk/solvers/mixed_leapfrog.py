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
    FUSED,
    ZERO3,
    ZERO9,
    add3,
    add9,
    dot,
    invert,
    onto,
    scale3,
    scale9,
    solve_dense,
    sub3,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR, tension
from ropewalk.physics.seabed import STIFFNESS
from ropewalk.solvers.mixed_element import SHORTEST, water_on_half
from ropewalk.solvers.mixed_ledger import add_work, measure_power
from ropewalk.solvers.mixed_mesh import (
    ADDED,
    BED_AREA,
    DAMPING,
    FIRST,
    HALF_VOLUME,
    LAST,
    LENGTH,
    MASS,
    SLACK,
    SPRING,
    THICKNESS,
    TWO_SIDED,
    VOLUME,
)
from ropewalk.solvers.mixed_nodes import SPHERE, move_grip, node_terms
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
from ropewalk.solvers.mixed_sweep import end_jump, join_ends, jump, junction_terms

BLEW_UP, UNSTABLE = 2, 3  # outcomes, beside those of mixed_steps.py
STABLE = 0.8  # of the largest stable step: stiffness may change within one
ACCURATE = 3e-3  # tolerance at which the step is the stable one; errors go with the square of the step
# The kernels of the loads give derivatives by position, with factors for those by acceleration and velocity. Here
# positions are known already; with a factor this large (1/s2) what the forces depend on position is lost in the sum.
HUGE = 1e20

# entries of `gain` of `Elimination`, beside the inverse mass of a node in the first three rows and columns
TANGENT = 3  # column: of the element after the node
OWN, NEXT, FAR = 0, 1, 2  # row 3: its tension, that per tension of the next one, and per motion of the first end
# entries of the first row of `reach`, of the element after a node
STRETCH, LEVEL, RATE = 0, 1, 2  # strain; tension at it (N), and per change of acceleration along the element (kg)
MOST_TURNS = 10  # of elements between slack and taut, while damping is solved for; 1 or 2 are usual


def refuse_leapfrog(model: Model) -> None:
    """Raise InputError for what explicit steps cannot do."""
    for k in np.unique(model.lines.piece_section):
        if model.sections.law[k] == INEXTENSIBLE:
            raise InputError(
                f"run.integrator leapfrog: section '{model.names.sections[k]}' is inextensible, and explicit steps "
                "need a tension that follows from length; give it axial_stiffness, or use generalised_alpha"
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
            f"step {step:g} s is longer than {clock[STEP] / STABLE:.3g} s, the longest at which leapfrog is "
            "stable here; leave it out and the program will choose"
        )
    return "the numbers of leapfrog overflowed; try generalised_alpha"


@kernel(forceinline=True, fastmath=FUSED)
def _strain(e, i, j, r, v, element):
    """Unit tangent and length (m) of an element, and its strain with the damping's share of the rate."""
    L = element[e, LENGTH]
    d = (r[j, 0] - r[i, 0], r[j, 1] - r[i, 1], r[j, 2] - r[i, 2])
    span = max(np.sqrt(dot(d, d)), SHORTEST * L)
    t = scale3(1.0 / span, d)
    rate = (v[j, 0] - v[i, 0]) * t[0] + (v[j, 1] - v[i, 1]) * t[1] + (v[j, 2] - v[i, 2]) * t[2]
    return t, span, (span - L + element[e, DAMPING] * rate) / L


@kernel(forceinline=True, fastmath=FUSED)
def _law(e, stretch, is_slack, element, law, law_data):
    """Tension (N) of an element at a strain and its slope (N); it gives way if it is slack and cannot push."""
    slack = element[e, SLACK]
    if is_slack and slack > 0.0:
        return slack * stretch, slack
    start = law[e, 1]
    if law[e, 0] == LINEAR:
        return law_data[start] * stretch, law_data[start]
    return tension(stretch, law[e, 0], law_data, start, law[e, 2])


@kernel(forceinline=True)
def _tangent(i, gain):
    """Unit tangent of the element after node i."""
    return gain[i, 0, TANGENT], gain[i, 1, TANGENT], gain[i, 2, TANGENT]


@kernel(forceinline=True)
def _inverse_mass(i, gain):
    """Inverse of the mass of node i with its damping (1/kg)."""
    return (
        gain[i, 0, 0], gain[i, 0, 1], gain[i, 0, 2], gain[i, 1, 0], gain[i, 1, 1], gain[i, 1, 2], gain[i, 2, 0],
        gain[i, 2, 1], gain[i, 2, 2],
    )  # fmt: skip


@kernel(forceinline=True)
def _three(x, i):
    return x[i, 0], x[i, 1], x[i, 2]


@kernel(fastmath=FUSED)
def _forces(line, h, X, T, flow, mesh, rho, g, memory):
    """Forces and masses along a line, without its tension: into `gain`, `offset` and `reach`.

    The ends go to `end_block` and `end_right` (last), and to `far` (first). Returns the largest 2 sum(k)/m (1/s2), and
    the longest damping time (s).
    """
    r, v, a = X[0], X[1], X[2]
    gain, offset, reach, grip = memory.gain, memory.offset, memory.reach, memory.grip
    node, element, has_bed, bed, damping = mesh.node, mesh.element, mesh.has_bed, mesh.bed, mesh.mass_damping
    law, law_data, far = mesh.law, mesh.law_data, memory.far
    n0, e0 = mesh.node_start[line], mesh.element_start[line]
    n_elements = mesh.element_start[line + 1] - e0
    bp, gp = HUGE, 0.5 * h * HUGE
    R, K = node_terms(n0, r, v, a, flow, node, damping, has_bed, bed, rho, g, bp, gp, grip)
    fastest, slowest, k_before = 0.0, 0.0, 0.0
    for k in range(n_elements):
        i, j, e = n0 + k, n0 + k + 1, e0 + k
        t, span, stretch = _strain(e, i, j, r, v, element)
        pull, slope = _law(e, stretch, stretch < 0.0, element, law, law_data)
        Rn, Kn = node_terms(j, r, v, a, flow, node, damping, has_bed, bed, rho, g, bp, gp, grip)
        if rho > 0.0:
            Fa, Ca, _, _, _ = water_on_half(e, i, j, t, span, r, v, a, flow, element, rho, g, bp, gp)
            Fb, Cb, _, _, _ = water_on_half(e, j, i, t, span, r, v, a, flow, element, rho, g, bp, gp)
            R, K = sub3(R, Fa), add9(K, Ca)
            Rn, Kn = sub3(Rn, Fb), add9(Kn, Cb)
        stiffness = slope / element[e, LENGTH]
        reach[i, 0, STRETCH], reach[i, 0, LEVEL] = stretch, pull
        reach[i, 0, RATE] = 0.5 * h * element[e, DAMPING] * stiffness
        stiffness = max(stiffness, pull / span)
        fastest = max(fastest, 2.0 * (k_before + stiffness) / node[i, MASS])
        k_before, slowest = stiffness, max(slowest, element[e, DAMPING])
        P, y = ZERO9, ZERO3
        if k > 0:
            P, _ = invert(scale9(1.0 / HUGE, K))
            y = onto(P, scale3(-1.0, R))
        else:
            _keep(line, K, far)
            far[line, 0, 7], far[line, 1, 7], far[line, 2, 7] = -R[0], -R[1], -R[2]
        _keep(i, P, gain)
        for p in range(3):
            gain[i, p, TANGENT] = t[p]
            offset[i, p] = y[p]
        gain[i, 3, OWN], gain[i, 3, NEXT], gain[i, 3, FAR] = pull, 0.0, 0.0
        T[e] = pull
        R, K = Rn, Kn
    n = mesh.node_start[line + 1] - 1
    _keep(line, K, memory.end_block)
    _keep(n, ZERO9, gain)
    for p in range(3):
        memory.end_right[line, p] = -R[p]
        offset[n, p] = 0.0
    return max(fastest, 2.0 * k_before / node[n, MASS]), slowest


@kernel(forceinline=True)
def _keep(i, K, to):
    """Store a matrix of nine numbers in the corner of to[i]."""
    to[i, 0, 0], to[i, 0, 1], to[i, 0, 2] = K[0], K[1], K[2]
    to[i, 1, 0], to[i, 1, 1], to[i, 1, 2] = K[3], K[4], K[5]
    to[i, 2, 0], to[i, 2, 1], to[i, 2, 2] = K[6], K[7], K[8]


@kernel(fastmath=FUSED)
def _sweep_tensions(n0, n_elements, gain, offset, reach):
    r"""The way out of the tridiagonal system of a line's tensions.

    .. math:: T_e = T_e^0 + c_e\, t_e \cdot (\delta a_{e+1} - \delta a_e), \qquad
              \delta a_i = y_i + P_i (T_i t_i - T_{i-1} t_{i-1})

    Afterwards each is OWN + NEXT times the next + FAR times what the first end does along its element; the last
    has in NEXT what it changes by what the last end does along it.
    """
    t, t_before = _tangent(n0, gain), ZERO3
    Pt = ZERO3
    own, up, far = 0.0, 0.0, 0.0
    for k in range(n_elements):
        i, j = n0 + k, n0 + k + 1
        is_last = k == n_elements - 1
        t_next = t if is_last else _tangent(j, gain)
        P = _inverse_mass(j, gain)
        ahead = onto(P, t)  # zero at the last node, as its inverse mass
        c = reach[i, 0, RATE]
        low = c * dot(t_before, Pt)
        f = 1.0 / (1.0 + c * (dot(t, Pt) + dot(t, ahead)) - low * up)
        own = f * (reach[i, 0, LEVEL] + c * (dot(t, _three(offset, j)) - dot(t, _three(offset, i))) + low * own)
        far = f * (low * far - (c if k == 0 else 0.0))
        up = f * c * (1.0 if is_last else dot(t_next, ahead))
        gain[i, 3, OWN], gain[i, 3, NEXT], gain[i, 3, FAR] = own, up, far
        Pt = onto(P, t_next)
        t_before, t = t, t_next


@kernel(fastmath=FUSED)
def _find_tensions(line, h, T, mesh, memory):
    """The way back; elements that went slack or taut by it change their law. Returns how many did."""
    gain, reach, right = memory.gain, memory.reach, memory.right
    n0, e0 = mesh.node_start[line], mesh.element_start[line]
    last = mesh.node_start[line + 1] - 2
    along = HUGE * dot(end_jump(line, 0, mesh, right), _tangent(n0, gain))
    pull = HUGE * dot(end_jump(line, 1, mesh, right), _tangent(last, gain))
    element, law, law_data = mesh.element, mesh.law, mesh.law_data
    turns = 0
    for i in range(last, n0 - 1, -1):
        e = e0 + i - n0
        pull = gain[i, 3, OWN] + gain[i, 3, NEXT] * pull + gain[i, 3, FAR] * along
        was_slack = T[e] < 0.0
        T[e] = pull
        if element[e, SLACK] > 0.0 and (pull < 0.0) != was_slack:
            turns += 1
            reach[i, 0, LEVEL], slope = _law(e, reach[i, 0, STRETCH], pull < 0.0, element, law, law_data)
            reach[i, 0, RATE] = 0.5 * h * element[e, DAMPING] * slope / element[e, LENGTH]
    return turns


@kernel
def _add_line(line, mesh, memory):
    """Put the ends of a line into the dense system of the junctions (its masses times HUGE)."""
    A, b, lever = memory.matrix, memory.right, mesh.bodies.memory.lever[line]
    gain, D, far = memory.gain, memory.end_block, memory.far
    n0, n1 = mesh.node_start[line], mesh.node_start[line + 1] - 2  # where its first and last element begin
    own, by_last, by_first = gain[n1, 3, OWN], gain[n1, 3, NEXT], gain[n1, 3, FAR]
    i, j = mesh.line[line, FIRST], mesh.line[line, LAST]
    di, ni = mesh.dof_start[i], mesh.dof_start[i + 1] - mesh.dof_start[i]
    dj, nj = mesh.dof_start[j], mesh.dof_start[j + 1] - mesh.dof_start[j]
    t0, t1 = _tangent(n0, gain), _tangent(n1, gain)
    for d in range(nj):
        u = lever[1, d, 0] * t1[0] + lever[1, d, 1] * t1[1] + lever[1, d, 2] * t1[2]
        b[dj + d] -= u * own
        for p in range(3):
            b[dj + d] += lever[1, d, p] * memory.end_right[line, p]
        for c in range(nj):
            w = lever[1, c, 0] * t1[0] + lever[1, c, 1] * t1[1] + lever[1, c, 2] * t1[2]
            A[dj + d, dj + c] += HUGE * u * by_last * w
            for p in range(3):
                for q in range(3):
                    A[dj + d, dj + c] += lever[1, d, p] * D[line, p, q] * lever[1, c, q]
        for c in range(ni):
            w = lever[0, c, 0] * t0[0] + lever[0, c, 1] * t0[1] + lever[0, c, 2] * t0[2]
            A[dj + d, di + c] += HUGE * u * by_first * w
    if mesh.line[line, TWO_SIDED] == 0:
        return
    for n in range(n1 - 1, n0 - 1, -1):
        up = gain[n, 3, NEXT]
        own, by_last, by_first = gain[n, 3, OWN] + up * own, up * by_last, gain[n, 3, FAR] + up * by_first
    for d in range(ni):
        u = lever[0, d, 0] * t0[0] + lever[0, d, 1] * t0[1] + lever[0, d, 2] * t0[2]
        b[di + d] += u * own
        for p in range(3):
            b[di + d] += lever[0, d, p] * far[line, p, 7]
        for c in range(ni):
            w = lever[0, c, 0] * t0[0] + lever[0, c, 1] * t0[1] + lever[0, c, 2] * t0[2]
            A[di + d, di + c] -= HUGE * u * by_first * w
            for p in range(3):
                for q in range(3):
                    A[di + d, di + c] += lever[0, d, p] * far[line, p, q] * lever[0, c, q]
        for c in range(nj):
            w = lever[1, c, 0] * t1[0] + lever[1, c, 1] * t1[1] + lever[1, c, 2] * t1[2]
            A[di + d, dj + c] -= HUGE * u * by_last * w


@kernel(fastmath=FUSED)
def _correct_line(line, h, X, T, mesh, memory):
    """Change accelerations and velocities of a line by what its tensions do; False if they are not finite."""
    gain, offset = memory.gain, memory.offset
    v, a = X[1], X[2]
    n0, e0 = mesh.node_start[line], mesh.element_start[line]
    last = mesh.node_start[line + 1] - 2
    pulled = scale3(T[e0], _tangent(n0, gain))
    for i in range(n0 + 1, last + 1):
        pull = scale3(T[e0 + i - n0], _tangent(i, gain))
        x = add3(_three(offset, i), onto(_inverse_mass(i, gain), sub3(pull, pulled)))
        pulled = pull
        for p in range(3):
            a[i, p] += x[p]
            v[i, p] += 0.5 * h * x[p]
    return np.isfinite(T[e0] + v[last, 0] + v[last, 1] + v[last, 2])


@kernel
def _solve_junctions(h, X, flow, mesh, rho, g, memory):
    """Changes of acceleration of the free junctions (over HUGE) into `right`; False if they have no mass."""
    n_dofs, n_lines = mesh.dof.shape[0], mesh.line.shape[0]
    A, b = memory.matrix, memory.right
    junction_terms(X[0], X[1], X[2], flow, mesh, rho, g, HUGE, 0.5 * h * HUGE, A, b, memory.grip)
    for line in range(n_lines):
        A[n_dofs + line, n_dofs + line] = 1.0
        _add_line(line, mesh, memory)
    return solve_dense(A, b)


@kernel
def _solve_tensions(h, X, T, flow, mesh, rho, g, is_damped, memory):
    """Tensions, and changes of acceleration of the junctions; False if they cannot be found."""
    for _ in range(MOST_TURNS):
        turns = 0
        for line in range(mesh.line.shape[0]):
            n = mesh.element_start[line + 1] - mesh.element_start[line]
            if is_damped:
                _sweep_tensions(mesh.node_start[line], n, memory.gain, memory.offset, memory.reach)
        if mesh.dof.shape[0] > 0 and not _solve_junctions(h, X, flow, mesh, rho, g, memory):
            return False
        for line in range(mesh.line.shape[0]):
            turns += _find_tensions(line, h, T, mesh, memory)
        if turns == 0:
            break
    return True


@kernel
def leap(h, t, mesh, sea, motions, work):
    """One step of length h to time t in place; returns whether it stayed finite, and omega^2 of its lines (1/s2)."""
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
        f, tau = _forces(line, h, X, T, flow, mesh, rho, g, memory)
        fastest, slowest = max(fastest, f), max(slowest, tau)
    finite = _solve_tensions(h, X, T, flow, mesh, rho, g, slowest > 0.0, memory)
    for line in range(mesh.line.shape[0]):
        finite = _correct_line(line, h, X, T, mesh, memory) and finite
    if mesh.dof.shape[0] > 0:
        for j in range(mesh.motion.size):
            x = scale3(HUGE, jump(j, mesh, memory.right))
            for p in range(3):
                X[2, mesh.s.size + j, p] += x[p]
                X[1, mesh.s.size + j, p] += 0.5 * h * x[p]
        join_ends(X, mesh)
    return finite, fastest


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
    if count[STEPS] == 0:
        _, fastest = leap(0.0, clock[TIME], mesh, sea, motions, work)  # accelerations, and how long the steps may be
        clock[STEP] = share / np.sqrt(fastest + rest)
    if settings[FIXED_STEP] > clock[STEP] / STABLE:
        return UNSTABLE
    while clock[TIME] < t_end - slip:
        wanted = settings[FIXED_STEP] if settings[FIXED_STEP] > 0.0 else min(clock[STEP], settings[MOST_STEP])
        left = t_end - clock[TIME]
        h = left / np.ceil(left / wanted - 1e-6)
        finite, fastest = leap(h, clock[TIME] + h, mesh, sea, motions, work)
        if not finite:
            clock[FAIL_TIME] = clock[TIME]
            count[FAIL_ELEMENT] = _first_not_finite(work.now.T)
            return BLEW_UP
        before = clock[LAST_STEP] if count[STEPS] > 0 else 0.0
        clock[TIME] += h
        clock[LAST_STEP] = h
        clock[SMALLEST] = min(clock[SMALLEST], h)
        clock[LARGEST] = max(clock[LARGEST], h)
        clock[STEP] = share / np.sqrt(fastest + rest)
        count[STEPS] += 1
        count[ITERATIONS] += 1
        move_grip(work.now.X[0], work.now.X[1], mesh, work.memory.grip)
        if settings[LEDGER] > 0.0:
            measure_power(work.now.X, work.now.T, work.flow, mesh, sea.water_density, sea.gravity, work.memory.grip,
                          work.nodes, work.ledger)  # fmt: skip
            add_work(h, before, work.ledger)
    clock[TIME] = t_end
    return REACHED


@kernel
def _first_not_finite(T):
    """The element to name when numbers are lost."""
    for e in range(T.size):
        if not np.isfinite(T[e]):
            return e
    return 0
