r"""Starts that are given: lines along places of one's own, with the forces that suit them best.

Along a given shape the force is known but for its value at end A, because :math:`n' = -f`. A string carries its force
along itself, so :math:`n(0)` is taken where the part of the force across the line is least, in the mean square:

.. math:: \min_{n(0)} \int \left|(1 - t t^T)\Bigl(n(0) - \int_0^s f\Bigr)\right|^2 ds
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.spans import LineSpans
from ropewalk.loads.sea import current_here
from ropewalk.methods.shooting.shape import GuessedShape, bed_height, line_scale
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import NODES_PER_LINE, State, end_positions, line_force, tangents_along

ALONG = 1.0e-3  # weight of the tension's size, which a straight line leaves open, beside its direction
NODES = 4 * (NODES_PER_LINE - 1) + 1  # of a line that is given by a few places
ON_BED, NEAR_BED = 1.0e-3, 1.0e-4  # m, or of a short line, above the bed: a place this near lies on it


class GivenShape(GuessedShape):
    """Lines where a State has them, with its forces."""

    def __init__(self, model: Model, place: Place, state: State) -> None:
        super().__init__(model, place)
        self.state = state

    def states(self, i: int, s: Array) -> tuple[Array, float, float]:
        """See Shape."""
        nodes = slice(self.state.start[i], self.state.start[i + 1])
        at, r, n = self.state.s[nodes], self.state.position[nodes], line_force(self.state, i)
        table: Array = np.column_stack([np.interp(s, at, column) for column in (*r.T, *n.T)])
        low, high = 0.0, 0.0
        if self.model.sea.has_seabed:
            rest = float(self.spans(i).rows.radius.max()) + min(ON_BED, NEAR_BED * float(self.model.lines.length[i]))
            lies = at[[bed_height(self.model, place) <= rest for place in r]]
            if lies.size > 1:
                low, high = float(lies[0]), float(lies[-1])
        return table, low, high


def shaped_state(model: Model, state: State, lines: Mapping[str, Array]) -> State:
    """The state with some lines along given places, (k, 3), and the others along catenaries; forces that suit them."""
    ends = end_positions(model, state.point_position, state.body_position, state.body_quaternion)
    place = Place(state.point_position, state.body_position, state.body_quaternion)
    hanging = GuessedShape(model, place)
    parts = []
    for i, name in enumerate(model.names.lines):
        s = np.linspace(0.0, float(model.lines.length[i]), NODES)
        if name in lines:
            r = _spread(lines[name], ends[i], NODES)
            parts.append((s, np.column_stack([r, fitting_force(model, i, s, r)])))
        else:
            parts.append((s, hanging.states(i, s)[0]))
    if not parts:
        return state
    table: Array = np.concatenate([rows for _, rows in parts])
    size = np.linalg.norm(table[:, 3:], axis=1)
    return state._replace(
        start=np.arange(len(parts) + 1, dtype=np.int64) * NODES,
        s=np.concatenate([s for s, _ in parts]),
        position=table[:, :3].copy(),
        velocity=np.zeros((size.size, 3)),
        tension=np.maximum(size, np.finfo(float).tiny),
        node_force=table[:, 3:].copy(),
        end_force=np.array([[rows[0, 3:], -rows[-1, 3:]] for _, rows in parts]),
        grounded=np.zeros(len(parts)),
    )


def _spread(places: Array, ends: Array, n: int) -> Array:
    """(n, 3) places evenly along the way through `places` from end A to end B (2, 3)."""
    way = places
    if not np.allclose(way[0], ends[0]):
        way = np.concatenate([ends[:1], way])
    if not np.allclose(way[-1], ends[1]):
        way = np.concatenate([way, ends[1:]])
    step = np.linalg.norm(np.diff(way, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(step)])
    if along[-1] == 0.0:
        return np.repeat(way[:1], n, axis=0)
    wanted = np.linspace(0.0, along[-1], n)
    return np.column_stack([np.interp(wanted, along, column) for column in way.T])


def fitting_force(model: Model, i: int, s: Array, r: Array) -> Array:
    """(n, 3) force along line i if it were at places r (n, 3), m, of arc lengths s (n,): see the module."""
    spans = GuessedShape(model, Place(model.points.position, model.bodies.position, model.bodies.quaternion)).spans(i)
    t, step = tangents_along(r), np.diff(s)
    f = _load(model, spans, s, r, t)
    total = np.concatenate([np.zeros((1, 3)), np.cumsum(0.5 * (f[1:] + f[:-1]) * step[:, None], axis=0)])
    total += _lumps(model, spans, s, r)
    scale = max(line_scale(model, spans.rows, spans.laws, 0.0), float(np.abs(total).max()) * ALONG)
    weight = np.gradient(s) / float(s[-1] - s[0])
    across = np.eye(3)[None] - t[:, :, None] * t[:, None, :]
    left = np.einsum("k,kij->ij", weight, across) + ALONG * np.einsum("k,ki,kj->ij", weight, t, t)
    right = np.einsum("k,kij,kj->i", weight, across, total) + ALONG * np.einsum(
        "k,ki->i", weight * (np.einsum("ki,ki->k", t, total) + scale), t
    )
    force: Array = np.linalg.solve(left, right) - total
    if float(np.mean(np.einsum("ki,ki->k", force, t))) <= 0.0:  # a string cannot push: pull along the shape instead
        return scale * t
    return force


def _load(model: Model, spans: LineSpans, s: Array, r: Array, t: Array) -> Array:
    """(n, 3) load per length at the places, N/m."""
    rows = spans.rows[np.clip(np.searchsorted(spans.rows.stop, s), 0, spans.rows.shape[0] - 1)]
    f: Array = rows.load + (s - rows.start)[:, None] * rows.slope
    f = f + np.cross(rows.pressure, t)
    f += np.einsum("kij,kj->ki", rows.turn.reshape(-1, 3, 3), r)
    if model.sea.water_density <= 0.0:
        return f
    for k in np.flatnonzero(r[:, 2] < 0.0):
        f[k, 2] += rows[k].buoyancy
        if model.sea.current_speed != 0.0:
            u = np.array(current_here(tuple(r[k]), model.sea))
            along = (u @ t[k]) * t[k]
            aside = u - along
            f[k] += rows[k].drag_normal * np.linalg.norm(aside) * aside
            f[k] += rows[k].drag_tangential * np.linalg.norm(along) * along
    return f


def _lumps(model: Model, spans: LineSpans, s: Array, r: Array) -> Array:
    """(n, 3) sum of the point loads up to each place, N."""
    total: Array = np.zeros((s.size, 3))
    lift = model.sea.water_density * model.sea.gravity
    for row in spans.rows[spans.rows.bound > 0.0]:
        force = row.jump.copy()
        if np.interp(row.stop, s, r[:, 2]) < 0.0:
            force[2] += lift * row.float_volume
        total[s > row.stop] += force
    return total
