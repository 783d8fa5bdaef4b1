r"""Strings at rest in a current, integrated again from node to node: for the audit's short way, apart from the methods.

.. math:: r' = \left(1 + \frac{|n|}{EA}\right) t, \qquad n' = w\, e_z - \left(1 + \frac{|n|}{EA}\right) f_D(u(z), t),
          \qquad t = \frac{n}{|n|}

by classical Runge-Kutta steps. Coefficients of drag are constant and the current has a profile; other laws of drag,
currents by functions and the water surface are left to the long way. No method uses this file.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ropewalk.model.arrays import Array
from ropewalk.numerics.blockelimination import UNCOUNTED, add3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.physics.current import POWER, POWER_LAYER, TABLE

STEPS = 8  # along a leg: what is left of fourth order is some 1e-9 of the forces at a fiftieth of a line
TINY = 1e-300  # N: keeps the direction of a force that is zero finite


class Flow(NamedTuple):
    """A current over a plane bed, and what it acts on."""

    kind: int  # UNIFORM, POWER or TABLE of physics/current.py
    speed: float  # m/s
    heading: float  # rad
    exponent: float
    depth: float  # m
    table: Array  # (n, 3) z rising (m), speed (m/s), heading (rad)
    drag_normal: Array  # (n_sections,) coefficient times diameter, m
    drag_tangential: Array  # (n_sections,) m
    hung_area: Array  # (n_attachments,) coefficient times area, m2


@kernel(**UNCOUNTED)
def current_over(flow, z):
    r"""Velocity of the current at a height z (m), m/s, of a power law or straight between the rows of a table.

    .. math:: U = U_0 \left(\frac{z + d}{d}\right)^p, \qquad \text{straight below } 10^{-4} d

    Source: docs/theory/morison.md, Current.    flow : `Flow`
    """
    speed, heading = flow.speed, flow.heading
    if flow.kind == TABLE:
        table, last = flow.table, flow.table.shape[0] - 1
        x = min(max(min(z, 0.0), table[0, 0]), table[last, 0])
        i = 0
        while i < last - 1 and table[i + 1, 0] < x:
            i += 1
        share = (x - table[i, 0]) / (table[i + 1, 0] - table[i, 0]) if last > 0 else 0.0
        j = min(i + 1, last)
        speed = table[i, 1] + share * (table[j, 1] - table[i, 1])
        heading = table[i, 2] + share * (table[j, 2] - table[i, 2])
    elif flow.kind == POWER and flow.depth < math.inf:
        share = min(1.0, max(0.0, (z + flow.depth) / flow.depth))
        speed *= share * POWER_LAYER ** (flow.exponent - 1.0) if share < POWER_LAYER else share**flow.exponent
    return speed * math.cos(heading), speed * math.sin(heading), 0.0


@kernel(**UNCOUNTED)
def drag_on(flow, density, section, z, t):
    r"""Drag of the current on a section per stretched length, N/m.

    .. math:: f_D = \tfrac12 \rho \left(c_n d\, |u_n|\, u_n + c_t \pi d\, |u_t|\, u_t\right)

    Source: [Morison1950]; docs/theory/morison.md, Drag.    flow : `Flow`    density : kg/m3    t : unit tangent
    """
    u = current_over(flow, z)
    along = dot(u, t)
    across = sub3(u, scale3(along, t))
    half = 0.5 * density
    own = scale3(half * flow.drag_normal[section] * math.sqrt(dot(across, across)), across)
    return add3(own, scale3(half * flow.drag_tangential[section] * abs(along) * along, t))


@kernel(**UNCOUNTED)
def drag_on_lump(flow, density, area, z):
    """Drag of the current on a lump, N: F = rho A |u| u / 2. Source: docs/theory/morison.md, Drag.  area : m2"""
    u = current_over(flow, z)
    return scale3(0.5 * density * area * math.sqrt(dot(u, u)), u)


@kernel(**UNCOUNTED)
def _slope(flow, density, made, z, n):
    """r' = nu t and n' = w e_z - nu f_D of the string, nu = 1 + |n|/EA.

    Source: the heading of this file.    made : section, weight (N/m), flexibility (1/N)
    """
    section, weight, flexibility = made
    tension = math.sqrt(dot(n, n))
    t = scale3(1.0 / max(tension, TINY), n)
    stretch = 1.0 + flexibility * tension
    load = scale3(stretch, drag_on(flow, density, section, z, t))
    return scale3(stretch, t), (-load[0], -load[1], weight - load[2])


@kernel(**UNCOUNTED)
def drift(flow, density, made, r, n, length):
    r"""Place (m) and force (N) at the end of a leg, and its highest place on the way (m).

    .. math:: y_1 = y_0 + \tfrac{h}{6} (k_1 + 2 k_2 + 2 k_3 + k_4)

    Source: classical Runge-Kutta method of fourth order, [Hairer1993], sec. II.1.

    flow : `Flow`    made : section, weight (N/m), flexibility (1/N)    r, n : at its start    length : m
    """
    h, top = length / STEPS, r[2]
    for _ in range(STEPS):
        r1, n1 = _slope(flow, density, made, r[2], n)
        r2, n2 = _slope(flow, density, made, r[2] + 0.5 * h * r1[2], add3(n, scale3(0.5 * h, n1)))
        r3, n3 = _slope(flow, density, made, r[2] + 0.5 * h * r2[2], add3(n, scale3(0.5 * h, n2)))
        r4, n4 = _slope(flow, density, made, r[2] + h * r3[2], add3(n, scale3(h, n3)))
        r = add3(r, scale3(h / 6.0, add3(add3(r1, r4), scale3(2.0, add3(r2, r3)))))
        n = add3(n, scale3(h / 6.0, add3(add3(n1, n4), scale3(2.0, add3(n2, n3)))))
        top = max(top, r[2])
    return r, n, top
