r"""One Newton iteration on all lines: assemble and eliminate along each line, solve the junctions, go back.

Lines between two held ends are independent; a line with one held end leaves its other end's block; a line
between two free junctions leaves a block for both. What remains, the degrees of freedom of the junctions and the
last tension of each line, is a small dense system. Trees and loops of lines are the same to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.numerics.blockelimination import begin_chain, carry_far_end, eliminate_node, invert_block, solve_dense
from ropewalk.numerics.compile import kernel
from ropewalk.physics.seabed import contact_derivatives
from ropewalk.solvers.mixed_element import element_system
from ropewalk.solvers.mixed_mesh import ADDED, BED_AREA, DRAG_AREA, FORCE, MASS, RADIUS, VOLUME, Mesh

SPHERE = 0.23873241463784300  # 3/(4 pi): the cube of a sphere's radius per volume


class Elimination(NamedTuple):
    """Memory of the elimination; filled by `eliminate_line`, read by `substitute_line`."""

    gain: Array  # (n_nodes, 4, 4) motion of a node per unknown of the next
    offset: Array  # (n_nodes, 4)
    reach: Array  # (n_nodes, 4, 3) motion of a node per motion of the line's first node
    end_block: Array  # (n_lines, 4, 4) of the last node and the last tension
    end_right: Array  # (n_lines, 4)
    far: Array  # (n_lines, 8, 8) of the first node, of lines with two free ends; see `carry_far_end`
    matrix: Array  # (m, m) of the junctions
    right: Array  # (m,)
    K: Array  # (7, 7) scratch
    R: Array  # (7,)
    block: Array  # (4, 4)
    inverse: Array  # (4, 4)
    right4: Array  # (4,)
    u: Array  # (3,) scratch vectors
    t: Array
    f: Array
    x: Array
    du: Array  # (3, 3) scratch matrices
    dt: Array
    jump: Array  # (2, 3)


def allocate_elimination(mesh: Mesh) -> Elimination:
    """Memory for one Newton iteration."""
    n_nodes, n_lines = mesh.s.size, mesh.flipped.size
    m = int(mesh.dof_start[-1]) + n_lines
    return Elimination(
        gain=np.zeros((n_nodes, 4, 4)),
        offset=np.zeros((n_nodes, 4)),
        reach=np.zeros((n_nodes, 4, 3)),
        end_block=np.zeros((n_lines, 4, 4)),
        end_right=np.zeros((n_lines, 4)),
        far=np.zeros((n_lines, 8, 8)),
        matrix=np.zeros((m, m)),
        right=np.zeros(m),
        K=np.zeros((7, 7)),
        R=np.zeros(7),
        block=np.zeros((4, 4)),
        inverse=np.zeros((4, 4)),
        right4=np.zeros(4),
        u=np.zeros(3),
        t=np.zeros(3),
        f=np.zeros(3),
        x=np.zeros(3),
        du=np.zeros((3, 3)),
        dt=np.zeros((3, 3)),
        jump=np.zeros((2, 3)),
    )


@kernel
def lump(n, o, r, v, a, flow, mass, volume, drag_area, added, rho, g, bp, gp, K, R):
    """Weight, inertia, buoyancy, drag and added mass of a lumped thing at row n, added to R and K from row o on.

    r, v, a : (n, 3)    flow : (n, 8) of the water    mass : kg    volume : m3 (a sphere at the surface)
    drag_area : coefficient times area, m2    added : added mass, kg
    """
    R[o + 2] += mass * g
    for p in range(3):
        R[o + p] += mass * a[n, p]
        K[o + p, o + p] += mass * bp
    if rho <= 0.0 or (volume == 0.0 and drag_area == 0.0 and added == 0.0):
        return
    radius = (SPHERE * volume) ** (1.0 / 3.0)
    height = r[n, 2] - flow[n, 7]
    wet = 1.0
    slope = 0.0
    if height > -radius:
        if height >= radius:
            return
        h = (radius - height) / radius  # submerged height over radius, 0 to 2
        wet = 0.25 * h * h * (3.0 - h)
        slope = -0.75 * h * (2.0 - h) / radius
    R[o + 2] -= rho * g * volume * wet
    K[o + 2, o + 2] -= rho * g * volume * slope
    ux, uy, uz = flow[n, 0] - v[n, 0], flow[n, 1] - v[n, 1], flow[n, 2] - v[n, 2]
    speed = np.sqrt(ux * ux + uy * uy + uz * uz)
    b = 0.5 * rho * drag_area * wet
    share = gp * b / speed if speed > 0.0 else 0.0
    for p in range(3):
        up = flow[n, p] - v[n, p]
        R[o + p] -= b * speed * up + added * wet * (flow[n, 3 + p] - a[n, p]) + rho * volume * wet * flow[n, 3 + p]
        K[o + p, o + p] += gp * b * speed + bp * added * wet
        K[o + p, o] += share * up * ux
        K[o + p, o + 1] += share * up * uy
        K[o + p, o + 2] += share * up * uz


@kernel
def node_terms(n, o, r, v, a, flow, node, mass_damping, bed, plane, bed_law, rho, g, bp, gp, K, R, x, u, f, dx, dv):
    """Weight, inertia, attachments and bed of node n, added to R and K from row o on.

    node : of the mesh    bed : whether there is one    plane, bed_law : of physics/seabed.py
    x, u, f, dx, dv : scratch (3,), (3,), (3,), (3, 3), (3, 3)
    """
    m = node[n, MASS]
    R[o + 2] += m * g
    for p in range(3):
        R[o + p] += m * (a[n, p] + mass_damping * v[n, p]) - node[n, FORCE + p]
        K[o + p, o + p] += m * (bp + mass_damping * gp)
    if node[n, VOLUME] > 0.0 or node[n, DRAG_AREA] > 0.0 or node[n, ADDED] > 0.0:
        lump(n, o, r, v, a, flow, 0.0, node[n, VOLUME], node[n, DRAG_AREA], node[n, ADDED], rho, g, bp, gp, K, R)
    if not bed:
        return
    radius = node[n, RADIUS]
    if plane[0] * r[n, 0] + plane[1] * r[n, 1] + plane[2] * r[n, 2] >= plane[3] + radius:
        return
    for p in range(3):
        x[p] = r[n, p]
        u[p] = v[n, p]
    contact_derivatives(x, u, plane, bed_law, node[n, BED_AREA], radius, f, dx, dv)
    for p in range(3):
        R[o + p] -= f[p]
        for c in range(3):
            K[o + p, o + c] -= dx[p, c] + gp * dv[p, c]


@kernel
def eliminate_line(line, r, v, a, T, flow, mesh, rho, g, bp, gp, memory):
    """Assemble a line and eliminate its inner nodes; returns False if a pivot vanished."""
    K, R, block, inverse, right = memory.K, memory.R, memory.block, memory.inverse, memory.right4
    u, t, f, x, du, dt = memory.u, memory.t, memory.f, memory.x, memory.du, memory.dt
    gain, offset = memory.gain, memory.offset
    node, element, law, law_data = mesh.node, mesh.element, mesh.law, mesh.law_data
    bed, plane, bed_law, damping = mesh.has_bed, mesh.bed_plane, mesh.bed_law, mesh.mass_damping
    two_sided = mesh.two_sided[line] == 1
    far = memory.far[line]
    n0 = mesh.node_start[line]
    e0 = mesh.element_start[line]
    n_elements = mesh.element_start[line + 1] - e0
    for k in range(n_elements):
        i = n0 + k
        element_system(
            e0 + k, i, i + 1, r, v, a, T, flow, element, law, law_data, rho, g, bp, gp, K, R, u, t, f, du, dt
        )
        node_terms(i + 1, 3, r, v, a, flow, node, damping, bed, plane, bed_law, rho, g, bp, gp, K, R, x, u, f, du, dt)
        if k == 0:
            begin_chain(K, R, block, right)
            if two_sided:
                node_terms(
                    i, 0, r, v, a, flow, node, damping, bed, plane, bed_law, rho, g, bp, gp, K, R, x, u, f, du, dt
                )
                far[:7, :7] = K
                far[:7, 7] = -R
            continue
        for p in range(3):
            right[p] -= R[p]
            for c in range(3):
                block[p, c] += K[p, c]
        if not invert_block(block, inverse):
            return False
        eliminate_node(i, K, inverse, block, right, gain, offset)
        for p in range(4):
            right[p] -= R[3 + p]
        if two_sided:
            carry_far_end(i, K, inverse, gain, offset, far, memory.reach)
    memory.end_block[line] = block
    memory.end_right[line] = right
    return True


@kernel
def junction_terms(mesh, jr, jv, ja, jflow, rho, g, bp, gp, memory):
    """Lumped things, forces and springs of the free junctions, put into the emptied dense system."""
    K, R = memory.du, memory.f
    memory.matrix[:, :] = 0.0
    memory.right[:] = 0.0
    for j in range(mesh.motion.size):
        d0, d1 = mesh.dof_start[j], mesh.dof_start[j + 1]
        if d0 == d1:
            continue
        K[:, :] = 0.0
        R[:] = 0.0
        lump(
            j, 0, jr, jv, ja, jflow, mesh.junction_mass[j], mesh.junction_volume[j], mesh.junction_drag_area[j],
            mesh.junction_added_mass[j], rho, g, bp, gp, K, R,
        )  # fmt: skip
        for p in range(3):
            R[p] -= mesh.junction_force[j, p]
        for d in range(d0, d1):
            axis = mesh.dof_axis[d]
            for p in range(3):
                memory.right[d] -= axis[p] * R[p]
                memory.right[d] -= mesh.dof_spring[d] * axis[p] * (jr[j, p] - mesh.reference[j, p])
                for c in range(d0, d1):
                    for q in range(3):
                        memory.matrix[d, c] += axis[p] * K[p, q] * mesh.dof_axis[c, q]
            memory.right[d] += mesh.dof_force[d]
            memory.matrix[d, d] += mesh.dof_spring[d]


@kernel
def _along(vector, axis):
    return vector[0] * axis[0] + vector[1] * axis[1] + vector[2] * axis[2]


@kernel
def add_line_to_junctions(line, mesh, n_dofs, memory):
    """Put the end blocks of a line into the dense system."""
    A, b = memory.matrix, memory.right
    D, g = memory.end_block[line], memory.end_right[line]
    k = n_dofs + line
    j = mesh.junction[line, 1]
    A[k, k] = D[3, 3]
    b[k] = g[3]
    for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
        axis = mesh.dof_axis[d]
        b[d] += _along(g, axis)
        for p in range(3):
            A[d, k] += axis[p] * D[p, 3]
            A[k, d] += axis[p] * D[3, p]
            for c in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
                A[d, c] += axis[p] * _along(D[p], mesh.dof_axis[c])
    if mesh.two_sided[line] == 0:
        return
    i = mesh.junction[line, 0]
    far = memory.far[line]
    for d in range(mesh.dof_start[i], mesh.dof_start[i + 1]):
        axis = mesh.dof_axis[d]
        A[k, d] += _along(far[6], axis)
        for p in range(3):
            b[d] += axis[p] * far[p, 7]
            A[d, k] += axis[p] * far[p, 6]
            for c in range(mesh.dof_start[i], mesh.dof_start[i + 1]):
                A[d, c] += axis[p] * _along(far[p], mesh.dof_axis[c])
            for c in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
                A[d, c] += axis[p] * _along(far[p, 3:], mesh.dof_axis[c])
                A[c, d] += mesh.dof_axis[c, p] * _along(far[3 + p], axis)


@kernel
def substitute_line(line, r, v, a, T, mesh, bp, gp, memory, jump, kick):
    """Go back along a line with the jumps of its ends and its last tension; returns the largest move and kick.

    jump : (2, 3) displacements of the first and last node, m    kick : change of the last tension, N
    """
    n0 = mesh.node_start[line]
    e0 = mesh.element_start[line]
    n_elements = mesh.element_start[line + 1] - e0
    two_sided = mesh.two_sided[line] == 1
    gain, offset, reach = memory.gain, memory.offset, memory.reach
    T[e0 + n_elements - 1] += kick
    largest_move = 0.0
    largest_kick = abs(kick)
    x0, x1, x2, x3 = jump[1, 0], jump[1, 1], jump[1, 2], kick
    for k in range(n_elements - 1, 0, -1):
        i = n0 + k
        w0 = offset[i, 0] - (gain[i, 0, 0] * x0 + gain[i, 0, 1] * x1 + gain[i, 0, 2] * x2 + gain[i, 0, 3] * x3)
        w1 = offset[i, 1] - (gain[i, 1, 0] * x0 + gain[i, 1, 1] * x1 + gain[i, 1, 2] * x2 + gain[i, 1, 3] * x3)
        w2 = offset[i, 2] - (gain[i, 2, 0] * x0 + gain[i, 2, 1] * x1 + gain[i, 2, 2] * x2 + gain[i, 2, 3] * x3)
        w3 = offset[i, 3] - (gain[i, 3, 0] * x0 + gain[i, 3, 1] * x1 + gain[i, 3, 2] * x2 + gain[i, 3, 3] * x3)
        if two_sided:
            w0 -= reach[i, 0, 0] * jump[0, 0] + reach[i, 0, 1] * jump[0, 1] + reach[i, 0, 2] * jump[0, 2]
            w1 -= reach[i, 1, 0] * jump[0, 0] + reach[i, 1, 1] * jump[0, 1] + reach[i, 1, 2] * jump[0, 2]
            w2 -= reach[i, 2, 0] * jump[0, 0] + reach[i, 2, 1] * jump[0, 1] + reach[i, 2, 2] * jump[0, 2]
            w3 -= reach[i, 3, 0] * jump[0, 0] + reach[i, 3, 1] * jump[0, 1] + reach[i, 3, 2] * jump[0, 2]
        x0, x1, x2, x3 = w0, w1, w2, w3
        r[i, 0] += x0
        r[i, 1] += x1
        r[i, 2] += x2
        v[i, 0] += gp * x0
        v[i, 1] += gp * x1
        v[i, 2] += gp * x2
        a[i, 0] += bp * x0
        a[i, 1] += bp * x1
        a[i, 2] += bp * x2
        T[e0 + k - 1] += x3
        largest_move = max(largest_move, abs(x0), abs(x1), abs(x2))
        largest_kick = max(largest_kick, abs(x3))
    if not (np.isfinite(x0 + x1 + x2 + x3)):
        return np.inf, np.inf
    return largest_move, largest_kick


@kernel
def newton_iteration(r, v, a, T, jr, jv, ja, flow, jflow, mesh, rho, g, bp, gp, memory):
    """One Newton iteration in place; returns the largest move (m) and change of tension (N), infinite on failure.

    r, v, a, T : of the nodes and elements    jr, jv, ja : of the junctions    flow, jflow : of the water there
    """
    n_lines = mesh.flipped.size
    n_dofs = mesh.dof_start[-1]
    for line in range(n_lines):
        if not eliminate_line(line, r, v, a, T, flow, mesh, rho, g, bp, gp, memory):
            return np.inf, np.inf
    if n_dofs > 0:
        junction_terms(mesh, jr, jv, ja, jflow, rho, g, bp, gp, memory)
        for line in range(n_lines):
            add_line_to_junctions(line, mesh, n_dofs, memory)
        if not solve_dense(memory.matrix, memory.right):
            return np.inf, np.inf
    else:
        for line in range(n_lines):
            memory.right[line] = memory.end_right[line, 3] / memory.end_block[line, 3, 3]
    move = 0.0
    kick = 0.0
    jump = memory.jump
    for line in range(n_lines):
        for side in range(2):
            j = mesh.junction[line, side]
            jump[side, :] = 0.0
            for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
                for p in range(3):
                    jump[side, p] += memory.right[d] * mesh.dof_axis[d, p]
        m, k = substitute_line(line, r, v, a, T, mesh, bp, gp, memory, jump, memory.right[n_dofs + line])
        move = max(move, m)
        kick = max(kick, k)
    for j in range(mesh.motion.size):
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            q = memory.right[d]
            for p in range(3):
                jr[j, p] += q * mesh.dof_axis[d, p]
                jv[j, p] += gp * q * mesh.dof_axis[d, p]
                ja[j, p] += bp * q * mesh.dof_axis[d, p]
            move = max(move, abs(q))
    join_ends(r, v, a, jr, jv, ja, mesh)
    if not np.isfinite(move + kick):
        return np.inf, np.inf
    return move, kick


@kernel
def join_ends(r, v, a, jr, jv, ja, mesh):
    """Put the end nodes of all lines where their junctions are."""
    for line in range(mesh.flipped.size):
        for side in range(2):
            n = mesh.node_start[line] if side == 0 else mesh.node_start[line + 1] - 1
            j = mesh.junction[line, side]
            for p in range(3):
                r[n, p] = jr[j, p] + mesh.end_offset[line, side, p]
                v[n, p] = jv[j, p]
                a[n, p] = ja[j, p]
