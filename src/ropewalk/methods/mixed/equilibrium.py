"""Equilibrium of the mixed elements: Newton from a catenary, and implicit creep where that does not arrive."""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.body_loads import water_on_bodies
from ropewalk.assembly.mesh import (
    FIRST,
    FLIPPED,
    FORCE,
    HALF_VOLUME,
    LENGTH,
    MASS,
    PULL,
    SLACK,
    SPRING,
    VOLUME,
    Mesh,
)
from ropewalk.methods.mixed.bodies import body_unbalance, largest_on_bodies, rebase
from ropewalk.methods.mixed.nodes import FRICTION_ROW, node_terms
from ropewalk.methods.mixed.payout import stand_still
from ropewalk.methods.mixed.steps import Work, copy_moving, move_junctions, water_at
from ropewalk.methods.mixed.sweep import element_system, newton_iteration
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.numerics.compile import kernel
from ropewalk.physics.catenary import N_COLUMNS, line_shape, solve_line
from ropewalk.physics.elasticity import stiffness_in_a_row

MOST_ITERATIONS = 1500  # damped ones included; from the catenary 5 to 10 are usual
FORCE_TOLERANCE = 1e-10  # of the force scale
LENGTH_TOLERANCE = 1e-11  # of the longest line
STUCK_TOLERANCE = 1e-6  # of the force scale: good enough where round-off or a kink of the bed stops the descent
FREE_ITERATIONS = 25  # of plain Newton, before creeping begins
LOST = 1e5  # growth of the unbalance that plain Newton may show; it goes up a lot where lines settle on the bed
FIRST_MASS = 100.0  # of gravity over length: the first mass factor of the creep, 1/s2
MASS_UP, MASS_DOWN = 5.0, 0.25  # its change after a hard and an easy step
EASY, HARD = 4, 7  # iterations of an easy step, and of one that is not too hard
MISS_GROWTH = 10.0  # times the miss of the guess: with more, creeping begins from the guess
CREEP_ITERATIONS = 12  # at most, in a step
CREEP_LENGTH, CREEP_FORCE = 1e-5, 1e-4  # accuracy of a step, of the scales
MOST_MASS = 1e8  # times the first: nothing moves any more
SHORTENED = -1e-2  # strain of the guess below which an element is slack, not just cut straight
SMALLEST_STRAIN = 1e-12  # of the stretch at which the secant stiffness of a law is taken

CONVERGED, STUCK = 0, 1


@kernel
def unbalance(X, T, flow, mesh, rho, g, grip, nodes, misses):
    """Inertia minus forces at the nodes and the junctions (N), and the misses of the elements' lengths (m).

    X, T, flow : as in `newton_iteration`    nodes : (n_nodes + n_junctions, 3), misses : (n_elements,), filled;
    the rows of junctions hold the sums over what ends in them
    """
    r, v, a = X[0], X[1], X[2]
    has_bed, bed, damping = mesh.has_bed, mesh.bed, mesh.mass_damping
    for n in range(mesh.node.shape[0]):
        R = node_terms(n, r, v, a, flow, mesh.node, damping, has_bed, bed, rho, g, 0.0, 0.0, grip)[0]
        nodes[n, 0], nodes[n, 1], nodes[n, 2] = R
    for line in range(mesh.line.shape[0]):
        n0, e0 = mesh.node_start[line], mesh.element_start[line]
        for k in range(mesh.element_start[line + 1] - e0):
            i = n0 + k
            part = element_system(
                e0 + k,
                i,
                i + 1,
                r,
                v,
                a,
                T,
                flow,
                mesh.element,
                mesh.law,
                mesh.law_data,
                mesh.load,
                rho,
                g,
                0.0,
                0.0,
                False,
            )
            misses[e0 + k] = part[2]
            for p in range(3):
                nodes[i, p] += part[0][p]
                nodes[i + 1, p] += part[1][p]
    for j in range(mesh.motion.size):
        row = mesh.s.size + j
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            pull = mesh.dof[d, PULL]
            for p in range(3):
                pull -= mesh.dof[d, SPRING] * mesh.dof[d, p] * (r[row, p] - mesh.reference[j, p])
            for p in range(3):
                nodes[row, p] -= pull * mesh.dof[d, p]
    for line in range(mesh.line.shape[0]):
        for side in range(2):
            n = mesh.node_start[line] if side == 0 else mesh.node_start[line + 1] - 1
            for p in range(3):
                nodes[mesh.s.size + mesh.line[line, FIRST + side], p] += nodes[n, p]
    body_unbalance(X, flow, mesh, rho, g, nodes)


