r"""Links between bodies in the Newton iteration of the mixed elements.

The equations of links, :math:`c(q) = 0`, have multipliers that Newton's method finds beside the motion, as it finds the
tension of inextensible elements: the scheme of [Arnold2007] for constrained systems, on the group of rotations
[Bruls2012]. `link_terms` of assembly/links.py writes each link by the moves and turns of its ends; here the degrees of
freedom of what they are fastened to take their place. See docs/theory/bodies.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.assembly.body_loads import body_motion, three
from ropewalk.assembly.links import link_terms
from ropewalk.model.arrays import Array
from ropewalk.model.links import LINK_HINGE, LINK_JOINT
from ropewalk.numerics.blockelimination import ZERO3, add3, add9, onto, scale9, sub9, times
from ropewalk.numerics.compile import kernel
from ropewalk.physics.rigidbody import cross3, hat9

UNIT9 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def multiplier_row(link, mesh):
    """Row of the force of a link on its second end; that of its moment follows. Bookkeeping."""
    return mesh.s.size + mesh.motion.size + mesh.bodies.body.shape[0] + 2 * link


@kernel
def multipliers(link, X, mesh):
    """The six multipliers of a link, N: those of a force on the second end and then those of a moment.

    Source: lambda = s X with the force scale s, the heading of assembly/links.py.
    """
    row, f = multiplier_row(link, mesh), mesh.bodies.links.link[link].force_scale
    force, moment = three(X[0], row), three(X[0], row + 1)
    return f * force[0], f * force[1], f * force[2], f * moment[0], f * moment[1], f * moment[2]


@kernel
def link_end(link, side, X, mesh):
    """An end of a link as `link_terms` reads it (m, m/s, rad/s), and Z of physics/rigidbody.py.

    Source: p = x + R a, v = x' + omega x R a, docs/theory/bodies.md, Coupling.
    """
    links = mesh.bodies.links
    k, row = links.link[link].body[side], mesh.s.size + links.link[link].end[side]
    x, v = three(X[0], row), three(X[1], row)
    if k < 0:
        return (UNIT9, x, ZERO3, v, ZERO3), UNIT9
    R, Z, omega, _ = body_motion(k, X, mesh)
    arm = links.link[link].arm
    e = onto(R, (arm[side, 0], arm[side, 1], arm[side, 2]))
    return (R, add3(x, e), e, add3(v, cross3(omega, e)), omega), Z


@kernel
def fill_link(link, X, mesh, gp):
    """Fill the scratch of the links (m, rad, N, N m) with link `link`, at X.

    Bookkeeping: calls `link_terms`, `_follow` and `_fill_lever`.

    gp : of velocity by position in the step, 1/s
    """
    links = mesh.bodies.links
    (first, Za), (second, Zb) = link_end(link, 0, X, mesh), link_end(link, 1, X, mesh)
    own, axis = links.link[link], links.axis[3 * link : 3 * link + 3]
    link_terms(own, axis, (first, second), multipliers(link, X, mesh), links.scratch)
    if gp > 0.0 and (own.kind == LINK_HINGE or own.kind == LINK_JOINT):
        _follow(0, first, Za, gp, links.scratch)
        _follow(6, second, Zb, gp, links.scratch)
    links.scratch.lever[:] = 0.0
    _fill_lever(link, 0, first[2], mesh)
    _fill_lever(link, 1, second[2], mesh)


@kernel
def _follow(at, end, Z, gp, scratch):
    r"""Adds to K what B gives by the velocities of an end, which follow its move and turn in a step.

    .. math:: \delta\omega = W \theta, \quad W = \gamma' Z - \hat\omega, \qquad
              \delta v = \gamma' \delta p + (\gamma' \hat e - \hat e W - \hat\omega \hat e)\, \theta

    Source: variations in the heading of physics/rigidbody.py, v = x' + omega x e and p = x + e.

    at : first column of the end    end : as in `link_terms`    gp : gamma', 1/s
    """
    own, rate, hat, spin = scratch.own, scratch.rate, hat9(end[2]), hat9(end[4])
    W = sub9(scale9(gp, Z), spin)
    V = sub9(scale9(gp, hat), add9(times(hat, W), times(spin, hat)))
    for p in range(12):
        for q in range(3):
            own[p, at + q] += gp * rate[p, at + q]
            for j in range(3):
                own[p, at + 3 + q] += rate[p, at + j] * V[3 * j + q] + rate[p, at + 3 + j] * W[3 * j + q]


@kernel
def _fill_lever(link, side, e, mesh):
    """Moves and turns of an end per degree of freedom.

    Source: delta p = delta x + theta x e, docs/theory/bodies.md, Links.    e : arm, world, m
    """
    links, lever = mesh.bodies.links, mesh.bodies.links.scratch.lever
    j, at = links.link[link].end[side], 6 * side
    d = mesh.dof_start[j]
    n = mesh.dof_start[j + 1] - d
    if links.link[link].body[side] < 0:
        for q in range(n):
            for p in range(3):
                lever[at + p, at + q] = mesh.dof[d + q].axis[p]
        return
    if n == 0:
        return
    hat = hat9(e)
    for p in range(6):
        lever[at + p, at + p] = 1.0
    for p in range(3):
        for q in range(3):
            lever[at + p, at + 3 + q] = -hat[3 * p + q]


@kernel
def add_links(X, mesh, gp, A, b):
    r"""Put all links into the dense system of the junctions; their equations are its last rows.

    .. math:: \begin{pmatrix} K & s H^T \\ H & 0 \end{pmatrix} \begin{pmatrix} \delta q \\ \lambda \end{pmatrix} =
              \begin{pmatrix} -w \\ -c \end{pmatrix}

    Source: [Arnold2007]; the heading of assembly/links.py, with the force scale s of a link.
    """
    links = mesh.bodies.links
    scratch = links.scratch
    own, wrench, hold, gap, lever = scratch.own, scratch.wrench, scratch.hold, scratch.gap, scratch.lever
    n_links = links.link.shape[0]
    if n_links == 0:
        return
    first = b.size - links.link[n_links - 1].first_row - links.link[n_links - 1].n_rows
    dof = np.full(12, -1)
    turned = np.zeros((12, 12))
    for link in range(n_links):
        fill_link(link, X, mesh, gp)
        dof[:] = -1
        for side in range(2):
            j = links.link[link].end[side]
            for q in range(mesh.dof_start[j + 1] - mesh.dof_start[j]):
                dof[6 * side + q] = mesh.dof_start[j] + q
        for p in range(12):
            for j in range(12):
                total = 0.0
                for q in range(12):
                    total += own[p, q] * lever[q, j]
                turned[p, j] = total
        for i in range(12):
            if dof[i] < 0:
                continue
            for p in range(12):
                w = lever[p, i]
                if w == 0.0:
                    continue
                b[dof[i]] -= w * wrench[p]
                for j in range(12):
                    if dof[j] >= 0:
                        A[dof[i], dof[j]] += w * turned[p, j]
        row0, scale = first + links.link[link].first_row, links.link[link].force_scale
        for r in range(links.link[link].n_rows):
            b[row0 + r] = -gap[r]
            for i in range(12):
                if dof[i] < 0:
                    continue
                total = 0.0
                for p in range(12):
                    total += hold[r, p] * lever[p, i]
                A[row0 + r, dof[i]] += total
                A[dof[i], row0 + r] += scale * total


@kernel
def pull_links(X, mesh, right, share):
    """Change the multipliers by the solution of the junctions; returns the largest change (N).

    Source: lambda = lambda + delta lambda, [Arnold2007].
    """
    links = mesh.bodies.links
    n_links = links.link.shape[0]
    largest = 0.0
    if n_links == 0:
        return largest
    first = right.size - links.link[n_links - 1].first_row - links.link[n_links - 1].n_rows
    for link in range(n_links):
        row = multiplier_row(link, mesh)
        for r in range(links.link[link].n_rows):
            change = right[first + links.link[link].first_row + r]
            X[0, row + r // 3, r % 3] += share * change
            largest = max(largest, abs(change) * links.link[link].force_scale)
    return largest


@kernel
def link_unbalance(X, mesh, nodes):
    """Minus the forces and moments of the links on what they connect, into the rows of nodes (N, N m); also `miss`.

    Source: -H^T lambda and moments M + e x f, docs/theory/bodies.md, Links; the largest c = miss.
    """
    links = mesh.bodies.links
    wrench, gap = links.scratch.wrench, links.scratch.gap
    links.miss[0] = 0.0
    for link in range(links.link.shape[0]):
        fill_link(link, X, mesh, 0.0)
        for side in range(2):
            j, k, at = links.link[link].end[side], links.link[link].body[side], 6 * side
            force = (wrench[at], wrench[at + 1], wrench[at + 2])
            for p in range(3):
                nodes[mesh.s.size + j, p] += force[p]
            if k < 0:
                continue
            arm = cross3(link_end(link, side, X, mesh)[0][2], force)
            for p in range(3):
                nodes[mesh.s.size + mesh.motion.size + k, p] += wrench[at + 3 + p] + arm[p]
        for r in range(links.link[link].n_rows):
            links.miss[0] = max(links.miss[0], abs(gap[r]))


def link_loads(X: Array, mesh: Any) -> tuple[Array, Array]:
    """(n_links, 3) force (N) of each link on its second end, and moment (N m) on the part there about that end, world.

    Moments are those of rigid links and hinges, with the spring and the damper of a hinge.
    """
    links = mesh.bodies.links
    n = links.link.shape[0]
    force, moment = np.zeros((n, 3)), np.zeros((n, 3))
    for link in range(n):
        fill_link(link, X, mesh, 0.0)
        force[link], moment[link] = -links.scratch.wrench[6:9], -links.scratch.wrench[9:]
    return force, moment
