r"""Elements of unequal length: shorter where a line leaves the bed.

Between two nodes a line is straight and lies on the bed with its nodes only, so most of the error of a mooring line
comes from where it meets the bed: the force at its upper end steps a little whenever a node is laid down or
lifted. Elements are there made shorter, at the cost of the rest of the line,

.. math:: h(s) \propto \frac{1}{1 + (\gamma - 1)\, e^{-((s - s_0) / (\beta L))^4}},

with :math:`\gamma` the given grading, and :math:`s_0` where the catenary of the line's mean weight leaves the bed
at the start. The flat top of the bump is for the motion of that place, which the mesh does not follow.

At rest, elements are shorter around single places where a line turns within one, too: each is halved until it is no
longer than

.. math:: h(s) = h_0 + \tfrac12 \max(0,\, |s - s_0| - a)

with a length :math:`h_0` to a distance a of the place, and more of them only as many as it takes to get there.
"""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array, Records, records
from ropewalk.model.environment import bed_levels, weight_in_water
from ropewalk.model.model import Model
from ropewalk.model.state import end_positions
from ropewalk.physics.catenary import SOLUTION, solve_line
from ropewalk.physics.elasticity import stiffness_in_a_row

REACH = 0.12  # of the line's length: half the stretch of short elements; 0.09 to 0.16 gave the same error, within 10 %
SAMPLES = 400  # of a stretch, among which its elements are shared out
GROWTH = 0.5  # m of length of an element per m away from a focus


def lift_offs(model: Model, line: int) -> list[float]:
    """Where a line leaves the bed in calm water, m from end A: at most two places, none if it does not lie there."""
    ends = end_positions(model, model.points.position, model.bodies.position, model.bodies.quaternion)[line]
    ground = calm_ground(model, line, ends)
    return [s for s in ground or () if 0.0 < s < float(model.lines.length[line])]


def calm_ground(model: Model, line: int, ends: Array) -> tuple[float, float] | None:
    """Where the stretch of a line on the bed begins and ends in calm water, m from end A, as a catenary of mean weight.

    ends : (2, 3) m    None if no part of it lies on the bed
    """
    lines, sections, sea = model.lines, model.sections, model.sea
    if not sea.has_seabed:
        return None
    a, b = ends
    L = float(lines.length[line])
    pieces = slice(lines.piece_start[line], lines.piece_start[line + 1])
    attachments = slice(lines.attachment_start[line], lines.attachment_start[line + 1])
    k, length = lines.piece_section[pieces], lines.piece_length[pieces]
    mass = float(np.sum(sections.mass[k] * length) + np.sum(lines.attachment_mass[attachments]))
    volume = float(np.sum(sections.area[k] * length) + np.sum(lines.attachment_volume[attachments]))
    weight = weight_in_water(sea, mass, volume) - float(np.sum(lines.attachment_force[attachments, 2]))
    laws = np.column_stack([sections.law[k], sections.law_start[k], sections.law_start[k + 1]])
    EA = stiffness_in_a_row(length, laws, sections.law_data)
    row = records(1, SOLUTION)[0]
    span = float(np.hypot(b[0] - a[0], b[1] - a[1]))
    low = a if a[2] <= b[2] else b  # where a slope is taken as level
    above = float(low[2] - bed_levels(sea, low))
    status = solve_line(span, float(b[2] - a[2]), L, EA, weight / L, 0.0, above + float(a[2] - low[2]), row)
    if status < 0 or not row.ground_end > row.ground_start:
        return None
    return float(row.ground_start), float(row.ground_end)


def shared_out(begin: float, end: float, n: int, places: list[float], grading: float, length: float) -> Array:
    """(n + 1,) s of the nodes of a stretch (m), elements up to `grading` times shorter around the places.

    length : of the whole line, m
    """
    even: Array = np.linspace(begin, end, n + 1)
    if grading <= 1.0 or not places or n < 2:
        return even
    s = np.linspace(begin, end, SAMPLES + 1)
    bump = np.max([np.exp(-(((s - place) / (REACH * length)) ** 4)) for place in places], axis=0)
    density = 1.0 + (grading - 1.0) * bump
    count = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
    inner = np.interp(np.arange(1, n) * (count[-1] / n), count, s)
    return np.concatenate([even[:1], inner, even[-1:]])


def focused(edges: Array, focus: Records) -> Array:
    """s of nodes (m) of a line, halfway between the given ones until elements are as short as places require.

    focus : of FOCUS, of this line
    """
    found, open_ = [float(edges[0])], list(edges[:0:-1])
    while open_:
        begin, end = found[-1], float(open_[-1])
        away = np.maximum(0.0, np.maximum(begin - focus.s, focus.s - end) - focus.reach)
        if end - begin > np.min(focus.longest + GROWTH * away, initial=np.inf):
            open_.append(0.5 * (begin + end))
        else:
            found.append(float(open_.pop()))
    return np.array(found)
