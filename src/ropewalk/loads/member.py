r"""Water on a slender member: partial submergence, buoyancy, drag, added mass and Froude-Krylov force.

A member is cut into halves at its nodes. With the wet share w of a half, its length l and the laws of physics/drag.py
and physics/addedmass.py the water acts on it with

.. math:: F = w \left( l\, f_D(u, t) + \rho V (g\, e_z + a_w) + M_a(t)\, (a_w - a) \right).

Methods differ in where they take u, t and a along a half, not in the force: they call the kernels of this file.
Vectors are tuples of 3 numbers, matrices of 9, row by row (numerics/blockelimination.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import overload

from ropewalk.model.arrays import Records, put
from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    ZERO3,
    ZERO9,
    add3,
    add9,
    dot,
    onto,
    outer,
    plus_unit,
    scale3,
    scale9,
    sub3,
    sub9,
)
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import all_of, where
from ropewalk.physics.addedmass import added_mass, water_inertia
from ropewalk.physics.drag import drag
from ropewalk.physics.drag_law import law_by_tangent, law_by_velocity, law_drag

# What the kernels read of a member; records of members may have more fields.
MEMBER_FIELDS = [
    ("length", "f8"),  # unstretched, m
    ("half_volume", "f8"),  # of half a member, m3
    ("drag_normal", "f8"),  # half density, coefficient and diameter, kg/m2
    ("drag_tangential", "f8"),  # kg/m2
    ("half_added_normal", "f8"),  # added mass of half a member, kg
    ("half_added_tangential", "f8"),  # kg
    ("thickness", "f8"),  # height over which a section passes the water surface, m
]
DRAG_LAW = ("drag_law", "i8")  # address of a law of physics/drag_law.py, 0 for constant coefficients
MEMBER = np.dtype([*MEMBER_FIELDS, DRAG_LAW], align=True)


class Sizes(NamedTuple):
    """What members are made of; arrays of one entry per member, or numbers."""

    length: Any  # m
    area: Any  # displaced volume per metre, m2
    width: Any  # height of a section, m
    drag_normal: Any  # coefficient times diameter, m
    drag_tangential: Any  # m
    added_normal: Any  # multiples of the displaced mass
    added_tangential: Any
    drag_law: Any = 0  # address of a law of physics/drag_law.py; the coefficients above are then 1


LEVEL = 1e-3  # of a member's length: a level one passes the surface over at least this height
FLAT = 1e-6  # of the thickness: a stretch whose ends differ less in height is level


def fill_members(rows: Records, sizes: Sizes, rho: float) -> None:
    """Fill the fields of MEMBER in `rows`.  rho : of the water, kg/m3"""
    displaced = rho * sizes.area * sizes.length
    put(
        rows,
        length=sizes.length,
        half_volume=0.5 * sizes.area * sizes.length,
        drag_normal=0.5 * rho * sizes.drag_normal,
        drag_tangential=0.5 * rho * sizes.drag_tangential,
        half_added_normal=0.5 * displaced * sizes.added_normal,
        half_added_tangential=0.5 * displaced * sizes.added_tangential,
        thickness=np.maximum(sizes.width, LEVEL * sizes.length),
    )
    if "drag_law" in rows.dtype.names:
        put(rows, drag_law=sizes.drag_law)


@kernel(**UNCOUNTED)
def _submerged_height(z, thickness):
    r"""Integral G(z) over height of the wet fraction of a section (m): 1 below, 0 above, a ramp between.

    .. math:: G = z \;(z \le -\tfrac{D}{2}), \qquad G = -\frac{(D/2 - z)^2}{2 D}, \qquad G = 0 \;(z \ge \tfrac{D}{2})

    Source: own approximation of a round section by one of linear width.    z : height, m    thickness : D, m
    """
    half = 0.5 * thickness
    return where(z <= -half, z, where(z >= half, 0.0, -0.5 * (half - z) * (half - z) / thickness))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def wet_share(z1, z2, thickness):
    r"""Share of a stretch of line that is under water, and its derivatives by the heights of its two ends.

    Source: mean of the wet fraction along a straight stretch, docs/theory/mixed_elements.md, Elements.

    .. math:: w = \frac{G(z_2) - G(z_1)}{z_2 - z_1}, \qquad G' = \text{wet share of a section at height } z

    exact for a straight stretch; level stretches pass the surface over their thickness.

    z1, z2 : heights above the surface, m    thickness : m
    """
    half = 0.5 * thickness
    below, above = (z1 <= -half) & (z2 <= -half), (z1 >= half) & (z2 >= half)
    if all_of(below):
        return 1.0, 0.0, 0.0
    if all_of(above):
        return 0.0, 0.0, 0.0
    w1 = min(1.0, max(0.0, 0.5 - z1 / thickness))
    w2 = min(1.0, max(0.0, 0.5 - z2 / thickness))
    is_level = abs(z2 - z1) < FLAT * thickness
    level_slope = where((w1 <= 0.0) | (w1 >= 1.0), 0.0, -0.5 / thickness)
    dz = where(is_level, thickness, z2 - z1)
    w = (_submerged_height(z2, thickness) - _submerged_height(z1, thickness)) / dz
    by_first, by_second = where(is_level, level_slope, (w - w1) / dz), where(is_level, level_slope, (w2 - w) / dz)
    w, beyond = where(is_level, 0.5 * (w1 + w2), w), below | above
    return where(beyond, where(below, 1.0, 0.0), w), where(beyond, 0.0, by_first), where(beyond, 0.0, by_second)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def wet_half(member, heights):
    r"""Wet share of the half of a member at its first node, and its derivatives by the heights of both nodes (1/m).

    .. math:: w = w(z_1,\, \tfrac12 (z_1 + z_2))

    Source: :func:`wet_share` of the half between the node and the middle.

    member : record    heights : of the half's own node and of the other one above the surface over them, m
    """
    own, other = heights
    w, by_own, by_middle = wet_share(own, 0.5 * (own + other), member.thickness)
    return w, by_own + 0.5 * by_middle, 0.5 * by_middle


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def lift_on_half(member, w, t, aw, a, fluid):
    r"""Buoyancy, Froude-Krylov force and added mass on a half of a member (N).

    Source: [Morison1950]; docs/theory/morison.md, Inertia and Weight, buoyancy and effective tension.

    .. math:: F = w \left(\rho V (g\, e_z + a_w) + M_a (a_w - a)\right)

    w : wet share    t : unit tangent    aw, a : of the water and of the member, m/s2    fluid : rho (kg/m3), g (m/s2)
    """
    rho, g = fluid
    displaced = rho * member.half_volume * w
    f = water_inertia(t, aw, a, displaced, w * member.half_added_normal, w * member.half_added_tangential)
    return f[0], f[1], f[2] + g * displaced


def water_on_half(member, t, span, heights, water, motion, fluid, step):
    r"""Force of the water on a half of a member (N), the drag in it, and its derivatives.

    .. math:: F = \tfrac12 |d|\, w \left(b_n |u_n| u_n + b_t |u_t| u_t\right)
              + w \left(\rho V (g\, e_z + a_w) + M_a (a_w - a)\right)

    Source: [Morison1950]; docs/theory/morison.md, Drag and Inertia; the wet share w of :func:`wet_half`.

    The tangent by the chord d of the member follows from :math:`\partial t / \partial d = (1 - t t^T)/|d|` and from
    the length in the drag, :math:`t^T / |d|`.

    member : record    t, span : unit tangent and length (m) of the chord    heights : as in :func:`wet_half`
    water : velocity and acceleration of the water at the half    motion : of the half, m/s and m/s2
    fluid : rho (kg/m3), g (m/s2)    step : derivatives of acceleration (1/s2) and velocity (1/s) by position
    Returns the force; the drag in it; minus the derivative of the force by position through velocity and acceleration;
    that by the chord; and the wet share with its derivatives by the heights of its own and of the other node.
    """
    if "drag_law" in member.dtype.names and member.drag_law != 0:
        return law_on_half(member, t, span, heights, water, motion, fluid, step)
    return constant_on_half(member, t, span, heights, water, motion, fluid, step)


@overload(water_on_half, inline="always")
def _water_on_half(member, t, span, heights, water, motion, fluid, step):
    """As it stands in Python; records without a law, those of lanes among them, have no branch."""
    if isinstance(member, types.Record) and "drag_law" in member.fields:

        def by_law(member, t, span, heights, water, motion, fluid, step):
            if member.drag_law != 0:
                return law_on_half(member, t, span, heights, water, motion, fluid, step)
            return constant_on_half(member, t, span, heights, water, motion, fluid, step)

        return by_law

    def constant(member, t, span, heights, water, motion, fluid, step):
        return constant_on_half(member, t, span, heights, water, motion, fluid, step)

    return constant


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def constant_on_half(member, t, span, heights, water, motion, fluid, step):
    """As :func:`water_on_half`, with drag coefficients that are constant."""
    w, by_own, by_other = wet_half(member, heights)
    if all_of((w == 0.0) & (by_own == 0.0) & (by_other == 0.0)):
        return ZERO3, ZERO3, ZERO9, ZERO9, 0.0, 0.0, 0.0
    (uw, aw), (v, a), (bp, gp) = water, motion, step
    half = 0.5 * span * w
    resisted, (un, s, ca, cb, slope) = drag(sub3(uw, v), t, half * member.drag_normal, half * member.drag_tangential)
    force = add3(resisted, lift_on_half(member, w, t, aw, a, fluid))
    normal = member.half_added_normal * w
    excess = member.half_added_tangential * w - normal
    da = sub3(aw, a)
    push = excess * dot(da, t)
    by_un, by_t = scale3(gp * slope, un), scale3(gp * (2.0 * cb - ca) + bp * excess, t)
    resistance = plus_unit(add9(outer(by_un, un), outer(by_t, t)), gp * ca + bp * normal)
    # by the tangent, times (1 - t t^T)/span, and by the length, drag/span; un is normal to t, so little of it remains
    q = 1.0 / span
    ahead = add3(scale3(q * (2.0 * cb - ca), un), add3(scale3(q * excess, da), scale3(q * (ca * s - 2.0 * push), t)))
    across = add3(scale3(q * ca, t), scale3(-q * s * slope, un))
    by_chord = plus_unit(add9(outer(t, ahead), outer(un, across)), q * ((cb - ca) * s + push))
    return force, resisted, resistance, by_chord, w, by_own, by_other


@kernel(fastmath=FUSED, **UNCOUNTED)
def law_on_half(member, t, span, heights, water, motion, fluid, step):
    """As :func:`water_on_half`, with the drag coefficients of a law (physics/drag_law.py)."""
    w, by_own, by_other = wet_half(member, heights)
    if (w == 0.0) and (by_own == 0.0) and (by_other == 0.0):
        return ZERO3, ZERO3, ZERO9, ZERO9, 0.0, 0.0, 0.0
    (uw, aw), (v, a), (bp, gp) = water, motion, step
    half, u, da = 0.5 * span * w, sub3(uw, v), sub3(aw, a)
    scale = (half * member.drag_normal, half * member.drag_tangential, member.drag_normal)
    resisted, parts = law_drag(u, t, scale, member.drag_law)
    force = add3(resisted, lift_on_half(member, w, t, aw, a, fluid))
    normal, tangential = w * member.half_added_normal, w * member.half_added_tangential
    resistance = add9(scale9(gp, law_by_velocity(t, parts)), scale9(bp, added_mass(t, normal, tangential)))
    excess = tangential - normal
    by_tangent = add9(law_by_tangent(u, t, parts), plus_unit(outer(scale3(excess, t), da), excess * dot(da, t)))
    across = sub9(by_tangent, outer(onto(by_tangent, t), t))
    by_chord = scale9(1.0 / span, add9(across, outer(resisted, t)))
    return force, resisted, resistance, by_chord, w, by_own, by_other
