"""Energy and power of the free bodies, for the ledger of a run."""

from __future__ import annotations

from ropewalk.model.bodies import HULL_NONE
from ropewalk.numerics.blockelimination import COUNTED, add3, dot, onto
from ropewalk.numerics.compile import kernel
from ropewalk.physics.hull_loads import LOST
from ropewalk.physics.rigidbody import cross3, kinetic_energy
from ropewalk.solvers.mixed_body_arrays import (
    BODY_MASS,
    BODY_VOLUME,
    CENTRE,
    DAMPING_MATRIX,
    HAS_MATRICES,
    HULL,
    IS_FREE,
    LOAD_AT,
    LOAD_FORCE,
    LOAD_MOMENT,
)
from ropewalk.solvers.mixed_body_loads import (
    add_hull,
    body_inertia,
    body_motion,
    body_rows,
    on_bed,
    three,
)
from ropewalk.solvers.mixed_body_matrices import add_matrices
from ropewalk.solvers.mixed_links import link_powers


@kernel
def _clear(block):
    for i in range(6):
        for j in range(7):
            block[i, j] = 0.0


@kernel
def _work_rate(block, v, omega):
    """Power of the forces whose negative stands in the last column of a block, W."""
    return -(
        block[0, 6] * v[0] + block[1, 6] * v[1] + block[2, 6] * v[2]
        + block[3, 6] * omega[0] + block[4, 6] * omega[1] + block[5, 6] * omega[2]
    )  # fmt: skip


@kernel(**COUNTED)
def body_powers(X, flow, mesh, rho, g):
    """Power (W) of water and wind, and of given loads, matrices and hinges; losses by drag and damping; ends; bed."""
    bodies = mesh.bodies
    table, data, memory = bodies.table, bodies.data, bodies.memory
    block = memory.block
    water, drag, bed = 0.0, 0.0, 0.0
    loads, ends, damping = link_powers(X, mesh)
    for k in range(bodies.table.shape[0]):
        if bodies.table[k, IS_FREE] == 0:
            continue
        row, turn = body_rows(k, mesh)
        R, Z, omega, alpha = body_motion(k, X, mesh)
        x, v, a = three(X[0], row), three(X[1], row), three(X[2], row)
        rates = (v, a, omega, alpha)
        if bodies.table[k, HULL] != HULL_NONE:
            _clear(block)
            add_hull(
                k, x, rates, R, Z, table, data, bodies.profile, bodies.strip, memory.plane, memory.water,
                memory.displaced, memory.cut, memory.sums, rho, g, 0.0, 0.0, block,
            )  # fmt: skip
            lost = memory.sums[LOST]
            drag += lost
            water += _work_rate(block, v, omega) + lost
        elif rho > 0.0:
            mass = rho * data[k, BODY_VOLUME]
            water += mass * (flow[row, 3] * v[0] + flow[row, 4] * v[1] + (g + flow[row, 5]) * v[2])
        force = (data[k, LOAD_FORCE], data[k, LOAD_FORCE + 1], data[k, LOAD_FORCE + 2])
        arm = onto(R, (data[k, LOAD_AT], data[k, LOAD_AT + 1], data[k, LOAD_AT + 2]))
        moment = (data[k, LOAD_MOMENT], data[k, LOAD_MOMENT + 1], data[k, LOAD_MOMENT + 2])
        loads += dot(force, add3(v, cross3(omega, arm))) + dot(moment, omega)
        if bodies.table[k, HAS_MATRICES] == 1:
            _clear(block)
            add_matrices(x, rates, R, Z, X[0, turn], data[k], bodies.matrix[k], memory.attitude[k], 0.0, 0.0, block)
            lost = _quadratic(bodies.matrix[k, DAMPING_MATRIX], v, omega)
            damping += lost
            loads += _work_rate(block, v, omega) + lost
        bed += on_bed(k, x, rates, R, Z, mesh.bed, table, data, bodies.foot, bodies.bed_law, memory.bed, 0.0, block)
        mass, centre, J = body_inertia(k, data)
        damping += 2.0 * mesh.mass_damping * kinetic_energy(mass, centre, J, v, omega, R)
    return water, loads, drag, damping, ends, bed


@kernel
def _quadratic(C, v, omega):
    total = 0.0
    for i in range(6):
        left = v[i] if i < 3 else omega[i - 3]
        for j in range(6):
            total += left * C[i, j] * (v[j] if j < 3 else omega[j - 3])
    return total


@kernel
def body_energies(X, mesh, g):
    """Kinetic and potential energy of the free bodies, J; the latter zero with the mass centre at still water."""
    bodies = mesh.bodies
    data = bodies.data
    kinetic, potential = 0.0, 0.0
    for k in range(bodies.table.shape[0]):
        if bodies.table[k, IS_FREE] == 0:
            continue
        row, _ = body_rows(k, mesh)
        R, _, omega, _ = body_motion(k, X, mesh)
        mass, centre, J = body_inertia(k, data)
        kinetic += kinetic_energy(mass, centre, J, three(X[1], row), omega, R)
        potential += data[k, BODY_MASS] * g * (X[0, row, 2] + onto(R, three(data[:, CENTRE : CENTRE + 3], k))[2])
    return kinetic, potential
