"""Extremes over seeds, utilisation by case and fatigue damage, as plain data. Not a certified check."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from ropewalk.post.extremes import LEAST_MAXIMA, group_cases, seed_extremes
from ropewalk.post.fatigue import damage
from ropewalk.post.utilisation import utilisation

if TYPE_CHECKING:
    import xarray as xr

SEED = "seed"  # the factor over which extremes of a sweep are taken
MAXIMA = "end_tension_max"


def sweep_extremes(sweep: xr.Dataset) -> list[dict[str, Any]]:
    """The most probable maximum of every line over the seeds, with its 90 % bounds (N), by the other factors.

    At the end with the larger one. Empty without seeds, or with fewer than a distribution needs.
    """
    factors = list(json.loads(sweep.attrs.get("factors", "{}")).values())
    if SEED not in factors or MAXIMA not in sweep:
        return []
    groups, _ = group_cases(sweep, SEED)
    if min(len(group) for group in groups) < LEAST_MAXIMA:
        return []
    found = seed_extremes(sweep, MAXIMA, over=SEED)
    rows = []
    for g in range(found.sizes["group"]):
        where = {name: found[name].values[g].item() for name in factors if name != SEED}
        for line in found["line"].values:
            own = found.isel(group=g).sel(line=line)
            if not bool(own["value"].notnull().any()):
                continue
            at = own.isel(end=int(own["value"].fillna(-math.inf).argmax("end")))
            numbers = {word: float(at[word]) for word in ("value", "low", "high", "seeds")}
            rows.append({"factors": where, "line": str(line), "end": str(at["end"].values), **numbers})
    return rows


def sweep_utilisation(sweep: xr.Dataset, code: str) -> dict[str, Any]:
    """The largest utilisation of every line over all cases, with its case and limit state; empty without strengths."""
    has_strengths = "breaking_load" in sweep or "system" in sweep.attrs
    if not has_strengths or (MAXIMA not in sweep and "end_tension" not in sweep):
        return {}
    used = utilisation(sweep, code=code)
    lines: dict[str, Any] = {}
    for line in used["line"].values:
        own = used["utilisation"].sel(line=line)
        if bool(own.notnull().any()):
            case = int(own.fillna(-1.0).argmax("case"))
            lines[str(line)] = {
                "utilisation": float(own[case]), "case": case, "limit_state": str(used["limit_state"].values[case]),
            }  # fmt: skip
    if not lines:
        return {}
    return {"code": code, "source": used.attrs["source"], "note": used.attrs["note"], "lines": lines}


def fatigue_data(dataset: xr.Dataset, curve: str, start: float | None = None) -> dict[str, Any]:
    """Damage of a run at both ends of every line, and the life in years at that rate, None where it is unlimited."""
    found = damage(dataset, curve, start=start)
    lines: dict[str, Any] = {}
    for line in found["line"].values:
        lines[str(line)] = {}
        for end in ("A", "B"):
            life = float(found["life"].sel(line=line, end=end))
            value = float(found["damage"].sel(line=line, end=end))
            lines[str(line)][end] = {"damage": value, "life": life if math.isfinite(life) else None}
    return {"curve": curve, "source": found.attrs["curves"], "note": found.attrs["note"], "lines": lines}
