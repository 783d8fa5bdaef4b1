r"""Loads on point masses and bars: weight, buoyancy, Morison drag and inertia, screens, bed, springs.

The forces are those of loads/; here they are shared out. The velocity along a bar is linear between its nodes, and the
drag is integrated with the same linear shares at two Gauss points. For drag linear in the velocity that is exact: a bar
that turns about its middle is damped with :math:`c\, l^3/12`. Halves that move with their nodes would give
:math:`c\, l^3/4`, three times too much ([Otto2022] does that), and drag at the middle alone would give nothing.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.element import three
from ropewalk.loads.given import push_on, spring_pull
from ropewalk.loads.member import lift_on_half, wet_half
from ropewalk.loads.point import water_on_point
from ropewalk.loads.screen import water_on_screen
from ropewalk.loads.sea import acceleration, height_over_water, velocity, water_at
from ropewalk.methods.bars.contact import add9_to, clear, press_bars, press_footings, rub
from ropewalk.methods.bars.hinges import hinge_loads
from ropewalk.methods.bars.hulls import hull_loads, hull_water
from ropewalk.methods.bars.ties import tie_loads
from ropewalk.model.given import ON_BODY, TURN_BODY
from ropewalk.numerics.blockelimination import ZERO3, add3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import exp_so3
from ropewalk.physics.addedmass import added_mass
from ropewalk.physics.drag_law import any_drag, law_by_velocity
from ropewalk.physics.in_time import value_at
from ropewalk.physics.motion import motion, rotation, turns

NEAR = 0.5 - 0.5 / np.sqrt(3.0)  # share of the farther node at a Gauss point


@kernel
def surroundings(medium, field, r, t):
    """Water at the nodes and about the hulls, and loads that change, at r (n, 3) m and time t (s), into `field`.

    Bookkeeping: calls `put_given`, `water_at` and `hull_water`.
    """
    if field.given.push.shape[0] > 0:
        put_given(t, field.given, field.hulls.table)
    water_at(r, t, medium, field.flow)
    if field.hulls.body.size > 0:
        hull_water(field.hulls, medium, r, t)


@kernel
def put_given(t, given, body):
    """Puts the forces (N) of time t (s) on nodes, into given.force, and on bodies, into their records. Bookkeeping."""
    for k in range(given.push.shape[0]):
        push = given.push[k]
        f = value_at(t, push.function, given.functions)[0]
        if push.kind == ON_BODY:
            push_on(body[push.row].load_force, push, f)
        elif push.kind == TURN_BODY:
            push_on(body[push.row].load_moment, push, f)
        else:
            push_on(given.force[push.row], push, f)


@kernel
def supports(bars, motions, t, r, v, acceleration):
    """Puts held nodes where they are held at t: position (m), velocity (m/s), acceleration (m/s2).

    Source: r = home + x(t), docs/guide/inputs_in_time.md; rotations by :func:`turn_support`.
    """
    out = np.zeros((3, 3))
    for i in range(bars.held.size):
        if bars.held[i]:
            k = bars.motion[i]
            motion(t, k, motions, out)
            for j in range(3):
                r[i, j] = bars.home[i, j] + out[0, j]
                v[i, j] = out[1, j]
                acceleration[i, j] = out[2, j]
            if turns(k, motions):
                rotation(t, k, motions, out)
                turn_support(bars.arm[i], out, r[i], v[i], acceleration[i])


@kernel
def turn_support(arm, turn, r, v, acceleration):
    r"""Adds the motion of a point by the turn of its body.  arm : (3,) before it, m    turn : of `motion.rotation`

    .. math:: r = x + e, \quad \dot r = \dot x + \omega \times e, \quad \ddot r = \ddot x + \alpha \times e
              + \omega \times (\omega \times e), \quad e = \exp(\hat\theta)\, a

    Source: kinematics of a rigid body, docs/theory/bodies.md, Coupling.

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
    """Unit vectors (m, 3) of the bars from a to b, into `direction`: t = (r_b - r_a)/|r_b - r_a|.

    Source: definition.
    """
    for k in range(node.shape[0]):
        a, b = node[k, 0], node[k, 1]
        x = r[b, 0] - r[a, 0]
        y = r[b, 1] - r[a, 1]
        z = r[b, 2] - r[a, 2]
        over = 1.0 / np.sqrt(x * x + y * y + z * z)
        direction[k, 0] = x * over
        direction[k, 1] = y * over
        direction[k, 2] = z * over


@kernel
def node_loads(bars, medium, field, r, v):
    """Weight, given forces, springs, damping and what hangs on the nodes, on the bed too: sets `field`.

    Source: docs/theory/ropes_and_nets.md, The model: f = -m g e_z - c m v + F + spring + water + bed.
    """
    force, damping, inertia, flow = field.force, field.damping, field.inertia, field.flow
    fluid = (medium.water_density, medium.gravity)
    for i in range(r.shape[0]):
        c = medium.damping * bars.mass[i]
        damping[i] = 0.0
        inertia[i] = 0.0
        field.stiffness[i] = 0.0
        for j in range(3):
            force[i, j] = bars.force[i, j] + field.given.force[i, j] - c * v[i, j]
            damping[i, j, j] = c
            inertia[i, j, j] = bars.mass[i]
        force[i, 2] -= medium.gravity * bars.mass[i]
        lump = (bars.volume[i], bars.drag_area[i], bars.added[i])
        if fluid[0] > 0.0 and lump != ZERO3:
            water, motion = (velocity(flow, i), acceleration(flow, i)), (three(v, i), ZERO3)
            F, _, by_u, added, _, _ = water_on_point(lump, height_over_water(r, flow, i), water, motion, fluid)
            add9_to(damping[i], 1.0, by_u)
            for j in range(3):
                force[i, j] += F[j]
                inertia[i, j, j] += added
    for k in range(bars.spring.shape[0]):
        i, axis = bars.spring[k].node, bars.spring[k].axis
        pull, slope = spring_pull(bars.spring[k], sub3(three(r, i), three(bars.home, i)))
        for p in range(3):
            force[i, p] += pull * axis[p]
            for q in range(3):
                field.stiffness[i, p, q] += slope * axis[p] * axis[q]
    if medium.has_bed:
        clear(field.pressed)
        press_footings(bars, medium, field, r, v)
    if bars.hinge.shape[0] > 0:
        hinge_loads(bars.hinge, bars.hinge_law, r, v, force)
    if bars.tie.shape[0] > 0:
        tie_loads(bars.tie, bars.tie_stiffness, r, force)


