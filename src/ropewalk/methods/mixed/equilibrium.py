r"""Equilibrium of the mixed elements: Newton from a catenary, and damped motion where that does not arrive.

Damped motion without inertia, :math:`\lambda M \dot r = F(r)` with the lengths as constraints, goes downhill in energy
and so ends in a stable equilibrium. It is followed by linearly implicit steps, one Newton iteration each,

.. math:: (\lambda_k M + K_k)\, \Delta r = F(r_k),

pseudo-transient continuation [Kelley1998]: the factor :math:`\lambda` falls while elements turn and stretch by little
in a step and rises where they do by much or forces grow, so that the steps become those of Newton's method in the end.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.body_loads import water_on_bodies
from ropewalk.assembly.element import element_system, elements_of, instant, three
from ropewalk.assembly.mesh import Mesh
from ropewalk.loads.given import spring_pull
from ropewalk.loads.sea import water_at
from ropewalk.methods.mixed.bodies import body_unbalance, largest_on_bodies, rebase
from ropewalk.methods.mixed.nodes import lumps_of, node_terms
from ropewalk.methods.mixed.payout import stand_still
from ropewalk.methods.mixed.scheme import copy_moving
from ropewalk.methods.mixed.steps import Work, move_junctions
from ropewalk.methods.mixed.sweep import newton_iteration
from ropewalk.model.arrays import Array, records
from ropewalk.model.environment import Sea, bed_levels, is_grid
from ropewalk.model.model import Model
from ropewalk.numerics.blockelimination import sub3
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.held import held
from ropewalk.physics.catenary import SOLUTION, line_shape, solve_line
from ropewalk.physics.elasticity import stiffness_in_a_row

FORCE_TOLERANCE = 1e-10  # of the force scale
LENGTH_TOLERANCE = 1e-11  # of the longest line
STUCK_TOLERANCE = 1e-6  # of the force scale: good enough where round-off or a kink of the bed stops the descent
FREE_ITERATIONS = 25  # of plain Newton, before damped motion begins; from the catenary 5 to 10 are usual
LOST = 1e5  # growth of the unbalance that plain Newton may show; it goes up a lot where lines settle on the bed
MISS_GROWTH = 10.0  # times the length error of the guess: with more, damped motion begins from the guess
MOST_UPDATES = 2e6  # of elements, in damped motion: 1 to 2 s
MOST_WITH_FRICTION = 1e5  # the same in the rounds of friction, which begin close to where they end
MOST_STEPS = 40_000
FIRST_MASS = 100.0  # of gravity over length: the first factor of the damped motion, 1/s2
MOST_MASS = 1e10  # times the first: nothing moves any more
FAR, NEAR = 0.5, 0.1  # change of an element in a step over its length: that repeats the step; that lets it grow
MOST_INNER, INNER = 8, 0.05  # iterations of a step; correction over the first one that ends them
WAY = 0.2  # of the length scale, that a point or body may go in a step
MASS_UP, MASS_AGAIN, MASS_DOWN = 2.0, 5.0, 0.5  # changes of the factor: forces grew; step repeated; all is well
HOPELESS = 1e20  # of the force scale: lengths cannot be met, and forces grow with every step
TURNED = 0.7  # cosine of the angle between a step and the way back along the one before it
GREW = 1.5  # growth of the unbalance in a step that makes the next one shorter
SHORTENED = -1e-2  # strain of the guess below which an element is slack, not just cut straight
MASSLESS = 1e-9  # of the mean mass of a node: what has less is moved as if it had LEAST_MASS
LEAST_MASS = 1e-2  # of the same
SMALLEST_STRAIN = 1e-12  # of the stretch at which the secant stiffness of a law is taken

CONVERGED, STUCK = 0, 1


@kernel
def unbalance(X, T, flow, mesh, fluid, grip, nodes, misses):
    r"""Inertia minus forces at the nodes and the junctions (N), and the length errors of the elements (m).

    .. math:: R = m (\ddot r + g\,e_z) - F, \qquad g = |d| - L - L\,e(T)

    Source: docs/theory/mixed_elements.md, Equilibrium.

    X, T, flow : as in `newton_iteration`    nodes : (n_nodes + n_junctions, 3), misses : (n_elements,), filled;
    the rows of junctions hold the sums over what ends in them
    """
    now, elements, lumps = instant(X, T, flow), elements_of(mesh, False), lumps_of(mesh, grip)
    for n in range(mesh.node.shape[0]):
        R = node_terms(n, now, lumps, fluid, (0.0, 0.0))[0]
        nodes[n, 0], nodes[n, 1], nodes[n, 2] = R
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for k in range(mesh.element_start[line + 1] - e0):
            i = n0 + k
            part = element_system(e0 + k, i, now, elements, fluid, (0.0, 0.0))
            misses[e0 + k] = part[2]
            for p in range(3):
                nodes[i, p] += part[0][p]
                nodes[i + 1, p] += part[1][p]
    for j in range(mesh.motion.size):
        row = mesh.s.size + j
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            way = sub3(three(X[0], row), three(mesh.reference, j))
            pull = spring_pull(mesh.dof[d], way)[0]
            for p in range(3):
                nodes[row, p] -= pull * mesh.dof[d].axis[p]
    for line in range(mesh.line.shape[0]):
        for side in range(2):
            n = mesh.node_start[line] if side == 0 else mesh.node_start[line + 1] - 1
            for p in range(3):
                nodes[mesh.s.size + mesh.line[line].junction[side], p] += nodes[n, p]
    body_unbalance(X, flow, mesh, fluid[0], fluid[1], nodes)


@kernel
def _largest(mesh, nodes, misses):
    """Largest residual force on what is free to move (N) and largest length error (m).

    Source: norms of the stopping rule: F = max(|F_i|, |e . F|), e the free axes of junctions, and max |l_e - l|.
    """
    force = largest_on_bodies(mesh, nodes)
    for line in range(mesh.line.shape[0]):
        for n in range(mesh.node_start[line] + 1, mesh.node_start[line + 1] - 1):
            force = max(force, abs(nodes[n, 0]), abs(nodes[n, 1]), abs(nodes[n, 2]))
    for j in range(mesh.motion.size):
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            total = 0.0
            for p in range(3):
                total += mesh.dof[d].axis[p] * nodes[mesh.s.size + j, p]
            force = max(force, abs(total))
    miss = mesh.bodies.links.miss[0]
    for e in range(misses.size):
        miss = max(miss, abs(misses[e]))
    return force, miss


@kernel
def _rest(X):
    """Set velocities and accelerations to 0. Bookkeeping."""
    for k in range(1, 4):
        for n in range(X.shape[1]):
            for c in range(3):
                X[k, n, c] = 0.0


@kernel
def _water(X, t, sea, mesh, flow):
    """Water at all rows and on all hulls. Bookkeeping: calls `water_at` and `water_on_bodies`."""
    water_at(X[0], t, sea, flow)
    water_on_bodies(X, t, sea, mesh)


@kernel
def _ease_slack(X, T, mesh):
    """Give elements that cannot push the compression (N) of their present length, instead of the linearised one.

    Source: docs/theory/mixed_elements.md, Equilibrium: T = k_s min(0, |d|/l - 1), k_s the slack stiffness.
    """
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for e in range(e0, mesh.element_start[line + 1]):
            slack = mesh.element[e].slack
            if T[e] < 0.0 and slack > 0.0:
                i, square = n0 + e - e0, 0.0
                for p in range(3):
                    square += (X[0, i + 1, p] - X[0, i, p]) ** 2
                T[e] = slack * min(0.0, np.sqrt(square) / mesh.element[e].length - 1.0)


@kernel
def _change(X, before, mesh, length_scale):
    """Largest relative change of an element, turn of a body (rad) and displacement of a junction (in WAY), times FAR.

    Source: max |d_1 - d_0|/L over the elements (WAY and FAR = limits), docs/theory/mixed_elements.md, Equilibrium.
    """
    most = 0.0
    n_nodes, n_bodies = mesh.s.size, mesh.bodies.body.shape[0]
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for e in range(e0, mesh.element_start[line + 1]):
            i, square = n0 + e - e0, 0.0
            for p in range(3):
                square += (X[0, i + 1, p] - before[0, i + 1, p] - X[0, i, p] + before[0, i, p]) ** 2
            most = max(most, np.sqrt(square) / mesh.element[e].length)
    for row in range(n_nodes, n_nodes + mesh.motion.size):
        for p in range(3):
            most = max(most, FAR / (WAY * length_scale) * abs(X[0, row, p] - before[0, row, p]))
    for row in range(n_nodes + mesh.motion.size, n_nodes + mesh.motion.size + n_bodies):
        for p in range(3):
            most = max(most, abs(X[0, row, p]))
    return most


@kernel
def _settled(t, mesh, sea, work, misses):
    """Residual force (N) and length error (m) of the state at rest in `work.trial`.

    Bookkeeping: calls `unbalance` and `_largest`.
    """
    X, T = work.trial.X, work.trial.T
    _water(X, t, sea, mesh, work.flow)
    fluid = (sea.water_density, sea.gravity)
    unbalance(X, T, work.flow, mesh, fluid, work.memory.grip, work.nodes, misses)
    return _largest(mesh, work.nodes, misses)


@kernel
def _damped_step(mass, mesh, fluid, length_scale, work):
    r"""A step (m, N) of the damped motion from `work.now`; the change of the worst element (`_change`) and iterations.

    .. math:: (\lambda M + K)\, \Delta r = F(r)

    Source: [Kelley1998]; the heading of this file.

    Where elements turn slack or taut one iteration leaves lengths missed: a few more are made.
    """
    X, T = work.trial.X, work.trial.T
    first, change = 0.0, np.inf
    for k in range(MOST_INNER):
        move, _, _ = newton_iteration(X, T, work.flow, mesh, fluid, (mass, 0.0), 1.0, work.memory)
        change = _change(X, work.now.X, mesh, length_scale) if np.isfinite(move) else np.inf
        if k == 0:
            first = move
        if not change <= FAR or move <= INNER * first:
            return change, k + 1
    return change if move <= first else np.inf, MOST_INNER


@kernel
def _damp_swing(trial, now, last):
    r"""Takes part of a step that turns back on the one before it, and keeps in `last` what was taken; that part.

    .. math:: \omega = \frac{a \cdot (a - b)}{|a - b|^2} \quad \text{of the step } b \text{ after } a, \qquad
              b = -\rho\, a \;\Rightarrow\; \omega = \frac{1}{1 + \rho}

    Source: Aitken's delta-squared relaxation, [Irons1969]. The tangent leaves out how the current changes with
    place: where it shears much, whole steps would swing about the equilibrium for ever.

    trial, now : states after and before the step    last : (n, 3) m, the step before
    """
    X, kept = trial.X[0], now.X[0]
    both, old, new = 0.0, 0.0, 0.0
    for n in range(last.shape[0]):
        for p in range(3):
            a, b = last[n, p], X[n, p] - kept[n, p]
            both, old, new = both + a * b, old + a * a, new + b * b
    part = 1.0
    if both < -TURNED * np.sqrt(old * new):
        part = (old - both) / (old - 2.0 * both + new)
        for n in range(X.shape[0]):
            for p in range(3):
                X[n, p] = kept[n, p] + part * (X[n, p] - kept[n, p])
        for e in range(trial.T.size):
            trial.T[e] = now.T[e] + part * (trial.T[e] - now.T[e])
    for n in range(last.shape[0]):
        for p in range(3):
            last[n, p] = X[n, p] - kept[n, p]
    return part


@kernel
def descend(t, mesh, sea, work, scales, misses, most_steps):
    r"""Damped motion from the state in `work.now`, kept there, until it is at rest; outcome and iterations.

    .. math:: (\lambda_k M + K_k)\, \Delta r = F(r_k)

    Source: [Kelley1998]; the heading of this file. Not numerics/newton.py: the loop is compiled, each step eliminates
    along the lines while it assembles, and lambda, not a line search, limits it.

    scales : of force (N) and length (m)    misses : as in :func:`unbalance`
    """
    return _descend(t, held(mesh), held(sea), held(work), scales, misses, most_steps)


@kernel(separate=True)
def _descend(t, mesh, sea, work, scales, misses, most_steps):
    """As `descend`, of held tuples."""
    force_scale, length_scale = scales
    X, T, kept, kept_T = work.trial.X, work.trial.T, work.now.X, work.now.T
    flow, memory, fluid = work.flow, work.memory, (sea.water_density, sea.gravity)
    slowest = FIRST_MASS * max(sea.gravity, 1.0) / length_scale
    mass, most = slowest, MOST_MASS * slowest
    copy_moving(kept, kept_T, X, T)
    force, miss = _settled(t, mesh, sea, work, misses)
    before = force / force_scale + miss / length_scale
    iterations = 0
    last = np.zeros((mesh.s.size + mesh.motion.size, 3))
    while iterations < most_steps:
        change, used = _damped_step(mass, mesh, fluid, length_scale, work)
        iterations += used
        if not change <= FAR:  # true for NaN
            copy_moving(kept, kept_T, X, T)
            if mass < most:
                mass *= MASS_AGAIN
                continue
            # what moves is to make good lengths that are missed, which no factor slows down: part of the way
            newton_iteration(X, T, flow, mesh, fluid, (mass, 0.0), 1.0, memory)
            change = _change(X, kept, mesh, length_scale)
            copy_moving(kept, kept_T, X, T)
            if not np.isfinite(change):
                return STUCK, iterations
            newton_iteration(X, T, flow, mesh, fluid, (mass, 0.0), min(1.0, NEAR / change), memory)
            iterations += 2
            mass = slowest
        change *= _damp_swing(work.trial, work.now, last)
        _rest(X)
        rebase(X, X, mesh)
        _ease_slack(X, T, mesh)
        copy_moving(X, T, kept, kept_T)
        force, miss = _settled(t, mesh, sea, work, misses)
        if force <= FORCE_TOLERANCE * force_scale and miss <= LENGTH_TOLERANCE * length_scale:
            return CONVERGED, iterations
        if not force <= HOPELESS * force_scale:
            return STUCK, iterations
        merit = force / force_scale + miss / length_scale
        if merit > GREW * before:
            mass = min(mass * MASS_UP, most)
        elif change <= NEAR:
            mass *= MASS_DOWN
        before = merit
    return STUCK, iterations


@kernel
def find_equilibrium(t, mesh, sea, motions, work, scales, misses, friction):
    """Bring `work.trial` to rest under the loads at time t; returns outcome, iterations, residual (N), length error.

    Source: Newton's method, K dr = F, then :func:`descend`; docs/theory/mixed_elements.md, Equilibrium. Not
    numerics/newton.py: the loop is compiled, each iteration eliminates along the lines while it assembles, and the
    residual may rise for some iterations while lines settle on the bed or go slack.

    The best state so far is kept in `work.now`.  scales : of force (N) and length (m)    misses : as in
    :func:`unbalance`, which also fills `work.nodes` friction : coefficient with which the grips of `work.memory` hold;
    friction that has no history yet is left to friction.py
    """
    return _find(t, held(mesh), held(sea), held(motions), held(work), scales, misses, friction)


@kernel(separate=True)
def _find(t, mesh, sea, motions, work, scales, misses, friction):
    """As `find_equilibrium`, of held tuples."""
    X, T, kept, kept_T = work.trial.X, work.trial.T, work.now.X, work.now.T
    flow, memory, (force_scale, length_scale) = work.flow, work.memory, scales
    memory.grip.friction[0].coefficient = friction
    move_junctions(t, mesh, motions, X)
    stand_still(mesh)
    best = np.inf
    outcome = STUCK
    iterations = 0
    guessed, kept_miss = np.inf, np.inf
    copy_moving(X, T, work.last.X, work.last.T)
    while outcome == STUCK:  # plain Newton
        _rest(X)
        force, miss = _settled(t, mesh, sea, work, misses)
        merit = force / force_scale + miss / length_scale
        if merit < best:  # false for NaN
            best = merit
            kept_miss = miss
            guessed = min(guessed, miss) if iterations == 0 else guessed
            rebase(X, X, mesh)
            copy_moving(X, T, kept, kept_T)
            if force <= FORCE_TOLERANCE * force_scale and miss <= LENGTH_TOLERANCE * length_scale:
                outcome = CONVERGED
        if iterations == FREE_ITERATIONS or not merit <= LOST * best:
            break
        if outcome == STUCK:
            iterations += 1
            newton_iteration(X, T, flow, mesh, (sea.water_density, sea.gravity), (0.0, 0.0), 1.0, memory)
    if outcome == STUCK and kept_miss > MISS_GROWTH * guessed:  # it cannot begin where lengths are far off
        copy_moving(work.last.X, work.last.T, kept, kept_T)
    if outcome == STUCK:
        updates = MOST_UPDATES if friction == 0.0 else MOST_WITH_FRICTION
        most_steps = int(min(MOST_STEPS, updates / max(1, mesh.element.shape[0])))
        outcome, steps = _descend(t, mesh, sea, work, scales, misses, most_steps)
        iterations += steps
    copy_moving(kept, kept_T, X, T)
    force, miss = _settled(t, mesh, sea, work, misses)
    if outcome == STUCK and force <= STUCK_TOLERANCE * force_scale and miss <= STUCK_TOLERANCE * length_scale:
        outcome = CONVERGED
    return outcome, iterations, force, miss


def with_inertia(mesh: Mesh, gravity: float, force_scale: float) -> Mesh:
    """The mesh with some mass at nodes of massless lines, carried by a lift, so that no force on them changes.

    Masses are the measure M of the damped motion, which has no hold on nodes without one.  gravity : m/s2
    """
    mass = mesh.node.mass[: mesh.s.size]
    mean = float(np.mean(mass)) if np.any(mass > 0.0) else force_scale / max(gravity, 1.0) / max(1, mass.size)
    massless = np.flatnonzero(mass < MASSLESS * mean)
    if not massless.size:
        return mesh
    node = mesh.node.copy()
    node.mass[massless] += LEAST_MASS * mean
    node.force[massless, 2] += LEAST_MASS * mean * gravity
    return mesh._replace(node=node)


def guess(model: Model, mesh: Mesh, work: Work) -> None:
    """Lay every line of `work.trial` along the catenary of its mean weight and stiffness, junctions as they are."""
    x, sea = work.trial, model.sea
    for line in range(mesh.line.shape[0]):
        n = slice(mesh.node_start[line], mesh.node_start[line + 1])
        e = slice(mesh.element_start[line], mesh.element_start[line + 1])
        ends = [x.X[0, mesh.s.size + mesh.line[line].junction[k]] + mesh.end_offset[line, k] for k in (0, 1)]
        if mesh.line[line].flipped:
            ends.reverse()
        level = _level_below(sea, ends)
        L = model.lines.length[line]
        lift = sea.water_density * (2.0 * mesh.element[e].half_volume.sum() + mesh.node[n].volume.sum())
        weight = (mesh.node[n].mass.sum() - lift) * sea.gravity - mesh.node[n].force[:, 2].sum()
        chord = ends[1] - ends[0]
        span = float(np.hypot(chord[0], chord[1]))
        direction = chord[:2] / span if span > 0.0 else np.array([1.0, 0.0])
        laws = np.column_stack([mesh.element[name][e] for name in ("law", "law_start", "law_stop")])
        stiffness = stiffness_in_a_row(mesh.element[e].length, laws, mesh.law_data)
        row = records(1, SOLUTION)[0]
        up = -1.0 if weight < 0.0 else 1.0  # a light line is a heavy one upside down, with the water surface as its bed
        bed = ends[0][2] - level if weight >= 0.0 else -ends[0][2]
        bed = np.inf if sea.water_density <= 0.0 and weight < 0.0 else bed
        rise, w = up * float(chord[2]), abs(weight) / L
        status = solve_line(span, rise, L, stiffness, w, 0.0, bed, row)
        if status < 0:  # too short to hang: straight and taut
            stiffness = 10.0 * max(abs(weight), 1.0) / max(float(np.linalg.norm(chord)) / L - 1.0, SMALLEST_STRAIN)
            status = solve_line(span, rise, L, stiffness, w, 0.0, bed, row)
        if status < 0:
            _straight(mesh, x.X[0], x.T, n, e, ends, L)
            continue
        shape = line_shape(mesh.s[n].copy(), span, rise, L, stiffness, w, 0.0, status, row)
        x.X[0, n, :2] = ends[0][:2] + shape[:, :1] * direction
        x.X[0, n, 2] = ends[0][2] + up * shape[:, 1]
        T = np.hypot(shape[:, 2], shape[:, 3])
        x.T[e] = 0.5 * (T[1:] + T[:-1])
        if is_grid(sea):
            _raise(mesh, sea, x.X[0, n], n)
        _ease(mesh, x.X[0, n], x.T[e], e)


def _level_below(sea: Sea, ends: list[Array]) -> float:
    """Height of the bed (m) that a line is first laid on: of a relief, that under its lower end."""
    if not sea.has_seabed:
        return -np.inf
    if not is_grid(sea):
        return -sea.depth
    return min(float(bed_levels(sea, end)) for end in ends)


def _raise(mesh: Mesh, sea: Sea, r: Array, n: slice) -> None:
    """Put the inner nodes of a line (m) that a level bed left below a relief on to it."""
    lowest = bed_levels(sea, r) + mesh.node[n].radius
    r[1:-1, 2] = np.maximum(r[1:-1, 2], lowest[1:-1])


def _straight(mesh: Mesh, r: Array, T: Array, n: slice, e: slice, ends: list[Array], L: float) -> None:
    r[n] = ends[0] + (mesh.s[n] / L)[:, None] * (ends[1] - ends[0])
    T[e] = 0.0
    _ease(mesh, r[n], T[e], e)


def _ease(mesh: Mesh, r: Array, T: Array, e: slice) -> None:
    """Give the elements of a slack stretch, drawn shorter than they are, the tension that goes with it."""
    strain = np.linalg.norm(np.diff(r, axis=0), axis=1) / mesh.element[e].length - 1.0
    slack = mesh.element[e].slack
    short = (strain < SHORTENED) & (slack > 0.0)
    T[short] = (slack * strain)[short]
