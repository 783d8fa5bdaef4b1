r"""Inertia forces of the water on a slender member, per unit length.

With the displaced mass per length :math:`m_w = \rho A`, the projector :math:`P = I - t t^T`, the
acceleration of the undisturbed water :math:`a_w` and that of the member :math:`a`, the force is

.. math:: f = \underbrace{m_w a_w}_{\text{Froude-Krylov}}
          + \underbrace{m_w \left(C_n P + C_t\, t t^T\right)}_{\text{added mass } M_a} (a_w - a)

- Froude-Krylov is the pressure of the undisturbed wave on the displaced volume. It is the whole vector,
  its part along t included, for the same reason as buoyancy is: the effective tension holds the pressure
  on the cut ends.
- Added mass acts on the relative acceleration. The model puts :math:`M_a` on the side of the member's
  mass and :func:`fluid_inertia`, :math:`m_w a_w + M_a a_w`, on the side of the loads. So
  :math:`C_M = 1 + C_a` multiplies :math:`a_w` and only :math:`C_a` multiplies :math:`a`.

The printed form of [Montano2005], eq. (1), projects both accelerations on the direction of a_w and is
wrong for the member's own acceleration; here both are vectors under P.
"""

from __future__ import annotations

from ropewalk.numerics.compile import kernel


@kernel
def added_mass(t, displaced, cn, ct, matrix):
    r"""Added mass per unit length (kg/m), a symmetric matrix written to `matrix`.

    .. math:: M_a = \rho A \left(C_n (I - t t^T) + C_t\, t t^T\right)

    Source: [Morison1950], inertia term, by components. Its eigenvalues are rho A C_n (twice) and rho A C_t.

    t : (3,) unit tangent    displaced : rho A, kg/m    cn, ct : coefficients    matrix : (3, 3), filled
    """
    for i in range(3):
        for j in range(3):
            matrix[i, j] = displaced * (ct - cn) * t[i] * t[j]
        matrix[i, i] += displaced * cn


@kernel
def fluid_inertia(t, aw, displaced, cn, ct, force):
    r"""Force per unit length (N/m) of accelerating water on a member at rest, written to `force`.

    .. math:: f = \rho A \left((1 + C_n) (I - t t^T)\, a_w + (1 + C_t)\, t t^T a_w\right)

    Source: [Morison1950], inertia term: Froude-Krylov plus added mass, see the head of this file.

    t : (3,) unit tangent    aw : (3,) acceleration of the water, m/s2    displaced : rho A, kg/m
    cn, ct : added-mass coefficients C_a (not C_M)    force : (3,), filled
    """
    along = displaced * (ct - cn) * (aw[0] * t[0] + aw[1] * t[1] + aw[2] * t[2])
    for i in range(3):
        force[i] = displaced * (1.0 + cn) * aw[i] + along * t[i]
