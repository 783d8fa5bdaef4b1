"""A better first guess for nodes on the bed: each meets it alone before the line is asked."""

from __future__ import annotations

from ropewalk.assembly.mesh import BED_AREA, MASS, RADIUS
from ropewalk.numerics.blockelimination import UNCOUNTED
from ropewalk.numerics.compile import kernel
from ropewalk.physics.seabed import DAMPING, RAMP, STIFFNESS, pressure

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
    k, c, ramp = bed[4 + STIFFNESS], bed[4 + DAMPING], bed[4 + RAMP]
    for n in range(mesh.s.size):
        area, m = node[n, BED_AREA], node[n, MASS]
        if area == 0.0 or m <= 0.0:
            continue
        top = bed[3] + node[n, RADIUS]
        before = top - (bed[0] * X[0, n, 0] + bed[1] * X[0, n, 1] + bed[2] * X[0, n, 2])
        guess = top - (bed[0] * Y[0, n, 0] + bed[1] * Y[0, n, 1] + bed[2] * Y[0, n, 2])
        if before <= 0.0 and guess <= 0.0:
            continue
        rate_before = -(bed[0] * X[1, n, 0] + bed[1] * X[1, n, 1] + bed[2] * X[1, n, 2])
        rate = -(bed[0] * Y[1, n, 0] + bed[1] * Y[1, n, 1] + bed[2] * Y[1, n, 2])
        force = -m * (bed[0] * X[2, n, 0] + bed[1] * X[2, n, 1] + bed[2] * X[2, n, 2])
        force += area * pressure(before, rate_before, k, c, ramp)[0]
        force += m * (bed[0] * Y[2, n, 0] + bed[1] * Y[2, n, 1] + bed[2] * Y[2, n, 2])
        depth = max(before, min(guess, SHALLOW * ramp))
        for _ in range(MOST_TRIES):
            moved = depth - guess
            p, by_depth, by_rate = pressure(depth, rate + gp * moved, k, c, ramp)
            slope = by_depth + gp * by_rate
            if depth > 0.0:
                slope = max(slope, p / depth)
            step = (m * bp * moved + area * p - force) / (m * bp + area * slope)
            depth -= step
            if abs(step) < CLOSE * ramp:
                for i in range(3):
                    shift = (guess - depth) * bed[i]
                    Y[0, n, i] += shift
                    Y[1, n, i] += gp * shift
                    Y[2, n, i] += bp * shift
                break
