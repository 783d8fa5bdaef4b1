r"""How a solution moves with a parameter, by the implicit function theorem.

At the solution C(x; p) = 0, so :math:`dx/dp = -J^{-1}\, \partial C/\partial p` with the exact J. The partial
derivative at fixed x is a difference of residuals, four of them, of fourth order: they cost a shot each, no
solution, and depend on p smoothly even where the solution is stiff.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.methods.shooting.assembly import Result, evaluate, result_memory
from ropewalk.methods.shooting.build import Problem, build_problem
from ropewalk.methods.shooting.newton import move, sparse_matrix, sparse_pattern
from ropewalk.methods.shooting.plan import Plan
from ropewalk.methods.shooting.read import SolvedShape, place_of
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model

STENCIL = ((-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0))


class Solution(NamedTuple):
    """A solved case, as the solver keeps it."""

    model: Model
    plan: Plan
    place: Place
    problem: Problem
    out: Result


def tangent(
    solution: Solution, variation: Callable[[float], Model], step: float, integrator: tuple[float, int]
) -> Array:
    """dx/dp (n,) where variation(h) is the model with the parameter raised by h; step : of the differences."""
    problem = solution.problem
    slope = np.zeros(problem.x.size)
    for k, weight in STENCIL:
        model = variation(k * step)
        other = _same_unknowns(solution, model)
        out = _memory(other)
        parts = (other.arcs, other.nodes, other.rigid, model.sea)
        evaluate(*parts, problem.x, problem.quaternions, *integrator, False, out)
        slope += weight * out.residual / step
    pattern = sparse_pattern(problem.x.size, problem.arcs, problem.nodes, problem.rigid)
    matrix = sparse_matrix(pattern, solution.out, problem.scales)
    from ropewalk.numerics.sparse_lu import Factors  # when used: scipy.sparse takes a tenth of a second to load

    direction: Array = Factors(matrix).solve(-slope / problem.scales.row) * problem.scales.column
    return direction


def moved(solution: Solution, model: Model, direction: Array, step: float, integrator: tuple[float, int]) -> Solution:
    """The solution carried along its tangent to a model whose parameter is higher by `step`."""
    problem = solution.problem
    other = _same_unknowns(solution, model)
    move(problem.x, problem.quaternions, direction, step, other.nodes, other.rigid, other.x, other.quaternions)
    out = _memory(other)
    parts = (other.arcs, other.nodes, other.rigid, model.sea)
    evaluate(*parts, other.x, other.quaternions, *integrator, True, out)
    return Solution(model, solution.plan, place_of(other, solution.place), other, out)


def _same_unknowns(solution: Solution, model: Model) -> Problem:
    """The problem of another model with the plan of the solution."""
    shape = SolvedShape(solution.model, solution.problem, solution.out)
    return build_problem(model, _held_where(solution, model), solution.plan, shape)


def _held_where(solution: Solution, model: Model) -> Place:
    """Places of the solution, with what is held where the other model has it."""
    before, after = solution.model, model
    points = solution.place.points + after.points.position - before.points.position
    bodies = solution.place.bodies + after.bodies.position - before.bodies.position
    return Place(points, bodies, solution.place.quaternions)


def _memory(problem: Problem) -> Result:
    arcs, nodes, rigid = problem.arcs, problem.nodes, problem.rigid
    return result_memory(problem.x.size, arcs.line.size, nodes.body.size, rigid.body.size)
