"""How well a run kept the lengths of rigid bars, from what was recorded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.model.model import build
from ropewalk.physics.elasticity import INEXTENSIBLE
from ropewalk.solvers.registry import BAR_SOLVERS
from ropewalk.spec.system import System

if TYPE_CHECKING:
    import xarray as xr


def constraint_drift(dataset: xr.Dataset) -> float | None:
    """Largest strain of a rigid bar between records of a run by a solver of bars; None if there are none.

    Bars of lines between the nodes of a result, and bars of nets; those of elastic sections are left out.
    """
    if json.loads(dataset.attrs.get("settings", "{}")).get("solver") not in BAR_SOLVERS:
        return None
    model = build(System.model_validate_json(dataset.attrs["system"]))
    rigid = model.sections.law == INEXTENSIBLE
    worst = []
    lines = model.lines
    for k, name in enumerate(model.names.lines):
        if np.all(rigid[lines.piece_section[lines.piece_start[k] : lines.piece_start[k + 1]]]):
            at = np.flatnonzero(dataset["line"].values == name)
            size = np.linalg.norm(np.diff(dataset["position"].values[:, at], axis=1), axis=2)
            worst.append(np.abs(size / np.diff(dataset["s"].values[at]) - 1.0).max())
    own = rigid[model.nets.section]
    if np.any(own):
        r = dataset["net_position"].values
        size = np.linalg.norm(r[:, model.nets.bar[own, 1]] - r[:, model.nets.bar[own, 0]], axis=2)
        worst.append(np.abs(size / model.nets.length[own] - 1.0).max())
    return float(max(worst)) if worst else None