@kernel
def _largest(mesh, nodes, misses):
    """Largest force out of balance at what is free to move (N) and largest miss of a length (m)."""
    force = largest_on_bodies(mesh, nodes)
    for line in range(mesh.line.shape[0]):
        for n in range(mesh.node_start[line] + 1, mesh.node_start[line + 1] - 1):
            force = max(force, abs(nodes[n, 0]), abs(nodes[n, 1]), abs(nodes[n, 2]))
    for j in range(mesh.motion.size):
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            total = 0.0
            for p in range(3):
                total += mesh.dof[d, p] * nodes[mesh.s.size + j, p]
            force = max(force, abs(total))
    miss = mesh.bodies.links.miss[0]
    for e in range(misses.size):
        miss = max(miss, abs(misses[e]))
    return force, miss


@kernel
def _rest(X):
    """Take all motion away."""
    for k in range(1, 4):
        for n in range(X.shape[1]):
            for c in range(3):
                X[k, n, c] = 0.0


@kernel
def _water(X, t, sea, mesh, flow):
    """Water at all rows and on all hulls."""
    water_at(X[0], t, sea, flow)
    water_on_bodies(X, t, sea, mesh)


@kernel
def _creep(X, T, flow, mesh, rho, g, mass, force_scale, length_scale, memory):
    """One implicit step of the creep mass (r - r_0) = force, from rest; the iterations used, negative if lost.

    Such steps follow the energy downhill whatever their size, so they arrive where plain Newton does not.
    """
    for k in range(CREEP_ITERATIONS):
        move, kick, _ = newton_iteration(X, T, flow, mesh, rho, g, mass, 0.0, 1.0, memory)
        if not move <= length_scale:  # true for NaN
            return -(k + 1)
        if move <= CREEP_LENGTH * length_scale and kick <= CREEP_FORCE * force_scale:
            return k + 1
    return -CREEP_ITERATIONS


@kernel
def find_equilibrium(t, mesh, sea, motions, work, force_scale, length_scale, nodes, misses, friction):
    """Bring `work.trial` to rest under the loads at time t; returns outcome, iterations, force (N), miss (m).

    The best state so far is kept in `work.now`.  nodes, misses : as in :func:`unbalance`
    friction : coefficient with which the grips of `work.memory` hold; friction that has no history yet is left to
    mixed_friction.py
    """
    X, T, kept, kept_T = work.trial.X, work.trial.T, work.now.X, work.now.T
    flow, memory, grip = work.flow, work.memory, work.memory.grip
    grip[FRICTION_ROW, 0] = friction
    move_junctions(t, mesh, motions, X)
    stand_still(mesh)
    rho, g = sea.water_density, sea.gravity
    best = np.inf
    outcome = STUCK
    iterations = 0
    guessed, kept_miss = np.inf, np.inf
    copy_moving(X, T, work.last.X, work.last.T)
    while outcome == STUCK:  # plain Newton
        _rest(X)
        _water(X, t, sea, mesh, flow)
        unbalance(X, T, flow, mesh, rho, g, grip, nodes, misses)
        force, miss = _largest(mesh, nodes, misses)
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
            newton_iteration(X, T, flow, mesh, rho, g, 0.0, 0.0, 1.0, memory)
    if outcome == STUCK and kept_miss > MISS_GROWTH * guessed:  # creeping cannot begin where lengths are far off
        copy_moving(work.last.X, work.last.T, kept, kept_T)
    mass = FIRST_MASS * max(g, 1.0) / length_scale
    most = MOST_MASS * mass
    while outcome == STUCK and iterations < MOST_ITERATIONS and mass < most:
        copy_moving(kept, kept_T, X, T)
        _water(X, t, sea, mesh, flow)
        used = _creep(X, T, flow, mesh, rho, g, mass, force_scale, length_scale, memory)
        iterations += abs(used)
        if used < 0:
            mass *= MASS_UP
            continue
        mass *= MASS_DOWN if used <= EASY else (1.0 if used <= HARD else MASS_UP)
        _rest(X)
        rebase(X, X, mesh)
        copy_moving(X, T, kept, kept_T)
        unbalance(X, T, flow, mesh, rho, g, grip, nodes, misses)
        force, miss = _largest(mesh, nodes, misses)
        if force <= FORCE_TOLERANCE * force_scale and miss <= LENGTH_TOLERANCE * length_scale:
            outcome = CONVERGED
    copy_moving(kept, kept_T, X, T)
    _water(X, t, sea, mesh, flow)
    unbalance(X, T, flow, mesh, rho, g, grip, nodes, misses)
    force, miss = _largest(mesh, nodes, misses)
    if outcome == STUCK and force <= STUCK_TOLERANCE * force_scale and miss <= STUCK_TOLERANCE * length_scale:
        outcome = CONVERGED
    return outcome, iterations, force, miss


