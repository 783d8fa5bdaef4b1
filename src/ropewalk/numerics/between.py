r"""From one pose to the next: rotation vectors with their rates, and cubics that meet positions and velocities."""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import quaternion_conjugate, quaternion_log, quaternion_product, tangent_so3_inverse


@kernel
def turn_and_rate(q, base, rate):
    r"""Rotation vector (rad) from an attitude to another, about world axes, and its rate (rad/s), as (2, 3).

    Source: logarithm and inverse tangent map of SO(3), [Sola2018].

    .. math:: \theta = \log(q\, q_0^*), \qquad \dot\theta = T^{-1}(-\theta)\, \omega

    q, base : (4,) quaternions, scalar first; q of any length, base unit    rate : (3,) angular velocity, world, rad/s
    """
    length = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    out = np.empty((2, 3))
    turn = quaternion_log(quaternion_product(q / length, quaternion_conjugate(base)))
    inverse = tangent_so3_inverse(-turn)
    for p in range(3):
        out[0, p] = turn[p]
        out[1, p] = inverse[p, 0] * rate[0] + inverse[p, 1] * rate[1] + inverse[p, 2] * rate[2]
    return out


@kernel
def cubics_between(x0, v0, x1, v1, h, out):
    r"""Cubics in time that meet positions and velocities at both ends of a step, highest power first, into `out`.

    Source: cubic Hermite interpolation, [Press2007], sec. 3.6.

    .. math:: x = x_0 + v_0 \tau + \left(3\frac{x_1 - x_0}{h} - 2 v_0 - v_1\right)\frac{\tau^2}{h}
              + \left(2\frac{x_0 - x_1}{h} + v_0 + v_1\right)\frac{\tau^3}{h^2}

    x0, v0, x1, v1 : (n, 3)    h : s    out : (n, 4, 3)
    """
    for n in range(x0.shape[0]):
        for p in range(3):
            way = (x1[n, p] - x0[n, p]) / h
            out[n, 0, p] = (v0[n, p] + v1[n, p] - 2.0 * way) / (h * h)
            out[n, 1, p] = (3.0 * way - 2.0 * v0[n, p] - v1[n, p]) / h
            out[n, 2, p] = v0[n, p]
            out[n, 3, p] = x0[n, p]
