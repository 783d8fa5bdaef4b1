"""Where lines are thought to be before they are shot: a start for Newton."""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import numpy as np

from ropewalk.assembly import string
from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.spans import LineSpans, line_spans
from ropewalk.methods.shooting.guess import force_scale, guess_states
from ropewalk.model.arrays import Array, Ints, Records
from ropewalk.model.environment import weight_in_water
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.numerics.rotations import quaternion_to_matrix

SMALL_LOAD = 1.0e-3  # of the loads at its ends: a line's own load below this does not set its force scale


class Shape(Protocol):
    """Where lines are thought to be, for a start."""

    def states(self, i: int, s: Array) -> tuple[Array, float, float]:
        """(k, 6) position and force of line i at s (m from A, rising); first and last s on the bed."""
        ...


@runtime_checkable
class LaidShape(Protocol):
    """A shape that has the forces where lines leave the bed, which are the unknowns of arcs that begin on it."""

    def lift_off(self, i: int, s: float, backward: bool) -> tuple[Array, float] | None:
        """Force n (3,) where line i leaves the bed beside s (m from A), towards A or B, and how far that is (m)."""
        ...


def end_place(model: Model, place: Place, i: int, j: int) -> Array:
    """Where end j of line i is, m."""
    lines = model.lines
    return held_place(place, int(lines.end_kind[i, j]), int(lines.end_index[i, j]), lines.end_offset[i, j])


def held_place(place: Place, kind: int, k: int, offset: Array) -> Array:
    """Where point k is, or a place on body k, m."""
    if kind != BODY:
        return place.points[k]
    where: Array = place.bodies[k] + quaternion_to_matrix(place.quaternions[k]) @ offset
    return where


def peg_knots(model: Model, place: Place, i: int) -> tuple[Array, Array]:
    """Guess of s (k,) and position (k, 3) of the ends of line i and of what it runs over, m.

    The line is shared out in proportion to the distances.
    """
    lines = model.lines
    pegs = range(lines.over_start[i], lines.over_start[i + 1])
    over = [held_place(place, int(lines.over_kind[p]), int(lines.over_index[p]), lines.over_offset[p]) for p in pegs]
    where: Array = np.array([end_place(model, place, i, 0), *over, end_place(model, place, i, 1)])
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(where, axis=0), axis=1))])
    share = way / way[-1] if way[-1] > 0.0 else np.linspace(0.0, 1.0, way.size)
    return share * lines.length[i], where


def bed_height(model: Model, position: Array) -> float:
    """Height over the bed, m; infinite without one."""
    sea = model.sea
    if not sea.has_seabed:
        return math.inf
    return float(np.dot(sea.bed_normal, position + np.array([0.0, 0.0, sea.depth])))


def line_scale(model: Model, rows: Records, laws: Ints, loads: float) -> float:
    """Force scale of a line (N): its own loads, those at its ends if they are much larger, or its stiffness."""
    own = force_scale(rows, model.sea)
    scale = own if own > SMALL_LOAD * loads else loads
    return scale if scale > 0.0 else _idle_scale(model, laws)


class GuessedShape:
    """The catenary of each line's resultant load."""

    def __init__(self, model: Model, place: Place) -> None:
        self.model, self.place = model, place
        self.loads = point_loads(model)
        self._spans: dict[int, LineSpans] = {}

    def spans(self, i: int) -> LineSpans:
        """Spans of line i without cuts, kept."""
        if i not in self._spans:
            self._spans[i] = line_spans(self.model, i, np.zeros(0))
        return self._spans[i]

    def states(self, i: int, s: Array) -> tuple[Array, float, float]:
        """See Shape."""
        model = self.model
        if model.lines.over_start[i + 1] > model.lines.over_start[i]:
            return self.between(i, s, *peg_knots(model, self.place, i))
        spans = self.spans(i)
        a, b = (np.ascontiguousarray(end_place(model, self.place, i, j)) for j in range(2))
        scale = line_scale(model, spans.rows, spans.laws, self.end_load(i))
        out: Array = np.empty((s.size, string.STATE))
        rest = float(spans.rows.radius.max())
        line = (spans.rows, spans.laws, model.sections.law_data)
        low, high = guess_states(line, model.sea, (a, b), rest, scale, np.ascontiguousarray(s), out)
        return out, low, high

    def end_load(self, i: int) -> float:
        """Largest load on the points at the ends of line i, N."""
        lines = self.model.lines
        on = [self.loads[lines.end_index[i, j]] for j in range(2) if lines.end_kind[i, j] != BODY]
        return float(max(on, default=0.0))

    def between(self, i: int, s: Array, at: Array, where: Array) -> tuple[Array, float, float]:
        """As `states`, of catenaries between knots at `at` (k,) whose positions are `where` (k, 3), m."""
        model = self.model
        spans = line_spans(model, i, at[1:-1])
        scale = line_scale(model, spans.rows, spans.laws, self.end_load(i))
        rest = float(spans.rows.radius.max())
        out: Array = np.empty((s.size, string.STATE))
        part = np.clip(np.searchsorted(at, s, side="right") - 1, 0, at.size - 2)
        for k in np.unique(part):
            inside = (spans.rows.start >= at[k]) & (spans.rows.stop <= at[k + 1])
            rows = spans.rows[inside].copy()
            for name in string.POINT_LOAD:  # the loads are at the knots
                rows[name] = 0.0
            here = part == k
            own: Array = np.empty((int(here.sum()), string.STATE))
            line = (rows, spans.laws[inside], model.sections.law_data)
            ends = (np.ascontiguousarray(where[k]), np.ascontiguousarray(where[k + 1]))
            guess_states(line, model.sea, ends, rest, scale, np.ascontiguousarray(s[here] - at[k]), own)
            out[here] = own
        return out, 0.0, 0.0


class KnottedShape(GuessedShape):
    """Catenaries between given places of each line."""

    def __init__(self, model: Model, place: Place, knots: dict[int, tuple[Array, Array]]) -> None:
        super().__init__(model, place)
        self.knots = knots

    def states(self, i: int, s: Array) -> tuple[Array, float, float]:
        """See Shape; at a knot the force is that beyond it."""
        return self.between(i, s, *self.knots[i])


def point_loads(model: Model) -> Array:
    """(n_points,) size of the loads on each point, N."""
    points, sea = model.points, model.sea
    net = points.force.copy()
    net[:, 2] -= weight_in_water(sea, points.mass, points.volume)
    loads: Array = np.linalg.norm(net, axis=1) + np.abs(points.axis["pull"]).sum(axis=1)
    return loads + 0.5 * sea.water_density * points.drag_area * sea.current_speed**2


def _idle_scale(model: Model, laws: Ints) -> float:
    """Force scale of a line that nothing loads: a thousandth of its stiffness, or 1 N."""
    stiff = [
        float(model.sections.law_data[start + (end - start) // 2 * (kind == 2)])
        for kind, start, end in laws
        if end > start
    ]
    return max(1e-3 * max(map(abs, stiff)), 1.0) if stiff and math.isfinite(max(stiff)) else 1.0
