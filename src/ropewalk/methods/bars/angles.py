r"""Chains and trees of bars in the two angles of [Otto2022], sec. 4.3: recursive and dense, to compare with.

Each bar has a frame; that of bar i is that of its predecessor turned by al about x, then by be about y, and the bar
points along its -z. Accelerations follow from the O(n) recursion of sec. 4.5.2 (6 x 6 articulated masses) or from
the dense system :math:`(\sum J^T M J)\, \ddot q = \sum J^T (F - M c)`. Both are singular at be = +-90 degrees, where
tree.py, which the solver `recursive` uses, is not. The solver `joint_angles` steps in them. Not compiled: it is
a reference, not for long runs.
"""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array, Ints


def angles_of(direction: Array, inner_bar: Ints) -> Array:
    """Angles (b, 2) of bars with unit directions (b, 3) from the roots outwards.

    inner_bar : (b,) bar before each, -1 at a support
    """
    frames: list[Array] = []
    angles: Array = np.zeros((direction.shape[0], 2))
    for k, d in enumerate(direction):
        frame = frames[int(inner_bar[k])] if inner_bar[k] >= 0 else np.eye(3)
        x, y, z = frame.T @ -d
        # -bar = (sin be, -sin al cos be, cos al cos be), with cos be positive
        angles[k] = np.arctan2(-y, z), np.arcsin(np.clip(x, -1.0, 1.0))
        frames.append(frame @ _turn(*angles[k]))
    return angles


def _turn(al: float, be: float) -> Array:
    sa, ca, sb, cb = np.sin(al), np.cos(al), np.sin(be), np.cos(be)
    turn: Array = np.array([[cb, 0.0, sb], [sa * sb, ca, -sa * cb], [-ca * sb, sa, ca * cb]])
    return turn


def _cross(a: Array, b: Array) -> Array:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def angle_kinematics(
    q: Array, dq: Array, length: Array, inner_bar: Ints, rho: Array, joint: Array, product: Array
) -> None:
    r"""Vectors of the bars (b, 3), joint matrices J (b, 6, 2) and velocity products c (b, 6), linear part first.

    .. math::
        A_i = X_i A_p + J_i \ddot q_i + c_i, \qquad X_i = \begin{pmatrix} 1 & -\tilde\rho \\ 0 & 1 \end{pmatrix}, \qquad
        J_i = \begin{pmatrix} a_1 \times \rho & a_2 \times \rho \\ a_1 & a_2 \end{pmatrix}

    Source: [Otto2022], secs. 4.3 and 4.5, restated.  q, dq : (b, 2) rad, rad/s    length : (b,) m
    """
    n = length.size
    frames = np.zeros((n, 3, 3))
    omega = np.zeros((n, 3))
    for i in range(n):
        frame = np.eye(3)
        before = np.zeros(3)
        if inner_bar[i] >= 0:
            frame = frames[inner_bar[i]].copy()
            before = omega[inner_bar[i]].copy()
        sa, ca, sb, cb = np.sin(q[i, 0]), np.cos(q[i, 0]), np.sin(q[i, 1]), np.cos(q[i, 1])
        turn = np.array([[cb, 0.0, sb], [sa * sb, ca, -sa * cb], [-ca * sb, sa, ca * cb]])
        frames[i] = frame @ turn
        a1 = frame[:, 0].copy()
        a2 = ca * frame[:, 1] + sa * frame[:, 2]
        omega[i] = before + a1 * dq[i, 0] + a2 * dq[i, 1]
        rho[i] = -length[i] * frames[i, :, 2]
        spin = _cross(before, a1) * dq[i, 0] + _cross(before + a1 * dq[i, 0], a2) * dq[i, 1]
        joint[i, :3, 0] = _cross(a1, rho[i])
        joint[i, :3, 1] = _cross(a2, rho[i])
        joint[i, 3:, 0] = a1
        joint[i, 3:, 1] = a2
        product[i, :3] = _cross(spin, rho[i]) + _cross(omega[i], _cross(omega[i], rho[i]))
        product[i, 3:] = spin


def shift(rho: Array) -> Array:
    """X: acceleration of the outer end from that of the inner one."""
    x = np.eye(6)
    x[0, 4], x[0, 5] = rho[2], -rho[1]
    x[1, 3], x[1, 5] = -rho[2], rho[0]
    x[2, 3], x[2, 4] = rho[1], -rho[0]
    return x


def recursive_accelerations(q: Array, dq: Array, length: Array, inner_bar: Ints, mass: Array, force: Array) -> Array:
    """Angular accelerations (b, 2) by the O(n) recursion, [Otto2022], sec. 4.5.2; supports at rest.

    mass : (b, 3, 3) of the outer node of each bar, kg    force : (b, 3) on it, N
    """
    n = length.size
    rho, joint, product = np.zeros((n, 3)), np.zeros((n, 6, 2)), np.zeros((n, 6))
    angle_kinematics(q, dq, length, inner_bar, rho, joint, product)
    m = np.zeros((n, 6, 6))
    f = np.zeros((n, 6))
    d = np.zeros((n, 2, 2))
    m[:, :3, :3] = mass
    f[:, :3] = force
    for i in range(n - 1, -1, -1):
        u = m[i] @ joint[i]
        d[i] = np.linalg.inv(joint[i].T @ u)
        p = inner_bar[i]
        if p >= 0:
            x = shift(rho[i])
            m[p] += x.T @ (m[i] - u @ d[i] @ u.T) @ x
            rest = f[i] - m[i] @ product[i]
            f[p] += x.T @ (rest - u @ (d[i] @ (joint[i].T @ rest)))
    out = np.zeros((n, 2))
    total = np.zeros((n, 6))
    for i in range(n):
        a0 = product[i].copy()
        if inner_bar[i] >= 0:
            a0 += shift(rho[i]) @ total[inner_bar[i]]
        out[i] = d[i] @ (joint[i].T @ (f[i] - m[i] @ a0))
        total[i] = a0 + joint[i] @ out[i]
    return out


def dense_accelerations(q: Array, dq: Array, length: Array, inner_bar: Ints, mass: Array, force: Array) -> Array:
    """As :func:`recursive_accelerations` by the dense (non-recursive) system, [Otto2022], sec. 4.5.1; O(n^3)."""
    n = length.size
    rho, joint, product = np.zeros((n, 3)), np.zeros((n, 6, 2)), np.zeros((n, 6))
    angle_kinematics(q, dq, length, inner_bar, rho, joint, product)
    jacobian = np.zeros((n, 6, 2 * n))
    bias = np.zeros((n, 6))
    matrix = np.zeros((2 * n, 2 * n))
    right = np.zeros(2 * n)
    for i in range(n):
        bias[i] = product[i]
        if inner_bar[i] >= 0:
            x = shift(rho[i])
            jacobian[i] = x @ jacobian[inner_bar[i]]
            bias[i] += x @ bias[inner_bar[i]]
        jacobian[i, :, 2 * i : 2 * i + 2] += joint[i]
        j = np.ascontiguousarray(jacobian[i, :3])
        matrix += j.T @ mass[i] @ j
        right += j.T @ (force[i] - mass[i] @ np.ascontiguousarray(bias[i, :3]))
    answer: Array = np.asarray(np.linalg.solve(matrix, right), dtype=np.float64).reshape(n, 2)
    return answer
