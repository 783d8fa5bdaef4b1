r"""What the bed presses on under things that are lumped at a point: free points and attachments of lines.

Such a thing has no shape, only a mass m and a volume V. It stands on the bed as a ball does,

.. math:: d = \left(\tfrac{6}{\pi} \max(V, m/\rho_s)\right)^{1/3}, \qquad
          A = \max\left(\tfrac{\pi}{4} d^2,\; \frac{W}{0.1\, k\, d}\right)

so that its weight W in water, with the force given on it, presses it a tenth of its diameter into a bed of stiffness k
at most. The pressure on this area is that of loads/bed.py. The rule is our own: a lump that sinks deep into a soft
bed is usually due to the default stiffness, not to the soil. Things without mass and volume need none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.environment import weight_in_water
from ropewalk.model.joints import HELD
from ropewalk.model.lines import POINT

if TYPE_CHECKING:
    from ropewalk.model.model import Model

DENSEST = 7850.0  # kg/m3, steel: a mass without volume is a ball of it
SINK = 0.1  # of its diameter: how far its own weight may press a thing into the bed


class Footing(NamedTuple):
    """Of things lumped at points."""

    area: Array  # (n,) m2, 0 for things of neither mass nor volume
    depth: Array  # (n,) m, to which their own weight presses them at most


def footing_of(sea: Any, mass: Array, volume: Array, force: Array) -> Footing:
    """What the bed presses on.

    sea : a `model.environment.Sea`    mass : (n,) kg    volume : (n,) m3    force : (n, 3) given on them, N
    """
    diameter = np.cbrt(6.0 / np.pi * np.maximum(volume, mass / DENSEST))
    pressed = np.maximum(0.0, weight_in_water(sea, mass, volume) - force @ sea.bed_normal)
    depth = SINK * diameter
    needed = pressed / (sea.bed_stiffness * np.maximum(depth, 1e-300))
    area: Array = np.where(diameter > 0.0, np.maximum(0.25 * np.pi * diameter**2, needed), 0.0)
    return Footing(area, depth)


def point_footings(model: Model) -> Array:
    """(n_lines, 2) m2: the footings of free points on the bed, shared equally by the line ends that meet in them."""
    lines, points = model.lines, model.points
    area: Array = np.zeros((lines.length.size, 2))
    if not model.sea.has_seabed or not points.mass.size:
        return area
    own = footing_of(model.sea, points.mass, points.volume, points.force).area * np.any(points.joint != HELD, axis=1)
    at_point = lines.end_kind == POINT
    count = np.bincount(lines.end_index[at_point], minlength=points.mass.size)
    area[at_point] = (own / np.maximum(count, 1))[lines.end_index[at_point]]
    return area


def attachment_footings(model: Model) -> Array:
    """(n_attachments,) m2 that the bed presses on under what is attached to lines."""
    lines = model.lines
    area = footing_of(model.sea, lines.attachment_mass, lines.attachment_volume, lines.attachment_force).area
    return area if model.sea.has_seabed else np.zeros_like(area)


def end_radii(model: Model) -> Array:
    """(n_lines, 2) m, height of the axis over the bed of the sections at the ends of lines."""
    lines = model.lines
    pieces = np.stack([lines.piece_start[:-1], lines.piece_start[1:] - 1], axis=1)
    radii: Array = model.sections.contact_radius[lines.piece_section[pieces]]
    return radii


def footing_depths(model: Model) -> Array:
    """(n_lines,) m, to which what hangs on each line, or stands at its ends, is pressed into the bed by its weight."""
    lines, points = model.lines, model.points
    depth: Array = np.zeros(lines.length.size)
    hung = footing_of(model.sea, lines.attachment_mass, lines.attachment_volume, lines.attachment_force).depth
    np.maximum.at(depth, np.repeat(np.arange(depth.size), np.diff(lines.attachment_start)), hung)
    stands = footing_of(model.sea, points.mass, points.volume, points.force).depth
    stands = np.where(np.any(points.joint != HELD, axis=1), stands, 0.0)
    for i, end in zip(*np.nonzero(lines.end_kind == POINT), strict=True):
        depth[i] = max(depth[i], stands[lines.end_index[i, end]])
    return depth
