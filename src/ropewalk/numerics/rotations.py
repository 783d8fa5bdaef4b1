"""Rotations and rigid motions: SO(3), SE(3), unit quaternions.

Conventions: a rotation matrix or quaternion takes body coordinates to world coordinates; quaternions
are scalar first; a twist is (linear, angular); a rigid motion is the 4 x 4 matrix [[R, p], [0, 1]].
Tangent maps are those of the body frame: with R = exp(w) and w a function of time, T(w) dw/dt is the body angular
velocity. The ones of the world frame are their transposes, T(-w) = T(w)^T.
"""

from __future__ import annotations

import math

import numpy as np

from ropewalk.numerics.compile import UNCOUNTED, kernel

# Below this squared angle (rad^2) the closed forms lose digits to cancellation and series take over.
# With the terms kept, the first one left out is below 1e-17 of the value at this bound.
SERIES_ANGLE_SQUARED = 0.25


@kernel
def hat(v):
    r"""Skew matrix of the cross product, :math:`\hat v u = v \times u`.

    Source: [Murray1994], ch. 2.

    v : (3,)    returns (3, 3)
    """
    m = np.zeros((3, 3))
    m[0, 1] = -v[2]
    m[0, 2] = v[1]
    m[1, 0] = v[2]
    m[1, 2] = -v[0]
    m[2, 0] = -v[1]
    m[2, 1] = v[0]
    return m


@kernel
def cross(a, b):
    """Cross product of two vectors without the overhead of `numpy.cross`: (a x b)_i = eps_ijk a_j b_k.

    Source: definition.

    a, b : (3,)    returns (3,)
    """
    c = np.empty(3)
    c[0] = a[1] * b[2] - a[2] * b[1]
    c[1] = a[2] * b[0] - a[0] * b[2]
    c[2] = a[0] * b[1] - a[1] * b[0]
    return c


@kernel(**UNCOUNTED)
def angle_functions(t2):
    r"""The five functions of the angle from which exponentials and tangents are made.

    .. math:: \frac{\sin\theta}{\theta},\; \frac{1-\cos\theta}{\theta^2},\; \frac{\theta-\sin\theta}{\theta^3},\;
              \frac{\cos\theta-1+\theta^2/2}{\theta^4},\; \frac{\sin\theta-\theta+\theta^3/6}{\theta^5}

    Source: series of the exponential, [Sola2018], sec. 4 and app. D. Accurate to round-off for all angles.

    t2 : squared angle, rad^2
    """
    if t2 < SERIES_ANGLE_SQUARED:
        a = 1 - t2 / 6 * (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72 * (1 - t2 / 110 * (1 - t2 / 156)))))
        b = 0.5 * (1 - t2 / 12 * (1 - t2 / 30 * (1 - t2 / 56 * (1 - t2 / 90 * (1 - t2 / 132 * (1 - t2 / 182))))))
        c = (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72 * (1 - t2 / 110 * (1 - t2 / 156))))) / 6
        d = (1 - t2 / 30 * (1 - t2 / 56 * (1 - t2 / 90 * (1 - t2 / 132 * (1 - t2 / 182))))) / 24
        e = (1 - t2 / 42 * (1 - t2 / 72 * (1 - t2 / 110 * (1 - t2 / 156 * (1 - t2 / 210))))) / 120
        return a, b, c, d, e
    t = math.sqrt(t2)
    s = math.sin(t)
    half = math.sin(0.5 * t)
    a = s / t
    b = 2.0 * half * half / t2
    c = (1.0 - a) / t2
    d = (0.5 - b) / t2
    e = (1.0 / 6.0 - c) / t2
    return a, b, c, d, e


