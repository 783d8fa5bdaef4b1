"""Powers of links for the energy ledger of the mixed elements."""

from __future__ import annotations

from ropewalk.assembly.links import across_slide, end_direction, hinge_turn, slide
from ropewalk.loads.springs import ball_moment, hinge_law, loss_law, spring_law
from ropewalk.methods.mixed.links import fill_link, link_end, multipliers
from ropewalk.model.joints import SPRING
from ropewalk.model.links import LINK_BALL, LINK_HINGE, LINK_JOINT
from ropewalk.numerics.blockelimination import dot, sub3
from ropewalk.numerics.compile import kernel


@kernel
def _given_powers(link, axis, ends, forces):
    r"""Power (W) of the springs of a link, and what its dampers and its friction lose (W).

    .. math:: P = \sum f \dot x, \qquad P = -M \dot\varphi, \qquad P = M \cdot (\omega_B - \omega_A)

    Source: docs/theory/mixed_elements.md, Energy: axes of a joint, a hinge, a ball.

    link, axis, ends, forces : as in :func:`ropewalk.assembly.links.link_terms`
    """
    springs, lost = 0.0, 0.0
    if link.kind == LINK_HINGE:
        turn, n, spin = hinge_turn(link, ends)
        rate = dot(n, spin)
        springs -= hinge_law(link.stiffness, 0.0, turn, rate)[0] * rate
        lost += hinge_law(0.0, link.damping, turn, rate)[0] * rate
    elif link.kind == LINK_BALL:
        for i in range(3):
            u, w = end_direction(link, 0, i, ends[0][0]), end_direction(link, 1, i, ends[1][0])
            springs += dot(ball_moment(link.turning[i], u, w)[0], sub3(ends[1][4], ends[0][4]))
    elif link.kind == LINK_JOINT:
        for i in range(3):
            if axis[i].hold == SPRING:
                u, d, v = slide(link, i, ends)
                rate = dot(u, v)
                springs += spring_law(axis[i], -dot(u, d))[0] * rate
                lost -= loss_law(axis[i], rate, across_slide(link, forces))[0] * rate
    return springs, lost


@kernel
def link_powers(X, mesh):
    """Power (W) of the springs of links, of what holds or moves their far ends, and lost in dampers and friction.

    Source: P = w . q' of the ends that are held or moved, docs/theory/mixed_elements.md, Energy.
    """
    links, wrench = mesh.bodies.links, mesh.bodies.links.scratch.wrench
    springs, ends, lost = 0.0, 0.0, 0.0
    for link in range(links.link.shape[0]):
        both = (link_end(link, 0, X, mesh)[0], link_end(link, 1, X, mesh)[0])
        axis = links.axis[3 * link : 3 * link + 3]
        given = _given_powers(links.link[link], axis, both, multipliers(link, X, mesh))
        springs += given[0]
        lost += given[1]
        for side in range(2):
            j = links.link[link].end[side]
            if mesh.dof_start[j + 1] > mesh.dof_start[j]:
                continue
            fill_link(link, X, mesh, 0.0)
            _, _, _, v, omega = both[side]
            for p in range(3):
                ends += wrench[6 * side + p] * v[p] + wrench[6 * side + 3 + p] * omega[p]
    return springs, ends, lost
