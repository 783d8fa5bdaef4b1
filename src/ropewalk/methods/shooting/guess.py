"""Start of the iteration: the catenary of the resultant load."""

from __future__ import annotations

import math

import numpy as np

from ropewalk.assembly import string
from ropewalk.methods.shooting.assembly import arc_of, place
from ropewalk.methods.shooting.bed import HANGING
from ropewalk.methods.shooting.shot import ARRIVED, shoot, start_state
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics import catenary
from ropewalk.physics.elasticity import INEXTENSIBLE, strain

TAUT = 10.0  # times the load: tension guessed where an inextensible line cannot reach
NO_LOAD = 1.0e-9  # times the scale: a resultant below this has no direction
LEAST_PULL = 1.0e-3  # times the load: horizontal force guessed at least, so that slack lines have a direction
TAIL_PASSES = 3
IDLE = 0.1  # times the scale: tension guessed where the slack of a line is unknown


@kernel
def resultant(spans, law_data, sea, a, b, total):
    """Load (N) on spans laid straight from a to b, into total (3,).  a, b : (3,) m

    Source: F = sum f ds along the chord, :func:`span_load`.
    """
    t, f, r = np.zeros(3), np.zeros(3), np.empty(3)
    chord = math.sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2)
    length = spans[-1].stop - spans[0].start
    for i in range(3):
        total[i] = 0.0
        t[i] = (b[i] - a[i]) / chord if chord > 0.0 else 0.0
    for k in range(spans.shape[0]):
        span = spans[k]
        ds = span.stop - span.start
        x = (0.5 * (span.start + span.stop) - spans[0].start) / length
        for i in range(3):
            r[i] = a[i] + x * (b[i] - a[i])
        wet = sea.water_density > 0.0 and r[2] < 0.0
        along = (t[0], t[1], t[2])
        load = string.span_load(0.5 * ds, (r[0], r[1], r[2]), along, 1.0, span, wet, law_data, sea)[0]
        for i in range(3):
            total[i] += ds * load[i]
        if span.bound > 0.0:
            for i in range(3):
                f[i] = span.jump[i]
                r[i] = a[i] + (span.stop - spans[0].start) / length * (b[i] - a[i])
            string.float_force(r, span.float_volume, span.float_drag, sea, f)
            for i in range(3):
                total[i] += f[i]


@kernel(**UNCOUNTED)
def _stiffness(spans, laws, law_data, force):
    """EA (N) of the uniform line that stretches as much at this tension; infinite if none does.

    Source: EA = T L / sum eps(T) ds, springs in series.
    """
    stretch, length = 0.0, 0.0
    for k in range(spans.shape[0]):
        ds = spans[k].stop - spans[k].start
        length += ds
        if laws[k, 0] != INEXTENSIBLE:
            e, de = strain(force, laws[k, 0], law_data, laws[k, 1], laws[k, 2])
            stretch += ds * max(e, force * de * 1e-3)
    return force * length / stretch if stretch > 0.0 else math.inf


@kernel(**UNCOUNTED)
def _solved(dx, dz, length, EA, w, height, solution):
    """Status of a uniform line without friction.  solution : (1,) of SOLUTION, filled

    Bookkeeping: calls :func:`ropewalk.physics.catenary.solve_line`.
    """
    return catenary.solve_line(dx, dz, length, EA, w, 0.0, height, solution[0])


@kernel(**UNCOUNTED)
def _grounded(solution):
    """First and last s on the bed, m. Bookkeeping.  solution : (1,) of SOLUTION"""
    return solution[0].ground_start, solution[0].ground_end


@kernel
def _shape(s, dx, dz, length, EA, w, status, solution):
    """As :func:`ropewalk.physics.catenary.line_shape`.  solution : (1,) of SOLUTION"""
    return catenary.line_shape(s, dx, dz, length, EA, w, 0.0, status, solution[0])


