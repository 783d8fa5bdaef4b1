r"""Drag on a slender member in cross flow and along it, per unit length.

The kernels take the two products

.. math:: b_n = \tfrac12 \rho\, c_n d, \qquad b_t = \tfrac12 \rho\, c_t \pi d,

the tangential one on the circumference, so its diameter is pi d, or d itself where a source refers its coefficient to
the diameter. Multiplied by a length they give the drag of that length.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED, add3, add9, dot, outer, plus_unit, scale3, scale9
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import where


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def drag(u, t, bn, bt):
    r"""Drag of the water per unit length (N/m), and the parts that its derivatives are made of.

    .. math:: f = b_n |u_n|\, u_n + b_t |u_t|\, u_t, \qquad u_t = (u \cdot t)\, t, \quad u_n = u - u_t

    Source: [Morison1950], drag term, with the cross-flow principle [Hoerner1965], ch. 3.

    u : 3 numbers, water minus member velocity, m/s    t : 3 numbers, unit tangent    bn, bt : kg/m2
    Returns f; and u_n, s = u.t, b_n |u_n|, b_t |s| and b_n / |u_n| (0 without cross flow).
    """
    s = dot(u, t)
    un = add3(u, scale3(-s, t))
    speed = np.sqrt(dot(un, un))
    across, along = bn * speed, bt * abs(s)
    slope = bn / where(speed > 0.0, speed, np.inf)
    return add3(scale3(across, un), scale3(along * s, t)), (un, s, across, along, slope)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def drag_by_velocity(t, parts):
    r"""Derivative of :func:`drag` by the relative velocity (N s/m2), a matrix of 9 numbers.

    Source: docs/theory/morison.md, Drag.

    .. math:: \frac{\partial f}{\partial u} = b_n \left(|u_n| (I - t t^T) + \frac{u_n u_n^T}{|u_n|}\right)
        + 2 b_t |s|\, t t^T

    t : as there    parts : what it returns beside the force
    """
    un, _, across, along, slope = parts
    return plus_unit(add9(outer(scale3(slope, un), un), outer(scale3(2.0 * along - across, t), t)), across)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def drag_by_tangent(u, t, parts):
    r"""Derivative of :func:`drag` by the tangent (N/m), a matrix of 9 numbers.

    Source: derivative of :func:`drag`, docs/theory/morison.md, Drag.

    .. math:: \frac{\partial f}{\partial t} = -b_n \left(|u_n| (t u^T + s I) + s \frac{u_n u_n^T}{|u_n|}\right)
        + b_t |s| (2\, t u^T + s I)

    It is that of the formula as it stands, with t free in space; multiply it by the derivative of the unit tangent,
    (I - t t^T)/length, and the formula for other lengths of t does not matter. Continuous; where
    u_n = 0 its terms are zero.

    u, t : as there    parts : what it returns beside the force
    """
    un, s, across, along, slope = parts
    turned = add9(outer(scale3(2.0 * along - across, t), u), scale9(-s * slope, outer(un, un)))
    return plus_unit(turned, s * (along - across))
