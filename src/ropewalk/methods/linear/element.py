r"""Mixed elements about rest: forces, and their derivatives by position, velocity and acceleration apart.

The elements are those of ``mixed_element.py`` (P1 positions, P0 tension, everything lumped at the nodes). A time
step needs only the sum :math:`K + \gamma' B + \beta' M`; here the three are kept apart, and all terms that the
step leaves to its next Newton iteration (current over depth, drag on the wet share) are in the tangent.

Residuals are minus the forces (N) at the nodes and, for each tension, its length equation (m).
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.element import SHORTEST, slack_strain, wet_share
from ropewalk.assembly.mesh import (
    ADDED,
    BED_AREA,
    DRAG_AREA,
    DRAG_NORMAL,
    DRAG_TANGENTIAL,
    FORCE,
    HALF_ADDED_NORMAL,
    HALF_ADDED_TANGENTIAL,
    HALF_VOLUME,
    LENGTH,
    MASS,
    RADIUS,
    SLACK,
    THICKNESS,
    VOLUME,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics.drag import drag_derivatives
from ropewalk.physics.seabed import contact_derivatives

SPHERE = 0.23873241463784300  # 3/(4 pi): the cube of a sphere's radius per volume


@kernel
def elements(first, r, T, flow, slope, element, law, law_data, rho, g, R, miss, tangent, give, wet, K, B, M):
    r"""Residuals and tangents of all elements at rest; R is added to, the others are filled.

    .. math:: R_1 = -T t - F_1, \quad R_2 = T t - F_2, \quad |d| - L - L e(T) = 0, \qquad d = r_2 - r_1,
              \quad F = w \left(\tfrac12 |d| f_D(U, t) + \rho g V \hat z\right)

    Source: [Montano2005], eqs. (11), (15), lumped; w is the wet share of a half, f_D physics/drag.py.

    first : (m,) node before each element, its other node is the next    r : (n, 3) m    T : (m,) N
    flow, slope : (n, 3) current and its derivative by height, m/s, 1/s    element, law, law_data : of the mesh
    rho, g : kg/m3, m/s2    R : (n, 3) N    miss : (m,) m    tangent : (m, 3)    give : (m,) m/N
    wet : (m, 2) of each half    K : (m, 2, 2, 3, 3) N/m by residual node and moved node, without tension
    B, M : (m, 2, 3, 3) drag (N s/m) and added mass (kg) of each half
    """
    t, f = np.zeros(3), np.zeros(3)
    du, dt = np.zeros((3, 3)), np.zeros((3, 3))
    for e in range(first.size):
        i = first[e]
        L = element[e, LENGTH]
        span = 0.0
        for p in range(3):
            t[p] = r[i + 1, p] - r[i, p]
            span += t[p] * t[p]
        span = max(np.sqrt(span), SHORTEST * L)
        for p in range(3):
            t[p] /= span
            tangent[e, p] = t[p]
        stretched, compliance = slack_strain(T[e], law[e, 0], law_data, law[e, 1], law[e, 2], element[e, SLACK])
        miss[e] = span - L - L * stretched
        give[e] = L * compliance
        for p in range(3):
            R[i, p] -= T[e] * t[p]
            R[i + 1, p] += T[e] * t[p]
            for q in range(3):
                k = T[e] / span * ((1.0 if p == q else 0.0) - t[p] * t[q])
                K[e, 0, 0, p, q] = K[e, 1, 1, p, q] = k
                K[e, 0, 1, p, q] = K[e, 1, 0, p, q] = -k
        for side in range(2):
            _half(e, side, i, t, span, r, flow, slope, element, rho, g, R, wet, K, B, M, f, du, dt)


@kernel
def _half(e, side, i, t, span, r, flow, slope, element, rho, g, R, wet, K, B, M, f, du, dt):
    """Water on one half of element e; arguments as :func:`elements`, and scratch."""
    for p in range(3):
        for q in range(3):
            B[e, side, p, q] = M[e, side, p, q] = 0.0
    n, other = i + side, i + 1 - side
    w, w_own, w_mid = wet_share(r[n, 2], 0.5 * (r[n, 2] + r[other, 2]), element[e, THICKNESS])
    wet[e, side] = w if rho > 0.0 else 0.0
    if rho <= 0.0 or (w == 0.0 and w_own == 0.0 and w_mid == 0.0):
        return
    drag_derivatives(flow[n], t, element[e, DRAG_NORMAL], element[e, DRAG_TANGENTIAL], f, du, dt)
    half = 0.5 * span
    normal, tangential = element[e, HALF_ADDED_NORMAL], element[e, HALF_ADDED_TANGENTIAL]
    for p in range(3):
        whole = half * f[p]  # force of the half if it were all wet
        if p == 2:
            whole += rho * g * element[e, HALF_VOLUME]
        R[n, p] -= w * whole
        by_t = 0.0
        for q in range(3):
            by_t += dt[p, q] * t[q]
        sheared = 0.0
        for q in range(3):
            B[e, side, p, q] = w * half * du[p, q]
            M[e, side, p, q] = w * (tangential - normal) * t[p] * t[q]
            by_chord = 0.5 * w * (f[p] * t[q] + dt[p, q] - by_t * t[q])
            K[e, side, 1, p, q] -= by_chord
            K[e, side, 0, p, q] += by_chord
            sheared += du[p, q] * slope[n, q]
        M[e, side, p, p] += w * normal
        K[e, side, side, p, 2] -= w * half * sheared + (w_own + 0.5 * w_mid) * whole
        K[e, side, 1 - side, p, 2] -= 0.5 * w_mid * whole


@kernel
def nodes(r, flow, slope, node, mass_damping, has_bed, bed, rho, g, R, wet, K, B, drag, M):
    r"""What is lumped at the nodes: weight, attachments, contact with the bed; R is added to, the others filled.

    Friction of the bed is the slope of its smooth law at rest, :math:`\mu p w / v_s`: a damper.

    node, has_bed, bed : of the mesh    wet : (n,) share of the lumped volumes under water
    K, B, M : (n, 3, 3) N/m, N s/m, kg    drag : (n, 3, 3) N s/m, of the attachments, not in B
    others as :func:`elements`
    """
    f, rest = np.zeros(3), np.zeros(3)
    dx, dv = np.zeros((3, 3)), np.zeros((3, 3))
    for n in range(r.shape[0]):
        m = node[n, MASS]
        for p in range(3):
            R[n, p] -= node[n, FORCE + p]
            for q in range(3):
                K[n, p, q] = B[n, p, q] = drag[n, p, q] = M[n, p, q] = 0.0
            M[n, p, p] = m
            B[n, p, p] = m * mass_damping
        R[n, 2] += m * g
        wet[n] = 0.0
        if rho > 0.0:
            _lump(n, r, flow, slope, node, rho, g, R, wet, K, drag, M)
        if has_bed and node[n, BED_AREA] > 0.0:
            contact_derivatives(r[n], rest, bed[:4], bed[4:], node[n, BED_AREA], node[n, RADIUS], f, dx, dv)
            for p in range(3):
                R[n, p] -= f[p]
                for q in range(3):
                    K[n, p, q] -= dx[p, q]
                    B[n, p, q] -= dv[p, q]


@kernel
def _lump(n, r, flow, slope, node, rho, g, R, wet, K, drag, M):
    """Water on the volume, drag area and added mass at node n; a volume is a sphere at the surface."""
    volume, drag_area, added = node[n, VOLUME], node[n, DRAG_AREA], node[n, ADDED]
    if volume == 0.0 and drag_area == 0.0 and added == 0.0:
        return
    radius = (SPHERE * volume) ** (1.0 / 3.0)
    share, by_z = 1.0, 0.0
    if r[n, 2] > -radius:
        if r[n, 2] >= radius:
            return
        h = (radius - r[n, 2]) / radius  # submerged height over radius, 0 to 2
        share = 0.25 * h * h * (3.0 - h)
        by_z = -0.75 * h * (2.0 - h) / radius
    wet[n] = share
    u = flow[n]
    speed = np.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    b = 0.5 * rho * drag_area
    for p in range(3):
        whole = b * speed * u[p]
        if p == 2:
            whole += rho * g * volume
        R[n, p] -= share * whole
        sheared = 0.0
        for q in range(3):
            slant = b * u[p] * u[q] / speed if speed > 0.0 else 0.0
            if p == q:
                slant += b * speed
            drag[n, p, q] = share * slant
            sheared += slant * slope[n, q]
        M[n, p, p] += share * added
        K[n, p, 2] -= share * sheared + by_z * whole
