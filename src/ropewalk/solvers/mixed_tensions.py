"""Forces and tensions of the mixed elements for explicit steps: what each line does when its positions are known."""

from __future__ import annotations

import numpy as np

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
    sub3,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics.elasticity import LINEAR, tension
from ropewalk.solvers.mixed_element import SHORTEST, water_on_half
from ropewalk.solvers.mixed_mesh import (
    DAMPING,
    FIRST,
    LAST,
    LENGTH,
    MASS,
    SLACK,
    TWO_SIDED,
)
from ropewalk.solvers.mixed_nodes import node_terms
from ropewalk.solvers.mixed_sweep import end_jump

# The kernels of the loads give derivatives by position, with factors for those by acceleration and velocity. Here
# positions are known already; with a factor this large (1/s2) what the forces depend on position is lost in the sum.
HUGE = 1e20

# entries of `gain` of `Elimination`, beside the inverse mass of a node in the first three rows and columns
TANGENT = 3  # column: of the element after the node
OWN, NEXT, FAR = 0, 1, 2  # row 3: its tension, that per tension of the next one, and per motion of the first end
# entries of the first row of `reach`, of the element after a node
STRETCH, LEVEL, RATE = 0, 1, 2  # strain; tension at it (N), and per change of acceleration along the element (kg)


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
def forces(line, h, X, T, flow, mesh, rho, g, memory):
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
def sweep_tensions(n0, n_elements, gain, offset, reach):
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
def find_tensions(line, h, T, mesh, memory):
    """The way back; elements that went slack or taut by it change their law. Returns how many did."""
    gain, reach, right = memory.gain, memory.reach, memory.right
    n0, e0 = mesh.node_start[line], mesh.element_start[line]
    last = mesh.node_start[line + 1] - 2
    along, pull = 0.0, 0.0
    if mesh.dof.shape[0] > 0:
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
def add_line(line, mesh, memory):
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
def correct_line(line, h, X, T, mesh, memory):
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
