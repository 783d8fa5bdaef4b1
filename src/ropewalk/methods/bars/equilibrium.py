"""Equilibrium of ropes and nets of bars.

Taut ones by drag-damped implicit steps with a symmetric matrix, which is quick; where these do not arrive, by the
motion of bars that can only pull (flow.py), which does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ropewalk.assembly.link_start import close_links
from ropewalk.assembly.mesh_error import FRICTION_CHANGE, friction_change
from ropewalk.errors import InputError
from ropewalk.methods.bars.accuracy import ACCURACY, judge, with_bars
from ropewalk.methods.bars.anchors import laid_points
from ropewalk.methods.bars.bed import friction_note
from ropewalk.methods.bars.build import bar_counts
from ropewalk.methods.bars.constrained import BAR_CLAIMS
from ropewalk.methods.bars.draft import Lumping
from ropewalk.methods.bars.flow import Flow, Rest
from ropewalk.methods.bars.friction import rub_on_bed
from ropewalk.methods.bars.kkt import build_kkt, newton_step, residuals
from ropewalk.methods.bars.links import link_figures
from ropewalk.methods.bars.loads import loads, supports
from ropewalk.methods.bars.locked import ACROSS, Locked, carry, find_locked
from ropewalk.methods.bars.slopes import loads_off_bed
from ropewalk.methods.bars.soft import freedom_note
from ropewalk.methods.bars.work import BarsWork, bar_name, node_forces, read_bars, refresh, start_bars
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.arrays import Array, Ints, floats
from ropewalk.model.model import Model
from ropewalk.model.state import State

MOST_TURNS = 2  # of ends between lying on the bed and rising from it
FIRST_STEP = 0.05  # s, of pseudo-time
GROWTH = 3.0  # of the step where the residual falls to FALLS of what it was
FALLS = 0.9
CREEP = 1.3  # of the step where it does not: the bars are still on their way
SHRINK = 0.5  # of the step where bars turn too far
GROWS = 1.5  # where the residual grows by more, the iteration goes back ...
RETREAT = 0.1  # ... and tries again with this part of the step
LONGEST_STEP = 1e7  # s: there nothing is left of the damping
TIED = 1e-3  # N, axial stiffness of twines along a collar; next to nothing beside the weight of one
TURN = 0.5  # rad that a bar may turn in one iteration
LARGEST_TENSION = 1e6  # times the sum of all loads
JUDGING = 0.1  # of the work of an equilibrium, for the same one on other bars: it begins near to it
RUBBING = 0.3  # of the work of a motion: what may be spent where the quick iteration fails under friction
STIFFEN = 1.0  # times the largest tension over length: axial stiffness of bars in the upper block


@dataclass(frozen=True)
class BarsStatics:
    """Equilibrium of rigid or elastic bars.

    tolerance : residual force over the largest load on a node    most : quick iterations before the motion of
    bars that can only pull is followed    lumping : see build.py    accuracy : wanted error of end forces by the
    length of the bars, relative; infinite where the bars and their ends are to stay as they are, for a run
    """

    tolerance: float = 1e-9
    most: int = 200
    lumping: Lumping = "halves"
    accuracy: float = ACCURACY

    name: ClassVar[str] = "bars_statics"
    claims: ClassVar[frozenset[Claim]] = (BAR_CLAIMS - {Claim.DYNAMICS}) | {
        Claim.STATICS,
        Claim.ELASTIC,
    }

    def start(self, model: Model, state: State) -> BarsWork:
        """Cut lines and nets into bars; slack ones need not have their lengths."""
        refuse_unclaimed(self, model)
        calm = model._replace(sea=model.sea._replace(wave=floats(model.sea.wave[:, :0])))  # waves do not act at rest
        work = start_bars(calm, close_links(calm, state), 0.0, self.lumping, strict=False)
        refuse_unheld(model, work)
        work.bars = work.bars._replace(compliance=_tied(model, work))
        work.own = {"kkt": build_kkt(work.bars)}
        return work

    def advance(self, model: Model, work: BarsWork, t: float) -> Report:
        """Find the equilibrium under the loads at t."""
        report, stays = self._solve(model, work, t), math.isinf(self.accuracy)
        if report.good and not stays:
            report = self._laid(model, work, t, report)
        if report.good and model.lines.length.size:
            rubs = work.field.grip.friction[0].coefficient > 0.0  # without friction here, compare with none
            own = with_bars(model, bar_counts(model)) if stays else model
            wanted = ACCURACY if stays else self.accuracy
            figures = judge(own, work, wanted, lambda other, near: self._again(other, near, t, rubs))
            report = replace(report, figures={**report.figures, **figures})
        return report

    def _laid(self, model: Model, work: BarsWork, t: float, report: Report) -> Report:
        """The equilibrium with those ends laid on the bed that lie there in it."""
        for _ in range(MOST_TURNS):
            state, known = read_bars(model, work), work.places.point >= 0
            home, node = work.bars.home.copy(), work.places.point[known]
            home[node] = (model.points.position + laid_points(model, state))[known]
            if np.array_equal(home[work.bars.held], work.bars.home[work.bars.held]):
                break
            home[~work.bars.held] = work.bars.home[~work.bars.held]
            work.bars = work.bars._replace(home=floats(home))
            report = self._solve(model, work, t)
            if not report.good:
                break
        return report

    def _again(self, model: Model, near: State, t: float, rubs: bool) -> BarsWork | None:
        """The equilibrium on the bars of a model, from a state near it; None if it is not found, or nodes have no mass.

        rubs : with friction of the bed, as far as the model has it
        """
        if not rubs:
            model = model._replace(sea=model.sea._replace(bed_rest_friction=0.0))
        try:
            work = self.start(model, near)
        except InputError:  # lines without mass have nodes at their ends only
            return None
        work.own["effort"] = JUDGING
        report = self._solve(model, work, t)
        good = report.good and (math.isinf(self.accuracy) or self._laid(model, work, t, report).good)
        lacks = rubs and work.field.grip.friction[0].coefficient == 0.0  # found on the first bars, not on these
        return work if good and not lacks else None

    def _solve(self, model: Model, work: BarsWork, t: float) -> Report:
        """As `advance`, on the bars and with the supports that there are."""
        work.time = t
        bars, s = work.bars, work.steps
        supports(bars, work.motions, t, s.r, s.v, s.acceleration)
        s.v[:] = 0.0
        s.acceleration[:] = 0.0
        s.old_force[:] = 0.0
        first = s.r.copy()
        work.field.grip.friction[0].coefficient = 0.0
        work.own["load"] = float(np.abs(loads_off_bed(work, s.r)[~bars.held]).max(initial=0.0))
        refresh(work)
        trail = relax(work, self.tolerance, self.most)
        iterations, message, status = len(trail), "", Status.DONE
        if not (trail[-1][1] <= self.tolerance and _believable(work)):
            s.r[:] = first
            refresh(work)
            status, message, more = self._follow(model, work)
            iterations += more
        refresh(work)
        friction = model.sea.bed_rest_friction
        if status is Status.DONE and friction > 0.0 and work.medium.has_bed and work.places.line_node.size:
            work.own["left"], work.own["is_slow"], without = RUBBING, False, read_bars(model, work)
            rub_on_bed(work, friction, self._relaxed)
            if work.field.grip.friction[0].coefficient > 0.0:
                work.own[FRICTION_CHANGE] = friction_change(without, read_bars(model, work))
        return self._report(model, work, status, message, iterations, trail)

    def _relaxed(self, work: BarsWork) -> bool:
        """Bring bars to rest from where they are, with the friction in force; False if that fails.

        The quick iteration leaves out how friction changes with the normal force; where that counts, the motion has it:
        from its end, which is near, or else from its beginning. Where the quick iteration failed before, the end of
        the motion comes first.
        """
        s, first, tension = work.steps, work.steps.r.copy(), work.steps.tension.copy()
        flow: Flow | None = None
        rest: Rest | None = None
        if work.own["is_slow"] and work.own["left"] > 0.0:
            flow = self._rubbing(work)
            rest = flow.near(first, tension)
        if rest is None:
            s.r[:], s.tension[:] = first, tension
            trail = relax(work, self.tolerance, self.most)
            found = trail[-1][1] <= self.tolerance and _believable(work)
            if not found and work.own["left"] > 0.0:
                tried, flow = flow is not None, flow or self._rubbing(work)
                rest = (None if tried else flow.near(first, tension)) or flow.run(first)
            work.own["is_slow"] = not found
        if flow is not None:
            work.own["left"] -= flow.count * flow.each
        if rest is not None:
            s.r[:], s.tension[:], found = rest.r, rest.tension, rest.found
        refresh(work)
        return found

    def _rubbing(self, work: BarsWork) -> Flow:
        """The motion, with what is left of the work that friction may take."""
        flow = Flow(work, np.zeros_like(work.bars.held))
        flow.most = int(work.own["left"] * flow.most)
        return flow

    def _follow(self, model: Model, work: BarsWork) -> tuple[Status, str, int]:
        """The motion of bars that can only pull: how it ended, why if it failed, and its factorisations."""
        s, locked = work.steps, find_locked(work)
        if locked.short > 0.0:
            text = (
                f"twines between held knots are {locked.short:.4g} m too short; give the net more length or move them"
            )
            return Status.TOO_SHORT, text, 0
        s.r[:] = locked.place
        flow = Flow(work, locked.node)
        flow.most = int(work.own.get("effort", 1.0) * flow.most)
        rest = flow.run(s.r.copy())
        s.r[:], s.tension[:] = rest.r, rest.tension
        if not rest.found:
            return Status.NOT_CONVERGED, _unfound(work, rest), rest.factorisations
        across = _carry_locked(work, locked)
        if across > ACROSS * _scale(work):
            return Status.NO_EQUILIBRIUM, _across(model, work, locked, across), rest.factorisations
        return Status.DONE, "", rest.factorisations

    def _report(self, model: Model, work: BarsWork, status: Status, message: str, iterations: int,
                trail: list[tuple[float, float]]) -> Report:  # fmt: skip
        bars, s, kkt = work.bars, work.steps, work.own["kkt"]
        zero = np.zeros_like(s.r)
        none = np.zeros(bars.length.size)
        residual, _ = residuals(bars, work.medium, work.field, kkt, s.r, zero, zero, s.tension, none, work.time)
        s.old_force[:] = 0.0
        force = node_forces(work)[bars.held].sum(axis=0)
        load = float(np.abs(work.field.force).sum())
        figures: dict[str, Any] = {"trail": trail, "reaction": force, "load": load}
        figures |= link_figures(model, work) | {k: work.own[k] for k in (FRICTION_CHANGE,) if k in work.own}
        if status is Status.DONE:
            notes = [freedom_note(model, work, _upper_stiffness(work, _scale(work))), friction_note(model, work)]
            message = "; ".join(note for note in notes if note)
        return Report(status, message, iterations, residual_force=float(residual), figures=figures)

    def read(self, model: Model, work: BarsWork) -> State:
        """The equilibrium."""
        return read_bars(model, work)


def _tied(model: Model, work: BarsWork) -> Array:
    r"""(m,) compliance of the bars, m/N, with twines between two bodies nearly loose.

    Such twines are tied to the segments of a collar, which keep their length: w = 0 whatever T is in
    :math:`a\,w = \mu^2` of flow.py, so that their tension would grow without bound as the smoothing falls.
    """
    nets, compliance = model.nets, work.bars.compliance.copy()
    if nets.names:
        own = int(work.places.net_bar_start[0]) + np.flatnonzero(np.all(nets.body[nets.bar] >= 0, axis=1))
        own = own[~work.bars.rod[own]]
        compliance[own] = work.bars.length[own] / TIED
    return floats(compliance)


def _believable(work: BarsWork) -> bool:
    """Whether no tension is so large that only a straight line of rigid bars can have it."""
    load = float(np.abs(work.field.force).sum())
    return float(np.abs(work.steps.tension).max(initial=0.0)) <= LARGEST_TENSION * load


def _carry_locked(work: BarsWork, locked: Locked) -> float:
    """Put tensions into bars that cannot move; the force across them (N) that these leave."""
    if not np.any(locked.node):
        return 0.0
    refresh(work)
    loads(work.bars, work.medium, work.field, work.steps.r, work.steps.v)
    tension, left = carry(work, locked, node_forces(work))
    work.steps.tension[:] += tension
    return left


def _unfound(work: BarsWork, rest: Rest) -> str:
    load = float(np.abs(work.field.force).sum())
    return (
        f"residual force {rest.residual:.3g} N (sum of loads {load:.3g} N) after {rest.factorisations} "
        "factorisations: the case "
        "may have no stable equilibrium (netting along a current flutters), or needs another initial shape"
    )


def _across(model: Model, work: BarsWork, locked: Locked, force: float) -> str:
    k = int(np.flatnonzero(np.any(locked.node[work.bars.node], axis=1))[0])
    name = bar_name(work, model, k).rpartition(",")[0]
    return (
        f"{name}: inextensible twines are exactly as long as the distance between their held ends "
        f"({locked.length:.6g} m), and no finite tension can carry the transverse load of {force:.3g} N; move the "
        "ends closer together or give axial_stiffness"
    )


def refuse_unheld(model: Model, work: BarsWork) -> None:
    """Every part must hang on something: without a support or a spring there is no equilibrium."""
    bars = work.bars
    part = connected_parts(bars.node, np.arange(bars.mass.size, dtype=np.int64))
    firm = np.any(bars.loose == 0.0, axis=1)
    firm[bars.spring.node] = True
    loose = ~np.isin(part[bars.node[:, 0]], part[firm])
    if np.any(loose):
        name = bar_name(work, model, int(np.flatnonzero(loose)[0])).rpartition(",")[0]
        raise InputError(
            f"{name} and everything connected to it are not held anywhere, so there is no equilibrium; fix one of "
            "their points"
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
    """Pseudo-time steps and relative residuals on the way to equilibrium; changes work.steps.r and tension.

    Not numerics/newton.py: the pseudo-time step, not a line search, limits each iteration, the residual may rise on the
    way, and bars that cannot push switch between slack and taut in the compiled residual.
    """
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
    """Largest component of a load on a node that can move, N; of a rope that lies also what the bed carries."""
    here = float(np.abs(work.field.force[~work.bars.held]).max(initial=0.0))
    return max(here, work.own.get("load", 0.0)) or 1.0


def _upper_stiffness(work: BarsWork, scale: float) -> Array:
    """(m,) axial stiffness of the bars in the upper block of kkt.py, N/m.  scale : of the loads on a node, N"""
    bars = work.bars
    stiff = float((np.abs(work.steps.tension) / bars.length).max())
    return np.full(bars.length.size, max(STIFFEN * stiff, scale / float(bars.length.min())))