@kernel
def guess_states(line, sea, ends, rest, scale, s, out):
    """Position and force at s (k,) of the uniform catenary between a and b under the resultant of the loads.

    Source: the catenary of [Irvine1981] in the plane of chord and resultant, w = |F|/L; docs/theory/shooting.md.

    line : spans, laws and law_data of the whole line, from a    ends : a and b, (3,) each, m
    rest : height of its axis on the bed, m    scale : force scale, N    out : (k, 6), filled
    Returns the bed part, first and last s (m), equal for none.
    """
    (spans, laws, law_data), (a, b) = line, ends
    total, up, along = np.zeros(3), np.zeros(3), np.zeros(3)
    resultant(spans, law_data, sea, a, b, total)
    length = spans[-1].stop - spans[0].start
    load = math.sqrt(total[0] ** 2 + total[1] ** 2 + total[2] ** 2)
    chord = math.sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2)
    EA = _stiffness(spans, laws, law_data, max(load, scale))
    size = IDLE * scale
    solution = np.zeros(1, catenary.SOLUTION)
    status = -1
    dx, dz, w = 0.0, 0.0, load / length
    if load > NO_LOAD * scale:
        size = TAUT * load
        for i in range(3):
            up[i] = -total[i] / load
            dz += up[i] * (b[i] - a[i])
        for i in range(3):
            along[i] = b[i] - a[i] - dz * up[i]
            dx += along[i] * along[i]
        dx = math.sqrt(dx)
        for i in range(3):
            along[i] = along[i] / dx if dx > 0.0 else 0.0
        height = math.inf
        if sea.has_seabed and total[2] < -0.5 * load:
            height = 0.0
            for i in range(3):
                height += sea.bed_normal[i] * (a[i] + (sea.depth if i == 2 else 0.0))
            height = max(height - rest, 0.0)
        status = _solved(dx, dz, length, EA, w, height, solution)
    elif chord > length and not math.isinf(EA):
        size = EA * (chord / length - 1.0)
    if status < 0:
        for k in range(s.size):
            for i in range(3):
                out[k, i] = a[i] + s[k] / length * (b[i] - a[i])
                out[k, 3 + i] = size * (b[i] - a[i]) / chord if chord > 0.0 else (size if i == 2 else 0.0)
        return 0.0, 0.0
    first, last = _grounded(solution)
    shape = _shape(s, dx, dz, length, EA, w, status, solution)
    for k in range(s.size):
        x, z, H, V = shape[k, 0], shape[k, 1], shape[k, 2], shape[k, 3]
        if first <= s[k] < last:
            V = -w * (last - s[k])
        H = max(H, LEAST_PULL * load)
        for i in range(3):
            out[k, i] = a[i] + x * along[i] + z * up[i]
            out[k, 3 + i] = H * along[i] + V * up[i]
    return first, last


@kernel(**UNCOUNTED)
def force_scale(spans, sea):
    """Size of the forces on a line (N): weight in air or water, drag, pressure, tables, turning, point loads.

    Source: F = |W| + sum of the sizes of side loads, drag, pressure, rotation and point loads: a scale, not a force.

    spans : (n,) of SPAN of the line    sea : `Sea` arrays
    """
    side, dry, wet, more, length = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(spans.shape[0]):
        span = spans[k]
        ds = span.stop - span.start
        length += ds
        dry += ds * (span.load[2] + 0.5 * ds * span.slope[2])
        wet += ds * (span.load[2] + 0.5 * ds * span.slope[2] + span.buoyancy)
        turn = 0.0
        for i in range(3):
            side += abs(ds * (span.load[i] + 0.5 * ds * span.slope[i])) if i < 2 else 0.0
            more += abs(span.jump[i]) + ds * abs(span.pressure[i])
        for i in range(9):
            turn += abs(span.turn[i])
        more += ds * (span.drag_normal * sea.current_speed**2 + turn * length)
    weight = max(abs(wet), 1e-3 * abs(dry)) if sea.water_density > 0.0 else abs(dry)
    return weight + side + more


@kernel
def start_tails(arcs, nodes, rigid, sea, x, quaternions, integrator, log):
    """Start lines at free tails from the force on the tail: exact where no load depends on position.

    Source: n(0) = -F of the tail, r_0 = r_0 + (r_1 - r(s_1)); docs/theory/shooting.md, Where to shoot from.

    Sets the tail's force to balance the load on it and its position so that the line's other end is met,
    TAIL_PASSES times, because both depend on each other through the current and the surface.

    integrator : tolerance and pair    log : (n_arcs,) of LOG, memory
    """
    p0, p1, arm, force = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    map_ = np.empty((3, 6))
    y = np.empty(string.ALL)
    none, nowhere = np.empty(0), np.empty((0, string.STATE))
    for a in range(arcs.line.size):
        k = arcs.node[a, 0]
        if not nodes.tail[k]:
            continue
        place(arcs.node[a, 1], nodes, rigid, x, quaternions, p1, map_, arm)
        for _ in range(TAIL_PASSES):
            place(k, nodes, rigid, x, quaternions, p0, map_, arm)
            for i in range(3):
                force[i] = nodes.force[k, i]
                for j in range(3):
                    force[i] += nodes.frame[k, j, i] * nodes.axis[k, j].pull
            string.float_force(p0, nodes.volume[k], nodes.drag[k], sea, force)
            for i in range(3):
                force[i] = -force[i]
            start_state(p0, force, y)
            status = shoot(y, string.STATE, arc_of(arcs, a), sea, HANGING, integrator, (none, nowhere), log[a])
            if status != ARRIVED:
                break
            for i in range(3):
                x[arcs.dof[a, 12 + i]] = force[i]
                p0[i] += p1[i] - y[i]
            if p0[2] > nodes.ceiling[k]:  # it floats: the line need not carry all of its buoyancy
                p0[2] = 0.0
            for j in range(3):
                c = nodes.frame[k, j, 0] * p0[0] + nodes.frame[k, j, 1] * p0[1] + nodes.frame[k, j, 2] * p0[2]
                x[nodes.dof[k, j]] = c
