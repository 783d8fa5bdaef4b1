"""Ropes and nets of rigid bars by projections in sweeps: the second-order variant, and the published one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ropewalk.methods.bars.constrained import BAR_CLAIMS
from ropewalk.methods.bars.contact import move_grips
from ropewalk.methods.bars.control import CRITICAL_STRAIN, Gains, gains_of
from ropewalk.methods.bars.draft import Lumping
from ropewalk.methods.bars.energies import energies
from ropewalk.methods.bars.graph import pulls
from ropewalk.methods.bars.ledger import kept, put_back
from ropewalk.methods.bars.loads import loads, mobility, supports
from ropewalk.methods.bars.rattle import CONSTANT
from ropewalk.methods.bars.rrf import rrf_step
from ropewalk.methods.bars.sweeps import Scheme, make_sweeps, shake_step
from ropewalk.methods.bars.time import BarsInTime
from ropewalk.methods.bars.work import BarsWork, Yielding, find_tensions, largest_strain, refresh, soften
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.numerics.compile import kernel

Variant = Literal["shake", "rrf", "rrf_published"]

POS = {"weak": 1, "norm": 3, "high": 6}  # sweeps on positions, [Otto2022], table 6.1
KIN = {"none": 0, "norm": 3}  # sweeps on velocities and accelerations, table 6.2
PID = {"off": 0.0, "weak": 0.1, "med": 0.5, "norm": 1.0, "high": 10.0}  # table 6.3
REAC = {"off": 0.0, "med": 0.25, "norm": 0.5, "high": 0.75}  # table 6.4

# At least so many where there are bodies or hoops: a step begins with the tensions of the one before, and with the
# error that fewer sweeps leave in braced frames they grow without bound (a hoop on a cone, e-fold in 0.15 s with 3)
FRAME_SWEEPS = 10
MOST_SWEEPS = 60  # of a step: where these do not bring the strains down, a shorter step would
STATE_ARRAYS = ("r", "v", "tension", "rate_tension", "reaction", "old_reaction", "integral", "mobility", "yields")


@dataclass(frozen=True)
class Projection(BarsInTime):
    """Rigid bars, lengths met in sweeps over the bars.

    variant : 'shake' projects along the directions at the start of a step (second order, the default); 'rrf' is the
    published method corrected, 'rrf_published' with the misprints of its equations, see rrf.py
    position : sweeps on the lengths, 1, 3 or 6; 'shake' does as many on the rates, at least 10 where there are bodies
    or hoops, and ends them at `strain_tolerance`
    strain_limit : while a bar of 'shake' is farther off its length than this, it sweeps on
    sweeps : exactly so many in their place    kinematic, pid, reaction : levels of 'rrf'
    step, step_share, damping, slack, lumping : as in Constrained; bars of 'rrf' keep their length both ways
    """

    step: float | None = None
    step_share: float = 1.0
    variant: Variant = "shake"
    sweeps: int | None = None
    strain_tolerance: float = 1e-12
    strain_limit: float = 5e-4
    position: Literal["weak", "norm", "high"] = "norm"
    kinematic: Literal["none", "norm"] = "norm"
    pid: Literal["off", "weak", "med", "norm", "high"] = "off"
    reaction: Literal["off", "med", "norm", "high"] = "off"
    damping: float = 0.0
    slack: bool = True
    lumping: Lumping = "halves"

    name: ClassVar[str] = "projection"
    claims: ClassVar[frozenset[Claim]] = BAR_CLAIMS

    def start(self, model: Model, state: State) -> BarsWork:
        """Cut lines and nets into bars."""
        work = self._begin(model, state)
        sweeps = make_sweeps(work.steps.r, work.steps.v, work.bars.length.size)
        sweeps.rate_tension[:] = sweeps.tension[:] = work.steps.tension
        sweeps.yields[:] = work.steps.yields
        sweeps.mobility[:] = work.steps.mobility
        tension = float(np.abs(work.steps.tension).max())
        gains = gains_of(work.bars, float(work.bars.length.min()), tension, PID[self.pid])
        work.own = {"sweeps": sweeps, "gains": gains, "steps": 0, "worst": 0.0}
        refresh(work)
        if self.variant != "shake":  # the velocity of the half step before
            sweeps.v[~work.bars.held] -= 0.5 * self._step(work) * work.steps.old_force[~work.bars.held]
        return work

    def advance(self, model: Model, work: BarsWork, t: float) -> Report:
        """Step to t."""
        n, h = self._steps_to(work, t), 0.0
        done, worst = 0, 0.0
        if n > 0:
            h = (t - work.time) / n
            done, worst = _steps(
                work.bars, work.medium, work.motions, work.field, work.graph, work.own["sweeps"], work.time, h, n,
                work.kind, self._scheme(work),
            )  # fmt: skip
        work.own["steps"] += done
        work.own["worst"] = max(work.own["worst"], worst)
        work.time = t if done == n else work.time + done * h
        self._share(work)
        figures: dict[str, Any] = {
            "energy": energies(work, self.variant == "shake"),
            "steps": work.own["steps"],
            "largest_strain": largest_strain(work),
            "largest_strain_so_far": work.own["worst"],
        }
        if done == n:
            return Report(iterations=work.own["steps"], figures=figures)
        status = Status.STEP_TOO_LONG if math.isfinite(worst) else Status.NOT_FINITE
        message = (
            f"the strain of a rigid bar is {100 * worst:.3g} % at t = {work.time:.6g} s with a step of {h:.3g} s; the "
            f"limit is {100 * CRITICAL_STRAIN:g} %: give a smaller step, or use the solver 'constrained'"
        )
        return Report(status=status, message=message, iterations=work.own["steps"], figures=figures)

    def _yielding(self) -> Yielding:
        return "twines" if self.slack and self.variant == "shake" else "none"

    def reload(self, work: BarsWork) -> None:
        """Recompute tensions after the loads in `work` have been changed."""
        find_tensions(work)
        work.own["sweeps"].rate_tension[:] = work.own["sweeps"].tension[:] = work.steps.tension

    def snapshot(self, work: BarsWork) -> dict[str, np.ndarray | float | int]:
        """What a run needs to go on to the same bits."""
        arrays = {name: getattr(work.own["sweeps"], name).copy() for name in STATE_ARRAYS}
        own = {"gains": np.array(work.own["gains"]), "steps": work.own["steps"], "worst": work.own["worst"]}
        rest = {name: getattr(work.steps, name).copy() for name in ("give", "rest")} | kept(work.field.book)
        return {**arrays, **own, **rest, "grip": work.field.grip.hold.place.copy(), "time": work.time}

    def restore(self, model: Model, snapshot: dict[str, np.ndarray | float | int]) -> BarsWork:
        """Memory from a snapshot."""
        work = self._anew(model, float(snapshot["time"]))
        work.time = float(snapshot["time"])
        work.own |= {"gains": Gains(*np.asarray(snapshot["gains"]).tolist())}
        for name in ("steps", "worst"):
            work.own[name] = snapshot[name]
        for name in STATE_ARRAYS:
            getattr(work.own["sweeps"], name)[:] = snapshot[name]
        work.steps.give[:], work.steps.rest[:] = snapshot["give"], snapshot["rest"]
        work.field.grip.hold.place = snapshot["grip"]
        put_back(work.field.book, snapshot)
        work.steps.yields[:] = snapshot["yields"]
        self._share(work)
        return work

    def _scheme(self, work: BarsWork) -> Scheme:
        least = FRAME_SWEEPS if np.any(work.bars.rod) else 0
        return Scheme(
            is_shake=self.variant == "shake",
            sweeps=self.sweeps or max(POS[self.position], least),
            most=self.sweeps or MOST_SWEEPS,
            limit=self.strain_limit,
            tolerance=self.strain_tolerance,
            place_sweeps=self.sweeps or POS[self.position],
            rate_sweeps=KIN[self.kinematic],
            reaction=REAC[self.reaction],
            gains=work.own["gains"],
            is_published=self.variant == "rrf_published",
        )

    def _share(self, work: BarsWork) -> None:
        """Put the state where reading looks for it."""
        s, sweeps = work.steps, work.own["sweeps"]
        s.r[:], s.v[:] = sweeps.r, sweeps.v
        supports(work.bars, work.motions, work.time, s.r, s.v, s.acceleration)  # tensions depend on the last of these
        s.slack[:] = sweeps.yields & (sweeps.tension <= 0.0)
        soften(s)
        refresh(work)
        find_tensions(work)


@kernel
def _steps(bars, medium, motions, field, graph, s, t, h, n_steps, kind, scheme):
    """n_steps of length h (s) at t_k = t + k h; the number done, and the largest strain found (NaN on overflow).

    Source: :func:`shake_step` and :func:`rrf_step`.  scheme : Scheme

    Eleven arguments: those of :func:`shake_step`, and how often.
    """
    worst = 0.0
    if scheme.is_shake and kind == CONSTANT:
        loads(bars, medium, field, s.r, s.v)
        mobility(bars, field, 0.0, s.mobility)
        pulls(graph, bars.node, field.direction, s.mobility)
    for k in range(n_steps):
        if scheme.is_shake:
            strain = shake_step(bars, medium, motions, field, graph, s, t + k * h, h, kind, scheme)
        else:
            strain = rrf_step(bars, medium, motions, field, s, t + k * h, h, scheme)
        if not strain <= CRITICAL_STRAIN:
            return k, strain
        move_grips(bars, medium, field, s.r, s.v)
        worst = max(worst, strain)
    return n_steps, worst
