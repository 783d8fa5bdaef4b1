r"""Distributed loads on mixed elements: given forces, pressure across the line, a turning frame.

.. math:: f = f(s) + p\, e \times t + m\, \omega^2 (1 - e e^T)(r - r_0) - 2 m\, \omega\, e \times \dot r

per unstretched length, half of an element at each of its nodes.
"""

from __future__ import annotations

from ropewalk.assembly.load_arrays import (
    CORIOLIS,
    FIRST_LOAD,
    PRESSURE_AXIS,
    SECOND_LOAD,
    TURN,
    TURN_FROM,
)
from ropewalk.numerics.blockelimination import UNCOUNTED, add3, onto, outer, scale9, sub9
from ropewalk.numerics.compile import kernel
from ropewalk.physics.rigidbody import cross3, hat9


@kernel(forceinline=False, **UNCOUNTED)
def load_on_half(e, side, n, t, span, L, r, v, load, gp):
    """Load on the half of element e at node n (N), minus its derivative by the node's motion, and that by the chord.

    side : 0 for the first node, 1 for the second    t, span : tangent and length (m) of the element
    L : unstretched length, m    r, v : (n, 3) m, m/s    load : (n_elements, LOAD_COLUMNS)    gp : dv/dr, 1/s
    """
    half = 0.5 * L
    given = FIRST_LOAD if side == 0 else SECOND_LOAD
    row = load[e]
    p = (half * row[PRESSURE_AXIS], half * row[PRESSURE_AXIS + 1], half * row[PRESSURE_AXIS + 2])
    w = (half * row[CORIOLIS], half * row[CORIOLIS + 1], half * row[CORIOLIS + 2])
    A = scale9(
        half,
        (row[TURN], row[TURN + 1], row[TURN + 2], row[TURN + 3], row[TURN + 4], row[TURN + 5], row[TURN + 6],
         row[TURN + 7], row[TURN + 8]),
    )  # fmt: skip
    force = add3(cross3(p, t), onto(A, (r[n, 0], r[n, 1], r[n, 2])))
    swept = cross3(w, (v[n, 0], v[n, 1], v[n, 2]))
    force = (
        force[0] - swept[0] + half * (row[given] + row[TURN_FROM]),
        force[1] - swept[1] + half * (row[given + 1] + row[TURN_FROM + 1]),
        force[2] - swept[2] + half * (row[given + 2] + row[TURN_FROM + 2]),
    )
    own = sub9(scale9(gp, hat9(w)), A)
    cross = hat9(p)
    by_chord = scale9(1.0 / span, sub9(cross, outer(onto(cross, t), t)))
    return force, own, by_chord
