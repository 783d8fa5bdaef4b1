"""Inertia and forces of what is lumped at the nodes: weight, attachments, the bed and its friction."""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.mesh import ADDED, BED_AREA, BED_SHEAR, DRAG_AREA, FORCE, MASS, RADIUS, VOLUME
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
    row_onto,
    scale3,
    scale9,
    sub3,
    sub9,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics.seabed import DAMPING as BED_DAMPING
from ropewalk.physics.seabed import RAMP, STIFFNESS, pressure

# of `grip`: the friction coefficient in force; 1 where all elements may push for once; 1 while an equilibrium is sought
FRICTION_ROW = 9
GRIP = 10  # rows of `grip` before those of the nodes
SOFT = 1e-4  # of the shear stiffness, with which grips hold nodes while an equilibrium is sought
SPHERE = 0.23873241463784300  # 3/(4 pi): the cube of a sphere's radius per volume


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def wet_sphere(height, volume):
    """Share of a sphere that is under water, and its derivative by the height of its centre over the water (1/m)."""
    radius = (SPHERE * volume) ** (1.0 / 3.0)
    if height <= -radius:
        return 1.0, 0.0
    if height >= radius:
        return 0.0, 0.0
    h = (radius - height) / radius  # submerged height over radius, 0 to 2
    return 0.25 * h * h * (3.0 - h), -0.75 * h * (2.0 - h) / radius


@kernel(forceinline=False, fastmath=FUSED, **UNCOUNTED)
def lump(n, r, v, a, flow, node, rho, g, bp, gp):
    """Buoyancy, drag and added mass of what is lumped at row n: minus the forces, and their derivative.

    r, v, a : (n, 3)    flow : (n, 8) of the water    node : of the mesh; a volume is a sphere at the surface
    """
    volume, drag_area, added = node[n, VOLUME], node[n, DRAG_AREA], node[n, ADDED]
    R = ZERO3
    K = ZERO9
    if rho <= 0.0 or (volume == 0.0 and drag_area == 0.0 and added == 0.0):
        return R, K
    wet, slope = wet_sphere(r[n, 2] - flow[n, 7], volume)
    if wet == 0.0:
        return R, K
    u = (flow[n, 0] - v[n, 0], flow[n, 1] - v[n, 1], flow[n, 2] - v[n, 2])
    aw = (flow[n, 3], flow[n, 4], flow[n, 5])
    speed = np.sqrt(dot(u, u))
    b = 0.5 * rho * drag_area * wet
    share = gp * b / speed if speed > 0.0 else 0.0
    inertia = rho * volume * wet
    ma = added * wet
    R = add3(R, add3(scale3(-b * speed, u), scale3(-ma - inertia, aw)))
    R = (R[0] + ma * a[n, 0], R[1] + ma * a[n, 1], R[2] + ma * a[n, 2] - inertia * g)
    K = plus_unit(add9(K, scale9(share, outer(u, u))), gp * b * speed + bp * ma)
    return R, (K[0], K[1], K[2], K[3], K[4], K[5], K[6], K[7], K[8] - rho * volume * g * slope)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def node_terms(n, r, v, a, flow, node, mass_damping, has_bed, bed, rho, g, bp, gp, grip):
    """Inertia minus forces of row n, and their derivative: weight, lumped things, bed.

    node : of the mesh    has_bed, bed : of the mesh    grip : of `Elimination`
    """
    F, K = add_node_terms(ZERO3, ZERO9, n, r, v, a, flow, node, mass_damping, has_bed, bed, rho, g, bp, gp, grip)
    return scale3(-1.0, F), K


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def add_node_terms(F, K, n, r, v, a, flow, node, mass_damping, has_bed, bed, rho, g, bp, gp, grip):
    """Forces minus inertia of row n added to F, minus their derivative added to K; arguments of `node_terms`."""
    m = node[n, MASS]
    F = (
        F[0] + node[n, FORCE] - m * (a[n, 0] + mass_damping * v[n, 0]),
        F[1] + node[n, FORCE + 1] - m * (a[n, 1] + mass_damping * v[n, 1]),
        F[2] + node[n, FORCE + 2] - m * (a[n, 2] + mass_damping * v[n, 2] + g),
    )
    K = plus_unit(K, m * (bp + mass_damping * gp))
    if node[n, VOLUME] > 0.0 or node[n, DRAG_AREA] > 0.0 or node[n, ADDED] > 0.0:
        R1, K1 = lump(n, r, v, a, flow, node, rho, g, bp, gp)
        F, K = sub3(F, R1), add9(K, K1)
    if has_bed and node[n, BED_AREA] != 0.0:
        radius = node[n, RADIUS]
        if bed[0] * r[n, 0] + bed[1] * r[n, 1] + bed[2] * r[n, 2] < bed[3] + radius:
            R1, K1 = _bed_terms(n, r, v, bed, node[n, BED_AREA], radius, gp, grip)
            F, K = sub3(F, R1), add9(K, K1)
    return F, K


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _bed_terms(n, r, v, bed, area, radius, gp, grip):
    r"""Minus the force of the bed on node n, and its derivative.

    Pressure from physics/seabed.py. Friction is a spring of the bed's shear stiffness that holds the node where it
    grips, and slips when its force reaches the coefficient times the normal force:

    .. math:: f_t = -\min\left(k,\ \frac{\mu N}{|d|}\right) d, \qquad d = (1 - n n^T)(r - r_\text{grip})

    The grip moves once per accepted step (`move_grip`), never here. While an equilibrium is sought
    (mixed_friction.py), friction is a given share of the normal force, :math:`f_t = N \rho - \epsilon k d`, the soft
    spring only for slack line to have a place; the rows of :math:`\rho` follow those of the grips.
    """
    normal = (bed[0], bed[1], bed[2])
    delta = bed[3] + radius - (bed[0] * r[n, 0] + bed[1] * r[n, 1] + bed[2] * r[n, 2])
    rate = -(bed[0] * v[n, 0] + bed[1] * v[n, 1] + bed[2] * v[n, 2])
    p, by_depth, by_rate = pressure(delta, rate, bed[4 + STIFFNESS], bed[4 + BED_DAMPING], bed[4 + RAMP])
    N = p * area
    R = scale3(-N, normal)
    slope = by_depth + gp * by_rate
    if rate > 0.0 and delta > 0.0:
        # Beyond the ramp of the damping the tangent of a node coming down points above the bed, where nothing holds
        # it: Newton would turn in circles. The chord to the point of first contact does not.
        slope = max(slope, p / delta)
    K = scale9(area * slope, outer(normal, normal))
    mu = grip[FRICTION_ROW, 0]
    if mu <= 0.0 or N <= 0.0:
        return R, K
    d, length = _slide(n, r, normal, grip)
    k = bed[BED_SHEAR] * area
    across = plus_unit(scale9(-1.0, outer(normal, normal)), 1.0)
    if grip[FRICTION_ROW, 2] > 0.0:
        row = n + (grip.shape[0] + GRIP) // 2
        rho = (grip[row, 0], grip[row, 1], grip[row, 2])
        K = add9(K, scale9(area * slope, outer(rho, normal)))
        return add3(R, add3(scale3(-N, rho), scale3(SOFT * k, d))), add9(K, scale9(SOFT * k, across))
    if k * length <= mu * N:
        return add3(R, scale3(k, d)), add9(K, scale9(k, across))
    e = scale3(1.0 / length, d)
    K = sub9(K, outer(scale3(mu, e), row_onto(normal, K)))
    return add3(R, scale3(mu * N, e)), add9(K, scale9(mu * N / length, sub9(across, outer(e, e))))


