r"""Links between bodies: equations of position with multipliers, springs and dampers; their arrays.

Each link is written by the moves and turns of its ends, :math:`q = (p_A, \theta_A, p_B, \theta_B)`. With the places p
of the ends and directions u, w fixed in the first and the second part, its equations :math:`c(q) = 0` are

.. math:: c = p_A - p_B, \qquad c = \ell\, u_A \cdot w_B, \qquad c = |p_A - p_B| - L, \qquad
          c = u_A \cdot (p_A - p_B)

for a ball, for the turns that a hinge or a rigid link forbids (times a length, so that all are in m), for a bar and for
a held axis of a joint; see docs/theory/bodies.md. With their multipliers :math:`\lambda` and what springs and dampers
give, `link_terms` fills

.. math:: w = H^T \lambda + w_s, \qquad H = \frac{\partial c}{\partial q}, \qquad
          K = \frac{\partial w}{\partial q}, \qquad B = \frac{\partial w}{\partial \dot q} .

In the arrays of positions of the mixed elements a link has two rows after those of all bodies: the force and the moment
of its multipliers on its second end, in units of the link's force scale (so that they are of the size of lengths, as
all of these rows are).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.loads.springs import ball_moment, hinge_law, loss_law, spring_law
from ropewalk.model.arrays import Array, Records, records
from ropewalk.model.joints import HELD, SPRING
from ropewalk.model.lines import BODY
from ropewalk.model.links import LINK_BALL, LINK_BAR, LINK_HINGE, LINK_JOINT, LINK_RIGID
from ropewalk.model.model import Model
from ropewalk.numerics.blockelimination import ZERO3, add3, dot, onto, outer, plus_unit, scale3, scale9, sub3
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.rigidbody import cross3, hat9

LINK = np.dtype(
    [
        ("kind", "i8"),  # of model/links.py
        ("end", "i8", (2,)),  # junction of either end, as lines count them
        ("body", "i8", (2,)),  # of either end, -1 on a point
        ("first_row", "i8"),  # of its equations
        ("n_rows", "i8"),
        ("arm", "f8", (2, 3)),  # of either end, in the body frame, m
        ("triad", "f8", (2, 3, 3)),  # three directions in the frame of either end
        ("length", "f8"),  # of a bar, m
        ("stiffness", "f8"),  # of a hinge, N m/rad
        ("damping", "f8"),  # of a hinge, N m s/rad
        ("turning", "f8", (3,)),  # of a ball, constants of `ball_moment` of loads/springs.py, N m
        ("friction", "f8"),  # of a joint, coefficient
        ("force_scale", "f8"),  # N
        ("extent", "f8"),  # m: a turn times it is a way
    ],
    align=True,
)

ROWS = {LINK_RIGID: 6, LINK_HINGE: 5, LINK_BALL: 3, LINK_BAR: 1}  # equations of each kind; of a joint its held axes
MOST_ROWS = 6
LAW = MOST_ROWS  # row for the direction of a law, after those of the equations
PLACE_A, TURN_A, PLACE_B, TURN_B = 0, 3, 6, 9  # in q
NEAR = 1e-12  # m: ends of a bar that are nearer have no direction
UNIT3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SQUARE = ((2, 0), (2, 1), (0, 1))  # directions of the first and the second part: a hinge has two pairs of them


class LinkScratch(NamedTuple):
    """Room for one link at a time, filled by `link_terms`."""

    own: Array  # (12, 12) K, derivative of `wrench` by the moves and turns of both ends
    rate: Array  # (12, 12) B, by their velocities and angular velocities
    wrench: Array  # (12,) w, minus the forces (N) and moments (N m) on both ends
    hold: Array  # (7, 12) H, derivative of the equations by the same moves and turns; last, direction of a law
    gap: Array  # (7,) residuals of the equations, m
    lever: Array  # (12, 12) moves and turns of both ends per degree of freedom of their junctions


class LinkMesh(NamedTuple):
    """Links as kernels read them."""

    link: Records  # (n,) of LINK
    axis: Records  # (3 n,) of AXIS_LAW of model/springs.py, of joints
    scratch: LinkScratch
    miss: Array  # (1,) largest miss of an equation when the balance was last looked at, m; filled by `link_unbalance`


def link_rows(links: LinkMesh) -> int:
    """Number of equations of all links."""
    return int(np.sum(links.link.n_rows))


def build_link_mesh(model: Model, weight: Any, size: Any) -> LinkMesh:
    """Arrays of all links.

    weight, size : (n_bodies,) scales of the forces on (N) and the extent of (m) the bodies
    """
    links, n = model.links, len(model.links.names)
    made = records(n, LINK)
    if n:
        _fill_links(model, weight, size, made)
    return LinkMesh(
        link=made,
        axis=links.axis.copy(),
        scratch=LinkScratch(
            own=np.zeros((12, 12)),
            rate=np.zeros((12, 12)),
            wrench=np.zeros(12),
            hold=np.zeros((MOST_ROWS + 1, 12)),
            gap=np.zeros(MOST_ROWS + 1),
            lever=np.zeros((12, 12)),
        ),
        miss=np.zeros(1),
    )


def _fill_links(model: Model, weight: Any, size: Any, made: Records) -> None:
    """What links are made of, into their rows (n,) of LINK."""
    links, n_points, n = model.links, len(model.names.points), made.size
    held = np.sum(links.axis.hold.reshape(-1, 3) == HELD, axis=1)
    rows = np.array([ROWS.get(int(kind), int(own)) for kind, own in zip(links.kind, held, strict=True)], dtype=np.int64)
    on_body = links.end_kind == BODY
    made.kind, made.first_row, made.n_rows = links.kind, np.cumsum(rows) - rows, rows
    made.end = links.end_index + np.where(on_body, n_points, 0)
    made.body = np.where(on_body, links.end_index, -1)
    made.arm, made.triad, made.length = links.offset.reshape(n, 2, 3), links.frame.reshape(n, 2, 3, 3), links.length
    made.stiffness, made.damping, made.friction = links.stiffness, links.damping, links.friction
    made.turning = links.turning
    for own in made:
        mine = [int(b) for b in own.body if b >= 0]
        own.force_scale, own.extent = max(weight[b] for b in mine), max(size[b] for b in mine)


@kernel(**UNCOUNTED)
def link_terms(link, axis, ends, forces, scratch):
    r"""Fill a `LinkScratch` (m, rad, N, N m) with a link.

    .. math:: w = H^T \lambda + w_s, \qquad K = \partial w / \partial q, \qquad B = \partial w / \partial \dot q

    Source: [Arnold2007], [Bruls2012]; equations of each kind in the heading of this file.

    link : record of LINK    axis : (3,) of AXIS_LAW, of joints
    ends : of either end attitude R, place (m), arm from the body's origin (m), velocity of the place (m/s) and angular
    velocity (rad/s), all in the world
    forces : 6 multipliers, those of a force on the second end and then those of a moment, N
    """
    own, wrench = scratch.own, scratch.wrench
    own[:], scratch.rate[:], wrench[:], scratch.hold[:], scratch.gap[:] = 0.0, 0.0, 0.0, 0.0, 0.0
    Ra, Rb = ends[0][0], ends[1][0]
    d = sub3(ends[0][1], ends[1][1])
    if link.kind == LINK_JOINT:
        _by_axes(link, axis, ends, forces, scratch)
    elif link.kind == LINK_BAR:
        _apart(d, link.length, forces[0], scratch)
    else:
        for p in range(3):  # both ends in one place
            _set_row(p, (UNIT3[p], ZERO3, scale3(-1.0, UNIT3[p]), ZERO3), d[p], forces[p], scratch)
    if link.kind == LINK_BALL:
        for i in range(3):
            if link.turning[i] > 0.0:
                u, w = end_direction(link, 0, i, Ra), end_direction(link, 1, i, Rb)
                _add_couple(ball_moment(link.turning[i], u, w), scratch)
    elif link.kind == LINK_HINGE or link.kind == LINK_RIGID:
        for i in range(2 if link.kind == LINK_HINGE else 3):
            u, w = end_direction(link, 0, SQUARE[i][0], Ra), end_direction(link, 1, SQUARE[i][1], Rb)
            _square(3 + i, u, w, link.extent, forces[3 + i], scratch)
        if link.stiffness > 0.0 or link.damping > 0.0:
            _about_hinge(link, ends, scratch)
    for side in range(2):  # d(e x f) = (theta x e) x f
        e, at = ends[side][2], 6 * side
        f = (wrench[at], wrench[at + 1], wrench[at + 2])
        _add(own, at + 3, at + 3, plus_unit(outer(e, f), -dot(e, f)))


@kernel(**UNCOUNTED)
def _apart(d, length, pull, scratch):
    r"""Both ends at a distance.  d : first end less second, m    length : m    pull : tension of the bar, N

    .. math:: c = |d| - L, \qquad K = \frac{T}{|d|} (1 - t t^T)

    Source: the heading of this file.
    """
    span = max(np.sqrt(dot(d, d)), NEAR)
    t = scale3(1.0 / span, d)
    _set_row(0, (t, ZERO3, scale3(-1.0, t), ZERO3), span - length, pull, scratch)
    S = scale9(pull / span, plus_unit(scale9(-1.0, outer(t, t)), 1.0))
    _add_pair(scratch.own, PLACE_A, PLACE_A, S)
    _add_pair(scratch.own, PLACE_A, PLACE_B, scale9(-1.0, S))


@kernel(**UNCOUNTED)
def _square(row, u, w, size, force, scratch):
    r"""The direction u of the first part stays square to w of the second: c = l u . w, whose pull is that of a spring.

    Source: the heading of this file; delta(u . w) = (theta_A - theta_B) . (u x w), `ball_moment` of loads/springs.py.

    row : of the equation    size : the length l of the equation, m    force : its multiplier, N
    """
    turn = scale3(size, cross3(u, w))
    _set_row(row, (ZERO3, turn, ZERO3, scale3(-1.0, turn)), size * dot(u, w), 0.0, scratch)
    _add_couple(ball_moment(-size * force, u, w), scratch)


@kernel(**UNCOUNTED)
def _along(row, u, d, force, scratch):
    r"""Force along the direction u of the first part between both ends, where the second is.

    Source: virtual work of a force between two ends, docs/theory/bodies.md, Links.

    .. math:: c = u \cdot d, \qquad H = (u,\ u \times d,\ -u,\ 0), \qquad
              \delta(u \times d) = (\theta_A \times u) \times d + u \times (\delta p_A - \delta p_B)

    row : for H    d : first end less second, m    force : of the link on the second end, N
    """
    _set_row(row, (u, cross3(u, d), scale3(-1.0, u), ZERO3), dot(u, d), force, scratch)
    own, hat = scratch.own, scale9(force, hat9(u))
    _add_pair(own, PLACE_A, TURN_A, scale9(-1.0, hat))
    _add(own, TURN_A, PLACE_A, hat)
    _add(own, TURN_A, PLACE_B, scale9(-1.0, hat))
    _add(own, TURN_A, TURN_A, plus_unit(scale9(force, outer(u, d)), -force * dot(u, d)))


@kernel(**UNCOUNTED)
def _by_axes(link, axis, ends, forces, scratch):
    """A joint by components: held, free, or under a law along each direction of the first part.

    Source: docs/guide/joints.md: u . d = 0 where held, f(x) + f(x') (N) where a law acts; loads/springs.py.

    Arguments as :func:`link_terms`.
    """
    row, grip, omega = 0, across_slide(link, forces), ends[0][4]
    for i in range(3):
        law = axis[i]
        u, d, v = slide(link, i, ends)
        if law.hold == HELD:
            _along(row, u, d, forces[row], scratch)
            row += 1
        elif law.hold == SPRING:
            pull, slope = spring_law(law, -dot(u, d))
            loss, by_rate = loss_law(law, dot(u, v), grip)
            _along(LAW, u, d, pull + loss, scratch)
            turned = cross3(omega, u)
            _add_law(-slope, -by_rate, (turned, cross3(v, u), scale3(-1.0, turned), ZERO3), scratch)


@kernel(**UNCOUNTED)
def _about_hinge(link, ends, scratch):
    r"""Spring and damper of a hinge: moment M n (N m) on the first part about its axis n.

    Source: docs/theory/bodies.md, Links; :func:`ropewalk.loads.springs.hinge_law`; delta n = theta_A x n.

    Arguments as :func:`link_terms`.
    """
    turn, n, spin = hinge_turn(link, ends)
    moment, by_turn, by_rate, _ = hinge_law(link.stiffness, link.damping, turn, dot(n, spin))
    _set_row(LAW, (ZERO3, scale3(-1.0, n), ZERO3, n), 0.0, moment, scratch)
    _add_pair(scratch.own, TURN_A, TURN_A, scale9(moment, hat9(n)))
    _add_law(by_turn, by_rate, (ZERO3, cross3(n, spin), ZERO3, ZERO3), scratch)


@kernel(forceinline=True, **UNCOUNTED)
def end_direction(link, side, i, R):
    """Unit vector i of the triad of an end, in the world, u = R u_0.  Source: docs/theory/bodies.md, Links.

    link : record of LINK    side : 0 or 1    R : attitude of the end, 9 numbers
    """
    return onto(R, (link.triad[side, i, 0], link.triad[side, i, 1], link.triad[side, i, 2]))


@kernel(**UNCOUNTED)
def hinge_turn(link, ends):
    r"""Turn of a hinge from the file's attitudes (rad), its axis, and the angular velocity of the second part (rad/s).

    .. math:: \varphi = \operatorname{atan2}(v_A \cdot u_B,\, u_A \cdot u_B), \qquad
              \dot\varphi = n \cdot (\omega_B - \omega_A)

    Source: docs/theory/bodies.md, Links.  The angular velocity is that against the first part; ends as in `link_terms`.

    link : record of LINK
    """
    Ra, u = ends[0][0], end_direction(link, 1, 0, ends[1][0])
    turn = np.arctan2(dot(end_direction(link, 0, 1, Ra), u), dot(end_direction(link, 0, 0, Ra), u))
    return turn, end_direction(link, 0, 2, Ra), sub3(ends[1][4], ends[0][4])


@kernel(**UNCOUNTED)
def slide(link, i, ends):
    r"""Direction u of axis i of a joint, first end less second d (m), rate of the second end in the first part (m/s).

    .. math:: x = -u \cdot d, \qquad \dot x = u \cdot (v_B - v_A + \omega_A \times d)

    Source: docs/theory/bodies.md, Links.  The way along the axis is x; ends as in `link_terms`.

    link : record of LINK
    """
    (R, pa, _, va, omega), (_, pb, _, vb, _) = ends
    d = sub3(pa, pb)
    return end_direction(link, 0, i, R), d, add3(sub3(vb, va), cross3(omega, d))


@kernel(**UNCOUNTED)
def across_slide(link, forces):
    """Limit of friction by the force across the slide of a joint, N.

    Source: Coulomb's law, g = mu |F| with F the multipliers of the held directions.

    link : record of LINK    forces : multipliers as in :func:`link_terms`, N
    """
    return link.friction * np.sqrt(forces[0] * forces[0] + forces[1] * forces[1] + forces[2] * forces[2])


@kernel(**UNCOUNTED)
def _set_row(row, direction, gap, force, scratch):
    """Row of an equation or a law, H (four vectors) and c (m), and the pull of its multiplier (N).

    Source: w = H^T lambda, the heading of this file.

    row : of the equation    direction : four vectors, of the moves and turns of both ends    gap : c, m    force : N
    """
    for i in range(4):
        for p in range(3):
            scratch.hold[row, 3 * i + p] = direction[i][p]
            scratch.wrench[3 * i + p] += force * direction[i][p]
    scratch.gap[row] = gap


@kernel(**UNCOUNTED)
def _add_law(by_way, by_rate, turned, scratch):
    r"""Adds to K and B what the change of a law's force f adds along its direction j, row LAW of `hold`.

    .. math:: K = j\,(f_x\, j + f_{\dot x}\, g)^T, \qquad B = f_{\dot x}\, j j^T, \qquad
              g = \partial (j \cdot \dot q) / \partial q

    Source: chain rule with x' = j . q'.

    by_way, by_rate : derivatives of the force by x and its rate    turned : g, four vectors
    """
    own, rate, j = scratch.own, scratch.rate, scratch.hold[LAW]
    for p in range(12):
        for i in range(4):
            for k in range(3):
                q = 3 * i + k
                own[p, q] += j[p] * (by_way * j[q] + by_rate * turned[i][k])
                rate[p, q] += by_rate * j[p] * j[q]


@kernel(**UNCOUNTED)
def _add_couple(moment, scratch):
    """Adds a moment (N m) on the second part, its opposite on the first, and its derivatives by the turns of both.

    Bookkeeping.  moment : as `ball_moment` returns it
    """
    _set_row(LAW, (ZERO3, moment[0], ZERO3, scale3(-1.0, moment[0])), 0.0, 1.0, scratch)
    _add_pair(scratch.own, TURN_A, TURN_A, moment[1])
    _add_pair(scratch.own, TURN_A, TURN_B, moment[2])


@kernel(**UNCOUNTED)
def _add_pair(matrix, row, column, A):
    """Adds a matrix of 9 numbers to a larger one in the rows of the first end, its opposite in those of the second.

    Bookkeeping.
    """
    _add(matrix, row, column, A)
    _add(matrix, row + PLACE_B, column, scale9(-1.0, A))


@kernel(forceinline=True, **UNCOUNTED)
def _add(matrix, row, column, A):
    """Adds a matrix of 9 numbers to a larger one at (row, column). Bookkeeping."""
    for p in range(3):
        for q in range(3):
            matrix[row + p, column + q] += A[3 * p + q]
