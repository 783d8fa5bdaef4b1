r"""Ends of lines held on the seabed: anchors, clump weights, piles flush with the bed.

A line that reaches its anchor along the bed lies there as it lies beside it: its axis is at the height of rest, and
the bed, not the anchor, carries its weight. Two things would violate this. The anchor's point is given on the bed
or within the line's thickness of it, so the last element would climb or dip to it; and the node of the anchor has
half an element of the line, whose weight would pull at the anchor by an amount that depends on the mesh. So such
an end is laid at the height of rest, has no contact of its own, and what presses down on the bed is carried by it.

A line that rises from its anchor does not lie there: its end stays where the anchor is given, and the bed does not
reach it, nor push at the nodes beside it that are below the height of rest (`dip`). Raised by its contact
radius, a tendon of 90 m would lose a tenth of a metre of stretch, which is all of it.
Whether a line lies at its end is read from the shape it has, a fiftieth of its length away, whatever the mesh: an end
that is laid in a soft bed takes short elements beside it with it, also those of a line that rises steeply. Before there
is a shape, it is read from the catenary of its mean weight.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.assembly.grading import calm_ground
from ropewalk.model.arrays import Array, Flags
from ropewalk.model.environment import Sea, bed_heights, bed_normals, weight_in_water
from ropewalk.model.model import Model
from ropewalk.model.profiles import properties_at
from ropewalk.model.state import State, end_positions
from ropewalk.numerics.blockelimination import UNCOUNTED, dot, scale3, sub3
from ropewalk.numerics.compile import kernel

ON_BED = 1e-9  # of the depth: room for round-off in an end given on the bed
SAME_PLACE = 1e-9  # relative: what is nearer to a place is there
AT_END = 1e-9  # of a line: the same for where its stretch on the bed ends
RAMP = 1000.0  # length over height of the way up from an anchor to the height of rest: lines that rise more are free
NO_FARTHER = 0.1  # of a line, from its end: where that way ends at the latest
SHORTEST = 1e-300  # m; what has no length has no direction
BED_WIDTH = 0.1  # m, contact width of a line without a diameter: the bed must carry it all the same
BESIDE = 0.02  # of a line, from its end: where it is looked whether it lies there; the element of usual meshes


class Rest(NamedTuple):
    """How the line at an end lies on the bed, away from its anchor."""

    weight: float  # in water, N/m
    width: float  # of contact, m
    radius: float  # of contact, m


def contact_width(model: Model, section: Any) -> Any:
    """Of the sections of these indices on the bed, m."""
    sections = model.sections
    width = np.maximum(np.sqrt(4.0 * sections.area[section] / np.pi), 2.0 * sections.contact_radius[section])
    return np.where(width > 0.0, width, BED_WIDTH)


def rest_at(model: Model, line: int, side: int) -> Rest:
    """How the line at end A (0) or B (1) lies on the bed, by what it is made of there.

    Where sections vary along it, by the lighter one of its end and a place near by: the bed would push up half an
    element that is lighter than the end itself, while the anchor carries what is heavier.
    """
    length = float(model.lines.length[line])
    k = np.full(2, end_section(model, line, side))
    near = np.array([0.0, min(end_piece(model, line, side), NO_FARTHER * length)])
    here = properties_at(model.sections, model.profiles, k, near if side == 0 else length - near)
    weight = float(np.min(weight_in_water(model.sea, here.mass, here.area)))
    return Rest(weight, float(contact_width(model, k)[0]), float(model.sections.contact_radius[k[0]]))


def is_on_bed(sea: Sea, end: Array, radius: float) -> bool:
    """Whether an end held at `end` (3,), m, is on the bed, or within the line's contact radius (m) of it."""
    return bool(sea.has_seabed) and abs(height_over_bed(sea, end)) <= radius + ON_BED * sea.depth


def height_over_bed(sea: Sea, place: Array) -> float:
    """Of a place (3,) m, along the bed's normal, m."""
    return float(bed_heights(sea, place))


def laid(sea: Sea, end: Array, rest: Rest) -> float | None:
    """How far (m, along the bed's normal) the axis is moved at a held end if the line lies there; None if it cannot.

    end : (3,) where the line is held, m
    """
    weight = rest.weight * bed_normals(sea, end)[2]
    if weight <= 0.0 or not is_on_bed(sea, end, rest.radius):
        return None
    return rest.radius - weight / (sea.bed_stiffness * rest.width) - height_over_bed(sea, end)


def is_pulled_apart(model: Model, ends: Array, shift: Array) -> Flags:
    """(n_lines,) whether laying the ends of lines brings them further apart than the lines are long.

    A soft bed lets a line sink by more than it has to spare; its anchor does not go with it then.

    ends, shift : (n_lines, 2, 3) where they are held, and how far they would be moved, m
    """
    before, after = (np.linalg.norm(np.diff(place, axis=1), axis=(1, 2)) for place in (ends, ends + shift))
    far: Flags = (before < model.lines.length) & (after >= model.lines.length)
    return far


