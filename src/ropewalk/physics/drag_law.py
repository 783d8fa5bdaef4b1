r"""Drag coefficients of slender members that depend on the angle of attack and on the Reynolds number.

With the relative velocity u = u_n + s t, its speed V across and along the member (p = |u_n|), and the angle of attack
:math:`\alpha = \arctan(p/|s|)` from 0 (along) to 90 degrees (across), the drag per length is

.. math:: f = A\, u_n + B\, t, \qquad A = b_n (C_n p + C_d V), \qquad B = b_t C_t |s| s + b_n C_d V s

with :math:`b_n = \rho d/2` and :math:`b_t = \rho \pi d/2` (or :math:`\rho d/2`): C_n of the flow across, C_t of that
along the member and C_d of a drag along the relative velocity. With constant C_n and C_t this is physics/drag.py. Each
coefficient takes the Reynolds number of the speed that it stands with: p, |s| and V.

A law is a table in memory, reached by its address (numerics/pointers.py): the Reynolds number per speed and :math:`b_n`
(m2/kg times s/m), where the three coefficients begin, and these, each as kind, value, numbers of angles and of Reynolds
numbers, the angles (rad), the logarithms of the Reynolds numbers, and the coefficients by angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    add3,
    add9,
    dot,
    outer,
    plus_unit,
    scale3,
)
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.pointers import number_at, table_address
from ropewalk.physics.drag import drag

CONSTANT, TABLE, SINE = 0, 1, 2  # kinds of coefficient
HEAD = 4  # numbers before the coefficients of a law: Reynolds number, and where each coefficient begins
OWN_HEAD = 4  # numbers before the table of a coefficient
LEAST_REYNOLDS = 1e-12  # a logarithm needs one


class Coefficient(NamedTuple):
    """A coefficient of drag: a number, a table by angle and Reynolds number, or value sin(alpha)."""

    kind: int = CONSTANT
    value: float = 0.0
    angle: Sequence[float] = ()  # rad, rising from 0 to pi/2
    reynolds: Sequence[float] = ()  # rising
    table: Sequence[Sequence[float]] = ()  # by angle, then by Reynolds number


def pack_law(normal: Coefficient, tangential: Coefficient, resultant: Coefficient, per_speed: float) -> int:
    """Address of the law of three coefficients.  per_speed : Reynolds number per speed (s/m) and b_n (kg/m2)"""
    blocks = [_block(one) for one in (normal, tangential, resultant)]
    starts = HEAD + np.cumsum([0, *(block.size for block in blocks[:-1])])
    return table_address(np.concatenate([[per_speed], starts, *blocks]))


def _block(one: Coefficient) -> NDArray[np.float64]:
    angle, reynolds = (one.angle if len(one.angle) else (0.0,)), (one.reynolds if len(one.reynolds) else (1.0,))
    table = np.asarray(one.table if one.kind == TABLE else ((0.0,),), dtype=float)
    assert table.shape == (len(angle), len(reynolds))
    head = [one.kind, one.value, len(angle), len(reynolds)]
    return np.concatenate([head, angle, np.log(np.maximum(reynolds, LEAST_REYNOLDS)), table.ravel()])


@kernel(**UNCOUNTED)
def _place(x, law, first, n):
    r"""Row of n rising numbers before x, share of the distance to the next, one over that distance (0 beyond the ends).

    .. math:: w = \frac{x - x_i}{x_{i+1} - x_i}

    Source: bisection and linear interpolation, [Press2007], ch. 3.

    law : address of the law    first : of the n numbers in it
    """
    if n < 2 or x <= number_at(law, first):
        return 0, 0.0, 0.0
    if x >= number_at(law, first + n - 1):
        return n - 2, 1.0, 0.0
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x < number_at(law, first + middle):
            high = middle
        else:
            low = middle
    rate = 1.0 / (number_at(law, first + low + 1) - number_at(law, first + low))
    return low, (x - number_at(law, first + low)) * rate, rate


@kernel(**UNCOUNTED)
def coefficient(law, which, alpha, reynolds):
    r"""Coefficient of a law at an angle (rad) and Reynolds number; its derivatives by the angle and by ln Re.

    .. math:: C = C_0, \qquad C = C_0 \sin\alpha, \qquad C = C(\alpha, \ln Re) \text{ bilinear}

    Source: the law of the case, docs/reference/laws.md.

    which : 0 across, 1 along, 2 along the relative velocity.  Linear in both between rows, held beyond the ends.
    """
    at = np.int64(number_at(law, 1 + which))
    kind, value = np.int64(number_at(law, at)), number_at(law, at + 1)
    if kind == CONSTANT:
        return value, 0.0, 0.0
    if kind == SINE:
        return value * np.sin(alpha), value * np.cos(alpha), 0.0
    n, m = np.int64(number_at(law, at + 2)), np.int64(number_at(law, at + 3))
    first = at + OWN_HEAD
    i, x, by_alpha = _place(alpha, law, first, n)
    j, y, by_re = _place(np.log(max(reynolds, LEAST_REYNOLDS)), law, first + n, m)
    rows = first + n + m
    down, right = m if n > 1 else 0, 1 if m > 1 else 0
    a = number_at(law, rows + i * m + j)
    b = number_at(law, rows + i * m + j + right)
    c = number_at(law, rows + i * m + j + down)
    d = number_at(law, rows + i * m + j + down + right)
    low, high = a + (b - a) * y, c + (d - c) * y
    return low + (high - low) * x, (high - low) * by_alpha, ((b - a) * (1.0 - x) + (d - c) * x) * by_re


@kernel(**UNCOUNTED)
def law_drag(u, t, scale, law):
    r"""Drag per length (N/m), and the parts that its derivatives are made of.

    .. math:: f = A\, u_n + B\, t, \qquad A = b_n (C_n p + C_d V), \qquad B = b_t C_t |s| s + b_n C_d V s

    Source: [Morison1950] by the cross-flow principle, with the coefficients of the heading of this file.

    u : water minus member velocity, 3 numbers, m/s    t : unit tangent, 3 numbers
    scale : b_n and b_t (kg/m2, times a length), and b_n without that length, for the Reynolds number    law : address
    Returns f; and u_n, s, A, (dA/dp)/p, dA/ds, dB/ds, (dB/dp)/p and B (of the head of this file).
    """
    bn, bt, width = scale
    s = dot(u, t)
    un = add3(u, scale3(-s, t))
    p = np.sqrt(dot(un, un))
    V2 = p * p + s * s
    if V2 == 0.0:
        return (0.0, 0.0, 0.0), (un, s, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    V, size = np.sqrt(V2), abs(s)
    alpha, sign = np.arctan2(p, size), (1.0 if s >= 0.0 else -1.0)
    per_speed = number_at(law, 0) * width
    by_p, by_s = size / V2, -sign * p / V2  # of the angle
    Cn, Cn_a, Cn_r = coefficient(law, 0, alpha, per_speed * p)
    Ct, Ct_a, Ct_r = coefficient(law, 1, alpha, per_speed * size)
    Cd, Cd_a, Cd_r = coefficient(law, 2, alpha, per_speed * V)
    flow = bn * Cd * V
    flow_p = bn * (Cd_a * by_p * V + (Cd_r + Cd) * p / V)
    flow_s = bn * (Cd_a * by_s * V + (Cd_r + Cd) * s / V)
    A, B = bn * Cn * p + flow, bt * Ct * size * s + flow * s
    A_p = bn * (Cn + Cn_r + p * Cn_a * by_p) + flow_p
    A_s = bn * p * Cn_a * by_s + flow_s
    B_s = bt * size * (2.0 * Ct + Ct_r + Ct_a * by_s * s) + flow + flow_s * s
    B_p = bt * size * s * Ct_a * by_p + flow_p * s
    q = 1.0 / p if p > 0.0 else 0.0
    return add3(scale3(A, un), scale3(B, t)), (un, s, A, A_p * q, A_s, B_s, B_p * q, B)


@kernel(fastmath=FUSED, **UNCOUNTED)
def any_drag(u, t, scale, law):
    """As :func:`law_drag`; without a law (0) that of physics/drag.py, in which b_n and b_t hold the coefficients."""
    if law != 0:
        return law_drag(u, t, scale, law)
    force, (un, s, across, along, slope) = drag(u, t, scale[0], scale[1])
    return force, (un, s, across, slope, 0.0, 2.0 * along, 0.0, along * s)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def law_by_velocity(t, parts):
    r"""Derivative of :func:`law_drag` by the relative velocity, a matrix of 9 numbers.

    Source: derivative of :func:`law_drag`.    t, parts : as there

    .. math:: \frac{\partial f}{\partial u} = A (I - t t^T) + \frac{A_p}{p} u_n u_n^T + A_s u_n t^T + B_s t t^T
              + \frac{B_p}{p} t u_n^T
    """
    un, _, A, A_p, A_s, B_s, B_p, _ = parts
    across = outer(un, add3(scale3(A_p, un), scale3(A_s, t)))
    along = outer(t, add3(scale3(B_s - A, t), scale3(B_p, un)))
    return plus_unit(add9(across, along), A)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def law_by_tangent(u, t, parts):
    r"""Derivative of :func:`law_drag` by the tangent (N/m), a matrix of 9 numbers, of the formula as it stands.

    Source: derivative of :func:`law_drag`, with t free in space as in :func:`ropewalk.physics.drag.drag_by_tangent`.

    .. math:: \frac{\partial f}{\partial t} = -A (t u^T + s I) + u_n \left(A_s u - s \frac{A_p}{p} u_n\right)^T + B I
              + t \left(B_s u - s \frac{B_p}{p} u_n\right)^T
    """
    un, s, A, A_p, A_s, B_s, B_p, B = parts
    across = outer(un, add3(scale3(A_s, u), scale3(-s * A_p, un)))
    along = outer(t, add3(scale3(B_s - A, u), scale3(-s * B_p, un)))
    return plus_unit(add9(across, along), B - s * A)


@kernel
def law_samples(u, t, scale, law, force, slope):
    """As :func:`law_drag` and :func:`law_by_velocity`, for many velocities past each of h members.

    u : (h, q, 3) m/s    t : (h, 3) unit tangents    scale : (h, 3) as of :func:`law_drag`    law : (h,) addresses
    force : (h, q, 3) N, filled    slope : (h, q, 9) N s/m, filled
    """
    for i in range(u.shape[0]):
        tangent, own = (t[i, 0], t[i, 1], t[i, 2]), (scale[i, 0], scale[i, 1], scale[i, 2])
        for k in range(u.shape[1]):
            f, parts = law_drag((u[i, k, 0], u[i, k, 1], u[i, k, 2]), tangent, own, law[i])
            by_u = law_by_velocity(tangent, parts)
            for m in range(3):
                force[i, k, m] = f[m]
            for m in range(9):
                slope[i, k, m] = by_u[m]
