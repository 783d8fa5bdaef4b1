"""A better first guess for nodes on the bed: the penetration of each is found separately before Newton's method."""

from __future__ import annotations

from ropewalk.assembly.body_loads import three_of
from ropewalk.loads.bed import ground, penetration, pressure
from ropewalk.numerics.blockelimination import UNCOUNTED, dot, scale3
from ropewalk.numerics.compile import kernel

MOST_TRIES = 8  # of the scalar Newton method
SHALLOW = 0.1  # of the bed's ramp: where a node that comes from above is tried first
CLOSE = 1e-3  # of the ramp: the guess needs no more
FREE = 3  # directions in which a point moves that a line ends at


@kernel(**UNCOUNTED)
def _lift(foot, was, guess, gained, bp, gp, bed):
    r"""Height (m) by which a node has to be lifted from a guess of its depth, so that the bed bears it alone.

    .. math:: m \ddot\delta(\delta) + A\, p(\delta, \dot\delta(\delta)) = F

    Source: :func:`land`. Scalar Newton in a kernel, not numerics/newton.py; a node that does not converge stays.

    foot : mass (kg) and contact area (m2)    was, guess : depth (m) and its rate (m/s) before the step and at its end
    gained : acceleration out of the bed since then, m/s2    bp, gp, bed : of `land`
    """
    (m, area), (before, rate_before), (start, rate), ramp = foot, was, guess, bed.law[0].ramp
    force = m * gained + area * pressure(bed, before, rate_before)[0]
    depth = max(before, min(start, SHALLOW * ramp))
    for _ in range(MOST_TRIES):
        moved = depth - start
        p, by_depth, by_rate = pressure(bed, depth, rate + gp * moved)
        slope = by_depth + gp * by_rate
        if depth > 0.0:
            slope = max(slope, p / depth)
        step = (m * bp * moved + area * p - force) / (m * bp + area * slope)
        depth -= step
        if abs(step) < CLOSE * ramp:
            return start - depth
    return 0.0


@kernel(forceinline=True, **UNCOUNTED)
def _lifted(n, foot, bp, gp, bed, X, Y):
    """Normal of the bed under row n of the trial state Y, and how far along it the row is to be moved (m); see `land`.

    Source: :func:`land`, with the depth a - h = radius - height over the bed.

    foot : mass (kg), contact area (m2), and radius from the centre to the underside (m)    the rest : of `land`
    """
    m, area, radius = foot
    normal, height = ground(bed, three_of(Y, 0, n))
    before, guess = radius - ground(bed, three_of(X, 0, n))[1], radius - height
    if before <= 0.0 and guess <= 0.0:
        return normal, 0.0
    was, now = (before, -dot(normal, three_of(X, 1, n))), (guess, -dot(normal, three_of(Y, 1, n)))
    gained = dot(normal, three_of(Y, 2, n)) - dot(normal, three_of(X, 2, n))
    return normal, _lift((m, area), was, now, gained, bp, gp, bed)


@kernel(**UNCOUNTED)
def _move(n, shift, bp, gp, Y):
    """Move row n of Y by `shift` (m), with the velocity (m/s) and the acceleration (m/s2) of the scheme.

    Source: docs/theory/mixed_elements.md, Steps: dv = gp dr, da = bp dr.
    """
    for i in range(3):
        Y[0, n, i] += shift[i]
        Y[1, n, i] += gp * shift[i]
        Y[2, n, i] += bp * shift[i]


@kernel(**UNCOUNTED)
def _land_point(j, bp, gp, mesh, X, Y):
    """As `land`, for the point of junction j with the ends of all lines that meet in it."""
    node, row, lines, start = mesh.node, mesh.s.size + j, mesh.line, mesh.node_start
    m, area, radius = node[row].mass, node[row].bed_area, node[row].radius
    for line in range(lines.shape[0]):
        for side in range(2):
            if lines[line].junction[side] == j:
                n = start[line] if side == 0 else start[line + 1] - 1
                m, area, radius = m + node[n].mass, area + node[n].bed_area, max(radius, node[n].radius)
    if area == 0.0 or m <= 0.0:
        return
    normal, lift = _lifted(row, (m, area, radius), bp, gp, mesh.bed, X, Y)
    shift = scale3(lift, normal)
    _move(row, shift, bp, gp, Y)
    for line in range(lines.shape[0]):
        for side in range(2):
            if lines[line].junction[side] == j:
                _move(start[line] if side == 0 else start[line + 1] - 1, shift, bp, gp, Y)


@kernel(forceinline=True, **UNCOUNTED)
def land(bp, gp, mesh, X, Y):
    r"""Move the nodes of the trial state Y that are in the bed to where it bears them, the rest of the line as before.

    Source: docs/theory/mixed_elements.md, Seabed.

    Accelerations that are extrapolated through a touchdown put nodes deep into the bed or high above it, and
    Newton's method for the whole line then spends most of its iterations on them, or ends too early, because its
    estimate C from before does not include the bed. Here each node, and each free point with the line ends at
    it, solves for its depth :math:`\delta` alone, with the force F that all but the bed had on it before the step,

    .. math:: m \ddot\delta(\delta) + A\, p(\delta, \dot\delta(\delta)) = F = m \ddot\delta_0 + A\, p_0,

    where the scheme makes rate and acceleration linear in depth. A node that does not converge stays as it was.

    bp, gp : derivatives of acceleration (1/s2) and velocity (1/s) by position    X : before, Y : changed; (4, n, 3)
    """
    node, start, dof_start = mesh.node, mesh.node_start, mesh.dof_start
    n_points = mesh.motion.size - mesh.bodies.body.shape[0]
    for line in range(mesh.line.shape[0]):
        for n in range(start[line] + 1, start[line + 1] - 1):
            area, m = node[n].bed_area, node[n].mass
            if area > 0.0 and m > 0.0:
                normal, lift = _lifted(n, (m, area, node[n].radius), bp, gp, mesh.bed, X, Y)
                if lift != 0.0:
                    _move(n, scale3(lift, normal), bp, gp, Y)
        for side in range(2):
            j, n = mesh.line[line].junction[side], start[line] if side == 0 else start[line + 1] - 1
            is_free = j < n_points and dof_start[j + 1] - dof_start[j] == FREE
            if is_free and penetration(mesh.bed, three_of(Y, 0, n), node[n].radius) > 0.0:
                _land_point(j, bp, gp, mesh, X, Y)
