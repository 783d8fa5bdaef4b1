r"""Loads that a case gives: forces, pressure and a turning frame along lines; springs.

Vectors are tuples of 3 numbers, matrices of 9, row by row (numerics/blockelimination.py).
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    add3,
    add9,
    dot,
    onto,
    outer,
    scale3,
    scale9,
    sub3,
    sub9,
)
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.pointers import call_eighteen, call_three
from ropewalk.physics.rigidbody import cross3, hat9

PLACE_STEP = 1e-6  # m, of differences: fields change over more than millimetres, and places are known to 1e-12 m
TANGENT_STEP = 1e-7  # of a unit tangent: differences err by as much, which costs Newton nothing

# loads on an element, per unstretched length
LINE_LOAD = np.dtype(
    [
        ("first", "f8", (3,)),  # given force on the half at the first node, N/m
        ("second", "f8", (3,)),  # and on that at the second node, N/m
        ("pressure", "f8", (3,)),  # its cross product with the tangent is a force, N/m
        ("turn", "f8", (9,)),  # matrix of the centrifugal force by position, N/m2
        ("turn_from", "f8", (3,)),  # centrifugal force at the origin, N/m
        ("coriolis", "f8", (3,)),  # its cross product with the velocity is minus a force, N s/m2
        ("function", "i8"),  # address of a load f(s, r, t, time), 0 for none; see `field_load`
        ("slopes", "i8"),  # address of its derivatives, 0 for differences; see `field_slopes`
        ("place", "f8", (2,)),  # of it: s from end A of the middles of the halves, m
        ("way", "f8"),  # 1 if the element goes from end A to end B, else -1
        ("time", "f8"),  # s
    ],
    align=True,
)


# a force or moment that changes in time, on a row of nodes or bodies
PUSHED = np.dtype(
    [
        ("kind", "i8"),  # of model/given.py: what it acts on
        ("line", "i8"),  # of an attachment
        ("row", "i8"),  # of the point or body; of an attachment, counted from the first node of its line
        ("is_first", "i8"),  # 1 for the first on its row: it brings what does not change
        ("function", "i8"),  # N or N m against time
        ("steady", "f8", (3,)),  # what does not change, N or N m
        ("direction", "f8", (3,)),
    ],
    align=True,
)
# a distributed load on all elements of a line, with a factor that changes in time
SPREAD = np.dtype(
    [
        ("line", "i8"),
        ("share", "i8"),  # its first row among the shares of LINE_LOAD, one per element
        ("is_first", "i8"),  # 1 for the first of its line
        ("function", "i8"),  # factor against time; -1 for 1
    ],
    align=True,
)


@kernel
def push_on(force, push, f):
    """Adds a force that varies in time to the force of its row: F = F_0 + f(t) e.

    Source: docs/guide/inputs_in_time.md.

    force : (3,) N, changed    push : record with `steady` F_0 and `direction` e    f : value of its function, N
    """
    for p in range(3):
        steady = push.steady[p] if push.is_first == 1 else force[p]
        force[p] = steady + f * push.direction[p]


@kernel
def spread_on(load, share, factor, is_first):
    """Adds a factor of a distributed load to the load of an element: q = sum f_k(t) q_k.

    Source: docs/guide/inputs_in_time.md.

    load, share : records of LINE_LOAD, N/m    factor : f    is_first : 1 to start from zero
    """
    for p in range(3):
        if is_first == 1:
            load.first[p] = load.second[p] = load.pressure[p] = 0.0
        load.first[p] += factor * share.first[p]
        load.second[p] += factor * share.second[p]
        load.pressure[p] += factor * share.pressure[p]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def given_load(given, pressure, turn, t, r):
    r"""Distributed load at a place (N/m): given force, pressure across the line, centrifugal force.

    Source: docs/theory/mixed_elements.md, Distributed loads.

    .. math:: f = f_0 + p\, e \times t + K r, \qquad K = m\, \omega^2 (1 - e e^T)

    given : f_0, N/m    pressure : p e, N/m    turn : K, N/m2    t : unit tangent    r : place, m
    """
    return add3(given, add3(cross3(pressure, t), onto(turn, r)))


@kernel(**UNCOUNTED)
def field_load(address, s, r, t, time):
    """Load of a function at a place (N/m), 3 numbers. Bookkeeping: calls the user's function.

    address : of f(s, r, t, time) of numerics/pointers.py    s : m from end A    r : m    t : unit, from end A to end B
    """
    return call_three(address, (s, r[0], r[1], r[2], t[0], t[1], t[2], time))


@kernel(**UNCOUNTED)
def field_slopes(address, slopes, s, r, t, time):
    r"""Load of a function (N/m), and its derivatives by place (N/m2) and by tangent (N/m): given, or differences.

    .. math:: \frac{\partial f}{\partial x_j} \approx \frac{f(x + h e_j) - f(x)}{h}

    Source: forward differences, [Press2007], sec. 5.7; steps PLACE_STEP (m) and TANGENT_STEP.

    slopes : address of a function of 3 x 6 numbers, 0 for differences    others as :func:`field_load`
    """
    x, y, z = r
    a, b, c = t
    h, k = PLACE_STEP, TANGENT_STEP
    f = field_load(address, s, r, t, time)
    if slopes != 0:
        g = call_eighteen(slopes, (s, x, y, z, a, b, c, time))
        by_r = (g[0], g[1], g[2], g[6], g[7], g[8], g[12], g[13], g[14])
        return f, by_r, (g[3], g[4], g[5], g[9], g[10], g[11], g[15], g[16], g[17])
    fx = field_load(address, s, (x + h, y, z), t, time)
    fy = field_load(address, s, (x, y + h, z), t, time)
    fz = field_load(address, s, (x, y, z + h), t, time)
    fa = field_load(address, s, r, (a + k, b, c), time)
    fb = field_load(address, s, r, (a, b + k, c), time)
    fc = field_load(address, s, r, (a, b, c + k), time)
    return f, _columns(f, fx, fy, fz, 1.0 / h), _columns(f, fa, fb, fc, 1.0 / k)


@kernel(**UNCOUNTED)
def _columns(f, fx, fy, fz, rate):
    """Matrix of 9 numbers whose columns are differences times a rate: A_ij = rate (f_i(x + e_j/rate) - f_i(x)).

    Source: forward differences of :func:`field_slopes`; unit of f (N/m) times that of the rate.
    """
    return (
        rate * (fx[0] - f[0]), rate * (fy[0] - f[0]), rate * (fz[0] - f[0]),
        rate * (fx[1] - f[1]), rate * (fy[1] - f[1]), rate * (fz[1] - f[1]),
        rate * (fx[2] - f[2]), rate * (fy[2] - f[2]), rate * (fz[2] - f[2]),
    )  # fmt: skip


@kernel(forceinline=True, **UNCOUNTED)
def _three(a):
    """Three numbers of an array as a tuple. Bookkeeping."""
    return a[0], a[1], a[2]


@kernel(forceinline=False, **UNCOUNTED)
def load_on_half(load, side, half, t, span, r, v, gp):
    r"""Distributed load on half an element (N), minus its derivative by the node's motion, and that by the chord.

    Source: docs/theory/mixed_elements.md, Distributed loads; the last term is the Coriolis force in rotating axes.

    .. math:: F = \tfrac{L}{2} \left(f_0 + p\, e \times t + K r - 2 m\, \omega\, e \times \dot r\right)

    load : record of LINE_LOAD    side : 0 for the half at the first node, 1 at the second    half : its length L/2, m
    t, span : tangent and length (m) of the element    r, v : of the node, m, m/s    gp : dv/dr, 1/s
    """
    k = load.turn
    turn = (k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8])
    given = add3(_three(load.first if side == 0 else load.second), _three(load.turn_from))
    pressure, coriolis = _three(load.pressure), _three(load.coriolis)
    force = sub3(given_load(given, pressure, turn, t, r), cross3(coriolis, v))
    own = scale9(half, sub9(scale9(gp, hat9(coriolis)), turn))
    cross = hat9(pressure)
    if load.function != 0:
        f, by_r, by_t = field_slopes(load.function, load.slopes, load.place[side], r, scale3(load.way, t), load.time)
        force, own = add3(force, f), sub9(own, scale9(half, by_r))
        cross = add9(cross, scale9(load.way, by_t))
    by_chord = scale9(half / span, sub9(cross, outer(onto(cross, t), t)))
    return scale3(half, force), own, by_chord


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def spring_pull(axis, way):
    r"""Force along an axis of a joint (N), a given one and that of a spring, and its stiffness -df/dx (N/m).

    Source: Hooke's law.

    .. math:: f = f_0 - k x, \qquad x = e \cdot (r - r_0)

    axis : record with the fields of AXIS of model/joints.py    way : r - r_0, from the given position, m
    """
    x = dot(_three(axis.axis), way)
    return axis.pull - axis.spring * x, axis.spring


@kernel(**UNCOUNTED)
def spring_energy(axis, way):
    r"""Potential energy of :func:`spring_pull`, zero at the given position (J).

    Source: integral of the force.

    .. math:: U = -\int_0^x f\, dx = \tfrac12 k x^2 - f_0 x

    axis, way : as there
    """
    x = dot(_three(axis.axis), way)
    return (0.5 * axis.spring * x - axis.pull) * x
