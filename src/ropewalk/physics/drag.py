r"""Drag on a slender member in cross flow and along it, per unit length.

The kernels take the two products

.. math:: b_n = \tfrac12 \rho\, c_n d, \qquad b_t = \tfrac12 \rho\, c_t \pi d

made once by the model with :func:`drag_factor`: the tangential one on the circumference, so its diameter
is pi d, or d itself where a source refers its coefficient to the diameter.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel


@kernel
def drag_factor(density, coefficient, diameter):
    """Half density times coefficient times diameter (kg/m2): b_n with d, b_t with pi d or d.

    density : of the water, kg/m3    diameter : effective for this direction, m
    """
    return 0.5 * density * coefficient * diameter


@kernel
def drag(u, t, bn, bt, force):
    r"""Drag of the water per unit length (N/m), written to `force`.

    .. math:: f = b_n |u_n|\, u_n + b_t |u_t|\, u_t, \qquad u_t = (u \cdot t)\, t, \quad u_n = u - u_t

    Source: [Morison1950], drag term, with the cross-flow principle [Hoerner1965], ch. 3.

    u : (3,) water minus member velocity, m/s    t : (3,) unit tangent
    bn, bt : from :func:`drag_factor`, kg/m2    force : (3,), filled
    """
    along = u[0] * t[0] + u[1] * t[1] + u[2] * t[2]
    nx = u[0] - along * t[0]
    ny = u[1] - along * t[1]
    nz = u[2] - along * t[2]
    a = bn * np.sqrt(nx * nx + ny * ny + nz * nz)
    b = bt * abs(along) * along
    force[0] = a * nx + b * t[0]
    force[1] = a * ny + b * t[1]
    force[2] = a * nz + b * t[2]


@kernel
def drag_derivatives(u, t, bn, bt, force, du, dt):
    r"""As :func:`drag`, and its derivatives by relative velocity (N s/m2) and by tangent (N/m).

    .. math::
        \frac{\partial f}{\partial u} &= b_n \left(|u_n| (I - t t^T) + \frac{u_n u_n^T}{|u_n|}\right)
        + 2 b_t |u_t|\, t t^T, \\
        \frac{\partial f}{\partial t} &= -b_n \left(|u_n| (t u^T + s I) + s \frac{u_n u_n^T}{|u_n|}\right)
        + b_t |s| (2\, t u^T + s I), \qquad s = u \cdot t.

    That by the tangent is of the formula as it stands, with t free in space; multiply it by the derivative
    of the unit tangent, (I - t t^T)/length, and it does not matter how the formula goes on for other
    lengths of t. Both are continuous; where u_n = 0 its terms are zero.

    du, dt : (3, 3), filled; row = component of force
    """
    s = u[0] * t[0] + u[1] * t[1] + u[2] * t[2]
    un = (u[0] - s * t[0], u[1] - s * t[1], u[2] - s * t[2])
    speed = np.sqrt(un[0] * un[0] + un[1] * un[1] + un[2] * un[2])
    normal = bn * speed
    over = bn / speed if speed > 0.0 else 0.0
    axial = bt * abs(s)
    for i in range(3):
        force[i] = normal * un[i] + axial * s * t[i]
        dyad = over * un[i]
        along = (2.0 * axial - normal) * t[i]
        for j in range(3):
            du[i, j] = dyad * un[j] + along * t[j]
            dt[i, j] = along * u[j] - s * dyad * un[j]
        du[i, i] += normal
        dt[i, i] += s * (axial - normal)
