r"""Free rigid bodies as point masses and rigid bars: exactly the same body, so every solver of bars takes it.

A rigid body is its masses' zeroth, first and second moments, :math:`\Sigma = \int X X^T dm` with
:math:`X = (1, x)`; any masses with the same moments that keep their distances move as it does ([Routh1905] calls
them equimomental; [Wensing2018] has the matrix). Where something acts on the body (a line, the water on a sphere, a
given force) there is a point with a part of the mass, :math:`\mu = w / (X^T \Sigma^{-1} X)`; with the shares w adding
to one half, :math:`\Sigma - \sum \mu X X^T` is positive definite. It is met by four equal masses on a tetrahedron
along its principal axes. Six bars join these, and three more hold every other point. Position and attitude are read
from the points.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array
from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_SPHERE
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.state import rotation_matrix
from ropewalk.physics.motion import motion

if TYPE_CHECKING:
    from ropewalk.model.model import Model
    from ropewalk.model.state import State
    from ropewalk.solvers.bars_arrays import Places
    from ropewalk.solvers.bars_build import Draft

SHARE = 0.5  # of the moments of a body that its points of attack may take
INERTIA_FLOOR = 5e-5  # of mass times size squared: second moment of a body that is given thinner than this
SAME_PLACE = 1e-9  # of the body's size: attachments nearer than this are one point
TETRAHEDRON = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])


def refuse_bodies(model: Model) -> None:
    """Raise InputError for free bodies that point masses cannot stand for, and links between bodies."""
    bodies, sea = model.bodies, model.sea
    if model.links.names:
        raise InputError(f"link '{model.links.names[0]}': the bar solvers have no links; use the solver 'mixed_fem'")
    for k, name in enumerate(model.names.bodies):
        if bodies.joint[k] != LOOSE:
            if bodies.motion[k] >= 0 and np.diff(model.motions.turn_start)[bodies.motion[k]] > 0:
                raise InputError(f"body '{name}': the bar solvers do not turn bodies that move; use 'mixed_fem'")
            continue
        matrices = (bodies.stiffness[k], bodies.damping[k], bodies.added_mass[k])
        what = ""
        if bodies.hull[k] == HULL_AXISYMMETRIC:
            what = "a hull of revolution"
        elif any(np.any(matrix != 0.0) for matrix in matrices):
            what = "matrices of stiffness, damping or added mass"
        elif np.any(bodies.load_moment[k] != 0.0):
            what = "a given moment"
        elif bodies.hull[k] == HULL_SPHERE and bodies.wind_drag[k] > 0.0 and sea.wind_speed > 0.0:
            what = "wind on its hull"
        if what:
            raise InputError(
                f"body '{name}' has {what}, which the bar solvers do not take: they take spheres and bodies without "
                "a hull; use the solver 'mixed_fem'"
            )
        if not bodies.mass[k] > 0.0:
            raise InputError(f"body '{name}': it has no mass; the bar solvers need one for a body that moves")


def add_body(draft: Draft, model: Model, state: State, k: int) -> tuple[list[int], Array]:
    """Nodes of free body k with their masses and loads; the nodes, and their places in the body's frame, m."""
    places = _attacked(model, k)
    tetrahedron, masses = equal_masses(model, k, places)
    places = np.concatenate([tetrahedron, places])
    turn = rotation_matrix(state.body_quaternion[k])
    arms = places @ turn.T
    speed = state.body_velocity[k] + np.cross(state.body_rate[k], arms)
    owner = f"body '{model.names.bodies[k]}'"
    nodes = [draft.add_node(state.body_position[k] + arm, v, owner) for arm, v in zip(arms, speed, strict=True)]
    for node, mass in zip(nodes, masses, strict=True):
        draft.node[node][0] += mass
    _put_loads(draft, model, k, nodes, places)
    return nodes, places


def equal_masses(model: Model, k: int, places: Array) -> tuple[Array, Array]:
    """Corners of the tetrahedron (4, 3) in the body's frame, m, and the masses of corners and `places`, kg."""
    bodies = model.bodies
    m, centre, inertia = float(bodies.mass[k]), bodies.centre[k], bodies.inertia[k]
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    size = max(float(np.sqrt(np.trace(inertia) / (2.0 * m))), float(bodies.sphere[k, 3]),
               float(np.abs(places).max(initial=0.0)))  # fmt: skip
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


def _attacked(model: Model, k: int) -> Array:
    """(n, 3) places in the body's frame where lines, water and given forces act, each once."""
    bodies, lines = model.bodies, model.lines
    found = list(lines.end_offset[(lines.end_kind == BODY) & (lines.end_index == k)])
    if bodies.hull[k] == HULL_SPHERE:
        found.append(bodies.sphere[k, :3])
    if bodies.volume[k] > 0.0:
        found.append(np.zeros(3))
    if np.any(bodies.load_force[k] != 0.0):
        found.append(bodies.load_at[k])
    size = max((float(np.linalg.norm(place)) for place in found), default=0.0) or 1.0
    once: list[Array] = []
    for place in found:
        if all(np.linalg.norm(place - other) > SAME_PLACE * size for other in once):
            once.append(place)
    return np.array(once).reshape(-1, 3)


def body_bars(places: Array) -> list[tuple[int, int]]:
    """Bars between the points of a body: the edges of its tetrahedron, and three to every other point.

    The three corners are those that hold the point best, in directions as different as can be.
    """
    bars = list(combinations(range(4), 2))
    for p in range(4, len(places)):
        way = places[:4] - places[p]
        unit = way / np.linalg.norm(way, axis=1)[:, None]
        best = max(combinations(range(4), 3), key=lambda three: abs(np.linalg.det(unit[list(three)])))
        bars.extend((corner, p) for corner in best)
    return bars


def _put_loads(draft: Draft, model: Model, k: int, nodes: list[int], places: Array) -> None:
    """What acts on a body goes to its points; a sphere is what a point of the case with a volume is."""
    bodies, rho = model.bodies, model.sea.water_density
    at = lambda place: nodes[4 + int(np.argmin(np.linalg.norm(places[4:] - place, axis=1)))]  # noqa: E731
    if bodies.hull[k] == HULL_SPHERE:
        radius = float(bodies.sphere[k, 3])
        volume = 4.0 / 3.0 * np.pi * radius**3
        row = draft.node[at(bodies.sphere[k, :3])]
        row[1] += volume
        row[2] += float(bodies.drag_normal[k]) * np.pi * radius**2
        row[3] += float(bodies.added_normal[k]) * rho * volume
    if bodies.volume[k] > 0.0:
        draft.force[at(np.zeros(3))] += np.array([0.0, 0.0, rho * model.sea.gravity * bodies.volume[k]])
    if np.any(bodies.load_force[k] != 0.0):
        draft.force[at(bodies.load_at[k])] += bodies.load_force[k]


def end_nodes(model: Model, k: int, nodes: list[int], places: Array) -> dict[tuple[int, int], int]:
    """Node of every line end (line, side) on body k."""
    lines = model.lines
    return {
        (int(i), int(side)): nodes[4 + int(np.argmin(np.linalg.norm(places[4:] - lines.end_offset[i, side], axis=1)))]
        for i, side in np.argwhere((lines.end_kind == BODY) & (lines.end_index == k))
    }


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