def guess(model: Model, mesh: Mesh, work: Work) -> None:
    """Lay every line of `work.trial` along the catenary of its mean weight and stiffness, junctions as they are."""
    x, sea = work.trial, model.sea
    height = sea.depth if sea.has_seabed else np.inf
    for line in range(mesh.line.shape[0]):
        n = slice(mesh.node_start[line], mesh.node_start[line + 1])
        e = slice(mesh.element_start[line], mesh.element_start[line + 1])
        ends = [x.X[0, mesh.s.size + mesh.line[line, FIRST + k]] + mesh.end_offset[line, k] for k in (0, 1)]
        if mesh.line[line, FLIPPED]:
            ends.reverse()
        L = model.lines.length[line]
        lift = sea.water_density * (2.0 * mesh.element[e, HALF_VOLUME].sum() + mesh.node[n, VOLUME].sum())
        weight = (mesh.node[n, MASS].sum() - lift) * sea.gravity - mesh.node[n, FORCE + 2].sum()
        chord = ends[1] - ends[0]
        span = float(np.hypot(chord[0], chord[1]))
        direction = chord[:2] / span if span > 0.0 else np.array([1.0, 0.0])
        stiffness = stiffness_in_a_row(mesh.element[e, LENGTH], mesh.law[e], mesh.law_data)
        row = np.zeros(N_COLUMNS)
        bed = ends[0][2] + height if height < np.inf else np.inf
        status = solve_line(span, float(chord[2]), L, stiffness, weight / L, 0.0, bed, row)
        if status < 0:  # too short to hang: straight and taut
            stiffness = 10.0 * max(abs(weight), 1.0) / max(float(np.linalg.norm(chord)) / L - 1.0, SMALLEST_STRAIN)
            status = solve_line(span, float(chord[2]), L, stiffness, weight / L, 0.0, bed, row)
        if status < 0:
            _straight(mesh, x.X[0], x.T, n, e, ends, L)
            continue
        shape = line_shape(mesh.s[n].copy(), span, float(chord[2]), L, stiffness, weight / L, 0.0, status, row)
        x.X[0, n, :2] = ends[0][:2] + shape[:, :1] * direction
        x.X[0, n, 2] = ends[0][2] + shape[:, 1]
        T = np.hypot(shape[:, 2], shape[:, 3])
        x.T[e] = 0.5 * (T[1:] + T[:-1])
        _ease(mesh, x.X[0, n], x.T[e], e)


def _straight(mesh: Mesh, r: Array, T: Array, n: slice, e: slice, ends: list[Array], L: float) -> None:
    r[n] = ends[0] + (mesh.s[n] / L)[:, None] * (ends[1] - ends[0])
    T[e] = 0.0
    _ease(mesh, r[n], T[e], e)


def _ease(mesh: Mesh, r: Array, T: Array, e: slice) -> None:
    """Give the elements of a slack stretch, drawn shorter than they are, the tension that goes with it."""
    strain = np.linalg.norm(np.diff(r, axis=0), axis=1) / mesh.element[e, LENGTH] - 1.0
    slack = mesh.element[e, SLACK]
    short = (strain < SHORTENED) & (slack > 0.0)
    T[short] = (slack * strain)[short]
