r"""The energy ledger: what the lines hold, what was put in, what was lost, and what does not add up.

Energies are taken from the state; work is that of forces averaged over each step along the way gone in it
(ledger_forces.py). Of the few things that are no forces on nodes (drag on hulls, links) the power is integrated
by the parabola through the last three values. What the scheme itself takes in a step,

.. math:: D = \sum m \left(\frac{a_0 + a_1}{2} \cdot \Delta r - \frac{v_0 + v_1}{2} \cdot \Delta v\right),

has a row of its own; docs/theory/mixed_elements.md has it for each scheme. In steps in which a line comes taut
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
from ropewalk.methods.mixed.ledger_forces import add_step, begin, clear, elastic_energy, measure_line, measure_points
from ropewalk.methods.mixed.ledger_walks import measure_walks
from ropewalk.methods.mixed.payout import book_winches
from ropewalk.numerics.blockelimination import UNCOUNTED, dot
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.held import held


@kernel(separate=True, **UNCOUNTED)
def measure(h, mesh, sea, work):
    """Book all forces at `work.now`, a step of h (s) after `work.last`; whether a line comes taut or strikes the bed.

    Source: docs/theory/mixed_elements.md, Energy: W = sum (F_0 + F_1)/2 . dr.

    Fills what the ledger of `Work` measures. To be called before turns are made part of the attitudes (`rebase`), with
    held tuples.
    """
    X, T, ledger, forces = work.now.X, work.now.T, work.ledger, work.forces
    grip, walks, fluid = work.memory.grip, work.memory.walks, (sea.water_density, sea.gravity)
    now, side_by_side, blow = instant(X, T, work.flow), walks.booked.in_use[0] == 1, False
    clear(ledger)
    if side_by_side:
        blow = measure_walks(h, now, mesh, fluid, work)
        blow = _lose_ends(h, mesh, work) or blow
    for line in range(mesh.line.shape[0]):
        if not side_by_side or walks.alone[line] == 1:
            measure_line(line, now, mesh, fluid, grip, ledger, forces, work.halves)
            blow = _lose_line(line, h, mesh, work) or blow
    measure_points(now, mesh, fluid, grip, ledger, forces)
    for j in range(mesh.motion.size):
        n = mesh.s.size + j
        if mesh.dof_start[j] < mesh.dof_start[j + 1] and mesh.node[n].mass > 0.0:
            ledger.step[0].numerics += _scheme_loss(n, mesh.node[n].mass, work.last.X, X)
    if mesh.winches.winch.shape[0] > 0:
        done, damped, bare = book_winches(X, T, mesh, sea.gravity, forces)
        ledger.step[0].winch += done
        ledger.step[0].damping += damped
        ledger.step[0].numerics += bare
    if mesh.bodies.body.shape[0] > 0:
        measure_bodies(X, work.flow, mesh, sea.water_density, sea.gravity, ledger, forces)
    return blow


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
def _lose_end(n, is_held, mesh, work):
    """Add the numerical dissipation of a node at an end to the ledger (J).

    Source: D = m ((a_0 + a_1)/2 . dr - (v_0 + v_1)/2 . dv), docs/theory/mixed_elements.md, Energy; `_scheme_loss`.

    A node that is held or moved does not follow the scheme: its D is an error of the work of the ends.
    """
    lost, step = _scheme_loss(n, mesh.node[n].mass, work.last.X, work.now.X), work.ledger.step[0]
    if is_held:
        step.ends -= lost
    else:
        step.numerics += lost


@kernel(forceinline=True, **UNCOUNTED)
def _lose_ends(h, mesh, work):
    """As `_lose_line` (J), of the ends of lines side by side.

    Source: D = sum over ends of :func:`_scheme_loss`, docs/theory/mixed_elements.md, Energy and Impacts.
    """
    ends, blow = work.memory.walks.booked.ends, False
    for i in range(ends.shape[0]):
        n = ends[i].node
        _lose_end(n, ends[i].is_held == 1, mesh, work)
        blow = (mesh.has_bed and _strikes(n, h, mesh, work.last.X, work.now.X)) or blow
    return blow


@kernel(**UNCOUNTED)
def _lose_line(line, h, mesh, work):
    """Book what the scheme takes of the motion of the nodes of a line (J); whether it comes taut or strikes the bed.

    Source: D = sum over nodes of :func:`_scheme_loss`, docs/theory/mixed_elements.md, Energy and Impacts.
    """
    X, Y, dof_start, first, last = (
        work.last.X,
        work.now.X,
        mesh.dof_start,
        mesh.node_start[line],
        mesh.node_start[line + 1],
    )
    lost, blow = 0.0, False
    for n in range(first + 1, last - 1):
        lost += _scheme_loss(n, mesh.node[n].mass, X, Y)
    work.ledger.step[0].numerics += lost
    for side in range(2):
        j = mesh.line[line].junction[side]
        _lose_end(first if side == 0 else last - 1, dof_start[j] == dof_start[j + 1], mesh, work)
    if mesh.has_bed:
        for n in range(first, last):
            blow = _strikes(n, h, mesh, X, Y) or blow
    before, after, level = work.last.T, work.now.T, work.settings[0].slack_level
    for e in range(mesh.element_start[line], mesh.element_start[line + 1]):
        blow = (before[e] <= 0.0 and after[e] > level and mesh.element[e].slack > 0.0) or blow
    return blow


@kernel(forceinline=True, **UNCOUNTED)
def _strikes(n, h, mesh, before, after):
    """Whether node n comes down on the bed in a step of h (s), fast enough to pass the ramp of the bed's damping in it.

    Source: docs/theory/mixed_elements.md, Impacts: -h n . v > ramp, with delta < 0 before the step.

    before, after : (4, n_rows, 3)
    """
    radius = mesh.node[n].radius
    if mesh.node[n].bed_area > 0.0 and penetration(mesh.bed, three(after[0], n), radius) > 0.0:
        normal, height = ground(mesh.bed, three(before[0], n))
        return height > radius and -h * dot(normal, three(before[1], n)) > mesh.bed.law[0].ramp
    return False


@kernel(forceinline=True, **UNCOUNTED)
def keep_step(h, h_before, mesh, sea, work):
    """Add the step from `work.last` to `work.now` to the ledger; `work.flow` is the water after it.

    Source: docs/theory/mixed_elements.md, Energy and Impacts: c = dE - W + losses.

    h, h_before : the step and the one before it, s
    """
    blow = measure(h, mesh, sea, work)
    done = work.ledger.work[0]
    before = done.numerics
    add_step(h, h_before, work.ledger)
    if blow or work.clock[0].impact == BLOW:
        done.impact += done.numerics - before
        done.numerics = before


@kernel
def begin_ledger(t, mesh, sea, work):
    """Let the next step begin at `work.now`, at time t (s): at the start, and where forces or the mesh have jumped.

    Bookkeeping: calls `_begin_ledger` with addresses.
    """
    _begin_ledger(t, held(mesh), held(sea), held(work))


@kernel(separate=True)
def _begin_ledger(t, mesh, sea, work):
    """As `begin_ledger`, of held tuples, as which steps have all that is measured."""
    water_at(work.now.X[0], t, sea, work.flow)
    if mesh.bodies.hull.shape[0] > 0:
        water_on_bodies(work.now.X, t, sea, mesh)
    walks = work.memory.walks
    walks.booked.in_use[0], walks.booked.stale[0] = walks.allowed[0], 1
    measure(0.0, mesh, sea, work)
    begin(work.ledger)


@kernel
def stored_energy(X, mesh, g):
    r"""Kinetic, elastic and potential energy (J) of the lines and the free junctions; V = 0 at still water.

    .. math:: K = \tfrac12 \sum m v^2, \qquad E = \sum L \int T\,de, \qquad V = \sum m g z

    Source: docs/theory/mixed_elements.md, Energy.
    """
    kinetic, potential = motion_energy(X, mesh, g)
    elastic = 0.0
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for k in range(mesh.element_start[line + 1] - e0):
            i, e = n0 + k, e0 + k
            dx, dy, dz = X[0, i + 1, 0] - X[0, i, 0], X[0, i + 1, 1] - X[0, i, 1], X[0, i + 1, 2] - X[0, i, 2]
            span = np.sqrt(dx * dx + dy * dy + dz * dz)
            elastic += elastic_energy(e, span, mesh.element, mesh.law_data, mesh.rope)
    return kinetic, elastic, potential


@kernel
def motion_energy(X, mesh, g):
    """Kinetic and potential energy of `stored_energy` (J): K = sum m v^2/2, V = sum m g z.

    Source: docs/theory/mixed_elements.md, Energy.
    """
    kinetic, potential = body_energies(X, mesh, g)
    n_nodes = mesh.s.size
    for n in range(n_nodes + mesh.motion.size):
        if n >= n_nodes and mesh.dof_start[n - n_nodes] == mesh.dof_start[n - n_nodes + 1]:
            continue
        m = mesh.node[n].mass
        kinetic += 0.5 * m * (X[1, n, 0] ** 2 + X[1, n, 1] ** 2 + X[1, n, 2] ** 2)
        potential += m * g * X[0, n, 2]
    return kinetic, potential
