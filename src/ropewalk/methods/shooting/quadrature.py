r"""Steps where the load depends neither on place nor on direction: the string is then a quadrature.

Without drag, pressure and a rotating frame, n' = -(f_0 + s f_1) does not contain the state, so n is a parabola
and position and the derivatives are integrals over s alone,

.. math:: r(s + h) = r(s) + \int_s^{s + h} \nu t\, d\sigma, \qquad
          \Phi_r(s + h) = \Phi_r(s) + G\, \Phi_n, \qquad
          G = \int_s^{s + h} \frac{\partial (\nu t)}{\partial n}\, d\sigma,

with the derivatives of n constant. A Runge-Kutta step of such an equation is the quadrature by its weights
([Hairer1993], sec. II.1), so the step taken here is that of the 8(5,3) pair, with the same error estimate, but without
the sums that make a stage: of its twelve stages four have no weight, and the last two stand at the same place.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.string import GROUNDED, STATE, WET
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.numerics.rungekutta import D_A, D_C, D_E3, D_E5
from ropewalk.physics.elasticity import strain

FIRST_WEIGHTED, END = 5, 12  # stages 1 to 4 have no weight; stage 12 is the slope at the end
E3_SHARE = 0.01  # of the third-order estimate in the error, [Hairer1993], sec. II.10


@kernel(**UNCOUNTED)
def is_quadrature(span, phase, sea):
    """True if the load of a span depends on s alone.  span : record of SPAN    phase : DRY, WET or GROUNDED

    Source: docs/theory/shooting.md, The string: no pressure, rotation, function or profile, and in water
    (b_n + b_t) |u| = 0 (b in kg/m2, u in m/s).
    """
    if phase == GROUNDED or span.profile >= 0 or span.function != 0:
        return False
    for k in range(3):
        if span.pressure[k] != 0.0:
            return False
    for k in range(9):
        if span.turn[k] != 0.0:
            return False
    return phase != WET or (span.drag_normal + span.drag_tangential) * abs(sea.current_speed) == 0.0


@kernel(**UNCOUNTED)
def quadrature_step(s, h, y, m, here, walk, scale):
    r"""One step of the 8(5,3) pair from s to s + h; returns its error over the tolerance, as `error_norm` does.

    .. math:: r(s + h) = r(s) + h \sum_i b_i\, (\nu t)(s + c_i h), \qquad n(s + c h) = n - c h\, (f + \tfrac12 c h f_1)

    Source: the equations at the head of this file; :math:`\partial(\nu t)/\partial n` as in
    :mod:`ropewalk.assembly.string`. K[0] must hold the slope at s; the stages of dense output are filled.

    s, h : m from the start of the span    y : (ALL,)    m : STATE, FORCE_ONLY or ALL    here : span, law and phase
    walk : `Walk`, of which y_new and the state's columns of K are filled    scale : (STATE,) tolerance of each entry
    """
    (span, law, phase), K, y_new = here, walk.K, walk.y_new
    law_data, delta = walk.around.law_data, walk.around.delta
    fx, fy, fz = span.load[0] + s * span.slope[0], span.load[1] + s * span.slope[1], span.load[2] + s * span.slope[2]
    if phase == WET:
        fz += span.buoyancy
    x5, y5, z5, x3, y3, z3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    rx, ry, rz = 0.0, 0.0, 0.0
    gxx, gxy, gxz, gyy, gyz, gzz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(FIRST_WEIGHTED - 1, END):
        i = 0 if j < FIRST_WEIGHTED else j
        c = D_C[i] * h
        nx = y[3] - c * (fx + 0.5 * c * span.slope[0])
        ny = y[4] - c * (fy + 0.5 * c * span.slope[1])
        nz = y[5] - c * (fz + 0.5 * c * span.slope[2])
        T = np.sqrt(nx * nx + ny * ny + nz * nz + delta * delta)
        per_force = 1.0 / T
        tx, ty, tz = nx * per_force, ny * per_force, nz * per_force
        e, de = strain(T, law[0], law_data, law[1], law[2])
        nu = 1.0 + e
        vx, vy, vz = nu * tx, nu * ty, nu * tz
        K[i, 0], K[i, 1], K[i, 2] = vx, vy, vz
        K[i, 3], K[i, 4], K[i, 5] = -(fx + c * span.slope[0]), -(fy + c * span.slope[1]), -(fz + c * span.slope[2])
        b, b5, b3 = D_A[END, i], D_E5[i], D_E3[i]
        rx, ry, rz = rx + b * vx, ry + b * vy, rz + b * vz
        x5, y5, z5 = x5 + b5 * vx, y5 + b5 * vy, z5 + b5 * vz
        x3, y3, z3 = x3 + b3 * vx, y3 + b3 * vy, z3 + b3 * vz
        if m > STATE:
            round_ = b * nu * per_force
            along = b * de - round_
            gxx, gxy, gxz = gxx + round_ + along * tx * tx, gxy + along * tx * ty, gxz + along * tx * tz
            gyy, gyz, gzz = gyy + round_ + along * ty * ty, gyz + along * ty * tz, gzz + round_ + along * tz * tz
    for i in range(STATE):
        K[END, i] = K[END - 1, i]
    y_new[0], y_new[1], y_new[2] = y[0] + h * rx, y[1] + h * ry, y[2] + h * rz
    y_new[3], y_new[4], y_new[5] = nx, ny, nz
    k = STATE
    while k < m:
        a, b, c = h * y[k + 3], h * y[k + 4], h * y[k + 5]
        y_new[k] = y[k] + gxx * a + gxy * b + gxz * c
        y_new[k + 1] = y[k + 1] + gxy * a + gyy * b + gyz * c
        y_new[k + 2] = y[k + 2] + gxz * a + gyz * b + gzz * c
        for i in range(3, STATE):
            y_new[k + i] = y[k + i]
        k += STATE
    e5 = (x5 / scale[0]) ** 2 + (y5 / scale[1]) ** 2 + (z5 / scale[2]) ** 2  # n is exact
    e3 = (x3 / scale[0]) ** 2 + (y3 / scale[1]) ** 2 + (z3 / scale[2]) ** 2
    if e5 == 0.0:
        return 0.0
    return abs(h) * e5 / np.sqrt((e5 + E3_SHARE * e3) * STATE)
