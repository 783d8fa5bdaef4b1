"""What the bed does to bars: how much of them lies on it, what it takes at ends, and what statics leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ropewalk.assembly.anchor import end_section, is_on_bed
from ropewalk.loads.bed import heights_over
from ropewalk.methods.bars.contact import rub_end
from ropewalk.methods.bars.loads import loads
from ropewalk.model.arrays import Array
from ropewalk.model.environment import bed_normals
from ropewalk.model.lines import POINT
from ropewalk.model.model import Model

if TYPE_CHECKING:
    from ropewalk.methods.bars.work import BarsWork


def carried(model: Model, work: BarsWork, end: tuple[int, int], force: Array) -> Array:
    """(3,) what the bed takes of the force (N) of a line at an end held on it: what presses down, and friction.

    The half bar at the end is held by friction as that beside it: without that the force would be that in the middle
    of the bar.  end : line and side
    """
    bar = int(work.places.bar_start[end[0]]) if end[1] == 0 else int(work.places.bar_start[end[0] + 1]) - 1
    i = int(work.bars.node[bar, end[1]])
    if not (work.medium.has_bed and work.bars.held[i]):
        return np.zeros(3)
    lines, k = model.lines, end_section(model, *end)
    given = model.points.position[lines.end_index[end]] if lines.end_kind[end] == POINT else work.steps.r[i]
    if not is_on_bed(model.sea, given, float(model.sections.contact_radius[k])):
        return np.zeros(3)
    normal = bed_normals(model.sea, work.steps.r[i])
    rubbed = _rubbed(work, bar, end[1], force)
    pressed: Array = min(0.0, float((force - rubbed) @ normal)) * normal
    return pressed + rubbed


def _rubbed(work: BarsWork, bar: int, side: int, force: Array) -> Array:
    """(3,) what friction on the half bar at a held end takes of the force (N) there, by that on the next node.

    side : at which the bar is held
    """
    bars, field = work.bars, work.field
    i, near = (int(bars.node[bar, k]) for k in (side, 1 - side))
    if field.grip.friction[0].coefficient == 0.0 or field.pressed[near].normal == 0.0:
        return np.zeros(3)
    area = float(0.5 * bars.length[bar] * bars.contact_width[bar])
    held = field.grip, field.pressed
    return -np.array(rub_end(work.medium.bed, held, work.steps.r, (i, near), area, tuple(force.tolist())))


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
    """A sentence on the friction that statics leave out, with what it can hold; empty where nothing lies on the bed.

    Of an equilibrium with friction that is the friction of nets.
    """
    on, friction, nodes = _on_bed(work), model.sea.bed_rest_friction, np.arange(work.bars.mass.size)
    what = "bed friction"
    if work.field.grip.friction[0].coefficient > 0.0:
        what = "bed friction on nets"
        on[: int(work.places.bar_start[-1])] = 0.0
        nodes = np.setdiff1d(nodes, work.places.line_node)
    length = float(on.sum())
    if friction <= 0.0 or length == 0.0:
        return ""
    loads(work.bars, work.medium, work.field, work.steps.r, np.zeros_like(work.steps.v))
    pressed = float(work.field.pressed.normal[nodes].sum())
    return (
        f"{what} is left out: it could carry up to {friction * pressed:.3g} N "
        f"({friction:g} of {pressed:.3g} N) along the {length:.4g} m on the bed"
    )