@kernel
def exp_so3(w):
    r"""Rotation matrix of a rotation vector (Rodrigues).

    .. math:: R = 1 + \frac{\sin\theta}{\theta}\hat w + \frac{1-\cos\theta}{\theta^2}\hat w^2

    Source: [Murray1994], eq. (2.14).

    w : (3,) axis times angle, rad    returns (3, 3)
    """
    a, b, _, _, _ = angle_functions(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    return _identity_plus(a, b, w)


@kernel
def _identity_plus(a, b, w):
    """M = 1 + a hat(w) + b hat(w)^2.  Source: definition of hat, with hat(w)^2 = w w^T - |w|^2 1."""
    x = w[0]
    y = w[1]
    z = w[2]
    m = np.empty((3, 3))
    m[0, 0] = 1.0 - b * (y * y + z * z)
    m[1, 1] = 1.0 - b * (x * x + z * z)
    m[2, 2] = 1.0 - b * (x * x + y * y)
    m[0, 1] = b * x * y - a * z
    m[1, 0] = b * x * y + a * z
    m[0, 2] = b * x * z + a * y
    m[2, 0] = b * x * z - a * y
    m[1, 2] = b * y * z - a * x
    m[2, 1] = b * y * z + a * x
    return m


@kernel
def tangent_so3_inverse(w):
    r"""Inverse of the body tangent map of the exponential: dw/dt of a body angular velocity.

    .. math:: T^{-1} = 1 + \tfrac12 \hat w + \frac{1 - (\theta/2)\cot(\theta/2)}{\theta^2} \hat w^2

    Source: [Sola2018], eq. (144).  Singular at an angle of 2 pi; use it below pi.

    w : (3,) rad    returns (3, 3)
    """
    t2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    if t2 < SERIES_ANGLE_SQUARED:
        # Bernoulli numbers: sum of |B_2n| t^(2n-2) / (2n)!
        k = 691.0 / 1307674368000.0 + t2 / 74724249600.0
        k = 1.0 / 1209600.0 + t2 * (1.0 / 47900160.0 + t2 * k)
        k = 1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30240.0 + t2 * k))
    else:
        half = 0.5 * math.sqrt(t2)
        k = (1.0 - half * math.cos(half) / math.sin(half)) / t2
    return _identity_plus(0.5, k, w)


@kernel
def rigid(R, p):
    """4 x 4 matrix of the rigid motion q -> R q + p.

    Source: g = (R, p; 0, 1), [Murray1994], ch. 2.

    R : (3, 3)    p : (3,) m
    """
    g = np.zeros((4, 4))
    for i in range(3):
        for j in range(3):
            g[i, j] = R[i, j]
        g[i, 3] = p[i]
    g[3, 3] = 1.0
    return g


@kernel
def inverse_se3(g):
    """Inverse of a rigid motion.

    Source: g^-1 = (R^T, -R^T p), [Murray1994], ch. 2.

    g : (4, 4)    returns (4, 4)
    """
    h = np.zeros((4, 4))
    for i in range(3):
        for j in range(3):
            h[i, j] = g[j, i]
            h[i, 3] -= g[j, i] * g[j, 3]
    h[3, 3] = 1.0
    return h


