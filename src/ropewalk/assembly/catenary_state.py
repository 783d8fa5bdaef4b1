"""Shapes and forces of an assembly of closed-form lines, sampled into a State."""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.catenary import line_rows, place_end
from ropewalk.assembly.catenary_balance import Work
from ropewalk.model.arrays import Array, offsets
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.physics import catenary

NODES = 101  # per line in the State, beside corners: enough to draw and to start dynamics from
AFLOAT = 1e-6  # m above still water where a line counts as out of it
SAME = 1e-9  # of a line's length: an even node this near a corner is left out
BEYOND = 1e-13  # of a line's length: how far beyond a node its force is taken, so that it is that beyond a load


def line_ends(work: Work, i: int) -> Array:
    """(2, 3) where the ends of line i are held, m."""
    ends: Array = np.zeros((2, 3))
    assembly, arm = work.assembly, np.zeros(3)
    for a in range(2):
        kind, index, offset = assembly.end_kind[i, a], assembly.end_index[i, a], assembly.end_offset[i, a]
        place_end(kind, index, offset, *work.place, arm, ends[a])
    return ends


def node_places(work: Work, i: int) -> Array:
    """Arc lengths (m) of the nodes of line i: even ones, and those where pieces, loads and contact begin or end."""
    assembly, solution = work.assembly, work.out.solution[i]
    own = slice(assembly.piece_start[i], assembly.piece_start[i + 1])
    length = float(assembly.length[i])
    touch = solution[catenary.GROUND_START : catenary.GROUND_END + 1]
    return with_corners(length, [*np.cumsum(assembly.piece_length[own])[:-1], *touch])


def with_corners(length: float, corners: list[float]) -> Array:
    """NODES even places on a line of this length (m) with corners among them, rising."""
    sharp = np.unique([s for s in corners if SAME * length < s < (1.0 - SAME) * length])
    even = np.linspace(0.0, length, NODES)
    if not sharp.size:
        return even
    sharp = sharp[np.concatenate([[True], np.diff(sharp) > SAME * length])]
    near = np.min(np.abs(even[:, None] - sharp[None, :]), axis=1) <= SAME * length
    near[[0, -1]] = False
    places: Array = np.union1d(even[~near], sharp)
    return places


def line_shape(work: Work, i: int, s: Array) -> tuple[Array, Array]:
    """Position (n, 3) of line i at the arc lengths s (m), and the force n(s) (n, 3), at a load that beyond it."""
    assembly, out = work.assembly, work.out
    ends = line_ends(work, i)
    if out.raised[i]:
        ends[:, 2] = np.maximum(ends[:, 2], assembly.bed[i])
    across = ends[1, :2] - ends[0, :2]
    span = float(np.hypot(*across))
    direction = across / span if span > 0.0 else np.array([1.0, 0.0])
    rows = line_rows(assembly, i, s, span, ends[1, 2] - ends[0, 2], out.status[i], out.solution[i])
    position: Array = np.empty((s.size, 3))
    position[:, :2] = ends[0, :2] + rows[:, :1] * direction
    position[:, 2] = ends[0, 2] + rows[:, 1]
    if np.any(assembly.piece_load[assembly.piece_start[i] : assembly.piece_start[i + 1]] != 0.0):
        length = assembly.length[i]
        beyond = np.where(s < length, np.minimum(s + BEYOND * length, length), s)
        rows = line_rows(assembly, i, beyond, span, ends[1, 2] - ends[0, 2], out.status[i], out.solution[i])
    force: Array = np.empty((s.size, 3))
    force[:, :2] = rows[:, 2:3] * direction
    force[:, 2] = rows[:, 3]
    return position, force


def sampled_state(model: Model, work: Work) -> State:
    """The closed form at the nodes of each line."""
    n_lines, assembly, out = len(model.names.lines), work.assembly, work.out
    n_points, n_bodies = len(model.names.points), len(model.names.bodies)
    s = [node_places(work, i) for i in range(n_lines)]
    shapes = [line_shape(work, i, s[i]) for i in range(n_lines)]
    position = np.concatenate([r for r, _ in shapes]) if shapes else np.zeros((0, 3))
    force = np.concatenate([n for _, n in shapes]) if shapes else np.zeros((0, 3))
    lines_on_points = out.line_force[: 3 * n_points].reshape(-1, 3)
    return State(
        time=work.time,
        point_position=work.place.points,
        point_velocity=np.zeros((n_points, 3)),
        point_force=np.einsum("kmj,km->kj", assembly.frame, lines_on_points) + assembly.force,
        body_position=work.place.bodies,
        body_quaternion=work.place.quaternions,
        body_velocity=np.zeros((n_bodies, 3)),
        body_rate=np.zeros((n_bodies, 3)),
        start=offsets([places.size for places in s]),
        s=np.concatenate(s) if s else np.zeros(0),
        position=position,
        velocity=np.zeros_like(position),
        tension=np.linalg.norm(force, axis=1),
        end_force=out.end_force.copy(),
        grounded=out.solution[:, catenary.GROUND_END] - out.solution[:, catenary.GROUND_START],
        node_force=force,
    )
