"""Shapes and forces of an assembly of closed-form lines, sampled into a State."""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.catenary import heading, line_rows, place_end
from ropewalk.assembly.catenary_balance import Work
from ropewalk.model.arrays import Array
from ropewalk.model.joints import HELD
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.numerics.compile import kernel

NODES = 101  # per line in the State, beside corners: enough to draw and to start dynamics from
MOST_TURN, HALVINGS = 0.3, 5  # rad between nodes, and how often stretches that turn more are halved
FINER = 32  # nodes that this may add per line and per piece: a fold takes some 20
AFLOAT = 1e-6  # m above still water where a line counts as out of it
SAME = 1e-9  # of a line's length: an even node this near a corner is left out
TINY = 1e-300  # N: what has no force has no direction
BEYOND = 1e-13  # of a line's length: how far beyond a node its force is taken, so that it is that beyond a load


def line_ends(work: Work, i: int) -> Array:
    """(2, 3) where the ends of line i are held, m."""
    ends: Array = np.zeros((2, 3))
    assembly, arm = work.assembly, np.zeros(3)
    for a in range(2):
        kind, index, offset = assembly.end_kind[i, a], assembly.end_index[i, a], assembly.end_offset[i, a]
        place_end(kind, index, offset, *work.place, arm, ends[a])
    return ends


@kernel
def places_with_corners(length, corners):
    """(n,) NODES even places on a line of this length (m) with corners among them, rising.  corners : (k,) m

    Source: own choice: s_j = j L/(NODES - 1), without those within SAME L of a corner.
    """
    same, step = SAME * length, length / (NODES - 1)
    sharp, count = corners.copy(), 0
    for j in range(1, sharp.size):  # a handful: np.sort takes a second to compile
        k, s = j, sharp[j]
        while k > 0 and sharp[k - 1] > s:
            sharp[k] = sharp[k - 1]
            k -= 1
        sharp[k] = s
    for s in sharp:
        if same < s < (1.0 - SAME) * length and (count == 0 or s - sharp[count - 1] > same):
            sharp[count] = s
            count += 1
    places, n, k = np.empty(NODES + count), 0, 0
    for j in range(NODES):
        even = j * step if j < NODES - 1 else length
        while k < count and sharp[k] < even:
            places[n] = sharp[k]
            n, k = n + 1, k + 1
        near = (k < count and sharp[k] - even <= same) or (k > 0 and even - sharp[k - 1] <= same)
        if not near or j in (0, NODES - 1):
            places[n] = even
            n += 1
    return places[:n]


@kernel(separate=True)
def shape_at(assembly, place, out, i, s):
    """Position (n, 3) of line i at the arc lengths s (m), and the force n(s) (n, 3), at a load that beyond it.

    Source: r = r_A + x e + z e_z, n = H e + V e_z, docs/theory/catenary.md, Terms.

    place : `Place` of points and bodies    out : `Balance` there
    """
    ends, arm, length = np.empty((2, 3)), np.empty(3), assembly.length[i]
    for a in range(2):
        kind, index, offset = assembly.end_kind[i, a], assembly.end_index[i, a], assembly.end_offset[i, a]
        place_end(kind, index, offset, place.points, place.bodies, place.quaternions, arm, ends[a])
        if out.raised[i]:
            ends[a, 2] = max(ends[a, 2], assembly.bed[i])
    span, ex, ey = heading(ends)
    rise, status, solution = ends[1, 2] - ends[0, 2], out.status[i], out.solution[i]
    rows = line_rows(assembly, i, s, span, rise, status, solution)
    position, force = np.empty((s.size, 3)), np.empty((s.size, 3))
    for k in range(s.size):
        position[k, 0], position[k, 1] = ends[0, 0] + rows[k, 0] * ex, ends[0, 1] + rows[k, 0] * ey
        position[k, 2] = ends[0, 2] + rows[k, 1]
    if np.any(assembly.piece_load[assembly.piece_start[i] : assembly.piece_start[i + 1]] != 0.0):
        beyond = np.empty(s.size)
        for k in range(s.size):
            beyond[k] = min(s[k] + BEYOND * length, length)
        rows = line_rows(assembly, i, beyond, span, rise, status, solution)
    for k in range(s.size):
        force[k, 0], force[k, 1], force[k, 2] = rows[k, 2] * ex, rows[k, 2] * ey, rows[k, 3]
    return position, force


