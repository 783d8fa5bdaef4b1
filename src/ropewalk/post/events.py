"""Events of a run: what must not pass unseen, of bodies and of lines, in the order of time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.model.environment import bed_levels
from ropewalk.model.model import Model, build
from ropewalk.post.bodies import Event, Kept, events_of_bodies, first_event, system_of, vertical_extent
from ropewalk.post.window import first_settled, ramp_end

if TYPE_CHECKING:
    from ropewalk.model.arrays import Array, Flags
    from ropewalk.results.record import Recorded
    from ropewalk.spec.system import System

SNAP_FACTOR = 2.0  # times the mean of a line's largest tension: a pull above it after slack is a snap
SNAP_WITHIN = 2.0  # s after slack in which such a pull comes from being taut again
ATTRIBUTE = "events"  # of a result that holds them


def events(results: Recorded) -> list[Event]:
    """All events of a run: those kept in the file, or found in its records."""
    if ATTRIBUTE in results.attrs:
        return [Event(*row) for row in json.loads(results.attrs[ATTRIBUTE])]
    return find_events(results)


def find_events(results: Recorded, system: System | None = None, model: Model | None = None) -> list[Event]:
    """Capsizing, sinking, dry-out and touchdown of bodies; overload, slack, snap and touchdown of lines.

    What happens while waves and motions are brought on is left out.

    system, model : of the results, where they are at hand
    """
    if results.sizes.get("time", 0) == 0:
        return []
    system = system or system_of(results)
    model = model or build(system)
    kept = Kept(results, first_settled(results.variables["time"].values, ramp_end(system)))
    found = events_of_bodies(kept, system, model)
    if system.bodies and system.environment.has_seabed:
        found += _aground(kept, system, model)
    for name, line in system.lines.items():
        pushes = any(system.sections[piece.section].compression for piece in line.pieces)
        found += _line(kept, name, can_push=pushes)
    return sorted(found)


def to_text(found: list[Event]) -> str:
    """Events as the JSON that a file keeps."""
    return json.dumps([list(event) for event in found])


def _aground(kept: Kept, system: System, model: Model) -> list[Event]:
    """Free bodies that touch the bed."""
    time, sea = kept.time, model.sea
    found: list[Event] = []
    for k, (name, body) in enumerate(system.bodies.items()):
        if body.joint != "free":
            continue
        origin = kept.values("body_position")[:, k]
        low = np.nan_to_num(vertical_extent(model, k, kept.turn(k), highest=False))  # 0 for a body without a hull
        bed = bed_levels(sea, origin)
        found += first_event(time, origin[:, 2] + low < bed, name, "touchdown", f"'{name}' touches the bed")
    return found


def _line(kept: Kept, name: str, *, can_push: bool) -> list[Event]:
    """Slack, snap and touchdown of one line; one that can push is never slack."""
    time, (smallest, largest) = kept.time, kept.tensions(name)
    slack = (smallest <= 0.0) & (not can_push)
    count = int(slack.sum())
    often = "one record," if count == 1 else f"{count} records, the first"
    found = first_event(time, slack, name, "slack", f"'{name}' is slack somewhere in {often}")
    found += _snap(time, slack, largest, name)
    grounded = kept.grounded(name)
    if grounded is not None and grounded[0] == 0.0:
        found += first_event(time, grounded > 0.0, name, "touchdown", f"'{name}' touches the bed for the first time,")
    return found


def _snap(time: Array, slack: Flags, largest: Array, name: str) -> list[Event]:
    last = np.where(slack, time, -np.inf)
    since = time - np.maximum.accumulate(last)
    snaps = (largest > SNAP_FACTOR * largest.mean()) & (since <= SNAP_WITHIN) & ~slack
    if not snaps.any():
        return []
    text = f"'{name}' snaps taut after slack, up to {largest[snaps].max():.4g} N (mean {largest.mean():.4g} N),"
    return first_event(time, snaps, name, "snap", text)
