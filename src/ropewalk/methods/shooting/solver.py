"""Statics of any assembly of strings by single, multiple and multi-body shooting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.catenary_build import prescribed
from ropewalk.errors import InputError
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.protocol import Claim, Report
from ropewalk.methods.shooting.assembly import Result, result_memory
from ropewalk.methods.shooting.bed import HANGING
from ropewalk.methods.shooting.branches import is_stable, loops, turning
from ropewalk.methods.shooting.build import Problem, build_problem
from ropewalk.methods.shooting.contact import contact_plan, met
from ropewalk.methods.shooting.given import GivenShape
from ropewalk.methods.shooting.guess import start_tails
from ropewalk.methods.shooting.multiple import denser, first_plan, hanging, laid, refine, settled
from ropewalk.methods.shooting.newton import CONVERGED, RESTARTS, STUCK, Effort, Newton
from ropewalk.methods.shooting.pegs import START_FORCE
from ropewalk.methods.shooting.plan import Plan
from ropewalk.methods.shooting.read import SolvedShape, place_of, read_state
from ropewalk.methods.shooting.report import Attempt, report
from ropewalk.methods.shooting.shape import GuessedShape, KnottedShape, Shape
from ropewalk.methods.shooting.shot import SLACK_FORCE
from ropewalk.methods.shooting.sliding import slide_to_rest
from ropewalk.methods.shooting.sound import fault
from ropewalk.methods.shooting.start import float_balance, gravity_place
from ropewalk.methods.shooting.stiffness import line_stiffness, stable_over
from ropewalk.methods.shooting.tangent import Solution
from ropewalk.model.arrays import Array, floats
from ropewalk.model.environment import share_of_current
from ropewalk.model.lines import PRESSURE
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.numerics.rungekutta import DORMAND_PRINCE, FEHLBERG

MOST_PARTS = 64  # of one arc in one refinement
REFINEMENTS = 4
MOST_CONTACTS = 6  # changes of the plan because of the bed
MORE_PARTS = 6  # arcs of a line where a single one fails
NEAR_PARTS = 24  # arcs of a line whose equilibrium next to a given shape is sought: five for each of its bends or more
SLACK_SHARES = (1.0e-2, 1.0e-3, 1.0e-4, 1.0e-5, 1.0e-6, 1.0e-8, SLACK_FORCE)  # of the force scale, see `_stiffened`
FIRST_SHARE = 0.25  # of current and pressure in the first step of load continuation
LEAST_SHARE = 1.0e-4  # below which load continuation has come to an end
MOST_LOAD_STEPS = 40
START_TOLERANCE = 1.0e-8  # of the integrator where only a start is wanted
SLACK_PULL = 30.0  # times delta: a force along the bed up to this is that of a slack line


@dataclass
class Work:
    """Memory of the solver."""

    place: Place
    time: float
    plan: Plan
    problem: Problem
    out: Result | None = None  # of the last advance
    good: bool = False
    given: State | None = None  # whose nearest equilibrium is sought, stable or not


PAIRS = {"dormand_prince": DORMAND_PRINCE, "fehlberg": FEHLBERG}


@dataclass(frozen=True)
class Shooting:
    """Exact to the integrator's tolerance, for any load, law and joint."""

    tolerance: float = 1.0e-13
    """Of the integrator per step, relative to each line's length and load."""
    target: float = 1.0e-12
    """Largest scaled constraint."""
    growth_limit: float = 1.0e5
    """Largest norm of an arc's scaled transition matrix; beyond it the arc is cut."""
    pair: int = DORMAND_PRINCE
    """Of Runge-Kutta; may be given by its name, dormand_prince or fehlberg."""
    most_steps: float = 2.0e5
    """Of the integrator, in all tries of one equilibrium. Answers take a few thousand, hard ones some ten thousand."""
    effort: Effort = field(default_factory=Effort, repr=False, compare=False)
    """Spent in the present call."""

    name: ClassVar[str] = "shooting"
    claims: ClassVar[frozenset[Claim]] = frozenset(
        {
            Claim.STATICS,
            Claim.SUSPENDED,
            Claim.INEXTENSIBLE,
            Claim.ELASTIC,
            Claim.NONLINEAR,
            Claim.PIECES,
            Claim.ATTACHMENTS,
            Claim.ATTACHMENT_FORCES,
            Claim.CURRENT,
            Claim.LOADS,
            Claim.OVER,
            Claim.SURFACE,
            Claim.JOINTS,
            Claim.MOTIONS,
            Claim.FREE_POINTS,
            Claim.BODIES,
            Claim.COMPRESSION,
            Claim.DAMPING,
            Claim.GROUNDED,
            Claim.FRICTION,
            Claim.SLOPE,
            Claim.VARYING,
            Claim.DRAG_LAWS,
            Claim.FUNCTIONS,
        }
    )

    def __post_init__(self) -> None:
        given: Any = self.pair
        pair = PAIRS.get(given, given)
        if pair not in PAIRS.values():
            raise InputError(f"shooting has no Runge-Kutta pair {given!r}. Available: {', '.join(PAIRS)}")
        object.__setattr__(self, "pair", pair)

    @staticmethod
    def check(model: Model) -> None:
        """Refuse what the claims are too coarse for."""
        sea = model.sea
        if model.fields.acts and sea.has_seabed and sea.bed_friction > 0.0:
            raise InputError(
                "method 'shooting' supports loads and currents by functions only on a bed without friction, and this "
                f"one has friction {sea.bed_friction:g}; use 'fem'"
            )

    def start(self, model: Model, state: State) -> Work:
        """Check the case; choose how each line is shot, and a start."""
        refuse_unclaimed(self, model, ignored=frozenset({Claim.WAVES}))
        self.check(model)
        place = Place(state.point_position.copy(), state.body_position.copy(), state.body_quaternion.copy())
        place = gravity_place(model, prescribed(model, place, state.time), state.time)
        shape = GuessedShape(model, place)
        plan = first_plan(model, place, shape)
        return Work(place, state.time, plan, build_problem(model, place, plan, shape))

    def start_from(self, model: Model, state: State) -> Work:
        """As `start`, but the equilibrium next to `state` is sought, stable or not."""
        refuse_unclaimed(self, model, ignored=frozenset({Claim.WAVES}))
        self.check(model)
        place = Place(state.point_position.copy(), state.body_position.copy(), state.body_quaternion.copy())
        place = prescribed(model, place, state.time)
        shape = GivenShape(model, place, state)
        plan = denser(model, first_plan(model, place, shape), NEAR_PARTS, shape)
        return Work(place, state.time, plan, build_problem(model, place, plan, shape), given=state)

    def advance(self, model: Model, work: Work, t: float) -> Report:
        """Find the equilibrium under the loads and prescribed motions at time t, from the last one if there is one."""
        return replace(self, effort=Effort(self.most_steps))._advance(model, work, t)

    def _advance(self, model: Model, work: Work, t: float) -> Report:
        place = prescribed(model, work.place, t) if model.motions.function.size else work.place
        if work.given is not None:
            return self._near(model, work, place, t)
        attempt = self._slid(model, place, self._first_try(model, work, place))
        tried: set[Plan] = set()
        attempt = self._finished(model, attempt, tried)
        if not attempt.answer:
            attempt = self._insist(model, place, attempt, t, tried)
        if attempt.answer and turning(model):
            attempt = self._stable_branch(model, place, attempt)
        return self._kept(model, work, place, attempt, t)

    def _near(self, model: Model, work: Work, place: Place, t: float) -> Report:
        """The equilibrium that Newton finds from the given state, in many arcs or in few."""
        assert work.given is not None
        shape = GivenShape(model, place, work.given)
        best: Attempt | None = None
        for plan in dict.fromkeys((work.plan, first_plan(model, place, shape))):
            attempt = self._finished(model, self._solve(model, place, plan, shape, restarts=0), set())
            if best is None or attempt.answer:
                best = attempt
            if attempt.answer:
                work.given = None
                break
        assert best is not None
        return self._kept(model, work, place, best, t)

    def _kept(self, model: Model, work: Work, place: Place, attempt: Attempt, t: float) -> Report:
        """Keep what came of an advance; its report."""
        if attempt.answer:
            work.place = place_of(attempt.problem, place)
        work.time, work.good = t, attempt.answer
        work.plan, work.problem, work.out = attempt.plan, attempt.problem, attempt.out
        return report(model, attempt)

    def read(self, model: Model, work: Work) -> State:
        """The lines sampled by dense output."""
        assert work.out is not None
        return read_state(model, work.problem, work.out, work.place, work.time, self.tolerance)

    def stiffness(self, model: Model, work: Work) -> Array:
        """(n_bodies, 6, 6) of the lines on each body, about its origin; free points follow, other bodies stay."""
        assert work.out is not None
        shape = SolvedShape(model, work.problem, work.out)
        return line_stiffness(model, work.problem, work.plan, work.place, shape, (self.tolerance, self.pair))

    def solution(self, model: Model, work: Work) -> Solution:
        """The equilibrium that `work` holds, as what moves with parameters of the case."""
        assert work.out is not None
        return Solution(model, work.plan, work.place, work.problem, work.out, (self.tolerance, self.pair))

    def held(self, solution: Solution, time: float) -> Work:
        """Memory that holds a given solution, for `read` and `stiffness`."""
        return Work(solution.place, time, solution.plan, solution.problem, solution.out)

    def _first_try(self, model: Model, work: Work, place: Place) -> Attempt:
        """From the last equilibrium, or with what `start` has laid out if nothing has moved since."""
        if work.good and work.out is not None:
            return self._solve(model, place, work.plan, SolvedShape(model, work.problem, work.out))
        same = place is work.place or all(np.array_equal(a, b) for a, b in zip(place, work.place, strict=True))
        if same and work.out is None:
            return self._run(model, place, work.plan, work.problem, True)
        shape = GuessedShape(model, place)
        return self._solve(model, place, first_plan(model, place, shape), shape)

    def _solve(self, model: Model, place: Place, plan: Plan, shape: Shape, restarts: int = len(RESTARTS)) -> Attempt:
        """One plan from one start."""
        problem = build_problem(model, place, plan, shape)
        return self._run(model, place, plan, problem, isinstance(shape, GuessedShape), restarts)

    def _run(
        self, model: Model, place: Place, plan: Plan, problem: Problem, guessed: bool, restarts: int = len(RESTARTS)
    ) -> Attempt:
        """Newton on one problem; free tails of a guess are started from their own balance."""
        arcs, nodes, rigid = problem.arcs, problem.nodes, problem.rigid
        parts = (arcs, nodes, rigid, model.sea)
        out = result_memory(problem.x.size, arcs.line.size, nodes.body.size, rigid.body.size)
        if guessed and nodes.tail.any():
            start_tails(*parts, problem.x, problem.quaternions, (START_TOLERANCE, self.pair), out.log)
        integrator = (self.tolerance, self.pair)
        newton = Newton(parts, problem.x, problem.quaternions, problem.scales, integrator, out, self.effort)
        path = newton.solve(self.target, restarts)
        return Attempt(place, settled(plan, problem), problem, out, path, path.iterations)

    def _slid(self, model: Model, place: Place, first: Attempt) -> Attempt:
        """Lines over pegs that found no rest, or one that a push ends, are let slide; if that fails too, `first`."""
        if not model.lines.over_index.size or (first.good and stable_over(first.problem, first.out)):
            return first
        shape = GuessedShape(model, place)
        plan = first_plan(model, place, shape)
        problem = build_problem(model, place, plan, shape)
        attempt = slide_to_rest(model, place, plan, problem, (self.tolerance, self.pair), self.target)
        return replace(attempt if attempt.good else first, iterations=first.iterations + attempt.iterations)

    def _insist(self, model: Model, place: Place, first: Attempt, time: float, tried: set[Plan]) -> Attempt:
        """What is tried when the first try fails, until there is an answer; without one the best failure is kept.

        tried : plans of contact that have failed
        """
        total, best = first.iterations, first
        for attempt in self._others(model, place, first, time):
            finished = self._finished(model, attempt, tried)
            total += finished.iterations
            if finished.answer:
                return replace(finished, iterations=total)
            if finished.good and not best.good:
                best = finished
            if self.effort.spent:
                break
        return replace(best, iterations=total)

    def _stable_branch(self, model: Model, place: Place, found: Attempt) -> Attempt:
        """The answer in a rotating frame that a push does not end: `found`, or one loop of each line."""
        integrator = (self.tolerance, self.pair)
        if is_stable(model, found, integrator):
            return found
        total = found.iterations
        for shape in loops(model, place):
            plan = denser(model, first_plan(model, place, GuessedShape(model, place)), MORE_PARTS, shape)
            attempt = self._finished(model, self._solve(model, place, plan, shape), set())
            total += attempt.iterations
            if attempt.answer and is_stable(model, attempt, integrator):
                return replace(attempt, iterations=total)
        names = ", ".join(f"'{model.names.lines[i]}'" for i in turning(model))
        text = f"line {names} in its rotating frame: the equilibrium found is unstable, and no stable one was found"
        return replace(found, fault=text, iterations=total)

    def _others(self, model: Model, place: Place, first: Attempt, time: float) -> Iterator[Attempt]:
        """Attempts in other ways, most likely first.

        From the usual start, lines that are stiffened where they are slack, less and less, multiple shooting, also
        from where floats on the lines come to rest under gravity, then current and pressure brought in by and by.
        """
        shape: Shape = GuessedShape(model, place)
        plan = first_plan(model, place, GuessedShape(model, place))
        if first.plan != plan:
            yield self._solve(model, place, plan, shape)
        dense = denser(model, plan, MORE_PARTS, shape)
        if model.sea.has_seabed:
            yield self._stiffened(model, place, plan, shape)
            if model.sea.bed_rest_friction == 0.0:
                yield self._stiffened(model, place, laid(plan), shape)
        for other in dict.fromkeys((hanging(plan), dense)):
            if other != plan:
                yield self._solve(model, place, other, shape)
        afloat = float_balance(model, place, time)
        if afloat is not None:
            place, shape = afloat.place, KnottedShape(model, afloat.place, afloat.knots)
            yield self._solve(model, place, dense, shape)
        if dense != plan or afloat is not None or not model.sea.has_seabed:
            yield self._stiffened(model, place, dense, shape)
        if model.sea.current_speed != 0.0 or np.any(model.lines.load_kind == PRESSURE):
            for other in dict.fromkeys((plan, dense)):
                yield self._bring_in(model, place, other, shape)

    def _finished(self, model: Model, attempt: Attempt, tried: set[Plan]) -> Attempt:
        """A converged attempt in contact with the bed, refined, and with its fault if it is no answer."""
        if not attempt.good:
            return attempt
        attempt = self._refined(model, self._met(model, self._in_contact(model, attempt, tried)))
        return replace(attempt, fault=fault(model, attempt.plan, attempt.problem, attempt.out))

    def _stiffened(self, model: Model, place: Place, plan: Plan, shape: Shape) -> Attempt:
        """Continuation in the smallest force, from a large one that keeps slack places smooth to the usual one."""
        problem = build_problem(model, place, plan, shape)
        arcs = problem.arcs
        out = result_memory(problem.x.size, arcs.line.size, problem.nodes.body.size, problem.rigid.body.size)
        total, before = 0, 0.0
        for share in SLACK_SHARES:
            if before > 0.0:
                loosen(problem, model.sea.bed_normal, before, share)
            before = share
            parts = (arcs._replace(slack=floats(share * arcs.force)), problem.nodes, problem.rigid, model.sea)
            integrator = (self.tolerance, self.pair)
            newton = Newton(parts, problem.x, problem.quaternions, problem.scales, integrator, out, self.effort)
            path = newton.solve(self.target, restarts=0 if share < SLACK_SHARES[0] else len(RESTARTS))
            total += path.iterations
            if path.ending != CONVERGED or self.effort.spent:
                break
        return Attempt(place, settled(plan, problem), problem, out, path, total)

    def _bring_in(self, model: Model, place: Place, plan: Plan, shape: Shape) -> Attempt:
        """Load continuation: current and pressure grow from nothing, each answer the start of the next."""
        attempt = self._solve(_with_share(model, 0.0), place, plan, shape)
        total, share, step, solves = attempt.iterations, 0.0, FIRST_SHARE, 1
        while attempt.good and share < 1.0 and solves < MOST_LOAD_STEPS and step > LEAST_SHARE:
            target = min(1.0, share + step)
            where = place_of(attempt.problem, attempt.place)
            last = SolvedShape(model, attempt.problem, attempt.out)
            trial = self._solve(_with_share(model, target), where, plan, last, restarts=0)
            total, solves = total + trial.iterations, solves + 1
            if trial.good:
                attempt, share, step = trial, target, 2.0 * step
            else:
                step *= 0.25
        ending = attempt.path.ending if share >= 1.0 else STUCK
        path = replace(attempt.path, ending=ending)
        return replace(attempt, path=path, iterations=total, load_steps=solves)

    def _in_contact(self, model: Model, attempt: Attempt, tried: set[Plan]) -> Attempt:
        """Solved again while lines pass through the bed or have left it where the plan holds them on it."""
        seen = {attempt.plan}
        for _ in range(MOST_CONTACTS):
            plan = contact_plan(model, attempt.plan, attempt.problem, attempt.out)
            if plan in seen or plan in tried:
                break
            seen.add(plan)
            where = place_of(attempt.problem, attempt.place)
            last = SolvedShape(model, attempt.problem, attempt.out)
            other = self._solve(model, where, plan, last, restarts=0)
            total = attempt.iterations + other.iterations
            for shape in (last, GuessedShape(model, where)):
                if not (other.good or self.effort.spent):
                    other = self._stiffened(model, where, plan, shape)
                    total += other.iterations
            if not other.good:
                tried.add(plan)
                break
            attempt = replace(other, iterations=total, load_steps=attempt.load_steps)
        return attempt

    def _met(self, model: Model, attempt: Attempt) -> Attempt:
        """Solved again while the tensions on the two sides of a cut on a rough bed do not meet."""
        for _ in range(MOST_CONTACTS):
            plan = met(model, attempt.plan, attempt.problem, attempt.out)
            if plan == attempt.plan or not attempt.good:
                break
            where, last = place_of(attempt.problem, attempt.place), SolvedShape(model, attempt.problem, attempt.out)
            other = self._solve(model, where, plan, last, restarts=0)
            if not other.good:
                break
            attempt = replace(other, iterations=attempt.iterations + other.iterations, load_steps=attempt.load_steps)
        return attempt

    def _refined(self, model: Model, attempt: Attempt) -> Attempt:
        """Arcs that magnify errors beyond the limit are cut, and the problem solved again from its own answer."""
        for _ in range(REFINEMENTS):
            if attempt.worst_growth <= self.growth_limit:
                break
            plan = refine(attempt.plan, attempt.problem.arcs, attempt.growth, self.growth_limit, MOST_PARTS)
            where = place_of(attempt.problem, attempt.place)
            finer = self._solve(model, where, plan, SolvedShape(model, attempt.problem, attempt.out))
            if not finer.good:
                break
            attempt = replace(finer, iterations=attempt.iterations + finer.iterations, load_steps=attempt.load_steps)
        return attempt