@kernel(separate=True)
def sample_lines(assembly, place, out):
    """Start, arc length (m), position (m), force (N) and tension (N) of the nodes of all lines, laid end to end.

    Source: T = |n|, docs/theory/catenary.md, Terms; n and positions of :func:`shape_at`.

    Nodes are even ones, those where pieces, loads and contact begin or end, and more where the line bends sharply.

    place, out : as in `shape_at`
    """
    n, pieces = assembly.length.size, assembly.piece_length.size
    start, most = np.zeros(n + 1, dtype=np.int64), n * (NODES + 1) + pieces + FINER * (n + pieces)
    s, tension = np.empty(most), np.empty(most)
    position, force = np.empty((most, 3)), np.empty((most, 3))
    for i in range(n):
        first, last = assembly.piece_start[i], assembly.piece_start[i + 1]
        corners, at = np.empty(last - first + 1), 0.0
        for j in range(first, last - 1):
            at += assembly.piece_length[j]
            corners[j - first] = at
        corners[-2], corners[-1] = out.solution[i].ground_start, out.solution[i].ground_end
        places = places_with_corners(assembly.length[i], corners)
        r, n_s = shape_at(assembly, place, out, i, places)
        for _ in range(HALVINGS):
            finer = halved(places, n_s)
            if finer.size == places.size or finer.size > NODES + (1 + FINER) * (1 + last - first):
                break
            places = finer
            r, n_s = shape_at(assembly, place, out, i, places)
        a = start[i]
        start[i + 1] = a + places.size
        for k in range(places.size):
            s[a + k] = places[k]
            for j in range(3):
                position[a + k, j], force[a + k, j] = r[k, j], n_s[k, j]
            tension[a + k] = np.sqrt(n_s[k, 0] ** 2 + n_s[k, 1] ** 2 + n_s[k, 2] ** 2)
    stop = start[n]
    return start, s[:stop].copy(), position[:stop].copy(), force[:stop].copy(), tension[:stop].copy()


@kernel
def halved(places, force):
    r"""Places (n,) along a line, m, with the middle of each stretch in which the line turns by more than MOST_TURN.

    .. math:: |\mathbf t_{k+1} - \mathbf t_k| > \theta_{\max}, \qquad \mathbf t = \mathbf n / |\mathbf n|

    Source: own choice: the chord of such a stretch is then shorter than the line by a share of theta^2/24.

    force : (n, 3) n(s) there, N
    """
    finer, n = np.empty(2 * places.size), 1
    finer[0] = places[0]
    for k in range(1, places.size):
        before, here = force[k - 1], force[k]
        was = max(np.sqrt(before[0] ** 2 + before[1] ** 2 + before[2] ** 2), TINY)
        now = max(np.sqrt(here[0] ** 2 + here[1] ** 2 + here[2] ** 2), TINY)
        square = 0.0
        for j in range(3):
            square += (here[j] / now - before[j] / was) ** 2
        if square > MOST_TURN**2:
            finer[n] = 0.5 * (places[k - 1] + places[k])
            n += 1
        finer[n] = places[k]
        n += 1
    return finer[:n]


def with_corners(length: float, corners: list[float]) -> Array:
    """NODES even places on a line of this length (m) with corners among them, rising."""
    places: Array = places_with_corners(length, np.array(corners, dtype=np.float64))
    return places


def line_shape(work: Work, i: int, s: Array) -> tuple[Array, Array]:
    """Position (n, 3) of line i at the arc lengths s (m), and the force n(s) (n, 3), at a load that beyond it."""
    position, force = shape_at(work.assembly, work.place, work.out, i, np.array(s, dtype=np.float64))
    return position, force


def sampled_state(model: Model, work: Work) -> State:
    """The closed form at the nodes of each line."""
    assembly, out = work.assembly, work.out
    n_points, n_bodies = len(model.names.points), len(model.names.bodies)
    start, s, position, force, tension = sample_lines(assembly, work.place, out)
    start.flags.writeable = False
    # along the axes of the joints; what springs take is part of what the point exerts on its support, not so what the
    # bed bears of a point that rests on it
    stretched = np.einsum("pmi,pi->pm", assembly.axis["axis"], work.place.points - assembly.reference)
    held = np.where(model.points.joint == HELD, out.force[: 3 * n_points].reshape(-1, 3), 0.0)
    on_supports = held + assembly.axis["spring"] * stretched
    return State(
        time=work.time,
        point_position=work.place.points,
        point_velocity=np.zeros((n_points, 3)),
        point_force=(on_supports[:, None] @ assembly.frame)[:, 0],
        body_position=work.place.bodies,
        body_quaternion=work.place.quaternions,
        body_velocity=np.zeros((n_bodies, 3)),
        body_rate=np.zeros((n_bodies, 3)),
        start=start,
        s=s,
        position=position,
        velocity=np.zeros_like(position),
        tension=tension,
        end_force=out.end_force.copy(),
        grounded=out.solution["ground_end"] - out.solution["ground_start"],
        node_force=force,
    )
