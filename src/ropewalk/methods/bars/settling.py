r"""Statics by time integration: loads are brought on over a ramp, and a damped run goes on until nothing moves.

After [Otto2022], secs. 1.2 and 6.1, for any of the solvers of bars. Three criteria must hold together. His: all nodes
stay slower than `still` for a time `hold`. Forces, because what is slow can be far from rest: with all velocities put
to zero they balance at each node to `tolerance` of the largest load on a node. And the bars have their lengths.

Damping is proportional to mass. Unless given, it follows the motion: critical for the frequency that the case shows as
it moves, by the Rayleigh quotient of the way :math:`\Delta r` since the last look ([Underwood1983]),

.. math:: c = 2 \omega, \qquad \omega^2 = -\frac{\Delta r \cdot \Delta f}{\Delta r \cdot M \Delta r},

with f the residual forces at rest. Fast motion dies first, so that this becomes the lowest frequency there is.

Where the steps become unstable (a node is faster than anything that falls across the case, or a number is not finite),
the motion is stopped where it was last seen well and goes on from rest with shorter steps.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ropewalk.assembly.link_start import close_links
from ropewalk.assembly.mesh_error import MESH_FIGURES, UNJUDGED
from ropewalk.errors import InputError
from ropewalk.methods.bars.bed import friction_note
from ropewalk.methods.bars.constrained import BAR_CLAIMS
from ropewalk.methods.bars.equilibrium import refuse_unheld
from ropewalk.methods.bars.links import link_figures
from ropewalk.methods.bars.settling_loads import (
    Kept,
    Loads,
    Supports,
    Unbalance,
    calm,
    natural_time,
    put_to_rest,
    size_of,
    unbalance,
)
from ropewalk.methods.bars.work import BarsWork, read_bars
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.methods.registry import BAR_SOLVERS, solver_class
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.physics.in_time import ramp as ramp_share

LOOKS = 20  # at the velocities in that time
STEPS_PER_LOOK = 4  # at least: a look costs as much as a step or two
STAIRS = 40  # at least, in which the loads are brought on
RAMP = 2.0  # natural times in which they are, unless given
LONGEST = 400.0  # natural times, and ...
AT_LEAST = 60.0  # ... times of `hold`, that a run may take, unless given
FIRST_DAMPING = 2.0  # over the natural time: critical for a pendulum as large as the case
LEAST, MOST = 0.05, 50.0  # bounds on the damping, in terms of the first
STRAINED = 1e-6  # relative error of a bar's length that an equilibrium may have
# Three sweeps, the default in time, leave a light rope with a heavy end stretching for minutes.
SETTINGS: dict[str, dict[str, Any]] = {"projection": {"sweeps": 60}}
FASTEST = 100.0  # times the size of the case in its natural time: a node that is faster is in an unstable step
RETREATS, SHORTER = 6, 0.3  # from such steps, and by how much shorter the next ones are
MOST_WORK = 3e6  # bars times steps that are spent unless a duration is given: 5 to 15 s
GENTLE = 0.5  # most of damping times step: the recursion takes the damping explicitly


class Stillness:
    """Since when all nodes are at rest."""

    STILL = 1e-3  # m/s, below which a node counts as at rest, [Otto2022], sec. 6.1 as identified
    HOLD = 1.0  # s for which it must stay so

    def __init__(self, still: float = STILL, hold: float = HOLD) -> None:
        self.still = still  # m/s
        self.hold = hold  # s
        self.since: float | None = None  # s

    def look(self, t: float, speed: float) -> bool:
        """True if the largest speed (m/s) was below `still` from t - hold to t (s)."""
        if not speed <= self.still:
            self.since = None
        elif self.since is None:
            self.since = t
        return self.since is not None and t - self.since >= self.hold


@dataclass
class SettlingWork:
    """Memory of a settling."""

    inner: Any  # the solver of bars
    model: Model  # as it acts at rest
    bars: BarsWork
    loads: Loads
    scale: float  # N, largest load on a node
    natural: float  # s
    damping: float  # 1/s, in use
    follows: bool  # the damping follows the motion
    supports: Supports
    fastest: float  # m/s, above which steps are unstable
    retreats: int = 0
    loaded: bool = False  # all of the loads act
    step: float = 0.0  # s, mean since the last look
    steps: int = 0


class Found(NamedTuple):
    """How far from rest a case was at the last look."""

    speed: float = math.inf  # of the fastest node, m/s
    force: float = math.inf  # largest residual, N
    miss: float = math.inf  # largest error of a bar's length, m
    strain: float = math.inf  # the same over the length


@dataclass(frozen=True)
class Settling:
    """Equilibrium of rigid bars by damped time integration under ramped loads.

    by : solver of bars, by name or with its settings    ramp : s, 0 puts the loads on at once
    damping : 1/s, mass-proportional    duration : simulated s in which the case must come to rest
    still, hold : m/s, s; all nodes must be slower for so long    tolerance : residual force over the largest
    load on a node.  The program chooses ramp, damping and duration unless they are given.
    """

    by: Any = "constrained"
    ramp: float | None = None
    damping: float | None = None
    duration: float | None = None
    still: float = Stillness.STILL
    hold: float = Stillness.HOLD
    tolerance: float = 1e-6

    name: ClassVar[str] = "settle"
    claims: ClassVar[frozenset[Claim]] = (BAR_CLAIMS - {Claim.DYNAMICS}) | {Claim.STATICS}

    def start(self, model: Model, state: State) -> SettlingWork:
        """Cut lines and nets into bars."""
        if isinstance(self.by, str) and self.by not in BAR_SOLVERS:
            raise InputError(f"{self.name}: '{self.by}' is not a bar solver. Available: {', '.join(BAR_SOLVERS)}")
        inner = solver_class(self.by)(**SETTINGS.get(self.by, {})) if isinstance(self.by, str) else self.by
        given = (inner.damping or None) if self.damping is None else self.damping
        inner = replace(inner, damping=given or FIRST_DAMPING)  # solvers look whether there is any when they start
        still = calm(model)
        bars = inner.start(still, close_links(still, state))
        refuse_unheld(model, bars)
        bars.medium = bars.medium._replace(damping=0.0)
        free = ~bars.bars.held
        scale = float(np.linalg.norm(bars.field.force[free], axis=1).max(initial=0.0)) or 1.0
        natural = natural_time(bars)
        return SettlingWork(
            inner=inner,
            model=still,
            bars=bars,
            loads=Loads.of(bars),
            scale=scale,
            natural=natural,
            damping=FIRST_DAMPING / natural if given is None else given,
            follows=given is None,
            supports=Supports(bars),
            fastest=FASTEST * size_of(bars) / natural,
        )

    def advance(self, model: Model, work: SettlingWork, t: float) -> Report:
        """Come to rest with the supports where they are at t."""
        bars, begin = work.bars, work.bars.time
        ramp = RAMP * work.natural if self.ramp is None else self.ramp
        way = max(ramp, work.natural)
        if work.supports.lead(bars, t, begin, begin + way):
            ramp = way
        work.loaded = work.loaded or ramp == 0.0
        work.loads.put_on(bars, float(work.loaded), work.damping)
        work.inner.reload(bars)
        longest = ramp + max(LONGEST * work.natural, AT_LEAST * self.hold) if self.duration is None else self.duration
        report = self._settle(work, begin, ramp, longest)
        work.loaded = True
        if not report.good:
            return report
        return replace(report, message=friction_note(model, bars), figures={**report.figures, **_mesh_figures(work, t)})

    def read(self, model: Model, work: SettlingWork) -> State:
        """The equilibrium."""
        return read_bars(model, work.bars)

    def _settle(self, work: SettlingWork, begin: float, ramp: float, longest: float) -> Report:
        """Time integration until all criteria hold, or for `longest` (s)."""
        bars, rest = work.bars, Stillness(self.still, self.hold)
        now, before, old_r = 0.0, unbalance(bars), bars.steps.r.copy()
        found, kept = Found(), Kept.of(bars)
        while now < longest and not self._too_long(work):
            span = self._span(work, ramp)
            share = 1.0 if work.loaded else float(ramp_share(now + 0.5 * span, ramp)[0])
            work.loads.put_on(bars, share, work.damping)
            told, left, found = self._look(work, span)
            if left is None or not found.speed <= work.fastest:
                if work.retreats == RETREATS:
                    return _failed(told, found, work, bars.time - begin)
                self._retreat(work, kept)
                before = None
                continue
            taken = int(told.figures["steps"]) - work.steps
            work.steps, work.step, now = work.steps + taken, span / max(taken, 1), bars.time - begin
            if work.loaded and work.follows and before is not None:
                work.damping = _followed(work, bars.steps.r - old_r, left.force - before.force)
            before, old_r, kept = left, bars.steps.r.copy(), Kept.of(bars)
            work.loaded = work.loaded or now >= ramp
            if rest.look(now, found.speed) and now >= ramp and self._balanced(work, found):
                break
        else:
            return self._unsettled(work, now, ramp, found)
        put_to_rest(bars)
        figures = {"settling": self._figures(work, now, ramp, found) | {"rest_after": rest.since}}
        return Report(Status.DONE, "", work.steps, found.force, found.miss, figures | link_figures(work.model, bars))

    def _look(self, work: SettlingWork, span: float) -> tuple[Report, Unbalance | None, Found]:
        """Go on for `span` (s); how that ended, and what is found there, or None if it is not finite."""
        bars = work.bars
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # an unstable step is found out below
            told: Report = work.inner.advance(work.model, bars, bars.time + span)
            finite = bool(np.all(np.isfinite(bars.steps.r)) and np.all(np.isfinite(bars.steps.v)))
            left = unbalance(bars) if told.good and finite else None
            found = Found() if left is None else _found(bars, left)
        return told, left if np.isfinite(found.force) else None, found

    def _retreat(self, work: SettlingWork, kept: Kept) -> None:
        """Back to where the motion was last seen well, at rest, with shorter steps."""
        step = getattr(work.inner, "step", None) or work.step or float(work.inner._step(work.bars))
        kept.put_back(work.bars)
        work.inner = replace(work.inner, step=SHORTER * step)
        work.inner.reload(work.bars)
        work.retreats += 1

    def _too_long(self, work: SettlingWork) -> bool:
        return self.duration is None and work.steps * work.bars.bars.length.size > MOST_WORK

    def _balanced(self, work: SettlingWork, found: Found) -> bool:
        return found.force <= self.tolerance * work.scale and found.strain <= STRAINED

    def _span(self, work: SettlingWork, ramp: float) -> float:
        """Time to the next look, s: whole steps where they are given."""
        span = max(self.hold / LOOKS, STEPS_PER_LOOK * work.step)
        if not work.loaded:
            span = min(span, ramp / STAIRS)
        step = getattr(work.inner, "step", None)
        return span if step is None else max(1, math.floor(span / step + 1e-9)) * step

    def _figures(self, work: SettlingWork, now: float, ramp: float, found: Found) -> dict[str, Any]:
        return {
            "by": work.inner.name,
            "time": now,
            "ramp": ramp,
            "steps": work.steps,
            "damping": work.damping,
            "speed": found.speed,
            "strain": found.strain,
        }

    def _unsettled(self, work: SettlingWork, now: float, ramp: float, found: Found) -> Report:
        message = (
            f"not at rest after {now:.4g} s and {work.steps} steps by '{work.inner.name}': nodes move at up to "
            f"{found.speed:.3g} m/s (limit {self.still:g} m/s for {self.hold:g} s), residual force {found.force:.3g} "
            f"N (limit {self.tolerance * work.scale:.3g} N), relative length error of bars {found.strain:.2g} (limit "
            f"{STRAINED:g}), with a damping of {work.damping:.3g} 1/s; give statics a longer duration, or "
            "another damping, unless the case has no equilibrium"
        )
        figures = {"settling": self._figures(work, now, ramp, found)}
        return Report(Status.NOT_CONVERGED, message, work.steps, found.force, found.miss, figures)


def _mesh_figures(work: SettlingWork, t: float) -> dict[str, float]:
    """What the bars leave open, by the statics of the same bars from where they came to rest."""
    solver, state = work.inner.at_rest(), read_bars(work.model, work.bars)
    figures = {}
    with contextlib.suppress(InputError):  # lines without mass have nodes at their ends only
        report = solver.advance(work.model, solver.start(work.model, state), t)
        figures = {name: value for name, value in report.figures.items() if report.good and name in MESH_FIGURES}
    return figures or {UNJUDGED: 1.0}


def _found(bars: BarsWork, left: Unbalance) -> Found:
    miss = np.abs(left.miss)
    return Found(
        speed=float(np.linalg.norm(bars.steps.v, axis=1).max()),
        force=float(np.linalg.norm(left.force, axis=1).max()),
        miss=float(miss.max()),
        strain=float((miss / bars.bars.length).max()),
    )


def _failed(told: Report, found: Found, work: SettlingWork, now: float) -> Report:
    """Why a motion cannot go on: what its solver reports, unstable steps, or tensions that are not determined."""
    why = told.message if not told.good else "the tensions of the bars at rest are indeterminate"
    if told.good and found.speed > work.fastest:
        why = f"a node moves at {found.speed:.3g} m/s, the limit is {work.fastest:.3g} m/s"
    message = (
        f"time integration by '{work.inner.name}' is unstable after {now:.4g} s, with steps shortened "
        f"{RETREATS} times to {work.inner.step:.2g} s: {why}; the case may have no equilibrium, or needs another "
        "initial shape"
    )
    return replace(told, status=Status.NOT_CONVERGED, message=message)


def _followed(work: SettlingWork, way: Array, change: Array) -> float:
    """Damping (1/s) that is critical for the frequency of the motion `way` (m) with its `change` of force (N)."""
    mass = float(np.einsum("ni,nij,nj->", way, work.bars.field.inertia, way))
    square = -float(np.sum(way * change)) / mass if mass > 0.0 else 0.0
    first = FIRST_DAMPING / work.natural
    if not square > 0.0:
        return work.damping
    wanted = min(max(2.0 * math.sqrt(square), LEAST * first), MOST * first)
    return min(wanted, GENTLE / work.step)
