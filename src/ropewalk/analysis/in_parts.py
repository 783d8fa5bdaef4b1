"""A solver for platforms that share nothing: each takes its own steps, on as many cores as there are.

One step for all would be the shortest that one of them needs, and one thread would do them one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ropewalk.analysis.parts import separate_platforms
from ropewalk.analysis.shared_start import is_one_of_many
from ropewalk.methods.protocol import Figures, Marching, Passage, Report, Solver
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.model import Model, build
from ropewalk.model.moments import Moments
from ropewalk.model.state import State
from ropewalk.numerics.cores import cores
from ropewalk.results.checkpoint import Resumable, Snapshot
from ropewalk.spec.system import System

SUMMED = ("steps", "rejected", "newton_failures", "newton_iterations")  # figures of reports
LARGEST = (
    "largest_step",
    "discretisation_error",
    "constraint_drift",
    "fixed_step",
    "energy_closure",
    "energy_numerics",
)


class Part(NamedTuple):
    """A platform with what is tied to it, and where its parts stand among those of the whole."""

    model: Model
    points: Ints
    bodies: Ints
    lines: Ints
    links: Ints
    winches: Ints


@dataclass
class PartsWork:
    """Memories of the parts."""

    works: list[Any]
    pool: ThreadPoolExecutor = field(repr=False)


@dataclass(frozen=True)
class InParts:
    """As `solver`, which must march, on parts that share nothing; their bits do not depend on the number of threads."""

    solver: Any
    parts: tuple[Part, ...]
    threads: int

    @property
    def name(self) -> str:
        """Of the solver."""
        return str(self.solver.name)

    @property
    def claims(self) -> Any:
        """Of the solver."""
        return self.solver.claims

    def start(self, model: Model, state: State) -> PartsWork:
        """Memories for a run that begins at `state`."""
        return self._with_pool([self.solver.start(part.model, part_state(part, state)) for part in self.parts])

    def advance(self, model: Model, work: PartsWork, t: float) -> Report:
        """Move all to time t."""
        return self.march(model, work, np.array([t])).report

    def march(self, model: Model, work: PartsWork, times: Array, more: int = 0) -> Passage:
        """Move each part to each of `times`; all moments up to the first that a part does not reach."""
        pairs = zip(self.parts, work.works, strict=True)
        waiting = [work.pool.submit(self.solver.march, part.model, own, times.copy()) for part, own in pairs]
        passages = [one.result() for one in waiting]
        report = joined_report([passage.report for passage in passages])
        reached = min(0 if p.moments is None else p.moments.time.size for p in passages)
        if not reached:
            return Passage(report, None, {})
        moments = joined_moments(self.parts, [p.moments.cut(0, reached) for p in passages if p.moments is not None])
        names = passages[0].energy
        shares = tuple({name: p.energy[name][:reached] for name in names} for p in passages)
        energy = {name: sum((share[name] for share in shares), np.zeros(reached)) for name in names}
        return Passage(report, moments, energy, shares if names else ())

    def read(self, model: Model, work: PartsWork) -> State:
        """The State at the present time."""
        pairs = zip(self.parts, work.works, strict=True)
        return joined_moments(self.parts, [Moments.of([self.solver.read(p.model, own)]) for p, own in pairs]).state(0)

    def snapshot(self, work: PartsWork) -> Snapshot:
        """All that the next steps depend on."""
        saved = [self.solver.snapshot(own) for own in work.works]
        return {f"{k}_{name}": value for k, one in enumerate(saved) for name, value in one.items()}

    def restore(self, model: Model, snapshot: Snapshot) -> PartsWork:
        """The memories of which `snapshot` was taken."""
        works = []
        for k, part in enumerate(self.parts):
            begin = f"{k}_"
            own = {name.removeprefix(begin): value for name, value in snapshot.items() if name.startswith(begin)}
            works.append(self.solver.restore(part.model, own))
        return self._with_pool(works)

    def _with_pool(self, works: list[Any]) -> PartsWork:
        return PartsWork(works, ThreadPoolExecutor(self.threads))


def in_parts(system: System, model: Model, solver: Solver) -> Solver:
    """The solver, or one that takes the platforms of the system apart if there are several and it can."""
    if not isinstance(solver, Marching) or not isinstance(solver, Resumable):
        return solver
    systems = separate_platforms(system)
    if len(systems) < 2:
        return solver
    threads = 1 if is_one_of_many() else min(len(systems), cores())
    return InParts(solver, tuple(_part(model, build(one)) for one in systems), threads)  # type: ignore[return-value]


def _part(whole: Model, model: Model) -> Part:
    """A part of a model, from the names."""

    def among(own: Sequence[str], all_: Sequence[str]) -> Ints:
        return np.array([list(all_).index(name) for name in own], dtype=np.int64)

    names, given = model.names, whole.names
    lines = among(names.lines, given.lines)
    winches = [k for k, line in enumerate(whole.lines.winches.line) if line in lines]
    return Part(
        model,
        among(names.points, given.points),
        among(names.bodies, given.bodies),
        lines,
        among(model.links.names, whole.links.names),
        np.array(winches, dtype=np.int64),
    )


def _nodes(lines: Ints, start: Ints) -> Ints:
    """Numbers of the nodes of some lines."""
    ranges = [np.arange(start[line], start[line + 1]) for line in lines]
    return np.concatenate(ranges) if ranges else np.zeros(0, dtype=np.int64)


def _rows(part: Part, name: str, start: Ints) -> Ints:
    """Rows of a field of the State that belong to a part; there are no nets.  start : of the whole"""
    by_kind = {"point": part.points, "body": part.bodies, "link": part.links, "net": np.zeros(0, dtype=np.int64)}
    kind = name.partition("_")[0]
    if kind in by_kind:
        return by_kind[kind]
    if name in ("end_force", "grounded"):
        return part.lines
    return part.winches if name == "line_length" else _nodes(part.lines, start)


def part_state(part: Part, state: State) -> State:
    """The state of a part."""
    fields: dict[str, Any] = {}
    for name, value in state._asdict().items():
        if name in ("time", "start"):
            continue
        fields[name] = value[_rows(part, name, state.start)] if value.shape[0] else value
    counts = np.diff(state.start)[part.lines]
    return State(time=state.time, start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), **fields)


def joined_moments(parts: Sequence[Part], moments: Sequence[Moments]) -> Moments:
    """Moments of the whole from those of its parts, at the same times; fields that a part lacks are empty."""
    counts = np.zeros(sum(part.lines.size for part in parts), dtype=np.int64)
    for part, own in zip(parts, moments, strict=True):
        counts[part.lines] = np.diff(own.start)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    s = np.zeros(int(start[-1]))
    for part, own in zip(parts, moments, strict=True):
        s[_nodes(part.lines, start)] = own.s
    fields = {}
    for name in dict.fromkeys(name for own in moments for name in own.fields):
        pairs = [(part, own.fields[name]) for part, own in zip(parts, moments, strict=True) if name in own.fields]
        rows = [_rows(part, name, start) for part, _ in pairs]
        shape, size = pairs[0][1].shape, sum(value.shape[1] for _, value in pairs)
        if size != sum(row.size for row in rows):
            size, pairs = 0, []
        fields[name] = np.zeros((shape[0], size, *shape[2:]))
        for row, (_, value) in zip(rows, pairs, strict=False):
            fields[name][:, row] = value
    return Moments(moments[0].time, start, s, fields)


def joined_report(reports: Sequence[Report]) -> Report:
    """Of all parts; the status and message are those of the first that failed."""
    first = next((report for report in reports if not report.good), reports[0])
    return replace(
        first,
        iterations=sum(report.iterations for report in reports),
        residual_force=max(report.residual_force for report in reports),
        residual_position=max(report.residual_position for report in reports),
        figures=Figures(lambda: _joined_figures([report.figures for report in reports])),
    )


def _joined_figures(parts: Sequence[Any]) -> dict[str, Any]:
    def over(names: Sequence[str], join: Callable[[list[Any]], Any]) -> dict[str, Any]:
        found = {name: [figures[name] for figures in parts if name in figures] for name in names}
        return {name: join(values) for name, values in found.items() if values}

    figures = {**over(SUMMED, sum), **over(LARGEST, max), **over(["smallest_step"], min)}
    figures["parted"] = [sentence for one in parts for sentence in one.get("parted", ())]
    figures["start"] = "; ".join(dict.fromkeys(one["start"] for one in parts if one.get("start")))
    if all("energy" in one for one in parts):
        names = parts[0]["energy"]
        figures["energy"] = {name: float(sum(one["energy"][name] for one in parts)) for name in names}
    return figures
