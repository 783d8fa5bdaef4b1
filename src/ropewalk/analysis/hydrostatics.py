"""Hydrostatic stiffness and stability of bodies in still water."""

from __future__ import annotations

import numpy as np

from ropewalk.loads.cut import cut_hull, shift_cut
from ropewalk.loads.strips import shape_records
from ropewalk.model.arrays import Array, Records, records
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix
from ropewalk.physics import hydrostatics
from ropewalk.physics.hydrostatics import CUT


def displacement(model: Model, state: State, body: int) -> Records:
    """Cut of a body's hulls by still water: (1,) of CUT of physics/hydrostatics.py."""
    hulls, profile = shape_records(model.bodies.hulls), model.bodies.hulls.profile
    total = records(1, CUT)
    R = rotation_matrix(state.body_quaternion[body])
    for h in model.bodies.hulls_of(body):
        arm, cut = R @ hulls[h].place, records(1, CUT)
        height = float(state.body_position[body, 2] + arm[2])
        cut_hull(hulls[h], tuple(R.ravel().tolist()), (0.0, 0.0, 1.0), height, profile, cut)
        shift_cut(cut, tuple(arm.tolist()))
        for name in CUT.names or ():
            total[name] += cut[name]
    return total


def hydrostatic_stiffness(model: Model, state: State, body: int) -> Array:
    """(6, 6) stiffness of hull and weight about the body's origin, world axes; N/m, N, N m."""
    wrench, stiffness = np.zeros(6), np.zeros((6, 6))
    weight = float(model.bodies.mass[body] * model.sea.gravity)
    arm = rotation_matrix(state.body_quaternion[body]) @ model.bodies.centre[body]
    stiffness[3:, 3:] = np.reshape(hydrostatics.arm_stiffness((0.0, 0.0, -weight), tuple(arm.tolist())), (3, 3))
    specific_weight = model.sea.water_density * model.sea.gravity
    hydrostatics.buoyancy(displacement(model, state, body), specific_weight, wrench, stiffness)
    return stiffness


def metacentric_heights(model: Model, state: State, body: int) -> tuple[float, float] | None:
    """Transverse and longitudinal GM (m) of a body afloat, lines apart; None if it is out of the water or has no hull.

    GM = I/V - (z_G - z_B) with the principal second moments I of the waterplane about its centroid; [Newman2018],
    sec. 6.16. Under water I is zero.
    """
    cut = displacement(model, state, body)[0]
    volume, area, first = float(cut.volume), float(cut.area), cut.area_moment
    if volume <= 0.0:
        return None
    about = cut.area_second - np.outer(first, first) / area if area > 0.0 else np.zeros((3, 3))
    low, high = np.linalg.eigvalsh(about[:2, :2]) / volume
    mass_centre = rotation_matrix(state.body_quaternion[body]) @ model.bodies.centre[body]
    above = float(mass_centre[2] - cut.moment[2] / volume)
    return float(low) - above, float(high) - above
