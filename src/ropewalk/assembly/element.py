r"""One mixed element: residual and tangent over (first node, second node, tension).

The residual is inertia minus forces (N), and for the tension its own length equation (m):

.. math:: |d| - L + \tau\, t \cdot \Delta v - L\, e(T) = 0, \qquad d = r_2 - r_1, \quad t = d/|d|,

[Montano2005], eq. (11), with P1 positions, P0 tension, the pointwise law e(T) and Kelvin-Voigt damping
:math:`\tau`, which needs no stiffness and so also holds for inextensible lines. Mass and loads are lumped
at the nodes; each half of an element takes the velocity of its node and the tangent of its element.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.line_loads import load_on_half
from ropewalk.assembly.mesh import (
    DAMPING,
    DRAG_NORMAL,
    DRAG_TANGENTIAL,
    HALF_ADDED_NORMAL,
    HALF_ADDED_TANGENTIAL,
    HALF_VOLUME,
    LENGTH,
    LENGTH_RATE,
    SLACK,
    THICKNESS,
)  # fmt: skip
from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    ZERO3,
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

SHORTEST = 1e-9  # of the unstretched length: a collapsed element keeps a direction


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def slack_strain(T, kind, data, start, stop, slack):
    """Strain at a tension and its derivative; a line that cannot push gives way below zero tension.

    slack : axial stiffness in compression (N), 0 if the section can push
    """
    if T < 0.0 and slack > 0.0:
        return T / slack, 1.0 / slack
    if kind == LINEAR:
        compliance = 1.0 / data[start]
        return compliance * T, compliance
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


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
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


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def axial(e, i, j, r, v, T, element, law, law_data, gp, may_push):
    r"""Tension of element e between nodes i and j, and its length equation.

    Returns the unit tangent t, the length, the tension (N), the weight w (N/m) with which the length equation is
    to be added to the rows of the nodes, the stiffness matrix (N/m) of the second node with that added, the
    length equation's row by the second node, minus its derivative by T (m/N), and the miss (m).

    Adding the length equation is a row operation that leaves the solution alone and makes the stiffness of a
    straight taut line regular without its tension.

    r, v : (n, 3) m, m/s    T : (n_elements,) N    element, law, law_data : of the mesh    gp : dv/dr, 1/s
    may_push : takes all sections as such that can push
    """
    L = element[e, LENGTH]
    d = (r[j, 0] - r[i, 0], r[j, 1] - r[i, 1], r[j, 2] - r[i, 2])
    span = max(np.sqrt(dot(d, d)), SHORTEST * L)
    q = 1.0 / span
    t = scale3(q, d)
    dv = (v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2])
    rate = dot(dv, t)
    tau = element[e, DAMPING]
    force = T[e]
    slack = 0.0 if may_push else element[e, SLACK]
    stretched, compliance = slack_strain(force, law[e, 0], law_data, law[e, 1], law[e, 2], slack)
    grows = 0.0  # at a winch: only what strains the line is damped
    if element[e, LENGTH_RATE] != 0.0:
        grows = element[e, LENGTH_RATE] / L
    miss = span - L + tau * (rate - grows * span) - L * stretched
    row = add3(scale3(1.0 + tau * (gp - q * rate - grows), t), scale3(tau * q, dv))
    geometric = force * q
    weight = max(geometric, 0.0)
    ahead = add3(scale3(weight, row), scale3(-geometric, t))
    stiffness = plus_unit(outer(t, ahead), geometric)
    give = L * compliance
    return t, span, force, weight, stiffness, row, give, miss


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def drag_on(u, t, bn, bt):
    """Drag per length and what its derivatives are made of: physics/drag.py in scalars (arrays are three times slower).

    Returns the force; the velocity across the tangent and the speed along it; the factors of both in the force, and
    the first one's derivative by that velocity, over its direction twice.
    u, t : tuples of 3    bn, bt : as there
    """
    s = dot(u, t)
    un = add3(u, scale3(-s, t))
    speed = np.sqrt(dot(un, un))
    slope = bn / speed if speed > 0.0 else 0.0
    across, along = bn * speed, bt * abs(s)
    return add3(scale3(across, un), scale3(along * s, t)), un, s, across, along, slope


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def water_on_half(e, n, other, t, span, r, v, a, flow, element, rho, g, bp, gp):
    """Force of the water on the half of element e at node n (N) and its derivatives.

    Buoyancy, drag, added mass on the relative acceleration, Froude-Krylov force. Returns the force, minus its
    derivative by the node's own motion (through v and the acceleration), its derivative by the chord of the
    element, and those of the lift by the heights of the node and of the other node (N/m).

    r, v, a : (n, 3) m, m/s, m/s2    flow : (n, 8) of the water    rho, g : water density (kg/m3), gravity (m/s2)
    bp, gp : derivatives of acceleration and velocity by position
    """
    own = r[n, 2] - flow[n, 7]
    middle = 0.5 * (own + r[other, 2] - flow[other, 7])
    w, w_own, w_mid = wet_share(own, middle, element[e, THICKNESS])
    if w == 0.0 and w_own == 0.0 and w_mid == 0.0:
        return ZERO3, ZERO9, ZERO9, 0.0, 0.0
    volume = element[e, HALF_VOLUME]
    lift = rho * g * volume
    half = 0.5 * span * w
    u = (flow[n, 0] - v[n, 0], flow[n, 1] - v[n, 1], flow[n, 2] - v[n, 2])
    drag, un, s, ca, cb, slope = drag_on(u, t, half * element[e, DRAG_NORMAL], half * element[e, DRAG_TANGENTIAL])
    aw = (flow[n, 3], flow[n, 4], flow[n, 5])
    da = (aw[0] - a[n, 0], aw[1] - a[n, 1], aw[2] - a[n, 2])
    normal = element[e, HALF_ADDED_NORMAL] * w
    excess = element[e, HALF_ADDED_TANGENTIAL] * w - normal
    push = excess * dot(da, t)
    force = add3(add3(drag, scale3(push, t)), add3(scale3(normal, da), scale3(rho * volume * w, aw)))
    force = (force[0], force[1], force[2] + lift * w)
    by_un, by_t = scale3(gp * slope, un), scale3(gp * (2.0 * cb - ca) + bp * excess, t)
    resistance = plus_unit(add9(outer(by_un, un), outer(by_t, t)), gp * ca + bp * normal)
    # by the tangent, times (1 - t t^T)/span, and by the length, drag/span; un is normal to t, so little of it remains
    q = 1.0 / span
    ahead = add3(scale3(q * (2.0 * cb - ca), un), add3(scale3(q * excess, da), scale3(q * (ca * s - 2.0 * push), t)))
    across = add3(scale3(q * ca, t), scale3(-q * s * slope, un))
    by_chord = plus_unit(add9(outer(t, ahead), outer(un, across)), q * ((cb - ca) * s + push))
    return force, resistance, by_chord, lift * (w_own + 0.5 * w_mid), 0.5 * lift * w_mid


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def element_system(e, i, j, r, v, a, T, flow, element, law, law_data, load, rho, g, bp, gp, may_push):
    """Residuals and tangent of element e between nodes i and j.

    Returns the residuals of the two nodes (N) and of the length (m); minus the derivatives of the first residual by the
    second position and of the second by the first (N/m), to which the length equation times the weight has been added;
    what is to be added to these for the derivatives by the nodes' own motion; the tangent t, that weight (N/m), the
    length equation's row and its give (m/N).
    """
    t, span, pull, weight, S, row, give, miss = axial(e, i, j, r, v, T, element, law, law_data, gp, may_push)
    Fa, Fb = scale3(pull, t), scale3(-pull, t)
    A, B, Ca, Cb = S, S, ZERO9, ZERO9
    if rho > 0.0:
        F, Ca, Q, own, other = water_on_half(e, i, j, t, span, r, v, a, flow, element, rho, g, bp, gp)
        Fa, A, Ca = add3(Fa, F), _plus_last(add9(A, Q), other), _plus_last(Ca, -own - other)
        F, Cb, Q, own, other = water_on_half(e, j, i, t, span, r, v, a, flow, element, rho, g, bp, gp)
        Fb, B, Cb = add3(Fb, F), _plus_last(sub9(B, Q), other), _plus_last(Cb, -own - other)
    if load.shape[0] > 0:
        F, C, Q = load_on_half(e, 0, i, t, span, element[e, LENGTH], r, v, load, gp)
        Fa, A, Ca = add3(Fa, F), add9(A, Q), add9(Ca, C)
        F, C, Q = load_on_half(e, 1, j, t, span, element[e, LENGTH], r, v, load, gp)
        Fb, B, Cb = add3(Fb, F), sub9(B, Q), add9(Cb, C)
    return scale3(-1.0, Fa), scale3(-1.0, Fb), miss, A, B, Ca, Cb, t, weight, row, give


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _plus_last(A, f):
    return A[0], A[1], A[2], A[3], A[4], A[5], A[6], A[7], A[8] + f
