"""Stiffness, damping and added mass that a user gives for a body, in its block of the mixed elements."""

from __future__ import annotations

from ropewalk.assembly.bodies import ADDED_MATRIX, DAMPING_MATRIX, HOME, HOME_TURN, STIFFNESS_MATRIX
from ropewalk.numerics.blockelimination import add3, onto, times
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import (
    quaternion_conjugate,
    quaternion_log,
    quaternion_product,
    tangent_so3_inverse,
)
from ropewalk.physics.rigidbody import add_column, cross3, nine, transpose9, turned


@kernel
def add_matrices(x, x_rates, R, Z, psi, data, matrix, start, bp, gp, block):
    """Adds the user's stiffness, damping and added mass of a body to its block.

    Added mass by Kirchhoff's equations [Lamb1932], art. 124, in still water; its gyroscopic part has no derivative.

    psi : (3,) turn since the start of the step, rad    data, matrix, start : the body's row of them
    """
    v, a, omega, alpha = x_rates
    now = turned(start, psi)
    turn = quaternion_log(quaternion_product(now, quaternion_conjugate(data[HOME_TURN : HOME_TURN + 4])))
    W = nine(tangent_so3_inverse(-turn))
    offset = (x[0] - data[HOME], x[1] - data[HOME + 1], x[2] - data[HOME + 2])
    K, C, A = matrix[STIFFNESS_MATRIX], matrix[DAMPING_MATRIX], matrix[ADDED_MATRIX]
    Rt = transpose9(R)
    vb, wb = onto(Rt, v), onto(Rt, omega)
    ab, alpha_b = onto(Rt, add3(a, cross3(v, omega))), onto(Rt, alpha)
    P, L, dP, dL = (
        _momentum(A, vb, wb),
        _momentum(A[3:], vb, wb),
        _momentum(A, ab, alpha_b),
        _momentum(A[3:], ab, alpha_b),
    )
    add_column(block, 0, onto(R, add3(dP, cross3(wb, P))))
    add_column(block, 3, onto(R, add3(add3(dL, cross3(wb, L)), cross3(vb, P))))
    for p in range(2):
        for q in range(2):
            part = nine(A[3 * p : 3 * p + 3, 3 * q : 3 * q + 3])
            world = times(times(R, part), Rt)
            damp, stiff = nine(C[3 * p : 3 * p + 3, 3 * q : 3 * q + 3]), nine(K[3 * p : 3 * p + 3, 3 * q : 3 * q + 3])
            if q == 1:
                world, damp, stiff = times(world, Z), times(damp, Z), times(stiff, W)
            for i in range(3):
                for j in range(3):
                    m = 3 * i + j
                    block[3 * p + i, 3 * q + j] += bp * world[m] + gp * damp[m] + stiff[m]
    for i in range(6):
        for j in range(3):
            block[i, 6] += K[i, j] * offset[j] + K[i, 3 + j] * turn[j] + C[i, j] * v[j] + C[i, 3 + j] * omega[j]


@kernel
def _momentum(A, v, w):
    return (
        A[0, 0] * v[0] + A[0, 1] * v[1] + A[0, 2] * v[2] + A[0, 3] * w[0] + A[0, 4] * w[1] + A[0, 5] * w[2],
        A[1, 0] * v[0] + A[1, 1] * v[1] + A[1, 2] * v[2] + A[1, 3] * w[0] + A[1, 4] * w[1] + A[1, 5] * w[2],
        A[2, 0] * v[0] + A[2, 1] * v[1] + A[2, 2] * v[2] + A[2, 3] * w[0] + A[2, 4] * w[1] + A[2, 5] * w[2],
    )
