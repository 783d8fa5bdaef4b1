r"""The energy ledger: what the lines hold, what was put in, what was lost, and what does not add up.

Energies are taken from the state; work is that of forces averaged over each step along the way gone in it
(mixed_ledger_forces.py). Of the few things that are no forces on nodes (drag on hulls, links) the power is integrated
by the parabola through the last three values. What the scheme itself takes in a step,

.. math:: D = \sum m \left(\frac{a_0 + a_1}{2} \cdot \Delta r - \frac{v_0 + v_1}{2} \cdot \Delta v\right),

has a row of its own; docs/theory/mixed_elements.md says what it is for each scheme. In steps in which a line comes taut
or strikes the bed it goes to another row: a blow takes the velocity, and a finer step would not keep it. What is left,

.. math:: c = \Delta(K + E + V) - W_\text{ends} - W_\text{water} - W_\text{loads} - W_\text{winch}
          + \sum \text{losses},

is what the work of the elastic forces misses of the elastic energy, and what Newton's method leaves. Seabed losses
contain what the bed stores and gives back.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.body_loads import water_on_bodies
from ropewalk.assembly.element import instant, three
from ropewalk.loads.bed import ground, penetration
from ropewalk.loads.sea import water_at
from ropewalk.methods.mixed.body_ledger import body_energies, measure_bodies
from ropewalk.methods.mixed.control import BLOW
from ropewalk.methods.mixed.ledger_forces import (
    add_step,
    begin,
    elastic_energy,
    measure_lines,
)
from ropewalk.methods.mixed.payout import book_winches
from ropewalk.numerics.blockelimination import UNCOUNTED, dot
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.held import held


@kernel(forceinline=True, **UNCOUNTED)
def _measure(mesh, sea, work):
    """Book all forces at the present state of `Work`: fills what its ledger measures.

    To be called before turns are made part of the attitudes (`rebase`).
    """
    X, T, flow, ledger, forces = work.now.X, work.now.T, work.flow, work.ledger, work.forces
    rho, g = sea.water_density, sea.gravity
    measure_lines(instant(X, T, flow), mesh, (rho, g), work.memory.grip, ledger, forces)
    if mesh.winches.winch.shape[0] > 0:
        work, damped, bare = book_winches(X, T, mesh, g, forces)
        ledger.step[0].winch += work
        ledger.step[0].damping += damped
        ledger.step[0].numerics += bare
    if mesh.bodies.body.shape[0] > 0:
        measure_bodies(X, flow, mesh, rho, g, ledger, forces)


@kernel(**UNCOUNTED)
def _scheme_loss(n, m, X, Y):
    r"""What the scheme takes of the motion of mass m at row n (J), from X to Y.

    .. math:: D = \tfrac12 m \left((a_0 + a_1) \cdot \Delta r - (v_0 + v_1) \cdot \Delta v\right)

    Source: docs/theory/mixed_elements.md, Energy.
    """
    lost = 0.0
    for p in range(3):
        lost += (X[2, n, p] + Y[2, n, p]) * (Y[0, n, p] - X[0, n, p])
        lost -= (X[1, n, p] + Y[1, n, p]) * (Y[1, n, p] - X[1, n, p])
    return 0.5 * m * lost


@kernel(forceinline=True, **UNCOUNTED)
def _scheme_losses(X, Y, mesh):
    """What the scheme takes of the motion of nodes and free junctions (J), and of nodes that are held or moved.

    Source: D = sum over nodes of :func:`_scheme_loss`, docs/theory/mixed_elements.md, Energy.

    These do not move by the scheme: of them it is an error of the work of the ends.
    """
    n_nodes, node, dof_start = mesh.s.size, mesh.node, mesh.dof_start
    lost, held = 0.0, 0.0
    for n in range(n_nodes):
        lost += _scheme_loss(n, node[n].mass, X, Y)
    for j in range(mesh.motion.size):
        if dof_start[j] < dof_start[j + 1] and node[n_nodes + j].mass > 0.0:
            lost += _scheme_loss(n_nodes + j, node[n_nodes + j].mass, X, Y)
    for line in range(mesh.line.shape[0]):
        for side in range(2):
            j = mesh.line[line].junction[side]
            if dof_start[j] == dof_start[j + 1]:
                n = mesh.node_start[line] if side == 0 else mesh.node_start[line + 1] - 1
                held += _scheme_loss(n, node[n].mass, X, Y)
    return lost - held, held


@kernel(**UNCOUNTED)
def _snaps(element, before, after, level):
    """Whether an element that cannot push comes taut in a step, with a tension above `level` (N).

    before, after : (n_elements,) tensions, N
    """
    count = 0
    for e in range(after.size):
        if before[e] <= 0.0 and after[e] > level and element[e].slack > 0.0:
            count += 1
    return count > 0


@kernel(forceinline=True, **UNCOUNTED)
def _strikes(h, mesh, before, after):
    """Whether a node comes down on the bed in a step of h (s), fast enough to pass the ramp of the bed's damping in it.

    Source: docs/theory/mixed_elements.md, Energy: -h n . v > ramp, with delta = 0 before the step.

    before, after : (4, n_rows, 3)
    """
    ramp, count = mesh.bed.law[0].ramp, 0
    for n in range(mesh.s.size):
        radius = mesh.node[n].radius
        if mesh.node[n].bed_area > 0.0 and penetration(mesh.bed, three(after[0], n), radius) > 0.0:
            normal, height = ground(mesh.bed, three(before[0], n))
            if height > radius and -h * dot(normal, three(before[1], n)) > ramp:
                count += 1
    return count > 0


@kernel(forceinline=True, **UNCOUNTED)
def keep_step(h, h_before, mesh, sea, work):
    """Add the step from `work.last` to `work.now` to the ledger; `work.flow` is the water after it.

    Source: docs/theory/mixed_elements.md, Energy and Impacts: c = dE - W + losses.

    h, h_before : the step and the one before it, s
    """
    _measure(mesh, sea, work)
    lost, held = _scheme_losses(work.last.X, work.now.X, mesh)
    done, step = work.ledger.work[0], work.ledger.step[0]
    step.numerics += lost
    step.ends -= held
    before = done.numerics
    add_step(h, h_before, work.ledger)
    level = work.settings[0].slack_level
    is_blow = work.clock[0].impact == BLOW or _snaps(mesh.element, work.last.T, work.now.T, level)
    if is_blow or (mesh.has_bed and _strikes(h, mesh, work.last.X, work.now.X)):
        done.impact += done.numerics - before
        done.numerics = before


@kernel
def begin_ledger(t, mesh, sea, work):
    """Let the next step begin at `work.now`, at time t: at the start, and where forces or the mesh have jumped."""
    _begin_ledger(t, held(mesh), held(sea), held(work))


@kernel(separate=True)
def _begin_ledger(t, mesh, sea, work):
    """As `begin_ledger`, of held tuples, as which steps have all that is measured."""
    water_at(work.now.X[0], t, sea, work.flow)
    if mesh.bodies.hull.shape[0] > 0:
        water_on_bodies(work.now.X, t, sea, mesh)
    _measure(mesh, sea, work)
    begin(work.ledger)


@kernel
def stored_energy(X, T, mesh, g):
    r"""Kinetic, elastic and potential energy (J) of the lines and the free junctions; V = 0 at still water.

    .. math:: K = \tfrac12 \sum m v^2, \qquad E = \sum L \int T\,de, \qquad V = \sum m g z

    Source: docs/theory/mixed_elements.md, Energy.
    """
    kinetic, potential = body_energies(X, mesh, g)
    elastic = 0.0
    n_nodes = mesh.s.size
    for n in range(n_nodes + mesh.motion.size):
        if n >= n_nodes and mesh.dof_start[n - n_nodes] == mesh.dof_start[n - n_nodes + 1]:
            continue
        m = mesh.node[n].mass
        kinetic += 0.5 * m * (X[1, n, 0] ** 2 + X[1, n, 1] ** 2 + X[1, n, 2] ** 2)
        potential += m * g * X[0, n, 2]
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for k in range(mesh.element_start[line + 1] - e0):
            i, e = n0 + k, e0 + k
            dx, dy, dz = X[0, i + 1, 0] - X[0, i, 0], X[0, i + 1, 1] - X[0, i, 1], X[0, i + 1, 2] - X[0, i, 2]
            span = np.sqrt(dx * dx + dy * dy + dz * dz)
            elastic += elastic_energy(e, span, mesh.element, mesh.law_data, mesh.rope)
    return kinetic, elastic, potential
