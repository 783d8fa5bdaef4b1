r"""Links between bodies about rest: `link_terms` of assembly/links.py by the unknowns and inputs.

The multipliers are unknowns beside the tensions; K, B and H of a link are those of the heading there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from ropewalk.assembly.links import MOST_ROWS, link_terms
from ropewalk.errors import InputError
from ropewalk.methods.linear.unknowns import Place, Unknowns
from ropewalk.model.arrays import Array
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix
from ropewalk.numerics.blockelimination import ZERO3
from ropewalk.physics.rigidbody import arm_matrix


class End(NamedTuple):
    """An end of a link."""

    pose: Any  # as `link_terms` reads it, at rest
    columns: Any  # unknowns of what it is fastened to, -1 for what is none
    inputs: Any  # and inputs
    moves: Array  # (6, columns) its move and turn by them


class LinkMatrices(NamedTuple):
    """What the links add to the system."""

    K: csr_matrix  # (n, n)
    B: csr_matrix
    K_in: csr_matrix  # (n, n_inputs)
    B_in: csr_matrix
    residual: Array  # (n,) minus forces; residuals of the equations, m


def refuse_friction(model: Model) -> None:
    """Raise InputError for joints with dry friction, which has no slope at rest."""
    links = model.links
    for i, name in enumerate(links.names):
        if links.friction[i] > 0.0 or np.any(links.axis.friction[3 * i : 3 * i + 3] > 0.0):
            raise InputError(
                f"link '{name}': frequency analyses do not support dry friction; leave it out, or give a damping"
            )


def link_matrices(model: Model, unknowns: Unknowns, place: Place) -> LinkMatrices:
    """Stiffness, damping, equations and residual of all links over the unknowns and inputs."""
    n, m, links = unknowns.size, unknowns.n_inputs, unknowns.mesh.bodies.links
    terms = links.scratch
    parts: dict[str, list[tuple[Any, Any, Array]]] = {"K": [], "B": [], "K_in": [], "B_in": []}
    residual: Array = np.zeros(n)
    for i in range(len(model.links.names)):
        ends = [_end(model, unknowns, place, i, side) for side in range(2)]
        rows = unknowns.link[unknowns.link_start[i] : unknowns.link_start[i + 1]]
        force = place.hold[unknowns.link_start[i] : unknowns.link_start[i + 1]]
        forces = tuple(np.pad(force, (0, MOST_ROWS - force.size)).tolist())
        link_terms(links.link[i], links.axis[3 * i : 3 * i + 3], (ends[0].pose, ends[1].pose), forces, terms)
        columns, by = _reach(ends, inputs=False)
        given, by_given = _reach(ends, inputs=True)
        hold = terms.hold[: rows.size]
        H = hold @ by
        parts["K"] += [(columns, columns, by.T @ terms.own @ by), (rows, columns, H), (columns, rows, H.T)]
        parts["B"].append((columns, columns, by.T @ terms.rate @ by))
        parts["K_in"] += [(columns, given, by.T @ terms.own @ by_given), (rows, given, hold @ by_given)]
        parts["B_in"].append((columns, given, by.T @ terms.rate @ by_given))
        residual[columns] += by.T @ terms.wrench
        residual[rows] += terms.gap[: rows.size]
    return LinkMatrices(
        _sparse(parts["K"], (n, n)), _sparse(parts["B"], (n, n)), _sparse(parts["K_in"], (n, m)),
        _sparse(parts["B_in"], (n, m)), residual,
    )  # fmt: skip


def _end(model: Model, unknowns: Unknowns, place: Place, i: int, side: int) -> End:
    """End `side` of link i."""
    links, k = model.links, int(model.links.end_index[i, side])
    moves = np.zeros((6, 6))
    if links.end_kind[i, side] == BODY:
        R = rotation_matrix(place.quaternion[k])
        arm = R @ links.offset[i, side]
        moves[:3], moves[3:, 3:] = arm_matrix(arm), np.eye(3)
        pose = _at_rest(R, place.body_position[k] + arm, arm)
        return End(pose, unknowns.body[k], unknowns.body_input[k], moves)
    moves[:3, :3] = model.points.frame[k].T
    pose = _at_rest(np.eye(3), place.r[unknowns.mesh.s.size + k], np.zeros(3))
    return End(pose, unknowns.point[k], unknowns.point_input[k], moves[:, :3])


def _at_rest(R: Array, place: Array, arm: Array) -> Any:
    """An end as `link_terms` reads it.  R : (3, 3)    place, arm : (3,) m"""
    return tuple(R.ravel().tolist()), tuple(place.tolist()), tuple(arm.tolist()), ZERO3, ZERO3


def _reach(ends: list[End], *, inputs: bool) -> tuple[Any, Array]:
    """Unknowns, or inputs, that move a link, and (12, c) the moves and turns of its ends by them."""
    chosen = [end.inputs if inputs else end.columns for end in ends]
    blocks = []
    for side, (end, columns) in enumerate(zip(ends, chosen, strict=True)):
        block = np.zeros((12, int(np.count_nonzero(columns >= 0))))
        block[6 * side : 6 * side + 6] = end.moves[:, columns >= 0]
        blocks.append(block)
    return np.concatenate([columns[columns >= 0] for columns in chosen]), np.concatenate(blocks, axis=1)


def _sparse(parts: list[tuple[Any, Any, Array]], shape: tuple[int, int]) -> csr_matrix:
    """Sum of dense blocks on given rows and columns."""
    found = [(*np.meshgrid(rows, columns, indexing="ij"), block) for rows, columns, block in parts if block.size]
    if not found:
        return csr_matrix(shape)
    i, j, v = (np.concatenate([np.ravel(part[k]) for part in found]) for k in range(3))
    return coo_matrix((v, (i, j)), shape=shape).tocsr()
