"""Inertia and forces of what is lumped at the nodes: weight, attachments, the bed and its friction."""

from __future__ import annotations

from typing import Any, NamedTuple

from ropewalk.assembly.element import three
from ropewalk.loads.bed import bend, grip_pull, ground, moved_grip, penetration, press, slid
from ropewalk.loads.cut import vector
from ropewalk.loads.grip import Grip, friction_of, sought_pull
from ropewalk.loads.point import is_bare, lump_of, water_on_point
from ropewalk.loads.sea import acceleration, height_over_water, velocity
from ropewalk.model.arrays import Records
from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    ZERO3,
    ZERO9,
    add9,
    outer,
    plus_unit,
    scale3,
    scale9,
    sub3,
    sub9,
)
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import any_of, where


class Lumps(NamedTuple):
    """What the forces at nodes are computed from."""

    node: Records  # (n_rows,) of NODE of the mesh
    mass_damping: float  # 1/s
    has_bed: bool
    bed: Any  # of the mesh
    grip: Grip


@kernel(inline="always")
def lumps_of(mesh, grip):
    """`Lumps` of a mesh. Bookkeeping."""
    return Lumps(mesh.node, mesh.mass_damping, mesh.has_bed, mesh.bed, grip)


@kernel(forceinline=False, fastmath=FUSED, **UNCOUNTED)
def lump(n, now, node, fluid, step):
    r"""Buoyancy, drag, added mass of what is lumped at row n: minus the forces (N), their derivative (N/m); the drag.

    .. math:: R = -F, \qquad K = \gamma' \frac{\partial F}{\partial u} + \beta' m_a - \frac{\partial F}{\partial z}

    Source: :func:`ropewalk.loads.point.water_on_point`; docs/theory/morison.md, Point loads.

    now : `Instant`    node : of the mesh; a volume is a sphere at the surface    fluid, step : of `element_system`
    """
    if fluid[0] <= 0.0 or is_bare(node[n]):
        return ZERO3, ZERO9, ZERO3
    bp, gp = step
    water, motion = (velocity(now.flow, n), acceleration(now.flow, n)), (three(now.v, n), three(now.a, n))
    F, drag, by_u, added, by_height, _ = water_on_point(
        lump_of(node[n]), height_over_water(now.r, now.flow, n), water, motion, fluid
    )
    K = plus_unit(scale9(gp, by_u), bp * added)
    K = (
        K[0], K[1], K[2] - by_height[0], K[3], K[4], K[5] - by_height[1], K[6], K[7], K[8] - by_height[2],
    )  # fmt: skip
    return scale3(-1.0, F), K, drag


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def node_terms(n, now, lumps, fluid, step):
    """Inertia minus forces of row n (N), and their derivative (N/m): weight, lumped things, bed.

    Source: :func:`add_node_terms` with the opposite sign, r = -F.

    now : `Instant`    lumps : `Lumps`    fluid, step : of `element_system`
    """
    F, K = add_node_terms(ZERO3, ZERO9, n, now, lumps, fluid, step)
    return scale3(-1.0, F), K


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def add_node_terms(F, K, n, now, lumps, fluid, step):
    """Forces minus inertia of row n added to F, minus their derivative added to K; arguments of `node_terms`.

    Source: F = F_0 - m (a + c v + g e_z) + water + bed, docs/theory/mixed_elements.md, Elements.
    """
    node, gp = lumps.node[n], step[1]
    given = (node.force[0], node.force[1], node.force[2])
    F, K = add_inertia(F, K, n, now, (node.mass, given), (lumps.mass_damping, fluid[1]), step)
    if not is_bare(node):
        R1, K1, _ = lump(n, now, lumps.node, fluid, step)
        F, K = sub3(F, R1), add9(K, K1)
    if lumps.has_bed and node.bed_area != 0.0 and penetration(lumps.bed, three(now.r, n), node.radius) > 0.0:
        R1, K1 = _bed_terms(n, now.r, now.v, lumps.bed, node, gp, lumps.grip)
        F, K = sub3(F, R1), add9(K, K1)
    return F, K


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def add_inertia(F, K, n, now, lump, field, step):
    r"""Weight, given force, inertia and damping by mass at row n, added as in `add_node_terms`.

    .. math:: F \mathrel{+}= F_0 - m (a + c\,v + g\,e_z), \qquad K \mathrel{+}= m (\beta' + c\,\gamma')

    Source: docs/theory/mixed_elements.md, Elements and Steps.

    lump : mass (kg) and given force (N)    field : damping by mass (1/s) and gravity (m/s2)
    """
    (m, given), (damping, g), v, a, (bp, gp) = lump, field, now.v, now.a, step
    F = (
        F[0] + given[0] - m * (a[n, 0] + damping * v[n, 0]),
        F[1] + given[1] - m * (a[n, 1] + damping * v[n, 1]),
        F[2] + given[2] - m * (a[n, 2] + damping * v[n, 2] + g),
    )
    return F, plus_unit(K, m * (bp + damping * gp))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def rest_on_bed(bed, surface, place, foot, mu, gp):
    """Minus the force of the bed on a node with the memory of friction, its derivative without the bed's bend, `press`.

    Source: R = -N n - f_t, docs/theory/morison.md, Seabed and Friction; :func:`press` and :func:`grip_pull`.

    bed : of `Bed`    surface : its normal, and the height over it (m)    place : of the node, its velocity (m/s), and
    where it grips (m)    foot : contact area (m2) and radius (m)    mu : coefficient of friction    gp : dv/dr, 1/s
    """
    (normal, _), (r, v, hold), (area, radius) = surface, place, foot
    N, slope = press(bed, surface, v, area, radius, gp)
    R, K = scale3(-N, normal), scale9(slope, outer(normal, normal))
    if mu <= 0.0 or not any_of(N > 0.0):
        return R, K, N, slope
    d, length = slid(normal, r, hold)
    shear = where(N > 0.0, bed.law[0].shear * area, 0.0)
    f, stiffness = grip_pull(shear, normal, d, length, (N, slope), mu)
    return sub3(R, f), add9(K, stiffness), N, slope


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _bed_terms(n, r, v, bed, node, gp, grip):
    """Minus the force of the bed on node n (N), and its derivative (N/m), with the memory of friction in `grip`.

    Source: -F and K = -dF/dr - gp dF/dv of loads/bed.py, docs/theory/morison.md, Seabed and Friction.

    While an equilibrium is sought (friction.py), friction is a given share of the normal force:
    :func:`ropewalk.loads.grip.sought_pull`.

    bed : of `Bed`    node : record    gp : dv/dr, 1/s
    """
    area, surface, mu = node.bed_area, ground(bed, three(r, n)), friction_of(grip)
    normal, is_sought = surface[0], mu > 0.0 and grip.friction[0].is_sought == 1
    held, foot = vector(grip.hold[n].place), (area, node.radius)
    place = (three(r, n), three(v, n), held)
    R, K, N, slope = rest_on_bed(bed, surface, place, foot, 0.0 if is_sought else mu, gp)
    K = sub9(K, scale9(N, bend(bed, three(r, n))))
    if not is_sought or N <= 0.0:
        return R, K
    d, _ = slid(normal, three(r, n), held)
    f, stiffness = sought_pull(bed.law[0].shear * area, normal, d, (N, slope), vector(grip.hold[n].share))
    return sub3(R, f), add9(K, stiffness)


@kernel(**UNCOUNTED)
def move_grip(r, v, mesh, grip):
    """After a step: nodes off the bed grip where they are (m); nodes that slip drag their grip behind them.

    Bookkeeping: calls :func:`ropewalk.loads.bed.moved_grip` for every node.
    """
    mu = friction_of(grip)
    if mu <= 0.0 or not mesh.has_bed:
        return
    bed = mesh.bed
    for n in range(mesh.s.size):
        place = grip.hold[n].place
        place[0], place[1], place[2] = moved_grip(bed, three(r, n), three(v, n), vector(place), mu, mesh.node[n].radius)
