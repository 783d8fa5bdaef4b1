r"""Rigid bodies: inertia about any origin, attitude by exponential increments.

Positions are of the body's origin, in the world. Attitude is :math:`R = R_0 \exp(\hat\psi)` with the turn
:math:`\psi` since the start of a step; angular velocity :math:`\Omega` and its rate are kept in the body frame,
where the steps of [Bruls2012] add them as vectors:

.. math::
    \psi = h \Omega_0 + h^2 (p_0 \bar a_0 + p_1 \bar a_1), \qquad
    \Omega_1 = \Omega_0 + h (q_0 \bar a_0 + q_1 \bar a_1).

Newton's unknown is a world rotation :math:`\theta` with :math:`\delta R = \hat\theta R`, so
:math:`\delta\psi = T^{-1}(\psi) R^T \theta`. With :math:`Z = R\, T^{-1}(\psi) R^T` the changes of the world's
:math:`\omega = R \Omega` and :math:`\alpha = R \dot\Omega` are :math:`\theta \times \omega + \gamma' Z \theta` and
:math:`\theta \times \alpha + \beta' Z \theta`; beta' and gamma' are the derivatives of acceleration and velocity by
position in the step. Vectors are tuples of 3 and matrices tuples of 9, row by row, as in
numerics/blockelimination.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product

SMALL_TURN = 1e-3  # rad2: the series below it leave out terms of 1e-13 and less


def about_origin(mass: float, centre: NDArray[np.float64], inertia: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inertia (3, 3) about the origin from that about the centre of mass, kg m2 (Huygens and Steiner)."""
    moved: NDArray[np.float64] = inertia + mass * (np.dot(centre, centre) * np.eye(3) - np.outer(centre, centre))
    return moved


