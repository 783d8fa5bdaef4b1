"""How well a run kept the lengths of rigid bars, from what was recorded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.methods.registry import BAR_SOLVERS
from ropewalk.model.model import build
from ropewalk.physics.elasticity import INEXTENSIBLE
from ropewalk.spec.system import System

if TYPE_CHECKING:
    from ropewalk.results.record import Recorded

GIVES_WAY = "constrained_implicit"  # the solver in which bars that cannot push go slack, and may then be shorter
TWINES_GIVE_WAY = (GIVES_WAY, "constrained", "projection")  # those in which twines of nets do


def constraint_drift(results: Recorded) -> float | None:
    """Largest strain of a rigid bar between records of a run by a solver of bars; None if there are none.

    Bars of lines between the nodes of a result, and bars of nets; those of elastic sections are left out. Of a bar that
    may go slack only what it is too long counts.
    """
    settings = json.loads(results.attrs.get("settings", "{}"))
    if settings.get("solver") not in BAR_SOLVERS:
        return None
    options = settings.get("options", {})
    may = options.get("slack", True) and options.get("variant", "shake") == "shake"
    model = build(System.model_validate_json(results.attrs["system"]))
    sections, lines = model.sections, model.lines
    rigid = sections.law == INEXTENSIBLE
    keeps_short = sections.compression.astype(bool) | (settings["solver"] != GIVES_WAY) | (not may)
    twine_keeps_short = sections.compression.astype(bool) | (settings["solver"] not in TWINES_GIVE_WAY) | (not may)
    kept, worst = results.variables, []
    for k, name in enumerate(model.names.lines):
        pieces = lines.piece_section[lines.piece_start[k] : lines.piece_start[k + 1]]
        if np.all(rigid[pieces]):
            at = np.flatnonzero(kept["node_line"].values == name)
            size = np.linalg.norm(np.diff(kept["position"].values[:, at], axis=1), axis=2)
            worst.append(_worst(size / np.diff(kept["s"].values[at]) - 1.0, bool(np.all(keeps_short[pieces]))))
    own = np.flatnonzero(rigid[model.nets.section])
    if own.size:
        r = kept["net_position"].values
        size = np.linalg.norm(r[:, model.nets.bar[own, 1]] - r[:, model.nets.bar[own, 0]], axis=2)
        worst.append(_worst(size / model.nets.length[own] - 1.0, twine_keeps_short[model.nets.section[own]]))
    return float(max(worst)) if worst else None


def _worst(strain: Any, keeps_short: Any) -> float:
    """strain : (time, bars)    keeps_short : whether a bar may not be shorter"""
    return float(np.where(keeps_short, np.abs(strain), np.maximum(strain, 0.0)).max())
