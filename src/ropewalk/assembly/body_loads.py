"""Loads and inertia of rigid bodies: one 6 x 6 block per body, with its right-hand side."""

from __future__ import annotations

from ropewalk.assembly.body_bed import feet_terms, is_near_bed
from ropewalk.loads.body import clear_block, given_terms, matrix_terms, turned_attitude, volume_terms, weight_terms
from ropewalk.loads.hull import hull_terms, water_on_hull
from ropewalk.loads.sea import acceleration
from ropewalk.numerics.blockelimination import COUNTED, UNCOUNTED, onto
from ropewalk.numerics.compile import kernel
from ropewalk.physics.rigidbody import attitude, inertia_terms
from ropewalk.physics.waves import ELEVATION


@kernel(forceinline=True)
def body_rows(k, mesh):
    """Rows of body k: of its position and of its rotation. Bookkeeping."""
    n_junctions = mesh.motion.size
    n_bodies = mesh.bodies.body.shape[0]
    return mesh.s.size + n_junctions - n_bodies + k, mesh.s.size + n_junctions + k


@kernel(forceinline=True)
def three(a, n):
    """Row n of an array as a tuple. Bookkeeping."""
    return a[n, 0], a[n, 1], a[n, 2]


@kernel(forceinline=True)
def three_of(X, c, n):
    """Row n of X[c] as a tuple; no view is made, whose references the compiler would count. Bookkeeping."""
    return X[c, n, 0], X[c, n, 1], X[c, n, 2]


@kernel(forceinline=True)
def body_motion(k, X, mesh):
    """World attitude R, map Z of physics/rigidbody.py, angular velocity (rad/s) and acceleration (rad/s2) in the world.

    Source: docs/theory/bodies.md, Motion: R = R_0 exp(psi), omega = R Omega, alpha = R Omega'.

    k : body    X : (4, n_rows, 3) positions and their derivatives    mesh : `Mesh`
    """
    return turn_motion(k, body_rows(k, mesh)[1], X, mesh.bodies.memory.attitude)


@kernel(forceinline=True)
def turn_motion(k, turn, X, start):
    """As `body_motion` (rad/s, rad/s2), from the row of the rotation and the attitudes at the start of the step.

    Source: docs/theory/bodies.md, Motion: R = R_0 exp(psi), omega = R Omega, alpha = R Omega'.
    """
    R, Z = attitude((start[k, 0], start[k, 1], start[k, 2], start[k, 3]), three_of(X, 0, turn))
    return R, Z, onto(R, three_of(X, 1, turn)), onto(R, three_of(X, 2, turn))


@kernel(**COUNTED)
def water_on_bodies(X, t, sea, mesh):
    """Surface plane, water, wet shares and wind of all hulls at their places in X and time t (s).

    Bookkeeping: calls :func:`ropewalk.loads.hull.water_on_hull` for each.
    """
    bodies, memory = mesh.bodies, mesh.bodies.memory
    for k in range(bodies.body.shape[0]):
        body = bodies.body[k]
        if body.is_free == 1 and body.hull < body.hull_stop:
            x, R = three(X[0], body_rows(k, mesh)[0]), body_motion(k, X, mesh)[0]
            for h in range(body.hull, body.hull_stop):
                water_on_hull(bodies.hull[h], x, R, t, sea, bodies.strip, memory.water, memory.around[h])


@kernel(forceinline=True, **UNCOUNTED)
def body_inertia(body):
    """Mass (kg), centre of mass (m) and inertia about the origin (kg m2) of a body, in its frame. Bookkeeping."""
    c, j = body.centre, body.inertia
    return body.mass, (c[0], c[1], c[2]), (j[0], j[1], j[2], j[3], j[4], j[5], j[6], j[7], j[8])


@kernel(forceinline=True, **UNCOUNTED)
def body_block(k, X, flow, mesh, fluid, step):
    """Inertia minus forces of body k, apart from its lines (N, N m), and the derivative, into memory.block (6, 7).

    Bookkeeping: calls `fill_block`.
    """
    fill_block(k, body_rows(k, mesh), X, flow, mesh.bodies, mesh.mass_damping, fluid, step)


@kernel(**COUNTED)
def add_matrices(body, pose, rates, start, psi, step, block):
    """As `matrix_terms`, for a body turned by psi (rad) from its attitude `start` (4,) at the start of a step."""
    matrix_terms(body, pose, rates, turned_attitude(start, psi), step, block)


@kernel(forceinline=True, **UNCOUNTED)
def water_terms(k, pose, rates, bodies, surface, fluid, step, block):
    """Adds minus the forces of water and wind on body k to its block; returns what drag loses, W.

    Source: docs/theory/bodies.md, Loads: F = sum over hulls, or that of the volume.

    bodies : `BodyMesh`    surface : height of the origin over the water, m, and acceleration of the water there
    others as in :func:`~ropewalk.loads.hull.hull_terms`
    """
    body, memory = bodies.body[k], bodies.memory
    arrays = (bodies.profile, bodies.strip, memory.water, memory.cut, memory.sums, bodies.foil)
    lost = 0.0
    for h in range(body.hull, body.hull_stop):
        lost += hull_terms(bodies.hull[h], pose, rates, memory.around[h], arrays, fluid, step, block)
    if body.volume > 0.0 and fluid[0] > 0.0:
        volume_terms(body, surface[0], surface[1], fluid, block)
    return lost


@kernel(forceinline=True, **UNCOUNTED)
def fill_block(k, rows, X, flow, bodies, mass_damping, fluid, step):
    r"""Inertia minus forces of body k, apart from its lines, and the derivative, into bodies.memory.block (6, 7).

    .. math:: m\,(\ddot x + \alpha\times c + \omega\times(\omega\times c)) - F, \qquad
              J\alpha + \omega\times J\omega + m\,c\times\ddot x - M

    Source: [Featherstone2008]; docs/theory/bodies.md, Motion and Loads.

    rows : of the body's position and rotation in X (3, n, 3)    flow : (n, 8) of the water    bodies : `BodyMesh`
    mass_damping : 1/s    fluid : rho, g; kg/m3, m/s2    step : bp, gp
    """
    row, turn = rows
    body, memory = bodies.body[k], bodies.memory
    block, (bp, gp) = memory.block, step
    clear_block(block)
    R, Z, omega, alpha = turn_motion(k, turn, X, memory.attitude)
    x, v, a = three_of(X, 0, row), three_of(X, 1, row), three_of(X, 2, row)
    pose, rates = (x, R, Z), (v, a, omega, alpha)
    m, centre, J = body_inertia(body)
    inertia_terms(m, centre, J, v, a, omega, alpha, R, Z, mass_damping, bp, gp, block)
    weight_terms(body, R, fluid[1], block)
    given_terms(body, R, block)
    surface = (x[2] - flow[row, ELEVATION], acceleration(flow, row))
    water_terms(k, pose, rates, bodies, surface, fluid, step, block)
    if body.has_matrices == 1:
        add_matrices(body, pose, rates, memory.attitude[k], three_of(X, 0, turn), step, block)
    if is_near_bed(body, x, bodies.bed):
        feet_terms(body, bodies.foot, pose, rates, bodies.bed, gp, block)
