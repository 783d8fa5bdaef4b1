"""The question `solve_for`: which numbers of a case make its equilibrium what is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ropewalk.analysis.sensitivity import number, read, sensitivities, with_number
from ropewalk.analysis.statics import Equilibrium, statics
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.model.arrays import Array
from ropewalk.numerics.newton import Look, Rule, newton
from ropewalk.spec import arguments
from ropewalk.spec.shown import Shown
from ropewalk.spec.system import Source, System

TOLERANCE = 1e-9  # of the larger of the wanted value and the first miss
RULE = Rule(target=TOLERANCE, floor=TOLERANCE, most=40, halvings=25)


@dataclass(frozen=True, repr=False)
class Design(Shown):
    """A case that meets its targets."""

    system: System
    equilibrium: Equilibrium
    values: dict[str, float]  # of the varied parameters
    iterations: int

    def __repr__(self) -> str:
        values = ", ".join(f"{path} = {value:.6g}" for path, value in self.values.items())
        return f"<Design: {values}; {self.equilibrium!r}>"


def solve_for(
    system: Source,
    vary: str | Sequence[str],
    targets: Mapping[str, float],
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> Design:
    """Vary as many numbers of the case as there are targets until its equilibrium meets them.

    `vary` and the keys of `targets` are paths as in :func:`ropewalk.analysis.sensitivity.sensitivities`, e.g.
    ``solve_for(system, "lines.m1.pieces.0.length", {"lines.m1.end_b.tension": 5e5})``. Newton with the exact
    sensitivities, with steps halved while the error does not fall; `bounds` limits a parameter.
    Raises ConvergenceError with the nearest values if the targets cannot be met.
    """
    system = System.of(system)
    paths = [vary] if isinstance(vary, str) else arguments.texts("vary", vary, "lines.m1.pieces.0.length")
    for name, given in (("targets", targets), ("bounds", bounds)):
        if not isinstance(given, Mapping) and not (name == "bounds" and given is None):
            raise InputError(f"{name} must be a mapping of paths, not {type(given).__name__}")
    targets = {
        arguments.text("a key of targets", path, "lines.m1.end_b.tension"): arguments.number(
            f"targets['{path}']", value
        )
        for path, value in targets.items()
    }
    if len(paths) != len(targets):
        raise InputError(f"{len(paths)} numbers to vary for {len(targets)} targets; give equal numbers of both")
    limits = np.array([_limits(path, (bounds or {}).get(path, (-np.inf, np.inf))) for path in paths]).reshape(-1, 2)
    wanted = np.array(list(targets.values()), dtype=float)
    values = np.array([number(system, path) for path in paths])
    miss = _miss(system, targets)[1]
    scale = np.maximum(np.abs(wanted), np.abs(miss))
    scale[scale == 0.0] = 1.0
    found = newton(_Targets(system, paths, targets, limits, scale), values, RULE)
    assert found is not None  # there was an equilibrium to begin with
    values, (case, equilibrium, miss) = found.x, found.here.found
    if found.converged:
        return Design(case, equilibrium, dict(zip(paths, values.tolist(), strict=True)), found.iterations)
    text = ", ".join(f"{path} = {value:.6g}" for path, value in zip(paths, values, strict=True))
    left = ", ".join(f"{path} by {m:.4g}" for path, m in zip(targets, miss, strict=True))
    raise ConvergenceError(
        f"the targets cannot be met from this start: at {text} the errors are {left}", equilibrium.report
    )


def _limits(path: str, given: Any) -> tuple[float, float]:
    """Bounds of a number."""
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        low = high = np.nan
    if not low < high:
        raise InputError(f"bounds['{path}'] must be two rising numbers, as in (90, 120), not {given!r}")
    return low, high


def _miss(system: System, targets: Mapping[str, float]) -> tuple[Equilibrium, Array]:
    """Equilibrium of a case and how far its outputs are above what is wanted."""
    equilibrium = statics(system, "shooting")
    return equilibrium, np.array([read(equilibrium.summary, path) - value for path, value in targets.items()])


@dataclass(frozen=True)
class _Targets:
    """How far outputs are from their targets by the varied numbers, for :func:`ropewalk.numerics.newton.newton`."""

    system: System
    paths: list[str]
    targets: Mapping[str, float]
    limits: Array  # (n, 2) of the numbers
    scale: Array  # (n,) of the outputs

    def look(self, values: Array) -> Look | None:
        case = self.system
        try:
            for path, value in zip(self.paths, values.tolist(), strict=True):
                case = with_number(case, path, value)
            equilibrium, miss = _miss(case, self.targets)
        except (ConvergenceError, ValueError):  # no such case, or no equilibrium: a shorter step
            return None
        return Look(
            float(np.abs(miss / self.scale).max()), float(np.linalg.norm(miss / self.scale)), (case, equilibrium, miss)
        )

    def step(self, values: Array, here: Look) -> Array:
        case, _, miss = here.found
        table = sensitivities(case, list(self.targets), self.paths)
        matrix = np.array([[table[output][path] for path in self.paths] for output in self.targets])
        return np.asarray(np.linalg.lstsq(matrix / self.scale[:, None], -miss / self.scale, rcond=None)[0])

    def moved(self, values: Array, change: Array) -> Array:
        return np.clip(values + change, self.limits[:, 0], self.limits[:, 1])
