"""From a Model and a plan of cuts to arcs, nodes, bodies, scales and a start."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ropewalk.model.arrays import Array, flags, floats, ints, offsets
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.numerics.rotations import quaternion_to_matrix
from ropewalk.solvers import shooting_string as string
from ropewalk.solvers.balance_newton import Place
from ropewalk.solvers.shooting_assembly import LOCAL, Arcs, Nodes, Rigid
from ropewalk.solvers.shooting_guess import force_scale, guess_force
from ropewalk.solvers.shooting_newton import Scales
from ropewalk.solvers.shooting_spans import depends_on_position, line_spans, reversed_spans

ON_BED = 1.0e-6  # of the depth: an end this near the bed lies on it
SMALL_LOAD = 1.0e-3  # of the loads at its ends: a line's own load below this does not set its force scale


@dataclass(frozen=True)
class Plan:
    """How each line is shot: from which end, and where it is cut."""

    reverse: tuple[bool, ...]
    cuts: tuple[tuple[float, ...], ...]  # m from the end the line is shot from


@dataclass
class Problem:
    """What Newton needs."""

    arcs: Arcs
    nodes: Nodes
    rigid: Rigid
    scales: Scales
    x: Array
    quaternions: Array  # (n_bodies free, 4)
    point_node: list[int] = field(default_factory=list)


def build_problem(model: Model, place: Place, plan: Plan) -> Problem:
    """Arrays and start values for the plan; `place` holds points and bodies where they are, or are guessed to be."""
    book = _Book(model, place)
    for i in range(model.lines.length.size):
        book.add_line(i, plan.reverse[i], plan.cuts[i])
    return book.finish()


class _Book:
    """Collects nodes, arcs and unknowns."""

    def __init__(self, model: Model, place: Place) -> None:
        self.model, self.place = model, place
        self.start: list[float] = []  # values of the unknowns
        self.unit: list[float] = []  # their scales
        self.row: list[float] = []  # scales of their rows
        self.loose = [int(b) for b in np.flatnonzero(model.bodies.joint == LOOSE)]
        n = len(model.names.points)
        points, sea = model.points, model.sea
        weight = points.force - points.mass[:, None] * np.array([0.0, 0.0, sea.gravity])
        net = weight + np.array([0.0, 0.0, sea.water_density * sea.gravity]) * points.volume[:, None]
        speed = sea.current_speed
        self.point_load = (
            np.linalg.norm(net, axis=1)
            + np.abs(points.axis_force).sum(axis=1)
            + 0.5 * sea.water_density * points.drag_area * speed * speed
        )
        self.body: list[int] = [-1] * n
        self.offset: list[Array] = [np.zeros(3) for _ in range(n)]
        self.frame: list[Array] = list(points.frame)
        reference = np.where((points.motion >= 0)[:, None], place.points, points.position)
        self.home: list[Array] = [f @ r for f, r in zip(points.frame, reference, strict=True)]
        self.spring: list[Array] = list(points.axis_spring)
        self.axis_force: list[Array] = list(points.axis_force)
        self.force: list[Array] = list(weight)
        self.volume: list[float] = list(points.volume)
        self.drag: list[float] = list(0.5 * sea.water_density * points.drag_area)
        self.dof: list[list[int]] = []
        self.node_scale: list[float] = [0.0] * n
        joint = np.where((points.motion >= 0)[:, None], HELD, points.joint)
        for k in range(n):
            components = points.frame[k] @ place.points[k]
            self.dof.append([self._unknown(components[j]) if joint[k, j] != HELD else -1 for j in range(3)] + [-1] * 3)
        self.body_dof = [[self._unknown(v) for v in (*place.bodies[b], 0.0, 0.0, 0.0)] for b in self.loose]
        self.arc_rows: dict[str, list[object]] = {
            key: [] for key in ("line", "reverse", "offset", "node", "dof", "length", "force", "on_bed", "active")
        }
        self.spans: list[Array] = []
        self.laws: list[Array] = []
        self.n0: list[tuple[int, Array]] = []

    def _unknown(self, value: float) -> int:
        self.start.append(float(value))
        self.unit.append(0.0)
        self.row.append(0.0)
        return len(self.start) - 1

    def _node(self, body: int, offset: Array, position: Array, dof: list[int]) -> int:
        """A node that is no point of the model: on a body, held where a body is, or a cut."""
        self.body.append(body)
        self.offset.append(offset)
        self.frame.append(np.eye(3))
        self.home.append(position)
        self.spring.append(np.zeros(3))
        self.axis_force.append(np.zeros(3))
        self.force.append(np.zeros(3))
        self.volume.append(0.0)
        self.drag.append(0.0)
        self.dof.append(dof)
        self.node_scale.append(0.0)
        return len(self.body) - 1

    def _end(self, i: int, j: int) -> tuple[int, Array, float]:
        """Node, position and load of end j of line i."""
        lines, place = self.model.lines, self.place
        k = int(lines.end_index[i, j])
        if lines.end_kind[i, j] != BODY:
            return k, place.points[k], float(self.point_load[k])
        offset = lines.end_offset[i, j]
        position = place.bodies[k] + quaternion_to_matrix(place.quaternions[k]) @ offset
        if k in self.loose:
            b = self.loose.index(k)
            return self._node(b, offset, position, list(self.body_dof[b])), position, 0.0
        return self._node(-1, np.zeros(3), position, [-1] * 6), position, 0.0

    def _rests(self, position: Array, dof: list[int], rows: Array) -> bool:
        """True if an end at `position` is held on the bed and the line there is heavier than water."""
        sea = self.model.sea
        if not sea.has_seabed or any(d >= 0 for d in dof):
            return False
        height = float(np.dot(sea.bed_normal, position + np.array([0.0, 0.0, sea.depth])))
        heavy = bool(rows[0, string.F0 + 2] + rows[0, string.BUOYANCY] < 0.0)
        return heavy and height <= rows[0, string.RADIUS] + ON_BED * sea.depth

    def add_line(self, i: int, reverse: bool, cuts: tuple[float, ...]) -> None:
        """Arcs of line i."""
        model = self.model
        length = float(model.lines.length[i])
        ends = [self._end(i, 0), self._end(i, 1)]
        here = np.array([length - c for c in cuts] if reverse else cuts)
        spans = line_spans(model, i, here)
        if reverse:
            ends = ends[::-1]
            spans = reversed_spans(spans, length)
        rows = spans.rows
        own = force_scale(model.sea, rows, 0.0)
        loads = max(ends[0][2], ends[1][2])
        scale = own if own > SMALL_LOAD * loads else loads
        if scale == 0.0:
            scale = _idle_scale(model, spans.laws)
        on_bed = self._rests(ends[0][1], self.dof[ends[0][0]], rows)
        n0 = np.zeros(3)
        law_data = model.sections.law_data
        guess_force(rows, spans.laws, law_data, model.sea, ends[0][1], ends[1][1], on_bed, scale, n0)
        active = string.ALL if depends_on_position(model, rows) or on_bed else string.FORCE_ONLY
        places = [0.0, *cuts, length]
        node = ends[0][0]
        for c in range(len(places) - 1):
            inside = (rows[:, string.S0] >= places[c]) & (rows[:, string.S1] <= places[c + 1])
            if c > 0:  # loads at a cut belong to the arc before it
                inside &= (rows[:, string.S1] > places[c]) | (rows[:, string.S0] < rows[:, string.S1])
            if c + 2 == len(places):
                far = ends[1][0]
            else:
                x = places[c + 1] / length
                guess = (1.0 - x) * ends[0][1] + x * ends[1][1]
                far = self._node(-1, np.zeros(3), guess, [self._unknown(v) for v in guess] + [-1] * 3)
            own_dof = [self._unknown(v) for v in n0]
            self._add_arc(i, reverse, places[c], places[c + 1] - places[c], length, scale, on_bed and c == 0, active,
                          (node, far), own_dof, rows[inside], spans.laws[inside])  # fmt: skip
            node = far

    def _add_arc(self, i: int, reverse: bool, offset: float, length: float, whole: float, scale: float, on_bed: bool,
                 active: int, nodes: tuple[int, int], own: list[int], rows: Array, laws: Array) -> None:  # fmt: skip
        dof = [*self.dof[nodes[0]], *self.dof[nodes[1]], *own]
        for d in own:
            self.unit[d], self.row[d] = scale, whole
        for k in nodes:
            self.node_scale[k] = max(self.node_scale[k], scale)
            for d in self.dof[k][:3]:
                if d >= 0:
                    self.unit[d] = max(self.unit[d], whole)
                    self.row[d] = max(self.row[d], scale)
        values = (i, reverse, offset, list(nodes), dof, length, scale, on_bed, active)
        for key, value in zip(self.arc_rows, values, strict=True):
            self.arc_rows[key].append(value)
        self.spans.append(rows)
        self.laws.append(laws)

    def finish(self) -> Problem:
        """All as arrays."""
        arcs = self.arc_rows
        counts = offsets([rows.shape[0] for rows in self.spans])
        rigid = self._rigid()
        n = len(self.start)
        row, unit = np.array(self.row), np.array(self.unit)
        row[row == 0.0] = 1.0
        unit[unit == 0.0] = 1.0
        return Problem(
            arcs=Arcs(
                line=ints(arcs["line"], (-1,)),  # type: ignore[arg-type]
                reverse=flags(arcs["reverse"]),  # type: ignore[arg-type]
                offset=floats(arcs["offset"]),
                first=ints(counts[:-1]),
                last=ints(counts[1:]),
                node=ints(arcs["node"], (-1, 2)),  # type: ignore[arg-type]
                dof=ints(arcs["dof"], (-1, LOCAL)),  # type: ignore[arg-type]
                length=floats(arcs["length"]),
                force=floats(arcs["force"]),
                on_bed=flags(arcs["on_bed"]),  # type: ignore[arg-type]
                active=ints(arcs["active"], (-1,)),  # type: ignore[arg-type]
                spans=floats(np.concatenate(self.spans) if self.spans else [], (-1, string.SPAN_COLUMNS)),
                laws=ints(np.concatenate(self.laws) if self.laws else [], (-1, 3)),
                law_data=self.model.sections.law_data,
            ),
            nodes=Nodes(
                body=ints(self.body),
                offset=floats(self.offset, (-1, 3)),
                frame=floats(self.frame, (-1, 3, 3)),
                home=floats(self.home, (-1, 3)),
                dof=ints(self.dof, (-1, 6)),
                spring=floats(self.spring, (-1, 3)),
                axis_force=floats(self.axis_force, (-1, 3)),
                force=floats(self.force, (-1, 3)),
                volume=floats(self.volume),
                drag=floats(self.drag),
                scale=floats(self.node_scale),
            ),
            rigid=rigid,
            scales=Scales(floats(row), floats(unit)),
            x=np.array(self.start).reshape(n),
            quaternions=np.array(self.place.quaternions[self.loose], dtype=float).reshape(-1, 4).copy(),
        )

    def _rigid(self) -> Rigid:
        """Free bodies; their scales: the largest line or load on them, and the longest lever."""
        bodies, sea, loose = self.model.bodies, self.model.sea, self.loose
        profiles = [bodies.profile[bodies.profile_start[b] : bodies.profile_start[b + 1]] for b in loose]
        scale = np.zeros(len(loose))
        lever = np.zeros(len(loose))
        for k, b in enumerate(self.body):
            if b >= 0:
                scale[b] = max(scale[b], self.node_scale[k])
                lever[b] = max(lever[b], float(np.linalg.norm(self.offset[k])))
        for j, b in enumerate(loose):
            load = float(np.abs(bodies.load_force[b]).sum())
            scale[j] = max(scale[j], load) or max(bodies.mass[b] * sea.gravity, 1.0)
            lever[j] = max(lever[j], float(np.abs(bodies.centre[b]).max())) or 1.0
            for d, dof in enumerate(self.body_dof[j]):
                self.row[dof] = scale[j] * (1.0 if d < 3 else lever[j])
                self.unit[dof] = max(self.unit[dof], lever[j]) if d < 3 else 1.0
        return Rigid(
            index=ints(loose, (-1,)),
            dof=ints(self.body_dof, (-1, 6)),
            home_position=floats(bodies.position[loose], (-1, 3)),
            home_quaternion=floats(bodies.quaternion[loose], (-1, 4)),
            linear=floats(bodies.stiffness[loose], (-1, 6, 6)),
            weight=floats(bodies.mass[loose] * sea.gravity),
            centre=floats(bodies.centre[loose], (-1, 3)),
            buoyancy=floats(bodies.volume[loose] * sea.water_density * sea.gravity),
            hull=ints(bodies.hull[loose], (-1,)),
            profile_start=offsets([len(p) for p in profiles]),
            profile=floats(np.concatenate(profiles) if profiles else [], (-1, 2)),
            sphere=floats(bodies.sphere[loose], (-1, 4)),
            load_force=floats(bodies.load_force[loose], (-1, 3)),
            load_moment=floats(bodies.load_moment[loose], (-1, 3)),
            load_at=floats(bodies.load_at[loose], (-1, 3)),
            scale=floats(scale),
            lever=floats(lever),
        )


def _idle_scale(model: Model, laws: Array) -> float:
    """Force scale of a line that nothing loads: a thousandth of its stiffness, or 1 N."""
    stiff = [
        float(model.sections.law_data[start + (end - start) // 2 * (kind == 2)])
        for kind, start, end in laws
        if end > start
    ]
    return max(1e-3 * max(map(abs, stiff)), 1.0) if stiff and math.isfinite(max(stiff)) else 1.0
