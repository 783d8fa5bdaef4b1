r"""Loads on point masses and bars: weight, buoyancy, Morison drag and inertia, screens, bed, springs.

The velocity along a bar is linear between its nodes, and the drag is integrated with the same linear
shares at two Gauss points. For drag linear in the velocity that is exact: a bar that turns about its
middle is damped with :math:`c\, l^3/12`. Halves that move with their nodes would give :math:`c\, l^3/4`,
three times too much ([Otto2022] does that), and drag at the middle alone would give nothing.
"""

from __future__ import annotations

import numpy as np

from ropewalk.methods.bars.hinges import hinge_loads
from ropewalk.methods.bars.hulls import hull_loads, hull_water
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import exp_so3
from ropewalk.physics.current import current
from ropewalk.physics.motion import DRIVEN, motion, rotation
from ropewalk.physics.screens import screen_force
from ropewalk.physics.seabed import contact_derivatives
from ropewalk.physics.waves import ACCELERATION, COLUMNS, ELEVATION, STRETCHING_WHEELER, VELOCITY, kinematics

NEAR = 0.5 - 0.5 / np.sqrt(3.0)  # share of the farther node at a Gauss point


@kernel
def water(medium, r, t, velocity, rate, under):
    """Water at the nodes: velocity (m/s) and acceleration (m/s2), and height of the surface above them (m).

    r : (n, 3) m    t : s    velocity, rate : (n, 3), filled    under : (n,), filled
    """
    still = medium.wave.shape[1] == 0
    flow = np.empty((0 if still else r.shape[0], COLUMNS))
    if not still:
        kinematics(medium.wave, r, t, medium.depth, STRETCHING_WHEELER, 1.0, flow)
    for i in range(r.shape[0]):
        x, y, z = current(
            r[i, 2], medium.current_kind, medium.current_speed, medium.current_heading,
            medium.current_exponent, medium.depth, medium.current_table,
        )  # fmt: skip
        velocity[i, 0] = x
        velocity[i, 1] = y
        velocity[i, 2] = z
        under[i] = -r[i, 2]
        if not still:
            under[i] += flow[i, ELEVATION]
            for j in range(3):
                velocity[i, j] += flow[i, VELOCITY + j]
                rate[i, j] = flow[i, ACCELERATION + j]


@kernel
def surroundings(medium, field, r, t):
    """Water at the nodes and about the hulls, at r (n, 3) and time t (s), into `field`."""
    if medium.density > 0.0:
        water(medium, r, t, field.water, field.rate, field.under)
    if field.hulls.body.size > 0:
        hull_water(field.hulls, medium, r, t)


@kernel
def supports(bars, motions, t, r, v, acceleration):
    """Puts held nodes where they are held at t: position (m), velocity (m/s), acceleration (m/s2)."""
    out = np.zeros((3, 3))
    for i in range(bars.held.size):
        if bars.held[i]:
            k = bars.motion[i]
            motion(t, k, motions, out)
            for j in range(3):
                r[i, j] = bars.home[i, j] + out[0, j]
                v[i, j] = out[1, j]
                acceleration[i, j] = out[2, j]
            if k >= 0 and (motions.kind[k] == DRIVEN or motions.turn_start[k + 1] > motions.turn_start[k]):
                rotation(t, k, motions, out)
                turn_support(bars.arm[i], out, r[i], v[i], acceleration[i])


@kernel
def turn_support(arm, turn, r, v, acceleration):
    """Adds what a turning body gives a point of it.  arm : (3,) before the turn, m    turn : of `motion.rotation`

    As in the mixed elements: exact for turns about one axis, and for small ones.
    """
    e = exp_so3(turn[0]) @ arm
    speed = np.cross(turn[1], e)
    rate = np.cross(turn[2], e) + np.cross(turn[1], speed)
    for j in range(3):
        r[j] += e[j] - arm[j]
        v[j] += speed[j]
        acceleration[j] += rate[j]


