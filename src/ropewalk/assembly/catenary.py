"""Forces and stiffness of closed-form lines, hulls, weights and joints, put together.

Degrees of freedom: three of each point, along the axes of its joint, then six of each body, a
translation and a rotation about world axes through its origin. Forces are on points and bodies;
stiffness is K = -dF/dx.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.element import three
from ropewalk.loads.body import Shells, still_block
from ropewalk.loads.given import spring_pull
from ropewalk.loads.point import still_lift
from ropewalk.model.arrays import Array, Flags, Ints, Records, records
from ropewalk.model.lines import BODY
from ropewalk.numerics.blockelimination import dot, sub3
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics import catenary, catenary_line
from ropewalk.physics.catenary_free import BAD_INPUT, SOLUTION
from ropewalk.physics.catenary_pieces import Pieces, lowest
from ropewalk.physics.hydrostatics import arm_stiffness
from ropewalk.physics.rigidbody import add_block

STRAIGHT_DOWN = 1e-13  # m, span below which the vertical plane of a line has no direction
DIP = 1e-12  # of a line's length: depth below its end that is round-off


class Assembly(NamedTuple):
    """What the kernels of this file read; filled by `catenary_build.py` from the Model at one time.

    ``several`` and ``bodied`` are None where a case has no such part: the type of None leaves the kernels of that part
    out of what is compiled.
    """

    several: int | None  # 1 if a line has several pieces
    bodied: int | None  # 1 if there are bodies

    # lines, single pieces and pieces laid end to end
    length: Array  # (n,) m
    stiffness: Array  # (n,) EA of lines of one piece, N
    weight: Array  # (n,) in water, of lines of one piece, N/m
    friction: float
    bed: Array  # (n,) height of the axis of a line that rests on the bed, -inf without a bed, m
    end_kind: Ints  # (n, 2)
    end_index: Ints  # (n, 2)
    end_offset: Array  # (n, 2, 3) body frame, m
    piece_start: Ints  # (n + 1,) pieces cut at attachments too
    piece_length: Array  # m
    piece_stiffness: Array  # N
    piece_weight: Array  # N/m
    piece_load: Array  # downward force at the far end of each piece, N; the last of a line is 0
    dofs: Ints  # (n, 12) degrees of freedom of both ends, -1 where a point has none
    # points
    reference: Array  # (p, 3) where springs pull to, m
    frame: Array  # (p, 3, 3)
    axis: Records  # (p, 3) of AXIS of model/joints.py
    force: Array  # (p, 3) weight included, buoyancy not, N
    volume: Array  # (p,) m3
    # bodies
    body: Records  # (b,) of BODY of loads/body.py
    shells: Shells
    density: float  # of water, kg/m3
    gravity: float  # m/s2


def present_parts(assembly: Assembly) -> tuple[int | None, int | None]:
    """Marks that distinguish the types of assemblies."""
    return assembly.several, assembly.bodied


class Balance(NamedTuple):
    """What `evaluate` fills."""

    force: Array  # (n_dofs,) N, N m
    line_force: Array  # (n_dofs,) the share of the lines
    blocks: Array  # (n_lines, 12, 12) stiffness of each line between the dofs of its ends
    own: Array  # (n_points + n_bodies, 6, 6) stiffness of springs, buoyancy, weight
    end_force: Array  # (n_lines, 2, 3) of the line on what holds it, N
    solution: Records  # (n_lines,) of SOLUTION of physics/catenary_free.py
    status: Ints  # (n_lines,)
    raised: Flags  # (n_lines,) an end within the contact radius of the bed lies on it, at the height of rest
    jacobian: Array  # (2, 2, 3, 3) work: d end_force / d end position


def balance(n_points: int, n_bodies: int, n_lines: int) -> Balance:
    """Memory for `evaluate`."""
    n = 3 * n_points + 6 * n_bodies
    return Balance(
        force=np.zeros(n),
        line_force=np.zeros(n),
        blocks=np.zeros((n_lines, 12, 12)),
        own=np.zeros((n_points + n_bodies, 6, 6)),
        end_force=np.zeros((n_lines, 2, 3)),
        solution=records(n_lines, SOLUTION),
        status=np.zeros(n_lines, dtype=np.int64),
        raised=np.zeros(n_lines, dtype=np.bool_),
        jacobian=np.zeros((2, 2, 3, 3)),
    )


@kernel(**UNCOUNTED)
def in_space(solution, dx, ex, ey, force, jacobian):
    r"""Turns a line in its vertical plane into end forces (N) and their derivatives (N/m) in space.

    Source: docs/theory/assemblies.md, The energy of a string is convex; the swing is that of a pendulum.

    .. math:: F_A = H_A e + V_A z, \quad F_B = -H_B e - V_B z, \quad
              \partial F/\partial r_B \ni \frac{H}{\Delta x} (1 - e e^T - z z^T)

    solution : record of SOLUTION    dx : span, m    (ex, ey) : horizontal unit vector from A to B
    force : (2, 3)    jacobian : (2, 2, 3, 3), [end, moved end]
    """
    for a in range(2):
        sign = 1.0 if a == 0 else -1.0
        H, V = (solution.h_a, solution.v_a) if a == 0 else (-solution.h_b, -solution.v_b)
        force[a, 0], force[a, 1], force[a, 2] = H * ex, H * ey, V
        k = 2 * a  # rows of H and V at this end
        for b in range(2):
            toward = -1.0 if b == 0 else 1.0
            hx = sign * toward * solution.stiffness[k, 0]
            hz = sign * solution.stiffness[k, 1 + b]
            vx = sign * toward * solution.stiffness[k + 1, 0]
            vz = sign * solution.stiffness[k + 1, 1 + b]
            swing = toward * H / dx if dx > 0.0 else hx
            jacobian[a, b, 0, 0] = hx * ex * ex + swing * ey * ey
            jacobian[a, b, 0, 1] = (hx - swing) * ex * ey
            jacobian[a, b, 1, 0] = (hx - swing) * ex * ey
            jacobian[a, b, 1, 1] = hx * ey * ey + swing * ex * ex
            jacobian[a, b, 0, 2], jacobian[a, b, 1, 2] = hz * ex, hz * ey
            jacobian[a, b, 2, 0], jacobian[a, b, 2, 1] = vx * ex, vx * ey
            jacobian[a, b, 2, 2] = vz


# Handing a named tuple to a kernel counts references of every array in it, about 1 us for an Assembly, so
# what is called once per line or point takes the arrays it uses.


@kernel(**UNCOUNTED)
def place_end(kind, index, offset, points, bodies, quaternions, arm, r):
    """Position (m) of a line's end, r = x + R o, and its lever arm (m, world) from the body's origin, 0 on a point.

    Source: rotation by a unit quaternion, [Sola2018]; docs/theory/assemblies.md, Bodies.

    kind, index, offset : of the end, BODY or other, row of its part, place in the body frame (m)
    points, bodies : (n, 3) positions, m    quaternions : (n, 4)    arm, r : (3,) filled, m
    """
    if kind == BODY:
        q = quaternions[index]
        w, x, y, z = q[0], q[1], q[2], q[3]
        u, v, t = offset[0], offset[1], offset[2]
        # o + 2 w (n x o) + 2 n x (n x o), n the vector part
        cx, cy, cz = y * t - z * v, z * u - x * t, x * v - y * u
        arm[0] = u + 2.0 * (w * cx + y * cz - z * cy)
        arm[1] = v + 2.0 * (w * cy + z * cx - x * cz)
        arm[2] = t + 2.0 * (w * cz + x * cy - y * cx)
        for j in range(3):
            r[j] = bodies[index, j] + arm[j]
    else:
        for j in range(3):
            arm[j] = 0.0
            r[j] = points[index, j]


@kernel
def highest_end(end_kind, end_index, end_offset, points, bodies, quaternions):
    """Height (m) of the highest line end: z = max over all ends of their z.  Source: definition.

    end_kind, end_index, end_offset : (n_lines, 2), of all ends    others as :func:`place_end`
    """
    arm, r = np.empty(3), np.empty(3)
    top = -np.inf
    for i in range(end_kind.shape[0]):
        for a in range(2):
            place_end(end_kind[i, a], end_index[i, a], end_offset[i, a], points, bodies, quaternions, arm, r)
            top = max(top, r[2])
    return top


@kernel(**UNCOUNTED)
def end_map(kind, arm, frame, out):
    r"""(3, 6) map from the dofs of a line's end to its displacement; returns the number of dofs, 3 or 6.

    .. math:: \delta r = \delta x + \theta \times a

    Source: docs/theory/assemblies.md, The exact 6 x 6 stiffness; the axes of its joint for a point.

    kind : BODY or other    arm : a, (3,) m    frame : (3, 3) axes of the joint of a point, rows    out : (3, 6) filled
    """
    out[:, :] = 0.0
    if kind == BODY:
        for j in range(3):
            out[j, j] = 1.0
        out[0, 4], out[0, 5] = arm[2], -arm[1]
        out[1, 3], out[1, 5] = -arm[2], arm[0]
        out[2, 3], out[2, 4] = arm[1], -arm[0]
        return 6
    for j in range(3):
        for m in range(3):
            out[j, m] = frame[m, j]
    return 3


@kernel
def pieces_of(assembly, i):
    """Lengths (m), stiffnesses (N), weights (N/m) of the pieces of line i, and the loads (N) between them.

    Bookkeeping: views of the arrays of an assembly.
    """
    first, last = assembly.piece_start[i], assembly.piece_start[i + 1]
    return (
        assembly.piece_length[first:last],
        assembly.piece_stiffness[first:last],
        assembly.piece_weight[first:last],
        assembly.piece_load[first : last - 1],
    )


@kernel(separate=True)
def _solve_over(assembly, i, dx, dz, height, out):
    """Closed form of line i with span dx and rise dz (m), end A `height` above its bed; returns the status.

    Bookkeeping: a line of one piece goes to :func:`ropewalk.physics.catenary.solve_line`, others to `solve_pieces`.
    """
    first, last = assembly.piece_start[i], assembly.piece_start[i + 1]
    if last - first == 1:
        return catenary.solve_line(
            dx, dz, assembly.length[i], assembly.stiffness[i], assembly.weight[i], assembly.friction, height, out
        )
    return _solve_pieces(assembly.several, assembly, i, dx, dz, height, out)


@kernel(separate=True)
def _solve_pieces(several, assembly, i, dx, dz, height, out):
    """As :func:`_solve_over`, for a line of several pieces."""
    if several is None:
        return BAD_INPUT
    return catenary_line.solve_pieces(dx, dz, pieces_of(assembly, i), assembly.friction, height, out)


@kernel
def _rises(assembly, i, dz, low_a, low_b, solution):
    """True if a line that hangs free goes up from each end that is low, and nowhere below it.

    Source: V_A >= 0 and V_B <= 0 (N) at low ends, and no point below them (:func:`lowest`).

    assembly : `Assembly`    i : line    dz : height of B over A, m    low_a, low_b : ends that lie low
    solution : record of SOLUTION
    """
    if (low_a and solution.v_a < 0.0) or (low_b and solution.v_b > 0.0):
        return False
    L, EA, w, load = pieces_of(assembly, i)
    deepest = lowest(0.0, solution.h_a, solution.v_a, 0.0, Pieces(L, 1.0 / EA, w, load))
    least = min(0.0, dz) if low_a and low_b else (0.0 if low_a else dz)
    return deepest >= least - DIP * assembly.length[i]


@kernel(separate=True)
def solve_in_plane(assembly, i, dx, z_a, z_b, out):
    """Closed form of line i between heights z_a and z_b (m), span dx (m); returns the status and whether it is raised.

    Source: docs/theory/catenary.md, On a flat bed: z = max(z, z_bed) for an end that lies on it.

    An end may be held within the contact radius of the bed, or below it. A line that leaves such an end upwards has
    no part on the bed and hangs from where it is held; otherwise the end lies on the bed like the line beside it.
    """
    bed = assembly.bed[i]
    low_a, low_b = z_a < bed, z_b < bed
    if low_a or low_b:
        status = _solve_over(assembly, i, dx, z_b - z_a, np.inf, out)
        if status > 0 and _rises(assembly, i, z_b - z_a, low_a, low_b, out):
            return status, False
    z_a, z_b = max(z_a, bed), max(z_b, bed)
    return _solve_over(assembly, i, dx, z_b - z_a, z_a - bed, out), low_a or low_b


@kernel(separate=True)
def line_rows(assembly, i, s, dx, dz, status, solution):
    """Line i at the arc lengths s: (n, 4) of x, z from end A (m) and H, V (N).

    Bookkeeping: one piece goes to :func:`ropewalk.physics.catenary.line_shape`, several to `pieces_shape`.
    """
    first, last = assembly.piece_start[i], assembly.piece_start[i + 1]
    if last - first > 1:
        return _piece_rows(assembly.several, assembly, i, s, dx, dz, status, solution)
    return catenary.line_shape(
        s, dx, dz, assembly.length[i], assembly.stiffness[i], assembly.weight[i], assembly.friction, status, solution
    )


@kernel(separate=True)
def _piece_rows(several, assembly, i, s, dx, dz, status, solution):
    """As :func:`line_rows`, for a line of several pieces."""
    if several is None:
        return np.empty((0, 4))
    return catenary_line.pieces_shape(s, dx, dz, pieces_of(assembly, i), assembly.friction, status, solution)


@kernel(**UNCOUNTED)
def heading(r):
    """Span (m) and horizontal direction from end A to end B of ends r (2, 3), x where there is none.

    Source: definition, dx = |(x_B - x_A, y_B - y_A)|, e = (x_B - x_A, y_B - y_A)/dx.
    """
    ex, ey = r[1, 0] - r[0, 0], r[1, 1] - r[0, 1]
    dx = np.hypot(ex, ey)
    if dx > STRAIGHT_DOWN:
        return dx, ex / dx, ey / dx
    return 0.0, 1.0, 0.0


@kernel
def _add_to_dofs(maps, counts, arms, dofs, end_force, jacobian, block, line_force):
    r"""Add the end forces (N) of a line and their derivatives (N/m) to the dofs of its ends.

    .. math:: K_i = -J^T \frac{\partial f}{\partial r} J
              - \begin{pmatrix} 0 & 0 \\ 0 & a f^T - (a \cdot f)\,1 \end{pmatrix}

    Source: docs/theory/assemblies.md, The exact 6 x 6 stiffness.

    maps, counts, arms : J (3, 6) of both ends, their numbers of dofs, arms a (m)    end_force : (2, 3) N
    jacobian : (2, 2, 3, 3) of the end forces by the ends, N/m    block : (12, 12) filled
    line_force : (n_dofs,) added to
    """
    block[:, :] = 0.0
    half = np.empty((3, 6))
    for a in range(2):
        for m in range(counts[a]):
            for j in range(3):
                line_force[dofs[6 * a + m]] += maps[a, j, m] * end_force[a, j]
        if counts[a] == 6:  # the moment turns with the arm
            add_block(block, 6 * a + 3, 6 * a + 3, arm_stiffness(three(end_force, a), three(arms, a)))
        for b in range(2):
            for j in range(3):
                for n in range(counts[b]):
                    half[j, n] = (
                        jacobian[a, b, j, 0] * maps[b, 0, n]
                        + jacobian[a, b, j, 1] * maps[b, 1, n]
                        + jacobian[a, b, j, 2] * maps[b, 2, n]
                    )
            for m in range(counts[a]):
                for n in range(counts[b]):
                    block[6 * a + m, 6 * b + n] -= (
                        maps[a, 0, m] * half[0, n] + maps[a, 1, m] * half[1, n] + maps[a, 2, m] * half[2, n]
                    )


@kernel(**UNCOUNTED)
def _add_point(assembly, k, position, out_force, own):
    r"""Weight, buoyancy, force and springs of point k (N), along the axes of its joint.

    .. math:: F = F_0 + \rho g V w(z)\, e_z + f(x), \qquad x = e \cdot (r - r_0)

    Source: docs/theory/assemblies.md, Points, and :func:`ropewalk.loads.point.still_lift`; weight is part of F_0.

    assembly : `Assembly`    position : (3,) m    out_force : (3,) added to    own : (3, 3) stiffness, N/m, filled
    """
    frame, force = assembly.frame[k], assembly.force[k]
    lift, slope = still_lift(assembly.volume[k], position[2], (assembly.density, assembly.gravity))
    way = sub3((position[0], position[1], position[2]), three(assembly.reference, k))
    for m in range(3):
        pull, slope_of_pull = spring_pull(assembly.axis[k, m], way)
        load = (force[0], force[1], force[2] + lift)
        out_force[m] += dot(three(frame, m), load) + pull
        for j in range(3):
            own[m, j] = -slope * frame[m, 2] * frame[j, 2]
        own[m, m] += slope_of_pull


@kernel(separate=True)
def _add_bodies(bodied, assembly, n_points, bodies, quaternions, out):
    """Weight, buoyancy, loads and linear stiffness of the bodies (N, N m): F += F_k, K_k = -dF_k/dx.

    Source: :func:`ropewalk.loads.body.still_block`.

    bodied : None without bodies    assembly : `Assembly`    n_points : rows before the bodies    bodies : (b, 3) m
    quaternions : (b, 4)    out : `Balance`
    """
    if bodied is None:
        return
    block, fluid = np.empty((6, 7)), (assembly.density, assembly.gravity)
    for k in range(bodies.shape[0]):
        still_block(assembly.body[k], three(bodies, k), quaternions[k], fluid, assembly.shells, block)
        for m in range(6):
            out.force[3 * n_points + 6 * k + m] -= block[m, 6]
            for j in range(6):
                out.own[n_points + k, m, j] = block[m, j]


@kernel(separate=True)
def evaluate(assembly, points, bodies, quaternions, out):
    """Fill `out` (a Balance) for points and bodies at given places.

    Source: docs/theory/assemblies.md: F = sum of lines, weight, buoyancy, springs and given forces, K = -dF/dx.

    points : (p, 3) m    bodies : (b, 3) m    quaternions : (b, 4)
    assembly : `Assembly`
    """
    out.force[:] = 0.0
    out.line_force[:] = 0.0
    r, arms, maps = np.empty((2, 3)), np.empty((2, 3)), np.empty((2, 3, 6))
    counts = np.empty(2, dtype=np.int64)
    no_frame = np.empty((3, 3))
    for i in range(assembly.length.size):
        for a in range(2):
            kind, k = assembly.end_kind[i, a], assembly.end_index[i, a]
            place_end(kind, k, assembly.end_offset[i, a], points, bodies, quaternions, arms[a], r[a])
            counts[a] = end_map(kind, arms[a], no_frame if kind == BODY else assembly.frame[k], maps[a])
        dx, ex, ey = heading(r)
        out.status[i], out.raised[i] = solve_in_plane(assembly, i, dx, r[0, 2], r[1, 2], out.solution[i])
        in_space(out.solution[i], dx, ex, ey, out.end_force[i], out.jacobian)
        _add_to_dofs(
            maps, counts, arms, assembly.dofs[i], out.end_force[i], out.jacobian, out.blocks[i], out.line_force
        )
    for k in range(points.shape[0]):
        _add_point(assembly, k, points[k], out.force[3 * k : 3 * k + 3], out.own[k])
    _add_bodies(assembly.bodied, assembly, points.shape[0], bodies, quaternions, out)
    for m in range(out.force.size):
        out.force[m] += out.line_force[m]


@kernel(separate=True, **UNCOUNTED)
def gather(assembly, out, K):
    """Sum the blocks of `out` into the dense stiffness K (n_dofs, n_dofs), N/m, N, N m.

    Source: K = sum of the blocks of lines, points and bodies, docs/theory/assemblies.md.
    """
    K[:, :] = 0.0
    n_points = assembly.reference.shape[0]
    for i in range(assembly.length.size):
        for a in range(12):
            row = assembly.dofs[i, a]
            if row >= 0:
                for b in range(12):
                    column = assembly.dofs[i, b]
                    if column >= 0:
                        K[row, column] += out.blocks[i, a, b]
    for k in range(out.own.shape[0]):
        size = 3 if k < n_points else 6
        first = 3 * k if k < n_points else 3 * n_points + 6 * (k - n_points)
        for a in range(size):
            for b in range(size):
                K[first + a, first + b] += out.own[k, a, b]
