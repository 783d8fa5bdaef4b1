"""Free parts in the hand: a damped spring from the pointer to the part, limited in force."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.joints import FREE, LOOSE
from ropewalk.model.model import Model
from ropewalk.model.state import State

PERIOD = 1.0  # s: natural period of the part on the hand's spring in still water
DAMPING = 0.7  # of the critical
STRONGEST, HEAVIEST = 3.0, 0.1  # of the first tensions and of the weight of what is held: the hand pulls no harder
SMOOTH_PLACE, SMOOTH_FORCE = 0.10, 0.04  # s: lags of pointer and force, so that jerks of the mouse shake no line
LINE_SHARE = 0.5  # of the mass of a line that moves with an end


@dataclass
class Pull:
    """How the hand holds one free part."""

    name: str
    is_body: bool
    which: int
    stiffness: float  # N/m
    damping: float  # N s/m
    most: float  # N
    place: Array  # (3,) m, where the spring begins: the pointer, smoothed
    last: Array  # (3,) N, the force, smoothed

    def force(self, state: State, pointer: Array, dt: float, pace: float) -> Array:
        """Force towards the pointer (m) for the next dt (s), N.  pace : share of the usual strength"""
        at, speed = (
            (state.body_position[self.which], state.body_velocity[self.which])
            if self.is_body
            else (state.point_position[self.which], state.point_velocity[self.which])
        )
        self.place = self.place + (pointer - self.place) * min(1.0, dt / SMOOTH_PLACE)
        force = pace * self.stiffness * (self.place - at) - self.damping * speed
        size, most = float(np.linalg.norm(force)), pace * self.most
        limited = force if size <= most else force * (most / size)
        self.last = self.last + (limited - self.last) * min(1.0, dt / SMOOTH_FORCE)
        return self.last


def pull_on(model: Model, state: State, kind: str, which: int, place: Array) -> Pull | None:
    """The hand on a free part; None for one that is not free.  state : at rest    place : of the part now, m"""
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
    name = (model.names.bodies if is_body else model.names.points)[which]
    most = STRONGEST * tension + HEAVIEST * weight
    return Pull(name, is_body, which, stiffness, damping, most, place.copy(), np.zeros(3))


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
