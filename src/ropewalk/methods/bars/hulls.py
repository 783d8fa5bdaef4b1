r"""Sea, wind and given loads on the free bodies of bars: the wrench of the mixed elements, put on points.

A body is four masses on a tetrahedron and some more points (bodies.py). Its wrench W (force, and moment about its
origin) at rest in acceleration is that of `assembly.body_loads.fill_block`; the corners of the tetrahedron carry

.. math:: f_c = S_c W, \qquad S = J (J^T J)^{-1}, \qquad J_c = (1, -\hat x_c),

which has the resultants W and no other. Added mass is masses of points that depend on the direction, :math:`N_i`: of
the strips of a hull, on its axis, or of a matrix (added.py). Such a point also carries its part of
:math:`\omega \times (\omega \times x_i)`, which the wrench of the elements holds already; it is taken out of W.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.body_loads import fill_block, water_on_bodies
from ropewalk.loads.sea import water_at_place
from ropewalk.methods.bars.hull_arrays import opened
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import quaternion_from_matrix
from ropewalk.physics.addedmass import added_mass

POLAR = 3  # iterations to the nearest rotation; each squares what the bars are off their lengths


@kernel
def place_hulls(hulls, r, v):
    r"""Position, attitude and rates of the bodies from their corners, into hulls.X, hulls.turn and the attitudes.

    .. math:: (x,\, R) = \sum_c r_c\, (X^{-1})_c, \; X_c = (1, x_c), \quad R \to \tfrac32 R - \tfrac12 R R^T R, \qquad
              \hat\Omega = \mathrm{skew}(R^T \dot R)

    Source: affine map of the tetrahedron, docs/theory/ropes_and_nets.md, Rigid bodies; Newton-Schulz iteration for the
    polar factor.

    r, v : (n, 3) of all nodes, m, m/s
    """
    n = hulls.motion.size
    R = np.zeros((3, 3))
    rate = np.zeros((3, 3))
    for j in range(hulls.body.size):
        k = hulls.body[j]
        for a in range(3):
            x, u = 0.0, 0.0
            for b in range(3):
                R[a, b] = 0.0
                rate[a, b] = 0.0
            for c in range(4):
                i = hulls.corner[j, c]
                x += hulls.inverse[j, 0, c] * r[i, a]
                u += hulls.inverse[j, 0, c] * v[i, a]
                for b in range(3):
                    R[a, b] += hulls.inverse[j, 1 + b, c] * r[i, a]
                    rate[a, b] += hulls.inverse[j, 1 + b, c] * v[i, a]
            hulls.X[0, k, a] = x
            hulls.X[1, k, a] = u
        for _ in range(POLAR):
            R = 1.5 * R - 0.5 * R @ (R.T @ R)
        # in the body frame: the skew part of R^T dR/dt
        spin = R.T @ rate
        hulls.X[1, n + k, 0] = 0.5 * (spin[2, 1] - spin[1, 2])
        hulls.X[1, n + k, 1] = 0.5 * (spin[0, 2] - spin[2, 0])
        hulls.X[1, n + k, 2] = 0.5 * (spin[1, 0] - spin[0, 1])
        hulls.turn[j] = R
        hulls.bodies.memory.attitude[k] = quaternion_from_matrix(R)


@kernel
def hull_water(packed, medium, r, t):
    """Surface, water, wet shares and wind of all hulls with nodes at r (n, 3) m and time t (s).

    Bookkeeping: calls `water_on_bodies`, and `water_at_place` for bodies with a volume.
    """
    hulls = opened(packed)
    place_hulls(hulls, r, r)  # the rates are not read
    water_on_bodies(hulls.X, t, medium, hulls)
    if medium.wave.shape[1] > 0:
        for j in range(hulls.body.size):
            k = hulls.body[j]
            if hulls.bodies.body[k].volume > 0.0:
                water_at_place(hulls.X[0, k], t, medium, hulls.flow[k])


@kernel
def _wrench(hulls, k, fluid, gp):
    """Fill the block (6, 7) of body k (N, N m), without acceleration. Bookkeeping: calls `fill_block`.

    fluid : rho (kg/m3), g (m/s2)    gp : weight of the derivative by velocity, 1/s
    """
    fill_block(k, (k, hulls.motion.size + k), hulls.X, hulls.flow, hulls.bodies, 0.0, fluid, (0.0, gp))


@kernel
def _added(hulls, j, p, rho, out):
    """World mass (3, 3) that the water adds at point p of hull j (kg), into `out`.

    Source: M = R N R^T of a given matrix; :func:`ropewalk.physics.addedmass.added_mass` of a strip.
    """
    R, i = hulls.turn[j], hulls.row[p]
    if i < 0:
        out[:] = R @ hulls.tensor[p] @ R.T
        return
    strip, wet = hulls.bodies.strip[i], hulls.bodies.memory.water[i].wet
    axis = R @ hulls.bodies.hull[strip.hull].axis
    M = added_mass((axis[0], axis[1], axis[2]), rho * wet * strip.added_across, rho * wet * strip.added_along)
    for a in range(3):
        for c in range(3):
            out[a, c] = M[3 * a + c]


@kernel
def spread_of(hulls, j):
    """S of hull j in the world (no unit; 1/m for moments), into hulls.spread.

    Source: S_c = R S_c0 R^T, the heading of this file.
    """
    R = hulls.turn[j]
    for c in range(4):
        for half in range(2):
            hulls.spread[c, :, 3 * half : 3 * half + 3] = (
                R @ np.ascontiguousarray(hulls.share[j, c, :, 3 * half : 3 * half + 3]) @ R.T
            )


@kernel
def hull_loads(packed, medium, r, v, force, inertia):
    r"""Adds the loads of the bodies to the force (N) and inertia of their nodes; after `hull_water` for the same r.

    .. math:: f_c = S_c W, \qquad W = W_0 + \sum_i (1, -\hat x_i)^T N_i\, \omega \times (\omega \times x_i)

    Source: the heading of this file; docs/theory/ropes_and_nets.md, Rigid bodies.

    The drag of bodies is explicit in the steps of all solvers but the implicit ones: lumped on the corners its
    derivative is many times too large, and the steps were then of first order only.
    """
    hulls = opened(packed)
    place_hulls(hulls, r, v)
    N = np.zeros((3, 3))
    for j in range(hulls.body.size):
        k = hulls.body[j]
        block, W = hulls.bodies.memory.block, hulls.wrench[j]
        _wrench(hulls, k, (medium.water_density, medium.gravity), 0.0)
        for a in range(6):
            W[a] = -block[a, 6]
            for b in range(6):
                hulls.stiffness[j, a, b] = block[a, b]
        R = hulls.turn[j]
        w = R @ hulls.X[1, hulls.motion.size + k]
        for p in range(hulls.point_start[j], hulls.point_start[j + 1]):
            _added(hulls, j, p, medium.water_density, N)
            inertia[hulls.point[p]] += N
            x = R @ hulls.place[p]
            f = N @ np.cross(w, np.cross(w, x))
            W[:3] += f
            W[3:] += np.cross(x, f)
        spread_of(hulls, j)
        for c in range(4):
            force[hulls.corner[j, c]] += hulls.spread[c] @ W


@kernel
def hull_damping(hulls):
    """Minus the derivative of the wrenches by the rates, into hulls.damping (N s/m, N s, N m s); after `hull_loads`.

    Source: C = (K + gp C) - K with gp = 1 1/s: the block of :func:`fill_block` is linear in gp.
    """
    for j in range(hulls.body.size):
        block = hulls.bodies.memory.block
        _wrench(hulls, hulls.body[j], (hulls.density, hulls.gravity), 1.0)
        for a in range(6):
            for b in range(6):
                hulls.damping[j, a, b] = block[a, b] - hulls.stiffness[j, a, b]


@kernel
def corner_stiffness(hulls, j, c, d, cv, out):
    r"""Minus the derivative of the force on corner c by the place of corner d (N/m), (3, 3) into `out`.

    Source: derivative of f_c = S_c W of the heading of this file.

    .. math:: K_{cd} = (S_c (K + c_v B) + G_c) S_d^T, \qquad G_c\,\theta = S_c (\theta \times W) - \theta \times f_c

    G, because S turns with the body.  cv : dv/dr, 1/s    `hulls.spread` must be that of hull j
    """
    S, W = hulls.spread, hulls.wrench[j]
    left = S[c] @ (hulls.stiffness[j] + cv * hulls.damping[j])
    f = S[c] @ W
    e = np.zeros(3)
    for a in range(3):
        e[:] = 0.0
        e[a] = 1.0
        push, moment, turned = np.cross(e, W[:3]), np.cross(e, W[3:]), np.cross(e, f)
        for i in range(3):
            left[i, 3 + a] -= turned[i]
            for b in range(3):
                left[i, 3 + a] += S[c, i, b] * push[b] + S[c, i, 3 + b] * moment[b]
    out[:] = left @ S[d].T


@kernel
def stiffen_corners(packed, cv, nodes, links):
    """Adds the stiffness of the bodies' loads to the blocks of nodes (n, 3, 3) and between ends of bars (m, 3, 3).

    Source: K_cd = (K_cd + K_dc^T)/2 of :func:`corner_stiffness`, the symmetric part.
    """
    hulls = opened(packed)
    hull_damping(hulls)
    one = np.zeros((3, 3))
    other = np.zeros((3, 3))
    for j in range(hulls.body.size):
        spread_of(hulls, j)
        e = 0
        for c in range(4):
            corner_stiffness(hulls, j, c, c, cv, one)
            nodes[hulls.corner[j, c]] += 0.5 * (one + one.T)
            for d in range(c + 1, 4):
                corner_stiffness(hulls, j, c, d, cv, one)
                corner_stiffness(hulls, j, d, c, cv, other)
                links[hulls.edge[j, e]] += 0.5 * (one + other.T)
                e += 1
