"""Equilibrium of the mixed elements: Newton from a catenary, with Levenberg's mass when that does not go down."""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.numerics.compile import kernel
from ropewalk.physics.catenary import N_COLUMNS, line_shape, solve_line
from ropewalk.physics.elasticity import INEXTENSIBLE, tension
from ropewalk.solvers.mixed_element import element_system
from ropewalk.solvers.mixed_mesh import FORCE, HALF_VOLUME, MASS, VOLUME, Mesh
from ropewalk.solvers.mixed_steps import Work, join_ends, move_junctions, water_at
from ropewalk.solvers.mixed_sweep import lump, newton_iteration, node_terms

MOST_ITERATIONS = 400  # damped ones included; from the catenary 5 to 10 are usual
FORCE_TOLERANCE = 1e-10  # of the force scale
LENGTH_TOLERANCE = 1e-11  # of the longest line
STUCK_TOLERANCE = 1e-6  # of the force scale: good enough where round-off or a kink of the bed stops the descent
FIRST_MASS = 1e-3  # of gravity over length: the first Levenberg mass factor, 1/s2
MASS_UP, MASS_DOWN = 8.0, 0.2  # change of the factor after a bad and a good iteration
MOST_MASS = 1e12  # times the first: nothing moves any more
SMALLEST_STRAIN = 1e-12  # of the stretch at which the secant stiffness of a law is taken
GUESS_STRAIN = 1e-3  # strain whose secant stands for the stiffness of a law in the guess

CONVERGED, STUCK, BROKEN = 0, 1, 2


@kernel
def unbalance(x, flow, jflow, mesh, rho, g, memory, nodes, junctions, misses):
    """Inertia minus forces at the nodes and the junctions (N), and the misses of the elements' lengths (m).

    x : Moving    nodes : (n_nodes, 3), junctions : (n_junctions, 3), misses : (n_elements,), all filled
    """
    K, R = memory.K, memory.R
    u, d, f, y, du, dt = memory.u, memory.t, memory.f, memory.x, memory.du, memory.dt
    node, element, law, law_data = mesh.node, mesh.element, mesh.law, mesh.law_data
    bed, plane, bed_law, damping = mesh.has_bed, mesh.bed_plane, mesh.bed_law, mesh.mass_damping
    r, v, a, T = x.r, x.v, x.a, x.T
    nodes[:, :] = 0.0
    for line in range(mesh.flipped.size):
        n0 = mesh.node_start[line]
        e0 = mesh.element_start[line]
        for k in range(mesh.element_start[line + 1] - e0):
            e, i = e0 + k, n0 + k
            element_system(
                e, i, i + 1, r, v, a, T, flow, element, law, law_data, rho, g, 0.0, 0.0, K, R, u, d, f, du, dt
            )
            if k == 0:
                node_terms(
                    i, 0, r, v, a, flow, node, damping, bed, plane, bed_law, rho, g, 0.0, 0.0, K, R, y, u, f, du, dt
                )
            node_terms(
                i + 1, 3, r, v, a, flow, node, damping, bed, plane, bed_law, rho, g, 0.0, 0.0, K, R, y, u, f, du, dt
            )
            for p in range(3):
                nodes[i, p] += R[p]
                nodes[i + 1, p] += R[3 + p]
            misses[e] = R[6]
    for j in range(mesh.motion.size):
        f[:] = 0.0
        lump(
            j, 0, x.jr, x.jv, x.ja, jflow, mesh.junction_mass[j], mesh.junction_volume[j], mesh.junction_drag_area[j],
            mesh.junction_added_mass[j], rho, g, 0.0, 0.0, du, f,
        )  # fmt: skip
        for p in range(3):
            junctions[j, p] = f[p] - mesh.junction_force[j, p]
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            pull = mesh.dof_force[d]
            for p in range(3):
                pull -= mesh.dof_spring[d] * mesh.dof_axis[d, p] * (x.jr[j, p] - mesh.reference[j, p])
            for p in range(3):
                junctions[j, p] -= pull * mesh.dof_axis[d, p]
    for line in range(mesh.flipped.size):
        for side in range(2):
            n = mesh.node_start[line] if side == 0 else mesh.node_start[line + 1] - 1
            for p in range(3):
                junctions[mesh.junction[line, side], p] += nodes[n, p]


@kernel
def _largest(mesh, nodes, junctions, misses):
    """Largest force out of balance at what is free to move (N) and largest miss of a length (m)."""
    force = 0.0
    for line in range(mesh.flipped.size):
        for n in range(mesh.node_start[line] + 1, mesh.node_start[line + 1] - 1):
            force = max(force, abs(nodes[n, 0]), abs(nodes[n, 1]), abs(nodes[n, 2]))
    for j in range(mesh.motion.size):
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            total = 0.0
            for p in range(3):
                total += mesh.dof_axis[d, p] * junctions[j, p]
            force = max(force, abs(total))
    miss = 0.0
    for e in range(misses.size):
        miss = max(miss, abs(misses[e]))
    return force, miss


@kernel
def _restore(x, kept):
    x.r[:] = kept.r
    x.T[:] = kept.T
    x.jr[:] = kept.jr


