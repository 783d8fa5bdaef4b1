"""Ropes and nets of rigid bars with exact multipliers: the bar solver to trust.

Explicit steps (RATTLE) with the lengths met to round-off; the tensions are the multipliers. See
docs/theory/ropes_and_nets.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ropewalk.errors import InputError
from ropewalk.methods.bars import rattle as bars_rattle
from ropewalk.methods.bars.draft import Lumping
from ropewalk.methods.bars.energies import energies
from ropewalk.methods.bars.ledger import kept, put_back
from ropewalk.methods.bars.time import BarsInTime
from ropewalk.methods.bars.work import BarsWork, Yielding, find_tensions, largest_strain, note_slack, refresh
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.model import Model
from ropewalk.model.state import State

HALVINGS = 8  # of a step that fails
LOOSEST = 1e-6  # strain tolerance; with 1e-4 the steps were unstable, measured on 1,000 bars

BAR_CLAIMS = frozenset(
    {
        Claim.DRAG_LAWS,
        Claim.DYNAMICS,
        Claim.SUSPENDED,
        Claim.GROUNDED,
        Claim.SLOPE,
        Claim.FRICTION,
        Claim.INEXTENSIBLE,
        Claim.PIECES,
        Claim.ATTACHMENTS,
        Claim.ATTACHMENT_FORCES,
        Claim.CURRENT,
        Claim.WAVES,
        Claim.SURFACE,
        Claim.JOINTS,
        Claim.MOTIONS,
        Claim.FREE_POINTS,
        Claim.COMPRESSION,
        Claim.NETS,
        Claim.BODIES,
        Claim.HULL_LOADS,
        Claim.LINKS,
        Claim.CHANGING,
        Claim.CHANGING_FLOW,
    }
)

MESSAGES = {
    bars_rattle.NOT_CONVERGED: (Status.NOT_CONVERGED, "the lengths of the bars cannot be satisfied"),
    bars_rattle.NOT_FINITE: (Status.NOT_FINITE, "a position overflowed"),
    bars_rattle.SINGULAR: (Status.NOT_CONVERGED, "the tensions of the bars are indeterminate"),
}


@dataclass(frozen=True)
class Constrained(BarsInTime):
    """Rigid bars, exact multipliers, explicit steps.

    step : s; unless given, `step_share` of a third of the stability bound    strain_tolerance : of the bars, relative
    damping : 1/s, mass-proportional    lumping : of a bar's mass, 'halves' to its ends or all to the 'outer' one
    slack : twines of nets whose section has no `compression` go slack instead of pushing; bars of lines
    fold, but those that are slack at the start
    """

    step: float | None = None
    step_share: float = 1.0
    strain_tolerance: float = 1e-10
    damping: float = 0.0
    slack: bool = True
    lumping: Lumping = "halves"

    name: ClassVar[str] = "constrained"
    claims: ClassVar[frozenset[Claim]] = BAR_CLAIMS

    def start(self, model: Model, state: State) -> BarsWork:
        """Cut lines and nets into bars."""
        if not 0.0 < self.strain_tolerance <= LOOSEST:
            raise InputError(
                f"{self.name}: strain_tolerance {self.strain_tolerance} must be above 0, at most {LOOSEST}"
            )
        return self._begin(model, state)

    def advance(self, model: Model, work: BarsWork, t: float) -> Report:
        """Step to t."""
        n = self._steps_to(work, t)
        h = (t - work.time) / n if n > 0 else 0.0
        return self._report(work, self._steps(work, t, n) if n > 0 else bars_rattle.DONE, h)

    def _yielding(self) -> Yielding:
        return "twines" if self.slack else "none"

    def reload(self, work: BarsWork) -> None:
        """Recompute tensions after the loads in `work` have been changed, or a step has failed."""
        note_slack(work)
        find_tensions(work)
        work.steps.rate_tension[:] = work.steps.tension

    def _steps(self, work: BarsWork, t: float, n: int) -> int:
        """n equal steps to t; where one fails, the rest is done with halved steps."""
        for _ in range(HALVINGS):
            h = (t - work.time) / n
            code, done = bars_rattle.rattle(
                work.bars, work.medium, work.motions, work.field, work.graph, work.steps, work.time, h, n,
                self.strain_tolerance, work.kind,
            )  # fmt: skip
            work.time += done * h
            if code == bars_rattle.DONE:
                work.time = t
                return int(code)
            refresh(work)
            self.reload(work)  # a step that failed leaves its tensions behind
            n = 2 * (n - done)
        return int(code)

    def _report(self, work: BarsWork, code: int, h: float) -> Report:
        find = find_tensions(work)
        count = work.steps.tally[0]
        figures = {
            "energy": energies(work),
            "steps": int(count.steps),
            "factorisations": int(count.factorisations),
            "largest_strain": largest_strain(work),
        }
        status, message = Status.DONE, ""
        if code != bars_rattle.DONE:
            status, why = MESSAGES[code]
            worst = int(np.argmax(np.abs(work.steps.tension)))
            message = (
                f"{why} at t = {work.time:.6g} s with a step of {h:.3g} s and {HALVINGS} halvings; largest tension "
                f"{work.steps.tension[worst]:.4g} N; give a smaller step"
            )
        elif not find:
            status, message = MESSAGES[bars_rattle.SINGULAR]
        return Report(status=status, message=message, iterations=int(count.iterations), figures=figures)

    def snapshot(self, work: BarsWork) -> dict[str, np.ndarray | float | int]:
        """What a run needs to go on to the same bits."""
        s, f = work.steps, work.graph.factor
        return {
            "time": work.time, "r": s.r.copy(), "v": s.v.copy(), "tension": s.tension.copy(),
            "rate_tension": s.rate_tension.copy(), "tally": np.array(s.tally[0].tolist()), "give": s.give.copy(),
            "rest": s.rest.copy(), "yields": s.yields.copy(), "slack": s.slack.copy(), "soft": s.soft.copy(),
            "value": f.value.copy(), "grip": work.field.grip.hold.place.copy(), **kept(work.field.book),
        }  # fmt: skip

    def restore(self, model: Model, snapshot: dict[str, np.ndarray | float | int]) -> BarsWork:
        """Memory from a snapshot."""
        work = self._anew(model, float(snapshot["time"]))
        s = work.steps
        work.time = float(snapshot["time"])
        for name in ("r", "v", "tension", "rate_tension", "give", "rest", "yields", "slack", "soft"):
            getattr(s, name)[:] = snapshot[name]
        s.tally[0] = tuple(np.asarray(snapshot["tally"]).tolist())
        work.field.grip.hold.place = snapshot["grip"]
        put_back(work.field.book, snapshot)
        refresh(work)
        return work
