r"""Contact of a line with a plane seabed: elastic, damped, with friction; per length of line.

The bed is a plane (4,): unit normal pointing out of the soil, and the offset b of
:math:`n \cdot x = b`. The law (5,) holds its five numbers, rows named below.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ropewalk.numerics.compile import kernel

# entries of a law
STIFFNESS = 0  # normal, N/m3 (Pa per metre of penetration)
DAMPING = 1  # normal, N s/m3
FRICTION = 2  # coefficient of Coulomb friction
RAMP = 3  # m of penetration over which the damping grows to its full value
SLIP = 4  # m/s: sliding speed at which friction has 1/sqrt(2) of its full value

# Damping that switches on at contact makes the force jump with the speed of touchdown, and Newton fails.
DAMPING_RAMP = 0.03  # m
# A speed far below that of a line in waves, far above that of a line creeping to rest.
SLIP_SPEED = 0.01  # m/s


def seabed_law(
    stiffness: float, damping: float, friction: float, ramp: float = DAMPING_RAMP, slip: float = SLIP_SPEED
) -> NDArray[np.float64]:
    """The law (5,) that the kernels read; units at the names of its entries."""
    law = np.array([stiffness, damping, friction, ramp, slip], float)
    if not (ramp > 0.0 and slip > 0.0):
        raise ValueError(f"seabed: damping ramp {ramp} m and slip speed {slip} m/s must be positive")
    law.flags.writeable = False
    return law


def flat_bed(depth: float) -> NDArray[np.float64]:
    """The plane z = -depth."""
    return sloping_bed([0.0, 0.0, -depth], [0.0, 0.0, 1.0])


def sloping_bed(point: ArrayLike, normal: ArrayLike) -> NDArray[np.float64]:
    """The plane (4,) through `point` (m) whose soil lies on the side away from `normal` (any length)."""
    n = np.asarray(normal, float)
    length = float(np.linalg.norm(n))
    if not length > 0.0:
        raise ValueError("seabed: the normal of the plane has no length")
    n = n / length
    plane = np.array([*n, n @ np.asarray(point, float)])
    plane.flags.writeable = False
    return plane


@kernel
def penetration(x, plane, radius):
    """Depth (m) of the underside of a line at x below the plane; negative above it.

    x : (3,) m    plane : (4,)    radius : from the line's centre to its underside, m
    """
    return plane[3] + radius - (plane[0] * x[0] + plane[1] * x[1] + plane[2] * x[2])


@kernel
def normal_pressure(delta, rate, law):
    r"""Pressure (Pa) of the bed on what sinks into it, and its derivatives by depth and by rate of sinking.

    .. math:: p = \max\left(0,\; k \delta + c\, s(\delta/\varepsilon)\, \dot\delta\right), \qquad
              s(u) = u^2 (3 - 2u) \text{ on } [0, 1]

    Source: linear spring and damper as in [Hall2015]; the ramp s and the limit at 0 are ours. The bed never
    pulls. Continuous in depth and rate; the derivatives jump where contact and suction begin.

    delta : penetration, m    rate : of penetration, m/s    law : (5,)
    """
    return pressure(delta, rate, law[STIFFNESS], law[DAMPING], law[RAMP])


@kernel
def pressure(delta, rate, k, c, ramp):
    """As :func:`normal_pressure`, the law in scalars: a slice of an array costs more than all the rest.

    k : N/m3    c : N s/m3    ramp : m
    """
    if delta <= 0.0:
        return 0.0, 0.0, 0.0
    u = min(delta / ramp, 1.0)
    damping = c * u * u * (3.0 - 2.0 * u)
    p = k * delta + damping * rate
    if p <= 0.0:
        return 0.0, 0.0, 0.0
    return p, k + c * 6.0 * u * (1.0 - u) / ramp * rate, damping


@kernel
def contact(x, v, plane, law, width, radius, force):
    r"""Force of the bed per length of line (N/m), written to `force`; returns the penetration (m).

    .. math:: f = p\, w \left(n - \mu \frac{v_t}{\sqrt{|v_t|^2 + v_s^2}}\right), \qquad v_t = v - (v \cdot n)\, n

    Source: Coulomb friction made smooth at rest; it holds nothing in place without sliding, so a line on a
    slope creeps at up to the slip speed. p from :func:`normal_pressure`.

    x, v : (3,) m, m/s    plane : (4,)    law : (5,)    width : of contact w, m (the contact diameter)
    radius : from the centre to the underside, m; 0 if the centre line is to lie on the bed
    force : (3,), filled
    """
    delta = penetration(x, plane, radius)
    vn = plane[0] * v[0] + plane[1] * v[1] + plane[2] * v[2]
    p, _, _ = normal_pressure(delta, -vn, law)
    tx = v[0] - vn * plane[0]
    ty = v[1] - vn * plane[1]
    tz = v[2] - vn * plane[2]
    mu = law[FRICTION] / np.sqrt(tx * tx + ty * ty + tz * tz + law[SLIP] * law[SLIP])
    p *= width
    force[0] = p * (plane[0] - mu * tx)
    force[1] = p * (plane[1] - mu * ty)
    force[2] = p * (plane[2] - mu * tz)
    return delta


@kernel
def contact_derivatives(x, v, plane, law, width, radius, force, dx, dv):
    r"""As :func:`contact`, and its derivatives by position (N/m2) and velocity (N s/m2).

    .. math::
        \frac{\partial f}{\partial x} = -p_\delta w\, m\, n^T, \qquad
        \frac{\partial f}{\partial v} = -p_{\dot\delta} w\, m\, n^T
        - \frac{\mu p w}{q}\left(I - n n^T - \frac{v_t v_t^T}{q^2}\right),

    with :math:`q = \sqrt{|v_t|^2 + v_s^2}` and :math:`m = n - \mu v_t / q`.

    dx, dv : (3, 3), filled; row = component of force
    """
    delta = penetration(x, plane, radius)
    vn = plane[0] * v[0] + plane[1] * v[1] + plane[2] * v[2]
    p, p_delta, p_rate = normal_pressure(delta, -vn, law)
    vt = (v[0] - vn * plane[0], v[1] - vn * plane[1], v[2] - vn * plane[2])
    q = np.sqrt(vt[0] * vt[0] + vt[1] * vt[1] + vt[2] * vt[2] + law[SLIP] * law[SLIP])
    mu = law[FRICTION] / q
    slide = width * p * mu
    for i in range(3):
        m = width * (plane[i] - mu * vt[i])
        force[i] = p * m
        by_rate = slide * plane[i] - p_rate * m
        by_slip = slide * vt[i] / (q * q)
        for j in range(3):
            dx[i, j] = -p_delta * m * plane[j]
            dv[i, j] = by_rate * plane[j] + by_slip * vt[j]
        dv[i, i] -= slide
    return delta