@kernel
def directions(node, r, direction):
    """Unit vectors of the bars from a to b, (m, 3), into `direction`."""
    for k in range(node.shape[0]):
        a, b = node[k, 0], node[k, 1]
        x = r[b, 0] - r[a, 0]
        y = r[b, 1] - r[a, 1]
        z = r[b, 2] - r[a, 2]
        over = 1.0 / np.sqrt(x * x + y * y + z * z)
        direction[k, 0] = x * over
        direction[k, 1] = y * over
        direction[k, 2] = z * over


@kernel(inline="always")
def wet_part(under, half):
    """Share of a length below the surface: its middle is `under` below it (m), its ends `half` above and below."""
    return min(1.0, max(0.0, 0.5 + 0.5 * under / half))


@kernel
def sphere_part(under, volume):
    """Share of a sphere's volume below the surface, its centre `under` below it (m).  volume : m3"""
    radius = (0.75 * volume / np.pi) ** (1.0 / 3.0)
    x = min(1.0, max(-1.0, under / radius))
    return 0.25 * (1.0 + x) ** 2 * (2.0 - x)


@kernel
def node_loads(bars, medium, field, r, v):
    """Weight, given forces, springs, damping and what hangs on the nodes: sets force, damping, inertia of `field`."""
    force, damping, inertia = field.force, field.damping, field.inertia
    rho, g = medium.density, medium.gravity
    for i in range(r.shape[0]):
        c = medium.damping * bars.mass[i]
        m = bars.mass[i]
        if rho > 0.0 and bars.volume[i] > 0.0:
            part = sphere_part(field.under[i], bars.volume[i])
            displaced = rho * part * bars.volume[i]
            extra = part * bars.added[i]
            m += extra
            force[i, 2] = bars.force[i, 2] + g * (displaced - bars.mass[i])
            for j in range(2):
                force[i, j] = bars.force[i, j]
            for j in range(3):
                force[i, j] += (displaced + extra) * field.rate[i, j]
        else:
            force[i, 0] = bars.force[i, 0]
            force[i, 1] = bars.force[i, 1]
            force[i, 2] = bars.force[i, 2] - g * bars.mass[i]
        for j in range(3):
            force[i, j] -= c * v[i, j]
            for q in range(3):
                damping[i, j, q] = 0.0
                inertia[i, j, q] = 0.0
            damping[i, j, j] = c
            inertia[i, j, j] = m
        if rho > 0.0 and bars.drag_area[i] > 0.0:
            part = 1.0 if bars.volume[i] == 0.0 else sphere_part(field.under[i], bars.volume[i])
            point_drag(0.5 * rho * bars.drag_area[i] * part, field.water[i], v[i], force[i], damping[i])
        for j in range(3):
            if bars.spring[i, j] > 0.0:
                spring_load(bars.spring[i, j], bars.axes[i, j], bars.home[i], r[i], force[i])
    if bars.hinge.shape[0] > 0:
        hinge_loads(bars.hinge, bars.hinge_law, r, v, force)


@kernel
def point_drag(b, water_velocity, v, force, damping):
    r"""Adds the drag of a body without direction, :math:`b |u| u` (N), and its derivative (N s/m).

    The vector law: [Otto2022], eq. (5.19), taken by components, depends on the axes.  b : kg/m
    """
    x = water_velocity[0] - v[0]
    y = water_velocity[1] - v[1]
    z = water_velocity[2] - v[2]
    speed = np.sqrt(x * x + y * y + z * z)
    u = (x, y, z)
    over = b / speed if speed > 0.0 else 0.0
    for i in range(3):
        force[i] += b * speed * u[i]
        for j in range(3):
            damping[i, j] += over * u[i] * u[j]
        damping[i, i] += b * speed


@kernel
def spring_load(k, axis, home, r, force):
    """Adds the force (N) of a spring along `axis` to `home`.  k : N/m"""
    way = k * (axis[0] * (r[0] - home[0]) + axis[1] * (r[1] - home[1]) + axis[2] * (r[2] - home[2]))
    for j in range(3):
        force[j] -= way * axis[j]


