"""Rigid bodies about rest: wrench, stiffness, damping and inertia about the origin, world axes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.assembly.bodies import BodyMesh
from ropewalk.loads.body import Shells, clear_block, still_block
from ropewalk.loads.cut import cut_hull
from ropewalk.loads.hull import drag_along, morison_terms, sphere_factors, strip_factors, water_on_hull
from ropewalk.model.arrays import Array, Records, floats, records
from ropewalk.model.bodies import HULL_FOIL, HULL_SPHERE, LAST_AREA
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix
from ropewalk.numerics.blockelimination import ZERO3
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product
from ropewalk.physics import hydrostatics
from ropewalk.physics.addedmass import added_mass
from ropewalk.physics.rigidbody import arm_matrix, attitude

UP = (0.0, 0.0, 1.0)
DIFFERENCE = 1e-5  # m, rad: of the hull's drag, which is smooth over this


class Strips(NamedTuple):
    """A hull as discs on its axis, for what depends on the water's motion along it; a sphere is one ball.

    Strips and wet shares are those of the time domain, so that both have the same limit for small motions: a tilted
    hull responds to waves by small differences of large moments, and finer strips on one side only would show in pitch.
    """

    arm: Array  # (n, 3) from the hull's place, world, m
    volume: Array  # (n,) under water, m3
    across: Array  # (n,) volume times a quarter of the radius squared, m5; of a ball none
    drag_normal: Array  # (n,) half density, coefficient and wet side area, kg/m
    drag_axial: Array  # (n,) the same of the largest wet section, shared by volume; of a ball none
    added: Array  # (n, 3, 3) kg


NO_STRIPS = Strips(*(np.zeros(shape) for shape in ((0, 3), (0,), (0,), (0,), (0,), (0, 3, 3))))


class Hull(NamedTuple):
    """A hull in still water."""

    cut: Records  # (1,) of CUT of physics/hydrostatics.py, about its place
    place: Array  # (3,) from the body's origin, world, m
    axis: Array  # (3,) unit, world
    is_ball: bool
    strips: Strips


class WetFoil(NamedTuple):
    """A foil in the current."""

    place: Array  # (3,) world, m
    by_flow: Array  # (6, 3) wrench about the body's origin by the velocity of the water, N s/m, N s


class BodyTerms(NamedTuple):
    """One body at rest."""

    wrench: Array  # (6,) N, N m
    K: Array  # (6, 6) stiffness
    B: Array  # (6, 6) given damping, damping by mass, and that of foils and windage about the mean flow
    M: Array  # (6, 6) inertia, added mass of hull and of the file
    drag: Array  # (6, 6) damping of the hulls about the current, not in B
    hulls: tuple[Hull, ...]
    foils: tuple[WetFoil, ...]


@kernel
def _flow_block(hulls, x, quaternion, sea, bodies, step):
    """Forces of current and wind on hulls of a body at rest (N, N m), and their derivatives: memory.block.

    Source: docs/theory/frequency.md, The linear system: K = -dF/dx, B = -dF/dv of loads/hull.py at rest.

    hulls : first of them and the next after the last    x, quaternion : place and attitude    sea : without waves
    bodies : `BodyMesh`    step : bp, gp
    """
    memory = bodies.memory
    R, Z = attitude(quaternion, ZERO3)
    clear_block(memory.block)
    arrays = (bodies.profile, bodies.strip, memory.water, memory.cut, memory.sums, bodies.foil)
    rest = (ZERO3, ZERO3, ZERO3, ZERO3)
    for h in range(hulls[0], hulls[1]):
        hull, around = bodies.hull[h], memory.around[h]
        water_on_hull(hull, x, R, 0.0, sea, bodies.strip, memory.water, around)
        morison_terms(hull, (x, R, Z), rest, around, arrays, sea.water_density, step, memory.block)


def body_terms(model: Model, bodies: BodyMesh, k: int, position: Array, quaternion: Array,
               mass_damping: float = 0.0) -> BodyTerms:  # fmt: skip
    """Everything of body k but its lines, at rest at a pose: the loads of the time domain, with their derivatives.

    Strips carry the added mass (coefficients times displaced mass), on the axis: what acts along it makes no moment
    about the origin, also where the hull is tilted and its centre of buoyancy lies beside the axis.
    """
    sea, own = model.sea, bodies.body[k]
    fluid, x, q = (sea.water_density, sea.gravity), _tuple(position), np.ascontiguousarray(quaternion)
    block: Array = np.zeros((6, 7))
    still_block(own, x, q, fluid, Shells(bodies.hull, bodies.profile), block)
    wrench, K = -block[:, 6], block[:, :6].copy()
    drag, added, fixed = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 6))
    hulls: tuple[Hull, ...] = ()
    foils: tuple[WetFoil, ...] = ()
    if own.hull < own.hull_stop:
        calm, every = sea._replace(wave=floats(sea.wave[:, :0])), (int(own.hull), int(own.hull_stop))
        flow = [_flow(calm, bodies, every, x, q, step) for step in ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0))]
        drag, added = flow[1][:, :6] - flow[0][:, :6], flow[2][:, :6] - flow[0][:, :6]
        chosen = [h for h in range(*every) if bodies.hull[h].kind > LAST_AREA]
        hulls = tuple(_hull(bodies, h, x[2], rotation_matrix(q), sea.water_density) for h in chosen)
        for h in sorted(set(range(*every)) - set(chosen)):
            still, moving = (_flow(calm, bodies, (h, h + 1), x, q, (0.0, gp)) for gp in (0.0, 1.0))
            fixed += moving[:, :6] - still[:, :6]
            if bodies.hull[h].kind == HULL_FOIL:
                foils += (WetFoil(position + rotation_matrix(q) @ bodies.hull[h].place, moving[:, :3].copy()),)
        if np.any(flow[0][:, 6] != 0.0):
            wrench = wrench - flow[0][:, 6]
            K += _drag_stiffness(calm, bodies, every, position, q)
    inertia = body_inertia(model, k, rotation_matrix(q))
    M = inertia + given_added_mass(model, k, rotation_matrix(q)) + added
    B = model.bodies.damping[k] + mass_damping * inertia + fixed
    return BodyTerms(wrench, K, B, M, drag - fixed, hulls, foils)


def _tuple(x: Array) -> tuple[float, float, float]:
    return float(x[0]), float(x[1]), float(x[2])


def _flow(
    sea: Any, bodies: BodyMesh, hulls: tuple[int, int], x: tuple[float, float, float], q: Array,
    step: tuple[float, float],
) -> Array:  # fmt: skip
    """(6, 7) of `_flow_block`."""
    _flow_block(hulls, x, q, sea, bodies, step)
    return bodies.memory.block.copy()


def _hull(bodies: BodyMesh, h: int, z: float, R: Array, rho: float) -> Hull:
    """Hull h of a body with its origin at height z (m), in still water."""
    own, cut = bodies.hull[h], records(1, hydrostatics.CUT)
    place = R @ own.place
    cut_hull(own, tuple(R.reshape(9)), UP, z + float(place[2]), bodies.profile, cut)
    return Hull(cut, place, R @ own.axis, own.kind == HULL_SPHERE, _wet_strips(bodies, h, R, rho))


def _wet_strips(bodies: BodyMesh, h: int, R: Array, rho: float) -> Strips:
    """Strips of hull h under water, as `_flow_block` found them last; a sphere is all at its centre."""
    own, memory = bodies.hull[h], bodies.memory
    wet = [i for i in range(own.strip, own.strip_stop) if memory.water[i].wet > 0.0]
    if not wet:
        return NO_STRIPS
    share, strip, axis = memory.water.wet[wet], bodies.strip[wet], R @ own.axis
    volume = share * strip.volume
    if own.kind == HULL_SPHERE:
        drag, added = sphere_factors(own, share[0], rho)
        return Strips(np.zeros((1, 3)), volume, np.zeros(1), np.array([drag]), np.zeros(1), added * np.eye(3)[None])
    along = drag_along(own, bodies.strip, memory.water, memory.around[h], rho)
    factors = np.array([strip_factors(own, bodies.strip[i], memory.water[i].wet, along, rho) for i in wet])
    t = _tuple(axis)
    added_at = [
        np.reshape(added_mass(t, rho * w * s.added_across, rho * w * s.added_along), (3, 3))
        for w, s in zip(share, strip, strict=True)
    ]
    return Strips(
        arm=strip.zeta[:, None] * axis,
        volume=volume,
        across=0.25 * volume * strip.radius**2,
        drag_normal=factors[:, 0].copy(),
        drag_axial=factors[:, 1].copy(),
        added=np.array(added_at),
    )


def _drag_stiffness(sea: Any, bodies: BodyMesh, hulls: tuple[int, int], position: Array, quaternion: Array) -> Array:
    """(6, 6) minus the derivative of the wrench of current and wind by the pose: differences, wet shares included."""
    K: Array = np.zeros((6, 6))
    for j in range(6):
        ends = []
        for sign in (1.0, -1.0):
            step = np.zeros(6)
            step[j] = sign * DIFFERENCE
            q = quaternion_product(quaternion_exp(step[3:]), quaternion)
            ends.append(_flow(sea, bodies, hulls, _tuple(position + step[:3]), q, (0.0, 0.0))[:, 6])
        K[:, j] = (ends[0] - ends[1]) / (2.0 * DIFFERENCE)
    return K


def body_inertia(model: Model, k: int, R: Array) -> Array:
    """(6, 6) inertia of the body itself about its origin in world axes."""
    bodies = model.bodies
    G = arm_matrix(R @ bodies.centre[k])
    M: Array = bodies.mass[k] * G.T @ G
    M[3:, 3:] += R @ bodies.inertia[k] @ R.T
    return M


def given_added_mass(model: Model, k: int, R: Array) -> Array:
    """(6, 6) added mass that the file gives, in world axes."""
    turn = np.kron(np.eye(2), R)
    matrix: Array = turn @ model.bodies.added_mass[k] @ turn.T
    return matrix
