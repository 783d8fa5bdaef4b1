"""Energy of the free bodies and the forces on them, for the ledger of a run."""

from __future__ import annotations

from ropewalk.assembly.bodies import (
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
from ropewalk.assembly.body_loads import (
    add_hull,
    body_inertia,
    body_motion,
    body_rows,
    on_bed,
    three,
)
from ropewalk.assembly.body_matrices import add_matrices
from ropewalk.methods.mixed.ledger_forces import (
    BED,
    DAMPING,
    DRAG,
    ENDS,
    HELD,
    HOLD,
    LOADS,
    NOW,
    NUMERICS,
    ON_BED,
    ON_LOADS,
    ON_WATER,
    PLACE,
    STEP_WORK,
    WATER,
    book,
)
from ropewalk.methods.mixed.links import link_powers
from ropewalk.model.bodies import HULL_NONE
from ropewalk.numerics.blockelimination import COUNTED, onto, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.physics.hull_loads import LOST, force_terms
from ropewalk.physics.rigidbody import add_column, inertia_terms, kinetic_energy, transpose9


@kernel
def _clear(block):
    for i in range(6):
        for j in range(7):
            block[i, j] = 0.0


@kernel
def _book(block, R, row, turn, column, way, psi, F):
    """Work (J) of the forces and moments whose negative stands in the last column of a block, since the last time."""
    force, moment = (-block[0, 6], -block[1, 6], -block[2, 6]), (-block[3, 6], -block[4, 6], -block[5, 6])
    return book(F, row, column, force, way) + book(F, turn, column, onto(transpose9(R), moment), psi)


@kernel(**COUNTED)
def measure_bodies(X, flow, mesh, rho, g, ledger, F):
    """Book the forces on all free bodies: adds to the columns of `ledger` that are measured.

    Moments are in the body's frame, where the turn of a step is a vector. F : (n_rows, FORCE_COLUMNS)
    """
    bodies = mesh.bodies
    table, data, memory = bodies.table, bodies.data, bodies.memory
    block = memory.block
    loads, ends, damping = link_powers(X, mesh)
    for k in range(table.shape[0]):
        if table[k, IS_FREE] == 0:
            continue
        row, turn = body_rows(k, mesh)
        R, Z, omega, alpha = body_motion(k, X, mesh)
        x, v, a = three(X[0], row), three(X[1], row), three(X[2], row)
        rates = (v, a, omega, alpha)
        way, psi = sub3(x, three(F[:, PLACE : PLACE + 3], row)), three(X[0], turn)
        _clear(block)
        if table[k, HULL] != HULL_NONE:
            add_hull(
                k, x, rates, R, Z, table, data, bodies.profile, bodies.strip, memory.plane, memory.water,
                memory.displaced, memory.cut, memory.sums, rho, g, 0.0, 0.0, block,
            )  # fmt: skip
            lost = memory.sums[LOST]
            ledger[WATER, NOW] += lost
            ledger[DRAG, NOW] += lost
        elif rho > 0.0:
            mass = rho * data[k, BODY_VOLUME]
            add_column(block, 0, (-mass * flow[row, 3], -mass * flow[row, 4], -mass * (g + flow[row, 5])))
        ledger[WATER, STEP_WORK] += _book(block, R, row, turn, ON_WATER, way, psi, F)
        _clear(block)
        force = (data[k, LOAD_FORCE], data[k, LOAD_FORCE + 1], data[k, LOAD_FORCE + 2])
        force_terms(force, onto(R, (data[k, LOAD_AT], data[k, LOAD_AT + 1], data[k, LOAD_AT + 2])), block)
        add_column(block, 3, (-data[k, LOAD_MOMENT], -data[k, LOAD_MOMENT + 1], -data[k, LOAD_MOMENT + 2]))
        if table[k, HAS_MATRICES] == 1:
            add_matrices(x, rates, R, Z, X[0, turn], data[k], bodies.matrix[k], memory.attitude[k], 0.0, 0.0, block)
            lost = _quadratic(bodies.matrix[k, DAMPING_MATRIX], v, omega)
            damping += lost
            loads += lost
        ledger[LOADS, STEP_WORK] += _book(block, R, row, turn, ON_LOADS, way, psi, F)
        _clear(block)
        on_bed(k, x, rates, R, Z, mesh.bed, table, data, bodies.foot, bodies.bed_law, memory.bed, 0.0, block)
        ledger[BED, STEP_WORK] -= _book(block, R, row, turn, ON_BED, way, psi, F)
        mass, centre, J = body_inertia(k, data)
        _clear(block)
        inertia_terms(mass, centre, J, v, a, omega, alpha, R, Z, 0.0, 0.0, 0.0, block)
        motion = kinetic_energy(mass, centre, J, v, omega, R)
        ledger[NUMERICS, STEP_WORK] -= _book(block, R, row, turn, HOLD, way, psi, F)
        ledger[NUMERICS, HELD] += motion
        damping += 2.0 * mesh.mass_damping * motion
        for p in range(3):
            F[row, PLACE + p] = x[p]
    ledger[ENDS, NOW] += ends
    ledger[LOADS, NOW] += loads
    ledger[DAMPING, NOW] += damping


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
