"""From a Model and a plan of cuts to arcs, nodes, bodies, scales and a start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ropewalk.assembly import string
from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.spans import LineSpans, depends_on_position, line_spans, loads_along_bed, reversed_spans
from ropewalk.loads.body import body_records, build_shells
from ropewalk.methods.shooting.assembly import LOCAL, Arcs, Nodes, Rigid
from ropewalk.methods.shooting.bed import HANGING, SLIDING, STRAIGHT
from ropewalk.methods.shooting.newton import Scales
from ropewalk.methods.shooting.pegs import slide
from ropewalk.methods.shooting.plan import LinePlan, Plan
from ropewalk.methods.shooting.shape import (
    GuessedShape,
    LaidShape,
    Shape,
    bed_height,
    end_place,
    held_place,
    line_scale,
    point_loads,
)
from ropewalk.methods.shooting.shot import SLACK_FORCE
from ropewalk.model.arrays import Array, Flags, Ints, Records, flags, floats, frozen, ints, joined, offsets
from ropewalk.model.joints import HELD, LOOSE, unloaded_axes
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model

ON_BED = 1.0e-6  # of the depth: an end this near the bed lies on it
ARC_FIELDS = ("line", "reverse", "offset", "node", "dof", "length", "force", "on_bed", "lift", "active", "edge")
AFLOAT = 0.99  # of its radius: highest place of a float that is still in the water


@dataclass
class Problem:
    """What Newton needs."""

    arcs: Arcs
    nodes: Nodes
    rigid: Rigid
    scales: Scales
    x: Array
    quaternions: Array  # (n_bodies free, 4)
    pegs: Ints  # (m, 3) line, index of the cut in its plan, unknown: places of pegs on their lines


def build_problem(model: Model, place: Place, plan: Plan, shape: Shape, all_bodies: bool = False) -> Problem:
    """Arrays and start values for the plan; `place` holds points and bodies where they are, or are guessed to be.

    all_bodies : held and moving bodies get unknowns too, as the stiffness of their lines needs.
    """
    book = _Book(model, place, shape, all_bodies)
    for i in range(model.lines.length.size):
        book.add_line(i, plan[i])
    return book.finish()


class _Book:
    """Collects nodes, arcs and unknowns."""

    def __init__(self, model: Model, place: Place, shape: Shape, all_bodies: bool) -> None:
        self.model, self.place, self.shape = model, place, shape
        self.start: list[float] = []  # values of the unknowns
        self.unit: list[float] = []  # their scales
        self.row: list[float] = []  # scales of their rows
        self.loose = [int(b) for b in np.flatnonzero((model.bodies.joint == LOOSE) | all_bodies)]
        n = len(model.names.points)
        points, sea = model.points, model.sea
        weight = points.force - points.mass[:, None] * np.array([0.0, 0.0, sea.gravity])
        self.point_load = point_loads(model)
        self.body: list[int] = [-1] * n
        self.offset: list[Array] = [np.zeros(3) for _ in range(n)]
        self.frame: list[Array] = list(points.frame)
        reference = np.where((points.motion >= 0)[:, None], place.points, points.position)
        self.home: list[Array] = [f @ r for f, r in zip(points.frame, reference, strict=True)]
        self.force: list[Array] = list(weight)
        self.volume: list[float] = list(points.volume)
        self.drag: list[float] = list(points.drag_area)
        self.dof: list[list[int]] = []
        self.node_scale: dict[int, float] = {}
        joint = np.where((points.motion >= 0)[:, None], HELD, points.joint)
        for k in range(n):
            components = points.frame[k] @ place.points[k]
            self.dof.append([self._unknown(components[j]) if joint[k, j] != HELD else -1 for j in range(3)] + [-1] * 3)
        self.body_dof = [[self._unknown(v) for v in (*place.bodies[b], 0.0, 0.0, 0.0)] for b in self.loose]
        self.arc_rows: dict[str, list[Any]] = {key: [] for key in ARC_FIELDS}
        self.spans: list[Records] = []
        self.laws: list[Ints] = []
        self.pegs: list[tuple[int, int, int]] = []
        self.slide_dof: list[list[int]] = []
        self.slide_edge: list[list[float]] = []

    def _axes(self) -> Records:
        """(n, 3) of AXIS: those of the points, and idle ones of the other nodes."""
        own = self.model.points.axis
        return frozen(np.concatenate([own, unloaded_axes(np.array(self.frame[own.shape[0] :]).reshape(-1, 3, 3))]))

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
        self.force.append(np.zeros(3))
        self.volume.append(0.0)
        self.drag.append(0.0)
        self.dof.append(dof)
        return len(self.body) - 1

    def _end(self, i: int, j: int) -> tuple[int, float]:
        """Node and load of end j of line i."""
        lines = self.model.lines
        return self._holder(
            int(lines.end_kind[i, j]), int(lines.end_index[i, j]), lines.end_offset[i, j],
            end_place(self.model, self.place, i, j),
        )  # fmt: skip

    def _holder(self, kind: int, k: int, offset: Array, position: Array) -> tuple[int, float]:
        """Node of a point or of a place on a body, and the load on it (N)."""
        if kind != BODY:
            return k, float(self.point_load[k])
        if k in self.loose:
            b = self.loose.index(k)
            return self._node(b, offset, position, list(self.body_dof[b])), 0.0
        return self._node(-1, np.zeros(3), position, [-1] * 6), 0.0

    def _cut(self, position: Array, on_bed: bool, rest: float) -> int:
        """Node at a cut: free, or free to slide on the bed."""
        if not on_bed:
            return self._node(-1, np.zeros(3), position, [self._unknown(v) for v in position] + [-1] * 3)
        normal = self.model.sea.bed_normal
        side = np.array([1.0, 0.0, 0.0]) - normal[0] * normal
        side /= np.linalg.norm(side)
        frame = np.array([side, np.cross(normal, side), normal])
        home = frame @ position
        home[2] = rest - self.model.sea.depth * normal[2]
        k = self._node(-1, np.zeros(3), home, [self._unknown(v) for v in home[:2]] + [-1] * 4)
        self.frame[k] = frame
        return k

    def add_line(self, i: int, plan: LinePlan) -> None:
        """Arcs of line i."""
        model = self.model
        length = float(model.lines.length[i])
        ends = [self._end(i, 0), self._end(i, 1)]
        whole = not plan.cuts and isinstance(self.shape, GuessedShape)
        fixed = np.array([s for s, peg in zip(plan.cuts, plan.peg_of, strict=True) if peg < 0])
        spans = self.shape.spans(i) if whole else line_spans(model, i, fixed)  # type: ignore[attr-defined]
        scale = line_scale(model, spans.rows, spans.laws, max(ends[0][1], ends[1][1]))
        places = np.array([0.0, *plan.cuts, length])
        states, low, high = self.shape.states(i, places)
        middle = 0.5 * (spans.rows.start + spans.rows.stop)
        nodes = [ends[0][0]]
        sliding = self._slides(i, plan, scale)
        for c, resting_cut in enumerate(plan.bed):
            if sliding[c + 1] >= 0:
                nodes.append(self._peg(plan.peg_of[c]))
                continue
            at = min(int(np.searchsorted(spans.rows.stop, plan.cuts[c])), spans.rows.shape[0] - 1)
            nodes.append(self._cut(states[c + 1, :3], resting_cut, float(spans.rows[at].radius)))
            self._carry(nodes[-1], plan.cuts[c], spans)
        nodes.append(ends[1][0])
        for c, backward in enumerate(plan.backward):
            inside = (spans.rows.start >= places[c]) & (spans.rows.stop <= places[c + 1])
            # a load at a cut belongs to the arc before it
            inside &= (middle > places[c]) | (c == 0)
            if plan.pegs:  # beside a peg the spans are cut when it is known where it is
                inside[:] = True
            own = LineSpans(spans.rows[inside], spans.laws[inside])
            begin = c + 1 if backward else c
            n0 = states[begin, 3:].copy()
            start = float(places[begin])
            resting = max(0.0, start - low) if backward else max(0.0, high - start)
            if isinstance(self.shape, LaidShape) and 0 < begin <= len(plan.cuts) and plan.bed[begin - 1]:
                n0, resting = self.shape.lift_off(i, start, backward) or (n0, resting)
            if backward:
                own, n0 = reversed_spans(own, length), -n0
            on_bed, lift = self._rest(nodes[begin], begin, plan, own)
            if on_bed != HANGING:
                n0 = self._on_bed_force(n0, resting, own.rows)
            pair = (nodes[begin], nodes[c] if backward else nodes[c + 1])
            far = c if backward else c + 1
            slides = (sliding[begin], sliding[far])
            lies = on_bed != HANGING and (not plan.cuts or plan.bed == (True,))  # perhaps up to its far end
            beyond = self._rest(nodes[far], far, plan, own, -1)[1] if lies else 0.0
            self._add_arc((i, backward, start, list(pair), slides, places[c + 1] - places[c], scale, on_bed,
                           (lift, beyond), (start, float(places[far]))), n0, length, own)  # fmt: skip

    def _slides(self, i: int, plan: LinePlan, scale: float) -> list[int]:
        """Unknown of the place of each peg among the ends and cuts of line i; -1 for those that do not slide."""
        length = float(self.model.lines.length[i])
        places, found = [0.0, *plan.cuts, length], [-1] * (len(plan.cuts) + 2)
        for c, peg in enumerate(plan.peg_of):
            if peg >= 0:
                d = found[c + 1] = self._unknown(plan.cuts[c])
                self.unit[d], self.row[d] = length, scale
                self.pegs.append((i, c, d))
        for c in range(1, len(places) - 1):
            if found[c] >= 0:
                self.slide_dof.append([found[c], found[c - 1], found[c + 1]])
                self.slide_edge.append([places[c - 1], places[c + 1]])
        return found

    def _peg(self, p: int) -> int:
        """Node of what a line runs over; p : index into the model's `over` arrays."""
        lines = self.model.lines
        kind, k, offset = int(lines.over_kind[p]), int(lines.over_index[p]), lines.over_offset[p]
        return self._holder(kind, k, offset, held_place(self.place, kind, k, offset))[0]

    def _rest(self, node: int, begin: int, plan: LinePlan, own: LineSpans, span: int = 0) -> tuple[int, float]:
        """How an arc starts: HANGING, SLIDING or STRAIGHT, and how far its axis is lifted onto the bed (m).

        span : of the arc, that lies there: the first, or the last (-1) at its far end
        """
        model = self.model
        if not model.sea.has_seabed:
            return HANGING, 0.0
        cut = 0 < begin <= len(plan.cuts)
        heavy = bool(own.rows[span].load[2] + own.rows[span].buoyancy < 0.0)
        slides = model.sea.bed_rest_friction == 0.0 and loads_along_bed(model, own.rows) and not plan.laid
        way = SLIDING if slides else STRAIGHT
        if cut:
            return (way, 0.0) if plan.bed[begin - 1] else (HANGING, 0.0)
        if any(d >= 0 for d in self.dof[node]) or not heavy or not plan.ends[0 if begin == 0 else 1]:
            return HANGING, 0.0
        height = bed_height(model, self.frame[node].T @ self.home[node])
        rest = float(own.rows[span].radius)
        if height > rest + ON_BED * model.sea.depth:
            return HANGING, 0.0
        return way, rest - height

    def _on_bed_force(self, n0: Array, resting: float, rows: Records) -> Array:
        """Force at the start of an arc on the bed: in the plane, and minus the weight that rests beyond it."""
        normal = self.model.sea.bed_normal
        weight = -(rows[0].load @ normal + rows[0].buoyancy * normal[2])
        flat: Array = n0 - (n0 @ normal) * normal
        lift = n0 @ normal if resting == 0.0 else -weight * resting
        return flat + lift * normal

    def _add_arc(self, values: tuple[Any, ...], n0: Array, whole: float, spans: LineSpans) -> None:
        """One arc; `values` in the order of arc_rows, of its unknowns those of pegs, without what is integrated."""
        line, backward, at, nodes, slides, length, scale, on_bed, lift, edge = values
        own = [self._unknown(v) for v in n0]
        for d in own:
            self.unit[d], self.row[d] = scale, whole
        for k in nodes:
            self.node_scale[k] = max(self.node_scale.get(k, 0.0), scale)
            for d in self.dof[k][:3]:
                if d >= 0:
                    self.unit[d] = max(self.unit[d], whole)
                    self.row[d] = max(self.row[d], scale)
        moves = depends_on_position(self.model, spans.rows) or on_bed != HANGING
        dof = [*self.dof[nodes[0]], *self.dof[nodes[1]], *own, *slides]
        active = string.ALL if moves else string.FORCE_ONLY
        row = (line, backward, at, nodes, dof, length, scale, on_bed, lift, active, edge)
        for key, value in zip(self.arc_rows, row, strict=True):
            self.arc_rows[key].append(value)
        self.spans.append(spans.rows)
        self.laws.append(spans.laws)

    def _ceiling(self, k: int) -> float:
        """Height above which node k would not float: the radius of its sphere, infinite if it does not float."""
        sea = self.model.sea
        lift = sea.water_density * sea.gravity * self.volume[k] + self.force[k][2]
        upright = bool(np.all(self.frame[k] == np.eye(3)))
        if self.volume[k] == 0.0 or lift <= 0.0 or not upright:
            return math.inf
        return float((0.75 * self.volume[k] / math.pi) ** (1.0 / 3.0)) * AFLOAT

    def _tails(self) -> Flags:
        """Nodes that are free in all components where one arc starts and none ends."""
        pairs = np.array(self.arc_rows["node"], dtype=np.int64).reshape(-1, 2)
        begins, ends = (np.bincount(pairs[:, j], minlength=len(self.body)) for j in range(2))
        free = np.all(np.array(self.dof).reshape(-1, 6)[:, :3] >= 0, axis=1)
        tails: Flags = free & (np.array(self.body) < 0) & (begins == 1) & (ends == 0)
        return tails

    def _carry(self, k: int, s: float, spans: LineSpans) -> None:
        """Move the point load at s from the end of its span to node k."""
        at = np.flatnonzero((spans.rows.stop == s) & (spans.rows.bound > 0.0))
        for row in spans.rows[at]:
            self.force[k] = self.force[k] + row.jump
            self.volume[k] += row.float_volume
            self.drag[k] += row.float_drag
        for name in string.POINT_LOAD:
            spans.rows[name][at] = 0.0

    def finish(self) -> Problem:
        """All as arrays."""
        arcs = self.arc_rows
        counts = offsets([rows.shape[0] for rows in self.spans])
        rigid = self._rigid()
        n = len(self.start)
        row, unit = np.array(self.row), np.array(self.unit)
        row[row == 0.0] = 1.0
        unit[unit == 0.0] = 1.0
        spans = joined(self.spans, string.SPAN)
        lines = ints(arcs["line"], (-1,))
        problem = Problem(
            arcs=Arcs(
                line=lines,
                reverse=flags(arcs["reverse"]),
                offset=floats(arcs["offset"]).copy(),
                first=ints(counts[:-1]),
                last=ints(counts[1:]),
                node=ints(arcs["node"], (-1, 2)),
                dof=ints(arcs["dof"], (-1, LOCAL)),
                length=floats(arcs["length"]).copy(),
                force=floats(arcs["force"]),
                slack=floats(SLACK_FORCE * np.array(arcs["force"], dtype=float)),
                on_bed=ints(arcs["on_bed"], (-1,)),
                lift=floats(arcs["lift"], (-1, 2)),
                active=ints(arcs["active"], (-1,)),
                spans=spans.copy(),
                laws=ints(np.concatenate(self.laws) if self.laws else [], (-1, 3)),
                law_data=self.model.sections.law_data,
                slides=bool(self.pegs),
                source=spans if self.pegs else spans[:0],
                edge=floats(arcs["edge"], (-1, 2)),
                total=floats(self.model.lines.length[lines]),
                brake=floats(np.zeros(lines.size)),
                home=floats(np.zeros(lines.size)),
            ),
            nodes=Nodes(
                body=ints(self.body),
                offset=floats(self.offset, (-1, 3)),
                frame=floats(self.frame, (-1, 3, 3)),
                home=floats(self.home, (-1, 3)),
                dof=ints(self.dof, (-1, 6)),
                axis=self._axes(),
                force=floats(self.force, (-1, 3)),
                volume=floats(self.volume),
                drag=floats(self.drag),
                ceiling=floats([self._ceiling(k) for k in range(len(self.body))]),
                tail=flags(self._tails()),
                any_free=any(d >= 0 for body, dof in zip(self.body, self.dof, strict=True) if body < 0 for d in dof),
                slide_dof=ints(self.slide_dof, (-1, 3)),
                slide_edge=floats(self.slide_edge, (-1, 2)),
            ),
            rigid=rigid,
            scales=Scales(floats(row), floats(unit)),
            x=np.array(self.start).reshape(n),
            quaternions=np.array(self.place.quaternions[self.loose], dtype=float).reshape(-1, 4).copy(),
            pegs=ints(self.pegs, (-1, 3)),
        )
        if problem.arcs.slides:
            slide(problem.arcs, problem.x)
        return problem

    def _rigid(self) -> Rigid:
        """Free bodies; their scales: the largest line or load on them, and the longest lever."""
        bodies, sea, loose = self.model.bodies, self.model.sea, self.loose
        scale = np.zeros(len(loose))
        lever = np.zeros(len(loose))
        for k, b in enumerate(self.body):
            if b >= 0:
                scale[b] = max(scale[b], self.node_scale.get(k, 0.0))
                lever[b] = max(lever[b], float(np.linalg.norm(self.offset[k])))
        for j, b in enumerate(loose):
            load = float(np.abs(bodies.load_force[b]).sum())
            scale[j] = max(scale[j], load) or max(bodies.mass[b] * sea.gravity, 1.0)
            lever[j] = max(lever[j], float(np.abs(bodies.centre[b]).max())) or 1.0
            for d, dof in enumerate(self.body_dof[j]):
                self.row[dof] = scale[j] * (1.0 if d < 3 else lever[j])
                self.unit[dof] = max(self.unit[dof], lever[j]) if d < 3 else 1.0
        return Rigid(
            which=ints(loose, (-1,)),
            dof=ints(self.body_dof, (-1, 6)),
            body=body_records(bodies)[loose],
            shells=build_shells(bodies),
            scale=floats(scale),
            lever=floats(lever),
        )
