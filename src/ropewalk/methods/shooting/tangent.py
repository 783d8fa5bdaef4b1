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
    integrator: tuple[float, int]  # tolerance per step, and pair

    def tangent(self, variation: Callable[[float], Model], step: float) -> Array:
        """dx/dp (n,) where variation(h) is the model with the parameter raised by h; step : of the differences."""
        problem = self.problem
        slope = np.zeros(problem.x.size)
        for k, weight in STENCIL:
            model = variation(k * step)
            other = self._same_unknowns(model)
            out = _memory(other)
            parts = (other.arcs, other.nodes, other.rigid, model.sea)
            evaluate(*parts, problem.x, problem.quaternions, *self.integrator, False, out)
            slope += weight * out.residual / step
        pattern = sparse_pattern(problem.x.size, problem.arcs, problem.nodes, problem.rigid)
        matrix = sparse_matrix(pattern, self.out, problem.scales)
        from ropewalk.numerics.sparse_lu import Factors  # when used: scipy.sparse takes a tenth of a second to load

        direction: Array = Factors(matrix).solve(-slope / problem.scales.row) * problem.scales.column
        return direction

    def size(self, direction: Array) -> float:
        """Largest component of a direction (n,) of the unknowns, scaled."""
        return float(np.max(np.abs(direction) / self.problem.scales.column, initial=0.0))

    def moved(self, model: Model, direction: Array, step: float) -> Solution:
        """The solution carried along its tangent to a model whose parameter is higher by `step`."""
        problem = self.problem
        other = self._same_unknowns(model)
        move(problem.x, problem.quaternions, direction, step, other.nodes, other.rigid, other.x, other.quaternions)
        out = _memory(other)
        parts = (other.arcs, other.nodes, other.rigid, model.sea)
        evaluate(*parts, other.x, other.quaternions, *self.integrator, True, out)
        return self._replace(model=model, place=place_of(other, self.place), problem=other, out=out)

    def _same_unknowns(self, model: Model) -> Problem:
        """The problem of another model with the plan of this solution, what is held where that model has it."""
        before, after = self.model, model
        points = self.place.points + after.points.position - before.points.position
        bodies = self.place.bodies + after.bodies.position - before.bodies.position
        shape = SolvedShape(self.model, self.problem, self.out)
        return build_problem(model, Place(points, bodies, self.place.quaternions), self.plan, shape)


def _memory(problem: Problem) -> Result:
    arcs, nodes, rigid = problem.arcs, problem.nodes, problem.rigid
    return result_memory(problem.x.size, arcs.line.size, nodes.body.size, rigid.body.size)
