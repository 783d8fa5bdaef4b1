r"""Links between bodies about rest: equations of position with multipliers, springs and dampers.

A link is written by the moves and turns of its ends, :math:`q = (p_A, \theta_A, p_B, \theta_B)`, as the mixed elements
have it (docs/theory/bodies.md): equations :math:`c(q) = 0` with the multipliers :math:`\lambda`, and forces between the
ends. Their part of the matrices is

.. math:: K = \frac{\partial (J^T \lambda + w)}{\partial q}, \qquad H = J = \frac{\partial c}{\partial q}, \qquad
          B = \sum c_d\, j\, j^T

for dampers along the directions j; the multipliers are unknowns beside the tensions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from ropewalk.errors import InputError
from ropewalk.loads.springs import hinge_moment, spring_law
from ropewalk.methods.linear.unknowns import Place, Unknowns
from ropewalk.model.arrays import Array
from ropewalk.model.joints import HELD, SPRING
from ropewalk.model.lines import BODY
from ropewalk.model.links import LINK_BALL, LINK_BAR, LINK_HINGE, LINK_JOINT
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix
from ropewalk.physics.rigidbody import arm_matrix

AT_A, AT_B = slice(0, 3), slice(6, 9)  # places of the ends in q
ABOUT_A, ABOUT_B = slice(3, 6), slice(9, 12)


def hat(a: Array) -> Array:
    """(3, 3) of the cross product with a (3,)."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


class End(NamedTuple):
    """An end of a link."""

    place: Array  # (3,) m
    arm: Array  # (3,) from the body's origin, world, m; 0 on a point
    turn: Array  # (3, 3) attitude, the unit matrix on a point
    columns: Any  # unknowns of what it is fastened to, -1 for what is none
    inputs: Any  # and inputs
    moves: Array  # (6, columns) its move and turn by them


class Terms:
    """One link, collected term by term."""

    def __init__(self, size: int) -> None:
        self.own, self.damping = np.zeros((12, 12)), np.zeros((12, 12))
        self.wrench, self.hold, self.gap = np.zeros(12), np.zeros((size, 12)), np.zeros(size)

    def together(self, d: Array, force: Array) -> None:
        """Both ends in one place.  d : first end less second, m    force : multipliers, N"""
        self.hold[:3, AT_A], self.hold[:3, AT_B] = np.eye(3), -np.eye(3)
        self.gap[:3] = d
        self.wrench[AT_A] += force
        self.wrench[AT_B] -= force

    def apart(self, d: Array, length: float, pull: float) -> None:
        """Both ends at a distance (m)."""
        span = float(np.linalg.norm(d))
        t = d / span
        self.hold[0, AT_A], self.hold[0, AT_B] = t, -t
        self.gap[0] = span - length
        self.wrench[AT_A] += pull * t
        self.wrench[AT_B] -= pull * t
        S = pull / span * (np.eye(3) - np.outer(t, t))
        for i, j, sign in ((AT_A, AT_A, 1.0), (AT_A, AT_B, -1.0), (AT_B, AT_A, -1.0), (AT_B, AT_B, 1.0)):
            self.own[i, j] += sign * S

    def square(self, row: int, u: Array, w: Array, moment: float) -> None:
        """The direction u of the first part stays square to w of the second; the equation counts in m for arms of 1 m.

        row : of the equation    moment : its multiplier, N m
        """
        across = np.cross(u, w)
        self.hold[row, ABOUT_A], self.hold[row, ABOUT_B] = across, -across
        self.gap[row] = float(u @ w)
        self.across(u, w, moment)

    def across(self, u: Array, w: Array, moment: float) -> None:
        """Moment times u x w on the second part, its opposite on the first.  moment : N m"""
        across, cosine = np.cross(u, w), float(u @ w)
        self.wrench[ABOUT_A] += moment * across
        self.wrench[ABOUT_B] -= moment * across
        by_a = moment * (np.outer(u, w) - cosine * np.eye(3))
        by_b = moment * (cosine * np.eye(3) - np.outer(w, u))
        for row_of, sign in ((ABOUT_A, 1.0), (ABOUT_B, -1.0)):
            self.own[row_of, ABOUT_A] += sign * by_a
            self.own[row_of, ABOUT_B] += sign * by_b

    def along(self, u: Array, d: Array, force: float, slope: float = 0.0) -> Array:
        """A force (N) on the second end along u of the first part, where the second is; its direction j in q.

        slope : of the force by the displacement of the second end, N/m
        """
        j = np.concatenate([u, np.cross(u, d), -u, np.zeros(3)])
        self.wrench += force * j
        turn = force * hat(u)
        self.own[AT_A, ABOUT_A] -= turn
        self.own[AT_B, ABOUT_A] += turn
        self.own[ABOUT_A, AT_A] += turn
        self.own[ABOUT_A, AT_B] -= turn
        self.own[ABOUT_A, ABOUT_A] += force * (np.outer(u, d) - float(u @ d) * np.eye(3))
        self.own -= slope * np.outer(j, j)
        return j

    def hinge(self, axes: tuple[Array, Array], stiffness: float, damping: float) -> None:
        """Spring and damper of a hinge about the third direction.  axes : rows (3, 3) of both parts, in the world"""
        n, u = axes[0][2], axes[1][0]
        angle = float(np.arctan2(axes[0][1] @ u, axes[0][0] @ u))
        moment = hinge_moment(stiffness, 0.0, angle, 0.0)
        j = np.concatenate([np.zeros(3), -n, np.zeros(3), n])
        self.wrench += moment * j
        self.own += stiffness * np.outer(j, j)
        self.own[ABOUT_A, ABOUT_A] += moment * hat(n)
        self.own[ABOUT_B, ABOUT_A] -= moment * hat(n)
        self.damping += damping * np.outer(j, j)


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
    n, m = unknowns.size, unknowns.n_inputs
    parts: dict[str, list[tuple[Any, Any, Array]]] = {"K": [], "B": [], "K_in": [], "B_in": []}
    residual: Array = np.zeros(n)
    for i in range(len(model.links.names)):
        ends = [_end(model, unknowns, place, i, side) for side in range(2)]
        rows = unknowns.link[unknowns.link_start[i] : unknowns.link_start[i + 1]]
        terms = _terms(model, i, ends, place.hold[unknowns.link_start[i] : unknowns.link_start[i + 1]])
        columns, by = _reach(ends, inputs=False)
        given, by_given = _reach(ends, inputs=True)
        H = terms.hold @ by
        parts["K"] += [(columns, columns, by.T @ terms.own @ by), (rows, columns, H), (columns, rows, H.T)]
        parts["B"].append((columns, columns, by.T @ terms.damping @ by))
        parts["K_in"] += [(columns, given, by.T @ terms.own @ by_given), (rows, given, terms.hold @ by_given)]
        parts["B_in"].append((columns, given, by.T @ terms.damping @ by_given))
        residual[columns] += by.T @ terms.wrench
        residual[rows] += terms.gap
    return LinkMatrices(
        _sparse(parts["K"], (n, n)), _sparse(parts["B"], (n, n)), _sparse(parts["K_in"], (n, m)),
        _sparse(parts["B_in"], (n, m)), residual,
    )  # fmt: skip


