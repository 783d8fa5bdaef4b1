r"""Bodies on the sea bed: a hull stands on feet, points of its surface, each with the law of physics/seabed.py.

A foot at the arm e of the body (world), or below it by the radius of a sphere, touches at :math:`c = e - r n` and feels

.. math:: f = p\,A \left(n - \mu \frac{v_t}{\sqrt{|v_t|^2 + v_s^2}}\right), \qquad v = \dot x + \omega \times c,

so a sunk body comes to rest where its weight and its lines leave it, and slides if it is pulled. Friction that depends
on speed holds nothing against a steady pull below its limit: a foot then creeps at a share of the slip speed.
"""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_SPHERE
from ropewalk.model.model import Model
from ropewalk.numerics.blockelimination import (
    FUSED,
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
from ropewalk.physics.seabed import contact_derivatives

# columns of feet
FOOT_RADIUS, FOOT_AREA = 3, 4  # m, m2; 0, 1, 2: place in the body frame, m
FOOT_COLUMNS = 5

AROUND = 8  # feet on a ring of a hull
SHARE = 0.25  # of the largest section of a hull, on which a foot stands
BARE_AREA = 1.0  # m2, under the origin of a body without hull and volume: it must not fall through the bed


def build_feet(model: Model, k: int) -> Array:
    """(n, FOOT_COLUMNS) of body k: rings of its profile, a sphere, or its origin."""
    bodies = model.bodies
    if bodies.hull[k] == HULL_SPHERE:
        *centre, radius = bodies.sphere[k]
        return np.array([[*centre, radius, np.pi * radius**2]])
    if bodies.hull[k] != HULL_AXISYMMETRIC:
        area = np.pi * (0.75 * bodies.volume[k] / np.pi) ** (2.0 / 3.0)
        return np.array([[0.0, 0.0, 0.0, 0.0, area or BARE_AREA]])
    profile = bodies.profile[bodies.profile_start[k] : bodies.profile_start[k + 1]]
    area = SHARE * np.pi * float(profile[:, 1].max()) ** 2
    rows = []
    for z, r in profile:
        for angle in 2.0 * np.pi * np.arange(AROUND if r > 0.0 else 1) / AROUND:
            rows.append([r * np.cos(angle), r * np.sin(angle), z, 0.0, area])
    return np.array(rows)


def reach(feet: Array) -> float:
    """Distance from a body's origin within which its feet lie, m."""
    return float((np.linalg.norm(feet[:, :3], axis=1) + feet[:, FOOT_RADIUS]).max(initial=0.0))


@kernel
def lowest_foot(feet, x, R, plane):
    """Height of the lowest foot over the bed, m.  feet : (n, FOOT_COLUMNS)    x, R : place and attitude, tuples"""
    n = (plane[0], plane[1], plane[2])
    lowest = np.inf
    for i in range(feet.shape[0]):
        e = onto(R, (feet[i, 0], feet[i, 1], feet[i, 2]))
        lowest = min(lowest, dot(n, x) + dot(n, e) - feet[i, FOOT_RADIUS] - plane[3])
    return lowest


@kernel
def add_feet(feet, x, x_rates, R, Z, plane, law, gp, scratch, block):
    r"""Adds minus the forces of the bed on a body, and their derivative, to its block; returns the power lost (W).

    .. math::
        \delta f = f_x (\delta x + \theta \times e) + f_v (\gamma' \delta x + \delta v_\theta), \quad
        \delta v_\theta = (\theta \times \omega + \gamma' Z \theta) \times c + \omega \times (\theta \times e), \quad
        \delta c = \theta \times e

    feet : (n, FOOT_COLUMNS)    x, x_rates, R, Z : as in mixed_body_loads.py    plane, law : of physics/seabed.py
    scratch : (9, 3)    block : (6, 7)
    """
    v, _, omega, _ = x_rates
    n = (plane[0], plane[1], plane[2])
    height = dot(n, x) - plane[3]
    place, speed, f, dx, dv = scratch[0], scratch[1], scratch[2], scratch[3:6], scratch[6:9]
    lost = 0.0
    for i in range(feet.shape[0]):
        e = onto(R, (feet[i, 0], feet[i, 1], feet[i, 2]))
        if height + dot(n, e) >= feet[i, FOOT_RADIUS]:
            continue
        c = add3(e, scale3(-feet[i, FOOT_RADIUS], n))
        spin = cross3(omega, c)
        for p in range(3):
            place[p], speed[p] = x[p] + c[p], v[p] + spin[p]
        contact_derivatives(place, speed, plane, law, feet[i, FOOT_AREA], 0.0, f, dx, dv)
        force = (f[0], f[1], f[2])
        lost -= dot(force, (speed[0], speed[1], speed[2]))
        add_column(block, 0, scale3(-1.0, force))
        add_column(block, 3, cross3(force, c))
        _add_tangent(force, dx, dv, c, e, omega, Z, gp, block)
    return lost


@kernel(fastmath=FUSED)
def _add_tangent(force, dx, dv, c, e, omega, Z, gp, block):
    by_x = (dx[0, 0], dx[0, 1], dx[0, 2], dx[1, 0], dx[1, 1], dx[1, 2], dx[2, 0], dx[2, 1], dx[2, 2])
    by_v = (dv[0, 0], dv[0, 1], dv[0, 2], dv[1, 0], dv[1, 1], dv[1, 2], dv[2, 0], dv[2, 1], dv[2, 2])
    hat_c, hat_e, hat_w = hat9(c), hat9(e), hat9(omega)
    turn_v = sub9(sub9(times(hat_c, hat_w), scale9(gp, times(hat_c, Z))), times(hat_w, hat_e))
    Fx = add9(by_x, scale9(gp, by_v))
    Ft = sub9(times(by_v, turn_v), times(by_x, hat_e))
    add_block(block, 0, 0, scale9(-1.0, Fx))
    add_block(block, 0, 3, scale9(-1.0, Ft))
    add_block(block, 3, 0, scale9(-1.0, times(hat_c, Fx)))
    turn = add9(times(hat_c, Ft), plus_unit(outer(e, force), -dot(e, force)))
    add_block(block, 3, 3, scale9(-1.0, turn))