def _with_share(model: Model, share: float) -> Model:
    """The model with a share of its current and of the pressure on its lines: of the loads that turn with the lines."""
    sea, lines = model.sea, model.lines
    value = np.where(lines.load_kind == PRESSURE, share, 1.0) * lines.load_value
    return model._replace(
        sea=share_of_current(sea, share),
        lines=lines._replace(load_value=floats(value)),
    )


def loosen(problem: Problem, normal: Array, before: float, share: float) -> None:
    """Scale the forces of slack arcs in the unknowns as delta goes from `before` to `share` of the force scale.

    Where a line is slack the force along the bed, or across a leg that hangs upright, is a multiple of the smallest
    force delta (see :mod:`ropewalk.assembly.string`) that its shape decides. So when delta is made smaller these forces
    go with it, and a start that scales them is almost exact.
    """
    arcs, x = problem.arcs, problem.x
    for a in range(arcs.line.size):
        own = arcs.dof[a, START_FORCE]
        n0 = x[own]
        up = normal if arcs.on_bed[a] != HANGING else np.array([0.0, 0.0, 1.0])
        flat = n0 - (n0 @ up) * up
        if np.linalg.norm(flat) < SLACK_PULL * before * arcs.force[a]:
            x[own] = n0 + (share / before - 1.0) * flat