@kernel(forceinline=True, **UNCOUNTED)
def _slide(n, r, normal, grip):
    """Displacement of node n along the bed from where it grips (m), and its length."""
    d = (r[n, 0] - grip[GRIP + n, 0], r[n, 1] - grip[GRIP + n, 1], r[n, 2] - grip[GRIP + n, 2])
    d = add3(d, scale3(-dot(d, normal), normal))
    return d, np.sqrt(dot(d, d))


@kernel(**UNCOUNTED)
def move_grip(r, v, mesh, grip):
    """After a step: nodes in the air grip where they are; nodes that slip drag their grip behind them."""
    mu = grip[FRICTION_ROW, 0]
    if mu <= 0.0 or not mesh.has_bed:
        return
    bed = mesh.bed
    normal = (bed[0], bed[1], bed[2])
    node, k, c, ramp = mesh.node, bed[4 + STIFFNESS], bed[4 + BED_DAMPING], bed[4 + RAMP]
    shear = bed[BED_SHEAR]
    for n in range(mesh.s.size):
        delta = bed[3] + node[n, RADIUS] - (bed[0] * r[n, 0] + bed[1] * r[n, 1] + bed[2] * r[n, 2])
        keep = 0.0
        if delta > 0.0:
            rate = -(bed[0] * v[n, 0] + bed[1] * v[n, 1] + bed[2] * v[n, 2])
            keep = mu * pressure(delta, rate, k, c, ramp)[0] / shear
        d, length = _slide(n, r, normal, grip)
        if length > keep:
            for p in range(3):
                grip[GRIP + n, p] = r[n, p] - keep / length * d[p]
