"""Damped Newton iteration: one loop, one stopping rule and one report for equations that are evaluated in Python.

A full step is Newton's own, shortened to the longest that is allowed. It is halved until the merit falls, or until the
equations have values at all. The iteration ends at the target; at a floor above it where no step gains any more, which
is where round-off begins; or without a solution.

Scalar equations with a bracket share the step of numerics/bracket.py. Other Newton loops of the package state in their
docstrings, after "not numerics/newton.py", why they are not of this form: those compiled into kernels, which eliminate
along the lines while they assemble (mixed elements, bars, chains), those with contact or slack that switches on the
way, and descents in an energy.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SMALLEST = 1e-300  # of the largest component of a step, before it divides


class Look(NamedTuple):
    """The equations at some values of the unknowns."""

    error: float  # scaled residual of the stopping rule
    merit: float  # that steps must lower
    found: Any = None  # what else was found there, for `step` and for the caller


class Equations(Protocol):
    """Interface of a problem. The iteration does not interpret the unknowns."""

    def look(self, x: Any) -> Look | None:
        """The residual at x; None where the equations have no value."""

    def step(self, x: Any, here: Look) -> Array | None:
        """Newton's step from x, scaled; None where the tangent is singular."""

    def moved(self, x: Any, change: Array) -> Any:
        """The unknowns after a step or a share of it."""


class Rule(NamedTuple):
    """When to stop, and how far to go at once."""

    target: float  # error at which the iteration ends
    floor: float  # error that is accepted where no step gains any more
    most: int  # iterations
    halvings: int  # of one step
    longest: float = np.inf  # largest component of a step
    decrease: float = 0.0  # share of the predicted decrease of the merit that a step must reach


class Path(NamedTuple):
    """Where the iteration ended."""

    x: Any
    here: Look
    iterations: int
    converged: bool


def newton(equations: Equations, x: Any, rule: Rule) -> Path | None:
    """Iterate from x; None if the equations have no value there."""
    here = equations.look(x)
    if here is None:
        return None
    for iteration in range(rule.most):
        if here.error <= rule.target:
            return Path(x, here, iteration, True)
        change = equations.step(x, here)
        found = None if change is None else _search(equations, x, here, change, rule)
        if found is None:
            return Path(x, here, iteration, here.error <= rule.floor)
        x, here = found
    return Path(x, here, rule.most, here.error <= rule.floor)


def _search(equations: Equations, x: Any, here: Look, change: Array, rule: Rule) -> tuple[Any, Look] | None:
    """The longest of a step, half of it, ... that lowers the merit; None if none does."""
    longest = float(np.abs(change).max(initial=0.0))
    change = change * min(1.0, rule.longest / max(longest, SMALLEST))
    share = 1.0
    for _ in range(rule.halvings):
        trial = equations.moved(x, share * change)
        there = equations.look(trial)
        if there is not None and there.merit < (1.0 - rule.decrease * share) * here.merit:
            return trial, there
        share *= 0.5
    return None
