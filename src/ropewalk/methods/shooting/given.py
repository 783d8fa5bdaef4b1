r"""Starts that are given: lines along places of one's own, with the forces that suit them best.

Along a given shape the force is known but for its value at end A, because :math:`n' = -f`. A string carries its force
along itself, so :math:`n(0)` is taken where the part of the force across the line is least, in the mean square:

.. math:: \min_{n(0)} \int \left|(1 - t t^T)\Bigl(n(0) - \int_0^s f\Bigr)\right|^2 ds
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.spans import LineSpans
from ropewalk.loads.sea import current_here
from ropewalk.methods.shooting.shape import GuessedShape, bed_height, line_scale
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State

ALONG = 1.0e-3  # weight of the tension's size, which a straight line leaves open, beside its direction
ON_BED = 1.0e-3  # m above the bed: a place this near lies on it


class GivenShape(GuessedShape):
    """Lines where a State has them, with its forces."""

    def __init__(self, model: Model, place: Place, state: State) -> None:
        super().__init__(model, place)
        self.state = state

    def states(self, i: int, s: Array) -> tuple[Array, float, float]:
        """See Shape."""
        nodes = slice(self.state.start[i], self.state.start[i + 1])
        at, r, n = self.state.s[nodes], self.state.position[nodes], state_force(self.state, i)
        table: Array = np.column_stack([np.interp(s, at, column) for column in (*r.T, *n.T)])
        low, high = 0.0, 0.0
        if self.model.sea.has_seabed:
            rest = float(self.spans(i).rows.radius.max()) + ON_BED
            lies = at[[bed_height(self.model, place) <= rest for place in r]]
            if lies.size > 1:
                low, high = float(lies[0]), float(lies[-1])
        return table, low, high


def state_force(state: State, i: int) -> Array:
    """(n, 3) force n(s) of line i at its nodes: that of the state, or its tension along the nodes."""
    nodes = slice(state.start[i], state.start[i + 1])
    if state.node_force.shape[0] == state.s.size:
        return state.node_force[nodes]
    return state.tension[nodes, None] * tangents(state.position[nodes])


def tangents(r: Array) -> Array:
    """(n, 3) unit tangents at places along a line."""
    t: Array = np.gradient(r, axis=0)
    size = np.linalg.norm(t, axis=1)
    t[size == 0.0] = [1.0, 0.0, 0.0]
    return t / np.where(size > 0.0, size, 1.0)[:, None]


def fitting_force(model: Model, i: int, s: Array, r: Array) -> Array:
    """(n, 3) force along line i if it were at places r (n, 3), m, of arc lengths s (n,): see the module."""
    spans = GuessedShape(model, Place(model.points.position, model.bodies.position, model.bodies.quaternion)).spans(i)
    t, step = tangents(r), np.diff(s)
    f = _load(model, spans, s, r, t)
    total = np.concatenate([np.zeros((1, 3)), np.cumsum(0.5 * (f[1:] + f[:-1]) * step[:, None], axis=0)])
    total += _lumps(model, spans, s, r)
    scale = max(line_scale(model, i, spans.rows, spans.laws, 0.0), float(np.abs(total).max()) * ALONG)
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