@kernel
def exp_se3(xi):
    r"""Rigid motion of a twist: a screw motion for unit time.

    .. math:: g = \begin{pmatrix} \exp \hat w & T(w)^T v \\ 0 & 1 \end{pmatrix}, \qquad \xi = (v, w)

    Source: [Murray1994], eq. (2.36).

    xi : (6,) linear (m) then angular (rad)    returns (4, 4)
    """
    w = xi[3:6]
    a, b, c, _, _ = angle_functions(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    R = _identity_plus(a, b, w)
    V = _identity_plus(b, c, w)
    g = np.zeros((4, 4))
    for i in range(3):
        for j in range(3):
            g[i, j] = R[i, j]
            g[i, 3] += V[i, j] * xi[j]
    g[3, 3] = 1.0
    return g


@kernel
def adjoint_se3(g):
    r"""Adjoint map: takes a body twist to the world twist of the same motion.

    .. math:: \mathrm{Ad}_g = \begin{pmatrix} R & \hat p R \\ 0 & R \end{pmatrix}

    A world wrench (force, moment about the origin) goes to the body frame with its transpose.
    Source: [Murray1994], eq. (2.58).

    g : (4, 4)    returns (6, 6)
    """
    A = np.zeros((6, 6))
    for j in range(3):
        for i in range(3):
            A[i, j] = g[i, j]
            A[3 + i, 3 + j] = g[i, j]
        A[0, 3 + j] = g[1, 3] * g[2, j] - g[2, 3] * g[1, j]
        A[1, 3 + j] = g[2, 3] * g[0, j] - g[0, 3] * g[2, j]
        A[2, 3 + j] = g[0, 3] * g[1, j] - g[1, 3] * g[0, j]
    return A


@kernel
def quaternion_product(a, b):
    """Hamilton product: the rotation b, then the rotation a.

    Source: [Sola2018]: a b = (a_0 b_0 - a_v . b_v, a_0 b_v + b_0 a_v + a_v x b_v).

    a, b : (4,) scalar first    returns (4,)
    """
    q = np.empty(4)
    q[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    q[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    q[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    q[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    return q


@kernel
def quaternion_conjugate(q):
    """Conjugate, q* = (q_0, -q_v): the inverse rotation of a unit quaternion.

    Source: [Sola2018].

    q : (4,) scalar first    returns (4,)
    """
    c = np.empty(4)
    c[0] = q[0]
    c[1] = -q[1]
    c[2] = -q[2]
    c[3] = -q[3]
    return c


@kernel
def quaternion_normalise(q):
    """Unit quaternion along `q`, which must not be zero: q/|q|, |q|^2 = sum_i q_i^2.

    Source: definition.

    q : (4,)    returns (4,)
    """
    return q / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])


@kernel
def quaternion_to_matrix(q):
    r"""Rotation matrix of a unit quaternion.

    .. math:: R = 1 + 2 q_0 \hat q + 2 \hat q^2

    Source: [Herault2020], eq. (A.2).

    q : (4,) unit, scalar first    returns (3, 3)
    """
    return _identity_plus(2.0 * q[0], 2.0, q[1:4])


@kernel
def quaternion_from_matrix(R):
    r"""Unit quaternion of a rotation matrix, scalar part not negative.

    .. math:: 4 q_i q_j \text{ from sums and differences of the entries of } R, \quad q = q / |q|

    The largest of the four components is found first, so that no small number is divided by.
    Source: [Shepperd1978].

    R : (3, 3)    returns (4,) scalar first
    """
    q = np.empty(4)
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    i = 0
    if R[1, 1] > R[0, 0]:
        i = 1
    if R[2, 2] > R[i, i]:
        i = 2
    if trace >= R[i, i]:
        q[0] = 1.0 + trace
        q[1] = R[2, 1] - R[1, 2]
        q[2] = R[0, 2] - R[2, 0]
        q[3] = R[1, 0] - R[0, 1]
    else:
        j = (i + 1) % 3
        k = (i + 2) % 3
        q[0] = R[k, j] - R[j, k]
        q[1 + i] = 1.0 + R[i, i] - R[j, j] - R[k, k]
        q[1 + j] = R[i, j] + R[j, i]
        q[1 + k] = R[k, i] + R[i, k]
    if q[0] < 0.0:
        q = -q
    return quaternion_normalise(q)


@kernel
def quaternion_exp(w):
    r"""Unit quaternion of a rotation vector, :math:`(\cos\theta/2,\; \sin(\theta/2)\, w/\theta)`.

    Source: q = exp(w/2), [Sola2018].

    w : (3,) axis times angle, rad    returns (4,) scalar first
    """
    t2 = 0.25 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    a, _, _, _, _ = angle_functions(t2)
    q = np.empty(4)
    q[0] = math.cos(math.sqrt(t2))
    q[1] = 0.5 * a * w[0]
    q[2] = 0.5 * a * w[1]
    q[3] = 0.5 * a * w[2]
    return q


@kernel
def quaternion_log(q):
    """Rotation vector of a unit quaternion, angle in [0, pi]; q and -q give the same.

    Source: w = 2 atan2(|q_v|, q_0) q_v/|q_v|, [Sola2018].

    q : (4,) unit, scalar first    returns (3,) rad
    """
    n = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    c = abs(q[0])
    factor = 2.0 / c if n == 0.0 else 2.0 * math.atan2(n, c) / n
    if q[0] < 0.0:
        factor = -factor
    return factor * q[1:4]


@kernel
def quaternion_rotate(q, v):
    """World components of a body vector.

    Source: v' = v + 2 q_0 (q_v x v) + 2 q_v x (q_v x v), [Sola2018].

    q : (4,) unit, scalar first    v : (3,)    returns (3,)
    """
    x = 2.0 * (q[2] * v[2] - q[3] * v[1])
    y = 2.0 * (q[3] * v[0] - q[1] * v[2])
    z = 2.0 * (q[1] * v[1] - q[2] * v[0])
    u = np.empty(3)
    u[0] = v[0] + q[0] * x + q[2] * z - q[3] * y
    u[1] = v[1] + q[0] * y + q[3] * x - q[1] * z
    u[2] = v[2] + q[0] * z + q[1] * y - q[2] * x
    return u


@kernel
def tangent_basis(u):
    """Two unit vectors that complete u to an orthonormal frame.

    Source: Gram-Schmidt with the axis least along u, t_2 = u x t_1.

    u : (3,) unit    returns (2, 3)
    """
    t = np.zeros((2, 3))
    k = 0
    for i in range(1, 3):
        if abs(u[i]) < abs(u[k]):
            k = i
    t[0, k] = 1.0
    for i in range(3):
        t[0, i] -= u[k] * u[i]
    norm = math.sqrt(t[0, 0] ** 2 + t[0, 1] ** 2 + t[0, 2] ** 2)
    for i in range(3):
        t[0, i] /= norm
    t[1, 0] = u[1] * t[0, 2] - u[2] * t[0, 1]
    t[1, 1] = u[2] * t[0, 0] - u[0] * t[0, 2]
    t[1, 2] = u[0] * t[0, 1] - u[1] * t[0, 0]
    return t
