r"""Forces and tensions of the mixed elements for explicit steps: what each line does when its positions are known.

Loops take no slices and count no references: that costs as much as the mechanics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.element import three
from ropewalk.loads.bed import ground, penetration
from ropewalk.loads.given import load_on_half
from ropewalk.loads.grip import friction_of
from ropewalk.loads.point import is_bare
from ropewalk.methods.mixed.leap_water import (
    chord_of,
    may_share,
    water_of,
    water_one_by_one,
    water_side_by_side,
)
from ropewalk.methods.mixed.nodes import add_inertia, lumps_of, node_terms
from ropewalk.model.arrays import Records
from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
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
from ropewalk.numerics.lanes import WIDTH
from ropewalk.physics.elasticity import LINEAR, tension

# The kernels of the loads give derivatives by position, with factors for those by acceleration and velocity. Here
# positions are known already; with a factor this large (1/s2) what the forces depend on position is lost in the sum.
HUGE = 1e20
MOST_TURNS = 10  # of elements between slack and taut, while damping is solved for; 1 or 2 are usual

# memory of one step: of a node, and of the element after it
LEAP = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("inverse", "f8", (9,)),  # of the node's mass with its damping, 1/kg; between the ends of a line
                ("change", "f8", (3,)),  # of its acceleration without tension, m/s2
                ("tangent", "f8", (3,)),
                ("stretch", "f8"),  # strain
                ("level", "f8"),  # tension at it, N
                ("rate", "f8"),  # of tension per change of acceleration along the element, kg
                ("reach", "f8"),  # strain per change of acceleration along the element, through its damping, s2/m
                ("own", "f8"),  # tension, N
                ("next", "f8"),  # tension per tension of the next element
                ("far", "f8"),  # tension per motion of the first end
            ],
            align=True,
        ),
    )
)  # fields by name, also without the compiler
FREE_END = np.dtype((np.record, [("mass", "f8", (9,)), ("force", "f8", (3,))]))  # with damping, kg; without tension, N


class Leap(NamedTuple):
    """Memory of one step."""

    node: Records  # (n_nodes,) of LEAP
    end: Records  # (n_lines, 2) of FREE_END; filled where an end may move


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _law(element, stretch, is_slack, law_data):
    """Tension (N) of an element (record) at a strain and its slope (N); it gives way if it is slack and cannot push.

    Source: T = T(e), and T = k_s e where slack; docs/theory/mixed_elements.md, Elements.
    """
    slack = element.slack
    if is_slack and slack > 0.0:
        return slack * stretch, slack
    start = element.law_start
    if element.law == LINEAR:
        return law_data[start] * stretch, law_data[start]
    return tension(stretch, element.law, law_data, start, element.law_stop)


@kernel(forceinline=True, **UNCOUNTED)
def _three(x):
    """A vector as a tuple. Bookkeeping."""
    return x[0], x[1], x[2]


@kernel(forceinline=True, **UNCOUNTED)
def _nine(x):
    """A matrix as a tuple. Bookkeeping."""
    return x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]


@kernel(forceinline=True, **UNCOUNTED)
def _keep(leap, K, y):
    """Store matrix and vector of a node (record of LEAP). Bookkeeping."""
    for p in range(9):
        leap.inverse[p] = K[p]
    for p in range(3):
        leap.change[p] = y[p]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _node(n, h, now, lumps, fluid):
    """Inertia minus forces of what is lumped at a node (N), its mass with damping (kg), stiffness of the bed (N/m).

    Source: docs/theory/mixed_elements.md, Leapfrog: R = m (a + c v + g e_z) - F, M + h D/2.

    The stiffness is that across the bed, and that of friction along it.
    """
    node, bed = lumps.node[n], lumps.bed
    touches = lumps.has_bed and node.bed_area > 0.0 and penetration(bed, three(now.r, n), node.radius) > 0.0
    if touches or not is_bare(node):
        R, K = node_terms(n, now, lumps, fluid, (HUGE, 0.5 * h * HUGE))
        area = node.bed_area if touches else 0.0
        shear = bed.law[0].shear * area if friction_of(lumps.grip) > 0.0 else 0.0
        return R, scale9(1.0 / HUGE, K), bed.law[0].stiffness * area, shear
    given, field = (node.force[0], node.force[1], node.force[2]), (lumps.mass_damping, fluid[1])
    F, M = add_inertia(ZERO3, ZERO9, n, now, (node.mass, given), field, (1.0, 0.5 * h))
    return scale3(-1.0, F), M, 0.0, 0.0


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _square(k, k_geometric, k_bed, lean, m):
    r"""Bound of the square of the frequencies (1/s2) at a node.

    Source: largest eigenvalue of A t t^T + B n n^T, and G; the heading of leapfrog.py.

    .. math:: \omega^2 m \le \frac{A + B}{2} + \sqrt{\frac{(A - B)^2}{4} + A B\, (t \cdot n)^2} + G

    k, k_geometric : twice the sums of the axial and geometric stiffness of its elements (A, G), N/m; G with friction's
    k_bed : of the bed (B), N/m    lean : larger (t \cdot n)^2 of its elements    m : kg
    """
    if k_bed > 0.0:
        d = 0.5 * (k - k_bed)
        k = 0.5 * (k + k_bed) + np.sqrt(d * d + k * k_bed * lean)
    return (k + k_geometric) / m


@kernel(forceinline=True, **UNCOUNTED)
def _keep_end(end, K, y):
    """Store matrix and vector of an end (record of FREE_END). Bookkeeping."""
    for p in range(9):
        end.mass[p] = K[p]
    for p in range(3):
        end.force[p] = y[p]


@kernel(forceinline=True, **UNCOUNTED)
def forces(h, now, mesh, fluid, grip, leap, water):
    """As `_line_forces`, of all lines."""
    fastest, slowest = 0.0, 0.0
    shares = may_share(mesh.element)
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        count = mesh.element_start[line + 1] - e0
        if shares and count >= WIDTH:
            water_side_by_side(n0, e0, count, now, mesh.element, fluid, 0.5 * h, water)
        else:
            water_one_by_one(n0, e0, count, now, mesh.element, fluid, 0.5 * h, water)
        f, tau = _line_forces(line, h, now, mesh, fluid, grip, leap, water)
        fastest, slowest = max(fastest, f), max(slowest, tau)
    return fastest, slowest


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _line_forces(line, h, now, mesh, fluid, grip, leap, water):
    """Forces and masses along a line, without its tension, into a `Leap`.

    water : `Waters`

    Source: docs/theory/mixed_elements.md, Leapfrog: M(r_1) a_1 = F(r_1, v_1), linearised about v_0 + h a_0.

    Returns a bound of the square of its frequencies (1/s2), and the longest damping time (s).
    """
    (r, v, _, T, _), lumps, load, node = now, lumps_of(mesh, grip), mesh.load, leap.node
    n0, e0, last = mesh.node_start[line], mesh.element_start[line], mesh.line[line].junction[1]
    n_elements = mesh.element_start[line + 1] - e0
    holds_first, holds_last = mesh.line[line].two_sided == 0, mesh.dof_start[last] == mesh.dof_start[last + 1]
    fastest, slowest, k_before, g_before, lean_before = 0.0, 0.0, 0.0, 0.0, 0.0
    F, C = ZERO3, ZERO9  # of the water on the half before the node
    half_h = 0.5 * h
    for k in range(n_elements):
        i, j, e = n0 + k, n0 + k + 1, e0 + k
        el = mesh.element[e]
        L, tau = el.length, el.damping
        t, span = chord_of(water, e)
        rate = (v[j, 0] - v[i, 0]) * t[0] + (v[j, 1] - v[i, 1]) * t[1] + (v[j, 2] - v[i, 2]) * t[2]
        inverse_length = 1.0 / L
        stretch = (span - L + tau * rate) * inverse_length
        pull, slope = _law(el, stretch, stretch < 0.0, mesh.law_data)
        reach = half_h * tau * inverse_length
        T[e] = pull
        node[i].stretch, node[i].level, node[i].rate, node[i].reach = stretch, pull, reach * slope, reach
        node[i].own, node[i].next, node[i].far = pull, 0.0, 0.0
        node[i].tangent[0], node[i].tangent[1], node[i].tangent[2] = t
        (Fa, Ca), (Fb, Cb) = water_of(water.first, e), water_of(water.second, e)
        F, C = add3(F, Fa), add9(C, Ca)
        if load.shape[0] > 0:
            Fc, Cc, _ = load_on_half(load[e], 0, 0.5 * L, t, span, three(r, i), three(v, i), half_h * HUGE)
            F, C = add3(F, Fc), add9(C, scale9(1.0 / HUGE, Cc))
            Fc, Cc, _ = load_on_half(load[e], 1, 0.5 * L, t, span, three(r, j), three(v, j), half_h * HUGE)
            Fb, Cb = add3(Fb, Fc), add9(Cb, scale9(1.0 / HUGE, Cc))
        # slack elements count as taut ones: they may come taut in the next step, which must not be too long for it
        taut = _law(el, max(stretch, 0.0), False, mesh.law_data)[1]
        stiffness, geometric = max(slope, taut) * inverse_length, max(pull, 0.0) / span
        lean = dot(t, ground(lumps.bed, three(r, i))[0])
        lean *= lean
        if k > 0 or not holds_first:
            R, K, k_bed, shear = _node(i, h, now, lumps, fluid)
            y, K = sub3(F, R), add9(K, C)
            if k > 0:
                K, _ = invert(K)
                _keep(node[i], K, onto(K, y))
            else:
                _keep_end(leap.end[line, 0], K, y)
            square = _square(2.0 * (k_before + stiffness), 2.0 * (g_before + geometric) + shear, k_bed,
                             max(lean_before, lean), lumps.node[i].mass)  # fmt: skip
            fastest = max(fastest, square)
        k_before, g_before, lean_before, slowest = stiffness, geometric, lean, max(slowest, tau)
        F, C = Fb, Cb
    if not holds_last:
        n = n0 + n_elements
        R, K, k_bed, shear = _node(n, h, now, lumps, fluid)
        _keep_end(leap.end[line, 1], add9(K, C), sub3(F, R))
        fastest = max(fastest, _square(2.0 * k_before, 2.0 * g_before + shear, k_bed, lean_before, lumps.node[n].mass))
    return fastest, slowest


@kernel(fastmath=FUSED, **UNCOUNTED)
def sweep_tensions(n0, n_elements, node):
    r"""The way out of the tridiagonal system of a line's tensions.

    Source: tridiagonal elimination, [Golub2013], ch. 4; docs/theory/mixed_elements.md, Leapfrog.

    .. math:: T_e = T_e^0 + c_e\, t_e \cdot (\delta a_{e+1} - \delta a_e), \qquad
              \delta a_i = y_i + P_i (T_i t_i - T_{i-1} t_{i-1})

    Afterwards each is own + next times the next + far times what the first end does along its element; the last
    has in `next` what it changes by what the last end does along it.
    """
    t = _three(node[n0].tangent)
    y_along, P_along, low_along = 0.0, 0.0, 0.0  # of the node before: t.y, t.P t, and t_before.P t
    own, up, far = 0.0, 0.0, 0.0
    for i in range(n0, n0 + n_elements - 1):
        j = i + 1
        t_next = _three(node[j].tangent)
        P = _nine(node[j].inverse)
        y = _three(node[j].change)
        Pt = onto(P, t)
        c = node[i].rate
        low = c * low_along
        f = 1.0 / (1.0 + c * (P_along + dot(t, Pt)) - low * up)
        own = f * (node[i].level + c * (dot(t, y) - y_along) + low * own)
        far = f * (low * far - (c if i == n0 else 0.0))
        low_along = dot(t_next, Pt)
        up = f * c * low_along
        node[i].own, node[i].next, node[i].far = own, up, far
        P_along, y_along, t = dot(t_next, onto(P, t_next)), dot(t_next, y), t_next
    i = n0 + n_elements - 1
    c = node[i].rate
    low = c * low_along
    f = 1.0 / (1.0 + c * P_along - low * up)
    node[i].own = f * (node[i].level - c * y_along + low * own)
    node[i].next = f * c
    node[i].far = f * (low * far - (c if n_elements == 1 else 0.0))


@kernel(fastmath=FUSED, **UNCOUNTED)
def find_tensions(line, first, last, T, mesh, node):
    """The way back along a line; elements that went slack or taut by it change their law. Returns how many did.

    Source: T_e = own + next T_{e+1} + far a_first of :func:`sweep_tensions`; an active set of slack elements.

    first, last : changes of acceleration of the ends along their elements, m/s2
    """
    n0, e0 = mesh.node_start[line], mesh.element_start[line]
    pull = last
    turns = 0
    for k in range(mesh.element_start[line + 1] - e0 - 1, -1, -1):
        i, e = n0 + k, e0 + k
        pull = node[i].own + node[i].next * pull + node[i].far * first
        was_slack = T[e] < 0.0
        T[e] = pull
        if (pull < 0.0) != was_slack and mesh.element[e].slack > 0.0:
            turns += 1
            node[i].level, slope = _law(mesh.element[e], node[i].stretch, pull < 0.0, mesh.law_data)
            node[i].rate = node[i].reach * slope
    return turns


@kernel(fastmath=FUSED, **UNCOUNTED)
def _correct_line(n0, e0, n_elements, h, v, a, T, node):
    """Correct accelerations (m/s2) and velocities (m/s) of a line by its tensions; False if they are not finite.

    Source: da_i = y_i + P_i (T_i t_i - T_{i-1} t_{i-1}), v = v + h da/2; :func:`sweep_tensions`.
    """
    pulled = scale3(T[e0], _three(node[n0].tangent))
    total = T[e0]
    for k in range(1, n_elements):
        i = n0 + k
        pull = scale3(T[e0 + k], _three(node[i].tangent))
        x = add3(_three(node[i].change), onto(_nine(node[i].inverse), sub3(pull, pulled)))
        pulled = pull
        for p in range(3):
            a[i, p] += x[p]
            v[i, p] += 0.5 * h * x[p]
        total += x[0] + x[1] + x[2]
    return np.isfinite(total)


@kernel(forceinline=True, **UNCOUNTED)
def held_tensions(T, mesh, node):
    """Tensions (N) of damped lines all of whose ends are held.

    Bookkeeping: `sweep_tensions` and `find_tensions` in turn, until no element turns slack or taut.
    """
    for line in range(mesh.line.shape[0]):
        n0, n = mesh.node_start[line], mesh.element_start[line + 1] - mesh.element_start[line]
        for _ in range(MOST_TURNS):
            sweep_tensions(n0, n, node)
            if find_tensions(line, 0.0, 0.0, T, mesh, node) == 0:
                break
    return True


@kernel(forceinline=True, **UNCOUNTED)
def correct(h, now, mesh, node):
    """As `_correct_line`, for all lines."""
    finite = True
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        n_elements = mesh.element_start[line + 1] - e0
        finite = _correct_line(n0, e0, n_elements, h, now.v, now.a, now.T, node) and finite
    return finite


@kernel(**UNCOUNTED)
def add_line(line, mesh, leap, A, b):
    """Put the ends of a line into the dense system of the junctions (its masses times HUGE).

    Source: docs/theory/mixed_elements.md, Leapfrog: A = J^T (M + t dT/da t^T) J, with T by the ends from
    :func:`sweep_tensions`.
    """
    i, j, two_sided = mesh.line[line].junction[0], mesh.line[line].junction[1], mesh.line[line].two_sided == 1
    n0, dof_start, lever = mesh.node_start[line], mesh.dof_start, mesh.bodies.memory.lever[line]
    n_elements = mesh.element_start[line + 1] - mesh.element_start[line]
    n1 = n0 + n_elements - 1  # where its last element begins
    own, by_last, by_first = leap.node[n1].own, leap.node[n1].next, leap.node[n1].far
    di, ni = dof_start[i], dof_start[i + 1] - dof_start[i]
    dj, nj = dof_start[j], dof_start[j + 1] - dof_start[j]
    t0, t1 = _three(leap.node[n0].tangent), _three(leap.node[n1].tangent)
    if nj > 0:
        K, y = _nine(leap.end[line, 1].mass), _three(leap.end[line, 1].force)
        for d in range(nj):
            u = _three(lever[1][d])
            b[dj + d] += dot(u, y) - dot(u, t1) * own
            for c in range(nj):
                w = _three(lever[1][c])
                A[dj + d, dj + c] += HUGE * (dot(u, t1) * by_last * dot(w, t1) + dot(u, onto(K, w)))
            for c in range(ni):
                A[dj + d, di + c] += HUGE * dot(u, t1) * by_first * dot(_three(lever[0][c]), t0)
    if not two_sided:
        return
    for n in range(n1 - 1, n0 - 1, -1):
        up = leap.node[n].next
        own, by_last, by_first = leap.node[n].own + up * own, up * by_last, leap.node[n].far + up * by_first
    K, y = _nine(leap.end[line, 0].mass), _three(leap.end[line, 0].force)
    for d in range(ni):
        u = _three(lever[0][d])
        b[di + d] += dot(u, y) + dot(u, t0) * own
        for c in range(ni):
            w = _three(lever[0][c])
            A[di + d, di + c] += HUGE * (dot(u, onto(K, w)) - dot(u, t0) * by_first * dot(w, t0))
        for c in range(nj):
            A[di + d, dj + c] -= HUGE * dot(u, t0) * by_last * dot(_three(lever[1][c]), t1)
