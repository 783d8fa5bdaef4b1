"""Fatigue of lines: rainflow cycles of their tension against curves of published codes. Not a certified check."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.post.histories import histories
from ropewalk.post.window import after_ramp
from ropewalk.spec.system import System

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array

NOT_CERTIFIED = "not a certified check"
YEAR = 365.25 * 86400.0  # s
MEGA = 1e6  # Pa in a MPa
ORQ = 21.1  # N/mm2, of the breaking load of chain of oil rig quality


class Cycles(NamedTuple):
    """Rainflow cycles of a history."""

    ranges: Array
    means: Array
    counts: Array  # 1, or 0.5 for half cycles


@dataclass(frozen=True)
class Curve:
    """Cycles to failure N = K x^-m: x is a stress range in MPa, or a tension range over the breaking load.

    With `log_K_mean` K depends on the mean tension over the breaking load, log10 K = log_K + log_K_mean * mean.
    """

    key: str
    kind: str  # stress or tension
    m: float
    K: float = float("nan")
    bars: int = 1  # cross-sections pi d2/4 that carry the tension
    log_K: float | None = None
    log_K_mean: float = 0.0
    orq: bool = False  # tension over the breaking load of ORQ chain of the same diameter, whatever the grade
    name: str = ""
    source: str = ""
    checked: str = ""  # what of it has been confirmed, and where

    def damage(self, cycles: Cycles, reference: float) -> float:
        """Miner's sum of cycles of tension.  reference : area in m2 (stress), or breaking load in N (tension)"""
        scale = 1.0 / (reference * MEGA) if self.kind == "stress" else 1.0 / reference
        if self.log_K is None:
            return float(np.sum(cycles.counts * (cycles.ranges * scale) ** self.m) / self.K)
        K = 10.0 ** (self.log_K + self.log_K_mean * cycles.means * scale)
        return float(np.sum(cycles.counts * (cycles.ranges * scale) ** self.m / K))


@cache
def curves() -> dict[str, Curve]:
    """All curves by key; each cites its edition and clause."""
    text = files("ropewalk.post").joinpath("data", "fatigue_curves.json").read_text(encoding="utf-8")
    return {key: Curve(key, **fields) for key, fields in json.loads(text).items()}


def curve_named(key: str) -> Curve:
    """One curve; InputError with the nearest right spelling."""
    if key not in curves():
        near = get_close_matches(key, curves(), 1)
        guess = f"; did you mean '{near[0]}'?" if near else "."
        raise InputError(f"no fatigue curve '{key}'{guess} Available: {', '.join(curves())}")
    return curves()[key]


def cycles_of(values: Array) -> Cycles:
    """Rainflow cycles of a history, after ASTM E1049."""
    from ropewalk.numerics.rainflow import rainflow

    return Cycles(*rainflow(values))


def damage(dataset: xr.Dataset, curve: str | dict[str, str], *, start: float | None = None) -> xr.Dataset:
    """Fatigue damage at both ends of every line of a run: `damage` of the time counted, `life` in years at that rate.

    curve : key of a curve, or a key by line    start : s, in place of the end of the start-up ramp

    Stress is over the diameter of the section at the end, tension over the breaking load of its section. Attributes
    cite the curves.
    """
    import xarray as xr

    system = System.model_validate_json(dataset.attrs["system"])
    kept = after_ramp(dataset, start)
    history = histories(kept, ["end_tension"])["end_tension"]
    time = kept["time"].values
    seconds = float(time[-1] - time[0])
    if not seconds > 0.0:
        raise InputError("damage needs a time history; the result has a single instant")
    names = [str(name) for name in history.labels["line"]]
    values = np.empty((len(names), 2))
    used: dict[str, Curve] = {}
    for k, name in enumerate(names):
        key = curve if isinstance(curve, str) else curve.get(name, "")
        used[name] = curve_named(key)
        for end in (0, 1):
            reference = _reference(system, name, end, used[name])
            values[k, end] = used[name].damage(cycles_of(history.values[:, k, end]), reference)
    labels = {"line": names, "end": ["A", "B"]}
    life = np.divide(seconds / YEAR, values, out=np.full_like(values, np.inf), where=values > 0.0)
    about = "; ".join(dict.fromkeys(f"{used_.name}: {used_.source}" for used_ in used.values()))
    return xr.Dataset(
        {
            "damage": (("line", "end"), values, {"units": "1", "long_name": f"fatigue damage in {seconds:g} s"}),
            "life": (("line", "end"), life, {"units": "a", "long_name": "time to a damage of 1, no safety factor"}),
        },
        labels,
        {"curves": about, "seconds": seconds, "note": NOT_CERTIFIED},
    )


def orq_breaking_load(diameter: float) -> float:
    r"""Breaking load (N) of chain of oil rig quality, to which the T-N curves of chain refer.

    .. math:: 21.1\, d^2 (44 - 0.08\, d), \qquad d \text{ in mm}

    A chain of higher grade lasts no longer, so its own breaking load would give too small a damage.

    Source: API Spec 2F; API RP 2SK, 3rd edition, section 6.2.  diameter : of the bar, m
    """
    d = 1e3 * diameter
    return ORQ * d * d * (44.0 - 0.08 * d)


def _reference(system: System, line: str, end: int, curve: Curve) -> float:
    """Area (m2) or breaking load (N) of the section at an end of a line."""
    name = system.lines[line].pieces[-end].section
    section: Any = system.sections[name]
    if curve.kind == "stress":
        return float(curve.bars * 0.25 * math.pi * section.diameter**2)
    if curve.orq:
        return orq_breaking_load(section.diameter)
    if section.breaking_load is None:
        raise InputError(f"section '{name}' has no breaking_load, which curve '{curve.key}' needs; give it, in N")
    return float(section.breaking_load)
