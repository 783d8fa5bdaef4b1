"""Energy of the free bodies, the forces on them and the powers of their links, for the ledger of a run."""

from __future__ import annotations

from ropewalk.assembly.body_bed import feet_terms, is_near_bed
from ropewalk.assembly.body_loads import (
    add_matrices,
    body_inertia,
    body_motion,
    body_rows,
    three,
    water_terms,
)
from ropewalk.assembly.links import across_slide, end_direction, hinge_turn, slide
from ropewalk.loads.body import clear_block, damping_row, given_terms
from ropewalk.loads.sea import acceleration
from ropewalk.loads.springs import ball_moment, hinge_law, loss_law, spring_law
from ropewalk.methods.mixed.ledger_forces import (
    book,
)
from ropewalk.methods.mixed.links import fill_link, link_end, multipliers
from ropewalk.model.joints import SPRING
from ropewalk.model.links import LINK_BALL, LINK_HINGE, LINK_JOINT
from ropewalk.numerics.blockelimination import COUNTED, dot, onto, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.physics.rigidbody import inertia_terms, kinetic_energy, transpose9
from ropewalk.physics.waves import ELEVATION


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


@kernel
def _book(block, R, force_kept, moment_kept, way, psi):
    r"""Work (J) of the forces and moments whose negative stands in the last column of a block, since the last time.

    .. math:: W = \tfrac12 (F_0 + F_1) \cdot \Delta x + \tfrac12 (M_0 + M_1) \cdot \psi

    Source: docs/theory/mixed_elements.md, Energy; moments in the body's frame.
    """
    force, moment = (-block[0, 6], -block[1, 6], -block[2, 6]), (-block[3, 6], -block[4, 6], -block[5, 6])
    return book(force_kept, force, way) + book(moment_kept, onto(transpose9(R), moment), psi)


@kernel(**COUNTED)
def measure_bodies(X, flow, mesh, rho, g, ledger, F):
    """Book the forces on all free bodies: adds to what a `Ledger` measures.

    Source: docs/theory/mixed_elements.md, Energy: W = sum (F_0 + F_1)/2 . dx by kind of force, with :func:`_book`.

    Moments are in the body's frame, where the turn of a step is a vector. F : (n_rows,) of FORCES
    """
    bodies, memory, block = mesh.bodies, mesh.bodies.memory, mesh.bodies.memory.block
    loads, ends, damping = link_powers(X, mesh)
    for k in range(bodies.body.shape[0]):
        body = bodies.body[k]
        if body.is_free == 0:
            continue
        row, turn = body_rows(k, mesh)
        R, Z, omega, alpha = body_motion(k, X, mesh)
        x, v, a = three(X[0], row), three(X[1], row), three(X[2], row)
        pose, rates = (x, R, Z), (v, a, omega, alpha)
        place = F[row].place
        way, psi = sub3(x, (place[0], place[1], place[2])), three(X[0], turn)
        clear_block(block)
        surface = (x[2] - flow[row, ELEVATION], acceleration(flow, row))
        lost = water_terms(k, pose, rates, bodies, surface, (rho, g), (0.0, 0.0), block)
        ledger.now[0].water += lost
        ledger.now[0].drag += lost
        ledger.step[0].water += _book(block, R, F[row].water, F[turn].water, way, psi)
        clear_block(block)
        given_terms(body, R, block)
        if body.has_matrices == 1:
            add_matrices(body, pose, rates, memory.attitude[k], psi, (0.0, 0.0), block)
            lost = _damped(body, v, omega)
            damping += lost
            loads += lost
        ledger.step[0].loads += _book(block, R, F[row].loads, F[turn].loads, way, psi)
        clear_block(block)
        if is_near_bed(body, x, bodies.bed):
            feet_terms(body, bodies.foot, pose, rates, bodies.bed, 0.0, block)
        ledger.step[0].seabed -= _book(block, R, F[row].bed, F[turn].bed, way, psi)
        mass, centre, J = body_inertia(body)
        clear_block(block)
        inertia_terms(mass, centre, J, v, a, omega, alpha, R, Z, 0.0, 0.0, 0.0, block)
        motion = kinetic_energy(mass, centre, J, v, omega, R)
        ledger.step[0].numerics -= _book(block, R, F[row].hold, F[turn].hold, way, psi)
        ledger.held[0].numerics += motion
        damping += 2.0 * mesh.mass_damping * motion
        for p in range(3):
            place[p] = x[p]
    ledger.now[0].ends += ends
    ledger.now[0].loads += loads
    ledger.now[0].damping += damping


@kernel
def _damped(body, v, omega):
    """Power lost by the damping that the user gives, linear and quadratic, W.  body : record of BODY

    Source: definition, P = sum_i w_i f_i with w = (v, omega); :func:`ropewalk.loads.body.damping_row`.
    """
    total = 0.0
    for i in range(3):
        total += v[i] * damping_row(body, i, v, omega) + omega[i] * damping_row(body, 3 + i, v, omega)
    return total


@kernel
def body_energies(X, mesh, g):
    r"""Kinetic and potential energy of the free bodies, J; the latter zero with the mass centre at still water.

    .. math:: T = \tfrac12 m v^2 + m\,v \cdot (\omega \times c) + \tfrac12 \omega \cdot J\omega, \qquad V = m g z_G

    Source: [Featherstone2008]; :func:`ropewalk.physics.rigidbody.kinetic_energy`.
    """
    bodies = mesh.bodies
    kinetic, potential = 0.0, 0.0
    for k in range(bodies.body.shape[0]):
        body = bodies.body[k]
        if body.is_free == 0:
            continue
        row, _ = body_rows(k, mesh)
        R, _, omega, _ = body_motion(k, X, mesh)
        mass, centre, J = body_inertia(body)
        kinetic += kinetic_energy(mass, centre, J, three(X[1], row), omega, R)
        potential += mass * g * (X[0, row, 2] + onto(R, centre)[2])
    return kinetic, potential
