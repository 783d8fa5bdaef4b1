"""The shape of a rod from its curvature: frames and positions along s, to spectral accuracy.

A rod is cut into panels with n Gauss points each. All that the hydrostatics read at a place is one row
of numbers, so that a row anywhere in a panel is one interpolation; the columns are named here.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import (
    quaternion_exp,
    quaternion_normalise,
    quaternion_product,
    quaternion_to_matrix,
)

# One place along a rod. The fields up to b are all that a quadrature point needs; the rest serves to find where
# sections dry out or drown. Interpolation takes them as numbers in this order.
ROW = np.dtype(
    (
        np.record,
        [
            ("position", "f8", (3,)),  # of the section centre, m
            ("t2", "f8", (3,)),  # section axes
            ("t3", "f8", (3,)),
            ("bend2", "f8"),  # curvature about them, 1/m
            ("bend3", "f8"),
            ("a", "f8"),  # semi-axes or half sides along them, m
            ("b", "f8"),
            ("t1", "f8", (3,)),  # tangent
            ("torsion", "f8"),  # 1/m
            ("slope_a", "f8"),  # of the semi-axes along s
            ("slope_b", "f8"),
        ],
    )
)
N_POINT = 13  # numbers of a row that a quadrature point needs
N_ROW = 19  # numbers of a row
BOUND = np.dtype(
    (np.record, [("reach", "f8"), ("steepest", "f8")])
)  # of a section, m; of the slope of its highest point
WHOLE = np.dtype((np.record, [("volume", "f8"), ("moment", "f8", (3,))]))  # m3, m4

ELLIPSE = 0  # kinds of section
RECTANGLE = 1


class Panels(NamedTuple):
    """A rod's rows and the rules to integrate over them; all arrays read-only."""

    rows: Any  # (m, n) of ROW, at the Gauss points of m panels
    columns: NDArray[np.float64]  # (m, N_ROW, n) the same numbers the other way round, for interpolation
    ends: Any  # (m, 2) of ROW, at the panel ends
    bounds: Any  # (m,) of BOUND
    drowned: Any  # (m,) of WHOLE: each panel under water
    half: NDArray[np.float64]  # (m,) half lengths of the panels, m
    x: NDArray[np.float64]  # (n,) Gauss points on [-1, 1]
    weight: NDArray[np.float64]  # (n,) Gauss weights
    bary: NDArray[np.float64]  # (n,) barycentric weights
    sub_x: NDArray[np.float64]  # points of the rule for intervals that the surface splits
    sub_w: NDArray[np.float64]  # and its weights
    curved: float  # 1 exact volume element, 0 plane slices
    section: int  # ELLIPSE or RECTANGLE


# Largest turn of the frame in one panel (rad). The iteration below converges as (turn/2)^k / k!, and 16 points
# resolve one radian of rotation to round-off.
LARGEST_TURN = 2.0
SWEEPS = 40  # (1)^40 / 40! is far below round-off; the loop leaves as soon as nothing changes
ROUND_OFF = 1e-15  # change of a quaternion component that counts as none; the sweep after it is below round-off


@kernel
def rod_shape(half, kappa, jump, weight, running):
    r"""Quaternions and positions along a rod, head frame at s = 0.

    .. math:: Q' = \tfrac12 Q \otimes (0, \kappa), \qquad p' = t_1

    Source: [Herault2020], eqs. (8), (12), (A.3), by Gauss collocation on each panel, which keeps the norm of Q over a
    panel; the collocation equations are solved by Picard sweeps.

    half : (m,) half lengths of the panels, m    kappa : (m, n, 3) at the Gauss points, 1/m
    jump : (m, 3) rotation vector of the frame at the start of each panel, body axes, rad
    weight, running : Gauss weights and running-integral matrix
    returns quaternions (m, n, 4) and at panel ends (m, 2, 4), positions (m, n, 3) and (m, 2, 3)
    """
    m, n = kappa.shape[0], kappa.shape[1]
    Q, Qe = np.empty((m, n, 4)), np.empty((m, 2, 4))
    p, pe = np.empty((m, n, 3)), np.empty((m, 2, 3))
    rate = np.empty((n, 4))
    P = np.empty((n, 4))
    start = np.array([1.0, 0.0, 0.0, 0.0])
    here = np.zeros(3)
    for k in range(m):
        start = quaternion_normalise(quaternion_product(start, quaternion_exp(jump[k])))
        _turn_in_panel(half[k], kappa[k], running, P, rate)
        total = np.array([1.0, 0.0, 0.0, 0.0])
        for j in range(n):
            for c in range(4):
                total[c] += half[k] * weight[j] * rate[j, c]
            Q[k, j] = quaternion_normalise(quaternion_product(start, P[j]))
        Qe[k, 0] = start
        pe[k, 0] = here
        start = quaternion_normalise(quaternion_product(start, total))
        Qe[k, 1] = start
        end = here.copy()
        for i in range(n):
            t1 = _tangent(Q[k, i])
            end += half[k] * weight[i] * t1
            rate[i, :3] = t1
        for i in range(n):
            for c in range(3):
                p[k, i, c] = here[c]
                for j in range(n):
                    p[k, i, c] += half[k] * running[i, j] * rate[j, c]
        here = end
        pe[k, 1] = here
    return Q, Qe, p, pe


