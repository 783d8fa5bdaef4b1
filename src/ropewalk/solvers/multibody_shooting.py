"""Statics of any assembly of strings by single, multiple and multi-body shooting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.numerics.rungekutta import DORMAND_PRINCE
from ropewalk.solvers.balance_newton import Place
from ropewalk.solvers.catenary_build import prescribed
from ropewalk.solvers.claims import refuse_unclaimed
from ropewalk.solvers.multishooting import first_plan, growth, refine
from ropewalk.solvers.protocol import Claim, Report, Status
from ropewalk.solvers.shooting import LOWEST, REST, STEPS
from ropewalk.solvers.shooting_assembly import Result, result_memory
from ropewalk.solvers.shooting_build import GuessedShape, Plan, Problem, Shape, build_problem
from ropewalk.solvers.shooting_newton import BAD_START, CONVERGED, Newton, Path
from ropewalk.solvers.shooting_read import SolvedShape, place_of, read_state

MOST_PARTS = 64  # of one arc in one refinement
REFINEMENTS = 4
SLACK = 1.0e-6  # of a line's force scale: tension below which its shape is not unique


@dataclass
class Work:
    """Memory of the solver."""

    place: Place
    time: float
    plan: Plan | None = None
    problem: Problem | None = None
    out: Result | None = None


@dataclass(frozen=True)
class Shooting:
    """Exact to the integrator's tolerance, for any load, law and joint."""

    tolerance: float = 1.0e-12
    """Of the integrator per step, relative to each line's length and load."""
    target: float = 1.0e-12
    """Largest scaled constraint."""
    growth_limit: float = 1.0e5
    """Largest norm of an arc's scaled transition matrix; beyond it the arc is cut."""
    pair: int = DORMAND_PRINCE

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
        }
    )

    def start(self, model: Model, state: State) -> Work:
        """Check the case; choose from which end each line is shot."""
        refuse_unclaimed(self, model, ignored=frozenset({Claim.WAVES}))
        place = Place(state.point_position.copy(), state.body_position.copy(), state.body_quaternion.copy())
        return Work(place=place, time=state.time)

    def advance(self, model: Model, work: Work, t: float) -> Report:
        """Find the equilibrium under the loads and prescribed motions at time t."""
        work.time = t
        place = prescribed(model, work.place, t)
        figures: dict[str, Any] = {}
        shape: Shape = GuessedShape(model, place)
        plan = first_plan(model, place, GuessedShape(model, place))
        total = 0
        for _ in range(REFINEMENTS + 1):
            problem = build_problem(model, place, plan, shape)
            path, out = self._newton(model, problem)
            total += path.iterations
            numbers = growth(problem.arcs, out.end_state)
            if path.ending != CONVERGED:
                break
            place, shape = place_of(problem, place), SolvedShape(model, problem, out)
            if np.all(numbers <= self.growth_limit):
                break
            plan = refine(plan, problem.arcs, numbers, self.growth_limit, MOST_PARTS)
        work.plan, work.problem, work.out = plan, problem, out
        if path.ending == CONVERGED:
            work.place = place
        figures.update(
            residuals=path.residuals,
            step_lengths=path.steps,
            dampings=path.dampings,
            restarts=path.restarts,
            growth=float(np.max(numbers, initial=1.0)),
            intervals=problem.arcs.line.size,
            integrator_steps=int(out.log[:, STEPS].sum()),
            unknowns=problem.x.size,
        )
        return self._report(model, problem, out, path.ending, total, figures)

    def read(self, model: Model, work: Work) -> State:
        """The lines sampled by dense output."""
        assert work.problem is not None and work.out is not None
        return read_state(model, work.problem, work.out, work.place, work.time, self.tolerance)

    def _newton(self, model: Model, problem: Problem) -> tuple[Path, Result]:
        """The path of the iteration and its last evaluation."""
        arcs, nodes, rigid = problem.arcs, problem.nodes, problem.rigid
        out = result_memory(problem.x.size, arcs.line.size, nodes.body.size, rigid.weight.size)
        parts = (arcs, nodes, rigid, model.sea)
        integrator = (self.tolerance, self.pair)
        newton = Newton(parts, problem.x, problem.quaternions, problem.scales, integrator, out)
        return newton.solve(self.target), out

    def _report(
        self, model: Model, problem: Problem, out: Result, status: int, iterations: int, figures: dict[str, Any]
    ) -> Report:
        own = problem.arcs.dof[:, 12:].ravel()
        force = np.ones(problem.x.size, dtype=bool)
        force[own] = False
        miss = float(np.max(np.abs(out.residual[own]), initial=0.0))
        imbalance = float(np.max(np.abs(out.residual[force]), initial=0.0))
        if status != CONVERGED:
            message = "start" if status == BAD_START else "stuck"
            return Report(Status.NOT_CONVERGED, message, iterations, imbalance, miss, figures)
        slack = np.flatnonzero(out.log[:, LOWEST] < SLACK * problem.arcs.force)
        ending = Status.SLACK if slack.size else Status.DONE
        message = ""
        if slack.size:
            message = f"line '{model.names.lines[problem.arcs.line[slack[0]]]}' is slack"
        figures["grounded"] = float(out.log[:, REST].sum())
        return Report(ending, message, iterations, imbalance, miss, figures)
