r"""Drag of a current on strings and lumps at rest.

.. math:: f_D = \tfrac12 \rho \left(c_n d\, |u_n|\, u_n + c_t \pi d\, |u_t|\, u_t + c_d d\, |u|\, u\right)

with constant coefficients, or with those of a law by angle and Reynolds number; the current has a profile over the
depth or is a function of place and time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ropewalk.model.arrays import Array
from ropewalk.numerics.blockelimination import UNCOUNTED, add3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.pointers import call_three
from ropewalk.physics.current import FUNCTION, POWER, POWER_LAYER, TABLE
from ropewalk.physics.drag_law import coefficient
from ropewalk.physics.screens import VISCOSITY


class Current(NamedTuple):
    """A current over a plane bed."""

    kind: int  # UNIFORM, POWER, TABLE or FUNCTION of physics/current.py
    speed: float  # m/s
    heading: float  # rad
    exponent: float
    depth: float  # m
    table: Array  # (n, 3) z rising (m), speed (m/s), heading (rad)
    address: int  # of a function of place and time, numerics/pointers.py
    time: float  # s, of that function


class Drags(NamedTuple):
    """What a current acts on."""

    normal: Array  # (n_sections,) coefficient times diameter, m
    tangential: Array  # (n_sections,) m
    hung: Array  # (n_attachments,) coefficient times area, m2


@kernel(**UNCOUNTED)
def current_over(current, r):
    r"""Velocity of the current at a place r (m), m/s: of a power law, straight between the rows of a table, a function.

    .. math:: U = U_0 \left(\frac{z + d}{d}\right)^p, \qquad \text{straight below } 10^{-4} d

    Source: docs/theory/waves.md, Current and wind.    current : `Current`
    """
    speed, heading, z = current.speed, current.heading, r[2]
    if current.kind == FUNCTION:
        return call_three(current.address, (r[0], r[1], z, current.time))
    if current.kind == TABLE:
        table, last = current.table, current.table.shape[0] - 1
        x = min(max(min(z, 0.0), table[0, 0]), table[last, 0])
        i = 0
        while i < last - 1 and table[i + 1, 0] < x:
            i += 1
        share = (x - table[i, 0]) / (table[i + 1, 0] - table[i, 0]) if last > 0 else 0.0
        j = min(i + 1, last)
        speed = table[i, 1] + share * (table[j, 1] - table[i, 1])
        heading = table[i, 2] + share * (table[j, 2] - table[i, 2])
    elif current.kind == POWER and current.depth < math.inf:
        share = min(1.0, max(0.0, (z + current.depth) / current.depth))
        speed *= share * POWER_LAYER ** (current.exponent - 1.0) if share < POWER_LAYER else share**current.exponent
    return speed * math.cos(heading), speed * math.sin(heading), 0.0


@kernel(forceinline=True, **UNCOUNTED)
def drag_of(u, t, widths, by_law, law):
    r"""Drag of a velocity u (m/s) past a section with the unit tangent t over half the density, m3/s2.

    .. math:: c_n d\, |u_n|\, u_n + c_t \pi d\, |u_t|\, u_t + c_d d\, |u|\, u, \qquad
              \alpha = \arctan(|u_n| / |u_t|), \quad Re = \frac{d}{\nu} (|u_n|,\ |u_t|,\ |u|)

    Source: [Morison1950]; docs/reference/laws.md.

    widths : coefficient times diameter across and along, m; the diameters alone of sections with a law
    by_law : None where no section has a law    law : address, 0 of constant coefficients
    """
    along = dot(u, t)
    across = sub3(u, scale3(along, t))
    p, size = math.sqrt(dot(across, across)), abs(along)
    if by_law is not None and law != 0:
        angle, whole, re = math.atan2(p, size), math.hypot(p, size), widths[0] / VISCOSITY
        cn, ct = coefficient(law, 0, angle, re * p)[0], coefficient(law, 1, angle, re * size)[0]
        cd = coefficient(law, 2, angle, re * whole)[0]
        own = add3(scale3(widths[0] * cn * p, across), scale3(widths[1] * ct * size * along, t))
        return add3(own, scale3(widths[0] * cd * whole, u))
    return add3(scale3(widths[0] * p, across), scale3(widths[1] * size * along, t))


@kernel(**UNCOUNTED)
def drag_on_lump(current, density, area, r):
    """Drag on a lump at r (m), N: F = rho A |u| u / 2. Source: docs/theory/morison.md, Drag.  area : A, m2"""
    u = current_over(current, r)
    return scale3(0.5 * density * area * math.sqrt(dot(u, u)), u)