@kernel
def _turn_in_panel(half, kappa, running, P, rate):
    r"""Fill P (n, 4), the turn since the panel's start, and its rate by s, from the collocation equations.

    .. math:: P' = \tfrac12\, P \otimes (0, \kappa), \qquad P_i = 1 + \tfrac{l}{2} \sum_j S_{ij} P_j'

    Source: collocation at Gauss points by Picard's iteration, docs/theory/rods.md, Shape; [Hairer1993], sec. II.7.
    """
    n = kappa.shape[0]
    P[:, 0] = 1.0
    P[:, 1:] = 0.0
    for _ in range(SWEEPS):
        for j in range(n):
            q, w = P[j], kappa[j]
            rate[j, 0] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2])
            rate[j, 1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1])
            rate[j, 2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2])
            rate[j, 3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0])
        change = 0.0
        for i in range(n):
            for c in range(4):
                value = 1.0 if c == 0 else 0.0
                for j in range(n):
                    value += half * running[i, j] * rate[j, c]
                change = max(change, abs(value - P[i, c]))
                P[i, c] = value
        if change < ROUND_OFF:
            break


@kernel
def _tangent(q):
    """First axis of the frame of a unit quaternion.

    Source: t_1 = R e_1 of a unit quaternion, [Sola2018].
    """
    t = np.empty(3)
    t[0] = 1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3])
    t[1] = 2.0 * (q[1] * q[2] + q[0] * q[3])
    t[2] = 2.0 * (q[1] * q[3] - q[0] * q[2])
    return t


@kernel
def rod_rows(Q, p, kappa, a, b, slope_a, slope_b):
    """Pack the rows of `rod_shape` and the sections. Bookkeeping.

    Q : (m, n, 4)    p, kappa : (m, n, 3)    a, b, slope_a, slope_b : (m, n)    returns (m, n) of ROW
    """
    m, n = a.shape
    rows = np.empty((m, n), ROW)
    for k in range(m):
        for j in range(n):
            R = quaternion_to_matrix(Q[k, j])
            for c in range(3):
                rows[k, j].position[c] = p[k, j, c]
                rows[k, j].t1[c] = R[c, 0]
                rows[k, j].t2[c] = R[c, 1]
                rows[k, j].t3[c] = R[c, 2]
            rows[k, j].torsion = kappa[k, j, 0]
            rows[k, j].bend2 = kappa[k, j, 1]
            rows[k, j].bend3 = kappa[k, j, 2]
            rows[k, j].a = a[k, j]
            rows[k, j].b = b[k, j]
            rows[k, j].slope_a = slope_a[k, j]
            rows[k, j].slope_b = slope_b[k, j]
    return rows


@kernel
def section_reach(section, a, b):
    """Distance of a section's farthest point from its centre, m.

    Source: the larger semi-axis, or r = sqrt(a^2 + b^2) of a rectangle.

    section : ELLIPSE or RECTANGLE    a, b : semi-axes or half sides, m
    """
    return math.hypot(a, b) if section == RECTANGLE else max(a, b)


@kernel
def section_factors(section):
    """Ratios of a section's area to ab, and of the mean square of a coordinate to its semi-axis or half side squared.

    Source: A = pi ab and I/(A a^2) = 1/4 of an ellipse, A = 4 ab and 1/3 of a rectangle.

    section : ELLIPSE or RECTANGLE
    """
    if section == RECTANGLE:
        return 4.0, 1.0 / 3.0
    return math.pi, 0.25


@kernel
def panel_bounds(rows, ends, half, weight, curved, section):
    r"""Bounds for a quick check whether a panel can meet the surface, and the integrals of a drowned panel.

    .. math:: |(z + \rho)'| \le 1 + |\kappa|\, \rho + |a'| + |b'|

    Source: docs/theory/rods.md, Integrals along s; the integrals by The volume of a curved rod.

    A section's highest point rises along s at most by 1 + |kappa| reach + |a'| + |b'|.

    rows, ends, half, weight, curved, section : as in `Panels`    returns (m,) of BOUND and of WHOLE
    """
    m, n = rows.shape[0], rows.shape[1]
    bounds, drowned = np.zeros(m, BOUND), np.zeros(m, WHOLE)
    full, square = section_factors(section)
    for k in range(m):
        for j in range(n + 2):
            row = ends[k, 0] if j == 0 else (ends[k, 1] if j == n + 1 else rows[k, j - 1])
            reach = section_reach(section, row.a, row.b)
            bend = np.sqrt(row.torsion**2 + row.bend2**2 + row.bend3**2)
            bounds[k].reach = max(bounds[k].reach, reach)
            bounds[k].steepest = max(bounds[k].steepest, 1.0 + bend * reach + abs(row.slope_a) + abs(row.slope_b))
        for j in range(n):
            row = rows[k, j]
            a, b = row.a, row.b
            area = full * a * b * weight[j] * half[k]
            drowned[k].volume += area
            m2, m3 = -curved * row.bend3 * square * a * a * area, curved * row.bend2 * square * b * b * area
            for i in range(3):
                drowned[k].moment[i] += area * row.position[i] + m2 * row.t2[i] + m3 * row.t3[i]
    return bounds, drowned
