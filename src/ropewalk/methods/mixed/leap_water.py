"""Water on elements for explicit steps: tangents, forces and their derivatives, four elements at a time.

When positions are known, elements do not wait for each other: those of a line go side by side in vector registers
(numerics/lanes.py), the last ones a second time where their number is no multiple of four.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from ropewalk.assembly.element import SHORTEST, three, water_on_node_half
from ropewalk.loads.member import water_on_half
from ropewalk.model.arrays import Array
from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import WIDTH, lanes_of, put_lanes
from ropewalk.physics.waves import ACCELERATION, ELEVATION, VELOCITY

IN_LANES = not numba.config.DISABLE_JIT


class Half(NamedTuple):
    """Water on the halves of elements at their first, or at their second nodes."""

    force: Array  # (3, n_elements) N
    resistance: Array  # (6, n_elements) kg, of a symmetric matrix xx, xy, xz, yy, yz, zz


class Waters(NamedTuple):
    """Scratch memory of a step."""

    tangent: Array  # (3, n_elements)
    span: Array  # (n_elements,) m
    first: Half
    second: Half


def allocate_waters(n: int) -> Waters:
    """Memory for n elements; without water its forces stay 0."""
    first, second = Half(np.zeros((3, n)), np.zeros((6, n))), Half(np.zeros((3, n)), np.zeros((6, n)))
    return Waters(np.zeros((3, n)), np.zeros(n), first, second)


class Members(NamedTuple):
    """Members side by side; fields of MEMBER of loads/member.py."""

    length: Any
    half_volume: Any
    drag_normal: Any
    drag_tangential: Any
    half_added_normal: Any
    half_added_tangential: Any
    thickness: Any


@kernel(**UNCOUNTED)
def may_share(element):
    """Whether elements can go as `water_side_by_side` takes them: none has a drag law of its own."""
    laws = 0
    for e in range(element.shape[0]):
        if element[e].drag_law != 0:
            laws += 1
    return IN_LANES and laws == 0


@kernel(forceinline=True, **UNCOUNTED)
def _column(a, n, p):
    """Column p of rows n to n + 3, as `lanes_of` has them. Bookkeeping."""
    return lanes_of(a[n, p], a[n + 1, p], a[n + 2, p], a[n + 3, p])


@kernel(forceinline=True, **UNCOUNTED)
def _vectors(a, n, p):
    """Three columns from p on, as `_column`."""
    return _column(a, n, p), _column(a, n, p + 1), _column(a, n, p + 2)


@kernel(forceinline=True, **UNCOUNTED)
def _members(element, e):
    """Elements e to e + 3, as `lanes_of` has them. Bookkeeping."""
    a, b, c, d = element[e], element[e + 1], element[e + 2], element[e + 3]
    return Members(
        lanes_of(a.length, b.length, c.length, d.length),
        lanes_of(a.half_volume, b.half_volume, c.half_volume, d.half_volume),
        lanes_of(a.drag_normal, b.drag_normal, c.drag_normal, d.drag_normal),
        lanes_of(a.drag_tangential, b.drag_tangential, c.drag_tangential, d.drag_tangential),
        lanes_of(a.half_added_normal, b.half_added_normal, c.half_added_normal, d.half_added_normal),
        lanes_of(a.half_added_tangential, b.half_added_tangential, c.half_added_tangential, d.half_added_tangential),
        lanes_of(a.thickness, b.thickness, c.thickness, d.thickness),
    )


@kernel(fastmath=FUSED, **UNCOUNTED)
def water_side_by_side(n0, e0, count, now, element, fluid, half_h, water):
    r"""Fill the columns of a line of at least WIDTH elements: chords, and the water on their halves.

    .. math:: d = r_{i+1} - r_i, \quad t = d / |d|, \qquad F(t, v, a), \quad
              -\frac{\partial F}{\partial a} - \frac h2 \frac{\partial F}{\partial v}

    Source: the forces are those of loads/member.py, the derivatives what leapfrog.py solves with.

    n0, e0, count : its first node and element, and how many    now : `Instant`    element : of the mesh
    fluid : rho (kg/m3), g (m/s2)    half_h : s, derivative of velocity by acceleration    water : `Waters`, filled
    """
    still, step = fluid[0] <= 0.0, (1.0, half_h)
    for k in range(0, count, WIDTH):
        i, e = n0 + min(k, count - WIDTH), e0 + min(k, count - WIDTH)
        members = _members(element, e)
        ri, rj = _vectors(now.r, i, 0), _vectors(now.r, i + 1, 0)
        d = sub3(rj, ri)
        span = max(np.sqrt(dot(d, d)), SHORTEST * members.length)
        t = scale3(1.0 / span, d)
        put_lanes(water.tangent[0], e, t[0])
        put_lanes(water.tangent[1], e, t[1])
        put_lanes(water.tangent[2], e, t[2])
        put_lanes(water.span, e, span)
        if still:
            continue
        zi, zj = ri[2] - _column(now.flow, i, ELEVATION), rj[2] - _column(now.flow, i + 1, ELEVATION)
        moving, motion = _moving(now, i)
        F, _, C, _, _, _, _ = water_on_half(members, t, span, (zi, zj), moving, motion, fluid, step)
        _put(water.first, e, F, C)
        moving, motion = _moving(now, i + 1)
        F, _, C, _, _, _, _ = water_on_half(members, t, span, (zj, zi), moving, motion, fluid, step)
        _put(water.second, e, F, C)


@kernel(forceinline=True, **UNCOUNTED)
def _moving(now, n):
    """Velocity and acceleration of the water, and of the line, at rows n to n + 3, in lanes. Bookkeeping."""
    water = (_vectors(now.flow, n, VELOCITY), _vectors(now.flow, n, ACCELERATION))
    return water, (_vectors(now.v, n, 0), _vectors(now.a, n, 0))


@kernel(forceinline=True, **UNCOUNTED)
def _put(half, e, F, C):
    """Store forces and resistances of elements e to e + 3, as `lanes_of` has them. Bookkeeping."""
    force, resistance = half.force, half.resistance
    put_lanes(force[0], e, F[0])
    put_lanes(force[1], e, F[1])
    put_lanes(force[2], e, F[2])
    put_lanes(resistance[0], e, C[0])
    put_lanes(resistance[1], e, C[1])
    put_lanes(resistance[2], e, C[2])
    put_lanes(resistance[3], e, C[4])
    put_lanes(resistance[4], e, C[5])
    put_lanes(resistance[5], e, C[8])


@kernel(fastmath=FUSED, **UNCOUNTED)
def water_one_by_one(n0, e0, count, now, element, fluid, half_h, water):
    """As `water_side_by_side`, of a line of any elements."""
    for k in range(count):
        i, e = n0 + k, e0 + k
        d = sub3(three(now.r, i + 1), three(now.r, i))
        span = max(np.sqrt(dot(d, d)), SHORTEST * element[e].length)
        t = scale3(1.0 / span, d)
        for p in range(3):
            water.tangent[p, e] = t[p]
        water.span[e] = span
        for side in range(2 if fluid[0] > 0.0 else 0):
            n, other = i + side, i + 1 - side
            F, _, C, _, _, _, _ = water_on_node_half(element[e], n, other, (t, span), now, fluid, (1.0, half_h))
            half = water.first if side == 0 else water.second
            half.force[0, e], half.force[1, e], half.force[2, e] = F
            half.resistance[0, e], half.resistance[1, e], half.resistance[2, e] = C[0], C[1], C[2]
            half.resistance[3, e], half.resistance[4, e], half.resistance[5, e] = C[4], C[5], C[8]


@kernel(forceinline=True, **UNCOUNTED)
def chord_of(water, e):
    """Unit tangent and length (m) of element e, as `water_side_by_side` left them."""
    tangent = water.tangent
    return (tangent[0, e], tangent[1, e], tangent[2, e]), water.span[e]


@kernel(forceinline=True, **UNCOUNTED)
def water_of(half, e):
    """Force (N) and resistance (kg) of the water at a node of element e, as `water_side_by_side` left them."""
    force, own = half.force, half.resistance
    xx, xy, xz, yy, yz, zz = own[0, e], own[1, e], own[2, e], own[3, e], own[4, e], own[5, e]
    return (force[0, e], force[1, e], force[2, e]), (xx, xy, xz, xy, yy, yz, xz, yz, zz)
