r"""Inertia forces of the water on a slender member, per unit length or for a length.

With the displaced mass :math:`m_w = \rho A`, the projector :math:`P = I - t t^T`, the acceleration of the undisturbed
water :math:`a_w` and that of the member :math:`a`, the force is

.. math:: f = \underbrace{m_w a_w}_{\text{Froude-Krylov}}
          + \underbrace{m_w \left(C_n P + C_t\, t t^T\right)}_{\text{added mass } M_a} (a_w - a)

- Froude-Krylov is the pressure of the undisturbed wave on the displaced volume. It is the whole vector, its part along
  t included, for the same reason as buoyancy is: the effective tension holds the pressure on the cut ends.
- Added mass acts on the relative acceleration, so :math:`C_M = 1 + C_a` multiplies :math:`a_w` and only :math:`C_a`
  multiplies :math:`a`.

The printed form of [Montano2005], eq. (1), projects both accelerations on the direction of a_w and is wrong for the
member's own acceleration; here both are vectors under P.
"""

from __future__ import annotations

from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED, add3, dot, outer, plus_unit, scale3, sub3
from ropewalk.numerics.compile import kernel


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def added_mass(t, normal, tangential):
    r"""Added mass, a symmetric matrix of 9 numbers.

    .. math:: M_a = m_n (I - t t^T) + m_t\, t t^T

    Source: [Morison1950], inertia term, by components. Its eigenvalues are m_n (twice) and m_t.

    t : 3 numbers, unit tangent    normal, tangential : m_n = rho A C_n, m_t = rho A C_t; kg/m, or kg of a length
    """
    return plus_unit(outer(scale3(tangential - normal, t), t), normal)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def water_inertia(t, aw, a, displaced, normal, tangential):
    r"""Force of accelerating water on an accelerating member (N/m, or N of a length).

    .. math:: f = m_w a_w + M_a (a_w - a)

    Source: [Morison1950], inertia term: Froude-Krylov plus added mass, see the head of this file.

    t : 3 numbers, unit tangent    aw, a : of the water and of the member, m/s2    displaced : m_w = rho A
    normal, tangential : as in :func:`added_mass`
    """
    da = sub3(aw, a)
    along = (tangential - normal) * dot(da, t)
    return add3(scale3(displaced, aw), add3(scale3(normal, da), scale3(along, t)))
