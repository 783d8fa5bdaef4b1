r"""One mixed element: residual and tangent over (first node, second node, tension).

The residual is inertia minus forces (N), and for the tension its own length equation (m):

.. math:: |d| - L + \tau\, t \cdot \Delta v - L\, e(T) = 0, \qquad d = r_2 - r_1, \quad t = d/|d|,

[Montano2005], eq. (11), with P1 positions, P0 tension, the pointwise law e(T) and Kelvin-Voigt damping
:math:`\tau`, which needs no stiffness and so also holds for inextensible lines. Mass and loads are lumped
at the nodes; each half of an element takes the velocity of its node and the tangent of its element.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.loads.given import load_on_half
from ropewalk.loads.member import water_on_half
from ropewalk.loads.sea import acceleration, height_over_water, velocity
from ropewalk.model.arrays import Array, Records
from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    ZERO9,
    add3,
    add9,
    dot,
    outer,
    plus_unit,
    scale3,
    sub9,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics.elasticity import LINEAR, strain
from ropewalk.physics.ropes import MEMORY

SHORTEST = 1e-9  # of the unstretched length: a collapsed element keeps a direction


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def slack_strain(T, element, law_data, slack):
    r"""Strain at a tension (N) and its derivative (1/N); a line that cannot push gives way below zero tension.

    .. math:: e = e(T) \ (T \ge 0), \qquad e = e_0 + T/k_s \ (T < 0)

    Source: docs/theory/mixed_elements.md, Elements.

    element : record    law_data : numbers of the laws    slack : k_s, stiffness in compression (N), 0 if it can push
    """
    if T < 0.0 and slack > 0.0:
        return element.rest + T / slack, 1.0 / slack
    if element.law == LINEAR:
        compliance = 1.0 / law_data[element.law_start]
        return compliance * T, compliance
    if element.law == MEMORY:
        return element.rest + element.give * T, element.give
    return strain(T, element.law, law_data, element.law_start, element.law_stop)


class Instant(NamedTuple):
    """What moves, at one instant, and the water there. Rows are those of the mesh."""

    r: Array  # (n_rows, 3) m
    v: Array  # (n_rows, 3) m/s
    a: Array  # (n_rows, 3) m/s2
    T: Array  # (n_elements,) N
    flow: Array  # (n_rows, 8) of the water, of loads/sea.py


class Elements(NamedTuple):
    """What the forces of elements are computed from."""

    element: Records  # (n_elements,) of ELEMENT of the mesh
    law_data: Array  # numbers of the elastic laws
    load: Records  # (n_elements,) of LINE_LOAD, or no rows
    may_push: bool  # takes all sections as such that can push


@kernel(inline="always")
def instant(X, T, flow):
    """`Instant` of positions, velocities and accelerations in one array X (3 or more, n_rows, 3). Bookkeeping."""
    return Instant(X[0], X[1], X[2], T, flow)


@kernel(inline="always")
def elements_of(mesh, may_push):
    """`Elements` of a mesh. Bookkeeping."""
    return Elements(mesh.element, mesh.law_data, mesh.load, may_push)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def axial(e, i, now, elements, gp):
    r"""Tension of element e, which begins at node i, and its length equation.

    .. math:: F_1 = T t, \quad F_2 = -T t, \qquad |d| - L + \tau\, t \cdot \Delta v - L\, e(T) = 0

    Source: [Montano2005], eq. (11), as in the heading of this file.

    Returns the unit tangent t, the length, the tension (N), the weight w (N/m) with which the length equation is
    to be added to the rows of the nodes, the stiffness matrix (N/m) of the second node with that added, the
    length equation's row by the second node, minus its derivative by T (m/N), and the length error (m).

    Adding the length equation is a row operation that leaves the solution alone and makes the stiffness of a
    straight taut line regular without its tension.

    now : `Instant`    elements : `Elements`    gp : dv/dr, 1/s
    """
    el, force = elements.element[e], now.T[e]
    slack = 0.0 if elements.may_push else el.slack
    strained = slack_strain(force, el, elements.law_data, slack)
    grows = 0.0  # at a winch: only what strains the line is damped
    if el.length_rate != 0.0:
        grows = el.length_rate / el.length
    t, span, weight, stiffness, row, give, miss = tie(i, now, (el.length, el.damping), force, strained, grows, gp)
    return t, span, force, weight, stiffness, row, give, miss


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def tie(i, now, made, force, strained, grows, gp):
    r"""As `axial`, of the element from row i to the next, without the force.

    .. math:: |d| - L + \tau\, (t \cdot \Delta v - \dot L/L\, |d|) - L\, e(T) = 0

    Source: [Montano2005], eq. (11), as in the heading of this file.

    made : unstretched length L (m) and damping tau (s)    force : tension, N    strained : strain and compliance (1/N)
    grows : rate of the unstretched length over itself, 1/s
    """
    (L, tau), (stretched, compliance), r, v, j = made, strained, now.r, now.v, i + 1
    d = (r[j, 0] - r[i, 0], r[j, 1] - r[i, 1], r[j, 2] - r[i, 2])
    span = max(np.sqrt(dot(d, d)), SHORTEST * L)
    q = 1.0 / span
    t = scale3(q, d)
    dv = (v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2])
    rate = dot(dv, t)
    miss = span - L + tau * (rate - grows * span) - L * stretched
    row = add3(scale3(1.0 + tau * (gp - q * rate - grows), t), scale3(tau * q, dv))
    geometric = force * q
    weight = max(geometric, 0.0)
    ahead = add3(scale3(weight, row), scale3(-geometric, t))
    stiffness = plus_unit(outer(t, ahead), geometric)
    return t, span, weight, stiffness, row, L * compliance, miss


@kernel(forceinline=True, **UNCOUNTED)
def three(a, n):
    """Row n of an array (n, 3) as a tuple. Bookkeeping."""
    return a[n, 0], a[n, 1], a[n, 2]


@kernel(forceinline=True, **UNCOUNTED)
def axis_of(dof):
    """Direction of a degree of freedom (record) as a tuple. Bookkeeping."""
    return dof.axis[0], dof.axis[1], dof.axis[2]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def water_on_node_half(element, n, other, chord, now, fluid, step):
    """As `loads.member.water_on_half`, for the half of an element at node n; its other node is `other`.

    element : record    chord : tangent and length (m)    now : `Instant`
    """
    heights = (height_over_water(now.r, now.flow, n), height_over_water(now.r, now.flow, other))
    water = (velocity(now.flow, n), acceleration(now.flow, n))
    return water_on_half(element, chord[0], chord[1], heights, water, (three(now.v, n), three(now.a, n)), fluid, step)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def element_system(e, i, now, elements, fluid, step):
    r"""Residuals and tangent of element e, which begins at node i.

    .. math:: R_1 = -(T t + F_w + F_g)_1, \qquad R_2 = -(-T t + F_w + F_g)_2

    Source: docs/theory/mixed_elements.md, Elements: tension, water and given loads; inertia is added at the nodes.

    Returns the residuals of the two nodes (N) and of the length (m); minus the derivatives of the first residual by the
    second position and of the second by the first (N/m), to which the length equation times the weight has been added;
    what is to be added to these for the derivatives by the nodes' own motion; the tangent t, that weight (N/m), the
    length equation's row and its give (m/N).

    now : `Instant`    elements : `Elements`    fluid : rho (kg/m3), g (m/s2)    step : da/dr (1/s2), dv/dr (1/s)
    """
    r, v, gp, j, el = now.r, now.v, step[1], i + 1, elements.element[e]
    t, span, pull, weight, S, row, give, miss = axial(e, i, now, elements, gp)
    Fa, Fb, A, B, Ca, Cb = pulled_in_water(el, i, (t, span), pull, S, now, fluid, step)
    if elements.load.shape[0] > 0:
        load, half = elements.load[e], 0.5 * el.length
        F, C, Q = load_on_half(load, 0, half, t, span, three(r, i), three(v, i), gp)
        Fa, A, Ca = add3(Fa, F), add9(A, Q), add9(Ca, C)
        F, C, Q = load_on_half(load, 1, half, t, span, three(r, j), three(v, j), gp)
        Fb, B, Cb = add3(Fb, F), sub9(B, Q), add9(Cb, C)
    return scale3(-1.0, Fa), scale3(-1.0, Fb), miss, A, B, Ca, Cb, t, weight, row, give


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def pulled_in_water(element, i, chord, pull, S, now, fluid, step):
    r"""Forces (N) of tension and water on the nodes of the element from row i to the next, and their derivatives.

    .. math:: F_1 = T t + F_{w,1}, \qquad F_2 = -T t + F_{w,2}

    Source: docs/theory/mixed_elements.md, Elements; loads/member.py for the water on each half.

    element : record    chord : tangent and length (m)    pull : tension, N    S : stiffness matrix of `axial`
    Returns both forces, and the matrices A, B, Ca and Cb of `element_system`.
    """
    Fa, A, Ca = half_in_water(element, i, i + 1, chord, pull, S, now, (fluid, step))
    Fb, B, Cb = half_in_water(element, i + 1, i, chord, -pull, S, now, (fluid, step))
    return Fa, Fb, A, B, Ca, Cb


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def half_in_water(element, n, other, chord, pull, S, now, given):
    """As `pulled_in_water`, for the half at node n: force, A and Ca of a first node, B and Cb of a second one.

    Source: A = S + dF_w/dd, B = S - dF_w/dd by the chord d; docs/theory/mixed_elements.md, Elements.

    pull : tension that draws it along the tangent, N    other : node of the other half    given : fluid and step
    """
    t, (fluid, step) = chord[0], given
    F, A, C = scale3(pull, t), S, ZERO9
    if fluid[0] > 0.0:
        lift = fluid[0] * fluid[1] * element.half_volume
        W, _, C, Q, _, by_own, by_other = water_on_node_half(element, n, other, chord, now, fluid, step)
        A = add9(A, Q) if other > n else sub9(A, Q)
        F, A, C = add3(F, W), _plus_last(A, lift * by_other), _plus_last(C, -lift * (by_own + by_other))
    return F, A, C


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _plus_last(A, f):
    """Matrix A + f z z^T, z the third unit vector: C_33 = A_33 + f.  Source: definition."""
    return A[0], A[1], A[2], A[3], A[4], A[5], A[6], A[7], A[8] + f
