r"""Forces of the flow that turn with a body: lift and drag of foils, drag of areas that differ by direction.

At the arm e of a body with attitude R the flow u relative to the place makes the force F and the couple N, both given
in the body frame by :math:`R^T u`. With S and G, their derivatives by u, a world rotation :math:`\theta` changes them
by

.. math:: \delta F = \theta \times F - S\,(\theta \times u) - S\,\delta v, \qquad
          \delta N = \theta \times N - G\,(\theta \times u) - G\,\delta v, \qquad v = \dot x + \omega \times e.
"""

from __future__ import annotations

import numpy as np

from ropewalk.loads.cut import vector
from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    ZERO3,
    ZERO9,
    add3,
    add9,
    dot,
    onto,
    outer,
    plus_unit,
    scale3,
    scale9,
    sub3,
    sub9,
    times,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics.foil import coefficients, foil_force
from ropewalk.physics.rigidbody import add_block, add_column, arm_derivatives, cross3, hat9


@kernel(fastmath=FUSED, **UNCOUNTED)
def turning_terms(load, flow, e, spin, Z, step, block):
    r"""Adds minus a force that turns with its body, and its derivative, to the body's block; returns what it loses, W.

    .. math:: -\frac{\partial F}{\partial\theta} = S\,(v_\theta - \hat u) + \hat F, \qquad
              -\frac{\partial N}{\partial\theta} = G\,(v_\theta - \hat u) + \hat N, \quad P = F \cdot u - N \cdot \omega

    Source: the heading of this file; the lever e adds e x F and its rotation (docs/theory/assemblies.md, The exact 6 x
    6 stiffness).

    load : F (N), S (N s/m), N (N m), G (N s) of the module's heading    flow : u, m/s    e : arm, world, m
    spin : omega, alpha in the world    Z : of physics/rigidbody.py    step : bp, gp    block : (6, 7)
    """
    (F, S, N, G), (omega, alpha), (bp, gp) = load, spin, step
    add_column(block, 0, scale3(-1.0, F))
    add_column(block, 3, sub3(cross3(F, e), N))
    dv = arm_derivatives(e, omega, alpha, Z, bp, gp)[0]
    by_turn = sub9(dv, hat9(flow))
    way, turn = scale9(gp, S), add9(times(S, by_turn), hat9(F))
    lever = hat9(e)
    add_block(block, 0, 0, way)
    add_block(block, 0, 3, turn)
    add_block(block, 3, 0, add9(times(lever, way), scale9(gp, G)))
    add_block(block, 3, 3, plus_unit(sub9(times(lever, turn), outer(e, F)), dot(F, e)))
    add_block(block, 3, 3, add9(times(G, by_turn), hat9(N)))
    return dot(F, flow) - dot(N, omega)


@kernel(fastmath=FUSED, **UNCOUNTED)
def foil_load(hull, R, u, table, density):
    r"""Force, couple and derivatives of the water on a foil, as in :func:`turning_terms`.

    .. math:: F = F_a\, p + F_b\, q, \qquad N = M\, (q \times p), \qquad S = \frac{\partial F}{\partial u}, \quad
              G = \frac{\partial N}{\partial u}

    Source: :func:`ropewalk.physics.foil.foil_force`, with p along the chord and q along the normal.

    hull : record of HULL    R : attitude    u : water minus foil velocity, m/s    table : of all foils, FOIL_ROW
    density : of the water, times the wet share, kg/m3
    """
    p, q = scale3(-1.0, onto(R, vector(hull.axis))), onto(R, vector(hull.normal))
    a, b = dot(u, p), dot(u, q)
    laws = coefficients(np.arctan2(b, a), table, hull.foil, hull.foil_stop)
    along, across, turning = foil_force(a, b, laws, 0.5 * density * hull.area, hull.chord)
    F = add3(scale3(along[0], p), scale3(across[0], q))
    by_a, by_b = add3(scale3(along[1], p), scale3(across[1], q)), add3(scale3(along[2], p), scale3(across[2], q))
    axis = cross3(q, p)  # of the span: chord times normal
    slope = add3(scale3(turning[1], p), scale3(turning[2], q))
    return F, add9(outer(by_a, p), outer(by_b, q)), scale3(turning[0], axis), outer(axis, slope)


@kernel(fastmath=FUSED, **UNCOUNTED)
def area_drag(areas, R, u, b):
    r"""Drag of areas that differ by direction of a body (N), and its derivative by the relative velocity (N s/m).

    .. math:: f = b\, |u|\, R A R^T u, \qquad A = \operatorname{diag}(A_x, A_y, A_z)

    Source: [Montano2005], eq. (2), with the velocity u relative to the area and an area for each direction of the body.

    areas : (3,) m2    R : attitude    u : fluid minus body velocity, m/s    b : half density and coefficient, kg/m3
    """
    x, y, z = (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])
    A = add9(outer(scale3(areas[0], x), x), add9(outer(scale3(areas[1], y), y), outer(scale3(areas[2], z), z)))
    speed, faced = np.sqrt(dot(u, u)), onto(A, u)
    over = b / speed if speed > 0.0 else 0.0
    return scale3(b * speed, faced), add9(scale9(b * speed, A), outer(scale3(over, faced), u))


@kernel(fastmath=FUSED, **UNCOUNTED)
def area_load(areas, R, u, b):
    """Drag of areas F = f (N) and its derivative, N = 0, as in :func:`turning_terms`.  Source: :func:`area_drag`.

    areas, R, u, b : as in :func:`area_drag`
    """
    F, S = area_drag(areas, R, u, b)
    return F, S, ZERO3, ZERO9


@kernel(fastmath=FUSED, **UNCOUNTED)
def spin_drag(turning, R, omega, Z, b, gp, block):
    r"""Adds minus the moment of drag by turning, and its derivative, to a body's block; returns what it loses, W.

    .. math:: N = -b\, |\omega|\, R C R^T \omega, \qquad
              \delta N = \theta \times N - g_p T Z\, \theta, \qquad
              T = -\frac{\partial N}{\partial\omega}

    as the angular velocity turns with the body, beside what a step adds to it.

    Source: [MoorDyn2025], rotational entries of CdA of bodies.

    turning : (3,) C, m5    omega : angular velocity, world, rad/s    Z : as in physics/rigidbody.py
    b : half density, kg/m3    gp : as in :func:`turning_terms`    block : (6, 7)
    """
    drag, T = area_drag(turning, R, omega, b)
    N = scale3(-1.0, drag)
    add_column(block, 3, drag)
    add_block(block, 3, 3, add9(hat9(N), scale9(gp, times(T, Z))))
    return dot(drag, omega)
