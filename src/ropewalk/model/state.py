"""State: positions, velocities, tensions. The same for every solver, so that dynamics starts from statics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints, floats
from ropewalk.model.lines import BODY, POINT, ROD
from ropewalk.model.model import Model
from ropewalk.model.net_measures import flow_direction, measure

NODES_PER_LINE = 51  # of a State made without a mesh: enough to draw a line
EVENLY = floats(np.linspace(0.0, 1.0, NODES_PER_LINE))  # places of their nodes over the length
NONE, NO_PLACES = floats([]), floats([], (0, 3))  # what belongs to nets, where there are none


class State(NamedTuple):
    """A moment. Nodes of all lines lie end to end: line i has nodes start[i]:start[i + 1]."""

    time: float  # s
    point_position: Array  # (n_points, 3) m
    point_velocity: Array  # (n_points, 3) m/s
    point_force: Array  # (n_points, 3) force of the point on what holds it, springs of its joint included, N
    body_position: Array  # (n_bodies, 3) of the origins, m
    body_quaternion: Array  # (n_bodies, 4) scalar first, body to world
    body_velocity: Array  # (n_bodies, 3) of the origins, m/s
    body_rate: Array  # (n_bodies, 3) angular velocity, world, rad/s
    start: Ints  # (n_lines + 1,)
    s: Array  # (n_nodes,) unstretched arc length from end A, m
    position: Array  # (n_nodes, 3) m
    velocity: Array  # (n_nodes, 3) m/s
    tension: Array  # (n_nodes,) effective tension, N
    end_force: Array  # (n_lines, 2, 3) force of the line on what holds its ends A and B, N
    grounded: Array  # (n_lines,) unstretched length on the seabed, m
    # knots and twines of all nets lie end to end as in model.nets; filled by the solvers that claim nets
    net_position: Array = NO_PLACES  # (n_knots, 3) m
    net_velocity: Array = NO_PLACES  # (n_knots, 3) m/s
    net_tension: Array = NONE  # (n_twines,) of all twines that a bar stands for together, N
    net_force: Array = NO_PLACES  # (n_nets, 3) of the water on the netting, without buoyancy, N
    net_mouth_area: Array = NONE  # (n_nets,) of the polygon of the upper edge, m2
    net_mouth_width: Array = NONE  # (n_nets,) between the ends of a panel's upper edge, or across a cylinder's, m
    net_projected_area: Array = NONE  # (n_nets,) on a plane across the flow, every layer counted, m2
    net_volume: Array = NONE  # (n_nets,) inside a cylinder, 0 for panels, m3
    line_length: Array = NONE  # (n_winches,) unstretched length of the lines with winches, m
    link_force: Array = NO_PLACES  # (n_links, 3) of links on their second ends, N; by the solvers that claim links
    link_moment: Array = NO_PLACES  # (n_links, 3) on the part there, about that end, N m
    # what the audit reads; no part of results and checkpoints. Empty where a method does not give it
    node_force: Array = NO_PLACES  # (n_nodes, 3) n(s) just beyond each node (at end B just before it), N; continuous
    element_tension: Array = NONE  # (n_nodes,) of the element from each node to the next, N; 0 at end B; lumped


def rotation_matrix(quaternion: Array) -> Array:
    """Rotation matrix, body to world, of a unit quaternion."""
    w, x, y, z = quaternion
    matrix: Array = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return matrix


def end_positions(model: Model, point_position: Array, body_position: Array, body_quaternion: Array) -> Array:
    """(n_lines, 2, 3) positions of the ends of the lines, m; NaN on rods, unknown until their equilibrium is found."""
    lines = model.lines
    ends: Array = np.zeros((lines.length.size, 2, 3))
    if (lines.end_kind == POINT).all():
        ends[:] = point_position[lines.end_index]
        return ends
    for i in range(lines.length.size):
        for j in range(2):
            k = lines.end_index[i, j]
            if lines.end_kind[i, j] == BODY:
                ends[i, j] = body_position[k] + rotation_matrix(body_quaternion[k]) @ lines.end_offset[i, j]
            else:
                ends[i, j] = np.nan if lines.end_kind[i, j] == ROD else point_position[k]
    return ends


def initial_state(model: Model) -> State:
    """The state as the file gives it at t = 0: lines straight between their ends, without tension."""
    ends = end_positions(model, model.points.position, model.bodies.position, model.bodies.quaternion)
    n_points, n_bodies, n_lines = len(model.names.points), len(model.names.bodies), len(model.names.lines)
    x = EVENLY
    first, last = ends[:, :1], ends[:, 1:]
    state = State(
        time=0.0,
        point_position=model.points.position,
        point_velocity=np.zeros((n_points, 3)),
        point_force=np.zeros((n_points, 3)),
        body_position=model.bodies.position,
        body_quaternion=model.bodies.quaternion,
        body_velocity=np.zeros((n_bodies, 3)),
        body_rate=np.zeros((n_bodies, 3)),
        start=np.arange(n_lines + 1, dtype=np.int64) * NODES_PER_LINE,
        s=(model.lines.length[:, None] * x).reshape(-1),
        position=(first + x[:, None] * (last - first)).reshape(-1, 3),
        velocity=np.zeros((n_lines * NODES_PER_LINE, 3)),
        tension=np.zeros(n_lines * NODES_PER_LINE),
        end_force=np.zeros((n_lines, 2, 3)),
        grounded=np.zeros(n_lines),
    )
    if not model.nets.names:
        return state
    nets = measure(model.nets, model.nets.knot, np.tile(flow_direction(model.sea), (len(model.nets.names), 1)))
    return state._replace(
        net_position=model.nets.knot,
        net_velocity=np.zeros_like(model.nets.knot),
        net_tension=np.zeros(model.nets.length.size),
        net_force=np.zeros((len(model.nets.names), 3)),
        net_mouth_area=nets.mouth_area,
        net_mouth_width=nets.mouth_width,
        net_projected_area=nets.projected_area,
        net_volume=nets.volume,
    )


def resample(state: State, line: int, s: Array) -> tuple[Array, Array, Array]:
    """Position, velocity and tension of a line at other arc lengths, linear between its nodes."""
    nodes = slice(state.start[line], state.start[line + 1])
    at = state.s[nodes]
    position: Array = np.stack([np.interp(s, at, state.position[nodes, j]) for j in range(3)], axis=1)
    velocity: Array = np.stack([np.interp(s, at, state.velocity[nodes, j]) for j in range(3)], axis=1)
    return position, velocity, np.interp(s, at, state.tension[nodes])


def line_force(state: State, i: int) -> Array:
    """(n, 3) force n(s) of line i at its nodes: that of the state, or its tension along the nodes."""
    nodes = slice(state.start[i], state.start[i + 1])
    if state.node_force.shape[0] == state.s.size:
        return state.node_force[nodes]
    return state.tension[nodes, None] * tangents_along(state.position[nodes])


def tangents_along(r: Array) -> Array:
    """(n, 3) unit tangents at places along a line."""
    t: Array = np.gradient(r, axis=0)
    size = np.linalg.norm(t, axis=1)
    t[size == 0.0] = [1.0, 0.0, 0.0]
    return t / np.where(size > 0.0, size, 1.0)[:, None]


def on_nodes(state: State, start: Ints, s: Array) -> State:
    """The state at other nodes, those of a run's first record: static methods place nodes at touchdown points."""
    if np.array_equal(state.s, s):
        return state
    parts = [resample(state, line, s[start[line] : start[line + 1]]) for line in range(start.size - 1)]
    return state._replace(
        start=start,
        s=s,
        position=np.concatenate([r for r, _, _ in parts]),
        velocity=np.concatenate([v for _, v, _ in parts]),
        tension=np.concatenate([T for _, _, T in parts]),
        node_force=NO_PLACES,
        element_tension=NONE,
    )


