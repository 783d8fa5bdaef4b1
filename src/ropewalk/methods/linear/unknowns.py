"""Unknowns of a system about rest, and how every node moves with them.

Unknowns are, along each line, the position of a node and the tension of the element before it; then the free
components of points and the six of each free body (translation, rotation about world axes through the origin),
and the multipliers of links.
In this order elimination needs no pivoting and hardly fills in.
Inputs are the held and moved components of points and bodies. The rows of positions are the nodes of the lines
and, after them, the points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ropewalk.assembly.links import ROWS as LINK_ROWS
from ropewalk.assembly.mesh import Mesh, build_mesh
from ropewalk.errors import InputError
from ropewalk.loads.screen import SCREEN
from ropewalk.model.arrays import Array, Ints, Records, floats, ints, offsets, records
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix
from ropewalk.physics.rigidbody import arm_matrix

NO_LINKS = floats([])
NO_SCREENS = records(0, SCREEN)


class Unknowns(NamedTuple):
    """Numbers of the unknowns and inputs; -1 for what is none."""

    mesh: Mesh
    first: Ints  # (n_elements,) node before each element
    inner: Ints  # (n_nodes, 3) unknowns of the lines' inner nodes
    tension: Ints  # (n_elements,)
    point: Ints  # (n_points, 3) by component of the joint's frame
    body: Ints  # (n_bodies, 6)
    point_input: Ints  # (n_points, 3)
    body_input: Ints  # (n_bodies, 6)
    ends: Ints  # (n_lines, 2) end nodes A and B
    link: Ints  # multipliers of all links
    link_start: Ints  # (n_links + 1,) first of each link
    size: int
    n_inputs: int
    screen: Records = NO_SCREENS  # (s,) of SCREEN of loads/screen.py; corners are rows of positions


class Place(NamedTuple):
    """Where everything is."""

    r: Array  # (n_rows, 3) nodes and points, m
    T: Array  # (n_elements,) N
    body_position: Array  # (n_bodies, 3) m
    quaternion: Array  # (n_bodies, 4)
    hold: Array = NO_LINKS  # multipliers of links, N, N m


def number(model: Model) -> Unknowns:
    """Cut the lines into elements and number the unknowns."""
    if model.lines.load_kind.size:
        raise InputError("frequency analyses do not support distributed loads on lines; leave `loads` out")
    mesh = build_mesh(model)
    n_nodes, n_lines = mesh.s.size, model.lines.length.size
    inner, tension = np.full((n_nodes, 3), -1), np.zeros(mesh.element.shape[0], dtype=np.int64)
    first, ends = np.zeros_like(tension), np.zeros((n_lines, 2), dtype=np.int64)
    count = 0
    for line in range(n_lines):
        n0, n1 = mesh.node_start[line], mesh.node_start[line + 1]
        e0 = mesh.element_start[line]
        m = n1 - n0 - 1
        first[e0 : e0 + m] = np.arange(n0, n1 - 1)
        inner[n0 + 1 : n1 - 1] = count + 4 * np.arange(m - 1)[:, None] + np.arange(3)
        tension[e0 : e0 + m] = count + 4 * np.arange(m) + np.where(np.arange(m) < m - 1, 3, 0)
        count += 4 * m - 3 if m > 1 else 0
        ends[line] = (n1 - 1, n0) if mesh.line[line].flipped else (n0, n1 - 1)
    is_free = model.points.joint != HELD
    is_loose = np.repeat((model.bodies.joint == LOOSE)[:, None], 6, axis=1)
    point, count = _numbered(is_free, count)
    body, count = _numbered(is_loose, count)
    # a line of one element has no node of its own before its tension, whose pivot must come after some node's
    alone = mesh.element_start[:-1][np.diff(mesh.element_start) == 1]
    tension[alone] = count + np.arange(alone.size)
    count += alone.size
    held = np.sum(model.links.axis.hold.reshape(-1, 3) == HELD, axis=1)
    link_start = offsets([LINK_ROWS.get(int(k), int(own)) for k, own in zip(model.links.kind, held, strict=True)])
    link = ints(count + np.arange(int(link_start[-1])))
    count += link.size
    point_input, inputs = _numbered(~is_free, 0)
    body_input, inputs = _numbered(~is_loose, inputs)
    return Unknowns(mesh, ints(first), ints(inner), ints(tension), point, body, point_input, body_input, ints(ends),
                    link, link_start, count, inputs)  # fmt: skip


def _numbered(which: Array, count: int) -> tuple[Ints, int]:
    """Numbers from `count` on where `which` is true, -1 elsewhere; and the next number."""
    result = np.full(which.shape, -1)
    n = int(np.sum(which))
    result[which] = count + np.arange(n)
    return ints(result), count + n


def movement(model: Model, unknowns: Unknowns, quaternion: Array) -> tuple[csr_matrix, csr_matrix]:
    """How all rows (3 per node and point) move with the unknowns and with the inputs.

    quaternion : (n_bodies, 4) of the bodies that lines end on
    """
    n_nodes, n_points = unknowns.mesh.s.size, len(model.names.points)
    none = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    entries: tuple[list[tuple[Ints, Ints, Array]], ...] = ([none], [none])
    node, axis = np.nonzero(unknowns.inner >= 0)
    entries[0].append((3 * node + axis, unknowns.inner[node, axis], np.ones(node.size)))

    def put(row: int, columns: Ints, inputs: Ints, block: Array) -> None:
        """block : (3, len(columns)) of the three components of a row."""
        for target, chosen in zip(entries, (columns, inputs), strict=True):
            used = chosen >= 0
            p, c = np.nonzero(np.broadcast_to(used, block.shape))
            target.append((3 * row + p, chosen[c], block[p, c]))

    for j in range(n_points):
        put(n_nodes + j, unknowns.point[j], unknowns.point_input[j], model.points.frame[j].T)
    lines = model.lines
    for line in range(lines.length.size):
        for side in range(2):
            k, row = lines.end_index[line, side], int(unknowns.ends[line, side])
            if lines.end_kind[line, side] == BODY:
                block = arm_matrix(rotation_matrix(quaternion[k]) @ lines.end_offset[line, side])
                put(row, unknowns.body[k], unknowns.body_input[k], block)
            else:
                put(row, unknowns.point[k], unknowns.point_input[k], model.points.frame[k].T)
    rows = 3 * (n_nodes + n_points)
    S, S_in = (
        csr_matrix(
            (np.concatenate([v for _, _, v in part]),
             (np.concatenate([i for i, _, _ in part]), np.concatenate([c for _, c, _ in part]))),
            shape=(rows, columns),
        )
        for part, columns in zip(entries, (unknowns.size, unknowns.n_inputs), strict=True)
    )  # fmt: skip
    return S, S_in
