r"""Springs and dampers of hinges between bodies of bars: a law of the angle between four nodes.

The axis runs from node c to node d; node a belongs to one part, node b to the other. With :math:`e_a, e_b` their ways
from the axis and :math:`\xi` where they stand along it (0 at c, 1 at d),

.. math::
    \psi = \mathrm{atan2}(n \cdot e_a \times e_b,\ e_a \cdot e_b), \qquad
    \psi_b = \frac{n \times e_b}{|e_b|^2}, \quad \psi_a = -\frac{n \times e_a}{|e_a|^2}, \\
    \psi_c = -(1 - \xi_a)\,\psi_a - (1 - \xi_b)\,\psi_b, \qquad \psi_d = -\xi_a \psi_a - \xi_b \psi_b,

with subscripts for gradients, the forces :math:`-(k \varphi + c \dot\psi)\,\psi_i` are those of the energy
:math:`k \varphi^2/2`, and have no resultant: couples about the axis on either part. (Angles between four atoms are
differentiated in the same way, [Blondel1996].)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ropewalk.loads.springs import hinge_law
from ropewalk.model.arrays import Array
from ropewalk.numerics.compile import kernel

if TYPE_CHECKING:
    from ropewalk.methods.bars.arrays import Bars

HINGE_LAW = np.dtype(
    [
        ("stiffness", "f8"),  # N m/rad
        ("damping", "f8"),  # N m s/rad
        ("zero", "f8"),  # psi at the file's attitudes, rad
    ],
    align=True,
)
PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))  # of the nodes of a hinge


@kernel
def _from_axis(n, size, start, x):
    """Vector from the axis to x (m), and the place of its foot on the axis as a share of the axis' length.

    Source: definition, d = x - start: e = d - (d . n) n, (d . n)/size.    n : (3,) unit vector of the axis
    """
    d = x - start
    along = d[0] * n[0] + d[1] * n[1] + d[2] * n[2]
    return d - along * n, along / size


@kernel
def _cross(a, b):
    """Cross product as an array, in the product of the units: (a x b)_i = eps_ijk a_j b_k.  Source: definition."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


@kernel
def hinge_angle(nodes, r, gradient):
    r"""The angle psi (rad) of a hinge; its derivatives by the places of the four nodes (4, 3), 1/m, into `gradient`.

    .. math:: \psi = \mathrm{atan2}(n \cdot e_a \times e_b,\ e_a \cdot e_b)

    Source: the heading of this file; [Blondel1996].

    nodes : (4,) a, c, d, b    r : (n, 3) m
    """
    way = r[nodes[2]] - r[nodes[1]]
    size = np.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
    n = way / size
    ea, xa = _from_axis(n, size, r[nodes[1]], r[nodes[0]])
    eb, xb = _from_axis(n, size, r[nodes[1]], r[nodes[3]])
    ga, gb = _cross(n, ea), _cross(n, eb)
    sine = ga[0] * eb[0] + ga[1] * eb[1] + ga[2] * eb[2]  # n . ea x eb
    cosine = ea[0] * eb[0] + ea[1] * eb[1] + ea[2] * eb[2]
    ga *= -1.0 / (ea[0] ** 2 + ea[1] ** 2 + ea[2] ** 2)
    gb *= 1.0 / (eb[0] ** 2 + eb[1] ** 2 + eb[2] ** 2)
    for j in range(3):
        gradient[0, j] = ga[j]
        gradient[1, j] = -(1.0 - xa) * ga[j] - (1.0 - xb) * gb[j]
        gradient[2, j] = -xa * ga[j] - xb * gb[j]
        gradient[3, j] = gb[j]
    return np.arctan2(sine, cosine)


@kernel
def _turned(nodes, zero, r, gradient):
    """Turn from the file's attitudes, phi = psi - psi_0 (rad, less than half a revolution); fills `gradient`.

    Source: the heading of this file.
    """
    turn = hinge_angle(nodes, r, gradient) - zero
    return turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi))


@kernel
def hinge_turn(nodes, zero, r, v, gradient):
    """Turn from the file's attitudes (rad, less than half a revolution) and its rate (rad/s); fills `gradient`.

    Source: psi' = sum psi_i . v_i, the heading of this file.
    """
    turn, rate = _turned(nodes, zero, r, gradient), 0.0
    for i in range(4):
        for j in range(3):
            rate += gradient[i, j] * v[nodes[i], j]
    return turn, rate


@kernel
def hinge_loads(hinge, law, r, v, force):
    r"""Adds the forces of the springs and dampers of hinges to `force` (n, 3), N.

    .. math:: f_i = -(k \varphi + c \dot\psi)\, \psi_i

    Source: the heading of this file.

    hinge : (k, 4)    law : (k,) of HINGE_LAW
    """
    gradient = np.zeros((4, 3))
    for k in range(hinge.shape[0]):
        turn, rate = hinge_turn(hinge[k], law[k].zero, r, v, gradient)
        moment = hinge_law(law[k].stiffness, law[k].damping, turn, rate)[0]
        for i in range(4):
            for j in range(3):
                force[hinge[k, i], j] -= moment * gradient[i, j]


@kernel
def stiffen_hinges(hinge, law, r, cv, nodes, cross):
    """Adds (k + c_v c) psi_i psi_j to the blocks of nodes (n, 3, 3), and sets `cross` (k, 6, 3, 3) between pairs, N/m.

    Source: K_ij = (k + c_v c) psi_i psi_j^T, derivative of :func:`hinge_loads` at constant gradients.

    cv : change of velocity per displacement, 1/s    The turning of the gradients is left out.
    """
    gradient = np.zeros((4, 3))
    for k in range(hinge.shape[0]):
        turn = _turned(hinge[k], law[k].zero, r, gradient)
        _, by_turn, by_rate, _ = hinge_law(law[k].stiffness, law[k].damping, turn, 0.0)
        stiff = by_turn + cv * by_rate
        for i in range(4):
            for p in range(3):
                for q in range(3):
                    nodes[hinge[k, i], p, q] += stiff * gradient[i, p] * gradient[i, q]
        for e, (i, j) in enumerate(PAIRS):
            for p in range(3):
                for q in range(3):
                    cross[k, e, p, q] = stiff * gradient[i, p] * gradient[j, q]


def hinge_energy(bars: Bars, r: Array) -> float:
    """Energy of the springs of all hinges with nodes at r (n, 3), J."""
    gradient, rows = np.zeros((4, 3)), zip(bars.hinge, bars.hinge_law, strict=True)
    return sum(float(hinge_law(law.stiffness, 0.0, _turned(row, law.zero, r, gradient), 0.0)[3]) for row, law in rows)


def hinge_rates(bars: Bars, r: Array, inverse: Array) -> tuple[float, float]:
    """Bounds on the squared frequency (1/s2) and the rate of decay (1/s) that laws of hinges give explicit steps.

    inverse : (n,) mobility of the nodes with the bodies that they belong to, 1/kg
    """
    gradient, square, rate = np.zeros((4, 3)), 0.0, 0.0
    for row, law in zip(bars.hinge, bars.hinge_law, strict=True):
        hinge_angle(row, r, gradient)
        turns = float(np.sum(np.sqrt(inverse[row]) * np.linalg.norm(gradient, axis=1)) ** 2)  # 1/(kg m2)
        square, rate = max(square, law.stiffness * turns), max(rate, law.damping * turns)
    return square, rate
