r"""Rigid bodies: what acts on them beside their lines, as one block of equations about the origin.

A body's block is (6, 7): derivative by position and world rotation, and, last, inertia minus forces (N, N m); see
physics/rigidbody.py. At rest its last column is minus the wrench, and the rest of it the stiffness.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.loads.cut import still_buoyancy, vector
from ropewalk.loads.float import radius_of, wet_sphere
from ropewalk.loads.strips import shape_records
from ropewalk.model.arrays import Array, Records
from ropewalk.model.bodies import Bodies
from ropewalk.numerics.blockelimination import COUNTED, UNCOUNTED, ZERO3, add3, onto, scale3, scale9, sub9, times
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import (
    quaternion_conjugate,
    quaternion_log,
    quaternion_product,
    tangent_so3_inverse,
)
from ropewalk.physics.hydrostatics import force_terms
from ropewalk.physics.rigidbody import add_column, attitude, cross3, hat9, nine, transpose9, turned

UNIT9 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)

BODY = np.dtype(
    [
        ("is_free", "i8"),  # 1 if the body moves by its loads
        ("hull", "i8"),  # first of its hulls and windage areas among those of all bodies
        ("hull_stop", "i8"),
        ("foot", "i8"),  # first of its feet on the bed among those of all bodies
        ("foot_stop", "i8"),
        ("has_matrices", "i8"),  # 1 if any of the four matrices is not zero
        ("mass", "f8"),  # kg
        ("centre", "f8", (3,)),  # of mass, body frame, m
        ("inertia", "f8", (9,)),  # about the origin, body frame, kg m2
        ("volume", "f8"),  # of bodies without a hull, m3
        ("load_force", "f8", (3,)),  # world, N
        ("load_moment", "f8", (3,)),  # world, N m
        ("load_at", "f8", (3,)),  # body frame, m
        ("extent", "f8"),  # typical dimension: a turn times it is a way, m
        ("home", "f8", (3,)),  # position from which the stiffness matrix counts, m
        ("home_turn", "f8", (4,)),  # quaternion from which it counts
        ("weight_scale", "f8"),  # weight or displacement, N: scale of forces on the body
        ("reach", "f8"),  # distance from the origin within which the feet lie, m; -inf where no foot can touch a bed
        ("stiffness", "f8", (6, 6)),  # given by the user, world
        ("damping", "f8", (6, 6)),  # world
        ("quadratic", "f8", (6, 6)),  # damping by the square of the velocities, world
        ("added", "f8", (6, 6)),  # body frame
    ],
    align=True,
)


class Shells(NamedTuple):
    """Hulls of all bodies, for those who need no more of them than their buoyancy."""

    hull: Records  # (h,) of HULL of loads/cut.py
    profile: Array  # (m, 2) z, radius of all hulls, m


def build_shells(bodies: Bodies) -> Shells:
    """Hulls of all bodies."""
    return Shells(shape_records(bodies.hulls), bodies.hulls.profile)


def body_records(bodies: Bodies) -> Records:
    """(n,) of BODY with what the Model has; feet, inertia and scales are left to whom they matter."""
    rows = np.zeros(bodies.mass.size, dtype=BODY)  # by field: attributes of record arrays cost ten times as much
    if not rows.size:
        return rows.view(np.recarray)
    given = {
        "hull": bodies.hull_start[:-1], "hull_stop": bodies.hull_start[1:],
        "mass": bodies.mass, "centre": bodies.centre, "volume": bodies.volume,
        "load_force": bodies.load_force, "load_moment": bodies.load_moment, "load_at": bodies.load_at,
        "home": bodies.position, "home_turn": bodies.quaternion,
        "stiffness": bodies.stiffness, "damping": bodies.damping, "quadratic": bodies.quadratic,
        "added": bodies.added_mass,
    }  # fmt: skip
    for name, values in given.items():
        rows[name] = values
    matrices = (bodies.stiffness, bodies.damping, bodies.quadratic, bodies.added_mass)
    rows["has_matrices"] = np.logical_or.reduce([matrix.any(axis=(1, 2)) for matrix in matrices])
    return rows.view(np.recarray)


@kernel(forceinline=True, **UNCOUNTED)
def clear_block(block):
    """Set a block (6, 7) to 0. Bookkeeping."""
    for i in range(6):
        for j in range(7):
            block[i, j] = 0.0


@kernel(forceinline=True, **UNCOUNTED)
def weight_terms(body, R, g, block):
    r"""Adds minus the weight of a body, and its derivative, to its block.

    .. math:: F = -m g\, e_z \quad \text{at the arm } R c

    Source: :func:`ropewalk.physics.hydrostatics.force_terms`.    body : record    R : attitude    g : m/s2
    block : (6, 7)
    """
    force_terms((0.0, 0.0, -body.mass * g), onto(R, vector(body.centre)), block)


@kernel(forceinline=True, **UNCOUNTED)
def given_terms(body, R, block):
    r"""Adds minus the force and the moment given in the case, and their derivative, to a body's block.

    .. math:: F = F_0 \quad \text{at the arm } R a, \qquad M = R a \times F_0 + M_0

    Source: :func:`ropewalk.physics.hydrostatics.force_terms`.    body : record    R : attitude    block : (6, 7)
    """
    force_terms(vector(body.load_force), onto(R, vector(body.load_at)), block)
    add_column(block, 3, (-body.load_moment[0], -body.load_moment[1], -body.load_moment[2]))


@kernel(forceinline=True, **UNCOUNTED)
def volume_terms(body, height, aw, fluid, block):
    r"""Adds minus buoyancy and Froude-Krylov force of a body without a hull, a sphere, to its block.

    .. math:: F = w(z)\, \rho V (g\, e_z + a_w)

    Source: docs/theory/morison.md, Inertia; w of :func:`ropewalk.loads.float.wet_sphere`.

    body : record    height : z, of the origin above the surface, m    aw : acceleration of the water there, m/s2
    fluid : rho, g    block : (6, 7)
    """
    share, slope = wet_sphere(height, radius_of(body.volume))
    mass = fluid[0] * body.volume
    whole = (mass * aw[0], mass * aw[1], mass * (fluid[1] + aw[2]))
    add_column(block, 0, scale3(-share, whole))
    for p in range(3):
        block[p, 2] -= slope * whole[p]


@kernel(**COUNTED)
def matrix_terms(body, pose, rates, now, step, block):
    r"""Adds the given stiffness, damping and added mass of a body to its block.

    .. math::
        (F, M) = -K (x - x_0,\, \theta) - C (v, \omega) - Q\, |(v, \omega)|\, (v, \omega)
        - R \left(\dot P + \Omega \times P,\ \dot L + \Omega \times L + V \times P\right), \quad
        (P, L) = A\, (V, \Omega)

    Source: Kirchhoff's equations, [Lamb1932], art. 124, for added mass in still water, with V and Omega in the body
    frame; docs/theory/bodies.md, Given matrices. The gyroscopic part of the added mass has no derivative here.

    body : record    pose : position, attitude R and Z    rates : velocity, acceleration, angular velocity and
    acceleration now : (4,) attitude as a quaternion    step : bp, gp    block : (6, 7)
    """
    (x, R, Z), (v, a, omega, alpha), (bp, gp) = pose, rates, step
    turn = quaternion_log(quaternion_product(now, quaternion_conjugate(body.home_turn)))
    W = nine(tangent_so3_inverse(-turn))
    offset = (x[0] - body.home[0], x[1] - body.home[1], x[2] - body.home[2])
    K, C, A, Q = body.stiffness, body.damping, body.added, body.quadratic
    speed = (abs(v[0]), abs(v[1]), abs(v[2]), abs(omega[0]), abs(omega[1]), abs(omega[2]))
    Rt = transpose9(R)
    vb, wb = onto(Rt, v), onto(Rt, omega)
    ab, alpha_b = onto(Rt, add3(a, cross3(v, omega))), onto(Rt, alpha)
    P, L, dP, dL = (
        _momentum(A, 0, vb, wb),
        _momentum(A, 3, vb, wb),
        _momentum(A, 0, ab, alpha_b),
        _momentum(A, 3, ab, alpha_b),
    )
    add_column(block, 0, onto(R, add3(dP, cross3(wb, P))))
    add_column(block, 3, onto(R, add3(add3(dL, cross3(wb, L)), cross3(vb, P))))
    for p in range(2):
        for q in range(2):
            part = nine(A[3 * p : 3 * p + 3, 3 * q : 3 * q + 3])
            world = times(times(R, part), Rt)
            damp, stiff = _rates_block(C, Q, speed, 3 * p, 3 * q), nine(K[3 * p : 3 * p + 3, 3 * q : 3 * q + 3])
            damped = scale9(gp, damp)
            if q == 1:  # the angular velocity turns with the body
                damped = sub9(times(damped, Z), times(damp, hat9(omega)))
                world, stiff = times(world, Z), times(stiff, W)
            for i in range(3):
                for j in range(3):
                    m = 3 * i + j
                    block[3 * p + i, 3 * q + j] += bp * world[m] + damped[m] + stiff[m]
    for i in range(6):
        block[i, 6] += damping_row(body, i, v, omega)
        for j in range(3):
            block[i, 6] += K[i, j] * offset[j] + K[i, 3 + j] * turn[j]


@kernel(forceinline=True, **UNCOUNTED)
def damping_row(body, i, v, omega):
    """Component i of minus the force (N) and the moment (N m) of the given damping, sum_j (C_ij + Q_ij |w_j|) w_j.

    Source: :func:`matrix_terms`, with w = (v, omega).
    """
    C, Q, total = body.damping, body.quadratic, 0.0
    for j in range(3):
        total += (C[i, j] + Q[i, j] * abs(v[j])) * v[j]
        total += (C[i, 3 + j] + Q[i, 3 + j] * abs(omega[j])) * omega[j]
    return total


@kernel
def _rates_block(C, Q, speed, p, q):
    """Derivative dF/dv = C + 2 Q |v| of damping, its 3 x 3 part from row p and column q, as 9 numbers.

    Source: :func:`matrix_terms`.

    C, Q : (6, 6) N s/m and N s2/m2, moments alike    speed : |v_j| of the six rates
    """
    x, y, z = 2.0 * speed[q], 2.0 * speed[q + 1], 2.0 * speed[q + 2]
    return (
        C[p, q] + x * Q[p, q], C[p, q + 1] + y * Q[p, q + 1], C[p, q + 2] + z * Q[p, q + 2],
        C[p + 1, q] + x * Q[p + 1, q], C[p + 1, q + 1] + y * Q[p + 1, q + 1], C[p + 1, q + 2] + z * Q[p + 1, q + 2],
        C[p + 2, q] + x * Q[p + 2, q], C[p + 2, q + 1] + y * Q[p + 2, q + 1], C[p + 2, q + 2] + z * Q[p + 2, q + 2],
    )  # fmt: skip


@kernel
def _momentum(A, at, v, w):
    """Momentum of added mass, N s or N m s: three rows of P = A (v, w), from row `at` on.

    Source: [Lamb1932], ch. VI.

    A : (6, 6)    v, w : velocity (m/s) and angular velocity (rad/s), or their rates
    """
    return (
        A[at, 0] * v[0] + A[at, 1] * v[1] + A[at, 2] * v[2] + A[at, 3] * w[0] + A[at, 4] * w[1] + A[at, 5] * w[2],
        A[at + 1, 0] * v[0] + A[at + 1, 1] * v[1] + A[at + 1, 2] * v[2]
        + A[at + 1, 3] * w[0] + A[at + 1, 4] * w[1] + A[at + 1, 5] * w[2],
        A[at + 2, 0] * v[0] + A[at + 2, 1] * v[1] + A[at + 2, 2] * v[2]
        + A[at + 2, 3] * w[0] + A[at + 2, 4] * w[1] + A[at + 2, 5] * w[2],
    )  # fmt: skip


@kernel(**COUNTED)
def still_block(body, x, quaternion, fluid, shells, block):
    r"""Minus the wrench on a body at rest in still water, without current, and its stiffness, into block (6, 7).

    Source: docs/theory/bodies.md, Equilibrium, and docs/theory/hydrostatics.md, Force and stiffness.

    .. math:: \delta (F, M) = -K\, (\delta x, \theta)

    Weight, buoyancy of hull or volume, given loads and stiffness, for the closed form and shooting.

    body : record    x : place of the origin, m    quaternion : (4,) attitude    fluid : rho, g
    shells : of all bodies, :class:`Shells`
    """
    clear_block(block)
    R, _ = attitude(quaternion, ZERO3)
    weight_terms(body, R, fluid[1], block)
    given_terms(body, R, block)
    for h in range(body.hull, body.hull_stop):
        still_buoyancy(shells.hull[h], x, R, fluid, shells.profile, block)
    if body.volume > 0.0:
        volume_terms(body, x[2], ZERO3, fluid, block)
    if body.has_matrices == 1:
        rest = (ZERO3, ZERO3, ZERO3, ZERO3)
        matrix_terms(body, (x, R, UNIT9), rest, quaternion, (0.0, 0.0), block)


@kernel
def turned_attitude(start, psi):
    """Quaternion (4,) after a rotation psi (3 numbers, body axes, rad) from `start` (4,).

    Source: q = q_0 exp(psi/2), [Sola2018].
    """
    return turned(start, np.array([psi[0], psi[1], psi[2]]))
