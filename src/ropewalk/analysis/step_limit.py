"""The question `step limit`: how long a step a solver can take before a damped case no longer comes to rest."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ropewalk.analysis.audit_run import is_driven
from ropewalk.analysis.progress import time_bar
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.bars import Stillness
from ropewalk.methods.claims import demands
from ropewalk.methods.protocol import Solver
from ropewalk.methods.registry import BAR_SOLVERS, solver_class
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state
from ropewalk.spec.system import System

STILL, HOLD = Stillness.STILL, Stillness.HOLD  # m/s, s
LOOK = 0.05  # s between looks at the velocities
PATIENCE = 5.0  # times the time that a small step needs, [Otto2022], sec. 6.2.4
BACK_OFF = 10.0  # factor on a first step that does not come to rest
SMALLEST = 1e-4  # s, where the search is given up
BISECTIONS = 12  # after which the limit is known to 1 part in 4000
FIRST_STEP = 0.01  # s, unless the case or the user gives one
KICK = 0.1  # m/s, sideways, given to a case that starts at rest


@dataclass(frozen=True)
class StepLimit:
    """Largest step that still came to rest, and the smallest tried that did not."""

    step: float  # s
    unstable: float  # s
    settling_time: float  # s, at the first stable step
    runs: int


def settling_time(
    model: Model, solver: Solver, state: State, longest: float, still: float = STILL, hold: float = HOLD
) -> float | None:
    """Time (s) from which all nodes stay below `still` (m/s) for `hold` (s); None if that is not before `longest`.

    solver : a bar solver with its step given
    """
    step = _step(solver)
    stride = max(1, math.floor(LOOK / step)) * step
    work = solver.start(model, state)
    rest = Stillness(still, hold)
    count = 0
    with time_bar(None, longest) as show:
        while count * stride < longest:
            count += 1
            t = state.time + count * stride
            report = solver.advance(model, work, t)
            if not report.good:
                return None
            speed = _fastest(solver.read(model, work))
            if not math.isfinite(speed):
                return None
            if rest.look(t, speed):
                assert rest.since is not None
                return rest.since - state.time
            if show is not None:
                show(t - state.time)
    return None


def step_limit(model: Model, solver: Solver, state: State, longest: float = 600.0, still: float = STILL) -> StepLimit:
    """Largest stable step by doubling and bisection, from the step of `solver`. The case must be damped.

    A step is stable if the case comes to rest within five times the time that the first stable step took.
    """
    step, runs = _step(solver), 0
    while True:
        first = settling_time(model, _with_step(solver, step), state, longest, still)
        runs += 1
        if first is not None:
            break
        step /= BACK_OFF
        if step < SMALLEST:
            raise ConvergenceError(
                f"the case does not come to rest within {longest:g} s with any step down to {SMALLEST:g} s; "
                "give it damping, or more time"
            )
    patience = PATIENCE * max(first, HOLD)
    good, bad = step, 2.0 * step
    while settling_time(model, _with_step(solver, bad), state, patience, still) is not None:
        good, bad = bad, 2.0 * bad
        runs += 1
        if bad > longest:
            raise ConvergenceError(f"no limit found up to a step of {good:g} s")
    for _ in range(BISECTIONS):
        middle = 0.5 * (good + bad)
        stable = settling_time(model, _with_step(solver, middle), state, patience, still) is not None
        good, bad = (middle, bad) if stable else (good, middle)
        runs += 1
    return StepLimit(good, bad, first, runs)


def case_step_limit(
    system: System,
    solver: str | Solver | None = None,
    *,
    step: float | None = None,
    kick: float | None = None,
    longest: float = 600.0,
    still: float = STILL,
) -> tuple[StepLimit, Solver]:
    """The step limit of a case, and the solver that was requested.

    solver : a name, or a solver with its settings; the case's if its steps are fixed, else the first that claims it
    step : s, to begin with    kick : m/s, see below    longest, still : as in :func:`step_limit`

    A case with `start: as_given` begins as it is given. Others begin at their equilibrium with the velocity
    `kick` along (1, 1, 0) at every node, less what the bars do not allow; 0.1 m/s unless given.
    """
    model = build(system)
    if is_driven(model):
        raise InputError(
            "step limit: waves, motions, winches, breaks or loads that vary in time prevent the case from coming to "
            "rest; remove them"
        )
    made = _solver_of(system, model, solver, step)
    if system.run is not None and system.run.start == "as_given":
        state = initial_state(model)
        speed = kick or 0.0
    else:
        from ropewalk.analysis.statics import statics

        state = statics(system).state
        speed = KICK if kick is None else kick
    return step_limit(model, made, _kicked(state, speed), longest, still), made


def _solver_of(system: System, model: Model, solver: str | Solver | None, step: float | None) -> Any:
    """The solver with the case's damping and a first step."""
    run = system.run
    if solver is None:
        solver = run.solver if run is not None and run.solver in BAR_SOLVERS else _first_that_claims(model)
    if isinstance(solver, str):
        if solver not in BAR_SOLVERS:
            raise InputError(
                f"step limit: solver '{solver}' has no fixed time step. Available: {', '.join(BAR_SOLVERS)}"
            )
        solver = solver_class(solver)(damping=run.damping if run is not None else 0.0)
    first = step or getattr(solver, "step", None) or (run.step if run is not None else None) or FIRST_STEP
    return _with_step(solver, float(first))


def _first_that_claims(model: Model) -> str:
    asked = demands(model)
    lacking = {name: sorted(claim.value for claim in asked - solver_class(name).claims) for name in BAR_SOLVERS}
    for name in BAR_SOLVERS:
        if not lacking[name]:
            return name
    told = "; ".join(f"{name} lacks {', '.join(missing)}" for name, missing in lacking.items())
    raise InputError(f"step limit: no solver with fixed steps supports this case: {told}")


def _kicked(state: State, speed: float) -> State:
    """The state with a sideways velocity (m/s) at all nodes and knots; the solvers take out what bars do not allow."""
    push = speed * np.array([math.sqrt(0.5), math.sqrt(0.5), 0.0])
    return state._replace(
        velocity=state.velocity + push,
        point_velocity=state.point_velocity + push,
        net_velocity=state.net_velocity + push,
    )


def _fastest(state: State) -> float:
    """Largest speed of a node or knot, m/s."""
    velocity = np.concatenate([state.velocity, state.net_velocity])
    return float(np.sqrt((velocity**2).sum(axis=1).max(initial=0.0)))


def _step(solver: Any) -> float:
    step = getattr(solver, "step", None)
    if not isinstance(step, float) or not step > 0.0:
        raise InputError(f"step limit: solver '{solver.name}' needs an initial step")
    return step


def _with_step(solver: Any, step: float) -> Solver:
    made: Solver = replace(solver, step=step)
    return made
