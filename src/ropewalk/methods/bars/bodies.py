r"""Free rigid bodies as point masses and rigid bars: exactly the same body, so every solver of bars takes it.

A rigid body is its masses' zeroth, first and second moments, :math:`\Sigma = \int X X^T dm` with
:math:`X = (1, x)`; any masses with the same moments that keep their distances move as it does ([Routh1905] calls
them equimomental; [Wensing2018] has the matrix). Where a line or a net is fastened and where the water adds mass (the
strips of a hull, the parts of a matrix) there is a point with a part of the mass,
:math:`\mu = w / (X^T \Sigma^{-1} X)`; with the shares w adding to one half, :math:`\Sigma - \sum \mu X X^T` is positive
definite. It is met by four equal masses on a tetrahedron along its principal axes. Six bars join these, and three more
hold every other point. Position and attitude are read from the points. What acts on the body, beside its weight, goes
to the four corners: hulls.py.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.methods.bars.added import SCALES, frame_places, point_tensors
from ropewalk.methods.bars.hull_arrays import HullPoints, loaded, opened, strip_places
from ropewalk.methods.bars.hulls import hull_damping
from ropewalk.methods.bars.links import Grip, LinkDraft
from ropewalk.model.arrays import Array
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.state import end_positions, rotation_matrix
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product
from ropewalk.physics.motion import motion, rotation
from ropewalk.physics.rigidbody import arm_matrix

if TYPE_CHECKING:
    from ropewalk.methods.bars.arrays import Field, LinkNodes, Places
    from ropewalk.methods.bars.draft import Draft
    from ropewalk.model.model import Model
    from ropewalk.model.state import State

SHARE = 0.5  # of the moments of a body that its other points may take
INERTIA_FLOOR = 5e-5  # of mass times size squared: second moment of a body that is given thinner than this
SAME_PLACE = 1e-9  # of the body's size: attachments nearer than this are one point
TETRAHEDRON = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])


def refuse_bodies(model: Model) -> None:
    """Raise InputError for free bodies that point masses cannot stand for."""
    bodies = model.bodies
    for k, name in enumerate(model.names.bodies):
        if bodies.joint[k] == LOOSE and not bodies.mass[k] > 0.0:
            raise InputError(f"body '{name}': it has no mass; the bar solvers need one for a body that moves")


class Points(NamedTuple):
    """Points of one free body: corners of its tetrahedron, where lines and nets are fastened, links, added mass."""

    nodes: list[int]
    places: Array  # (n, 3) in its frame, m
    masses: Array  # (n,) kg
    fastened: slice  # of those of lines and nets
    grips: slice  # of those of links
    firm: dict[int, list[int]]  # of such points: others that they keep their distance to without bars of this body
    hull: HullPoints | None


def add_body(draft: Draft, model: Model, state: State, k: int, grips: list[Grip]) -> Points:
    """Nodes of free body k with their masses; the loads come from hulls.py."""
    fastened, (wet, strips) = _fastened(model, k), strip_places(model, k)
    linked = np.array([grip.place for grip in grips]).reshape(-1, 3)
    places, masses, tensors = _points(model, k, np.concatenate([fastened, linked, wet]))
    turn = rotation_matrix(state.body_quaternion[k])
    arms = places @ turn.T
    speed = state.body_velocity[k] + np.cross(state.body_rate[k], arms)
    owner = f"body '{model.names.bodies[k]}'"
    at = slice(4 + len(fastened), 4 + len(fastened) + len(grips))
    there = dict(zip(range(at.start, at.stop), (grip.node for grip in grips), strict=True))
    nodes = []
    for p, (arm, v) in enumerate(zip(arms, speed, strict=True)):
        shared = there.get(p, -1)
        nodes.append(shared if shared >= 0 else draft.add_node(state.body_position[k] + arm, v, owner))
        draft.node[nodes[p]][0] += masses[p]
    firm = {at.start + i: list(range(at.start + i - grip.firm, at.start + i)) for i, grip in enumerate(grips)}
    own = dict(zip(range(at.stop, at.stop + len(strips)), strips, strict=True))
    hull = HullPoints(k, nodes, places, own, tensors) if loaded(model, k) else None
    return Points(nodes, places, masses, slice(4, at.start), at, firm, hull)


def _points(model: Model, k: int, others: Array) -> tuple[Array, Array, dict[int, Array]]:
    """Places and masses of corners, `others` and, last, what a matrix of added mass needs, with its tensors."""
    bodies = model.bodies
    added = bodies.added_mass[k]
    if not np.any(added != 0.0):
        corners, masses = equal_masses(model, k, others)
        return np.concatenate([corners, others]), masses, {}
    for scale in SCALES:
        frame = frame_places(added, float(bodies.mass[k]), bodies.centre[k], bodies.inertia[k], scale)
        own = np.concatenate([others, frame])
        corners, masses = equal_masses(model, k, own)
        places = np.concatenate([corners, own])
        used = [*range(4), *range(4 + len(others), len(places))]
        tensors = point_tensors(added, masses[used], places[used])
        if tensors is not None:
            return places, masses, dict(zip(used, tensors, strict=True))
    raise InputError(
        f"body '{model.names.bodies[k]}': its added_mass matrix is not one of point masses, which the bar solvers "
        "need; use the solver 'mixed_fem'"
    )


def equal_masses(model: Model, k: int, places: Array) -> tuple[Array, Array]:
    """Corners of the tetrahedron (4, 3) in the body's frame, m, and the masses of corners and `places`, kg."""
    bodies = model.bodies
    m, centre, inertia = float(bodies.mass[k]), bodies.centre[k], bodies.inertia[k]
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    ball = float(bodies.hulls.radius[bodies.hulls_of(k)].max(initial=0.0))
    size = max(float(np.sqrt(np.trace(inertia) / (2.0 * m))), ball, float(np.abs(places).max(initial=0.0)))
    moments, axes = np.linalg.eigh(second)
    second = axes @ np.diag(np.maximum(moments, INERTIA_FLOOR * m * (size or 1.0) ** 2)) @ axes.T
    whole = np.zeros((4, 4))
    whole[0, 0] = m
    whole[0, 1:] = whole[1:, 0] = m * centre
    whole[1:, 1:] = second + m * np.outer(centre, centre)
    X = np.column_stack([np.ones(len(places)), places]) if len(places) else np.zeros((0, 4))
    own = SHARE / max(1, len(places)) / np.einsum("ij,ij->i", X, np.linalg.solve(whole, X.T).T)
    rest = whole - (X.T * own) @ X
    mass, middle = rest[0, 0], rest[0, 1:] / rest[0, 0]
    moments, axes = np.linalg.eigh(rest[1:, 1:] - mass * np.outer(middle, middle))
    corners: Array = middle + TETRAHEDRON @ np.diag(np.sqrt(moments / mass)) @ axes.T
    return corners, np.concatenate([np.full(4, 0.25 * mass), own])


