"""Rods whose joints move: how they float while the angles change, slowly enough for the water to stay at rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.analysis.audit_poses import Audited, refuse_unsound
from ropewalk.analysis.case_doubts import case_doubts
from ropewalk.analysis.doubts import as_json
from ropewalk.analysis.stability import all_equilibria
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.rods import FloatingPose, bend, equilibrium
from ropewalk.model.arrays import Array
from ropewalk.model.rod_fields import angle_at, build_rod
from ropewalk.model.rods import RodModel
from ropewalk.results.schema import described
from ropewalk.spec import arguments
from ropewalk.spec.rods import Rod
from ropewalk.spec.system import Source, System

if TYPE_CHECKING:
    import xarray as xr


def float_in_time(system: Source, times: Sequence[float] | Array, name: str | None = None) -> xr.Dataset:
    """How a rod floats at each of several times (s) while its joints move, as a sequence of equilibria.

    The first is the stable one of least energy; each further one is reached from the one before, so
    that a pose that ceases to exist is left for the next stable one. The water is still: inertia and
    drag are neglected. `name` : of the rod, if there are several

    Variables over `time`: heave (m), roll_angle, pitch_angle (deg), energy_total (J), turn (deg, from the pose before);
    `up` (time, axis) and `angle` (time, joint, deg).

    >>> import ropewalk as rw
    >>> turn = {"kind": "table", "time": [0, 10], "value": [0, 60]}
    >>> stick = {"length": 1.0, "density": 500, "section": {"kind": "ellipse", "a": 0.03, "b": 0.02},
    ...          "joints": [{"s": 0.5, "axis": [1, 0, 0], "angle": turn}]}
    >>> found = rw.float_in_time(rw.System(rods={"stick": stick}), [0.0, 5.0, 10.0])
    >>> abs(found.turn.values).round(6).tolist()  # its middle stays level
    [0.0, 15.0, 15.0]
    """
    import xarray as xr

    system = System.of(system)
    key, rod = rod_of(system, name)
    if rod.held is not None:
        raise InputError(f"rod '{key}' is held; poses in time are those of rods that float freely: leave `held` out")
    moments = arguments.numbers("times", times)
    poses: list[FloatingPose] = []
    for t in moments:
        model = build_rod(rod, system.environment, key, time=float(t))
        try:
            poses.append(_pose(rod, model, poses[-1] if poses else None))
        except ConvergenceError as error:
            raise ConvergenceError(f"rod '{key}' at t = {t:g} s: {error}") from None
        if rod.elasticity is None:
            refuse_unsound(f"rod '{key}' at t = {t:g} s", Audited(model).figures(poses[-1].heave, poses[-1].up))
    up = np.array([pose.up for pose in poses])
    cosine = np.sum(up[1:] * up[:-1], axis=1)
    turned = np.degrees(np.arctan2(np.linalg.norm(np.cross(up[1:], up[:-1]), axis=1), cosine))
    angles = [[angle_at(joint.angle, float(t)) for joint in rod.joints] for t in moments]
    variables = {
        "heave": ("time", [pose.heave for pose in poses]),
        "roll_angle": ("time", np.degrees([pose.roll for pose in poses])),
        "pitch_angle": ("time", np.degrees([pose.pitch for pose in poses])),
        "energy_total": ("time", [pose.energy for pose in poses]),
        "turn": ("time", np.concatenate([[0.0], turned])),
        "up": (("time", "axis"), up),
        "angle": (("time", "joint"), np.array(angles).reshape(moments.size, -1)),
    }
    coordinates = {"time": moments, "axis": ["x", "y", "z"], "joint": [joint.s for joint in rod.joints]}
    doubts = as_json(case_doubts(system, "static"))
    attrs = {"title": system.title, "created_by": "ropewalk float_in_time", "rod": key, "doubts": doubts}
    found: xr.Dataset = described(xr.Dataset(variables, coordinates, attrs), "float_in_time")
    return found


def rod_of(system: System, name: str | None) -> tuple[str, Rod]:
    """The rod of a name, or the only one."""
    if not system.rods:
        raise InputError("no rods in the case; add a rod under 'rods'")
    if name is None:
        if len(system.rods) > 1:
            raise InputError(f"the case has {len(system.rods)} rods; name one of {', '.join(system.rods)}")
        name = next(iter(system.rods))
    return arguments.name_of("rod", name, system.rods), system.rods[name]


def _pose(rod: Rod, model: RodModel, before: FloatingPose | None) -> FloatingPose:
    """A stable pose, that next to the one before if there is one."""
    if before is None:
        states = all_equilibria(model).states
        before = next((state.pose for state in states if state.kind in ("minimum", "neutral")), states[0].pose)
    else:
        before = equilibrium(model, before.up, before.heave)
    if rod.elasticity is None:
        return before
    bent = bend(model, (rod.elasticity.torsion, *rod.elasticity.bending), before)
    refuse_unsound("the bent rod", Audited(bent.rod).figures(bent.pose.heave, bent.pose.up))
    return bent.pose
