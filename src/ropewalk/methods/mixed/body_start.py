"""Where the search for the equilibrium of bodies begins: in the closed form, with drag as a rough steady push."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.body_bed import build_feet, lifted, reach
from ropewalk.assembly.catenary_balance import balanced, begin, find_balance
from ropewalk.assembly.catenary_state import sampled_state
from ropewalk.assembly.link_start import close_links
from ropewalk.loads.oriented import foil_load
from ropewalk.loads.strips import hull_records
from ropewalk.methods.claims import CLOSED_FORM, demands
from ropewalk.methods.protocol import Claim
from ropewalk.model.arrays import Array, flags, floats, ints, joined
from ropewalk.model.bodies import HULL_DRAG, HULL_FOIL, Hulls
from ropewalk.model.environment import bed_heights, level_bed
from ropewalk.model.foils import FOIL_ROW
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR

HALF_WET = 0.5  # share of a hull taken as under water
SOFTEST = 1.0  # m that a body may sink into the bed beside its own size
LINE_SHARE = 0.2  # of the drag of all lines at the surface speed that reaches the bodies


def calm_start(model: Model, state: State) -> State:
    """The balance of lines and free bodies under gravity and a push, from any start; `state` if it is not to be had.

    Newton's method on the elements needs a start with every body roughly in its place; the closed form does not.
    """
    if model.links.names:
        return close_links(model, state)
    if not np.any(model.bodies.joint == LOOSE):
        return state
    calm = _simplified(model)
    if demands(calm) - CLOSED_FORM - {Claim.WAVES}:
        return state
    place = Place(state.point_position.copy(), state.body_position.copy(), state.body_quaternion.copy())
    work = begin(calm, place, state.time)
    if not balanced(work, find_balance(calm, work, state.time)):
        return state
    found = sampled_state(calm, work)
    position = lifted(model, found)
    if position is found.body_position:
        return found
    return state._replace(body_position=position, body_quaternion=found.body_quaternion)


def grounded_body(model: Model, position: Array) -> str:
    """A sentence if a free body has sunk through the bed, whose pressure was too little for it; else nothing.

    position : (n_bodies, 3) m
    """
    sea, bodies = model.sea, model.bodies
    if not sea.has_seabed:
        return ""
    for k in np.flatnonzero(bodies.joint == LOOSE):
        x = position[k]
        height = float(bed_heights(sea, x))
        if height < -SOFTEST and height < -2.0 * reach(build_feet(model, int(k))) - SOFTEST:
            weight, lift = bodies.mass[k] * sea.gravity, sea.water_density * sea.gravity * _volume(model, int(k))
            return (
                f"body '{model.names.bodies[k]}' is below the bed at z = {x[2]:.4g} m: it weighs {weight:.4g} N and "
                f"displaces {lift:.4g} N of water at most, and seabed.stiffness {sea.bed_stiffness:.4g} Pa/m does not "
                "carry the rest; make it lighter, hold it from above or make the bed stiffer"
            )
    return ""


def first_grounded(model: Model, position: Array) -> int | None:
    """The first of n moments at which a free body has sunk through the bed.  position : (n, n_bodies, 3) m"""
    sea, loose = model.sea, model.bodies.joint == LOOSE
    if not sea.has_seabed or not loose.any():
        return None
    height = bed_heights(sea, position.reshape(-1, 3)).reshape(position.shape[:2])  # flat: a tenth of the time
    for i in np.flatnonzero(np.any((height < -SOFTEST) & loose, axis=1)):
        if grounded_body(model, position[i]):
            return int(i)
    return None


def _volume(model: Model, k: int) -> float:
    bodies = model.bodies
    return float(bodies.volume[k]) + sum(_hull_volume(bodies.hulls, h) for h in bodies.hulls_of(k))


def _hull_volume(hulls: Hulls, h: int) -> float:
    frusta = [(z1 - z0) * (a * a + a * b + b * b) for (z0, a), (z1, b) in pairwise(hulls.shape(h))]
    return float(np.pi / 3.0 * sum(frusta) + 4.0 / 3.0 * np.pi * hulls.radius[h] ** 3)


def _simplified(model: Model) -> Model:
    """What the closed form can do of a case: no flow, level bed, linear laws, vertical loads on lines."""
    sea, sections, lines, bodies = model.sea, model.sections, model.lines, model.bodies
    known = (sections.law == LINEAR) | (sections.law == INEXTENSIBLE)
    force = lines.attachment_force.copy()
    force[:, :2] = 0.0
    return model._replace(
        sea=level_bed(sea)._replace(current_speed=0.0, wind_speed=0.0, bed_rest_friction=0.0),
        sections=sections._replace(
            law=ints(np.where(known, sections.law, INEXTENSIBLE)), compression=flags(np.zeros(known.size, dtype=bool))
        ),
        lines=lines._replace(attachment_force=floats(force), load_kind=ints([])),
        bodies=bodies._replace(load_force=floats(bodies.load_force + _push(model), (-1, 3))),
    )


def _push(model: Model) -> Array:
    """(n_bodies, 3) rough drag of current on hulls and lines and of wind on hulls, N.

    Without it a line longer than the depth folds on itself under its buoy, where Newton's method has nowhere to go.
    """
    sea, bodies, lines, hulls = model.sea, model.bodies, model.lines, model.bodies.hulls
    across = np.array([_lateral_area(hulls, h) for h in range(hulls.kind.size)]).reshape(-1)
    in_water, in_wind = np.zeros(bodies.mass.size), np.zeros(bodies.mass.size)
    np.add.at(in_water, hulls.body, hulls.drag_normal * HALF_WET * across)
    areas = hulls.areas.max(axis=1, initial=0.0)
    np.add.at(in_water, hulls.body, areas * (hulls.kind == HULL_DRAG))
    np.add.at(in_wind, hulls.body, hulls.wind_drag * ((1.0 - HALF_WET) * across + areas))
    drag = 0.5 * sea.water_density * sea.current_speed**2 * in_water
    ropes = model.sections.drag_normal[lines.piece_section] * lines.piece_length
    rope = 0.5 * sea.water_density * sea.current_speed**2 * LINE_SHARE * float(np.sum(ropes)) / max(1, bodies.mass.size)
    wind = 0.5 * sea.air_density * sea.wind_speed**2 * in_wind
    heading = np.array([[np.cos(a), np.sin(a), 0.0] for a in (sea.current_heading, sea.wind_heading)])
    push: Array = np.outer(drag + rope, heading[0]) + np.outer(wind, heading[1])
    if sea.current_speed > 0.0:
        _push_foils(model, sea.current_speed * heading[0], push)
    return push


def _push_foils(model: Model, flow: Array, push: Array) -> None:
    """Adds lift and drag of foils at the attitudes of the file to the pushes (n, 3), N.  flow : (3,) m/s"""
    hulls = model.bodies.hulls
    rows, table = hull_records(hulls, 0.0)[0], joined([hulls.foil], FOIL_ROW)
    for h in np.flatnonzero(hulls.kind == HULL_FOIL):
        k = int(hulls.body[h])
        R = tuple(rotation_matrix(model.bodies.quaternion[k]).reshape(9))
        push[k] += foil_load(rows[h], R, tuple(flow), table, model.sea.water_density)[0]


def _lateral_area(hulls: Hulls, h: int) -> float:
    profile = hulls.shape(h)
    if profile.shape[0] > 1:
        return float(np.sum(np.diff(profile[:, 0]) * (profile[1:, 1] + profile[:-1, 1])))
    return float(np.pi * hulls.radius[h] ** 2)
