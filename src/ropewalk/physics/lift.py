r"""Lift of vortices that a slender member sheds across the flow: the synchronisation model.

With :math:`u_n` the water's velocity across the member, relative to it, and t its tangent,

.. math:: f = \tfrac12 \rho\, d\, C_l\, |u_n| \cos\phi\; (t \times u_n), \qquad
          \dot\phi = 2 \pi \frac{|u_n|}{d} \left(\hat f_0 + \Delta\hat f \sin(\phi_y - \phi)\right),

per unit length. :math:`\phi_y` is the phase of the member's own velocity across the flow,
:math:`\mathrm{atan2}(-\ddot y / \ddot y_{rms}, \dot y / \dot y_{rms})`: within the range :math:`\hat f_0 \pm
\Delta\hat f` of non-dimensional frequencies the lift locks on to the motion. Source: [Thorsen2014], eqs. (1) to (6).
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED, ZERO3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel

LIFT = np.dtype(
    [
        ("coefficient", "f8"),  # C_l, 0 for none
        ("diameter", "f8"),  # m
        ("centre", "f8"),  # of the non-dimensional frequencies
        ("width", "f8"),  # of their range to either side
    ],
    align=True,
)

WINDOW = 4.0  # periods of shedding over which the squares of velocity and acceleration are averaged
STILL = 1e-9  # m/s: flow below it sheds nothing


@kernel(fastmath=FUSED, **UNCOUNTED)
def cross_flow(u, t):
    r"""Flow across a member: its speed (m/s), and the vector (m/s) of that size across flow and member.

    .. math:: u_n = u - (u \cdot t)\, t, \qquad t \times u_n

    Source: [Thorsen2014], eqs. (1) to (6).

    u : water minus member velocity, m/s    t : unit tangent
    """
    un = sub3(u, scale3(dot(u, t), t))
    across = (t[1] * un[2] - t[2] * un[1], t[2] * un[0] - t[0] * un[2], t[0] * un[1] - t[1] * un[0])
    return np.sqrt(dot(un, un)), across


@kernel(fastmath=FUSED, **UNCOUNTED)
def motion_phase(speed, rate, squares):
    r"""Phase of a motion across the flow.

    .. math:: \phi_y = \operatorname{atan2}\left(-\ddot y/\ddot y_{rms},\; \dot y/\dot y_{rms}\right)

    Source: [Thorsen2014], eqs. (1) to (6).

    speed, rate : velocity (m/s) and acceleration (m/s2)    squares : means of their squares
    """
    v2, a2 = squares
    if v2 <= 0.0 or a2 <= 0.0:
        return np.arctan2(-rate, speed)
    return np.arctan2(-rate / np.sqrt(a2), speed / np.sqrt(v2))


@kernel(fastmath=FUSED, **UNCOUNTED)
def phase_rate(flow, phase, of_motion, law):
    r"""Rate of the phase of the lift (rad/s).

    .. math:: \dot\phi = 2 \pi \frac{|u_n|}{d} \left(\hat f_0 + \Delta\hat f \sin(\phi_y - \phi)\right)

    Source: [Thorsen2014], eqs. (1) to (6).

    flow : speed of the cross flow, m/s    phase, of_motion : of the lift and of the motion    law : record of LIFT
    """
    return 2.0 * np.pi * flow / law.diameter * (law.centre + law.width * np.sin(of_motion - phase))


@kernel(fastmath=FUSED, **UNCOUNTED)
def forgotten(h, flow, law):
    r"""Share of the mean squares that is left after a time h (s).

    .. math:: \exp\left(-\frac{h\, \hat f_0\, |u_n|}{n\, d}\right)

    Source: own exponential window of n = WINDOW shedding periods for the mean squares of :func:`motion_phase`.

    flow : speed of the cross flow, m/s    law : record of LIFT
    """
    if flow <= STILL:
        return 1.0
    return np.exp(-h * law.centre * flow / (WINDOW * law.diameter))


@kernel(fastmath=FUSED, **UNCOUNTED)
def lift_force(b, flow, across, phase):
    r"""Lift (N), zero below the speed STILL.

    .. math:: f = b\, |u_n| \cos\phi\; (t \times u_n), \qquad b = \tfrac12 \rho\, C_l\, d\, l

    Source: [Thorsen2014], eqs. (1) to (6).    b : kg/m    flow, across : of :func:`cross_flow`    phase : rad
    """
    if flow <= STILL:
        return ZERO3
    return scale3(b * flow * np.cos(phase), across)
