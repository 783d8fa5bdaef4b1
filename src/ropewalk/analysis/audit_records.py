"""What the audit of a run sees of its records: extremes, taken at every passage and summed up where the run stands.

Fields of records are looked at once, by compiled sums (audit/records.py), and not kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ropewalk.analysis.audit_lines import heights
from ropewalk.analysis.audit_run import DRIFT, PARTS, RunAudit, depth_limits, rigid_lines
from ropewalk.audit.records import NOTHING, Extremes, Looked, note_records, note_ways
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.model.environment import is_grid
from ropewalk.model.model import Model
from ropewalk.model.moments import Moments


class Watch:
    """Looks at what a run records, and brings it to a `RunAudit`."""

    def __init__(self, model: Model, seen: RunAudit, is_still: bool, is_begin: bool = False) -> None:
        """is_still : nothing drives the run    is_begin : the first record will be that of an equilibrium"""
        self.model, self.seen, self.is_still, self.is_begin = model, seen, is_still, is_begin
        self.is_first = not seen.books
        self.energies: list[Sequence[Mapping[str, Array]]] = []  # ledgers of records that are not yet counted
        self.rows: Array = np.empty((len(NOTHING), model.lines.length.size))
        self.rows.T[:] = NOTHING
        self.extremes = Extremes(*self.rows)
        self.nets = np.zeros((len(model.nets.names), 2))  # N, most and least tension
        self.looked: Looked | None = None
        # m, PARTS at the first record of what nothing drives
        self.home = [np.reshape(own, (-1, 3)) for own in seen.home] or None
        self.extent: float | None = None  # m, of these
        self.s: Array = np.zeros(0)
        self.begun: Array | None = None  # (n_nodes, 3) m, where lines come to rest that begin at an equilibrium
        self.twines = _slack_twines(model) if model.nets.names else ()

    def take(self, moments: Moments, ledgers: Sequence[Mapping[str, Array]]) -> None:
        """Look at recorded moments.  ledgers : of each part that has its own, terms by name, (n,) J each"""
        fields = moments.fields
        if any(ledgers):
            if self.is_first:
                self.seen.slack, self.is_first = _slack_energy(self.model, moments), False
            self.energies.append(ledgers)
        position = fields["position"]
        if position.size:
            if self.looked is None:  # records keep to the nodes of the first
                self.looked, self.s = _looked(self.model, moments.start), moments.s
                if self.is_begin:
                    self.begun = position[0].copy()
            note_records(position, fields["tension"], fields["element_tension"], self.looked, self.extremes)
            if self.model.sea.has_seabed and is_grid(self.model.sea):
                self._note_heights(position)
        for i, own in enumerate(self.twines):
            tension = fields["net_tension"][:, own]
            self.nets[i, 0] = max(self.nets[i, 0], tension.max(initial=0.0))
            self.nets[i, 1] = min(self.nets[i, 1], tension.min(initial=0.0))
        if self.is_still:
            self._look_at_rest(moments)

    def _note_heights(self, position: Array) -> None:
        """Of lines over a bed that is given on a grid."""
        assert self.looked is not None
        lowest = np.min(heights(self.model.sea, position.reshape(-1, 3)).reshape(position.shape[:2]), axis=0)
        low = np.minimum.reduceat(lowest, self.looked.start[:-1])
        np.minimum(self.extremes.low, low, out=self.extremes.low)

    def _look_at_rest(self, moments: Moments) -> None:
        """Take recorded moments of a system into account that nothing drives."""
        places = [moments.fields[name] for name in PARTS if name in moments.fields]
        if self.home is None:
            self.home = [place[0].copy() for place in places]
        if self.extent is None:
            corners = np.array([(own.min(axis=0), own.max(axis=0)) for own in self.home if own.size]).reshape(-1, 2, 3)
            spans = corners[:, 1].max(axis=0, initial=-np.inf) - corners[:, 0].min(axis=0, initial=np.inf)
            self.extent = math.hypot(*spans.tolist()) if corners.size else 0.0
        if self.extent > 0.0:
            ways = np.zeros(moments.time.size)
            for now, first in zip(places, self.home, strict=True):
                if now.size:
                    note_ways(now, first, ways)
            self.seen.note_ways(ways / self.extent, moments.time)

    def saved(self) -> dict[str, Any]:
        """The audit so far, as plain data for a checkpoint."""
        self.look()
        self.seen.home = [own.tolist() for own in self.home or ()]
        return asdict(self.seen)

    def look(self) -> None:
        """Take into account all that was looked at since the last time."""
        seen, names = self.seen, self.model.names.lines
        if self.energies:
            for k, ledger in enumerate(self.energies[0]):
                tables = [np.array([*ledgers[k].values()]) for ledgers in self.energies]
                whole = tables[0] if len(tables) == 1 else np.concatenate(tables, axis=1)
                seen.count_energy(tuple(ledger), whole, k)
            self.energies = []
        rows = self.rows.T.tolist()
        pulls = [("line", name, *row[:2]) for name, row in zip(names, rows, strict=True)]
        pulls += [("net", name, *row) for name, row in zip(self.model.nets.names, self.nets.tolist(), strict=True)]
        for kind, name, most, least in pulls:
            seen.pulled = max(seen.pulled, most)
            if least < 0.0:
                seen.pushed[f"{kind} '{name}'"] = max(seen.pushed.get(f"{kind} '{name}'", 0.0), -least)
        if self.looked is not None:
            for i in np.flatnonzero(self.looked.is_rigid).tolist():
                over = float(self.extremes.long[i]) / float(self.model.lines.length[i]) - 1.0
                if over > DRIFT:
                    seen.longer[names[i]] = max(seen.longer.get(names[i], 0.0), over)
            if self.model.sea.has_seabed:
                self._count_bed(self.looked.start, [row[-4:] for row in rows])
        self.rows.T[:], self.nets[:] = NOTHING, 0.0

    def _count_bed(self, start: Ints, ends: Sequence[Sequence[float]]) -> None:
        """Depths below the bed, and tensions at the ends of lines that may touch it.  ends : as of `RunAudit`"""
        seen, names, depth = self.seen, self.model.names.lines, -self.extremes.low
        touch = 2.0 * float(self.model.sections.contact_radius.max(initial=0.0))
        for i, (name, own, below) in enumerate(zip(names, ends, depth.tolist(), strict=True)):
            old = seen.ends.get(name)
            picks = zip((min, max, min, max), own, old, strict=True) if old is not None else ()
            seen.ends[name] = [pick(x, y) for pick, x, y in picks] or [*own]
            if below >= -touch and name not in seen.touched:
                seen.touched[name] = float(np.diff(self.s[start[i] : start[i + 1]]).max())
        if depth.max() > 0.0:
            for i in np.flatnonzero(depth > depth_limits(self.model)).tolist():
                seen.deepest[names[i]] = max(seen.deepest.get(names[i], 0.0), float(depth[i]))
                if self.begun is not None and names[i] not in seen.laid:
                    nodes = self.begun[start[i] : start[i + 1]]
                    seen.laid[names[i]] = -float(heights(self.model.sea, nodes).min())


def _looked(model: Model, start: Ints) -> Looked:
    """What to look at of the lines of a model.  start : of the nodes of its records"""
    sea = model.sea
    plane = np.zeros(4)
    if sea.has_seabed and not is_grid(sea):
        plane[:3], plane[3] = sea.bed_normal, sea.depth * sea.bed_normal[2]
    return Looked(np.array(start, dtype=np.int64), _can_push(model), rigid_lines(model), plane)


def _can_push(model: Model) -> Flags:
    """(n_lines,) whether a section of the line can push."""
    can, lines = model.sections.compression.astype(bool)[model.lines.piece_section], model.lines
    return np.logical_or.reduceat(can, lines.piece_start[:-1]) if lines.length.size else np.zeros(0, dtype=np.bool_)


def _slack_twines(model: Model) -> list[Ints]:
    """Bars of each net that cannot push."""
    nets, can = model.nets, model.sections.compression.astype(bool)
    own = [np.arange(nets.bar_start[i], nets.bar_start[i + 1]) for i in range(len(nets.names))]
    return [bars[(nets.twines[bars] > 0.0) & ~can[nets.section[bars]]] for bars in own]


def _slack_energy(model: Model, moments: Moments) -> float:
    """Energy of elements that cannot push and are pushed by the law of slack lines, at the first of the moments, J.

    Lines that lie slack have no shape of their own. Those that are found straight may buckle, and lose this.
    """
    bars, position = moments.fields["element_tension"], moments.fields["position"]
    total = 0.0
    if not bars.size or not bars[0].min() < 0.0:
        return total
    for i in np.flatnonzero(~_can_push(model)):
        own = slice(int(moments.start[i]), int(moments.start[i + 1]))
        way = np.diff(moments.s[own]) - np.linalg.norm(np.diff(position[0, own], axis=0), axis=1)
        total += 0.5 * float(np.maximum(-bars[0, own][:-1], 0.0) @ np.maximum(way, 0.0))
    return total
