"""What the bed does to bars: how much of them lies on it, what it takes at ends, and what statics leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ropewalk.assembly.anchor import end_section, is_on_bed
from ropewalk.loads.bed import heights_over
from ropewalk.methods.bars.loads import loads
from ropewalk.model.arrays import Array
from ropewalk.model.environment import bed_normals
from ropewalk.model.lines import POINT
from ropewalk.model.model import Model

if TYPE_CHECKING:
    from ropewalk.methods.bars.work import BarsWork


def carried(model: Model, work: BarsWork, end: tuple[int, int], force: Array) -> Array:
    """(3,) what the bed takes of the force (N) of a line at an end held on it: the part that presses down.

    end : line and side
    """
    lines, k = model.lines, end_section(model, *end)
    bar = int(work.places.bar_start[end[0]]) if end[1] == 0 else int(work.places.bar_start[end[0] + 1]) - 1
    i = int(work.bars.node[bar, end[1]])
    given = model.points.position[lines.end_index[end]] if lines.end_kind[end] == POINT else work.steps.r[i]
    if not (work.bars.held[i] and is_on_bed(model.sea, given, float(model.sections.contact_radius[k]))):
        return np.zeros(3)
    normal = bed_normals(model.sea, given)
    pressed: Array = min(0.0, float(force @ normal)) * normal
    return pressed


def _on_bed(work: BarsWork) -> Array:
    """(m,) length of each bar that lies on the bed, by halves, m; that at a held end lies if the other half does."""
    bars, r = work.bars, work.steps.r
    out: Array = np.zeros(bars.length.size)
    if work.medium.has_bed:
        depth = bars.contact_radius[:, None] - heights_over(work.medium.bed, r)[1][bars.node]
        lies = (depth > 0.0) & (bars.contact_width > 0.0)[:, None]
        held = bars.held[bars.node]
        for side in range(2):
            out += np.where(lies[:, side] & (lies[:, 1 - side] | ~held[:, side]), 0.5 * bars.length, 0.0)
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