def _terms(model: Model, i: int, ends: list[End], force: Array) -> Terms:
    """Link i with its multipliers (N, N m)."""
    links = model.links
    kind, d, terms = int(links.kind[i]), ends[0].place - ends[1].place, Terms(force.size)
    axes = (links.frame[i, 0] @ ends[0].turn.T, links.frame[i, 1] @ ends[1].turn.T)
    if kind == LINK_BAR:
        terms.apart(d, float(links.length[i]), float(force[0]))
    elif kind == LINK_JOINT:
        _by_axes(links.axis[3 * i : 3 * i + 3], axes[0], d, force, terms)
    else:
        terms.together(d, force[:3])
        if kind == LINK_BALL:
            for c, u, w in zip(links.turning[i], *axes, strict=True):  # `ball_moment` of loads/springs.py
                terms.across(u, w, -float(c))
        else:
            terms.square(3, axes[0][2], axes[1][0], float(force[3]))
            terms.square(4, axes[0][2], axes[1][1], float(force[4]))
            if kind == LINK_HINGE:
                terms.hinge(axes, float(links.stiffness[i]), float(links.damping[i]))
            else:
                terms.square(5, axes[0][0], axes[1][1], float(force[5]))
    for at, end in ((0, ends[0]), (6, ends[1])):
        f = terms.wrench[at : at + 3]  # turns with the arm that it acts on
        terms.own[at + 3 : at + 6, at + 3 : at + 6] += np.outer(end.arm, f) - (end.arm @ f) * np.eye(3)
    return terms


def _by_axes(laws: Any, axes: Array, d: Array, force: Array, terms: Terms) -> None:
    """A joint by components.  laws : (3,) of AXIS_LAW    axes : rows, directions of the first part in the world"""
    row = 0
    for law, u in zip(laws, axes, strict=True):
        if law.hold == HELD:
            terms.hold[row] = terms.along(u, d, float(force[row]))
            terms.gap[row] = float(u @ d)
            row += 1
        elif law.hold == SPRING:
            pull, slope = spring_law(law, -float(u @ d))
            j = terms.along(u, d, pull, slope)
            terms.damping += law.damping * np.outer(j, j)


def _end(model: Model, unknowns: Unknowns, place: Place, i: int, side: int) -> End:
    """End `side` of link i."""
    links, k = model.links, int(model.links.end_index[i, side])
    moves = np.zeros((6, 6))
    if links.end_kind[i, side] == BODY:
        R = rotation_matrix(place.quaternion[k])
        arm = R @ links.offset[i, side]
        moves[:3], moves[3:, 3:] = arm_matrix(arm), np.eye(3)
        return End(place.body_position[k] + arm, arm, R, unknowns.body[k], unknowns.body_input[k], moves)
    moves[:3, :3] = model.points.frame[k].T
    at = place.r[unknowns.mesh.s.size + k]
    return End(at, np.zeros(3), np.eye(3), unknowns.point[k], unknowns.point_input[k], moves[:, :3])


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
