"""The question `solve_for`: which numbers of a case make its equilibrium what is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ropewalk.analysis.sensitivity import number, read, sensitivities, with_number
from ropewalk.analysis.statics import Equilibrium, statics
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.model.arrays import Array
from ropewalk.spec.shown import Shown
from ropewalk.spec.system import Source, System

MOST_ITERATIONS = 40
MOST_HALVINGS = 25
TOLERANCE = 1e-9  # of the larger of the wanted value and the first miss


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
    sensitivities, halved while the miss does not fall or there is no equilibrium; `bounds` limits a parameter.
    Raises ConvergenceError with the nearest values if the targets cannot be met.
    """
    system = System.of(system)
    paths = [vary] if isinstance(vary, str) else list(vary)
    if len(paths) != len(targets):
        raise InputError(f"{len(paths)} numbers to vary for {len(targets)} targets; give as many of both")
    limits = np.array([(bounds or {}).get(path, (-np.inf, np.inf)) for path in paths]).reshape(-1, 2)
    wanted = np.array(list(targets.values()), dtype=float)
    values = np.array([number(system, path) for path in paths])
    equilibrium, miss = _miss(system, targets)
    scale = np.maximum(np.abs(wanted), np.abs(miss))
    scale[scale == 0.0] = 1.0
    for iteration in range(MOST_ITERATIONS):
        if np.all(np.abs(miss) <= TOLERANCE * scale):
            return Design(system, equilibrium, dict(zip(paths, values.tolist(), strict=True)), iteration)
        table = sensitivities(system, list(targets), paths)
        matrix = np.array([[table[output][path] for path in paths] for output in targets])
        step = np.linalg.lstsq(matrix / scale[:, None], -miss / scale, rcond=None)[0]
        found = _search(system, paths, values, step, limits, targets, miss / scale, scale)
        if found is None:
            break
        system, equilibrium, values, miss = found
    text = ", ".join(f"{path} = {value:.6g}" for path, value in zip(paths, values, strict=True))
    left = ", ".join(f"{path} by {m:.4g}" for path, m in zip(targets, miss, strict=True))
    raise ConvergenceError(
        f"the targets cannot be met from this start: at {text} the errors are {left}", equilibrium.report
    )


def _miss(system: System, targets: Mapping[str, float]) -> tuple[Equilibrium, Array]:
    """Equilibrium of a case and how far its outputs are above what is wanted."""
    equilibrium = statics(system, "shooting")
    return equilibrium, np.array([read(equilibrium.summary, path) - value for path, value in targets.items()])


def _search(
    system: System, paths: list[str], values: Array, step: Array, limits: Array, targets: Mapping[str, float],
    miss: Array, scale: Array,
) -> tuple[System, Equilibrium, Array, Array] | None:  # fmt: skip
    """The longest of step, step/2, ... that brings the outputs nearer; None if none does."""
    for k in range(MOST_HALVINGS):
        trial = np.clip(values + step / 2.0**k, limits[:, 0], limits[:, 1])
        case = system
        try:
            for path, value in zip(paths, trial.tolist(), strict=True):
                case = with_number(case, path, value)
            equilibrium, new = _miss(case, targets)
        except (ConvergenceError, ValueError):  # no such case, or no equilibrium: a shorter step
            continue
        if np.linalg.norm(new / scale) < np.linalg.norm(miss):
            return case, equilibrium, trial, new
    return None
