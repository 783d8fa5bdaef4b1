r"""The equations of shooting in one plan: for paths through equilibria, searches for other ones and their stability.

With the unknowns and rows in the order (places of what is free, forces at the starts of arcs),

.. math:: J = \begin{pmatrix} A & B \\ C & D \end{pmatrix}, \qquad K = -(A - B D^{-1} C),

K is the stiffness of points, bodies and cuts with the arcs between them at rest: the tangent of exact elements. D is
made of the 3 x 3 blocks :math:`\partial r(s_{end})/\partial n(s_{start})`, which are positive as long as an arc is no
longer than from one conjugate place to the next. K then has as many negative eigenvalues as the second variation of the
whole energy ([Gelfand1963], sec. 28), and :math:`\det J = \det D \det(-K)` changes its sign with one of them.

Newton's method does not find again what is known: the residual F is multiplied by
:math:`\eta = \prod_k (1 + |x - x_k|^{-2})`, which is large near the known solutions :math:`x_k` and 1 far away
([Farrell2015], eq. 2.7 with p = 2 and a shift of 1). The direction stays that of Newton,
:math:`\delta = -J^{-1} F`, and only its length changes:

.. math:: \delta_\eta = \frac{\delta}{1 - \nabla \ln\eta \cdot \delta}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.catenary_build import prescribed
from ropewalk.assembly.string import STATE
from ropewalk.methods.shooting.assembly import Result, evaluate, gather, result_memory
from ropewalk.methods.shooting.build import Problem, build_problem
from ropewalk.methods.shooting.given import GivenShape
from ropewalk.methods.shooting.multiple import denser, first_plan
from ropewalk.methods.shooting.newton import move
from ropewalk.methods.shooting.plan import Plan
from ropewalk.methods.shooting.read import place_of, read_state
from ropewalk.methods.shooting.shot import ARRIVED
from ropewalk.model.arrays import Array, Ints, ints
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.numerics.newton import Look, Rule, newton
from ropewalk.numerics.rungekutta import DORMAND_PRINCE
from ropewalk.numerics.sparse_lu import Factors

ARCS = 24  # of each line: five for each of its bends or more
INTEGRATOR = (1.0e-12, DORMAND_PRINCE)  # tolerance per step, and pair
HOLD = 1.0e-9  # scaled stiffness against turns of bodies, so that one that nothing resists, like yaw, has an inverse
OWN = slice(12, 15)  # columns of an arc's unknowns with its force
RULE = Rule(
    target=1.0e-11,  # largest scaled constraint
    floor=1.0e-9,
    most=60,
    halvings=10,
    longest=2.0,  # two line lengths, or twice the load
    decrease=1.0e-3,
)
SAME = 1.0e-6  # scaled distance below which two solutions are one


class Unknowns(NamedTuple):
    """Values of the unknowns."""

    x: Array  # (n,) m, N; of rotations nothing
    quaternions: Array  # (n_bodies free, 4)


class Linear(NamedTuple):
    """The equations near some values, scaled."""

    residual: Array  # (n,)
    matrix: Array  # (n, n)


class Tangent(NamedTuple):
    """Stiffness of points, bodies and cuts, and their inertia."""

    K: Array  # (m, m) N/m, N, N m
    M: Array  # (m, m) kg, kg m, kg m2
    folded: int  # arcs with a conjugate place inside: what K does not count of them


class _Nowhere:
    """A shape for problems whose unknowns are known."""

    def states(self, i: int, s: Array) -> tuple[Array, float, float]:
        """See Shape."""
        return np.zeros((s.size, STATE)), 0.0, 0.0


@dataclass
class Equations:
    """One plan of one model; `at` gives the same unknowns in another model with the same parts."""

    model: Model
    plan: Plan
    problem: Problem
    time: float
    out: Result

    @classmethod
    def near(cls, model: Model, state: State, time: float, arcs: int = ARCS) -> Equations:
        """The equations in a plan that suits `state`, with many arcs, started there."""
        place = Place(state.point_position.copy(), state.body_position.copy(), state.body_quaternion.copy())
        place = prescribed(model, place, time)
        shape = GivenShape(model, place, state)
        plan = denser(model, first_plan(model, place, shape), arcs, shape)
        problem = build_problem(model, place, plan, shape)
        return cls(model, plan, problem, time, _memory(problem))

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return self.problem.x.size

    def start(self) -> Unknowns:
        """The values that the plan was built with."""
        return Unknowns(self.problem.x.copy(), self.problem.quaternions.copy())

    def at(self, model: Model) -> Equations:
        """The equations of another model with the same parts; cuts stay at their share of a line."""
        share = model.lines.length / self.model.lines.length
        plan = tuple(
            line if k == 1.0 else replace(line, cuts=tuple(float(k) * s for s in line.cuts))
            for line, k in zip(self.plan, share, strict=True)
        )
        problem = build_problem(model, _held(model, self.time), plan, _Nowhere())
        problem.scales = self.problem.scales
        return Equations(model, plan, problem, self.time, _memory(problem))

    def residual(self, at: Unknowns) -> Array | None:
        """(n,) scaled; None if a shot does not arrive."""
        if not self._evaluated(at, False):
            return None
        return self.out.residual / self.problem.scales.row

    def linear(self, at: Unknowns) -> Linear | None:
        """Residual and exact derivative, scaled; None if a shot does not arrive."""
        if not self._evaluated(at, True):
            return None
        scales = self.problem.scales
        matrix = self._matrix() * (scales.column / scales.row[:, None])
        turns = self.problem.rigid.dof[:, 3:].ravel()
        matrix[turns, turns] -= HOLD
        return Linear(self.out.residual / scales.row, matrix)

    def moved(self, at: Unknowns, step: Array) -> Unknowns:
        """The unknowns after a scaled step (n,)."""
        new = Unknowns(np.empty_like(at.x), at.quaternions.copy())
        p = self.problem
        move(at.x, at.quaternions, step * p.scales.column, 1.0, p.nodes, p.rigid, new.x, new.quaternions)
        return new

    def solved(self, begin: Unknowns, known: Sequence[Unknowns] = ()) -> Unknowns | None:
        """A solution that is none of the known ones; None if the iteration leads nowhere."""
        path = newton(_Deflated(self, known), begin, RULE)
        if path is None or not path.converged:
            return None
        at: Unknowns = path.x
        return None if any(self.distance(at, other) < SAME for other in known) else at

    def distance(self, a: Unknowns, b: Unknowns) -> float:
        """Scaled distance of two sets of values, root mean square over the unknowns; turns in rad."""
        return float(np.sqrt(np.mean(_gap(self, a, b) ** 2))) if self.size else 0.0

    def state(self, at: Unknowns) -> State:
        """The State of a solution."""
        self._evaluated(at, False)
        self.problem.x[:], self.problem.quaternions[:] = at.x, at.quaternions
        where = place_of(self.problem, _held(self.model, self.time))
        return read_state(self.model, self.problem, self.out, where, self.time, INTEGRATOR[0])

    def tangent(self, at: Unknowns, body_mass: list[Array]) -> Tangent | None:
        """Stiffness and inertia at a solution; None if arcs cannot be eliminated.  body_mass : (6, 6) of free bodies"""
        if not self._evaluated(at, True):
            return None
        J, own = self._matrix(), self.problem.arcs.dof[:, OWN].ravel()
        free = ints(np.setdiff1d(np.arange(self.size), own), (-1,))
        D, C = J[np.ix_(own, own)], J[np.ix_(own, free)]
        blocks: Array = np.array([D[k : k + 3, k : k + 3] for k in range(0, own.size, 3)]).reshape(-1, 3, 3)
        try:
            gained = np.linalg.solve(blocks, C.reshape(-1, 3, free.size)).reshape(own.size, free.size)
        except np.linalg.LinAlgError:
            return None
        K = -(J[np.ix_(free, free)] - J[np.ix_(free, own)] @ gained)
        if not np.all(np.isfinite(K)):
            return None
        return Tangent(K, self._inertia(free, body_mass), int(np.sum(np.linalg.det(blocks) <= 0.0)))

    def _inertia(self, free: Ints, body_mass: list[Array]) -> Array:
        """(m, m) half of each arc at its nodes, with points and bodies; kg."""
        p, model = self.problem, self.model
        M: Array = np.zeros((self.size, self.size))
        on_node = np.zeros(p.nodes.body.size)
        on_node[: model.points.mass.size] += model.points.mass
        for a in range(p.arcs.line.size):
            mass = _mass(model, int(p.arcs.line[a]), *sorted(float(s) for s in p.arcs.edge[a]))
            on_node[p.arcs.node[a]] += 0.5 * mass
        for b, own in enumerate(body_mass):
            M[np.ix_(p.rigid.dof[b], p.rigid.dof[b])] += own
        for k, mass in enumerate(on_node):
            for d in p.nodes.dof[k, :3]:
                if d >= 0:
                    M[d, d] += mass
        for _, _, d in p.pegs:
            M[d, d] += 1.0
        return M[np.ix_(free, free)]

    def _evaluated(self, at: Unknowns, derivatives: bool) -> bool:
        p = self.problem
        parts = (p.arcs, p.nodes, p.rigid, self.model.sea)
        ended = evaluate(*parts, at.x, at.quaternions, *INTEGRATOR, derivatives, self.out)
        return ended == ARRIVED and bool(np.all(np.isfinite(self.out.residual)))

    def _matrix(self) -> Array:
        p = self.problem
        matrix: Array = np.empty((self.size, self.size))
        gather(p.arcs, p.nodes, p.rigid, self.out, matrix)
        return matrix


def _memory(problem: Problem) -> Result:
    return result_memory(problem.x.size, problem.arcs.line.size, problem.nodes.body.size, problem.rigid.body.size)


def _held(model: Model, time: float) -> Place:
    """Points and bodies where the model has them, what is moved at its place."""
    place = Place(model.points.position.copy(), model.bodies.position.copy(), model.bodies.quaternion.copy())
    return prescribed(model, place, time)


def _mass(model: Model, i: int, low: float, high: float) -> float:
    """Mass of line i from low to high (m from end A), attachments included, kg."""
    lines = model.lines
    total, begin = 0.0, 0.0
    for piece in range(lines.piece_start[i], lines.piece_start[i + 1]):
        end = begin + float(lines.piece_length[piece])
        inside = max(0.0, min(end, high) - max(begin, low))
        total += inside * float(model.sections.mass[lines.piece_section[piece]])
        begin = end
    own = slice(lines.attachment_start[i], lines.attachment_start[i + 1])
    here = (lines.attachment_s[own] >= low) & (lines.attachment_s[own] <= high)
    return total + float(np.sum(lines.attachment_mass[own][here]))


def _gap(equations: Equations, a: Unknowns, b: Unknowns) -> Array:
    """(n,) a - b, scaled; rotations by twice the vector part of the turn between them."""
    p = equations.problem
    gap: Array = (a.x - b.x) / p.scales.column
    for k, dof in enumerate(p.rigid.dof):
        (w, x, y, z), (w0, x0, y0, z0) = a.quaternions[k], b.quaternions[k]
        turn = np.array([-w * x0 + x * w0 - y * z0 + z * y0, -w * y0 + x * z0 + y * w0 - z * x0,
                         -w * z0 - x * y0 + y * x0 + z * w0])  # fmt: skip
        gap[dof[3:]] = 2.0 * turn * (1.0 if w * w0 + x * x0 + y * y0 + z * z0 >= 0.0 else -1.0)
    return gap


class _Deflated:
    """The equations with the factor of the known solutions, for :func:`ropewalk.numerics.newton.newton`."""

    def __init__(self, equations: Equations, known: Sequence[Unknowns]) -> None:
        self._equations, self._known = equations, known

    def look(self, at: Unknowns) -> Look | None:
        residual = self._equations.residual(at)
        if residual is None:
            return None
        factor = _deflation(self._equations, at, self._known, np.zeros(self._equations.size))[0]
        return Look(float(np.abs(residual).max(initial=0.0)), factor * float(np.linalg.norm(residual)))

    def step(self, at: Unknowns, here: Look) -> Array | None:
        now = self._equations.linear(at)
        if now is None:
            return None
        try:
            direction: Array = Factors(now.matrix).solve(-now.residual)
        except np.linalg.LinAlgError:
            return None
        slope = _deflation(self._equations, at, self._known, direction)[1]
        return direction / (1.0 - slope) if abs(1.0 - slope) > 1e-3 else direction

    def moved(self, at: Unknowns, change: Array) -> Unknowns:
        return self._equations.moved(at, change)


def _deflation(equations: Equations, at: Unknowns, known: Sequence[Unknowns], direction: Array) -> tuple[float, float]:
    """The factor of the residual, and the slope of its logarithm along a direction."""
    factor, slope = 1.0, 0.0
    for other in known:
        gap = _gap(equations, at, other)
        square = max(float(np.mean(gap**2)), 1e-30)
        factor *= 1.0 + 1.0 / square
        slope -= 2.0 * float(np.mean(gap * direction)) / (square * (1.0 + square))
    return factor, slope