@kernel
def find_equilibrium(t, mesh, sea, motions, work, force_scale, length_scale, nodes, junctions, misses, kept):
    """Bring `work.trial` to rest under the loads at time t; returns outcome, iterations, force (N), miss (m).

    kept : Moving for the last good state; nodes, junctions, misses : as in :func:`unbalance`
    """
    x = work.trial
    x.v[:] = 0.0
    x.a[:] = 0.0
    x.jv[:] = 0.0
    x.ja[:] = 0.0
    move_junctions(t, mesh, motions, x, work.memory.dt)
    x.jv[:] = 0.0
    x.ja[:] = 0.0
    join_ends(x.r, x.v, x.a, x.jr, x.jv, x.ja, mesh)
    rho, g = sea.water_density, sea.gravity
    first = FIRST_MASS * max(g, 1.0) / length_scale
    mass = 0.0
    best = np.inf
    force, miss = np.inf, np.inf
    outcome = STUCK
    iterations = 0
    for k in range(MOST_ITERATIONS + 1):
        if rho > 0.0:
            water_at(x.r, t, sea, work.flow)
            water_at(x.jr, t, sea, work.jflow)
        unbalance(x, work.flow, work.jflow, mesh, rho, g, work.memory, nodes, junctions, misses)
        force, miss = _largest(mesh, nodes, junctions, misses)
        merit = force / force_scale + miss / length_scale
        if merit < best:  # false for NaN
            best = merit
            kept.r[:] = x.r
            kept.T[:] = x.T
            kept.jr[:] = x.jr
            mass = mass * MASS_DOWN if mass > first else 0.0
            if force <= FORCE_TOLERANCE * force_scale and miss <= LENGTH_TOLERANCE * length_scale:
                outcome = CONVERGED
                break
        elif k > 0 and (not np.isfinite(merit) or mass > 0.0 or merit > 2.0 * best or k > 40):
            _restore(x, kept)
            join_ends(x.r, x.v, x.a, x.jr, x.jv, x.ja, mesh)
            mass = max(first, mass * MASS_UP)
            if mass > MOST_MASS * first:
                break
            unbalance(x, work.flow, work.jflow, mesh, rho, g, work.memory, nodes, junctions, misses)
        if k == MOST_ITERATIONS:
            break
        iterations += 1
        newton_iteration(
            x.r, x.v, x.a, x.T, x.jr, x.jv, x.ja, work.flow, work.jflow, mesh, rho, g, mass, 0.0, work.memory
        )
        x.a[:] = 0.0
        x.ja[:] = 0.0
    _restore(x, kept)
    join_ends(x.r, x.v, x.a, x.jr, x.jv, x.ja, mesh)
    unbalance(x, work.flow, work.jflow, mesh, rho, g, work.memory, nodes, junctions, misses)
    force, miss = _largest(mesh, nodes, junctions, misses)
    if outcome == STUCK and force <= STUCK_TOLERANCE * force_scale and miss <= STUCK_TOLERANCE * length_scale:
        outcome = CONVERGED
    return outcome, iterations, force, miss


def guess(model: Model, mesh: Mesh, work: Work) -> None:
    """Lay every line of `work.trial` along the catenary of its mean weight and stiffness, junctions as they are."""
    x, sea = work.trial, model.sea
    height = sea.depth if sea.has_seabed else np.inf
    for line in range(mesh.flipped.size):
        n = slice(mesh.node_start[line], mesh.node_start[line + 1])
        e = slice(mesh.element_start[line], mesh.element_start[line + 1])
        ends = [x.jr[mesh.junction[line, k]] + mesh.end_offset[line, k] for k in (0, 1)]
        if mesh.flipped[line]:
            ends.reverse()
        L = model.lines.length[line]
        lift = sea.water_density * (2.0 * mesh.element[e, HALF_VOLUME].sum() + mesh.node[n, VOLUME].sum())
        weight = (mesh.node[n, MASS].sum() - lift) * sea.gravity - mesh.node[n, FORCE + 2].sum()
        chord = ends[1] - ends[0]
        span = float(np.hypot(chord[0], chord[1]))
        direction = chord[:2] / span if span > 0.0 else np.array([1.0, 0.0])
        stiffness = _stiffness(mesh, e, L)
        row = np.zeros(N_COLUMNS)
        bed = ends[0][2] + height if height < np.inf else np.inf
        status = solve_line(span, float(chord[2]), L, stiffness, weight / L, 0.0, bed, row)
        if status < 0:  # too short to hang: straight and taut
            stiffness = 10.0 * max(abs(weight), 1.0) / max(float(np.linalg.norm(chord)) / L - 1.0, SMALLEST_STRAIN)
            status = solve_line(span, float(chord[2]), L, stiffness, weight / L, 0.0, bed, row)
        if status < 0:
            _straight(mesh, x.r, x.T, n, e, ends, L)
            continue
        shape = line_shape(mesh.s[n].copy(), span, float(chord[2]), L, stiffness, weight / L, 0.0, status, row)
        x.r[n, :2] = ends[0][:2] + shape[:, :1] * direction
        x.r[n, 2] = ends[0][2] + shape[:, 1]
        T = np.hypot(shape[:, 2], shape[:, 3])
        x.T[e] = 0.5 * (T[1:] + T[:-1])


def _straight(mesh: Mesh, r: Array, T: Array, n: slice, e: slice, ends: list[Array], L: float) -> None:
    r[n] = ends[0] + (mesh.s[n] / L)[:, None] * (ends[1] - ends[0])
    T[e] = 0.0


def _stiffness(mesh: Mesh, e: slice, L: float) -> float:
    """Axial stiffness of the whole line, from the secants of its laws."""
    flexibility = 0.0
    for i in range(e.start, e.stop):
        kind, start, stop = mesh.law[i]
        if kind != INEXTENSIBLE:
            T = tension(GUESS_STRAIN, kind, mesh.law_data, start, stop)[0]
            flexibility += mesh.length[i] * GUESS_STRAIN / T
    return L / flexibility if flexibility > 0.0 else np.inf
