"""Springs, stops, dampers and friction between two parts: force along an axis, moment about one, or about any."""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.blockelimination import UNCOUNTED, dot, outer, plus_unit, scale3, scale9
from ropewalk.numerics.compile import kernel
from ropewalk.physics.rigidbody import cross3

SLIP = 2e-3  # m/s: speed at which dry friction comes to three quarters of its limit


@kernel(**UNCOUNTED)
def spring_law(law, way):
    r"""Force (N) of springs and stops on the second end along an axis, and its derivative (N/m): straight pieces.

    .. math:: f = f_k + \frac{f_{k+1} - f_k}{x_{k+1} - x_k} (x - x_k)

    Source: linear interpolation between the rows of the law, continued beyond its ends.

    law : record of AXIS_LAW of model/springs.py    way : of the second end along the axis, m
    """
    n = law.count
    if n == 0:
        return 0.0, 0.0
    k = 0
    while k < n - 2 and way > law.way[k + 1]:
        k += 1
    slope = (law.force[k + 1] - law.force[k]) / (law.way[k + 1] - law.way[k])
    return law.force[k] + slope * (way - law.way[k]), slope


@kernel(**UNCOUNTED)
def loss_law(law, rate, grip):
    r"""Force (N) of damper and friction on the second end along an axis, and its derivative (N s/m).

    Source: regularised Coulomb friction and a linear damper, docs/theory/ropes_and_nets.md, Links between bodies.

    .. math:: f = -c\,\dot x - (F + g) \tanh(\dot x / v_s)

    Coulomb's law, smooth over the slip speed :math:`v_s`.

    law : record of AXIS_LAW    rate : of x, m/s    grip : g, limit of friction by the force across the slide, N
    """
    limit = law.friction + grip
    share = np.tanh(rate / SLIP)
    return -law.damping * rate - limit * share, -law.damping - limit * (1.0 - share * share) / SLIP


@kernel(forceinline=True, **UNCOUNTED)
def hinge_law(stiffness, damping, turn, rate):
    r"""Moment (N m) on the first part of a hinge, its derivatives (N m/rad, N m s/rad), and the spring's energy (J).

    .. math:: M = k \theta + c\,\dot\theta, \qquad U = \tfrac12 k \theta^2

    Source: Hooke's law and a linear damper.

    stiffness : N m/rad    damping : N m s/rad    turn, rate : of the second part against the first, rad, rad/s
    """
    return stiffness * turn + damping * rate, stiffness, damping, 0.5 * stiffness * turn * turn


@kernel(forceinline=True, **UNCOUNTED)
def ball_moment(c, a, b):
    r"""Moment (N m) on the second part of a spring between directions of two parts that are one at rest.

    .. math:: U = c\,(1 - a \cdot b), \qquad M = c\, b \times a, \qquad
              \delta M = c\,(a \cdot b - a b^T)\,\theta_A - c\,(a \cdot b - b a^T)\,\theta_B

    Three such springs along a triad give the stiffness :math:`c_2 + c_3` about the first direction, and so on; the
    moment of a turn about one of them grows as its sine, and turns about two do not depend on their order.

    Source: potential of two directions that turn apart, docs/theory/ropes_and_nets.md, Links between bodies.

    c : N m    a, b : direction of the first and of the second part, world
    Returns the moment and its derivatives by the turns of both parts, N m/rad.
    """
    cosine = c * dot(a, b)
    by_a, by_b = plus_unit(scale9(-c, outer(a, b)), cosine), plus_unit(scale9(c, outer(b, a)), -cosine)
    return scale3(c, cross3(b, a)), by_a, by_b
