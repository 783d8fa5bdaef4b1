r"""What a mesh leaves open in the forces at the ends of lines: by a change of it, and at single places of it.

A line that hangs down and up again without a horizontal force, or straight down to the bed, turns within one element.
The place within it is unknown: half the weight of the element,

.. math:: \tfrac12 w\, \Delta s,

may hang at either end of the line, or lie on the bed. Halving the elements shows this error only by chance.
Where a free point is pressed to a depth z into the bed, a line goes on from it at its own depth, or rises; the half
element that is lumped there is pressed as deep as the point, all of it, and :math:`\tfrac12 |k b z - w|\, \Delta s` is
the force that this leaves open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.anchor import contact_width, end_section
from ropewalk.loads.footing import end_radii, point_footings
from ropewalk.model.arrays import Array
from ropewalk.model.environment import bed_heights, weight_in_water
from ropewalk.model.model import Model
from ropewalk.model.state import State

UNJUDGED = "mesh_unjudged"  # figure of a report: no other mesh was found to judge the present one by
MESH_FIGURES = ("discretisation_error", "shape_error", "force_error", "accuracy", UNJUDGED)  # of a report
FRICTION_CHANGE = "friction_change"  # figure of a report: of end forces, relative, from those without friction
MARGIN = 1.25  # of an error that is stated, over its estimate from two meshes [Roache1994]
SMALL = 1e-3  # of the largest end force of all lines: what smaller ones are compared with
SHARP = 0.5  # rad between two elements: beyond it a line turns within an element, not along many


class Kink(NamedTuple):
    """A place where a line turns, or leaves the bed, within an element."""

    line: int
    s: float  # m from end A
    length: float  # of the longest element there, m
    force: float  # that it leaves open, N


class MeshError(NamedTuple):
    """What a mesh leaves open, relative."""

    force: float  # of end forces as vectors, each line's by its own larger one
    shape: float  # of places at equal arc length, chords between nodes included, by the longest line
    overall: float  # of end forces as vectors, by the largest of all lines

    def times(self, factor: float) -> MeshError:
        """All of them by a factor."""
        return MeshError(*(factor * each for each in self))

    def or_more(self, other: MeshError) -> MeshError:
        """The larger one of each."""
        return MeshError(*map(max, self, other))

    def or_bends(self, model: Model, state: State) -> MeshError:
        """With at least the error of end forces by sharp bends of the mesh of `state`."""
        error = bend_errors(model, state)
        return self.or_more(
            MeshError(_largest(relative_force(error, state)), 0.0, _largest(overall_force(error, state)))
        )

    def figures(self) -> dict[str, float]:
        """As a report has it."""
        return {"discretisation_error": self.force, "shape_error": self.shape, "force_error": self.overall}


UNKNOWN = MeshError(np.inf, np.inf, np.inf)


def change_of_mesh(one: State, other: State) -> MeshError:
    """What differs between the equilibria on two meshes, relative to `other`."""
    change = np.max(np.linalg.norm(other.end_force - one.end_force, axis=2), axis=1)
    apart, longest = 0.0, 0.0
    for i in range(one.start.size - 1):
        here, there = (slice(int(state.start[i]), int(state.start[i + 1])) for state in (one, other))
        s, before, after = np.union1d(one.s[here], other.s[there]), one.position[here], other.position[there]
        away = [np.interp(s, other.s[there], after[:, k]) - np.interp(s, one.s[here], before[:, k]) for k in range(3)]
        apart, longest = max(apart, float(np.max(np.linalg.norm(away, axis=0)))), max(longest, float(s[-1]))
    by_line, overall = (_largest(each(change, other)) for each in (relative_force, overall_force))
    return MeshError(by_line, apart / max(longest, 1e-300), overall)


def friction_change(without: State, found: State) -> float:
    """What friction of the bed changes of the end forces, as vectors, over the largest end force with it."""
    change = np.linalg.norm(found.end_force - without.end_force, axis=2)
    largest = float(np.max(np.linalg.norm(found.end_force, axis=2), initial=0.0))
    return float(np.max(change, initial=0.0)) / largest if largest > 0.0 else 0.0


def bend_errors(model: Model, state: State) -> Array:
    """(n_lines,) of end forces by sharp bends of the lines of a mesh, N."""
    error: Array = np.zeros(model.lines.length.size)
    for kink in bends(model, state):
        error[kink.line] = max(error[kink.line], kink.force)
    return error


def bends(model: Model, state: State) -> Iterator[Kink]:
    """Sharp bends, but for those at what is attached, whose place is known."""
    lines, sections, sea = model.lines, model.sections, model.sea
    for i in range(lines.length.size):
        nodes = slice(int(state.start[i]), int(state.start[i + 1]))
        s, chord = state.s[nodes], np.diff(state.position[nodes], axis=0)
        size = np.linalg.norm(chord, axis=1)
        if s.size < 3 or not np.all(size > 0.0):
            continue
        hung = lines.attachment_s[lines.attachment_start[i] : lines.attachment_start[i + 1]]
        bend = np.arccos(np.clip(np.sum(chord[1:] * chord[:-1], axis=1) / (size[1:] * size[:-1]), -1.0, 1.0))
        sharp = (bend > SHARP) & ~np.any(np.abs(s[1:-1, None] - hung) <= SMALL * size[1:, None], axis=1)
        pieces = slice(int(lines.piece_start[i]), int(lines.piece_start[i + 1]))
        k = lines.piece_section[pieces]
        which = np.searchsorted(np.cumsum(lines.piece_length[pieces])[:-1], 0.5 * (s[1:] + s[:-1]))
        weight = np.abs(weight_in_water(sea, sections.mass, sections.area))[k][which] * np.diff(s)
        if sea.has_seabed:  # what lies there with both its neighbours hangs at no end
            lies = bed_heights(sea, state.position[nodes]) <= float(np.max(sections.contact_radius[k]))
            sharp &= ~(lies[:-2] & lies[2:])
        for n in np.flatnonzero(sharp):
            longest = float(max(s[n + 1] - s[n], s[n + 2] - s[n + 1]))
            yield Kink(i, float(s[n + 1]), longest, 0.5 * float(max(weight[n], weight[n + 1])))


def stands(model: Model, state: State) -> Iterator[Kink]:
    """Ends of lines at free points on the bed."""
    sea, sections, radii = model.sea, model.sections, end_radii(model)
    for i, side in zip(*np.nonzero(point_footings(model) > 0.0), strict=True):
        first, last = int(state.start[i]), int(state.start[i + 1]) - 1
        end, next_ = (first, first + 1) if side == 0 else (last, last - 1)
        depth = float(radii[i, side] - bed_heights(sea, state.position[end]))
        if depth > 0.0:
            k, length = end_section(model, i, side), float(abs(state.s[next_] - state.s[end]))
            weight = weight_in_water(sea, sections.mass[k], sections.area[k])
            pressed = float(sea.bed_stiffness * contact_width(model, k) * depth - weight)
            yield Kink(int(i), float(state.s[end]), length, 0.5 * abs(pressed) * length)


def relative_force(error: Array, state: State) -> Array:
    """Errors (n_lines,), N, each by the larger end force of its line."""
    own = np.max(np.linalg.norm(state.end_force, axis=2), axis=1)
    scale = np.maximum(own, SMALL * np.max(own, initial=0.0))
    found: Array = np.divide(error, scale, out=np.zeros_like(error), where=scale > 0.0)
    return found


def overall_force(error: Array, state: State) -> Array:
    """Errors (n_lines,), N, by the largest end force of all lines."""
    largest = float(np.max(np.linalg.norm(state.end_force, axis=2), initial=0.0))
    found: Array = error / largest if largest > 0.0 else np.zeros_like(error)
    return found


def _largest(errors: Array) -> float:
    return float(np.max(errors, initial=0.0))