def lying_ends(model: Model, state: State) -> Flags:
    """(n_lines, 2) whether lines lie on the bed beside their ends A and B, by tensions, else as in calm water.

    A line lies if its node `beside` the end is not above the height at which the bed begins to bear.
    """
    lines, sea = model.lines, model.sea
    lies = np.zeros((lines.length.size, 2), dtype=bool)
    if not sea.has_seabed:
        return lies
    ends = end_positions(model, state.point_position, state.body_position, state.body_quaternion)
    for i, side in np.ndindex(*lies.shape):
        radius = float(model.sections.contact_radius[end_section(model, i, side)])
        if not is_on_bed(sea, ends[i, side], radius):
            continue
        n0, n1 = state.start[i], state.start[i + 1]
        if np.any(state.tension[n0:n1] > 0.0):
            there = state.position[n0 + beside(state.s[n0:n1], side, end_piece(model, i, side))]
            lies[i, side] = height_over_bed(sea, there) <= radius + ON_BED * sea.depth
        else:
            ground = calm_ground(model, i, ends[i])
            reached = 0.0 if side == 0 else float(lines.length[i])
            lies[i, side] = ground is not None and abs(ground[side] - reached) <= AT_END * lines.length[i]
    return lies


def beside(s: Array, side: int, piece: float) -> int:
    """Node of a line, at s (m, either way), beside its first (side 0) or last one (1): `BESIDE` away, or the next.

    The node is within the piece of line at that end, where the line has one contact radius, if a node is.

    piece : length of that piece, m
    """
    away = np.abs(s - s[-side])[:: 1 - 2 * side]
    within = int(np.searchsorted(away, piece - AT_END * away[-1])) - 1
    steps = max(1, min(within, int(np.searchsorted(away, (BESIDE - AT_END) * away[-1]))))
    return steps if side == 0 else s.size - 1 - steps


def laid_ends(model: Model, state: State) -> Flags:
    """(n_lines, 2) whether a state has ends A and B that are held on the bed laid in it, away from where they are held.

    What is given straight or in another shape begins at its anchors, and takes no end with it into a soft bed.
    """
    ends = end_positions(model, state.point_position, state.body_position, state.body_quaternion)
    nodes = np.stack([state.position[state.start[:-1]], state.position[state.start[1:] - 1]], axis=1)
    away = np.linalg.norm(nodes - ends, axis=2) > SAME_PLACE * (1.0 + np.abs(ends).max(axis=2, initial=0.0))
    laid: Flags = away & lying_ends(model, state)
    return laid


def dip(model: Model, line: int, side: int, end: Array, s: Array) -> Array:
    r"""How much lower than elsewhere (m) the bed begins to bear on nodes at s of a line that rises from its anchor.

    .. math:: \delta\, \max(0,\, 1 - x / \min(\text{RAMP}\, \delta,\, l/10)), \qquad \delta = r_c - z

    at x along a line of length l from an end held at a height z over the bed, below that of rest, the contact radius.
    The bed would otherwise push at nodes beside the anchor, the more of them the finer the mesh is. What stands on the
    bed at the other end is not lowered.
    """
    depth = float(model.sections.contact_radius[end_section(model, line, side)]) - height_over_bed(model.sea, end)
    if depth <= 0.0:
        return np.zeros(s.size)
    away = np.abs(s - (s.min() if side == 0 else s.max()))
    found: Array = depth * np.maximum(0.0, 1.0 - away / min(RAMP * depth, NO_FARTHER * float(away.max())))
    return found


def end_piece(model: Model, line: int, side: int) -> float:
    """Length of the piece at end A (0) or B (1) of a line, m."""
    start = model.lines.piece_start
    return float(model.lines.piece_length[start[line] if side == 0 else start[line + 1] - 1])


def end_section(model: Model, line: int, side: int) -> int:
    """Index of the section at end A (0) or B (1) of a line."""
    start = model.lines.piece_start
    return int(model.lines.piece_section[start[line] if side == 0 else start[line + 1] - 1])


@kernel(forceinline=True, **UNCOUNTED)
def carried(force, normal):
    r"""Force (N) that the bed takes from a grounded line on its anchor: the part that presses down.  Tuples of 3

    .. math:: f = \min(0,\, F \cdot n)\, n

    Source: the heading of this file.

    force : of the line on its anchor, N    normal : of the bed, unit
    """
    return scale3(min(0.0, dot(force, normal)), normal)


@kernel(forceinline=True, **UNCOUNTED)
def held_end_friction(rubbed, share, along, pull, normal):
    r"""Friction (N) on the half of an element at an end held on the bed, by that on the node next to it.

    .. math:: f = \varphi f_n - \min\left(0,\, \varphi f_n \cdot t + \max(0,\, F \cdot t)\right) t

    Source: the law of docs/theory/morison.md, Friction, by the share :math:`\varphi` of length. Without it the force on
    an anchor would be that in the middle of the last element. It takes no more than there is. On a bed on a grid, where
    normals differ from node to node, f_n and t are those in the plane that touches the bed at the end.

    rubbed : f_n, friction on the next node, N    share : of the bed under the half element over that under the node
    along : from the end to the next node, m    pull : F, of the line on its anchor, N    normal : of the bed at the end
    """
    f = scale3(share, sub3(rubbed, scale3(dot(rubbed, normal), normal)))
    level = sub3(along, scale3(dot(along, normal), normal))
    t = scale3(1.0 / max(np.sqrt(dot(level, level)), SHORTEST), level)
    excess = dot(f, t) + max(dot(pull, t), 0.0)
    return sub3(f, scale3(min(excess, 0.0), t))
