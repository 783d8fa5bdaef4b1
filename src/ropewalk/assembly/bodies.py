"""Arrays of rigid bodies for the mixed elements: what kernels read, and their memory.

A body is a junction with a row of its own for the position of its origin; the rotation has a second row, after
those of all junctions, with the turn since the start of the step (rotation vector), the angular velocity and the
angular acceleration, all in the body frame.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.assembly.body_bed import FOOT_COLUMNS, build_feet, reach
from ropewalk.assembly.links import LinkMesh, build_link_mesh
from ropewalk.model.arrays import Array, Ints, floats, ints
from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_SPHERE
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.physics import hull_loads, hydrostatics
from ropewalk.physics.hull_loads import STRIP_COLUMNS, STRIP_VOLUME, WATER_COLUMNS, cut_strips
from ropewalk.physics.rigidbody import about_origin
from ropewalk.physics.seabed import seabed_law

# columns of `table`
IS_FREE = 0  # 1 if the body moves by its loads
HULL = 1  # kind of model/bodies.py
PROFILE, PROFILE_STOP = 2, 3  # rows of `profile`
STRIP, STRIP_STOP = 4, 5  # rows of `strip`
HAS_MATRICES = 6  # 1 if any of the three matrices is not zero
FOOT, FOOT_STOP = 7, 8  # rows of `foot`
INDEX_COLUMNS = 9

# columns of `data`
BODY_MASS = 0  # kg
CENTRE = 1  # 1, 2, 3: of mass, m
INERTIA = 4  # 4 to 12: about the origin, kg m2
BODY_VOLUME = 13  # of bodies without a hull, m3
LOAD_FORCE = 14  # 14, 15, 16: world, N
LOAD_MOMENT = 17  # 17, 18, 19: world, N m
LOAD_AT = 20  # 20, 21, 22: m
SPHERE = 23  # 23 to 26: centre, radius, m
DRAG_ACROSS, DRAG_ALONG = 27, 28  # coefficients
ADDED_ACROSS, ADDED_ALONG = 29, 30
WIND_DRAG = 31  # half air density times coefficient, kg/m3
SIZE = 32  # typical dimension: a turn times it is a way, m
HOME = 33  # 33, 34, 35: position from which the stiffness matrix counts, m
HOME_TURN = 36  # 36 to 39: quaternion from which it counts
WEIGHT_SCALE = 40  # weight or displacement, N: scale of forces on the body
REACH = 41  # distance from the origin within which the feet lie, m; below 0 where there is no bed
DATA_COLUMNS = 42

INERTIA_FLOOR = 1e-4  # of mass times size squared: a body given without inertia about an axis must still turn finitely

STIFFNESS_MATRIX, DAMPING_MATRIX, ADDED_MATRIX = 0, 1, 2


class BodyMemory(NamedTuple):
    """What changes with the bodies."""

    attitude: Array  # (n, 4) quaternions at the start of the step; changed by `rebase`
    plane: Array  # (n, 6) unit normal of the water surface and a point of it; filled by `water_on_bodies`
    water: Array  # (k, WATER_COLUMNS) at the strips; filled by `water_on_bodies`
    displaced: Array  # (n, DISPLACED) of physics/hull_loads.py; filled by `water_on_bodies`
    pose: Array  # (n, 15) rotation matrix, world angular velocity and acceleration; filled by `place_ends`
    lever: Array  # (n_lines, 2, 6, 3) displacement of an end per degree of freedom of its junction
    block: Array  # (6, 7) tangent and, last, inertia minus forces
    bed: Array  # (9, 3) of `add_feet`
    cut: Array  # (SIZE,) of physics/hydrostatics.py
    sums: Array  # (SUMS,) of physics/hull_loads.py


class BodyMesh(NamedTuple):
    """Rigid bodies as kernels read them; all but `memory` is never changed."""

    table: Ints  # (n, INDEX_COLUMNS)
    data: Array  # (n, DATA_COLUMNS)
    matrix: Array  # (n, 3, 6, 6) stiffness, damping (world), added mass (body)
    profile: Array  # (m, 2) z, radius, m
    strip: Array  # (k, STRIP_COLUMNS) of physics/hull_loads.py
    foot: Array  # (f, FOOT_COLUMNS) of mixed_body_bed.py
    bed_law: Array  # (5,) of physics/seabed.py, with friction
    end_body: Ints  # (n_lines, 2) body of the first and last node of the walk, -1 if a point
    end_arm: Array  # (n_lines, 2, 3) in the body frame, m
    memory: BodyMemory
    links: LinkMesh


def build_body_mesh(model: Model, flipped: Any, lever: Array) -> BodyMesh:
    """Arrays of all bodies, and which line ends they carry, in the order of the walk.

    flipped : (n_lines,) lines walked from end B    lever : (n_lines, 2, 6, 3) the axes of points, to be completed
    """
    bodies, n = model.bodies, len(model.names.bodies)
    index = np.zeros((n, INDEX_COLUMNS), dtype=np.int64)
    data = np.zeros((n, DATA_COLUMNS))
    strips: list[Array] = []
    for k in range(n):
        profile = bodies.profile[bodies.profile_start[k] : bodies.profile_start[k + 1]]
        strips.append(cut_strips(profile) if bodies.hull[k] == HULL_AXISYMMETRIC else np.zeros((0, STRIP_COLUMNS)))
        if bodies.hull[k] == HULL_SPHERE:
            strips[-1] = np.zeros((1, STRIP_COLUMNS))
            strips[-1][0, STRIP_VOLUME] = 4.0 / 3.0 * np.pi * bodies.sphere[k, 3] ** 3
    start = np.concatenate([[0], np.cumsum([s.shape[0] for s in strips], dtype=np.int64)])
    feet = [build_feet(model, k) for k in range(n)]
    stand = np.concatenate([[0], np.cumsum([f.shape[0] for f in feet], dtype=np.int64)])
    index[:, IS_FREE] = bodies.joint == LOOSE
    index[:, HULL] = bodies.hull
    index[:, PROFILE], index[:, PROFILE_STOP] = bodies.profile_start[:-1], bodies.profile_start[1:]
    index[:, STRIP], index[:, STRIP_STOP] = start[:-1], start[1:]
    index[:, FOOT], index[:, FOOT_STOP] = stand[:-1], stand[1:]
    matrix = np.stack([bodies.stiffness, bodies.damping, bodies.added_mass], axis=1) if n else np.zeros((0, 3, 6, 6))
    index[:, HAS_MATRICES] = np.any(matrix != 0.0, axis=(1, 2, 3))
    data[:, BODY_MASS] = bodies.mass
    data[:, CENTRE : CENTRE + 3] = bodies.centre
    data[:, BODY_VOLUME] = bodies.volume
    data[:, LOAD_FORCE : LOAD_FORCE + 3] = bodies.load_force
    data[:, LOAD_MOMENT : LOAD_MOMENT + 3] = bodies.load_moment
    data[:, LOAD_AT : LOAD_AT + 3] = bodies.load_at
    data[:, SPHERE : SPHERE + 4] = bodies.sphere
    data[:, DRAG_ACROSS], data[:, DRAG_ALONG] = bodies.drag_normal, bodies.drag_axial
    data[:, ADDED_ACROSS], data[:, ADDED_ALONG] = bodies.added_normal, bodies.added_axial
    # in calm air the drag of the body's own motion is left out
    air = model.sea.air_density if model.sea.wind_speed > 0.0 else 0.0
    data[:, WIND_DRAG] = 0.5 * air * bodies.wind_drag
    data[:, HOME : HOME + 3] = bodies.position
    data[:, HOME_TURN : HOME_TURN + 4] = bodies.quaternion
    for k in range(n):
        data[k, SIZE] = size = _size(model, k)
        data[k, REACH] = reach(feet[k]) if model.sea.has_seabed else -np.inf
        floor = INERTIA_FLOOR * bodies.mass[k] * size**2
        inertia = _at_least(bodies.inertia[k], floor) if bodies.joint[k] == LOOSE else bodies.inertia[k]
        data[k, INERTIA : INERTIA + 9] = about_origin(bodies.mass[k], bodies.centre[k], inertia).reshape(9)
        weight = bodies.mass[k] * max(model.sea.gravity, 1.0)
        data[k, WEIGHT_SCALE] = max(weight, float(np.abs(bodies.load_force[k]).max()), 1e-3)
    body, arm = _ends(model, flipped)
    return BodyMesh(
        table=ints(index, (-1, INDEX_COLUMNS)),
        data=floats(data, (-1, DATA_COLUMNS)),
        matrix=floats(matrix, (-1, 3, 6, 6)),
        profile=floats(bodies.profile, (-1, 2)),
        strip=floats(np.concatenate(strips) if strips else [], (-1, STRIP_COLUMNS)),
        foot=floats(np.concatenate(feet) if feet else [], (-1, FOOT_COLUMNS)),
        bed_law=floats(seabed_law(model.sea.bed_stiffness, model.sea.bed_damping, model.sea.bed_friction)),
        end_body=body,
        end_arm=arm,
        memory=_memory(bodies.quaternion, int(start[-1]), lever),
        links=build_link_mesh(model, data[:, WEIGHT_SCALE], data[:, SIZE]),
    )


def _memory(quaternion: Array, n_strips: int, lever: Array) -> BodyMemory:
    return BodyMemory(
        attitude=quaternion.reshape(-1, 4).copy(),
        plane=np.tile([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (quaternion.shape[0], 1)),
        water=np.zeros((n_strips, WATER_COLUMNS)),
        displaced=np.zeros((quaternion.shape[0], hull_loads.DISPLACED)),
        pose=np.zeros((quaternion.shape[0], 15)),
        lever=lever.copy(),
        block=np.zeros((6, 7)),
        bed=np.zeros((9, 3)),
        cut=np.zeros(hydrostatics.SIZE),
        sums=np.zeros(hull_loads.SUMS),
    )


def _ends(model: Model, flipped: Any) -> tuple[Ints, Array]:
    lines = model.lines
    body = np.where(lines.end_kind == BODY, lines.end_index, -1)
    arm = np.where((lines.end_kind == BODY)[:, :, None], lines.end_offset, 0.0)
    flip = flipped.astype(bool)
    body = np.where(flip[:, None], body[:, ::-1], body)
    arm = np.where(flip[:, None, None], arm[:, ::-1], arm)
    return ints(body, (-1, 2)), floats(arm, (-1, 2, 3))


def _at_least(inertia: Array, floor: float) -> Array:
    """Inertia with no principal moment below the floor."""
    moments, axes = np.linalg.eigh(inertia)
    if moments[0] >= floor:
        return inertia
    raised: Array = axes @ np.diag(np.maximum(moments, floor)) @ axes.T
    return raised


def _size(model: Model, k: int) -> float:
    """Largest of hull, arms of lines and links and radius of gyration, m; 1 if the body has no extent at all."""
    bodies, lines = model.bodies, model.lines
    profile = bodies.profile[bodies.profile_start[k] : bodies.profile_start[k + 1]]
    mine = (lines.end_kind == BODY) & (lines.end_index == k)
    linked = (model.links.end_kind == BODY) & (model.links.end_index == k)
    gyration = float(np.sqrt(np.trace(bodies.inertia[k]) / (2.0 * bodies.mass[k]))) if bodies.mass[k] > 0.0 else 0.0
    extents = [
        gyration,
        float(np.abs(profile).max(initial=0.0)),
        float(bodies.sphere[k, 3]),
        float(np.linalg.norm(bodies.centre[k])),
        float(np.linalg.norm(lines.end_offset[mine], axis=-1).max(initial=0.0)),
        float(np.linalg.norm(model.links.offset[linked], axis=-1).max(initial=0.0)),
    ]
    return max(extents) or 1.0
