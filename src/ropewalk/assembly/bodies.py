"""Arrays of rigid bodies for the mixed elements: what kernels read, and their memory.

A body is a junction with a row of its own for the position of its origin; the rotation has a second row, after
those of all junctions, with the turn since the start of the step (rotation vector), the angular velocity and the
angular acceleration, all in the body frame.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.assembly.body_bed import FOOT, build_feet, reach
from ropewalk.assembly.links import LinkMesh, build_link_mesh
from ropewalk.loads.bed import Bed, build_bed
from ropewalk.loads.body import body_records
from ropewalk.loads.cut import HULL_WATER
from ropewalk.loads.hull import STRIP_WATER, SUMS
from ropewalk.loads.strips import hull_records
from ropewalk.model.arrays import Array, Ints, Records, floats, ints, joined, offsets, put, records
from ropewalk.model.foils import FOIL_ROW
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.physics import hydrostatics
from ropewalk.physics.rigidbody import about_origin

INERTIA_FLOOR = 1e-4  # of mass times size squared: a body given without inertia about an axis must still turn finitely


class BodyMemory(NamedTuple):
    """What changes with the bodies."""

    attitude: Array  # (n, 4) quaternions at the start of the step; changed by `rebase`
    around: Records  # (h,) of HULL_WATER of loads/cut.py; filled by `water_on_bodies`
    water: Records  # (k,) of STRIP_WATER; filled by `water_on_bodies`
    pose: Array  # (n, 15) rotation matrix, world angular velocity and acceleration; filled by `place_ends`
    lever: Array  # (n_lines, 2, 6, 3) displacement of an end per degree of freedom of its junction
    block: Array  # (6, 7) tangent and, last, inertia minus forces
    cut: Records  # (1,) of CUT of physics/hydrostatics.py
    sums: Records  # (1,) of SUMS of loads/hull.py


class BodyMesh(NamedTuple):
    """Rigid bodies as kernels read them; all but `memory` is never changed."""

    body: Records  # (n,) of BODY of loads/body.py
    hull: Records  # (h,) of HULL of loads/strips.py
    profile: Array  # (m, 2) z, radius, m
    strip: Records  # (k,) of STRIP of loads/strips.py
    foil: Records  # (c,) of FOIL_ROW of model/foils.py
    foot: Records  # (f,) of FOOT of assembly/body_bed.py
    bed: Bed
    end_body: Ints  # (n_lines, 2) body of the first and last node of the walk, -1 if a point
    end_arm: Array  # (n_lines, 2, 3) in the body frame, m
    memory: BodyMemory
    links: LinkMesh


def build_body_mesh(model: Model, flipped: Any, lever: Array) -> BodyMesh:
    """Arrays of all bodies, and which line ends they carry, in the order of the walk.

    flipped : (n_lines,) lines walked from end B    lever : (n_lines, 2, 6, 3) the axes of points, to be completed
    """
    bodies, n = model.bodies, len(model.names.bodies)
    rows = body_records(bodies)
    feet = [build_feet(model, k) for k in range(n)]
    stand = offsets([f.size for f in feet])
    put(rows, is_free=bodies.joint == LOOSE, foot=stand[:-1], foot_stop=stand[1:])
    # in calm air the drag of the body's own motion is left out
    air = model.sea.air_density if model.sea.wind_speed > 0.0 else 0.0
    hulls, strips = hull_records(bodies.hulls, air)
    for k, row in enumerate(rows.view(np.ndarray)):
        size = _size(model, k)
        floor = INERTIA_FLOOR * bodies.mass[k] * size**2
        inertia = _at_least(bodies.inertia[k], floor) if bodies.joint[k] == LOOSE else bodies.inertia[k]
        weight = bodies.mass[k] * max(model.sea.gravity, 1.0)
        row["extent"] = size
        row["reach"] = reach(feet[k]) if model.sea.has_seabed else -np.inf
        row["inertia"] = about_origin(bodies.mass[k], bodies.centre[k], inertia).reshape(9)
        row["weight_scale"] = max(weight, float(np.abs(bodies.load_force[k]).max()), 1e-3)
    body, arm = _ends(model, flipped)
    return BodyMesh(
        body=rows,
        hull=hulls,
        profile=floats(bodies.hulls.profile, (-1, 2)),
        strip=strips,
        foil=joined([bodies.hulls.foil], FOIL_ROW),
        foot=joined(feet, FOOT),
        bed=build_bed(model.sea),
        end_body=body,
        end_arm=arm,
        memory=_memory(bodies.quaternion, hulls.size, strips.size, lever),
        links=build_link_mesh(model, rows.weight_scale, rows.extent),
    )


def _memory(quaternion: Array, n_hulls: int, n_strips: int, lever: Array) -> BodyMemory:
    around = records(n_hulls, HULL_WATER)
    around.up = [0.0, 0.0, 1.0]
    return BodyMemory(
        attitude=quaternion.reshape(-1, 4).copy(),
        around=around,
        water=records(n_strips, STRIP_WATER),
        pose=np.zeros((quaternion.shape[0], 15)),
        lever=lever.copy(),
        block=np.zeros((6, 7)),
        cut=records(1, hydrostatics.CUT),
        sums=records(1, SUMS),
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
    mine = (lines.end_kind == BODY) & (lines.end_index == k)
    linked = (model.links.end_kind == BODY) & (model.links.end_index == k)
    gyration = float(np.sqrt(np.trace(bodies.inertia[k]) / (2.0 * bodies.mass[k]))) if bodies.mass[k] > 0.0 else 0.0
    extents = [
        gyration,
        bodies.hull_size(k),
        float(np.linalg.norm(bodies.centre[k])),
        float(np.linalg.norm(lines.end_offset[mine], axis=-1).max(initial=0.0)),
        float(np.linalg.norm(model.links.offset[linked], axis=-1).max(initial=0.0)),
    ]
    return max(extents) or 1.0