def arm_matrix(arm: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, 6) velocity of the place at `arm` (3,) from a body's origin, by its velocity and angular velocity."""
    x, y, z = arm
    matrix: NDArray[np.float64] = np.array(
        [[1.0, 0.0, 0.0, 0.0, z, -y], [0.0, 1.0, 0.0, -z, 0.0, x], [0.0, 0.0, 1.0, y, -x, 0.0]]
    )
    return matrix


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def cross3(a, b):
    """Cross product of tuples: (a x b)_i = eps_ijk a_j b_k, in the product of their units.  Source: definition."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def hat9(a):
    """Skew matrix of the cross product, as a tuple: hat(a) b = a x b, in the unit of a.  Source: definition."""
    return 0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def transpose9(a):
    """Transpose of a matrix, C_ij = A_ji, in its unit.  Source: definition."""
    return a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def nine(a):
    """A (3, 3) array as a tuple. Bookkeeping."""
    return a[0, 0], a[0, 1], a[0, 2], a[1, 0], a[1, 1], a[1, 2], a[2, 0], a[2, 1], a[2, 2]


@kernel
def turned(quaternion, psi):
    r"""Unit quaternion after the turn psi (3,) about body axes (rad).

    .. math:: q \to q \otimes \exp(\tfrac12 \psi)

    Source: [Sola2018]; normalised against round-off.
    """
    q = quaternion_product(quaternion, quaternion_exp(psi))
    norm = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q / norm


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def attitude(quaternion, psi):
    r"""Rotation matrix after the turn psi about body axes, and Z of the module's heading; tuples of 9.

    Source: docs/theory/bodies.md, Coupling; inverse of the tangent map of SO(3), [Bruls2012] and [Sola2018].

    .. math:: Z = 1 + \tfrac12 \hat w + \frac{1 - (\theta/2) \cot(\theta/2)}{\theta^2} \hat w^2, \quad w = R \psi,
              \ \theta = |\psi|

    because :math:`R \hat\psi R^T = \hat w`; in scalars, because this stands in every Newton iteration.

    quaternion : (4,) at the start of the step    psi : (3,) rad, below pi
    """
    x, y, z = psi[0], psi[1], psi[2]
    t2 = x * x + y * y + z * z
    if t2 < SMALL_TURN:
        c, s = 1.0 - t2 / 8.0 * (1.0 - t2 / 48.0), 0.5 - t2 / 48.0 * (1.0 - t2 / 80.0)
        k = 1.0 / 12.0 + t2 / 720.0 * (1.0 + t2 / 42.0)
    else:
        t = np.sqrt(t2)
        c, sine = np.cos(0.5 * t), np.sin(0.5 * t)
        s = sine / t
        k = (1.0 - 0.5 * t * c / sine) / t2
    x, y, z = s * x, s * y, s * z
    q0, q1, q2, q3 = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    w0 = q0 * c - q1 * x - q2 * y - q3 * z
    w1 = q0 * x + q1 * c + q2 * z - q3 * y
    w2 = q0 * y - q1 * z + q2 * c + q3 * x
    w3 = q0 * z + q1 * y - q2 * x + q3 * c
    f = 2.0 / (w0 * w0 + w1 * w1 + w2 * w2 + w3 * w3)
    R = (
        1.0 - f * (w2 * w2 + w3 * w3), f * (w1 * w2 - w0 * w3), f * (w1 * w3 + w0 * w2),
        f * (w1 * w2 + w0 * w3), 1.0 - f * (w1 * w1 + w3 * w3), f * (w2 * w3 - w0 * w1),
        f * (w1 * w3 - w0 * w2), f * (w2 * w3 + w0 * w1), 1.0 - f * (w1 * w1 + w2 * w2),
    )  # fmt: skip
    w = onto(R, (psi[0], psi[1], psi[2]))
    return R, plus_unit(add9(scale9(0.5, hat9(w)), scale9(k, outer(w, w))), 1.0 - k * t2)


@kernel(forceinline=True, fastmath=FUSED)
def arm_rates(arm, omega, alpha):
    r"""Velocity and acceleration of a point fixed in the body relative to its origin; world vectors.

    .. math:: v = \omega \times e, \qquad a = \alpha \times e + \omega \times (\omega \times e)

    Source: kinematics of a rigid body, docs/theory/bodies.md, Coupling.

    arm : e, m    omega, alpha : angular velocity (rad/s) and acceleration (rad/s2)    v in m/s, a in m/s2
    """
    velocity = cross3(omega, arm)
    return velocity, add3(cross3(alpha, arm), cross3(omega, velocity))


@kernel(forceinline=True, fastmath=FUSED)
def arm_derivatives(arm, omega, alpha, Z, bp, gp):
    r"""Derivatives by the world rotation of what :func:`arm_rates` gives.

    Source: derivative of :func:`arm_rates` with the variations of the heading of this file.

    .. math::
        \frac{\partial v}{\partial\theta} &= -\gamma' \hat e Z - \widehat{\omega \times e}, \\
        \frac{\partial a}{\partial\theta} &= -\left(\beta' \hat e + \gamma' (\widehat{\omega \times e} +
        \hat\omega \hat e)\right) Z - \hat a

    arm : e, world, m    Z : of :func:`attitude`    bp, gp : beta', gamma'
    """
    velocity, acceleration = arm_rates(arm, omega, alpha)
    e, w = hat9(arm), hat9(velocity)
    dv = sub9(scale9(-gp, times(e, Z)), w)
    inner = add9(scale9(bp, e), scale9(gp, add9(w, times(hat9(omega), e))))
    return dv, sub9(scale9(-1.0, times(inner, Z)), hat9(acceleration))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def add_block(block, row, column, A):
    """Adds a matrix to a larger one at (row, column). Bookkeeping."""
    for p in range(3):
        for q in range(3):
            block[row + p, column + q] += A[3 * p + q]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def add_column(block, row, a):
    """Adds a vector to the last column (index 6) of a body's block. Bookkeeping."""
    for p in range(3):
        block[row + p, 6] += a[p]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def inertia_terms(mass, centre, inertia, v, a, omega, alpha, R, Z, damping, bp, gp, block):
    r"""Adds inertia (N, N m) and its derivative by position and world rotation to a body's block.

    .. math::
        G_x = m (a + \alpha \times c + \omega \times (\omega \times c)), \qquad
        G_\theta = J \alpha + \omega \times J \omega + m\, c \times a

    with c the world arm of the mass centre and J = R J_0 R^T about the origin.
    Source: [Featherstone2008], sec. 2.13.

    mass : kg    centre : body frame, m    inertia : about the origin, body frame, kg m2 v, a : of the origin, m/s, m/s2
    omega, alpha : world, rad/s, rad/s2    R, Z : of :func:`attitude` damping : mass-proportional, 1/s    bp, gp :
    beta', gamma' block : (6, 7), derivative in columns 0 to 5, G in column 6

    Thirteen arguments: numbers and tuples that stay in registers, of a body as it is (3), moves (4) and turns (2), and
    of the step (3).
    """
    c = onto(R, centre)
    J = times(times(R, inertia), transpose9(R))
    L = onto(J, omega)
    velocity, acceleration = arm_rates(c, omega, alpha)
    dv, da = arm_derivatives(c, omega, alpha, Z, bp, gp)
    spin = add3(onto(J, alpha), cross3(omega, L))
    add_column(block, 0, scale3(mass, add3(add3(a, acceleration), scale3(damping, add3(v, velocity)))))
    moment = add3(spin, scale3(mass, cross3(c, a)))
    add_column(block, 3, add3(moment, scale3(damping, add3(L, scale3(mass, cross3(c, v))))))
    rate = bp + damping * gp
    for p in range(3):
        block[p, p] += mass * rate
    add_block(block, 0, 3, scale9(mass, add9(da, scale9(damping, dv))))
    add_block(block, 3, 0, scale9(mass * rate, hat9(c)))
    # J world turns with the body: dJ = hat(theta) J - J hat(theta), hence the turn of the whole spin vector
    turn = times(add9(scale9(rate, J), scale9(gp, sub9(times(hat9(omega), J), hat9(L)))), Z)
    turn = sub9(turn, hat9(add3(spin, scale3(damping, L))))
    push = add3(a, scale3(damping, v))
    turn = add9(turn, scale9(mass, plus_unit(outer(c, push), -dot(c, push))))
    add_block(block, 3, 3, turn)


@kernel
def kinetic_energy(mass, centre, inertia, v, omega, R):
    r"""Kinetic energy (J); arguments as :func:`inertia_terms`.

    .. math:: T = \tfrac12 m v^2 + m\, v \cdot (\omega \times c) + \tfrac12 \omega \cdot J \omega

    Source: [Featherstone2008]; J about the origin.
    """
    J = times(times(R, inertia), transpose9(R))
    return 0.5 * mass * dot(v, v) + mass * dot(v, cross3(omega, onto(R, centre))) + 0.5 * dot(omega, onto(J, omega))
