r"""Bodies on the sea bed: a hull stands on feet, points of its surface, each with the contact of loads/bed.py.

A foot at the arm e of the body (world), or below it by the radius of a sphere, touches at :math:`c = e - r n` with the
velocity :math:`\dot x + \omega \times c`, so a sunk body comes to rest where its weight and its lines leave it, and
slides if it is pulled. Friction that depends on speed holds nothing against a steady pull below its limit: a foot then
creeps at a share of the slip speed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.loads.bed import Bed, build_bed, contact, ground, heights_over
from ropewalk.model.arrays import Array, Records
from ropewalk.model.environment import bed_normals
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix
from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    add3,
    add9,
    dot,
    onto,
    outer,
    plus_unit,
    scale3,
    scale9,
    sub9,
    times,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics.rigidbody import add_block, add_column, cross3, hat9

FOOT = np.dtype(
    [
        ("place", "f8", (3,)),  # body frame, m
        ("radius", "f8"),  # m
        ("area", "f8"),  # m2
    ],
    align=True,
)
THROUGH = 1e-6  # m below the bed: more than round-off of what touches it
SHARE = 0.25  # of the largest section of a hull, on which a foot stands
BARE_AREA = 1.0  # m2, under the origin of a body without hull and volume: it must not fall through the bed


def build_feet(model: Model, k: int) -> Records:
    """(n,) of FOOT, of body k: those of its hulls, its spheres, or its origin."""
    bodies, rows = model.bodies, []
    for h in bodies.hulls_of(k):
        radius, feet, profile = float(bodies.hulls.radius[h]), bodies.hulls.feet(h), bodies.hulls.shape(h)
        if not feet.size:
            rows.append((bodies.hulls.place[h], radius, np.pi * radius**2))
            continue
        area = SHARE * np.pi * float(profile[:, 1].max()) ** 2
        rows += [(foot, 0.0, area) for foot in feet]
    if not rows:
        area = np.pi * (0.75 * bodies.volume[k] / np.pi) ** (2.0 / 3.0)
        rows = [(np.zeros(3), 0.0, area or BARE_AREA)]
    return _feet(rows)


def _feet(rows: list[Any]) -> Records:
    """Rows of place, radius and area as records."""
    return np.array([(tuple(place), radius, area) for place, radius, area in rows], FOOT).view(np.recarray)


def reach(feet: Records) -> float:
    """Distance from a body's origin within which its feet lie, m."""
    return float((np.linalg.norm(feet.place, axis=1) + feet.radius).max(initial=0.0))


def lowest_foot(feet: Records, x: Array, R: Array, bed: Bed) -> float:
    """Height of the lowest foot over the bed, m.  x, R : place (3,) m and attitude (3, 3)"""
    heights = heights_over(bed, x + feet.place @ R.T)[1] - feet.radius
    return float(heights.min(initial=np.inf))


def lifted(model: Model, state: State) -> Array:
    """Positions of the bodies, those that lie below the bed put on it: for methods without a bed for bodies."""
    sea = model.sea
    if not sea.has_seabed:
        return state.body_position
    bed = build_bed(sea)
    position = state.body_position
    for k in np.flatnonzero(model.bodies.joint == LOOSE):
        R = rotation_matrix(state.body_quaternion[k])
        height = lowest_foot(build_feet(model, int(k)), state.body_position[k], R, bed)
        if height < 0.0:
            position = position.copy() if position is state.body_position else position
            position[k] -= height * bed_normals(sea, position[k])
    return position


def body_below_bed(model: Model, state: State) -> str:
    """A sentence for the first free body that reaches below the bed, if one does: of methods without a bed for them."""
    if not model.sea.has_seabed:
        return ""
    position = lifted(model, state)
    for k in np.flatnonzero(model.bodies.joint == LOOSE):
        depth = float(np.linalg.norm(position[k] - state.body_position[k]))
        if depth > THROUGH:
            z = state.body_position[k, 2]
            return (
                f"body '{model.names.bodies[k]}' would reach {depth:.4g} m below the bed, its origin at z = {z:.4g} m"
            )
    return ""


@kernel(forceinline=True, **UNCOUNTED)
def is_near_bed(body, x, bed):
    """True if feet of a body at x may touch the bed: height of x above it < reach of the body (m).

    Source: definition of the reach; over a relief, which may rise beside the origin, any body with feet may touch it.

    body : record    x : tuple, m    bed : of `Bed`
    """
    if bed.x.size > 0:  # a relief may rise beside the origin
        return body.reach > -np.inf
    return ground(bed, x)[1] < body.reach


@kernel(**UNCOUNTED)
def feet_terms(body, foot, pose, rates, bed, gp, block):
    r"""Adds minus the forces of the bed on a body (N, N m), and their derivative, to its block.

    Source: :func:`ropewalk.loads.bed.contact` at every foot; docs/theory/bodies.md, The bed.

    .. math::
        \delta f = f_x (\delta x + \theta \times e) + f_v (\gamma' \delta x + \delta v_\theta), \quad
        \delta v_\theta = (\theta \times \omega + \gamma' Z \theta) \times c + \omega \times (\theta \times e), \quad
        \delta c = \theta \times e

    body : record    bed : of `Bed`    foot : of all bodies, FOOT    pose, rates : as in loads/hull.py    block : (6, 7)
    """
    (x, R, Z), (v, _, omega, _) = pose, rates
    for i in range(body.foot, body.foot_stop):
        own = foot[i]
        e = onto(R, (own.place[0], own.place[1], own.place[2]))
        n, height = ground(bed, add3(x, e))
        if height >= own.radius:
            continue
        c = add3(e, scale3(-own.radius, n))
        place, speed = add3(x, c), add3(v, cross3(omega, c))
        force, by_x, by_v = contact(bed, place, speed, bed.law[0].friction, own.area, 0.0)
        add_column(block, 0, scale3(-1.0, force))
        add_column(block, 3, cross3(force, c))
        _add_tangent(force, (by_x, by_v), (c, e), omega, Z, gp, block)


@kernel(fastmath=FUSED, **UNCOUNTED)
def _add_tangent(force, derivatives, arms, omega, Z, gp, block):
    """Adds minus the derivative of the force at a foot and of its moment.  arms : c, e of the module's heading

    Source: :func:`feet_terms`: dM = delta c x f + c x delta f, with delta c = theta x e.

    force : N    derivatives : of it by position (N/m) and velocity (N s/m)    omega : rad/s
    Z, gp, block : as :func:`feet_terms`
    """
    (by_x, by_v), (c, e) = derivatives, arms
    hat_c, hat_e, hat_w = hat9(c), hat9(e), hat9(omega)
    turn_v = sub9(sub9(times(hat_c, hat_w), scale9(gp, times(hat_c, Z))), times(hat_w, hat_e))
    Fx = add9(by_x, scale9(gp, by_v))
    Ft = sub9(times(by_v, turn_v), times(by_x, hat_e))
    add_block(block, 0, 0, scale9(-1.0, Fx))
    add_block(block, 0, 3, scale9(-1.0, Ft))
    add_block(block, 3, 0, scale9(-1.0, times(hat_c, Fx)))
    turn = add9(times(hat_c, Ft), plus_unit(outer(e, force), -dot(e, force)))
    add_block(block, 3, 3, scale9(-1.0, turn))
