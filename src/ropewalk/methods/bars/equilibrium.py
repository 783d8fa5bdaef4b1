"""Equilibrium of ropes and nets of bars: drag-damped implicit steps that grow until Newton is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ropewalk.assembly.link_start import close_links
from ropewalk.errors import InputError
from ropewalk.methods.bars.bed import friction_note
from ropewalk.methods.bars.constrained import BAR_CLAIMS
from ropewalk.methods.bars.draft import Lumping
from ropewalk.methods.bars.kkt import build_kkt, newton_step, residuals
from ropewalk.methods.bars.links import link_figures
from ropewalk.methods.bars.loads import supports
from ropewalk.methods.bars.soft import freedom_note
from ropewalk.methods.bars.work import BarsWork, bar_name, node_forces, read_bars, refresh, start_bars
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.arrays import Array, Ints, floats
from ropewalk.model.model import Model
from ropewalk.model.state import State

FIRST_STEP = 0.05  # s, of pseudo-time
GROWTH = 3.0  # of the step where the residual falls to FALLS of what it was
FALLS = 0.9
CREEP = 1.3  # of the step where it does not: the bars are still on their way
SHRINK = 0.5  # of the step where bars turn too far
GROWS = 1.5  # where the residual grows by more, the iteration goes back ...
RETREAT = 0.1  # ... and tries again with this part of the step
LONGEST_STEP = 1e7  # s: there nothing is left of the damping
TURN = 0.5  # rad that a bar may turn in one iteration
STIFFEN = 1.0  # times the largest tension over length: axial stiffness of bars in the upper block


@dataclass(frozen=True)
class BarsStatics:
    """Equilibrium of rigid or elastic bars.

    tolerance : force out of balance over the total load    most : iterations    lumping : see bars_build.py
    """

    tolerance: float = 1e-9
    most: int = 3000
    lumping: Lumping = "halves"

    name: ClassVar[str] = "bars_statics"
    claims: ClassVar[frozenset[Claim]] = (BAR_CLAIMS - {Claim.DYNAMICS}) | {
        Claim.STATICS,
        Claim.ELASTIC,
    }

    def start(self, model: Model, state: State) -> BarsWork:
        """Cut lines and nets into bars."""
        refuse_unclaimed(self, model)
        calm = model._replace(sea=model.sea._replace(wave=floats(model.sea.wave[:, :0])))  # waves do not act at rest
        work = start_bars(calm, close_links(calm, state), 0.0, self.lumping)
        refuse_unheld(model, work)
        work.own = {"kkt": build_kkt(work.bars)}
        return work

    def advance(self, model: Model, work: BarsWork, t: float) -> Report:
        """Find the equilibrium under the loads at t."""
        work.time = t
        bars, s = work.bars, work.steps
        supports(bars, work.motions, t, s.r, s.v, s.acceleration)
        s.v[:] = 0.0
        s.acceleration[:] = 0.0
        trail = relax(work, self.tolerance, self.most)
        refresh(work)
        s.old_force[:] = 0.0
        force = node_forces(work)[bars.held].sum(axis=0)
        load = float(np.abs(work.field.force).sum())
        figures: dict[str, Any] = {"trail": trail, "reaction": force, "load": load}
        figures |= link_figures(model, work)
        residual = trail[-1][1]
        if residual <= self.tolerance:
            notes = [freedom_note(model, work, _upper_stiffness(work, _scale(work))), friction_note(model, work)]
            note = "; ".join(note for note in notes if note)
            return Report(message=note, iterations=len(trail), residual_force=residual * load, figures=figures)
        return Report(
            status=Status.NOT_CONVERGED,
            message=f"{residual * load:.3g} N out of balance of {load:.3g} N after {len(trail)} iterations; "
            "some bars may be slack: give the lines or the net another first shape, or more weight",
            iterations=len(trail),
            residual_force=residual * load,
            figures=figures,
        )

    def read(self, model: Model, work: BarsWork) -> State:
        """The equilibrium."""
        return read_bars(model, work)


def refuse_unheld(model: Model, work: BarsWork) -> None:
    """Every part must hang on something: without a support or a spring there is no equilibrium."""
    bars = work.bars
    part = connected_parts(bars.node, np.arange(bars.mass.size, dtype=np.int64))
    firm = np.any(bars.loose == 0.0, axis=1) | np.any(bars.spring > 0.0, axis=1)
    loose = ~np.isin(part[bars.node[:, 0]], part[firm])
    if np.any(loose):
        name = bar_name(work, model, int(np.flatnonzero(loose)[0])).rpartition(",")[0]
        raise InputError(
            f"{name} and what hangs together with it is held nowhere; it has no equilibrium: fix a point of it"
        )


def connected_parts(node: Ints, part: Ints) -> Ints:
    """The smallest node number of the part that each node belongs to."""
    while True:
        low = np.minimum(part[node[:, 0]], part[node[:, 1]])
        new = part.copy()
        np.minimum.at(new, node[:, 0], low)
        np.minimum.at(new, node[:, 1], low)
        new = new[new]
        if np.array_equal(new, part):
            return new
        part = new


def relax(work: BarsWork, tolerance: float, most: int) -> list[tuple[float, float]]:
    """Pseudo-time steps and relative residuals on the way to equilibrium; changes work.steps.r and tension."""
    bars, s, kkt = work.bars, work.steps, work.own["kkt"]
    zero: Array = np.zeros_like(s.r)
    h, trail, before = FIRST_STEP, [], np.inf
    scale = _scale(work)
    kept_r, kept_tension = s.r.copy(), s.tension.copy()
    share = 1.0
    for _ in range(most):
        rho = _upper_stiffness(work, scale)
        worst, gap = residuals(bars, work.medium, work.field, kkt, s.r, zero, zero, s.tension, rho, work.time)
        total = max(worst / scale, gap)
        trail.append((h, total))
        if total <= tolerance:
            break
        if not total <= GROWS * before and h > FIRST_STEP:
            s.r[:], s.tension[:] = kept_r, kept_tension
            h = max(h * RETREAT, FIRST_STEP)
            residuals(bars, work.medium, work.field, kkt, s.r, zero, zero, s.tension, rho, work.time)
        else:
            scale = _scale(work)
            h *= SHRINK if share < 1.0 else (GROWTH if total < FALLS * before else CREEP)
            h = min(max(h, FIRST_STEP), LONGEST_STEP)
            before = total
            kept_r[:], kept_tension[:] = s.r, s.tension
        share = newton_step(bars, work.field, kkt, s.r, s.tension, 1.0 / h**2, 1.0 / h, rho, TURN)
    return trail


def _scale(work: BarsWork) -> float:
    """Largest component of a load on a node that can move, N."""
    return float(np.abs(work.field.force[~work.bars.held]).max()) or 1.0


def _upper_stiffness(work: BarsWork, scale: float) -> Array:
    """(m,) axial stiffness of the bars in the upper block of bars_kkt.py, N/m.  scale : of the loads on a node, N"""
    bars = work.bars
    stiff = float((np.abs(work.steps.tension) / bars.length).max())
    return np.full(bars.length.size, max(STIFFEN * stiff, scale / float(bars.length.min())))