def read_bodies(model: Model, places: Places, r: Array, v: Array, t: float) -> dict[str, Array]:
    """Pose and velocity of all bodies from their points: the body fields of a State."""
    bodies = model.bodies
    out = {"body_position": bodies.position.copy(), "body_quaternion": bodies.quaternion.copy(),
           "body_velocity": np.zeros_like(bodies.position), "body_rate": np.zeros_like(bodies.position)}  # fmt: skip
    for k in range(bodies.mass.size):
        own = slice(int(places.body_start[k]), int(places.body_start[k + 1]))
        nodes, at = places.body_node[own], places.body_place[own]
        if not nodes.size:
            way = np.zeros((3, 3))
            motion(t, int(bodies.motion[k]), model.motions, way)
            out["body_position"][k] += way[0]
            out["body_velocity"][k] = way[1]
            rotation(t, int(bodies.motion[k]), model.motions, way)
            out["body_quaternion"][k] = quaternion_product(quaternion_exp(way[0]), bodies.quaternion[k])
            out["body_rate"][k] = way[1]
            continue
        # (o, R) from o + R x = r at all points, and likewise for the rates
        unknown = np.linalg.pinv(np.column_stack([np.ones(nodes.size), at]))
        pose, rate = unknown @ r[nodes], unknown @ v[nodes]
        turn = _nearest_rotation(pose[1:].T)
        spin = rate[1:].T @ turn.T
        out["body_position"][k], out["body_velocity"][k] = pose[0], rate[0]
        out["body_quaternion"][k] = _quaternion(turn, bodies.quaternion[k])
        out["body_rate"][k] = 0.5 * np.array(
            [spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]
        )
    return out


def _fastened(model: Model, k: int) -> Array:
    """(n, 3) places in the body's frame where lines end and nets are fastened, each once."""
    lines, nets = model.lines, model.nets
    found = [*lines.end_offset[(lines.end_kind == BODY) & (lines.end_index == k)], *nets.place[nets.body == k]]
    size = max((float(np.linalg.norm(place)) for place in found), default=0.0) or 1.0
    once: list[Array] = []
    for place in found:
        if all(np.linalg.norm(place - other) > SAME_PLACE * size for other in once):
            once.append(place)
    return np.array(once).reshape(-1, 3)


def body_bars(places: Array, firm: dict[int, list[int]]) -> list[tuple[int, int]]:
    """Bars between the points of a body: the edges of its tetrahedron, and three to every other point.

    The three corners are those that hold the point best, in directions as different as can be. For each point that
    another keeps its distance to already (`firm`) there is one bar less.
    """
    bars = list(combinations(range(4), 2))
    for p in range(4, len(places)):
        others = [*range(4), *firm.get(p, [])]
        way = places[others] - places[p]
        unit = way / np.linalg.norm(way, axis=1)[:, None]
        given = list(range(4, len(others)))
        best = max(combinations(range(4), 3 - len(given)), key=lambda own: _spread(unit[[*own, *given]]))
        bars.extend((corner, p) for corner in best)
    return bars


def _spread(directions: Array) -> float:
    """Volume between three unit vectors."""
    return abs(float(np.linalg.det(directions)))


