"""Free parts in the hand: a damped spring from the pointer to the part, limited in force."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.joints import FREE, LOOSE
from ropewalk.model.model import Model
from ropewalk.model.state import State

PERIOD = 0.8  # s: natural period of the part on the hand's spring in still water
DAMPING = 0.7  # of the critical
STRONGEST = 3.0  # times weight and first tensions of what is held: more than that the hand does not pull
LINE_SHARE = 0.5  # of the mass of a line that moves with an end


@dataclass(frozen=True)
class Pull:
    """How the hand holds one free part."""

    name: str
    is_body: bool
    which: int
    stiffness: float  # N/m
    damping: float  # N s/m
    most: float  # N

    def force(self, state: State, place: Array, pace: float) -> Array:
        """Force towards `place` (m), N.  pace : share of the usual strength"""
        at, speed = (
            (state.body_position[self.which], state.body_velocity[self.which])
            if self.is_body
            else (state.point_position[self.which], state.point_velocity[self.which])
        )
        force = pace * self.stiffness * (place - at) - self.damping * speed
        size, most = float(np.linalg.norm(force)), pace * self.most
        return force if size <= most else force * (most / size)


def pull_on(model: Model, state: State, kind: str, which: int, name: str) -> Pull | None:
    """The hand on a free part; None for one that is not free.  state : at rest"""
    is_body = kind == "body"
    if is_body and model.bodies.joint[which] != LOOSE:
        return None
    if not is_body and not (model.points.joint[which] == FREE).any():
        return None
    tension, rope = _held(model, state, kind, which)
    bodies, points = model.bodies, model.points
    own = float(bodies.mass[which]) if is_body else float(points.mass[which] + points.added_mass[which])
    mass = max(own + rope, 1e-6)
    stiffness = mass * (2.0 * math.pi / PERIOD) ** 2
    weight = mass * max(model.sea.gravity, 1.0)
    damping = 2.0 * DAMPING * math.sqrt(stiffness * mass)
    return Pull(name, is_body, which, stiffness, damping, STRONGEST * (weight + tension))


def _held(model: Model, state: State, kind: str, which: int) -> tuple[float, float]:
    """Sum of the tensions (N) and half the mass (kg) of the lines at a part."""
    lines, sections = model.lines, model.sections
    on_body = model.lines.end_kind != 0
    tension = mass = 0.0
    for line, end in zip(*np.nonzero(lines.end_index == which), strict=True):
        if bool(on_body[line, end]) != (kind == "body"):
            continue
        tension += float(np.linalg.norm(state.end_force[line, end]))
        pieces = slice(lines.piece_start[line], lines.piece_start[line + 1])
        mass += LINE_SHARE * float(sections.mass[lines.piece_section[pieces]] @ lines.piece_length[pieces])
    return tension, mass
