"""Equilibria of a case as a problem with one parameter: lines and bodies by shooting, elastic rods afloat."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ropewalk.analysis.audit import audit
from ropewalk.analysis.spectrum import spectrum
from ropewalk.analysis.static_summary import shape_summary
from ropewalk.analysis.statics import statics
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.rods import BendingProblem, FloatingPose, bend, equilibrium
from ropewalk.methods.shooting import Equations, Unknowns
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model, build
from ropewalk.model.rod_fields import build_rod
from ropewalk.model.rods import RodWarning
from ropewalk.model.state import State
from ropewalk.numerics.arclength import Lost, Point, begin
from ropewalk.numerics.rotations import tangent_basis
from ropewalk.spec.system import System

SHOOTING = "shooting"
KEPT = 8  # models of neighbouring values that are kept
ACCURACY = 1e-5  # of a rod's shape over its length, that of a path; second derivatives take long with more functions
LEAST_FUNCTIONS = 6  # Legendre polynomials per component of a rod's curvature
NEGATIVE = 1e-7  # curvature of a rod's energy over its scale, below zero: differences leave less
BALANCED = 1e-6  # forces of a rod out of balance over its weight, moments over weight times length: more is no rest

Cases = Callable[[float], System]  # the case for p from 0 to 1


class Seen(NamedTuple):
    """What is known of one equilibrium of a path."""

    summary: dict[str, Any]
    unstable: int  # displacements that are not opposed, -1 if not known
    smallest: float  # eigenvalue, NaN if not known
    audit: float  # largest figure of the audit over its limit: 1 or less if all are within; of rods that of the forces


class LineCurve:
    """Lines, points and bodies in one plan of shooting."""

    def __init__(self, cases: Cases, state: State, p: float, time: float) -> None:
        self.cases, self.time = cases, time
        self._kept: dict[float, Equations] = {}
        model = build(cases(p))
        self._base = Equations.near(model, state, time)
        self._kept[p] = self._base
        self.size = self._base.size

    def start(self) -> Unknowns:
        """Values near the state that the curve was made from."""
        return self._base.start()

    def equations(self, p: float) -> Equations | None:
        """The equations at p; None where there is no such case."""
        if p not in self._kept:
            try:
                model = build(self.cases(p))
            except InputError:
                return None
            if len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[p] = self._base.at(model)
        return self._kept[p]

    def residual(self, at: Unknowns, p: float) -> Array | None:
        """See Curve."""
        equations = self.equations(p)
        return None if equations is None else equations.residual(at)

    def matrix(self, at: Unknowns, p: float) -> Array | None:
        """See Curve."""
        equations = self.equations(p)
        found = None if equations is None else equations.linear(at)
        return None if found is None else found.matrix

    def moved(self, at: Unknowns, step: Array) -> Unknowns:
        """See Curve."""
        return self._base.moved(at, step)

    def state(self, at: Unknowns, p: float) -> tuple[Model, State]:
        """Model and State of a solution."""
        equations = self.equations(p)
        assert equations is not None
        return equations.model, equations.state(at)

    def renewed(self, wrong: Point, last: Point) -> tuple[LineCurve, Point]:
        """The curve with the equations that hold at a point which the audit rejects, and its first point there.

        wrong : a solution of these equations    last : the point before it.  Raises Lost.
        """
        try:
            found = statics(self.cases(wrong.p), SHOOTING, guess=self.state(last.at, last.p)[1])
        except (ConvergenceError, InputError) as error:
            raise Lost(str(error)) from None
        curve = LineCurve(self.cases, found.state, wrong.p, self.time)
        first = begin(curve, curve.start(), wrong.p, 1.0 if wrong.p >= last.p else -1.0)
        return curve, first._replace(arc=wrong.arc)

    def summary(self, at: Unknowns, p: float) -> dict[str, Any]:
        """Plain data of a solution."""
        return shape_summary(*self.state(at, p))

    def seen(self, at: Unknowns, p: float) -> Seen:
        """A solution with its stability."""
        model, state = self.state(at, p)
        equations = self.equations(p)
        found = None if equations is None else spectrum(equations, at, state)
        share = max((finding.share for finding in audit(model, state, self.time).findings), default=0.0)
        if found is None:
            return Seen(shape_summary(model, state), -1, np.nan, share)
        return Seen(shape_summary(model, state), found.unstable, found.smallest, share)


class Afloat(NamedTuple):
    """Shape and pose of a floating rod."""

    bend: Array  # change of the curvature, times length
    z: float  # m
    u: Array  # (3,) up
    tangents: Array  # (2, 3) across it, carried along


def _pose(guess: Any) -> FloatingPose | None:
    """The pose that a guess of a rod gives."""
    pose = getattr(guess, "pose", guess)
    if pose is None or isinstance(pose, FloatingPose):
        return pose
    raise InputError(
        f"the guess of a rod is one of the states of rw.float_rods, as in float_rods(case)['hose'].states[0], not "
        f"{type(guess).__name__}"
    )


def _functions(cases: Cases, p: float, name: str, stiffness: tuple[float, float, float]) -> int:
    """Shape functions that the rod needs at one end of a path; the least number where it has no shape there."""
    try:
        case = cases(p)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RodWarning)
            found = bend(build_rod(case.rods[name], case.environment, name), stiffness, accuracy=ACCURACY)
    except (InputError, ConvergenceError):
        return LEAST_FUNCTIONS
    return max(LEAST_FUNCTIONS, found.functions)


class RodCurve:
    """One elastic rod afloat, its shape and pose."""

    def __init__(self, cases: Cases, name: str, p: float, guess: Any = None) -> None:
        self.cases, self.name = cases, name
        self._pose = _pose(guess)
        rod = cases(p).rods[name]
        if rod.elasticity is None:
            raise InputError(f"rod '{name}' has no elasticity; give it `elasticity`, or follow a rod that has")
        if rod.held is not None:
            raise InputError(f"rod '{name}' is held; only rods that float freely have paths: leave `held` out")
        self.stiffness = (rod.elasticity.torsion, *rod.elasticity.bending)
        self._kept: dict[float, BendingProblem] = {}
        self._last: tuple[float, Afloat, Array] | None = None  # the matrix made last, with its place
        self._scale, self._functions = 0.0, LEAST_FUNCTIONS
        self._functions = max(_functions(cases, end, name, self.stiffness) for end in (0.0, 1.0))
        first = self.problem(p)
        assert first is not None
        self._scale, self._rest = first.scale, first.rest
        self.size = 3 * len(first.basis) + 3

    def start(self) -> Afloat:
        """A stable way to float, that next to the guess if there is one."""
        pose = equilibrium(self._rest) if self._pose is None else self._pose
        found = bend(self._rest, self.stiffness, pose, functions=self._functions)
        up = np.array(found.pose.up)
        return Afloat(found.change, float(found.pose.heave), up, tangent_basis(up))

    def problem(self, p: float) -> BendingProblem | None:
        """The energy at p; None where there is no such rod."""
        if p not in self._kept:
            try:
                case = self.cases(p)
                with warnings.catch_warnings():
                    if self._scale:  # what is doubtful about the rod is said once
                        warnings.simplefilter("ignore", RodWarning)
                    rod = build_rod(case.rods[self.name], case.environment, self.name)
            except InputError:
                return None
            if len(self._kept) >= KEPT:
                del self._kept[next(iter(self._kept))]
            made = BendingProblem(rod, np.array(self.stiffness), self._functions)
            made.scale = self._scale or made.scale
            self._kept[p] = made
        return self._kept[p]

    def residual(self, at: Afloat, p: float) -> Array | None:
        """See Curve: the gradient of the energy over weight times length."""
        problem = self.problem(p)
        return None if problem is None else problem.value(*at).gradient

    def matrix(self, at: Afloat, p: float) -> Array | None:
        """See Curve: the second derivative of the energy."""
        if self._last is not None and self._last[0] == p and self._last[1] is at:
            return self._last[2]
        problem = self.problem(p)
        if problem is None:
            return None
        found = problem.curvature(*at, self.size)
        self._last = (p, at, found)
        return found

    def moved(self, at: Afloat, step: Array) -> Afloat:
        """See Curve."""
        problem = next(iter(self._kept.values()))
        change, z, u, _ = problem.moved(*at, step)
        first = at.tangents[0] - (at.tangents[0] @ u) * u
        first /= np.linalg.norm(first)
        return Afloat(change, z, u, np.array([first, np.cross(u, first) * self._side(at)]))

    @staticmethod
    def _side(at: Afloat) -> float:
        """Whether the tangents are right-handed about up."""
        return float(np.sign(np.cross(at.u, at.tangents[0]) @ at.tangents[1]))

    def renewed(self, wrong: Point, last: Point) -> tuple[RodCurve, Point]:
        """See LineCurve: the equations of a rod are the same everywhere."""
        raise Lost(f"the audit rejects the point after p = {last.p:.6g}")

    def summary(self, at: Afloat, p: float) -> dict[str, Any]:
        """Plain data of a solution: pose in m and degrees, energies in J."""
        problem = self.problem(p)
        assert problem is not None
        now = problem.value(*at)
        found = problem.bent(at.bend, at.z, at.u, now)
        return {
            "rods": {
                self.name: {
                    "heave": at.z,
                    "roll": float(np.degrees(found.pose.roll)),
                    "pitch": float(np.degrees(found.pose.pitch)),
                    "up": at.u.tolist(),
                    "energy": found.energy,
                    "elastic_energy": found.elastic_energy,
                }
            }
        }

    def seen(self, at: Afloat, p: float) -> Seen:
        """A solution with its stability."""
        matrix, residual = self.matrix(at, p), self.residual(at, p)
        share = np.nan if residual is None else float(np.abs(residual).max()) / BALANCED
        if matrix is None:
            return Seen(self.summary(at, p), -1, np.nan, share)
        values = np.linalg.eigvalsh(matrix)
        return Seen(self.summary(at, p), int(np.sum(values < -NEGATIVE)), float(values[0]), share)