def end_nodes(model: Model, k: int, points: Points) -> dict[tuple[int, int], int]:
    """Node of every line end (line, side) on body k."""
    lines = model.lines
    return {
        (int(i), int(side)): node_at(points, lines.end_offset[i, side])
        for i, side in np.argwhere((lines.end_kind == BODY) & (lines.end_index == k))
    }


def node_at(points: Points, place: Array) -> int:
    """The node of a body where lines or nets are fastened at `place` (3,), in its frame, m."""
    own = points.places[points.fastened]
    return points.nodes[points.fastened.start + int(np.argmin(np.linalg.norm(own - place, axis=1)))]


class BodyNodes:
    """Nodes of bodies: free ones as point masses and bars, the others where lines end."""

    def __init__(self, draft: Draft, model: Model, state: State) -> None:
        refuse_bodies(model)
        self.draft, self.model = draft, model
        self.points: list[Points] = []
        self.end: dict[tuple[int, int], int] = {}  # node of a line's end on a body
        self.links = LinkDraft(draft, model, self.hold)
        home = end_positions(model, model.points.position, model.bodies.position, model.bodies.quaternion)
        for k in range(len(model.names.bodies)):
            if model.bodies.joint[k] == LOOSE:
                own = add_body(draft, model, state, k, self.links.grips(k))
                corners = (own.nodes[:4], own.places[:4])
                self.links.keep(k, own.nodes[own.grips], own.masses[own.grips].tolist(), corners)
                self.points.append(own)
                self.end.update(end_nodes(model, k, own))
            else:
                self.points.append(Points([], np.zeros((0, 3)), np.zeros(0), slice(0, 0), slice(0, 0), {}, None))
                for i, side in np.argwhere((model.lines.end_kind == BODY) & (model.lines.end_index == k)):
                    self.end[int(i), int(side)] = self.hold(k, home[i, side])

    def join(self) -> tuple[LinkNodes, ...]:
        """Bars of all free bodies, then those of links; where the loads of links are read."""
        for own in self.points:
            for a, b in body_bars(own.places, own.firm) if own.nodes else []:
                length = float(np.linalg.norm(own.places[b] - own.places[a]))
                self.draft.add_rod(own.nodes[a], own.nodes[b], length)
        return self.links.finish()

    def fasten(self, k: int, place: Array) -> int:
        """The node of body k at a place of its frame (m), where a net is fastened."""
        bodies = self.model.bodies
        if bodies.joint[k] == LOOSE:
            return node_at(self.points[k], place)
        return self.hold(k, bodies.position[k] + rotation_matrix(bodies.quaternion[k]) @ place)

    def hold(self, k: int, place: Array) -> int:
        """A node at `place` (m, before any motion) that body k, which is not free, holds."""
        model, draft = self.model, self.draft
        name, motion = model.names.bodies[k], int(model.bodies.motion[k])
        node = draft.add_node(place, np.zeros(3), f"body '{name}'", fixed=True, motion=motion)
        draft.arm[node] = place - model.bodies.position[k]
        return node


def body_rates(places: Places, field: Field, r: Array, inverse: Array) -> tuple[float, float]:
    """Largest squared frequency (1/s2) and rate of decay (1/s) of the free bodies under their own loads.

    In `inverse` (n,), 1/kg, their nodes get the mobility of the whole body in place of that of the point.
    """
    hulls, square, rate = opened(field.hulls), 0.0, 0.0
    hull_damping(hulls)
    loads = {int(k): j for j, k in enumerate(hulls.body)}
    for k in range(places.body_start.size - 1):
        nodes = places.body_node[int(places.body_start[k]) : int(places.body_start[k + 1])]
        if not nodes.size:
            continue
        origin = hulls.X[0, k] if k in loads else r[nodes[0]]
        J = [arm_matrix(arm) for arm in r[nodes] - origin]
        mass = sum(arm.T @ inertia @ arm for arm, inertia in zip(J, field.inertia[nodes], strict=True))
        mobility = np.linalg.inv(mass)
        inverse[nodes] = [np.linalg.norm(arm @ mobility @ arm.T, 2) for arm in J]
        if k in loads:
            square = max(square, float(np.abs(np.linalg.eigvals(mobility @ hulls.stiffness[loads[k]])).max()))
            rate = max(rate, float(np.abs(np.linalg.eigvals(mobility @ hulls.damping[loads[k]])).max()))
    return square, rate


def _nearest_rotation(matrix: Array) -> Array:
    """The rotation nearest to a matrix that is one but for drift, by its singular values."""
    u, _, w = np.linalg.svd(matrix)
    rotation: Array = u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ w))]) @ w
    return rotation


def _quaternion(R: Array, before: Array) -> Array:
    """Quaternion of a rotation matrix, of the sign nearer to `before`."""
    # eigenvector of the largest eigenvalue, [BarItzhack2000]
    K = np.array([
        [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
        [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
        [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1]],
    ])  # fmt: skip
    q: Array = np.linalg.eigh(K)[1][:, -1]
    return -q if q @ before < 0.0 else q
