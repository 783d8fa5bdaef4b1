"""What the bed does to bars: how much of them lies on it, what it takes at ends, and what statics leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ropewalk.methods.bars.loads import loads
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model

if TYPE_CHECKING:
    from ropewalk.methods.bars.work import BarsWork

ON_BED = 1e-9  # of the depth: room for round-off in an end given on the bed


def carried(work: BarsWork, side: int, k: int, force: Array) -> Array:
    """(3,) what the bed takes of the force (N) of bar k at an end held on it: the part that presses down."""
    bars, bed = work.bars, work.medium.bed.law[0]
    i = int(bars.node[k, side])
    if not (work.medium.has_bed and bars.held[i] and bars.contact_width[k] > 0.0):
        return np.zeros(3)
    height = float(work.steps.r[i] @ bed.normal - bed.level)
    if abs(height) > bars.contact_radius[k] + ON_BED * work.medium.depth:
        return np.zeros(3)
    pressed: Array = min(0.0, float(force @ bed.normal)) * bed.normal
    return pressed


def _on_bed(work: BarsWork) -> Array:
    """(m,) length of each bar that lies on the bed, by halves, m."""
    bars, r, bed = work.bars, work.steps.r, work.medium.bed.law[0]
    out: Array = np.zeros(bars.length.size)
    if work.medium.has_bed:
        for side in range(2):
            depth = bed.level + bars.contact_radius - r[bars.node[:, side]] @ bed.normal
            out += np.where((depth > 0.0) & (bars.contact_width > 0.0), 0.5 * bars.length, 0.0)
    return out


def grounded(model: Model, work: BarsWork) -> Array:
    """(n_lines,) length of each line on the bed, m."""
    start, on = work.places.bar_start, _on_bed(work)
    out: Array = np.array([on[start[i] : start[i + 1]].sum() for i in range(len(model.names.lines))])
    return out


def friction_note(model: Model, work: BarsWork) -> str:
    """A sentence on the friction that statics leave out, with what it can hold; empty where nothing lies on the bed."""
    length, friction = float(_on_bed(work).sum()), model.sea.bed_rest_friction
    if friction <= 0.0 or length == 0.0:
        return ""
    force = []
    for medium in (work.medium, work.medium._replace(has_bed=False)):
        loads(work.bars, medium, work.field, work.steps.r, np.zeros_like(work.steps.v))
        force.append(work.field.force.copy())
    loads(work.bars, work.medium, work.field, work.steps.r, work.steps.v)
    pressed = float(((force[0] - force[1]) @ work.medium.bed.law.normal[0]).sum())
    return (
        f"friction of the bed is left out: it could hold up to {friction * pressed:.3g} N "
        f"({friction:g} of {pressed:.3g} N) along the {length:.4g} m that lie on it"
    )
