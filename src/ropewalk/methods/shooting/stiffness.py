r"""Stiffness of the lines on bodies, from the exact derivative at the solution.

With the unknowns of one body moved and all points, cuts and forces following,

.. math:: K = -\left(J_{bb} - J_{bp} J_{pp}^{-1} J_{pb}\right)

where J is the derivative of the balance of forces and the misses of the arcs ([Surmont2025] for the constraints;
the condensation is the implicit function theorem).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.methods.shooting.assembly import Result, evaluate, result_memory
from ropewalk.methods.shooting.build import Problem, build_problem
from ropewalk.methods.shooting.newton import sparse_matrix, sparse_pattern
from ropewalk.methods.shooting.pegs import START_FORCE
from ropewalk.methods.shooting.plan import Plan
from ropewalk.methods.shooting.shape import Shape
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model


def line_stiffness(
    model: Model, solved: Problem, plan: Plan, where: Place, shape: Shape, integrator: tuple[float, int]
) -> Array:
    """(n_bodies, 6, 6) of the lines on each body, about its origin; points follow, other bodies stay."""
    n_bodies = len(model.names.bodies)
    stiffness: Array = np.zeros((n_bodies, 6, 6))
    if n_bodies == 0:
        return stiffness
    problem = build_problem(model, where, plan, shape, all_bodies=True)
    _copy_solution(solved, problem)
    arcs, nodes, rigid = problem.arcs, problem.nodes, problem.rigid
    out = result_memory(problem.x.size, arcs.line.size, nodes.body.size, rigid.body.size)
    evaluate(arcs, nodes, rigid, model.sea, problem.x, problem.quaternions, *integrator, True, out)
    out.body_blocks[:] = 0.0  # hull and weight apart
    matrix = sparse_matrix(sparse_pattern(problem.x.size, arcs, nodes, rigid), out, problem.scales)
    row, column = problem.scales.row, problem.scales.column
    bodies = rigid.dof.ravel()
    rest = np.setdiff1d(np.arange(problem.x.size), bodies)
    for b in range(n_bodies):
        own = rigid.dof[b]
        block = matrix[np.ix_(own, own)].toarray()
        if rest.size:
            follow = _following(matrix[np.ix_(rest, rest)].tocsc(), matrix[np.ix_(rest, own)].toarray())
            block -= matrix[np.ix_(own, rest)] @ follow
        stiffness[rigid.which[b]] = -block * row[own, None] / column[own]
    return stiffness


def _following(inner: Any, outer: Array) -> Array:
    """How the rest follows a body; where something slack is free to stay, the least of what it may do."""
    from ropewalk.numerics.sparse_lu import Factors  # when used: scipy.sparse takes a tenth of a second to load

    try:
        follow: Array = Factors(inner).solve(outer)
    except np.linalg.LinAlgError:
        follow = np.linalg.lstsq(inner.toarray(), outer, rcond=None)[0]
    return follow


def _copy_solution(solved: Problem, problem: Problem) -> None:
    """Forces, points, cuts and pegs of the solved problem; the arcs and nodes of both come in the same order."""
    problem.x[problem.pegs[:, 2]] = solved.x[solved.pegs[:, 2]]
    problem.x[problem.arcs.dof[:, START_FORCE]] = solved.x[solved.arcs.dof[:, START_FORCE]]
    for old, new in zip(solved.nodes.dof[:, :3], problem.nodes.dof[:, :3], strict=True):
        both = (old >= 0) & (new >= 0)
        problem.x[new[both]] = solved.x[old[both]]


def stable_over(problem: Problem, out: Result) -> bool:
    """True if no line would slide on over its pegs when pushed, all else following: a positive reduced stiffness."""
    if not problem.pegs.size:
        return True
    matrix = sparse_matrix(sparse_pattern(problem.x.size, problem.arcs, problem.nodes, problem.rigid), out,
                           problem.scales)  # fmt: skip
    own = problem.pegs[:, 2]
    rest = np.setdiff1d(np.arange(problem.x.size), own)
    row, column = problem.scales.row[own], problem.scales.column[own]
    follow = _following(matrix[np.ix_(rest, rest)].tocsc(), matrix[np.ix_(rest, own)].toarray())
    reduced: Array = matrix[np.ix_(own, own)].toarray() - matrix[np.ix_(own, rest)] @ follow
    reduced *= row[:, None] / column
    return bool(np.all(np.linalg.eigvalsh(0.5 * (reduced + reduced.T)) > 0.0))
