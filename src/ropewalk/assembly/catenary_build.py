"""From a Model to the arrays of the closed-form balance."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from ropewalk.assembly.balance_newton import Place, Scales
from ropewalk.assembly.catenary import Assembly
from ropewalk.loads.body import Shells, body_records, build_shells
from ropewalk.model.arrays import Array, Ints, floats, ints, offsets, sealed
from ropewalk.model.bodies import Bodies
from ropewalk.model.environment import weight_in_water
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.lines import BODY, POINT
from ropewalk.model.model import Model
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product
from ropewalk.physics import motion
from ropewalk.physics.elasticity import INEXTENSIBLE

SIX = np.arange(6)  # components of a body; the first three are those of a point


def build_assembly(model: Model) -> Assembly:
    """Pieces cut at attachments, weights in water, dofs of the ends."""
    sea, lines, points, bodies = model.sea, model.lines, model.points, model.bodies
    start, length, section, load = _pieces(model)
    stiffness = _stiffness(model)[section]
    weight = weight_in_water(sea, model.sections.mass, model.sections.area)[section]
    first = start[:-1]
    if sea.has_seabed:
        bed = -sea.depth + np.array([_contact(model, i, section[a:b]) for i, (a, b) in enumerate(pairwise(start))])
    else:
        bed = np.full(lines.length.size, -math.inf)
    down = np.array([0.0, 0.0, -sea.gravity])
    return Assembly(
        several=1 if length.size > lines.length.size else None,
        bodied=1 if bodies.mass.size else None,
        length=lines.length,
        stiffness=sealed(stiffness[first]),
        weight=sealed(weight[first]),
        friction=sea.bed_rest_friction,
        bed=sealed(bed),
        end_kind=lines.end_kind,
        end_index=lines.end_index,
        end_offset=lines.end_offset,
        piece_start=start,
        piece_length=length,
        piece_stiffness=sealed(stiffness),
        piece_weight=sealed(weight),
        piece_load=load,
        dofs=_end_dofs(model),
        reference=points.position,
        frame=points.frame,
        axis=points.axis,
        force=sealed(points.force + points.mass[:, None] * down),
        volume=points.volume,
        body=body_records(bodies),
        shells=_shells(bodies),
        density=sea.water_density,
        gravity=sea.gravity,
    )


_no_hulls: list[Shells] = []  # those of bodies without any, made once


def _shells(bodies: Bodies) -> Shells:
    """Hulls of all bodies."""
    if bodies.hulls.kind.size:
        return build_shells(bodies)
    if not _no_hulls:
        _no_hulls.append(build_shells(bodies))
    return _no_hulls[0]


def free_dofs(model: Model) -> tuple[Ints, Ints]:
    """Dofs to be found, and those among them that are heights of points above a bed."""
    n_points = len(model.names.points)
    if not model.points.joint.any() and not (model.bodies.joint == LOOSE).any():
        return ints([]), ints([])
    loose_point = (model.points.joint != HELD) & (model.points.motion < 0)[:, None]
    loose_body = np.repeat(model.bodies.joint == LOOSE, 6)
    free = np.flatnonzero(np.concatenate([loose_point.ravel(), loose_body]))
    upright = np.all(model.points.frame == np.eye(3), axis=(1, 2))
    heights = 3 * np.flatnonzero(loose_point[:, 2] & upright) + 2 if n_points else np.zeros(0, dtype=np.int64)
    return ints(free), ints(heights if model.sea.has_seabed else [])


def scales(model: Model, assembly: Assembly) -> Scales:
    """Sizes of the assembly: length of its longest line, sum of its weights and loads."""
    bodies = model.bodies
    gravity = np.abs(assembly.piece_weight) @ assembly.piece_length + np.abs(assembly.piece_load).sum()
    loads = np.abs(assembly.force).sum() + np.abs(assembly.axis["pull"]).sum()
    lift = assembly.density * assembly.volume.sum()
    if bodies.mass.size:
        loads += np.abs(bodies.load_force).sum()
        lift += assembly.density * bodies.volume.sum() + bodies.mass.sum()
    force = float(gravity + loads + lift * assembly.gravity)
    length = float(model.lines.length.max(initial=0.0))
    n_points = len(model.names.points)
    bed = -float(model.sea.depth) if model.sea.has_seabed else -math.inf
    if not bodies.mass.size:
        return Scales(length=length or 1.0, force=force or 1.0, dofs=sealed(np.ones(3 * n_points)), bed=bed)
    arm = np.ones(len(model.names.bodies))
    for k in range(arm.size):
        reach = [float(np.linalg.norm(o)) for o in model.lines.end_offset[_on_body(model, k)]]
        arm[k] = max([1e-3 * length, *reach]) or 1.0
    weights = np.ones(3 * n_points + 6 * arm.size)
    weights[3 * n_points :].reshape(-1, 2, 3)[:, 1] = (arm * arm)[:, None]
    return Scales(length=length or 1.0, force=force or 1.0, dofs=floats(weights), bed=bed)


def prescribed(model: Model, place: Place, t: float) -> Place:
    """`place` with held and moving parts where they are at time t."""
    if not (model.points.joint.any() or model.motions.function.shape[0] or model.names.bodies):
        return Place(model.points.position.copy(), place.bodies, place.quaternions)
    moved = np.zeros((3, 3))
    points, bodies, quaternions = place.points.copy(), place.bodies.copy(), place.quaternions.copy()
    free = model.points.joint.any(axis=1)
    points[~free] = model.points.position[~free]
    for k in np.flatnonzero(free & ~model.points.joint.all(axis=1)):
        shift = model.points.frame[k] @ (points[k] - model.points.position[k])
        shift[model.points.joint[k] == HELD] = 0.0
        points[k] = model.points.position[k] + model.points.frame[k].T @ shift
    if model.motions.function.shape[0]:
        for k in np.flatnonzero(model.points.motion >= 0):
            motion.motion(t, model.points.motion[k], model.motions, moved)
            points[k] = model.points.position[k] + moved[0]
    for k in np.flatnonzero(model.bodies.joint != LOOSE):
        i = model.bodies.motion[k]
        motion.motion(t, i, model.motions, moved)
        bodies[k] = model.bodies.position[k] + moved[0]
        motion.rotation(t, i, model.motions, moved)
        quaternions[k] = quaternion_product(quaternion_exp(moved[0]), model.bodies.quaternion[k])
    return Place(points, bodies, quaternions)


def _contact(model: Model, i: int, sections: Ints) -> float:
    """Contact radius (m) of what of line i lies on the bed: its end piece at a point on the bed, else the thickest."""
    radius, sea, lines = model.sections.contact_radius, model.sea, model.lines
    for j in range(2):
        if lines.end_kind[i, j] == POINT:
            z = model.points.position[lines.end_index[i, j], 2]
            r = float(radius[sections[-j]])
            if z <= r - sea.depth and not model.points.joint[lines.end_index[i, j]].any():
                return r
    return float(radius[sections].max())


def _on_body(model: Model, k: int) -> Array:
    mask: Array = (model.lines.end_kind == BODY) & (model.lines.end_index == k)
    return mask


def _pieces(model: Model) -> tuple[Ints, Array, Ints, Array]:
    """Pieces of each line, cut at attachments: offsets, length (m), section, load at the far end (N)."""
    lines, sea = model.lines, model.sea
    if not lines.attachment_s.size and lines.piece_section.size == lines.length.size:
        return lines.piece_start, lines.length, lines.piece_section, sealed(np.zeros(lines.length.size))
    counts: list[int] = []
    length: list[float] = []
    section: list[int] = []
    load: list[float] = []
    for i in range(lines.length.size):
        own = slice(lines.piece_start[i], lines.piece_start[i + 1])
        clumps = slice(lines.attachment_start[i], lines.attachment_start[i + 1])
        ends = np.cumsum(lines.piece_length[own])
        ends[-1] = lines.length[i]
        down = weight_in_water(sea, lines.attachment_mass[clumps], lines.attachment_volume[clumps])
        down = down - lines.attachment_force[clumps, 2]
        at = lines.attachment_s[clumps]
        inside = at[(at > 0.0) & (at < lines.length[i])]
        cuts = np.unique(np.concatenate([ends, inside]))
        counts.append(cuts.size)
        length.extend(np.diff(cuts, prepend=0.0))
        section.extend(lines.piece_section[own][np.searchsorted(ends, cuts, side="left")])
        load.extend(float(down[at == cut].sum()) if cut < lines.length[i] else 0.0 for cut in cuts)
    return offsets(counts), floats(length), ints(section), floats(load)


def _stiffness(model: Model) -> Array:
    """EA of each section, inf where inextensible; only linear laws come here."""
    sections = model.sections
    values = [
        math.inf if kind == INEXTENSIBLE else sections.law_data[at]
        for kind, at in zip(sections.law, sections.law_start[:-1], strict=True)
    ]
    return floats(values)


def _end_dofs(model: Model) -> Ints:
    n_points = len(model.names.points)
    dofs = np.full((model.lines.length.size, 12), -1, dtype=np.int64)
    for i in range(dofs.shape[0]):
        for a in range(2):
            k = model.lines.end_index[i, a]
            if model.lines.end_kind[i, a] == BODY:
                dofs[i, 6 * a : 6 * a + 6] = 3 * n_points + 6 * k + SIX
            else:
                dofs[i, 6 * a : 6 * a + 3] = 3 * k + SIX[:3]
    found: Ints = sealed(dofs)
    return found