def net_summary(model: Model, state: State) -> dict[str, dict[str, object]]:
    """Plain data of every net: forces (N), areas (m2), volume (m3) and its part of the given one, None for panels.

    `drag` is the force along the current; without one, against the net's own velocity.
    """
    nets = model.nets
    flow = np.tile(flow_direction(model.sea), (len(nets.names), 1))
    given = measure(nets, nets.knot, flow).volume
    out: dict[str, dict[str, object]] = {}
    for i, name in enumerate(nets.names):
        own = slice(int(nets.knot_start[i]), int(nets.knot_start[i + 1]))
        tension = state.net_tension[int(nets.bar_start[i]) : int(nets.bar_start[i + 1])]
        closed = bool(given[i] > 0.0)
        out[name] = {
            "drag": float(state.net_force[i] @ flow_direction(model.sea, state.net_velocity[own])),
            "force": state.net_force[i].tolist(),
            "max_tension": float(tension.max()),
            "mouth_area": float(state.net_mouth_area[i]),
            "mouth_width": float(state.net_mouth_width[i]),
            "projected_area": float(state.net_projected_area[i]),
            "volume": float(state.net_volume[i]) if closed else None,
            "volume_fraction": float(state.net_volume[i] / given[i]) if closed else None,
        }
    return out
