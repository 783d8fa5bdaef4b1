r"""Mixed elements about rest: forces, and their derivatives by position, velocity and acceleration apart.

The elements are those of ``assembly/element.py`` (P1 positions, P0 tension, everything lumped at the nodes). A time
step needs only the sum :math:`K + \gamma' B + \beta' M`; here the three are kept apart, and all terms that the
step leaves to its next Newton iteration (current over depth, drag on the wet share) are in the tangent.

Residuals are minus the forces (N) at the nodes and, for each tension, its length equation (m).
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.element import SHORTEST, slack_strain, three
from ropewalk.loads.bed import contact
from ropewalk.loads.member import water_on_half
from ropewalk.loads.point import is_bare, lump_of, water_on_point
from ropewalk.numerics.blockelimination import ZERO3, ZERO9, dot, onto, outer, plus_unit, scale3, scale9
from ropewalk.numerics.compile import kernel
from ropewalk.physics.addedmass import added_mass

BY_VELOCITY = (0.0, 1.0)  # derivatives of acceleration and velocity: the tangent is then that by velocity


@kernel
def _put(block, A):
    """Fill a (3, 3) array with a matrix of 9 numbers. Bookkeeping."""
    for p in range(3):
        for q in range(3):
            block[p, q] = A[3 * p + q]


@kernel
def elements(first, r, T, slope, element, law_data, fluid, out):
    r"""Residuals and tangents of all elements at rest; `out.R` is added to, the others are filled.

    .. math:: R_1 = -T t - F_1, \quad R_2 = T t - F_2, \quad |d| - L - L e(T) = 0, \qquad d = r_2 - r_1,
              \quad F = w \left(\tfrac12 |d| f_D(U, t) + \rho g V \hat z\right)

    Source: [Montano2005], eqs. (11), (15), lumped; w is the wet share of a half (loads/member.py).

    first : (m,) node before each element, its other node is the next    r : (n, 3) m    T : (m,) N
    slope : (n, 3) derivative of the current by height, 1/s    element, law_data : of the mesh
    fluid : rho, g; kg/m3, m/s2    out : `Local`
    """
    for e in range(first.size):
        i, el = first[e], element[e]
        d = (r[i + 1, 0] - r[i, 0], r[i + 1, 1] - r[i, 1], r[i + 1, 2] - r[i, 2])
        span = max(np.sqrt(dot(d, d)), SHORTEST * el.length)
        t = scale3(1.0 / span, d)
        stretched, compliance = slack_strain(T[e], el, law_data, el.slack)
        out.miss[e] = span - el.length - el.length * stretched
        out.give[e] = el.length * compliance
        geometric = scale9(T[e] / span, plus_unit(scale9(-1.0, outer(t, t)), 1.0))
        for p in range(3):
            out.tangent[e, p] = t[p]
            out.R[i, p] -= T[e] * t[p]
            out.R[i + 1, p] += T[e] * t[p]
        for side in range(2):
            _put(out.K[e, side, side], geometric)
            _put(out.K[e, side, 1 - side], scale9(-1.0, geometric))
        for side in range(2):
            _half(e, side, i, (t, span), r, slope, el, fluid, out)


@kernel
def _half(e, side, i, chord, r, slope, el, fluid, out):
    r"""Water on one half of element e, between nodes i and i + 1 (N/m, N s/m, kg); other arguments as :func:`elements`.

    .. math:: K = -\frac{\partial F}{\partial r}, \qquad B = -\frac{\partial F}{\partial v}, \qquad
              M = -\frac{\partial F}{\partial a}

    Source: docs/theory/frequency.md, The linear system; loads/member.py.

    Nine arguments: element, side and node are three numbers that give the place.
    """
    n, other, (t, span) = i + side, i + 1 - side, chord
    out.wet[e, side] = 0.0
    out.B[e, side] = 0.0
    out.M[e, side] = 0.0
    if fluid[0] <= 0.0:
        return
    water = (three(out.flow, n), ZERO3)
    F, _, B, by_chord, w, by_own, by_other = water_on_half(
        el, t, span, (r[n, 2], r[other, 2]), water, (ZERO3, ZERO3), fluid, BY_VELOCITY
    )
    if w == 0.0:
        return
    out.wet[e, side] = w
    _put(out.B[e, side], B)
    _put(out.M[e, side], added_mass(t, w * el.half_added_normal, w * el.half_added_tangential))
    sheared = onto(B, three(slope, n))
    for p in range(3):
        out.R[n, p] -= F[p]
        for q in range(3):
            out.K[e, side, 1, p, q] -= by_chord[3 * p + q]
            out.K[e, side, 0, p, q] += by_chord[3 * p + q]
        out.K[e, side, side, p, 2] -= sheared[p] + by_own * F[p] / w
        out.K[e, side, 1 - side, p, 2] -= by_other * F[p] / w


@kernel
def nodes(r, slope, node, mass_damping, has_bed, bed, fluid, out):
    """What is lumped at the nodes: weight, attachments, contact with the bed; `out.R` is added to, the others filled.

    Source: docs/theory/frequency.md, The linear system: K = -dF/dr, B = -dF/dv, M = -dF/da of loads/point.py and
    loads/bed.py.

    node, has_bed, bed : of the mesh    mass_damping : 1/s    others as :func:`elements`
    """
    rho, g = fluid
    for n in range(r.shape[0]):
        here = node[n]
        out.node_K[n] = 0.0
        out.node_drag[n] = 0.0
        for p in range(3):
            out.R[n, p] -= here.force[p]
        out.R[n, 2] += here.mass * g
        added, out.node_wet[n] = 0.0, 0.0
        if rho > 0.0 and not is_bare(here):
            F, _, by_u, added, by_height, out.node_wet[n] = water_on_point(
                lump_of(here), r[n, 2], (three(out.flow, n), ZERO3), (ZERO3, ZERO3), fluid
            )
            _put(out.node_drag[n], by_u)
            sheared = onto(by_u, three(slope, n))
            for p in range(3):
                out.R[n, p] -= F[p]
                out.node_K[n, p, 2] -= sheared[p] + by_height[p]
        _put(out.node_M[n], plus_unit(ZERO9, here.mass + added))
        _put(out.node_B[n], plus_unit(ZERO9, here.mass * mass_damping))
        if has_bed and here.bed_area > 0.0:
            f, by_x, by_v = contact(bed, three(r, n), ZERO3, 0.0, here.bed_area, here.radius)
            for p in range(3):
                out.R[n, p] -= f[p]
                for q in range(3):
                    out.node_K[n, p, q] -= by_x[3 * p + q]
                    out.node_B[n, p, q] -= by_v[3 * p + q]
