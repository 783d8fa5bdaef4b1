r"""Water on a panel of netting that is taken as a screen (physics/screens.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.model.arrays import Records, records
from ropewalk.model.nets import MORISON, Nets
from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    ZERO3,
    ZERO9,
    add3,
    dot,
    outer,
    plus_unit,
    scale3,
    scale9,
    sub3,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics.rigidbody import cross3
from ropewalk.physics.screens import VISCOSITY, screen_coefficients

SCREEN = np.dtype(
    [
        ("corner", "i8", (4,)),  # nodes in order round its edge; the fourth is -1 for a triangle
        ("kind", "i8"),  # of physics/screens.py
        ("solidity", "f8"),  # twine area over outline area
        ("twine", "f8"),  # diameter, m, for the Reynolds number
        ("wake", "f8"),  # factor on the velocity of the water, 1 outside wakes
        ("blunt", "f8"),  # cosine below which the kink of a screen along the flow is rounded off; 0 as it is
    ],
    align=True,
)
SMALLEST_SPEED = 1e-12  # m/s: slower water has no direction and no force
SMALLEST_AREA = 1e-14  # m2: a screen folded to a line has no normal and no force


def screen_records(nets: Nets, rows: Any) -> Records:
    """(s,) of SCREEN, of the nets that have a screen model.  rows : (k,) where the knots are in arrays of places"""
    kind = np.repeat(nets.kind, np.diff(nets.screen_start))
    own = np.flatnonzero(kind != MORISON)
    made = records(own.size, SCREEN)
    made.corner = np.where(nets.screen[own] >= 0, rows[nets.screen[own]], -1)
    made.kind, made.solidity, made.twine, made.wake = kind[own], nets.solidity[own], nets.twine[own], nets.wake[own]
    return made


@kernel(fastmath=FUSED, **UNCOUNTED)
def water_on_screen(screen, corners, u, rho):
    r"""Force of the water on a screen (N), and the derivative of its drag by velocity (N s/m).

    .. math:: f = \tfrac12 \rho A |u|^2 (C_D e_u + C_L e_L), \qquad
              e_L = \frac{n - (n \cdot e_u)\, e_u}{|n - (n \cdot e_u)\, e_u|},

    n the normal on the lee side. The area vector is half the cross product of the diagonals, exact for a flat screen; a
    triangle has its third corner twice. The derivative is that at constant angle,
    :math:`\tfrac12 \rho A C_D (|u| I + u u^T / |u|)`, enough for steps that are implicit in it. On the way to an
    equilibrium :math:`\cos\theta` is :math:`\sqrt{(n \cdot e_u)^2 + \epsilon^2}`, with :math:`\epsilon` the `blunt` of
    the screen, and 0 elsewhere.

    Source: [Loland1991], eqs. of physics/screens.py.

    screen : record of SCREEN    corners : four places, m    u : water minus screen velocity, m/s    rho : kg/m3
    """
    a, b, c, d = corners
    area = scale3(0.5, cross3(sub3(c, a), sub3(d, b)))
    size, speed = np.sqrt(dot(area, area)), np.sqrt(dot(u, u))
    if speed < SMALLEST_SPEED or size < SMALLEST_AREA:
        return ZERO3, ZERO9
    e = scale3(1.0 / speed, u)
    side = dot(area, e) / size
    cosine = np.sqrt(side * side + screen.blunt * screen.blunt)
    n = scale3((side / cosine if cosine > 0.0 else 1.0) / size, area)
    cosine = min(1.0, cosine)
    sine = np.sqrt(1.0 - cosine * cosine)
    re = screen.twine * speed / (VISCOSITY * (1.0 - screen.solidity))
    drag, lift = screen_coefficients(screen.kind, np.arccos(cosine), screen.solidity, re)
    pressure = 0.5 * rho * size * speed
    over = lift / sine if sine > 0.0 else 0.0  # the lift vanishes with sin(2 theta), so the ratio stays finite
    force = scale3(pressure * speed, add3(scale3(drag - over * cosine, e), scale3(over, n)))
    return force, plus_unit(scale9(pressure * drag, outer(e, e)), pressure * drag)
