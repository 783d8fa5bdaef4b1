r"""Water on what is lumped at a point: a float, a clump weight, an attachment of a line.

Its volume V is a sphere at the surface (loads/float.py), its drag has no direction and its added mass neither:

.. math:: F = w \left(\tfrac12 \rho A_D |u|\, u + \rho V (g\, e_z + a_w) + m_a (a_w - a)\right)
"""

from __future__ import annotations

import numpy as np

from ropewalk.loads.float import radius_of, wet_sphere
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

# Fields of a point; records of points and nodes may have more.
POINT_FIELDS = [
    ("mass", "f8"),  # kg
    ("volume", "f8"),  # m3
    ("drag_area", "f8"),  # coefficient times area, m2
    ("added", "f8"),  # added mass, kg
    ("force", "f8", (3,)),  # given, N
]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def round_drag(u, b):
    r"""Drag of a body without direction (N), and its derivative by the relative velocity (N s/m).

    .. math:: f = b |u|\, u, \qquad \frac{\partial f}{\partial u} = b \left(|u| I + \frac{u u^T}{|u|}\right)

    The vector law; taken by components, as in [Otto2022], eq. (5.19), it would depend on the axes.

    u : water minus body velocity, m/s    b : half density, coefficient and area, kg/m
    """
    speed = np.sqrt(dot(u, u))
    over = b / speed if speed > 0.0 else 0.0
    return scale3(b * speed, u), plus_unit(scale9(over, outer(u, u)), b * speed)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def lump_of(point):
    """What the water acts on at a point, of its record: volume (m3), drag area (m2), added mass (kg). Bookkeeping."""
    return point.volume, point.drag_area, point.added


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def is_bare(point):
    """True if the water exerts no force on a point. Bookkeeping."""
    return point.volume == 0.0 and point.drag_area == 0.0 and point.added == 0.0


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def water_on_point(lump, height, water, motion, fluid):
    r"""Force of the water on a point (N), the drag in it, and its derivatives.

    .. math:: F = w \left(\tfrac12 \rho\, c_d A\, |u|\, u + \rho V (g\, e_z + a_w) + m_a (a_w - a)\right),
              \qquad u = u_w - v

    Source: [Morison1950]; docs/theory/morison.md, Point loads; w of :func:`ropewalk.loads.float.wet_sphere`.

    lump : of :func:`lump_of`    height : above the surface, m    water : its velocity (m/s) and acceleration (m/s2)
    motion : velocity and acceleration of the point    fluid : rho (kg/m3), g (m/s2)
    Returns the force; the drag in it; its derivative by the relative velocity (N s/m); minus that by the acceleration
    (kg); that by the height (N/m), without the water's own change with it; and the wet share.
    """
    (volume, drag_area, added), (uw, aw), (v, a), (rho, g) = lump, water, motion, fluid
    share, slope = wet_sphere(height, radius_of(volume))
    if share == 0.0:
        return ZERO3, ZERO3, ZERO9, 0.0, ZERO3, 0.0
    whole_drag, by_u = round_drag(sub3(uw, v), 0.5 * rho * drag_area)
    inertia = rho * volume
    whole = add3(whole_drag, add3(scale3(inertia, aw), scale3(added, sub3(aw, a))))
    whole = (whole[0], whole[1], whole[2] + inertia * g)
    by_height = scale3(slope, whole)
    return scale3(share, whole), scale3(share, whole_drag), scale9(share, by_u), share * added, by_height, share


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def still_lift(volume, height, fluid):
    """Lift (N) of what is lumped at a point in still water, and its derivative by the height (N/m).

    Source: F = rho g V w, :func:`water_on_point` at rest.    volume : m3    height : m    fluid : rho, g
    """
    F, _, _, _, by_height, _ = water_on_point((volume, 0.0, 0.0), height, (ZERO3, ZERO3), (ZERO3, ZERO3), fluid)
    return F[2], by_height[2]
