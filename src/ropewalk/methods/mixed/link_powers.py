"""Powers of links for the energy ledger of the mixed elements."""

from __future__ import annotations

from ropewalk.assembly.body_loads import three
from ropewalk.loads.springs import ball_moment, loss_law, spring_law
from ropewalk.methods.mixed.links import across_slide, end_direction, end_pose, hinge_turn, link_terms, slide
from ropewalk.model.joints import SPRING
from ropewalk.model.links import LINK_BALL, LINK_HINGE, LINK_JOINT
from ropewalk.numerics.blockelimination import add3, dot, scale3
from ropewalk.numerics.compile import kernel
from ropewalk.physics.rigidbody import cross3


@kernel
def ball_power(link, X, mesh):
    """Power (W) of the spring of a ball on both of its parts, P = M (omega_B - omega_A).

    Source: docs/theory/mixed_elements.md, Energy.
    """
    Ra, _, omega_a, _, _ = end_pose(link, 0, X, mesh)
    Rb, _, omega_b, _, _ = end_pose(link, 1, X, mesh)
    turn, power = add3(omega_b, scale3(-1.0, omega_a)), 0.0
    for i in range(3):
        c = mesh.bodies.links.link[link].turning[i]
        if c > 0.0:
            power += dot(turn, ball_moment(c, end_direction(link, 0, i, Ra, mesh), end_direction(link, 1, i, Rb, mesh)))
    return power


@kernel
def link_powers(X, mesh):
    """Power (W) of the springs of links, of what holds or moves their far ends, and lost in dampers and friction.

    Source: P = f x' along axes, P = M phi' of hinges, docs/theory/mixed_elements.md, Energy.
    """
    links, wrench = mesh.bodies.links, mesh.bodies.links.scratch.wrench
    springs, ends, lost = 0.0, 0.0, 0.0
    for link in range(links.link.shape[0]):
        if links.link[link].kind == LINK_HINGE:
            angle, rate, _ = hinge_turn(link, X, mesh)
            springs -= links.link[link].stiffness * angle * rate
            lost += links.link[link].damping * rate * rate
        elif links.link[link].kind == LINK_BALL:
            springs += ball_power(link, X, mesh)
        elif links.link[link].kind == LINK_JOINT:
            for i in range(3):
                law = links.axis[3 * link + i]
                if law.hold == SPRING:
                    _, _, way, rate = slide(link, i, X, mesh)
                    springs += spring_law(law, way)[0] * rate
                    lost -= loss_law(law, rate, across_slide(link, X, mesh))[0] * rate
        for side in range(2):
            j = links.link[link].end[side]
            if mesh.dof_start[j + 1] > mesh.dof_start[j]:
                continue
            link_terms(link, X, mesh, 0.0)
            _, _, omega, _, e = end_pose(link, side, X, mesh)
            v = add3(three(X[1], mesh.s.size + j), cross3(omega, e))
            for p in range(3):
                ends += wrench[6 * side + p] * v[p] + wrench[6 * side + 3 + p] * omega[p]
    return springs, ends, lost
