r"""What a mesh leaves open in the forces at the ends of lines: by a change of it, and by sharp bends.

A line that hangs down and up again without a horizontal force, or straight down to the bed, turns within one element.
The place within it is unknown: half the weight of the element,

.. math:: \tfrac12 w\, \Delta s,

may hang at either end of the line, or lie on the bed. Halving the elements shows this error only by chance.
"""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.environment import bed_heights
from ropewalk.model.model import Model
from ropewalk.model.state import State

UNJUDGED = "mesh_unjudged"  # figure of a report: no other mesh was found to judge the present one by
MARGIN = 1.25  # of an error that is stated, over its estimate from two meshes [Roache1994]
SMALL = 1e-3  # of the largest end force of all lines: what smaller ones are compared with
SHARP = 0.5  # rad between two elements: beyond it a line turns within an element, not along many


def largest_change(one: State, other: State) -> float:
    """Of end forces as vectors between two states, each line's by its own larger one in `other`."""
    return _relative(np.max(np.linalg.norm(other.end_force - one.end_force, axis=2), axis=1), other)


def bend_error(model: Model, state: State) -> float:
    """Of end forces, by sharp bends of the lines of a mesh; relative as `largest_change`."""
    lines, sections, sea = model.lines, model.sections, model.sea
    error: Array = np.zeros(lines.length.size)
    for i in range(error.size):
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
        weight = np.abs(sections.mass - sea.water_density * sections.area)[k][which] * sea.gravity * np.diff(s)
        if sea.has_seabed:  # what lies there with both its neighbours hangs at no end
            lies = bed_heights(sea, state.position[nodes]) <= float(np.max(sections.contact_radius[k]))
            sharp &= ~(lies[:-2] & lies[2:])
        error[i] = 0.5 * float(np.max(np.maximum(weight[1:], weight[:-1])[sharp], initial=0.0))
    return _relative(error, state)


def _relative(error: Array, state: State) -> float:
    """The largest of errors (n_lines,), N, each by the larger end force of its line."""
    own = np.max(np.linalg.norm(state.end_force, axis=2), axis=1)
    scale = np.maximum(own, SMALL * np.max(own, initial=0.0))
    return float(np.max(np.divide(error, scale, out=np.zeros_like(error), where=scale > 0.0), initial=0.0))
