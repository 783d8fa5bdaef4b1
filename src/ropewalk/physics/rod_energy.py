r"""Energy, force and stiffness of a rod that floats, from the integrals of its wet volume and waterplane.

For a given direction of up in the body, u, the heave that carries the weight is unique, which leaves an energy
on the unit sphere. Per weight density of water, with y the position from the centre of mass, integrals over the
wet volume and the waterplane:

.. math:: E(u) = -u \cdot Y, \quad \nabla E = -P Y, \quad
          \nabla^2 E = P \Big( C - \frac{B B^T}{A} \Big) P + (u \cdot Y) P, \qquad P = 1 - u u^T,

.. math:: Y = \int_\mathrm{wet} y\, dV, \quad A, B, C = \int_\mathrm{plane} (1, y, y y^T)\, dA .
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ropewalk.numerics.bracket import bracketed
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.buoyancy import cut_square
from ropewalk.physics.rod_hydrostatics import hydrostatics
from ropewalk.physics.rod_shape import RECTANGLE, section_reach

VOLUME_TOLERANCE = 4e-15  # relative; round-off of the sum over the points of `Panels`
HEAVE_STEPS = 100  # bisection alone needs 60
ROUGH_STEPS = 12  # of the first guess
SEGMENT_CUBIC = (
    0.5 * math.pi - 2.0
)  # the area of a disc's segment is pi/2 + 2 d + this d^3, to 0.9 per cent of the disc
UPRIGHT = 1e-12  # horizontal part of up below which the head axis stands upright and roll means nothing


class Reduced(NamedTuple):
    """The energy over all attitudes, heave eliminated, about one of them in a tangent basis; m4, but for the last."""

    energy: float
    g1: float  # gradient
    g2: float
    h11: float  # curvature
    h12: float
    h22: float
    excess: float  # of the wet volume over that which carries the mass, m3


@kernel
def heave_bounds(panels, u):
    r"""Heights of the head at which the rod just leaves the water and just drowns (m).

    .. math:: z_\mathrm{dry} = -\min(u \cdot p - \rho), \qquad z_\mathrm{drowned} = -\max(u \cdot p + \rho)

    with rho the reach of a section. Source: docs/theory/rods.md, Energy, force, stiffness.

    panels : `Panels`    u : (3,) up in head axes
    """
    low = math.inf
    high = -math.inf
    m, n = panels.rows.shape[0], panels.rows.shape[1]
    for k in range(m):
        for j in range(n + 2):
            row = panels.ends[k, 0] if j == 0 else (panels.ends[k, 1] if j == n + 1 else panels.rows[k, j - 1])
            e = u[0] * row.position[0] + u[1] * row.position[1] + u[2] * row.position[2]
            reach = section_reach(panels.section, row.a, row.b)
            low = min(low, e - reach)
            high = max(high, e + reach)
    return -low, -high


@kernel
def whole_volume(panels):
    """Volume of the whole rod, m3.

    Source: V = sum over the panels, docs/theory/rods.md, The volume of a curved rod.
    """
    volume = 0.0
    for k in range(panels.drowned.shape[0]):
        volume += panels.drowned[k].volume
    return volume


@kernel
def rough_volume(panels, z, u):
    r"""Wet volume (m3) and waterplane area (m2) from the Gauss points alone, in slices: quick, good to a few per cent.

    .. math:: V \approx \int ab\, \left(\tfrac{\pi}{2} + d\,(2 + c\, d^2)\right) ds, \qquad c = \tfrac{\pi}{2} - 2

    Source: a cubic in d for the segment of docs/theory/rods.md, A section cut by the water plane; plane slices.

    panels : `Panels`    z : height of the head, m    u : (3,) up in head axes
    """
    V = 0.0
    A = 0.0
    for k in range(panels.rows.shape[0]):
        for j in range(panels.rows.shape[1]):
            row = panels.rows[k, j]
            ds = panels.weight[j] * panels.half[k]
            ar2 = row.a * (u[0] * row.t2[0] + u[1] * row.t2[1] + u[2] * row.t2[2])
            br3 = row.b * (u[0] * row.t3[0] + u[1] * row.t3[1] + u[2] * row.t3[2])
            e = z + u[0] * row.position[0] + u[1] * row.position[1] + u[2] * row.position[2]
            w2 = ar2 * ar2 + br3 * br3
            ab = row.a * row.b
            if panels.section == RECTANGLE:
                S, chord = rough_square(e, ar2, br3)
                V += ds * ab * S
                A += ds * ab * chord
            elif e * e < w2:
                by_w = 1.0 / math.sqrt(w2)
                d = -e * by_w
                V += ds * ab * (0.5 * math.pi + d * (2.0 + SEGMENT_CUBIC * d * d))
                A += ds * ab * by_w * (2.0 + 3.0 * SEGMENT_CUBIC * d * d)
            elif e < 0.0:
                V += ds * ab * math.pi
    return V, A


@kernel
def rough_square(e, ar2, br3):
    """Wet area of a rectangle over ab, and its derivative by -e (1/m).

    Source: S of :func:`cut_square`, and the length of its chord over w: dS/d(-e) = 2 |l| / w.

    e : height of the centre, m    ar2, br3 : half sides times the vertical parts of their axes, m
    """
    top = abs(ar2) + abs(br3)
    if e >= top or top == 0.0:
        return (0.0, 0.0) if e >= top else (4.0, 0.0)
    if e <= -top:
        return 4.0, 0.0
    by_w = 1.0 / math.hypot(ar2, br3)
    S, _, _, _, _, _, _, _, l2, l3 = cut_square(-e * by_w, ar2 * by_w, br3 * by_w)
    return S, 2.0 * by_w * math.hypot(l2, l3)


@kernel
def rough_heave(panels, u, z, volume, tolerance):
    """Height (m) of the head at which `rough_volume` is `volume`; a first guess for `float_at`.

    Source: z = z + (V - V_0)/A inside a bracket, docs/theory/rods.md, Energy, force, stiffness.

    Arguments as `float_at`.
    """
    dry, drowned = heave_bounds(panels, u)
    z = min(dry, max(drowned, z))
    for _ in range(ROUGH_STEPS):
        V, A = rough_volume(panels, z, u)
        excess = V - volume
        if abs(excess) <= tolerance * volume:
            break
        z, drowned, dry = bracketed(z, -excess, excess / A if A > 0.0 else math.nan, drowned, dry)
    return z


@kernel
def float_at(panels, u, z, volume, tolerance):
    r"""Height of the head at which the wet volume is `volume`, by Newton steps kept in a bracket.

    .. math:: z \to z + \frac{V(z) - V_0}{A}

    Source: Newton's method with dV/dz = -A, docs/theory/rods.md, Energy, force, stiffness.

    Returns (z, integrals, evaluations).

    panels : `Panels`    u : (3,) up in head axes    z : first guess, m    volume : m3
    tolerance : of the volume, relative
    """
    dry, drowned = math.inf, -math.inf  # brackets: too high, too low; found only if a step leaves the trusted range
    acc = hydrostatics(panels, z, u)
    used = 1
    last_step = math.inf
    for _ in range(HEAVE_STEPS):
        excess = acc.volume - volume
        if abs(excess) <= tolerance * volume:
            break
        step = excess / acc.area if acc.area > 0.0 else math.nan
        if abs(step) > 0.5 * last_step:
            step = math.nan
        new, drowned, dry = bracketed(z, -excess, step, drowned, dry)
        if not abs(new) < math.inf:
            top, bottom = heave_bounds(panels, u)
            new, drowned, dry = bracketed(z, -excess, step, max(drowned, bottom), min(dry, top))
        if new in (z, drowned, dry):
            break
        last_step = abs(new - z)
        z = new
        acc = hydrostatics(panels, z, u)
        used += 1
    return z, acc, used


@kernel
def reduced_energy(acc, centre, volume, z, u, basis):
    r"""`Reduced`: E, its gradient and its curvature on the sphere, in the given tangent basis.

    .. math:: E = -u \cdot Y, \qquad \nabla E = -P\,Y, \qquad \nabla^2 E = P \left(C - \frac{B B^T}{A}\right) P
              + (u\cdot Y)\,P

    Source: docs/theory/rods.md, Energy, force, stiffness.

    The heave need not be exact: what is left of it is eliminated to second order in E, to first order in the gradient.

    acc : integrals of `hydrostatics`
    centre : (3,) of mass, m    volume : that carries the mass, m3    z : height of the head, m
    u : (3,) up in head axes    basis : (2, 3)
    """
    A = acc.area
    V = acc.volume
    inverse = 1.0 / A if A > 0.0 else 0.0
    Y, B, CU = np.empty(3), np.empty(3), np.empty((3, 3))
    height = z
    along = 0.0  # u . Y
    for i in range(3):
        Y[i] = acc.moment[i] - V * centre[i]
        B[i] = acc.area_moment[i] - A * centre[i]
        height += u[i] * centre[i]
        along += u[i] * Y[i]
    for i in range(3):
        for j in range(i, 3):
            CU[i, j] = acc.area_second[i, j] - acc.area_moment[i] * centre[j] - centre[i] * B[j] - inverse * B[i] * B[j]
            CU[j, i] = CU[i, j]
    excess = V - volume
    g1, g2, h11, h12, h22 = 0.0, 0.0, along, 0.0, along
    for i in range(3):
        slope = B[i] * excess * inverse - Y[i]
        g1 += basis[0, i] * slope
        g2 += basis[1, i] * slope
        for j in range(3):
            h11 += basis[0, i] * basis[0, j] * CU[i, j]
            h12 += basis[0, i] * basis[1, j] * CU[i, j]
            h22 += basis[1, i] * basis[1, j] * CU[i, j]
    energy = -along - excess * height - 0.5 * excess * excess * inverse
    return Reduced(energy, g1, g2, h11, h12, h22, excess)


@kernel
def upright_frame(u):
    """Rotation from head axes to the world axes that differ from it by roll and pitch only, yaw zero.

    Source: docs/theory/rods.md, All equilibria.

    Returns (R, roll, pitch), rad: R = Ry(pitch) Rx(roll), so that its last row is u.

    u : (3,) up in head axes
    """
    pitch = math.asin(max(-1.0, min(1.0, -u[0])))
    roll = math.atan2(u[1], u[2]) if math.hypot(u[1], u[2]) > UPRIGHT else 0.0
    cp, sp, cr, sr = math.cos(pitch), math.sin(pitch), math.cos(roll), math.sin(roll)
    R = np.array([[cp, sp * sr, sp * cr], [0.0, cr, -sr], [-sp, cp * sr, cp * cr]])
    return R, roll, pitch


@kernel(**UNCOUNTED)
def net_wrench(acc, centre, volume):
    r"""Force of water and weight on a rod over the weight density of water, upwards (m3), and its moment (m4).

    .. math:: \frac{F}{\rho g} = (V - V_m)\, u, \qquad
              \frac{M}{\rho g} = (X - V_m c) \times u, \qquad V_m = \frac{m}{\rho}

    about the head, in head axes; the second result is :math:`X - V_m c`, which is not turned by u yet.
    Source: docs/theory/rods.md, Energy, force, stiffness.

    acc : V and X among the integrals of `hydrostatics`    centre : (3,) c, of mass, m    volume : V_m, m3
    """
    x = acc.moment
    moment = x[0] - volume * centre[0], x[1] - volume * centre[1], x[2] - volume * centre[2]
    return acc.volume - volume, moment


@kernel
def wrench_and_stiffness(acc, centre, volume, u, weight_density):
    r"""Net wrench and 6 x 6 stiffness about the centre of mass, in world axes of zero yaw (N, m).

    Source: docs/theory/rods.md, Energy, force, stiffness; [Newman2018], sec. 6.16.

    .. math:: K_{33} = \rho g A,\; K_{34} = \rho g \int y,\; K_{35} = -\rho g \int x,\;
              K_{44} = \rho g \Big( \int y^2 + u \cdot Y \Big),\; K_{45} = -\rho g \int x y,\;
              K_{55} = \rho g \Big( \int x^2 + u \cdot Y \Big)

    The other freedoms (surge, sway, yaw) are neutral. K is the second derivative of the energy at an equilibrium.

    acc : integrals of `hydrostatics`    centre : (3,) of mass, m    volume : that carries the mass, m3
    u : (3,) up in head axes    weight_density : of water, N/m3    returns W (6,), K (6, 6)
    """
    R, _, _ = upright_frame(u)
    A = acc.area
    excess, moment = net_wrench(acc, centre, volume)
    Y, B, C = np.empty(3), np.empty(3), np.empty((3, 3))
    for i in range(3):
        Y[i] = moment[i] - excess * centre[i]
        B[i] = acc.area_moment[i] - A * centre[i]
    for i in range(3):
        for j in range(i, 3):
            C[i, j] = acc.area_second[i, j] - acc.area_moment[i] * centre[j] - centre[i] * B[j]
            C[j, i] = C[i, j]
    Y, B, C = R @ Y, R @ B, R @ C @ R.T
    W = np.array([0.0, 0.0, excess, Y[1], -Y[0], 0.0])
    K = np.zeros((6, 6))
    K[2, 2] = A
    K[2, 3] = K[3, 2] = B[1]
    K[2, 4] = K[4, 2] = -B[0]
    K[3, 3] = C[1, 1] + Y[2]
    K[4, 4] = C[0, 0] + Y[2]
    K[3, 4] = K[4, 3] = -C[0, 1]
    return weight_density * W, weight_density * K
