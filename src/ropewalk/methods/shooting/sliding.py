r"""A line that slides over its pegs until it rests: the way to an equilibrium that is stable.

The tensions on the two sides of a peg can agree at several places or, between held ends, at least at one. A brake makes
the line slide slowly towards the larger tension,

.. math:: c\, \frac{s_p - s_p^\text{old}}{\Delta\tau} + |n(s_p^+)| - |n(s_p^-)| = 0,

which loses energy at every step and so ends where a small push does not make it slide on. A strong brake is lines
of fixed lengths, which are easy to solve; it is let go by and by as steps succeed (pseudo-transient continuation,
[Kelley1998]).
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.methods.shooting.assembly import Result, result_memory
from ropewalk.methods.shooting.build import Problem
from ropewalk.methods.shooting.multiple import settled
from ropewalk.methods.shooting.newton import CONVERGED, STUCK, Newton
from ropewalk.methods.shooting.pegs import PLACE1
from ropewalk.methods.shooting.plan import Plan
from ropewalk.methods.shooting.report import Attempt
from ropewalk.methods.shooting.stiffness import stable_over
from ropewalk.model.arrays import floats
from ropewalk.model.model import Model

FIRST_BRAKE = 100.0  # force scales of the line per length of it
STRONGEST, WEAKEST = 1.0e6, 1.0e-3  # beyond which the line is held fast; let go
RELEASE, TIGHTEN = 0.5, 4.0  # what the brake is changed by after a good and a bad step
LONGEST_SLIDE = 0.05  # of the line in one step
MOST_STEPS = 100
STEP_TARGET = 1.0e-8  # largest scaled constraint on the way


def slide_to_rest(
    model: Model, place: Place, plan: Plan, problem: Problem, integrator: tuple[float, int], target: float
) -> Attempt:
    """Let the lines slide from where the problem has their pegs; bad if they do not come to rest."""
    arcs = problem.arcs
    out = result_memory(problem.x.size, arcs.line.size, problem.nodes.body.size, problem.rigid.body.size)
    own = arcs.dof[:, PLACE1]
    at_peg = own >= 0
    brake, total = FIRST_BRAKE, 0
    for _ in range(MOST_STEPS):
        before, turned = problem.x.copy(), problem.quaternions.copy()
        home = np.where(at_peg, before[own], 0.0)
        held = arcs._replace(brake=floats(brake * arcs.force / arcs.total), home=floats(home))
        path = _newton(model, problem, held, integrator, out).solve(STEP_TARGET, 0)
        total += path.iterations
        moved = float(np.max(np.where(at_peg, np.abs(problem.x[own] - home), 0.0) / arcs.total))
        if path.ending != CONVERGED or moved > LONGEST_SLIDE:
            problem.x[:], problem.quaternions[:] = before, turned
            brake *= TIGHTEN
        else:
            brake *= RELEASE
        if not WEAKEST < brake < STRONGEST:
            break
    path = _newton(model, problem, arcs, integrator, out).solve(target, 0)
    if not (path.ending == CONVERGED and stable_over(problem, out)):
        path.ending = STUCK
    return Attempt(place, settled(plan, problem), problem, out, path, total + path.iterations)


def _newton(model: Model, problem: Problem, arcs: object, integrator: tuple[float, int], out: Result) -> Newton:
    parts = (arcs, problem.nodes, problem.rigid, model.sea)
    return Newton(parts, problem.x, problem.quaternions, problem.scales, integrator, out)  # type: ignore[arg-type]
