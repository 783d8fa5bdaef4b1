r"""How the balance of a rod held at one head pose changes with its curvature, exactly.

A change of curvature turns all that lies beyond it. With the frame R(s) and the position p(s) in head axes, a section
moves as a rigid body, :math:`\delta x = \Theta \times x + D`, with

.. math:: \Theta(s) = \int_0^s R\, \delta\kappa\, ds, \qquad D(s) = \int_0^s p \times R\, \delta\kappa\, ds,

which replaces the inversion (A.29) of [Herault2020]. Beside that the volume element changes on the spot,
:math:`\delta(dV) = (\delta\kappa_2 q_3 - \delta\kappa_3 q_2)\, dA\, ds`.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel
from ropewalk.numerics.quadrature import interpolation_row
from ropewalk.physics.rod_integrals import row_at, symmetric
from ropewalk.physics.rod_shape import ROW


@kernel
def section_motions(panels, basis, running):
    r"""Motion of the sections for a unit of each basis function in each component of the curvature.

    .. math:: \Theta(s) = \int_0^s R\, \delta\kappa\, ds, \qquad D(s) = \int_0^s p \times R\, \delta\kappa\, ds

    Source: docs/theory/rods.md, Inverse design; replaces the inversion (A.29) of [Herault2020].

    panels : `Panels`    basis : (b, m, n) functions at the Gauss points    running : running-integral matrix
    returns nodes (m, n, 6, 3 b) and panel starts (m + 1, 6, 3 b): Theta then D; parameter 3 j + i is function j,
    component i
    """
    count, m, n = basis.shape
    nodes = np.zeros((m, n, 6, 3 * count))
    starts = np.zeros((m + 1, 6, 3 * count))
    rate = np.zeros((n, 6))
    for j in range(count):
        for i in range(3):
            parameter = 3 * j + i
            for k in range(m):
                for q in range(n):
                    row = panels.rows[k, q]
                    axis = row.t1 if i == 0 else (row.t2 if i == 1 else row.t3)
                    size = basis[j, k, q]
                    w0, w1, w2 = size * axis[0], size * axis[1], size * axis[2]
                    p0, p1, p2 = row.position[0], row.position[1], row.position[2]
                    rate[q, 0], rate[q, 1], rate[q, 2] = w0, w1, w2
                    rate[q, 3], rate[q, 4], rate[q, 5] = p1 * w2 - p2 * w1, p2 * w0 - p0 * w2, p0 * w1 - p1 * w0
                for c in range(6):
                    total = 0.0
                    for q in range(n):
                        total += panels.weight[q] * rate[q, c]
                        value = 0.0
                        for r in range(n):
                            value += running[q, r] * rate[r, c]
                        nodes[k, q, c, parameter] = starts[k, c, parameter] + panels.half[k] * value
                    starts[k + 1, c, parameter] = starts[k, c, parameter] + panels.half[k] * total
    return nodes, starts


@kernel
def wet_sensitivity(panels, entries, places, nodes, basis, u):
    r"""Derivative of the wet volume and of its first moment by the parameters of `section_motions`, at a fixed head.

    .. math:: \delta V = -\int_\mathrm{plane} u \cdot \delta x\, dA + \int_\mathrm{wet} \delta(dV), \qquad
              \delta X = \int_\mathrm{wet} \delta x\, dV - \int_\mathrm{plane} x\,(u \cdot \delta x)\, dA
              + \int_\mathrm{wet} x\,\delta(dV)

    Source: docs/theory/rods.md, Inverse design.

    entries, places : of `hydrostatic_points`    nodes : motions at the Gauss points    basis : (b, m, n)
    u : (3,) up in head axes    returns (4, 3 b): volume (m3) and first moment (m4) per unit of the parameter
    panels : `Panels`
    """
    count, n = basis.shape[0], panels.x.shape[0]
    out = np.zeros((4, 3 * count))
    weights, here, local = np.empty(n), np.empty(1, ROW), np.empty(count)
    motion = np.empty((6, 3 * count))
    for e in range(entries.shape[0]):
        acc = entries[e]
        k = places[e].panel
        row_at(panels.columns[k], panels.x, panels.bary, places[e].at, weights, here)
        interpolation_row(panels.x, panels.bary, places[e].at, weights)
        motion[:, :] = 0.0
        local[:] = 0.0
        for q in range(n):
            for c in range(6):
                for a in range(3 * count):
                    motion[c, a] += weights[q] * nodes[k, q, c, a]
            for j in range(count):
                local[j] += weights[q] * basis[j, k, q]
        C = symmetric(acc.area_second)
        B = acc.area_moment
        X = acc.moment
        for a in range(3 * count):
            t0, t1, t2 = motion[0, a], motion[1, a], motion[2, a]
            d0, d1, d2 = motion[3, a], motion[4, a], motion[5, a]
            lift = u[0] * d0 + u[1] * d1 + u[2] * d2
            s0, s1, s2 = u[1] * t2 - u[2] * t1, u[2] * t0 - u[0] * t2, u[0] * t1 - u[1] * t0  # u x Theta
            out[0, a] -= s0 * B[0] + s1 * B[1] + s2 * B[2] + acc.area * lift
            out[1, a] += t1 * X[2] - t2 * X[1] + acc.volume * d0
            out[2, a] += t2 * X[0] - t0 * X[2] + acc.volume * d1
            out[3, a] += t0 * X[1] - t1 * X[0] + acc.volume * d2
            for i in range(3):
                out[1 + i, a] -= C[i, 0] * s0 + C[i, 1] * s1 + C[i, 2] * s2 + B[i] * lift
        _add_local(out, acc, here[0], local, panels.curved)
    return out


@kernel
def _add_local(out, acc, row, local, curved):
    r"""Add the change of the volume element itself (m3) at one point.

    .. math:: \delta(dV) = (\delta\kappa_2\, q_3 - \delta\kappa_3\, q_2)\, dA\, ds

    Source: docs/theory/rods.md, Inverse design.

    out : (4, 3 b) as of :func:`wet_sensitivity`, added to    acc : ENTRY    row : ROW
    local : (b,) values of the basis
    curved : 1, or 0 for plane slices
    """
    M2, M3 = curved * acc.m2, curved * acc.m3
    M22, M33, M23 = curved * acc.m22, curved * acc.m33, curved * acc.m23
    for j in range(local.shape[0]):
        a2, a3 = 3 * j + 1, 3 * j + 2
        out[0, a2] += local[j] * M3
        out[0, a3] -= local[j] * M2
        for i in range(3):
            p, t2, t3 = row.position[i], row.t2[i], row.t3[i]
            out[1 + i, a2] += local[j] * (p * M3 + t2 * M23 + t3 * M33)
            out[1 + i, a3] -= local[j] * (p * M2 + t2 * M22 + t3 * M23)
