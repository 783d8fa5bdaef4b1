"""The error that `fem` states for its mesh, against other meshes.

`python fuzz.py --finer`: a mesh 3.7 times as fine, sought from scratch, and near the coarser one if that fails or is
another one. `python fuzz.py --fine`: lines whose file gives them 500 to 4,000 elements, against the mesh that `fem`
chooses.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from random_systems import random_case

import ropewalk as rw
from ropewalk.analysis.static_doubts import FRICTIONLESS
from ropewalk.analysis.statics import NOT_STATIC, Equilibrium, attempt
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.claims import demands
from ropewalk.methods.mixed.nested import meshed_as, with_mesh_times
from ropewalk.methods.mixed.statics import MixedFemStatics
from ropewalk.model.given import still
from ropewalk.model.model import Model, build

TIMES = 3.7  # elements of the finer mesh for each of the coarser one: no node but those of pieces is in both
AGREE = 1e-3  # of the largest end force, where a smaller error is stated
FEWEST, MOST = 500, 4_000  # elements of a line of fine cases


class AsGiven(MixedFemStatics):
    """Elements as many as there are."""

    def _refine(self, model: Model, work: Any, t: float) -> dict[str, float]:
        return {}


def finer_outcome(seed: int, make: Callable[[int], dict[str, Any]] = random_case) -> dict[str, Any]:
    """Outcome of the case of a seed by `fem` and by a finer mesh, as of fuzz.py."""
    begin, case = time.process_time(), make(seed)
    result: dict[str, Any] = {"seed": seed, "kind": case["title"].split(" ")[0], "methods": {}}
    try:
        system = rw.System.model_validate(case)
        model = still(build(system), 0.0)
        if not system.lines or not demands(model) - NOT_STATIC <= MixedFemStatics.claims:
            return {**result, "outcome": "not for fem", "text": "", "time": 0.0}
        answer = rw.statics(system, "fem")
    except (InputError, ConvergenceError) as error:
        return {**result, "outcome": "failed", "text": str(error), "time": time.process_time() - begin}
    result |= {"doubts": sorted({doubt.code for doubt in answer.doubts}), "time": time.process_time() - begin}
    finer = with_mesh_times(meshed_as(model, answer.solved[1]), TIMES)
    apart = [_apart(attempt(system, finer, "fem", AsGiven(), 0.0, guess), answer) for guess in (None, answer.state)]
    found = [each for each in apart if each is not None]
    if not found:
        return {**result, "outcome": "not compared", "text": "no equilibrium on the finer mesh"}
    stated = float(answer.report.figures.get("discretisation_error", 0.0))
    row = {"time": 0.0, "doubts": [], "apart": min(found), "allowed": max(stated, AGREE)}
    return {**result, "outcome": "done", "text": "fem", "methods": {"finer mesh": row}}


def fine_case(seed: int, make: Callable[[int], dict[str, Any]] = random_case) -> dict[str, Any]:
    """The case of a seed with many elements in every line, shared among its pieces by length."""
    case, rng = make(seed), np.random.default_rng([seed, 71])
    for line in case.get("lines", {}).values():
        n = np.exp(rng.uniform(np.log(FEWEST), np.log(MOST)))
        whole = sum(piece["length"] for piece in line["pieces"])
        for piece in line["pieces"]:
            piece["elements"] = max(1, round(n * piece["length"] / whole))
    return case


def fine_outcome(seed: int, make: Callable[[int], dict[str, Any]] = random_case) -> dict[str, Any]:
    """Outcome of the fine case of a seed by `fem`, beside the mesh that `fem` chooses; as of fuzz.py."""
    begin, case = time.process_time(), fine_case(seed, make)
    result: dict[str, Any] = {"seed": seed, "kind": case["title"].split(" ")[0], "methods": {}}
    try:
        system = rw.System.model_validate(case)
        if not system.lines or not demands(build(system)) - NOT_STATIC <= MixedFemStatics.claims:
            return {**result, "outcome": "not for fem", "text": "", "time": 0.0}
        answer = rw.statics(system, "fem")
    except (InputError, ConvergenceError) as error:
        return {**result, "outcome": "failed", "text": str(error), "time": time.process_time() - begin}
    result |= {"doubts": sorted({doubt.code for doubt in answer.doubts}), "time": time.process_time() - begin}
    try:
        chosen = rw.statics(rw.System.model_validate(make(seed)), "fem")
    except (InputError, ConvergenceError) as error:
        return {**result, "outcome": "not compared", "text": str(error)}
    apart = _apart(chosen, answer)
    if apart is None:
        return {**result, "outcome": "not compared", "text": "friction was found on one of the meshes only"}
    stated = sum(float(each.report.figures.get("discretisation_error", 0.0)) for each in (answer, chosen))
    row = {"time": 0.0, "doubts": sorted({doubt.code for doubt in chosen.doubts}),
           "apart": apart, "allowed": max(stated, AGREE)}  # fmt: skip
    return {**result, "outcome": "done", "text": "fem", "methods": {"chosen mesh": row}}


def _apart(finer: Any, answer: Equilibrium) -> float | None:
    """Largest difference of end forces, of the largest; None without a finer answer with the same friction."""
    if not isinstance(finer, Equilibrium):
        return None
    if (FRICTIONLESS in finer.report.message) != (FRICTIONLESS in answer.report.message):
        return None
    force = answer.state.end_force
    away = np.linalg.norm(finer.state.end_force - force, axis=2).max()
    return float(away / max(np.linalg.norm(force, axis=2).max(), 1e-300))