@kernel
def bar_drag(bn, bt, t, u, share, force_a, force_b, damping_a, damping_b):
    """Adds the drag (N) at one Gauss point to both nodes, and its lumped derivative (N s/m).

    bn, bt : half density times coefficient times diameter times the length it stands for, kg/m
    t : (3,) unit    u : three numbers, water minus bar, m/s    share : of node b
    """
    s = u[0] * t[0] + u[1] * t[1] + u[2] * t[2]
    n = (u[0] - s * t[0], u[1] - s * t[1], u[2] - s * t[2])
    speed = np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    normal = bn * speed
    over = bn / speed if speed > 0.0 else 0.0
    axial = bt * abs(s)
    rest = 1.0 - share
    for i in range(3):
        f = normal * n[i] + axial * s * t[i]
        force_a[i] += rest * f
        force_b[i] += share * f
        dyad = over * n[i]
        along = (2.0 * axial - normal) * t[i]
        for j in range(3):
            d = dyad * n[j] + along * t[j]
            damping_a[i, j] += rest * d
            damping_b[i, j] += share * d
        damping_a[i, i] += rest * normal
        damping_b[i, i] += share * normal


@kernel
def bar_loads(bars, medium, field, v):
    """Adds buoyancy, drag, inertia of the water and added mass of the bars to the nodes of `field`."""
    force, inertia = field.force, field.inertia
    rho = medium.density
    for k in range(bars.length.size):
        a, b = bars.node[k, 0], bars.node[k, 1]
        t = field.direction[k]
        half = 0.25 * abs(t[2]) * bars.length[k] + bars.radius[k]
        for side in range(2):
            near, far = (a, b) if side == 0 else (b, a)
            under = 0.75 * field.under[near] + 0.25 * field.under[far]
            part = wet_part(under, half)
            if part == 0.0:
                continue
            # weight in water of the half bar beside the node, so that a submerged bar is balanced exactly
            displaced = 0.5 * rho * part * bars.area[k] * bars.length[k]
            force[near, 2] += medium.gravity * displaced
            cn, ct = bars.added_normal[k], bars.added_tangential[k]
            w = field.rate[near]
            along = (ct - cn) * (t[0] * w[0] + t[1] * w[1] + t[2] * w[2])
            for i in range(3):
                force[near, i] += displaced * ((1.0 + cn) * w[i] + along * t[i])
                for j in range(3):
                    inertia[near, i, j] += displaced * (ct - cn) * t[i] * t[j]
                inertia[near, i, i] += displaced * cn
            c = 0.25 * rho * part * bars.length[k]
            if bars.drag_normal[k] > 0.0 or bars.drag_tangential[k] > 0.0:
                share = NEAR if side == 0 else 1.0 - NEAR
                u = (
                    (1.0 - share) * (field.water[a, 0] - v[a, 0]) + share * (field.water[b, 0] - v[b, 0]),
                    (1.0 - share) * (field.water[a, 1] - v[a, 1]) + share * (field.water[b, 1] - v[b, 1]),
                    (1.0 - share) * (field.water[a, 2] - v[a, 2]) + share * (field.water[b, 2] - v[b, 2]),
                )
                bar_drag(c * bars.drag_normal[k], c * bars.drag_tangential[k], t, u, share,
                         force[a], force[b], field.damping[a], field.damping[b])  # fmt: skip


@kernel
def bed_loads(bars, medium, field, r, v):
    """Adds the force of the seabed on the half bars beside each node."""
    field.stiffness[:] = 0.0
    f = np.zeros(3)
    dx = np.zeros((3, 3))
    dv = np.zeros((3, 3))
    for k in range(bars.length.size):
        if bars.contact_width[k] <= 0.0:
            continue
        for side in range(2):
            i = bars.node[k, side]
            contact_derivatives(r[i], v[i], medium.plane, medium.law, bars.contact_width[k],
                                bars.contact_radius[k], f, dx, dv)  # fmt: skip
            for j in range(3):
                field.force[i, j] += 0.5 * bars.length[k] * f[j]
                for q in range(3):
                    field.damping[i, j, q] -= 0.5 * bars.length[k] * dv[j, q]
                    field.stiffness[i, j, q] -= 0.5 * bars.length[k] * dx[j, q]


