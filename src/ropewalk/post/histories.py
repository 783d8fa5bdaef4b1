"""The histories of a run that statistics are taken of, with names, units and meanings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.results.schema import VARIABLES

if TYPE_CHECKING:
    from ropewalk.model.arrays import Array
    from ropewalk.results.record import Recorded

TURNS = ("roll", "pitch", "yaw")
DEFAULT = ("elevation", "end_tension", "body_position", "body_attitude", "mooring_force", "grounded")


@dataclass(frozen=True)
class History:
    """One quantity over time."""

    name: str
    dims: tuple[str, ...]  # time first
    values: Array
    unit: str
    meaning: str
    labels: dict[str, Any]  # names along each dimension but time


def histories(results: Recorded, names: Sequence[str] | None = None) -> dict[str, History]:
    """Histories by name; of those in `names` that are not there, InputError. Unless given, all of DEFAULT there are."""
    found = {}
    for name in DEFAULT if names is None else names:
        history = _history(results, name)
        if history is not None:
            found[name] = history
        elif names is not None:
            known = [str(n) for n, v in results.variables.items() if v.dims[:1] == ("time",) and n != "time"]
            raise InputError(f"the result has no history '{name}'. Available: {', '.join(known)}")
    return found


def _history(results: Recorded, name: str) -> History | None:
    kept = results.variables
    if name == "body_attitude":
        has_bodies = "body_quaternion" in kept
        return _attitude_of(kept["body_quaternion"].values, kept["body"].values) if has_bodies else None
    if name not in kept or name == "time" or kept[name].dims[:1] != ("time",):
        return None
    variable = kept[name]
    labels = {str(dim): kept[dim].values for dim in variable.dims[1:] if dim in kept}
    about = VARIABLES.get(name)
    unit = about.unit if about else str(variable.attrs.get("units", ""))
    meaning = about.meaning if about else str(variable.attrs.get("long_name", name))
    return History(name, tuple(map(str, variable.dims)), variable.values, unit, meaning, labels)


def _attitude_of(quaternion: Array, bodies: Any) -> History:
    """Roll, pitch and yaw, R = Rz(yaw) Ry(pitch) Rx(roll); yaw without jumps of a turn."""
    w, x, y, z = (quaternion[..., k] for k in range(4))
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    values: Array = np.stack([roll, pitch, yaw], axis=-1)
    if np.any(np.abs(values[1:] - values[:-1]) >= np.pi):
        values = np.unwrap(values, axis=0)
    values = np.degrees(values)
    labels = {"body": bodies, "turn": np.array(TURNS)}
    return History("body_attitude", ("time", "body", "turn"), values, "degree", "attitude of bodies", labels)
