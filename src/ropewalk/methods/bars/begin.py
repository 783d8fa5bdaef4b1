"""Runs of bars that begin at rest: with the tensions of the equilibrium, and the friction that is in it."""

from __future__ import annotations

import numpy as np

from ropewalk.loads.bed import heights_over
from ropewalk.loads.grip import pulling_grips
from ropewalk.methods.bars.work import BarsWork, find_tensions
from ropewalk.model.arrays import Array
from ropewalk.model.state import State

SHORTEST = 1e-300  # N; no force has no direction


def begin(work: BarsWork, state: State, friction: float) -> None:
    """Grips and tensions of bars that have been put to a state.  friction : coefficient of the bed in time

    A state of rest on the same bars has its own tensions: what is missing to balance along the bed is then friction.
    """
    s, grip = work.steps, work.field.grip
    grip.friction[0].coefficient = friction
    grip.hold.place = s.r
    known = None if np.any(s.v) else tensions_of(work, state)
    of_bodies = np.arange(s.tension.size) >= int(work.places.net_bar_start[-1])
    if known is not None and friction > 0.0 and work.medium.has_bed:
        force = -missing(work, known)
        force[work.bars.node[of_bodies]] = 0.0  # their tensions are not known
        place_grips(work, force, friction)
        find_tensions(work)
        s.rate_tension[:] = s.tension
    if known is not None and not np.any(of_bodies):
        _keep(work, known)
    if not np.any(s.v):
        s.rest[:] = s.rate_tension  # bars with a compliance have their lengths here


def tensions_of(work: BarsWork, state: State) -> Array | None:
    """(m,) tensions of a state on these bars, N, zero for those of bodies; None if it is none."""
    places, tension = work.places, np.zeros(work.steps.tension.size)
    n_lines, n_nets = int(places.bar_start[-1]), int(places.net_bar_start[-1] - places.net_bar_start[0])
    is_same = not n_lines or (state.element_tension.size > 0 and np.array_equal(state.s, places.line_s))
    if not is_same or state.net_tension.size != n_nets:
        return None
    own = np.delete(state.element_tension, places.line_start[1:] - 1) if n_lines else np.zeros(0)
    tension[: n_lines + n_nets] = np.concatenate([own, state.net_tension])
    return tension


def missing(work: BarsWork, tension: Array) -> Array:
    """(n, 3) loads in the field and tensions (m,), added up at the nodes, N."""
    force, pull = work.field.force.copy(), tension[:, None] * work.field.direction
    np.add.at(force, work.bars.node[:, 0], pull)
    np.add.at(force, work.bars.node[:, 1], -pull)
    return force


def place_grips(work: BarsWork, force: Array, friction: float) -> None:
    """Put the grips where they pull with the forces (n, 3), N, along the bed, as far as friction allows."""
    bed, field, r = work.medium.bed, work.field, work.steps.r
    normal = heights_over(bed, r)[0]
    flat = force - np.sum(force * normal, axis=1)[:, None] * normal
    size = np.sqrt(np.sum(flat * flat, axis=1))
    flat *= np.minimum(1.0, friction * field.pressed.normal / np.maximum(size, SHORTEST))[:, None]
    field.grip.hold.place = pulling_grips(r, flat, bed.law.shear[0] * field.pressed.area)


def _keep(work: BarsWork, tension: Array) -> None:
    """Tensions of a state of rest, where they balance the loads better than those found.

    Where bars are redundant, or just not slack, tensions are found to some 1e-5 only.
    """
    s, free = work.steps, ~work.bars.held
    rate = np.einsum("nij,nj->ni", s.mobility, missing(work, tension))
    if np.abs(rate[free]).max(initial=0.0) < np.abs(s.old_force[free]).max(initial=0.0):
        s.tension[:] = s.rate_tension[:] = tension
        s.old_force[free] = rate[free]
