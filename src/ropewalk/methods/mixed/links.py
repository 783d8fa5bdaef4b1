r"""Rigid links between bodies in the Newton iteration of the mixed elements.

Links are equations of position, :math:`c(q) = 0`, with multipliers that Newton's method finds beside the motion, as it
finds the tension of inextensible elements: the scheme of [Arnold2007] for constrained systems, on the group of
rotations [Bruls2012]. With the places p of the ends and directions u, w fixed in the first and the second part,

.. math:: c = p_A - p_B, \qquad c = \ell\, u_A \cdot w_B, \qquad c = |p_A - p_B| - L

are the equations of a ball, of the turns that a hinge or a rigid link forbids (times a length, so that all are in m),
and of a bar. Each link is first written by the moves and turns of its ends, (p_A, theta_A, p_B, theta_B), and then by
the degrees of freedom of what they are fastened to. See docs/theory/bodies.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.assembly.body_loads import body_motion, three
from ropewalk.loads.springs import hinge_moment, loss_law, spring_law
from ropewalk.model.arrays import Array
from ropewalk.model.joints import HELD, SPRING
from ropewalk.model.links import LINK_BALL, LINK_BAR, LINK_HINGE, LINK_JOINT
from ropewalk.numerics.blockelimination import (
    ZERO3,
    add3,
    dot,
    onto,
    outer,
    plus_unit,
    row_onto,
    scale3,
    scale9,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics.rigidbody import cross3, hat9

UNIT9 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
PLACE_A, TURN_A, PLACE_B, TURN_B = 0, 3, 6, 9  # rows and columns of a link's own matrices


@kernel
def multiplier_row(link, mesh):
    """Row of the force of a link on its second end; that of its moment follows. Bookkeeping."""
    return mesh.s.size + mesh.motion.size + mesh.bodies.body.shape[0] + 2 * link


@kernel
def end_pose(link, side, X, mesh):
    """Attitude and Z of physics/rigidbody.py, angular velocity, place (m) and arm of an end of a link, in the world.

    Source: p = x + R a, docs/theory/bodies.md, Coupling.
    """
    links = mesh.bodies.links
    k = links.link[link].body[side]
    x = three(X[0], mesh.s.size + links.link[link].end[side])
    if k < 0:
        return UNIT9, UNIT9, ZERO3, x, ZERO3
    R, Z, omega, _ = body_motion(k, X, mesh)
    arm = links.link[link].arm
    e = onto(R, (arm[side, 0], arm[side, 1], arm[side, 2]))
    return R, Z, omega, add3(x, e), e


@kernel
def end_direction(link, side, i, R, mesh):
    """Unit vector i of the triad of an end, in the world, u = R u_0.  Source: docs/theory/bodies.md, Links."""
    triad = mesh.bodies.links.link[link].triad
    return onto(R, (triad[side, i, 0], triad[side, i, 1], triad[side, i, 2]))


@kernel
def _add(matrix, row, column, A):
    """Adds a matrix of 9 numbers to a larger one at (row, column). Bookkeeping."""
    for p in range(3):
        for q in range(3):
            matrix[row + p, column + q] += A[3 * p + q]


@kernel
def _add_row(matrix, row, column, a):
    """Adds a vector to a row of a matrix, from a column on. Bookkeeping."""
    for p in range(3):
        matrix[row, column + p] += a[p]


@kernel
def _add_wrench(wrench, row, a):
    """Adds a vector to a wrench, from a row on. Bookkeeping."""
    for p in range(3):
        wrench[row + p] += a[p]


@kernel
def _together(pa, pb, force, scratch):
    """Both ends in one place.  force : of the link on the second end, N    scratch : `LinkScratch`

    Source: c = p_A - p_B of the heading of this file.
    """
    for p in range(3):
        scratch.hold[p, PLACE_A + p], scratch.hold[p, PLACE_B + p] = 1.0, -1.0
        scratch.gap[p] = pa[p] - pb[p]
    _add_wrench(scratch.wrench, PLACE_A, force)
    _add_wrench(scratch.wrench, PLACE_B, scale3(-1.0, force))


@kernel
def _apart(pa, pb, length, pull, scratch):
    r"""Both ends at a distance.  length : m    pull : tension of the bar, N    scratch : `LinkScratch`

    .. math:: c = |p_A - p_B| - L, \qquad K = \frac{T}{|d|} (1 - t t^T)

    Source: the heading of this file.
    """
    own, wrench, hold = scratch.own, scratch.wrench, scratch.hold
    d = add3(pa, scale3(-1.0, pb))
    span = np.sqrt(dot(d, d))
    t = scale3(1.0 / span, d)
    _add_row(hold, 0, PLACE_A, t)
    _add_row(hold, 0, PLACE_B, scale3(-1.0, t))
    scratch.gap[0] = span - length
    _add_wrench(wrench, PLACE_A, scale3(pull, t))
    _add_wrench(wrench, PLACE_B, scale3(-pull, t))
    S = scale9(pull / span, plus_unit(scale9(-1.0, outer(t, t)), 1.0))
    for i in (PLACE_A, PLACE_B):
        for j in (PLACE_A, PLACE_B):
            _add(own, i, j, S if i == j else scale9(-1.0, S))


@kernel
def _square(row, u, w, size, force, scratch):
    r"""The direction u of the first part stays square to w of the second.

    Source: c = l u . w of the heading of this file.

    .. math:: \delta(u \cdot w) = (\theta_A - \theta_B) \cdot (u \times w), \qquad
              \delta(u \times w) = (\theta_A \times u) \times w + u \times (\theta_B \times w)

    row : of the equation    size : the length l of the equation, m    force : its multiplier, N
    scratch : `LinkScratch`
    """
    across = cross3(u, w)
    _add_row(scratch.hold, row, TURN_A, scale3(size, across))
    _add_row(scratch.hold, row, TURN_B, scale3(-size, across))
    scratch.gap[row] = size * dot(u, w)
    _across(u, w, size * force, scratch)


@kernel
def _across(u, w, m, scratch):
    """Moment M = m (u x w) on the second part, its opposite on the first, and both derivatives.

    Source: `_square` of this file; `ball_moment` of loads/springs.py with m = -c, docs/theory/bodies.md, Links.

    u, w : directions of the first and the second part    m : N m    scratch : `LinkScratch`
    """
    own, wrench = scratch.own, scratch.wrench
    across, cosine = cross3(u, w), dot(u, w)
    _add_wrench(wrench, TURN_A, scale3(m, across))
    _add_wrench(wrench, TURN_B, scale3(-m, across))
    by_a = plus_unit(scale9(m, outer(u, w)), -m * cosine)
    by_b = plus_unit(scale9(-m, outer(w, u)), m * cosine)
    _add(own, TURN_A, TURN_A, by_a)
    _add(own, TURN_A, TURN_B, by_b)
    _add(own, TURN_B, TURN_A, scale9(-1.0, by_a))
    _add(own, TURN_B, TURN_B, scale9(-1.0, by_b))


@kernel
def hinge_turn(link, X, mesh):
    r"""Turn of a hinge from the file's attitudes (rad), its rate (rad/s) and its axis in the world.

    .. math:: \varphi = \operatorname{atan2}(v_A \cdot u_B,\, u_A \cdot u_B), \qquad
              \dot\varphi = n \cdot (\omega_B - \omega_A)

    Source: docs/theory/bodies.md, Links.
    """
    Ra, _, omega_a, _, _ = end_pose(link, 0, X, mesh)
    Rb, _, omega_b, _, _ = end_pose(link, 1, X, mesh)
    n = end_direction(link, 0, 2, Ra, mesh)
    u = end_direction(link, 1, 0, Rb, mesh)
    angle = np.arctan2(dot(end_direction(link, 0, 1, Ra, mesh), u), dot(end_direction(link, 0, 0, Ra, mesh), u))
    return angle, dot(n, add3(omega_b, scale3(-1.0, omega_a))), n


@kernel
def _hinge_moment(link, X, mesh, gp, scratch):
    r"""Spring and damper of a hinge: moment m n on the first part, with :math:`m = k \varphi + c \dot\varphi`.

    Source: docs/theory/bodies.md, Links; :func:`ropewalk.loads.springs.hinge_moment`.

    .. math::
        \delta m = \theta_B \cdot (k n + c\,(\omega_B \times n + \gamma' Z_B^T n))
        + \theta_A \cdot (-k n + c\,(n \times \omega_B - \gamma' Z_A^T n)), \qquad \delta n = \theta_A \times n
    """
    own_link = mesh.bodies.links.link[link]
    k, c = own_link.stiffness, own_link.damping
    if k == 0.0 and c == 0.0:
        return
    own, wrench = scratch.own, scratch.wrench
    angle, rate, n = hinge_turn(link, X, mesh)
    Za = end_pose(link, 0, X, mesh)[1]
    _, Zb, omega_b, _, _ = end_pose(link, 1, X, mesh)
    m = hinge_moment(k, c, angle, rate)
    _add_wrench(wrench, TURN_A, scale3(-m, n))
    _add_wrench(wrench, TURN_B, scale3(m, n))
    spin = cross3(omega_b, n)
    by_b = add3(scale3(k, n), scale3(c, add3(spin, scale3(gp, row_onto(n, Zb)))))
    by_a = add3(scale3(-k, n), scale3(-c, add3(spin, scale3(gp, row_onto(n, Za)))))
    turn = scale9(-m, hat9(n))
    for row, sign in ((TURN_A, -1.0), (TURN_B, 1.0)):
        _add(own, row, TURN_B, scale9(sign, outer(n, by_b)))
        _add(own, row, TURN_A, scale9(sign, outer(n, by_a)))
        _add(own, row, TURN_A, scale9(sign, turn))


@kernel
def _along(u, d, force, slope, scratch):
    r"""Force f along the direction u of the first part between both ends, where the second is.

    Source: virtual work of a force between two ends, docs/theory/bodies.md, Links.

    .. math:: J = (u,\ u \times d,\ -u,\ 0), \qquad \delta(f J) = f\,\delta J - f_x J J^T \delta,
              \qquad \delta(u \times d) = (\theta_A \times u) \times d + u \times (\delta p_A - \delta p_B)

    d : first end less second, m    force : f, of the link on the second end, N    slope : of f by the displacement, N/m
    """
    own, wrench, turn = scratch.own, scratch.wrench, cross3(u, d)
    _add_wrench(wrench, PLACE_A, scale3(force, u))
    _add_wrench(wrench, TURN_A, scale3(force, turn))
    _add_wrench(wrench, PLACE_B, scale3(-force, u))
    hat = scale9(force, hat9(u))
    _add(own, PLACE_A, TURN_A, scale9(-1.0, hat))
    _add(own, PLACE_B, TURN_A, hat)
    _add(own, TURN_A, PLACE_A, hat)
    _add(own, TURN_A, PLACE_B, scale9(-1.0, hat))
    _add(own, TURN_A, TURN_A, plus_unit(scale9(force, outer(u, d)), -force * dot(u, d)))
    if slope != 0.0:
        back = scale3(-1.0, u)
        for row, a in ((PLACE_A, u), (TURN_A, turn), (PLACE_B, back)):
            for column, b in ((PLACE_A, u), (TURN_A, turn), (PLACE_B, back)):
                _add(own, row, column, scale9(-slope, outer(a, b)))


@kernel
def slide(link, i, X, mesh):
    r"""Direction i of a joint, first end less second (m), and way and rate of the second end along it (m, m/s).

    .. math:: x = -u \cdot d, \qquad \dot x = u \cdot (v_B - v_A) - (\omega_A \times u) \cdot d

    Source: docs/theory/bodies.md, Links.
    """
    ends = mesh.bodies.links.link[link].end
    Ra, _, omega_a, pa, ea = end_pose(link, 0, X, mesh)
    _, _, omega_b, pb, eb = end_pose(link, 1, X, mesh)
    u, d = end_direction(link, 0, i, Ra, mesh), add3(pa, scale3(-1.0, pb))
    va = add3(three(X[1], mesh.s.size + ends[0]), cross3(omega_a, ea))
    vb = add3(three(X[1], mesh.s.size + ends[1]), cross3(omega_b, eb))
    rate = dot(u, add3(vb, scale3(-1.0, va))) - dot(cross3(omega_a, u), d)
    return u, d, -dot(u, d), rate


@kernel
def across_slide(link, X, mesh):
    """Limit of friction by the force across the slide of a joint, N.

    Source: Coulomb's law, g = mu |F| with F the multipliers of the held directions.
    """
    own = mesh.bodies.links.link[link]
    force = three(X[0], multiplier_row(link, mesh))
    return own.friction * own.force_scale * np.sqrt(dot(force, force))


@kernel
def _by_axes(link, X, mesh, force, gp, scratch):
    """A joint by components: held, free, or under a law along each direction of the first part.

    Source: docs/guide/joints.md: u . d = 0 where held, f(x) + f(x') where a law acts; loads/springs.py.

    The rate of a displacement changes by gp per displacement; the derivative omits the rotation of the body.

    force : multipliers of its equations, N    gp : of velocity by position in the step, 1/s
    """
    hold, row, grip = scratch.hold, 0, across_slide(link, X, mesh)
    for i in range(3):
        law = mesh.bodies.links.axis[3 * link + i]
        u, d, way, rate = slide(link, i, X, mesh)
        if law.hold == HELD:
            _add_row(hold, row, PLACE_A, u)
            _add_row(hold, row, TURN_A, cross3(u, d))
            _add_row(hold, row, PLACE_B, scale3(-1.0, u))
            scratch.gap[row] = -way
            _along(u, d, force[row], 0.0, scratch)
            row += 1
        elif law.hold == SPRING:
            pull, slope = spring_law(law, way)
            loss, by_rate = loss_law(law, rate, grip)
            _along(u, d, pull + loss, slope + gp * by_rate, scratch)


@kernel
def link_terms(link, X, mesh, gp):
    """Fill the scratch of the links (m, rad, N, N m) with link `link`, at X.

    Source: [Arnold2007], [Bruls2012]; c(q) = 0 of the heading of this file.
    """
    links, scratch = mesh.bodies.links, mesh.bodies.links.scratch
    scratch.own[:], scratch.wrench[:], scratch.hold[:], scratch.gap[:], scratch.lever[:] = 0.0, 0.0, 0.0, 0.0, 0.0
    row, scale = multiplier_row(link, mesh), links.link[link].force_scale
    force, moment = scale3(scale, three(X[0], row)), scale3(scale, three(X[0], row + 1))
    Ra, _, _, pa, ea = end_pose(link, 0, X, mesh)
    Rb, _, _, pb, eb = end_pose(link, 1, X, mesh)
    kind = links.link[link].kind
    if kind == LINK_JOINT:
        _by_axes(link, X, mesh, force, gp, scratch)
    elif kind == LINK_BAR:
        _apart(pa, pb, links.link[link].length, force[0], scratch)
    else:
        _together(pa, pb, force, scratch)
    if kind == LINK_BALL:
        for i in range(3):
            c = links.link[link].turning[i]
            if c > 0.0:  # `ball_moment` of loads/springs.py
                _across(end_direction(link, 0, i, Ra, mesh), end_direction(link, 1, i, Rb, mesh), -c, scratch)
    elif kind != LINK_BAR and kind != LINK_JOINT:
        axis = end_direction(link, 0, 2, Ra, mesh)
        b0, b1 = end_direction(link, 1, 0, Rb, mesh), end_direction(link, 1, 1, Rb, mesh)
        size = links.link[link].extent
        _square(3, axis, b0, size, moment[0], scratch)
        _square(4, axis, b1, size, moment[1], scratch)
        if kind == LINK_HINGE:
            _hinge_moment(link, X, mesh, gp, scratch)
        else:
            _square(5, end_direction(link, 0, 0, Ra, mesh), b1, size, moment[2], scratch)
    for side in range(2):
        _fill_lever(link, side, ea if side == 0 else eb, mesh, scratch)


@kernel
def _fill_lever(link, side, e, mesh, scratch):
    """Moves and turns of an end per degree of freedom; and the turn of its arm under the force on it.

    Source: delta p = delta x + theta x e, and d(e x f) = (theta x e) x f, docs/theory/bodies.md, Links.

    e : arm, world, m    scratch : `LinkScratch`
    """
    links, lever, wrench = mesh.bodies.links, scratch.lever, scratch.wrench
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
    for p in range(6):
        lever[at + p, at + p] = 1.0
    _add(lever, at, at + 3, scale9(-1.0, hat9(e)))
    f = (wrench[at], wrench[at + 1], wrench[at + 2])
    _add(scratch.own, at + 3, at + 3, plus_unit(outer(e, f), -dot(e, f)))


@kernel
def add_links(X, mesh, gp, A, b):
    r"""Put all links into the dense system of the junctions; their equations are its last rows.

    .. math:: \begin{pmatrix} K & s H^T \\ H & 0 \end{pmatrix} \begin{pmatrix} \delta q \\ \lambda \end{pmatrix} =
              \begin{pmatrix} -w \\ -c \end{pmatrix}

    Source: [Arnold2007]; the heading of this file, with the force scale s of a link.
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
        link_terms(link, X, mesh, gp)
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
        link_terms(link, X, mesh, 0.0)
        for side in range(2):
            j, k, at = links.link[link].end[side], links.link[link].body[side], 6 * side
            force = (wrench[at], wrench[at + 1], wrench[at + 2])
            for p in range(3):
                nodes[mesh.s.size + j, p] += force[p]
            if k < 0:
                continue
            e = end_pose(link, side, X, mesh)[4]
            arm = cross3(e, force)
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
        link_terms(link, X, mesh, 0.0)
        force[link] = -links.scratch.wrench[PLACE_B : PLACE_B + 3]
        moment[link] = -links.scratch.wrench[TURN_B : TURN_B + 3]
    return force, moment