@kernel
def bar_loads(bars, medium, field, r, v):
    r"""Adds buoyancy, drag and inertia of the water (N) and added mass (kg) of the bars to the nodes of `field`.

    .. math:: f_a = \sum_g (1 - \xi_g)\, \tfrac{l}{2}\, w\, d(u(\xi_g)), \qquad
              f_b = \sum_g \xi_g\, \tfrac{l}{2}\, w\, d(u(\xi_g))

    Source: two Gauss points, the heading of this file; loads/member.py for buoyancy and inertia of each half.
    """
    force, inertia, flow = field.force, field.inertia, field.flow
    fluid = (medium.water_density, medium.gravity)
    for k in range(bars.length.size):
        a, b, member = bars.node[k, 0], bars.node[k, 1], bars.member[k]
        t = three(field.direction, k)
        heights = (height_over_water(r, flow, a), height_over_water(r, flow, b))
        half = 0.5 * dot(t, sub3(three(r, b), three(r, a)))
        u_a, u_b = sub3(velocity(flow, a), three(v, a)), sub3(velocity(flow, b), three(v, b))
        for side in range(2):
            near = a if side == 0 else b
            w, _, _ = wet_half(member, heights if side == 0 else (heights[1], heights[0]))
            if w == 0.0:
                continue
            # weight in water of the half bar beside the node, so that a submerged bar is balanced exactly
            F = lift_on_half(member, w, t, acceleration(flow, near), ZERO3, fluid)
            add9_to(inertia[near], w, added_mass(t, member.half_added_normal, member.half_added_tangential))
            for i in range(3):
                force[near, i] += F[i]
            if member.drag_normal > 0.0 or member.drag_tangential > 0.0:
                share = NEAR if side == 0 else 1.0 - NEAR
                u = add3(scale3(1.0 - share, u_a), scale3(share, u_b))
                scale = (w * half * member.drag_normal, w * half * member.drag_tangential, member.drag_normal)
                F, parts = any_drag(u, t, scale, member.drag_law)
                by_u = law_by_velocity(t, parts)
                add9_to(field.damping[a], 1.0 - share, by_u)
                add9_to(field.damping[b], share, by_u)
                for i in range(3):
                    force[a, i] += (1.0 - share) * F[i]
                    force[b, i] += share * F[i]


@kernel
def screen_loads(bars, medium, field, r, v):
    """Adds the drag and lift of the screens (N), shared equally by their corners.

    Source: f = F/n on each of n corners, :func:`ropewalk.loads.screen.water_on_screen`; docs/theory/ropes_and_nets.md.
    """
    flow = field.flow
    for k in range(bars.screen.shape[0]):
        screen = bars.screen[k]
        corner = screen.corner
        n = 3 if corner[3] < 0 else 4
        above, u = 0.0, ZERO3
        for c in range(n):
            i = corner[c]
            above += height_over_water(r, flow, i) / n
            u = add3(u, scale3(1.0 / n, sub3(scale3(screen.wake, velocity(flow, i)), three(v, i))))
        if above >= 0.0:
            continue
        corners = (three(r, corner[0]), three(r, corner[1]), three(r, corner[2]), three(r, corner[n - 1]))
        F, by_u = water_on_screen(screen, corners, u, medium.water_density)
        for c in range(n):
            i = corner[c]
            add9_to(field.damping[i], 1.0 / n, by_u)
            for j in range(3):
                field.force[i, j] += F[j] / n


@kernel
def loads(bars, medium, field, r, v):
    """All loads on the nodes but the bars' tension: fills force, damping and inertia of `field`.

    Source: docs/theory/ropes_and_nets.md, The model: f = sum of the kinds of loads/ at each node.

    `field` must hold the directions of the bars and the water at r.  r, v : (n, 3) m, m/s
    """
    node_loads(bars, medium, field, r, v)
    if medium.water_density > 0.0:
        bar_loads(bars, medium, field, r, v)
        if bars.screen.shape[0] > 0:
            screen_loads(bars, medium, field, r, v)
    if medium.has_bed:
        press_bars(bars, medium, field, r, v)
        rub(medium.bed, field, r)
    if field.hulls.body.size > 0:
        hull_loads(field.hulls, medium, r, v, field.force, field.inertia)


@kernel
def mobility(bars, field, h, out):
    """Inverse of inertia plus h times damping, on the components that can move (1/kg), (n, 3, 3) into `out`.

    Source: docs/theory/ropes_and_nets.md, Exact multipliers.

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
    """Inverse of the symmetric 3 x 3 matrix m + h d into `out`.

    Source: Cramer's rule, A^-1 = adj A / det A, of the symmetric part.
    """
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
