"""Audit of points and bodies: every force on them summed again, joints by component, places that are prescribed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ropewalk.analysis.audit_hulls import bed_wrench, hull_wrenches, volume_wrench
from ropewalk.analysis.audit_lines import FORCE, GRIP, LENGTH, PLACE, Finding, Scales, heights
from ropewalk.analysis.audit_loads import at_arm, lump_load
from ropewalk.analysis.audit_nets import Netting, near_bed
from ropewalk.audit.bodies import LEAST_SPAN
from ropewalk.audit.strings import SHORTEST
from ropewalk.loads.footing import end_radii, point_footings
from ropewalk.loads.given import spring_pull
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.environment import bed_normals
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.lines import BODY, POINT
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix
from ropewalk.numerics.entry import Entry
from ropewalk.physics.motion import motion, rotation

RESTS = 1e-6  # of the depth: a point this near to the bed rests on it
LEVEL = 1e-6  # of the normal of the bed: a smaller share of it has no direction
UP = np.array([0.0, 0.0, 1.0])
_motion, _rotation = Entry(motion), Entry(rotation)


def check_points(
    model: Model, state: State, time: float, figures: Mapping[str, Any], scales: Scales, netting: Netting | None = None
) -> list[Finding]:
    """Balance of the free components of points, place of the held ones, and what they hold with."""
    points = model.points
    found: list[Finding] = []
    if not model.names.points:
        return found
    pulls = _pulls_on_points(model, state, figures, netting)
    lumps = lump_load(model, state.point_position, points.mass, points.volume, points.drag_area) + points.force
    pressed = _footings(model, state)
    home = prescribed_points(model, time)
    longest = max(float(scales.length.max(initial=0.0)), SHORTEST)
    force = _largest(scales, netting)
    on_bed = _with_net_on_bed(model, state, model.nets.point)
    for k, name in enumerate(model.names.points):
        frame, joint = points.frame[k], points.joint[k]
        way = state.point_position[k] - home[k]
        off, given = frame @ way, points.axis[k]["pull"]
        pull = np.array([spring_pull(axis, tuple(way))[0] for axis in points.axis[k]]) * (joint != HELD)
        scale = max(force, *np.abs(lumps[k]), *np.abs(given), *np.abs((given - pull) * (joint != HELD)))
        residual = frame @ (pulls[k] + lumps[k]) + pull
        limit = FORCE * scale
        moves = joint != HELD
        if np.any(moves) and k not in on_bed:
            place, of_bed = state.point_position[k], (limit, float(pressed[k]))
            value = _left_by_bed(model, place, frame[moves], residual[moves], of_bed)
            found.append(Finding("force", f"point '{name}'", value, limit))
        if np.any(joint == HELD):
            miss = float(np.abs(np.where(joint == HELD, off, 0.0)).max())
            room = PLACE * max(longest, float(np.abs(home[k]).max()))
            if np.any(moves):  # methods meet the joint by iteration
                ends = np.any((model.lines.end_kind == POINT) & (model.lines.end_index == k), axis=1)
                room = max(room, LENGTH * float(scales.length[ends].min(initial=longest)))
            found.append(Finding("position", f"point '{name}'", miss, room))
    return found


def _largest(scales: Scales, netting: Netting | None) -> float:
    """Force in lines and nets, N."""
    return scales.force if netting is None else max(scales.force, netting.largest)


def _with_net_on_bed(model: Model, state: State, fastened: Ints) -> set[int]:
    """Points or bodies with a knot so near to the bed that it is not balanced.  fastened : (k,) to which knots are"""
    if state.net_position.shape != model.nets.knot.shape:
        return set()
    return set(fastened[(fastened >= 0) & near_bed(model, state.net_position)].tolist())


def _footings(model: Model, state: State) -> Array:
    """(n_points,) N, with which the bed presses on the points that stand on it: its law on the depth of each."""
    lines, sea = model.lines, model.sea
    push: Array = np.zeros(len(model.names.points))
    area = point_footings(model)
    if np.any(area):
        at = np.where(area > 0.0, lines.end_index, 0)
        depth = end_radii(model) - heights(sea, state.point_position)[at]
        np.add.at(push, at, sea.bed_stiffness * area * np.maximum(0.0, depth))
    return push


def _left_by_bed(model: Model, place: Array, loose: Array, force: Array, given: tuple[float, float]) -> float:
    r"""What is left of a force on a point after the bed has pushed up and held it, N.

    A point that is held in some directions moves in the others alone, and there the push P of the bed acts by the
    share :math:`P \sqrt{c}`, :math:`c = |L n|^2`, of its normal n along the rows of L. Friction :math:`\mu P` has up to
    :math:`\mu P \sqrt{1 - c}` along that share, and all of it across.

    loose : (m, 3) rows L    force : (m,) N, along them    given : the force that counts as none (N), and the push of
    the footing (N); a point that has none, or is laid on the bed by a method whose bed is rigid, is held up
    """
    sea, (limit, pressed) = model.sea, given
    size = float(np.linalg.norm(force))
    touch = RESTS * sea.depth + float(model.sections.contact_radius.max(initial=0.0))
    rigid = sea.has_seabed and abs(float(heights(sea, place))) <= touch
    if size <= limit or (pressed == 0.0 and not rigid):
        return size
    normal = loose @ bed_normals(sea, place)
    share = min(1.0, float(np.linalg.norm(normal)))
    if share < LEVEL:
        return max(0.0, size - (1.0 + GRIP) * sea.bed_friction * pressed)
    normal = normal / np.linalg.norm(normal)
    up = float(force @ normal)
    along = float(np.linalg.norm(force - up * normal))
    push = max(0.0, -up) / share if rigid else pressed
    lean, grip = math.sqrt(1.0 - share**2), (1.0 + GRIP) * sea.bed_friction * push
    left = up + push * share
    held = min(abs(left), grip * lean)
    across = math.sqrt(max(0.0, grip**2 - (held / lean if lean > LEVEL else 0.0) ** 2))
    return math.hypot(abs(left) - held, max(0.0, along - across))


def _pull(model: Model, state: State, end: tuple[int, int], netting: Netting | None) -> Array:
    """(3,) force of an end of a line on its point or body, N; where nets are fastened, without a share of theirs."""
    nets, to = model.nets, model.lines.end_index[end]
    with_net = nets.body if model.lines.end_kind[end] == BODY else nets.point
    force: Array = (state.end_force if netting is None or to not in with_net else netting.ends)[end]
    return force


def _pulls_on_points(model: Model, state: State, figures: Mapping[str, Any], netting: Netting | None) -> Array:
    """(n_points, 3) force of lines, pegs, links and nets on points, N."""
    lines, links = model.lines, model.links
    pulls: Array = np.zeros((len(model.names.points), 3)) if netting is None else netting.on_points(model)
    for i, j in np.ndindex(lines.length.size, 2):
        if lines.end_kind[i, j] == POINT:
            pulls[lines.end_index[i, j]] += _pull(model, state, (i, j), netting)
    for i, name in enumerate(model.names.lines):
        for p, peg in zip(range(lines.over_start[i], lines.over_start[i + 1]),
                          figures.get("over", {}).get(name, ()), strict=False):  # fmt: skip
            if lines.over_kind[p] == POINT:
                pulls[lines.over_index[p]] += np.asarray(peg["force"], dtype=float)
    for i in range(len(links.names)):
        if links.end_kind[i, 1] == POINT and state.link_force.shape[0]:
            pulls[links.end_index[i, 1]] += state.link_force[i]
    return pulls


def prescribed_points(model: Model, time: float) -> Array:
    """(n_points, 3) where points are held, m."""
    home = np.array(model.points.position)
    moved = np.zeros((3, 3))
    for k, row in enumerate(model.points.motion.tolist()):
        if row >= 0:
            _motion(time, row, model.motions, moved)
            home[k] += moved[0]
    return home


def check_bodies(
    model: Model, state: State, time: float, figures: Mapping[str, Any], scales: Scales, netting: Netting | None = None
) -> list[Finding]:
    """Force and moment on every free body, place and attitude of the others."""
    bodies = model.bodies
    found: list[Finding] = []
    on_bed = _with_net_on_bed(model, state, model.nets.body)
    longest = max(float(scales.length.max(initial=0.0)), LEAST_SPAN)
    for k, name in enumerate(model.names.bodies):
        if bodies.joint[k] != LOOSE:
            miss, home = _misplaced(model, state, time, k)
            found.append(Finding("position", f"body '{name}'", miss, PLACE * max(longest, float(np.abs(home).max()))))
            continue
        if k in on_bed:
            continue
        parts = np.array(_wrenches(model, state, figures, k, netting))
        total, largest = parts.sum(axis=0).tolist(), np.abs(parts).max(axis=0).tolist()  # largest of each component
        force = max(_largest(scales, netting), *largest[:3])
        moment = max(*largest[3:], force * _size(model, k))
        found.append(Finding("force", f"body '{name}'", math.hypot(*total[:3]), FORCE * force))
        turning = math.hypot(*total[3:]) * force / moment
        found.append(Finding("force", f"body '{name}' (moment)", turning, FORCE * force))
    return found


def _misplaced(model: Model, state: State, time: float, k: int) -> tuple[float, Array]:
    """How far body k is from where it is held, its turn times its size included, and that place, m."""
    bodies, row, moved = model.bodies, int(model.bodies.motion[k]), np.zeros((3, 3))
    _motion(time, row, model.motions, moved)
    home: Array = bodies.position[k] + moved[0]
    _rotation(time, row, model.motions, moved)
    angle = float(np.linalg.norm(moved[0]))
    axis = moved[0] / angle if angle > 0.0 else moved[0]
    given = np.concatenate([[math.cos(0.5 * angle)], math.sin(0.5 * angle) * axis])
    w, *v = _turn(_turn(state.body_quaternion[k], bodies.quaternion[k]), given).tolist()
    turn = 2.0 * math.atan2(math.hypot(*v), abs(w))
    return float(np.linalg.norm(state.body_position[k] - home)) + turn * max(LEAST_SPAN, _size(model, k)), home


def _size(model: Model, k: int) -> float:
    """A length of body k, m."""
    lines, nets = model.lines, model.nets
    own = (lines.end_kind == BODY) & (lines.end_index == k)
    arms = np.linalg.norm(np.concatenate([lines.end_offset[own], nets.place[nets.body == k]]), axis=1)
    return max(float(arms.max(initial=0.0)), model.bodies.hull_size(k), SHORTEST)


def _wrenches(model: Model, state: State, figures: Mapping[str, Any], k: int, netting: Netting | None) -> list[Array]:
    """Forces (N) and moments about the origin (N m) on body k, one row for each that acts."""
    bodies, sea, lines = model.bodies, model.sea, model.lines
    R = rotation_matrix(state.body_quaternion[k])
    x = state.body_position[k]
    parts = [at_arm(-bodies.mass[k] * sea.gravity * UP, R @ bodies.centre[k])]
    parts.append(at_arm(bodies.load_force[k], R @ bodies.load_at[k]))
    parts.append(np.concatenate([np.zeros(3), bodies.load_moment[k]]))
    for i, j in np.ndindex(lines.length.size, 2):
        if lines.end_kind[i, j] == BODY and lines.end_index[i, j] == k:
            parts.append(at_arm(_pull(model, state, (i, j), netting), R @ lines.end_offset[i, j]))
    if netting is not None:
        own = np.flatnonzero((model.nets.body == k) & (model.nets.sewn == np.arange(model.nets.sewn.size)))
        parts += [at_arm(netting.left[knot], R @ model.nets.place[knot]) for knot in own]
    for i, name in enumerate(model.names.lines):
        for p, peg in zip(range(lines.over_start[i], lines.over_start[i + 1]),
                          figures.get("over", {}).get(name, ()), strict=False):  # fmt: skip
            if lines.over_kind[p] == BODY and lines.over_index[p] == k:
                parts.append(at_arm(np.asarray(peg["force"], dtype=float), R @ lines.over_offset[p]))
    parts += _links(model, state, R, k)
    parts.append(_stiffness(model, state, k))
    parts.append(volume_wrench(model, x, k))
    for h in bodies.hulls_of(k, windage=True):
        parts += hull_wrenches(model, R, x, h)
    if sea.has_seabed:
        parts.append(bed_wrench(model, R, x, k))
    return parts


def _links(model: Model, state: State, R: Array, k: int) -> list[Array]:
    links = model.links
    parts = []
    for i in range(len(links.names)):
        if not state.link_force.shape[0]:
            break
        force, moment = state.link_force[i], state.link_moment[i]
        ends = []
        for j in range(2):
            if links.end_kind[i, j] == BODY:
                b = int(links.end_index[i, j])
                turn = rotation_matrix(state.body_quaternion[b])
                ends.append(state.body_position[b] + turn @ links.offset[i, j])
            else:
                ends.append(state.point_position[links.end_index[i, j]])
        if links.end_kind[i, 1] == BODY and links.end_index[i, 1] == k:
            parts.append(at_arm(force, R @ links.offset[i, 1]) + np.concatenate([np.zeros(3), moment]))
        if links.end_kind[i, 0] == BODY and links.end_index[i, 0] == k:
            arm = ends[1] - state.body_position[k]
            parts.append(at_arm(-force, arm) - np.concatenate([np.zeros(3), moment]))
    return parts


def _stiffness(model: Model, state: State, k: int) -> Array:
    """The user's stiffness on the offset and the turn from home."""
    bodies = model.bodies
    K = bodies.stiffness[k]
    if not np.any(K):
        return np.zeros(6)
    w, x, y, z = _turn(state.body_quaternion[k], bodies.quaternion[k])
    sine = float(np.linalg.norm((x, y, z)))
    sign = 1.0 if w >= 0.0 else -1.0
    angle = 2.0 * np.arctan2(sine, abs(w))
    turn = sign * np.array([x, y, z]) * (angle / sine if sine > 0.0 else 2.0)
    return -K @ np.concatenate([state.body_position[k] - bodies.position[k], turn])


def _turn(now: Array, home: Array) -> Array:
    """Quaternion of the turn from one attitude to another, in the world."""
    (w, *v), (c, *back) = now.tolist(), home.tolist()
    (x, y, z), (a, b, d) = v, (-part for part in back)
    return np.array([w * c - x * a - y * b - z * d, w * a + c * x + y * d - z * b, w * b + c * y + z * a - x * d,
                     w * d + c * z + x * b - y * a])  # fmt: skip
