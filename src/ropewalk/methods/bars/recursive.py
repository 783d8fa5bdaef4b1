"""Ropes of rigid bars in relative coordinates: the O(n) recursion over a tree, loops closed by constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ropewalk.errors import InputError
from ropewalk.methods.bars.constrained import BAR_CLAIMS
from ropewalk.methods.bars.control import NO_GAINS, Gains, gains_of
from ropewalk.methods.bars.draft import Lumping
from ropewalk.methods.bars.energies import energies
from ropewalk.methods.bars.ledger import kept, put_back
from ropewalk.methods.bars.loops import accelerations, tree_steps
from ropewalk.methods.bars.time import SAFETY, BarsInTime
from ropewalk.methods.bars.tree import Tree, build_tree, make_turns
from ropewalk.methods.bars.work import BarsWork, bar_name, refresh, strains
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.model import Model
from ropewalk.model.state import State

MOST_LOOPS = 300  # dense system of the loops; nets belong to the constrained solver
RIDGE = 1e-11  # share of the diagonal of the loops' system that lets redundant loops be solved
STRAIGHTENED = 1e-2  # of the extent of the lines: how far the start may move nodes of slack ones
LARGEST_TENSION = 100.0  # times the tensions and loads at rest: above it those of the recursion are arithmetic
# loops are closed along the replies of the last accelerations, so these belong to the state as well
STATE_ARRAYS = (
    "direction", "omega", "r", "v", "a", "alpha", "support", "tension", "integral", "reply", "turn",
    "loop_matrix", "ridge",
)  # fmt: skip
BOUNDING = ("inertia", "damping")  # of the loads: they bound the next step


@dataclass(frozen=True)
class Recursive(BarsInTime):
    """Rigid bars, recursion over a tree, predictor and corrector of second order.

    step : s; unless given, `step_share` of a third of the stability bound    damping : 1/s, mass-proportional
    lumping : of a bar's mass, 'halves' to its ends or all to the 'outer' one
    closure : of loops; 'constraint', exact, or 'pid', the published control of their gaps
    pid : weight of its gains
    """

    step: float | None = None
    step_share: float = 1.0
    damping: float = 0.0
    lumping: Lumping = "halves"
    closure: Literal["constraint", "pid"] = "constraint"
    pid: float = 1.0

    name: ClassVar[str] = "recursive"
    # friction that holds damps at 1e7 1/s, and the recursion takes damping explicitly: its steps would be 1e-7 s long
    claims: ClassVar[frozenset[Claim]] = BAR_CLAIMS - {Claim.JOINTS, Claim.FRICTION}

    def start(self, model: Model, state: State) -> BarsWork:
        """Cut lines into bars and lay a tree through them."""
        work = self._begin(model, state)
        _refuse_slack(model, work, state)
        tree = build_tree(work.bars)
        if tree.loop.size > MOST_LOOPS:
            raise InputError(
                f"recursive: {tree.loop.size} loops, at most {MOST_LOOPS}; use the solver 'constrained' for nets"
            )
        gains = self._gains(work, tree) if self.closure == "pid" else None
        turns = make_turns(work.bars, tree, work.steps.r, work.steps.v, gains)
        turns.support[:] = work.steps.acceleration
        turns.ridge[:] = RIDGE if np.any(work.steps.give > 0.0) else 0.0
        work.own = {"tree": tree, "turns": turns, "steps": 0}
        found = float(np.abs(work.steps.tension).max(initial=0.0))
        self.reload(work)
        _refuse_locked(model, work, found)
        return work

    def advance(self, model: Model, work: BarsWork, t: float) -> Report:
        """Step to t."""
        tree, turns = work.own["tree"], work.own["turns"]
        n, h, done = self._steps_to(work, t), 0.0, 0
        if n > 0:
            h = (t - work.time) / n
            done = tree_steps(tree, work.bars, work.medium, work.motions, work.field, turns, work.time, h, n)
        work.own["steps"] += done
        status, message = Status.DONE, ""
        if done < n:
            work.time += done * h
            status = Status.NOT_FINITE
            message = (
                f"numerical overflow at t = {work.time:.6g} s with a step of {h:.3g} s; the recursion is explicit: "
                "give a smaller step, or use the solver 'constrained'"
            )
        else:
            work.time = t
        _share(work)
        figures: dict[str, Any] = {
            "energy": energies(work),
            "steps": work.own["steps"],
            "loops": int(tree.loop.size),
            "largest_strain": float(np.abs(strains(work)).max()),
        }
        return Report(status=status, message=message, iterations=work.own["steps"], figures=figures)

    def _step(self, work: BarsWork) -> float:
        """The recursion takes drag explicitly, so its rate bounds the step as well: c h < 2."""
        bars, field = work.bars, work.field
        free = ~bars.held
        if self.step is not None or not np.any(field.damping[free]):
            return super()._step(work)
        rate = float(np.linalg.eigvals(np.linalg.solve(field.inertia[free], field.damping[free])).real.max())
        return min(super()._step(work), SAFETY * 2.0 / rate)

    def reload(self, work: BarsWork) -> None:
        """Recompute accelerations and tensions after the loads in `work` have been changed."""
        refresh(work)
        accelerations(work.own["tree"], work.bars, work.medium, work.field, work.own["turns"])
        _share(work)

    def _gains(self, work: BarsWork, tree: Tree) -> Gains:
        """Gains of the control of the loops."""
        if not self.pid > 0.0:
            raise InputError(f"recursive: pid {self.pid} must be positive; closure: constraint needs none")
        if not tree.loop.size:
            return NO_GAINS
        length = float(work.bars.length[tree.loop].min())
        return gains_of(work.bars, length, float(np.abs(work.steps.tension).max()), self.pid)

    def snapshot(self, work: BarsWork) -> dict[str, np.ndarray | float | int]:
        """What a run needs to go on to the same bits."""
        turns = work.own["turns"]
        arrays = {name: getattr(turns, name).copy() for name in STATE_ARRAYS} | kept(work.field.book)
        arrays["gains"] = np.array(turns.gains)
        arrays |= {name: getattr(work.field, name).copy() for name in BOUNDING}
        return {**arrays, "time": work.time, "steps": work.own["steps"], "mobility": work.steps.mobility.copy()}

    def restore(self, model: Model, snapshot: dict[str, np.ndarray | float | int]) -> BarsWork:
        """Memory from a snapshot."""
        work = self._anew(model, float(snapshot["time"]))
        work.time = float(snapshot["time"])
        work.own["steps"] = int(snapshot["steps"])
        turns = work.own["turns"]._replace(gains=Gains(*np.asarray(snapshot["gains"]).tolist()))
        work.own["turns"] = turns
        for name in STATE_ARRAYS:
            getattr(turns, name)[:] = snapshot[name]
        work.steps.mobility[:] = snapshot["mobility"]
        put_back(work.field.book, snapshot)
        _share(work)
        for name in BOUNDING:
            getattr(work.field, name)[:] = snapshot[name]
        return work


def _refuse_slack(model: Model, work: BarsWork, state: State) -> None:
    """Bars of lines that lie slack are shorter than their length; straightened ones have no place on the bed.

    Twines of slack netting, which this solver lets push, would be those of another net.
    """
    places = work.places
    if model.nets.names:
        _refuse_slack_nets(model, work, state)
    if not state.element_tension.size or not np.array_equal(state.s, places.line_s):
        return  # of another method: bars cut from a curve are all shorter than the curve
    way = np.linalg.norm(work.steps.r[places.line_node] - state.position, axis=1)
    if float(way.max()) > STRAIGHTENED * float(np.linalg.norm(np.ptp(state.position, axis=0))):
        line = int(np.searchsorted(places.line_start, int(way.argmax()), side="right")) - 1
        raise InputError(
            f"recursive: line '{model.names.lines[line]}' is slack at rest, and its bars, which carry compression, "
            f"would start {way.max():.3g} m away; use the solver 'constrained' or 'mixed_fem', or shorten it"
        )


def _refuse_slack_nets(model: Model, work: BarsWork, state: State) -> None:
    """Raise InputError for netting that is slack at rest and would begin elsewhere."""
    if state.net_tension.size != model.nets.length.size or state.net_position.shape != model.nets.knot.shape:
        return
    now, given = work.steps.r[work.places.knot], state.net_position
    way = np.linalg.norm(now - given, axis=1)
    if float(way.max(initial=0.0)) > STRAIGHTENED * float(np.linalg.norm(np.ptp(given, axis=0))):
        net = int(np.searchsorted(model.nets.knot_start, int(way.argmax()), side="right")) - 1
        raise InputError(
            f"recursive: net '{model.nets.names[net]}' is slack at rest, and its bars, which carry compression, would "
            f"start {way.max():.3g} m away; use the solver 'constrained', whose twines go slack"
        )


def _refuse_locked(model: Model, work: BarsWork, found: float) -> None:
    """Raise InputError where loops repeat one another, so that the recursion does not find the tensions.

    found : largest tension that balances the loads, N
    """
    tension, load = work.steps.tension, float(np.abs(work.field.force).sum())
    k, most = int(np.argmax(np.abs(tension))), LARGEST_TENSION * max(found, load)
    if abs(tension[k]) > most > 0.0:
        raise InputError(
            f"recursive: {bar_name(work, model, k)} would start with a tension of {abs(tension[k]):.3g} N, more than "
            f"{LARGEST_TENSION:g} times the tension and the loads at rest ({found:.3g} and {load:.3g} N): loops of "
            "its bars are redundant, which the recursion does not support; use the solver 'constrained'"
        )


def _share(work: BarsWork) -> None:
    """Put the recursion's state where reading looks for it."""
    turns, s = work.own["turns"], work.steps
    s.r[:], s.v[:], s.old_force[:], s.tension[:] = turns.r, turns.v, turns.a, turns.tension
    refresh(work)
