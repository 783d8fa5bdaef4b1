"""Rigid bodies in the Newton iteration of the mixed elements: their block, the ends they carry, their turns.

The end node of a line is slaved to its body, r = x + R o, so a body adds six unknowns to the junctions and its lines
leave a 6 x 6 Schur block on them; see docs/theory/bodies.md.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.body_loads import body_block, body_rows, fill_block, three, three_of, turn_motion
from ropewalk.methods.mixed.links import link_unbalance
from ropewalk.numerics.blockelimination import COUNTED, UNCOUNTED, add9, dot, onto, outer, plus_unit, times
from ropewalk.numerics.compile import kernel
from ropewalk.physics.motion import rotation
from ropewalk.physics.rigidbody import (
    arm_rates,
    attitude,
    cross3,
    hat9,
    transpose9,
    turned,
)

STATIC_FLOOR = 1e-6  # of weight over size: stiffness added in statics, so that a free drift or yaw has a pivot


@kernel(inline="always")
def place_ends(X, mesh):
    """Put the line ends that bodies carry where the bodies hold them (m, m/s, m/s2), and fill their levers.

    Bookkeeping: takes the arrays of a mesh apart for `_place_ends`.
    """
    _place_ends(
        X, mesh.s.size + mesh.motion.size, mesh.node_start, mesh.bodies.end_body, mesh.bodies.end_arm,
        mesh.bodies.memory.attitude, mesh.bodies.memory.pose, mesh.bodies.memory.lever,
    )  # fmt: skip


@kernel(**UNCOUNTED)
def _place_ends(X, first_turn, node_start, end_body, end_arm, start, pose, lever):
    r"""As `place_ends` (m, m/s, m/s2), for arrays.  first_turn : row of the rotation of the first body

    .. math:: r = x + R\,o, \quad \dot r = \dot x + \omega\times Ro, \quad
              \ddot r = \ddot x + \alpha\times Ro + \omega\times(\omega\times Ro)

    Source: docs/theory/bodies.md, Coupling.
    """
    n_bodies = start.shape[0]
    for k in range(n_bodies):
        R, _, omega, alpha = turn_motion(k, first_turn + k, X, start)
        for p in range(9):
            pose[k, p] = R[p]
        for p in range(3):
            pose[k, 9 + p], pose[k, 12 + p] = omega[p], alpha[p]
    for line in range(end_body.shape[0]):
        for side in range(2):
            k = end_body[line, side]
            if k < 0:
                continue
            row = first_turn - n_bodies + k
            n = node_start[line] if side == 0 else node_start[line + 1] - 1
            o = three_of(end_arm, line, side)
            arm = (
                pose[k, 0] * o[0] + pose[k, 1] * o[1] + pose[k, 2] * o[2],
                pose[k, 3] * o[0] + pose[k, 4] * o[1] + pose[k, 5] * o[2],
                pose[k, 6] * o[0] + pose[k, 7] * o[1] + pose[k, 8] * o[2],
            )
            omega, alpha = (pose[k, 9], pose[k, 10], pose[k, 11]), (pose[k, 12], pose[k, 13], pose[k, 14])
            velocity, acceleration = arm_rates(arm, omega, alpha)
            for p in range(3):
                X[0, n, p] = X[0, row, p] + arm[p]
                X[1, n, p] = X[1, row, p] + velocity[p]
                X[2, n, p] = X[2, row, p] + acceleration[p]
            fill_lever(line, side, arm, lever)


@kernel(forceinline=True, **UNCOUNTED)
def fill_lever(line, side, arm, lever):
    """Displacement of an end per world translation (no unit) and rotation (m) of its body: dr = dx + theta x a.

    Source: docs/theory/bodies.md, Coupling.
    """
    for p in range(3):
        for q in range(6):
            lever[line, side, q, p] = 0.0
        lever[line, side, p, p] = 1.0
    lever[line, side, 3, 1], lever[line, side, 3, 2] = -arm[2], arm[1]
    lever[line, side, 4, 0], lever[line, side, 4, 2] = arm[2], -arm[0]
    lever[line, side, 5, 0], lever[line, side, 5, 1] = -arm[1], arm[0]


@kernel(**COUNTED)
def turn_held_bodies(t, mesh, motions, X):
    """Attitude and its rates (rad/s, rad/s2) of bodies that are held or moved, at time t (s).

    Source: docs/theory/bodies.md, Motion: psi = R_0^T theta, Omega = R^T omega.
    """
    out = np.zeros((3, 3))
    bodies = mesh.bodies
    n_bodies = bodies.body.shape[0]
    for k in range(n_bodies):
        if bodies.body[k].is_free == 1:
            continue
        rotation(t, mesh.motion[mesh.motion.size - n_bodies + k], motions, out)
        _, turn = body_rows(k, mesh)
        # a world rotation before the given attitude is a body one after it; its rates are in the frame of the moment
        before = transpose9(attitude(bodies.memory.attitude[k], np.zeros(3))[0])
        angle = onto(before, three(out, 0))
        for p in range(3):
            X[0, turn, p] = angle[p]
        now = transpose9(attitude(bodies.memory.attitude[k], X[0, turn])[0])
        for c in range(1, 3):
            w = onto(now, three(out, c))
            for p in range(3):
                X[c, turn, p] = w[p]


@kernel(**UNCOUNTED)
def add_bodies(X, flow, mesh, fluid, step, A, b):
    """Put the blocks of all free bodies, without links, into the dense system of the junctions (N, N m).

    Source: docs/theory/bodies.md, Coupling: A_dd = dR/dq and b_d = -R of :func:`fill_block`; in statics with a floor.

    fluid : rho, g    step : bp, gp
    """
    bodies = mesh.bodies
    n_bodies, block = bodies.body.shape[0], bodies.memory.block
    for k in range(n_bodies):
        if bodies.body[k].is_free == 0:
            continue
        fill_block(k, body_rows(k, mesh), X, flow, bodies, mesh.mass_damping, fluid, step)
        d = mesh.dof_start[mesh.motion.size - n_bodies + k]
        if step[1] == 0.0:
            floor = STATIC_FLOOR * bodies.body[k].weight_scale / bodies.body[k].extent
            for i in range(3):
                block[i, i] += floor
                block[3 + i, 3 + i] += floor * bodies.body[k].extent ** 2
        for i in range(6):
            b[d + i] -= block[i, 6]
            for j in range(6):
                A[d + i, d + j] += block[i, j]


@kernel
def steady_bodies(mesh, A, b):
    """In statics: restrain the rotations of free bodies by as much as their residual moments (N m).

    Source: docs/theory/bodies.md, Equilibrium: A_ii = A_ii + |M| for rotations.

    The moment about an axis of symmetry is zero, but away from equilibrium its derivative is not: Newton's method
    would respond with a spin that spoils the tilt. The restraint vanishes with the moment, so convergence stays fast.
    """
    bodies = mesh.bodies
    n_bodies = bodies.body.shape[0]
    for k in range(n_bodies):
        if bodies.body[k].is_free == 0:
            continue
        d = mesh.dof_start[mesh.motion.size - n_bodies + k] + 3
        moment = np.sqrt(b[d] ** 2 + b[d + 1] ** 2 + b[d + 2] ** 2)
        for i in range(3):
            A[d + i, d + i] += moment


@kernel(forceinline=True, **UNCOUNTED)
def add_body_end(line, levers, d, k, block, A, right):
    r"""Put the end block of a line into the six rows and columns of the body that carries its last node.

    Source: docs/theory/bodies.md, Coupling.

    With :math:`\delta r = \delta x - \hat e \theta` the blocks are K, :math:`-K \hat e`, :math:`\hat e K`,
    :math:`-\hat e K \hat e`, and the force g on the body keeps its direction while its arm turns.

    levers : of `BodyMemory`    d : first degree of freedom of the body    k : unknown of the last tension
    block : K, b, c of node and tension, and the force g on the body (N), tuples    A, right : of the junctions
    """
    K, b, c, g = block
    e = (levers[line, 1, 5, 1], -levers[line, 1, 5, 0], levers[line, 1, 4, 0])
    hat = hat9(e)
    ahead = times(K, hat)
    turn = plus_unit(add9(times(hat, ahead), outer(e, g)), -dot(e, g))
    below, moment, up, row = times(hat, K), cross3(e, g), cross3(e, b), cross3(e, c)
    for p in range(3):
        right[d + p] += g[p]
        right[d + 3 + p] += moment[p]
        A[d + p, k] += b[p]
        A[d + 3 + p, k] += up[p]
        A[k, d + p] += c[p]
        A[k, d + 3 + p] += row[p]
        for q in range(3):
            A[d + p, d + q] += K[3 * p + q]
            A[d + p, d + 3 + q] -= ahead[3 * p + q]
            A[d + 3 + p, d + q] += below[3 * p + q]
            A[d + 3 + p, d + 3 + q] -= turn[3 * p + q]


@kernel(forceinline=True, **UNCOUNTED)
def add_end_turn(line, side, levers, d, force, A):
    """The force of a line on its body (N) keeps its direction while its arm turns: derivative of the moment.

    Source: d(a x f) = (theta x a) x f, docs/theory/assemblies.md, The exact 6 x 6 stiffness.

    levers : of `BodyMemory`    d : first degree of freedom of the body    force : on the body, tuple
    A : of the junctions
    """
    arm = (levers[line, side, 5, 1], -levers[line, side, 5, 0], levers[line, side, 4, 0])
    f = dot(arm, force)
    for p in range(3):
        for q in range(3):
            A[d + 3 + p, d + 3 + q] += (f if p == q else 0.0) - arm[p] * force[q]


@kernel(**UNCOUNTED)
def turn_bodies(X, mesh, right, share, step):
    r"""Turn all free bodies by the solution of the junctions; returns the largest displacement by a turn (m).

    .. math:: \delta\psi = T^{-1}(\psi)\, R^T \theta = R^T Z\, \theta

    Source: docs/theory/bodies.md, Coupling; physics/rigidbody.py.
    """
    body, start, (bp, gp) = mesh.bodies.body, mesh.bodies.memory.attitude, step
    n_bodies, n_junctions = body.shape[0], mesh.motion.size
    largest = 0.0
    for k in range(n_bodies):
        if body[k].is_free == 0:
            continue
        d = mesh.dof_start[n_junctions - n_bodies + k] + 3
        row = mesh.s.size + n_junctions + k
        R, Z = attitude((start[k, 0], start[k, 1], start[k, 2], start[k, 3]), three_of(X, 0, row))
        theta = (right[d], right[d + 1], right[d + 2])
        psi = onto(transpose9(R), onto(Z, theta))
        for p in range(3):
            X[0, row, p] += share * psi[p]
            X[1, row, p] += share * gp * psi[p]
            X[2, row, p] += share * bp * psi[p]
            largest = max(largest, abs(theta[p]) * body[k].extent)
    return largest


@kernel(**COUNTED)
def rebase(X, Y, mesh):
    """Make the attitude of X that from which turns (rad) count; X and Y, its copy, then have no turn.

    Source: R_0 = R_0 exp(psi), psi = 0; [Bruls2012].
    """
    bodies = mesh.bodies
    for k in range(bodies.body.shape[0]):
        if bodies.body[k].is_free == 0:
            continue
        _, row = body_rows(k, mesh)
        new = turned(bodies.memory.attitude[k], X[0, row])
        for p in range(4):
            bodies.memory.attitude[k, p] = new[p]
        for p in range(3):
            X[0, row, p] = 0.0
            Y[0, row, p] = 0.0


@kernel(**COUNTED)
def body_difference(mesh, X, Y):
    """Largest change of a body's (smoothed) acceleration in a step, m/s2, and largest speed, m/s, turns included.

    Source: |da| and size x |d alpha| as in :func:`step_error`, with size = extent of the body.
    """
    bodies = mesh.bodies
    worst = 0.0
    speed = 0.0
    for k in range(bodies.body.shape[0]):
        if bodies.body[k].is_free == 0:
            continue
        row, turn = body_rows(k, mesh)
        error, motion, spin_error, spin = 0.0, 0.0, 0.0, 0.0
        for p in range(3):
            error += (Y[3, row, p] - X[3, row, p]) ** 2
            motion += Y[1, row, p] ** 2
            spin_error += (Y[3, turn, p] - X[3, turn, p]) ** 2
            spin += Y[1, turn, p] ** 2
        size = bodies.body[k].extent
        worst = max(worst, np.sqrt(error), size * np.sqrt(spin_error))
        speed = max(speed, np.sqrt(motion), size * np.sqrt(spin))
    return worst, speed


@kernel
def body_unbalance(X, flow, mesh, rho, g, nodes):
    """Inertia minus forces of the free bodies, their lines included, into their rows of nodes (N, N m).

    Source: docs/theory/bodies.md, Coupling: R = inertia - F and M + a x f of the lines.

    The rows of positions hold already what their lines and nothing else puts there.
    """
    bodies = mesh.bodies
    for k in range(bodies.body.shape[0]):
        if bodies.body[k].is_free == 0:
            continue
        row, turn = body_rows(k, mesh)
        body_block(k, X, flow, mesh, (rho, g), (0.0, 0.0))
        block = bodies.memory.block
        for p in range(3):
            nodes[row, p] += block[p, 6]
            nodes[turn, p] = block[3 + p, 6]
    for line in range(bodies.end_body.shape[0]):
        for side in range(2):
            k = bodies.end_body[line, side]
            if k < 0 or bodies.body[k].is_free == 0:
                continue
            _, turn = body_rows(k, mesh)
            n = mesh.node_start[line] if side == 0 else mesh.node_start[line + 1] - 1
            lever = bodies.memory.lever[line, side]
            for p in range(3):
                for q in range(3):
                    nodes[turn, p] += lever[3 + p, q] * nodes[n, q]
    if bodies.links.link.shape[0] > 0:
        link_unbalance(X, mesh, nodes)


@kernel
def largest_on_bodies(mesh, nodes):
    """Largest residual force, or moment over extent, on a free body, N.

    Source: norm of the stopping rule, F = max(|F_i|, |M_i|/extent).
    """
    bodies = mesh.bodies
    largest = 0.0
    for k in range(bodies.body.shape[0]):
        if bodies.body[k].is_free == 0:
            continue
        row, turn = body_rows(k, mesh)
        for p in range(3):
            largest = max(largest, abs(nodes[row, p]), abs(nodes[turn, p]) / bodies.body[k].extent)
    return largest