@kernel
def screen_loads(bars, medium, field, r, v):
    """Adds the drag and lift of the screens, shared equally by their corners."""
    f = np.zeros(3)
    d = np.zeros((3, 3))
    u = np.zeros(3)
    for k in range(bars.screen.shape[0]):
        corners = bars.screen[k]
        n = 3 if corners[3] < 0 else 4
        under = 0.0
        u[:] = 0.0
        for c in range(n):
            i = corners[c]
            under += field.under[i] / n
            for j in range(3):
                u[j] += (bars.wake[k] * field.water[i, j] - v[i, j]) / n
        if under <= 0.0:
            continue
        last = corners[n - 1]
        screen_force(bars.screen_kind[k], medium.density, bars.solidity[k], bars.twine[k],
                     r[corners[0]], r[corners[1]], r[corners[2]], r[last], u, f, d)  # fmt: skip
        for c in range(n):
            i = corners[c]
            for j in range(3):
                field.force[i, j] += f[j] / n
                for q in range(3):
                    field.damping[i, j, q] += d[j, q] / n


@kernel
def loads(bars, medium, field, r, v):
    """All loads on the nodes but the bars' tension: fills force, damping and inertia of `field`.

    `field` must hold the directions of the bars and the water at r.  r, v : (n, 3) m, m/s
    """
    node_loads(bars, medium, field, r, v)
    if medium.density > 0.0:
        bar_loads(bars, medium, field, v)
        if bars.screen.shape[0] > 0:
            screen_loads(bars, medium, field, r, v)
    if medium.has_bed:
        bed_loads(bars, medium, field, r, v)
    if field.hulls.body.size > 0:
        hull_loads(field.hulls, medium, r, v, field.force, field.inertia)


@kernel
def mobility(bars, field, h, out):
    r"""Inverse of inertia plus h times damping, on the components that can move (1/kg), (n, 3, 3) into `out`.

    .. math:: W = E (E^T (M + h D) E)^{-1} E^T

    with the free axes of the node as the columns of E; zero where a node is held.
    """
    for i in range(bars.mass.size):
        free = bars.loose[i, 0] + bars.loose[i, 1] + bars.loose[i, 2]
        if free == 3.0:
            inverse3(field.inertia[i], field.damping[i], h, out[i])
        elif free == 0.0:
            out[i] = 0.0
        else:
            e = bars.axes[i]
            m = e @ (field.inertia[i] + h * field.damping[i]) @ e.T
            for j in range(3):
                if bars.loose[i, j] == 0.0:
                    m[j, :] = 0.0
                    m[:, j] = 0.0
                    m[j, j] = 1.0
            w = np.linalg.inv(m)
            for j in range(3):
                if bars.loose[i, j] == 0.0:
                    w[j, j] = 0.0
            out[i] = e.T @ w @ e


@kernel(inline="always")
def inverse3(m, d, h, out):
    """Inverse of the symmetric 3 x 3 matrix m + h d into `out`."""
    a = m[0, 0] + h * d[0, 0]
    b = m[0, 1] + 0.5 * h * (d[0, 1] + d[1, 0])
    c = m[0, 2] + 0.5 * h * (d[0, 2] + d[2, 0])
    e = m[1, 1] + h * d[1, 1]
    f = m[1, 2] + 0.5 * h * (d[1, 2] + d[2, 1])
    i = m[2, 2] + h * d[2, 2]
    p = e * i - f * f
    q = c * f - b * i
    s = b * f - c * e
    over = 1.0 / (a * p + b * q + c * s)
    out[0, 0] = p * over
    out[0, 1] = q * over
    out[0, 2] = s * over
    out[1, 0] = q * over
    out[1, 1] = (a * i - c * c) * over
    out[1, 2] = (b * c - a * f) * over
    out[2, 0] = s * over
    out[2, 1] = out[1, 2]
    out[2, 2] = (a * e - b * b) * over
