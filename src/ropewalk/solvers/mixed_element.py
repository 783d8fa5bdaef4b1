r"""One mixed element: residual and tangent over (first node, second node, tension).

The residual is inertia minus forces (N), and for the tension its own length equation (m):

.. math:: |d| - L + \tau\, t \cdot \Delta v - L\, e(T) = 0, \qquad d = r_2 - r_1, \quad t = d/|d|,

[Montano2005], eq. (11), with P1 positions, P0 tension, the pointwise law e(T) and Kelvin-Voigt damping
:math:`\tau`, which needs no stiffness and so also holds for inextensible lines. Mass and loads are lumped
at the nodes; each half of an element takes the velocity of its node and the tangent of its element.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel
from ropewalk.physics.drag import drag_derivatives
from ropewalk.physics.elasticity import LINEAR, strain
from ropewalk.solvers.mixed_mesh import (
    DAMPING,
    DRAG_NORMAL,
    DRAG_TANGENTIAL,
    HALF_ADDED_NORMAL,
    HALF_ADDED_TANGENTIAL,
    HALF_VOLUME,
    LENGTH,
    SLACK,
    THICKNESS,
)  # fmt: skip

SIZE = 7  # unknowns of an element
SHORTEST = 1e-9  # of the unstretched length: a collapsed element keeps a direction


@kernel
def slack_strain(T, kind, data, start, stop, slack):
    """Strain at a tension and its derivative; a line that cannot push gives way below zero tension.

    slack : axial stiffness in compression (N), 0 if the section can push
    """
    if T < 0.0 and slack > 0.0:
        return T / slack, 1.0 / slack
    if kind == LINEAR:
        return T / data[start], 1.0 / data[start]
    return strain(T, kind, data, start, stop)


@kernel
def _submerged_height(z, thickness):
    """Integral over height of the wet share of a section: 1 below, 0 above, a ramp of the thickness between."""
    half = 0.5 * thickness
    if z <= -half:
        return z
    if z >= half:
        return 0.0
    return -0.5 * (half - z) * (half - z) / thickness


@kernel
def wet_share(z1, z2, thickness):
    r"""Share of a stretch of line that is under water, and its derivatives by the heights of its two ends.

    .. math:: w = \frac{G(z_2) - G(z_1)}{z_2 - z_1}, \qquad G' = \text{wet share of a section at height } z

    exact for a straight stretch; level stretches pass the surface over their thickness.

    z1, z2 : heights above the surface, m    thickness : m
    """
    half = 0.5 * thickness
    if z1 <= -half and z2 <= -half:
        return 1.0, 0.0, 0.0
    if z1 >= half and z2 >= half:
        return 0.0, 0.0, 0.0
    dz = z2 - z1
    w1 = min(1.0, max(0.0, 0.5 - z1 / thickness))
    w2 = min(1.0, max(0.0, 0.5 - z2 / thickness))
    if abs(dz) < 1e-6 * thickness:
        slope = 0.0 if w1 <= 0.0 or w1 >= 1.0 else -0.5 / thickness
        return 0.5 * (w1 + w2), slope, slope
    w = (_submerged_height(z2, thickness) - _submerged_height(z1, thickness)) / dz
    return w, (w - w1) / dz, (w2 - w) / dz


@kernel
def element_system(e, i, j, r, v, a, T, flow, element, law, law_data, rho, g, bp, gp, K, R, u, t, f, du, dt):
    r"""Residual R (7,) and tangent K (7, 7) of element e between nodes i and j.

    K is the derivative by the positions, with :math:`\partial v/\partial r = \gamma'`,
    :math:`\partial \ddot r/\partial r = \beta'`. The length equation, times T, is added to the rows of the
    nodes: a row operation that leaves the solution alone and makes the stiffness of a straight taut line
    regular without its tension.

    r, v, a : (n, 3) m, m/s, m/s2    T : (n_elements,) N    flow : (n, 8) of the water
    element, law, law_data : of the mesh    rho, g : water density (kg/m3), gravity (m/s2)
    bp, gp : beta', gamma'    u, t, f, du, dt : scratch (3,), (3,), (3,), (3, 3), (3, 3)
    """
    L = element[e, LENGTH]
    dx, dy, dz = r[j, 0] - r[i, 0], r[j, 1] - r[i, 1], r[j, 2] - r[i, 2]
    span = max(np.sqrt(dx * dx + dy * dy + dz * dz), SHORTEST * L)
    q = 1.0 / span
    t[0], t[1], t[2] = dx * q, dy * q, dz * q
    vx, vy, vz = v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2]
    rate = vx * t[0] + vy * t[1] + vz * t[2]
    tau = element[e, DAMPING]
    force = T[e]
    stretched, compliance = slack_strain(force, law[e, 0], law_data, law[e, 1], law[e, 2], element[e, SLACK])
    miss = span - L + tau * rate - L * stretched
    # row of the length equation by the second node: t (1 + tau gamma') + tau (dv - rate t)/l
    slope = 1.0 + tau * gp - tau * q * rate
    n0 = slope * t[0] + tau * q * vx
    n1 = slope * t[1] + tau * q * vy
    n2 = slope * t[2] + tau * q * vz
    K[6, 0], K[6, 1], K[6, 2] = -n0, -n1, -n2
    K[6, 3], K[6, 4], K[6, 5] = n0, n1, n2
    K[6, 6] = -L * compliance
    R[6] = miss
    # tension on the nodes, with the length equation times `weight` added
    geometric = force * q
    weight = max(geometric, 0.0)
    pull = force + weight * miss
    push = 1.0 - weight * L * compliance
    for p in range(3):
        tp = t[p]
        R[p] = -pull * tp
        R[3 + p] = pull * tp
        K[p, 6] = -push * tp
        K[3 + p, 6] = push * tp
        w, b = weight * tp, geometric * tp
        K[p, 0], K[p, 1], K[p, 2] = w * n0 - b * t[0], w * n1 - b * t[1], w * n2 - b * t[2]
        K[p, p] += geometric
        for c in range(3):
            k = K[p, c]
            K[p, 3 + c] = -k
            K[3 + p, c] = -k
            K[3 + p, 3 + c] = k
    if rho > 0.0:
        _water_on_half(e, i, j, 0, r, v, a, flow, element, rho, g, bp, gp, span, K, R, u, t, f, du, dt)
        _water_on_half(e, j, i, 3, r, v, a, flow, element, rho, g, bp, gp, span, K, R, u, t, f, du, dt)


@kernel
def _water_on_half(e, n, other, o, r, v, a, flow, element, rho, g, bp, gp, span, K, R, u, t, f, du, dt):
    """Buoyancy, drag, added mass and Froude-Krylov force on the half of an element at node n, added to R and K.

    o : 0 at the first node, 3 at the second
    """
    q = 1.0 / span
    own = r[n, 2] - flow[n, 7]
    middle = 0.5 * (own + r[other, 2] - flow[other, 7])
    w, w_own, w_mid = wet_share(own, middle, element[e, THICKNESS])
    if w == 0.0 and w_own == 0.0 and w_mid == 0.0:
        return
    volume = element[e, HALF_VOLUME]
    lift = rho * g * volume
    R[o + 2] -= lift * w
    K[o + 2, o + 2] -= lift * (w_own + 0.5 * w_mid)
    K[o + 2, 5 - o] -= lift * 0.5 * w_mid
    half = 0.5 * span * w
    u[0], u[1], u[2] = flow[n, 0] - v[n, 0], flow[n, 1] - v[n, 1], flow[n, 2] - v[n, 2]
    drag_derivatives(u, t, element[e, DRAG_NORMAL], element[e, DRAG_TANGENTIAL], f, du, dt)
    ax, ay, az = flow[n, 3] - a[n, 0], flow[n, 4] - a[n, 1], flow[n, 5] - a[n, 2]
    along = ax * t[0] + ay * t[1] + az * t[2]
    normal = element[e, HALF_ADDED_NORMAL] * w
    excess = element[e, HALF_ADDED_TANGENTIAL] * w - normal
    krylov = rho * volume * w
    R[o] -= normal * ax
    R[o + 1] -= normal * ay
    R[o + 2] -= normal * az
    for p in range(3):
        tp = t[p]
        drag = half * f[p]
        R[o + p] -= drag + excess * along * tp + krylov * flow[n, 3 + p]
        # derivative by the tangent, times (1 - t t^T)/l; by the length, drag/l
        et = excess * tp
        d0, d1, d2 = half * dt[p, 0] + et * ax, half * dt[p, 1] + et * ay, half * dt[p, 2] + et * az
        if p == 0:
            d0 += excess * along
        elif p == 1:
            d1 += excess * along
        else:
            d2 += excess * along
        d = d0 * t[0] + d1 * t[1] + d2 * t[2] - drag
        k0, k1, k2 = (d0 - d * t[0]) * q, (d1 - d * t[1]) * q, (d2 - d * t[2]) * q
        K[o + p, 0] += k0
        K[o + p, 1] += k1
        K[o + p, 2] += k2
        K[o + p, 3] -= k0
        K[o + p, 4] -= k1
        K[o + p, 5] -= k2
        for c in range(3):
            K[o + p, o + c] += gp * half * du[p, c] + bp * et * t[c]
        K[o + p, o + p] += bp * normal
