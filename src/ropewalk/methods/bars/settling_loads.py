"""What a case of bars is settled under: loads in shares, supports that are led, and how far forces are from balance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ropewalk.methods.bars.arrays import Medium
from ropewalk.methods.bars.kkt import residuals
from ropewalk.methods.bars.loads import supports
from ropewalk.methods.bars.work import BarsWork, find_tensions, gaps, refresh
from ropewalk.model.arrays import Array, flags, floats, ints
from ropewalk.model.environment import share_of_current
from ropewalk.model.in_time import FunctionBook, held_before
from ropewalk.model.joints import Motions
from ropewalk.model.model import Model
from ropewalk.physics.motion import COMPONENTS

NO_LOAD_TIME = 1.0  # s, natural time of a case on which nothing acts
ORDINARY = 2.0  # s, natural time of a case of 40 m under its weight: steps of pseudo-time are given for such
OWN = ("sweeps", "turns", "memory")  # of projection, recursion and implicit steps
RATES = ("v", "omega", "a", "alpha", "rate")  # of nodes and bars, in any of them


@dataclass(frozen=True)
class Loads:
    """The loads of a case in full: weight and buoyancy, current, given forces."""

    medium: Medium  # with gravity and the current
    force: Array  # (n, 3) N

    @classmethod
    def of(cls, work: BarsWork) -> Loads:
        """Those that act on `work` now."""
        return cls(work.medium, work.bars.force)

    def put_on(self, work: BarsWork, share: float, damping: float) -> None:
        """Let this share of them act, and a mass-proportional damping (1/s)."""
        medium = self.medium
        work.medium = share_of_current(medium, share)._replace(gravity=share * medium.gravity, damping=damping)
        work.bars = work.bars._replace(force=floats(share * self.force))
        refresh(work)


def calm(model: Model) -> Model:
    """The model as it acts on bars at rest: no waves, and no friction of the bed, which only opposes motion."""
    return model._replace(sea=model.sea._replace(wave=floats(model.sea.wave[:, :0]), bed_friction=0.0))


class Supports:
    """Nodes with a motion, led from where they are to where the motion has them."""

    def __init__(self, work: BarsWork) -> None:
        self.bars = work.bars  # with the motions of the case
        self.motions = work.motions
        self.nodes = np.flatnonzero(work.bars.held & (work.bars.motion >= 0))
        self.away = self._displaced(work.time)  # (k, 3) from home, m

    def lead(self, work: BarsWork, t: float, begin: float, end: float) -> bool:
        """Let the nodes go to their places at t between begin and end (s), and stay; False if they are there."""
        there = self._displaced(t)
        own = np.full(self.bars.motion.size, -1)
        own[self.nodes] = np.arange(self.nodes.size)
        work.bars = work.bars._replace(motion=ints(own))
        work.motions = _ways(self.away, there, begin, end)
        moves = bool(np.any(there != self.away))
        self.away = there
        return moves

    def _displaced(self, t: float) -> Array:
        r, v, a = (np.zeros_like(self.bars.home) for _ in range(3))
        supports(self.bars, self.motions, t, r, v, a)
        moved: Array = (r - self.bars.home)[self.nodes]
        return moved


def _ways(first: Array, last: Array, begin: float, end: float) -> Motions:
    """Motions from `first` (k, 3) to `last` between begin and end (s), along cubics that start and stop at rest."""
    book, span = FunctionBook(), end - begin
    rows = []
    for start, stop in zip(first, last, strict=True):
        way = (stop - start) / span**2
        pieces = [
            [held_before(begin, x), (begin, x, 0.0, 3.0 * w, -2.0 * w / span), (end, y, 0.0, 0.0, 0.0)]
            for x, y, w in zip(start.tolist(), stop.tolist(), way.tolist(), strict=True)
        ]
        rows.append([*(book.add(pieces=own) for own in pieces), -1, -1, -1])
    return Motions(ints(rows, (-1, COMPONENTS)), flags(np.zeros(len(rows), dtype=bool)), book.build())


class Unbalance(NamedTuple):
    """What is missing to an equilibrium."""

    force: Array  # (n, 3) on nodes, in the components that can move, N
    miss: Array  # (m,) of the bars' lengths, m


def unbalance(work: BarsWork) -> Unbalance | None:
    """How far the present positions are from an equilibrium; None if the tensions are not determined.

    The forces are those at rest, with tensions that let no bar lengthen. For a solver whose bars
    can go slack its own tensions are used, because the others would let such bars push.
    """
    bars, s = work.bars, work.steps
    if "kkt" in work.own:
        kkt, still = work.own["kkt"], np.zeros_like(s.r)
        stiff = np.zeros(bars.length.size)
        residuals(bars, work.medium, work.field, kkt, s.r, still, still, s.tension.copy(), stiff, work.time)
        return Unbalance(kkt.out.copy(), kkt.gap.copy())
    before = {name: getattr(s, name).copy() for name in ("v", "tension", "old_force", "acceleration")}
    s.v[:] = 0.0
    s.acceleration[:] = 0.0
    known = find_tensions(work)
    force = np.einsum("npj,np,npi,nik,nk->nj", bars.axes, bars.loose, bars.axes, work.field.inertia, s.old_force)
    for name, values in before.items():
        getattr(s, name)[:] = values
    return Unbalance(force, gaps(work) - bars.length) if known else None


def put_to_rest(work: BarsWork) -> None:
    """Take out what is left of velocities, and give the bars the tensions of rest."""
    s = work.steps
    s.v[:] = 0.0
    s.acceleration[:] = 0.0
    if "kkt" not in work.own:
        find_tensions(work)
    s.old_force[:] = 0.0


@dataclass(frozen=True)
class Kept:
    """A moment of a motion that can be gone back to."""

    time: float  # s
    values: tuple[Array, ...]

    @classmethod
    def of(cls, work: BarsWork) -> Kept:
        """The present one."""
        return cls(work.time, tuple(array.copy() for _, array in _memory(work)))

    def put_back(self, work: BarsWork) -> None:
        """Make it the present one, without its velocities."""
        work.time = self.time
        for (name, array), value in zip(_memory(work), self.values, strict=True):
            array[:] = 0.0 if name in RATES else value
        refresh(work)


def _memory(work: BarsWork) -> list[tuple[str, Array]]:
    """Arrays of the steps and of the solver's own, with their names."""
    parts = [work.steps, *(work.own[name] for name in OWN if name in work.own)]
    return [item for part in parts for item in part._asdict().items() if isinstance(item[1], np.ndarray)]


def size_of(work: BarsWork) -> float:
    """Across all nodes, m; the longest bar where these lie on one another."""
    size = float(np.linalg.norm(np.ptp(work.steps.r, axis=0)))
    return max(size, float(work.bars.length.max()))


def pseudo_time_unit(work: BarsWork, r: Array) -> float:
    """By which steps of pseudo-time are shorter where all happens faster, as with lines of centimetres; at most 1.

    r : (n, 3) m, where the loads of `work` were taken
    """
    return min(1.0, natural_time(work, r) / ORDINARY)


def natural_time(work: BarsWork, r: Array | None = None) -> float:
    """Time (s) in which the loads would move the free nodes by the size of the case: sqrt(size / acceleration).

    r : (n, 3) m, their places, unless they are those of `work`
    """
    free = ~work.bars.held
    load = float(np.linalg.norm(work.field.force[free], axis=1).sum())
    mass = float(np.trace(work.field.inertia[free], axis1=1, axis2=2).sum()) / 3.0
    size = float(np.linalg.norm(np.ptp(work.steps.r if r is None else r, axis=0)))
    return math.sqrt(size * mass / load) if load > 0.0 and size > 0.0 else NO_LOAD_TIME
