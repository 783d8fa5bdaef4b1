"""A better first guess for nodes on the bed: each meets it alone before the line is asked."""

from __future__ import annotations

from ropewalk.assembly.body_loads import three_of
from ropewalk.loads.bed import ground, pressure
from ropewalk.numerics.blockelimination import UNCOUNTED, dot
from ropewalk.numerics.compile import kernel

MOST_TRIES = 8  # of the scalar Newton method
SHALLOW = 0.1  # of the bed's ramp: where a node that comes from above is tried first
CLOSE = 1e-3  # of the ramp: the guess needs no more


@kernel(**UNCOUNTED)
def land(bp, gp, mesh, X, Y):
    r"""Move the nodes of the trial state Y that are in the bed to where it bears them, the rest of the line as before.

    Accelerations that are extrapolated through a touchdown put nodes deep into the bed or high above it, and
    Newton's method for the whole line then spends most of its iterations on them. Here each node solves for its
    depth :math:`\delta` alone, with the force F that all but the bed had on it before the step,

    .. math:: m \ddot\delta(\delta) + A\, p(\delta, \dot\delta(\delta)) = F = m \ddot\delta_0 + A\, p_0,

    where the scheme makes rate and acceleration linear in depth. A node that does not get there stays as it was.

    bp, gp : derivatives of acceleration (1/s2) and velocity (1/s) by position    X : before, Y : changed; (4, n, 3)
    """
    bed, node = mesh.bed, mesh.node
    ramp = bed.law[0].ramp
    for n in range(mesh.s.size):
        area, m = node[n].bed_area, node[n].mass
        if area == 0.0 or m <= 0.0:
            continue
        normal, height = ground(bed, three_of(Y, 0, n))
        before = node[n].radius - ground(bed, three_of(X, 0, n))[1]
        guess = node[n].radius - height
        if before <= 0.0 and guess <= 0.0:
            continue
        rate_before, rate = -dot(normal, three_of(X, 1, n)), -dot(normal, three_of(Y, 1, n))
        force = m * (dot(normal, three_of(Y, 2, n)) - dot(normal, three_of(X, 2, n)))
        force += area * pressure(bed, before, rate_before)[0]
        depth = max(before, min(guess, SHALLOW * ramp))
        for _ in range(MOST_TRIES):
            moved = depth - guess
            p, by_depth, by_rate = pressure(bed, depth, rate + gp * moved)
            slope = by_depth + gp * by_rate
            if depth > 0.0:
                slope = max(slope, p / depth)
            step = (m * bp * moved + area * p - force) / (m * bp + area * slope)
            depth -= step
            if abs(step) < CLOSE * ramp:
                for i in range(3):
                    shift = (guess - depth) * normal[i]
                    Y[0, n, i] += shift
                    Y[1, n, i] += gp * shift
                    Y[2, n, i] += bp * shift
                break
